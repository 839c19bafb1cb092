/* The elliptic operator and conjugate gradients of ranks that share the unknowns, on as many cards as there are,
 * against the host on the same ranks: products, solutions with the diagonal and with multigrid, bodies that all ranks
 * have, steps of heat, parts by METIS and by chance, and a rank without elements.
 *
 * Arguments: how shared unknowns travel ("auto", "direct", "staged"); the name of a test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gpu/tests/elliptic_both.h"
#include "maxwell/backend/backend.h"

static const struct dg_device_weights whole = {.of = {.stiffness = 0.3, .mass = 2, .face = 5}, .more = 0.7};
static const char *const parts_names[] = {"by METIS", "by chance", "the last has none"};

static void products_are_those_of_the_host(void **state)
{
  (void)state;
  for (int order = 1; order <= 4; order++)
    for (int kind = 0; kind < KINDS; kind++)
      for (int parts = 0; parts < 3; parts++) {
        struct scene scene;
        if (kind == CURVED && order == 1) continue;
        scene_parts = parts;
        open_scene(&scene, order, 2, kind);
        apply_once(&scene, whole, parts_names[parts], 1e-13);
        close_scene(&scene);
      }
}

static void solutions_are_those_of_the_host(void **state)
{
  (void)state;
  for (int order = 1; order <= 3; order++)
    for (int kind = 0; kind < KINDS; kind++) {
      struct scene scene;
      if (kind == CURVED && order == 1) continue;
      scene_parts = (order + kind) % 3;
      open_scene(&scene, order, 4, kind);
      solve_both(&scene, (struct dg_device_weights){.of = {.stiffness = 1}}, kind == FREE, false, kind_names[kind]);
      close_scene(&scene);
    }
}

static void solutions_with_multigrid(void **state)
{
  (void)state;
  for (int order = 2; order <= 4; order++)
    for (int kind = 0; kind < KINDS; kind++) {
      struct scene scene;
      scene_parts = (order + kind) % 3;
      open_scene(&scene, order, 4, kind);
      use_multigrid(&scene);
      solve_both(&scene, (struct dg_device_weights){.of = {.stiffness = 1}}, kind == FREE, false, kind_names[kind]);
      close_scene(&scene);
    }
}

static void steps_with_multigrid(void **state)
{
  static const double ratios[] = {1e-2, 1, 0.5, 30};
  (void)state;
  for (int order = 2; order <= 3; order++) {
    struct scene scene;
    scene_parts = order == 2 ? BY_METIS : BY_CHANCE;
    open_scene(&scene, order, 4, WALLS);
    use_multigrid(&scene);
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
      const double rest = 2 * ratios[i];
      const struct dg_device_weights w = {.of = {.stiffness = rest, .mass = 2, .face = rest}, .more = rest};
      solve_both(&scene, w, false, false, "a step of heat");
    }
    close_scene(&scene);
  }
}

/* One rank alone is short of memory: all of them hear of it, and none has a solver. */
static void memory_that_is_short(void **state)
{
  (void)state;
  struct scene scene;
  scene_parts = BY_METIS;
  open_scene(&scene, 2, 2, BODIES);
  for (long n = 1; n < 40; n += 13) {
    const struct dg_device_setup setup = {.op = scene.op, .multigrid = scene.levels, .direct = scene_direct};
    struct dg_device_solver *solver;
    struct dg_error err = {0};
    dg_memory_fail_at(dg_comm_rank(scene_comm) == 1 ? n : 0);
    const int status = ops->create(&solver, &setup, &err);
    dg_memory_fail_at(0);
    assert_int_equal(status, DG_ENVIRONMENT);
    assert_null(solver);
  }
  close_scene(&scene);
}

static int choose(int count, char **argument, struct dg_error *err)
{
  if (count > 1 && strcmp(argument[1], "direct") == 0) scene_direct = DG_YES;
  if (count > 1 && strcmp(argument[1], "staged") == 0) scene_direct = DG_NO;
  if (mx_backend_cuda.available(err) != 0) return 77;
  if (mx_backend_cuda.card->take(scene_comm, true, err) != 0) return 1;
  return scene_direct == DG_YES && dg_comm_takes_device_memory() == DG_NO ? 77 : 0;
}

int main(int count, char **argument)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_those_of_the_host), cmocka_unit_test(solutions_are_those_of_the_host),
      cmocka_unit_test(solutions_with_multigrid),       cmocka_unit_test(steps_with_multigrid),
      cmocka_unit_test(memory_that_is_short),
  };
  struct dg_error err = {0};
  if (dg_comm_start(&scene_comm, &err) != 0) return 1;
  int failed = choose(count, argument, &err);
  if (failed == 77) printf("skipped: %s\n", err.code != 0 ? err.message : "MPI does not take the GPU's memory");
  if (failed == 1) printf("%s\n", err.message);
  if (failed == 0 && count > 2) cmocka_set_test_filter(argument[2]);
  if (failed == 0) failed = cmocka_run_group_tests(tests, NULL, NULL);
  err = (struct dg_error){0};
  dg_comm_settle(scene_comm, &err);
  dg_comm_finish(scene_comm, failed);
  return failed;
}
