/* The same for everything that drives fields: boundaries, interfaces and sources. */
#include "maxwell/model/tests/config_fixture.h"

#include <math.h>

#define SOURCE(keys)    WITH("sources = { { region = 'rod', " keys " } }")
#define BOUNDARY(keys)  WITH("boundaries = { w = { " keys " } }")
#define INTERFACE(keys) WITH("interfaces = { s = { " keys " } }")
#define WAVE            "direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 }, waveform = waveform.step { rise = 1 }"
#define F               "function() end"
#define STEP            "waveform.step { rise = 1 }"
#define EXAMPLE         "waveform = waveform.gaussian { f0 = 1e9, bandwidth = 1e9 })"
#define NEEDS(general)  "needs '" general "', or 'profile' with 'waveform' (for example: profile = { 0, 0, 1 }, " EXAMPLE
#define EITHER(general) "takes '" general "', or 'profile' with 'waveform' and 'delay', not both"
#define PAIR                                                                                                           \
  "is periodic: the boundary that its 'with' names must be periodic with it, as in left = { kind = \"periodic\", "     \
  "with "                                                                                                              \
  "= \"right\" }, right = { kind = \"periodic\", with = \"left\" }"
#define TRIPLE "must be three numbers, as in { 0, 0, 1 }"

static const struct bad_table bad[] = {
    /* sources */
    {WITH("sources = { rod = { current = " F " } }"), "cavity.lua:2: sources must be a list, as in sources = { { "
                                                      "region = \"rod\", current = function(x, y, z, t) return "
                                                      "0, 0, 1 end } }; it has the key 'rod'"},
    {WITH("sources = 3"), "cavity.lua:2: sources must be a list, as in sources = { { region = \"rod\", current = "
                          "function(x, y, z, t) return 0, 0, 1 end } }, not 3"},
    {WITH("sources = { 'rod' }"),
     "cavity.lua:2: sources.1 must be a table, as in { region = \"rod\", current = f }, not the string \"rod\""},
    {WITH("sources = { { current = " F " } }"),
     "cavity.lua:2: 'region' is missing in sources.1 (for example: region = \"rod\")"},
    {WITH("sources = { { at = { 0, 0 }, moment = { 0, 0, 1 } } }"),
     "cavity.lua:2: sources.1.at must be three numbers (metres), as in { 0, 0, 0 }, not 2 values"},
    {WITH("sources = { { at = { 0, 0, 0 }, waveform = function(t) return t end } }"),
     "cavity.lua:2: 'moment' is missing in sources.1 (for example: moment = { 0, 0, 1e-3 })"},
    {WITH("sources = { { at = { 0, 0, 0 }, moment = { 0, 0, 1 }, region = 'rod' } }"),
     "cavity.lua:2: unknown key 'region' in sources.1 (known: at, moment, waveform, delay)"},
    {WITH("sources = { { from = { 0, 0, 0 }, waveform = function(t) return t end } }"),
     "cavity.lua:2: 'to' is missing in sources.1 (for example: to = { 0, 0, 0.1 })"},
    {WITH("sources = { { from = { 0, 0, 1 }, to = { 0, 0, 1 }, waveform = function(t) return t end } }"),
     "cavity.lua:2: sources.1: the wire ends where it begins"},
    {WITH("sources = { { region = 0, current = " F " } }"),
     "cavity.lua:2: sources.1.region must be the name of a volume group, or the tag of a volume, not 0"},
    {WITH("sources = { { region = 1.5, current = " F " } }"),
     "cavity.lua:2: sources.1.region must be the name of a volume group, or the tag of a volume, not 1.5"},
    {WITH("sources = { { region = '', current = " F " } }"),
     "cavity.lua:2: sources.1.region must be the name of a volume group, or the tag of a volume, not the string \"\""},
    {WITH("sources = { { region = 'default', current = " F " } }"),
     "cavity.lua:2: sources.1.region must be the name of a volume group, or the tag of a volume, not the string "
     "\"default\""},
    {WITH("sources = { { region = 'rod' } }"), "cavity.lua:2: sources.1 " NEEDS("current")},
    {WITH("sources = { { region = 'a', current = " F " },\n{ region = 'rod' } }"),
     "cavity.lua:3: sources.2 " NEEDS("current")},
    {SOURCE("curent = " F), "cavity.lua:2: unknown key 'curent' in sources.1 (nearest: 'current')"},
    {SOURCE("kind = 'volume'"), "cavity.lua:2: unknown key 'kind' in sources.1 (known: region, current, profile, "
                                "waveform, delay)"},
    {SOURCE("current = { 0, 0, 1 }"),
     "cavity.lua:2: sources.1.current must be a function of x, y, z, t that returns three numbers, not a table"},
    {SOURCE("current = " F ", profile = { 0, 0, 1 }"), "cavity.lua:2: sources.1 " EITHER("current")},
    {SOURCE("current = " F ", waveform = " STEP), "cavity.lua:2: sources.1 " EITHER("current")},
    {SOURCE("current = " F ",\ndelay = 1"), "cavity.lua:3: sources.1 " EITHER("current")},
    {SOURCE("profile = { 0, 0, 1 }"),
     "cavity.lua:2: 'waveform' is missing in sources.1, which has a 'profile' (for example: " EXAMPLE},
    {SOURCE("waveform = " STEP),
     "cavity.lua:2: 'profile' is missing in sources.1, which has a 'waveform' (for example: profile = { 0, 0, 1 })"},
    {SOURCE("profile = { 0, 1 }, waveform = " STEP),
     "cavity.lua:2: sources.1.profile must be three numbers, as in { 0, 0, 1 }, or a function of x, y, z that returns "
     "three, not 2 values"},
    {SOURCE("profile = { 0, 1, 'z' }, waveform = " STEP),
     "cavity.lua:2: sources.1.profile.3 must be a number, not the string \"z\""},
    {SOURCE("profile = 1, waveform = " STEP),
     "cavity.lua:2: sources.1.profile must be three numbers, as in { 0, 0, 1 }, or a function of x, y, z that returns "
     "three, not 1"},
    {SOURCE("profile = " F ", waveform = 'sine'"),
     "cavity.lua:2: sources.1.waveform must be a waveform, as in waveform.gaussian { f0 = 1e9, bandwidth = 1e9 }, or a "
     "function of t, not the string \"sine\""},
    {SOURCE("profile = " F ", waveform = { kind = 'step', rise = 1 }"),
     "cavity.lua:2: sources.1.waveform must be a waveform, as in waveform.gaussian { f0 = 1e9, bandwidth = 1e9 }, or a "
     "function of t, not a table"},
    {SOURCE("profile = " F ", waveform = " STEP ", delay = -1"),
     "cavity.lua:2: sources.1.delay must be a number >= 0 (seconds), not -1"},
    {SOURCE("profile = " F ", waveform = " STEP ", delay = 1/0"),
     "cavity.lua:2: sources.1.delay must be a number >= 0 (seconds), not inf"},
    /* boundaries */
    {BOUNDARY("kind = 'plane_wave'"), "cavity.lua:2: 'direction' is missing in boundaries.w of kind \"plane_wave\" "
                                      "(for example: direction = { 0, 0, 1 })"},
    {BOUNDARY("kind = 'plane_wave', direction = { 0, 0, 1 }"),
     "cavity.lua:2: 'polarisation' is missing in boundaries.w of kind \"plane_wave\" (for example: polarisation = { 1, "
     "0, 0 })"},
    {BOUNDARY("kind = 'plane_wave', direction = { 0, 0, 1 }, polarisation = { 1, 0, 0 }"),
     "cavity.lua:2: 'waveform' is missing in boundaries.w of kind \"plane_wave\" (for example: " EXAMPLE},
    {BOUNDARY("kind = 'plane_wave', polarization = 1"),
     "cavity.lua:2: unknown key 'polarization' in boundaries.w (nearest: 'polarisation')"},
    {BOUNDARY("kind = 'plane_wave', impedance = 50, " WAVE),
     "cavity.lua:2: boundaries.w.impedance is only for kind \"impedance\", not for kind \"plane_wave\""},
    {BOUNDARY("kind = 'plane_wave', profile = " F ", " WAVE),
     "cavity.lua:2: boundaries.w.profile is only for kind \"electric_field\", \"magnetic_field\", "
     "\"surface_current\" or \"modal_port\", not for kind \"plane_wave\""},
    {BOUNDARY("kind = 'open', reflection = -10"),
     "cavity.lua:2: boundaries.w.reflection must be a number of dB from -200 to -20, not -10"},
    {BOUNDARY("kind = 'open', thickness = 0"),
     "cavity.lua:2: boundaries.w.thickness must be a number > 0 (metres), not 0"},
    {BOUNDARY("kind = 'open', elements = 2.5"),
     "cavity.lua:2: boundaries.w.elements must be an integer from 1 to 50, not 2.5"},
    {BOUNDARY("kind = 'periodic'"),
     "cavity.lua:2: 'with' is missing in boundaries.w of kind \"periodic\" (for example: with = \"right\")"},
    {BOUNDARY("kind = 'absorbing', with = 'v'"),
     "cavity.lua:2: boundaries.w.with is only for kind \"periodic\", not for kind \"absorbing\""},
    {BOUNDARY("kind = 'periodic', with = 'w'"), "cavity.lua:2: boundaries.w is periodic with itself"},
    {BOUNDARY("kind = 'periodic', with = 'v'"), "cavity.lua:2: boundaries.w " PAIR},
    {WITH("boundaries = { a = { kind = 'periodic', with = 'b' },\nb = { kind = 'pec' } }"),
     "cavity.lua:2: boundaries.a " PAIR},
    {WITH("boundaries = { a = { kind = 'periodic', with = 'b' },\nb = { kind = 'periodic', with = 'c' },\n"
          "c = { kind = 'periodic', with = 'b' } }"),
     "cavity.lua:2: boundaries.a " PAIR},
    {WITH("boundaries = { default = { kind = 'periodic', with = 7 }, [7] = { kind = 'periodic', with = 8 } }"),
     "cavity.lua:2: boundaries.7 " PAIR},
    {WITH("boundaries = { [1] = { kind = 'periodic', with = 2 }, [2] = { kind = 'periodic', with = 1 },\n"
          "[3] = { kind = 'periodic', with = 4 }, [4] = { kind = 'periodic', with = 3 },\n"
          "[5] = { kind = 'periodic', with = 6 }, [6] = { kind = 'periodic', with = 5 },\n"
          "[7] = { kind = 'periodic', with = 8 }, [8] = { kind = 'periodic', with = 7 } }"),
     "cavity.lua:2: boundaries has 4 pairs of periodic sides, and space has 3 directions"},
    {BOUNDARY("kind = 'absorbing', reflection = -60"),
     "cavity.lua:2: boundaries.w.reflection is only for kind \"open\", not for kind \"absorbing\""},
    {BOUNDARY("kind = 'absorbing', waveform = " STEP),
     "cavity.lua:2: boundaries.w.waveform is only for kind \"plane_wave\", \"electric_field\", \"magnetic_field\", "
     "\"surface_current\", \"waveguide_port\", \"coaxial_port\", \"modal_port\", \"tem_port\" or \"lumped_port\", not "
     "for kind "
     "\"absorbing\""},
    {BOUNDARY("kind = 'absorbing', direction = { 0, 0, 1 }"),
     "cavity.lua:2: boundaries.w.direction is only for kind \"plane_wave\", \"lumped_port\" or \"lumped_element\", not "
     "for kind "
     "\"absorbing\""},
    {BOUNDARY("kind = 'plane_wave', direction = { 0, 0 }, polarisation = { 1, 0, 0 }, waveform = " STEP),
     "cavity.lua:2: boundaries.w.direction " TRIPLE ", not 2 values"},
    {BOUNDARY("kind = 'plane_wave', direction = 'z', polarisation = { 1, 0, 0 }, waveform = " STEP),
     "cavity.lua:2: boundaries.w.direction " TRIPLE ", not the string \"z\""},
    {BOUNDARY("kind = 'plane_wave', direction = { 0, 0, 0 }, polarisation = { 1, 0, 0 }, waveform = " STEP),
     "cavity.lua:2: boundaries.w.direction " TRIPLE ", not zero"},
    {BOUNDARY("kind = 'plane_wave', direction = { 0, 0, 1 }, polarisation = { 0/0, 0, 0 }, waveform = " STEP),
     "cavity.lua:2: boundaries.w.polarisation.1 must be a number, not nan"},
    {BOUNDARY("kind = 'plane_wave', direction = { 0, 3, 3 }, polarisation = { 0, 5, 0 }, waveform = " STEP),
     "cavity.lua:2: boundaries.w: polarisation must be orthogonal to direction; the dot product of their unit vectors "
     "is 0.707107"},
    {BOUNDARY("kind = 'plane_wave', direction = { 0, 0, 1 }, polarisation = { 1, 0, 2e-6 }, waveform = " STEP),
     "cavity.lua:2: boundaries.w: polarisation must be orthogonal to direction; the dot product of their unit vectors "
     "is 2e-06"},
    {BOUNDARY("kind = 'plane_wave', amplitude = '1', " WAVE),
     "cavity.lua:2: boundaries.w.amplitude must be a number (V/m), not the string \"1\""},
    {BOUNDARY("kind = 'plane_wave', origin = 0, " WAVE),
     "cavity.lua:2: boundaries.w.origin must be three numbers (metres), as in { 0, 0, -1 }, not 0"},
    {BOUNDARY("kind = 'plane_wave', delay = -2, " WAVE),
     "cavity.lua:2: boundaries.w.delay must be a number >= 0 (seconds), not -2"},
    {BOUNDARY("kind = 'electric_field'"), "cavity.lua:2: boundaries.w " NEEDS("field")},
    {BOUNDARY("kind = 'magnetic_field', profile = " F),
     "cavity.lua:2: 'waveform' is missing in boundaries.w, which has a 'profile' (for example: " EXAMPLE},
    {BOUNDARY("kind = 'magnetic_field', waveform = " STEP),
     "cavity.lua:2: 'profile' is missing in boundaries.w, which has a 'waveform' (for example: profile = { 0, 0, 1 })"},
    {BOUNDARY("kind = 'electric_field', field = " F ", profile = " F), "cavity.lua:2: boundaries.w " EITHER("field")},
    {BOUNDARY("kind = 'electric_field', current = " F),
     "cavity.lua:2: boundaries.w.current is only for kind \"surface_current\", not for kind \"electric_field\""},
    {BOUNDARY("kind = 'electric_field', field = 1"),
     "cavity.lua:2: boundaries.w.field must be a function of x, y, z, t that returns three numbers, not 1"},
    {BOUNDARY("kind = 'pec', field = " F), "cavity.lua:2: boundaries.w.field is only for kind \"electric_field\" or "
                                           "\"magnetic_field\", not for kind \"pec\""},
    /* interfaces */
    {WITH("interfaces = 3"), "cavity.lua:2: interfaces must be a table, as in interfaces = { sheet = { kind = "
                             "\"surface_current\", current = f } }, not 3"},
    {WITH("interfaces = { s = 3 }"),
     "cavity.lua:2: interfaces.s must be a table, as in { kind = \"surface_current\", current = f }, not 3"},
    {INTERFACE("kind = 'resistive_sheet'"), "cavity.lua:2: 'resistance' is missing in interfaces.s of kind "
                                            "\"resistive_sheet\" (for example: resistance = 188)"},
    {INTERFACE("kind = 'resistive_sheet', resistance = -50"),
     "cavity.lua:2: interfaces.s.resistance must be a number > 0 (ohm per square), not -50"},
    {INTERFACE("kind = 'resistive_sheet', resistance = 0"),
     "cavity.lua:2: interfaces.s.resistance must be a number > 0 (ohm per square), not 0"},
    {INTERFACE("kind = 'pec', resistance = 50"),
     "cavity.lua:2: interfaces.s.resistance is only for kind \"resistive_sheet\", not for kind \"pec\""},
    {WITH("interfaces = { default = { kind = 'surface_current', current = " F " } }"),
     "cavity.lua:2: interfaces.default: an interface is on named surfaces; write the name of a group or a tag"},
    {WITH("interfaces = { [0] = { kind = 'surface_current', current = " F " } }"),
     "cavity.lua:2: interfaces.0: a tag of an entity is an integer >= 1, not 0"},
    {INTERFACE("current = " F),
     "cavity.lua:2: 'kind' is missing in interfaces.s (for example: kind = \"surface_current\")"},
    {INTERFACE("kind = 'surface'"), "cavity.lua:2: interfaces.s.kind must be \"surface_current\", \"total_field\", "
                                    "\"pec\", \"resistive_sheet\", \"graphene\" or \"metal_sheet\", not the string "
                                    "\"surface\""},
    {INTERFACE("kind = 'surface_current'"), "cavity.lua:2: interfaces.s " NEEDS("current")},
    {INTERFACE("kind = 'surface_current', field = " F),
     "cavity.lua:2: unknown key 'field' in interfaces.s (known: kind, current, profile, waveform, delay, region, "
     "direction, polarisation, amplitude, origin, resistance, chemical_potential, relaxation_time, temperature, "
     "thickness, metal, conductivity, mu_r, band)"},
    {INTERFACE("kind = 'surface_current', current = " F ", region = 'a'"),
     "cavity.lua:2: interfaces.s.region is only for kind \"total_field\", not for kind \"surface_current\""},
    {INTERFACE("kind = 'surface_current', current = " F ", profile = " F),
     "cavity.lua:2: interfaces.s " EITHER("current")},
    {INTERFACE("kind = 'total_field', " WAVE), "cavity.lua:2: 'region' is missing in interfaces.s of kind "
                                               "\"total_field\" (for example: region = \"inside\")"},
    {INTERFACE("kind = 'total_field', region = -1, " WAVE),
     "cavity.lua:2: interfaces.s.region must be the name of a volume group, or the tag of a volume, not -1"},
    {INTERFACE("kind = 'total_field', region = 'in', current = " F ", " WAVE),
     "cavity.lua:2: interfaces.s.current is only for kind \"surface_current\", not for kind \"total_field\""},
    {INTERFACE("kind = 'total_field', region = 'in', direction = { 1, 0, 0 }, polarisation = { -1, 0, 0 }, waveform "
               "= " STEP),
     "cavity.lua:2: interfaces.s: polarisation must be orthogonal to direction; the dot product of their unit vectors "
     "is -1"},
};

static void refuses_bad_tables(void **state)
{
  (void)state;
  refuse_tables(sizeof bad / sizeof bad[0], bad);
}

static const char full_text[] =
    "local function three(x, y, z) return x, y, z end\n"
    "local function four(x, y, z, t) return x, y, z * t end\n" WITH(
        "boundaries = { [4] = { kind = 'electric_field', field = four },\n"
        "  default = { kind = 'absorbing' },\n"
        "  h = { kind = 'magnetic_field', profile = { 1, -2, 3 }, waveform = waveform.sine { f0 = 4e9 }, delay = 5e-9 "
        "},\n"
        "  port = { kind = 'plane_wave', direction = { 0, 3e200, 4e200 }, polarisation = { 0, -4, 3 }, amplitude = "
        "-7,\n"
        "           origin = { 1, 2, 3 }, delay = 2e-9,\n"
        "           waveform = waveform.double_exponential { rise = 1e-9, fall = 5e-9, amplitude = 2 } },\n"
        "  top = { kind = 'plane_wave', direction = { 0, 0, -1e-200 }, polarisation = { 1, 0, 9e-7 },\n"
        "          waveform = function(t) return 2 * t end } },\n"
        "interfaces = { [9] = { kind = 'surface_current', current = four },\n"
        "  box = { kind = 'total_field', region = 'inside', direction = { 1, 0, 0 }, polarisation = { 0, 1, 0 },\n"
        "          amplitude = 3, origin = { -1, 0, 0 }, waveform = waveform.ricker { f_peak = 1e9 }, delay = 1e-9 },\n"
        "  sheet = { kind = 'surface_current', profile = three, waveform = waveform.step { rise = 3e-9 } } },\n"
        "sources = { { region = 'rod', profile = three, waveform = waveform.gaussian { f0 = 1e9, bandwidth = 0.5e9 } "
        "},\n"
        "  { region = 7, current = four },\n"
        "  { region = 'gap', profile = { 0, 0, 1 }, delay = 1e-9, waveform = waveform.gaussian { tau = 2e-9, t0 = "
        "11e-9 } "
        "},\n"
        "  { region = 'gap', profile = { 0, 0, 1 }, waveform = waveform.table { times = { 1, 2, 4 }, values = { 0, 3, "
        "-1 "
        "},\n"
        "    amplitude = 0.5 } },\n"
        "  { region = 'gap', profile = { 0, 0, 1 }, waveform = waveform.differentiated_gaussian { f_peak = 1e9 } } }");

static void check_triple(const double *v, double x, double y, double z)
{
  const double expected[] = {x, y, z};
  for (int i = 0; i < 3; i++) assert_true(fabs(v[i] - expected[i]) < 4e-16);
}

/* What a function of the script returns at (0.5, 2, -3, 4): (x, y, z), or with t also z t. */
static void check_function(const struct mx_function *function, int inputs)
{
  const double in[] = {0.5, 2, -3, 4};
  double out[3];
  struct dg_error err = {0};
  assert_int_equal(call_function(function, "f", inputs, in, 3, out, &err), 0);
  check_triple(out, 0.5, 2, inputs == 4 ? -12 : -3);
}

static void check_boundaries(const struct mx_config *c)
{
  struct dg_error err = {0};
  const double t = 21;
  double w;
  assert_int_equal(c->boundaries, 5);
  assert_true(c->boundary[0].where.tag == 4 && c->boundary[0].kind == MX_ELECTRIC_FIELD);
  check_function(c->boundary[0].drive.general, 4);
  assert_true(c->boundary[0].drive.profile == NULL);
  assert_true(c->boundary[1].where.is_default && c->boundary[1].kind == MX_ABSORBING);
  const struct mx_boundary_config *h = &c->boundary[2], *port = &c->boundary[3], *top = &c->boundary[4];
  assert_true(strcmp(h->where.group, "h") == 0 && h->kind == MX_MAGNETIC_FIELD && h->where.line == 6);
  assert_true(h->drive.general == NULL && h->drive.profile == NULL && h->drive.delay == 5e-9);
  check_triple(h->drive.constant, 1, -2, 3);
  assert_true(h->drive.waveform.kind == MX_SINE && h->drive.waveform.f0 == 4e9 && h->drive.waveform.rise == 3 / 4e9);
  assert_true(h->drive.waveform.amplitude == 1 && h->drive.waveform.function == NULL);
  assert_true(strcmp(port->where.group, "port") == 0 && port->kind == MX_PLANE_WAVE);
  check_triple(port->wave.direction, 0, 0.6, 0.8);
  check_triple(port->wave.polarisation, 0, -0.8, 0.6);
  check_triple(port->wave.origin, 1, 2, 3);
  assert_true(port->wave.amplitude == -7 && port->wave.delay == 2e-9);
  assert_true(port->wave.waveform.kind == MX_DOUBLE_EXPONENTIAL && port->wave.waveform.rise == 1e-9);
  assert_true(port->wave.waveform.fall == 5e-9 && port->wave.waveform.amplitude == 2);
  assert_true(top->kind == MX_PLANE_WAVE && top->wave.amplitude == 1 && top->wave.delay == 0);
  check_triple(top->wave.direction, 0, 0, -1);
  check_triple(top->wave.polarisation, 1, 0, 0); /* made exactly orthogonal */
  check_triple(top->wave.origin, 0, 0, 0);
  assert_true(top->wave.waveform.kind == MX_FUNCTION_WAVEFORM && top->wave.waveform.amplitude == 1);
  assert_int_equal(call_function(top->wave.waveform.function, "w", 1, &t, 1, &w, &err), 0);
  assert_true(w == 42);
}

static void check_interfaces(const struct mx_config *c)
{
  assert_int_equal(c->interfaces, 3);
  const struct mx_interface_config *tag = &c->interface[0], *box = &c->interface[1], *sheet = &c->interface[2];
  assert_true(tag->where.tag == 9 && tag->kind == MX_SURFACE_CURRENT && tag->where.line == 12);
  check_function(tag->drive.general, 4);
  assert_true(strcmp(box->where.group, "box") == 0 && box->kind == MX_TOTAL_FIELD);
  assert_true(strcmp(box->inside.group, "inside") == 0 && box->inside.tag == 0 && box->inside.line == 13);
  assert_string_equal(box->inside.where, "cavity.lua:13");
  check_triple(box->wave.direction, 1, 0, 0);
  check_triple(box->wave.polarisation, 0, 1, 0);
  check_triple(box->wave.origin, -1, 0, 0);
  assert_true(box->wave.amplitude == 3 && box->wave.delay == 1e-9 && box->wave.waveform.kind == MX_RICKER);
  assert_true(fabs(box->wave.waveform.tau * acos(-1.0) * 1e9 - 1) < 1e-15);
  assert_true(sheet->kind == MX_SURFACE_CURRENT && sheet->drive.general == NULL && sheet->drive.delay == 0);
  check_function(sheet->drive.profile, 3);
  assert_true(sheet->drive.waveform.kind == MX_SMOOTH_STEP && sheet->drive.waveform.rise == 3e-9);
}

static void check_sources(const struct mx_config *c)
{
  assert_int_equal(c->sources, 5);
  const struct mx_source_config *s = c->source;
  assert_true(strcmp(s[0].where.group, "rod") == 0 && s[0].where.tag == 0 && s[0].where.line == 16);
  assert_true(s[0].drive.general == NULL && s[0].drive.delay == 0);
  check_function(s[0].drive.profile, 3);
  /* At half the bandwidth from f0 the Gaussian is a tenth. */
  const struct mx_waveform *w = &s[0].drive.waveform;
  assert_true(w->kind == MX_MODULATED_GAUSSIAN && w->f0 == 1e9 && w->amplitude == 1);
  assert_true(fabs(exp(-pow(acos(-1.0) * w->tau * 0.25e9, 2)) - 0.1) < 1e-14 && w->t0 == 5 * w->tau);
  assert_true(s[1].where.tag == 7 && s[1].where.group == NULL && s[1].drive.profile == NULL);
  check_function(s[1].drive.general, 4);
  check_triple(s[2].drive.constant, 0, 0, 1);
  w = &s[2].drive.waveform;
  assert_true(w->kind == MX_GAUSSIAN && w->tau == 2e-9 && w->t0 == 11e-9 && s[2].drive.delay == 1e-9);
  w = &s[3].drive.waveform;
  assert_true(w->kind == MX_TABULATED && w->points == 3 && w->amplitude == 0.5);
  check_triple(w->time, 1, 2, 4);
  check_triple(w->value, 0, 3, -1);
  w = &s[4].drive.waveform;
  assert_true(w->kind == MX_DIFFERENTIATED_GAUSSIAN && fabs(w->tau * sqrt(2.0) * acos(-1.0) * 1e9 - 1) < 1e-15);
}

static void check_full(const struct mx_config *c)
{
  check_boundaries(c);
  check_interfaces(c);
  check_sources(c);
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

static const struct override sets[] = {
    {"sources.1.waveform.amplitude", "3", NULL},
    {"sources.1.waveform", "(waveform.gaussian { bandwidth = 1e9 })", NULL},
    {"sources.1.waveform.tau", "1",
     "cavity.lua:16: sources.1.waveform: t0 must be at least 4.6 tau, so that the waveform starts from zero"},
    {"sources.1.waveform.tau", "nil",
     "cavity.lua:16: 'tau' is missing in sources.1.waveform (for example: tau = 1e-9)"},
    {"sources.1.waveform.kind", "nil", "cavity.lua:16: sources.1.waveform has lost its kind"},
    {"sources.1.waveform.kind", "gausian",
     "--set sources.1.waveform.kind=gausian: sources.1.waveform.kind must be \"gaussian\", \"modulated_gaussian\", "
     "\"differentiated_gaussian\", \"ricker\", \"sine\", \"step\", \"double_exponential\" or \"table\", not the string "
     "\"gausian\" (nearest: 'gaussian')"},
    {"sources.1.waveform.kind", "gaussian", "cavity.lua:16: unknown key 'f0' in sources.1.waveform (nearest: 't0')"},
    {"sources.4.waveform.times.3", "2", "cavity.lua:19: sources.4.waveform.times must increase"},
    {"sources.4.waveform.values.1", "1",
     "cavity.lua:19: sources.4.waveform must start with the value 0 at a time >= 0"},
    {"sources.4.waveform.times.1", "-1",
     "cavity.lua:19: sources.4.waveform must start with the value 0 at a time >= 0"},
    {"sources.4.waveform.values.4", "1",
     "cavity.lua:19: sources.4.waveform must have at least 2 times and as many values, not 3 and 4"},
    {"sources.4.waveform.values", "{ 0, 'a', 1 }",
     "--set sources.4.waveform.values={ 0, 'a', 1 }: sources.4.waveform.values.2 must be a list of numbers, not the "
     "string \"a\""},
    {"boundaries.port.waveform.rise", "1", "cavity.lua:9: boundaries.port.waveform: rise must be less than fall"},
};

static void check_override(size_t i, const struct mx_config *config)
{
  if (i == 0) assert_true(config->source[0].drive.waveform.amplitude == 3);
  if (i == 1) assert_int_equal(config->source[0].drive.waveform.kind, MX_GAUSSIAN);
}

static void judges_overrides_as_the_script(void **state)
{
  (void)state;
  judge_overrides(full_text, sizeof sets / sizeof sets[0], sets, check_override);
}

static void survives_every_failing_allocation(void **state)
{
  (void)state;
  fail_every_allocation(full_text, 6, check_full);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refuses_bad_tables),
      cmocka_unit_test(reads_every_key),
      cmocka_unit_test(judges_overrides_as_the_script),
      cmocka_unit_test(survives_every_failing_allocation),
  };
  return cmocka_run_group_tests_name("config_sources", tests, enter_folder, leave_folder);
}
