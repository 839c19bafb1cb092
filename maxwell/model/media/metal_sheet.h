/* A sheet of metal of any thickness d as a two-port, for interfaces that are shields (terms/skins.h).
 *
 * In a good conductor the wave goes straight through. With h = -n x H on each face, n out of the medium before it,
 * q = d sqrt(s mu sigma) and r = 1/(sigma d),
 *
 *   E1 = Zs h1 + Zt h2,   E2 = Zt h1 + Zs h2,   Zs = r q coth q,   Zt = r q/sinh q.
 *
 * (S. A. Schelkunoff, Bell Syst. Tech. J. 17 (1938) 17 has the slab.) Both are sums over m of partial fractions,
 *
 *   r [ [1 1] [1 1] ] + sum of 2 r s/(s + a_m) [ [1 +-1] [+-1 1] ],   a_m = (m pi)^2/(mu sigma d^2),
 *
 * with the sign of (-1)^m, so that every term is passive. Cut off behind N terms, the alternating sum of Zt would be
 * wrong where the sheet attenuates. H. Cohen, F. Rodriguez Villegas, D. Zagier (Experiment. Math. 9 (2000) 3, algorithm
 * 1) have weights 0 < w_m < 1 with which its error falls as 5.8^-N: Q_m = (-1)^m w_m 2 r beside R_m = 2 r, still
 * passive term by term. The weights add up so that Zt vanishes at infinite frequency: the faces then speak to each
 * other through their currents alone. What Zs lacks, a smooth function, is fitted and belongs to each face alone. */
#pragma once

#include "maxwell/model/media/skin.h"

enum { MX_SHEET_COUPLED = 20 }; /* most terms with a Q */

/* The errors that a fit aims at, relative: of Zt and, as of walls, of Zs. Zt counts as no smaller than the floor times
 * Zs, since currents that cancel do not carry a smaller one. */
#define MX_SHEET_ERROR 5e-3
#define MX_SHEET_FLOOR 1e-8

struct mx_sheet_fit {
  size_t coupled;          /* poles with a Q; they are the first ones */
  double through, surface; /* the largest errors of Zt and of Zs over the band */
  double faithful;         /* rad/s: Zt is above the floor and right up to here, <= to */
};

/* Fits a sheet over from <= w <= to (rad/s). mu in H/m, sigma in S/m, thickness in m; the skin gets ohms and rad/s. */
struct mx_sheet_fit mx_sheet_fit(double mu, double sigma, double thickness, double from, double to,
                                 struct mx_skin *skin);
