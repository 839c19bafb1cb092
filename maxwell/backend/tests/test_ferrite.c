/* Ferrites on all backends: orders in time against the equations of a magnetisation, energy and losses, the limit of
 * the step, a turned box, agreement, states that are saved and loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/response/ferrite.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"
#include "maxwell/tests/sanitized.h"

static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4};
enum { INTEGRATORS = 3 };

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

static bool takes(const struct mx_backend_ops *ops)
{
  struct dg_error err = {0};
  return ops->available(&err) == 0;
}

static void give(struct mx_material_config *material, const struct medium *medium, const double (*rows)[3])
{
  const double *b = medium->b;
  material->ferrite = (struct mx_ferrite_config){true, medium->w0 * MX_C0, medium->wm * MX_C0, medium->alpha, {0}};
  for (int i = 0; i < 3; i++)
    material->ferrite.direction[i] = rows != NULL ? rows[i][0] * b[0] + rows[i][1] * b[1] + rows[i][2] * b[2] : b[i];
}

/* A box of this size of two halves, turned by rows[3][3], or NULL; a medium that is NULL is vacuum. */
static void fill(struct box *box, double size, int order, double alpha, enum mx_boundary_kind walls,
                 const struct medium *first, const struct medium *second, const double (*rows)[3])
{
  static const int cells[3] = {2, 2, 2};
  const double sizes[3] = {size, size, size};
  const struct medium *medium[2] = {first, second};
  struct dg_error err = {0};
  box_random_state = 1;
  box_mesh(box, cells, sizes, 0.1, NULL);
  for (size_t i = 0; i < box->mesh.vertices && rows != NULL; i++) {
    double *x = box->mesh.vertex[i];
    const double old[3] = {x[0], x[1], x[2]};
    for (int k = 0; k < 3; k++) x[k] = rows[k][0] * old[0] + rows[k][1] * old[1] + rows[k][2] * old[2];
  }
  dg_geometry_release(&box->geometry);
  if (dg_geometry_init(&box->geometry, &box->mesh, &err) != 0) fail_msg("%s", err.message);
  for (int i = 0; i < 2; i++) {
    box_material(box, i + 1, 1, medium[i] ? medium[i]->mu : 1, 0);
    if (medium[i]) box->material[i].sigma_m.value = medium[i]->sigma_m * MX_ETA0;
    if (medium[i] && medium[i]->wm > 0) give(&box->material[i], medium[i], rows);
  }
  box_boundary(box, 0, walls, 0);
  box_problem(box, order, alpha);
}

/* ---- the medium in time */

static const double start[3] = {1, -2, 0.5};

static void uniform(const double x[3], double t, double value[3])
{
  (void)x, (void)t;
  memcpy(value, start, sizeof start);
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

static void relaxed(const struct medium *m, double T, double H[3])
{
  enum { STEPS = 4000 };
  double x[6] = {start[0], start[1], start[2]}, k[4][6], y[6];
  const double h = T / STEPS, at[4] = {0, 0.5, 0.5, 1};
  for (int n = 0; n < STEPS; n++) {
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < 6; i++) y[i] = x[i] + (s > 0 ? h * at[s] * k[s - 1][i] : 0);
      rates(m, y, k[s]);
    }
    for (int i = 0; i < 6; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
  memcpy(H, x, 3 * sizeof *H);
}

/* Between electric walls a uniform H stays uniform. The largest error of a component of H. */
static double error_of(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                       const double truth[3], double T, long steps)
{
  const size_t Np = (size_t)box->ref.Np;
  double *E = box_field(box), *H = box_field(box), error = 0;
  box_evaluate(box, uniform, 0, H);
  drive_run(ops, box, integrator, MX_DOUBLE, T / (double)steps, steps, E, H);
  for (size_t i = 0; i < 3 * Np * box->mesh.K; i++) error = fmax(error, fabs(H[i] - truth[i / Np % 3]));
  free(E), free(H);
  return error;
}

static void test_order_in_time(void **state)
{
  static const double expected[INTEGRATORS] = {2, 4, 4}, T = SANITIZED ? 0.25 : 4;
  const long steps = SANITIZED ? 4 : 64;
  (void)state;
  for (int m = 0; m < MEDIA; m++) {
    struct box box = {0};
    double truth[3];
    relaxed(&media[m], T, truth);
    fill(&box, 1000, 1, 1, MX_PEC, &media[m], &media[m], NULL); /* waves are slow there */
    for (int b = 0; mx_backends[b] != NULL; b++)
      for (int i = 0; i < INTEGRATORS && takes(mx_backends[b]); i++) {
        const double coarse = error_of(mx_backends[b], &box, integrators[i], truth, T, steps),
                     fine = error_of(mx_backends[b], &box, integrators[i], truth, T, 2 * steps);
        print_message("medium %d, %s %s: error %.3g, then %.3g: order %.2f\n", m, mx_backends[b]->name,
                      mx_integrator_names[integrators[i]], coarse, fine, log2(coarse / fine));
        assert_true(SANITIZED || (fabs(log2(coarse / fine) - expected[i]) < 0.35 && fine < 0.02));
      }
    box_release(&box);
  }
}

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

/* ---- the limit of the step */

/* Leapfrog's limit is that of mu alone, to the last bit, also where m turns many times in a step. */
static void test_limit(void **state)
{
  static const struct medium strong[] = {
      {1, 0, 20, 30, 0, {0, 0.6, 0.8}}, {1.5, 0.5, 200, 500, 0.1, {1, 0, 0}}, {2, 0, 3, 5, 0.02, {0, 0, 1}}};
  (void)state;
  for (size_t m = 0; m < sizeof strong / sizeof *strong; m++)
    for (int i = 0; i < INTEGRATORS; i++)
      for (int alpha = SANITIZED ? (int)m % 2 : 0; alpha < 2; alpha += SANITIZED ? 2 : 1) {
        const struct medium bare = {.mu = strong[m].mu, .sigma_m = strong[m].sigma_m};
        struct box box = {0}, plain = {0};
        double rise, unused;
        fill(&box, 1, 2, alpha, MX_PEC, NULL, &strong[m], NULL);
        fill(&plain, 1, 2, alpha, MX_PEC, NULL, &bare, NULL);
        const double limit = box_limit(&box, integrators[i]), of_mu = box_limit(&plain, integrators[i]),
                     kept =
                         drive_grown(&mx_backend_cpu, &box, integrators[i], 0.95 * limit, SANITIZED ? 10 : 400, &rise),
                     beyond = drive_grown(&mx_backend_cpu, &box, integrators[i], 0.95 * limit / 0.90,
                                          SANITIZED ? 10 : 800, &unused);
        print_message("medium %zu, %s, flux %d: limit %.4g (of mu %.4g), energy %.4g (largest rise %.3g), beyond "
                      "%.3g\n",
                      m, mx_integrator_names[integrators[i]], alpha, limit, of_mu, kept, rise, beyond);
        if (integrators[i] == MX_LEAPFROG) assert_true(limit == of_mu);
        assert_true(kept < 1 + 1e-11 && (alpha > 0 || rise < 1e-12));
        assert_true(SANITIZED || !(beyond < 1e4));
        box_release(&box), box_release(&plain);
      }
}

/* ---- backends */

static void noise_steps(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                        enum mx_precision precision, double step, long steps, const double (*rows)[3], double *E,
                        double *H)
{
  const size_t Np = (size_t)box->ref.Np;
  double *field[2] = {E, H};
  box_random_state = 5;
  box_noise(box, E), box_noise(box, H);
  for (int f = 0; f < 2 && rows != NULL; f++)
    for (size_t at = 0; at < 3 * Np * box->mesh.K; at++) {
      if (at / Np % 3 != 0) continue;
      double *u = field[f] + at;
      const double old[3] = {u[0], u[Np], u[2 * Np]};
      for (int k = 0; k < 3; k++) u[(size_t)k * Np] = rows[k][0] * old[0] + rows[k][1] * old[1] + rows[k][2] * old[2];
    }
  drive_run(ops, box, integrator, precision, step, steps, E, H);
}

static void test_a_turned_box_gives_turned_fields(void **state)
{
  const double c = cos(0.7), s = sin(0.7), d = cos(-1.1), t = sin(-1.1);
  const double rows[3][3] = {{c, -s * d, s * t}, {s, c * d, -c * t}, {0, t, d}};
  struct box box[2] = {{.problem = {0}}, {.problem = {0}}};
  double *E[2], *H[2];
  (void)state;
  for (int n = 0; n < 2; n++) {
    fill(&box[n], 1, 3, 1, MX_PEC, &media[1], &media[2], n == 1 ? rows : NULL);
    E[n] = box_field(&box[n]), H[n] = box_field(&box[n]);
  }
  const size_t Np = (size_t)box[0].ref.Np;
  for (int b = 0; mx_backends[b] != NULL; b++)
    for (int i = 0; i < INTEGRATORS && takes(mx_backends[b]); i++) {
      double worst = 0, largest = 0;
      noise_steps(mx_backends[b], &box[0], integrators[i], MX_DOUBLE, 0.01, SANITIZED ? 5 : 40, NULL, E[0], H[0]);
      noise_steps(mx_backends[b], &box[1], integrators[i], MX_DOUBLE, 0.01, SANITIZED ? 5 : 40, rows, E[1], H[1]);
      for (size_t at = 0; at < 3 * Np * box[0].mesh.K; at++) {
        const size_t k = at / Np % 3, first = at - k * Np;
        double turned = 0;
        for (size_t j = 0; j < 3; j++) turned += rows[k][j] * E[0][first + j * Np];
        worst = fmax(worst, fabs(turned - E[1][at]));
        largest = fmax(largest, fabs(E[1][at]));
      }
      print_message("%s %s: turned fields differ by %.3g\n", mx_backends[b]->name, mx_integrator_names[integrators[i]],
                    worst / largest);
      assert_true(worst < 1e-12 * largest);
    }
  for (int n = 0; n < 2; n++) free(E[n]), free(H[n]), box_release(&box[n]);
}

/* Half of the steps, then a second backend goes on from what the first one saved. */
static void interrupted(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                        double step, long steps, double *E, double *H)
{
  const struct mx_problem *problem = &box->problem;
  struct dg_error err = {0};
  double *value = calloc(3 * (size_t)box->ref.Np * problem->K * MX_RESPONSE_STATES, sizeof *value);
  box_random_state = 5;
  box_noise(box, E), box_noise(box, H);
  struct drive drive = drive_new(ops, box, integrator, MX_DOUBLE, step, E, H), other = drive;
  drive_steps(&drive, steps / 2);
  assert_int_equal(ops->create(&other.backend, problem, &drive.options, &err), 0);
  assert_int_equal(ops->upload(other.backend, NULL, NULL, &err), 0);
  for (int array = 0; array < (int)mx_state_arrays(problem); array++) {
    const struct mx_state_array of = mx_state_array(problem, integrator, (size_t)array);
    if (of.list == MX_STATE_OF_FACES) continue;
    assert_int_equal(ops->save(drive.backend, array, 0, of.items, value, &err), 0);
    assert_int_equal(ops->load(other.backend, array, 0, of.items, value, &err), 0);
  }
  assert_int_equal(ops->loaded(other.backend, &err), 0);
  drive_steps(&other, steps - steps / 2);
  drive_observe(&other);
  assert_int_equal(ops->download(other.backend, E, H, &err), 0);
  ops->destroy(drive.backend), ops->destroy(other.backend);
  free(value);
}

static void test_backends_agree(void **state)
{
  (void)state;
  for (int order = 1; order < 4; order++) {
    struct box box = {0};
    const long steps = SANITIZED ? 10 : order == 2 ? 1000 : 100;
    fill(&box, 1, order, order % 2, MX_PEC, &media[1], order == 3 ? NULL : &media[2], NULL);
    double *E = box_field(&box), *H = box_field(&box), *u = box_field(&box), *v = box_field(&box);
    const size_t bytes = 3 * (size_t)box.ref.Np * box.mesh.K * sizeof(double);
    for (int i = 0; i < INTEGRATORS; i++) {
      const double step = 0.2 * box_limit(&box, MX_LEAPFROG);
      noise_steps(&mx_backend_reference, &box, integrators[i], MX_DOUBLE, step, steps, NULL, E, H);
      const double size = sqrt(box_product(&box, NULL, E, E) + box_product(&box, NULL, H, H));
      for (int b = 0; mx_backends[b] != NULL; b++) {
        if (!takes(mx_backends[b])) continue;
        for (int single = 1; single >= 0; single--) {
          noise_steps(mx_backends[b], &box, integrators[i], (enum mx_precision)single, step, steps, NULL, u, v);
          const double apart = box_distance(&box, E, u) + box_distance(&box, H, v);
          assert_true(apart < (single ? 1e-3 : 1e-12) * size);
        }
        double *x = box_field(&box), *y = box_field(&box);
        interrupted(mx_backends[b], &box, integrators[i], step, steps, x, y);
        assert_memory_equal(x, u, bytes);
        assert_memory_equal(y, v, bytes);
        free(x), free(y);
      }
    }
    free(E), free(H), free(u), free(v);
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
