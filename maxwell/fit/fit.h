/* Fits of a permittivity by poles: from a table of eps_r against frequency to the terms that a material can have,
 *
 *   eps_r(w) = epsilon_r + sigma/(j w eps0) + sum over poles of c/(j w - a), and its conjugate pole where Im a > 0,
 *
 * for e^{jwt}, w in rad/s, so that Im eps_r <= 0 is a loss.
 *
 * Poles are found by relaxed vector fitting (Gustavsen & Semlyen 1999, Gustavsen 2006), Re a < 0. Then the residues are
 * those of least squares under the condition that the medium never amplifies: Im eps_r <= 0 at all frequencies, those
 * outside of the table among them (passive.h). Not collective. */
#pragma once

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"
#include "maxwell/fit/vector_fit.h"

/* c/(j w - a); with Im a > 0 also conj(c)/(j w - conj(a)). rad/s. */
struct mx_fit_pole {
  double complex c, a;
};

struct mx_fit_model {
  double epsilon_r; /* at infinite frequency */
  double sigma;     /* S/m */
  size_t poles;
  struct mx_fit_pole pole[MX_FIT_POLES];
};

/* What is to be fitted, and how well. */
struct mx_fit_table {
  size_t count;
  const double *omega;       /* [count] rad/s, > 0, sorted */
  const double complex *eps; /* [count] */
};
struct mx_fit_options {
  int poles;            /* at most, 1 to MX_FIT_POLES; a pair of conjugates is one */
  double tolerance;     /* of the largest error */
  bool absolute;        /* errors are differences of real and imaginary parts; else see mx_fit_scales */
  bool no_sigma;        /* sigma = 0 */
  double least_epsilon; /* epsilon_r is this at least, such as 1 */
};

struct mx_fit_result {
  struct mx_fit_model model;
  int states;                    /* of the poles */
  double max_error, rms_error;   /* over the points of the table, of real and imaginary parts */
  double real_error, loss_error; /* the largest ones of each */
  double free_max, free_rms;     /* of as many states, if they might amplify */
  double worst;                  /* rad/s, where max_error is */
};

/* By what errors are divided: scale[count][2] of the real parts and of the losses. A real part's is |eps|. That of a
 * loss is the loss itself: small beside |eps| it is nevertheless what heats and damps. It is not less than a tenth of
 * the usual loss tangent of the table times |eps|, nor than what noise takes of the losses over the tolerance: a table
 * whose losses jump from point to point, or are gains, has none that a fit could follow. */
void mx_fit_scales(const struct mx_fit_table *table, const struct mx_fit_options *options, double *scale);
/* Finds the fit with the fewest states whose largest error is within the tolerance; if there is none, the best one.
 * DG_ENVIRONMENT: out of memory, or no LAPACK. */
int mx_fit(const struct mx_fit_table *table, const struct mx_fit_options *options, struct mx_fit_result *result,
           struct dg_error *err) DG_MUST_USE;
double complex mx_fit_evaluate(const struct mx_fit_model *model, double omega);
