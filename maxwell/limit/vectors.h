/* Vectors of the search for the step limit: what is in them, the operators that act on them, and the inner product of
 * the energy. stability.c iterates with them.
 *
 * A vector holds E [K][3][Np] and then H [K][3][Np]. The states of terms follow that decide about the step
 * (maxwell/terms/rates/limit_terms.h).
 *
 * Behind all that stand, in leapfrog, the densities of curved elements, of E [curves.count][3][Np] and then of H, from
 * which their fields come by weighing (maxwell/problem/curved.h). The energy of a field is its product with its
 * density, so that an inner product costs no inversion: an operator gives both, and sums of vectors are sums of both.
 * Runge-Kutta's search may use any inner product; there a curved element takes that of the straight one. */
#pragma once

#include "maxwell/operator/operator.h"
#include "maxwell/problem/problem.h"
#include "maxwell/terms/rates/limit_terms.h"
#include "maxwell/time/integrator.h"
#include "maxwell/time/responses.h"

struct mx_limit {
  const struct mx_problem *problem;
  struct mx_matrices_double *matrices;
  struct dg_exchange *exchange; /* of a problem with Bloch phases; NULL: there is nothing to exchange */
  double *ghosted[2];           /* then E and H with their ghosts, [K + ghosts][3][Np] */
  size_t n;                     /* numbers in one field */
  size_t all;                   /* numbers in a vector but for the densities */
  size_t whole;                 /* numbers in a vector */
  struct mx_limit_terms terms;  /* states of terms */
  int applications;
  double error; /* relative error of the limit that was found */
};

/* Prepares for a problem whose responses are as the scheme follows them. Release in any case. */
int mx_limit_start(struct mx_limit *work, const struct mx_problem *problem, enum mx_integrator integrator,
                   struct dg_error *err) DG_MUST_USE;
void mx_limit_release(struct mx_limit *work);

/* Fills the densities of x from its fields, and sets its states to zero: both sides of a face have the same. */
void mx_limit_find_densities(const struct mx_limit *work, double *x);
/* y = S x, with S of stability.h. */
void mx_limit_symmetric(struct mx_limit *work, const double *x, double *y);
/* The right-hand side of the system with its losses. */
void mx_limit_rate(struct mx_limit *work, const double *x, double *y);
/* y[all] = the mass matrix of the energy norm times x. */
void mx_limit_mass(const struct mx_limit *work, const double *x, double *y);
