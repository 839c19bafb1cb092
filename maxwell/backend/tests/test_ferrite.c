/* Ferrites on all backends: orders in time against the equations of a magnetisation, energy and losses, the limit of
 * the step, a turned box, agreement, states that are saved and loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/response/ferrite.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/sanitized.h"

/* In powers of 1/m. */
struct medium {
  double mu, sigma_m, w0, wm, alpha, b[3];
};

static const struct medium media[] = {
    {1, 0, 1.5, 2, 0, {0, 0, 1}},
    {1.5, 0, 2, 1.2, 0.1, {0.6, 0, -0.8}},
    {2, 0.2, 1, 3, 0.3, {-2 / 3.0, 1 / 3.0, 2 / 3.0}},
};
enum { MEDIA = sizeof media / sizeof *media };
/* m turns many times in a step. */
static const struct medium strong[] = {
    {1, 0, 20, 30, 0, {0, 0.6, 0.8}}, {1.5, 0.5, 200, 500, 0.1, {1, 0, 0}}, {2, 0, 3, 5, 0.02, {0, 0, 1}}};
enum { STRONG = sizeof strong / sizeof *strong, FIELD = 1, RATES = 6 };
static const enum mx_boundary_kind quiet_walls = MX_PEC;

static void give(struct mx_material_config *material, const struct medium *medium, const double (*rows)[3])
{
  const double *b = medium->b;
  material->ferrite = (struct mx_ferrite_config){true, medium->w0 * MX_C0, medium->wm * MX_C0, medium->alpha, {0}};
  for (int i = 0; i < 3; i++)
    material->ferrite.direction[i] = rows != NULL ? rows[i][0] * b[0] + rows[i][1] * b[1] + rows[i][2] * b[2] : b[i];
}

static void put(struct box *box, int i, const struct medium *medium, const double (*rows)[3])
{
  box_material(box, i + 1, 1, medium ? medium->mu : 1, 0);
  if (medium) box->material[i].sigma_m.value = medium->sigma_m * MX_ETA0;
  if (medium && medium->wm > 0) give(&box->material[i], medium, rows);
}

static struct medium bare_of(const struct medium *medium)
{
  return (struct medium){.mu = medium->mu, .sigma_m = medium->sigma_m};
}

/* Rates of H and M of a uniform field, x[6]; n = B v + alpha B n is solved by rounds. */
static void rates(const struct medium *m, const double *x, double *rate)
{
  double n[3] = {0};
  for (int round = 0; round < 60; round++) {
    double v[3];
    for (int i = 0; i < 3; i++) v[i] = m->w0 * x[3 + i] - m->wm * x[i] + m->alpha * n[i];
    for (int i = 0; i < 3; i++) {
      const int a = (i + 1) % 3, b = (i + 2) % 3;
      n[i] = m->b[a] * v[b] - m->b[b] * v[a];
    }
  }
  for (int i = 0; i < 3; i++) {
    rate[i] = -(m->sigma_m * x[i] + n[i]) / m->mu;
    rate[3 + i] = n[i];
  }
}

#include "maxwell/backend/tests/turning.h"

/* Energy at the start is 1/2 mu H.H but for leapfrog's error of a step, as m is zero. What is gone is what was lost:
 * with leapfrog to rounding. Runge-Kutta does not know what damping takes, and its energy only falls. */
static void test_energy_and_loss(void **state)
{
  (void)state;
  for (int m = 0; m < MEDIA; m++) {
    struct box box = {0};
    fill(&box, 100, 1, 1, MX_PEC, &media[m], &media[m], NULL);
    int32_t *element = calloc(box.mesh.K, sizeof *element);
    double *E = box_field(&box), *H = box_field(&box);
    for (size_t e = 0; e < box.mesh.K; e++) element[e] = (int32_t)e;
    box_evaluate(&box, uniform, 0, H);
    const double first = 0.5 * media[m].mu * 5.25 * 1e6;
    for (int b = 0; mx_backends[b] != NULL; b++)
      for (int i = 0; i < INTEGRATORS && takes(mx_backends[b]); i++) {
        struct dg_error err = {0};
        const double step = 0.01;
        const int last = SANITIZED ? 10 : 400;
        struct drive drive = drive_new(mx_backends[b], &box, integrators[i], MX_DOUBLE, step, E, H);
        double lost = 0, power = 0, energy = 0, start_energy = 0;
        for (int n = 0; n <= last; n++) {
          drive_observe(&drive);
          energy = drive_energy(&drive);
          assert_int_equal(mx_backends[b]->loss(drive.backend, box.mesh.K, element, &power, &err), 0);
          lost += step * power * (n == 0 || n == last ? 0.5 : 1);
          if (n == 0) start_energy = energy;
          drive_finish(&drive);
        }
        print_message("medium %d, %s %s: energy %.10g of 1, lost %.6g\n", m, mx_backends[b]->name,
                      mx_integrator_names[integrators[i]], energy / first, lost / first);
        const bool exact = integrators[i] == MX_LEAPFROG;
        assert_true(fabs(start_energy / first - 1) < (exact ? 1e-3 : 1e-12));
        if (m == 0) assert_true(lost == 0);
        if (exact) assert_true(fabs((energy + lost) / start_energy - 1) < 1e-12);
        else assert_true(m == 0 ? fabs(energy / first - 1) < 1e-7 : energy + lost < first * (SANITIZED ? 1 : 0.95));
        assert_true(m == 0 || SANITIZED || energy < 0.9 * first);
        mx_backends[b]->destroy(drive.backend);
      }
    free(element), free(E), free(H);
    box_release(&box);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_in_time),  cmocka_unit_test(test_energy_and_loss),
      cmocka_unit_test(test_limit),          cmocka_unit_test(test_a_turned_box_gives_turned_fields),
      cmocka_unit_test(test_backends_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
