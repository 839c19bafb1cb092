/* The files of measurements: a table (or Silo files of a plane) while the run goes on, spectra at its end. */
#pragma once

#include <stdbool.h>

#include "libdg/io/snapshot_writer.h"
#include "maxwell/shell/csv.h"
#include "maxwell/shell/folder.h"
#include "maxwell/measure/measure.h"
#include "maxwell/measure/measure_spectrum.h"

struct mx_record {
  size_t rows; /* measured and not yet written; the same on all ranks */
  size_t most; /* of them: then they are written */
  bool monitored;
  /* The rest is rank 0's. */
  long *step;                  /* [batch] of these rows */
  double *time;                /* [batch] s */
  size_t fetched, next;        /* rows that wait to be written, and the first of them; of what a card keeps */
  long *fetched_step;          /* [batch] of those */
  double *fetched_time;        /* [batch] s */
  double *value;               /* [batch][values] of those */
  struct mx_csv table;         /* closed for planes in Silo files */
  double *own;                 /* of the measure's form */
  struct mx_spectrum spectrum; /* empty without frequencies */
};

/* Measurements of the same steps that a card keeps until they are written. */
struct mx_watched {
  long every;
  size_t monitor; /* of the backend */
  size_t members, *member;
  size_t width;  /* numbers a time */
  double *value; /* [most][width] */
};

struct mx_records {
  const struct mx_measures *measures; /* borrowed */
  const struct mx_backend_ops *ops;
  const struct dg_snapshot_writer *writer; /* of planes; borrowed */
  struct mx_folder *folder;                /* borrowed */
  struct mx_record *record;                /* [measures->count] */
  struct mx_backend *backend;              /* of what is watched; borrowed */
  size_t groups;
  struct mx_watched *watched; /* [groups] */
};

/* Opens the files, on rank 0, those that are there to `resume`; step is the time step, s. Release with
 * mx_records_release in any case. */
int mx_records_open(struct mx_records *records, const struct mx_measures *measures, const struct mx_backend_ops *ops,
                    const struct dg_snapshot_writer *writer, struct mx_folder *folder, double step, bool resume,
                    struct dg_error *err) DG_MUST_USE;
/* A backend on a card keeps what it can of probes, lines, planes, voltages and currents, so that nothing waits for the
 * card at every step; other backends, and what it cannot, measure at once. Before the first stage. Collective. */
int mx_records_monitor(struct mx_records *records, struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
bool mx_records_due(const struct mx_records *records, long n);
/* Does that wait for the card? */
bool mx_records_ask(const struct mx_records *records, long n);
/* Measures what is due at step n, time t (s), and writes it; rank 0 writes: at once where there is one rank and no
 * monitor, else once a batch is full. The step must be observed. Collective. Allocates nothing, but for Silo. */
int mx_records_write(struct mx_records *records, struct mx_backend *backend, long n, double t,
                     struct dg_error *err) DG_MUST_USE;
/* Writes what has been measured and not yet written. Collective. */
int mx_records_drain(struct mx_records *records, struct dg_error *err) DG_MUST_USE;
int mx_records_flush(struct mx_records *records, struct dg_error *err) DG_MUST_USE;
/* Nothing may be measured and not yet written. */
int mx_records_archive(struct mx_records *records, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
int mx_records_close(struct mx_records *records, struct dg_error *err) DG_MUST_USE;
/* Writes the spectra of what was written until now; once. */
int mx_records_write_spectra(struct mx_records *records, struct dg_error *err) DG_MUST_USE;
void mx_records_release(struct mx_records *records);
