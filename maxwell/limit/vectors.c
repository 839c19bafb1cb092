/* The operators and the inner product of vectors.h. */
#include "maxwell/limit/vectors.h"

#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"

static size_t states_of(const struct mx_limit *work, size_t r)
{
  const struct mx_response *response = &work->problem->response[r];
  return response->count * (size_t)mx_responses[response->kind]->states * 3 *
         mx_response_places(work->problem, response->kind);
}

/* Numbers of the currents of a face on a metal wall. */
static size_t skin_width(const struct mx_limit *work)
{
  return mx_skin_poles(work->problem) * 3 * (size_t)work->problem->ref->Nf;
}

/* Numbers of the densities of one field. */
static size_t densities_of(const struct mx_limit *work)
{
  return 3 * (size_t)work->problem->ref->Np * work->problem->curves.count;
}

void mx_limit_release(struct mx_limit *work)
{
  for (size_t r = 0; work->problem != NULL && r < work->problem->responses; r++) {
    if (work->weight != NULL) dg_free(work->weight[r]);
    if (work->coefficient != NULL) dg_free(work->coefficient[r]);
  }
  dg_free(work->weight);
  dg_free(work->coefficient);
  for (int i = 0; i < 2; i++) dg_free(work->ghosted[i]);
  dg_exchange_free(work->exchange);
  dg_quadrature_release(&work->rule);
  mx_skin_tables_release(&work->skins);
  dg_free(work->voltage);
  mx_matrices_free_double(work->matrices);
}

/* The weight of the square of a state in the energy, without products of two states. */
static double state_weight(const struct mx_response_entry *entry, size_t states, size_t q)
{
  double sum = 0;
  for (size_t i = 0; i < states; i++)
    sum += entry->energy[i].weight * entry->energy[i].state[q] * entry->energy[i].state[q];
  return sum;
}

/* Prepares the faces that a problem shares with itself (Bloch phases). */
static int new_ghosts(struct mx_limit *work, struct dg_error *err)
{
  const struct mx_problem *problem = work->problem;
  const size_t Np = (size_t)problem->ref->Np, bytes = 6 * (size_t)problem->ref->Nf * sizeof(double);
  if (problem->halo == NULL) return 0;
  DG_BUG_IF(problem->comm != NULL, "the search for the limit is one rank's");
  for (int i = 0; i < 2; i++)
    if (DG_NEW(work->ghosted[i], 3 * Np * (problem->K + problem->ghosts), err) != 0) return err->code;
  return dg_exchange_new(&work->exchange, NULL, problem->halo->peers, problem->halo->peer, bytes, err);
}

/* Finds E and H of a vector, with ghosts where the problem has any. */
static void find_fields(const struct mx_limit *work, const double *x, const double *field[2])
{
  struct dg_error none = {0};
  for (size_t i = 0; i < 2; i++) {
    field[i] = x + i * work->n;
    if (work->exchange == NULL) continue;
    memcpy(work->ghosted[i], field[i], work->n * sizeof *x);
    field[i] = work->ghosted[i];
  }
  if (work->exchange == NULL) return;
  (void)!mx_fill_ghosts_double(work->problem, work->exchange, work->ghosted[0], work->ghosted[1], &none);
  DG_BUG_IF(none.code != DG_OK, "copies fail: %s", none.message);
}

static bool any_film(const struct mx_problem *problem)
{
  for (size_t i = 0; i < problem->metals; i++)
    if (problem->metal[i].film) return true;
  return false;
}

int mx_limit_start(struct mx_limit *work, const struct mx_problem *problem, enum mx_integrator integrator,
                   struct dg_error *err)
{
  *work = (struct mx_limit){.problem = problem, .n = 3 * (size_t)problem->ref->Np * problem->K};
  work->all = 2 * work->n;
  work->whole = work->all + (mx_staggered(integrator) ? 2 * densities_of(work) : 0);
  if (mx_matrices_new_double(&work->matrices, problem, err) != 0 || new_ghosts(work, err) != 0) return err->code;
  if (mx_staggered(integrator) && !any_film(problem)) return 0;
  if (problem->skin_faces > 0 && (mx_skin_tables_init(&work->skins, problem, err) != 0 ||
                                  DG_NEW(work->voltage, problem->skin_faces * 3 * (size_t)problem->ref->Nf, err) != 0))
    return err->code;
  work->all += problem->skin_faces * skin_width(work);
  work->whole = work->all + (mx_staggered(integrator) ? 2 * densities_of(work) : 0);
  if (mx_staggered(integrator) || problem->responses == 0) return 0;
  if (dg_quadrature_init(&work->rule, problem->ref, err) != 0 || DG_NEW(work->weight, problem->responses, err) != 0 ||
      DG_NEW(work->coefficient, problem->responses, err) != 0)
    return err->code;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const size_t states = (size_t)mx_responses[response->kind]->states;
    if (DG_NEW(work->weight[r], response->count * states, err) != 0 ||
        DG_NEW(work->coefficient[r], response->count * (size_t)mx_responses[response->kind]->coefficients, err) != 0)
      return err->code;
    for (size_t k = 0; k < response->count; k++) {
      double *coefficient = work->coefficient[r] + k * (size_t)mx_responses[response->kind]->coefficients;
      const struct mx_response_entry entry = mx_response_rates(problem, response, k, coefficient);
      for (size_t q = 0; q < states && !mx_responses[response->kind]->layer; q++)
        work->weight[r][k * states + q] = state_weight(&entry, states, q);
    }
    work->all += states_of(work, r);
  }
  work->whole = work->all;
  return 0;
}

void mx_limit_find_densities(const struct mx_limit *work, double *x)
{
  const struct mx_problem *problem = work->problem;
  const struct mx_curve_tables *curves = mx_matrices_curves_double(work->matrices);
  const size_t numbers = 3 * (size_t)problem->ref->Np, skins = problem->skin_faces * skin_width(work);
  if (work->voltage != NULL) memset(x + work->all - skins, 0, skins * sizeof *x);
  for (size_t field = 0; field < 2 && work->whole > work->all; field++)
    for (size_t k = 0; k < curves->count; k++) {
      double u[3 * DG_NP_MAX];
      mx_curve_covariant(curves, k, x + field * work->n + numbers * (size_t)problem->curves.where[k], u);
      mx_curve_unweigh(curves, k, u, x + work->all + field * densities_of(work) + numbers * k);
    }
}

/* at_face[3][Nf] = the field on the own side of face k, or beyond it. */
static void take_face(const struct mx_problem *problem, size_t k, bool beyond, const double *field, double *at_face)
{
  const struct dg_reference *ref = problem->ref;
  const size_t Nf = (size_t)ref->Nf, Np = (size_t)ref->Np;
  const int32_t own = problem->skin_face[k], code = beyond ? problem->neighbour[own / 4][own % 4] : own;
  for (size_t i = 0; i < 3 * Nf; i++)
    at_face[i] =
        code < 0
            ? 0
            : field[(3 * (size_t)(code / 4) + i / Nf) * Np + (size_t)ref->face_node[(size_t)(code % 4) * Nf + i % Nf]];
}

/* The currents of the other face of a sheet of metal; NULL: there is none here. */
static const double *far_currents(const struct mx_limit *work, size_t k, const double *currents)
{
  const int32_t own = work->problem->skin_face[k], code = work->problem->far[own / 4][own % 4] - 1;
  if (code < 0) return NULL;
  return currents + (size_t)mx_skin_slot(work->problem, (size_t)code / 4, code % 4) * skin_width(work);
}

/* The rates of the currents of metal walls and of films, and V or J of each face: currents and rates are
 * [skin_faces][poles][3][Nf]. Leapfrog's limit takes the films without their losses, and no wall. */
static void rate_skins(const struct mx_limit *work, bool staggered, const double *const field[2],
                       const double *currents, double *rates)
{
  const struct mx_problem *problem = work->problem;
  const size_t n = 3 * (size_t)problem->ref->Nf, width = skin_width(work);
  for (size_t k = 0; k < problem->skin_faces; k++) {
    const struct mx_skin *skin = mx_skin_of(problem, k);
    const double *now = currents + k * width;
    double own[3 * DG_NF_MAX] = {0}, far[3 * DG_NF_MAX] = {0}, h[3 * DG_NF_MAX] = {0};
    double *V = work->voltage + k * n, *rate = rates + k * width;
    memset(V, 0, n * sizeof *V);
    memset(rate, 0, width * sizeof *rate);
    take_face(problem, k, false, field[skin->film ? 0 : 1], own);
    if (skin->film) {
      take_face(problem, k, true, field[0], far);
      mx_film_field(&work->skins, k, own, far, h);
      for (size_t i = 0; i < n; i++) {
        rate[i] = skin->drude * h[i] - (staggered ? 0 : skin->damping * now[i]);
        V[i] = now[i];
      }
      continue;
    }
    if (staggered) continue;
    const double *beyond = far_currents(work, k, currents);
    mx_skin_current(&work->skins, k, own, h);
    for (size_t q = 0; q < skin->poles; q++)
      for (size_t i = 0; i < n; i++) {
        rate[q * n + i] = skin->rate[q] * (h[i] - now[q * n + i]);
        V[i] += skin->resistance[q] * now[q * n + i];
        if (beyond != NULL) V[i] += skin->transfer[q] * beyond[q * n + i];
      }
  }
}

/* The densities of curved elements with a film, whose field has changed without them. */
static void find_film_densities(const struct mx_limit *work, const double *E, double *of_E)
{
  const struct mx_problem *problem = work->problem;
  const struct mx_curve_tables *curves = mx_matrices_curves_double(work->matrices);
  const size_t numbers = 3 * (size_t)problem->ref->Np;
  for (size_t k = 0; k < problem->skin_faces; k++) {
    const size_t e = (size_t)problem->skin_face[k] / 4;
    const ptrdiff_t c = curves->count > 0 && mx_skin_of(problem, k)->film ? mx_curve_find(problem, e) : -1;
    double u[3 * DG_NP_MAX];
    if (c < 0) continue;
    mx_curve_covariant(curves, (size_t)c, E + numbers * e, u);
    mx_curve_unweigh(curves, (size_t)c, u, of_E + numbers * (size_t)c);
  }
}

void mx_limit_symmetric(struct mx_limit *work, const double *x, double *y)
{
  const struct mx_penalty plus = {.inner = 1, .open = 2}, minus = {.inner = -1, .open = -2};
  const double *field[2];
  double *of_E = y + work->all, *of_H = of_E + densities_of(work);
  const bool density = work->whole > work->all;
  find_fields(work, x, field);
  mx_rate_and_density_double(work->problem, work->matrices, MX_AMPERE, minus, field[0], field[1], NULL, y,
                             density ? of_E : NULL);
  mx_rate_and_density_double(work->problem, work->matrices, MX_FARADAY, plus, field[1], field[0], NULL, y + work->n,
                             density ? of_H : NULL);
  for (size_t i = work->n; i < 2 * work->n; i++) y[i] = -y[i];
  for (size_t i = 0; i < densities_of(work) && density; i++) of_H[i] = -of_H[i];
  if (work->voltage != NULL) { /* of E and J: -C J and -C^T E */
    const size_t at = work->all - work->problem->skin_faces * skin_width(work);
    rate_skins(work, true, field, x + at, y + at);
    for (size_t i = at; i < work->all; i++) y[i] = -y[i];
    mx_add_films_double(work->problem, work->matrices, work->voltage, y);
    if (density) find_film_densities(work, y, of_E);
  }
  work->applications++;
}

/* y = M x of the currents. Those of a film have the weight of their energy, which Lanczos iteration needs: J^2/(2 D),
 * half of it on each side, or all of it where the part ends at the film. Those of a metal wall, R_k I_k^2/(2 a_k), have
 * the diagonal of the mass of their face. Directions that no current takes have some weight, too. */
static void weigh_skins(const struct mx_limit *work, const double *x, double *y)
{
  const struct mx_problem *problem = work->problem;
  const size_t Nf = (size_t)problem->ref->Nf, n = 3 * Nf, width = skin_width(work);
  for (size_t i = 0; i < problem->skin_faces * width; i++) {
    const size_t k = i / width, q = i % width / n, m = i % Nf;
    const struct mx_skin *skin = mx_skin_of(problem, k);
    const size_t e = (size_t)problem->skin_face[k] / 4, f = (size_t)problem->skin_face[k] % 4;
    const double of_pole = q < skin->poles && !skin->film ? skin->resistance[q] / skin->rate[q] : 1;
    y[i] = of_pole * problem->face_scale[e][f] * problem->jacobian[e] * problem->ref->face_mass[m * Nf + m] * x[i];
  }
  for (size_t k = 0; k < problem->skin_faces; k++) {
    const int32_t face = problem->skin_face[k];
    const struct mx_skin *skin = mx_skin_of(problem, k);
    if (!skin->film) continue;
    mx_skin_mass(&work->skins, k, x + k * width, y + k * width);
    for (size_t i = 0; i < n; i++)
      y[k * width + i] *= (problem->neighbour[face / 4][face % 4] < 0 ? 1 : 0.5) / skin->drude;
  }
}

void mx_limit_rate(struct mx_limit *work, const double *x, double *y)
{
  const struct mx_penalty whole = {.inner = 1, .open = 1};
  const double *field[2];
  double *const rate[2] = {y, y + work->n};
  size_t per_element = 3 * (size_t)work->problem->ref->Np;
  find_fields(work, x, field);
  mx_rate_double(work->problem, work->matrices, MX_AMPERE, whole, field[0], field[1], NULL, y);
  mx_rate_double(work->problem, work->matrices, MX_FARADAY, whole, field[1], field[0], NULL, y + work->n);
  if (work->problem->skin_faces > 0) {
    const size_t at = work->all - work->problem->skin_faces * skin_width(work);
    rate_skins(work, false, field, x + at, y + at);
    mx_add_skins_double(work->problem, work->matrices, work->voltage, y + work->n);
    mx_add_films_double(work->problem, work->matrices, work->voltage, y);
  }
  for (size_t i = 0; i < 2 * work->n; i++) {
    const bool of_H = i >= work->n;
    const size_t e = (of_H ? i - work->n : i) / per_element;
    const struct mx_medium medium = mx_medium_of(work->problem, of_H ? MX_FARADAY : MX_AMPERE, e);
    y[i] -= medium.loss / medium.storage * x[i];
  }
  for (size_t r = 0, at = 2 * work->n; r < work->problem->responses; at += states_of(work, r++))
    mx_response_rate_double(work->problem, &work->problem->response[r], &work->rule, work->coefficient[r], x + at,
                            field, y + at, rate);
  work->applications++;
}

/* The weight of a layer's state, which has no energy: with the layer's rate in it, state and field are alike in size.
 */
static double layer_weight(const struct mx_problem *problem, const struct mx_response *response, size_t k, int q)
{
  const struct mx_response_ops *ops = mx_responses[response->kind];
  const size_t e = (size_t)response->where[k];
  const double storage = q < ops->of_E ? problem->epsilon[e] : problem->mu[e],
               rate = ops->rate(storage, mx_response_parameter(response, k));
  return 0.5 * storage * rate * rate;
}

/* y = M x of the reference element, for three components. */
static void multiply(const struct dg_reference *ref, double factor, const double *x, double *y)
{
  const size_t Np = (size_t)ref->Np;
  for (size_t at = 0; at < 3 * Np; at += Np) {
    for (size_t i = 0; i < Np; i++) y[at + i] = 0;
    for (size_t j = 0; j < Np; j++) /* the mass matrix is symmetric: rows serve as columns */
      for (size_t i = 0; i < Np; i++) y[at + i] += factor * ref->mass[j * Np + i] * x[at + j];
  }
}

/* y[3][Np] becomes what the tensor makes of it. */
static void turn(const double *tensor, size_t Np, double *y)
{
  for (size_t i = 0; i < Np; i++) {
    const double u[3] = {y[i], y[Np + i], y[2 * Np + i]};
    double v[3];
    mx_tensor_apply(tensor, u, v);
    for (size_t c = 0; c < 3; c++) y[c * Np + i] = v[c];
  }
}

/* The same of three components at the points of the rule. */
static void at_points(const struct dg_quadrature *rule, double factor, const double *x, double *y)
{
  const size_t Nq = (size_t)rule->volume.points;
  const double measure = 4.0 / 3; /* of the reference tetrahedron */
  for (size_t i = 0; i < 3 * Nq; i++) y[i] = factor * measure * rule->volume.weight[i % Nq] * x[i];
}

/* The same of the densities of curved elements: the product of M density with covariant components is that of y with
 * Cartesian ones. */
static void curved_mass(const struct mx_limit *work, const double *x, double *y)
{
  const struct mx_problem *problem = work->problem;
  const struct mx_curve_tables *curves = mx_matrices_curves_double(work->matrices);
  const size_t Np = (size_t)problem->ref->Np;
  for (size_t field = 0; field < 2; field++)
    for (size_t k = 0; k < curves->count; k++) {
      const size_t e = (size_t)problem->curves.where[k], at = field * work->n + 3 * e * Np;
      const double storage = field == 0 ? problem->epsilon[e] : problem->mu[e];
      double v[3 * DG_NP_MAX] = {0};
      multiply(problem->ref, storage * mx_curve_sign(curves, k),
               x + work->all + field * densities_of(work) + 3 * Np * k, v);
      for (size_t i = 0; i < Np; i++)
        for (size_t b = 0; b < 3; b++) {
          const double(*t)[3] = (const double(*)[3])curves->tangent[k * Np + i];
          y[at + b * Np + i] = t[0][b] * v[i] + t[1][b] * v[Np + i] + t[2][b] * v[2 * Np + i];
        }
    }
}

void mx_limit_mass(const struct mx_limit *work, const double *x, double *y)
{
  const struct mx_problem *problem = work->problem;
  const size_t numbers = 3 * (size_t)problem->ref->Np;
  for (size_t field = 0; field < 2; field++)
    for (size_t e = 0; e < problem->K; e++) {
      const double factor = problem->jacobian[e] * (field == 0 ? problem->epsilon[e] : problem->mu[e]);
      const size_t at = field * work->n + numbers * e;
      multiply(problem->ref, factor, x + at, y + at);
      if (problem->tensor[e] > 0) turn(mx_tensor_of(problem, e)->shape[field], (size_t)problem->ref->Np, y + at);
    }
  if (work->whole > work->all) curved_mass(work, x, y);
  if (work->voltage != NULL) {
    const size_t skins = work->all - problem->skin_faces * skin_width(work);
    weigh_skins(work, x + skins, y + skins);
  }
  size_t at = 2 * work->n; /* states with the weight of their energy */
  for (size_t r = 0; work->weight != NULL && r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const int states = mx_responses[response->kind]->states;
    for (size_t k = 0; k < response->count; k++)
      for (int q = 0; q < states; q++) {
        const double jacobian = 2 * problem->jacobian[response->where[k]];
        if (mx_responses[response->kind]->layer) {
          at_points(&work->rule, jacobian * layer_weight(problem, response, k, q), x + at, y + at);
          at += 3 * (size_t)work->rule.volume.points;
        } else {
          multiply(problem->ref, jacobian * work->weight[r][k * (size_t)states + (size_t)q], x + at, y + at);
          at += numbers;
        }
      }
  }
}
