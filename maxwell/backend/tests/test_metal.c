/* Metal walls: the fit of the skin, the quality of a resonator against the closed form, the limit of the step, energy,
 * and backends against each other. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/operator/operator.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/bend.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"
#include "maxwell/tests/sanitized.h"
#include "maxwell/backend/tests/skin_boxes.h"

static const double pi = 3.14159265358979323846;

/* Adds a wall of this conductivity, S/m, for a band around the frequency at which a metre is half a wave. */
static void add_metal(struct box *box, int surface, double sigma)
{
  const double middle = MX_C0 / 2;
  box_boundary(box, surface, MX_METAL_WALL, 0);
  box->boundary[box->config.boundaries - 1].metal =
      (struct mx_metal_config){.sigma = sigma, .mu_r = 1, .band = {middle / 10, middle * 10}};
}

/* ---- the fit */

static void test_fit(void **state)
{
  (void)state;
  static const double decades[5] = {0.001, 1, 2, 3, 4};
  static const size_t most[5] = {1, 6, 8, 10, 12};
  for (int i = 0; i < 5; i++) {
    struct mx_skin skin = {0};
    const double from = 2 * pi * 1e8, to = from * pow(10, decades[i]), error = mx_skin_fit(from, to, INFINITY, &skin);
    double worst = 0;
    for (int k = 0; k <= 997; k++) { /* between the points of the fit, too */
      const double w = from * pow(to / from, k / 997.0);
      double complex sum = 0;
      for (size_t q = 0; q < skin.poles; q++) sum += skin.resistance[q] * I * w / (I * w + skin.rate[q]);
      worst = fmax(worst, cabs(sum / csqrt(I * w) - 1));
    }
    print_message("%g decades: %zu poles, %.3g (said: %.3g)\n", decades[i], skin.poles, worst, error);
    assert_true(error <= MX_SKIN_ERROR && worst < 1.1 * error && skin.poles <= most[i]);
    for (size_t q = 0; q < skin.poles; q++) assert_true(skin.resistance[q] > 0 && skin.rate[q] > 0);
  }
}

/* ---- quality of a resonator: a wave between two metal walls at x = 0 and x = 1 */

static void half_wave(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = value[1] = 0;
  value[2] = sin(pi * x[0]);
}

/* s of the first resonance, 1/m: s = j pi + log((1 - z)/(1 + z)), z = sqrt(s mu/sigma). */
static double complex closed_form(double sigma)
{
  double complex s = I * pi;
  for (int i = 0; i < 100; i++) {
    const double complex z = csqrt(s * MX_C0 * MX_MU0 / sigma) / MX_ETA0;
    s = I * pi + clog((1 - z) / (1 + z));
  }
  return s;
}

/* s of y[n] = Re exp(s n step): y[n + 1] + y[n - 1] b = a y[n], a = 2 Re of the root, b its squared size. */
static double complex find_root(const double *y, int count, double step)
{
  double m[3] = {0}, r[2] = {0};
  for (int n = 1; n + 1 < count; n++) {
    m[0] += y[n] * y[n], m[1] -= y[n] * y[n - 1], m[2] += y[n - 1] * y[n - 1];
    r[0] += y[n + 1] * y[n], r[1] -= y[n + 1] * y[n - 1];
  }
  const double det = m[0] * m[2] - m[1] * m[1], a = (m[2] * r[0] - m[1] * r[1]) / det,
               b = (m[0] * r[1] - m[1] * r[0]) / det;
  return clog(a / 2 + I * sqrt(b - a * a / 4)) / step;
}

static double complex ring(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                           double share, double *rise)
{
  enum { SAMPLES = 40 };
  const double interval = 0.2, limit = box_limit(box, integrator), wait = 6;
  const long each = (long)ceil(interval / (share * limit)), before = (long)ceil(wait / interval) * each;
  double *E = box_field(box), *H = box_field(box), *shape = box_field(box), y[SAMPLES], last = INFINITY;
  struct dg_error err = {0};
  box_evaluate(box, half_wave, 0, E);
  box_evaluate(box, half_wave, 0, shape);
  struct drive drive = drive_new(ops, box, integrator, MX_DOUBLE, interval / (double)each, E, H);
  *rise = -INFINITY;
  for (int n = -(int)(before / each); n < SAMPLES; n++) {
    drive_observe(&drive);
    assert_int_equal(ops->download(drive.backend, E, H, &err), 0);
    const double energy = drive_energy(&drive);
    if (n >= 0) y[n] = box_product(box, NULL, E, shape);
    *rise = fmax(*rise, energy / last - 1);
    last = energy;
    drive_finish(&drive);
    drive_steps(&drive, each - 1);
  }
  ops->destroy(drive.backend);
  free(E), free(H), free(shape);
  return find_root(y, SAMPLES, interval);
}

static void test_quality(void **state)
{
  (void)state;
  static const double sigma[3] = {5.8e7, 1e3, 30};
  static const int cells[3] = {3, 1, 1};
  static const double bar[3] = {1, 0.25, 0.25};
  if (SANITIZED) return; /* test_backends_agree runs the same code */
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      struct box box = {0};
      if (i != k && (i != 2 || k != 0)) continue; /* it takes its time */
      double rise;
      box_mesh(&box, cells, bar, 0, NULL);
      box_material(&box, 0, 1, 1, 0);
      add_metal(&box, 1, sigma[i]), add_metal(&box, 2, sigma[i]);
      box_boundary(&box, 3, MX_PMC, 0);
      box_boundary(&box, 4, MX_PMC, 0);
      box_problem(&box, 5, 1);
      const double complex exact = closed_form(sigma[i]), found = ring(k == 0 ? &mx_backend_reference : &mx_backend_cpu,
                                                                       &box, (enum mx_integrator)k, 0.5, &rise);
      const double Q = -cimag(exact) / (2 * creal(exact)), off = -cimag(found) / (2 * creal(found)) / Q - 1;
      print_message("%s, %g S/m: Q %.6g (closed form %.6g, off by %.2g), frequency off by %.2g; energy rises by %.2g\n",
                    mx_integrator_names[k], sigma[i], Q * (1 + off), Q, off, cimag(found) / cimag(exact) - 1, rise);
      assert_true(fabs(off) < 5e-3);
      assert_true(fabs(cimag(found) / cimag(exact) - 1) < 2e-4);
      assert_true(rise < 0);
      box_release(&box);
    }
}

/* ---- random walls */

static void random_box(struct box *box, int order, bool bent, double alpha)
{
  skin_box(box, bent);
  for (int i = 1; i <= 6; i++) {
    if (i == 4) box_boundary(box, i, MX_IMPEDANCE, 100);
    else if (i != 5) add_metal(box, i, pow(10, 1 + 5 * box_random()));
  }
  box_problem(box, order, alpha);
}

/* Noise never grows at 0.995 of the limit and does beyond 1.02 of it. */
static void test_limit(void **state)
{
  (void)state;
  for (int i = 0; i < 8; i += SANITIZED ? 7 : 1) {
    struct box box;
    char what[80];
    box_random_state = 100 + (unsigned)i;
    random_box(&box, 2, i >= 6, 0.5 * (i % 3));
    (void)snprintf(what, sizeof what, "flux %g%s", 0.5 * (i % 3), i >= 6 ? ", curved" : "");
    skin_limit(&box, i % 2 ? MX_LSRK : MX_LEAPFROG, 1.05, 0, what);
    box_release(&box);
  }
}

/* cpu against reference after 300 steps, all integrators, straight and curved. */
static void test_backends_agree(void **state)
{
  (void)state;
  for (int i = 0; i < 6; i++) {
    struct box box;
    random_box(&box, i < 3 ? 3 : 2, i >= 3, i % 2);
    skin_backends_agree(&box, (enum mx_integrator)(i % 3), i >= 3 ? ", curved" : "", half_wave);
    box_release(&box);
  }
}

/* ---- currents along the edges of faces, as a card holds them (terms/skin_points.h) */

#define MX_POINT static inline
#define NAME(x)  x
#define REAL     double
#include "maxwell/terms/skin_points.h"
#undef REAL
#undef NAME
#undef MX_POINT

/* The integral of the square of a tangential vector, from its components. */
static double square_along(const struct mx_skin_tables *tables, size_t k, const double *u, const double *flat)
{
  const size_t Nf = (size_t)tables->problem->ref->Nf, n = 2 * Nf;
  double *G = calloc(n * n, sizeof *G), sum = 0;
  if (tables->curve[k] > 0) mx_skin_weigh(tables, k, G);
  for (size_t r = 0; r < n; r++)
    for (size_t l = 0; l < n; l++) {
      const double weight = tables->curve[k] > 0
                                ? G[r * n + l]
                                : flat[r / Nf + l / Nf] * tables->problem->ref->face_mass[r % Nf * Nf + l % Nf];
      sum += weight * u[r] * u[l];
    }
  free(G);
  return sum;
}

/* Currents and energies on every face agree with the Cartesian ones. */
static void test_along_edges(void **state)
{
  (void)state;
  for (int bent = 0; bent < 2; bent++) {
    struct box box;
    struct mx_skin_tables tables;
    struct dg_error err = {0};
    double worst[2] = {0, 0};
    box_random_state = 7;
    random_box(&box, 3, bent != 0, 1);
    assert_int_equal(mx_skin_tables_init(&tables, &box.problem, &err), 0);
    const size_t Nf = (size_t)box.ref.Nf;
    for (size_t k = 0; k < box.problem.skin_faces; k++) {
      const size_t e = (size_t)box.problem.skin_face[k] / 4, f = (size_t)box.problem.skin_face[k] % 4;
      double H[3 * DG_NF_MAX], h[3 * DG_NF_MAX], of_H[2 * DG_NF_MAX], wanted[2 * DG_NF_MAX], turn[3], product[3],
          got[2 * DG_NF_MAX] = {0}, size = 0, off = 0;
      for (size_t i = 0; i < 3 * Nf; i++) H[i] = box_random() - 0.5;
      mx_skin_current(&tables, k, H, h);
      skin_along(&box, e, f, H, of_H);
      skin_along(&box, e, f, h, wanted);
      mx_skin_face(&box.problem, e, f, turn, product);
      for (size_t m = 0; m < Nf && tables.curve[k] == 0; m++) {
        double to[2];
        mx_skin_turn(turn, (const double[2]){of_H[m], of_H[Nf + m]}, to);
        got[m] = to[0], got[Nf + m] = to[1];
      }
      for (size_t i = 0; i < 4 * Nf * Nf && tables.curve[k] > 0; i++)
        got[i / (2 * Nf)] += tables.curved[k][i] * of_H[i % (2 * Nf)];
      for (size_t i = 0; i < 2 * Nf; i++) size = fmax(size, fabs(wanted[i])), off = fmax(off, fabs(got[i] - wanted[i]));
      worst[0] = fmax(worst[0], off / size);
      worst[1] =
          fmax(worst[1], fabs(square_along(&tables, k, wanted, product) / mx_skin_product(&tables, k, h, h) - 1));
    }
    print_message("%s: currents differ by %.2g, energies by %.2g\n", bent ? "curved" : "straight", worst[0], worst[1]);
    assert_true(worst[0] < 1e-12 && worst[1] < 1e-12);
    mx_skin_tables_release(&tables);
    box_release(&box);
  }
}

/* A pole's step is the implicit midpoint rule of dI/dt = a (h - I), and its rate that right-hand side; a film's is that
 * of dJ/dt = D E - gamma J with the mean in the loss alone. */
static void test_points(void **state)
{
  (void)state;
  const double dt = 0.3, h = 0.7, old = -1.3;
  const struct mx_skin wall = {.poles = 1, .resistance = {2}, .rate = {5}},
                       film = {.poles = 1, .kind = MX_SKIN_FILM, .drude = 4, .damping = 0.9},
                       sheet = {.poles = 1, .kind = MX_SKIN_SHEET, .resistance = {2}, .transfer = {-1}, .rate = {5}};
  double n[2], now = old;
  mx_skin_numbers(&wall, 0, dt, n);
  const double mean = mx_skin_step(n, h, &now);
  assert_true(n[0] == 2 && fabs(mean - (now + old) / 2) < 1e-15 && fabs((now - old) / dt - 5 * (h - mean)) < 1e-14);
  mx_skin_numbers(&wall, 0, 0, n);
  assert_true(fabs(mx_skin_rate(n, h, old) - 5 * (h - old)) < 1e-14);
  now = old;
  mx_skin_numbers(&film, 0, dt, n);
  mx_film_step(n, h, &now);
  assert_true(fabs((now - old) / dt - 4 * h + 0.9 * (now + old) / 2) < 1e-14);
  mx_skin_numbers(&film, 0, 0, n);
  assert_true(fabs(mx_film_rate(n, h, old) - 4 * h + 0.9 * old) < 1e-14);
  assert_true(fabs(mx_film_mean(0.25, 1, 5) - 2) < 1e-15);
  mx_sheet_numbers(&sheet, 0, n);
  assert_true(n[0] == -1 && fabs(n[1] + 0.1) < 1e-15);
  assert_true(fabs(mx_skin_row(&wall)->weight(&wall, 0, true) - 0.2) < 1e-15 &&
              fabs(mx_skin_row(&film)->weight(&film, 0, true) - 0.0625) < 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fit),         cmocka_unit_test(test_quality),
      cmocka_unit_test(test_limit),       cmocka_unit_test(test_backends_agree),
      cmocka_unit_test(test_along_edges), cmocka_unit_test(test_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
