/* Estimates what elements cost, so that ranks get equal work. */
#include "maxwell/setup/part_weights.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "maxwell/model/selectors.h"
#include "maxwell/time/schedule.h"

/* ---- work by kind ---- */

/* What elements take beside the pass over a plain one, in the time of that. profiling/log.md has the measurements, at
 * order 3. It compares steps: where a share s of the elements makes a step r times as long, one of them takes
 * (r - 1)/s more. */
struct costs {
  double curved[2]; /* with centred fluxes, with upwind ones */
  double layer;     /* perfectly matched; absorbers have losses only, which cost nothing */
  double state;     /* each state of a pole; a pair of poles has two */
  double gyrotropic, ferrite;
};
/* [card][does not stagger E and H]. Curved elements and layers were timed with leapfrog only. */
static const struct costs costs[2][2] = {
    /* 2026-11-25: all curved 1.9 and 2.17. 2026-11-28: layers, poles, gyrotropic media; ferrites were not timed. */
    {{.curved = {0.9, 1.2}, .layer = 1.5, .state = 0.16, .gyrotropic = 0.98, .ferrite = 0.98},
     {.curved = {0.9, 1.2}, .layer = 1.5, .state = 0.24, .gyrotropic = 0.54, .ferrite = 0.54}},
    /* 2026-11-28: 27 % curved 1.86 and 2.17; half gyrotropic 1.47 and 2.28, half a ferrite 1.40 and 1.91. 2026-11-25:
     * 20.6 % in a layer 1.42. 2026-11-26: a Drude and a Lorentz pole in a third 1.36 and 2.47. */
    {{.curved = {3.2, 4.3}, .layer = 2.0, .state = 0.36, .gyrotropic = 0.94, .ferrite = 0.80},
     {.curved = {3.2, 4.3}, .layer = 2.0, .state = 1.47, .gyrotropic = 2.56, .ferrite = 1.82}},
};

/* Is a volume a perfectly matched layer, drawn or grown? */
static bool is_layer(const struct mx_setup *setup, size_t volume)
{
  const struct mx_config *config = setup->config;
  const int grown = setup->mesh.entity[volume].layer - 1;
  if (grown >= 0) return (size_t)grown < setup->layers.count && !setup->layers.shape[grown].absorber;
  for (size_t i = 0; i < config->layers; i++)
    if (mx_selector_fit(&config->layer[i].where, &setup->mesh, volume) > 0) return !config->layer[i].absorber;
  return false;
}

static const struct mx_selector *material_selector(const struct mx_config *config, size_t i)
{
  return &config->material[i].where;
}

/* What the states of a medium cost beside the pass. */
static double cost_of_medium(const struct costs *cost, const struct mx_material_config *material)
{
  double sum = 0;
  for (int field = 0; field < 2; field++)
    for (size_t i = 0; i < material->poles[field].count; i++)
      sum += cost->state * mx_pole_config_states(&material->poles[field].pole[i]);
  return sum + (material->gyrotropic.given ? cost->gyrotropic : 0) + (material->ferrite.given ? cost->ferrite : 0);
}

int mx_kind_weights(const struct mx_setup *setup, int32_t *weight, struct dg_error *err)
{
  const struct mx_config *config = setup->config;
  const struct dg_mesh *mesh = &setup->mesh;
  const struct costs *cost = &costs[setup->ops->card->present][!mx_staggered(config->time.integrator)];
  const double curved = cost->curved[config->alpha > 0];
  double *of_volume = NULL;
  int *material = NULL;
  if (DG_NEW(of_volume, mesh->entities, err) != 0 || DG_NEW(material, mesh->entities, err) != 0 ||
      mx_choose(material, config, mesh, "materials", 3, config->materials, material_selector, err) != 0)
    goto fail;
  for (size_t i = 0; i < mesh->entities; i++) {
    if (mesh->entity[i].dim != 3) continue;
    of_volume[i] = 1 + (is_layer(setup, i) ? cost->layer : 0);
    if (material[i] >= 0) of_volume[i] += cost_of_medium(cost, &config->material[material[i]]);
  }
  for (size_t e = 0; e < mesh->K; e++) weight[e] = (int32_t)lround(MX_PLAIN_WEIGHT * of_volume[mesh->volume[e]]);
  for (size_t k = 0; k < mesh->curved; k++) weight[mesh->curve[k]] += (int32_t)lround(MX_PLAIN_WEIGHT * curved);
fail:
  dg_free(of_volume);
  dg_free(material);
  return err->code;
}

/* ---- weights of the whole mesh ---- */

int mx_part_weights(const struct mx_setup *setup, int *constraints, int32_t **weight, struct dg_error *err)
{
  const size_t K = setup->mesh.K;
  bool alike = true;
  *constraints = 0, *weight = NULL;
  if (!mx_has_fields(setup->config)) return 0;
  if (DG_NEW(*weight, K, err) != 0 || mx_kind_weights(setup, *weight, err) != 0) return err->code;
  for (size_t e = 1; e < K && alike; e++) alike = (*weight)[e] == (*weight)[0];
  if (!alike) {
    *constraints = 1;
    return 0;
  }
  dg_free(*weight);
  *weight = NULL;
  return 0;
}
