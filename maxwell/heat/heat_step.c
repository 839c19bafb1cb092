/* Steps of heat, and its steady state. heat.c calls it. */
#include "maxwell/heat/heat_step.h"

#include <math.h>
#include <string.h>

#include "libdg/base/emergency.h"
#include "libdg/base/memory.h"

/* Is the solution to be given up? All ranks must say the same; an error between them is that of the next sum. */
static bool gives_up(void *self)
{
  struct mx_heat_march *march = self;
  struct dg_error ignored = {0};
  if (march->control == NULL) return false;
  int64_t presses = mx_control_presses(march->control);
  if (dg_comm_reduce_int(march->problem->body->comm, DG_MAX, 1, &presses, &ignored) != 0) return false;
  march->given_up = presses > 0;
  return march->given_up;
}

int mx_heat_march_init(struct mx_heat_march *march, struct mx_heat_problem *problem, struct dg_log *log,
                       struct dg_error *err)
{
  const size_t n = problem->space.count;
  const struct mx_heat_config *heat = problem->heat;
  *march = (struct mx_heat_march){.problem = problem};
  if (DG_NEW(march->T, n, err) != 0 || DG_NEW(march->whole, n, err) != 0 || DG_NEW(march->middle, n, err) != 0 ||
      DG_NEW(march->end, n, err) != 0 || DG_NEW(march->rhs, n, err) != 0 || DG_NEW(march->before, n, err) != 0 ||
      DG_NEW(march->lack, n, err) != 0 || DG_NEW(march->given.wall, heat->walls, err) != 0 ||
      DG_NEW(march->own.wall, heat->walls + 3, err) != 0 || mx_heat_solver_init(&march->solver, problem, log, err) != 0)
    return err->code;
  march->solver.gives_up = gives_up;
  march->solver.self = march;
  /* A step that nobody chose begins small, and grows as its error allows. */
  march->step = heat->step > 0 ? heat->stop / ceil(heat->stop / heat->step * (1 - 1e-12)) : 1e-3 * heat->stop;
  if (mx_heat_find_turns(problem, err) != 0) return err->code;
  return mx_heat_start(problem, march->T, err);
}

void mx_heat_march_release(struct mx_heat_march *march)
{
  mx_heat_solver_release(&march->solver);
  dg_free(march->T);
  dg_free(march->whole);
  dg_free(march->middle);
  dg_free(march->end);
  dg_free(march->rhs);
  dg_free(march->before);
  dg_free(march->lack);
  dg_free(march->given.wall);
  dg_free(march->own.wall);
  *march = (struct mx_heat_march){0};
}

/* ---- marks */

int mx_heat_mark_init(struct mx_heat_mark *mark, const struct mx_heat_march *march, struct dg_error *err)
{
  *mark = (struct mx_heat_mark){0};
  if (DG_NEW(mark->T, march->problem->space.count, err) != 0) return err->code;
  return DG_NEW(mark->wall, march->problem->heat->walls, err);
}

void mx_heat_mark_release(struct mx_heat_mark *mark)
{
  dg_free(mark->T);
  dg_free(mark->wall);
  *mark = (struct mx_heat_mark){0};
}

void mx_heat_mark_set(struct mx_heat_mark *mark, const struct mx_heat_march *march)
{
  mark->t = march->t;
  mark->step = march->step;
  mark->stored = march->stored;
  mark->sources = march->given.sources;
  mark->blood = march->given.blood;
  mark->n = march->n;
  mark->refused = march->refused;
  memcpy(mark->T, march->T, sizeof *mark->T * march->problem->space.count);
  memcpy(mark->wall, march->given.wall, sizeof *mark->wall * march->problem->heat->walls);
}

void mx_heat_mark_back(const struct mx_heat_mark *mark, struct mx_heat_march *march)
{
  march->t = mark->t;
  march->step = mark->step;
  march->stored = mark->stored;
  march->given.sources = mark->sources;
  march->given.blood = mark->blood;
  march->n = mark->n;
  march->refused = mark->refused;
  memcpy(march->T, mark->T, sizeof *mark->T * march->problem->space.count);
  memcpy(march->given.wall, mark->wall, sizeof *mark->wall * march->problem->heat->walls);
}

/* ---- steps */

/* to[count] = the temperature a step behind from[count], at t + dt. They may not be the same. lack[count]: what the
 * equations of held unknowns then lack, M D + dt (A T - F); NULL: nobody wants it. */
static int take(struct mx_heat_march *march, double t, double dt, const double *from, double *to, double *lack,
                struct dg_error *err)
{
  struct mx_heat_problem *problem = march->problem;
  const size_t count = problem->space.count;
  const double theta = problem->heat->theta;
  const struct mx_heat_equations equations = {
      .mass = 1, .rest = theta * dt, .b = march->rhs, .from = from, .moved = dt, .lack = problem->holds ? lack : NULL};
  memset(march->rhs, 0, sizeof *march->rhs * count);
  if (mx_heat_add_load(problem, (struct mx_heat_span){t, dt}, dt, march->rhs, err) != 0) return err->code;
  memcpy(to, from, sizeof *to * count);
  if (mx_heat_hold(problem, t + dt, to, err) != 0) return err->code;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++) to[i] -= from[i]; /* D: zero but for held unknowns */
  if (mx_heat_solve(&march->solver, &equations, to, err) != 0) return err->code;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++) to[i] += from[i];
  return 0;
}

/* Adds to march->stored and march->given what this rank has of them, over all ranks. Leaves zeros. */
static int add_up(struct mx_heat_march *march, double stored, struct mx_heat_powers *own, struct dg_error *err)
{
  enum { OTHERS = 3 };
  const size_t walls = march->problem->heat->walls;
  double *all = own->wall; /* [walls + OTHERS] */
  all[walls] = own->sources;
  all[walls + 1] = own->blood;
  all[walls + 2] = stored;
  if (dg_space_reduce(&march->problem->space, walls + OTHERS, all, err) != 0) return err->code;
  for (size_t w = 0; w < walls; w++) march->given.wall[w] += all[w];
  march->given.sources += all[walls];
  march->given.blood += all[walls + 1];
  march->stored += all[walls + 2];
  memset(all, 0, sizeof *all * (walls + OTHERS));
  own->sources = own->blood = 0;
  return 0;
}

/* What walls that hold their temperature give: what the equations of their unknowns lack. */
static void add_held(const struct mx_heat_problem *problem, const double *lack, struct mx_heat_powers *powers)
{
  for (size_t i = 0; problem->holds && i < problem->space.count; i++)
    if (problem->held[i] && mx_heat_counts(problem, i)) powers->wall[problem->holder[i]] += lack[i];
}

/* Adds to `given` what a step from `from` to `to` took, with what take() left in `lack`. */
static int account(struct mx_heat_march *march, double t, double dt, const double *from, const double *to,
                   const double *lack, struct dg_error *err)
{
  struct mx_heat_problem *problem = march->problem;
  const double theta = problem->heat->theta;
  double stored = 0;
  struct mx_heat_powers *own = &march->own;
  for (size_t i = 0; i < problem->space.count; i++)
    if (mx_heat_counts(problem, i)) stored += problem->of_one[i] * (to[i] - from[i]);
  add_held(problem, lack, own);
  if (mx_heat_add_given(problem, (struct mx_heat_span){t, dt}, dt, own, err) != 0) return err->code;
  mx_heat_add_exchanged(problem, to, theta * dt, own);
  if (theta < 1) mx_heat_add_exchanged(problem, from, (1 - theta) * dt, own);
  return add_up(march, stored, own, err);
}

static int take_fixed(struct mx_heat_march *march, double dt, struct dg_error *err)
{
  if (take(march, march->t, dt, march->T, march->end, march->lack, err) != 0 ||
      account(march, march->t, dt, march->T, march->end, march->lack, err) != 0)
    return err->code;
  memcpy(march->T, march->end, sizeof *march->T * march->problem->space.count);
  return 0;
}

/* Takes a step twice; *error is that of the two halves, whose result is in `end`. */
static int take_twice(struct mx_heat_march *march, double dt, double *error, struct dg_error *err)
{
  const double t = march->t, half = 0.5 * dt;
  if (take(march, t, dt, march->T, march->whole, NULL, err) != 0 ||
      take(march, t, half, march->T, march->middle, march->before, err) != 0 ||
      take(march, t + half, half, march->middle, march->end, march->lack, err) != 0)
    return err->code;
  *error = 0;
  for (size_t i = 0; i < march->problem->space.count; i++) *error = fmax(*error, fabs(march->whole[i] - march->end[i]));
  if (march->problem->heat->theta == 0.5) *error /= 3;
  return dg_comm_reduce(march->problem->body->comm, DG_MAX, 1, error, err);
}

static int take_chosen(struct mx_heat_march *march, double until, struct dg_error *err)
{
  const struct mx_heat_config *heat = march->problem->heat;
  const double power = heat->theta == 0.5 ? 1.0 / 3 : 0.5; /* of a step in the error of one step: 1/(p + 1) */
  until = fmin(until, mx_turns_next(&march->problem->turns, march->t));
  for (;;) {
    const bool cut = march->t + march->step > until - 1e-9 * march->step;
    const double dt = cut ? until - march->t : march->step;
    double error = 0;
    if (take_twice(march, dt, &error, err) != 0) return err->code;
    const double factor = error > 0 ? 0.9 * pow(heat->tolerance / error, power) : 3, next = fmin(factor, 3) * dt;
    if (error > heat->tolerance) {
      march->refused++;
      march->step = fmax(next, 0.1 * dt);
      if (march->step < 1e-12 * heat->stop)
        return dg_fail(err, DG_INPUT,
                       MX_PLACE "heat: at t = %g s a step of %g s still has an error above heat.time.tolerance = %g K",
                       MX_AT(heat->where), march->t, march->step, heat->tolerance);
      continue;
    }
    if (account(march, march->t, 0.5 * dt, march->T, march->middle, march->before, err) != 0 ||
        account(march, march->t + 0.5 * dt, 0.5 * dt, march->middle, march->end, march->lack, err) != 0)
      return err->code;
    if (!cut || next > march->step) march->step = next; /* a step that was cut says little */
    memcpy(march->T, march->end, sizeof *march->T * march->problem->space.count);
    march->t = cut ? until : march->t + dt;
    return 0;
  }
}

int mx_heat_advance(struct mx_heat_march *march, double until, struct dg_error *err)
{
  const struct mx_heat_config *heat = march->problem->heat;
  if (heat->step == 0) {
    if (take_chosen(march, until, err) != 0) return err->code;
  } else {
    if (take_fixed(march, march->step, err) != 0) return err->code;
    march->t = (double)(march->n + 1) * march->step;
  }
  march->n++;
  return dg_emergency_check(err);
}

/* ---- steady state */

static int settle_balance(struct mx_heat_march *march, struct dg_error *err)
{
  double sums[2] = {0};
  for (size_t i = 0; i < march->problem->space.count; i++) {
    if (!mx_heat_counts(march->problem, i)) continue;
    sums[0] += march->rhs[i];
    sums[1] += fabs(march->rhs[i]);
  }
  if (dg_space_reduce(&march->problem->space, 2, sums, err) != 0) return err->code;
  if (fabs(sums[0]) <= 1e-9 * sums[1]) return 0;
  return dg_fail(err, DG_INPUT,
                 MX_PLACE "heat: there is no steady state: %.6g W go in, and no wall or blood takes them (a fixed "
                          "temperature, convection or perfusion would)",
                 MX_AT(march->problem->heat->where), sums[0]);
}

/* Gives a state that is known up to a constant this content. */
static int shift(struct mx_heat_march *march, double content, struct dg_error *err)
{
  const size_t count = march->problem->space.count;
  double found, of_one;
  for (size_t i = 0; i < count; i++) march->rhs[i] = 1;
  if (mx_heat_content(march->problem, march->T, &found, err) != 0 ||
      mx_heat_content(march->problem, march->rhs, &of_one, err) != 0)
    return err->code;
  for (size_t i = 0; i < count; i++) march->T[i] += (content - found) / of_one;
  return 0;
}

int mx_heat_settle(struct mx_heat_march *march, struct dg_error *err)
{
  struct mx_heat_problem *problem = march->problem;
  const size_t count = problem->space.count;
  const bool floating = !problem->determined;
  const struct mx_heat_equations equations = {
      .rest = 1, .floating = floating, .b = march->rhs, .lack = problem->holds ? march->lack : NULL};
  const struct mx_heat_span now = {0, 0};
  double content;
  if (mx_heat_content(problem, march->T, &content, err) != 0) return err->code;
  memset(march->rhs, 0, sizeof *march->rhs * count);
  if (mx_heat_add_load(problem, now, 1, march->rhs, err) != 0 || (floating && settle_balance(march, err) != 0) ||
      mx_heat_solve(&march->solver, &equations, march->T, err) != 0 || (floating && shift(march, content, err) != 0))
    return err->code;
  add_held(problem, march->lack, &march->own);
  if (mx_heat_add_given(problem, now, 1, &march->own, err) != 0) return err->code;
  mx_heat_add_exchanged(problem, march->T, 1, &march->own);
  return add_up(march, 0, &march->own, err);
}

int mx_heat_march_archive(struct mx_heat_march *march, struct mx_archive *archive, struct dg_error *err)
{
  double number[] = {march->t,           march->step,           march->stored, march->given.sources,
                     march->given.blood, march->problem->offset};
  long count[] = {march->n, march->refused};
  if (mx_archive_doubles(archive, "march", sizeof number / sizeof *number, number, err) != 0 ||
      mx_archive_longs(archive, "steps", sizeof count / sizeof *count, count, err) != 0 ||
      mx_archive_doubles(archive, "walls", march->problem->heat->walls, march->given.wall, err) != 0)
    return err->code;
  march->t = number[0];
  march->step = number[1];
  march->stored = number[2];
  march->given.sources = number[3];
  march->given.blood = number[4];
  march->problem->offset = number[5]; /* T is less that of the run that wrote it */
  march->n = count[0];
  march->refused = count[1];
  return mx_heat_solver_archive(&march->solver, archive, err);
}

double mx_heat_missing(const struct mx_heat_march *march)
{
  double given = march->given.sources + march->given.blood;
  for (size_t i = 0; i < march->problem->heat->walls; i++) given += march->given.wall[i];
  return march->stored - given;
}
