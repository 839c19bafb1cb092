/* The semi-discrete operator: exact on polynomials, conserving or dissipating as the theory says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/operator/operator.h"
#include "maxwell/tests/box.h"

static const int cells[3] = {2, 3, 2};
static const double size[3] = {1.3, 0.9, 1.1};
static const struct mx_penalty whole = {.inner = 1, .open = 1};

static void rates(const struct box *box, const double *E, const double *H, double *dE, double *dH)
{
  struct mx_matrices_double *matrices;
  struct dg_error err = {0};
  assert_int_equal(mx_matrices_new_double(&matrices, &box->problem, &err), 0);
  mx_rate_double(&box->problem, matrices, MX_AMPERE, whole, E, H, NULL, dE);
  mx_rate_double(&box->problem, matrices, MX_FARADAY, whole, H, E, NULL, dH);
  mx_matrices_free_double(matrices);
}

/* d/dt of the energy of random fields. */
static double energy_rate(const struct box *box, double *scale)
{
  double *E = box_field(box), *H = box_field(box), *dE = box_field(box), *dH = box_field(box);
  box_noise(box, E);
  box_noise(box, H);
  rates(box, E, H, dE, dH);
  double electric = box_product(box, box->problem.epsilon, E, dE);
  double rate = electric + box_product(box, box->problem.mu, H, dH);
  *scale = fabs(electric);
  free(E), free(H), free(dE), free(dH);
  return rate;
}

static void two_media(struct box *box)
{
  box_mesh(box, cells, size, 0.2, NULL);
  box_material(box, 1, 1, 1, 0);
  box_material(box, 2, 4, 2.5, 0);
  box_boundary(box, 1, MX_PMC, 0);
}

static void test_centred_flux_conserves_energy(void **state)
{
  (void)state;
  for (int p = 1; p <= 8; p++) {
    struct box box = {0};
    double scale;
    two_media(&box);
    box_problem(&box, p, 0);
    double rate = energy_rate(&box, &scale);
    assert_true(fabs(rate) < 1e-11 * scale);
    box_release(&box);
  }
}

static void test_any_penalty_dissipates(void **state)
{
  (void)state;
  for (int p = 1; p <= 8; p++) {
    double rate[3], scale;
    for (int i = 0; i < 3; i++) {
      struct box box = {0};
      two_media(&box);
      box_problem(&box, p, 0.5 * i);
      rate[i] = energy_rate(&box, &scale);
      box_release(&box);
    }
    assert_true(rate[1] < 0 && rate[2] < rate[1]);
  }
}

static void test_open_walls_take_energy_at_any_flux(void **state)
{
  (void)state;
  const enum mx_boundary_kind kinds[] = {MX_ABSORBING, MX_IMPEDANCE};
  for (int i = 0; i < 2; i++) {
    struct box box = {0};
    double scale;
    box_mesh(&box, cells, size, 0.2, NULL);
    box_material(&box, 0, 2, 1, 0);
    box_boundary(&box, 4, kinds[i], 100);
    box_problem(&box, 2, 0);
    assert_true(energy_rate(&box, &scale) < -1e-3 * scale);
    assert_true(box.problem.open_faces == 8);
    box_release(&box);
  }
}

/* A field that is a polynomial of degree p across the mesh has no jumps: the operator must give its exact curl, except
 * where walls cut it off. */
static void polynomial(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = x[1] * x[1] * x[2] - x[2];
  value[1] = x[0] * x[2] * x[2] + 2 * x[0];
  value[2] = x[0] * x[0] * x[1] + 3 * x[1] * x[2] * x[0];
}

static void polynomial_curl(const double x[3], double t, double value[3])
{
  (void)t;
  value[0] = x[0] * x[0] + 3 * x[2] * x[0] - 2 * x[0] * x[2];
  value[1] = x[1] * x[1] - 1 - (2 * x[0] * x[1] + 3 * x[1] * x[2]);
  value[2] = x[2] * x[2] + 2 - 2 * x[1] * x[2];
}

static void test_exact_on_polynomials(void **state)
{
  (void)state;
  for (int p = 3; p <= 8; p++) {
    struct box box = {0};
    box_mesh(&box, cells, size, 0.2, NULL);
    box_material(&box, 0, 1, 1, 0);
    box_problem(&box, p, 1);
    double *u = box_field(&box), *curl = box_field(&box), *dE = box_field(&box), *dH = box_field(&box);
    box_evaluate(&box, polynomial, 0, u);
    box_evaluate(&box, polynomial_curl, 0, curl);
    rates(&box, u, u, dE, dH);
    size_t n = 3 * (size_t)box.ref.Np, inside = 0;
    for (size_t e = 0; e < box.mesh.K; e++) {
      bool wall = false;
      for (int f = 0; f < 4; f++) wall = wall || box.mesh.neighbour[e][f] < 0;
      if (wall) continue;
      inside++;
      for (size_t i = e * n; i < (e + 1) * n; i++) {
        assert_true(fabs(dE[i] - curl[i]) < 1e-9);
        assert_true(fabs(dH[i] + curl[i]) < 1e-9);
      }
    }
    assert_true(inside > 0);
    free(u), free(curl), free(dE), free(dH);
    box_release(&box);
  }
}

/* n x E = 0 on a PEC, n x H = 0 on a PMC: such fields see no wall at all. */
static void normal_field(const double x[3], double t, double value[3])
{
  (void)t;
  double s = 3.14159265358979323846 / size[1];
  value[0] = value[1] = 0;
  value[2] = x[1] * (size[1] - x[1]) * s;
}

static void test_walls_do_not_disturb_fields_that_fit(void **state)
{
  (void)state;
  for (int pmc = 0; pmc < 2; pmc++) {
    struct box box = {0};
    box_mesh(&box, cells, size, 0.2, NULL);
    box_material(&box, 0, 1, 1, 0);
    box_boundary(&box, 3, pmc ? MX_PMC : MX_PEC, 0);
    box_boundary(&box, 4, pmc ? MX_PMC : MX_PEC, 0);
    box_boundary(&box, 1, pmc ? MX_PEC : MX_PMC, 0); /* E tangential and constant along x: the other wall */
    box_boundary(&box, 2, pmc ? MX_PEC : MX_PMC, 0);
    box_problem(&box, 2, 1);
    double *u = box_field(&box), *zero = box_field(&box), *dE = box_field(&box), *dH = box_field(&box);
    box_evaluate(&box, normal_field, 0, u);
    if (pmc) rates(&box, zero, u, dE, dH);
    else rates(&box, u, zero, dE, dH);
    /* the penalty acts on what violates a wall: here nothing does */
    const double *still = pmc ? dH : dE;
    for (size_t i = 0; i < 3 * (size_t)box.ref.Np * box.mesh.K; i++) assert_true(fabs(still[i]) < 1e-11);
    free(u), free(zero), free(dE), free(dH);
    box_release(&box);
  }
}

static void test_part_of_a_problem(void **state)
{
  (void)state;
  struct box box = {0};
  two_media(&box);
  box_boundary(&box, 2, MX_ABSORBING, 0);
  box_problem(&box, 2, 1);
  size_t list[20], n = 3 * (size_t)box.ref.Np;
  for (size_t i = 0; i < 20; i++) list[i] = 3 * i + 1;
  struct mx_problem part, saved = box.problem;
  struct dg_error err = {0};
  assert_int_equal(mx_problem_restrict(&part, &saved, 20, list, &err), 0);
  double *E = box_field(&box), *H = box_field(&box), *dE = box_field(&box), *dH = box_field(&box);
  double *e = box_field(&box), *h = box_field(&box), *de = box_field(&box), *dh = box_field(&box);
  for (size_t i = 0; i < 20; i++) /* fields that vanish outside the part */
    for (size_t j = 0; j < n; j++) {
      E[list[i] * n + j] = e[i * n + j] = box_random();
      H[list[i] * n + j] = h[i * n + j] = box_random();
    }
  rates(&box, E, H, dE, dH);
  box.problem = part;
  rates(&box, e, h, de, dh);
  for (size_t i = 0; i < 20; i++)
    for (size_t j = 0; j < n; j++) {
      assert_true(fabs(dE[list[i] * n + j] - de[i * n + j]) < 1e-12);
      assert_true(fabs(dH[list[i] * n + j] - dh[i * n + j]) < 1e-12);
    }
  mx_problem_release(&part);
  box.problem = saved;
  free(E), free(H), free(dE), free(dH), free(e), free(h), free(de), free(dh);
  box_release(&box);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_centred_flux_conserves_energy),        cmocka_unit_test(test_any_penalty_dissipates),
      cmocka_unit_test(test_open_walls_take_energy_at_any_flux),   cmocka_unit_test(test_exact_on_polynomials),
      cmocka_unit_test(test_walls_do_not_disturb_fields_that_fit), cmocka_unit_test(test_part_of_a_problem),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
