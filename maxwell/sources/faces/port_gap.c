/* Looks whether the face of a lumped port is a gap: its ends, its sides, and the conductors at its ends. port_build.c
 * calls it. */
#include "maxwell/sources/faces/port_gap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "maxwell/sources/faces/edges.h"

/* An edge of one triangle: its part of the rim once those of two triangles are gone. */
struct rim_edge {
  struct mx_edge edge; /* first: mx_compare_edges takes it */
  double x[2][3];      /* its ends, m */
  double outward[3];   /* unit, in the triangle, across the edge */
  int end;             /* 1: the end that the direction points to, -1: the other one, 0: a side */
  bool covered;        /* a conductor begins there */
};

struct rim {
  size_t count;
  struct rim_edge *edge;
};

static void fill(const struct mx_port_triangle *triangle, struct rim_edge own[3])
{
  static const int ends[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}}; /* of mx_edges_of, and the vertex beside */
  struct mx_edge edge[3];
  mx_edges_of(triangle->vertex, edge);
  for (int i = 0; i < 3; i++) {
    const double *a = triangle->corner[ends[i][0]], *b = triangle->corner[ends[i][1]],
                 *c = triangle->corner[ends[i][2]];
    double along[3], away[3];
    own[i] = (struct rim_edge){.edge = edge[i]};
    memcpy(own[i].x[0], a, sizeof own[i].x[0]);
    memcpy(own[i].x[1], b, sizeof own[i].x[1]);
    dg_subtract(b, a, along);
    dg_normalise(along);
    dg_subtract(a, c, away);
    const double part = dg_dot(along, away);
    for (int d = 0; d < 3; d++) own[i].outward[d] = away[d] - part * along[d];
    dg_normalise(own[i].outward);
  }
}

static int find_rim(struct rim *rim, const struct mx_port_face *face, struct dg_error *err)
{
  const size_t edges = 3 * face->count;
  if (DG_NEW(rim->edge, edges, err) != 0) return err->code;
  for (size_t k = 0; k < face->count; k++) fill(&face->triangle[k], rim->edge + 3 * k);
  qsort(rim->edge, edges, sizeof *rim->edge, mx_compare_edges);
  for (size_t i = 0, next; i < edges; i = next) {
    for (next = i + 1; next < edges && mx_compare_edges(&rim->edge[i], &rim->edge[next]) == 0;) next++;
    if (next == i + 1) rim->edge[rim->count++] = rim->edge[i];
  }
  return 0;
}

static void middle(const struct rim_edge *edge, double x[3])
{
  for (int c = 0; c < 3; c++) x[c] = (edge->x[0][c] + edge->x[1][c]) / 2;
}

/* Finds which edges are ends; the others are sides. low, high: the face's extent along the direction. */
static int find_ends(struct rim *rim, const struct mx_port_place *place, const double direction[3], double low,
                     double high, struct dg_error *err)
{
  const double slack = 0.02 * (high - low), across = 0.7, askew = 5, degrees = 180 / acos(-1);
  double sides[3] = {0}, at[3] = {0}, worst = 0;
  size_t of_sides = 0;
  for (size_t i = 0; i < rim->count; i++) {
    struct rim_edge *edge = &rim->edge[i];
    const double a = dg_dot(edge->x[0], direction), b = dg_dot(edge->x[1], direction),
                 way = dg_dot(edge->outward, direction);
    double x[3], along[3];
    middle(edge, x);
    edge->end = fmin(a, b) > high - slack && way > 0 ? 1 : fmax(a, b) < low + slack && way < 0 ? -1 : 0;
    if (edge->end != 0) continue;
    const double short_by = way > 0 ? high - (a + b) / 2 : (a + b) / 2 - low;
    if (fabs(way) > across && short_by > worst) {
      worst = short_by;
      memcpy(at, x, sizeof at);
    }
    dg_subtract(edge->x[1], edge->x[0], along);
    const double turn = b >= a ? 1 : -1;
    for (int c = 0; c < 3; c++) sides[c] += turn * along[c];
    of_sides++;
  }
  if (worst > 0)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE
                   "%s: the gap has no one length along its direction (%.3g, %.3g, %.3g): it ends near (%.4g, "
                   "%.4g, %.4g) m, %.3g m before its farthest end, and the length would be %.4g m. The direction "
                   "must go straight from one end to the other, the ends be parallel, and two gaps be two ports",
                   MX_AT(place->where), place->what, direction[0], direction[1], direction[2], at[0], at[1], at[2],
                   worst, high - low);
  const double size = sqrt(dg_dot(sides, sides));
  const double angle = of_sides > 0 && size > 0 ? degrees * acos(fmin(1, dg_dot(sides, direction) / size)) : 0;
  if (angle <= askew) return 0;
  return dg_fail(err, DG_INPUT,
                 MX_PLACE "%s: the direction (%.3g, %.3g, %.3g) is %.2g degrees askew to the gap, whose sides go along "
                          "(%.3g, %.3g, %.3g): it must go straight from one conductor to the other",
                 MX_AT(place->where), place->what, direction[0], direction[1], direction[2], angle, sides[0] / size,
                 sides[1] / size, sides[2] / size);
}

/* Says whether what meets the rim carries the gap's current on: metal, a wall that conducts somewhat, a sheet, another
 * gap in series, a medium with losses. */
static bool carries(const struct mx_port_place *place, const struct mx_assignment *assignment,
                    const struct mx_config *config, int index, double length, size_t e, int f)
{
  const int boundary = assignment->boundary[e][f];
  const int32_t surface = place->mesh->surface[e][f];
  if (place->problem->sigma[e] * length > 1) return true;
  if (boundary == index) return false;
  if (place->mesh->neighbour[e][f] != DG_BOUNDARY) {
    const int interface = surface < 0 ? -1 : assignment->interface[surface];
    return interface >= 0 && config->interface[interface].kind != MX_TOTAL_FIELD;
  }
  if (boundary == MX_DEFAULT_PEC) return true;
  const enum mx_behind behind = mx_walls[config->boundary[boundary].kind].behind;
  return behind != MX_BEHIND_MAGNET && behind != MX_BEHIND_MEDIUM;
}

static int find_conductors(struct rim *rim, const struct mx_port_place *place, const struct mx_assignment *assignment,
                           const struct mx_config *config, int index, double length, struct dg_error *err)
{
  const struct dg_mesh *mesh = place->mesh;
  double *covered = NULL;
  if (DG_NEW(covered, rim->count, err) != 0) return err->code;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      struct mx_edge own[3];
      int64_t vertex[3];
      if (!carries(place, assignment, config, index, length, e, f)) continue;
      for (int i = 0, n = 0; i < 4; i++)
        if (i != f) vertex[n++] = dg_mesh_global_vertex(mesh, (size_t)mesh->element[e][i]);
      mx_edges_of(vertex, own);
      for (int i = 0; i < 3; i++) {
        const struct rim_edge *at = bsearch(&own[i], rim->edge, rim->count, sizeof *rim->edge, mx_compare_edges);
        if (at != NULL) covered[at - rim->edge] = 1;
      }
    }
  if (dg_comm_reduce(place->problem->comm, DG_MAX, rim->count, covered, err) == 0)
    for (size_t i = 0; i < rim->count; i++) rim->edge[i].covered = covered[i] > 0;
  dg_free(covered);
  return err->code;
}

static int check_conductors(const struct rim *rim, const struct mx_port_place *place, struct dg_error *err)
{
  const double least = 0.5; /* share of an end: a port may be somewhat wider than its conductor */
  for (int end = -1; end <= 1; end += 2) {
    double all = 0, covered = 0, x[3] = {0, 0, 0};
    for (size_t i = 0; i < rim->count; i++) {
      const struct rim_edge *edge = &rim->edge[i];
      if (edge->end != end) continue;
      const double length = dg_distance(edge->x[0], edge->x[1]);
      all += length;
      if (edge->covered) covered += length;
      else middle(edge, x);
    }
    if (all > 0 && covered >= least * all) continue;
    if (all == 0) continue; /* a face that closes on itself */
    return dg_fail(
        err, DG_INPUT,
        MX_PLACE "%s: a lumped port or element is a gap between two conductors, and %s, near (%.4g, %.4g, %.4g) m, "
                 "it meets none%s: let it end on pec, on a metal or on a sheet",
        MX_AT(place->where), place->what, end > 0 ? "at the end that its direction points to" : "at its other end",
        x[0], x[1], x[2], covered > 0 ? " on most of its width" : "");
  }
  return 0;
}

/* The length around the rod whose surface the face is, m; 0: it is no rod. A face with sides may be a rod's part that
 * planes of symmetry have cut off: its normals turn by a right angle or more. */
static double find_rod(const struct mx_port_face *face, const struct rim *rim, double width)
{
  const double pi = acos(-1), least = 0.4 * pi;
  bool sides = false;
  double turn = 0;
  for (size_t i = 0; i < rim->count; i++) sides = sides || rim->edge[i].end == 0;
  if (!sides) return width;
  for (size_t i = 0; i < face->count; i++)
    for (size_t k = 0; k < i; k++)
      turn = fmax(turn, acos(fmax(-1, fmin(1, dg_dot(face->triangle[i].normal, face->triangle[k].normal)))));
  return turn >= least ? width * 2 * pi / turn : 0;
}

int mx_port_gap_find(struct mx_port_gap *gap, const struct mx_port_face *face, const struct mx_port_place *place,
                     const struct mx_assignment *assignment, const struct mx_config *config, int index,
                     struct dg_error *err)
{
  const double *direction = config->boundary[index].port.direction;
  struct rim rim = {0};
  double low = INFINITY;
  *gap = (struct mx_port_gap){0};
  if (mx_port_face_gap(face, place, direction, &gap->length, &gap->width, err) != 0) return err->code;
  for (size_t k = 0; k < face->count; k++)
    for (int i = 0; i < 3; i++) low = fmin(low, dg_dot(face->triangle[k].corner[i], direction));
  if (find_rim(&rim, face, err) != 0 || find_ends(&rim, place, direction, low, low + gap->length, err) != 0 ||
      find_conductors(&rim, place, assignment, config, index, gap->length, err) != 0 ||
      check_conductors(&rim, place, err) != 0)
    goto fail;
  gap->around = find_rod(face, &rim, gap->width);
fail:
  dg_free(rim.edge);
  return err->code;
}
