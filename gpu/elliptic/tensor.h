/* Launchers of the elements on tensor cores. apply.cu calls them where op->operators is not NULL. */
#pragma once

#include "gpu/elliptic/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GPU_TENSOR_ORDERS = 5 }; /* orders above do not fit */

/* The same as the kernel of apply.cu. */
gpuError_t gpu_tensor_elements(const struct gpu_elliptic *op, struct gpu_elliptic_weights weights, const double *x,
                               const struct gpu_march *march, int n, gpuStream_t stream);
/* The dynamic shared memory; call it once before. */
gpuError_t gpu_tensor_prepare(int order);

#ifdef __cplusplus
}
#endif
