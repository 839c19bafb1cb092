/* Phases by the clock of the `cuda` backend: they add up to the time of the loop, name what there is to do, change no
 * bit of the fields, and cost nothing when they are off. */
#include "maxwell/backend/tests/fused_fixture.h"
#include "maxwell/backend/tests/fused_scenes.h"

#include <string.h>

#include "gpu/core/phases.h"
#include "gpu/tests/card.h"
#include "libdg/base/clock.h"
#include "libdg/mesh/curve.h"
#include "maxwell/backend/profiled.h"

/* The elements behind x = 0.8 are bent. */
static void bulge(void *context, double x[3])
{
  (void)context;
  const double u = x[0] > 0.8 ? (x[0] - 0.8) * (x[0] - 0.8) : 0;
  x[1] += u * (0.6 + x[2] * x[2] + 0.3 * x[1]);
  x[2] += u * (x[1] - 0.8 * x[1] * x[1]);
}

static void build(struct box *box, int n, int order, bool bent)
{
  struct dg_error err = {0};
  box_mesh(box, (const int[3]){n, n, n}, (const double[3]){1, 1, 1}, 0, NULL);
  if (bent) {
    dg_geometry_release(&box->geometry);
    if (dg_mesh_bend(&box->mesh, 2, bulge, NULL, &err) != 0 || dg_geometry_init(&box->geometry, &box->mesh, &err) != 0)
      fail_msg("%s", err.message);
  }
  box_material(box, 0, 1, 1, 0);
  box_problem(box, order, 1);
  assert_true((box->problem.curves.count > 0) == bent);
}

static const struct mx_phase *find(const struct mx_profile *profile, const char *name)
{
  for (size_t i = 0; i < profile->card.count; i++)
    if (strcmp(profile->card.phase[i].name, name) == 0) return &profile->card.phase[i];
  return NULL;
}

static long calls_of(const struct mx_profile *profile, const char *name)
{
  const struct mx_phase *phase = find(profile, name);
  if (phase == NULL) fail_msg("there is no phase '%s'", name);
  return phase->calls;
}

static double phases_of(const struct mx_profile *profile)
{
  double sum = 0;
  for (size_t i = 0; i < profile->card.count; i++) sum += profile->card.phase[i].seconds;
  return sum;
}

/* Steps with a profile; the seconds of the host's clock. */
static double steps_with(const struct drive *drive, struct mx_profile *profile, long steps)
{
  struct dg_error err = {0};
  assert_int_equal(drive->ops->card->wait(drive->backend, &err), 0);
  drive->ops->profile(drive->backend, profile);
  assert_int_equal(drive->ops->card->wait(drive->backend, &err), 0);
  const double start = mx_clock();
  drive_steps(drive, steps);
  assert_int_equal(drive->ops->card->wait(drive->backend, &err), 0);
  const double seconds = mx_clock() - start;
  drive->ops->profile(drive->backend, NULL);
  return seconds;
}

static void report(const char *what, const struct mx_profile *profile, double seconds)
{
  print_message("%s: loop %.4f s, phases %.4f s, idle %.4f s\n", what, seconds, phases_of(profile), profile->card.idle);
  for (size_t i = 0; i < profile->card.count; i++) {
    const struct mx_phase *phase = &profile->card.phase[i];
    print_message("  %-24s %7ld calls, %8.2f us each, %7.1f GB/s of %.1f, %8.1f GFLOP/s\n", phase->name, phase->calls,
                  1e6 * phase->seconds / (double)phase->calls, 1e-9 * phase->cost.bytes / phase->seconds,
                  1e-9 * profile->card.copy, 1e-9 * phase->cost.flops / phase->seconds);
  }
}

/* Steps that take long: the phases alone are nearly all of the loop. What they cost is said: kernels do not overlap at
 * events, as those of curved elements and the passes otherwise do. */
static void test_sum(void **state)
{
  (void)state;
  enum { STEPS = 200 };
  struct box box = {0};
  struct mx_profile profile = {0};
  struct dg_error err = {0};
  build(&box, 22, 3, true); /* 63,888 elements, 7.7 million unknowns */
  double *start = box_field(&box), plain = INFINITY, watched = INFINITY;
  box_noise(&box, start);
  struct drive drive = drive_new(&mx_backend_cuda, &box, MX_LEAPFROG, MX_DOUBLE, 1e-4, start, start);
  for (int turn = 0; turn < 5; turn++) {
    drive_steps(&drive, 5);
    assert_int_equal(drive.ops->card->wait(drive.backend, &err), 0);
    const double from = mx_clock();
    drive_steps(&drive, STEPS);
    assert_int_equal(drive.ops->card->wait(drive.backend, &err), 0);
    plain = fmin(plain, mx_clock() - from);
    profile = (struct mx_profile){0};
    const double seconds = steps_with(&drive, &profile, STEPS);
    const double all = phases_of(&profile) + profile.card.idle;
    if (turn == 0) report("large", &profile, seconds);
    if (!(fabs(all - seconds) < 0.03 * seconds)) fail_msg("phases and idle time %g s, loop %g s", all, seconds);
    watched = fmin(watched, seconds);
  }
  print_message("a profile costs %.2f %% at %zu unknowns\n", 100 * (watched / plain - 1),
                6 * box.problem.K * (size_t)box.ref.Np);
  assert_true(profile.card.idle < 0.1 * phases_of(&profile));
  for (const char *const *name = (const char *const[]){"half step E", "half step H", "curved E", "curved H", NULL};
       *name != NULL; name++) {
    assert_int_equal(calls_of(&profile, *name), STEPS);
    assert_true(find(&profile, *name)->seconds > 0 && find(&profile, *name)->cost.bytes > 0);
    assert_false(find(&profile, *name)->beside);
  }
  assert_int_equal(profile.card.count, 4);
  assert_true(profile.card.copy > 1e10 && profile.card.peak > 1e10);
  drive.ops->destroy(drive.backend);
  free(start);
  box_release(&box);
}

/* More phases than the ring has places, on a mesh that leaves the card idle most of the time. */
static void test_ring(void **state)
{
  (void)state;
  enum { STEPS = 5000 };
  struct box box = {0};
  struct mx_profile profile = {0};
  build(&box, 3, 2, false);
  struct drive drive = drive_new(&mx_backend_cuda, &box, MX_LEAPFROG, MX_SINGLE, 1e-4, NULL, NULL);
  const double seconds = steps_with(&drive, &profile, STEPS), all = phases_of(&profile) + profile.card.idle;
  report("small", &profile, seconds);
  if (!(fabs(all - seconds) < 0.03 * seconds)) fail_msg("phases and idle time %g s, loop %g s", all, seconds);
  assert_false(profile.card.is_lost);
  assert_int_equal(calls_of(&profile, "half step E"), STEPS);
  assert_int_equal(calls_of(&profile, "half step H"), STEPS);
  drive.ops->destroy(drive.backend);
  box_release(&box);
}

/* Begins anew while it is on: what was timed until then does not count. */
static void test_again(void **state)
{
  (void)state;
  struct box box = {0};
  struct mx_profile profile = {0};
  build(&box, 3, 2, false);
  struct drive drive = drive_new(&mx_backend_cuda, &box, MX_LSRK, MX_DOUBLE, 1e-4, NULL, NULL);
  assert_int_equal(gpu_phases_events(drive.backend), 0);
  drive_steps(&drive, 3);
  assert_int_equal(gpu_phases_events(drive.backend), 0); /* off: no event is made */
  drive.ops->profile(drive.backend, &profile);
  drive_steps(&drive, 3);
  (void)steps_with(&drive, &profile, 7);
  assert_int_equal(calls_of(&profile, "stage E, H"), 7 * mx_schemes[MX_LSRK].stages);
  assert_int_equal(profile.card.count, 1);
  assert_int_equal(gpu_phases_events(drive.backend), 0); /* off again: all are gone */
  drive_steps(&drive, 3);
  assert_int_equal(gpu_phases_events(drive.backend), 0);
  drive.ops->profile(drive.backend, &profile); /* left on: destroy ends it */
  drive_steps(&drive, 3);
  assert_true(gpu_phases_events(drive.backend) > 0);
  drive.ops->destroy(drive.backend);
  box_release(&box);
}

/* The phases of a watched backend (--profile), with sources and observation, in both kinds of schemes. */
static void test_terms(void **state)
{
  (void)state;
  for (int staged = 0; staged < 2; staged++) {
    const struct scene_wanted wanted = {.text = scenes[WAVES].text,
                                        .cells = {2, 3, 3},
                                        .order = 2,
                                        .alpha = 1,
                                        .integrator = staged ? MX_RK4 : MX_LEAPFROG,
                                        .steps = 20};
    struct scene scene;
    struct mx_profile profile = {0};
    struct mx_profiled tables;
    struct dg_error err = {0};
    scene_build(&scene, &wanted);
    struct scene_result plain = scene_run(&scene, &mx_backend_cuda, MX_DOUBLE), watched = {0};
    struct drive drive =
        drive_new(&mx_backend_cuda, &scene.box, wanted.integrator, MX_DOUBLE, scene.step * MX_C0, scene.E, scene.H);
    assert_int_equal(mx_profile_backend(&drive.backend, &tables, drive.ops, &profile, &err), 0);
    drive.ops = &tables.ops;
    drive.ops->profile(drive.backend, &profile);
    scene_advance(&scene, &drive);
    scene_observe(&scene, &drive, &watched);
    drive.ops->profile(drive.backend, NULL);
    report(staged ? "rk4" : "leapfrog", &profile, 0);
    const size_t numbers = 3 * (size_t)scene.box.ref.Np * scene.box.problem.K;
    assert_memory_equal(plain.E, watched.E, numbers * sizeof *plain.E);
    assert_memory_equal(plain.H, watched.H, numbers * sizeof *plain.H);
    assert_true(calls_of(&profile, "sources") > 0 && find(&profile, "sources")->cost.bytes > 0);
    assert_true(calls_of(&profile, "observe functionals") > 0);
    assert_int_equal(calls_of(&profile, "observe energy"), 1);
    assert_int_equal(calls_of(&profile, "observe points"), 1);
    assert_int_equal(calls_of(&profile, "watchdog"), 1);
    if (staged) assert_true(calls_of(&profile, "sums") == 4 * wanted.steps && find(&profile, "sums")->cost.bytes > 0);
    drive.ops->destroy(drive.backend);
    scene_result_release(&plain);
    scene_result_release(&watched);
    scene_release(&scene);
  }
}

/* All that is beyond 3/4 in some direction is a layer. */
static void build_layer(struct box *box)
{
  struct mx_layer_shape shape = {.kind = MX_LAYER_BOX,
                                 .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                 .low = {-INFINITY, -INFINITY, -INFINITY},
                                 .high = {0.75, 0.75, 0.75},
                                 .thickness = 0.25,
                                 .reflection = -40};
  struct dg_error err = {0};
  box_mesh(box, (const int[3]){4, 4, 4}, (const double[3]){1, 1, 1}, 0, NULL);
  const int inner = dg_mesh_find_entity(&box->mesh, 3, 1), outer = dg_mesh_find_entity(&box->mesh, 3, 2);
  for (size_t e = 0; e < box->mesh.K; e++) {
    double x[3];
    dg_geometry_barycentre(&box->mesh, e, x);
    box->mesh.volume[e] = x[0] > 0.75 || x[1] > 0.75 || x[2] > 0.75 ? outer : inner;
  }
  box_material(box, 1, 2, 1, 0);
  box_material(box, 2, 2, 1, 0);
  box_boundary(box, 0, MX_PEC, 0);
  int *of_volume = calloc(box->mesh.entities, sizeof *of_volume);
  const struct mx_layers layers = {.count = 1, .shape = &shape, .of_volume = of_volume};
  for (size_t i = 0; i < box->mesh.entities; i++)
    of_volume[i] = box->mesh.entity[i].dim == 3 && box->mesh.entity[i].tag == 2 ? 0 : -1;
  box->config.alpha = 1;
  assert_int_equal(dg_reference_init(&box->ref, 3, &err), 0);
  if (mx_problem_init_layered(&box->problem, &box->assignment, &box->config, &box->mesh, &box->geometry, &box->ref,
                              NULL, &layers, NULL, &err) != 0)
    fail_msg("%s", err.message);
  free(of_volume);
}

static void test_layers(void **state)
{
  (void)state;
  enum { STEPS = 10 };
  for (int staged = 0; staged < 2; staged++) {
    struct box box = {0};
    struct mx_profile profile = {0};
    build_layer(&box);
    double *start = box_field(&box);
    box_noise(&box, start);
    struct drive drive =
        drive_new(&mx_backend_cuda, &box, staged ? MX_LSRK : MX_LEAPFROG, MX_DOUBLE, 1e-4, start, start);
    const double seconds = steps_with(&drive, &profile, STEPS);
    report("layers", &profile, seconds);
    const long calls = STEPS * mx_schemes[drive.options.integrator].stages;
    assert_true(calls_of(&profile, "layers") >= calls && calls_of(&profile, "layers") % calls == 0);
    assert_true(find(&profile, "layers")->cost.bytes > 0 && find(&profile, "layers")->cost.flops > 0);
    drive.ops->destroy(drive.backend);
    free(start);
    box_release(&box);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sum),   cmocka_unit_test(test_ring),   cmocka_unit_test(test_again),
      cmocka_unit_test(test_terms), cmocka_unit_test(test_layers),
  };
  if (no_card()) return 77;
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
