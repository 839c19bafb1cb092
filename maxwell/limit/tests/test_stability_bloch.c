/* The step limit with Bloch phases: that of a cell of twice the length has the modes of the phases 0 and pi and no
 * others, and a part of a problem decides as all of it does. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "libdg/mesh/period.h"
#include "libdg/mesh/sets.h"
#include "maxwell/limit/stability.h"
#include "maxwell/tests/box.h"

static const double pi = 3.14159265358979323846, length = 0.5;

/* Small cells beside the periodic sides. */
static double to_the_sides(double u) { return u - 0.9 / (2 * pi) * sin(2 * pi * u); }

/* The limit of a box whose sides in x are periodic; `phase` is that of the field from one to the other, NAN: none, and
 * one set of elements. */
static double limit_of(int cells, double size, double phase, enum mx_integrator integrator, size_t unknowns,
                       double (*stretch)(double))
{
  struct box box = {0};
  struct dg_error err = {0};
  struct mx_ranks ranks = {0};
  struct mx_stability stability = {0};
  bool from[8] = {0}, to[8] = {0};
  const double k[3] = {phase / size, 0, 0};
  box_mesh(&box, (const int[3]){cells, 2, 2}, (const double[3]){size, 0.6, 0.7}, 0, stretch);
  from[dg_mesh_find_entity(&box.mesh, 2, 1)] = to[dg_mesh_find_entity(&box.mesh, 2, 2)] = true;
  const struct dg_mesh_sides sides = {.from = from, .to = to, .name = {"low", "high"}};
  assert_int_equal(dg_mesh_join_sides(&box.mesh, 1, &sides, &err), 0);
  if (!isnan(phase) && (dg_mesh_make_sets(&box.mesh, &err) != 0 || dg_halo_init(&ranks.halo, &box.mesh, &err) != 0 ||
                        dg_halo_set_turns(&ranks.halo, &box.mesh, k, &err) != 0))
    fail_msg("%s", err.message);
  dg_geometry_release(&box.geometry);
  box_material(&box, 0, 1, 1, 0);
  box_boundary(&box, 0, MX_PEC, 0);
  if (dg_geometry_init(&box.geometry, &box.mesh, &err) != 0 || dg_reference_init(&box.ref, 2, &err) != 0 ||
      mx_problem_init(&box.problem, &box.assignment, &box.config, &box.mesh, &box.geometry, &box.ref,
                      isnan(phase) ? NULL : &ranks, &err) != 0 ||
      mx_stability_limit(&stability, &box.problem, integrator, unknowns, &err) != 0)
    fail_msg("%s", err.message);
  dg_halo_release(&ranks.halo);
  box_release(&box);
  return stability.limit;
}

static void test_doubled_cell(void **state)
{
  (void)state;
  for (enum mx_integrator integrator = MX_LEAPFROG; integrator <= MX_LSRK; integrator++) {
    const double at_0 = limit_of(2, length, 0, integrator, 0, NULL),
                 at_pi = limit_of(2, length, pi, integrator, 0, NULL),
                 alone = limit_of(2, length, NAN, integrator, 0, NULL),
                 doubled = limit_of(4, 2 * length, NAN, integrator, 0, NULL);
    print_message("limits at 0: %.6f %.6f, at pi: %.6f, of twice the length: %.6f\n", at_0, alone, at_pi, doubled);
    const double within = integrator == MX_LEAPFROG ? 0.004 : 0.02;
    assert_true(fabs(at_0 / alone - 1) < within);
    assert_true(fabs(fmin(at_0, at_pi) / doubled - 1) < within);
  }
}

static void test_part_is_enough(void **state)
{
  (void)state;
  for (enum mx_integrator integrator = MX_LEAPFROG; integrator <= MX_LSRK; integrator++) {
    const size_t all = 2 * 6 * 24 * 12 * 2 * 10;
    const double whole = limit_of(24, length, 2.1, integrator, 0, to_the_sides),
                 part = limit_of(24, length, 2.1, integrator, all / 3, to_the_sides);
    print_message("limit of all: %.6f, of a part: %.6f\n", whole, part);
    assert_true(fabs(part / whole - 1) < 0.02);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_doubled_cell), cmocka_unit_test(test_part_is_enough)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
