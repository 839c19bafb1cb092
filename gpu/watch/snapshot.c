/* Snapshots that leave while the card works on. The loop's thread puts the fields of a snapshot into a buffer of the
 * card, on the kernels' stream, and goes on. Another thread brings the buffer to the host in pieces, on a stream of its
 * own. */
#include "libdg/base/bug.h"
#include "gpu/core/core.h"
#include "gpu/watch/observe.h"
#include "gpu/watch/past_h.h"
#include "gpu/watch/snapshot.h"

/* The bytes of the card that stay free, for arrays that are allocated when they are first wanted and for other
 * programs. */
static size_t reserve(const struct mx_backend *backend, size_t all)
{
  return (backend->in_place ? gpu_recall_bytes(backend->problem, backend->real) : 0) + all / 20;
}

static int new_buffer(struct mx_backend *backend, struct gpu_buffer *buffer, struct dg_error *err)
{
  for (int i = 0; i < 2; i++)
    if (backend->leaving->wanted[i] &&
        gpu_new(&backend->card, &buffer->field[i], backend->field_bytes, "a snapshot", err) != 0)
      return err->code;
  return gpu_check(gpuEventCreateWithFlags(&buffer->ready, gpuEventDisableTiming), "making an event", err);
}

static int new_way(struct mx_backend *backend, struct dg_error *err)
{
  struct gpu_way *const way = &backend->leaving->way;
  way->bytes = GPU_LEAVING;
  if (gpu_check(gpuStreamCreateWithFlags(&way->stream, gpuStreamNonBlocking), "making a stream", err) != 0)
    return err->code;
  for (int i = 0; i < 2; i++)
    if (gpu_new_pinned(&backend->pinned, &way->pinned[i], GPU_LEAVING, err) != 0 ||
        gpu_check(gpuEventCreateWithFlags(&way->arrived[i], gpuEventDisableTiming), "making an event", err) != 0)
      return err->code;
  return 0;
}

int gpu_snapshot_buffers(struct mx_backend *backend, size_t count, bool E, bool H, size_t *got, struct dg_error *err)
{
  struct gpu_leaving *const leaving = backend->leaving;
  const size_t bytes = ((size_t)E + (size_t)H) * backend->field_bytes;
  size_t left = 0, all = 0;
  leaving->wanted[0] = E;
  leaving->wanted[1] = H;
  if (gpu_check(gpuMemGetInfo(&left, &all), "asking for free memory", err) != 0) return err->code;
  struct dg_error why = {0}; /* others may have taken what was free: then there are fewer */
  for (size_t i = 0; i < count && i < GPU_BUFFERS && left > bytes + reserve(backend, all); i++, left -= bytes) {
    if ((i == 0 && new_way(backend, &why) != 0) || new_buffer(backend, &leaving->buffer[i], &why) != 0) break;
    leaving->buffers++;
  }
  *got = leaving->buffers;
  if (why.code != DG_OK && why.code != DG_ENVIRONMENT) *err = why;
  return err->code;
}

/* (u + v)/2, or u where both are the same. */
static int set_aside(struct mx_backend *backend, const void *u, const void *v, void *to, struct dg_error *err)
{
  if (u == v)
    return gpu_check(gpuMemcpyAsync(to, u, backend->field_bytes, gpuMemcpyDeviceToDevice, backend->work),
                     "copying a field", err);
  return gpu_check(gpu_mean(backend->tables.single, backend->field_bytes / backend->real, u, v, to, backend->work),
                   "observing fields", err);
}

int gpu_snapshot_begin(struct mx_backend *backend, size_t buffer, struct dg_error *err)
{
  const struct gpu_buffer *const to = &backend->leaving->buffer[buffer];
  DG_ASSERT(buffer < backend->leaving->buffers);
  if (to->field[0] != NULL && set_aside(backend, backend->field[0], backend->field[0], to->field[0], err) != 0)
    return err->code;
  if (to->field[1] != NULL &&
      (backend->in_place ? gpu_recall_all(backend, 0.5, to->field[1], err)
                         : set_aside(backend, backend->field[1], gpu_other_H(backend), to->field[1], err)) != 0)
    return err->code;
  return gpu_check(gpuEventRecord(to->ready, backend->work), "observing fields", err);
}

int gpu_snapshot_fetch(struct mx_backend *backend, size_t buffer, double *E, double *H, struct dg_error *err)
{
  const struct gpu_buffer *const from = &backend->leaving->buffer[buffer];
  /* A new thread of the host begins with the first card. */
  if (gpu_check(gpuSetDevice(backend->device), "choosing the card", err) != 0 ||
      gpu_check(gpuStreamWaitEvent(backend->leaving->way.stream, from->ready, 0), "copying fields", err) != 0)
    return err->code;
  double *const to[2] = {E, H};
  for (int i = 0; i < 2; i++)
    if (to[i] != NULL && gpu_bring_rows(backend, &backend->leaving->way, from->field[i], from->field[i], 0,
                                        backend->problem->K, to[i], err) != 0)
      return err->code;
  return 0;
}

void gpu_release_leaving(struct mx_backend *backend)
{
  struct gpu_leaving *const leaving = backend->leaving;
  if (leaving->way.stream != NULL) (void)gpuStreamSynchronize(leaving->way.stream);
  for (size_t i = 0; i < GPU_BUFFERS; i++)
    if (leaving->buffer[i].ready != NULL) (void)gpuEventDestroy(leaving->buffer[i].ready);
  for (int i = 0; i < 2; i++)
    if (leaving->way.arrived[i] != NULL) (void)gpuEventDestroy(leaving->way.arrived[i]);
  if (leaving->way.stream != NULL) (void)gpuStreamDestroy(leaving->way.stream);
}
