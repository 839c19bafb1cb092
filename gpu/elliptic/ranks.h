/* What ranks say to each other about vectors of unknowns on their cards (private to gpu/elliptic).
 *
 * Each rank has the unknowns of its own elements; those between ranks are on all of them with the same value
 * (libdg/field/shared.h). A product with a rank's own elements becomes that of all ranks by an exchange: the card packs
 * what is shared, MPI takes it from the card's memory or through pinned memory of the host, and the card adds it in the
 * order of the ranks. The scalar product of x with its own product needs no exchange: its parts of all ranks add up. It
 * is therefore reduced while the messages travel. */
#pragma once

#include "gpu/elliptic/kernels.h"
#include "gpu/runtime/memory.h"
#include "libdg/field/space.h"

struct gpu_ranks; /* opaque */

/* *ranks = NULL where nobody else has unknowns. Else makes what needs no other rank. direct: as in the setup of a
 * device (libdg/solve/device.h). DG_ENVIRONMENT: no memory, or MPI does not take the card's. */
int gpu_ranks_new(struct gpu_ranks **ranks, struct gpu_memory *card, const struct dg_space *space,
                  enum dg_answer direct, struct dg_error *err) DG_MUST_USE;
void gpu_ranks_free(struct gpu_ranks *ranks); /* NULL is safe; behind the last work of its stream */
/* Makes the rest. Collective, as all below are. */
int gpu_ranks_join(struct gpu_ranks *ranks, struct dg_error *err) DG_MUST_USE;
/* v has what ranks need: who counts what, numbers, and where sums are read. ranks may be NULL. */
void gpu_ranks_attach(const struct gpu_ranks *ranks, struct gpu_march_vectors *v);

/* y, a product with this rank's own elements, becomes that of all, and so do the two sums of part, which may be NULL;
 * ranks may be NULL: nothing happens. */
int gpu_ranks_sum(struct gpu_ranks *ranks, double *y, const double *part, gpuStream_t stream,
                  struct dg_error *err) DG_MUST_USE;
/* The sums of part_q or of part_r, in march's kernels. */
int gpu_ranks_reduce(struct gpu_ranks *ranks, const struct gpu_march_vectors *v, int first, gpuStream_t stream,
                     struct dg_error *err) DG_MUST_USE;
/* Has some rank failed at what needs no other? Then err has a code on all. ranks: those that share the space. */
int gpu_ranks_agree(const struct dg_space *space, struct dg_error *err) DG_MUST_USE;
