/* Perfectly matched layers on a box, a sphere and a cylinder, and an absorber in a Debye medium, on all backends that
 * run here: what a wave leaves behind, agreement of backends, precisions and restarts, stability up to the limit of the
 * step, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"
#include "maxwell/tests/growth.h"
#include "maxwell/tests/sanitized.h"

static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4};
enum { INTEGRATORS = 3 };

static const struct mx_layer_shape shapes[] = {
    {.kind = MX_LAYER_BOX,
     .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
     .low = {-INFINITY, -INFINITY, -INFINITY},
     .high = {0.75, 0.75, 0.75},
     .thickness = 0.25,
     .reflection = -40},
    {.kind = MX_LAYER_SPHERE,
     .centre = {-0.5, -0.4, -0.6},
     .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
     .high = {1.2},
     .thickness = 1.5,
     .reflection = -60},
    {.kind = MX_LAYER_CYLINDER,
     .centre = {-0.3, -0.4, 0.1},
     .axis = {{0.8, 0.6, 0}, {0, 0, 1}, {0.6, -0.8, 0}},
     .low = {-INFINITY, -INFINITY, -0.2},
     .high = {0.5, INFINITY, 0.3},
     .thickness = 2,
     .reflection = -60},
    {.kind = MX_LAYER_BOX,
     .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
     .low = {-INFINITY, -INFINITY, -INFINITY},
     .high = {0.75, 0.75, 0.75},
     .thickness = 0.25,
     .reflection = -40,
     .absorber = true,
     .frequency = 0.5e9},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static int init(struct box *box, int order, double alpha, const struct mx_layer_shape *shape, struct dg_error *err)
{
  struct mx_layer_shape own = *shape;
  int *of_volume = calloc(box->mesh.entities, sizeof *of_volume);
  const struct mx_layers layers = {.count = 1, .shape = &own, .of_volume = of_volume};
  for (size_t i = 0; i < box->mesh.entities; i++)
    of_volume[i] = box->mesh.entity[i].dim == 3 && box->mesh.entity[i].tag == 2 ? 0 : -1;
  box->config.alpha = alpha;
  if (box->ref.Np == 0) assert_int_equal(dg_reference_init(&box->ref, order, err), 0);
  const int status = mx_problem_init_layered(&box->problem, &box->assignment, &box->config, &box->mesh, &box->geometry,
                                             &box->ref, NULL, &layers, NULL, err);
  free(of_volume);
  return status;
}

/* A cube of 1 m. All that is beyond 3/4 in some direction is the layer: slabs, edges and a corner of a box. */
static void fill(struct box *box, int order, double alpha, const struct mx_layer_shape *shape)
{
  static const int cells[3] = {4, 4, 4};
  static const double sizes[3] = {1, 1, 1};
  struct dg_error err = {0};
  box_mesh(box, cells, sizes, 0, NULL);
  const int inner = dg_mesh_find_entity(&box->mesh, 3, 1), outer = dg_mesh_find_entity(&box->mesh, 3, 2);
  for (size_t e = 0; e < box->mesh.K; e++) {
    double x[3];
    dg_geometry_barycentre(&box->mesh, e, x);
    box->mesh.volume[e] = x[0] > 0.75 || x[1] > 0.75 || x[2] > 0.75 ? outer : inner;
  }
  box_material(box, 1, 2, 1, 0.01);
  box_material(box, 2, 2, 1, 0.01);
  box_boundary(box, 0, MX_PEC, 0);
  if (shape->absorber) box_debye(&box->material[1], 3, 1e-10);
  if (init(box, order, alpha, shape, &err) != 0) fail_msg("%s", err.message);
}

/* ---- what a wave leaves behind */

static void pulse(const double x[3], double t, double value[3])
{
  value[0] = value[2] = 0;
  const double u = (x[0] - 4 - t) / 1.2; /* no mean, which would stay as a field at rest */
  value[1] = u * exp(-u * u);
}
static void pulse_H(const double x[3], double t, double value[3])
{
  double E[3];
  pulse(x, t, E);
  value[0] = value[1] = 0;
  value[2] = E[1];
}

/* A pulse between parallel plates runs through a layer of eight cells to a conductor and back. The layer's medium is
 * that of the inside. */
static void test_wave_is_gone(void **state)
{
  static const int cells[3] = {16, 1, 1};
  static const double sizes[3] = {16, 1, 1};
  const struct mx_layer_shape shape = {.kind = MX_LAYER_BOX,
                                       .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                       .low = {-INFINITY, -INFINITY, -INFINITY},
                                       .high = {8, INFINITY, INFINITY},
                                       .thickness = 8,
                                       .reflection = -80};
  (void)state;
  struct box box = {0};
  struct dg_error err = {0};
  box_mesh(&box, cells, sizes, 0, NULL);
  box_material(&box, 0, 1, 1, 0);
  for (int surface = 1; surface <= 6; surface++) box_boundary(&box, surface, surface < 5 ? MX_PEC : MX_PMC, 0);
  assert_int_equal(init(&box, 4, 1, &shape, &err), 0);
  double *E = box_field(&box), *H = box_field(&box);
  box_evaluate(&box, pulse, 0, E), box_evaluate(&box, pulse_H, 0, H);
  for (int i = 0; i < INTEGRATORS; i++) {
    const double step = 0.9 * box_limit(&box, integrators[i]);
    for (int b = 0; mx_backends[b] != NULL; b++) {
      /* `reference` is slow, and agrees (test_backends_agree) */
      if (mx_backends[b] == &mx_backend_reference || mx_backends[b]->available(&err) != 0) continue;
      struct drive drive = drive_new(mx_backends[b], &box, integrators[i], MX_DOUBLE, step, E, H);
      drive_observe(&drive);
      const double first = drive_energy(&drive);
      drive_finish(&drive);
      drive_steps(&drive, SANITIZED ? 20 : (long)(30 / step)); /* there, back, and to the layer again */
      drive_observe(&drive);
      const double left = 10 * log10(drive_energy(&drive) / first);
      print_message("%s %s: %.1f dB of the energy are left\n", mx_backends[b]->name,
                    mx_integrator_names[integrators[i]], left);
      assert_true(SANITIZED || left < -75);
      mx_backends[b]->destroy(drive.backend);
    }
  }
  free(E), free(H);
  box_release(&box);
}

/* ---- agreement */

static void continue_from(const struct mx_backend_ops *ops, const struct box *box, struct drive *drive)
{
  struct drive other = *drive;
  struct dg_error err = {0};
  assert_int_equal(ops->create(&other.backend, &box->problem, &drive->options, &err), 0);
  assert_int_equal(ops->upload(other.backend, NULL, NULL, &err), 0);
  for (int array = 0; array < (int)mx_state_arrays(&box->problem); array++) {
    const struct mx_state_array of = mx_state_array(&box->problem, drive->options.integrator, (size_t)array);
    double *value = calloc(of.items * mx_state_width(&of) + 1, sizeof *value);
    if (of.items > 0) {
      assert_int_equal(ops->save(drive->backend, array, 0, of.items, value, &err), 0);
      assert_int_equal(ops->load(other.backend, array, 0, of.items, value, &err), 0);
    }
    free(value);
  }
  assert_int_equal(ops->loaded(other.backend, &err), 0);
  ops->destroy(drive->backend);
  *drive = other;
}

static void six_steps(double *E, double *H, const struct mx_backend_ops *ops, const struct box *box,
                      enum mx_integrator integrator, enum mx_precision precision, double step, bool stops)
{
  struct dg_error err = {0};
  box_random_state = 5;
  box_noise(box, E), box_noise(box, H);
  struct drive drive = drive_new(ops, box, integrator, precision, step, E, H);
  drive_steps(&drive, 3);
  if (stops) continue_from(ops, box, &drive);
  drive_steps(&drive, 3);
  drive_observe(&drive);
  assert_int_equal(ops->download(drive.backend, E, H, &err), 0);
  ops->destroy(drive.backend);
}

/* Is there a card that the backend `cuda` runs on? Its kernels differ by order, up to 7, those of the others do not. */
static bool is_cuda(const struct mx_backend_ops *ops) { return strcmp(ops->name, "cuda") == 0; }
static bool has_card(void)
{
  struct dg_error err = {0};
  for (int b = 0; mx_backends[b] != NULL; b++)
    if (is_cuda(mx_backends[b]) && mx_backends[b]->available(&err) == 0) return true;
  return false;
}

static void test_backends_agree(void **state)
{
  const int highest = has_card() ? 7 : 2;
  (void)state;
  for (int s = 0; s < SHAPES; s++)
    for (int order = 1; order <= highest; order++) {
      struct box box = {0};
      fill(&box, order, order == 2 ? 0 : 1, &shapes[s]);
      const size_t bytes = 3 * (size_t)box.ref.Np * box.mesh.K * sizeof(double);
      double *E[3], *H[3];
      for (int i = 0; i < 3; i++) E[i] = box_field(&box), H[i] = box_field(&box);
      for (int i = 0; i < INTEGRATORS; i++) {
        const double step = 0.03 / (order * order);
        six_steps(E[0], H[0], &mx_backend_reference, &box, integrators[i], MX_DOUBLE, step, false);
        const double size = sqrt(box_product(&box, NULL, E[0], E[0]) + box_product(&box, NULL, H[0], H[0]));
        for (int b = 0; mx_backends[b] != NULL; b++)
          for (int single = 0; single < 2; single++) {
            struct dg_error err = {0};
            if (mx_backends[b]->available(&err) != 0 || (order > 2 && !is_cuda(mx_backends[b]))) continue;
            for (int stops = 0; stops < 2; stops++)
              six_steps(E[1 + stops], H[1 + stops], mx_backends[b], &box, integrators[i], (enum mx_precision)single,
                        step, stops);
            assert_memory_equal(E[1], E[2], bytes);
            assert_memory_equal(H[1], H[2], bytes);
            const double distance = (box_distance(&box, E[1], E[0]) + box_distance(&box, H[1], H[0])) / size;
            if (distance > (single ? 1e-4 : 1e-12))
              fail_msg("%s %s, shape %d, order %d: %g", mx_backends[b]->name, mx_integrator_names[integrators[i]], s,
                       order, distance);
          }
      }
      for (int i = 0; i < 3; i++) free(E[i]), free(H[i]);
      box_release(&box);
    }
}

/* ---- stability */

/* The largest energy of the second half of so many steps over that of the first half. */
static double growth(const struct box *box, enum mx_integrator integrator, double step, long steps, double *most)
{
  double *E = box_field(box), *H = box_field(box), half[2] = {0, 0};
  box_random_state = 3;
  box_noise(box, E), box_noise(box, H);
  struct drive drive = drive_new(&mx_backend_cpu, box, integrator, MX_DOUBLE, step, E, H);
  drive_observe(&drive);
  const double first = drive_energy(&drive);
  drive_finish(&drive);
  *most = 0;
  for (long n = 0; n < steps; n += 10) {
    drive_steps(&drive, 9);
    drive_observe(&drive);
    const double now = fabs(drive_energy(&drive) / first);
    *most = fmax(*most, now);
    half[2 * n >= steps] = fmax(half[2 * n >= steps], now);
    drive_finish(&drive);
    if (!(now < 1e6)) break;
  }
  mx_backend_cpu.destroy(drive.backend);
  free(E), free(H);
  return half[1] / half[0];
}

static const double cfl = 0.95, least = 0.90; /* what a run takes of the limit; what it must take of the true one */

/* The automatic step over the true limit, which is found by trial to one percent: between `least` and 1, or infinite or
 * 0 where it is not there. */
static double share_of_true_limit(const struct box *box, enum mx_integrator integrator, double limit)
{
  enum { STEPS = 2000 };
  double low = cfl * limit, high = cfl * limit / least, most;
  (void)growth(box, integrator, low, STEPS, &most);
  if (!(most < 10)) return INFINITY;
  (void)growth(box, integrator, high, STEPS, &most);
  if (most < 10) return 0;
  while (high / low > 1.01) {
    const double middle = sqrt(low * high);
    (void)growth(box, integrator, middle, STEPS, &most);
    *(most < 10 ? &low : &high) = middle;
  }
  return cfl * limit / sqrt(low * high);
}

static void test_stability(void **state)
{
  (void)state;
  for (int s = 0; s < SHAPES; s++)
    for (int centred = 0; centred < 2; centred++) {
      struct box box = {0};
      if (SANITIZED && centred != s % 2) continue;
      fill(&box, 2, centred ? 0 : 1, &shapes[s]);
      for (int i = 0; i < INTEGRATORS; i++) {
        if (SANITIZED && i != s % INTEGRATORS) continue;
        const double limit = box_limit(&box, integrators[i]);
        double most, beyond;
        const double rise = growth(&box, integrators[i], cfl * limit, SANITIZED ? 20 : 300, &most);
        (void)growth(&box, integrators[i], cfl / least * limit, SANITIZED ? 20 : 1000, &beyond);
        print_message("shape %d, %s, %s: at 0.95 at most %.4g, second half over first %.4g; at 1.056 to %.3g\n", s,
                      centred ? "centred" : "upwind", mx_integrator_names[integrators[i]], most, rise, beyond);
        assert_true(most <= 1.0 && rise <= 1.0 && (SANITIZED || !(beyond < 10)));
      }
      box_release(&box);
    }
}

/* The same by bisection, for `test_layers bisect [order]`. */
static int bisect(int order)
{
  int bad = 0;
  for (int s = 0; s < SHAPES; s++)
    for (int centred = 0; centred < 2; centred++) {
      struct box box = {0};
      fill(&box, order, centred ? 0 : 1, &shapes[s]);
      for (int i = 0; i < INTEGRATORS; i++) {
        const double share = share_of_true_limit(&box, integrators[i], box_limit(&box, integrators[i]));
        printf("shape %d, %s, %s, order %d: the automatic step is %.3f of the true limit\n", s,
               centred ? "centred" : "upwind", mx_integrator_names[integrators[i]], order, share);
        fflush(stdout);
        bad += share < least || share > 1;
      }
      box_release(&box);
    }
  return bad > 0;
}

/* A layer one element thick that is asked for more than an element carries: it absorbs less, and does not grow. With
 * sigma multiplied at the nodes, order 1 grew here at half of the limit: to 11 times with leapfrog, to 1e7 with lsrk.
 */
static void test_strong(void **state)
{
  struct mx_layer_shape strong = shapes[0];
  struct box box = {0};
  (void)state;
  strong.reflection = -150;
  fill(&box, 1, 1, &strong);
  for (int i = 0; i < INTEGRATORS; i++) {
    double most;
    const double rise =
        growth(&box, integrators[i], 0.5 * box_limit(&box, integrators[i]), SANITIZED ? 20 : 800, &most);
    print_message("strong, %s: at most %.4g, second half over first %.4g\n", mx_integrator_names[integrators[i]], most,
                  rise);
    assert_true(most <= 1.0 && rise <= 1.0);
  }
  box_release(&box);
}

/* ---- what is refused */

static void refused(const struct mx_layer_shape *shape, double debye, const char *why)
{
  struct box box = {0};
  struct dg_error err = {0};
  fill(&box, 1, 1, &shapes[0]);
  mx_problem_release(&box.problem);
  mx_assignment_release(&box.assignment);
  box_debye(&box.material[1], debye, 1e-11);
  assert_int_not_equal(init(&box, 1, 1, shape, &err), 0);
  if (strstr(err.message, why) == NULL) fail_msg("%s", err.message);
  dg_reference_release(&box.ref);
  dg_geometry_release(&box.geometry);
  dg_mesh_release(&box.mesh);
}

static void test_refused(void **state)
{
  struct mx_layer_shape shape = shapes[0];
  (void)state;
  refused(&shape, 3, "medium with poles");
  shape.high[1] = 0.8;
  refused(&shape, 0, "cuts");
  shape = shapes[0];
  shape.thickness = 0.2;
  refused(&shape, 0, "deeper");
  shape = shapes[0];
  shape.high[0] = shape.high[1] = INFINITY;
  refused(&shape, 0, "before its inner walls");
  shape = shapes[1];
  shape.high[0] = 2.2;
  refused(&shape, 0, "inner wall");
}

/* A slab of an absorber: both fields relax alike, and a wave that crosses it twice loses what was asked for. */
static void test_absorber(void **state)
{
  static const int cells[3] = {16, 1, 1};
  static const double sizes[3] = {16, 1, 1};
  const struct mx_layer_shape shape = {.kind = MX_LAYER_BOX,
                                       .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                       .low = {-INFINITY, -INFINITY, -INFINITY},
                                       .high = {8, INFINITY, INFINITY},
                                       .thickness = 8,
                                       .reflection = -80,
                                       .absorber = true};
  struct box box = {0};
  struct dg_error err = {0};
  double nepers = 0, last = 0;
  (void)state;
  box_mesh(&box, cells, sizes, 0, NULL);
  box_material(&box, 0, 2, 1.5, 0);
  assert_int_equal(init(&box, 1, 1, &shape, &err), 0);
  assert_int_equal(box.problem.responses, 0);
  for (size_t e = 0; e < box.mesh.K; e++) {
    double x[3];
    const double of_E = box.problem.sigma[e] / box.problem.epsilon[e],
                 of_H = box.problem.sigma_m[e] / box.problem.mu[e];
    dg_geometry_barycentre(&box.mesh, e, x);
    assert_int_equal(box.assignment.layer[e], -1);
    assert_int_equal(box.assignment.absorber[e], x[0] > 8 ? 0 : -1);
    assert_true(fabs(of_E - of_H) <= 1e-14 * of_H && (of_H > 0) == (x[0] > 8));
    nepers += 2 * sqrt(2 * 1.5) * of_H / 6; /* six elements in a cell of 1 m */
    last = fmax(last, of_H);
  }
  assert_true(fabs(nepers - 4 * log(10)) < 1e-12);
  /* the mean of the profile over its last eighth */
  assert_true(fabs(last / (4 * log(10) / sqrt(3) / 16) - (8 - 8 * pow(7.0 / 8, 4))) < 1e-12);
  box_release(&box);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "bisect") == 0) return bisect(argc > 2 ? atoi(argv[2]) : 2);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_wave_is_gone), cmocka_unit_test(test_backends_agree),
                                     cmocka_unit_test(test_stability),    cmocka_unit_test(test_strong),
                                     cmocka_unit_test(test_refused),      cmocka_unit_test(test_absorber)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
