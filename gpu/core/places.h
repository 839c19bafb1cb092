/* Points and functionals as kernels take them. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "maxwell/backend/backend.h"

/* weight[count][Np] in the card's order, element[count] and node[count] of points. */
void gpu_list_points(const struct mx_backend *backend, size_t count, const struct mx_point *point, double *weight,
                     int32_t *element, int32_t *node);
/* d(r, s, t)_a/dx_b at a point. */
const double *gpu_metric_of_point(const struct mx_backend *backend, const struct mx_point *point);
/* Turns the values of one point, from[6] in covariant components, into Cartesian value[6]. */
void gpu_point_to_cartesian(const double metric[9], const unsigned char *from, double *value);
/* The sum that is functional f of the field as it is. */
struct gpu_sum gpu_sum_of_functional(const struct mx_backend *backend, size_t f, double *part);
double gpu_sum_of_parts(const unsigned char *from, size_t parts);
/* The number of elements of a functional, which are its rows. Fills their list if `element` is not NULL. An element is
 * in the list twice if the functional comes back to it behind others. */
size_t gpu_rows_of_functional(const struct mx_problem *problem, size_t functional, int32_t *element);
