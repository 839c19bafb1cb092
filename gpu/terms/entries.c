/* What terms of every kind share: the tables of their entries, the launches that add to an equation, and the traces of
 * their faces as checkpoints have them. */
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/core/staging.h"
#include "gpu/terms/entries.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/frame/frame.h"

static int32_t element_of(bool faces, int32_t where) { return faces ? where / 4 : where; }

/* Fills order[count]: the numbers of the entries, sorted by element, those of an element in their order. A merge sort
 * keeps this order. Wires have many entries and few elements. */
static void sort_entries(bool faces, const int32_t *where, int32_t *order, int32_t *scratch, size_t count)
{
  if (count < 2) return;
  size_t half = count / 2, i = 0, j = half;
  sort_entries(faces, where, order, scratch, half);
  sort_entries(faces, where, order + half, scratch, count - half);
  for (size_t k = 0; k < count; k++) {
    bool left = j == count || (i < half && element_of(faces, where[order[i]]) <= element_of(faces, where[order[j]]));
    scratch[k] = order[left ? i++ : j++];
  }
  memcpy(order, scratch, count * sizeof *order);
}

/* The entries entry[count] of those at where[all]. */
static int pack_some(struct mx_backend *backend, struct gpu_entries *entries, bool faces, size_t count, int32_t *entry,
                     size_t all, const int32_t *where, struct dg_error *err)
{
  int32_t *start = NULL, *scratch = NULL;
  if (DG_NEW(start, count + 1, err) != 0 || DG_NEW(scratch, count, err) != 0) goto fail;
  sort_entries(faces, where, entry, scratch, count);
  for (size_t k = 0; k < count; k++)
    if (k == 0 || element_of(faces, where[entry[k]]) != element_of(faces, where[entry[k - 1]]))
      start[entries->groups++] = (int32_t)k;
  start[entries->groups] = (int32_t)count;
  if (gpu_new_copy(&backend->card, &entries->start, start, ((size_t)entries->groups + 1) * sizeof *start, "sources",
                   err) != 0 ||
      gpu_new_copy(&backend->card, &entries->entry, entry, count * sizeof *entry, "sources", err) != 0 ||
      gpu_new_copy(&backend->card, &entries->where, where, all * sizeof *where, "sources", err) != 0)
    goto fail;
fail:
  dg_free(start);
  dg_free(scratch);
  return err->code;
}

int gpu_pack_entries(struct mx_backend *backend, struct gpu_entries *straight, struct gpu_entries *curved, bool faces,
                     size_t count, const int32_t *where, struct dg_error *err)
{
  int32_t *entry;
  size_t few = 0, many = count; /* straight ones from the front, curved ones from the end */
  if (DG_NEW(entry, count, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) {
    const bool bent = gpu_is_curved(backend, (size_t)element_of(faces, where[k]));
    entry[bent ? --many : few++] = (int32_t)k;
  }
  for (size_t i = many, j = count; i + 1 < j; i++) { /* in their order again */
    const int32_t last = entry[--j];
    entry[j] = entry[i];
    entry[i] = last;
  }
  (void)!(pack_some(backend, straight, faces, few, entry, count, where, err) != 0 ||
          (many < count && pack_some(backend, curved, faces, count - many, entry + many, count, where, err) != 0));
  dg_free(entry);
  return err->code;
}

/* ---- passes */

int gpu_add_everywhere(struct mx_backend *backend, struct gpu_addition addition, const struct gpu_entries *curved,
                       bool jumps, const char *doing, struct dg_error *err)
{
  addition.applied = backend->applied.of[addition.equation];
  if (gpu_check(jumps ? gpu_add_jumps(&backend->tables, &addition, backend->work)
                      : gpu_add_currents(&backend->tables, &addition, backend->work),
                doing, err) != 0)
    return err->code;
  addition.entries = *curved;
  return gpu_check(gpu_add_in_curved(&backend->tables, &backend->curves, &addition, jumps, backend->work), doing, err);
}

/* ---- checkpoints */

int gpu_copy_traces(struct mx_backend *backend, void *card, size_t first, size_t count,
                    size_t (*face)(const struct mx_problem *problem, size_t i, size_t *e), double *to,
                    const double *from, struct dg_error *err)
{
  const size_t Nf = (size_t)backend->problem->ref->Nf, bytes = 2 * Nf * backend->real;
  size_t e = 0;
  if (gpu_grow_staging(backend, count * bytes, err) != 0 ||
      (to != NULL && gpu_copy_staged(backend, (unsigned char *)card + first * bytes, count * bytes, false, err) != 0))
    return err->code;
  void *const host = backend->staging[0];
  for (size_t k = 0; k < count; k++) {
    const size_t f = face(backend->problem, first + k, &e);
    for (size_t m = 0; m < Nf; m++) {
      double u[3], along[2];
      if (to != NULL) {
        for (size_t a = 0; a < 2; a++) along[a] = gpu_get(backend, host, (2 * k + a) * Nf + m);
        MX_WITH_ALONG(f, along[0], along[1], u);
        for (size_t c = 0; c < 3; c++) to[(3 * k + c) * Nf + m] = u[c];
      } else {
        for (size_t c = 0; c < 3; c++) u[c] = from[(3 * k + c) * Nf + m];
        MX_ALONG(f, u[0], u[1], u[2], along);
        for (size_t a = 0; a < 2; a++) gpu_put(backend, host, (2 * k + a) * Nf + m, along[a]);
      }
    }
  }
  if (to != NULL) return 0;
  return gpu_copy_staged(backend, (unsigned char *)card + first * bytes, count * bytes, true, err);
}
