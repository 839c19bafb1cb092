/* Times the elliptic operator on this machine, in processor time: `elliptic_bench ORDER CELLS` prints unknowns and the
 * time of an application. profiling/elliptic_mfem.py compares it with MFEM. OMP_NUM_THREADS chooses the threads. */
#define CUBE_MOST 64
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libdg/field/elliptic.h"
#include "libdg/field/tests/need.h"
#include "libdg/mesh/tests/cube.h"

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
  const int order = argc > 1 ? atoi(argv[1]) : 2, cells = argc > 2 ? atoi(argv[2]) : 20;
  if (order < 1 || order > DG_ORDER_MAX || cells < 2 || cells > CUBE_MOST) {
    (void)fprintf(stderr, "usage: elliptic_bench ORDER CELLS, cells from 2 to %d\n", CUBE_MOST);
    return 2;
  }
  struct dg_error err = {0};
  struct dg_mesh mesh = {0};
  struct dg_space space = {0};
  struct dg_elliptic *op;
  cube(&mesh, cells);
  int32_t(*body)[4] = array(mesh.K, sizeof *body);
  for (size_t e = 0; e < mesh.K; e++)
    for (int f = 0; f < 4; f++) body[e][f] = DG_NO_BODY;
  ok(dg_space_init(&space, &mesh, NULL, order, 0, (const int32_t(*)[4])body, &err), &err);
  const struct dg_elliptic_medium medium = {.k = NULL};
  ok(dg_elliptic_new(&op, &space, &medium, &err), &err);
  double *x = array(space.count, sizeof *x), *y = array(space.count, sizeof *y);
  for (size_t i = 0; i < space.count; i++) x[i] = rand() / (double)RAND_MAX;
  const struct dg_elliptic_weights weights = {.stiffness = 1};
  double best = INFINITY;
  for (int round = 0; round < 12; round++) {
    const double start = now();
    dg_elliptic_apply(op, weights, x, y);
    best = fmin(best, now() - start);
  }
  printf("order %d, %zu elements, %zu unknowns: %.3f ms an application, %.2f MDoF/s\n", order, mesh.K, space.count,
         1e3 * best, 1e-6 * (double)space.count / best);
  dg_elliptic_free(op);
  dg_space_release(&space);
  dg_mesh_release(&mesh);
  dg_free(body);
  dg_free(x);
  dg_free(y);
  return 0;
}
