/* Nodes of the orders whose kernels know them when they are compiled: then their loops over nodes unroll, and values
 * stay in registers. fused.c compares the tables with those of symmetry.h and reference.h. */
#pragma once

#include <stdint.h>

#define MX_KNOWN_NODES 4 /* the highest such order */

/* mx_orbit_p: symmetry.h; mx_face_p: nodes of the faces; mx_place_p: symmetry.h. */
// clang-format off
static const uint8_t mx_orbit_1[] = {0, 1, 2, 3};
static const uint8_t mx_face_1[4][3] = {
  {1, 2, 3},
  {0, 2, 3},
  {0, 1, 3},
  {0, 1, 2},
};
static const uint8_t mx_place_1[4][3] = {
  {0, 1, 2},
  {0, 2, 1},
  {1, 2, 0},
  {2, 1, 0},
};
static const uint8_t mx_orbit_2[] = {0, 2, 5, 9, 8, 1, 7, 3, 4, 6};
static const uint8_t mx_face_2[4][6] = {
  {2, 4, 5, 7, 8, 9},
  {0, 3, 5, 6, 8, 9},
  {0, 1, 2, 6, 7, 9},
  {0, 1, 2, 3, 4, 5},
};
static const uint8_t mx_place_2[4][6] = {
  {0, 1, 2, 3, 4, 5},
  {0, 3, 5, 1, 4, 2},
  {2, 4, 5, 1, 3, 0},
  {5, 4, 2, 3, 1, 0},
};
static const uint8_t mx_orbit_3[] = {14, 13, 11, 5, 15, 18, 1, 2, 12, 4, 17, 7, 6, 10, 16, 8, 0, 3, 9, 19};
static const uint8_t mx_face_3[4][10] = {
  {3, 6, 8, 9, 12, 14, 15, 17, 18, 19},
  {0, 4, 7, 9, 10, 13, 15, 16, 18, 19},
  {0, 1, 2, 3, 10, 11, 12, 16, 17, 19},
  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
};
static const uint8_t mx_place_3[4][10] = {
  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
  {0, 4, 7, 9, 1, 5, 8, 2, 6, 3},
  {3, 6, 8, 9, 2, 5, 7, 1, 4, 0},
  {9, 8, 6, 3, 7, 5, 2, 4, 1, 0},
};
static const uint8_t mx_orbit_4[] = {21, 19, 26, 10, 23, 28, 16, 7, 29, 22, 17, 6, 24, 33, 1, 3, 18, 5, 32, 12, 8, 15, 31, 13, 0, 4, 14, 34, 30, 2, 27, 9, 11, 25, 20};
static const uint8_t mx_face_4[4][15] = {
  {4, 8, 11, 13, 14, 18, 21, 23, 24, 27, 29, 30, 32, 33, 34},
  {0, 5, 9, 12, 14, 15, 19, 22, 24, 25, 28, 30, 31, 33, 34},
  {0, 1, 2, 3, 4, 15, 16, 17, 18, 25, 26, 27, 31, 32, 34},
  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
};
static const uint8_t mx_place_4[4][15] = {
  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
  {0, 5, 9, 12, 14, 1, 6, 10, 13, 2, 7, 11, 3, 8, 4},
  {4, 8, 11, 13, 14, 3, 7, 10, 12, 2, 6, 9, 1, 5, 0},
  {14, 13, 11, 8, 4, 12, 10, 7, 3, 9, 6, 2, 5, 1, 0},
};
// clang-format on
