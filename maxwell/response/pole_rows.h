/* What the poles of a medium hold, as rows in the states of an entry and the field, and media with more or fewer of
 * them. */
#pragma once

#include "maxwell/response/response.h"

/* The polarisation over eps0 and the current dP/dt over eps0 (natural units: V/m and V/m^2) of an entry with these
 * parameters, which the scheme follows, as rows of the states and E at one time; `weight` is 0. The charges of Drude
 * poles are free: they are in the current, and not in the polarisation. Not for leapfrog's H. */
void mx_pole_rows(const struct mx_response_scheme *scheme, const double *parameter, struct mx_square *polarisation,
                  struct mx_square *current);

/* What the poles of an entry add to sigma or sigma_m at the wave number 2 pi f/c0 (1/m), 1/m: k e'', e'' being minus
 * their imaginary part. */
double mx_poles_conduct(const double *parameter, double wave_number);

/* Multiplies all terms by a number > 0. The joint energy is another one then: mx_poles_join finds it. */
void mx_poles_scale(double *parameter, double by);

/* The same of a gyrotropic term, whose charges are free if omega_0 is 0. */
void mx_gyrotropic_rows(const double *parameter, struct mx_square *polarisation, struct mx_square *current);
