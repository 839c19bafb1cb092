/* Cuts a broken line at the faces of elements and gives every piece to one element, also where it runs along a face or
 * an edge: to the one with the lowest number in the whole mesh. Wires, voltages and currents along paths are integrated
 * over these pieces. */
#include "libdg/mesh/find/segment.h"

#include <math.h>
#include <stdlib.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/mesh/find/span.h"
#include "libdg/mesh/mesh_check.h"

#define TOLERANCE 1e-9  /* of barycentric coordinates, as dg_mesh_locate has it */
#define PARALLEL  1e-10 /* a coordinate that changes less than this along a segment cuts nothing */
#define SHORTEST  1e-13 /* of a segment: cuts nearer to each other than this are one */

struct hit { /* a segment passes through (or touches) an element, within the tolerance, where t is in [low, high] */
  int64_t global;
  size_t element, segment; /* the element's number on its rank */
  int rank;
  double low, high;
  double cut[4]; /* where it crosses the planes of the faces; NaN where it does not */
};

struct cutter {
  const struct dg_mesh *mesh;
  struct dg_inverse inverse;
  int rank;
  size_t segments;
  const double (*from)[3];
  size_t points;
  size_t hits, room;
  struct hit *hit;
  size_t cuts_room;
  double *cut;
  size_t pieces_room;
};

static const double *end_of(const struct cutter *c, size_t segment)
{
  return c->from[segment + 1 < c->points ? segment + 1 : 0];
}

/* ---- elements that a segment meets */

static void widen(double box[2][3], const double x[3])
{
  for (int d = 0; d < 3; d++) {
    box[0][d] = fmin(box[0][d], x[d]);
    box[1][d] = fmax(box[1][d], x[d]);
  }
}

static int apart(const double a[2][3], const double b[2][3])
{
  for (int d = 0; d < 3; d++)
    if (a[0][d] > b[1][d] || b[0][d] > a[1][d]) return 1;
  return 0;
}

static void box_of_segment(const struct cutter *c, size_t s, double box[2][3])
{
  for (int d = 0; d < 3; d++) {
    box[0][d] = fmin(c->from[s][d], end_of(c, s)[d]);
    box[1][d] = fmax(c->from[s][d], end_of(c, s)[d]);
  }
}

/* Clips [0, 1] against the element's four half spaces: barycentric coordinates are linear along the segment. */
static int clip(const struct cutter *c, struct hit *hit)
{
  double a[4], b[4];
  dg_mesh_barycentric(c->mesh, hit->element, c->from[hit->segment], a);
  dg_mesh_barycentric(c->mesh, hit->element, end_of(c, hit->segment), b);
  hit->low = 0;
  hit->high = 1;
  for (int f = 0; f < 4; f++) {
    double slope = b[f] - a[f];
    hit->cut[f] = NAN;
    if (fabs(slope) <= PARALLEL) {
      if (fmax(a[f], b[f]) < -TOLERANCE) return 0;
      continue;
    }
    hit->cut[f] = -a[f] / slope;
    double end = (-TOLERANCE - a[f]) / slope;
    if (slope > 0) hit->low = fmax(hit->low, end);
    else hit->high = fmin(hit->high, end);
  }
  return hit->low <= hit->high;
}

static int add_hit(struct cutter *c, const struct hit *hit, struct dg_error *err)
{
  if (c->hits == c->room) {
    size_t room = 2 * c->room + 64;
    if (dg_grow(&c->hit, room, sizeof *c->hit, err) != 0) return err->code;
    c->room = room;
  }
  c->hit[c->hits++] = *hit;
  return 0;
}

/* Finds the parts of the segments in curved element k. */
static int find_bent(struct cutter *c, size_t k, struct dg_error *err)
{
  const size_t e = (size_t)c->mesh->curve[k];
  struct dg_bent bent;
  double box[2][3], segment[2][3];
  dg_bent_box(&bent, &c->inverse, k);
  for (int d = 0; d < 3; d++) {
    const double slack = 4 * TOLERANCE * (bent.high[d] - bent.low[d]);
    box[0][d] = bent.low[d] - slack;
    box[1][d] = bent.high[d] + slack;
  }
  for (size_t s = 0; s < c->segments; s++) {
    struct dg_span span[DG_SPANS];
    box_of_segment(c, s, segment);
    if (apart(box, segment)) continue;
    const size_t spans = dg_bent_spans(&bent, &c->inverse, c->from[s], end_of(c, s), TOLERANCE, span);
    for (size_t i = 0; i < spans; i++) {
      const struct hit hit = {.global = dg_mesh_global(c->mesh, e),
                              .element = e,
                              .segment = s,
                              .rank = c->rank,
                              .low = span[i].low,
                              .high = span[i].high,
                              .cut = {span[i].cut[0], span[i].cut[1], NAN, NAN}};
      if (add_hit(c, &hit, err) != 0) return err->code;
    }
  }
  return 0;
}

static int find_hits(struct cutter *c, struct dg_error *err)
{
  size_t k = 0;
  double path[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (size_t p = 0; p < c->points; p++) widen(path, c->from[p]);
  for (size_t e = 0; e < c->mesh->K; e++) {
    double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, segment[2][3];
    while (k < c->mesh->curved && (size_t)c->mesh->curve[k] < e) k++;
    if (dg_mesh_in_layer(c->mesh, e)) continue; /* as dg_mesh_locate has it */
    if (k < c->mesh->curved && (size_t)c->mesh->curve[k] == e) {
      if (find_bent(c, k, err) != 0) return err->code;
      continue;
    }
    for (int i = 0; i < 4; i++) widen(box, c->mesh->vertex[c->mesh->element[e][i]]);
    for (int d = 0; d < 3; d++) {
      double slack = 4 * TOLERANCE * (box[1][d] - box[0][d]);
      box[0][d] -= slack;
      box[1][d] += slack;
    }
    if (apart(box, path)) continue;
    for (size_t s = 0; s < c->segments; s++) {
      struct hit hit = {.global = dg_mesh_global(c->mesh, e), .element = e, .segment = s, .rank = c->rank};
      box_of_segment(c, s, segment);
      if (apart(box, segment) || !clip(c, &hit)) continue;
      if (add_hit(c, &hit, err) != 0) return err->code;
    }
  }
  return 0;
}

/* ---- pieces ---- */

static int by_segment(const void *a, const void *b)
{
  const struct hit *p = a, *q = b;
  if (p->segment != q->segment) return p->segment < q->segment ? -1 : 1;
  if (p->global != q->global) return p->global < q->global ? -1 : 1;
  return p->low < q->low ? -1 : p->low > q->low; /* a segment may come back to a curved element */
}

/* Collects all parameters where a segment may go from one element to another, 0 and 1 among them, ascending and
 * distinct. */
static int collect_cuts(struct cutter *c, const struct hit *hit, size_t hits, size_t *cuts, struct dg_error *err)
{
  if (c->cuts_room < 4 * hits + 2) {
    if (dg_grow(&c->cut, 4 * hits + 2, sizeof *c->cut, err) != 0) return err->code;
    c->cuts_room = 4 * hits + 2;
  }
  size_t n = 0, kept = 1;
  c->cut[n++] = 0;
  for (size_t i = 0; i < hits; i++)
    for (int f = 0; f < 4; f++)
      if (hit[i].cut[f] > 0 && hit[i].cut[f] < 1) c->cut[n++] = hit[i].cut[f];
  qsort(c->cut, n, sizeof *c->cut, dg_compare_doubles);
  for (size_t i = 1; i < n; i++)
    if (c->cut[i] - c->cut[kept - 1] > SHORTEST && 1 - c->cut[i] > SHORTEST) c->cut[kept++] = c->cut[i];
  c->cut[kept++] = 1;
  *cuts = kept;
  return 0;
}

static int add_piece(struct cutter *c, struct dg_path *path, const struct dg_path_piece *piece, struct dg_error *err)
{
  struct dg_path_piece *last = path->pieces > 0 ? &path->piece[path->pieces - 1] : NULL;
  if (last != NULL && last->element == piece->element && last->segment == piece->segment && last->end == piece->begin) {
    last->end = piece->end;
    return 0;
  }
  if (path->piece == NULL || path->pieces == c->pieces_room) {
    size_t room = 2 * c->pieces_room + 64;
    if (dg_grow(&path->piece, room, sizeof *path->piece, err) != 0) return err->code;
    c->pieces_room = room;
  }
  path->piece[path->pieces++] = *piece;
  return 0;
}

/* Cuts a segment. Between two cuts nothing changes: the element with the lowest global number that holds the middle has
 * it all. */
static int cut_segment(struct cutter *c, struct dg_path *path, size_t segment, const struct hit *hit, size_t hits,
                       struct dg_error *err)
{
  const double *a = c->from[segment], *b = end_of(c, segment);
  double length = sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]));
  size_t cuts = 0;
  if (collect_cuts(c, hit, hits, &cuts, err) != 0) return err->code;
  path->length += length;
  for (size_t i = 0; i + 1 < cuts; i++) {
    double begin = c->cut[i], end = c->cut[i + 1], middle = (begin + end) / 2;
    size_t k = 0;
    while (k < hits && (middle < hit[k].low || middle > hit[k].high)) k++;
    if (k == hits) {
      path->outside += (end - begin) * length;
      continue;
    }
    if (hit[k].rank != c->rank) continue;
    const struct dg_path_piece piece = {.element = hit[k].element, .segment = segment, .begin = begin, .end = end};
    if (add_piece(c, path, &piece, err) != 0) return err->code;
  }
  return 0;
}

/* Shares the hits. Every rank gets the hits of all, because the cuts of a path depend on all elements that it meets. */
static int share_hits(struct cutter *c, struct dg_comm *comm, struct dg_error *err)
{
  struct hit *own = c->hit;
  size_t *bytes, total = 0;
  if (dg_comm_size(comm) == 1) return 0;
  if (DG_NEW(bytes, dg_comm_size(comm), err) != 0) return err->code;
  c->hit = NULL;
  if (dg_comm_share(comm, c->hits * sizeof *own, own, &c->hit, bytes, err) == 0)
    for (int r = 0; r < dg_comm_size(comm); r++) total += bytes[r];
  c->hits = total / sizeof *own;
  dg_free(own);
  dg_free(bytes);
  return err->code;
}

int dg_path_cut(struct dg_path *path, const struct dg_mesh *mesh, struct dg_comm *comm, size_t points,
                const double (*point)[3], int closed, struct dg_error *err)
{
  struct cutter c = {.mesh = mesh,
                     .rank = dg_comm_rank(comm),
                     .segments = closed ? points : points - 1,
                     .from = point,
                     .points = points};
  *path = (struct dg_path){0};
  DG_BUG_IF(points < 2, "a path has less than two points");
  dg_inverse_init(&c.inverse, mesh);
  if (find_hits(&c, err) != 0 || share_hits(&c, comm, err) != 0) goto fail;
  if (c.hits > 0) qsort(c.hit, c.hits, sizeof *c.hit, by_segment);
  for (size_t s = 0, first = 0; s < c.segments; s++) {
    size_t next = first;
    while (next < c.hits && c.hit[next].segment == s) next++;
    if (cut_segment(&c, path, s, c.hit != NULL ? c.hit + first : NULL, next - first, err) != 0) goto fail;
    first = next;
  }
fail:
  dg_free(c.hit);
  dg_free(c.cut);
  return err->code;
}

void dg_path_release(struct dg_path *path)
{
  dg_free(path->piece);
  *path = (struct dg_path){0};
}
