/* Cubes of a mass in a grid against what can be worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "maxwell/phasor/sar_cubes.h"

enum { N = 15 };

static double mass[N * N * N], power[N * N * N], average[N * N * N];
static const double cell = 2e-3;

static size_t at(int i, int j, int k) { return (size_t)((k * N + j) * N + i); }

/* A block of 1000 kg/m^3 in the voxels from `first` on, whose SAR is 3 + slope * (i + 1/2). */
static void fill(int first, double slope)
{
  for (int k = 0; k < N; k++)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++) {
        const double m = i < first ? 0 : 1000 * cell * cell * cell;
        mass[at(i, j, k)] = m;
        power[at(i, j, k)] = m * (3 + slope * (i + 0.5));
      }
}

static void find(double kilograms)
{
  struct dg_error err = {0};
  const struct mx_voxels voxels = {{N, N, N}, cell, mass, power};
  if (mx_sar_cubes(&voxels, kilograms, average, &err) != 0) fail_msg("%s", err.message);
}

static void expect(int i, int j, int k, double wanted)
{
  if (!(fabs(average[at(i, j, k)] / wanted - 1) < 1e-9))
    fail_msg("voxel %d %d %d has %.15g W/kg, not %.15g", i, j, k, average[at(i, j, k)], wanted);
}

static void a_uniform_sar_is_its_own_average(void **state)
{
  (void)state;
  fill(0, 0);
  find(1e-3);
  for (int k = 0; k < N; k++)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++) expect(i, j, k, 3);
}

/* 1 g of water is a cube of 10 mm, 5 voxels. Around an inner voxel a linear SAR averages to its value in the middle. */
static void a_linear_sar_has_the_value_of_the_middle(void **state)
{
  (void)state;
  fill(0, 0.7);
  find(1e-3);
  for (int i = 2; i < N - 2; i++) expect(i, 7, 7, 3 + 0.7 * (i + 0.5));
  /* Nothing is outside of the grid. The cube around voxel 1 reaches from -1 on: with 5 voxels 9/10 of it are
   * filled, so that it needs an edge a with a^2 (a/2 + 1.5) = 125, which is 5.20: 0.789 of it is filled, not valid. The
   * voxel is in the cubes around voxels 2 and 3, and has the value of the latter. Voxel N - 2 is in those around N - 4
   * and N - 3, likewise the latter. */
  expect(1, 7, 7, 3 + 0.7 * 3.5);
  expect(N - 2, 7, 7, 3 + 0.7 * (N - 3 + 0.5));
}

/* The edge of a cube that is not a whole number of voxels: 2 g are 12.6 mm. */
static void cubes_cut_voxels(void **state)
{
  (void)state;
  fill(0, 0);
  for (int k = 0; k < N; k++)
    for (int j = 0; j < N; j++) power[at(7, j, k)] *= 2;
  find(2e-3);
  expect(7, 7, 7, 3 * (1 + cell / cbrt(2e-6)));
}

/* Voxels at an edge of a slab thinner than a cube have no valid cube: the cubes with the voxel in a face. */
static void what_no_valid_cube_holds_has_cubes_at_its_face(void **state)
{
  (void)state;
  fill(N - 2, 0); /* two voxels thick: 4 mm, and the cube that begins in a voxel's middle and grows inwards is cut */
  find(1e-3);
  for (int i = N - 2; i < N; i++) expect(i, 7, 7, 3);
  assert_true(isnan(average[at(0, 7, 7)]));
}

static void a_mass_that_is_not_there_has_no_average(void **state)
{
  (void)state;
  fill(0, 0);
  find(1);
  assert_true(isnan(average[at(7, 7, 7)]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_uniform_sar_is_its_own_average),
      cmocka_unit_test(a_linear_sar_has_the_value_of_the_middle),
      cmocka_unit_test(cubes_cut_voxels),
      cmocka_unit_test(what_no_valid_cube_holds_has_cubes_at_its_face),
      cmocka_unit_test(a_mass_that_is_not_there_has_no_average),
  };
  return cmocka_run_group_tests_name("sar", tests, NULL, NULL);
}
