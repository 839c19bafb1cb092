/* Perfectly matched layers and absorbers of a problem: from shapes to entries of responses (maxwell/response/layer.h)
 * and losses (absorber.h). Part of the build of a problem (problem_build.h). */
#pragma once

#include "libdg/mesh/mesh.h"
#include "maxwell/problem/assignment.h"
#include "maxwell/problem/layer_shape.h"
#include "maxwell/problem/problem.h"

/* Fills assignment->layer and assignment->absorber, adds the responses of all layers (NULL: there are none) and the
 * losses of absorbers, once the media are known. Errors
 * (DG_INPUT): an element that a wall of the layer cuts, that is in no part of the layer or deeper than its thickness,
 * or, in a perfectly matched layer, that has a response already. Collective. */
int mx_assign_layers(struct mx_problem *problem, struct mx_assignment *assignment, const struct mx_layers *layers,
                     const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
