/* Measures from the script's lists to points, functionals and surfaces of the mesh, and their values at a time. The
 * set-up makes them; measure_record.c asks for values. */
#include "maxwell/measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/mesh/parts/partition.h"

#define FIELD_COLUMNS "Ex,Ey,Ez,Hx,Hy,Hz"

const char *const mx_measure_folders[MX_MEASURE_KINDS] = {"probes",   "lines",    "planes", "fluxes",
                                                          "voltages", "currents", "losses"};
const char *const mx_measure_columns[MX_MEASURE_KINDS] = {
    FIELD_COLUMNS, "x,y,z," FIELD_COLUMNS, "x,y,z," FIELD_COLUMNS, "power", "voltage", "current", "power"};

int mx_measure_span(const struct dg_mesh *mesh, struct dg_comm *comm, size_t count, const double (*point)[3],
                    char *text, size_t size, struct dg_error *err)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t v = 0; v < mesh->vertices; v++)
    for (int d = 0; d < 3; d++) {
      low[d] = fmin(low[d], mesh->vertex[v][d]);
      high[d] = fmax(high[d], mesh->vertex[v][d]);
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

static int fail_outside(const struct mx_measure *measure, struct dg_comm *comm, const struct dg_mesh *mesh,
                        struct dg_error *err)
{
  const struct mx_measure_config *config = measure->config;
  char span[300];
  if (mx_measure_span(mesh, comm, measure->points, (const double(*)[3])measure->x, span, sizeof span, err) != 0)
    return err->code;
  if (config->kind == MX_PROBE)
    return dg_fail(err, DG_INPUT, MX_PLACE "probe '%s' at (%g, %g, %g) m is outside the mesh, %s", MX_AT(config->where),
                   config->name, measure->x[0][0], measure->x[0][1], measure->x[0][2], span);
  return dg_fail(err, DG_INPUT, MX_PLACE "no point of %s '%s' is inside the mesh, %s", MX_AT(config->where),
                 config->kind == MX_PROBE_LINE ? "line" : "plane", config->name, span);
}

/* Rank 0 learns which points the others have. */
static int share_places(struct mx_measure *measure, struct dg_comm *comm, struct dg_error *err)
{
  size_t *own = measure->which, ranks = (size_t)dg_comm_size(comm);
  measure->which = NULL;
  if (DG_NEW(measure->inside_of, ranks, err) == 0 &&
      dg_comm_gather(comm, measure->inside * sizeof *own, own, &measure->which, measure->inside_of, err) == 0 &&
      dg_comm_rank(comm) == 0) {
    dg_free(own);
    measure->placed = 0;
    for (size_t r = 0; r < ranks; r++) {
      measure->inside_of[r] /= sizeof *own;
      measure->placed += measure->inside_of[r];
    }
    return 0;
  }
  dg_free(measure->inside_of);
  dg_free(measure->which);
  measure->inside_of = NULL;
  measure->which = own;
  return err->code;
}

static int locate_points(struct mx_measure *measure, const struct mx_problem *problem, const struct dg_mesh *mesh,
                         struct dg_error *err)
{
  size_t Np = (size_t)problem->ref->Np, somewhere = 0;
  int64_t *element = NULL;
  double(*bary)[4] = NULL;
  if (place_points(measure, err) != 0) return err->code;
  if (DG_NEW(element, measure->points, err) != 0 || DG_NEW(bary, measure->points, err) != 0 ||
      dg_mesh_locate_shared(mesh, problem->comm, measure->points, (const double(*)[3])measure->x, element, bary, err) !=
          0)
    goto fail;
  for (size_t i = 0; i < measure->points; i++) {
    somewhere += element[i] != DG_NOWHERE;
    measure->inside += element[i] >= 0;
  }
  if (somewhere == 0) {
    (void)fail_outside(measure, problem->comm, mesh, err);
    goto fail;
  }
  measure->parts = 6 * measure->inside;
  measure->placed = measure->inside;
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
  (void)!share_places(measure, problem->comm, err);
fail:
  dg_free(element);
  dg_free(bary);
  return err->code;
}

/* ---- all of them ---- */

static int init_one(struct mx_measure *measure, struct mx_problem *problem, const struct dg_mesh *mesh,
                    struct dg_log *log, struct dg_error *err)
{
  measure->values = measure->parts = 1;
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

/* Few enough times that they take at most about 1 MB on rank 0. */
static size_t batch_of(const struct mx_measure *measure)
{
  enum { MOST = 64, NUMBERS = 1 << 17 };
  size_t fitting = NUMBERS / measure->values;
  if (fitting == 0) return 1;
  return fitting < MOST ? fitting : MOST;
}

int mx_measures_init(struct mx_measures *measures, struct mx_problem *problem, const struct mx_config *config,
                     const struct dg_mesh *mesh, struct dg_log *log, struct dg_error *err)
{
  size_t nodes = 0, received = 0, ranks = (size_t)dg_comm_size(problem->comm);
  *measures = (struct mx_measures){.problem = problem};
  if (DG_NEW(measures->measure, config->output.measures, err) != 0) return err->code;
  for (size_t i = 0; i < config->output.measures; i++) {
    struct mx_measure *measure = &measures->measure[measures->count++];
    measure->config = &config->output.measure[i];
    if (init_one(measure, problem, mesh, log, err) != 0) return err->code;
    measure->batch = batch_of(measure);
    if (DG_NEW(measure->part, measure->batch * measure->parts, err) != 0) return err->code;
    if (measure->nodes > nodes) nodes = measure->nodes;
    for (size_t r = 1; measure->inside_of != NULL && r < ranks; r++)
      if (6 * measure->batch * measure->inside_of[r] > received) received = 6 * measure->batch * measure->inside_of[r];
  }
  if (DG_NEW(measures->sample, nodes, err) != 0) return err->code;
  return DG_NEW(measures->received, received, err);
}

void mx_measures_release(struct mx_measures *measures)
{
  for (size_t i = 0; i < measures->count; i++) {
    struct mx_measure *measure = &measures->measure[i];
    dg_free(measure->part);
    dg_free(measure->x);
    dg_free(measure->which);
    dg_free(measure->inside_of);
    dg_free(measure->point);
    dg_free(measure->weight);
    dg_free(measure->face);
    dg_exchange_free(measure->exchange);
    dg_free(measure->element);
  }
  dg_free(measures->measure);
  dg_free(measures->sample);
  dg_free(measures->received);
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

/* What a backend gives of points, voltages and currents. */
static void to_si(const struct mx_measure *measure, double *part)
{
  const enum mx_measure_kind kind = measure->config->kind;
  for (size_t i = 0; kind <= MX_PROBE_PLANE && i < measure->parts; i++) part[i] /= i % 6 < 3 ? 1 : MX_ETA0;
  if (kind == MX_LOOP_CURRENT) *part /= MX_ETA0;
}

void mx_measure_put(const struct mx_measures *measures, size_t index, size_t row, const double *value)
{
  const struct mx_measure *measure = &measures->measure[index];
  double *part = measure->part + row * measure->parts;
  if (measure->parts > 0) memcpy(part, value, measure->parts * sizeof *part);
  to_si(measure, part);
}

int mx_measure_take(const struct mx_measures *measures, size_t index, size_t row, const struct mx_backend_ops *ops,
                    struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_measure *measure = &measures->measure[index];
  double *part = measure->part + row * measure->parts;
  switch (measure->config->kind) {
  case MX_PROBE:
  case MX_PROBE_LINE:
  case MX_PROBE_PLANE:
    if (ops->sample(backend, measure->inside, measure->point, (double(*)[6])part, err) != 0) return err->code;
    to_si(measure, part);
    return 0;
  case MX_POYNTING:
    if (ops->sample(backend, measure->nodes, measure->point, measures->sample, err) != 0 ||
        mx_measure_power(measure, measures->problem->ref, (const double(*)[6])measures->sample, part, err) != 0)
      return err->code;
    *part /= MX_ETA0;
    return 0;
  case MX_VOLTAGE:
  case MX_LOOP_CURRENT:
    if (ops->functionals(backend, measure->functional, 1, true, part, err) != 0) return err->code;
    to_si(measure, part);
    return 0;
  case MX_LOSS:
    if (ops->loss(backend, measure->elements, measure->element, part, err) != 0) return err->code;
    *part /= MX_ETA0;
    return 0;
  }
  return 0;
}

/* Of points with indices which[count], from part[rows][count][6] to value[rows][points][6]. */
static void place_values(const struct mx_measure *measure, size_t rows, size_t count, const size_t *which,
                         const double *part, double *value)
{
  for (size_t row = 0; row < rows; row++)
    for (size_t k = 0; k < count; k++)
      memcpy(value + row * measure->values + 6 * which[k], part + 6 * (row * count + k), 6 * sizeof *value);
}

static int collect_points(const struct mx_measures *measures, const struct mx_measure *measure, size_t rows,
                          double *value, struct dg_error *err)
{
  struct dg_comm *comm = measures->problem->comm;
  size_t width = 6 * rows * sizeof *value, ranks = (size_t)dg_comm_size(comm);
  if (dg_comm_rank(comm) != 0 && measure->inside > 0)
    return dg_comm_send(comm, 0, width * measure->inside, measure->part, err);
  if (dg_comm_rank(comm) != 0) return 0;
  if (measure->placed < measure->points)
    for (size_t i = 0; i < rows * measure->values; i++) value[i] = NAN;
  place_values(measure, rows, measure->inside, measure->which, measure->part, value);
  const size_t *which = measure->which + measure->inside;
  for (size_t r = 1; r < ranks; r++) {
    size_t count = measure->inside_of[r];
    if (count > 0 && dg_comm_receive(comm, (int)r, width * count, measures->received, err) != 0) return err->code;
    place_values(measure, rows, count, which, measures->received, value);
    which += count;
  }
  return 0;
}

int mx_measure_collect(const struct mx_measures *measures, size_t index, size_t rows, double *value,
                       struct dg_error *err)
{
  const struct mx_measure *measure = &measures->measure[index];
  struct dg_comm *comm = measures->problem->comm;
  if (measure->config->kind <= MX_PROBE_PLANE) return collect_points(measures, measure, rows, value, err);
  if (dg_comm_reduce_to_root(comm, DG_SUM, rows, measure->part, err) != 0) return err->code;
  if (dg_comm_rank(comm) == 0) memcpy(value, measure->part, rows * sizeof *value);
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
  size_t bytes = 0, Np = (size_t)measures->problem->ref->Np, most = 0;
  for (size_t i = 0; i < measures->count; i++) {
    const struct mx_measure *m = &measures->measure[i];
    if (m->nodes > most) most = m->nodes;
    bytes += m->points * sizeof *m->x + (m->inside + m->nodes) * sizeof *m->point + m->faces * sizeof *m->face +
             m->elements * sizeof *m->element;
    bytes += m->inside * Np * sizeof *m->weight + m->placed * sizeof *m->which;
    bytes += m->batch * m->parts * sizeof *m->part;
    if (dg_comm_rank(measures->problem->comm) == 0)
      bytes += m->values * sizeof(double) * (m->batch + 2 * m->config->frequencies.count);
    if (m->config->kind == MX_VOLTAGE || m->config->kind == MX_LOOP_CURRENT)
      bytes += measures->problem->functional[m->functional].count * (sizeof(size_t) + sizeof(double));
  }
  return bytes + most * sizeof *measures->sample;
}
