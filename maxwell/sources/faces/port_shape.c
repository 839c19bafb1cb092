/* Finds the rim of a port's face, and the rectangle or ring that its triangles make. port_build.c and port_walls.c call
 * it. */
#include "maxwell/sources/faces/port_shape.h"

#include <math.h>
#include <stdlib.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "maxwell/sources/faces/edges.h"

int mx_port_face_plane(struct mx_port_face *face, const struct mx_port_place *place, struct dg_error *err)
{
  const double *origin = face->triangle[0].corner[0];
  for (int c = 0; c < 3; c++) face->normal[c] = face->triangle[0].normal[c];
  for (size_t k = 0; k < face->count; k++) {
    const struct mx_port_triangle *triangle = &face->triangle[k];
    const double *n = triangle->normal, *at = triangle->corner[0];
    double away = 0;
    for (int i = 0; i < 3; i++)
      away = fmax(away, fabs(dg_dot(triangle->corner[i], face->normal) - dg_dot(origin, face->normal)));
    for (int i = 0; i < (triangle->map.geometry + 1) * (triangle->map.geometry + 2) / 2 && triangle->map.geometry > 0;
         i++)
      away = fmax(away, fabs(dg_dot(triangle->map.node[i], face->normal) - dg_dot(origin, face->normal)));
    if (dg_dot(n, face->normal) > 1 - 1e-9 && away < 1e-6 * face->extent) continue;
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "%s: the face of this port must be plane; its normal is (%.4g, %.4g, %.4g) near (%g, %g, "
                            "%g) m and (%.4g, %.4g, %.4g) near (%g, %g, %g) m",
                   MX_AT(place->where), place->what, face->normal[0], face->normal[1], face->normal[2], origin[0],
                   origin[1], origin[2], n[0], n[1], n[2], at[0], at[1], at[2]);
  }
  return 0;
}

struct edge {
  struct mx_edge between;
  const double *x[2]; /* m, borrowed from the triangle */
};

/* Finds the edges that belong to one triangle only. Free *rim with dg_free. */
static int find_rim(struct edge **rim, size_t *count, const struct mx_port_face *face, struct dg_error *err)
{
  static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}}; /* in the order of mx_edges_of */
  size_t edges = 3 * face->count;
  *count = 0;
  if (DG_NEW(*rim, edges, err) != 0) return err->code;
  for (size_t k = 0; k < face->count; k++) {
    const struct mx_port_triangle *triangle = &face->triangle[k];
    struct mx_edge edge[3];
    mx_edges_of(triangle->vertex, edge);
    for (size_t i = 0; i < 3; i++) {
      (*rim)[3 * k + i].between = edge[i];
      for (int s = 0; s < 2; s++) (*rim)[3 * k + i].x[s] = triangle->corner[pair[i][s]];
    }
  }
  qsort(*rim, edges, sizeof **rim, mx_compare_edges);
  for (size_t i = 0, next; i < edges; i = next) {
    for (next = i + 1; next < edges && mx_compare_edges(&(*rim)[i], &(*rim)[next]) == 0;) next++;
    if (next == i + 1) (*rim)[(*count)++] = (*rim)[i];
  }
  return 0;
}

/* Turns an axis towards growing coordinates: its largest component becomes positive. */
static void orient(double axis[3])
{
  int largest = 0;
  for (int c = 1; c < 3; c++)
    if (fabs(axis[c]) > fabs(axis[largest]) + 1e-9) largest = c;
  for (int c = 0; c < 3 && axis[largest] < 0; c++) axis[c] = c == largest ? axis[c] : -axis[c];
  axis[largest] = fabs(axis[largest]);
}

/* Says whether b, not a, is the first axis of a square. */
static bool comes_first(const double a[3], const double b[3])
{
  for (int c = 0; c < 3; c++)
    if (fabs(fabs(a[c]) - fabs(b[c])) > 1e-6) return fabs(b[c]) > fabs(a[c]);
  return false;
}

static void bounding_box(struct mx_port_rectangle *r, const struct mx_port_face *face)
{
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, height = 0;
  for (size_t k = 0; k < face->count; k++) {
    const struct mx_port_triangle *triangle = &face->triangle[k];
    height = dg_dot(triangle->corner[0], face->normal);
    for (int i = 0; i < 3; i++)
      for (int d = 0; d < 2; d++) {
        double x = dg_dot(triangle->corner[i], r->axis[d]);
        low[d] = fmin(low[d], x);
        high[d] = fmax(high[d], x);
      }
  }
  for (int d = 0; d < 2; d++) r->side[d] = high[d] - low[d];
  for (int c = 0; c < 3; c++) r->corner[c] = low[0] * r->axis[0][c] + low[1] * r->axis[1][c] + height * face->normal[c];
}

int mx_port_face_rectangle(struct mx_port_rectangle *r, const struct mx_port_face *face,
                           const struct mx_port_place *place, const double *wanted, struct dg_error *err)
{
  struct edge *rim;
  size_t edges;
  if (find_rim(&rim, &edges, face, err) != 0) goto fail;
  const double *from = rim[0].x[0], *to = rim[0].x[1];
  double length = dg_distance(from, to);
  for (int c = 0; c < 3; c++) r->axis[0][c] = (to[c] - from[c]) / length;
  dg_cross(face->normal, r->axis[0], r->axis[1]);
  bounding_box(r, face);
  double box = r->side[0] * r->side[1];
  if (fabs(box - face->area) > 1e-6 * box) {
    (void)dg_fail(err, DG_INPUT,
                  MX_PLACE "%s: the face of this port is no rectangle: its area is %g m^2, that of its bounding box %g "
                           "m^2; use kind = \"modal_port\" for other shapes",
                  MX_AT(place->where), place->what, face->area, box);
    goto fail;
  }
  bool swap = r->side[1] > r->side[0] * (1 + 1e-6);
  if (wanted != NULL) {
    double along[2] = {fabs(dg_dot(wanted, r->axis[0])), fabs(dg_dot(wanted, r->axis[1]))};
    swap = along[1] > along[0];
    if (fmax(along[0], along[1]) < 1 - 1e-6) {
      (void)dg_fail(err, DG_INPUT,
                    MX_PLACE "%s: axis (%g, %g, %g) must lie along a side of the rectangle, (%.4g, %.4g, %.4g) or "
                             "(%.4g, %.4g, %.4g)",
                    MX_AT(place->where), place->what, wanted[0], wanted[1], wanted[2], r->axis[0][0], r->axis[0][1],
                    r->axis[0][2], r->axis[1][0], r->axis[1][1], r->axis[1][2]);
      goto fail;
    }
  } else if (!swap && r->side[0] <= r->side[1] * (1 + 1e-6)) {
    swap = comes_first(r->axis[0], r->axis[1]);
  }
  for (int c = 0; c < 3 && swap; c++) {
    double keep = r->axis[0][c];
    r->axis[0][c] = r->axis[1][c];
    r->axis[1][c] = keep;
  }
  orient(r->axis[0]);
  orient(r->axis[1]);
  bounding_box(r, face);
fail:
  dg_free(rim);
  return err->code;
}

static bool touch(const struct mx_edge *a, const struct mx_edge *b)
{
  return a->vertex[0] == b->vertex[0] || a->vertex[0] == b->vertex[1] || a->vertex[1] == b->vertex[0] ||
         a->vertex[1] == b->vertex[1];
}

/* Counts the connected curves in the rim, and notes the curve of every edge in of[edges]; queue[edges] is scratch. */
static size_t separate(const struct edge *rim, size_t edges, size_t *of, size_t *queue)
{
  size_t curves = 0;
  for (size_t i = 0; i < edges; i++) of[i] = edges;
  for (size_t start = 0; start < edges; start++) {
    if (of[start] < edges) continue;
    size_t head = 0, tail = 0;
    of[start] = curves;
    queue[tail++] = start;
    while (head < tail) {
      const struct mx_edge *edge = &rim[queue[head++]].between;
      for (size_t j = 0; j < edges; j++)
        if (of[j] == edges && touch(edge, &rim[j].between)) {
          of[j] = curves;
          queue[tail++] = j;
        }
    }
    curves++;
  }
  return curves;
}

/* Fits the centre of the circle through points of a plane: |x|^2 = 2 c.x + d in the mean of squares. x is counted from
 * the mean of the points. */
static void fit_centre(const struct edge *rim, const size_t *of, size_t edges, size_t curve, const double normal[3],
                       double centre[3])
{
  double mean[3] = {0}, axis[2][3], A[2][2] = {{0}}, b[2] = {0}, count = 0;
  const double other[3] = {fabs(normal[0]) < 0.6, fabs(normal[0]) >= 0.6, 0};
  dg_cross(normal, other, axis[0]);
  double length = sqrt(dg_dot(axis[0], axis[0]));
  for (int c = 0; c < 3; c++) axis[0][c] /= length;
  dg_cross(normal, axis[0], axis[1]);
  for (size_t i = 0; i < edges; i++)
    for (int s = 0; s < 2 && of[i] == curve; s++, count++)
      for (int c = 0; c < 3; c++) mean[c] += rim[i].x[s][c];
  for (int c = 0; c < 3; c++) mean[c] /= count;
  for (size_t i = 0; i < edges; i++)
    for (int s = 0; s < 2 && of[i] == curve; s++) {
      double d[3], x[2];
      for (int c = 0; c < 3; c++) d[c] = rim[i].x[s][c] - mean[c];
      for (int k = 0; k < 2; k++) x[k] = dg_dot(d, axis[k]);
      for (int k = 0; k < 2; k++) {
        b[k] += 0.5 * x[k] * dg_dot(d, d);
        for (int l = 0; l < 2; l++) A[k][l] += x[k] * x[l];
      }
    }
  double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
  double at[2] = {(b[0] * A[1][1] - b[1] * A[0][1]) / det, (b[1] * A[0][0] - b[0] * A[1][0]) / det};
  for (int c = 0; c < 3; c++) centre[c] = mean[c] + at[0] * axis[0][c] + at[1] * axis[1][c];
}

int mx_port_face_ring(struct mx_port_ring *ring, const struct mx_port_face *face, const struct mx_port_place *place,
                      struct dg_error *err)
{
  struct edge *rim = NULL;
  size_t edges, *of = NULL, *queue = NULL;
  if (find_rim(&rim, &edges, face, err) != 0 || DG_NEW(of, edges, err) != 0 || DG_NEW(queue, edges, err) != 0)
    goto fail;
  size_t curves = separate(rim, edges, of, queue);
  if (curves != 2) {
    (void)dg_fail(err, DG_INPUT,
                  MX_PLACE "%s: the face of this port is no ring: its rim is %zu closed curve%s, not two circles",
                  MX_AT(place->where), place->what, curves, curves == 1 ? "" : "s");
    goto fail;
  }
  double low[2] = {INFINITY, INFINITY}, high[2] = {0, 0}, size[2] = {0, 0}, centre[2][3];
  for (size_t i = 0; i < edges; i++) size[of[i]] += dg_distance(rim[i].x[0], rim[i].x[1]);
  size_t outer = size[1] > size[0], inner = 1 - outer;
  for (size_t curve = 0; curve < 2; curve++) fit_centre(rim, of, edges, curve, face->normal, centre[curve]);
  for (size_t i = 0; i < edges; i++)
    for (int s = 0; s < 2; s++) {
      double radius = dg_distance(rim[i].x[s], centre[outer]);
      low[of[i]] = fmin(low[of[i]], radius);
      high[of[i]] = fmax(high[of[i]], radius);
    }
  for (int c = 0; c < 3; c++) ring->centre[c] = centre[outer][c];
  ring->inner = 0.5 * (low[inner] + high[inner]);
  ring->outer = 0.5 * (low[outer] + high[outer]);
  if (high[inner] - low[inner] > 1e-3 * ring->outer || high[outer] - low[outer] > 1e-3 * ring->outer)
    (void)dg_fail(err, DG_INPUT,
                  MX_PLACE
                  "%s: the face of this port is no ring: from the centre (%g, %g, %g) m its inner rim is %g to "
                  "%g m away, its outer one %g to %g m",
                  MX_AT(place->where), place->what, ring->centre[0], ring->centre[1], ring->centre[2], low[inner],
                  high[inner], low[outer], high[outer]);
fail:
  dg_free(rim);
  dg_free(of);
  dg_free(queue);
  return err->code;
}
