/* Charges in space, and what the field does to conductors (statics.h). */
#pragma once

#include "libdg/field/elliptic.h"
#include "maxwell/statics/conductors.h"

/* density[K][Np]: C/m^3 at the nodes of the space's elements. NULL: there are no charges in space. Free it with
 * dg_free. DG_INPUT: a region that the mesh lacks, a function that fails. Not collective. */
int mx_clouds_find(double **density, const struct mx_statics_place *place, const struct dg_space *space,
                   struct dg_error *err) DG_MUST_USE;

/* Gives every conductor the force on it.
 *
 * With Maxwell's stress T = D E - 1/2 (D.E) 1, and n out of the conductor, it is the integral of T n over the surface.
 * With a function g that is 1 on the conductor and falls to 0 within the elements that touch it, that is
 *   F = - integral of (T grad g + g rho E),
 * since div T = rho E. g is linear on the vertices. The integral over the volume does not see how large E is at an
 * edge, and is the change of the discrete energy when the conductor's nodes move. Where a dielectric ends within these
 * elements, its force is in it by the value of g. phi: by the space's unknowns. Collective. */
int mx_statics_forces(struct mx_statics *statics, const struct mx_statics_place *place, const struct dg_space *space,
                      const double *phi, const double *density, struct dg_error *err) DG_MUST_USE;
