/* Phasors of the fields in regions, on planes and everywhere at given frequencies, without records in time: a running
 * transform (maxwell/transform/running.h) of E and H at nodes of elements or at points of a plane.
 *
 * The convention is exp(jwt): E(t) = Re(phasor exp(jwt)). Without a norm the numbers are the integrals of E(t)
 * exp(-jwt) over the run, V s/m and A s/m, by the trapezoidal rule for a run in which the fields die away. `source`
 * divides them by the same integral of the waveform: then they are the fields that a waveform of cos(wt) would keep up.
 * `power` divides them by the wave that brings 1 W into the driven ports. Leapfrog observes H as a mean of two half
 * steps, whose transform is cos(w dt/2) times that of H; phasors are free of that factor.
 *
 * The set-up makes them, the output takes samples on their schedule and writes the files at the end
 * (maxwell/record/phasor_output.h). Whoever wants losses or other densities in a region asks mx_phasor_get. */
#pragma once

#include <complex.h>

#include "maxwell/measure/measure.h"
#include "maxwell/sources/sources.h"
#include "maxwell/transform/port_powers.h"
#include "maxwell/transform/running.h"
#include "maxwell/worth/doubts.h"
#include "maxwell/worth/tail.h"

struct mx_phasor {
  const struct mx_phasor_config *config; /* borrowed */
  size_t nodes;                          /* of a part: Np of an element; 1 of a point */
  int first, components;                 /* of E and H, which stand behind each other: 0, 3: E; 3, 3: H; 0, 6: both */
  struct mx_running_parts parts;         /* elements in ascending order, or points of a plane, of this rank */
  int64_t all;                           /* parts of all ranks */
  long *name;                            /* [parts.count] as struct mx_running_parts has them */
  int32_t *element;                      /* [parts.count] of a volume; NULL: a plane */
  struct mx_measure plane;               /* its points, x and own of which are made */
  long every;                            /* steps between samples */
  struct mx_running running;             /* samples [parts][nodes][components], V/m */
  struct mx_tail tail;                   /* what the end of the record lacks; of no samples on a card */
  double complex *source;                /* [frequencies] transform of the waveform, s; NULL: not wanted */
  struct mx_port_powers *ports;          /* [frequencies], rank 0's; NULL: not wanted */
  struct mx_gathered gathered;           /* for a checkpoint */
  struct mx_point *point;                /* room for the points of some elements */
  double (*sample)[6];                   /* and for their fields */
};

/* The place of the phasors of a run. */
struct mx_phasor_place {
  const struct mx_config *config;
  struct mx_problem *problem;
  const struct dg_mesh *mesh;
  const int *material;              /* [K] of the elements, in config->material */
  const struct mx_sources *sources; /* prepared */
  double step;                      /* s */
  long steps;
  struct mx_doubts *doubts; /* borrowed, may be NULL */
  struct dg_log *log;       /* rank 0's; NULL is silent */
};

struct mx_phasors {
  struct mx_phasor_place place;
  size_t count;
  struct mx_phasor *phasor; /* [count] as config.output.spectrum */
};

/* Finds elements, points and the steps between samples, and makes the sums. Collective. Errors (DG_INPUT): a region
 * that the mesh lacks; a plane without a point in the mesh; a frequency that the samples cannot tell; a norm that the
 * sources do not have; sums that do not fit into memory. Warnings tell of frequencies that no source has. Release in
 * any case. */
int mx_phasors_init(struct mx_phasors *phasors, const struct mx_phasor_place *place, struct dg_error *err) DG_MUST_USE;
/* Lets the card of the backend, if it has one, keep the sums, so that nothing waits for it. Before the first stage. */
int mx_phasors_watch(struct mx_phasors *phasors, const struct mx_backend_ops *ops, struct mx_backend *backend,
                     struct dg_error *err) DG_MUST_USE;
/* Says whether samples of step n wait for the card. */
bool mx_phasors_ask(const struct mx_phasors *phasors, long n);
bool mx_phasors_due(const struct mx_phasors *phasors, long n);
/* Takes samples of the observed fields of step n, where they are due. */
int mx_phasors_take(struct mx_phasors *phasors, const struct mx_backend_ops *ops, struct mx_backend *backend, long n,
                    struct dg_error *err) DG_MUST_USE;
/* Notes the powers at the ports, at the end of the run that the samples are of. */
void mx_phasors_note_ports(struct mx_phasors *phasors);
/* Gathers the sums on rank 0 for mx_phasors_archive. Collective. */
int mx_phasors_gather(struct mx_phasors *phasors, struct dg_error *err) DG_MUST_USE;
int mx_phasors_archive(struct mx_phasors *phasors, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* Makes the sums ready for mx_phasor_get, and rank 0's powers at ports known to all. Collective. */
int mx_phasors_settle(struct mx_phasors *phasors, struct dg_error *err) DG_MUST_USE;
/* The phasors of part number `part` of this rank at a frequency of the configuration: value[node][component], the
 * fields that the configuration asks for, SI. Behind mx_phasors_settle. */
void mx_phasor_get(const struct mx_phasors *phasors, const struct mx_phasor *phasor, size_t frequency, size_t part,
                   double complex *value);
/* Bytes on this rank. */
size_t mx_phasors_memory(const struct mx_phasors *phasors);
void mx_phasors_release(struct mx_phasors *phasors);

/* ---- phasor_norm.c */

/* Finds what phasors are divided by, as far as it is known before the run. */
int mx_phasor_norm_init(struct mx_phasor *phasor, const struct mx_phasor_place *place,
                        struct dg_error *err) DG_MUST_USE;
/* What sums of E (V s/m) and of H (V s/m) are multiplied with at a frequency. NAN: there is no wave to divide by. */
void mx_phasor_factors(const struct mx_phasor *phasor, const struct mx_phasor_place *place, size_t frequency,
                       double complex factor[2]);
