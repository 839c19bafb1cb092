/* Continuous elements: counts of unknowns, polynomials that the space holds and the operator takes exactly, bodies,
 * face terms, loads, curved elements, and convergence. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/field/elliptic.h"
#include "libdg/mesh/curve.h"
#include "libdg/field/tests/need.h"
#include "libdg/mesh/tests/cube.h"
#include "libdg/solve/pcg.h"

/* A scene: a cube, its space, an operator. */
struct scene {
  struct dg_mesh mesh;
  struct dg_space space;
  struct dg_elliptic *op;
  double *x, *y, *b;
  bool *held;
};

static void open_scene(struct scene *scene, int cells, int order, const struct dg_elliptic_medium *medium)
{
  struct dg_error err = {0};
  cube(&scene->mesh, cells);
  ok(dg_space_init(&scene->space, &scene->mesh, NULL, order, 0, NULL, &err), &err);
  ok(dg_elliptic_new(&scene->op, &scene->space, medium, &err), &err);
  const size_t n = scene->space.count;
  scene->x = array(n, sizeof(double)), scene->y = array(n, sizeof(double)), scene->b = array(n, sizeof(double));
  scene->held = array(n, sizeof(bool));
}

static void close_scene(struct scene *scene)
{
  dg_free(scene->x);
  dg_free(scene->y);
  dg_free(scene->b);
  dg_free(scene->held);
  dg_elliptic_free(scene->op);
  dg_space_release(&scene->space);
  dg_mesh_release(&scene->mesh);
}

/* Sets the values of a function at the nodes, and fails where two elements have the same unknown in two places. */
static void sample(const struct dg_space *space, double (*f)(const double x[3]), double *u)
{
  double(*where)[3] = array(space->count, sizeof *where);
  bool *seen = array(space->count, sizeof *seen);
  for (size_t e = 0; e < space->mesh->K; e++) {
    for (int i = 0; i < space->ref.Np; i++) {
      const size_t n = (size_t)space->number[e * (size_t)space->ref.Np + (size_t)i];
      double x[3];
      dg_space_point(space, e, i, x);
      for (int d = 0; seen[n] && d < 3; d++) assert_float_equal(x[d], where[n][d], 1e-12);
      memcpy(where[n], x, sizeof x);
      seen[n] = true;
      u[n] = f(x);
    }
  }
  for (size_t n = 0; n < space->count; n++) assert_true(seen[n]);
  dg_free(where);
  dg_free(seen);
}

static void hold_walls(struct scene *scene)
{
  const struct dg_reference *ref = &scene->space.ref;
  for (size_t e = 0; e < scene->mesh.K; e++)
    for (int f = 0; f < 4; f++)
      for (int m = 0; scene->mesh.neighbour[e][f] == DG_BOUNDARY && m < ref->Nf; m++)
        scene->held[scene->space.number[e * (size_t)ref->Np + (size_t)ref->face_node[f * ref->Nf + m]]] = true;
}

static double one(const double x[3]) { return x[0] * 0 + 1; }
static double linear(const double x[3]) { return 1 + 2 * x[0] - x[1] + 0.5 * x[2]; }

static void test_counts(void **state)
{
  (void)state;
  const struct dg_elliptic_medium vacuum = {0};
  for (int p = 1; p <= 8; p++) {
    struct scene scene = {0};
    open_scene(&scene, 2, p, &vacuum);
    const size_t side = 2 * (size_t)p + 1; /* a cell's nodes lie on a lattice: Kuhn's mesh has all of its points */
    assert_int_equal(scene.space.count, side * side * side);
    sample(&scene.space, linear, scene.x);
    close_scene(&scene);
  }
}

/* Energies of a linear function, the volume, and the area of the walls. */
static void test_integrals(void **state)
{
  (void)state;
  for (int p = 1; p <= 6; p++) {
    struct scene scene = {0};
    struct dg_face_term *walls = array(4 * 6 * MOST * MOST * MOST, sizeof *walls);
    cube(&scene.mesh, 3);
    size_t faces = 0;
    for (size_t e = 0; e < scene.mesh.K; e++)
      for (int f = 0; f < 4; f++)
        if (scene.mesh.neighbour[e][f] == DG_BOUNDARY)
          walls[faces++] = (struct dg_face_term){.face = (int32_t)(4 * e) + f, .h = 0.5};
    dg_mesh_release(&scene.mesh);
    const struct dg_elliptic_medium medium = {.faces = faces, .face = walls};
    open_scene(&scene, 3, p, &medium);
    const size_t n = scene.space.count;
    double energy[3] = {0};
    for (int k = 0; k < 3; k++) {
      const struct dg_elliptic_weights w = {k == 0 ? 2 : 0, k == 1 ? 3 : 0, k == 2 ? 4 : 0};
      sample(&scene.space, k == 0 ? linear : one, scene.x);
      dg_elliptic_apply(scene.op, w, scene.x, scene.y);
      for (size_t i = 0; i < n; i++) energy[k] += scene.x[i] * scene.y[i];
    }
    assert_float_equal(energy[0], 2 * (4 + 1 + 0.25), 1e-11);
    assert_float_equal(energy[1], 3, 1e-11);
    assert_float_equal(energy[2], 4 * 0.5 * 6, 1e-11);
    close_scene(&scene);
    dg_free(walls);
  }
}

/* The diagonal is what unit vectors give. */
static void test_diagonal(void **state)
{
  (void)state;
  for (int p = 1; p <= 4; p++) {
    struct scene scene = {0};
    const struct dg_elliptic_medium vacuum = {0};
    open_scene(&scene, 2, p, &vacuum);
    const struct dg_elliptic_weights w = {1, 7, 0};
    dg_elliptic_diagonal(scene.op, w, scene.b);
    for (size_t i = 0; i < scene.space.count; i += 7) {
      memset(scene.x, 0, sizeof *scene.x * scene.space.count);
      scene.x[i] = 1;
      dg_elliptic_apply(scene.op, w, scene.x, scene.y);
      assert_float_equal(scene.y[i], scene.b[i], 1e-12 * scene.b[i]);
    }
    close_scene(&scene);
  }
}

/* div k grad u = -q with a tensor k, held at the walls: u is a polynomial of degree p. */
static int power;
static double polynomial(const double x[3]) { return pow(x[0] + 0.5 * x[1] - 0.25 * x[2], power); }
static const double tensor[6] = {2, 3, 4, 0.5, 0.25, -0.5};

struct system {
  struct scene *scene;
  double *diagonal;
};
static void stiff(void *context, const double *x, double *y)
{
  const struct system *system = context;
  dg_elliptic_apply(system->scene->op, (struct dg_elliptic_weights){1, 0, 0}, x, y);
}
static void jacobi(void *context, const double *r, double *z)
{
  const struct system *system = context;
  for (size_t i = 0; i < system->scene->space.count; i++) z[i] = r[i] / system->diagonal[i];
}

static int solve(struct scene *scene, double tolerance)
{
  struct dg_error err = {0};
  struct dg_pcg_report report = {0};
  struct system system = {.scene = scene, .diagonal = array(scene->space.count, sizeof(double))};
  dg_elliptic_diagonal(scene->op, (struct dg_elliptic_weights){1, 0, 0}, system.diagonal);
  const struct dg_pcg pcg = {.count = scene->space.count,
                             .apply = stiff,
                             .improve = jacobi,
                             .context = &system,
                             .held = scene->held,
                             .tolerance = tolerance,
                             .most = 2000};
  ok(dg_pcg_solve(&pcg, scene->b, scene->x, &report, &err), &err);
  assert_true(report.residual <= 2 * tolerance);
  dg_free(system.diagonal);
  return report.iterations;
}

static void test_polynomials(void **state)
{
  (void)state;
  for (power = 1; power <= 5; power++) {
    struct scene scene = {0};
    const size_t K = 6 * 3 * 3 * 3;
    double(*k)[6] = array(K, sizeof *k);
    for (size_t e = 0; e < K; e++) memcpy(k[e], tensor, sizeof tensor);
    const struct dg_elliptic_medium medium = {.tensor = (const double(*)[6])k};
    open_scene(&scene, 3, power, &medium);
    double *exact = array(scene.space.count, sizeof *exact);
    const int Np = scene.space.ref.Np;
    double *q = array(K * (size_t)Np, sizeof *q);
    const double d[3] = {1, 0.5, -0.25};
    const double second = d[0] * (tensor[0] * d[0] + tensor[3] * d[1] + tensor[4] * d[2]) +
                          d[1] * (tensor[3] * d[0] + tensor[1] * d[1] + tensor[5] * d[2]) +
                          d[2] * (tensor[4] * d[0] + tensor[5] * d[1] + tensor[2] * d[2]);
    for (size_t e = 0; e < K; e++) {
      for (int i = 0; power > 1 && i < Np; i++) {
        double x[3];
        dg_space_point(&scene.space, e, i, x);
        q[e * (size_t)Np + (size_t)i] = -second * power * (power - 1) * pow(x[0] + 0.5 * x[1] - 0.25 * x[2], power - 2);
      }
    }
    hold_walls(&scene);
    sample(&scene.space, polynomial, exact);
    for (size_t i = 0; i < scene.space.count; i++) scene.x[i] = scene.held[i] ? exact[i] : 0;
    dg_elliptic_load(scene.op, q, scene.b);
    (void)solve(&scene, 1e-13);
    for (size_t i = 0; i < scene.space.count; i++) assert_float_equal(scene.x[i], exact[i], 1e-11);
    dg_free(exact);
    dg_free(q);
    dg_free(k);
    close_scene(&scene);
  }
}

/* A mode of the box: the Rayleigh quotient of the interpolated function converges; the solution of a source does so
 * with order p + 1. */
static const double pi = 3.14159265358979323846;
static double mode(const double x[3]) { return sin(pi * x[0]) * sin(pi * x[1]) * sin(pi * x[2]); }

static double error_of(int cells, int order)
{
  struct scene scene = {0};
  const struct dg_elliptic_medium vacuum = {0};
  open_scene(&scene, cells, order, &vacuum);
  const size_t n = scene.space.count, K = scene.mesh.K, Np = (size_t)scene.space.ref.Np;
  double *exact = array(n, sizeof *exact), *q = array(K * Np, sizeof *q);
  sample(&scene.space, mode, exact);
  for (size_t i = 0; i < K * Np; i++) q[i] = 3 * pi * pi * exact[scene.space.number[i]];
  hold_walls(&scene);
  dg_elliptic_load(scene.op, q, scene.b);
  (void)solve(&scene, 1e-12);
  for (size_t i = 0; i < n; i++) exact[i] -= scene.x[i];
  dg_elliptic_apply(scene.op, (struct dg_elliptic_weights){0, 1, 0}, exact, scene.y);
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += exact[i] * scene.y[i];
  dg_free(exact);
  dg_free(q);
  close_scene(&scene);
  return sqrt(sum);
}

static void test_convergence(void **state)
{
  (void)state;
  for (int p = 1; p <= 3; p++) {
    const int cells = p == 1 ? 6 : 3; /* those of fewer are not small enough */
    const double coarse = error_of(cells, p), fine = error_of(2 * cells, p), order = log2(coarse / fine);
    if (!(order > p + 0.8)) fail_msg("order %d converges with %.2f (%.2e, %.2e)", p, order, coarse, fine);
  }
}

/* Two plates as bodies: the field is uniform, and the charge of each is what a capacitor has. */
static void test_bodies(void **state)
{
  (void)state;
  for (int p = 1; p <= 3; p++) {
    struct scene scene = {0};
    struct dg_error err = {0};
    cube(&scene.mesh, 3);
    int32_t(*body)[4] = array(scene.mesh.K, sizeof *body);
    for (size_t e = 0; e < scene.mesh.K; e++) {
      for (int f = 0; f < 4; f++) {
        double low = 2, high = -1;
        for (int v = 0; v < 4; v++) {
          if (v == f) continue;
          const double z = scene.mesh.vertex[scene.mesh.element[e][v]][2];
          low = fmin(low, z), high = fmax(high, z);
        }
        body[e][f] = high < 1e-9 ? 0 : low > 1 - 1e-9 ? 1 : DG_NO_BODY;
      }
    }
    ok(dg_space_init(&scene.space, &scene.mesh, NULL, p, 2, (const int32_t(*)[4])body, &err), &err);
    double *k = array(scene.mesh.K, sizeof *k);
    for (size_t e = 0; e < scene.mesh.K; e++) k[e] = 5;
    const struct dg_elliptic_medium medium = {.k = k};
    ok(dg_elliptic_new(&scene.op, &scene.space, &medium, &err), &err);
    const size_t n = scene.space.count;
    scene.x = array(n, sizeof(double)), scene.y = array(n, sizeof(double)), scene.b = array(n, sizeof(double));
    scene.held = array(n, sizeof(bool));
    for (size_t q = 0; q < 2; q++) scene.held[dg_space_body(&scene.space, q)] = true;
    scene.x[dg_space_body(&scene.space, 1)] = 2;
    (void)solve(&scene, 1e-13);
    dg_elliptic_apply(scene.op, (struct dg_elliptic_weights){1, 0, 0}, scene.x, scene.y);
    assert_float_equal(scene.y[dg_space_body(&scene.space, 1)], 10, 1e-10);
    assert_float_equal(scene.y[dg_space_body(&scene.space, 0)], -10, 1e-10);
    for (size_t e = 0; e < scene.mesh.K; e++) {
      double gradient[DG_SHAPE_MAX][3];
      dg_elliptic_gradient(scene.op, e, scene.x, gradient);
      for (int i = 0; i < scene.space.ref.Np; i++) assert_float_equal(gradient[i][2], 2, 1e-10);
    }
    /* The diagonal of a body is the product of all of its nodes. */
    dg_elliptic_diagonal(scene.op, (struct dg_elliptic_weights){1, 0, 0}, scene.b);
    memset(scene.x, 0, sizeof *scene.x * n);
    scene.x[dg_space_body(&scene.space, 0)] = 1;
    dg_elliptic_apply(scene.op, (struct dg_elliptic_weights){1, 0, 0}, scene.x, scene.y);
    assert_float_equal(scene.y[dg_space_body(&scene.space, 0)], scene.b[dg_space_body(&scene.space, 0)], 1e-10);
    dg_free(k);
    dg_free(body);
    close_scene(&scene);
  }
}

/* A bent cube: volume and surface of what it became, and a function of x alone that is linear in space stays exact. */
static void bend(void *context, double x[3])
{
  (void)context;
  x[2] += 0.2 * x[0] * x[1];
}

static void test_curved(void **state)
{
  (void)state;
  for (int p = 2; p <= 4; p++) {
    struct scene scene = {0};
    struct dg_error err = {0};
    const struct dg_elliptic_medium vacuum = {0};
    cube(&scene.mesh, 2);
    ok(dg_mesh_bend(&scene.mesh, 2, bend, NULL, &err), &err);
    assert_true(scene.mesh.curved > 0);
    ok(dg_space_init(&scene.space, &scene.mesh, NULL, p, 0, NULL, &err), &err);
    ok(dg_elliptic_new(&scene.op, &scene.space, &vacuum, &err), &err);
    const size_t n = scene.space.count;
    scene.x = array(n, sizeof(double)), scene.y = array(n, sizeof(double));
    sample(&scene.space, linear, scene.x);
    double energy = 0, volume = 0;
    dg_elliptic_apply(scene.op, (struct dg_elliptic_weights){1, 0, 0}, scene.x, scene.y);
    for (size_t i = 0; i < n; i++) energy += scene.x[i] * scene.y[i];
    for (size_t i = 0; i < n; i++) scene.x[i] = 1;
    dg_elliptic_apply(scene.op, (struct dg_elliptic_weights){0, 1, 0}, scene.x, scene.y);
    for (size_t i = 0; i < n; i++) volume += scene.x[i] * scene.y[i];
    assert_float_equal(volume, 1, 1e-12); /* the bend keeps volumes */
    assert_float_equal(energy, 4 + 1 + 0.25, 1e-10);
    close_scene(&scene);
  }
}

static void test_touching(void **state)
{
  (void)state;
  struct dg_mesh mesh;
  struct dg_space space;
  struct dg_error err = {0};
  cube(&mesh, 1);
  int32_t(*body)[4] = array(mesh.K, sizeof *body);
  for (size_t e = 0; e < mesh.K; e++)
    for (int f = 0; f < 4; f++) body[e][f] = mesh.neighbour[e][f] == DG_BOUNDARY ? (int32_t)(e % 2) : DG_NO_BODY;
  assert_int_equal(dg_space_init(&space, &mesh, NULL, 2, 2, (const int32_t(*)[4])body, &err), DG_INPUT);
  assert_non_null(strstr(err.message, "touch"));
  dg_free(body);
  dg_mesh_release(&mesh);
}

/* Out of memory anywhere: an error, and nothing is left. */
static void test_memory(void **state)
{
  (void)state;
  struct dg_mesh mesh;
  cube(&mesh, 1);
  const size_t before = dg_memory_current();
  const struct dg_elliptic_medium vacuum = {0};
  for (long n = 1; n < 100; n++) {
    struct dg_space space = {0};
    struct dg_elliptic *op = NULL;
    struct dg_error err = {0};
    dg_memory_fail_at(n);
    const bool done =
        dg_space_init(&space, &mesh, NULL, 2, 0, NULL, &err) == 0 && dg_elliptic_new(&op, &space, &vacuum, &err) == 0;
    dg_memory_fail_at(0);
    assert_int_equal(done, err.code == 0);
    dg_elliptic_free(op);
    dg_space_release(&space);
    assert_int_equal(dg_memory_current(), before);
    if (done) {
      assert_true(n > 5);
      dg_mesh_release(&mesh);
      return;
    }
  }
  fail_msg("no end");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counts),      cmocka_unit_test(test_integrals), cmocka_unit_test(test_diagonal),
      cmocka_unit_test(test_polynomials), cmocka_unit_test(test_bodies),    cmocka_unit_test(test_convergence),
      cmocka_unit_test(test_curved),      cmocka_unit_test(test_touching),  cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
