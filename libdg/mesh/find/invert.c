/* Inverts the maps of curved elements: see invert.h. locate.c, segment.c and paths call it. */
#include "libdg/mesh/find/invert.h"

#include <math.h>
#include <string.h>

#include "libdg/base/vec3.h"
#include "libdg/mesh/mesh_check.h"

enum {
  NEWTON = 30, /* steps */
  DEPTH = 8    /* how often an element is cut into eight before the rest of it counts as its boundary */
};
#define LARGER 1.5   /* the patch on which places are unique, by the patch itself */
#define FAR    10    /* (r, s, t): Newton's method has left for good */
#define DONE   1e-14 /* of (r, s, t) */

/* The number of node (i, j, k) in the order of the lattice (curve.h). */
static size_t number_of(int g, int i, int j, int k)
{
  size_t number = (size_t)i;
  for (int above = 0; above < k; above++) number += (size_t)((g - above + 1) * (g - above + 2) / 2);
  for (int beside = 0; beside < j; beside++) number += (size_t)(g - k - beside + 1);
  return number;
}

/* The Bernstein polynomial of exponents n[4] at the node of exponents at[4], both of sum g. */
static double bernstein(int g, const int n[4], const int at[4])
{
  double value = 1;
  for (int v = 0, left = g; v < 4; v++)
    for (int i = 1; i <= n[v]; i++) value *= (double)left-- / i * ((double)at[v] / g);
  return value;
}

/* Inverts A[n][n] by Gauss and Jordan with the largest pivots of the columns. */
static void invert(size_t n, double A[DG_SHAPE_MAX][DG_SHAPE_MAX], double inverse[DG_SHAPE_MAX][DG_SHAPE_MAX])
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) inverse[i][j] = i == j;
  for (size_t c = 0; c < n; c++) {
    size_t pivot = c;
    for (size_t i = c + 1; i < n; i++)
      if (fabs(A[i][c]) > fabs(A[pivot][c])) pivot = i;
    for (size_t j = 0; j < n; j++) {
      const double a = A[c][j], b = inverse[c][j];
      A[c][j] = A[pivot][j], A[pivot][j] = a;
      inverse[c][j] = inverse[pivot][j], inverse[pivot][j] = b;
    }
    const double scale = 1 / A[c][c];
    for (size_t j = 0; j < n; j++) A[c][j] *= scale, inverse[c][j] *= scale;
    for (size_t i = 0; i < n; i++) {
      const double factor = A[i][c];
      for (size_t j = 0; j < n && i != c; j++) A[i][j] -= factor * A[c][j], inverse[i][j] -= factor * inverse[c][j];
    }
  }
}

void dg_inverse_init(struct dg_inverse *inverse, const struct dg_mesh *mesh)
{
  const int g = mesh->geometry;
  double at_nodes[DG_SHAPE_MAX][DG_SHAPE_MAX];
  int exponent[DG_SHAPE_MAX][4];
  size_t nodes = 0;
  inverse->mesh = mesh;
  if (mesh->curved == 0) return;
  for (int k = 0; k <= g; k++)
    for (int j = 0; j + k <= g; j++)
      for (int i = 0; i + j + k <= g; i++, nodes++) {
        const int n[4] = {g - i - j - k, i, j, k};
        memcpy(exponent[nodes], n, sizeof n);
      }
  for (size_t m = 0; m < nodes; m++)
    for (size_t n = 0; n < nodes; n++) at_nodes[m][n] = bernstein(g, exponent[n], exponent[m]);
  invert(nodes, at_nodes, inverse->control);
}

/* ---- patches */

/* Turns places of nodes into control points, m. */
static void from_nodes(const struct dg_inverse *inverse, const double (*x)[3], double (*control)[3])
{
  const size_t nodes = dg_shape_nodes(inverse->mesh->geometry);
  for (size_t m = 0; m < nodes; m++)
    for (int b = 0; b < 3; b++) {
      control[m][b] = 0;
      for (size_t n = 0; n < nodes; n++) control[m][b] += inverse->control[m][n] * x[n][b];
    }
}

/* Finds the control points of the map on a simplex, m. */
static void control_points(const struct dg_inverse *inverse, const double (*shape)[3], const double corner[4][3],
                           double (*control)[3])
{
  const int g = inverse->mesh->geometry;
  double x[DG_SHAPE_MAX][3];
  size_t n = 0;
  for (int k = 0; k <= g; k++)
    for (int j = 0; j + k <= g; j++)
      for (int i = 0; i + j + k <= g; i++, n++) {
        double place[3];
        for (int a = 0; a < 3; a++)
          place[a] = ((g - i - j - k) * corner[0][a] + i * corner[1][a] + j * corner[2][a] + k * corner[3][a]) / g;
        dg_shape_at(g, shape, place, x[n], NULL);
      }
  from_nodes(inverse, (const double(*)[3])x, control);
}

/* Inverts the tangents; false: they are degenerate. */
static bool inverse_of(const double tangent[3][3], double inverse[3][3])
{
  double cofactor[3][3];
  for (int a = 0; a < 3; a++) dg_cross(tangent[(a + 1) % 3], tangent[(a + 2) % 3], cofactor[a]);
  const double det = dg_dot(tangent[0], cofactor[0]);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) inverse[a][b] = cofactor[a][b] / det;
  return isfinite(1 / det);
}

/* The difference of x from the middle of a patch, in (r, s, t). */
static void seen_from(const struct dg_bent_patch *patch, const double x[3], double y[3])
{
  double d[3];
  dg_subtract(x, patch->centre, d);
  for (int a = 0; a < 3; a++) y[a] = dg_dot(patch->inverse[a], d);
}

/* Says whether the derivative of the map, seen from the middle, stays within 1 of the identity on the simplex. */
static bool close_to_identity(const struct dg_bent_patch *patch, int g, const double corner[4][3],
                              const double (*control)[3])
{
  double edge[3][3], across[3][3];
  for (int a = 0; a < 3; a++) dg_subtract(corner[a + 1], corner[0], edge[a]);
  if (!inverse_of((const double(*)[3])edge, across)) return false; /* dr_b = sum over edges a of across[a][b] */
  for (int k = 0; k < g; k++)
    for (int j = 0; j + k < g; j++)
      for (int i = 0; i + j + k < g; i++) {
        double from[3], off[3][3] = {{0}}, square = 0;
        seen_from(patch, control[number_of(g, i, j, k)], from);
        for (int a = 0; a < 3; a++) {
          double to[3];
          seen_from(patch, control[number_of(g, i + (a == 0), j + (a == 1), k + (a == 2))], to);
          for (int c = 0; c < 3; c++)
            for (int b = 0; b < 3; b++) off[c][b] += (g * (to[c] - from[c]) - edge[a][c]) * across[a][b];
        }
        for (int c = 0; c < 3; c++) square += dg_dot(off[c], off[c]);
        if (!(square < 1)) return false; /* Frobenius' norm is at least the norm */
      }
  return true;
}

/* Fills in what is known of the map on patch->corner; own[nodes] are the control points there. */
static void look_at(struct dg_bent_patch *patch, const struct dg_inverse *inverse, const double (*shape)[3],
                    const double (*own)[3])
{
  const int g = inverse->mesh->geometry;
  double tangent[3][3], larger[4][3], control[DG_SHAPE_MAX][3];
  for (int a = 0; a < 3; a++)
    patch->place[a] = (patch->corner[0][a] + patch->corner[1][a] + patch->corner[2][a] + patch->corner[3][a]) / 4;
  dg_shape_at(g, shape, patch->place, patch->centre, tangent);
  for (int i = 0; i < 4; i++) patch->low[i] = -INFINITY, patch->high[i] = INFINITY;
  patch->unique = false;
  if (!inverse_of((const double(*)[3])tangent, patch->inverse)) return;
  for (int i = 0; i < 4; i++) patch->low[i] = INFINITY, patch->high[i] = -INFINITY;
  for (size_t n = 0; n < dg_shape_nodes(g); n++) {
    double y[3];
    seen_from(patch, own[n], y);
    for (int i = 0; i < 4; i++) {
      const double value = i < 3 ? y[i] : y[0] + y[1] + y[2];
      patch->low[i] = fmin(patch->low[i], value);
      patch->high[i] = fmax(patch->high[i], value);
    }
  }
  for (int v = 0; v < 4; v++)
    for (int a = 0; a < 3; a++) larger[v][a] = patch->place[a] + LARGER * (patch->corner[v][a] - patch->place[a]);
  control_points(inverse, shape, (const double(*)[3])larger, control);
  patch->unique = close_to_identity(patch, g, (const double(*)[3])larger, (const double(*)[3])control);
}

void dg_bent_box(struct dg_bent *bent, const struct dg_inverse *inverse, size_t k)
{
  bent->shape = dg_mesh_shape(inverse->mesh, k);
  bent->known = false;
  from_nodes(inverse, bent->shape, bent->control);
  for (int b = 0; b < 3; b++) {
    bent->low[b] = INFINITY, bent->high[b] = -INFINITY;
    for (size_t n = 0; n < dg_shape_nodes(inverse->mesh->geometry); n++) {
      bent->low[b] = fmin(bent->low[b], bent->control[n][b]);
      bent->high[b] = fmax(bent->high[b], bent->control[n][b]);
    }
  }
}

/* Looks at the whole element, once it is asked for. */
static void know(struct dg_bent *bent, const struct dg_inverse *inverse)
{
  static const double corner[4][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  if (bent->known) return;
  memcpy(bent->whole.corner, corner, sizeof corner);
  look_at(&bent->whole, inverse, bent->shape, (const double(*)[3])bent->control);
  bent->known = true;
}

/* ---- points */

static void bary_of(const double place[3], double bary[4])
{
  bary[0] = -0.5 * (1 + place[0] + place[1] + place[2]);
  for (int a = 0; a < 3; a++) bary[a + 1] = 0.5 * (1 + place[a]);
}

static double least(const double bary[4]) { return fmin(fmin(bary[0], bary[1]), fmin(bary[2], bary[3])); }

/* Newton's method from a place, which becomes that of x. */
static bool newton(int g, const double (*shape)[3], const double x[3], double place[3])
{
  double before = INFINITY;
  for (int n = 0; n < NEWTON; n++) {
    double at[3], tangent[3][3], inverse[3][3], d[3], step = 0;
    dg_shape_at(g, shape, place, at, tangent);
    if (!inverse_of((const double(*)[3])tangent, inverse)) return false;
    dg_subtract(x, at, d);
    for (int a = 0; a < 3; a++) {
      const double by = dg_dot(inverse[a], d);
      place[a] += by;
      step = fmax(step, fabs(by));
      if (!(fabs(place[a]) < FAR)) return false;
    }
    if (step < DONE || (step < 1e-11 && step >= before)) return true; /* further steps are rounding */
    before = step;
  }
  return false;
}

/* Says whether a place lies in the patch enlarged. */
static bool in_larger(const struct dg_bent_patch *patch, const double place[3])
{
  double edge[3][3], across[3][3], d[3], bary[4];
  for (int a = 0; a < 3; a++) dg_subtract(patch->corner[a + 1], patch->corner[0], edge[a]);
  if (!inverse_of((const double(*)[3])edge, across)) return false;
  dg_subtract(place, patch->corner[0], d);
  bary[0] = 1;
  for (int a = 0; a < 3; a++) bary[0] -= bary[a + 1] = dg_dot(across[a], d);
  return least(bary) > (1 - LARGER) / 4 * (1 - 1e-9);
}

/* Piece n of eight of a patch: one at each corner, and the octahedron between them in four. */
static void piece_of(const struct dg_bent_patch *patch, int n, double corner[4][3])
{
  static const int ends[8][4][2] = {{{0, 0}, {0, 1}, {0, 2}, {0, 3}}, {{0, 1}, {1, 1}, {1, 2}, {1, 3}},
                                    {{0, 2}, {1, 2}, {2, 2}, {2, 3}}, {{0, 3}, {1, 3}, {2, 3}, {3, 3}},
                                    {{0, 1}, {2, 3}, {0, 2}, {1, 2}}, {{0, 1}, {2, 3}, {1, 2}, {1, 3}},
                                    {{0, 1}, {2, 3}, {1, 3}, {0, 3}}, {{0, 1}, {2, 3}, {0, 3}, {0, 2}}};
  for (int v = 0; v < 4; v++)
    for (int a = 0; a < 3; a++)
      corner[v][a] = 0.5 * (patch->corner[ends[n][v][0]][a] + patch->corner[ends[n][v][1]][a]);
}

struct search {
  const struct dg_inverse *inverse;
  const double (*shape)[3];
  const double *x;
  double slack, *bary;
};

static bool in_bounds(const struct dg_bent_patch *patch, const double x[3], double slack)
{
  double y[3];
  seen_from(patch, x, y);
  for (int i = 0; i < 4; i++) {
    const double value = i < 3 ? y[i] : y[0] + y[1] + y[2], room = 8 * slack * (1 + patch->high[i] - patch->low[i]);
    if (value < patch->low[i] - room || value > patch->high[i] + room) return false;
  }
  return true;
}

static bool find_in(const struct search *search, const struct dg_bent_patch *patch, int depth)
{
  const int g = search->inverse->mesh->geometry;
  double place[3];
  if (!in_bounds(patch, search->x, search->slack)) return false;
  memcpy(place, patch->place, sizeof place);
  if (newton(g, search->shape, search->x, place)) {
    double bary[4];
    bary_of(place, bary);
    if (least(bary) >= -search->slack) {
      memcpy(search->bary, bary, sizeof bary);
      return true;
    }
    if (patch->unique && in_larger(patch, place)) return false;
  }
  for (int n = 0; n < 8 && depth > 0; n++) {
    struct dg_bent_patch piece;
    double control[DG_SHAPE_MAX][3];
    piece_of(patch, n, piece.corner);
    control_points(search->inverse, search->shape, (const double(*)[3])piece.corner, control);
    look_at(&piece, search->inverse, search->shape, (const double(*)[3])control);
    if (find_in(search, &piece, depth - 1)) return true; /* the depth is bounded */
  }
  return false;
}

bool dg_bent_find(struct dg_bent *bent, const struct dg_inverse *inverse, const double x[3], double slack,
                  double bary[4])
{
  const struct search search = {.inverse = inverse, .shape = bent->shape, .x = x, .slack = slack, .bary = bary};
  for (int b = 0; b < 3; b++) {
    const double room = 4 * slack * (bent->high[b] - bent->low[b]);
    if (x[b] < bent->low[b] - room || x[b] > bent->high[b] + room) return false;
  }
  know(bent, inverse);
  return find_in(&search, &bent->whole, DEPTH);
}

bool dg_bent_newton(const struct dg_bent *bent, const struct dg_inverse *inverse, const double x[3], double bary[4])
{
  double place[3] = {-0.5, -0.5, -0.5};
  if (!newton(inverse->mesh->geometry, bent->shape, x, place)) return false;
  bary_of(place, bary);
  return true;
}

bool dg_bent_unique(struct dg_bent *bent, const struct dg_inverse *inverse)
{
  know(bent, inverse);
  return bent->whole.unique;
}

void dg_mesh_place(const struct dg_inverse *inverse, size_t e, const double x[3], double bary[4])
{
  const struct dg_mesh *mesh = inverse->mesh;
  const double slack = 1e-6;
  const ptrdiff_t k = mesh->curved > 0 ? dg_mesh_curve(mesh, e) : -1;
  struct dg_bent bent;
  if (k >= 0) {
    dg_bent_box(&bent, inverse, (size_t)k);
    const bool found = dg_bent_newton(&bent, inverse, x, bary);
    if ((found && least(bary) >= -slack) || dg_bent_find(&bent, inverse, x, slack, bary) || found) return;
  }
  dg_mesh_barycentric(mesh, e, x, bary);
}
