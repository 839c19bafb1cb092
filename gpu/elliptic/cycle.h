/* Launchers of a cycle of multigrid on the card: smoothing, and what goes from level to level. levels.c calls them.
 * Where `march` is not NULL, nothing happens in iterations at or behind its end. */
#pragma once

#include "gpu/elliptic/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix by rows. Rows above GPU_ELLIPTIC_LONG are in a list of their own. */
struct gpu_rows {
  size_t count;
  const int32_t *row; /* [count + 1] */
  const int32_t *column;
  const double *value;
  size_t longs;
  const int32_t *long_row; /* [longs] */
};

/* Vectors [count] of a level. */
struct gpu_smooth {
  size_t count;
  const double *r, *inverse;
  double *z, *e, *q; /* e: the last correction of z */
};

/* e = take r / diagonal, z = e. */
gpuError_t gpu_smooth_first(const struct gpu_smooth *s, double take, const struct gpu_march *march, int n,
                            gpuStream_t stream);
/* With A z in op->result, or in q where `has_product`: e = keep e + take (r - A z) / diagonal, z += e. */
gpuError_t gpu_smooth_next(const struct gpu_elliptic *op, const struct gpu_smooth *s, int has_product, double keep,
                           double take, const struct gpu_march *march, int n, gpuStream_t stream);
/* With A z there: q = r - A z where nothing is held, 0 elsewhere. */
gpuError_t gpu_smooth_lack(const struct gpu_elliptic *op, const struct gpu_smooth *s, int has_product,
                           const struct gpu_march *march, int n, gpuStream_t stream);
/* inverse = 1 / (share mass + scale rest), or 0 where that is 0. mass may be NULL. */
gpuError_t gpu_smooth_invert(size_t count, double share, const double *mass, double scale, const double *rest,
                             double *inverse, gpuStream_t stream);
/* y = (adds ? y : 0) + M x where nothing is held; elsewhere y stays (adds), or is 0. */
gpuError_t gpu_rows_times(const struct gpu_rows *rows, const double *x, const double *inverse, double *y, int adds,
                          const struct gpu_march *march, int n, gpuStream_t stream);

#ifdef __cplusplus
}
#endif
