/* Media and sheets on the `cuda` backend against the reference: tensors at every order, flux and kernel, beside curved
 * elements and under sources; gyrotropic media; resistive sheets, straight and curved. Leapfrog, Runge-Kutta with low
 * storage and with sums, both precisions, after 1,000 steps, and a run that goes on from what another one saved.
 *
 * An argument is a pattern of the tests to run. `test_cuda_media bench ORDER UNKNOWNS` measures the time of a step with
 * each sort of medium instead. */
#include "maxwell/backend/tests/fused_fixture.h"
#include "maxwell/backend/tests/fused_scenes.h"

#include "gpu/core/core.h"
#include "gpu/tables/tiles.h"
#include "gpu/watch/past_h.h"
#include "gpu/tests/card.h"
#include "libdg/mesh/curve.h"
#include "maxwell/tests/bend.h"
#include "maxwell/tests/growth.h"
#include "gpu/tests/boxes.h"

/* ---- tensors in scenes with sources and walls of all kinds */

/* Near to scalars, so that the step of the scene will do: xx, xy, xz, yy, yz, zz. */
static const double mild[2][2][6] = {{{1, 0.05, -0.03, 1.05, 0.04, 0.96}, {1.03, -0.04, 0.02, 1, 0.03, 0.97}},
                                     {{0.96, 0.02, 0.05, 1.04, -0.03, 1}, {1, 0, 0, 1, 0, 1}}};

/* Two media with tensors, of which one has a scalar mu, and elements without; curved elements have none. */
static void give_tensors(struct mx_problem *problem)
{
  struct dg_error err = {0};
  assert_int_equal(mx_problem_add_tensors(problem, 2, &err), 0);
  for (int i = 0; i < 2; i++)
    for (int equation = 0; equation < 2; equation++)
      (void)mx_tensor_shape(&problem->shape[i], equation, mild[i][equation]);
  for (size_t e = 0; e < problem->K; e++)
    if (mx_curve_find(problem, e) < 0) problem->tensor[e] = (int32_t)(e % 3);
}

/* Works as if the card had so few multiprocessors that blocks go from tile to tile. */
static void take_one_processor(struct mx_backend *backend)
{
  struct dg_error err = {0};
  backend->tables.processors = 1;
  dg_free(backend->tile_begin);
  backend->tile_begin = NULL;
  assert_int_equal(gpu_pack_tiles(backend, &err), 0);
}

static void compare_scene(int number, struct scene_wanted wanted, bool bent, bool few)
{
  struct scene scene = {0};
  double worst[2];
  wanted.text = scenes[number].text;
  box_mesh(&scene.box, wanted.cells, scene_size, 0.2, NULL);
  if (bent) box_bend(&scene.box, 2, 0.5, 0.5);
  scene_build_on(&scene, &wanted);
  give_tensors(&scene.box.problem);
  struct scene_result truth = scene_run(&scene, &mx_backend_reference, MX_DOUBLE);
  for (int single = 0; single < 2; single++) {
    struct scene_result result = {0};
    struct drive drive = drive_new(&mx_backend_cuda, &scene.box, wanted.integrator, single ? MX_SINGLE : MX_DOUBLE,
                                   scene.step * MX_C0, scene.E, scene.H);
    if (few) take_one_processor(drive.backend);
    scene_advance(&scene, &drive);
    scene_observe(&scene, &drive, &result);
    mx_backend_cuda.destroy(drive.backend);
    worst[single] = scene_difference(&scene, &truth, &result);
    scene_result_release(&result);
  }
  print_message("tensors, %s, p = %d, flux %g, %s%s, %ld steps: differs by %.2g, in single precision %.2g\n",
                scenes[number].name, wanted.order, wanted.alpha, mx_integrator_names[wanted.integrator],
                bent ? ", beside curved elements" : "", wanted.steps, worst[0], worst[1]);
  assert_true(worst[0] < 1e-12);
  assert_true(worst[1] < (wanted.steps > 100 ? 1e-4 : 1e-5));
  scene_result_release(&truth);
  scene_release(&scene);
}

static void test_tensors_of_all_orders(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int k = 0; k < 4; k++) {
      const struct scene_wanted wanted = {.cells = {2, 3, order < 5 ? 3 : 1},
                                          .order = order,
                                          .alpha = k % 2,
                                          .integrator = k < 2 ? MX_LEAPFROG : MX_LSRK,
                                          .steps = k < 2 ? 10 : 3};
      compare_scene(k % 2 ? WAVES : CAVITY, wanted, false, false);
    }
}

/* Blocks that go from tile to tile: what a tile has of the medium must be its own. */
static void test_tensors_in_rounds(void **state)
{
  static const int cells[][3] = {{8, 8, 7}, {8, 6, 6}, {6, 6, 5}, {6, 4, 3}, {6, 4, 3}, {4, 3, 3}};
  (void)state;
  for (int order = 1; order <= GPU_TILE_ORDERS; order++)
    for (int k = 0; k < 4; k++) {
      struct scene_wanted wanted = {
          .order = order, .alpha = k % 2, .integrator = k < 2 ? MX_LEAPFROG : MX_LSRK, .steps = k < 2 ? 3 : 1};
      memcpy(wanted.cells, cells[order - 1], sizeof wanted.cells);
      compare_scene(WAVES, wanted, false, true);
    }
}

static void test_tensors_long(void **state)
{
  (void)state;
  for (int order = 1; order <= 4; order++)
    for (int i = 0; i < INTEGRATORS; i++) {
      const struct scene_wanted wanted = {
          .cells = {2, 1, 1}, .order = order, .alpha = (order + i) % 2, .integrator = integrators[i], .steps = 1000};
      compare_scene((order + i) % 2 ? WAVES : CAVITY, wanted, false, false);
    }
}

/* Currents in media with tensors, and curved elements in the same mesh. */
static void test_tensors_with_currents(void **state)
{
  (void)state;
  for (int bent = 0; bent < 2; bent++)
    for (int i = 0; i < INTEGRATORS; i++) {
      const struct scene_wanted wanted = {
          .cells = {2, 2, 2}, .order = 2 + i % 2, .alpha = (bent + i) % 2, .integrator = integrators[i], .steps = 20};
      compare_scene(CURRENTS, wanted, bent != 0, false);
    }
}

/* ---- boxes of media, without sources */

static void give_gyrotropic(struct mx_material_config *material, double wp, double w0, double gamma, double x, double y,
                            double z)
{
  const double c = MX_C0;
  material->gyrotropic = (struct mx_gyrotropic_config){true, wp * c, w0 * c, gamma * c, {x * c, y * c, z * c}};
}

static void give_ferrite(struct mx_material_config *material, double w0, double wm, double damping, double x, double y,
                         double z)
{
  material->ferrite = (struct mx_ferrite_config){true, w0 * MX_C0, wm * MX_C0, damping, {x, y, z}};
}

/* Charges that turn E, magnetisations that turn H, or both. */
static void test_gyrotropic(void **state)
{
  enum { CHARGES = 1, FERRITES = 2 };
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++) {
    const int with = order % 3 + 1;
    struct box box = {0};
    box_random_state = 1;
    box_mesh(&box, (const int[]){2, order < 4 ? 2 : 1, 1}, (const double[]){1, 0.8, 0.7}, 0.1, NULL);
    box_material(&box, 1, 1.5, 1, 0);
    box_material(&box, 2, 2, 1, 0.2 / MX_ETA0);
    if (with & CHARGES) give_gyrotropic(&box.material[0], 1.2, 2, 0.3, 0.7, -1.1, 0.5);
    if (with & CHARGES) give_gyrotropic(&box.material[1], 3, 0, 0.4, -2, 1, 3);
    if (with & FERRITES) give_ferrite(&box.material[0], 2, 1.5, 0.1, 0.6, 0, -0.8);
    if (with & FERRITES && order % 2 == 0) give_ferrite(&box.material[1], 0.5, 3, 0, 0, 0.8, 0.6);
    box_boundary(&box, 0, MX_PEC, 0);
    box_problem(&box, order, order % 2);
    compare_box(&box, "gyrotropic", 0.5);
    box_release(&box);
  }
}

static void test_sheets(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int bent = 0; bent < 2; bent++) {
      struct mx_interface_config sheet = {.where = {.tag = 7}, .kind = MX_RESISTIVE_SHEET, .resistance = 150};
      struct box box = {0};
      box_random_state = 1;
      box_mesh(&box, (const int[]){2, order < 4 ? 2 : 1, 1}, (const double[]){1, 0.8, 0.7}, 0.2, NULL);
      if (bent) box_bend(&box, 2, 0.5, 0.5);
      box_material(&box, 1, 1.7, 1.2, 0);
      box_material(&box, 2, 2.5, 1, 0.01);
      box_boundary(&box, 1, MX_ABSORBING, 0);
      box_boundary(&box, 3, MX_IMPEDANCE, 200);
      box.config.interface = &sheet;
      box.config.interfaces = 1;
      box_problem(&box, order, 0.5 * (order % 3));
      assert_true(box.problem.sheet_faces > 0 && box.problem.open_faces > 0);
      compare_box(&box, bent ? "sheets, curved" : "sheets", 0.9);
      box_release(&box);
    }
}

/* ---- times */

static void give_tensor(struct mx_material_config *material, int equation)
{
  static const double bent[6] = {2, 0.6, -0.3, 3, 0.5, 1.6};
  material->tensor[equation].given = true;
  memcpy(material->tensor[equation].number, bent, sizeof bent);
  (equation == 0 ? &material->epsilon_r : &material->mu_r)->value = mx_tensor_scalar(bent);
}

static int bench(int order, double unknowns)
{
  enum { SCALAR, TENSOR, TENSORS, GYROTROPIC, FERRITE, SHEET, SORTS };
  static const char *const name[SORTS] = {
      "scalars", "epsilon a tensor", "epsilon and mu tensors", "half of it gyrotropic", "half of it a ferrite",
      "a sheet"};
  const int n = 2 * (int)lround(0.5 * cbrt(unknowns / (36.0 * DG_NP(order))));
  double scalar[2][2][2] = {{{0}}};
  for (int sort = 0; sort < SORTS; sort++)
    for (int alpha = 0; alpha < 2; alpha++) {
      struct mx_interface_config sheet = {.where = {.tag = 7}, .kind = MX_RESISTIVE_SHEET, .resistance = 150};
      struct box box = {0};
      box_mesh(&box, (const int[3]){n, n, n}, (const double[3]){1, 1, 1}, 0.1, NULL);
      box_material(&box, 1, 1, 1, 0), box_material(&box, 2, 1, 1, 0);
      for (int m = 0; m < 2 && (sort == TENSOR || sort == TENSORS); m++)
        for (int i = 0; i < (sort == TENSOR ? 1 : 2); i++) give_tensor(&box.material[m], i);
      if (sort == GYROTROPIC) give_gyrotropic(&box.material[1], 3, 0, 0.4, -2, 1, 3);
      if (sort == FERRITE) give_ferrite(&box.material[1], 2, 3, 0.1, 0.6, 0, -0.8);
      if (sort == SHEET) box.config.interface = &sheet, box.config.interfaces = 1;
      box_problem(&box, order, alpha);
      for (int lsrk = 0; lsrk < 2; lsrk++)
        for (int single = 0; single < 2; single++) {
          const double t = seconds_of(&box, lsrk ? MX_LSRK : MX_LEAPFROG, single ? MX_SINGLE : MX_DOUBLE);
          if (sort == SCALAR) scalar[alpha][lsrk][single] = t;
          printf("p = %d, %.3g unknowns, %s, flux %d, %s, %s: %.1f us a step, %.3f of scalars\n", order,
                 6.0 * box.ref.Np * (double)box.problem.K, lsrk ? "lsrk" : "leapfrog", alpha,
                 single ? "single" : "double", name[sort], 1e6 * t, t / scalar[alpha][lsrk][single]);
        }
      box_release(&box);
    }
  return 0;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tensors_of_all_orders),
      cmocka_unit_test(test_tensors_in_rounds),
      cmocka_unit_test(test_tensors_long),
      cmocka_unit_test(test_tensors_with_currents),
      cmocka_unit_test(test_gyrotropic),
      cmocka_unit_test(test_sheets),
  };
  if (no_card()) return 77;
  if (argc > 3 && strcmp(argv[1], "bench") == 0) return bench(atoi(argv[2]), atof(argv[3]));
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
