/* A kind of measure that is this test's own: it is one table of functions, and scripts, records and rows take it as
 * they take the program's. It counts the elements of a region times a factor of the script. */
#include "maxwell/tests/script_fixture.h"

#include "libdg/io/formats.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/measure/measure_record.h"
#include "maxwell/tests/box.h"

#define FOLDER "kinds"

static int alive; /* states that were made and not released */

struct count {
  double elements, factor;
};

static int read_factor(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  double *factor;
  if (mx_arena_alloc(&r->arena, &factor, 1, sizeof *factor, r->err) != 0) return r->err->code;
  *(const void **)to = factor;
  return mx_read_real(r, rule, value, factor);
}

static int init(struct mx_measure *measure, const struct mx_measure_scene *scene, struct dg_error *err)
{
  struct count *own;
  if (DG_NEW(own, 1, err) != 0) return err->code;
  measure->own = own;
  alive++;
  own->elements = (double)scene->mesh->K;
  own->factor = *(const double *)measure->config->own;
  measure->values = measure->parts = 2;
  return 0;
}

static void release(struct mx_measure *measure)
{
  (void)measure;
  alive--;
}

static int take(const struct mx_measure *measure, const struct mx_problem *problem, const struct mx_backend_ops *ops,
                struct mx_backend *backend, double *part, double *scratch, struct dg_error *err)
{
  const struct count *own = measure->own;
  (void)problem, (void)ops, (void)backend, (void)scratch, (void)err;
  part[0] = own->elements;
  part[1] = own->factor * own->elements;
  return 0;
}

static size_t memory(const struct mx_measure *measure, const struct mx_problem *problem)
{
  (void)measure, (void)problem;
  return sizeof(struct count);
}

static const struct mx_rule rules[] = {
    MX_MEASURE_RULES("name = \"all\""),
    {"factor", read_factor, MX_MEASURE(own), .expected = "a number > 0", MX_ABOVE(0), .example = "factor = 2"},
};
static const struct mx_measure_kind counts = {
    .reads = {.key = "counts", .list = "a list", .item = "a table", .rules = MX_COUNT(rules), .rule = rules},
    .columns = "elements,scaled",
    .init = init,
    .release = release,
    .take = take,
    .memory = memory,
};
static const struct mx_measure_reader *const kinds[] = {&mx_probes.reads, &counts.reads, NULL};

static const char text[] = "simulation { mesh = { file = 'a.geo' }, order = 1, time = { steps = 1 },\n"
                           "  materials = { default = {} },\n"
                           "  output = { counts = { { name = 'a', factor = %s, every = 2, frequencies = { 0 } } },\n"
                           "             probes = { { name = 'a', at = { 0.3, 0.3, 0.3 } } } } }\n";

static struct mx_script *load(struct mx_config *config, const char *factor, struct dg_error *err)
{
  char all[1000];
  snprintf(all, sizeof all, text, factor);
  struct mx_script *script = load_text(all, 0, NULL, 0, NULL, err);
  assert_non_null(script);
  (void)!mx_config_read(config, kinds, mx_script_origin(script), err);
  return script;
}

static void is_read_by_its_own_keys(void **state)
{
  (void)state;
  static const char *const bad[][2] = {
      {"0", "counts.1.factor must be a number > 0, not 0"},
      {"1, corner = 2", "unknown key 'corner' in output.counts.1"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct mx_config config;
    struct dg_error err = {0};
    struct mx_script *script = load(&config, bad[i][0], &err);
    assert_int_equal(err.code, DG_INPUT);
    if (strstr(err.message, bad[i][1]) == NULL) fail_msg("%s", err.message);
    mx_script_free(script);
  }
}

static void expect_file(const char *path, const char *content)
{
  char found[1000];
  FILE *file = fopen(path, "r");
  if (file == NULL) fail_msg("there is no %s", path);
  found[fread(found, 1, sizeof found - 1, file)] = '\0';
  assert_int_equal(fclose(file), 0);
  assert_string_equal(found, content);
}

static void is_measured_and_written(void **state)
{
  (void)state;
  static char folder[] = FOLDER;
  struct mx_folder place = {.path = folder};
  struct dg_error err = {0};
  struct mx_config config;
  struct box box = {0};
  struct mx_measures measures;
  struct mx_records records;
  struct mx_backend *backend;
  const struct mx_backend_ops *const ops = &mx_backend_reference;
  const struct mx_backend_options options = {.integrator = MX_LSRK, .precision = MX_DOUBLE, .step = 1e-3};
  struct mx_script *script = load(&config, "3", &err);
  assert_string_equal(err.message, "");
  assert_int_equal(config.output.measures, 2); /* in the order of the kinds, not of the script */
  assert_ptr_equal(config.output.measure[1].kind, &counts.reads);
  box_mesh(&box, (int[]){2, 1, 1}, (double[]){1, 1, 1}, 0, NULL);
  box_material(&box, 0, 1, 1, 0);
  box_problem(&box, 1, 1);
  if (system("rm -rf " FOLDER " && mkdir -p " FOLDER "/counts " FOLDER "/probes") != 0 ||
      mx_measures_init(&measures, &box.problem, &config, &box.mesh, NULL, &err) != 0 ||
      ops->create(&backend, &box.problem, &options, &err) != 0 || ops->upload(backend, NULL, NULL, &err) != 0 ||
      mx_records_open(&records, &measures, ops, &dg_silo_format, &place, 0.5, false, &err) != 0 ||
      mx_records_monitor(&records, backend, &err) != 0)
    fail_msg("%s", err.message);
  assert_int_equal(alive, 1);
  for (long n = 0; n <= 4; n++) {
    assert_true(mx_records_due(&records, n)); /* the probe's */
    assert_int_equal(mx_records_write(&records, backend, n, 0.5 * (double)n, &err), 0);
  }
  if (mx_records_drain(&records, &err) != 0 || mx_records_write_spectra(&records, &err) != 0 ||
      mx_records_close(&records, &err) != 0)
    fail_msg("%s", err.message);
  expect_file(FOLDER "/counts/a.csv", "time,elements,scaled\n0,12,36\n1,12,36\n2,12,36\n");
  expect_file(FOLDER "/counts/a_spectrum.csv", "frequency,elements_re,elements_im,scaled_re,scaled_im\n0,24,0,72,0\n");
  mx_records_release(&records);
  ops->destroy(backend);
  mx_measures_release(&measures);
  assert_int_equal(alive, 0);
  box_release(&box);
  mx_config_release(&config);
  mx_script_free(script);
  assert_int_equal(system("rm -r " FOLDER), 0);
}

/* What the program has: nobody asks whether a function is there. */
static void kinds_are_whole(void **state)
{
  (void)state;
  for (size_t i = 0; mx_measure_kinds[i] != NULL; i++) {
    const struct mx_measure_kind *const kind = (const struct mx_measure_kind *)mx_measure_kinds[i];
    assert_true(kind->columns != NULL && kind->init != NULL && kind->release != NULL && kind->take != NULL &&
                kind->memory != NULL);
    assert_true((kind->watch == NULL) == (kind->to_si == NULL));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_read_by_its_own_keys),
      cmocka_unit_test(is_measured_and_written),
      cmocka_unit_test(kinds_are_whole),
  };
  return cmocka_run_group_tests_name("kinds of measures", tests, enter_folder, leave_folder);
}
