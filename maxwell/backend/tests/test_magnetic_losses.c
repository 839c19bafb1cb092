/* Magnetic losses, sigma_m, on all backends that run here: a medium whose two losses have equal angles reflects nothing
 * however large they are, and a wave decays in it as it should; the dual of a conductor (E for H, eps for mu, sigma for
 * sigma_m, walls of the other kind) is the same to rounding; and leapfrog's energy falls by what is lost, whatever the
 * losses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"
#include "maxwell/tests/sanitized.h"

/* ---- a pulse that enters a medium of equal loss angles; the impedance is that of vacuum */

static const double half_width = 0.35, start = 1.3, entry = 2.5; /* the medium is x > 2.5 of a box 5 m long */

static double pulse(double x)
{
  const double u = (x - start) / half_width;
  return exp(-u * u);
}

static void pulse_E(const double x[3], double t, double value[3])
{
  value[0] = value[1] = 0;
  value[2] = pulse(x[0] - t);
}

static void pulse_H(const double x[3], double t, double value[3])
{
  value[0] = value[2] = 0;
  value[1] = -pulse(x[0] - t);
}

/* `rate` = sigma/eps = sigma_m/mu, 1/m. */
static void matched_box(struct box *box, int order, double rate)
{
  static const int cells[3] = {20, 1, 1};
  static const double size[3] = {5, 0.25, 0.25};
  *box = (struct box){0};
  box_random_state = 1;
  box_mesh(box, cells, size, 0, NULL);
  box_material(box, 1, 1, 1, 0);
  box_material(box, 2, 1, 1, rate / MX_ETA0);
  box->material[1].sigma_m.value = rate * MX_ETA0;
  box_boundary(box, 1, MX_ABSORBING, 0);
  box_boundary(box, 2, MX_ABSORBING, 0);
  box_boundary(box, 3, MX_PMC, 0);
  box_boundary(box, 4, MX_PMC, 0);
  box_problem(box, order, 1);
}

/* The largest of what is left in front of the medium, and how far Ez in it is from the decayed pulse. */
static void look(const struct box *box, const double *E, double T, double rate, double *reflected, double *off)
{
  const size_t Np = (size_t)box->ref.Np;
  *reflected = *off = 0;
  for (size_t e = 0; e < box->mesh.K; e++)
    for (size_t i = 0; i < Np; i++) {
      double x[3], size = 0;
      dg_geometry_point(&box->mesh, e, box->ref.r[i], box->ref.s[i], box->ref.t[i], x);
      for (size_t c = 0; c < 3; c++) size = fmax(size, fabs(E[(3 * e + c) * Np + i]));
      if (box->problem.sigma_m[e] == 0) *reflected = fmax(*reflected, size);
      else *off = fmax(*off, fabs(E[(3 * e + 2) * Np + i] - pulse(x[0] - T) * exp(-rate * (x[0] - entry))));
    }
}

static void test_no_reflection(void **state)
{
  static const double rates[] = {0.5, 5, 1e3, 1e6};
  const double T = SANITIZED ? 0.05 : 2.4; /* the pulse is all in the medium */
  (void)state;
  for (size_t k = 0; k < (SANITIZED ? 1 : sizeof rates / sizeof *rates); k++)
    for (int i = MX_LEAPFROG; i <= MX_LSRK; i++) {
      const enum mx_integrator integrator = (enum mx_integrator)i;
      struct box box;
      matched_box(&box, 4, rates[k]);
      double *E = box_field(&box), *H = box_field(&box), reflected, off;
      /* a part of the limit: leapfrog's error of a wave is second order, and decay is to be seen within 0.1 % */
      const long steps = (long)ceil(T / ((i == MX_LEAPFROG ? 0.5 : 0.9) * box_limit(&box, integrator)));
      for (int b = 0; mx_backends[b] != NULL; b++) {
        struct dg_error err = {0};
        if (mx_backends[b]->available(&err) != 0) continue;
        if (mx_backends[b] == &mx_backend_reference && k > 0) continue; /* plain loops take long */
        const double step = T / (double)steps;
        box_evaluate(&box, pulse_E, 0, E);
        box_evaluate(&box, pulse_H, 0, H);
        drive_run(mx_backends[b], &box, integrator, MX_DOUBLE, step, steps, E, H);
        look(&box, E, T, rates[k], &reflected, &off);
        print_message("rate %g/m, %s %s, %ld steps: reflected %.2g, off by %.2g\n", rates[k], mx_backends[b]->name,
                      mx_integrator_names[i], steps, reflected, off);
        assert_true(SANITIZED || reflected < 1e-4);
        assert_true(SANITIZED || off < (rates[k] < 10 ? 1e-3 : 1e-4));
      }
      free(E), free(H);
      box_release(&box);
    }
}

/* ---- duality */

/* A box with walls, whose right half loses by E, or (`dual`) the same with E and H in each other's places. */
static void lossy_box(struct box *box, double sigma, bool dual)
{
  static const int cells[3] = {4, 2, 2};
  static const double unit[3] = {1, 1, 1};
  *box = (struct box){0};
  box_random_state = 1;
  box_mesh(box, cells, unit, 0.1, NULL);
  for (int v = 0; v < 2; v++) {
    const double eps = v == 0 ? 1 : 2, mu = v == 0 ? 1.5 : 1;
    box_material(box, v + 1, dual ? mu : eps, dual ? eps : mu, 0);
    if (v == 1 && dual) box->material[v].sigma_m.value = sigma * MX_ETA0 * MX_ETA0;
    else if (v == 1) box->material[v].sigma.value = sigma;
  }
  for (int s = 1; s <= 6; s++) box_boundary(box, s, (s % 2 == 1) != dual ? MX_PEC : MX_PMC, 0);
  box_problem(box, 2, 1);
}

/* Under (E, H) -> (H, -E). Runge-Kutta treats both alike. */
static void test_duality(void **state)
{
  static const double sigmas[] = {1e-2, 1, 1e6};
  (void)state;
  for (int k = 0; k < 3; k++)
    for (int i = MX_RK4; i <= MX_LSRK; i++)
      for (int b = 0; mx_backends[b] != NULL; b++) {
        struct dg_error err = {0};
        struct box box[2];
        double *E[2], *H[2], largest = 0, difference = 0, lost[2], energy[2][2];
        if (mx_backends[b]->available(&err) != 0) continue;
        for (int d = 0; d < 2; d++) {
          lossy_box(&box[d], sigmas[k], d == 1);
          E[d] = box_field(&box[d]), H[d] = box_field(&box[d]);
        }
        const size_t n = 3 * (size_t)box[0].ref.Np * box[0].mesh.K;
        box_noise(&box[0], E[0]), box_noise(&box[0], H[0]);
        for (size_t j = 0; j < n; j++) E[1][j] = H[0][j], H[1][j] = -E[0][j];
        const double step = 0.9 * box_limit(&box[0], (enum mx_integrator)i);
        assert_true(fabs(box_limit(&box[1], (enum mx_integrator)i) * 0.9 / step - 1) < 0.03);
        int32_t *all = calloc(box[0].mesh.K, sizeof *all);
        for (size_t e = 0; e < box[0].mesh.K; e++) all[e] = (int32_t)e;
        for (int d = 0; d < 2; d++) {
          struct drive drive = drive_new(mx_backends[b], &box[d], (enum mx_integrator)i, MX_DOUBLE, step, E[d], H[d]);
          drive_steps(&drive, SANITIZED ? 5 : 20);
          drive_observe(&drive);
          assert_int_equal(drive.ops->loss(drive.backend, box[d].mesh.K, all, &lost[d], &err), 0);
          assert_int_equal(drive.ops->energy(drive.backend, &energy[d][0], &energy[d][1], &err), 0);
          assert_int_equal(drive.ops->download(drive.backend, E[d], H[d], &err), 0);
          drive.ops->destroy(drive.backend);
        }
        for (size_t j = 0; j < n; j++) {
          largest = fmax(largest, fmax(fabs(E[0][j]), fabs(H[0][j])));
          difference = fmax(difference, fmax(fabs(E[1][j] - H[0][j]), fabs(H[1][j] + E[0][j])));
        }
        print_message("%g S/m %s %s: %.2g of %.2g\n", sigmas[k], mx_backends[b]->name, mx_integrator_names[i],
                      difference, largest);
        assert_true(largest > 0.01 && difference < 1e-11 * largest);
        assert_true(lost[0] > 0 && fabs(lost[1] / lost[0] - 1) < 1e-10);
        assert_true(fabs(energy[0][0] / energy[1][1] - 1) < 1e-11 && fabs(energy[0][1] / energy[1][0] - 1) < 1e-11);
        free(all);
        for (int d = 0; d < 2; d++) {
          free(E[d]), free(H[d]);
          box_release(&box[d]);
        }
      }
}

/* ---- leapfrog's energy */

/* Of noise, with losses by E and H: it never rises, and with the centred flux it falls by the mean of what is lost. */
static void test_energy(void **state)
{
  static const double sigma_m[] = {1, 1e3, 1e5, 1e9}; /* ohm/m */
  static const int cells[3] = {2, 2, 1};
  static const double unit[3] = {1, 1, 1};
  (void)state;
  for (int k = 0; k < 4; k++)
    for (int alpha = 0; alpha < 2; alpha++)
      for (int b = 0; mx_backends[b] != NULL; b++) {
        struct dg_error err = {0};
        struct box box = {0};
        if (mx_backends[b]->available(&err) != 0) continue;
        box_random_state = 3;
        box_mesh(&box, cells, unit, 0.1, NULL);
        box_material(&box, 1, 1, 1, 0);
        box_material(&box, 2, 2, 1.5, 0);
        box.material[1].sigma_m.value = sigma_m[k];
        box_problem(&box, 2, alpha);
        double *E = box_field(&box), *H = box_field(&box), first = 0, before = 0, lost = 0;
        box_noise(&box, E), box_noise(&box, H);
        int32_t *all = calloc(box.mesh.K, sizeof *all);
        for (size_t e = 0; e < box.mesh.K; e++) all[e] = (int32_t)e;
        const double step = 0.95 * box_limit(&box, MX_LEAPFROG);
        struct drive drive = drive_new(mx_backends[b], &box, MX_LEAPFROG, MX_DOUBLE, step, E, H);
        for (int n = 0; n <= (SANITIZED ? 10 : 200); n++) {
          double power;
          drive_observe(&drive);
          const double energy = drive_energy(&drive);
          assert_int_equal(drive.ops->loss(drive.backend, box.mesh.K, all, &power, &err), 0);
          assert_true(energy > 0 && power >= 0);
          if (n == 0) first = energy;
          else if (energy > before + 1e-13 * first) fail_msg("the energy rises at step %d", n);
          /* what is lost between two steps is half a step's at both */
          if (n > 0 && alpha == 0) assert_true(fabs(before - energy - 0.5 * step * (lost + power)) < 1e-12 * first);
          before = energy, lost = power;
          drive_finish(&drive);
        }
        print_message("%g ohm/m, flux %d, %s: %.3g of the energy left\n", sigma_m[k], alpha, mx_backends[b]->name,
                      before / first);
        assert_true(SANITIZED || before < 0.999 * first);
        drive.ops->destroy(drive.backend);
        free(E), free(H), free(all);
        box_release(&box);
      }
}

/* The formulas: leapfrog's H begins with the energy of the field itself, whatever the losses. */
static void test_medium(void **state)
{
  (void)state;
  for (double x = 1e-9; x < 1e9; x *= 7) {
    const double mu = 3, step = 0.01;
    const struct mx_medium_update H =
        mx_medium_update(MX_LEAPFROG, MX_FARADAY, (struct mx_medium){mu, x * mu / step}, step);
    /* with no curl: the mean of H half a step before and behind is what was uploaded, and the energy that of it */
    const double before = H.start * (1 + H.back * H.loss), after = (1 - H.loss) * before;
    const double energy = H.inertia * before * after - H.lag * (after * after - before * before);
    assert_true(fabs(0.5 * (before + after) / H.start - 1) < 1e-13);
    assert_true(fabs(energy / mu - 1) < 1e-12);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_medium),
      cmocka_unit_test(test_energy),
      cmocka_unit_test(test_duality),
      cmocka_unit_test(test_no_reflection),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
