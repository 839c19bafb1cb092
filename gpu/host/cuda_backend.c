/* The `cuda` backend: one NVIDIA card a rank. core.h has its state; a room has each kind of its parts. */
#include <stdio.h>
#include <string.h>

#include "gpu/elliptic/elliptic.h"
#include "gpu/runtime/card.h"
#include "gpu/core/core.h"
#include "gpu/core/halo.h"
#include "gpu/core/phases.h"
#include "gpu/core/places.h"
#include "gpu/core/staging.h"
#include "gpu/host/bench.h"
#include "gpu/host/checkpoint.h"
#include "gpu/host/fine.h"
#include "gpu/host/step.h"
#include "gpu/tables/curved_tables.h"
#include "gpu/tables/kernel_tables.h"
#include "gpu/terms/list.h"
#include "gpu/watch/face_sums.h"
#include "gpu/watch/monitor.h"
#include "gpu/watch/observe.h"
#include "gpu/watch/past_h.h"
#include "gpu/watch/point_sums.h"
#include "gpu/watch/snapshot.h"
#include "libdg/base/memory.h"

static const struct gpu_order *const orders[DG_ORDER_MAX] = {&gpu_order_1, &gpu_order_2, &gpu_order_3, &gpu_order_4,
                                                             &gpu_order_5, &gpu_order_6, &gpu_order_7, &gpu_order_8};

/* The state and its parts in one piece of memory. */
struct whole {
  struct mx_backend backend; /* first: who frees it frees all */
  struct gpu_halo halo;
  struct gpu_recall recall;
  struct gpu_leaving leaving;
  struct gpu_monitored monitored;
  struct gpu_running running[GPU_SUMS];
};

static struct mx_backend *allocate(struct dg_error *err)
{
  struct whole *whole;
  if (DG_NEW(whole, 1, err) != 0) return NULL;
  whole->backend.halo = &whole->halo;
  whole->backend.recall = &whole->recall;
  whole->backend.leaving = &whole->leaving;
  whole->backend.monitored = &whole->monitored;
  whole->backend.running = whole->running;
  return &whole->backend;
}

static int available(struct dg_error *err)
{
  int count = 0;
  gpuError_t status = gpuGetDeviceCount(&count);
  if (status == gpuSuccess && count > 0) return 0;
  (void)gpuGetLastError();
  return dg_fail(err, DG_ENVIRONMENT, "backend = cuda needs an NVIDIA GPU: %s",
                 gpuGetErrorString(status == gpuSuccess ? gpuErrorNoDevice : status));
}

static void destroy(struct mx_backend *backend)
{
  if (backend == NULL) return;
  if (backend->work != NULL) (void)gpuStreamSynchronize(backend->work);
  if (backend->copies != NULL) (void)gpuStreamSynchronize(backend->copies);
  if (backend->halo->stream != NULL) (void)gpuStreamSynchronize(backend->halo->stream);
  /* MPI may still write to the buffers of messages that were given up; the process is about to end then. */
  const bool given_up = backend->halo->exchange != NULL && !dg_exchange_progress(backend->halo->exchange);
  gpu_phases_release(backend);
  gpu_release_fine(backend);
  gpu_release_halo(backend);
  gpu_release_leaving(backend);
  if (!given_up) {
    gpu_release_card(&backend->card);
    gpu_release_pinned(&backend->pinned);
  }
  for (int i = 0; i < GPU_BEHIND; i++)
    if (backend->ended[i] != NULL) (void)gpuEventDestroy(backend->ended[i]);
  for (int i = 0; i < 2; i++)
    if (backend->staged[i] != NULL) (void)gpuEventDestroy(backend->staged[i]);
  if (backend->functional_there != NULL) (void)gpuEventDestroy(backend->functional_there);
  if (backend->work != NULL && !backend->fine.within) (void)gpuStreamDestroy(backend->work);
  if (backend->copies != NULL) (void)gpuStreamDestroy(backend->copies);
  dg_free(backend->node);
  dg_free(backend->place);
  dg_free(backend->tile_begin);
  dg_free(backend->node_metric);
  gpu_terms_release(backend);
  dg_free(backend->functional_piece);
  dg_free(backend->functional_row);
  gpu_release_recall(backend);
  gpu_release_monitors(backend);
  dg_free(backend);
}

static int new_event(gpuEvent_t *event, struct dg_error *err)
{
  return gpu_check(gpuEventCreateWithFlags(event, gpuEventDisableTiming), "making an event", err);
}

static int new_streams(struct mx_backend *backend, struct dg_error *err)
{
  if (gpu_check(gpuStreamCreateWithFlags(&backend->work, gpuStreamNonBlocking), "making a stream", err) != 0 ||
      gpu_check(gpuStreamCreateWithFlags(&backend->copies, gpuStreamNonBlocking), "making a stream", err) != 0)
    return err->code;
  for (int i = 0; i < GPU_BEHIND; i++)
    if (new_event(&backend->ended[i], err) != 0) return err->code;
  for (int i = 0; i < 2; i++)
    if (new_event(&backend->staged[i], err) != 0) return err->code;
  return new_event(&backend->functional_there, err);
}

/* Half a step then writes to the field that it reads, and there is no room for another one. H before it is found by the
 * half step back, which a filter does not have. */
static bool works_in_place(const struct mx_problem *problem, const struct mx_backend_options *options)
{
  return gpu_works_in_place(problem, options) && !gpu_terms_need_old_H(problem) && !options->filtered;
}

static int new_fields(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_scheme *const scheme = mx_scheme_of(&backend->options);
  backend->in_place = works_in_place(backend->problem, &backend->options);
  for (int i = 0; i < 2; i++) {
    void **const wanted[] = {&backend->field[i], backend->in_place ? NULL : &backend->spare[i],
                             scheme->staggered ? NULL : &backend->registers[i], scheme->sums ? &backend->sum[i] : NULL};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
      const size_t bytes = backend->field_bytes + (k < 2 ? backend->ghost_bytes : 0);
      if (wanted[k] != NULL &&
          (gpu_new(&backend->card, wanted[k], bytes, "a field", err) != 0 ||
           gpu_check(gpuMemsetAsync(*wanted[k], 0, bytes, backend->work), "clearing fields", err) != 0))
        return err->code;
    }
  }
  return 0;
}

static int find_card(struct mx_backend *backend, struct dg_error *err)
{
  gpuDeviceProp card;
  if (gpu_check(gpuGetDevice(&backend->device), "looking for the card", err) != 0 ||
      gpu_check(gpuGetDeviceProperties(&card, backend->device), "looking for the card", err) != 0)
    return err->code;
  backend->tables.architecture = 10 * card.major + card.minor;
  backend->tables.processors = card.multiProcessorCount;
  return 0;
}

static int create(struct mx_backend **result, const struct mx_problem *problem,
                  const struct mx_backend_options *options, struct dg_error *err)
{
  struct mx_backend *backend;
  *result = NULL;
  if (available(err) != 0) return err->code;
  const size_t padded = (problem->K + 7) / 8 * 8;
  if (padded + problem->ghosts > INT32_MAX / 4)
    return dg_fail(err, DG_INPUT, "the cuda backend takes at most %d elements; there are %zu", INT32_MAX / 4,
                   problem->K + problem->ghosts);
  backend = allocate(err);
  if (backend == NULL) return err->code;
  const int order = problem->ref->order;
  backend->problem = problem;
  backend->options = *options;
  backend->kernels = orders[order - 1];
  backend->real = options->precision == MX_DOUBLE ? sizeof(double) : sizeof(float);
  backend->padded = padded;
  backend->field_bytes = padded * gpu_stride(order) * backend->real;
  backend->ghost_bytes = problem->ghosts * gpu_stride(order) * backend->real;
  backend->tables =
      (struct gpu_tables){.order = order,
                          .single = options->precision == MX_SINGLE,
                          .K = problem->K,
                          .inner = problem->ghosts > 0 ? problem->set[0].end[MX_INNER] / 8 * 8 : problem->K};
  if (find_card(backend, err) != 0 || new_streams(backend, err) != 0 || gpu_pack_tables(backend, err) != 0 ||
      new_fields(backend, err) != 0 || gpu_new_halo(backend, err) != 0 || gpu_terms_create(backend, err) != 0 ||
      gpu_pack_functionals(backend, err) != 0 || gpu_new_recall(backend, err) != 0 ||
      gpu_check(gpuStreamSynchronize(backend->work), "setting up", err) != 0) {
    destroy(backend);
    return err->code;
  }
  *result = backend;
  return 0;
}

static int threads(const struct mx_backend *backend)
{
  (void)backend;
  return 1; /* of the host */
}

/* The card's name; the only way to hand out a text that outlives the call. */
static const char *instructions(void)
{
  static char name[sizeof((gpuDeviceProp *)0)->name];
  gpuDeviceProp card;
  int device;
  if (gpuGetDevice(&device) != gpuSuccess || gpuGetDeviceProperties(&card, device) != gpuSuccess) return "no GPU";
  memcpy(name, card.name, sizeof name);
  return name;
}

static size_t allocated(const struct mx_backend *backend) { return backend->card.bytes; }

/* At the end of a profile come the ceilings that its phases are compared with. Without them it has no bounds. */
static void profile(struct mx_backend *backend, struct mx_profile *to)
{
  struct mx_card_phases *const card = gpu_phases_kept(backend);
  struct mx_ceilings ceilings;
  struct dg_error none = {0};
  gpu_phases_set(backend, to);
  if (to != NULL || card == NULL || card->is_lost) return;
  if (gpu_ceilings(backend->field_bytes, &ceilings, &none) != 0) return;
  card->copy = ceilings.copy;
  card->peak = ceilings.peak[backend->options.precision];
}

/* The bytes that the problem needs on the card. */
static size_t memory(const struct mx_problem *problem, const struct mx_backend_options *options)
{
  const struct mx_scheme *const scheme = mx_scheme_of(options);
  const size_t real = options->precision == MX_DOUBLE ? sizeof(double) : sizeof(float);
  const size_t in_place = works_in_place(problem, options);
  const size_t fields = (in_place ? 2 : 4) + (scheme->staggered ? 0 : 2) + (scheme->sums ? 2 : 0);
  const size_t tiles = 4 * sizeof(uint16_t) + 3 * sizeof(uint32_t) / 2; /* one and a half traces an element */
  const size_t indices =
      4 * sizeof(int32_t) + 5 * sizeof(uint16_t) + (problem->ref->order <= GPU_TILE_ORDERS ? tiles : 0);
  const size_t six = 6 * (1 + (size_t)gpu_applies_tensors(problem, 0) + (size_t)gpu_applies_tensors(problem, 1));
  const size_t per_element = real * (fields * gpu_stride(problem->ref->order) + six) + indices;
  size_t summands = 0, rows = 0;
  for (size_t f = 0; f < problem->functionals; f++) {
    summands += 3 * problem->functional[f].count;
    rows += gpu_rows_of_functional(problem, f, NULL);
  }
  const size_t ghosts = real * (in_place ? 2 : 4) * gpu_stride(problem->ref->order);
  const size_t travelling = real * (size_t)mx_fields_under_curl(scheme) * 4 * (size_t)problem->ref->Nf; /* out and in */
  return problem->K * per_element + problem->ghosts * (ghosts + travelling + 2 * sizeof(int32_t)) +
         gpu_terms_bytes(problem, options, real) + gpu_curve_bytes(problem, real) +
         summands * (sizeof(struct gpu_place) + sizeof(double)) + rows * sizeof(int32_t) +
         (in_place ? gpu_recall_bytes(problem, real) : 0) + 2 * (size_t)GPU_STAGING;
}

static const struct mx_card_ops card = {
    .present = true,
    .unknowns = GPU_UNKNOWNS_A_CARD,
    .take = gpu_take_card,
    .wait = gpu_wait,
    .stage_sources = gpu_stage_sources,
    .functionals_begin = gpu_functionals_begin,
    .functionals_end = gpu_functionals_end,
    .snapshot_buffers = gpu_snapshot_buffers,
    .snapshot_begin = gpu_snapshot_begin,
    .snapshot_fetch = gpu_snapshot_fetch,
    .monitor_new = gpu_monitor_new,
    .monitor_take = gpu_monitor_take,
    .monitor_fetch = gpu_monitor_fetch,
    .face_sums_new = gpu_face_sums_new,
    .point_sums_new = gpu_point_sums_new,
    .sums_take = gpu_sums_take,
    .sums_add = gpu_sums_add,
    .sums_fetch = gpu_sums_fetch,
    .sums_set = gpu_sums_set,
    .time_exchange = gpu_time_exchange,
    .phase = gpu_phase,
    .allocated = allocated,
    .ceilings = gpu_ceilings,
    .elliptic = &gpu_elliptic_solver,
};

const struct mx_backend_ops mx_backend_cuda = {
    .name = "cuda",
    .description = "fused kernels on an NVIDIA GPU, orders 1 to 8, both precisions",
    .available = available,
    .create = create,
    .destroy = destroy,
    .upload = gpu_upload,
    .stage_begin = gpu_stage_begin,
    .stage_end = gpu_stage_end,
    .energy = gpu_energy,
    .sample = gpu_sample_points,
    .functionals = gpu_functionals,
    .loss = gpu_loss,
    .download = gpu_download,
    .check = gpu_check_fields,
    .components = MX_COVARIANT_TANGENTIAL,
    .save = gpu_save,
    .load = gpu_load,
    .loaded = gpu_loaded,
    .threads = threads,
    .halo_use = gpu_halo_use,
    .instructions = instructions,
    .profile = profile,
    .memory = memory,
    .fine = &gpu_fine_ops,
    .card = &card,
};
