/* Cells of triangles and their division: see plane.h. */
#include "libdg/plane/plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/base/vec3.h"

static const double pi = 3.14159265358979323846;
static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};

static int by_vertices(const int64_t a[2], const int64_t b[2])
{
  for (int i = 0; i < 2; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

static int compare_edges(const void *a, const void *b)
{
  const struct dg_plane_edge *x = a, *y = b;
  return by_vertices(x->vertex, y->vertex);
}

static int compare_sides(const void *a, const void *b)
{
  const struct dg_plane_side *x = a, *y = b;
  const int order = by_vertices(x->vertex, y->vertex);
  return order != 0 ? order : x->cell < y->cell ? -1 : x->cell > y->cell;
}

/* The place of a number in an ascending list that has it. */
static int64_t rank_of(const int64_t *list, size_t count, int64_t number)
{
  const int64_t *at = bsearch(&number, list, count, sizeof *list, dg_compare_int64);
  DG_BUG_IF(at == NULL, "a vertex that no triangle has");
  return at - list;
}

static void make_map(struct dg_face_map *map, const struct dg_face_map *given, const double corner[3][3])
{
  *map = *given;
  if (map->geometry > 0) return;
  map->geometry = 1;
  memcpy(map->node, corner, 9 * sizeof(double));
}

int dg_plane_init(struct dg_plane *plane, const struct dg_plane_input *input, struct dg_error *err)
{
  int64_t *list = NULL;
  size_t count = 0;
  const size_t n = input->triangles;
  *plane = (struct dg_plane){.triangles = n, .cells = n, .edges = input->edges};
  if (DG_NEW(list, 3 * n, err) != 0 || DG_NEW(plane->map, n, err) != 0 || DG_NEW(plane->k, n, err) != 0 ||
      DG_NEW(plane->cell, n, err) != 0 || DG_NEW(plane->edge, input->edges, err) != 0)
    goto fail;
  memcpy(list, input->vertex, 3 * n * sizeof *list);
  qsort(list, 3 * n, sizeof *list, dg_compare_int64);
  for (size_t i = 0; i < 3 * n; i++)
    if (i == 0 || list[i] != list[i - 1]) list[count++] = list[i];
  plane->vertices = (int64_t)count;
  for (size_t k = 0; k < n; k++) {
    plane->cell[k] = (struct dg_plane_cell){.triangle = k, .at = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < 3; i++) plane->cell[k].vertex[i] = rank_of(list, count, input->vertex[k][i]);
    make_map(&plane->map[k], &input->map[k], input->corner[k]);
    plane->k[k] = input->k[k];
  }
  for (size_t i = 0; i < input->edges; i++) {
    plane->edge[i].body = input->edge[i].body;
    for (int s = 0; s < 2; s++) plane->edge[i].vertex[s] = rank_of(list, count, input->edge[i].vertex[s]);
  }
  qsort(plane->edge, plane->edges, sizeof *plane->edge, compare_edges);
fail:
  dg_free(list);
  return err->code;
}

void dg_plane_release(struct dg_plane *plane)
{
  dg_free(plane->map);
  dg_free(plane->k);
  dg_free(plane->cell);
  dg_free(plane->edge);
  *plane = (struct dg_plane){0};
}

int dg_plane_sides(const struct dg_plane *plane, struct dg_plane_side **sides, struct dg_error *err)
{
  const size_t count = 3 * plane->cells;
  if (DG_NEW(*sides, count, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) {
    const struct dg_plane_cell *cell = &plane->cell[i / 3];
    (*sides)[i] = (struct dg_plane_side){.cell = i / 3, .side = (int)(i % 3)};
    for (int s = 0; s < 2; s++) (*sides)[i].vertex[s] = cell->vertex[pair[i % 3][s]];
  }
  qsort(*sides, count, sizeof **sides, compare_sides);
  return 0;
}

int dg_plane_body(const struct dg_plane *plane, const int64_t vertex[2])
{
  const struct dg_plane_edge key = {.vertex = {vertex[0], vertex[1]}},
                             *at = bsearch(&key, plane->edge, plane->edges, sizeof key, compare_edges);
  return at != NULL ? at->body : -1;
}

void dg_plane_at(const struct dg_plane *plane, const struct dg_plane_cell *cell, const double bary[3], double x[3],
                 double t[2][3])
{
  double whole[3] = {0}, s[2][3];
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 3; c++) whole[c] += bary[i] * cell->at[i][c];
  dg_face_map_at(&plane->map[cell->triangle], whole, x, s);
  for (int a = 0; a < 2; a++) {
    /* The triangle's coordinates are 2 b - 1, b its barycentric ones, and so are the cell's. */
    const double u = cell->at[a + 1][1] - cell->at[0][1], v = cell->at[a + 1][2] - cell->at[0][2];
    for (int c = 0; c < 3; c++) t[a][c] = u * s[0][c] + v * s[1][c];
  }
}

/* ---- division ---- */

/* Where a side of a cell is cut: the share of its second vertex; 0: nowhere. */
struct cut {
  double share;
  int64_t vertex; /* the new one */
};

/* Puts a cell together from corners, in ascending order of their vertices. */
static void put_cell(struct dg_plane_cell *cell, size_t triangle, const int64_t vertex[6], const double at[6][3],
                     const int corner[3])
{
  int order[3] = {corner[0], corner[1], corner[2]};
  for (int i = 1; i < 3; i++)
    for (int j = i; j > 0 && vertex[order[j]] < vertex[order[j - 1]]; j--) {
      const int swap = order[j];
      order[j] = order[j - 1];
      order[j - 1] = swap;
    }
  cell->triangle = triangle;
  for (int i = 0; i < 3; i++) {
    cell->vertex[i] = vertex[order[i]];
    memcpy(cell->at[i], at[order[i]], sizeof cell->at[i]);
  }
}

/* Divides a cell by its cuts: three into four cells, two into three. Corners are 0 to 2, cuts of the sides 3 to 5.
 * Returns how many cells there are now. */
static size_t divide(const struct dg_plane_cell *old, const struct cut cut[3], struct dg_plane_cell *to)
{
  static const int four[4][3] = {{0, 3, 4}, {1, 3, 5}, {2, 4, 5}, {3, 4, 5}};
  /* The corner whose two sides are cut, by the side that is not: side 2 lies opposite corner 0. */
  static const int three[3][3][3] = {
      {{2, 4, 5}, {0, 4, 5}, {0, 1, 5}}, {{1, 3, 5}, {0, 3, 5}, {0, 2, 5}}, {{0, 3, 4}, {1, 3, 4}, {1, 2, 4}}};
  int64_t vertex[6];
  double at[6][3];
  int whole = -1, cuts = 0;
  for (int i = 0; i < 3; i++) {
    vertex[i] = old->vertex[i];
    memcpy(at[i], old->at[i], sizeof at[i]);
    vertex[3 + i] = cut[i].vertex;
    for (int c = 0; c < 3; c++)
      at[3 + i][c] = (1 - cut[i].share) * old->at[pair[i][0]][c] + cut[i].share * old->at[pair[i][1]][c];
    if (cut[i].share > 0) cuts++;
    else whole = i;
  }
  if (cuts == 0) {
    *to = *old;
    return 1;
  }
  DG_BUG_IF(cuts == 1, "a cell with one side that is cut");
  const size_t parts = cuts == 3 ? 4 : 3;
  for (size_t i = 0; i < parts; i++)
    put_cell(&to[i], old->triangle, vertex, (const double(*)[3])at, cuts == 3 ? four[i] : three[whole][i]);
  return parts;
}

/* The share of its second vertex at which an edge is cut. */
static double share_of(const int64_t vertex[2], const bool *singular, int64_t count, double ratio)
{
  if (singular == NULL) return 0.5;
  for (int s = 0; s < 2; s++)
    if (vertex[s] < count && singular[vertex[s]]) return s == 0 ? ratio : 1 - ratio;
  return 0;
}

/* Replaces edges of bodies by their two parts. */
static int cut_edges(struct dg_plane *plane, const struct dg_plane_side *sides, const struct cut *cut,
                     struct dg_error *err)
{
  struct dg_plane_edge *edge = NULL;
  size_t n = 0;
  if (DG_NEW(edge, 2 * plane->edges, err) != 0) return err->code;
  for (size_t i = 0; i < 3 * plane->cells; i++) {
    const struct dg_plane_side *side = &sides[i];
    if (i > 0 && by_vertices(side->vertex, sides[i - 1].vertex) == 0) continue;
    const int body = dg_plane_body(plane, side->vertex);
    const struct cut *here = &cut[3 * side->cell + (size_t)side->side];
    if (body < 0) continue;
    if (here->share == 0) edge[n++] = (struct dg_plane_edge){{side->vertex[0], side->vertex[1]}, body};
    for (int s = 0; s < 2 && here->share > 0; s++) /* new vertices have the largest numbers */
      edge[n++] = (struct dg_plane_edge){{side->vertex[s], here->vertex}, body};
  }
  dg_free(plane->edge);
  plane->edge = edge;
  plane->edges = n;
  qsort(edge, n, sizeof *edge, compare_edges);
  return 0;
}

/* Cuts edges in the middle (singular NULL), or near their singular ends. */
static int refine(struct dg_plane *plane, const bool *singular, int64_t count, double ratio, struct dg_error *err)
{
  struct dg_plane_side *sides = NULL;
  struct dg_plane_cell *cell = NULL;
  struct cut *cut = NULL; /* [cells][3] */
  size_t n = 0;
  if (dg_plane_sides(plane, &sides, err) != 0 || DG_NEW(cut, 3 * plane->cells, err) != 0 ||
      DG_NEW(cell, 4 * plane->cells, err) != 0)
    goto fail;
  for (size_t i = 0; i < 3 * plane->cells; i++) {
    const struct dg_plane_side *side = &sides[i];
    struct cut *here = &cut[3 * side->cell + (size_t)side->side];
    here->share = share_of(side->vertex, singular, count, ratio);
    if (here->share == 0) continue;
    const bool same = i > 0 && by_vertices(side->vertex, sides[i - 1].vertex) == 0;
    here->vertex = same ? plane->vertices - 1 : plane->vertices++;
  }
  if (cut_edges(plane, sides, cut, err) != 0) goto fail;
  for (size_t k = 0; k < plane->cells; k++) n += divide(&plane->cell[k], cut + 3 * k, cell + n);
  dg_free(plane->cell);
  plane->cell = cell;
  plane->cells = n;
  cell = NULL;
fail:
  dg_free(sides);
  dg_free(cell);
  dg_free(cut);
  return err->code;
}

int dg_plane_halve(struct dg_plane *plane, struct dg_error *err) { return refine(plane, NULL, 0, 0.5, err); }

int dg_plane_grade(struct dg_plane *plane, const bool *singular, int64_t count, int layers, double ratio,
                   struct dg_error *err)
{
  for (int i = 0; i < layers; i++)
    if (refine(plane, singular, count, ratio, err) != 0) return err->code;
  return 0;
}

/* ---- wedges ---- */

struct wedge {
  double angle, low, high; /* of the medium */
  int ends;                /* sides of it that are edges of bodies */
};

static size_t root_of(size_t *parent, size_t i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static double angle_at(const struct dg_plane *plane, const struct dg_plane_cell *cell, int corner)
{
  const double bary[3] = {corner == 0, corner == 1, corner == 2};
  double x[3], t[2][3], u[3], v[3], n[3];
  dg_plane_at(plane, cell, bary, x, t);
  for (int c = 0; c < 3; c++) { /* towards the other two corners */
    u[c] = corner == 0 ? t[0][c] : corner == 1 ? -t[0][c] : -t[1][c];
    v[c] = corner == 0 ? t[1][c] : corner == 1 ? t[1][c] - t[0][c] : t[0][c] - t[1][c];
  }
  dg_cross(u, v, n);
  return atan2(sqrt(dg_dot(n, n)), dg_dot(u, v));
}

static bool is_singular(const struct wedge *wedge)
{
  const double slack = 0.05;
  if (wedge->ends == 0) return false;
  if (wedge->ends == 1) return wedge->angle > 0.5 * pi + slack;
  return wedge->angle > pi + slack || wedge->high > wedge->low * (1 + 1e-9);
}

/* Joins the corners at both ends of sides that two cells share, unless a body lies between them. */
static int join_corners(const struct dg_plane *plane, size_t *parent, struct wedge *wedge, struct dg_error *err)
{
  struct dg_plane_side *sides;
  if (dg_plane_sides(plane, &sides, err) != 0) return err->code;
  for (size_t i = 0; i < 3 * plane->cells; i++) {
    const bool same = i > 0 && by_vertices(sides[i].vertex, sides[i - 1].vertex) == 0;
    const bool body = dg_plane_body(plane, sides[i].vertex) >= 0;
    for (int s = 0; s < 2; s++) {
      const size_t own = 3 * sides[i].cell + (size_t)pair[sides[i].side][s];
      if (body) wedge[own].ends++;
      else if (same)
        parent[root_of(parent, own)] = root_of(parent, 3 * sides[i - 1].cell + (size_t)pair[sides[i - 1].side][s]);
    }
  }
  dg_free(sides);
  return 0;
}

int dg_plane_singular(const struct dg_plane *plane, bool *singular, struct dg_error *err)
{
  const size_t corners = 3 * plane->cells;
  size_t *parent = NULL;
  struct wedge *wedge = NULL;
  if (DG_NEW(parent, corners, err) != 0 || DG_NEW(wedge, corners, err) != 0) goto fail;
  for (size_t i = 0; i < corners; i++) {
    const struct dg_plane_cell *cell = &plane->cell[i / 3];
    const double k = plane->k[cell->triangle];
    parent[i] = i;
    wedge[i] = (struct wedge){.angle = angle_at(plane, cell, (int)(i % 3)), .low = k, .high = k};
  }
  if (join_corners(plane, parent, wedge, err) != 0) goto fail;
  for (size_t i = 0; i < corners; i++) {
    struct wedge *all = &wedge[root_of(parent, i)];
    if (all == &wedge[i]) continue;
    all->angle += wedge[i].angle;
    all->low = fmin(all->low, wedge[i].low);
    all->high = fmax(all->high, wedge[i].high);
    all->ends += wedge[i].ends;
  }
  memset(singular, 0, (size_t)plane->vertices * sizeof *singular);
  for (size_t i = 0; i < corners; i++)
    if (parent[i] == i && is_singular(&wedge[i])) singular[plane->cell[i / 3].vertex[i % 3]] = true;
fail:
  dg_free(parent);
  dg_free(wedge);
  return err->code;
}
