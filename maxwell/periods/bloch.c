/* Checks and applies Bloch phases; bloch.h. */
#include "maxwell/periods/bloch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/vec3.h"
#include "libdg/mesh/sets.h"
#include "maxwell/model/measures.h"
#include "maxwell/model/selectors.h"
#include "maxwell/model/walls.h"
#include "maxwell/periods/periods.h"

static int no_phase(const char *where, const char *what, struct dg_error *err)
{
  return dg_fail(err, DG_INPUT, MX_PLACE "%s has no form with Bloch phases (bloch) yet", MX_AT(where), what);
}

static int check_drive(const struct mx_drive *drive, const char *where, const char *what, struct dg_error *err)
{
  char text[240];
  if (drive->general == NULL) return 0;
  snprintf(text, sizeof text, "%s: a function of (x, y, z, t)", what);
  return no_phase(where, text, err);
}

static int check_walls(const struct mx_config *config, struct dg_error *err)
{
  char text[200], name[128];
  for (size_t i = 0; i < config->boundaries; i++) {
    const struct mx_boundary_config *wall = &config->boundary[i];
    const enum mx_entering entering = mx_walls[wall->kind].entering;
    mx_selector_name(&wall->where, name, sizeof name);
    snprintf(text, sizeof text, "boundaries.%s: kind \"%s\"", name, mx_boundary_kind_names[wall->kind]);
    if (entering == MX_WAVE || entering == MX_MODES || entering == MX_CIRCUIT)
      return no_phase(wall->where.where, text, err);
    if (check_drive(&wall->drive, wall->where.where, text, err) != 0) return err->code;
  }
  for (size_t i = 0; i < config->interfaces; i++) {
    const struct mx_interface_config *surface = &config->interface[i];
    mx_selector_name(&surface->where, name, sizeof name);
    snprintf(text, sizeof text, "interfaces.%s: kind \"%s\"", name, mx_interface_kind_names[surface->kind]);
    if (surface->kind == MX_TOTAL_FIELD) return no_phase(surface->where.where, text, err);
    if (check_drive(&surface->drive, surface->where.where, text, err) != 0) return err->code;
  }
  return 0;
}

static int check_output(const struct mx_config *config, struct dg_error *err)
{
  static const char *const fine[] = {"probes", "lines", "fluxes", "losses"};
  const char *here = config->bloch.where;
  char text[300];
  if (config->output.fields.every > 0) return no_phase(here, "output.fields", err);
  if (config->output.far_fields > 0) return no_phase(here, "output.far_field", err);
  if (config->output.spectra > 0) return no_phase(here, "output.spectra", err);
  for (size_t i = 0; i < config->output.measures; i++) {
    const struct mx_measure_config *measure = &config->output.measure[i];
    bool known = false;
    for (size_t k = 0; k < sizeof fine / sizeof *fine; k++) known = known || strcmp(fine[k], measure->kind->key) == 0;
    snprintf(text, sizeof text, "output.%s: '%s'", measure->kind->key, measure->name);
    if (!known) return no_phase(measure->where, text, err);
  }
  return 0;
}

int mx_bloch_check(const struct mx_config *config, struct dg_error *err)
{
  if (!config->bloch.given) return 0;
  if (!mx_periods_wanted(config))
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "bloch gives the fields a phase from period to period, and no boundary is periodic",
                   MX_AT(config->bloch.where));
  for (size_t i = 0; i < config->sources; i++) {
    char what[40];
    snprintf(what, sizeof what, "sources[%zu]", i + 1);
    if (check_drive(&config->source[i].drive, config->source[i].where.where, what, err) != 0) return err->code;
  }
  if (check_walls(config, err) != 0) return err->code;
  return check_output(config, err);
}

/* The part of k that is along no period. */
static void find_rest(const struct dg_mesh *mesh, const double k[3], double rest[3])
{
  double axis[DG_PERIODS][3];
  memcpy(rest, k, 3 * sizeof *rest);
  for (size_t i = 0; i < mesh->periods; i++) {
    memcpy(axis[i], mesh->period[i], sizeof axis[i]);
    for (size_t j = 0; j < i; j++) {
      const double along = dg_dot(axis[i], axis[j]);
      for (int d = 0; d < 3; d++) axis[i][d] -= along * axis[j][d];
    }
    dg_normalise(axis[i]);
    const double along = dg_dot(rest, axis[i]);
    for (int d = 0; d < 3; d++) rest[d] -= along * axis[i][d];
  }
}

int mx_bloch_pair(const struct mx_config *config, struct dg_mesh *mesh, struct dg_log *log, struct dg_error *err)
{
  const double *k = config->bloch.k, size = sqrt(dg_dot(k, k));
  double rest[3];
  char phases[120];
  int used = 0;
  find_rest(mesh, k, rest);
  if (sqrt(dg_dot(rest, rest)) > 1e-6 * size)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "bloch = (%g, %g, %g) rad/m has the part (%g, %g, %g), along which the mesh has no period",
                   MX_AT(config->bloch.where), k[0], k[1], k[2], rest[0], rest[1], rest[2]);
  for (size_t i = 0; i < mesh->periods; i++)
    used +=
        snprintf(phases + used, sizeof phases - (size_t)used, "%s%.6g", i > 0 ? ", " : "", dg_dot(k, mesh->period[i]));
  if (dg_mesh_make_sets(mesh, err) != 0) return err->code;
  dg_log_line(log, "bloch     k = (%.6g, %.6g, %.6g) rad/m: phases of %s rad, two sets of %zu elements", k[0], k[1],
              k[2], phases, mesh->whole.K / 2);
  return 0;
}
