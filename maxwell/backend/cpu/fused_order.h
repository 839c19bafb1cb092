/* Kernels of one order, P; included by fused_kernel.h. symmetry.h explains sectors. */
#define NP         DG_NP(P)
#define NF         DG_NF(P)
#define ROW        MX_FUSED_ROW(P)
#define QUADS      MX_QUADS(P)
#define PAIRS      MX_PAIRS(P)
#define N0         MX_SECTOR_0(P)
#define N1         MX_SECTOR_1(P)
#define SECTOR(s)  ((s) == 0 ? 0 : N0 + ((s)-1) * N1) /* where sector s begins */
#define ROWS_N0    CONCATENATE(ROWS_0_, P)
#define ROWS_N1    CONCATENATE(ROWS_1_, P)
#define ORDERED(x) CONCATENATE(CONCATENATE(NAME(x), _), P)
#if P <= MX_KNOWN_NODES
#define ORBIT(k)    CONCATENATE(mx_orbit_, P)[k]
#define FACE(f, m)  CONCATENATE(mx_face_, P)[f][m]
#define PLACE(f, m) CONCATENATE(mx_place_, P)[f][m]
#else
#define ORBIT(k)    fused->orbit[k]
#define FACE(f, m)  fused->node[(f)*NF + (m)]
#define PLACE(f, m) fused->place[(f)*NF + (m)]
#endif
/* Loops over nodes: straight code where it is short enough for the processor's front end. */
#if P <= MX_STRAIGHT
#define EACH_NODE   _Pragma("GCC unroll 64")
#define EACH_FACE   _Pragma("GCC unroll 4")
#define EACH_SECTOR _Pragma("GCC unroll 4")
#else
#define EACH_NODE
#define EACH_FACE   MX_UNROLL_FACES
#define EACH_SECTOR _Pragma("GCC unroll 1")
#endif

/* Brings the rows of a part of a block into lanes: u[3 node + component]. */
INLINE void ORDERED(unpack)(const REAL *restrict from, NAME(vec) u[ROW])
{
  int32_t at[WIDE];
#pragma GCC unroll 16
  for (int l = 0; l < WIDE; l++) at[l] = l * ROW;
  EACH_NODE
  for (int q = 0; q < ROW; q += 4) NAME(gather_four)(from + q, at, u + q);
}

/* Sums the values over orbits: u[component][sector, unknown]. */
INLINE void ORDERED(to_sectors)(const struct mx_fused *fused, const NAME(vec) *restrict from,
                                NAME(vec) (*restrict u)[NP])
{
  (void)fused; /* orders that know their nodes do not need it */
  EACH_NODE
  for (int c = 0; c < 3; c++) {
    EACH_NODE
    for (int k = 0; k < QUADS; k++) {
      NAME(vec) x[4];
#pragma GCC unroll 4
      for (int g = 0; g < 4; g++) x[g] = from[3 * ORBIT(4 * k + g) + c];
      NAME(to_sectors)(x);
#pragma GCC unroll 4
      for (int s = 0; s < 4; s++) u[c][SECTOR(s) + k] = x[s];
    }
    EACH_NODE
    for (int k = 0; k < 3 * PAIRS; k++) {
      const int s = k / (PAIRS > 0 ? PAIRS : 1) + 1;
      NAME(vec) x = from[3 * ORBIT(4 * QUADS + 2 * k) + c], y = from[3 * ORBIT(4 * QUADS + 2 * k + 1) + c];
      u[c][QUADS + k] = x + y;
      u[c][SECTOR(s) + QUADS + k - (s - 1) * PAIRS] = x - y;
    }
    if (MX_FIXED(P)) u[c][QUADS + 3 * PAIRS] = from[3 * ORBIT(NP - 1) + c];
  }
}

/* The weights of face f: the weight of the jump (times kappa), and that of the penalty as an inverse metric of the
 * face. */
INLINE void ORDERED(weights)(const struct mx_fused *fused, int equation, size_t block, size_t part, int f,
                             NAME(vec) * jump, NAME(vec) inverse[3])
{
  const REAL *jumps = fused->jump[equation], *penalties = fused->penalty[equation];
  const REAL *metric = (const REAL *)fused->plain[equation] + block * 6 * LANES + part;
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
  else inverse[0] = inverse[1] = inverse[2] = (NAME(vec)){0};
}

/* The jump of a field along -t1 and -t2 at node m of face f; u is the block's own part. */
INLINE void ORDERED(jump)(const struct mx_fused *fused, int f, int m, const struct NAME(outside) * o, const REAL *field,
                          const int32_t at[WIDE], const NAME(vec) * u, NAME(vec) jump[2])
{
  (void)fused; /* orders that know their nodes do not need it */
  const NAME(vec) *here = u + 3 * FACE(f, m);
  NAME(vec) theirs[2], ours[2];
  NAME(traces)(o, field, at, theirs);
  NAME(against)(f, here[0], here[1], here[2], ours);
  jump[0] = theirs[0] - ours[0];
  jump[1] = theirs[1] - ours[1];
}

/* The flux at node m of face f, which is lifted, from the jumps of both fields. */
INLINE void ORDERED(flux)(const struct mx_fused *fused, int f, int m, NAME(vec) weight, const NAME(vec) inverse[3],
                          int penalised, const NAME(vec) other[2], const NAME(vec) own[2],
                          NAME(vec) (*restrict flux)[4][NF])
{
  (void)fused;                                             /* orders that know their nodes do not need it */
  NAME(vec) p = -weight * other[1], q = weight * other[0]; /* along t1 and t2 */
  if (penalised) {
    p += inverse[0] * own[0] + inverse[1] * own[1];
    q += inverse[1] * own[0] + inverse[2] * own[1];
  }
  const int at = PLACE(f, m);
  MX_FROM_ALONG(f, p, q, flux[0][f][at], flux[1][f][at], flux[2][f][at]);
}

INLINE void ORDERED(flux_to_sectors)(NAME(vec) (*restrict flux)[4][NF])
{
  EACH_NODE
  for (int c = 0; c < 3; c++) EACH_NODE
  for (int m = 0; m < NF; m++) {
    NAME(vec) x[4] = {flux[c][0][m], flux[c][1][m], flux[c][2][m], flux[c][3][m]};
    NAME(to_sectors)(x);
#pragma GCC unroll 4
    for (int s = 0; s < 4; s++) flux[c][s][m] = x[s];
  }
}

/* Multiplies `rows` rows of the matrix [x's columns, y's, z's] by x, y and z. */
INLINE const REAL *ORDERED(product)(int rows, const REAL *restrict matrix, int nx, const NAME(vec) *restrict x, int ny,
                                    const NAME(vec) *restrict y, const NAME(vec) *restrict z,
                                    NAME(vec) *restrict result)
{
  NAME(vec) sum[MX_ROWS_MAX];
#pragma GCC unroll 32
  for (int r = 0; r < rows; r++) sum[r] = (NAME(vec)){0};
  EACH_NODE
  for (int j = 0; j < nx; j++, matrix += rows)
#pragma GCC unroll 32
    for (int r = 0; r < rows; r++) sum[r] += matrix[r] * x[j];
  EACH_NODE
  for (int j = 0; j < ny; j++, matrix += rows)
#pragma GCC unroll 32
    for (int r = 0; r < rows; r++) sum[r] += matrix[r] * y[j];
  EACH_NODE
  for (int j = 0; j < NF; j++, matrix += rows)
#pragma GCC unroll 32
    for (int r = 0; r < rows; r++) sum[r] += matrix[r] * z[j];
#pragma GCC unroll 32
  for (int r = 0; r < rows; r++) result[r] = sum[r];
  return matrix;
}

/* Columns of a derivative into sector s. At order 1 only sector 0 has any: derivatives are constants there. */
#if P == 1
#define COLUMNS(s, from) ((s) == 0 ? 1 : 0)
#else
#define COLUMNS(s, from) ((from) == 0 ? N0 : N1)
#endif

/* J times the curl of u, and lifted fluxes, in sectors: w[component][sector, unknown]. For a, b, c cyclic, component a
 * in sector s is d_b u_c - d_c u_b of the sectors s ^ b and s ^ c, plus the lifted flux in sector s. */
INLINE void ORDERED(curl)(const struct mx_fused *fused, const NAME(vec) (*restrict u)[NP],
                          const NAME(vec) (*restrict flux)[4][NF], NAME(vec) (*restrict w)[NP])
{
  const REAL *matrix = fused->matrix;
  EACH_SECTOR
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    EACH_NODE
    for (int r = 0; r < N0; r += ROWS_N0)
      matrix = ORDERED(product)(ROWS_N0, matrix, COLUMNS(0, b + 1), u[c] + SECTOR(b + 1), COLUMNS(0, c + 1),
                                u[b] + SECTOR(c + 1), flux[a][0], w[a] + r);
    EACH_SECTOR
    for (int s = 1; s < 4; s++) {
      int x = s ^ (b + 1), y = s ^ (c + 1);
      EACH_NODE
      for (int r = 0; r < N1; r += ROWS_N1)
        matrix = ORDERED(product)(ROWS_N1, matrix, COLUMNS(s, x), u[c] + SECTOR(x), COLUMNS(s, y), u[b] + SECTOR(y),
                                  flux[a][s], w[a] + SECTOR(s) + r);
    }
  }
}

/* Goes back from the sectors to the nodes of an orbit, in the order of fused->orbit: x[node][component]. Returns the
 * number of nodes, four, two or one. */
INLINE int ORDERED(from_sectors)(const NAME(vec) (*restrict w)[NP], int orbit, NAME(vec) x[4][3])
{
  int nodes = orbit < QUADS ? 4 : orbit < QUADS + 3 * PAIRS ? 2 : 1;
#pragma GCC unroll 3
  for (int c = 0; c < 3; c++)
    if (nodes == 4) {
      NAME(vec) y[4] = {w[c][orbit], w[c][SECTOR(1) + orbit], w[c][SECTOR(2) + orbit], w[c][SECTOR(3) + orbit]};
      NAME(to_sectors)(y);
      for (int k = 0; k < 4; k++) x[k][c] = y[k];
    } else if (nodes == 2) {
      int s = (orbit - QUADS) / (PAIRS > 0 ? PAIRS : 1) + 1, k = (orbit - QUADS) % (PAIRS > 0 ? PAIRS : 1);
      x[0][c] = w[c][orbit] + w[c][SECTOR(s) + QUADS + k];
      x[1][c] = w[c][orbit] - w[c][SECTOR(s) + QUADS + k];
    } else x[0][c] = w[c][orbit];
  return nodes;
}

/* The change of a part of a block, from J times the curl and the lifted fluxes: change[3 node + component], and zero
 * behind the row's last node. */
INLINE void ORDERED(changes)(const struct mx_fused *fused, const REAL *metric, const NAME(vec) (*restrict w)[NP],
                             NAME(vec) change[ROW])
{
  (void)fused; /* orders that know their nodes do not need it */
  static const int entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  EACH_NODE
  for (int k = 0; k < N0; k++) {
    NAME(vec) x[4][3];
    const int nodes = ORDERED(from_sectors)(w, k, x);
    const int first = k < QUADS ? 4 * k : 2 * (QUADS + k); /* the first node's place among the orbits' */
#pragma GCC unroll 4
    for (int i = 0; i < nodes; i++)
#pragma GCC unroll 3
      for (int c = 0; c < 3; c++)
        change[3 * ORBIT(first + i) + c] = NAME(load)(metric + entry[c][0] * LANES) * x[i][0] +
                                           NAME(load)(metric + entry[c][1] * LANES) * x[i][1] +
                                           NAME(load)(metric + entry[c][2] * LANES) * x[i][2];
  }
  for (int q = 3 * NP; q < ROW; q++) change[q] = (NAME(vec)){0};
}

/* Fetches four numbers of each row of a later block, by two fields. */
INLINE void ORDERED(fetch_own)(const struct mx_fused *fused, size_t block, int q, const REAL *a, const REAL *b)
{
  const size_t next = ((block + fused->ahead) * ROW + (size_t)q) * LANES;
#pragma GCC unroll 4
  for (size_t k = 0; k < 4; k++) {
    NAME(fetch)(a + next + k * LANES);
    NAME(fetch)(b + next + k * LANES);
  }
}

/* Fetches the metric of a later block. */
INLINE void ORDERED(fetch_metric)(const struct mx_fused *fused, int equation, size_t block)
{
#pragma GCC unroll 6
  for (size_t k = 0; k < 6; k++)
    NAME(fetch)((const REAL *)fused->metric[equation] + ((block + fused->ahead) * 6 + k) * LANES);
}

/* Fetches a later block's list of neighbours. For a block that comes sooner, fetches the rows of the neighbours that
 * are far away from it. */
INLINE void ORDERED(fetch_far)(const struct mx_fused *fused, size_t block, const REAL *a, const REAL *b)
{
  const size_t next = block + fused->ahead_far < fused->blocks ? block + fused->ahead_far : block;
  const int32_t *neighbour = fused->neighbour + next * 4 * LANES;
  const int32_t here = (int32_t)(next * LANES * ROW), near = fused->near;
#pragma GCC unroll 4
  for (size_t k = 0; k < 4; k++) __builtin_prefetch(fused->neighbour + ((block + fused->ahead) * 4 + k) * LANES, 0, 2);
  for (int k = 0; k < 4 * LANES; k += 8) {
    uint32_t far = NAME(far_mask)(neighbour + k, here, near);
    while (far != 0) {
      const int32_t start = neighbour[k + __builtin_ctz(far)] & ~3;
      far &= far - 1;
      for (int q = 0; q < ROW; q += LANES) {
        __builtin_prefetch(a + start + q);
        if (b != NULL) __builtin_prefetch(b + start + q);
      }
    }
  }
}

/* old + scale change + share plus */
INLINE NAME(four) NAME(add_fine)(const struct mx_fused_half *half, size_t at, NAME(four) old, NAME(four) change)
{
  const NAME(four) next = old + (REAL)half->scale * change;
  return half->plus == NULL ? next : next + (REAL)half->share * NAME(load_four)((const REAL *)half->plus + at);
}

/* in_place: the result is own, whose values on the far side of a face do not count. */
INLINE void ORDERED(half_block)(const struct mx_fused *fused, const struct mx_fused_half *half, size_t block,
                                size_t part, int penalised, int in_place, int fine)
{
  const size_t start = (block * LANES + part) * ROW;
  const REAL *other = (const REAL *)half->other + start, *own = (const REAL *)half->own + start;
  const REAL *metric = (const REAL *)fused->metric[half->equation] + block * 6 * LANES + part;
  const REAL *decay =
      (const REAL *)fused->decay[half->equation] + (fused->lossy[half->equation] ? block * LANES : 0) + part;
  REAL *result = (REAL *)half->result + start;
  _Alignas(64) REAL rows[WIDE * ROW];
  REAL *to = in_place || !fused->stream ? result : rows;
  NAME(vec) u[ROW], v[ROW], sectors[3][NP], w[3][NP], flux[3][4][NF];
  if (part == 0) {
    ORDERED(fetch_far)(fused, block, half->other, penalised && !in_place ? half->own : NULL);
    ORDERED(fetch_metric)(fused, half->equation, block);
  }
  ORDERED(unpack)(other, u);
  if (penalised) ORDERED(unpack)(own, v);
  EACH_FACE
  for (int f = 0; f < 4; f++) {
    const struct NAME(outside) o = NAME(find)(fused->neighbour + (block * 4 + (size_t)f) * LANES + part);
    NAME(vec) weight, inverse[3];
    ORDERED(weights)(fused, half->equation, block, part, f, &weight, inverse);
    EACH_NODE
    for (int m = 0; m < NF; m++) {
      _Alignas(64) int32_t at[WIDE];
      NAME(vec) jump[2], own_jump[2];
      NAME(locate)(&o, fused->gather + m * LANES, at);
      ORDERED(jump)(fused, f, m, &o, half->other, at, u, jump);
      if (penalised) ORDERED(jump)(fused, f, m, &o, half->own, in_place ? fused->nowhere : at, v, own_jump);
      ORDERED(flux)(fused, f, m, weight, inverse, penalised, jump, own_jump, flux);
    }
  }
  ORDERED(flux_to_sectors)(flux);
  ORDERED(to_sectors)(fused, u, sectors);
  ORDERED(curl)(fused, (const NAME(vec)(*)[NP])sectors, (const NAME(vec)(*)[4][NF])flux, w);
  ORDERED(changes)(fused, metric, (const NAME(vec)(*)[NP])w, u);
  EACH_NODE
  for (int q = 0; q < ROW; q += 4) {
    NAME(four) row[WIDE];
    NAME(scatter_four)(u + q, row);
    if (part == 0) ORDERED(fetch_own)(fused, block, q, half->other, half->own);
#pragma GCC unroll 16
    for (int l = 0; l < WIDE; l++) {
      const NAME(four) old = NAME(load_four)(own + l * ROW + q);
      NAME(store_four)
      (to + l * ROW + q,
       fine ? NAME(add_fine)(half, start + (size_t)l * ROW + (size_t)q, old, row[l]) : old + (decay[l] * old + row[l]));
    }
  }
  if (!in_place && fused->stream)
    for (int q = 0; q < WIDE * ROW; q += WIDE) NAME(stream)(result + q, NAME(load)(rows + q));
}

/* Out of place, blocks without a penalty take the kernel with one, whose factors are zero there: they are the few of an
 * upwind run, or those of an observed step. */
static void ORDERED(half)(const struct mx_fused *fused, const struct mx_fused_half *half, size_t first, size_t last)
{
  for (size_t block = first; block < last; block++)
    for (size_t part = 0; part < LANES; part += WIDE)
      if (half->fine) ORDERED(half_block)(fused, half, block, part, 0, 1, 1);
      else if (half->result == half->own)
        if (fused->flags[block] & MX_BLOCK_PENALTY) ORDERED(half_block)(fused, half, block, part, 1, 1, 0);
        else ORDERED(half_block)(fused, half, block, part, 0, 1, 0);
      else ORDERED(half_block)(fused, half, block, part, 1, 0, 0);
  NAME(settle)();
}

/* One equation of a Runge-Kutta stage, from the fields of the block and the fluxes. */
INLINE void ORDERED(stage_update)(const struct mx_fused *fused, const struct mx_fused_stage *stage, size_t block,
                                  size_t part, int equation, const NAME(vec) * other, const NAME(vec) (*flux)[4][NF])
{
  const size_t start = (block * LANES + part) * ROW;
  const REAL *field = (const REAL *)stage->field[equation] + start;
  const REAL *metric = (const REAL *)fused->metric[equation] + block * 6 * LANES + part;
  const REAL *decay = (const REAL *)fused->decay[equation] + (fused->lossy[equation] ? block * LANES : 0) + part;
  REAL *registers = (REAL *)stage->registers[equation] + start;
  REAL *result = stage->result[equation] != NULL ? (REAL *)stage->result[equation] + start : NULL;
  const REAL a = (REAL)stage->a, b = (REAL)stage->b;
  NAME(vec) sectors[3][NP], w[3][NP], change[ROW];
  ORDERED(to_sectors)(fused, other, sectors);
  ORDERED(curl)(fused, (const NAME(vec)(*)[NP])sectors, flux, w);
  ORDERED(changes)(fused, metric, (const NAME(vec)(*)[NP])w, change);
  _Alignas(64) REAL rows[WIDE * ROW];
  REAL *to = result == NULL || fused->stream ? rows : result;
  EACH_NODE
  for (int q = 0; q < ROW; q += 4) {
    NAME(four) row[WIDE];
    NAME(scatter_four)(change + q, row);
    if (part == 0) ORDERED(fetch_own)(fused, block, q, stage->field[equation], stage->registers[equation]);
#pragma GCC unroll 16
    for (int l = 0; l < WIDE; l++) {
      const NAME(four) old = NAME(load_four)(field + l * ROW + q);
      const NAME(four) now = MX_REGISTER_STEP(a, NAME(load_four)(registers + l * ROW + q), (decay[l] * old + row[l]));
      NAME(store_four)(registers + l * ROW + q, now);
      NAME(store_four)(to + l * ROW + q, MX_NUMBER_STEP(old, b, now));
    }
  }
  if (result != NULL && fused->stream)
    for (int q = 0; q < WIDE * ROW; q += WIDE) NAME(stream)(result + q, NAME(load)(rows + q));
}

INLINE void ORDERED(stage_block)(const struct mx_fused *fused, const struct mx_fused_stage *stage, size_t block,
                                 size_t part, int penalised)
{
  const size_t start = (block * LANES + part) * ROW;
  const REAL *field[2] = {stage->field[0], stage->field[1]};
  NAME(vec) u[2][ROW], flux[2][3][4][NF];
  if (part == 0) {
    ORDERED(fetch_far)(fused, block, field[0], field[1]);
    for (int i = 0; i < 2; i++) ORDERED(fetch_metric)(fused, i, block);
  }
  for (int i = 0; i < 2; i++) ORDERED(unpack)(field[i] + start, u[i]);
  EACH_FACE
  for (int f = 0; f < 4; f++) {
    const struct NAME(outside) o = NAME(find)(fused->neighbour + (block * 4 + (size_t)f) * LANES + part);
    NAME(vec) weight[2], inverse[2][3];
    for (int i = 0; i < 2; i++) ORDERED(weights)(fused, i, block, part, f, &weight[i], inverse[i]);
    EACH_NODE
    for (int m = 0; m < NF; m++) {
      _Alignas(64) int32_t at[WIDE];
      NAME(vec) jump[2][2];
      NAME(locate)(&o, fused->gather + m * LANES, at);
      for (int i = 0; i < 2; i++) ORDERED(jump)(fused, f, m, &o, field[i], at, u[i], jump[i]);
      for (int i = 0; i < 2; i++)
        ORDERED(flux)(fused, f, m, weight[i], inverse[i], penalised, jump[1 - i], jump[i], flux[i]);
    }
  }
  for (int i = 0; i < 2; i++) {
    ORDERED(flux_to_sectors)(flux[i]);
    ORDERED(stage_update)(fused, stage, block, part, i, u[1 - i], (const NAME(vec)(*)[4][NF])flux[i]);
  }
}

static void ORDERED(stage)(const struct mx_fused *fused, const struct mx_fused_stage *stage, size_t first, size_t last)
{
  for (size_t block = first; block < last; block++)
    for (size_t part = 0; part < LANES; part += WIDE)
      if (fused->flags[block] & MX_BLOCK_PENALTY) ORDERED(stage_block)(fused, stage, block, part, 1);
      else ORDERED(stage_block)(fused, stage, block, part, 0);
  NAME(settle)();
}

/* Transforms a part of a block to sectors in double precision. */
INLINE void ORDERED(widen)(const struct mx_fused *fused, const REAL *from, NAME(wide) (*restrict u)[NP])
{
  NAME(vec) nodes[ROW], sectors[3][NP];
  ORDERED(unpack)(from, nodes);
  ORDERED(to_sectors)(fused, nodes, sectors);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < NP; i++) u[c][i] = __builtin_convertvector(sectors[c][i], NAME(wide));
}

static void ORDERED(products)(const struct mx_fused *fused, const void *u, const void *v, size_t block, double *product)
{
  for (size_t part = 0; part < LANES; part += WIDE) {
    const size_t start = (block * LANES + part) * ROW;
    const double *mass = fused->mass;
    NAME(wide) other[3][NP], y[3][NP], sum[6];
    const NAME(wide)(*x)[NP] = (const NAME(wide)(*)[NP])(u == v ? y : other);
    ORDERED(widen)(fused, (const REAL *)v + start, y);
    if (u != v) ORDERED(widen)(fused, (const REAL *)u + start, other);
    for (int k = 0; k < 6; k++) sum[k] = (NAME(wide)){0};
    for (int s = 0; s < 4; s++) {
      const int first = SECTOR(s), end = first + (s == 0 ? N0 : N1);
      for (int i = first; i < end; i++) {
        NAME(wide) row[3] = {{0}, {0}, {0}};
        for (int j = first; j < end; j++, mass++)
          for (int c = 0; c < 3; c++) row[c] += *mass * y[c][j];
        for (int a = 0, k = 0; a < 3; a++)
          for (int b = a; b < 3; b++, k++) sum[k] += a == b ? x[a][i] * row[a] : x[a][i] * row[b] + x[b][i] * row[a];
      }
    }
    for (int k = 0; k < 6; k++)
      for (size_t l = 0; l < WIDE; l++) product[(size_t)k * LANES + part + l] = sum[k][l];
  }
}

#include "maxwell/backend/cpu/fused_curved.h"

#undef NP
#undef NF
#undef ROW
#undef QUADS
#undef PAIRS
#undef N0
#undef N1
#undef SECTOR
#undef ROWS_N0
#undef ROWS_N1
#undef ORDERED
#undef ORBIT
#undef FACE
#undef PLACE
#undef EACH_NODE
#undef EACH_FACE
#undef EACH_SECTOR
#undef COLUMNS
