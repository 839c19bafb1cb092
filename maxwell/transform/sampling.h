/* How often a running transform takes samples: as rarely as the spectra of the sources allow. */
#pragma once

#include "libdg/base/log.h"
#include "maxwell/model/config.h"
#include "maxwell/sources/source_list.h"
#include "maxwell/transform/running.h"
#include "maxwell/worth/doubts.h"

struct mx_sampling_place {
  const struct mx_config *config;
  const struct mx_source_list *list; /* of prepared sources */
  double step;                       /* s */
  long steps;
  struct mx_doubts *doubts;
  struct dg_log *log; /* rank 0's; NULL is silent */
};

/* What is to be transformed: "output.far_field", its name and place in the script for messages. */
struct mx_sampling_wish {
  const char *key, *name, *where;
  const struct mx_frequencies *frequencies;
  long every; /* steps between samples; 0: as the sources allow */
};

/* Chooses the steps between samples: by the waveforms as they are, wherever the run ends, so that a run with a later
 * end takes the same samples. (The table of a waveform that is a function ends with the run: see mx_sampling_archive.)
 * DG_INPUT: the samples cannot tell a frequency that is wanted. Warnings tell of
 * frequencies that no source has, and of those that other frequencies are taken for. */
int mx_sampling_choose(long *every, const struct mx_sampling_place *place, const struct mx_sampling_wish *wish,
                       struct dg_error *err) DG_MUST_USE;

/* Passes the steps between samples to the archive as NAME/every. A restart goes on with those of the checkpoint: sums
 * cannot be of two kinds of samples. */
int mx_sampling_archive(long *every, struct mx_running *running, double step, const char *name,
                        struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* Doubts samples that a script has chosen, a sample every wish->every steps: where the pulse has, at frequencies that
 * such samples cannot tell from one that is asked for, more than a hundredth of what it has there; without frequencies,
 * where a tenth of its energy lies above the highest that samples tell. */
int mx_sampling_judge(const struct mx_sampling_place *place, const struct mx_sampling_wish *wish,
                      struct dg_error *err) DG_MUST_USE;
