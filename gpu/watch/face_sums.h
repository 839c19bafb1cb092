/* Running transforms on faces, and how they and those at points go on. */
#pragma once

#include "gpu/kernels/face_sums.h"
#include "maxwell/backend/backend.h"

enum { GPU_SUMS = 32 }; /* far fields and spectra */

/* Running transforms on faces (face_sums.c) or at points (point_sums.c). */
struct gpu_running {
  struct gpu_face_states faces;   /* without fields and values */
  struct gpu_point_states points; /* the same; count 0: the sums are of faces */
  struct gpu_turns turns;         /* without arrays */
  size_t rows;                    /* samples that there is room for */
  double *row, *turn, *sum;       /* of the card: [rows][width], [rows][sums], [sums][width] */
};

/* Makes room for samples and sums of zero, once `turns` and `rows` are known. */
int gpu_new_sums(struct mx_backend *backend, struct gpu_running *sums, const char *what,
                 struct dg_error *err) DG_MUST_USE;

int gpu_face_sums_new(struct mx_backend *backend, const struct mx_face_sums *what, size_t *number,
                      struct dg_error *err);
int gpu_sums_take(struct mx_backend *backend, size_t number, size_t row, struct dg_error *err);
int gpu_sums_add(struct mx_backend *backend, size_t number, size_t rows, const double *turn, struct dg_error *err);
int gpu_sums_fetch(struct mx_backend *backend, size_t number, double *sum, struct dg_error *err);
int gpu_sums_set(struct mx_backend *backend, size_t number, const double *sum, struct dg_error *err);
