/* What every backend implements: a typed table of functions over its own copy of the fields.
 *
 * The time loop (maxwell/run) drives it:
 *     create, upload, then for every step n: stage_begin(s), stage_end(s) for s = 0 .. stages-1, with energy, sample,
 *     functionals, loss, download and check in between; destroy.
 * After mx_schemes[integrator].observe_stage stages of step n, energy, sample and download give E and H at the same
 * time t_n, provided that stage_begin(0) of this step was told `observe`. Leapfrog then holds H at n-1/2 and n+1/2: the
 * values are their mean (second order) and the magnetic energy is their product, which makes the total an invariant.
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

#include "maxwell/problem/problem.h"
#include "maxwell/time/integrator.h"
#include "maxwell/time/responses.h"

struct mx_backend_options {
  enum mx_integrator integrator;
  enum mx_precision precision;
  double step;                 /* c0 dt, metres */
  enum mx_transport transport; /* of a backend on cards, between ranks */
};

/* How E moves in an element. */
static inline struct mx_ampere mx_ampere_of(const struct mx_problem *problem, const struct mx_backend_options *options,
                                            size_t e)
{
  return mx_element_ampere(problem, options->integrator, options->step, e);
}

struct mx_backend; /* opaque, each backend its own */
struct mx_profile; /* profile.h */

struct mx_point { /* where to sample: weights of the element's nodes, or one node */
  size_t element;
  const double *weight; /* [Np], or NULL: the value at `node` */
  size_t node;
};

/* What is measured again and again: the fields at points, and functionals of the problem. */
struct mx_monitor {
  size_t points;
  const struct mx_point *point; /* the weights stay where they are */
  size_t functionals;
  const size_t *functional;
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

/* What of the fields lives from one step to the next, for checkpoints: arrays of elements, [K][3][Np], and in leapfrog
 * the traces of one step ago on the open faces, [open_faces][3][Nf] by slot. H is that of the half step before. */
enum mx_state_array { MX_STATE_E, MX_STATE_H, MX_STATE_OPEN_E, MX_STATE_OPEN_H, MX_STATE_ARRAYS };

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

/* What a card can do, measured. */
struct mx_ceilings {
  char name[128];      /* of the card */
  size_t memory;       /* bytes */
  size_t array;        /* bytes of each of the two arrays that are copied */
  double copy;         /* bytes read and written a second */
  size_t fields_array; /* bytes: smaller arrays, as large as asked for */
  double copy_fields;  /* of those */
  double peak[2];      /* flops a second of multiply-adds, by enum mx_precision */
};

/* Given to stage_begin: the sources follow (stage_sources). */
extern const struct mx_stage_sources mx_sources_follow;

struct mx_backend_ops {
  const char *name;        /* what a script says: "reference" */
  const char *description; /* one line for `curlew info` */
  /* 0 when it can run on this machine; else err says what is missing. */
  int (*available)(struct dg_error *err);
  /* For backends on a card: this rank takes the one that is its own, before anything but `available` is called. With
   * `share` ranks may have the same one; else that is an error (DG_INPUT), the same on all ranks. Collective; a NULL
   * communicator is one rank. Else NULL. */
  int (*take_card)(struct dg_comm *comm, bool share, struct dg_error *err);
  int (*create)(struct mx_backend **backend, const struct mx_problem *problem, const struct mx_backend_options *options,
                struct dg_error *err);
  void (*destroy)(struct mx_backend *backend); /* NULL is safe */
  /* Fields at t = 0, both at the same time; each may be NULL for zero. E in conductors is scaled (time/medium.h). */
  int (*upload)(struct mx_backend *backend, const double *E, const double *H, struct dg_error *err);
  /* sources may be NULL where the problem has no terms; its arrays must stay until stage_end. */
  int (*stage_begin)(struct mx_backend *backend, int stage, bool observe, const struct mx_stage_sources *sources,
                     struct dg_error *err);
  int (*stage_end)(struct mx_backend *backend, int stage, struct dg_error *err);
  /* For backends on a card, else NULL: the sources of a stage that was begun with mx_sources_follow, before stage_end.
   * What they depend on, functionals of the fields before the stage, comes while the card works on it. */
  int (*stage_sources)(struct mx_backend *backend, int stage, const struct mx_stage_sources *sources,
                       struct dg_error *err);
  /* Until all stages that were begun are done; NULL where stage_end does that. */
  int (*wait)(struct mx_backend *backend, struct dg_error *err);
  /* Electric and magnetic energy: 1/2 integral of eps_r E.E (in conductors with the inertia of time/medium.h) and of
   * mu_r H.H, V^2 m (times epsilon0: joules). */
  int (*energy)(struct mx_backend *backend, double *electric, double *magnetic, struct dg_error *err);
  /* value[count][6]: Ex, Ey, Ez, Hx, Hy, Hz at the points. */
  int (*sample)(struct mx_backend *backend, size_t count, const struct mx_point *point, double (*value)[6],
                struct dg_error *err);
  /* Values of the problem's functionals first..first+count-1. `centred`: at t_n, as all that is observed; else of the
   * fields as they are, which may be asked before any stage (in leapfrog H then belongs to half a step before or after
   * E). */
  int (*functionals)(struct mx_backend *backend, size_t first, size_t count, bool centred, double *value,
                     struct dg_error *err);
  /* With stage_sources, else NULL: the same, not centred, in two halves. The values are those behind what the card was
   * given to do before `begin`, and `end` waits for them, not for what came since. */
  int (*functionals_begin)(struct mx_backend *backend, size_t first, size_t count, struct dg_error *err);
  int (*functionals_end)(struct mx_backend *backend, size_t first, size_t count, double *value, struct dg_error *err);
  /* Integral of sigma E.E over elements, V^2 (divided by eta0: watts). */
  int (*loss)(struct mx_backend *backend, size_t count, const int32_t *element, double *loss, struct dg_error *err);
  /* NULL for a field that is not wanted. */
  int (*download)(struct mx_backend *backend, double *E, double *H, struct dg_error *err);
  /* For backends on a card, else NULL: what `download` gives, in two halves, so that the fields leave the card while it
   * works on. Buffers of the card take as much as is wanted of both fields; there are *got of them, at most `count`,
   * and 0 where the card has no room. Once, before the first stage. */
  int (*snapshot_buffers)(struct mx_backend *backend, size_t count, bool E, bool H, size_t *got, struct dg_error *err);
  /* What is observed goes into a buffer, behind what the card has been given to do; the host does not wait. */
  int (*snapshot_begin)(struct mx_backend *backend, size_t buffer, struct dg_error *err);
  /* From the buffer to the host, waiting for it; NULL for a field that is not wanted. A thread of its own may call this
   * while another one drives the backend. The buffer is free then. */
  int (*snapshot_fetch)(struct mx_backend *backend, size_t buffer, double *E, double *H, struct dg_error *err);
  /* For backends on a card, else NULL: what `sample` and `functionals` (centred) give, a row a time, without waiting
   * for the card until rows are fetched. *rows in: that are wanted; out: that there will be, 0 where the card cannot.
   * Before the first stage. */
  int (*monitor_new)(struct mx_backend *backend, const struct mx_monitor *what, size_t *rows, size_t *monitor,
                     struct dg_error *err);
  /* What is observed becomes a row, behind what the card has been given to do. */
  int (*monitor_take)(struct mx_backend *backend, size_t monitor, size_t row, struct dg_error *err);
  /* value[rows][6 points + functionals]: rows 0..rows-1. */
  int (*monitor_fetch)(struct mx_backend *backend, size_t monitor, size_t rows, double *value, struct dg_error *err);
  int (*check)(struct mx_backend *backend, struct mx_field_check *check, struct dg_error *err);
  /* The state between two steps, exactly: numbers first..first+count-1 of an array, in the backend's components. What
   * was saved, loaded behind an upload, goes on with the same bits. */
  enum mx_components components;
  int (*save)(struct mx_backend *backend, enum mx_state_array array, size_t first, size_t count, double *value,
              struct dg_error *err);
  int (*load)(struct mx_backend *backend, enum mx_state_array array, size_t first, size_t count, const double *value,
              struct dg_error *err);
  /* Once all arrays are there; exchanges traces. */
  int (*loaded)(struct mx_backend *backend, struct dg_error *err);
  int (*threads)(const struct mx_backend *backend); /* that work on the fields */
  struct mx_halo_use (*halo_use)(const struct mx_backend *backend);
  /* Seconds of an exchange of one stage's traces, or, `one_face`, of the message of one face to every neighbour, with
   * nothing else going on: the best of a few. Collective, between steps. NULL: as between arrays of the host. */
  int (*time_exchange)(struct mx_backend *backend, bool one_face, double *seconds, struct dg_error *err);
  const char *(*instructions)(void); /* "AVX-512": what the kernels use on this machine; may be NULL */
  /* From now on adds the times of its phases to the profile, which outlives the backend. NULL where it has none. */
  void (*profile)(struct mx_backend *backend, struct mx_profile *profile);
  /* Bytes that the backend will allocate for a problem of this size, so that `curlew check` can say it beforehand; of
   * the card where it has `ceilings`. */
  size_t (*memory)(const struct mx_problem *problem, const struct mx_backend_options *options);
  /* Unknowns a card below which several lose more than a fifth of their speed; 0: no card. */
  size_t unknowns_a_card;
  /* For backends on a card: bytes of it that are allocated by now. Else NULL. */
  size_t (*allocated)(const struct mx_backend *backend);
  /* For backends on a card: what it can do, copies of arrays of `field_bytes` each among that. Else NULL. */
  int (*ceilings)(size_t field_bytes, struct mx_ceilings *ceilings, struct dg_error *err);
};

/* All backends that were compiled in, best first, NULL-terminated. The list is maxwell/app's. */
extern const struct mx_backend_ops *const mx_backends[];

/* The others that there could be, and why this build has not got them: name and reason, name and reason, NULL. */
extern const char *const mx_backends_missing[];

extern const struct mx_backend_ops mx_backend_reference, mx_backend_cpu;
extern const struct mx_backend_ops mx_backend_cuda; /* gpu/, where it is built */
