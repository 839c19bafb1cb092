/* Kernels of one order, P; included by fused_kernel.h. symmetry.h explains sectors. */
#define NP         DG_NP(P)
#define NF         DG_NF(P)
#define QUADS      MX_QUADS(P)
#define PAIRS      MX_PAIRS(P)
#define N0         MX_SECTOR_0(P)
#define N1         MX_SECTOR_1(P)
#define SECTOR(s)  ((s) == 0 ? 0 : N0 + ((s)-1) * N1) /* where sector s begins */
#define ROWS_N0    CONCATENATE(ROWS_0_, P)
#define ROWS_N1    CONCATENATE(ROWS_1_, P)
#define ORDERED(x) CONCATENATE(CONCATENATE(NAME(x), _), P)

/* Unpacks a block's own values, component by component. */
INLINE void ORDERED(unpack)(const REAL *restrict from, NAME(vec) (*restrict u)[NP])
{
  for (int i = 0; i < NP; i++) {
    NAME(vec) x[3];
    NAME(split)(from + 3 * i * LANES, x);
    for (int c = 0; c < 3; c++) u[c][i] = x[c];
  }
}

/* Sums the values over orbits: u[component][sector, unknown]. */
INLINE void ORDERED(to_sectors)(const struct mx_fused *fused, const NAME(vec) (*restrict from)[NP],
                                NAME(vec) (*restrict u)[NP])
{
  for (int c = 0; c < 3; c++) {
    const int32_t *node = fused->orbit;
    for (int k = 0; k < QUADS; k++, node += 4) {
      NAME(vec) x[4] = {from[c][node[0]], from[c][node[1]], from[c][node[2]], from[c][node[3]]};
      NAME(to_sectors)(x);
      for (int s = 0; s < 4; s++) u[c][SECTOR(s) + k] = x[s];
    }
    for (int s = 1; PAIRS > 0 && s < 4; s++)
      for (int k = 0; k < PAIRS; k++, node += 2) {
        NAME(vec) x = from[c][node[0]], y = from[c][node[1]];
        u[c][QUADS + (s - 1) * PAIRS + k] = x + y;
        u[c][SECTOR(s) + QUADS + k] = x - y;
      }
    if (MX_FIXED(P)) u[c][QUADS + 3 * PAIRS] = from[c][node[0]];
  }
}

/* The weights of face f: the weight of the jump (times kappa), and that of the penalty as an inverse metric of the
 * face. */
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
  else inverse[0] = inverse[1] = inverse[2] = (NAME(vec)){0};
}

/* The jump of a field along -t1 and -t2 at node m of face f; u is the block's own part. */
INLINE void ORDERED(jump)(const struct mx_fused *fused, int f, int m, const struct NAME(outside) * o, const REAL *field,
                          const int32_t at[WIDE], const NAME(vec) (*u)[NP], NAME(vec) jump[2])
{
  int i = fused->node[f * NF + m];
  NAME(vec) theirs[2], ours[2];
  NAME(traces)(o, field, at, theirs);
  NAME(against)(f, u[0][i], u[1][i], u[2][i], ours);
  jump[0] = theirs[0] - ours[0];
  jump[1] = theirs[1] - ours[1];
}

/* The flux at node m of face f, which is lifted, from the jumps of both fields. */
INLINE void ORDERED(flux)(const struct mx_fused *fused, int f, int m, NAME(vec) weight, const NAME(vec) inverse[3],
                          int penalised, const NAME(vec) other[2], const NAME(vec) own[2],
                          NAME(vec) (*restrict flux)[4][NF])
{
  NAME(vec) p = -weight * other[1], q = weight * other[0]; /* along t1 and t2 */
  if (penalised) {
    p += inverse[0] * own[0] + inverse[1] * own[1];
    q += inverse[1] * own[0] + inverse[2] * own[1];
  }
  int at = fused->place[f * NF + m];
  MX_FROM_ALONG(f, p, q, flux[0][f][at], flux[1][f][at], flux[2][f][at]);
}

INLINE void ORDERED(flux_to_sectors)(NAME(vec) (*restrict flux)[4][NF])
{
  for (int c = 0; c < 3; c++)
    for (int m = 0; m < NF; m++) {
      NAME(vec) x[4] = {flux[c][0][m], flux[c][1][m], flux[c][2][m], flux[c][3][m]};
      NAME(to_sectors)(x);
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
  for (int j = 0; j < nx; j++, matrix += rows)
#pragma GCC unroll 32
    for (int r = 0; r < rows; r++) sum[r] += matrix[r] * x[j];
  for (int j = 0; j < ny; j++, matrix += rows)
#pragma GCC unroll 32
    for (int r = 0; r < rows; r++) sum[r] += matrix[r] * y[j];
  for (int j = 0; j < NF; j++, matrix += rows)
#pragma GCC unroll 32
    for (int r = 0; r < rows; r++) sum[r] += matrix[r] * z[j];
#pragma GCC unroll 32
  for (int r = 0; r < rows; r++) result[r] = sum[r];
  return matrix;
}

/* J times the curl of u, and lifted fluxes, in sectors: w[component][sector, unknown]. For a, b, c cyclic, component a
 * in sector s is d_b u_c - d_c u_b of the sectors s ^ b and s ^ c, plus the lifted flux in sector s. */
INLINE void ORDERED(curl)(const struct mx_fused *fused, const NAME(vec) (*restrict u)[NP],
                          const NAME(vec) (*restrict flux)[4][NF], NAME(vec) (*restrict w)[NP])
{
  const REAL *matrix = fused->matrix;
#pragma GCC unroll 1
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    for (int r = 0; r < N0; r += ROWS_N0)
      matrix =
          ORDERED(product)(ROWS_N0, matrix, N1, u[c] + SECTOR(b + 1), N1, u[b] + SECTOR(c + 1), flux[a][0], w[a] + r);
#pragma GCC unroll 1
    for (int s = 1; s < 4; s++) {
      int x = s ^ (b + 1), y = s ^ (c + 1);
      for (int r = 0; r < N1; r += ROWS_N1)
        matrix = ORDERED(product)(ROWS_N1, matrix, x == 0 ? N0 : N1, u[c] + SECTOR(x), y == 0 ? N0 : N1,
                                  u[b] + SECTOR(y), flux[a][s], w[a] + SECTOR(s) + r);
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

/* The change of node i, given the curl there, in the order of the field in memory. own is needed where there are
 * losses. */
INLINE void ORDERED(change)(const REAL *metric, const NAME(vec) x[3], int lossy, NAME(vec) decay,
                            const NAME(vec) (*own)[NP], int i, NAME(vec) line[3])
{
  static const int entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  NAME(vec) change[3];
#pragma GCC unroll 3
  for (int c = 0; c < 3; c++) {
    change[c] = NAME(load)(metric + entry[c][0] * LANES) * x[0] + NAME(load)(metric + entry[c][1] * LANES) * x[1] +
                NAME(load)(metric + entry[c][2] * LANES) * x[2];
    if (lossy) change[c] += decay * own[c][i];
  }
  NAME(join)(change, line);
}

INLINE void ORDERED(half_block)(const struct mx_fused *fused, const struct mx_fused_half *half, size_t block,
                                size_t part, int penalised)
{
  const size_t start = block * 3 * NP * LANES + 3 * part, ahead = fused->ahead * 3 * NP * LANES;
  const REAL *other = (const REAL *)half->other + start, *own = (const REAL *)half->own + start;
  const REAL *metric = (const REAL *)fused->metric[half->equation] + block * 6 * LANES + part;
  REAL *result = (REAL *)half->result + start;
  const int lossy = fused->decay[half->equation] != NULL;
  NAME(vec) u[3][NP], v[3][NP], sectors[3][NP], w[3][NP], flux[3][4][NF], decay = {0};
  if (lossy) decay = NAME(load)((const REAL *)fused->decay[half->equation] + block * LANES + part);
  ORDERED(unpack)(other, u);
  if (penalised || lossy) ORDERED(unpack)(own, v);
  MX_UNROLL_FACES
  for (int f = 0; f < 4; f++) {
    const struct NAME(outside) o = NAME(find)(NP, fused->neighbour + (block * 4 + (size_t)f) * LANES + part);
    NAME(vec) weight, inverse[3];
    ORDERED(weights)(fused, half->equation, block, part, f, &weight, inverse);
    for (int m = 0; m < NF; m++) {
      _Alignas(64) int32_t at[WIDE];
      NAME(vec) jump[2], own_jump[2];
      NAME(locate)(&o, fused->gather + m * LANES, at);
      ORDERED(jump)(fused, f, m, &o, half->other, at, (const NAME(vec)(*)[NP])u, jump);
      if (penalised) ORDERED(jump)(fused, f, m, &o, half->own, at, (const NAME(vec)(*)[NP])v, own_jump);
      ORDERED(flux)(fused, f, m, weight, inverse, penalised, jump, own_jump, flux);
    }
  }
  ORDERED(flux_to_sectors)(flux);
  ORDERED(to_sectors)(fused, (const NAME(vec)(*)[NP])u, sectors);
  ORDERED(curl)(fused, (const NAME(vec)(*)[NP])sectors, (const NAME(vec)(*)[4][NF])flux, w);
  const int32_t *node = fused->orbit;
  for (int k = 0; k < N0; k++) {
    NAME(vec) x[4][3];
    int nodes = ORDERED(from_sectors)((const NAME(vec)(*)[NP])w, k, x);
    for (int i = 0; i < nodes; i++, node++) {
      NAME(vec) line[3];
      ORDERED(change)(metric, x[i], lossy, decay, (const NAME(vec)(*)[NP])v, *node, line);
#pragma GCC unroll 3
      for (int n = 0; n < 3; n++) {
        size_t at = (size_t)*node * 3 * LANES + (size_t)n * WIDE;
        size_t next = ahead + (size_t)(3 * (node - fused->orbit) + n) * LANES;
        NAME(fetch)(other + next);
        NAME(fetch)(own + next);
        NAME(stream)(result + at, NAME(load)(own + at) + line[n]);
      }
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

/* One equation of a Runge-Kutta stage, from the fields of the block and the fluxes. `magnetic` is a constant: with it H
 * may have losses; without it the second equation has none. */
INLINE void ORDERED(stage_update)(const struct mx_fused *fused, const struct mx_fused_stage *stage, size_t block,
                                  size_t part, int equation, int magnetic, const NAME(vec) (*other)[NP],
                                  const NAME(vec) (*own)[NP], const NAME(vec) (*flux)[4][NF])
{
  const size_t start = block * 3 * NP * LANES + 3 * part, ahead = fused->ahead * 3 * NP * LANES;
  const REAL *field = (const REAL *)stage->field[equation] + start;
  const REAL *metric = (const REAL *)fused->metric[equation] + block * 6 * LANES + part;
  REAL *registers = (REAL *)stage->registers[equation] + start;
  REAL *result = stage->result[equation] != NULL ? (REAL *)stage->result[equation] + start : NULL;
  const void *const losses = fused->decay[magnetic ? equation : 0];
  const int lossy = (magnetic || equation == 0) && losses != NULL;
  const REAL a = (REAL)stage->a, b = (REAL)stage->b;
  NAME(vec) sectors[3][NP], w[3][NP], decay = {0};
  if (lossy) decay = NAME(load)((const REAL *)losses + block * LANES + part);
  ORDERED(to_sectors)(fused, other, sectors);
  ORDERED(curl)(fused, (const NAME(vec)(*)[NP])sectors, flux, w);
  const int32_t *node = fused->orbit;
  for (int k = 0; k < N0; k++) {
    NAME(vec) x[4][3];
    int nodes = ORDERED(from_sectors)((const NAME(vec)(*)[NP])w, k, x);
    for (int i = 0; i < nodes; i++, node++) {
      NAME(vec) line[3];
      ORDERED(change)(metric, x[i], lossy, decay, own, *node, line);
#pragma GCC unroll 3
      for (int n = 0; n < 3; n++) {
        size_t at = (size_t)*node * 3 * LANES + (size_t)n * WIDE;
        size_t next = ahead + (size_t)(3 * (node - fused->orbit) + n) * LANES;
        NAME(fetch)(field + next);
        NAME(fetch)(registers + next);
        NAME(vec) now = a * NAME(load)(registers + at) + line[n];
        NAME(store)(registers + at, now);
        if (result != NULL) NAME(stream)(result + at, NAME(load)(field + at) + b * now);
      }
    }
  }
}

INLINE void ORDERED(stage_block)(const struct mx_fused *fused, const struct mx_fused_stage *stage, size_t block,
                                 size_t part, int penalised, int magnetic)
{
  const size_t start = block * 3 * NP * LANES + 3 * part;
  const REAL *field[2] = {stage->field[0], stage->field[1]};
  NAME(vec) u[2][3][NP], flux[2][3][4][NF];
  for (int i = 0; i < 2; i++) ORDERED(unpack)(field[i] + start, u[i]);
  MX_UNROLL_FACES
  for (int f = 0; f < 4; f++) {
    const struct NAME(outside) o = NAME(find)(NP, fused->neighbour + (block * 4 + (size_t)f) * LANES + part);
    NAME(vec) weight[2], inverse[2][3];
    for (int i = 0; i < 2; i++) ORDERED(weights)(fused, i, block, part, f, &weight[i], inverse[i]);
    for (int m = 0; m < NF; m++) {
      _Alignas(64) int32_t at[WIDE];
      NAME(vec) jump[2][2];
      NAME(locate)(&o, fused->gather + m * LANES, at);
      for (int i = 0; i < 2; i++) ORDERED(jump)(fused, f, m, &o, field[i], at, (const NAME(vec)(*)[NP])u[i], jump[i]);
      for (int i = 0; i < 2; i++)
        ORDERED(flux)(fused, f, m, weight[i], inverse[i], penalised, jump[1 - i], jump[i], flux[i]);
    }
  }
  for (int i = 0; i < 2; i++) {
    ORDERED(flux_to_sectors)(flux[i]);
    ORDERED(stage_update)
    (fused, stage, block, part, i, magnetic, (const NAME(vec)(*)[NP])u[1 - i], (const NAME(vec)(*)[NP])u[i],
     (const NAME(vec)(*)[4][NF])flux[i]);
  }
}

/* The kernel for media where H has losses. The function is not inlined, so that the kernel of all other media stays as
 * it is. */
static __attribute__((noinline)) void
ORDERED(magnetic_stage)(const struct mx_fused *fused, const struct mx_fused_stage *stage, size_t first, size_t last)
{
  for (size_t block = first; block < last; block++)
    for (size_t part = 0; part < LANES; part += WIDE) ORDERED(stage_block)(fused, stage, block, part, 1, 1);
  NAME(settle)();
}

static void ORDERED(stage)(const struct mx_fused *fused, const struct mx_fused_stage *stage, size_t first, size_t last)
{
  if (fused->decay[1] != NULL) {
    ORDERED(magnetic_stage)(fused, stage, first, last);
    return;
  }
  for (size_t block = first; block < last; block++)
    for (size_t part = 0; part < LANES; part += WIDE)
      if (fused->flags[block] & MX_BLOCK_PENALTY) ORDERED(stage_block)(fused, stage, block, part, 1, 0);
      else ORDERED(stage_block)(fused, stage, block, part, 0, 0);
  NAME(settle)();
}

/* Transforms a part of a block to sectors in double precision. */
INLINE void ORDERED(widen)(const struct mx_fused *fused, const REAL *from, NAME(wide) (*restrict u)[NP])
{
  NAME(vec) nodes[3][NP], sectors[3][NP];
  ORDERED(unpack)(from, nodes);
  ORDERED(to_sectors)(fused, (const NAME(vec)(*)[NP])nodes, sectors);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < NP; i++) u[c][i] = __builtin_convertvector(sectors[c][i], NAME(wide));
}

static void ORDERED(products)(const struct mx_fused *fused, const void *u, const void *v, size_t block, double *product)
{
  for (size_t part = 0; part < LANES; part += WIDE) {
    const size_t start = block * 3 * NP * LANES + 3 * part;
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

#undef NP
#undef NF
#undef QUADS
#undef PAIRS
#undef N0
#undef N1
#undef SECTOR
#undef ROWS_N0
#undef ROWS_N1
#undef ORDERED
