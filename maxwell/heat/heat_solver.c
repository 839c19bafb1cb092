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
/* The same on a card: 13 to 20 at orders 2 to 5, an H100, 1.5e6 to 2.4e6 unknowns. To make it takes the time of some
 * thousand iterations there, so that it pays only where each solution saves many. */
static const double device_cost = 17;

int mx_heat_solver_init(struct mx_heat_solver *solver, struct mx_heat_problem *problem, struct dg_log *log,
                        struct dg_error *err)
{
  *solver = (struct mx_heat_solver){.problem = problem, .log = log};
  solver->refused = problem->heat->solver == MX_SOLVER_DIAGONAL || problem->heat->solver == MX_SOLVER_AIP;
  if (DG_NEW(solver->diagonal, problem->space.count, err) != 0 ||
      DG_NEW(solver->product, problem->space.count, err) != 0)
    return err->code;
  return DG_NEW(solver->room, dg_pcg_room(problem->space.count), err);
}

/* Of the host; what a device was given must stay. */
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
  if (solver->device != NULL) solver->ops->destroy(solver->device);
  drop_multigrid(solver);
  dg_aip_free(solver->aip);
  dg_free(solver->diagonal);
  dg_free(solver->product);
  dg_free(solver->room);
  *solver = (struct mx_heat_solver){0};
}

int mx_heat_solver_move(struct mx_heat_solver *solver, const struct dg_device_ops *ops, enum dg_answer direct,
                        struct dg_error *err)
{
  const struct mx_heat_problem *problem = solver->problem;
  const struct dg_device_setup setup = {.op = problem->op, .more = problem->blood, .direct = direct};
  if (ops != NULL && problem->heat->solver == MX_SOLVER_AIP) {
    dg_log_line(solver->log, "heat      solved on the host: %s has no approximate inverse", ops->name);
    return 0;
  }
  solver->ops = ops;
  return dg_device_make(&solver->device, ops, &setup, solver->log, "heat", err);
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

/* Levels for the device, which know the blood apart from rho c: they serve any step. Once it has no room for them, or
 * cannot, there is no multigrid. */
static int give_multigrid(struct mx_heat_solver *solver, double ratio, struct dg_error *err)
{
  struct mx_heat_problem *problem = solver->problem;
  struct mx_heat_medium medium = {0}, blood = {0};
  struct dg_error why = {0};
  solver->made = ratio;
  if (solver->given) return 0;
  if (problem->space.ref.order == 1) (void)dg_fail(&why, DG_INPUT, "order 1 has no coarser level");
  else if (mx_heat_medium_init(&medium, problem, 0, err) == 0 &&
           mx_heat_medium_init(&blood, problem, INFINITY, err) == 0) {
    const struct dg_multigrid_setup setup = {.space = &problem->space,
                                             .op = problem->op,
                                             .medium = &medium.medium,
                                             .more = problem->blood != NULL ? &blood.medium : NULL,
                                             .halves = true};
    blood.medium.faces = 0;
    solver->op = problem->op;
    if (dg_multigrid_new(&solver->multigrid, &setup, err) == 0)
      (void)!solver->ops->give(solver->device, solver->multigrid, &why);
  }
  mx_heat_medium_release(&medium);
  mx_heat_medium_release(&blood);
  if (err->code != 0) return err->code;
  if (why.code != DG_OK && why.code != DG_INPUT && why.code != DG_ENVIRONMENT) {
    *err = why;
    return err->code;
  }
  solver->given = why.code == DG_OK;
  solver->refused = !solver->given;
  if (solver->refused) dg_log_line(solver->log, "heat      without multigrid: %s", why.message);
  return 0;
}

/* rest over mass; a steady state has no mass. */
static double ratio_of(double mass, double rest) { return mass > 0 ? rest / mass : INFINITY; }

/* Makes multigrid for mass + ratio rest. With a device it may become `refused`. */
static int make_multigrid(struct mx_heat_solver *solver, double ratio, bool floating, struct dg_error *err)
{
  if (solver->device != NULL) return give_multigrid(solver, ratio, err);
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

static int patience(const struct mx_heat_solver *solver)
{
  return solver->device != NULL ? MX_HEAT_PATIENCE_DEVICE : MX_HEAT_PATIENCE;
}

/* Makes the approximate inverse of mass + ratio rest. */
static int make_inverse(struct mx_heat_solver *solver, double ratio, struct dg_error *err)
{
  const struct mx_heat_problem *problem = solver->problem;
  const double mass = isinf(ratio) ? 0 : 1, rest = isinf(ratio) ? 1 : ratio;
  const struct dg_elliptic_term term[] = {{problem->op, {.stiffness = rest, .mass = mass, .face = rest}},
                                          {problem->blood, {.mass = rest}}};
  const bool first = solver->aip == NULL;
  dg_aip_free(solver->aip);
  solver->inverted = 0;
  if (dg_aip_new(&solver->aip, &problem->space, problem->blood != NULL ? 2 : 1, term, problem->held, err) != 0)
    return err->code;
  solver->inverted = ratio;
  if (first)
    dg_log_line(solver->log, "heat      with an approximate inverse, %.1f MB on this rank",
                1e-6 * (double)dg_aip_bytes(solver->aip));
  return 0;
}

/* Does this solution have the approximate inverse? It is made again where it is out of range. */
static int find_inverse(struct mx_heat_solver *solver, double ratio, struct dg_error *err)
{
  const bool stands_in = solver->inverted > 0 && ratio >= solver->stiff;
  solver->inverts = solver->problem->heat->solver == MX_SOLVER_AIP || stands_in;
  if (!solver->inverts) return 0;
  const bool near =
      isinf(ratio) ? isinf(solver->inverted) : ratio <= range * solver->inverted && ratio * range >= solver->inverted;
  return near ? 0 : make_inverse(solver, ratio, err);
}

/* Is multigrid worth its cycles for this ratio? The iterations with the diagonal grow like its root. */
static bool is_worth(const struct mx_heat_solver *solver, double ratio)
{
  if (solver->problem->heat->solver == MX_SOLVER_MULTIGRID && !solver->refused) return true;
  if (solver->refused || solver->made == 0) return false;
  const double cycle = solver->device != NULL ? device_cost : cost;
  return ratio >= solver->stiff || cycle * solver->last < patience(solver) * sqrt(ratio / solver->stiff);
}

/* ---- conjugate gradients */

static void apply(void *context, const double *x, double *y)
{
  const struct mx_heat_solver *solver = context;
  mx_heat_apply(solver->problem, solver->equations->mass, solver->equations->rest, x, y);
}

static void improve(void *context, const double *r, double *z)
{
  const struct mx_heat_solver *solver = context;
  if (solver->uses) {
    dg_multigrid_apply(solver->multigrid, r, z);
    return;
  }
  if (solver->inverts) {
    dg_aip_apply(solver->aip, r, z);
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
  if (!solver->uses && !solver->refused && looks >= patience(solver)) return solver->impatient = true;
  return solver->gives_up != NULL && looks % EVERY == EVERY - 1 && solver->gives_up(solver->self);
}

static void find_diagonal(struct mx_heat_solver *solver)
{
  const struct mx_heat_problem *problem = solver->problem;
  const struct mx_heat_equations *of = solver->equations;
  for (size_t i = 0; i < problem->space.count; i++)
    solver->diagonal[i] = of->mass * problem->diagonal_mass[i] + of->rest * problem->diagonal_rest[i];
}

/* The weights of mass M + rest A. */
static struct dg_device_weights weights_of(double mass, double rest)
{
  return (struct dg_device_weights){.of = {.stiffness = rest, .mass = mass, .face = rest}, .more = rest};
}

static int solve_on_device(struct mx_heat_solver *solver, double *x, struct dg_pcg_report *report, struct dg_error *err)
{
  const struct mx_heat_problem *problem = solver->problem;
  const struct mx_heat_equations *of = solver->equations;
  const struct mx_heat_ready ready = {
      .mass = of->mass, .rest = of->rest, .uses = solver->uses, .floating = of->floating};
  const struct mx_heat_ready *was = &solver->ready;
  const struct dg_device_system system = {.weights = weights_of(of->mass, of->rest),
                                          .multigrid = solver->uses,
                                          .diagonal = solver->diagonal,
                                          .held = problem->held,
                                          .floating = of->floating,
                                          .tolerance = problem->heat->solve,
                                          .most = ITERATIONS,
                                          .moved = weights_of(0, of->moved),
                                          .from = of->from,
                                          .lack = of->lack,
                                          .stop = stop,
                                          .context = solver};
  if (was->mass != ready.mass || was->rest != ready.rest || was->uses != ready.uses ||
      was->floating != ready.floating) {
    find_diagonal(solver);
    solver->ready = (struct mx_heat_ready){0};
    if (solver->ops->ready(solver->device, &system, err) != 0) return err->code;
    solver->ready = ready;
  }
  return solver->ops->solve(solver->device, &system, of->b, x, report, err);
}

static int solve_on_host(struct mx_heat_solver *solver, double *x, struct dg_pcg_report *report, struct dg_error *err)
{
  const struct mx_heat_problem *problem = solver->problem;
  const struct dg_pcg pcg = {.count = problem->space.count,
                             .apply = apply,
                             .improve = improve,
                             .context = solver,
                             .foreign = dg_space_foreign(&problem->space),
                             .sum = sum,
                             .held = problem->held,
                             .floating = solver->equations->floating,
                             .tolerance = problem->heat->solve,
                             .most = ITERATIONS,
                             .stop = stop,
                             .room = solver->room};
  if (!solver->uses) find_diagonal(solver);
  return dg_pcg_solve(&pcg, solver->equations->b, x, report, err);
}

static int solve_once(struct mx_heat_solver *solver, double *x, struct dg_error *err)
{
  struct dg_pcg_report report = {0};
  solver->looks = 0;
  solver->impatient = false;
  if (solver->device != NULL) (void)!solve_on_device(solver, x, &report, err);
  else (void)!solve_on_host(solver, x, &report, err);
  *(solver->uses ? &solver->cycles : &solver->iterations) += report.iterations;
  if (solver->uses) solver->last = report.iterations;
  return err->code;
}

/* The diagonal takes too long: goes on from x with multigrid, if it can be had, or with an approximate inverse. */
static int go_on(struct mx_heat_solver *solver, double ratio, double *x, struct dg_error *err)
{
  if (solver->device == NULL && ask_for_library(solver, err) != 0) return err->code;
  if (!solver->refused && make_multigrid(solver, ratio, solver->equations->floating, err) != 0) return err->code;
  if (!solver->refused) {
    if (solver->stiff == 0 || ratio < solver->stiff) solver->stiff = ratio;
    solver->uses = true;
  } else if (solver->device == NULL) {
    if (make_inverse(solver, ratio, err) != 0) return err->code;
    if (solver->stiff == 0 || ratio < solver->stiff) solver->stiff = ratio;
    solver->inverts = true;
  }
  return solve_once(solver, x, err);
}

/* Multigrid has failed, which the diagonal may not. */
static int go_back(struct mx_heat_solver *solver, double *x, struct dg_error *err)
{
  dg_log_line(solver->log, "heat      goes on without multigrid: %s", err->message);
  *err = (struct dg_error){0};
  if (solver->device == NULL) drop_multigrid(solver);
  solver->refused = true;
  solver->uses = false;
  return solve_once(solver, x, err);
}

static int solve(struct mx_heat_solver *solver, double *x, struct dg_error *err)
{
  const struct mx_heat_equations *of = solver->equations;
  const double ratio = ratio_of(of->mass, of->rest);
  solver->uses = is_worth(solver, ratio);
  solver->inverts = false;
  if (solver->uses && (ratio > range * solver->made || ratio * range < solver->made) &&
      make_multigrid(solver, ratio, of->floating, err) != 0)
    return err->code;
  if (solver->refused) solver->uses = false; /* a device could not */
  if (solver->device == NULL && !solver->uses && find_inverse(solver, ratio, err) != 0) return err->code;
  if (solve_once(solver, x, err) == DG_INTERRUPTED && solver->impatient) {
    *err = (struct dg_error){0};
    (void)!go_on(solver, ratio, x, err);
  }
  if (err->code == DG_INPUT && solver->uses) (void)!go_back(solver, x, err);
  return err->code == DG_OK || err->code == DG_INTERRUPTED ? (int)err->code : dg_context(err, "for heat");
}

int mx_heat_solve(struct mx_heat_solver *solver, const struct mx_heat_equations *of, double *x, struct dg_error *err)
{
  const struct mx_heat_problem *problem = solver->problem;
  const size_t count = problem->space.count;
  const bool here = solver->device == NULL;
  solver->equations = of;
  if (here && of->from != NULL) {
    mx_heat_apply(problem, 0, of->moved, of->from, solver->product);
    for (size_t i = 0; i < count; i++) of->b[i] -= solver->product[i];
  }
  if (solve(solver, x, err) != 0 || !here || of->lack == NULL) return err->code;
  mx_heat_apply(problem, of->mass, of->rest, x, of->lack);
  for (size_t i = 0; i < count; i++) of->lack[i] -= of->b[i];
  return 0;
}

int mx_heat_solver_archive(struct mx_heat_solver *solver, struct mx_archive *archive, struct dg_error *err)
{
  double number[] = {solver->made, solver->stiff, solver->last, solver->inverted};
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
  if (solver->device == NULL && number[3] > 0 && make_inverse(solver, number[3], err) != 0) return err->code;
  if (solver->refused || !(number[0] > 0)) return 0;
  if (solver->device == NULL && (ask_for_library(solver, err) != 0 || solver->refused)) return err->code;
  return make_multigrid(solver, number[0], false, err);
}
