/* Frames of elements on the host, in double precision. The backends `cpu` and `cuda`, checkpoints and powers call it;
 * frame.h derives the formulas. */
#include "maxwell/backend/frame/frame.h"

#include <math.h>

void mx_frame_gradients(const double metric[9], double gradient[3][3])
{
  const double *r = metric, *s = metric + 3, *t = metric + 6;
  for (int d = 0; d < 3; d++) {
    gradient[0][d] = -s[d] - t[d];
    gradient[1][d] = -r[d] - t[d];
    gradient[2][d] = -r[d] - s[d];
  }
}

double mx_frame_tangents(const double metric[9], double x[3][3])
{
  double g[3][3], determinant = 0;
  mx_frame_gradients(metric, g);
  /* x_a = J grad b x grad c for a, b, c cyclic, 1/J the determinant of the gradients */
  for (int a = 0; a < 3; a++) {
    const double *b = g[(a + 1) % 3], *c = g[(a + 2) % 3];
    for (int d = 0; d < 3; d++) x[a][d] = b[(d + 1) % 3] * c[(d + 2) % 3] - b[(d + 2) % 3] * c[(d + 1) % 3];
  }
  for (int d = 0; d < 3; d++) determinant += g[0][d] * x[0][d];
  for (int a = 0; a < 3; a++)
    for (int d = 0; d < 3; d++) x[a][d] /= determinant;
  return 1 / determinant;
}

void mx_frame_face_metric(int f, const double g[3][3], double weight, double inverse[3])
{
  double edge[3][2]; /* components of bimedian a along t1 and t2 */
  double g11 = 0, g12 = 0, g22 = 0;
  for (int a = 0; a < 3; a++) MX_ALONG(f, (double)(a == 0), (double)(a == 1), (double)(a == 2), edge[a]);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      g11 += edge[a][0] * g[a][b] * edge[b][0];
      g12 += edge[a][0] * g[a][b] * edge[b][1];
      g22 += edge[a][1] * g[a][b] * edge[b][1];
    }
  /* Minus, since the bimedians have the other orientation than r, s, t. */
  double scale = -weight / sqrt(g11 * g22 - g12 * g12);
  inverse[0] = scale * g22;
  inverse[1] = -scale * g12;
  inverse[2] = scale * g11;
}
