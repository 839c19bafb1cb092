/* What every backend implements: a typed table of functions over its own copy of the fields.
 *
 * The time loop (maxwell/run) drives it:
 *     create, upload, then for every step n: stage_begin(s), stage_end(s) for s = 0 .. stages-1, with energy, sample,
 *     functionals, loss, download and check in between; destroy.
 * After mx_schemes[integrator].observe_stage stages of step n, energy, sample and download give E and H at the same
 * time t_n, provided that stage_begin(0) of this step was told `observe`. Leapfrog then holds H at n-1/2 and n+1/2: the
 * values are their mean (second order) and the magnetic energy is their product (with losses: time/medium.h), which
 * makes the total an invariant.
 *
 * stage_begin starts the work, stage_end waits for it, at least as far as the caller can tell: a card may still work on
 * the stages that were begun while the host evaluates the next sources; whatever asks for values waits for them, and so
 * does wait. Between begin and end, too, the host may evaluate sources. A problem that several ranks share is driven by
 * all of them alike: create, upload, stage_begin and stage_end exchange traces with the ranks that hold neighbours.
 * What is observed is of the rank's own elements, and the caller's to put together.
 *
 * Arrays of fields on the host are [K][3][Np], E and H both in V/m (H times eta0, flux.h), double whatever the
 * backend's precision. Times are c0 t in metres. All functions return 0 or the code in err.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "maxwell/backend/card.h"
#include "maxwell/backend/state_arrays.h"
#include "maxwell/problem/problem.h"
#include "maxwell/time/integrator.h"
#include "maxwell/time/responses.h"

struct mx_backend_options {
  enum mx_integrator integrator;
  enum mx_precision precision;
  double step;                 /* c0 dt, metres */
  enum mx_transport transport; /* of a backend on cards, between ranks */
};

static inline const struct mx_scheme *mx_scheme_of(const struct mx_backend_options *options)
{
  return &mx_schemes[options->integrator];
}

/* How the field that an equation changes moves in an element: E or H. */
static inline struct mx_medium_update mx_update_of(const struct mx_problem *problem,
                                                   const struct mx_backend_options *options, enum mx_equation equation,
                                                   size_t e)
{
  return mx_element_update(problem, options->integrator, equation, options->step, e);
}

/* Does the pass take something of the old field away in any element? */
static inline bool mx_any_decay(const struct mx_problem *problem, const struct mx_backend_options *options,
                                enum mx_equation equation)
{
  for (size_t e = 0; e < problem->K; e++)
    if (mx_update_of(problem, options, equation, e).loss > 0) return true;
  return false;
}

struct mx_profile; /* profile.h */

struct mx_point { /* where to sample: weights of the element's nodes, or one node */
  size_t element;
  const double *weight; /* [Np], or NULL: the value at `node` */
  size_t node;
};

struct mx_field_check {
  bool finite;
  size_t element; /* not finite: the first such element; else the one with the largest component */
  double largest; /* over E and H, V/m */
};

/* What the checks of two sets of elements say of both together. */
static inline struct mx_field_check mx_worse_check(struct mx_field_check a, struct mx_field_check b)
{
  bool first = b.element < a.element;
  if (a.finite != b.finite) return a.finite ? b : a;
  if (!a.finite || a.largest == b.largest) return first ? b : a;
  return b.largest > a.largest ? b : a;
}

/* The changing part of every source term at one stage: value[term] is one number, [count][N] or [count][3][N] as the
 * term says (V/m; currents times eta0). In leapfrog the jump of the field under the curl and that of the field in the
 * penalty belong to different times (integrator.h): `curl` and `penalty`; otherwise both are the same. */
struct mx_stage_sources {
  const double *const *curl;    /* [terms]; currents take theirs from here */
  const double *const *penalty; /* [terms] */
};

/* In which components a backend holds vectors. */
enum mx_components {
  MX_CARTESIAN,
  MX_COVARIANT,           /* along the bimedians of the element (cpu/fused.h) */
  MX_COVARIANT_TANGENTIAL /* the same, and of traces only what lies along the face means anything */
};

/* What the exchange with other ranks costs. */
struct mx_halo_use {
  double seconds;        /* so far, in which nothing else was done than to pack, wait and unpack */
  size_t bytes;          /* that this rank sends in a step */
  const char *transport; /* of a card: "direct" from its memory, or "staged" through the host's; else NULL */
  bool fell_back;        /* staged, because MPI does not say that it takes the card's memory */
};

/* Given to stage_begin: the sources follow (card.h, stage_sources). */
extern const struct mx_stage_sources mx_sources_follow;

struct mx_backend_ops {
  const char *name;        /* what a script says: "reference" */
  const char *description; /* one line for `curlew info` */
  /* 0 when it can run on this machine; else err says what is missing. */
  int (*available)(struct dg_error *err);
  int (*create)(struct mx_backend **backend, const struct mx_problem *problem, const struct mx_backend_options *options,
                struct dg_error *err);
  void (*destroy)(struct mx_backend *backend); /* NULL is safe */
  /* Fields at t = 0, both at the same time; each may be NULL for zero. In media with losses they are scaled
   * (time/medium.h). */
  int (*upload)(struct mx_backend *backend, const double *E, const double *H, struct dg_error *err);
  /* sources may be NULL where the problem has no terms; its arrays must stay until stage_end. */
  int (*stage_begin)(struct mx_backend *backend, int stage, bool observe, const struct mx_stage_sources *sources,
                     struct dg_error *err);
  int (*stage_end)(struct mx_backend *backend, int stage, struct dg_error *err);
  /* Electric and magnetic energy: 1/2 integral of eps_r E.E and of mu_r H.H (with losses: the inertia of
   * time/medium.h), V^2 m (times epsilon0: joules). */
  int (*energy)(struct mx_backend *backend, double *electric, double *magnetic, struct dg_error *err);
  /* value[count][6]: Ex, Ey, Ez, Hx, Hy, Hz at the points. */
  int (*sample)(struct mx_backend *backend, size_t count, const struct mx_point *point, double (*value)[6],
                struct dg_error *err);
  /* Values of the problem's functionals first..first+count-1. `centred`: at t_n, as all that is observed; else of the
   * fields as they are, which may be asked before any stage (in leapfrog H then belongs to half a step before or after
   * E). */
  int (*functionals)(struct mx_backend *backend, size_t first, size_t count, bool centred, double *value,
                     struct dg_error *err);
  /* What elements lose, at t_n as all that is observed: integrals of loss times field squared (sigma E.E), V^2 (divided
   * by eta0: watts). */
  int (*loss)(struct mx_backend *backend, size_t count, const int32_t *element, double *loss, struct dg_error *err);
  /* NULL for a field that is not wanted. */
  int (*download)(struct mx_backend *backend, double *E, double *H, struct dg_error *err);
  int (*check)(struct mx_backend *backend, struct mx_field_check *check, struct dg_error *err);
  /* The state between two steps, exactly: numbers first..first+count-1 of an array, in the backend's components. What
   * was saved, loaded behind an upload, goes on with the same bits. */
  enum mx_components components;
  int (*save)(struct mx_backend *backend, int array, size_t first, size_t count, double *value, struct dg_error *err);
  int (*load)(struct mx_backend *backend, int array, size_t first, size_t count, const double *value,
              struct dg_error *err);
  /* Once all arrays are there; exchanges traces. */
  int (*loaded)(struct mx_backend *backend, struct dg_error *err);
  int (*threads)(const struct mx_backend *backend); /* that work on the fields */
  struct mx_halo_use (*halo_use)(const struct mx_backend *backend);
  const char *(*instructions)(void); /* "AVX-512": what the kernels use on this machine; may be NULL */
  /* From now on adds the times of its phases to the profile, which outlives the backend. NULL where it has none. */
  void (*profile)(struct mx_backend *backend, struct mx_profile *profile);
  /* Bytes that the backend will allocate for a problem of this size, so that `curlew check` can say it beforehand; of
   * the card where there is one. */
  size_t (*memory)(const struct mx_problem *problem, const struct mx_backend_options *options);
  const struct mx_card_ops *card; /* what only cards can do; of backends of the host &mx_no_card */
};

/* All backends that were compiled in, best first, NULL-terminated. The list is maxwell/app's. */
extern const struct mx_backend_ops *const mx_backends[];

/* The others that there could be, and why this build has not got them: name and reason, name and reason, NULL. */
extern const char *const mx_backends_missing[];

extern const struct mx_backend_ops mx_backend_reference, mx_backend_cpu;
extern const struct mx_backend_ops mx_backend_cuda; /* gpu/, where it is built */
