/* The index of a medium at a frequency, from the responses' own formulas. medium_index.h has the conventions. */
#include "maxwell/worth/medium_index.h"

#include <complex.h>
#include <math.h>
#include <string.h>

void mx_medium_numbers_of(const struct mx_problem *problem, size_t e, struct mx_medium_numbers *medium)
{
  const struct mx_tensor *tensor = mx_tensor_of(problem, e);
  *medium = (struct mx_medium_numbers){.largest = {1, 1}};
  for (int i = 0; i < 2; i++) {
    const enum mx_equation equation = (enum mx_equation)i;
    const struct mx_medium of = mx_medium_of(problem, equation, e);
    double least;
    size_t entry;
    medium->storage[i] = of.storage;
    medium->loss[i] = of.loss;
    if (tensor != NULL) mx_tensor_extremes(tensor->shape[i], &least, &medium->largest[i]);
    const struct mx_response *response = mx_problem_poles(problem, equation, e, &entry);
    if (response == NULL) continue;
    medium->kind[i] = 1 + (double)response->kind;
    memcpy(medium->parameter[i], mx_response_parameter(response, entry),
           (size_t)mx_responses[response->kind]->parameters * sizeof(double));
  }
}

/* The permittivities or permeabilities that the waves of a medium see; returns how many. With vector kinds the circular
 * waves along the static field, that of a field along it, and that of a wave across it. */
static int values_of(const struct mx_medium_numbers *medium, int i, double k, double complex value[4])
{
  double addition[MX_RESPONSE_WAVES][2];
  const double complex own = medium->largest[i] * (medium->storage[i] - I * medium->loss[i] / k);
  int count = 0;
  if (medium->kind[i] == 0) {
    value[0] = own;
    return 1;
  }
  const struct mx_response_ops *ops = mx_responses[(int)medium->kind[i] - 1];
  count = ops->additions(medium->parameter[i], k, addition);
  for (int w = 0; w < count; w++) value[w] = own + addition[w][0] - I * addition[w][1];
  if (count > 1) {
    const double complex both = value[0] + value[1];
    if (cabs(both) > 1e-6 * cabs(value[0])) value[count++] = 2 * value[0] * value[1] / both;
  }
  return count;
}

/* A medium is left out where it is a mirror: its index is far above those of others, and its waves die in less than a
 * wavelength. */
static bool is_mirror(double complex square)
{
  const double far = 30;
  const double complex n = csqrt(square);
  return cabs(n) > far && fabs(cimag(n)) > 0.5 * fabs(creal(n));
}

double mx_medium_index(const struct mx_medium_numbers *medium, double wave_number, bool inside)
{
  double complex epsilon[4], mu[4];
  if (!(wave_number > 0)) return 0;
  const int of_E = values_of(medium, 0, wave_number, epsilon), of_H = values_of(medium, 1, wave_number, mu);
  double most = 0;
  for (int i = 0; i < of_E; i++)
    for (int j = 0; j < of_H; j++) {
      const double complex square = epsilon[i] * mu[j];
      if (inside || !is_mirror(square)) most = fmax(most, sqrt(cabs(square)));
    }
  return most;
}
