/* The order of VTK's nodes, and values there. vtkhdf_values.c asks for both; vtkhdf_cell.h has the reasons. */
#include "libdg/io/vtkhdf/vtkhdf_cell.h"

#include <stdbool.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"

/* ---- VTK's order of nodes -------------------------------------------------------------------------------------- */

/* The number at which each of VTK's vertices has the whole order. */
static const int vertex_number[4] = {3, 0, 1, 2};
static const int edge_ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
/* The numbers that vary on a face, and the one that is least. */
static const int face_numbers[4][3] = {{0, 2, 3}, {2, 0, 1}, {2, 1, 3}, {1, 0, 3}};
static const int face_least[4] = {1, 3, 0, 2};

/* The n-th node of VTK's triangle: vertices, edges, then the same of the triangle inside. */
static void triangle_lattice(int order, int n, int bary[3])
{
  static const int number[3] = {2, 0, 1};
  int least = 0, most = order;
  for (; n > 0 && n >= 3 * order; order -= 3) {
    n -= 3 * order;
    most -= 2;
    least++;
  }
  for (int i = 0; i < 3; i++) bary[i] = least;
  if (n < 3) {
    bary[number[n]] = most;
    return;
  }
  const int edge = (n - 3) / (order - 1), step = (n - 3) % (order - 1);
  bary[number[(edge + 1) % 3]] = least + 1 + step;
  bary[number[edge]] = most - 1 - step;
}

void dg_vtkhdf_lattice(int order, int n, int bary[4])
{
  int least = 0, most = order;
  for (; order > 3 && n >= 2 * (order * order + 1); order -= 4) {
    n -= 2 * (order * order + 1);
    most -= 3;
    least++;
  }
  for (int i = 0; i < 4; i++) bary[i] = least;
  if (n < 4) {
    bary[vertex_number[n]] = most;
    return;
  }
  n -= 4;
  const int on_edge = order - 1, on_face = (order - 1) * (order - 2) / 2;
  if (n < 6 * on_edge) {
    const int *const end = edge_ends[n / on_edge], step = n % on_edge;
    bary[vertex_number[end[0]]] = most - 1 - step;
    bary[vertex_number[end[1]]] = least + 1 + step;
    return;
  }
  n -= 6 * on_edge;
  const int face = n / on_face;
  int inside[3] = {0, 0, 0};
  if (order > 3) triangle_lattice(order - 3, n % on_face, inside);
  for (int i = 0; i < 3; i++) bary[face_numbers[face][i]] = least + 1 + inside[i];
  bary[face_least[face]] = least;
}

/* ---- the element ----------------------------------------------------------------------------------------------- */

static int find_node(const struct dg_reference *ref, int i, int j, int k)
{
  for (int n = 0; n < ref->Np; n++)
    if (ref->lattice[n][0] == i && ref->lattice[n][1] == j && ref->lattice[n][2] == k) return n;
  DG_BUG_IF(true, "no node at %d %d %d of the lattice", i, j, k);
  return 0;
}

/* Lies node m on the smallest edge or face that holds node n? */
static bool supports(const struct dg_reference *ref, int m, int n)
{
  const int *const a = ref->lattice[m], *const b = ref->lattice[n];
  const bool off = a[0] + a[1] + a[2] < ref->order, other = b[0] + b[1] + b[2] < ref->order; /* of vertex 0 */
  for (int i = 0; i < 3; i++)
    if (a[i] > 0 && b[i] == 0) return false;
  return !off || other;
}

static int find_weights(struct dg_vtkhdf_cell *cell, const struct dg_reference *ref, struct dg_error *err)
{
  double *row;
  int count = 0;
  for (int n = 0; n < ref->Np; n++)
    for (int m = 0; m < ref->Np; m++) count += supports(ref, m, n);
  if (DG_NEW(row, ref->Np, err) != 0) return err->code;
  if (DG_NEW(cell->first, ref->Np + 1, err) != 0 || DG_NEW(cell->from, count, err) != 0 ||
      DG_NEW(cell->weight, count, err) != 0)
    goto fail;
  for (int n = 0, next = 0; n < ref->Np; n++) {
    const int begin = next;
    dg_reference_interpolate(ref, cell->place[n][0], cell->place[n][1], cell->place[n][2], row);
    for (int m = 0; m < ref->Np; m++)
      if (supports(ref, m, n)) {
        cell->from[next] = m;
        cell->weight[next++] = row[m];
      }
    if (next == begin + 1) cell->weight[begin] = 1; /* a vertex */
    cell->first[n + 1] = next;
  }
fail:
  dg_free(row);
  return err->code;
}

int dg_vtkhdf_cell_init(struct dg_vtkhdf_cell *cell, const struct dg_reference *ref, struct dg_error *err)
{
  *cell = (struct dg_vtkhdf_cell){.Np = (size_t)ref->Np};
  if (DG_NEW(cell->node[0], cell->Np, err) != 0 || DG_NEW(cell->node[1], cell->Np, err) != 0 ||
      DG_NEW(cell->place, cell->Np, err) != 0)
    return err->code;
  for (int n = 0; n < ref->Np; n++) {
    int bary[4];
    dg_vtkhdf_lattice(ref->order, n, bary);
    cell->node[0][n] = find_node(ref, bary[0], bary[1], bary[2]);
    cell->node[1][n] = find_node(ref, bary[0], bary[2], bary[1]);
    for (int a = 0; a < 3; a++) cell->place[n][a] = 2.0 * ref->lattice[n][a] / ref->order - 1;
  }
  return ref->order > 2 ? find_weights(cell, ref, err) : 0;
}

void dg_vtkhdf_cell_release(struct dg_vtkhdf_cell *cell)
{
  dg_free(cell->node[0]);
  dg_free(cell->node[1]);
  dg_free(cell->place);
  dg_free(cell->first);
  dg_free(cell->from);
  dg_free(cell->weight);
  *cell = (struct dg_vtkhdf_cell){0};
}

/* ---- values at VTK's nodes ------------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void move(const struct dg_vtkhdf_cell *cell, const double *restrict from,
                                                       double *restrict to)
{
  for (size_t n = 0; n < cell->Np; n++) {
    double sum[DG_VTKHDF_LANES] = {0};
    for (int i = cell->first[n]; i < cell->first[n + 1]; i++) {
      const double weight = cell->weight[i], *const value = from + (size_t)cell->from[i] * DG_VTKHDF_LANES;
      for (int l = 0; l < DG_VTKHDF_LANES; l++) sum[l] += weight * value[l];
    }
    for (int l = 0; l < DG_VTKHDF_LANES; l++) to[n * DG_VTKHDF_LANES + (size_t)l] = sum[l];
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void move_wide(const struct dg_vtkhdf_cell *cell, const double *from,
                                                          double *to)
{
  move(cell, from, to);
}
#endif

void dg_vtkhdf_move(const struct dg_vtkhdf_cell *cell, const double *from, double *to)
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    move_wide(cell, from, to);
    return;
  }
#endif
  move(cell, from, to);
}
