/* The exchange of traces with other ranks, and the end of work on the card. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "maxwell/backend/backend.h"

enum { GPU_TIMINGS = 4 }; /* exchanges with other ranks whose times are not yet read */

/* The events of one exchange with their times: `inner` on the stream of the kernels, the others on the halo's. */
struct gpu_timing {
  gpuEvent_t packed, inner, there; /* behind packing; behind the inner elements; ghosts unpacked */
};

/* The exchange of the traces that are shared with other ranks (halo.c). */
struct gpu_halo {
  struct dg_exchange *exchange;      /* NULL: one rank */
  bool direct;                       /* MPI takes the card's memory; else all goes through the host's */
  size_t faces, bytes;               /* bytes of a face: the numbers that travel */
  int fields;                        /* that travel at a time */
  int32_t *own, *far;                /* on the card; kernels.h */
  unsigned char *out, *in;           /* on the card */
  unsigned char *host_out, *host_in; /* pinned; NULL if direct */
  gpuStream_t stream;                /* packing, copies, unpacking and the outer elements, before other work */
  gpuEvent_t ready, copied, done;    /* ready: for packing; done: with the outer elements */
  struct gpu_timing timing[GPU_TIMINGS];
  long begun, timed; /* begun so far; of which the times have been read */
  double seconds;    /* in which the kernels' stream waited */
};

/* Makes stream, buffers and messages for the faces that are shared; nothing on one rank. */
int gpu_new_halo(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
void gpu_release_halo(struct mx_backend *backend);
/* An exchange of the traces of field[halo.fields], in three parts, each of which does nothing on one rank. `begin` only
 * launches the packing; work that is launched behind it may not change the fields on shared faces. `send` waits until
 * the card has packed, and starts the messages; the inner elements should have been launched by then. `receive` waits
 * for the messages. Work that is launched behind it on the halo's stream sees the ghosts, and all that was launched
 * before `begin`. */
int gpu_halo_begin(struct mx_backend *backend, void *const *field, struct dg_error *err) DG_MUST_USE;
int gpu_halo_send(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
int gpu_halo_receive(struct mx_backend *backend, void *const *field, struct dg_error *err) DG_MUST_USE;
/* From here on, work on the kernels' stream waits for the work that the halo's stream has now. */
int gpu_halo_join(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* The stream for a part of the elements. */
gpuStream_t gpu_stream_of(const struct mx_backend *backend, enum gpu_part part);
/* All three parts of an exchange with nothing in between. */
int gpu_halo_exchange(struct mx_backend *backend, void *const *field, struct dg_error *err) DG_MUST_USE;
/* Adds up the times of the exchanges but for the last `but`; the card must have finished them. */
int gpu_halo_times(struct mx_backend *backend, long but, struct dg_error *err) DG_MUST_USE;
/* Sets the counted times to zero. */
void gpu_halo_forget(struct mx_backend *backend);
struct mx_halo_use gpu_halo_use(const struct mx_backend *backend);
int gpu_time_exchange(struct mx_backend *backend, bool one_face, double *seconds, struct dg_error *err);

/* Waits for all stages that were begun. */
int gpu_wait(struct mx_backend *backend, struct dg_error *err);
