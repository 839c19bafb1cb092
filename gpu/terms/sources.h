/* Source terms on the card: their tables, and what a stage adds. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "maxwell/backend/backend.h"

enum { GPU_SLOTS = 2 }; /* buffers of source values: one is filled while the card reads the other */

/* A source term. The part that changes in time is a number, given to the kernel with its launch; or it is `staged`:
 * numbers that are converted into pinned memory when the stage begins, and copied from there. */
struct gpu_term {
  const struct mx_term *term;
  struct gpu_entries entries, curved; /* in straight elements, and in curved ones */
  void *part[2];    /* what the number multiplies, E and H: along t1 and t2, of currents covariant; NULL: nothing */
  size_t N, parts;  /* of an entry */
  size_t staged;    /* numbers of one array */
  size_t at[2];     /* where `curl` and `penalty` begin in a slot, bytes */
  bool has_penalty; /* some face of it has one */
};

struct gpu_slot {
  unsigned char *host, *card;
  gpuEvent_t copied, used; /* the copy has arrived; the kernels that read it are done */
};

/* Sorts entries by element and puts them on the card, those in curved elements apart. */
int gpu_pack_entries(struct mx_backend *backend, struct gpu_entries *straight, struct gpu_entries *curved, bool faces,
                     size_t count, const int32_t *where, struct dg_error *err) DG_MUST_USE;
int gpu_pack_terms(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Takes the values of a stage. Behind this, all that has to be copied is on its way. */
int gpu_send_sources(struct mx_backend *backend, int stage, const struct mx_stage_sources *sources,
                     struct dg_error *err) DG_MUST_USE;
/* to += what the sources of the stage add to an equation, also += b times it (may be NULL). */
int gpu_add_sources(struct mx_backend *backend, int equation, const struct mx_stage_sources *sources, void *to,
                    void *also, double b, struct dg_error *err) DG_MUST_USE;
/* Marks the end of the source kernels of a stage, behind the last one. */
int gpu_end_sources(struct mx_backend *backend, const struct mx_stage_sources *sources,
                    struct dg_error *err) DG_MUST_USE;
