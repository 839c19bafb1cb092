/* Running transforms of fields on faces and at points (maxwell/backend/card.h, mx_face_sums and mx_point_sums), on the
 * card. */
#pragma once

#include "gpu/kernels/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GPU_SUM_ROWS = 32 }; /* samples that go to the sums at a time, at most */

/* Faces and their own sides. Numbers of a sample: [face][4][Nf]. */
struct gpu_face_states {
  size_t faces;
  int Nf;
  const int32_t *first;     /* [faces + 1] sides of each face */
  const int32_t *side;      /* [sides] 4 * element + face */
  const int32_t *other_row; /* [sides] row of H_other */
  const int32_t *face_node; /* [4][Nf] nodes of the card's order */
  const double *weight;     /* [sides][4][6] of covariant components of E and H */
  const void *E, *H, *H_other;
  double *value; /* [faces][4][Nf] */
};
gpuError_t gpu_sample_faces(const struct gpu_tables *tables, const struct gpu_face_states *states, gpuStream_t stream);

/* Points and what turns their covariant components into Cartesian ones. Numbers of a sample: [point][components]. */
struct gpu_point_states {
  size_t count;
  int vectors, first;       /* how many of E and H, and the first of them: 0 or 1 */
  const int32_t *element;   /* [count] */
  const int32_t *other_row; /* [count] row of H_other */
  const int32_t *node;      /* [count] of the card's order, or -1: weights are taken */
  const int32_t *frame;     /* [count] number of its frame */
  const double *gradient;   /* [frames][3][3] gradient of coordinate a */
  const double *weight;     /* [count][Np]; NULL: all points are nodes */
  const void *E, *H, *H_other;
  double *value; /* [count][3 vectors] */
};
gpuError_t gpu_sample_points_of_sums(const struct gpu_tables *tables, const struct gpu_point_states *states,
                                     gpuStream_t stream);

/* sum[k][i] += turn[r][k] row[r][i], for the rows in their order. */
struct gpu_turns {
  size_t rows, width, sums;
  const double *row, *turn;
  double *sum;
};
gpuError_t gpu_add_rows(const struct gpu_tables *tables, const struct gpu_turns *turns, gpuStream_t stream);

#ifdef __cplusplus
}
#endif
