/* Tables that the `cpu` backend computes once, in double precision, and small functions that both precisions share. */
#pragma once

#include "maxwell/backend/backend.h"
#include "maxwell/problem/curve_tables.h"

struct mx_fused_functional { /* a functional of the covariant components in blocks */
  size_t count, *index;
  double *weight;
};
void mx_fused_free_functionals(struct mx_fused_functional *functional, size_t count);

/* The vector of a term at node i of entry k: its constant part times its changing part. The vector is zero where the
 * term has none. */
void mx_fused_term_vector(const struct mx_term *term, const double *part, const double *value, bool vector_here,
                          size_t N, size_t k, size_t i, double v[3]);

/* Returns how many threads are worth starting for that many blocks. It is at most what OpenMP (OMP_NUM_THREADS) says.
 */
int mx_fused_threads(size_t blocks);
/* The calling thread's part of the blocks. */
void mx_fused_share(size_t blocks, size_t *first, size_t *last);

/* Returns how many threads are worth starting to add a term, at most `threads`. It is one where the term's elements do
 * not ascend (wires). Otherwise all entries of one element stand together, and mx_fused_share_term can give them to one
 * thread. */
int mx_fused_term_threads(const struct mx_term *term, int threads);
/* Finds a thread's part of the term's entries; the parts together are all of them. No element is in two parts, and the
 * entries of an element are added in their order, so that the sum does not depend on the number of threads. */
void mx_fused_share_term(const struct mx_term *term, int threads, int thread, size_t *first, size_t *last);

/* Returns how many blocks of that many bytes before their turn the fields are fetched from memory. They fill a quarter
 * of the second cache: what neighbours of the present block need has then arrived, and what they needed is still there.
 */
size_t mx_fused_ahead(size_t bytes);
/* Says whether next values are written past the caches, given the bytes of the fields that a pass reads and writes.
 * They are, unless all of it stays in half of the third cache, or in 16 MiB. */
bool mx_fused_streams(size_t bytes);

/* Says whether any face of a curved element has a penalty. */
bool mx_fused_curved_penalty(const struct mx_problem *problem);
/* Bytes of the kernels' tables of curved elements, in numbers of `real` bytes. */
size_t mx_fused_curves_bytes(const struct mx_problem *problem, size_t real);
