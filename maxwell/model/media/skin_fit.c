/* Fits resistors beside inductors to an impedance: skin_fit.h. */
#include "maxwell/model/media/skin_fit.h"

#include <math.h>
#include <string.h>

/* ---- least squares with unknowns >= 0 */

struct problem {
  size_t n;
  double A[MX_SKIN_FITTED][MX_SKIN_FITTED], b[MX_SKIN_FITTED]; /* of the normal equations */
};

/* Solves A x = b for the unknowns that are free, by Cholesky; the others are 0. Returns false if A is not positive. */
static int solve_free(const struct problem *p, const int *free_one, double *x)
{
  double L[MX_SKIN_FITTED][MX_SKIN_FITTED], y[MX_SKIN_FITTED];
  size_t at[MX_SKIN_FITTED], m = 0;
  for (size_t i = 0; i < p->n; i++) {
    x[i] = 0;
    if (free_one[i]) at[m++] = i;
  }
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j <= i; j++) {
      double sum = p->A[at[i]][at[j]];
      for (size_t k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      if (i == j && !(sum > 1e-14 * p->A[at[i]][at[i]])) return 0;
      L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
    }
    y[i] = p->b[at[i]];
    for (size_t k = 0; k < i; k++) y[i] -= L[i][k] * y[k];
    y[i] /= L[i][i];
  }
  for (size_t i = m; i-- > 0;) {
    for (size_t k = i + 1; k < m; k++) y[i] -= L[k][i] * y[k];
    y[i] /= L[i][i];
    x[at[i]] = y[i];
  }
  return 1;
}

/* Moves x towards z as far as the free unknowns stay >= 0, and holds those that have become 0. */
static void move_inside(size_t n, int *free_one, const double *z, double *x)
{
  double share = 1;
  for (size_t i = 0; i < n; i++)
    if (free_one[i] && z[i] <= 0) share = fmin(share, x[i] / (x[i] - z[i]));
  for (size_t i = 0; i < n; i++) {
    x[i] += share * (z[i] - x[i]);
    if (free_one[i] && x[i] <= 1e-14) free_one[i] = 0, x[i] = 0;
  }
}

/* C. L. Lawson, R. J. Hanson, Solving Least Squares Problems (1974), chapter 23. */
static void least_squares(const struct problem *p, double *x)
{
  int free_one[MX_SKIN_FITTED] = {0};
  for (size_t i = 0; i < p->n; i++) x[i] = 0;
  for (int round = 0; round < 3 * MX_SKIN_FITTED; round++) {
    double most = 1e-12, z[MX_SKIN_FITTED];
    size_t best = p->n;
    for (size_t i = 0; i < p->n; i++) {
      double gain = p->b[i];
      for (size_t j = 0; j < p->n; j++) gain -= p->A[i][j] * x[j];
      if (!free_one[i] && gain > most) most = gain, best = i;
    }
    if (best == p->n) return;
    free_one[best] = 1;
    for (int i = 0; i < MX_SKIN_FITTED; i++) {
      double least = 0;
      if (!solve_free(p, free_one, z)) {
        free_one[best] = 0;
        return;
      }
      for (size_t k = 0; k < p->n; k++) least = free_one[k] ? fmin(least, z[k]) : least;
      if (least >= 0) break;
      move_inside(p->n, free_one, z, x);
    }
    memcpy(x, z, p->n * sizeof *x);
  }
}

/* ---- the fit: rates in equal steps of their logarithm, and the ends of their range by trial */

void mx_skin_points(double from, double to, struct mx_skin_target *target)
{
  for (int i = 0; i < MX_SKIN_POINTS; i++) target->w[i] = to * pow(from / to, 1 - i / (MX_SKIN_POINTS - 1.0));
}

static double complex summand(double w, double rate) { return I * w / (I * w + rate); }

double mx_skin_distance(const struct mx_skin_target *target, size_t first, const struct mx_skin *skin)
{
  double worst = 0;
  for (int i = 0; i < MX_SKIN_POINTS; i++) {
    double complex sum = -target->value[i];
    for (size_t k = first; k < skin->poles; k++) sum += skin->resistance[k] * summand(target->w[i], skin->rate[k]);
    worst = fmax(worst, cabs(sum / target->scale[i]));
  }
  return worst;
}

static double fit_with(const struct mx_skin_target *target, double slow, double fast, size_t poles,
                       struct mx_skin *skin)
{
  struct problem p = {.n = poles};
  double x[MX_SKIN_FITTED];
  *skin = (struct mx_skin){0};
  for (size_t k = 0; k < poles; k++)
    skin->rate[k] = slow * pow(fast / slow, poles > 1 ? (double)k / (double)(poles - 1) : 0);
  for (int i = 0; i < MX_SKIN_POINTS; i++) {
    double complex row[MX_SKIN_FITTED], wanted = target->value[i] / target->scale[i];
    for (size_t k = 0; k < poles; k++) {
      row[k] = summand(target->w[i], skin->rate[k]) / target->scale[i];
      p.b[k] += creal(row[k] * conj(wanted));
      for (size_t l = 0; l <= k; l++) p.A[k][l] = p.A[l][k] = p.A[l][k] + creal(row[k] * conj(row[l]));
    }
  }
  least_squares(&p, x);
  for (size_t k = 0; k < poles; k++) { /* those that are 0 drop out */
    if (!(x[k] > 0)) continue;
    skin->rate[skin->poles] = skin->rate[k];
    skin->resistance[skin->poles++] = x[k];
  }
  return mx_skin_distance(target, 0, skin);
}

static int good_enough(double error) { return error <= MX_SKIN_ERROR; }

/* The fastest pole, which comes last. */
static double fastest(const struct mx_skin *skin) { return skin->rate[skin->poles - 1]; }

/* Of all fits with as many poles that are good enough, takes the slowest one: fast poles limit the step of Runge-Kutta.
 */
double mx_skin_fit_to(const struct mx_skin_target *target, double slow, double fast, struct mx_skin *skin)
{
  enum { TRIALS = 24 };
  const double widest = 60; /* how far the range of the rates may go beyond the band */
  struct mx_skin found = {0};
  double best = mx_skin_distance(target, 0, &found);
  for (size_t poles = 1; poles <= MX_SKIN_FITTED && !good_enough(best); poles++)
    for (int i = 0; i < TRIALS * TRIALS; i++) {
      const int across = i % TRIALS, up = i / TRIALS;
      struct mx_skin trial;
      const double below = pow(widest, across / (TRIALS - 1.0)), above = pow(widest, up / (TRIALS - 1.0)),
                   error = fit_with(target, slow / below, fast * above, poles, &trial);
      if (trial.poles == 0 || !(error < best || good_enough(error))) continue;
      if (good_enough(best) && fastest(&trial) >= fastest(&found)) continue;
      best = error;
      found = trial;
    }
  for (size_t k = 0; k < found.poles && skin->poles < MX_SKIN_POLES; k++) {
    skin->rate[skin->poles] = found.rate[k];
    skin->resistance[skin->poles++] = found.resistance[k];
  }
  return best;
}
