/* The skin of a metal, for walls that are metals (terms/skins.h): its surface impedance, and that as a sum of
 * resistors beside inductors.
 *
 * In a good conductor a wave goes straight inwards and is gone after some skin depths: tangential E is Zs times the
 * current, Zs = sqrt(s mu/sigma), s = j w (M. A. Leontovich; J. D. Jackson, Classical Electrodynamics, 3rd ed., 8.1). A
 * sum over k of R_k s/(s + a_k) with R_k > 0 and a_k > 0 follows it over a band. Each summand is a resistor R_k beside
 * an inductor R_k/a_k, so that the wall is passive whatever the fit is. */
#pragma once

#include "maxwell/model/media/skin.h"

/* The conductivity of a metal at 20 C, S/m, by its place in mx_metal_names (model/config_read.h). */
double mx_metal_conductivity(int name);

/* Fits sqrt(s) K(s/rough) over s = j w, `from` <= w <= `to` (rad/s), with as few poles as reach MX_SKIN_ERROR: times
 * sqrt(mu/sigma) the resistances are ohms. Returns the largest relative error over the band. rough (rad/s, see
 * mx_metal_rough) may be infinite: the metal is smooth, K = 1. */
double mx_skin_fit(double from, double to, double rough, struct mx_skin *skin);
/* That error of poles that were fitted before. */
double mx_skin_error(double from, double to, double rough, const struct mx_skin *skin);

/* Roughness of rms height D: losses grow by K = 1 + (2/pi) arctan(1.4 (D/delta)^2), delta the skin depth
 * (E. Hammerstad, O. Jensen, IEEE MTT-S Digest 1980, 407-409, after S. P. Morgan, J. Appl. Phys. 20 (1949) 352). With
 * 1.4 (D/delta)^2 = w/w0 that is the real part of sqrt(2s) K(s/w0)/sqrt(w) on s = jw of
 *
 *   K(z) = 1 + (2/pi) [ arctan sqrt(z) + log(1 + sqrt(z)) - log(1 + z)/2 ],
 *
 * whose imaginary part is what causality (Kramers and Kronig) makes of it: the inductance grows, too.
 * share/doc/design/metal-walls.md derives it, and shows that resistors beside inductors can follow it. */

/* w0, rad/s; infinite for a roughness of 0. mu in H/m, sigma in S/m, roughness in m. */
double mx_metal_rough(double mu, double sigma, double roughness);
/* Its surface impedance Z[0] + j Z[1] at w (rad/s), ohm, without any fit. No complex number: C++ reads this header. */
void mx_metal_impedance(double mu, double sigma, double roughness, double w, double Z[2]);
