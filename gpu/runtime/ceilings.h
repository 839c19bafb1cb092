/* Launchers that show the limits of a card: copies and multiply-adds, to be timed by the card's clock. */
#pragma once

#include <stddef.h>

#include "gpu/runtime/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

gpuError_t gpu_copy(void *to, const void *from, size_t bytes, gpuStream_t stream); /* a multiple of 16 */
/* 2 * 16 * rounds flops a thread, blocks * 256 threads. */
enum { GPU_PEAK_THREADS = 256, GPU_PEAK_CHAINS = 16 };
gpuError_t gpu_multiply_adds(int single, int blocks, int rounds, void *sink, gpuStream_t stream);

#ifdef __cplusplus
}
#endif
