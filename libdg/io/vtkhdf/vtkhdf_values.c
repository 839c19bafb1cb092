/* Points, cells and values in VTK's order, converted in pieces that stay in the cache. vtkhdf_writer.c calls it. */
#include "libdg/io/vtkhdf/vtkhdf_values.h"

#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/file.h"
#include "libdg/geometry/geometry.h"

enum { NP = DG_NP_MAX, GROUP = DG_VTKHDF_LANES / 3, PIECE = 3 * NP * GROUP, LAGRANGE_TETRAHEDRON = 71 };

/* Writes numbers first..first+count-1 of an array of doubles or floats. */
static int write_numbers(int file, const double *value, size_t first, size_t count, bool single, size_t place)
{
  float floats[PIECE];
  if (!single) return dg_file_write_at(file, value, count * sizeof *value, place + first * sizeof *value);
  while (count > 0) {
    const size_t some = count < PIECE ? count : PIECE;
    for (size_t i = 0; i < some; i++) floats[i] = (float)value[i];
    const int reason = dg_file_write_at(file, floats, some * sizeof *floats, place + first * sizeof *floats);
    if (reason != 0) return reason;
    value += some;
    first += some;
    count -= some;
  }
  return 0;
}

/* ---- the mesh -------------------------------------------------------------------------------------------------- */

static bool is_mirrored(const struct dg_mesh *mesh, size_t e)
{
  const int32_t *const v = mesh->element[e];
  double u[3][3];
  for (int i = 0; i < 3; i++)
    for (int d = 0; d < 3; d++) u[i][d] = mesh->vertex[v[i + 1]][d] - mesh->vertex[v[0]][d];
  return u[0][0] * (u[1][1] * u[2][2] - u[1][2] * u[2][1]) + u[0][1] * (u[1][2] * u[2][0] - u[1][0] * u[2][2]) +
             u[0][2] * (u[1][0] * u[2][1] - u[1][1] * u[2][0]) <
         0;
}

static void place_nodes(const struct dg_vtkhdf_cell *cell, const struct dg_mesh *mesh, size_t e, double (*x)[3])
{
  for (size_t n = 0; n < cell->Np; n++)
    dg_geometry_point(mesh, e, cell->place[n][0], cell->place[n][1], cell->place[n][2], x[n]);
}

static int write_points(const struct dg_vtkhdf_cell *cell, const struct dg_mesh *mesh, int file, size_t place)
{
  const size_t most = PIECE / 3 / cell->Np;
  int failed = 0;
#pragma omp parallel for schedule(static)
  for (size_t first = 0; first < mesh->K; first += most) {
    const size_t count = first + most < mesh->K ? most : mesh->K - first;
    double x[PIECE / 3][3];
    for (size_t i = 0; i < count; i++) place_nodes(cell, mesh, first + i, x + i * cell->Np);
    const int reason = dg_file_write_at(file, x, count * cell->Np * sizeof *x, place + first * cell->Np * sizeof *x);
    if (reason != 0) {
#pragma omp atomic write
      failed = reason;
    }
  }
  return failed;
}

/* The last element at a point has the word. */
static int write_merged_points(const struct dg_vtkhdf_cell *cell, const struct dg_snapshot *s, int file, size_t place,
                               double (*to)[3])
{
  for (size_t e = 0; e < s->mesh->K; e++) {
    double x[NP][3];
    place_nodes(cell, s->mesh, e, x);
    for (size_t n = 0; n < cell->Np; n++) memcpy(to[s->merge->point[e * cell->Np + n]], x[n], sizeof x[n]);
  }
  return dg_file_write_at(file, to, s->merge->points * sizeof *to, place);
}

/* Cells, piece by piece: the nodes of each, where each ends, and what it is. */
static int write_cells(const struct dg_vtkhdf_cell *cell, const struct dg_snapshot *s, int file, const size_t place[4])
{
  const size_t Np = cell->Np, K = s->mesh->K;
  static const int64_t zero = 0;
  int failed = dg_file_write_at(file, &zero, sizeof zero, place[2]);
#pragma omp parallel for schedule(static)
  for (size_t first = 0; first < K; first += GROUP) {
    const size_t count = first + GROUP < K ? GROUP : K - first;
    int64_t node[GROUP * NP], end[GROUP];
    unsigned char type[GROUP];
    for (size_t i = 0; i < count; i++) {
      const int *const order = cell->node[is_mirrored(s->mesh, first + i)];
      for (size_t n = 0; n < Np; n++) {
        const size_t own = (first + i) * Np + (size_t)order[n];
        node[i * Np + n] = s->merge != NULL ? s->merge->point[own] : (int64_t)own;
      }
      end[i] = (int64_t)((first + i + 1) * Np);
      type[i] = LAGRANGE_TETRAHEDRON;
    }
    int reason = dg_file_write_at(file, node, count * Np * sizeof *node, place[1] + first * Np * sizeof *node);
    if (reason == 0) reason = dg_file_write_at(file, end, count * sizeof *end, place[2] + (first + 1) * sizeof *end);
    if (reason == 0) reason = dg_file_write_at(file, type, count, place[3] + first);
    if (reason != 0) {
#pragma omp atomic write
      failed = reason;
    }
  }
  return failed;
}

int dg_vtkhdf_write_mesh(const struct dg_vtkhdf_cell *cell, const struct dg_snapshot *s, int file,
                         const size_t place[4], double *scratch)
{
  DG_ASSERT(cell->Np <= NP);
  const int reason = s->merge == NULL ? write_points(cell, s->mesh, file, place[0])
                                      : write_merged_points(cell, s, file, place[0], (double(*)[3])scratch);
  return reason != 0 ? reason : write_cells(cell, s, file, place);
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

/* Moves `count` elements, value[count][components][Np], to VTK's nodes: to[count][Np][components]. count times
 * components is at most the number of lanes. */
static void move_elements(const struct dg_vtkhdf_cell *cell, const double *value, size_t count, size_t components,
                          double *to)
{
  const size_t Np = cell->Np, lanes = count * components;
  double own[NP * DG_VTKHDF_LANES], moved[NP * DG_VTKHDF_LANES];
  for (size_t l = 0; l < DG_VTKHDF_LANES; l++)
    for (size_t n = 0; n < Np; n++) own[n * DG_VTKHDF_LANES + l] = l < lanes ? value[l * Np + n] : 0;
  dg_vtkhdf_move(cell, own, moved);
  for (size_t i = 0; i < count; i++)
    for (size_t n = 0; n < Np; n++)
      for (size_t c = 0; c < components; c++)
        to[(i * Np + n) * components + c] = moved[n * DG_VTKHDF_LANES + i * components + c];
}

/* The same where the nodes of both are the same. */
static void turn_elements(size_t Np, const double *value, size_t count, size_t components, double *to)
{
  for (size_t i = 0; i < count; i++, value += components * Np, to += components * Np)
    for (size_t n = 0; n < Np; n++)
      for (size_t c = 0; c < components; c++) to[n * components + c] = value[c * Np + n];
}

static void convert(const struct dg_vtkhdf_cell *cell, const double *value, size_t count, size_t components, double *to)
{
  const size_t most = DG_VTKHDF_LANES / components, each = cell->Np * components;
  if (cell->weight == NULL) {
    turn_elements(cell->Np, value, count, components, to);
    return;
  }
  for (size_t first = 0; first < count; first += most)
    move_elements(cell, value + first * each, first + most < count ? most : count - first, components,
                  to + first * each);
}

/* Pieces of some 32 kB: one call of the system for many elements. */
static int write_nodal(const struct dg_vtkhdf_cell *cell, const struct dg_snapshot_field *field, size_t K, bool single,
                       int file, size_t place)
{
  const size_t components = (size_t)field->components, each = components * cell->Np, most = PIECE / each;
  int failed = 0;
#pragma omp parallel for schedule(static)
  for (size_t first = 0; first < K; first += most) {
    const size_t count = first + most < K ? most : K - first;
    double piece[PIECE];
    convert(cell, field->value + first * each, count, components, piece);
    if (field->divisor != 0)
      for (size_t i = 0; i < count * each; i++) piece[i] /= field->divisor;
    const int reason = write_numbers(file, piece, first * each, count * each, single, place);
    if (reason != 0) {
#pragma omp atomic write
      failed = reason;
    }
  }
  return failed;
}

static int write_elements(const struct dg_snapshot_field *field, size_t K, bool single, int file, size_t place)
{
  const size_t numbers = K * (size_t)field->components;
  double piece[PIECE];
  for (size_t first = 0; first < numbers; first += PIECE) {
    const size_t count = first + PIECE < numbers ? PIECE : numbers - first;
    for (size_t i = 0; i < count; i++)
      piece[i] = field->divisor != 0 ? field->value[first + i] / field->divisor : field->value[first + i];
    const int reason = write_numbers(file, piece, first, count, single, place);
    if (reason != 0) return reason;
  }
  return 0;
}

int dg_vtkhdf_write_field(const struct dg_vtkhdf_cell *cell, const struct dg_snapshot_field *field, size_t K,
                          bool single, int file, size_t place)
{
  DG_ASSERT(cell->Np <= NP && (field->components == 1 || field->components == 3));
  return field->per_element ? write_elements(field, K, single, file, place)
                            : write_nodal(cell, field, K, single, file, place);
}

int dg_vtkhdf_write_average(const struct dg_vtkhdf_cell *cell, const struct dg_node_merge *merge, size_t K,
                            int components, const double *average, bool single, int file, size_t place, double *scratch)
{
  const size_t Np = cell->Np, C = (size_t)components;
  double value[3 * NP], moved[3 * NP];
  DG_ASSERT(Np <= NP && C <= 3);
  for (size_t e = 0; e < K; e++) {
    const int32_t *const point = merge->point + e * Np;
    for (size_t c = 0; c < C; c++)
      for (size_t n = 0; n < Np; n++) value[c * Np + n] = average[c * merge->points + (size_t)point[n]];
    convert(cell, value, 1, C, moved);
    for (size_t n = 0; n < Np; n++) memcpy(scratch + (size_t)point[n] * C, moved + n * C, C * sizeof *moved);
  }
  return write_numbers(file, scratch, 0, merge->points * C, single, place);
}
