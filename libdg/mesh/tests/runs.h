/* Which elements of a part come first (mesh.h). */
#pragma once

#include <stdbool.h>
#include <stdlib.h>

#include "libdg/mesh/mesh.h"

static bool has_ghost_neighbour(const struct dg_mesh *part, size_t e)
{
  for (int f = 0; f < 4; f++)
    if (part->neighbour[e][f] >= 4 * (int32_t)part->K) return true;
  return false;
}

/* Both kinds of elements ascend; along the curve, a run is of the second kind if and only if one of it has a ghost. */
static void check_runs(const struct dg_mesh *part)
{
  const size_t run = dg_mesh_run(part->K);
  bool waits = false, has_ghosts = false;
  size_t next[2] = {0, part->interior};
  for (size_t n = 0; n < part->K; n++) {
    const bool first = next[0] < part->interior &&
                       (next[1] == part->K || dg_mesh_global(part, next[0]) < dg_mesh_global(part, next[1]));
    const size_t e = next[first ? 0 : 1]++;
    if (e > 0 && e != part->interior) assert_true(dg_mesh_global(part, e - 1) < dg_mesh_global(part, e));
    if (n % run == 0) waits = !first, has_ghosts = false;
    assert_int_equal(waits, e >= part->interior);
    has_ghosts = has_ghosts || has_ghost_neighbour(part, e);
    if ((n + 1) % run == 0 || n + 1 == part->K) assert_int_equal(has_ghosts, waits);
  }
}
