/* `curlew fit TABLE`: poles for a table of permittivity, as a material to paste into a script. */
#pragma once

#include "libdg/base/error.h"
#include "maxwell/app/fit/fit_options.h"

/* Reads the table, fits it, prints the material and writes the files that were asked for. `picture`: a file for the
 * points and the fit as JSON, from which a picture is drawn, or NULL. A fit that misses the tolerance is printed, and a
 * warning goes to standard error. DG_INPUT: the table is wrong, or its medium amplifies. DG_ENVIRONMENT: memory, disk.
 */
int mx_fit_carry_out(const struct mx_fit_command *command, const char *picture, struct dg_error *err) DG_MUST_USE;
