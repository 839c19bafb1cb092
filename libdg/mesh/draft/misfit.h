/* How far a bent mesh is from the geometry: the volumes and areas of its maps beside those of maps of order 4 that
 * follow everywhere (dg_curves_refine). A map that folds counts with the sign of its determinant, so that what lies
 * between curved faces is right even then: the sum of the elements' integrals depends on the faces alone. */
#pragma once

#include "libdg/mesh/draft/bent.h"
#include "libdg/mesh/draft/curves.h"

/* The relative error. */
double dg_misfit_error(const struct dg_misfit *misfit);
/* Fills the misfits of `bent`, whose other members are those of the curves. */
int dg_misfit_find(const struct dg_curves *curves, struct dg_bent *bent, struct dg_error *err) DG_MUST_USE;
