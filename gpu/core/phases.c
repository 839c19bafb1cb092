/* The ring of events behind the phases of a run. */
#include "gpu/core/phases.h"

#include "gpu/runtime/ranges.h"
#include "libdg/base/memory.h"

enum {
  SPANS = 4096,     /* of the ring */
  LATE = SPANS / 2, /* spans later one is read: many more than GPU_BEHIND stages have, so that it is over */
  LANES = 2         /* the stream of the passes, and the halo's beside it */
};

struct span {
  gpuEvent_t begin, end; /* made when first wanted */
  const char *name;      /* NULL: a moment, which is no phase */
  struct mx_cost cost;
  int lane;
  bool over;   /* its end is recorded */
  long before; /* the span before it in its lane, or -1 */
};

struct gpu_phases {
  struct mx_card_phases *to; /* borrowed */
  long begun, read;          /* spans, by number; number n is span[n % SPANS] */
  int depth[LANES];          /* phases that are open */
  long latest[LANES];        /* the span that was begun last, or -1 */
  size_t events;
  struct span span[SPANS];
};

static int lane_of(const struct mx_backend *backend, gpuStream_t stream) { return stream != backend->work; }

static struct span *span_at(struct gpu_phases *phases, long number) { return &phases->span[number % SPANS]; }

static void destroy(struct gpu_phases *phases)
{
  for (int i = 0; i < SPANS; i++) {
    if (phases->span[i].begin != NULL) (void)gpuEventDestroy(phases->span[i].begin);
    if (phases->span[i].end != NULL) (void)gpuEventDestroy(phases->span[i].end);
  }
  dg_free(phases);
}

void gpu_phases_release(struct mx_backend *backend)
{
  if (backend->phases != NULL) destroy(backend->phases);
  backend->phases = NULL;
}

/* Times that are not known in full are not told. The work itself goes on, and tells its own errors. */
static void give_up(struct mx_backend *backend)
{
  (void)gpuGetLastError();
  backend->phases->to->is_lost = true;
  gpu_phases_release(backend);
}

static bool record(struct gpu_phases *phases, gpuEvent_t *event, gpuStream_t stream)
{
  if (*event == NULL) {
    if (gpuEventCreate(event) != gpuSuccess) return false;
    phases->events++;
  }
  return gpuEventRecord(*event, stream) == gpuSuccess;
}

/* Seconds from an event to a later one. */
static bool seconds_between(gpuEvent_t from, gpuEvent_t to, double *seconds)
{
  float milliseconds = 0;
  if (gpuEventSynchronize(to) != gpuSuccess || gpuEventElapsedTime(&milliseconds, from, to) != gpuSuccess) return false;
  *seconds = 1e-3 * (double)milliseconds;
  return true;
}

/* Adds the next span to the phases. In the stream of the passes, what lies between two spans is idle: the card waits
 * for the host or for other ranks, or does what is no phase. */
static bool read_next(struct gpu_phases *phases)
{
  const struct span *span = span_at(phases, phases->read++);
  const bool follows = span->lane == 0 && span->before >= 0 && span->before > phases->begun - SPANS;
  double seconds = 0, gap = 0;
  if (!span->over) return true; /* an error came between */
  if (!seconds_between(span->begin, span->end, &seconds) ||
      (follows && span_at(phases, span->before)->over &&
       !seconds_between(span_at(phases, span->before)->end, span->begin, &gap)))
    return false;
  phases->to->idle += gap;
  if (span->name == NULL) return true;
  struct mx_phase *phase = mx_phase_named(phases->to->phase, &phases->to->count, span->name);
  phase->calls++;
  phase->seconds += seconds;
  phase->cost.bytes += span->cost.bytes;
  phase->cost.flops += span->cost.flops;
  phase->beside = span->lane != 0;
  return true;
}

static bool open_span(struct gpu_phases *phases, int lane, gpuStream_t stream, const char *name)
{
  while (phases->begun - phases->read >= LATE)
    if (!read_next(phases)) return false;
  const long number = phases->begun++;
  struct span *span = span_at(phases, number);
  span->name = name;
  span->lane = lane;
  span->over = false;
  span->before = phases->latest[lane];
  phases->latest[lane] = number;
  return record(phases, &span->begin, stream);
}

static bool close_span(struct gpu_phases *phases, int lane, gpuStream_t stream, struct mx_cost cost)
{
  struct span *span = span_at(phases, phases->latest[lane]);
  span->cost = cost;
  span->over = record(phases, &span->end, stream);
  return span->over;
}

void gpu_phase_open(struct mx_backend *backend, gpuStream_t stream, const char *name)
{
  struct gpu_phases *phases = backend->phases;
  const int lane = lane_of(backend, stream);
  if (phases->depth[lane]++ > 0) return;
  gpu_range_begin(name);
  if (!open_span(phases, lane, stream, name)) {
    gpu_range_end();
    give_up(backend);
  }
}

void gpu_phase_end(struct mx_backend *backend, gpuStream_t stream, struct mx_cost cost)
{
  struct gpu_phases *phases = backend->phases;
  const int lane = lane_of(backend, stream);
  if (phases == NULL) return;                                        /* given up in between */
  if (phases->depth[lane] == 0 || --phases->depth[lane] > 0) return; /* begun before phases were timed, or inside */
  gpu_range_end();
  if (!close_span(phases, lane, stream, cost)) give_up(backend);
}

void gpu_phase(struct mx_backend *backend, const char *name)
{
  if (name != NULL) gpu_phase_begin(backend, backend->work, name);
  else gpu_phase_end_uncounted(backend, backend->work);
}

/* A span without length, from which the first phase's and to which the last phase's idle time counts. */
static bool mark_moment(struct mx_backend *backend)
{
  return open_span(backend->phases, 0, backend->work, NULL) &&
         close_span(backend->phases, 0, backend->work, (struct mx_cost){0, 0});
}

static void start(struct gpu_phases *phases)
{
  phases->read = phases->begun;
  for (int i = 0; i < LANES; i++) phases->depth[i] = 0, phases->latest[i] = -1;
}

static void finish(struct mx_backend *backend)
{
  struct gpu_phases *phases = backend->phases;
  bool known = mark_moment(backend);
  while (known && phases->read < phases->begun) known = read_next(phases);
  if (known) gpu_phases_release(backend);
  else give_up(backend);
}

void gpu_phases_set(struct mx_backend *backend, struct mx_profile *profile)
{
  struct dg_error none = {0};
  if (profile == NULL) {
    if (backend->phases != NULL) finish(backend);
    return;
  }
  if (backend->phases == NULL && DG_NEW(backend->phases, 1, &none) != 0) {
    profile->card.is_lost = true;
    return;
  }
  backend->phases->to = &profile->card;
  start(backend->phases);
  if (!mark_moment(backend)) give_up(backend);
}

struct mx_card_phases *gpu_phases_kept(const struct mx_backend *backend)
{
  return backend->phases == NULL ? NULL : backend->phases->to;
}

size_t gpu_phases_events(const struct mx_backend *backend)
{
  return backend->phases == NULL ? 0 : backend->phases->events;
}
