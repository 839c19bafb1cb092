/* Losses of absorbers: absorber.h says what and why. layer.c calls it. */
#include "maxwell/problem/absorber.h"

#include <math.h>

double mx_absorber_storage(const struct mx_problem *problem, const struct mx_layer_shape *shape,
                           enum mx_equation equation, size_t e)
{
  const double storage = mx_medium_of(problem, equation, e).storage;
  size_t entry;
  const struct mx_response *response = mx_problem_poles(problem, equation, e, &entry);
  if (response == NULL) return storage;
  const double addition = mx_responses[response->kind]->addition(mx_response_parameter(response, entry),
                                                                 2 * acos(-1) * shape->frequency / MX_C0);
  return storage + fmax(addition, 0);
}

/* The mean of (depth/thickness)^GRADE from one depth to another. */
static double mean(double from, double to)
{
  const int n = MX_ABSORBER_GRADE + 1;
  double sum = 0; /* (to^n - from^n)/(to - from), also for a sheet without depth */
  for (int k = 0; k < n; k++) sum += pow(from, k) * pow(to, n - 1 - k);
  return sum / n;
}

void mx_absorb(struct mx_problem *problem, const struct mx_layer_shape *shape, double index, const struct dg_mesh *mesh,
               size_t e)
{
  const double nepers = -shape->reflection / 20 * log(10), L = shape->thickness;
  const double most = (MX_ABSORBER_GRADE + 1) * nepers / (2 * index * L); /* of the rate, 1/m */
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {0, 0, 0}, rate = 0;
  for (int v = 0; v < 4; v++) {
    struct mx_layer_place place;
    mx_layer_at(shape, index, mesh->vertex[mesh->element[e][v]], &place);
    for (int i = 0; i < 3; i++) {
      low[i] = fmin(low[i], place.depth[i]);
      high[i] = fmax(high[i], place.depth[i]);
    }
  }
  for (int i = 0; i < 3; i++) rate += most * mean(low[i] / L, high[i] / L);
  problem->sigma[e] += rate * mx_absorber_storage(problem, shape, MX_AMPERE, e);
  problem->sigma_m[e] += rate * mx_absorber_storage(problem, shape, MX_FARADAY, e);
}
