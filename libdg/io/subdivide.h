/* A nodal element of order p as p^3 linear tetrahedra between its own nodes, for plotting programs that know only
 * linear cells. The lattice of nodes falls into upright tetrahedra, octahedra (each cut into four along one diagonal)
 * and inverted tetrahedra; together they fill the element and meet those of its neighbours face to face. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "libdg/mesh/mesh.h"
#include "libdg/ref/reference.h"

struct dg_subdivision {
  int order;
  int count;     /* order^3 */
  int (*tet)[4]; /* [count] nodes; positive volume in the reference element: (b-a) x (c-a) . (d-a) > 0 */
};

/* Release with dg_subdivision_release; a zeroed struct is safe to release. */
int dg_subdivision_init(struct dg_subdivision *sub, const struct dg_reference *ref, struct dg_error *err) DG_MUST_USE;
void dg_subdivision_release(struct dg_subdivision *sub);

/* zone[K * count][4]: the tetrahedra of the whole mesh, all with positive volume, also in elements that are mirrored.
 * Node n of element e is number e * Np + n or, when point is not NULL, point[e * Np + n]. The caller has checked that
 * K * Np and the length of zone fit into int. */
void dg_subdivide_mesh(const struct dg_subdivision *sub, const struct dg_mesh *mesh, int Np, const int32_t *point,
                       int (*zone)[4]);
