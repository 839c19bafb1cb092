/* Iterations of conjugate gradients with multigrid: graded meshes, media that jump by 1:1e4, masses and walls, nothing
 * held, a body; and that the preconditioner is symmetric. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/field/tests/need.h"
#include "libdg/mesh/tests/cube.h"
#include "libdg/solve/amg.h"
#include "libdg/solve/multigrid.h"
#include "libdg/solve/pcg.h"

struct scene {
  struct dg_mesh mesh;
  struct dg_space space;
  struct dg_elliptic *op;
  struct dg_multigrid *multigrid;
  struct dg_elliptic_weights weights;
  double *k, *x, *b;
  bool *held;
};

static void apply(void *context, const double *x, double *y)
{
  const struct scene *scene = context;
  dg_elliptic_apply(scene->op, scene->weights, x, y);
}

static void improve(void *context, const double *r, double *z)
{
  const struct scene *scene = context;
  dg_multigrid_apply(scene->multigrid, r, z);
}

enum what { HELD, FLOATING, BODY };

/* Cells from half to one and a half times the even size in each direction, and eight octants of which every other
 * conducts 1e4 times better. */
static void open_scene(struct scene *scene, int cells, int order, enum what what, struct dg_elliptic_weights weights)
{
  struct dg_error err = {0};
  *scene = (struct scene){.weights = weights};
  cube(&scene->mesh, cells);
  const size_t K = scene->mesh.K;
  int32_t(*body)[4] = array(K, sizeof *body);
  scene->k = array(K, sizeof(double));
  for (size_t e = 0; e < K; e++) {
    double centre[3] = {0};
    for (int v = 0; v < 4; v++)
      for (int d = 0; d < 3; d++) centre[d] += 0.25 * scene->mesh.vertex[scene->mesh.element[e][v]][d];
    const int octant = (centre[0] > 0.5) + (centre[1] > 0.5) + (centre[2] > 0.5);
    scene->k[e] = octant % 2 == 0 ? 1 : 1e4;
    for (int f = 0; f < 4; f++) {
      body[e][f] = DG_NO_BODY;
      if (what != BODY || scene->mesh.neighbour[e][f] != DG_BOUNDARY) continue;
      int ends[2] = {0}; /* vertices at x = 0 and at x = 1 */
      for (int v = 0; v < 4; v++) {
        const double x = scene->mesh.vertex[scene->mesh.element[e][v]][0];
        if (v != f && x < 1e-9) ends[0]++;
        if (v != f && x > 1 - 1e-9) ends[1]++;
      }
      for (int b = 0; b < 2; b++)
        if (ends[b] == 3) body[e][f] = b;
    }
  }
  for (size_t v = 0; v < scene->mesh.vertices; v++)
    for (int d = 0; d < 3; d++) {
      double *x = &scene->mesh.vertex[v][d];
      *x = 0.5 * *x + 0.5 * *x * *x;
    }
  const struct dg_elliptic_medium medium = {.k = scene->k};
  ok(dg_space_init(&scene->space, &scene->mesh, NULL, order, what == BODY ? 2 : 0, (const int32_t(*)[4])body, &err),
     &err);
  ok(dg_elliptic_new(&scene->op, &scene->space, &medium, &err), &err);
  const size_t n = scene->space.count;
  const struct dg_reference *ref = &scene->space.ref;
  scene->x = array(n, sizeof(double)), scene->b = array(n, sizeof(double)), scene->held = array(n, sizeof(bool));
  if (what == BODY) scene->held[n - 2] = scene->held[n - 1] = true, scene->x[n - 1] = 1;
  for (size_t e = 0; e < K && what == HELD; e++)
    for (int f = 0; f < 4; f++)
      for (int m = 0; scene->mesh.neighbour[e][f] == DG_BOUNDARY && m < ref->Nf; m++)
        scene->held[scene->space.number[e * (size_t)ref->Np + (size_t)ref->face_node[f * ref->Nf + m]]] = true;
  const struct dg_multigrid_setup setup = {
      .space = &scene->space, .op = scene->op, .medium = &medium, .body = (const int32_t(*)[4])body};
  ok(dg_multigrid_new(&scene->multigrid, &setup, &err), &err);
  ok(dg_multigrid_set(scene->multigrid, weights, scene->held, what == FLOATING, &err), &err);
  double *q = array(K * (size_t)ref->Np, sizeof *q); /* a source whose integral is not zero */
  for (size_t i = 0; i < K * (size_t)ref->Np; i++) q[i] = what == BODY ? 0 : rand() / (double)RAND_MAX;
  dg_elliptic_load(scene->op, q, scene->b);
  dg_free(q);
  dg_free(body);
}

static void close_scene(struct scene *scene)
{
  dg_multigrid_free(scene->multigrid);
  dg_elliptic_free(scene->op);
  dg_space_release(&scene->space);
  dg_mesh_release(&scene->mesh);
  dg_free(scene->k);
  dg_free(scene->x);
  dg_free(scene->b);
  dg_free(scene->held);
}

static int iterations(int cells, int order, enum what what, struct dg_elliptic_weights weights)
{
  struct scene scene;
  struct dg_error err = {0};
  struct dg_pcg_report report;
  open_scene(&scene, cells, order, what, weights);
  const struct dg_pcg pcg = {.count = scene.space.count,
                             .apply = apply,
                             .improve = improve,
                             .context = &scene,
                             .held = scene.held,
                             .floating = what == FLOATING,
                             .tolerance = 1e-10,
                             .most = 100};
  ok(dg_pcg_solve(&pcg, scene.b, scene.x, &report, &err), &err);
  close_scene(&scene);
  return report.iterations;
}

static void compare(int order, enum what what, struct dg_elliptic_weights weights)
{
  const int half = order == 1   ? 6
                   : order == 2 ? 4
                                : 3,
            coarse = iterations(half, order, what, weights), fine = iterations(2 * half, order, what, weights);
  print_message("order %d, case %d, mass %g: %d iterations with %d^3 cells, %d with twice as many a side\n", order,
                (int)what, weights.mass, coarse, half, fine);
  assert_in_range(fine, 1, 20);
  assert_true(fine <= 1.3 * coarse + 1);
}

static void test_iterations(void **state)
{
  (void)state;
  for (int order = 1; order <= 4; order++) {
    compare(order, HELD, (struct dg_elliptic_weights){.stiffness = 1});
    compare(order, BODY, (struct dg_elliptic_weights){.stiffness = 1});
    compare(order, FLOATING, (struct dg_elliptic_weights){.stiffness = 1});
    compare(order, HELD, (struct dg_elliptic_weights){.stiffness = 1e-2, .mass = 1});
  }
}

/* x . P y = y . P x, which conjugate gradients need. */
static void test_symmetric(void **state)
{
  (void)state;
  for (int order = 1; order <= 4; order++) {
    struct scene scene;
    open_scene(&scene, 4, order, HELD, (struct dg_elliptic_weights){.stiffness = 1});
    const size_t n = scene.space.count;
    double *x = array(n, sizeof *x), *y = array(n, sizeof *y), *z = array(n, sizeof *z), sums[3] = {0};
    for (size_t i = 0; i < n; i++) {
      x[i] = scene.held[i] ? 0 : rand() / (double)RAND_MAX - 0.5;
      y[i] = scene.held[i] ? 0 : rand() / (double)RAND_MAX - 0.5;
    }
    dg_multigrid_apply(scene.multigrid, y, z);
    for (size_t i = 0; i < n; i++) sums[0] += x[i] * z[i], sums[2] += y[i] * z[i];
    dg_multigrid_apply(scene.multigrid, x, z);
    for (size_t i = 0; i < n; i++) sums[1] += y[i] * z[i];
    assert_true(sums[2] > 0);
    assert_float_equal(sums[0], sums[1], 1e-12 * sums[2]);
    dg_free(x);
    dg_free(y);
    dg_free(z);
    close_scene(&scene);
  }
}

/* Memory that runs out anywhere is an error, and nothing leaks. */
static void test_memory(void **state)
{
  (void)state;
  struct scene scene;
  const struct dg_elliptic_medium vacuum = {0};
  open_scene(&scene, 2, 3, HELD, (struct dg_elliptic_weights){.stiffness = 1});
  const struct dg_multigrid_setup setup = {.space = &scene.space, .op = scene.op, .medium = &vacuum};
  const size_t before = dg_memory_current();
  bool done = false;
  for (long n = 1; !done; n++) {
    struct dg_error err = {0};
    struct dg_multigrid *multigrid;
    dg_memory_fail_at(n);
    done = dg_multigrid_new(&multigrid, &setup, &err) == 0 &&
           dg_multigrid_set(multigrid, scene.weights, scene.held, false, &err) == 0;
    dg_memory_fail_at(0);
    if (!done) assert_int_equal(err.code, DG_ENVIRONMENT);
    dg_multigrid_free(multigrid);
    assert_int_equal(dg_memory_current(), before);
  }
  close_scene(&scene);
}

int main(void)
{
  struct dg_error err = {0};
  if (dg_amg_prepare(&err) != 0) {
    (void)printf("skipped: %s\n", err.message);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_iterations), cmocka_unit_test(test_symmetric),
                                     cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
