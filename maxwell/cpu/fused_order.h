/* Kernels of one order, P; included by fused_kernel.h. */
#define NP         DG_NP(P)
#define NF         DG_NF(P)
#define ROWS       CONCATENATE(ROWS_, P)
#define ORDERED(x) CONCATENATE(CONCATENATE(NAME(x), _), P)

/* The jump of a field's tangential components on face f of a block. u: the block's own part. */
INLINE void ORDERED(jump)(const struct mx_fused *fused, int f, const struct NAME(outside) * o, const REAL *field,
                          const REAL *u, int m, NAME(vec) jump[2])
{
  const REAL *own = u + fused->node[f * NF + m];
  NAME(ivec) node = NAME(pick)(fused->gather + m * LANES, o->face);
  NAME(vec) first = NAME(gather)(field, o->first + node, o->there);
  NAME(vec) second = NAME(gather)(field, o->second + node, o->there);
  if (NAME(any)(o->zero_face)) {
    NAME(vec) r = NAME(gather)(field, o->start + node, o->zero_face);
    first -= r;
    second -= r;
  }
  NAME(vec) a = NAME(load)(own), b = NAME(load)(own + NP * LANES), c = NAME(load)(own + 2 * NP * LANES);
  jump[0] = first - (f == 0 ? b - a : f == 1 ? b : a);
  jump[1] = second - (f == 0 ? c - a : f == 3 ? b : c);
}

/* Curl and lifted fluxes of rows i..i+ROWS-1: acc[c][row] += ...; matrix: the rows' packed entries. Beside it the
 * lines of a block ahead are fetched from `a` and `b`. */
INLINE const REAL *ORDERED(rows)(const REAL *restrict matrix, const NAME(vec) (*restrict flux)[NF][2],
                                 const REAL *restrict u, const REAL *a, const REAL *b, NAME(vec) acc[3][ROWS])
{
  enum { LINES = (3 * ROWS + NP - 1) / NP }; /* of each field and column */
  for (int r = 0; r < ROWS; r++) acc[1][r] = acc[2][r] = (NAME(vec)){0};
  for (int m = 0; m < NF; m++, matrix += ROWS)
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) {
      acc[1][r] += matrix[r] * flux[0][m][0];
      acc[2][r] += matrix[r] * flux[0][m][1];
    }
#pragma GCC unroll 16
  for (int r = 0; r < ROWS; r++) acc[0][r] = -(acc[1][r] + acc[2][r]);
  for (int m = 0; m < NF; m++, matrix += ROWS)
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) {
      acc[1][r] += matrix[r] * flux[1][m][0];
      acc[2][r] += matrix[r] * flux[1][m][1];
    }
  for (int m = 0; m < NF; m++, matrix += ROWS)
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) {
      acc[0][r] += matrix[r] * flux[2][m][0];
      acc[2][r] += matrix[r] * flux[2][m][1];
    }
  for (int m = 0; m < NF; m++, matrix += ROWS)
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) {
      acc[0][r] += matrix[r] * flux[3][m][0];
      acc[1][r] += matrix[r] * flux[3][m][1];
    }
  for (int j = 0; j < NP; j++, matrix += 3 * ROWS) {
#pragma GCC unroll 16
    for (int k = j * LINES; k < (j + 1) * LINES; k++) {
      NAME(fetch)(a + k * LANES);
      NAME(fetch)(b + k * LANES);
    }
    NAME(vec)
    ur = NAME(load)(u + j * LANES), us = NAME(load)(u + (NP + j) * LANES), ut = NAME(load)(u + (2 * NP + j) * LANES);
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) {
      REAL dr = matrix[3 * r], ds = matrix[3 * r + 1], dt = matrix[3 * r + 2];
      acc[0][r] += ds * ut;
      acc[1][r] += dt * ur;
      acc[2][r] += dr * us;
      acc[0][r] -= dt * us;
      acc[1][r] -= dr * ut;
      acc[2][r] -= ds * ur;
    }
  }
  return matrix;
}

/* Weights of face f: of the jump (times kappa) and, as inverse metric of the face, of the penalty. */
INLINE void ORDERED(weights)(const struct mx_fused *fused, int equation, size_t block, size_t part, int f,
                             NAME(vec) * jump, NAME(vec) inverse[3])
{
  const REAL *jumps = fused->jump[equation], *penalties = fused->penalty[equation];
  const REAL *metric = (const REAL *)fused->metric[equation] + block * 6 * LANES + part;
  NAME(vec) penalty;
  if (fused->flags[block] & MX_BLOCK_UNIFORM) {
    *jump = (NAME(vec)){0} + jumps[0];
    penalty = (NAME(vec)){0} + penalties[0];
  } else {
    NAME(ivec) index = NAME(load_indices)(fused->weight + (block * 4 + (size_t)f) * LANES + part);
    *jump = NAME(lookup)(jumps, index);
    penalty = NAME(lookup)(penalties, index);
  }
  if (f % 2 == 1) *jump = -*jump;
  if (fused->flags[block] & MX_BLOCK_PENALTY) NAME(face_metric)(f, metric, penalty, inverse);
}

/* What is lifted on face f, along t1 and t2, from the jumps of both fields. */
INLINE void ORDERED(flux)(NAME(vec) weight, const NAME(vec) inverse[3], int penalised, const NAME(vec) other[2],
                          const NAME(vec) own[2], NAME(vec) flux[2])
{
  flux[0] = -weight * other[1];
  flux[1] = weight * other[0];
  if (!penalised) return;
  flux[0] += inverse[0] * own[0] + inverse[1] * own[1];
  flux[1] += inverse[1] * own[0] + inverse[2] * own[1];
}

INLINE void ORDERED(half_block)(const struct mx_fused *fused, const struct mx_fused_half *half, size_t block,
                                size_t part, int penalised)
{
  const size_t start = block * 3 * NP * LANES + part;
  const REAL *u = (const REAL *)half->other + start, *v = (const REAL *)half->own + start;
  REAL *result = (REAL *)half->result + start;
  NAME(vec) flux[4][NF][2];
  MX_UNROLL_FACES
  for (int f = 0; f < 4; f++) {
    const struct NAME(outside) o = NAME(find)(NP, fused->neighbour + (block * 4 + (size_t)f) * LANES + part);
    NAME(vec) weight, inverse[3];
    ORDERED(weights)(fused, half->equation, block, part, f, &weight, inverse);
    for (int m = 0; m < NF; m++) {
      NAME(vec) other[2], own[2];
      ORDERED(jump)(fused, f, &o, half->other, u, m, other);
      if (penalised) ORDERED(jump)(fused, f, &o, half->own, v, m, own);
      ORDERED(flux)(weight, inverse, penalised, other, own, flux[f][m]);
    }
  }
  const size_t ahead = fused->ahead * 3 * NP * LANES;
  const REAL *matrix = fused->matrix, *metric = (const REAL *)fused->metric[half->equation] + block * 6 * LANES + part;
  NAME(vec) keep = (NAME(vec)){0} + 1;
  if (half->equation == 0 && fused->keep != NULL) keep = NAME(load)((const REAL *)fused->keep + block * LANES + part);
  for (int i = 0; i < NP; i += ROWS) {
    NAME(vec) acc[3][ROWS];
    matrix = ORDERED(rows)(matrix, (const NAME(vec)(*)[NF][2])flux, u, u + ahead + 3 * i * LANES,
                           v + ahead + 3 * i * LANES, acc);
    NAME(vec)
    rr = NAME(load)(metric), rs = NAME(load)(metric + LANES), rt = NAME(load)(metric + 2 * LANES),
    ss = NAME(load)(metric + 3 * LANES), st = NAME(load)(metric + 4 * LANES), tt = NAME(load)(metric + 5 * LANES);
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) {
      if (i + r >= NP) break; /* the last rows may be padding */
      size_t at = (size_t)(i + r) * LANES;
      NAME(stream)(result + at, keep * NAME(load)(v + at) + rr * acc[0][r] + rs * acc[1][r] + rt * acc[2][r]);
      at += NP * LANES;
      NAME(stream)(result + at, keep * NAME(load)(v + at) + rs * acc[0][r] + ss * acc[1][r] + st * acc[2][r]);
      at += NP * LANES;
      NAME(stream)(result + at, keep * NAME(load)(v + at) + rt * acc[0][r] + st * acc[1][r] + tt * acc[2][r]);
    }
  }
}

static void ORDERED(half)(const struct mx_fused *fused, const struct mx_fused_half *half, size_t first, size_t last)
{
  for (size_t block = first; block < last; block++)
    for (size_t part = 0; part < LANES; part += WIDE)
      if (fused->flags[block] & MX_BLOCK_PENALTY) ORDERED(half_block)(fused, half, block, part, 1);
      else ORDERED(half_block)(fused, half, block, part, 0);
  NAME(settle)();
}

/* One equation of a Runge-Kutta stage, from the fluxes of the block. */
INLINE void ORDERED(stage_rows)(const struct mx_fused *fused, const struct mx_fused_stage *stage, size_t block,
                                size_t part, int equation, const NAME(vec) (*flux)[NF][2])
{
  size_t start = block * 3 * NP * LANES + part;
  const REAL *u = (const REAL *)stage->field[1 - equation] + start, *v = (const REAL *)stage->field[equation] + start;
  REAL *memory = (REAL *)stage->memory[equation] + start;
  REAL *result = stage->result[equation] != NULL ? (REAL *)stage->result[equation] + start : NULL;
  const size_t ahead = fused->ahead * 3 * NP * LANES;
  const REAL *matrix = fused->matrix, *metric = (const REAL *)fused->metric[equation] + block * 6 * LANES + part;
  NAME(vec) loss = {0};
  REAL a = (REAL)stage->a, b = (REAL)stage->b;
  if (equation == 0 && fused->keep != NULL) loss = NAME(load)((const REAL *)fused->keep + block * LANES + part);
  for (int i = 0; i < NP; i += ROWS) {
    NAME(vec) acc[3][ROWS];
    matrix = ORDERED(rows)(matrix, flux, u, v + ahead + 3 * i * LANES, memory + ahead + 3 * i * LANES, acc);
    NAME(vec)
    g[3][3] = {{NAME(load)(metric), NAME(load)(metric + LANES), NAME(load)(metric + 2 * LANES)},
               {NAME(load)(metric + LANES), NAME(load)(metric + 3 * LANES), NAME(load)(metric + 4 * LANES)},
               {NAME(load)(metric + 2 * LANES), NAME(load)(metric + 4 * LANES), NAME(load)(metric + 5 * LANES)}};
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++) {
      if (i + r >= NP) break; /* the last rows may be padding */
#pragma GCC unroll 3
      for (int c = 0; c < 3; c++) {
        size_t at = (size_t)(c * NP + i + r) * LANES;
        NAME(vec) old = NAME(load)(v + at), rate = g[c][0] * acc[0][r] + g[c][1] * acc[1][r] + g[c][2] * acc[2][r];
        NAME(vec) now = a * NAME(load)(memory + at) + rate - loss * old;
        NAME(store)(memory + at, now);
        if (result != NULL) NAME(stream)(result + at, old + b * now);
      }
    }
  }
}

INLINE void ORDERED(stage_block)(const struct mx_fused *fused, const struct mx_fused_stage *stage, size_t block,
                                 size_t part, int penalised)
{
  size_t start = block * 3 * NP * LANES + part;
  const REAL *E = stage->field[0], *H = stage->field[1];
  NAME(vec) flux[2][4][NF][2];
  MX_UNROLL_FACES
  for (int f = 0; f < 4; f++) {
    const struct NAME(outside) o = NAME(find)(NP, fused->neighbour + (block * 4 + (size_t)f) * LANES + part);
    NAME(vec) weight[2], inverse[2][3];
    ORDERED(weights)(fused, 0, block, part, f, &weight[0], inverse[0]);
    ORDERED(weights)(fused, 1, block, part, f, &weight[1], inverse[1]);
    for (int m = 0; m < NF; m++) {
      NAME(vec) jump_E[2], jump_H[2];
      ORDERED(jump)(fused, f, &o, E, E + start, m, jump_E);
      ORDERED(jump)(fused, f, &o, H, H + start, m, jump_H);
      ORDERED(flux)(weight[0], inverse[0], penalised, jump_H, jump_E, flux[0][f][m]);
      ORDERED(flux)(weight[1], inverse[1], penalised, jump_E, jump_H, flux[1][f][m]);
    }
  }
  for (int equation = 0; equation < 2; equation++)
    ORDERED(stage_rows)(fused, stage, block, part, equation, (const NAME(vec)(*)[NF][2])flux[equation]);
}

static void ORDERED(stage)(const struct mx_fused *fused, const struct mx_fused_stage *stage, size_t first, size_t last)
{
  for (size_t block = first; block < last; block++)
    for (size_t part = 0; part < LANES; part += WIDE)
      if (fused->flags[block] & MX_BLOCK_PENALTY) ORDERED(stage_block)(fused, stage, block, part, 1);
      else ORDERED(stage_block)(fused, stage, block, part, 0);
  NAME(settle)();
}

#undef NP
#undef NF
#undef ROWS
#undef ORDERED
