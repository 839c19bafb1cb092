/* The `reference` backend: plain loops, any order, one thread. The application lists it in mx_backends.
 * reference_body.h has the algorithm. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/backend.h"
#include "maxwell/backend/layers/layer_rule.h"
#include "maxwell/operator/operator.h"
#include "maxwell/problem/curved.h"
#include "maxwell/terms/sheet_links.h"
#include "maxwell/terms/skins.h"
#include "maxwell/terms/terms.h"
#include "maxwell/backend/cost.h"

#define REAL       double
#define NAME(x)    x##_double
#define MX_ROOT(x) sqrt(x)
#include "maxwell/backend/reference/reference_body.h"
#undef REAL
#undef NAME
#undef MX_ROOT

#define REAL       float
#define NAME(x)    x##_single
#define MX_ROOT(x) sqrtf(x)
#include "maxwell/backend/reference/reference_body.h"
#undef REAL
#undef NAME
#undef MX_ROOT

#include "maxwell/backend/host_dispatch.h"

static int available(struct dg_error *err)
{
  (void)err;
  return 0;
}

static int threads(const struct mx_backend *backend)
{
  (void)backend;
  return 1;
}

static void set_profile(struct mx_backend *backend, struct mx_profile *profile)
{
  if (backend->full != NULL) backend->full->profile = profile;
  else backend->half->profile = profile;
}

static size_t memory(const struct mx_problem *problem, const struct mx_backend_options *options)
{
  const struct mx_scheme *scheme = mx_scheme_of(options);
  /* the fields; the rates of both, or one rate and H of half a step ago; and what passes keep */
  const size_t fields = 4 + (scheme->registers ? 2 : 0) + (scheme->sums ? 2 : 0);
  size_t real = options->precision == MX_DOUBLE ? sizeof(double) : sizeof(float);
  size_t traces = scheme->staggered ? 2 * 3 * (size_t)problem->ref->Nf * mx_kept_faces(problem) : 0;
  return mx_term_bytes(problem, mx_scheme_of(options), real) + mx_curve_tables_bytes(problem) +
         real * (fields * 3 * (size_t)problem->ref->Np * (problem->K + problem->ghosts) + traces);
}

static const char *instructions(void) { return "compiler's choice"; }

const struct mx_backend_ops mx_backend_reference = {
    .name = "reference",
    .description = "plain loops in C, any order, double and single precision, one thread",
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
    .components = MX_CARTESIAN,
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
