/* Compares the `cuda` backend with the reference for a few steps at every order, precision and flux; tests memory, and
 * failures. test_cuda_matrix has 1,000 steps. */
#include "maxwell/backend/tests/fused_fixture.h"
#include "maxwell/backend/tests/fused_scenes.h"

#include "gpu/core/core.h"
#include "gpu/tables/tiles.h"
#include "gpu/watch/past_h.h"
#include "gpu/tests/card.h"
#include "gpu/tests/snapshots.h"

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
  for (int single = 0; single < 2; single++) {
    struct scene_result result = scene_run(&scene, &mx_backend_cuda, single ? MX_SINGLE : MX_DOUBLE);
    double worst = scene_difference(&scene, &truth, &result), tolerance = single ? 1e-5 : 1e-12;
    if (!(worst < tolerance))
      fail_msg("order %d, flux %g, %s, %s: differs by %g", wanted->order, wanted->alpha,
               mx_integrator_names[wanted->integrator], single ? "single" : "double", worst);
    scene_result_release(&result);
  }
  scene_result_release(&truth);
  scene_release(&scene);
}

static void test_orders(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int alpha = 0; alpha < 2; alpha++) {
      const struct scene_wanted leapfrog = waves(order, alpha, MX_LEAPFROG, 10);
      const struct scene_wanted lsrk = waves(order, alpha, MX_LSRK, 3);
      compare(&leapfrog);
      compare(&lsrk);
    }
}

/* Makes the backend work as if the card had one multiprocessor. Its blocks then go from tile to tile; otherwise meshes
 * as small as these have a block for each tile. */
static void take_one_processor(struct mx_backend *backend)
{
  struct dg_error err = {0};
  backend->tables.processors = 1;
  dg_free(backend->tile_begin);
  backend->tile_begin = NULL;
  assert_int_equal(gpu_pack_tiles(backend, &err), 0);
}

static void compare_rounds(int order)
{
  static const int cells[][3] = {{8, 8, 7}, {8, 6, 6}, {6, 6, 5}, {6, 4, 3}, {6, 4, 3}, {4, 3, 3}};
  for (int alpha = 0; alpha < 2; alpha++)
    for (int staged = 0; staged < 2; staged++) {
      struct scene_wanted wanted = waves(order, alpha, staged ? MX_LSRK : MX_LEAPFROG, staged ? 1 : 3);
      /* six elements a cell; more than four times what all blocks have at most */
      memcpy(wanted.cells, cells[order - 1], sizeof wanted.cells);
      struct scene scene;
      scene_build(&scene, &wanted);
      struct scene_result truth = scene_run(&scene, &mx_backend_reference, MX_DOUBLE);
      for (int single = 0; single < 2; single++) {
        struct scene_result result = {0};
        struct drive drive = drive_new(&mx_backend_cuda, &scene.box, wanted.integrator, single ? MX_SINGLE : MX_DOUBLE,
                                       scene.step * MX_C0, scene.E, scene.H);
        take_one_processor(drive.backend);
        const struct gpu_tiling *tiling = &drive.backend->tables.tiling;
        /* places in a block's shared memory are used again after four tiles; plain kernels, which older cards have,
         * know no tiles */
        assert_true(drive.backend->tables.architecture < 90 || tiling->count >= 5 * tiling->blocks);
        scene_advance(&scene, &drive);
        scene_observe(&scene, &drive, &result);
        mx_backend_cuda.destroy(drive.backend);
        const double worst = scene_difference(&scene, &truth, &result), tolerance = single ? 1e-5 : 1e-12;
        if (!(worst < tolerance))
          fail_msg("order %d, flux %g, %s, %s: differs by %g", order, wanted.alpha,
                   mx_integrator_names[wanted.integrator], single ? "single" : "double", worst);
        scene_result_release(&result);
      }
      scene_result_release(&truth);
      scene_release(&scene);
    }
}

/* Each case is a test of its own, for the sanitizer, with which one takes long. */
#define ROUNDS(order)                                                                                                  \
  static void test_rounds_##order(void **state)                                                                        \
  {                                                                                                                    \
    (void)state;                                                                                                       \
    compare_rounds(order);                                                                                             \
  }
ROUNDS(1)
ROUNDS(2)
ROUNDS(3)
ROUNDS(4)
ROUNDS(5)
ROUNDS(6)

/* The same run twice gives the same bits. */
static void test_deterministic(void **state)
{
  (void)state;
  struct scene_wanted wanted = waves(3, 1, MX_LEAPFROG, 50);
  struct scene scene;
  wanted.text = scenes[CURRENTS].text; /* the wire has many entries in an element */
  scene_build(&scene, &wanted);
  struct scene_result a = scene_run(&scene, &mx_backend_cuda, MX_DOUBLE);
  struct scene_result b = scene_run(&scene, &mx_backend_cuda, MX_DOUBLE);
  size_t bytes = 3 * (size_t)scene.box.ref.Np * scene.box.mesh.K * sizeof *a.E;
  assert_memory_equal(a.E, b.E, bytes);
  assert_memory_equal(a.H, b.H, bytes);
  assert_true(a.energy[0] == b.energy[0] && a.energy[1] == b.energy[1] && a.functional[0] == b.functional[0]);
  scene_result_release(&a);
  scene_result_release(&b);
  scene_release(&scene);
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
    for (int single = 0; single < 2; single++) {
      struct scene_result result = scene_run(&scene, &mx_backend_cuda, single ? MX_SINGLE : MX_DOUBLE);
      assert_int_equal(result.check.finite, bad == 0);
      assert_int_equal(result.check.element, bad == 0 ? 40 : bad == 1 ? 77 : 61);
      assert_true(bad == 0 ? fabs(result.check.largest - 5) < 1e-5 : isinf(result.check.largest));
      scene_result_release(&result);
    }
  }
  scene_release(&scene);
}

/* A second upload starts a run anew. */
static void test_upload_again(void **state)
{
  (void)state;
  const struct scene_wanted wanted = waves(2, 0, MX_LEAPFROG, 0);
  struct scene scene;
  struct dg_error err = {0};
  scene_build(&scene, &wanted);
  double *E = box_field(&scene.box), *H = box_field(&scene.box);
  struct drive drive =
      drive_new(&mx_backend_cuda, &scene.box, MX_LEAPFROG, MX_DOUBLE, scene.step * MX_C0, scene.E, scene.H);
  drive_steps(&drive, 7);
  assert_int_equal(mx_backend_cuda.upload(drive.backend, NULL, NULL, &err), 0);
  drive_steps(&drive, 3);
  drive_observe(&drive);
  assert_int_equal(mx_backend_cuda.download(drive.backend, E, H, &err), 0);
  for (size_t i = 0; i < 3 * (size_t)scene.box.ref.Np * scene.box.mesh.K; i++) assert_true(E[i] == 0 && H[i] == 0);
  mx_backend_cuda.destroy(drive.backend);
  free(E), free(H);
  scene_release(&scene);
}

/* H of half a step ago is worked out in parts. Parts of all sizes give the values of the reference, in fields,
 * energies, functionals, and at more points than a part has elements; and the same bits in fields and at points. */
static void observe_in_parts(struct scene *scene, const struct scene_result *truth, const struct drive *reference,
                             enum mx_precision precision)
{
  enum { SIZES = 3 };
  const size_t K = scene->box.mesh.K, most[SIZES] = {1, K / 2, 10 * K}; /* too small for a tile is made larger */
  const size_t bytes = 3 * (size_t)scene->box.ref.Np * K * sizeof(double);
  const double tolerance = precision == MX_SINGLE ? 1e-5 : 1e-12;
  struct mx_point *point = calloc(2 * K, sizeof *point);
  double(*expected)[6] = calloc(2 * K, sizeof *expected), (*value[SIZES])[6];
  struct scene_result result[SIZES] = {0};
  struct dg_error err = {0};
  for (size_t i = 0; i < 2 * K; i++)
    point[i] = (struct mx_point){.element = i / 2 * 5 % K, .node = i % (size_t)scene->box.ref.Np};
  assert_int_equal(reference->ops->sample(reference->backend, 2 * K, point, expected, &err), 0);
  for (int k = 0; k < SIZES; k++) {
    struct drive drive =
        drive_new(&mx_backend_cuda, &scene->box, MX_LEAPFROG, precision, scene->step * MX_C0, scene->E, scene->H);
    assert_true(drive.backend->in_place);
    drive.backend->recall->rows = most[k];
    value[k] = calloc(2 * K, sizeof *value[k]);
    scene_advance(scene, &drive);
    assert_int_equal(mx_backend_cuda.sample(drive.backend, 2 * K, point, value[k], &err), 0);
    scene_observe(scene, &drive, &result[k]);
    assert_true(k == SIZES - 1 || drive.backend->recall->rows < K);
    mx_backend_cuda.destroy(drive.backend);
    const double worst = scene_difference(scene, truth, &result[k]);
    if (!(worst < tolerance)) fail_msg("in parts of %zu: differs by %g", most[k], worst);
    for (size_t i = 0; i < 2 * K; i++)
      for (int c = 0; c < 6; c++) assert_true(fabs(value[k][i][c] - expected[i][c]) < tolerance * truth->check.largest);
    assert_memory_equal(result[k].E, result[0].E, bytes);
    assert_memory_equal(result[k].H, result[0].H, bytes);
    assert_memory_equal(value[k], value[0], 2 * K * sizeof *value[k]);
  }
  for (int k = 0; k < SIZES; k++) {
    scene_result_release(&result[k]);
    free(value[k]);
  }
  free(point);
  free(expected);
}

static void test_parts(void **state)
{
  (void)state;
  for (int i = 0; i < SCENES; i++) {
    struct scene_wanted wanted = waves(i == CAVITY ? 7 : 1 + i % 4, 0, MX_LEAPFROG, 7); /* order 7: no tiles */
    struct scene scene;
    wanted.text = scenes[i].text;
    if (scenes[i].ring) memset(wanted.cells, 0, sizeof wanted.cells);
    scene_build(&scene, &wanted);
    /* Where H has losses, the backend keeps the old H and works nothing out. */
    memset(scene.box.problem.sigma_m, 0, scene.box.problem.K * sizeof *scene.box.problem.sigma_m);
    struct drive reference =
        drive_new(&mx_backend_reference, &scene.box, MX_LEAPFROG, MX_DOUBLE, scene.step * MX_C0, scene.E, scene.H);
    struct scene_result truth = {0};
    scene_advance(&scene, &reference);
    scene_observe(&scene, &reference, &truth);
    for (int single = 0; single < 2; single++)
      observe_in_parts(&scene, &truth, &reference, single ? MX_SINGLE : MX_DOUBLE);
    mx_backend_reference.destroy(reference.backend);
    scene_result_release(&truth);
    scene_release(&scene);
  }
}

/* Sources that follow the kernels of their stage make the same bits as those that are there before. */
static void test_sources_follow(void **state)
{
  (void)state;
  for (int i = 0; i < SCENES; i++)
    for (int lsrk = 0; lsrk < 2; lsrk++) {
      struct scene_wanted wanted = waves(2, i % 2, lsrk ? MX_LSRK : MX_LEAPFROG, 20);
      struct scene scene;
      wanted.text = scenes[i].text;
      if (scenes[i].ring) memset(wanted.cells, 0, sizeof wanted.cells);
      scene_build(&scene, &wanted);
      const size_t bytes = 3 * (size_t)scene.box.ref.Np * scene.box.mesh.K * sizeof(double);
      struct scene_result result[2] = {0};
      for (int in_line = 0; in_line < 2; in_line++) {
        struct drive drive =
            drive_new(&mx_backend_cuda, &scene.box, wanted.integrator, MX_DOUBLE, scene.step * MX_C0, scene.E, scene.H);
        scene_advance_with(&scene, &drive, in_line);
        scene_observe(&scene, &drive, &result[in_line]);
        mx_backend_cuda.destroy(drive.backend);
      }
      assert_memory_equal(result[0].E, result[1].E, bytes);
      assert_memory_equal(result[0].H, result[1].H, bytes);
      scene_result_release(&result[0]);
      scene_result_release(&result[1]);
      scene_release(&scene);
    }
}

/* A cavity of 6 cells^3 elements of order 3. */
static void build_cavity(struct box *box, int cells, double alpha)
{
  static const double size[3] = {1, 1, 1};
  *box = (struct box){0};
  box_mesh(box, (const int[3]){cells, cells, cells}, size, 0.1, NULL);
  box_material(box, 0, 1, 1, 0);
  box_problem(box, 3, alpha);
}

/* Rows that are fetched at the end have the values of their steps. There are two monitors: points, among them two of
 * one element, and both functionals; one functional alone. */
static void compare_monitors(const struct scene *scene, enum mx_integrator integrator, enum mx_precision precision)
{
  enum { ROWS = 5, POINTS = 4, WIDTH = 6 * POINTS + 2 };
  const struct mx_backend_ops *ops = &mx_backend_cuda;
  const size_t functional[2] = {scene->functional, scene->functional + 1};
  double weight[DG_NP_MAX], expected[ROWS][WIDTH], value[ROWS][WIDTH], alone[ROWS];
  struct mx_point point[POINTS] = {
      {.element = 7, .weight = weight}, {.element = 11, .node = 2}, {.element = 11, .node = 1}, {.element = 3}};
  const struct mx_monitor what = {POINTS, point, 2, functional}, one = {.functionals = 1, .functional = functional + 1};
  size_t rows = ROWS, few = ROWS, number[2];
  struct dg_error err = {0};
  for (int i = 0; i < scene->box.ref.Np; i++) weight[i] = sin(i + 1.0);
  struct drive drive = drive_new(ops, &scene->box, integrator, precision, scene->step * MX_C0, scene->E, scene->H);
  assert_int_equal(ops->card->monitor_new(drive.backend, &what, &rows, &number[0], &err), 0);
  assert_int_equal(ops->card->monitor_new(drive.backend, &one, &few, &number[1], &err), 0);
  assert_true(rows == ROWS && few == ROWS && number[0] != number[1]);
  for (size_t row = 0; row < ROWS; row++) {
    drive_observe(&drive);
    assert_int_equal(ops->card->monitor_take(drive.backend, number[0], row, &err), 0);
    assert_int_equal(ops->card->monitor_take(drive.backend, number[1], row, &err), 0);
    assert_int_equal(ops->sample(drive.backend, POINTS, point, (double(*)[6])expected[row], &err), 0);
    assert_int_equal(
        ops->functionals(drive.backend, scene->functional, 2, true, expected[row] + 6 * (size_t)POINTS, &err), 0);
    drive_finish(&drive);
    drive_steps(&drive, 3);
  }
  assert_int_equal(ops->card->monitor_fetch(drive.backend, number[0], ROWS, value[0], &err), 0);
  assert_int_equal(ops->card->monitor_fetch(drive.backend, number[1], ROWS, alone, &err), 0);
  /* Where leapfrog works in place, monitors keep H of before, and other calls work it out. */
  const double tolerance = drive.backend->in_place ? (precision == MX_SINGLE ? 1e-5 : 1e-12) : 0;
  double largest = 0;
  for (size_t i = 0; i < ROWS; i++)
    for (size_t k = 0; k < WIDTH; k++) largest = fmax(largest, fabs(expected[i][k]));
  for (size_t i = 0; i < ROWS; i++)
    for (size_t k = 0; k < WIDTH; k++) assert_true(fabs(value[i][k] - expected[i][k]) <= tolerance * largest);
  for (size_t row = 0; row < ROWS; row++) {
    assert_true(alone[row] == value[row][WIDTH - 1] && alone[row] != 0);
    assert_true(row == 0 || memcmp(value[row], value[row - 1], sizeof *value) != 0);
  }
  ops->destroy(drive.backend);
  /* A monitor has as many rows as there is room for; with too many points it has none. */
  drive = drive_new(ops, &scene->box, integrator, precision, scene->step * MX_C0, scene->E, scene->H);
  struct mx_point *points = calloc(1 << 20, sizeof *points);
  const struct mx_monitor many = {.points = 1 << 20, .point = points};
  rows = few = (size_t)1 << 40;
  assert_int_equal(ops->card->monitor_new(drive.backend, &what, &rows, &number[0], &err), 0);
  assert_int_equal(ops->card->monitor_new(drive.backend, &many, &few, &number[1], &err), 0);
  assert_true(rows > 64 && rows < (size_t)1 << 20 && few == 0);
  free(points);
  ops->destroy(drive.backend);
}

static void test_monitors(void **state)
{
  (void)state;
  for (int alpha = 0; alpha < 2; alpha++) /* leapfrog in its place, and not */
    for (int single = 0; single < 2; single++) {
      const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK};
      for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        const struct scene_wanted wanted = waves(2, alpha, integrators[i], 0);
        struct scene scene;
        scene_build(&scene, &wanted);
        compare_monitors(&scene, integrators[i], single ? MX_SINGLE : MX_DOUBLE);
        scene_release(&scene);
      }
    }
}

static void test_snapshots(void **state)
{
  (void)state;
  for (int alpha = 0; alpha < 2; alpha++) /* leapfrog in its place, and not */
    for (int single = 0; single < 2; single++) {
      const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4};
      for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        const struct scene_wanted wanted = waves(3, alpha, integrators[i], 0);
        struct scene scene;
        scene_build(&scene, &wanted);
        compare_snapshots(&scene, integrators[i], single ? MX_SINGLE : MX_DOUBLE);
        scene_release(&scene);
      }
    }
}

/* If the card has no room for a snapshot, there is no buffer, and all else works. */
static void test_snapshots_without_room(void **state)
{
  (void)state;
  enum { MOST = 200, LEAVE = 64 << 20 };
  struct box box;
  struct dg_error err = {0};
  void *hoard[MOST];
  size_t hoards = 0, got = 7;
  build_cavity(&box, 20, 1);
  struct drive drive = drive_new(&mx_backend_cuda, &box, MX_LEAPFROG, MX_DOUBLE, 1e-3, NULL, NULL);
  for (size_t bytes = (size_t)1 << 40; bytes >= LEAVE && hoards < MOST;)
    if (gpuMalloc(&hoard[hoards], bytes) == gpuSuccess) hoards++;
    else bytes /= 2;
  (void)gpuGetLastError();
  int status = mx_backend_cuda.card->snapshot_buffers(drive.backend, 2, true, true, &got, &err);
  while (hoards > 0) (void)gpuFree(hoard[--hoards]);
  assert_int_equal(status, 0);
  assert_int_equal(got, 0);
  drive_steps(&drive, 2);
  mx_backend_cuda.destroy(drive.backend);
  box_release(&box);
}

static double free_memory(void)
{
  size_t left = 0, all = 0;
  assert_int_equal(gpuMemGetInfo(&left, &all), gpuSuccess);
  return (double)left;
}

/* Compares the bytes an unknown that the card has less, before and after all kinds of things are observed, with those
 * that `memory` predicts. */
static void test_memory(void **state)
{
  (void)state;
  for (int alpha = 0; alpha < 2; alpha++) {
    struct box box;
    struct dg_error err = {0};
    const struct mx_backend_options options = {.integrator = MX_LEAPFROG, .precision = MX_DOUBLE, .step = 1e-3};
    build_cavity(&box, 30, alpha);
    mx_backend_cuda.destroy(
        drive_new(&mx_backend_cuda, &box, MX_LEAPFROG, MX_DOUBLE, 1e-3, NULL, NULL).backend); /* the runtime's part */
    double before = free_memory(), unknowns = 6.0 * box.ref.Np * (double)box.problem.K, energy[2];
    struct drive drive = drive_new(&mx_backend_cuda, &box, MX_LEAPFROG, MX_DOUBLE, 1e-3, NULL, NULL);
    double bare = (before - free_memory()) / unknowns;
    drive_observe(&drive);
    double *E = box_field(&box), *H = box_field(&box);
    assert_int_equal(mx_backend_cuda.energy(drive.backend, &energy[0], &energy[1], &err), 0);
    assert_int_equal(mx_backend_cuda.download(drive.backend, E, H, &err), 0);
    free(E), free(H);
    double observed = (before - free_memory()) / unknowns;
    double predicted = (double)mx_backend_cuda.memory(&box.problem, &options) / unknowns;
    double asked = (double)mx_backend_cuda.card->allocated(drive.backend) / unknowns;
    mx_backend_cuda.destroy(drive.backend);
    print_message("flux %d: %.2f bytes of the card an unknown, %.2f once observed (%.2f asked for), %.2f predicted\n",
                  alpha, bare, observed, asked, predicted);
    assert_true(bare > 8 && observed < (alpha == 0 ? 12 : 20));
    assert_true(fabs(asked - predicted) < 0.05 * predicted);
    /* the runtime's rounding counts here, 2 MB at a time */
    assert_true(fabs(observed - predicted) < 0.1 * predicted);
    box_release(&box);
  }
}

/* Too little memory on the card is an error that says how much; nothing is lost by it. */
static void test_card_memory(void **state)
{
  (void)state;
  enum { MOST = 200, LEAVE = 64 << 20 };
  const struct mx_backend_options options = {.integrator = MX_RK4, .precision = MX_DOUBLE, .step = 1e-3};
  struct box box;
  struct mx_backend *backend;
  struct dg_error err = {0};
  void *hoard[MOST];
  size_t hoards = 0;
  build_cavity(&box, 20, 1);
  size_t before = dg_memory_current();
  for (size_t bytes = (size_t)1 << 40; bytes >= LEAVE && hoards < MOST;)
    if (gpuMalloc(&hoard[hoards], bytes) == gpuSuccess) hoards++;
    else bytes /= 2;
  (void)gpuGetLastError();
  int status = mx_backend_cuda.create(&backend, &box.problem, &options, &err);
  while (hoards > 0) (void)gpuFree(hoard[--hoards]);
  print_message("%s\n", err.message);
  assert_int_equal(status, DG_ENVIRONMENT);
  assert_non_null(strstr(err.message, "MB were wanted for a field"));
  assert_int_equal(dg_memory_current(), before);
  err = (struct dg_error){0};
  assert_int_equal(mx_backend_cuda.create(&backend, &box.problem, &options, &err), 0);
  mx_backend_cuda.destroy(backend);
  box_release(&box);
}

static void test_host_memory(void **state)
{
  (void)state;
  const struct scene_wanted wanted = waves(2, 1, MX_LEAPFROG, 1);
  struct scene scene;
  scene_build(&scene, &wanted);
  for (long n = 1;; n++) {
    const struct mx_backend_options options = {.integrator = MX_LEAPFROG, .precision = MX_DOUBLE, .step = 1e-3};
    struct mx_backend *backend;
    struct dg_error err = {0};
    size_t before = dg_memory_current();
    dg_memory_fail_at(n);
    int status = mx_backend_cuda.create(&backend, &scene.box.problem, &options, &err);
    dg_memory_fail_at(0);
    if (status == 0) {
      mx_backend_cuda.destroy(backend);
      assert_true(n > 10);
      break;
    }
    assert_int_equal(status, DG_ENVIRONMENT);
    assert_int_equal(dg_memory_current(), before);
  }
  scene_release(&scene);
}

/* More different media and fluxes than two bytes can number: against the `cpu` backend. */
static void test_many_media(void **state)
{
  (void)state;
  static const double size[3] = {1, 1, 1};
  enum { STEPS = 4 };
  struct box box = {0};
  box_mesh(&box, (const int[3]){24, 24, 24}, size, 0.1, NULL);
  box_material(&box, 0, 1, 1, 0);
  box_problem(&box, 1, 1);
  struct mx_problem *problem = &box.problem;
  for (size_t e = 0; e < problem->K; e++) problem->epsilon[e] = 1 + box_random();
  scene_mix(problem, 1); /* and the fluxes that follow */
  assert_true(problem->K > UINT16_MAX);
  size_t numbers = 3 * (size_t)box.ref.Np * problem->K;
  double *start = box_field(&box), *field[2][2], scale = 0;
  box_noise(&box, start);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 2; i++) {
      field[k][i] = box_field(&box);
      memcpy(field[k][i], start, numbers * sizeof *start);
    }
    drive_run(k == 0 ? &mx_backend_cpu : &mx_backend_cuda, &box, MX_LEAPFROG, MX_DOUBLE, 1e-3, STEPS, field[k][0],
              field[k][1]);
  }
  for (size_t i = 0; i < numbers; i++) scale = fmax(scale, fabs(field[0][0][i]));
  for (int i = 0; i < 2; i++)
    for (size_t j = 0; j < numbers; j++) assert_true(fabs(field[1][i][j] - field[0][i][j]) < 1e-12 * scale);
  for (int k = 0; k < 4; k++) free(field[k / 2][k % 2]);
  free(start);
  box_release(&box);
}

static void test_ceilings(void **state)
{
  (void)state;
  struct mx_ceilings ceilings;
  struct dg_error err = {0};
  assert_int_equal(mx_backend_cuda.card->ceilings((size_t)64 << 20, &ceilings, &err), 0);
  print_message("%s: copy %.0f GB/s, %.0f GB/s of 64 MiB; peak %.1f TFLOP/s double, %.1f single\n", ceilings.name,
                1e-9 * ceilings.copy, 1e-9 * ceilings.copy_fields, 1e-12 * ceilings.peak[0], 1e-12 * ceilings.peak[1]);
  assert_true(ceilings.copy > 1e10 && ceilings.copy < 1e14);
  assert_true(ceilings.peak[0] > 1e10 && ceilings.peak[1] > ceilings.peak[0] && ceilings.peak[1] < 1e15);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders),      cmocka_unit_test(test_rounds_1),
      cmocka_unit_test(test_rounds_2),    cmocka_unit_test(test_rounds_3),
      cmocka_unit_test(test_rounds_4),    cmocka_unit_test(test_rounds_5),
      cmocka_unit_test(test_rounds_6),    cmocka_unit_test(test_deterministic),
      cmocka_unit_test(test_check),       cmocka_unit_test(test_upload_again),
      cmocka_unit_test(test_parts),       cmocka_unit_test(test_memory),
      cmocka_unit_test(test_card_memory), cmocka_unit_test(test_host_memory),
      cmocka_unit_test(test_ceilings),    cmocka_unit_test(test_many_media),
      cmocka_unit_test(test_snapshots),   cmocka_unit_test(test_snapshots_without_room),
      cmocka_unit_test(test_monitors),    cmocka_unit_test(test_sources_follow),
  };
  if (no_card()) return 77;
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
