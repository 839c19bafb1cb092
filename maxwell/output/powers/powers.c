/* Powers of fields on the host: penalty, losses, sources and responses, integrated over elements. balance.c calls it;
 * powers.h has the conventions, problem/flux.h the flux. */
#include "maxwell/output/powers/powers.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "maxwell/backend/frame/frame.h"
#include "maxwell/problem/curved.h"

int mx_powers_init(struct mx_powers *powers, const struct mx_problem *problem, const struct mx_backend_options *options,
                   struct dg_error *err)
{
  const size_t element = 3 * (size_t)problem->ref->Np, face = 6 * (size_t)problem->ref->Nf;
  *powers = (struct mx_powers){.problem = problem,
                               .options = *options,
                               .own = element * problem->K,
                               .all = element * (problem->K + problem->ghosts)};
  if (mx_matrices_new_double(&powers->matrices, problem, err) != 0) return err->code;
  if (problem->halo == NULL) return 0;
  return dg_exchange_new(&powers->exchange, problem->comm, problem->halo->peers, problem->halo->peer,
                         face * sizeof(double), err);
}

void mx_powers_release(struct mx_powers *powers)
{
  dg_exchange_free(powers->exchange);
  mx_matrices_free_double(powers->matrices);
  *powers = (struct mx_powers){0};
}

int mx_powers_ghosts(const struct mx_powers *powers, double *E, double *H, struct dg_error *err)
{
  return powers->exchange != NULL ? mx_fill_ghosts_double(powers->problem, powers->exchange, E, H, err) : 0;
}

/* The tables of curved elements, and which of them e is; -1: it is straight. */
static ptrdiff_t curve_of(const struct mx_powers *powers, size_t e, const struct mx_curve_tables **curves)
{
  *curves = mx_matrices_curves_double(powers->matrices);
  return powers->problem->curves.count > 0 ? mx_curve_find(powers->problem, e) : -1;
}

double mx_powers_product(const struct mx_powers *powers, size_t e, const double *u, const double *v)
{
  const struct mx_problem *problem = powers->problem;
  const struct mx_curve_tables *curves;
  const ptrdiff_t k = curve_of(powers, e, &curves);
  const size_t Np = (size_t)problem->ref->Np;
  double sum = 0;
  if (k >= 0) return 2 * mx_curve_product(curves, (size_t)k, u, v);
  for (size_t c = 0; c < 3; c++)
    for (size_t i = 0; i < Np; i++) {
      double row = 0;
      for (size_t j = 0; j < Np; j++) row += problem->ref->mass[i * Np + j] * v[c * Np + j];
      sum += u[c * Np + i] * row;
    }
  return problem->jacobian[e] * sum;
}

/* The same with the tensor of an equation, if the medium has one, between u and v. */
static double medium_product(const struct mx_powers *powers, enum mx_equation equation, size_t e, const double *u,
                             const double *v)
{
  const struct mx_tensor *tensor = mx_tensor_of(powers->problem, e);
  const size_t Np = (size_t)powers->problem->ref->Np;
  double turned[3 * DG_NP_MAX];
  if (tensor == NULL) return mx_powers_product(powers, e, u, v);
  for (size_t i = 0; i < Np; i++) {
    const double at[3] = {v[i], v[Np + i], v[2 * Np + i]};
    double to[3];
    mx_tensor_apply(tensor->shape[equation], at, to);
    for (size_t c = 0; c < 3; c++) turned[c * Np + i] = to[c];
  }
  return mx_powers_product(powers, e, u, turned);
}

/* The integral over face f of curved element k of u_t . jump_t, u[Nf] and jump[Nf] at the nodes, as the penalty of the
 * operator takes it: components along the edges, and the metric of the face at the points of its rule. */
static double curved_jump_product(const struct mx_curve_tables *curves, const struct dg_reference *ref, size_t k,
                                  size_t f, const double (*u)[3], const double (*jump)[3])
{
  const size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf, Nq = (size_t)curves->rule.face.points;
  double along[DG_NF_MAX][4], sum = 0;
  for (size_t m = 0; m < Nf; m++) {
    const double(*x)[3] = (const double(*)[3])curves->tangent[k * Np + (size_t)ref->face_node[f * Nf + m]];
    for (int i = 0; i < 2; i++) {
      double t[3];
      for (int b = 0; b < 3; b++)
        t[b] = mx_curve_edge[f][i][0] * x[0][b] + mx_curve_edge[f][i][1] * x[1][b] + mx_curve_edge[f][i][2] * x[2][b];
      along[m][i] = dg_dot(t, u[m]);
      along[m][2 + i] = dg_dot(t, jump[m]);
    }
  }
  for (size_t q = 0; q < Nq; q++) {
    const double *at = curves->rule.face_at + q * Nf, *g = curves->face[(4 * k + f) * Nq + q];
    double v[4] = {0};
    for (size_t m = 0; m < Nf; m++)
      for (int i = 0; i < 4; i++) v[i] += at[m] * along[m][i];
    sum += 2 * curves->rule.face.weight[q] * (v[0] * (g[0] * v[2] + g[1] * v[3]) + v[1] * (g[1] * v[2] + g[2] * v[3]));
  }
  return copysign(1, curves->face[(4 * k + f) * Nq][0]) * sum;
}

/* The integral over a face of u_t . (u - u of the far side)_t, u_t being tangential; `alone`: of u_t . u_t. */
static double jump_product(const struct mx_powers *powers, size_t e, size_t f, bool alone, const double *field)
{
  const struct mx_problem *problem = powers->problem;
  const struct mx_curve_tables *curves;
  const ptrdiff_t k = curve_of(powers, e, &curves);
  const struct dg_reference *ref = problem->ref;
  const size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf;
  const int32_t code = alone ? MX_GHOST : problem->neighbour[e][f];
  const double *n = problem->normal[e][f], *own = field + 3 * Np * e;
  const double *far = code >= 0 ? field + 3 * Np * (size_t)(code / 4) : NULL;
  const int *mine = ref->face_node + f * Nf, *theirs = ref->face_node + (size_t)(code >= 0 ? code % 4 : 0) * Nf;
  double u[DG_NF_MAX][3], jump[DG_NF_MAX][3], sum = 0;
  for (size_t m = 0; m < Nf; m++) {
    double across[2] = {0, 0};
    for (size_t c = 0; c < 3; c++) {
      u[m][c] = own[c * Np + (size_t)mine[m]];
      jump[m][c] = u[m][c] - (far != NULL ? far[c * Np + (size_t)theirs[m]] : 0);
      across[0] += n[c] * u[m][c];
      across[1] += n[c] * jump[m][c];
    }
    for (size_t c = 0; c < 3 && k < 0; c++) u[m][c] -= n[c] * across[0], jump[m][c] -= n[c] * across[1];
  }
  if (k >= 0) return curved_jump_product(curves, ref, (size_t)k, f, (const double(*)[3])u, (const double(*)[3])jump);
  for (size_t i = 0; i < Nf; i++)
    for (size_t j = 0; j < Nf; j++)
      sum += ref->face_mass[i * Nf + j] * (u[i][0] * jump[j][0] + u[i][1] * jump[j][1] + u[i][2] * jump[j][2]);
  return problem->face_scale[e][f] * problem->jacobian[e] * sum;
}

struct mx_penalty_powers mx_powers_penalty(const struct mx_powers *powers, enum mx_equation equation,
                                           const double *field)
{
  const struct mx_problem *problem = powers->problem;
  struct mx_penalty_powers sum = {0};
  for (size_t e = 0; e < problem->K; e++)
    for (size_t f = 0; f < 4; f++) {
      const struct mx_face_flux *flux = &problem->flux[e][f];
      const double penalty = equation == MX_AMPERE ? flux->e_penalty : flux->h_penalty, sheet = problem->sheet[e][f];
      if (penalty == 0 || (problem->skin[e][f] != 0 && problem->neighbour[e][f] < 0)) continue;
      const double power = penalty * jump_product(powers, e, f, false, field);
      if (mx_open_slot(problem->neighbour[e][f]) >= 0) sum.open += power;
      else if (sheet != 0 && equation == MX_FARADAY) sum.sheets += power;
      else sum.closed += power;
      if (sheet != 0 && equation == MX_AMPERE) sum.sheets += penalty * sheet * jump_product(powers, e, f, true, field);
    }
  return sum;
}

void mx_powers_rate(const struct mx_powers *powers, enum mx_equation equation, const double *own, const double *other,
                    double *rate)
{
  const struct mx_penalty whole = {.inner = 1, .open = 1};
  mx_rate_double(powers->problem, powers->matrices, equation, whole, own, other, NULL, rate);
  if (powers->add_terms != NULL) powers->add_terms(powers->terms, equation, rate);
}

double mx_powers_loss(const struct mx_powers *powers, enum mx_equation equation, const double *field)
{
  const struct mx_problem *problem = powers->problem;
  double sum = 0;
  for (size_t e = 0; e < problem->K; e++) {
    const double *u = field + 3 * (size_t)problem->ref->Np * e, loss = mx_medium_of(problem, equation, e).loss;
    if (loss > 0) sum += loss * medium_product(powers, equation, e, u, u);
  }
  return sum;
}

void mx_powers_sources(const struct mx_powers *powers, enum mx_equation equation,
                       const struct mx_stage_sources *sources, double *rate)
{
  memset(rate, 0, powers->own * sizeof *rate);
  mx_add_sources_double(powers->problem, powers->matrices, equation, sources, rate);
}

double mx_powers_work(const struct mx_powers *powers, enum mx_equation equation, const double *field,
                      const double *rate)
{
  const struct mx_problem *problem = powers->problem;
  double sum = 0;
  for (size_t e = 0; e < problem->K; e++) {
    const size_t at = 3 * (size_t)problem->ref->Np * e;
    sum += mx_medium_of(problem, equation, e).storage * medium_product(powers, equation, e, field + at, rate + at);
  }
  return sum;
}

int mx_powers_unexplained(const struct mx_powers *powers, const double *E, const double *H, const double *E_middle,
                          const double *H_middle, const double *driven_E, const double *driven_H,
                          const double *of_responses, size_t *element, double *power, struct dg_error *err)
{
  const struct mx_problem *problem = powers->problem;
  const size_t per_element = 3 * (size_t)problem->ref->Np;
  const double *end[2] = {E, H}, *middle[2] = {E_middle, H_middle}, *driven[2] = {driven_E, driven_H};
  double *rate[2] = {NULL, NULL}, *change = NULL;
  *element = 0;
  *power = -1;
  if (DG_NEW(rate[0], powers->own, err) != 0 || DG_NEW(rate[1], powers->own, err) != 0 ||
      DG_NEW(change, per_element, err) != 0)
    goto fail;
  for (int i = 0; i < 2; i++)
    mx_powers_rate(powers, i == 0 ? MX_AMPERE : MX_FARADAY, middle[i], middle[1 - i], rate[i]);
  for (size_t e = 0; e < problem->K; e++) {
    const size_t at = e * per_element;
    double sum = 0;
    for (int i = 0; i < 2; i++) {
      const struct mx_medium medium = mx_medium_of(problem, (enum mx_equation)i, e);
      const double weight = medium.storage;
      const double inertia = mx_update_of(problem, &powers->options, (enum mx_equation)i, e).inertia;
      if (medium.loss > 0)
        sum += medium.loss * medium_product(powers, (enum mx_equation)i, e, middle[i] + at, middle[i] + at);
      for (size_t k = 0; k < per_element; k++) change[k] = 2 * (end[i][at + k] - middle[i][at + k]);
      sum += inertia / powers->options.step * medium_product(powers, (enum mx_equation)i, e, middle[i] + at, change);
      sum -= weight * medium_product(powers, (enum mx_equation)i, e, middle[i] + at, rate[i] + at);
      if (driven[i] != NULL)
        sum -= weight * medium_product(powers, (enum mx_equation)i, e, middle[i] + at, driven[i] + at);
    }
    if (of_responses != NULL) sum += of_responses[e];
    if (!(fabs(sum) <= *power)) *power = fabs(sum), *element = e;
  }
fail:
  dg_free(rate[0]);
  dg_free(rate[1]);
  dg_free(change);
  return err->code;
}

/* ---- responses */

static size_t per_element(const struct mx_problem *problem) { return 3 * (size_t)problem->ref->Np; }

/* Numbers of the vectors of all squares of an entry. Without leapfrog's H they are as many as its states. */
static size_t per_entry(const struct mx_problem *problem, size_t r)
{
  return per_element(problem) * (size_t)mx_responses[problem->response[r].kind]->states;
}

static int new_look(struct mx_response_look *look, const struct mx_problem *problem, struct dg_error *err)
{
  if (DG_NEW(look->stored, problem->responses, err) != 0 || DG_NEW(look->lost, problem->responses, err) != 0)
    return err->code;
  for (size_t r = 0; r < problem->responses; r++) {
    const size_t numbers = problem->response[r].count * per_entry(problem, r);
    if (DG_NEW(look->stored[r], numbers, err) != 0 || DG_NEW(look->lost[r], numbers, err) != 0) return err->code;
  }
  return 0;
}

static void release_look(struct mx_response_look *look, size_t responses)
{
  for (size_t r = 0; r < responses; r++) {
    if (look->stored != NULL) dg_free(look->stored[r]);
    if (look->lost != NULL) dg_free(look->lost[r]);
  }
  dg_free(look->stored);
  dg_free(look->lost);
}

int mx_response_powers_init(struct mx_response_powers *of, const struct mx_powers *powers,
                            const struct mx_backend_ops *ops, struct dg_error *err)
{
  const struct mx_problem *problem = powers->problem;
  size_t most = 0;
  *of = (struct mx_response_powers){.powers = powers, .ops = ops};
  if (problem->responses == 0) return 0;
  if (new_look(&of->now, problem, err) != 0 || new_look(&of->before, problem, err) != 0) return err->code;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const size_t numbers = response->count * (size_t)mx_responses[response->kind]->states * per_element(problem);
    if (numbers > most) most = numbers;
  }
  return DG_NEW(of->piece, most, err);
}

void mx_response_powers_release(struct mx_response_powers *of)
{
  const size_t responses = of->powers != NULL && of->powers->problem != NULL ? of->powers->problem->responses : 0;
  release_look(&of->now, responses);
  release_look(&of->before, responses);
  dg_free(of->piece);
  *of = (struct mx_response_powers){0};
}

size_t mx_response_powers_bytes(const struct mx_problem *problem)
{
  size_t bytes = 0;
  for (size_t r = 0; r < problem->responses; r++)
    bytes += 5 * problem->response[r].count * per_entry(problem, r) * sizeof(double);
  return bytes;
}

static struct mx_response_entry entry_of(const struct mx_response_powers *of, size_t r, size_t k)
{
  const struct mx_problem *problem = of->powers->problem;
  double coefficient[MX_RESPONSE_COEFFICIENTS];
  return mx_response_prepare(problem, &problem->response[r], k, of->powers->options.integrator,
                             of->powers->options.step, coefficient);
}

/* Puts the vector of a square at a node: the field in Cartesian components, and the states in the backend's. */
static void put_vector(const struct mx_response_powers *of, const struct mx_square *square, size_t e, int states,
                       const double *field, const double *state, size_t i, double *to)
{
  const size_t Np = (size_t)of->powers->problem->ref->Np;
  double s[3] = {0, 0, 0}, g[3][3];
  for (int q = 0; q < states; q++)
    for (size_t c = 0; c < 3; c++) s[c] += square->state[q] * state[((size_t)q * 3 + c) * Np + i];
  if (of->ops->components != MX_CARTESIAN) {
    const struct mx_curve_tables *curves;
    const ptrdiff_t k = curve_of(of->powers, e, &curves);
    mx_frame_gradients(k >= 0 ? curves->metric[(size_t)k * Np + i] : of->powers->problem->metric[e], g);
  }
  for (size_t c = 0; c < 3; c++)
    to[c * Np + i] = square->field * field[(3 * e + c) * Np + i] +
                     (of->ops->components == MX_CARTESIAN ? s[c] : g[0][c] * s[0] + g[1][c] * s[1] + g[2][c] * s[2]);
}

int mx_response_powers_look(struct mx_response_powers *of, struct mx_backend *backend, const double *E, const double *H,
                            struct dg_error *err)
{
  const struct mx_problem *problem = of->powers->problem;
  const size_t Np = (size_t)problem->ref->Np;
  const struct mx_response_look look = of->before;
  of->before = of->now;
  of->now = look;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    const int states = mx_responses[response->kind]->states;
    const double *field = response->of == 0 ? E : H;
    if (!mx_response_has_energy(response)) continue;
    if (of->ops->save(backend, mx_state_of_response(problem, r), 0, response->count, of->piece, err) != 0)
      return err->code;
    for (size_t k = 0; k < response->count; k++) {
      const double *state = of->piece + k * (size_t)states * 3 * Np;
      const struct mx_response_entry entry = entry_of(of, r, k);
      for (size_t q = 0; q < (size_t)states; q++) {
        const size_t e = (size_t)response->where[k], at = (k * (size_t)states + q) * 3 * Np;
        for (size_t i = 0; i < Np; i++) {
          put_vector(of, &entry.energy[q], e, states, field, state, i, look.stored[r] + at);
          put_vector(of, &entry.loss[q], e, states, field, state, i, look.lost[r] + at);
        }
      }
    }
  }
  return 0;
}

/* The integral over element e of the sum of the weighted squares of now, or of the mean of now and before. */
static double response_squares(const struct mx_response_powers *of, size_t e, int states,
                               const struct mx_square *square, const double *now, const double *before)
{
  const size_t numbers = per_element(of->powers->problem);
  double v[3 * DG_NP_MAX] = {0}, sum = 0;
  for (size_t q = 0; q < (size_t)states; q++) {
    if (square[q].weight == 0) continue;
    const size_t at = q * numbers;
    for (size_t i = 0; i < numbers; i++) v[i] = before != NULL ? 0.5 * (now[at + i] + before[at + i]) : now[at + i];
    sum += square[q].weight * mx_powers_product(of->powers, e, v, v);
  }
  return sum;
}

double mx_response_powers_loss(const struct mx_response_powers *of, bool mean)
{
  const struct mx_problem *problem = of->powers->problem;
  double sum = 0;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    for (size_t k = 0; k < response->count && mx_response_has_energy(response); k++) {
      const size_t at = k * per_entry(problem, r);
      const struct mx_response_entry entry = entry_of(of, r, k);
      sum += response_squares(of, (size_t)response->where[k], mx_responses[response->kind]->states, entry.loss,
                              of->now.lost[r] + at, mean ? of->before.lost[r] + at : NULL);
    }
  }
  return sum;
}

static double unexplained(const struct mx_response_powers *of, enum mx_equation equation, size_t e)
{
  const struct mx_problem *problem = of->powers->problem;
  size_t k;
  const struct mx_response *response = mx_problem_poles(problem, equation, e, &k);
  if (response == NULL) return 0;
  const size_t r = (size_t)(response - problem->response), at = k * per_entry(problem, r);
  const int states = mx_responses[response->kind]->states;
  const struct mx_response_entry entry = entry_of(of, r, k);
  const double now = response_squares(of, e, states, entry.energy, of->now.stored[r] + at, NULL),
               before = response_squares(of, e, states, entry.energy, of->before.stored[r] + at, NULL);
  return (now - before) / of->powers->options.step +
         response_squares(of, e, states, entry.loss, of->now.lost[r] + at, of->before.lost[r] + at);
}

double mx_response_powers_unexplained(const struct mx_response_powers *of, size_t e)
{
  return unexplained(of, MX_AMPERE, e) + unexplained(of, MX_FARADAY, e);
}
