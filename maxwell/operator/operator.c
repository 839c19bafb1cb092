/* The right-hand side in both precisions: instances of operator_body.h. The reference backend, the search for the step
 * limit and the energy balance call it. */
#include "maxwell/operator/operator.h"

#include <math.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "maxwell/problem/curved.h"

#define MX_POINT static inline

/* The kernel is compiled for each width of vectors, and the program takes what the processor has. Its sums stay in
 * their order and are not contracted (-std=c11), so that all give the same bits. GCC knows these names of processors
 * since version 12, glibc picks the function, and sanitizers do not know such functions. */
#if defined(CURLEW_X86) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12 &&                              \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MX_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MX_CLONES
#endif
#define MX_INTO_CLONES static inline __attribute__((always_inline))

#define REAL       double
#define NAME(x)    x##_double
#define MX_ROOT(x) sqrt(x)
#include "maxwell/response/points.h"
#include "maxwell/operator/operator_body.h"
#undef REAL
#undef NAME
#undef MX_ROOT

#define REAL       float
#define NAME(x)    x##_single
#define MX_ROOT(x) sqrtf(x)
#include "maxwell/response/points.h"
#include "maxwell/operator/operator_body.h"
