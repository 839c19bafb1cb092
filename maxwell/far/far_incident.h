/* The plane wave of a surface of total and scattered field, at a frequency. A far field takes it off where the field is
 * the total one, and is given for a wave of 1 V/m. */
#pragma once

#include <complex.h>

#include "libdg/base/log.h"
#include "maxwell/model/config.h"
#include "maxwell/problem/assignment.h"
#include "maxwell/sources/source_list.h"

struct mx_far_incident {
  bool present;
  const struct mx_selector *inside; /* the region of the total field; borrowed */
  const struct mx_source *source;   /* waveform and delay; borrowed */
  double direction[3], polarisation[3], amplitude;
  double index, admittance; /* of the medium: sqrt(epsilon mu), sqrt(epsilon/mu) */
  double begin;             /* s: the wave has the phase of its waveform where index direction.x/c0 is this */
};

/* Finds the wave in the sources, which must be prepared. Without exactly one surface of total field there is none; a
 * warning tells of several. Collective. */
int mx_far_incident_find(struct mx_far_incident *incident, const struct mx_config *config,
                         const struct mx_source_list *list, const struct mx_assignment *assignment,
                         const struct dg_mesh *mesh, struct dg_log *log, struct dg_error *err) DG_MUST_USE;
/* The spectrum of the wave where x.direction = 0, V s/m: integral of E exp(-2 pi i f t) over the run, by samples of
 * `step` (s) up to `end` (s). */
double complex mx_far_incident_spectrum(const struct mx_far_incident *incident, double hertz, double step, double end);
/* E and eta0 H of a wave of 1 V/m at x. */
void mx_far_incident_at(const struct mx_far_incident *incident, double hertz, const double x[3],
                        double complex field[6]);
