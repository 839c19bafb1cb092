/* What the operator of elliptic.h does: elements into `result`, and from there into the unknowns. */
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/field/elliptic_parts.h"
#include "libdg/mesh/curve.h"

static void one_block(struct dg_elliptic *op, struct dg_elliptic_weights w, size_t b, const double *x)
{
  double metric[6 * DG_LANES], mass[DG_LANES], value[DG_NODES_MAX * DG_LANES];
  const size_t Np = (size_t)op->form.Np;
  const int32_t *node = op->node + b * Np * DG_LANES;
  for (size_t i = 0; i < 6 * DG_LANES; i++) metric[i] = w.stiffness * op->metric[b * 6 * DG_LANES + i];
  for (size_t i = 0; i < DG_LANES; i++) mass[i] = w.mass * op->mass[b * DG_LANES + i];
  for (size_t i = 0; i < Np * DG_LANES; i++) value[i] = x[node[i]];
  op->block(&op->form, metric, w.mass != 0 ? mass : NULL, value, op->result + b * Np * DG_LANES);
}

/* result of element e += scale * matrix[Np][Np] * values[Np] */
static void add_matrix(struct dg_elliptic *op, size_t e, double scale, const double *matrix, const double *values)
{
  const int Np = op->form.Np;
  for (int i = 0; i < Np; i++) {
    double sum = 0;
    for (int j = 0; j < Np; j++) sum += matrix[i * Np + j] * values[j];
    op->result[dg_elliptic_slot(op, e, i)] += scale * sum;
  }
}

/* The matrices of curved element n. */
static void add_curved(struct dg_elliptic *op, struct dg_elliptic_weights w, size_t n, const double *x)
{
  const size_t Np = (size_t)op->form.Np, e = (size_t)op->space->mesh->curve[n];
  double values[DG_NODES_MAX];
  for (size_t i = 0; i < Np; i++) values[i] = x[op->space->number[e * Np + i]];
  add_matrix(op, e, w.stiffness, op->curved_stiffness + n * Np * Np, values);
  if (w.mass != 0) add_matrix(op, e, w.mass, op->curved_mass + n * Np * Np, values);
}

static void add_face(struct dg_elliptic *op, size_t n, double scale, const double *x)
{
  const struct dg_reference *ref = &op->space->ref;
  const size_t e = (size_t)op->face[n] / 4, Nf = (size_t)ref->Nf;
  const int *node = ref->face_node + (size_t)(op->face[n] % 4) * Nf;
  const int32_t *number = op->space->number + e * (size_t)ref->Np;
  for (size_t i = 0; i < Nf; i++) {
    double sum = 0;
    for (size_t j = 0; j < Nf; j++) sum += op->face_matrix[(n * Nf + i) * Nf + j] * x[number[node[j]]];
    op->result[dg_elliptic_slot(op, e, node[i])] += scale * sum;
  }
}

/* y = what `result` holds on all ranks. */
static void gather(const struct dg_elliptic *op, double *y)
{
  const size_t *row = op->space->row;
#pragma omp parallel for schedule(static)
  for (size_t r = 0; r < op->space->count; r++) {
    double sum = 0;
    for (size_t n = row[r]; n < row[r + 1]; n++) sum += op->result[op->slot[n]];
    y[r] = sum;
  }
  dg_space_sum(op->space, y);
}

void dg_elliptic_apply(struct dg_elliptic *op, struct dg_elliptic_weights w, const double *x, double *y)
{
  const struct dg_mesh *mesh = op->space->mesh;
#pragma omp parallel for schedule(static)
  for (size_t b = 0; b < op->blocks; b++) one_block(op, w, b, x);
#pragma omp parallel for schedule(static)
  for (size_t n = 0; n < mesh->curved; n++) add_curved(op, w, n, x);
  for (size_t n = 0; w.face != 0 && n < op->faces; n++) add_face(op, n, w.face, x);
  gather(op, y);
}

/* What row[Np] i of an element brings to the diagonal: an unknown that several of its nodes share, as those of a body,
 * has the products of all. */
static double on_diagonal(const struct dg_elliptic *op, size_t e, int i, const double *row)
{
  const int32_t *number = op->space->number + e * (size_t)op->form.Np;
  double sum = 0;
  for (int j = 0; j < op->form.Np; j++)
    if (number[j] == number[i]) sum += row[j];
  return sum;
}

/* row[Np] += row i of the matrix of an affine element. */
static void affine_row(const struct dg_elliptic *op, struct dg_elliptic_weights w, size_t e, int i, double *row)
{
  const int Np = op->form.Np;
  const double *G = op->metric + e / DG_LANES * 6 * DG_LANES + e % DG_LANES;
  static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  for (int j = 0; j < Np; j++) row[j] += w.mass * op->mass[e] * op->form.mass[i * Np + j];
  for (int m = 0; m < op->form.modes; m++) {
    const double *b = op->B + ((size_t)m * (size_t)Np) * 3, *bi = b + 3 * i;
    double flux[3];
    for (int a = 0; a < 3; a++)
      flux[a] = w.stiffness *
                (G[at[a][0] * DG_LANES] * bi[0] + G[at[a][1] * DG_LANES] * bi[1] + G[at[a][2] * DG_LANES] * bi[2]);
    for (int j = 0; j < Np; j++) row[j] += flux[0] * b[3 * j] + flux[1] * b[3 * j + 1] + flux[2] * b[3 * j + 2];
  }
}

/* The same for an element that may be curved. */
static void add_element_row(const struct dg_elliptic *op, struct dg_elliptic_weights w, size_t e, int i, double *row)
{
  const struct dg_mesh *mesh = op->space->mesh;
  const ptrdiff_t curved = mesh->curved > 0 ? dg_mesh_curve(mesh, e) : -1;
  const size_t Np = (size_t)op->form.Np, first = ((size_t)curved * Np + (size_t)i) * Np;
  if (curved < 0) affine_row(op, w, e, i, row);
  for (size_t j = 0; curved >= 0 && j < Np; j++)
    row[j] += w.stiffness * op->curved_stiffness[first + j] + w.mass * op->curved_mass[first + j];
}

void dg_elliptic_add_row(const struct dg_elliptic *op, struct dg_elliptic_weights w, size_t e, int i, double *row)
{
  const struct dg_reference *ref = &op->space->ref;
  const int Nf = ref->Nf;
  if (w.stiffness != 0 || w.mass != 0) add_element_row(op, w, e, i, row);
  if (w.face == 0 || op->face_term == NULL) return;
  for (int f = 0; f < 4; f++) {
    const int32_t term = op->face_term[4 * e + (size_t)f];
    const int *node = ref->face_node + (ptrdiff_t)f * Nf;
    int at = 0;
    while (term > 0 && at < Nf && node[at] != i) at++;
    if (term == 0 || at == Nf) continue;
    const double *matrix = op->face_matrix + ((size_t)(term - 1) * (size_t)Nf + (size_t)at) * (size_t)Nf;
    for (int j = 0; j < Nf; j++) row[node[j]] += w.face * matrix[j];
  }
}

int dg_elliptic_assemble(struct dg_elliptic *op, struct dg_elliptic_weights w,
                         int (*add)(void *context, int n, const int32_t *unknown, const double *matrix,
                                    struct dg_error *err),
                         void *context, struct dg_error *err)
{
  const struct dg_reference *ref = &op->space->ref;
  const size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf;
  double *matrix = NULL;
  if (DG_NEW(matrix, Np * Np, err) != 0) return err->code;
  for (size_t e = 0; err->code == 0 && e < op->space->mesh->K; e++) {
    memset(matrix, 0, sizeof *matrix * Np * Np);
    for (int i = 0; i < ref->Np; i++) add_element_row(op, w, e, i, matrix + (size_t)i * Np);
    (void)add(context, ref->Np, op->space->number + e * Np, matrix, err);
  }
  for (size_t n = 0; w.face != 0 && err->code == 0 && n < op->faces; n++) {
    int32_t unknown[DG_NODES_MAX];
    const int *node = ref->face_node + (size_t)(op->face[n] % 4) * Nf;
    for (size_t i = 0; i < Nf; i++) unknown[i] = op->space->number[(size_t)op->face[n] / 4 * Np + (size_t)node[i]];
    for (size_t i = 0; i < Nf * Nf; i++) matrix[i] = w.face * op->face_matrix[n * Nf * Nf + i];
    (void)add(context, ref->Nf, unknown, matrix, err);
  }
  dg_free(matrix);
  return err->code;
}

void dg_elliptic_diagonal(struct dg_elliptic *op, struct dg_elliptic_weights w, double *diagonal)
{
  const int Np = op->form.Np;
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < op->space->mesh->K; e++) {
    double row[DG_NODES_MAX];
    for (int i = 0; i < Np; i++) {
      memset(row, 0, sizeof *row * (size_t)Np);
      dg_elliptic_add_row(op, w, e, i, row);
      op->result[dg_elliptic_slot(op, e, i)] = on_diagonal(op, e, i, row);
    }
  }
  gather(op, diagonal);
}

void dg_elliptic_load(struct dg_elliptic *op, const double *q, double *y)
{
  const struct dg_mesh *mesh = op->space->mesh;
  const int Np = op->form.Np;
  const size_t size = (size_t)Np * (size_t)Np;
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < mesh->K; e++) {
    const ptrdiff_t curved = mesh->curved > 0 ? dg_mesh_curve(mesh, e) : -1;
    for (int i = 0; i < Np; i++) op->result[dg_elliptic_slot(op, e, i)] = 0;
    if (curved >= 0) add_matrix(op, e, 1, op->curved_one + (size_t)curved * size, q + e * (size_t)Np);
    else add_matrix(op, e, op->determinant[e], op->form.mass, q + e * (size_t)Np);
  }
  gather(op, op->sum);
  for (size_t r = 0; r < op->space->count; r++) y[r] += op->sum[r];
}

struct dg_elliptic_view dg_elliptic_look(const struct dg_elliptic *op)
{
  const struct dg_mesh *mesh = op->space->mesh;
  return (struct dg_elliptic_view){.space = op->space,
                                   .Np = op->form.Np,
                                   .modes = op->form.modes,
                                   .B = op->B,
                                   .mass = op->form.mass,
                                   .curve = mesh->curve,
                                   .curved = mesh->curved,
                                   .curved_stiffness = op->curved_stiffness,
                                   .curved_mass = op->curved_mass,
                                   .faces = op->faces,
                                   .face = op->face,
                                   .face_matrix = op->face_matrix};
}

void dg_elliptic_element(const struct dg_elliptic *op, size_t e, double G[6], double *mass)
{
  for (size_t q = 0; q < 6; q++) G[q] = op->metric[(e / DG_LANES * 6 + q) * DG_LANES + e % DG_LANES];
  *mass = op->mass[e];
}

void dg_elliptic_metric_at(const struct dg_mesh *mesh, size_t e, const double place[3], double R[3][3])
{
  double tangent[3][3], x[3];
  dg_mesh_map(mesh, e, place, x, tangent);
  (void)dg_elliptic_metric((const double(*)[3])tangent, R);
}

void dg_elliptic_gradient(const struct dg_elliptic *op, size_t e, const double *u, double (*gradient)[3])
{
  const struct dg_reference *ref = &op->space->ref;
  const int Np = ref->Np;
  const int32_t *number = op->space->number + e * (size_t)Np;
  for (int i = 0; i < Np; i++) {
    const double place[3] = {ref->r[i], ref->s[i], ref->t[i]};
    double slope[3] = {0}, R[3][3];
    for (int a = 0; a < 3; a++)
      for (int j = 0; j < Np; j++) slope[a] += ref->D[a][i * Np + j] * u[number[j]];
    dg_elliptic_metric_at(op->space->mesh, e, place, R);
    for (int d = 0; d < 3; d++) gradient[i][d] = slope[0] * R[0][d] + slope[1] * R[1][d] + slope[2] * R[2][d];
  }
}
