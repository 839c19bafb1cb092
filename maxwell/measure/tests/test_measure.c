/* Measurements of polynomial fields against their closed forms, on a mesh without two equal elements; the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "libdg/io/formats.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/measure/measure_record.h"
#include "maxwell/measure/path.h"

static const double size[3] = {1.2, 0.8, 0.6};
static const double sigma = 0.25;
static int degree; /* of the fields below */

static double power(double x, int n) { return n == 0 ? 1 : x * power(x, n - 1); }

/* E = grad phi, phi = (0.3 x - y + 0.5 z)^(p+1)/(p+1) + x y: not more than degree p for p >= 1. */
static double phi(const double x[3])
{
  return power(0.3 * x[0] - x[1] + 0.5 * x[2], degree + 1) / (degree + 1) + x[0] * x[1];
}

static void gradient_field(const double x[3], double t, double value[3])
{
  double u = power(0.3 * x[0] - x[1] + 0.5 * x[2], degree);
  (void)t;
  value[0] = 0.3 * u + x[1];
  value[1] = -u + x[0];
  value[2] = 0.5 * u;
}

/* curl H = (0, 0, 2) */
static void turning_field(const double x[3], double t, double value[3])
{
  gradient_field(x, t, value);
  value[0] -= x[1];
  value[1] += x[0];
}

/* (E x H).x of these is y^p z^p, (E x H).y is -x^p z^p. */
static void flux_E(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = power(x[0], degree), value[1] = power(x[1], degree), value[2] = 0;
}

static void flux_H(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = value[1] = 0, value[2] = power(x[2], degree);
}

static void make_box(struct box *box, int order, struct mx_measure_config *measure, size_t measures)
{
  static const int cells[3] = {2, 3, 2};
  *box = (struct box){0};
  box_mesh(box, cells, size, 0.2, NULL);
  box_material(box, 1, 1, 1, 0);
  box_material(box, 2, 2, 1, sigma);
  box->config.output.measures = measures;
  box->config.output.measure = measure;
  box_problem(box, order, 1);
}

/* value[0] of every measurement of fields E and H (both in V/m: H is multiplied by eta0 here). */
static void measure_fields(struct box *box, const double *E, double *H, double *value)
{
  struct mx_measures measures;
  struct dg_error err = {0};
  for (size_t i = 0; i < 3 * (size_t)box->ref.Np * box->mesh.K; i++) H[i] *= MX_ETA0;
  if (mx_measures_init(&measures, &box->problem, &box->config, &box->mesh, NULL, &err) != 0)
    fail_msg("%s", err.message);
  struct drive drive = drive_new(&mx_backend_reference, box, MX_RK4, MX_DOUBLE, 1e-4, E, H);
  drive_observe(&drive);
  for (size_t i = 0; i < measures.count; i++) {
    assert_int_equal(mx_measure_evaluate(&measures, i, drive.ops, drive.backend, value, &err), 0);
    value += measures.measure[i].values;
  }
  drive.ops->destroy(drive.backend);
  mx_measures_release(&measures);
}

static void measure_functions(struct box *box, void (*E)(const double x[3], double t, double value[3]),
                              void (*H)(const double x[3], double t, double value[3]), double *value)
{
  double *e = box_field(box), *h = box_field(box);
  box_evaluate(box, E, 0, e);
  box_evaluate(box, H, 0, h);
  measure_fields(box, e, h, value);
  free(e);
  free(h);
}

static void near(double value, double expected, double scale)
{
  if (!(fabs(value - expected) <= 2e-13 * scale)) fail_msg("%.17g is not %.17g", value, expected);
}

static void voltages_are_differences_of_the_potential(void **state)
{
  (void)state;
  double path[4][3] = {{0.1, 0.1, 0.1}, {1.1, 0.7, 0.2}, {0, 0.8, 0.6}, {1.2, 0, 0}};
  double edge[2][3] = {{0, 0, 0}, {0, 0.8, 0}}, plane[2][3] = {{0.6, 0.1, 0.1}, {0.6, 0.7, 0.5}};
  struct mx_measure_config measure[] = {
      {.kind = &mx_voltages.reads, .name = "a", .points = 4, .point = path},
      {.kind = &mx_voltages.reads, .name = "b", .points = 2, .point = edge},
      {.kind = &mx_voltages.reads, .name = "c", .points = 2, .point = plane}, /* along the faces between the volumes */
  };
  for (int order = 1; order <= 8; order++) {
    struct box box;
    double value[3];
    degree = order;
    make_box(&box, order, measure, 3);
    measure_functions(&box, gradient_field, flux_H, value);
    near(value[0], phi(path[3]) - phi(path[0]), 2);
    near(value[1], phi(edge[1]) - phi(edge[0]), 2);
    near(value[2], phi(plane[1]) - phi(plane[0]), 2);
    box_release(&box);
  }
}

/* What lies outside the mesh adds nothing. */
static void voltages_end_at_the_wall(void **state)
{
  (void)state;
  double path[2][3] = {{-0.3, 0.4, 0.3}, {1.3, 0.4, 0.3}}, inner[2][3] = {{0, 0.4, 0.3}, {1.2, 0.4, 0.3}};
  struct mx_measure_config measure[] = {{.kind = &mx_voltages.reads, .name = "a", .points = 2, .point = path}};
  struct box box;
  double value;
  degree = 3;
  make_box(&box, 3, measure, 1);
  measure_functions(&box, gradient_field, flux_H, &value);
  near(value, phi(inner[1]) - phi(inner[0]), 2);
  box_release(&box);
}

static void currents_are_the_curl_inside_the_loop(void **state)
{
  (void)state;
  /* anticlockwise around z: a square of area 0.16; a slanted quadrilateral whose shadow on z = 0 has area 0.3 */
  double square[4][3] = {{0.4, 0.2, 0.3}, {0.8, 0.2, 0.3}, {0.8, 0.6, 0.3}, {0.4, 0.6, 0.3}};
  double slanted[3][3] = {{0.1, 0.1, 0}, {1.1, 0.1, 0.6}, {0.5, 0.7, 0.3}};
  double back[3][3] = {{0.5, 0.7, 0.3}, {1.1, 0.1, 0.6}, {0.1, 0.1, 0}};
  double wall[3][3] = {{0, 0, 0.6}, {1.2, 0, 0.6}, {0, 0.8, 0.6}};
  struct mx_measure_config measure[] = {
      {.kind = &mx_currents.reads, .name = "a", .points = 4, .point = square},
      {.kind = &mx_currents.reads, .name = "b", .points = 3, .point = slanted},
      {.kind = &mx_currents.reads, .name = "c", .points = 3, .point = back},
      {.kind = &mx_currents.reads, .name = "d", .points = 3, .point = wall},
  };
  for (int order = 1; order <= 8; order++) {
    struct box box;
    double value[4];
    degree = order;
    make_box(&box, order, measure, 4);
    measure_functions(&box, flux_E, turning_field, value);
    near(value[0], 2 * 0.16, 2);
    near(value[1], 2 * 0.3, 2);
    near(value[2], -2 * 0.3, 2);
    near(value[3], 2 * 0.48, 2);
    box_release(&box);
  }
}

/* integral of u^p from 0 to a */
static double monomial(double a, int p) { return power(a, p + 1) / (p + 1); }

static void fluxes_are_exact(void **state)
{
  (void)state;
  struct mx_measure_config measure[] = {
      {.kind = &mx_fluxes.reads, .name = "x0", .on = {.tag = 1}},
      {.kind = &mx_fluxes.reads, .name = "x1", .on = {.tag = 2}},
      {.kind = &mx_fluxes.reads, .name = "y1", .on = {.tag = 4}},
      {.kind = &mx_fluxes.reads, .name = "in", .on = {.tag = 7}, .has_direction = true, .direction = {1, 0, 0}},
      {.kind = &mx_fluxes.reads, .name = "back", .on = {.tag = 7}, .has_direction = true, .direction = {-0.6, 0.8, 0}},
      {.kind = &mx_fluxes.reads, .name = "x1 back", .on = {.tag = 2}, .has_direction = true, .direction = {-1, 0, 0}},
  };
  for (int order = 1; order <= 8; order++) {
    struct box box;
    double value[6];
    degree = order;
    make_box(&box, order, measure, 6);
    measure_functions(&box, flux_E, flux_H, value);
    double through_x = monomial(size[1], order) * monomial(size[2], order),
           through_y = monomial(size[0], order) * monomial(size[2], order);
    const double expected[6] = {-through_x, through_x, -through_y, through_x, -through_x, -through_x};
    for (int i = 0; i < 6; i++) near(value[i], expected[i], fabs(expected[i]));
    box_release(&box);
  }
}

/* On a surface inside the power is that of the mean fields of both sides. */
static void fluxes_take_the_mean_of_both_sides(void **state)
{
  (void)state;
  struct mx_measure_config measure[] = {
      {.kind = &mx_fluxes.reads, .name = "in", .on = {.tag = 7}, .has_direction = true, .direction = {1, 0, 0}}};
  struct box box;
  double value;
  make_box(&box, 2, measure, 1);
  double *E = box_field(&box), *H = box_field(&box);
  size_t Np = (size_t)box.ref.Np;
  for (size_t e = 0; e < box.mesh.K; e++)
    for (size_t i = 0; i < Np; i++) {
      bool left = box.mesh.entity[box.mesh.volume[e]].tag == 1;
      E[(3 * e + 1) * Np + i] = left ? 1 : 3;
      H[(3 * e + 2) * Np + i] = left ? 5 : 7;
    }
  measure_fields(&box, E, H, &value);
  near(value, 2 * 6 * size[1] * size[2], 10);
  free(E);
  free(H);
  box_release(&box);
}

static void losses_are_exact(void **state)
{
  (void)state;
  struct mx_measure_config measure[] = {{.kind = &mx_losses.reads, .name = "a", .on = {.tag = 1}},
                                        {.kind = &mx_losses.reads, .name = "b", .on = {.tag = 2}}};
  for (int order = 1; order <= 4; order++) {
    struct box box;
    double value[2];
    degree = order;
    make_box(&box, order, measure, 2);
    measure_functions(&box, flux_E, flux_H, value);
    int p = 2 * order;
    double x = monomial(size[0], p) - monomial(size[0] / 2, p);
    double expected =
        sigma * size[2] * (x * size[1] + size[0] / 2 * monomial(size[1], p)); /* W: sigma in S/m, E in V/m */
    assert_true(value[0] == 0);
    near(value[1], expected, expected);
    box_release(&box);
  }
}

static void points_have_the_fields_values(void **state)
{
  (void)state;
  double at[1][3] = {{0.37, 0.41, 0.13}}, line[2][3] = {{-0.2, 0.3, 0.3}, {1.2, 0.3, 0.3}},
         plane[3][3] = {{0, 0, 0.6}, {1.2, 0, 0.6}, {0, 1.6, 0.6}};
  struct mx_measure_config measure[] = {
      {.kind = &mx_probes.reads, .name = "a", .points = 1, .point = at, .samples = {1, 1}},
      {.kind = &mx_lines.reads, .name = "b", .points = 2, .point = line, .samples = {8, 1}},
      {.kind = &mx_planes.reads, .name = "c", .points = 3, .point = plane, .samples = {3, 5}},
  };
  struct box box;
  double value[1 + 8 + 15][6];
  degree = 4;
  make_box(&box, 4, measure, 3);
  measure_functions(&box, gradient_field, turning_field, value[0]);
  for (int i = 0; i < 24; i++) {
    double x[3] = {0.37, 0.41, 0.13}, field[6];
    bool inside = true;
    if (i >= 1 && i < 9) {
      x[0] = -0.2 + 0.2 * (i - 1), x[1] = x[2] = 0.3;
      inside = i > 1;
    } else if (i >= 9) {
      x[0] = 0.6 * ((i - 9) % 3), x[1] = 0.4 * ((i - 9) / 3), x[2] = 0.6; /* the first edge runs fastest */
      inside = (i - 9) / 3 <= 2;
    }
    gradient_field(x, 0, field);
    turning_field(x, 0, field + 3);
    for (int c = 0; c < 6; c++) {
      if (inside) near(value[i][c], field[c], 2);
      else assert_true(isnan(value[i][c]));
    }
  }
  box_release(&box);
}

/* Leapfrog's H is that of the time of E: the mean of half a step before and after. */
static void currents_are_at_the_time_of_voltages(void **state)
{
  (void)state;
  double loop[3][3] = {{0.1, 0.1, 0.2}, {1.1, 0.1, 0.2}, {0.5, 0.7, 0.2}};
  struct mx_measure_config measure[] = {{.kind = &mx_currents.reads, .name = "a", .points = 3, .point = loop}};
  struct dg_error err = {0};
  struct mx_measures measures;
  struct box box;
  double value, sampled = 0;
  degree = 2;
  make_box(&box, 2, measure, 1);
  double *E = box_field(&box), *H = box_field(&box);
  box_noise(&box, E);
  box_noise(&box, H);
  assert_int_equal(mx_measures_init(&measures, &box.problem, &box.config, &box.mesh, NULL, &err), 0);
  struct drive drive = drive_new(&mx_backend_reference, &box, MX_LEAPFROG, MX_DOUBLE, 0.01, E, H);
  drive_steps(&drive, 3);
  drive_observe(&drive);
  assert_int_equal(mx_measure_evaluate(&measures, 0, drive.ops, drive.backend, &value, &err), 0);
  assert_int_equal(drive.ops->download(drive.backend, E, H, &err), 0); /* both at the same time, by contract */
  const struct mx_functional *functional =
      &box.problem.functional[((const struct mx_measured_path *)measures.measure[0].own)->functional];
  for (size_t i = 0; i < functional->count; i++) sampled += functional->weight[i] * H[functional->index[i]];
  near(value * MX_ETA0, sampled, 1);
  drive.ops->destroy(drive.backend);
  mx_measures_release(&measures);
  free(E);
  free(H);
  box_release(&box);
}

/* ---- memory and files */

static double where[3][3] = {{0.1, 0.1, 0.1}, {1.3, 0.1, 0.1}, {0.1, 0.7, 0.1}};
static double tones[2] = {1e6, 2e6};

/* The reference backend with what one on a card has: values are kept, and fetched many at a time. */
static struct kept {
  struct mx_point point[64];
  size_t points, functional[4], functionals, rows;
  double *value; /* [rows][6 points + functionals] */
} kept[4];
static size_t monitors, most_kept, fetched; /* rows that there is room for; rows that were fetched at once, at most */

static int keep_new(struct mx_backend *backend, const struct mx_monitor *what, size_t *rows, size_t *monitor,
                    struct dg_error *err)
{
  struct kept *k = &kept[monitors];
  (void)backend;
  assert_true(what->points <= 64 && what->functionals <= 4 && monitors < 4);
  if (*rows > most_kept) *rows = most_kept;
  k->points = what->points, k->functionals = what->functionals, k->rows = *rows;
  for (size_t i = 0; i < what->points; i++) k->point[i] = what->point[i];
  for (size_t i = 0; i < what->functionals; i++) k->functional[i] = what->functional[i];
  *monitor = monitors++;
  return DG_NEW(k->value, *rows * (6 * what->points + what->functionals), err);
}

static int keep_take(struct mx_backend *backend, size_t monitor, size_t row, struct dg_error *err)
{
  const struct kept *k = &kept[monitor];
  double *value = k->value + row * (6 * k->points + k->functionals);
  assert_true(row < k->rows);
  if (mx_backend_reference.sample(backend, k->points, k->point, (double(*)[6])value, err) != 0) return err->code;
  for (size_t i = 0; i < k->functionals; i++)
    if (mx_backend_reference.functionals(backend, k->functional[i], 1, true, value + 6 * k->points + i, err) != 0)
      return err->code;
  return 0;
}

static int keep_fetch(struct mx_backend *backend, size_t monitor, size_t rows, double *value, struct dg_error *err)
{
  const struct kept *k = &kept[monitor];
  (void)backend, (void)err;
  assert_true(rows <= k->rows);
  if (rows > fetched) fetched = rows;
  memcpy(value, k->value, rows * (6 * k->points + k->functionals) * sizeof *value);
  return 0;
}

static struct mx_backend_ops keeping(size_t most)
{
  struct mx_backend_ops ops = mx_backend_reference;
  static struct mx_card_ops card;
  card = mx_no_card;
  card.present = true, card.monitor_new = keep_new, card.monitor_take = keep_take, card.monitor_fetch = keep_fetch;
  ops.card = &card;
  most_kept = most, monitors = fetched = 0;
  return ops;
}

static void release_kept(void)
{
  for (size_t i = 0; i < 4; i++) dg_free(kept[i].value), kept[i].value = NULL;
}

/* The folders that the run makes. */
static int make_parts(const struct mx_folder *folder, const struct mx_config *config, struct dg_error *err)
{
  for (size_t i = 0; i < config->output.measures; i++)
    if (mx_folder_part(folder, config->output.measure[i].kind->key, err) != 0) return err->code;
  return 0;
}

/* One of each kind, every `period` steps those of odd number; the folder has "planes" and so on. */
static int everything(struct box *box, char *folder, const struct mx_backend_ops *ops, int steps, int period,
                      struct dg_error *err)
{
  static struct mx_measure_config measure[] = {
      {.kind = &mx_probes.reads, .name = "a", .points = 1, .point = where, .samples = {1, 1}},
      {.kind = &mx_lines.reads, .name = "a", .points = 2, .point = where, .samples = {5, 1}},
      {.kind = &mx_planes.reads, .name = "a", .points = 3, .point = where, .samples = {4, 3}, .silo = true},
      {.kind = &mx_planes.reads, .name = "b", .points = 3, .point = where, .samples = {4, 3}},
      {.kind = &mx_fluxes.reads, .name = "a", .on = {.tag = 2}},
      {.kind = &mx_voltages.reads, .name = "a", .points = 3, .point = where},
      {.kind = &mx_currents.reads, .name = "a", .points = 3, .point = where},
      {.kind = &mx_losses.reads, .name = "a", .on = {.tag = 2}},
  };
  struct mx_folder place = {.path = folder};
  struct mx_measures measures = {0};
  struct mx_records records = {0};
  struct drive drive = {.ops = ops};
  double *E = NULL;
  for (size_t i = 0; i < sizeof measure / sizeof *measure; i++) {
    measure[i].every = i % 2 == 0 ? 1 : period;
    measure[i].frequencies = (struct mx_frequencies){2, tones};
  }
  box->config.output.measures = sizeof measure / sizeof *measure;
  box->config.output.measure = measure;
  if (mx_measures_init(&measures, &box->problem, &box->config, &box->mesh, NULL, err) != 0 ||
      DG_NEW(E, 3 * (size_t)box->ref.Np * box->mesh.K, err) != 0)
    goto fail;
  for (size_t i = 0; i < 3 * (size_t)box->ref.Np * box->mesh.K; i++) E[i] = (double)(i % 7);
  drive.options = (struct mx_backend_options){.integrator = MX_RK4, .precision = MX_DOUBLE, .step = 1e-3};
  if (drive.ops->create(&drive.backend, &box->problem, &drive.options, err) != 0 ||
      drive.ops->upload(drive.backend, E, NULL, err) != 0 || make_parts(&place, &box->config, err) != 0 ||
      mx_records_open(&records, &measures, drive.ops, &dg_silo_format, &place, 1e-12, false, err) != 0 ||
      mx_records_monitor(&records, drive.backend, err) != 0)
    goto fail;
  for (int n = 0; n < steps; n++) {
    if (n > 0 && steps > 2) drive_steps(&drive, 1);
    if (mx_records_write(&records, drive.backend, n, n * 1e-12, err) != 0) goto fail;
  }
  if (mx_records_drain(&records, err) == 0 && mx_records_write_spectra(&records, err) == 0)
    (void)!mx_records_close(&records, err);
fail:
  drive.ops->destroy(drive.backend);
  mx_records_release(&records);
  mx_measures_release(&measures);
  dg_free(E);
  release_kept();
  return err->code;
}

/* What a card keeps and what it cannot, with room for all rows that are wanted, for a few, and for none. */
static void kept_rows_are_written(void **state)
{
  (void)state;
  static const size_t most[] = {1000, 5, 0};
  char folder[2][40] = {"/tmp/curlew-measure-XXXXXX", "/tmp/curlew-measure-XXXXXX"}, command[400];
  struct dg_error err = {0};
  struct box box;
  make_box(&box, 1, NULL, 0);
  assert_non_null(mkdtemp(folder[0]));
  if (everything(&box, folder[0], &mx_backend_reference, 150, 3, &err) != 0) fail_msg("%s", err.message);
  for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
    const struct mx_backend_ops ops = keeping(most[k]);
    strcpy(folder[1], "/tmp/curlew-measure-XXXXXX");
    assert_non_null(mkdtemp(folder[1]));
    if (everything(&box, folder[1], &ops, 150, 3, &err) != 0) fail_msg("%s", err.message);
    assert_int_equal(monitors, 2);
    assert_int_equal(fetched, most[k] < 64 ? most[k] : 64);
    /* tables to the byte; a Silo file has its date */
    snprintf(command, sizeof command,
             "diff -r -x '*.silo' %s %s && test $(ls %s/planes | wc -l) = $(ls %s/planes | wc -l)", folder[0],
             folder[1], folder[0], folder[1]);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "rm -r %s", folder[1]);
    assert_int_equal(system(command), 0);
  }
  box_release(&box);
  snprintf(command, sizeof command, "test $(wc -l < %s/probes/a.csv) = 151 && rm -r %s", folder[0], folder[0]);
  assert_int_equal(system(command), 0);
}

/* What rows wait for, and what they do not. */
static void asks_when_rows_are_many(void **state)
{
  (void)state;
  static struct mx_measure_config measure[] = {
      {.kind = &mx_probes.reads, .name = "a", .points = 1, .point = where, .samples = {1, 1}, .every = 2},
  };
  const struct mx_backend_ops ops = keeping(5);
  struct mx_measures measures;
  struct mx_records records;
  struct dg_error err = {0};
  struct box box;
  char folder[] = "/tmp/curlew-measure-XXXXXX", command[100];
  assert_non_null(mkdtemp(folder));
  make_box(&box, 1, measure, 1);
  assert_int_equal(mx_measures_init(&measures, &box.problem, &box.config, &box.mesh, NULL, &err), 0);
  struct drive drive = drive_new(&ops, &box, MX_RK4, MX_DOUBLE, 1e-4, NULL, NULL);
  struct mx_folder place = {.path = folder};
  assert_int_equal(make_parts(&place, &box.config, &err), 0);
  assert_int_equal(mx_records_open(&records, &measures, &ops, &dg_silo_format, &place, 1e-12, false, &err), 0);
  assert_int_equal(mx_records_monitor(&records, drive.backend, &err), 0);
  for (long n = 0; n < 30; n++) {
    assert_int_equal(mx_records_due(&records, n), n % 2 == 0);
    assert_int_equal(mx_records_ask(&records, n), n % 10 == 8); /* the fifth row */
    if (n % 2 == 0) assert_int_equal(mx_records_write(&records, drive.backend, n, 0, &err), 0);
  }
  ops.destroy(drive.backend);
  mx_records_release(&records);
  mx_measures_release(&measures);
  box_release(&box);
  release_kept();
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static void survives_every_failing_allocation(void **state)
{
  (void)state;
  char folder[] = "/tmp/curlew-measure-XXXXXX", command[100];
  assert_non_null(mkdtemp(folder));
  size_t before = dg_memory_current();
  long n = 0;
  for (int failed = 1; failed; n++) {
    const struct mx_backend_ops ops = keeping(10);
    struct dg_error err = {0};
    struct box box;
    make_box(&box, 2, NULL, 0);
    dg_memory_fail_at(n + 1);
    failed = everything(&box, folder, &ops, 2, 1, &err) != 0;
    dg_memory_fail_at(0);
    if (failed && strstr(err.message, "out of memory") == NULL) fail_msg("%ld: %s", n, err.message);
    assert_int_equal(err.code, failed ? DG_ENVIRONMENT : DG_OK);
    box_release(&box);
    assert_int_equal(dg_memory_current(), before);
  }
  assert_true(n > 60);
  snprintf(command, sizeof command, "find %s -name '*.part' | grep -q .", folder);
  assert_true(system(command) != 0);                                                 /* nothing half written */
  snprintf(command, sizeof command, "test $(find %s -type f | wc -l) = 18", folder); /* 7 CSV, 2 + 2 Silo, 7 spectra */
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

/* A folder that is gone: the message names the file. */
static void says_which_file(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct box box;
  make_box(&box, 1, NULL, 0);
  char nowhere[] = "/nonexistent/case";
  assert_int_equal(everything(&box, nowhere, &mx_backend_reference, 1, 1, &err), DG_ENVIRONMENT);
  assert_string_equal(err.message,
                      "cannot make the output folder '/nonexistent/case/probes': No such file or directory");
  box_release(&box);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(voltages_are_differences_of_the_potential),
      cmocka_unit_test(voltages_end_at_the_wall),
      cmocka_unit_test(currents_are_the_curl_inside_the_loop),
      cmocka_unit_test(fluxes_are_exact),
      cmocka_unit_test(fluxes_take_the_mean_of_both_sides),
      cmocka_unit_test(losses_are_exact),
      cmocka_unit_test(points_have_the_fields_values),
      cmocka_unit_test(currents_are_at_the_time_of_voltages),
      cmocka_unit_test(kept_rows_are_written),
      cmocka_unit_test(asks_when_rows_are_many),
      cmocka_unit_test(survives_every_failing_allocation),
      cmocka_unit_test(says_which_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
