/* Everything that drives fields, in a bar in which plane waves run along x: walls in y are magnetic, in z electric. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/sources/sources.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/sanitized.h"
#include "maxwell/limit/stability.h"

static const int cells[3] = {SANITIZED ? 4 : 12, 1, 1};
static const double bar[3] = {1.2, 0.12, 0.12};
static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK};
static const double tau = 0.12 / MX_C0, begin = 0.55 / MX_C0; /* s */

static struct mx_waveform gaussian(void)
{
  return (struct mx_waveform){.kind = MX_GAUSSIAN, .amplitude = 1, .t0 = begin, .tau = tau};
}

static struct mx_drive constant_drive(double x, double y, double z)
{
  return (struct mx_drive){.constant = {x, y, z}, .waveform = gaussian()};
}

static void bar_between(struct box *box, enum mx_boundary_kind low, enum mx_boundary_kind high)
{
  box_mesh(box, cells, bar, 0.05, NULL);
  box_material(box, 0, 1, 1, 0);
  box_boundary(box, 1, low, 0);
  box_boundary(box, 2, high, 0);
  box_boundary(box, 3, MX_PMC, 0);
  box_boundary(box, 4, MX_PMC, 0);
}

/* Runs from zero fields to time T (s) and returns E and H. */
static void run(const struct mx_backend_ops *ops, struct box *box, enum mx_integrator integrator, double T, double *E,
                double *H)
{
  struct dg_error err = {0};
  struct mx_sources sources;
  struct mx_stability stability;
  box->config.time.integrator = integrator;
  if (mx_sources_init(&sources, &box->problem, &box->assignment, &box->config, &box->mesh, &err) != 0 ||
      mx_stability_limit(&stability, &box->problem, integrator, 0, &err) != 0)
    fail_msg("%s", err.message);
  long steps = (long)ceil(T / (0.9 * stability.limit / MX_C0));
  double step = T / (double)steps;
  assert_int_equal(mx_sources_prepare(&sources, step, steps, &err), 0);
  struct drive drive = drive_new(ops, box, integrator, MX_DOUBLE, step * MX_C0, NULL, NULL);
  const struct mx_scheme *scheme = &mx_schemes[integrator];
  for (long n = 0; n <= steps; n++)
    for (int s = 0; s < (n < steps ? scheme->stages : scheme->observe_stage); s++) {
      const struct mx_stage_sources *now;
      assert_int_equal(mx_sources_evaluate(&sources, n, s, step, &now, &err), 0);
      assert_int_equal(drive.ops->stage_begin(drive.backend, s, n == steps, now, &err), 0);
      assert_int_equal(drive.ops->stage_end(drive.backend, s, &err), 0);
    }
  assert_int_equal(drive.ops->download(drive.backend, E, H, &err), 0);
  drive.ops->destroy(drive.backend);
  mx_sources_release(&sources);
}

/* What is expected at x at the end: Ez and Hy (times eta0) of waves along x. */
struct expectation {
  double (*Ez)(double x, double t), (*Hy)(double x, double t);
  double T, tolerance;
};

static double w(double t) { return exp(-((t - begin) / tau) * ((t - begin) / tau)); }

static void compare(struct box *box, const struct expectation *expected, const char *what)
{
  /* leapfrog on the reference, both on the fast backend: test_fused shows that the two agree */
  const double T = expected->T * (SANITIZED ? 0.02 : 1);
  for (int i = 0; i < 3; i++) {
    const struct mx_backend_ops *ops = i < 2 ? &mx_backend_cpu : &mx_backend_reference;
    enum mx_integrator integrator = integrators[i % 2];
    box->problem.terms = 0;
    double *E = box_field(box), *H = box_field(box), worst = 0;
    run(ops, box, integrator, T, E, H);
    size_t Np = (size_t)box->ref.Np;
    for (size_t e = 0; e < box->mesh.K; e++)
      for (size_t j = 0; j < Np; j++) {
        double x[3], wanted[6] = {0}, middle[3];
        dg_geometry_point(&box->mesh, e, box->ref.r[j], box->ref.s[j], box->ref.t[j], x);
        dg_geometry_barycentre(&box->mesh, e, middle);
        /* which side of a plane that carries a jump the node means */
        double at = fabs(x[0] - 0.6) < 1e-9 ? (middle[0] < 0.6 ? 0.6 - 1e-12 : 0.6 + 1e-12) : x[0];
        wanted[2] = expected->Ez(at, T);
        wanted[4] = expected->Hy(at, T);
        for (size_t c = 0; c < 3; c++) {
          worst = fmax(worst, fabs(E[(3 * e + c) * Np + j] - wanted[c]));
          worst = fmax(worst, fabs(H[(3 * e + c) * Np + j] - wanted[3 + c]));
        }
      }
    print_message("%s, %s, %s: largest error %.2g\n", what, ops->name, mx_integrator_names[integrator], worst);
    if (!(worst < expected->tolerance)) fail_msg("%s: error %g", what, worst);
    free(E), free(H);
    for (size_t t = 0; t < box->problem.terms; t++) {
      dg_free(box->problem.term[t].where);
      dg_free(box->problem.term[t].E);
      dg_free(box->problem.term[t].H);
    }
    dg_free(box->problem.term);
    box->problem.term = NULL;
    box->problem.terms = 0;
  }
}

static double forward_E(double x, double t) { return w(t - x / MX_C0); }
static double forward_H(double x, double t) { return -w(t - x / MX_C0); }

static struct mx_plane_wave wave_along_x(void)
{
  return (struct mx_plane_wave){
      .direction = {1, 0, 0}, .polarisation = {0, 0, 1}, .amplitude = 1, .waveform = gaussian()};
}

static void test_plane_wave_through_a_wall(void **state)
{
  (void)state;
  struct box box = {0};
  bar_between(&box, MX_PLANE_WAVE, MX_ABSORBING);
  box.boundary[0].wave = wave_along_x();
  box_problem(&box, 5, 1);
  const struct expectation expected = {forward_E, forward_H, 1.2 / MX_C0, 1e-3};
  compare(&box, &expected, "plane wave");
  box_release(&box);
}

static void test_prescribed_fields(void **state)
{
  (void)state;
  for (int magnetic = 0; magnetic < 2; magnetic++) {
    struct box box = {0};
    bar_between(&box, magnetic ? MX_MAGNETIC_FIELD : MX_ELECTRIC_FIELD, MX_ABSORBING);
    box.boundary[0].drive = magnetic ? constant_drive(0, -1 / MX_ETA0, 0) : constant_drive(0, 0, 1);
    box_problem(&box, 5, 1);
    const struct expectation expected = {forward_E, forward_H, 1.2 / MX_C0, 1e-3};
    compare(&box, &expected, magnetic ? "prescribed H" : "prescribed E");
    box_release(&box);
  }
}

/* A sheet of current K along z at x = 0.6: E = -eta K/2 on both sides, H = +-K/2 along y. */
static double sheet_E(double x, double t) { return -0.5 * w(t - fabs(x - 0.6) / MX_C0); }
static double sheet_H(double x, double t) { return (x > 0.6 ? 0.5 : -0.5) * w(t - fabs(x - 0.6) / MX_C0); }

static void test_current_sheet(void **state)
{
  (void)state;
  for (int alpha = 0; alpha < 2; alpha++) {
    struct box box = {0};
    bar_between(&box, MX_ABSORBING, MX_ABSORBING);
    struct mx_interface_config sheet = {
        .where = {.tag = 7}, .kind = MX_SURFACE_CURRENT, .drive = constant_drive(0, 0, 1 / MX_ETA0)};
    box.config.interface = &sheet;
    box.config.interfaces = 1;
    box_problem(&box, 5, alpha);
    const struct expectation expected = {sheet_E, sheet_H, 0.7 / MX_C0, 1e-3};
    compare(&box, &expected, alpha ? "sheet, upwind" : "sheet, centred");
    box_release(&box);
  }
}

/* The same sheet on a magnetic wall at x = 0 sends all it has to one side: E = -eta K. */
static double wall_E(double x, double t) { return -forward_E(x, t); }
static double wall_H(double x, double t) { return -forward_H(x, t); }

static void test_current_on_a_wall(void **state)
{
  (void)state;
  struct box box = {0};
  bar_between(&box, MX_WALL_CURRENT, MX_ABSORBING);
  box.boundary[0].drive = constant_drive(0, 0, 1 / MX_ETA0);
  box_problem(&box, 5, 1);
  const struct expectation expected = {wall_E, wall_H, 1.2 / MX_C0, 1e-3};
  compare(&box, &expected, "current on a wall");
  box_release(&box);
}

/* A conducting sheet at x = 0.6: the wave from x = 0 comes back with E reversed, and nothing passes. */
static double mirror_E(double x, double t) { return x < 0.6 ? forward_E(x, t) - forward_E(1.2 - x, t) : 0; }
static double mirror_H(double x, double t) { return x < 0.6 ? forward_H(x, t) + forward_H(1.2 - x, t) : 0; }

static void test_conducting_sheet(void **state)
{
  (void)state;
  struct box box = {0};
  bar_between(&box, MX_PLANE_WAVE, MX_ABSORBING);
  box.boundary[0].wave = wave_along_x();
  struct mx_interface_config sheet = {.where = {.tag = 7}, .kind = MX_CONDUCTING_SHEET};
  box.config.interface = &sheet;
  box.config.interfaces = 1;
  box_problem(&box, 5, 1);
  const struct expectation expected = {mirror_E, mirror_H, 1.3 / MX_C0, 1e-3};
  compare(&box, &expected, "conducting sheet");
  box_release(&box);
}

/* Total field in volume 2 only; nothing scatters, so volume 1 stays dark. */
static double total_E(double x, double t) { return x > 0.6 ? w(t - (x - 0.6) / MX_C0) : 0; }
static double total_H(double x, double t) { return x > 0.6 ? -w(t - (x - 0.6) / MX_C0) : 0; }

static void test_total_field(void **state)
{
  (void)state;
  for (int alpha = 0; alpha < 2; alpha++) {
    struct box box = {0};
    bar_between(&box, MX_ABSORBING, MX_ABSORBING);
    struct mx_interface_config surface = {
        .where = {.tag = 7}, .kind = MX_TOTAL_FIELD, .inside = {.tag = 2}, .wave = wave_along_x()};
    box.config.interface = &surface;
    box.config.interfaces = 1;
    box_problem(&box, 5, alpha);
    const struct expectation expected = {total_E, total_H, 0.7 / MX_C0, 1e-3};
    compare(&box, &expected, alpha ? "total field, upwind" : "total field, centred");
    box_release(&box);
  }
}

/* A uniform current between electric walls in z and magnetic ones all around: eps0 dE/dt = -J, everywhere the same. */
static double uniform_E(double x, double t)
{
  (void)x;
  return -0.5 * sqrt(acos(-1.0)) * tau * (erf((t - begin) / tau) - erf(-begin / tau)) / MX_EPSILON0 * 1e-2;
}
static double uniform_H(double x, double t)
{
  (void)x, (void)t;
  return 0;
}

static void test_uniform_current(void **state)
{
  (void)state;
  struct box box = {0};
  bar_between(&box, MX_PMC, MX_PMC);
  struct mx_source_config source = {.where = {.is_default = true}, .drive = constant_drive(0, 0, 1e-2)};
  box.config.source = &source;
  box.config.sources = 1;
  box_problem(&box, 2, 1);
  const struct expectation expected = {uniform_E, uniform_H, 0.6 / MX_C0, 2e-4};
  compare(&box, &expected, "uniform current");
  box_release(&box);
}

/* A dipole is a delta function as the elements' polynomials see it: the integral of J times any polynomial of their
 * degree is the moment times its value at the dipole, and for a wire the integral along it. */
static double some_polynomial(const double x[3], int degree)
{
  return degree == 0 ? 1 : pow(1 + x[0] - 2 * x[1] + 0.5 * x[2], degree);
}

static void check_moment(const struct box *box, const struct mx_term *term, int degree, const double wanted[3])
{
  size_t Np = (size_t)box->ref.Np;
  double got[3] = {0, 0, 0};
  for (size_t k = 0; k < term->count; k++)
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < Np; i++) {
        size_t e = (size_t)term->where[k];
        double x[3], row = 0;
        dg_geometry_point(&box->mesh, e, box->ref.r[i], box->ref.s[i], box->ref.t[i], x);
        for (size_t j = 0; j < Np; j++) row += box->ref.mass[i * Np + j] * term->E[(3 * k + c) * Np + j];
        got[c] += box->problem.jacobian[e] * some_polynomial(x, degree) * row / MX_ETA0;
      }
  for (size_t c = 0; c < 3; c++) assert_true(fabs(got[c] - wanted[c]) < 1e-12);
}

static void test_thin_currents(void **state)
{
  (void)state;
  struct box box = {0};
  struct dg_error err = {0};
  struct mx_sources sources;
  bar_between(&box, MX_ABSORBING, MX_ABSORBING);
  struct mx_source_config source[2] = {
      {.shape = MX_DIPOLE, .at = {0.31, 0.04, 0.07}, .moment = {1, -2, 3}, .drive = constant_drive(0, 0, 0)},
      {.shape = MX_WIRE,
       .at = {0.2, 0.03, 0.1},
       .to = {0.9, 0.08, 0.05},
       .current = 2,
       .drive = constant_drive(0, 0, 0)},
  };
  box.config.source = source;
  box.config.sources = 2;
  box_problem(&box, 3, 1);
  if (mx_sources_init(&sources, &box.problem, &box.assignment, &box.config, &box.mesh, &err) != 0)
    fail_msg("%s", err.message);
  for (int degree = 0; degree <= 3; degree++) {
    double f = some_polynomial(source[0].at, degree), wanted[3];
    for (int c = 0; c < 3; c++) wanted[c] = f * source[0].moment[c];
    check_moment(&box, &box.problem.term[0], degree, wanted);
  }
  for (int degree = 0; degree <= 3; degree++) {
    double f = 0, wanted[3]; /* the mean along the wire, by Simpson's rule, which is exact for cubic functions */
    for (int k = 0; k < 3; k++) {
      double x[3];
      for (int c = 0; c < 3; c++) x[c] = source[1].at[c] + 0.5 * k * (source[1].to[c] - source[1].at[c]);
      f += (k == 1 ? 4 : 1) * some_polynomial(x, degree) / 6;
    }
    for (int c = 0; c < 3; c++) wanted[c] = f * 2 * (source[1].to[c] - source[1].at[c]);
    check_moment(&box, &box.problem.term[1], degree, wanted);
  }
  mx_sources_release(&sources);
  box_release(&box);
}

/* The problem, which finds the interfaces, or its sources refuse what is configured. */
static void fails(struct box *box, const char *message)
{
  struct dg_error err = {0};
  struct mx_sources sources;
  box_problem_release(box);
  if (dg_reference_init(&box->ref, 1, &err) != 0) fail_msg("%s", err.message);
  if (mx_problem_init(&box->problem, &box->assignment, &box->config, &box->mesh, &box->geometry, &box->ref, NULL,
                      &err) == 0)
    (void)!mx_sources_init(&sources, &box->problem, &box->assignment, &box->config, &box->mesh, &err);
  if (err.code != DG_INPUT || strstr(err.message, message) == NULL)
    fail_msg("'%s' instead of '%s'", err.message, message);
}

static void test_errors(void **state)
{
  (void)state;
  struct box box = {0};
  bar_between(&box, MX_ABSORBING, MX_ABSORBING);
  box_problem(&box, 1, 1);
  struct mx_interface_config on = {.where = {.tag = 1}, .kind = MX_SURFACE_CURRENT, .drive = constant_drive(0, 0, 1)};
  box.config.interface = &on;
  box.config.interfaces = 1;
  fails(&box, "interfaces.[1]: surface 1 is part of the outer boundary");
  on.where.tag = 9;
  fails(&box, "interfaces[9]: the mesh has no surface with tag 9");
  on = (struct mx_interface_config){
      .where = {.tag = 7}, .kind = MX_TOTAL_FIELD, .inside = {.is_default = true}, .wave = wave_along_x()};
  fails(&box, "the surface runs inside the region of total field");
  on.inside = (struct mx_selector){.tag = 3};
  fails(&box, "the mesh has no volume with tag 3");
  box.config.interfaces = 0;
  struct mx_source_config source = {.where = {.tag = 5}, .drive = constant_drive(0, 0, 1)};
  box.config.source = &source;
  box.config.sources = 1;
  fails(&box, "the mesh has no volume with tag 5");
  source = (struct mx_source_config){
      .shape = MX_DIPOLE, .at = {0, 0, 1}, .moment = {0, 0, 1}, .drive = constant_drive(0, 0, 0), .place = "a.lua:3"};
  fails(&box, "a.lua:3: sources[1]: the point (0, 0, 1) m is outside the mesh");
  source.shape = MX_WIRE;
  source.at[2] = 0.02;
  source.to[2] = 0.22;
  fails(&box, "a.lua:3: sources[1]: 0.1 m of the wire of 0.2 m are outside the mesh");
  box_release(&box);
}

static void test_one_medium_for_a_plane_wave(void **state)
{
  (void)state;
  struct box box = {0};
  box_mesh(&box, cells, bar, 0, NULL);
  box_material(&box, 1, 1, 1, 0);
  box_material(&box, 2, 4, 1, 0);
  box_problem(&box, 1, 1);
  struct mx_interface_config surface = {
      .where = {.tag = 7}, .kind = MX_TOTAL_FIELD, .inside = {.tag = 2}, .wave = wave_along_x()};
  box.config.interface = &surface;
  box.config.interfaces = 1;
  fails(&box, "a plane wave needs one medium without losses");
  box_release(&box);
  /* the same medium on both sides, whose impedance depends on the frequency */
  box_mesh(&box, cells, bar, 0, NULL);
  box_material(&box, 0, 2, 1, 0);
  box_debye(&box.material[0], 3, 1e-11);
  box_problem(&box, 1, 1);
  box.config.interface = &surface;
  box.config.interfaces = 1;
  fails(&box, "a plane wave needs one impedance for all frequencies along its surface; near (");
  box_release(&box);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plane_wave_through_a_wall),
      cmocka_unit_test(test_prescribed_fields),
      cmocka_unit_test(test_current_sheet),
      cmocka_unit_test(test_current_on_a_wall),
      cmocka_unit_test(test_conducting_sheet),
      cmocka_unit_test(test_total_field),
      cmocka_unit_test(test_uniform_current),
      cmocka_unit_test(test_thin_currents),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_one_medium_for_a_plane_wave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
