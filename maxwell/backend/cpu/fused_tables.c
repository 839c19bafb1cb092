#include "maxwell/backend/cpu/fused_tables.h"

#include <math.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/memory.h"

void mx_fused_free_functionals(struct mx_fused_functional *functional, size_t count)
{
  for (size_t i = 0; functional != NULL && i < count; i++) {
    dg_free(functional[i].index);
    dg_free(functional[i].weight);
  }
  dg_free(functional);
}

void mx_fused_gradients(const double metric[9], double gradient[3][3])
{
  const double *r = metric, *s = metric + 3, *t = metric + 6;
  for (int d = 0; d < 3; d++) {
    gradient[0][d] = -s[d] - t[d];
    gradient[1][d] = -r[d] - t[d];
    gradient[2][d] = -r[d] - s[d];
  }
}

double mx_fused_tangents(const double metric[9], double x[3][3])
{
  double g[3][3], determinant = 0;
  mx_fused_gradients(metric, g);
  /* x_a = J grad b x grad c for a, b, c cyclic, 1/J the determinant of the gradients */
  for (int a = 0; a < 3; a++) {
    const double *b = g[(a + 1) % 3], *c = g[(a + 2) % 3];
    for (int d = 0; d < 3; d++) x[a][d] = b[(d + 1) % 3] * c[(d + 2) % 3] - b[(d + 2) % 3] * c[(d + 1) % 3];
  }
  for (int d = 0; d < 3; d++) determinant += g[0][d] * x[0][d];
  for (int a = 0; a < 3; a++)
    for (int d = 0; d < 3; d++) x[a][d] /= determinant;
  return 1 / determinant;
}

void mx_fused_along(size_t f, const double u[3], double along[2])
{
  along[0] = f == 0 ? u[1] - u[0] : f == 1 ? -u[0] - u[2] : -u[1] - u[2];
  along[1] = f == 0 ? u[2] - u[0] : f == 3 ? -u[0] - u[2] : -u[0] - u[1];
}

void mx_fused_from_along(size_t f, const double along[2], double flux[3])
{
  double p = along[0], q = along[1];
  flux[0] = 0.5 * (f < 2 ? p + q : q);
  flux[1] = 0.5 * (f == 0 ? -p : f == 1 ? q : f == 2 ? p + q : p);
  flux[2] = 0.5 * (f == 0 ? -q : f == 3 ? p + q : p);
}

void mx_fused_face_metric(int f, const double g[3][3], double weight, double inverse[3])
{
  /* t1 = alpha . x, t2 = beta . x */
  static const double alpha[4][3] = {{-1, 1, 0}, {-1, 0, -1}, {0, -1, -1}, {0, -1, -1}};
  static const double beta[4][3] = {{-1, 0, 1}, {-1, -1, 0}, {-1, -1, 0}, {-1, 0, -1}};
  double g11 = 0, g12 = 0, g22 = 0;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      g11 += alpha[f][a] * g[a][b] * alpha[f][b];
      g12 += alpha[f][a] * g[a][b] * beta[f][b];
      g22 += beta[f][a] * g[a][b] * beta[f][b];
    }
  double scale = -weight / sqrt(g11 * g22 - g12 * g12); /* minus: bimedians have the other orientation than r, s, t */
  inverse[0] = scale * g22;
  inverse[1] = -scale * g12;
  inverse[2] = scale * g11;
}

void mx_fused_term_vector(const struct mx_term *term, const double *part, const double *value, bool vector_here,
                          size_t N, size_t k, size_t i, double v[3])
{
  double factor = term->values == MX_ONE_NUMBER ? value[0] : term->values == MX_NUMBER_A_NODE ? value[k * N + i] : 1;
  const double *from = term->values == MX_VECTOR_A_NODE ? (vector_here ? value : NULL) : part;
  for (size_t c = 0; c < 3; c++) v[c] = from != NULL ? factor * from[(3 * k + c) * N + i] : 0;
}

static size_t hash(const struct mx_face_flux *flux)
{
  uint64_t word[sizeof *flux / sizeof(uint64_t)], h = 0;
  memcpy(word, flux, sizeof word);
  for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
    h = (h ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 over the golden ratio (Knuth, volume 3, 6.4) */
    h ^= h >> 32;
  }
  return h;
}

static bool same(const struct mx_face_flux *a, const struct mx_face_flux *b)
{
  return a->h_jump == b->h_jump && a->e_jump == b->e_jump && a->e_penalty == b->e_penalty &&
         a->h_penalty == b->h_penalty;
}

/* Numbers the different fluxes in the order in which they occur; kind[faces]. slot[mask + 1] is for looking up. */
static size_t number_fluxes(const struct mx_face_flux *flux, size_t faces, int32_t *kind, uint32_t *slot, size_t mask)
{
  size_t count = 0;
  for (size_t i = 0; i < faces; i++) {
    size_t at = hash(&flux[i]) & mask;
    while (slot[at] != 0 && !same(&flux[slot[at] - 1], &flux[i])) at = (at + 1) & mask;
    if (slot[at] == 0) { /* the first of its kind */
      slot[at] = (uint32_t)i + 1;
      kind[i] = (int32_t)count++;
    }
    kind[i] = kind[slot[at] - 1];
  }
  return count;
}

int mx_fused_distinct_fluxes(const struct mx_problem *problem, int32_t (*index)[4], struct mx_face_flux **table,
                             size_t *count, struct dg_error *err)
{
  const struct mx_face_flux *flux = (const struct mx_face_flux *)problem->flux;
  size_t faces = 4 * problem->K, slots = 16, most = 0, *often = NULL;
  int32_t *kind = (int32_t *)index;
  uint32_t *slot;
  *table = NULL;
  while (slots < 2 * faces) slots *= 2;
  if (DG_NEW(slot, slots, err) != 0) return err->code;
  *count = number_fluxes(flux, faces, kind, slot, slots - 1);
  if (DG_NEW(*table, *count, err) != 0 || DG_NEW(often, *count, err) != 0) goto fail;
  for (size_t i = 0; i < faces; i++) often[kind[i]]++;
  for (size_t k = 0; k < *count; k++)
    if (often[k] > often[most]) most = k;
  for (size_t i = 0; i < faces; i++) {
    size_t k = (size_t)kind[i], place = k == most ? 0 : k == 0 ? most : k;
    (*table)[place] = flux[i];
    kind[i] = (int32_t)place;
  }
fail:
  dg_free(slot);
  dg_free(often);
  return err->code;
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

/* Where the part of a thread begins: not between two entries of one element. */
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

struct mx_field_check mx_fused_worse(struct mx_field_check a, struct mx_field_check b)
{
  bool first = b.element < a.element;
  if (a.finite != b.finite) return a.finite ? b : a;
  if (!a.finite || a.largest == b.largest) return first ? b : a;
  return b.largest > a.largest ? b : a;
}

size_t mx_fused_ahead(size_t bytes)
{
  long cache = -1;
#ifdef _SC_LEVEL2_CACHE_SIZE
  cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  if (cache <= 0) cache = 1 << 20; /* unknown: that of a small core */
  return (size_t)cache / 4 / bytes + 1;
}
