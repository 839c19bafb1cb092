/* Metric, Jacobian, normals and face scales of affine tetrahedra, element by element. The tables of a problem are made
 * from them (maxwell/problem). Source: J. S. Hesthaven, T. Warburton, Nodal Discontinuous Galerkin Methods, Springer
 * 2008, section 10.2. */
#include "libdg/geometry/geometry.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/curve.h"

/* The rows d(x,y,z)/d(r,s,t)_a of the map from the reference element: x = v0 + (1+r)/2 (v1-v0) + (1+s)/2 (v2-v0) +
 * (1+t)/2 (v3-v0). */
static void edges(const struct dg_mesh *mesh, size_t e, double row[3][3])
{
  const double *origin = mesh->vertex[mesh->element[e][0]];
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) row[a][b] = 0.5 * (mesh->vertex[mesh->element[e][a + 1]][b] - origin[b]);
}

static void element_factors(struct dg_geometry *geometry, const struct dg_mesh *mesh, size_t e)
{
  double row[3][3], cofactor[3][3];
  edges(mesh, e, row);
  for (int a = 0; a < 3; a++) dg_cross(row[(a + 1) % 3], row[(a + 2) % 3], cofactor[a]);
  double det = row[0][0] * cofactor[0][0] + row[0][1] * cofactor[0][1] + row[0][2] * cofactor[0][2];
  geometry->jacobian[e] = fabs(det);

  /* gradient of r, s, t; the barycentric coordinate of vertex a+1 is half of it, plus a constant */
  double gradient[4][3] = {{0}};
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++) {
      gradient[a + 1][b] = cofactor[a][b] / det;
      geometry->metric[e][3 * a + b] = gradient[a + 1][b];
      gradient[0][b] -= gradient[a + 1][b];
    }
  }
  /* Face f is where the barycentric coordinate of vertex f vanishes; outwards that coordinate falls, at 1/height.
   * Surface Jacobian A/2 over volume Jacobian 3V/4 with A = 3V/height is 2/height. */
  for (int f = 0; f < 4; f++) {
    const double *g = gradient[f];
    double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    for (int b = 0; b < 3; b++) geometry->normal[e][f][b] = -g[b] / length;
    geometry->face_scale[e][f] = length;
  }
}

int dg_geometry_init(struct dg_geometry *geometry, const struct dg_mesh *mesh, struct dg_error *err)
{
  *geometry = (struct dg_geometry){.K = mesh->K};
  if (DG_NEW(geometry->metric, mesh->K, err) != 0 || DG_NEW(geometry->jacobian, mesh->K, err) != 0 ||
      DG_NEW(geometry->normal, mesh->K, err) != 0 || DG_NEW(geometry->face_scale, mesh->K, err) != 0) {
    dg_geometry_release(geometry);
    return err->code;
  }
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < mesh->K; e++) element_factors(geometry, mesh, e);
  return 0;
}

void dg_geometry_release(struct dg_geometry *geometry)
{
  if (geometry == NULL) return;
  dg_free(geometry->metric);
  dg_free(geometry->jacobian);
  dg_free(geometry->normal);
  dg_free(geometry->face_scale);
  *geometry = (struct dg_geometry){0};
}

void dg_geometry_point(const struct dg_mesh *mesh, size_t e, double r, double s, double t, double x[3])
{
  const double place[3] = {r, s, t};
  dg_mesh_map(mesh, e, place, x, NULL);
}

void dg_geometry_barycentre(const struct dg_mesh *mesh, size_t e, double x[3])
{
  const int32_t *v = mesh->element[e];
  for (int b = 0; b < 3; b++)
    x[b] = 0.25 * (mesh->vertex[v[0]][b] + mesh->vertex[v[1]][b] + mesh->vertex[v[2]][b] + mesh->vertex[v[3]][b]);
}

double dg_geometry_face_area(const struct dg_geometry *geometry, size_t e, int f)
{
  return 2 * geometry->face_scale[e][f] * geometry->jacobian[e]; /* the reference triangle has area 2 */
}
