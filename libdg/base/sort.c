/* A radix sort with digits of 11 bits, lowest first, for keys of 64 bits. Set-up sorts elements, faces and nodes with
 * it. */
#include "libdg/base/sort.h"

#include <string.h>

#include "libdg/base/memory.h"

/* Radix sort, lowest digit first. */
int dg_sort_keyed(struct dg_keyed *keyed, size_t count, struct dg_error *err)
{
  enum { BITS = 11, DIGITS = 1 << BITS };
  struct dg_keyed *room;
  if (dg_alloc_untouched(&room, count, sizeof *room, err) != 0) return err->code;
  struct dg_keyed *from = keyed, *to = room;
  for (int shift = 0; shift < 64; shift += BITS) {
    size_t start[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) start[from[i].key >> shift & (DIGITS - 1)]++;
    if (count == 0 || start[from[0].key >> shift & (DIGITS - 1)] == count) continue; /* nothing to tell apart */
    for (size_t d = 0; d < DIGITS; d++) {
      size_t here = start[d];
      start[d] = sum;
      sum += here;
    }
    for (size_t i = 0; i < count; i++) to[start[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
    struct dg_keyed *swap = from;
    from = to;
    to = swap;
  }
  if (from != keyed) memcpy(keyed, from, count * sizeof *keyed);
  dg_free(room);
  return 0;
}

size_t dg_find_keyed(const struct dg_keyed *keyed, size_t count, uint64_t key)
{
  size_t first = 0, last = count;
  while (first < last) {
    const size_t middle = first + (last - first) / 2;
    if (keyed[middle].key < key) first = middle + 1;
    else last = middle;
  }
  return first < count && keyed[first].key == key ? keyed[first].item : SIZE_MAX;
}

#define ORDER(name, type)                                                                                              \
  int name(const void *a, const void *b)                                                                               \
  {                                                                                                                    \
    const type x = *(const type *)a, y = *(const type *)b;                                                             \
    return (x > y) - (x < y);                                                                                          \
  }
ORDER(dg_compare_doubles, double)
ORDER(dg_compare_int32, int32_t)
ORDER(dg_compare_int64, int64_t)
