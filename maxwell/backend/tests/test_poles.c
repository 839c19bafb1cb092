/* Media with several poles, on all backends that run here: orders in time against the equations of the medium as a user
 * names it, energies and losses, the limit of the step, random mixtures over many steps, and backends that agree where
 * media with different numbers of states lie side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"
#include "maxwell/tests/sanitized.h"

static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4};
enum { INTEGRATORS = 3, TERMS = 4 };

/* A term of a medium as a user names it, lengths in metres. */
enum term_kind { NONE, DEBYE, DRUDE, LORENTZ, PAIR };
struct term {
  enum term_kind kind;
  double a, b, c, d; /* Debye: delta, tau; Drude: wp, gamma; Lorentz: delta, w0, gamma; pair: b1, b0, g, w0^2 */
};
struct medium {
  double epsilon, sigma; /* 1/m */
  struct term term[TERMS];
  double mu, sigma_m; /* mu 0: 1 */
  struct term of_mu[TERMS];
};

#define ELECTRIC(eps, sig, ...)                                                                                        \
  {                                                                                                                    \
    .epsilon = (eps), .sigma = (sig), .term = __VA_ARGS__                                                              \
  }

/* The medium with E and H exchanged. */
static struct medium dual(const struct medium *medium)
{
  struct medium other = {.epsilon = medium->mu > 0 ? medium->mu : 1,
                         .sigma = medium->sigma_m,
                         .mu = medium->epsilon,
                         .sigma_m = medium->sigma};
  memcpy(other.term, medium->of_mu, sizeof other.term);
  memcpy(other.of_mu, medium->term, sizeof other.of_mu);
  return other;
}

static void put_terms(struct mx_poles_config *poles, const struct term term[TERMS])
{
  const double c = MX_C0;
  for (const struct term *t = term; t < term + TERMS; t++) {
    struct mx_pole_config pole = {0};
    if (t->kind == NONE) continue;
    if (t->kind == DEBYE) pole = (struct mx_pole_config){MX_POLE_IS_REAL, {t->a / t->b * c, -1 / t->b * c}};
    if (t->kind == DRUDE) pole = (struct mx_pole_config){MX_POLE_IS_DRUDE, {t->a * t->a * c * c, t->b * c}};
    if (t->kind == LORENTZ)
      pole = (struct mx_pole_config){MX_POLE_IS_PAIR, {0, t->a * t->b * t->b * c * c, t->c * c, t->b * t->b * c * c}};
    if (t->kind == PAIR)
      pole = (struct mx_pole_config){MX_POLE_IS_PAIR, {t->a * c, t->b * c * c, t->c * c, t->d * c * c}};
    poles->pole[poles->count++] = pole;
  }
}

/* A box of this size of two halves; NULL: vacuum. */
static void fill(struct box *box, double size, int order, double alpha, enum mx_boundary_kind walls,
                 const struct medium *first, const struct medium *second)
{
  static const int cells[3] = {2, 2, 2};
  const double sizes[3] = {size, size, size};
  const struct medium *medium[2] = {first, second};
  box_random_state = 1;
  box_mesh(box, cells, sizes, 0.1, NULL);
  for (int i = 0; i < 2; i++) {
    const struct medium *m = medium[i];
    box_material(box, i + 1, m ? m->epsilon : 1, m && m->mu > 0 ? m->mu : 1, m ? m->sigma / MX_ETA0 : 0);
    if (m == NULL) continue;
    box->material[i].sigma_m.value = m->sigma_m * MX_ETA0;
    put_terms(&box->material[i].poles[0], m->term);
    put_terms(&box->material[i].poles[1], m->of_mu);
  }
  box_boundary(box, 0, walls, 0);
  box_problem(box, order, alpha);
}

/* ---- the medium in time, from its equations */

/* Rates of E and of two numbers a term, x: a uniform field has no curl. */
static void rates(const struct medium *m, const double *x, double *rate)
{
  double current = m->sigma * x[0];
  for (int i = 0; i < TERMS; i++) {
    const struct term *t = &m->term[i];
    const double P = x[1 + 2 * i], v = x[2 + 2 * i];
    double *dP = &rate[1 + 2 * i], *dv = &rate[2 + 2 * i];
    *dP = *dv = 0;
    if (t->kind == DEBYE) *dP = (t->a * x[0] - P) / t->b;
    if (t->kind == DRUDE) *dP = v, *dv = t->a * t->a * x[0] - t->b * v;
    if (t->kind == LORENTZ) *dP = v, *dv = t->b * t->b * (t->a * x[0] - P) - t->c * v;
    /* P'' + g P' + w0^2 P = b1 E' + b0 E with v = P' - b1 E */
    if (t->kind == PAIR) *dP = v + t->a * x[0], *dv = t->b * x[0] - t->c * *dP - t->d * P;
    current += *dP;
  }
  rate[0] = -current / m->epsilon;
}

/* E at time T, from E = 1 and a medium at rest. */
static double relaxed(const struct medium *m, double T)
{
  enum { N = 1 + 2 * TERMS, STEPS = 20000 };
  double x[N] = {1}, k[4][N], y[N];
  const double h = T / STEPS, at[4] = {0, 0.5, 0.5, 1};
  for (int n = 0; n < STEPS; n++) {
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < N; i++) y[i] = x[i] + (s > 0 ? h * at[s] * k[s - 1][i] : 0);
      rates(m, y, k[s]);
    }
    for (int i = 0; i < N; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
  return x[0];
}

static const struct medium mixtures[] = {
    ELECTRIC(1.8, 0, {{DEBYE, 3, 2, 0, 0}, {DEBYE, 10, 20, 0, 0}}),
    ELECTRIC(2, 0.05, {{DRUDE, 2, 0.3, 0, 0}}),
    ELECTRIC(1.5, 0, {{LORENTZ, 1.25, 3, 0.2, 0}}),
    ELECTRIC(1, 0.1, {{DRUDE, 1.5, 0.2, 0, 0}, {LORENTZ, 2, 1, 0.1, 0}, {DEBYE, 4, 3, 0, 0}, {LORENTZ, 0.5, 4, 1, 0}}),
    ELECTRIC(3, 0, {{PAIR, 0.5, 9, 0.8, 4}, {DRUDE, 1, 0, 0, 0}}),
    /* a pair that amplifies by itself, which a Drude pole, and then a conductivity, makes up for */
    ELECTRIC(2, 0, {{PAIR, 1, 1, 0.5, 4}, {DRUDE, 3, 2, 0, 0}}),
    ELECTRIC(1.5, 1, {{PAIR, 1, 1, 0.5, 4}}),
};
enum { MIXTURES = sizeof mixtures / sizeof *mixtures };

static void uniform(const double x[3], double t, double value[3])
{
  (void)x, (void)t;
  value[0] = 1, value[1] = -2, value[2] = 0.5;
}

/* Between magnetic walls a uniform E stays uniform, and so does a uniform H between electric ones (of: 0 and 1). The
 * largest error of the field over its size. */
static double error_of(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator, int of,
                       double truth, double T, long steps)
{
  double *E = box_field(box), *H = box_field(box), error = 0;
  const double *field = of == 0 ? E : H;
  box_evaluate(box, uniform, 0, of == 0 ? E : H);
  struct drive drive = drive_new(ops, box, integrator, MX_DOUBLE, T / (double)steps, E, H);
  struct dg_error err = {0};
  drive_steps(&drive, steps);
  drive_observe(&drive);
  assert_int_equal(ops->download(drive.backend, E, H, &err), 0);
  for (size_t e = 0; e < box->mesh.K; e++)
    for (size_t i = 0; i < (size_t)box->ref.Np; i++)
      error = fmax(error, fabs(field[(3 * e + 1) * (size_t)box->ref.Np + i] / -2 - truth));
  ops->destroy(drive.backend);
  free(E), free(H);
  return error;
}

static void test_order_in_time(void **state)
{
  static const double expected[INTEGRATORS] = {2, 4, 4}, T = SANITIZED ? 0.25 : 4;
  const long steps = SANITIZED ? 4 : 64;
  (void)state;
  for (size_t k = 0; k < 2 * MIXTURES; k++) {
    const size_t m = k / 2;
    const int of = (int)(k % 2);
    struct box box = {0};
    const double truth = relaxed(&mixtures[m], T);
    const struct medium medium = of == 0 ? mixtures[m] : dual(&mixtures[m]);
    fill(&box, 1000, 1, 1, of == 0 ? MX_PMC : MX_PEC, &medium, &medium); /* waves are slow there */
    for (int b = 0; mx_backends[b] != NULL; b++) {
      struct dg_error err = {0};
      if (mx_backends[b]->available(&err) != 0) continue;
      for (int i = 0; i < INTEGRATORS; i++) {
        const double coarse = error_of(mx_backends[b], &box, integrators[i], of, truth, T, steps),
                     fine = error_of(mx_backends[b], &box, integrators[i], of, truth, T, 2 * steps);
        print_message("mixture %zu of %c, %s %s: error %.3g, then %.3g: order %.2f\n", m, "EH"[of],
                      mx_backends[b] -> name, mx_integrator_names[integrators[i]], coarse, fine, log2(coarse / fine));
        assert_true(SANITIZED || (fabs(log2(coarse / fine) - expected[i]) < 0.35 && fine < 0.01));
      }
    }
    box_release(&box);
  }
}

/* Energy at the start is 1/2 eps E.E, as the medium is at rest (leapfrog's H, half a step away: to second order); what
 * is gone is what was lost. */
static void test_energy_and_loss(void **state)
{
  (void)state;
  for (size_t k = 0; k < 2 * MIXTURES; k++) {
    const size_t m = k / 2;
    const int of = (int)(k % 2);
    struct box box = {0};
    const struct medium medium = of == 0 ? mixtures[m] : dual(&mixtures[m]);
    fill(&box, 100, 1, 1, of == 0 ? MX_PMC : MX_PEC, &medium, &medium);
    int32_t *element = calloc(box.mesh.K, sizeof *element);
    double *E = box_field(&box), *H = box_field(&box);
    for (size_t e = 0; e < box.mesh.K; e++) element[e] = (int32_t)e;
    box_evaluate(&box, uniform, 0, of == 0 ? E : H);
    const double first = 0.5 * mixtures[m].epsilon * 5.25 * 1e6;
    for (int b = 0; mx_backends[b] != NULL; b++) {
      struct dg_error err = {0};
      if (mx_backends[b]->available(&err) != 0) continue;
      for (int i = 0; i < INTEGRATORS; i++) {
        const double step = 0.01;
        const int last = SANITIZED ? 10 : 400;
        struct drive drive = drive_new(mx_backends[b], &box, integrators[i], MX_DOUBLE, step, E, H);
        double lost = 0, power = 0, energy = 0;
        for (int n = 0; n <= last; n++) {
          drive_observe(&drive);
          energy = drive_energy(&drive);
          assert_int_equal(mx_backends[b]->loss(drive.backend, box.mesh.K, element, &power, &err), 0);
          lost += step * power * (n == 0 || n == last ? 0.5 : 1);
          if (n == 0) assert_true(fabs(energy / first - 1) < (of == 1 && mx_staggered(integrators[i]) ? 1e-3 : 1e-6));
          drive_finish(&drive);
        }
        print_message("mixture %zu of %c, %s %s: energy %.6g of 1, lost %.6g\n", m, "EH"[of], mx_backends[b] -> name,
                      mx_integrator_names[integrators[i]], energy / first, lost / first);
        assert_true((SANITIZED || energy < 0.9 * first) && fabs((energy + lost) / first - 1) < 1e-3);
        mx_backends[b]->destroy(drive.backend);
      }
    }
    free(element), free(E), free(H);
    box_release(&box);
  }
}

/* ---- the limit of the step */

/* Leapfrog takes the penalty of the old field, so that with the upwind flux what falls in every step is the energy less
 * h/4 <D E, E> (share/doc/design/time.md, "Energy balance"); a plasma that turns within a step shows the difference. */
static bool falls(double kept, double rise, int alpha) { return kept < 1 && (alpha > 0 || rise < 1e-12); }

/* From slow poles to those that turn many times in a step. Leapfrog's limit is that of epsilon_r alone, to the last
 * bit: a scheme that takes the current at half steps would want h < 2/sqrt(w_max^2 + wp^2/eps) instead, a thirtieth of
 * it for the last plasma. The automatic step, 0.95 of the limit, is at least 0.90 of the one from which on fields grow.
 */
static void test_limit(void **state)
{
  static const struct medium media[] = {
      ELECTRIC(1, 0, {{DRUDE, 30, 1, 0, 0}}),
      ELECTRIC(2, 0.5, {{LORENTZ, 4, 20, 3, 0}, {DEBYE, 3, 0.01, 0, 0}}),
      ELECTRIC(1.5, 0, {{DRUDE, 1000, 3, 0, 0}, {LORENTZ, 2, 300, 0, 0}}),
      ELECTRIC(2, 0, {{PAIR, 10, 100, 5, 400}, {DRUDE, 30, 20, 0, 0}}),
      {.epsilon = 2, .mu = 1.5, .of_mu = {{DRUDE, 100, 3, 0, 0}, {LORENTZ, 2, 30, 0, 0}}},
      {2, 0, {{DRUDE, 30, 1, 0, 0}}, 1, 0.5, {{LORENTZ, 4, 20, 3, 0}}}};
  (void)state;
  for (size_t m = 0; m < sizeof media / sizeof *media; m++)
    for (int i = 0; i < INTEGRATORS; i++)
      for (int alpha = SANITIZED ? (int)m % 2 : 0; alpha < 2; alpha += SANITIZED ? 2 : 1) {
        const struct medium bare = {
            .epsilon = media[m].epsilon, .sigma = media[m].sigma, .mu = media[m].mu, .sigma_m = media[m].sigma_m};
        struct box box = {0}, plain = {0};
        double rise, unused;
        fill(&box, 1, 2, alpha, MX_PEC, NULL, &media[m]);
        fill(&plain, 1, 2, alpha, MX_PEC, NULL, &bare);
        const double limit = box_limit(&box, integrators[i]), of_epsilon = box_limit(&plain, integrators[i]),
                     kept =
                         drive_grown(&mx_backend_cpu, &box, integrators[i], 0.95 * limit, SANITIZED ? 10 : 200, &rise),
                     beyond = drive_grown(&mx_backend_cpu, &box, integrators[i], 0.95 * limit / 0.90,
                                          SANITIZED ? 10 : 600, &unused);
        print_message(
            "medium %zu, %s, flux %d: limit %.4g (of epsilon_r %.4g), energy %.3g (largest rise %.3g), beyond "
            "%.3g\n",
            m, mx_integrator_names[integrators[i]], alpha, limit, of_epsilon, kept, rise, beyond);
        if (integrators[i] == MX_LEAPFROG) assert_true(limit == of_epsilon);
        assert_true(falls(kept, rise, alpha));
        assert_true(SANITIZED || !(beyond < 1e4));
        box_release(&box), box_release(&plain);
      }
}

static double uniform_number(double low, double high)
{
  box_random_state = box_random_state * 6364136223846793005ull + 1442695040888963407ull;
  return low + (high - low) * (double)(box_random_state >> 11) / 9007199254740992.0;
}

static int random_terms(struct term term[TERMS])
{
  const int terms = 1 + (int)uniform_number(0, TERMS);
  for (int i = 0; i < terms; i++) {
    const double w = pow(10, uniform_number(-1, 3)), g = w * uniform_number(0.01, 3), b1 = w * uniform_number(0, 2);
    const struct term all[] = {{DEBYE, uniform_number(0.1, 9), 1 / w, 0, 0},
                               {DRUDE, w, g, 0, 0},
                               {LORENTZ, uniform_number(0.1, 9), w, g, 0},
                               {PAIR, b1, b1 * w * w / g * uniform_number(1, 2), g, w * w}};
    term[i] = all[(int)uniform_number(0, 4)];
  }
  return terms;
}

/* Random mixtures, whose poles lie around the rates that the mesh resolves and far beyond them: energy never rises. The
 * program takes a number of steps and the integrator (0 leapfrog, 1 lsrk, 2 rk4), for long runs with both fluxes by
 * hand: test_poles 200000 1. */
static void random_mixtures(enum mx_integrator integrator, int from, long steps)
{
  for (int run = from; run < from + 20; run++) {
    const int trial = run % 20, alpha = (run + run / 20) % 2; /* from 20 on with the other flux */
    struct medium medium = {.epsilon = 1};
    struct box box = {0};
    double rise;
    box_random_state = 100 + (unsigned)trial;
    medium.epsilon = uniform_number(1, 4);
    medium.sigma = trial % 3 ? 0 : uniform_number(0, 3);
    int terms = random_terms(medium.term);
    if (trial % 5 >= 2) {
      medium.mu = uniform_number(1, 4);
      medium.sigma_m = trial % 4 ? 0 : uniform_number(0, 3);
      if (trial % 5 == 2) memset(medium.term, 0, sizeof medium.term), terms = 0;
      terms += random_terms(medium.of_mu);
    }
    fill(&box, 1, 2, alpha, MX_PEC, trial % 4 < 2 ? NULL : &medium, &medium);
    const double kept = drive_grown_far(&mx_backend_cpu, &box, integrator, 0.99 * box_limit(&box, integrator), steps,
                                        steps > 1000 ? steps / 200 : 1, &rise);
    print_message("mixture %d, flux %d, %d terms: energy %.3g, largest rise %.3g\n", trial, alpha, terms, kept, rise);
    assert_true(falls(kept, rise, alpha));
    box_release(&box);
  }
}

static void test_random_mixtures(void **state)
{
  (void)state;
  random_mixtures(MX_LEAPFROG, 0, SANITIZED ? 20 : 1000);
}

/* The same fields, with E and H exchanged: (E, H, eps, mu) and (H, -E, mu, eps) obey the same equations. Leapfrog has
 * them half a step apart, and is left out. */
static void test_duality(void **state)
{
  static const struct medium media[2] = {
      {1.5, 0.3, {{LORENTZ, 3, 6, 1, 0}, {DEBYE, 3, 1, 0, 0}}, 2, 0.1, {{DRUDE, 4, 1, 0, 0}}},
      ELECTRIC(2, 0, {{PAIR, 0.5, 9, 0.8, 4}, {DRUDE, 3, 1, 0, 0}})};
  const struct medium other[2] = {dual(&media[0]), dual(&media[1])};
  (void)state;
  for (int i = 1; i < INTEGRATORS; i++) {
    struct box box = {0}, twin = {0};
    fill(&box, 1, 2, i - 1, MX_PEC, &media[0], &media[1]);
    fill(&twin, 1, 2, i - 1, MX_PMC, &other[0], &other[1]);
    double *E = box_field(&box), *H = box_field(&box), *dual_E = box_field(&box), *dual_H = box_field(&box);
    const size_t numbers = 3 * (size_t)box.ref.Np * box.mesh.K;
    const double step = 0.9 * box_limit(&box, integrators[i]);
    assert_true(fabs(box_limit(&twin, integrators[i]) / box_limit(&box, integrators[i]) - 1) < 0.01);
    box_random_state = 5;
    box_noise(&box, E), box_noise(&box, H);
    for (size_t k = 0; k < numbers; k++) dual_E[k] = H[k], dual_H[k] = -E[k];
    drive_run(&mx_backend_cpu, &box, integrators[i], MX_DOUBLE, step, SANITIZED ? 10 : 100, E, H);
    drive_run(&mx_backend_cpu, &twin, integrators[i], MX_DOUBLE, step, SANITIZED ? 10 : 100, dual_E, dual_H);
    for (size_t k = 0; k < numbers; k++) dual_H[k] = -dual_H[k];
    const double size = sqrt(box_product(&box, NULL, E, E) + box_product(&box, NULL, H, H));
    const double off = box_distance(&box, E, dual_H) + box_distance(&box, H, dual_E);
    print_message("%s: dual fields differ by %.3g\n", mx_integrator_names[integrators[i]], off / size);
    assert_true(size > 0 && off < 1e-12 * size);
    free(E), free(H), free(dual_E), free(dual_H);
    box_release(&box), box_release(&twin);
  }
}

/* ---- backends */

struct outcome {
  double *E, *H, energy, loss;
};

/* The state of every array, saved after some steps and loaded into another backend, goes on with the same bits. */
static void continue_from(const struct mx_backend_ops *ops, const struct box *box, struct drive *drive)
{
  const struct mx_problem *problem = &box->problem;
  struct drive other = *drive;
  struct dg_error err = {0};
  double *value = calloc(3 * (size_t)box->ref.Np * problem->K * MX_POLE_STATES, sizeof *value);
  assert_int_equal(ops->create(&other.backend, problem, &drive->options, &err), 0);
  assert_int_equal(ops->upload(other.backend, NULL, NULL, &err), 0);
  for (int array = 0; array < (int)mx_state_arrays(problem); array++) {
    const struct mx_state_array of = mx_state_array(problem, MX_LEAPFROG, (size_t)array);
    if (of.list == MX_STATE_OF_FACES) continue;
    assert_int_equal(ops->save(drive->backend, array, 0, of.items, value, &err), 0);
    assert_int_equal(ops->load(other.backend, array, 0, of.items, value, &err), 0);
  }
  assert_int_equal(ops->loaded(other.backend, &err), 0);
  free(value);
  ops->destroy(drive->backend);
  *drive = other;
}

static void ten_steps(struct outcome *outcome, const struct mx_backend_ops *ops, const struct box *box,
                      enum mx_integrator integrator, enum mx_precision precision, double step, bool stops)
{
  int32_t element[2] = {0, 0}; /* one of each medium */
  for (size_t e = 0; e < box->mesh.K; e++) element[box->assignment.material[e]] = (int32_t)e;
  struct dg_error err = {0};
  outcome->E = box_field(box), outcome->H = box_field(box);
  box_random_state = 5;
  box_noise(box, outcome->E), box_noise(box, outcome->H);
  struct drive drive = drive_new(ops, box, integrator, precision, step, outcome->E, outcome->H);
  drive_steps(&drive, 5);
  if (stops) continue_from(ops, box, &drive);
  drive_steps(&drive, 5);
  drive_observe(&drive);
  outcome->energy = drive_energy(&drive);
  assert_int_equal(ops->loss(drive.backend, 2, element, &outcome->loss, &err), 0);
  assert_int_equal(ops->download(drive.backend, outcome->E, outcome->H, &err), 0);
  ops->destroy(drive.backend);
}

static void test_backends_agree(void **state)
{
  static const struct medium sets[][2] = {
      {ELECTRIC(1.8, 0.3, {{DRUDE, 5, 1, 0, 0}}), ELECTRIC(2, 0, {{LORENTZ, 3, 6, 1, 0}})},
      {ELECTRIC(1, 0, {{LORENTZ, 3, 6, 1, 0}, {DEBYE, 3, 1, 0, 0}}),
       ELECTRIC(2, 1, {{LORENTZ, 3, 6, 1, 0}, {LORENTZ, 3, 2, 1, 0}})},
      {ELECTRIC(1, 0, {{LORENTZ, 3, 6, 1, 0}, {LORENTZ, 3, 7, 1, 0}, {DRUDE, 3, 1, 0, 0}, {DEBYE, 2, 2, 0, 0}}),
       ELECTRIC(2, 1, {{LORENTZ, 3, 6, 1, 0}, {LORENTZ, 3, 2, 1, 0}, {PAIR, 0.5, 9, 0.8, 4}, {DEBYE, 2, 2, 0, 0}})},
      {{1.8, 0.3, {{DRUDE, 5, 1, 0, 0}}, 1.5, 0, {{LORENTZ, 3, 6, 1, 0}, {DEBYE, 3, 1, 0, 0}}},
       {.epsilon = 1, .mu = 2, .sigma_m = 1, .of_mu = {{LORENTZ, 3, 6, 1, 0}, {DRUDE, 4, 1, 0, 0}}}}};
  (void)state;
  for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
    struct box box = {0};
    fill(&box, 1, 1 + (int)set % 3, 1, MX_PEC, &sets[set][0], &sets[set][1]);
    assert_int_equal(box.problem.responses, 2);
    const size_t bytes = 3 * (size_t)box.ref.Np * box.mesh.K * sizeof(double);
    for (int i = 0; i < INTEGRATORS; i++) {
      const double step = 0.9 * box_limit(&box, integrators[i]);
      struct outcome truth, whole, parts;
      ten_steps(&truth, &mx_backend_reference, &box, integrators[i], MX_DOUBLE, step, false);
      const double size = sqrt(box_product(&box, NULL, truth.E, truth.E) + box_product(&box, NULL, truth.H, truth.H));
      for (int b = 0; mx_backends[b] != NULL; b++)
        for (int single = 0; single < 2; single++) {
          struct dg_error err = {0};
          const double bound = single ? 1e-4 : 1e-12;
          if (mx_backends[b]->available(&err) != 0) continue;
          ten_steps(&whole, mx_backends[b], &box, integrators[i], (enum mx_precision)single, step, false);
          ten_steps(&parts, mx_backends[b], &box, integrators[i], (enum mx_precision)single, step, true);
          assert_memory_equal(whole.E, parts.E, bytes);
          assert_memory_equal(whole.H, parts.H, bytes);
          assert_true(box_distance(&box, whole.E, truth.E) + box_distance(&box, whole.H, truth.H) < bound * size);
          assert_true(fabs(whole.energy / truth.energy - 1) < bound && fabs(whole.loss / truth.loss - 1) < bound);
          free(whole.E), free(whole.H), free(parts.E), free(parts.H);
        }
      free(truth.E), free(truth.H);
    }
    box_release(&box);
  }
}

int main(int argc, char **argv)
{
  if (argc > 2) {
    setvbuf(stdout, NULL, _IOLBF, 0); /* a line a mixture, also to a file */
    for (int from = 0; from < 40; from += 20)
      random_mixtures(integrators[atoi(argv[2]) % INTEGRATORS], from, atol(argv[1]));
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_in_time), cmocka_unit_test(test_energy_and_loss),
      cmocka_unit_test(test_limit),         cmocka_unit_test(test_random_mixtures),
      cmocka_unit_test(test_duality),       cmocka_unit_test(test_backends_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
