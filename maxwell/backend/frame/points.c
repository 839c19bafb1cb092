/* Orbits of the points of a rule, and interpolation and projection by sectors. Backends build their tables of curved
 * elements with it; points.h explains it. */
#include "maxwell/backend/frame/points.h"

#include <math.h>

#include "libdg/base/bug.h"

/* The point to which half turn g takes point q: vertex v goes to v ^ g. */
static int turned(const struct dg_rule *rule, int g, int q)
{
  for (int k = 0; k < rule->points; k++) {
    double distance = 0;
    for (int v = 0; v < 4; v++) distance = fmax(distance, fabs(rule->place[k][v ^ g] - rule->place[q][v]));
    if (distance < 1e-12) return k;
  }
  return -1;
}

void mx_points_by_orbit(int32_t *point, const struct dg_rule *rule, int order)
{
  const int quads = MX_POINT_QUADS(order), pairs = MX_POINT_PAIRS(order);
  int filled[5] = {0, 4 * quads, 4 * quads + 2 * pairs, 4 * quads + 4 * pairs, 4 * quads + 6 * pairs};
  const int end[5] = {filled[1], filled[2], filled[3], filled[4], MX_POINTS(order)};
  DG_BUG_IF(rule->points != end[4], "the rule of order %d has %d points", order, rule->points);
  for (int q = 0; q < rule->points; q++) {
    int image[4] = {q}, kept_by = 0, kept = 0, members = 1, first = q;
    for (int g = 1; g < 4; g++) {
      const int k = turned(rule, g, q);
      DG_BUG_IF(k < 0, "point %d of order %d is not symmetric", q, order);
      if (k < first) first = k;
      if (k == q) kept_by = g, kept++;
      else if (members == 1 || k != image[1]) image[members++] = k;
    }
    if (first < q) continue;
    const int kind = kept == 3 ? 4 : kept_by;
    DG_BUG_IF(filled[kind] + members > end[kind], "orbit of point %d of order %d", q, order);
    for (int k = 0; k < members; k++) point[filled[kind]++] = image[k];
  }
}

static struct mx_orbits orbits_of_points(const int32_t *point, int order)
{
  return (struct mx_orbits){point, (size_t)MX_POINT_QUADS(order), (size_t)MX_POINT_PAIRS(order)};
}

double mx_points_at(const int32_t *point, const struct mx_symmetry *symmetry, const struct dg_reference *ref,
                    const struct dg_quadrature *quadrature, int s, size_t q, size_t j)
{
  const struct mx_orbits points = orbits_of_points(point, ref->order), nodes = mx_orbits_of_nodes(symmetry, ref->order);
  const int32_t *row, *column;
  int turn[4], ignored[4];
  (void)mx_orbit(&points, s, q, &row, ignored);
  const int members = mx_orbit(&nodes, s, j, &column, turn);
  double sum = 0;
  for (int k = 0; k < members; k++)
    sum += mx_sector_sign(s, turn[k]) * quadrature->at[(size_t)row[0] * (size_t)ref->Np + (size_t)column[k]];
  return sum;
}

double mx_points_project(const int32_t *point, const struct mx_symmetry *symmetry, const struct dg_reference *ref,
                         const struct dg_quadrature *quadrature, int s, size_t i, size_t q)
{
  const struct mx_orbits points = orbits_of_points(point, ref->order), nodes = mx_orbits_of_nodes(symmetry, ref->order);
  const int32_t *row, *column;
  int turn[4], ignored[4];
  (void)mx_orbit(&nodes, s, i, &row, ignored);
  const int members = mx_orbit(&points, s, q, &column, turn);
  const size_t Nq = (size_t)quadrature->volume.points;
  double sum = 0;
  for (int k = 0; k < members; k++)
    sum += mx_sector_sign(s, turn[k]) * quadrature->project[(size_t)row[0] * Nq + (size_t)column[k]];
  return sum / members;
}
