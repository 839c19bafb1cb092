/* The keys of ports. */
#include "maxwell/model/tests/config_fixture.h"

#include <math.h>

#define PORT(keys)   WITH("boundaries = { p = { " keys " } }")
#define GUIDE(keys)  PORT("kind = 'waveguide_port', " keys)
#define MODAL(keys)  PORT("kind = 'modal_port', profile = function() end, " keys)
#define STEP         "waveform = waveform.step { rise = 1 }"
#define MODE         "must be a mode, as in \"TE10\", \"TM11\" or, with larger indices, \"TE1,12\", not "
#define EXAMPLE_WAVE "(for example: waveform = waveform.gaussian { f0 = 1e9, bandwidth = 1e9 })"

#define GROUP(name)                                                                                                    \
  "cavity.lua:2: the group '" name "' of a port names files: no '/' or control character, no '.' at its beginning, "   \
  "at most 128 characters; rename it or write the tag of the surface"

static const struct bad_table bad[] = {
    {GUIDE("mode = 10"), "cavity.lua:2: boundaries.p.mode " MODE "10"},
    {GUIDE("mode = 'te10'"), "cavity.lua:2: boundaries.p.mode " MODE "the string \"te10\" (nearest: 'TE10')"},
    {GUIDE("mode = 'TX10'"), "cavity.lua:2: boundaries.p.mode " MODE "the string \"TX10\" (nearest: 'TE10')"},
    {GUIDE("mode = 'TE1'"), "cavity.lua:2: boundaries.p.mode " MODE "the string \"TE1\" (nearest: 'TE10')"},
    {GUIDE("mode = 'TE1,'"), "cavity.lua:2: boundaries.p.mode " MODE "the string \"TE1,\" (nearest: 'TE10')"},
    {GUIDE("mode = 'TE,10'"), "cavity.lua:2: boundaries.p.mode " MODE "the string \"TE,10\" (nearest: 'TE10')"},
    {GUIDE("mode = 'TE1-1'"), "cavity.lua:2: boundaries.p.mode " MODE "the string \"TE1-1\" (nearest: 'TE11')"},
    {GUIDE("mode = 'TE1,1000'"), "cavity.lua:2: boundaries.p.mode " MODE "the string \"TE1,1000\""},
    {GUIDE("mode = 'dominant'"), "cavity.lua:2: boundaries.p.mode " MODE "the string \"dominant\""},
    {GUIDE("mode = 'TEM'"), "cavity.lua:2: boundaries.p.mode " MODE "the string \"TEM\""},
    {GUIDE("mode = 'TE00'"), "cavity.lua:2: boundaries.p.mode: a rectangular guide has no mode TE00; one index of a TE "
                             "mode is at least 1"},
    {GUIDE("mode = 'TM10'"), "cavity.lua:2: boundaries.p.mode: a rectangular guide has no mode TM10; both indices of a "
                             "TM mode are at least 1"},
    {GUIDE("absorb = 'TE20'"), "cavity.lua:2: boundaries.p.absorb must be a list of modes, as in { \"TE20\", \"TE01\" "
                               "}, not the string \"TE20\""},
    {GUIDE("absorb = { 'TE20', 'TE' }"), "cavity.lua:2: boundaries.p.absorb.2 " MODE "the string \"TE\""},
    {GUIDE("absorb = { 'TE20', 'TE2,0' }"), "cavity.lua:2: boundaries.p.absorb.2: TE2,0 is given twice"},
    {GUIDE("absorb = { 'TE10' }"),
     "cavity.lua:2: boundaries.p.absorb.1: TE10 is the port's own mode, which is absorbed in any case"},
    {GUIDE("axis = { 0, 0, 0 }"), "cavity.lua:2: boundaries.p.axis must be three numbers, as in { 0, 0, 1 }, not zero"},
    {GUIDE("number = 0"), "cavity.lua:2: boundaries.p.number must be an integer >= 1, not 0"},
    {GUIDE("number = 1.5"), "cavity.lua:2: boundaries.p.number must be an integer >= 1, not 1.5"},
    {GUIDE("amplitude = 2"),
     "cavity.lua:2: 'waveform' is missing in boundaries.p, which has 'amplitude' " EXAMPLE_WAVE},
    {GUIDE("delay = 2"), "cavity.lua:2: 'waveform' is missing in boundaries.p, which has 'delay' " EXAMPLE_WAVE},
    {GUIDE(STEP ", amplitude = 'x'"),
     "cavity.lua:2: boundaries.p.amplitude must be a number (V), not the string \"x\""},
    {GUIDE(STEP ", delay = -1"), "cavity.lua:2: boundaries.p.delay must be a number >= 0 (seconds), not -1"},
    {GUIDE("waveform = 3"), "cavity.lua:2: boundaries.p.waveform must be a waveform, as in waveform.gaussian { f0 = "
                            "1e9, bandwidth = 1e9 }, or a function of t, not 3"},
    {GUIDE("resistance = 50"), "cavity.lua:2: boundaries.p.resistance is only for kind \"lumped_port\" or "
                               "\"lumped_element\", not for kind \"waveguide_port\""},
    {GUIDE("mod = 'TE10'"), "cavity.lua:2: unknown key 'mod' in boundaries.p (nearest: 'mode')"},
    {PORT("kind = 'coaxial_port', mode = 'TEM'"), "cavity.lua:2: boundaries.p.mode is only for kind \"waveguide_port\" "
                                                  "or \"tem_port\", not for kind \"coaxial_port\""},
    {PORT("kind = 'waveguide'"),
     "cavity.lua:2: boundaries.p.kind must be \"pec\", \"pmc\", \"impedance\", \"metal\", "
     "\"absorbing\", \"open\", \"periodic\", \"plane_wave\", \"electric_field\", \"magnetic_field\", "
     "\"surface_current\", \"waveguide_port\", \"coaxial_port\", \"modal_port\", \"tem_port\", "
     "\"lumped_port\" or \"lumped_element\", not the string \"waveguide\""},
    {PORT("kind = 'lumped_port', direction = { 0, 0, 1 }"),
     "cavity.lua:2: 'resistance' is missing in boundaries.p of kind \"lumped_port\" (for example: resistance = 50)"},
    {PORT("kind = 'lumped_port', resistance = 50"),
     "cavity.lua:2: 'direction' is missing in boundaries.p of kind \"lumped_port\" (for example: direction = { 0, 0, 1 "
     "})"},
    {PORT("kind = 'lumped_port', resistance = 0, direction = { 0, 0, 1 }"),
     "cavity.lua:2: boundaries.p.resistance must be a number > 0 (ohm), not 0"},
    {PORT("kind = 'lumped_element', direction = { 0, 0, 1 }"),
     "cavity.lua:2: boundaries.p has no resistance, inductance or capacitance (for example: resistance = 50; a short "
     "circuit is \"pec\", and an open one \"pmc\")"},
    {PORT("kind = 'lumped_element', resistance = 50, inductance = 1e-9, direction = { 0, 0, 1 }"),
     "cavity.lua:2: 'circuit' is missing in boundaries.p, which has several parts (circuit = \"series\" or "
     "\"parallel\")"},
    {PORT("kind = 'lumped_element', resistance = 50, capacitance = 1e-12, circuit = 'serial', direction = { 0, 0, 1 }"),
     "cavity.lua:2: boundaries.p.circuit must be \"series\" or \"parallel\", not the string \"serial\" (nearest: "
     "'series')"},
    {PORT("kind = 'lumped_element', resistance = 0, direction = { 0, 0, 1 }"),
     "cavity.lua:2: boundaries.p.resistance must be a number > 0 (ohm), not 0"},
    {PORT("kind = 'lumped_element', inductance = -1e-9, direction = { 0, 0, 1 }"),
     "cavity.lua:2: boundaries.p.inductance must be a number > 0 (henry), not -1e-09"},
    {PORT("kind = 'lumped_element', capacitance = '1p', direction = { 0, 0, 1 }"),
     "cavity.lua:2: boundaries.p.capacitance must be a number > 0 (farad), not the string \"1p\""},
    {PORT("kind = 'lumped_element', capacitance = 1e-12"),
     "cavity.lua:2: 'direction' is missing in boundaries.p of kind \"lumped_element\" (for example: direction = { 0, "
     "0, 1 })"},
    {PORT("kind = 'lumped_element', capacitance = 1e-12, direction = { 0, 0, 1 }, number = 2"),
     "cavity.lua:2: boundaries.p.number is only for kind \"waveguide_port\", \"coaxial_port\", \"modal_port\", "
     "\"tem_port\" or \"lumped_port\", not for kind \"lumped_element\""},
    {PORT("kind = 'tem_port', voltages = 1"),
     "cavity.lua:2: boundaries.p.voltages must be a table of potentials (V) by conductors, as in { strip = 1 }, not 1"},
    {PORT("kind = 'tem_port', voltages = { 1 }"),
     "cavity.lua:2: boundaries.p.voltages must be a table of potentials (V) by conductors, as in { strip = 1 }, not a "
     "table"},
    {PORT("kind = 'tem_port', voltages = { strip = 'high' }"),
     "cavity.lua:2: boundaries.p.voltages.strip must be a number (V), not the string \"high\""},
    {PORT("kind = 'tem_port', voltages = { strip = 0 }"),
     "cavity.lua:2: boundaries.p.voltages gives no conductor a potential other than 0"},
    {PORT("kind = 'tem_port', voltages = { strip = 1 }, ground = 'shield'"),
     "cavity.lua:2: boundaries.p.voltages says what the field is, and so does 'ground': leave one of them out"},
    {PORT("kind = 'tem_port', voltages = { strip = 1 }, mode = 2"),
     "cavity.lua:2: boundaries.p.voltages says what the field is, and so does 'mode': leave one of them out"},
    {PORT("kind = 'tem_port', mode = 'strange'"),
     "cavity.lua:2: boundaries.p.mode must be an integer >= 1, \"even\" or \"odd\", not the string \"strange\""},
    {PORT("kind = 'tem_port', mode = 0"),
     "cavity.lua:2: boundaries.p.mode must be an integer >= 1, \"even\" or \"odd\", not 0"},
    {PORT("kind = 'tem_port', profile = function() end"),
     "cavity.lua:2: boundaries.p.profile is only for kind \"electric_field\", \"magnetic_field\", "
     "\"surface_current\" or \"modal_port\", not for kind \"tem_port\""},
    {PORT("kind = 'modal_port', family = 'TE'"),
     "cavity.lua:2: 'profile' is missing in boundaries.p of kind \"modal_port\" (for example: profile = function(x, y, "
     "z) return 0, math.sin(math.pi * x), 0 end)"},
    {PORT("kind = 'modal_port', family = 'TE', profile = { 0, 0, 1 }"),
     "cavity.lua:2: boundaries.p.profile must be a function of x, y, z that returns three numbers, not a table"},
    {MODAL(""), "cavity.lua:2: 'family' is missing in boundaries.p of kind \"modal_port\" (for example: family = "
                "\"TE\")"},
    {MODAL("family = 'HE'"), "cavity.lua:2: boundaries.p.family must be \"TE\", \"TM\" or \"TEM\", not the string "
                             "\"HE\" (nearest: 'TE')"},
    {MODAL("family = 'TE'"),
     "cavity.lua:2: boundaries.p: a TE mode needs its cut-off in Hz (for example: cutoff = 6.557e9)"},
    {MODAL("family = 'TM', cutoff = 0"),
     "cavity.lua:2: boundaries.p: a TM mode needs its cut-off in Hz (for example: cutoff = 6.557e9)"},
    {MODAL("family = 'TEM',\ncutoff = 1e9"), "cavity.lua:3: boundaries.p: a TEM mode has no cut-off; leave 'cutoff' "
                                             "away, or say family = \"TE\" or \"TM\""},
    {MODAL("family = 'TE', cutoff = -1"), "cavity.lua:2: boundaries.p.cutoff must be a number >= 0 (Hz), not -1"},
    {WITH("boundaries = { default = { kind = 'coaxial_port' } }"),
     "cavity.lua:2: boundaries.default: a port is on named surfaces; write the name of a group or a tag"},
    {WITH("boundaries = { ['../../x'] = { kind = 'coaxial_port' } }"), GROUP("../../x")},
    {WITH("boundaries = { ['/tmp/x'] = { kind = 'lumped_port', resistance = 1, direction = { 0, 0, 1 } } }"),
     GROUP("/tmp/x")},
    {WITH("boundaries = { ['..'] = { kind = 'waveguide_port' } }"), GROUP("..")},
    {WITH("boundaries = { ['.x'] = { kind = 'coaxial_port' } }"), GROUP(".x")},
    {WITH("boundaries = { a = { kind = 'coaxial_port', number = 2 }, b = { kind = 'waveguide_port' },\nc = { kind = "
          "'waveguide_port', number = 2 } }"),
     "cavity.lua:3: boundaries.c.number: boundaries.a has the number 2 already"},
};

static void refuses_bad_tables(void **state)
{
  (void)state;
  refuse_tables(sizeof bad / sizeof bad[0], bad);
}

static const char full_text[] = WITH(
    "boundaries = { [4] = { kind = 'coaxial_port', waveform = function(t) return 2 * t end, number = 7 },\n"
    "  gap = { kind = 'lumped_port', resistance = 75, direction = { 0, 3, -4 } },\n"
    "  left = { kind = 'waveguide_port', mode = 'TE1,12', absorb = { 'TM11', 'TE01', 'TE10' }, axis = { 0, -2, 0 },\n"
    "           waveform = waveform.sine { f0 = 4e9 }, amplitude = -3, delay = 2e-9 },\n"
    "  right = { kind = 'waveguide_port' },\n"
    "  slot = { kind = 'modal_port', profile = function(x, y, z) return 2 * x, y, z end, family = 'TM',\n"
    "           cutoff = 6.5e9 },\n"
    "  strip = { kind = 'modal_port', profile = function(x, y, z) return 2 * x, y, z end, family = 'TEM' },\n"
    "  tem = { kind = 'tem_port', voltages = { left = 0.5, right = -0.5 } },\n"
    "  trunk = { kind = 'tem_port', ground = 'shield', mode = 'odd' } }");

static void check_full(const struct mx_config *c)
{
  struct dg_error err = {0};
  assert_int_equal(c->boundaries, 8);
  const struct mx_port_config *coax = &c->boundary[0].port, *gap = &c->boundary[1].port, *left = &c->boundary[2].port,
                              *right = &c->boundary[3].port, *slot = &c->boundary[4].port,
                              *strip = &c->boundary[5].port, *pair = &c->boundary[6].port,
                              *trunk = &c->boundary[7].port;
  assert_true(c->boundary[0].where.tag == 4 && c->boundary[0].kind == MX_COAXIAL_PORT && coax->number == 7);
  assert_true(coax->driven && coax->waveform.kind == MX_FUNCTION_WAVEFORM && coax->amplitude == 1 && coax->delay == 0);
  assert_true(c->boundary[1].kind == MX_LUMPED_PORT && gap->resistance == 75 && !gap->driven && gap->number == 0);
  assert_true(fabs(gap->direction[1] - 0.6) < 1e-15 && fabs(gap->direction[2] + 0.8) < 1e-15);
  assert_true(c->boundary[2].kind == MX_WAVEGUIDE_PORT && left->mode.family == MX_TE && left->mode.m == 1);
  assert_true(left->mode.n == 12 && left->absorbed == 3 && left->absorb[0].family == MX_TM);
  assert_true(left->absorb[0].m == 1 && left->absorb[0].n == 1 && left->absorb[1].family == MX_TE);
  assert_true(left->absorb[1].m == 0 && left->absorb[1].n == 1 && left->has_axis && left->axis[1] == -1);
  assert_true(left->driven && left->waveform.kind == MX_SINE && left->amplitude == -3 && left->delay == 2e-9);
  assert_true(right->mode.family == MX_TE && right->mode.m == 1 && right->mode.n == 0 && !right->has_axis);
  assert_true(!right->driven && right->absorbed == 0);
  assert_true(c->boundary[4].kind == MX_MODAL_PORT && slot->mode.family == MX_TM && slot->cutoff == 6.5e9);
  assert_true(strip->mode.family == MX_TEM && strip->cutoff == 0 && strip->profile != NULL);
  assert_true(c->boundary[6].kind == MX_TEM_PORT && pair->voltages == 2 && pair->ground == NULL);
  assert_string_equal(pair->voltage[0].name, "left");
  assert_true(pair->voltage[0].value == 0.5 && pair->voltage[1].value == -0.5);
  assert_string_equal(trunk->ground, "shield");
  assert_true(trunk->voltages == 0 && trunk->tem == MX_TEM_ODD && pair->tem == 0);
  const double in[3] = {1, 2, 3};
  double out[3];
  assert_int_equal(call_function(slot->profile, "f", 3, in, 3, out, &err), 0);
  assert_true(out[0] == 2 && out[1] == 2 && out[2] == 3);
}

static void reads_every_key(void **state)
{
  (void)state;
  struct mx_config config;
  struct mx_script *script = read_right(full_text, 0, NULL, &config);
  check_full(&config);
  mx_config_release(&config);
  mx_script_free(script);
}

static void survives_every_failing_allocation(void **state)
{
  (void)state;
  fail_every_allocation(full_text, 2, check_full);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refuses_bad_tables),
      cmocka_unit_test(reads_every_key),
      cmocka_unit_test(survives_every_failing_allocation),
  };
  return cmocka_run_group_tests_name("config_ports", tests, enter_folder, leave_folder);
}
