/* The least-squares fit of all modes of a record at once. inversion.c calls it with what the library has found. */
#include "maxwell/resonance/fit.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/ref/dense.h"

static const double two_pi = 6.283185307179586477;

/* Parameters: the constant c, then for every mode Re and Im of a, and Re and Im of w T; the mode is Re(a exp(i w t)),
 * T the length of the record. */
enum { OF_MODE = 4, BLOCK = 128 };

struct fit {
  const struct mx_signal *signal;
  double length; /* T, s */
  size_t modes, size;
  double *p, *trial; /* [size] */
  double *A;         /* [size][size] normal matrix, lower triangle */
  double *b;         /* [size] */
  double *L;         /* [size][size] factor */
  double *row;       /* [BLOCK][size] derivatives at samples */
  double *rest;      /* [BLOCK] what is left of samples */
  double *product;   /* [size][size] */
  double complex *wave, *turn;
};

static int allocate(struct fit *fit, size_t modes, struct dg_error *err)
{
  const size_t n = 1 + OF_MODE * modes;
  if (DG_NEW(fit->p, n, err) != 0 || DG_NEW(fit->trial, n, err) != 0 || DG_NEW(fit->A, n * n, err) != 0 ||
      DG_NEW(fit->b, n, err) != 0 || DG_NEW(fit->L, n * n, err) != 0 || DG_NEW(fit->row, BLOCK * n, err) != 0 ||
      DG_NEW(fit->rest, BLOCK, err) != 0 || DG_NEW(fit->product, n * n, err) != 0 ||
      DG_NEW(fit->wave, modes, err) != 0 || DG_NEW(fit->turn, modes, err) != 0)
    return err->code;
  return 0;
}

static void release(struct fit *fit)
{
  void *arrays[] = {fit->p,   fit->trial, fit->A,       fit->b,    fit->L,
                    fit->row, fit->rest,  fit->product, fit->wave, fit->turn};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) dg_free(arrays[i]);
}

static void to_parameters(struct fit *fit, const struct mx_ringing *mode)
{
  for (size_t k = 0; k < fit->modes; k++) {
    double *p = fit->p + 1 + OF_MODE * k;
    p[0] = mode[k].amplitude * cos(mode[k].phase);
    p[1] = mode[k].amplitude * sin(mode[k].phase);
    p[2] = two_pi * mode[k].frequency * fit->length;
    p[3] = mode[k].decay * fit->length;
  }
}

/* Computes what the model with parameters p leaves of a block of samples, and the derivatives there. The waves are
 * computed anew at its first sample, so that products do not add up their rounding. */
static void block(struct fit *fit, const double *p, size_t first, size_t count)
{
  const double step = fit->signal->interval / fit->length;
  for (size_t i = 0; i < count; i++) {
    const double t = (double)(first + i) * step;
    double *row = fit->row + i * fit->size, model = p[0];
    *row++ = 1;
    for (size_t k = 0; k < fit->modes; k++, row += OF_MODE) {
      const double *q = p + 1 + OF_MODE * k;
      if (i == 0) {
        const double complex iw = q[2] * I - q[3];
        fit->turn[k] = cexp(iw * step);
        fit->wave[k] = cexp(iw * t);
      }
      const double complex wave = fit->wave[k], value = (q[0] + q[1] * I) * wave;
      fit->wave[k] = wave * fit->turn[k];
      model += creal(value);
      row[0] = creal(wave);
      row[1] = -cimag(wave);
      row[2] = -t * cimag(value);
      row[3] = -t * creal(value);
    }
    fit->rest[i] = fit->signal->value[first + i] - model;
  }
}

/* The sum of squares that the model with parameters p leaves; with `normal` also A and b of the linearised fit. */
static int evaluate(struct fit *fit, const double *p, bool normal, double *sum, struct dg_error *err)
{
  const size_t n = fit->size, N = fit->signal->count;
  *sum = 0;
  if (normal) memset(fit->A, 0, n * n * sizeof *fit->A), memset(fit->b, 0, n * sizeof *fit->b);
  for (size_t first = 0; first < N; first += BLOCK) {
    const size_t count = N - first < BLOCK ? N - first : BLOCK;
    block(fit, p, first, count);
    for (size_t i = 0; i < count; i++) *sum += fit->rest[i] * fit->rest[i];
    if (!normal) continue;
    if (dg_dense_multiply((int)n, (int)n, (int)count, fit->row, true, fit->row, fit->product, err) != 0)
      return err->code;
    for (size_t i = 0; i < n * n; i++) fit->A[i] += fit->product[i];
    for (size_t i = 0; i < count; i++)
      for (size_t r = 0; r < n; r++) fit->b[r] += fit->row[i * n + r] * fit->rest[i];
  }
  return 0;
}

/* Factors A, scaled to a unit diagonal and with `damping` on it. False: not definite. */
static bool factor(struct fit *fit, double damping)
{
  const size_t n = fit->size;
  for (size_t r = 0; r < n; r++)
    for (size_t s = 0; s <= r; s++) {
      const double scale = sqrt(fit->A[r * n + r] * fit->A[s * n + s]);
      double x = r == s ? 1 + damping : scale > 0 ? fit->A[r * n + s] / scale : 0;
      for (size_t k = 0; k < s; k++) x -= fit->L[r * n + k] * fit->L[s * n + k];
      if (r == s && !(x > 0)) return false;
      fit->L[r * n + s] = r == s ? sqrt(x) : x / fit->L[s * n + s];
    }
  return true;
}

/* Solves L L^T x = b of the scaled system in place. */
static void solve(const struct fit *fit, double *x)
{
  const size_t n = fit->size;
  for (size_t r = 0; r < n; r++) {
    for (size_t k = 0; k < r; k++) x[r] -= fit->L[r * n + k] * x[k];
    x[r] /= fit->L[r * n + r];
  }
  for (size_t r = n; r-- > 0;) {
    for (size_t k = r + 1; k < n; k++) x[r] -= fit->L[k * n + r] * x[k];
    x[r] /= fit->L[r * n + r];
  }
}

static double unit(const struct fit *fit, size_t r)
{
  const double a = fit->A[r * fit->size + r];
  return a > 0 ? 1 / sqrt(a) : 0;
}

/* Levenberg's and Marquardt's iteration from fit->p on, of so many steps at most. *sum: the sum of squares that is
 * left. */
static int iterate(struct fit *fit, int most, double *sum, struct dg_error *err)
{
  const double enough = 1e-13, hopeless = 1e8;
  double damping = 1e-6, better;
  if (evaluate(fit, fit->p, true, sum, err) != 0) return err->code;
  for (int i = 0; i < most && damping < hopeless; i++) {
    double moved = 0, *x = fit->trial;
    if (!factor(fit, damping)) {
      damping *= 10;
      continue;
    }
    for (size_t r = 0; r < fit->size; r++) x[r] = fit->b[r] * unit(fit, r);
    solve(fit, x);
    for (size_t r = 0; r < fit->size; r++) {
      const double change = x[r] * unit(fit, r);
      if (r > 0 && (r - 1) % OF_MODE >= 2) moved = fmax(moved, fabs(change));
      x[r] = fit->p[r] + change;
    }
    if (evaluate(fit, x, false, &better, err) != 0) return err->code;
    if (!(better <= *sum)) {
      if (moved < enough) break;
      damping *= 10;
      continue;
    }
    const bool done = moved < enough || better > *sum * (1 - enough);
    memcpy(fit->p, x, fit->size * sizeof *x);
    if (evaluate(fit, fit->p, true, sum, err) != 0) return err->code;
    damping = fmax(damping / 10, 1e-14);
    if (done) break;
  }
  return 0;
}

/* The square of the standard error of parameter r, by the covariance of the fit; L must be that of no damping. */
static double variance(struct fit *fit, size_t r, double noise)
{
  double *x = fit->trial;
  memset(x, 0, fit->size * sizeof *x);
  x[r] = 1;
  solve(fit, x);
  return noise * x[r] * unit(fit, r) * unit(fit, r);
}

/* Turns parameters into modes and drops what is not there. False: nothing was dropped. */
static bool to_modes(struct fit *fit, double sum, struct mx_ringing *mode, size_t *count)
{
  const double sure = 6; /* errors; noise alone has a mode of three or four errors somewhere */
  const double rounding = 1e-10;
  const double samples = (double)fit->signal->count, free = fmax(samples - (double)fit->size, 1);
  const double noise = sum / free;
  size_t kept = 0;
  for (size_t k = 0; k < fit->modes; k++) {
    const double *p = fit->p + 1 + OF_MODE * k;
    double error[OF_MODE];
    for (size_t c = 0; c < OF_MODE; c++) error[c] = variance(fit, 1 + OF_MODE * k + c, noise);
    const double amplitude = hypot(p[0], p[1]), w = hypot(p[2], p[3]);
    if (!(amplitude * amplitude > sure * sure * (error[0] + error[1]) / 2) || amplitude < rounding || p[2] <= 0)
      continue;
    mode[kept++] = (struct mx_ringing){.frequency = p[2] / (two_pi * fit->length),
                                       .decay = p[3] / fit->length,
                                       .amplitude = amplitude,
                                       .phase = atan2(p[1], p[0]),
                                       .error = sqrt((error[2] + error[3]) / 2) / w};
  }
  *count = kept;
  return kept < fit->modes;
}

static int by_amplitude(const void *a, const void *b)
{
  const struct mx_ringing *one = a, *other = b;
  return (one->amplitude < other->amplitude) - (one->amplitude > other->amplitude);
}

/* The most modes that a record of so many samples can be fitted with, and that do not take too long. */
static size_t most_modes(size_t samples)
{
  const double work = 2e8; /* multiplications of an iteration */
  const double size = fmin(sqrt(work / (double)samples), (double)samples / 2);
  return (size_t)fmax((size - 1) / OF_MODE, 0);
}

int mx_fit_modes(const struct mx_signal *signal, struct mx_ringing *mode, size_t *count, struct mx_fitted *fitted,
                 struct dg_error *err)
{
  enum { ROUNDS = 8, FIRST = 6, MOST = 60 }; /* what is not there shows behind a few steps, and costs most */
  struct fit fit = {.signal = signal, .length = signal->interval * (double)signal->count};
  const size_t most = most_modes(signal->count);
  bool dropped = true;
  *fitted = (struct mx_fitted){.left = INFINITY};
  if (*count > most) {
    qsort(mode, *count, sizeof *mode, by_amplitude);
    *count = most;
  }
  if (allocate(&fit, *count, err) != 0) goto fail;
  for (int i = 0; i < ROUNDS && dropped; i++) {
    double sum;
    fit.modes = *count;
    fit.size = 1 + OF_MODE * fit.modes;
    fit.p[0] = fitted->constant;
    to_parameters(&fit, mode);
    if (iterate(&fit, i == 0 ? FIRST : MOST, &sum, err) != 0) goto fail;
    if (!isfinite(sum) || !factor(&fit, 1e-15)) goto fail;
    dropped = to_modes(&fit, sum, mode, count);
    fitted->constant = fit.p[0];
    if (i == 0) dropped = true;
    if (!dropped) fitted->left = sum / (double)signal->count;
  }
fail:
  release(&fit);
  return err->code;
}

int mx_fit_rest(const struct mx_signal *signal, const struct mx_ringing *mode, size_t count,
                const struct mx_fitted *fitted, double *rest, struct dg_error *err)
{
  struct fit fit = {.signal = signal,
                    .length = signal->interval * (double)signal->count,
                    .modes = count,
                    .size = 1 + OF_MODE * count};
  if (allocate(&fit, count, err) != 0) goto fail;
  fit.p[0] = fitted->constant;
  to_parameters(&fit, mode);
  for (size_t first = 0; first < signal->count; first += BLOCK) {
    const size_t samples = signal->count - first < BLOCK ? signal->count - first : BLOCK;
    block(&fit, fit.p, first, samples);
    memcpy(rest + first, fit.rest, samples * sizeof *rest);
  }
fail:
  release(&fit);
  return err->code;
}
