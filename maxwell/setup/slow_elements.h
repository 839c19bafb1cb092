/* The pace of a run: the elements whose own limits of the step are smallest, and how long the run will take.
 * setup_build.c calls it. With local time steps it says what each level takes of the work. */
#pragma once

#include "maxwell/scene/scene.h"

/* Finds the median of rate[K] over all ranks, to a part in a thousand of their range, and the largest. Collective. */
int mx_median_rate(const struct mx_problem *problem, const double *rate, double *median, double *most,
                   struct dg_error *err) DG_MUST_USE;
/* Logs the smallest limit of an element against the median, and the five elements that have the smallest (place,
 * size, quality, group, material, step). A mesh that came as one and has elements 4 times slower than the median is a
 * warning; where Curlew had it made, curlew-mesh has said so. Collective. */
int mx_report_pace(const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;
/* Logs about how long the steps will take on this machine, from a few steps of a part of the problem (some 0.1 s).
 * Sources and output come on top. Nothing is said with a card. Collective. */
int mx_report_seconds(const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;
