/* Checks and logs perfectly matched layers, once the problem is built. */
#pragma once

#include "maxwell/scene/scene.h"

/* Refuses a balance of energy, which does not know what a layer takes up. What may not be in a layer is in
 * maxwell/touch. */
int mx_check_layers(const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;

/* Logs each layer: thickness, elements, memory of its states, and the reflection that is foretold, by angle; and
 * what comes back where a guide ends in a layer or an absorbing wall, with a warning where that is much. Collective. */
int mx_report_layers(const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;
