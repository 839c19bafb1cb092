/* Kernels of perfectly matched layers on the host: an element's field goes to the points of the rule, its filters are
 * worked there, and the result is projected back. Once for every precision, and for `cpu` for every instruction set.
 * The file that includes this one defines REAL, NAME(x), MX_SCALAR_ROOT(x), MX_LAYER_WIDTH, the bytes of a register,
 * and MX_LAYER_BLOCK, runs of rows of a matrix at a time, with three sums of MX_LAYER_RUN numbers each: as many as
 * there are registers for. */
#ifndef INLINE
#define INLINE static inline __attribute__((always_inline))
#endif

/* Numbers at MX_LAYER_RUN points, or of as many rows. */
typedef REAL NAME(layer_run) __attribute__((vector_size(MX_LAYER_RUN * sizeof(REAL))));

/* The numbers of a run that a register holds. Compilers keep wider vectors in memory, which is several times slower. */
typedef REAL NAME(layer_part)
    __attribute__((vector_size(MX_LAYER_WIDTH < MX_LAYER_RUN * sizeof(REAL) ? MX_LAYER_WIDTH
                                                                            : MX_LAYER_RUN * sizeof(REAL))));

INLINE NAME(layer_run) NAME(layer_root)(NAME(layer_run) x)
{
  NAME(layer_run) root;
  for (int i = 0; i < MX_LAYER_RUN; i++) root[i] = MX_SCALAR_ROOT(x[i]);
  return root;
}

INLINE NAME(layer_run) NAME(layer_larger)(NAME(layer_run) x, NAME(layer_run) y)
{
  NAME(layer_run) larger;
  for (int i = 0; i < MX_LAYER_RUN; i++) larger[i] = x[i] > y[i] ? x[i] : y[i];
  return larger;
}

#define MX_VALUE        NAME(layer_run)
#define MX_LARGER(a, b) NAME(layer_larger)(a, b)
#define MX_ROOT(x)      NAME(layer_root)(x)
#define MX_POINT        INLINE
#include "maxwell/response/points.h"
#undef MX_POINT
#undef MX_ROOT
#undef MX_LARGER
#undef MX_VALUE

/* The numbers at `count` points; there are none behind them in the last run. Memory need not be aligned. */
INLINE NAME(layer_run) NAME(layer_load)(const REAL *from, size_t count)
{
  NAME(layer_run) value = {0};
  if (count >= MX_LAYER_RUN) memcpy(&value, from, sizeof value);
  else
    for (size_t i = 0; i < count; i++) value[i] = from[i];
  return value;
}

INLINE void NAME(layer_store)(REAL *to, size_t count, NAME(layer_run) value)
{
  if (count >= MX_LAYER_RUN) memcpy(to, &value, sizeof value);
  else
    for (size_t i = 0; i < count; i++) to[i] = value[i];
}

/* y[3][rows, in whole runs] = matrix x for `runs` runs, at most MX_LAYER_BLOCK; `runs` is known to the compiler. Number
 * j of component c of x is x[j * by + c * across]; `apart` is the length of y's rows, which are aligned
 * to MX_LAYER_ALIGN. */
INLINE void NAME(layer_block)(size_t runs, size_t columns, const REAL *restrict matrix, const REAL *restrict x,
                              size_t by, size_t across, size_t apart, REAL *restrict y)
{
  enum { WIDE = MX_LAYER_WIDTH / sizeof(REAL), PARTS = WIDE < MX_LAYER_RUN ? MX_LAYER_RUN / WIDE : 1 };
  NAME(layer_part) sum[MX_LAYER_BLOCK][PARTS][3] = {0};
  for (size_t j = 0; j < columns; j++) {
    const REAL u[3] = {x[j * by], x[j * by + across], x[j * by + 2 * across]};
#pragma GCC unroll 8
    for (size_t r = 0; r < runs; r++)
#pragma GCC unroll 8
      for (size_t p = 0; p < PARTS; p++) {
        NAME(layer_part) m;
        memcpy(&m, matrix + (r * columns + j) * MX_LAYER_RUN + p * WIDE, sizeof m);
        sum[r][p][0] += m * u[0];
        sum[r][p][1] += m * u[1];
        sum[r][p][2] += m * u[2];
      }
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < runs; r++)
    for (size_t p = 0; p < PARTS; p++)
      for (size_t c = 0; c < 3; c++)
        *(NAME(layer_part) *)(void *)(y + c * apart + r * MX_LAYER_RUN + p * WIDE) = sum[r][p][c];
}

/* The same for all rows. */
INLINE void NAME(layer_product)(size_t rows, size_t columns, const REAL *restrict matrix, const REAL *restrict x,
                                size_t by, size_t across, size_t apart, REAL *restrict y)
{
  size_t left = (rows + MX_LAYER_RUN - 1) / MX_LAYER_RUN;
  for (; left >= MX_LAYER_BLOCK; left -= MX_LAYER_BLOCK) {
    NAME(layer_block)(MX_LAYER_BLOCK, columns, matrix, x, by, across, apart, y);
    matrix += MX_LAYER_BLOCK * columns * MX_LAYER_RUN;
    y += MX_LAYER_BLOCK * MX_LAYER_RUN;
  }
#if MX_LAYER_BLOCK > 2
  if (left == 2) NAME(layer_block)(2, columns, matrix, x, by, across, apart, y);
#endif
#if MX_LAYER_BLOCK > 1
  if (left == 1) NAME(layer_block)(1, columns, matrix, x, by, across, apart, y);
#endif
}

/* Points first.. of an element: their barycentric coordinates, field and states. */
INLINE void NAME(layer_points)(size_t directions, const struct mx_layer_rule *rule, size_t first, const REAL *at,
                               const REAL *now, NAME(layer_run) * L, NAME(layer_run) * u, NAME(layer_run) (*s)[3])
{
  const size_t Nq = rule->Nq, count = Nq - first;
  const REAL *barycentric = rule->barycentric;
  for (size_t v = 0; v < 4; v++) L[v] = NAME(layer_load)(barycentric + v * Nq + first, count);
  for (size_t k = 0; k < 3; k++) u[k] = NAME(layer_load)(at + k * MX_LAYER_POINTS + first, MX_LAYER_RUN);
  for (size_t q = 0; q < directions; q++)
    for (size_t k = 0; k < 3; k++) s[q][k] = NAME(layer_load)(now + (3 * q + k) * Nq + first, count);
}

INLINE void NAME(layer_step_of)(enum mx_response_kind kind, size_t directions, const struct mx_layer_rule *rule, int of,
                                const REAL *restrict c, REAL *restrict now, REAL *restrict field)
{
  const size_t Nq = rule->Nq, by = rule->by_node, across = rule->by_component;
  REAL own[MX_LAYER_COEFFICIENTS]; /* a copy, which no store can change */
  MX_LAYER_ALIGN REAL at[3][MX_LAYER_POINTS], result[3][MX_LAYER_POINTS];
  memcpy(own, c, sizeof own);
  NAME(layer_product)(Nq, rule->Np, rule->at, field, by, across, MX_LAYER_POINTS, at[0]);
  for (size_t i = 0; i < Nq; i += MX_LAYER_RUN) {
    NAME(layer_run) L[4], s[3][3], u[3];
    NAME(layer_points)(directions, rule, i, at[0], now, L, u, s);
    NAME(mx_layer_step)(kind, of, own, L, s, u);
    for (size_t q = 0; q < directions; q++)
      for (size_t k = 0; k < 3; k++) NAME(layer_store)(now + (3 * q + k) * Nq + i, Nq - i, s[q][k]);
    for (size_t k = 0; k < 3; k++) NAME(layer_store)(&at[k][i], MX_LAYER_RUN, u[k]);
  }
  NAME(layer_product)(rule->Np, Nq, rule->project, at[0], 1, MX_LAYER_POINTS, MX_LAYER_POINTS, result[0]);
  for (size_t i = 0; i < rule->Np; i++)
    for (size_t k = 0; k < 3; k++) field[i * by + k * across] = result[k][i];
}

INLINE void NAME(layer_rate_of)(enum mx_response_kind kind, size_t directions, const struct mx_layer_rule *rule, int of,
                                const REAL *restrict c, const REAL *restrict now, const REAL *restrict field,
                                REAL *restrict rate, REAL *restrict added)
{
  const size_t Nq = rule->Nq;
  REAL own[MX_LAYER_COEFFICIENTS];
  MX_LAYER_ALIGN REAL at[3][MX_LAYER_POINTS];
  memcpy(own, c, sizeof own);
  NAME(layer_product)(Nq, rule->Np, rule->at, field, rule->by_node, rule->by_component, MX_LAYER_POINTS, at[0]);
  for (size_t i = 0; i < Nq; i += MX_LAYER_RUN) {
    NAME(layer_run) L[4], s[3][3], ds[3][3], u[3], du[3];
    NAME(layer_points)(directions, rule, i, at[0], now, L, u, s);
    NAME(mx_layer_rate)(kind, of, own, L, s, u, ds, du);
    for (size_t k = 0; k < 3; k++) NAME(layer_store)(&at[k][i], MX_LAYER_RUN, du[k]);
    for (size_t q = 0; q < directions; q++)
      for (size_t k = 0; k < 3; k++) NAME(layer_store)(rate + (3 * q + k) * Nq + i, Nq - i, ds[q][k]);
  }
  NAME(layer_product)(rule->Np, Nq, rule->project, at[0], 1, MX_LAYER_POINTS, MX_LAYER_POINTS, added);
}

/* Each kind has its own copy of the loops. */
static void NAME(layer_step)(enum mx_response_kind kind, const struct mx_layer_rule *rule, int of, const void *c,
                             void *now, void *field)
{
  switch (kind) {
#define CASE(KIND, PREFIX, DIRECTIONS)                                                                                 \
  case KIND:                                                                                                           \
    NAME(layer_step_of)(KIND, DIRECTIONS, rule, of, c, now, field);                                                    \
    break;
    MX_LAYER_LIST(CASE)
#undef CASE
  default:
    break;
  }
}

static void NAME(layer_rate)(enum mx_response_kind kind, const struct mx_layer_rule *rule, int of, const void *c,
                             const void *now, const void *field, void *rate, void *added)
{
  switch (kind) {
#define CASE(KIND, PREFIX, DIRECTIONS)                                                                                 \
  case KIND:                                                                                                           \
    NAME(layer_rate_of)(KIND, DIRECTIONS, rule, of, c, now, field, rate, added);                                       \
    break;
    MX_LAYER_LIST(CASE)
#undef CASE
  default:
    break;
  }
}

/* Numbers at..at + MX_LAYER_RUN - 1 of a field and its states go through the poles; the last run may be shorter. */
INLINE void NAME(poles_run)(enum mx_response_kind kind, size_t states, size_t numbers, size_t at, size_t count,
                            const REAL *c, REAL *restrict now, REAL *restrict field)
{
  NAME(layer_run) s[MX_POLE_STATES], u = NAME(layer_load)(field + at, count);
  for (size_t q = 0; q < states; q++) s[q] = NAME(layer_load)(now + q * numbers + at, count);
  NAME(mx_point_step)(kind, c, s, &u);
  for (size_t q = 0; q < states; q++) NAME(layer_store)(now + q * numbers + at, count, s[q]);
  NAME(layer_store)(field + at, count, u);
}

INLINE void NAME(poles_of)(enum mx_response_kind kind, size_t states, size_t numbers, const REAL *restrict c,
                           REAL *restrict now, REAL *restrict field)
{
  REAL own[4 * MX_POLE_STATES + 1]; /* a copy, which no store can change */
  size_t at = 0;
  memcpy(own, c, (4 * states + 1) * sizeof *own);
  for (; at + MX_LAYER_RUN <= numbers; at += MX_LAYER_RUN)
    NAME(poles_run)(kind, states, numbers, at, MX_LAYER_RUN, own, now, field);
  if (at < numbers) NAME(poles_run)(kind, states, numbers, at, numbers - at, own, now, field);
}

static void NAME(poles_step)(enum mx_response_kind kind, size_t numbers, const void *c, void *now, void *field)
{
  switch (kind) {
#define CASE(KIND, PREFIX, STATES)                                                                                     \
  case KIND:                                                                                                           \
    NAME(poles_of)(KIND, STATES, numbers, c, now, field);                                                              \
    break;
    MX_POLE_LIST(CASE)
#undef CASE
  default:
    break;
  }
}

const struct mx_layer_kernels NAME(mx_layers) = {
    .step = NAME(layer_step), .rate = NAME(layer_rate), .poles = NAME(poles_step)};
