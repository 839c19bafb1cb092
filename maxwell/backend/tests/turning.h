/* What test_gyrotropic and test_ferrite have in common: media in which a vector turns about a static field. Orders in
 * time against the medium's own equations, the limit of the step, a turned box, agreement, states that are saved and
 * loaded. Behind cmocka.h, and behind what an includer has:
 *
 *   struct medium, media[MEDIA]; strong[STRONG]: where the vector turns many times in a step
 *   FIELD  the field that the medium answers, 0: E, 1: H; quiet_walls: between which it stays uniform
 *   RATES  numbers in the equations of a uniform field, the field first; rates(medium, x, rate)
 *   put(box, i, medium, rows)  medium, or vacuum for NULL, into material i, turned by rows[3][3] unless NULL
 *   bare_of(medium)            the medium without the vector */
#pragma once

#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"

static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4};
enum { INTEGRATORS = 3 };

static bool takes(const struct mx_backend_ops *ops)
{
  struct dg_error err = {0};
  return ops->available(&err) == 0;
}

/* A box of this size of two halves, turned by rows[3][3], or NULL; a medium that is NULL is vacuum. */
static void fill(struct box *box, double size, int order, double alpha, enum mx_boundary_kind walls,
                 const struct medium *first, const struct medium *second, const double (*rows)[3])
{
  static const int cells[3] = {2, 2, 2};
  const double sizes[3] = {size, size, size};
  const struct medium *medium[2] = {first, second};
  box_random_state = 1;
  box_mesh(box, cells, sizes, 0.1, NULL);
  if (rows != NULL) box_turn(box, rows);
  for (int i = 0; i < 2; i++) put(box, i, medium[i], rows);
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

static void relaxed(const struct medium *m, double T, double field[3])
{
  enum { STEPS = 4000 };
  double x[RATES] = {start[0], start[1], start[2]}, k[4][RATES], y[RATES];
  const double h = T / STEPS, at[4] = {0, 0.5, 0.5, 1};
  for (int n = 0; n < STEPS; n++) {
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < RATES; i++) y[i] = x[i] + (s > 0 ? h * at[s] * k[s - 1][i] : 0);
      rates(m, y, k[s]);
    }
    for (int i = 0; i < RATES; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
  memcpy(field, x, 3 * sizeof *field);
}

/* Between these walls a uniform field stays uniform. The largest error of a component. */
static double error_of(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                       const double truth[3], double T, long steps)
{
  const size_t Np = (size_t)box->ref.Np;
  double *field[2] = {box_field(box), box_field(box)}, error = 0;
  box_evaluate(box, uniform, 0, field[FIELD]);
  drive_run(ops, box, integrator, MX_DOUBLE, T / (double)steps, steps, field[0], field[1]);
  for (size_t i = 0; i < 3 * Np * box->mesh.K; i++) error = fmax(error, fabs(field[FIELD][i] - truth[i / Np % 3]));
  free(field[0]), free(field[1]);
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
    fill(&box, 1000, 1, 1, quiet_walls, &media[m], &media[m], NULL); /* waves are slow there */
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

/* ---- the limit of the step */

/* Leapfrog's limit is that of the medium alone, to the last bit, also where the vector turns many times in a step. */
static void test_limit(void **state)
{
  (void)state;
  for (size_t m = 0; m < STRONG; m++)
    for (int i = 0; i < INTEGRATORS; i++)
      for (int alpha = SANITIZED ? (int)m % 2 : 0; alpha < 2; alpha += SANITIZED ? 2 : 1) {
        const struct medium bare = bare_of(&strong[m]);
        struct box box = {0}, plain = {0};
        double rise, unused;
        fill(&box, 1, 2, alpha, MX_PEC, NULL, &strong[m], NULL);
        fill(&plain, 1, 2, alpha, MX_PEC, NULL, &bare, NULL);
        const double limit = box_limit(&box, integrators[i]), of_bare = box_limit(&plain, integrators[i]),
                     kept =
                         drive_grown(&mx_backend_cpu, &box, integrators[i], 0.95 * limit, SANITIZED ? 10 : 400, &rise),
                     beyond = drive_grown(&mx_backend_cpu, &box, integrators[i], 0.95 * limit / 0.90,
                                          SANITIZED ? 10 : 800, &unused);
        print_message(
            "medium %zu, %s, flux %d: limit %.4g (of the medium alone %.4g), energy %.4g (largest rise %.3g), beyond "
            "%.3g\n",
            m, mx_integrator_names[integrators[i]], alpha, limit, of_bare, kept, rise, beyond);
        if (integrators[i] == MX_LEAPFROG) assert_true(limit == of_bare);
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
  box_random_state = 5;
  box_noise(box, E), box_noise(box, H);
  if (rows != NULL) box_turn_field(box, rows, E), box_turn_field(box, rows, H);
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
