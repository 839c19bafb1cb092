/* Ports against what is known of guides: matched guides, cut-off, power, lines with resistors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>

#include "maxwell/port.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/port_fixture.h"

static const double pi = 3.14159265358979323846;
static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4};

/* A guide along x, 1 m wide in y, 0.5 m in z; ports at both ends, the first driven from f0 - width to f0 + width. */
static const double length = 2, cutoff = MX_C0 / 2;

static void modulate(struct mx_port_config *port, double f0, double width)
{
  port->driven = true;
  double tau = sqrt(log(100.0)) / (pi * width);
  port->waveform =
      (struct mx_waveform){.kind = MX_MODULATED_GAUSSIAN, .amplitude = 1, .f0 = f0, .tau = tau, .t0 = 4.6 * tau};
}

struct matched {
  struct mx_mode mode;
  double cutoff, epsilon_r;
};

static void matched_guide(const struct matched *m, enum mx_integrator integrator, int order, double cfl)
{
  struct guide guide = {0};
  const int cells[3] = {4, 2, 1};
  const double size[3] = {length, 1, 0.5};
  box_mesh(&guide.box, cells, size, 0.05, NULL);
  box_material(&guide.box, 0, m->epsilon_r, 1, 0);
  struct mx_port_config *left = guide_port(&guide.box, 1, MX_WAVEGUIDE_PORT);
  struct mx_port_config *right = guide_port(&guide.box, 2, MX_WAVEGUIDE_PORT);
  left->mode = right->mode = m->mode;
  left->amplitude = 3;
  modulate(left, 1.525 * m->cutoff, 0.305 * m->cutoff);
  guide_start(&guide, order, integrator, cfl, 60 / m->cutoff);
  guide_run(&guide, NULL, NULL, NULL, NULL);
  double worst = 0, phase = 0, size21 = 0;
  for (int i = 0; i <= 20; i++) {
    double f = m->cutoff * (1.22 + (1.83 - 1.22) * i / 20);
    double complex in, back, none, through;
    mx_ports_spectrum(&guide.sources.ports, 0, f, &in, &back);
    mx_ports_spectrum(&guide.sources.ports, 1, f, &none, &through);
    double beta = 2 * pi * sqrt(f * f - m->cutoff * m->cutoff) * sqrt(m->epsilon_r) / MX_C0;
    double complex ratio = through / in / cexp(-I * beta * length);
    worst = fmax(worst, cabs(back / in));
    phase = fmax(phase, fabs(carg(ratio)) * 180 / pi);
    size21 = fmax(size21, fabs(cabs(ratio) - 1));
    assert_true(cabs(none) == 0);
  }
  print_message("%s%d%d, eps %g, %s, p = %d, cfl %.2f, %ld steps: S11 %.1f dB, S21 off by %.2g and %.2g degrees\n",
                m->mode.family == MX_TE ? "TE" : "TM", m->mode.m, m->mode.n, m->epsilon_r,
                mx_integrator_names[integrator], order, cfl, guide.steps, 20 * log10(worst), size21, phase);
  guide_release(&guide);
}

static void test_matched_guide(void **state)
{
  (void)state;
  const struct matched te10 = {{MX_TE, 1, 0}, cutoff, 1}, filled = {{MX_TE, 1, 0}, cutoff / 2, 4};
  const struct matched tm11 = {{MX_TM, 1, 1}, MX_C0 / 2 * sqrt(5), 1};
  for (int i = 0; i < 3; i++) matched_guide(&te10, integrators[i], 4, 0.9);
  matched_guide(&te10, MX_LEAPFROG, 4, 0.2);
  matched_guide(&te10, MX_LEAPFROG, 6, 0.2);
  matched_guide(&te10, MX_LSRK, 6, 0.9);
  matched_guide(&filled, MX_LSRK, 4, 0.9);
  matched_guide(&tm11, MX_LSRK, 6, 0.9);
  matched_guide(&tm11, MX_LEAPFROG, 6, 0.9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_matched_guide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
