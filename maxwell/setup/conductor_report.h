/* Conductors that relax faster than a step. */
#pragma once

#include "maxwell/setup/setup.h"

/* Says which conductors relax faster than a step, and what that means. Collective. */
int mx_report_conductors(const struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
