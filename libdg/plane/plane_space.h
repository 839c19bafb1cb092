/* Continuous polynomials on the cells of a plane (plane.h), and the sparse matrix of
 *
 *   integral of grad v . k grad u,
 *
 * k one number a triangle. A body is one unknown: its residual is the flux through the body, its charge.
 * Results do not depend on the number of threads. */
#pragma once

#include "libdg/plane/plane.h"
#include "libdg/ref/reference.h"
#include "libdg/ref/rule.h"

struct dg_plane_space {
  const struct dg_plane *plane; /* the caller's */
  struct dg_reference ref;      /* of tetrahedra; cells are their face 3 */
  struct dg_rule rule;          /* on a cell */
  size_t Nf, bodies;
  double *slope;   /* [2][Nf][Nf] d l_j / d (r, s) at node i */
  double *at;      /* [points][2][Nf] d l_j / d (r, s) at the rule's points */
  size_t count;    /* unknowns; those of bodies come first */
  int32_t *number; /* [cells][Nf] */
  size_t *row;     /* [count + 1] where rows begin in `column` */
  int32_t *column; /* ascending in a row */
};

/* order 1 to 8. DG_ENVIRONMENT: no memory. DG_INPUT: more than 2^31 unknowns. Release in any case. */
int dg_plane_space_init(struct dg_plane_space *space, const struct dg_plane *plane, int order, size_t bodies,
                        struct dg_error *err) DG_MUST_USE;
void dg_plane_space_release(struct dg_plane_space *space);
/* value[row[count]]: the matrix, for k[triangles]. */
int dg_plane_matrix(const struct dg_plane_space *space, const double *k, double *value,
                    struct dg_error *err) DG_MUST_USE;
/* y[count] = A x */
void dg_plane_apply(const struct dg_plane_space *space, const double *value, const double *x, double *y);
/* grad u (1/m) at barycentric coordinates of a cell. */
void dg_plane_gradient(const struct dg_plane_space *space, size_t cell, const double bary[3], const double *u,
                       double gradient[3]);
/* Vectors along t1, t2 with given covariant components. */
void dg_plane_raise(const double t[2][3], const double covariant[2], double vector[3]);
