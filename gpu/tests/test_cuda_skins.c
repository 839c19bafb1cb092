/* Metal walls, films of graphene and sheets of metal on the `cuda` backend against the reference: every order, straight
 * and curved, both fluxes, leapfrog, Runge-Kutta with low storage and with sums, both precisions, after 1,000 steps,
 * the energy that they store, and a run that goes on from what another one saved.
 *
 * An argument is a pattern of the tests to run. `test_cuda_skins bench ORDER UNKNOWNS` measures the time of a step with
 * walls of metal, with a film, and with a sheet, beside that with impedances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/core/core.h"
#include "gpu/tests/card.h"
#include "libdg/mesh/curve.h"
#include "maxwell/setup/setup_build.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/bend.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"
#include "gpu/tests/boxes.h"

static struct mx_interface_config between; /* the film, or the sheet */

/* A wall of this conductivity, S/m, over so many decades up to some waves a metre: the more the more poles it has. */
static void add_metal(struct box *box, int surface, double sigma, double decades)
{
  box_boundary(box, surface, MX_METAL_WALL, 0);
  box->boundary[box->config.boundaries - 1].metal =
      (struct mx_metal_config){.sigma = sigma, .mu_r = 1, .band = {3e9 / pow(10, decades), 3e9}};
}

/* Films are so strong, 1/m; their losses take so many metres. */
static const double strength = 8, relaxation = 3;

enum { WALLS = 1, FILM = 2, SHEET = 4 };

/* The sheet has 20 ohm and 1.7 skin depths at the most, so that much passes it. */
static void lay(struct box *box, int what)
{
  between = (struct mx_interface_config){.where = {.tag = 7},
                                         .kind = what & SHEET ? MX_METAL_SHEET : MX_GRAPHENE,
                                         .graphene = {.potential = 0.3, relaxation / MX_C0, 300},
                                         .metal = {.sigma = 10, .mu_r = 1, .thickness = 5e-3, .band = {3e7, 3e9}}};
  box->config.interface = &between;
  box->config.interfaces = (what & (FILM | SHEET)) != 0;
}

static void set_film(struct box *box, int what)
{
  if (what & FILM) box->problem.metal[box->config.boundaries].drude = strength;
}

static void build(struct box *box, int what, int order, bool bent, double alpha)
{
  *box = (struct box){0};
  box_random_state = 1;
  box_mesh(box, (const int[]){2, order < 4 ? 2 : 1, 1}, (const double[]){1, 0.8, 0.7}, 0.2, NULL);
  if (bent) box_bend(box, 2, 0.5, 0.5);
  box_material(box, 1, 1.7, 1.2, 0);
  box_material(box, 2, 2.5, 1, 0.01 / MX_ETA0);
  box_boundary(box, 1, MX_PMC, 0);
  if (what & WALLS) {
    add_metal(box, 2, 1e4, 2);
    add_metal(box, 5, 1e6, 1);
    add_metal(box, 4, 1e5, 3);
  }
  box_boundary(box, 3, MX_IMPEDANCE, 3000);
  lay(box, what);
  box_problem(box, order, alpha);
  set_film(box, what);
}

static void compare(int what, int order, bool bent, double alpha)
{
  static const char *const names[] = {"", "walls", "a film", "walls and a film", "a sheet", "walls and a sheet"};
  char name[64];
  struct box box;
  build(&box, what, order, bent, alpha);
  assert_true(box.problem.skin_faces > 0 && box.problem.open_faces > 0);
  (void)snprintf(name, sizeof name, "%s%s, flux %g", names[what], bent ? ", curved" : "", alpha);
  compare_box(&box, name, 0.9);
  box_release(&box);
}

static void test_walls(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int alpha = 0; alpha < 2; alpha++) compare(WALLS, order, false, alpha);
}

static void test_films(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int alpha = 0; alpha < 2; alpha++) compare(FILM, order, false, alpha);
}

static void test_sheets(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++)
    for (int alpha = 0; alpha < 2; alpha++) compare(SHEET, order, false, alpha);
}

/* Both at once share the list of the problem. */
static void test_both(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= 4; order++) compare(WALLS | (order % 2 ? FILM : SHEET), order, false, 0.5);
}

static void test_curved(void **state)
{
  (void)state;
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++) compare(WALLS | FILM, order, true, 0.5 * (order % 3));
  for (int order = DG_ORDER_MIN; order <= DG_ORDER_MAX; order++) compare(WALLS | SHEET, order, true, order % 2);
}

/* What the card will allocate is foretold. */
static void test_memory(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * INTEGRATORS; k++) {
    const int i = k / 2, what = WALLS | (k % 2 ? SHEET : FILM);
    struct box box, bare;
    struct dg_error err = {0};
    struct mx_backend *backend[2];
    const struct mx_backend_options options = {.integrator = integrators[i], .precision = MX_DOUBLE, .step = 1e-3};
    build(&box, what, 3, i > 0, 1);
    build(&bare, 0, 3, i > 0, 1);
    assert_int_equal(mx_backend_cuda.create(&backend[0], &box.problem, &options, &err), 0);
    assert_int_equal(mx_backend_cuda.create(&backend[1], &bare.problem, &options, &err), 0);
    const double taken = (double)(mx_backend_cuda.card->allocated(backend[0]) -
                                  mx_backend_cuda.card->allocated(backend[1])),
                 said = (double)(mx_backend_cuda.memory(&box.problem, &options) -
                                 mx_backend_cuda.memory(&bare.problem, &options));
    print_message("%s: they take %g bytes, said %g\n", mx_integrator_names[integrators[i]], taken, said);
    assert_true(taken > 0 && said > 0.9 * taken && said < 1.1 * taken + 4096);
    for (int b = 0; b < 2; b++) mx_backend_cuda.destroy(backend[b]);
    box_release(&box), box_release(&bare);
  }
}

/* ---- times */

static int bench(int order, double unknowns)
{
  enum { IMPEDANCES, METALS, GRAPHENE, FOIL, SORTS };
  static const int what[SORTS] = {0, WALLS, FILM, SHEET};
  static const char *const name[SORTS] = {"impedances", "six walls of metal", "a film", "a sheet"};
  const int n = 2 * (int)lround(0.5 * cbrt(unknowns / (36.0 * DG_NP(order))));
  double plain[2][2][2] = {{{0}}};
  for (int sort = 0; sort < SORTS; sort++)
    for (int alpha = 0; alpha < 2; alpha++) {
      struct box box = {0};
      box_mesh(&box, (const int[3]){n, n, n}, (const double[3]){1, 1, 1}, 0.1, NULL);
      box_material(&box, 1, 1, 1, 0), box_material(&box, 2, 1, 1, 0);
      for (int i = 1; i <= 6; i++) {
        if (sort == METALS) add_metal(&box, i, 1e5, 2);
        else box_boundary(&box, i, MX_IMPEDANCE, 200);
      }
      lay(&box, what[sort]);
      box_problem(&box, order, alpha);
      set_film(&box, what[sort]);
      for (int i = 0; i < 2; i++)
        for (int single = 0; single < 2; single++) {
          const double t = seconds_of(&box, integrators[i], single ? MX_SINGLE : MX_DOUBLE);
          if (sort == IMPEDANCES) plain[alpha][i][single] = t;
          printf(
              "p = %d, %.3g unknowns, %s, flux %d, %s, %s, %zu faces, %zu poles: %.1f us a step, %.3f of impedances\n",
              order, 6.0 * box.ref.Np * (double)box.problem.K, mx_integrator_names[integrators[i]], alpha,
              single ? "single" : "double", name[sort], box.problem.skin_faces, mx_skin_poles(&box.problem), 1e6 * t,
              t / plain[alpha][i][single]);
        }
      box_release(&box);
    }
  return 0;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_walls), cmocka_unit_test(test_films),  cmocka_unit_test(test_sheets),
      cmocka_unit_test(test_both),  cmocka_unit_test(test_curved), cmocka_unit_test(test_memory),
  };
  if (no_card()) return 77;
  if (argc > 3 && strcmp(argv[1], "bench") == 0) return bench(atoi(argv[2]), atof(argv[3]));
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
