/* Kernels of one precision and instruction set: the file that includes this one defines REAL, LANES (64 bytes of REAL),
 * VECTOR (bytes of a vector register), NAME(x), and ROWS_p, the rows of the operators that are worked on at a time:
 * 3 ROWS_p accumulators should fill the vector registers. fused.h has the formulas. */
#define CONCATENATE_(a, b) a##b
#define CONCATENATE(a, b)  CONCATENATE_(a, b)

#ifndef INLINE
#define INLINE static inline __attribute__((always_inline))
#endif

/* A block is worked on in parts of a register: WIDE of its LANES at a time. */
#if LANES == 8
#define WIDE (VECTOR / 8)
#else
#define WIDE (VECTOR / 4)
#endif

typedef REAL NAME(vec) __attribute__((vector_size(VECTOR)));
typedef int32_t NAME(ivec) __attribute__((vector_size(WIDE * 4)));
union NAME(lanes) {
  NAME(vec) whole;
  REAL lane[WIDE];
};
union NAME(indices) {
  NAME(ivec) whole;
  int32_t lane[WIDE];
};

INLINE NAME(vec) NAME(load)(const REAL *from) { return *(const NAME(vec) *)(const void *)from; }
INLINE void NAME(store)(REAL *to, NAME(vec) value) { *(NAME(vec) *)(void *)to = value; }
INLINE NAME(ivec) NAME(load_indices)(const int32_t *from) { return *(const NAME(ivec) *)(const void *)from; }

/* Asks for a line that will be needed soon: into the second cache, past which a core waits long. */
INLINE void NAME(fetch)(const REAL *from) { __builtin_prefetch(from, 0, 2); }

/* field[index] a lane, 0 where the lane is not `wanted` (-1: wanted). */
INLINE NAME(vec) NAME(gather)(const REAL *field, NAME(ivec) index, NAME(ivec) wanted)
{
#if VECTOR == 64 && LANES == 8
  __mmask8 mask = _mm256_movepi32_mask((__m256i)wanted);
  return (NAME(vec))_mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask, (__m256i)index, field, 8);
#elif VECTOR == 64
  __mmask16 mask = _mm512_movepi32_mask((__m512i)wanted);
  return (NAME(vec))_mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, (__m512i)index, field, 4);
#elif VECTOR == 32 && LANES == 8
  __m256d mask = _mm256_castsi256_pd(_mm256_cvtepi32_epi64((__m128i)wanted));
  return (NAME(vec))_mm256_mask_i32gather_pd(_mm256_setzero_pd(), field, (__m128i)index, mask, 8);
#elif VECTOR == 32
  return (NAME(vec))_mm256_mask_i32gather_ps(_mm256_setzero_ps(), field, (__m256i)index, (__m256)wanted, 4);
#else
  union NAME(lanes) value;
  const union NAME(indices) at = {.whole = index}, there = {.whole = wanted};
  for (int l = 0; l < WIDE; l++) value.lane[l] = there.lane[l] ? field[at.lane[l]] : 0;
  return value.whole;
#endif
}

/* table[index] a lane. */
INLINE NAME(vec) NAME(lookup)(const REAL *table, NAME(ivec) index)
{
  return NAME(gather)(table, index, (NAME(ivec)){0} == 0);
}

/* table[index] a lane, index 0..3; the four numbers are repeated to at least the width of a register. */
INLINE NAME(ivec) NAME(pick)(const int32_t *table, NAME(ivec) index)
{
#if VECTOR == 64 && LANES == 8
  return (NAME(ivec))_mm256_permutevar8x32_epi32(_mm256_load_si256((const void *)table), (__m256i)index);
#elif VECTOR == 64
  return (NAME(ivec))_mm512_permutexvar_epi32((__m512i)index, _mm512_load_si512(table));
#elif VECTOR == 32 && LANES == 8
  return (NAME(ivec))_mm_permutevar_ps(_mm_load_ps((const void *)table), (__m128i)index);
#elif VECTOR == 32
  return (NAME(ivec))_mm256_permutevar8x32_epi32(_mm256_load_si256((const void *)table), (__m256i)index);
#else
  union NAME(indices) at = {.whole = index};
  for (int l = 0; l < WIDE; l++) at.lane[l] = table[at.lane[l]];
  return at.whole;
#endif
}

INLINE int NAME(any)(NAME(ivec) wanted)
{
#if VECTOR == 64 && LANES == 8
  return _mm256_movepi32_mask((__m256i)wanted) != 0;
#elif VECTOR == 64
  return _mm512_movepi32_mask((__m512i)wanted) != 0;
#elif VECTOR == 32 && LANES == 8
  return _mm_movemask_ps((__m128)wanted) != 0;
#elif VECTOR == 32
  return _mm256_movemask_ps((__m256)wanted) != 0;
#else
  const union NAME(indices) all = {.whole = wanted};
  int32_t sum = 0;
  for (int l = 0; l < WIDE; l++) sum |= all.lane[l];
  return sum != 0;
#endif
}

/* What is written now is read again only in the next pass over the mesh: past the caches, where a register is a line.
 */
INLINE void NAME(stream)(REAL *to, NAME(vec) value)
{
#if VECTOR == 64
  _mm512_stream_si512((void *)to, (__m512i)value);
#else
  NAME(store)(to, value);
#endif
}

/* Behind the last NAME(stream): what was streamed is there for the other threads. */
INLINE void NAME(settle)(void)
{
#if VECTOR == 64
  _mm_sfence();
#endif
}

/* 1 / sqrt(x) */
INLINE NAME(vec) NAME(reciprocal_root)(NAME(vec) x)
{
#if VECTOR == 64 && LANES == 8
  /* 14 bits, then two steps of Newton's method: less than a root and a division take */
  NAME(vec) y = (NAME(vec))_mm512_rsqrt14_pd((__m512d)x);
  y += y * (0.5 - 0.5 * x * y * y);
  return y + y * (0.5 - 0.5 * x * y * y);
#elif VECTOR == 64
  NAME(vec) y = (NAME(vec))_mm512_rsqrt14_ps((__m512)x);
  return y + y * (0.5f - 0.5f * x * y * y);
#elif VECTOR == 32 && LANES == 8
  return 1 / (NAME(vec))_mm256_sqrt_pd((__m256d)x);
#elif VECTOR == 32
  return 1 / (NAME(vec))_mm256_sqrt_ps((__m256)x);
#else
  union NAME(lanes) y = {.whole = x};
  for (int l = 0; l < WIDE; l++) y.lane[l] = (REAL)(1 / sqrt((double)y.lane[l]));
  return y.whole;
#endif
}

/* The inverse metric of a face, times `weight`: [0] v1 + [1] v2 goes along t1, [1] v1 + [2] v2 along t2. */
INLINE void NAME(face_metric)(int f, const REAL *metric, NAME(vec) weight, NAME(vec) inverse[3])
{
  NAME(vec)
  rr = NAME(load)(metric), rs = NAME(load)(metric + LANES), rt = NAME(load)(metric + 2 * LANES),
  ss = NAME(load)(metric + 3 * LANES), st = NAME(load)(metric + 4 * LANES), tt = NAME(load)(metric + 5 * LANES);
  NAME(vec) g11, g12, g22;
  if (f == 0) g11 = ss - 2 * rs + rr, g12 = st - rs - rt + rr, g22 = tt - 2 * rt + rr;
  else if (f == 1) g11 = ss, g12 = st, g22 = tt;
  else if (f == 2) g11 = rr, g12 = rt, g22 = tt;
  else g11 = rr, g12 = rs, g22 = ss;
  NAME(vec) scale = weight * NAME(reciprocal_root)(g11 * g22 - g12 * g12);
  inverse[0] = scale * g22;
  inverse[1] = -scale * g12;
  inverse[2] = scale * g11;
}

/* Where the lanes of a face find their neighbours. */
struct NAME(outside) {
  NAME(ivec) there, zero_face;           /* -1 where there is a neighbour; where its face is number 0 */
  NAME(ivec) face, start, first, second; /* its face; offsets of its components r, t1, t2 */
};

INLINE struct NAME(outside) NAME(find)(int Np, const int32_t *neighbour)
{
  struct NAME(outside) o;
  NAME(ivec) code = NAME(load_indices)(neighbour);
  o.there = code >= 0;
  o.face = code & 3;
  NAME(ivec) element = (code >> 2) & o.there, lane = element & (LANES - 1);
  o.start = (element - lane) * (3 * Np) + lane;
  o.zero_face = o.there & (o.face == 0);
  /* faces 0 and 1 are spanned by the components s and t, 2 by r and t, 3 by r and s */
  o.first = o.start + ((o.face < 2) & (Np * LANES));
  o.second = o.start + Np * LANES + ((o.face < 3) & (Np * LANES));
  return o;
}

#define P 1
#include "maxwell/cpu/fused_order.h"
#undef P
#define P 2
#include "maxwell/cpu/fused_order.h"
#undef P
#define P 3
#include "maxwell/cpu/fused_order.h"
#undef P
#define P 4
#include "maxwell/cpu/fused_order.h"
#undef P
#define P 5
#include "maxwell/cpu/fused_order.h"
#undef P
#define P 6
#include "maxwell/cpu/fused_order.h"
#undef P
#define P 7
#include "maxwell/cpu/fused_order.h"
#undef P
#define P 8
#include "maxwell/cpu/fused_order.h"
#undef P

const struct mx_fused_kernels NAME(mx_fused) = {
    .name = ISA,
#define ROWS_OF(p) [p] = CONCATENATE(ROWS_, p),
    .rows = {DG_ORDERS(ROWS_OF)},
#define HALF(p)  [p] = CONCATENATE(NAME(half), _##p),
#define STAGE(p) [p] = CONCATENATE(NAME(stage), _##p),
    .half = {DG_ORDERS(HALF)},
    .stage = {DG_ORDERS(STAGE)},
};
#undef ROWS_OF
#undef HALF
#undef STAGE
#undef WIDE
