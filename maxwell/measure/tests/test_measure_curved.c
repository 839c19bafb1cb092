/* Measures on a bent box. With maps of order 2, fields that are linear in space are polynomials of degree 3 in
 * covariant components, so that from order 3 on their measures have closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/bend.h"
#include "libdg/mesh/find/segment.h"
#include "libdg/ref/rule.h"
#include "maxwell/measure/kinds.h"

static const double size[3] = {1.2, 0.8, 0.6};

static void make_box(struct box *box, int order, struct mx_measure_config *measure, size_t measures)
{
  static const int cells[3] = {4, 2, 2};
  *box = (struct box){0};
  box_mesh(box, cells, size, 0.2, NULL);
  box_bend(box, 2, 0.4, 0.6);
  box_material(box, 1, 1, 1, 0);
  box_material(box, 2, 2, 1, 0);
  box->config.output.measures = measures;
  box->config.output.measure = measure;
  box_problem(box, order, 1);
}

/* value[] of every measure of E and H (V/m). */
static void measure_on(const struct mx_backend_ops *ops, struct box *box,
                       void (*E)(const double x[3], double t, double value[3]),
                       void (*H)(const double x[3], double t, double value[3]), double *value)
{
  struct mx_measures measures;
  struct dg_error err = {0};
  double *e = box_field(box), *h = box_field(box);
  box_evaluate(box, E, 0, e);
  box_evaluate(box, H, 0, h);
  for (size_t i = 0; i < 3 * (size_t)box->ref.Np * box->mesh.K; i++) h[i] *= MX_ETA0;
  if (mx_measures_init(&measures, &box->problem, &box->config, &box->mesh, NULL, &err) != 0)
    fail_msg("%s", err.message);
  struct drive drive = drive_new(ops, box, MX_RK4, MX_DOUBLE, 1e-4, e, h);
  drive_observe(&drive);
  for (size_t i = 0; i < measures.count; i++) {
    assert_int_equal(mx_measure_evaluate(&measures, i, drive.ops, drive.backend, value, &err), 0);
    value += measures.measure[i].values;
  }
  drive.ops->destroy(drive.backend);
  mx_measures_release(&measures);
  free(e);
  free(h);
}

static void near(double value, double expected, double scale)
{
  if (!(fabs(value - expected) <= 1e-12 * scale)) fail_msg("%.17g is not %.17g", value, expected);
}

/* E = grad of phi = x y - z^2 / 2 + y; H with curl (0, 0, 2) */
static double phi(const double x[3]) { return x[0] * x[1] - 0.5 * x[2] * x[2] + x[1]; }
static void gradient(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = x[1], value[1] = x[0] + 1, value[2] = -x[2];
}
static void turning(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = -x[1], value[1] = x[0], value[2] = 3;
}

static void points_paths_and_loops(const struct mx_backend_ops *ops)
{
  double at[1][3] = {{0.93, 0.41, 0.33}}, line[2][3] = {{0.1, 0.3, 0.3}, {1.1, 0.5, 0.4}};
  double path[4][3] = {{0.1, 0.1, 0.1}, {1.1, 0.6, 0.2}, {0.1, 0.7, 0.5}, {1.15, 0.3, 0.3}}, ends[2][3];
  double loop[3][3] = {{0.2, 0.2, 0.2}, {1.1, 0.3, 0.4}, {0.6, 0.7, 0.5}};
  memcpy(ends[0], path[0], sizeof ends[0]);
  memcpy(ends[1], path[3], sizeof ends[1]);
  struct mx_measure_config measure[] = {
      {.kind = &mx_probes.reads, .name = "a", .points = 1, .point = at, .samples = {1, 1}},
      {.kind = &mx_lines.reads, .name = "b", .points = 2, .point = line, .samples = {7, 1}},
      {.kind = &mx_voltages.reads, .name = "c", .points = 4, .point = path},
      {.kind = &mx_voltages.reads, .name = "d", .points = 2, .point = ends},
      {.kind = &mx_currents.reads, .name = "e", .points = 3, .point = loop},
  };
  for (int order = 3; order <= 5; order++) {
    struct box box;
    double value[6 * 8 + 3];
    make_box(&box, order, measure, 5);
    measure_on(ops, &box, gradient, turning, value);
    for (int i = 0; i < 8; i++) {
      double x[3], E[3], H[3];
      for (int d = 0; d < 3; d++) x[d] = i == 0 ? at[0][d] : line[0][d] + (i - 1) / 6.0 * (line[1][d] - line[0][d]);
      gradient(x, 0, E);
      turning(x, 0, H);
      for (int c = 0; c < 3; c++) {
        near(value[6 * i + c], E[c], 1);
        near(value[6 * i + 3 + c], H[c], 1);
      }
    }
    const double difference = phi(path[3]) - phi(path[0]);
    near(value[48], difference, 1);
    near(value[49], difference, 1);
    const double *a = loop[0], *b = loop[1], *c = loop[2];
    near(value[50], (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]), 1);
    box_release(&box);
  }
}

/* E x H = (x, 0, 0), and (0, -1, 0) */
static void growing(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = 0, value[1] = x[0], value[2] = 0;
}
static void steady(const double x[3], double t, double value[3])
{
  (void)t, (void)x;
  value[0] = 1, value[1] = 0, value[2] = 0;
}
static void upwards(const double x[3], double t, double value[3])
{
  (void)t, (void)x;
  value[0] = 0, value[1] = 0, value[2] = 1;
}

/* The volume of an entity by the rule of integration. */
static double volume_of(const struct box *box, int tag)
{
  struct dg_quadrature rule;
  struct dg_error err = {0};
  double volume = 0;
  assert_int_equal(dg_quadrature_init(&rule, &box->ref, &err), 0);
  for (size_t e = 0; e < box->mesh.K; e++)
    for (int q = 0; q < rule.volume.points && box->mesh.entity[box->mesh.volume[e]].tag == tag; q++) {
      double x[3][3], normal[3];
      dg_mesh_map(&box->mesh, e, rule.place[q], NULL, x);
      normal[0] = x[1][1] * x[2][2] - x[1][2] * x[2][1];
      normal[1] = x[1][2] * x[2][0] - x[1][0] * x[2][2];
      normal[2] = x[1][0] * x[2][1] - x[1][1] * x[2][0];
      volume += 4.0 / 3 * rule.volume.weight[q] * fabs(x[0][0] * normal[0] + x[0][1] * normal[1] + x[0][2] * normal[2]);
    }
  dg_quadrature_release(&rule);
  return volume;
}

/* The power out of a region is the integral of the divergence of E x H. */
static void fluxes_obey_gauss(const struct mx_backend_ops *ops)
{
  struct mx_measure_config measure[8];
  for (int i = 0; i < 8; i++)
    measure[i] = (struct mx_measure_config){.kind = &mx_fluxes.reads,
                                            .name = "s",
                                            .on = {.tag = i < 7 ? i + 1 : 7},
                                            .has_direction = i >= 6,
                                            .direction = {i == 7 ? -1 : 1, 0, 0}};
  for (int order = 3; order <= 5; order++) {
    struct box box;
    double value[8], sum = 0;
    make_box(&box, order, measure, 8);
    measure_on(ops, &box, growing, upwards, value);
    for (int i = 0; i < 6; i++) sum += value[i];
    near(sum, volume_of(&box, 1) + volume_of(&box, 2), 1);
    near(value[7], -value[6], 1);
    measure_on(ops, &box, steady, upwards, value);
    sum = 0;
    for (int i = 0; i < 6; i++) sum += value[i];
    near(sum, 0, 1);
    assert_true(fabs(value[6]) > 1e-3); /* the plane between is bent */
    box_release(&box);
  }
}

/* A constant field loses sigma E.E times the volume, also in the product of the weight-adjusted inverse: with maps of
 * order 2 the contravariant density of a constant is a polynomial of degree 2. */
static void losses_have_the_volume(const struct mx_backend_ops *ops)
{
  struct mx_measure_config measure = {.kind = &mx_losses.reads, .name = "s", .on = {.tag = 2}};
  double off[2];
  for (int order = 3; order <= 5; order += 2) {
    struct box box;
    double value;
    make_box(&box, order, &measure, 1);
    for (size_t e = 0; e < box.mesh.K; e++) box.problem.sigma[e] = 0.3 * MX_ETA0;
    measure_on(ops, &box, steady, upwards, &value);
    off[order > 3] = fabs(value / (0.3 * volume_of(&box, 2)) - 1);
    box_release(&box);
  }
  print_message("%s: losses are off by %.2g at order 3, %.2g at order 5\n", ops->name, off[0], off[1]);
  assert_true(off[0] < 1e-12 && off[1] < 1e-12);
}

static void on_every_backend(void (*check)(const struct mx_backend_ops *ops))
{
  for (int i = 0; mx_backends[i] != NULL; i++) {
    struct dg_error err = {0};
    if (mx_backends[i]->available(&err) == 0) check(mx_backends[i]);
  }
}

/* Pieces of paths follow each other without gaps on bent boxes whose elements a segment often only grazes. */
static void test_paths_have_no_gaps(void **state)
{
  (void)state;
  const double path[5][3] = {{0.1, 0.1, 0.1}, {1.1, 0.6, 0.2}, {0.1, 0.7, 0.5}, {1.15, 0.3, 0.3}, {0.2, 0.2, 0.2}};
  static const int cells[3] = {4, 2, 2};
  for (int mesh = 0; mesh < 60; mesh++) {
    struct box box = {0};
    struct dg_path cut;
    struct dg_error err = {0};
    double end = 1;
    box_mesh(&box, cells, size, 0.2, NULL);
    box_bend(&box, 2, 0.4, 0.6);
    if (dg_path_cut(&cut, &box.mesh, NULL, 5, path, false, &err) != 0) fail_msg("%s", err.message);
    for (size_t i = 0; i < cut.pieces; i++) {
      const bool first = i == 0 || cut.piece[i].segment != cut.piece[i - 1].segment;
      if (first) near(end, 1, 1);
      near(cut.piece[i].begin, first ? 0 : end, 1);
      end = cut.piece[i].end;
    }
    near(end, 1, 1);
    near(cut.outside, 0, 1);
    dg_path_release(&cut);
    box_release(&box);
  }
}

static void test_points_paths_and_loops(void **state)
{
  (void)state;
  on_every_backend(points_paths_and_loops);
}

static void test_fluxes_obey_gauss(void **state)
{
  (void)state;
  on_every_backend(fluxes_obey_gauss);
}

static void test_losses_have_the_volume(void **state)
{
  (void)state;
  on_every_backend(losses_have_the_volume);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_points_paths_and_loops),
      cmocka_unit_test(test_paths_have_no_gaps),
      cmocka_unit_test(test_fluxes_obey_gauss),
      cmocka_unit_test(test_losses_have_the_volume),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
