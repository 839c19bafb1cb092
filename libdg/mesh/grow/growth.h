/* The wish for a layer: the wall from which it grows, the way and the thickness. extrude.h has the method. */
#pragma once

#include "libdg/mesh/grow/wall.h"

struct dg_growth {
  const struct dg_wall *wall;
  const char *name; /* of the volume group that holds the new elements */
  int stages;
  const int *stage; /* [wall->faces] 0..stages-1: when a face grows */
  /* Where the point x goes in a stage, for each metre of depth. */
  void (*way)(const void *shape, int stage, const double x[3], double way[3]);
  const void *shape; /* for `way` */
  size_t sheets;
  const double *depth; /* [sheets] m: where each sheet ends, ascending */
};
