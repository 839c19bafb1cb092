/* The kernel of squares.h for one instruction set. The file that includes it defines VECTOR (bytes of a register), ROWS
 * (rows of a matrix at a time, with three sums each) and SET (the name of the table). */
enum { WIDE = VECTOR / 8 };
typedef double vec __attribute__((vector_size(VECTOR)));
#define INLINE static inline __attribute__((always_inline))

static const vec zero = {0};

INLINE vec load(const double *from) { return *(const vec *)(const void *)from; }

INLINE void to_sectors(vec x[4])
{
  const vec p = x[0] + x[1], m = x[0] - x[1], q = x[2] + x[3], n = x[2] - x[3];
  x[0] = p + q;
  x[1] = p - q;
  x[2] = m + n;
  x[3] = m - n;
}

/* y = matrix x for three components, `go` rows at a time. Returns where the next matrix begins. */
INLINE const double *apply_goes(int go, int rows, int columns, const double *restrict matrix, const vec *restrict x,
                                int x_apart, vec *restrict y, int y_apart)
{
  for (int first = 0; first < rows; first += go) {
    vec sum[3][ROWS];
#pragma GCC unroll 3
    for (int c = 0; c < 3; c++)
#pragma GCC unroll 16
      for (int r = 0; r < go; r++) sum[c][r] = zero;
#pragma GCC unroll 1
    for (int j = 0; j < columns; j++, matrix += go)
#pragma GCC unroll 16
      for (int r = 0; r < go; r++)
#pragma GCC unroll 3
        for (int c = 0; c < 3; c++) sum[c][r] += matrix[r] * x[c * x_apart + j];
#pragma GCC unroll 16
    for (int r = 0; r < go; r++)
#pragma GCC unroll 3
      for (int c = 0; c < 3; c++)
        if (first + r < rows) y[c * y_apart + first + r] = sum[c][r];
  }
  return matrix;
}

static const double *apply(int rows, int columns, const double *matrix, const vec *x, int x_apart, vec *y, int y_apart)
{
  switch (MX_ROWS_A_GO(rows, ROWS)) {
#define GOES(n)                                                                                                        \
  case n:                                                                                                              \
    return apply_goes(n, rows, columns, matrix, x, x_apart, y, y_apart)
    GOES(1);
    GOES(2);
    GOES(3);
    GOES(4);
#if ROWS > 4
    GOES(5);
    GOES(6);
    GOES(7);
    GOES(8);
#endif
#undef GOES
  }
  return matrix;
}

/* All sectors of a matrix. */
static void apply_sectors(const int rows[4], const int columns[4], const double *matrix, const vec *x, int x_apart,
                          vec *y, int y_apart)
{
  for (int s = 0; s < 4; s++) {
    matrix = apply(rows[s], columns[s], matrix, x, x_apart, y, y_apart);
    x += columns[s];
    y += rows[s];
  }
}

/* ---- weights at the points */

INLINE void weigh_point(const vec g[6], vec *a, vec *b, vec *c)
{
  const vec x = *a, y = *b, z = *c;
  *a = g[0] * x + g[1] * y + g[2] * z;
  *b = g[1] * x + g[3] * y + g[4] * z;
  *c = g[2] * x + g[4] * y + g[5] * z;
}

/* y[3][Nq] goes from coefficients to sums over orbits of the weighed values. */
static void weigh_points(const struct mx_squares *squares, const vec (*restrict g)[6], vec *restrict y)
{
  const int Nq = squares->Nq, quads = squares->point_quads, pairs = squares->point_pairs;
  const int begin[4] = {0, squares->points[0], squares->points[0] + squares->points[1],
                        squares->points[0] + 2 * squares->points[1]};
  for (int k = 0; k < quads; k++, g += 4) {
    vec x[3][4];
#pragma GCC unroll 3
    for (int c = 0; c < 3; c++) {
#pragma GCC unroll 4
      for (int s = 0; s < 4; s++) x[c][s] = y[c * Nq + begin[s] + k];
      to_sectors(x[c]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) weigh_point(g[i], &x[0][i], &x[1][i], &x[2][i]);
#pragma GCC unroll 3
    for (int c = 0; c < 3; c++) {
      to_sectors(x[c]);
#pragma GCC unroll 4
      for (int s = 0; s < 4; s++) y[c * Nq + begin[s] + k] = x[c][s];
    }
  }
  for (int k = 0; k < 3 * pairs; k++, g += 2) {
    const int s = k / pairs + 1, even = quads + k, odd = begin[s] + quads + k - (s - 1) * pairs;
    vec x[3][2];
#pragma GCC unroll 3
    for (int c = 0; c < 3; c++) {
      x[c][0] = y[c * Nq + even] + y[c * Nq + odd];
      x[c][1] = y[c * Nq + even] - y[c * Nq + odd];
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) weigh_point(g[i], &x[0][i], &x[1][i], &x[2][i]);
#pragma GCC unroll 3
    for (int c = 0; c < 3; c++) {
      y[c * Nq + even] = x[c][0] + x[c][1];
      y[c * Nq + odd] = x[c][0] - x[c][1];
    }
  }
  if (squares->points[0] > quads + 3 * pairs)
    weigh_point(g[0], &y[begin[1] - 1], &y[Nq + begin[1] - 1], &y[2 * Nq + begin[1] - 1]);
}

INLINE vec root(vec x)
{
  for (int l = 0; l < WIDE; l++) x[l] = sqrt(x[l]);
  return x;
}

/* The inverse of the lower Cholesky factor of the mean metric, for positive metrics: a; b c; d e f. */
static void whiten(const struct mx_squares *squares, const double *metric, vec inverse[6])
{
  vec m[6] = {zero, zero, zero, zero, zero, zero};
  for (int q = 0; q < squares->Nq; q++)
    for (int i = 0; i < 6; i++) m[i] += squares->weight[q] * load(metric + (q * 6 + i) * MX_SQUARE_LANES);
  vec sign = load(metric);
  for (int l = 0; l < WIDE; l++) sign[l] = sign[l] < 0 ? -1 : 1;
  const vec a = root(sign * m[0]), b = sign * m[1] / a, d = sign * m[2] / a, c = root(sign * m[3] - b * b),
            e = (sign * m[4] - d * b) / c, f = root(sign * m[5] - d * d - e * e);
  inverse[0] = 1 / a;
  inverse[2] = 1 / c;
  inverse[5] = 1 / f;
  inverse[1] = -b * inverse[0] * inverse[2];
  inverse[4] = -e * inverse[2] * inverse[5];
  inverse[3] = -(d * inverse[0] + e * inverse[1]) * inverse[5];
}

/* g[Nq][6] = weight inverse metric inverse^T. */
static void scale_metric(const struct mx_squares *squares, const double *metric, const vec inverse[6], vec (*g)[6])
{
  vec sign = load(metric);
  for (int l = 0; l < WIDE; l++) sign[l] = sign[l] < 0 ? -1 : 1;
  const vec a = inverse[0], b = inverse[1], c = inverse[2], d = inverse[3], e = inverse[4], f = inverse[5];
  for (int q = 0; q < squares->Nq; q++, metric += 6 * MX_SQUARE_LANES) {
    vec w[6];
    for (int i = 0; i < 6; i++) w[i] = sign * squares->weight[q] * load(metric + i * MX_SQUARE_LANES);
    /* the rows of inverse w, then those times the rows of inverse */
    const vec x0 = a * w[0], x1 = a * w[1], x2 = a * w[2];
    const vec y0 = b * w[0] + c * w[1], y1 = b * w[1] + c * w[3], y2 = b * w[2] + c * w[4];
    const vec z0 = d * w[0] + e * w[1] + f * w[2], z1 = d * w[1] + e * w[3] + f * w[4],
              z2 = d * w[2] + e * w[4] + f * w[5];
    g[q][0] = x0 * a;
    g[q][1] = x0 * b + x1 * c;
    g[q][2] = x0 * d + x1 * e + x2 * f;
    g[q][3] = y0 * b + y1 * c;
    g[q][4] = y0 * d + y1 * e + y2 * f;
    g[q][5] = z0 * d + z1 * e + z2 * f;
  }
}

/* ---- fields */

/* The field's coefficients b[3][Np] in the basis, for the scaled metric. */
static void coefficients(const struct mx_squares *squares, const double *field, const vec inverse[6], vec *b)
{
  const int Np = squares->Np, quads = squares->node_quads, pairs = squares->node_pairs;
  const int begin[4] = {0, squares->nodes[0], squares->nodes[0] + squares->nodes[1],
                        squares->nodes[0] + 2 * squares->nodes[1]};
  const int32_t *orbit = squares->orbit;
  vec u[3 * DG_NP_MAX];
#define AT(k) load(field + (3 * orbit[k] + c) * MX_SQUARE_LANES)
  for (int c = 0; c < 3; c++) {
    for (int k = 0; k < quads; k++) {
      vec x[4] = {AT(4 * k), AT(4 * k + 1), AT(4 * k + 2), AT(4 * k + 3)};
      to_sectors(x);
      for (int s = 0; s < 4; s++) u[c * Np + begin[s] + k] = x[s];
    }
    for (int k = 0; k < 3 * pairs; k++) {
      const int s = k / pairs + 1;
      const vec x = AT(4 * quads + 2 * k), y = AT(4 * quads + 2 * k + 1);
      u[c * Np + quads + k] = x + y;
      u[c * Np + begin[s] + quads + k - (s - 1) * pairs] = x - y;
    }
    if (squares->nodes[0] > quads + 3 * pairs) u[c * Np + begin[1] - 1] = AT(Np - 1);
  }
#undef AT
  apply_sectors(squares->nodes, squares->nodes, squares->change, u, Np, b, Np);
  for (int i = 0; i < Np; i++) {
    const vec x = b[i], y = b[Np + i], z = b[2 * Np + i];
    b[i] = inverse[0] * x;
    b[Np + i] = inverse[1] * x + inverse[2] * y;
    b[2 * Np + i] = inverse[3] * x + inverse[4] * y + inverse[5] * z;
  }
}

INLINE int any_above(vec x, vec y)
{
  int any = 0;
  for (int l = 0; l < WIDE; l++) any |= x[l] > y[l];
  return any;
}

/* r^T S^-1 r by conjugate gradients, to the digits that count beside `beside`; r[3][Np] is destroyed. */
static vec solve(const struct mx_squares *squares, const vec (*g)[6], vec beside, vec *restrict r)
{
  enum { MOST = 200 };
  static const double enough = 1e-16, least = 1e-300;
  const int Np = squares->Np, n = 3 * Np;
  vec p[3 * DG_NP_MAX], Sp[3 * DG_NP_MAX], y[3 * MX_SQUARE_POINTS], sum = zero, rho = zero;
  for (int i = 0; i < n; i++) {
    p[i] = r[i];
    rho += r[i] * r[i];
  }
  for (int k = 0; k < MOST; k++) {
    apply_sectors(squares->points, squares->nodes, squares->at, p, Np, y, squares->Nq);
    weigh_points(squares, g, y);
    apply_sectors(squares->nodes, squares->points, squares->back, y, squares->Nq, Sp, Np);
    vec pSp = zero, next = zero;
    for (int i = 0; i < n; i++) pSp += p[i] * Sp[i];
    const vec step = rho / (pSp + least), more = step * rho; /* a field of zeros takes no step */
    sum += more;
    if (!any_above(more, enough * (sum + beside))) break;
    for (int i = 0; i < n; i++) {
      r[i] -= step * Sp[i];
      next += r[i] * r[i];
    }
    const vec ratio = next / (rho + least);
    for (int i = 0; i < n; i++) p[i] = r[i] + ratio * p[i];
    rho = next;
  }
  return sum;
}

static void squares_of(const struct mx_squares *squares, const struct mx_square_fields *fields, double *square)
{
  vec g[MX_SQUARE_POINTS][6], b[3 * DG_NP_MAX], inverse[6];
  for (size_t part = 0; part < MX_SQUARE_LANES; part += WIDE) {
    whiten(squares, fields->metric + part, inverse);
    scale_metric(squares, fields->metric + part, inverse, g);
    for (size_t k = 0; k < fields->count; k++) {
      double *to = square + k * MX_SQUARE_LANES + part;
      const double *from = square + fields->beside[k] * MX_SQUARE_LANES + part;
      vec beside = zero;
      for (int l = 0; l < WIDE && fields->beside[k] < k; l++) beside[l] = from[l];
      coefficients(squares, fields->field + k * 3 * (size_t)squares->Np * MX_SQUARE_LANES + part, inverse, b);
      const vec sum = solve(squares, (const vec(*)[6])g, beside, b);
      for (int l = 0; l < WIDE; l++) to[l] = sum[l];
    }
  }
}

const struct mx_square_kernels SET = {.rows = ROWS, .squares = squares_of};
