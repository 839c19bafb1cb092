/* Compares what a script asks for with what mesh, samples, sources, materials and records carry: the questions that
 * doubts (maxwell/worth/doubts.h) answer. The set-up asks before a run, the output at its end. */
#pragma once

#include "libdg/mesh/mesh.h"
#include "maxwell/far/far_field.h"
#include "maxwell/measure/measure_record.h"
#include "maxwell/model/config.h"
#include "maxwell/phasor/phasors.h"
#include "maxwell/sources/sources.h"
#include "maxwell/worth/doubts.h"
#include "maxwell/worth/mesh_worth.h"

/* All borrowed. */
struct mx_asked_place {
  const struct mx_config *config;
  const struct mx_problem *problem;
  const struct dg_mesh *mesh;
  const struct mx_mesh_worth *worth;
  const struct mx_sources *sources; /* prepared */
  const struct mx_measures *measures;
  double step; /* s */
  long steps;
  struct mx_doubts *doubts;
  struct dg_log *log; /* rank 0's; NULL is silent */
};

/* ---- before a run */

/* Doubts frequencies that are asked for where the mesh does not hold their waves, or where a material or the skin of a
 * metal wall is not known, and samples of measures that are too rare for the pulse. Call it once sources are prepared
 * and the step is known (frequencies.c). Not collective: all ranks find the same. */
int mx_doubt_frequencies(const struct mx_asked_place *place, struct dg_error *err) DG_MUST_USE;
/* Doubts initial fields of the script that the elements do not hold between the nodes. Of a large mesh some elements
 * are looked at (initial_fields.c). Collective. */
int mx_doubt_initial(const struct mx_asked_place *place, struct dg_error *err) DG_MUST_USE;
/* Doubts probes in elements beside a dipole or a wire, whose field no polynomial follows. Collective. */
int mx_doubt_near_sources(const struct mx_asked_place *place, struct dg_error *err) DG_MUST_USE;

/* ---- at its end */

/* Doubts transforms whose records end while they still ring: of measures with frequencies, far fields and spectra. A
 * source that goes on for ever has no end to judge. Collective. */
int mx_doubt_ends(const struct mx_asked_place *place, const struct mx_far_fields *far, const struct mx_phasors *phasors,
                  const struct mx_records *records, struct dg_error *err) DG_MUST_USE;
