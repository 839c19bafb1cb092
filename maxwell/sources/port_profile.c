/* Profiles of modes: see port_profile.h. */
#include "maxwell/sources/port_profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* The fields are TE: E = z x grad of cos cos, and TM: E = grad of sin sin. Near the corner TM modes, TEm0 and TE0n are
 * positive along the axes. The other TE modes are positive along the second axis. */
static void rectangular_mode(const struct mx_port_profile *profile, const double x[3], double e[3])
{
  const struct mx_port_rectangle *r = profile->rectangle;
  double k[2] = {pi * profile->mode->m / r->side[0], pi * profile->mode->n / r->side[1]}, u[2] = {0, 0};
  for (int d = 0; d < 2; d++)
    for (int c = 0; c < 3; c++) u[d] += (x[c] - r->corner[c]) * r->axis[d][c];
  double cosine_sine = cos(k[0] * u[0]) * sin(k[1] * u[1]), sine_cosine = sin(k[0] * u[0]) * cos(k[1] * u[1]);
  bool te = profile->mode->family == MX_TE;
  if (profile->mode->m == 0) cosine_sine = -cosine_sine;
  double along[2] = {te ? -k[1] * cosine_sine : k[0] * cosine_sine, te ? k[0] * sine_cosine : k[1] * sine_cosine};
  for (int c = 0; c < 3; c++) e[c] = along[0] * r->axis[0][c] + along[1] * r->axis[1][c];
}

int mx_port_profile_at(const struct mx_port_profile *profile, size_t k, const double at[3], const double x[3],
                       double e[3], struct dg_error *err)
{
  memcpy(e, profile->constant, 3 * sizeof *e);
  if (profile->tem != NULL) {
    double G[3];
    mx_tem_mode_at(profile->tem, k, at, e, G);
    for (int c = 0; c < 3; c++) e[c] = 0.5 * (e[c] + G[c]);
    return 0;
  }
  if (profile->function != NULL) {
    char what[200];
    snprintf(what, sizeof what, "%s.profile", profile->what);
    const double place[1][3] = {{x[0], x[1], x[2]}};
    const struct mx_places places = {.what = what, .count = 1, .x = place, .components = 3};
    return mx_function_values(profile->function, &places, e, err);
  }
  if (profile->rectangle != NULL) rectangular_mode(profile, x, e);
  if (profile->ring != NULL) {
    double d[3], square = 0, out = 0;
    for (int c = 0; c < 3; c++) out += (x[c] - profile->ring->centre[c]) * profile->normal[c];
    for (int c = 0; c < 3; c++) {
      d[c] = x[c] - profile->ring->centre[c] - out * profile->normal[c];
      square += d[c] * d[c];
    }
    for (int c = 0; c < 3; c++) e[c] = d[c] / square; /* from the inner conductor to the outer: the inner is positive */
  }
  return 0;
}
