/* Features of the geometry beside a slow element, found in the mesh: curves, surfaces and angles at its vertices. */
#include "libdg/mesh/draft/demand.h"

#include <math.h>
#include <stdio.h>

#include "libdg/base/vec3.h"

#define PI 3.14159265358979323846

enum { TAGS_MAX = 32 };
#define EDGE       1.75 /* an edge of a good mesh is about that many of its altitudes long */
#define FINE       0.45 /* of that: edges which the mesher makes only when it is asked to */
#define SHARP      40.0 /* degrees */
#define REACH      6.0  /* a feature explains elements down to this part of it */
#define SMALL_NEAR 0.6  /* of the median: all elements around are small */

/* Curves or surfaces, each once. */
struct tags {
  int count;
  int32_t tag[TAGS_MAX];
};

static void add_tag(struct tags *tags, int32_t tag)
{
  for (int i = 0; i < tags->count; i++)
    if (tags->tag[i] == tag) return;
  if (tags->count < TAGS_MAX) tags->tag[tags->count++] = tag;
}

static bool has_tag(const struct tags *tags, int32_t tag)
{
  for (int i = 0; i < tags->count; i++)
    if (tags->tag[i] == tag) return true;
  return false;
}

static struct tags curves_at(const struct dg_draft *draft, int32_t vertex)
{
  struct tags tags = {0};
  for (int32_t at = draft->edges.head[vertex]; at >= 0; at = draft->edges.next[at])
    add_tag(&tags, draft->curve_tag[at / 2]);
  return tags;
}

static struct tags surfaces_at(const struct dg_draft *draft, int32_t vertex)
{
  struct tags tags = {0};
  int32_t triangle[DG_STAR_MAX];
  const int count = dg_draft_triangles_at(draft, vertex, triangle);
  for (int i = 0; i < count && count <= DG_STAR_MAX; i++) add_tag(&tags, draft->surface_tag[triangle[i]]);
  return tags;
}

static bool meet(const struct tags *a, const struct tags *b)
{
  for (int i = 0; i < a->count; i++)
    if (has_tag(b, a->tag[i])) return true;
  return false;
}

/* The better reason is the smaller feature, as long as it explains the element. */
static void consider(struct dg_demand *best, double altitude, struct dg_demand found)
{
  if (found.size > REACH * altitude) return;
  if (found.tag[1] != 0 && found.tag[0] > found.tag[1]) {
    const int32_t swap = found.tag[0];
    found.tag[0] = found.tag[1];
    found.tag[1] = swap;
  }
  if (best->kind == DG_DEMAND_NOTHING || found.size < best->size) *best = found;
}

/* ---- curves ---- */

static void consider_curves(const struct dg_draft *draft, const int32_t v[4], double median, double altitude,
                            struct dg_demand *best)
{
  struct tags tags = {0};
  double length[TAGS_MAX] = {0};
  int edges[TAGS_MAX] = {0};
  for (int i = 0; i < 4; i++)
    for (int32_t at = draft->edges.head[v[i]]; at >= 0; at = draft->edges.next[at])
      add_tag(&tags, draft->curve_tag[at / 2]);
  for (size_t s = 0; s < draft->segments && tags.count > 0; s++)
    for (int k = 0; k < tags.count; k++) {
      if (draft->curve_tag[s] != tags.tag[k]) continue;
      length[k] += dg_distance(draft->point[draft->segment[s][0]], draft->point[draft->segment[s][1]]);
      edges[k]++;
    }
  for (int k = 0; k < tags.count; k++) {
    const double each = length[k] / edges[k];
    if (length[k] < EDGE * median)
      consider(best, altitude, (struct dg_demand){DG_DEMAND_CURVE, {tags.tag[k]}, length[k], 0});
    else if (each < FINE * EDGE * median)
      consider(best, altitude, (struct dg_demand){DG_DEMAND_EDGES, {tags.tag[k]}, each, 0});
  }
}

/* ---- gaps ---- */

static bool curves_adjacent(const struct dg_draft *draft, int32_t one, int32_t two)
{
  for (size_t i = 0; i < draft->corners; i++) {
    const struct tags tags = curves_at(draft, draft->corner[i]);
    if (has_tag(&tags, one) && has_tag(&tags, two)) return true;
  }
  return false;
}

static bool surfaces_adjacent(const struct dg_draft *draft, int32_t one, int32_t two)
{
  for (size_t t = 0; t < draft->triangles; t++) {
    if (draft->triangle[t][0] < 0 || draft->surface_tag[t] != one) continue;
    for (int i = 0; i < 3; i++) {
      const struct tags tags = surfaces_at(draft, draft->triangle[t][i]);
      if (has_tag(&tags, two)) return true;
    }
  }
  return false;
}

/* The distance of point x from the plane of a triangle of that surface at vertex `at`. */
static double distance_to(const struct dg_draft *draft, int32_t at, int32_t surface, const double x[3])
{
  int32_t triangle[DG_STAR_MAX];
  const int count = dg_draft_triangles_at(draft, at, triangle);
  double d[3], least;
  dg_subtract(x, draft->point[at], d);
  least = sqrt(dg_dot(d, d));
  for (int i = 0; i < count && count <= DG_STAR_MAX; i++) {
    const int32_t *v = draft->triangle[triangle[i]];
    double u[3], w[3], n[3];
    if (draft->surface_tag[triangle[i]] != surface) continue;
    dg_subtract(draft->point[v[1]], draft->point[v[0]], u);
    dg_subtract(draft->point[v[2]], draft->point[v[0]], w);
    dg_cross(u, w, n);
    dg_normalise(n);
    least = fmin(least, fabs(dg_dot(n, d)));
  }
  return least;
}

/* Finds gaps at vertices a and b of an element: two curves or surfaces of the geometry that lie near to each other. */
static void consider_gap(const struct dg_draft *draft, int32_t a, int32_t b, double median, double altitude,
                         struct dg_demand *best)
{
  const struct tags A = surfaces_at(draft, a), B = surfaces_at(draft, b), P = curves_at(draft, a),
                    Q = curves_at(draft, b);
  const double distance = dg_distance(draft->point[a], draft->point[b]);
  if (meet(&A, &B)) {
    if (P.count == 0 || Q.count == 0 || meet(&P, &Q) || distance > median) return;
    for (int i = 0; i < P.count; i++)
      for (int j = 0; j < Q.count; j++)
        if (distance <= REACH * altitude && !curves_adjacent(draft, P.tag[i], Q.tag[j]))
          consider(best, altitude, (struct dg_demand){DG_DEMAND_NARROW, {P.tag[i], Q.tag[j]}, distance, 0});
    return;
  }
  for (int i = 0; i < A.count; i++)
    for (int j = 0; j < B.count; j++) {
      double gap =
          fmin(distance_to(draft, a, A.tag[i], draft->point[b]), distance_to(draft, b, B.tag[j], draft->point[a]));
      if (gap < altitude) gap = distance; /* one plane runs on into the other: the surfaces do not face each other */
      if (gap <= median && gap <= REACH * altitude && !surfaces_adjacent(draft, A.tag[i], B.tag[j]))
        consider(best, altitude, (struct dg_demand){DG_DEMAND_GAP, {A.tag[i], B.tag[j]}, gap, 0});
    }
}

/* ---- angles ---- */

/* The angle in degrees between the parts of u and v that are perpendicular to `along` (zero: between u and v
 * themselves). */
static double angle_between(const double along[3], const double u[3], const double v[3])
{
  double a[3], b[3];
  const double s = dg_dot(along, u), t = dg_dot(along, v);
  for (int i = 0; i < 3; i++) a[i] = u[i] - s * along[i], b[i] = v[i] - t * along[i];
  dg_normalise(a);
  dg_normalise(b);
  return acos(fmax(-1, fmin(1, dg_dot(a, b)))) * 180 / PI;
}

static void consider_angle(struct dg_demand *best, double altitude, enum dg_demand_kind kind, int32_t one, int32_t two,
                           double angle, double reach)
{
  if (angle >= SHARP) return;
  consider(best, altitude, (struct dg_demand){kind, {one, two}, reach * sin(fmax(angle, 0.1) * PI / 180), angle});
}

/* Finds surfaces that meet at the edge a b of a curve. */
static void consider_wedge(const struct dg_draft *draft, int32_t a, int32_t b, double reach, double altitude,
                           struct dg_demand *best)
{
  int32_t triangle[DG_STAR_MAX];
  const int count = dg_draft_triangles_at(draft, a, triangle);
  double along[3], side[DG_STAR_MAX][3];
  int32_t surface[DG_STAR_MAX];
  int sides = 0;
  dg_subtract(draft->point[b], draft->point[a], along);
  dg_normalise(along);
  for (int i = 0; i < count && count <= DG_STAR_MAX; i++) {
    const int32_t *v = draft->triangle[triangle[i]];
    if (v[0] != b && v[1] != b && v[2] != b) continue;
    for (int k = 0; k < 3; k++)
      if (v[k] != a && v[k] != b) dg_subtract(draft->point[v[k]], draft->point[a], side[sides]);
    surface[sides++] = draft->surface_tag[triangle[i]];
  }
  for (int i = 0; i < sides; i++)
    for (int j = i + 1; j < sides; j++)
      consider_angle(best, altitude, DG_DEMAND_WEDGE, surface[i], surface[j], angle_between(along, side[i], side[j]),
                     reach);
}

static void consider_angles(const struct dg_draft *draft, int32_t v, double reach, double altitude,
                            struct dg_demand *best)
{
  const double none[3] = {0};
  double side[TAGS_MAX][3];
  int32_t curve[TAGS_MAX];
  int sides = 0;
  for (int32_t at = draft->edges.head[v]; at >= 0 && sides < TAGS_MAX; at = draft->edges.next[at]) {
    const int32_t other = draft->segment[at / 2][1 - at % 2];
    consider_wedge(draft, v, other, reach, altitude, best);
    dg_subtract(draft->point[other], draft->point[v], side[sides]);
    curve[sides++] = draft->curve_tag[at / 2];
  }
  for (int i = 0; i < sides; i++)
    for (int j = i + 1; j < sides; j++)
      consider_angle(best, altitude, DG_DEMAND_TIP, curve[i], curve[j], angle_between(none, side[i], side[j]), reach);
}

/* ---- curvature ---- */

/* Finds curvature: triangles of one surface at the vertex whose normals differ by an angle t lie on a radius of about
 * their size / t. */
static void consider_round(const struct dg_draft *draft, int32_t vertex, double median, double altitude,
                           struct dg_demand *best)
{
  int32_t triangle[DG_STAR_MAX];
  const int count = dg_draft_triangles_at(draft, vertex, triangle);
  double normal[DG_STAR_MAX][3], size[DG_STAR_MAX];
  for (int i = 0; i < count && count <= DG_STAR_MAX; i++) {
    const int32_t *v = draft->triangle[triangle[i]];
    double u[3], w[3];
    dg_subtract(draft->point[v[1]], draft->point[v[0]], u);
    dg_subtract(draft->point[v[2]], draft->point[v[0]], w);
    dg_cross(u, w, normal[i]);
    size[i] = sqrt(sqrt(dg_dot(normal[i], normal[i])));
    dg_normalise(normal[i]);
    for (int k = 0; k < i; k++) {
      if (draft->surface_tag[triangle[i]] != draft->surface_tag[triangle[k]]) continue;
      const double bend = acos(fmax(-1, fmin(1, fabs(dg_dot(normal[i], normal[k])))));
      const double radius = bend > 0 ? 0.5 * (size[i] + size[k]) / bend : INFINITY;
      if (radius < EDGE * median)
        consider(best, altitude, (struct dg_demand){DG_DEMAND_ROUND, {draft->surface_tag[triangle[i]]}, radius, 0});
    }
  }
}

/* ---- all of it ---- */

struct dg_demand dg_demand_find(const struct dg_draft *draft, int32_t tet, double median, double near)
{
  const int32_t *v = draft->tet[tet];
  const double altitude = dg_draft_altitude(draft, tet);
  struct dg_demand best = {0};
  double reach = 0;
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) reach = fmax(reach, dg_distance(draft->point[v[i]], draft->point[v[j]]));
  consider_curves(draft, v, median, altitude, &best);
  for (int i = 0; i < 4; i++) {
    consider_angles(draft, v[i], reach, altitude, &best);
    for (int j = i + 1; j < 4; j++) consider_gap(draft, v[i], v[j], median, altitude, &best);
  }
  for (int i = 0; i < 4 && best.kind == DG_DEMAND_NOTHING; i++) consider_round(draft, v[i], median, altitude, &best);
  if (best.kind == DG_DEMAND_NOTHING && near < SMALL_NEAR * median && near <= REACH * altitude)
    best = (struct dg_demand){DG_DEMAND_SIZES, {0, 0}, near, 0};
  return best;
}

void dg_demand_text(const struct dg_demand *demand, char *text, size_t size)
{
  const int32_t a = demand->tag[0], b = demand->tag[1];
  const double d = demand->size;
  switch (demand->kind) {
  case DG_DEMAND_NOTHING:
    snprintf(text, size, "nothing in the geometry");
    break;
  case DG_DEMAND_CURVE:
    snprintf(text, size, "curve %d is %.3g m long", (int)a, d);
    break;
  case DG_DEMAND_EDGES:
    snprintf(text, size, "curve %d is divided into edges of %.3g m", (int)a, d);
    break;
  case DG_DEMAND_GAP:
    snprintf(text, size, "surfaces %d and %d are %.3g m apart", (int)a, (int)b, d);
    break;
  case DG_DEMAND_NARROW:
    snprintf(text, size, "curves %d and %d are %.3g m apart", (int)a, (int)b, d);
    break;
  case DG_DEMAND_WEDGE:
    if (a == b) snprintf(text, size, "surface %d meets itself at %.3g degrees", (int)a, demand->angle);
    else snprintf(text, size, "surfaces %d and %d meet at %.3g degrees", (int)a, (int)b, demand->angle);
    break;
  case DG_DEMAND_TIP:
    snprintf(text, size, "curves %d and %d meet at %.3g degrees", (int)a, (int)b, demand->angle);
    break;
  case DG_DEMAND_ROUND:
    snprintf(text, size, "surface %d has a radius of about %.3g m", (int)a, d);
    break;
  case DG_DEMAND_SIZES:
    snprintf(text, size, "all elements there are about %.3g m high", d);
    break;
  }
}
