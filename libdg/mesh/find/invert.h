/* Inverts the maps of curved elements: the place of a point, or the proof that the element does not hold it.
 *
 * Newton's method finds a place. Only a place inside says something by itself, as the polynomials of a map may come
 * back to a point outside of the element. A box of control points (Bernstein form: the map lies within their hull)
 * excludes most points. For the rest the map is shown to be one to one on a simplex a half larger than the element: its
 * derivative, seen from the middle, differs from the identity by less than 1, again by control points. A place that
 * Newton's method has found there is then the only one. Where an element is too bent for that, it is cut into eight,
 * and each piece is looked at in the same way. */
#pragma once

#include <stdbool.h>

#include "libdg/mesh/curve.h"

/* What all elements of a mesh share: the matrix from nodes to control points. */
struct dg_inverse {
  const struct dg_mesh *mesh;
  double control[DG_SHAPE_MAX][DG_SHAPE_MAX];
};

/* A simplex of an element with what is known of the map there. */
struct dg_bent_patch {
  double corner[4][3];        /* (r, s, t) */
  double centre[3], place[3]; /* the middle, m, and as (r, s, t) */
  double inverse[3][3];       /* [a][b] d(r, s, t)_a/dx_b in the middle */
  double low[4], high[4];     /* of the control points, seen from the middle in r, s, t and their sum */
  bool unique;                /* the map is one to one on the enlarged patch */
};

/* A curved element. */
struct dg_bent {
  const double (*shape)[3];
  double control[DG_SHAPE_MAX][3]; /* control points, m */
  double low[3], high[3];          /* m: the box in which its points lie */
  bool known;                      /* `whole` is filled in, which takes longer than the box */
  struct dg_bent_patch whole;
};

void dg_inverse_init(struct dg_inverse *inverse, const struct dg_mesh *mesh);
/* Finds the box of curved element k of the mesh (mesh->curve[k]), and makes it ready for the functions below. */
void dg_bent_box(struct dg_bent *bent, const struct dg_inverse *inverse, size_t k);
/* Says whether the element holds x (m), outside by at most `slack` of a barycentric coordinate; bary[4] is then set. */
bool dg_bent_find(struct dg_bent *bent, const struct dg_inverse *inverse, const double x[3], double slack,
                  double bary[4]);
/* Continues the inverse map beyond the element: bary[4] of x by Newton's method. False: it finds nothing. */
bool dg_bent_newton(const struct dg_bent *bent, const struct dg_inverse *inverse, const double x[3], double bary[4]);
/* Says whether the map is one to one around the element, so that what Newton's method finds there is all there is. */
bool dg_bent_unique(struct dg_bent *bent, const struct dg_inverse *inverse);

/* The barycentric coordinates of a point that element e, curved or straight, holds up to rounding. */
void dg_mesh_place(const struct dg_inverse *inverse, size_t e, const double x[3], double bary[4]);
