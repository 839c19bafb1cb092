/* Walks over the kinds of terms that have states in the search for the largest step: limit_terms.h. */
#include "maxwell/terms/rates/limit_terms.h"

int mx_limit_terms_init(struct mx_limit_terms *terms, const struct mx_problem *problem,
                        const struct mx_matrices_double *matrices, enum mx_integrator integrator, struct dg_error *err)
{
  *terms = (struct mx_limit_terms){0};
  for (int i = 0; i < MX_TERMS; i++) {
    if (mx_term_rows[i].limit == NULL) continue;
    terms->part[i] =
        (struct mx_limit_part){.problem = problem, .matrices = matrices, .staggered = mx_staggered(integrator)};
    if (mx_term_rows[i].limit->create(&terms->part[i], err) != 0) return err->code;
    terms->numbers += terms->part[i].numbers;
  }
  return 0;
}

void mx_limit_terms_release(struct mx_limit_terms *terms)
{
  for (int i = 0; i < MX_TERMS; i++)
    if (terms->part[i].own != NULL) mx_term_rows[i].limit->destroy(&terms->part[i]);
}

void mx_limit_terms_rate(const struct mx_limit_terms *terms, bool of_faces, const double *const field[2],
                         const double *x, double *y, double *const rate[2])
{
  for (size_t i = 0, at = 0; i < MX_TERMS; at += terms->part[i++].numbers)
    if (terms->part[i].own != NULL && mx_term_rows[i].limit->of_faces == of_faces)
      mx_term_rows[i].limit->rate(&terms->part[i], field, x + at, y + at, rate);
}

void mx_limit_terms_symmetric(const struct mx_limit_terms *terms, const double *const field[2], const double *x,
                              double *y, double *E, double *density)
{
  for (size_t i = 0, at = 0; i < MX_TERMS; at += terms->part[i++].numbers)
    if (terms->part[i].own != NULL && mx_term_rows[i].limit->symmetric != NULL)
      mx_term_rows[i].limit->symmetric(&terms->part[i], field, x + at, y + at, E, density);
}

void mx_limit_terms_weigh(const struct mx_limit_terms *terms, const double *x, double *y)
{
  for (size_t i = 0, at = 0; i < MX_TERMS; at += terms->part[i++].numbers)
    if (terms->part[i].own != NULL) mx_term_rows[i].limit->weigh(&terms->part[i], x + at, y + at);
}

void mx_limit_multiply(const struct dg_reference *ref, double factor, const double *x, double *y)
{
  const size_t Np = (size_t)ref->Np;
  for (size_t at = 0; at < 3 * Np; at += Np) {
    for (size_t i = 0; i < Np; i++) y[at + i] = 0;
    for (size_t j = 0; j < Np; j++) /* the mass matrix is symmetric: rows serve as columns */
      for (size_t i = 0; i < Np; i++) y[at + i] += factor * ref->mass[j * Np + i] * x[at + j];
  }
}
