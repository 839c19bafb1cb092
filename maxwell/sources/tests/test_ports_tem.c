/* Ports that find their own mode: impedance, speed and field of lines between conductors, what comes back from them,
 * and what is wrong with others. */
#include "maxwell/tests/script_fixture.h"

#include <complex.h>

#include "maxwell/sources/port.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/sources/tests/port_fixture.h"
#include "maxwell/sources/tests/ring.h"
#include "maxwell/sources/tem/tem_losses.h"
#include "maxwell/measure/kinds.h"

static const double pi = 3.14159265358979323846;
static const int cells[3] = {2, 2, 1};
static const double size[3] = {1, 1, 0.5};

/* The box takes a script: materials, boundaries and more. */
static void read_scene(struct guide *guide, const char *scene)
{
  char text[2048];
  struct dg_error err = {0};
  box_mesh(&guide->box, cells, size, 0, NULL);
  snprintf(text, sizeof text, "simulation { mesh = { file = 'a.geo' }, order = 2, time = { steps = 1 },\n%s }\n",
           scene);
  guide->script = load_text(text, 0, NULL, 0, NULL, &err);
  if (guide->script == NULL ||
      mx_config_read(&guide->box.config, mx_measure_kinds, mx_script_origin(guide->script), &err) != 0)
    fail_msg("%s", err.message);
}

static void release(struct guide *guide)
{
  struct mx_config config = guide->box.config;
  struct mx_script *script = guide->script;
  guide_release(guide);
  mx_config_release(&config);
  mx_script_free(script);
}

#define WAVE   "waveform = waveform.gaussian { bandwidth = 8e7 }"
#define MEDIA  "materials = { [1] = { epsilon_r = 1 }, [2] = { epsilon_r = 4 } }, "
#define MAGNET "materials = { [1] = { mu_r = 1 }, [2] = { epsilon_r = 4, mu_r = 3 } }, "

/* Fields that are polynomials: media side by side between plates have the mean of epsilon_r (and of 1/mu_r), one behind
 * the other the harmonic mean. */
static void test_plates(void **state)
{
  (void)state;
  static const struct {
    const char *scene;
    double C, K; /* tem_mode.h */
  } line[] = {
      {"materials = { default = { epsilon_r = 2 } }, boundaries = { [1] = { kind = 'tem_port', " WAVE
       " }, [2] = { kind = 'tem_port' }, [3] = { kind = 'pmc' }, [4] = { kind = 'pmc' } }",
       4, 2},
      {MEDIA "boundaries = { [5] = { kind = 'tem_port' }, [1] = { kind = 'pmc' }, [2] = { kind = 'pmc' } }", 2.5, 1},
      {MEDIA "boundaries = { [5] = { kind = 'tem_port' }, [3] = { kind = 'pmc' }, [4] = { kind = 'pmc' } }", 1.6, 1},
      {MAGNET "boundaries = { [6] = { kind = 'tem_port' }, [1] = { kind = 'pmc' }, [2] = { kind = 'pmc' } }", 2.5,
       2.0 / 3},
      {MAGNET "boundaries = { [6] = { kind = 'tem_port' }, [3] = { kind = 'pmc' }, [4] = { kind = 'pmc' } }", 1.6, 0.5},
  };
  for (size_t i = 0; i < sizeof line / sizeof *line; i++)
    for (int order = 1; order <= 4; order += 3) {
      struct guide guide = {0};
      read_scene(&guide, line[i].scene);
      guide_start(&guide, order, MX_LEAPFROG, 0.9, 1e-9);
      const struct mx_port_line is = mx_ports_line(&guide.sources.ports, 0);
      const double Z = MX_ETA0 / sqrt(line[i].C * line[i].K), v = MX_C0 / sqrt(line[i].C / line[i].K);
      assert_string_equal(is.family, "TEM");
      assert_string_equal(is.kind, "tem_port");
      if (fabs(is.impedance - Z) > 1e-8 * Z || fabs(is.speed - v) > 1e-8 * v || is.cutoff != 0)
        fail_msg("line %zu: %.10g ohm, %.10g m/s; exact %.10g ohm, %.10g m/s", i, is.impedance, is.speed, Z, v);
      release(&guide);
    }
}

/* What comes back from a line between two ports, and what goes through, against exp(-i w L/v); voltage and current of
 * the incident wave belong to the impedance. */
static void run_line(const char *scene, int order, enum mx_integrator integrator, double f, double length,
                     double *reflected, double *off)
{
  struct guide guide = {0};
  double complex in, back, none, through;
  read_scene(&guide, scene);
  guide_start(&guide, order, integrator, 0.9, 1.2e-7);
  guide_run(&guide, NULL, NULL, NULL, NULL);
  const struct mx_port_line line = mx_ports_line(&guide.sources.ports, 0);
  mx_ports_spectrum(&guide.sources.ports, 0, f, &in, &back);
  mx_ports_spectrum(&guide.sources.ports, 1, f, &none, &through);
  *reflected = cabs(back / in);
  *off = cabs(through / in - cexp(-2 * I * pi * f * length / line.speed));
  print_message("%.6g ohm: |S11| %.2e, |S21 - exact| %.2e\n", line.impedance, *reflected, *off);
  release(&guide);
}

static void test_homogeneous_line(void **state)
{
  (void)state;
  static const char scene[] =
      "materials = { default = { epsilon_r = 2 } }, boundaries = { [1] = { kind = 'tem_port', " WAVE
      " }, [2] = { kind = 'tem_port' }, [3] = { kind = 'pmc' }, [4] = { kind = 'pmc' } }";
  double reflected, off;
  for (double f = 8e6; f <= 8e7; f += 2.4e7) {
    run_line(scene, 3, MX_LSRK, f, 1, &reflected, &off);
    assert_true(reflected < 1e-5 && off < 1e-4);
  }
  run_line(scene, 3, MX_LEAPFROG, 4e7, 1, &reflected, &off);
  assert_true(reflected < 1e-4 && off < 1e-3);
}

/* Of two layers one behind the other E is 4 : 1 and H the same: the wall fits neither, and the mode comes back in the
 * second order of the difference. */
static void test_layered_line(void **state)
{
  (void)state;
  double reflected, off;
  run_line(MEDIA "boundaries = { [5] = { kind = 'tem_port', " WAVE
                 " }, [6] = { kind = 'tem_port' }, [3] = { kind = 'pmc' }, [4] = { kind = 'pmc' } }",
           3, MX_LSRK, 1e7, 0.5, &reflected, &off);
  assert_true(reflected < 0.03 && off < 0.015);
}

/* Three plates with a medium in each gap: C = (10, -8; -8, 8) and K = (4, -2; -2, 2) of the second and the third
 * against the first. One mode is in the first gap, with both at 1 V and epsilon_eff 1, the other in the second, with 0
 * and 1 V and 4: both are exact. In one medium all potentials are a mode. */
#define PLATES(keys, medium)                                                                                           \
  "materials = { [1] = { epsilon_r = 1 }, [2] = { epsilon_r = " medium " } }, interfaces = { [7] = { kind = 'pec' } "  \
  "}, boundaries = { [5] = { kind = 'tem_port', " WAVE keys " }, [6] = { kind = 'tem_port'" keys " }, [3] = { kind = " \
  "'pmc' }, [4] = { kind = 'pmc' } }"

static void test_three_plates(void **state)
{
  (void)state;
  static const struct {
    const char *scene;
    double C, K;
  } line[] = {
      {PLATES(", mode = 1", "4"), 2, 2},        {PLATES(", mode = 2", "4"), 8, 2},
      {PLATES(", mode = 'even'", "4"), 2, 2},   {PLATES(", mode = 'odd'", "4"), 8, 2},
      {PLATES(", mode = 'even'", "1"), 2, 2},   {PLATES(", mode = 'odd'", "1"), 2.5, 2.5},
      {PLATES(", mode = 'even'", "1.5"), 2, 2}, {PLATES(", mode = 2", "0.5"), 2, 2},
  };
  for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
    struct guide guide = {0};
    read_scene(&guide, line[i].scene);
    guide_start(&guide, 2, MX_LEAPFROG, 0.9, 1e-9);
    const struct mx_port_line is = mx_ports_line(&guide.sources.ports, 0);
    const double Z = MX_ETA0 / sqrt(line[i].C * line[i].K), v = MX_C0 / sqrt(line[i].C / line[i].K);
    if (fabs(is.impedance - Z) > 1e-8 * Z || fabs(is.speed - v) > 1e-8 * v)
      fail_msg("line %zu: %.10g ohm, %.10g m/s; exact %.10g ohm, %.10g m/s", i, is.impedance, is.speed, Z, v);
    release(&guide);
  }
  double reflected, off;
  for (size_t i = 0; i < 2; i++) {
    run_line(line[i].scene, 3, MX_LSRK, 6e7, 0.5, &reflected, &off);
    assert_true(reflected < 1e-4 && off < 1e-3);
  }
}

/* ---- losses */

#define LEADS                                                                                                          \
  "[1] = { kind = 'tem_port', " WAVE " }, [2] = { kind = 'tem_port' }, [3] = { kind = 'pmc' }, [4] = { kind = 'pmc' }"

/* Losses of fields that are polynomials: G' is sigma w/h of each medium side by side, and by the squares of the shares
 * of the voltage of those one behind the other. R' of magnetic losses is sigma_m h/w, that of a wall Rs/w. */
static void test_losses(void **state)
{
  (void)state;
  static const struct {
    const char *scene;
    double G, R, walls;
  } line[] = {
      {"materials = { default = { epsilon_r = 2, sigma = 1e-3 } }, boundaries = { " LEADS " }", 2e-3, 0, 0},
      {"materials = { default = { epsilon_r = 2, mu_r = 3, sigma_m = 40 } }, boundaries = { " LEADS " }", 0, 20, 0},
      {"materials = { [1] = { sigma = 1e-3 }, [2] = { epsilon_r = 4, sigma = 5e-3 } }, boundaries = { [5] = { kind = "
       "'tem_port' }, [1] = { kind = 'pmc' }, [2] = { kind = 'pmc' } }",
       3e-3, 0, 0},
      {"materials = { [1] = { sigma = 1e-3 }, [2] = { epsilon_r = 4, sigma = 5e-3 } }, boundaries = { [5] = { kind = "
       "'tem_port' }, [3] = { kind = 'pmc' }, [4] = { kind = 'pmc' } }",
       1e-3 * 1.28 + 5e-3 * 0.08, 0, 0},
      {"materials = { default = { epsilon_r = 2, mu_r = 3 } }, boundaries = { " LEADS
       ", [5] = { kind = 'impedance', impedance = 0.5 }, [6] = { kind = 'impedance', impedance = 2 } }",
       0, 0, 2.5},
      {"materials = { default = {} }, boundaries = { " LEADS
       ", [5] = { kind = 'metal', metal = 'copper', band = { 1e7, "
       "1e9 } } }",
       0, 0, 2.608951e-3}, /* sqrt(pi f mu0/sigma) at 1e8 Hz */
      {"materials = { [1] = { sigma = 1e-3 }, [2] = { epsilon_r = 4 } }, interfaces = { [7] = { kind = 'pec' } }, "
       "boundaries = { [5] = { kind = 'tem_port', mode = 1 }, [3] = { kind = 'pmc' }, [4] = { kind = 'pmc' } }",
       2e-3, 0, 0},
      {"materials = { [1] = { sigma = 1e-3 }, [2] = { epsilon_r = 4 } }, interfaces = { [7] = { kind = 'pec' } }, "
       "boundaries = { [5] = { kind = 'tem_port', mode = 2 }, [3] = { kind = 'pmc' }, [4] = { kind = 'pmc' } }",
       0, 0, 0},
  };
  for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
    struct guide guide = {0};
    read_scene(&guide, line[i].scene);
    guide_start(&guide, 2, MX_LEAPFROG, 0.9, 1e-9);
    const struct mx_port_line is = mx_ports_line(&guide.sources.ports, 0);
    const struct mx_line_losses *losses = mx_ports_losses(&guide.sources.ports, 0);
    const struct mx_port_loss loss = mx_ports_loss(&guide.sources.ports, 0, 1e8);
    const double walls = creal(mx_line_walls(losses, 1e8));
    if (fabs(losses->conductance - line[i].G) > 1e-8 * line[i].G + 1e-14 ||
        fabs(losses->resistance - line[i].R) > 1e-8 * line[i].R || fabs(walls - line[i].walls) > 1e-6 * line[i].walls)
      fail_msg("line %zu: G' %.10g S/m, R' %.10g and %.10g ohm/m; exact %.10g, %.10g and %.10g", i, losses->conductance,
               losses->resistance, walls, line[i].G, line[i].R, line[i].walls);
    const double neper = 8.685889638065036 / 2;
    assert_true(fabs(loss.media - neper * (line[i].G * is.impedance + line[i].R / is.impedance)) <=
                1e-6 * loss.media + 1e-10);
    assert_true(fabs(loss.walls - neper * line[i].walls / is.impedance) <= 1e-6 * loss.walls + 1e-14);
    release(&guide);
  }
}

/* A line of G' and R' between ports that refer to its impedance without losses, Z0: with r = (Z - Z0)/(Z + Z0) and q =
 * exp(-gamma L), S11 = r (1 - q^2)/(1 - r^2 q^2) and S21 = q (1 - r^2)/(1 - r^2 q^2) at every frequency. */
static void run_lossy(const char *scene, double complex series, double G, double most)
{
  struct guide guide = {0};
  read_scene(&guide, scene);
  guide_start(&guide, 3, MX_LSRK, 0.9, 1.2e-7);
  guide_run(&guide, NULL, NULL, NULL, NULL);
  const struct mx_port_line line = mx_ports_line(&guide.sources.ports, 0);
  double off = 0, reflected = 0, through = 0;
  for (double f = 8e6; f <= 8e7; f += 8e6) {
    double complex in, back, none, out;
    const double w = 2 * pi * f;
    const double complex Zs = series + I * w * line.impedance / line.speed,
                         Y = G + I * w / (line.impedance * line.speed), Z = csqrt(Zs / Y),
                         q = cexp(-csqrt(Zs) * csqrt(Y)), r = (Z - line.impedance) / (Z + line.impedance);
    const struct mx_port_loss loss = mx_ports_loss(&guide.sources.ports, 0, f);
    mx_ports_spectrum(&guide.sources.ports, 0, f, &in, &back);
    mx_ports_spectrum(&guide.sources.ports, 1, f, &none, &out);
    off = fmax(off, cabs(back / in - r * (1 - q * q) / (1 - r * r * q * q)));
    off = fmax(off, cabs(out / in - q * (1 - r * r) / (1 - r * r * q * q)));
    reflected = fmax(reflected, cabs(r));
    through = fmax(through, 1 - cabs(q));
    assert_true(fabs(loss.reflected - cabs(r)) < 1e-6 && fabs(loss.all + 8.685889638 * log(cabs(q))) < 1e-6);
  }
  print_message("losses: |S - exact| %.1e; up to %.2g are reflected, %.2g lost\n", off, reflected, through);
  assert_true(off < most && reflected > 20 * most && through > 20 * most);
  release(&guide);
}

static void test_lossy_line(void **state)
{
  (void)state;
  run_lossy("materials = { default = { epsilon_r = 2, sigma = 1e-3 } }, boundaries = { " LEADS " }", 0, 2e-3, 1e-4);
  run_lossy("materials = { default = { epsilon_r = 2, sigma_m = 40 } }, boundaries = { " LEADS " }", 20, 0, 1e-4);
  run_lossy("materials = { default = { epsilon_r = 2 } }, boundaries = { " LEADS ", [5] = { kind = 'impedance', "
            "impedance = 1.3 }, [6] = { kind = 'impedance', impedance = 1.3 } }",
            2.6, 0, 1e-4);
}

/* A prism of 16 sides is nearly a coaxial line, and its port nearly that of one. */
static void test_ring(void **state)
{
  (void)state;
  struct guide guide = {0};
  double complex in, back, none, through;
  ring_mesh(&guide.box, 1);
  box_material(&guide.box, 0, 2.25, 1, 0);
  struct mx_port_config *near = guide_port(&guide.box, 1, MX_TEM_PORT);
  near->driven = true;
  near->amplitude = 5;
  near->waveform = (struct mx_waveform){.kind = MX_GAUSSIAN, .amplitude = 1, .tau = 2e-9, .t0 = 9e-9};
  (void)guide_port(&guide.box, 2, MX_TEM_PORT);
  guide_start(&guide, 3, MX_LSRK, 0.9, 30e-9);
  guide_run(&guide, NULL, NULL, NULL, NULL);
  const double Z = creal(mx_ports_impedance(&guide.sources.ports, 0, 1e8)),
               round = MX_ETA0 / 1.5 * log(ring_outer / ring_inner) / (2 * pi);
  double worst = 0, off = 0;
  for (double f = 2e7; f <= 2e8; f += 2e7) {
    mx_ports_spectrum(&guide.sources.ports, 0, f, &in, &back);
    mx_ports_spectrum(&guide.sources.ports, 1, f, &none, &through);
    worst = fmax(worst, cabs(back / in));
    off = fmax(off, cabs(through / in - cexp(-2 * I * pi * f * 1.5 / MX_C0 * ring_length)));
  }
  print_message("16 sides: %.5f ohm, round %.5f; |S11| %.1e, |S21 - exact| %.1e\n", Z, round, worst, off);
  assert_true(fabs(Z - round) < 2e-3 * round && fabs(Z - round) > 1e-4 * round && worst < 1e-2 && off < 1e-2);
  guide_release(&guide);
}

/* ---- what is wrong */

static const struct {
  const char *scene, *message;
} bad[] = {
    {"materials = { default = {} }, boundaries = { [1] = { kind = 'tem_port' } }",
     "boundaries.[1]: the field of this port is that between conductors, and its face touches one only, 1. Conductors "
     "that touch each other are one"},
    {"materials = { default = {} }, boundaries = { [1] = { kind = 'tem_port' }, default = { kind = 'pmc' } }",
     "boundaries.[1]: the field of this port is that between conductors, and its face touches none. Conductors"},
    {"materials = { default = { debye = { { delta = 1, tau = 1e-9 } } } }, boundaries = { [1] = { "
     "kind = 'tem_port' }, [3] = { kind = 'pmc' }, [4] = { kind = 'pmc' } }",
     "boundaries.[1]: a port needs one impedance for all frequencies along its surface; near ("},
    {"materials = { default = {} }, boundaries = { [1] = { kind = 'tem_port', voltages = { strip = 1 } }, "
     "[3] = { kind = 'pmc' }, [4] = { kind = 'pmc' } }",
     "boundaries.[1].voltages: no conductor on the face of this port has a surface in the group 'strip'; its "
     "conductors "
     "are 1, 2"},
    {"materials = { default = {} }, boundaries = { [1] = { kind = 'tem_port', ground = 'case' }, [3] = { kind = 'pmc' "
     "}, "
     "[4] = { kind = 'pmc' } }",
     "boundaries.[1].ground: no conductor on the face of this port has a surface in the group 'case'"},
    {PLATES("", "4"), "boundaries.[5]: 3 conductors, 1, 2, 3, have several modes: say which (for example: mode = 1, or "
                      "voltages = { strip "
                      "= 1 }; the others have 0)"},
    {PLATES(", mode = 3", "4"),
     "boundaries.[5]: there is no mode 3 of this line: a mode for each conductor beside the ground makes 2"},
    {PLATES(", mode = 1", "1"),
     "boundaries.[5]: the modes of this line have one speed, so that numbers do not tell them apart: say voltages, or "
     "mode = \"even\" or \"odd\""},
    {"materials = { default = {} }, boundaries = { [1] = { kind = 'tem_port', mode = 'odd' }, [3] = { kind = 'pmc' }, "
     "[4] = { kind = 'pmc' } }",
     "boundaries.[1]: even and odd modes are those of two conductors beside the ground; here there is 1: say mode = 1 "
     "or "
     "voltages"},
};

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

static void test_errors(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct guide guide = {0};
    struct dg_error err = {0};
    read_scene(&guide, bad[i].scene);
    assert_int_equal(dg_reference_init(&guide.box.ref, 2, &err), 0);
    assert_int_equal(build(&guide.box, &err), DG_INPUT);
    const char *place = "cavity.lua:2: ";
    if (strncmp(err.message, place, strlen(place)) != 0 ||
        strncmp(err.message + strlen(place), bad[i].message, strlen(bad[i].message)) != 0)
      fail_msg("%s", err.message);
    release(&guide);
  }
}

static void test_failing_allocations(void **state)
{
  (void)state;
  struct guide guide = {0};
  struct dg_error err = {0};
  read_scene(&guide, PLATES(", mode = 2", "4"));
  assert_int_equal(dg_reference_init(&guide.box.ref, 1, &err), 0);
  size_t before = dg_memory_current();
  int n = 1;
  /* All of the first, then one of seven: the potential is solved for each time. */
  for (int failed = 1; failed; n += n < 40 ? 1 : 7) {
    err = (struct dg_error){0};
    dg_memory_fail_at(n);
    failed = build(&guide.box, &err) != 0;
    dg_memory_fail_at(0);
    assert_int_equal(err.code, failed ? DG_ENVIRONMENT : DG_OK);
    assert_int_equal(dg_memory_current(), before);
  }
  assert_true(n > 100);
  release(&guide);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plates),
      cmocka_unit_test(test_homogeneous_line),
      cmocka_unit_test(test_layered_line),
      cmocka_unit_test(test_three_plates),
      cmocka_unit_test(test_losses),
      cmocka_unit_test(test_lossy_line),
      cmocka_unit_test(test_ring),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_failing_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
