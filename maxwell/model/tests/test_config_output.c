/* The output section: what is measured. */
#include "maxwell/model/tests/config_fixture.h"

#include <math.h>

#define OUTPUT(keys) WITH(" output = { " keys " }")
#define LINE         "name = 'a', from = { 0, 0, 0 }, to = { 0, 0, 1 }"
#define PLANE        "name = 'a', origin = { 0, 0, 0 }, u = { 1, 0, 0 }, v = { 0, 1, 0 }"
#define PROBE        "name = 'a', at = { 0, 0, 0 }"
#define TRIPLE       "three numbers (metres), as in { 0.4, 0.5, 0.3 }"
#define AT           "cavity.lua:2: output."
#define PATH         "a list of points (metres), as in { { 0, 0, 0 }, { 0, 0, 0.1 } }"
#define BAND         "a list of numbers >= 0 (Hz), as in { 1e9, 2e9 }, or { from = 1e9, to = 2e9, points = 101 }"
#define CIRCLE       "circle = { centre = { 0, 0, 0 }, normal = { 0, 0, 1 }, radius = 0.01 }"
#define RINGS        "name = 'm', probe = 'a'"
#define SURFACE      "the name of a surface group, or the tag of a surface"

static const struct bad_table bad[] = {
    {OUTPUT("lins = {}"), "cavity.lua:2: unknown key 'lins' in output (nearest: 'lines')"},
    {OUTPUT("voltage = {}"), "cavity.lua:2: unknown key 'voltage' in output (nearest: 'voltages')"},
    /* snapshots */
    {OUTPUT("fields = { every = 1, format = 'vtk' }"),
     AT "fields.format must be \"silo\", \"vtkhdf\", or a list of both, not the string \"vtk\""},
    {OUTPUT("fields = { every = 1, format = { 'silo', 'hdf' } }"),
     AT "fields.format.2 must be \"silo\" or \"vtkhdf\", not the string \"hdf\""},
    {OUTPUT("fields = { every = 1, format = { 'silo', 'silo' } }"), AT "fields.format: \"silo\" is given twice"},
    {OUTPUT("fields = { every = 1, format = {} }"),
     AT "fields.format is empty; it must be \"silo\", \"vtkhdf\", or a list of both"},
    {OUTPUT("fields = { every = 1, format = 1 }"),
     AT "fields.format must be \"silo\", \"vtkhdf\", or a list of both, not 1"},
    /* lines */
    {OUTPUT("lines = 3"),
     AT "lines must be a list, as in lines = { { name = \"axis\", from = { 0, 0, 0 }, to = { 0, 0, "
        "0.1 } } }, not 3"},
    {OUTPUT("lines = { { " LINE ", point = 3 } }"),
     "cavity.lua:2: unknown key 'point' in output.lines.1 (nearest: 'points')"},
    {OUTPUT("lines = { { name = 'a', to = { 0, 0, 1 } } }"),
     "cavity.lua:2: 'from' is missing in output.lines.1 (for example: from = { 0, 0, 0 })"},
    {OUTPUT("lines = { { name = 'a', from = { 0, 0, 1 } } }"),
     "cavity.lua:2: 'to' is missing in output.lines.1 (for example: to = { 0, 0, 0.1 })"},
    {OUTPUT("lines = { { from = { 0, 0, 1 }, to = { 1, 0, 0 } } }"),
     "cavity.lua:2: 'name' is missing in output.lines.1 (for example: name = \"axis\")"},
    {OUTPUT("lines = { { " LINE ", points = 1 } }"), AT "lines.1.points must be an integer from 2 to 1000000, not 1"},
    {OUTPUT("lines = { { " LINE ", points = 2.5 } }"),
     AT "lines.1.points must be an integer from 2 to 1000000, not 2.5"},
    {OUTPUT("lines = { { " LINE ", every = 0 } }"), AT "lines.1.every must be an integer >= 1, not 0"},
    {OUTPUT("lines = { { name = 'a', from = { 1, 2, 3 }, to = { 1, 2, 3 } } }"),
     AT "lines.1: the line ends where it begins"},
    {OUTPUT("lines = { { name = 'a/b', from = { 0, 0, 0 }, to = { 1, 2, 3 } } }"),
     AT "lines.1.name must be a name for a file (letters, digits, '_', '-' and '.'; not starting with '.'; at most 200 "
        "characters), not the string \"a/b\""},
    {OUTPUT("lines = { { " LINE " }, { " LINE " } }"), AT "lines: two lines have the name 'a' (1 and 2)"},
    {OUTPUT("lines = { { " LINE
            ", frequencies = { 1 } }, { name = 'a_spectrum', from = { 0, 0, 0 }, to = { 1, 0, 0 } } "
            "}"),
     AT "lines: the name 'a_spectrum' is that of the spectrum of 'a'; choose another one"},
    {OUTPUT(
         "probes = { { name = 'b_spectrum', at = { 0, 0, 0 } }, { name = 'b', at = { 0, 0, 0 }, frequencies = { 1 } } "
         "}"),
     AT "probes: the name 'b_spectrum' is that of the spectrum of 'b'; choose another one"},
    /* planes */
    {OUTPUT("planes = { { name = 'a', origin = { 0, 0, 0 }, u = { 1, 0, 0 } } }"),
     "cavity.lua:2: 'v' is missing in output.planes.1 (for example: v = { 0, 1, 0 })"},
    {OUTPUT("planes = { { name = 'a', origin = { 0, 0, 0 }, u = { 1, 0, 0 }, v = { -2, 0, 0 } } }"),
     AT "planes.1: the edges 'u' and 'v' of the plane must not be zero or parallel"},
    {OUTPUT("planes = { { name = 'a', origin = { 0, 0, 0 }, u = { 1, 0, 0 }, v = { 0, 0, 0 } } }"),
     AT "planes.1: the edges 'u' and 'v' of the plane must not be zero or parallel"},
    {OUTPUT("planes = { { " PLANE ", points = 3 } }"),
     AT "planes.1.points must be two integers >= 2, as in { 40, 30 }, not 3"},
    {OUTPUT("planes = { { " PLANE ", points = { 3 } } }"),
     AT "planes.1.points must be two integers >= 2, as in { 40, 30 }, not 1 values"},
    {OUTPUT("planes = { { " PLANE ", points = { 3, 1 } } }"),
     AT "planes.1.points.2 must be an integer from 2 to 10000, not 1"},
    {OUTPUT("planes = { { " PLANE ", format = 'vtk' } }"),
     AT "planes.1.format must be \"csv\" or \"silo\", not the string \"vtk\""},
    /* fluxes and losses */
    {OUTPUT("fluxes = { { name = 'a' } }"),
     "cavity.lua:2: 'surface' is missing in output.fluxes.1 (for example: surface = \"aperture\")"},
    {OUTPUT("fluxes = { { name = 'a', surface = 0 } }"), AT "fluxes.1.surface must be " SURFACE ", not 0"},
    {OUTPUT("fluxes = { { name = 'a', surface = 'default' } }"),
     AT "fluxes.1.surface must be " SURFACE ", not the string \"default\""},
    {OUTPUT("fluxes = { { name = 'a', surface = 's', direction = { 0, 0, 0 } } }"),
     AT "fluxes.1.direction must be three numbers, as in { 0, 0, 1 }, not zero"},
    {OUTPUT("losses = { { name = 'a' } }"),
     "cavity.lua:2: 'region' is missing in output.losses.1 (for example: region = \"load\")"},
    {OUTPUT("losses = { { name = 'a', region = {} } }"),
     AT "losses.1.region must be the name of a volume group, or the tag of a volume, not a table"},
    {OUTPUT("losses = { { name = 'a', region = 'r', direction = { 1, 0, 0 } } }"),
     "cavity.lua:2: unknown key 'direction' in output.losses.1 (known: name, every, frequencies, region)"},
    /* voltages */
    {OUTPUT("voltages = { { name = 'a' } }"),
     AT "voltages.1 needs 'from' and 'to', or 'path' (for example: from = { 0, "
        "0, 0 }, to = { 0, 0, 0.1 })"},
    {OUTPUT("voltages = { { name = 'a', from = { 0, 0, 0 } } }"),
     "cavity.lua:2: 'to' is missing in output.voltages.1, which has 'from' (for example: to = { 0, 0, 0.1 })"},
    {OUTPUT("voltages = { { name = 'a', to = { 0, 0, 0 } } }"),
     "cavity.lua:2: 'from' is missing in output.voltages.1, which has 'to' (for example: from = { 0, 0, 0.1 })"},
    {OUTPUT("voltages = { { " LINE ", path = { { 0, 0, 0 }, { 1, 0, 0 } } } }"),
     AT "voltages.1 takes 'path', or 'from' and 'to', not both"},
    {OUTPUT("voltages = { { name = 'a', path = { { 0, 0, 0 } } } }"),
     AT "voltages.1.path must have at least 2 points, not 1"},
    {OUTPUT("voltages = { { name = 'a', path = 3 } }"), AT "voltages.1.path must be " PATH ", not 3"},
    {OUTPUT("voltages = { { name = 'a', path = { 1, 2, 3 } } }"), AT "voltages.1.path.1 must be " TRIPLE ", not 1"},
    {OUTPUT("voltages = { { name = 'a', path = { { 0, 0, 0 }, { 1, 0 } } } }"),
     AT "voltages.1.path.2 must be " TRIPLE ", not 2 values"},
    {OUTPUT("voltages = { { name = 'a', path = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 } } } }"),
     AT "voltages.1.path: points 2 and 3 are the same"},
    {OUTPUT("voltages = { { name = 'a', from = { 1, 0, 0 }, to = { 1, 0, 0 } } }"),
     AT "voltages.1: points 1 and 2 are the same"},
    /* currents */
    {OUTPUT("currents = { { name = 'a' } }"), AT "currents.1 needs 'path' or 'circle' (for example: " CIRCLE ")"},
    {OUTPUT("currents = { { name = 'a', path = { { 0, 0, 0 }, { 1, 0, 0 } } } }"),
     AT "currents.1.path must have at least 3 points, not 2"},
    {OUTPUT("currents = { { name = 'a', path = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 } } } }"),
     AT "currents.1.path: the path closes by itself; leave the last point, which is the first, out"},
    {OUTPUT("currents = { { name = 'a', path = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, " CIRCLE " } }"),
     AT "currents.1 takes 'path' or 'circle', not both"},
    {OUTPUT("currents = { { name = 'a', circle = { centre = { 0, 0, 0 }, normal = { 0, 0, 1 } } } }"),
     "cavity.lua:2: 'radius' is missing in output.currents.1.circle (for example: radius = 0.01)"},
    {OUTPUT("currents = { { name = 'a', circle = { centre = { 0, 0, 0 }, normal = { 0, 0, 1 }, radius = -1 } } }"),
     AT "currents.1.circle.radius must be a number > 0 (metres), not -1"},
    {OUTPUT("currents = { { name = 'a', circle = { centre = { 0, 0, 0 }, normal = { 0, 0, 0 }, radius = 1 } } }"),
     AT "currents.1.circle.normal must be three numbers, as in { 0, 0, 1 }, not zero"},
    {OUTPUT("currents = { { name = 'a', circle = { center = { 0, 0, 0 } } } }"),
     "cavity.lua:2: unknown key 'center' in output.currents.1.circle (nearest: 'centre')"},
    /* frequencies */
    {OUTPUT("probes = { { " PROBE ", frequencies = 1e9 } }"), AT "probes.1.frequencies must be " BAND ", not 1e+09"},
    {OUTPUT("probes = { { " PROBE ", frequencies = {} } }"), AT "probes.1.frequencies is empty; it must be " BAND},
    {OUTPUT("probes = { { " PROBE ", frequencies = { 1e9, -1 } } }"),
     AT "probes.1.frequencies.2 must be a number >= 0 (Hz), not -1"},
    {OUTPUT("probes = { { " PROBE ", frequencies = { 1e9, 'x' } } }"),
     AT "probes.1.frequencies.2 must be a number >= 0 (Hz), not the string \"x\""},
    {OUTPUT("probes = { { " PROBE ", frequencies = { 1/0 } } }"),
     AT "probes.1.frequencies.1 must be a number >= 0 (Hz), not inf"},
    {OUTPUT("probes = { { " PROBE ", frequencies = { from = 2e9, to = 1e9, points = 3 } } }"),
     AT "probes.1.frequencies: 'from' = 2e+09 Hz is not below 'to' = 1e+09 Hz"},
    {OUTPUT("probes = { { " PROBE ", frequencies = { from = 1e9, to = 2e9 } } }"),
     "cavity.lua:2: 'points' is missing in output.probes.1.frequencies (for example: points = 101)"},
    {OUTPUT("probes = { { " PROBE ", frequencies = { from = 1e9, to = 2e9, points = 1 } } }"),
     AT "probes.1.frequencies.points must be an integer from 2 to 100000, not 1"},
    {OUTPUT("probes = { { " PROBE ", frequencies = { from = 1e9, to = 2e9, step = 1 } } }"),
     "cavity.lua:2: unknown key 'step' in output.probes.1.frequencies (known: from, to, points)"},
    /* ports */
    {OUTPUT("ports = { every = 0 }"), AT "ports.every must be an integer >= 1, not 0"},
    {OUTPUT("ports = {}"), "cavity.lua:2: 'every' is missing in output.ports (for example: every = 10)"},
    /* resonances */
    {OUTPUT("resonances = { { " RINGS ", from = 1, to = 2 }, { " RINGS ", from = 1, to = 2 } }"),
     AT "resonances: two have the name 'm' (1 and 2)"},
    {OUTPUT("resonances = { { " RINGS ", from = 2, to = 2 } }"),
     AT "resonances.1: 'from' = 2 Hz is not below 'to' = 2 Hz"},
    {OUTPUT("resonances = { { name = 'm', from = 1, to = 2 } }"),
     "cavity.lua:2: 'probe' is missing in output.resonances.1 (for example: probe = \"centre\")"},
    {OUTPUT("resonances = { { " RINGS ", from = 1, to = 2, component = { 'Ez', 'Ez' } } }"),
     AT "resonances.1.component: \"Ez\" is given twice"},
    {OUTPUT("s_parameters = { from = 1e9, to = 2e9, point = 3 }"),
     "cavity.lua:2: unknown key 'point' in output.s_parameters (nearest: 'points')"},
};

static void refuses_bad_tables(void **state)
{
  (void)state;
  refuse_tables(sizeof bad / sizeof bad[0], bad);
}

static const char full_text[] =
    OUTPUT("losses = { { name = 'a', region = 7, every = 3 } },\n"
           "probes = { { name = 'a', at = { 1, 2, 3 }, frequencies = { 0, 2e9, 1e9 } } },\n"
           "currents = { { name = 'a', path = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } } },\n"
           "             { name = 'b', circle = { centre = { 1, 2, 3 }, normal = { 0, 0, -2 }, radius = 0.5 } } },\n"
           "planes = { { name = 'a', origin = { 1, 1, 1 }, u = { 1, 0, 0 }, v = { 0, 2, 0 } },\n"
           "           { name = 'b', origin = { 1, 1, 1 }, u = { 1, 0, 0 }, v = { 0, 2, 0 }, points = { 5, 7 },\n"
           "             format = 'csv' } },\n"
           "lines = { { name = 'a', from = { 0, 0, 0 }, to = { 0, 0, 1 },\n"
           "            frequencies = { from = 1e9, to = 2e9, points = 5 } },\n"
           "          { name = 'a_spectrum_', from = { 0, 0, 0 }, to = { 0, 0, 1 }, points = 2 } },\n"
           "fluxes = { { name = 'a', surface = 'port' }, { name = 'b', surface = 3, direction = { 0, 0, 5 } } },\n"
           "voltages = { { name = 'a', from = { 0, 0, 0 }, to = { 0, 0, 1 } },\n"
           "             { name = 'a_spectrum', path = { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 1 }, { 0, 0, 0 } } } },\n"
           "ports = { every = 4 }, s_parameters = { from = 1e9, to = 3e9, points = 3 }");

static void check_full(const struct mx_config *c)
{
  static const struct {
    const struct mx_measure_reader *kind;
    const char *name;
    size_t points;
  } expected[] = {{&mx_probes.reads, "a", 1},   {&mx_lines.reads, "a", 2},      {&mx_lines.reads, "a_spectrum_", 2},
                  {&mx_planes.reads, "a", 3},   {&mx_planes.reads, "b", 3},     {&mx_fluxes.reads, "a", 0},
                  {&mx_fluxes.reads, "b", 0},   {&mx_voltages.reads, "a", 2},   {&mx_voltages.reads, "a_spectrum", 4},
                  {&mx_currents.reads, "a", 3}, {&mx_currents.reads, "b", 256}, {&mx_losses.reads, "a", 0}};
  const struct mx_measure_config *m = c->output.measure;
  assert_int_equal(c->output.measures, sizeof expected / sizeof *expected);
  for (size_t i = 0; i < c->output.measures; i++) {
    assert_ptr_equal(m[i].kind, expected[i].kind);
    assert_string_equal(m[i].name, expected[i].name);
    assert_int_equal(m[i].points, expected[i].points);
    assert_int_equal(m[i].every, m[i].kind == &mx_losses.reads ? 3 : 1);
    assert_int_equal(m[i].frequencies.count, i == 0 ? 3 : i == 1 ? 5 : 0);
    assert_true(m[i].silo == (i == 3));
  }
  assert_true(m[0].point[0][2] == 3 && m[0].frequencies.hertz[1] == 2e9 && m[0].frequencies.hertz[2] == 1e9);
  assert_true(m[1].samples[0] == 50 && m[1].samples[1] == 1 && m[2].samples[0] == 2 && m[1].point[1][2] == 1);
  for (int i = 0; i < 5; i++) assert_true(m[1].frequencies.hertz[i] == 1e9 + 0.25e9 * i);
  assert_true(m[3].samples[0] == 40 && m[3].samples[1] == 30 && m[4].samples[0] == 5 && m[4].samples[1] == 7);
  assert_true(m[3].point[0][0] == 1 && m[3].point[1][0] == 2 && m[3].point[2][1] == 3 && m[3].point[2][0] == 1);
  assert_string_equal(m[5].on.group, "port");
  assert_true(!m[5].has_direction && m[6].has_direction && m[6].on.tag == 3 && m[6].direction[2] == 1);
  assert_true(m[11].on.tag == 7 && c->output.ports_every == 4);
  assert_true(c->output.s_parameters.count == 3 && c->output.s_parameters.hertz[1] == 2e9);
  /* the circle: on its sphere and plane, each corner a step of the right hand around the normal from the one before */
  for (int i = 0; i < 256; i++) {
    const double *p = m[10].point[i], *q = m[10].point[(i + 1) % 256];
    assert_true(fabs(hypot(p[0] - 1, p[1] - 2) - 0.5) < 1e-15 && p[2] == 3);
    double cross = (p[0] - 1) * (q[1] - 2) - (p[1] - 2) * (q[0] - 1);
    assert_true(fabs(cross + 0.25 * sin(2 * acos(-1.0) / 256)) < 1e-15); /* clockwise: the normal is -z */
  }
}

/* The last go, which finds all the memory that it wants, is looked at. */
static void reads_every_kind(void **state)
{
  (void)state;
  fail_every_allocation(full_text, 20, check_full);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refuses_bad_tables),
      cmocka_unit_test(reads_every_kind),
  };
  return cmocka_run_group_tests_name("output", tests, enter_folder, leave_folder);
}
