/* Energies, points, functionals and whole fields, brought to the host. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "maxwell/backend/backend.h"

/* Two pinned buffers through which rows come to the host. The host converts one while the other is filled. */
struct gpu_way {
  gpuStream_t stream;
  size_t bytes; /* of each */
  unsigned char *pinned[2];
  unsigned char *card[2]; /* for means; NULL: there are none */
  gpuEvent_t arrived[2];
};

int gpu_pack_functionals(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
int gpu_energy(struct mx_backend *backend, double *electric, double *magnetic, struct dg_error *err);
int gpu_sample_points(struct mx_backend *backend, size_t count, const struct mx_point *point, double (*value)[6],
                      struct dg_error *err);
int gpu_functionals(struct mx_backend *backend, size_t first, size_t count, bool centred, double *value,
                    struct dg_error *err);
int gpu_functionals_begin(struct mx_backend *backend, size_t first, size_t count, struct dg_error *err);
int gpu_functionals_end(struct mx_backend *backend, size_t first, size_t count, double *value, struct dg_error *err);
int gpu_loss(struct mx_backend *backend, size_t count, const int32_t *element, double *loss, struct dg_error *err);
int gpu_download(struct mx_backend *backend, double *E, double *H, struct dg_error *err);
int gpu_check_fields(struct mx_backend *backend, struct mx_field_check *check, struct dg_error *err);

/* Brings (u + v)/2 in Cartesian components to to[K][3][Np], for elements first..first+count-1, of which u and v are the
 * rows. */
int gpu_bring_rows(const struct mx_backend *backend, const struct gpu_way *way, const void *u, const void *v,
                   size_t first, size_t count, double *to, struct dg_error *err) DG_MUST_USE;
