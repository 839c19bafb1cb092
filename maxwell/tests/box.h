/* Boxes of tetrahedra and problems on them for the tests of this folder, without Gmsh and without scripts.
 * Every cell of a grid is cut into six tetrahedra (Kuhn), and the inner points are moved at random, so that no two
 * elements are alike. Include after cmocka.h. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/problem/build/problem_build.h"

struct box {
  struct dg_mesh mesh;
  struct dg_geometry geometry;
  struct dg_reference ref;
  struct mx_problem problem;
  struct mx_assignment assignment;
  struct mx_material_config material[4];
  struct mx_boundary_config boundary[6];
  struct mx_config config;
};

static unsigned long long box_random_state = 1; /* reproducible on every platform, unlike rand() */

static inline double box_random(void)
{
  box_random_state = box_random_state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(box_random_state >> 11) / 9007199254740992.0;
}

/* Grid of cells[3] in [0,size[0]] x ..; point (i,j,k) is moved by up to shake cells where it is inside. stretch maps
 * [0,1] to [0,1] for graded grids, may be NULL. Volume tag 1 where x < size/2, else 2. Surfaces: 1 x=0, 2 x=max, 3 y=0,
 * 4 y=max, 5 z=0, 6 z=max, 7 the plane between the volumes (even cells[0]). */
static inline void box_mesh(struct box *box, const int cells[3], const double size[3], double shake,
                            double (*stretch)(double))
{
  int n[3] = {cells[0] + 1, cells[1] + 1, cells[2] + 1}, points = n[0] * n[1] * n[2];
  int K = 6 * cells[0] * cells[1] * cells[2], triangles = 0, t = 0;
  double(*x)[3] = calloc((size_t)points, sizeof *x);
  int32_t(*tet)[4] = calloc((size_t)K, sizeof *tet), *volume = calloc((size_t)K, sizeof *volume);
  int32_t(*tri)[3] = calloc((size_t)K * 4, sizeof *tri), *surface = calloc((size_t)K * 4, sizeof *surface);
  for (int k = 0, m = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++, m++) {
        int at[3] = {i, j, k};
        for (int d = 0; d < 3; d++) {
          double u = (double)at[d] / cells[d];
          /* the plane between the two volumes stays plane */
          bool fixed = at[d] == 0 || at[d] == cells[d] || (d == 0 && 2 * i == cells[0]);
          double move = fixed ? 0 : shake * (2 * box_random() - 1) / cells[d];
          u += move;
          x[m][d] = size[d] * (stretch != NULL ? stretch(u) : u);
        }
      }
  static const int path[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
  static const int odd[6] = {0, 1, 1, 0, 0, 1};
  for (int k = 0; k < cells[2]; k++)
    for (int j = 0; j < cells[1]; j++)
      for (int i = 0; i < cells[0]; i++)
        for (int q = 0; q < 6; q++, t++) {
          int at[3] = {i, j, k}, v[4];
          for (int s = 0; s < 4; s++) {
            v[s] = at[0] + n[0] * (at[1] + n[1] * at[2]);
            if (s < 2) at[path[q][s]]++;
            if (s == 2) at[3 - path[q][0] - path[q][1]]++;
          }
          for (int s = 0; s < 4; s++) tet[t][s] = v[s];
          if (odd[q]) tet[t][2] = v[3], tet[t][3] = v[2];
          volume[t] = 2 * i < cells[0] ? 1 : 2;
          for (int f = 0; f < 4; f++) { /* faces on the outside, found by the grid indices of their corners */
            int corner[3], c = 0;
            for (int s = 0; s < 4; s++)
              if (s != f) corner[c++] = v[s];
            for (int d = 0; d < 3; d++)
              for (int side = 0; side < 2; side++) {
                int stride = d == 0 ? 1 : d == 1 ? n[0] : n[0] * n[1], on = 0;
                for (c = 0; c < 3; c++) on += corner[c] / stride % n[d] == (side ? cells[d] : 0);
                if (on < 3) continue;
                for (c = 0; c < 3; c++) tri[triangles][c] = corner[c];
                surface[triangles++] = 2 * d + side + 1;
              }
            int between = 0;
            for (c = 0; c < 3; c++) between += 2 * (corner[c] % n[0]) == cells[0];
            if (between == 3 && volume[t] == 1) { /* from one side only: a face has one triangle */
              for (c = 0; c < 3; c++) tri[triangles][c] = corner[c];
              surface[triangles++] = 7;
            }
          }
        }
  const struct dg_mesh_input input = {.points = (size_t)points,
                                      .K = (size_t)K,
                                      .triangles = (size_t)triangles,
                                      .point = (const double(*)[3])x,
                                      .tet = (const int32_t(*)[4])tet,
                                      .volume_tag = volume,
                                      .triangle = (const int32_t(*)[3])tri,
                                      .surface_tag = surface};
  struct dg_error err = {0};
  if (dg_mesh_build(&box->mesh, &input, &err) != 0 || dg_geometry_init(&box->geometry, &box->mesh, &err) != 0)
    fail_msg("%s", err.message);
  free(x), free(tet), free(volume), free(tri), free(surface);
  box->config =
      (struct mx_config){.script_path = "test.lua", .alpha = 1, .material = box->material, .boundary = box->boundary};
}

static inline void box_material(struct box *box, int volume, double epsilon_r, double mu_r, double sigma)
{
  box->material[box->config.materials++] = (struct mx_material_config){
      .where = {.tag = volume, .is_default = volume == 0},
      .epsilon_r = {.value = epsilon_r},
      .mu_r = {.value = mu_r},
      .sigma = {.value = sigma},
      .density = {.value = 1},
  };
}

/* Gives a material one more pole: delta/(1 + s tau), tau in seconds. */
static inline void box_debye(struct mx_material_config *material, double delta, double tau)
{
  if (delta > 0)
    material->poles[0].pole[material->poles[0].count++] =
        (struct mx_pole_config){MX_POLE_IS_REAL, {delta / tau, -1 / tau}};
}

/* Turns x[0], x[stride], x[2 stride]. */
static inline void box_turn_vector(const double (*rows)[3], double *x, size_t stride)
{
  const double old[3] = {x[0], x[stride], x[2 * stride]};
  for (size_t k = 0; k < 3; k++) x[k * stride] = rows[k][0] * old[0] + rows[k][1] * old[1] + rows[k][2] * old[2];
}

/* Turns the mesh, whose geometry is made again. Before box_problem. */
static inline void box_turn(struct box *box, const double (*rows)[3])
{
  struct dg_error err = {0};
  for (size_t i = 0; i < box->mesh.vertices; i++) box_turn_vector(rows, box->mesh.vertex[i], 1);
  dg_geometry_release(&box->geometry);
  if (dg_geometry_init(&box->geometry, &box->mesh, &err) != 0) fail_msg("%s", err.message);
}

/* Turns a field [K][3][Np]. */
static inline void box_turn_field(const struct box *box, const double (*rows)[3], double *field)
{
  const size_t Np = (size_t)box->ref.Np;
  for (size_t e = 0; e < box->mesh.K; e++)
    for (size_t i = 0; i < Np; i++) box_turn_vector(rows, field + 3 * Np * e + i, Np);
}

static inline void box_boundary(struct box *box, int surface, enum mx_boundary_kind kind, double impedance)
{
  box->boundary[box->config.boundaries++] = (struct mx_boundary_config){
      .where = {.tag = surface, .is_default = surface == 0}, .kind = kind, .impedance = impedance};
}

/* After the mesh, materials and boundaries. */
static inline void box_problem(struct box *box, int order, double alpha)
{
  struct dg_error err = {0};
  box->config.alpha = alpha;
  if (dg_reference_init(&box->ref, order, &err) != 0 ||
      mx_problem_init(&box->problem, &box->assignment, &box->config, &box->mesh, &box->geometry, &box->ref, NULL,
                      &err) != 0)
    fail_msg("%s", err.message);
}

static inline void box_problem_release(struct box *box)
{
  mx_problem_release(&box->problem);
  mx_assignment_release(&box->assignment);
  dg_reference_release(&box->ref);
}

static inline void box_release(struct box *box)
{
  box_problem_release(box);
  dg_geometry_release(&box->geometry);
  dg_mesh_release(&box->mesh);
  *box = (struct box){0};
}

/* [K][3][Np] doubles, to be freed with free(). */
static inline double *box_field(const struct box *box)
{
  double *field = calloc(3 * (size_t)box->ref.Np * box->mesh.K, sizeof *field);
  assert_non_null(field);
  return field;
}

static inline void box_noise(const struct box *box, double *field)
{
  for (size_t i = 0; i < 3 * (size_t)box->ref.Np * box->mesh.K; i++) field[i] = 2 * box_random() - 1;
}

/* field = f(x) at the nodes. */
static inline void box_evaluate(const struct box *box, void (*f)(const double x[3], double t, double value[3]),
                                double t, double *field)
{
  size_t Np = (size_t)box->ref.Np;
  for (size_t e = 0; e < box->mesh.K; e++)
    for (size_t i = 0; i < Np; i++) {
      double x[3], value[3];
      dg_geometry_point(&box->mesh, e, box->ref.r[i], box->ref.s[i], box->ref.t[i], x);
      f(x, t, value);
      for (size_t c = 0; c < 3; c++) field[(3 * e + c) * Np + i] = value[c];
    }
}

/* integral of weight u.v, weight[K] or NULL for 1 */
static inline double box_product(const struct box *box, const double *weight, const double *u, const double *v)
{
  size_t Np = (size_t)box->ref.Np;
  double sum = 0;
  for (size_t e = 0; e < box->mesh.K; e++)
    for (size_t c = 0; c < 3; c++) {
      const double *a = u + (3 * e + c) * Np, *b = v + (3 * e + c) * Np;
      double part = 0;
      for (size_t i = 0; i < Np; i++)
        for (size_t j = 0; j < Np; j++) part += a[i] * box->ref.mass[i * Np + j] * b[j];
      sum += box->problem.jacobian[e] * (weight != NULL ? weight[e] : 1) * part;
    }
  return sum;
}

/* L2 norm of u - v */
static inline double box_distance(const struct box *box, const double *u, const double *v)
{
  size_t n = 3 * (size_t)box->ref.Np * box->mesh.K;
  double *d = box_field(box);
  for (size_t i = 0; i < n; i++) d[i] = u[i] - v[i];
  double norm = sqrt(box_product(box, NULL, d, d));
  free(d);
  return norm;
}
