/* Phases of a run by the card's own clock: an event before and an event after what a phase launches, in its stream.
 * They are read thousands of phases later, when their places in a ring are wanted again, so that neither the host nor
 * the card waits for a reading. Without a profile there is no ring, no event is made, and a phase costs a comparison
 * with NULL.
 *
 *   gpu_phase_begin(backend, stream, "sources");
 *   ... launches in this stream ...
 *   if (gpu_is_timed(backend)) gpu_phase_end(backend, stream, cost);
 *
 * A phase that begins inside another one of the same stream belongs to the outer one. Kernels on either side of an
 * event do not overlap, as they otherwise may (launch_ahead.cuh). */
#pragma once

#include "gpu/core/core.h"
#include "maxwell/shell/profile.h"

/* From here on phases are timed, for profile->card; NULL ends it, and waits for the card. What the card did since the
 * last such call is forgotten if that was no NULL. Events that cannot be made end it, too: profile->card.is_lost. */
void gpu_phases_set(struct mx_backend *backend, struct mx_profile *profile);
void gpu_phases_release(struct mx_backend *backend);
/* Where the times go; NULL: nowhere. */
struct mx_card_phases *gpu_phases_kept(const struct mx_backend *backend);
/* Events that exist: 0 without a profile. */
size_t gpu_phases_events(const struct mx_backend *backend);

static inline bool gpu_is_timed(const struct mx_backend *backend) { return backend->phases != NULL; }

void gpu_phase_open(struct mx_backend *backend, gpuStream_t stream, const char *name);
/* The cost is that of all that was launched since the begin. */
void gpu_phase_end(struct mx_backend *backend, gpuStream_t stream, struct mx_cost cost);

/* `name` is a constant. */
static inline void gpu_phase_begin(struct mx_backend *backend, gpuStream_t stream, const char *name)
{
  if (gpu_is_timed(backend)) gpu_phase_open(backend, stream, name);
}

/* gpu_phase_end without a count. */
static inline void gpu_phase_end_uncounted(struct mx_backend *backend, gpuStream_t stream)
{
  if (gpu_is_timed(backend)) gpu_phase_end(backend, stream, (struct mx_cost){0, 0});
}

/* mx_card_ops.phase: in the stream of the passes. */
void gpu_phase(struct mx_backend *backend, const char *name);
