/* The faces of ports: rectangles, rings, profiles of scripts, and what is wrong with others. */
#include "maxwell/tests/script_fixture.h"

#include <complex.h>

#include "maxwell/sources/port.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/sources/tests/port_fixture.h"
#include "maxwell/sources/tests/ring.h"
#include "maxwell/measure/kinds.h"

static const double pi = 3.14159265358979323846;

/* ---- scripts on boxes */

/* The box takes materials and boundaries of a script. */
static struct mx_script *read_script(struct box *box, const char *boundaries)
{
  char text[2048];
  struct dg_error err = {0};
  snprintf(text, sizeof text,
           "local sin, cos, pi = math.sin, math.cos, math.pi\n"
           "simulation { mesh = { file = 'a.geo' }, order = 2, time = { steps = 1 }, materials = { default = {} },\n"
           "boundaries = { %s } }\n",
           boundaries);
  struct mx_script *script = load_text(text, 0, NULL, 0, NULL, &err);
  if (script == NULL || mx_config_read(&box->config, mx_measure_kinds, mx_script_origin(script), &err) != 0)
    fail_msg("%s", err.message);
  return script;
}

static void release_script(struct guide *guide)
{
  struct mx_config config = guide->box.config;
  struct mx_script *script = guide->script;
  guide_release(guide);
  mx_config_release(&config);
  mx_script_free(script);
}

static const int cells[3] = {2, 2, 1};
static const double size[3] = {1, 1, 0.5};

/* What comes out of port 1 (second) at f, of what goes into port 0. */
static double complex transmission(const char *boundaries, const double box_size[3], double f)
{
  struct guide guide = {0};
  double complex in, back, none, through;
  box_mesh(&guide.box, cells, box_size, 0, NULL);
  guide.script = read_script(&guide.box, boundaries);
  guide_start(&guide, 3, MX_LSRK, 0.9, 8e-8);
  guide_run(&guide, NULL, NULL, NULL, NULL);
  mx_ports_spectrum(&guide.sources.ports, 0, f, &in, &back);
  mx_ports_spectrum(&guide.sources.ports, 1, f, &none, &through);
  release_script(&guide);
  return through / in;
}

#define WAVE "waveform = waveform.gaussian { f0 = 230e6, bandwidth = 140e6 }"

/* A profile of the script, in any scale, is the same port; so is the mode that an axis turns. */
static void test_profiles_of_scripts(void **state)
{
  (void)state;
  const double f = 230e6, across[3] = {1, 0.5, 1};
  double complex wanted =
      transmission("[1] = { kind = 'waveguide_port', " WAVE " }, [2] = { kind = 'waveguide_port' }", size, f);
  double beta = 2 * pi / MX_C0 * sqrt(f * f - 0.25 * MX_C0 * MX_C0);
  print_message("S21 %.4f%+.4fi, exp(-i beta L) %.4f%+.4fi\n", creal(wanted), cimag(wanted), cos(beta), -sin(beta));
  assert_true(cabs(wanted - cexp(-I * beta)) < 1e-2);
#define SINE "profile = function(x, y, z) return 0, 0, 7 * sin(pi * y) end, family = 'TE', cutoff = const.c0 / 2"
  double complex modal = transmission(
      "[1] = { kind = 'modal_port', " SINE ", " WAVE " }, [2] = { kind = 'modal_port', " SINE "}", size, f);
  assert_true(cabs(modal - wanted) < 1e-12);
  double complex longer =
      transmission("[1] = { kind = 'waveguide_port', " WAVE " }, [2] = { kind = 'waveguide_port' }", across, f);
  double complex axis = transmission("[1] = { kind = 'waveguide_port', mode = 'TE01', axis = { 0, -1, 0 }, " WAVE
                                     " }, [2] = { kind = 'waveguide_port', mode = 'TE01', axis = { 0, 1, 0 } }",
                                     across, f);
  assert_true(cabs(longer - cexp(-I * beta)) < 2e-2 && cabs(axis - longer) < 1e-12);
  axis = transmission("[1] = { kind = 'waveguide_port', axis = { 0, 0, 1 }, " WAVE
                      " }, [2] = { kind = 'waveguide_port', axis = { 0, 0, -5 } }",
                      across, f);
  assert_true(cabs(axis - longer) < 1e-12);
}

/* Ports by number, the others fill the gaps. */
#define ALONG "kind = 'lumped_port', resistance = 80, direction = { 1, 0, 0 }"
#define GAP   "kind = 'lumped_port', resistance = 80, direction = { 0, 0, 1 }"

static void test_numbers(void **state)
{
  (void)state;
  struct guide guide = {0};
  box_mesh(&guide.box, cells, size, 0, NULL);
  guide.script = read_script(&guide.box, "[1] = { " GAP " }, [2] = { " GAP ", number = 1, " WAVE " }, [3] = { " GAP
                                         " }, [5] = { " ALONG ", number = 3 }");
  guide_start(&guide, 1, MX_LEAPFROG, 0.9, 1e-9);
  const struct mx_ports *ports = &guide.sources.ports;
  const char *const names[] = {"surface_2", "surface_1", "surface_5", "surface_3"};
  assert_int_equal(ports->count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(mx_ports_number(ports, i), i + 1);
    assert_string_equal(mx_ports_name(ports, i), names[i]);
    assert_int_equal(mx_ports_driven(ports, i), i == 0);
  }
  release_script(&guide);
}

/* What keeps the sources of a guide with this port at x = 0 and this wall at y = 0 from being made; "" for nothing. */
static const char *refusal(const char *port, const char *wall, int order)
{
  static struct dg_error err;
  struct guide guide = {0};
  char text[400];
  err = (struct dg_error){0};
  box_mesh(&guide.box, cells, size, 0, NULL);
  snprintf(text, sizeof text, "[1] = { %s }, [3] = { %s }", port, wall);
  guide.script = read_script(&guide.box, text);
  box_problem(&guide.box, order, 1);
  (void)!mx_sources_init(&guide.sources, &guide.box.problem, &guide.box.assignment, &guide.box.config, &guide.box.mesh,
                         &err);
  release_script(&guide);
  return err.message;
}

#define GUIDE "kind = 'waveguide_port'"
#define MODAL                                                                                                          \
  "kind = 'modal_port', family = 'TE', cutoff = 1e8, profile = function(x, y, z) return 0, 0, math.sin(math.pi * y) "  \
  "end"

/* A mode that is taken for that of the guide is absorbed as such: with another wall |S11| was up to 0.77. */
static void test_walls_beside_ports(void **state)
{
  (void)state;
  static const char *const conducting[] = {"kind = 'pec'", "kind = 'impedance', impedance = 3"};
  static const char *const others[] = {"kind = 'pmc'", "kind = 'absorbing'", "kind = 'impedance', impedance = 10", GAP};
  for (size_t i = 0; i < sizeof conducting / sizeof *conducting; i++)
    assert_string_equal(refusal(GUIDE, conducting[i], 2), "");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    assert_non_null(strstr(refusal(GUIDE, others[i], 2), "boundaries.[1]: beside the port, near ("));
    assert_string_equal(refusal(MODAL, others[i], 2), "");
  }
}

/* What of a mode the polynomials of the faces hold: TE95 had |S11| = 18. */
static void test_modes_that_the_mesh_cannot_hold(void **state)
{
  (void)state;
  assert_string_equal(refusal(GUIDE, "kind = 'pec'", 1), "");
  assert_non_null(strstr(refusal(GUIDE ", mode = 'TE95'", "kind = 'pec'", 4),
                         "the mesh cannot hold the mode TE95: order "
                         "4 on the "));
  assert_non_null(strstr(refusal(GUIDE ", absorb = { 'TE0,12' }", "kind = 'pec'", 3), "cannot hold the mode TE0,12"));
  assert_string_equal(refusal(GUIDE ", mode = 'TE30'", "kind = 'pec'", 5), "");
}

/* A second run after mx_ports_reset is the first one again; without its waveform nothing happens. */
static void test_reset(void **state)
{
  (void)state;
  struct guide guide = {0};
  double complex in, first = 0, again;
  box_mesh(&guide.box, cells, size, 0, NULL);
  guide.script = read_script(&guide.box, "[1] = { kind = 'waveguide_port', " WAVE " }, [2] = { kind = 'lumped_port', "
                                         "resistance = 80, direction = { 0, 0, 1 }, " WAVE " }");
  guide_start(&guide, 2, MX_LEAPFROG, 0.9, 5e-8);
  const int active[] = {0, 1, 0, 7};
  for (int i = 0; i < 4; i++) {
    if (i > 0) guide.drive.ops->destroy(guide.drive.backend);
    mx_sources_reset(&guide.sources);
    mx_ports_reset(&guide.sources.ports, active[i]);
    guide_run(&guide, NULL, NULL, NULL, NULL);
    mx_ports_spectrum(&guide.sources.ports, 0, 230e6, &in, &again);
    if (i == 0) first = again;
    if (i == 1) assert_true(in == 0 && again != 0 && again != first);
    if (i == 2) assert_true(in != 0 && again == first);
    if (i == 3) assert_true(in == 0 && again == 0);
  }
  release_script(&guide);
}

/* ---- what is wrong */

static void shear(double x[3]) { x[1] += 0.3 * x[2]; }
static void bend(double x[3]) { x[0] += 0.1 * x[1] * x[1]; }

static const struct {
  const char *boundaries, *message;
  void (*deform)(double x[3]);
} bad[] = {
    {"[1] = { kind = 'waveguide_port' }",
     "boundaries.[1]: the face of this port is no rectangle: its area is 0.5 m^2, that of its bounding box ", shear},
    {"[1] = { kind = 'waveguide_port' }", "boundaries.[1]: the face of this port must be plane; its normal is ", bend},
    {"[1] = { kind = 'waveguide_port', axis = { 0, 3, 4 } }",
     "boundaries.[1]: axis (0, 0.6, 0.8) must lie along a side of the rectangle, ", NULL},
    {"[1] = { kind = 'coaxial_port' }",
     "boundaries.[1]: the face of this port is no ring: its rim is 1 closed curve, not two circles", NULL},
    {"[1] = { kind = 'modal_port', family = 'TEM', profile = function() return 0, 0, 0 end }",
     "boundaries.[1].profile is zero all over the face", NULL},
    {"[1] = { kind = 'modal_port', family = 'TEM', profile = function(x, y) return 0.1 * y, 0, 1 end }",
     "boundaries.[1].profile must be tangential to the face; near (", NULL},
    {"[1] = { kind = 'modal_port', family = 'TEM', profile = function() return 0, 1 end }",
     "boundaries.[1].profile must return three numbers, returned ", NULL},
};

/* Whatever goes wrong, and wherever memory ends, all is released. */
static int build(struct box *box, struct dg_error *err)
{
  struct mx_sources sources;
  if (mx_problem_init(&box->problem, &box->assignment, &box->config, &box->mesh, &box->geometry, &box->ref, NULL,
                      err) != 0)
    return err->code;
  if (mx_sources_init(&sources, &box->problem, &box->assignment, &box->config, &box->mesh, err) == 0)
    mx_sources_release(&sources);
  mx_problem_release(&box->problem);
  mx_assignment_release(&box->assignment);
  return err->code;
}

static void deform(struct box *box, void (*map)(double x[3]))
{
  struct dg_error err = {0};
  for (size_t i = 0; i < box->mesh.vertices && map != NULL; i++) map(box->mesh.vertex[i]);
  dg_geometry_release(&box->geometry);
  assert_int_equal(dg_geometry_init(&box->geometry, &box->mesh, &err), 0);
}

static void test_errors(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct guide guide = {0};
    struct dg_error err = {0};
    box_mesh(&guide.box, cells, size, 0, NULL);
    deform(&guide.box, bad[i].deform);
    guide.script = read_script(&guide.box, bad[i].boundaries);
    assert_int_equal(dg_reference_init(&guide.box.ref, 2, &err), 0);
    assert_int_equal(build(&guide.box, &err), DG_INPUT);
    const char *place = "cavity.lua:3: ";
    if (strncmp(err.message, place, strlen(place)) != 0 ||
        strncmp(err.message + strlen(place), bad[i].message, strlen(bad[i].message)) != 0)
      fail_msg("%s", err.message);
    release_script(&guide);
  }
}

static void test_media(void **state)
{
  (void)state;
  const double sigma[] = {0, 0.1};
  for (int lossy = 0; lossy < 2; lossy++) {
    struct box box = {0};
    struct dg_error err = {0};
    box_mesh(&box, cells, size, 0, NULL);
    box_material(&box, 1, 1, 1, sigma[lossy]);
    box_material(&box, 2, lossy ? 1 : 4, 1, sigma[lossy]);
    (void)guide_port(&box, 3, MX_WAVEGUIDE_PORT);
    assert_int_equal(dg_reference_init(&box.ref, 1, &err), 0);
    assert_int_equal(build(&box, &err), DG_INPUT);
    assert_non_null(strstr(err.message, "boundaries.[3]: a port needs one medium without losses all along its surface; "
                                        "near ("));
    /* A resistor does not mind. */
    err = (struct dg_error){0};
    box.boundary[0].kind = MX_LUMPED_PORT;
    box.boundary[0].port.resistance = 50;
    box.boundary[0].port.direction[2] = 1;
    if (build(&box, &err) != 0) fail_msg("%s", err.message);
    box.boundary[0].port.direction[1] = 1;
    assert_int_equal(build(&box, &err), DG_INPUT);
    assert_non_null(strstr(err.message, "boundaries.[3]: direction (0, 1, 1) must lie in the face; near ("));
    box_release(&box);
  }
}

static void test_failing_allocations(void **state)
{
  (void)state;
  struct guide guide = {0};
  struct dg_error err = {0};
  box_mesh(&guide.box, cells, size, 0, NULL);
  guide.script =
      read_script(&guide.box, "[1] = { kind = 'waveguide_port', absorb = { 'TM11' }, " WAVE
                              " }, [2] = { kind = 'lumped_port', resistance = 80, direction = { 0, 0, 1 } }");
  assert_int_equal(dg_reference_init(&guide.box.ref, 1, &err), 0);
  size_t before = dg_memory_current();
  int n = 1;
  for (int failed = 1; failed; n++) {
    err = (struct dg_error){0};
    dg_memory_fail_at(n);
    failed = build(&guide.box, &err) != 0;
    dg_memory_fail_at(0);
    assert_int_equal(err.code, failed ? DG_ENVIRONMENT : DG_OK);
    assert_int_equal(dg_memory_current(), before);
  }
  assert_true(n > 40);
  release_script(&guide);
}

/* ---- a coaxial line */

static void coaxial_line(struct guide *guide)
{
  ring_mesh(&guide->box, 1);
  box_material(&guide->box, 0, 2.25, 1, 0);
  struct mx_port_config *near = guide_port(&guide->box, 1, MX_COAXIAL_PORT);
  near->driven = true;
  near->amplitude = 5;
  (void)guide_port(&guide->box, 2, MX_COAXIAL_PORT);
}

static void test_coaxial_line(void **state)
{
  (void)state;
  struct guide guide = {0};
  coaxial_line(&guide);
  guide.box.boundary[0].port.waveform =
      (struct mx_waveform){.kind = MX_GAUSSIAN, .amplitude = 1, .tau = 2e-9, .t0 = 9e-9};
  guide_start(&guide, 3, MX_LSRK, 0.9, 30e-9);
  guide_run(&guide, NULL, NULL, NULL, NULL);
  double worst = 0, off = 0, Z = MX_ETA0 / 1.5 * log(ring_outer / ring_inner) / (2 * pi);
  for (double f = 0; f <= 2e8; f += 2e7) {
    double complex in, back, none, through;
    mx_ports_spectrum(&guide.sources.ports, 0, f, &in, &back);
    mx_ports_spectrum(&guide.sources.ports, 1, f, &none, &through);
    worst = fmax(worst, cabs(back / in));
    off = fmax(off, cabs(through / in - cexp(-2 * I * pi * f * 1.5 / MX_C0 * ring_length)));
  }
  double complex claimed = mx_ports_impedance(&guide.sources.ports, 0, 1e8);
  print_message("coaxial line of %.3f ohm: S11 %.1f dB, S21 off by %.2g\n", creal(claimed), 20 * log10(worst), off);
  assert_true(cabs(claimed - Z) < 1e-9);
  assert_true(worst < 1e-2 && off < 1e-2);
  guide_release(&guide);
}

/* A line that stays on carries E = V/(r ln(b/a)) away from its inner conductor, and V/Z. */
static void test_coaxial_voltage(void **state)
{
  (void)state;
  struct guide guide = {0};
  struct mx_port_values v[2];
  coaxial_line(&guide);
  guide.box.boundary[0].port.waveform = (struct mx_waveform){.kind = MX_SMOOTH_STEP, .amplitude = 1, .rise = 10e-9};
  guide_start(&guide, 3, MX_LEAPFROG, 0.9, 40e-9);
  guide_run(&guide, NULL, NULL, NULL, NULL);
  for (size_t i = 0; i < 2; i++) mx_ports_values(&guide.sources.ports, i, guide.steps, &v[i]);
  double Z = MX_ETA0 / 1.5 * log(ring_outer / ring_inner) / (2 * pi), measured = 0;
  assert_true(fabs(v[0].voltage / 5 - 1) < 5e-3 && fabs(v[1].voltage / 5 - 1) < 5e-3);
  assert_true(fabs(v[0].current * Z / 5 - 1) < 5e-3 && fabs(v[1].current * Z / 5 + 1) < 5e-3);
  /* from conductor to conductor, in a direction in which a corner of the polygons lies */
  enum { POINTS = 100 };
  for (int i = 0; i < POINTS; i++) {
    double r = ring_inner + (ring_outer - ring_inner) * (i + 0.5) / POINTS, at[3] = {0.26, 0.3, -0.2 + r * 0.99999},
           bary[4], field[1][6];
    struct dg_error err = {0};
    int64_t e = dg_mesh_locate(&guide.box.mesh, at, bary);
    assert_true(e >= 0);
    double weight[DG_NP_MAX];
    dg_reference_interpolate(&guide.box.ref, 2 * bary[1] - 1, 2 * bary[2] - 1, 2 * bary[3] - 1, weight);
    const struct mx_point point = {.element = (size_t)e, .weight = weight};
    assert_int_equal(guide.drive.ops->sample(guide.drive.backend, 1, &point, field, &err), 0);
    measured += field[0][2] * (ring_outer - ring_inner) / POINTS;
  }
  print_message("coaxial voltage %.4f V, along a radius %.4f V, current %.5f A, V/Z %.5f A\n", v[0].voltage, measured,
                v[0].current, v[0].voltage / Z);
  assert_true(fabs(measured / 5 - 1) < 1e-2);
  guide_release(&guide);
}

static void test_ring_that_is_none(void **state)
{
  (void)state;
  struct guide guide = {0};
  struct dg_error err = {0};
  ring_mesh(&guide.box, 0.8);
  box_material(&guide.box, 0, 1, 1, 0);
  (void)guide_port(&guide.box, 1, MX_COAXIAL_PORT);
  assert_int_equal(dg_reference_init(&guide.box.ref, 1, &err), 0);
  assert_int_equal(build(&guide.box, &err), DG_INPUT);
  assert_string_equal(err.message, "boundaries.[1]: the face of this port is no ring: from the centre (0, 0.3, -0.2) m "
                                   "its inner rim is 0.08 to 0.1 m away, its outer one 0.23 to 0.23 m");
  guide_release(&guide);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_profiles_of_scripts),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_walls_beside_ports),
      cmocka_unit_test(test_modes_that_the_mesh_cannot_hold),
      cmocka_unit_test(test_reset),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_media),
      cmocka_unit_test(test_failing_allocations),
      cmocka_unit_test(test_coaxial_line),
      cmocka_unit_test(test_coaxial_voltage),
      cmocka_unit_test(test_ring_that_is_none),
  };
  return cmocka_run_group_tests_name("ports_shape", tests, enter_folder, leave_folder);
}
