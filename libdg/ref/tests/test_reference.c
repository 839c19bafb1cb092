/* The reference element against exact integrals and derivatives of polynomials. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "libdg/base/memory.h"
#include "libdg/ref/reference.h"

/* cmocka compares in single precision */
#define CLOSE(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static double factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }

static double power(double x, int n) { return n == 0 ? 1 : x * power(x, n - 1); }

/* integral over the unit tetrahedron of x^i y^j z^k, and with r = 2x - 1 the biunit one is 8 times that */
static double unit_integral(int i, int j, int k)
{
  return factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3);
}

static double monomial(const struct dg_reference *ref, int node, int i, int j, int k)
{
  return power((1 + ref->r[node]) / 2, i) * power((1 + ref->s[node]) / 2, j) * power((1 + ref->t[node]) / 2, k);
}

static void for_every_order(void (*check)(const struct dg_reference *))
{
  for (int p = DG_ORDER_MIN; p <= DG_ORDER_MAX; p++) {
    struct dg_reference ref;
    struct dg_error err = {0};
    assert_int_equal(dg_reference_init(&ref, p, &err), 0);
    check(&ref);
    dg_reference_release(&ref);
  }
}

static void check_mass(const struct dg_reference *ref)
{
  int p = ref->order, Np = ref->Np;
  for (int i = 0; i <= p; i++)
    for (int j = 0; i + j <= p; j++)
      for (int k = 0; i + j + k <= p; k++) { /* 1^T M u is the integral of u */
        double sum = 0;
        for (int a = 0; a < Np; a++)
          for (int b = 0; b < Np; b++) sum += ref->mass[a * Np + b] * monomial(ref, b, i, j, k);
        CLOSE(sum, 8 * unit_integral(i, j, k), 1e-12);
      }
}

static void check_derivatives(const struct dg_reference *ref)
{
  int p = ref->order, Np = ref->Np;
  for (int i = 0; i <= p; i++)
    for (int j = 0; i + j <= p; j++)
      for (int k = 0; i + j + k <= p; k++)
        for (int a = 0; a < Np; a++) {
          double d[3] = {0, 0, 0};
          for (int c = 0; c < 3; c++)
            for (int b = 0; b < Np; b++) d[c] += ref->D[c][a * Np + b] * monomial(ref, b, i, j, k);
          CLOSE(d[0], i == 0 ? 0 : 0.5 * i * monomial(ref, a, i - 1, j, k), 1e-11);
          CLOSE(d[1], j == 0 ? 0 : 0.5 * j * monomial(ref, a, i, j - 1, k), 1e-11);
          CLOSE(d[2], k == 0 ? 0 : 0.5 * k * monomial(ref, a, i, j, k - 1), 1e-11);
        }
}

/* The discrete divergence theorem: for u, v of the basis, int(v du/dr) + int(u dv/dr) = sum of faces of n_r J_f u v,
 * with the face terms taken through lift. */
static void check_lift(const struct dg_reference *ref)
{
  static const double area_normal[4][3] = {{1, 1, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}; /* n times area ratio */
  int Np = ref->Np, Nf = ref->Nf;
  double *S = malloc(sizeof(double) * (size_t)(Np * Np)), *ML = malloc(sizeof(double) * (size_t)(Np * 4 * Nf));
  for (int i = 0; i < Np; i++)
    for (int j = 0; j < 4 * Nf; j++) {
      ML[i * 4 * Nf + j] = 0;
      for (int m = 0; m < Np; m++) ML[i * 4 * Nf + j] += ref->mass[i * Np + m] * ref->lift[m * 4 * Nf + j];
    }
  for (int d = 0; d < 3; d++) {
    for (int i = 0; i < Np; i++)
      for (int j = 0; j < Np; j++) {
        S[i * Np + j] = 0;
        for (int m = 0; m < Np; m++) S[i * Np + j] += ref->mass[i * Np + m] * ref->D[d][m * Np + j];
      }
    for (int i = 0; i < Np; i++)
      for (int j = 0; j < Np; j++) {
        double faces = 0;
        for (int f = 0; f < 4; f++)
          for (int m = 0; m < Nf; m++)
            if (ref->face_node[f * Nf + m] == j) faces += area_normal[f][d] * ML[i * 4 * Nf + f * Nf + m];
        CLOSE(S[i * Np + j] + S[j * Np + i], faces, 1e-11);
      }
  }
  free(S);
  free(ML);
}

static void check_faces(const struct dg_reference *ref)
{
  for (int f = 0; f < 4; f++)
    for (int m = 0; m < ref->Nf; m++) {
      int n = ref->face_node[f * ref->Nf + m];
      double bary[4] = {0, (1 + ref->r[n]) / 2, (1 + ref->s[n]) / 2, (1 + ref->t[n]) / 2};
      bary[0] = 1 - bary[1] - bary[2] - bary[3];
      CLOSE(bary[f], 0, 1e-14);
      /* the m-th node has the same coordinates towards the face's own vertices on every face */
      int n3 = ref->face_node[3 * ref->Nf + m], v = 0, w = 0;
      double bary3[3] = {-(ref->r[n3] + ref->s[n3]) / 2, (1 + ref->r[n3]) / 2, (1 + ref->s[n3]) / 2};
      for (; v < 4; v++)
        if (v != f) CLOSE(bary[v], bary3[w++], 1e-14);
    }
}

static double lebesgue_constant(const struct dg_reference *ref)
{
  double worst = 0, weight[DG_NP_MAX];
  int n = 24;
  for (int i = 0; i <= n; i++)
    for (int j = 0; i + j <= n; j++)
      for (int k = 0; i + j + k <= n; k++) {
        double sum = 0;
        dg_reference_interpolate(ref, 2.0 * i / n - 1, 2.0 * j / n - 1, 2.0 * k / n - 1, weight);
        for (int m = 0; m < ref->Np; m++) sum += fabs(weight[m]);
        if (sum > worst) worst = sum;
      }
  return worst;
}

/* Bad nodes show at once: the Lebesgue constant of equispaced nodes doubles with every order, that of good ones grows
 * by about a third. Orders 1 and 2 have only one symmetric set with nodes on the edges' ends and middles. */
static void check_lebesgue(const struct dg_reference *ref)
{
  static const double limit[9] = {0, 1, 2, 3, 4.2, 5.6, 7.4, 9.4, 12};
  double constant = lebesgue_constant(ref);
  print_message("order %d: Lebesgue constant %.2f\n", ref->order, constant);
  assert_true(constant <= limit[ref->order] + 1e-9);
}

static void check_interpolation(const struct dg_reference *ref)
{
  double weight[DG_NP_MAX], r = -0.31, s = -0.72, t = -0.4, u = 0;
  dg_reference_interpolate(ref, r, s, t, weight);
  for (int m = 0; m < ref->Np; m++) u += weight[m] * power(1 + ref->r[m] + 2 * ref->s[m] - ref->t[m], ref->order);
  CLOSE(u, power(1 + r + 2 * s - t, ref->order), 1e-11);
  for (int n = 0; n < ref->Np; n++) {
    dg_reference_interpolate(ref, ref->r[n], ref->s[n], ref->t[n], weight);
    for (int m = 0; m < ref->Np; m++) CLOSE(weight[m], m == n, 1e-12);
  }
}

static void test_mass(void **state) { (void)state, for_every_order(check_mass); }
static void test_derivatives(void **state) { (void)state, for_every_order(check_derivatives); }
static void test_lift(void **state) { (void)state, for_every_order(check_lift); }
static void test_faces(void **state) { (void)state, for_every_order(check_faces); }
static void test_lebesgue(void **state) { (void)state, for_every_order(check_lebesgue); }
static void test_interpolation(void **state) { (void)state, for_every_order(check_interpolation); }

static void test_bad_order(void **state)
{
  (void)state;
  struct dg_reference ref;
  struct dg_error err = {0};
  assert_int_equal(dg_reference_init(&ref, 9, &err), DG_INPUT);
  assert_string_equal(err.message, "order 9 is not in 1..8");
}

static void test_memory_failure(void **state)
{
  (void)state;
  size_t before = dg_memory_current();
  for (int n = 1;; n++) {
    struct dg_reference ref;
    struct dg_error err = {0};
    dg_memory_fail_at(n);
    int status = dg_reference_init(&ref, 3, &err);
    dg_memory_fail_at(0);
    if (status == 0) {
      dg_reference_release(&ref);
      assert_true(n > 10);
      break;
    }
    assert_int_equal(status, DG_ENVIRONMENT);
    assert_int_equal(dg_memory_current(), before);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mass),      cmocka_unit_test(test_derivatives),    cmocka_unit_test(test_lift),
      cmocka_unit_test(test_faces),     cmocka_unit_test(test_lebesgue),       cmocka_unit_test(test_interpolation),
      cmocka_unit_test(test_bad_order), cmocka_unit_test(test_memory_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
