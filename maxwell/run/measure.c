#include "maxwell/run/measure.h"

#include <math.h>
#include <stdio.h>

#include "libdg/base/memory.h"

#define FIELD_COLUMNS "Ex,Ey,Ez,Hx,Hy,Hz"

const char *const mx_measure_folders[MX_MEASURE_KINDS] = {"probes",   "lines",    "planes", "fluxes",
                                                          "voltages", "currents", "losses"};
const char *const mx_measure_columns[MX_MEASURE_KINDS] = {
    FIELD_COLUMNS, "x,y,z," FIELD_COLUMNS, "x,y,z," FIELD_COLUMNS, "power", "voltage", "current", "power"};

void mx_measure_span(const struct dg_mesh *mesh, char *text, size_t size)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t v = 0; v < mesh->vertices; v++)
    for (int d = 0; d < 3; d++) {
      low[d] = fmin(low[d], mesh->vertex[v][d]);
      high[d] = fmax(high[d], mesh->vertex[v][d]);
    }
  snprintf(text, size, "(%g, %g, %g) to (%g, %g, %g) m", low[0], low[1], low[2], high[0], high[1], high[2]);
}

/* ---- points ---- */

static int place_points(struct mx_measure *measure, struct dg_error *err)
{
  const struct mx_measure_config *config = measure->config;
  const size_t *n = config->samples;
  measure->points = n[0] * n[1];
  measure->values = 6 * measure->points;
  if (DG_NEW(measure->x, measure->points, err) != 0) return err->code;
  for (size_t j = 0, i = 0; j < n[1]; j++)
    for (size_t k = 0; k < n[0]; k++, i++) {
      double u = n[0] > 1 ? (double)k / (double)(n[0] - 1) : 0, v = n[1] > 1 ? (double)j / (double)(n[1] - 1) : 0;
      for (int d = 0; d < 3; d++) {
        double x = config->point[0][d];
        /* the far end as it was given, not as it comes out of a sum */
        if (config->points > 1) x = u == 1 ? config->point[1][d] : x + u * (config->point[1][d] - config->point[0][d]);
        if (config->points > 2) x += v * (config->point[2][d] - config->point[0][d]);
        measure->x[i][d] = x;
      }
    }
  return 0;
}

static int fail_outside(const struct mx_measure *measure, const struct dg_mesh *mesh, struct dg_error *err)
{
  const struct mx_measure_config *config = measure->config;
  char span[200];
  mx_measure_span(mesh, span, sizeof span);
  if (config->kind == MX_PROBE)
    return dg_fail(err, DG_INPUT, MX_PLACE "probe '%s' at (%g, %g, %g) m is outside the mesh, which spans %s",
                   MX_AT(config->where), config->name, measure->x[0][0], measure->x[0][1], measure->x[0][2], span);
  return dg_fail(err, DG_INPUT, MX_PLACE "no point of %s '%s' is inside the mesh, which spans %s", MX_AT(config->where),
                 config->kind == MX_PROBE_LINE ? "line" : "plane", config->name, span);
}

static int locate_points(struct mx_measure *measure, const struct mx_problem *problem, const struct dg_mesh *mesh,
                         struct dg_error *err)
{
  size_t Np = (size_t)problem->ref->Np;
  int64_t *element = NULL;
  double(*bary)[4] = NULL;
  if (place_points(measure, err) != 0) return err->code;
  if (DG_NEW(element, measure->points, err) != 0 || DG_NEW(bary, measure->points, err) != 0 ||
      dg_mesh_locate_many(mesh, measure->points, (const double(*)[3])measure->x, element, bary, err) != 0)
    goto fail;
  for (size_t i = 0; i < measure->points; i++) measure->inside += element[i] >= 0;
  if (measure->inside == 0) {
    (void)fail_outside(measure, mesh, err);
    goto fail;
  }
  if (DG_NEW(measure->which, measure->inside, err) != 0 || DG_NEW(measure->point, measure->inside, err) != 0 ||
      DG_NEW(measure->weight, measure->inside * Np, err) != 0)
    goto fail;
  for (size_t i = 0, k = 0; i < measure->points; i++) {
    if (element[i] < 0) continue;
    double *weight = measure->weight + k * Np;
    dg_reference_interpolate(problem->ref, 2 * bary[i][1] - 1, 2 * bary[i][2] - 1, 2 * bary[i][3] - 1, weight);
    measure->which[k] = i;
    measure->point[k++] = (struct mx_point){.element = (size_t)element[i], .weight = weight};
  }
fail:
  dg_free(element);
  dg_free(bary);
  return err->code;
}

/* ---- all of them ---- */

static int init_one(struct mx_measure *measure, struct mx_problem *problem, const struct dg_mesh *mesh,
                    struct dg_log *log, struct dg_error *err)
{
  measure->values = 1;
  switch (measure->config->kind) {
  case MX_PROBE:
  case MX_PROBE_LINE:
  case MX_PROBE_PLANE:
    return locate_points(measure, problem, mesh, err);
  case MX_POYNTING:
    return mx_measure_surface(measure, problem, mesh, err);
  case MX_VOLTAGE:
  case MX_LOOP_CURRENT:
    return mx_measure_path(measure, problem, mesh, log, err);
  case MX_LOSS:
    return mx_measure_region(measure, problem, mesh, log, err);
  }
  DG_BUG_IF(1, "there is no measurement of kind %d", (int)measure->config->kind);
  return 0;
}

int mx_measures_init(struct mx_measures *measures, struct mx_problem *problem, const struct mx_config *config,
                     const struct dg_mesh *mesh, struct dg_log *log, struct dg_error *err)
{
  size_t most = 0;
  *measures = (struct mx_measures){.problem = problem};
  if (DG_NEW(measures->measure, config->output.measures, err) != 0) return err->code;
  for (size_t i = 0; i < config->output.measures; i++) {
    struct mx_measure *measure = &measures->measure[measures->count++];
    measure->config = &config->output.measure[i];
    if (init_one(measure, problem, mesh, log, err) != 0) return err->code;
    if (measure->inside > most) most = measure->inside;
    if (measure->nodes > most) most = measure->nodes;
  }
  return DG_NEW(measures->sample, most, err);
}

void mx_measures_release(struct mx_measures *measures)
{
  for (size_t i = 0; i < measures->count; i++) {
    struct mx_measure *measure = &measures->measure[i];
    dg_free(measure->x);
    dg_free(measure->which);
    dg_free(measure->point);
    dg_free(measure->weight);
    dg_free(measure->face);
    dg_free(measure->element);
  }
  dg_free(measures->measure);
  dg_free(measures->sample);
  *measures = (struct mx_measures){0};
}

int mx_measures_check_step(const struct mx_measures *measures, double step, struct dg_error *err)
{
  for (size_t i = 0; i < measures->count; i++) {
    const struct mx_measure_config *config = measures->measure[i].config;
    double highest = 0, limit = 0.5 / ((double)config->every * step);
    for (size_t k = 0; k < config->frequencies.count; k++) highest = fmax(highest, config->frequencies.hertz[k]);
    if (highest > limit)
      return dg_fail(err, DG_INPUT,
                     MX_PLACE
                     "output.%s: '%s' cannot tell %g Hz, a sample every %g s reaches to %.4g Hz; lower 'every' "
                     "or the frequency",
                     MX_AT(config->where), mx_measure_folders[config->kind], config->name, highest,
                     (double)config->every * step, limit);
  }
  return 0;
}

int mx_measure_evaluate(const struct mx_measures *measures, size_t index, const struct mx_backend_ops *ops,
                        struct mx_backend *backend, double *value, struct dg_error *err)
{
  const struct mx_measure *measure = &measures->measure[index];
  switch (measure->config->kind) {
  case MX_PROBE:
  case MX_PROBE_LINE:
  case MX_PROBE_PLANE:
    if (ops->sample(backend, measure->inside, measure->point, measures->sample, err) != 0) return err->code;
    if (measure->inside < measure->points)
      for (size_t i = 0; i < measure->values; i++) value[i] = NAN;
    for (size_t k = 0; k < measure->inside; k++)
      for (size_t c = 0; c < 6; c++) value[6 * measure->which[k] + c] = measures->sample[k][c] / (c < 3 ? 1 : MX_ETA0);
    return 0;
  case MX_POYNTING:
    if (ops->sample(backend, measure->nodes, measure->point, measures->sample, err) != 0) return err->code;
    *value = mx_measure_power(measure, measures->problem->ref, (const double(*)[6])measures->sample) / MX_ETA0;
    return 0;
  case MX_VOLTAGE:
  case MX_LOOP_CURRENT:
    if (ops->functionals(backend, measure->functional, 1, true, value, err) != 0) return err->code;
    if (measure->config->kind == MX_LOOP_CURRENT) *value /= MX_ETA0;
    return 0;
  case MX_LOSS:
    if (ops->loss(backend, measure->elements, measure->element, value, err) != 0) return err->code;
    *value /= MX_ETA0;
    return 0;
  }
  return 0;
}

size_t mx_measures_memory(const struct mx_measures *measures)
{
  size_t bytes = 0, Np = (size_t)measures->problem->ref->Np, most = 0;
  for (size_t i = 0; i < measures->count; i++) {
    const struct mx_measure *m = &measures->measure[i];
    size_t sampled = m->inside > m->nodes ? m->inside : m->nodes;
    if (sampled > most) most = sampled;
    bytes += m->points * sizeof *m->x + sampled * sizeof *m->point + m->faces * sizeof *m->face +
             m->elements * sizeof *m->element;
    bytes += m->inside * (sizeof *m->which + Np * sizeof *m->weight);
    bytes += m->values * sizeof(double) * (1 + 2 * m->config->frequencies.count);
    if (m->config->kind == MX_VOLTAGE || m->config->kind == MX_LOOP_CURRENT)
      bytes += measures->problem->functional[m->functional].count * (sizeof(size_t) + sizeof(double));
  }
  return bytes + most * sizeof *measures->sample;
}
