/* Conjugate gradients with an elliptic operator (field/elliptic.h) where its vectors live elsewhere than in the host's
 * memory: on a card. The method is that of pcg.h. A table of functions stands for a kind of device; whoever solves is
 * handed one, or NULL, and solves on the host then.
 *
 * Where ranks share the unknowns each has its part on its device, and all functions but destroy and bytes are
 * collective. They return 0 or the code in err: DG_ENVIRONMENT where the device's memory is too small or the device is
 * lost. */
#pragma once

#include "libdg/base/log.h"
#include "libdg/field/elliptic.h"
#include "libdg/solve/multigrid.h"
#include "libdg/solve/pcg.h"

struct dg_device_solver; /* opaque, each device its own */

struct dg_device_weights {
  struct dg_elliptic_weights of;
  double more; /* of the second operator's mass */
};

/* What a device is made for; all must outlive it. */
struct dg_device_setup {
  const struct dg_elliptic *op;
  struct dg_elliptic *more;       /* a second operator on the same space, of which only the mass is used; NULL: none */
  struct dg_multigrid *multigrid; /* made for op and more, to precondition with; NULL: none, or it is given later */
  enum dg_answer direct;          /* may MPI have pointers into the device's memory? DG_UNKNOWN: where it says so */
};

/* What is solved: the operator with these weights. */
struct dg_device_system {
  struct dg_device_weights weights;
  bool multigrid;         /* precondition with it, which was given; the stiffness must be above 0 then. Else the
                             diagonal does */
  const double *diagonal; /* [count] of the operator, the preconditioner; above 0 where nothing is held */
  const bool *held;       /* [count] as in pcg.h; NULL: none */
  bool floating;          /* the same */
  double tolerance;       /* the same */
  int most;               /* the same */
  /* Of `solve` alone: b is what comes from the host less the operator with the weights `moved` on from[count]; NULL: it
   * is what comes. lack[count] gets A x - b, for held unknowns too; NULL: it is not wanted. */
  struct dg_device_weights moved;
  const double *from;
  double *lack;
  bool (*stop)(void *context); /* the same, but asked many times at once; NULL: never */
  void *context;
};

struct dg_device_ops {
  const char *name; /* for the log: "the card" */
  /* Copies the operator to the device. DG_INPUT: the space has what this device does not know; the message says what.
   * All ranks get the same code. */
  int (*create)(struct dg_device_solver **solver, const struct dg_device_setup *setup, struct dg_error *err);
  void (*destroy)(struct dg_device_solver *solver); /* NULL is safe */
  /* y[count] = the operator with these weights on x[count], both of the host. */
  int (*apply)(struct dg_device_solver *solver, struct dg_device_weights weights, const double *x, double *y,
               struct dg_error *err);
  /* Gives it multigrid, once. With an error, which is that of create, it has none and goes on as before. */
  int (*give)(struct dg_device_solver *solver, struct dg_multigrid *multigrid, struct dg_error *err);
  /* Prepares for a system: what it holds, its weights, the preconditioner. Where nothing but the share of the mass has
   * changed since the last time, nothing is allocated, and little is computed. */
  int (*ready)(struct dg_device_solver *solver, const struct dg_device_system *system, struct dg_error *err);
  /* Solves, behind `ready`, for x[count], which comes with a guess and with what is held. Errors as in dg_pcg_solve;
   * with DG_INTERRUPTED, x is as far as it came. */
  int (*solve)(struct dg_device_solver *solver, const struct dg_device_system *system, const double *b, double *x,
               struct dg_pcg_report *report, struct dg_error *err);
  size_t (*bytes)(const struct dg_device_solver *solver); /* of the device's memory */
};

/* *solver = what ops->create makes, or NULL for the host: where ops is NULL, or where the device cannot, which the log
 * says in a line that begins with `who`. The log may be NULL. Collective. */
int dg_device_make(struct dg_device_solver **solver, const struct dg_device_ops *ops,
                   const struct dg_device_setup *setup, struct dg_log *log, const char *who,
                   struct dg_error *err) DG_MUST_USE;
