/* The elements that decide the time step. The step limit (stability.c) and the report of slow elements
 * (slow_elements.c) call it. */
#pragma once

#include <stdbool.h>

#include "maxwell/problem/problem.h"

/* Gives rate[K] of elements taken alone: wave speed over size; with `losses` also the rate of the losses. */
void mx_local_rates(const struct mx_problem *whole, bool losses, double *rate);
/* Replaces each rate by the root of the sum of squares over the element and its neighbours, since a mode may live in
 * several elements, none of which is among the fastest. Collective. */
int mx_neighbourhood_rates(const struct mx_problem *whole, double *rate, struct dg_error *err) DG_MUST_USE;

/* Cuts out the part of a problem with the highest rates. MX_PART_REGION: half of `elements` are the fastest ones, the
 * others their neighbours, layer by layer. MX_PART_CLUSTERS: as many of the fastest as have room with two whole layers
 * of neighbours, and then more layers. The part is the whole problem if that has no more elements. If ranks share the
 * problem, the part has the same elements in the same order, all on rank 0; the call is then collective, and `part` is
 * empty on other ranks. */
enum mx_part { MX_PART_REGION, MX_PART_CLUSTERS };
int mx_local_part(struct mx_problem *part, const struct mx_problem *whole, size_t elements, enum mx_part kind,
                  const double *rate, struct dg_error *err) DG_MUST_USE;
