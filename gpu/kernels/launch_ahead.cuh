/* Launches kernels that follow each other in a stream without a gap. The blocks of the next kernel take the places that
 * blocks of the one before leave, prepare themselves, and wait for its end (programmatic dependent launch; PTX ISA 8:
 * griddepcontrol). This works from compute capability 9.0 on; elsewhere a kernel begins when the one before has
 * ended. */
#pragma once

#include "gpu/kernels/kernels.h"

/* Call it in all blocks: once all have called it, or have ended, the next kernel may prepare itself. */
__device__ inline void gpu_let_next_prepare()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Waits until all kernels before have ended. Call it in all threads, before they read what these kernels have written,
 * or write. */
__device__ inline void gpu_wait_for_kernels_before()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* For kernels that have nothing to prepare. */
__device__ inline void gpu_follow()
{
  gpu_let_next_prepare();
  gpu_wait_for_kernels_before();
}

/* Launches a kernel that waits for those before, as above. */
template <typename... PARAMETERS, typename... ARGUMENTS>
gpuError_t gpu_launch_following(const gpu_tables &tables, void (*kernel)(PARAMETERS...), unsigned blocks, dim3 threads,
                                size_t shared, gpuStream_t stream, ARGUMENTS &&...arguments)
{
#ifndef CURLEW_HIP
  if (tables.architecture >= 90) {
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
  }
#endif
  kernel<<<blocks, threads, shared, stream>>>(arguments...);
  return gpuGetLastError();
}
