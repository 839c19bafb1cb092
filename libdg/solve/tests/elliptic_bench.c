/* Times the elliptic operator on this machine: `elliptic_bench ORDER CELLS` prints unknowns and the processor time of
 * an application. profiling/elliptic_mfem.py compares it with MFEM. `elliptic_bench ORDER CELLS MASS` also solves, with
 * each preconditioner, the equations of an even cube and of a graded one whose medium jumps: MASS 0 is a steady state,
 * otherwise a step of heat with MASS times the mass. OMP_NUM_THREADS chooses the threads. */
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

#include "libdg/solve/amg.h"
#include "libdg/solve/tests/scene.h"

static double at(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void solve(struct scene *scene, const char *name, void (*make)(struct scene *scene))
{
  const double start = at(CLOCK_MONOTONIC), cpu_start = at(CLOCK_PROCESS_CPUTIME_ID);
  if (make != NULL) make(scene);
  const double made = at(CLOCK_MONOTONIC), cpu_made = at(CLOCK_PROCESS_CPUTIME_ID);
  const int iterations = scene_solve(scene, 100000);
  printf("  %-10s made in %7.3f s (%7.3f s of processor), solved in %7.3f s (%7.3f s), %5d iterations", name,
         made - start, cpu_made - cpu_start, at(CLOCK_MONOTONIC) - made, at(CLOCK_PROCESS_CPUTIME_ID) - cpu_made,
         iterations);
  if (scene->aip != NULL)
    printf(", %.0f bytes an unknown", (double)dg_aip_bytes(scene->aip) / (double)scene->space.count);
  printf("\n");
  scene_plain(scene);
}

static void compare(int order, int cells, double mass)
{
  struct dg_error err = {0};
  for (int hard = 0; hard < 2; hard++) {
    struct scene scene;
    const struct scene_setup setup = {
        .cells = cells, .order = order, .hard = hard == 1, .weights = {.stiffness = 1, .mass = mass}};
    open_scene(&scene, &setup);
    printf("%s, mass %g\n", hard == 1 ? "graded, with a medium that jumps" : "even", mass);
    solve(&scene, "diagonal", NULL);
    solve(&scene, "aip", scene_aip);
    if (dg_amg_prepare(&err) == 0) solve(&scene, "multigrid", scene_multigrid);
    close_scene(&scene);
  }
}

int main(int argc, char **argv)
{
  const int order = argc > 1 ? atoi(argv[1]) : 2, cells = argc > 2 ? atoi(argv[2]) : 20;
  if (order < 1 || order > DG_ORDER_MAX || cells < 2 || cells > CUBE_MOST) {
    (void)fprintf(stderr, "usage: elliptic_bench ORDER CELLS [MASS], cells from 2 to %d\n", CUBE_MOST);
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
    const double start = at(CLOCK_PROCESS_CPUTIME_ID);
    dg_elliptic_apply(op, weights, x, y);
    best = fmin(best, at(CLOCK_PROCESS_CPUTIME_ID) - start);
  }
  printf("order %d, %zu elements, %zu unknowns: %.3f ms an application, %.2f MDoF/s\n", order, mesh.K, space.count,
         1e3 * best, 1e-6 * (double)space.count / best);
  dg_elliptic_free(op);
  dg_space_release(&space);
  dg_mesh_release(&mesh);
  dg_free(body);
  dg_free(x);
  dg_free(y);
  if (argc > 3) compare(order, cells, atof(argv[3]));
  return 0;
}
