/* The row of gyrotropic media in the table of responses: coefficients, squares of the energy. gyrotropic.h has the
 * method, gyrotropic_points.h the formulas at a node. */
#include "maxwell/response/gyrotropic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "maxwell/response/pole_rows.h"
#include "maxwell/response/response.h"
#include "maxwell/response/turned.h"

_Static_assert((int)MX_GYRO_PARAMETERS <= (int)MX_RESPONSE_PARAMETERS, "response.h has room for the parameters");
_Static_assert((int)MX_GYRO_COEFFICIENTS <= (int)MX_RESPONSE_COEFFICIENTS, "response.h has room for the coefficients");
_Static_assert((int)MX_GYRO_STATES <= (int)MX_RESPONSE_STATES, "response.h has room for the states");

static const double c0 = 299792458.0;

/* The matrix a + b (w x). */
static void crossed(double a, double b, const double w[3], double m[3][3])
{
  const double of[3][3] = {{a, -b * w[2], b * w[1]}, {b * w[2], a, -b * w[0]}, {-b * w[1], b * w[0], a}};
  memcpy(m, of, sizeof of);
}

static void multiply(const double x[3][3], const double y[3][3], double factor, double *z)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) z[3 * i + j] = factor * (x[i][0] * y[0][j] + x[i][1] * y[1][j] + x[i][2] * y[2][j]);
}

/* The inverse by cofactors. */
static void invert(const double m[3][3], double inverse[3][3])
{
  double cofactor[3][3], determinant = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      cofactor[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
    }
  for (int j = 0; j < 3; j++) determinant += m[0][j] * cofactor[0][j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) inverse[j][i] = cofactor[i][j] / determinant;
}

/* Nothing is slowed down: leapfrog takes any rate, and the search for the limit of Runge-Kutta sees it. */
static void follow(const struct mx_response_scheme *scheme, double inertia, const double *parameter, double *followed)
{
  (void)scheme, (void)inertia;
  memcpy(followed, parameter, MX_GYRO_PARAMETERS * sizeof *followed);
}

static void put_staggered(const double *p, double h, double mass, double *coefficient)
{
  static const double one[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double W[3][3], Y[3][3], inverse[3][3], *matrix = coefficient + MX_GYRO_C_MATRIX;
  crossed(2 + h * h * p[MX_GYRO_W02] / 2 + h * p[MX_GYRO_GAMMA], h, p + MX_GYRO_WC, Y);
  invert((const double(*)[3])Y, W);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Y[i][j] = mass * (i == j) + h * h * p[MX_GYRO_WP2] / 2 * W[i][j];
  invert((const double(*)[3])Y, inverse);
  multiply((const double(*)[3])inverse, one, mass, matrix);
  multiply((const double(*)[3])inverse, (const double(*)[3])W, h, matrix + 9);
  memcpy(matrix + 18, W, sizeof W);
  coefficient[MX_GYRO_C_NUMBER] = h * p[MX_GYRO_W02];
  coefficient[MX_GYRO_C_NUMBER + 1] = h * p[MX_GYRO_WP2] / 2;
  coefficient[MX_GYRO_C_NUMBER + 2] = h;
}

static void prepare(const struct mx_response_scheme *scheme, const struct mx_response_medium *medium,
                    const double *parameter, struct mx_response_entry *entry, double *coefficient)
{
  const double *p = parameter, share = 1 / p[MX_GYRO_WP2];
  memset(coefficient, 0, MX_GYRO_COEFFICIENTS * sizeof *coefficient);
  if (scheme->staggered) {
    put_staggered(p, scheme->step, medium->mass, coefficient);
    entry->start[MX_GYRO_OLD] = 1;
  } else {
    double A[3][3];
    crossed(p[MX_GYRO_GAMMA], 1, p + MX_GYRO_WC, A);
    memcpy(coefficient + MX_GYRO_C_MATRIX, A, sizeof A);
    coefficient[MX_GYRO_C_NUMBER] = p[MX_GYRO_W02];
    coefficient[MX_GYRO_C_NUMBER + 1] = p[MX_GYRO_WP2];
    coefficient[MX_GYRO_C_NUMBER + 2] = 1 / medium->mass;
  }
  entry->energy[0] = (struct mx_square){.weight = share / 2};
  entry->energy[0].state[MX_GYRO_J] = 1;
  entry->energy[1] = (struct mx_square){.weight = share * p[MX_GYRO_W02] / 2};
  entry->energy[1].state[MX_GYRO_P] = 1;
  entry->loss[0] = (struct mx_square){.weight = share * p[MX_GYRO_GAMMA]};
  entry->loss[0].state[MX_GYRO_J] = 1;
}

static void turn(const double gradient[3][3], const double tangent[3][3], double *coefficient)
{
  for (int m = 0; m < 3; m++) mx_turn_matrix(gradient, tangent, coefficient + MX_GYRO_C_MATRIX + 9 * m);
}

void mx_gyrotropic_rows(const double *parameter, struct mx_square *polarisation, struct mx_square *current)
{
  *polarisation = *current = (struct mx_square){.weight = 0};
  if (parameter[MX_GYRO_W02] > 0) polarisation->state[MX_GYRO_P] = 1;
  current->state[MX_GYRO_J] = 1;
}

static double turning(const double *p)
{
  const double *w = p + MX_GYRO_WC;
  return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

static double relaxation(double epsilon, const double *p)
{
  return p[MX_GYRO_GAMMA] + turning(p) + sqrt(p[MX_GYRO_W02] + p[MX_GYRO_WP2] / epsilon);
}

/* That of the medium without its magnetic field, which is also that of E along the field. */
static double addition(const double *p, double k)
{
  const double apart = p[MX_GYRO_W02] - k * k, width = k * p[MX_GYRO_GAMMA];
  if (!(apart * apart + width * width > 0)) return 0;
  return p[MX_GYRO_WP2] * apart / (apart * apart + width * width);
}

/* wp^2/(w0^2 - k^2 -+ k wc + j k gamma), and that with wc = 0. */
static int additions(const double *p, double k, double to[MX_RESPONSE_WAVES][2])
{
  static const double sign[MX_RESPONSE_WAVES] = {-1, 1, 0};
  for (int w = 0; w < MX_RESPONSE_WAVES; w++) {
    const double re = p[MX_GYRO_W02] - k * k + sign[w] * k * turning(p), im = k * p[MX_GYRO_GAMMA];
    const double square = fmax(re * re + im * im, 1e-12 * k * k * k * k);
    to[w][0] = p[MX_GYRO_WP2] * re / square;
    to[w][1] = p[MX_GYRO_WP2] * im / square;
  }
  return MX_RESPONSE_WAVES;
}

static void describe(const double *p, char *text, size_t size)
{
  (void)snprintf(text, size, "a gyrotropic term of omega_p %.4g and omega_c %.4g rad/s", c0 * sqrt(p[MX_GYRO_WP2]),
                 c0 * turning(p));
}

const struct mx_response_ops mx_gyrotropic_response = {
    .name = "gyrotropic",
    .states = MX_GYRO_STATES,
    .of_E = MX_GYRO_STATES,
    .coefficients = MX_GYRO_COEFFICIENTS,
    .parameters = MX_GYRO_PARAMETERS,
    .vector = true,
    .flops = 9, /* of gyrotropic_points.h, for a number of a state */
    .follow = follow,
    .prepare = prepare,
    .turn = turn,
    .rate = relaxation,
    .addition = addition,
    .additions = additions,
    .describe = describe,
};
