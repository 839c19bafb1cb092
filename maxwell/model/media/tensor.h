/* Media whose epsilon or mu is a tensor, symmetric and positive. An element has the scalars epsilon and mu, as that of
 * an isotropic medium has, and the tensor is the scalar times `shape`, whose inverse has a mean of 1 on its diagonal:
 *
 *   epsilon = 3 / trace(tensor^-1),   shape = tensor / epsilon.
 *
 * The flux knows only the scalars: its weights on a face are those of two isotropic media. Its means conserve the
 * energy 1/2 E . tensor E for any weights that both sides share, and its penalty, a positive number times [E]_t, only
 * takes from it (share/doc/design/method.md, "Tensors"). The mean of the inverse, not that of the tensor, keeps the
 * penalty below that of the fastest wave, whose storage is the least: a larger penalty would limit the step. Six
 * numbers are xx, xy, xz, yy, yz, zz. */
#pragma once

#include <stddef.h>

enum { MX_TENSOR_NUMBERS = 6 };

/* By equation: E, H. */
struct mx_tensor {
  double shape[2][MX_TENSOR_NUMBERS], inverse[2][MX_TENSOR_NUMBERS];
};

/* The tensor times the vector u. */
static inline void mx_tensor_apply(const double tensor[MX_TENSOR_NUMBERS], const double u[3], double result[3])
{
  result[0] = tensor[0] * u[0] + tensor[1] * u[1] + tensor[2] * u[2];
  result[1] = tensor[1] * u[0] + tensor[3] * u[1] + tensor[4] * u[2];
  result[2] = tensor[2] * u[0] + tensor[4] * u[1] + tensor[5] * u[2];
}

/* u . tensor v */
static inline double mx_tensor_product(const double tensor[MX_TENSOR_NUMBERS], const double u[3], const double v[3])
{
  double w[3];
  mx_tensor_apply(tensor, v, w);
  return u[0] * w[0] + u[1] * w[1] + u[2] * w[2];
}

/* Makes the inverse of a symmetric tensor. Returns the determinant; where it is not positive there is no inverse. */
double mx_tensor_invert(const double tensor[MX_TENSOR_NUMBERS], double inverse[MX_TENSOR_NUMBERS]);

/* The scalar of a positive tensor, 3 / trace(tensor^-1). */
double mx_tensor_scalar(const double tensor[MX_TENSOR_NUMBERS]);

/* Sets the shape and its inverse of one equation, 0 or 1, from the tensor. Returns the scalar. */
double mx_tensor_shape(struct mx_tensor *to, int equation, const double tensor[MX_TENSOR_NUMBERS]);

/* The least and the largest eigenvalue of a symmetric tensor. */
void mx_tensor_extremes(const double tensor[MX_TENSOR_NUMBERS], double *least, double *most);
