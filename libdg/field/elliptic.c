/* Makes the operator of elliptic.h: the reference matrices, the metric of affine elements, the matrices of curved
 * elements and of faces. Statics call it. elliptic_apply.c has what the operator does. */
#include "libdg/field/elliptic.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/field/elliptic_form.h"
#include "libdg/field/elliptic_parts.h"
#include "libdg/mesh/curve.h"
#include "libdg/ref/modal.h"
#include "libdg/ref/rule.h"

/* B[modes][Np][3] and the copy of the reference mass. */
static int make_form(struct dg_elliptic *op, struct dg_error *err)
{
  const struct dg_reference *ref = &op->space->ref;
  const int Np = ref->Np, p = ref->order, modes = p * (p + 1) * (p + 2) / 6;
  struct dg_quadrature q = {0};
  double *B = NULL, *slope = NULL, mode[DG_MODES_MAX];
  if (DG_NEW(op->B, (size_t)modes * (size_t)Np * 3, err) != 0 || DG_NEW(slope, Np, err) != 0 ||
      dg_quadrature_init(&q, ref, err) != 0) {
    dg_free(slope);
    return err->code;
  }
  B = op->B;
  for (int k = 0; k < q.volume.points; k++) {
    dg_modal_basis(p - 1, q.place[k][0], q.place[k][1], q.place[k][2], mode);
    for (int a = 0; a < 3; a++) {
      memset(slope, 0, sizeof *slope * (size_t)Np);
      for (int i = 0; i < Np; i++)
        for (int j = 0; j < Np; j++) slope[j] += q.at[k * Np + i] * ref->D[a][i * Np + j];
      for (int m = 0; m < modes; m++)
        for (int j = 0; j < Np; j++) B[(m * Np + j) * 3 + a] += 4.0 / 3 * q.volume.weight[k] * mode[m] * slope[j];
    }
  }
  op->form = (struct dg_elliptic_form){.Np = Np, .modes = modes, .B = op->B, .mass = ref->mass};
  dg_quadrature_release(&q);
  dg_free(slope);
  return 0;
}

static dg_elliptic_block *best_block(void)
{
#ifdef CURLEW_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return dg_elliptic_block_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return dg_elliptic_block_avx2;
#endif
  return dg_elliptic_block_portable;
}

/* k grad u . grad v with the gradients in reference coordinates: G = J R k R^T, R the metric. */
static void fold(const struct dg_elliptic_medium *medium, size_t e, const double R[3][3], double scale, double G[6])
{
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  double k[3][3] = {{0}};
  for (int a = 0; a < 3; a++) k[a][a] = medium->k != NULL ? medium->k[e] : 1;
  for (int q = 0; medium->tensor != NULL && q < 6; q++)
    k[pair[q][0]][pair[q][1]] = k[pair[q][1]][pair[q][0]] = medium->tensor[e][q];
  for (int q = 0; q < 6; q++) {
    double sum = 0;
    for (int x = 0; x < 3; x++)
      for (int y = 0; y < 3; y++) sum += R[pair[q][0]][x] * k[x][y] * R[pair[q][1]][y];
    G[q] = scale * sum;
  }
}

/* The metric R[a] = grad of (r, s, t)_a from the tangents; the determinant of the map's derivative, without its sign.
 */
double dg_elliptic_metric(const double tangent[3][3], double R[3][3])
{
  double det = 0;
  for (int a = 0; a < 3; a++) {
    const double *u = tangent[(a + 1) % 3], *v = tangent[(a + 2) % 3];
    const double cross[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    det = tangent[a][0] * cross[0] + tangent[a][1] * cross[1] + tangent[a][2] * cross[2];
    for (int x = 0; x < 3; x++) R[a][x] = cross[x] / det;
  }
  return fabs(det);
}

static void affine_element(struct dg_elliptic *op, const struct dg_elliptic_medium *medium, size_t e)
{
  const double centre[3] = {-0.5, -0.5, -0.5};
  double tangent[3][3], R[3][3], x[3], G[6];
  dg_mesh_map(op->space->mesh, e, centre, x, tangent);
  const double det = dg_elliptic_metric((const double(*)[3])tangent, R);
  op->determinant[e] = det;
  fold(medium, e, (const double(*)[3])R, det, G);
  double *metric = op->metric + e / DG_LANES * 6 * DG_LANES + e % DG_LANES;
  for (int q = 0; q < 6; q++) metric[q * DG_LANES] = G[q];
  op->mass[e] = det * (medium->c != NULL ? medium->c[e] : 1);
}

/* Adds a point of the rule to the matrices of a curved element. at[Np], slope[Np][3] in (r, s, t). */
static void add_point(const struct dg_elliptic *op, size_t n, double weight, const double G[6], double det, double c,
                      const double *at, const double (*slope)[3])
{
  const int Np = op->form.Np;
  double *S = op->curved_stiffness + n * (size_t)Np * (size_t)Np, *C = op->curved_mass + n * (size_t)Np * (size_t)Np;
  double *one = op->curved_one + n * (size_t)Np * (size_t)Np;
  for (int i = 0; i < Np; i++) {
    const double *s = slope[i];
    const double flux[3] = {G[0] * s[0] + G[3] * s[1] + G[4] * s[2], G[3] * s[0] + G[1] * s[1] + G[5] * s[2],
                            G[4] * s[0] + G[5] * s[1] + G[2] * s[2]};
    for (int j = 0; j < Np; j++) {
      S[i * Np + j] += weight * (flux[0] * slope[j][0] + flux[1] * slope[j][1] + flux[2] * slope[j][2]);
      C[i * Np + j] += weight * det * c * at[i] * at[j];
      one[i * Np + j] += weight * det * at[i] * at[j];
    }
  }
}

static int curved_elements(struct dg_elliptic *op, const struct dg_elliptic_medium *medium, struct dg_error *err)
{
  const struct dg_mesh *mesh = op->space->mesh;
  const struct dg_reference *ref = &op->space->ref;
  const int Np = ref->Np, order = ref->order + mesh->geometry - 1;
  const size_t size = mesh->curved * (size_t)Np * (size_t)Np;
  struct dg_rule rule = {0};
  double *at = NULL, (*slope)[3] = NULL;
  if (DG_NEW(op->curved_stiffness, size, err) != 0 || DG_NEW(op->curved_mass, size, err) != 0 ||
      DG_NEW(op->curved_one, size, err) != 0)
    return err->code;
  if (dg_rule_tetrahedron(&rule, order < 8 ? order : 8, err) != 0 || DG_NEW(at, Np, err) != 0 ||
      DG_NEW(slope, Np, err) != 0)
    goto end;
  for (int q = 0; q < rule.points; q++) {
    const double *l = rule.place[q], place[3] = {2 * l[1] - 1, 2 * l[2] - 1, 2 * l[3] - 1};
    dg_reference_interpolate(ref, place[0], place[1], place[2], at);
    memset(slope, 0, sizeof *slope * (size_t)Np);
    for (int a = 0; a < 3; a++)
      for (int i = 0; i < Np; i++)
        for (int j = 0; j < Np; j++) slope[j][a] += at[i] * ref->D[a][i * Np + j];
    for (size_t n = 0; n < mesh->curved; n++) {
      const size_t e = (size_t)mesh->curve[n];
      double tangent[3][3], R[3][3], x[3], G[6];
      dg_mesh_map(mesh, e, place, x, tangent);
      const double det = dg_elliptic_metric((const double(*)[3])tangent, R);
      fold(medium, e, (const double(*)[3])R, det, G);
      add_point(op, n, 4.0 / 3 * rule.weight[q], G, det, medium->c != NULL ? medium->c[e] : 1, at,
                (const double(*)[3])slope);
    }
  }
end:
  dg_free(at);
  dg_free(slope);
  dg_rule_release(&rule);
  return err->code;
}

void dg_elliptic_face(const struct dg_space *space, const struct dg_quadrature *faces, int32_t face, double h,
                      double *matrix)
{
  const struct dg_rule *rule = &faces->face;
  const int f = face % 4, Nf = space->ref.Nf;
  const int corner[3] = {f == 0, 1 + (f <= 1), 2 + (f <= 2)};
  for (int q = 0; q < rule->points; q++) {
    double place[3], x[3], tangent[3][3], u[3], v[3];
    dg_face_place(f, rule->place[q], place);
    dg_mesh_map(space->mesh, (size_t)face / 4, place, x, tangent);
    for (int d = 0; d < 3; d++) { /* dx along the edges of the face, whose ends lie 2 apart in (r, s, t) */
      double towards[3];
      for (int k = 0; k < 3; k++) towards[k] = corner[k] == 0 ? 0 : 2 * tangent[corner[k] - 1][d];
      u[d] = towards[1] - towards[0];
      v[d] = towards[2] - towards[0];
    }
    const double cross[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double area = 0.5 * sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
    const double *at = faces->face_at + (size_t)q * (size_t)Nf;
    for (int i = 0; i < Nf; i++)
      for (int j = 0; j < Nf; j++) matrix[i * Nf + j] += h * area * rule->weight[q] * at[i] * at[j];
  }
}

static int make_faces(struct dg_elliptic *op, const struct dg_elliptic_medium *medium, struct dg_error *err)
{
  const size_t size = (size_t)op->space->ref.Nf * (size_t)op->space->ref.Nf;
  op->faces = medium->faces;
  if (DG_NEW(op->face, medium->faces, err) != 0 || DG_NEW(op->face_matrix, medium->faces * size, err) != 0)
    return err->code;
  if (medium->faces > 0 && DG_NEW(op->face_term, 4 * op->space->mesh->K, err) != 0) return err->code;
  for (size_t n = 0; n < medium->faces; n++) {
    op->face[n] = medium->face[n].face;
    op->face_term[op->face[n]] = (int32_t)n + 1;
    dg_elliptic_face(op->space, &op->face_rule, op->face[n], medium->face[n].h, op->face_matrix + n * size);
  }
  return 0;
}

/* Lists of nodes and slots. */
static int make_lists(struct dg_elliptic *op, struct dg_error *err)
{
  const struct dg_space *space = op->space;
  const size_t Np = (size_t)op->form.Np, lanes = op->blocks * DG_LANES, all = space->mesh->K * Np;
  if (DG_NEW(op->node, lanes * Np, err) != 0 || DG_NEW(op->slot, all, err) != 0 ||
      DG_NEW(op->result, lanes * Np, err) != 0 || DG_NEW(op->sum, space->count, err) != 0)
    return err->code;
  if (lanes * Np > INT32_MAX) return dg_fail(err, DG_INPUT, "there are more than 2^31 nodes");
  for (size_t e = 0; e < space->mesh->K; e++)
    for (size_t i = 0; i < Np; i++) op->node[dg_elliptic_slot(op, e, (int)i)] = space->number[e * Np + i];
  for (size_t n = 0; n < all; n++)
    op->slot[n] = (int32_t)dg_elliptic_slot(op, (size_t)space->place[n] / Np, (int)((size_t)space->place[n] % Np));
  return 0;
}

static int build(struct dg_elliptic *op, const struct dg_elliptic_medium *medium, struct dg_error *err)
{
  const struct dg_mesh *mesh = op->space->mesh;
  const size_t lanes = op->blocks * DG_LANES;
  if (make_form(op, err) != 0 || dg_quadrature_init(&op->face_rule, &op->space->ref, err) != 0 ||
      DG_NEW(op->metric, lanes * 6, err) != 0 || DG_NEW(op->mass, lanes, err) != 0 ||
      DG_NEW(op->determinant, lanes, err) != 0 || make_lists(op, err) != 0)
    return err->code;
  for (size_t e = 0; e < mesh->K; e++)
    if (mesh->curved == 0 || dg_mesh_curve(mesh, e) < 0) affine_element(op, medium, e);
  if (mesh->curved > 0 && curved_elements(op, medium, err) != 0) return err->code;
  return make_faces(op, medium, err);
}

int dg_elliptic_new(struct dg_elliptic **op, const struct dg_space *space, const struct dg_elliptic_medium *medium,
                    struct dg_error *err)
{
  if (DG_NEW(*op, 1, err) != 0) return err->code;
  (*op)->space = space;
  (*op)->block = best_block();
  (*op)->blocks = (space->mesh->K + DG_LANES - 1) / DG_LANES;
  if (build(*op, medium, err) != 0) {
    dg_elliptic_free(*op);
    *op = NULL;
  }
  return err->code;
}

void dg_elliptic_free(struct dg_elliptic *op)
{
  if (op == NULL) return;
  dg_quadrature_release(&op->face_rule);
  dg_free(op->B);
  dg_free(op->metric);
  dg_free(op->mass);
  dg_free(op->determinant);
  dg_free(op->node);
  dg_free(op->slot);
  dg_free(op->result);
  dg_free(op->sum);
  dg_free(op->curved_stiffness);
  dg_free(op->curved_mass);
  dg_free(op->curved_one);
  dg_free(op->face);
  dg_free(op->face_term);
  dg_free(op->face_matrix);
  dg_free(op);
}
