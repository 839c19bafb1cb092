/* Responses in the search for the largest step: their states, [count][states][3][places] of each, in the vectors of the
 * search. limit_terms.h has the row. */
#include "libdg/base/memory.h"
#include "libdg/ref/rule.h"
#include "maxwell/terms/rates/limit_terms.h"
#include "maxwell/terms/terms.h"
#include "maxwell/time/responses.h"

struct responses {
  struct dg_quadrature rule; /* for layers */
  double **weight;           /* [responses][count][states] of states in the energy; layers: none */
  double **coefficient;      /* [responses][count][coefficients of the kind] */
};

static size_t states_of(const struct mx_problem *problem, size_t r)
{
  const struct mx_response *response = &problem->response[r];
  return response->count * (size_t)mx_responses[response->kind]->states * 3 *
         mx_response_places(problem, response->kind);
}

static void destroy(struct mx_limit_part *part)
{
  struct responses *own = part->own;
  for (size_t r = 0; r < part->problem->responses; r++) {
    if (own->weight != NULL) dg_free(own->weight[r]);
    if (own->coefficient != NULL) dg_free(own->coefficient[r]);
  }
  dg_free(own->weight);
  dg_free(own->coefficient);
  dg_quadrature_release(&own->rule);
  dg_free(own);
}

/* The weight of the square of a state in the energy, without products of two states. */
static double state_weight(const struct mx_response_entry *entry, size_t states, size_t q)
{
  double sum = 0;
  for (size_t i = 0; i < states; i++)
    sum += entry->energy[i].weight * entry->energy[i].state[q] * entry->energy[i].state[q];
  return sum;
}

static int create(struct mx_limit_part *part, struct dg_error *err)
{
  const struct mx_problem *problem = part->problem;
  struct responses *own;
  if (part->staggered || problem->responses == 0) return 0;
  if (DG_NEW(own, 1, err) != 0) return err->code;
  part->own = own;
  if (dg_quadrature_init(&own->rule, problem->ref, err) != 0 || DG_NEW(own->weight, problem->responses, err) != 0 ||
      DG_NEW(own->coefficient, problem->responses, err) != 0)
    return err->code;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const size_t states = (size_t)mx_responses[response->kind]->states;
    if (DG_NEW(own->weight[r], response->count * states, err) != 0 ||
        DG_NEW(own->coefficient[r], response->count * (size_t)mx_responses[response->kind]->coefficients, err) != 0)
      return err->code;
    for (size_t k = 0; k < response->count; k++) {
      double *coefficient = own->coefficient[r] + k * (size_t)mx_responses[response->kind]->coefficients;
      const struct mx_response_entry entry = mx_response_rates(problem, response, k, coefficient);
      for (size_t q = 0; q < states && mx_response_has_energy(response); q++)
        own->weight[r][k * states + q] = state_weight(&entry, states, q);
    }
    part->numbers += states_of(problem, r);
  }
  return 0;
}

static void rate(const struct mx_limit_part *part, const double *const field[2], const double *x, double *y,
                 double *const rates[2])
{
  const struct mx_problem *problem = part->problem;
  const struct responses *own = part->own;
  for (size_t r = 0, at = 0; r < problem->responses; at += states_of(problem, r++))
    mx_response_rate_double(problem, &problem->response[r], &own->rule, own->coefficient[r], x + at, field, y + at,
                            rates);
}

/* The weight of a layer's state, which has no energy: with the layer's rate in it, state and field are alike in size.
 */
static double layer_weight(const struct mx_problem *problem, const struct mx_response *response, size_t k, int q)
{
  const struct mx_response_ops *ops = mx_responses[response->kind];
  const size_t e = (size_t)response->where[k];
  const double storage = q < ops->of_E ? problem->epsilon[e] : problem->mu[e],
               relaxation = ops->rate(storage, mx_response_parameter(response, k));
  return 0.5 * storage * relaxation * relaxation;
}

/* y = factor times the mass of three components at the points of the rule. */
static void at_points(const struct dg_quadrature *rule, double factor, const double *x, double *y)
{
  const size_t Nq = (size_t)rule->volume.points;
  const double measure = 4.0 / 3; /* of the reference tetrahedron */
  for (size_t i = 0; i < 3 * Nq; i++) y[i] = factor * measure * rule->volume.weight[i % Nq] * x[i];
}

static void weigh(const struct mx_limit_part *part, const double *x, double *y)
{
  const struct mx_problem *problem = part->problem;
  const struct responses *own = part->own;
  size_t at = 0;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const int states = mx_responses[response->kind]->states;
    for (size_t k = 0; k < response->count; k++)
      for (int q = 0; q < states; q++) {
        const double jacobian = 2 * problem->jacobian[response->where[k]];
        if (!mx_response_has_energy(response)) {
          at_points(&own->rule, jacobian * layer_weight(problem, response, k, q), x + at, y + at);
          at += 3 * (size_t)own->rule.volume.points;
        } else {
          mx_limit_multiply(problem->ref, jacobian * own->weight[r][k * (size_t)states + (size_t)q], x + at, y + at);
          at += 3 * (size_t)problem->ref->Np;
        }
      }
  }
}

const struct mx_limit_row mx_limit_of_responses = {.create = create, .destroy = destroy, .rate = rate, .weigh = weigh};
