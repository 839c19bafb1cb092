/* Snapshots that leave the card while it goes on. Include after fused_fixture.h. */
#pragma once

#include <pthread.h>

/* Brings a snapshot to the host, in a thread of its own. */
struct fetching {
  struct mx_backend *backend;
  size_t buffer;
  double *E, *H;
  int status;
  struct dg_error err;
};

static void *fetch(void *context)
{
  struct fetching *f = context;
  f->status = mx_backend_cuda.card->snapshot_fetch(f->backend, f->buffer, f->E, f->H, &f->err);
  return NULL;
}

/* Snapshots that leave while the card goes on have the bits of a download at their step. */
static void compare_snapshots(const struct scene *scene, enum mx_integrator integrator, enum mx_precision precision)
{
  enum { BUFFERS = 2, BETWEEN = 40 };
  const size_t bytes = 3 * (size_t)scene->box.ref.Np * scene->box.mesh.K * sizeof(double);
  struct fetching fetching[BUFFERS];
  pthread_t thread[BUFFERS];
  struct dg_error err = {0};
  double *E[BUFFERS], *H[BUFFERS];
  size_t got;
  struct drive drive =
      drive_new(&mx_backend_cuda, &scene->box, integrator, precision, scene->step * MX_C0, scene->E, scene->H);
  assert_int_equal(mx_backend_cuda.card->snapshot_buffers(drive.backend, BUFFERS, true, true, &got, &err), 0);
  assert_int_equal(got, BUFFERS);
  for (size_t b = 0; b < BUFFERS; b++) {
    fetching[b] = (struct fetching){.backend = drive.backend,
                                    .buffer = b,
                                    .E = box_field(&scene->box),
                                    .H = b == 0 ? box_field(&scene->box) : NULL}; /* what is not wanted */
    E[b] = box_field(&scene->box), H[b] = box_field(&scene->box);
    drive_observe(&drive);
    assert_int_equal(mx_backend_cuda.card->snapshot_begin(drive.backend, b, &err), 0);
    assert_int_equal(mx_backend_cuda.download(drive.backend, E[b], H[b], &err), 0);
    drive_finish(&drive);
    if (b > 0) pthread_join(thread[b - 1], NULL); /* one thread fetches, one after the other */
    assert_int_equal(pthread_create(&thread[b], NULL, fetch, &fetching[b]), 0);
    drive_steps(&drive, BETWEEN);
  }
  pthread_join(thread[BUFFERS - 1], NULL);
  for (size_t b = 0; b < BUFFERS; b++) {
    if (fetching[b].status != 0) fail_msg("%s", fetching[b].err.message);
    assert_memory_equal(fetching[b].E, E[b], bytes);
    if (b == 0) assert_memory_equal(fetching[b].H, H[b], bytes);
    assert_true(b == 0 || memcmp(E[b], E[b - 1], bytes) != 0);
  }
  /* A buffer that was filled and left for long, behind others' steps, is still that of its own. */
  drive_observe(&drive);
  assert_int_equal(mx_backend_cuda.download(drive.backend, E[0], H[0], &err), 0);
  assert_int_equal(mx_backend_cuda.card->snapshot_begin(drive.backend, 0, &err), 0);
  drive_finish(&drive);
  drive_steps(&drive, BETWEEN);
  assert_int_equal(mx_backend_cuda.card->wait(drive.backend, &err), 0);
  assert_int_equal(mx_backend_cuda.card->snapshot_fetch(drive.backend, 0, fetching[0].E, fetching[0].H, &err), 0);
  assert_memory_equal(fetching[0].E, E[0], bytes);
  assert_memory_equal(fetching[0].H, H[0], bytes);
  mx_backend_cuda.destroy(drive.backend);
  for (size_t b = 0; b < BUFFERS; b++) free(E[b]), free(H[b]), free(fetching[b].E), free(fetching[b].H);
}
