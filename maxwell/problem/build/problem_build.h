/* Makes the tables of a problem (problem.h) from what the user wrote: the material of each element, and the condition
 * behind each face. Setup and tests call it; backends see only the tables. */
#pragma once

#include "libdg/geometry/geometry.h"
#include "libdg/mesh/mesh.h"
#include "maxwell/model/config.h"
#include "maxwell/problem/assignment.h"
#include "maxwell/problem/layer_shape.h"
#include "maxwell/problem/problem.h"

/* Finds every element's material and every boundary face's condition, evaluates them and builds the tables. Errors
 * (DG_INPUT, with file:line): a group or tag that the mesh does not have, a volume without a material, a boundary
 * condition on faces inside the domain, a material function that fails or returns a value out of range. Collective over
 * `ranks`, which outlive the problem; NULL: the mesh is whole. */
int mx_problem_init(struct mx_problem *problem, struct mx_assignment *assignment, const struct mx_config *config,
                    const struct dg_mesh *mesh, const struct dg_geometry *geometry, const struct dg_reference *ref,
                    const struct mx_ranks *ranks, struct dg_error *err) DG_MUST_USE;
/* The same with the temperature of each element, at which materials that change with it are (media/warm.h; NULL: none
 * does), and with perfectly matched layers (may be NULL). Their elements are on one side of each of the layer's walls,
 * and have no response of their medium; those are further errors. Faces inside a layer and those to its inside have the
 * upwind flux whatever the configuration says. */
int mx_problem_init_layered(struct mx_problem *problem, struct mx_assignment *assignment,
                            const struct mx_config *config, const struct dg_mesh *mesh,
                            const struct dg_geometry *geometry, const struct dg_reference *ref,
                            const double *temperature, const struct mx_layers *layers, const struct mx_ranks *ranks,
                            struct dg_error *err) DG_MUST_USE;
