/* All measures of a run. Their kinds find places and measure; this file keeps the values of several times and puts the
 * parts of the ranks together. The set-up makes the measures, and measure_record.c asks for values. */
#include "maxwell/measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"

int mx_measure_span(const struct dg_mesh *mesh, struct dg_comm *comm, size_t count, const double (*point)[3],
                    char *text, size_t size, struct dg_error *err)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = 0; i < 4 * mesh->K; i++)
    for (int d = 0; d < 3 && !dg_mesh_in_layer(mesh, i / 4); d++) { /* what was drawn */
      const double x = mesh->vertex[mesh->element[i / 4][i % 4]][d];
      low[d] = fmin(low[d], x);
      high[d] = fmax(high[d], x);
    }
  if (dg_comm_reduce(comm, DG_MIN, 3, low, err) != 0 || dg_comm_reduce(comm, DG_MAX, 3, high, err) != 0)
    return err->code;
  bool inside = true;
  for (size_t i = 0; i < count; i++)
    for (int d = 0; d < 3; d++) inside = inside && point[i][d] >= low[d] && point[i][d] <= high[d];
  snprintf(text, size, "%s (%g, %g, %g) to (%g, %g, %g) m%s", inside ? "in a hole of it: it spans" : "which spans",
           low[0], low[1], low[2], high[0], high[1], high[2], inside ? " and has no element there" : "");
  return 0;
}

size_t mx_measure_batch(size_t values)
{
  enum { MOST = 64, NUMBERS = 1 << 17 };
  size_t fitting = NUMBERS / values;
  if (fitting == 0) return 1;
  return fitting < MOST ? fitting : MOST;
}

static int init_one(struct mx_measure *measure, const struct mx_measure_config *config,
                    const struct mx_measure_scene *scene, struct dg_error *err)
{
  *measure = (struct mx_measure){.config = config,
                                 .kind = (const struct mx_measure_kind *)config->kind, /* a kind's first member */
                                 .sets = 1,
                                 .columns = ((const struct mx_measure_kind *)config->kind)->columns,
                                 .values = 1,
                                 .parts = 1,
                                 .rows = 1};
  if (measure->kind->init(measure, scene, err) != 0) return err->code;
  measure->batch = mx_measure_batch(measure->values);
  return DG_NEW(measure->part, measure->batch * measure->parts, err);
}

int mx_measures_init(struct mx_measures *measures, struct mx_problem *problem, const struct mx_config *config,
                     const struct dg_mesh *mesh, struct dg_log *log, struct dg_error *err)
{
  const struct mx_measure_scene scene = {.problem = problem, .mesh = mesh, .log = log};
  size_t most = 0;
  *measures = (struct mx_measures){.problem = problem};
  if (DG_NEW(measures->measure, config->output.measures, err) != 0) return err->code;
  for (size_t i = 0; i < config->output.measures; i++) {
    struct mx_measure *measure = &measures->measure[measures->count++];
    if (init_one(measure, &config->output.measure[i], &scene, err) != 0) return err->code;
    if (measure->scratch > most) most = measure->scratch;
  }
  return DG_NEW(measures->scratch, most, err);
}

void mx_measures_release(struct mx_measures *measures)
{
  for (size_t i = 0; i < measures->count; i++) {
    struct mx_measure *measure = &measures->measure[i];
    if (measure->own != NULL) measure->kind->release(measure);
    dg_free(measure->own);
    dg_free(measure->part);
    dg_free(measure->x);
  }
  dg_free(measures->measure);
  dg_free(measures->scratch);
  *measures = (struct mx_measures){0};
}

int mx_measures_check_step(const struct mx_measures *measures, double step, struct dg_error *err)
{
  for (size_t i = 0; i < measures->count; i++) {
    const struct mx_measure_config *config = measures->measure[i].config;
    double highest = 0, limit = 0.5 / ((double)config->every * step);
    for (size_t k = 0; k < config->frequencies.count; k++) highest = fmax(highest, config->frequencies.hertz[k]);
    if (highest > limit)
      return dg_fail(
          err, DG_INPUT,
          MX_PLACE "output.%s: '%s' cannot tell %g Hz, a sample every %g s reaches to %.4g Hz; lower 'every' "
                   "or the frequency",
          MX_AT(config->where), config->kind->key, config->name, highest, (double)config->every * step, limit);
  }
  return 0;
}

int mx_measures_set_options(struct mx_measures *measures, const struct mx_backend_options *options,
                            struct dg_error *err)
{
  for (size_t i = 0; i < measures->count; i++) {
    struct mx_measure *measure = &measures->measure[i];
    measure->options = *options;
    if (measure->kind->check != NULL && measure->kind->check(measure, err) != 0) return err->code;
  }
  return 0;
}

void mx_measure_put(const struct mx_measures *measures, size_t index, size_t row, const double *value)
{
  const struct mx_measure *measure = &measures->measure[index];
  double *part = measure->part + row * measure->parts;
  if (measure->parts > 0) memcpy(part, value, measure->parts * sizeof *part);
  measure->kind->to_si(measure, part);
}

int mx_measure_take(const struct mx_measures *measures, size_t index, size_t row, const struct mx_backend_ops *ops,
                    struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_measure *measure = &measures->measure[index];
  double *part = measure->part + row * measure->parts;
  return measure->kind->take(measure, measures->problem, ops, backend, part, measures->scratch, err);
}

int mx_measure_collect(const struct mx_measures *measures, size_t index, size_t rows, double *value,
                       struct dg_error *err)
{
  const struct mx_measure *measure = &measures->measure[index];
  struct dg_comm *comm = measures->problem->comm;
  if (measure->kind->collect != NULL) return measure->kind->collect(measure, comm, rows, value, measures->scratch, err);
  if (dg_comm_reduce_to_root(comm, DG_SUM, rows * measure->parts, measure->part, err) != 0) return err->code;
  if (dg_comm_rank(comm) == 0) memcpy(value, measure->part, rows * measure->parts * sizeof *value);
  return 0;
}

int mx_measure_evaluate(const struct mx_measures *measures, size_t index, const struct mx_backend_ops *ops,
                        struct mx_backend *backend, double *value, struct dg_error *err)
{
  if (mx_measure_take(measures, index, 0, ops, backend, err) != 0) return err->code;
  return mx_measure_collect(measures, index, 1, value, err);
}

size_t mx_measures_memory(const struct mx_measures *measures)
{
  size_t bytes = 0, most = 0;
  for (size_t i = 0; i < measures->count; i++) {
    const struct mx_measure *m = &measures->measure[i];
    if (m->scratch > most) most = m->scratch;
    bytes += m->kind->memory(m, measures->problem) + m->batch * m->parts * sizeof *m->part;
    if (dg_comm_rank(measures->problem->comm) == 0)
      bytes += m->values * sizeof(double) * (m->batch + 2 * m->config->frequencies.count);
  }
  return bytes + most * sizeof *measures->scratch;
}
