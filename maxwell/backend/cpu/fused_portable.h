/* How the fused kernels are made for the instructions that every processor has: a file for each order
 * (fused_order.c.in). */
#pragma once

#include <math.h>

#include "maxwell/backend/cpu/fused.h"

#define MX_UNROLL_FACES _Pragma("GCC unroll 1")
#define ISA             "portable"
#define ROWS_0_1        1
#define ROWS_0_2        4
#define ROWS_0_3        5
#define ROWS_0_4        11
#define ROWS_0_5        7
#define ROWS_0_6        12
#define ROWS_0_7        10
#define ROWS_0_8        9
#define ROWS_1_1        1
#define ROWS_1_2        2
#define ROWS_1_3        5
#define ROWS_1_4        8
#define ROWS_1_5        7
#define ROWS_1_6        10
#define ROWS_1_7        10
#define ROWS_1_8        10
#define CURVED_ROWS     4
#define SQUARES         mx_squares_portable
#define VECTOR          16
