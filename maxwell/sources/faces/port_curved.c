/* Projects profiles of ports onto curved triangles: see port_curved.h. */
#include "maxwell/sources/faces/port_curved.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"

static void frame_at_node(const struct mx_port_triangle *triangle, const struct dg_reference *ref, size_t m,
                          struct mx_face_frame *frame)
{
  const int node = ref->face_node[3 * (size_t)ref->Nf + m]; /* face 3 has the vertices 0, 1, 2 */
  const double bary[3] = {-0.5 * (ref->r[node] + ref->s[node]), 0.5 * (1 + ref->r[node]), 0.5 * (1 + ref->s[node])};
  mx_face_frame_at(&triangle->map, triangle->normal, bary, frame);
}

/* Vectors along t1 and t2 with given covariant components. */
static void from_covariant(const struct mx_face_frame *frame, const double u[2], double v[3])
{
  const double g11 = dg_dot(frame->t[0], frame->t[0]), g12 = dg_dot(frame->t[0], frame->t[1]),
               g22 = dg_dot(frame->t[1], frame->t[1]), det = g11 * g22 - g12 * g12;
  const double a = (g22 * u[0] - g12 * u[1]) / det, b = (g11 * u[1] - g12 * u[0]) / det;
  for (int c = 0; c < 3; c++) v[c] = a * frame->t[0][c] + b * frame->t[1][c];
}

/* Solves A x = x of n rows, A symmetric and positive; A becomes its factor. */
static void solve(size_t n, double *A, double *x)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = A[i * n + j];
      for (size_t k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
    }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
    x[i] /= A[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) x[i] -= A[k * n + i] * x[k];
    x[i] /= A[i * n + i];
  }
}

int mx_port_project(const struct mx_port_triangle *triangle, size_t count, size_t Nf, const double (*bary)[3],
                    const double *weight, const double *basis, const double *moment, double *nodal,
                    struct dg_error *err)
{
  const size_t n = 2 * Nf;
  double *mass;
  if (DG_NEW(mass, n * n, err) != 0) return err->code;
  for (size_t q = 0; q < count; q++) {
    struct mx_face_frame frame;
    mx_face_frame_at(&triangle->map, triangle->normal, bary[q], &frame);
    const double g11 = dg_dot(frame.t[0], frame.t[0]), g12 = dg_dot(frame.t[0], frame.t[1]),
                 g22 = dg_dot(frame.t[1], frame.t[1]), scale = 2 * weight[q] / frame.area;
    const double inverse[2][2] = {{scale * g22, -scale * g12}, {-scale * g12, scale * g11}};
    for (size_t a = 0; a < 2; a++)
      for (size_t b = 0; b < 2; b++)
        for (size_t i = 0; i < Nf; i++)
          for (size_t j = 0; j < Nf; j++)
            mass[(a * Nf + i) * n + b * Nf + j] += inverse[a][b] * basis[q * Nf + i] * basis[q * Nf + j];
  }
  memcpy(nodal, moment, n * sizeof *nodal);
  solve(n, mass, nodal);
  dg_free(mass);
  return 0;
}

void mx_port_weights(const struct mx_port_triangle *triangle, const struct dg_reference *ref, const double *moment,
                     const double *nodal, double *of_E, double *of_H)
{
  const size_t Nf = (size_t)ref->Nf;
  for (size_t m = 0; m < Nf; m++) {
    struct mx_face_frame frame;
    double mass[2] = {0, 0}; /* (E x H).n dA is E_1 H_2 - E_2 H_1 by the coordinates of the triangle */
    frame_at_node(triangle, ref, m, &frame);
    for (size_t j = 0; j < Nf; j++)
      for (size_t a = 0; a < 2; a++) mass[a] += ref->face_mass[m * Nf + j] * nodal[a * Nf + j];
    for (size_t c = 0; c < 3; c++) {
      of_E[c * Nf + m] = moment[m] * frame.t[0][c] + moment[Nf + m] * frame.t[1][c];
      of_H[c * Nf + m] = frame.sign * (mass[0] * frame.t[1][c] - mass[1] * frame.t[0][c]);
    }
  }
}

void mx_port_fields(const struct mx_port_triangle *triangle, const struct dg_reference *ref, const double *nodal,
                    const double *solved, double *e, double *turned)
{
  const size_t Nf = (size_t)ref->Nf;
  for (size_t m = 0; m < Nf; m++) {
    struct mx_face_frame frame;
    double v[3], w[3];
    frame_at_node(triangle, ref, m, &frame);
    /* t1.(n x e) is -e^2 sqrt(g) times the sign, t2.(n x e) is e^1 */
    from_covariant(&frame, (const double[2]){nodal[m], nodal[Nf + m]}, v);
    from_covariant(&frame, (const double[2]){-frame.sign * solved[Nf + m], frame.sign * solved[m]}, w);
    for (size_t c = 0; c < 3; c++) e[c * Nf + m] = v[c], turned[c * Nf + m] = w[c];
  }
}
