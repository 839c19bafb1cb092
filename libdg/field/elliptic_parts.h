/* The operator of elliptic.h (private). */
#pragma once

#include "libdg/field/elliptic.h"
#include "libdg/field/elliptic_form.h"
#include "libdg/ref/rule.h"

struct dg_elliptic {
  const struct dg_space *space;
  struct dg_elliptic_form form;
  dg_elliptic_block *block;
  struct dg_quadrature face_rule;
  double *B;
  size_t blocks;       /* of DG_LANES elements; lanes behind the last element have a metric of 0 */
  double *metric;      /* [blocks][6][DG_LANES], 0 in curved elements */
  double *mass;        /* [blocks * DG_LANES] c |J|, 0 in curved elements */
  double *determinant; /* [blocks * DG_LANES] |J|, 0 in curved elements */
  int32_t *node;       /* [blocks][Np][DG_LANES] unknowns, 0 in lanes behind the last element */
  int32_t *slot;       /* [K * Np] by the rows of the space: where `result` has the places of an unknown */
  double *result;      /* [blocks][Np][DG_LANES] of the elements */
  double *sum;         /* [unknowns] of a load */
  double *curved_stiffness, *curved_mass, *curved_one; /* [curved][Np][Np]; the last with c = 1 */
  size_t faces;
  int32_t *face;       /* [faces] */
  int32_t *face_term;  /* [K][4] one more than the number of a face in `face`, or 0; NULL: there are none */
  double *face_matrix; /* [faces][Nf][Nf] */
};

/* R[a] = grad of (r, s, t)_a from the tangents of a map, and the determinant of its derivative without its sign. */
double dg_elliptic_metric(const double tangent[3][3], double R[3][3]);

/* Where `result` has node i of element e. */
static inline size_t dg_elliptic_slot(const struct dg_elliptic *op, size_t e, int i)
{
  return (e / DG_LANES * (size_t)op->form.Np + (size_t)i) * DG_LANES + e % DG_LANES;
}
