/* Snapshots that leave while the card works on: the loop's thread puts what is observed into a buffer of the card, on
 * the kernels' stream, and goes on; another thread brings it to the host on a stream of its own, in pieces through two
 * pinned buffers, one of which it converts while the other is filled. */
#include "gpu/state.h"

/* Bytes of the card that stay free: for what is allocated when it is first wanted, of which the copy of H for
 * observation is the largest, and for other programs. */
static size_t reserve(const struct mx_backend *backend, size_t all)
{
  return backend->field_bytes + backend->ghost_bytes + all / 20;
}

static int new_buffer(struct mx_backend *backend, struct gpu_buffer *buffer, struct dg_error *err)
{
  for (int i = 0; i < 2; i++)
    if (backend->leaving.wanted[i] && gpu_new(backend, &buffer->field[i], backend->field_bytes, "a snapshot", err) != 0)
      return err->code;
  return gpu_check(gpuEventCreateWithFlags(&buffer->ready, gpuEventDisableTiming), "making an event", err);
}

static int new_way(struct mx_backend *backend, struct dg_error *err)
{
  struct gpu_leaving *const leaving = &backend->leaving;
  if (gpu_check(gpuStreamCreateWithFlags(&leaving->stream, gpuStreamNonBlocking), "making a stream", err) != 0)
    return err->code;
  for (int i = 0; i < 2; i++)
    if (gpu_new_pinned(backend, &leaving->pinned[i], GPU_LEAVING, err) != 0 ||
        gpu_check(gpuEventCreateWithFlags(&leaving->arrived[i], gpuEventDisableTiming), "making an event", err) != 0)
      return err->code;
  return 0;
}

int gpu_snapshot_buffers(struct mx_backend *backend, size_t count, bool E, bool H, size_t *got, struct dg_error *err)
{
  struct gpu_leaving *const leaving = &backend->leaving;
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
  const struct gpu_buffer *const to = &backend->leaving.buffer[buffer];
  DG_ASSERT(buffer < backend->leaving.buffers);
  if (to->field[0] != NULL && set_aside(backend, backend->field[0], backend->field[0], to->field[0], err) != 0)
    return err->code;
  if (to->field[1] != NULL && set_aside(backend, backend->field[1], gpu_other_H(backend), to->field[1], err) != 0)
    return err->code;
  return gpu_check(gpuEventRecord(to->ready, backend->work), "observing fields", err);
}

/* Starts the way of elements first..first+count-1. */
static int start_piece(const struct mx_backend *backend, const unsigned char *field, size_t first, size_t count,
                       int turn, struct dg_error *err)
{
  const struct gpu_leaving *const leaving = &backend->leaving;
  const size_t element = gpu_stride(backend->tables.order) * backend->real;
  if (gpu_check(gpuMemcpyAsync(leaving->pinned[turn], field + first * element, count * element, gpuMemcpyDeviceToHost,
                               leaving->stream),
                "copying fields", err) != 0)
    return err->code;
  return gpu_check(gpuEventRecord(leaving->arrived[turn], leaving->stream), "copying fields", err);
}

static int fetch_field(const struct mx_backend *backend, const unsigned char *field, double *to, struct dg_error *err)
{
  const struct gpu_leaving *const leaving = &backend->leaving;
  const size_t K = backend->problem->K, most = GPU_LEAVING / (gpu_stride(backend->tables.order) * backend->real);
  int turn = 0;
  if (start_piece(backend, field, 0, K < most ? K : most, turn, err) != 0) return err->code;
  for (size_t first = 0; first < K; first += most, turn = 1 - turn) {
    const size_t next = first + most, rest = next < K ? K - next : 0;
    if (rest > 0 && start_piece(backend, field, next, rest < most ? rest : most, 1 - turn, err) != 0) return err->code;
    if (gpu_check(gpuEventSynchronize(leaving->arrived[turn]), "copying fields", err) != 0) return err->code;
    gpu_to_cartesian(backend, leaving->pinned[turn], first, K - first < most ? K - first : most, to);
  }
  return 0;
}

int gpu_snapshot_fetch(struct mx_backend *backend, size_t buffer, double *E, double *H, struct dg_error *err)
{
  const struct gpu_buffer *const from = &backend->leaving.buffer[buffer];
  /* A new thread of the host begins with the first card. */
  if (gpu_check(gpuSetDevice(backend->device), "choosing the card", err) != 0 ||
      gpu_check(gpuStreamWaitEvent(backend->leaving.stream, from->ready, 0), "copying fields", err) != 0)
    return err->code;
  if (E != NULL && fetch_field(backend, from->field[0], E, err) != 0) return err->code;
  return H != NULL ? fetch_field(backend, from->field[1], H, err) : 0;
}

void gpu_release_leaving(struct mx_backend *backend)
{
  struct gpu_leaving *const leaving = &backend->leaving;
  if (leaving->stream != NULL) (void)gpuStreamSynchronize(leaving->stream);
  for (size_t i = 0; i < GPU_BUFFERS; i++)
    if (leaving->buffer[i].ready != NULL) (void)gpuEventDestroy(leaving->buffer[i].ready);
  for (int i = 0; i < 2; i++)
    if (leaving->arrived[i] != NULL) (void)gpuEventDestroy(leaving->arrived[i]);
  if (leaving->stream != NULL) (void)gpuStreamDestroy(leaving->stream);
}
