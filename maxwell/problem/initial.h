/* The fields at t = 0. */
#pragma once

#include "libdg/mesh/mesh.h"
#include "libdg/ref/reference.h"
#include "maxwell/model/config.h"

/* Gives E and H of config->initial at the nodes of the mesh's elements: [K][3][Np], H times eta0, both in V/m. Free
 * them with dg_free. A field that config->initial does not give is NULL. Errors: those of the functions. */
int mx_initial_fields(const struct mx_config *config, const struct dg_mesh *mesh, const struct dg_reference *ref,
                      double **E, double **H, struct dg_error *err) DG_MUST_USE;
