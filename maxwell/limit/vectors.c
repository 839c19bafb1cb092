/* The operators and the inner product of vectors.h. */
#include "maxwell/limit/vectors.h"

#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"

/* Numbers of the densities of one field. */
static size_t densities_of(const struct mx_limit *work)
{
  return 3 * (size_t)work->problem->ref->Np * work->problem->curves.count;
}

void mx_limit_release(struct mx_limit *work)
{
  for (int i = 0; i < 2; i++) dg_free(work->ghosted[i]);
  dg_exchange_free(work->exchange);
  mx_limit_terms_release(&work->terms);
  mx_matrices_free_double(work->matrices);
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

int mx_limit_start(struct mx_limit *work, const struct mx_problem *problem, enum mx_integrator integrator,
                   struct dg_error *err)
{
  *work = (struct mx_limit){.problem = problem, .n = 3 * (size_t)problem->ref->Np * problem->K};
  if (mx_matrices_new_double(&work->matrices, problem, err) != 0 || new_ghosts(work, err) != 0 ||
      mx_limit_terms_init(&work->terms, problem, work->matrices, integrator, err) != 0)
    return err->code;
  work->all = 2 * work->n + work->terms.numbers;
  work->whole = work->all + (mx_staggered(integrator) ? 2 * densities_of(work) : 0);
  return 0;
}

void mx_limit_find_densities(const struct mx_limit *work, double *x)
{
  const struct mx_problem *problem = work->problem;
  const struct mx_curve_tables *curves = mx_matrices_curves_double(work->matrices);
  const size_t numbers = 3 * (size_t)problem->ref->Np;
  memset(x + 2 * work->n, 0, work->terms.numbers * sizeof *x);
  for (size_t field = 0; field < 2 && work->whole > work->all; field++)
    for (size_t k = 0; k < curves->count; k++) {
      double u[3 * DG_NP_MAX];
      mx_curve_covariant(curves, k, x + field * work->n + numbers * (size_t)problem->curves.where[k], u);
      mx_curve_unweigh(curves, k, u, x + work->all + field * densities_of(work) + numbers * k);
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
  mx_limit_terms_symmetric(&work->terms, field, x + 2 * work->n, y + 2 * work->n, y, density ? of_E : NULL);
  work->applications++;
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
  mx_limit_terms_rate(&work->terms, true, field, x + 2 * work->n, y + 2 * work->n, rate);
  for (size_t i = 0; i < 2 * work->n; i++) {
    const bool of_H = i >= work->n;
    const size_t e = (of_H ? i - work->n : i) / per_element;
    const struct mx_medium medium = mx_medium_of(work->problem, of_H ? MX_FARADAY : MX_AMPERE, e);
    y[i] -= medium.loss / medium.storage * x[i];
  }
  mx_limit_terms_rate(&work->terms, false, field, x + 2 * work->n, y + 2 * work->n, rate);
  work->applications++;
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
      mx_limit_multiply(problem->ref, storage * mx_curve_sign(curves, k),
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
#pragma omp parallel for collapse(2) schedule(static)
  for (size_t field = 0; field < 2; field++)
    for (size_t e = 0; e < problem->K; e++) {
      const double factor = problem->jacobian[e] * (field == 0 ? problem->epsilon[e] : problem->mu[e]);
      const size_t at = field * work->n + numbers * e;
      mx_limit_multiply(problem->ref, factor, x + at, y + at);
      if (problem->tensor[e] > 0) turn(mx_tensor_of(problem, e)->shape[field], (size_t)problem->ref->Np, y + at);
    }
  if (work->whole > work->all) curved_mass(work, x, y);
  mx_limit_terms_weigh(&work->terms, x + 2 * work->n, y + 2 * work->n);
}
