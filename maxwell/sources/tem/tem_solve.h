/* Potentials on a plane's cells, with given values on its bodies. tem_mode.c calls it. */
#pragma once

#include "libdg/plane/plane_space.h"

struct mx_tem_solver {
  struct dg_plane_space space;
  double *value[2];    /* matrices with epsilon_r and 1/mu_r */
  double *diagonal[2]; /* of them */
  double *product, *zero;
  bool *held;
  bool same; /* one medium: both potentials are the same */
};

/* epsilon[triangles], inverse_mu[triangles]. Release in any case. */
int mx_tem_solver_init(struct mx_tem_solver *solver, const struct dg_plane *plane, int order, size_t bodies,
                       const double *epsilon, const double *inverse_mu, struct dg_error *err) DG_MUST_USE;
void mx_tem_solver_release(struct mx_tem_solver *solver);
/* phi[space.count] of matrix `which` (0: epsilon_r, 1: 1/mu_r) with the values of the bodies. DG_INPUT: the iteration
 * stops short. */
int mx_tem_solve(struct mx_tem_solver *solver, int which, const double *potential, double *phi,
                 struct dg_error *err) DG_MUST_USE;
/* psi^T A phi */
double mx_tem_product(struct mx_tem_solver *solver, int which, const double *psi, const double *phi);
