/* Waveforms against closed forms, against the same waveform in Lua, and their spectra against what the manual says. */
#include "maxwell/tests/script_fixture.h"

#include <complex.h>
#include <math.h>

#include "maxwell/model/config.h"
#include "maxwell/measure/kinds.h"

#define PI 3.14159265358979323846

/* One source a waveform, and beside it a function that calls the waveform in Lua. */
static const char *const made[] = {
    "waveform.gaussian { bandwidth = 1e9 }",
    "waveform.gaussian { tau = 2e-9, t0 = 9.5e-9, amplitude = -3 }",
    "waveform.gaussian { f0 = 1e9, bandwidth = 1e9 }",
    "waveform.gaussian { f0 = 1e9, bandwidth = 2e9 }",
    "waveform.gaussian { f0 = 5e9, tau = 1e-9, amplitude = 2 }",
    "waveform.differentiated_gaussian { f_peak = 1e9 }",
    "waveform.ricker { f_peak = 1e9 }",
    "waveform.sine { f0 = 1e9 }",
    "waveform.sine { f0 = 1e9, rise = 0.4e-9, amplitude = 1e3 }",
    "waveform.step { rise = 2e-9 }",
    "waveform.double_exponential { rise = 1/6e8, fall = 1/4e7, amplitude = 50e3 }",
    "waveform.double_exponential { rise = 1e-9, fall = 1.001e-9 }",
    "waveform.table { times = { 0, 1e-9, 3e-9, 4e-9 }, values = { 0, 2, -1, 0.5 }, amplitude = 10 }",
    "waveform.csv { file = 'pulse.csv' }",
};
enum { MADE = sizeof made / sizeof made[0] };

struct fixture {
  struct mx_script *script;
  struct mx_config config;
  const struct mx_function *call[MADE]; /* of the script */
};

static const struct mx_waveform *waveform_of(const struct fixture *f, size_t i)
{
  return &f->config.source[i].drive.waveform;
}

static void open_fixture(struct fixture *f)
{
  char text[8192];
  size_t used = (size_t)snprintf(text, sizeof text, "local w = {\n");
  struct dg_error err = {0};
  for (size_t i = 0; i < MADE; i++) used += (size_t)snprintf(text + used, sizeof text - used, "%s,\n", made[i]);
  snprintf(
      text + used, sizeof text - used,
      "}\nlocal s = {}\nfor i = 1, #w do\n"
      "  s[2 * i - 1] = { region = 1, profile = { 0, 0, 1 }, waveform = w[i] }\n"
      "  s[2 * i] = { region = 1, profile = { 0, 0, 1 }, waveform = function(t) return w[i](t) end }\nend\n"
      "simulation { mesh = { file = 'a' }, order = 1, time = { steps = 1 }, materials = { a = {} }, sources = s }");
  write_text("pulse.csv", "# a pulse\n\ntime;current\r\n0; 0\r\n1e-9, 1 # largest\n 3e-9\t0.25\n");
  f->script = load_text(text, 0, NULL, 0, NULL, &err);
  remove("pulse.csv");
  assert_string_equal(err.message, "");
  assert_int_equal(mx_config_read(&f->config, mx_measure_kinds, mx_script_origin(f->script), &err), 0);
  assert_int_equal(f->config.sources, 2 * MADE);
  for (size_t i = 0; i < MADE; i++) {
    f->call[i] = f->config.source[2 * i + 1].drive.waveform.function;
    f->config.source[i] = f->config.source[2 * i];
  }
}

static void close_fixture(struct fixture *f)
{
  mx_config_release(&f->config);
  mx_script_free(f->script);
}

/* exp(-(pi tau f)^2) at -20 dB */
static double gaussian_tau(double f) { return sqrt(log(10.0)) / (PI * f); }

static double fade(double t, double rise) { return t <= 0 ? 0 : t > rise ? 1 : pow(sin(PI * t / (2 * rise)), 2); }

/* Straight from the manual, written another way than the code. */
static double closed_form(size_t i, double t)
{
  double tau = i == 0 ? gaussian_tau(1e9) : i == 2 ? gaussian_tau(0.5e9) : i == 3 ? gaussian_tau(1e9) : 1e-9;
  double s = t - 5 * tau, a = 1 / (sqrt(2.0) * PI * 1e9), b = 1 / (PI * 1e9), k, p;
  switch (i) {
  case 0:
    return exp(-s * s / tau / tau);
  case 1:
    return -3 * exp(-(t - 9.5e-9) * (t - 9.5e-9) / 4e-18);
  case 2:
  case 3:
    return exp(-s * s / tau / tau) * sin(2 * PI * 1e9 * s);
  case 4:
    return 2 * exp(-s * s / tau / tau) * sin(2 * PI * 5e9 * s);
  case 5:
    s = (t - 5 * a) * 2 * PI * 1e9; /* exp(-s^2/2) differentiated, times e^(1/2) */
    return -s * exp((1 - s * s) / 2);
  case 6:
    s = pow(PI * 1e9 * (t - 5 * b), 2); /* as the literature has it, with f_peak */
    return (1 - 2 * s) * exp(-s);
  case 7:
    return fade(t, 3e-9) * sin(2 * PI * 1e9 * t);
  case 8:
    return 1e3 * fade(t, 0.4e-9) * sin(2 * PI * 1e9 * t);
  case 9:
    return fade(t, 2e-9);
  case 10: /* IEC 61000-2-9 gives the factor 1.3, rounded, so that the peak is 50 kV/m: here it is exact */
    k = 15 * pow(15, 1.0 / 14) / 14;
    return t <= 0 ? 0 : 50e3 * k * (exp(-4e7 * t) - exp(-6e8 * t));
  case 11:
    p = 1.001 * pow(1.001, 1000) / 0.001; /* 1/peak for fall = 1.001 rise */
    return t <= 0 ? 0 : p * (exp(-t / 1.001e-9) - exp(-t / 1e-9));
  case 12:
    t *= 1e9;
    return t < 0 || t > 4 ? 0 : 10 * (t < 1 ? 2 * t : t < 3 ? 2 - 1.5 * (t - 1) : -1 + 1.5 * (t - 3));
  default:
    t *= 1e9;
    return t < 0 || t > 3 ? 0 : t < 1 ? t : 1 - 0.375 * (t - 1);
  }
}

static void equals_closed_forms_and_lua(void **state)
{
  (void)state;
  struct fixture f;
  open_fixture(&f);
  for (size_t i = 0; i < MADE; i++) {
    double peak = 0;
    for (double t = -5e-9; t < 60e-9; t += 0.0137e-9) {
      struct dg_error err = {0};
      const struct mx_waveform *w = waveform_of(&f, i);
      double c = mx_waveform_at(w, t), lua, scale = fabs(w->amplitude) * (i >= 12 ? 2 : 1);
      assert_int_equal(call_function(f.call[i], "w", 1, &t, 1, &lua, &err), 0);
      if (fabs(c - lua) > 1e-14 * scale) fail_msg("%s at %g: C %.17g, Lua %.17g", made[i], t, c, lua);
      /* Example 11 divides by the difference of nearly equal numbers. */
      if (fabs(c - closed_form(i, t)) > (i == 11 ? 1e-9 : 2e-13) * scale)
        fail_msg("%s at %g: %.17g, not %.17g", made[i], t, c, closed_form(i, t));
      if (t <= 0 && fabs(c) > 1e-9 * scale) fail_msg("%s does not vanish at %g", made[i], t);
      peak = fmax(peak, fabs(c / w->amplitude));
    }
    double least = i == 3 ? 0.8 : i == 2 ? 0.9 : 0.98; /* sin(2 pi f0 t) is not 1 where the envelope is */
    if (i < 12 && !(peak > least && peak < 1 + 1e-12)) fail_msg("%s: the peak is %g", made[i], peak);
    assert_true(i == 12 ? peak > 1.9 && peak <= 2 : peak <= 1);
  }
  close_fixture(&f);
}

/* |integral of w(t) exp(-2 pi i f t) dt| from 0 to end; all these waveforms are smooth there or have a kink at 0. */
static double spectrum(const struct mx_waveform *w, double f, double end)
{
  enum { STEPS = 40000 };
  double complex sum = 0;
  for (int n = 1; n < STEPS; n++) {
    double t = end * n / STEPS;
    sum += mx_waveform_at(w, t) * cexp(-2 * PI * I * f * t);
  }
  return cabs(sum) * end / STEPS;
}

static double duration(const struct mx_waveform *w)
{
  return w->kind == MX_DOUBLE_EXPONENTIAL ? 30 * w->fall : w->t0 + 6 * w->tau;
}

/* The largest value of the spectrum up to the band's end, and where it is. */
static double largest(const struct mx_waveform *w, double *at)
{
  double top = 0, band = mx_waveform_band(w);
  for (int i = 0; i <= 400; i++) {
    double f = band * i / 400, value = spectrum(w, f, duration(w));
    if (value <= top) continue;
    top = value;
    *at = f;
  }
  return top;
}

static void has_the_band_it_claims(void **state)
{
  (void)state;
  struct fixture f;
  open_fixture(&f);
  for (size_t i = 0; i < MADE; i++) {
    const struct mx_waveform *w = waveform_of(&f, i);
    double band = mx_waveform_band(w), at = 0;
    if (i == 7 || i == 8) assert_true(band == 1e9);
    if (i == 9 || i >= 12) assert_true(band == 0);
    if (i >= 7 && i != 10 && i != 11) continue;
    double top = largest(w, &at), end = spectrum(w, band, duration(w)) / top;
    if (fabs(end / 1e-2 - 1) > 0.01) fail_msg("%s: %g at the end of the band, not 1e-2", made[i], end);
    for (double more = 1.05; more < 3; more += 0.2) assert_true(spectrum(w, more * band, duration(w)) / top < 1e-2);
  }
  close_fixture(&f);
}

/* What the manual says of bandwidth and f_peak, measured. */
static void has_the_bandwidth_asked_for(void **state)
{
  (void)state;
  struct fixture f;
  open_fixture(&f);
  static const struct {
    size_t waveform;
    double f, reference, ratio;
  } levels[] = {{0, 1e9, 0, 0.1},      {2, 0.5e9, 1e9, 0.1}, {2, 1.5e9, 1e9, 0.1}, {3, 2e9, 1e9, 0.1},
                {5, 0.99e9, 1e9, 1},   {5, 1.01e9, 1e9, 1},  {6, 0.99e9, 1e9, 1},  {6, 1.01e9, 1e9, 1},
                {5, 2e9, 1e9, 0.4463}, {6, 2e9, 1e9, 0.1991}};
  for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
    const struct mx_waveform *w = waveform_of(&f, levels[i].waveform);
    double ratio = spectrum(w, levels[i].f, duration(w)) / spectrum(w, levels[i].reference, duration(w));
    if (fabs(ratio / levels[i].ratio - 1) > 1e-3)
      fail_msg("%s: %g at %g, not %g", made[levels[i].waveform], ratio, levels[i].f, levels[i].ratio);
    if (levels[i].ratio == 1) assert_true(ratio < 1);
  }
  close_fixture(&f);
}

#define EXAMPLE_GAUSSIAN " (for example: waveform.gaussian { f0 = 1e9, bandwidth = 1e9 })"
#define EXAMPLE_TABLE    " (for example: waveform.table { times = { 0, 1e-9, 2e-9 }, values = { 0, 1, 0 } })"
#define EXAMPLE_CSV      " (for example: waveform.csv { file = \"pulse.csv\" })"
#define EXAMPLE_SINE     " (for example: waveform.sine { f0 = 1e9 })"

static const struct {
  const char *text, *message; /* the message stands in line 3 */
} bad[] = {
    {"waveform.gausian {}", "waveform has no 'gausian' (nearest: 'gaussian')"},
    {"waveform.qwertyuiop {}", "waveform has no 'qwertyuiop' (it has csv, differentiated_gaussian, double_exponential, "
                               "gaussian, ricker, sine, step, table)"},
    {"(function() waveform.sine = 1 end)()", "waveform.sine cannot be set: waveform is read-only"},
    {"waveform.sine()", "waveform.sine takes one table" EXAMPLE_SINE},
    {"waveform.sine(1e9)", "waveform.sine takes one table, not 1000000000" EXAMPLE_SINE},
    {"waveform.sine({}, 1)", "waveform.sine takes one table" EXAMPLE_SINE},
    {"waveform.sine { 1e9 }",
     "waveform.sine has keys with names only, and item 1 has none (for example: waveform.sine { f0 = 1e9 })"},
    {"waveform.sine { frequency = 1 }",
     "waveform.sine has no key 'frequency' (known: amplitude, f0, rise) (for example: waveform.sine { f0 = 1e9 })"},
    {"waveform.gaussian { bandwith = 1 }",
     "waveform.gaussian has no key 'bandwith' (nearest: 'bandwidth')" EXAMPLE_GAUSSIAN},
    {"waveform.gaussian {}", "waveform.gaussian: 'bandwidth' is missing" EXAMPLE_GAUSSIAN},
    {"waveform.gaussian { bandwidth = '1' }",
     "waveform.gaussian: bandwidth must be a number > 0 (Hz), not the string \"1\"" EXAMPLE_GAUSSIAN},
    {"waveform.gaussian { bandwidth = -2 }",
     "waveform.gaussian: bandwidth must be a number > 0 (Hz), not -2" EXAMPLE_GAUSSIAN},
    {"waveform.gaussian { bandwidth = 1/0 }",
     "waveform.gaussian: bandwidth must be a number > 0 (Hz), not inf" EXAMPLE_GAUSSIAN},
    {"waveform.gaussian { tau = 0/0 }", "waveform.gaussian: tau must be a number > 0 (s), not nan" EXAMPLE_GAUSSIAN},
    {"waveform.gaussian { bandwidth = 1, tau = 1 }",
     "waveform.gaussian: takes 'bandwidth' or 'tau', not both" EXAMPLE_GAUSSIAN},
    {"waveform.gaussian { f0 = 1e9, bandwidth = 2.5e9 }",
     "waveform.gaussian: bandwidth must be at most 2 f0, or the band reaches zero; it is 2.5 f0" EXAMPLE_GAUSSIAN},
    {"waveform.gaussian { f0 = 1e9, tau = 0.4e-9 }",
     "waveform.gaussian: tau must be at least sqrt(ln 10)/(pi f0) = 4.83012e-10 s, or the band reaches "
     "zero" EXAMPLE_GAUSSIAN},
    {"waveform.gaussian { tau = 1, t0 = 4 }",
     "waveform.gaussian: t0 must be at least 4.6 tau = 4.6 s, so that the waveform starts from zero, not "
     "4" EXAMPLE_GAUSSIAN},
    {"waveform.gaussian { tau = 1, amplitude = {} }",
     "waveform.gaussian: amplitude must be a number, not a table" EXAMPLE_GAUSSIAN},
    {"waveform.ricker { f0 = 1 }", "waveform.ricker has no key 'f0' (known: amplitude, f_peak) (for example: "
                                   "waveform.ricker { f_peak = 1e9 })"},
    {"waveform.ricker {}", "waveform.ricker: 'f_peak' is missing (for example: waveform.ricker { f_peak = 1e9 })"},
    {"waveform.differentiated_gaussian {}", "waveform.differentiated_gaussian: 'f_peak' is missing (for example: "
                                            "waveform.differentiated_gaussian { f_peak = 1e9 })"},
    {"waveform.sine { rise = 1 }", "waveform.sine: 'f0' is missing" EXAMPLE_SINE},
    {"waveform.step {}", "waveform.step: 'rise' is missing (for example: waveform.step { rise = 1e-9 })"},
    {"waveform.double_exponential { rise = 2, fall = 1 }", "waveform.double_exponential: rise must be less than fall, "
                                                           "not 2 and 1 (for example: waveform.double_exponential { "
                                                           "rise = 1/6e8, fall = 1/4e7 })"},
    {"waveform.table { times = { 0, 1 } }", "waveform.table: 'values' is missing" EXAMPLE_TABLE},
    {"waveform.table { times = { 0, 1 }, values = { 0 } }",
     "waveform.table: there are 2 times and 1 values; there must be as many" EXAMPLE_TABLE},
    {"waveform.table { times = { 0 }, values = { 0 } }",
     "waveform.table: at least 2 points are needed, not 1" EXAMPLE_TABLE},
    {"waveform.table { times = { 0, 'x' }, values = { 0, 1 } }",
     "waveform.table: times[2] must be a number, not the string \"x\"" EXAMPLE_TABLE},
    {"waveform.table { times = { 0, 1, n = 2 }, values = { 0, 1 } }",
     "waveform.table: times must be a list of numbers; it has the key 'n'" EXAMPLE_TABLE},
    {"waveform.table { times = { 0, 2, 2 }, values = { 0, 1, 2 } }",
     "waveform.table: point 3: times must increase, but 2 follows 2" EXAMPLE_TABLE},
    {"waveform.table { times = { -1, 2 }, values = { 0, 1 } }",
     "waveform.table: point 1: the first time must be >= 0, not -1" EXAMPLE_TABLE},
    {"waveform.table { times = { 0, 2 }, values = { 1, 0 } }",
     "waveform.table: point 1: the first value must be 0, as the waveform is before, not 1" EXAMPLE_TABLE},
    {"waveform.csv {}", "waveform.csv: 'file' is missing" EXAMPLE_CSV},
    {"waveform.csv { file = 'nothing.csv' }",
     "waveform.csv: cannot open nothing.csv: No such file or directory" EXAMPLE_CSV},
    {"waveform.csv { file = 'bad.csv' }",
     "waveform.csv: bad.csv:3: a line must hold two numbers, the time (s) and the value" EXAMPLE_CSV},
    {"waveform.csv { file = 'backwards.csv' }",
     "waveform.csv: backwards.csv:4: times must increase, but 1 follows 2" EXAMPLE_CSV},
    {"waveform.csv { file = 'empty.csv' }", "waveform.csv: empty.csv: at least 2 points are needed, not 0" EXAMPLE_CSV},
    {"waveform.step({ rise = 1 }).ryse", "a waveform of kind step has no 'ryse' (nearest: 'rise')"},
    {"(function() waveform.step({ rise = 1 }).tau = 1 end)()",
     "'tau' of a waveform cannot be set: make another waveform"},
    {"(function() waveform.step({ rise = 1 }).rise = 2 end)()",
     "'rise' of a waveform cannot be set: make another waveform"},
    {"(function() waveform.table({ times = { 0, 1 }, values = { 0, 1 } }).values[2] = 3 end)()",
     "the points of a waveform cannot be changed: make another waveform"},
    {"waveform.step({ rise = 1 })()", "a waveform is called with one number, the time in seconds"},
    {"error(getmetatable(waveform.step { rise = 1 }))", "waveform"}, /* none that could be given to another table */
};

static void refuses_bad_waveforms(void **state)
{
  (void)state;
  write_text("bad.csv", "t, i\n0, 0\n1, 2, 3\n");
  write_text("backwards.csv", "0, 0\n# 1, 1\n2, 3\n1, 2\n");
  write_text("empty.csv", "t, i\n");
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char text[512], message[1024];
    struct dg_error err = {0};
    snprintf(text, sizeof text, "local function f()\n  local x =\n    %s\nend\nf()\nsimulation {}", bad[i].text);
    snprintf(message, sizeof message, "cavity.lua:3: %s", bad[i].message);
    assert_null(load_text(text, 0, NULL, 0, NULL, &err));
    assert_string_equal(err.message, message);
    assert_int_equal(err.code, DG_INPUT);
  }
  remove("bad.csv");
  remove("backwards.csv");
  remove("empty.csv");
}

/* A script elsewhere finds the file beside it; a list of many points is read as a whole. */
static void reads_files_beside_the_script(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct mx_script *script;
  struct mx_config config;
  assert_int_equal(system("mkdir -p sub"), 0);
  FILE *file = fopen("sub/long.csv", "w");
  assert_non_null(file);
  for (int i = 0; i <= 20000; i++) fprintf(file, "%d,%d\n", i, i % 7);
  fclose(file);
  write_text("sub/s.lua",
             "simulation { mesh = { file = 'a' }, order = 1, time = { steps = 1 }, materials = { a = {} },\n"
             "sources = { { region = 1, profile = { 1, 0, 0 }, waveform = waveform.csv { file = "
             "'long.csv' } } } }");
  assert_int_equal(mx_script_load(&script, "sub/s.lua", 0, NULL, 0, NULL, NULL, &err), 0);
  assert_int_equal(mx_config_read(&config, mx_measure_kinds, mx_script_origin(script), &err), 0);
  const struct mx_waveform *w = &config.source[0].drive.waveform;
  assert_int_equal(w->points, 20001);
  for (int i = 0; i < 20000; i++) {
    assert_true(w->time[i] == i && mx_waveform_at(w, i) == i % 7);
    assert_true(mx_waveform_at(w, i + 0.5) == (i % 7 == 6 ? 3 : i % 7 + 0.5));
  }
  mx_config_release(&config);
  mx_script_free(script);
  assert_int_equal(system("rm sub/s.lua sub/long.csv && rmdir sub"), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_closed_forms_and_lua),   cmocka_unit_test(has_the_band_it_claims),
      cmocka_unit_test(has_the_bandwidth_asked_for),   cmocka_unit_test(refuses_bad_waveforms),
      cmocka_unit_test(reads_files_beside_the_script),
  };
  return cmocka_run_group_tests_name("waveform", tests, enter_folder, leave_folder);
}
