/* `curlew sweep`: one script, many values of its arguments, a run for each combination, several at a time, and a table
 * of what came out.
 *
 *   curlew sweep patch.lua -D L=40e-3..44e-3:1e-3 -D h=0.8e-3,1.6e-3 --jobs 2
 *
 *   DIR/L=0.04,h=8e-3/     the output folder of a run
 *   DIR/sweep.csv          a row a run
 *   DIR/.sweep/NAME        whether that run is done, and a digest of what it depended on
 *
 * Runs are processes of this program, each in a process group of its own, so that Ctrl-C reaches the sweep alone, which
 * ends them with checkpoints. A later sweep keeps the runs that are done and goes on with those that have one. */
#pragma once

#include "maxwell/app/sweep/sweep_options.h"

/* Carries out the sweep. A run that fails does not stop the others; the error is then that of the first one, behind the
 * last. DG_INTERRUPTED: the runs under way were told to end, and have. */
int mx_sweep(const struct mx_sweep_options *options, struct dg_error *err) DG_MUST_USE;
