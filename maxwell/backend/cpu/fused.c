/* The `cpu` backend: fused kernels, elements in vector lanes, threads. The application lists it in mx_backends. fused.h
 * has layout and formulas. */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "maxwell/backend/backend.h"
#include "maxwell/backend/cpu/fused.h"
#include "maxwell/backend/cpu/fused_tables.h"
#include "maxwell/backend/cost.h"
#include "maxwell/backend/frame/face_weights.h"
#include "maxwell/backend/frame/frame.h"
#include "maxwell/backend/frame/points.h"
#include "maxwell/problem/curved.h"
#include "maxwell/terms/sheet_links.h"
#include "maxwell/terms/skins.h"
#include "maxwell/terms/terms.h"

/* The instruction sets of this build, each of which needs those before it. */
static const struct {
  const char *name; /* what CURLEW_SIMD says */
  const struct mx_fused_kernels *kernels[2];
} instruction_set[] = {
    {"portable", {&mx_fused_portable_double, &mx_fused_portable_single}},
#ifdef CURLEW_X86
    {"avx2", {&mx_fused_avx2_double, &mx_fused_avx2_single}},
    {"avx512", {&mx_fused_avx512_double, &mx_fused_avx512_single}},
#endif
};

/* The last of them that this processor has. */
static size_t best_set(void)
{
#ifdef CURLEW_X86
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")
             ? 2
             : 1;
#else
  return 0;
#endif
}

/* The kernels that CURLEW_SIMD asks for, without it those of the best set. */
static int find_kernels(bool single, const struct mx_fused_kernels **kernels, struct dg_error *err)
{
  const size_t sets = sizeof instruction_set / sizeof *instruction_set, best = best_set();
  const char *wanted = getenv("CURLEW_SIMD");
  char known[80] = "";
  size_t i = best;
  if (wanted != NULL && wanted[0] != '\0')
    for (i = 0; i < sets && strcmp(wanted, instruction_set[i].name) != 0;) i++;
  if (i <= best) {
    *kernels = instruction_set[i].kernels[single];
    return 0;
  }
  if (i < sets)
    return dg_fail(err, DG_ENVIRONMENT, "CURLEW_SIMD = '%s' is beyond this processor, which has '%s' at most", wanted,
                   instruction_set[best].name);
  for (size_t used = i = 0; i < sets && used < sizeof known; i++)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s'%s'", i > 0 ? ", " : "", instruction_set[i].name);
  return dg_fail(err, DG_ENVIRONMENT, "CURLEW_SIMD = '%.40s' is no instruction set of this build (%s)", wanted, known);
}

/* The nodes that the kernels know must be those of this mesh's reference element. */
static void check_nodes(const struct dg_reference *ref, const struct mx_symmetry *symmetry)
{
#define TABLES(p)                                                                                                      \
  {                                                                                                                    \
    mx_orbit_##p, &mx_face_##p[0][0], &mx_place_##p[0][0]                                                              \
  }
  static const uint8_t *const known[][3] = {TABLES(1), TABLES(2), TABLES(3), TABLES(4)};
#undef TABLES
  if (ref->order > MX_KNOWN_NODES) return;
  const uint8_t *const *table = known[ref->order - 1];
  for (int i = 0; i < ref->Np; i++) DG_BUG_IF(table[0][i] != symmetry->node[i], "node %d of the orbits", i);
  for (int i = 0; i < 4 * ref->Nf; i++)
    DG_BUG_IF(table[1][i] != ref->face_node[i] || table[2][i] != symmetry->place[i], "node %d of the faces", i);
}

#define REAL       double
#define LANES      8
#define NAME(x)    x##_double
#define MX_ROOT(x) sqrt(x)
#include "maxwell/backend/cpu/fused_body.h"
#undef REAL
#undef LANES
#undef NAME
#undef MX_ROOT

#define REAL       float
#define LANES      16
#define NAME(x)    x##_single
#define MX_ROOT(x) sqrtf(x)
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

static int available(struct dg_error *err)
{
  const struct mx_fused_kernels *kernels;
  return find_kernels(false, &kernels, err);
}

static const char *instructions(void)
{
  const struct mx_fused_kernels *kernels = NULL;
  struct dg_error err = {0};
  (void)!find_kernels(false, &kernels, &err);
  DG_BUG_IF(kernels == NULL, "%s", err.message);
  return kernels->name;
}

static size_t memory(const struct mx_problem *problem, const struct mx_backend_options *options)
{
  const struct mx_scheme *scheme = mx_scheme_of(options);
  /* in this order: the fields, the buffers of their next values, registers, sums */
  const size_t fields = 2 + (scheme->staggered ? 1 : 2) + (scheme->staggered ? 0 : 2) + (scheme->sums ? 2 : 0);
  const size_t real = options->precision == MX_DOUBLE ? sizeof(double) : sizeof(float);
  const size_t row = MX_FUSED_ROW((size_t)problem->ref->order), Nf = (size_t)problem->ref->Nf;
  const size_t losses = (size_t)mx_any_decay(problem, options, MX_AMPERE) + mx_any_decay(problem, options, MX_FARADAY);
  const size_t metrics = problem->shapes > 0 ? 24 : 12;
  const size_t per_element = real * (fields * row + metrics + losses) + 8 * sizeof(int32_t);
  const size_t open = scheme->staggered ? (2 + 6) * Nf * mx_kept_faces(problem) : 0;
  return per_element * problem->K + real * (open + fields * row * problem->ghosts) +
         mx_fused_curves_bytes(problem, real) + mx_term_bytes(problem, scheme, real);
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
    .fine = &fine,
    .card = &mx_no_card,
};
