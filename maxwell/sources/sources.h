/* Everything that drives the fields: which elements and faces, and the values at every time.
 *
 * A source of the configuration becomes one or more terms of the problem (mx_term). Waveforms are evaluated here in C;
 * profiles are evaluated once; only a general function of (x, y, z, t) is called in the time loop, once an
 * evaluation, for all its points, in a thread of its own while the backend works on the stage before, where the machine
 * has a second processor. A waveform that is a function is tabulated before the run, at an eighth of a step.
 */
#pragma once

#include "libdg/mesh/mesh.h"
#include "maxwell/backend/backend.h"
#include "maxwell/sources/port.h"
#include "maxwell/sources/sources_ahead.h"

/* How one term changes in time. */
struct mx_source {
  const char *what;                   /* "sources[1].current", for messages; owned by mx_sources */
  struct mx_waveform waveform;        /* of terms with numbers */
  double delay;                       /* s */
  double *lag;                        /* [points] s, of terms with a number a node: the waveform is taken at t - lag */
  const struct mx_function *function; /* general: of (x, y, z, t), else NULL */
  bool port;                          /* one number, which mx_ports_evaluate gives */
  bool driven;                        /* a port's: it has a waveform */
  double factor;                      /* from the function's unit to the solver's */
  double (*x)[3];                     /* general: [points] metres */
  double *sheet; /* surface currents in general form: [points][3] own normal, the jump is -K x n; else NULL */
  size_t points;
  double *now, *before;             /* values of the last evaluation and of the one before it */
  double *next;                     /* general: of the evaluation to come */
  double *called;                   /* general: [points][3] what the function gave */
  double *table_time, *table_value; /* of a tabulated waveform */
};

struct mx_sources {
  struct mx_problem *problem;
  enum mx_integrator integrator;
  size_t count, room;
  struct mx_source *source;       /* [count] = the problem's terms */
  const double **curl, **penalty; /* [count] what the backend is given */
  struct mx_stage_sources stage;
  struct mx_ports ports;
  bool general;           /* some source has points here and is a function of (x, y, z, t) */
  struct mx_ahead *ahead; /* evaluates general sources of the next stage; NULL: they are evaluated in line */
  long steps;
};

/* Adds the sources of the configuration to the problem as terms. Collective: all ranks get the same terms, each with
 * its own elements and faces. Release with mx_sources_release, before the problem. Errors (DG_INPUT): a region, surface
 * or group that the mesh does not have, a sheet on the outer boundary, a surface of total and scattered field that does
 * not bound its region or lies between two media, a plane wave through different media.
 */
int mx_sources_init(struct mx_sources *sources, struct mx_problem *problem, const struct mx_assignment *assignment,
                    const struct mx_config *config, const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
/* Once the step is known (s): tabulates waveforms that are functions, up to the end of the run. */
int mx_sources_prepare(struct mx_sources *sources, double step, long steps, struct dg_error *err) DG_MUST_USE;
/* Values for stage s of step n; *result is NULL without sources, else valid until the next call. Ports have recorded
 * the stage (mx_ports_record). */
int mx_sources_evaluate(struct mx_sources *sources, long n, int s, double step, const struct mx_stage_sources **result,
                        struct dg_error *err) DG_MUST_USE;
/* Only the ports' values, for output at the end of a run. */
void mx_sources_evaluate_ports(struct mx_sources *sources, long n, int s, double step);
/* Before stage 0 of step n of a run that goes on: what the stage before it was driven by. The ports have their history
 * (mx_ports_archive). */
int mx_sources_resume(struct mx_sources *sources, long n, double step, struct dg_error *err) DG_MUST_USE;
/* Before a second run from t = 0. */
void mx_sources_reset(struct mx_sources *sources);
/* Until functions are free for others to call. */
void mx_sources_pause(struct mx_sources *sources);
/* Seconds that general sources took in their own thread. */
double mx_sources_seconds_ahead(struct mx_sources *sources);
void mx_sources_release(struct mx_sources *sources);

/* Used by sources_build.c: a new term and its source, both zeroed but for what the arguments say. */
struct mx_new_term {
  enum mx_term_kind kind;
  enum mx_term_values values;
  size_t count;
  const char *what;
};
int mx_sources_add(struct mx_sources *sources, const struct mx_new_term *wanted, struct mx_term **term,
                   struct mx_source **source, struct dg_error *err) DG_MUST_USE;
/* Collective: the medium of all the elements of faces, all ranks' together, which must be one and without losses. */
struct mx_surface_faces {
  size_t count;           /* this rank's */
  const int32_t *where;   /* [count] 4 * element + face */
  const char *place;      /* as mx_selector.where */
  const char *what, *who; /* "boundaries.left", "a plane wave" */
};
int mx_common_medium(const struct mx_problem *problem, const struct dg_mesh *mesh, const struct mx_surface_faces *faces,
                     double *epsilon, double *mu, struct dg_error *err) DG_MUST_USE;
int mx_sources_build(struct mx_sources *sources, const struct mx_assignment *assignment, const struct mx_config *config,
                     const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
