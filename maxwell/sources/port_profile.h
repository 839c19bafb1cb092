/* The transverse electric field of a port's mode at a point. port_build.c calls it. */
#pragma once

#include "maxwell/sources/faces/port_shape.h"
#include "maxwell/sources/tem/tem_mode.h"

/* In any scale. */
struct mx_port_profile {
  const double *normal;                      /* of the face */
  const char *what;                          /* "boundaries.left" */
  const struct mx_mode *mode;                /* of a rectangle */
  const struct mx_port_rectangle *rectangle; /* or NULL */
  const struct mx_port_ring *ring;           /* or NULL */
  const struct mx_function *function;        /* or NULL */
  const struct mx_tem_mode *tem;             /* or NULL */
  double constant[3];                        /* the field without any of these */
};

/* e at x (m), which is at barycentric coordinates `at` of triangle k of the face. Of a TEM line it is the mean of E and
 * of G = Z H x n, since the wave that comes in is their sum (tem_mode.h). */
int mx_port_profile_at(const struct mx_port_profile *profile, size_t k, const double at[3], const double x[3],
                       double e[3], struct dg_error *err) DG_MUST_USE;
