/* Edges of triangles on surfaces, known by their vertices on all ranks: rims of ports, edges of interfaces.
 * port_shape.c, port_walls.c and sources_check.c use them. */
#pragma once

#include <stdint.h>

#include "libdg/mesh/mesh.h"

struct mx_edge {
  int64_t vertex[2]; /* numbers in the whole mesh, ascending */
};

/* Orders edges for qsort and bsearch; a struct that begins with an edge will do, too. */
static inline int mx_compare_edges(const void *a, const void *b)
{
  const struct mx_edge *x = a, *y = b;
  for (int i = 0; i < 2; i++)
    if (x->vertex[i] != y->vertex[i]) return x->vertex[i] < y->vertex[i] ? -1 : 1;
  return 0;
}

/* Makes the three edges of a triangle with ascending vertices. */
static inline void mx_edges_of(const int64_t vertex[3], struct mx_edge edge[3])
{
  edge[0] = (struct mx_edge){{vertex[0], vertex[1]}};
  edge[1] = (struct mx_edge){{vertex[0], vertex[2]}};
  edge[2] = (struct mx_edge){{vertex[1], vertex[2]}};
}

/* Makes the three edges of an element's face; vertices of elements ascend. */
static inline void mx_edges_of_face(const struct dg_mesh *mesh, size_t e, int f, struct mx_edge edge[3])
{
  int64_t vertex[3];
  for (int i = 0, n = 0; i < 4; i++)
    if (i != f) vertex[n++] = dg_mesh_global_vertex(mesh, (size_t)mesh->element[e][i]);
  mx_edges_of(vertex, edge);
}
