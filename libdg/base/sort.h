/* Sorting in linear time, and orders for qsort. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"

struct dg_keyed {
  uint64_t key;
  size_t item;
};

/* Sorts keyed[count] by ascending key; equal keys keep their order. O(count), and as much memory again while it runs.
 */
int dg_sort_keyed(struct dg_keyed *keyed, size_t count, struct dg_error *err) DG_MUST_USE;
/* The item with this key in a sorted list, the first one of several; SIZE_MAX: there is none. */
size_t dg_find_keyed(const struct dg_keyed *keyed, size_t count, uint64_t key);

/* Orders of numbers for qsort, ascending. */
int dg_compare_doubles(const void *a, const void *b);
int dg_compare_int32(const void *a, const void *b);
int dg_compare_int64(const void *a, const void *b);
