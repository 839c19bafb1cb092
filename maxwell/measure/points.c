/* Points of the mesh: their places, their ranks, and the fields there. Probes, lines and planes call it. */
#include "maxwell/measure/points.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/parts/partition.h"
#include "maxwell/problem/curved.h"

static int place_points(struct mx_measure *measure, struct dg_error *err)
{
  const struct mx_measure_config *config = measure->config;
  const size_t *n = config->samples;
  measure->rows = n[0] * n[1];
  if (DG_NEW(measure->x, measure->rows, err) != 0) return err->code;
  for (size_t j = 0, i = 0; j < n[1]; j++)
    for (size_t k = 0; k < n[0]; k++, i++) {
      double u = n[0] > 1 ? (double)k / (double)(n[0] - 1) : 0, v = n[1] > 1 ? (double)j / (double)(n[1] - 1) : 0;
      for (int d = 0; d < 3; d++) {
        double x = config->point[0][d];
        /* the far end is taken as it was given; a sum would round it */
        if (config->points > 1) x = u == 1 ? config->point[1][d] : x + u * (config->point[1][d] - config->point[0][d]);
        if (config->points > 2) x += v * (config->point[2][d] - config->point[0][d]);
        measure->x[i][d] = x;
      }
    }
  return 0;
}

/* Rank 0 learns which points the others have. */

static int share_places(struct mx_measured_points *points, struct dg_comm *comm, struct dg_error *err)
{
  size_t *own = points->which, ranks = (size_t)dg_comm_size(comm);
  points->which = NULL;
  if (DG_NEW(points->inside_of, ranks, err) == 0 &&
      dg_comm_gather(comm, points->inside * sizeof *own, own, &points->which, points->inside_of, err) == 0 &&
      dg_comm_rank(comm) == 0) {
    dg_free(own);
    points->placed = 0;
    for (size_t r = 0; r < ranks; r++) {
      points->inside_of[r] /= sizeof *own;
      points->placed += points->inside_of[r];
    }
    return 0;
  }
  dg_free(points->inside_of);
  dg_free(points->which);
  points->inside_of = NULL;
  points->which = own;
  return err->code;
}

/* Gives the points in curved elements their frames. */
static int set_frames(struct mx_measured_points *points, const struct mx_problem *problem, const int64_t *element,
                      const double (*bary)[4], size_t rows, struct dg_error *err)
{
  size_t curved = 0, k = 0, at = 0;
  if (problem->curves.count == 0) return 0;
  for (size_t i = 0; i < rows; i++) curved += element[i] >= 0 && mx_curve_find(problem, (size_t)element[i]) >= 0;
  points->curved = curved;
  if (DG_NEW(points->metric, curved, err) != 0) return err->code;
  for (size_t i = 0; i < rows; i++) {
    if (element[i] < 0) continue;
    struct mx_point *point = &points->point[points->sets * k++];
    const double place[3] = {2 * bary[i][1] - 1, 2 * bary[i][2] - 1, 2 * bary[i][3] - 1};
    if (mx_curve_find(problem, point->element) < 0) continue;
    (void)mx_element_metric(problem, point->element, place, points->metric[at]);
    for (size_t set = 0; set < points->sets; set++) point[set].metric = points->metric[at];
    at++;
  }
  return 0;
}

int mx_points_finish(struct mx_reader *r, const struct mx_value *item, struct mx_measure_draft *draft)
{
  draft->measure.where = mx_find_value(item, "at")->where; /* a message about a well-formed place is about its place */
  if (mx_measure_set_points(r, &draft->measure, 1) != 0) return r->err->code;
  mx_measure_set_point(&draft->measure.point[0], draft->at, NULL);
  draft->measure.samples[0] = draft->measure.samples[1] = 1;
  return 0;
}

int mx_points_init(struct mx_measure *measure, const struct mx_measure_scene *scene, struct dg_error *err)
{
  const struct mx_problem *problem = scene->problem;
  struct mx_measured_points *points;
  size_t Np = (size_t)problem->ref->Np, somewhere = 0;
  int64_t *element = NULL;
  double(*bary)[4] = NULL;
  if (DG_NEW(points, 1, err) != 0) return err->code;
  measure->own = points;
  points->sets = problem->paired ? 2 : 1;
  if (place_points(measure, err) != 0) return err->code;
  if (DG_NEW(element, measure->rows, err) != 0 || DG_NEW(bary, measure->rows, err) != 0 ||
      dg_mesh_locate_shared(scene->mesh, problem->comm, measure->rows, (const double(*)[3])measure->x, element, bary,
                            err) != 0)
    goto fail;
  measure->sets = points->sets;
  measure->values = 6 * points->sets * measure->rows;
  if (problem->paired)
    measure->columns = measure->kind->columns[0] == 'x' ? "x,y,z," MX_COMPLEX_COLUMNS : MX_COMPLEX_COLUMNS;
  for (size_t i = 0; i < measure->rows; i++) {
    somewhere += element[i] != DG_NOWHERE;
    points->inside += element[i] >= 0;
  }
  points->somewhere = somewhere > 0;
  if (somewhere == 0) goto fail; /* the kind reports that no point is in the mesh */
  measure->parts = 6 * points->sets * points->inside;
  points->placed = points->inside;
  if (DG_NEW(points->which, points->inside, err) != 0 ||
      DG_NEW(points->point, points->sets * points->inside, err) != 0 ||
      DG_NEW(points->weight, points->inside * Np, err) != 0)
    goto fail;
  for (size_t i = 0, k = 0; i < measure->rows; i++) {
    if (element[i] < 0) continue;
    double *weight = points->weight + k * Np;
    dg_reference_interpolate(problem->ref, 2 * bary[i][1] - 1, 2 * bary[i][2] - 1, 2 * bary[i][3] - 1, weight);
    points->which[k] = i;
    for (size_t set = 0; set < points->sets; set++)
      points->point[points->sets * k + set] = (struct mx_point){.element = (size_t)element[i] + set, .weight = weight};
    k++;
  }
  if (set_frames(points, problem, element, (const double(*)[4])bary, measure->rows, err) != 0 ||
      share_places(points, problem->comm, err) != 0)
    goto fail;
  for (size_t r = 1; points->inside_of != NULL && r < (size_t)dg_comm_size(problem->comm); r++) {
    const size_t numbers = 6 * points->sets * mx_measure_batch(measure->values) * points->inside_of[r];
    if (numbers > measure->scratch) measure->scratch = numbers;
  }
fail:
  dg_free(element);
  dg_free(bary);
  return err->code;
}

int mx_points_outside(const struct mx_measure *measure, const struct mx_measure_scene *scene, const char *what,
                      struct dg_error *err)
{
  char span[300];
  if (mx_measure_span(scene->mesh, scene->problem->comm, measure->rows, (const double(*)[3])measure->x, span,
                      sizeof span, err) != 0)
    return err->code;
  return dg_fail(err, DG_INPUT, MX_PLACE "no point of %s '%s' is inside the mesh, %s", MX_AT(measure->config->where),
                 what, measure->config->name, span);
}

void mx_points_to_si(const struct mx_measure *measure, double *part)
{
  for (size_t i = 0; i < measure->parts; i++) part[i] /= i % 6 < 3 ? 1 : MX_ETA0;
}

int mx_points_take(const struct mx_measure *measure, const struct mx_problem *problem, const struct mx_backend_ops *ops,
                   struct mx_backend *backend, double *part, double *scratch, struct dg_error *err)
{
  const struct mx_measured_points *points = measure->own;
  (void)problem, (void)scratch;
  if (ops->sample(backend, points->sets * points->inside, points->point, (double(*)[6])part, err) != 0)
    return err->code;
  mx_points_to_si(measure, part);
  return 0;
}

struct mx_monitor mx_points_watch(const struct mx_measure *measure)
{
  const struct mx_measured_points *points = measure->own;
  return (struct mx_monitor){.points = points->sets * points->inside, .point = points->point};
}

/* Spreads the points with indices which[count]: from part[rows][count][n] to value[rows][points][n], n numbers each. */
static void place_values(const struct mx_measure *measure, size_t rows, size_t count, const size_t *which,
                         const double *part, double *value)
{
  const size_t n = measure->values / measure->rows;
  for (size_t row = 0; row < rows; row++)
    for (size_t k = 0; k < count; k++)
      memcpy(value + row * measure->values + n * which[k], part + n * (row * count + k), n * sizeof *value);
}

int mx_points_collect(const struct mx_measure *measure, struct dg_comm *comm, size_t rows, double *value,
                      double *scratch, struct dg_error *err)
{
  const struct mx_measured_points *points = measure->own;
  size_t width = 6 * points->sets * rows * sizeof *value, ranks = (size_t)dg_comm_size(comm);
  if (dg_comm_rank(comm) != 0 && points->inside > 0)
    return dg_comm_send(comm, 0, width * points->inside, measure->part, err);
  if (dg_comm_rank(comm) != 0) return 0;
  if (points->placed < measure->rows)
    for (size_t i = 0; i < rows * measure->values; i++) value[i] = NAN;
  place_values(measure, rows, points->inside, points->which, measure->part, value);
  const size_t *which = points->which + points->inside;
  for (size_t r = 1; r < ranks; r++) {
    size_t count = points->inside_of[r];
    if (count > 0 && dg_comm_receive(comm, (int)r, width * count, scratch, err) != 0) return err->code;
    place_values(measure, rows, count, which, scratch, value);
    which += count;
  }
  return 0;
}

size_t mx_points_memory(const struct mx_measure *measure, const struct mx_problem *problem)
{
  const struct mx_measured_points *points = measure->own;
  return measure->rows * sizeof *measure->x + points->sets * points->inside * sizeof *points->point +
         points->inside * (size_t)problem->ref->Np * sizeof *points->weight + points->curved * sizeof *points->metric +
         points->placed * sizeof *points->which;
}

void mx_points_release(struct mx_measure *measure)
{
  struct mx_measured_points *points = measure->own;
  dg_free(points->which);
  dg_free(points->inside_of);
  dg_free(points->point);
  dg_free(points->weight);
  dg_free(points->metric);
}

ptrdiff_t mx_points_element(const struct mx_measure *measure)
{
  const struct mx_measured_points *points = measure->own;
  return points->inside > 0 ? (ptrdiff_t)points->point[0].element : -1;
}
