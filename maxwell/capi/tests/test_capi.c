/* libcurlew.so as a program in C calls it, with nothing of Curlew but its header: functions of the caller's, steps
 * against the run, errors. A box of one mesh, whose first mode is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "maxwell/capi/curlew.h"

static const double pi = 3.14159265358979323846;

static const char script[] = "simulation {\n"
                             "  name = 'box',\n"
                             "  mesh = { file = '" TEST_SOURCE_DIR "/../../examples/01_cavity/cavity.geo',\n"
                             "           size = 0.6, parameters = { L = 1 } },\n"
                             "  order = 4,\n"
                             "  time = { stop = 4e-9 },\n"
                             "  materials = { inside = {} },\n"
                             "  boundaries = { walls = { kind = 'pec' } },\n"
                             "  output = { probes = { { name = 'p', at = { 0.4, 0.5, 0.3 }, every = 2 } } },\n"
                             "}\n";

/* The first mode of the box: Ez = sin(pi x) sin(pi y) at t = 0. */
static int mode(void *self, size_t count, const double *x, const double *t, int components, double *value,
                char *message, size_t room)
{
  const double *factor = self;
  (void)t, (void)message, (void)room;
  assert_int_equal(components, 3);
  for (size_t i = 0; i < count; i++) {
    value[3 * i] = value[3 * i + 1] = 0;
    value[3 * i + 2] = *factor * sin(pi * x[3 * i]) * sin(pi * x[3 * i + 1]);
  }
  return 0;
}

static int refuse(void *self, size_t count, const double *x, const double *t, int components, double *value,
                  char *message, size_t room)
{
  (void)self, (void)count, (void)x, (void)t, (void)components, (void)value;
  snprintf(message, room, "no field\ntoday");
  return 1;
}

static struct curlew_simulation *make(const struct curlew_function *function, struct curlew_error *error)
{
  const struct curlew_pair set = {"time.cfl", "0.9"};
  const struct curlew_options options = {.text = script,
                                         .script = "/box.lua",
                                         .function = function,
                                         .functions = function != NULL,
                                         .set = &set,
                                         .sets = 1,
                                         .trust = 1};
  struct curlew_simulation *simulation;
  (void)curlew_new(&simulation, &options, error);
  return simulation;
}

static void steps_a_mode(void **state)
{
  double factor = 2, energy[2];
  const struct curlew_function function = {.key = "initial.E", .values = mode, .self = &factor, .digest = 1};
  struct curlew_error error;
  struct curlew_description about;
  struct curlew_record record;
  (void)state;
  struct curlew_simulation *simulation = make(&function, &error);
  if (simulation == NULL) fail_msg("%s", error.message);
  curlew_describe(simulation, &about);
  assert_int_equal(about.unknowns, 6 * about.elements * about.nodes);
  assert_string_equal(curlew_name(simulation), "box");
  assert_int_equal(curlew_energy(simulation, energy, &error), 0);
  assert_true(fabs(energy[0] - 0.5 * 8.8541878128e-12 * factor * factor / 4) < 1e-3 * energy[0]);
  assert_int_equal(curlew_advance(simulation, about.steps, &error), 0);
  assert_int_equal(curlew_steps_done(simulation), about.steps);
  assert_int_equal(curlew_record(simulation, 0, &record, &error), 0);
  assert_string_equal(record.name, "p");
  assert_int_equal(record.rows, about.steps / 2 + 1);
  assert_int_equal(record.width, 6);
  const double w = sqrt(2) * pi * 299792458.0, shape = factor * sin(0.4 * pi);
  for (uint64_t i = 0; i < record.rows; i++)
    assert_true(fabs(record.value[6 * i + 2] - shape * cos(w * record.time[i])) < 0.02 * shape);
  const size_t numbers = 3 * about.elements * about.nodes;
  double *E = malloc(numbers * sizeof *E), *H = malloc(numbers * sizeof *H), *x = malloc(numbers * sizeof *x);
  if (E == NULL || H == NULL || x == NULL) abort();
  curlew_nodes(simulation, x);
  assert_int_equal(curlew_get_fields(simulation, E, H, &error), 0);
  const double t = curlew_time(simulation);
  for (size_t e = 0; e < about.elements; e++)
    for (size_t i = 0; i < about.nodes; i++) {
      const double *at = x + 3 * e * about.nodes + i;
      const double right = factor * sin(pi * at[0]) * sin(pi * at[about.nodes]) * cos(w * t);
      assert_true(fabs(E[(3 * e + 2) * about.nodes + i] - right) < 0.1 * factor);
    }
  assert_int_equal(curlew_advance(simulation, 1, &error), 2);
  free(E), free(H), free(x);
  curlew_free(simulation);
}

static size_t length_of(const char *folder, const char *name)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (file == NULL) return 0;
  size_t bytes = 0;
  while (fgetc(file) != EOF) bytes++;
  fclose(file);
  return bytes;
}

/* A run with output in steps gives the energies of one without output, writes a table, and goes on from a checkpoint.
 */
static void steps_a_run(void **state)
{
  double factor = 2, energy[2], of_run[2];
  const struct curlew_function function = {.key = "initial.E", .values = mode, .self = &factor, .digest = 1};
  char folder[] = "/tmp/curlew_capi_XXXXXX", out[64], command[96];
  struct curlew_run_options options = {.folder = out};
  struct curlew_position position;
  struct curlew_error error;
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(out, sizeof out, "%s/out", folder);
  struct curlew_simulation *plain = make(&function, &error), *simulation = make(&function, &error);
  assert_non_null(plain);
  assert_non_null(simulation);
  assert_int_equal(curlew_checkpoint(simulation, &error), 2);
  assert_int_equal(curlew_begin(simulation, &options, &error), 0);
  assert_int_equal(curlew_begin(simulation, &options, &error), 2);
  assert_int_equal(curlew_advance(simulation, 5, &error), 0);
  assert_int_equal(curlew_energy(simulation, of_run, &error), 0);
  assert_int_equal(curlew_advance(plain, 5, &error), 0);
  assert_int_equal(curlew_energy(plain, energy, &error), 0);
  assert_memory_equal(energy, of_run, sizeof energy);
  assert_int_equal(curlew_flush(simulation, &error), 0);
  assert_true(length_of(out, "probes/p.csv") > 100);
  assert_int_equal(curlew_snapshot(simulation, &error), 2); /* the script has no output.fields */
  curlew_where(simulation, &position);
  assert_int_equal(position.step, 5);
  assert_int_equal(curlew_stop(simulation, &error), 0); /* behind the step that was looked at */
  curlew_where(simulation, &position);
  assert_true(position.over);
  assert_int_equal(curlew_advance(simulation, 1, &error), 2);
  curlew_free(simulation);
  options.restart = 1;
  simulation = make(&function, &error);
  assert_int_equal(curlew_begin(simulation, &options, &error), 0);
  assert_int_equal(curlew_steps_done(simulation), 6);
  assert_int_equal(curlew_finish(simulation, &error), 0);
  curlew_free(simulation);
  curlew_free(plain);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): a folder of this test's
}

static void says_what_is_wrong(void **state)
{
  const struct curlew_function wrong = {.key = "initial.E", .values = refuse},
                               nowhere = {.key = "order", .values = mode}, through = {.key = "name.E", .values = mode};
  const struct curlew_options none = {.echo = 0};
  struct curlew_simulation *simulation;
  struct curlew_error error;
  struct curlew_record record;
  double energy[2];
  (void)state;
  assert_int_equal(curlew_new(&simulation, &none, &error), 2);
  assert_null(simulation);
  assert_string_equal(error.message, "there is no script");
  const struct curlew_options warm = {
      .text = "simulation { mesh = { file = 'box.msh' }, order = 1, materials = { default = "
              "{ thermal_conductivity = 1 } }, heat = { steady = true } }",
      .script = "/box.lua"};
  assert_int_equal(curlew_new(&simulation, &warm, &error), 2);
  assert_non_null(strstr(error.message, "heat is computed by the program alone"));
  assert_null(make(&nowhere, &error));
  assert_int_equal(error.code, 2);
  assert_non_null(strstr(error.message, "order must be"));
  assert_null(make(&through, &error));
  assert_non_null(strstr(error.message, "not a table"));
  simulation = make(&wrong, &error);
  assert_non_null(simulation);
  assert_int_equal(curlew_energy(simulation, energy, &error), 2);
  assert_string_equal(error.message, "initial.E: no field today");
  assert_int_equal(curlew_record(simulation, 1, &record, &error), 2);
  assert_int_equal(curlew_advance(simulation, -1, &error), 2);
  curlew_free(simulation);
  curlew_free(NULL);
  assert_int_equal(curlew_api(), CURLEW_API);
}

/* A function that calls the simulation that it belongs to, and frees it. */
struct caller {
  struct curlew_simulation *simulation;
  int calls, refused;
  int frees;
};

static int calls_back(void *self, size_t count, const double *x, const double *t, int components, double *value,
                      char *message, size_t room)
{
  struct caller *const caller = self;
  struct curlew_error error;
  double energy[2], one = 1;
  if (caller->simulation != NULL) { /* else it is called while the simulation is made */
    caller->calls++;
    caller->refused += curlew_advance(caller->simulation, 1, &error) == 2;
    caller->refused += curlew_energy(caller->simulation, energy, &error) == 2;
    caller->refused += curlew_close(caller->simulation, &error) == 2;
    assert_non_null(strstr(error.message, "a function of a simulation"));
    (void)curlew_time(caller->simulation); /* may be asked */
    if (caller->frees) curlew_free(caller->simulation);
  }
  return mode(&one, count, x, t, components, value, message, room);
}

static int writes_nothing(void *self, size_t count, const double *x, const double *t, int components, double *value,
                          char *message, size_t room)
{
  (void)self, (void)count, (void)x, (void)t, (void)components, (void)value, (void)message, (void)room;
  return 0;
}

static void takes_one_call(void **state)
{
  struct caller caller = {0};
  const struct curlew_function function = {.key = "initial.E", .values = calls_back, .self = &caller},
                               lazy = {.key = "initial.E", .values = writes_nothing};
  struct curlew_error error;
  double energy[2];
  (void)state;
  struct curlew_simulation *simulation = make(&function, &error);
  assert_non_null(simulation);
  caller.simulation = simulation;
  assert_int_equal(curlew_energy(simulation, energy, &error), 0);
  assert_true(caller.calls > 0 && caller.refused == 3 * caller.calls);
  assert_int_equal(curlew_interrupt(simulation), 1);
  assert_int_equal(curlew_advance(simulation, 2, &error), 0); /* nothing was at work */
  assert_int_equal(curlew_close(simulation, &error), 0);
  assert_int_equal(curlew_close(simulation, &error), 2);
  assert_string_equal(error.message, "there is no such simulation: it has been freed");
  assert_int_equal(curlew_advance(simulation, 1, &error), 2);
  assert_int_equal(curlew_interrupt(simulation), 0);
  curlew_free(simulation);
  caller = (struct caller){.frees = 1};
  simulation = make(&function, &error);
  assert_non_null(simulation);
  caller.simulation = simulation;
  assert_int_equal(curlew_advance(simulation, 5, &error), 130); /* and is freed then */
  assert_int_equal(curlew_advance(simulation, 5, &error), 2);
  simulation = make(&lazy, &error);
  assert_non_null(simulation);
  assert_int_equal(curlew_advance(simulation, 1, &error), 2);
  assert_non_null(strstr(error.message, "initial.E"));
  curlew_free(simulation);
}

/* A source that is evaluated in another thread for the step after the call, and calls its simulation then. */
struct early {
  struct curlew_simulation *simulation;
  pthread_t host;
  atomic_bool returned; /* the host's call: no call is at work any more */
  atomic_int calls, refused;
};

static void pause_a_little(void) { (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

static int calls_early(void *self, size_t count, const double *x, const double *t, int components, double *value,
                       char *message, size_t room)
{
  struct early *const early = self;
  struct curlew_error error;
  (void)x, (void)t, (void)message, (void)room;
  memset(value, 0, count * (size_t)components * sizeof *value);
  if (early->simulation == NULL || pthread_equal(early->host, pthread_self())) return 0;
  for (int wait = 0; wait < 1000 && !atomic_load(&early->returned); wait++) pause_a_little();
  if (!atomic_load(&early->returned)) return 0;
  (void)atomic_fetch_add(&early->calls, 1);
  (void)atomic_fetch_add(&early->refused, curlew_advance(early->simulation, 1, &error) == 2 &&
                                              strstr(error.message, "a function of a simulation") != NULL);
  return 0;
}

static void refuses_functions_between_calls(void **state)
{
  static const char with_source[] = "simulation { mesh = { file = '" TEST_SOURCE_DIR
                                    "/../../examples/01_cavity/cavity.geo', size = 0.6, parameters = { L = 1 } },\n"
                                    "order = 1, time = { stop = 4e-9 }, materials = { inside = {} },\n"
                                    "boundaries = { walls = { kind = 'pec' } }, sources = { { region = 'inside' } } }";
  struct early early = {.host = pthread_self()};
  const struct curlew_function function = {.key = "sources.1.current", .values = calls_early, .self = &early};
  const struct curlew_options options = {
      .text = with_source, .script = "/box.lua", .function = &function, .functions = 1, .trust = 1};
  struct curlew_simulation *simulation;
  struct curlew_error error;
  (void)state;
  if (curlew_new(&simulation, &options, &error) != 0) fail_msg("%s", error.message);
  early.simulation = simulation;
  assert_int_equal(curlew_advance(simulation, 1, &error), 0);
  atomic_store(&early.returned, true);
  for (int wait = 0; wait < 2000 && atomic_load(&early.refused) == 0; wait++) pause_a_little();
  if (sysconf(_SC_NPROCESSORS_ONLN) > 1) assert_true(atomic_load(&early.calls) > 0); /* else in line */
  assert_int_equal(atomic_load(&early.refused), atomic_load(&early.calls));
  assert_int_equal(curlew_close(simulation, &error), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_a_mode), cmocka_unit_test(steps_a_run), cmocka_unit_test(takes_one_call),
      cmocka_unit_test(refuses_functions_between_calls), cmocka_unit_test(says_what_is_wrong)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
