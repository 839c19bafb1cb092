/* What ports give: their voltages and currents while the simulation runs, and S-parameters at its end.
 *
 * S_ij = (b_i / sqrt(Z_i)) / (a_j / sqrt(Z_j)) with a_j the incident voltage of the one driven port, b_i the voltage
 * that leaves through port i, each transformed over the run, and Z the impedance of the port's mode at the frequency
 * (the resistance of a lumped port): power waves at ports whose Z is real.
 */
#pragma once

#include <complex.h>

#include "maxwell/run/csv.h"
#include "maxwell/run/folder.h"
#include "maxwell/run/setup.h"

struct mx_port_output {
  const struct mx_setup *setup; /* borrowed */
  struct mx_folder *folder;     /* borrowed */
  size_t ports;
  double last_flush;
  struct mx_csv *table;   /* [ports] ports/NAME.csv */
  bool *known;            /* [ports] columns of the matrix that there are */
  double complex *matrix; /* [frequencies][ports][ports]: S_ij at [f][i][j] */
};

/* Opens the files, those that are there if setup->resume; the folder exists. Release in any case. */
int mx_port_output_open(struct mx_port_output *output, const struct mx_setup *setup, struct mx_folder *folder,
                        struct dg_error *err) DG_MUST_USE;
/* Writes a line if one is due at step n. */
int mx_port_output_write(struct mx_port_output *output, long n, double t, struct dg_error *err) DG_MUST_USE;
int mx_port_output_archive(struct mx_port_output *output, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* Behind the last step of a run with port `driven` as the only one that is driven: its column of the matrix. */
void mx_port_output_column(struct mx_port_output *output, size_t driven);
/* Closes the files, writes sparameters.csv with the columns that are known, and NAME.sNp if all are. */
int mx_port_output_close(struct mx_port_output *output, struct dg_error *err) DG_MUST_USE;
void mx_port_output_release(struct mx_port_output *output);
