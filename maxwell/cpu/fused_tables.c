#include "maxwell/cpu/fused_tables.h"

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

double mx_fused_tangents(const double metric[9], double x[3][3])
{
  const double *g[3] = {metric, metric + 3, metric + 6};
  double determinant = 0;
  /* x_a = J grad r_b x grad r_c for a, b, c cyclic, 1/J the determinant of the metric */
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
  along[0] = f == 0 ? u[1] - u[0] : f == 1 ? u[1] : u[0];
  along[1] = f == 0 ? u[2] - u[0] : f == 3 ? u[1] : u[2];
}

void mx_fused_face_metric(int f, const double g[3][3], double weight, double inverse[3])
{
  int a = f == 1 ? 1 : 0, b = f == 3 ? 1 : 2;
  double g11 = g[a][a], g12 = g[a][b], g22 = g[b][b];
  if (f == 0) {
    g11 = g[1][1] - 2 * g[0][1] + g[0][0];
    g12 = g[1][2] - g[0][1] - g[0][2] + g[0][0];
    g22 = g[2][2] - 2 * g[0][2] + g[0][0];
  }
  double scale = weight / sqrt(g11 * g22 - g12 * g12);
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

/* Numbers the different fluxes in the order in which they occur; kind[faces]. slot[mask + 1] is for looking up. */
static size_t number_fluxes(const struct mx_face_flux *flux, size_t faces, int32_t *kind, uint32_t *slot, size_t mask)
{
  size_t count = 0;
  for (size_t i = 0; i < faces; i++) {
    size_t at = hash(&flux[i]) & mask;
    while (slot[at] != 0 && memcmp(&flux[slot[at] - 1], &flux[i], sizeof *flux) != 0) at = (at + 1) & mask;
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

size_t mx_fused_ahead(size_t bytes)
{
  long cache = -1;
#ifdef _SC_LEVEL2_CACHE_SIZE
  cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  if (cache <= 0) cache = 1 << 20; /* unknown: that of a small core */
  return (size_t)cache / 4 / bytes + 1;
}
