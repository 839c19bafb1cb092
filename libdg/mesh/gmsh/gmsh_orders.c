/* Takes the order of an element's nodes from Gmsh itself, which knows where each node of a type lies. */
#include "libdg/mesh/gmsh/gmsh_orders.h"

#include <gmshc.h>
#include <math.h>
#include <stdio.h>

/* Finds the places of a tetrahedron's nodes in the lattice; false: there are others, or one is missing. */
static bool find_lattice(struct dg_gmsh_type *is, const double *local, size_t locals)
{
  bool there[DG_SHAPE_MAX] = {false};
  if ((size_t)is->nodes != dg_shape_nodes(is->order) || locals < 3 * (size_t)is->nodes) return false;
  for (int n = 0; n < is->nodes; n++) {
    int k[4] = {is->order};
    for (int a = 0; a < 3; a++) {
      const double along = local[3 * n + a] * is->order;
      k[a + 1] = (int)lround(along);
      if (!(fabs(along - k[a + 1]) < 1e-6) || k[a + 1] < 0) return false;
      k[0] -= k[a + 1];
    }
    if (k[0] < 0) return false;
    const size_t node = dg_shape_node(is->order, k);
    if (there[node] || (n < 4 && k[n] != is->order)) return false; /* the vertices come first */
    there[node] = true;
    is->lattice[n] = (int)node;
  }
  return true;
}

bool dg_gmsh_get_type(int type, struct dg_gmsh_type *is)
{
  char *name = NULL;
  double *local = NULL;
  size_t locals = 0;
  int primary = 0, failed;
  *is = (struct dg_gmsh_type){0};
  gmshModelMeshGetElementProperties(type, &name, &is->dim, &is->order, &is->nodes, &local, &locals, &primary, &failed);
  const bool known = failed == 0 && name != NULL;
  (void)snprintf(is->name, sizeof is->name, "%s", known ? name : "unknown element");
  if (known && is->order >= 1 && is->order <= DG_GEOMETRY_MAX) {
    if (is->dim == 2 && primary == 3) is->simplex = is->nodes == (is->order + 1) * (is->order + 2) / 2;
    if (is->dim == 3 && primary == 4) is->simplex = find_lattice(is, local, locals);
  }
  gmshFree(name);
  gmshFree(local);
  return known;
}
