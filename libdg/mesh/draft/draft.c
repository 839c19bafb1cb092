/* Lists of simplices by vertex, and what these lists tell about a vertex: its freedom. */
#include "libdg/mesh/draft/draft.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"

#define COLLINEAR 1e-7 /* sine of the largest angle within one line, or one plane */
#define RESOLVED  0.85 /* cosine of the angle between neighbours on a curve or surface that the mesh follows closely */

/* ---- lists ---- */

static int star_init(struct dg_star *star, size_t points, size_t count, int corners, const int32_t *vertex,
                     struct dg_error *err)
{
  if (DG_NEW(star->head, points, err) != 0 || DG_NEW(star->next, count * (size_t)corners + 1, err) != 0)
    return err->code;
  for (size_t i = 0; i < points; i++) star->head[i] = -1;
  for (size_t i = count * (size_t)corners; i-- > 0;) {
    star->next[i] = star->head[vertex[i]];
    star->head[vertex[i]] = (int32_t)i;
  }
  return 0;
}

int dg_draft_init(struct dg_draft *draft, struct dg_error *err)
{
  draft->room = draft->K;
  draft->triangle_room = draft->triangles;
  draft->point_room = draft->points;
  for (size_t e = 0; e < draft->K; e++)
    if (draft->tag[e] > draft->last_tag) draft->last_tag = draft->tag[e];
  if (DG_NEW(draft->stays, draft->points, err) != 0) return err->code;
  for (size_t i = 0; i < draft->corners; i++) draft->stays[draft->corner[i]] = true;
  for (size_t i = 0; i < draft->holds; i++) draft->stays[draft->held[i]] = true;
  if (star_init(&draft->tets, draft->points, draft->K, 4, draft->K > 0 ? draft->tet[0] : NULL, err) != 0)
    return err->code;
  if (star_init(&draft->faces, draft->points, draft->triangles, 3, draft->triangles > 0 ? draft->triangle[0] : NULL,
                err) != 0)
    return err->code;
  return star_init(&draft->edges, draft->points, draft->segments, 2, draft->segments > 0 ? draft->segment[0] : NULL,
                   err);
}

void dg_draft_release(struct dg_draft *draft)
{
  struct dg_star *star[] = {&draft->tets, &draft->faces, &draft->edges};
  for (int i = 0; i < 3; i++) {
    dg_free(star[i]->head);
    dg_free(star[i]->next);
    *star[i] = (struct dg_star){0};
  }
  dg_free(draft->stays);
  draft->stays = NULL;
}

void dg_draft_finish(struct dg_draft *draft)
{
  size_t kept = 0;
  for (size_t e = 0; e < draft->K; e++) {
    if (draft->tet[e][0] < 0) continue;
    for (int i = 0; i < 4; i++) draft->tet[kept][i] = draft->tet[e][i];
    draft->volume_tag[kept] = draft->volume_tag[e];
    draft->tag[kept++] = draft->tag[e];
  }
  draft->K = kept;
  kept = 0;
  for (size_t t = 0; t < draft->triangles; t++) {
    if (draft->triangle[t][0] < 0) continue;
    for (int i = 0; i < 3; i++) draft->triangle[kept][i] = draft->triangle[t][i];
    draft->surface_tag[kept++] = draft->surface_tag[t];
  }
  draft->triangles = kept;
  dg_draft_release(draft);
}

int dg_draft_tets_at(const struct dg_draft *draft, int32_t vertex, int32_t tet[DG_STAR_MAX])
{
  int count = 0;
  for (int32_t at = draft->tets.head[vertex]; at >= 0; at = draft->tets.next[at]) {
    if (draft->tet[at / 4][0] < 0 || draft->tet[at / 4][at % 4] != vertex) continue;
    if (count == DG_STAR_MAX) return DG_STAR_MAX + 1;
    tet[count++] = at / 4;
  }
  return count;
}

int dg_draft_triangles_at(const struct dg_draft *draft, int32_t vertex, int32_t triangle[DG_STAR_MAX])
{
  int count = 0;
  for (int32_t at = draft->faces.head[vertex]; at >= 0; at = draft->faces.next[at]) {
    if (draft->triangle[at / 3][0] < 0 || draft->triangle[at / 3][at % 3] != vertex) continue;
    if (count == DG_STAR_MAX) return DG_STAR_MAX + 1;
    triangle[count++] = at / 3;
  }
  return count;
}

int32_t dg_draft_curve(const struct dg_draft *draft, int32_t a, int32_t b)
{
  for (int32_t at = draft->edges.head[a]; at >= 0; at = draft->edges.next[at])
    if (draft->segment[at / 2][at % 2] == a && draft->segment[at / 2][1 - at % 2] == b) return draft->curve_tag[at / 2];
  return 0;
}

int32_t dg_draft_face(const struct dg_draft *draft, int32_t a, int32_t b, int32_t c)
{
  for (int32_t at = draft->faces.head[a]; at >= 0; at = draft->faces.next[at]) {
    const int32_t *v = draft->triangle[at / 3];
    if (v[0] >= 0 && dg_draft_has(v, 3, a) && dg_draft_has(v, 3, b) && dg_draft_has(v, 3, c)) return at / 3;
  }
  return -1;
}

/* ---- freedom ---- */

static void triangle_normal(const struct dg_draft *draft, int32_t triangle, double normal[3])
{
  const int32_t *v = draft->triangle[triangle];
  double u[3], w[3];
  dg_subtract(draft->point[v[1]], draft->point[v[0]], u);
  dg_subtract(draft->point[v[2]], draft->point[v[0]], w);
  dg_cross(u, w, normal);
  dg_normalise(normal);
}

/* The two segments at a vertex of one curve; false when there are others. */
static bool segments_at(const struct dg_draft *draft, int32_t vertex, double along[2][3], int32_t *curve)
{
  int count = 0;
  for (int32_t at = draft->edges.head[vertex]; at >= 0; at = draft->edges.next[at]) {
    if (count == 2 || (count == 1 && draft->curve_tag[at / 2] != *curve)) return false;
    *curve = draft->curve_tag[at / 2];
    dg_subtract(draft->point[draft->segment[at / 2][1 - at % 2]], draft->point[vertex], along[count]);
    dg_normalise(along[count++]);
  }
  return count == 2;
}

static struct dg_way way_on_curve(const struct dg_draft *draft, int32_t vertex, const int32_t *triangle, int count)
{
  struct dg_way way = {.freedom = DG_ON_LINE};
  double along[2][3], n[3];
  if (!segments_at(draft, vertex, along, &way.tag)) return (struct dg_way){.freedom = DG_FIXED};
  dg_subtract(along[0], along[1], way.direction);
  dg_normalise(way.direction);
  dg_cross(along[0], along[1], n);
  if (dg_dot(along[0], along[1]) > -RESOLVED) return (struct dg_way){.freedom = DG_FIXED};
  if (sqrt(dg_dot(n, n)) > COLLINEAR) way.freedom = DG_ON_CURVE;
  for (int i = 0; i < count; i++) {
    triangle_normal(draft, triangle[i], n);
    if (fabs(dg_dot(n, way.direction)) > COLLINEAR) way.freedom = DG_ON_CURVE;
  }
  return way;
}

struct dg_way dg_draft_way(const struct dg_draft *draft, int32_t vertex)
{
  const struct dg_way fixed = {.freedom = DG_FIXED};
  int32_t triangle[DG_STAR_MAX];
  const int count = dg_draft_triangles_at(draft, vertex, triangle);
  struct dg_way way = {.freedom = DG_FREE};
  if (draft->stays[vertex] || count > DG_STAR_MAX) return fixed;
  if (draft->edges.head[vertex] >= 0) way = way_on_curve(draft, vertex, triangle, count);
  else if (count > 0) way = (struct dg_way){.freedom = DG_ON_PLANE, .tag = draft->surface_tag[triangle[0]]};
  for (int i = 0; i < count && (way.freedom == DG_ON_PLANE || way.freedom == DG_ON_SURFACE); i++) {
    double normal[3], n[3];
    triangle_normal(draft, triangle[i], normal);
    if (draft->surface_tag[triangle[i]] != way.tag) return fixed;
    for (int b = 0; i == 0 && b < 3; b++) way.direction[b] = normal[b];
    dg_cross(normal, way.direction, n);
    if (fabs(dg_dot(normal, way.direction)) < RESOLVED) return fixed;
    if (sqrt(dg_dot(n, n)) > COLLINEAR) way.freedom = DG_ON_SURFACE;
  }
  if ((way.freedom == DG_ON_CURVE || way.freedom == DG_ON_SURFACE) && draft->project == NULL) return fixed;
  return way;
}

/* ---- tetrahedra ---- */

/* A vertex that nothing has yet; one whose number was given back is forgotten. */
int dg_draft_add_point(struct dg_draft *draft, const double x[3], int32_t *vertex, struct dg_error *err)
{
  if (draft->points == draft->point_room) {
    const size_t room = draft->point_room + draft->point_room / 8 + 64;
    if (dg_grow(&draft->point, room, sizeof *draft->point, err) != 0 ||
        dg_grow(&draft->tets.head, room, sizeof *draft->tets.head, err) != 0 ||
        dg_grow(&draft->faces.head, room, sizeof *draft->faces.head, err) != 0 ||
        dg_grow(&draft->edges.head, room, sizeof *draft->edges.head, err) != 0 ||
        dg_grow(&draft->stays, room, sizeof *draft->stays, err) != 0)
      return err->code;
    draft->point_room = room;
  }
  *vertex = (int32_t)draft->points++;
  for (int b = 0; b < 3; b++) draft->point[*vertex][b] = x[b];
  draft->tets.head[*vertex] = draft->faces.head[*vertex] = draft->edges.head[*vertex] = -1;
  draft->stays[*vertex] = false;
  return 0;
}

int dg_draft_add_tet(struct dg_draft *draft, const int32_t vertex[4], int32_t volume, struct dg_error *err)
{
  if (draft->K == draft->room) {
    size_t room = draft->room + draft->room / 8 + 64;
    if (dg_grow(&draft->tet, room, sizeof *draft->tet, err) != 0 ||
        dg_grow(&draft->volume_tag, room, sizeof *draft->volume_tag, err) != 0 ||
        dg_grow(&draft->tag, room, sizeof *draft->tag, err) != 0 ||
        dg_grow(&draft->tets.next, 4 * room, sizeof *draft->tets.next, err) != 0)
      return err->code;
    draft->room = room;
  }
  for (int i = 0; i < 4; i++) {
    const int32_t at = 4 * (int32_t)draft->K + i;
    draft->tet[draft->K][i] = vertex[i];
    draft->tets.next[at] = draft->tets.head[vertex[i]];
    draft->tets.head[vertex[i]] = at;
  }
  draft->volume_tag[draft->K] = volume;
  draft->tag[draft->K++] = ++draft->last_tag;
  return 0;
}

int dg_draft_add_triangle(struct dg_draft *draft, const int32_t vertex[3], int32_t surface, struct dg_error *err)
{
  if (draft->triangles == draft->triangle_room) {
    size_t room = draft->triangle_room + draft->triangle_room / 8 + 64;
    if (dg_grow(&draft->triangle, room, sizeof *draft->triangle, err) != 0 ||
        dg_grow(&draft->surface_tag, room, sizeof *draft->surface_tag, err) != 0 ||
        dg_grow(&draft->faces.next, 3 * room, sizeof *draft->faces.next, err) != 0)
      return err->code;
    draft->triangle_room = room;
  }
  for (int i = 0; i < 3; i++) {
    const int32_t at = 3 * (int32_t)draft->triangles + i;
    draft->triangle[draft->triangles][i] = vertex[i];
    draft->faces.next[at] = draft->faces.head[vertex[i]];
    draft->faces.head[vertex[i]] = at;
  }
  draft->surface_tag[draft->triangles++] = surface;
  return 0;
}

double dg_altitude(const double a[3], const double b[3], const double c[3], const double d[3])
{
  double u[3], v[3], w[3], x[3], y[3], n[3], area = 0;
  dg_subtract(b, a, u);
  dg_subtract(c, a, v);
  dg_subtract(d, a, w);
  dg_subtract(c, b, x);
  dg_subtract(d, b, y);
  const double *side[4][2] = {{x, y}, {v, w}, {u, w}, {u, v}};
  for (int f = 0; f < 4; f++) {
    dg_cross(side[f][0], side[f][1], n);
    area = fmax(area, dg_dot(n, n));
  }
  /* n is u x v, from the last side */
  return area > 0 ? dg_dot(n, w) / sqrt(area) : 0;
}

double dg_draft_altitude(const struct dg_draft *draft, int32_t tet)
{
  const int32_t *v = draft->tet[tet];
  return dg_altitude(draft->point[v[0]], draft->point[v[1]], draft->point[v[2]], draft->point[v[3]]);
}

double dg_draft_volume(const struct dg_draft *draft, int32_t tet)
{
  const int32_t *v = draft->tet[tet];
  return dg_volume6(draft->point[v[0]], draft->point[v[1]], draft->point[v[2]], draft->point[v[3]]);
}
