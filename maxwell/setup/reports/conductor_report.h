/* The report of conductors that relax faster than a step. setup_build.c calls it. */
#pragma once

#include "maxwell/scene/scene.h"

/* Logs the conductors that relax faster than a step, and the consequences. Collective. */
int mx_report_conductors(const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;
