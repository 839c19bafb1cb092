/* Curved elements of the `cpu` backend: every instruction set of this machine, order, precision and flux, a few steps.
 *
 * A straight element may be said to be curved, with an affine map: all results are those of the straight element. On
 * bent boxes, of which a part is straight, the reference says what is right. */
#include "maxwell/backend/tests/fused_fixture.h"
#include "maxwell/backend/tests/fused_scenes.h"
#include "maxwell/backend/tests/instruction_sets.h"

#include "libdg/mesh/curve.h"
#include "maxwell/tests/bent.h"

static const char *const instruction_sets[] = {"portable", "avx2", "avx512"};

/* Gives every n-th element its own affine map as that of a curved element of order 2. */
static void say_curved(struct scene *scene, size_t n)
{
  struct mx_problem *problem = &scene->box.problem;
  const struct dg_mesh *mesh = &scene->box.mesh;
  struct dg_error err = {0};
  const size_t nodes = dg_shape_nodes(2);
  assert_int_equal(mx_problem_add_curves(problem, 2, (problem->K + n - 1) / n, &err), 0);
  for (size_t e = 0, k = 0; e < problem->K; e += n, k++) {
    size_t node = k * nodes;
    problem->curves.where[k] = (int32_t)e;
    for (int t = 0; t <= 2; t++)
      for (int s = 0; s + t <= 2; s++)
        for (int r = 0; r + s + t <= 2; r++, node++) {
          const double place[3] = {r - 1, s - 1, t - 1};
          dg_mesh_map(mesh, e, place, problem->curves.shape[node], NULL);
        }
  }
}

static struct scene_wanted wanted_of(int number, int order, double alpha, enum mx_integrator integrator, long steps)
{
  struct scene_wanted wanted = {
      .text = scenes[number].text, .order = order, .alpha = alpha, .integrator = integrator, .steps = steps};
  const int cells[3] = {2, order < 5 ? 3 : 1, order < 5 ? 2 : 1};
  if (!scenes[number].ring) memcpy(wanted.cells, cells, sizeof cells);
  return wanted;
}

/* Compares with `truth`, and releases both. */
static void compare(struct scene *scene, const struct scene_wanted *wanted, struct scene_result *truth)
{
  for (size_t i = 0; i < sizeof instruction_sets / sizeof *instruction_sets; i++)
    for (int single = 0; single < 2; single++) {
      if (!take_instructions(instruction_sets[i])) continue;
      struct scene_result result = scene_run(scene, &mx_backend_cpu, single ? MX_SINGLE : MX_DOUBLE);
      double worst = scene_difference(scene, truth, &result), tolerance = single ? 1e-5 : 1e-12;
      if (!(worst < tolerance))
        fail_msg("order %d, flux %g, %s, %s, %s: differs by %g", wanted->order, wanted->alpha,
                 mx_integrator_names[wanted->integrator], instruction_sets[i], single ? "single" : "double", worst);
      scene_result_release(&result);
    }
  leave_instructions();
  scene_result_release(truth);
  scene_release(scene);
}

static void affine(const struct scene_wanted *wanted, size_t n)
{
  struct scene scene;
  scene_build(&scene, wanted);
  struct scene_result truth = scene_run(&scene, &mx_backend_reference, MX_DOUBLE);
  say_curved(&scene, n);
  compare(&scene, wanted, &truth);
}

static void test_affine_orders(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int alpha = 0; alpha < 2; alpha++) {
      const struct scene_wanted leapfrog = wanted_of(WAVES, order, alpha, MX_LEAPFROG, 10);
      const struct scene_wanted lsrk = wanted_of(WAVES, order, alpha, MX_LSRK, 2);
      affine(&leapfrog, 2);
      affine(&lsrk, alpha == 0 ? 3 : 1);
    }
}

static void test_affine_scenes(void **state)
{
  (void)state;
  static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4, MX_EULER};
  for (int i = 0; i < SCENES; i++)
    for (int k = 0; k < 4; k++) {
      const struct scene_wanted wanted = wanted_of(i, 1 + (i + k) % 3, 0.5 * ((i + k) % 3), integrators[k], 10);
      affine(&wanted, 2);
    }
}

/* Bends what lies behind *context in x. Walls and the plane between the volumes stay plane, as sources want them. */
static void bulge(void *context, double x[3])
{
  const double behind = x[0] - *(const double *)context, u = behind > 0 ? behind * behind : 0;
  const double X = x[0], Y = x[1], Z = x[2];
  x[0] += 0.5 * u * (X - 0.5) * (1 - X) * (Y + Z);
  x[1] += 0.8 * u * Y * (0.6 - Y) * (1 + X * Z);
  x[2] += 0.8 * u * Z * (0.5 - Z) * (X + Y);
}

static void bent(int number, int order, double alpha, enum mx_integrator integrator, long steps)
{
  const struct scene_wanted wanted = wanted_of(number, order, alpha, integrator, steps);
  double from = (order + (int)integrator) % 2 == 0 ? 0.5 : 0.2; /* half of the box stays straight, or a few elements */
  struct scene scene = {0};
  box_mesh(&scene.box, wanted.cells, scene_size, 0.2, NULL);
  bend_box(&scene.box, 2 + order % 3, bulge, &from);
  scene_build_on(&scene, &wanted);
  assert_true(scene.box.problem.curves.count > 0);
  struct scene_result truth = scene_run(&scene, &mx_backend_reference, MX_DOUBLE);
  compare(&scene, &wanted, &truth);
}

static void test_bent_orders(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int alpha = 0; alpha < 2; alpha++) {
      bent(WAVES, order, alpha, MX_LEAPFROG, 10);
      bent(WAVES, order, alpha, MX_LSRK, 2);
    }
}

static void test_bent_scenes(void **state)
{
  (void)state;
  static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4, MX_EULER};
  for (int i = 0; i < SCENES; i++)
    for (int k = 0; k < 4 && !scenes[i].ring; k++) bent(i, 1 + (i + k) % 3, 0.5 * ((i + k) % 3), integrators[k], 10);
}

/* What the backend says that it will allocate, and what it does: within 5 %. */
static void test_memory(void **state)
{
  (void)state;
  for (int alpha = 0; alpha < 2; alpha++)
    for (int single = 0; single < 2; single++) {
      const struct mx_backend_options options = {
          .integrator = MX_LEAPFROG, .precision = single ? MX_SINGLE : MX_DOUBLE, .step = 1e-3};
      struct box box = {0};
      struct mx_backend *backend;
      struct dg_error err = {0};
      double from = 0.5;
      box_mesh(&box, (const int[]){10, 8, 8}, scene_size, 0.2, NULL);
      box_material(&box, 0, 1, 1, 0);
      bend_box(&box, 2, bulge, &from);
      box_problem(&box, 3, alpha);
      const double before = (double)dg_memory_current();
      assert_int_equal(mx_backend_cpu.create(&backend, &box.problem, &options, &err), 0);
      const double took = (double)dg_memory_current() - before;
      const double said = (double)mx_backend_cpu.memory(&box.problem, &options);
      if (!(fabs(said - took) < 0.05 * took)) fail_msg("flux %d: it takes %g bytes and says %g", alpha, took, said);
      mx_backend_cpu.destroy(backend);
      box_release(&box);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_affine_orders), cmocka_unit_test(test_affine_scenes), cmocka_unit_test(test_bent_orders),
      cmocka_unit_test(test_bent_scenes),   cmocka_unit_test(test_memory),
  };
  return code_of_sets(cmocka_run_group_tests(tests, enter_folder, leave_folder));
}
