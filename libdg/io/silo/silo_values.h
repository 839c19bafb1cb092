/* Numbers of a field on their way to a snapshot: as the file has them, and their range. Private to this folder. */
#pragma once

#include <math.h>

#include "libdg/io/snapshot_writer.h"

/* Smallest and largest of values; NaN is passed over. */
struct dg_silo_range {
  double least, largest;
};

#define DG_SILO_NO_RANGE                                                                                               \
  {                                                                                                                    \
    INFINITY, -INFINITY                                                                                                \
  }

static inline void dg_silo_widen(struct dg_silo_range *range, double value)
{
  range->least = value < range->least ? value : range->least;
  range->largest = value > range->largest ? value : range->largest;
}

static inline void dg_silo_join(struct dg_silo_range *range, struct dg_silo_range other)
{
  range->least = other.least < range->least ? other.least : range->least;
  range->largest = other.largest > range->largest ? other.largest : range->largest;
}

/* Gathers a component of K elements with `each` numbers in the file: to[K][each], at the nodes, or the element's value
 * for each of its zones. */
void dg_silo_gather(const struct dg_snapshot_field *field, size_t component, size_t K, size_t each, double *to);

/* Converts a component to doubles, or to floats if `single`, and finds the range of the written numbers: [0] smallest,
 * [1] largest, the wrong way round when all is NaN; a zero has no sign. */
void dg_silo_convert(const struct dg_snapshot_field *field, size_t component, size_t K, size_t each, bool single,
                     void *to, double range[2]);
/* Converts a component to a file, from byte `place` on: 0 or the system's reason. */
int dg_silo_convert_to_file(const struct dg_snapshot_field *field, size_t component, size_t K, size_t each, bool single,
                            int file, size_t place, double range[2]) DG_MUST_USE;
/* Converts numbers as dg_silo_convert does. The numbers lie somewhere else than `to`. */
void dg_silo_convert_numbers(size_t count, const double *number, bool single, void *to, double range[2]);
