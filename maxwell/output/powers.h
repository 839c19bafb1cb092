/* Powers of fields on the host, integrated over this rank's elements: V^2 (divided by eta0: watts). They follow from
 * the equations and the flux (maxwell/problem/flux.h), not from what a backend does. Fields are [K + ghosts][3][Np]. */
#pragma once

#include "maxwell/backend/backend.h"
#include "maxwell/operator/operator.h"

struct mx_powers {
  const struct mx_problem *problem; /* borrowed */
  struct mx_backend_options options;
  struct mx_matrices_double *matrices;
  struct dg_exchange *exchange; /* NULL: one rank */
  size_t own, all;              /* numbers of a field: of elements, and with ghosts */
};

int mx_powers_init(struct mx_powers *powers, const struct mx_problem *problem, const struct mx_backend_options *options,
                   struct dg_error *err) DG_MUST_USE;
void mx_powers_release(struct mx_powers *powers);
/* Fills the ghosts of E and H. Collective. */
int mx_powers_ghosts(const struct mx_powers *powers, double *E, double *H, struct dg_error *err) DG_MUST_USE;

/* What the penalty of an equation takes from its own field: on closed faces and on open ones, where it leaves. */
void mx_powers_penalty(const struct mx_powers *powers, enum mx_equation equation, const double *field, double *closed,
                       double *open);
/* rate[K][3][Np] of an equation without losses and sources. */
void mx_powers_rate(const struct mx_powers *powers, enum mx_equation equation, const double *own, const double *other,
                    double *rate);
/* What an equation's own field loses: the integral of sigma E.E, and the same of H. */
double mx_powers_loss(const struct mx_powers *powers, enum mx_equation equation, const double *field);
/* rate[K][3][Np] = what sources add to an equation's right-hand side over eps or mu, and the work that this does. */
void mx_powers_sources(const struct mx_powers *powers, enum mx_equation equation,
                       const struct mx_stage_sources *sources, double *rate);
double mx_powers_work(const struct mx_powers *powers, enum mx_equation equation, const double *field,
                      const double *rate);
/* The element in which the change of energy over a step, from fields at its end and at its middle, is furthest from
 * what the equations say at the middle; sources may be NULL. */
int mx_powers_unexplained(const struct mx_powers *powers, const double *E, const double *H, const double *E_middle,
                          const double *H_middle, const double *driven_E, const double *driven_H, size_t *element,
                          double *power, struct dg_error *err) DG_MUST_USE;
