/* Logs the media with losses whose relaxation a step does not resolve (time/medium.h). setup_build.c calls
 * it. */
#include "maxwell/setup/reports/conductor_report.h"

#include <math.h>
#include <stdio.h>

#include "maxwell/model/selectors.h"

/* The largest values over all ranks, for the field that an equation changes. */
struct lossy {
  double loss;  /* relaxation rate times step */
  double raise; /* inertia over storage */
  /* The product of the other field's storage, loss and (distance of nodes)^2, in metres: times pi and over c0 it is one
   * over a frequency. */
  double skin;
};

static struct lossy look(const struct mx_scene *scene, size_t material, enum mx_equation equation)
{
  const struct mx_problem *problem = scene->problem;
  const enum mx_equation other = equation == MX_AMPERE ? MX_FARADAY : MX_AMPERE;
  struct lossy most = {0, 1, 0};
  for (size_t e = 0; e < problem->K; e++) {
    const struct mx_medium medium = mx_medium_of(problem, equation, e);
    if (scene->assignment->material[e] != (int)material || !(medium.loss > 0)) continue;
    const double *scale = problem->face_scale[e];
    const double height = 1 / fmax(fmax(scale[0], scale[1]), fmax(scale[2], scale[3]));
    const double nodes = height / problem->ref->order, step = scene->step * MX_C0;
    const struct mx_medium_update update = mx_medium_update(scene->config->time.integrator, equation, medium, step);
    most.loss = fmax(most.loss, medium.loss * step / medium.storage);
    most.raise = fmax(most.raise, update.inertia / medium.storage);
    most.skin = fmax(most.skin, mx_medium_of(problem, other, e).storage * medium.loss * nodes * nodes);
  }
  return most;
}

static int report(const struct mx_scene *scene, size_t material, enum mx_equation equation, struct dg_error *err)
{
  static const char *const who[2] = {"conductor", "magnetic losses of"}, *const field[2] = {"E", "H"},
                           *const storage[2] = {"epsilon", "mu"};
  const enum mx_integrator integrator = scene->config->time.integrator;
  char name[128], raised[80] = "";
  const struct lossy most = look(scene, material, equation);
  double value[3] = {most.loss, most.raise, most.skin};
  if (dg_comm_reduce(scene->comm, DG_MAX, 3, value, err) != 0) return err->code;
  if (mx_step_resolves(integrator, (struct mx_medium){1, value[0]}, 1)) return 0;
  mx_selector_name(&scene->config->material[material].where, name, sizeof name);
  if (!mx_staggered(integrator))
    snprintf(raised, sizeof raised, ", and %s counts as %.3g times as large", storage[equation], value[1]);
  dg_log_line(scene->log,
              "%s %s: %s relaxes in %.3g s, %.3g times faster than a step, which it does not limit%s; its skin "
              "is thicker than the distance of nodes below %.3g Hz",
              who[equation], name, field[equation], scene->step / value[0], value[0], raised,
              MX_C0 / (3.14159265358979323846 * value[2]));
  return 0;
}

int mx_report_conductors(const struct mx_scene *scene, struct dg_error *err)
{
  for (size_t m = 0; m < scene->config->materials; m++)
    if (report(scene, m, MX_AMPERE, err) != 0 || report(scene, m, MX_FARADAY, err) != 0) return err->code;
  return 0;
}
