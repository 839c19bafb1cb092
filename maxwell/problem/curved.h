/* Curved elements of a problem.
 *
 * The field of a curved element is a polynomial in its covariant components u_a = x_a . E, x_a = dx/d(r, s, t)_a (or
 * along the bimedians: any fixed combination). Curl and jump in these components hold no geometry, so that
 *
 *   u = M^-1 (curl of the reference element, and lift),
 *
 * the contravariant curl times J = det x_a, comes from the same kernel as in a straight element. The weighted mass
 * matrix of the equation, of weight W = J g^ab eps, is inverted as M^-1 M(W^-1) M^-1 (weight-adjusted inverse,
 * J. Chan, R. J. Hewett, T. Warburton, SIAM J. Sci. Comput. 39 (2017) A2395; matrix weights: J. Chan,
 * SIAM J. Sci. Comput. 40 (2018) A3121):
 *
 *   dE/dt = P [ W(x_q)^-1 (V u)_q ],   W^-1 = g_ab / (J eps),   g_ab = x_a . x_b,
 *
 * V and P being `at` and `project` of libdg/ref/rule.h. Both are symmetric and positive, so that the scheme keeps an
 * energy, 1/2 u^T M M(W^-1)^-1 M u, whatever the element looks like. Affine maps give the six numbers g_ab/J back.
 *
 * The penalty on a curved face integrates with the rule of the face: it needs the metric of the face at the points.
 *
 * Outside of backends the field of a curved element is, as that of any element, the Cartesian vector at each node
 * (at the node's place on the curved map): E = sum of gradient_a u_a, with the frame of the node. Between nodes
 * the covariant components are interpolated, and turned with the frame of the place. */
#pragma once

#include "maxwell/problem/problem.h"

/* Checks that the determinants of the mesh's maps have their element's sign where an order needs them: at the points of
 * its rule, at its nodes, and at those of order 1, with which the search for the step limit begins. DG_INPUT names the
 * element and the place. Not collective. */
int mx_curve_check(const struct dg_mesh *mesh, const struct dg_reference *ref, struct dg_error *err) DG_MUST_USE;

/* Nodes of a map of order `geometry`. */
size_t mx_curve_nodes(int geometry);
/* Which of the problem's curved elements e is; -1: it is straight. */
ptrdiff_t mx_curve_find(const struct mx_problem *problem, size_t e);
/* tangent[a] = dx/d(r, s, t)_a at a place (r, s, t) of curved element k, m. Returns the determinant, whose sign is that
 * of the element. */
double mx_curve_tangent(const struct mx_problem *problem, size_t k, const double place[3], double tangent[3][3]);
/* metric[3 a + b] = d(r, s, t)_a/dx_b there, as mx_problem.metric has it for straight elements, 1/m. Returns the
 * determinant of the tangents. */
double mx_curve_metric(const struct mx_problem *problem, size_t k, const double place[3], double metric[9]);
/* The same at any place of any element; straight ones take mx_problem.metric. */
double mx_element_metric(const struct mx_problem *problem, size_t e, const double place[3], double metric[9]);
