/* Estimates where a line's mode ceases to be the quasi-static one: see tem_higher.h. */
#include "maxwell/sources/tem/tem_higher.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/solve/pcg.h"
#include "maxwell/problem/problem.h"
#include "maxwell/sources/tem/tem_pick.h"

static const double pi = 3.14159265358979323846;

enum { FEW = 300, BLOCK = 5, ROUNDS = 6, MOST = 2000 };

/* Unknowns on edges: one for both cells beside an edge, but where a conductor lies between them. Unknown i of a cell is
 * that of the side opposite its vertex i. */
struct edges {
  const struct mx_tem_mode *mode;
  struct dg_plane plane;
  size_t count;
  size_t (*number)[3];    /* [cells] */
  bool *held;             /* [count] values are 0 */
  bool bare;              /* the rim is not made of conductors alone */
  double (*corner)[3][3]; /* [cells] m */
  double *area;           /* [cells] */
  double *stiff, *mass;   /* [cells] weights of the media */
  double shift;           /* of the operator: stiffness + shift mass */
  double *diagonal;       /* [count] */
  double *lumped;         /* [count] the mass, which is diagonal */
};

static void release(struct edges *edges)
{
  dg_free(edges->number);
  dg_free(edges->held);
  dg_free(edges->corner);
  dg_free(edges->area);
  dg_free(edges->stiff);
  dg_free(edges->mass);
  dg_free(edges->diagonal);
  dg_free(edges->lumped);
  dg_plane_release(&edges->plane);
}

/* Copies the cells of the mode's plane, and divides them where they are few. */
static int divide(struct edges *edges, struct dg_error *err)
{
  const struct dg_plane *from = &edges->mode->plane;
  int64_t(*vertex)[3] = NULL;
  double(*corner)[3][3] = NULL;
  if (DG_NEW(vertex, from->cells, err) != 0 || DG_NEW(corner, from->cells, err) != 0) goto fail;
  for (size_t k = 0; k < from->cells; k++) {
    memcpy(vertex[k], from->cell[k].vertex, sizeof vertex[k]);
    for (int i = 0; i < 3; i++) {
      const double bary[3] = {i == 0, i == 1, i == 2};
      double t[2][3];
      dg_plane_at(from, &from->cell[k], bary, corner[k][i], t);
    }
  }
  struct dg_face_map *map = NULL; /* flat triangles: this is an estimate */
  if (DG_NEW(map, from->cells, err) == 0) {
    const struct dg_plane_input input = {.triangles = from->cells,
                                         .vertex = (const int64_t(*)[3])vertex,
                                         .corner = (const double(*)[3][3])corner,
                                         .map = map,
                                         .k = from->k,
                                         .edges = from->edges,
                                         .edge = from->edge};
    if (dg_plane_init(&edges->plane, &input, err) == 0 && from->cells < FEW) (void)!dg_plane_halve(&edges->plane, err);
  }
  dg_free(map);
fail:
  dg_free(vertex);
  dg_free(corner);
  return err->code;
}

/* Numbers the unknowns. electric: E_z, which conductors hold at 0; else H_z, which a rim without them holds. */
static int number(struct edges *edges, bool electric, struct dg_error *err)
{
  const size_t cells = edges->plane.cells;
  struct dg_plane_side *side;
  if (dg_plane_sides(&edges->plane, &side, err) != 0) goto fail;
  edges->count = 0;
  for (size_t i = 0, next; i < 3 * cells; i = next) {
    for (next = i + 1; next < 3 * cells && memcmp(side[next].vertex, side[i].vertex, sizeof side[i].vertex) == 0;)
      next++;
    const bool body = dg_plane_body(&edges->plane, side[i].vertex) >= 0, rim = next == i + 1;
    edges->bare = edges->bare || (rim && !body);
    for (size_t s = i; s < next; s++) {
      if (s == i || (body && !electric)) {
        edges->held[edges->count] = electric ? body : rim && !body;
        edges->count++;
      }
      edges->number[side[s].cell][2 - side[s].side] = edges->count - 1;
    }
  }
fail:
  dg_free(side);
  return err->code;
}

/* The product of the edges opposite vertices i and j of a cell, over the area: the stiffness. */
static double stiffness(const struct edges *edges, size_t k, int i, int j)
{
  double a[3], b[3];
  for (int c = 0; c < 3; c++) {
    a[c] = edges->corner[k][(i + 2) % 3][c] - edges->corner[k][(i + 1) % 3][c];
    b[c] = edges->corner[k][(j + 2) % 3][c] - edges->corner[k][(j + 1) % 3][c];
  }
  return edges->stiff[k] * dg_dot(a, b) / edges->area[k];
}

static void apply(void *context, const double *x, double *y)
{
  const struct edges *edges = context;
  for (size_t n = 0; n < edges->count; n++) y[n] = edges->shift * edges->lumped[n] * x[n];
  for (size_t k = 0; k < edges->plane.cells; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) y[edges->number[k][i]] += stiffness(edges, k, i, j) * x[edges->number[k][j]];
}

static void improve(void *context, const double *r, double *z)
{
  const struct edges *edges = context;
  for (size_t n = 0; n < edges->count; n++) z[n] = r[n] / edges->diagonal[n];
}

/* Solves to a few digits; what is short of them is no error. */
static void solve(struct edges *edges, const double *b, double *x, struct dg_error *err)
{
  struct dg_pcg_report report;
  struct dg_error own = {0};
  const struct dg_pcg pcg = {.count = edges->count,
                             .apply = apply,
                             .improve = improve,
                             .context = edges,
                             .held = edges->held,
                             .tolerance = 1e-5,
                             .most = MOST};
  if (dg_pcg_solve(&pcg, b, x, &report, &own) != 0 && own.code == DG_ENVIRONMENT) *err = own;
}

/* Makes tables for weights of the media; stiff and mass are filled in. */
static void prepare(struct edges *edges, double shift)
{
  edges->shift = shift;
  memset(edges->lumped, 0, edges->count * sizeof *edges->lumped);
  memset(edges->diagonal, 0, edges->count * sizeof *edges->diagonal);
  for (size_t k = 0; k < edges->plane.cells; k++)
    for (int i = 0; i < 3; i++) edges->lumped[edges->number[k][i]] += edges->mass[k] * edges->area[k] / 3;
  for (size_t n = 0; n < edges->count; n++) edges->diagonal[n] = shift * edges->lumped[n];
  for (size_t k = 0; k < edges->plane.cells; k++)
    for (int i = 0; i < 3; i++) edges->diagonal[edges->number[k][i]] += stiffness(edges, k, i, i);
}

/* The lowest eigenvalue that is not 0, by iteration of a block of vectors x[BLOCK][count]; 0: not found. */
static double lowest(struct edges *edges, double least, double *x, double *y, struct dg_error *err)
{
  const size_t n = edges->count;
  double K[BLOCK * BLOCK], M[BLOCK * BLOCK], v[BLOCK * BLOCK], value[BLOCK] = {0};
  unsigned dice = 1;
  for (size_t i = 0; i < BLOCK * n; i++) {
    dice = dice * 1664525u + 1013904223u;
    x[i] = edges->held[i % n] ? 0 : (double)(dice >> 8) / (1 << 24) - 0.5;
  }
  for (int round = 0; round < ROUNDS && err->code == 0; round++) {
    for (size_t b = 0; b < BLOCK; b++) {
      for (size_t i = 0; i < n; i++) y[i] = edges->held[i] ? 0 : edges->lumped[i] * x[b * n + i];
      memset(x + b * n, 0, n * sizeof *x);
      solve(edges, y, x + b * n, err);
    }
    for (size_t a = 0; a < BLOCK; a++) {
      apply(edges, x + a * n, y);
      for (size_t b = 0; b < BLOCK; b++) {
        K[b * BLOCK + a] = M[b * BLOCK + a] = 0;
        for (size_t i = 0; i < n; i++) {
          K[b * BLOCK + a] += x[b * n + i] * y[i] * !edges->held[i];
          M[b * BLOCK + a] += x[b * n + i] * edges->lumped[i] * x[a * n + i];
        }
      }
    }
    for (size_t a = 0; a < BLOCK; a++)
      for (size_t b = 0; b < a; b++) K[b * BLOCK + a] = K[a * BLOCK + b], M[b * BLOCK + a] = M[a * BLOCK + b];
    if (mx_tem_modes(BLOCK, K, M, v, value, err) != 0) return 0;
    for (size_t i = 0; i < n; i++) {
      double old[BLOCK];
      for (size_t b = 0; b < BLOCK; b++) old[b] = x[b * n + i];
      for (size_t a = 0; a < BLOCK; a++) {
        x[a * n + i] = 0;
        for (size_t b = 0; b < BLOCK; b++) x[a * n + i] += v[a * BLOCK + b] * old[b];
      }
    }
  }
  for (size_t b = 0; b < BLOCK; b++)
    if (value[b] - edges->shift > least) return value[b] - edges->shift;
  return 0;
}

static void normal_of(const struct edges *edges, size_t k, double n[3])
{
  double a[3], b[3];
  for (int c = 0; c < 3; c++) {
    a[c] = edges->corner[k][1][c] - edges->corner[k][0][c];
    b[c] = edges->corner[k][2][c] - edges->corner[k][0][c];
  }
  dg_cross(a, b, n);
}

/* 1 where cell k turns as cell `like` does, else -1. */
static double turns(const struct edges *edges, size_t k, size_t like)
{
  double n[3], other[3];
  normal_of(edges, k, n);
  normal_of(edges, like, other);
  return dg_dot(n, other) < 0 ? -1 : 1;
}

/* The integral of mu_r |H_z|^2 for k = 1. */
static double magnetic_square(struct edges *edges, const double *epsilon, double *x, double *b, struct dg_error *err)
{
  const struct mx_tem_mode *mode = edges->mode;
  const double n2 = mode->own_index * mode->own_index;
  double square = 0, sum = 0, all = 0;
  bool free = true;
  memset(b, 0, edges->count * sizeof *b);
  memset(x, 0, edges->count * sizeof *x);
  for (size_t k = 0; k < edges->plane.cells; k++) {
    const struct dg_plane_cell *cell = &edges->plane.cell[k];
    double middle[3], phi[3], A[3], D[3];
    for (int i = 0; i < 3; i++) middle[i] = (cell->at[0][i] + cell->at[1][i] + cell->at[2][i]) / 3;
    dg_plane_gradient(&mode->space, cell->triangle, middle, mode->electric, phi);
    dg_plane_gradient(&mode->space, cell->triangle, middle, mode->magnetic, A);
    for (int c = 0; c < 3; c++) D[c] = epsilon[cell->triangle] * phi[c] - n2 * A[c] / mode->mu[cell->triangle];
    /* The slope of a basis function is -u x (its edge)/area in a cell that turns about u: with grad H_z = -u x D its
     * integral with grad H_z is D.(its edge). */
    const double sign = turns(edges, k, 0);
    for (int i = 0; i < 3; i++) {
      double edge[3];
      for (int c = 0; c < 3; c++) edge[c] = edges->corner[k][(i + 2) % 3][c] - edges->corner[k][(i + 1) % 3][c];
      b[edges->number[k][i]] += sign * dg_dot(D, edge);
    }
  }
  solve(edges, b, x, err);
  for (size_t i = 0; i < edges->count; i++) free = free && !edges->held[i];
  for (size_t i = 0; i < edges->count; i++) sum += edges->lumped[i] * x[i], all += edges->lumped[i];
  for (size_t i = 0; i < edges->count; i++) {
    const double H = x[i] - (free ? sum / all : 0);
    square += edges->lumped[i] * H * H;
  }
  return square;
}

/* The integral of epsilon_r n^2 (phi - A)^2, from the values at the nodes. */
static double electric_square(const struct mx_tem_mode *mode, const struct edges *edges, const double *epsilon)
{
  double sum = 0;
  for (size_t k = 0; k < edges->plane.cells; k++) {
    const size_t triangle = edges->plane.cell[k].triangle, Nf = mode->space.Nf;
    double square = 0;
    for (size_t i = 0; i < Nf; i++) {
      const size_t n = (size_t)mode->space.number[triangle * Nf + i];
      const double off = mode->electric[n] - mode->magnetic[n];
      square += off * off / (double)Nf;
    }
    sum += epsilon[triangle] * edges->area[k] * square;
  }
  return mode->own_index * mode->own_index * sum;
}

static int make(struct edges *edges, struct dg_error *err)
{
  if (divide(edges, err) != 0) return err->code;
  const size_t cells = edges->plane.cells, most = 3 * cells;
  if (DG_NEW(edges->number, cells, err) != 0 || DG_NEW(edges->held, most, err) != 0 ||
      DG_NEW(edges->corner, cells, err) != 0 || DG_NEW(edges->area, cells, err) != 0 ||
      DG_NEW(edges->stiff, cells, err) != 0 || DG_NEW(edges->mass, cells, err) != 0 ||
      DG_NEW(edges->diagonal, most, err) != 0 || DG_NEW(edges->lumped, most, err) != 0)
    return err->code;
  for (size_t k = 0; k < cells; k++) {
    double n[3];
    for (int i = 0; i < 3; i++) {
      const double bary[3] = {i == 0, i == 1, i == 2};
      double t[2][3];
      dg_plane_at(&edges->plane, &edges->plane.cell[k], bary, edges->corner[k][i], t);
    }
    normal_of(edges, k, n);
    edges->area[k] = 0.5 * sqrt(dg_dot(n, n));
  }
  return 0;
}

/* The size of the face, squared: its area is nothing to go by where it is long. */
static double extent_of(const struct edges *edges)
{
  double most = 0;
  for (size_t k = 0; k < edges->plane.cells; k++) {
    double d[3];
    for (int c = 0; c < 3; c++) d[c] = edges->corner[k][0][c] - edges->corner[0][0][c];
    most = fmax(most, 4 * dg_dot(d, d));
  }
  return most;
}

int mx_tem_range_init(struct mx_tem_range *range, const struct mx_tem_mode *mode, const double *epsilon, bool open,
                      struct dg_error *err)
{
  struct edges edges = {.mode = mode};
  double *x = NULL, *y = NULL, slow = 0;
  *range = (struct mx_tem_range){0};
  if (make(&edges, err) != 0 || DG_NEW(x, 3 * BLOCK * edges.plane.cells, err) != 0 ||
      DG_NEW(y, 3 * edges.plane.cells, err) != 0)
    goto fail;
  const double size = extent_of(&edges);
  for (size_t t = 0; t < mode->plane.triangles; t++) slow = fmax(slow, epsilon[t] * mode->mu[t]);
  for (int electric = 0; electric < 2; electric++) {
    for (size_t k = 0; k < edges.plane.cells; k++) {
      const size_t t = edges.plane.cell[k].triangle;
      edges.stiff[k] = 1 / (electric != 0 ? mode->mu[t] : epsilon[t]);
      edges.mass[k] = electric != 0 ? epsilon[t] : mode->mu[t];
    }
    if (number(&edges, electric != 0, err) != 0) goto fail;
    if (open && edges.bare) break;
    prepare(&edges, 1 / (size * slow));
    const double k2 = lowest(&edges, 0.01 / (size * slow), x, y, err), f = MX_C0 * sqrt(k2) / (2 * pi);
    if (f > 0 && (range->cutoff == 0 || f < range->cutoff)) range->cutoff = f;
  }
  for (size_t k = 0; k < edges.plane.cells; k++) {
    edges.stiff[k] = 1;
    edges.mass[k] = mode->mu[edges.plane.cell[k].triangle];
  }
  if (err->code == 0 && number(&edges, false, err) == 0) {
    prepare(&edges, 1e-9 / size);
    const double squares = magnetic_square(&edges, epsilon, x, y, err) + electric_square(mode, &edges, epsilon);
    const double k = 2 * pi / MX_C0;
    range->dispersion = k * k * squares / (2 * mode->index * mode->index * mode->K);
  }
fail:
  dg_free(x);
  dg_free(y);
  release(&edges);
  return err->code;
}
