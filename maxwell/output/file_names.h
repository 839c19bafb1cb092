/* The names of all files that a run may write into its folder (maxwell/shell/plan.h), from its scene. */
#pragma once

#include "maxwell/scene/scene.h"
#include "maxwell/shell/plan.h"

/* Makes the plan, all but the files of heat (mx_heat_plan). Release it in any case. */
int mx_output_plan(struct mx_plan *plan, const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;
