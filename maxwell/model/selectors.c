/* Finds the entities of the mesh that a key of the script means. The builders of problems and sources call it. */
#include "maxwell/model/selectors.h"

#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/text.h"

static const char *const dimension_name[] = {"point", "curve", "surface", "volume"};

static int unknown_group(const struct dg_mesh *mesh, const char *key, const struct mx_selector *selector, int dim,
                         struct dg_error *err)
{
  char known[512] = "", hint[160] = "";
  const char **names;
  size_t count = 0, used = 0;
  if (DG_NEW(names, mesh->groups + 1, err) != 0) return err->code;
  for (size_t g = 0; g < mesh->groups; g++)
    if (mesh->group[g].dim == dim && mesh->group[g].name[0] != '\0') {
      names[count++] = mesh->group[g].name;
      int n = snprintf(known + used, sizeof known - used, "%s'%s'", used > 0 ? ", " : "", mesh->group[g].name);
      if (n > 0 && (size_t)n < sizeof known - used) used += (size_t)n;
    }
  int nearest = dg_nearest(selector->group, names, count);
  if (nearest >= 0) snprintf(hint, sizeof hint, " (nearest: '%s')", names[nearest]);
  dg_free(names);
  return dg_fail(err, DG_INPUT, MX_PLACE "%s.%s: the mesh has no %s group '%s'%s; it has %s", MX_AT(selector->where),
                 key, selector->group, dimension_name[dim], selector->group, hint, used > 0 ? known : "no named ones");
}

static int unknown_tag(const struct dg_mesh *mesh, const char *key, const struct mx_selector *selector, int dim,
                       struct dg_error *err)
{
  char known[512] = "";
  size_t used = 0;
  for (size_t i = 0; i < mesh->entities; i++)
    if (mesh->entity[i].dim == dim && mesh->entity[i].layer == 0) {
      int n = snprintf(known + used, sizeof known - used, "%s%d", used > 0 ? ", " : "", mesh->entity[i].tag);
      if (n > 0 && (size_t)n < sizeof known - used) used += (size_t)n;
    }
  return dg_fail(err, DG_INPUT, MX_PLACE "%s[%d]: the mesh has no %s with tag %d; it has %s", MX_AT(selector->where),
                 key, selector->tag, dimension_name[dim], selector->tag, used > 0 ? known : "none");
}

/* Describes the defect of an entity: no elements, or triangles that no tetrahedron has. False: there is none. text:
 * "surface 7 has ...", and the remedy. */
static bool find_defect(const struct dg_mesh *mesh, size_t i, char *text, size_t size)
{
  const struct dg_entity *entity = &mesh->entity[i];
  if (entity->count + entity->joined > 0 && entity->loose == 0) return false;
  if (entity->dim == 3) {
    snprintf(text, size, "volume %d has no tetrahedra in the mesh", entity->tag);
  } else if (entity->count + entity->loose == 0) {
    snprintf(text, size, "surface %d has no triangles in the mesh", entity->tag);
  } else {
    snprintf(
        text, size,
        "%s%zu of the %zu triangles of surface %d are faces of no tetrahedron: make it a part of the volume around "
        "it (BooleanFragments, or Surface{%d} In Volume{...})",
        entity->count == 0 ? "all " : "", entity->loose, entity->count + entity->loose, entity->tag, entity->tag);
  }
  return true;
}

void mx_warn_entities(const struct dg_mesh *mesh, struct dg_log *log)
{
  char text[300];
  for (size_t i = 0; i < mesh->entities; i++) {
    if (mesh->entity[i].groups == 0 || !find_defect(mesh, i, text, sizeof text)) continue;
    dg_log_warning(log, "group '%s': %s", mesh->group[mesh->entity[i].group[0]].name, text);
  }
}

/* The drawn entity with this tag, or -1: what has grown has tags that nobody knows. */
static int drawn_entity(const struct dg_mesh *mesh, int dim, int tag)
{
  const int entity = dg_mesh_find_entity(mesh, dim, tag);
  return entity >= 0 && mesh->entity[entity].layer == 0 ? entity : -1;
}

/* The physical group with this number that has no name, or -1. One that has a name is meant by its name. */
static int numbered_group(const struct dg_mesh *mesh, int dim, int tag)
{
  for (size_t g = 0; g < mesh->groups; g++)
    if (mesh->group[g].dim == dim && mesh->group[g].tag == tag && mesh->group[g].name[0] == '\0') return (int)g;
  return -1;
}

static bool in_group(const struct dg_mesh *mesh, size_t entity, int group)
{
  for (int i = 0; i < mesh->entity[entity].groups; i++)
    if (mesh->entity[entity].group[i] == group) return true;
  return false;
}

/* Does a number mean this entity? It is the entity's tag, or where no entity has it the number of a group without a
 * name. Where it could be either, mx_check_selector has refused it. */
static bool is_numbered(const struct mx_selector *selector, const struct dg_mesh *mesh, size_t entity)
{
  const int dim = mesh->entity[entity].dim, group = numbered_group(mesh, dim, selector->tag);
  if (mesh->entity[entity].layer > 0) return false;
  if (mesh->entity[entity].tag == selector->tag) return true;
  return group >= 0 && drawn_entity(mesh, dim, selector->tag) < 0 && in_group(mesh, entity, group);
}

/* Says whether the selector means this entity by name or tag. */
static bool names(const struct mx_selector *selector, const struct dg_mesh *mesh, size_t entity, int dim)
{
  if (mesh->entity[entity].dim != dim) return false;
  if (selector->group == NULL) return is_numbered(selector, mesh, entity);
  return dg_mesh_entity_in_group(mesh, (int)entity, selector->group);
}

/* Checks that a number means one thing: there is such an entity, or such a group, or they are the same. */
static int check_number(const struct dg_mesh *mesh, const char *key, const struct mx_selector *selector, int dim,
                        struct dg_error *err)
{
  const int entity = drawn_entity(mesh, dim, selector->tag), group = numbered_group(mesh, dim, selector->tag);
  const char *word = dim == 2 ? "Surface" : "Volume";
  size_t members = 0;
  if (entity < 0 && group < 0) return unknown_tag(mesh, key, selector, dim, err);
  for (size_t i = 0; i < mesh->entities && group >= 0; i++) members += in_group(mesh, i, group);
  if (entity < 0 || group < 0 || (members == 1 && in_group(mesh, (size_t)entity, group))) return 0;
  return dg_fail(err, DG_INPUT,
                 MX_PLACE
                 "%s[%d]: the mesh has a %s with tag %d, and a physical group %d without a name, which has "
                 "others: give the group a name (Physical %s(\"name\", %d)) and write that; then [%d] is the %s",
                 MX_AT(selector->where), key, selector->tag, dimension_name[dim], selector->tag, selector->tag, word,
                 selector->tag, selector->tag, dimension_name[dim]);
}

int mx_check_selector(const struct dg_mesh *mesh, const char *key, const struct mx_selector *selector, int dim,
                      struct dg_error *err)
{
  char name[128], text[300];
  bool found = false;
  if (selector->is_default) return 0;
  if (selector->group == NULL && check_number(mesh, key, selector, dim, err) != 0) return err->code;
  for (size_t g = 0; g < mesh->groups && selector->group != NULL; g++)
    found = found || (mesh->group[g].dim == dim && strcmp(mesh->group[g].name, selector->group) == 0);
  if (selector->group != NULL && !found) return unknown_group(mesh, key, selector, dim, err);
  mx_selector_name(selector, name, sizeof name);
  for (size_t i = 0; i < mesh->entities; i++)
    if (names(selector, mesh, i, dim) && mesh->entity[i].joined > 0 && strcmp(key, "boundaries") != 0)
      return dg_fail(err, DG_INPUT,
                     MX_PLACE
                     "%s%s%s: surface %d is a periodic side, behind which the fields go on at the opposite one; "
                     "only boundaries name it",
                     MX_AT(selector->where), key, selector->group != NULL ? "." : "", name, mesh->entity[i].tag);
  for (size_t i = 0; i < mesh->entities; i++)
    if (names(selector, mesh, i, dim) && find_defect(mesh, i, text, sizeof text))
      return dg_fail(err, DG_INPUT, MX_PLACE "%s%s%s: %s", MX_AT(selector->where), key,
                     selector->group != NULL ? "." : "", name, text);
  return 0;
}

int mx_selector_fit(const struct mx_selector *selector, const struct dg_mesh *mesh, size_t entity)
{
  if (selector->is_default) return 1;
  if (selector->group == NULL)
    return !is_numbered(selector, mesh, entity) ? 0 : selector->tag == mesh->entity[entity].tag ? 3 : 2;
  return dg_mesh_entity_in_group(mesh, (int)entity, selector->group) ? 2 : 0;
}

/* The entity whose material or wall this one has: the one that it continues in a layer, or itself. */
static size_t what_it_continues(const struct dg_mesh *mesh, size_t entity)
{
  const struct dg_entity *own = &mesh->entity[entity];
  return own->grown_from == 0 ? entity : (size_t)dg_mesh_find_entity(mesh, own->dim, own->grown_from);
}

/* Refuses the key of a layer, which has what it continues: the key would do nothing. */
static int refuse_layer(const struct dg_mesh *mesh, const char *key, const struct mx_selector *selector, int dim,
                        struct dg_error *err)
{
  if (selector->group == NULL) return 0;
  for (size_t i = 0; i < mesh->entities; i++)
    if (mesh->entity[i].layer > 0 && names(selector, mesh, i, dim))
      return dg_fail(err, DG_INPUT,
                     MX_PLACE "%s.%s: '%s' is the layer of an open wall, and has the %s of what touches it",
                     MX_AT(selector->where), key, selector->group, selector->group, key);
  return 0;
}

int mx_choose(int *choice, const struct mx_config *config, const struct dg_mesh *mesh, const char *key, int dim,
              size_t count, const struct mx_selector *(*selector)(const struct mx_config *, size_t),
              struct dg_error *err)
{
  for (size_t i = 0; i < count; i++)
    if (mx_check_selector(mesh, key, selector(config, i), dim, err) != 0 ||
        refuse_layer(mesh, key, selector(config, i), dim, err) != 0)
      return err->code;
  for (size_t entity = 0; entity < mesh->entities; entity++) {
    choice[entity] = -1;
    if (mesh->entity[entity].dim != dim) continue;
    int best = 0;
    for (size_t i = 0; i < count; i++) {
      int f = mx_selector_fit(selector(config, i), mesh, what_it_continues(mesh, entity));
      if (f == 2 && best == 2) {
        char one[128], two[128];
        mx_selector_name(selector(config, (size_t)choice[entity]), one, sizeof one);
        mx_selector_name(selector(config, i), two, sizeof two);
        return dg_fail(err, DG_INPUT,
                       MX_PLACE "%s: %s %d belongs to both '%s' and '%s'; give it a key of its own: [%d]",
                       MX_AT(selector(config, i)->where), key, dimension_name[dim], mesh->entity[entity].tag, one, two,
                       mesh->entity[entity].tag);
      }
      if (f > best) {
        best = f;
        choice[entity] = (int)i;
      }
    }
  }
  return 0;
}

void mx_selector_name(const struct mx_selector *selector, char *text, size_t size)
{
  if (selector->is_default) snprintf(text, size, "default");
  else if (selector->group != NULL) snprintf(text, size, "%s", selector->group);
  else snprintf(text, size, "[%d]", selector->tag);
}
