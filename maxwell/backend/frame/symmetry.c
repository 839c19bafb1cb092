/* Orbits of nodes under the half turns of the tetrahedron, and derivatives, lifts and mass matrix by sectors. The
 * backends `cpu` and `cuda` build their tables with it; symmetry.h derives it. */
#include "maxwell/backend/frame/symmetry.h"

#include <stdbool.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"

int mx_sector_sign(int s, int g)
{
  static const int table[4][4] = {{1, 1, 1, 1}, {1, 1, -1, -1}, {1, -1, 1, -1}, {1, -1, -1, 1}};
  return table[g][s];
}

/* Returns the node to which half turn g takes node i: g swaps the barycentric indices of vertices v and v ^ g. */
static int32_t turned(const struct dg_reference *ref, int g, int32_t i)
{
  int from[4], to[4];
  for (int v = 1; v < 4; v++) from[v] = ref->lattice[i][v - 1];
  from[0] = ref->order - from[1] - from[2] - from[3];
  for (int v = 0; v < 4; v++) to[v ^ g] = from[v];
  for (int32_t j = 0; j < ref->Np; j++)
    if (ref->lattice[j][0] == to[1] && ref->lattice[j][1] == to[2] && ref->lattice[j][2] == to[3]) return j;
  return -1;
}

/* Returns the first half turn that keeps node i, 0 if none does, 4 if all do. */
static int kept_by(const struct dg_reference *ref, int32_t i)
{
  int by = 0, count = 0;
  for (int g = 3; g > 0; g--)
    if (turned(ref, g, i) == i) by = g, count++;
  return count == 3 ? 4 : by;
}

enum { RANKS = 7 }; /* ranks of nodes in symmetry.node */

/* The rank of a node by the faces on which it lies, bit v being the one opposite vertex v. First come nodes on face 0
 * only, then those on its edges, vertex 0, and the interior. No orbit begins with any other node. */
static int rank_of(const struct dg_reference *ref, int32_t i)
{
  static const unsigned first[RANKS - 1] = {1, 1 | 2, 1 | 4, 1 | 8, 2 | 4 | 8, 0};
  const int *at = ref->lattice[i];
  unsigned faces = at[0] + at[1] + at[2] == ref->order ? 1 : 0;
  for (int v = 1; v < 4; v++) faces |= at[v - 1] == 0 ? 1u << v : 0;
  int rank = 0;
  while (rank < RANKS - 1 && first[rank] != faces) rank++;
  return rank;
}

/* Says whether node i comes before the others of its orbit. */
static bool begins(const struct dg_reference *ref, int32_t i)
{
  for (int g = 1; g < 4; g++) {
    const int32_t j = turned(ref, g, i);
    const int mine = rank_of(ref, i), its = rank_of(ref, j);
    if (its < mine || (its == mine && j < i)) return false;
  }
  return true;
}

/* Finds where the orbits kept by `by` (see kept_by) begin in symmetry.node. */
static size_t orbit_start(int order, int by)
{
  size_t pairs = (size_t)MX_PAIRS(order);
  return by == 0 ? 0 : 4 * (size_t)MX_QUADS(order) + 2 * pairs * (size_t)(by - 1);
}

int mx_symmetry_init(struct mx_symmetry *symmetry, const struct dg_reference *ref, struct dg_error *err)
{
  size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf, filled[5];
  *symmetry = (struct mx_symmetry){0};
  if (DG_NEW(symmetry->node, Np, err) != 0 || DG_NEW(symmetry->place, 4 * Nf, err) != 0) {
    mx_symmetry_release(symmetry);
    return err->code;
  }
  for (int by = 0; by < 5; by++) filled[by] = orbit_start(ref->order, by);
  for (int rank = 0; rank < RANKS; rank++)
    for (int32_t i = 0; i < ref->Np; i++) {
      if (rank_of(ref, i) != rank || !begins(ref, i)) continue;
      int by = kept_by(ref, i);
      int32_t *orbit = symmetry->node + filled[by];
      size_t nodes = 0;
      orbit[nodes++] = i;
      for (int g = 1; g < 4; g++) {
        const int32_t j = turned(ref, g, i);
        if (by == 0 || (j != i && nodes == 1)) orbit[nodes++] = j;
      }
      filled[by] += nodes;
    }
  for (int f = 0; f < 4; f++)
    for (size_t m = 0; m < Nf; m++)
      for (size_t k = 0; k < Nf; k++)
        if (turned(ref, f, ref->face_node[k]) == ref->face_node[(size_t)f * Nf + m])
          symmetry->place[(size_t)f * Nf + m] = (int32_t)k;
  return 0;
}

void mx_symmetry_release(struct mx_symmetry *symmetry)
{
  dg_free(symmetry->node);
  dg_free(symmetry->place);
  *symmetry = (struct mx_symmetry){0};
}

struct mx_orbits mx_orbits_of_nodes(const struct mx_symmetry *symmetry, int order)
{
  return (struct mx_orbits){symmetry->node, (size_t)MX_QUADS(order), (size_t)MX_PAIRS(order)};
}

int mx_orbit(const struct mx_orbits *orbits, int s, size_t j, const int32_t **member, int turn[4])
{
  const size_t quads = orbits->quads, pairs = orbits->pairs;
  if (j < quads) {
    *member = orbits->member + 4 * j;
    for (int g = 0; g < 4; g++) turn[g] = g;
    return 4;
  }
  j -= quads;
  turn[0] = 0;
  if (s == 0 && j >= 3 * pairs) {
    *member = orbits->member + 4 * quads + 6 * pairs;
    return 1;
  }
  DG_BUG_IF(pairs == 0, "sector %d has no unknown %zu", s, j + quads);
  const size_t by = s == 0 ? j / pairs + 1 : (size_t)s;
  *member = orbits->member + 4 * quads + 2 * pairs * (by - 1) + 2 * (j % pairs);
  turn[1] = (int)by % 3 + 1; /* either of the two half turns that do not keep the members */
  return 2;
}

static int orbit(const struct mx_symmetry *symmetry, int order, int s, size_t j, const int32_t **node, int turn[4])
{
  const struct mx_orbits orbits = mx_orbits_of_nodes(symmetry, order);
  return mx_orbit(&orbits, s, j, node, turn);
}

double mx_symmetry_derivative(const struct mx_symmetry *symmetry, const struct dg_reference *ref, int c, int from,
                              size_t i, size_t j)
{
  const int32_t *row, *column;
  int turn[4], ignored[4];
  size_t Np = (size_t)ref->Np;
  (void)orbit(symmetry, ref->order, from ^ c, i, &row, ignored);
  int nodes = orbit(symmetry, ref->order, from, j, &column, turn);
  double sum = 0;
  for (int k = 0; k < nodes; k++) {
    size_t at = (size_t)row[0] * Np + (size_t)column[k];
    double derivative = 0; /* x_a = (x_r - x_s - x_t) / 2, and so on */
    for (int a = 0; a < 3; a++) derivative += (a == c - 1 ? 0.5 : -0.5) * ref->D[a][at];
    sum += mx_sector_sign(from, turn[k]) * derivative;
  }
  return sum / nodes;
}

double mx_symmetry_mass(const struct mx_symmetry *symmetry, const struct dg_reference *ref, int s, size_t i, size_t j)
{
  const int32_t *row, *column;
  int turn[4], ignored[4];
  (void)orbit(symmetry, ref->order, s, i, &row, ignored);
  const int nodes = orbit(symmetry, ref->order, s, j, &column, turn);
  double sum = 0;
  for (int k = 0; k < nodes; k++)
    sum += mx_sector_sign(s, turn[k]) * ref->mass[(size_t)row[0] * (size_t)ref->Np + (size_t)column[k]];
  return sum / nodes;
}

double mx_symmetry_lift(const struct mx_symmetry *symmetry, const struct dg_reference *ref, int s, size_t i, size_t m)
{
  const int32_t *row;
  int ignored[4];
  size_t Nf = (size_t)ref->Nf;
  (void)orbit(symmetry, ref->order, s, i, &row, ignored);
  double sum = 0;
  for (int f = 0; f < 4; f++)
    for (size_t k = 0; k < Nf; k++)
      if ((size_t)symmetry->place[(size_t)f * Nf + k] == m)
        sum += 0.25 * mx_sector_sign(s, f) * ref->lift[(size_t)row[0] * 4 * Nf + (size_t)f * Nf + k];
  return sum;
}
