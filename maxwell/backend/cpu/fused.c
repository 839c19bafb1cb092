/* The `cpu` backend: fused kernels, elements in vector lanes, threads. The application lists it in mx_backends. fused.h
 * has layout and formulas. */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/backend.h"
#include "maxwell/backend/cpu/fused.h"
#include "maxwell/backend/cpu/fused_tables.h"
#include "maxwell/backend/cost.h"
#include "maxwell/backend/frame/face_weights.h"
#include "maxwell/backend/frame/frame.h"

/* The best instruction set of this processor; CURLEW_SIMD = portable, avx2 or avx512 asks for a lesser one. */
static int instruction_set(void)
{
#ifdef CURLEW_X86
  const char *wanted = getenv("CURLEW_SIMD");
  bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (wanted != NULL && strcmp(wanted, "portable") == 0) return 0;
  if (wanted != NULL && strcmp(wanted, "avx2") == 0) avx512 = false;
  return avx512 ? 2 : avx2 ? 1 : 0;
#else
  return 0;
#endif
}

static const struct mx_fused_kernels *kernels(bool single)
{
  static const struct mx_fused_kernels *const list[3][2] = {
      {&mx_fused_portable_double, &mx_fused_portable_single},
#ifdef CURLEW_X86
      {&mx_fused_avx2_double, &mx_fused_avx2_single},
      {&mx_fused_avx512_double, &mx_fused_avx512_single},
#endif
  };
  return list[instruction_set()][single];
}

#define REAL      double
#define LANES     8
#define NAME(x)   x##_double
#define KERNELS() kernels(false)
#include "maxwell/backend/cpu/fused_body.h"
#undef REAL
#undef LANES
#undef NAME
#undef KERNELS

#define REAL      float
#define LANES     16
#define NAME(x)   x##_single
#define KERNELS() kernels(true)
#include "maxwell/backend/cpu/fused_body.h"
#include "maxwell/backend/host_dispatch.h"

static int threads(const struct mx_backend *backend)
{
  return backend->full != NULL ? backend->full->threads : backend->half->threads;
}

static void set_profile(struct mx_backend *backend, struct mx_profile *profile)
{
  if (backend->full != NULL) backend->full->profile = profile;
  else backend->half->profile = profile;
}

static const char *instructions(void) { return kernels(false)->name; }

static size_t memory(const struct mx_problem *problem, const struct mx_backend_options *options)
{
  const struct mx_scheme *scheme = mx_scheme_of(options);
  /* in this order: the fields and the buffers of their next values, registers, sums */
  const size_t fields = 4 + (scheme->staggered ? 0 : 2) + (scheme->sums ? 2 : 0);
  size_t real = options->precision == MX_DOUBLE ? sizeof(double) : sizeof(float);
  size_t per_element = real * (fields * 3 * (size_t)problem->ref->Np + 13) + 8 * sizeof(int32_t);
  size_t traces = scheme->staggered ? 2 * (size_t)problem->ref->Nf * problem->open_faces : 0;
  size_t ghosts = fields * 3 * (size_t)problem->ref->Np * problem->ghosts;
  return per_element * problem->K + real * (traces + ghosts) + mx_response_bytes(problem, options, real);
}

const struct mx_backend_ops mx_backend_cpu = {
    .name = "cpu",
    .description = "fused kernels for AVX-512, AVX2 and other processors, orders 1 to 8, both precisions, threads",
    .available = available,
    .create = create,
    .destroy = destroy,
    .upload = upload,
    .stage_begin = stage_begin,
    .stage_end = stage_end,
    .energy = energy,
    .sample = sample,
    .functionals = functionals,
    .loss = loss,
    .download = download,
    .check = check,
    .components = MX_COVARIANT,
    .save = save,
    .load = load,
    .loaded = loaded,
    .threads = threads,
    .halo_use = halo_use,
    .instructions = instructions,
    .profile = set_profile,
    .memory = memory,
    .card = &mx_no_card,
};
