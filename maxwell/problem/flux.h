/* The numerical flux at a point: shared by every backend, readable by C and CUDA compilers.
 *
 * Natural units inside the solver: x in metres, time c0 t in metres, E in V/m, H multiplied by eta0 (V/m), material
 * parameters relative, impedances relative to eta0, conductivity multiplied by eta0 (1/m).
 *
 * Between two media (own side -, other side +, n the outward normal of the own side, [u] = u+ - u-, u_t the part
 * tangential to the face) the exact solution of the Riemann problem keeps E_t - Z- n x H, which travels outwards, and
 * E_t + Z+ n x H, which travels inwards. Solving the two for the state on the face gives
 *
 *   n x (H* - H-) = ( Z+ n x [H] + alpha [E]_t ) / (Z+ + Z-)
 *   n x (E* - E-) = ( Y+ n x [E] - alpha [H]_t ) / (Y+ + Y-),   Y = 1/Z
 *
 * with alpha = 1; alpha = 0 leaves the impedance-weighted mean, which conserves energy, and any alpha > 0 dissipates
 * (share/doc/design/method.md has the proof). A boundary is the same formula with a ghost state of zero and the
 * impedance of the wall as Z+: 0 is a perfect electric conductor, infinity a perfect magnetic one, the medium's own is
 * absorbing.
 */
#pragma once

#include <math.h>

/* A resistive sheet of admittance Ys between the media carries the current Js = Ys E*, by which n x H jumps:
 *
 *   E* = ( Y+ E+ + Y- E- + n x [H] ) / S (tangential parts),   S = Y- + Y+ + Ys,
 *
 * which are the formulas above with the weights of mx_sheet_flux and with [E] - sheet E- in the place of [E]. The sheet
 * is thus a term of the own side alone. share/doc/design/sheets.md has the proof of stability. */

/* The weights of one side of a face: E equation: + h_jump n x [H] + e_penalty [E]_t,
 *                                    H equation: - e_jump n x [E] + h_penalty [H]_t. */
struct mx_face_flux {
  double h_jump, e_jump;
  double e_penalty, h_penalty;
};

/* own > 0, other > 0: impedances of the media; admittance >= 0 of the sheet, all relative. sheet: the factor of E-. */
static inline struct mx_face_flux mx_sheet_flux(double own, double other, double admittance, double *sheet)
{
  const double mine = 1 / own, theirs = 1 / other, sum = mine + theirs + admittance;
  *sheet = admittance / theirs;
  return (struct mx_face_flux){
      .h_jump = mine / sum, .e_jump = theirs / sum, .e_penalty = mine * theirs / sum, .h_penalty = 1 / sum};
}

/* own > 0; other >= 0, may be infinite. */
static inline struct mx_face_flux mx_face_flux(double own, double other, double alpha)
{
  struct mx_face_flux flux;
  if (isinf(other)) {
    flux.h_jump = 1;
    flux.e_jump = 0;
    flux.e_penalty = 0;
    flux.h_penalty = alpha * own;
    return flux;
  }
  double sum = own + other;
  flux.h_jump = other / sum;
  flux.e_jump = own / sum;
  flux.e_penalty = alpha / sum;
  flux.h_penalty = alpha * own * other / sum;
  return flux;
}
