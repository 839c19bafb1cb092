/* Cuts the body out of the mesh, and checks that its materials can be heated. heat.c calls it. */
#include "maxwell/heat/heat_body.h"

#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"
#include "maxwell/model/selectors.h"

static const struct mx_selector *material_selector(const struct mx_config *config, size_t i)
{
  return &config->material[i].where;
}

static const struct mx_selector *wall_selector(const struct mx_config *config, size_t i)
{
  return &config->heat->wall[i].where;
}

static int check_scene(const struct mx_heat_place *place, struct dg_error *err)
{
  const char *where = place->config->heat->where;
  if (place->mesh->periods > 0 || place->mesh->paired)
    return dg_fail(err, DG_INPUT, MX_PLACE "heat does not take periodic sides", MX_AT(where));
  return 0;
}

/* Elements of other ranks that may be ghosts of the body. */
enum { GHOST = -2 };

/* Numbers the ghosts that the body's own elements have beyond their faces; the others are not its own. */
static void number_ghosts(struct mx_heat_body *body, const struct dg_mesh *mesh)
{
  struct dg_mesh *own = &body->mesh;
  for (size_t e = 0; e < mesh->K; e++) {
    if (body->part[e] < 0) continue;
    if (e < mesh->interior || mesh->ghosts == 0) own->interior++;
    for (int f = 0; f < 4; f++) {
      const int32_t beyond = mesh->neighbour[e][f];
      if (beyond != DG_BOUNDARY && body->part[beyond / 4] == GHOST)
        body->part[beyond / 4] = (int32_t)(own->K + own->ghosts++);
    }
  }
  for (size_t e = mesh->K; e < mesh->K + mesh->ghosts; e++)
    if (body->part[e] == GHOST) body->part[e] = -1;
}

/* part[K + ghosts] of the whole: the number in the body, -1 elsewhere. What has grown from open walls was not drawn,
 * and has no heat. */
static int choose_elements(struct mx_heat_body *body, const struct mx_heat_place *place, struct dg_error *err)
{
  const struct dg_mesh *mesh = place->mesh;
  const struct mx_heat_config *heat = place->config->heat;
  if (DG_NEW(body->part, mesh->K + mesh->ghosts, err) != 0) return err->code;
  for (size_t r = 0; r < heat->regions; r++)
    if (mx_check_selector(mesh, "heat.regions", &heat->region[r], 3, err) != 0) return err->code;
  for (size_t e = 0; e < mesh->K + mesh->ghosts; e++) {
    bool in = heat->regions == 0;
    for (size_t r = 0; r < heat->regions && !in; r++)
      in = mx_selector_fit(&heat->region[r], mesh, (size_t)mesh->volume[e]) > 0;
    body->part[e] = -1;
    if (!in || dg_mesh_in_layer(mesh, e)) continue;
    body->part[e] = e < mesh->K ? (int32_t)body->mesh.K++ : GHOST;
  }
  number_ghosts(body, mesh);
  int64_t elements = (int64_t)body->mesh.K;
  if (dg_comm_reduce_int(place->comm, DG_SUM, 1, &elements, err) != 0) return err->code;
  body->elements = (size_t)elements;
  if (elements > 0) return 0;
  return dg_fail(err, DG_INPUT, MX_PLACE "heat.regions: they hold no element of the mesh", MX_AT(heat->where));
}

/* A source whose region the body lacks would heat nothing. */
static int check_sources(const struct mx_heat_body *body, const struct mx_heat_place *place, struct dg_error *err)
{
  const struct dg_mesh *mesh = place->mesh;
  const struct mx_heat_config *heat = place->config->heat;
  for (size_t i = 0; i < heat->sources; i++) {
    const struct mx_heat_source *source = &heat->source[i];
    char name[128];
    int64_t acts = 0;
    if (!source->by_region) continue;
    if (mx_check_selector(mesh, "heat.sources", &source->on, 3, err) != 0) return err->code;
    for (size_t e = 0; e < mesh->K && !acts; e++)
      acts = body->part[e] >= 0 && mx_selector_fit(&source->on, mesh, (size_t)mesh->volume[e]) > 0;
    if (dg_comm_reduce_int(place->comm, DG_MAX, 1, &acts, err) != 0) return err->code;
    if (acts) continue;
    mx_selector_name(&source->on, name, sizeof name);
    return dg_fail(err, DG_INPUT, MX_PLACE "heat.sources: no element of '%s' is in the body in which heat flows",
                   MX_AT(source->where), name);
  }
  return 0;
}

static int new_arrays(struct mx_heat_body *body, const struct dg_mesh *mesh, struct dg_error *err)
{
  struct dg_mesh *own = &body->mesh;
  const size_t K = own->K, all = K + own->ghosts, shape = mesh->curved > 0 ? (size_t)dg_shape_nodes(mesh->geometry) : 0;
  *own = (struct dg_mesh){.K = K,
                          .interior = own->interior,
                          .ghosts = own->ghosts,
                          .vertices = mesh->vertices,
                          .vertex = mesh->vertex,
                          .geometry = mesh->geometry,
                          .entities = mesh->entities,
                          .entity = mesh->entity,
                          .groups = mesh->groups,
                          .group = mesh->group,
                          .global_vertex = mesh->global_vertex,
                          .whole = mesh->whole};
  if ((mesh->global != NULL && DG_NEW(own->global, all, err) != 0) ||
      (mesh->owner != NULL && DG_NEW(own->owner, own->ghosts, err) != 0))
    return err->code;
  if (DG_NEW(own->element, all, err) != 0 || DG_NEW(own->neighbour, K, err) != 0 ||
      DG_NEW(own->volume, all, err) != 0 || DG_NEW(own->surface, K, err) != 0 ||
      DG_NEW(own->curve, mesh->curved, err) != 0 || DG_NEW(own->shape, mesh->curved * shape, err) != 0 ||
      DG_NEW(body->from, K, err) != 0 || DG_NEW(body->material, K, err) != 0 || DG_NEW(body->wall, K, err) != 0)
    return err->code;
  return 0;
}

/* What an element has on all ranks that see it. */
static void copy_element(struct dg_mesh *own, size_t k, const struct dg_mesh *mesh, size_t e)
{
  memcpy(own->element[k], mesh->element[e], sizeof own->element[k]);
  own->volume[k] = mesh->volume[e];
  if (own->global != NULL) own->global[k] = mesh->global[e];
}

static void cut(struct mx_heat_body *body, const struct dg_mesh *mesh)
{
  struct dg_mesh *own = &body->mesh;
  const size_t shape = mesh->curved > 0 ? (size_t)dg_shape_nodes(mesh->geometry) : 0;
  for (size_t e = 0, curve = 0; e < mesh->K; e++) {
    const int32_t k = body->part[e];
    while (curve < mesh->curved && (size_t)mesh->curve[curve] < e) curve++;
    if (k < 0) continue;
    body->from[k] = (int32_t)e;
    copy_element(own, (size_t)k, mesh, e);
    memcpy(own->surface[k], mesh->surface[e], sizeof own->surface[k]);
    for (int f = 0; f < 4; f++) {
      const int32_t beyond = mesh->neighbour[e][f], other = beyond == DG_BOUNDARY ? -1 : body->part[beyond / 4];
      own->neighbour[k][f] = other < 0 ? DG_BOUNDARY : 4 * other + beyond % 4;
      own->boundary_faces += other < 0;
      own->interior_faces += other >= 0 && dg_mesh_global(mesh, (size_t)beyond / 4) > dg_mesh_global(mesh, e);
    }
    if (curve == mesh->curved || (size_t)mesh->curve[curve] != e) continue;
    memcpy(own->shape + own->curved * shape, mesh->shape + curve * shape, shape * sizeof *own->shape);
    own->curve[own->curved++] = k;
  }
  for (size_t e = mesh->K; e < mesh->K + mesh->ghosts; e++) {
    if (body->part[e] < 0) continue;
    copy_element(own, (size_t)body->part[e], mesh, e);
    own->owner[(size_t)body->part[e] - own->K] = mesh->owner[e - mesh->K];
  }
}

/* Where materials change with the temperature there must be one. */
static int check_warm(const struct mx_heat_body *body, const struct mx_heat_place *place, const int *choice,
                      struct dg_error *err)
{
  const struct mx_config *config = place->config;
  const struct dg_mesh *mesh = place->mesh;
  for (size_t e = 0; e < mesh->K; e++) {
    const int m = choice[mesh->volume[e]];
    char name[128];
    if (m < 0 || !mx_is_warm(&config->material[m]) || body->part[e] >= 0) continue;
    mx_selector_name(&config->material[m].where, name, sizeof name);
    return dg_fail(err, DG_INPUT, MX_PLACE "materials.%s changes with the temperature, and volume %d, %s, has none",
                   MX_AT(config->material[m].warm.where), name, mesh->entity[mesh->volume[e]].tag,
                   dg_mesh_in_layer(mesh, e) ? "where a layer has grown from an open wall" : "not in heat.regions");
  }
  return 0;
}

/* Each element's material, which must have what the equations need. */
static int find_materials(struct mx_heat_body *body, const struct mx_heat_place *place, struct dg_error *err)
{
  const struct mx_config *config = place->config;
  int *choice = NULL;
  if (DG_NEW(choice, place->mesh->entities, err) != 0 ||
      mx_choose(choice, config, place->mesh, "materials", 3, config->materials, material_selector, err) != 0)
    goto fail;
  for (size_t k = 0; k < body->mesh.K; k++) {
    const int chosen = choice[body->mesh.volume[k]];
    const struct mx_material_config *material = chosen >= 0 ? &config->material[chosen] : NULL;
    char name[128] = "none";
    if (material != NULL) mx_selector_name(&material->where, name, sizeof name);
    const bool conducts = material != NULL && material->thermal.conductivity > 0;
    const bool holds = conducts && material->thermal.capacity > 0 && material->mass_density > 0;
    if (!conducts || (!holds && !config->heat->steady)) {
      (void)dg_fail(err, DG_INPUT,
                    MX_PLACE "heat: the material %s of volume %d has no %s; give it one, or leave the volume out of "
                             "heat.regions",
                    MX_AT(material != NULL ? material->where.where : config->heat->where), name,
                    place->mesh->entity[body->mesh.volume[k]].tag,
                    !conducts                           ? "thermal_conductivity"
                    : !(material->thermal.capacity > 0) ? "heat_capacity"
                                                        : "mass_density");
      goto fail;
    }
    body->material[k] = chosen;
  }
  (void)!check_warm(body, place, choice, err);
fail:
  dg_free(choice);
  return err->code;
}

static int find_walls(struct mx_heat_body *body, const struct mx_heat_place *place, struct dg_error *err)
{
  const struct mx_heat_config *heat = place->config->heat;
  int *choice = NULL, otherwise = MX_HEAT_INSULATED;
  int64_t *faces = NULL;
  if (DG_NEW(choice, place->mesh->entities, err) != 0 || DG_NEW(faces, heat->walls, err) != 0 ||
      mx_choose(choice, place->config, place->mesh, "heat.boundaries", 2, heat->walls, wall_selector, err) != 0)
    goto fail;
  for (size_t i = 0; i < heat->walls; i++)
    if (heat->wall[i].where.is_default) otherwise = (int)i;
  for (size_t k = 0; k < body->mesh.K; k++)
    for (int f = 0; f < 4; f++) {
      const int32_t entity = body->mesh.surface[k][f];
      body->wall[k][f] = MX_HEAT_INSIDE;
      if (body->mesh.neighbour[k][f] != DG_BOUNDARY) continue;
      body->wall[k][f] = entity >= 0 ? choice[entity] : otherwise;
      if (body->wall[k][f] >= 0) faces[body->wall[k][f]]++;
    }
  if (dg_comm_reduce_int(body->comm, DG_SUM, heat->walls, faces, err) != 0) goto fail;
  for (size_t i = 0; i < heat->walls; i++) {
    char name[128];
    if (faces[i] > 0 || heat->wall[i].where.is_default) continue;
    mx_selector_name(&heat->wall[i].where, name, sizeof name);
    (void)dg_fail(err, DG_INPUT, MX_PLACE "heat.boundaries: '%s' has no face that bounds the body in which heat flows",
                  MX_AT(heat->wall[i].where.where), name);
    goto fail;
  }
fail:
  dg_free(choice);
  dg_free(faces);
  return err->code;
}

int mx_heat_body_init(struct mx_heat_body *body, const struct mx_heat_place *place, struct dg_error *err)
{
  *body = (struct mx_heat_body){.comm = place->comm};
  if (check_scene(place, err) != 0 || choose_elements(body, place, err) != 0 || check_sources(body, place, err) != 0 ||
      new_arrays(body, place->mesh, err) != 0)
    return err->code;
  cut(body, place->mesh);
  if (find_materials(body, place, err) != 0) return err->code;
  return find_walls(body, place, err);
}

void mx_heat_body_release(struct mx_heat_body *body)
{
  dg_free(body->mesh.element);
  dg_free(body->mesh.neighbour);
  dg_free(body->mesh.volume);
  dg_free(body->mesh.surface);
  dg_free(body->mesh.owner);
  dg_free(body->mesh.global);
  dg_free(body->mesh.curve);
  dg_free(body->mesh.shape);
  dg_free(body->from);
  dg_free(body->part);
  dg_free(body->material);
  dg_free(body->wall);
  *body = (struct mx_heat_body){0};
}
