/* Polarisations: what the poles of the medium hold at a point. The table at the end of this file is the kind; kinds.c
 * lists it. The states come from the backend as a checkpoint would have them, and E as a probe has it. */
#include <string.h>

#include "maxwell/backend/frame/frame.h"
#include "maxwell/terms/terms.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/measure/points.h"
#include "maxwell/problem/curved.h"
#include "maxwell/response/pole_rows.h"

/* The numbers that come from the backend: the states of an entry. */
static size_t state_numbers(const struct mx_problem *problem)
{
  return (size_t)MX_POLE_STATES * 3 * (size_t)problem->ref->Np;
}

static int init(struct mx_measure *measure, const struct mx_measure_scene *scene, struct dg_error *err)
{
  const struct mx_measure_config *config = measure->config;
  const struct mx_problem *problem = scene->problem;
  if (mx_points_init(measure, scene, err) != 0) return err->code;
  const struct mx_measured_points *points = measure->own;
  if (!points->somewhere) return mx_points_outside(measure, scene, "polarisation", err);
  int64_t answers = 0;
  size_t entry;
  for (size_t i = 0; i < points->inside; i++)
    answers += mx_problem_poles(problem, MX_AMPERE, points->point[i].element, &entry) != NULL;
  if (dg_comm_reduce_int(problem->comm, DG_SUM, 1, &answers, err) != 0) return err->code;
  if (answers == 0)
    dg_log_warning(scene->log, "output.polarisations: the medium at '%s' has no poles of epsilon_r; all stays zero",
                   config->name);
  if (measure->scratch < state_numbers(problem)) measure->scratch = state_numbers(problem);
  return 0;
}

/* The covariant components of a vector at a node of a curved element: a backend with Cartesian ones interpolates these,
 * as it does for a probe. */
static void turn_node(const struct mx_problem *problem, const struct mx_point *point, size_t node, const double v[3],
                      double u[3])
{
  const struct dg_reference *ref = problem->ref;
  const double place[3] = {ref->r[node], ref->s[node], ref->t[node]};
  double metric[9], x[3][3];
  (void)mx_element_metric(problem, point->element, place, metric);
  (void)mx_frame_tangents(metric, x);
  for (int a = 0; a < 3; a++) u[a] = x[a][0] * v[0] + x[a][1] * v[1] + x[a][2] * v[2];
}

/* A row in the states (struct mx_square without its weight) and E at the point, Cartesian. */
static void row_at(const struct mx_problem *problem, enum mx_components components, const struct mx_point *point,
                   int states, const struct mx_square *row, const double *state, const double E[3], double value[3])
{
  const size_t Np = (size_t)problem->ref->Np;
  const bool covariant = components != MX_CARTESIAN || point->metric != NULL;
  double u[3] = {0, 0, 0}, g[3][3];
  for (size_t i = 0; i < Np; i++) {
    double v[3] = {0, 0, 0}, turned[3];
    for (size_t q = 0; q < (size_t)states; q++)
      for (size_t c = 0; c < 3; c++) v[c] += row->state[q] * state[(3 * q + c) * Np + i];
    memcpy(turned, v, sizeof v);
    if (covariant && components == MX_CARTESIAN) turn_node(problem, point, i, v, turned);
    for (size_t c = 0; c < 3; c++) u[c] += point->weight[i] * turned[c];
  }
  if (covariant) mx_frame_gradients(point->metric != NULL ? point->metric : problem->metric[point->element], g);
  for (size_t c = 0; c < 3; c++)
    value[c] = row->field * E[c] + (covariant ? g[0][c] * u[0] + g[1][c] * u[1] + g[2][c] * u[2] : u[c]);
}

static int take(const struct mx_measure *measure, const struct mx_problem *problem, const struct mx_backend_ops *ops,
                struct mx_backend *backend, double *part, double *scratch, struct dg_error *err)
{
  const struct mx_measured_points *points = measure->own;
  for (size_t i = 0; i < points->inside; i++) {
    const struct mx_point *point = &points->point[i];
    double followed[MX_RESPONSE_PARAMETERS], field[1][6];
    struct mx_square polarisation, current;
    size_t k;
    const struct mx_response *response = mx_problem_poles(problem, MX_AMPERE, point->element, &k);
    memset(part + 6 * i, 0, 6 * sizeof *part);
    if (response == NULL) continue;
    const int states = mx_responses[response->kind]->states;
    const struct mx_backend_options *options = &measure->options;
    const struct mx_response_scheme scheme = mx_response_scheme(options->integrator, options->step);
    (void)mx_response_follow(problem, response, k, options->integrator, options->step, followed);
    if (mx_responses[response->kind]->vector) mx_gyrotropic_rows(followed, &polarisation, &current);
    else mx_pole_rows(&scheme, followed, &polarisation, &current);
    const int array = mx_state_of_response(problem, (size_t)(response - problem->response));
    if (ops->sample(backend, 1, point, field, err) != 0 || ops->save(backend, array, k, 1, scratch, err) != 0)
      return err->code;
    row_at(problem, ops->components, point, states, &polarisation, scratch, field[0], part + 6 * i);
    row_at(problem, ops->components, point, states, &current, scratch, field[0], part + 6 * i + 3);
    for (int c = 0; c < 3; c++) {
      part[6 * i + (size_t)c] *= MX_EPSILON0;
      part[6 * i + 3 + (size_t)c] /= MX_ETA0;
    }
  }
  return 0;
}

static const struct mx_rule rules[] = {
    MX_MEASURE_RULES("name = \"core\""),
    {"at", mx_read_triple, MX_DRAFT(at), .expected = MX_POINT_EXPECTED, .example = "at = { 0.4, 0.5, 0.3 }"},
};
const struct mx_measure_kind mx_polarisations = {
    .reads = {.key = "polarisations",
              .title = "Polarisation",
              .list = "a list, as in polarisations = { { name = \"core\", at = { 0.4, 0.5, 0.3 } } }",
              .item = "a table, as in { name = \"core\", at = { 0.4, 0.5, 0.3 } }",
              .rules = MX_COUNT(rules),
              .rule = rules,
              .finish = mx_points_finish},
    .columns = "Px,Py,Pz,Jx,Jy,Jz",
    .init = init,
    .release = mx_points_release,
    .take = take,
    .collect = mx_points_collect,
    .memory = mx_points_memory,
};
