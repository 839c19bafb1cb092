/* Included once for every instruction set, with NAME(x), ISA, BYTES of a vector register, CHAINS of multiply-adds that
 * do not wait for each other (at least latency times units: 4 x 2; with two constants they fill the registers), and
 * STREAM(to, vector). */
typedef double NAME(doubles) __attribute__((vector_size(BYTES)));
typedef float NAME(floats) __attribute__((vector_size(BYTES)));

static void NAME(copy)(double *to, const double *from, size_t count)
{
  for (size_t i = 0; i < count; i += BYTES / sizeof(double))
    *(NAME(doubles) *)(void *)(to + i) = *(const NAME(doubles) *)(const void *)(from + i);
}

static void NAME(streamed)(double *to, const double *from, size_t count)
{
  for (size_t i = 0; i < count; i += BYTES / sizeof(double))
    STREAM(to + i, *(const NAME(doubles) *)(const void *)(from + i));
  SETTLE();
}

/* x <- x a + b with a < 1: the values stay finite and never become denormal. */
#define FMA(function, real, vector)                                                                                    \
  static real function(size_t rounds)                                                                                  \
  {                                                                                                                    \
    vector x[CHAINS], a = (vector){0} + (real)0.999, b = (vector){0} + (real)0.001;                                    \
    for (int i = 0; i < CHAINS; i++) x[i] = (vector){0} + (real)(1 + i);                                               \
    for (size_t round = 0; round < rounds; round++) {                                                                  \
      _Pragma("GCC unroll 32") for (int i = 0; i < CHAINS; i++) x[i] = x[i] * a + b;                                   \
    }                                                                                                                  \
    real sum = 0;                                                                                                      \
    for (int i = 0; i < CHAINS; i++) sum += x[i][0] + x[i][BYTES / sizeof(real) - 1];                                  \
    return sum;                                                                                                        \
  }
FMA(NAME(fma_double), double, NAME(doubles))
FMA(NAME(fma_single), float, NAME(floats))

const struct mx_bench_kernels NAME(mx_bench) = {
    .name = ISA,
    .copy = NAME(copy),
    .streamed = NAME(streamed),
    .fma_double = NAME(fma_double),
    .fma_single = NAME(fma_single),
    .flops_double = 2.0 * CHAINS * BYTES / sizeof(double),
    .flops_single = 2.0 * CHAINS * BYTES / sizeof(float),
};
