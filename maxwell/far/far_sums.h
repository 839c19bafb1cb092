/* The running Fourier transform of the tangential fields on a closed surface.
 *
 * The fields on the faces are the states on which the numerical flux settles (maxwell/problem/flux.h): the balance of
 * energy and of charge of the scheme holds with these and no others, and integrals of them over a surface converge
 * faster than the fields of either side. Their difference to the mean of both sides is the penalty times the jump.
 * Equivalent currents are J = n x H* and M = -n x E*, n outwards. Each is what the inside gives plus what the outside
 * gives, and each side knows its own weights:
 *
 *   n x H* = sum over sides of  s [ (1 - h_jump) n_s x H_s - e_penalty E_s ],
 *   n x E* = sum over sides of  s [ (1 - e_jump) n_s x E_s + h_penalty H_s ],   s = +1 inside, -1 outside,
 *
 * n_s the outward normal of the side, tangential parts. A rank adds up the sides that it has; where a face lies between
 * two ranks, both transform their part, and the parts are added behind the run (far_field.c).
 *
 * On a curved face the four numbers are densities along the edges t1, t2 of its map: J dA = (j1 t1 + j2 t2) by the
 * coordinates of the reference triangle, with n x H dA = +-(t2 (t1.H) - t1 (t2.H)), so that the components of the
 * curl's flux are polynomials as the fields are; the penalty takes the metric at the node.
 *
 * The transforms themselves are maxwell/transform/running.h's. */
#pragma once

#include "maxwell/backend/backend.h"
#include "maxwell/far/far_surface.h"
#include "maxwell/transform/running.h"
#include "maxwell/worth/tail.h"

enum { MX_FAR_NUMBERS = 4 }; /* of a node: J along the two tangents (times eta0, V/m), and M */

struct mx_far_sums {
  const struct mx_far_surface *surface; /* borrowed */
  size_t Nf;
  struct mx_running running; /* samples [faces][4][Nf] */
  size_t points, bent_sides;
  struct mx_point *point; /* [points] nodes of the faces' own sides */
  double (*weight)[4][6]; /* [own sides] from the field at a node to its four numbers */
  double (*bent)[4][6];   /* [own sides of curved faces][Nf] the same, by node */
  double (*sample)[6];    /* [points] room for the fields */
  struct mx_tail tail;    /* what the end of the record lacks; of no samples on a card */
  double largest, last;   /* mean squares of samples: the largest one, and the last ones; 0 on a card */
};

/* Makes the sums. Not collective. Release in any case. */
int mx_far_sums_init(struct mx_far_sums *sums, const struct mx_far_surface *surface, const struct mx_problem *problem,
                     const struct mx_frequencies *frequencies, double interval, struct dg_error *err) DG_MUST_USE;
/* From here on the sums grow on the backend's card, if it has one. Call it before the first stage. */
int mx_far_sums_watch(struct mx_far_sums *sums, const struct mx_backend_ops *ops, struct mx_backend *backend,
                      struct dg_error *err) DG_MUST_USE;
/* Adds the observed fields of time t (s). */
int mx_far_sums_take(struct mx_far_sums *sums, const struct mx_backend_ops *ops, struct mx_backend *backend, double t,
                     struct dg_error *err) DG_MUST_USE;
/* The four numbers of a side at a node: number[4] of field[6], E and H (V/m). Of a curved face: those of one node. */
void mx_far_node_weights(const struct mx_problem *problem, const struct mx_far_face *face, int side, size_t m,
                         double weight[MX_FAR_NUMBERS][6]);
void mx_far_side_weights(const struct mx_problem *problem, const struct mx_far_face *face, int side,
                         double weight[MX_FAR_NUMBERS][6]);
size_t mx_far_sums_memory(const struct mx_far_sums *sums);
void mx_far_sums_release(struct mx_far_sums *sums);
