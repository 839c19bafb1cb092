/* The faces of a body with a flux or convection. */
#pragma once

#include "libdg/field/space.h"
#include "maxwell/heat/heat_body.h"

struct mx_heat_faces {
  size_t count;
  int32_t *face;  /* [count] 4 e + f of the body */
  double *matrix; /* [count][Nf][Nf] integral of products of the face's basis, m^2 */
};

/* DG_ENVIRONMENT: no memory. Release in any case. */
int mx_heat_faces_init(struct mx_heat_faces *faces, const struct dg_space *space, const struct mx_heat_config *heat,
                       const struct mx_heat_body *body, struct dg_error *err) DG_MUST_USE;
void mx_heat_faces_release(struct mx_heat_faces *faces);
