/* Sums of R_k s/(s + a_k) with R_k > 0 and a_k > 0, resistors beside inductors, fitted to an impedance on s = j w. For
 * metal.c and metal_sheet.c. */
#pragma once

#include <complex.h>
#include <stddef.h>

#include "maxwell/model/media/skin.h"

enum { MX_SKIN_POINTS = 80, MX_SKIN_FITTED = 16 /* most poles of a fit */ };

struct mx_skin_target {
  double w[MX_SKIN_POINTS]; /* rad/s */
  double complex value[MX_SKIN_POINTS];
  double complex scale[MX_SKIN_POINTS]; /* errors are divided by it */
};

/* Fills w, in equal steps of the logarithm. */
void mx_skin_points(double from, double to, struct mx_skin_target *target);
/* Adds poles behind those that the skin has: the fewest that follow value within MX_SKIN_ERROR, possibly none, and of
 * those the ones with the slowest fastest pole. Their rates lie about slow <= a_k <= fast and somewhat beyond. Returns
 * the largest error. */
double mx_skin_fit_to(const struct mx_skin_target *target, double slow, double fast, struct mx_skin *skin);
/* The largest error of the poles from number `first` on. */
double mx_skin_distance(const struct mx_skin_target *target, size_t first, const struct mx_skin *skin);
