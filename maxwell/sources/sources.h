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
#include "maxwell/sources/source_list.h"
#include "maxwell/sources/sources_ahead.h"

struct mx_sources {
  struct mx_source_list list; /* one for each of the problem's terms */
  enum mx_integrator integrator;
  const double **curl, **penalty; /* [list.count] what the backend is given */
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

int mx_sources_build(struct mx_sources *sources, const struct mx_assignment *assignment, const struct mx_config *config,
                     const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
