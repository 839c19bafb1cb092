/* Kinds of walls (maxwell/model/walls.h): what the problem makes of each, by what the manual says of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/tests/box.h"

/* The impedance behind the wall over that of the medium before it, which is `own` relative to the vacuum's. */
static double expected(const char *name, double own, double ohm)
{
  static const char *const metal[] = {"pec", "electric_field"};
  static const char *const magnet[] = {"pmc", "magnetic_field", "surface_current"};
  for (size_t i = 0; i < sizeof metal / sizeof *metal; i++)
    if (strcmp(name, metal[i]) == 0) return 0;
  for (size_t i = 0; i < sizeof magnet / sizeof *magnet; i++)
    if (strcmp(name, magnet[i]) == 0) return INFINITY;
  return strcmp(name, "impedance") == 0 ? ohm / MX_ETA0 / own : 1;
}

static void make_faces_of_their_kind(void **state)
{
  (void)state;
  const double ohm = 50, own = sqrt(1.5 / 4);
  for (int kind = 0; kind < MX_BOUNDARY_KINDS; kind++) {
    const char *const name = mx_boundary_kind_names[kind];
    if (kind == MX_OPEN_WALL) continue;      /* stands behind a layer only */
    if (kind == MX_PERIODIC) continue;       /* has no faces left when a problem is built */
    if (kind == MX_LUMPED_ELEMENT) continue; /* its circuit decides: element_contract.py */
    if (kind == MX_METAL_WALL) continue;     /* its band decides: test_metal */
    const double wanted = expected(name, own, ohm);
    const bool open = wanted > 0 && !isinf(wanted);
    struct box box = {0};
    size_t outer = 0;
    box_mesh(&box, (int[]){2, 2, 1}, (double[]){1, 1, 1}, 0.1, NULL);
    box_material(&box, 0, 4, 1.5, 0);
    box_boundary(&box, 0, (enum mx_boundary_kind)kind, ohm);
    box_problem(&box, 1, 0.5);
    for (size_t e = 0; e < box.problem.K; e++)
      for (int f = 0; f < 4; f++) {
        const struct mx_face_flux *const flux = &box.problem.flux[e][f];
        const struct mx_face_flux own_flux = mx_face_flux(own, wanted * own, open ? 1 : 0.5);
        if (box.mesh.neighbour[e][f] >= 0) continue;
        outer++;
        assert_int_equal(mx_open_slot(box.problem.neighbour[e][f]) >= 0, open);
        const double off = fabs(flux->h_jump - own_flux.h_jump) + fabs(flux->e_jump - own_flux.e_jump) +
                           fabs(flux->e_penalty - own_flux.e_penalty) + fabs(flux->h_penalty - own_flux.h_penalty);
        if (!(off < 1e-14)) fail_msg("%s: the flux is off by %g", name, off);
      }
    assert_int_equal(box.problem.open_faces, open ? outer : 0);
    assert_true(outer > 0);
    box_release(&box);
  }
  assert_null(mx_boundary_kind_names[MX_BOUNDARY_KINDS]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(make_faces_of_their_kind)};
  return cmocka_run_group_tests_name("walls", tests, NULL, NULL);
}
