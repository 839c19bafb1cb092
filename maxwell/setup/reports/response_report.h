/* The report of responses (maxwell/response/response.h). setup_build.c calls it. */
#pragma once

#include "maxwell/scene/scene.h"

/* Logs which materials have a response and whether the scheme slows it down. Warns of absorbing walls that touch such a
 * material, since they absorb with the impedance of epsilon_r alone, and of a response that is too slow to answer
 * within the run. Collective. */
int mx_report_responses(const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;
