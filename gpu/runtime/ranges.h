/* Named ranges of the host's time line, in which a profiler of the vendor (Nsight Systems) shows what launched a
 * kernel. They are empty where the toolkit has no NVTX, and for HIP. */
#pragma once

#if !defined(__HIP__) && !defined(CURLEW_HIP) && defined(__has_include)
#if __has_include(<nvtx3/nvToolsExt.h>)
#define GPU_RANGES 1
#endif
#endif

#ifdef GPU_RANGES
#include <nvtx3/nvToolsExt.h>
static inline void gpu_range_begin(const char *name) { (void)nvtxRangePushA(name); }
static inline void gpu_range_end(void) { (void)nvtxRangePop(); }
#else
static inline void gpu_range_begin(const char *name) { (void)name; }
static inline void gpu_range_end(void) {}
#endif
