/* Heat and fields by turns: materials change with the temperature, fields with the materials, losses with the fields.
 * heat.c calls it.
 *
 * In time. An interval begins at t_n with the losses L_n of fields at T(t_n). Heat goes on with the line through
 * L_{n-1} and L_n, or with L_n where they differ much, until a coefficient has changed by heat.coupling.tolerance. An
 * interval is at most twice as long as the one before. The fields run at that temperature and give L_{n+1}. The
 * interval is marched again with the line from L_n to L_{n+1}, and so on until its end moves by less than
 * heat.coupling.settled. That is the trapezoidal rule for the losses: of second order in the length of the intervals
 * (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section IV.3).
 *
 * The steady state. T is a fixed point of G, which gives the steady temperature of the losses at T. Near it G is
 * linear; lambda is its greatest eigenvalue, which the last two residuals r = G(T) - T show. Where lambda < 0 each step
 * is shortened by 1/(1 - lambda), which settles. Where 0 < lambda < 1 every third step is lengthened by it (A. Aitken's
 * extrapolation), which only saves steps. Where lambda > 1 the state is not stable in time either: losses grow faster
 * than heat leaves. Steps forward never settle there, and it is an error. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/heat/heat_losses.h"
#include "maxwell/heat/heat_work.h"
#include "maxwell/model/media/warm.h"

struct mx_heat_coupled {
  struct mx_heat_work *work;
  const struct mx_heat_fields *fields;
  long round;                       /* runs of the fields so far */
  double *earlier, *before, *after; /* [count] loads of losses at the last times at which the fields ran, W */
  double length;                    /* of the interval before, s; 0: there was none */
  bool line;                        /* losses go on as they have come */
  double *used;                     /* [count] march.T at which they ran last */
  double *residual;                 /* [count] of the steady state, K */
  struct mx_heat_mark start, step;  /* the begin of the interval, and of a step in it */
  double weight[DG_NP_MAX];         /* of the nodes of an element, for its middle */
  size_t count, *first;             /* elements of materials that change; [materials + 1] where those of each begin */
  int32_t *element;                 /* [count] of the body, by material */
  double *T, *value;                /* [count] */
  double *reference[MX_WARM_KEYS];  /* [count] coefficients at the begin of the interval */
  struct mx_csv table;              /* rank 0's */
  struct mx_heat_more more;         /* its part of checkpoints */
};

static const struct mx_material_config *material_of(const struct mx_heat_coupled *c, size_t m)
{
  return &c->work->place->config->material[m];
}

/* ---- coefficients */

static int list_elements(struct mx_heat_coupled *c, struct dg_error *err)
{
  const struct mx_heat_body *body = &c->work->body;
  const size_t materials = c->work->place->config->materials, K = body->mesh.K;
  if (DG_NEW(c->first, materials + 1, err) != 0 || DG_NEW(c->element, K, err) != 0) return err->code;
  for (size_t m = 0; m < materials; m++) {
    for (size_t e = 0; e < K && mx_is_warm(material_of(c, m)); e++)
      if (body->material[e] == (int)m) c->element[c->count++] = (int32_t)e;
    c->first[m + 1] = c->count;
  }
  return 0;
}

/* The temperature in the middle of an element, where its coefficients are taken. */
static double in_middle(const struct mx_heat_coupled *c, const double *T, size_t e)
{
  const struct mx_heat_problem *problem = &c->work->problem;
  const size_t Np = (size_t)problem->space.ref.Np;
  double sum = problem->offset;
  for (size_t i = 0; i < Np; i++) sum += c->weight[i] * T[problem->space.number[e * Np + i]];
  return sum;
}

/* value[count] of a key at c->T, where a material has it. */
static int find_values(const struct mx_heat_coupled *c, enum mx_warm_key key, double *value, struct dg_error *err)
{
  for (size_t m = 0; m < c->work->place->config->materials; m++) {
    const size_t first = c->first[m], count = c->first[m + 1] - first;
    if (count > 0 && material_of(c, m)->warm.key[key].given &&
        mx_warm_values(material_of(c, m), key, count, c->T + first, value + first, err) != 0)
      return err->code;
  }
  return 0;
}

static void find_middles(struct mx_heat_coupled *c, const double *T)
{
  for (size_t i = 0; i < c->count; i++) c->T[i] = in_middle(c, T, (size_t)c->element[i]);
}

/* Changes of coefficients count from T on. */
static int set_reference(struct mx_heat_coupled *c, const double *T, struct dg_error *err)
{
  find_middles(c, T);
  for (int key = 0; key < MX_WARM_KEYS; key++)
    if (find_values(c, (enum mx_warm_key)key, c->reference[key], err) != 0) return err->code;
  return 0;
}

/* The greatest relative change of a coefficient at T in this rank's elements, of the larger of its two values. INFINITY
 * where a value is out of range; *why then says which. */
static double own_change(struct mx_heat_coupled *c, const double *T, struct dg_error *why)
{
  double change = 0;
  find_middles(c, T);
  for (int key = 0; key < MX_WARM_KEYS; key++) {
    memcpy(c->value, c->reference[key], sizeof *c->value * c->count);
    if (find_values(c, (enum mx_warm_key)key, c->value, why) != 0) return INFINITY;
    for (size_t i = 0; i < c->count; i++) {
      const double was = c->reference[key][i], is = c->value[i], larger = fmax(was, is);
      if (larger > 0) change = fmax(change, fabs(is - was) / larger);
    }
  }
  return change;
}

/* The same of all ranks' elements. A value out of range is an error. */
static int find_change(struct mx_heat_coupled *c, const double *T, double *change, struct dg_error *err)
{
  *change = own_change(c, T, err);
  if (err->code != DG_OK) return err->code;
  return dg_comm_reduce(c->work->body.comm, DG_MAX, 1, change, err);
}

/* The greatest difference between the temperature at hand and that at which the fields ran last, K. */
static int find_difference(const struct mx_heat_coupled *c, double *difference, struct dg_error *err)
{
  const double *T = c->work->march.T;
  *difference = 0;
  for (size_t i = 0; i < c->work->problem.space.count; i++) *difference = fmax(*difference, fabs(T[i] - c->used[i]));
  return dg_comm_reduce(c->work->body.comm, DG_MAX, 1, difference, err);
}

/* ---- the table */

static int open_table(struct mx_heat_coupled *c, struct dg_error *err)
{
  const struct mx_heat_config *heat = c->work->problem.heat;
  const size_t size = 100 + heat->sources * 260;
  char *header = NULL;
  const struct mx_checkpoint *from = c->work->how->from;
  const bool resume = from != NULL && from->found;
  if (!c->work->record.first) return 0;
  if (dg_alloc(&header, size, 1, err) != 0) return err->code;
  size_t used = (size_t)snprintf(header, size, "round,time,coefficient_change,temperature_change");
  for (size_t i = 0; i < heat->sources; i++)
    if (heat->source[i].losses != NULL)
      used += (size_t)snprintf(header + used, size - used, ",losses_%.200s", heat->source[i].losses);
  (void)!mx_csv_open_in(&c->table, c->work->folder, "heat/coupling.csv", header, resume, err);
  dg_free(header);
  return err->code;
}

/* A row for a run of the fields, once heat has followed it. */
static int write_row(struct mx_heat_coupled *c, double t, double change, double difference, struct dg_error *err)
{
  const struct mx_heat_config *heat = c->work->problem.heat;
  dg_log_line(c->work->place->log,
              "coupling  run %ld of the fields, at t = %.6g s of heat: coefficients have changed by %.3g %%; with its "
              "losses temperatures are others by %.3g K",
              c->round, t, 100 * change, difference);
  if (!c->work->record.first) return 0;
  errno = 0;
  int failed = fprintf(c->table.file, "%ld,%.17g,%.17g,%.17g", c->round, t, change, difference) < 0;
  for (size_t i = 0; i < heat->sources; i++)
    if (heat->source[i].losses != NULL) failed |= fprintf(c->table.file, ",%.17g", c->work->power[i]) < 0;
  if (failed || fputc('\n', c->table.file) == EOF) return mx_csv_failed(&c->table, err);
  return mx_csv_flush(&c->table, err);
}

/* ---- the fields */

/* Runs them at c->used; load[count] gets their losses. */
static int run_fields(struct mx_heat_coupled *c, double *load, struct dg_error *err)
{
  struct mx_heat_work *work = c->work;
  for (size_t i = 0; i < c->count; i++) {
    const size_t e = (size_t)c->element[i];
    c->fields->temperature[work->body.from[e]] = in_middle(c, c->used, e);
  }
  c->round++;
  work->report->rounds = c->round;
  if (mx_heat_look(work, err) != 0) return err->code;
  if (c->fields->run(c->fields->self, err) != 0) {
    if (err->code != DG_INTERRUPTED) return err->code;
    *err = (struct dg_error){0};
    if (mx_heat_look(work, err) != 0) return err->code; /* which says what becomes of heat */
    return dg_fail(err, DG_INTERRUPTED, "interrupted in run %ld of the fields", c->round);
  }
  memset(load, 0, sizeof *load * work->problem.space.count);
  return mx_heat_add_losses(&work->problem, c->fields->phasors, load, work->power, work->place->log, err);
}

/* Runs them at the temperature at hand. */
static int run_here(struct mx_heat_coupled *c, double *load, struct dg_error *err)
{
  memcpy(c->used, c->work->march.T, sizeof *c->used * c->work->problem.space.count);
  return run_fields(c, load, err);
}

/* ---- in time */

static int march_to(struct mx_heat_coupled *c, double end, struct dg_error *err)
{
  struct mx_heat_work *work = c->work;
  while (work->march.t < end - mx_heat_near(work))
    if (mx_heat_take(work, fmin(mx_heat_next_stop(work, work->march.t), end), err) != 0) return err->code;
  return 0;
}

/* A step from c->step has changed a coefficient by `change`, too much; `last` is what the change was before it. Goes to
 * a time between at which it is nearly the tolerance. */
static int cut_step(struct mx_heat_coupled *c, double last, double change, struct dg_error *err)
{
  enum { TRIES = 20 };
  struct mx_heat_march *march = &c->work->march;
  const double tolerance = c->work->problem.heat->coupling.tolerance, aim = 0.95 * tolerance, enough = 0.8 * tolerance;
  double low = c->step.t, at_low = last, high = march->t, at_high = change;
  for (int i = 0; i < TRIES && high - low > 2 * mx_heat_near(c->work); i++) {
    const double t = low + (high - low) * fmin(fmax((aim - at_low) / (at_high - at_low), 0.02), 0.98);
    mx_heat_mark_back(&c->step, march);
    if (march_to(c, t, err) != 0 || find_change(c, march->T, &change, err) != 0) return err->code;
    if (change <= tolerance && change >= enough) return 0;
    if (change <= tolerance) low = t, at_low = change;
    else high = t, at_high = change;
  }
  mx_heat_mark_back(&c->step, march);
  return march_to(c, low > c->start.t ? low : high, err);
}

/* Goes on from c->start until a coefficient has changed by the tolerance, or for `longest` (*cut), or to the end. */
static int predict(struct mx_heat_coupled *c, double longest, bool *cut, struct dg_error *err)
{
  struct mx_heat_work *work = c->work;
  struct mx_heat_march *march = &work->march;
  const struct mx_heat_config *config = work->problem.heat;
  const double end = fmin(c->start.t + longest, config->stop), near = mx_heat_near(work);
  double change = 0;
  while (march->t < end - near) {
    const double last = change;
    mx_heat_mark_set(&c->step, march);
    if (mx_heat_take(work, fmin(mx_heat_next_stop(work, march->t), end), err) != 0 ||
        find_change(c, march->T, &change, err) != 0)
      return err->code;
    if (change <= config->coupling.tolerance) continue;
    *cut = true;
    if (config->step == 0) return cut_step(c, last, change, err);
    if (c->step.n > c->start.n) mx_heat_mark_back(&c->step, march); /* a given step is not cut, and at least one made */
    return 0;
  }
  *cut = march->t < config->stop - near;
  return 0;
}

/* Runs the fields at the end of the interval, and marches it again with their losses, until its end stays: *settled. */
static int correct(struct mx_heat_coupled *c, bool *settled, struct dg_error *err)
{
  struct mx_heat_work *work = c->work;
  struct mx_heat_march *march = &work->march;
  const struct mx_heat_config *config = work->problem.heat;
  const double end = march->t;
  double change, difference;
  *settled = false;
  for (int i = 0; i < config->coupling.iterations && !*settled; i++) {
    if (find_change(c, march->T, &change, err) != 0 || run_here(c, c->after, err) != 0 ||
        mx_heat_set_losses(&work->problem, c->before, c->after, c->start.t, end, err) != 0)
      return err->code;
    mx_heat_mark_back(&c->start, march);
    if (march_to(c, end, err) != 0 || find_difference(c, &difference, err) != 0 ||
        write_row(c, end, change, difference, err) != 0)
      return err->code;
    *settled = difference < config->coupling.settled;
  }
  return 0;
}

/* Is there no need for a run at the end of the time? */
static int is_enough(struct mx_heat_coupled *c, bool *enough, struct dg_error *err)
{
  const double little = 0.1; /* of the tolerance */
  double change, difference;
  if (find_change(c, c->work->march.T, &change, err) != 0 || find_difference(c, &difference, err) != 0)
    return err->code;
  *enough = change <= little * c->work->problem.heat->coupling.tolerance ||
            difference < c->work->problem.heat->coupling.settled;
  return 0;
}

static void swap(double **a, double **b)
{
  double *was = *a;
  *a = *b;
  *b = was;
}

/* Goes back to the begin of the interval, with the losses that are foreseen. */
static int foresee(struct mx_heat_coupled *c, struct dg_error *err)
{
  struct mx_heat_problem *problem = &c->work->problem;
  mx_heat_mark_back(&c->start, &c->work->march);
  if (!c->line) return mx_heat_set_losses(problem, c->before, NULL, c->start.t, problem->heat->stop, err);
  return mx_heat_set_losses(problem, c->earlier, c->before, c->start.t - c->length, c->start.t, err);
}

/* Ends an interval that began with the losses c->before and ended with c->after: may the next one foresee on a line? */
static int take_interval(struct mx_heat_coupled *c, struct dg_error *err)
{
  const double much = 0.3; /* a longer line may lead to negative losses */
  const struct mx_heat_problem *problem = &c->work->problem;
  double sum[2] = {0, 0};
  for (size_t i = 0; i < problem->space.count; i++) {
    if (!mx_heat_counts(problem, i)) continue;
    sum[0] += fabs(c->after[i] - c->before[i]);
    sum[1] += fabs(c->before[i]);
  }
  if (dg_space_reduce(&problem->space, 2, sum, err) != 0) return err->code;
  c->line = sum[0] <= much * sum[1];
  c->length = c->work->march.t - c->start.t;
  swap(&c->earlier, &c->before);
  swap(&c->before, &c->after);
  c->more.value[0] = c->earlier;
  c->more.value[1] = c->before;
  return 0;
}

/* Finds the end of the interval and the losses there. One that does not settle is halved. */
static int find_interval(struct mx_heat_coupled *c, struct dg_error *err)
{
  enum { HALVES = 8 };
  struct mx_heat_work *work = c->work;
  const struct mx_heat_config *config = work->problem.heat;
  bool cut = false, enough = false, settled = false;
  if (foresee(c, err) != 0 || predict(c, c->length > 0 ? 2 * c->length : INFINITY, &cut, err) != 0 ||
      (!cut && is_enough(c, &enough, err) != 0) || enough)
    return err->code;
  double end = work->march.t;
  for (int i = 0; i <= HALVES; i++) {
    if (correct(c, &settled, err) != 0 || settled) return err->code;
    end = 0.5 * (c->start.t + end);
    if (config->step > 0) break;
    if (foresee(c, err) != 0 || march_to(c, end, err) != 0) return err->code;
  }
  return dg_fail(err, DG_INPUT,
                 MX_PLACE
                 "heat.coupling: behind t = %g s the temperature does not settle within %g K in %d runs of the "
                 "fields; take a smaller tolerance%s, or more iterations",
                 MX_AT(config->where), c->start.t, config->coupling.settled, config->coupling.iterations,
                 config->step > 0 ? " or heat.time.step" : "");
}

static int march(struct mx_heat_coupled *c, struct dg_error *err)
{
  struct mx_heat_work *work = c->work;
  struct mx_heat_march *march = &work->march;
  while (march->t < work->problem.heat->stop - mx_heat_near(work)) {
    mx_heat_mark_set(&c->start, march);
    work->start = &c->start;
    if (mx_heat_keep(work, false, err) != 0 || set_reference(c, march->T, err) != 0 || find_interval(c, err) != 0)
      return err->code;
    const double end = march->t;
    mx_heat_mark_back(&c->start, march);
    /* Rows and losses of an interval go together: who ends the computation waits for it. */
    const struct mx_control *control = march->control;
    work->whole = true;
    march->control = NULL;
    const int status = mx_heat_record_march(work, end, err);
    march->control = control;
    work->whole = false;
    if (status != 0 || take_interval(c, err) != 0) return err->code;
  }
  return 0;
}

/* ---- the steady state */

/* Sets c->residual to G(T) - T; *ratio: to the residual before, along it. */
static int find_residual(struct mx_heat_coupled *c, double *ratio, struct dg_error *err)
{
  const struct mx_heat_problem *problem = &c->work->problem;
  double sum[2] = {0, 0};
  for (size_t i = 0; i < problem->space.count; i++) {
    const double is = c->work->march.T[i] - c->used[i], was = c->residual[i];
    c->residual[i] = is;
    if (!mx_heat_counts(problem, i)) continue;
    sum[0] += is * was;
    sum[1] += was * was;
  }
  if (dg_space_reduce(&problem->space, 2, sum, err) != 0) return err->code;
  *ratio = sum[1] > 0 ? sum[0] / sum[1] : 0;
  return 0;
}

static int fail_steady(const struct mx_heat_coupled *c, double difference, double lambda, struct dg_error *err)
{
  const struct mx_heat_config *config = c->work->problem.heat;
  if (lambda >= 1)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "heat.coupling: there is no steady state that lasts: run %ld of the fields changes the "
                            "temperature by %g K, %.3g times as much as the one before. Losses grow faster than heat "
                            "can leave (thermal runaway)",
                   MX_AT(config->where), c->round, difference, lambda);
  return dg_fail(err, DG_INPUT,
                 MX_PLACE "heat.coupling: the steady state does not settle: run %ld of the fields still changes the "
                          "temperature by %g K (%.3g of the change before); give it more iterations, or a larger "
                          "`settled`",
                 MX_AT(config->where), c->round, difference, lambda);
}

/* How far the next step goes, in residuals. plain: steps of length 1 since a longer one. */
static double step_length(double lambda, int plain)
{
  const double least = 0.01, most = 20;
  if (lambda < 0) return fmax(1 / (1 - lambda), least);
  return lambda < 1 && plain >= 2 ? fmin(1 / (1 - lambda), most) : 1;
}

/* Goes on by length residuals, or by less, so that no coefficient more than doubles and none leaves its range: far from
 * the fixed point there is no law to trust. */
static int go_on(struct mx_heat_coupled *c, double *length, double *change, struct dg_error *err)
{
  enum { HALVES = 20 };
  const double most = 0.5;
  const size_t count = c->work->problem.space.count;
  struct dg_error why;
  double before = 0;
  if (set_reference(c, c->used, err) != 0) return err->code;
  for (int i = 0;; i++) {
    for (size_t n = 0; n < count; n++) c->used[n] += (*length - before) * c->residual[n];
    why = (struct dg_error){0};
    *change = own_change(c, c->used, &why);
    if (dg_comm_reduce(c->work->body.comm, DG_MAX, 1, change, err) != 0) return err->code;
    if (*change <= most) return 0;
    if (i == HALVES) break;
    before = *length;
    *length *= 0.5;
  }
  if (why.code != DG_OK) *err = why;
  return dg_comm_agree(c->work->body.comm, err); /* at a jump all is as good */
}

static int settle(struct mx_heat_coupled *c, struct dg_error *err)
{
  enum { GROWS = 3 }; /* residuals that grow one after the other: there is no use in more */
  struct mx_heat_work *work = c->work;
  struct mx_heat_march *march = &work->march;
  const struct mx_heat_config *config = work->problem.heat;
  double length = 1, change = 0, difference, ratio = 0, lambda = 0;
  int plain = 0, grows = 0;
  for (int i = 1;; i++) {
    mx_heat_mark_back(&c->start, march); /* what has been counted; and T, from which the next solution begins */
    memcpy(march->T, c->used, sizeof *march->T * work->problem.space.count);
    if (mx_heat_set_losses(&work->problem, c->before, NULL, 0, 1, err) != 0 || mx_heat_look(work, err) != 0 ||
        mx_heat_find_steady(work, err) != 0 || find_difference(c, &difference, err) != 0 ||
        find_residual(c, &ratio, err) != 0 || write_row(c, 0, change, difference, err) != 0)
      return err->code;
    if (i > 1) lambda = 1 - (1 - ratio) / length;
    /* What is left is a geometric series. */
    const double left = lambda > 0.5 && lambda < 1 ? difference * lambda / (1 - lambda) : difference;
    if (left < config->coupling.settled && lambda < 1) return mx_heat_record_row(&work->record, march, 0, err);
    grows = i > 1 && lambda >= 1 ? grows + 1 : 0;
    if (grows == GROWS || i == config->coupling.iterations) return fail_steady(c, difference, lambda, err);
    plain = length == 1 ? plain + 1 : 0; /* of the step that led here */
    length = i > 1 ? step_length(lambda, plain) : 1;
    if (go_on(c, &length, &change, err) != 0 || run_fields(c, c->before, err) != 0) return err->code;
  }
}

/* ---- all */

static int archive(void *self, struct mx_archive *archive, struct dg_error *err)
{
  struct mx_heat_coupled *c = self;
  long count[2] = {c->round, c->line};
  if (mx_archive_longs(archive, "coupling/round", 2, count, err) != 0 ||
      mx_archive_doubles(archive, "coupling/length", 1, &c->length, err) != 0 ||
      mx_archive_doubles(archive, "coupling/power", c->work->problem.heat->sources, c->work->power, err) != 0)
    return err->code;
  c->round = count[0];
  c->line = count[1] != 0;
  return mx_csv_archive(&c->table, "tables/coupling", archive, err);
}

int mx_heat_coupled_new(struct mx_heat_work *heat, struct dg_error *err)
{
  const struct mx_heat_problem *problem = &heat->problem;
  const size_t count = problem->space.count;
  struct mx_heat_coupled *c;
  if (DG_NEW(c, 1, err) != 0) return err->code;
  heat->coupled = c;
  *c = (struct mx_heat_coupled){.work = heat, .fields = heat->how->fields, .round = 1};
  if (DG_NEW(c->earlier, count, err) != 0 || DG_NEW(c->before, count, err) != 0 || DG_NEW(c->after, count, err) != 0 ||
      DG_NEW(c->used, count, err) != 0 || DG_NEW(c->residual, count, err) != 0 ||
      mx_heat_mark_init(&c->start, &heat->march, err) != 0 || mx_heat_mark_init(&c->step, &heat->march, err) != 0 ||
      list_elements(c, err) != 0 || DG_NEW(c->T, c->count, err) != 0 || DG_NEW(c->value, c->count, err) != 0)
    return err->code;
  for (int key = 0; key < MX_WARM_KEYS; key++)
    if (DG_NEW(c->reference[key], c->count, err) != 0) return err->code;
  dg_reference_interpolate(&problem->space.ref, -0.5, -0.5, -0.5, c->weight);
  c->more = (struct mx_heat_more){.name = {"losses_earlier", "losses", "T_of_losses"},
                                  .value = {c->earlier, c->before, c->used},
                                  .archive = archive,
                                  .self = c};
  heat->more = &c->more;
  return open_table(c, err);
}

void mx_heat_coupled_free(struct mx_heat_coupled *c)
{
  if (c == NULL) return;
  dg_free(c->earlier);
  dg_free(c->before);
  dg_free(c->after);
  dg_free(c->used);
  dg_free(c->residual);
  mx_heat_mark_release(&c->start);
  mx_heat_mark_release(&c->step);
  dg_free(c->first);
  dg_free(c->element);
  dg_free(c->T);
  dg_free(c->value);
  for (int key = 0; key < MX_WARM_KEYS; key++) dg_free(c->reference[key]);
  mx_csv_release(&c->table);
  dg_free(c);
}

int mx_heat_couple(struct mx_heat_work *heat, const double *load, struct dg_error *err)
{
  struct mx_heat_coupled *c = heat->coupled;
  const bool steady = heat->problem.heat->steady, begins = heat->how->from == NULL || !heat->how->from->found;
  if (begins) {
    memcpy(c->before, load, sizeof *load * heat->problem.space.count);
    memcpy(c->used, heat->march.T, sizeof *c->used * heat->problem.space.count);
    if (!steady && write_row(c, 0, 0, 0, err) != 0) return err->code;
  }
  heat->report->rounds = c->round;
  mx_heat_mark_set(&c->start, &heat->march);
  if ((steady ? settle(c, err) : march(c, err)) != 0) return err->code;
  return mx_csv_close(&c->table, err);
}
