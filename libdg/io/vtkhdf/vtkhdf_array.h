/* Arrays of a file, and those that a root joins from other files. Private to this folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* bytes of the longest name of an array, and of a file in another */
enum { DG_VTKHDF_NAME = 96, DG_VTKHDF_PATH = 512 };

enum dg_vtkhdf_type { DG_VTKHDF_BYTES, DG_VTKHDF_INTEGERS, DG_VTKHDF_DOUBLES, DG_VTKHDF_FLOATS };

struct dg_vtkhdf_array {
  char name[DG_VTKHDF_NAME]; /* "Points", or "VTKHDF/PointData/E" */
  const char *unit;          /* of an attribute; NULL: none */
  size_t rows;
  size_t place; /* byte of the file at which its numbers begin; dg_vtkhdf_put_array fills it */
  int columns;  /* 1: the array has one dimension */
  enum dg_vtkhdf_type type;
};
size_t dg_vtkhdf_array_bytes(const struct dg_vtkhdf_array *array);

/* A part of an array of the root, in another file. */
struct dg_vtkhdf_piece {
  char file[DG_VTKHDF_PATH]; /* relative to the root's folder */
  char name[DG_VTKHDF_NAME];
  size_t rows;
};
/* An array of the root whose numbers are elsewhere: an external link to its only piece, or a virtual array. */
struct dg_vtkhdf_joined {
  struct dg_vtkhdf_array array; /* rows: of all pieces */
  size_t pieces;
  const struct dg_vtkhdf_piece *piece; /* [pieces] in their order */
  bool link;
};

/* What a root has besides: the group VTKHDF as VTK wants it. */
struct dg_vtkhdf_head {
  size_t parts;
  const long long *points, *cells, *connections; /* [parts] */
  double time;                                   /* s */
  long long cycle;
  size_t joined;
  const struct dg_vtkhdf_joined *join; /* [joined] */
};
