/* Snapshots that leave the card while the run goes on. */
#pragma once

#include "gpu/watch/observe.h"
#include "maxwell/backend/backend.h"

enum {
  GPU_LEAVING = 16 << 20, /* bytes of each of the two pinned buffers of snapshots, which nobody waits for */
  GPU_BUFFERS = 2         /* snapshots that may be on the card */
};

/* Snapshots on their way to the host (snapshot.c). The loop's thread fills a buffer; the other thread does all else. */
struct gpu_leaving {
  bool wanted[2]; /* E, H */
  size_t buffers;
  struct gpu_buffer {
    void *field[2];   /* of the card; NULL: not wanted */
    gpuEvent_t ready; /* filled */
  } buffer[GPU_BUFFERS];
  struct gpu_way way;
};

int gpu_snapshot_buffers(struct mx_backend *backend, size_t count, bool E, bool H, size_t *got, struct dg_error *err);
int gpu_snapshot_begin(struct mx_backend *backend, size_t buffer, struct dg_error *err);
int gpu_snapshot_fetch(struct mx_backend *backend, size_t buffer, double *E, double *H, struct dg_error *err);
/* Waits for the snapshots on their way and releases their buffers' events. Call it before the memory is released. */
void gpu_release_leaving(struct mx_backend *backend);
