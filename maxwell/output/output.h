/* The output of a run while it runs: measurements, energy and snapshots, on their schedule. The time loop calls it. */
#pragma once

#include <stdbool.h>

#include "maxwell/shell/csv.h"
#include "maxwell/record/balance.h"
#include "maxwell/measure/measure_record.h"
#include "maxwell/resonance/resonances.h"
#include "maxwell/setup/setup.h"
#include "maxwell/record/snapshot.h"

/* Energies that wait to be added up over the ranks. With one rank they are written at once. */
enum { MX_ENERGY_ROWS = 64 };
struct mx_energy_rows {
  size_t count;
  long step[MX_ENERGY_ROWS];
  double time[MX_ENERGY_ROWS];    /* s */
  double part[MX_ENERGY_ROWS][2]; /* electric and magnetic energy of this rank, J */
};

struct mx_output {
  const struct mx_setup *setup; /* borrowed */
  struct mx_far_fields *far;    /* the set-up's */
  struct mx_phasors *phasors;   /* the set-up's */
  struct mx_folder *folder;     /* borrowed */
  struct mx_csv energy;         /* rank 0's */
  struct mx_energy_rows energies;
  struct mx_balance *balance;      /* NULL: none is kept; the loop gives it fields and sources */
  struct mx_records records;       /* the records of measurements */
  struct mx_resonances resonances; /* rank 0's */
  struct mx_snapshots snapshots;
  double last_flush;
};

/* Opens the files; with `resume` it goes on with those that are there. The folder must be prepared. Release with
 * mx_output_release in any case. */
int mx_output_open(struct mx_output *output, struct mx_setup *setup, struct mx_backend *backend,
                   struct mx_folder *folder, bool resume, struct dg_error *err) DG_MUST_USE;
/* Says whether anything is to be written at step n. */
bool mx_output_due(const struct mx_output *output, long n);
/* Says whether the output of step n asks the backend for values at once. A card's buffers take values without that. */
bool mx_output_asks(const struct mx_output *output, long n);
/* Writes what is due at step n, time t (s). The step must be observed. */
int mx_output_write(struct mx_output *output, struct mx_backend *backend, long n, double t,
                    struct dg_error *err) DG_MUST_USE;
/* Writes what has been measured and not yet written (several ranks write many rows at a time). Waits for snapshots.
 * Collective. */
int mx_output_drain(struct mx_output *output, struct dg_error *err) DG_MUST_USE;
/* Writes rows that have been measured, and hands all tables to the system, so that a hook can read them. Collective. */
int mx_output_settle(struct mx_output *output, struct dg_error *err) DG_MUST_USE;
/* Gathers on rank 0 what the archive of other ranks' state needs, behind mx_output_drain. Collective. */
int mx_output_gather(struct mx_output *output, struct dg_error *err) DG_MUST_USE;
/* Passes the state of the output to the archive, behind mx_output_gather. */
int mx_output_archive(struct mx_output *output, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* Does what mx_output_drain does, and writes what is known only at the end: Fourier transforms and resonances. Call it
 * for a run that was interrupted, too. Collective. */
int mx_output_finish(struct mx_output *output, struct dg_error *err) DG_MUST_USE;
/* Closes the files; a write that failed late is an error here. */
int mx_output_close(struct mx_output *output, struct dg_error *err) DG_MUST_USE;
void mx_output_release(struct mx_output *output);
