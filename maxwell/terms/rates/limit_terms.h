/* States of terms in the search for the largest step (maxwell/limit/vectors.h): the part of a kind's row
 * (maxwell/terms/terms.h) that has numbers in its vectors. Leapfrog's limit depends on films alone: all other states
 * are passive terms, which vanish at z = -1. */
#pragma once

#include "maxwell/operator/operator.h"
#include "maxwell/problem/problem.h"
#include "maxwell/terms/terms.h"
#include "maxwell/time/integrator.h"

struct mx_limit_part {
  const struct mx_problem *problem;
  const struct mx_matrices_double *matrices;
  bool staggered;
  size_t numbers; /* in a vector */
  void *own;      /* of the kind; NULL: it has none */
};

struct mx_limit_row {
  bool of_faces; /* it acts before the losses of media, else after them */
  int (*create)(struct mx_limit_part *part, struct dg_error *err);
  void (*destroy)(struct mx_limit_part *part);
  /* y = the rates of the states x, and adds to the rates of the fields: {E, H}. */
  void (*rate)(const struct mx_limit_part *part, const double *const field[2], const double *x, double *y,
               double *const rate[2]);
  /* The same of leapfrog, without losses, as a part of the symmetric operator S (stability.h). density[3 Np curves]: of
   * E in curved elements, which it adds to as well; NULL: there are none. Or NULL. */
  void (*symmetric)(const struct mx_limit_part *part, const double *const field[2], const double *x, double *y,
                    double *E, double *density);
  /* y = M x, the product with the weights of their energy. */
  void (*weigh)(const struct mx_limit_part *part, const double *x, double *y);
};

struct mx_limit_terms {
  struct mx_limit_part part[MX_TERMS];
  size_t numbers; /* of all kinds, one after the other */
};

/* Release in any case. problem and matrices are borrowed. */
int mx_limit_terms_init(struct mx_limit_terms *terms, const struct mx_problem *problem,
                        const struct mx_matrices_double *matrices, enum mx_integrator integrator,
                        struct dg_error *err) DG_MUST_USE;
void mx_limit_terms_release(struct mx_limit_terms *terms);

/* Walks over the kinds that act on faces, or on elements; x and y are the states. */
void mx_limit_terms_rate(const struct mx_limit_terms *terms, bool of_faces, const double *const field[2],
                         const double *x, double *y, double *const rate[2]);
void mx_limit_terms_symmetric(const struct mx_limit_terms *terms, const double *const field[2], const double *x,
                              double *y, double *E, double *density);
void mx_limit_terms_weigh(const struct mx_limit_terms *terms, const double *x, double *y);

/* y = factor times the mass matrix of the reference element times x, for three components. */
void mx_limit_multiply(const struct dg_reference *ref, double factor, const double *x, double *y);
