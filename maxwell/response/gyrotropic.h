/* Gyrotropic media: a bound or free charge in a magnetic field that does not change, such as a magnetised plasma.
 *
 *   dJ/dt = wp^2 E - w0^2 P - gamma J - wc x J,    dP/dt = J,    eps dE/dt = curl H - J,
 *
 * wc = q B/m, a vector: J turns about it by the rule of the left hand. With e^{jwt} and wc along z the waves along z
 * are circular, and see eps + wp^2/(w0^2 - w^2 -+ w wc + j w gamma) with - for E ~ (1, -j) and + for E ~ (1, j).
 *
 * Leapfrog takes means of old and new, all of J, P and E at whole steps. With j = (J + J')/2 and the pass's result
 * u = E + h R/eps
 *
 *   g = 2 J - h w0^2 P + (h wp^2/2) E,         W = (2 + h^2 w0^2/2 + h (gamma + wc x))^-1,
 *   (eps + (h^2 wp^2/2) W) E' = eps u - h W g,
 *   j = W (g + (h wp^2/2) E'),   J' = 2 j - J,   P' = P + h j.
 *
 * Energy: eps E.E/2 + J.J/(2 wp^2) + w0^2 P.P/(2 wp^2) changes by the work of the means less h gamma j.j/wp^2, whatever
 * the step is, since wc x j is at right angles to j; at leapfrog's limit, where all means vanish, the medium has no
 * part: the limit is that of eps (share/doc/design/time.md has the argument for poles). Since the pass works in place,
 * the old E is a state of its own. The rotation by means of old and new is Cayley's (J. P. Boris, Proc. 4th Conf. Num.
 * Sim. Plasmas (1970) 3, takes it for charges). Runge-Kutta takes the rates as they are; its third state rests. */
#pragma once

/* Parameters of an entry, in powers of 1/m. */
enum { MX_GYRO_WP2, MX_GYRO_W02, MX_GYRO_GAMMA, MX_GYRO_WC, MX_GYRO_PARAMETERS = MX_GYRO_WC + 3 };

/* Coefficients: three matrices, which turn with the frame, then numbers. Leapfrog: eps Y^-1, h Y^-1 W and W, Y being
 * the matrix before E'; h w0^2, h wp^2/2, h. Rates: gamma + wc x, then nothing; w0^2, wp^2, 1/eps. */
enum {
  MX_GYRO_C_MATRIX, /* [3][3][3] */
  MX_GYRO_C_NUMBER = MX_GYRO_C_MATRIX + 27,
  MX_GYRO_COEFFICIENTS = MX_GYRO_C_NUMBER + 3
};

/* States: J, P, and the old E. */
enum { MX_GYRO_J, MX_GYRO_P, MX_GYRO_OLD, MX_GYRO_STATES };
