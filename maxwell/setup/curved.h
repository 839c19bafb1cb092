/* Curved elements of a run: what the log says of them, and what does not take them. */
#pragma once

#include "maxwell/setup/setup.h"

/* Logs how many elements are curved, and refuses what does not take them. Call it when the mesh is there and layers are
 * chosen. Collective. */
int mx_check_curved(struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
