/* Conjugate gradients with a preconditioner, for symmetric positive operators that are given as functions.
 *
 * Sums are made over parts of fixed size, so that the result does not depend on the number of threads. Ranks may share
 * the unknowns: each has some, those between ranks on all of them with the same value, and `sum` adds over ranks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

struct dg_pcg {
  size_t count;                                               /* of unknowns */
  void (*apply)(void *context, const double *x, double *y);   /* y = A x; not NULL */
  void (*improve)(void *context, const double *r, double *z); /* z = P r, P near the inverse of A; NULL: z = r */
  void *context;
  const bool *foreign; /* [count] unknowns that another rank counts; NULL: none */
  int (*sum)(void *context, size_t count, double *value, struct dg_error *err); /* over all ranks; NULL: one rank */
  const bool *held; /* [count] unknowns that keep their values: x is what they have; NULL: none */
  bool floating;    /* constants are in the kernel of A: all residuals and corrections have their mean taken away */
  double tolerance; /* of the residual over that of x = 0 with the held values */
  int most;         /* iterations */
  bool (*stop)(void *context); /* asked once an iteration; NULL: never */
  double *room;                /* [dg_pcg_room(count)] of the caller's, for many solutions; NULL: the call allocates */
};

struct dg_pcg_report {
  int iterations;
  double residual; /* over that of x = 0, as A x - b has it at the end */
};

/* Numbers that a solution takes beside x and b. */
size_t dg_pcg_room(size_t count);

/* Solves A x = b for the unknowns that are not held. x[count] comes with a guess. The true residual is computed every
 * 50 iterations and at the end. DG_INPUT: the tolerance was not reached with `most` iterations, or A is not positive,
 * which the message says; DG_ENVIRONMENT: no memory; DG_INTERRUPTED: stop; or
 * what `sum` returns. Source: methods of M. Hestenes, E. Stiefel,
 * J. Res. NBS 49 (1952) 409. */
int dg_pcg_solve(const struct dg_pcg *pcg, const double *b, double *x, struct dg_pcg_report *report,
                 struct dg_error *err) DG_MUST_USE;
