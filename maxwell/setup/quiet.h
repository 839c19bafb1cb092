/* When a run's sources have ended. setup_build.c calls it once the sources are prepared. */
#pragma once

#include "maxwell/scene/scene.h"

/* Finds when the sources have ended. Functions of (x, y, z, t) never end, as far as anybody knows. Collective. */
int mx_find_quiet(struct mx_quiet *quiet, const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;
