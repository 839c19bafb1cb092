/* Matrices of the coefficients of a response in the frame of a curved place (private). */
#pragma once

#include <string.h>

/* matrix[9]: its component a along the gradient of b; the tangents take what comes out. */
static inline void mx_turn_matrix(const double gradient[3][3], const double tangent[3][3], double *matrix)
{
  double turned[9] = {0};
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) turned[3 * a + b] += tangent[a][i] * matrix[3 * i + j] * gradient[b][j];
  memcpy(matrix, turned, sizeof turned);
}
