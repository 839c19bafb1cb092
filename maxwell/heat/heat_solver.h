/* Solves (mass M + rest A) x = b by conjugate gradients. The preconditioner is the diagonal, or multigrid
 * (libdg/solve/multigrid.h) where the equations are stiff: long steps, and the steady state. Where hypre is missing an
 * approximate inverse (libdg/solve/aip.h) stands for multigrid. The script may choose one of them for all solutions.
 *
 * Which one is a matter of counts, not of clocks, so that a computation that was interrupted goes on with the same
 * bits: a solution that has taken MX_HEAT_PATIENCE iterations with the diagonal goes on with multigrid, and so do later
 * ones that are as stiff, as long as a cycle that costs as much as some iterations pays for itself.
 *
 * A device (libdg/solve/device.h) takes over all solutions, by the same rule with numbers of its own. Its multigrid
 * needs no hypre, and serves any step. */
#pragma once

#include "libdg/base/log.h"
#include "libdg/solve/aip.h"
#include "libdg/solve/device.h"
#include "libdg/solve/multigrid.h"
#include "maxwell/heat/heat_problem.h"
#include "maxwell/shell/archive.h"

enum { MX_HEAT_PATIENCE = 100, MX_HEAT_PATIENCE_DEVICE = 300 };

/* (mass M + rest A) x = b - moved A from. */
struct mx_heat_equations {
  double mass, rest;
  bool floating;      /* constants are in the kernel */
  double *b;          /* [count] spoilt */
  const double *from; /* [count]; NULL: zero */
  double moved;
  double *lack; /* [count] the left side less the right one, at held unknowns too; NULL: nobody wants it */
};

struct mx_heat_solver {
  struct mx_heat_problem *problem;
  struct dg_log *log;                        /* may be NULL */
  const struct mx_heat_equations *equations; /* at hand */
  double *diagonal, *product, *room;         /* [count], [count]; of conjugate gradients */
  long iterations, cycles;                   /* with the diagonal, and with multigrid, of all solutions */
  /* Of multigrid: */
  bool refused;                   /* it cannot be had, or is of no use */
  bool uses, impatient;           /* for the solution at hand; the diagonal takes too long there */
  long looks;                     /* iterations of the solution at hand */
  double made, stiff, last;       /* rest/mass that it was made for, 0: it was not; of the first solution that was too
                                     stiff for the diagonal; iterations of the last solution with it */
  struct dg_elliptic *op;         /* of its finest level: the mass has rho c and blood */
  struct dg_multigrid *multigrid; /* NULL: there is none */
  /* Of the approximate inverse: */
  bool inverts;       /* for the solution at hand */
  double inverted;    /* rest/mass that it was made for, 0: it was not */
  struct dg_aip *aip; /* NULL: there is none */
  /* Somebody who may give up a solution; NULL: nobody. Asked once in a while, and must say the same on all ranks. */
  bool (*gives_up)(void *self);
  void *self;
  const struct dg_device_ops *ops; /* of `device` */
  struct dg_device_solver *device; /* NULL: the host solves */
  bool given;                      /* the device has multigrid */
  struct mx_heat_ready {           /* what it was made ready for; mass = rest = 0: nothing */
    double mass, rest;
    bool uses, floating;
  } ready;
};

/* DG_ENVIRONMENT: no memory. Release in any case. */
int mx_heat_solver_init(struct mx_heat_solver *solver, struct mx_heat_problem *problem, struct dg_log *log,
                        struct dg_error *err) DG_MUST_USE;
void mx_heat_solver_release(struct mx_heat_solver *solver);
/* Hands the solving over to a device; NULL: none. The log says whether it can. direct: as in the device's setup.
 * Collective. */
int mx_heat_solver_move(struct mx_heat_solver *solver, const struct dg_device_ops *ops, enum dg_answer direct,
                        struct dg_error *err) DG_MUST_USE;

/* Solves for the unknowns that no wall holds; x[count] comes with a guess, and with the held ones. With a device all
 * products are made there. Collective. DG_INPUT: errors of dg_pcg_solve; DG_INTERRUPTED: it was given up. */
int mx_heat_solve(struct mx_heat_solver *solver, const struct mx_heat_equations *equations, double *x,
                  struct dg_error *err) DG_MUST_USE;
/* Archives what later solutions depend on, and makes their preconditioners again. Collective where it loads. */
int mx_heat_solver_archive(struct mx_heat_solver *solver, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
