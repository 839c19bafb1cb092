/* What backends derive from the maps of a problem's curved elements (curved.h has the method), once, in double
 * precision: weights at the points of the rule, frames of nodes, metrics of faces. Components are along r, s, t; the
 * frame of the backends `cpu` and `cuda` is a fixed combination of these (maxwell/backend/frame/frame.h).
 *
 * Covariant components of a vector E are u_a = tangent[a] . E, and E = sum of metric[3 a + b] u_a. A density d is
 * contravariant times the determinant: d_a = det metric[3 a + b] E_b; it has the sign of the element's map. */
#pragma once

#include "libdg/ref/rule.h"
#include "maxwell/problem/problem.h"

struct mx_curve_tables {
  const struct dg_reference *ref; /* borrowed: the problem's */
  struct dg_quadrature rule;
  double *to, *from;       /* [Np][Nq] rule.at, by nodes; [Nq][Np] rule.project, by points */
  size_t count;            /* curved elements */
  double (*weight)[6];     /* [count][Nq] g_ab/det of a medium of 1: rr, rs, rt, ss, st, tt, m^-1 */
  double (*tangent)[3][3]; /* [count][Np] of the nodes, m */
  double (*metric)[9];     /* [count][Np] d(r, s, t)_a/dx_b of the nodes, 1/m */
  double (*face)[3];       /* [count][4][Nfq] inverse metric of the face times its area, g22, -g12, g11 over
                            * sqrt(g11 g22 - g12^2) with the sign of the map, along t1 and t2 (mx_curve_edge) */
};

/* A problem without curved elements has tables with a count of 0 and nothing else. Fails where a map is not one: its
 * determinant changes its sign or is zero at a point of the rule, or at a node. Release in any case; zeroed is safe. */
int mx_curve_tables_init(struct mx_curve_tables *tables, const struct mx_problem *problem,
                         struct dg_error *err) DG_MUST_USE;
/* The rule alone, without any element, for a backend that keeps weights in its own way. */
int mx_curve_rule_init(struct mx_curve_tables *tables, const struct dg_reference *ref,
                       struct dg_error *err) DG_MUST_USE;
void mx_curve_tables_release(struct mx_curve_tables *tables);
/* Bytes that the tables take. */
size_t mx_curve_tables_bytes(const struct mx_problem *problem);

/* Edges of face f along r, s, t: t1 = sum of edge[0][a] tangent[a], t2 likewise; both sides of a face have the same
 * two. A jump v under the curl enters the density as kappa (v1 t2 - v2 t1), v1 = t1 . v, with kappa = mx_curve_side(f).
 */
extern const double mx_curve_edge[4][2][3];
static inline double mx_curve_side(int f) { return f % 2 == 0 ? 1 : -1; }

/* The sign of curved element k's map, and so of its weights. */
static inline double mx_curve_sign(const struct mx_curve_tables *tables, size_t k)
{
  return tables->weight[k * (size_t)tables->rule.volume.points][0] < 0 ? -1 : 1;
}

/* covariant[3][Np] of the Cartesian field[3][Np] of curved element k, and back. */
void mx_curve_covariant(const struct mx_curve_tables *tables, size_t k, const double *field, double *covariant);
void mx_curve_cartesian(const struct mx_curve_tables *tables, size_t k, const double *covariant, double *field);

/* covariant[3][Np] = P [ W^-1 V density ] of a medium of 1, and its inverse (conjugate gradients, to rounding). */
void mx_curve_weigh(const struct mx_curve_tables *tables, size_t k, const double *density, double *covariant);
void mx_curve_unweigh(const struct mx_curve_tables *tables, size_t k, const double *covariant, double *density);

/* Half the integral of E . H as the scheme's energy takes it, V^2 m for fields in V/m: E[3][Np] and H[3][Np], Cartesian
 * (straight elements: half the Jacobian times E^T M H). It is symmetric and costs one inversion. */
double mx_curve_product(const struct mx_curve_tables *tables, size_t k, const double *E, const double *H);
