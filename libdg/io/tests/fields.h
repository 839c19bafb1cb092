/* Snapshots of analytic fields, for the tests of this folder. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "libdg/io/silo/silo_writer.h"
#include "libdg/io/tests/cube.h"
#include "libdg/geometry/geometry.h"

struct setup {
  struct dg_mesh mesh;
  struct dg_reference ref;
  double *vector, *scalar, *jump; /* at the nodes */
  double *material, *barycentre;  /* per element */
  struct dg_snapshot_field field[5];
  struct dg_node_merge merge; /* empty unless it was asked for */
  struct dg_snapshot snapshot;
  struct dg_silo_mesh *kept; /* NULL, or for further snapshots */
};

/* The analytic fields, polynomials of degree p; check_snapshots.py has the same lines. */
static inline void analytic(int p, const double x[3], double vector[3], double *scalar)
{
  vector[0] = pow(1 + 2 * x[0] - x[1] + 0.5 * x[2], p);
  vector[1] = pow(x[0] - x[1], p) + x[2];
  vector[2] = -3 * pow(x[2], p);
  *scalar = pow(x[0] + x[1] + x[2], p) - 1;
}

/* The mesh is there. */
static inline void set_up_fields(struct setup *s, int p)
{
  struct dg_error err = {0};
  assert_int_equal(dg_reference_init(&s->ref, p, &err), 0);
  const size_t K = s->mesh.K, Np = (size_t)s->ref.Np;
  assert_int_equal(DG_NEW(s->vector, 3 * K * Np, &err), 0);
  assert_int_equal(DG_NEW(s->scalar, K * Np, &err), 0);
  assert_int_equal(DG_NEW(s->jump, K * Np, &err), 0);
  assert_int_equal(DG_NEW(s->material, K, &err), 0);
  assert_int_equal(DG_NEW(s->barycentre, 3 * K, &err), 0);
  for (size_t e = 0; e < K; e++) {
    double *const b = s->barycentre + 3 * e;
    dg_geometry_barycentre(&s->mesh, e, b);
    s->material[e] = 1 + b[0] + 2 * b[1];
    for (size_t n = 0; n < Np; n++) {
      double x[3], v[3];
      dg_geometry_point(&s->mesh, e, s->ref.r[n], s->ref.s[n], s->ref.t[n], x);
      analytic(p, x, v, &s->scalar[e * Np + n]);
      for (size_t c = 0; c < 3; c++) s->vector[(3 * e + c) * Np + n] = v[c];
      s->jump[e * Np + n] = b[0];
    }
  }
  s->field[0] = (struct dg_snapshot_field){"E", "V/m", 3, false, s->vector, 0, NULL};
  s->field[1] = (struct dg_snapshot_field){"rho", "C/m^3", 1, false, s->scalar, 0, NULL};
  s->field[2] = (struct dg_snapshot_field){"jump", "m", 1, false, s->jump, 0, NULL};
  s->field[3] = (struct dg_snapshot_field){"epsilon_r", "", 1, true, s->material, 0, NULL};
  s->field[4] = (struct dg_snapshot_field){"barycentre", "m", 3, true, s->barycentre, 0, NULL};
  s->snapshot = (struct dg_snapshot){
      .mesh = &s->mesh, .ref = &s->ref, .time = 1.25e-9 * p, .cycle = 100 * p, .fields = 5, .field = s->field};
}

static inline void set_up(struct setup *s, int cells, int p)
{
  struct dg_error err = {0};
  *s = (struct setup){0};
  assert_int_equal(cube_mesh(&s->mesh, cells, &err), 0);
  set_up_fields(s, p);
}

static inline void set_average(struct setup *s, struct dg_comm *comm)
{
  struct dg_error err = {0};
  assert_int_equal(dg_node_merge_init(&s->merge, &s->mesh, &s->ref, comm, &err), 0);
  s->snapshot.merge = &s->merge;
}

static inline void tear_down(struct setup *s)
{
  dg_node_merge_release(&s->merge);
  dg_free(s->vector);
  dg_free(s->scalar);
  dg_free(s->jump);
  dg_free(s->material);
  dg_free(s->barycentre);
  dg_reference_release(&s->ref);
  dg_mesh_release(&s->mesh);
}
