/* `curlew plot`: pictures of what a run has left in its folder; `curlew s`: its S-parameters as tables and files;
 * `curlew sweep`: a run for each combination of arguments.
 *
 * share/plot/plot_run.py draws. It needs a Python with NumPy and matplotlib, and for the fields in snapshots Debian's
 * module Silo. share/python/curlew_s.py needs NumPy, and matplotlib for pictures;
 * share/python/curlew_sweep.py needs nothing more. */
#pragma once

#include "libdg/base/error.h"

/* Becomes the Python program, with the words of the command line that follow `plot` or `s`: on success it does not
 * return, and the exit code is that program's. The Python is $CURLEW_PYTHON if that is set, else the first of `python3`
 * on the path and /usr/bin/python3 that has all modules, or else those which must be there. DG_ENVIRONMENT where there
 * is none, or no script. */
int mx_plot(int words, char **word, struct dg_error *err) DG_MUST_USE;
/* The same for the picture of a model that `curlew check` has written (maxwell/check/survey.h); the other program
 * removes the model. */
int mx_plot_model(const char *model, const char *picture, struct dg_error *err) DG_MUST_USE;
/* The same for the picture of a fit that `curlew fit` has written as JSON (share/lua/commands/fit.lua). */
int mx_plot_fit(const char *fit, const char *picture, struct dg_error *err) DG_MUST_USE;
enum { MX_PLOT_MODEL = 64 };
/* Makes the file from which a picture is drawn and gives its name. DG_ENVIRONMENT: there is no Python that can draw. */
int mx_plot_prepare(char model[MX_PLOT_MODEL], struct dg_error *err) DG_MUST_USE;
int mx_s(int words, char **word, struct dg_error *err) DG_MUST_USE;
/* words[0], which is `sweep`, makes place for the name of this program. DG_INPUT under mpirun. */
int mx_sweep(int words, char **word, struct dg_error *err) DG_MUST_USE;
