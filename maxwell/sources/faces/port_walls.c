/* Checks the walls at the rim of a port's face, which must conduct around a closed guide. port_build.c calls it;
 * port_shape.h declares it. */
#include <math.h>
#include <stdlib.h>

#include "libdg/base/memory.h"
#include "maxwell/sources/faces/edges.h"
#include "maxwell/sources/faces/port_shape.h"

/* Finds the edges that belong to one triangle only, sorted; edge[3 * face->count] has room for all. */
static size_t find_rim(const struct mx_port_face *face, struct mx_edge *edge)
{
  const size_t edges = 3 * face->count;
  size_t count = 0;
  for (size_t k = 0; k < face->count; k++) mx_edges_of(face->triangle[k].vertex, edge + 3 * k);
  qsort(edge, edges, sizeof *edge, mx_compare_edges);
  for (size_t i = 0, next; i < edges; i = next) {
    for (next = i + 1; next < edges && mx_compare_edges(&edge[i], &edge[next]) == 0;) next++;
    if (next == i + 1) edge[count++] = edge[i];
  }
  return count;
}

/* Finds the rim's edges that the face of an element has: hit[3], -1 for none. */
static bool touch(const struct dg_mesh *mesh, size_t e, int f, const struct mx_edge *rim, size_t count, long hit[3])
{
  struct mx_edge own[3];
  int64_t vertex[3];
  bool any = false;
  for (int i = 0, n = 0; i < 4; i++)
    if (i != f) vertex[n++] = dg_mesh_global_vertex(mesh, (size_t)mesh->element[e][i]);
  mx_edges_of(vertex, own);
  for (int i = 0; i < 3; i++) {
    const struct mx_edge *at = bsearch(&own[i], rim, count, sizeof *rim, mx_compare_edges);
    hit[i] = at != NULL ? (long)(at - rim) : -1;
    any = any || at != NULL;
  }
  return any;
}

bool mx_port_wall_conducts(const struct mx_problem *problem, const struct mx_config *config, int boundary, size_t e)
{
  const double metal = 0.01; /* share of the medium's impedance; copper at 10 GHz has 7e-5 */
  if (boundary == MX_DEFAULT_PEC) return true;
  const struct mx_boundary_config *wall = &config->boundary[boundary];
  if (mx_walls[wall->kind].behind == MX_BEHIND_GIVEN)
    return wall->impedance <= metal * MX_ETA0 * sqrt(problem->mu[e] / problem->epsilon[e]);
  return mx_walls[wall->kind].behind == MX_BEHIND_METAL || mx_walls[wall->kind].behind == MX_BEHIND_SKIN;
}

static int fail_wall(const struct mx_port_place *place, const struct mx_config *config, int boundary, size_t e, int f,
                     struct dg_error *err)
{
  double x[3] = {0, 0, 0};
  for (int i = 0; i < 4; i++)
    for (int c = 0; c < 3 && i != f; c++) x[c] += place->mesh->vertex[place->mesh->element[e][i]][c] / 3;
  return dg_fail(
      err, DG_INPUT,
      MX_PLACE "%s: beside the port, near (%g, %g, %g) m, the wall is of kind \"%s\": the modes of this port "
               "are those of a guide between conductors (\"pec\"). A \"modal_port\" takes others",
      MX_AT(place->where), place->what, x[0], x[1], x[2], mx_boundary_kind_names[config->boundary[boundary].kind]);
}

int mx_port_face_walls(const struct mx_port_face *face, const struct mx_port_place *place,
                       const struct mx_assignment *assignment, const struct mx_config *config, int index,
                       struct dg_error *err)
{
  const struct dg_mesh *mesh = place->mesh;
  struct mx_edge *rim = NULL;
  double *sheet = NULL; /* [edges of the rim] 1: a conducting sheet ends there */
  long hit[3];
  if (DG_NEW(rim, 3 * face->count, err) != 0) return err->code;
  const size_t count = find_rim(face, rim);
  if (DG_NEW(sheet, count, err) != 0) goto fail;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++)
      if (assignment->boundary[e][f] == MX_SHEET && touch(mesh, e, f, rim, count, hit))
        for (int i = 0; i < 3; i++)
          if (hit[i] >= 0) sheet[hit[i]] = 1;
  if (dg_comm_reduce(place->problem->comm, DG_MAX, count, sheet, err) != 0) goto fail;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      const int boundary = assignment->boundary[e][f];
      bool bare = false;
      if (mesh->neighbour[e][f] >= 0 || boundary == index ||
          mx_port_wall_conducts(place->problem, config, boundary, e) || !touch(mesh, e, f, rim, count, hit))
        continue;
      for (int i = 0; i < 3; i++) bare = bare || (hit[i] >= 0 && sheet[hit[i]] == 0);
      if (!bare) continue;
      (void)fail_wall(place, config, boundary, e, f, err);
      goto fail;
    }
fail:
  dg_free(rim);
  dg_free(sheet);
  return err->code;
}
