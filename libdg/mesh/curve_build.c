/* Takes, turns and checks the maps of curved elements. mesh_build.c calls it. */
#include "libdg/mesh/curve_build.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/curve.h"
#include "libdg/mesh/mesh_limits.h"

#define SAME_FACE 1e-9 /* of the longest edge: what a straight element's face may be off its neighbour's nodes */

/* ---- order of the nodes ---- */

/* Turns a map from the order of the vertices in the input to ascending numbers. */
static void turn(const struct dg_mesh *mesh, size_t e, const int32_t vertex[4], int g, const double (*from)[3],
                 double (*to)[3])
{
  int own[4] = {0}; /* the place in the input's order of the ascending vertex q */
  for (int q = 0; q < 4; q++)
    for (int i = 0; i < 4; i++)
      if (vertex[i] == mesh->element[e][q]) own[q] = i;
  dg_shape_turn(g, own, from, to);
}

/* ---- faces ---- */

/* The nodes of face f, in the order that both of its elements have. */
static size_t face_nodes(int g, int f, const double (*shape)[3], double (*to)[3])
{
  size_t count = 0;
  for (int c = 0; c <= g; c++)
    for (int b = 0; b + c <= g; b++) {
      const int towards[3] = {g - b - c, b, c};
      int n[4] = {0};
      for (int i = 0; i < 3; i++) n[i + (i >= f)] = towards[i];
      memcpy(to[count++], shape[dg_shape_node(g, n)], sizeof *to);
    }
  return count;
}

/* The nodes of face f of a straight element. */
static void straight_nodes(const struct dg_mesh *mesh, size_t e, int f, int g, double (*to)[3])
{
  size_t count = 0;
  for (int c = 0; c <= g; c++)
    for (int b = 0; b + c <= g; b++, count++) {
      const int towards[3] = {g - b - c, b, c};
      for (int d = 0; d < 3; d++) {
        to[count][d] = 0;
        for (int i = 0; i < 3; i++)
          to[count][d] += (double)towards[i] / g * mesh->vertex[mesh->element[e][i + (i >= f)]][d];
      }
    }
}

static double size_of(const struct dg_mesh *mesh, size_t e)
{
  double size = 0;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++)
      size = fmax(size, dg_distance(mesh->vertex[mesh->element[e][i]], mesh->vertex[mesh->element[e][j]]));
  return size;
}

/* Checks that both sides of the faces of curved element k have the same nodes. */
static int check_faces(const struct dg_mesh *mesh, size_t k, struct dg_error *err)
{
  enum { FACE_MAX = (DG_GEOMETRY_MAX + 1) * (DG_GEOMETRY_MAX + 2) / 2 };
  const int g = mesh->geometry;
  const size_t e = (size_t)mesh->curve[k];
  for (int f = 0; f < 4; f++) {
    double own[FACE_MAX][3], far[FACE_MAX][3];
    const int32_t beyond = mesh->neighbour[e][f];
    if (beyond == DG_BOUNDARY || (size_t)(beyond >> 2) >= mesh->K) continue;
    const ptrdiff_t other = dg_mesh_curve(mesh, (size_t)beyond >> 2);
    const double near = other >= 0 ? 0 : SAME_FACE * size_of(mesh, e);
    const size_t count = face_nodes(g, f, dg_mesh_shape(mesh, k), own);
    if (other >= 0) (void)face_nodes(g, beyond & 3, dg_mesh_shape(mesh, (size_t)other), far);
    else straight_nodes(mesh, (size_t)beyond >> 2, beyond & 3, g, far);
    for (size_t n = 0; n < count; n++)
      if (!(dg_distance(own[n], far[n]) <= near))
        return dg_fail(err, DG_INPUT,
                       "elements %" PRIu64 " and %" PRIu64 " share a face, but its node at " DG_AT " lies at " DG_AT
                       " for the other: the nodes of a face must be the same on both sides",
                       mesh->tag[e], mesh->tag[beyond >> 2], DG_XYZ(own[n]), DG_XYZ(far[n]));
  }
  return 0;
}

/* ---- determinants ---- */

static double least_ratio(const struct dg_mesh *mesh, const struct dg_shape_slopes *slopes, size_t k, size_t *where)
{
  const int32_t *v = mesh->element[mesh->curve[k]];
  const double straight = dg_volume6(mesh->vertex[v[0]], mesh->vertex[v[1]], mesh->vertex[v[2]], mesh->vertex[v[3]]);
  return dg_shape_least(slopes, dg_mesh_shape(mesh, k), straight / 8, where);
}

int dg_mesh_check_maps(const struct dg_mesh *mesh, struct dg_error *err)
{
  struct dg_shape_slopes slopes;
  size_t folded = 0, first = mesh->curved;
  if (mesh->curved == 0) return 0;
  if (dg_shape_slopes_init(&slopes, mesh->geometry, err) != 0) goto fail;
#pragma omp parallel for schedule(static) reduction(+ : folded) reduction(min : first)
  for (size_t k = 0; k < mesh->curved; k++) {
    size_t where = 0;
    if (least_ratio(mesh, &slopes, k, &where) > 0) continue;
    folded++;
    first = k < first ? k : first;
  }
  if (folded > 0) {
    size_t where = 0;
    double x[3];
    const double ratio = least_ratio(mesh, &slopes, first, &where);
    dg_shape_at(mesh->geometry, dg_mesh_shape(mesh, first), slopes.place[where], x, NULL);
    (void)dg_fail(
        err, DG_INPUT,
        "curved element %" PRIu64 " folds at " DG_AT
        ": its determinant there is %.2g of that of the straight element (%zu of %zu curved elements fold): make "
        "the file's mesh finer there, let Gmsh mend it (Mesh.HighOrderOptimize = 2), or save straight elements "
        "(Mesh.ElementOrder = 1)",
        mesh->tag[mesh->curve[first]], DG_XYZ(x), ratio, folded, mesh->curved);
  }
fail:
  dg_shape_slopes_release(&slopes);
  return err->code;
}

/* ---- all of it ---- */

static int check_input(const struct dg_mesh_input *input, struct dg_error *err)
{
  const size_t nodes = dg_shape_nodes(input->geometry);
  for (size_t i = 0; i < input->curved; i++) {
    if (input->curve[i] < 0 || (size_t)input->curve[i] >= input->K || (i > 0 && input->curve[i] <= input->curve[i - 1]))
      return dg_fail(err, DG_INPUT, "the numbers of curved elements are not those of elements in ascending order");
    const uint64_t tag = input->tag != NULL ? input->tag[input->curve[i]] : (uint64_t)input->curve[i] + 1;
    for (size_t n = 0; n < nodes; n++) {
      const double *x = input->shape[i * nodes + n];
      if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
        return dg_fail(err, DG_INPUT, "element %" PRIu64 " has a node at " DG_AT, tag, DG_XYZ(x));
    }
  }
  return 0;
}

int dg_mesh_take_shapes(struct dg_mesh *mesh, const struct dg_mesh_input *input, const struct dg_keyed *place,
                        const int32_t *number, struct dg_error *err)
{
  const int g = input->geometry;
  size_t *from = NULL; /* [K] 1 + the curved element of the input that an element of it is; 0: none */
  mesh->geometry = 1;
  if (input->curved == 0 || g < 2) return 0;
  if (g > DG_GEOMETRY_MAX) return dg_fail(err, DG_INPUT, "maps of order %d: at most %d", g, DG_GEOMETRY_MAX);
  const size_t nodes = dg_shape_nodes(g);
  if (check_input(input, err) != 0) return err->code;
  if (DG_NEW(from, input->K, err) != 0 || DG_NEW(mesh->curve, input->curved, err) != 0 ||
      DG_NEW(mesh->shape, input->curved * nodes, err) != 0)
    goto fail;
  mesh->geometry = g;
  for (size_t i = 0; i < input->curved; i++) from[input->curve[i]] = i + 1;
  for (size_t e = 0; e < mesh->K; e++) {
    const size_t item = place[e].item;
    int32_t vertex[4];
    if (from[item] == 0) continue;
    for (int i = 0; i < 4; i++) vertex[i] = number[input->tet[item][i]];
    double(*shape)[3] = mesh->shape + mesh->curved * nodes;
    turn(mesh, e, vertex, g, input->shape + (from[item] - 1) * nodes, shape);
    if (!dg_shape_is_affine(mesh, e, g, (const double(*)[3])shape)) mesh->curve[mesh->curved++] = (int32_t)e;
  }
  if (mesh->curved == 0) mesh->geometry = 1;
  for (size_t k = 0; k < mesh->curved; k++)
    if (check_faces(mesh, k, err) != 0) goto fail;
  if (dg_mesh_close_seams(mesh, err) == 0) (void)!dg_mesh_check_maps(mesh, err);
fail:
  dg_free(from);
  return err->code;
}
