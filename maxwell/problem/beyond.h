/* Values of the elements beyond the halo, for what looks at the neighbours of elements. */
#pragma once

#include "maxwell/problem/problem.h"

/* beyond[problem->ghosts] = the value of the element behind each face of the halo, of value[problem->K], each of so
 * many bytes. A problem without a halo has none. Collective. */
int mx_values_beyond(const struct mx_problem *problem, size_t bytes, const void *value, void *beyond,
                     struct dg_error *err) DG_MUST_USE;
