/* A Debye pole: eps(w) = eps_inf + delta/(1 + j w tau), that is tau dP/dt = delta E - P with the current dP/dt. Its
 * parameters are delta, which has no dimension, and c0 tau in metres; both are greater than 0.
 *
 * Leapfrog takes the mean of old and new, P' - P = -(1 - a) P + b (E' + E) with a = (2 tau - h)/(2 tau + h) and
 * b = delta h/(2 tau + h) = delta (1 - a)/2. Multiplied by the mean of E that is an identity of energies,
 *     (P'.P' - P.P)/(2 delta) = (P' - P).(E' + E)/2 - h tau/delta |(P' - P)/h|^2,
 * so that the discrete energy eps E.E/2 + P.P/(2 delta) + .. only falls, whatever the step is; at z = -1, where
 * leapfrog is at its limit, the pole has no part: the limit is that of eps_inf. P' would want E, which is gone behind a
 * pass that works in place. The state is therefore s = a P + b E, from which P = (s - b E)/a,   P' = s + b E',   s' = a
 * s + (1 + a) b E', and E' = [(eps - b/a) E + h R + (1 - a)/a s]/(eps + b): what multiplies E goes with the pass's
 * loss.
 *
 * That wants a > 0. A pole that is faster than the step, tau < h, is taken as slow as the step: for all that the step
 * resolves it stays what it is, a permittivity of eps_inf + delta. Runge-Kutta, whose state is P, does the same where
 * the relaxation (1 + delta/eps_inf)/tau is beyond what its region of stability has room for. As h goes to 0 nothing of
 * that is left, and orders of convergence are the schemes' own. Sources: K. S. Kunz and R. J. Luebbers, The Finite
 * Difference Time Domain Method for Electromagnetics (1993), chapter 8, has the mean of old and new; the form without
 * the old E is ours, share/doc/design has the proofs. */
#include <math.h>
#include <stdio.h>

#include "maxwell/response/response.h"

enum { DELTA, TAU };

static const double c0 = 299792458.0;

static double relaxation(double epsilon, const double *parameter)
{
  return (1 + parameter[DELTA] / epsilon) / parameter[TAU];
}

static void follow(const struct mx_response_scheme *scheme, double epsilon, const double *parameter, double *followed)
{
  const double h = scheme->step;
  const double least = scheme->staggered ? h : h * (1 + parameter[DELTA] / epsilon) / scheme->bound;
  followed[DELTA] = parameter[DELTA];
  followed[TAU] = fmax(parameter[TAU], least);
}

struct mean {
  double a, b;
};

static struct mean mean_of(const struct mx_response_scheme *scheme, const double *parameter)
{
  const double h = scheme->step, sum = 2 * parameter[TAU] + h;
  return (struct mean){.a = (2 * parameter[TAU] - h) / sum, .b = parameter[DELTA] * h / sum};
}

static struct mx_response_share share(const struct mx_response_scheme *scheme, const double *parameter)
{
  const struct mean m = mean_of(scheme, parameter);
  return (struct mx_response_share){.mass = m.b, .loss = m.b + m.b / m.a};
}

static void prepare(const struct mx_response_scheme *scheme, const struct mx_response_medium *medium,
                    const double *parameter, struct mx_response_entry *entry, double *coefficient)
{
  const double delta = parameter[DELTA], tau = parameter[TAU];
  struct mx_square P = {.field = 0, .state = {1}};
  if (scheme->staggered) {
    const struct mean m = mean_of(scheme, parameter);
    P = (struct mx_square){.field = -m.b / m.a, .state = {1 / m.a}};
    coefficient[0] = (1 - m.a) / (m.a * medium->mass);
    coefficient[1] = m.a;
    coefficient[2] = (1 + m.a) * m.b;
    entry->start[0] = m.b; /* P = 0 */
  } else {
    coefficient[0] = delta / tau;
    coefficient[1] = 1 / tau;
    coefficient[2] = 1 / medium->mass;
  }
  entry->energy = (struct mx_square){.weight = 0.5 / delta, .field = P.field, .state = {P.state[0]}};
  entry->loss = (struct mx_square){.weight = 1 / (delta * tau), .field = delta - P.field, .state = {-P.state[0]}};
}

static double at_rest(const double *parameter) { return parameter[DELTA]; }

static void describe(const double *parameter, char *text, size_t size)
{
  (void)snprintf(text, size, "a Debye pole of %.4g with %.4g s", parameter[DELTA], parameter[TAU] / c0);
}

const struct mx_response_ops mx_debye_response = {
    .name = "debye",
    .states = 1,
    .of_E = 1,
    .coefficients = 3,
    .parameters = MX_POLE_PARAMETERS,
    .flops = 5,
    .follow = follow,
    .share = share,
    .prepare = prepare,
    .rate = relaxation,
    .at_rest = at_rest,
    .describe = describe,
};
