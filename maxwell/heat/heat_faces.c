/* The faces of walls through which heat flows, and their matrices. heat_problem.c calls it. */
#include "maxwell/heat/heat_faces.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/curve.h"
#include "libdg/ref/rule.h"

/* matrix[Nf][Nf] = the integral over a face of the products of its basis. */
static void make_matrix(const struct dg_space *space, const struct dg_quadrature *rule, int32_t face, double *matrix)
{
  const int f = face % 4, Nf = space->ref.Nf;
  const int corner[3] = {f == 0, 1 + (f <= 1), 2 + (f <= 2)};
  for (int q = 0; q < rule->face.points; q++) {
    double place[3], x[3], tangent[3][3], u[3], v[3];
    dg_face_place(f, rule->face.place[q], place);
    dg_mesh_map(space->mesh, (size_t)face / 4, place, x, tangent);
    for (int d = 0; d < 3; d++) { /* dx along the edges of the face, whose ends lie 2 apart in (r, s, t) */
      double towards[3];
      for (int k = 0; k < 3; k++) towards[k] = corner[k] == 0 ? 0 : 2 * tangent[corner[k] - 1][d];
      u[d] = towards[1] - towards[0];
      v[d] = towards[2] - towards[0];
    }
    const double cross[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double area = 0.5 * sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
    const double *at = rule->face_at + (size_t)q * (size_t)Nf;
    for (int i = 0; i < Nf; i++)
      for (int j = 0; j < Nf; j++) matrix[i * Nf + j] += area * rule->face.weight[q] * at[i] * at[j];
  }
}

int mx_heat_faces_init(struct mx_heat_faces *faces, const struct dg_space *space, const struct mx_heat_config *heat,
                       const struct mx_heat_body *body, struct dg_error *err)
{
  const size_t size = (size_t)space->ref.Nf * (size_t)space->ref.Nf;
  struct dg_quadrature rule = {0};
  *faces = (struct mx_heat_faces){0};
  if (DG_NEW(faces->face, body->mesh.boundary_faces, err) != 0) return err->code;
  for (size_t n = 0; n < 4 * body->mesh.K; n++) {
    const int wall = body->wall[n / 4][n % 4];
    if (wall >= 0 && heat->wall[wall].kind != MX_HEAT_HELD) faces->face[faces->count++] = (int32_t)n;
  }
  if (DG_NEW(faces->matrix, faces->count * size, err) == 0 && dg_quadrature_init(&rule, &space->ref, err) == 0)
    for (size_t n = 0; n < faces->count; n++) make_matrix(space, &rule, faces->face[n], faces->matrix + n * size);
  dg_quadrature_release(&rule);
  return err->code;
}

void mx_heat_faces_release(struct mx_heat_faces *faces)
{
  dg_free(faces->face);
  dg_free(faces->matrix);
  *faces = (struct mx_heat_faces){0};
}
