/* Time integrators: their stages, coefficients and stability.
 *
 * leapfrog: E at whole steps, H at half steps. Stage 0 moves H from n-1/2 to n+1/2, stage 1 moves E from n to n+1:
 *     mu  (H' - H)/dt = -curl E  + flux,   eps (E' - E)/dt = curl H' - sigma (E' + E)/2 + flux.
 *   The penalty of a stage acts on the field being updated as it is before the update (on open faces: extrapolated by
 *   half a step from the last two); sigma is taken at the mean. share/doc/design/time.md derives order and stability.
 * rk4: classical Runge-Kutta. lsrk: five stages, order four, two registers; source: M. H. Carpenter, C. A. Kennedy,
 *   Fourth-order 2N-storage Runge-Kutta schemes, NASA TM 109112 (1994), solution 3.
 * euler: explicit Euler, unstable without dissipation; for tests only.
 */
#pragma once

#include <complex.h>

#include "maxwell/model/choices.h"

struct mx_scheme {
  int stages;
  int observe_stage; /* values of E and H at t_n can be had after this many stages of step n (1: leapfrog, else 0) */
  int evaluations;   /* of the whole right-hand side a step */
};

extern const struct mx_scheme mx_schemes[]; /* by enum mx_integrator */

enum { MX_LSRK_STAGES = 5 };
extern const double mx_lsrk_a[MX_LSRK_STAGES], mx_lsrk_b[MX_LSRK_STAGES], mx_lsrk_c[MX_LSRK_STAGES];

/* The time of stage s within a step, in steps: what the field under the curl is taken at. */
double mx_stage_time(enum mx_integrator integrator, int s);

/* The amplification of a one-step scheme (not leapfrog) on du/dt = lambda u, z = lambda dt. */
double complex mx_amplification(enum mx_integrator integrator, double complex z);

/* The largest s so that |amplification(s * lambda)| <= 1 on (0, s]; 0 if there is none. Re lambda > 0 counts as 0. */
double mx_scalar_limit(enum mx_integrator integrator, double complex lambda);
