/* The points of the rule of integration of curved elements (libdg/ref/rule.h) under the half turns of symmetry.h.
 *
 * The rule is symmetric, so its points fall into orbits as the nodes do: of four, of two that a half turn keeps, and
 * the centre. Interpolation from nodes to points and projection back commute with the half turns. They fall into four
 * matrices of a quarter of the size each, from sums over orbits of one kind to coefficients of the other (symmetry.h).
 */
#pragma once

#include "libdg/ref/rule.h"
#include "maxwell/backend/frame/symmetry.h"

/* Orbits of the points of order p: of four, of two for each half turn, of one. Their number is that of the rule. */
#define MX_POINT_QUADS(p)                                                                                              \
  ((p) == 1 ? 1 : (p) == 2 ? 2 : (p) == 3 ? 6 : (p) == 4 ? 10 : (p) == 5 ? 17 : (p) == 6 ? 39 : (p) == 7 ? 45 : 73)
#define MX_POINT_PAIRS(p) ((p) == 2 || (p) == 4 ? 1 : (p) == 5 || (p) == 6 || (p) == 8 ? 2 : (p) == 7 ? 4 : 0)
#define MX_POINT_FIXED(p) ((p) == 5 ? 1 : 0)
#define MX_POINTS(p)      (4 * MX_POINT_QUADS(p) + 6 * MX_POINT_PAIRS(p) + MX_POINT_FIXED(p))
/* Unknowns in sector 0, and in each of the others. */
#define MX_POINT_SECTOR_0(p) (MX_POINT_QUADS(p) + 3 * MX_POINT_PAIRS(p) + MX_POINT_FIXED(p))
#define MX_POINT_SECTOR_1(p) (MX_POINT_QUADS(p) + MX_POINT_PAIRS(p))
/* Points of the rule of a face. */
#define MX_FACE_POINTS(p)                                                                                              \
  ((p) == 1 ? 3 : (p) == 2 ? 6 : (p) == 3 ? 12 : (p) == 4 ? 16 : (p) == 5 ? 25 : (p) == 6 ? 33 : (p) == 7 ? 42 : 55)

static inline size_t mx_point_sector_size(int order, int s)
{
  return (size_t)(s == 0 ? MX_POINT_SECTOR_0(order) : MX_POINT_SECTOR_1(order));
}

/* point[MX_POINTS(order)]: the rule's points by orbit. Quads come first (q, g1 q, g2 q, g3 q), then pairs by half turn,
 * then the centre. */
void mx_points_by_orbit(int32_t *point, const struct dg_rule *rule, int order);

/* Entry (q, j) of the interpolation in sector s: from coefficients of nodes to those of points. */
double mx_points_at(const int32_t *point, const struct mx_symmetry *symmetry, const struct dg_reference *ref,
                    const struct dg_quadrature *quadrature, int s, size_t q, size_t j);
/* Entry (i, q) of the projection in sector s: from sums over orbits of points to coefficients of nodes. */
double mx_points_project(const int32_t *point, const struct mx_symmetry *symmetry, const struct dg_reference *ref,
                         const struct dg_quadrature *quadrature, int s, size_t i, size_t q);
