/* A whole run from the configuration to the last file, with every allocation on the way made to fail in turn. */
#include "script_fixture.h"

#include "maxwell/run/run.h"
#include "maxwell/setup/setup_build.h"
#include "maxwell/tests/box.h"
#include "maxwell/measure/kinds.h"

#define FOLDER  "result"
#define EARLIER "earlier"
#define KEPT    EARLIER "/mesh/whole.mesh"
#define PULSE   "waveform = waveform.step { rise = 3e-9 }"

/* Sources, ports and measurements of every kind. */
static const char ports[] =
    "simulation { name = 'x', mesh = { file = 'box.msh', unit = 1 }, order = 1, time = { steps = 3 }, backend = '%s',\n"
    "materials = { [1] = { epsilon_r = function(x, y, z) return 1.5 + x end }, [2] = { epsilon_r = 2, sigma = 0.02 } "
    "},\n"
    "boundaries = { [1] = { kind = 'waveguide_port', absorb = { 'TM11' }, " PULSE " },\n"
    "  [2] = { kind = 'lumped_port', resistance = 80, direction = { 0, 0, 1 }, " PULSE ", delay = 1e-9 },\n"
    "  [3] = { kind = 'electric_field', field = function(x, y, z, t) return 0, 0, math.sin(3 * x + 1e9 * t) end },\n"
    "  [4] = { kind = 'electric_field', profile = function(x, y, z) return x, 0, z end, " PULSE " },\n"
    "  [5] = { kind = 'impedance', impedance = 1 } },\n"
    "interfaces = { [7] = { kind = 'surface_current', current = function(x, y, z, t) return 0, t * 1e8, y end } },\n"
    "sources = { { region = 1, profile = function(x, y, z) return y, z, x end,\n"
    "    waveform = function(t) return math.sin(1e9 * t) end },\n"
    "  { region = 2, current = function(x, y, z, t) return t * 1e6, 0, x * t * 1e6 end },\n"
    "  { at = { 0.5, 0.5, 0.25 }, moment = { 0, 1e-3, 1e-3 }, " PULSE " },\n"
    "  { from = { 0.1, 0.1, 0.1 }, to = { 0.9, 0.8, 0.4 }, amperes = 0.1, " PULSE " } },\n"
    "initial = { E = function(x, y, z) return 0, 0, x end },\n"
    "output = { energy = { every = 1 }, fields = { every = 3, average = true, quantities = { 'E', 'material' } },\n"
    "  probes = { { name = 'a', at = { 0.3, 0.4, 0.2 } } },\n"
    "  lines = { { name = 'a', from = { 0, 0.5, 0.25 }, to = { 1, 0.5, 0.25 }, points = 3, frequencies = { 1e8 } } },\n"
    "  planes = { { name = 'a', origin = { 0, 0, 0.2 }, u = { 1, 0, 0 }, v = { 0, 1, 0 }, points = { 2, 3 } } },\n"
    "  fluxes = { { name = 'in', surface = 7, direction = { -1, 0, 0 }, frequencies = { 3e8 } } },\n"
    "  voltages = { { name = 'a', path = { { 0.1, 0.1, 0.1 }, { 0.9, 0.3, 0.2 }, { 0.5, 0.5, 0.4 } } } },\n"
    "  currents = { { name = 'a', circle = { centre = { 0.5, 0.5, 0.2 }, normal = { 0, 0, 1 }, radius = 0.3 } } },\n"
    "  losses = { { name = 'a', region = 2 } } } }\n";

/* And what the first does not have. */
static const char scattering[] =
    "simulation { name = 'x', mesh = { file = 'box.msh' }, order = 2, time = { steps = 2, integrator = 'lsrk' },\n"
    "backend = '%s', materials = { default = {} }, boundaries = { [1] = { kind = 'modal_port', family = 'TE',\n"
    "    cutoff = 1.3e8, profile = function(x, y, z) return 0, 0, math.sin(math.pi * y) end, " PULSE " },\n"
    "  [2] = { kind = 'waveguide_port', " PULSE " } },\n"
    "output = { s_parameters = { 2e8, 3e8 } } }\n";

static void write_mesh(void)
{
  static const int cells[3] = {2, 2, 1};
  static const double size[3] = {1.0, 1.0, 0.5};
  struct box box = {0};
  box_mesh(&box, cells, size, 0, NULL);
  const struct dg_mesh *mesh = &box.mesh;
  FILE *file = fopen("box.msh", "w");
  assert_non_null(file);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%zu\n", mesh->vertices);
  for (size_t v = 0; v < mesh->vertices; v++)
    fprintf(file, "%zu %.17g %.17g %.17g\n", v + 1, mesh->vertex[v][0], mesh->vertex[v][1], mesh->vertex[v][2]);
  size_t faces = 0, number = 0;
  for (size_t i = 0; i < 4 * mesh->K; i++)
    faces += mesh->surface[i / 4][i % 4] >= 0 && mesh->neighbour[i / 4][i % 4] < (int32_t)i;
  fprintf(file, "$EndNodes\n$Elements\n%zu\n", mesh->K + faces);
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    const int32_t *v = mesh->element[i / 4], surface = mesh->surface[i / 4][i % 4], f = (int32_t)(i % 4);
    if (surface < 0 || mesh->neighbour[i / 4][i % 4] >= (int32_t)i) continue;
    fprintf(file, "%zu 2 2 0 %d %d %d %d\n", ++number, mesh->entity[surface].tag, v[f == 0] + 1, v[1 + (f <= 1)] + 1,
            v[2 + (f <= 2)] + 1);
  }
  for (size_t e = 0; e < mesh->K; e++) {
    const int32_t *v = mesh->element[e];
    double d[3][3];
    for (int s = 0; s < 3; s++)
      for (int c = 0; c < 3; c++) d[s][c] = mesh->vertex[v[s + 1]][c] - mesh->vertex[v[0]][c];
    double det = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                 d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
    fprintf(file, "%zu 4 2 0 %d %d %d %d %d\n", ++number, mesh->entity[mesh->volume[e]].tag, v[0] + 1, v[1] + 1,
            v[det > 0 ? 2 : 3] + 1, v[det > 0 ? 3 : 2] + 1);
  }
  fprintf(file, "$EndElements\n");
  assert_int_equal(fclose(file), 0);
  dg_geometry_release(&box.geometry);
  dg_mesh_release(&box.mesh);
}

/* A thousand runs do not wait for a thousand processes: they take the mesh as an earlier run would have kept it. What
 * happens where it is made is in test_gmsh.c. */
static int keep_mesh(void)
{
  struct dg_mesh mesh;
  struct dg_mesh_report report = {0};
  struct dg_error err = {0};
  const struct dg_mesh_options options = {
      .file = "box.msh", .unit = 1, .geometry = 2, .own_geometry = true, .kept = KEPT, .report = &report};
  if (system("mkdir -p " EARLIER "/mesh") != 0) return -1;
  if (dg_mesh_load(&mesh, &options, &err) == 0) (void)!dg_mesh_keep(&report, KEPT, &err);
  dg_mesh_report_release(&report);
  dg_mesh_release(&mesh);
  return err.code;
}

static int enter(void **state)
{
  if (enter_folder(state) != 0) return -1;
  write_mesh();
  return keep_mesh();
}

static int leave(void **state)
{
  int failed = system("rm -r " FOLDER " " EARLIER " box.msh");
  return leave_folder(state) != 0 || failed;
}

/* As the program does it, once the script has been read. */
static int run(struct mx_script *script, struct dg_error *err)
{
  struct mx_config config = {0};
  struct mx_setup setup = {0};
  struct mx_folder folder = {0};
  const struct mx_keeping keeping = {.folder = EARLIER};
  if (mx_config_read(&config, mx_measure_kinds, mx_script_origin(script), err) == 0 &&
      mx_folder_open(&folder, FOLDER, NULL, NULL, err) == 0 &&
      mx_setup_init(&setup, &config, mx_script_origin(script), NULL, NULL, &keeping, err) == 0) {
    assert_true(setup.mesh_report.reused);
    setup.mesh_report.reused = false; /* it lies in a folder that is not this run's to claim */
    (void)!mx_run(&setup, &folder, &(struct mx_run_options){0}, err);
  }
  mx_folder_close(&folder);
  mx_setup_release(&setup);
  mx_config_release(&config);
  return err->code;
}

/* What is left says how the run ended. True when the summary itself could not be written any more, and the one of the
 * beginning is still there. */
static bool check_summary(bool done)
{
  char text[8192];
  FILE *file = fopen(FOLDER "/summary.json", "r");
  if (file == NULL) {
    assert_false(done);
    return false;
  }
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  assert_int_equal(fclose(file), 0);
  if (!done && strstr(text, "\"status\": \"running\"") != NULL) return true;
  if (strstr(text, done ? "\"status\": \"done\"" : "\"status\": \"failed\"") == NULL) fail_msg("%s", text);
  assert_true(done || strstr(text, "out of memory") != NULL);
  return false;
}

static void fail_everywhere(const char *format, const char *backend)
{
  struct dg_error err = {0};
  char text[8192];
  long n = 0, stale = 0;
  snprintf(text, sizeof text, format, backend);
  size_t before = dg_memory_current();
  for (int failed = 1; failed; n++) {
    assert_int_equal(system("rm -rf " FOLDER), 0);
    err = (struct dg_error){0};
    /* A new one every time: Lua makes what its functions need, and once it has no memory it has none for ever. */
    struct mx_script *script = load_text(text, 0, NULL, 0, NULL, &err);
    assert_string_equal(err.message, "");
    dg_memory_fail_at(n + 1);
    failed = run(script, &err) != 0;
    dg_memory_fail_at(0);
    assert_int_equal(err.code, failed ? DG_ENVIRONMENT : DG_OK);
    if (failed && strstr(err.message, "out of memory: ") == NULL) fail_msg("%ld: %s", n, err.message);
    stale += check_summary(!failed);
    mx_script_free(script);
    assert_int_equal(dg_memory_current(), before);
  }
  print_message("%ld allocations\n", n - 1);
  assert_true(n > 150);
  assert_true(stale <= 2); /* for the names of the file */
}

static void survives_with_sources_and_measurements(void **state)
{
  (void)state;
  fail_everywhere(ports, "cpu");
}

static void survives_with_s_parameters(void **state)
{
  (void)state;
  fail_everywhere(scattering, "cpu");
}

static void survives_in_the_reference(void **state)
{
  (void)state;
  fail_everywhere(scattering, "reference");
}

/* ---- without a script */

static int ramp(void *self, const struct mx_places *at, double *value, struct dg_error *err)
{
  const double *slope = self;
  (void)err;
  for (size_t i = 0; i < at->count; i++) {
    value[3 * i] = value[3 * i + 1] = 0;
    value[3 * i + 2] = *slope * at->x[i][0];
  }
  return 0;
}

static int is_late(void *self, const char *what, int inputs, const double *in, bool *answer, struct dg_error *err)
{
  const double *last = self;
  (void)err;
  assert_string_equal(what, "time.finish");
  assert_int_equal(inputs, 3);
  *answer = in[1] >= *last; /* t, n, energy */
  return 0;
}

/* A program in C fills the configuration, says that it comes from nowhere, and has all that a run has: its functions,
 * output, a rule to stop, a checkpoint. */
static void runs_without_a_script(void **state)
{
  double slope = 2, last = 20;
  const struct mx_function field = {.values = ramp, .self = &slope}, finish = {.answer = is_late, .self = &last};
  struct mx_material_config vacuum = {
      .where.is_default = true, .epsilon_r.value = 1, .mu_r.value = 1, .sigma.value = 0};
  struct mx_config config = mx_config_defaults();
  struct mx_setup setup = {0};
  struct mx_folder folder = {0};
  struct dg_error err = {0};
  const size_t before = dg_memory_current();
  char text[8192];
  (void)state;
  config.name = "x";
  config.script_path = "a program";
  config.mesh.file = "box.msh";
  config.mesh.keep = false;
  config.order = 2;
  config.alpha = 0;
  config.time.steps = 1000;
  config.time.finish = &finish;
  config.watchdog.every = 1;
  config.checkpoint.every = 15;
  config.output.energy_every = 1;
  config.material = &vacuum;
  config.materials = 1;
  config.initial.E = &field;
  assert_int_equal(system("rm -rf " FOLDER), 0);
  if (mx_folder_open(&folder, FOLDER, NULL, NULL, &err) == 0 &&
      mx_setup_init(&setup, &config, NULL, NULL, NULL, NULL, &err) == 0)
    (void)!mx_run(&setup, &folder, &(struct mx_run_options){0}, &err);
  assert_string_equal(err.message, "");
  mx_folder_close(&folder);
  mx_setup_release(&setup);
  assert_int_equal(dg_memory_current(), before);
  assert_true(check_summary(true) == false);
  FILE *file = fopen(FOLDER "/summary.json", "r");
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  assert_non_null(strstr(text, "\"stop_reason\": \"function\""));
  assert_non_null(strstr(text, "\"steps\": 20,"));
  file = fopen(FOLDER "/energy.csv", "r");
  assert_non_null(file);
  double first = 0, electric = 0, now, total;
  int rows = 0;
  assert_non_null(fgets(text, sizeof text, file));
  for (; fscanf(file, "%*d,%*f,%lf,%*f,%lf", &now, &total) == 2; rows++) {
    if (rows == 0) first = total, electric = now;
    assert_true(fabs(total / first - 1) < 1e-9); /* the centred flux keeps it */
  }
  fclose(file);
  assert_int_equal(rows, 21);
  /* 1/2 epsilon0 times the integral of (2 x)^2 over the box of 1 x 1 x 0.5 m */
  assert_true(fabs(electric / (0.5 * MX_EPSILON0 * 4.0 / 3 * 0.5) - 1) < 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(survives_with_sources_and_measurements),
      cmocka_unit_test(survives_with_s_parameters),
      cmocka_unit_test(survives_in_the_reference),
      cmocka_unit_test(runs_without_a_script),
  };
  return cmocka_run_group_tests_name("setup", tests, enter, leave);
}
