/* What a script may not do: reach beyond itself, run for ever, take all memory. */
#include "maxwell/tests/script_fixture.h"

#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "libdg/base/memory.h"

static struct mx_script *load_limited(const char *text, const struct mx_limits *limits, struct dg_error *err)
{
  struct mx_script *script;
  write_text("cavity.lua", text);
  (void)!mx_script_load(&script, "cavity.lua", 0, NULL, 0, NULL, limits, err);
  return script;
}

static int make_folders(void **state)
{
  if (enter_folder(state) != 0) return -1;
  /* work/ is the script's folder in all of these tests; secret.lua lies beside it. */
  return mkdir("work", 0700) != 0 || mkdir("work/sub", 0700) != 0 || chdir("work") != 0;
}

static int remove_folders(void **state)
{
  const char *folder = *state;
  char command[200];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return chdir("/") != 0 || system(command) != 0;
}

#define HARM(name) name " is not available to scripts: they could do harm with it; " TRUST
#define TRUST      "start curlew with --trust if you trust this script"

static const struct {
  const char *code, *message;
} forbidden[] = {
    {"os.execute('true')", HARM("os.execute")},
    {"os.remove('work')", HARM("os.remove")},
    {"os.rename('a', 'b')", HARM("os.rename")},
    {"os.exit(0)", HARM("os.exit")},
    {"os.tmpname()", HARM("os.tmpname")},
    {"os.getenv('HOME')", HARM("os.getenv")},
    {"os.setlocale('C')", HARM("os.setlocale")},
    {"io.open('x', 'w')", HARM("io.open")},
    {"io.popen('true')", HARM("io.popen")},
    {"io.lines('x')", HARM("io.lines")},
    {"io.output('x')", HARM("io.output")},
    {"io.write('x')", HARM("io.write")},
    {"local x = io.stdout", HARM("io.stdout")},
    {"debug.getregistry()", HARM("debug.getregistry")},
    {"debug.sethook()", HARM("debug.sethook")},
    {"debug.setmetatable(1, {})", HARM("debug.setmetatable")},
    {"debug.getupvalue(load, 2)", HARM("debug.getupvalue")},
    {"package.loadlib('libm.so', '*')", HARM("package.loadlib")},
    {"package.cpath = '/tmp/?.so' print(package.searchpath('x', package.cpath))", HARM("package.searchpath")},
    {"local x = package.loaded", HARM("package.loaded")},
    {"local x = package.preload", HARM("package.preload")},
    {"load(string.dump(function() end))", "load is not available to scripts for compiled Lua; " TRUST},
    {"load('\\27Lua', 'x', 'b')", "load is not available to scripts for compiled Lua; " TRUST},
    {"setmetatable({}, { __gc = function() while true do end end })", "__gc is not available to scripts; " TRUST},
    {"dofile('../secret.lua')",
     "dofile is not available to scripts for files outside of their own folder, such as '../secret.lua'; " TRUST},
    {"dofile('sub/link.lua')",
     "dofile is not available to scripts for files outside of their own folder, such as 'sub/link.lua'; " TRUST},
    {"loadfile('/etc/passwd')",
     "loadfile is not available to scripts for files outside of their own folder, such as '/etc/passwd'; " TRUST},
    {"require 'sub.link'",
     "require is not available to scripts for files outside of their own folder, such as './sub/link.lua'; " TRUST},
    {"require '../secret'", "require takes the name of a module, as in \"curlew.spectrum\", not '../secret'"},
    {"require '/etc/passwd'", "require takes the name of a module, as in \"curlew.spectrum\", not '/etc/passwd'"},
    {"require 'socket'", "there is no module 'socket': neither ./socket.lua nor one of Curlew's; for others " TRUST},
    {"require 'curlew.json'.read('x.json')", NULL}, /* in a line of that module */
    {"getmetatable(io).__index = nil", "attempt to index a string value"},
    {"setmetatable(os, nil)", "cannot change a protected metatable"},
    {"setmetatable(1, {})", "bad argument #1 to 'setmetatable' (table expected, got number)"},
    {"setmetatable({}, 1)", "bad argument #2 to 'setmetatable' (nil or table expected, got number)"},
    {"load(1)", "bad argument #1 to 'load' (function expected, got number)"},
    {"collectgarbage('nothing')", "bad argument #1 to 'collectgarbage' (invalid option 'nothing')"},
};

static void refuses_what_reaches_beyond_the_script(void **state)
{
  (void)state;
  write_text("../secret.lua", "simulation {}");
  assert_int_equal(symlink("../../secret.lua", "sub/link.lua"), 0);
  for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
    struct dg_error err = {0};
    char text[400], message[600];
    snprintf(text, sizeof text, "simulation {}\n%s", forbidden[i].code);
    assert_null(load_limited(text, NULL, &err));
    assert_int_equal(err.code, DG_INPUT);
    if (forbidden[i].message == NULL) {
      assert_non_null(strstr(err.message, HARM("io.open")));
      continue;
    }
    snprintf(message, sizeof message, "cavity.lua:2: %s", forbidden[i].message);
    if (strstr(err.message, message) != err.message) assert_string_equal(err.message, message);
  }
}

/* The same in --set, whose values are Lua as well. */
static void refuses_it_in_overrides(void **state)
{
  static const char *const values[] = {"(os.execute('true'))",  "(io.open('x'))", "(require('socket'))",
                                       "(dofile('other.lua'))", "(load('x'))",    "(_G)"};
  (void)state;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    struct mx_definition set = {"order", values[i]};
    struct dg_error err = {0};
    assert_null(load_text("simulation { order = 3 }", 0, NULL, 1, &set, &err));
    assert_int_equal(err.code, DG_INPUT);
    assert_non_null(strstr(err.message, "the value cannot be read: undefined name "));
  }
}

static void offers_what_is_harmless(void **state)
{
  (void)state;
  static const char text[] =
      "assert(os.time() > 0 and os.clock() >= 0 and #os.date() > 0 and os.difftime(2, 1) == 1)\n"
      "assert(os.nothing == nil and debug.traceback('x'):find 'x')\n"
      "local seven = assert(load('return 7'))() assert(seven == 7)\n"
      "local parts = { 'return ', 'y', nil } local i = 0\n"
      "local f = assert(load(function() i = i + 1 return parts[i] end, 'x', 'bt', { y = 8 })) assert(f() == 8)\n"
      "assert(not load('=')) assert(not pcall(load('return z', 'x', 't', nil)))\n"
      "assert(not load(string.gsub('return 1', 'r', '=')))\n"
      "local binary, message = load(function() local x = parts.b parts.b = nil return x end)\n"
      "local ok, text = xpcall(function(a) return a.b.c end, function(m) return 'told: ' .. m end, {})\n"
      "assert(ok == false and text:find '^told: ')\n"
      "local ok, a, b = xpcall(function(...) return ... end, print, 1, 2) assert(ok == true and a == 1 and b == 2)\n"
      "local t = setmetatable({}, { __index = function(_, k) return k end }) assert(t.x == 'x')\n"
      "assert(dofile('sub/other.lua') == 5 and loadfile('sub/other.lua')() == 5)\n"
      "assert(loadfile('sub/other.lua', 't', { value = 6 })() == 6)\n"
      "local none, why = loadfile 'missing.lua' assert(none == nil and why:find 'missing.lua')\n"
      "local m = require 'sub.module' assert(m.name == 'sub.module' and require 'sub.module' == m)\n"
      "assert(require('curlew.json').read)\n"
      "assert(require 'sub.nothing' == true)\n"
      "simulation { at = os.time() > 0 }\n";
  struct dg_error err = {0};
  write_text("sub/other.lua", "value = value or 5 return value");
  write_text("sub/module.lua", "return { name = ... }");
  write_text("sub/nothing.lua", "");
  char globals[sizeof text + 20];
  snprintf(globals, sizeof globals, "value = false\n%s", text);
  struct mx_script *script = load_limited(globals, NULL, &err);
  assert_string_equal(err.message, "");
  assert_non_null(script);
  mx_script_free(script);
}

static void gives_a_trusted_script_everything(void **state)
{
  static const struct mx_limits trust = {.trust = true};
  static const char text[] = "local file = assert(io.open('written.txt', 'w')) file:write('x') file:close()\n"
                             "assert(os.remove 'written.txt') assert(os.getenv 'CURLEW_SHARE')\n"
                             "assert(os.execute 'true') assert(debug.getregistry() and package.loaded.io == io)\n"
                             "assert(load(string.dump(function() return 3 end))() == 3)\n"
                             "assert(loadfile '../secret.lua') assert(coroutine.wrap(function() return 1 end)() == 1)\n"
                             "assert(require 'sub.module') assert(require 'curlew.json')\n"
                             "setmetatable({}, { __gc = function() end })\n"
                             "simulation {}\n";
  struct dg_error err = {0};
  (void)state;
  struct mx_script *script = load_limited(text, &trust, &err);
  assert_string_equal(err.message, "");
  mx_script_free(script);
}

/* What a script puts in the place of Lua's functions, of the libraries' and of the methods of strings. */
#define REPLACE                                                                                                        \
  "local seen = {}\n"                                                                                                  \
  "local function spy(f) return function(...) seen[#seen + 1] = ... return f(...) end end\n"                           \
  "for _, library in ipairs { string, table, math, utf8 } do\n"                                                        \
  "  for name, f in next, library do if type(f) == 'function' then library[name] = spy(f) end end end\n"               \
  "local names = {} for name, f in next, _G do if type(f) == 'function' then names[#names + 1] = name end end\n"       \
  "for _, name in ipairs(names) do if name ~= 'simulation' then _G[name] = spy(_G[name]) end end\n"                    \
  "seen = {} "

/* Curlew's own Lua goes on with what there was before the script. */
static void is_not_deceived_by_replaced_functions(void **state)
{
  static const char text[] = REPLACE "local w = waveform.csv { file = 'pulse.csv' }\n"
                                     "local t = waveform.table { times = { 0, 1 }, values = { 0, 2 } }\n"
                                     "local g = waveform.gaussian { f0 = 1e9, bandwidth = 1e9 }\n"
                                     "if #seen > 0 or w(0.5) ~= 0.5 or t(1) ~= 2 or g(0) == 0 or #seen > 0 then "
                                     "simulation { seen = seen } return end\n"
                                     "function string.double(s) return s .. s end\n" /* what is new is a method */
                                     "if ('x'):double() ~= 'xx' or ('x'):rep(2) ~= 'xx' then return end\n"
                                     "if getmetatable '' ~= 'string' then return end\n"
                                     "local json = require 'curlew.json'\n"
                                     "seen = {}\n"
                                     "local value = json.decode [[{ \"a\": [1, 2.5e1, \"\\u00e9\"] }]]\n"
                                     "if #seen > 0 or value.a[2] ~= 25 then simulation { seen = seen } return end\n"
                                     "simulation { right = true }\n";
  struct dg_error err = {0};
  (void)state;
  write_text("pulse.csv", "time,value\n0,0\n1,1\n");
  struct mx_script *script = load_limited(text, NULL, &err);
  assert_string_equal(err.message, "");
  const struct mx_value *root = root_of(script);
  assert_int_equal(root->count, 1);
  assert_string_equal(root->entry[0].key.name, "right");
  mx_script_free(script);
}

static const char *const elsewhere[] = {"../secret.csv",         "sub/../../secret.csv", "sub/link.csv",
                                        "sub/folder/secret.csv", "/etc/passwd",          "/proc/self/environ"};

static void reads_tables_of_its_own_folder_only(void **state)
{
  static const struct mx_limits trust = {.trust = true};
  struct dg_error err = {0};
  char text[1000];
  (void)state;
  write_text("../secret.csv", "0,0\n1,1\n");
  write_text("sub/near.csv", "0,0\n1,1\n");
  assert_int_equal(symlink("../../secret.csv", "sub/link.csv"), 0);
  assert_int_equal(symlink("../..", "sub/folder"), 0);
  assert_int_equal(symlink("near.csv", "sub/inner.csv"), 0);
  for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
    err = (struct dg_error){0};
    snprintf(text, sizeof text, REPLACE "waveform.csv { file = '%s' }\nsimulation {}", elsewhere[i]);
    assert_null(load_limited(text, NULL, &err));
    assert_int_equal(err.code, DG_INPUT);
    assert_non_null(strstr(err.message, "which lies outside of the script's folder: copy it there, or " TRUST));
  }
  for (size_t i = 0; i < 4; i++) {
    err = (struct dg_error){0};
    snprintf(text, sizeof text, "waveform.csv { file = '%s' }\nsimulation {}", elsewhere[i]);
    mx_script_free(load_limited(text, &trust, &err));
    assert_string_equal(err.message, "");
  }
  static const char *const own[] = {"sub/near.csv", "sub/inner.csv", "sub/../sub/near.csv",
                                    "sub/folder/work/sub/near.csv"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    snprintf(text, sizeof text, "waveform.csv { file = '%s' }\nsimulation {}", own[i]);
    mx_script_free(load_limited(text, NULL, &err));
    assert_string_equal(err.message, "");
  }
}

/* Tables whose items change between two looks at them. */
static void takes_what_it_has_looked_at(void **state)
{
  static const char text[] = "local n, list = 0, setmetatable({}, { __len = function() return 2 end })\n"
                             "getmetatable(list).__index = function(_, i) n = n + 1 return n % 2 == 1 and i - 1 or\n"
                             "  setmetatable({}, { __add = function() return 'x' end }) end\n"
                             "local w = waveform.table { times = list, values = { 0, 1 } }\n"
                             "simulation { w }\n";
  struct dg_error err = {0};
  (void)state;
  assert_null(load_limited(text, NULL, &err));
  assert_non_null(strstr(err.message, "times[2] must be a number, not a table"));
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static const char *const endless[] = {
    "while true do end",
    "local function f() return f() end f()",
    "while true do pcall(function() while true do end end) end",
    "while true do pcall(error) end",
    "while true do xpcall(function() while true do end end, function() while true do end end) end",
    "while true do xpcall(error, function() while true do end end) end",
    "while true do load(function() while true do end end) end",
    "for i = 1, math.huge do local x <close> = setmetatable({}, { __close = function() while true do end end }) end",
    "local T = setmetatable({}, {})\n"
    "getmetatable(T).__close = function() local y <close> = T while true do end end local z <close> = T",
    "for _ in next, {}, nil, setmetatable({}, { __close = function() while true do end end }) do end",
    "table.sort({ 1, 2, 3 }, function() while true do end end)",
    "local s = ('x'):rep(100):gsub('.', function() while true do end end)",
    "error(setmetatable({}, { __tostring = function() while true do end end }))",
    "local t = setmetatable({}, { __index = function(t, k) return t[k + 1] end }) while true do pcall(function() "
    "return t[1] end) end",
    "while true do local s = {} for i = 1, 1000 do s[i] = {} end end",
    "return (function() while true do end end)()",
};

static void stops_scripts_that_never_end(void **state)
{
  static const struct mx_limits limits = {.seconds = 0.2}, trusted = {.trust = true, .seconds = 0.2};
  size_t before = dg_memory_current();
  (void)state;
  for (size_t i = 0; i < sizeof endless / sizeof *endless; i++)
    for (int trust = 0; trust < 2; trust++) {
      struct dg_error err = {0};
      char text[400];
      if (trust && strstr(endless[i], "xpcall") != NULL) continue; /* Lua's own calls the handler once more */
      snprintf(text, sizeof text, "simulation {}\n%s", endless[i]);
      double start = now();
      assert_null(load_limited(text, trust ? &trusted : &limits, &err));
      assert_true(now() - start < 20);
      assert_int_equal(err.code, DG_INPUT);
      if (strstr(err.message, ": still running after 0.2 s, and stopped (--lua-seconds allows more)") == NULL)
        assert_string_equal(err.message, endless[i]);
      assert_true(strncmp(err.message, "cavity.lua:", 11) == 0);
    }
  assert_int_equal(dg_memory_current(), before);
}

static const char functions[] = "simulation {\n"
                                "  function(x)\n"
                                "    local n = 0\n"
                                "    while x > 0.5 do n = n + 1 end\n"
                                "    return n\n"
                                "  end,\n"
                                "  function(x) return pcall(function() while true do end end) end,\n"
                                "  function(x) return 2 * x end,\n"
                                "}\n";

static void stops_functions_that_never_end(void **state)
{
  static const struct mx_limits limits = {.seconds = 0.5};
  struct dg_error err = {0};
  double in = 0, out;
  (void)state;
  struct mx_script *script = load_limited(functions, &limits, &err);
  assert_non_null(script);
  const struct mx_value *root = root_of(script);
  assert_int_equal(call_function(root->entry[0].value.function, "f", 1, &in, 1, &out, &err), 0);
  in = 1;
  for (int i = 0; i < 2; i++) {
    err = (struct dg_error){0};
    assert_int_equal(call_function(root->entry[i].value.function, "f", 1, &in, 1, &out, &err), DG_INPUT);
    char message[200];
    snprintf(message, sizeof message,
             "cavity.lua:%d: still running after 0.5 s, and stopped (--lua-seconds allows more), in f at (t) = (1)",
             i == 0 ? 4 : 7);
    assert_string_equal(err.message, message);
    err = (struct dg_error){0}; /* and nothing of it is left */
    assert_int_equal(call_function(root->entry[2].value.function, "f", 1, &in, 1, &out, &err), 0);
    assert_true(out == 2);
  }
  mx_script_free(script);
}

static volatile sig_atomic_t flag;
static void set_flag(int number) { flag = number; }

static void stops_a_function_when_the_run_is_interrupted(void **state)
{
  static const struct mx_limits limits = {.seconds = INFINITY};
  struct sigaction action = {.sa_handler = set_flag}, before;
  struct dg_error err = {0};
  double in = 1, out;
  (void)state;
  struct mx_script *script = load_limited(functions, &limits, &err);
  assert_non_null(script);
  const struct mx_function *function = root_of(script)->entry[0].value.function;
  mx_origin_interrupt(mx_script_origin(script), &flag);
  assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
  alarm(1);
  assert_int_equal(call_function(function, "f", 1, &in, 1, &out, &err), DG_INTERRUPTED);
  assert_string_equal(err.message, "cavity.lua:4: interrupted, in f at (t) = (1)");
  assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
  mx_script_free(script);
}

static const char *const greedy[] = {
    "local s = ('x'):rep(1e8)",
    "local s = ('x'):rep(1e18 // 1 | 0)",
    "local t = {} for i = 1, math.huge do t[i] = i end",
    "local t = {} for i = 1, math.huge do t[i] = { i } end",
    "local s = 'x' while true do s = s .. s end",
    "local t = {} for i = 1, 1e5 do t[i] = ('x'):rep(1000) .. i end",
    "local t = table.pack(table.unpack({}, 1, 9e5)) local u = {} while true do u[#u + 1] = table.pack(1, 2, 3) end",
    "local s = table.concat({ ('x'):rep(9e6), ('y'):rep(9e6), ('z'):rep(9e6) })",
    ("local t = {} while true do local u = {} for i = 1, 4096 do u[i] = i end for i = 2, 4096 do u[i] = nil end "
     "u.x = 1 t[#t + 1] = u end"),
};

static void limits_the_memory_of_a_script(void **state)
{
  static const struct mx_limits limits = {.memory = 16 << 20};
  size_t before = dg_memory_current();
  (void)state;
  for (size_t i = 0; i < sizeof greedy / sizeof *greedy; i++) {
    struct dg_error err = {0};
    char text[400];
    snprintf(text, sizeof text, "simulation {}\n%s", greedy[i]);
    assert_null(load_limited(text, &limits, &err));
    assert_int_equal(err.code, DG_INPUT);
    if (i == 1) assert_string_equal(err.message, "cavity.lua:2: resulting string too large");
    else
      assert_string_equal(err.message, "cavity.lua: the script takes more than 16.7772 MB of memory; start curlew with "
                                       "--trust if it needs them");
    assert_true(dg_memory_peak() < before + (200 << 20));
  }
  assert_int_equal(dg_memory_current(), before);
  /* Garbage does not count, and what failed in pcall did not happen. */
  struct dg_error err = {0};
  struct mx_script *script = load_limited("for i = 1, 100 do local s = ('x'):rep(1e6) .. i end\n"
                                          "assert(not pcall(string.rep, 'x', 1e8))\n"
                                          "simulation { function() return #('x'):rep(4e6) end,\n"
                                          "  function() return #('x'):rep(1e8) end }",
                                          &limits, &err);
  assert_string_equal(err.message, "");
  double out;
  const struct mx_value *root = root_of(script);
  assert_int_equal(call_function(root->entry[0].value.function, "f", 0, NULL, 1, &out, &err), 0);
  assert_true(out == 4e6);
  assert_int_equal(call_function(root->entry[1].value.function, "f", 0, NULL, 1, &out, &err), DG_INPUT);
  assert_non_null(strstr(err.message, "the script takes more than 16.7772 MB of memory"));
  err = (struct dg_error){0};
  assert_int_equal(call_function(root->entry[0].value.function, "f", 0, NULL, 1, &out, &err), 0);
  mx_script_free(script);
}

/* A small table in Lua, 2^30 values for us. */
static void limits_the_size_of_the_table(void **state)
{
  struct dg_error err = {0};
  (void)state;
  assert_null(load_limited("local t = 1 for i = 1, 30 do t = { t, t } end\nsimulation(t)", NULL, &err));
  assert_string_equal(err.message, "cavity.lua:2: the table holds more than 1000000 values");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refuses_what_reaches_beyond_the_script),
      cmocka_unit_test(refuses_it_in_overrides),
      cmocka_unit_test(offers_what_is_harmless),
      cmocka_unit_test(gives_a_trusted_script_everything),
      cmocka_unit_test(is_not_deceived_by_replaced_functions),
      cmocka_unit_test(reads_tables_of_its_own_folder_only),
      cmocka_unit_test(takes_what_it_has_looked_at),
      cmocka_unit_test(stops_scripts_that_never_end),
      cmocka_unit_test(stops_functions_that_never_end),
      cmocka_unit_test(stops_a_function_when_the_run_is_interrupted),
      cmocka_unit_test(limits_the_memory_of_a_script),
      cmocka_unit_test(limits_the_size_of_the_table),
  };
  return cmocka_run_group_tests_name("script_limits", tests, make_folders, remove_folders);
}
