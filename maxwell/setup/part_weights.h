/* What the work of an element weighs when the mesh is divided among ranks. setup_mesh.c calls it. */
#pragma once

#include "maxwell/setup/setup.h"

/* The weight of the work in a pass over a plain element: straight, without states. */
enum { MX_PLAIN_WEIGHT = 100 };

/* weight[K of setup->mesh]: the work in a step of all elements, by what the element is: curved, in a layer, of a medium
 * with states. They are estimates for the backend and the integrator of the run. Needs mesh, backend and, where layers
 * grow, their shapes. */
int mx_kind_weights(const struct mx_setup *setup, int32_t *weight, struct dg_error *err) DG_MUST_USE;

/* The weights by which METIS divides the whole mesh (dg_mesh_partition), of which this rank has all: the work by kind,
 * and behind it that of each level of local time steps which the run is foretold to have, so that each is shared out
 * evenly. *weight is NULL, and *constraints 0, where all elements weigh the same. Release it by dg_free. Not
 * collective. */
int mx_part_weights(const struct mx_setup *setup, int *constraints, int32_t **weight, struct dg_error *err) DG_MUST_USE;
