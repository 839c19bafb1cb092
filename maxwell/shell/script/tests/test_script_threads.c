/* Functions that several threads call, each in a state of its own: the same as in one, or one after all. */
#include "maxwell/tests/script_fixture.h"

#include <math.h>
#include <signal.h>
#include <time.h>

#include "libdg/base/memory.h"

enum { COUNT = 12345 };

static double places[COUNT][3], values[2][COUNT][3];

static int make_places(void **state)
{
  for (size_t i = 0; i < COUNT; i++)
    for (size_t c = 0; c < 3; c++) places[i][c] = sin((double)(i * (c + 1)));
  for (size_t i = 0; i < COUNT; i++) places[i][0] = 1e-3 * (double)i;
  return enter_folder(state);
}

static struct mx_script *load_with(const char *text, const struct mx_limits *limits)
{
  struct dg_error err = {0};
  struct mx_script *script;
  write_text("cavity.lua", text);
  if (mx_script_load(&script, "cavity.lua", 0, NULL, 0, NULL, limits, &err) != 0) fail_msg("%s", err.message);
  return script;
}

/* The script's first function at all places. */
static int call_all(struct mx_script *script, double t, double out[COUNT][3], struct dg_error *err)
{
  const struct mx_places at = {
      .what = "sources[1]", .count = COUNT, .x = (const double(*)[3])places, .t = &t, .components = 3};
  return mx_function_values(root_of(script)->entry[0].value.function, &at, out[0], err);
}

/* Twice, since a function may have changed something the first time. */
static void check_same(const char *text, int threads, bool shared)
{
  struct mx_script *one = load_with(text, NULL), *more = load_with(text, NULL);
  struct dg_error err = {0};
  assert_int_equal(mx_origin_threads(mx_script_origin(more)), 1);
  assert_int_equal(start_threads(more, threads), threads);
  assert_int_equal(start_threads(more, threads), threads);
  assert_null(alone(more));
  for (int i = 0; i < 3; i++) {
    memset(values, 0, sizeof values);
    if (call_all(one, 0.25 * i, values[0], &err) != 0 || call_all(more, 0.25 * i, values[1], &err) != 0)
      fail_msg("%s: %s", text, err.message);
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    assert_true(values[0][COUNT - 1][2] != 0);
    if ((alone(more) == NULL) != shared) fail_msg("%s: %s", text, alone(more));
  }
  mx_script_free(one);
  mx_script_free(more);
}

static const char *const pure[] = {
    "simulation { function(x, y, z, t) return x, math.cos(y + t), 1 + z end }",
    "simulation { function(x, y, z, t) return math.random(), x, math.random(5) end }",
    "math.randomseed(3) local r = {} for i = 1, 100 do r[i] = math.random() end\n"
    "simulation { function(x, y, z, t) return math.random(), x, r[1 + math.random(99)] end }",
    "local at, factor\n" /* keeps what depends on the time alone */
    "simulation { function(x, y, z, t) if t ~= at then at = t factor = 1 + math.sin(t) end return x, y, factor end }",
    "local w = waveform.gaussian { bandwidth = 1e9 } local T = { a = { 1, 2, x = true, [1.5] = 'z' } } T.self = T\n"
    "function scale(x) return T.self.a[1] * x end\n"
    "simulation { function(x, y, z, t) return scale(x), y, #w.kind end }",
    "print() local o = setmetatable({}, { __index = function(_, k) return #k end })\n"
    "simulation { function(x, y, z, t) return o.four, y, ('%g'):format(x):len() end }",
};

static void gives_the_same_in_any_number_of_threads(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof pure / sizeof *pure; i++) {
    check_same(pure[i], 2, true);
    check_same(pure[i], 5, true);
    check_same(pure[i], 40, true); /* more than there is to do for */
  }
}

static const struct {
  const char *text, *why;
} kept[] = {
    {"local n = 0 simulation { function(x, y, z, t) n = n + 1 return x, y, n end }",
     "sources[1] does not give the same whenever it is called with the same numbers"},
    {"n = 0 simulation { function(x, y, z, t) n = n + 1 return x, y, n end }",
     "sources[1] does not give the same whenever it is called with the same numbers"},
    {"local s = { } simulation { function(x, y, z, t) s[1 + #s % 1000] = x return x, y, 1 + (s[7] or 0) end }",
     "sources[1] does not give the same whenever it is called with the same numbers"},
    {"simulation { function(x, y, z, t) return x, y, os.time() > 0 and 1 or 0 end }", "sources[1] reads a clock"},
};

static void leaves_what_a_function_keeps_to_one_thread(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    struct dg_error err = {0};
    check_same(kept[i].text, 3, false);
    struct mx_script *script = load_with(kept[i].text, NULL);
    assert_int_equal(start_threads(script, 3), 3);
    assert_int_equal(call_all(script, 0, values[0], &err), 0);
    assert_string_equal(alone(script), kept[i].why);
    mx_script_free(script);
  }
}

/* The order of keys is another one in every state, but always the same in one: two threads find out only together, and
 * then the caller does all, as if it were alone. */
static void goes_back_to_one_thread_before_anything_is_lost(void **state)
{
  static const char text[] = "local t, n = {}, 0 for i = 1, 40 do t['key' .. i] = i end\n"
                             "simulation { function(x, y, z, t1)\n"
                             "  n = n + 1 local s = 0 for _, v in pairs(t) do s = (31 * s + v) % 1000003 end\n"
                             "  return x, n > 3000 and n or 0, s end }";
  (void)state;
  for (int threads = 2; threads < 4; threads++) {
    struct dg_error err = {0};
    struct mx_script *script = load_with(text, NULL);
    assert_int_equal(start_threads(script, threads), threads);
    for (int i = 0; i < 2; i++) {
      assert_int_equal(call_all(script, i, values[0], &err), 0);
      assert_non_null(alone(script));
      for (int k = 0; k < COUNT; k++) {
        const int n = i * COUNT + k + 1;
        assert_true(values[0][k][2] == values[0][0][2] && values[0][k][1] == (n > 3000 ? n : 0));
      }
    }
    mx_script_free(script);
  }
}

/* At t = 0 nothing of it shows. */
static void notices_late_what_a_function_keeps(void **state)
{
  static const char text[] = "local n = 0\n"
                             "simulation { function(x, y, z, t) if t > 1 then n = n + 1 end return 0, 0, 1 + n end }";
  struct mx_script *script = load_with(text, NULL);
  struct dg_error err = {0};
  (void)state;
  assert_int_equal(start_threads(script, 2), 2);
  assert_int_equal(call_all(script, 0, values[0], &err), 0);
  assert_int_equal(call_all(script, 2, values[0], &err), DG_INPUT);
  const char *says = "cavity.lua: sources[1] gives one thread something else than another at (";
  assert_true(strncmp(err.message, says, strlen(says)) == 0);
  assert_non_null(strstr(err.message, "--lua-threads 1 "));
  mx_script_free(script);
  script = load_with(text, NULL); /* tried at a later time it is found */
  assert_int_equal(start_threads(script, 2), 2);
  for (int i = 0; i < 2; i++) {
    const double t = 2 * i;
    const struct mx_function *function = root_of(script)->entry[0].value.function;
    const struct mx_places at = {
        .what = "sources[1]", .count = COUNT, .x = (const double(*)[3])places, .t = &t, .components = 3};
    function->rehearse(function->self, &at);
  }
  assert_non_null(alone(script));
  mx_script_free(script);
}

#define AGAIN     "run again for another thread, "
#define DIFFERENT AGAIN "the script comes to something else: it reads a clock, or a file has changed"
#define F         "simulation { function(x, y, z, t) return x, y, z end "

static const struct {
  const char *text, *why; /* its beginning */
} uncertain[] = {
    {"local at = os.clock() simulation { function(x, y, z, t) return at, y, z end }", DIFFERENT},
    {"at = os.clock() " F "}", DIFFERENT},
    {"local m = require 'm' simulation { function(x, y, z, t) return m, y, z end }", DIFFERENT},
    {"local m = require 'm' " F ", order = m }", DIFFERENT},
    {"local m = tostring({}) " F ", name = m }", DIFFERENT},
    {"local a = {} local b = { [a] = 1 } simulation { function(x, y, z, t) return b[a], y, z end }",
     AGAIN "its tables cannot be compared, such as those with tables as keys"},
    {"local f = loadfile 'm.lua' if f() == 2 then error('two') end " F "}",
     AGAIN "the script fails: cavity.lua:1: two"},
    {"local m = require 'm' while m == 2 do end " F "}",
     AGAIN "the script fails: cavity.lua:1: still running after 0.5 s"},
};

__attribute__((unused)) static void stays_alone_when_the_script_comes_to_something_else(void **state)
{
  static const struct mx_limits limits = {.seconds = 0.5}, trust = {.trust = true};
  (void)state;
  for (size_t i = 0; i < sizeof uncertain / sizeof *uncertain; i++) {
    struct dg_error err = {0};
    write_text("m.lua", "return 1");
    struct mx_script *script = load_with(uncertain[i].text, &limits);
    write_text("m.lua", "return 2");
    assert_int_equal(start_threads(script, 3), 1);
    if (strncmp(alone(script), uncertain[i].why, strlen(uncertain[i].why)) != 0)
      assert_string_equal(alone(script), uncertain[i].why);
    assert_int_equal(call_all(script, 0, values[0], &err), 0);
    mx_script_free(script);
  }
  struct mx_script *script = load_with(F "}", &trust);
  assert_int_equal(start_threads(script, 3), 1);
  assert_non_null(strstr(alone(script), "trusted"));
  mx_script_free(script);
  assert_int_equal(remove("m.lua"), 0);
}

/* The script itself is not read again. */
static void runs_the_text_that_was_read(void **state)
{
  struct dg_error err = {0};
  static const struct mx_definition arg = {"n", "3"}, set = {"order", "(2 + 2)"};
  struct mx_script *script =
      load_text("local n = args.n simulation { function(x, y, z, t) return n, y, z end }", 1, &arg, 1, &set, &err);
  (void)state;
  assert_non_null(script);
  write_text("cavity.lua", "nothing");
  assert_int_equal(start_threads(script, 3), 3);
  assert_int_equal(call_all(script, 0, values[0], &err), 0);
  assert_true(values[0][COUNT - 1][0] == 3);
  assert_null(alone(script));
  mx_script_free(script);
}

static const struct {
  const char *body, *message;
} wrong[] = {
    {"if x > 3 then error('far') end return x, y, z", "cavity.lua:2: far, in sources[1] at (x, y, z, t) = (3.001, "},
    {"if x > 12.3 then error('far') end return x, y, z",
     "cavity.lua:2: far, in sources[1] at (x, y, z, t) = (12.301, "},
    {"if x > 12.3 then return 1 end if x > 7 then return x, 0/0, z end return x, y, z",
     "cavity.lua:2: sources[1] returned nan at (x, y, z, t) = (7.001, "},
    {"if x > 12 then error('far') end if x > 2 then return {}, 1, 2 end return x, y, z",
     "cavity.lua:2: sources[1] must return three numbers, but result 1 is a table at (x, y, z, t) = (2.001, "},
    {"if x > 2 then return 1 end return x, y, z", "cavity.lua:2: sources[1] must return three numbers, returned 1 at "},
#ifndef __SANITIZE_THREAD__
    {"while x > 12 do end return x, y, z", "cavity.lua:2: still running after 0.5 s, and stopped (--lua-seconds allows "
                                           "more), in sources[1] at (x, y, z, t) = (12.001, "},
#endif
    {"if x > 12 then local t = {} for i = 1, math.huge do t[i] = i end end return x, y, z",
     "cavity.lua: the script takes more than 16.7772 MB of memory"},
};

/* The trial of the function does not see these places, or leaves it to one thread: both must say the same. */
static void names_the_first_place_that_fails(void **state)
{
#ifdef __SANITIZE_THREAD__ /* is slow */
  static const struct mx_limits limits = {.seconds = 60, .memory = 16 << 20};
#else
  static const struct mx_limits limits = {.seconds = 0.5, .memory = 16 << 20};
#endif
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct dg_error err = {0}, again = {0};
    char text[400];
    snprintf(text, sizeof text, "simulation {\nfunction(x, y, z, t) x = t * x %s end }", wrong[i].body);
    struct mx_script *one = load_with(text, &limits), *more = load_with(text, &limits);
    assert_int_equal(start_threads(more, 4), 4);
    assert_int_equal(call_all(more, 0, values[0], &err), 0); /* is tried where nothing is wrong */
    assert_null(alone(more));
    assert_int_equal(call_all(one, 1, values[0], &err), DG_INPUT);
    assert_int_equal(call_all(more, 1, values[1], &again), DG_INPUT);
    assert_string_equal(again.message, err.message);
    if (strncmp(err.message, wrong[i].message, strlen(wrong[i].message)) != 0)
      assert_string_equal(err.message, wrong[i].message);
    again = (struct dg_error){0}; /* nothing of it is left */
    assert_int_equal(call_all(more, 0, values[1], &again), 0);
    mx_script_free(one);
    mx_script_free(more);
  }
}

/* States together have no more memory than one may have. */
static void limits_threads_by_memory(void **state)
{
  static const struct mx_limits limits = {.memory = 16 << 20};
  (void)state;
  struct mx_script *script = load_with(
      "local t = {} for i = 1, 1 << 18 do t[i] = i end simulation { function() return #t, 0, 0 end }", &limits);
  const int threads = start_threads(script, 16);
  assert_true(threads > 1 && threads < 5);
  mx_script_free(script);
  script = load_with("local t = {} for i = 1, 1 << 19 do t[i] = i end simulation { function() return #t, 0, 0 end }",
                     &limits);
  assert_int_equal(start_threads(script, 16), 1);
  assert_non_null(strstr(alone(script), "there is no memory"));
  mx_script_free(script);
}

static void obeys_the_limit_of_threads(void **state)
{
  static const struct mx_limits one = {.threads = 1}, three = {.threads = 3};
  (void)state;
  struct mx_script *script = load_with(F "}", &one);
  assert_int_equal(start_threads(script, 16), 1);
  assert_null(alone(script));
  mx_script_free(script);
  script = load_with(F "}", &three);
  assert_int_equal(start_threads(script, 1), 3);
  mx_script_free(script);
}

static volatile sig_atomic_t flag;
static void set_flag(int number) { flag = number; }

__attribute__((unused)) static void is_interrupted_in_any_thread(void **state)
{
  static const struct mx_limits limits = {.seconds = INFINITY};
  struct sigaction action = {.sa_handler = set_flag}, before;
  struct dg_error err = {0};
  (void)state;
  struct mx_script *script =
      load_with("simulation { function(x, y, z, t)\n while t * x > 12.2005 do end\n return x, y, z end }", &limits);
  assert_int_equal(start_threads(script, 4), 4);
  assert_int_equal(call_all(script, 0, values[0], &err), 0);
  mx_origin_interrupt(mx_script_origin(script), &flag);
  assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
  alarm(1);
  assert_int_equal(call_all(script, 1, values[0], &err), DG_INTERRUPTED);
  const char *says = "cavity.lua:2: interrupted, in sources[1] at (x, y, z, t) = (12.201, ";
  if (strncmp(err.message, says, strlen(says)) != 0) assert_string_equal(err.message, says);
  assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
  mx_script_free(script);
}

/* Whichever allocation fails: fewer threads or a clean error, nothing left behind. */
static void survives_every_failing_allocation(void **state)
{
  static const char text[] = "local t = { x = 1, y = 'z' }\n"
                             "simulation { function(x, y, z, t) return #tostring(x), y, z end, t }";
  size_t before = dg_memory_current();
  (void)state;
  for (long n = 1;; n += 1 + n / 50) {
    struct dg_error err = {0};
    struct mx_script *script = load_with(text, NULL);
    dg_memory_fail_at(n);
    const int threads = start_threads(script, 3);
    const int code = call_all(script, 0, values[0], &err);
    const bool beyond = threads == 3 && code == 0 && alone(script) == NULL;
    dg_memory_fail_at(0);
    assert_true(code == 0 || (code == DG_ENVIRONMENT && strstr(err.message, "out of memory") != NULL));
    assert_true(threads == 3 || strstr(alone(script), AGAIN) != NULL);
    mx_script_free(script);
    assert_int_equal(dg_memory_current(), before);
    if (beyond) {
      assert_true(n > 1000);
      break;
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gives_the_same_in_any_number_of_threads),
      cmocka_unit_test(leaves_what_a_function_keeps_to_one_thread),
      cmocka_unit_test(goes_back_to_one_thread_before_anything_is_lost),
      cmocka_unit_test(notices_late_what_a_function_keeps),
#ifndef __SANITIZE_THREAD__ /* which keeps a signal from a loop of Lua, that it should end, until the loop is over */
      cmocka_unit_test(stays_alone_when_the_script_comes_to_something_else),
#endif
      cmocka_unit_test(runs_the_text_that_was_read),
      cmocka_unit_test(names_the_first_place_that_fails),
      cmocka_unit_test(limits_threads_by_memory),
      cmocka_unit_test(obeys_the_limit_of_threads),
#ifndef __SANITIZE_THREAD__
      cmocka_unit_test(is_interrupted_in_any_thread),
#endif
      cmocka_unit_test(survives_every_failing_allocation),
  };
  return cmocka_run_group_tests_name("script_threads", tests, make_places, leave_folder);
}
