/* Tables for squares of fields in curved elements: squares.h explains them. */
#include "maxwell/backend/squares/squares.h"

#include <math.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/frame/points.h"

/* Appends matrix[rows][columns] in the order in which kernels read it. */
static double *pack(const double *matrix, size_t rows, size_t columns, size_t most, double *to)
{
  const size_t go = MX_ROWS_A_GO(rows, most);
  for (size_t first = 0; first < rows; first += go)
    for (size_t j = 0; j < columns; j++)
      for (size_t i = first; i < first + go; i++) *to++ = i < rows ? matrix[i * columns + j] : 0;
  return to;
}

static size_t packed(size_t rows, size_t columns, size_t most)
{
  const size_t go = MX_ROWS_A_GO(rows, most);
  return (rows + go - 1) / go * go * columns;
}

/* The lower factor of the symmetric positive gram[n][n] in place; above the diagonal it leaves zeros. */
static void factor(size_t n, double *gram)
{
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      double sum = gram[i * n + j];
      for (size_t k = 0; k < j && i >= j; k++) sum -= gram[i * n + k] * gram[j * n + k];
      if (i == j) DG_BUG_IF(!(sum > 0), "pivot %zu of the mass matrix is %g", j, sum);
      gram[i * n + j] = i < j ? 0 : i == j ? sqrt(sum) : sum / gram[j * n + j];
    }
}

/* Members of the orbit behind unknown j of sector s. */
static double members(const struct mx_orbits *orbits, int s, size_t j)
{
  const int32_t *member;
  int turn[4];
  return mx_orbit(orbits, s, j, &member, turn);
}

struct sector {
  size_t n, m; /* unknowns at nodes and points */
  double *at, *gram, *other;
};

/* Makes at[m][n], from coefficients at nodes to those at points, one from the basis, and other[n][n] the way from
 * sums over orbits of nodes to the basis. */
static void orthonormalise(const struct sector *sector, int s, const struct mx_orbits *nodes,
                           const struct mx_orbits *points, const double *weight)
{
  const size_t n = sector->n, m = sector->m;
  memset(sector->gram, 0, n * n * sizeof *sector->gram);
  for (size_t q = 0; q < m; q++) {
    const int32_t *member;
    int turn[4];
    const double count = mx_orbit(points, s, q, &member, turn), w = weight[member - points->member];
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        sector->gram[i * n + j] += count * w * sector->at[q * n + i] * sector->at[q * n + j];
  }
  factor(n, sector->gram);
  for (size_t q = 0; q < m; q++) /* at = at L^-T */
    for (size_t j = 0; j < n; j++) {
      double *row = sector->at + q * n;
      for (size_t k = 0; k < j; k++) row[j] -= row[k] * sector->gram[j * n + k];
      row[j] /= sector->gram[j * n + j];
    }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) sector->other[i * n + j] = sector->gram[j * n + i] / members(nodes, s, j);
}

int mx_squares_init(struct mx_squares *squares, const struct mx_square_kernels *kernels, const struct dg_reference *ref,
                    const struct dg_quadrature *rule, const int32_t *point, const struct mx_symmetry *symmetry,
                    struct dg_error *err)
{
  const size_t most = kernels->rows, N = mx_sector_size(ref->order, 0), M = mx_point_sector_size(ref->order, 0);
  const struct mx_orbits nodes = mx_orbits_of_nodes(symmetry, ref->order);
  struct sector sector = {0};
  size_t sizes[3] = {0};
  double volume = 0;
  *squares = (struct mx_squares){.node_quads = MX_QUADS(ref->order),
                                 .node_pairs = MX_PAIRS(ref->order),
                                 .Np = ref->Np,
                                 .point_quads = MX_POINT_QUADS(ref->order),
                                 .point_pairs = MX_POINT_PAIRS(ref->order),
                                 .Nq = rule->volume.points,
                                 .orbit = symmetry->node};
  const struct mx_orbits points = {point, (size_t)squares->point_quads, (size_t)squares->point_pairs};
  for (int s = 0; s < 4; s++) {
    const size_t n = mx_sector_size(ref->order, s), m = mx_point_sector_size(ref->order, s);
    squares->nodes[s] = (int)n;
    squares->points[s] = (int)m;
    sizes[0] += packed(n, n, most);
    sizes[1] += packed(m, n, most);
    sizes[2] += packed(n, m, most);
  }
  if (DG_NEW(squares->change, sizes[0], err) != 0 || DG_NEW(squares->at, sizes[1], err) != 0 ||
      DG_NEW(squares->back, sizes[2], err) != 0 || DG_NEW(squares->weight, (size_t)squares->Nq, err) != 0 ||
      DG_NEW(sector.at, M * N, err) != 0 || DG_NEW(sector.gram, N * N, err) != 0 ||
      DG_NEW(sector.other, M * N + N * N, err) != 0)
    goto fail;
  for (int i = 0; i < ref->Np * ref->Np; i++) volume += ref->mass[i];
  for (int q = 0; q < squares->Nq; q++) squares->weight[q] = volume * rule->volume.weight[point[q]];
  double *change = squares->change, *at = squares->at, *back = squares->back;
  for (int s = 0; s < 4; s++) {
    const size_t n = sector.n = mx_sector_size(ref->order, s), m = sector.m = mx_point_sector_size(ref->order, s);
    for (size_t k = 0; k < m * n; k++) sector.at[k] = mx_points_at(point, symmetry, ref, rule, s, k / n, k % n);
    orthonormalise(&sector, s, &nodes, &points, squares->weight);
    change = pack(sector.other, n, n, most, change);
    at = pack(sector.at, m, n, most, at);
    for (size_t k = 0; k < m * n; k++) sector.other[k] = sector.at[k % m * n + k / m];
    back = pack(sector.other, n, m, most, back);
  }
fail:
  dg_free(sector.at);
  dg_free(sector.gram);
  dg_free(sector.other);
  return err->code;
}

void mx_squares_release(struct mx_squares *squares)
{
  dg_free(squares->change);
  dg_free(squares->at);
  dg_free(squares->back);
  dg_free(squares->weight);
  *squares = (struct mx_squares){0};
}
