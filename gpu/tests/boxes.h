/* Boxes without sources on the `cuda` backend against the reference, and times of a step. Include after
 * maxwell/tests/growth.h. */
#pragma once

#include <time.h>

static const enum mx_integrator integrators[] = {MX_LEAPFROG, MX_LSRK, MX_RK4};
enum { INTEGRATORS = 3 };

struct result {
  double *E, *H, energy, loss;
};

static void observe(const struct drive *drive, const struct box *box, struct result *to)
{
  const struct mx_backend_ops *ops = drive->ops;
  struct dg_error err = {0};
  int32_t *all = calloc(box->mesh.K, sizeof *all);
  for (size_t e = 0; e < box->mesh.K; e++) all[e] = (int32_t)e;
  to->E = box_field(box), to->H = box_field(box);
  drive_observe(drive);
  to->energy = drive_energy(drive);
  assert_int_equal(ops->loss(drive->backend, box->mesh.K, all, &to->loss, &err), 0);
  assert_int_equal(ops->download(drive->backend, to->E, to->H, &err), 0);
  free(all);
}

static struct drive begin(const struct mx_backend_ops *ops, const struct box *box, enum mx_integrator integrator,
                          enum mx_precision precision, double step)
{
  double *E = box_field(box), *H = box_field(box);
  box_random_state = 5;
  box_noise(box, E), box_noise(box, H);
  const struct drive drive = drive_new(ops, box, integrator, precision, step, E, H);
  free(E), free(H);
  return drive;
}

/* A backend that goes on from what another one has saved. */
static struct drive moved(const struct drive *from, const struct box *box)
{
  const struct mx_backend_ops *ops = from->ops;
  struct drive to = *from;
  struct dg_error err = {0};
  assert_int_equal(ops->create(&to.backend, &box->problem, &from->options, &err), 0);
  assert_int_equal(ops->upload(to.backend, NULL, NULL, &err), 0);
  for (int array = 0; array < (int)mx_state_arrays(&box->problem); array++) {
    const struct mx_state_array of = mx_state_array(&box->problem, from->options.integrator, (size_t)array);
    double *value = calloc(of.items * mx_state_width(&of) + 1, sizeof *value);
    assert_int_equal(ops->save(from->backend, array, 0, of.items, value, &err), 0);
    assert_int_equal(ops->load(to.backend, array, 0, of.items, value, &err), 0);
    free(value);
  }
  assert_int_equal(ops->loaded(to.backend, &err), 0);
  ops->destroy(from->backend);
  return to;
}

static void release(struct result *result) { free(result->E), free(result->H); }

static void compare_box(const struct box *box, const char *what, double share)
{
  const size_t bytes = 3 * (size_t)box->ref.Np * box->mesh.K * sizeof(double);
  const long steps = box->ref.order <= 3 ? 1000 : 100;
  for (int i = 0; i < INTEGRATORS; i++) {
    const double step = share * box_limit(box, integrators[i]);
    struct result truth, result[2], again;
    struct drive drive = begin(&mx_backend_reference, box, integrators[i], MX_DOUBLE, step);
    drive_steps(&drive, steps);
    observe(&drive, box, &truth);
    mx_backend_reference.destroy(drive.backend);
    const double size = sqrt(box_product(box, NULL, truth.E, truth.E) + box_product(box, NULL, truth.H, truth.H));
    double apart[2], sums[2];
    for (int single = 0; single < 2; single++) {
      drive = begin(&mx_backend_cuda, box, integrators[i], single ? MX_SINGLE : MX_DOUBLE, step);
      drive_steps(&drive, steps);
      observe(&drive, box, &result[single]);
      mx_backend_cuda.destroy(drive.backend);
      apart[single] =
          (box_distance(box, truth.E, result[single].E) + box_distance(box, truth.H, result[single].H)) / size;
      /* a loss in 1/m: its fields may have died away beside those that stay */
      sums[single] =
          fmax(fabs(result[single].energy - truth.energy), fabs(result[single].loss - truth.loss)) / truth.energy;
    }
    print_message(
        "%s, p = %d, %s, %ld steps: differs by %.2g, energy and loss by %.2g; in single precision %.2g, %.2g\n", what,
        box->ref.order, mx_integrator_names[integrators[i]], steps, apart[0], sums[0], apart[1], sums[1]);
    assert_true(apart[0] < 1e-12 && sums[0] < 1e-12);
    assert_true(apart[1] < 1e-3 && sums[1] < 1e-3);
    drive = begin(&mx_backend_cuda, box, integrators[i], MX_DOUBLE, step);
    drive_steps(&drive, steps / 2);
    drive = moved(&drive, box);
    drive_steps(&drive, steps - steps / 2);
    observe(&drive, box, &again);
    mx_backend_cuda.destroy(drive.backend);
    assert_memory_equal(again.E, result[0].E, bytes);
    assert_memory_equal(again.H, result[0].H, bytes);
    release(&truth), release(&result[0]), release(&result[1]), release(&again);
  }
}

/* ---- times */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a step, the best of a few batches. */
static double seconds_of(const struct box *box, enum mx_integrator integrator, enum mx_precision precision)
{
  enum { BATCHES = 6, STEPS = 100 };
  struct dg_error err = {0};
  double best = INFINITY;
  struct drive drive = drive_new(&mx_backend_cuda, box, integrator, precision, 1e-4, NULL, NULL);
  for (int i = 0; i < BATCHES; i++) {
    const double start = now();
    drive_steps(&drive, STEPS);
    assert_int_equal(mx_backend_cuda.card->wait(drive.backend, &err), 0);
    if (i > 0) best = fmin(best, (now() - start) / STEPS);
  }
  mx_backend_cuda.destroy(drive.backend);
  return best;
}
