/* The interface of backends: a typed table of functions over a backend's own copy of the fields. The time loop
 * (maxwell/run) drives it:
 *
 *     create, upload, then for every step n: stage_begin(s), stage_end(s) for s = 0 .. stages-1, with energy, sample,
 *     functionals, loss, download and check in between; destroy.
 *
 * After mx_schemes[integrator].observe_stage stages of step n, energy, sample and download give E and H at the same
 * time t_n, provided that stage_begin(0) of this step was told `observe`. Leapfrog then holds H at n-1/2 and n+1/2: the
 * values are their mean (second order) and the magnetic energy is their product (with losses: time/medium.h), which
 * makes the total an invariant.
 *
 * stage_begin starts the work, and stage_end ends the stage as far as the caller can tell. A card may still work on the
 * stages that were begun while the host evaluates the next sources. Functions that return values wait for the card, and
 * so does `wait`. The host may also evaluate sources between begin and end. All ranks of a shared problem make the same
 * calls: create, upload, stage_begin and stage_end exchange traces with the ranks that hold neighbours. Observed values
 * are of the rank's own elements; the caller puts those of several ranks together.
 *
 * Arrays of fields on the host are [K][3][Np], E and H both in V/m (H times eta0, flux.h), double whatever the
 * backend's precision. Times are c0 t in metres. All functions return 0 or the code in err. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "maxwell/backend/card.h"
#include "maxwell/backend/fine.h"
#include "maxwell/terms/terms.h"
#include "maxwell/problem/problem.h"
#include "maxwell/time/integrator.h"
#include "maxwell/time/responses.h"

struct mx_backend_options {
  enum mx_integrator integrator;
  enum mx_precision precision;
  double step;                 /* c0 dt, metres */
  enum mx_transport transport; /* how cards of several ranks exchange traces */
  bool filtered;               /* what a pass adds to H is changed after it (maxwell/levels) */
};

static inline const struct mx_scheme *mx_scheme_of(const struct mx_backend_options *options)
{
  return &mx_schemes[options->integrator];
}

/* The update of the field that an equation changes, E or H, in an element. */
static inline struct mx_medium_update mx_update_of(const struct mx_problem *problem,
                                                   const struct mx_backend_options *options, enum mx_equation equation,
                                                   size_t e)
{
  return mx_element_update(problem, options->integrator, equation, options->step, e);
}

/* Says whether the pass takes something of the old field away in any element. */
static inline bool mx_any_decay(const struct mx_problem *problem, const struct mx_backend_options *options,
                                enum mx_equation equation)
{
  for (size_t e = 0; e < problem->K; e++)
    if (mx_update_of(problem, options, equation, e).loss != 0) return true; /* a pole may add to the old field */
  return false;
}

struct mx_profile; /* profile.h */

struct mx_point { /* a place to sample: weights of the element's nodes, or one node */
  size_t element;
  const double *weight; /* [Np], or NULL: the value at `node` */
  size_t node;
  /* In a curved element: [9] metric[3 a + b] = d(r, s, t)_a/dx_b at the place (problem/curved.h), 1/m. The weights are
   * those of covariant components, which the backend turns with it. NULL: the element is straight, or the place is
   * `node`. */
  const double *metric;
};

struct mx_field_check {
  bool finite;
  size_t element; /* the first element with a number that is not finite; else the one with the largest component */
  double largest; /* over E and H, V/m */
};

/* Combines the checks of two sets of elements into the check of both. */
static inline struct mx_field_check mx_worse_check(struct mx_field_check a, struct mx_field_check b)
{
  bool first = b.element < a.element;
  if (a.finite != b.finite) return a.finite ? b : a;
  if (!a.finite || a.largest == b.largest) return first ? b : a;
  return b.largest > a.largest ? b : a;
}

/* The values of every source term at one stage, the part that changes: value[term] is one number, [count][N] or
 * [count][3][N] as the term says (V/m; currents times eta0). In leapfrog the jump of the field under the curl (`curl`)
 * and the jump of the field in the penalty (`penalty`) belong to different times (time/schedule.h). In other schemes
 * both are the same. */
struct mx_stage_sources {
  const double *const *curl;    /* [terms]; currents are taken from here */
  const double *const *penalty; /* [terms] */
};

/* The components in which a backend holds vectors. */
enum mx_components {
  MX_CARTESIAN,
  MX_COVARIANT,           /* along the bimedians of the element (cpu/fused.h) */
  MX_COVARIANT_TANGENTIAL /* the same, but of traces only the part along the face means anything */
};

/* The cost of the exchange with other ranks. */
struct mx_halo_use {
  double seconds;        /* time so far in which the backend only packed, waited and unpacked */
  size_t bytes;          /* bytes that this rank sends in a step */
  const char *transport; /* a card's: "direct" from its memory, or "staged" through the host's; else NULL */
  bool fell_back;        /* the transport is "staged" because MPI does not say that it takes the card's memory */
};

/* A value for stage_begin: the sources follow through stage_sources (card.h). */
extern const struct mx_stage_sources mx_sources_follow;

/* Every member is required: a backend without phases, say, has mx_no_phases, and one of the host mx_no_card. So callers
 * test for no function. */
struct mx_backend_ops {
  const char *name;        /* name in scripts: "reference" */
  const char *description; /* one line for `curlew info` */
  /* Returns 0 if the backend can run on this machine; else err says what is missing. `auto` passes over a backend whose
   * card is missing; all else is an error for whoever would have it. */
  int (*available)(struct dg_error *err);
  int (*create)(struct mx_backend **backend, const struct mx_problem *problem, const struct mx_backend_options *options,
                struct dg_error *err);
  void (*destroy)(struct mx_backend *backend); /* NULL is safe */
  /* Sets the fields at t = 0, both at the same time. NULL stands for a field of zero. In media with losses the fields
   * are scaled (time/medium.h). */
  int (*upload)(struct mx_backend *backend, const double *E, const double *H, struct dg_error *err);
  /* Begins a stage. sources may be NULL where the problem has no terms. The arrays of the sources must stay until
   * stage_end. */
  int (*stage_begin)(struct mx_backend *backend, int stage, bool observe, const struct mx_stage_sources *sources,
                     struct dg_error *err);
  int (*stage_end)(struct mx_backend *backend, int stage, struct dg_error *err);
  /* Gives the electric and magnetic energy: 1/2 integral of eps_r E.E and of mu_r H.H (with losses: the inertia of
   * time/medium.h), V^2 m (times epsilon0: joules). */
  int (*energy)(struct mx_backend *backend, double *electric, double *magnetic, struct dg_error *err);
  /* Gives value[count][6]: Ex, Ey, Ez, Hx, Hy, Hz at the points. */
  int (*sample)(struct mx_backend *backend, size_t count, const struct mx_point *point, double (*value)[6],
                struct dg_error *err);
  /* Gives the values of the problem's functionals first..first+count-1. With `centred` they are at t_n, as all observed
   * values are. Otherwise they are of the fields as they are, and may be asked for before any stage (in leapfrog H then
   * belongs to half a step before or after E). */
  int (*functionals)(struct mx_backend *backend, size_t first, size_t count, bool centred, double *value,
                     struct dg_error *err);
  /* Gives what elements lose at t_n, as all observed values: integrals of loss times field squared (sigma E.E), V^2
   * (divided by eta0: watts). */
  int (*loss)(struct mx_backend *backend, size_t count, const int32_t *element, double *loss, struct dg_error *err);
  /* Gives the fields of all elements. NULL stands for a field that is not wanted. */
  int (*download)(struct mx_backend *backend, double *E, double *H, struct dg_error *err);
  int (*check)(struct mx_backend *backend, struct mx_field_check *check, struct dg_error *err);
  /* The state between two steps, exactly: numbers first..first+count-1 of an array, in the backend's components. A run
   * that saves, uploads and loads goes on with the same bits. */
  enum mx_components components;
  int (*save)(struct mx_backend *backend, int array, size_t first, size_t count, double *value, struct dg_error *err);
  int (*load)(struct mx_backend *backend, int array, size_t first, size_t count, const double *value,
              struct dg_error *err);
  /* Call it once all arrays are loaded. The function exchanges traces. */
  int (*loaded)(struct mx_backend *backend, struct dg_error *err);
  int (*threads)(const struct mx_backend *backend); /* threads that work on the fields */
  struct mx_halo_use (*halo_use)(const struct mx_backend *backend);
  /* The instructions of the kernels on this machine, where the backend is available: "AVX-512". */
  const char *(*instructions)(void);
  /* From now on the backend adds the times of its phases to the profile; NULL: no longer, and what it knows of them is
   * in the profile. A time loop makes the first call when it begins, also if there was one before, and the second one
   * when it is over. The profile outlives the backend. */
  void (*profile)(struct mx_backend *backend, struct mx_profile *profile);
  /* Bytes that the backend will allocate for a problem of this size, so that `curlew check` can name them beforehand.
   * On a card they are bytes of the card. */
  size_t (*memory)(const struct mx_problem *problem, const struct mx_backend_options *options);
  const struct mx_fine_ops *fine; /* functions of parts that take shorter steps */
  const struct mx_card_ops *card; /* functions of cards; &mx_no_card for backends of the host */
};

static inline void mx_no_phases(struct mx_backend *backend, struct mx_profile *profile)
{
  (void)backend, (void)profile;
}

/* All backends that were compiled in, best first, NULL-terminated. The list is maxwell/app's. */
extern const struct mx_backend_ops *const mx_backends[];

/* The backends that this build lacks, and why: name and reason, name and reason, NULL. */
extern const char *const mx_backends_missing[];

extern const struct mx_backend_ops mx_backend_reference, mx_backend_cpu;
extern const struct mx_backend_ops mx_backend_cuda; /* part of gpu/, where that is built */
