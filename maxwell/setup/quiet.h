/* When a run's sources have ended. setup_build.c calls it once the sources are prepared. */
#pragma once

#include "maxwell/setup/setup.h"

/* Fills setup->quiet. Functions of (x, y, z, t) never end, as far as anybody knows. Collective. */
int mx_find_quiet(struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
