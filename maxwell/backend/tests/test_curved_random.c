/* Random curved meshes, media, walls, orders, fluxes and integrators at the automatic step: the energy does not grow.
 *
 *   test_curved_random STEPS MESHES FIRST BACKEND
 *
 * takes others than 300, 12, 1 and reference: `test_curved_random 200000 20 1 cpu` takes an hour. Meshes are numbered.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/limit/stability.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/bent.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/sanitized.h"

static long steps = SANITIZED ? 40 : 300, meshes = SANITIZED ? 8 : 12, first_mesh = 1;
static const struct mx_backend_ops *ops = &mx_backend_reference;

static int one_of(int n) { return (int)(n * box_random()); }

/* Displacements by random polynomials of degree 3. */
struct bend {
  double factor[3][20];
};

static void random_map(void *context, double x[3])
{
  const struct bend *bend = context;
  double move[3] = {0};
  int term = 0;
  for (int i = 0; i <= 3; i++)
    for (int j = 0; i + j <= 3; j++)
      for (int k = 0; i + j + k <= 3; k++, term++)
        for (int b = 0; b < 3; b++)
          move[b] += bend->factor[b][term] * pow(x[0] - 0.5, i) * pow(x[1] - 0.5, j) * pow(x[2] - 0.5, k);
  for (int b = 0; b < 3; b++) x[b] += move[b];
}

struct scene {
  struct box box;
  enum mx_integrator integrator;
  double step;
  bool keeps; /* nothing takes energy: centred leapfrog in closed walls */
};

static void random_walls(struct scene *scene)
{
  static const enum mx_boundary_kind kinds[] = {MX_PEC, MX_PMC, MX_ABSORBING, MX_IMPEDANCE};
  for (int surface = 1; surface <= 6; surface++) {
    const enum mx_boundary_kind kind = kinds[one_of(scene->keeps ? 2 : 4)];
    box_boundary(&scene->box, surface, kind, 50 + 400 * box_random());
  }
}

/* False: the bend was too strong for the mesh. */
static bool build(struct scene *scene, int order, int geometry, double amount)
{
  static const double size[3] = {1, 1, 1};
  const int cells[3] = {2, 1 + one_of(2), 1};
  const double flux[] = {0, 0.3, 1};
  struct bend bend;
  struct mx_stability stability;
  struct dg_error err = {0};
  struct box *box = &scene->box;
  const int which = one_of(3);
  for (int i = 0; i < 60; i++) bend.factor[i / 20][i % 20] = amount * (2 * box_random() - 1);
  scene->integrator = (enum mx_integrator)(which == 0 ? MX_LEAPFROG : one_of(3));
  scene->keeps = which == 0 && box_random() < 0.7;
  box_mesh(box, cells, size, 0.25, NULL);
  bend_box(box, geometry, random_map, &bend);
  for (int volume = 1; volume <= 2; volume++)
    box_material(box, volume, 1 + 5 * box_random(), 1 + 2 * box_random(),
                 scene->keeps ? 0 : 0.01 * fmax(0, box_random() - 0.5));
  random_walls(scene);
  box_problem(box, order, flux[which]);
  if (mx_stability_limit(&stability, &box->problem, scene->integrator, 0, &err) != 0) {
    if (strstr(err.message, "folds over") == NULL) fail_msg("%s", err.message);
    box_release(box);
    return false;
  }
  scene->step = 0.95 * stability.limit;
  return true;
}

static void check(long mesh)
{
  const int order = 1 + (int)(mesh % 4) + (mesh % 8 == 7 ? 2 : 0), geometry = 2 + (int)(mesh % 3);
  struct scene scene = {0};
  double amount = 0.5;
  box_random_state = (unsigned long long)mesh;
  for (int i = 0; i < 10; i++) (void)box_random();
  while (!build(&scene, order, geometry, amount)) amount *= 0.8;
  struct box *box = &scene.box;
  double *E = box_field(box), *H = box_field(box), most = 0, drift = 0;
  box_noise(box, E);
  box_noise(box, H);
  struct drive drive = drive_new(ops, box, scene.integrator, MX_DOUBLE, scene.step, E, H);
  drive_observe(&drive);
  const double first = drive_energy(&drive);
  drive_finish(&drive);
  for (int round = 0; round < 20; round++) {
    drive_steps(&drive, steps / 20 - 1);
    drive_observe(&drive);
    const double now = drive_energy(&drive) / first;
    drive_finish(&drive);
    if (!(now >= 0)) fail_msg("mesh %ld: an energy of %g of the first", mesh, now);
    most = fmax(most, now);
    drift = fmax(drift, fabs(now - 1));
  }
  print_message(
      "mesh %ld: %zu of %zu elements curved (bend %.2g), geometry %d, order %d, flux %g, %s: at most %.15g of the "
      "first energy\n",
      mesh, box->problem.curves.count, box->mesh.K, amount, geometry, order, box->config.alpha,
      mx_integrator_names[scene.integrator], most);
  if (scene.keeps && !(drift < 1e-11)) fail_msg("mesh %ld: the energy drifts by %g", mesh, drift);
  if (!(most < 1 + 1e-11)) fail_msg("mesh %ld: the energy has grown to %g", mesh, most);
  drive.ops->destroy(drive.backend);
  free(E), free(H);
  box_release(box);
}

static void test_no_growth(void **state)
{
  (void)state;
  for (long mesh = first_mesh; mesh < first_mesh + meshes; mesh++) check(mesh);
}

int main(int argc, char **argv)
{
  if (argc > 1) steps = atol(argv[1]);
  if (argc > 2) meshes = atol(argv[2]);
  if (argc > 3) first_mesh = atol(argv[3]);
  for (int i = 0; argc > 4 && mx_backends[i] != NULL; i++)
    if (strcmp(mx_backends[i]->name, argv[4]) == 0) ops = mx_backends[i];
  if (argc > 4 && strcmp(ops->name, argv[4]) != 0) return 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_growth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
