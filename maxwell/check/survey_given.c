/* Collects the keys of the script that mean a volume or a surface. survey.c calls it. */
#include "maxwell/check/survey.h"

#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/model/selectors.h"
#include "maxwell/model/walls.h"

/* Adds "what 'name'" to what was given to an entity; what does not fit into its text is cut. */
static void give(struct mx_survey *survey, size_t entity, const char *what, const char *name)
{
  char *given = survey->of[entity].given;
  const size_t used = strlen(given);
  (void)snprintf(given + used, MX_GIVEN - used, "%s%s%s%s%s", used > 0 ? ", " : "", what, name[0] != '\0' ? " '" : "",
                 name, name[0] != '\0' ? "'" : "");
}

/* Gives it to all entities of that dimension which the selector means by name or tag. */
static void give_all(struct mx_survey *survey, const struct mx_selector *selector, int dim, const char *what,
                     const char *name)
{
  const struct dg_mesh *mesh = survey->scene->mesh;
  for (size_t i = 0; i < survey->entities && !selector->is_default; i++)
    if (mesh->entity[i].dim == dim && mesh->entity[i].count > 0 && mx_selector_fit(selector, mesh, i) > 1)
      give(survey, i, what, name);
}

static const struct mx_selector *material_of(const struct mx_config *config, size_t i)
{
  return &config->material[i].where;
}

static const struct mx_selector *boundary_of(const struct mx_config *config, size_t i)
{
  return &config->boundary[i].where;
}

static void give_materials(struct mx_survey *survey, int *choice)
{
  const struct mx_scene *scene = survey->scene;
  const struct mx_config *config = scene->config;
  struct dg_error refused = {0}; /* the set-up has chosen before: it cannot be */
  if (mx_choose(choice, config, scene->mesh, "materials", 3, config->materials, material_of, &refused) != 0) return;
  for (size_t i = 0; i < survey->entities; i++) {
    if (choice[i] < 0) continue;
    char name[128];
    mx_selector_name(&config->material[choice[i]].where, name, sizeof name);
    give(survey, i, "material", name);
    if (scene->mesh->entity[i].layer > 0) give(survey, i, "layer of an open wall", "");
  }
  for (size_t i = 0; i < config->layers; i++)
    give_all(survey, &config->layer[i].where, 3, config->layer[i].absorber ? "absorber" : "layer",
             mx_shell_kind_names[config->layer[i].kind]);
}

/* Says whether the mesh as it was drawn ends at a surface: at the outside, or where a layer has grown. */
static bool is_wall(const struct mx_survey *survey, size_t surface)
{
  const struct mx_entity_survey *of = &survey->of[surface];
  const struct dg_entity *entity = survey->scene->mesh->entity;
  if (entity[surface].dim != 2 || of->count == 0) return false;
  return of->first < 0 || (entity[of->first].layer > 0) != (entity[of->second].layer > 0);
}

static void give_boundaries(struct mx_survey *survey, int *choice)
{
  const struct mx_scene *scene = survey->scene;
  const struct mx_config *config = scene->config;
  struct dg_error refused = {0};
  if (mx_choose(choice, config, scene->mesh, "boundaries", 2, config->boundaries, boundary_of, &refused) != 0) return;
  for (size_t i = 0; i < survey->entities; i++) {
    if (!is_wall(survey, i)) continue;
    if (choice[i] < 0) {
      give(survey, i, "boundary pec, without a key", "");
      continue;
    }
    const struct mx_boundary_config *boundary = &config->boundary[choice[i]];
    char name[128], what[60];
    mx_selector_name(&boundary->where, name, sizeof name);
    (void)snprintf(what, sizeof what, "boundary %s%s", mx_boundary_kind_names[boundary->kind],
                   mx_is_port(boundary->kind) && boundary->port.driven ? ", driven," : "");
    give(survey, i, what, name);
  }
  if (survey->of[survey->entities].count > 0) {
    const struct mx_boundary_config *rest = NULL; /* faces that no surface holds have the default */
    for (size_t i = 0; i < config->boundaries; i++)
      if (config->boundary[i].where.is_default) rest = &config->boundary[i];
    char what[60];
    (void)snprintf(what, sizeof what, "boundary %s%s", rest != NULL ? mx_boundary_kind_names[rest->kind] : "pec",
                   rest != NULL ? "" : ", without a key");
    give(survey, survey->entities, what, rest != NULL ? "default" : "");
  }
}

/* Sources, and what is observed. */
static void give_others(struct mx_survey *survey)
{
  const struct mx_config *config = survey->scene->config;
  for (size_t i = 0; i < config->interfaces; i++) {
    const struct mx_interface_config *interface = &config->interface[i];
    char name[128], what[60];
    mx_selector_name(&interface->where, name, sizeof name);
    (void)snprintf(what, sizeof what, "interface %s", mx_interface_kind_names[interface->kind]);
    give_all(survey, &interface->where, 2, what, name);
    give_all(survey, &interface->inside, 3, "total field of", name);
  }
  for (size_t i = 0; i < config->sources; i++)
    if (config->source[i].shape == MX_REGION) give_all(survey, &config->source[i].where, 3, "source", "");
  for (size_t i = 0; i < config->output.measures; i++) {
    const struct mx_measure_config *measure = &config->output.measure[i];
    for (int dim = 2; dim <= 3; dim++)
      if ((strcmp(measure->kind->key, "losses") == 0) == (dim == 3))
        give_all(survey, &measure->on, dim, measure->kind->key, measure->name);
  }
  for (size_t i = 0; i < config->output.spectra; i++) {
    const struct mx_phasor_config *phasor = &config->output.spectrum[i];
    if (phasor->by_region) give_all(survey, &phasor->on, 3, "spectrum", phasor->name);
  }
  for (size_t i = 0; i < config->output.far_fields; i++) {
    const struct mx_far_config *far = &config->output.far_field[i];
    give_all(survey, &far->on, far->by_region ? 3 : 2, "far field", far->name);
  }
}

void mx_survey_find_given(struct mx_survey *survey)
{
  struct dg_error lack = {0}; /* of memory: nothing is said of what was given */
  int *choice;
  if (DG_NEW(choice, survey->entities, &lack) != 0) return;
  give_materials(survey, choice);
  give_boundaries(survey, choice);
  give_others(survey);
  dg_free(choice);
}
