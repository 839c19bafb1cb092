/* Far fields of a run: what surfaces radiate or scatter, by running Fourier transforms of the fields on them
 * (far_sums.h) and integrals at the end (far_radiate.h).
 *
 * The set-up makes them, the output takes samples on their schedule and writes the files at the end:
 *   far_field/NAME.csv         a row a frequency and direction,
 *   far_field/NAME_powers.csv  a row a frequency,
 *   far_field/NAME.ffe         the same pattern in the text format of FEKO, which antenna tools read. */
#pragma once

#include "maxwell/far/far_incident.h"
#include "maxwell/far/far_sums.h"
#include "maxwell/sources/sources.h"
#include "maxwell/transform/port_powers.h"
#include "maxwell/worth/doubts.h"

struct mx_far_field {
  const struct mx_far_config *config; /* borrowed */
  struct mx_far_surface surface;
  struct mx_far_incident incident;
  struct mx_far_sums sums;
  long every;                   /* steps between samples */
  struct mx_port_powers *ports; /* [frequencies], rank 0's */
  long *name;                   /* [faces] as struct mx_running_parts has them */
  bool *whole;                  /* [faces] */
  struct mx_gathered gathered;
};

/* The place of the far fields of a run. */
struct mx_far_place {
  const struct mx_config *config;
  const struct mx_problem *problem;
  const struct mx_assignment *assignment;
  const struct dg_mesh *mesh;
  const struct mx_sources *sources; /* prepared */
  double step;                      /* s */
  long steps;
  struct mx_doubts *doubts; /* borrowed, may be NULL */
  struct dg_log *log;       /* rank 0's; NULL is silent */
};

struct mx_far_fields {
  struct mx_far_place place;
  size_t count;
  struct mx_far_field *field; /* [count] as config.output.far_field */
};

/* Finds surfaces and the steps between samples, and makes the sums. Collective. Errors (DG_INPUT) are those of
 * mx_far_surface_init, and a frequency that the samples cannot tell. Warnings tell of frequencies that no source has.
 * Release in any case. */
int mx_far_fields_init(struct mx_far_fields *fields, const struct mx_far_place *place,
                       struct dg_error *err) DG_MUST_USE;
/* Lets the card of the backend, if it has one, keep the sums, so that nothing waits for it. Before the first stage. */
int mx_far_fields_watch(struct mx_far_fields *fields, const struct mx_backend_ops *ops, struct mx_backend *backend,
                        struct dg_error *err) DG_MUST_USE;
/* Says whether samples of step n wait for the card. */
bool mx_far_fields_ask(const struct mx_far_fields *fields, long n);
bool mx_far_fields_due(const struct mx_far_fields *fields, long n);
/* Takes samples of the observed fields of step n, where they are due. */
int mx_far_fields_take(struct mx_far_fields *fields, const struct mx_backend_ops *ops, struct mx_backend *backend,
                       long n, struct dg_error *err) DG_MUST_USE;
/* Notes the powers at the ports, at the end of the run that the samples are of. */
void mx_far_fields_note_ports(struct mx_far_fields *fields);
/* Gathers the sums on rank 0 for mx_far_fields_archive. Collective. */
int mx_far_fields_gather(struct mx_far_fields *fields, struct dg_error *err) DG_MUST_USE;
/* Passes the sums to the archive; what was gathered is let go with the next `gather`. */
int mx_far_fields_archive(struct mx_far_fields *fields, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* Bytes on this rank. */
size_t mx_far_fields_memory(const struct mx_far_fields *fields);
void mx_far_fields_release(struct mx_far_fields *fields);

/* ---- the end: far_result.c */

/* The results at one frequency. Patterns are for an incident wave of 1 V/m, else for 1 W that comes into the driven
 * ports, else for 1 W radiated. All are those of the device with its images. */
struct mx_far_result {
  double hertz;
  bool scattering;           /* a plane wave comes in */
  double radiated;           /* W; of the scattered field where a wave comes in */
  double integral;           /* W: of the radiation intensity over the sphere */
  double incident, accepted; /* W at the ports; NAN without */
  double extinction; /* W that the incident wave loses: what is scattered, and what goes in by the total field; NAN
                        without wave */
  double forward;    /* W: extinction by the field scattered forwards; NAN without wave */
  double flux;       /* W/m^2 of the incident wave; NAN without wave */
  double largest, theta, phi;   /* W/sr: largest radiation intensity among the directions, and where it is */
  double complex (*pattern)[2]; /* [thetas][phis] r E_theta, r E_phi, V; rank 0's */
};

/* Works out a frequency. Collective; rank 0 has the result. result->pattern must have room there. */
int mx_far_evaluate(const struct mx_far_fields *fields, size_t index, size_t frequency, struct mx_far_result *result,
                    struct dg_error *err) DG_MUST_USE;

/* Estimates the seconds that far field `index` takes at the end of a run: works out a few directions at the highest
 * frequency. Collective; for rank 0. */
int mx_far_estimate(struct mx_far_fields *fields, size_t index, double *seconds, struct dg_error *err) DG_MUST_USE;

/* ---- files: far_files.c */

struct mx_folder;
/* Works out all far fields and writes them on rank 0; `begun` is false for a run without a sample. Collective. */
int mx_far_fields_write(struct mx_far_fields *fields, const struct mx_folder *folder, struct dg_error *err) DG_MUST_USE;
