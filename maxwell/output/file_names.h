/* The names of all files that a run may write into its folder (maxwell/shell/plan.h), from its set-up. */
#pragma once

#include "maxwell/setup/setup.h"
#include "maxwell/shell/plan.h"

/* Makes the plan. Release it in any case. */
int mx_output_plan(struct mx_plan *plan, const struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
