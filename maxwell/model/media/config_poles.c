/* Reads the poles of a material, drude, lorentz, debye, critical_points and poles, and refuses a medium that would
 * amplify. config_sections.c names the readers in its rules. */
#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "maxwell/model/config_read.h"

static const double pi = 3.14159265358979323846;

/* What the tables of the five keys may have. */
struct written {
  double delta, tau, omega_p, omega_0, gamma, A, omega, phi, c[2], a[2];
};

#define WRITTEN(field) offsetof(struct written, field)
static const char rate[] = "a number >= 0 (rad/s)", above[] = "a number > 0 (rad/s)";

/* Adds a pole. One without strength is none. */
static int add_pole(struct mx_reader *r, const struct mx_value *value, struct mx_poles_config *poles,
                    struct mx_pole_config pole)
{
  int states = mx_pole_config_states(&pole);
  if (pole.number[0] == 0 && (pole.form != MX_POLE_IS_PAIR || pole.number[1] == 0)) return 0;
  for (size_t i = 0; i < poles->count; i++) states += mx_pole_config_states(&poles->pole[i]);
  if (states > MX_POLES_MOST)
    return mx_fail_at(r, value,
                      "%s is one too many: a material has room for %d states; a Drude, Debye or real pole takes one, a "
                      "Lorentz pole, a critical point or a complex pole two",
                      value->path, MX_POLES_MOST);
  poles->pole[poles->count++] = pole;
  return 0;
}

/* Reads a list of tables, and adds what `make` makes of each. */
static int read_list(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value,
                     const struct mx_rule *rules, size_t count, const char *example,
                     int (*make)(struct mx_reader *, const struct mx_value *, const struct written *,
                                 struct mx_pole_config *),
                     struct mx_poles_config *poles)
{
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (value->count == 0) return mx_fail_at(r, value, "%s has no pole: it must be %s", value->path, rule->expected);
  for (size_t i = 0; i < value->count; i++) {
    struct written written = {0};
    struct mx_pole_config pole = {0};
    if (mx_read_table(r, &value->entry[i].value, example, rules, count, &written) != 0 ||
        make(r, &value->entry[i].value, &written, &pole) != 0 || add_pole(r, &value->entry[i].value, poles, pole) != 0)
      return r->err->code;
  }
  return 0;
}

static int make_debye(struct mx_reader *r, const struct mx_value *value, const struct written *w,
                      struct mx_pole_config *pole)
{
  (void)r, (void)value;
  *pole = (struct mx_pole_config){MX_POLE_IS_REAL, {w->delta / w->tau, -1 / w->tau}};
  return 0;
}

int mx_read_debye(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const char step[] = "a number >= 0 (the step of epsilon_r)", time[] = "a number > 0 (seconds)";
  static const struct mx_rule rules[] = {
      {"delta", mx_read_real, WRITTEN(delta), .expected = step, MX_FROM(0), .example = "delta = 79.2"},
      {"tau", mx_read_real, WRITTEN(tau), .expected = time, MX_ABOVE(0), .example = "tau = 9.4e-12"},
  };
  return read_list(r, rule, value, rules, MX_COUNT(rules), "a table, as in { delta = 79.2, tau = 9.4e-12 }", make_debye,
                   to);
}

static int make_drude(struct mx_reader *r, const struct mx_value *value, const struct written *w,
                      struct mx_pole_config *pole)
{
  (void)r, (void)value;
  *pole = (struct mx_pole_config){MX_POLE_IS_DRUDE, {w->omega_p * w->omega_p, w->gamma}};
  return 0;
}

int mx_read_drude(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"omega_p", mx_read_real, WRITTEN(omega_p), .expected = rate, MX_FROM(0), .example = "omega_p = 1.37e16"},
      {"gamma", mx_read_real, WRITTEN(gamma), .expected = rate, MX_FROM(0), .example = "gamma = 1e14"},
  };
  return read_list(r, rule, value, rules, MX_COUNT(rules), "a table, as in { omega_p = 1.37e16, gamma = 1e14 }",
                   make_drude, to);
}

static int make_lorentz(struct mx_reader *r, const struct mx_value *value, const struct written *w,
                        struct mx_pole_config *pole)
{
  (void)r, (void)value;
  const double square = w->omega_0 * w->omega_0;
  *pole = (struct mx_pole_config){MX_POLE_IS_PAIR, {0, w->delta * square, w->gamma, square}};
  return 0;
}

int mx_read_lorentz(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"delta", mx_read_real, WRITTEN(delta), .expected = "a number >= 0 (the step of epsilon_r)", MX_FROM(0),
       .example = "delta = 1.25"},
      {"omega_0", mx_read_real, WRITTEN(omega_0), .expected = above, MX_ABOVE(0), .example = "omega_0 = 4e16"},
      {"gamma", mx_read_real, WRITTEN(gamma), .expected = rate, MX_FROM(0), .example = "gamma = 1e14"},
  };
  return read_list(r, rule, value, rules, MX_COUNT(rules),
                   "a table, as in { delta = 1.25, omega_0 = 4e16, gamma = 1e14 }", make_lorentz, to);
}

/* The pair c/(s - a) and its conjugate. */
static struct mx_pole_config pair_of(double complex c, double complex a)
{
  return (struct mx_pole_config){MX_POLE_IS_PAIR,
                                 {2 * creal(c), -2 * creal(c * conj(a)), -2 * creal(a), creal(a * conj(a))}};
}

static int make_critical_point(struct mx_reader *r, const struct mx_value *value, const struct written *w,
                               struct mx_pole_config *pole)
{
  (void)r, (void)value;
  *pole = pair_of(-I * w->A * w->omega * cexp(-I * w->phi), -w->gamma + I * w->omega);
  return 0;
}

int mx_read_critical_points(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {
      {"A", mx_read_real, WRITTEN(A), .expected = "a number >= 0", MX_FROM(0), .example = "A = 0.94"},
      {"omega", mx_read_real, WRITTEN(omega), .expected = above, MX_ABOVE(0), .example = "omega = 4e15"},
      {"phi", mx_read_real, WRITTEN(phi), .expected = "a number (radians)", .example = "phi = -0.785"},
      {"gamma", mx_read_real, WRITTEN(gamma), .expected = rate, MX_FROM(0), .example = "gamma = 8e14"},
  };
  return read_list(r, rule, value, rules, MX_COUNT(rules),
                   "a table, as in { A = 0.94, omega = 4e15, phi = -0.785, gamma = 8e14 }", make_critical_point, to);
}

/* A complex number: a number, or { re, im }. */
static int read_complex(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  double *number = to;
  number[1] = 0;
  if (value->type != MX_TABLE) return mx_read_real(r, rule, value, number);
  if (mx_expect_list(r, value, rule->expected) != 0) return r->err->code;
  if (value->count != 2) return mx_fail_at(r, value, "%s must be %s", value->path, rule->expected);
  for (size_t i = 0; i < 2; i++)
    if (mx_read_real(r, rule, &value->entry[i].value, &number[i]) != 0) return r->err->code;
  return 0;
}

static int make_pole(struct mx_reader *r, const struct mx_value *value, const struct written *w,
                     struct mx_pole_config *pole)
{
  if (w->a[0] > 0 || (w->a[0] == 0 && w->a[1] == 0))
    return mx_fail_at(r, value,
                      w->a[0] > 0 ? "%s.a has the real part %g: such a pole grows without end; it must be < 0"
                                  : "%s.a is %g: that is a conductivity, sigma = c epsilon_0",
                      value->path, w->a[0]);
  if (w->a[1] == 0 && w->c[1] != 0)
    return mx_fail_at(r, value, "%s has a real pole: its c must be real, too, and not %g with the imaginary part %g",
                      value->path, w->c[0], w->c[1]);
  if (w->a[1] == 0) *pole = (struct mx_pole_config){MX_POLE_IS_REAL, {w->c[0], w->a[0]}};
  else *pole = pair_of(w->c[0] + I * w->c[1], w->a[0] + I * w->a[1]);
  return 0;
}

/* A pair has the same numbers as that of the conjugates. */
static bool same_pair(const struct mx_pole_config *a, const struct mx_pole_config *b)
{
  for (size_t i = 0; i < 4; i++)
    if (fabs(a->number[i] - b->number[i]) > 1e-12 * fabs(a->number[i])) return false;
  return a->form == MX_POLE_IS_PAIR && b->form == MX_POLE_IS_PAIR;
}

int mx_read_poles(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const char number[] = "a number or { re, im } (rad/s)";
  static const struct mx_rule rules[] = {
      {"c", read_complex, WRITTEN(c), .expected = number, .example = "c = { 0, -2e15 }"},
      {"a", read_complex, WRITTEN(a), .expected = number, .example = "a = { -1e14, 4e15 }"},
  };
  const struct mx_poles_config *poles = to;
  const size_t first = poles->count;
  if (read_list(r, rule, value, rules, MX_COUNT(rules), "a table, as in { c = { 0, -2e15 }, a = { -1e14, 4e15 } }",
                make_pole, to) != 0)
    return r->err->code;
  for (size_t i = first; i < poles->count; i++)
    for (size_t j = first; j < i; j++)
      if (same_pair(&poles->pole[i], &poles->pole[j]))
        return mx_fail_at(r, value, "%s has a pole with its conjugate, or twice: one of the two stands for both",
                          value->path);
  return 0;
}

int mx_read_magnetic(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  static const struct mx_rule rules[] = {MX_POLE_RULES(0)};
  (void)rule;
  return mx_read_table(r, value, "a table, as in { lorentz = { { delta = 1, omega_0 = 6e9, gamma = 1e8 } } }", rules,
                       MX_COUNT(rules), to);
}

/* ---- passive or not */

/* The addition of a pole to epsilon_r or mu_r at s = j w. */
static double complex addition(const struct mx_pole_config *pole, double w)
{
  const double complex s = I * w;
  const double *n = pole->number;
  if (pole->form == MX_POLE_IS_REAL) return n[0] / (s - n[1]);
  if (pole->form == MX_POLE_IS_DRUDE) return n[0] / (s * (s + n[1]));
  return (n[0] * s + n[1]) / (s * s + n[2] * s + n[3]);
}

/* A field in a medium, for its losses. */
struct answer {
  const struct mx_poles_config *poles;
  double conductivity; /* sigma/epsilon_0 or sigma_m/mu_0, rad/s; one that varies does not count */
};

/* What a field of amplitude 1 loses to the medium at w, over epsilon_0/2 or mu_0/2; *size: the sum of what each part
 * has in it. */
static double lost(const struct answer *answer, double w, double *size)
{
  double sum = answer->conductivity;
  *size = sum;
  for (size_t i = 0; i < answer->poles->count; i++) {
    const double one = creal(I * w * addition(&answer->poles->pole[i], w));
    sum += one;
    *size += fabs(one);
  }
  return sum;
}

/* The frequencies at which a pole changes, rad/s: its own, and its width. */
static void place_of(const struct mx_pole_config *pole, double *own, double *width)
{
  const double *n = pole->number;
  *width = pole->form == MX_POLE_IS_REAL ? -n[1] : pole->form == MX_POLE_IS_DRUDE ? n[1] : n[2];
  *own = pole->form == MX_POLE_IS_PAIR ? sqrt(n[3]) : *width;
}

/* Looks at w, and remembers the largest imaginary part, where there is one that is not rounding. */
static void look_at(const struct answer *answer, double w, double *worst, double *at)
{
  static const double rounding = 1e-9;
  double size;
  const double sum = lost(answer, w, &size);
  if (!(w > 0) || !(sum < -rounding * size) || !(-sum / w > *worst)) return;
  *worst = -sum / w;
  *at = w;
}

static int check(struct mx_reader *r, const struct mx_value *value, const struct answer *answer, const char *name)
{
  enum { STEPS = 600, NEAR = 60 };
  const struct mx_poles_config *poles = answer->poles;
  double low = INFINITY, high = 0, worst = 0, at = 0;
  for (size_t i = 0; i < poles->count; i++) {
    double own, width;
    place_of(&poles->pole[i], &own, &width);
    if (own > 0) low = fmin(low, own);
    if (width > 0) low = fmin(low, width);
    high = fmax(high, fmax(own, width));
  }
  if (!(high > 0)) return 0; /* a Drude pole without losses, or none */
  for (int i = 0; i <= STEPS; i++) look_at(answer, 1e-3 * low * pow(1e6 * high / low, (double)i / STEPS), &worst, &at);
  for (size_t i = 0; i < poles->count; i++) {
    double own, width;
    place_of(&poles->pole[i], &own, &width);
    for (int k = -NEAR; k <= NEAR; k++) look_at(answer, own + 0.1 * k * width, &worst, &at);
  }
  if (at == 0) return 0;
  return mx_fail_at(r, value,
                    "%s amplifies: at %.3g Hz its poles give %s the imaginary part %+.3g (e^{jwt}: losses are "
                    "negative)",
                    value->path, at / (2 * pi), name, worst);
}

int mx_check_poles(struct mx_reader *r, const struct mx_value *value, const struct mx_material_config *material)
{
  const struct mx_scalar *sigma[2] = {&material->sigma, &material->sigma_m};
  static const double vacuum[2] = {8.8541878128e-12, 1.25663706212e-6};
  static const char *const name[2] = {"epsilon_r", "mu_r"};
  for (int of = 0; of < 2; of++) {
    const struct answer answer = {.poles = &material->poles[of],
                                  .conductivity = sigma[of]->function == NULL ? sigma[of]->value / vacuum[of] : 0};
    if (check(r, value, &answer, name[of]) != 0) return r->err->code;
  }
  return 0;
}
