/* Grows layers from open walls: finds the faces, their shape and what ends on them, chooses the thickness, and has the
 * elements made. setup_mesh.c calls it. */
#include "maxwell/setup/open_layer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/grow/extrude.h"
#include "libdg/mesh/grow/straighten.h"
#include "libdg/mesh/grow/wall_shape.h"
#include "libdg/mesh/mesh_limits.h"
#include "maxwell/model/selectors.h"
#include "maxwell/setup/open_size.h"

#define SLOPE_LIMIT  1e-3 /* sine of the angle by which a plane wall beside the layer may leave its way */
#define CURVED_LIMIT 0.3  /* the same for a triangle of a curved wall: those of a cylinder lean a little to and fro */

/* Open walls while their layers are made. */
struct open {
  const struct mx_config *config;
  struct dg_mesh *mesh;
  int *boundary, *interface; /* [entities] the key of a surface, or -1 */
  int fallback;              /* the key of faces without a surface, or -1 */
  size_t faces;
  int32_t *face; /* [faces] 4 * element + face */
  struct dg_walls walls;
  struct mx_open_plan *plan; /* [walls.count] */
};

bool mx_open_wanted(const struct mx_config *config)
{
  for (size_t i = 0; i < config->boundaries; i++)
    if (config->boundary[i].kind == MX_OPEN_WALL) return true;
  return false;
}

static const struct mx_selector *boundary_selector(const struct mx_config *config, size_t i)
{
  return &config->boundary[i].where;
}

static const struct mx_selector *interface_selector(const struct mx_config *config, size_t i)
{
  return &config->interface[i].where;
}

/* The key of a boundary face, or -1. */
static int key_of(const struct open *o, int32_t code)
{
  const int32_t surface = o->mesh->surface[code >> 2][code & 3];
  return surface >= 0 && o->boundary[surface] >= 0 ? o->boundary[surface] : o->fallback;
}

static int find_faces(struct open *o, struct dg_error *err)
{
  const struct mx_config *config = o->config;
  const struct dg_mesh *mesh = o->mesh;
  if (DG_NEW(o->boundary, mesh->entities, err) != 0 || DG_NEW(o->interface, mesh->entities, err) != 0 ||
      DG_NEW(o->face, mesh->boundary_faces, err) != 0 ||
      mx_choose(o->boundary, config, mesh, "boundaries", 2, config->boundaries, boundary_selector, err) != 0 ||
      mx_choose(o->interface, config, mesh, "interfaces", 2, config->interfaces, interface_selector, err) != 0)
    return err->code;
  o->fallback = -1;
  for (size_t i = 0; i < config->boundaries; i++)
    if (config->boundary[i].where.is_default) o->fallback = (int)i;
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    if (mesh->neighbour[i / 4][i % 4] != DG_BOUNDARY) continue;
    const int key = key_of(o, (int32_t)i);
    if (key >= 0 && config->boundary[key].kind == MX_OPEN_WALL) o->face[o->faces++] = (int32_t)i;
  }
  return 0;
}

/* ---- a wall ---- */

/* All keys of a wall must ask for the same layer. */
static int check_keys(const struct open *o, const struct dg_wall *wall, int key, struct dg_error *err)
{
  const struct mx_boundary_config *first = &o->config->boundary[key];
  for (size_t k = 0; k < wall->faces; k++) {
    const int second = key_of(o, wall->face[k]);
    const struct mx_boundary_config *other = &o->config->boundary[second];
    char a[128], b[128];
    if (other->open.reflection == first->open.reflection && other->open.thickness == first->open.thickness &&
        other->open.sheets == first->open.sheets && other->open.absorber == first->open.absorber)
      continue;
    mx_selector_name(&first->where, a, sizeof a);
    mx_selector_name(&other->where, b, sizeof b);
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "boundaries.%s and boundaries.%s touch and so have one layer: give them the same "
                            "reflection, thickness, elements and absorber",
                   MX_AT(second > key ? other->where.where : first->where.where), second > key ? a : b,
                   second > key ? b : a);
  }
  return 0;
}

static void side_centre(const struct open *o, const struct dg_wall *wall, const struct dg_wall_side *side, double x[3])
{
  const double *a = o->mesh->vertex[wall->vertex[side->end[0]]], *b = o->mesh->vertex[wall->vertex[side->end[1]]];
  for (int d = 0; d < 3; d++) x[d] = (a[d] + b[d]) / 2;
}

/* What ends at a side: its name and kind; goes_on: it can continue beside a layer. */
struct beside {
  char name[200];
  const char *kind;
  bool goes_on, matters;
};

static struct beside what_ends(const struct open *o, const struct dg_wall_side *side)
{
  const struct mx_config *config = o->config;
  const int32_t surface = o->mesh->surface[side->beside >> 2][side->beside & 3];
  struct beside found = {.matters = true};
  char name[128];
  if (side->inside) {
    const int key = o->interface[surface];
    if (key < 0) return (struct beside){.goes_on = true};
    mx_selector_name(&config->interface[key].where, name, sizeof name);
    snprintf(found.name, sizeof found.name, "interfaces.%s", name);
    found.kind = mx_interface_kind_names[config->interface[key].kind];
    found.goes_on = config->interface[key].kind == MX_CONDUCTING_SHEET;
    return found;
  }
  const int key = key_of(o, side->beside);
  if (key < 0) {
    snprintf(found.name, sizeof found.name, "a wall without a key in boundaries");
    found.kind = mx_boundary_kind_names[MX_PEC];
    found.goes_on = true;
    return found;
  }
  const struct mx_wall *wall = &mx_walls[config->boundary[key].kind];
  mx_selector_name(&config->boundary[key].where, name, sizeof name);
  snprintf(found.name, sizeof found.name, "boundaries.%s", name);
  found.kind = mx_boundary_kind_names[config->boundary[key].kind];
  found.goes_on = wall->entering == MX_NOTHING && (wall->behind == MX_BEHIND_METAL || wall->behind == MX_BEHIND_MAGNET);
  return found;
}

/* Finds the surfaces beside the wall that are curved: curved[entities + 1], the last one for faces without a surface.
 */
static int find_curved(const struct open *o, const struct dg_wall *wall, bool *curved, struct dg_error *err)
{
  double(*first)[3]; /* the normal of a surface's first triangle; zero: none yet */
  if (DG_NEW(first, o->mesh->entities + 1, err) != 0) return err->code;
  for (size_t i = 0; i < wall->sides; i++) {
    const int32_t code = wall->side[i].beside, surface = o->mesh->surface[code >> 2][code & 3];
    const size_t at = surface >= 0 ? (size_t)surface : o->mesh->entities;
    double normal[3];
    (void)dg_face_normal(o->mesh, code, normal);
    if (dg_dot(first[at], first[at]) == 0) memcpy(first[at], normal, sizeof normal);
    /* two planes at right angles may be one surface; a curve turns by little from one triangle to the next */
    const double cosine = fabs(dg_dot(first[at], normal));
    curved[at] = curved[at] || (cosine < 1 - SLOPE_LIMIT * SLOPE_LIMIT && cosine > SLOPE_LIMIT);
  }
  dg_free(first);
  return 0;
}

/* Refuses what cannot go on beside the layer. */
static int check_sides(const struct open *o, const struct dg_wall *wall, const struct mx_open_plan *plan,
                       const bool *curved, struct dg_error *err)
{
  const double degrees = 180 / acos(-1);
  for (size_t i = 0; i < wall->sides; i++) {
    const struct dg_wall_side *side = &wall->side[i];
    const struct beside beside = what_ends(o, side);
    double x[3];
    if (!beside.matters) continue;
    const double slope = dg_wall_side_slope(o->mesh, wall, &plan->shape, plan->stage, side);
    const int32_t surface = o->mesh->surface[side->beside >> 2][side->beside & 3];
    const bool bent = curved[surface >= 0 ? (size_t)surface : o->mesh->entities];
    side_centre(o, wall, side, x);
    if (!beside.goes_on)
      return dg_fail(err, DG_INPUT,
                     MX_PLACE "%s: %s, of kind \"%s\", touches the open wall at " DG_AT ": beside a layer only pec and "
                              "pmc go on. Keep it away from the wall",
                     MX_AT(plan->where), plan->what, beside.name, beside.kind, DG_XYZ(x));
    if (slope > (bent ? CURVED_LIMIT : SLOPE_LIMIT))
      return dg_fail(err, DG_INPUT,
                     MX_PLACE "%s: %s (%s) ends on the open wall at " DG_AT ", %.3g degrees off the way of the layer, "
                              "and would end there: let it meet the wall at right angles, or end before it",
                     MX_AT(plan->where), plan->what, beside.name, beside.kind, DG_XYZ(x),
                     degrees * asin(fmin(slope, 1)));
  }
  return 0;
}

static int plan_wall(struct open *o, size_t w, struct dg_error *err)
{
  const struct dg_wall *wall = &o->walls.wall[w];
  struct mx_open_plan *plan = &o->plan[w];
  struct dg_error why = {0};
  const int key = key_of(o, wall->face[0]);
  const struct mx_boundary_config *boundary = &o->config->boundary[key];
  char name[128];
  plan->open = &boundary->open;
  plan->where = boundary->where.where;
  mx_selector_name(&boundary->where, name, sizeof name);
  snprintf(plan->what, sizeof plan->what, "boundaries.%s", name);
  snprintf(plan->layer, sizeof plan->layer, "%s layer", name);
  if (check_keys(o, wall, key, err) != 0 || DG_NEW(plan->stage, wall->faces, err) != 0) return err->code;
  if (dg_wall_shape_find(&plan->shape, plan->stage, o->mesh, wall, &why) != 0) {
    if (why.code != DG_INPUT) *err = why;
    else
      (void)dg_fail(err, DG_INPUT,
                    MX_PLACE "%s: the open wall %s. A layer grows from a box (planes at right angles), a sphere or a "
                             "cylinder that bulges outwards, or a piece of one cut off by pec and pmc walls; give the "
                             "room such a wall, or draw the layer and name it in `layers`",
                    MX_AT(plan->where), plan->what, why.message);
    return err->code;
  }
  bool *curved;
  if (DG_NEW(curved, o->mesh->entities + 1, err) != 0) return err->code;
  if (find_curved(o, wall, curved, err) == 0) (void)!check_sides(o, wall, plan, curved, err);
  dg_free(curved);
  if (err->code != DG_OK) return err->code;
  return mx_open_size(plan, o->config, o->mesh, wall, err);
}

/* ---- all of it ---- */

/* Sets the shape of a layer (maxwell/problem/layer_shape.h) from that of the wall. */
static struct mx_layer_shape layer_of(const struct mx_open_plan *plan)
{
  static const enum mx_layer_kind kind[] = {
      [DG_WALL_BOX] = MX_LAYER_BOX, [DG_WALL_SPHERE] = MX_LAYER_SPHERE, [DG_WALL_CYLINDER] = MX_LAYER_CYLINDER};
  const struct dg_wall_shape *shape = &plan->shape;
  struct mx_layer_shape layer = {.kind = kind[shape->kind],
                                 .thickness = plan->thickness,
                                 .reflection = plan->target,
                                 .absorber = plan->open->absorber,
                                 .frequency = plan->frequency / 2};
  memcpy(layer.centre, shape->centre, sizeof layer.centre);
  memcpy(layer.axis, shape->axis, sizeof layer.axis);
  memcpy(layer.low, shape->low, sizeof layer.low);
  memcpy(layer.high, shape->high, sizeof layer.high);
  return layer;
}

static int grow(struct mx_setup *setup, struct open *o, struct dg_error *err)
{
  struct dg_growth *growth = NULL;
  struct dg_error why = {0};
  const size_t K = setup->mesh.K;
  if (DG_NEW(growth, o->walls.count, err) != 0 || DG_NEW(setup->layers.shape, o->walls.count, err) != 0) goto fail;
  for (size_t w = 0; w < o->walls.count; w++) {
    const struct mx_open_plan *plan = &o->plan[w];
    setup->layers.shape[setup->layers.count++] = layer_of(plan);
    growth[w] = (struct dg_growth){.wall = &o->walls.wall[w],
                                   .name = plan->layer,
                                   .stages = DG_WALL_STAGES,
                                   .stage = plan->stage,
                                   .way = dg_wall_shape_way,
                                   .shape = &plan->shape,
                                   .sheets = (size_t)plan->sheets,
                                   .depth = plan->depth};
  }
  if (dg_mesh_grow(&setup->mesh, o->walls.count, growth, &why) != 0) {
    if (why.code != DG_INPUT) *err = why;
    else (void)dg_fail(err, DG_INPUT, MX_PLACE "%s: %s", MX_AT(o->plan[0].where), o->plan[0].what, why.message);
    goto fail;
  }
  for (size_t w = 0; w < o->walls.count; w++) mx_open_report(&o->plan[w], setup->log);
  dg_log_line(setup->log, "open      %zu elements beside the %zu that were drawn (%.0f %%)", setup->mesh.K - K, K,
              100 * (double)(setup->mesh.K - K) / (double)K);
fail:
  dg_free(growth);
  return err->code;
}

/* Makes the walls straight, as the layers will be: where a mesh ends is nobody's geometry. */
static int straighten(struct mx_setup *setup, struct open *o, struct dg_error *err)
{
  size_t changed = 0;
  const int32_t first = o->face[0];
  if (dg_mesh_straighten(o->mesh, o->faces, o->face, &changed, err) != 0) {
    const struct mx_boundary_config *boundary = &o->config->boundary[key_of(o, first)];
    const struct dg_error why = *err;
    *err = (struct dg_error){0};
    if (why.code != DG_INPUT) *err = why;
    else (void)dg_fail(err, DG_INPUT, MX_PLACE "open wall: %s", MX_AT(boundary->where.where), why.message);
    return err->code;
  }
  if (changed > 0)
    dg_log_line(setup->log, "curved    the maps of %zu elements are made straight at open walls, where layers grow",
                changed);
  return 0;
}

int mx_open_grow(struct mx_setup *setup, struct dg_error *err)
{
  struct open o = {.config = setup->config, .mesh = &setup->mesh};
  if (!mx_open_wanted(setup->config)) return 0;
  if (find_faces(&o, err) != 0) goto fail;
  if (o.faces == 0) goto fail; /* a `default` that nothing is left for */
  if (straighten(setup, &o, err) != 0) goto fail;
  struct dg_error why = {0};
  if (dg_walls_find(&o.walls, o.mesh, o.faces, o.face, &why) != 0) {
    const struct mx_boundary_config *boundary = &o.config->boundary[key_of(&o, o.face[0])];
    if (why.code != DG_INPUT) *err = why;
    else (void)dg_fail(err, DG_INPUT, MX_PLACE "open wall: %s", MX_AT(boundary->where.where), why.message);
    goto fail;
  }
  if (DG_NEW(o.plan, o.walls.count, err) != 0) goto fail;
  for (size_t w = 0; w < o.walls.count; w++)
    if (plan_wall(&o, w, err) != 0) goto fail;
  (void)!grow(setup, &o, err);
fail:
  for (size_t w = 0; w < o.walls.count && o.plan != NULL; w++) {
    dg_free(o.plan[w].stage);
    dg_free(o.plan[w].depth);
  }
  dg_free(o.plan);
  dg_walls_release(&o.walls);
  dg_free(o.boundary);
  dg_free(o.interface);
  dg_free(o.face);
  return err->code;
}

int mx_open_share(struct mx_setup *setup, struct dg_error *err)
{
  struct mx_layers *layers = &setup->layers;
  const bool root = dg_comm_rank(setup->comm) == 0;
  if (!mx_open_wanted(setup->config)) return 0;
  if (dg_comm_broadcast(setup->comm, sizeof layers->count, &layers->count, err) != 0 ||
      (!root && DG_NEW(layers->shape, layers->count, err) != 0) ||
      dg_comm_broadcast(setup->comm, layers->count * sizeof *layers->shape, layers->shape, err) != 0 ||
      DG_NEW(layers->of_volume, setup->mesh.entities, err) != 0)
    return err->code;
  for (size_t i = 0; i < setup->mesh.entities; i++)
    layers->of_volume[i] = setup->mesh.entity[i].dim == 3 ? setup->mesh.entity[i].layer - 1 : -1;
  return 0;
}
