/* The energy balance of a run: the energy at the start and what sources have added equals what is stored, was lost in
 * conductors, left through open walls, or was damped by the penalty of the flux.
 *
 * The balance is a check that a run can switch on (`output.balance`). The fields of every step come to the host. There
 * the powers are integrated independently of the backend, in double precision, and summed over time in the scheme's own
 * way. The check costs several times the step itself on the `cpu` backend. Formulas: share/doc/design/time.md, "Energy
 * balance".
 *
 * Leapfrog. With the mean E of a step, Em, the update gives the change of the energy as dt (<rest of E's equation, Em>
 * + <rest of H's equation, mean H>) exactly. Losses are dt <sigma Em, Em>, and those of H by the trapezoidal rule of
 * its mean (time/medium.h). The penalty acts on the field before its update. This differs from the penalty on the mean
 * by a quarter of a step of <D u, u>, at both ends of the time: there is no drift. Open faces and waves that enter are
 * second order. Walls with a state: maxwell/terms/rates/face_powers.h. Runge-Kutta: powers at whole steps, trapezoidal
 * rule with the correction of Euler and Maclaurin at both ends.
 *
 * All functions are collective. But for mx_balance_close they do nothing for a balance that is NULL, which is a
 * run without one. */
#pragma once

#include "maxwell/scene/scene.h"

struct mx_balance; /* opaque */

/* Makes a balance. *balance stays NULL where the script wants none. */
int mx_balance_new(struct mx_balance **balance, const struct mx_scene *scene, bool resume,
                   struct dg_error *err) DG_MUST_USE;
void mx_balance_free(struct mx_balance *balance);

/* Before the first step of a run that goes on: leapfrog's H of half a step before comes from the backend's state. */
int mx_balance_resume(struct mx_balance *balance, struct dg_error *err) DG_MUST_USE;

/* Lets a balance be off from now on: in a rehearsal (maxwell/check/rehearsal.h) it does not see all steps. */
void mx_balance_rehearse(struct mx_balance *balance);

/* Looks at the fields of step n, which must be observed. */
int mx_balance_look(struct mx_balance *balance, long n, struct dg_error *err) DG_MUST_USE;
/* Takes the sources of stage s of step n, after the look that the scheme has before it. NULL: there are none, or it is
 * the step after the last. Leapfrog's sums of a step are complete with the look, the others' with the sources of stage
 * 0. Then the balance is struck: DG_BLEW_UP where it is off by more than `output.balance.tolerance` of the energy so
 * far, with the place where most of the last step's change is unaccounted for. */
int mx_balance_sources(struct mx_balance *balance, int s, const struct mx_stage_sources *sources,
                       struct dg_error *err) DG_MUST_USE;

int mx_balance_close(struct mx_balance *balance, struct dg_error *err) DG_MUST_USE;
