/* Doubts frequencies and samples that mesh, sources and materials do not carry. asked.h says when. */
#include "maxwell/worth/asked/asked.h"

#include <math.h>
#include <string.h>

#include "maxwell/model/selectors.h"
#include "maxwell/terms/face_terms.h"
#include "maxwell/transform/sampling.h"

/* The relative error of the wave number at a load z (mesh_worth.h), at most 1. */
static double error_at(int order, double load) { return fmin(1, pow(load / mx_load_held(order, 1), 2 * order + 2)); }

/* A name between quotes, of those who have one: three strings. */
#define QUOTED(name) (name)[0] != '\0' ? " '" : "", (name), (name)[0] != '\0' ? "'" : ""

/* Frequencies that the mesh does not hold. */
static void judge_mesh(const struct mx_asked_place *place, const char *key, const char *name,
                       const struct mx_frequencies *frequencies)
{
  const struct mx_mesh_worth *worth = place->worth;
  const double held = mx_load_held(worth->order, MX_HELD), mean = 0.01;
  double worst = 0, at = 0, highest = 0;
  size_t beyond = 0;
  for (size_t f = 0; f < frequencies->count; f++) {
    const double load = mx_mesh_load(worth, frequencies->hertz[f], NULL);
    highest = fmax(highest, frequencies->hertz[f]);
    if (!(load > held) || mx_mesh_mean_error(worth, frequencies->hertz[f]) < mean) continue;
    beyond++;
    if (load > worst) worst = load, at = frequencies->hertz[f];
  }
  if (beyond == 0) return;
  char material[128] = "default";
  int of;
  (void)mx_mesh_load(worth, at, &of);
  if (of >= 0) mx_selector_name(&place->config->material[of].where, material, sizeof material);
  mx_doubt(
      place->doubts, place->log, MX_DOUBT_MESH, key, name,
      "%s:%s%s%s asks for %zu of %zu frequencies that the mesh does not hold, which it does up to %.4g Hz: at %.4g Hz "
      "the coarsest element (material '%s') has %.2g points per wavelength, and waves are wrong by %.2g %% of a "
      "wavelength each there, by %.2g %% in the mean; make elements smaller or the order higher",
      key, QUOTED(name), beyond, frequencies->count, mx_mesh_highest(worth, held, highest), at, material,
      mx_mesh_points(worth, at, NULL), 100 * error_at(worth->order, worst), 100 * mx_mesh_mean_error(worth, at));
}

/* Frequencies at which a material is not known. */
static void judge_materials(const struct mx_asked_place *place, const char *key, const char *name,
                            const struct mx_frequencies *frequencies)
{
  for (size_t m = 0; m < place->config->materials; m++) {
    const struct mx_material_config *material = &place->config->material[m];
    const double *valid = material->valid, slack = 1e-9;
    size_t beyond = 0;
    double at = 0;
    char of[128];
    if (valid[1] == 0 || !(mx_mesh_load_in(place->worth, 1, (int)m) > 0)) continue;
    for (size_t f = 0; f < frequencies->count; f++) {
      const double hertz = frequencies->hertz[f];
      if (hertz >= valid[0] * (1 - slack) && hertz <= valid[1] * (1 + slack)) continue;
      if (beyond++ == 0) at = hertz;
    }
    if (beyond == 0) continue;
    mx_selector_name(&material->where, of, sizeof of);
    mx_doubt(place->doubts, place->log, MX_DOUBT_MATERIAL, key, name,
             "%s:%s%s%s asks for %zu of %zu frequencies, such as %.4g Hz, outside of %.4g to %.4g Hz: there material "
             "'%s' is not known to be what the script says",
             key, QUOTED(name), beyond, frequencies->count, at, valid[0], valid[1], of);
  }
}

/* Frequencies at which the skins of metal walls are not followed. */
static void judge_metals(const struct mx_asked_place *place, const char *key, const char *name,
                         const struct mx_frequencies *frequencies)
{
  const double much = 0.02, pi = acos(-1.0);
  for (size_t i = 0; i < place->config->boundaries; i++) {
    const struct mx_boundary_config *boundary = &place->config->boundary[i];
    double band[2], worst = 0, at = 0;
    char of[128];
    if (boundary->kind != MX_METAL_WALL) continue;
    mx_metal_band(place->config, &boundary->metal, band);
    for (size_t f = 0; f < frequencies->count; f++) {
      const double hertz = frequencies->hertz[f];
      if (hertz == 0 || (hertz >= band[0] && hertz <= band[1])) continue;
      const double error = mx_metal_fit_error(place->config, place->problem, i, 2 * pi * hertz, 2 * pi * hertz);
      if (error > worst) worst = error, at = hertz;
    }
    if (!(worst > much)) continue;
    mx_selector_name(&boundary->where, of, sizeof of);
    mx_doubt(
        place->doubts, place->log, MX_DOUBT_MATERIAL, key, name,
        "%s:%s%s%s asks for %.4g Hz, outside of %.4g to %.4g Hz: there the skin of the metal wall '%s' is wrong by "
        "%.2g %%, and so are its losses; give boundaries.%s a 'band' that has all frequencies",
        key, QUOTED(name), at, band[0], band[1], of, 100 * worst, of);
  }
}

static void judge_all(const struct mx_asked_place *place, const char *key, const char *name,
                      const struct mx_frequencies *frequencies)
{
  judge_mesh(place, key, name, frequencies);
  judge_materials(place, key, name, frequencies);
  judge_metals(place, key, name, frequencies);
}

/* The samples of measures: those of transforms, and those of records of one number. */
static int judge_measure(const struct mx_asked_place *place, const struct mx_measure *measure, struct dg_error *err)
{
  const struct mx_measure_config *config = measure->config;
  const struct mx_sampling_place samples = {.config = place->config,
                                            .list = &place->sources->list,
                                            .step = place->step,
                                            .steps = place->steps,
                                            .doubts = place->doubts,
                                            .log = place->log};
  char key[64];
  snprintf(key, sizeof key, "output.%s", config->kind->key);
  const struct mx_sampling_wish wish = {.key = key,
                                        .name = config->name,
                                        .where = config->where,
                                        .frequencies = &config->frequencies,
                                        .every = config->every};
  if (config->frequencies.count > 0) judge_all(place, key, config->name, &config->frequencies);
  if (config->every == 1 || measure->rows > 1) return 0;
  return mx_sampling_judge(&samples, &wish, err);
}

int mx_doubt_frequencies(const struct mx_asked_place *place, struct dg_error *err)
{
  const struct mx_config *config = place->config;
  if (config->output.s_parameters.count > 0) judge_all(place, "output.s_parameters", "", &config->output.s_parameters);
  for (size_t i = 0; i < config->output.far_fields; i++)
    judge_all(place, "output.far_field", config->output.far_field[i].name, &config->output.far_field[i].frequencies);
  for (size_t i = 0; i < config->output.spectra; i++)
    judge_all(place, "output.spectra", config->output.spectrum[i].name, &config->output.spectrum[i].frequencies);
  for (size_t i = 0; i < place->measures->count; i++)
    if (judge_measure(place, &place->measures->measure[i], err) != 0) return err->code;
  return 0;
}
