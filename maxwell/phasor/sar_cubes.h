/* SAR averaged over cubes of a mass, on a grid of small cubes (voxels), by the rules of IEC/IEEE 62704-1:2017, 6.2:
 *
 *   - A cube grows around the centre of each voxel with mass until it holds the mass. It is valid if at most a tenth of
 *     it is empty and none of its faces lies in the empty part. The centre has the cube's power over its mass.
 *   - A voxel with mass that is the centre of no valid cube, but lies in some, has the highest value of these.
 *   - Any other voxel with mass is the middle of a face of six cubes, which grow along an axis each, however empty they
 *     are. It has the highest value of those whose volume is at most 5 % above the smallest one's.
 *
 * Voxels are homogeneous, and a cube may cut them: the mass is met to rounding. */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"

struct mx_voxels {
  size_t n[3];
  double size;                /* m: of an edge */
  const double *mass, *power; /* [n[2]][n[1]][n[0]] kg and W of a voxel; mass 0: empty */
};

/* Gives average[n[2]][n[1]][n[0]], W/kg, of cubes of `mass` (kg); NAN where a voxel is empty, or where no cube in the
 * grid holds the mass. DG_ENVIRONMENT: no memory. */
int mx_sar_cubes(const struct mx_voxels *voxels, double mass, double *average, struct dg_error *err) DG_MUST_USE;
