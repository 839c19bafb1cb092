/* Gmsh's elements of higher order. Part of the process `curlew-mesh`, as gmsh_session.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/mesh/curve.h"

/* A type of Gmsh's elements. */
struct dg_gmsh_type {
  char name[64];
  int dim, order, nodes;
  bool simplex;              /* a triangle or tetrahedron with all nodes of its order, 1 to DG_GEOMETRY_MAX */
  int lattice[DG_SHAPE_MAX]; /* of a tetrahedron: where in the order of curve.h a node stands */
};

/* Asks Gmsh about a type. False: it does not know it. */
bool dg_gmsh_get_type(int type, struct dg_gmsh_type *is);
