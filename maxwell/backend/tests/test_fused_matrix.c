/* The `cpu` backend against the reference after 1,000 steps: every order, flux, integrator, boundary, interface, source
 * and precision, each with each integrator and, but for the orders, each flux with each integrator. */
#include "maxwell/backend/tests/fused_fixture.h"
#include "maxwell/backend/tests/fused_scenes.h"
#include "maxwell/backend/tests/instruction_sets.h"

static const double fluxes[] = {0, 0.3, 1};
static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4, MX_EULER};

/* With AVX-512 and with one other instruction set. */
static void compare(int scene_number, const char *other, struct scene_wanted wanted)
{
  const char *const instruction_sets[] = {"avx512", other};
  struct scene scene;
  double worst[2] = {0, 0};
  wanted.text = scenes[scene_number].text;
  wanted.steps = 1000;
  scene_build(&scene, &wanted);
  struct scene_result truth = scene_run(&scene, &mx_backend_reference, MX_DOUBLE);
  for (int i = 0; i < 2; i++)
    for (int single = 0; single < 2; single++) {
      if (!take_instructions(instruction_sets[i])) continue;
      struct scene_result result = scene_run(&scene, &mx_backend_cpu, single ? MX_SINGLE : MX_DOUBLE);
      double difference = scene_difference(&scene, &truth, &result);
      worst[single] = fmax(worst[single], difference);
      scene_result_release(&result);
    }
  print_message("%s, p = %d, flux %g, %s, %s: largest field %.3g, differs by %.2g, in single precision %.2g\n",
                scenes[scene_number].name, wanted.order, wanted.alpha, mx_integrator_names[wanted.integrator], other,
                truth.check.largest, worst[0], worst[1]);
  assert_true(worst[0] < 1e-11);
  assert_true(worst[1] < 1e-4);
  leave_instructions();
  scene_result_release(&truth);
  scene_release(&scene);
}

static const char *other_set(int i) { return i % 2 == 0 ? "avx2" : "portable"; }

/* Every scene with every integrator; fluxes, instruction sets and low orders take turns. */
static void test_scenes(void **state)
{
  (void)state;
  for (int i = 0; i < SCENES; i++)
    for (int k = 0; k < 4; k++) {
      struct scene_wanted wanted = {
          .order = 1 + (i + k / 2) % 3, .alpha = fluxes[(i + k + 1) % 3], .integrator = integrators[k]};
      bool lua = i == FIELDS || i == CURRENTS; /* functions of time: most of the time goes there */
      if (!scenes[i].ring) memcpy(wanted.cells, (const int[]){2, lua ? 1 : 3, 1}, sizeof wanted.cells);
      compare(i, other_set(i + k + k / 2), wanted);
    }
}

/* The kernels of leapfrog and of Runge-Kutta stages at high orders, which take too long for lsrk: once with a penalty
 * on faces, once without. */
static void test_high_orders(void **state)
{
  (void)state;
  for (int order = 4; order <= DG_ORDER_MAX; order++)
    for (int k = 0; k < 2; k++) {
      bool open = (order + k) % 2 == 0;
      struct scene_wanted wanted = {.cells = {2, order < 7 ? 2 : 1, 1}, .order = order, .alpha = open ? 0.7 : 0};
      wanted.integrator = k == 0 ? MX_LEAPFROG : order == 4 ? MX_LSRK : MX_EULER;
      compare(open ? WAVES : CAVITY, other_set(order / 2 + k), wanted);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scenes),
      cmocka_unit_test(test_high_orders),
  };
  return code_of_sets(cmocka_run_group_tests(tests, enter_folder, leave_folder));
}
