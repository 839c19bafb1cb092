/* Estimates what elements cost, so that ranks get equal work. */
#include "maxwell/setup/part_weights.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "maxwell/levels/work.h"
#include "maxwell/model/selectors.h"
#include "maxwell/setup/local_steps.h"
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

static const struct costs *cost_of(const struct mx_setup *setup)
{
  return &costs[setup->ops->card->present][!mx_staggered(setup->config->time.integrator)];
}

enum layer { NO_LAYER, ABSORBER, MATCHED };

/* The layer that a volume is, drawn or grown. */
static enum layer layer_of(const struct mx_setup *setup, size_t volume)
{
  const struct mx_config *config = setup->config;
  const struct dg_entity *entity = &setup->mesh.entity[volume];
  const size_t grown = (size_t)entity->layer - 1;
  if (entity->dim != 3) return NO_LAYER;
  if (entity->layer > 0)
    return grown < setup->layers.count && !setup->layers.shape[grown].absorber ? MATCHED : ABSORBER;
  for (size_t i = 0; i < config->layers; i++)
    if (mx_selector_fit(&config->layer[i].where, &setup->mesh, volume) > 0)
      return config->layer[i].absorber ? ABSORBER : MATCHED;
  return NO_LAYER;
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
  const struct costs *cost = cost_of(setup);
  const double curved = cost->curved[config->alpha > 0];
  double *of_volume = NULL;
  int *material = NULL;
  if (DG_NEW(of_volume, mesh->entities, err) != 0 || DG_NEW(material, mesh->entities, err) != 0 ||
      mx_choose(material, config, mesh, "materials", 3, config->materials, material_selector, err) != 0)
    goto fail;
  for (size_t i = 0; i < mesh->entities; i++) {
    if (mesh->entity[i].dim != 3) continue;
    of_volume[i] = 1 + (layer_of(setup, i) == MATCHED ? cost->layer : 0);
    if (material[i] >= 0) of_volume[i] += cost_of_medium(cost, &config->material[material[i]]);
  }
  for (size_t e = 0; e < mesh->K; e++) weight[e] = (int32_t)lround(MX_PLAIN_WEIGHT * of_volume[mesh->volume[e]]);
  for (size_t k = 0; k < mesh->curved; k++) weight[mesh->curve[k]] += (int32_t)lround(MX_PLAIN_WEIGHT * curved);
fail:
  dg_free(of_volume);
  dg_free(material);
  return err->code;
}

/* ---- work by level ---- */

/* Work in a step on an element of the core and of the rim, for one pass over a plain element; of all levels that filter
 * anything (maxwell/levels/work.h). */
struct rungs {
  int count, constraint[MX_LEVELS_MAX]; /* 0: what is only copied has no constraint of its own */
  double core[MX_LEVELS_MAX], rim[MX_LEVELS_MAX];
};

static struct rungs weigh_rungs(const struct mx_level_plan *plan)
{
  struct rungs rungs = {.count = plan->count};
  double times = MX_PLAIN_WEIGHT / 2.0; /* a step of the whole has two passes */
  int constraints = 1;
  for (int i = 0; i < plan->count; i++) {
    const int m = plan->rung[i].m;
    const bool rests = m == 1 && i + 1 == plan->count;
    const double rim = rests ? 0 : times * mx_filter_cost(m, 0, 1, 0);
    rungs.rim[i] = rim;
    rungs.core[i] = rests ? 0 : rim + times * mx_filter_cost(m, 1, 0, 0);
    rungs.constraint[i] = m > 1 ? constraints++ : 0;
    times *= m;
  }
  return rungs;
}

/* Puts the weights of levels beside those by kind, [K]: weight[K][constraints]. */
static int add_levels(const struct mx_setup *setup, const struct mx_level_plan *plan,
                      const struct mx_level_steps *steps, const int32_t *kind, int *constraints, int32_t **weight,
                      struct dg_error *err)
{
  static const double most = 1e8;
  const struct dg_mesh *mesh = &setup->mesh;
  const struct rungs rungs = weigh_rungs(plan);
  const double curved = 1 + cost_of(setup)->curved[setup->config->alpha > 0];
  size_t all = 1, next = 0;
  for (int i = 0; i < rungs.count; i++) all += rungs.constraint[i] > 0;
  if (DG_NEW(*weight, mesh->K * all, err) != 0) return err->code;
  for (size_t e = 0; e < mesh->K; e++) {
    int32_t *here = *weight + e * all;
    const bool bent = next < mesh->curved && (size_t)mesh->curve[next] == e;
    next += bent;
    here[0] = kind[e];
    for (int i = 0; i < rungs.count; i++) {
      const double bound = plan->rung[i].bound;
      const double passes = steps->core[e] < bound ? rungs.core[i] : steps->part[e] < bound ? rungs.rim[i] : 0;
      here[rungs.constraint[i]] += (int32_t)lround(fmin(most, passes * (bent ? curved : 1)));
    }
  }
  *constraints = (int)all;
  return 0;
}

/* ---- weights of the whole mesh ---- */

static int find_layers(const struct mx_setup *setup, bool **layer, struct dg_error *err)
{
  if (DG_NEW(*layer, setup->mesh.entities, err) != 0) return err->code;
  for (size_t v = 0; v < setup->mesh.entities; v++) (*layer)[v] = layer_of(setup, v) != NO_LAYER;
  return 0;
}

int mx_part_weights(const struct mx_setup *setup, int *constraints, int32_t **weight, struct dg_error *err)
{
  const size_t K = setup->mesh.K;
  struct mx_level_steps steps = {0};
  struct mx_level_plan plan = {0};
  int32_t *kind = NULL;
  bool *layer = NULL, alike = true;
  *constraints = 0, *weight = NULL;
  if (!mx_has_fields(setup->config)) return 0;
  if (DG_NEW(kind, K, err) != 0 || mx_kind_weights(setup, kind, err) != 0 || find_layers(setup, &layer, err) != 0 ||
      mx_setup_foretell_levels(setup, layer, &steps, &plan, err) != 0)
    goto fail;
  for (size_t e = 1; e < K && alike; e++) alike = kind[e] == kind[0];
  if (!alike || plan.count > 0) (void)!add_levels(setup, &plan, &steps, kind, constraints, weight, err);
fail:
  mx_level_steps_release(&steps);
  dg_free(layer);
  dg_free(kind);
  return err->code;
}
