/* The files of measurements: a table (or Silo files of a plane) while the run goes on, spectra at its end. output.c
 * calls these functions. */
#pragma once

#include <stdbool.h>

#include "libdg/io/snapshot_writer.h"
#include "maxwell/shell/csv.h"
#include "maxwell/shell/folder.h"
#include "maxwell/measure/measure.h"
#include "maxwell/measure/measure_spectrum.h"
#include "maxwell/worth/tail.h"

struct mx_record {
  size_t rows; /* measured and not yet written; the same on all ranks */
  size_t most; /* rows are written when there are so many */
  bool monitored;
  /* Only rank 0 has the members below. */
  long *step;                  /* [batch] of the measured rows */
  double *time;                /* [batch] s */
  size_t fetched, next;        /* rows that wait to be written, and the first of them */
  long *fetched_step;          /* [batch] of the rows that wait */
  double *fetched_time;        /* [batch] s */
  double *value;               /* [batch][values] of the rows that wait; a card's rows come here too */
  struct mx_csv table;         /* closed for planes in Silo files */
  double *own;                 /* state of the measure's form */
  struct mx_spectrum spectrum; /* empty without frequencies */
  struct mx_tail tail;         /* what the end of the spectrum lacks; empty likewise */
};

/* Somebody else who wants the rows of all measures, on rank 0, in the order of steps. */
struct mx_record_tap {
  void (*take)(void *self, size_t measure, long step, const double *value); /* value[values]; NULL: nobody */
  void *self;
};

/* A group of measurements of the same steps that a card keeps until they are written. */
struct mx_watched {
  long every;
  size_t monitor; /* index of the backend's monitor */
  size_t members, *member;
  size_t width;  /* numbers a time */
  double *value; /* [most][width] */
};

struct mx_records {
  const struct mx_measures *measures; /* borrowed */
  const struct mx_backend_ops *ops;
  const struct dg_snapshot_writer *writer; /* writer of planes; borrowed */
  struct mx_folder *folder;                /* borrowed */
  struct mx_record *record;                /* [measures->count] */
  struct mx_backend *backend;              /* backend with the monitors; borrowed */
  struct mx_record_tap tap;
  size_t groups;
  struct mx_watched *watched; /* [groups] */
};

/* Opens the files on rank 0; with `resume` it goes on with those that are there. step is the time step, s. Release with
 * mx_records_release in any case. */
int mx_records_open(struct mx_records *records, const struct mx_measures *measures, const struct mx_backend_ops *ops,
                    const struct dg_snapshot_writer *writer, struct mx_folder *folder, double step, bool resume,
                    struct dg_error *err) DG_MUST_USE;
/* Makes a backend on a card keep what it can of probes, lines, planes, voltages and currents, so that nothing waits for
 * the card at every step. Other backends, and what a card cannot keep, measure at once. Call it before the first stage.
 * Collective. */
int mx_records_monitor(struct mx_records *records, struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
bool mx_records_due(const struct mx_records *records, long n);
/* Says whether mx_records_write at step n waits for the card. */
bool mx_records_ask(const struct mx_records *records, long n);
/* Measures what is due at step n, time t (s). Rank 0 writes: at once with one rank and no monitor, else once a batch is
 * full. The step must be observed. The function allocates nothing, but for Silo. Collective. */
int mx_records_write(struct mx_records *records, struct mx_backend *backend, long n, double t,
                     struct dg_error *err) DG_MUST_USE;
/* Writes what has been measured and not yet written. Collective. */
int mx_records_drain(struct mx_records *records, struct dg_error *err) DG_MUST_USE;
int mx_records_flush(struct mx_records *records, struct dg_error *err) DG_MUST_USE;
/* Passes the state of spectra and tables to the archive. All that was measured must have been written
 * (mx_records_drain). */
int mx_records_archive(struct mx_records *records, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
int mx_records_close(struct mx_records *records, struct dg_error *err) DG_MUST_USE;
/* Writes the spectra of what was written until now. Call it once. */
int mx_records_write_spectra(struct mx_records *records, struct dg_error *err) DG_MUST_USE;
void mx_records_release(struct mx_records *records);
