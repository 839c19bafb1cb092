/* Adds layers of elements to a mesh: the old mesh and what dg_sprout grows become the input of dg_mesh_build, which
 * checks and numbers all of it. The set-up of open boundaries (maxwell/setup) calls it. */
#include "libdg/mesh/grow/extrude.h"

#include <limits.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/curve.h"
#include "libdg/mesh/grow/sprout.h"
#include "libdg/mesh/mesh_groups.h"

/* An entity that goes on in a layer. */
struct offshoot {
  int dim, tag, from, layer;
};

struct grower {
  const struct dg_mesh *mesh;
  size_t growths;
  const struct dg_growth *growth;
  struct dg_sprouts *sprouts; /* [growths] */
  /* The input of dg_mesh_build. */
  size_t points, K, triangles;
  double (*point)[3];
  int32_t (*tet)[4], *volume_tag, *place; /* place[K]: the number of an element in this list */
  uint64_t *tag;
  double (*origin)[3];
  double (*shape)[3]; /* of the mesh's curved elements, which keep their numbers, by the vertices as tet has them */
  int32_t (*triangle)[3], *surface_tag;
  size_t offshoots;
  struct offshoot *offshoot;
  int32_t *grown; /* [entities] of the mesh: tag of its offshoot in the present layer, 0: none yet */
  int next_tag[4];
};

/* ---- the input ---- */

static int new_tags(struct grower *g, struct dg_error *err)
{
  for (size_t i = 0; i < g->mesh->entities; i++) {
    const struct dg_entity *entity = &g->mesh->entity[i];
    if (entity->tag >= g->next_tag[entity->dim]) g->next_tag[entity->dim] = entity->tag;
  }
  if (g->next_tag[2] > INT_MAX / 2 || g->next_tag[3] > INT_MAX / 2)
    return dg_fail(err, DG_INPUT, "there are no tags left for the surfaces and volumes of layers");
  g->next_tag[2]++, g->next_tag[3]++;
  return 0;
}

static int allocate(struct grower *g, struct dg_error *err)
{
  const struct dg_mesh *mesh = g->mesh;
  size_t points = mesh->vertices, K = mesh->K, triangles = 0;
  for (size_t i = 0; i < 4 * mesh->K; i++) triangles += mesh->surface[i / 4][i % 4] >= 0;
  for (size_t i = 0; i < g->growths; i++) {
    points += g->sprouts[i].points;
    K += g->sprouts[i].elements;
    triangles += g->sprouts[i].fronts;
  }
  if (K >= INT32_MAX / 4 || points >= INT32_MAX)
    return dg_fail(err, DG_INPUT, "with its layers the mesh has %zu tetrahedra, more than one process can hold", K);
  if (DG_NEW(g->point, points, err) != 0 || DG_NEW(g->tet, K, err) != 0 || DG_NEW(g->volume_tag, K, err) != 0 ||
      DG_NEW(g->place, K, err) != 0 || DG_NEW(g->tag, K, err) != 0 || DG_NEW(g->origin, K, err) != 0 ||
      DG_NEW(g->triangle, triangles, err) != 0 || DG_NEW(g->surface_tag, triangles, err) != 0 ||
      DG_NEW(g->grown, mesh->entities, err) != 0 ||
      DG_NEW(g->shape, mesh->curved > 0 ? mesh->curved * dg_shape_nodes(mesh->geometry) : 0, err) != 0)
    return err->code;
  return new_tags(g, err);
}

static void grower_release(struct grower *g)
{
  for (size_t i = 0; i < g->growths && g->sprouts != NULL; i++) dg_sprouts_release(&g->sprouts[i]);
  dg_free(g->sprouts);
  dg_free(g->point);
  dg_free(g->tet);
  dg_free(g->volume_tag);
  dg_free(g->place);
  dg_free(g->tag);
  dg_free(g->origin);
  dg_free(g->shape);
  dg_free(g->triangle);
  dg_free(g->surface_tag);
  dg_free(g->offshoot);
  dg_free(g->grown);
}

/* Adds an element; its vertices may be in either orientation. */
static void add_element(struct grower *g, const int32_t v[4], int32_t volume_tag, uint64_t tag, const double origin[3])
{
  const double(*x)[3] = (const double(*)[3])g->point;
  const bool turned = dg_volume6(x[v[0]], x[v[1]], x[v[2]], x[v[3]]) < 0;
  const int32_t tet[4] = {v[0], v[1], v[turned ? 3 : 2], v[turned ? 2 : 3]};
  memcpy(g->tet[g->K], tet, sizeof tet);
  g->volume_tag[g->K] = volume_tag;
  g->tag[g->K] = tag;
  memcpy(g->origin[g->K], origin, sizeof g->origin[g->K]);
  g->place[g->K] = (int32_t)g->K;
  g->K++;
}

static void add_triangle(struct grower *g, const int32_t v[3], int32_t surface_tag)
{
  memcpy(g->triangle[g->triangles], v, 3 * sizeof *v);
  g->surface_tag[g->triangles++] = surface_tag;
}

static void copy_mesh(struct grower *g)
{
  const struct dg_mesh *mesh = g->mesh;
  memcpy(g->point, mesh->vertex, mesh->vertices * sizeof *g->point);
  g->points = mesh->vertices;
  for (size_t e = 0; e < mesh->K; e++) {
    const int32_t *v = mesh->element[e];
    double x[3];
    for (int d = 0; d < 3; d++) {
      x[d] = 0;
      for (int i = 0; i < 4; i++) x[d] += 0.25 * mesh->vertex[v[i]][d];
    }
    add_element(g, v, mesh->entity[mesh->volume[e]].tag, mesh->tag[e], x);
    for (int f = 0; f < 4; f++) {
      const int32_t surface = mesh->surface[e][f], beyond = mesh->neighbour[e][f];
      const int32_t face[3] = {v[f == 0], v[f <= 1 ? 2 : 1], v[f == 3 ? 2 : 3]};
      if (surface < 0 || (beyond != DG_BOUNDARY && (size_t)(beyond >> 2) < e)) continue;
      add_triangle(g, face, mesh->entity[surface].tag);
    }
  }
}

/* Copies the maps of curved elements. Their walls are straight (straighten.h). */
static void copy_shapes(struct grower *g)
{
  const struct dg_mesh *mesh = g->mesh;
  for (size_t k = 0; k < mesh->curved; k++) {
    const size_t e = (size_t)mesh->curve[k];
    int own[4] = {0};
    for (int q = 0; q < 4; q++)
      for (int i = 0; i < 4; i++)
        if (mesh->element[e][i] == g->tet[e][q]) own[q] = i;
    dg_shape_turn(mesh->geometry, own, dg_mesh_shape(mesh, k), g->shape + k * dg_shape_nodes(mesh->geometry));
  }
}

/* Finds or makes the entity that continues another one in layer i; *tag is its own. */
static int continue_entity(struct grower *g, int32_t entity, size_t i, int32_t *tag, struct dg_error *err)
{
  const struct dg_entity *from = &g->mesh->entity[entity];
  int32_t *own = &g->grown[entity];
  if (*own == 0) {
    if (dg_grow(&g->offshoot, g->offshoots + 1, sizeof *g->offshoot, err) != 0) return err->code;
    *own = g->next_tag[from->dim]++;
    g->offshoot[g->offshoots++] =
        (struct offshoot){.dim = from->dim, .tag = *own, .from = from->tag, .layer = (int)i + 1};
  }
  *tag = *own;
  return 0;
}

/* Adds layer i to the input. Its points follow those of the layers before. */
static int add_layer(struct grower *g, size_t i, uint64_t *tag, struct dg_error *err)
{
  const struct dg_sprouts *s = &g->sprouts[i];
  const int32_t old = (int32_t)g->mesh->vertices, shift = (int32_t)g->points - old;
  int32_t own = 0;
  memset(g->grown, 0, g->mesh->entities * sizeof *g->grown);
  if (s->points > 0) memcpy(g->point[g->points], s->point, s->points * sizeof *s->point);
  g->points += s->points;
  for (size_t k = 0; k < s->elements; k++) {
    const struct dg_sprout_element *element = &s->element[k];
    int32_t v[4];
    for (int n = 0; n < 4; n++) v[n] = element->v[n] + (element->v[n] >= old ? shift : 0);
    if (continue_entity(g, g->mesh->volume[element->seed], i, &own, err) != 0) return err->code;
    add_element(g, v, own, ++*tag, g->origin[element->seed]);
  }
  for (size_t k = 0; k < s->fronts; k++) {
    const struct dg_front *front = &s->front[k];
    int32_t v[3];
    if (front->drawn || front->surface < 0) continue;
    for (int n = 0; n < 3; n++) v[n] = front->v[n] + (front->v[n] >= old ? shift : 0);
    if (continue_entity(g, front->surface, i, &own, err) != 0) return err->code;
    add_triangle(g, v, own);
  }
  return 0;
}

/* ---- the mesh from it ---- */

/* Gives the new mesh the groups of the old one, and one for each layer. */
static int set_groups(struct dg_mesh *mesh, const struct grower *g, struct dg_error *err)
{
  const struct dg_mesh *old = g->mesh;
  const size_t groups = old->groups + g->growths;
  struct dg_group_input *group = NULL;
  int *member = NULL, tag = 0;
  size_t members = g->offshoots, used = 0;
  for (size_t i = 0; i < old->entities; i++) members += (size_t)old->entity[i].groups;
  if (DG_NEW(group, groups, err) != 0 || DG_NEW(member, members, err) != 0) goto fail;
  for (size_t n = 0; n < old->groups; n++) {
    const struct dg_group *from = &old->group[n];
    group[n] =
        (struct dg_group_input){.dim = from->dim, .tag = from->tag, .name = from->name, .entity_tag = &member[used]};
    if (from->dim == 3 && from->tag > tag) tag = from->tag;
    for (size_t i = 0; i < old->entities; i++)
      for (int k = 0; k < old->entity[i].groups; k++)
        if ((size_t)old->entity[i].group[k] == n) member[used++] = old->entity[i].tag, group[n].entities++;
  }
  for (size_t n = 0; n < g->growths; n++) {
    struct dg_group_input *own = &group[old->groups + n];
    *own = (struct dg_group_input){.dim = 3, .tag = ++tag, .name = g->growth[n].name, .entity_tag = &member[used]};
    for (size_t i = 0; i < g->offshoots; i++)
      if (g->offshoot[i].dim == 3 && g->offshoot[i].layer == (int)n + 1)
        member[used++] = g->offshoot[i].tag, own->entities++;
  }
  (void)!dg_mesh_set_groups(mesh, groups, group, err);
fail:
  dg_free(group);
  dg_free(member);
  return err->code;
}

/* Adds the old mesh's entities that carry nothing, and says of each new one what it continues. */
static int complete_entities(struct dg_mesh *mesh, const struct grower *g, struct dg_error *err)
{
  const struct dg_mesh *old = g->mesh;
  for (size_t i = 0; i < old->entities; i++) {
    const struct dg_entity *from = &old->entity[i];
    const struct dg_group_input one = {.dim = from->dim, .entities = 1, .entity_tag = &from->tag};
    if (dg_mesh_find_entity(mesh, from->dim, from->tag) < 0 && dg_mesh_add_empty(mesh, 1, &one, err) != 0)
      return err->code;
    mesh->entity[dg_mesh_find_entity(mesh, from->dim, from->tag)].loose = from->loose;
  }
  for (size_t i = 0; i < g->offshoots; i++) {
    const struct offshoot *from = &g->offshoot[i];
    struct dg_entity *own = &mesh->entity[dg_mesh_find_entity(mesh, from->dim, from->tag)];
    own->grown_from = from->from;
    own->layer = from->layer;
  }
  return 0;
}

/* Puts in their places what dg_mesh_build knows nothing of. It has carried `place` along as if it were the partition of
 * the elements. */
static int take_places(struct dg_mesh *mesh, const struct grower *g, struct dg_error *err)
{
  int32_t *place = mesh->partition;
  mesh->partition = NULL;
  mesh->partitions = 0; /* a split that Gmsh made does not hold the layer */
  if (DG_NEW(mesh->origin, mesh->K, err) == 0)
    for (size_t e = 0; e < mesh->K; e++) memcpy(mesh->origin[e], g->origin[place[e]], sizeof mesh->origin[e]);
  dg_free(place);
  return err->code;
}

static int build(struct dg_mesh *mesh, const struct grower *g, struct dg_error *err)
{
  const struct dg_mesh_input input = {.points = g->points,
                                      .K = g->K,
                                      .triangles = g->triangles,
                                      .point = (const double(*)[3])g->point,
                                      .tet = (const int32_t(*)[4])g->tet,
                                      .volume_tag = g->volume_tag,
                                      .tag = g->tag,
                                      .triangle = (const int32_t(*)[3])g->triangle,
                                      .surface_tag = g->surface_tag,
                                      .geometry = g->mesh->geometry,
                                      .curved = g->mesh->curved,
                                      .curve = g->mesh->curve,
                                      .shape = (const double(*)[3])g->shape,
                                      .partition = g->place,
                                      .partitions = 1};
  if (dg_mesh_build(mesh, &input, err) != 0)
    return dg_context(err, "where the layer '%s' was to grow", g->growth[0].name);
  if (take_places(mesh, g, err) == 0 && complete_entities(mesh, g, err) == 0) (void)!set_groups(mesh, g, err);
  return err->code;
}

static int check_names(const struct grower *g, struct dg_error *err)
{
  for (size_t n = 0; n < g->growths; n++)
    for (size_t i = 0; i < g->mesh->groups; i++)
      if (g->mesh->group[i].dim == 3 && strcmp(g->mesh->group[i].name, g->growth[n].name) == 0)
        return dg_fail(err, DG_INPUT, "the mesh has a volume group '%s' already: a layer gets this name",
                       g->growth[n].name);
  return 0;
}

int dg_mesh_grow(struct dg_mesh *mesh, size_t growths, const struct dg_growth *growth, struct dg_error *err)
{
  struct grower g = {.mesh = mesh, .growths = growths, .growth = growth};
  struct dg_mesh grown = {0};
  uint64_t tag = 0;
  if (check_names(&g, err) != 0 || DG_NEW(g.sprouts, growths, err) != 0) goto fail;
  for (size_t i = 0; i < growths; i++)
    if (dg_sprout(&g.sprouts[i], mesh, &growth[i], err) != 0) goto fail;
  if (allocate(&g, err) != 0) goto fail;
  copy_mesh(&g);
  copy_shapes(&g);
  for (size_t e = 0; e < mesh->K; e++) tag = mesh->tag[e] > tag ? mesh->tag[e] : tag;
  for (size_t i = 0; i < growths; i++)
    if (add_layer(&g, i, &tag, err) != 0) goto fail;
  (void)!build(&grown, &g, err);
fail:
  grower_release(&g);
  dg_mesh_release(mesh);
  if (err->code != DG_OK) dg_mesh_release(&grown);
  else *mesh = grown;
  return err->code;
}
