/* Reads what is to be fitted: a text table of optical constants or permittivity against frequency or wavelength.
 *
 * Cells are separated by commas, semicolons, tabs or blanks. Empty lines and lines that begin with # are left out. The
 * first line may name the columns; other columns than those that are needed are left out. Known names, in any case and
 * with a unit behind them, as in "wavelength_um" or "f (GHz)":
 *   frequency, freq, f, nu; omega; wavelength, wl, lambda; wavenumber; energy
 *   n and k; or eps_re (eps', eps1) and eps_im (eps'', eps2); or eps (permittivity, dk) and tan_delta (loss_tangent,
 * df) eps'', k and loss tangent are positive for losses. A table that has n in one block and k in a second one behind
 * it, each with its line of names, is read as well. */
#pragma once

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

enum { MX_FIT_POINTS = 5000 }; /* of a table, in the range */

/* What the command line says of a table; NULL and NAN where it says nothing. */
struct mx_fit_form {
  const char *unit;    /* of the first column: one of mx_fit_is_unit */
  const char *columns; /* nk, eps or tan: what the columns 2 and 3 are */
  double from, to;     /* in the unit of the table */
};

/* The points in the range, by rising frequency. */
struct mx_fit_data {
  size_t count;
  double *omega;       /* [count] rad/s */
  double complex *eps; /* [count] Im <= 0 for losses */
  long *line;          /* [count] where the point stands */
  double *x;           /* [count] as it stands there */
  const char *unit;    /* of x; static */
};

/* Is this one of the units, as in --unit? Hz, kHz, MHz, GHz, THz, PHz, rad/s, m, cm, mm, um, nm, angstrom, meV, eV,
 * keV, 1/cm, 1/m. */
bool mx_fit_is_unit(const char *name);
/* Release in any case. DG_INPUT with path and line: what is no table, not sorted, twice the same, out of its range; a
 * unit that is not known, or that contradicts a name or the form; more cells than columns; fewer than three points; too
 * many. DG_ENVIRONMENT: out of memory. */
int mx_fit_data_read(struct mx_fit_data *data, const char *path, const struct mx_fit_form *form,
                     struct dg_error *err) DG_MUST_USE;
void mx_fit_data_release(struct mx_fit_data *data);
