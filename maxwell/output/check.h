/* `curlew check`. */
#pragma once

#include "maxwell/setup/setup.h"

/* Says what a run would take and how well it would resolve a wave; writes nothing. Collective. */
int mx_check(const struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
