/* The elements that decide the time step (private to maxwell/time). */
#pragma once

#include <stdbool.h>

#include "maxwell/problem.h"

/* The part of a problem with the highest local rates: half of `elements` are those with the largest wave speed over
 * size (plus sigma / epsilon with `losses`), the others their neighbours, layer by layer. All of it if it has no more.
 * Of a problem that ranks share, the same elements in the same order, all on rank 0; collective then, and the others'
 * `part` is empty. */
int mx_local_part(struct mx_problem *part, const struct mx_problem *whole, size_t elements, bool losses,
                  struct dg_error *err) DG_MUST_USE;
