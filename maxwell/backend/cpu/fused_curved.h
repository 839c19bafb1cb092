/* Kernels of curved elements of one order, P; included by fused_order.h. Blocks of curved elements have no others.
 *
 * Curl, jumps and lift are those of straight elements. What follows is u = project(W^-1 at u) instead of six numbers an
 * element (maxwell/problem/curved.h): W^-1 = g_ab/J at the points, times one number an element and equation. Both
 * matrices fall into sectors (points.h). The penalty is integrated with the rule of the face, whose points have an
 * inverse metric each. */
#define NQ              MX_POINTS(P)
#define NFQ             MX_FACE_POINTS(P)
#define POINT_QUADS     MX_POINT_QUADS(P)
#define POINT_PAIRS     MX_POINT_PAIRS(P)
#define M0              MX_POINT_SECTOR_0(P)
#define M1              MX_POINT_SECTOR_1(P)
#define POINT_SECTOR(s) ((s) == 0 ? 0 : M0 + ((s)-1) * M1)

/* y = matrix x for several components, which are `apart` numbers from each other. Rows are worked on `go` at a time,
 * and the last go's matrix has zeros where rows are missing. Returns where the next matrix begins. */
INLINE const REAL *ORDERED(apply)(int rows, int columns, int components, const REAL *restrict matrix,
                                  const NAME(vec) *restrict x, int x_apart, NAME(vec) *restrict y, int y_apart)
{
  const int go = MX_ROWS_A_GO(rows, CURVED_ROWS);
#pragma GCC unroll 1
  for (int first = 0; first < rows; first += go) {
    NAME(vec) sum[3][CURVED_ROWS];
#pragma GCC unroll 3
    for (int c = 0; c < components; c++)
#pragma GCC unroll 16
      for (int r = 0; r < go; r++) sum[c][r] = (NAME(vec)){0};
#pragma GCC unroll 1
    for (int j = 0; j < columns; j++, matrix += go)
#pragma GCC unroll 16
      for (int r = 0; r < go; r++)
#pragma GCC unroll 3
        for (int c = 0; c < components; c++) sum[c][r] += matrix[r] * x[c * x_apart + j];
#pragma GCC unroll 16
    for (int r = 0; r < go; r++)
#pragma GCC unroll 3
      for (int c = 0; c < components; c++)
        if (first + r < rows) y[c * y_apart + first + r] = sum[c][r];
  }
  return matrix;
}

/* v = g v with the six numbers of a point. */
INLINE void ORDERED(weigh_point)(const REAL *metric, NAME(vec) * a, NAME(vec) * b, NAME(vec) * c)
{
  const NAME(vec) aa = NAME(load)(metric), ab = NAME(load)(metric + LANES), ac = NAME(load)(metric + 2 * LANES),
                  bb = NAME(load)(metric + 3 * LANES), bc = NAME(load)(metric + 4 * LANES),
                  cc = NAME(load)(metric + 5 * LANES);
  const NAME(vec) x = *a, y = *b, z = *c;
  *a = aa * x + ab * y + ac * z;
  *b = ab * x + bb * y + bc * z;
  *c = ac * x + bc * y + cc * z;
}

/* Weighs the values at the points; y[component][sector, unknown] goes from coefficients to sums over orbits. */
INLINE void ORDERED(weigh_points)(const REAL *metric, NAME(vec) (*restrict y)[NQ])
{
#pragma GCC unroll 1
  for (int k = 0; k < POINT_QUADS; k++) {
    NAME(vec) x[3][4];
#pragma GCC unroll 3
    for (int c = 0; c < 3; c++) {
#pragma GCC unroll 4
      for (int s = 0; s < 4; s++) x[c][s] = y[c][POINT_SECTOR(s) + k];
      NAME(to_sectors)(x[c]);
    }
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++, metric += 6 * LANES) ORDERED(weigh_point)(metric, &x[0][g], &x[1][g], &x[2][g]);
#pragma GCC unroll 3
    for (int c = 0; c < 3; c++) {
      NAME(to_sectors)(x[c]);
#pragma GCC unroll 4
      for (int s = 0; s < 4; s++) y[c][POINT_SECTOR(s) + k] = x[c][s];
    }
  }
#pragma GCC unroll 1
  for (int k = 0; k < 3 * POINT_PAIRS; k++, metric += 12 * LANES) {
    const int s = k / (POINT_PAIRS > 0 ? POINT_PAIRS : 1) + 1;
    const int even = POINT_QUADS + k, odd = POINT_SECTOR(s) + POINT_QUADS + k - (s - 1) * POINT_PAIRS;
    NAME(vec) x[3][2];
#pragma GCC unroll 3
    for (int c = 0; c < 3; c++) {
      x[c][0] = y[c][even] + y[c][odd];
      x[c][1] = y[c][even] - y[c][odd];
    }
#pragma GCC unroll 2
    for (int q = 0; q < 2; q++) ORDERED(weigh_point)(metric + q * 6 * LANES, &x[0][q], &x[1][q], &x[2][q]);
#pragma GCC unroll 3
    for (int c = 0; c < 3; c++) {
      y[c][even] = x[c][0] + x[c][1];
      y[c][odd] = x[c][0] - x[c][1];
    }
  }
  if (MX_POINT_FIXED(P)) ORDERED(weigh_point)(metric, &y[0][M0 - 1], &y[1][M0 - 1], &y[2][M0 - 1]);
}

/* w = project(W^-1 at w), in sectors. */
INLINE void ORDERED(weigh)(const struct mx_fused *fused, const REAL *metric, NAME(vec) (*restrict w)[NP])
{
  NAME(vec) y[3][NQ];
  const REAL *matrix = ORDERED(apply)(M0, N0, 3, fused->curves.at, w[0], NP, y[0], NQ);
#pragma GCC unroll 1
  for (int s = 1; s < 4; s++)
    matrix = ORDERED(apply)(M1, N1, 3, matrix, w[0] + SECTOR(s), NP, y[0] + POINT_SECTOR(s), NQ);
  ORDERED(weigh_points)(metric, y);
  matrix = ORDERED(apply)(N0, M0, 3, fused->curves.project, y[0], NQ, w[0], NP);
#pragma GCC unroll 1
  for (int s = 1; s < 4; s++)
    matrix = ORDERED(apply)(N1, M1, 3, matrix, y[0] + POINT_SECTOR(s), NQ, w[0] + SECTOR(s), NP);
}

/* Adds the penalty of the jumps own[2][Nf] on a face to flux[2][Nf], along t1 and t2. The inverse metric of a point has
 * a determinant of 1, so that two numbers give the three: half the difference of its diagonal, and what stands beside
 * it. Reading them is what takes the time. */
static __attribute__((noinline)) void ORDERED(face_penalty)(const struct mx_fused *fused, const REAL *metric,
                                                            NAME(vec) penalty, const NAME(vec) (*own)[NF],
                                                            NAME(vec) (*flux)[NF])
{
  NAME(vec) at[2][NFQ], back[2][NF];
  (void)ORDERED(apply)(NFQ, NF, 2, fused->curves.face_at, own[0], NF, at[0], NFQ);
  for (int q = 0; q < NFQ; q++, metric += 2 * LANES) {
    const NAME(vec) d = NAME(load)(metric), b = NAME(load)(metric + LANES), x = at[0][q], y = at[1][q];
    const NAME(vec) square = 1 + d * d + b * b, mean = square * NAME(reciprocal_root)(square);
    at[0][q] = penalty * ((mean + d) * x + b * y);
    at[1][q] = penalty * (b * x + (mean - d) * y);
  }
  (void)ORDERED(apply)(NF, NFQ, 2, fused->curves.face_project, at[0], NFQ, back[0], NF);
  for (int m = 0; m < NF; m++) {
    flux[0][m] += back[0][m];
    flux[1][m] += back[1][m];
  }
}

/* The fluxes of all faces of a part of a block: flux[component][face][place]. outside: neighbours' values of `own`
 * count. */
INLINE void ORDERED(curved_fluxes)(const struct mx_fused *fused, int equation, size_t block, size_t part,
                                   const REAL *other, const REAL *own, bool outside, const NAME(vec) * u,
                                   NAME(vec) (*restrict flux)[4][NF])
{
  const bool penalised = fused->flags[block] & MX_BLOCK_PENALTY;
  const size_t faces = MX_CURVED(fused, block) * 4 * NFQ * 2 * LANES + part;
  const NAME(vec) one =
      NAME(load)((const REAL *)fused->curves.metric + MX_CURVED(fused, block) * NQ * 6 * LANES + part);
  const NAME(vec) sign = (REAL)(equation == 0 ? -1 : 1) * one * NAME(reciprocal_root)(one * one); /* of the map */
  NAME(vec) v[ROW];
  if (penalised) ORDERED(unpack)(own + (block * LANES + part) * ROW, v);
  EACH_FACE
  for (int f = 0; f < 4; f++) {
    const struct NAME(outside) o = NAME(find)(fused->neighbour + (block * 4 + (size_t)f) * LANES + part);
    const NAME(ivec) index = NAME(load_indices)(fused->weight + (block * 4 + (size_t)f) * LANES + part);
    NAME(vec) weight = NAME(lookup)(fused->jump[equation], index), along[2][NF], own_jump[2][NF];
    if (f % 2 == 1) weight = -weight;
    for (int m = 0; m < NF; m++) {
      _Alignas(64) int32_t at[WIDE];
      NAME(vec) jump[2];
      NAME(locate)(&o, fused->gather + m * LANES, at);
      ORDERED(jump)(fused, f, m, &o, other, at, u, jump);
      along[0][m] = -weight * jump[1];
      along[1][m] = weight * jump[0];
      if (!penalised) continue;
      ORDERED(jump)(fused, f, m, &o, own, outside ? at : fused->nowhere, v, jump);
      own_jump[0][m] = jump[0];
      own_jump[1][m] = jump[1];
    }
    if (penalised) {
      const NAME(vec) penalty = sign * NAME(lookup)(fused->penalty[equation], index);
      ORDERED(face_penalty)
      (fused, (const REAL *)fused->curves.face + faces + (size_t)f * NFQ * 2 * LANES, penalty,
       (const NAME(vec)(*)[NF])own_jump, along);
    }
    for (int m = 0; m < NF; m++) {
      const int at = PLACE(f, m);
      MX_FROM_ALONG(f, along[0][m], along[1][m], flux[0][f][at], flux[1][f][at], flux[2][f][at]);
    }
  }
}

/* The change of a part of a block of curved elements by an equation: change[3 node + component], zero behind the last
 * node. */
static __attribute__((noinline)) void ORDERED(curved_changes)(const struct mx_fused *fused, int equation, size_t block,
                                                              size_t part, const REAL *other, const REAL *own,
                                                              bool outside, NAME(vec) change[ROW])
{
  const REAL *metric = (const REAL *)fused->curves.metric + MX_CURVED(fused, block) * NQ * 6 * LANES + part;
  const NAME(vec) gain = NAME(load)((const REAL *)fused->metric[equation] + block * 6 * LANES + part);
  NAME(vec) u[ROW], sectors[3][NP], w[3][NP], flux[3][4][NF];
  ORDERED(unpack)(other + (block * LANES + part) * ROW, u);
  ORDERED(curved_fluxes)(fused, equation, block, part, other, own, outside, u, flux);
  ORDERED(flux_to_sectors)(flux);
  ORDERED(to_sectors)(fused, u, sectors);
  ORDERED(curl)(fused, (const NAME(vec)(*)[NP])sectors, (const NAME(vec)(*)[4][NF])flux, w);
  ORDERED(weigh)(fused, metric, w);
  for (int k = 0; k < N0; k++) {
    NAME(vec) x[4][3];
    const int nodes = ORDERED(from_sectors)((const NAME(vec)(*)[NP])w, k, x);
    const int first = k < QUADS ? 4 * k : 2 * (QUADS + k); /* the first node's place among the orbits' */
    for (int i = 0; i < nodes; i++)
      for (int c = 0; c < 3; c++) change[3 * ORBIT(first + i) + c] = gain * x[i][c];
  }
  for (int q = 3 * NP; q < ROW; q++) change[q] = (NAME(vec)){0};
}

static void ORDERED(curved_half)(const struct mx_fused *fused, const struct mx_fused_half *half, size_t first,
                                 size_t last)
{
  const int equation = half->equation;
  const bool in_place = half->result == half->own, stream = !in_place && fused->stream;
  for (size_t block = first; block < last; block++) {
    ORDERED(fetch_far)(fused, block, half->other, in_place ? NULL : half->own);
    for (size_t part = 0; part < LANES; part += WIDE) {
      const size_t start = (block * LANES + part) * ROW;
      const REAL *own = (const REAL *)half->own + start;
      const REAL *decay = (const REAL *)fused->decay[equation] + (fused->lossy[equation] ? block * LANES : 0) + part;
      REAL *result = (REAL *)half->result + start;
      _Alignas(64) REAL rows[WIDE * ROW];
      REAL *to = stream ? rows : result;
      NAME(vec) change[ROW];
      ORDERED(curved_changes)(fused, equation, block, part, half->other, half->own, !in_place, change);
      for (int q = 0; q < ROW; q += 4) {
        NAME(four) row[WIDE];
        NAME(scatter_four)(change + q, row);
        if (part == 0) ORDERED(fetch_own)(fused, block, q, half->other, half->own);
#pragma GCC unroll 16
        for (int l = 0; l < WIDE; l++) {
          const NAME(four) old = NAME(load_four)(own + l * ROW + q);
          NAME(store_four)
          (to + l * ROW + q, half->fine ? NAME(add_fine)(half, start + (size_t)l * ROW + (size_t)q, old, row[l])
                                        : old + (decay[l] * old + row[l]));
        }
      }
      if (stream)
        for (int q = 0; q < WIDE * ROW; q += WIDE) NAME(stream)(result + q, NAME(load)(rows + q));
    }
  }
  NAME(settle)();
}

/* One equation of a stage on a part of a block. */
INLINE void ORDERED(curved_stage_update)(const struct mx_fused *fused, const struct mx_fused_stage *stage, size_t block,
                                         size_t part, int equation)
{
  const size_t start = (block * LANES + part) * ROW;
  const REAL *field = (const REAL *)stage->field[equation] + start;
  const REAL *decay = (const REAL *)fused->decay[equation] + (fused->lossy[equation] ? block * LANES : 0) + part;
  REAL *registers = (REAL *)stage->registers[equation] + start;
  REAL *result = stage->result[equation] != NULL ? (REAL *)stage->result[equation] + start : NULL;
  const REAL a = (REAL)stage->a, b = (REAL)stage->b;
  NAME(vec) change[ROW];
  ORDERED(curved_changes)
  (fused, equation, block, part, stage->field[1 - equation], stage->field[equation], true, change);
  for (int q = 0; q < ROW; q += 4) {
    NAME(four) row[WIDE];
    NAME(scatter_four)(change + q, row);
#pragma GCC unroll 16
    for (int l = 0; l < WIDE; l++) {
      const NAME(four) old = NAME(load_four)(field + l * ROW + q);
      const NAME(four) now = MX_REGISTER_STEP(a, NAME(load_four)(registers + l * ROW + q), (decay[l] * old + row[l]));
      NAME(store_four)(registers + l * ROW + q, now);
      if (result != NULL) NAME(store_four)(result + l * ROW + q, MX_NUMBER_STEP(old, b, now));
    }
  }
}

static void ORDERED(curved_stage)(const struct mx_fused *fused, const struct mx_fused_stage *stage, size_t first,
                                  size_t last)
{
  for (size_t block = first; block < last; block++) {
    ORDERED(fetch_far)(fused, block, stage->field[0], stage->field[1]);
    for (size_t part = 0; part < LANES; part += WIDE)
#pragma GCC unroll 1
      for (int i = 0; i < 2; i++) ORDERED(curved_stage_update)(fused, stage, block, part, i);
  }
}

#undef NQ
#undef NFQ
#undef POINT_QUADS
#undef POINT_PAIRS
#undef M0
#undef M1
#undef POINT_SECTOR
