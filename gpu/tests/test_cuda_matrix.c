/* The `cuda` backend against the reference after 1,000 steps: every order, flux, integrator, boundary, interface,
 * source and precision, each with each integrator and, but for the orders, each flux with each integrator. An argument
 * is a pattern of the tests to run, "scene_1" say. */
#include "maxwell/backend/tests/fused_fixture.h"
#include "maxwell/backend/tests/fused_scenes.h"

#include "gpu/tests/card.h"

static const double fluxes[] = {0, 0.3, 1};
static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4, MX_EULER};

static void compare(int scene_number, struct scene_wanted wanted)
{
  struct scene scene;
  double worst[2];
  wanted.text = scenes[scene_number].text;
  wanted.steps = 1000;
  scene_build(&scene, &wanted);
  struct scene_result truth = scene_run(&scene, &mx_backend_reference, MX_DOUBLE);
  for (int single = 0; single < 2; single++) {
    struct scene_result result = scene_run(&scene, &mx_backend_cuda, single ? MX_SINGLE : MX_DOUBLE);
    worst[single] = scene_difference(&scene, &truth, &result);
    scene_result_release(&result);
  }
  print_message("%s, p = %d, flux %g, %s: largest field %.3g, differs by %.2g, in single precision %.2g\n",
                scenes[scene_number].name, wanted.order, wanted.alpha, mx_integrator_names[wanted.integrator],
                truth.check.largest, worst[0], worst[1]);
  assert_true(worst[0] < 1e-12);
  assert_true(worst[1] < 1e-4);
  scene_result_release(&truth);
  scene_release(&scene);
}

/* A scene with every integrator; fluxes and low orders take turns. */
static void compare_scene(int i)
{
  for (int k = 0; k < 4; k++) {
    struct scene_wanted wanted = {
        .order = 1 + (i + k / 2) % 3, .alpha = fluxes[(i + k + 1) % 3], .integrator = integrators[k]};
    bool lua = i == FIELDS || i == CURRENTS; /* functions of time: most of the time goes there */
    if (!scenes[i].ring) memcpy(wanted.cells, (const int[]){2, lua ? 1 : 3, 1}, sizeof wanted.cells);
    compare(i, wanted);
  }
}

/* Leapfrog and Runge-Kutta stages at high orders, which take too long for lsrk: once with a penalty on faces, once
 * without. */
static void compare_order(int order)
{
  for (int k = 0; k < 2; k++) {
    bool open = (order + k) % 2 == 0;
    struct scene_wanted wanted = {.cells = {2, order < 7 ? 2 : 1, 1}, .order = order, .alpha = open ? 0.7 : 0};
    wanted.integrator = k == 0 ? MX_LEAPFROG : order == 4 ? MX_LSRK : MX_EULER;
    compare(open ? WAVES : CAVITY, wanted);
  }
}

/* Each scene is a test of its own, so that they can be run side by side. */
#define SCENE(i)                                                                                                       \
  static void scene_##i(void **state)                                                                                  \
  {                                                                                                                    \
    (void)state;                                                                                                       \
    compare_scene(i);                                                                                                  \
  }
#define ORDER(p)                                                                                                       \
  static void order_##p(void **state)                                                                                  \
  {                                                                                                                    \
    (void)state;                                                                                                       \
    compare_order(p);                                                                                                  \
  }
SCENE(0)
SCENE(1)
SCENE(2)
SCENE(3)
SCENE(4)
SCENE(5)
SCENE(6)
ORDER(4)
ORDER(5)
ORDER(6)
ORDER(7)
ORDER(8)

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scene_0), cmocka_unit_test(scene_1), cmocka_unit_test(scene_2), cmocka_unit_test(scene_3),
      cmocka_unit_test(scene_4), cmocka_unit_test(scene_5), cmocka_unit_test(scene_6), cmocka_unit_test(order_4),
      cmocka_unit_test(order_5), cmocka_unit_test(order_6), cmocka_unit_test(order_7), cmocka_unit_test(order_8),
  };
  if (no_card()) return 77;
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
