/* Guides with ports made of boxes, driven as the time loop does. Include after box.h and drive.h. */
#pragma once

#include "maxwell/sources/sources.h"
#include "maxwell/limit/stability.h"

struct guide {
  struct box box;
  struct mx_script *script;         /* or NULL */
  const struct mx_backend_ops *ops; /* NULL: the cpu's */
  struct mx_sources sources;
  enum mx_integrator integrator;
  double step; /* s */
  long steps;
  struct drive drive;
  double *amplitude; /* of the functionals */
};

static inline struct mx_port_config *guide_port(struct box *box, int surface, enum mx_boundary_kind kind)
{
  box_boundary(box, surface, kind, 0);
  struct mx_port_config *port = &box->boundary[box->config.boundaries - 1].port;
  *port =
      (struct mx_port_config){.mode = {MX_TE, 1, 0}, .amplitude = 1, .waveform = {.kind = MX_GAUSSIAN, .amplitude = 1}};
  return port;
}

/* After the mesh and the boundaries: T seconds at `cfl` of the limit, or guide->steps steps if that is not 0. */
static inline void guide_start(struct guide *guide, int order, enum mx_integrator integrator, double cfl, double T)
{
  struct dg_error err = {0};
  struct mx_stability stability;
  struct box *box = &guide->box;
  guide->integrator = box->config.time.integrator = integrator;
  box_problem(box, order, 1);
  if (mx_sources_init(&guide->sources, &box->problem, &box->assignment, &box->config, &box->mesh, &err) != 0 ||
      mx_stability_limit(&stability, &box->problem, integrator, 0, &err) != 0)
    fail_msg("%s", err.message);
  guide->step = cfl * stability.limit / MX_C0;
  if (guide->steps == 0) {
    guide->steps = (long)ceil(T / guide->step);
    guide->step = T / (double)guide->steps;
  }
  if (mx_sources_prepare(&guide->sources, guide->step, guide->steps, &err) != 0) fail_msg("%s", err.message);
  guide->amplitude = calloc(guide->sources.ports.functionals, sizeof(double));
}

/* From fields E, H at t = 0 (NULL: zero) to the end; `look` is called for every step whose ports are known, may be
 * NULL.
 */
static inline void guide_run(struct guide *guide, const double *E, const double *H,
                             void (*look)(struct guide *, long n, void *), void *context)
{
  struct dg_error err = {0};
  const struct mx_scheme *scheme = &mx_schemes[guide->integrator];
  struct mx_ports *ports = &guide->sources.ports;
  guide->drive = drive_new(guide->ops != NULL ? guide->ops : &mx_backend_cpu, &guide->box, guide->integrator, MX_DOUBLE,
                           guide->step * MX_C0, E, H);
  for (long n = 0; n <= guide->steps; n++)
    for (int s = 0; s < scheme->stages; s++) {
      const struct mx_stage_sources *now;
      if (guide->drive.ops->functionals(guide->drive.backend, ports->first, ports->functionals, false, guide->amplitude,
                                        &err) != 0)
        fail_msg("%s", err.message);
      mx_ports_record(ports, n, s, guide->amplitude);
      if (mx_sources_evaluate(&guide->sources, n, s, guide->step, &now, &err) != 0) fail_msg("%s", err.message);
      if (s == scheme->observe_stage && look != NULL) look(guide, n, context);
      if (s == scheme->observe_stage && n == guide->steps) break;
      if (guide->drive.ops->stage_begin(guide->drive.backend, s, true, now, &err) != 0 ||
          guide->drive.ops->stage_end(guide->drive.backend, s, &err) != 0)
        fail_msg("%s", err.message);
    }
}

static inline void guide_release(struct guide *guide)
{
  if (guide->drive.backend != NULL) guide->drive.ops->destroy(guide->drive.backend);
  free(guide->amplitude);
  mx_sources_release(&guide->sources);
  box_release(&guide->box);
  *guide = (struct guide){0};
}
