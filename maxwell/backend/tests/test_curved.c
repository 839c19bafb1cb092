/* Curved elements on bent boxes: a straight element taken as a curved one gives the same numbers, centred fluxes keep
 * the scheme's energy, penalties take some, and constants stay. `test_curved 20000` keeps the energy for that many
 * steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libdg/mesh/curve.h"
#include "maxwell/limit/stability.h"
#include "maxwell/operator/operator.h"
#include "maxwell/problem/curved.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"

static long energy_steps = 1000;
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
  struct dg_error err = {0};
  box_mesh(box, of, size, 0.2, NULL);
  dg_geometry_release(&box->geometry);
  if (dg_mesh_bend(&box->mesh, geometry, bulge, &amount, &err) != 0 ||
      dg_geometry_init(&box->geometry, &box->mesh, &err) != 0)
    fail_msg("%s", err.message);
}

static void two_media(struct box *box)
{
  box_material(box, 1, 1, 1, 0);
  box_material(box, 2, 4, 2.5, 0);
  box_boundary(box, 1, MX_PMC, 0);
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
  for (int p = 1; p <= 8; p++) {
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
      /* at order 8 the rule's tables and the inverse mass round that much */
      if (!(worst < (p < 8 ? 1e-12 : 4e-12) * largest)) fail_msg("order %d, field %d: %g of %g", p, f, worst, largest);
      free(straight[f]), free(curved[f]);
    }
    free(E), free(H);
    box_release(&box);
  }
}

/* ---- energy ---- */

static void test_energy(void **state)
{
  (void)state;
  for (int p = 1; p <= 6; p++)
    for (int alpha = 0; alpha < 2; alpha++) {
      struct box box = {0};
      bent_mesh(&box, cells, p % 3 + 2, 0.1);
      two_media(&box);
      box_problem(&box, p, alpha);
      assert_true(box.problem.curves.count > box.mesh.K / 2);
      double *E = box_field(&box), *H = box_field(&box);
      box_noise(&box, E);
      box_noise(&box, H);
      struct drive drive = drive_new(&mx_backend_reference, &box, MX_LEAPFROG, MX_DOUBLE, 0.02 / (p * p), E, H);
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
      if (!(alpha == 0 ? drift < 1e-11 : gain < 1e-13 && before < 0.9 * first))
        fail_msg("order %d, geometry %d, flux %d: drift %g, gain %g, %g left", p, p % 3 + 2, alpha, drift, gain,
                 before / first);
      drive.ops->destroy(drive.backend);
      free(E), free(H);
      box_release(&box);
    }
}

int main(int argc, char **argv)
{
  if (argc > 1) energy_steps = atol(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight_elements_agree),
      cmocka_unit_test(test_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
