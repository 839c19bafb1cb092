/* Warnings before a run begins of what it would do badly; `run` and `check` give the same ones. setup_build.c calls it.
 */
#pragma once

#include "maxwell/model/waveform_energy.h"
#include "maxwell/scene/scene.h"

/* Warns of sources that are zero in the run or begin suddenly, and of sources whose energy lies at frequencies that the
 * mesh resolves badly. DG_INPUT where most of the energy lies above the Nyquist frequency of the step. Call it once the
 * sources are prepared. Collective. */
int mx_suspect(const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;
/* Finds when the waveform of a source is taken, over all ranks. Collective. */
int mx_source_use(const struct mx_scene *scene, const struct mx_source *source, struct mx_waveform_use *use,
                  struct dg_error *err) DG_MUST_USE;
