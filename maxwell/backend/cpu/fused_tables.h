/* What the `cpu` backend computes once, in double precision, and small things that both precisions share. */
#pragma once

#include "maxwell/backend/backend.h"

struct mx_fused_functional { /* of the covariant components in blocks */
  size_t count, *index;
  double *weight;
};
void mx_fused_free_functionals(struct mx_fused_functional *functional, size_t count);

/* Gradients of the coordinates a, b, c along the bimedians, and x[0] = dx/da and so on, from the metric dr_a/dx_b;
 * returns the signed Jacobian of (a, b, c), -1/2 that of (r, s, t). */
void mx_fused_gradients(const double metric[9], double gradient[3][3]);
double mx_fused_tangents(const double metric[9], double x[3][3]);

/* Components along t1 and t2 of face f from the covariant ones. */
void mx_fused_along(size_t f, const double u[3], double along[2]);

/* What is lifted, along x_a, x_b, x_c, with the Jacobian of (a, b, c), from what it is along t1 and t2 with that of
 * (r, s, t). */
void mx_fused_from_along(size_t f, const double along[2], double flux[3]);

/* weight times the inverse metric of face f: rows (0 1), (1 2). g may have any scale; its sign is kept. */
void mx_fused_face_metric(int f, const double g[3][3], double weight, double inverse[3]);

/* Node i of entry k of a term: what does not change times what does; zero where the term has nothing. */
void mx_fused_term_vector(const struct mx_term *term, const double *part, const double *value, bool vector_here,
                          size_t N, size_t k, size_t i, double v[3]);

/* The different weights of the problem's faces, the most frequent one first, and each face's place among them. Free
 * *table. */
int mx_fused_distinct_fluxes(const struct mx_problem *problem, int32_t (*index)[4], struct mx_face_flux **table,
                             size_t *count, struct dg_error *err) DG_MUST_USE;

/* How many threads are worth starting for that many blocks; at most what OpenMP (OMP_NUM_THREADS) says. */
int mx_fused_threads(size_t blocks);
/* The calling thread's part of the blocks. */
void mx_fused_share(size_t blocks, size_t *first, size_t *last);

/* How many threads are worth starting to add a term, at most `threads`. One where its elements do not ascend (wires):
 * else all entries of one element stand together, and mx_fused_share_term can give them to one thread. */
int mx_fused_term_threads(const struct mx_term *term, int threads);
/* A thread's part of the term's entries, which together are all of them. No element is in two parts, and each is added
 * in the order of its entries, so that the sum does not depend on the number of threads. */
void mx_fused_share_term(const struct mx_term *term, int threads, int thread, size_t *first, size_t *last);

/* What the checks of two sets of elements say of both together. */
struct mx_field_check mx_fused_worse(struct mx_field_check a, struct mx_field_check b);

/* How many blocks of that many bytes before their turn the fields are fetched from memory: as many as fill a quarter of
 * the second cache, so that what neighbours of the present block need has arrived and what they needed is still there.
 */
size_t mx_fused_ahead(size_t bytes);
