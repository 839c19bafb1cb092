/* Local changes of a draft. */
#include "libdg/mesh/draft/flip.h"

#include <math.h>
#include <string.h>

#include "libdg/base/vec3.h"

enum { RING_MAX = 24 };
#define SAME_VOLUME 1e-9 /* relative: the volumes filled before and behind a change */
#define BENT        0.3  /* sine of the angle between triangles of a curved surface that may be divided otherwise */

static void kill_tets(struct dg_draft *draft, const int32_t *tet, int count)
{
  for (int i = 0; i < count; i++) draft->tet[tet[i]][0] = -1;
}

static double altitude_of(const struct dg_draft *draft, const int32_t v[4])
{
  return dg_altitude(draft->point[v[0]], draft->point[v[1]], draft->point[v[2]], draft->point[v[3]]);
}

static double volume_of(const struct dg_draft *draft, const int32_t v[4])
{
  return dg_volume6(draft->point[v[0]], draft->point[v[1]], draft->point[v[2]], draft->point[v[3]]);
}

/* ---- a vertex moves ---- */

/* Is every face at the vertex shared by two of its tetrahedra, or on a surface? Only then is the rest of the space
 * around it known to be empty or fixed. */
static bool closed_star(const struct dg_draft *draft, int32_t vertex, const int32_t *tet, int count)
{
  for (int i = 0; i < count; i++)
    for (int f = 0; f < 4; f++) {
      int32_t face[3];
      int n = 0, shared = 0;
      if (draft->tet[tet[i]][f] == vertex) continue;
      for (int k = 0; k < 4; k++)
        if (k != f) face[n++] = draft->tet[tet[i]][k];
      for (int j = 0; j < count; j++) {
        const int32_t *v = draft->tet[tet[j]];
        shared += dg_draft_has(v, 4, face[0]) && dg_draft_has(v, 4, face[1]) && dg_draft_has(v, 4, face[2]);
      }
      if (shared != 2 && dg_draft_face(draft, face[0], face[1], face[2]) < 0) return false;
    }
  return true;
}

static double least_altitude(const struct dg_draft *draft, const int32_t *tet, int count)
{
  double least = INFINITY;
  for (int i = 0; i < count; i++) least = fmin(least, dg_draft_altitude(draft, tet[i]));
  return least;
}

static double shortest_edge(const struct dg_draft *draft, int32_t vertex, const int32_t *tet, int count)
{
  double shortest = INFINITY;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 4; k++) {
      const int32_t other = draft->tet[tet[i]][k];
      if (other != vertex) shortest = fmin(shortest, dg_distance(draft->point[vertex], draft->point[other]));
    }
  return shortest;
}

/* Finds the next of a fixed list of directions, along the line or in the plane of the vertex. */
static void next_direction(const struct dg_way *way, uint32_t *state, double u[3])
{
  for (int b = 0; b < 3; b++) {
    *state = *state * 1664525u + 1013904223u; /* Numerical Recipes' generator */
    u[b] = (double)(*state >> 8) / 8388608.0 - 1;
  }
  if (way->freedom == DG_ON_LINE || way->freedom == DG_ON_CURVE) {
    const double sign = u[0] < 0 ? -1 : 1;
    for (int b = 0; b < 3; b++) u[b] = sign * way->direction[b];
  } else if (way->freedom == DG_ON_PLANE || way->freedom == DG_ON_SURFACE) {
    const double along = dg_dot(u, way->direction);
    for (int b = 0; b < 3; b++) u[b] -= along * way->direction[b];
  }
  dg_normalise(u);
}

/* Computes x = here + size u, brought back to a curved curve or surface; false where the geometry cannot tell. */
static bool step_to(const struct dg_draft *draft, const struct dg_way *way, const double here[3], const double u[3],
                    double size, double x[3])
{
  for (int b = 0; b < 3; b++) x[b] = here[b] + size * u[b];
  if (way->freedom != DG_ON_CURVE && way->freedom != DG_ON_SURFACE) return true;
  if (!draft->project(draft->geometry, way->freedom == DG_ON_CURVE ? 1 : 2, way->tag, x)) return false;
  return dg_distance(x, here) < 2 * size; /* else it is the far side of a closed curve */
}

void dg_flip_move(struct dg_draft *draft, int32_t vertex, double least, double enough, int *done)
{
  const struct dg_way way = dg_draft_way(draft, vertex);
  const bool curved = way.freedom == DG_ON_CURVE || way.freedom == DG_ON_SURFACE;
  const int trials = curved ? 12 : 40, directions = way.freedom == DG_ON_CURVE || way.freedom == DG_ON_LINE ? 4 : 12;
  int32_t tet[DG_STAR_MAX];
  double *x = draft->point[vertex], start[3];
  const int count = dg_draft_tets_at(draft, vertex, tet);
  uint32_t state = 12345;
  *done = 0;
  if (way.freedom == DG_FIXED || count == 0 || count > DG_STAR_MAX || !closed_star(draft, vertex, tet, count)) return;
  memcpy(start, x, sizeof start);
  const double edge = shortest_edge(draft, vertex, tet, count), before = least_altitude(draft, tet, count);
  double best = before, size = 0.3 * edge;
  for (int trial = 0; trial < trials && size > 1e-3 * edge && best < enough; trial++) {
    double here[3], next[3];
    bool better = false;
    memcpy(here, x, sizeof here);
    memcpy(next, x, sizeof next);
    for (int k = 0; k < directions; k++) {
      double u[3], value;
      next_direction(&way, &state, u);
      if (!step_to(draft, &way, here, u, size, x) || (value = least_altitude(draft, tet, count)) <= best) continue;
      best = value;
      memcpy(next, x, sizeof next);
      better = true;
    }
    memcpy(x, next, sizeof next);
    size *= better ? 1.3 : 0.5;
  }
  *done = best > least && best > before;
  if (!*done) memcpy(x, start, sizeof start);
}

/* ---- an edge goes ---- */

/* Tetrahedra between two faces that lie on surfaces, or all around: ring[0..count-1] seen from b towards a runs so that
 * (a, b, ring[i], ring[i + 1]) is positive. */
struct sector {
  int32_t ring[RING_MAX + 1], volume;
  int count; /* vertices; of a closed one the first does not come again */
  bool closed;
  int best[RING_MAX][RING_MAX]; /* of the triangulation of ring[i..j]: the vertex of the triangle on i, j */
};

/* Finds p and q so that (a, b, p, q) is positive, for the tetrahedron's vertices beside a and b. */
static void opposite_edge(const struct dg_draft *draft, int32_t tet, int32_t a, int32_t b, int32_t pair[2])
{
  int n = 0;
  for (int i = 0; i < 4; i++)
    if (draft->tet[tet][i] != a && draft->tet[tet][i] != b) pair[n++] = draft->tet[tet][i];
  const int32_t v[4] = {a, b, pair[0], pair[1]};
  if (volume_of(draft, v) > 0) return;
  pair[0] = v[3];
  pair[1] = v[2];
}

/* Walks through the sector that begins with vertex `first`; false: the ring does not close. */
static bool walk(const struct dg_draft *draft, int32_t a, int32_t b, const int32_t *tet, int32_t (*pair)[2], int count,
                 int32_t first, bool closed, struct sector *sector)
{
  *sector = (struct sector){.ring = {first}, .count = 1, .closed = closed};
  for (int length = 0; length <= count; length++) {
    const int32_t last = sector->ring[sector->count - 1];
    int found = -1;
    if (length > 0 && closed && last == first) {
      sector->count--;
      return sector->count >= 3;
    }
    if (length > 0 && !closed && dg_draft_face(draft, a, b, last) >= 0) return true;
    for (int i = 0; i < count; i++)
      if (pair[i][0] == last) found = i;
    if (found < 0 || sector->count > RING_MAX) return false;
    if (length > 0 && draft->volume_tag[tet[found]] != sector->volume) return false;
    sector->volume = draft->volume_tag[tet[found]];
    sector->ring[sector->count++] = pair[found][1];
  }
  return false;
}

static double triangle_quality(const struct dg_draft *draft, const int32_t tet[2][4])
{
  return fmin(altitude_of(draft, tet[0]), altitude_of(draft, tet[1]));
}

static void tets_of(const struct sector *sector, int32_t a, int32_t b, int i, int k, int j, int32_t tet[2][4])
{
  const int32_t *r = sector->ring;
  const int32_t above[4] = {r[i], r[k], r[j], b}, below[4] = {r[k], r[i], r[j], a};
  memcpy(tet[0], above, sizeof above);
  memcpy(tet[1], below, sizeof below);
}

/* The least altitude of the best triangulation. */
static double triangulate(const struct dg_draft *draft, int32_t a, int32_t b, struct sector *sector)
{
  double value[RING_MAX][RING_MAX];
  const int n = sector->count;
  for (int i = 0; i + 1 < n; i++) value[i][i + 1] = INFINITY;
  for (int span = 2; span < n; span++)
    for (int i = 0; i + span < n; i++) {
      const int j = i + span;
      value[i][j] = -INFINITY;
      for (int k = i + 1; k < j; k++) {
        int32_t tet[2][4];
        tets_of(sector, a, b, i, k, j, tet);
        const double here = fmin(triangle_quality(draft, (const int32_t(*)[4])tet), fmin(value[i][k], value[k][j]));
        if (here <= value[i][j]) continue;
        value[i][j] = here;
        sector->best[i][j] = k;
      }
    }
  return value[0][n - 1];
}

/* Adds the tetrahedra of ring[i..j], or only the volume that they have. */
static int fill(struct dg_draft *draft, int32_t a, int32_t b, const struct sector *sector, int i, int j, double *volume,
                bool add, struct dg_error *err)
{
  if (j - i < 2) return 0;
  const int k = sector->best[i][j];
  int32_t tet[2][4];
  tets_of(sector, a, b, i, k, j, tet);
  for (int t = 0; t < 2; t++) {
    *volume += volume_of(draft, tet[t]);
    if (add && dg_draft_add_tet(draft, tet[t], sector->volume, err) != 0) return err->code;
  }
  if (fill(draft, a, b, sector, i, k, volume, add, err) != 0) return err->code;
  return fill(draft, a, b, sector, k, j, volume, add, err);
}

/* Do the triangles (a, b, p) and (a, b, q) lie in one plane? On a curved surface, nearly so. */
static bool smooth(const struct dg_draft *draft, int32_t a, int32_t b, int32_t p, int32_t q)
{
  double n[2][3], u[3], v[3];
  for (int i = 0; i < 2; i++) {
    dg_subtract(draft->point[b], draft->point[a], u);
    dg_subtract(draft->point[i == 0 ? p : q], draft->point[a], v);
    dg_cross(u, v, n[i]);
    dg_normalise(n[i]);
  }
  dg_cross(n[0], n[1], u);
  return sqrt(dg_dot(u, u)) < (draft->project != NULL ? BENT : 1e-7) && dg_dot(n[0], n[1]) < 0;
}

/* Finds the two triangles at the edge, if it may go: 0, or 2 of one surface; -1: the edge stays. */
static int triangles_at_edge(const struct dg_draft *draft, int32_t a, int32_t b, int32_t triangle[2], int32_t third[2])
{
  int32_t all[DG_STAR_MAX];
  int n = dg_draft_triangles_at(draft, a, all), count = 0;
  if (n > DG_STAR_MAX || dg_draft_curve(draft, a, b) != 0) return -1;
  for (int i = 0; i < n; i++) {
    const int32_t *v = draft->triangle[all[i]];
    if (!dg_draft_has(v, 3, b)) continue;
    if (count == 2) return -1;
    triangle[count] = all[i];
    for (int k = 0; k < 3; k++)
      if (v[k] != a && v[k] != b) third[count] = v[k];
    count++;
  }
  if (count == 0) return 0;
  if (count != 2 || draft->surface_tag[triangle[0]] != draft->surface_tag[triangle[1]]) return -1;
  return smooth(draft, a, b, third[0], third[1]) && dg_draft_face(draft, a, third[0], third[1]) < 0 &&
                 dg_draft_face(draft, b, third[0], third[1]) < 0
             ? 2
             : -1;
}

/* Finds the tetrahedra around the edge. */
static int tets_around(const struct dg_draft *draft, int32_t a, int32_t b, int32_t tet[DG_STAR_MAX])
{
  int32_t all[DG_STAR_MAX];
  int n = dg_draft_tets_at(draft, a, all), count = 0;
  if (n > DG_STAR_MAX) return 0;
  for (int i = 0; i < n; i++)
    if (dg_draft_has(draft->tet[all[i]], 4, b)) tet[count++] = all[i];
  return count;
}

static int divide_face_otherwise(struct dg_draft *draft, int32_t a, int32_t b, const int32_t triangle[2],
                                 const int32_t third[2], struct dg_error *err)
{
  const int32_t one[3] = {a, third[0], third[1]}, two[3] = {b, third[1], third[0]};
  const int32_t surface = draft->surface_tag[triangle[0]];
  draft->triangle[triangle[0]][0] = draft->triangle[triangle[1]][0] = -1;
  if (dg_draft_add_triangle(draft, one, surface, err) != 0) return err->code;
  return dg_draft_add_triangle(draft, two, surface, err);
}

int dg_flip_edge(struct dg_draft *draft, int32_t a, int32_t b, double least, int *done, struct dg_error *err)
{
  struct sector sector[2];
  int32_t tet[DG_STAR_MAX], pair[RING_MAX][2], triangle[2] = {-1, -1}, third[2] = {-1, -1};
  double old = 0, new = 0, bent = 0;
  const int faces = triangles_at_edge(draft, a, b, triangle, third), count = tets_around(draft, a, b, tet);
  int sectors = 0, ring = 0;
  *done = 0;
  if (faces < 0 || count < (faces == 0 ? 3 : 1) || count > RING_MAX - 2) return 0;
  for (int i = 0; i < count; i++) {
    opposite_edge(draft, tet[i], a, b, pair[i]);
    old += dg_draft_volume(draft, tet[i]);
  }
  for (int side = 0; side < (faces == 0 ? 1 : 2); side++) {
    const int32_t first = faces == 0 ? pair[0][0] : third[side];
    bool begins = false; /* a sector; one side of a surface may be outside */
    for (int i = 0; i < count; i++) begins = begins || pair[i][0] == first;
    if (!begins) continue;
    if (!walk(draft, a, b, tet, pair, count, first, faces == 0, &sector[sectors])) return 0;
    ring += sector[sectors].count - (faces == 0 ? 0 : 1);
    if (!(triangulate(draft, a, b, &sector[sectors++]) > least)) return 0;
  }
  if (ring != count) return 0;
  for (int s = 0; s < sectors; s++) (void)!fill(draft, a, b, &sector[s], 0, sector[s].count - 1, &new, false, err);
  if (faces == 2 && sectors == 1) { /* the surface changes by the tetrahedron between its old and new triangles */
    const int32_t between[4] = {a, b, third[0], third[1]};
    bent = fabs(volume_of(draft, between)) * (1 + SAME_VOLUME);
  }
  if (!(fabs(new - old) <= bent + SAME_VOLUME * old)) return 0;
  kill_tets(draft, tet, count);
  for (int s = 0; s < sectors; s++)
    if (fill(draft, a, b, &sector[s], 0, sector[s].count - 1, &new, true, err) != 0) return err->code;
  *done = 1;
  return faces == 0 ? 0 : divide_face_otherwise(draft, a, b, triangle, third, err);
}

/* ---- a face goes ---- */

int dg_flip_face(struct dg_draft *draft, int32_t tet, int face, double least, int *done, struct dg_error *err)
{
  int32_t v[3], other = -1, all[DG_STAR_MAX];
  const int32_t top = draft->tet[tet][face];
  int n = 0;
  *done = 0;
  for (int i = 0; i < 4; i++)
    if (i != face) v[n++] = draft->tet[tet][i];
  if (dg_draft_face(draft, v[0], v[1], v[2]) >= 0) return 0;
  const int count = dg_draft_tets_at(draft, v[0], all);
  if (count > DG_STAR_MAX) return 0;
  for (int i = 0; i < count; i++)
    if (all[i] != tet && dg_draft_has(draft->tet[all[i]], 4, v[1]) && dg_draft_has(draft->tet[all[i]], 4, v[2]))
      other = all[i];
  if (other < 0 || draft->volume_tag[other] != draft->volume_tag[tet]) return 0;
  int32_t bottom = -1, new[3][4];
  for (int i = 0; i < 4; i++)
    if (!dg_draft_has(v, 3, draft->tet[other][i])) bottom = draft->tet[other][i];
  double volume = 0, old = dg_draft_volume(draft, tet) + dg_draft_volume(draft, other);
  for (int k = 0; k < 3; k++) {
    const int32_t four[4] = {bottom, top, v[k], v[(k + 1) % 3]}, turned[4] = {top, bottom, v[k], v[(k + 1) % 3]};
    memcpy(new[k], volume_of(draft, four) > 0 ? four : turned, sizeof four);
    volume += volume_of(draft, new[k]);
    if (!(altitude_of(draft, new[k]) > least)) return 0;
  }
  if (!(fabs(volume - old) < SAME_VOLUME * old)) return 0;
  const int32_t volume_tag = draft->volume_tag[tet], dead[2] = {tet, other};
  kill_tets(draft, dead, 2);
  *done = 1;
  for (int k = 0; k < 3; k++)
    if (dg_draft_add_tet(draft, new[k], volume_tag, err) != 0) return err->code;
  return 0;
}

/* ---- two vertices become one ---- */

/* May the vertex go there along a surface? */
static bool merges_on_surface(const struct dg_draft *draft, int32_t from, int32_t into, const int32_t *triangle,
                              int triangles)
{
  int shared = 0;
  for (int i = 0; i < triangles; i++) shared += dg_draft_has(draft->triangle[triangle[i]], 3, into);
  return shared == 2 && dg_draft_curve(draft, from, into) == 0;
}

static void replaced(const int32_t *old, int count, int32_t from, int32_t into, int32_t *new)
{
  for (int i = 0; i < count; i++) new[i] = old[i] == from ? into : old[i];
}

int dg_flip_merge(struct dg_draft *draft, int32_t from, int32_t into, double least, double longest, int *done,
                  struct dg_error *err)
{
  int32_t tet[DG_STAR_MAX], triangle[DG_STAR_MAX], new[4];
  double old = 0, volume = 0;
  const enum dg_freedom freedom = dg_draft_way(draft, from).freedom;
  const int count = dg_draft_tets_at(draft, from, tet), triangles = dg_draft_triangles_at(draft, from, triangle);
  *done = 0;
  if ((freedom != DG_FREE && freedom != DG_ON_PLANE) || count == 0 || count > DG_STAR_MAX) return 0;
  if (freedom == DG_ON_PLANE && !merges_on_surface(draft, from, into, triangle, triangles)) return 0;
  if (!closed_star(draft, from, tet, count)) return 0;
  for (int i = 0; i < count; i++) {
    old += dg_draft_volume(draft, tet[i]);
    if (dg_draft_has(draft->tet[tet[i]], 4, into)) continue;
    replaced(draft->tet[tet[i]], 4, from, into, new);
    volume += volume_of(draft, new);
    if (!(altitude_of(draft, new) > least)) return 0;
    for (int k = 0; k < 4; k++)
      if (dg_distance(draft->point[new[k]], draft->point[into]) > longest) return 0;
  }
  if (!(fabs(volume - old) < SAME_VOLUME * old)) return 0;
  *done = 1;
  for (int i = 0; i < count; i++) {
    const bool goes = dg_draft_has(draft->tet[tet[i]], 4, into);
    replaced(draft->tet[tet[i]], 4, from, into, new);
    if (!goes && dg_draft_add_tet(draft, new, draft->volume_tag[tet[i]], err) != 0) return err->code;
    draft->tet[tet[i]][0] = -1;
  }
  for (int i = 0; i < triangles; i++) {
    const bool goes = dg_draft_has(draft->triangle[triangle[i]], 3, into);
    replaced(draft->triangle[triangle[i]], 3, from, into, new);
    if (!goes && dg_draft_add_triangle(draft, new, draft->surface_tag[triangle[i]], err) != 0) return err->code;
    draft->triangle[triangle[i]][0] = -1;
  }
  return 0;
}
