/* The cases of the bench: a cube of vacuum, its step, batches of steps on each backend, and the floor that each case is
 * compared with. bench.c calls it once for each order. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "maxwell/app/bench.h"
#include "maxwell/backend/backend.h"
#include "libdg/base/clock.h"
#include "libdg/base/sort.h"
#include "maxwell/limit/stability.h"
#include "maxwell/problem/build/problem_build.h"
#include "maxwell/step/stepper.h"

enum { BATCHES = 5 }; /* at least */

/* A cube of vacuum between conducting walls, and all that the cases of an order share. */
struct cube {
  struct dg_mesh mesh;
  struct mx_ranks ranks;
  struct dg_geometry geometry;
  struct dg_reference ref;
  struct mx_problem problem;
  struct mx_assignment assignment;
  double *E, *H; /* noise, [K][3][Np] */
  double mesh_seconds, setup_seconds;
};

/* ---- the mesh */

static int write_geometry(const char *path, struct dg_error *err)
{
  FILE *file = fopen(path, "w");
  int failed = file == NULL;
  if (file != NULL) {
    failed = fputs("SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\n", file) < 0;
    if (fclose(file) != 0) failed = 1;
  }
  return failed ? dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno)) : 0;
}

/* Gmsh's own mesh of the unit cube with at least so many elements, and few more; with elements of this size, if it is
 * not zero. */
static int mesh_cube(struct dg_mesh *mesh, const char *path, size_t elements, double size, struct dg_error *err)
{
  /* Elements times size cubed, measured; coarse meshes have more because of their surface. */
  double typical = 4.3 + 14 / cbrt((double)elements);
  struct dg_mesh_options options = {
      .file = path, .unit = 1, .size = size > 0 ? size : fmin(cbrt(typical / (double)elements), 1)};
  for (;;) {
    if (dg_mesh_load(mesh, &options, err) != 0) return err->code;
    if (mesh->K >= elements || size > 0) return 0;
    options.size *= 0.99 * cbrt((double)mesh->K / (double)elements);
    dg_mesh_release(mesh);
  }
}

static int new_mesh(struct dg_mesh *mesh, size_t elements, double size, struct dg_error *err)
{
  const char *temporary = getenv("TMPDIR");
  char folder[4096], path[4200];
  snprintf(folder, sizeof folder, "%s/curlew-XXXXXX", temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
  if (mkdtemp(folder) == NULL)
    return dg_fail(err, DG_ENVIRONMENT, "cannot make a temporary folder '%s': %s", folder, strerror(errno));
  snprintf(path, sizeof path, "%s/cube.geo", folder);
  if (write_geometry(path, err) == 0 && mesh_cube(mesh, path, elements, size, err) != 0)
    dg_context(err, "while meshing the cube");
  (void)remove(path);
  (void)rmdir(folder);
  return err->code;
}

/* By Knuth's linear congruential generator. */
int mx_bench_noise(double **field, size_t count, unsigned long long seed, struct dg_error *err)
{
  if (DG_NEW(*field, count, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    (*field)[i] = (double)(seed >> 11) / 4503599627370496.0 - 1;
  }
  return 0;
}

static void release_cube(struct cube *cube)
{
  dg_free(cube->E);
  dg_free(cube->H);
  mx_problem_release(&cube->problem);
  mx_assignment_release(&cube->assignment);
  dg_geometry_release(&cube->geometry);
  dg_reference_release(&cube->ref);
  dg_halo_release(&cube->ranks.halo);
  dg_mesh_release(&cube->mesh);
}

static int new_cube(struct cube *cube, const struct mx_bench_options *options, int order, struct dg_comm *comm,
                    struct dg_error *err)
{
  size_t Np = (size_t)DG_NP(order), elements = (options->unknowns + 6 * Np - 1) / (6 * Np);
  struct mx_material_config vacuum = {
      .where = {.is_default = true}, .epsilon_r = {.value = 1}, .mu_r = {.value = 1}, .sigma = {.value = 0}};
  const struct mx_config config = {
      .script_path = "bench", .alpha = options->alpha, .materials = 1, .material = &vacuum};
  double start = mx_clock();
  const bool grid = options->grid || comm != NULL;
  if ((grid ? mx_bench_grid(&cube->mesh, elements, 1, comm, err)
            : new_mesh(&cube->mesh, elements, options->size, err)) != 0)
    return err->code;
  if (options->curved > 0 && comm != NULL) return dg_fail(err, DG_INPUT, "bench: curved elements need one process");
  if (options->curved > 0 && mx_bench_bend(&cube->mesh, options->curved, err) != 0) return err->code;
  cube->ranks.comm = comm;
  if (comm != NULL && dg_halo_init(&cube->ranks.halo, &cube->mesh, err) != 0) return err->code;
  cube->mesh_seconds = mx_clock() - start;
  start = mx_clock();
  if (dg_reference_init(&cube->ref, order, err) != 0 || dg_geometry_init(&cube->geometry, &cube->mesh, err) != 0 ||
      mx_problem_init(&cube->problem, &cube->assignment, &config, &cube->mesh, &cube->geometry, &cube->ref,
                      comm != NULL ? &cube->ranks : NULL, err) != 0)
    return err->code;
  dg_geometry_release(&cube->geometry);
  cube->setup_seconds = mx_clock() - start;
  if (mx_bench_noise(&cube->E, 3 * Np * cube->mesh.K, 1, err) != 0) return err->code;
  return mx_bench_noise(&cube->H, 3 * Np * cube->mesh.K, 2, err);
}

/* ---- time */

static int take_steps(struct mx_stepper *stepper, long steps, struct dg_error *err)
{
  for (long n = 0; n < steps; n++)
    if (mx_stepper_advance(stepper, false, err) != 0) return err->code;
  return stepper->ops->card->wait(stepper->backend, err);
}

int mx_bench_time_steps(struct mx_stepper *stepper, struct dg_comm *comm, long steps, double *seconds,
                        struct dg_error *err)
{
  if (dg_comm_agree(comm, err) != 0) return err->code;
  const double start = mx_clock();
  if (take_steps(stepper, steps, err) != 0) return err->code;
  *seconds = mx_clock() - start;
  return dg_comm_reduce(comm, DG_MAX, 1, seconds, err);
}

/* Warms up, then takes batches of steps until there are BATCHES and they took `seconds`. */
static int measure_steps(struct mx_bench_result *result, const struct cube *cube, struct mx_backend *backend,
                         double seconds, struct dg_error *err)
{
  enum { MOST = 1000 };
  const struct mx_backend_ops *ops = mx_backends[result->backend];
  struct dg_comm *comm = cube->ranks.comm;
  struct mx_stepper stepper = mx_stepper_of(ops, backend, &cube->problem, result->integrator);
  double step = INFINITY, warm = 0, total = 0, *batch;
  if (DG_NEW(batch, MOST, err) != 0) return err->code;
  /* Two steps, the faster one of which says how many make a batch, and more of them up to a tenth of the time. */
  while (step == INFINITY || warm < 0.1 * seconds)
    for (int i = 0; i < 2; i++) {
      double once = 0;
      if (mx_bench_time_steps(&stepper, comm, 1, &once, err) != 0) goto fail;
      step = fmin(step, once);
      warm += once;
    }
  result->steps = (long)fmax(1, ceil(seconds / BATCHES / fmax(step, 1e-7)));
  const double halo = ops->halo_use(backend).seconds;
  while (result->batches < MOST && (result->batches < BATCHES || total < seconds)) {
    double once = 0;
    if (mx_bench_time_steps(&stepper, comm, result->steps, &once, err) != 0) goto fail;
    batch[result->batches++] = once / (double)result->steps;
    total += once;
  }
  result->halo_seconds = (ops->halo_use(backend).seconds - halo) / ((double)result->steps * (double)result->batches);
  qsort(batch, (size_t)result->batches, sizeof *batch, dg_compare_doubles);
  result->seconds = batch[result->batches / 2];
  if (result->batches % 2 == 0) result->seconds = 0.5 * (result->seconds + batch[result->batches / 2 - 1]);
  result->shortest = batch[0];
  result->longest = batch[result->batches - 1];
fail:
  dg_free(batch);
  return err->code;
}

/* Cost of the halo: seconds of the rank that waits most, and bytes of the one that sends most. */
static int measure_halo(struct mx_bench_result *result, const struct mx_backend_ops *ops,
                        const struct mx_backend *backend, struct dg_comm *comm, struct dg_error *err)
{
  const struct mx_halo_use use = ops->halo_use(backend);
  double most[2] = {result->halo_seconds, (double)use.bytes};
  if (dg_comm_reduce(comm, DG_MAX, 2, most, err) != 0) return err->code;
  result->halo_seconds = most[0];
  result->halo_bytes = most[1];
  result->transport = use.transport;
  return 0;
}

/* Checks that the batches were a simulation: the noise, which the walls keep in, is neither gone nor grown. */
static int check_fields(const struct mx_backend_ops *ops, struct mx_backend *backend, struct dg_error *err)
{
  struct mx_field_check check;
  if (ops->check(backend, &check, err) != 0) return err->code;
  if (check.finite && check.largest > 0 && check.largest < 1e3) return 0;
  return dg_fail(err, DG_BUG, "the fields of backend %s grew to %g V/m from 1", ops->name, check.largest);
}

/* Finds the floor of a case as bench.h defines it. */
static void find_floor(struct mx_bench_result *result, const struct mx_bench_ceilings *measured,
                       const struct mx_problem *problem)
{
  const struct mx_schedule schedule = mx_schedule_of(result->integrator, problem);
  const bool on_card = mx_backends[result->backend]->card->present;
  const double copy = on_card ? measured->card.copy : measured->copy;
  const double copy_fields = on_card ? measured->card.copy_fields : measured->copy_fields;
  const double peak = on_card ? measured->card.peak[result->precision] : measured->peak[result->precision];
  size_t Np = DG_NP((size_t)result->order), Nf = DG_NF((size_t)result->order);
  size_t K = result->elements / (size_t)result->ranks; /* all ranks have as many, and as much of a machine */
  double number = result->precision == MX_DOUBLE ? sizeof(double) : sizeof(float);
  result->bytes = (double)(6 * Np * K) * number * mx_field_moves(&schedule);
  result->flops = (double)((24 * Np * Np + 32 * Np * Nf) * K) * mx_schemes[result->integrator].evaluations;
  double by_bytes = result->bytes / copy, by_flops = result->flops / peak;
  result->floor = fmax(by_bytes, by_flops);
  result->bytes_limit = by_bytes >= by_flops;
  result->cached_floor = fmax(result->bytes / copy_fields, by_flops);
}

/* Cycles of a core that an element takes for one equation in one evaluation. */
static double cycles_of(const struct mx_bench_result *result, double clock)
{
  const size_t elements = result->elements / (size_t)result->ranks; /* of a process */
  return result->seconds * clock * result->threads /
         (2.0 * mx_schemes[result->integrator].evaluations * (double)elements);
}

static int measure_case(struct mx_bench_result *result, const struct cube *cube, const struct mx_bench_options *options,
                        double step, struct dg_error *err)
{
  const struct mx_backend_ops *ops = mx_backends[result->backend];
  const struct mx_backend_options wanted = {
      .integrator = result->integrator, .precision = result->precision, .step = step, .transport = options->transport};
  struct mx_backend *backend = NULL;
  double start = mx_clock();
  size_t noise = 2 * 3 * (size_t)cube->ref.Np * cube->mesh.K * sizeof(double);
  if (ops->create(&backend, &cube->problem, &wanted, err) != 0 || ops->upload(backend, cube->E, cube->H, err) != 0)
    goto fail;
  result->setup_seconds = cube->setup_seconds + mx_clock() - start;
  result->mesh_seconds = cube->mesh_seconds;
  size_t bytes = ops->card->present ? ops->memory(&cube->problem, &wanted) : dg_memory_current() - noise;
  result->memory = (double)bytes * result->ranks / (double)result->unknowns;
  result->threads = ops->threads(backend);
  result->instructions = ops->instructions();
  if (measure_steps(result, cube, backend, options->seconds, err) == 0 &&
      measure_halo(result, ops, backend, cube->ranks.comm, err) == 0)
    (void)check_fields(ops, backend, err);
fail:
  ops->destroy(backend);
  return err->code;
}

/* The step does not change the speed; half of the limit of a part of the mesh is surely stable. */
static int find_step(double *step, const struct cube *cube, enum mx_integrator integrator, struct dg_error *err)
{
  struct mx_stability stability;
  if (mx_stability_limit(&stability, &cube->problem, integrator, 30000, err) != 0) return err->code;
  *step = 0.5 * stability.limit;
  return 0;
}

/* All backends of one integrator and precision; `reference` first, which the others are compared with. */
static int measure_backends(struct mx_bench_list *list, const struct cube *cube, const struct mx_bench_options *options,
                            const struct mx_bench_result *like, double step, const struct mx_bench_ceilings *ceilings,
                            void (*report)(const struct mx_bench_result *), struct dg_error *err)
{
  double reference = 0;
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < MX_BENCH_BACKENDS && mx_backends[i] != NULL; i++) {
      bool first = mx_backends[i] == &mx_backend_reference;
      if (!options->backend[i] || first != (round == 0)) continue;
      struct mx_bench_result result = *like;
      result.backend = i;
      find_floor(&result, ceilings, &cube->problem);
      if (measure_case(&result, cube, options, step, err) != 0) return err->code;
      if (!mx_backends[i]->card->present) result.cycles = cycles_of(&result, ceilings->clock);
      if (first) reference = result.seconds;
      result.ratio = reference > 0 ? reference / result.seconds : 0;
      if (dg_grow(&list->result, list->count + 1, sizeof *list->result, err) != 0) return err->code;
      list->result[list->count++] = result;
      if (report != NULL) report(&result);
    }
  return 0;
}

int mx_bench_order(struct mx_bench_list *list, const struct mx_bench_options *options, int order,
                   const struct mx_bench_ceilings *ceilings, struct dg_comm *comm,
                   void (*report)(const struct mx_bench_result *), struct dg_error *err)
{
  struct cube cube = {0};
  if (new_cube(&cube, options, order, comm, err) != 0) goto fail;
  for (int integrator = 0; integrator < MX_INTEGRATORS; integrator++) {
    double step = 0;
    if (!options->integrator[integrator]) continue;
    if (find_step(&step, &cube, integrator, err) != 0) goto fail;
    for (int precision = 0; precision <= MX_SINGLE; precision++) {
      const struct mx_bench_result like = {.order = order,
                                           .integrator = integrator,
                                           .precision = precision,
                                           .elements = cube.mesh.whole.K,
                                           .unknowns = 6 * (size_t)cube.ref.Np * cube.mesh.whole.K,
                                           .ranks = dg_comm_size(comm)};
      if (options->precision[precision] &&
          measure_backends(list, &cube, options, &like, step, ceilings, report, err) != 0)
        goto fail;
    }
  }
fail:
  release_cube(&cube);
  return err->code;
}
