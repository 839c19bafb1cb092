/* Finds the element that holds a point: for one point, for many at once, and on all ranks. */
#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/find/invert.h"
#include "libdg/mesh/mesh_check.h"
#include "libdg/mesh/parts/partition.h"

#define TOLERANCE 1e-9 /* of the element: how far outside a point may be and still belong to it */
#define CELLS_MAX 1024 /* in a direction */

/* The elements in ascending order, with what is known of the curved one at hand. */
struct walk {
  struct dg_inverse inverse;
  struct dg_bent bent;
  size_t next; /* the curved element that is the next, or at hand */
  bool curved; /* the element at hand is curved */
};

static void begin_walk(struct walk *walk, const struct dg_mesh *mesh)
{
  dg_inverse_init(&walk->inverse, mesh);
  walk->next = 0;
}

/* The box around an element in which the points that belong to it lie. */
static void element_box(struct walk *walk, size_t e, double low[3], double high[3])
{
  const struct dg_mesh *mesh = walk->inverse.mesh;
  const int32_t *v = mesh->element[e];
  while (walk->next < mesh->curved && (size_t)mesh->curve[walk->next] < e) walk->next++;
  walk->curved = walk->next < mesh->curved && (size_t)mesh->curve[walk->next] == e;
  if (walk->curved) dg_bent_box(&walk->bent, &walk->inverse, walk->next);
  for (int b = 0; b < 3; b++) {
    low[b] = INFINITY, high[b] = -INFINITY;
    for (int i = 0; i < 4; i++) {
      low[b] = fmin(low[b], mesh->vertex[v[i]][b]);
      high[b] = fmax(high[b], mesh->vertex[v[i]][b]);
    }
    if (walk->curved) low[b] = walk->bent.low[b], high[b] = walk->bent.high[b];
    double slack = 4 * TOLERANCE * (high[b] - low[b]);
    low[b] -= slack;
    high[b] += slack;
  }
}

/* Would element e get a point that element `found`, if it is not negative, holds as well? */
static int goes_before(const struct dg_mesh *mesh, size_t e, int64_t found)
{
  return found < 0 || dg_mesh_global(mesh, e) < dg_mesh_global(mesh, (size_t)found);
}

static int in_box(const double low[3], const double high[3], const double x[3])
{
  return x[0] >= low[0] && x[0] <= high[0] && x[1] >= low[1] && x[1] <= high[1] && x[2] >= low[2] && x[2] <= high[2];
}

static int in_element(struct walk *walk, size_t e, const double x[3], double bary[4])
{
  if (walk->curved) return dg_bent_find(&walk->bent, &walk->inverse, x, TOLERANCE, bary);
  dg_mesh_barycentric(walk->inverse.mesh, e, x, bary);
  return fmin(fmin(bary[0], bary[1]), fmin(bary[2], bary[3])) >= -TOLERANCE;
}

int64_t dg_mesh_locate(const struct dg_mesh *mesh, const double point[3], double bary[4])
{
  struct walk walk;
  int64_t found = -1;
  begin_walk(&walk, mesh);
  for (size_t e = 0; e < mesh->K; e++) {
    double low[3], high[3], here[4];
    if (dg_mesh_in_layer(mesh, e) || !goes_before(mesh, e, found)) continue;
    element_box(&walk, e, low, high); /* most elements are ruled out by their box */
    if (!in_box(low, high, point) || !in_element(&walk, e, point, here)) continue;
    found = (int64_t)e;
    memcpy(bary, here, sizeof here);
    if (mesh->global == NULL) break;
  }
  return found;
}

/* ---- many points ---- */

struct grid { /* the points sorted into cells of their bounding box */
  double low[3], high[3], scale[3];
  size_t cells[3];
  size_t *start, *index; /* [cells + 1], [points] */
};

/* The cell of a coordinate, monotone in x, so that a point in a box is in one of the cells from the box's lower to its
 * upper corner. */
static size_t cell_of(const struct grid *grid, int d, double x)
{
  double cell = (x - grid->low[d]) * grid->scale[d];
  if (!(cell > 0)) return 0;
  return cell >= (double)grid->cells[d] ? grid->cells[d] - 1 : (size_t)cell;
}

static size_t cell_at(const struct grid *grid, const double x[3])
{
  return cell_of(grid, 0, x[0]) + grid->cells[0] * (cell_of(grid, 1, x[1]) + grid->cells[1] * cell_of(grid, 2, x[2]));
}

/* Sizes the grid: cells of equal edges, about as many as points. */
static void size_grid(struct grid *grid, size_t count, const double (*point)[3])
{
  double size[3], volume = 1;
  int directions = 0;
  for (int d = 0; d < 3; d++) {
    grid->low[d] = INFINITY, grid->high[d] = -INFINITY;
    for (size_t i = 0; i < count; i++) {
      grid->low[d] = fmin(grid->low[d], point[i][d]);
      grid->high[d] = fmax(grid->high[d], point[i][d]);
    }
    size[d] = grid->high[d] - grid->low[d];
    if (size[d] > 0) volume *= size[d], directions++;
  }
  double edge = directions > 0 ? pow(volume / (double)count, 1.0 / directions) : 1;
  for (int d = 0; d < 3; d++) {
    double cells = size[d] > 0 ? fmin(fmax(size[d] / edge, 1), CELLS_MAX) : 1;
    grid->cells[d] = (size_t)cells;
    grid->scale[d] = size[d] > 0 ? (double)grid->cells[d] / size[d] : 0;
  }
}

static int sort_points(struct grid *grid, size_t count, const double (*point)[3], struct dg_error *err)
{
  size_grid(grid, count, point);
  size_t cells = grid->cells[0] * grid->cells[1] * grid->cells[2];
  if (DG_NEW(grid->start, cells + 2, err) != 0 || DG_NEW(grid->index, count, err) != 0) return err->code;
  size_t *start = grid->start + 1; /* moves down by one cell while the points are put in */
  for (size_t i = 0; i < count; i++) start[cell_at(grid, point[i]) + 1]++;
  for (size_t c = 0; c < cells; c++) start[c + 1] += start[c];
  for (size_t i = 0; i < count; i++) grid->index[start[cell_at(grid, point[i])]++] = i;
  return 0;
}

int dg_mesh_locate_many(const struct dg_mesh *mesh, size_t count, const double (*point)[3], int64_t *element,
                        double (*bary)[4], struct dg_error *err)
{
  struct grid grid = {0};
  struct walk walk;
  for (size_t i = 0; i < count; i++) element[i] = -1;
  if (count == 0) return 0;
  begin_walk(&walk, mesh);
  if (sort_points(&grid, count, point, err) != 0) goto fail;
  for (size_t e = 0; e < mesh->K; e++) {
    double low[3], high[3], here[4];
    size_t first[3], last[3];
    if (dg_mesh_in_layer(mesh, e)) continue;
    element_box(&walk, e, low, high);
    if (low[0] > grid.high[0] || low[1] > grid.high[1] || low[2] > grid.high[2] || high[0] < grid.low[0] ||
        high[1] < grid.low[1] || high[2] < grid.low[2])
      continue;
    for (int d = 0; d < 3; d++) first[d] = cell_of(&grid, d, low[d]), last[d] = cell_of(&grid, d, high[d]);
    for (size_t z = first[2]; z <= last[2]; z++)
      for (size_t y = first[1]; y <= last[1]; y++) {
        size_t row = grid.cells[0] * (y + grid.cells[1] * z);
        for (size_t k = grid.start[row + first[0]]; k < grid.start[row + last[0] + 1]; k++) {
          size_t i = grid.index[k];
          if (!goes_before(mesh, e, element[i]) || !in_box(low, high, point[i]) ||
              !in_element(&walk, e, point[i], here))
            continue;
          element[i] = (int64_t)e;
          memcpy(bary[i], here, sizeof here);
        }
      }
  }
fail:
  dg_free(grid.start);
  dg_free(grid.index);
  return err->code;
}

/* ---- all ranks ---- */

int dg_mesh_locate_shared(const struct dg_mesh *mesh, struct dg_comm *comm, size_t count, const double (*point)[3],
                          int64_t *element, double (*bary)[4], struct dg_error *err)
{
  int64_t *lowest = NULL; /* global number of the element that gets the point */
  if (err->code != DG_OK || DG_NEW(lowest, count, err) != 0) return err->code;
  if (dg_mesh_locate_many(mesh, count, point, element, bary, err) != 0) goto fail;
  for (size_t i = 0; i < count; i++) lowest[i] = element[i] >= 0 ? dg_mesh_global(mesh, (size_t)element[i]) : INT64_MAX;
  if (dg_comm_reduce_int(comm, DG_MIN, count, lowest, err) != 0) goto fail;
  for (size_t i = 0; i < count; i++)
    if (lowest[i] == INT64_MAX) element[i] = DG_NOWHERE;
    else if (element[i] < 0 || dg_mesh_global(mesh, (size_t)element[i]) != lowest[i]) element[i] = DG_ELSEWHERE;
fail:
  dg_free(lowest);
  return err->code;
}
