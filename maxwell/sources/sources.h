/* Everything that drives the fields: which elements and faces, and the values at every time.
 *
 * A source of the configuration becomes one or more terms of the problem (mx_term). Waveforms are evaluated here in C.
 * A waveform that is a function is tabulated before the run, at an eighth of a step. Profiles are evaluated once. Only
 * a general function of (x, y, z, t) is called in the time loop, once an evaluation for all its points. Where the
 * machine has a second processor, a thread of its own calls the function while the backend works on the stage before.
 */
#pragma once

#include "libdg/mesh/mesh.h"
#include "maxwell/backend/backend.h"
#include "maxwell/sources/port.h"
#include "maxwell/sources/source_list.h"
#include "maxwell/sources/sources_ahead.h"

struct mx_sources {
  struct mx_source_list list; /* one source for each of the problem's terms */
  enum mx_integrator integrator;
  struct mx_schedule schedule;
  const double **curl, **penalty; /* [list.count] values that the backend is given */
  struct mx_stage_sources stage;
  struct mx_ports ports;
  bool general;           /* some source is a function of (x, y, z, t) and has points here */
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
/* Tabulates waveforms that are functions, up to the end of the run, once the step is known (s). */
int mx_sources_prepare(struct mx_sources *sources, double step, long steps, struct dg_error *err) DG_MUST_USE;
/* Evaluates the sources for stage s of step n. *result is NULL without sources; otherwise it is valid until the next
 * call. The ports must have recorded the stage (mx_ports_record). */
int mx_sources_evaluate(struct mx_sources *sources, long n, int s, double step, const struct mx_stage_sources **result,
                        struct dg_error *err) DG_MUST_USE;
/* Evaluates only the ports' values, for output at the end of a run. */
void mx_sources_evaluate_ports(struct mx_sources *sources, long n, int s, double step);
/* Evaluates the stage before stage 0 of step n, for a run that goes on. The ports must have their history
 * (mx_ports_archive). */
int mx_sources_resume(struct mx_sources *sources, long n, double step, struct dg_error *err) DG_MUST_USE;
/* Goes back to t = 0, before a second run. */
void mx_sources_reset(struct mx_sources *sources);
/* Waits until functions are free for others to call. */
void mx_sources_pause(struct mx_sources *sources);
/* Seconds that the thread of general sources has worked. */
double mx_sources_seconds_ahead(struct mx_sources *sources);
void mx_sources_release(struct mx_sources *sources);

int mx_sources_build(struct mx_sources *sources, const struct mx_assignment *assignment, const struct mx_config *config,
                     const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;
