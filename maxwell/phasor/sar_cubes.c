/* Cubes of a mass in a grid. sar_cubes.h has the rules. Sums over boxes come from tables of sums over all voxels before
 * a corner, which are linear between corners, since voxels are homogeneous. */
#include "maxwell/phasor/sar_cubes.h"

#include <math.h>
#include <stdbool.h>

#include "libdg/base/memory.h"

enum { MASS, POWER, FILLED, TABLES };

struct cubes {
  const struct mx_voxels *voxels;
  double *table[TABLES]; /* [n[2] + 1][n[1] + 1][n[0] + 1]; FILLED counts voxels with mass */
  double mass;
};

struct box {
  double low[3], high[3]; /* in voxels */
};

static size_t corner(const struct mx_voxels *v, const size_t i[3])
{
  return (i[2] * (v->n[1] + 1) + i[1]) * (v->n[0] + 1) + i[0];
}

static size_t place(const struct mx_voxels *v, const size_t i[3]) { return (i[2] * v->n[1] + i[1]) * v->n[0] + i[0]; }

static void fill_table(const struct cubes *cubes, int which)
{
  const struct mx_voxels *v = cubes->voxels;
  double *table = cubes->table[which];
  size_t i[3];
  for (i[2] = 0; i[2] < v->n[2]; i[2]++)
    for (i[1] = 0; i[1] < v->n[1]; i[1]++) {
      double row = 0;
      for (i[0] = 0; i[0] < v->n[0]; i[0]++) {
        const size_t at = place(v, i), y = v->n[0] + 1, z = y * (v->n[1] + 1);
        const size_t to = corner(v, (size_t[]){i[0] + 1, i[1] + 1, i[2] + 1});
        row += which == MASS ? v->mass[at] : which == POWER ? v->power[at] : v->mass[at] > 0 ? 1 : 0;
        table[to] = row + table[to - y] + table[to - z] - table[to - y - z];
      }
    }
}

/* The sum over all that lies before x; what is outside of the grid is empty. */
static double before(const struct cubes *cubes, int which, const double x[3])
{
  const struct mx_voxels *v = cubes->voxels;
  size_t i[3];
  double t[3], sum = 0;
  for (int d = 0; d < 3; d++) {
    const double y = fmin(fmax(x[d], 0), (double)v->n[d]);
    i[d] = (size_t)y;
    if (i[d] == v->n[d]) i[d]--;
    t[d] = y - (double)i[d];
  }
  for (int c = 0; c < 8; c++) {
    double weight = 1;
    size_t at[3];
    for (int d = 0; d < 3; d++) {
      const size_t up = (size_t)(c >> d & 1);
      at[d] = i[d] + up;
      weight *= up ? t[d] : 1 - t[d];
    }
    if (weight != 0) sum += weight * cubes->table[which][corner(v, at)];
  }
  return sum;
}

static double sum_of(const struct cubes *cubes, int which, const struct box *box)
{
  double sum = 0;
  for (int c = 0; c < 8; c++) {
    double x[3];
    int lows = 0;
    for (int d = 0; d < 3; d++) {
      x[d] = c >> d & 1 ? box->high[d] : box->low[d];
      lows += !(c >> d & 1);
    }
    sum += (lows % 2 ? -1 : 1) * before(cubes, which, x);
  }
  return sum;
}

/* The cube of an edge (in voxels) around a centre; along an axis (1: x, .. -1: against it) it begins there. */
static struct box cube_at(const double centre[3], int along, double edge)
{
  struct box box;
  for (int d = 0; d < 3; d++) {
    box.low[d] = centre[d] - (along == d + 1 ? 0 : along == -d - 1 ? edge : edge / 2);
    box.high[d] = box.low[d] + edge;
  }
  return box;
}

/* Grows a cube until it holds the mass. Returns its edge, in voxels; INFINITY: the grid has not as much there. The cube
 * root of the mass is almost linear in the edge: regula falsi, with the end that stays halved (Illinois). */
static double grow(const struct cubes *cubes, const double centre[3], int along, struct box *box)
{
  const struct mx_voxels *v = cubes->voxels;
  double low = 0, high = 0, at_low = -1, at_high, edge = 0;
  int last = 0;
  for (int d = 0; d < 3; d++) high = fmax(high, 2 * (double)v->n[d]);
  *box = cube_at(centre, along, high);
  at_high = cbrt(sum_of(cubes, MASS, box) / cubes->mass) - 1;
  if (!(at_high >= 0)) return INFINITY;
  for (int i = 0; i < 100; i++) {
    edge = (low * at_high - high * at_low) / (at_high - at_low);
    *box = cube_at(centre, along, edge);
    const double here = cbrt(sum_of(cubes, MASS, box) / cubes->mass) - 1;
    if (fabs(here) < 1e-12 || high - low < 1e-13 * high) break;
    if (here < 0) {
      low = edge, at_low = here;
      if (last < 0) at_high /= 2;
    } else {
      high = edge, at_high = here;
      if (last > 0) at_low /= 2;
    }
    last = here < 0 ? -1 : 1;
  }
  return edge;
}

static bool is_valid(const struct cubes *cubes, const struct box *box, double edge)
{
  if (sum_of(cubes, FILLED, box) < 0.9 * edge * edge * edge) return false;
  for (int d = 0; d < 3; d++)
    for (int side = 0; side < 2; side++) { /* a thin slice inside of the face */
      struct box slice = *box;
      if (side == 0) slice.high[d] = box->low[d] + 1e-3;
      else slice.low[d] = box->high[d] - 1e-3;
      if (!(sum_of(cubes, FILLED, &slice) > 1e-9 * edge * edge)) return false;
    }
  return true;
}

static double value_of(const struct cubes *cubes, const struct box *box)
{
  return sum_of(cubes, POWER, box) / sum_of(cubes, MASS, box);
}

/* Raises the highest value of all voxels whose centres the cube holds. */
static void mark(const struct mx_voxels *v, const struct box *box, double value, double *highest)
{
  size_t low[3], high[3], i[3];
  for (int d = 0; d < 3; d++) {
    low[d] = (size_t)fmax(ceil(box->low[d] - 0.5), 0);
    high[d] = (size_t)fmax(fmin(floor(box->high[d] + 0.5), (double)v->n[d]), 0);
  }
  for (i[2] = low[2]; i[2] < high[2]; i[2]++)
    for (i[1] = low[1]; i[1] < high[1]; i[1]++)
      for (i[0] = low[0]; i[0] < high[0]; i[0]++) {
        double *at = &highest[place(v, i)];
        if (!(*at >= value)) *at = value;
      }
}

/* The value of a voxel that no valid cube holds. */
static double value_at_face(const struct cubes *cubes, const double centre[3])
{
  double edge[6], value[6], least = INFINITY, most = NAN;
  for (int k = 0; k < 6; k++) {
    struct box box;
    edge[k] = grow(cubes, centre, k < 3 ? k + 1 : 2 - k, &box);
    value[k] = isfinite(edge[k]) ? value_of(cubes, &box) : NAN;
    least = fmin(least, edge[k]);
  }
  for (int k = 0; k < 6; k++)
    if (isfinite(edge[k]) && pow(edge[k] / least, 3) <= 1.05 && !(most >= value[k])) most = value[k];
  return most;
}

static void find_all(const struct cubes *cubes, double *highest, double *average)
{
  const struct mx_voxels *v = cubes->voxels;
  for (int round = 0; round < 2; round++) {
    size_t i[3];
    for (i[2] = 0; i[2] < v->n[2]; i[2]++)
      for (i[1] = 0; i[1] < v->n[1]; i[1]++)
        for (i[0] = 0; i[0] < v->n[0]; i[0]++) {
          const size_t at = place(v, i);
          const double centre[3] = {(double)i[0] + 0.5, (double)i[1] + 0.5, (double)i[2] + 0.5};
          struct box box;
          if (!(v->mass[at] > 0)) continue;
          if (round == 1) {
            if (isnan(average[at])) average[at] = isnan(highest[at]) ? value_at_face(cubes, centre) : highest[at];
            continue;
          }
          const double edge = grow(cubes, centre, 0, &box);
          if (!isfinite(edge) || !is_valid(cubes, &box, edge)) continue;
          average[at] = value_of(cubes, &box);
          mark(v, &box, average[at], highest);
        }
  }
}

int mx_sar_cubes(const struct mx_voxels *voxels, double mass, double *average, struct dg_error *err)
{
  const size_t *n = voxels->n, count = n[0] * n[1] * n[2];
  struct cubes cubes = {.voxels = voxels, .mass = mass};
  double *highest = NULL;
  for (int k = 0; k < TABLES; k++)
    if (DG_NEW(cubes.table[k], (n[0] + 1) * (n[1] + 1) * (n[2] + 1), err) != 0) goto fail;
  if (DG_NEW(highest, count, err) != 0) goto fail;
  for (int k = 0; k < TABLES; k++) fill_table(&cubes, k);
  for (size_t i = 0; i < count; i++) average[i] = highest[i] = NAN;
  if (count > 0) find_all(&cubes, highest, average);
fail:
  for (int k = 0; k < TABLES; k++) dg_free(cubes.table[k]);
  dg_free(highest);
  return err->code;
}
