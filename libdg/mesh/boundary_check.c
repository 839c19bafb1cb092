/* Finds crossing and doubled boundary faces. */
#include "libdg/mesh/boundary_check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/mesh_limits.h"
#include "libdg/base/vec3.h"

enum { FAN = 8, LEVELS_MAX = 12 };
#define DOUBLED 1e-3 /* of the longest edge: two faces nearer than this are one whose nodes were doubled */
#define THICK   10.0 /* gaps that a face is high at least, to be told from what is at its other end */
#define CLEAR   1e-9 /* of the edge cubed: volumes that are clearly not zero */

struct box {
  double low[3], high[3];
};

struct dg_boundary {
  size_t faces;
  struct dg_boundary_face
      *face; /* [faces] along the curve of the elements, so that boxes around FAN of them are tight */
  int levels;
  size_t first[LEVELS_MAX], count[LEVELS_MAX]; /* level 0 has a box for each face */
  struct box *box;
};

static struct box box_of(const struct dg_boundary_face *face, double slack)
{
  struct box box;
  for (int b = 0; b < 3; b++) {
    box.low[b] = fmin(face->vertex[0][b], fmin(face->vertex[1][b], face->vertex[2][b])) - slack;
    box.high[b] = fmax(face->vertex[0][b], fmax(face->vertex[1][b], face->vertex[2][b])) + slack;
  }
  return box;
}

static bool apart(const struct box *a, const struct box *b)
{
  for (int d = 0; d < 3; d++)
    if (a->low[d] > b->high[d] || b->low[d] > a->high[d]) return true;
  return false;
}

struct dg_boundary_face dg_boundary_face_of(const struct dg_mesh *mesh, size_t e, int f)
{
  struct dg_boundary_face face = {.tag = mesh->tag[e], .volume = mesh->entity[mesh->volume[e]].tag};
  for (int k = 0; k < 3; k++) {
    const int32_t v = mesh->element[e][k + (k >= f)];
    memcpy(face.vertex[k], mesh->vertex[v], sizeof face.vertex[k]);
    face.number[k] = dg_mesh_global_vertex(mesh, (size_t)v);
  }
  double u[3], w[3], in[3];
  dg_subtract(face.vertex[1], face.vertex[0], u);
  dg_subtract(face.vertex[2], face.vertex[0], w);
  dg_subtract(mesh->vertex[mesh->element[e][f]], face.vertex[0], in);
  dg_cross(u, w, face.outward);
  dg_normalise(face.outward);
  const double sign = dg_dot(face.outward, in) > 0 ? -1 : 1;
  for (int b = 0; b < 3; b++) face.outward[b] *= sign;
  return face;
}

static void collect_faces(struct dg_boundary *boundary, const struct dg_mesh *mesh)
{
  size_t n = 0;
  for (size_t i = 0; i < 4 * mesh->K; i++)
    if (mesh->neighbour[i / 4][i % 4] == DG_BOUNDARY)
      boundary->face[n++] = dg_boundary_face_of(mesh, i / 4, (int)(i % 4));
}

int dg_boundary_new(struct dg_boundary **boundary, const struct dg_mesh *mesh, struct dg_error *err)
{
  size_t faces = 0, total = 0;
  for (size_t i = 0; i < 4 * mesh->K; i++) faces += mesh->neighbour[i / 4][i % 4] == DG_BOUNDARY;
  if (DG_NEW(*boundary, 1, err) != 0) return err->code;
  struct dg_boundary *new = *boundary;
  new->faces = faces;
  for (size_t n = faces;; n = (n + FAN - 1) / FAN) {
    new->first[new->levels] = total;
    new->count[new->levels++] = n;
    total += n;
    if (n <= 1) break;
  }
  if (DG_NEW(new->face, faces, err) != 0 || DG_NEW(new->box, total, err) != 0) {
    dg_boundary_free(new);
    *boundary = NULL;
    return err->code;
  }
  collect_faces(new, mesh);
  for (size_t i = 0; i < faces; i++) new->box[i] = box_of(&new->face[i], 0);
  for (int level = 1; level < new->levels; level++)
    for (size_t i = 0; i < new->count[level - 1]; i++) {
      const struct box *child = &new->box[new->first[level - 1] + i];
      struct box *box = &new->box[new->first[level] + i / FAN];
      for (int b = 0; b < 3; b++) {
        box->low[b] = i % FAN == 0 ? child->low[b] : fmin(box->low[b], child->low[b]);
        box->high[b] = i % FAN == 0 ? child->high[b] : fmax(box->high[b], child->high[b]);
      }
    }
  return 0;
}

void dg_boundary_free(struct dg_boundary *boundary)
{
  if (boundary == NULL) return;
  dg_free(boundary->face);
  dg_free(boundary->box);
  dg_free(boundary);
}

size_t dg_boundary_faces(const struct dg_boundary *boundary) { return boundary->faces; }

const struct dg_boundary_face *dg_boundary_face(const struct dg_boundary *boundary, size_t i)
{
  return &boundary->face[i];
}

/* ---- two faces ---- */

static double longest_edge(const struct dg_boundary_face *face)
{
  double longest = 0;
  for (int i = 0; i < 3; i++) longest = fmax(longest, dg_distance(face->vertex[i], face->vertex[(i + 1) % 3]));
  return longest;
}

static int shared_vertices(const struct dg_boundary_face *a, const struct dg_boundary_face *b)
{
  int shared = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) shared += a->number[i] == b->number[j];
  return shared;
}

/* Does the edge p q go through the face, or through one of its edges? */
static bool pierces(const double p[3], const double q[3], const struct dg_boundary_face *face, double clear)
{
  const double(*v)[3] = face->vertex;
  const double above = dg_volume6(v[0], v[1], v[2], p), below = dg_volume6(v[0], v[1], v[2], q);
  double low = 0, high = 0;
  if (fabs(above) < clear || fabs(below) < clear || (above > 0) == (below > 0)) return false;
  for (int i = 0; i < 3; i++) {
    const double side = dg_volume6(p, q, v[i], v[(i + 1) % 3]);
    low = fmin(low, side);
    high = fmax(high, side);
  }
  return low > -clear || high < clear;
}

static bool cross(const struct dg_boundary_face *a, const struct dg_boundary_face *b)
{
  const double size = fmax(longest_edge(a), longest_edge(b)), clear = CLEAR * size * size * size;
  for (int i = 0; i < 3; i++)
    if (pierces(a->vertex[i], a->vertex[(i + 1) % 3], b, clear) ||
        pierces(b->vertex[i], b->vertex[(i + 1) % 3], a, clear))
      return true;
  return false;
}

/* Are two faces one whose nodes were doubled? Then every vertex of one has a vertex of the other beside it, and the
 * space between the faces is outside of both. *gap: the largest distance. */
static bool doubled(const struct dg_boundary_face *a, const struct dg_boundary_face *b, double *gap)
{
  const double near = DOUBLED * longest_edge(a);
  double across[3];
  *gap = 0;
  if (dg_dot(a->outward, b->outward) > 0) return false;
  for (int d = 0; d < 3; d++)
    across[d] =
        b->vertex[0][d] + b->vertex[1][d] + b->vertex[2][d] - a->vertex[0][d] - a->vertex[1][d] - a->vertex[2][d];
  if (dg_dot(a->outward, across) < 0) return false;
  for (int i = 0; i < 3; i++) {
    double least = INFINITY;
    for (int j = 0; j < 3; j++) least = fmin(least, dg_distance(a->vertex[i], b->vertex[j]));
    if (least > near) return false;
    *gap = fmax(*gap, least);
  }
  double u[3], w[3], n[3]; /* a face as thin as the gap is a step of the geometry, whose vertices are near anyhow */
  dg_subtract(a->vertex[1], a->vertex[0], u);
  dg_subtract(a->vertex[2], a->vertex[0], w);
  dg_cross(u, w, n);
  return sqrt(dg_dot(n, n)) / longest_edge(a) > THICK * *gap;
}

static int compare(const struct dg_boundary_face *a, const struct dg_boundary_face *b, struct dg_error *err)
{
  double x[3], gap;
  if (a->tag == b->tag && a->volume == b->volume) return 0;
  const int shared = shared_vertices(a, b);
  if (shared == 3) return 0;
  for (int d = 0; d < 3; d++) x[d] = (a->vertex[0][d] + a->vertex[1][d] + a->vertex[2][d]) / 3;
  if (doubled(a, b, &gap))
    return dg_fail(err, DG_INPUT,
                   "faces of element %" PRIu64 " of volume %" PRId64 " and element %" PRIu64 " of volume %" PRId64
                   " lie on each other at " DG_AT
                   " with a gap of %.3g m: their nodes are doubled, which would be a wall; "
                   "make the geometry conformal (BooleanFragments or Coherence) or join the nodes",
                   a->tag, a->volume, b->tag, b->volume, DG_XYZ(x), gap);
  if (shared == 0 && cross(a, b))
    return dg_fail(err, DG_INPUT,
                   "element %" PRIu64 " of volume %" PRId64 " and element %" PRIu64 " of volume %" PRId64
                   " overlap: their outer faces cross at " DG_AT
                   ": make the geometry conformal (BooleanFragments or Coherence)",
                   a->tag, a->volume, b->tag, b->volume, DG_XYZ(x));
  return 0;
}

int dg_boundary_compare(const struct dg_boundary *boundary, const struct dg_boundary_face *face, struct dg_error *err)
{
  struct {
    int level;
    size_t index;
  } stack[FAN * LEVELS_MAX];
  const struct box range = box_of(face, DOUBLED * longest_edge(face));
  int depth = 0;
  if (boundary->faces == 0) return 0;
  stack[depth].level = boundary->levels - 1;
  stack[depth++].index = 0;
  while (depth > 0) {
    const int level = stack[--depth].level;
    const size_t index = stack[depth].index;
    if (apart(&boundary->box[boundary->first[level] + index], &range)) continue;
    if (level == 0) {
      if (compare(face, &boundary->face[index], err) != 0) return err->code;
      continue;
    }
    for (size_t i = FAN * index; i < FAN * (index + 1) && i < boundary->count[level - 1]; i++) {
      stack[depth].level = level - 1;
      stack[depth++].index = i;
    }
  }
  return 0;
}
