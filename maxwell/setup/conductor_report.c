/* Logs the media with losses whose relaxation a step does not resolve (time/medium.h), what fits of sheets of metal are
 * worth, and the resistors of graphene. setup_build.c calls it. */
#include "maxwell/setup/conductor_report.h"

#include <math.h>
#include <stdio.h>

#include "maxwell/model/selectors.h"
#include "maxwell/terms/face_terms.h"
#include "maxwell/terms/skins.h"

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

/* ---- sheets of metal and graphene */

static void warn_of_sheet(const struct mx_scene *scene, const struct mx_metal_config *metal, const char *name,
                          const double band[2])
{
  const double poor = 0.1, pi = acos(-1), highest = mx_highest_frequency(scene->config), w = 2 * pi * band[1],
               surface = sqrt(w * MX_MU0 * metal->mu_r / metal->sigma);
  if (highest > band[1] * (1 + 1e-9))
    dg_log_warning(scene->log,
                   "'%s' is fitted up to %.4g Hz, and the sources go up to %.4g Hz: beyond the band what it "
                   "takes and passes is wrong",
                   name, band[1], highest);
  if (surface > poor * MX_ETA0)
    dg_log_warning(
        scene->log,
        "'%s' is a poor conductor at %.4g Hz, with a surface impedance of %.3g ohm: as a sheet it is right at "
        "normal incidence alone; mesh its inside",
        name, band[1], surface);
}

static void report_graphene(const struct mx_scene *scene)
{
  for (size_t i = 0; i < scene->config->interfaces; i++) {
    const struct mx_interface_config *interface = &scene->config->interface[i];
    const struct mx_graphene_config *graphene = &interface->graphene;
    char name[128];
    if (interface->kind != MX_GRAPHENE) continue;
    mx_selector_name(&interface->where, name, sizeof name);
    const double D = mx_graphene_drude(graphene->potential, graphene->temperature);
    dg_log_line(scene->log, "graphene  %s: %.4g ohm and %.4g H in series, of a square", name,
                1 / (D * graphene->relaxation), 1 / D);
  }
}

void mx_report_interfaces(const struct mx_scene *scene)
{
  const double pi = acos(-1);
  report_graphene(scene);
  for (size_t i = 0; i < scene->config->interfaces; i++) {
    const struct mx_interface_config *interface = &scene->config->interface[i];
    const struct mx_metal_config *metal = &interface->metal;
    const double mu = MX_MU0 * metal->mu_r;
    struct mx_skin skin;
    char name[128];
    double band[2];
    if (interface->kind != MX_METAL_SHEET) continue;
    mx_selector_name(&interface->where, name, sizeof name);
    mx_metal_band(scene->config, metal, band);
    const struct mx_sheet_fit fit =
        mx_sheet_fit(mu, metal->sigma, metal->thickness, 2 * pi * band[0], 2 * pi * band[1], &skin);
    const double depths = metal->thickness * sqrt(pi * band[1] * mu * metal->sigma);
    dg_log_line(
        scene->log,
        "sheet     %s: %.4g S/m, %.4g m, %.3g skin depths at the upper end; %zu resistors beside inductors follow "
        "its surface from %.4g to %.4g Hz within %.2g %%",
        name, metal->sigma, metal->thickness, depths, skin.poles, band[0], band[1], 100 * fit.surface);
    if (fit.faithful >= 2 * pi * band[1] * (1 - 1e-9))
      dg_log_line(scene->log, "sheet     %s: what passes is followed within %.2g %%", name, 100 * fit.through);
    else
      dg_log_line(
          scene->log,
          "sheet     %s: what passes is followed within 1 %% up to %.4g Hz; beyond, less than %.0e of the surface "
          "impedance is left, and what passes is wrong",
          name, fit.faithful / (2 * pi), MX_SHEET_FLOOR);
    warn_of_sheet(scene, metal, name, band);
  }
}
