/* The script reader: values, lines of keys, constants, -D and --set, limits, and messages for scripts that are wrong.
 */
#include "maxwell/tests/script_fixture.h"

#include <math.h>
#include <sys/stat.h>

#include "libdg/base/memory.h"

/* The value at a path of names and integers, found by hand. */
static const struct mx_value *at(const struct mx_value *table, const char *key)
{
  for (size_t i = 0; i < table->count; i++) {
    char name[32];
    snprintf(name, sizeof name, "%lld", table->entry[i].key.integer);
    if (strcmp(table->entry[i].key.name != NULL ? table->entry[i].key.name : name, key) == 0)
      return &table->entry[i].value;
  }
  fail_msg("no key '%s' in '%s'", key, table->path);
  return NULL;
}

static struct mx_script *load_good(const char *text)
{
  struct dg_error err = {0};
  struct mx_script *script = load_text(text, 0, NULL, 0, NULL, &err);
  assert_string_equal(err.message, "");
  return script;
}

static void reads_every_type_of_value(void **state)
{
  (void)state;
  struct mx_script *script = load_good("simulation { zulu = true, alpha = 2.5, whole = 1e3, text = 'abc', [7] = {},\n"
                                       "f = function() end, 'first', [-2] = 0x10, 'second' }\n");
  const struct mx_value *root = root_of(script);
  static const char *const order[] = {"-2", "1", "2", "7", "alpha", "f", "text", "whole", "zulu"};
  assert_int_equal(root->type, MX_TABLE);
  assert_string_equal(root->path, "");
  assert_int_equal(root->count, 9);
  for (size_t i = 0; i < 9; i++) assert_ptr_equal(at(root, order[i]), &root->entry[i].value);
  assert_int_equal(at(root, "zulu")->type, MX_BOOLEAN);
  assert_true(at(root, "zulu")->boolean);
  assert_int_equal(at(root, "alpha")->type, MX_NUMBER);
  assert_true(at(root, "alpha")->number == 2.5);
  assert_false(at(root, "alpha")->is_integer);
  assert_true(at(root, "whole")->number == 1000 && at(root, "whole")->is_integer);
  assert_true(at(root, "-2")->number == 16);
  assert_int_equal(at(root, "text")->type, MX_STRING);
  assert_string_equal(at(root, "text")->string, "abc");
  assert_string_equal(at(root, "2")->string, "second");
  assert_int_equal(at(root, "7")->type, MX_TABLE);
  assert_int_equal(at(root, "7")->count, 0);
  assert_int_equal(at(root, "f")->type, MX_FUNCTION);
  assert_string_equal(mx_script_origin(script)->path, "cavity.lua");
  assert_memory_equal(mx_lua_version(), "Lua 5.4", 7);
  mx_script_free(script);
  mx_script_free(NULL);
}

/* Each line of the text that has a key "lN" (or an item "lN") must be line N. */
static const char lines_text[] = "#!/usr/bin/env curlew\n"                                 /* 1 */
                                 "-- simulation { order = 1 }\n"                           /* 2 */
                                 "--[==[ simulation {\n"                                   /* 3 */
                                 "]]   \" ]==] local s = 'simulation { \\' \\\n"           /* 4 */
                                 " x = 1 }' .. [[\n"                                       /* 5 */
                                 "simulation { }]]\n"                                      /* 6 */
                                 "local t = { simulation = function() end }\n"             /* 7 */
                                 "t.simulation { l0 = 1 }\n"                               /* 8 */
                                 "local elsewhere = { inner = { deep = 1 } }\n"            /* 9 */
                                 "simulation {\n"                                          /* 10 */
                                 "  l11 = 1, l11b = { l11c = 2 }; -- l99 = 3\n"            /* 11 */
                                 "  l12 = function(x, y) local a, b = 1, 2; if x then\n"   /* 12 */
                                 "    for i = 1, 3 do a = { q = 1, r = 2 } end; end\n"     /* 13 */
                                 "    repeat b = 1, 2 until (a == b) while false do end\n" /* 14 */
                                 "    return a, b end,\n"                                  /* 15 */
                                 "  ['l16'] = 1, [ [[l16b]] ] = 'x, y = { }', [7] = {\n"   /* 16 */
                                 "    l17 = 0x1p-3, 'l17 item' },\n"                       /* 17 */
                                 "  [-3] = 1, ['l' .. 18] = 1, l18b = ({ n = 5 }).n,\n"    /* 18 */
                                 "  l19 = elsewhere,\n"                                    /* 19 */
                                 "  l20 = { { 1, 2, 3 },\n"                                /* 20 */
                                 "    { l21 = math.max(1, 2), every = 3 == 3 },\n"         /* 21 */
                                 "    { l22 = 1 } },\n"                                    /* 22 */
                                 "}\n";

static void finds_the_line_of_every_key(void **state)
{
  (void)state;
  struct mx_script *script = load_good(lines_text);
  const struct mx_value *root = root_of(script);
  assert_int_equal(root->line, 10);
  assert_string_equal(root->where, "cavity.lua:10");
  assert_int_equal(at(root, "l11")->line, 11);
  assert_int_equal(at(at(root, "l11b"), "l11c")->line, 11);
  assert_int_equal(at(root, "l12")->line, 12);
  assert_int_equal(at(root, "l16")->line, 16);
  assert_int_equal(at(root, "l16b")->line, 16);
  assert_int_equal(at(root, "7")->line, 16);
  assert_int_equal(at(at(root, "7"), "l17")->line, 17);
  assert_int_equal(at(at(root, "7"), "1")->line, 17);
  assert_int_equal(at(root, "-3")->line, 18);
  assert_int_equal(at(root, "l18")->line, 10); /* a computed key: only the call is known */
  assert_int_equal(at(root, "l18b")->line, 18);
  /* A table that was built elsewhere: the key that it is given to. */
  assert_int_equal(at(at(at(root, "l19"), "inner"), "deep")->line, 19);
  assert_string_equal(at(at(at(root, "l19"), "inner"), "deep")->path, "l19.inner.deep");
  assert_int_equal(at(at(at(root, "l20"), "1"), "3")->line, 20);
  assert_int_equal(at(at(at(root, "l20"), "2"), "l21")->line, 21);
  assert_int_equal(at(at(at(root, "l20"), "2"), "every")->line, 21);
  assert_int_equal(at(at(at(root, "l20"), "3"), "l22")->line, 22);
  assert_string_equal(at(at(at(root, "l20"), "3"), "l22")->where, "cavity.lua:22");
  assert_string_equal(at(at(at(root, "l20"), "3"), "l22")->path, "l20.3.l22");
  mx_script_free(script);

  script = load_good("\n\nlocal t = { order = 3 }\nt.flux = 1\n\nsimulation(t)\n");
  assert_int_equal(at(root_of(script), "flux")->line, 6);
  mx_script_free(script);
  script = load_good("simulation\n(\n{ order =\n3 }\n)\n");
  assert_int_equal(at(root_of(script), "order")->line, 3);
  mx_script_free(script);
  script = load_good("\xef\xbb\xbfsimulation\n{\norder = 3 }"); /* byte-order mark, no newline at the end */
  assert_int_equal(at(root_of(script), "order")->line, 3);
  mx_script_free(script);
}

static void names_the_file_that_calls_simulation(void **state)
{
  (void)state;
  write_text("other.lua", "\nsimulation {\n order = 3 }\n");
  struct mx_script *script = load_good("dofile('other.lua')\n");
  assert_string_equal(at(root_of(script), "order")->where, "other.lua:2");
  mx_script_free(script);
  remove("other.lua");
}

static void offers_the_constants(void **state)
{
  (void)state;
  struct mx_script *script = load_good("local n = 0; for _ in pairs(const) do n = n + 1 end\n"
                                       "simulation { c0 = const.c0, mu0 = const.mu0, epsilon0 = const.epsilon0,\n"
                                       "eta0 = const.eta0, pi = const.pi, n = n }\n");
  const struct mx_value *root = root_of(script);
  assert_true(at(root, "c0")->number == 299792458.0);
  assert_true(at(root, "mu0")->number == 1.25663706212e-6);
  assert_true(fabs(at(root, "epsilon0")->number / 8.8541878128e-12 - 1) < 1e-10); /* CODATA 2018 */
  assert_true(fabs(at(root, "eta0")->number / 376.730313668 - 1) < 1e-11);
  assert_true(at(root, "pi")->number == acos(-1.0));
  assert_true(at(root, "n")->number == 5);
  mx_script_free(script);
}

static void takes_definitions(void **state)
{
  (void)state;
  static const struct mx_definition arg[] = {
      {"L", "0.25"},   {"n", "1e3"},    {"fast", "true"}, {"slow", "false"},   {"mode", "te10"},   {"empty", ""},
      {"hex", "0x10"}, {"none", "nil"}, {"text", "1 2"},  {"equation", "a=b"}, {"_x1", "infinity"}};
  struct dg_error err = {0};
  struct mx_script *script = load_text("local t = {}; for k, v in pairs(args) do t[k] = v end\n"
                                       "t.missing = tostring(args.missing); simulation(t)",
                                       11, arg, 0, NULL, &err);
  assert_string_equal(err.message, "");
  const struct mx_value *root = root_of(script);
  assert_int_equal(root->count, 12);
  assert_true(at(root, "L")->number == 0.25);
  assert_true(at(root, "n")->number == 1000);
  assert_int_equal(at(root, "fast")->type, MX_BOOLEAN);
  assert_true(at(root, "fast")->boolean);
  assert_int_equal(at(root, "slow")->type, MX_BOOLEAN);
  assert_false(at(root, "slow")->boolean);
  assert_string_equal(at(root, "mode")->string, "te10");
  assert_string_equal(at(root, "empty")->string, "");
  assert_true(at(root, "hex")->number == 16);
  assert_string_equal(at(root, "none")->string, "nil");
  assert_string_equal(at(root, "text")->string, "1 2");
  assert_string_equal(at(root, "equation")->string, "a=b");
  assert_string_equal(at(root, "_x1")->string, "infinity");
  assert_string_equal(at(root, "missing")->string, "nil");
  mx_script_free(script);
}

static void overrides_keys(void **state)
{
  (void)state;
  static const struct mx_definition set[] = {{"time.steps", "100"},
                                             {"boundaries.walls.kind", "pec"},
                                             {"output.probes.1.every", "2"},
                                             {"output.probes.2.at", "{0, 0.5, 2*math.pi}"},
                                             {"mesh.file", "../a/b.geo"},
                                             {"name", "\"12\""},
                                             {"a.b.c", "true"},
                                             {"time.stop", "nil"},
                                             {"shared", "(const.c0)"},
                                             {"date", "2024-05-01"},
                                             {"materials.x.epsilon_r", "9"}};
  struct dg_error err = {0};
  struct mx_script *script = load_text("local m = { epsilon_r = 4 }\n"
                                       "simulation { time = { stop = 1, steps = 3 }, materials = { x = m, y = m },\n"
                                       "output = { probes = { { every = 1 } } }, mesh = 3, mesh = nil }\n",
                                       0, NULL, 0, NULL, &err);
  assert_null(script); /* mesh twice */
  assert_string_equal(err.message, "cavity.lua:3: 'mesh' is given twice, first in line 3");
  err = (struct dg_error){0};
  script = load_text("local m = { epsilon_r = 4 }\n"
                     "simulation { time = { stop = 1, steps = 3 }, materials = { x = m, y = m },\n"
                     "output = { probes = { { every = 1 } } } }\n",
                     0, NULL, 11, set, &err);
  assert_string_equal(err.message, "");
  const struct mx_value *root = root_of(script);
  const struct mx_value *steps = at(at(root, "time"), "steps"), *probes = at(at(root, "output"), "probes");
  assert_int_equal(at(root, "time")->count, 1); /* stop is gone */
  assert_true(steps->number == 100 && steps->is_integer);
  assert_int_equal(steps->line, 0);
  assert_string_equal(steps->where, "--set time.steps=100");
  assert_string_equal(steps->path, "time.steps");
  assert_int_equal(at(root, "time")->line, 2);
  assert_string_equal(at(at(at(root, "boundaries"), "walls"), "kind")->string, "pec");
  assert_string_equal(at(at(root, "boundaries"), "walls")->path, "boundaries.walls");
  assert_string_equal(at(root, "boundaries")->where, "--set boundaries.walls.kind=pec");
  assert_int_equal(probes->count, 2);
  assert_true(at(at(probes, "1"), "every")->number == 2);
  assert_true(at(at(at(probes, "2"), "at"), "3")->number == 2 * acos(-1.0));
  assert_string_equal(at(at(at(probes, "2"), "at"), "3")->path, "output.probes.2.at.3");
  assert_string_equal(at(at(root, "mesh"), "file")->string, "../a/b.geo");
  assert_string_equal(at(root, "name")->string, "12");
  assert_true(at(at(at(root, "a"), "b"), "c")->boolean);
  assert_true(at(root, "shared")->number == 299792458.0);
  assert_string_equal(at(root, "date")->string, "2024-05-01");
  /* x and y share a table in the script, but --set changes x alone. */
  assert_true(at(at(at(root, "materials"), "x"), "epsilon_r")->number == 9);
  assert_true(at(at(at(root, "materials"), "y"), "epsilon_r")->number == 4);
  for (size_t i = 1; i < root->count; i++)
    assert_true(strcmp(root->entry[i - 1].key.name, root->entry[i].key.name) < 0);
  mx_script_free(script);
}

static const struct {
  const char *name, *value, *message;
} bad_sets[] = {
    {"order.x", "3", "--set order.x=3: 'order' is a number, not a table"},
    {"mesh.file.x", "3", "--set mesh.file.x=3: 'mesh.file' is a string, not a table"},
    {"time..steps", "3", "--set time..steps=3: the path has an empty name; write it as in time.steps=100"},
    {"time.", "3", "--set time.=3: the path has an empty name; write it as in time.steps=100"},
    {"", "3", "--set =3: the name is missing; write it as in --set time.steps=100"},
    {"order", NULL, "--set order: the '=' is missing; write it as in --set time.steps=100"},
    {"tmie.stop", "nil", "--set tmie.stop=nil: there is no such key to remove"},
    {"order", "{1, 2", "--set order={1, 2: the value cannot be read: '}' expected near <eof>"},
    {"order", "{pec}", "--set order={pec}: the value cannot be read: undefined name 'pec'"},
    {"order", "(cosnt.c0)",
     "--set order=(cosnt.c0): the value cannot be read: undefined name 'cosnt' (nearest: const)"},
    {"order", "'a', 'b'", "--set order='a', 'b': the value cannot be read: it is not one value"},
    {"order", "{ {[1.5] = 2} }",
     "--set order={ {[1.5] = 2} }: a key of order.1 is a fractional number; keys are names "
     "or integers"},
};

static void refuses_bad_overrides(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof bad_sets / sizeof bad_sets[0]; i++) {
    struct mx_definition set = {bad_sets[i].name, bad_sets[i].value};
    struct dg_error err = {0};
    struct mx_script *script = load_text("simulation { order = 3, mesh = { file = 'x' } }", 0, NULL, 1, &set, &err);
    assert_null(script);
    assert_int_equal(err.code, DG_INPUT);
    assert_string_equal(err.message, bad_sets[i].message);
  }
  static const struct mx_definition twice[] = {{"order", "1"}, {"order", "2"}};
  static const struct mx_definition digit = {"1x", "3"}, missing = {"x", NULL}, nameless = {"", "3"};
  struct dg_error err = {0};
  assert_null(load_text("simulation {}", 0, NULL, 2, twice, &err));
  assert_string_equal(err.message, "--set order=2: 'order' is given twice");
  err = (struct dg_error){0};
  assert_null(load_text("simulation {}", 2, twice, 0, NULL, &err));
  assert_string_equal(err.message, "-D order=2: 'order' is given twice");
  err = (struct dg_error){0};
  assert_null(load_text("simulation {}", 1, &digit, 0, NULL, &err));
  assert_string_equal(err.message, "-D 1x=3: '1x' is not a name (letters, digits and _)");
  err = (struct dg_error){0};
  assert_null(load_text("simulation {}", 1, &missing, 0, NULL, &err));
  assert_string_equal(err.message, "-D x: the '=' is missing; write it as in -D length=0.1");
  err = (struct dg_error){0};
  assert_null(load_text("simulation {}", 1, &nameless, 0, NULL, &err));
  assert_string_equal(err.message, "-D =3: the name is missing; write it as in -D length=0.1");
}

static const struct {
  const char *text, *message;
} bad_scripts[] = {
    {"", "cavity.lua: the script never calls simulation { }"},
    {"local x = 1\n", "cavity.lua: the script never calls simulation { }"},
    {"simulation {}\nsimulation {}\n",
     "cavity.lua:2: simulation { } is called a second time; the first call is in line 1"},
    {"\nsimulation(3)", "cavity.lua:2: simulation takes one table, as in simulation { order = 3 }"},
    {"\nsimulation()", "cavity.lua:2: simulation takes one table, as in simulation { order = 3 }"},
    {"\nsimulation({}, {})", "cavity.lua:2: simulation takes one table, as in simulation { order = 3 }"},
    {"simulation {\n order = 3\n flux = 1 }", "cavity.lua:3: '}' expected (to close '{' at line 1) near 'flux'"},
    {"simulation { order = 3", "cavity.lua:1: '}' expected near <eof>"},
    {"x = 'abc\n", "cavity.lua:1: unfinished string near ''abc'"},
    {"\n\nerror('no such mode')", "cavity.lua:3: no such mode"},
    {"\nerror('no such mode', 0)", "cavity.lua:2: no such mode"},
    {"\nerror({})", "cavity.lua:2: the error is a table value, not a message"},
    {"error(setmetatable({}, { __tostring = function() return 'told' end }))", "cavity.lua:1: told"},
    {"error()", "cavity.lua:1: the error is a nil value, not a message"},
    {"error(42)", "cavity.lua:1: 42"},
    {"error('two\\nlines')", "cavity.lua:1: two lines"},
    {"local t = nil\nprint(t.x)", "cavity.lua:2: attempt to index a nil value (local 't')"},
    {"local x = maths.pi", "cavity.lua:1: undefined name 'maths' (nearest: math)"},
    {"\nlocal x = cosnt.c0", "cavity.lua:2: undefined name 'cosnt' (nearest: const)"},
    {"\nlocal x = qwertyuiop", "cavity.lua:2: undefined name 'qwertyuiop'"},
    {"local x = const.c", "cavity.lua:1: const has no 'c' (it has c0, epsilon0, eta0, mu0, pi)"},
    {"\nconst.c0 = 1", "cavity.lua:2: const.c0 cannot be set: const is read-only"},
    {"simulatoin {}", "cavity.lua:1: undefined name 'simulatoin' (nearest: simulation)"},
    {"string.rep()", "cavity.lua:1: bad argument #1 to 'rep' (string expected, got no value)"},
    {"\nlocal t = {}\nt.t = t\nsimulation {\n a = { t } }", "cavity.lua:5: the table a.1.t contains itself"},
    {"local t = {} for i = 1, 50 do t = { t } end\nsimulation(t)", "cavity.lua:2: tables are nested more than 32 deep"},
    {"simulation {\n x = { [true] = 1 } }", "cavity.lua:2: a key of x is a boolean; keys are names or integers"},
    {"simulation {\n x = { [2.5] = 1 } }",
     "cavity.lua:2: a key of x is a fractional number; keys are names or integers"},
    {"simulation { [print] = 1 }", "cavity.lua:1: a key of simulation is a function; keys are names or integers"},
    {"simulation {\n x = 'a\\0b' }", "cavity.lua:2: the string x has a zero byte"},
    {"simulation {\n ['a\\0b'] = 1 }", "cavity.lua:1: a key of simulation has a zero byte"},
    {"simulation {\n x = setmetatable({}, {}) }", "cavity.lua:2: x has a metatable; only plain tables can be read"},
    {"simulation { order = 3,\n\n ['order'] = 4 }", "cavity.lua:3: 'order' is given twice, first in line 1"},
    {"\nmath.randomseed()", "cavity.lua:2: math.randomseed takes a number here: without one no run could be repeated"},
    {"math.randomseed('a')", "cavity.lua:1: bad argument #1 to 'randomseed' (number expected, got string)"},
    {"math.random(2, 1)", "cavity.lua:1: bad argument #2 to 'random' (interval is empty)"},
    {"\x1bLua", "the script 'cavity.lua' is compiled Lua, not text"},
};

static void refuses_bad_scripts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof bad_scripts / sizeof bad_scripts[0]; i++) {
    struct dg_error err = {0};
    assert_null(load_text(bad_scripts[i].text, 0, NULL, 0, NULL, &err));
    assert_string_equal(err.message, bad_scripts[i].message);
    assert_int_equal(err.code, DG_INPUT);
  }
  struct dg_error err = {0};
  struct mx_script *script;
  assert_int_equal(mx_script_load(&script, "missing.lua", 0, NULL, 0, NULL, NULL, &err), DG_INPUT);
  assert_string_equal(err.message, "cannot open the script 'missing.lua': No such file or directory");
  err = (struct dg_error){0};
  assert_int_equal(mx_script_load(&script, ".", 0, NULL, 0, NULL, NULL, &err), DG_INPUT);
  assert_string_equal(err.message, "cannot read the script '.': Is a directory");
}

static void keeps_long_paths_whole(void **state)
{
  (void)state;
  static const char folder[] = "a-folder-with-a-name-that-is-longer-than-what-Lua-keeps-of-it";
  static const char path[] = "a-folder-with-a-name-that-is-longer-than-what-Lua-keeps-of-it/cavity.lua";
  struct mx_script *script;
  struct dg_error err = {0};
  char message[256];
  assert_int_equal(mkdir(folder, 0700), 0);
  write_text(path, "\nerror('here')");
  assert_int_equal(mx_script_load(&script, path, 0, NULL, 0, NULL, NULL, &err), DG_INPUT);
  snprintf(message, sizeof message, "%s:2: here", path);
  assert_string_equal(err.message, message);
  assert_int_equal(remove(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

static void names_the_places_of_a_missing_prelude(void **state)
{
  (void)state;
  struct dg_error err = {0};
  assert_int_equal(setenv("CURLEW_SHARE", "nowhere", 1), 0);
  assert_null(load_text("simulation {}", 0, NULL, 0, NULL, &err));
  assert_int_equal(setenv("CURLEW_SHARE", TEST_SOURCE_DIR "/../../share", 1), 0);
  assert_int_equal(err.code, DG_ENVIRONMENT);
  assert_string_equal(err.message, "lua/prelude.lua was not found in 'nowhere' (from CURLEW_SHARE)");

  assert_int_equal(system("mkdir -p half/lua"), 0);
  write_text("half/lua/prelude.lua", "");
  err = (struct dg_error){0};
  assert_int_equal(setenv("CURLEW_SHARE", "half", 1), 0);
  assert_null(load_text("simulation {}", 0, NULL, 0, NULL, &err));
  assert_int_equal(setenv("CURLEW_SHARE", TEST_SOURCE_DIR "/../../share", 1), 0);
  assert_int_equal(err.code, DG_ENVIRONMENT);
  assert_string_equal(err.message, "lua/waveform.lua was not found in 'half' (from CURLEW_SHARE)");
  assert_int_equal(system("rm -r half"), 0);
}

/* On line 1 + i of its script stands the i-th function. */
static const struct {
  const char *function;
  int inputs, outputs;
  const char *message; /* NULL: no error */
} calls[] = {
    {"function(x, y, z) return x + y, y * z, 7 end", 3, 3, NULL},
    {"function(t) return t end", 1, 1, NULL},
    {"function(x, y, z) return 1, 2 end", 3, 3,
     "cavity.lua:4: f must return three numbers, returned 2 at (x, y, z) = (0.5, 2, -3)"},
    {"function(x, y, z) return 1, 2, 3, 4 end", 3, 3,
     "cavity.lua:5: f must return three numbers, returned 4 at (x, y, z) = (0.5, 2, -3)"},
    {"function(x, y, z) end", 3, 1, "cavity.lua:6: f must return one number, returned 0 at (x, y, z) = (0.5, 2, -3)"},
    {"function(x, y, z) return 1, '2', 3 end", 3, 3,
     "cavity.lua:7: f must return three numbers, but result 2 is a string at (x, y, z) = (0.5, 2, -3)"},
    {"function(x, y, z) return nil end", 3, 1,
     "cavity.lua:8: f must return one number, but result 1 is a nil at (x, y, z) = (0.5, 2, -3)"},
    {"function(x, y, z) return 0/0 end", 3, 1, "cavity.lua:9: f returned nan at (x, y, z) = (0.5, 2, -3)"},
    {"function(x, y, z, t) return -1/0 end", 4, 1,
     "cavity.lua:10: f returned infinity at (x, y, z, t) = (0.5, 2, -3, 4e-09)"},
    {"function(t) return 1/0 end", 1, 1, "cavity.lua:11: f returned infinity at (t) = (0.5)"},
    {"function(x, y, z) return nothing.x end", 3, 1,
     "cavity.lua:12: undefined name 'nothing', in f at (x, y, z) = (0.5, 2, -3)"},
    {"function(x, y, z) error('bad point') end", 3, 1, "cavity.lua:13: bad point, in f at (x, y, z) = (0.5, 2, -3)"},
    {"function(x, y, z) error({}) end", 3, 1,
     "cavity.lua:14: the error is a table value, not a message, in f at (x, y, z) = (0.5, 2, -3)"},
    {"function() simulation {} end", 0, 0, "cavity.lua:15: simulation { } is called after the script has ended, in f"},
    {"function(x) local function f() return 1 + f() end return f() end", 1, 1, "stack overflow"},
    {"math.sqrt", 1, 1, NULL},
};

static void calls_functions(void **state)
{
  (void)state;
  enum { COUNT = sizeof calls / sizeof calls[0] };
  char text[4096] = "simulation {\n";
  for (size_t i = 0; i < COUNT; i++) {
    strcat(text, calls[i].function);
    strcat(text, ",\n");
  }
  strcat(text, "}\n");
  struct mx_script *script = load_good(text);
  const struct mx_value *root = root_of(script);
  const double in[] = {0.5, 2, -3, 4e-9};
  double out[4];
  assert_int_equal(root->count, COUNT);
  for (int round = 0; round < 3; round++) { /* errors must leave nothing behind */
    for (size_t i = 0; i < COUNT; i++) {
      struct dg_error err = {0};
      int code = call_function(root->entry[i].value.function, "f", calls[i].inputs, in, calls[i].outputs, out, &err);
      assert_int_equal(code, calls[i].message == NULL ? DG_OK : DG_INPUT);
      if (calls[i].message == NULL) assert_string_equal(err.message, "");
      else if (strchr(calls[i].message, ':') != NULL) assert_string_equal(err.message, calls[i].message);
      else assert_non_null(strstr(err.message, calls[i].message));
      assert_null(strchr(err.message, '\n'));
      assert_null(strstr(err.message, "traceback"));
    }
  }
  struct dg_error err = {0};
  assert_int_equal(call_function(root->entry[0].value.function, "f", 3, in, 3, out, &err), 0);
  assert_true(out[0] == 2.5 && out[1] == -6 && out[2] == 7);
  assert_int_equal(call_function(root->entry[COUNT - 1].value.function, "f", 1, in + 1, 1, out, &err), 0);
  assert_true(out[0] == sqrt(2.0));
  mx_script_free(script);
}

/* Only a trusted script has values of such types. */
static void refuses_userdata(void **state)
{
  static const struct mx_limits trust = {.trust = true};
  struct dg_error err = {0};
  struct mx_script *script;
  (void)state;
  write_text("cavity.lua", "simulation {\n x = io.stdout }");
  assert_int_equal(mx_script_load(&script, "cavity.lua", 0, NULL, 0, NULL, &trust, &err), DG_INPUT);
  assert_string_equal(err.message, "cavity.lua:2: x is a userdata; no key takes that");
}

static void repeats_random_numbers(void **state)
{
  (void)state;
  struct mx_script *a = load_good("simulation { x = math.random() }");
  struct mx_script *b = load_good("simulation { x = math.random() }");
  assert_true(at(root_of(a), "x")->number == at(root_of(b), "x")->number);
  mx_script_free(a);
  mx_script_free(b);
}

static double draw(struct mx_script *script, const char *what, double x, double t)
{
  struct dg_error err = {0};
  const double in[] = {x, 0, 0, t};
  double out;
  assert_int_equal(call_function(at(root_of(script), "f")->function, what, 4, in, 1, &out, &err), 0);
  return out;
}

/* Whatever was asked before, and by whom. */
static void gives_random_numbers_by_place_and_time(void **state)
{
  (void)state;
  static const char text[] =
      "local n = 0\n"
      "simulation { f = function(x, y, z, t) n = n + 1 local r = math.random() return r + math.random() end }";
  struct mx_script *a = load_good(text), *b = load_good(text);
  const double first = draw(a, "f", 0.5, 1), second = draw(a, "f", 0.5, 2);
  assert_true(first != second && draw(a, "g", 0.5, 1) != first && draw(a, "f", 0.25, 1) != first);
  assert_true(draw(b, "f", 0.5, 2) == second && draw(b, "f", 0.5, 1) == first && draw(a, "f", 0.5, 1) == first);
  assert_true(draw(a, "f", -0.0, 1) == draw(a, "f", 0.0, 1));
  mx_script_free(a);
  mx_script_free(b);
  a = load_good("math.randomseed(1) simulation { f = function(x, y, z, t) return math.random() + math.random() end }");
  b = load_good("math.randomseed(2) simulation { f = function(x, y, z, t) return math.random() + math.random() end }");
  assert_true(draw(a, "f", 0.5, 1) != draw(b, "f", 0.5, 1) && draw(a, "f", 0.5, 1) != first);
  assert_true(mx_origin_seed(mx_script_origin(a)) != mx_origin_seed(mx_script_origin(b)) &&
              mx_origin_seed(mx_script_origin(a)) != 0);
  mx_script_free(a);
  mx_script_free(b);
  a = load_good("simulation { f = function(x, y, z, t) math.randomseed(7) return math.random() end }");
  assert_true(draw(a, "f", 0.5, 1) == draw(a, "f", 0.5, 2) && mx_origin_seed(mx_script_origin(a)) == 0);
  mx_script_free(a);
}

/* Spread evenly, also where arguments differ by little. */
static void gives_random_numbers_that_are_even(void **state)
{
  (void)state;
  enum { DRAWS = 20000, BINS = 10 };
  struct mx_script *script = load_good("simulation { f = function(x, y, z, t) return math.random() end }");
  double mean = 0, product = 0, last = 0.5;
  int bin[BINS] = {0};
  for (int i = 0; i < DRAWS; i++) {
    const double number = draw(script, "f", 1e-3 * i, 1e-12);
    bin[(int)(number * BINS)]++;
    mean += number / DRAWS;
    product += 12 * (number - 0.5) * (last - 0.5) / DRAWS;
    last = number;
  }
  /* five standard deviations */
  assert_true(fabs(mean - 0.5) < 5 / sqrt(12.0 * DRAWS) && fabs(product) < 5 / sqrt((double)DRAWS));
  for (int i = 0; i < BINS; i++) assert_true(abs(bin[i] - DRAWS / BINS) < 5 * sqrt(0.09 * DRAWS));
  mx_script_free(script);
}

/* Whichever allocation fails: one clean error, nothing left behind. */
static void survives_every_failing_allocation(void **state)
{
  (void)state;
  static const struct mx_definition arg = {"n", "3"}, set = {"time.steps", "{ 1, 'a' }"};
  static const char text[] = "local t = {} for i = 1, 20 do t[i] = { name = 'p' .. i, f = function() end } end\n"
                             "simulation { list = t, order = args.n, time = { stop = 1 }, [3] = { 'x', ['y'] = 2 } }";
  size_t before = dg_memory_current();
  long n = 0;
  for (int failed = 1; failed; n++) {
    struct dg_error err = {0};
    write_text("cavity.lua", text);
    struct mx_script *script;
    dg_memory_fail_at(n + 1);
    failed = mx_script_load(&script, "cavity.lua", 1, &arg, 1, &set, NULL, &err) != 0;
    dg_memory_fail_at(0);
    assert_int_equal(err.code, failed ? DG_ENVIRONMENT : DG_OK);
    if (failed) assert_non_null(strstr(err.message, "out of memory"));
    mx_script_free(script);
    assert_int_equal(dg_memory_current(), before);
  }
  assert_true(n > 200);
}

static void reports_memory_used_up_in_a_call(void **state)
{
  (void)state;
  struct mx_script *script =
      load_good("simulation { function() local t = {} for i = 1, 9 do t[i] = {} end return 1 end }");
  struct dg_error err = {0};
  double out;
  dg_memory_fail_at(3);
  int code = call_function(root_of(script)->entry[0].value.function, "f", 0, NULL, 1, &out, &err);
  dg_memory_fail_at(0);
  assert_int_equal(code, DG_ENVIRONMENT);
  assert_non_null(strstr(err.message, "while running cavity.lua, in f"));
  mx_script_free(script);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_every_type_of_value),
      cmocka_unit_test(finds_the_line_of_every_key),
      cmocka_unit_test(names_the_file_that_calls_simulation),
      cmocka_unit_test(offers_the_constants),
      cmocka_unit_test(takes_definitions),
      cmocka_unit_test(overrides_keys),
      cmocka_unit_test(refuses_bad_overrides),
      cmocka_unit_test(refuses_bad_scripts),
      cmocka_unit_test(keeps_long_paths_whole),
      cmocka_unit_test(names_the_places_of_a_missing_prelude),
      cmocka_unit_test(calls_functions),
      cmocka_unit_test(refuses_userdata),
      cmocka_unit_test(repeats_random_numbers),
      cmocka_unit_test(gives_random_numbers_by_place_and_time),
      cmocka_unit_test(gives_random_numbers_that_are_even),
      cmocka_unit_test(survives_every_failing_allocation),
      cmocka_unit_test(reports_memory_used_up_in_a_call),
  };
  return cmocka_run_group_tests_name("script", tests, enter_folder, leave_folder);
}
