/* The tables of a problem in the card's form. */
#include <math.h>
#include <string.h>

#include "gpu/state.h"
#include "libdg/base/memory.h"
#include "maxwell/cpu/fused_tables.h"
#include "maxwell/cpu/symmetry.h"

bool gpu_penalty_inside(const struct mx_problem *problem)
{
  for (size_t e = 0; e < problem->K; e++)
    for (int f = 0; f < 4; f++) {
      const struct mx_face_flux *flux = &problem->flux[e][f];
      if (problem->neighbour[e][f] >= 0 && (flux->e_penalty != 0 || flux->h_penalty != 0)) return true;
    }
  return false;
}

/* ---- by order */

static int pack_nodes(struct mx_backend *backend, struct dg_error *err)
{
  const struct dg_reference *ref = backend->problem->ref;
  size_t Np = (size_t)ref->Np, Nf = (size_t)ref->Nf;
  struct mx_symmetry symmetry = {0};
  int32_t *face_node = NULL;
  if (mx_symmetry_init(&symmetry, ref, err) != 0 || DG_NEW(backend->place, Np, err) != 0 ||
      DG_NEW(face_node, 4 * Nf, err) != 0)
    goto fail;
  backend->node = symmetry.node;
  symmetry.node = NULL;
  for (size_t n = 0; n < Np; n++) backend->place[backend->node[n]] = (int32_t)n;
  for (size_t m = 0; m < 4 * Nf; m++) face_node[m] = backend->place[ref->face_node[m]];
  if (gpu_new_copy(backend, &backend->tables.face_node, face_node, 4 * Nf * sizeof *face_node, "tables", err) != 0)
    goto fail;
fail:
  mx_symmetry_release(&symmetry);
  dg_free(face_node);
  return err->code;
}

static int pack_matrices(struct mx_backend *backend, struct dg_error *err)
{
  const struct dg_reference *ref = backend->problem->ref;
  size_t Np = (size_t)ref->Np, faces = 4 * (size_t)ref->Nf, real = backend->real;
  void *derivative = NULL, *lift = NULL;
  double *mass = NULL;
  if (dg_alloc(&derivative, 3 * Np * Np, real, err) != 0 || dg_alloc(&lift, faces * Np, real, err) != 0 ||
      DG_NEW(mass, Np * Np, err) != 0)
    goto fail;
  for (size_t i = 0; i < Np; i++) {
    const size_t row = (size_t)backend->node[i];
    for (size_t j = 0; j < Np; j++) {
      const size_t at = row * Np + (size_t)backend->node[j];
      mass[j * Np + i] = ref->mass[at];
      for (size_t c = 0; c < 3; c++) { /* x_a = (x_r - x_s - x_t) / 2, and so on */
        double along = 0;
        for (size_t a = 0; a < 3; a++) along += (a == c ? 0.5 : -0.5) * ref->D[a][at];
        gpu_put(backend, derivative, (c * Np + j) * Np + i, along);
      }
    }
    for (size_t m = 0; m < faces; m++) gpu_put(backend, lift, m * Np + i, 0.5 * ref->lift[row * faces + m]);
  }
  if (gpu_new_copy(backend, &backend->tables.derivative, derivative, 3 * Np * Np * real, "matrices", err) != 0 ||
      gpu_new_copy(backend, &backend->tables.lift, lift, faces * Np * real, "matrices", err) != 0 ||
      gpu_new_copy(backend, &backend->tables.mass, mass, Np * Np * sizeof *mass, "matrices", err) != 0)
    goto fail;
fail:
  dg_free(derivative);
  dg_free(lift);
  dg_free(mass);
  return err->code;
}

/* ---- by element */

static int pack_metric(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  void *metric;
  if (dg_alloc_untouched(&metric, 6 * problem->K, backend->real, err) != 0) return err->code;
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < problem->K; e++) {
    double x[3][3], jacobian = mx_fused_tangents(problem->metric[e], x);
    for (size_t a = 0, k = 0; a < 3; a++)
      for (size_t b = a; b < 3; b++, k++)
        gpu_put(backend, metric, 6 * e + k, (x[a][0] * x[b][0] + x[a][1] * x[b][1] + x[a][2] * x[b][2]) / jacobian);
  }
  (void)!gpu_new_copy(backend, &backend->tables.metric, metric, 6 * problem->K * backend->real, "the geometry", err);
  dg_free(metric);
  return err->code;
}

static int pack_neighbours(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  return gpu_new_copy(backend, &backend->tables.neighbour, problem->neighbour, problem->K * sizeof *problem->neighbour,
                      "neighbours", err);
}

/* index[count] of `kinds` different things; overwrites index. */
static int pack_index(struct mx_backend *backend, struct gpu_index *packed, int32_t *index, size_t count, size_t kinds,
                      struct dg_error *err)
{
  packed->wide = kinds > UINT16_MAX;
  uint16_t *narrow = (uint16_t *)(void *)index; /* the narrow ones never overtake the wide ones */
  for (size_t i = 0; i < count && !packed->wide; i++) {
    const uint16_t value = (uint16_t)index[i];
    memcpy(narrow + i, &value, sizeof value);
  }
  return gpu_new_copy(backend, &packed->data, index, count * (packed->wide ? sizeof(int32_t) : sizeof(uint16_t)),
                      "indices", err);
}

static int pack_fluxes(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  struct mx_face_flux *table = NULL;
  size_t count;
  int32_t(*index)[4];
  if (DG_NEW(index, problem->K, err) != 0) return err->code;
  if (mx_fused_distinct_fluxes(problem, index, &table, &count, err) != 0 ||
      pack_index(backend, &backend->tables.flux, (int32_t *)index, 4 * problem->K, count, err) != 0 ||
      gpu_new_copy(backend, &backend->tables.flux_table, table, count * sizeof *table, "fluxes", err) != 0)
    goto fail;
fail:
  dg_free(index);
  dg_free(table);
  return err->code;
}

static struct gpu_medium medium_of(const struct mx_backend *backend, size_t e)
{
  const struct mx_problem *problem = backend->problem;
  double epsilon = problem->epsilon[e], mu = problem->mu[e], dt = backend->options.step;
  double loss = dt * problem->sigma[e] / epsilon;
  bool leapfrog = backend->options.integrator == MX_LEAPFROG;
  double mean = leapfrog ? 1 + 0.5 * loss : 1; /* losses are taken between old and new */
  return (struct gpu_medium){.factor = {dt / epsilon / mean, -dt / mu}, .decay = -loss / mean, .weight = {epsilon, mu}};
}

static size_t hash(const double key[3], size_t mask)
{
  uint64_t word[3], h = 0;
  memcpy(word, key, sizeof word);
  for (size_t i = 0; i < 3; i++) {
    h = (h ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15); /* as in fused_tables.c */
    h ^= h >> 32;
  }
  return h & mask;
}

/* Numbers the different media in the order in which they occur; first[] is an element of each. */
static size_t number_media(const struct mx_problem *problem, int32_t *index, int32_t *first, uint32_t *slot,
                           size_t mask)
{
  size_t count = 0;
  for (size_t e = 0; e < problem->K; e++) {
    const double key[3] = {problem->epsilon[e], problem->mu[e], problem->sigma[e]};
    size_t at = hash(key, mask);
    for (; slot[at] != 0; at = (at + 1) & mask) {
      const size_t o = (size_t)first[slot[at] - 1];
      if (problem->epsilon[o] == key[0] && problem->mu[o] == key[1] && problem->sigma[o] == key[2]) break;
    }
    if (slot[at] == 0) {
      first[count] = (int32_t)e;
      slot[at] = (uint32_t)++count;
    }
    index[e] = (int32_t)(slot[at] - 1);
  }
  return count;
}

static int pack_media(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  size_t slots = 16;
  int32_t *index = NULL, *first = NULL;
  uint32_t *slot = NULL;
  struct gpu_medium *table = NULL;
  while (slots < 2 * problem->K) slots *= 2;
  if (DG_NEW(index, problem->K, err) != 0 || DG_NEW(first, problem->K, err) != 0 || DG_NEW(slot, slots, err) != 0)
    goto fail;
  size_t count = number_media(problem, index, first, slot, slots - 1);
  if (DG_NEW(table, count, err) != 0) goto fail;
  for (size_t i = 0; i < count; i++) table[i] = medium_of(backend, (size_t)first[i]);
  if (pack_index(backend, &backend->tables.medium, index, problem->K, count, err) != 0 ||
      gpu_new_copy(backend, &backend->tables.medium_table, table, count * sizeof *table, "media", err) != 0)
    goto fail;
fail:
  dg_free(index);
  dg_free(first);
  dg_free(slot);
  dg_free(table);
  return err->code;
}

int gpu_pack_tables(struct mx_backend *backend, struct dg_error *err)
{
  if (pack_nodes(backend, err) != 0 || pack_matrices(backend, err) != 0 || pack_metric(backend, err) != 0 ||
      pack_neighbours(backend, err) != 0 || pack_fluxes(backend, err) != 0 || pack_media(backend, err) != 0)
    return err->code;
  return 0;
}
