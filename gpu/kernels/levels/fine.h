/* Rows of a part that takes shorter steps of H (maxwell/backend/fine.h), and of the whole around it. */
#pragma once

#include "gpu/kernels/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of the numbers of all rows of the part; w: that of the same element in the whole. */
enum gpu_fine {
  GPU_KEEP,  /* kept = w; without a whole 0 */
  GPU_TAKE,  /* change = w - kept, H = by change, E = 0 */
  GPU_SCALE, /* H = by H */
  GPU_ADD,   /* H = H + by change */
  GPU_NEXT,  /* next = H + by change */
  GPU_GIVE   /* w = kept + by H */
};

struct gpu_fine_rows {
  enum gpu_fine what;
  double by;
  size_t count;           /* rows */
  const int32_t *element; /* [count] rows in the whole */
  void *E, *H, *kept, *change, *next;
  void *whole; /* its H, or NULL */
};
gpuError_t gpu_change_rows(const struct gpu_tables *tables, const struct gpu_fine_rows *rows, gpuStream_t stream);

#ifdef __cplusplus
}
#endif
