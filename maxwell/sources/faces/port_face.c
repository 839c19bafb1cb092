/* The triangles of a port's face, of all ranks, and the gap of a lumped port. port_build.c and port_shape.c call it;
 * port_face.h documents it. */
#include "maxwell/sources/faces/port_face.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/model/config.h"

static void measure(struct mx_port_face *face)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t k = 0; k < face->count; k++) {
    const struct mx_port_triangle *triangle = &face->triangle[k];
    face->area += triangle->area;
    for (int i = 0; i < 3; i++)
      for (int c = 0; c < 3; c++) {
        low[c] = fmin(low[c], triangle->corner[i][c]);
        high[c] = fmax(high[c], triangle->corner[i][c]);
      }
  }
  for (int c = 0; c < 3; c++) face->extent = fmax(face->extent, high[c] - low[c]);
}

static void describe(struct mx_port_triangle *triangle, const struct mx_port_place *place, size_t e, int f)
{
  const struct dg_mesh *mesh = place->mesh;
  const struct mx_problem *problem = place->problem;
  *triangle = (struct mx_port_triangle){.number = 4 * dg_mesh_global(mesh, e) + f,
                                        .area = 2 * problem->face_scale[e][f] * problem->jacobian[e],
                                        .epsilon = problem->epsilon[e],
                                        .mu = problem->mu[e],
                                        .sigma = problem->sigma[e],
                                        .sigma_m = problem->sigma_m[e],
                                        .where = 4 * (int32_t)e + f,
                                        .rank = dg_comm_rank(problem->comm)}; /* the reference triangle has area 2 */
  for (int i = 0, n = 0; i < 4; i++) {
    if (i == f) continue;
    size_t vertex = (size_t)mesh->element[e][i];
    triangle->vertex[n] = dg_mesh_global_vertex(mesh, vertex);
    memcpy(triangle->corner[n++], mesh->vertex[vertex], sizeof triangle->corner[0]);
  }
  memcpy(triangle->normal, problem->normal[e][f], sizeof triangle->normal);
  if (dg_face_map_of(mesh, e, f, &triangle->map)) triangle->area = mx_curved_face_area(&triangle->map);
}

static int by_number(const void *a, const void *b)
{
  const struct mx_port_triangle *x = a, *y = b;
  return x->number < y->number ? -1 : x->number > y->number;
}

/* Shares the triangles of this rank, of which there are face->own, with all ranks. */
static int share(struct mx_port_face *face, const struct mx_port_place *place, const struct mx_port_triangle *own,
                 struct dg_error *err)
{
  struct dg_comm *comm = place->problem->comm;
  int64_t count = (int64_t)face->own;
  if (dg_comm_reduce_int(comm, DG_SUM, 1, &count, err) != 0) return err->code;
  if (count == 0)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "%s: no face is left for this port; keys of tags win over keys of their groups",
                   MX_AT(place->where), place->what);
  if (dg_comm_share(comm, face->own * sizeof *own, own, &face->triangle, NULL, err) != 0) return err->code;
  face->count = (size_t)count;
  qsort(face->triangle, face->count, sizeof *face->triangle, by_number);
  if (DG_NEW(face->where, face->own, err) != 0) return err->code;
  for (size_t k = 0, n = 0; k < face->count; k++) {
    struct mx_port_triangle *triangle = &face->triangle[k];
    if (triangle->rank == dg_comm_rank(comm)) face->where[n++] = triangle->where;
    else triangle->where = -1;
  }
  return 0;
}

int mx_port_face_init(struct mx_port_face *face, const struct mx_port_place *place,
                      const struct mx_assignment *assignment, int index, struct dg_error *err)
{
  struct mx_port_triangle *own;
  *face = (struct mx_port_face){0};
  for (size_t e = 0; e < place->mesh->K; e++)
    for (int f = 0; f < 4; f++) face->own += assignment->boundary[e][f] == index;
  if (DG_NEW(own, face->own, err) != 0) return err->code;
  for (size_t e = 0, k = 0; e < place->mesh->K; e++)
    for (int f = 0; f < 4; f++)
      if (assignment->boundary[e][f] == index) describe(&own[k++], place, e, f);
  if (share(face, place, own, err) == 0) measure(face);
  dg_free(own);
  return err->code;
}

void mx_port_face_release(struct mx_port_face *face)
{
  dg_free(face->triangle);
  dg_free(face->where);
  *face = (struct mx_port_face){0};
}

int mx_port_face_gap(const struct mx_port_face *face, const struct mx_port_place *place, const double direction[3],
                     double *length, double *width, struct dg_error *err)
{
  double low = INFINITY, high = -INFINITY;
  for (size_t k = 0; k < face->count; k++) {
    const double(*corner)[3] = face->triangle[k].corner, *n = face->triangle[k].normal;
    double across = n[0] * direction[0] + n[1] * direction[1] + n[2] * direction[2];
    if (fabs(across) > 1e-3)
      return dg_fail(err, DG_INPUT,
                     MX_PLACE
                     "%s: direction (%g, %g, %g) must lie in the face; near (%g, %g, %g) m the normal is (%.4g, "
                     "%.4g, %.4g)",
                     MX_AT(place->where), place->what, direction[0], direction[1], direction[2], corner[0][0],
                     corner[0][1], corner[0][2], n[0], n[1], n[2]);
    for (int i = 0; i < 3; i++) {
      double x = corner[i][0] * direction[0] + corner[i][1] * direction[1] + corner[i][2] * direction[2];
      low = fmin(low, x);
      high = fmax(high, x);
    }
  }
  *length = high - low;
  *width = face->area / *length;
  return 0;
}
