/* The largest stable time step, from the discrete operator itself.
 *
 * Leapfrog. Write the semi-discrete system as eps M dE/dt = C H - D_E E, mu M dH/dt = -C^T E - D_H H with D_E, D_H
 * symmetric and not negative. A mode of the scheme that neither grows nor decays has amplification z = -1 (or is
 * undamped, and then the limit is at z = -1 as well), and at z = -1 the scheme reads S x = (2/dt) x with the
 * symmetric S = [[D_E, C], [C^T, D_H]], where open faces count twice (their penalty is extrapolated in time) and
 * conductivity not at all (it is taken at the mean). So the scheme is stable exactly for dt < 2 / lambda_max(S), and
 * Lanczos iteration gives lambda_max. share/doc/design/time.md has the proof.
 *
 * Runge-Kutta. Arnoldi iteration gives the outer eigenvalues of the operator, and the limit is the largest dt that
 * keeps all of them inside the region of stability.
 *
 * The mode that limits the step is local: it lives where elements are smallest, or where bad ones touch each other. On
 * large meshes the iteration therefore runs on the elements with the largest local rates and their neighbours, and on
 * clusters of elements in which fields grow fastest; that costs little and is tested against the whole operator.
 */
#pragma once

#include "maxwell/levels/levels.h"
#include "maxwell/problem/problem.h"
#include "maxwell/time/integrator.h"

/* The limit and its error. Ritz values of a symmetric matrix lie inside its spectrum, so that leapfrog's limit is never
 * too small. It is too large by the relative residual at most, since an eigenvalue lies within that distance. `error`
 * is at least the residual at which a search stops, 0.3 % for leapfrog and 1.5 % for Runge-Kutta; a search that gave up
 * has a larger one. `error` does not count modes outside of the parts that are examined of a large mesh. */
struct mx_stability {
  double limit;     /* of c0 dt, metres */
  double error;     /* relative error of the limit: the search vouches for (1 - error) limit and below */
  size_t elements;  /* elements of the region on which the operator was examined */
  size_t clustered; /* elements of the clusters; some may be in both */
  int applications; /* of the operator */
};

/* Finds the largest stable step. It examines at most about max_unknowns unknowns, and half as many in clusters; 0 means
 * the default. Euler has no useful limit: DG_INPUT. If ranks share the problem, rank 0 examines the part that decides,
 * while the others wait. The result does not depend on the number of ranks. */
int mx_stability_limit(struct mx_stability *result, const struct mx_problem *problem, enum mx_integrator integrator,
                       size_t max_unknowns, struct dg_error *err) DG_MUST_USE;

/* The limit of leapfrog with local time steps whose filter is that of `step`: the filter holds for this step alone, and
 * the scheme is stable if `step` is below the limit. It is not monotone in the step. Of a problem with more than
 * max_unknowns (0: the default) it examines parts, where elements are fastest and at the borders of cores. Collective;
 * rank 0 examines, and the result does not depend on the number of ranks. */
int mx_levels_limit(struct mx_stability *result, const struct mx_problem *problem, const struct mx_levels *levels,
                    double step, size_t max_unknowns, struct dg_error *err) DG_MUST_USE;
