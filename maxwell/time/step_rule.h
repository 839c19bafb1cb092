/* The step rule: how a number goes through a pass of a scheme that is not staggered (schedule.h), for compilers of C
 * and CUDA. Fields follow it, and so does what goes with them: states of responses, currents of walls, circuits.
 *
 *   low storage:  register = a register + by, number += b register, where `by` is the step times the rate;
 *   sums:         sum = (the start's number in the first pass, else sum) + weight rate, stage = start + next rate, and
 *                 behind the last pass start = sum. `stage` is what the next pass takes rates of.
 *
 * In C the functions below end in _double and _single; in CUDA they are overloaded. Kernels that work on vectors, or
 * that have read what they need long before, take the two macros.
 */
#pragma once

#include <stdbool.h>

/* The numbers of a pass of a schedule, and with them the step. */
struct mx_step_rule {
  double step;         /* the unit of time of the rates */
  double a, b;         /* low storage */
  double weight, next; /* sums: times the step */
  bool sums;           /* the scheme has sums, else low storage */
  bool first, last;    /* sums: the pass reads, writes the fields of t_n */
};

/* The register behind a pass of low storage. */
#define MX_REGISTER_STEP(a, kept, by) ((a) * (kept) + (by))
/* A number and its register (b), a sum (weight) or a stage (next) and a rate. */
#define MX_NUMBER_STEP(number, factor, rate) ((number) + (factor) * (rate))

#ifdef __cplusplus
#define MX_RULE             __device__ inline
#define MX_RULE_NAME(x, of) x
#else
#define MX_RULE             static inline __attribute__((always_inline))
#define MX_RULE_NAME(x, of) x##_##of
#endif

/* Low storage: takes a number and its register along. */
#define MX_LOW_STORAGE(REAL, of)                                                                                       \
  MX_RULE void MX_RULE_NAME(mx_low_storage, of)(struct mx_step_rule rule, REAL by, REAL * number, REAL * kept)         \
  {                                                                                                                    \
    *kept = MX_REGISTER_STEP((REAL)rule.a, *kept, by);                                                                 \
    *number = MX_NUMBER_STEP(*number, (REAL)rule.b, *kept);                                                            \
  }
MX_LOW_STORAGE(double, double)
MX_LOW_STORAGE(float, single)

/* Sums: takes a number at the start of the step, its sum and its stage along. */
#define MX_SUMS(REAL, of)                                                                                              \
  MX_RULE void MX_RULE_NAME(mx_sums, of)(struct mx_step_rule rule, REAL rate, REAL * start, REAL * sum, REAL * stage)  \
  {                                                                                                                    \
    *sum = MX_NUMBER_STEP(rule.first ? *start : *sum, (REAL)rule.weight, rate);                                        \
    *stage = MX_NUMBER_STEP(*start, (REAL)rule.next, rate);                                                            \
    if (rule.last) *start = *sum;                                                                                      \
  }
MX_SUMS(double, double)
MX_SUMS(float, single)

#undef MX_LOW_STORAGE
#undef MX_SUMS
#undef MX_RULE_NAME
#undef MX_RULE
