/* The resonances of a run, `output.resonances`: records of measures are kept from the moment when the sources have
 * ended, thinned (thinning.h), and inverted at the end (inversion.h). What several records have in common becomes one
 * list, with doubts (judge.h).
 *
 * The set-up checks with mx_resonances_init what can be checked before a run. In a run rank 0 alone keeps records; they
 * are part of checkpoints. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "libdg/base/log.h"
#include "maxwell/measure/measure.h"
#include "maxwell/resonance/judge.h"
#include "maxwell/resonance/thinning.h"
#include "maxwell/shell/folder.h"

/* When a run's sources have ended. */
struct mx_quiet {
  double ended;     /* s: no source has more than a thousandth of its largest value any more; infinite: never */
  double silent;    /* s: a millionth, and a wave has crossed the mesh since; 0 without sources */
  const char *what; /* the source that lasts longest, for messages; NULL: there is none */
};

/* One column of a measure's table. */
struct mx_resonance_trace {
  size_t measure, column;
  char label[240];   /* "centre.Ez" */
  long every, first; /* steps between samples, and the first one's */
  struct mx_thinning thinning;
};

struct mx_resonance_set {
  const struct mx_resonance_config *config; /* borrowed */
  double begin;                             /* s: where records begin */
  size_t traces;
  struct mx_resonance_trace *trace; /* [traces] */
  size_t found;
  struct mx_resonance *resonance; /* [found], known at the end */
};

struct mx_resonances {
  double step; /* s */
  long steps;  /* of the run */
  struct mx_grid_loss grid_loss;
  size_t sets;
  struct mx_resonance_set *set; /* [sets], in the script's order */
};

/* The schedule of a run as far as resonances go. */
struct mx_resonance_scene {
  const struct mx_config *config;
  const struct mx_measures *measures;
  const struct mx_quiet *quiet;
  struct mx_grid_loss grid_loss;
  double step; /* s */
  long steps;
  struct dg_log *log; /* for warnings; NULL is silent */
};

/* Finds the records. DG_INPUT, with file:line and numbers: a name that no measure has or several have, a measure that
 * is not linear in the fields or has many points, a component that is none, a band beyond what the samples tell, a
 * source that never ends and no `after`, a record that is too short or never begins. DG_ENVIRONMENT: no libharminv.
 * Release with mx_resonances_release in any case. Not collective; all ranks find the same. */
int mx_resonances_init(struct mx_resonances *resonances, const struct mx_resonance_scene *scene,
                       struct dg_error *err) DG_MUST_USE;
void mx_resonances_release(struct mx_resonances *resonances);
/* The time (s) at which the latest record begins, and the time at which every record has ten periods of its lowest
 * frequency. Both are 0 without sets. */
double mx_resonances_begin(const struct mx_resonances *resonances);
double mx_resonances_enough(const struct mx_resonances *resonances);

/* Takes value[values] of a measure at a step; rank 0 calls it in the order of steps. */
void mx_resonances_take(struct mx_resonances *resonances, size_t measure, long step, const double *value);
int mx_resonances_archive(struct mx_resonances *resonances, struct mx_archive *archive,
                          struct dg_error *err) DG_MUST_USE;
/* Inverts what was recorded, logs the resonances and writes resonances.csv. Rank 0 calls it, once. */
int mx_resonances_finish(struct mx_resonances *resonances, const struct mx_folder *folder, struct dg_log *log,
                         struct dg_error *err) DG_MUST_USE;
/* Writes the list of what was found, for summary.json: [{...}, ...]. */
void mx_resonances_write_json(const struct mx_resonances *resonances, FILE *file);
