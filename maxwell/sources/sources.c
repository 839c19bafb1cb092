/* The values of all source terms at a stage: waveforms, delays, functions of the script, ports. The time loop calls it
 * once a stage. */
#include "maxwell/sources/sources.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"

const struct mx_stage_sources mx_sources_follow = {0};

int mx_sources_init(struct mx_sources *sources, struct mx_problem *problem, const struct mx_assignment *assignment,
                    const struct mx_config *config, const struct dg_mesh *mesh, struct dg_error *err)
{
  *sources = (struct mx_sources){.list.problem = problem,
                                 .integrator = config->time.integrator,
                                 .schedule = mx_schedule_of(config->time.integrator, problem)};
  if (mx_sources_build(sources, assignment, config, mesh, err) != 0 ||
      mx_ports_init(&sources->ports, &sources->list, assignment, config, mesh, err) != 0)
    goto fail;
  if (DG_NEW(sources->curl, sources->list.count, err) != 0 || DG_NEW(sources->penalty, sources->list.count, err) != 0)
    goto fail;
  sources->stage = (struct mx_stage_sources){.curl = sources->curl, .penalty = sources->penalty};
  return 0;
fail:
  mx_sources_release(sources);
  return err->code;
}

/* Tabulates a waveform that is a function, with eight samples a step. The error of linear interpolation is below 1e-5
 * even at ten steps a period. Every time at which leapfrog and rk4 evaluate is a sample itself. */
static int tabulate(struct mx_source *source, double step, long steps, struct dg_error *err)
{
  enum { PER_STEP = 8 };
  double early = -source->delay; /* a node that the wave reaches before its origin is ahead of the run's time */
  for (size_t i = 0; source->lag != NULL && i < source->points; i++)
    early = fmax(early, -(source->delay + source->lag[i]));
  size_t ahead = early > 0 ? (size_t)ceil(early / step) : 0;
  size_t points = ((size_t)steps + ahead + 1) * PER_STEP + 1;
  if (DG_NEW(source->table_time, points, err) != 0 || DG_NEW(source->table_value, points, err) != 0) return err->code;
  for (size_t i = 0; i < points; i++) source->table_time[i] = step * (double)i / PER_STEP;
  const struct mx_places at = {.what = source->what, .count = points, .t = source->table_time, .components = 1};
  if (mx_function_values(source->waveform.function, &at, source->table_value, err) != 0) return err->code;
  source->waveform = (struct mx_waveform){.kind = MX_TABULATED,
                                          .amplitude = source->waveform.amplitude,
                                          .points = points,
                                          .time = source->table_time,
                                          .value = source->table_value};
  return 0;
}

/* All points of a general source, at time *t. */
static struct mx_places places_of(const struct mx_source *source, const double *t)
{
  return (struct mx_places){
      .what = source->what, .count = source->points, .x = (const double(*)[3])source->x, .t = t, .components = 3};
}

/* Calls the function of a general source at all its points; the vectors go into `next`. */
static int call_function(const struct mx_source *source, size_t N, double t, struct dg_error *err)
{
  const struct mx_places at = places_of(source, &t);
  if (mx_function_values(source->function, &at, source->called, err) != 0) return err->code;
  for (size_t first = 0; first < source->points; first += N)
    for (size_t i = 0; i < N; i++) {
      double jump[3];
      const double *v = source->called + 3 * (first + i);
      if (source->sheet != NULL) { /* -K x n = n x K */
        const double *n = source->sheet + 3 * (first + i);
        for (size_t c = 0; c < 3; c++) jump[c] = n[(c + 1) % 3] * v[(c + 2) % 3] - n[(c + 2) % 3] * v[(c + 1) % 3];
        v = jump;
      }
      for (size_t c = 0; c < 3; c++) source->next[3 * first + c * N + i] = source->factor * v[c];
    }
  return 0;
}

/* Says whether stage s takes values of a general source. A stage that does not change E takes no currents. */
static bool calls_at(const struct mx_sources *sources, size_t i, int s)
{
  const struct mx_term *term = &sources->list.problem->term[i];
  return term->values == MX_VECTOR_A_NODE && (sources->schedule.pass[s].changes[MX_AMPERE] || term->kind != MX_CURRENT);
}

static bool stage_calls(const struct mx_sources *sources, int s)
{
  for (size_t i = 0; i < sources->list.count; i++)
    if (sources->list.source[i].points > 0 && calls_at(sources, i, s)) return true;
  return false;
}

/* Evaluates all general sources that the stage takes. The thread of mx_ahead calls this function, too. */
static int evaluate_general(void *context, int s, double t, struct dg_error *err)
{
  struct mx_sources *sources = context;
  for (size_t i = 0; i < sources->list.count; i++) {
    const struct mx_term *term = &sources->list.problem->term[i];
    if (!calls_at(sources, i, s)) continue;
    if (call_function(&sources->list.source[i], mx_source_nodes(&sources->list, term), t, err) != 0) return err->code;
  }
  return 0;
}

/* Rehearses the functions at several times, to find whether several threads may call them: much shows only when time
 * has passed. */
static void try_functions(struct mx_sources *sources, double step, long steps)
{
  enum { TIMES = 4 };
  for (size_t i = 0; i < sources->list.count; i++)
    for (int k = 0; k < TIMES; k++) {
      const struct mx_function *function = sources->list.source[i].function;
      if (function == NULL || function->rehearse == NULL) break;
      const double t = step * (double)steps * k / TIMES;
      const struct mx_places at = places_of(&sources->list.source[i], &t);
      function->rehearse(function->self, &at);
    }
}

int mx_sources_prepare(struct mx_sources *sources, double step, long steps, struct dg_error *err)
{
  sources->steps = steps;
  try_functions(sources, step, steps);
  for (size_t i = 0; i < sources->list.count; i++)
    sources->general =
        sources->general || (sources->list.source[i].function != NULL && sources->list.source[i].points > 0);
  if (sources->general && mx_ahead_start(&sources->ahead, evaluate_general, sources, err) != 0) return err->code;
  for (size_t i = 0; i < sources->list.count; i++)
    if (sources->list.source[i].function == NULL && sources->list.source[i].waveform.kind == MX_FUNCTION_WAVEFORM &&
        tabulate(&sources->list.source[i], step, steps, err) != 0)
      return err->code;
  return mx_ports_prepare(&sources->ports, step, steps, err);
}

/* Evaluates the waveform at every node with a lag of its own. A card steps faster than one thread works out the
 * thousands of values on the surface of a plane wave. Few nodes are not worth waking the other threads. */
static void evaluate_nodes(struct mx_source *source, double t)
{
  enum { FEW = 2048 };
#pragma omp parallel for schedule(static) if (source->points > FEW)
  for (size_t i = 0; i < source->points; i++)
    source->now[i] = mx_waveform_at(&source->waveform, t - source->delay - source->lag[i]);
}

static void evaluate_waveform(const struct mx_sources *sources, size_t index, int s, double t)
{
  struct mx_source *source = &sources->list.source[index];
  double *oldest = source->before;
  if (source->function != NULL && !calls_at(sources, index, s)) return;
  source->before = source->now;
  source->now = oldest;
  switch (sources->list.problem->term[index].values) {
  case MX_ONE_NUMBER:
    if (!source->port) source->now[0] = mx_waveform_at(&source->waveform, t - source->delay);
    return;
  case MX_NUMBER_A_NODE:
    evaluate_nodes(source, t);
    return;
  case MX_VECTOR_A_NODE: /* evaluated before */
    oldest = source->now;
    source->now = source->next;
    source->next = oldest;
    return;
  }
}

static double time_of(const struct mx_sources *sources, long n, int s, double step)
{
  return step * ((double)n + sources->schedule.pass[s].time);
}

/* Asks for the values of the next stage after (n, s) that calls functions, if there will be one. */
static void ask_ahead(struct mx_sources *sources, long n, int s, double step)
{
  const struct mx_schedule *schedule = &sources->schedule;
  if (sources->ahead == NULL) return;
  do {
    if (++s == schedule->passes) {
      s = 0;
      n++;
    }
  } while (!stage_calls(sources, s));
  if (n < sources->steps || (n == sources->steps && s < schedule->observe_stage))
    mx_ahead_ask(sources->ahead, s, time_of(sources, n, s, step));
}

int mx_sources_evaluate(struct mx_sources *sources, long n, int s, double step, const struct mx_stage_sources **result,
                        struct dg_error *err)
{
  *result = NULL;
  if (sources->list.count == 0) return 0;
  double t = time_of(sources, n, s, step);
  const bool calls = sources->general && stage_calls(sources, s);
  const bool ready = calls && sources->ahead != NULL && mx_ahead_take(sources->ahead, s, t, err);
  if (err->code != DG_OK || (calls && !ready && evaluate_general(sources, s, t, err) != 0)) return err->code;
  for (size_t i = 0; i < sources->list.count; i++) {
    evaluate_waveform(sources, i, s, t);
    /* In a staggered step the penalty of closed faces acts on the field before the update, half a step before the field
     * under the curl. It therefore takes the evaluation before this one. The penalty of open faces is extrapolated to
     * this time. */
    bool lags = mx_staggered(sources->integrator) && !sources->list.problem->term[i].open;
    sources->curl[i] = sources->list.source[i].now;
    sources->penalty[i] = lags ? sources->list.source[i].before : sources->list.source[i].now;
  }
  mx_ports_evaluate(&sources->ports, &sources->list, n, s, t);
  if (calls) ask_ahead(sources, n, s, step);
  *result = &sources->stage;
  return 0;
}

void mx_sources_evaluate_ports(struct mx_sources *sources, long n, int s, double step)
{
  if (sources->ports.functionals > 0)
    mx_ports_evaluate(&sources->ports, &sources->list, n, s, time_of(sources, n, s, step));
}

void mx_sources_reset(struct mx_sources *sources)
{
  for (size_t i = 0; i < sources->list.count; i++) {
    struct mx_source *source = &sources->list.source[i];
    size_t bytes = mx_source_numbers(&sources->list.problem->term[i], source->points) * sizeof *source->now;
    memset(source->now, 0, bytes);
    memset(source->before, 0, bytes);
  }
}

int mx_sources_resume(struct mx_sources *sources, long n, double step, struct dg_error *err)
{
  const int last = sources->schedule.passes - 1;
  if (n == 0 || sources->list.count == 0) return 0;
  double t = time_of(sources, n - 1, last, step);
  if (evaluate_general(sources, last, t, err) != 0) return err->code;
  for (size_t i = 0; i < sources->list.count; i++) evaluate_waveform(sources, i, last, t);
  mx_ports_resume(&sources->ports, &sources->list);
  if (sources->general) ask_ahead(sources, n - 1, last, step);
  return 0;
}

void mx_sources_pause(struct mx_sources *sources)
{
  if (sources->ahead != NULL) mx_ahead_wait(sources->ahead);
}

double mx_sources_seconds_ahead(struct mx_sources *sources)
{
  return sources->ahead != NULL ? mx_ahead_seconds(sources->ahead) : 0;
}

void mx_sources_release(struct mx_sources *sources)
{
  mx_ahead_stop(sources->ahead);
  mx_ports_release(&sources->ports);
  mx_source_list_release(&sources->list);
  dg_free(sources->curl);
  dg_free(sources->penalty);
  *sources = (struct mx_sources){0};
}
