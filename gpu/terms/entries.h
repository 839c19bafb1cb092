/* Elements and faces that terms add something to. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "maxwell/backend/backend.h"

/* Sorts entries by element and puts them on the card, those in curved elements apart. */
int gpu_pack_entries(struct mx_backend *backend, struct gpu_entries *straight, struct gpu_entries *curved, bool faces,
                     size_t count, const int32_t *where, struct dg_error *err) DG_MUST_USE;
/* Adds to an equation on the addition's entries, which are those of straight elements, and then on the curved ones:
 * jumps, which are lifted, or currents. `doing` is for messages. */
int gpu_add_everywhere(struct mx_backend *backend, struct gpu_addition addition, const struct gpu_entries *curved,
                       bool jumps, const char *doing, struct dg_error *err) DG_MUST_USE;
/* Copies traces along t1 and t2 on faces first..first+count-1 of card[][2][Nf] to vectors to[count][3][Nf], or, if that
 * is NULL, from `from`, of which only the two components along the face mean anything. face(problem, i, e) is the
 * number in its element of face i; e is 0 at first, and the function's own from then on. */
int gpu_copy_traces(struct mx_backend *backend, void *card, size_t first, size_t count,
                    size_t (*face)(const struct mx_problem *problem, size_t i, size_t *e), double *to,
                    const double *from, struct dg_error *err) DG_MUST_USE;
