/* Heat in time: the theta scheme
 *
 *   (M + theta dt A) D = dt (F - A T),  T(t + dt) = T + D,
 *
 * where F is the mean of the load over the step (heat_loads.h), and the steady state A T = F, by the conjugate
 * gradients of heat_solver.h. Steps that are chosen end at the turns of functions of time, so that none passes over a
 * pulse.
 *
 * A step that is chosen by its error is taken twice: whole, and as two halves, which are kept. Their difference over
 * 2^p - 1 is the error of the halves, p = 2 for theta = 1/2, else 1 (Hairer, Norsett, Wanner, Solving Ordinary
 * Differential Equations I, section II.4); the largest at any node must not exceed heat.time.tolerance. */
#pragma once

#include "maxwell/heat/heat_loads.h"
#include "maxwell/heat/heat_solver.h"
#include "maxwell/session/control.h"
#include "maxwell/shell/archive.h"

struct mx_heat_march {
  struct mx_heat_problem *problem;
  double t;    /* s */
  double step; /* s: the next one, when it is chosen by the error */
  long n;      /* steps taken */
  long refused;
  struct mx_heat_solver solver;
  double *T; /* [count] less problem->offset */
  /* Since t = 0, J. */
  double stored;
  struct mx_heat_powers given;
  struct mx_heat_powers own; /* room for this rank's part, [walls + 3] */
  /* Room: [count] each. */
  double *whole, *middle, *end, *rhs;
  double *before, *lack; /* of held unknowns: what the equations of a first half lack, and of a second or a whole */
  const struct mx_control *control; /* borrowed; NULL: nobody gives up a step */
  bool given_up;                    /* a step was, and nothing has changed in T and what is counted */
};

/* The temperature of an unknown, in the script's scale. */
static inline double mx_heat_temperature(const struct mx_heat_march *march, size_t i)
{
  return march->T[i] + march->problem->offset;
}

/* A state that steps may go back to. */
struct mx_heat_mark {
  double t, step, stored, sources, blood;
  long n, refused;
  double *T, *wall; /* [count], [walls] */
};
/* Room for a mark, which is not set yet. DG_ENVIRONMENT: no memory. Release in any case. */
int mx_heat_mark_init(struct mx_heat_mark *mark, const struct mx_heat_march *march, struct dg_error *err) DG_MUST_USE;
void mx_heat_mark_release(struct mx_heat_mark *mark);
void mx_heat_mark_set(struct mx_heat_mark *mark, const struct mx_heat_march *march);
void mx_heat_mark_back(const struct mx_heat_mark *mark, struct mx_heat_march *march);

/* T at t = 0. Collective, as all of these are; what is not of single unknowns is the same on all ranks. Release in any
 * case. */
int mx_heat_march_init(struct mx_heat_march *march, struct mx_heat_problem *problem, struct dg_log *log,
                       struct dg_error *err) DG_MUST_USE;
void mx_heat_march_release(struct mx_heat_march *march);
/* Takes one step, that does not pass `until`. DG_INPUT: a step chosen by the error became too small; DG_INTERRUPTED,
 * with march->given_up on all ranks: the control presses; errors of dg_pcg_solve. */
int mx_heat_advance(struct mx_heat_march *march, double until, struct dg_error *err) DG_MUST_USE;
/* Finds the steady state. The powers are then in march->given, in W. Where no wall and no blood holds the temperature,
 * the heat put in must add to zero (DG_INPUT), and the state has the content of the start. */
int mx_heat_settle(struct mx_heat_march *march, struct dg_error *err) DG_MUST_USE;
/* Archives all but T. */
int mx_heat_march_archive(struct mx_heat_march *march, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* What is missing in the balance of heat: stored - given, J (in a steady state: the sum of all powers, W). */
double mx_heat_missing(const struct mx_heat_march *march);
