/* Energies, points, functionals and whole fields, brought to the host. */
#pragma once

#include "gpu/kernels/kernels.h"
#include "maxwell/backend/backend.h"

enum { GPU_STAGING = 4 << 20 }; /* bytes of each of the two pinned buffers through which fields come and go */

/* Two pinned buffers through which rows come to the host. The host converts one while the other is filled. */
struct gpu_way {
  gpuStream_t stream;
  size_t bytes; /* of each */
  unsigned char *pinned[2];
  unsigned char *card[2]; /* for means; NULL: there are none */
  gpuEvent_t arrived[2];
};

int gpu_pack_functionals(struct mx_backend *backend, struct dg_error *err) DG_MUST_USE;
/* Pinned and card buffers of at least so many bytes each; the content is lost. */
int gpu_grow_staging(struct mx_backend *backend, size_t bytes, struct dg_error *err) DG_MUST_USE;
int gpu_energy(struct mx_backend *backend, double *electric, double *magnetic, struct dg_error *err);
int gpu_sample_points(struct mx_backend *backend, size_t count, const struct mx_point *point, double (*value)[6],
                      struct dg_error *err);
int gpu_functionals(struct mx_backend *backend, size_t first, size_t count, bool centred, double *value,
                    struct dg_error *err);
int gpu_functionals_begin(struct mx_backend *backend, size_t first, size_t count, struct dg_error *err);
int gpu_functionals_end(struct mx_backend *backend, size_t first, size_t count, double *value, struct dg_error *err);
int gpu_loss(struct mx_backend *backend, size_t count, const int32_t *element, double *loss, struct dg_error *err);
int gpu_download(struct mx_backend *backend, double *E, double *H, struct dg_error *err);
int gpu_check_fields(struct mx_backend *backend, struct mx_field_check *check, struct dg_error *err);

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

/* H one half step ago, or H itself where both fields live at the same time: the mean of this and H is observed. Not
 * where leapfrog works in place. */
const void *gpu_other_H(const struct mx_backend *backend);
/* Brings (u + v)/2 in Cartesian components to to[K][3][Np], for elements first..first+count-1, of which u and v are the
 * rows. */
int gpu_bring_rows(const struct mx_backend *backend, const struct gpu_way *way, const void *u, const void *v,
                   size_t first, size_t count, double *to, struct dg_error *err) DG_MUST_USE;
/* The number of elements of a functional, which are its rows. Fills their list if `element` is not NULL. An element is
 * in the list twice if the functional comes back to it behind others. */
size_t gpu_rows_of_functional(const struct mx_problem *problem, size_t functional, int32_t *element);
