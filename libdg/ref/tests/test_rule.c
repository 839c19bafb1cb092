/* Rules of integration: monomials, symmetry, and the operators between nodes and points. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libdg/ref/rule.h"

static double factorial(int n) { return n > 1 ? n * factorial(n - 1) : 1; }

/* The mean of L0^a L1^b L2^c over a simplex of dimension d is d! a! b! c!/(d + a + b + c)!. */
static void check_monomials(const struct dg_rule *rule, int dimension, int degree)
{
  double sum = 0;
  for (int q = 0; q < rule->points; q++) {
    double one = 0;
    for (int v = 0; v <= dimension; v++) one += rule->place[q][v];
    assert_true(fabs(one - 1) < 1e-14 && rule->weight[q] > 0);
    for (int v = 0; v <= dimension; v++) assert_true(rule->place[q][v] > 0);
    sum += rule->weight[q];
  }
  assert_true(fabs(sum - 1) < 1e-14);
  for (int a = 0; a <= degree; a++)
    for (int b = 0; a + b <= degree; b++)
      for (int c = 0; a + b + c <= degree; c++) {
        const double exact =
            factorial(dimension) * factorial(a) * factorial(b) * factorial(c) / factorial(dimension + a + b + c);
        double value = 0;
        for (int q = 0; q < rule->points; q++)
          value += rule->weight[q] * pow(rule->place[q][0], a) * pow(rule->place[q][1], b) * pow(rule->place[q][2], c);
        assert_true(fabs(value - exact) < 1e-14);
      }
}

static void test_exact(void **unused)
{
  (void)unused;
  for (int p = DG_ORDER_MIN; p <= DG_ORDER_MAX; p++) {
    struct dg_error err = {0};
    struct dg_rule rule;
    assert_int_equal(dg_rule_tetrahedron(&rule, p, &err), 0);
    assert_true(rule.points <= DG_RULE_POINTS_MAX);
    assert_true(rule.points >= DG_NP(p));
    check_monomials(&rule, 3, 2 * p);
    dg_rule_release(&rule);
    assert_int_equal(dg_rule_triangle(&rule, p, &err), 0);
    assert_true(rule.points >= DG_NF(p));
    check_monomials(&rule, 2, 2 * p);
    dg_rule_release(&rule);
  }
}

/* project at = 1 */
static void check_identity(int n, int points, const double *at, const double *project)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = i == j ? -1 : 0;
      for (int q = 0; q < points; q++) sum += project[i * points + q] * at[q * n + j];
      assert_true(fabs(sum) < 1e-12);
    }
}

static void test_operators(void **unused)
{
  (void)unused;
  for (int p = DG_ORDER_MIN; p <= DG_ORDER_MAX; p++) {
    struct dg_error err = {0};
    struct dg_reference ref;
    struct dg_quadrature quadrature;
    assert_int_equal(dg_reference_init(&ref, p, &err), 0);
    assert_int_equal(dg_quadrature_init(&quadrature, &ref, &err), 0);
    check_identity(ref.Np, quadrature.volume.points, quadrature.at, quadrature.project);
    check_identity(ref.Nf, quadrature.face.points, quadrature.face_at, quadrature.face_project);
    /* A linear function of the place, on each face. */
    for (int f = 0; f < 4; f++)
      for (int q = 0; q < quadrature.face.points; q++) {
        double place[3], value = 0;
        dg_face_place(f, quadrature.face.place[q], place);
        for (int m = 0; m < ref.Nf; m++) {
          const int node = ref.face_node[f * ref.Nf + m];
          value += quadrature.face_at[q * ref.Nf + m] * (ref.r[node] + 2 * ref.s[node] - 3 * ref.t[node]);
        }
        assert_true(fabs(value - (place[0] + 2 * place[1] - 3 * place[2])) < 1e-11);
      }
    dg_quadrature_release(&quadrature);
    dg_reference_release(&ref);
  }
}

/* Any order of the vertices gives the same points with the same weights. */
static void test_symmetric(void **unused)
{
  (void)unused;
  for (int p = DG_ORDER_MIN; p <= DG_ORDER_MAX; p++) {
    struct dg_error err = {0};
    struct dg_rule rule;
    assert_int_equal(dg_rule_tetrahedron(&rule, p, &err), 0);
    assert_true(rule.points <= DG_RULE_POINTS_MAX);
    for (int q = 0; q < rule.points; q++)
      for (int v = 0; v < 3; v++) {
        bool found = false;
        for (int k = 0; k < rule.points && !found; k++) {
          found = rule.weight[k] == rule.weight[q];
          for (int w = 0; w < 4; w++) {
            const int swapped = w == v ? v + 1 : w == v + 1 ? v : w;
            found = found && rule.place[k][w] == rule.place[q][swapped];
          }
        }
        assert_true(found);
      }
    dg_rule_release(&rule);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact),
      cmocka_unit_test(test_operators),
      cmocka_unit_test(test_symmetric),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
