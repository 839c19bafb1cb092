/* What the log says of responses (maxwell/response/response.h). */
#pragma once

#include "maxwell/setup/setup.h"

/* Says which materials have a response, whether the scheme slows it down, and warns of absorbing walls that touch it:
 * they absorb with the impedance of epsilon_r alone. Collective. */
int mx_report_responses(const struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
