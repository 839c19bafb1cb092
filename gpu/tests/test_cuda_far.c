/* Compares the running transforms of far fields on the card with those of the reference on the host, for schemes whose
 * H is observed in different ways, and lets them go to the host and back on the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gpu/tests/card.h"
#include "maxwell/far/far_sums.h"
#include "maxwell/tests/box.h"
#include "maxwell/tests/drive.h"

enum { SAMPLES = 40 }; /* more than go to the sums at a time */

static double hertz[3] = {1e7, 5e7, 9e7};

static void make_box(struct box *box, int order, double alpha)
{
  box_mesh(box, (int[]){4, 4, 4}, (double[]){1, 1, 1}, 0.2, NULL);
  const int inside = dg_mesh_find_entity(&box->mesh, 3, 1), outside = dg_mesh_find_entity(&box->mesh, 3, 2);
  for (size_t e = 0; e < box->mesh.K; e++) {
    double x[3];
    dg_geometry_barycentre(&box->mesh, e, x);
    bool in = true;
    for (int c = 0; c < 3; c++) in = in && fabs(x[c] - 0.5) < 0.25;
    box->mesh.volume[e] = in ? inside : outside;
  }
  box_material(box, 0, 2, 1, 0);
  box_problem(box, order, alpha);
}

/* The sums of a run that takes a sample every step. */
static void run(const struct mx_backend_ops *ops, const struct box *box, const struct mx_far_surface *surface,
                enum mx_integrator integrator, enum mx_precision precision, const double *E, const double *H,
                struct mx_far_sums *sums)
{
  const struct mx_frequencies frequencies = {3, hertz};
  const double step = 5e-4;
  struct dg_error err = {0};
  struct drive drive = drive_new(ops, box, integrator, precision, step, E, H);
  if (mx_far_sums_init(sums, surface, &box->problem, &frequencies, step / MX_C0, &err) != 0 ||
      mx_far_sums_watch(sums, ops, drive.backend, &err) != 0)
    fail_msg("%s", err.message);
  assert_true((sums->running.backend != NULL) == ops->card->present);
  for (long n = 0; n < SAMPLES; n++) {
    drive_observe(&drive);
    if (mx_far_sums_take(sums, ops, drive.backend, step / MX_C0 * (double)n, &err) != 0) fail_msg("%s", err.message);
    if (n == 10) { /* as a checkpoint does, and a restart */
      if (mx_running_settle(&sums->running, &err) != 0 || mx_running_loaded(&sums->running, &err) != 0)
        fail_msg("%s", err.message);
    }
    drive_finish(&drive);
  }
  if (mx_running_settle(&sums->running, &err) != 0) fail_msg("%s", err.message);
  ops->destroy(drive.backend);
}

static void compare(int order, double alpha, enum mx_integrator integrator)
{
  struct box box = {0};
  struct mx_far_surface surface;
  struct dg_error err = {0};
  make_box(&box, order, alpha);
  const struct mx_far_config far = {.name = "far", .by_region = true, .on = {.tag = 1}};
  const struct mx_far_scene scene = {
      .config = &far, .problem = &box.problem, .assignment = &box.assignment, .mesh = &box.mesh};
  if (mx_far_surface_init(&surface, &scene, &err) != 0) fail_msg("%s", err.message);
  double *E = box_field(&box), *H = box_field(&box);
  box_noise(&box, E);
  box_noise(&box, H);
  struct mx_far_sums truth, found;
  run(&mx_backend_reference, &box, &surface, integrator, MX_DOUBLE, E, H, &truth);
  for (int single = 0; single < 2; single++) {
    double largest = 0, off = 0;
    run(&mx_backend_cuda, &box, &surface, integrator, single ? MX_SINGLE : MX_DOUBLE, E, H, &found);
    for (size_t i = 0; i < 2 * truth.running.frequencies * truth.running.width; i++) {
      largest = fmax(largest, fabs(truth.running.sum[i]));
      off = fmax(off, fabs(truth.running.sum[i] - found.running.sum[i]));
    }
    assert_true(largest > 0);
    if (!(off < (single ? 1e-5 : 1e-12) * largest))
      fail_msg("order %d, flux %g, %s, %s: differs by %g of %g", order, alpha, mx_integrator_names[integrator],
               single ? "single" : "double", off, largest);
    mx_far_sums_release(&found);
  }
  mx_far_sums_release(&truth);
  free(E), free(H);
  mx_far_surface_release(&surface);
  box_release(&box);
}

static void sums_are_those_of_the_host(void **state)
{
  (void)state;
  for (int order = 1; order <= 4; order++)
    for (int alpha = 0; alpha < 2; alpha++) {
      compare(order, alpha, MX_LEAPFROG);
      compare(order, alpha, MX_LSRK);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_those_of_the_host),
  };
  if (no_card()) return 77;
  return cmocka_run_group_tests_name("far fields on the card", tests, NULL, NULL);
}
