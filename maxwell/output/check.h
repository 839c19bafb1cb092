/* `curlew check`; main.c calls it. */
#pragma once

#include "maxwell/setup/setup.h"

/* Reports what a run would take and how well it would resolve a wave. It writes nothing. Collective. */
int mx_check(const struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
