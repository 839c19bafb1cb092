/* The faces of walls through which heat flows, and their matrices. heat_problem.c calls it. */
#include "maxwell/heat/heat_faces.h"

#include "libdg/base/memory.h"
#include "libdg/field/elliptic.h"

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
    for (size_t n = 0; n < faces->count; n++)
      dg_elliptic_face(space, &rule, faces->face[n], 1, faces->matrix + n * size);
  dg_quadrature_release(&rule);
  return err->code;
}

void mx_heat_faces_release(struct mx_heat_faces *faces)
{
  dg_free(faces->face);
  dg_free(faces->matrix);
  *faces = (struct mx_heat_faces){0};
}
