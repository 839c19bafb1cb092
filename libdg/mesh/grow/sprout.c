/* Grows the elements of a layer, stage by stage, from the front: the triangles of the wall and those beside it.
 * extrude.c calls it and makes a mesh of the lists. */
#include "libdg/mesh/grow/sprout.h"

#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/mesh/mesh_limits.h"

void dg_sprouts_release(struct dg_sprouts *sprouts)
{
  dg_free(sprouts->point);
  dg_free(sprouts->element);
  dg_free(sprouts->front);
  *sprouts = (struct dg_sprouts){0};
}

/* Makes room for one more member of a list. */
static int make_room(void *list, size_t *room, size_t count, size_t size, struct dg_error *err)
{
  if (count < *room) return 0;
  const size_t more = 2 * *room + 64;
  if (dg_grow(list, more, size, err) != 0) return err->code;
  *room = more;
  return 0;
}

static int add_front(struct dg_sprouts *s, const struct dg_front *front, struct dg_error *err)
{
  if (make_room(&s->front, &s->fronts_room, s->fronts, sizeof *s->front, err) != 0) return err->code;
  s->front[s->fronts++] = *front;
  return 0;
}

/* ---- the first front ---- */

static int add_face(struct dg_sprouts *s, const struct dg_mesh *mesh, int32_t code, int stage, struct dg_error *err)
{
  struct dg_front front = {.surface = mesh->surface[code >> 2][code & 3],
                           .seed = code >> 2,
                           .stage = stage,
                           .inside = mesh->neighbour[code >> 2][code & 3] != DG_BOUNDARY,
                           .drawn = true};
  for (int i = 0; i < 3; i++) front.v[i] = mesh->element[code >> 2][i + (i >= (code & 3))];
  return add_front(s, &front, err);
}

/* Takes the faces of the wall and, once each, those beside it. */
static int start(struct dg_sprouts *s, const struct dg_mesh *mesh, const struct dg_growth *growth, struct dg_error *err)
{
  const struct dg_wall *wall = growth->wall;
  int32_t *beside = NULL;
  s->fronts = 0;
  if (DG_NEW(beside, wall->sides, err) != 0) return err->code;
  for (size_t k = 0; k < wall->faces; k++)
    if (add_face(s, mesh, wall->face[k], growth->stage[k], err) != 0) goto fail;
  for (size_t k = 0; k < wall->sides; k++) beside[k] = wall->side[k].beside;
  qsort(beside, wall->sides, sizeof *beside, dg_compare_int32);
  for (size_t k = 0; k < wall->sides; k++)
    if ((k == 0 || beside[k] != beside[k - 1]) && add_face(s, mesh, beside[k], -1, err) != 0) goto fail;
fail:
  dg_free(beside);
  return err->code;
}

/* ---- a stage ---- */

struct stage {
  const struct dg_mesh *mesh;
  const struct dg_growth *growth;
  int number;
  size_t base;     /* number of the first new point of the stage */
  size_t vertices; /* that grow */
  int32_t *vertex; /* [vertices] ascending */
};

/* The place of a vertex among those that grow, or -1. */
static int64_t rank_of(const struct stage *stage, int32_t v)
{
  const int32_t *at = bsearch(&v, stage->vertex, stage->vertices, sizeof v, dg_compare_int32);
  return at == NULL ? -1 : at - stage->vertex;
}

static int find_vertices(struct stage *stage, const struct dg_sprouts *s, struct dg_error *err)
{
  size_t count = 0;
  if (DG_NEW(stage->vertex, 3 * s->fronts, err) != 0) return err->code;
  for (size_t k = 0; k < s->fronts; k++)
    for (int i = 0; i < 3 && s->front[k].stage == stage->number; i++) stage->vertex[count++] = s->front[k].v[i];
  qsort(stage->vertex, count, sizeof *stage->vertex, dg_compare_int32);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || stage->vertex[i] != stage->vertex[stage->vertices - 1])
      stage->vertex[stage->vertices++] = stage->vertex[i];
  return 0;
}

/* The number of the point above a vertex that grows, behind `sheet` sheets. */
static int32_t above(const struct stage *stage, size_t sheet, int32_t v)
{
  if (sheet == 0) return v;
  return (int32_t)(stage->base + (sheet - 1) * stage->vertices + (size_t)rank_of(stage, v));
}

static int add_points(struct stage *stage, struct dg_sprouts *s, struct dg_error *err)
{
  const struct dg_growth *growth = stage->growth;
  const size_t old = stage->mesh->vertices, count = growth->sheets * stage->vertices;
  stage->base = old + s->points;
  if (stage->base + count >= INT32_MAX)
    return dg_fail(err, DG_INPUT, "with the layer '%s' the mesh has more points than one process can hold",
                   growth->name);
  for (size_t n = 0; n < growth->sheets; n++)
    for (size_t i = 0; i < stage->vertices; i++) {
      const size_t v = (size_t)stage->vertex[i];
      double x[3], way[3];
      if (make_room(&s->point, &s->points_room, s->points, sizeof *s->point, err) != 0) return err->code;
      memcpy(x, v < old ? stage->mesh->vertex[v] : s->point[v - old], sizeof x);
      growth->way(growth->shape, stage->number, x, way);
      for (int d = 0; d < 3; d++) s->point[s->points][d] = x[d] + growth->depth[n] * way[d];
      s->points++;
    }
  return 0;
}

/* Stacks the prisms on a triangle, and takes it to their top. */
static int raise(const struct stage *stage, struct dg_sprouts *s, size_t k, struct dg_error *err)
{
  struct dg_front *front = &s->front[k];
  int32_t low[3], high[3];
  memcpy(low, front->v, sizeof low);
  for (size_t n = 1; n <= stage->growth->sheets; n++) {
    for (int i = 0; i < 3; i++) high[i] = above(stage, n, front->v[i]);
    const struct dg_sprout_element cut[3] = {{{low[0], low[1], low[2], high[2]}, front->seed},
                                             {{low[0], low[1], high[1], high[2]}, front->seed},
                                             {{low[0], high[0], high[1], high[2]}, front->seed}};
    for (int i = 0; i < 3; i++) {
      if (make_room(&s->element, &s->elements_room, s->elements, sizeof *s->element, err) != 0) return err->code;
      s->element[s->elements++] = cut[i];
    }
    memcpy(low, high, sizeof low);
  }
  memcpy(front->v, high, sizeof high);
  front->stage = -1;
  front->drawn = false;
  return 0;
}

/* ---- what goes on beside it ---- */

enum role { GROWS, OUTSIDE, INSIDE };
struct edge {
  int32_t a, b; /* vertices that grow, ascending */
  enum role role;
  int32_t front;
};

static int compare_edges(const void *left, const void *right)
{
  const struct edge *x = left, *y = right;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  if (x->role != y->role) return x->role < y->role ? -1 : 1;
  return (x->front > y->front) - (x->front < y->front);
}

/* Lists the edges of all triangles of the front between vertices that grow: edge[*count], sorted. */
static int list_edges(const struct stage *stage, const struct dg_sprouts *s, struct edge **edge, size_t *count,
                      struct dg_error *err)
{
  *count = 0;
  if (DG_NEW(*edge, 3 * s->fronts, err) != 0) return err->code;
  for (size_t k = 0; k < s->fronts; k++) {
    const struct dg_front *front = &s->front[k];
    const enum role role = front->stage == stage->number ? GROWS : front->inside ? INSIDE : OUTSIDE;
    bool grows[3];
    for (int i = 0; i < 3; i++) grows[i] = role == GROWS || rank_of(stage, front->v[i]) >= 0;
    for (int skip = 0; skip < 3; skip++) {
      const int low = skip == 0, high = skip == 2 ? 1 : 2;
      if (grows[low] && grows[high])
        (*edge)[(*count)++] = (struct edge){front->v[low], front->v[high], role, (int32_t)k};
    }
  }
  if (*count > 0) qsort(*edge, *count, sizeof **edge, compare_edges);
  return 0;
}

static int fail_edge(const struct stage *stage, const struct dg_sprouts *s, const struct edge *edge,
                     struct dg_error *err)
{
  const size_t old = stage->mesh->vertices, v = (size_t)edge->a;
  const double *x = v < old ? stage->mesh->vertex[v] : s->point[v - old];
  return dg_fail(err, DG_INPUT, "more than two outer faces meet at an edge of the layer '%s' at " DG_AT,
                 stage->growth->name, DG_XYZ(x));
}

/* Continues what stands beside an edge that grows, edge[count]. A part of the wall whose stage comes later grows from
 * the new elements on with their medium. */
static int follow(const struct stage *stage, struct dg_sprouts *s, const struct edge *edge, size_t count,
                  struct dg_error *err)
{
  size_t of[3] = {0};
  for (size_t i = 0; i < count; i++) of[edge[i].role]++;
  if (of[GROWS] == 0) return 0;
  if (of[GROWS] + of[OUTSIDE] != 2) return fail_edge(stage, s, edge, err);
  const enum role wanted = of[OUTSIDE] > 0 ? OUTSIDE : INSIDE;
  const int32_t seed = s->front[edge[0].front].seed; /* of the triangle that grows */
  for (size_t i = 0; i < count; i++) {
    if (edge[i].role != wanted) continue;
    const struct dg_front beside = s->front[edge[i].front];
    for (size_t n = 1; n <= stage->growth->sheets; n++) {
      const int32_t a[2] = {above(stage, n - 1, edge->a), above(stage, n, edge->a)};
      const int32_t b[2] = {above(stage, n - 1, edge->b), above(stage, n, edge->b)};
      struct dg_front side[2] = {beside, beside};
      for (int k = 0; k < 2; k++) {
        const int32_t v[3] = {a[0], k == 0 ? b[0] : a[1], b[1]};
        memcpy(side[k].v, v, sizeof v);
        side[k].seed = seed;
        side[k].drawn = false;
        if (add_front(s, &side[k], err) != 0) return err->code;
      }
    }
  }
  return 0;
}

/* Sorts the vertices of a new triangle: its points have numbers of several sheets. */
static void sort3(int32_t v[3])
{
  for (int i = 1; i < 3; i++)
    for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
      const int32_t swap = v[j];
      v[j] = v[j - 1], v[j - 1] = swap;
    }
}

static int grow_stage(struct stage *stage, struct dg_sprouts *s, struct dg_error *err)
{
  struct edge *edge = NULL;
  size_t edges = 0;
  const size_t before = s->fronts;
  if (find_vertices(stage, s, err) != 0 || add_points(stage, s, err) != 0 ||
      list_edges(stage, s, &edge, &edges, err) != 0)
    goto fail;
  for (size_t i = 0, n; i < edges; i += n) {
    for (n = 1; i + n < edges && edge[i + n].a == edge[i].a && edge[i + n].b == edge[i].b;) n++;
    if (follow(stage, s, edge + i, n, err) != 0) goto fail;
  }
  for (size_t k = 0; k < before; k++)
    if (s->front[k].stage == stage->number && raise(stage, s, k, err) != 0) goto fail;
  for (size_t k = before; k < s->fronts; k++) sort3(s->front[k].v);
fail:
  dg_free(edge);
  return err->code;
}

int dg_sprout(struct dg_sprouts *sprouts, const struct dg_mesh *mesh, const struct dg_growth *growth,
              struct dg_error *err)
{
  if (start(sprouts, mesh, growth, err) != 0) return err->code;
  for (int i = 0; i < growth->stages && err->code == DG_OK; i++) {
    struct stage stage = {.mesh = mesh, .growth = growth, .number = i};
    (void)!grow_stage(&stage, sprouts, err);
    dg_free(stage.vertex);
  }
  return err->code;
}
