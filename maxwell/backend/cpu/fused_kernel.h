/* Kernels of one order P, precision and instruction set. The file that includes this one defines P, REAL, LANES (64
 * bytes of REAL), NAME(x), and by the header of its instruction set VECTOR (bytes of a vector register), CURVED_ROWS
 * (rows of a matrix of curved elements at a time, with three sums each), and ROWS_0_p and ROWS_1_p. These are the rows
 * of sector 0 and of the others that a kernel works on at a time: divisors of their numbers, and as many as there are
 * registers for. fused.h has the formulas. */
#define CONCATENATE_(a, b) a##b
#define CONCATENATE(a, b)  CONCATENATE_(a, b)

#ifndef INLINE
#define INLINE static inline __attribute__((always_inline))
#endif

/* Kernels work on a block in parts of a register: WIDE of its LANES at a time. */
#if LANES == 8
#define WIDE (VECTOR / 8)
#else
#define WIDE (VECTOR / 4)
#endif

typedef REAL NAME(vec) __attribute__((vector_size(VECTOR)));
typedef int32_t NAME(ivec) __attribute__((vector_size(WIDE * 4)));
typedef double NAME(wide) __attribute__((vector_size(WIDE * 8))); /* sums over elements are in double precision */
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

/* Prefetches a line that will be needed soon. The line goes into the second cache: a core waits long for anything
 * beyond that. */
INLINE void NAME(fetch)(const REAL *from) { __builtin_prefetch(from, 0, 2); }

/* Looks up table[index] in every lane. */
INLINE NAME(vec) NAME(lookup)(const REAL *table, NAME(ivec) index)
{
#if VECTOR == 64 && LANES == 8
  return (NAME(vec))_mm512_i32gather_pd((__m256i)index, table, 8);
#elif VECTOR == 64
  return (NAME(vec))_mm512_i32gather_ps((__m512i)index, table, 4);
#else
  union NAME(lanes) value;
  const union NAME(indices) at = {.whole = index};
  for (int l = 0; l < WIDE; l++) value.lane[l] = table[at.lane[l]];
  return value.whole;
#endif
}

/* Writes past the caches, where a register is a line: the numbers are read again only in the next pass over the mesh.
 */
INLINE void NAME(stream)(REAL *to, NAME(vec) value)
{
#if VECTOR == 64
  _mm512_stream_si512((void *)to, (__m512i)value);
#elif VECTOR == 32
  _mm256_stream_si256((void *)to, (__m256i)value);
#else
  NAME(store)(to, value);
#endif
}

/* Makes streamed numbers visible to the other threads. Call it behind the last NAME(stream). */
INLINE void NAME(settle)(void)
{
#if VECTOR >= 32
  _mm_sfence();
#endif
}

/* 1 / sqrt(x) */
INLINE NAME(vec) NAME(reciprocal_root)(NAME(vec) x)
{
#if VECTOR == 64 && LANES == 8
  /* a first guess of 14 bits and two steps of Newton's method take less time than a root and a division */
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

/* ---- four numbers of every lane's row in memory, four vectors in registers */

typedef REAL NAME(four) __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)))); /* of one row */

INLINE NAME(four) NAME(load_four)(const REAL *from) { return *(const NAME(four) *)(const void *)from; }
INLINE void NAME(store_four)(REAL *to, NAME(four) value) { *(NAME(four) *)(void *)to = value; }

#if VECTOR == 64 && LANES == 8
#define MERGE(i, a, b) (NAME(vec)) _mm512_permutex2var_pd(a, i, b)
#define LOW_PAIRS      _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH_PAIRS     _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15)
#endif

/* Loads the four numbers at field + at[l] of every lane l: u[k] has the k-th of each. */
INLINE void NAME(gather_four)(const REAL *field, const int32_t at[WIDE], NAME(vec) u[4])
{
#if VECTOR == 64 && LANES == 8
  /* first lanes l and l + 4 side by side, then 4 x 4 transpositions */
#define PAIR(l)                                                                                                        \
  _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(field + at[l])), _mm256_loadu_pd(field + at[(l) + 4]), 1)
  const __m512d a = PAIR(0), b = PAIR(1), c = PAIR(2), d = PAIR(3), ab = _mm512_unpacklo_pd(a, b),
                cd = _mm512_unpacklo_pd(c, d), AB = _mm512_unpackhi_pd(a, b), CD = _mm512_unpackhi_pd(c, d);
#undef PAIR
  u[0] = MERGE(LOW_PAIRS, ab, cd), u[2] = MERGE(HIGH_PAIRS, ab, cd);
  u[1] = MERGE(LOW_PAIRS, AB, CD), u[3] = MERGE(HIGH_PAIRS, AB, CD);
#elif VECTOR == 64
#define QUARTER(l) _mm_loadu_ps(field + at[l])
#define QUARTERS(l)                                                                                                    \
  _mm512_insertf32x4(_mm512_insertf32x4(_mm512_insertf32x4(_mm512_castps128_ps512(QUARTER(l)), QUARTER((l) + 4), 1),   \
                                        QUARTER((l) + 8), 2),                                                          \
                     QUARTER((l) + 12), 3)
  const __m512 a = QUARTERS(0), b = QUARTERS(1), c = QUARTERS(2), d = QUARTERS(3);
#undef QUARTERS
#undef QUARTER
  const __m512d ab = _mm512_castps_pd(_mm512_unpacklo_ps(a, b)), cd = _mm512_castps_pd(_mm512_unpacklo_ps(c, d)),
                AB = _mm512_castps_pd(_mm512_unpackhi_ps(a, b)), CD = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
  u[0] = (NAME(vec))_mm512_unpacklo_pd(ab, cd), u[1] = (NAME(vec))_mm512_unpackhi_pd(ab, cd);
  u[2] = (NAME(vec))_mm512_unpacklo_pd(AB, CD), u[3] = (NAME(vec))_mm512_unpackhi_pd(AB, CD);
#elif VECTOR == 32 && LANES == 8
  const __m256d a = _mm256_loadu_pd(field + at[0]), b = _mm256_loadu_pd(field + at[1]),
                c = _mm256_loadu_pd(field + at[2]), d = _mm256_loadu_pd(field + at[3]), ab = _mm256_unpacklo_pd(a, b),
                cd = _mm256_unpacklo_pd(c, d), AB = _mm256_unpackhi_pd(a, b), CD = _mm256_unpackhi_pd(c, d);
  u[0] = (NAME(vec))_mm256_permute2f128_pd(ab, cd, 0x20), u[2] = (NAME(vec))_mm256_permute2f128_pd(ab, cd, 0x31);
  u[1] = (NAME(vec))_mm256_permute2f128_pd(AB, CD, 0x20), u[3] = (NAME(vec))_mm256_permute2f128_pd(AB, CD, 0x31);
#elif VECTOR == 32
#define HALVES(l)                                                                                                      \
  _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(field + at[l])), _mm_loadu_ps(field + at[(l) + 4]), 1)
  const __m256 a = HALVES(0), b = HALVES(1), c = HALVES(2), d = HALVES(3);
#undef HALVES
  const __m256d ab = _mm256_castps_pd(_mm256_unpacklo_ps(a, b)), cd = _mm256_castps_pd(_mm256_unpacklo_ps(c, d)),
                AB = _mm256_castps_pd(_mm256_unpackhi_ps(a, b)), CD = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
  u[0] = (NAME(vec))_mm256_unpacklo_pd(ab, cd), u[1] = (NAME(vec))_mm256_unpackhi_pd(ab, cd);
  u[2] = (NAME(vec))_mm256_unpacklo_pd(AB, CD), u[3] = (NAME(vec))_mm256_unpackhi_pd(AB, CD);
#else
  union NAME(lanes) to[4];
#pragma GCC unroll 16
  for (int l = 0; l < WIDE; l++)
    for (int k = 0; k < 4; k++) to[k].lane[l] = field[at[l] + k];
  for (int k = 0; k < 4; k++) u[k] = to[k].whole;
#endif
}

/* The way back: row[l] has the numbers of lane l of the four vectors. */
INLINE void NAME(scatter_four)(const NAME(vec) u[4], NAME(four) row[WIDE])
{
#if VECTOR == 64 && LANES == 8
  const __m512d a = (__m512d)u[0], b = (__m512d)u[1], c = (__m512d)u[2], d = (__m512d)u[3];
  const __m512d ab = _mm512_unpacklo_pd(a, b), cd = _mm512_unpacklo_pd(c, d), AB = _mm512_unpackhi_pd(a, b),
                CD = _mm512_unpackhi_pd(c, d);
  const NAME(vec) both[4] = {MERGE(LOW_PAIRS, ab, cd), MERGE(LOW_PAIRS, AB, CD), MERGE(HIGH_PAIRS, ab, cd),
                             MERGE(HIGH_PAIRS, AB, CD)}; /* lanes l and l + 4 */
#pragma GCC unroll 4
  for (int l = 0; l < 4; l++) {
    row[l] = (NAME(four))_mm512_castpd512_pd256((__m512d)both[l]);
    row[l + 4] = (NAME(four))_mm512_extractf64x4_pd((__m512d)both[l], 1);
  }
#elif VECTOR == 64
  const __m512 a = (__m512)u[0], b = (__m512)u[1], c = (__m512)u[2], d = (__m512)u[3];
  const __m512d ab = _mm512_castps_pd(_mm512_unpacklo_ps(a, b)), cd = _mm512_castps_pd(_mm512_unpacklo_ps(c, d)),
                AB = _mm512_castps_pd(_mm512_unpackhi_ps(a, b)), CD = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
  const __m512 each[4] = {(__m512)_mm512_unpacklo_pd(ab, cd), (__m512)_mm512_unpackhi_pd(ab, cd),
                          (__m512)_mm512_unpacklo_pd(AB, CD), (__m512)_mm512_unpackhi_pd(AB, CD)};
#pragma GCC unroll 4
  for (int l = 0; l < 4; l++) {
    row[4 * 0 + l] = (NAME(four))_mm512_castps512_ps128(each[l]);
    row[4 * 1 + l] = (NAME(four))_mm512_extractf32x4_ps(each[l], 1);
    row[4 * 2 + l] = (NAME(four))_mm512_extractf32x4_ps(each[l], 2);
    row[4 * 3 + l] = (NAME(four))_mm512_extractf32x4_ps(each[l], 3);
  }
#elif VECTOR == 32 && LANES == 8
  const __m256d a = (__m256d)u[0], b = (__m256d)u[1], c = (__m256d)u[2], d = (__m256d)u[3];
  const __m256d ab = _mm256_unpacklo_pd(a, b), cd = _mm256_unpacklo_pd(c, d), AB = _mm256_unpackhi_pd(a, b),
                CD = _mm256_unpackhi_pd(c, d);
  row[0] = (NAME(four))_mm256_permute2f128_pd(ab, cd, 0x20), row[2] = (NAME(four))_mm256_permute2f128_pd(ab, cd, 0x31);
  row[1] = (NAME(four))_mm256_permute2f128_pd(AB, CD, 0x20), row[3] = (NAME(four))_mm256_permute2f128_pd(AB, CD, 0x31);
#elif VECTOR == 32
  const __m256 a = (__m256)u[0], b = (__m256)u[1], c = (__m256)u[2], d = (__m256)u[3];
  const __m256d ab = _mm256_castps_pd(_mm256_unpacklo_ps(a, b)), cd = _mm256_castps_pd(_mm256_unpacklo_ps(c, d)),
                AB = _mm256_castps_pd(_mm256_unpackhi_ps(a, b)), CD = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
  const __m256 both[4] = {(__m256)_mm256_unpacklo_pd(ab, cd), (__m256)_mm256_unpackhi_pd(ab, cd),
                          (__m256)_mm256_unpacklo_pd(AB, CD), (__m256)_mm256_unpackhi_pd(AB, CD)};
#pragma GCC unroll 4
  for (int l = 0; l < 4; l++) {
    row[l] = (NAME(four))_mm256_castps256_ps128(both[l]);
    row[l + 4] = (NAME(four))_mm256_extractf128_ps(both[l], 1);
  }
#else
  union NAME(lanes) from[4];
  for (int k = 0; k < 4; k++) from[k].whole = u[k];
#pragma GCC unroll 16
  for (int l = 0; l < WIDE; l++)
    row[l] = (NAME(four)){from[0].lane[l], from[1].lane[l], from[2].lane[l], from[3].lane[l]};
#endif
}
#undef MERGE
#undef LOW_PAIRS
#undef HIGH_PAIRS

/* Makes a mask (yes or no a lane) from two numbers a lane. */
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

/* Transforms the values of an orbit of four to sums by sector. The same function goes back, but for a factor of four.
 */
INLINE void NAME(to_sectors)(NAME(vec) x[4])
{
  NAME(vec) p = x[0] + x[1], m = x[0] - x[1], q = x[2] + x[3], n = x[2] - x[3];
  x[0] = p + q;
  x[1] = p - q;
  x[2] = m + n;
  x[3] = m - n;
}

INLINE void NAME(against)(int f, NAME(vec) a, NAME(vec) b, NAME(vec) c, NAME(vec) v[2]) { MX_AGAINST(f, a, b, c, v); }

/* The inverse metric of a face, times `weight`: [0] v1 + [1] v2 is the part along t1, [1] v1 + [2] v2 the part along
 * t2. */
INLINE void NAME(face_metric)(int f, const REAL *metric, NAME(vec) weight, NAME(vec) inverse[3])
{
  NAME(vec)
  aa = NAME(load)(metric), ab = NAME(load)(metric + LANES), ac = NAME(load)(metric + 2 * LANES),
  bb = NAME(load)(metric + 3 * LANES), bc = NAME(load)(metric + 4 * LANES), cc = NAME(load)(metric + 5 * LANES);
  NAME(vec) g11, g12, g22;
  MX_FACE_PRODUCTS(f, aa, ab, ac, bb, bc, cc, g11, g12, g22);
  NAME(vec) scale = weight * NAME(reciprocal_root)(g11 * g22 - g12 * g12);
  inverse[0] = -scale * g22; /* minus, since the bimedians have the other orientation than r, s, t */
  inverse[1] = scale * g12;
  inverse[2] = -scale * g11;
}

/* The neighbours of the lanes of a face. */
struct NAME(outside) {
  NAME(ivec) face, start; /* the number of the face at the neighbour; where the neighbour begins */
  NAME(mask) face_0, face_12, face_23;
};

INLINE struct NAME(outside) NAME(find)(const int32_t *neighbour)
{
  struct NAME(outside) o;
  NAME(ivec) code = NAME(load_indices)(neighbour);
  o.face = code & 3;
  o.start = code - o.face;
  o.face_0 = NAME(mask_of)(o.face == 0);
  o.face_23 = NAME(mask_of)(o.face >= 2);
  o.face_12 = NAME(mask_of)(((o.face + 1) & 2) != 0);
  return o;
}

/* Finds where the lanes' neighbours hold a node of the face. table is by the number of the face at the neighbour. */
INLINE void NAME(locate)(const struct NAME(outside) * o, const int32_t *table, int32_t at[WIDE])
{
#if VECTOR == 64 && LANES == 8
  __m256i node = _mm256_permutevar8x32_epi32(_mm256_load_si256((const void *)table), (__m256i)o->face);
  _mm256_store_si256((void *)at, _mm256_add_epi32((__m256i)o->start, node));
#elif VECTOR == 64
  __m512i node = _mm512_permutexvar_epi32((__m512i)o->face, _mm512_load_si512(table));
  _mm512_store_si512(at, _mm512_add_epi32((__m512i)o->start, node));
#elif VECTOR == 32 && LANES == 8
  __m128i node = (__m128i)_mm_permutevar_ps(_mm_load_ps((const void *)table), (__m128i)o->face);
  _mm_store_si128((void *)at, _mm_add_epi32((__m128i)o->start, node));
#elif VECTOR == 32
  __m256i node = _mm256_permutevar8x32_epi32(_mm256_load_si256((const void *)table), (__m256i)o->face);
  _mm256_store_si256((void *)at, _mm256_add_epi32((__m256i)o->start, node));
#else
  for (int l = 0; l < WIDE; l++) at[l] = o->start[l] + table[o->face[l]];
#endif
  /* through memory: extracting the numbers from the register one by one would use the port that shuffles need */
  __asm__("" : "+m"(*(int32_t(*)[WIDE])at));
}

/* Which of eight neighbours begin at least `near` numbers before or behind `here`? A bit each. */
INLINE uint32_t NAME(far_mask)(const int32_t neighbour[8], int32_t here, int32_t near)
{
#if VECTOR == 64
  const __m256i distance =
      _mm256_abs_epi32(_mm256_sub_epi32(_mm256_load_si256((const void *)neighbour), _mm256_set1_epi32(here)));
  return _mm256_cmpge_epi32_mask(distance, _mm256_set1_epi32(near));
#elif VECTOR == 32
  const __m256i distance =
      _mm256_abs_epi32(_mm256_sub_epi32(_mm256_load_si256((const void *)neighbour), _mm256_set1_epi32(here)));
  return (uint32_t)_mm256_movemask_ps((__m256)_mm256_cmpgt_epi32(distance, _mm256_set1_epi32(near - 1)));
#else
  uint32_t mask = 0;
  for (int l = 0; l < 8; l++) mask |= (uint32_t)(neighbour[l] - here >= near || here - neighbour[l] >= near) << l;
  return mask;
#endif
}

/* Loads the neighbours' components along -t1 and -t2. They depend on the number of the face at the neighbour, which is
 * another one in every lane: the function is MX_AGAINST with choices of lanes. */
INLINE void NAME(traces)(const struct NAME(outside) * o, const REAL *field, const int32_t at[WIDE], NAME(vec) v[2])
{
  NAME(vec) u[4];
  NAME(gather_four)(field, at, u); /* the fourth is not used */
  NAME(vec) x = NAME(select)(o->face_23, u[1], u[0]), y = NAME(select)(o->face_12, u[1], u[2]);
  v[0] = NAME(select)(o->face_0, u[0] - u[1], x + u[2]);
  v[1] = NAME(select)(o->face_0, u[0] - u[2], u[0] + y);
}

#include "maxwell/backend/cpu/fused_order.h"

const struct mx_fused_order CONCATENATE(NAME(mx_fused), P) = {
    .rows = {CONCATENATE(ROWS_0_, P), CONCATENATE(ROWS_1_, P)},
    .half = CONCATENATE(CONCATENATE(NAME(half), _), P),
    .stage = CONCATENATE(CONCATENATE(NAME(stage), _), P),
    .products = CONCATENATE(CONCATENATE(NAME(products), _), P),
    .curved_half = CONCATENATE(CONCATENATE(NAME(curved_half), _), P),
    .curved_stage = CONCATENATE(CONCATENATE(NAME(curved_stage), _), P),
};
#undef WIDE
