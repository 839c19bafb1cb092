/* The refractive index of a medium at a frequency: with poles of both its fields, losses, tensors, and for gyrotropic
 * media and ferrites that of their slowest wave. mesh_worth.c asks it. */
#pragma once

#include "maxwell/problem/problem.h"

/* The numbers of an element's medium, by equation: E, H. All are doubles, so that ranks can add them up. */
struct mx_medium_numbers {
  double storage[2], loss[2], largest[2]; /* the medium's, and the largest eigenvalue of its tensor's shape */
  double kind[2];                         /* 0, or 1 + the enum mx_response_kind of its response */
  double parameter[2][MX_RESPONSE_PARAMETERS];
};

void mx_medium_numbers_of(const struct mx_problem *problem, size_t e, struct mx_medium_numbers *medium);
/* The largest |n| of its waves at the wave number 2 pi f/c0 (1/m). With `inside` false a medium that throws nearly all
 * of a wave back has none: 0. */
double mx_medium_index(const struct mx_medium_numbers *medium, double wave_number, bool inside);
