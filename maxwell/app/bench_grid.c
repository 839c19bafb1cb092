/* Makes a mesh that costs little and that every rank makes for itself: cubes of cells, one a rank, every cell cut into
 * six tetrahedra (H. W. Kuhn). Graded ones get small towards the middle, so that some elements allow shorter steps than
 * others. bench_case.c and bench_levels.c call it. */
#include <math.h>
#include <stdlib.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/mesh/curve.h"
#include "libdg/mesh/parts/join.h"
#include "maxwell/app/bench.h"

/* The grid of all ranks, in which each has a block of cells. */
struct grid {
  size_t cells;    /* along each edge of a block */
  size_t parts[3]; /* blocks along x, y, z */
  size_t first[3]; /* of this rank's cells */
  double grading; /* of the distance r from the middle, 0 to 1, power 1 + grading remains: 0 leaves cells as they are */
};

/* ranks = parts[0] parts[1] parts[2], as near to a cube as they go, most along x. */
static void split(size_t ranks, size_t parts[3])
{
  size_t best = SIZE_MAX;
  for (size_t a = 1; a <= ranks; a++)
    for (size_t b = 1; ranks % a == 0 && b <= ranks / a; b++) {
      if (ranks / a % b != 0) continue;
      const size_t c = ranks / a / b, surface = a * b + b * c + c * a;
      if (surface >= best) continue;
      best = surface;
      parts[0] = c, parts[1] = b, parts[2] = a;
    }
}

/* A cell at r has sizes of about (1 + grading) r^grading and r^grading of those before. The median is at r = 0.5^(1/3),
 * the smallest cells are at the middle, where a point of the grid is. */
static struct grid new_grid(size_t elements, double ratio, size_t ranks, size_t rank)
{
  enum { LEAST = 6 }; /* cells across a graded block */
  const bool graded = ratio > 1;
  struct grid grid = {.cells = graded ? LEAST : 1, .parts = {1, 1, ranks}};
  while (6 * grid.cells * grid.cells * grid.cells * ranks < elements) grid.cells++;
  if (graded) grid.cells += grid.cells % 2;
  split(ranks, grid.parts);
  if (graded) grid.grading = log(ratio) / log(cbrt(0.5) * (double)(grid.cells * grid.parts[0]) / 2);
  grid.first[0] = grid.cells * (rank % grid.parts[0]);
  grid.first[1] = grid.cells * (rank / grid.parts[0] % grid.parts[1]);
  grid.first[2] = grid.cells * (rank / grid.parts[0] / grid.parts[1]);
  return grid;
}

/* Draws a point towards the middle of the grid; its outer faces stay. */
static void draw(const struct grid *grid, double x[3])
{
  double from[3], r = 0;
  for (int d = 0; d < 3; d++) {
    const double half = 0.5 * (double)grid->parts[d];
    from[d] = x[d] - half;
    r = fmax(r, fabs(from[d]) / half);
  }
  for (int d = 0; d < 3 && grid->grading > 0; d++)
    x[d] = 0.5 * (double)grid->parts[d] + from[d] * pow(r, grid->grading);
}

/* Points of the block in the order of their numbers in the whole grid. */
static void place_points(const struct grid *grid, double (*point)[3], int64_t *number)
{
  const size_t n = grid->cells + 1, all = grid->cells * grid->parts[0] + 1, rows = grid->cells * grid->parts[1] + 1;
  for (size_t k = 0, v = 0; k < n; k++)
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < n; i++, v++) {
        const size_t at[3] = {grid->first[0] + i, grid->first[1] + j, grid->first[2] + k};
        for (size_t d = 0; d < 3; d++) point[v][d] = (double)at[d] / (double)grid->cells;
        draw(grid, point[v]);
        number[v] = (int64_t)(at[0] + all * (at[1] + rows * at[2]));
      }
}

/* A tetrahedron goes from a corner of the cell to the opposite one, along the axes in one of six orders. */
static void cut_cells(const struct grid *grid, int32_t (*tet)[4])
{
  static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  const size_t n = grid->cells + 1, step[3] = {1, n, n * n};
  for (size_t k = 0, e = 0; k < grid->cells; k++)
    for (size_t j = 0; j < grid->cells; j++)
      for (size_t i = 0; i < grid->cells; i++)
        for (int q = 0; q < 6; q++, e++) {
          size_t v = i + n * (j + n * k), corner[4] = {v};
          for (int s = 0; s < 3; s++) corner[s + 1] = v += step[order[q][s]];
          const bool odd = q >= 3; /* the other orientation */
          tet[e][0] = (int32_t)corner[0];
          tet[e][1] = (int32_t)corner[1];
          tet[e][2] = (int32_t)corner[odd ? 3 : 2];
          tet[e][3] = (int32_t)corner[odd ? 2 : 3];
        }
}

int mx_bench_grid(struct dg_mesh *mesh, size_t elements, double ratio, struct dg_comm *comm, struct dg_error *err)
{
  const struct grid grid = new_grid(elements, ratio, (size_t)dg_comm_size(comm), (size_t)dg_comm_rank(comm));
  const size_t cells = grid.cells * grid.cells * grid.cells,
               points = (grid.cells + 1) * (grid.cells + 1) * (grid.cells + 1);
  double(*point)[3] = NULL;
  int64_t *number = NULL;
  int32_t(*tet)[4] = NULL, *volume = NULL;
  if (DG_NEW(point, points, err) != 0 || DG_NEW(number, points, err) != 0 || DG_NEW(tet, 6 * cells, err) != 0 ||
      DG_NEW(volume, 6 * cells, err) != 0)
    goto fail;
  place_points(&grid, point, number);
  cut_cells(&grid, tet);
  for (size_t e = 0; e < 6 * cells; e++) volume[e] = 1;
  const struct dg_mesh_input input = {.points = points,
                                      .K = 6 * cells,
                                      .point = (const double(*)[3])point,
                                      .tet = (const int32_t(*)[4])tet,
                                      .volume_tag = volume,
                                      .number = comm != NULL ? number : NULL};
  if (dg_mesh_build(mesh, &input, err) == 0 && comm != NULL) (void)!dg_mesh_join(mesh, comm, err);
fail:
  dg_free(point);
  dg_free(number);
  dg_free(tet);
  dg_free(volume);
  return err->code;
}

/* ---- curved elements */

static double from_corner(const double x[3]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

static void bend(void *context, double x[3])
{
  const double end = *(const double *)context, inside = end - from_corner(x);
  for (int b = 0; b < 3 && inside > 0; b++) x[b] -= 0.1 * (1 + b) * inside * inside / end;
}

int mx_bench_bend(struct dg_mesh *mesh, double part, struct dg_error *err)
{
  double *nearest, end;
  if (DG_NEW(nearest, mesh->K, err) != 0) return err->code;
  for (size_t e = 0; e < mesh->K; e++) {
    nearest[e] = from_corner(mesh->vertex[mesh->element[e][0]]);
    for (int v = 1; v < 4; v++) nearest[e] = fmin(nearest[e], from_corner(mesh->vertex[mesh->element[e][v]]));
  }
  qsort(nearest, mesh->K, sizeof *nearest, dg_compare_doubles);
  end = part < 1 ? nearest[(size_t)(part * (double)mesh->K)] : 2;
  dg_free(nearest);
  return end > 0 ? dg_mesh_bend(mesh, 2, bend, &end, err) : 0;
}
