/* How well the mesh resolves waves. check.c calls it. */
#pragma once

#include "maxwell/scene/scene.h"

/* Logs the band in which the waveforms have their energy, and for each material the points per wavelength there, on its
 * coarsest element. Collective. */
int mx_report_resolution(const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;
