/* The rows of poles in the table of responses: pole_forms.h says which media they are.
 *
 * The poles give a current, dP/dt = C x + D E with the states x, dx/dt = A x + B E. A real pole has the state P:
 * A = C = a, B = D = c. Drude has the current over wp: A = -gamma, B = C = wp. A pair has P and (dP/dt - b1 E)/w0:
 * A = (0 w0; -w0 -g), B = (b1, (b0 - g b1)/w0), C = (0 w0), D = b1. A is made of blocks of one or two states.
 *
 * Leapfrog takes means of old and new (h: the step, E at whole steps, x too), which for a linear system is the
 * trapezoidal rule:
 *     x' = T x + K (E + E'),  T = (1 - hA/2)^-1 (1 + hA/2),  K = (1 - hA/2)^-1 B h/2,
 *     P' - P = h C (x + x')/2 + h D (E + E')/2.
 * What the states store, V = x.Q x/2, and lose, a square l, obey dV/dt = E dP/dt - l for all x and E, which is an
 * identity of quadratic forms; put the means into it and it says V' - V = (P' - P).(E + E')/2 - h l(means). So the
 * discrete energy eps E.E/2 + V + .. only falls, whatever the step is; and at z = -1, where leapfrog is at its limit,
 * all means vanish: the limit is that of eps_inf, with any poles.
 *
 * P' would want E, which is gone behind a pass that works in place. The states are therefore s = T x + K E, from which
 *     x' = s + K E',   s' = T s + (T + 1) K E',   h C (x + x')/2 = G (s - K E) + (h/2) C K (E + E'),
 *     G = h C (1 + hA/2)^-1,
 * so that with the mass eps and what else the pass knows, and eta = h C K + h D,
 *     (eps + eta/2) E' = (eps - eta/2 + G K) E + h R - G s.
 * What multiplies E goes with the pass's loss. This wants 1 + hA/2 to have an inverse: the decay of a pole must be
 * slower than about the step. A faster one is taken as slow as the step: its terms keep their value at rest (Drude: its
 * conductivity), which is what fields see that the step resolves. Runge-Kutta, whose states are x, slows real poles
 * down to what its region of stability has room for; the search for the limit sees all others as they are.
 *
 * Poles of mu do the same to H, which lives at half steps, H- before t_n and H+ behind it, and so do the states x- and
 * x+. With <E, C H> the product of the curl and all of it lossless, a step changes the energy of E at whole steps by h
 * <mean of E, C H> and that of H at half steps by -h <E, C mean of H>, so that (eps E.E/2 + V of E at t_n) + (mu
 * H+.H+/2 + V(x+)) + (h/2) <E, C H+> stays as it is. The last term is smaller than the first parts of both others up to
 * leapfrog's limit of eps and mu alone, whatever the poles are. With h C^T E = -(mu (H+ - H-) + M+ - M-), and losses
 * half a step later or earlier, it is eps E.E/2 + V of E + mu H-.H+/2 + (V(x-) + V(x+))/2 - (M+ - M-).(H+ - H-)/4 and
 * the lag of mu's own loss (time/medium.h). V(x-) + V(x+) is 2 V(mean) + V(x+ - x-)/2, and the product is the
 * difference of two squares, so that the energy at t_n has 2 n + 2 squares of states n. What is lost at t_n is that of
 * the means of H- and H+, of x- and x+. The states that are there are s of behind H+, from which
 *     x+ = T^-1 (s - K H+),   x- = T^-1 (x+ - K (H+ + H-)).
 * A medium at rest at t = 0 has x- = -(h/2) B H to first order, for which x- = -K H is taken.
 *
 * The squares. Real pole: V = P^2/(2 delta), l = (delta E - P)^2/(delta tau), delta = -c/a, tau = -1/a. Drude:
 * V = J^2/(2 wp^2), l = gamma J^2/wp^2. Pair: Re (s chi) at s = j w is w^2 (b1 w^2 + r^2)/|..|^2, r^2 = g b0 - b1 w0^2,
 * so that l is the square of the output of s (q s + r)/(s^2 + g s + w0^2), q^2 = b1, whose row in x and E solves two
 * equations, and Q follows from comparing coefficients (the lemma of Kalman, Yakubovich and Popov). Poles of which one
 * alone would amplify have one energy together, which storage.c finds once for a medium; their times are slowed down
 * together, which keeps Q.
 *
 * Sources: the mean of old and new is chapter 8 of K. S. Kunz and R. J. Luebbers, The Finite Difference Time Domain
 * Method for Electromagnetics (1993); pole-residue pairs: M. Han, R. W. Dutton, S. Fan, IEEE Microw. Wireless Compon.
 * Lett. 16 (2006) 119. The form without the old E is ours, share/doc/design/time.md has the proofs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "maxwell/response/pole_blocks.h"
#include "maxwell/response/pole_rows.h"
#include "maxwell/response/storage.h"

_Static_assert((int)MX_STORAGE_MOST == (int)MX_POLE_STATES, "storage.h has room for all states");

static const double c0 = 299792458.0;

/* ---- poles as numbers */

static int count_of(const double *parameter) { return (int)parameter[MX_POLES_COUNT]; }

static bool is_joint(const double *parameter) { return parameter[MX_POLES_JOINT] != 0; }

static double *pole_of(double *parameter, int i) { return parameter + MX_POLES_FIRST + MX_POLES_EACH * i; }

static const double *const_pole_of(const double *parameter, int i)
{
  return parameter + MX_POLES_FIRST + MX_POLES_EACH * i;
}

static enum mx_pole_form form_of(const double *pole) { return (enum mx_pole_form)(int)pole[0]; }

/* The fastest decay of a pole, 1/m. */
static double decay_of(const double *pole)
{
  if (form_of(pole) == MX_POLE_REAL) return -pole[2];
  if (form_of(pole) == MX_POLE_DRUDE) return pole[2];
  const double half = pole[3] / 2, square = half * half - pole[4];
  return square > 0 ? half + sqrt(square) : half;
}

/* A pole whose time is 1/k as fast: chi(s) becomes chi(s/k), and of Drude k chi(s/k), which keeps the conductivity. */
static void slow_down(double *pole, double k)
{
  pole[1] *= k;
  pole[2] *= form_of(pole) == MX_POLE_PAIR ? k * k : k;
  if (form_of(pole) != MX_POLE_PAIR) return;
  pole[3] *= k;
  pole[4] *= k * k;
}

/* A pole whose s chi(s) becomes k times that of s/k: A, B, C and D of its system are k times as large. */
static void slow_all(double *pole, double k)
{
  slow_down(pole, k);
  if (form_of(pole) == MX_POLE_DRUDE) pole[1] *= k;
}

/* The permittivity at rest of all real poles. */
static double of_real_poles(const double *parameter)
{
  double sum = 0;
  for (int i = 0; i < count_of(parameter); i++) {
    const double *pole = const_pole_of(parameter, i);
    if (form_of(pole) == MX_POLE_REAL) sum += -pole[1] / pole[2];
  }
  return sum;
}

static double relaxation(double epsilon, const double *parameter)
{
  const double slow = 1 + of_real_poles(parameter) / epsilon;
  double fastest = 0;
  for (int i = 0; i < count_of(parameter); i++) {
    const double *pole = const_pole_of(parameter, i);
    double rate = decay_of(pole);
    if (form_of(pole) == MX_POLE_REAL) rate *= slow;
    else if (form_of(pole) == MX_POLE_DRUDE) rate += sqrt(pole[1] / epsilon);
    else rate += pole[1] / epsilon + sqrt(pole[4] + fmax(pole[2], 0) / epsilon);
    fastest = fmax(fastest, rate);
  }
  return fastest;
}

static void follow(const struct mx_response_scheme *scheme, double epsilon, const double *parameter, double *followed)
{
  const int count = count_of(parameter);
  const double slow = scheme->staggered ? 1 : 1 + fmax(of_real_poles(parameter), 0) / epsilon,
               most = (scheme->staggered ? 1 : scheme->bound) / (scheme->step * slow);
  double together = 1;
  memcpy(followed, parameter, (size_t)(MX_POLES_FIRST + MX_POLES_EACH * count) * sizeof *followed);
  for (int i = 0; i < count; i++) {
    double *pole = pole_of(followed, i);
    const double decay = decay_of(pole);
    if (!(decay > most) || (!scheme->staggered && form_of(pole) != MX_POLE_REAL)) continue;
    if (is_joint(parameter)) together = fmin(together, most / decay);
    else slow_down(pole, most / decay);
  }
  if (!(together < 1)) return;
  for (int i = 0; i < count; i++) slow_all(pole_of(followed, i), together);
  followed[MX_POLES_JOINT] *= together;
}

static double addition(const double *parameter, double wave_number)
{
  const double k = wave_number;
  double sum = 0;
  for (int i = 0; i < count_of(parameter); i++) {
    const double *p = const_pole_of(parameter, i) + 1;
    if (form_of(p - 1) == MX_POLE_REAL) sum += -p[0] * p[1] / (p[1] * p[1] + k * k);
    else if (form_of(p - 1) == MX_POLE_DRUDE) sum -= k > 0 ? p[0] / (k * k + p[1] * p[1]) : 0;
    else {
      const double re = p[3] - k * k, im = k * p[2];
      sum += (p[1] * re + k * p[0] * im) / (re * re + im * im);
    }
  }
  return sum;
}

/* The terms of pole_forms.h at s = jk, whose imaginary part is -e'': k e''. */
double mx_poles_conduct(const double *parameter, double wave_number)
{
  const double k = wave_number;
  double sum = 0;
  for (int i = 0; i < count_of(parameter); i++) {
    const double *p = const_pole_of(parameter, i) + 1;
    if (form_of(p - 1) == MX_POLE_REAL) sum += p[0] * k * k / (p[1] * p[1] + k * k);
    else if (form_of(p - 1) == MX_POLE_DRUDE) sum += p[1] > 0 ? p[0] * p[1] / (k * k + p[1] * p[1]) : 0;
    else {
      const double re = p[3] - k * k, im = k * p[2];
      sum += k * (p[1] * im - k * p[0] * re) / (re * re + im * im);
    }
  }
  return sum;
}

static int additions(const double *parameter, double wave_number, double to[MX_RESPONSE_WAVES][2])
{
  to[0][0] = addition(parameter, wave_number);
  to[0][1] = mx_poles_conduct(parameter, wave_number) / wave_number;
  return 1;
}

/* ---- the system of one pole, a block */

/* Rows R with R^T R = Q/2, from the numbers of a positive Q. */
static void square_rows(double q00, double q01, double q11, double V[2][2])
{
  V[0][0] = sqrt(q00 / 2);
  V[0][1] = q00 > 0 ? q01 / 2 / V[0][0] : 0;
  V[1][1] = sqrt(fmax(q11 / 2 - V[0][1] * V[0][1], 0));
}

static struct mx_pole_block pair_of(const double *p, bool joint)
{
  const double b1 = p[0], b0 = p[1], g = p[2], w0 = sqrt(p[3]), q = sqrt(fmax(b1, 0)),
               r = sqrt(fmax(g * b0 - b1 * p[3], 0));
  struct mx_pole_block b = {.n = 2, .A = {{0, w0}, {-w0, -g}}, .B = {b1, (b0 - g * b1) / w0}, .C = {0, w0}, .D = b1};
  if (joint) return b;
  /* x = (b1 s + b0, ((b0 - g b1) s - b1 w0^2)/w0) E/(s^2 + g s + w0^2), and l wants (r - q g) s - q w0^2 of it */
  const double x1[2] = {b1, b0}, x2[2] = {b.B[1], -b1 * w0}, want[2] = {r - q * g, -q * p[3]};
  const double det = x1[0] * x2[1] - x1[1] * x2[0];
  b.l[0] = (want[0] * x2[1] - want[1] * x2[0]) / det;
  b.l[1] = (x1[0] * want[1] - x1[1] * want[0]) / det;
  b.l[2] = q;
  /* -(Q A + A^T Q)/2 = l l^T in x and Q B = C^T - 2 q l: with Q01 = k, the first says w0 k = l0^2 */
  const double k = b.l[0] * b.l[0] / w0;
  double q11;
  if (g > 0) q11 = (b.l[1] * b.l[1] + w0 * k) / g;
  else q11 = p[3] / b0; /* without losses */
  square_rows(q11 + (g * k - 2 * b.l[0] * b.l[1]) / w0, k, q11, b.V);
  return b;
}

/* With `joint` the block has no energy of its own. */
static struct mx_pole_block block_of(const double *pole, bool joint)
{
  const double *p = pole + 1;
  if (form_of(pole) == MX_POLE_PAIR) return pair_of(p, joint);
  struct mx_pole_block b = {.n = 1};
  if (form_of(pole) == MX_POLE_REAL) {
    const double delta = -p[0] / p[1], root = sqrt(p[0] / delta) / sqrt(delta); /* 1/sqrt(delta tau) */
    b.A[0][0] = b.C[0] = p[1];
    b.B[0] = b.D = p[0];
    if (joint) return b;
    b.V[0][0] = sqrt(0.5 / delta);
    b.l[0] = -root;
    b.l[2] = delta * root;
  } else {
    b.free = true;
    b.A[0][0] = -p[1];
    b.B[0] = b.C[0] = sqrt(p[0]);
    b.V[0][0] = sqrt(0.5);
    b.l[0] = sqrt(p[1]);
  }
  return b;
}

/* ---- in time */

static void invert(int n, const double M[2][2], double W[2][2])
{
  if (n == 1) {
    W[0][0] = 1 / M[0][0];
    return;
  }
  const double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
  W[0][0] = M[1][1] / det, W[0][1] = -M[0][1] / det, W[1][0] = -M[1][0] / det, W[1][1] = M[0][0] / det;
}

static void multiply(int n, const double X[2][2], const double Y[2][2], double Z[2][2])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      Z[i][j] = 0;
      for (int k = 0; k < n; k++) Z[i][j] += X[i][k] * Y[k][j];
    }
}

static struct mx_pole_means means_of(const struct mx_pole_block *b, double h)
{
  struct mx_pole_means m = {.K = {0, 0}};
  double minus[2][2] = {{0}}, plus[2][2] = {{0}}, W[2][2] = {{0}}, U[2][2] = {{0}};
  for (int i = 0; i < b->n; i++)
    for (int j = 0; j < b->n; j++) {
      minus[i][j] = (i == j) - h / 2 * b->A[i][j];
      plus[i][j] = (i == j) + h / 2 * b->A[i][j];
    }
  invert(b->n, (const double(*)[2])minus, W);
  invert(b->n, (const double(*)[2])plus, U);
  multiply(b->n, (const double(*)[2])W, (const double(*)[2])plus, m.T);
  multiply(b->n, (const double(*)[2])U, (const double(*)[2])minus, m.back);
  for (int i = 0; i < b->n; i++)
    for (int j = 0; j < b->n; j++) {
      m.K[i] += W[i][j] * b->B[j] * h / 2;
      m.G[j] += h * b->C[i] * U[i][j];
    }
  return m;
}

static struct mx_response_share share(const struct mx_response_scheme *scheme, const double *parameter)
{
  const double h = scheme->step;
  struct mx_response_share sum = {0, 0};
  for (int i = 0; i < count_of(parameter); i++) {
    const struct mx_pole_block b = block_of(const_pole_of(parameter, i), true);
    const struct mx_pole_means m = means_of(&b, h);
    double eta = h * b.D, back = 0;
    for (int q = 0; q < b.n; q++) {
      eta += h * b.C[q] * m.K[q];
      back += m.G[q] * m.K[q];
    }
    sum.mass += eta / 2;
    sum.loss += eta - back;
  }
  return sum;
}

static void find_blocks(struct mx_pole_blocks *all, const double *parameter, double h)
{
  all->count = all->states = 0;
  for (int pairs = 1; pairs >= 0; pairs--)
    for (int i = 0; i < count_of(parameter); i++) {
      const double *pole = const_pole_of(parameter, i);
      if ((form_of(pole) == MX_POLE_PAIR) != (pairs == 1)) continue;
      const int at = all->count++;
      all->block[at] = block_of(pole, is_joint(parameter));
      if (h > 0) all->means[at] = means_of(&all->block[at], h);
      all->first[at] = all->states;
      all->states += all->block[at].n;
    }
}

/* Makes a square from a row in all states x and E: with leapfrog x = back (s - K E). */
static struct mx_square square_of(const struct mx_pole_blocks *all, bool staggered, const double *row, double of_E)
{
  struct mx_square square = {.weight = 1, .field = of_E};
  for (int at = 0; at < all->count; at++) {
    const struct mx_pole_means *m = &all->means[at];
    const int n = all->block[at].n, first = all->first[at];
    for (int j = 0; j < n; j++) {
      double x = staggered ? 0 : row[first + j];
      for (int i = 0; i < n && staggered; i++) x += row[first + i] * m->back[i][j];
      square.state[first + j] = x;
      if (staggered) square.field -= x * m->K[j];
    }
  }
  return square;
}

/* The squares of poles that are passive each. */
static void put_own_squares(const struct mx_pole_blocks *all, bool staggered, struct mx_response_entry *entry)
{
  for (int at = 0; at < all->count; at++) {
    const struct mx_pole_block *b = &all->block[at];
    for (int i = 0; i <= b->n; i++) {
      double row[MX_POLE_STATES] = {0};
      for (int j = 0; j < b->n; j++) row[all->first[at] + j] = i < b->n ? b->V[i][j] : b->l[j];
      if (i < b->n) entry->energy[all->first[at] + i] = square_of(all, staggered, row, 0);
      else entry->loss[at] = square_of(all, staggered, row, b->l[2]);
    }
  }
}

/* Where the numbers of the joint energy stand: see pole_forms.h. */
static int joint_at(int states) { return MX_POLES_FIRST + MX_POLES_EACH * states; }

/* The squares of the joint energy: Q/2 = R^T R by Cholesky's rows. With `slower` poles l is as large as its root. */
static void put_joint_squares(const struct mx_pole_blocks *all, int states, bool staggered, const double *parameter,
                              double slower, struct mx_response_entry *entry)
{
  const double *number = parameter + joint_at(states);
  const int n = all->states;
  double R[MX_POLE_STATES][MX_POLE_STATES] = {{0}}, row[MX_POLE_STATES] = {0};
  for (int i = 0; i < n; i++) {
    for (int j = i; j < n; j++) {
      R[i][j] = *number++ / 2;
      for (int k = 0; k < i; k++) R[i][j] -= R[k][i] * R[k][j];
    }
    const double root = sqrt(fmax(R[i][i], 0));
    for (int j = i; j < n; j++) R[i][j] = root > 0 ? R[i][j] / root : 0;
    entry->energy[i] = square_of(all, staggered, R[i], 0);
  }
  for (int i = 0; i < n; i++) row[i] = sqrt(slower) * number[i];
  entry->loss[0] = square_of(all, staggered, row, sqrt(slower) * number[n]);
  /* What the square has of sigma's own loss, which is counted as the medium's. Where sigma has no part, l[n]^2 is D. */
  double sigma = slower * number[n] * number[n];
  for (int at = 0; at < all->count; at++) sigma -= all->block[at].D;
  if (sigma > 1e-6 * slower * number[n] * number[n]) entry->loss[1] = (struct mx_square){.weight = -sigma, .field = 1};
}

/* Puts a block whose first state is `first` into the list of coefficients of the point functions (poles_points.h). */
static void put(int states, int first, int n, const double *g, const double T[2][2], const double *m, double *c)
{
  for (int i = 0; i < n; i++) {
    const int at = first + i, row = at % 2;
    double *list = c + 8 * (at / 2);
    if (at == states - 1 && states % 2 != 0) {
      list[0] = g[i], list[1] = T[i][i], list[2] = m[i];
      continue;
    }
    list[row] = g[i];
    for (int j = 0; j < n; j++) list[2 + 2 * row + (first + j) % 2] = T[i][j];
    list[6 + row] = m[i];
  }
}

static void put_staggered(int states, int first, const struct mx_pole_block *b, const struct mx_pole_means *m,
                          double mass, double *c)
{
  double g[2], more[2];
  for (int i = 0; i < b->n; i++) {
    g[i] = -m->G[i] / mass;
    more[i] = m->K[i];
    for (int j = 0; j < b->n; j++) more[i] += m->T[i][j] * m->K[j];
  }
  put(states, first, b->n, g, (const double(*)[2])m->T, more, c);
}

static void put_rates(int states, int first, const struct mx_pole_block *b, double mass, double *c)
{
  double g[2];
  for (int i = 0; i < b->n; i++) g[i] = -b->C[i] / mass;
  put(states, first, b->n, g, (const double(*)[2])b->A, b->B, c);
  c[4 * states] -= b->D / mass;
}

static void prepare_for(int states, const struct mx_response_scheme *scheme, const struct mx_response_medium *medium,
                        const double *parameter, struct mx_response_entry *entry, double *coefficient)
{
  const bool as_states = scheme->staggered && medium->of == 0;
  struct mx_pole_blocks all = {.count = 0};
  find_blocks(&all, parameter, scheme->staggered ? scheme->step : 0);
  memset(coefficient, 0, (size_t)(4 * states + 1) * sizeof *coefficient);
  for (int at = 0; at < all.count; at++) {
    const struct mx_pole_block *b = &all.block[at];
    if (scheme->staggered) put_staggered(states, all.first[at], b, &all.means[at], medium->mass, coefficient);
    else put_rates(states, all.first[at], b, medium->mass, coefficient);
    for (int q = 0; q < b->n && scheme->staggered; q++)
      entry->start[all.first[at] + q] = all.means[at].K[q]; /* x = 0 */
  }
  if (is_joint(parameter)) put_joint_squares(&all, states, as_states, parameter, parameter[MX_POLES_JOINT], entry);
  else put_own_squares(&all, as_states, entry);
  if (!scheme->staggered || medium->of == 0) return;
  mx_poles_put_magnetic(&all, scheme->step, entry);
}

void mx_pole_rows(const struct mx_response_scheme *scheme, const double *parameter, struct mx_square *polarisation,
                  struct mx_square *current)
{
  struct mx_pole_blocks all = {.count = 0};
  double held[MX_POLE_STATES] = {0}, rate[MX_POLE_STATES] = {0}, of_E = 0;
  find_blocks(&all, parameter, scheme->staggered ? scheme->step : 0);
  for (int at = 0; at < all.count; at++) {
    const struct mx_pole_block *b = &all.block[at];
    held[all.first[at]] = b->free ? 0 : 1;
    for (int q = 0; q < b->n; q++) rate[all.first[at] + q] = b->C[q];
    of_E += b->D;
  }
  *polarisation = square_of(&all, scheme->staggered, held, 0);
  *current = square_of(&all, scheme->staggered, rate, of_E);
  polarisation->weight = current->weight = 0;
}

static bool passive_alone(const double *pole)
{
  const double *p = pole + 1;
  if (form_of(pole) == MX_POLE_REAL) return p[0] > 0;
  if (form_of(pole) == MX_POLE_DRUDE) return true;
  return p[0] >= 0 && p[1] > 0 && p[2] * p[1] >= p[0] * p[3];
}

void mx_poles_scale(double *parameter, double by)
{
  for (int i = 0; i < count_of(parameter); i++) {
    double *pole = pole_of(parameter, i);
    pole[1] *= by;
    if (form_of(pole) == MX_POLE_PAIR) pole[2] *= by;
  }
}

bool mx_poles_join(double *parameter, int states)
{
  struct mx_linear_system system = {0};
  struct mx_pole_blocks all = {.count = 0};
  double Q[MX_STORAGE_MOST][MX_STORAGE_MOST], l[MX_STORAGE_MOST + 1];
  const double sigma = parameter[MX_POLES_JOINT];
  bool alone = true;
  parameter[MX_POLES_JOINT] = 0;
  for (int i = 0; i < count_of(parameter); i++) alone = alone && passive_alone(pole_of(parameter, i));
  if (alone) return true;
  parameter[MX_POLES_JOINT] = 1;
  find_blocks(&all, parameter, 0);
  system.n = all.states;
  for (int at = 0; at < all.count; at++) {
    const struct mx_pole_block *b = &all.block[at];
    for (int i = 0; i < b->n; i++) {
      system.B[all.first[at] + i] = b->B[i];
      system.C[all.first[at] + i] = b->C[i];
      for (int j = 0; j < b->n; j++) system.A[all.first[at] + i][all.first[at] + j] = b->A[i][j];
    }
    system.D += b->D;
  }
  const double own = system.D;
  for (int with = 0; with < 2; with++) { /* the losses of sigma take part only if they have to */
    system.D = own + with * sigma;
    if (mx_storage(&system, Q, l)) break;
    if (with == 1 || !(sigma > 0)) return false;
  }
  double *number = parameter + joint_at(states);
  for (int i = 0; i < system.n; i++)
    for (int j = i; j < system.n; j++) *number++ = 0.5 * (Q[i][j] + Q[j][i]);
  memcpy(number, l, (size_t)(system.n + 1) * sizeof *l);
  return true;
}

static void describe(const double *parameter, char *text, size_t size)
{
  static const char *const names[] = {"real pole", "Drude pole", "pole pair"};
  const int count = count_of(parameter);
  int of_form[3] = {0, 0, 0}, written = 0;
  for (int i = 0; i < count; i++) of_form[form_of(const_pole_of(parameter, i))]++;
  if (count == 1 && of_form[MX_POLE_REAL] == 1) {
    const double *pole = const_pole_of(parameter, 0);
    (void)snprintf(text, size, "a Debye pole of %.4g with %.4g s", -pole[1] / pole[2], -1 / pole[2] / c0);
    return;
  }
  text[0] = '\0';
  for (int form = 0; form < 3; form++)
    if (of_form[form] > 0 && (size_t)written < size)
      written += snprintf(text + written, size - (size_t)written, "%s%d %s%s", written > 0 ? ", " : "", of_form[form],
                          names[form], of_form[form] > 1 ? "s" : "");
}

#define ROW(KIND, PREFIX, STATES)                                                                                      \
  static void PREFIX##_prepare(const struct mx_response_scheme *scheme, const struct mx_response_medium *medium,       \
                               const double *parameter, struct mx_response_entry *entry, double *coefficient)          \
  {                                                                                                                    \
    prepare_for(STATES, scheme, medium, parameter, entry, coefficient);                                                \
  }                                                                                                                    \
  const struct mx_response_ops PREFIX##_response = {                                                                   \
      .name = "poles",                                                                                                 \
      .states = (STATES),                                                                                              \
      .of_E = (STATES),                                                                                                \
      .coefficients = 4 * (STATES) + 1,                                                                                \
      .parameters = MX_POLES_PARAMETERS(STATES),                                                                       \
      .flops = 8,                                                                                                      \
      .follow = follow,                                                                                                \
      .share = share,                                                                                                  \
      .prepare = PREFIX##_prepare,                                                                                     \
      .rate = relaxation,                                                                                              \
      .addition = addition,                                                                                            \
      .additions = additions,                                                                                          \
      .describe = describe,                                                                                            \
  };
MX_POLE_LIST(ROW)
