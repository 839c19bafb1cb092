/* Kernels of one precision and instruction set: the file that includes this one defines REAL, LANES (64 bytes of REAL),
 * VECTOR (bytes of a vector register), NAME(x), and ROWS_0_p and ROWS_1_p, the rows of sector 0 and of the others that
 * are worked on at a time: divisors of their numbers, and as many as there are registers for. fused.h has the formulas.
 */
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

/* yes or no a lane, from two numbers a lane. */
#if VECTOR == 64 && LANES == 8
typedef __mmask8 NAME(mask);
INLINE NAME(mask) NAME(mask_of)(NAME(ivec) truth) { return _mm256_movepi32_mask((__m256i)truth); }
INLINE NAME(vec) NAME(select)(NAME(mask) mask, NAME(vec) yes, NAME(vec) no)
{
  return (NAME(vec))_mm512_mask_mov_pd((__m512d)no, mask, (__m512d)yes);
}
#elif VECTOR == 64
typedef __mmask16 NAME(mask);
INLINE NAME(mask) NAME(mask_of)(NAME(ivec) truth) { return _mm512_movepi32_mask((__m512i)truth); }
INLINE NAME(vec) NAME(select)(NAME(mask) mask, NAME(vec) yes, NAME(vec) no)
{
  return (NAME(vec))_mm512_mask_mov_ps((__m512)no, mask, (__m512)yes);
}
#else
#if LANES == 8
typedef int64_t NAME(mask) __attribute__((vector_size(VECTOR)));
#else
typedef int32_t NAME(mask) __attribute__((vector_size(VECTOR)));
#endif
INLINE NAME(mask) NAME(mask_of)(NAME(ivec) truth) { return __builtin_convertvector(truth, NAME(mask)); }
INLINE NAME(vec) NAME(select)(NAME(mask) mask, NAME(vec) yes, NAME(vec) no)
{
  return (NAME(vec))((mask & (NAME(mask))yes) | (~mask & (NAME(mask))no));
}
#endif

/* What an orbit of four sums to in the sectors, and back again but for a factor of four. */
INLINE void NAME(turn)(NAME(vec) x[4])
{
  NAME(vec) p = x[0] + x[1], m = x[0] - x[1], q = x[2] + x[3], n = x[2] - x[3];
  x[0] = p + q;
  x[1] = p - q;
  x[2] = m + n;
  x[3] = m - n;
}

/* Components along -t1 and -t2 of face f. */
INLINE void NAME(along)(int f, NAME(vec) a, NAME(vec) b, NAME(vec) c, NAME(vec) v[2])
{
  v[0] = f == 0 ? a - b : f == 1 ? a + c : b + c;
  v[1] = f == 0 ? a - c : f == 3 ? a + c : a + b;
}

/* The inverse metric of a face, times `weight`: [0] v1 + [1] v2 goes along t1, [1] v1 + [2] v2 along t2. */
INLINE void NAME(face_metric)(int f, const REAL *metric, NAME(vec) weight, NAME(vec) inverse[3])
{
  NAME(vec)
  aa = NAME(load)(metric), ab = NAME(load)(metric + LANES), ac = NAME(load)(metric + 2 * LANES),
  bb = NAME(load)(metric + 3 * LANES), bc = NAME(load)(metric + 4 * LANES), cc = NAME(load)(metric + 5 * LANES);
  NAME(vec) g11, g12, g22;
  if (f == 0) g11 = aa - 2 * ab + bb, g12 = aa - ab - ac + bc, g22 = aa - 2 * ac + cc;
  else if (f == 1) g11 = aa + 2 * ac + cc, g12 = aa + ab + ac + bc, g22 = aa + 2 * ab + bb;
  else if (f == 2) g11 = bb + 2 * bc + cc, g12 = ab + bb + ac + bc, g22 = aa + 2 * ab + bb;
  else g11 = bb + 2 * bc + cc, g12 = ab + bc + ac + cc, g22 = aa + 2 * ac + cc;
  NAME(vec) scale = weight * NAME(reciprocal_root)(g11 * g22 - g12 * g12);
  inverse[0] = -scale * g22; /* minus: the orientation of the bimedians is not that of r, s, t */
  inverse[1] = scale * g12;
  inverse[2] = -scale * g11;
}

/* Where the lanes of a face find their neighbours. */
struct NAME(outside) {
  NAME(ivec) there;       /* -1 where there is a neighbour */
  NAME(ivec) face, start; /* its face; where it begins */
  NAME(mask) face_0, face_12, face_23;
};

INLINE struct NAME(outside) NAME(find)(int Np, const int32_t *neighbour)
{
  struct NAME(outside) o;
  NAME(ivec) code = NAME(load_indices)(neighbour);
  o.there = code >= 0;
  o.face = code & 3;
  NAME(ivec) element = (code >> 2) & o.there, lane = element & (LANES - 1);
  o.start = (element - lane) * (3 * Np) + lane;
  o.face_0 = NAME(mask_of)(o.face == 0);
  o.face_23 = NAME(mask_of)(o.face >= 2);
  o.face_12 = NAME(mask_of)(((o.face + 1) & 2) != 0);
  return o;
}

/* The neighbours' components along -t1 and -t2, as NAME(along) has them, by the number that the face has there. */
INLINE void NAME(traces)(int Np, const struct NAME(outside) * o, const REAL *field, NAME(ivec) at, NAME(vec) v[2])
{
  NAME(vec) a = NAME(gather)(field, at, o->there);
  NAME(vec) b = NAME(gather)(field + Np * LANES, at, o->there);
  NAME(vec) c = NAME(gather)(field + 2 * Np * LANES, at, o->there);
  NAME(vec) x = NAME(select)(o->face_23, b, a), y = NAME(select)(o->face_12, b, c);
  v[0] = NAME(select)(o->face_0, a - b, x + c);
  v[1] = NAME(select)(o->face_0, a - c, a + y);
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
#define ROWS_OF(p) [p] = {CONCATENATE(ROWS_0_, p), CONCATENATE(ROWS_1_, p)},
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
