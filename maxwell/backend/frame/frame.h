/* The covariant frame of an element and the directions of its faces, for the host and for cards (C and CUDA), told
 * once: the backends `cpu` and `cuda` hold vectors in it, and checkpoints turn them.
 *
 * The components of a vector u are u_a = x_a . u along the bimedians (symmetry.h)
 *
 *   x_a = dx/da = (x_r - x_s - x_t) / 2,   x_b = (x_s - x_r - x_t) / 2,   x_c = (x_t - x_r - x_s) / 2.
 *
 * With them, J the signed Jacobian of (a, b, c),
 *
 *   J (curl u)^a = d_b u_c - d_c u_b    (a, b, c cyclic; contravariant part a)
 *
 * needs six derivatives and no geometry. The vertices of all elements are sorted, so the edges t1, t2 that span a face
 * are the same vectors on both of its sides, each the sum or the difference of two bimedians:
 *
 *   face 0: x_b - x_a, x_c - x_a;      1: -x_a - x_c, -x_a - x_b;
 *   face 2: -x_b - x_c, -x_a - x_b;    3: -x_b - x_c, -x_a - x_c.
 *
 * With v1 = t1.v, v2 = t2.v the jump of a field under the curl enters as
 *
 *   -2 J face_scale n x v = kappa ( v1 t2 - v2 t1 ),   kappa = +1, -1, +1, -1 on faces 0..3,
 *
 * again without geometry. The penalty takes the inverse metric of the face,
 *
 *   -2 J face_scale v_t = -sign(J) ( (g22 v1 - g12 v2) t1 + (g11 v2 - g12 v1) t2 ) / sqrt(g11 g22 - g12^2).
 *
 * The macros are the table of faces above. They are macros since the numbers are double or float, a vector of elements
 * (cpu) or a template's type (card); kernels know f when they are compiled. */
#pragma once

/* v[2]: components along t1 and t2 of face f of the vector (a, b, c); and along -t1 and -t2. */
#define MX_ALONG(f, a, b, c, v)   MX_EDGES(f, -, +, a, b, c, v)
#define MX_AGAINST(f, a, b, c, v) MX_EDGES(f, +, -, a, b, c, v)
/* clang-format off */
#define MX_EDGES(f, minus, plus, a, b, c, v)                                                                         \
  ((v)[0] = (f) == 0 ? minus(a) plus(b) : (f) == 1 ? minus(a) minus(c) : minus(b) minus(c),                         \
   (v)[1] = (f) == 0 ? minus(a) plus(c) : (f) == 3 ? minus(a) minus(c) : minus(a) minus(b))

/* Sets u[3] to a vector with components p and q along t1 and t2 of face f. MX_ALONG makes the same bits from it. */
#define MX_WITH_ALONG(f, p, q, u)                                                                                    \
  ((u)[0] = (f) < 2 ? 0 : -(q),                                                                                      \
   (u)[1] = (f) == 0 ? (p) : (f) == 1 ? -(q) : (f) == 2 ? 0 : -(p),                                                  \
   (u)[2] = (f) == 0 ? (q) : (f) == 3 ? 0 : -(p))

/* a, b, c: p t1 + q t2 along x_a, x_b, x_c, but for the sign. Twice what is lifted with the Jacobian of (a, b, c) where
 * p and q have that of (r, s, t). */
#define MX_FROM_ALONG(f, p, q, a, b, c)                                                                              \
  ((a) = (f) < 2 ? (p) + (q) : (q),                                                                                  \
   (b) = (f) == 0 ? -(p) : (f) == 1 ? (q) : (f) == 2 ? (p) + (q) : (p),                                              \
   (c) = (f) == 0 ? -(q) : (f) == 3 ? (p) + (q) : (p))
/* clang-format on */

/* g11, g12, g22: products of t1 and t2 of face f from those of the bimedians, aa to cc. */
#define MX_FACE_PRODUCTS(f, aa, ab, ac, bb, bc, cc, g11, g12, g22)                                                     \
  do {                                                                                                                 \
    if ((f) == 0) (g11) = aa - 2 * ab + bb, (g12) = aa - ab - ac + bc, (g22) = aa - 2 * ac + cc;                       \
    else if ((f) == 1) (g11) = aa + 2 * ac + cc, (g12) = aa + ab + ac + bc, (g22) = aa + 2 * ab + bb;                  \
    else if ((f) == 2) (g11) = bb + 2 * bc + cc, (g12) = ab + bb + ac + bc, (g22) = aa + 2 * ab + bb;                  \
    else (g11) = bb + 2 * bc + cc, (g12) = ab + bc + ac + cc, (g22) = aa + 2 * ac + cc;                                \
  } while (0)

#ifndef __cplusplus

/* Gradients of the coordinates a, b, c along the bimedians, and x[0] = dx/da and so on, from the metric dr_a/dx_b;
 * returns the signed Jacobian of (a, b, c), -1/2 that of (r, s, t). */
void mx_frame_gradients(const double metric[9], double gradient[3][3]);
double mx_frame_tangents(const double metric[9], double x[3][3]);

/* weight times the inverse metric of face f: rows (0 1), (1 2). g may have any scale; its sign is kept. */
void mx_frame_face_metric(int f, const double g[3][3], double weight, double inverse[3]);

#endif
