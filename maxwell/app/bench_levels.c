/* What local time steps gain: a graded grid, stepped by turns with one level and with those that the set-up of a run
 * chooses. bench.c calls it once for each order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/clock.h"
#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "maxwell/app/bench.h"
#include "maxwell/limit/local_part.h"
#include "maxwell/problem/build/problem_build.h"
#include "maxwell/setup/setup_build.h"
#include "maxwell/setup/slow_elements.h"

enum { REPEATS = 5, MOST = 1000 }; /* of a case: at least, and at most */

/* A box of vacuum between conducting walls, as a run sets it up, and what one level has of its own. */
struct graded {
  struct mx_material_config vacuum;
  struct mx_config config;
  struct mx_setup setup;
  struct mx_problem single; /* borrows all but its fluxes and depths */
  double *E, *H;            /* noise, [K][3][Np] */
};

static void release(struct graded *graded)
{
  dg_free(graded->E);
  dg_free(graded->H);
  dg_free(graded->single.flux);
  dg_free(graded->single.depth);
  mx_setup_release(&graded->setup);
}

/* Mesh and tables. */
static int make_tables(struct graded *graded, const struct mx_bench_options *options, struct mx_bench_gain *gain,
                       struct dg_error *err)
{
  struct mx_setup *setup = &graded->setup;
  struct dg_geometry geometry = {0};
  const size_t each = 6 * (size_t)DG_NP(gain->order);
  const double start = mx_clock();
  if (mx_bench_grid(&setup->mesh, (options->unknowns + each - 1) / each, options->levels, setup->comm, err) != 0 ||
      (setup->comm != NULL && dg_halo_init(&setup->ranks.halo, &setup->mesh, err) != 0))
    return err->code;
  gain->mesh_seconds = mx_clock() - start;
  gain->elements = setup->mesh.whole.K;
  gain->unknowns = each * gain->elements;
  setup->ranks.comm = setup->comm;
  if (dg_reference_init(&setup->ref, gain->order, err) == 0 && dg_geometry_init(&geometry, &setup->mesh, err) == 0)
    (void)!mx_problem_init(&setup->problem, &setup->assignment, &graded->config, &setup->mesh, &geometry, &setup->ref,
                           setup->comm != NULL ? &setup->ranks : NULL, err);
  dg_geometry_release(&geometry);
  return err->code;
}

/* The tables of one level: levels change the fluxes of the whole. */
static int keep_single(struct graded *graded, struct dg_error *err)
{
  const struct mx_problem *problem = &graded->setup.problem;
  graded->single = *problem;
  graded->single.flux = NULL;
  graded->single.depth = NULL;
  if (DG_NEW(graded->single.flux, problem->K, err) != 0 || DG_NEW(graded->single.depth, problem->K, err) != 0)
    return err->code;
  memcpy(graded->single.flux, problem->flux, problem->K * sizeof *problem->flux);
  return 0;
}

/* The step that the slowest element allows, over that of the median. */
static int find_slowest(const struct mx_problem *problem, double *slowest, struct dg_error *err)
{
  double *rate, median = 1, most = 1;
  if (DG_NEW(rate, problem->K, err) != 0) return err->code;
  mx_local_rates(problem, false, rate);
  if (mx_median_rate(problem, rate, &median, &most, err) == 0) *slowest = median / most;
  dg_free(rate);
  return err->code;
}

/* Sets a case up as a run with time.levels = "auto" is, on a backend such as `ops`. */
static int set_up(struct graded *graded, const struct mx_bench_options *options, const struct mx_backend_ops *ops,
                  struct dg_comm *comm, struct mx_bench_gain *gain, struct dg_error *err)
{
  struct mx_setup *setup = &graded->setup;
  graded->vacuum = (struct mx_material_config){
      .where = {.is_default = true}, .epsilon_r = {.value = 1}, .mu_r = {.value = 1}, .sigma = {.value = 0}};
  graded->config = (struct mx_config){.script_path = "bench",
                                      .order = gain->order,
                                      .alpha = gain->alpha,
                                      .materials = 1,
                                      .material = &graded->vacuum,
                                      .time = {.integrator = MX_LEAPFROG, .cfl = 0.95, .steps = 1}};
  *setup = (struct mx_setup){.config = &graded->config, .comm = comm, .ops = ops};
  if (make_tables(graded, options, gain, err) != 0 || keep_single(graded, err) != 0 ||
      find_slowest(&setup->problem, &gain->slowest, err) != 0)
    return err->code;
  const double start = mx_clock();
  if (mx_setup_choose_step(setup, err) != 0 || mx_levels_work(&setup->levels, &setup->problem, gain->work, err) != 0)
    return err->code;
  gain->fit_seconds = mx_clock() - start;
  gain->single_step = graded->config.time.cfl * setup->single_limit * MX_C0;
  gain->step = setup->step * MX_C0;
  gain->levels = setup->levels.count;
  for (int i = 0; i < gain->levels; i++) gain->m[i] = setup->levels.level[i].m;
  gain->counted = mx_work_gain(gain->work, gain->levels, gain->single_step, gain->step);
  const size_t numbers = 3 * (size_t)DG_NP(gain->order) * setup->mesh.K;
  if (mx_bench_noise(&graded->E, numbers, 1, err) != 0) return err->code;
  return mx_bench_noise(&graded->H, numbers, 2, err);
}

/* ---- time */

/* A backend with fields, and the steps that it takes. */
struct pace {
  const struct mx_backend_ops *ops;
  struct mx_backend *backend;
  struct mx_stepper stepper;
  double step; /* c0 dt, metres */
  long steps;  /* of a batch */
  double seconds[MOST];
  double energy; /* at the start */
};

/* The energy at t_n, of all ranks. */
static int look(struct pace *pace, struct dg_comm *comm, double *energy, struct dg_error *err)
{
  double part[2] = {0, 0};
  if (mx_stepper_look(&pace->stepper, err) != 0 || pace->ops->energy(pace->backend, &part[0], &part[1], err) != 0 ||
      dg_comm_reduce(comm, DG_SUM, 2, part, err) != 0)
    return err->code;
  *energy = part[0] + part[1];
  return 0;
}

/* Checks that the batches were a simulation: the energy of the noise, which the walls keep in, has not grown. Noise
 * that no element holds may swing by more than itself. */
static int check_energy(struct pace *pace, struct dg_comm *comm, struct dg_error *err)
{
  double energy = NAN;
  if (look(pace, comm, &energy, err) != 0) return err->code;
  if (fabs(energy) < 100 * pace->energy) return 0;
  return dg_fail(err, DG_BUG, "the energy of backend %s grew to %g times what it was", pace->ops->name,
                 energy / pace->energy);
}

static int start_pace(struct pace *pace, const struct graded *graded, const struct mx_bench_options *options,
                      const struct mx_bench_gain *gain, bool levels, struct dg_error *err)
{
  const struct mx_setup *setup = &graded->setup;
  const struct mx_problem *problem = levels ? &setup->problem : &graded->single;
  pace->ops = mx_backends[gain->backend];
  pace->step = levels ? gain->step : gain->single_step;
  const struct mx_backend_options wanted = {.integrator = MX_LEAPFROG,
                                            .precision = gain->precision,
                                            .step = pace->step,
                                            .transport = options->transport,
                                            .filtered = levels};
  if (pace->ops->create(&pace->backend, problem, &wanted, err) != 0 ||
      pace->ops->upload(pace->backend, graded->E, graded->H, err) != 0)
    return err->code;
  pace->stepper = mx_stepper_of(pace->ops, pace->backend, problem, MX_LEAPFROG);
  if (levels && mx_stepper_levels(&pace->stepper, &setup->levels, &wanted, err) != 0) return err->code;
  return look(pace, setup->comm, &pace->energy, err);
}

static void stop_pace(struct pace *pace)
{
  mx_stepper_release(&pace->stepper);
  if (pace->backend != NULL) pace->ops->destroy(pace->backend);
}

/* Takes batches by turns, of as much simulated time each, until there are REPEATS and they took `seconds`. */
static int take_turns(struct pace pace[2], double seconds, struct dg_comm *comm, int *repeats, struct dg_error *err)
{
  double once = INFINITY, total = 0, warm;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      for (int n = 0; n < 2; n++) {
        if (mx_bench_time_steps(&pace[k].stepper, comm, 1, &warm, err) != 0) return err->code;
        if (k == 1) once = fmin(once, warm);
      }
  pace[1].steps = (long)fmax(1, ceil(0.3 * seconds / REPEATS / fmax(once, 1e-7)));
  pace[0].steps = (long)fmax(1, round((double)pace[1].steps * pace[1].step / pace[0].step));
  for (*repeats = 0; *repeats < MOST && (*repeats < REPEATS || total < seconds); ++*repeats)
    for (int k = 0; k < 2; k++) {
      if (mx_bench_time_steps(&pace[k].stepper, comm, pace[k].steps, &warm, err) != 0) return err->code;
      pace[k].seconds[*repeats] = warm / (double)pace[k].steps;
      total += warm;
    }
  return 0;
}

static double median(double *value, int count)
{
  qsort(value, (size_t)count, sizeof *value, dg_compare_doubles);
  return 0.5 * (value[(count - 1) / 2] + value[count / 2]);
}

static void find_gain(struct mx_bench_gain *gain, struct pace pace[2], int repeats)
{
  double ratio[MOST];
  for (int i = 0; i < repeats; i++) ratio[i] = pace[0].seconds[i] / pace[0].step / (pace[1].seconds[i] / pace[1].step);
  gain->measured = median(ratio, repeats);
  gain->least = ratio[0];
  gain->most = ratio[repeats - 1];
  gain->repeats = repeats;
  gain->single_seconds = median(pace[0].seconds, repeats);
  gain->seconds = median(pace[1].seconds, repeats);
}

static int measure_gain(struct mx_bench_gain *gain, const struct graded *graded, const struct mx_bench_options *options,
                        struct dg_error *err)
{
  struct pace *pace;
  int repeats = 0;
  gain->measured = NAN;
  if (DG_NEW(pace, 2, err) != 0) return err->code;
  for (int k = 0; k < (gain->levels > 0 ? 2 : 1); k++)
    if (start_pace(&pace[k], graded, options, gain, k == 1, err) != 0) goto fail;
  gain->threads = pace[0].ops->threads(pace[0].backend);
  if (gain->levels == 0) goto fail; /* there is nothing to compare */
  if (take_turns(pace, options->seconds, graded->setup.comm, &repeats, err) != 0) goto fail;
  find_gain(gain, pace, repeats);
  for (int k = 0; k < 2; k++)
    if (check_energy(&pace[k], graded->setup.comm, err) != 0) goto fail;
fail:
  for (int k = 0; k < 2; k++) stop_pace(&pace[k]);
  dg_free(pace);
  return err->code;
}

/* All backends and precisions of an order and a flux that share a choice of levels: those on a card, or the others. */
static int measure_group(struct mx_bench_gains *list, const struct mx_bench_options *options,
                         const struct mx_bench_gain *like, bool on_card, struct dg_comm *comm,
                         void (*report)(const struct mx_bench_gain *), struct dg_error *err)
{
  struct graded *graded;
  struct mx_bench_gain gain = *like;
  bool ready = false;
  if (DG_NEW(graded, 1, err) != 0) return err->code;
  for (gain.backend = 0; gain.backend < MX_BENCH_BACKENDS && mx_backends[gain.backend] != NULL; gain.backend++) {
    const struct mx_backend_ops *ops = mx_backends[gain.backend];
    if (!options->backend[gain.backend] || ops->card->present != on_card) continue;
    if (!ready && set_up(graded, options, ops, comm, &gain, err) != 0) goto fail;
    ready = true;
    for (int precision = 0; precision <= MX_SINGLE; precision++) {
      if (!options->precision[precision]) continue;
      gain.precision = precision;
      if (measure_gain(&gain, graded, options, err) != 0 ||
          dg_grow(&list->gain, list->count + 1, sizeof *list->gain, err) != 0)
        goto fail;
      list->gain[list->count++] = gain;
      if (report != NULL) report(&gain);
    }
  }
fail:
  release(graded);
  dg_free(graded);
  return err->code;
}

int mx_bench_levels(struct mx_bench_gains *list, const struct mx_bench_options *options, int order,
                    struct dg_comm *comm, void (*report)(const struct mx_bench_gain *), struct dg_error *err)
{
  const double both[2] = {1, 0};
  for (int flux = 0; flux < (options->flux_given ? 1 : 2); flux++) {
    const struct mx_bench_gain like = {
        .order = order, .alpha = options->flux_given ? options->alpha : both[flux], .ranks = dg_comm_size(comm)};
    for (int card = 0; card < 2; card++)
      if (measure_group(list, options, &like, card == 1, comm, report, err) != 0) return err->code;
  }
  return 0;
}
