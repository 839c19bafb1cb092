/* `test_cuda_elliptic bench ELEMENTS ORDER`: a cube of about so many elements, its surface held, one medium. Prints
 * what an iteration takes and moves on the card, against copies in the same process, and what a solution takes there
 * and on the host. */
#pragma once

#include <stdio.h>

#include "gpu/elliptic/kernels.h"
#include "gpu/elliptic/pack.h"
#include "libdg/base/clock.h"
#include "libdg/solve/amg.h"
#include "libdg/solve/multigrid.h"

enum { FEW = 10, MANY = 210, REPEATS = 30 };

static void sure(gpuError_t status)
{
  if (status != gpuSuccess) fail_msg("the card: %s", gpuGetErrorString(status));
}

/* Seconds of the best of some solutions with so many iterations. */
static double seconds_of(const struct scene *scene, const double *b, double *x, const double *diagonal, int most)
{
  double best = INFINITY;
  for (int i = 0; i < 3; i++) {
    struct dg_error err = {0};
    struct dg_pcg_report report;
    const struct dg_device_system system = {.weights = {.of = {.stiffness = 1}},
                                            .diagonal = diagonal,
                                            .held = scene->held,
                                            .tolerance = 1e-300,
                                            .most = most};
    memset(x, 0, scene->space.count * sizeof *x);
    const double start = mx_clock();
    if (i == 0 && gpu_elliptic_solver.ready(scene->solver, &system, &err) != 0) fail_msg("%s", err.message);
    if (gpu_elliptic_solver.solve(scene->solver, &system, b, x, &report, &err) != DG_INPUT)
      fail_msg("%d iterations: %s", most, err.message);
    best = fmin(best, mx_clock() - start);
  }
  return best;
}

struct timed {
  struct gpu_elliptic op;
  struct gpu_memory card;
  double *x, *y, *part;
};

static double event_seconds(struct timed *t, int which)
{
  gpuEvent_t start, end;
  float milliseconds;
  const struct gpu_elliptic_weights w = {.stiffness = 1};
  sure(gpuEventCreate(&start)), sure(gpuEventCreate(&end));
  for (int i = -3; i < REPEATS; i++) {
    if (i == 0) sure(gpuEventRecord(start, NULL));
    if (which == 0) sure(gpu_elliptic_elements(&t->op, w, t->x, NULL, 0, NULL));
    else sure(gpu_elliptic_gather(&t->op, t->x, t->y, t->part, NULL, 0, NULL));
  }
  sure(gpuEventRecord(end, NULL)), sure(gpuEventSynchronize(end));
  sure(gpuEventElapsedTime(&milliseconds, start, end));
  sure(gpuEventDestroy(start)), sure(gpuEventDestroy(end));
  return 1e-3 * milliseconds / REPEATS;
}

/* The kernels of the operator, one by one, on tables of their own. */
static double time_kernels(const struct scene *scene, double copy)
{
  struct dg_error err = {0};
  struct timed t = {0};
  size_t places = 0;
  const size_t n = scene->space.count, all = scene->box.mesh.K * (size_t)scene->space.ref.Np;
  double *noise = room(n);
  for (size_t i = 0; i < n; i++) noise[i] = box_random();
  if (gpu_elliptic_pack(&t.op, &t.card, scene->op, NULL, &places, &err) != 0 ||
      gpu_new(&t.card, &t.op.result, places * sizeof(double), "results", &err) != 0 ||
      gpu_new_copy(&t.card, &t.x, noise, n * sizeof(double), "x", &err) != 0 ||
      gpu_new(&t.card, &t.y, n * sizeof(double), "y", &err) != 0 ||
      gpu_new(&t.card, &t.part, 2 * GPU_ELLIPTIC_BLOCKS * sizeof(double), "sums", &err) != 0)
    fail_msg("%s", err.message);
  sure(gpu_elliptic_prepare(t.op.order));
  const double moved[2] = {6.0 * (double)all + 48.0 * (double)t.op.K + 8.0 * (double)n + 10.0 * (double)t.op.sums,
                           12.0 * (double)t.op.sums + 20.0 * (double)n};
  printf("  tiles     %.2f sums an unknown\n", (double)t.op.sums / (double)n);
  const double flops = (double)t.op.K * (12.0 * t.op.Np * t.op.modes + 30.0 * t.op.modes);
  static const char *const name[2] = {"elements", "gather"};
  for (int which = 0; which < 2; which++) {
    const double seconds = event_seconds(&t, which);
    printf("  %-9s %8.1f us, %7.1f MB: %.2f of a copy%s", name[which], 1e6 * seconds, 1e-6 * moved[which],
           moved[which] / seconds / copy, which == 0 ? "" : "\n");
    if (which == 0) printf("; %.1f GFLOP: %.2f TFLOP/s\n", 1e-9 * flops, 1e-12 * flops / seconds);
  }
  gpu_release_card(&t.card);
  dg_free(noise);
  return moved[0] + moved[1];
}

static void time_iteration(const struct scene *scene, const double *b, double *x, const double *diagonal, double apply,
                           double copy)
{
  const double all = (double)(scene->box.mesh.K * (size_t)scene->space.ref.Np), n = (double)scene->space.count;
  const double K = (double)scene->box.mesh.K;
  const double seconds =
      (seconds_of(scene, b, x, diagonal, MANY) - seconds_of(scene, b, x, diagonal, FEW)) / (MANY - FEW);
  const double least = 4 * all + 48 * K + (16 + 80) * n; /* unknowns of elements, metric, x and y, four vectors */
  const double moved = apply + 80 * n;
  printf("  iteration %8.1f us; least %.1f bytes an unknown: %.2f of a copy; as it is %.1f: %.2f\n", 1e6 * seconds,
         least / n, least / seconds / copy, moved / n, moved / seconds / copy);
}

static void time_card(const struct scene *scene, const double *b, double *x, const double *diagonal)
{
  struct dg_error err = {0};
  struct dg_pcg_report report;
  const struct dg_device_system system = {.weights = {.of = {.stiffness = 1}},
                                          .multigrid = scene->multigrid != NULL,
                                          .diagonal = diagonal,
                                          .held = scene->held,
                                          .tolerance = 1e-10,
                                          .most = 20000};
  memset(x, 0, scene->space.count * sizeof *x);
  double start = mx_clock();
  if (gpu_elliptic_solver.ready(scene->solver, &system, &err) != 0) fail_msg("%s", err.message);
  const double ready = mx_clock() - start;
  start = mx_clock();
  if (gpu_elliptic_solver.solve(scene->solver, &system, b, x, &report, &err) != 0) fail_msg("%s", err.message);
  printf("  card      %8.3f s to 1e-10 behind %.3f s, %s: %d iterations, residual %.1e\n", mx_clock() - start, ready,
         scene->multigrid != NULL ? "multigrid" : "the diagonal", report.iterations, report.residual);
}

struct host_bench {
  const struct scene *scene;
  struct dg_multigrid *multigrid;
  const double *diagonal;
};

static void apply_bench(void *context, const double *x, double *y)
{
  const struct host_bench *host = context;
  dg_elliptic_apply(host->scene->op, (struct dg_elliptic_weights){.stiffness = 1}, x, y);
}

static void improve_bench(void *context, const double *r, double *z)
{
  const struct host_bench *host = context;
  if (host->multigrid != NULL) {
    dg_multigrid_apply(host->multigrid, r, z);
    return;
  }
  for (size_t i = 0; i < host->scene->space.count; i++) z[i] = r[i] / host->diagonal[i];
}

/* The host with multigrid on all its cores; hypre has one of them, since there is one rank. */
static void time_host(const struct scene *scene, const double *b, double *x, const double *found,
                      const double *diagonal)
{
  struct dg_error err = {0};
  struct dg_pcg_report report;
  struct host_bench host = {.scene = scene, .diagonal = diagonal};
  const struct dg_elliptic_medium medium = {0};
  const struct dg_multigrid_setup setup = {.space = &scene->space, .op = scene->op, .medium = &medium};
  double start = mx_clock();
  if (dg_amg_prepare(&err) != 0) {
    printf("  host      without hypre (%s), with the diagonal\n", err.message);
    err = (struct dg_error){0};
  } else if (dg_multigrid_new(&host.multigrid, &setup, &err) != 0 ||
             dg_multigrid_set(host.multigrid, (struct dg_elliptic_weights){.stiffness = 1}, scene->held, false, &err) !=
                 0) {
    fail_msg("%s", err.message);
  }
  const double ready = mx_clock() - start;
  const struct dg_pcg pcg = {.count = scene->space.count,
                             .apply = apply_bench,
                             .improve = improve_bench,
                             .context = &host,
                             .held = scene->held,
                             .tolerance = 1e-10,
                             .most = 20000};
  memset(x, 0, scene->space.count * sizeof *x);
  start = mx_clock();
  if (dg_pcg_solve(&pcg, b, x, &report, &err) != 0) fail_msg("%s", err.message);
  const double seconds = mx_clock() - start;
  double off = 0;
  for (size_t i = 0; i < scene->space.count; i++) off = fmax(off, fabs(x[i] - found[i]));
  printf("  host      %8.3f s to 1e-10 behind %.3f s: %d iterations; solutions differ by %.1e of %.1e\n", seconds,
         ready, report.iterations, off, largest(x, scene->space.count));
  dg_multigrid_free(host.multigrid);
}

static int bench(long elements, int order)
{
  struct scene scene;
  struct dg_error err = {0};
  struct mx_ceilings ceilings;
  const int cells = 2 * (int)lround(0.5 * cbrt((double)elements / 6));
  double start = mx_clock();
  if (order < 1 || order > 8 || cells < 2) return 1;
  open_cells(&scene, order, (int[]){cells, cells, cells}, PLAIN);
  const double made = mx_clock() - start;
  const size_t n = scene.space.count;
  start = mx_clock();
  const struct dg_device_setup setup = {.op = scene.op};
  if (gpu_elliptic_solver.create(&scene.solver, &setup, &err) != 0 ||
      mx_backend_cuda.card->ceilings(n * sizeof(double), &ceilings, &err) != 0)
    fail_msg("%s", err.message);
  printf("order %d, %zu elements, %zu unknowns, made in %.1f s, on %s in %.1f s, %.1f MB; copy %.0f GB/s, %.0f of "
         "vectors\n",
         order, scene.box.mesh.K, n, made, ceilings.name, mx_clock() - start,
         1e-6 * (double)gpu_elliptic_solver.bytes(scene.solver), 1e-9 * ceilings.copy, 1e-9 * ceilings.copy_fields);
  double *b = room(n), *x = room(n), *y = room(n), *diagonal = room(n);
  make_load(&scene, false, b);
  dg_elliptic_diagonal(scene.op, (struct dg_elliptic_weights){.stiffness = 1}, diagonal);
  const double moved = time_kernels(&scene, ceilings.copy);
  time_iteration(&scene, b, x, diagonal, moved, ceilings.copy);
  time_card(&scene, b, x, diagonal);
  if (order > 1) {
    use_multigrid(&scene);
    time_card(&scene, b, x, diagonal);
  }
  time_host(&scene, b, y, x, diagonal);
  dg_free(b), dg_free(x), dg_free(y), dg_free(diagonal);
  close_scene(&scene);
  return 0;
}
