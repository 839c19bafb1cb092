/* The `cpu` backend against the reference for a few steps: every instruction set of this machine, order, precision and
 * flux. test_fused_matrix has 1,000 steps. */
#include "maxwell/backend/tests/fused_fixture.h"
#include "maxwell/backend/tests/fused_scenes.h"
#include "maxwell/backend/tests/instruction_sets.h"

#include "maxwell/backend/cpu/fused_tables.h"
#include "maxwell/backend/frame/face_weights.h"
#include "maxwell/tests/sanitized.h"

static const char *const instruction_sets[] = {"portable", "avx2", "avx512"};

static struct scene_wanted waves(int order, double alpha, enum mx_integrator integrator, long steps)
{
  return (struct scene_wanted){.text = scenes[WAVES].text,
                               .cells = {2, 3, order < 5 ? 3 : 1},
                               .order = order,
                               .alpha = alpha,
                               .integrator = integrator,
                               .steps = steps};
}

static void compare(const struct scene_wanted *wanted)
{
  struct scene scene;
  scene_build(&scene, wanted);
  struct scene_result truth = scene_run(&scene, &mx_backend_reference, MX_DOUBLE);
  for (size_t i = 0; i < sizeof instruction_sets / sizeof *instruction_sets; i++)
    for (int single = 0; single < 2; single++) {
      if (!take_instructions(instruction_sets[i])) continue;
      struct scene_result result = scene_run(&scene, &mx_backend_cpu, single ? MX_SINGLE : MX_DOUBLE);
      double worst = scene_difference(&scene, &truth, &result), tolerance = single ? 1e-5 : 1e-12;
      if (!(worst < tolerance))
        fail_msg("order %d, flux %g, %s, %s, %s: differs by %g", wanted->order, wanted->alpha,
                 mx_integrator_names[wanted->integrator], instruction_sets[i], single ? "single" : "double", worst);
      scene_result_release(&result);
    }
  leave_instructions();
  scene_result_release(&truth);
  scene_release(&scene);
}

static void test_orders(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int alpha = SANITIZED ? order % 2 : 0; alpha < 2; alpha += SANITIZED ? 2 : 1) {
      const struct scene_wanted leapfrog = waves(order, alpha, MX_LEAPFROG, SANITIZED ? 3 : 10);
      const struct scene_wanted lsrk = waves(order, alpha, MX_LSRK, SANITIZED ? 1 : 3);
      compare(&leapfrog);
      compare(&lsrk);
    }
}

/* Both backends name the same element: the first that is not finite, else the one with the largest component. */
static void test_check(void **state)
{
  (void)state;
  const struct scene_wanted wanted = waves(2, 1, MX_LSRK, 0);
  struct scene scene;
  scene_build(&scene, &wanted);
  size_t per_element = 3 * (size_t)scene.box.ref.Np;
  scene.H[per_element * 40 + 7] = -5;
  for (int bad = 0; bad < 3; bad++) {
    if (bad == 1) scene.H[per_element * 77 + 3] = NAN;
    if (bad == 2) scene.E[per_element * 61 + 5] = -INFINITY;
    for (int k = 0; k < 3; k++) {
      const struct mx_backend_ops *ops = k == 0 ? &mx_backend_reference : &mx_backend_cpu;
      struct scene_result result = scene_run(&scene, ops, k == 2 ? MX_SINGLE : MX_DOUBLE);
      assert_int_equal(result.check.finite, bad == 0);
      assert_int_equal(result.check.element, bad == 0 ? 40 : bad == 1 ? 77 : 61);
      assert_true(bad == 0 ? fabs(result.check.largest - 5) < 1e-5 : isinf(result.check.largest));
      scene_result_release(&result);
    }
  }
  scene_release(&scene);
}

static void test_worse(void **state)
{
  (void)state;
  const struct mx_field_check ascending[] = {{true, 3, 1}, {true, 1, 1},         {true, 2, 4},
                                             {true, 0, 4}, {false, 8, INFINITY}, {false, 6, INFINITY}};
  for (size_t i = 0; i < 6; i++)
    for (size_t j = 0; j < 6; j++) {
      struct mx_field_check worse = mx_worse_check(ascending[i], ascending[j]);
      assert_int_equal(worse.element, ascending[i > j ? i : j].element);
    }
}

/* The parts of the threads follow one another, together are all entries, and none divides an element. */
static void test_shares_of_terms(void **state)
{
  (void)state;
  enum { COUNT = 300 };
  int32_t where[COUNT];
  struct mx_term term = {.kind = MX_JUMP, .count = COUNT, .where = where};
  for (int faces = 1; faces <= 4; faces++)
    for (int threads = 1; threads <= 130; threads++) {
      size_t end = 0;
      for (int k = 0; k < COUNT; k++) where[k] = 4 * (7 + 2 * (k / faces)) + k % faces;
      for (int thread = 0; thread < threads; thread++) {
        size_t first, last;
        mx_fused_share_term(&term, threads, thread, &first, &last);
        assert_true(first == end && last >= first && first % (size_t)faces == 0);
        end = last;
      }
      assert_int_equal(end, COUNT);
    }
  assert_int_equal(mx_fused_term_threads(&term, 4), 4);
  assert_int_equal(mx_fused_term_threads(&term, 100), COUNT / 32);
  where[COUNT - 1] = where[0]; /* an element's entries apart from each other: as along a wire */
  assert_int_equal(mx_fused_term_threads(&term, 4), 1);
  term.count = 20;
  assert_int_equal(mx_fused_term_threads(&term, 4), 1);
}

/* Every face finds its own weights in the table, which has none twice and the most frequent ones first. */
static void test_distinct_fluxes(void **state)
{
  (void)state;
  const struct scene_wanted wanted = waves(1, 0.5, MX_LEAPFROG, 0);
  struct scene scene;
  struct dg_error err = {0};
  struct mx_face_flux *table;
  size_t count, often[500] = {0};
  scene_build(&scene, &wanted);
  const struct mx_problem *problem = &scene.box.problem;
  int32_t(*index)[4] = calloc(problem->K, sizeof *index);
  assert_int_equal(mx_distinct_fluxes(problem, index, &table, &count, &err), 0);
  assert_true(count > 5 && count < problem->K);
  for (size_t e = 0; e < problem->K; e++)
    for (int f = 0; f < 4; f++) {
      assert_in_range(index[e][f], 0, count - 1);
      assert_memory_equal(&table[index[e][f]], &problem->flux[e][f], sizeof *table);
      often[index[e][f]]++;
    }
  for (size_t i = 0; i < count; i++) {
    assert_true(often[i] > 0 && often[i] <= often[0]);
    for (size_t j = 0; j < i; j++) assert_memory_not_equal(&table[i], &table[j], sizeof *table);
  }
  dg_free(table);
  free(index);
  scene_release(&scene);
}

static void test_memory_failure(void **state)
{
  (void)state;
  const struct scene_wanted wanted = waves(2, 1, MX_LEAPFROG, 1);
  struct scene scene;
  scene_build(&scene, &wanted);
  for (int single = 0; single < 2; single++)
    for (long n = 1;; n++) {
      const struct mx_backend_options options = {
          .integrator = MX_LEAPFROG, .precision = single ? MX_SINGLE : MX_DOUBLE, .step = 1e-3};
      struct mx_backend *backend;
      struct dg_error err = {0};
      size_t before = dg_memory_current();
      dg_memory_fail_at(n);
      int status = mx_backend_cpu.create(&backend, &scene.box.problem, &options, &err);
      dg_memory_fail_at(0);
      if (status == 0) {
        mx_backend_cpu.destroy(backend);
        assert_true(n > 10);
        break;
      }
      assert_int_equal(status, DG_ENVIRONMENT);
      assert_int_equal(dg_memory_current(), before);
    }
  scene_release(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders),          cmocka_unit_test(test_check),
      cmocka_unit_test(test_worse),           cmocka_unit_test(test_shares_of_terms),
      cmocka_unit_test(test_distinct_fluxes), cmocka_unit_test(test_memory_failure),
  };
  return code_of_sets(cmocka_run_group_tests(tests, enter_folder, leave_folder));
}
