/* Named phases of a run: wall clock, calls, and bytes and flops counted from the sizes. Off unless there is a profile:
 * then all that it costs is a comparison with NULL a phase.
 *
 *   struct mx_mark mark = mx_phase_begin(profile);
 *   ...
 *   mx_phase_end(profile, mark, "open faces", cost);
 *
 * Phases nest. The time of a phase is its own, without the phases inside it, so that all of them add up to the
 * outermost. One thread, the one that runs the time loop, begins and ends them.
 */
#pragma once

#include "maxwell/backend/backend.h"

enum { MX_PHASES_MAX = 24 };

struct mx_cost {
  double bytes, flops; /* a call; 0: not counted */
};

struct mx_phase {
  const char *name; /* a constant */
  long calls;
  double seconds;
  struct mx_cost cost; /* of all calls */
};

struct mx_profile { /* {0} is empty */
  size_t count;
  struct mx_phase phase[MX_PHASES_MAX];
  double inner; /* seconds of the phases that ended inside the one that is open */
};

struct mx_mark {
  double start, inner;
};

struct mx_mark mx_profile_begin(struct mx_profile *profile);
void mx_profile_end(struct mx_profile *profile, struct mx_mark mark, const char *name, struct mx_cost cost);

static inline struct mx_mark mx_phase_begin(struct mx_profile *profile)
{
  return profile == NULL ? (struct mx_mark){0, 0} : mx_profile_begin(profile);
}

static inline void mx_phase_end(struct mx_profile *profile, struct mx_mark mark, const char *name, struct mx_cost cost)
{
  if (profile != NULL) mx_profile_end(profile, mark, name, cost);
}

/* ---- what the parts of a backend read, write and compute, in numbers of `real` bytes */

/* Curl, jumps, fluxes and lift of one or both equations on all elements, with 12 Np^2 + 16 Np Nf flops an equation and
 * element; `arrays` vector fields are read or written, and of the tables six numbers an equation and four neighbours.
 * What is pointwise is not counted. */
struct mx_cost mx_cost_pass(const struct mx_problem *problem, size_t real, int equations, double arrays);
/* The same for one equation in Cartesian components, which need 18 Np^2 + 24 Np Nf flops, from two fields to their
 * rate. */
struct mx_cost mx_cost_plain_pass(const struct mx_problem *problem, size_t real);
/* Pointwise work on whole vector fields. */
struct mx_cost mx_cost_update(const struct mx_problem *problem, size_t real, double arrays, double flops_a_number);
/* Of all open faces in a half step, both visits: two looks at every neighbour; the difference of two traces, written
 * and read; two components lifted into the element's field. */
struct mx_cost mx_cost_open(const struct mx_problem *problem, size_t real);
/* Of the source terms of one equation. */
struct mx_cost mx_cost_sources(const struct mx_problem *problem, int equation, size_t real);

/* ---- a backend whose every call is a phase */

/* Puts a watch around a backend: *backend becomes one that passes all calls on to the old one, which it owns from now
 * on, and notes their times in profile, as the old one does of its parts; *ops is the table of the new one. */
int mx_profile_backend(struct mx_backend **backend, struct mx_backend_ops *ops, const struct mx_backend_ops *inner,
                       struct mx_profile *profile, struct dg_error *err) DG_MUST_USE;
