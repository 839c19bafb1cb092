/* The elements that decide the time step (private to maxwell/time). */
#pragma once

#include <stdbool.h>

#include "maxwell/problem/problem.h"

/* rate[K] of elements taken alone: wave speed over size, plus that of the losses with `losses`. */
void mx_local_rates(const struct mx_problem *whole, bool losses, double *rate);
/* The root of the sum of their squares over each element and its neighbours, in their place: a mode may live in several
 * elements, none of which is among the fastest. Collective. */
int mx_neighbourhood_rates(const struct mx_problem *whole, double *rate, struct dg_error *err) DG_MUST_USE;

/* The part of a problem with the highest rates. MX_PART_REGION: half of `elements` are those, the others their
 * neighbours, layer by layer. MX_PART_CLUSTERS: as many of those as have room with two whole layers of neighbours, and
 * then more of these. All of it if it has no more. Of a problem that ranks share, the same elements in the same order,
 * all on rank 0; collective then, and the others' `part` is empty. */
enum mx_part { MX_PART_REGION, MX_PART_CLUSTERS };
int mx_local_part(struct mx_problem *part, const struct mx_problem *whole, size_t elements, enum mx_part kind,
                  const double *rate, struct dg_error *err) DG_MUST_USE;
