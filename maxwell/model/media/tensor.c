/* Arithmetic of symmetric tensors. Problems are built with it; tensor.h has the conventions. */
#include "maxwell/model/media/tensor.h"

#include <math.h>

double mx_tensor_invert(const double t[MX_TENSOR_NUMBERS], double inverse[MX_TENSOR_NUMBERS])
{
  const double xx = t[3] * t[5] - t[4] * t[4], xy = t[2] * t[4] - t[1] * t[5], xz = t[1] * t[4] - t[2] * t[3];
  const double determinant = t[0] * xx + t[1] * xy + t[2] * xz;
  inverse[0] = xx / determinant;
  inverse[1] = xy / determinant;
  inverse[2] = xz / determinant;
  inverse[3] = (t[0] * t[5] - t[2] * t[2]) / determinant;
  inverse[4] = (t[1] * t[2] - t[0] * t[4]) / determinant;
  inverse[5] = (t[0] * t[3] - t[1] * t[1]) / determinant;
  return determinant;
}

double mx_tensor_scalar(const double tensor[MX_TENSOR_NUMBERS])
{
  double inverse[MX_TENSOR_NUMBERS];
  (void)mx_tensor_invert(tensor, inverse);
  return 3 / (inverse[0] + inverse[3] + inverse[5]);
}

double mx_tensor_shape(struct mx_tensor *to, int equation, const double tensor[MX_TENSOR_NUMBERS])
{
  const double scalar = mx_tensor_scalar(tensor);
  for (int i = 0; i < MX_TENSOR_NUMBERS; i++) to->shape[equation][i] = tensor[i] / scalar;
  (void)mx_tensor_invert(to->shape[equation], to->inverse[equation]);
  return scalar;
}

/* The three roots of the characteristic equation in closed form (O. K. Smith, Commun. ACM 4 (1961) 168). */
void mx_tensor_extremes(const double t[MX_TENSOR_NUMBERS], double *least, double *most)
{
  static const double third = 2.0943951023931953; /* of a full turn */
  const double mean = (t[0] + t[3] + t[5]) / 3, a = t[0] - mean, b = t[3] - mean, c = t[5] - mean;
  const double p = sqrt((a * a + b * b + c * c + 2 * (t[1] * t[1] + t[2] * t[2] + t[4] * t[4])) / 6); /* the spread */
  *least = *most = mean;
  if (!(p > 0)) return;
  const double determinant =
      a * (b * c - t[4] * t[4]) - t[1] * (t[1] * c - t[4] * t[2]) + t[2] * (t[1] * t[4] - b * t[2]);
  const double angle = acos(fmin(fmax(determinant / (2 * p * p * p), -1), 1)) / 3;
  *most = mean + 2 * p * cos(angle);
  *least = mean + 2 * p * cos(angle + third);
}
