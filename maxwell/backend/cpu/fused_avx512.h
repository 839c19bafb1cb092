/* How the fused kernels are made for AVX-512: a file for each order (fused_order.c.in). */
#pragma once

#include <immintrin.h>
#include <math.h>

#include "maxwell/backend/cpu/fused.h"

#define MX_UNROLL_FACES _Pragma("GCC unroll 4")
#define ISA             "AVX-512"
#define ROWS_0_1        1
#define ROWS_0_2        4
#define ROWS_0_3        5
#define ROWS_0_4        11
#define ROWS_0_5        14
#define ROWS_0_6        12
#define ROWS_0_7        15
#define ROWS_0_8        15
#define ROWS_1_1        1
#define ROWS_1_2        2
#define ROWS_1_3        5
#define ROWS_1_4        8
#define ROWS_1_5        14
#define ROWS_1_6        20
#define ROWS_1_7        15
#define ROWS_1_8        20
#define CURVED_ROWS     8
#define SQUARES         mx_squares_avx512
#define VECTOR          64
