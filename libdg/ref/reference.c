/* Builds the reference tetrahedron of an order: nodes, their numbers on faces, and the matrices from the orthonormal
 * modal basis (modal.c) with dense linear algebra (dense.c). The set-up calls it once. Sources: reference.h. */
#include "libdg/ref/reference.h"

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/ref/dense.h"
#include "libdg/ref/modal.h"
#include "libdg/ref/nodes.h"

/* vertex of the reference tetrahedron */
static const double corner[4][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
/* vertices of face f, ascending */
static const int face_corner[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};

static void place_nodes(struct dg_reference *ref)
{
  int p = ref->order, m = 0;
  for (int k = 0; k <= p; k++)
    for (int j = 0; j + k <= p; j++)
      for (int i = 0; i + j + k <= p; i++, m++) {
        int index[4] = {p - i - j - k, i, j, k};
        double bary[4], x[3] = {0, 0, 0};
        dg_recursive_node(3, p, index, bary);
        for (int v = 0; v < 4; v++)
          for (int d = 0; d < 3; d++) x[d] += bary[v] * corner[v][d];
        ref->r[m] = x[0];
        ref->s[m] = x[1];
        ref->t[m] = x[2];
        ref->lattice[m][0] = i;
        ref->lattice[m][1] = j;
        ref->lattice[m][2] = k;
      }
}

static int node_with_lattice(const struct dg_reference *ref, const int index[4])
{
  for (int m = 0; m < ref->Np; m++)
    if (ref->lattice[m][0] == index[1] && ref->lattice[m][1] == index[2] && ref->lattice[m][2] == index[3]) return m;
  dg_bug(__FILE__, __LINE__, "no node (%d,%d,%d,%d) at order %d", index[0], index[1], index[2], index[3], ref->order);
}

static void number_faces(struct dg_reference *ref)
{
  int p = ref->order;
  for (int f = 0; f < 4; f++) {
    int m = 0;
    for (int k = 0; k <= p; k++)
      for (int j = 0; j + k <= p; j++) {
        int index[4] = {0, 0, 0, 0};
        index[face_corner[f][0]] = p - j - k;
        index[face_corner[f][1]] = j;
        index[face_corner[f][2]] = k;
        ref->face_node[f * ref->Nf + m++] = node_with_lattice(ref, index);
      }
  }
}

/* mass_face[Nf][Nf] of the reference triangle in the faces' node order */
static int face_mass(const struct dg_reference *ref, double *mass_face, struct dg_error *err)
{
  int p = ref->order, Nf = ref->Nf, m = 0;
  double *V;
  if (DG_NEW(V, Nf * Nf, err) != 0) return err->code;
  for (int k = 0; k <= p; k++)
    for (int j = 0; j + k <= p; j++, m++) {
      int index[3] = {p - j - k, j, k};
      double bary[3];
      dg_recursive_node(2, p, index, bary);
      dg_modal_triangle(p, -bary[0] + bary[1] - bary[2], -bary[0] - bary[1] + bary[2], V + m * Nf);
    }
  int status = dg_dense_invert(Nf, V, err);
  if (status == 0) status = dg_dense_multiply(Nf, Nf, Nf, V, true, V, mass_face, err); /* M = V^-T V^-1 */
  dg_free(V);
  return status;
}

static int build_matrices(struct dg_reference *ref, struct dg_error *err)
{
  int Np = ref->Np, Nf = ref->Nf, status;
  double *V = NULL, *gradient = NULL, *scratch = NULL, *Mf = ref->face_mass, *E = NULL;
  if ((status = DG_NEW(V, Np * Np, err)) != 0 || (status = DG_NEW(gradient, 3 * Np * Np, err)) != 0 ||
      (status = DG_NEW(scratch, 3 * Np, err)) != 0 || (status = DG_NEW(E, Np * 4 * Nf, err)) != 0)
    goto fail;

  double *Vi = ref->vandermonde_inverse;
  for (int i = 0; i < Np; i++) {
    dg_modal_basis(ref->order, ref->r[i], ref->s[i], ref->t[i], V + i * Np);
    dg_modal_gradient(ref->order, ref->r[i], ref->s[i], ref->t[i], scratch);
    for (int d = 0; d < 3; d++)
      for (int j = 0; j < Np; j++) gradient[(d * Np + i) * Np + j] = scratch[d * Np + j];
  }
  for (int i = 0; i < Np * Np; i++) Vi[i] = V[i];
  if ((status = dg_dense_invert(Np, Vi, err)) != 0) goto fail;

  if ((status = dg_dense_multiply(Np, Np, Np, Vi, true, Vi, ref->mass, err)) != 0) goto fail; /* M = V^-T V^-1 */
  for (int d = 0; d < 3; d++)
    if ((status = dg_dense_multiply(Np, Np, Np, gradient + (size_t)d * Np * Np, false, Vi, ref->D[d], err)) != 0)
      goto fail;

  /* lift = M^-1 E = V (V^T E), E scattering each face's mass matrix to its nodes */
  if ((status = face_mass(ref, Mf, err)) != 0) goto fail;
  for (int f = 0; f < 4; f++)
    for (int i = 0; i < Nf; i++)
      for (int j = 0; j < Nf; j++) E[(size_t)ref->face_node[f * Nf + i] * 4 * Nf + f * Nf + j] = Mf[i * Nf + j];
  dg_free(scratch);
  scratch = NULL;
  if ((status = DG_NEW(scratch, Np * 4 * Nf, err)) != 0) goto fail;
  if ((status = dg_dense_multiply(Np, 4 * Nf, Np, V, true, E, scratch, err)) == 0)
    status = dg_dense_multiply(Np, 4 * Nf, Np, V, false, scratch, ref->lift, err);
fail:
  dg_free(V);
  dg_free(gradient);
  dg_free(scratch);
  dg_free(E);
  return status;
}

int dg_reference_init(struct dg_reference *ref, int order, struct dg_error *err)
{
  *ref = (struct dg_reference){0};
  if (order < DG_ORDER_MIN || order > DG_ORDER_MAX)
    return dg_fail(err, DG_INPUT, "order %d is not in %d..%d", order, DG_ORDER_MIN, DG_ORDER_MAX);
  int Np = DG_NP(order), Nf = DG_NF(order), status;
  ref->order = order;
  ref->Np = Np;
  ref->Nf = Nf;
  if ((status = DG_NEW(ref->r, Np, err)) != 0 || (status = DG_NEW(ref->s, Np, err)) != 0 ||
      (status = DG_NEW(ref->t, Np, err)) != 0 || (status = DG_NEW(ref->lattice, Np, err)) != 0 ||
      (status = DG_NEW(ref->face_node, 4 * Nf, err)) != 0 || (status = DG_NEW(ref->mass, Np * Np, err)) != 0 ||
      (status = DG_NEW(ref->D[0], Np * Np, err)) != 0 || (status = DG_NEW(ref->D[1], Np * Np, err)) != 0 ||
      (status = DG_NEW(ref->D[2], Np * Np, err)) != 0 || (status = DG_NEW(ref->lift, Np * 4 * Nf, err)) != 0 ||
      (status = DG_NEW(ref->face_mass, Nf * Nf, err)) != 0 ||
      (status = DG_NEW(ref->vandermonde_inverse, Np * Np, err)) != 0)
    goto fail;
  place_nodes(ref);
  number_faces(ref);
  if ((status = build_matrices(ref, err)) != 0) goto fail;
  return 0;
fail:
  dg_reference_release(ref);
  return status;
}

void dg_reference_release(struct dg_reference *ref)
{
  dg_free(ref->r);
  dg_free(ref->s);
  dg_free(ref->t);
  dg_free(ref->lattice);
  dg_free(ref->face_node);
  dg_free(ref->mass);
  for (int d = 0; d < 3; d++) dg_free(ref->D[d]);
  dg_free(ref->lift);
  dg_free(ref->face_mass);
  dg_free(ref->vandermonde_inverse);
  *ref = (struct dg_reference){0};
}

void dg_reference_interpolate(const struct dg_reference *ref, double r, double s, double t, double *weight)
{
  double modal[DG_NP_MAX];
  int Np = ref->Np;
  dg_modal_basis(ref->order, r, s, t, modal);
  for (int j = 0; j < Np; j++) {
    weight[j] = 0;
    for (int m = 0; m < Np; m++) weight[j] += modal[m] * ref->vandermonde_inverse[m * Np + j];
  }
}
