/* The row of ferrites in the table of responses: coefficients, squares of the energy. ferrite.h has the method,
 * ferrite_points.h the formulas at a node. */
#include "maxwell/response/ferrite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "maxwell/response/response.h"
#include "maxwell/response/turned.h"

_Static_assert((int)MX_FERRITE_PARAMETERS <= (int)MX_RESPONSE_PARAMETERS, "response.h has room for the parameters");
_Static_assert((int)MX_FERRITE_COEFFICIENTS <= (int)MX_RESPONSE_COEFFICIENTS,
               "response.h has room for the coefficients");
_Static_assert((int)MX_FERRITE_STATES <= (int)MX_RESPONSE_STATES, "response.h has room for the states");

static const double c0 = 299792458.0;

/* Nothing is slowed down: leapfrog takes any rate, and the search for the limit of Runge-Kutta sees it. */
static void follow(const struct mx_response_scheme *scheme, double inertia, const double *parameter, double *followed)
{
  (void)scheme, (void)inertia;
  memcpy(followed, parameter, MX_FERRITE_PARAMETERS * sizeof *followed);
}

/* matrix = factor (1 - q B)^-1 B = factor (B + q B^2)/(1 + q^2), with B = b x and B^2 = b b^T - 1. */
static void precess(const double b[3], double q, double factor, double *matrix)
{
  const double B[3][3] = {{0, -b[2], b[1]}, {b[2], 0, -b[0]}, {-b[1], b[0], 0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) matrix[3 * i + j] = factor / (1 + q * q) * (B[i][j] + q * (b[i] * b[j] - (i == j)));
}

/* The squares of leapfrog's energy between two half steps, and its loss. */
static void put_staggered(const double *p, double step, struct mx_response_entry *entry)
{
  const double share = 1 / p[MX_FERRITE_WM];
  for (int q = 0; q < 2; q++) {
    struct mx_square *half = &entry->energy[q], *product = &entry->energy[2 + q];
    *half = (struct mx_square){.weight = share * p[MX_FERRITE_W0] / 4};
    half->state[MX_FERRITE_M + q] = 1;
    *product = (struct mx_square){.weight = q == 0 ? -1 / 16.0 : 1 / 16.0, .field = 1, .before = -1};
    product->state[MX_FERRITE_M] = q == 0 ? 1 : -1;
    product->state[MX_FERRITE_OLD_M] = q == 0 ? -1 : 1;
  }
  entry->loss[0] = (struct mx_square){.weight = share * p[MX_FERRITE_ALPHA] / (step * step)};
  entry->loss[0].state[MX_FERRITE_M] = 1;
  entry->loss[0].state[MX_FERRITE_OLD_M] = -1;
}

static void prepare(const struct mx_response_scheme *scheme, const struct mx_response_medium *medium,
                    const double *parameter, struct mx_response_entry *entry, double *coefficient)
{
  const double *p = parameter, step = scheme->step;
  double *number = coefficient + MX_FERRITE_C_NUMBER, *matrix = coefficient + MX_FERRITE_C_MATRIX;
  number[0] = p[MX_FERRITE_W0];
  number[2] = 1 / medium->mass;
  if (scheme->staggered) {
    number[1] = p[MX_FERRITE_WM] / 2;
    precess(p + MX_FERRITE_B, step / 2 * (p[MX_FERRITE_W0] + p[MX_FERRITE_WM] / medium->mass) + p[MX_FERRITE_ALPHA],
            step, matrix);
    put_staggered(p, step, entry);
  } else {
    number[1] = p[MX_FERRITE_WM];
    precess(p + MX_FERRITE_B, p[MX_FERRITE_ALPHA], 1, matrix);
    entry->energy[0] = (struct mx_square){.weight = p[MX_FERRITE_W0] / (2 * p[MX_FERRITE_WM])};
    entry->energy[0].state[MX_FERRITE_M] = 1;
  }
}

static void turn(const double gradient[3][3], const double tangent[3][3], double *coefficient)
{
  mx_turn_matrix(gradient, tangent, coefficient + MX_FERRITE_C_MATRIX);
}

static double relaxation(double mu, const double *p) { return p[MX_FERRITE_W0] + p[MX_FERRITE_WM] / mu; }

/* The diagonal of Polder's tensor. */
static double addition(const double *p, double k)
{
  const double w0 = p[MX_FERRITE_W0], apart = w0 * w0 - k * k, width = 2 * k * w0 * p[MX_FERRITE_ALPHA];
  if (!(apart * apart + width * width > 0)) return 0;
  return p[MX_FERRITE_WM] * w0 * apart / (apart * apart + width * width);
}

/* wm/(w0 + j k alpha -+ k); a field along the static one sees none. */
static int additions(const double *p, double k, double to[MX_RESPONSE_WAVES][2])
{
  for (int w = 0; w < MX_RESPONSE_WAVES; w++) {
    const double re = p[MX_FERRITE_W0] + (w == 0 ? -k : k), im = k * p[MX_FERRITE_ALPHA];
    const double square = fmax(re * re + im * im, 1e-12 * k * k), wm = w < 2 ? p[MX_FERRITE_WM] : 0;
    to[w][0] = wm * re / square;
    to[w][1] = wm * im / square;
  }
  return MX_RESPONSE_WAVES;
}

static void describe(const double *p, char *text, size_t size)
{
  (void)snprintf(text, size, "a ferrite of omega_0 %.4g and omega_m %.4g rad/s", c0 * p[MX_FERRITE_W0],
                 c0 * p[MX_FERRITE_WM]);
}

const struct mx_response_ops mx_ferrite_response = {
    .name = "ferrite",
    .states = MX_FERRITE_STATES,
    .of_E = MX_FERRITE_STATES,
    .coefficients = MX_FERRITE_COEFFICIENTS,
    .parameters = MX_FERRITE_PARAMETERS,
    .vector = true,
    .flops = 4, /* of ferrite_points.h, for a number of a state */
    .follow = follow,
    .prepare = prepare,
    .turn = turn,
    .rate = relaxation,
    .addition = addition,
    .additions = additions,
    .describe = describe,
};
