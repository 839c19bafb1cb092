/* The `cpu` backend gives the same answers with one, two and three threads. */
#include "maxwell/backend/tests/fused_fixture.h"

#include <omp.h>

#include "maxwell/backend/cpu/fused_tables.h"

enum { MOST = 3 };

/* Elements of which several faces belong to one term, open faces; the fixture adds losses. */
static const char text[] =
    "boundaries = {\n"
    "[1] = { kind = 'plane_wave', direction = { 1, 0, 0 }, polarisation = { 0, 0, 1 }, waveform = wave },\n"
    "[2] = { kind = 'absorbing' }, [3] = { kind = 'pmc' }, [4] = { kind = 'pmc' },\n"
    "default = { kind = 'electric_field', profile = { 0.3, 0.2, 0.1 }, waveform = wave } },\n"
    "interfaces = { [7] = { kind = 'total_field', region = 2, waveform = wave, direction = { 1, 0, 0 },\n"
    "  polarisation = { 0, 0, 1 } } },\n"
    "sources = { { region = 2, profile = { 1e-3, -2e-3, 1e-3 }, waveform = wave },\n"
    "{ from = { 0.1, 0.05, 0.1 }, to = { 0.9, 0.4, 0.31 }, amperes = 1e-3, waveform = wave } }";

/* Sources that the threads share, and, on walls of few faces and along the wire, sources that one of them adds. */
static void check_shares(const struct mx_problem *problem)
{
  int shared = 0, alone = 0;
  for (size_t i = 0; i < problem->terms; i++) {
    int threads = mx_fused_term_threads(&problem->term[i], MOST);
    if (threads == MOST) shared++;
    if (threads == 1) alone++;
  }
  assert_true(shared == 3 && alone == 2);
}

static void compare(struct scene *scene, enum mx_precision precision)
{
  struct scene_result result[MOST];
  for (int i = 0; i < MOST; i++) {
    omp_set_num_threads(i + 1);
    result[i] = scene_run(scene, &mx_backend_cpu, precision);
    assert_int_equal(result[i].threads, i + 1);
    if (i == 0) continue;
    double difference = scene_difference(scene, &result[0], &result[i]);
    print_message("%s, %s: %d threads differ by %.2g\n", mx_integrator_names[scene->integrator],
                  precision == MX_SINGLE ? "single" : "double", i + 1, difference);
    assert_true(difference < 1e-13);
    assert_int_equal(result[i].check.element, result[0].check.element);
  }
  for (int i = 0; i < MOST; i++) scene_result_release(&result[i]);
}

static void test_threads(void **state)
{
  (void)state;
  for (int integrator = MX_LEAPFROG; integrator <= MX_EULER; integrator++) {
    const struct scene_wanted wanted = {.text = text,
                                        .cells = {6, 5, 5},
                                        .order = 2,
                                        .alpha = 0.7,
                                        .integrator = (enum mx_integrator)integrator,
                                        .steps = 30};
    struct scene scene;
    scene_build(&scene, &wanted);
    check_shares(&scene.box.problem);
    compare(&scene, MX_DOUBLE);
    compare(&scene, MX_SINGLE);
    scene_release(&scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
