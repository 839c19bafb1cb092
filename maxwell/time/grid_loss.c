/* The estimate of grid_loss.h. setup_build.c adds the elements up. */
#include "maxwell/time/grid_loss.h"

#include <math.h>

#include "maxwell/time/responses.h"

double mx_grid_size(const struct mx_problem *problem, size_t e, double wave_number)
{
  const double volume = 4.0 / 3 * problem->jacobian[e];
  const double epsilon = mx_storage_at(problem, MX_AMPERE, e, wave_number),
               mu = mx_storage_at(problem, MX_FARADAY, e, wave_number);
  return cbrt(6 * sqrt(2.0) * volume) * sqrt(fabs(epsilon * mu));
}

void mx_grid_loss_add(const struct mx_problem *problem, size_t e, double wave_number, double loss[2])
{
  const double volume = 4.0 / 3 * problem->jacobian[e], power = 2 * problem->ref->order + 1;
  loss[0] += volume * pow(mx_grid_size(problem, e, wave_number), power);
  loss[1] += volume;
}

struct mx_grid_loss mx_grid_loss_of(int order, double alpha, const double loss[2])
{
  const double pi = 3.14159265358979323846, power = 2 * order + 1;
  const double size = loss[1] > 0 ? pow(loss[0] / loss[1], 1 / power) : 0; /* m */
  const double factor = exp(2 * (lgamma(2 * order + 2) - lgamma(order + 1)) / power);
  return (struct mx_grid_loss){
      .alpha = alpha, .power = power, .one = size > 0 ? factor * MX_C0 / (2 * pi * size) : INFINITY};
}
