/* Currents of metal walls and films along the edges of their faces: skin_frame.h. The `cuda` backend holds them so;
 * checkpoints and the balance of energy turn them. */
#include "maxwell/terms/skin_frame.h"

#include <math.h>

#include "maxwell/problem/curved.h"

void mx_sheet_numbers(const struct mx_skin *skin, size_t q, double n[2])
{
  n[0] = skin->transfer[q];
  n[1] = 0.5 * skin->transfer[q] / skin->rate[q];
}

/* The edges of face f where the element has this metric, t[2][3], and their products 11, 12, 22. */
static void edges(const double metric[9], size_t f, double t[2][3], double g[3])
{
  double x[3][3], pair[2];
  (void)mx_frame_tangents(metric, x);
  g[0] = g[1] = g[2] = 0;
  for (int b = 0; b < 3; b++) {
    MX_ALONG(f, x[0][b], x[1][b], x[2][b], pair);
    t[0][b] = pair[0], t[1][b] = pair[1];
    g[0] += t[0][b] * t[0][b], g[1] += t[0][b] * t[1][b], g[2] += t[1][b] * t[1][b];
  }
}

void mx_skin_face(const struct mx_problem *problem, size_t e, size_t f, double turn[3], double product[3])
{
  double t[2][3], g[3], across = 0;
  edges(problem->metric[e], f, t, g);
  for (int b = 0; b < 3; b++) {
    const int c = (b + 1) % 3, d = (b + 2) % 3;
    across += problem->normal[e][f][b] * (t[0][c] * t[1][d] - t[0][d] * t[1][c]);
  }
  const double area = copysign(sqrt(g[0] * g[2] - g[1] * g[1]), across);
  turn[0] = -g[1] / area, turn[1] = g[0] / area, turn[2] = -g[2] / area;
  const double scale = problem->face_scale[e][f] * problem->jacobian[e] / (area * area);
  product[0] = scale * g[2], product[1] = -scale * g[1], product[2] = scale * g[0];
}

void mx_turn_currents(const struct mx_problem *problem, size_t e, size_t f, size_t vectors, bool to_cartesian,
                      double *value)
{
  const struct dg_reference *ref = problem->ref;
  const size_t Nf = (size_t)ref->Nf;
  for (size_t i = 0; i < Nf; i++) {
    const int node = ref->face_node[f * Nf + i];
    const double place[3] = {ref->r[node], ref->s[node], ref->t[node]};
    double metric[9], t[2][3], g[3];
    (void)mx_element_metric(problem, e, place, metric);
    edges(metric, f, t, g);
    for (size_t v = 0; v < vectors; v++) {
      double u[3], to[3], along[2] = {0, 0};
      for (size_t c = 0; c < 3; c++) u[c] = value[(3 * v + c) * Nf + i];
      if (to_cartesian) {
        const double det = g[0] * g[2] - g[1] * g[1];
        MX_ALONG(f, u[0], u[1], u[2], along);
        const double p = (g[2] * along[0] - g[1] * along[1]) / det, q = (g[0] * along[1] - g[1] * along[0]) / det;
        for (int c = 0; c < 3; c++) to[c] = p * t[0][c] + q * t[1][c];
      } else {
        for (int c = 0; c < 3; c++) along[0] += t[0][c] * u[c], along[1] += t[1][c] * u[c];
        MX_WITH_ALONG(f, along[0], along[1], to);
      }
      for (size_t c = 0; c < 3; c++) value[(3 * v + c) * Nf + i] = to[c];
    }
  }
}
