/* The weights of fluxes as backends keep them: a table of those that differ, and each face's place in it. */
#pragma once

#include "maxwell/problem/problem.h"

/* Makes the table of the different weights of the problem's faces, the most frequent one first, and each face's place
 * in it. Free *table. */
int mx_distinct_fluxes(const struct mx_problem *problem, int32_t (*index)[4], struct mx_face_flux **table,
                       size_t *count, struct dg_error *err) DG_MUST_USE;
