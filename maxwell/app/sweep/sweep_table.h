/* The table of a sweep. */
#pragma once

#include "maxwell/app/sweep/sweep_cases.h"

/* Writes DIR/sweep.csv: a row a case, in order. Columns: the arguments, folder, the derived values of hooks in the
 * order in which they are met, steps, time, energy, seconds, exit_code, status, error. */
int mx_sweep_write_table(const struct mx_cases *cases, struct dg_error *err) DG_MUST_USE;
/* The word for the state of a case: "done", "blew up", "interrupted", "failed", "" for one that was not run. */
const char *mx_case_status(const struct mx_case *item);
