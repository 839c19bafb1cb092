/* What a script must not ignore: names of -D that nobody reads, waveforms that are changed, functions that remember. */
#include "maxwell/tests/script_fixture.h"

/* The message of a script that is given -D NAME=2; "" if it is taken. */
static const char *message_of(const char *text, const char *name)
{
  static struct dg_error err;
  const struct mx_definition arg = {name, "2"};
  err = (struct dg_error){0};
  mx_script_free(load_text(text, 1, &arg, 0, NULL, &err));
  return err.message;
}

static void takes_names_that_are_read(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "simulation { order = args.length }",
      "local a = args\nsimulation { order = a['length'] }",
      "local n = 0\nfor k, v in pairs(args) do n = n + v end\nsimulation { order = n }",
      "args.length = (args.length or 1) + 1\nsimulation { order = args.length }",
      "simulation { order = 1, mesh = { parameters = args } }",
      "simulation { order = 1, f = function() return args.length end }", /* when it is called */
      "simulation { order = 1, f = function() return args [ \"length\" ] end }",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_string_equal(message_of(texts[i], "length"), "");
}

static void gives_what_args_hold_to_the_table(void **state)
{
  (void)state;
  struct dg_error err = {0};
  const struct mx_definition arg[] = {{"L", "0.5"}, {"n", "3"}};
  struct mx_script *script = load_text("args.extra = 4\nsimulation { parameters = args }", 2, arg, 0, NULL, &err);
  assert_string_equal(err.message, "");
  const struct mx_value *parameters = &root_of(script)->entry[0].value;
  assert_int_equal(parameters->count, 3);
  assert_string_equal(parameters->entry[0].key.name, "L");
  assert_true(parameters->entry[0].value.number == 0.5);
  assert_true(parameters->entry[1].value.number == 4);
  mx_script_free(script);
}

static void refuses_names_that_nobody_reads(void **state)
{
  (void)state;
  static const char *const cases[][3] = {
      {"simulation { order = args.length or 1 }", "lenght",
       "-D lenght=2: the script does not read args.lenght (nearest: args.length)"},
      {"simulation { order = args.length or 1, x = args.width }", "q",
       "-D q=2: the script does not read args.q; it reads args."},
      {"local length = 1\nsimulation { order = length }", "length",
       "-D length=2: the script does not read args.length"},
      {"simulation { order = 1, f = function() return args.lengths end }", "length",
       "-D length=2: the script does not read args.length"},
      {"args.length = 3\nsimulation { order = 1 }", "width", "-D width=2: the script does not read args.width"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *message = message_of(cases[i][0], cases[i][1]);
    if (strncmp(message, cases[i][2], strlen(cases[i][2])) != 0) assert_string_equal(message, cases[i][2]);
  }
}

static void refuses_waveforms_that_were_changed(void **state)
{
  (void)state;
  struct dg_error err = {0};
  mx_script_free(load_text("local w = waveform.sine { f0 = 1 }\nrawset(w, 'f0', 2)\nsimulation { w = w }", 0, NULL, 0,
                           NULL, &err));
  assert_string_equal(err.message, "cavity.lua:3: the waveform w was changed with rawset; make another one");
  err = (struct dg_error){0};
  struct mx_script *script = load_text("local w = waveform.table { times = { 0, 1, 3 }, values = { 0, 2, 1 } }\n"
                                       "local n = 0\nfor _, v in ipairs(w.values) do n = n + v end\n"
                                       "for _ in pairs(w) do n = n + 10 end\n"
                                       "simulation { n = n + 100 * #w.times, w = w }",
                                       0, NULL, 0, NULL, &err);
  assert_string_equal(err.message, "");
  assert_true(root_of(script)->entry[0].value.number == 343); /* kind, times, values, amplitude */
  mx_script_free(script);
}

static void notices_functions_that_remember(void **state)
{
  (void)state;
  static const struct {
    const char *function, *message;
  } cases[] = {
      {"function(x) return 1 + x end", ""},
      {"function(x) return 1 + math.random() end", ""}, /* belongs to the arguments */
      {"function(x) n = n + 1 return n end", "materials.a.sigma does not give the same"},
      {"function(x) local before = last last = x return before or 0 end", "materials.a.sigma does not give the same"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct dg_error err = {0};
    char text[300];
    snprintf(text, sizeof text, "local n, last = 0, nil\nsimulation { f = %s }", cases[i].function);
    struct mx_script *script = load_text(text, 0, NULL, 0, NULL, &err);
    assert_string_equal(err.message, "");
    double x[40][3] = {{0}}, out[40];
    const struct mx_function *function = root_of(script)->entry[0].value.function;
    for (int k = 0; k < 40; k++) {
      x[k][0] = k / 7;
      assert_int_equal(call_function(function, "materials.a.sigma", 3, x[k], 1, &out[k], &err), 0);
    }
    const struct mx_places at = {.what = "materials.a.sigma", .count = 40, .x = (const double(*)[3])x, .components = 1};
    const int status = mx_function_repeat(function, &at, out, &err);
    assert_int_equal(status, cases[i].message[0] != '\0' ? DG_INPUT : DG_OK);
    if (status != 0) assert_non_null(strstr(err.message, cases[i].message));
    mx_script_free(script);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(takes_names_that_are_read),       cmocka_unit_test(gives_what_args_hold_to_the_table),
      cmocka_unit_test(refuses_names_that_nobody_reads), cmocka_unit_test(refuses_waveforms_that_were_changed),
      cmocka_unit_test(notices_functions_that_remember),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
