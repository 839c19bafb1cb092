/* Unknowns, matrix and gradients on cells of a plane: see plane_space.h. */
#include "libdg/plane/plane_space.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"

static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};

static int node_of(const struct dg_plane_space *space, size_t m) { return space->ref.face_node[3 * space->Nf + m]; }

/* Derivatives at the nodes of face 3 and at the points of the rule. A polynomial that vanishes at the face's nodes
 * vanishes on the face, so that only these count. */
static int make_slopes(struct dg_plane_space *space, struct dg_error *err)
{
  const size_t Nf = space->Nf, Np = (size_t)space->ref.Np;
  double weight[DG_NP_MAX];
  if (DG_NEW(space->slope, 2 * Nf * Nf, err) != 0 || DG_NEW(space->at, (size_t)space->rule.points * 2 * Nf, err) != 0)
    return err->code;
  for (size_t a = 0; a < 2; a++)
    for (size_t i = 0; i < Nf; i++)
      for (size_t j = 0; j < Nf; j++)
        space->slope[(a * Nf + i) * Nf + j] =
            space->ref.D[a][(size_t)node_of(space, i) * Np + (size_t)node_of(space, j)];
  for (size_t q = 0; q < (size_t)space->rule.points; q++) {
    const double *b = space->rule.place[q];
    dg_reference_interpolate(&space->ref, 2 * b[1] - 1, 2 * b[2] - 1, -1, weight);
    for (size_t a = 0; a < 2; a++)
      for (size_t i = 0; i < Nf; i++)
        for (size_t j = 0; j < Nf; j++)
          space->at[(q * 2 + a) * Nf + j] += weight[node_of(space, i)] * space->slope[(a * Nf + i) * Nf + j];
  }
  return 0;
}

/* The nodes of a cell at its corners, on its sides in their order from the lower vertex, and inside. corner[3];
 * side[3][order - 1]; returns how many are inside. */
struct places {
  size_t corner[3], side[3][8], inside[DG_NF_MAX], count;
};

static void find_places(const struct dg_plane_space *space, struct places *places)
{
  const int p = space->ref.order;

  for (size_t m = 0; m < space->Nf; m++) {
    const int *lattice = space->ref.lattice[node_of(space, m)];
    const int b[3] = {p - lattice[0] - lattice[1], lattice[0], lattice[1]};
    bool placed = false;
    for (int i = 0; i < 3; i++)
      if (b[i] == p) places->corner[i] = m, placed = true;
    for (int s = 0; s < 3 && !placed; s++)
      if (b[pair[s][0]] + b[pair[s][1]] == p) places->side[s][b[pair[s][1]] - 1] = m, placed = true;
    if (!placed) places->inside[places->count++] = m;
  }
}

/* Gives numbers: to bodies, then to vertices, sides and insides of cells. first[vertices] is scratch. */
static void give_numbers(struct dg_plane_space *space, const struct dg_plane_side *sides, int32_t *first)
{
  const struct dg_plane *plane = space->plane;
  const size_t Nf = space->Nf, inner = (size_t)space->ref.order - 1;
  struct places places = {0};
  size_t next = space->bodies, before = 0;
  find_places(space, &places);
  for (int64_t v = 0; v < plane->vertices; v++) first[v] = -1;
  for (size_t i = 0; i < plane->edges; i++)
    for (int s = 0; s < 2; s++) first[plane->edge[i].vertex[s]] = plane->edge[i].body;
  for (size_t k = 0; k < plane->cells; k++) {
    int32_t *number = space->number + k * Nf;
    for (int i = 0; i < 3; i++) {
      int32_t *vertex = &first[plane->cell[k].vertex[i]];
      if (*vertex < 0) *vertex = (int32_t)next++;
      number[places.corner[i]] = *vertex;
    }
    for (size_t i = 0; i < places.count; i++) number[places.inside[i]] = (int32_t)next++;
  }
  for (size_t i = 0; i < 3 * plane->cells; i++) {
    const struct dg_plane_side *side = &sides[i];
    const int body = dg_plane_body(plane, side->vertex);
    if (i == 0 || memcmp(side->vertex, sides[i - 1].vertex, sizeof side->vertex) != 0) {
      before = next;
      next += body < 0 ? inner : 0;
    }
    for (size_t n = 0; n < inner; n++)
      space->number[side->cell * Nf + places.side[side->side][n]] = body >= 0 ? body : (int32_t)(before + n);
  }
  space->count = next;
}

static int number_nodes(struct dg_plane_space *space, struct dg_error *err)
{
  const struct dg_plane *plane = space->plane;
  struct dg_plane_side *sides = NULL;
  int32_t *first = NULL;
  if (plane->cells > INT32_MAX / DG_NF_MAX)
    return dg_fail(err, DG_INPUT, "%zu cells of a plane are more than can be numbered", plane->cells);
  if (DG_NEW(space->number, plane->cells * space->Nf, err) == 0 && DG_NEW(first, plane->vertices, err) == 0 &&
      dg_plane_sides(plane, &sides, err) == 0)
    give_numbers(space, sides, first);
  dg_free(sides);
  dg_free(first);
  return err->code;
}

static void sort_numbers(int32_t *x, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    const int32_t own = x[i];
    size_t j = i;
    for (; j > 0 && x[j - 1] > own; j--) x[j] = x[j - 1];
    x[j] = own;
  }
}

/* Collects the columns of row n from its cells; mark[] says which row has seen an unknown last. */
static size_t collect(const struct dg_plane_space *space, const size_t *begin, const int32_t *place, size_t n,
                      int32_t *mark, int32_t *column)
{
  const size_t Nf = space->Nf;
  size_t count = 0;
  for (size_t i = begin[n]; i < begin[n + 1]; i++) {
    const int32_t *number = space->number + (size_t)place[i] / Nf * Nf;
    for (size_t j = 0; j < Nf; j++) {
      if (mark[number[j]] == (int32_t)n) continue;
      mark[number[j]] = (int32_t)n;
      if (column != NULL) column[count] = number[j];
      count++;
    }
  }
  return count;
}

/* The pattern of the matrix. */
static int make_rows(struct dg_plane_space *space, struct dg_error *err)
{
  const size_t places = space->plane->cells * space->Nf, count = space->count;
  size_t *begin = NULL;
  int32_t *place = NULL, *mark = NULL;
  if (DG_NEW(begin, count + 2, err) != 0 || DG_NEW(place, places, err) != 0 || DG_NEW(mark, count, err) != 0 ||
      DG_NEW(space->row, count + 1, err) != 0)
    goto fail;
  for (size_t i = 0; i < places; i++) begin[space->number[i] + 2]++;
  for (size_t n = 0; n < count; n++) begin[n + 2] += begin[n + 1];
  for (size_t i = 0; i < places; i++) place[begin[space->number[i] + 1]++] = (int32_t)i;
  for (size_t n = 0; n < count; n++) mark[n] = -1;
  for (size_t n = 0; n < count; n++) space->row[n + 1] = space->row[n] + collect(space, begin, place, n, mark, NULL);
  if (DG_NEW(space->column, space->row[count], err) != 0) goto fail;
  for (size_t n = 0; n < count; n++) mark[n] = -1;
  for (size_t n = 0; n < count; n++) {
    (void)collect(space, begin, place, n, mark, space->column + space->row[n]);
    if (n >= space->bodies) sort_numbers(space->column + space->row[n], space->row[n + 1] - space->row[n]);
  }
fail:
  dg_free(begin);
  dg_free(place);
  dg_free(mark);
  return err->code;
}

int dg_plane_space_init(struct dg_plane_space *space, const struct dg_plane *plane, int order, size_t bodies,
                        struct dg_error *err)
{
  *space = (struct dg_plane_space){.plane = plane, .bodies = bodies};
  if (dg_reference_init(&space->ref, order, err) != 0 || dg_rule_triangle(&space->rule, order, err) != 0)
    return err->code;
  space->Nf = (size_t)space->ref.Nf;
  if (make_slopes(space, err) != 0 || number_nodes(space, err) != 0) return err->code;
  return make_rows(space, err);
}

void dg_plane_space_release(struct dg_plane_space *space)
{
  dg_reference_release(&space->ref);
  dg_rule_release(&space->rule);
  dg_free(space->slope);
  dg_free(space->at);
  dg_free(space->number);
  dg_free(space->row);
  dg_free(space->column);
  *space = (struct dg_plane_space){0};
}

/* stiffness[Nf][Nf] of a cell with k = 1. */
static void cell_matrix(const struct dg_plane_space *space, const struct dg_plane_cell *cell, double *stiffness)
{
  const size_t Nf = space->Nf;
  memset(stiffness, 0, Nf * Nf * sizeof *stiffness);
  for (size_t q = 0; q < (size_t)space->rule.points; q++) {
    double x[3], t[2][3];
    dg_plane_at(space->plane, cell, space->rule.place[q], x, t);
    const double g11 = dg_dot(t[0], t[0]), g12 = dg_dot(t[0], t[1]), g22 = dg_dot(t[1], t[1]);
    /* the reference triangle has area 2, and the weights the sum 1 */
    const double scale = 2 * space->rule.weight[q] / sqrt(g11 * g22 - g12 * g12);
    const double *r = space->at + q * 2 * Nf, *s = r + Nf;
    for (size_t i = 0; i < Nf; i++) {
      const double u = scale * (g22 * r[i] - g12 * s[i]), v = scale * (g11 * s[i] - g12 * r[i]);
      for (size_t j = 0; j < Nf; j++) stiffness[i * Nf + j] += u * r[j] + v * s[j];
    }
  }
}

/* Where the matrix has row n, column c. Rows of bodies are not sorted: `at` knows their places. */
static size_t find_place(const struct dg_plane_space *space, size_t n, int32_t c)
{
  size_t low = space->row[n], high = space->row[n + 1];
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (space->column[middle] < c) low = middle + 1;
    else high = middle;
  }
  return low;
}

int dg_plane_matrix(const struct dg_plane_space *space, const double *k, double *value, struct dg_error *err)
{
  const size_t Nf = space->Nf, bodies = space->bodies;
  size_t *at = NULL; /* [bodies][count] places in the rows of bodies */
  memset(value, 0, space->row[space->count] * sizeof *value);
  if (DG_NEW(at, bodies * space->count, err) != 0) return err->code;
  for (size_t b = 0; b < bodies; b++)
    for (size_t i = space->row[b]; i < space->row[b + 1]; i++) at[b * space->count + (size_t)space->column[i]] = i;
  for (size_t e = 0; e < space->plane->cells; e++) {
    double stiffness[DG_NF_MAX * DG_NF_MAX];
    const int32_t *number = space->number + e * Nf;
    cell_matrix(space, &space->plane->cell[e], stiffness);
    for (size_t i = 0; i < Nf; i++)
      for (size_t j = 0; j < Nf; j++) {
        const size_t n = (size_t)number[i],
                     place = n < bodies ? at[n * space->count + (size_t)number[j]] : find_place(space, n, number[j]);
        value[place] += k[space->plane->cell[e].triangle] * stiffness[i * Nf + j];
      }
  }
  dg_free(at);
  return 0;
}

void dg_plane_apply(const struct dg_plane_space *space, const double *value, const double *x, double *y)
{
  const size_t worth = 20000; /* of unknowns: threads cost more than they save below */
#pragma omp parallel for schedule(static) if (space->count > worth)
  for (size_t n = 0; n < space->count; n++) {
    double sum = 0;
    for (size_t i = space->row[n]; i < space->row[n + 1]; i++) sum += value[i] * x[space->column[i]];
    y[n] = sum;
  }
}

void dg_plane_raise(const double t[2][3], const double covariant[2], double vector[3])
{
  const double g11 = dg_dot(t[0], t[0]), g12 = dg_dot(t[0], t[1]), g22 = dg_dot(t[1], t[1]),
               det = g11 * g22 - g12 * g12;
  const double a = (g22 * covariant[0] - g12 * covariant[1]) / det, b = (g11 * covariant[1] - g12 * covariant[0]) / det;
  for (int c = 0; c < 3; c++) vector[c] = a * t[0][c] + b * t[1][c];
}

void dg_plane_gradient(const struct dg_plane_space *space, size_t cell, const double bary[3], const double *u,
                       double gradient[3])
{
  const size_t Nf = space->Nf;
  const int32_t *number = space->number + cell * Nf;
  double weight[DG_NP_MAX], along[2] = {0, 0}, x[3], t[2][3];
  dg_reference_interpolate(&space->ref, 2 * bary[1] - 1, 2 * bary[2] - 1, -1, weight);
  for (size_t a = 0; a < 2; a++)
    for (size_t i = 0; i < Nf; i++) {
      double slope = 0;
      for (size_t j = 0; j < Nf; j++) slope += space->slope[(a * Nf + i) * Nf + j] * u[number[j]];
      along[a] += weight[node_of(space, i)] * slope;
    }
  dg_plane_at(space->plane, &space->plane->cell[cell], bary, x, t);
  dg_plane_raise((const double(*)[3])t, along, gradient);
}
