/* The data that the writers of one series of snapshots keep from one snapshot to the next. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The data that files of the same mesh have in common, and room to work in. {0} at first; the first snapshot fills it.
 * It belongs to one mesh, order and merge; and to one folder, where the mesh is written once. Snapshots that are
 * written with it at the same time have the same fields and precision. */
struct dg_silo_mesh {
  size_t points, zones;
  double *coordinate;              /* [3][points] m */
  double extent[6];                /* smallest x, y, z, largest x, y, z */
  int (*zone)[4];                  /* [zones] */
  double *work;                    /* [max(nodes, zones)], twice with a merge */
  bool digested, written;          /* to a file of its own */
  uint64_t common;                 /* digest of what is in that file */
  struct dg_silo_pattern *pattern; /* of files of blocks, which differ in nothing but values (silo_pattern.h) */
};
void dg_silo_mesh_release(struct dg_silo_mesh *mesh);
