/* The seam of snapshots (libdg/io/snapshot_writer.h): a format that is this test's own, of lines of text, gets what a
 * run hands over, in the loop and by threads of their own, and what it fails at is the run's error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "maxwell/backend/backend.h"
#include "maxwell/record/snapshot.h"
#include "maxwell/record/writers.h"
#include "maxwell/tests/box.h"

#define FOLDER "writers"

/* ---- a format ---- */

static int series_open; /* and not closed */

struct series {
  int snapshots, limit; /* written; the one that fails */
};
static struct series only;

static int open_series(void **series, struct dg_error *err)
{
  (void)err;
  series_open++;
  only.snapshots = 0;
  *series = &only;
  return 0;
}

static void close_series(void *series) { series_open -= series != NULL; }

/* "name unit components value-of-node-0.. sum-of-all" of every field. */
static int write_text(void *series, const char *path, const struct dg_snapshot *snapshot, struct dg_comm *comm,
                      struct dg_error *err)
{
  struct series *const own = series;
  assert_null(comm);
  if (++own->snapshots == own->limit) return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': no ink", path);
  FILE *const file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "%d %.17g\n", snapshot->cycle, snapshot->time);
  for (size_t f = 0; f < snapshot->fields; f++) {
    const struct dg_snapshot_field *const field = &snapshot->field[f];
    const size_t each = (size_t)field->components * (field->per_element ? 1 : (size_t)snapshot->ref->Np);
    double sum = 0;
    for (size_t i = 0; i < snapshot->mesh->K * each; i++) sum += field->value[i];
    fprintf(file, "%s %s %.17g\n", field->name, field->unit, sum / (field->divisor != 0 ? field->divisor : 1));
  }
  assert_int_equal(fclose(file), 0);
  return 0;
}

static const char *const names[] = {"fields_$.txt", NULL};
static const struct dg_snapshot_writer text = {
    .name = "text", .ending = ".txt", .names = names, .open = open_series, .close = close_series, .write = write_text};
static const struct mx_writers only_text = {.count = 1, .writer = {&text}};

/* ---- a run ---- */

struct run {
  struct box box;
  struct mx_config config;
  struct mx_scene scene;
  struct mx_folder folder;
  struct mx_backend *backend;
  double *E, *H;
  struct mx_snapshots snapshots;
};

static double sum_of(const struct run *run, const double *field)
{
  double sum = 0;
  for (size_t i = 0; i < 3 * run->scene.problem->K * (size_t)run->scene.ref->Np; i++) sum += field[i];
  return sum;
}

static char folder[] = FOLDER;

static void begin(struct run *run, int ahead)
{
  struct dg_error err = {0};
  *run = (struct run){.folder = {.path = folder}};
  assert_int_equal(system("rm -rf " FOLDER " && mkdir " FOLDER), 0);
  box_mesh(&run->box, (int[]){2, 1, 1}, (double[]){1, 1, 1}, 0, NULL);
  box_material(&run->box, 1, 2, 1, 0);
  box_material(&run->box, 2, 1, 1, 0);
  box_problem(&run->box, 2, 1);
  run->config = run->box.config;
  run->config.output.fields.every = 2;
  run->config.output.fields.ahead = ahead;
  run->config.output.fields.quantities = MX_QUANTITY_E | MX_QUANTITY_H | MX_QUANTITY_MATERIAL;
  run->scene = (struct mx_scene){.config = &run->config,
                                 .ops = &mx_backend_reference,
                                 .mesh = &run->box.mesh,
                                 .ref = &run->box.ref,
                                 .problem = &run->box.problem,
                                 .folder = &run->folder};
  const size_t n = 3 * run->scene.problem->K * (size_t)run->scene.ref->Np;
  assert_int_equal(DG_NEW(run->E, n, &err), 0);
  assert_int_equal(DG_NEW(run->H, n, &err), 0);
  for (size_t i = 0; i < n; i++) run->E[i] = box_random(), run->H[i] = box_random();
  const struct mx_backend_options options = {.integrator = MX_LSRK, .precision = MX_DOUBLE, .step = 1e-3};
  assert_int_equal(run->scene.ops->create(&run->backend, run->scene.problem, &options, &err), 0);
  run->scene.backend = run->backend;
  assert_int_equal(run->scene.ops->upload(run->backend, run->E, run->H, &err), 0);
  assert_int_equal(mx_snapshots_init(&run->snapshots, &run->scene, &only_text, &err), 0);
  assert_int_equal(series_open, 1);
}

static void end(struct run *run)
{
  mx_snapshots_release(&run->snapshots);
  assert_int_equal(series_open, 0);
  run->scene.ops->destroy(run->backend);
  dg_free(run->E);
  dg_free(run->H);
  box_problem_release(&run->box);
  box_release(&run->box);
  assert_int_equal(system("rm -r " FOLDER), 0);
}

/* All that the format was handed of one step. */
static void expect_text(const struct run *run, long step)
{
  char path[64], name[16], unit[16];
  int cycle;
  double time, value;
  snprintf(path, sizeof path, FOLDER "/fields_%06ld.txt", step);
  FILE *const file = fopen(path, "r");
  if (file == NULL) fail_msg("there is no %s", path);
  assert_int_equal(fscanf(file, "%d %lf", &cycle, &time), 2);
  assert_int_equal(cycle, step);
  assert_true(time == 1e-12 * (double)step);
  const double H = sum_of(run, run->H) / MX_ETA0;
  assert_int_equal(fscanf(file, "%15s %15s %lf", name, unit, &value), 3);
  assert_string_equal(name, "E");
  assert_true(value == sum_of(run, run->E));
  assert_int_equal(fscanf(file, "%15s %15s %lf", name, unit, &value), 3);
  assert_string_equal(name, "H");
  assert_string_equal(unit, "A/m");
  assert_true(fabs(value - H) <= 1e-12 * fabs(H));
  assert_int_equal(fscanf(file, "%15s %15s %lf", name, unit, &value), 3);
  assert_string_equal(name, "epsilon_r");
  assert_int_equal(fclose(file), 0);
}

static void gets_what_is_due(void **state)
{
  (void)state;
  for (int ahead = 0; ahead <= 2; ahead++) {
    struct dg_error err = {0};
    struct run run;
    begin(&run, ahead);
    for (long n = 0; n <= 7; n++)
      assert_int_equal(mx_snapshots_take(&run.snapshots, n, 1e-12 * (double)n, false, &err), 0);
    assert_int_equal(mx_snapshots_finish(&run.snapshots, &err), 0);
    assert_int_equal(only.snapshots, 4);
    assert_int_equal(mx_snapshots_written(&run.snapshots), 4);
    for (long n = 0; n <= 6; n += 2) expect_text(&run, n);
    end(&run);
  }
}

static void fails_with_its_format(void **state)
{
  (void)state;
  for (int ahead = 0; ahead <= 2; ahead += 2) {
    struct dg_error err = {0};
    struct run run;
    begin(&run, ahead);
    only.limit = 2;
    for (long n = 0; n <= 7 && err.code == DG_OK; n++)
      if (mx_snapshots_take(&run.snapshots, n, 0, false, &err) != 0) break;
    if (err.code == DG_OK) (void)!mx_snapshots_finish(&run.snapshots, &err);
    only.limit = 0;
    assert_int_equal(err.code, DG_ENVIRONMENT);
    assert_string_equal(err.message, "cannot write '" FOLDER "/fields_000002.txt': no ink");
    end(&run);
  }
}

/* What the program has: each format fills the whole table, so that nobody need ask what is there. */
static void formats_are_whole(void **state)
{
  (void)state;
  assert_non_null(dg_formats[0]);
  for (size_t i = 0; i < DG_FORMATS; i++) {
    const struct dg_snapshot_writer *const w = dg_formats[i];
    assert_true(w->name != NULL && w->ending != NULL && w->version != NULL && w->names != NULL && w->open != NULL &&
                w->close != NULL && w->write != NULL && w->in_halves != NULL && w->write_part != NULL &&
                w->finish != NULL && w->abandon != NULL && (i > 0 || w->write_grid != NULL));
    assert_true((w->list == NULL) == (w->write_list == NULL));
    assert_true(w->ending[0] == '.');
    assert_non_null(strstr(w->names[0], w->ending));
  }
}

/* A run that goes on finds by its format's names which files are of steps that come again. */
static void names_say_the_step(void **state)
{
  (void)state;
  struct mx_plan plan = {0};
  struct dg_error err = {0};
  for (size_t i = 0; names[i] != NULL; i++) assert_int_equal(mx_plan_pattern(&plan, &err, "%s", names[i]), 0);
  assert_int_equal(mx_plan_pattern(&plan, &err, "parts/fields_$_#.txt"), 0);
  assert_int_equal(mx_plan_pattern(&plan, &err, "planes/a_spectrum_#.txt"), 0);
  assert_int_equal(mx_plan_pattern(&plan, &err, "planes/a_$.txt"), 0);
  static const struct {
    const char *name;
    long step;
  } file[] = {{"fields_000120.txt", 120},           {"parts/fields_000007_0003.txt", 7}, {"planes/a_000000.txt", 0},
              {"planes/a_spectrum_000002.txt", -1}, {"fields_000120.txt.part", -1},      {"fields_.txt", -1},
              {"planes/b_000001.txt", -1}};
  for (size_t i = 0; i < sizeof file / sizeof *file; i++)
    assert_int_equal(mx_plan_step(&plan, file[i].name), file[i].step);
  mx_plan_sort(&plan);
  assert_true(mx_plan_has(&plan, "fields_000120.txt.part") && !mx_plan_has(&plan, "fields_12.silo"));
  mx_plan_release(&plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gets_what_is_due),
      cmocka_unit_test(fails_with_its_format),
      cmocka_unit_test(formats_are_whole),
      cmocka_unit_test(names_say_the_step),
  };
  return cmocka_run_group_tests_name("writers", tests, NULL, NULL);
}
