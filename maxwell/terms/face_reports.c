/* What walls with a state, films and sheets of metal are, and what their fits are worth: lines of the log, for
 * setup_build.c. face_reports.h says which. */
#include "maxwell/terms/face_reports.h"

#include <math.h>

#include "maxwell/model/media/skin_fit.h"
#include "maxwell/model/selectors.h"
#include "maxwell/terms/face_terms.h"
#include "maxwell/terms/skins.h"

/* Metal walls: what their fit is worth, and what is most likely not meant. */
static void report_metals(const struct mx_problem *problem, const struct mx_config *config, struct dg_log *log)
{
  const double much = 0.01, poor = 0.1, pi = acos(-1), highest = mx_highest_frequency(config);
  for (size_t i = 0; i < config->boundaries; i++) {
    const struct mx_boundary_config *boundary = &config->boundary[i];
    const struct mx_metal_config *metal = &boundary->metal;
    char name[128];
    double band[2];
    if (boundary->kind != MX_METAL_WALL) continue;
    mx_selector_name(&boundary->where, name, sizeof name);
    mx_metal_band(config, metal, band);
    const double mu = MX_MU0 * metal->mu_r, rough = mx_metal_rough(mu, metal->sigma, metal->roughness),
                 error = mx_metal_fit_error(config, problem, i, 2 * pi * band[0], 2 * pi * band[1]),
                 more = 1 + 2 / pi * atan(2 * pi * band[1] / rough);
    double Z[2];
    mx_metal_impedance(mu, metal->sigma, metal->roughness, 2 * pi * band[1], Z);
    dg_log_line(log,
                "metal     %s: %.4g S/m, %zu resistors beside inductors follow its skin from %.4g to %.4g Hz within "
                "%.2g %%; %.3g ohm at the upper end",
                name, metal->sigma, problem->metal[i].poles, band[0], band[1], 100 * error, Z[0]);
    if (metal->roughness > 0)
      dg_log_line(log, "metal     %s: its roughness of %.3g m multiplies losses by %.3f at the upper end", name,
                  metal->roughness, more);
    if (error > much)
      dg_log_warning(log, "the skin of '%s' is followed within %.2g %% only: a narrower band is better", name,
                     100 * error);
    if (highest > band[1] * (1 + 1e-9))
      dg_log_warning(log,
                     "'%s' is fitted up to %.4g Hz, and the sources go up to %.4g Hz: beyond the band its "
                     "losses are wrong",
                     name, band[1], highest);
    if (sqrt(2) * Z[0] > poor * MX_ETA0)
      dg_log_warning(log,
                     "'%s' is a poor conductor at %.4g Hz, with a surface impedance of %.3g ohm: as a wall "
                     "it is right at normal incidence alone; mesh its inside",
                     name, band[1], sqrt(2) * Z[0]);
  }
}

static void warn_of_sheet(const struct mx_config *config, struct dg_log *log, const struct mx_metal_config *metal,
                          const char *name, const double band[2])
{
  const double poor = 0.1, pi = acos(-1), highest = mx_highest_frequency(config), w = 2 * pi * band[1],
               surface = sqrt(w * MX_MU0 * metal->mu_r / metal->sigma);
  if (highest > band[1] * (1 + 1e-9))
    dg_log_warning(log,
                   "'%s' is fitted up to %.4g Hz, and the sources go up to %.4g Hz: beyond the band what it "
                   "takes and passes is wrong",
                   name, band[1], highest);
  if (surface > poor * MX_ETA0)
    dg_log_warning(
        log,
        "'%s' is a poor conductor at %.4g Hz, with a surface impedance of %.3g ohm: as a sheet it is right at "
        "normal incidence alone; mesh its inside",
        name, band[1], surface);
}

static void report_graphene(const struct mx_config *config, struct dg_log *log)
{
  for (size_t i = 0; i < config->interfaces; i++) {
    const struct mx_interface_config *interface = &config->interface[i];
    const struct mx_graphene_config *graphene = &interface->graphene;
    char name[128];
    if (interface->kind != MX_GRAPHENE) continue;
    mx_selector_name(&interface->where, name, sizeof name);
    const double D = mx_graphene_drude(graphene->potential, graphene->temperature);
    dg_log_line(log, "graphene  %s: %.4g ohm and %.4g H in series, of a square", name, 1 / (D * graphene->relaxation),
                1 / D);
  }
}

static void report_sheets(const struct mx_config *config, struct dg_log *log)
{
  const double pi = acos(-1);
  for (size_t i = 0; i < config->interfaces; i++) {
    const struct mx_interface_config *interface = &config->interface[i];
    const struct mx_metal_config *metal = &interface->metal;
    const double mu = MX_MU0 * metal->mu_r;
    struct mx_skin skin;
    char name[128];
    double band[2];
    if (interface->kind != MX_METAL_SHEET) continue;
    mx_selector_name(&interface->where, name, sizeof name);
    mx_metal_band(config, metal, band);
    const struct mx_sheet_fit fit =
        mx_sheet_fit(mu, metal->sigma, metal->thickness, 2 * pi * band[0], 2 * pi * band[1], &skin);
    const double depths = metal->thickness * sqrt(pi * band[1] * mu * metal->sigma);
    dg_log_line(
        log,
        "sheet     %s: %.4g S/m, %.4g m, %.3g skin depths at the upper end; %zu resistors beside inductors follow "
        "its surface from %.4g to %.4g Hz within %.2g %%",
        name, metal->sigma, metal->thickness, depths, skin.poles, band[0], band[1], 100 * fit.surface);
    if (fit.faithful >= 2 * pi * band[1] * (1 - 1e-9))
      dg_log_line(log, "sheet     %s: what passes is followed within %.2g %%", name, 100 * fit.through);
    else
      dg_log_line(
          log,
          "sheet     %s: what passes is followed within 1 %% up to %.4g Hz; beyond, less than %.0e of the surface "
          "impedance is left, and what passes is wrong",
          name, fit.faithful / (2 * pi), MX_SHEET_FLOOR);
    warn_of_sheet(config, log, metal, name, band);
  }
}

void mx_report_face_terms(const struct mx_problem *problem, const struct mx_config *config, struct dg_log *log)
{
  report_metals(problem, config, log);
  report_graphene(config, log);
  report_sheets(config, log);
}
