/* Finds the shape of a wall: box, sphere or cylinder. Planes are found from the largest triangles on; sphere and
 * cylinder are fitted by least squares to the vertices, which lie on them however coarse the triangles are. The set-up
 * of open boundaries calls it. */
#include "libdg/mesh/grow/wall_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/mesh_limits.h"

#define FLAT_LIMIT  1e-5 /* of the wall's size: how far a vertex may be from its plane */
#define ANGLE_LIMIT 1e-4 /* how far the cosine of a right angle may be from 0 */
#define ROUND_LIMIT 1e-4 /* of the radius: how far a vertex may be from its sphere or cylinder */

enum { PLANES = 7, BOX_PLANES = 6, CANDIDATES = 32 };

struct plane {
  double normal[3], at; /* the plane is normal . x = at */
  size_t face;          /* of the wall: its largest triangle */
};

/* A wall that is being looked at. */
struct look {
  const struct dg_mesh *mesh;
  const struct dg_wall *wall;
  double (*normal)[3]; /* [faces] outwards */
  double *area;        /* [faces] */
  int *on;             /* [faces] plane, or -1 */
  double middle[3], size;
  int planes;
  struct plane plane[PLANES];
};

static const double *vertex(const struct look *look, int32_t local)
{
  return look->mesh->vertex[look->wall->vertex[local]];
}

static int look_init(struct look *look, const struct dg_mesh *mesh, const struct dg_wall *wall, struct dg_error *err)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  *look = (struct look){.mesh = mesh, .wall = wall};
  if (DG_NEW(look->normal, wall->faces, err) != 0 || DG_NEW(look->area, wall->faces, err) != 0 ||
      DG_NEW(look->on, wall->faces, err) != 0)
    return err->code;
  for (size_t k = 0; k < wall->faces; k++) {
    look->area[k] = dg_face_normal(mesh, wall->face[k], look->normal[k]);
    look->on[k] = -1;
  }
  for (size_t i = 0; i < wall->vertices; i++)
    for (int d = 0; d < 3; d++) {
      low[d] = fmin(low[d], mesh->vertex[wall->vertex[i]][d]);
      high[d] = fmax(high[d], mesh->vertex[wall->vertex[i]][d]);
    }
  for (int d = 0; d < 3; d++) look->middle[d] = (low[d] + high[d]) / 2;
  look->size = dg_distance(low, high);
  return 0;
}

static void look_release(struct look *look)
{
  dg_free(look->normal);
  dg_free(look->area);
  dg_free(look->on);
}

static void face_centre(const struct look *look, size_t k, double x[3])
{
  dg_face_centre(look->mesh, look->wall->face[k], x);
}

/* ---- planes ---- */

static bool face_on_plane(const struct look *look, size_t k, const struct plane *plane)
{
  if (dg_dot(look->normal[k], plane->normal) < 0.99) return false;
  for (int i = 0; i < 3; i++)
    if (fabs(dg_dot(plane->normal, vertex(look, look->wall->corner[k][i])) - plane->at) > FLAT_LIMIT * look->size)
      return false;
  return true;
}

/* Finds planes, each from the largest triangle that lies on none yet, until there are more than a box has. */
static void find_planes(struct look *look)
{
  for (; look->planes < PLANES; look->planes++) {
    struct plane *plane = &look->plane[look->planes];
    double largest = 0;
    for (size_t k = 0; k < look->wall->faces; k++)
      if (look->on[k] < 0 && look->area[k] > largest) largest = look->area[k], plane->face = k;
    if (largest == 0) return;
    memcpy(plane->normal, look->normal[plane->face], sizeof plane->normal);
    plane->at = dg_dot(plane->normal, vertex(look, look->wall->corner[plane->face][0]));
    for (size_t k = 0; k < look->wall->faces; k++)
      if (look->on[k] < 0 && face_on_plane(look, k, plane)) look->on[k] = look->planes;
  }
}

/* ---- a box ---- */

/* The first of the planes that makes it no box, with the reason. */
static int judge_planes(const struct look *look, struct dg_error *err)
{
  double x[3], y[3];
  for (int i = 0; i < look->planes; i++)
    for (int j = 0; j < i; j++) {
      const struct plane *a = &look->plane[i], *b = &look->plane[j];
      const double cosine = dg_dot(a->normal, b->normal);
      face_centre(look, a->face, x);
      face_centre(look, b->face, y);
      if (cosine > 1 - ANGLE_LIMIT)
        return dg_fail(err, DG_INPUT, "has a step between " DG_AT " and " DG_AT ", two planes that face the same way",
                       DG_XYZ(x), DG_XYZ(y));
      if (fabs(cosine) > ANGLE_LIMIT && cosine > -1 + ANGLE_LIMIT)
        return dg_fail(err, DG_INPUT, "has planes at %.4g degrees to each other, at " DG_AT " and " DG_AT,
                       180 / acos(-1) * acos(cosine), DG_XYZ(x), DG_XYZ(y));
    }
  for (int i = 0; i < look->planes; i++)
    for (size_t v = 0; v < look->wall->vertices; v++) {
      const double *at = vertex(look, (int32_t)v);
      if (dg_dot(look->plane[i].normal, at) > look->plane[i].at + 2 * FLAT_LIMIT * look->size)
        return dg_fail(err, DG_INPUT, "is concave: it has " DG_AT " beyond its plane at " DG_AT, DG_XYZ(at),
                       DG_XYZ(vertex(look, look->wall->corner[look->plane[i].face][0])));
    }
  return 0;
}

/* Makes the frame of a box: the normals of its planes, completed, in the order and the sense of the coordinates where
 * they lie along them. */
static void frame_of(const struct look *look, double axis[3][3])
{
  int count = 0;
  double found[3][3] = {{0}};
  for (int i = 0; i < look->planes && count < 3; i++) {
    bool known = false;
    for (int j = 0; j < count; j++) known = known || fabs(dg_dot(found[j], look->plane[i].normal)) > 0.5;
    if (!known) memcpy(found[count++], look->plane[i].normal, sizeof found[0]);
  }
  if (count == 1) { /* any direction across the first: that of the coordinate which it is farthest from */
    int d = 0;
    for (int i = 1; i < 3; i++)
      if (fabs(found[0][i]) < fabs(found[0][d])) d = i;
    for (int i = 0; i < 3; i++) found[1][i] = (i == d) - found[0][d] * found[0][i];
    count++;
  }
  for (int j = 0; j < count; j++) { /* exactly orthonormal */
    for (int k = 0; k < j; k++) {
      const double along = dg_dot(found[j], found[k]);
      for (int i = 0; i < 3; i++) found[j][i] -= along * found[k][i];
    }
    dg_normalise(found[j]);
  }
  dg_cross(found[0], found[1], found[2]);
  int place[3] = {0, 1, 2};
  for (int d = 0; d < 2; d++) /* the axis nearest to x first, of the rest the one nearest to y */
    for (int j = d + 1; j < 3; j++)
      if (fabs(found[place[j]][d]) > fabs(found[place[d]][d])) {
        const int swap = place[d];
        place[d] = place[j], place[j] = swap;
      }
  for (int d = 0; d < 3; d++) {
    const double sign = found[place[d]][d] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) axis[d][i] = sign * found[place[d]][i] + 0.0;
  }
}

static bool is_box(struct look *look, struct dg_wall_shape *shape, int *stage)
{
  struct dg_error why = {0};
  int axis_of[PLANES] = {0};
  if (look->planes > BOX_PLANES || judge_planes(look, &why) != 0) return false;
  *shape = (struct dg_wall_shape){
      .kind = DG_WALL_BOX, .low = {-INFINITY, -INFINITY, -INFINITY}, .high = {INFINITY, INFINITY, INFINITY}};
  frame_of(look, shape->axis);
  memcpy(shape->centre, look->middle, sizeof shape->centre);
  for (int i = 0; i < look->planes; i++) {
    const struct plane *plane = &look->plane[i];
    const double at = plane->at - dg_dot(plane->normal, shape->centre);
    for (int d = 0; d < 3; d++) {
      const double cosine = dg_dot(shape->axis[d], plane->normal);
      if (fabs(cosine) < 0.5) continue;
      if (cosine > 0) shape->high[d] = at;
      else shape->low[d] = -at;
      axis_of[i] = d;
    }
  }
  for (size_t k = 0; k < look->wall->faces; k++) stage[k] = axis_of[look->on[k]];
  return true;
}

/* ---- fits ---- */

/* Solves a symmetric system of n <= 4 equations; false: it has no unique solution. */
static bool solve(int n, double a[4][5], double x[4])
{
  for (int i = 0; i < n; i++) {
    int pivot = i;
    for (int j = i + 1; j < n; j++)
      if (fabs(a[j][i]) > fabs(a[pivot][i])) pivot = j;
    if (fabs(a[pivot][i]) < 1e-10) return false;
    for (int k = 0; k <= n; k++) {
      const double swap = a[i][k];
      a[i][k] = a[pivot][k], a[pivot][k] = swap;
    }
    for (int j = i + 1; j < n; j++) {
      const double factor = a[j][i] / a[i][i];
      for (int k = i; k <= n; k++) a[j][k] -= factor * a[i][k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    x[i] = a[i][n];
    for (int k = i + 1; k < n; k++) x[i] -= a[i][k] * x[k];
    x[i] /= a[i][i];
  }
  return true;
}

/* Fits a sphere (n = 3) or circle (n = 2) to the points whose coordinates along axis[0..n-1] count: |x|^2 = 2 c.x +
 * (R^2
 * - |c|^2) by least squares, about `look->middle` and in units of its size. with[vertices]: the points; NULL: all. */
static bool fit(const struct look *look, int n, const double (*axis)[3], const unsigned char *with, double centre[3],
                double *radius)
{
  double a[4][5] = {{0}}, x[4] = {0};
  size_t count = 0;
  for (size_t v = 0; v < look->wall->vertices; v++) {
    double from[3], row[4] = {0}, square = 0;
    if (with != NULL && !with[v]) continue;
    dg_subtract(vertex(look, (int32_t)v), look->middle, from);
    for (int i = 0; i < n; i++) {
      row[i] = dg_dot(axis[i], from) / look->size;
      square += row[i] * row[i];
    }
    row[n] = 1;
    for (int i = 0; i <= n; i++) {
      for (int k = 0; k <= n; k++) a[i][k] += row[i] * row[k];
      a[i][n + 1] += row[i] * square;
    }
    count++;
  }
  if (count < (size_t)n + 3) return false; /* through as few points some circle always goes */
  for (int i = 0; i <= n; i++)
    for (int k = 0; k <= n + 1; k++) a[i][k] /= (double)count;
  if (!solve(n + 1, a, x)) return false;
  double square = x[n];
  for (int i = 0; i < n; i++) square += x[i] * x[i] / 4;
  memcpy(centre, look->middle, 3 * sizeof *centre);
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 3; d++) centre[d] += look->size * x[i] / 2 * axis[i][d];
  *radius = look->size * sqrt(fmax(square, 0));
  return square > 0;
}

static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* ---- a sphere ---- */

static bool is_sphere(const struct look *look, struct dg_wall_shape *shape, int *stage)
{
  double radius, from[3];
  *shape = (struct dg_wall_shape){.kind = DG_WALL_SPHERE};
  memcpy(shape->axis, unit, sizeof unit);
  if (!fit(look, 3, unit, NULL, shape->centre, &radius)) return false;
  for (size_t v = 0; v < look->wall->vertices; v++)
    if (fabs(dg_distance(vertex(look, (int32_t)v), shape->centre) - radius) > ROUND_LIMIT * radius) return false;
  for (size_t k = 0; k < look->wall->faces; k++) {
    face_centre(look, k, from);
    dg_subtract(from, shape->centre, from);
    if (dg_dot(from, look->normal[k]) <= 0) return false;
    stage[k] = 0;
  }
  shape->high[0] = radius;
  return true;
}

/* ---- a cylinder ---- */

/* The part of x - centre across the axis of a cylinder. */
static void across(const struct dg_wall_shape *shape, const double x[3], double way[3])
{
  dg_subtract(x, shape->centre, way);
  const double along = dg_dot(way, shape->axis[2]);
  for (int d = 0; d < 3; d++) way[d] -= along * shape->axis[2][d];
}

/* Tells ends from the rest of a cylinder along `axis`: faces across it are ends, if all of them lie at its lowest or
 * its highest place. */
static bool find_ends(const struct look *look, const double axis[3], unsigned char *round, int *stage,
                      double low_high[2], bool ends[2])
{
  const struct dg_wall *wall = look->wall;
  low_high[0] = INFINITY, low_high[1] = -INFINITY;
  ends[0] = ends[1] = false;
  memset(round, 0, wall->vertices);
  for (size_t v = 0; v < wall->vertices; v++) {
    const double at = dg_dot(axis, vertex(look, (int32_t)v));
    low_high[0] = fmin(low_high[0], at);
    low_high[1] = fmax(low_high[1], at);
  }
  for (size_t k = 0; k < wall->faces; k++) {
    const double cosine = dg_dot(look->normal[k], axis);
    stage[k] = fabs(cosine) >= 1 - ANGLE_LIMIT;
    if (stage[k] == 1) ends[cosine > 0] = true;
    for (int i = 0; i < 3; i++) {
      const double at = dg_dot(axis, vertex(look, wall->corner[k][i]));
      if (stage[k] == 0) round[wall->corner[k][i]] = 1;
      else if (fabs(at - low_high[cosine > 0]) > FLAT_LIMIT * look->size) return false;
    }
  }
  return true;
}

/* Tries an axis. */
static bool is_cylinder_along(const struct look *look, const double axis[3], unsigned char *round,
                              struct dg_wall_shape *shape, int *stage)
{
  const struct dg_wall *wall = look->wall;
  double low_high[2], radius, way[3];
  bool ends[2];
  int d = 0;
  *shape = (struct dg_wall_shape){.kind = DG_WALL_CYLINDER};
  memcpy(shape->axis[2], axis, sizeof shape->axis[2]);
  for (int i = 1; i < 3; i++)
    if (fabs(axis[i]) < fabs(axis[d])) d = i;
  dg_cross(axis, unit[d], shape->axis[0]);
  dg_normalise(shape->axis[0]);
  dg_cross(axis, shape->axis[0], shape->axis[1]);
  if (!find_ends(look, axis, round, stage, low_high, ends) ||
      !fit(look, 2, (const double(*)[3])shape->axis, round, shape->centre, &radius))
    return false;
  for (size_t v = 0; v < wall->vertices; v++) {
    if (!round[v]) continue;
    across(shape, vertex(look, (int32_t)v), way);
    if (fabs(sqrt(dg_dot(way, way)) - radius) > ROUND_LIMIT * radius) return false;
  }
  for (size_t k = 0; k < wall->faces; k++) {
    double x[3];
    face_centre(look, k, x);
    across(shape, x, way);
    if (stage[k] == 0 && dg_dot(way, look->normal[k]) <= 0) return false;
  }
  const double middle = dg_dot(axis, shape->centre);
  shape->low[0] = shape->low[1] = -INFINITY;
  shape->high[0] = radius, shape->high[1] = INFINITY;
  shape->low[2] = ends[0] ? low_high[0] - middle : -INFINITY;
  shape->high[2] = ends[1] ? low_high[1] - middle : INFINITY;
  return true;
}

static void add_candidate(double candidate[CANDIDATES][3], int *count, const double axis[3])
{
  for (int i = 0; i < *count; i++)
    if (fabs(dg_dot(candidate[i], axis)) > 1 - 1e-12) return;
  if (*count < CANDIDATES) memcpy(candidate[(*count)++], axis, 3 * sizeof *axis);
}

/* A triangle's normal, rounded, with the sign that makes opposite ones equal. */
struct rounded {
  int64_t normal[3];
  double area;
  size_t face;
};

static int compare_rounded(const void *left, const void *right)
{
  const struct rounded *a = left, *b = right;
  for (int d = 0; d < 3; d++)
    if (a->normal[d] != b->normal[d]) return a->normal[d] < b->normal[d] ? -1 : 1;
  return (a->face > b->face) - (a->face < b->face);
}

static int compare_areas(const void *left, const void *right)
{
  const struct rounded *a = left, *b = right;
  if (a->area != b->area) return a->area > b->area ? -1 : 1;
  return (a->face > b->face) - (a->face < b->face);
}

/* Adds the normals that most of the wall's area has. */
static int add_frequent(const struct look *look, double candidate[CANDIDATES][3], int *count, struct dg_error *err)
{
  const double fine = 1e6;
  const size_t faces = look->wall->faces;
  struct rounded *list;
  size_t kept = 0;
  if (DG_NEW(list, faces, err) != 0) return err->code;
  for (size_t k = 0; k < faces; k++) {
    const double *n = look->normal[k];
    list[k] = (struct rounded){.area = look->area[k], .face = k};
    for (int d = 0; d < 3; d++) list[k].normal[d] = llround(fine * n[d]);
    const int64_t *r = list[k].normal;
    if (r[0] < 0 || (r[0] == 0 && (r[1] < 0 || (r[1] == 0 && r[2] < 0))))
      for (int d = 0; d < 3; d++) list[k].normal[d] *= -1;
  }
  qsort(list, faces, sizeof *list, compare_rounded);
  for (size_t k = 0; k < faces; k++)
    if (kept > 0 && memcmp(list[k].normal, list[kept - 1].normal, sizeof list[k].normal) == 0)
      list[kept - 1].area += list[k].area;
    else list[kept++] = list[k];
  qsort(list, kept, sizeof *list, compare_areas);
  for (size_t k = 0; k < kept && *count < CANDIDATES; k++) add_candidate(candidate, count, look->normal[list[k].face]);
  dg_free(list);
  return 0;
}

/* The axis of a cylinder is normal to an end, be that open (many triangles of the wall have its normal) or another wall
 * (beside the rim). */
static bool is_cylinder(const struct look *look, struct dg_wall_shape *shape, int *stage, struct dg_error *err)
{
  double candidate[CANDIDATES][3];
  unsigned char *round = NULL;
  int count = 0;
  bool found = false;
  for (size_t i = 0; i < look->wall->sides && count < CANDIDATES / 2; i++) {
    double normal[3];
    if (look->wall->side[i].inside) continue;
    (void)dg_face_normal(look->mesh, look->wall->side[i].beside, normal);
    add_candidate(candidate, &count, normal);
  }
  if (add_frequent(look, candidate, &count, err) != 0 || DG_NEW(round, look->wall->vertices, err) != 0) return false;
  for (int i = 0; i < count && !found; i++) found = is_cylinder_along(look, candidate[i], round, shape, stage);
  dg_free(round);
  return found;
}

/* ---- all of it ---- */

struct edge {
  int32_t a, b, third;
  size_t face;
};

static int compare_edges(const void *left, const void *right)
{
  const struct edge *x = left, *y = right;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  return (x->face > y->face) - (x->face < y->face);
}

/* Refuses an edge at which two triangles bend inwards, by more than those of a curved wall do here and there. */
static int judge_edges(const struct look *look, struct dg_error *err)
{
  const double bent = 0.9; /* cosine of the angle between normals */
  const size_t count = 3 * look->wall->faces;
  struct edge *edge;
  if (DG_NEW(edge, count, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) {
    const int32_t *v = look->wall->corner[i / 3];
    const size_t skip = i % 3;
    edge[i] = (struct edge){v[skip == 0], v[skip == 2 ? 1 : 2], v[skip], i / 3};
  }
  qsort(edge, count, sizeof *edge, compare_edges);
  for (size_t i = 1; i < count && err->code == DG_OK; i++) {
    double up[3];
    if (edge[i].a != edge[i - 1].a || edge[i].b != edge[i - 1].b) continue;
    dg_subtract(vertex(look, edge[i].third), vertex(look, edge[i].a), up);
    if (dg_dot(look->normal[edge[i - 1].face], up) > FLAT_LIMIT * look->size &&
        dg_dot(look->normal[edge[i - 1].face], look->normal[edge[i].face]) < bent)
      (void)dg_fail(err, DG_INPUT, "is concave at " DG_AT, DG_XYZ(vertex(look, edge[i].a)));
  }
  dg_free(edge);
  return err->code;
}

/* Says why it is none of the shapes. */
static int refuse(const struct look *look, struct dg_error *err)
{
  const double *first = look->plane[0].normal;
  size_t worst = 0;
  double largest = -1, x[3];
  const bool planes = look->planes <= BOX_PLANES;
  bool right = true; /* they are planes at right angles, though more than a box has */
  for (int i = 0; i < look->planes; i++)
    for (int j = 0; j < i; j++) {
      const double cosine = fabs(dg_dot(look->plane[i].normal, look->plane[j].normal));
      right = right && (cosine < ANGLE_LIMIT || cosine > 1 - ANGLE_LIMIT);
    }
  if (judge_edges(look, err) != 0 || ((planes || right) && judge_planes(look, err) != 0)) return err->code;
  for (size_t k = 0; k < look->wall->faces; k++) {
    const double cosine = fabs(dg_dot(first, look->normal[k]));
    if (look->area[k] > largest && cosine > ANGLE_LIMIT && cosine < 1 - ANGLE_LIMIT) largest = look->area[k], worst = k;
  }
  face_centre(look, worst, x);
  return dg_fail(err, DG_INPUT, "is no box, sphere or cylinder, at " DG_AT, DG_XYZ(x));
}

int dg_wall_shape_find(struct dg_wall_shape *shape, int *stage, const struct dg_mesh *mesh, const struct dg_wall *wall,
                       struct dg_error *err)
{
  struct look look;
  if (look_init(&look, mesh, wall, err) != 0) goto fail;
  find_planes(&look);
  /* A cylinder before a sphere: the vertices of a coarse cylinder, on its two rims, lie on a sphere, too. */
  const bool found = is_box(&look, shape, stage) || is_cylinder(&look, shape, stage, err) ||
                     (err->code == DG_OK && is_sphere(&look, shape, stage));
  if (!found && err->code == DG_OK) (void)!refuse(&look, err);
fail:
  look_release(&look);
  return err->code;
}

void dg_wall_shape_way(const void *wall_shape, int stage, const double x[3], double way[3])
{
  const struct dg_wall_shape *shape = wall_shape;
  double from[3];
  dg_subtract(x, shape->centre, from);
  if (shape->kind == DG_WALL_SPHERE || (shape->kind == DG_WALL_CYLINDER && stage == 0)) {
    if (shape->kind == DG_WALL_SPHERE) memcpy(way, from, sizeof from);
    else across(shape, x, way);
    dg_normalise(way);
    return;
  }
  const int d = shape->kind == DG_WALL_BOX ? stage : 2;
  const double at = dg_dot(from, shape->axis[d]);
  const double sign = fabs(at - shape->high[d]) < fabs(at - shape->low[d]) ? 1 : -1;
  for (int i = 0; i < 3; i++) way[i] = sign * shape->axis[d][i];
}

double dg_wall_side_slope(const struct dg_mesh *mesh, const struct dg_wall *wall, const struct dg_wall_shape *shape,
                          const int *stage, const struct dg_wall_side *side)
{
  double normal[3], most = 0;
  (void)dg_face_normal(mesh, side->beside, normal);
  for (int i = 0; i < 2; i++) {
    double way[3];
    dg_wall_shape_way(shape, stage[side->face], mesh->vertex[wall->vertex[side->end[i]]], way);
    most = fmax(most, fabs(dg_dot(way, normal)));
  }
  return most;
}
