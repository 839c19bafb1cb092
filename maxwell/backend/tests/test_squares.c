/* The squares of fields in curved elements (maxwell/backend/squares): every instruction set of this machine against the
 * inverse that `reference` takes, at all orders and for weak and strong bends. A field of zeros has a square of zero,
 * and what is not finite stays in its lane. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/backend/frame/points.h"
#include "maxwell/backend/squares/squares.h"
#include "maxwell/problem/curve_tables.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/bend.h"

enum { FIELDS = 3, LANES = MX_SQUARE_LANES, ZERO_LANE = 2, NAN_LANE = 5 };

struct given {
  struct box box;
  struct mx_curve_tables tables;
  struct mx_symmetry symmetry;
  int32_t point[MX_SQUARE_POINTS];
  _Alignas(64) double metric[MX_SQUARE_POINTS][6][LANES];
  double *field; /* [FIELDS][3 Np][LANES] */
};

static void give(struct given *given, int order, double bend)
{
  struct dg_error err = {0};
  box_mesh(&given->box, (const int[]){2, 2, 1}, (const double[]){1, 0.8, 0.6}, 0.2, NULL);
  box_bend(&given->box, 2 + order % 3, 0.5, bend);
  box_material(&given->box, 0, 1, 1, 0);
  box_problem(&given->box, order, 1);
  if (mx_curve_tables_init(&given->tables, &given->box.problem, &err) != 0 ||
      mx_symmetry_init(&given->symmetry, &given->box.ref, &err) != 0)
    fail_msg("%s", err.message);
  assert_true(given->tables.count >= LANES);
  const size_t Nq = (size_t)given->tables.rule.volume.points, n = 3 * (size_t)given->box.ref.Np;
  mx_points_by_orbit(given->point, &given->tables.rule.volume, order);
  for (size_t q = 0; q < Nq; q++)
    for (size_t i = 0; i < 6; i++)
      for (size_t l = 0; l < LANES; l++)
        given->metric[q][i][l] = given->tables.weight[l * Nq + (size_t)given->point[q]][i];
  given->field = aligned_alloc(64, FIELDS * n * LANES * sizeof *given->field);
  for (size_t i = 0; i < FIELDS * n * LANES; i++) {
    given->field[i] = box_random() - 0.5;
    if (i >= (FIELDS - 1) * n * LANES) given->field[i] *= 1e-3; /* beside the one before */
    if (i % LANES == ZERO_LANE) given->field[i] = 0;
    if (i % LANES == NAN_LANE) given->field[i] = NAN;
  }
}

static void take(struct given *given)
{
  free(given->field);
  mx_symmetry_release(&given->symmetry);
  mx_curve_tables_release(&given->tables);
  box_release(&given->box);
}

/* u^T N u of field k in lane l as `reference` has it. */
static double wanted(const struct given *given, size_t k, size_t l)
{
  const size_t Np = (size_t)given->box.ref.Np;
  double covariant[3 * DG_NP_MAX], field[3 * DG_NP_MAX];
  for (size_t i = 0; i < Np; i++)
    for (size_t c = 0; c < 3; c++) covariant[c * Np + i] = given->field[((k * Np + i) * 3 + c) * LANES + l];
  mx_curve_cartesian(&given->tables, l, covariant, field);
  return 2 * mx_curve_product(&given->tables, l, field, field);
}

static void compare(const struct given *given, const struct mx_square_kernels *kernels)
{
  static const size_t beside[FIELDS] = {0, 1, 1};
  const struct mx_square_fields fields = {
      .metric = given->metric[0][0], .field = given->field, .count = FIELDS, .beside = beside};
  struct mx_squares squares;
  struct dg_error err = {0};
  double square[FIELDS][LANES];
  assert_int_equal(
      mx_squares_init(&squares, kernels, &given->box.ref, &given->tables.rule, given->point, &given->symmetry, &err),
      0);
  kernels->squares(&squares, &fields, square[0]);
  for (size_t k = 0; k < FIELDS; k++)
    for (size_t l = 0; l < LANES; l++) {
      if (l == NAN_LANE) assert_true(isnan(square[k][l]));
      else if (l == ZERO_LANE) assert_true(square[k][l] == 0);
      else {
        const double right = wanted(given, k, l), scale = wanted(given, beside[k], l);
        if (!(fabs(square[k][l] - right) < 2e-13 * scale))
          fail_msg("order %d, field %zu, lane %zu: %.17g, and %.17g is right", given->box.ref.order, k, l, square[k][l],
                   right);
      }
    }
  mx_squares_release(&squares);
}

static void test_squares(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int strong = 0; strong < 2; strong++) {
      static _Alignas(64) struct given given;
      given = (struct given){0};
      give(&given, order, strong ? 0.5 : 0.1);
      compare(&given, &mx_squares_portable);
#ifdef CURLEW_X86
      if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) compare(&given, &mx_squares_avx2);
      if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
          __builtin_cpu_supports("avx512bw"))
        compare(&given, &mx_squares_avx512);
#endif
      take(&given);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_squares)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
