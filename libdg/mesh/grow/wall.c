/* Sorts faces of the boundary into connected walls and finds their rims. extrude.c grows layers from them, and the
 * set-up of open boundaries (maxwell/setup) asks for them. */
#include "libdg/mesh/grow/wall.h"

#include <math.h>
#include <stdlib.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/mesh_limits.h"

/* ---- faces ---- */

static void face_vertices(const struct dg_mesh *mesh, int32_t code, int32_t v[3])
{
  for (int i = 0; i < 3; i++) v[i] = mesh->element[code >> 2][i + (i >= (code & 3))];
}

void dg_face_centre(const struct dg_mesh *mesh, int32_t code, double x[3])
{
  int32_t v[3];
  face_vertices(mesh, code, v);
  for (int d = 0; d < 3; d++) x[d] = (mesh->vertex[v[0]][d] + mesh->vertex[v[1]][d] + mesh->vertex[v[2]][d]) / 3;
}

double dg_face_normal(const struct dg_mesh *mesh, int32_t code, double normal[3])
{
  int32_t v[3];
  double a[3], b[3], inward[3];
  face_vertices(mesh, code, v);
  dg_subtract(mesh->vertex[v[1]], mesh->vertex[v[0]], a);
  dg_subtract(mesh->vertex[v[2]], mesh->vertex[v[0]], b);
  dg_subtract(mesh->vertex[mesh->element[code >> 2][code & 3]], mesh->vertex[v[0]], inward);
  dg_cross(a, b, normal);
  const double twice = sqrt(dg_dot(normal, normal)), sign = dg_dot(normal, inward) > 0 ? -1 : 1;
  for (int d = 0; d < 3; d++) normal[d] *= sign / twice;
  return twice / 2;
}

/* ---- connected parts ---- */

static int32_t root_of(int32_t *parent, int32_t v)
{
  while (parent[v] != v) {
    parent[v] = parent[parent[v]];
    v = parent[v];
  }
  return v;
}

/* part[vertices]: the wall of a vertex, or -1. */
static int find_parts(struct dg_walls *walls, const struct dg_mesh *mesh, size_t faces, const int32_t *face,
                      int32_t *part, struct dg_error *err)
{
  int32_t *parent = NULL, *number = NULL;
  if (DG_NEW(parent, mesh->vertices, err) != 0 || DG_NEW(number, mesh->vertices, err) != 0) goto fail;
  for (size_t v = 0; v < mesh->vertices; v++) {
    parent[v] = (int32_t)v;
    part[v] = number[v] = -1;
  }
  for (size_t k = 0; k < faces; k++) {
    int32_t v[3];
    face_vertices(mesh, face[k], v);
    for (int i = 1; i < 3; i++) parent[root_of(parent, v[i])] = root_of(parent, v[0]);
  }
  for (size_t k = 0; k < faces; k++) {
    int32_t v[3];
    face_vertices(mesh, face[k], v);
    int32_t *own = &number[root_of(parent, v[0])];
    if (*own < 0) *own = (int32_t)walls->count++;
    for (int i = 0; i < 3; i++) part[v[i]] = *own;
  }
fail:
  dg_free(parent);
  dg_free(number);
  return err->code;
}

/* Fills in faces, vertices and corners. local[vertices]: the index of a vertex in its wall. */
static int fill_walls(struct dg_walls *walls, const struct dg_mesh *mesh, size_t faces, const int32_t *face,
                      const int32_t *part, int32_t *local, struct dg_error *err)
{
  int32_t v[3];
  if (DG_NEW(walls->wall, walls->count, err) != 0) return err->code;
  for (size_t k = 0; k < faces; k++) {
    face_vertices(mesh, face[k], v);
    walls->wall[part[v[0]]].faces++;
  }
  for (size_t i = 0; i < mesh->vertices; i++)
    if (part[i] >= 0) local[i] = (int32_t)walls->wall[part[i]].vertices++;
  for (size_t w = 0; w < walls->count; w++) {
    struct dg_wall *wall = &walls->wall[w];
    if (DG_NEW(wall->face, wall->faces, err) != 0 || DG_NEW(wall->corner, wall->faces, err) != 0 ||
        DG_NEW(wall->vertex, wall->vertices, err) != 0)
      return err->code;
    wall->faces = 0;
  }
  for (size_t i = 0; i < mesh->vertices; i++)
    if (part[i] >= 0) walls->wall[part[i]].vertex[local[i]] = (int32_t)i;
  for (size_t k = 0; k < faces; k++) {
    face_vertices(mesh, face[k], v);
    struct dg_wall *wall = &walls->wall[part[v[0]]];
    for (int i = 0; i < 3; i++) wall->corner[wall->faces][i] = local[v[i]];
    wall->face[wall->faces++] = face[k];
  }
  return 0;
}

/* ---- rims ---- */

/* A face at an edge that may be one of a wall. */
enum role { OF_WALL, OUTSIDE, INSIDE };
struct edge {
  int32_t a, b, code; /* vertices of the mesh, ascending; 4 * element + face */
  enum role role;     /* those of the wall come first */
};

static int compare_edges(const void *left, const void *right)
{
  const struct edge *x = left, *y = right;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  if (x->role != y->role) return x->role < y->role ? -1 : 1;
  return (x->code > y->code) - (x->code < y->code);
}

/* Where faces and vertices of the mesh are in their walls. */
struct places {
  int32_t *part;   /* [vertices] the wall of a vertex, or -1 */
  int32_t *local;  /* [vertices] its index there */
  int32_t *number; /* [4 K] index of a face in its wall, or -1 */
};

/* Has the face a place among the edges? A face inside counts once, and only with the tag of a surface. */
static bool has_role(const struct dg_mesh *mesh, int32_t code, const struct places *at, enum role *role)
{
  const int32_t beyond = mesh->neighbour[code >> 2][code & 3];
  *role = beyond != DG_BOUNDARY ? INSIDE : at->number[code] >= 0 ? OF_WALL : OUTSIDE;
  return *role != INSIDE || (beyond > code && mesh->surface[code >> 2][code & 3] >= 0);
}

/* Collects the edges of all faces whose ends lie on one wall. edge may be NULL: they are only counted. */
static size_t collect_edges(const struct dg_mesh *mesh, const struct places *at, struct edge *edge)
{
  const int32_t *part = at->part;
  size_t count = 0;
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    enum role role;
    int32_t v[3];
    face_vertices(mesh, (int32_t)i, v);
    if ((part[v[0]] >= 0) + (part[v[1]] >= 0) + (part[v[2]] >= 0) < 2 || !has_role(mesh, (int32_t)i, at, &role))
      continue;
    for (int skip = 0; skip < 3; skip++) {
      const int32_t a = v[skip == 0], b = v[skip == 2 ? 1 : 2];
      if (part[a] < 0 || part[a] != part[b]) continue;
      if (edge != NULL) edge[count] = (struct edge){a, b, (int32_t)i, role};
      count++;
    }
  }
  return count;
}

static int too_many(const struct dg_mesh *mesh, const struct edge *edge, struct dg_error *err)
{
  double x[3];
  for (int d = 0; d < 3; d++) x[d] = (mesh->vertex[edge->a][d] + mesh->vertex[edge->b][d]) / 2;
  return dg_fail(err, DG_INPUT, "more than two outer faces meet at the edge at " DG_AT, DG_XYZ(x));
}

/* Takes the sides of one edge, edge[count]; with count_only they are only counted. */
static int take_sides(struct dg_walls *walls, const struct dg_mesh *mesh, const struct edge *edge, size_t count,
                      const struct places *at, bool count_only, struct dg_error *err)
{
  size_t of[3] = {0};
  for (size_t i = 0; i < count; i++) of[edge[i].role]++;
  if (of[OF_WALL] == 0) return 0;
  if (of[OF_WALL] + of[OUTSIDE] != 2) return too_many(mesh, edge, err);
  /* At a rim the outer face beside the wall says what goes on there; another that ends there comes to nothing. */
  const enum role wanted = of[OUTSIDE] > 0 ? OUTSIDE : INSIDE;
  struct dg_wall *wall = &walls->wall[at->part[edge->a]];
  for (size_t i = 0; i < count; i++) {
    if (edge[i].role != wanted) continue;
    if (!count_only)
      wall->side[wall->sides] = (struct dg_wall_side){.end = {at->local[edge->a], at->local[edge->b]},
                                                      .face = at->number[edge->code],
                                                      .beside = edge[i].code,
                                                      .inside = wanted == INSIDE};
    wall->sides++;
  }
  return 0;
}

static int find_sides(struct dg_walls *walls, const struct dg_mesh *mesh, const struct places *at, struct dg_error *err)
{
  struct edge *edge = NULL;
  const size_t count = collect_edges(mesh, at, NULL);
  if (DG_NEW(edge, count, err) != 0) return err->code;
  (void)collect_edges(mesh, at, edge);
  if (count > 0) qsort(edge, count, sizeof *edge, compare_edges);
  for (int fill = 0; fill < 2; fill++) {
    for (size_t w = 0; w < walls->count && fill; w++) {
      if (DG_NEW(walls->wall[w].side, walls->wall[w].sides, err) != 0) goto fail;
      walls->wall[w].sides = 0;
    }
    for (size_t i = 0, n; i < count; i += n) {
      for (n = 1; i + n < count && edge[i + n].a == edge[i].a && edge[i + n].b == edge[i].b;) n++;
      if (take_sides(walls, mesh, edge + i, n, at, !fill, err) != 0) goto fail;
    }
  }
fail:
  dg_free(edge);
  return err->code;
}

/* ---- all of it ---- */

int dg_walls_find(struct dg_walls *walls, const struct dg_mesh *mesh, size_t faces, const int32_t *face,
                  struct dg_error *err)
{
  struct places at = {0};
  *walls = (struct dg_walls){0};
  if (DG_NEW(at.part, mesh->vertices, err) != 0 || DG_NEW(at.local, mesh->vertices, err) != 0 ||
      DG_NEW(at.number, 4 * mesh->K, err) != 0 || find_parts(walls, mesh, faces, face, at.part, err) != 0 ||
      fill_walls(walls, mesh, faces, face, at.part, at.local, err) != 0)
    goto fail;
  for (size_t i = 0; i < 4 * mesh->K; i++) at.number[i] = -1;
  for (size_t w = 0; w < walls->count; w++)
    for (size_t k = 0; k < walls->wall[w].faces; k++) at.number[walls->wall[w].face[k]] = (int32_t)k;
  (void)!find_sides(walls, mesh, &at, err);
fail:
  dg_free(at.part);
  dg_free(at.local);
  dg_free(at.number);
  return err->code;
}

void dg_walls_release(struct dg_walls *walls)
{
  for (size_t w = 0; w < walls->count && walls->wall != NULL; w++) {
    dg_free(walls->wall[w].face);
    dg_free(walls->wall[w].corner);
    dg_free(walls->wall[w].vertex);
    dg_free(walls->wall[w].side);
  }
  dg_free(walls->wall);
  *walls = (struct dg_walls){0};
}
