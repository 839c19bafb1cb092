/* The Touchstone file of S-parameters (version 1.1, EIA/IBIS Open Forum, 2002).
 *
 * The format has one real impedance R for all ports and frequencies, and programs that read it work out Z with R,
 * whatever a comment says. So the file holds S in waves of R at every port whose impedance does not depend on the
 * frequency:
 *
 *   all alike               R is their impedance and S that of sparameters.csv
 *   alike within 1e-3       R is the middle (two ends of one line on two meshes), S is renormalised to it
 *   else                    R is the impedance of the first of these ports, S is renormalised to it
 *
 * A guide whose mode has a cut-off has no impedance in ohms that programs of circuits know. Its port keeps its waves.
 * Comments "! Port Impedance" then say the impedance of every port at each frequency, real and imaginary part, as the
 * files of Ansys HFSS do; scikit-rf and our own reader take them. R is 50 if there are only such ports. */
#pragma once

#include <stdio.h>

#include "maxwell/output/ports/s_parameters.h"

struct mx_touchstone {
  const struct mx_s_parameters *s;    /* borrowed */
  const struct mx_s_quality *quality; /* borrowed */
  double R;                           /* ohm */
  bool renormalised;                  /* S is not that of sparameters.csv */
  bool alike;                         /* impedances that do not depend on the frequency are R within 1e-3 */
  bool guides;                        /* a port has waves of its own mode */
  double complex *matrix;             /* [frequencies][ports][ports] S_ij at [f][i][j] */
};

/* All columns must be known. Release in any case. DG_ENVIRONMENT: no memory. */
int mx_touchstone_init(struct mx_touchstone *touchstone, const struct mx_s_parameters *s,
                       const struct mx_s_quality *quality, struct dg_error *err) DG_MUST_USE;
void mx_touchstone_write(const struct mx_touchstone *touchstone, FILE *file);
void mx_touchstone_release(struct mx_touchstone *touchstone);

/* Renormalises a matrix [n][n] from waves of z[n] to waves of new_z[n]; room [2][n][n]. With waves as in
 * s_parameters.h, v = sqrt(z) (a + b) and sqrt(z) i = a - b: with p, m = (z' +- z)/(2 sqrt(z z')) the new waves are a'
 * = p a - m b and b' = p b - m a, so that S' = (p S - m)(p - m S)^-1. */
void mx_s_renormalise(size_t n, double complex *matrix, const double complex *z, const double complex *new_z,
                      double complex *room);
