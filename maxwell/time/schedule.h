/* A step is data: the passes that make it. Every integrator has a row in the table of schemes; of this row and of the
 * sets of elements of its problem, a run makes its schedule. Backends carry passes out and know no integrator. Their
 * memory follows from the row as well, and so do the limit of the step and what losses do to it.
 *
 * leapfrog: E at whole steps, H at half steps. Pass 0 moves H from n-1/2 to n+1/2, pass 1 moves E from n to n+1:
 *     mu  (H' - H)/dt = -curl E  + flux,   eps (E' - E)/dt = curl H' - sigma (E' + E)/2 + flux.
 *   The penalty of a pass acts on the field being updated as it is before the update (on open faces: extrapolated by
 *   half a step from the last two); losses are taken at the mean. share/doc/design/time.md derives order and stability.
 * rk4: classical Runge-Kutta. lsrk: five stages, order four, two registers; source: M. H. Carpenter, C. A. Kennedy,
 *   Fourth-order 2N-storage Runge-Kutta schemes, NASA TM 109112 (1994), solution 3.
 * euler: explicit Euler, low storage of one stage, unstable without dissipation; for tests only.
 *
 * A new integrator of one of these kinds is a row of the table in schedule.c and its word in maxwell/model/choices.h.
 */
#pragma once

#include <stdbool.h>

#include "maxwell/model/choices.h"

enum { MX_PASSES_MAX = 5 };

/* The arrays that a pass takes the rates of, and that it leaves its result in. */
enum mx_array {
  MX_FIELDS, /* E and H of t_n */
  MX_STAGE   /* what the passes of a step with sums have between them */
};

/* What a pass keeps of the rates for the passes behind it: the rule by which numbers go through it (step_rule.h). */
enum mx_register { MX_NO_REGISTER, MX_LOW_STORAGE, MX_SUMS };

/* A pass adds to its result from the rate, the right-hand side of the equations that it carries out:
 *   no register:  field += dt rate; of a staggered scheme, of one equation: the field of the other is under the curl;
 *   low storage:  register = a register + dt rate, field += b register;
 *   sums:         sum += weight dt rate, stage = start + next dt rate, where the step begins with start = sum = field,
 *                 and the last pass leaves field = sum.
 */
struct mx_pass {
  bool changes[2];        /* E, H: the equations, by enum mx_equation */
  int set;                /* the elements that it acts on (mx_set of maxwell/problem/problem.h): MX_ALL, MX_CORE */
  enum mx_array from, to; /* reads, writes */
  enum mx_register keeps;
  double time;         /* of the field under the curl and of the sources, in steps behind t_n */
  double a, b;         /* factors of the register */
  double weight, next; /* factors of sums */
};

/* The passes of a step of a run. */
struct mx_schedule {
  int passes;
  int observe_stage;                  /* as of the scheme */
  struct mx_pass pass[MX_PASSES_MAX]; /* [passes] */
};

struct mx_scheme {
  int stages;        /* passes of a step */
  int observe_stage; /* after this many passes of step n, the values of E and H at t_n can be observed */
  int evaluations;   /* evaluations of the whole right-hand side a step */
  bool staggered;    /* E and H live at times half a step apart: a pass changes one of them */
  bool registers;    /* a step keeps registers (low storage) or its start (sums) between its passes */
  bool sums;         /* the passes of a step also keep sums */
  /* Its name in messages, if no step is stable without dissipation: there is no limit and no automatic step. Else NULL.
   */
  const char *unstable;
  /* The bound on a rate times dt up to which the scheme takes a relaxation as it is: loss over storage for a medium,
   * the rate of other relaxations. For Runge-Kutta it is seven tenths of the scheme's bound on the negative real axis,
   * since the penalty and the curl need their part of the region of stability. */
  double relaxation;
  struct mx_pass pass[MX_PASSES_MAX]; /* [stages] */
};

extern const struct mx_scheme mx_schemes[]; /* by enum mx_integrator */

/* The integrator that local time steps are of (maxwell/levels). */
#define MX_OF_LEVELS MX_LEAPFROG

struct mx_problem;
/* Makes the schedule of a run. Its passes act on all elements; those on a core are a part's (maxwell/levels). */
struct mx_schedule mx_schedule_of(enum mx_integrator integrator, const struct mx_problem *problem);

/* Tells whether a step moves E and H at different times. */
static inline bool mx_staggered(enum mx_integrator integrator) { return mx_schemes[integrator].staggered; }

/* Counts how often the numbers of both fields are moved in a step, without those of traces and tables. A pass that
 * changes one field reads the other, and reads and writes this one; any other pass does so with both and their
 * registers. */
static inline double mx_field_moves(const struct mx_schedule *schedule)
{
  double moves = 0;
  for (int s = 0; s < schedule->passes; s++)
    moves += schedule->pass[s].changes[0] && schedule->pass[s].changes[1] ? 4 : 1.5;
  return moves;
}

/* Returns the one equation of a pass of a staggered scheme, by enum mx_equation: 0 where E changes, 1 where H does. */
static inline int mx_pass_equation(const struct mx_pass *pass) { return pass->changes[0] ? 0 : 1; }

/* Counts the fields whose traces travel between ranks before a pass: those under the curl. */
static inline int mx_fields_under_curl(const struct mx_scheme *scheme) { return scheme->staggered ? 1 : 2; }
