/* From the shells that a script names (`layers`) to shapes of perfectly matched layers: what the mesh shows is measured
 * there, so that nobody writes numbers twice. */
#pragma once

#include "maxwell/setup/setup.h"

/* Fills setup->layers from the mesh and the configuration; adds to it where it has layers already. Errors (DG_INPUT,
 * with file:line): a shell that is not there, that touches nothing, whose walls are not what its kind says, or whose
 * sides differ in thickness. Collective. */
int mx_drawn_layers(struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;

/* Makes room for one more layer, of no volume yet. */
int mx_layers_add(struct mx_layers *layers, const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
