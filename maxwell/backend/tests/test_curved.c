/* Curved elements on bent boxes: a straight element taken as a curved one gives the same numbers, centred fluxes keep
 * the scheme's energy, penalties take some, constants stay, and the step limit is the true one.
 *
 *   test_curved 20000      keeps the energy for that many steps;
 *   test_curved 1000 6     finds the true step limit at orders up to that one, by trial. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libdg/base/vec3.h"
#include "maxwell/limit/stability.h"
#include "maxwell/operator/operator.h"
#include "maxwell/problem/curved.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/bent.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/sanitized.h"

static long energy_steps = SANITIZED ? 20 : 1000;
static int highest_order = 2;
static const int cells[3] = {2, 1, 1};
static const double size[3] = {1.3, 0.9, 1.1};

/* Walls and the plane between the media bend, and so does everything between them; the part at x = 0 stays as it is. */
static void bulge(void *context, double x[3])
{
  const double amount = *(const double *)context, u = x[0] * x[0];
  x[1] += amount * u * (0.6 + x[2] * x[2] + 0.3 * x[1]);
  x[2] += amount * u * (x[1] - 0.8 * x[1] * x[1]);
  x[0] += amount * u * x[1] * x[2];
}

static void bent_mesh(struct box *box, const int of[3], int geometry, double amount)
{
  box_mesh(box, of, size, 0.2, NULL);
  bend_box(box, geometry, bulge, &amount);
}

static void two_media(struct box *box)
{
  box_material(box, 1, 1, 1, 0);
  box_material(box, 2, 4, 2.5, 0);
  box_boundary(box, 1, MX_PMC, 0);
}

static double limit_of(const struct mx_problem *problem, enum mx_integrator integrator)
{
  struct mx_stability stability;
  struct dg_error err = {0};
  if (mx_stability_limit(&stability, problem, integrator, 0, &err) != 0) fail_msg("%s", err.message);
  return stability.limit;
}

/* ---- straight elements in the list of the curved ones ---- */

static void call_them_curved(struct box *box)
{
  struct dg_error err = {0};
  const size_t nodes = dg_shape_nodes(2);
  assert_int_equal(mx_problem_add_curves(&box->problem, 2, box->mesh.K, &err), 0);
  for (size_t e = 0; e < box->mesh.K; e++) {
    size_t n = e * nodes;
    box->problem.curves.where[e] = (int32_t)e;
    for (int k = 0; k <= 2; k++)
      for (int j = 0; j + k <= 2; j++)
        for (int i = 0; i + j + k <= 2; i++, n++)
          dg_geometry_point(&box->mesh, e, i - 1.0, j - 1.0, k - 1.0, box->problem.curves.shape[n]);
  }
}

static void add_terms(struct box *box)
{
  struct mx_problem *problem = &box->problem;
  struct dg_error err = {0};
  problem->terms = 2;
  assert_int_equal(DG_NEW(problem->term, 2, &err), 0);
  for (int t = 0; t < 2; t++) {
    struct mx_term *term = &problem->term[t];
    const size_t N = (size_t)(t == 0 ? box->ref.Np : box->ref.Nf), count = 5;
    *term = (struct mx_term){.kind = t == 0 ? MX_CURRENT : MX_JUMP, .values = MX_ONE_NUMBER, .count = count};
    if (DG_NEW(term->where, count, &err) != 0 || DG_NEW(term->E, 3 * count * N, &err) != 0 ||
        DG_NEW(term->H, 3 * count * N, &err) != 0)
      fail_msg("%s", err.message);
    for (size_t k = 0; k < count; k++) term->where[k] = (int32_t)(t == 0 ? 2 * k : 9 * k);
    for (size_t i = 0; i < 3 * count * N; i++) {
      term->E[i] = box_random() - 0.5;
      term->H[i] = box_random() - 0.5;
    }
  }
}

/* [0] and [1]: rates of E and H with sources. */
static void rates(const struct box *box, const double *E, const double *H, double *rate[2])
{
  static const struct mx_penalty whole = {.inner = 1, .open = 1};
  static const double one = 1;
  const double *const now[2] = {&one, &one};
  const struct mx_stage_sources sources = {now, now};
  struct mx_matrices_double *matrices;
  struct dg_error err = {0};
  if (mx_matrices_new_double(&matrices, &box->problem, &err) != 0) fail_msg("%s", err.message);
  for (int i = 0; i < 2; i++) {
    const enum mx_equation equation = i == 0 ? MX_AMPERE : MX_FARADAY;
    mx_rate_double(&box->problem, matrices, equation, whole, i == 0 ? E : H, i == 0 ? H : E, NULL, rate[i]);
    mx_add_sources_double(&box->problem, matrices, equation, &sources, rate[i]);
  }
  mx_matrices_free_double(matrices);
}

static void test_straight_elements_agree(void **state)
{
  (void)state;
  for (int p = 1; p <= 8; p = next_order(p, 8)) {
    struct box box = {0};
    box_mesh(&box, cells, size, 0.2, NULL);
    two_media(&box);
    box_boundary(&box, 2, MX_ABSORBING, 0);
    box_problem(&box, p, 0.7);
    add_terms(&box);
    const size_t n = 3 * (size_t)box.ref.Np * box.mesh.K;
    double *E = box_field(&box), *H = box_field(&box), *straight[2] = {box_field(&box), box_field(&box)},
           *curved[2] = {box_field(&box), box_field(&box)};
    box_noise(&box, E);
    box_noise(&box, H);
    rates(&box, E, H, straight);
    call_them_curved(&box);
    rates(&box, E, H, curved);
    for (int f = 0; f < 2; f++) {
      double largest = 0, worst = 0;
      for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(straight[f][i]));
        worst = fmax(worst, fabs(straight[f][i] - curved[f][i]));
      }
      if (!(worst < 1e-12 * largest)) fail_msg("order %d, field %d: %g of %g", p, f, worst, largest);

      free(straight[f]), free(curved[f]);
    }
    free(E), free(H);
    box_release(&box);
  }
}

/* ---- constants and sources ---- */

static void constant(const double x[3], double t, double value[3])
{
  (void)x, (void)t;
  value[0] = 0.7, value[1] = -0.4, value[2] = 0.9;
}

static double largest(size_t n, const double *x)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Between magnetic walls a constant E is a solution, and between electric ones a constant H. */
static void test_constants_stay(void **state)
{
  (void)state;
  for (int p = 1; p <= 6; p = next_order(p, 6))
    for (int magnetic = 0; magnetic < 2; magnetic++) {
      const int geometry = p < 4 ? p + 1 : 4;
      struct box box = {0};
      bent_mesh(&box, cells, geometry, 0.1);
      box_material(&box, 1, 1, 1, 0);
      box_material(&box, 2, 4, 2.5, 0);
      box_boundary(&box, 0, magnetic ? MX_PEC : MX_PMC, 0);
      box_problem(&box, p, 1);
      for (int integrator = MX_LEAPFROG; integrator <= MX_LSRK; integrator++) {
        const enum mx_integrator which = (enum mx_integrator)integrator;
        const size_t n = 3 * (size_t)box.ref.Np * box.mesh.K;
        double *E = box_field(&box), *H = box_field(&box), *at_start = box_field(&box);
        box_evaluate(&box, constant, 0, at_start);
        memcpy(magnetic ? H : E, at_start, n * sizeof *E);
        drive_run(&mx_backend_reference, &box, which, MX_DOUBLE, 0.95 * limit_of(&box.problem, which),
                  SANITIZED ? 10
                  : p < 3   ? 1000
                            : 100,
                  E, H);
        for (size_t i = 0; i < n; i++) (magnetic ? H : E)[i] -= at_start[i];
        const double error = fmax(largest(n, E), largest(n, H));
        if (!(error < 1e-12)) fail_msg("order %d, %s: a constant changed by %g", p, mx_integrator_names[which], error);
        free(E), free(H), free(at_start);
      }
      box_release(&box);
    }
}

/* Waves that enter through all walls and are constant cancel what open walls take of constant fields. */
static void test_jumps_cancel(void **state)
{
  (void)state;
  for (int p = 1; p <= 6; p = next_order(p, 6)) {
    struct box box = {0};
    struct dg_error err = {0};
    bent_mesh(&box, cells, p < 4 ? p + 1 : 4, 0.1);
    two_media(&box);
    box_boundary(&box, 0, MX_ABSORBING, 0);
    box_problem(&box, p, 0.7);
    const size_t n = 3 * (size_t)box.ref.Np * box.mesh.K, Nf = (size_t)box.ref.Nf;
    double *E = box_field(&box), *H = box_field(&box), *rate[2] = {box_field(&box), box_field(&box)};
    box_evaluate(&box, constant, 0, E);
    for (size_t i = 0; i < n; i++) H[i] = -2 * E[i];
    rates(&box, E, H, rate);
    const double without = largest(n, rate[0]);
    size_t walls = 0;
    for (size_t e = 0; e < box.mesh.K; e++)
      for (int f = 0; f < 4; f++) walls += box.problem.neighbour[e][f] < 0;
    box.problem.terms = 1;
    assert_int_equal(DG_NEW(box.problem.term, 1, &err), 0);
    struct mx_term *term = box.problem.term;
    *term = (struct mx_term){.kind = MX_JUMP, .values = MX_ONE_NUMBER};
    if (DG_NEW(term->where, walls, &err) != 0 || DG_NEW(term->E, 3 * walls * Nf, &err) != 0 ||
        DG_NEW(term->H, 3 * walls * Nf, &err) != 0)
      fail_msg("%s", err.message);
    for (size_t e = 0; e < box.mesh.K; e++)
      for (int f = 0; f < 4; f++) {
        if (box.problem.neighbour[e][f] >= 0) continue;
        for (size_t i = 0; i < 3 * Nf; i++) {
          term->E[3 * Nf * term->count + i] = E[(3 * e + i / Nf) * (size_t)box.ref.Np];
          term->H[3 * Nf * term->count + i] = H[(3 * e + i / Nf) * (size_t)box.ref.Np];
        }
        term->where[term->count++] = (int32_t)(4 * e) + f;
      }
    rates(&box, E, H, rate);
    const double with = fmax(largest(n, rate[0]), largest(n, rate[1]));
    if (!(with < 1e-12 * without)) fail_msg("order %d: a rate of %g, and %g without the jumps", p, with, without);
    free(E), free(H), free(rate[0]), free(rate[1]);
    box_release(&box);
  }
}

/* A constant current takes J/eps from the rate of E, exactly: cofactors of a map of order 2 are polynomials of
 * degree 2.
 */
static void test_current(void **state)
{
  (void)state;
  for (int p = 2; p <= 6; p += 2) {
    struct box box = {0};
    bent_mesh(&box, cells, 2, 0.1);
    two_media(&box);
    box_problem(&box, p, 0);
    add_terms(&box);
    struct mx_term *term = box.problem.term;
    const size_t Np = (size_t)box.ref.Np;
    for (size_t i = 0; i < 3 * Np * term->count; i++) term->E[i] = i / Np % 3 == 1 ? 1 : 0;
    for (size_t i = 0; i < 3 * (size_t)box.ref.Nf * term[1].count; i++) term[1].E[i] = term[1].H[i] = 0;
    double *E = box_field(&box), *H = box_field(&box), *rate[2] = {box_field(&box), box_field(&box)}, error = 0;
    rates(&box, E, H, rate);
    for (size_t k = 0; k < term->count; k++)
      for (size_t i = 0; i < 3 * Np; i++) {
        const size_t e = (size_t)term->where[k];
        error = fmax(error, fabs(rate[0][3 * Np * e + i] * box.problem.epsilon[e] + term->E[3 * Np * k + i]));
      }
    if (!(error < 1e-12)) fail_msg("order %d: the current is wrong by %g", p, error);
    free(E), free(H), free(rate[0]), free(rate[1]);
    box_release(&box);
  }
}

/* ---- energy ---- */

static void check_energy(struct box *box, double step)
{
  const bool centred = box->config.alpha == 0;
  double *E = box_field(box), *H = box_field(box);
  box_noise(box, E);
  box_noise(box, H);
  struct drive drive = drive_new(&mx_backend_reference, box, MX_LEAPFROG, MX_DOUBLE, step, E, H);
  drive_observe(&drive);
  const double first = drive_energy(&drive);
  drive_finish(&drive);
  double before = first, drift = 0, gain = 0;
  for (int round = 0; round < 10; round++) {
    drive_steps(&drive, energy_steps / 10 - 1);
    drive_observe(&drive);
    const double now = drive_energy(&drive);
    drive_finish(&drive);
    drift = fmax(drift, fabs(now / first - 1));
    gain = fmax(gain, (now - before) / first);
    before = now;
  }
  if (energy_steps > 1000)
    print_message("order %d, geometry %d, flux %g: drift %.1e, gain %.1e, %.3g left\n", box->ref.order,
                  box->mesh.geometry, box->config.alpha, drift, gain, before / first);
  if (!(centred ? drift < 1e-11 : gain < 1e-13 && (SANITIZED || before < 0.9 * first)))
    fail_msg("order %d, geometry %d, flux %g: drift %g, gain %g, %g left", box->ref.order, box->mesh.geometry,
             box->config.alpha, drift, gain, before / first);
  drive.ops->destroy(drive.backend);
  free(E), free(H);
}

static void test_energy(void **state)
{
  (void)state;
  for (int p = 1; p <= 6; p = next_order(p, 6))
    for (int alpha = 0; alpha < 2; alpha++) {
      struct box box = {0};
      bent_mesh(&box, cells, p % 3 + 2, 0.1);
      two_media(&box);
      box_problem(&box, p, alpha);
      assert_true(box.problem.curves.count > box.mesh.K / 2);
      check_energy(&box, 0.95 * limit_of(&box.problem, MX_LEAPFROG));
      box_release(&box);
    }
}

/* A bend so weak that some elements are straight but for rounding, and their neighbours are not. */
static void test_weak_bends(void **state)
{
  (void)state;
  static const int of[3] = {4, 2, 2};
  for (int i = 0; i < 2; i++) {
    struct box box = {0};
    bent_mesh(&box, of, 2, i == 0 ? 4e-10 : 1e-9);
    two_media(&box);
    box_problem(&box, 2, 0);
    if (box.problem.curves.count == 0 || box.problem.curves.count == box.mesh.K)
      fail_msg("%zu of %zu elements are curved", box.problem.curves.count, box.mesh.K);
    check_energy(&box, 0.95 * limit_of(&box.problem, MX_LEAPFROG));
    box_release(&box);
  }
}

/* What media with losses of E and of H and a Debye pole take is what the energy falls by. */
static void test_losses_take_energy(void **state)
{
  (void)state;
  struct box box = {0};
  struct dg_error err = {0};
  bent_mesh(&box, cells, 3, 0.1);
  box_material(&box, 1, 1, 1, 0.03);
  box_material(&box, 2, 4, 2.5, 0);
  box_debye(&box.material[1], 3, 0.2 / MX_C0);
  box_problem(&box, 3, 0);
  int32_t *all = calloc(box.mesh.K, sizeof *all);
  for (size_t e = 0; e < box.mesh.K; e++) {
    all[e] = (int32_t)e;
    if (e % 3 == 0) box.problem.sigma_m[e] = 4;
  }
  const double step = 0.02 * limit_of(&box.problem, MX_RK4);
  double *E = box_field(&box), *H = box_field(&box), energy[3], loss[3];
  box_noise(&box, E);
  box_noise(&box, H);
  struct drive drive = drive_new(&mx_backend_reference, &box, MX_RK4, MX_DOUBLE, step, E, H);
  for (int i = 0; i < 3; i++) {
    energy[i] = drive_energy(&drive);
    assert_int_equal(drive.ops->loss(drive.backend, box.mesh.K, all, &loss[i], &err), 0);
    drive_steps(&drive, 1);
  }
  const double simpson = step / 3 * (loss[0] + 4 * loss[1] + loss[2]); /* its error is of the fifth order */
  assert_true(simpson > 1e-3 * energy[0]);
  if (!(fabs(energy[0] - energy[2] - simpson) < 1e-6 * simpson))
    fail_msg("the energy fell by %.12g, the losses were %.12g", energy[0] - energy[2], simpson);
  drive.ops->destroy(drive.backend);
  free(all), free(E), free(H);
  box_release(&box);
}

/* ---- the step limit ---- */

/* Squared norm after `steps` steps of random fields over that of the first ones. */
static double growth(const struct box *box, enum mx_integrator integrator, double step, long steps)
{
  double *E = box_field(box), *H = box_field(box);
  box_noise(box, E);
  box_noise(box, H);
  const double first = box_product(box, NULL, E, E) + box_product(box, NULL, H, H);
  drive_run(&mx_backend_reference, box, integrator, MX_DOUBLE, step, steps, E, H);
  const double last = (box_product(box, NULL, E, E) + box_product(box, NULL, H, H)) / first;
  free(E), free(H);
  return isfinite(last) ? last : INFINITY;
}

/* The largest stable step over the one that is found, by trial, to half a percent. */
static double true_limit(const struct box *box, enum mx_integrator integrator, double found)
{
  double stable = 0.8, unstable = 1.2;
  while (unstable - stable > 0.005) {
    const double middle = 0.5 * (stable + unstable);
    if (growth(box, integrator, middle * found, 600) < 1e4) stable = middle;
    else unstable = middle;
  }
  return stable;
}

static void test_limit(void **state)
{
  (void)state;
  for (int p = 1; p <= highest_order; p++)
    for (int alpha = 0; alpha < 2; alpha++)
      for (int wild = highest_order > 2 ? 0 : 1; wild < 2; wild++) {
        struct box box = {0};
        bent_mesh(&box, cells, p % 3 + 2, wild ? 0.25 : 0.1);
        two_media(&box);
        box_boundary(&box, 3, MX_ABSORBING, 0);
        box_problem(&box, p, alpha);
        for (int integrator = MX_LEAPFROG; integrator <= MX_LSRK; integrator++) {
          const enum mx_integrator which = (enum mx_integrator)integrator;
          const double automatic = 0.95 * limit_of(&box.problem, which);
          const double inside = growth(&box, which, automatic, SANITIZED ? 10 : 400),
                       outside = growth(&box, which, automatic / 0.9, SANITIZED ? 10 : 200);
          if (highest_order > 2)
            print_message("order %d, flux %d, bend %d, %s: the automatic step is %.3f of the true limit\n", p, alpha,
                          wild, mx_integrator_names[which], 0.95 / true_limit(&box, which, automatic / 0.95));
          if (!(inside < 20 && (SANITIZED || !(outside < 1e3))))
            fail_msg("order %d, flux %d, bend %d, %s: growth %g at 0.95 of the limit, %g at 1.056", p, alpha, wild,
                     mx_integrator_names[which], inside, outside);
        }
        box_release(&box);
      }
}

/* The limit of a curved element that is small only in the middle is found in a part of a large mesh, and a pole there
 * takes part in it. */
static void pinch(void *context, double x[3])
{
  const double d[3] = {x[0] - 0.55, x[1] - 0.45, x[2] - 0.5}, near = exp(-20 * dg_dot(d, d));
  (void)context;
  for (int b = 0; b < 3; b++) x[b] -= 0.5 * near * d[b];
}

static void test_part_is_enough(void **state)
{
  (void)state;
  enum { EDGE = SANITIZED ? 4 : 6 };
  static const int of[3] = {EDGE, EDGE, EDGE};
  static const double cube[3] = {1, 1, 1};
  struct box box = {0};
  box_mesh(&box, of, cube, 0.1, NULL);
  bend_box(&box, 2, pinch, NULL);
  box_material(&box, 0, 2, 1, 0);
  box_debye(&box.material[0], 3, 0.2 / MX_C0);
  box_problem(&box, 2, 1);
  for (int integrator = MX_LEAPFROG; integrator <= MX_LSRK; integrator += MX_LSRK - MX_LEAPFROG) {
    struct mx_stability whole = {0}, part = {0};
    struct dg_error err = {0};
    if (mx_stability_limit(&whole, &box.problem, (enum mx_integrator)integrator, 0, &err) != 0 ||
        mx_stability_limit(&part, &box.problem, (enum mx_integrator)integrator, SANITIZED ? 5000 : 20000, &err) != 0)
      fail_msg("%s", err.message);
    assert_true(whole.elements == box.mesh.K && part.elements < box.mesh.K / 2);
    if (!(SANITIZED || fabs(part.limit / whole.limit - 1) < 0.02))
      fail_msg("%s: %g of the whole and %g of a part", mx_integrator_names[integrator], whole.limit, part.limit);
  }
  box_release(&box);
}

/* ---- single precision ---- */

static void test_single_precision(void **state)
{
  (void)state;
  for (int p = 1; p <= 6; p = next_order(p, 6)) {
    struct box box = {0};
    bent_mesh(&box, cells, p % 3 + 2, 0.1);
    two_media(&box);
    box_boundary(&box, 2, MX_ABSORBING, 0);
    box_problem(&box, p, 1);
    const size_t n = 3 * (size_t)box.ref.Np * box.mesh.K;
    const double step = 0.95 * limit_of(&box.problem, MX_LEAPFROG);
    double *of[2][2]; /* precision, field */
    for (int i = 0; i < 4; i++) of[i / 2][i % 2] = box_field(&box);
    for (int f = 0; f < 2; f++) {
      box_noise(&box, of[0][f]);
      memcpy(of[1][f], of[0][f], n * sizeof(double));
    }
    for (int k = 0; k < 2; k++)
      drive_run(&mx_backend_reference, &box, MX_LEAPFROG, k == 0 ? MX_DOUBLE : MX_SINGLE, step, SANITIZED ? 10 : 100,
                of[k][0], of[k][1]);
    const double scale = fmax(largest(n, of[0][0]), largest(n, of[0][1]));
    for (int f = 0; f < 2; f++)
      for (size_t i = 0; i < n; i++)
        if (!(fabs(of[0][f][i] - of[1][f][i]) < 2e-5 * scale))
          fail_msg("order %d, field %d: %g in single and %g in double precision", p, f, of[1][f][i], of[0][f][i]);
    for (int i = 0; i < 4; i++) free(of[i / 2][i % 2]);
    box_release(&box);
  }
}

/* ---- maps that fold ---- */

static void test_folds(void **state)
{
  (void)state;
  for (int strong = 0; strong < 2; strong++) {
    struct box box = {0};
    struct mx_curve_tables tables;
    struct dg_error err = {0}, of_tables = {0};
    bent_mesh(&box, cells, 3, strong ? 3 : 0.2);
    two_media(&box);
    box_problem(&box, 3, 1);
    const int status = mx_curve_check(&box.mesh, &box.ref, &err);
    assert_int_equal(status, strong ? DG_INPUT : 0);
    assert_int_equal(mx_curve_tables_init(&tables, &box.problem, &of_tables), status);
    if (strong) {
      assert_non_null(strstr(err.message, "folds near"));
      assert_non_null(strstr(of_tables.message, "folds over"));
    }
    mx_curve_tables_release(&tables);
    box_release(&box);
  }
}

/* ---- memory ---- */

/* Bytes of a backend: those that it allocates, and those that it foretells. */
static void bytes_of(const struct mx_backend_ops *ops, const struct box *box, double *allocated, double *foretold)
{
  const struct mx_backend_options options = {.integrator = MX_LEAPFROG, .precision = MX_DOUBLE, .step = 1e-3};
  const size_t before = dg_memory_current();
  struct mx_backend *backend;
  struct dg_error err = {0};
  assert_int_equal(ops->create(&backend, &box->problem, &options, &err), 0);
  *allocated = (double)(dg_memory_current() - before);
  *foretold = (double)ops->memory(&box->problem, &options);
  ops->destroy(backend);
}

/* What curved elements add is foretold. */
static void test_memory(void **state)
{
  (void)state;
  static const int of[3] = {4, 3, 3};
  for (int p = 2; p <= 4; p++) {
    struct box box = {0};
    double straight[2], curved[2];
    bent_mesh(&box, of, 2, 0.1);
    two_media(&box);
    box_problem(&box, p, 1);
    bytes_of(&mx_backend_reference, &box, &curved[0], &curved[1]);
    const size_t count = box.problem.curves.count;
    box.problem.curves.count = 0;
    bytes_of(&mx_backend_reference, &box, &straight[0], &straight[1]);
    box.problem.curves.count = count;
    const double ratio = (curved[1] - straight[1]) / (curved[0] - straight[0]);
    if (!(fabs(ratio - 1) < 0.05)) fail_msg("order %d: %.3f of the bytes of curved elements are foretold", p, ratio);
    box_release(&box);
  }
}

int main(int argc, char **argv)
{
  if (argc > 1) energy_steps = atol(argv[1]);
  if (argc > 2) highest_order = atoi(argv[2]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight_elements_agree),
      cmocka_unit_test(test_constants_stay),
      cmocka_unit_test(test_jumps_cancel),
      cmocka_unit_test(test_current),
      cmocka_unit_test(test_energy),
      cmocka_unit_test(test_weak_bends),
      cmocka_unit_test(test_losses_take_energy),
      cmocka_unit_test(test_limit),
      cmocka_unit_test(test_part_is_enough),
      cmocka_unit_test(test_single_precision),
      cmocka_unit_test(test_folds),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
