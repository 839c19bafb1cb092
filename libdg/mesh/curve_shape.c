/* Evaluates maps by their nodes alone: the mesher, which has no mesh yet, does so as well. */
#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/curve.h"

/* Value and derivative of the factor of the Lagrange polynomials that belongs to index n of a barycentric coordinate L:
 * the product over k < n of (g L - k)/(k + 1) (Silvester's polynomials, P. P. Silvester, Proc. IEE 1969). */
static void silvester(int g, double L, double value[DG_GEOMETRY_MAX + 1], double slope[DG_GEOMETRY_MAX + 1])
{
  value[0] = 1;
  slope[0] = 0;
  for (int n = 1; n <= g; n++) {
    value[n] = value[n - 1] * (g * L - n + 1) / n;
    slope[n] = (slope[n - 1] * (g * L - n + 1) + value[n - 1] * g) / n;
  }
}

void dg_shape_at(int geometry, const double (*shape)[3], const double place[3], double x[3], double (*tangent)[3])
{
  const double L[4] = {-0.5 * (1 + place[0] + place[1] + place[2]), 0.5 * (1 + place[0]), 0.5 * (1 + place[1]),
                       0.5 * (1 + place[2])};
  double P[4][DG_GEOMETRY_MAX + 1], dP[4][DG_GEOMETRY_MAX + 1], sum[3] = {0}, slope[4][3] = {{0}};
  const int g = geometry;
  size_t node = 0;
  for (int v = 0; v < 4; v++) silvester(g, L[v], P[v], dP[v]);
  for (int k = 0; k <= g; k++)
    for (int j = 0; j + k <= g; j++)
      for (int i = 0; i + j + k <= g; i++, node++) {
        const int n[4] = {g - i - j - k, i, j, k};
        const double value = P[0][n[0]] * P[1][i] * P[2][j] * P[3][k];
        for (int b = 0; b < 3; b++) sum[b] += value * shape[node][b];
        for (int v = 0; v < 4 && tangent != NULL; v++) {
          double part = dP[v][n[v]];
          for (int w = 0; w < 4; w++)
            if (w != v) part *= P[w][n[w]];
          for (int b = 0; b < 3; b++) slope[v][b] += part * shape[node][b];
        }
      }
  if (x != NULL) memcpy(x, sum, sizeof sum);
  for (int a = 0; a < 3 && tangent != NULL; a++)
    for (int b = 0; b < 3; b++) tangent[a][b] = 0.5 * (slope[a + 1][b] - slope[0][b]);
}

void dg_shape_turn(int geometry, const int own[4], const double (*from)[3], double (*to)[3])
{
  size_t node = 0;
  for (int k = 0; k <= geometry; k++)
    for (int j = 0; j + k <= geometry; j++)
      for (int i = 0; i + j + k <= geometry; i++) {
        const int n[4] = {geometry - i - j - k, i, j, k};
        int m[4];
        for (int q = 0; q < 4; q++) m[own[q]] = n[q];
        memcpy(to[node++], from[dg_shape_node(geometry, m)], sizeof *to);
      }
}

/* ---- determinants ---- */

void dg_shape_slopes_release(struct dg_shape_slopes *slopes)
{
  dg_free(slopes->place);
  dg_free(slopes->slope);
}

int dg_shape_slopes_init(struct dg_shape_slopes *slopes, int g, struct dg_error *err)
{
  const int fine = 2 * g;
  double unit[DG_SHAPE_MAX][3] = {{0}};
  size_t point = 0;
  *slopes = (struct dg_shape_slopes){.nodes = dg_shape_nodes(g)};
  slopes->points = dg_shape_nodes(fine);
  if (DG_NEW(slopes->place, slopes->points, err) != 0 ||
      DG_NEW(slopes->slope, slopes->points * slopes->nodes * 3, err) != 0)
    return err->code;
  for (int k = 0; k <= fine; k++)
    for (int j = 0; j + k <= fine; j++)
      for (int i = 0; i + j + k <= fine; i++, point++) {
        const int n[3] = {i, j, k};
        for (int a = 0; a < 3; a++) slopes->place[point][a] = 2.0 * n[a] / fine - 1;
        for (size_t node = 0; node < slopes->nodes; node++) {
          double tangent[3][3];
          unit[node][0] = 1;
          dg_shape_at(g, (const double(*)[3])unit, slopes->place[point], NULL, tangent);
          unit[node][0] = 0;
          for (int a = 0; a < 3; a++) slopes->slope[3 * (point * slopes->nodes + node) + (size_t)a] = tangent[a][0];
        }
      }
  return 0;
}

/* The tangents of a map at point p. */
static void tangents_at(const struct dg_shape_slopes *slopes, size_t p, const double (*shape)[3], double t[3][3])
{
  const double *slope = slopes->slope + 3 * p * slopes->nodes;
  memset(t, 0, 3 * sizeof *t);
  for (size_t node = 0; node < slopes->nodes; node++)
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) t[a][b] += slope[3 * node + (size_t)a] * shape[node][b];
}

double dg_shape_least(const struct dg_shape_slopes *slopes, const double (*shape)[3], double straight, size_t *where)
{
  double least = INFINITY;
  for (size_t p = 0; p < slopes->points; p++) {
    double t[3][3], n[3];
    tangents_at(slopes, p, shape, t);
    dg_cross(t[0], t[1], n);
    const double ratio = dg_dot(n, t[2]) / straight;
    if (ratio < least || isnan(ratio)) least = ratio, *where = p;
    if (isnan(ratio)) break;
  }
  return least;
}

double dg_shape_rate(const double t[3][3])
{
  double n[3], last[3] = {0}, sum = 0;
  for (int a = 0; a < 3; a++) {
    dg_cross(t[(a + 1) % 3], t[(a + 2) % 3], n);
    sum += dg_dot(n, n);
    for (int b = 0; b < 3; b++) last[b] += n[b];
  }
  return (sum + dg_dot(last, last)) / pow(dg_dot(n, t[2]), 2);
}

double dg_shape_highest_rate(const struct dg_shape_slopes *slopes, const double (*shape)[3], size_t *where)
{
  double highest = 0;
  for (size_t p = 0; p < slopes->points; p++) {
    double t[3][3];
    tangents_at(slopes, p, shape, t);
    const double rate = dg_shape_rate((const double(*)[3])t);
    if (rate > highest) highest = rate, *where = p;
  }
  return highest;
}
