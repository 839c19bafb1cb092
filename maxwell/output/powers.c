/* Powers of fields on the host. */
#include "maxwell/output/powers.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"

int mx_powers_init(struct mx_powers *powers, const struct mx_problem *problem, const struct mx_backend_options *options,
                   struct dg_error *err)
{
  const size_t element = 3 * (size_t)problem->ref->Np, face = 6 * (size_t)problem->ref->Nf;
  *powers = (struct mx_powers){.problem = problem,
                               .options = *options,
                               .own = element * problem->K,
                               .all = element * (problem->K + problem->ghosts)};
  if (mx_matrices_new_double(&powers->matrices, problem->ref, err) != 0) return err->code;
  if (problem->halo == NULL) return 0;
  return dg_exchange_new(&powers->exchange, problem->comm, problem->halo->peers, problem->halo->peer,
                         face * sizeof(double), err);
}

void mx_powers_release(struct mx_powers *powers)
{
  dg_exchange_free(powers->exchange);
  dg_free(powers->matrices);
  *powers = (struct mx_powers){0};
}

int mx_powers_ghosts(const struct mx_powers *powers, double *E, double *H, struct dg_error *err)
{
  return powers->exchange != NULL ? mx_fill_ghosts_double(powers->problem, powers->exchange, E, H, err) : 0;
}

/* Integral of u.v over element e: u and v are its [3][Np]. */
static double product(const struct mx_problem *problem, size_t e, const double *u, const double *v)
{
  const size_t Np = (size_t)problem->ref->Np;
  double sum = 0;
  for (size_t c = 0; c < 3; c++)
    for (size_t i = 0; i < Np; i++) {
      double row = 0;
      for (size_t j = 0; j < Np; j++) row += problem->ref->mass[i * Np + j] * v[c * Np + j];
      sum += u[c * Np + i] * row;
    }
  return problem->jacobian[e] * sum;
}

/* The integral over a face of u_t . (u - u of the far side)_t, u_t being tangential. */
static double jump_product(const struct mx_problem *problem, size_t e, size_t f, const double *field)
{
  const struct dg_reference *ref = problem->ref;
  const size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf;
  const int32_t code = problem->neighbour[e][f];
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
    for (size_t c = 0; c < 3; c++) u[m][c] -= n[c] * across[0], jump[m][c] -= n[c] * across[1];
  }
  for (size_t i = 0; i < Nf; i++)
    for (size_t j = 0; j < Nf; j++)
      sum += ref->face_mass[i * Nf + j] * (u[i][0] * jump[j][0] + u[i][1] * jump[j][1] + u[i][2] * jump[j][2]);
  return problem->face_scale[e][f] * problem->jacobian[e] * sum;
}

void mx_powers_penalty(const struct mx_powers *powers, enum mx_equation equation, const double *field, double *closed,
                       double *open)
{
  const struct mx_problem *problem = powers->problem;
  double sum[2] = {0, 0};
  for (size_t e = 0; e < problem->K; e++)
    for (size_t f = 0; f < 4; f++) {
      const struct mx_face_flux *flux = &problem->flux[e][f];
      const double penalty = equation == MX_AMPERE ? flux->e_penalty : flux->h_penalty;
      if (penalty != 0)
        sum[mx_open_slot(problem->neighbour[e][f]) >= 0] += penalty * jump_product(problem, e, f, field);
    }
  *closed = sum[0];
  *open = sum[1];
}

void mx_powers_rate(const struct mx_powers *powers, enum mx_equation equation, const double *own, const double *other,
                    double *rate)
{
  const struct mx_penalty whole = {.inner = 1, .open = 1};
  mx_rate_double(powers->problem, powers->matrices, equation, whole, own, other, NULL, rate);
}

double mx_powers_loss(const struct mx_powers *powers, enum mx_equation equation, const double *field)
{
  const struct mx_problem *problem = powers->problem;
  double sum = 0;
  for (size_t e = 0; e < problem->K; e++) {
    const double *u = field + 3 * (size_t)problem->ref->Np * e, loss = mx_medium_of(problem, equation, e).loss;
    if (loss > 0) sum += loss * product(problem, e, u, u);
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
    sum += mx_medium_of(problem, equation, e).storage * product(problem, e, field + at, rate + at);
  }
  return sum;
}

int mx_powers_unexplained(const struct mx_powers *powers, const double *E, const double *H, const double *E_middle,
                          const double *H_middle, const double *driven_E, const double *driven_H, size_t *element,
                          double *power, struct dg_error *err)
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
      if (medium.loss > 0) sum += medium.loss * product(problem, e, middle[i] + at, middle[i] + at);
      for (size_t k = 0; k < per_element; k++) change[k] = 2 * (end[i][at + k] - middle[i][at + k]);
      sum += inertia / powers->options.step * product(problem, e, middle[i] + at, change);
      sum -= weight * product(problem, e, middle[i] + at, rate[i] + at);
      if (driven[i] != NULL) sum -= weight * product(problem, e, middle[i] + at, driven[i] + at);
    }
    if (!(fabs(sum) <= *power)) *power = fabs(sum), *element = e;
  }
fail:
  dg_free(rate[0]);
  dg_free(rate[1]);
  dg_free(change);
  return err->code;
}
