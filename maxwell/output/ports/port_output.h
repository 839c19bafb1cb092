/* The output of ports: their voltages and currents while the simulation runs, and S-parameters at its end. The time
 * loop calls it. */
#pragma once

#include "maxwell/shell/csv.h"
#include "maxwell/shell/folder.h"
#include "maxwell/output/ports/s_parameters.h"

struct mx_port_output {
  const struct mx_scene *scene; /* borrowed */
  struct mx_folder *folder;     /* borrowed */
  size_t ports;
  double last_flush;
  struct mx_csv *table; /* [ports] ports/NAME.csv */
  struct mx_s_parameters s;
  struct mx_s_quality quality; /* known once the output is closed */
};

/* Opens the files; with `resume` it goes on with those that are there. The folder must exist. Release in any case. */
int mx_port_output_open(struct mx_port_output *output, const struct mx_scene *scene, struct mx_folder *folder,
                        bool resume, struct dg_error *err) DG_MUST_USE;
/* Writes a line if one is due at step n. */
int mx_port_output_write(struct mx_port_output *output, long n, double t, struct dg_error *err) DG_MUST_USE;
/* Hands all tables to the system, so that a hook can read them. */
int mx_port_output_settle(struct mx_port_output *output, struct dg_error *err) DG_MUST_USE;
int mx_port_output_archive(struct mx_port_output *output, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* Closes the files, writes sparameters.csv with the columns that are known, and NAME.sNp if all are. */
int mx_port_output_close(struct mx_port_output *output, struct dg_error *err) DG_MUST_USE;
void mx_port_output_release(struct mx_port_output *output);
