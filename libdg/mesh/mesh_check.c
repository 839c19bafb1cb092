/* Checks of a mesh as it comes and of a mesh that was built: volumes, indices, shared faces, and a point just outside
 * of each boundary face, which must lie in no element. Boxes in a tree along the Hilbert curve find that in linear
 * time. mesh_build.c and join.c call it. */
#include "libdg/mesh/mesh_check.h"

#include <inttypes.h>
#include <math.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/boundary_check.h"

#define MAX_ELEMENTS (INT32_C(1) << 29) /* 4*e + f fits into int32_t */
#define FAN          8                  /* children of a box */
#define MAX_LEVELS   12                 /* FAN^MAX_LEVELS is beyond MAX_ELEMENTS */

void dg_mesh_barycentric(const struct dg_mesh *mesh, size_t e, const double x[3], double bary[4])
{
  const int32_t *n = mesh->element[e];
  const double *v[4] = {mesh->vertex[n[0]], mesh->vertex[n[1]], mesh->vertex[n[2]], mesh->vertex[n[3]]};
  double det = dg_volume6(v[0], v[1], v[2], v[3]);
  bary[0] = dg_volume6(x, v[1], v[2], v[3]) / det;
  bary[1] = dg_volume6(v[0], x, v[2], v[3]) / det;
  bary[2] = dg_volume6(v[0], v[1], x, v[3]) / det;
  bary[3] = dg_volume6(v[0], v[1], v[2], x) / det;
}

/* ---- the elements as they come ---- */

static uint64_t tag_of(const struct dg_mesh_input *input, size_t e)
{
  return input->tag != NULL ? input->tag[e] : e + 1;
}

static double input_det(const struct dg_mesh_input *input, size_t e)
{
  const int32_t *n = input->tet[e];
  return dg_volume6(input->point[n[0]], input->point[n[1]], input->point[n[2]], input->point[n[3]]);
}

static double longest_edge(const struct dg_mesh_input *input, size_t e)
{
  double longest = 0;
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) {
      double d[3];
      dg_subtract(input->point[input->tet[e][i]], input->point[input->tet[e][j]], d);
      longest = fmax(longest, sqrt(dg_dot(d, d)));
    }
  return longest;
}

static int bad_volume(const struct dg_mesh_input *input, size_t e, double volume, struct dg_error *err)
{
  double x[3] = {0};
  for (int i = 0; i < 4; i++)
    for (int b = 0; b < 3; b++) x[b] += 0.25 * input->point[input->tet[e][i]][b];
  double edge = longest_edge(input, e);
  if (fabs(volume) <= DG_FLAT_LIMIT * edge * edge * edge)
    return dg_fail(err, DG_INPUT,
                   "element %" PRIu64 " at " DG_AT " is degenerate: its volume is %.3g m^3, its longest edge %.3g m",
                   tag_of(input, e), DG_XYZ(x), volume, edge);
  size_t inverted = 0;
  for (size_t k = 0; k < input->K; k++) inverted += input_det(input, k) < 0;
  return dg_fail(err, DG_INPUT,
                 "element %" PRIu64 " at " DG_AT " is inverted: its volume is %.3g m^3 (%zu of %zu elements are)",
                 tag_of(input, e), DG_XYZ(x), volume, inverted, input->K);
}

static int check_indices(const struct dg_mesh_input *input, size_t e, struct dg_error *err)
{
  for (int i = 0; i < 4; i++) {
    int32_t n = input->tet[e][i];
    if (n < 0 || (size_t)n >= input->points)
      return dg_fail(err, DG_INPUT, "element %" PRIu64 " refers to point %" PRId32 ", which does not exist",
                     tag_of(input, e), n);
    const double *x = input->point[n];
    if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
      return dg_fail(err, DG_INPUT, "element %" PRIu64 " has a vertex at " DG_AT, tag_of(input, e), DG_XYZ(x));
  }
  return 0;
}

int dg_mesh_check_input(const struct dg_mesh_input *input, struct dg_error *err)
{
  if (input->K == 0) return dg_fail(err, DG_INPUT, "the mesh has no tetrahedra");
  if (input->K >= (size_t)MAX_ELEMENTS)
    return dg_fail(err, DG_INPUT, "the mesh has %zu tetrahedra, one process can hold %" PRId32, input->K,
                   MAX_ELEMENTS - 1);
  if (input->points > INT32_MAX)
    return dg_fail(err, DG_INPUT, "the mesh has %zu points, one process can hold %" PRId32, input->points, INT32_MAX);
  for (size_t e = 0; e < input->K; e++)
    if (check_indices(input, e, err) != 0) return err->code;
  for (size_t e = 0; e < input->K; e++) {
    double volume = input_det(input, e) / 6, edge = longest_edge(input, e);
    if (!(volume > DG_FLAT_LIMIT * edge * edge * edge)) return bad_volume(input, e, volume, err);
  }
  for (size_t i = 0; i < input->triangles; i++)
    for (int j = 0; j < 3; j++)
      if (input->triangle[i][j] < 0 || (size_t)input->triangle[i][j] >= input->points)
        return dg_fail(err, DG_INPUT,
                       "triangle %zu of surface %" PRId32 " refers to point %" PRId32 ", which does not exist", i + 1,
                       input->surface_tag[i], input->triangle[i][j]);
  return 0;
}

/* ---- faces ---- */

/* Finds the vertices of face f of element e, ascending, and its barycentre. */
static void face_of(const struct dg_mesh *mesh, int32_t code, const double *vertex[3], double centre[3])
{
  for (int i = 0; i < 3; i++) vertex[i] = mesh->vertex[mesh->element[code >> 2][i + (i >= (code & 3))]];
  for (int b = 0; b < 3; b++) centre[b] = (vertex[0][b] + vertex[1][b] + vertex[2][b]) / 3;
}

static int32_t apex(const struct dg_mesh *mesh, int32_t code) { return mesh->element[code >> 2][code & 3]; }

static void sort3(uint64_t v[3])
{
  for (int i = 1; i < 3; i++)
    for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
      uint64_t swap = v[j];
      v[j] = v[j - 1];
      v[j - 1] = swap;
    }
}

int dg_mesh_check_shared(const struct dg_mesh *mesh, const int32_t *code, size_t count, struct dg_error *err)
{
  if (count < 2) return 0;
  const double *v[3];
  double centre[3];
  face_of(mesh, code[0], v, centre);
  for (size_t i = 0; i < count; i++)
    for (size_t j = i + 1; j < count; j++)
      if (apex(mesh, code[i]) == apex(mesh, code[j]))
        return dg_fail(err, DG_INPUT, "elements %" PRIu64 " and %" PRIu64 " at " DG_AT " have the same four vertices",
                       mesh->tag[code[i] >> 2], mesh->tag[code[j] >> 2], DG_XYZ(centre));
  if (count > 2) {
    uint64_t tag[3] = {mesh->tag[code[0] >> 2], mesh->tag[code[1] >> 2], mesh->tag[code[2] >> 2]};
    sort3(tag);
    return dg_fail(err, DG_INPUT,
                   "the face at " DG_AT " is shared by %s elements: %" PRIu64 ", %" PRIu64 " and %" PRIu64,
                   DG_XYZ(centre), count == 3 ? "three" : "more than three", tag[0], tag[1], tag[2]);
  }
  double a = dg_volume6(v[0], v[1], v[2], mesh->vertex[apex(mesh, code[0])]);
  double b = dg_volume6(v[0], v[1], v[2], mesh->vertex[apex(mesh, code[1])]);
  if ((a > 0) == (b > 0))
    return dg_fail(err, DG_INPUT,
                   "elements %" PRIu64 " and %" PRIu64 " lie on the same side of the face at " DG_AT
                   " that they share: they overlap",
                   mesh->tag[code[0] >> 2], mesh->tag[code[1] >> 2], DG_XYZ(centre));
  return 0;
}

/* ---- behind the boundary */

/* Boxes around FAN successive elements, around FAN of those boxes, and so on: the elements are ordered along a Hilbert
 * curve, so that successive ones are near to each other and the boxes are tight. */
struct box {
  double low[3], high[3];
};

struct tree {
  int levels;
  size_t first[MAX_LEVELS], count[MAX_LEVELS]; /* level 0 holds the elements' own parents */
  struct box *box;
};

static void widen(struct box *box, const double low[3], const double high[3])
{
  for (int b = 0; b < 3; b++) {
    box->low[b] = fmin(box->low[b], low[b]);
    box->high[b] = fmax(box->high[b], high[b]);
  }
}

static int tree_init(struct tree *tree, const struct dg_mesh *mesh, struct dg_error *err)
{
  size_t total = 0, n = mesh->K;
  *tree = (struct tree){0};
  do {
    n = (n + FAN - 1) / FAN;
    tree->first[tree->levels] = total;
    tree->count[tree->levels++] = n;
    total += n;
  } while (n > 1);
  if (DG_NEW(tree->box, total, err) != 0) return err->code;
  for (size_t i = 0; i < total; i++)
    for (int b = 0; b < 3; b++) {
      tree->box[i].low[b] = INFINITY;
      tree->box[i].high[b] = -INFINITY;
    }
  for (size_t e = 0; e < mesh->K; e++)
    for (int i = 0; i < 4; i++) {
      const double *x = mesh->vertex[mesh->element[e][i]];
      widen(&tree->box[e / FAN], x, x);
    }
  for (int level = 1; level < tree->levels; level++)
    for (size_t i = 0; i < tree->count[level - 1]; i++) {
      const struct box *child = &tree->box[tree->first[level - 1] + i];
      widen(&tree->box[tree->first[level] + i / FAN], child->low, child->high);
    }
  return 0;
}

static int in_box(const struct box *box, const double x[3])
{
  return x[0] >= box->low[0] && x[0] <= box->high[0] && x[1] >= box->low[1] && x[1] <= box->high[1] &&
         x[2] >= box->low[2] && x[2] <= box->high[2];
}

static int in_element(const struct dg_mesh *mesh, size_t e, const double x[3])
{
  double bary[4];
  dg_mesh_barycentric(mesh, e, x, bary);
  return bary[0] >= 0 && bary[1] >= 0 && bary[2] >= 0 && bary[3] >= 0;
}

/* Finds an element that holds x, or -1. */
static int64_t tree_find(const struct tree *tree, const struct dg_mesh *mesh, const double x[3])
{
  struct {
    int level;
    size_t index;
  } stack[FAN * MAX_LEVELS];
  int depth = 0;
  stack[depth].level = tree->levels - 1;
  stack[depth++].index = 0;
  while (depth > 0) {
    int level = stack[--depth].level;
    size_t index = stack[depth].index;
    if (!in_box(&tree->box[tree->first[level] + index], x)) continue;
    size_t below = level > 0 ? tree->count[level - 1] : mesh->K;
    for (size_t i = FAN * index; i < FAN * (index + 1) && i < below; i++) {
      if (level == 0) {
        if (in_element(mesh, i, x)) return (int64_t)i;
      } else {
        stack[depth].level = level - 1;
        stack[depth++].index = i;
      }
    }
  }
  return -1;
}

/* Finds a point just outside face f of element e. */
static void point_outside(const struct dg_mesh *mesh, int32_t code, double x[3])
{
  const double *v[3];
  face_of(mesh, code, v, x);
  double u[3], w[3], n[3], inward[3];
  dg_subtract(v[1], v[0], u);
  dg_subtract(v[2], v[0], w);
  dg_cross(u, w, n);
  dg_subtract(mesh->vertex[apex(mesh, code)], v[0], inward);
  double distance = DG_GAP_LIMIT * sqrt(fmax(dg_dot(u, u), dg_dot(w, w)) / dg_dot(n, n));
  if (dg_dot(n, inward) > 0) distance = -distance;
  for (int b = 0; b < 3; b++) x[b] += distance * n[b];
}

/* A point just outside a boundary face of an element, for any rank to look whether it has an element there. */
struct probe {
  double x[3];
  struct dg_boundary_face face;
};

static struct probe probe_outside(const struct dg_mesh *mesh, size_t e, int f)
{
  struct probe probe = {.face = dg_boundary_face_of(mesh, e, f)};
  point_outside(mesh, 4 * (int32_t)e + f, probe.x);
  return probe;
}

static int check_probe(const struct tree *tree, const struct dg_mesh *mesh, const struct probe *probe,
                       struct dg_error *err)
{
  int64_t other = tree_find(tree, mesh, probe->x);
  if (other < 0) return 0;
  return dg_fail(
      err, DG_INPUT,
      "element %" PRIu64 " of volume %" PRId64 " and element %" PRIu64 " of volume %d touch or overlap at " DG_AT
      " without sharing a face: make the geometry conformal (BooleanFragments or Coherence) or remove "
      "the duplicate nodes",
      probe->face.tag, probe->face.volume, mesh->tag[other], mesh->entity[mesh->volume[other]].tag, DG_XYZ(probe->x));
}

int dg_mesh_check_outside(const struct dg_mesh *mesh, struct dg_error *err)
{
  struct tree tree;
  if (tree_init(&tree, mesh, err) != 0) return err->code;
  for (size_t i = 0; i < 4 * mesh->K && err->code == DG_OK; i++) {
    if (mesh->neighbour[i / 4][i % 4] != DG_BOUNDARY) continue;
    const struct probe probe = probe_outside(mesh, i / 4, (int)(i % 4));
    (void)!check_probe(&tree, mesh, &probe, err);
  }
  dg_free(tree.box);
  struct dg_boundary *boundary = NULL;
  if (err->code != DG_OK || dg_boundary_new(&boundary, mesh, err) != 0) return err->code;
  for (size_t i = 0; i < dg_boundary_faces(boundary) && err->code == DG_OK; i++)
    (void)!dg_boundary_compare(boundary, dg_boundary_face(boundary, i), err);
  dg_boundary_free(boundary);
  return err->code;
}

/* Does the point or the face of the probe lie in the box? */
static bool reaches(const struct probe *probe, const struct box *box)
{
  if (in_box(box, probe->x)) return true;
  for (int d = 0; d < 3; d++) {
    const double a = probe->face.vertex[0][d], b = probe->face.vertex[1][d], c = probe->face.vertex[2][d];
    const double size = 1e-3 * (box->high[d] - box->low[d]); /* faces across a gap as well */
    if (fmin(a, fmin(b, c)) > box->high[d] + size || fmax(a, fmax(b, c)) < box->low[d] - size) return false;
  }
  return true;
}

/* Collects probe[]: for every other rank in turn the points of this one in its box; bytes[ranks] of each. */
static int collect_probes(const struct dg_mesh *mesh, const struct box *box, int ranks, int own, struct probe **probe,
                          size_t *bytes, struct dg_error *err)
{
  struct probe *all = NULL; /* [boundary faces] */
  size_t faces = 0, room = 0, count = 0;
  *probe = NULL;
  if (DG_NEW(all, mesh->boundary_faces, err) != 0) return err->code;
  for (size_t i = 0; i < 4 * mesh->K; i++)
    if (mesh->neighbour[i / 4][i % 4] == DG_BOUNDARY) all[faces++] = probe_outside(mesh, i / 4, (int)(i % 4));
  for (int r = 0; r < ranks; r++) {
    for (size_t i = 0; i < faces && r != own; i++) {
      if (!reaches(&all[i], &box[r])) continue;
      if (count == room && dg_grow(probe, room = 2 * room + 64, sizeof **probe, err) != 0) goto fail;
      (*probe)[count++] = all[i];
      bytes[r] += sizeof **probe;
    }
  }
fail:
  dg_free(all);
  return err->code;
}

int dg_mesh_check_between(const struct dg_mesh *mesh, struct dg_comm *comm, struct dg_error *err)
{
  const int ranks = dg_comm_size(comm);
  struct tree tree;
  struct box *box = NULL;
  struct probe *probe = NULL, *received = NULL;
  struct dg_boundary *boundary = NULL;
  size_t *to = NULL, *from = NULL, count = 0;
  if (tree_init(&tree, mesh, err) != 0) return err->code;
  const struct box own = tree.box[tree.first[tree.levels - 1]];
  if (DG_NEW(to, ranks, err) != 0 || DG_NEW(from, ranks, err) != 0) goto fail;
  if (dg_comm_share(comm, sizeof own, &own, &box, NULL, err) != 0) goto fail;
  if (collect_probes(mesh, box, ranks, dg_comm_rank(comm), &probe, to, err) != 0) goto fail;
  if (dg_comm_all_to_all(comm, to, probe, &received, from, err) != 0) goto fail;
  for (int r = 0; r < ranks; r++) count += from[r] / sizeof *received;
  if (dg_boundary_new(&boundary, mesh, err) != 0) goto fail;
  for (size_t i = 0; i < count; i++)
    if (check_probe(&tree, mesh, &received[i], err) != 0 || dg_boundary_compare(boundary, &received[i].face, err) != 0)
      goto fail;
fail:
  dg_boundary_free(boundary);
  dg_free(tree.box);
  dg_free(box);
  dg_free(probe);
  dg_free(received);
  dg_free(to);
  dg_free(from);
  return err->code;
}
