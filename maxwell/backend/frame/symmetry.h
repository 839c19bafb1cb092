/* The symmetry of the tetrahedron under its three half turns, which the `cpu` backend's kernels live on.
 *
 * With x = sum lambda_i v_i, take as coordinates the three bimedians, a = l0 + l1 - l2 - l3, b = l0 - l1 + l2 - l3,
 * c = l0 - l1 - l2 + l3. The half turns g1 = (0 1)(2 3), g2 = (0 2)(1 3), g3 = (0 3)(1 2) of the vertices, with the
 * identity Klein's four-group, change the signs of two of them and permute nodes and faces, because the nodes are
 * symmetric. Values at the nodes therefore split into four sectors, s = 0..3, by how their signs change:
 *
 *   g1: + + - -,  g2: + - + -,  g3: + - - +      (sectors 0, 1, 2, 3; product of sectors: exclusive or)
 *
 * d/da maps sector s to s ^ 1, d/db to s ^ 2, d/dc to s ^ 3, and lifting keeps the sector: every matrix falls into four
 * of a quarter of the size, and the products of a curl from 6 Np^2 + 8 Np Nf to 1.5 Np^2 + 3 Np Nf multiply-adds.
 *
 * In sector s the unknowns are, in this order: one for every orbit of four nodes, one for every pair of nodes that g_s
 * keeps (in sector 0: that any keeps, by g1, g2, g3), and in sector 0 one for the centre if that is a node. Of the sum
 * over an orbit, sum_g chi_s(g) u(g i), the kernels take the products; their results are coefficients w_s, with
 * u(g i) = sum_s chi_s(g) w_s.
 *
 * Half turn g takes to face f what lies on face f ^ g. The first member of an orbit is chosen so that those of the
 * orbits of four are, in this order, on face 0 only, on face 0 and face 1, 2 or 3, the vertex opposite face 0, and
 * inside. Of the g-th members of all these orbits, those on a face then are few runs: all but the last ones if it is
 * face g, else an edge's and the vertex's. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "libdg/ref/reference.h"

/* Orbits of the nodes of order p: of four, of two for each half turn, of one. */
#define MX_FIXED(p) ((p) % 4 == 0)
#define MX_PAIRS(p) ((p) % 2 == 0 ? ((p) / 2 + 1 - MX_FIXED(p)) / 2 : 0)
#define MX_QUADS(p) ((DG_NP(p) - 6 * MX_PAIRS(p) - MX_FIXED(p)) / 4)
/* Unknowns in sector 0, and in each of the others. */
#define MX_SECTOR_0(p) (MX_QUADS(p) + 3 * MX_PAIRS(p) + MX_FIXED(p))
#define MX_SECTOR_1(p) (MX_QUADS(p) + MX_PAIRS(p))

static inline size_t mx_sector_size(int order, int s)
{
  return (size_t)(s == 0 ? MX_SECTOR_0(order) : MX_SECTOR_1(order));
}

struct mx_symmetry {
  int32_t *node;  /* [Np] quads (i, g1 i, g2 i, g3 i), then pairs by half turn, then the fixed node */
  int32_t *place; /* [4][Nf] node m of face f is g_f of node place[f][m] of face 0 */
};

/* Release with mx_symmetry_release; zeroed is safe. */
int mx_symmetry_init(struct mx_symmetry *symmetry, const struct dg_reference *ref, struct dg_error *err) DG_MUST_USE;
void mx_symmetry_release(struct mx_symmetry *symmetry);

/* Orbits of nodes, or of other places that the half turns permute: four members each, then two each for each half turn
 * that keeps them, then one. */
struct mx_orbits {
  const int32_t *member;
  size_t quads, pairs;
};
struct mx_orbits mx_orbits_of_nodes(const struct mx_symmetry *symmetry, int order);
/* Finds the orbit behind unknown j of sector s: its members and the half turns that lead to them. Returns how many. */
int mx_orbit(const struct mx_orbits *orbits, int s, size_t j, const int32_t **member, int turn[4]);
/* chi_s(g) */
int mx_sector_sign(int s, int g);

/* Entry (i, j) of the derivative along bimedian c = 1, 2, 3 from sector `from` to from ^ c. */
double mx_symmetry_derivative(const struct mx_symmetry *symmetry, const struct dg_reference *ref, int c, int from,
                              size_t i, size_t j);
/* Entry (i, j) of the mass matrix in sector s. A sum over nodes of u times M v is a sum over sectors of the same kind:
 * sums over orbits of u, times this matrix of those of v. */
double mx_symmetry_mass(const struct mx_symmetry *symmetry, const struct dg_reference *ref, int s, size_t i, size_t j);
/* Entry (i, m) of the lift of sector s. The lift takes sums over the faces, sum_f chi_s(g_f) F(f, g_f m), where m is a
 * node of face 0. */
double mx_symmetry_lift(const struct mx_symmetry *symmetry, const struct dg_reference *ref, int s, size_t i, size_t m);
