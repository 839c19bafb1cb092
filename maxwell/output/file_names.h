/* The names of all files that a run may write into its folder (maxwell/shell/plan.h), from what it is set up for. */
#pragma once

#include "maxwell/setup/setup.h"
#include "maxwell/shell/plan.h"

/* Release the plan in any case. */
int mx_output_plan(struct mx_plan *plan, const struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
