/* The assignment of the script's materials and boundaries to elements and faces, for messages, checks and output. */
#pragma once

#include <stddef.h>

#include "maxwell/model/config.h"
#include "maxwell/problem/problem.h"

struct mx_assignment {
  int *material;            /* [K] index into config.material */
  int (*boundary)[4];       /* [K] index into config.boundary, MX_DEFAULT_PEC, MX_NOT_BOUNDARY or MX_SHEET */
  int *layer;               /* [K] index of a perfectly matched layer (layer_shape.h), or -1 */
  int *absorber;            /* [K] index of a layer that is an absorber, or -1 */
  int *interface;           /* [entities of the mesh] index into config.interface, or -1 */
  size_t default_pec_faces; /* boundary faces without a key, of all ranks */
};
enum { MX_SHEET = -3, MX_NOT_BOUNDARY = -2, MX_DEFAULT_PEC = -1 }; /* MX_SHEET: a conducting sheet inside */

void mx_assignment_release(struct mx_assignment *assignment);

/* Gives materials that change with the temperature their values at temperature[K], and marks their elements. DG_INPUT:
 * those of mx_warm_values; there is no temperature. */
int mx_assign_warm(struct mx_problem *problem, const struct mx_assignment *assignment, const struct mx_config *config,
                   const double *temperature, struct dg_error *err) DG_MUST_USE;
/* Refuses what a medium with a tensor, a gyrotropic one, or one that changes with the temperature does not do yet, near
 * the place where it would have to: curved elements, layers, and walls that take their impedance from the medium. */
int mx_refuse_media(const struct mx_problem *problem, const struct mx_assignment *assignment,
                    const struct mx_config *config, const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
/* The sheet of metal on face f of element e, its place in mx_problem.metal; -1: there is none. */
ptrdiff_t mx_metal_between(const struct mx_assignment *assignment, const struct mx_config *config,
                           const struct dg_mesh *mesh, size_t e, int f);
