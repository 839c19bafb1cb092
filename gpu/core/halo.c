/* Traces of the faces that are shared with other ranks. A kernel packs them. They travel from the card's memory where
 * MPI takes it, else through pinned memory of the host, and are unpacked into the ghosts, while the card works on the
 * inner elements.
 *
 * In a stage, the kernels' stream has the inner elements and then a wait for all that follows here. Packing, copies,
 * unpacking and the outer elements have a stream of their own, with priority. The blocks of the inner elements stay
 * until these elements are done; they leave some multiprocessors to the second stream (left_apart in tiles.c), and in
 * the end all. The host starts messages once the card has packed, and goes on once the messages have come. By then the
 * inner elements were launched long ago, so that the card waits for nothing as long as the inner elements take longer
 * than the messages. */
#include <math.h>

#include "gpu/core/core.h"
#include "gpu/core/halo.h"
#include "gpu/core/phases.h"
#include "libdg/base/memory.h"
#include "libdg/base/clock.h"

/* ---- set-up */

static int new_events(struct gpu_halo *halo, struct dg_error *err)
{
  gpuEvent_t *untimed[] = {&halo->ready, &halo->copied, &halo->done};
  for (size_t i = 0; i < 3; i++)
    if (gpu_check(gpuEventCreateWithFlags(untimed[i], gpuEventDisableTiming), "making an event", err) != 0)
      return err->code;
  for (int i = 0; i < GPU_TIMINGS; i++) {
    struct gpu_timing *timing = &halo->timing[i];
    gpuEvent_t *timed[] = {&timing->packed, &timing->inner, &timing->there};
    for (size_t k = 0; k < 3; k++)
      if (gpu_check(gpuEventCreate(timed[k]), "making an event", err) != 0) return err->code;
  }
  return 0;
}

/* May MPI have the card's pointers? Traces that turn (Bloch phases) do so in the host's memory, and some go to this
 * rank itself, which copies them there. */
static int choose_transport(struct gpu_halo *halo, bool turns, enum mx_transport wanted, struct dg_error *err)
{
  if (turns && wanted == MX_TRANSPORT_DIRECT)
    return dg_fail(err, DG_INPUT, "gpu.transport = \"direct\" has no Bloch phases; \"staged\" does");
  if (turns) wanted = MX_TRANSPORT_STAGED;
  const enum dg_answer takes = dg_comm_takes_device_memory();
  halo->direct = wanted == MX_TRANSPORT_DIRECT || (wanted == MX_TRANSPORT_AUTO && takes == DG_YES);
  if (wanted == MX_TRANSPORT_DIRECT && takes == DG_NO)
    return dg_fail(err, DG_ENVIRONMENT,
                   "gpu.transport = \"direct\" needs an MPI that takes the GPU's memory, and this one says that it "
                   "does not; \"staged\" goes through the host's");
  return 0;
}

static int new_faces(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  struct gpu_halo *halo = backend->halo;
  int32_t *far;
  if (DG_NEW(far, halo->faces, err) != 0) return err->code;
  for (size_t i = 0; i < halo->faces; i++) /* a ghost a face, as the problem has them, not the mesh */
    far[i] = (int32_t)(4 * gpu_row(problem, backend->padded, problem->K + i)) + problem->halo->receive[i] % 4;
  if (gpu_new_copy(&backend->card, &halo->own, problem->halo->send, halo->faces * sizeof *far, "the halo", err) != 0 ||
      gpu_new_copy(&backend->card, &halo->far, far, halo->faces * sizeof *far, "the halo", err) != 0)
    goto fail;
fail:
  dg_free(far);
  return err->code;
}

int gpu_new_halo(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  struct gpu_halo *halo = backend->halo;
  if (problem->halo == NULL) return 0;
  halo->faces = problem->halo->faces;
  halo->fields = mx_fields_under_curl(mx_scheme_of(&backend->options));
  halo->bytes = (size_t)halo->fields * 2 * (size_t)problem->ref->Nf * backend->real;
  const size_t bytes = halo->faces * halo->bytes;
  int lowest = 0, highest = 0;
  if (choose_transport(halo, problem->paired, backend->options.transport, err) != 0 ||
      gpu_check(gpuStreamPriorityRange(&lowest, &highest), "making a stream", err) != 0 ||
      gpu_check(gpuStreamCreateWithPriority(&halo->stream, gpuStreamNonBlocking, highest), "making a stream", err) !=
          0 ||
      new_events(halo, err) != 0 || new_faces(backend, err) != 0 ||
      gpu_new(&backend->card, &halo->out, bytes, "the halo", err) != 0 ||
      gpu_new(&backend->card, &halo->in, bytes, "the halo", err) != 0)
    return err->code;
  if (!halo->direct && (gpu_new_pinned(&backend->pinned, &halo->host_out, bytes, err) != 0 ||
                        gpu_new_pinned(&backend->pinned, &halo->host_in, bytes, err) != 0))
    return err->code;
  return dg_exchange_new_between(&halo->exchange, problem->comm, problem->halo->peers, problem->halo->peer, halo->bytes,
                                 halo->direct ? halo->out : halo->host_out, halo->direct ? halo->in : halo->host_in,
                                 err);
}

void gpu_release_halo(struct mx_backend *backend)
{
  struct gpu_halo *halo = backend->halo;
  gpuEvent_t untimed[] = {halo->ready, halo->copied, halo->done};
  dg_exchange_free(halo->exchange);
  for (size_t i = 0; i < 3; i++)
    if (untimed[i] != NULL) (void)gpuEventDestroy(untimed[i]);
  for (int i = 0; i < GPU_TIMINGS; i++) {
    gpuEvent_t timed[] = {halo->timing[i].packed, halo->timing[i].inner, halo->timing[i].there};
    for (size_t k = 0; k < 3; k++)
      if (timed[k] != NULL) (void)gpuEventDestroy(timed[k]);
  }
  if (halo->stream != NULL) (void)gpuStreamDestroy(halo->stream);
}

/* ---- an exchange */

static struct gpu_halo_faces faces_of(const struct gpu_halo *halo, void *const *field, void *buffer)
{
  struct gpu_halo_faces faces = {
      .count = halo->faces, .fields = halo->fields, .own = halo->own, .far = halo->far, .buffer = buffer};
  for (int q = 0; q < halo->fields; q++) faces.field[q] = field[q];
  return faces;
}

static struct gpu_timing *timing_of(struct gpu_halo *halo, long number) { return &halo->timing[number % GPU_TIMINGS]; }

int gpu_halo_times(struct mx_backend *backend, long but, struct dg_error *err)
{
  struct gpu_halo *halo = backend->halo;
  for (; halo->timed < halo->begun - but; halo->timed++) {
    const struct gpu_timing *timing = timing_of(halo, halo->timed);
    float waiting = 0;
    if (gpu_check(gpuEventElapsedTime(&waiting, timing->inner, timing->there), "timing the halo", err) != 0)
      return err->code;
    halo->seconds += 1e-3 * fmax(0, (double)waiting); /* ghosts that come early cost nothing */
  }
  return 0;
}

void gpu_halo_forget(struct mx_backend *backend)
{
  backend->halo->timed = backend->halo->begun;
  backend->halo->seconds = 0;
}

/* Ends a phase that moves all traces from one place to another. */
static void end_phase(struct mx_backend *backend)
{
  const struct gpu_halo *halo = backend->halo;
  if (gpu_is_timed(backend))
    gpu_phase_end(backend, halo->stream, (struct mx_cost){.bytes = 2 * (double)(halo->faces * halo->bytes)});
}

int gpu_halo_begin(struct mx_backend *backend, void *const *field, struct dg_error *err)
{
  struct gpu_halo *halo = backend->halo;
  if (halo->exchange == NULL) return 0;
  const struct gpu_halo_faces faces = faces_of(halo, field, halo->out);
  /* The events of old exchanges are used again. The card has packed the exchange before this one, so the old ones were
   * over long ago. */
  if (gpu_halo_times(backend, GPU_TIMINGS - 1, err) != 0) return err->code;
  const struct gpu_timing *timing = timing_of(halo, halo->begun);
  if (gpu_check(gpuEventRecord(halo->ready, backend->work), "packing the halo", err) != 0 ||
      gpu_check(gpuStreamWaitEvent(halo->stream, halo->ready, 0), "packing the halo", err) != 0)
    return err->code;
  gpu_phase_begin(backend, halo->stream, "halo, packed");
  if (gpu_check(gpu_halo_pack(&backend->tables, &faces, halo->stream), "packing the halo", err) != 0 ||
      gpu_check(gpuEventRecord(timing->packed, halo->stream), "packing the halo", err) != 0)
    return err->code;
  end_phase(backend);
  if (halo->direct) return 0;
  gpu_phase_begin(backend, halo->stream, "halo, copied");
  if (gpu_check(
          gpuMemcpyAsync(halo->host_out, halo->out, halo->faces * halo->bytes, gpuMemcpyDeviceToHost, halo->stream),
          "copying the halo", err) != 0)
    return err->code;
  end_phase(backend);
  return gpu_check(gpuEventRecord(halo->copied, halo->stream), "copying the halo", err);
}

/* Turns the traces that are about to be sent, by Bloch phases. */
static void turn_traces(const struct mx_backend *backend)
{
  const struct gpu_halo *halo = backend->halo;
  const size_t numbers = halo->bytes / backend->real;
  void *traces = halo->host_out;
  if (backend->problem->halo->turns == 0) return;
  if (backend->real == sizeof(double)) dg_halo_turn_double(backend->problem->halo, numbers, traces);
  else dg_halo_turn_single(backend->problem->halo, numbers, traces);
}

int gpu_halo_send(struct mx_backend *backend, struct dg_error *err)
{
  struct gpu_halo *halo = backend->halo;
  if (halo->exchange == NULL) return 0;
  const struct gpu_timing *timing = timing_of(halo, halo->begun);
  if (gpu_check(gpuEventRecord(timing->inner, backend->work), "working on a stage", err) != 0 ||
      gpu_check(gpuEventSynchronize(halo->direct ? timing->packed : halo->copied), "packing the halo", err) != 0)
    return err->code;
  turn_traces(backend);
  return dg_exchange_start(halo->exchange, err);
}

int gpu_halo_receive(struct mx_backend *backend, void *const *field, struct dg_error *err)
{
  struct gpu_halo *halo = backend->halo;
  if (halo->exchange == NULL) return 0;
  const struct gpu_halo_faces faces = faces_of(halo, field, halo->in);
  if (dg_exchange_finish(halo->exchange, err) != 0) return err->code;
  if (!halo->direct) {
    gpu_phase_begin(backend, halo->stream, "halo, copied");
    if (gpu_check(
            gpuMemcpyAsync(halo->in, halo->host_in, halo->faces * halo->bytes, gpuMemcpyHostToDevice, halo->stream),
            "copying the halo", err) != 0)
      return err->code;
    end_phase(backend);
  }
  const struct gpu_timing *timing = timing_of(halo, halo->begun++);
  gpu_phase_begin(backend, halo->stream, "halo, unpacked");
  if (gpu_check(gpu_halo_unpack(&backend->tables, &faces, halo->stream), "unpacking the halo", err) != 0)
    return err->code;
  end_phase(backend);
  return gpu_check(gpuEventRecord(timing->there, halo->stream), "unpacking the halo", err);
}

int gpu_halo_join(struct mx_backend *backend, struct dg_error *err)
{
  struct gpu_halo *halo = backend->halo;
  if (halo->exchange == NULL) return 0;
  if (gpu_check(gpuEventRecord(halo->done, halo->stream), "working on a stage", err) != 0) return err->code;
  return gpu_check(gpuStreamWaitEvent(backend->work, halo->done, 0), "working on a stage", err);
}

gpuStream_t gpu_stream_of(const struct mx_backend *backend, enum gpu_part part)
{
  return part == GPU_OUTER ? backend->halo->stream : backend->work;
}

int gpu_halo_exchange(struct mx_backend *backend, void *const *field, struct dg_error *err)
{
  if (gpu_halo_begin(backend, field, err) != 0 || gpu_halo_send(backend, err) != 0 ||
      gpu_halo_receive(backend, field, err) != 0)
    return err->code;
  return gpu_halo_join(backend, err);
}

struct mx_halo_use gpu_halo_use(const struct mx_backend *backend)
{
  const struct gpu_halo *halo = backend->halo;
  if (halo->exchange == NULL) return (struct mx_halo_use){0};
  return (struct mx_halo_use){.seconds = halo->seconds,
                              .bytes = halo->bytes * halo->faces * (size_t)mx_scheme_of(&backend->options)->stages,
                              .transport = halo->direct ? "direct" : "staged",
                              .fell_back = !halo->direct && backend->options.transport == MX_TRANSPORT_AUTO};
}

/* ---- its cost */

enum { TRIES = 12 };

/* The seconds that the messages alone take, without packing and copies. */
static int time_messages(struct dg_exchange *exchange, double *seconds, struct dg_error *err)
{
  for (int i = 0; i < TRIES; i++) {
    const double start = mx_clock();
    if (dg_exchange_start(exchange, err) != 0 || dg_exchange_finish(exchange, err) != 0) return err->code;
    *seconds = fmin(*seconds, mx_clock() - start);
  }
  return 0;
}

static int time_one_face(struct mx_backend *backend, double *seconds, struct dg_error *err)
{
  const struct dg_halo *halo = backend->problem->halo;
  struct gpu_halo *own = backend->halo;
  struct dg_exchange *exchange = NULL;
  struct dg_peer *peer;
  if (DG_NEW(peer, halo->peers, err) != 0) return err->code;
  for (size_t i = 0; i < halo->peers; i++) {
    peer[i] = halo->peer[i];
    peer[i].send_count = peer[i].receive_count = 1;
  }
  if (dg_exchange_new_between(&exchange, backend->problem->comm, halo->peers, peer, own->bytes,
                              own->direct ? own->out : own->host_out, own->direct ? own->in : own->host_in, err) != 0 ||
      dg_comm_agree(backend->problem->comm, err) != 0)
    goto fail;
  (void)!time_messages(exchange, seconds, err);
fail:
  dg_exchange_free(exchange);
  dg_free(peer);
  return err->code;
}

int gpu_time_exchange(struct mx_backend *backend, bool one_face, double *seconds, struct dg_error *err)
{
  *seconds = INFINITY;
  if (backend->halo->exchange == NULL || gpu_wait(backend, err) != 0) return err->code;
  if (one_face) return time_one_face(backend, seconds, err);
  if (dg_comm_agree(backend->problem->comm, err) != 0) return err->code;
  /* The fields did not change: these traces are in the ghosts already, or the next stage sends them again. */
  for (int i = 0; i < TRIES; i++) {
    const double start = mx_clock();
    if (gpu_halo_exchange(backend, backend->field, err) != 0 || gpu_wait(backend, err) != 0) return err->code;
    *seconds = fmin(*seconds, mx_clock() - start);
  }
  gpu_halo_forget(backend);
  return 0;
}

int gpu_wait(struct mx_backend *backend, struct dg_error *err)
{
  if (gpu_check(gpuStreamSynchronize(backend->work), "working on a stage", err) != 0) return err->code;
  return gpu_halo_times(backend, 0, err);
}
