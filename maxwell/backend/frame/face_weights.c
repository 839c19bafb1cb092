/* Finds the few different weights that the faces of a problem have. The backends `cpu` and `cuda` build their tables of
 * faces with it. It hashes the weights (D. E. Knuth, The Art of Computer Programming, volume 3, 6.4). */
#include "maxwell/backend/frame/face_weights.h"

#include <string.h>

#include "libdg/base/memory.h"

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

/* Numbers the different fluxes in the order in which they occur; kind[faces]. slot[mask + 1] is the hash table. */
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

int mx_distinct_fluxes(const struct mx_problem *problem, int32_t (*index)[4], struct mx_face_flux **table,
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
