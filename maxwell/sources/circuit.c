/* Lumped elements in time: the states of R, L and C across a gap. port.c calls it stage by stage; circuit.h has the
 * equations. */
#include "maxwell/sources/circuit.h"

#include <math.h>
#include <stdio.h>

#include "maxwell/problem/problem.h"
#include "maxwell/time/integrator.h"

void mx_circuit_make(struct mx_circuit *circuit, const struct mx_port_config *config, double ratio)
{
  const bool series = config->circuit == MX_SERIES;
  const double r = config->resistance / (MX_ETA0 * ratio), L = config->inductance / (MX_MU0 * ratio),
               C = config->capacitance * ratio / MX_EPSILON0;
  *circuit = (struct mx_circuit){.form = MX_RESISTOR, .r = r};
  if (series ? L > 0 : L > 0 && C == 0 && r == 0) {
    circuit->form = MX_CURRENT_L;
    circuit->mass[0] = L;
    circuit->mass[1] = C;
    circuit->loss = r;
  } else if (series ? C > 0 && r == 0 : C > 0) {
    circuit->form = MX_VOLTAGE_C;
    circuit->mass[0] = C;
    circuit->mass[1] = L;
    circuit->loss = r > 0 ? 1 / r : 0;
  } else if (L > 0 || C > 0) {
    circuit->form = C > 0 ? MX_RESISTOR_C : MX_RESISTOR_L;
    circuit->mass[0] = C > 0 ? C : L;
  }
}

bool mx_circuit_of_current(const struct mx_circuit *circuit)
{
  return circuit->form == MX_VOLTAGE_C || circuit->form == MX_RESISTOR_C;
}

bool mx_circuit_gives_H(const struct mx_circuit *circuit)
{
  return circuit->form == MX_CURRENT_L || circuit->form == MX_RESISTOR_L;
}

double mx_circuit_wall(const struct mx_circuit *circuit)
{
  if (circuit->form == MX_CURRENT_L) return INFINITY;
  return circuit->form == MX_VOLTAGE_C ? 0 : circuit->r;
}

double mx_circuit_share(const struct mx_circuit *circuit, double Z)
{
  if (circuit->form == MX_CURRENT_L) return 1;
  if (circuit->form == MX_VOLTAGE_C) return 1 / Z;
  return (circuit->form == MX_RESISTOR_C ? 1 : circuit->r) / (Z + circuit->r);
}

void mx_circuit_reset(struct mx_circuit *circuit)
{
  for (int i = 0; i < 2; i++)
    circuit->state[i] = circuit->before[i] = circuit->registers[i] = circuit->sum[i] = circuit->start[i] = 0;
}

/* dy/dt of both states. */
static void rates(const struct mx_circuit *circuit, double F, double rate[2])
{
  const double *y = circuit->state, *m = circuit->mass;
  rate[0] = (F - (circuit->damping + circuit->loss) * y[0] - y[1]) / m[0];
  rate[1] = m[1] > 0 ? y[0] / m[1] : 0;
}

/* The states are those of the stage: with sums, the step's start has a place of its own. */
static double runge_kutta(struct mx_circuit *circuit, const struct mx_pass *pass, double h, double F)
{
  const struct mx_step_rule rule = mx_step_rule_of(pass, 1);
  const double told = circuit->state[0];
  double rate[2];
  rates(circuit, F, rate);
  for (int i = 0; i < 2; i++) {
    double *y = &circuit->state[i], by = h * rate[i];
    if (rule.first) circuit->start[i] = *y;
    if (rule.sums) mx_sums_double(rule, by, &circuit->start[i], &circuit->sum[i], y);
    else mx_low_storage_double(rule, by, y, &circuit->registers[i]);
    if (rule.sums && rule.last) *y = circuit->start[i];
  }
  return told;
}

/* Moves y0 of a closed wall. Losses are at the mean of old and new. The penalty acts on the jump before the update. */
static void move_closed(struct mx_circuit *circuit, double h, double F)
{
  const double half = 0.5 * h * circuit->loss, m = circuit->mass[0], y = circuit->state[0];
  circuit->state[0] = ((m - half) * y + h * (F - circuit->damping * y - circuit->state[1])) / (m + half);
}

/* Moves y0 of an open wall, whose penalty acts on the fields and on y0 extrapolated by half a step. Returns y0 there.
 */
static double move_open(struct mx_circuit *circuit, double h, long n, double extrapolated, double other)
{
  const double y = circuit->state[0];
  if (n == 0) {
    circuit->before[0] = y;
    circuit->before[1] = extrapolated;
  }
  const double at = 1.5 * y - 0.5 * circuit->before[0];
  const double F = 1.5 * extrapolated - 0.5 * circuit->before[1] + other;
  circuit->before[0] = y;
  circuit->before[1] = extrapolated;
  circuit->state[0] = y + h * (F - circuit->damping * at) / circuit->mass[0];
  return at;
}

/* The pass of H moves what is a current; that of E, what is a voltage. */
static double leapfrog(struct mx_circuit *circuit, const struct mx_pass *pass, double h, long n, const double part[2])
{
  const bool of_E = mx_pass_equation(pass) == MX_AMPERE;
  double *y = circuit->state;
  const double told = y[0], m1 = circuit->mass[1];
  switch (circuit->form) {
  case MX_CURRENT_L:
    if (!of_E) move_closed(circuit, h, part[0] + part[1]);
    else if (m1 > 0) y[1] += h * y[0] / m1;
    return told;
  case MX_VOLTAGE_C:
    if (of_E) move_closed(circuit, h, part[0] + part[1]);
    else if (m1 > 0) y[1] += h * y[0] / m1;
    return told;
  case MX_RESISTOR_C:
    return of_E ? move_open(circuit, h, n, part[0], part[1]) : told;
  case MX_RESISTOR_L:
    return !of_E ? move_open(circuit, h, n, part[1], part[0]) : told;
  case MX_RESISTOR:
    break;
  }
  return 0;
}

double mx_circuit_stage(struct mx_circuit *circuit, const struct mx_pass *pass, double h, long n, const double part[2])
{
  if (circuit->form == MX_RESISTOR) return 0;
  return pass->keeps == MX_NO_REGISTER ? leapfrog(circuit, pass, h, n, part)
                                       : runge_kutta(circuit, pass, h, part[0] + part[1]);
}

/* The largest eigenvalue of [[a, b, 0], [b, c, d], [0, d, 0]], all of them >= 0, by Newton's method from above, where
 * the characteristic polynomial is convex. */
static double top_eigenvalue(double a, double b, double c, double d)
{
  enum { ROUNDS = 100 };
  double x = fmax(fmax(a + b, b + c + d), d);
  for (int i = 0; i < ROUNDS; i++) {
    const double value = (x - a) * ((x - c) * x - d * d) - b * b * x;
    const double slope = (x - c) * x - d * d + (x - a) * (2 * x - c) - b * b;
    const double next = x - value / slope;
    if (!(next < x)) break;
    x = next;
  }
  return x;
}

double mx_circuit_limit(const struct mx_circuit *circuit, enum mx_integrator integrator, double limit)
{
  const bool staggered = mx_staggered(integrator), open = circuit->form >= MX_RESISTOR_C;
  const double m = circuit->mass[0];
  if (circuit->form == MX_RESISTOR) return limit;
  /* On open walls the penalty, and with it one of the two parts of F, counts twice (extrapolated in leapfrog). */
  const double twice = staggered && open ? 2 : 1;
  const double end = staggered ? 2 : mx_scalar_limit(integrator, I);
  const double damping = twice * circuit->damping + (staggered ? 0 : circuit->loss);
  const double norm = top_eigenvalue(end / limit, sqrt((1 + twice * twice) * circuit->coupling / m), damping / m,
                                     circuit->mass[1] > 0 ? 1 / sqrt(m * circuit->mass[1]) : 0);
  return end / norm;
}

void mx_circuit_describe(const struct mx_port_config *config, char *text, size_t size)
{
  const struct {
    double value;
    const char *unit;
  } part[] = {{config->resistance, "ohm"}, {config->inductance, "H"}, {config->capacitance, "F"}};
  size_t used = 0;
  int parts = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    if (!(part[i].value > 0) || used >= size) continue;
    used +=
        (size_t)snprintf(text + used, size - used, "%s%.6g %s", parts > 0 ? " and " : "", part[i].value, part[i].unit);
    parts++;
  }
  if (parts > 1 && used < size)
    (void)snprintf(text + used, size - used, "%s", config->circuit == MX_SERIES ? " in series" : " in parallel");
}
