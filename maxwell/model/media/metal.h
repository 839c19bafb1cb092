/* The skin of a metal, for walls that are metals (problem/skins.h): its surface impedance, and that as a sum of
 * resistors beside inductors.
 *
 * In a good conductor a wave goes straight inwards and is gone after some skin depths: tangential E is Zs times the
 * current, Zs = sqrt(s mu/sigma), s = j w (M. A. Leontovich; J. D. Jackson, Classical Electrodynamics, 3rd ed., 8.1). A
 * sum over k of R_k s/(s + a_k) with R_k > 0 and a_k > 0 follows it over a band. Each summand is a resistor R_k beside
 * an inductor R_k/a_k, so that the wall is passive whatever the fit is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { MX_SKIN_POLES = 16 };

struct mx_skin {
  size_t poles;
  double resistance[MX_SKIN_POLES]; /* R_k > 0: ohm, in a problem over eta0 */
  double rate[MX_SKIN_POLES];       /* a_k > 0: rad/s, in a problem over c0 */
  /* Or a film between two media, with one current: dJ/dt = drude E - damping J (problem/skins.h). */
  bool film;
  double drude, damping; /* > 0: 1/(ohm s), 1/s; in a problem times eta0/c0, over c0 */
};

/* The conductivity of a metal at 20 C, S/m, by its place in mx_metal_names (model/config_read.h). */
double mx_metal_conductivity(int name);

/* The error that a fit aims at: relative, the largest over the band. */
#define MX_SKIN_ERROR 2e-3

/* Fits sqrt(s) over s = j w, `from` <= w <= `to` (rad/s), with as few poles as reach MX_SKIN_ERROR: times
 * sqrt(mu/sigma) the resistances are ohms. Returns the largest relative error over the band. */
double mx_skin_fit(double from, double to, struct mx_skin *skin);
/* That error of poles that were fitted before. */
double mx_skin_error(double from, double to, const struct mx_skin *skin);
