/* The tables of curved elements in the card's form (gpu/kernels/curves.h). */
#include <math.h>
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/tables/curved_tables.h"
#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "maxwell/problem/curve_tables.h"
#include "maxwell/problem/curved.h"

_Static_assert((int)GPU_GHOST == (int)MX_GHOST, "kernels know open faces by the same codes");

/* ---- by order */

/* Copies matrix[rows][columns] column by column, in the backend's precision, with so many rows. */
static int pack_transposed(struct mx_backend *backend, const void **pointer, const double *matrix, size_t rows,
                           size_t columns, size_t padded, struct dg_error *err)
{
  void *packed;
  if (dg_alloc(&packed, columns * padded, backend->real, err) != 0) return err->code;
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < padded; i++)
      gpu_put(backend, packed, j * padded + i, i < rows ? matrix[i * columns + j] : 0);
  (void)!gpu_new_copy(&backend->card, pointer, packed, columns * padded * backend->real, "curved elements", err);
  dg_free(packed);
  return err->code;
}

/* sorted[count][Np]: the rows of matrix[count][Np] with the nodes in the card's order. */
static void sort_nodes(const struct mx_backend *backend, const double *matrix, size_t count, double *sorted)
{
  const size_t Np = (size_t)backend->problem->ref->Np;
  for (size_t q = 0; q < count; q++)
    for (size_t n = 0; n < Np; n++) sorted[q * Np + n] = matrix[q * Np + (size_t)backend->node[n]];
}

/* The derivatives along the bimedians, and half of the lift, both of points: derivative[Nq][Np][3], lift[Nq][4 Nf]. */
static void operators_at_points(const struct mx_backend *backend, const struct dg_quadrature *rule, double *derivative,
                                double *lift)
{
  const struct dg_reference *ref = backend->problem->ref;
  const size_t Np = (size_t)ref->Np, faces = 4 * (size_t)ref->Nf;
  for (size_t q = 0; q < (size_t)rule->volume.points; q++)
    for (size_t i = 0; i < Np; i++) {
      const double at = rule->at[q * Np + i];
      for (size_t n = 0; n < Np; n++)
        for (size_t c = 0; c < 3; c++) { /* x_a = (x_r - x_s - x_t) / 2, and so on */
          double along = 0;
          for (size_t a = 0; a < 3; a++) along += (a == c ? 0.5 : -0.5) * ref->D[a][i * Np + (size_t)backend->node[n]];
          derivative[(q * Np + n) * 3 + c] += at * along;
        }
      for (size_t m = 0; m < faces; m++) lift[q * faces + m] += 0.5 * at * ref->lift[i * faces + m];
    }
}

/* Writes the pieces of one step, four rows from `row` on, of a matrix[columns][rows] with so many numbers a column and
 * between rows. */
static double *put_pieces(double *piece, const double *matrix, size_t row, size_t rows, size_t between, size_t columns,
                          size_t column)
{
  for (size_t tile = 0; 8 * tile < columns; tile++)
    for (size_t l = 0; l < 32; l++) {
      const size_t i = row + l % 4, j = 8 * tile + l / 4;
      *piece++ = i < rows && j < columns ? matrix[j * column + i * between] : 0;
    }
  return piece;
}

/* The same operators for tensor cores. */
static int pack_fragments(struct mx_backend *backend, const double *derivative, const double *lift,
                          const double *project, struct dg_error *err)
{
  const int order = backend->problem->ref->order;
  const size_t Np = DG_NP(order), faces = 4 * DG_NF(order), Nq = (size_t)gpu_points(order);
  const size_t numbers = 32 * (size_t)gpu_curved_fragments(order);
  double *pieces = NULL, *piece;
  if (backend->tables.single || order > GPU_CURVED_TENSOR_ORDERS) return 0;
  if (DG_NEW(pieces, numbers, err) != 0) return err->code;
  piece = pieces;
  for (size_t n = 0; n < Np; n += 4)
    for (size_t c = 0; c < 3; c++) piece = put_pieces(piece, derivative + c, n, Np, 3, Nq, 3 * Np);
  for (size_t m = 0; m < faces; m += 4) piece = put_pieces(piece, lift, m, faces, 1, Nq, faces);
  for (size_t q = 0; q < Nq; q += 4) piece = put_pieces(piece, project, q, Nq, 1, Np, Nq);
  DG_BUG_IF(piece != pieces + numbers, "tensor cores' operators have another size");
  (void)!gpu_new_copy(&backend->card, (const void **)&backend->curves.fragments, pieces, numbers * sizeof *pieces,
                      "curved elements", err);
  dg_free(pieces);
  return err->code;
}

static int pack_operators(struct mx_backend *backend, const struct dg_quadrature *rule, struct dg_error *err)
{
  const struct dg_reference *ref = backend->problem->ref;
  struct gpu_curves *curves = &backend->curves;
  const size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf, Nq = (size_t)rule->volume.points,
               Nfq = (size_t)rule->face.points;
  const size_t Nqp = (size_t)gpu_padded_rows((int)Nq), Npp = (size_t)gpu_padded_rows((int)Np);
  double *derivative = NULL, *lift = NULL, *at = NULL, *project = NULL;
  DG_BUG_IF(rule->volume.points != gpu_points(ref->order) || rule->face.points != gpu_face_points(ref->order),
            "the kernels know rules of other sizes");
  if (DG_NEW(derivative, Nq * 3 * Np, err) != 0 || DG_NEW(lift, Nq * 4 * Nf, err) != 0 ||
      DG_NEW(at, Nq * Np, err) != 0 || DG_NEW(project, Np * Nq, err) != 0)
    goto fail;
  operators_at_points(backend, rule, derivative, lift);
  sort_nodes(backend, rule->at, Nq, at);
  for (size_t n = 0; n < Np; n++)
    memcpy(project + n * Nq, rule->project + (size_t)backend->node[n] * Nq, Nq * sizeof *project);
  if (pack_transposed(backend, &curves->derivative, derivative, Nq, 3 * Np, Nqp, err) != 0 ||
      pack_transposed(backend, &curves->lift, lift, Nq, 4 * Nf, Nqp, err) != 0 ||
      pack_transposed(backend, &curves->at, at, Nq, Np, Nqp, err) != 0 ||
      pack_transposed(backend, &curves->project, project, Np, Nq, Npp, err) != 0 ||
      pack_transposed(backend, &curves->face_at, rule->face_at, Nfq, Nf, Nfq, err) != 0 ||
      pack_transposed(backend, &curves->face_project, rule->face_project, Nf, Nfq, Nf, err) != 0 ||
      pack_fragments(backend, derivative, lift, project, err) != 0)
    goto fail;
fail:
  dg_free(derivative);
  dg_free(lift);
  dg_free(at);
  dg_free(project);
  return err->code;
}

/* The orthonormal basis of the reference element: its coefficients from nodes, and its values at points times the root
 * of the weight, so that sums over points of products are integrals. The coefficients of values f at points are the
 * sums of weight * basis * f. The projection to nodes has the same, which gives the basis at the points. */
static int pack_modes(struct mx_backend *backend, const struct dg_quadrature *rule, struct dg_error *err)
{
  const struct dg_reference *ref = backend->problem->ref;
  struct gpu_curves *curves = &backend->curves;
  const size_t Np = (size_t)ref->Np, Nq = (size_t)rule->volume.points;
  const size_t modes = Np * Np * sizeof(double), values = Nq * Np * sizeof(double);
  double *to_modes = NULL, *at = NULL, *at_too = NULL;
  if (DG_NEW(to_modes, Np * Np, err) != 0 || DG_NEW(at, Nq * Np, err) != 0 || DG_NEW(at_too, Nq * Np, err) != 0)
    goto fail;
  for (size_t i = 0; i < Np; i++)
    for (size_t n = 0; n < Np; n++) {
      to_modes[n * Np + i] = ref->vandermonde_inverse[i * Np + (size_t)backend->node[n]];
      for (size_t q = 0; q < Nq; q++)
        at[i * Nq + q] += ref->vandermonde_inverse[i * Np + n] * rule->project[n * Nq + q];
    }
  for (size_t i = 0; i < Np; i++)
    for (size_t q = 0; q < Nq; q++) {
      at[i * Nq + q] /= sqrt(4.0 / 3 * rule->volume.weight[q]); /* the volume of the reference element */
      at_too[q * Np + i] = at[i * Nq + q];
    }
  if (gpu_new_copy(&backend->card, &curves->to_modes, to_modes, modes, "curved elements", err) != 0 ||
      gpu_new_copy(&backend->card, &curves->mode_at, at, values, "curved elements", err) != 0 ||
      gpu_new_copy(&backend->card, &curves->mode_at_too, at_too, values, "curved elements", err) != 0)
    goto fail;
fail:
  dg_free(to_modes);
  dg_free(at);
  dg_free(at_too);
  return err->code;
}

/* ---- by element */

/* Six numbers along the bimedians, whose Jacobian is -1/2 of that of (r, s, t), from those along r, s, t. */
static void to_bimedians(const double of_rst[6], double of_bimedians[6])
{
  const double g[3][3] = {
      {of_rst[0], of_rst[1], of_rst[2]}, {of_rst[1], of_rst[3], of_rst[4]}, {of_rst[2], of_rst[4], of_rst[5]}};
  for (int a = 0, i = 0; a < 3; a++)
    for (int b = a; b < 3; b++, i++) {
      double sum = 0;
      for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++) sum += (a == c ? 0.5 : -0.5) * (b == d ? 0.5 : -0.5) * g[c][d];
      of_bimedians[i] = -2 * sum;
    }
}

static int pack_geometry(struct mx_backend *backend, const struct mx_curve_tables *tables, struct dg_error *err)
{
  const size_t Nq = (size_t)tables->rule.volume.points, numbers = tables->count * 6 * Nq;
  void *geometry;
  if (dg_alloc_untouched(&geometry, numbers, backend->real, err) != 0) return err->code;
#pragma omp parallel for schedule(static)
  for (size_t k = 0; k < tables->count; k++)
    for (size_t q = 0; q < Nq; q++) {
      double g[6];
      to_bimedians(tables->weight[k * Nq + q], g);
      for (size_t i = 0; i < 6; i++) gpu_put(backend, geometry, (6 * k + i) * Nq + q, g[i]);
    }
  (void)!gpu_new_copy(&backend->card, &backend->curves.geometry, geometry, numbers * backend->real, "curved elements",
                      err);
  dg_free(geometry);
  return err->code;
}

/* Is the face flat with an even map, so that its metric is the same at all points? */
static bool is_flat(const double (*metric)[3], size_t points)
{
  const double size = fabs(metric[0][0]) + fabs(metric[0][2]);
  for (size_t q = 1; q < points; q++)
    for (size_t i = 0; i < 3; i++)
      if (fabs(metric[q][i] - metric[0][i]) > 1e-13 * size) return false;
  return true;
}

static bool has_penalty(const struct mx_problem *problem, size_t e, size_t f)
{
  return problem->flux[e][f].e_penalty != 0 || problem->flux[e][f].h_penalty != 0;
}

/* Packs the curved faces that have a penalty. The two sides of a face share its numbers, so that no rounding tells them
 * apart. */
static int pack_faces(struct mx_backend *backend, const struct mx_curve_tables *tables, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  struct gpu_curves *curves = &backend->curves;
  const size_t points = (size_t)tables->rule.face.points;
  size_t faces = 0;
  int32_t(*number)[4] = NULL;
  void *packed = NULL;
  if (DG_NEW(number, tables->count, err) != 0 ||
      dg_alloc_untouched(&packed, tables->count * 4 * 3 * points, backend->real, err) != 0)
    goto fail;
  for (size_t k = 0; k < tables->count; k++)
    for (size_t f = 0; f < 4; f++) {
      const size_t e = (size_t)problem->curves.where[k];
      const int32_t code = problem->neighbour[e][f];
      const double(*metric)[3] = (const double(*)[3])tables->face + (4 * k + f) * points;
      const double sign = tables->weight[k * (size_t)tables->rule.volume.points][0] < 0 ? -1 : 1;
      const ptrdiff_t other = code >= 0 && (size_t)code / 4 < e ? mx_curve_find(problem, (size_t)code / 4) : -1;
      number[k][f] = -1;
      if (!has_penalty(problem, e, f) || is_flat(metric, points)) continue;
      if (other >= 0 && number[other][code % 4] >= 0) {
        number[k][f] = number[other][code % 4];
        continue;
      }
      for (size_t q = 0; q < points; q++)
        for (size_t i = 0; i < 3; i++) gpu_put(backend, packed, (3 * faces + i) * points + q, sign * metric[q][i]);
      number[k][f] = (int32_t)faces++;
    }
  curves->penalty = faces > 0;
  if (gpu_new_copy(&backend->card, &curves->face, number, tables->count * sizeof *number, "curved elements", err) !=
          0 ||
      gpu_new_copy(&backend->card, &curves->face_metric, packed, faces * 3 * points * backend->real, "curved elements",
                   err) != 0)
    goto fail;
fail:
  dg_free(number);
  dg_free(packed);
  return err->code;
}

static int pack_lists(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  struct gpu_curves *curves = &backend->curves;
  int32_t *number;
  if (DG_NEW(number, problem->K, err) != 0) return err->code;
  for (size_t e = 0; e < problem->K; e++) number[e] = -1;
  for (size_t k = 0; k < curves->count; k++) {
    number[problem->curves.where[k]] = (int32_t)k;
    curves->inner += (size_t)problem->curves.where[k] < backend->tables.inner;
  }
  (void)!(gpu_new_copy(&backend->card, &curves->where, problem->curves.where,
                       curves->count * sizeof *problem->curves.where, "curved elements", err) != 0 ||
          gpu_new_copy(&backend->card, &curves->number, number, problem->K * sizeof *number, "curved elements", err) !=
              0);
  dg_free(number);
  return err->code;
}

int gpu_pack_curves(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  struct mx_curve_tables tables;
  backend->curves.count = problem->curves.count;
  if (problem->curves.count == 0) return 0;
  if (mx_curve_tables_init(&tables, problem, err) != 0 || pack_lists(backend, err) != 0 ||
      pack_operators(backend, &tables.rule, err) != 0 || pack_modes(backend, &tables.rule, err) != 0 ||
      pack_geometry(backend, &tables, err) != 0 || pack_faces(backend, &tables, err) != 0)
    goto fail;
  backend->node_metric = tables.metric;
  tables.metric = NULL;
fail:
  mx_curve_tables_release(&tables);
  return err->code;
}

int gpu_take_out_curves(struct mx_backend *backend, int32_t *medium, int32_t dead, struct dg_error *err)
{
  const struct mx_curves *curves = &backend->problem->curves;
  int32_t *own;
  if (curves->count == 0) return 0;
  if (DG_NEW(own, curves->count, err) != 0) return err->code;
  for (size_t k = 0; k < curves->count; k++) {
    own[k] = medium[curves->where[k]];
    medium[curves->where[k]] = dead;
  }
  (void)!gpu_new_copy(&backend->card, &backend->curves.medium, own, curves->count * sizeof *own, "curved elements",
                      err);
  dg_free(own);
  return err->code;
}

size_t gpu_curve_bytes(const struct mx_problem *problem, size_t real)
{
  const int order = problem->ref->order;
  const size_t points = (size_t)gpu_points(order), count = problem->curves.count;
  size_t faces = 0; /* about: flat ones have none */
  if (count == 0) return 0;
  for (size_t k = 0; k < count; k++)
    for (size_t f = 0; f < 4; f++) faces += has_penalty(problem, (size_t)problem->curves.where[k], f);
  return count * (6 * points * real + 6 * sizeof(int32_t)) + problem->K * sizeof(int32_t) +
         faces / 2 * 3 * (size_t)gpu_face_points(order) * real;
}
