/* The rows of perfectly matched layers in the table of responses: coefficients from parameters and step. layer.h has
 * the method, layer_points.h the formulas at a node. */
#include "maxwell/response/layer.h"

#include <math.h>
#include <stdio.h>

#include "maxwell/response/response.h"

_Static_assert((int)MX_LAYER_PARAMETERS <= (int)MX_RESPONSE_PARAMETERS, "response.h has room for a layer's parameters");
_Static_assert((int)MX_LAYER_COEFFICIENTS <= (int)MX_RESPONSE_COEFFICIENTS,
               "response.h has room for a layer's coefficients");

static double relaxation(double inertia, const double *parameter)
{
  (void)inertia;
  return parameter[MX_LAYER_SIGMA] + parameter[MX_LAYER_POLE];
}

/* Runge-Kutta takes less sigma where the step is long: the layer absorbs less, and stays matched. */
static void follow(const struct mx_response_scheme *scheme, double inertia, const double *parameter, double *followed)
{
  (void)inertia;
  for (int i = 0; i < MX_LAYER_PARAMETERS; i++) followed[i] = parameter[i];
  if (scheme->staggered || isinf(scheme->bound)) return;
  const double room = scheme->bound / scheme->step;
  followed[MX_LAYER_POLE] = fmin(parameter[MX_LAYER_POLE], 0.5 * room);
  followed[MX_LAYER_SIGMA] = fmin(parameter[MX_LAYER_SIGMA], room - followed[MX_LAYER_POLE]);
}

static void prepare(const struct mx_response_scheme *scheme, const struct mx_response_medium *medium,
                    const double *parameter, struct mx_response_entry *entry, double *coefficient)
{
  const double h = scheme->step, alpha = parameter[MX_LAYER_POLE];
  (void)entry;
  for (int field = 0; field < 2; field++) coefficient[MX_LAYER_C_LOSS + field] = medium->loss[field];
  coefficient[MX_LAYER_C_SIGMA] = parameter[MX_LAYER_SIGMA] * (scheme->staggered ? h : 1);
  coefficient[MX_LAYER_C_POLE] = scheme->staggered ? 1 / (1 + alpha * h) : alpha;
  for (int i = 0; i < 12; i++) coefficient[MX_LAYER_C_PLACE + i] = parameter[MX_LAYER_PLACE + i];
  for (int i = 0; i < 9; i++)
    coefficient[MX_LAYER_C_UP + i] = coefficient[MX_LAYER_C_DOWN + i] = parameter[MX_LAYER_AXIS + i];
  for (int i = 0; i < 4; i++) coefficient[MX_LAYER_C_ROUND + i] = parameter[MX_LAYER_RADIUS + i];
}

static void turn(const double gradient[3][3], const double tangent[3][3], double *coefficient)
{
  for (int d = 0; d < 3; d++) {
    double *up = coefficient + MX_LAYER_C_UP + 3 * d, *down = coefficient + MX_LAYER_C_DOWN + 3 * d;
    const double axis[3] = {up[0], up[1], up[2]};
    for (int a = 0; a < 3; a++) {
      up[a] = gradient[a][0] * axis[0] + gradient[a][1] * axis[1] + gradient[a][2] * axis[2];
      down[a] = tangent[a][0] * axis[0] + tangent[a][1] * axis[1] + tangent[a][2] * axis[2];
    }
  }
}

static void describe(const double *parameter, char *text, size_t size)
{
  (void)snprintf(text, size, "a perfectly matched layer, sigma to %.4g 1/m, alpha %.4g 1/m", parameter[MX_LAYER_SIGMA],
                 parameter[MX_LAYER_POLE]);
}

#define ROW(prefix, directions, work)                                                                                  \
  const struct mx_response_ops prefix##_response = {                                                                   \
      .name = "layer",                                                                                                 \
      .states = 2 * (directions),                                                                                      \
      .of_E = (directions),                                                                                            \
      .coefficients = MX_LAYER_COEFFICIENTS,                                                                           \
      .parameters = MX_LAYER_PARAMETERS,                                                                               \
      .layer = true,                                                                                                   \
      .flops = (work),                                                                                                 \
      .follow = follow,                                                                                                \
      .prepare = prepare,                                                                                              \
      .turn = turn,                                                                                                    \
      .rate = relaxation,                                                                                              \
      .describe = describe,                                                                                            \
  }

/* flops: those of layer_points.h, a component of a node */
ROW(mx_layer_1, 1, 18);
ROW(mx_layer_2, 2, 45);
ROW(mx_layer_3, 3, 66);
ROW(mx_layer_round, 3, 106);
