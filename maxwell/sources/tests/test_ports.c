/* Ports against what is known of guides: matched and open guides, cut-off, power, lines that end in resistors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>

#include "maxwell/sources/port_state.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/sanitized.h"
#include "maxwell/sources/tests/port_fixture.h"

static const double pi = 3.14159265358979323846;

/* A guide along x, 1 m wide in y, 0.5 m in z, ports at both ends. */
static const double length = 1;
static const int cells[3] = {2, 2, 1};
static const double size[3] = {1, 1, 0.5};
static const double te10 = MX_C0 / 2; /* cut-off, Hz */

static void modulate(struct mx_port_config *port, double f0, double width)
{
  port->driven = true;
  double tau = sqrt(log(100.0)) / (pi * width);
  port->waveform =
      (struct mx_waveform){.kind = MX_MODULATED_GAUSSIAN, .amplitude = 1, .f0 = f0, .tau = tau, .t0 = 4.6 * tau};
}

/* The time that is run instead of T. */
static double time_of(double T) { return SANITIZED ? T / 50 : T; }

static double decibel(double complex ratio) { return 20 * log10(cabs(ratio)); }

/* ---- the far end absorbs the mode exactly: nothing comes back, and the phase is that of the length */

struct matched {
  struct mx_mode mode;
  double cutoff, epsilon_r;
  enum mx_integrator integrator;
  int order;
  double back, size, phase; /* tolerances: dB, relative, degrees */
};

/* Largest S11 (dB), error of |S21| and of its phase (degrees) from 1.22 to 1.83 cut-offs. */
static void scan(const struct guide *guide, const struct matched *m, double result[3])
{
  result[0] = -INFINITY;
  result[1] = result[2] = 0;
  for (int i = 0; i <= 20; i++) {
    double f = m->cutoff * (1.22 + (1.83 - 1.22) * i / 20);
    double complex in, back, none, through;
    mx_ports_spectrum(&guide->sources.ports, 0, f, &in, &back);
    mx_ports_spectrum(&guide->sources.ports, 1, f, &none, &through);
    double beta = 2 * pi * sqrt(f * f - m->cutoff * m->cutoff) * sqrt(m->epsilon_r) / MX_C0;
    double complex ratio = through / in / cexp(-I * beta * length);
    result[0] = fmax(result[0], decibel(back / in));
    result[1] = fmax(result[1], fabs(cabs(ratio) - 1));
    result[2] = fmax(result[2], fabs(carg(ratio)) * 180 / pi);
    assert_true(cabs(none) == 0);
  }
}

static void matched_guide(const struct matched *m)
{
  struct guide guide = {0};
  double result[3];
  box_mesh(&guide.box, cells, size, 0.05, NULL);
  box_material(&guide.box, 0, m->epsilon_r, 1, 0);
  struct mx_port_config *left = guide_port(&guide.box, 1, MX_WAVEGUIDE_PORT);
  struct mx_port_config *right = guide_port(&guide.box, 2, MX_WAVEGUIDE_PORT);
  left->mode = right->mode = m->mode;
  left->amplitude = 3;
  modulate(left, 1.525 * m->cutoff, 0.305 * m->cutoff);
  guide_start(&guide, m->order, m->integrator, 0.9, time_of(40 / m->cutoff));
  guide_run(&guide, NULL, NULL, NULL, NULL);
  scan(&guide, m, result);
  print_message("%s%d%d, epsilon_r = %g, %s, p = %d, %ld steps: S11 %.1f dB, S21 off by %.2g and %.2g degrees\n",
                m->mode.family == MX_TE ? "TE" : "TM", m->mode.m, m->mode.n, m->epsilon_r,
                mx_integrator_names[m->integrator], m->order, guide.steps, result[0], result[1], result[2]);
  assert_true(SANITIZED || (result[0] < m->back && result[1] < m->size && result[2] < m->phase));
  guide_release(&guide);
}

static void test_matched_guide(void **state)
{
  (void)state;
  const double tm11 = te10 * sqrt(5);
  const struct matched cases[] = {
      {{MX_TE, 1, 0}, te10, 1, MX_LEAPFROG, 4, -60, 3e-3, 0.2},
      {{MX_TE, 1, 0}, te10, 1, MX_LSRK, 4, -90, 1e-3, 0.02},
      {{MX_TE, 1, 0}, te10 / 2, 4, MX_RK4, 4, -90, 1e-3, 0.02},
      {{MX_TM, 1, 1}, tm11, 1, MX_LSRK, 6, -80, 2e-2, 0.5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) matched_guide(&cases[i]);
}

/* ---- the far end absorbs plane waves only: S11 = (Z - Zm)/(Z + Zm) exp(-2 i beta L), power in = power out */

static void test_mismatch(void **state)
{
  (void)state;
  struct guide guide = {0};
  box_mesh(&guide.box, cells, size, 0.05, NULL);
  box_material(&guide.box, 0, 1, 1, 0);
  modulate(guide_port(&guide.box, 1, MX_WAVEGUIDE_PORT), 1.525 * te10, 0.305 * te10);
  box_boundary(&guide.box, 2, MX_ABSORBING, 0);
  guide_start(&guide, 4, MX_LSRK, 0.9, time_of(40 / te10));
  guide_run(&guide, NULL, NULL, NULL, NULL);
  for (int i = 0; i <= 4; i++) {
    double f = te10 * (1.25 + 0.5 * i / 4), root = sqrt(1 - te10 * te10 / f / f), beta = 2 * pi * f / MX_C0 * root;
    double complex in, back, expected = (root - 1) / (root + 1) * cexp(-2 * I * beta * length);
    mx_ports_spectrum(&guide.sources.ports, 0, f, &in, &back);
    print_message("%.3f cut-offs: S11 = %.5f%+.5fi, expected %.5f%+.5fi\n", f / te10, creal(back / in),
                  cimag(back / in), creal(expected), cimag(expected));
    assert_true(SANITIZED || cabs(back / in - expected) < 1e-3);
    double complex Z = mx_ports_impedance(&guide.sources.ports, 0, f);
    assert_true(cabs(Z - MX_ETA0 / root) < 1e-9 * cabs(Z));
  }
  guide_release(&guide);
}

/* ---- below cut-off: from a port with a stationary sine the field decays as exp(-alpha x), and the impedance is
 * imaginary, so that no power goes in */

struct tail {
  double power, incident, through;
  long count;
};

static void gather(struct guide *guide, long n, void *context)
{
  struct tail *tail = context;
  struct mx_port_values v[2];
  if (guide->step * (double)n < 30 / te10) return;
  for (size_t i = 0; i < 2; i++) mx_ports_values(&guide->sources.ports, i, n, &v[i]);
  tail->power += v[0].voltage * v[0].current;
  tail->incident += v[0].incident * v[0].incident;
  tail->through += v[1].voltage * v[1].voltage;
  tail->count++;
}

static void test_below_cutoff(void **state)
{
  (void)state;
  const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK};
  for (int i = 0; i < 2; i++) {
    struct guide guide = {0};
    struct tail tail = {0};
    double f = 0.5 * te10, alpha = 2 * pi / MX_C0 * sqrt(te10 * te10 - f * f);
    box_mesh(&guide.box, cells, size, 0.05, NULL);
    box_material(&guide.box, 0, 1, 1, 0);
    struct mx_port_config *left = guide_port(&guide.box, 1, MX_WAVEGUIDE_PORT);
    (void)guide_port(&guide.box, 2, MX_WAVEGUIDE_PORT);
    left->driven = true;
    left->waveform = (struct mx_waveform){.kind = MX_SINE, .amplitude = 1, .f0 = f, .rise = 15 / te10};
    guide_start(&guide, 4, integrators[i], 0.9, time_of(50 / te10)); /* the last ten periods are observed */
    guide_run(&guide, NULL, NULL, gather, &tail);
    double ratio = sqrt(tail.through / tail.incident),
           apparent = tail.incident / cabs(mx_ports_impedance(&guide.sources.ports, 0, f));
    print_message("%s below cut-off: |S21| %.5f, expected %.5f; power %.2g of the apparent power\n",
                  mx_integrator_names[integrators[i]], ratio, exp(-alpha * length), tail.power / apparent);
    assert_true(SANITIZED || fabs(ratio / exp(-alpha * length) - 1) < 5e-3);
    assert_true(SANITIZED || fabs(tail.power / apparent) < 5e-3);
    guide_release(&guide);
  }
}

/* ---- the kernel: applied to exp(s t) it multiplies with its Laplace transform, with an error of order four */

static void test_kernel(void **state)
{
  (void)state;
  enum { COUNT = 4000 };
  static double weight[COUNT];
  const double w = 3, s = 1.7, root = sqrt(s * s + w * w), exact = -(root - s) * (root - s) / (w * w);
  const double times[] = {0, 0.15, 0.5, 0.9, 1};
  for (int i = 0; i < 5; i++) {
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
      double h = fine ? 0.02 : 0.04, sum = 0;
      mx_port_table(w, -1, times[i], h, weight, COUNT);
      for (int j = COUNT - 1; j >= 0; j--) sum += weight[j] * exp(-s * h * (j + times[i]));
      error[fine] = fabs(sum - exact);
    }
    print_message("kernel at time %.2f: errors %.2g, %.2g\n", times[i], error[0], error[1]);
    assert_true(error[1] < 2e-7);
    assert_true(error[1] < error[0] / 12);
  }
}

/* ---- noise leaves. What is left are static fields, and the mode at its cut-off, which decays by a power of time and
 * exchanges energy with the guide beyond the port: the energy may rise for a while, but swings less and less. */

struct decay {
  double first, low[2], high[2]; /* energy at t = 0, and its range in the second and in the last quarter */
};

static void watch(struct guide *guide, long n, void *context)
{
  struct decay *decay = context;
  long quarter = 4 * n / guide->steps;
  if (n % 50 != 0) return;
  double energy = drive_energy(&guide->drive);
  if (n == 0) decay->first = energy;
  assert_true(energy < decay->first * (1 + 1e-12));
  if (quarter != 1 && quarter != 3) return;
  decay->low[quarter / 2] = fmin(decay->low[quarter / 2], energy);
  decay->high[quarter / 2] = fmax(decay->high[quarter / 2], energy);
}

static void test_long_run(void **state)
{
  (void)state;
  const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK};
  for (int i = 0; i < 2; i++) {
    struct guide guide = {.steps = SANITIZED ? 100 : i == 0 ? 20000 : 8000};
    struct decay decay = {.low = {INFINITY, INFINITY}};
    const int few[3] = {2, 2, 1};
    struct mx_mode modes[] = {{MX_TE, 0, 1}, {MX_TM, 1, 1}, {MX_TE, 2, 0}};
    box_mesh(&guide.box, few, size, 0, NULL);
    box_material(&guide.box, 0, 1, 1, 0);
    for (int surface = 1; surface <= 2; surface++) {
      struct mx_port_config *port = guide_port(&guide.box, surface, MX_WAVEGUIDE_PORT);
      port->absorb = modes;
      port->absorbed = 3;
    }
    guide_start(&guide, 2, integrators[i], 0.95, 0);
    double *E = box_field(&guide.box), *H = box_field(&guide.box);
    box_noise(&guide.box, E);
    box_noise(&guide.box, H);
    guide_run(&guide, E, H, watch, &decay);
    double swing[2] = {decay.high[0] - decay.low[0], decay.high[1] - decay.low[1]};
    print_message("%s: energy %.3g, in %ld steps to %.5g, swings %.2g, then %.2g\n",
                  mx_integrator_names[integrators[i]], decay.first, guide.steps, decay.high[1], swing[0], swing[1]);
    if (!SANITIZED) {
      assert_true(decay.high[1] < 0.5 * decay.first);
      assert_true(swing[0] < 2e-3 * decay.first && swing[1] < 0.75 * swing[0]);
    }
    free(E), free(H);
    guide_release(&guide);
  }
}

/* ---- lumped ports: a line of parallel plates, Z0 = eta0 h/w, between two of them */

static const double plates[3] = {1, 0.4, 0.1}, Z0 = MX_ETA0 / 4;

static void line(struct guide *guide, double source, double load, const double direction[3])
{
  const int along[3] = {4, 1, 1};
  box_mesh(&guide->box, along, plates, 0, NULL);
  box_material(&guide->box, 0, 1, 1, 0);
  struct mx_port_config *ends[2];
  for (int i = 0; i < 2; i++) {
    ends[i] = guide_port(&guide->box, i + 1, MX_LUMPED_PORT);
    ends[i]->resistance = i == 0 ? source : load;
    ends[i]->direction[2] = 1;
    box_boundary(&guide->box, i + 3, MX_PMC, 0);
  }
  memcpy(ends[0]->direction, direction, sizeof ends[0]->direction);
  ends[0]->driven = true;
  ends[0]->amplitude = 2;
}

static void test_lumped_reflection(void **state)
{
  (void)state;
  const double up[3] = {0, 0, 1};
  const struct {
    double source, load;
    enum mx_integrator integrator;
  } cases[] = {{Z0, Z0, MX_LEAPFROG}, {50, 200, MX_LEAPFROG}, {50, 200, MX_LSRK}, {300, 25, MX_LSRK}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct guide guide = {0};
    double Rs = cases[i].source, R = cases[i].load, worst = 0;
    line(&guide, Rs, R, up);
    guide.box.boundary[0].port.waveform =
        (struct mx_waveform){.kind = MX_GAUSSIAN, .amplitude = 1, .tau = 1.5e-9, .t0 = 7.5e-9};
    guide_start(&guide, 4, cases[i].integrator, 0.9, time_of(80e-9));
    guide_run(&guide, NULL, NULL, NULL, NULL);
    for (double f = 10e6; f < 300e6; f += 20e6) {
      double complex in, back, none, through, t = I * tan(2 * pi * f / MX_C0 * plates[0]);
      mx_ports_spectrum(&guide.sources.ports, 0, f, &in, &back);
      mx_ports_spectrum(&guide.sources.ports, 1, f, &none, &through);
      double complex Zin = Z0 * (R + Z0 * t) / (Z0 + R * t), expected = (Zin - Rs) / (Zin + Rs);
      /* voltage at the end of the line from that at its start */
      double phase = 2 * pi * f / MX_C0 * plates[0];
      double complex transfer = 1 / (cos(phase) + I * Z0 / R * sin(phase));
      worst = fmax(worst, cabs(back / in - expected));
      worst = fmax(worst, cabs(through / (in + back) - transfer) / cabs(transfer));
    }
    print_message("line of %.2f ohm between %g and %g ohm, %s: S off by %.2g\n", Z0, Rs, R,
                  mx_integrator_names[cases[i].integrator], worst);
    assert_true(SANITIZED || worst < (cases[i].integrator == MX_LSRK ? 1e-4 : 2e-3));
    assert_true(cabs(mx_ports_impedance(&guide.sources.ports, 1, 1e6) - R) < 1e-9);
    guide_release(&guide);
  }
}

/* A source that stays on: in the end it is a divider, and a source turned over makes the other sign. */
static void test_voltage_divider(void **state)
{
  (void)state;
  for (int down = 0; down < 2; down++) {
    const double direction[3] = {0, 0, down ? -1 : 1}, Rs = 50, R = 150;
    struct guide guide = {0};
    struct mx_port_values v[2];
    line(&guide, Rs, R, direction);
    guide.box.boundary[0].port.waveform = (struct mx_waveform){.kind = MX_SMOOTH_STEP, .amplitude = 1, .rise = 10e-9};
    guide_start(&guide, 2, MX_LEAPFROG, 0.9, time_of(200e-9));
    guide_run(&guide, NULL, NULL, NULL, NULL);
    for (size_t i = 0; i < 2; i++) mx_ports_values(&guide.sources.ports, i, guide.steps, &v[i]);
    double sign = down ? -1 : 1, I0 = 2 / (Rs + R);
    if (!SANITIZED) {
      assert_true(fabs(v[0].voltage - R * I0) < 1e-6 && fabs(v[0].current - I0) < 1e-8);
      assert_true(fabs(v[1].voltage - sign * R * I0) < 1e-6 && fabs(v[1].current + sign * I0) < 1e-8);
      assert_true(fabs(v[0].incident - 1) < 1e-12 && v[1].incident == 0);
    }
    /* The field points from the positive end to the negative one. */
    struct dg_error err = {0};
    double *E = box_field(&guide.box);
    assert_int_equal(guide.drive.ops->download(guide.drive.backend, E, NULL, &err), 0);
    assert_true(SANITIZED || fabs(E[2 * guide.box.ref.Np] + sign * R * I0 / plates[2]) < 1e-4);
    free(E);
    guide_release(&guide);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kernel),          cmocka_unit_test(test_matched_guide),
      cmocka_unit_test(test_mismatch),        cmocka_unit_test(test_below_cutoff),
      cmocka_unit_test(test_long_run),        cmocka_unit_test(test_lumped_reflection),
      cmocka_unit_test(test_voltage_divider),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
