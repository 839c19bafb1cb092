/* Tables and shares that both precisions of the `cpu` backend use: functionals in blocks, the values of terms at a
 * node, the parts of blocks and terms that threads take, how far ahead fields are fetched, and whether results go past
 * the caches. fused_body.h calls it. */
#include "maxwell/backend/cpu/fused_tables.h"

#include <omp.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "maxwell/backend/frame/points.h"

void mx_fused_free_functionals(struct mx_fused_functional *functional, size_t count)
{
  for (size_t i = 0; functional != NULL && i < count; i++) {
    dg_free(functional[i].index);
    dg_free(functional[i].weight);
  }
  dg_free(functional);
}

void mx_fused_term_vector(const struct mx_term *term, const double *part, const double *value, bool vector_here,
                          size_t N, size_t k, size_t i, double v[3])
{
  double factor = term->values == MX_ONE_NUMBER ? value[0] : term->values == MX_NUMBER_A_NODE ? value[k * N + i] : 1;
  const double *from = term->values == MX_VECTOR_A_NODE ? (vector_here ? value : NULL) : part;
  for (size_t c = 0; c < 3; c++) v[c] = from != NULL ? factor * from[(3 * k + c) * N + i] : 0;
}

int mx_fused_threads(size_t blocks)
{
  enum { LEAST = 16 }; /* blocks a thread: with fewer, waiting for each other costs more than it saves */
  size_t most = (size_t)omp_get_max_threads(), useful = blocks / LEAST;
  return useful < 1 ? 1 : (int)(useful < most ? useful : most);
}

void mx_fused_share(size_t blocks, size_t *first, size_t *last)
{
  size_t threads = (size_t)omp_get_num_threads(), mine = (size_t)omp_get_thread_num();
  *first = blocks * mine / threads;
  *last = blocks * (mine + 1) / threads;
}

static int32_t element_of(const struct mx_term *term, size_t k)
{
  return term->kind == MX_CURRENT ? term->where[k] : term->where[k] / 4;
}

int mx_fused_term_threads(const struct mx_term *term, int threads)
{
  enum { LEAST = 32 }; /* entries a thread: with fewer, waiting for each other costs more than it saves */
  for (size_t k = 1; k < term->count; k++)
    if (element_of(term, k) < element_of(term, k - 1)) return 1;
  size_t useful = term->count / LEAST;
  return useful < 1 ? 1 : useful < (size_t)threads ? (int)useful : threads;
}

/* Finds where the part of a thread begins: never between two entries of one element. */
static size_t begin_of(const struct mx_term *term, size_t threads, size_t thread)
{
  size_t k = term->count * thread / threads;
  while (k > 0 && k < term->count && element_of(term, k) == element_of(term, k - 1)) k++;
  return k;
}

void mx_fused_share_term(const struct mx_term *term, int threads, int thread, size_t *first, size_t *last)
{
  *first = begin_of(term, (size_t)threads, (size_t)thread);
  *last = begin_of(term, (size_t)threads, (size_t)thread + 1);
}

bool mx_fused_streams(size_t bytes)
{
  enum { MOST = 16 << 20 }; /* where a socket has several third caches, glibc says what they are together */
  long cache = -1;
#ifdef _SC_LEVEL3_CACHE_SIZE
  cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  const size_t half = cache <= 0 ? 0 : (size_t)cache / 2;
  return bytes > (half < MOST ? half : MOST);
}

size_t mx_fused_ahead(size_t bytes)
{
  long cache = -1;
#ifdef _SC_LEVEL2_CACHE_SIZE
  cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  if (cache <= 0) cache = 1 << 20; /* an unknown cache: assume that of a small core */
  return (size_t)cache / 4 / bytes + 1;
}

bool mx_fused_curved_penalty(const struct mx_problem *problem)
{
  for (size_t k = 0; k < problem->curves.count; k++)
    for (int f = 0; f < 4; f++) {
      const struct mx_face_flux *flux = &problem->flux[problem->curves.where[k]][f];
      if (flux->e_penalty != 0 || flux->h_penalty != 0) return true;
    }
  return false;
}

size_t mx_fused_curves_bytes(const struct mx_problem *problem, size_t real)
{
  const size_t order = (size_t)problem->ref->order, curved = problem->curves.count;
  const size_t faces = mx_fused_curved_penalty(problem) ? 8 * MX_FACE_POINTS(order) : 0;
  if (curved == 0) return 0;
  return curved * real * (6 * MX_POINTS(order) + faces) + 2 * problem->K * sizeof(int32_t);
}
