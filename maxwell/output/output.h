/* What a run writes while it runs: measurements, energy and snapshots, on their schedule. */
#pragma once

#include <stdbool.h>

#include "maxwell/shell/csv.h"
#include "maxwell/output/balance.h"
#include "maxwell/measure/measure_record.h"
#include "maxwell/setup/setup.h"
#include "maxwell/output/snapshot.h"

/* Energies that have not been added up over the ranks; with one rank they are written at once. */
enum { MX_ENERGY_ROWS = 64 };
struct mx_energy_rows {
  size_t count;
  long step[MX_ENERGY_ROWS];
  double time[MX_ENERGY_ROWS];    /* s */
  double part[MX_ENERGY_ROWS][2]; /* electric and magnetic, of this rank, J */
};

struct mx_output {
  const struct mx_setup *setup; /* borrowed */
  struct mx_csv energy;         /* rank 0's */
  struct mx_energy_rows energies;
  struct mx_balance *balance; /* NULL: none is kept; the loop tells it of fields and sources */
  struct mx_records records;  /* of measurements */
  struct mx_snapshots snapshots;
  double last_flush;
};

/* Opens the files, those that are there to `resume`; the folder is prepared. Release with mx_output_release in any
 * case. */
int mx_output_open(struct mx_output *output, const struct mx_setup *setup, struct mx_backend *backend,
                   struct mx_folder *folder, bool resume, struct dg_error *err) DG_MUST_USE;
/* Is anything to be written at step n? */
bool mx_output_due(const struct mx_output *output, long n);
/* Does that ask the backend for values at once? What a card's buffers take does not. */
bool mx_output_asks(const struct mx_output *output, long n);
/* Writes what is due at step n, time t (s). The step must be observed. */
int mx_output_write(struct mx_output *output, struct mx_backend *backend, long n, double t,
                    struct dg_error *err) DG_MUST_USE;
/* Writes what has been measured and not yet written: several ranks do so many rows at a time. Waits for snapshots.
 * Collective. */
int mx_output_drain(struct mx_output *output, struct dg_error *err) DG_MUST_USE;
/* Behind mx_output_drain. */
int mx_output_archive(struct mx_output *output, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* As mx_output_drain, and what is known at the end only: the Fourier transforms. Also of a run that was interrupted.
 * Collective.
 */
int mx_output_finish(struct mx_output *output, struct dg_error *err) DG_MUST_USE;
/* Closes the files; a write that failed late is an error here. */
int mx_output_close(struct mx_output *output, struct dg_error *err) DG_MUST_USE;
void mx_output_release(struct mx_output *output);
