/* Running transforms of fields on faces (maxwell/backend/card.h, mx_face_sums), on the card. */
#pragma once

#include "gpu/kernels/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GPU_FACE_ROWS = 32 }; /* samples that go to the sums at a time, at most */

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

/* sum[k][i] += turn[r][k] row[r][i], for the rows in their order. */
struct gpu_face_turns {
  size_t rows, width, sums;
  const double *row, *turn;
  double *sum;
};
gpuError_t gpu_add_face_rows(const struct gpu_tables *tables, const struct gpu_face_turns *turns, gpuStream_t stream);

#ifdef __cplusplus
}
#endif
