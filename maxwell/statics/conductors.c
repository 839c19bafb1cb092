/* Finds the faces of each conductor, and refuses walls at which a static field could not stand. */
#include "maxwell/statics/conductors.h"

#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/field/space.h"
#include "maxwell/model/selectors.h"
#include "maxwell/problem/layer_shape.h"

static const struct mx_selector *selector_of(const struct mx_config *config, size_t i)
{
  return &config->initial.statics.conductor[i].where;
}

/* The name of the surface of a face, for messages. */
static void name_face(const struct dg_mesh *mesh, size_t e, int f, char *text, size_t size)
{
  const int32_t entity = mesh->surface[e][f];
  text[0] = '\0';
  if (entity < 0) (void)snprintf(text, size, "a wall without a name");
  else if (mesh->entity[entity].groups > 0)
    (void)snprintf(text, size, "'%s'", mesh->group[mesh->entity[entity].group[0]].name);
  else (void)snprintf(text, size, "surface %d", mesh->entity[entity].tag);
}

/* Does a static field end at the wall by itself, as at a magnetic wall? At a gap it does until t = 0, when the circuit
 * across it closes. */
static bool ends_itself(const struct mx_config *config, int boundary)
{
  if (boundary < 0) return false;
  const enum mx_boundary_kind kind = config->boundary[boundary].kind;
  return mx_walls[kind].behind == MX_BEHIND_MAGNET || kind == MX_LUMPED_PORT || kind == MX_LUMPED_ELEMENT;
}

static int check_wall(const struct mx_statics_place *place, size_t e, int f, struct dg_error *err)
{
  const struct mx_config *config = place->config;
  const int boundary = place->assignment->boundary[e][f];
  const char *where = config->initial.statics.where;
  char name[128];
  if (ends_itself(config, boundary)) return 0;
  name_face(place->mesh, e, f, name, sizeof name);
  if (boundary < 0 || mx_walls[config->boundary[boundary].kind].behind == MX_BEHIND_METAL)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "initial.statics: the conductor %s has neither a potential nor a charge (default = 0 gives "
                            "one to all others)",
                   MX_AT(where), name);
  return dg_fail(err, DG_INPUT,
                 MX_PLACE
                 "initial.statics: the field would leave through %s, of kind \"%s\", unless it has a potential",
                 MX_AT(where), name, mx_boundary_kind_names[config->boundary[boundary].kind]);
}

static int walk_faces(struct mx_statics *statics, const struct mx_statics_place *place, const int *choice,
                      int32_t (*body)[4], struct dg_error *err)
{
  const struct mx_statics_config *wanted = &place->config->initial.statics;
  int otherwise = DG_NO_BODY;
  for (size_t i = 0; i < wanted->conductors; i++)
    if (wanted->conductor[i].where.is_default) otherwise = (int)i;
  for (size_t e = 0; e < place->mesh->K; e++) {
    for (int f = 0; f < 4; f++) {
      const int boundary = place->assignment->boundary[e][f];
      const int32_t entity = place->mesh->surface[e][f];
      body[e][f] = DG_NO_BODY;
      if (boundary == MX_NOT_BOUNDARY) continue;
      const int chosen = entity >= 0 ? choice[entity] : otherwise;
      if (chosen < 0 || ends_itself(place->config, boundary)) {
        if (check_wall(place, e, f, err) != 0) return err->code;
        continue;
      }
      body[e][f] = chosen;
      statics->conductor[chosen].faces++;
    }
  }
  return 0;
}

/* Refuses what the static field knows nothing of. */
static int check_scene(const struct mx_statics_place *place, struct dg_error *err)
{
  const char *where = place->config->initial.statics.where;
  if (place->mesh->periods > 0 || place->mesh->paired)
    return dg_fail(err, DG_INPUT, MX_PLACE "initial.statics does not take periodic sides", MX_AT(where));
  if (place->layers->count > 0)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "initial.statics does not take open walls and layers: a static field would reach into them",
                   MX_AT(where));
  if (place->problem->responses > 0)
    return dg_fail(err, DG_INPUT, MX_PLACE "initial.statics does not take media with poles or gyrotropic ones",
                   MX_AT(where));
  return 0;
}

int mx_find_conductors(struct mx_statics *statics, const struct mx_statics_place *place, int32_t (*body)[4],
                       struct dg_error *err)
{
  const struct mx_config *config = place->config;
  const size_t count = config->initial.statics.conductors;
  int *choice = NULL;
  if (check_scene(place, err) != 0 || DG_NEW(statics->conductor, count, err) != 0 ||
      DG_NEW(choice, place->mesh->entities, err) != 0)
    return err->code;
  statics->conductors = count;
  for (size_t i = 0; i < count; i++)
    mx_selector_name(selector_of(config, i), statics->conductor[i].name, sizeof statics->conductor[i].name);
  if (mx_choose(choice, config, place->mesh, "initial.statics", 2, count, selector_of, err) == 0)
    (void)walk_faces(statics, place, choice, body, err);
  for (size_t i = 0; err->code == 0 && i < count; i++) {
    int64_t faces = (int64_t)statics->conductor[i].faces;
    if (dg_comm_reduce_int(place->problem->comm, DG_SUM, 1, &faces, err) == 0)
      statics->conductor[i].faces = (size_t)faces;
  }
  for (size_t i = 0; err->code == 0 && i < count; i++)
    if (statics->conductor[i].faces == 0 &&
        (!selector_of(config, i)->is_default || config->initial.statics.conductor[i].charged))
      (void)dg_fail(err, DG_INPUT, MX_PLACE "initial.statics: '%s' has no face of a wall or of a conducting sheet",
                    MX_AT(selector_of(config, i)->where), statics->conductor[i].name);
  dg_free(choice);
  return err->code;
}
