/* Chooses the preconditioner of a solution, and solves. heat_step.c calls it. */
#include "maxwell/heat/heat_solver.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "libdg/solve/amg.h"
#include "libdg/solve/pcg.h"

enum { ITERATIONS = 20000 };
/* What a cycle costs in iterations with the diagonal: 5.2, 5.8 and 5.9 at orders 2, 3 and 4, 8,900 curved elements, one
 * thread. Multigrid is made in the time of 70 to 120 iterations, and one is good enough for ratios rest/mass within
 * `range`. */
static const double cost = 6, range = 4;

int mx_heat_solver_init(struct mx_heat_solver *solver, struct mx_heat_problem *problem, struct dg_log *log,
                        struct dg_error *err)
{
  *solver = (struct mx_heat_solver){.problem = problem, .log = log};
  if (DG_NEW(solver->diagonal, problem->space.count, err) != 0) return err->code;
  return DG_NEW(solver->room, dg_pcg_room(problem->space.count), err);
}

static void drop_multigrid(struct mx_heat_solver *solver)
{
  dg_multigrid_free(solver->multigrid);
  if (solver->op != solver->problem->op) dg_elliptic_free(solver->op);
  solver->multigrid = NULL;
  solver->op = NULL;
  solver->made = 0;
}

void mx_heat_solver_release(struct mx_heat_solver *solver)
{
  if (solver->problem == NULL) return;
  drop_multigrid(solver);
  if (solver->device != NULL) solver->ops->destroy(solver->device);
  dg_free(solver->diagonal);
  dg_free(solver->room);
  *solver = (struct mx_heat_solver){0};
}

int mx_heat_solver_move(struct mx_heat_solver *solver, const struct dg_device_ops *ops, struct dg_error *err)
{
  const struct mx_heat_problem *problem = solver->problem;
  solver->ops = ops;
  return dg_device_make(&solver->device, ops, problem->op, problem->blood, NULL, solver->log, "heat", err);
}

/* ---- multigrid */

/* Can all ranks have it? What is missing is said once. */
static int ask_for_library(struct mx_heat_solver *solver, struct dg_error *err)
{
  struct dg_error missing = {0};
  int64_t lacks = dg_amg_prepare(&missing) != 0;
  if (dg_comm_reduce_int(solver->problem->body->comm, DG_MAX, 1, &lacks, err) != 0 || !lacks) return err->code;
  solver->refused = true;
  dg_log_line(solver->log, "heat      without multigrid: %s",
              missing.code != DG_OK ? missing.message : "another rank cannot load it");
  return 0;
}

/* Levels with the blood in their masses, which depends on the step; without blood any step has the same. */
static int make_levels(struct mx_heat_solver *solver, double blood, struct dg_error *err)
{
  struct mx_heat_problem *problem = solver->problem;
  struct mx_heat_medium medium;
  if (mx_heat_medium_init(&medium, problem, blood, err) == 0) {
    solver->op = problem->op;
    if (problem->blood == NULL || dg_elliptic_new(&solver->op, &problem->space, &medium.medium, err) == 0) {
      const struct dg_multigrid_setup setup = {.space = &problem->space, .op = solver->op, .medium = &medium.medium};
      (void)!dg_multigrid_new(&solver->multigrid, &setup, err);
    }
  }
  mx_heat_medium_release(&medium);
  return err->code;
}

/* rest over mass; a steady state has no mass. */
static double ratio_of(double mass, double rest) { return mass > 0 ? rest / mass : INFINITY; }

/* Makes multigrid for mass + ratio rest. */
static int make_multigrid(struct mx_heat_solver *solver, double ratio, bool floating, struct dg_error *err)
{
  const struct mx_heat_problem *problem = solver->problem;
  const bool steady = isinf(ratio), bloody = problem->blood != NULL;
  if (solver->multigrid != NULL && bloody) drop_multigrid(solver);
  if (solver->multigrid == NULL && make_levels(solver, steady ? INFINITY : ratio, err) != 0) return err->code;
  const struct dg_elliptic_weights weights = {
      .stiffness = steady ? 1 : ratio, .mass = steady && !bloody ? 0 : 1, .face = steady ? 1 : ratio};
  if (dg_multigrid_set(solver->multigrid, weights, problem->held, floating, err) != 0) return err->code;
  solver->made = ratio;
  return 0;
}

/* Is multigrid worth its cycles for this ratio? The iterations with the diagonal grow like its root. */
static bool is_worth(const struct mx_heat_solver *solver, double ratio)
{
  if (solver->refused || solver->made == 0) return false;
  const double others = ratio < solver->stiff ? MX_HEAT_PATIENCE * sqrt(ratio / solver->stiff) : MX_HEAT_PATIENCE;
  return ratio >= solver->stiff || cost * solver->last < others;
}

/* ---- conjugate gradients */

static void apply(void *context, const double *x, double *y)
{
  const struct mx_heat_solver *solver = context;
  mx_heat_apply(solver->problem, solver->mass, solver->rest, x, y);
}

static void improve(void *context, const double *r, double *z)
{
  const struct mx_heat_solver *solver = context;
  if (solver->uses) {
    dg_multigrid_apply(solver->multigrid, r, z);
    return;
  }
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < solver->problem->space.count; i++) z[i] = r[i] / solver->diagonal[i];
}

static int sum(void *context, size_t count, double *value, struct dg_error *err)
{
  const struct mx_heat_solver *solver = context;
  return dg_space_reduce(&solver->problem->space, count, value, err);
}

/* Is this preconditioner to be given up, or the solution? */
static bool stop(void *context)
{
  enum { EVERY = 16 };
  struct mx_heat_solver *solver = context;
  const long looks = solver->looks++;
  if (!solver->uses && !solver->refused && looks >= MX_HEAT_PATIENCE) return solver->impatient = true;
  return solver->gives_up != NULL && looks % EVERY == EVERY - 1 && solver->gives_up(solver->self);
}

static int solve_once(struct mx_heat_solver *solver, bool floating, const double *b, double *x, struct dg_error *err)
{
  const struct mx_heat_problem *problem = solver->problem;
  const struct dg_pcg pcg = {.count = problem->space.count,
                             .apply = apply,
                             .improve = improve,
                             .context = solver,
                             .foreign = dg_space_foreign(&problem->space),
                             .sum = sum,
                             .held = problem->held,
                             .floating = floating,
                             .tolerance = problem->heat->solve,
                             .most = ITERATIONS,
                             .stop = stop,
                             .room = solver->room};
  struct dg_pcg_report report = {0};
  solver->looks = 0;
  solver->impatient = false;
  (void)!dg_pcg_solve(&pcg, b, x, &report, err);
  *(solver->uses ? &solver->cycles : &solver->iterations) += report.iterations;
  if (solver->uses) solver->last = report.iterations;
  return err->code;
}

/* The diagonal takes too long: goes on from x with multigrid, if it can be had. */
static int go_on(struct mx_heat_solver *solver, double ratio, bool floating, const double *b, double *x,
                 struct dg_error *err)
{
  if (ask_for_library(solver, err) != 0) return err->code;
  if (!solver->refused) {
    if (make_multigrid(solver, ratio, floating, err) != 0) return err->code;
    if (solver->stiff == 0 || ratio < solver->stiff) solver->stiff = ratio;
    solver->uses = true;
  }
  return solve_once(solver, floating, b, x, err);
}

/* Multigrid has failed, which the diagonal may not. */
static int go_back(struct mx_heat_solver *solver, bool floating, const double *b, double *x, struct dg_error *err)
{
  dg_log_line(solver->log, "heat      goes on without multigrid: %s", err->message);
  *err = (struct dg_error){0};
  drop_multigrid(solver);
  solver->refused = true;
  solver->uses = false;
  return solve_once(solver, floating, b, x, err);
}

static int solve_on_device(struct mx_heat_solver *solver, bool floating, const double *b, double *x,
                           struct dg_error *err)
{
  const struct mx_heat_problem *problem = solver->problem;
  struct dg_pcg_report report = {0};
  const struct dg_device_system system = {
      .weights = {.of = {.stiffness = solver->rest, .mass = solver->mass, .face = solver->rest}, .more = solver->rest},
      .diagonal = solver->diagonal,
      .held = problem->held,
      .floating = floating,
      .tolerance = problem->heat->solve,
      .most = ITERATIONS};
  if (solver->ops->ready(solver->device, &system, err) == 0)
    (void)!solver->ops->solve(solver->device, &system, b, x, &report, err);
  solver->iterations += report.iterations;
  return err->code;
}

int mx_heat_solve(struct mx_heat_solver *solver, double mass, double rest, bool floating, const double *b, double *x,
                  struct dg_error *err)
{
  const struct mx_heat_problem *problem = solver->problem;
  const double ratio = ratio_of(mass, rest);
  solver->mass = mass;
  solver->rest = rest;
  for (size_t i = 0; i < problem->space.count; i++)
    solver->diagonal[i] = mass * problem->diagonal_mass[i] + rest * problem->diagonal_rest[i];
  if (solver->device != NULL)
    return solve_on_device(solver, floating, b, x, err) == 0 ? 0 : dg_context(err, "for heat");
  solver->uses = is_worth(solver, ratio);
  if (solver->uses && (ratio > range * solver->made || ratio * range < solver->made) &&
      make_multigrid(solver, ratio, floating, err) != 0)
    return err->code;
  if (solve_once(solver, floating, b, x, err) == DG_INTERRUPTED && solver->impatient) {
    *err = (struct dg_error){0};
    (void)!go_on(solver, ratio, floating, b, x, err);
  }
  if (err->code == DG_INPUT && solver->uses) (void)!go_back(solver, floating, b, x, err);
  return err->code == DG_OK || err->code == DG_INTERRUPTED ? (int)err->code : dg_context(err, "for heat");
}

int mx_heat_solver_archive(struct mx_heat_solver *solver, struct mx_archive *archive, struct dg_error *err)
{
  double number[] = {solver->made, solver->stiff, solver->last};
  long count[] = {solver->iterations, solver->cycles, solver->refused};
  if (mx_archive_doubles(archive, "multigrid", sizeof number / sizeof *number, number, err) != 0 ||
      mx_archive_longs(archive, "iterations", sizeof count / sizeof *count, count, err) != 0)
    return err->code;
  if (archive->does != MX_ARCHIVE_LOADS) return 0;
  solver->stiff = number[1];
  solver->last = number[2];
  solver->iterations = count[0];
  solver->cycles = count[1];
  solver->refused = count[2] != 0;
  if (solver->refused || !(number[0] > 0)) return 0;
  if (ask_for_library(solver, err) != 0 || solver->refused) return err->code;
  return make_multigrid(solver, number[0], false, err);
}
