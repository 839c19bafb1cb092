/* Hooks as the script reader carries them out: tables that grow, what a script sees of them, what it may return and
 * remember. */
#include "maxwell/tests/script_fixture.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "maxwell/shell/hooks/results.h"

/* ---- tables ---- */

static void append(const char *path, const char *text)
{
  FILE *file = fopen(path, "a");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static void reads_a_table_that_grows(void **state)
{
  struct mx_table table = {0};
  struct dg_error err = {0};
  (void)state;
  write_text("a.csv", "time,Ex\n0,1e-300\n0.10000000000000001,nan\n0.2,");
  assert_int_equal(mx_table_read(&table, "a.csv", &err), 0);
  assert_int_equal(table.columns, 2);
  assert_string_equal(table.name[1], "Ex");
  assert_int_equal(table.rows, 2);
  assert_true(table.value[1] == 1e-300 && table.value[2] == 0.1 && isnan(table.value[3]));
  assert_false(table.words[0] || table.words[1]);
  append("a.csv", "-3\n0.3,4\n");
  assert_int_equal(mx_table_read(&table, "a.csv", &err), 0);
  assert_int_equal(table.rows, 2);
  assert_true(table.value[0] == 0.2 && table.value[1] == -3 && table.value[2] == 0.3 && table.value[3] == 4);
  assert_int_equal(mx_table_read(&table, "a.csv", &err), 0);
  assert_int_equal(table.rows, 0);
  const long end = table.end;
  mx_table_release(&table);
  append("a.csv", "0.4,word\n");
  table = (struct mx_table){.end = end, .columns = 2};
  assert_int_equal(mx_table_read(&table, "a.csv", &err), 0);
  assert_int_equal(table.rows, 1);
  assert_true(table.value[0] == 0.4 && table.words[1] && !table.words[0]);
  assert_string_equal(table.cell[1], "word");
  mx_table_release(&table);
  assert_int_equal(remove("a.csv"), 0);
}

static void refuses_broken_tables(void **state)
{
  static const char *const broken[][2] = {
      {"time,Ex\n0,1\n2\n", "cannot read 'a.csv': a line has 1 cells, not 2"},
      {"time,Ex\n0,1,2\n", "cannot read 'a.csv': a line has more than 2 cells"},
      {"", "cannot read 'a.csv': it is empty"},
      {"time,Ex", "cannot read 'a.csv': it is empty"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    struct mx_table table = {0};
    struct dg_error err = {0};
    write_text("a.csv", broken[i][0]);
    assert_int_equal(mx_table_read(&table, "a.csv", &err), DG_ENVIRONMENT);
    assert_string_equal(err.message, broken[i][1]);
    mx_table_release(&table);
  }
  struct mx_table table = {.end = 100, .columns = 2};
  struct dg_error err = {0};
  assert_int_equal(mx_table_read(&table, "a.csv", &err), DG_ENVIRONMENT);
  assert_string_equal(err.message, "cannot read 'a.csv': it has become shorter");
  mx_table_release(&table);
  assert_int_equal(remove("a.csv"), 0);
}

/* ---- hooks ---- */

/* A list of probes, a and b, in a.csv, and what is there at the end only, in b.csv. */
static struct mx_result scene[] = {{.list = "probes", .name = "a", .path = (char[]){"a.csv"}},
                                   {.list = "probes", .name = "b", .path = (char[]){"a.csv"}},
                                   {.name = "late", .path = (char[]){"b.csv"}, .at_end = true},
                                   {.name = "lacks", .path = (char[]){"c.csv"}, .may_lack = true}};

static const struct mx_function *hook_of(const struct mx_script *script)
{
  const struct mx_value *root = root_of(script);
  for (size_t i = 0; i < root->count; i++)
    if (root->entry[i].value.type == MX_FUNCTION) return root->entry[i].value.function;
  fail_msg("the test is wrong: no function");
  return NULL;
}

/* Calls the hook with this body; returns the code. */
static int look(const struct mx_script *script, long step, bool ended, struct mx_verdict *verdict, struct dg_error *err)
{
  const struct mx_results results = {.step = step,
                                     .steps = 100,
                                     .time = 0.5 * (double)step,
                                     .ended = ended,
                                     .stop_reason = ended ? "steps" : NULL,
                                     .count = sizeof scene / sizeof *scene,
                                     .result = scene};
  const struct mx_function *hook = hook_of(script);
  *verdict = (struct mx_verdict){0};
  return hook->look(hook->self, "on.output", &results, verdict, err);
}

static struct mx_script *load_hook(const char *before, const char *body)
{
  struct dg_error err = {0};
  char text[2000];
  snprintf(text, sizeof text, "%s simulation { f = function(sim)\n%s\nend }\n", before, body);
  struct mx_script *script = load_text(text, 0, NULL, 0, NULL, &err);
  assert_string_equal(err.message, "");
  return script;
}

static double number_of(const struct mx_verdict *verdict, const char *name)
{
  const struct mx_derived *item = mx_derived_find(&verdict->derived, name);
  assert_non_null(item);
  assert_int_equal(item->type, MX_DERIVED_NUMBER);
  return item->number;
}

static void sees_what_has_come(void **state)
{
  struct mx_verdict verdict;
  struct dg_error err = {0};
  (void)state;
  struct mx_script *script = load_hook("", "local a = sim.probes.a\n"
                                           "local sum = 0 for i, v in ipairs(a.Ex) do sum = sum + i * v end\n"
                                           "local most, at = a.Ex:max() local least = a.Ex:min()\n"
                                           "return { n = #a.time, sum = sum, most = most, at = at, least = least, "
                                           "peak = a.Ex:peak(2), ends = a.Ex:max(-7, 99), none_there = a.Ex:max(3) == "
                                           "nil and 1 or 0, last = a.last.Ex, none = a.Ex[#a.Ex + 1] == nil and 1 "
                                           "or 0, t = sim.time, lacks = sim.lacks == nil and 1 or 0 }");
  write_text("a.csv", "time,Ex\n0,3\n1,-5\n");
  assert_int_equal(look(script, 4, false, &verdict, &err), 0);
  assert_true(number_of(&verdict, "n") == 2 && number_of(&verdict, "sum") == -7 && number_of(&verdict, "most") == 3);
  assert_true(number_of(&verdict, "at") == 1 && number_of(&verdict, "least") == -5 && number_of(&verdict, "peak") == 5);
  assert_true(number_of(&verdict, "last") == -5 && number_of(&verdict, "none") == 1 && number_of(&verdict, "t") == 2);
  assert_true(number_of(&verdict, "lacks") == 1);
  assert_true(number_of(&verdict, "ends") == 3 && number_of(&verdict, "none_there") == 1);
  assert_false(verdict.stop);
  for (size_t i = 1; i < verdict.derived.count; i++)
    assert_true(strcmp(verdict.derived.item[i - 1].name, verdict.derived.item[i].name) < 0);
  mx_derived_release(&verdict.derived);
  for (int row = 0; row < 500; row++) append("a.csv", row == 321 ? "2,9\n" : "3,1\n"); /* storage grows */
  assert_int_equal(look(script, 8, false, &verdict, &err), 0);
  assert_true(number_of(&verdict, "n") == 502 && number_of(&verdict, "most") == 9 && number_of(&verdict, "at") == 324);
  assert_true(number_of(&verdict, "sum") == 3 - 10 + 502 * 503 / 2 - 3 + 8 * 324);
  mx_derived_release(&verdict.derived);
  mx_script_free(script);
  assert_int_equal(remove("a.csv"), 0);
}

static void goes_through_names_in_order(void **state)
{
  struct mx_verdict verdict;
  struct dg_error err = {0};
  (void)state;
  struct mx_script *script =
      load_hook("", "local all = ''\n"
                    "for k in pairs(sim) do all = all .. k .. ' ' end\n"
                    "for k in pairs(sim.probes) do all = all .. k .. ' ' end\n"
                    "for k, c in pairs(sim.late) do all = all .. k .. #c .. tostring(c[2]) end\n"
                    "return { all = all, yes = sim.ended, t = { z = { 1, 2 }, a = sim.late.f } }");
  write_text("a.csv", "time,Ex\n0,3\n");
  write_text("b.csv", "f,who\n1,x\n2,me\n");
  assert_int_equal(look(script, 100, true, &verdict, &err), 0);
  const struct mx_derived *all = mx_derived_find(&verdict.derived, "all");
  assert_string_equal(all->word, "time step steps ended stop_reason probes late lacks a b f22.0who2me");
  assert_true(mx_derived_find(&verdict.derived, "yes")->boolean);
  const struct mx_derived *table = &verdict.derived.item[1];
  assert_string_equal(table->name, "t");
  assert_int_equal(table->type, MX_DERIVED_TABLE);
  assert_int_equal(table->rows, 2);
  assert_string_equal(table->column[0], "a");
  assert_true(table->value[0][1] == 2 && table->value[1][0] == 1);
  mx_derived_release(&verdict.derived);
  mx_script_free(script);
  assert_int_equal(remove("a.csv"), 0);
  assert_int_equal(remove("b.csv"), 0);
}

static void stops_a_run(void **state)
{
  static const char *const bodies[] = {"sim.stop('enough')", "sim:stop('enough')", "sim.stop('no') sim.stop('enough')"};
  (void)state;
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    struct mx_verdict verdict;
    struct dg_error err = {0};
    struct mx_script *script = load_hook("", bodies[i]);
    assert_int_equal(look(script, 1, false, &verdict, &err), 0);
    assert_true(verdict.stop);
    assert_string_equal(verdict.why, "enough");
    assert_int_equal(verdict.derived.count, 0);
    mx_script_free(script);
  }
}

/* What a hook must not do: the text in front of the script, the body, and a part of the message. */
static const char *const wrong[][3] = {
    {"local n = 0", "n = n + 1", "cavity.lua:1: on.output changes a variable or a table outside of it"},
    {"n = 0", "n = n + 1", "changes a variable or a table outside of it"},
    {"local t = {}", "t.x = sim.probes", "changes a variable or a table outside of it"},
    {"local t = {}", "t[1] = function() return sim end", "changes a variable or a table outside of it"},
    {"", "sim.probes.a.Ex = 3", "cavity.lua:2: results cannot be changed"},
    {"", "rawset(sim, 'x', 3)", "rawset"},
    {"", "setmetatable(sim, nil)", "setmetatable"},
    {"", "getmetatable(sim.probes.a.Ex).__index = print", "index a string value|cannot|attempt"},
    {"", "return { x = sim.late }", "sim.late is known at the end of the run only"},
    {"", "return { x = sim.probes.a.Ex:max('a') }",
     "cavity.lua:2: bad argument #1 to 'max' (number expected, got string)"},
    {"", "return { x = sim.probes.a.Ex.mean }", "a column has no 'mean'; it has max, min and peak, and numbers 1 to 2"},
    {"", "return { x = sim.probes[1] }", "sim.probes has names, as in sim.probes.probes"},
    {"", "return { x = sim.probes.c }", "sim.probes has no 'c'"},
    {"", "return { x = {} }", "before the end of the run derived values are numbers"},
    {"", "return { [('x'):rep(101)] = 1 }", "whose name must be one for a file"},
    {"", "pcall(function() return sim.probes.b.Ex[1] end) error('mine')", "cavity.lua:2: mine, in on.output at step 1"},
};

static void refuses_what_cannot_be_right(void **state)
{
  (void)state;
  write_text("a.csv", "time,Ex\n0,3\n1,2\n");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct mx_verdict verdict;
    struct dg_error err = {0};
    struct mx_script *script = load_hook(wrong[i][0], wrong[i][1]);
    const int code = look(script, 1, false, &verdict, &err);
    char part[200];
    snprintf(part, sizeof part, "%.*s", (int)strcspn(wrong[i][2], "|"), wrong[i][2]);
    if (code != DG_INPUT || (strchr(wrong[i][2], '|') == NULL && strstr(err.message, part) == NULL))
      fail_msg("%s: code %d, '%s'", wrong[i][1], code, err.message);
    mx_derived_release(&verdict.derived);
    mx_script_free(script);
  }
  assert_int_equal(remove("a.csv"), 0);
}

/* A table that cannot be read is the environment's error, and a script that catches it gains nothing. */
static void reports_a_table_that_is_gone(void **state)
{
  struct mx_verdict verdict;
  struct dg_error err = {0};
  (void)state;
  struct mx_script *script = load_hook("", "pcall(function() return sim.probes.a.Ex[1] end) return { x = 1 }");
  assert_int_equal(look(script, 1, false, &verdict, &err), DG_ENVIRONMENT);
  assert_non_null(strstr(err.message, "cannot read 'a.csv'"));
  mx_derived_release(&verdict.derived);
  mx_script_free(script);
}

/* Random numbers belong to the step, and drawing them is no change. */
static void draws_the_same_random_numbers(void **state)
{
  double seen[3];
  (void)state;
  for (int i = 0; i < 3; i++) {
    struct mx_verdict verdict;
    struct dg_error err = {0};
    struct mx_script *script = load_hook("", "return { x = math.random() }");
    if (i == 1) { /* another call before */
      assert_int_equal(look(script, 5, false, &verdict, &err), 0);
      mx_derived_release(&verdict.derived);
    }
    assert_int_equal(look(script, i == 2 ? 11 : 10, false, &verdict, &err), 0);
    seen[i] = number_of(&verdict, "x");
    mx_derived_release(&verdict.derived);
    mx_script_free(script);
  }
  assert_true(seen[0] == seen[1] && seen[0] != seen[2]);
}

/* Wherever memory ends, the call is an error and nothing is lost. */
static void survives_without_memory(void **state)
{
  (void)state;
  write_text("a.csv", "time,Ex\n0,3\n1,2\n");
  bool whole = false;
  for (long n = 1; !whole; n++) {
    struct mx_verdict verdict;
    struct dg_error err = {0};
    const size_t before = dg_memory_current();
    struct mx_script *script = load_hook("", "return { a = sim.probes.a.Ex:max(), b = #sim.probes.b.time }");
    dg_memory_fail_at(n);
    const int code = look(script, 1, false, &verdict, &err);
    dg_memory_fail_at(0);
    whole = code == 0;
    assert_true(code == 0 || code == DG_ENVIRONMENT || code == DG_INPUT);
    if (code == 0) assert_true(number_of(&verdict, "a") == 3 && number_of(&verdict, "b") == 2);
    mx_derived_release(&verdict.derived);
    mx_script_free(script);
    assert_int_equal(dg_memory_current(), before);
    assert_true(n < 2000);
  }
  assert_int_equal(remove("a.csv"), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_a_table_that_grows),
      cmocka_unit_test(refuses_broken_tables),
      cmocka_unit_test(sees_what_has_come),
      cmocka_unit_test(goes_through_names_in_order),
      cmocka_unit_test(stops_a_run),
      cmocka_unit_test(refuses_what_cannot_be_right),
      cmocka_unit_test(reports_a_table_that_is_gone),
      cmocka_unit_test(draws_the_same_random_numbers),
      cmocka_unit_test(survives_without_memory),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
