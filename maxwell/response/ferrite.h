/* Ferrites: a saturated magnetisation that precesses about a static field, linearised (Polder's tensor).
 *
 *   n = dm/dt = b x (w0 m - wm h + alpha n),    mu dh/dt = -curl E - n,
 *
 * b the direction of the static field inside the ferrite, w0 = gamma mu0 H0, wm = gamma mu0 Ms, alpha Gilbert's
 * damping, m at right angles to b, in units of h. With e^{jwt} and b along z the waves along z are circular, and see mu
 * + wm/(w0 + j w alpha -+ w) with - for H ~ (1, -j) and + for H ~ (1, j). Sources: D. Polder, Phil. Mag. 40 (1949) 99;
 * D. M. Pozar, Microwave Engineering, 4th ed. (2012), section 9.1; T. L. Gilbert, IEEE Trans. Magn. 40 (2004) 3443.
 *
 * n is at right angles to b and to the bracket, hence wm (h, n) = w0 (m, n) + alpha |n|^2: energy mu |h|^2/2 + w0
 * |m|^2/(2 wm) changes by the work less alpha |n|^2/wm. The medium is passive for all w0, wm > 0 and alpha >= 0.
 *
 * Leapfrog takes means of old and new, all of h and m at half steps. With B = b x, the pass's result u and
 * q = step (w0 + wm/mu)/2 + alpha
 *
 *   d = step (1 - q B)^-1 B (w0 m - wm (h + u)/2),    m' = m + d,    h' = u - d/mu,
 *
 * since B^3 = -B, (1 - q B)^-1 B = (B + q B^2)/(1 + q^2). Means have the energy of above, whatever the step is, and at
 * leapfrog's limit, where the mean of h vanishes, the medium has no part: the limit is that of mu. At t_n, between the
 * half steps - and +, leapfrog's energy is mu (h-, h+)/2 and the mean of |m-|^2 and |m+|^2 times w0/(2 wm), less
 * ((h+ - h-), (m+ - m-))/4. Since the pass works in place, the old h is a state of its own, and the energy needs the
 * old m. With m = 0 at t = 0, half a step before it m = -d/2 and h has d/(2 mu) more, d of the h there. Runge-Kutta
 * takes the rates as they are; its other two states rest. */
#pragma once

/* Parameters of an entry: 1/m, 1/m, none, none. */
enum { MX_FERRITE_W0, MX_FERRITE_WM, MX_FERRITE_ALPHA, MX_FERRITE_B, MX_FERRITE_PARAMETERS = MX_FERRITE_B + 3 };

/* Coefficients: a matrix, which turns with the frame, then numbers. Leapfrog: step (1 - q B)^-1 B; w0, wm/2, 1/mu.
 * Rates: (1 - alpha B)^-1 B; w0, wm, 1/mu. */
enum {
  MX_FERRITE_C_MATRIX, /* [3][3] */
  MX_FERRITE_C_NUMBER = MX_FERRITE_C_MATRIX + 9,
  MX_FERRITE_COEFFICIENTS = MX_FERRITE_C_NUMBER + 3
};

/* States: m, the old m, and the old h. */
enum { MX_FERRITE_M, MX_FERRITE_OLD_M, MX_FERRITE_OLD_H, MX_FERRITE_STATES };
