/* What the `cpu` backend computes once, in double precision, and small things that both precisions share. */
#pragma once

#include "maxwell/backend/backend.h"

struct mx_fused_functional { /* of the covariant components in blocks */
  size_t count, *index;
  double *weight;
};
void mx_fused_free_functionals(struct mx_fused_functional *functional, size_t count);

/* Node i of entry k of a term: what does not change times what does; zero where the term has nothing. */
void mx_fused_term_vector(const struct mx_term *term, const double *part, const double *value, bool vector_here,
                          size_t N, size_t k, size_t i, double v[3]);

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

/* How many blocks of that many bytes before their turn the fields are fetched from memory: as many as fill a quarter of
 * the second cache, so that what neighbours of the present block need has arrived and what they needed is still there.
 */
size_t mx_fused_ahead(size_t bytes);
