/* Gathering one component of a field, scaling it, converting it to the file's precision and finding its range, in
 * pieces that stay in the cache. silo_writer.c hands the numbers to Silo, silo_pattern.c writes them itself. */
#include "libdg/io/silo/silo_values.h"

#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/file.h"

/* Numbers that are handled at a time, so that they stay in the cache. */
enum { PIECE = 4096 };

static const struct dg_silo_range empty = DG_SILO_NO_RANGE;

static void gather(const struct dg_snapshot_field *field, size_t component, size_t first, size_t count, size_t each,
                   double *to)
{
  const size_t components = (size_t)field->components;
  for (size_t e = first; e < first + count; e++, to += each) {
    const double *const from = field->value + (e * components + component) * (field->per_element ? 1 : each);
    for (size_t n = 0; n < each; n++) to[n] = field->per_element ? *from : from[n];
    if (field->divisor != 0)
      for (size_t n = 0; n < each; n++) to[n] /= field->divisor;
  }
}

void dg_silo_gather(const struct dg_snapshot_field *field, size_t component, size_t K, size_t each, double *to)
{
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < K; e++) gather(field, component, e, 1, each, to + e * each);
}

static void find_range(size_t count, const double *value, struct dg_silo_range *range)
{
  enum { LANES = 8 };
  double least[LANES], largest[LANES];
  size_t i = 0;
  for (size_t j = 0; j < LANES; j++) {
    least[j] = INFINITY;
    largest[j] = -INFINITY;
  }
  for (; i + LANES <= count; i += LANES)
    for (size_t j = 0; j < LANES; j++) { /* so that the compiler takes a vector */
      const double v = value[i + j];
      least[j] = v < least[j] ? v : least[j];
      largest[j] = v > largest[j] ? v : largest[j];
    }
  for (; i < count; i++) dg_silo_widen(range, value[i]);
  for (size_t j = 0; j < LANES; j++) dg_silo_join(range, (struct dg_silo_range){least[j], largest[j]});
}

static void to_floats(size_t count, const double *value, float *to)
{
  for (size_t i = 0; i < count; i++) to[i] = (float)value[i];
}

/* Stores numbers first..first+count-1 of the file in memory. */
static void store(size_t first, size_t count, const double *value, bool single, void *to)
{
  if (single) to_floats(count, value, (float *)to + first);
  else memcpy((double *)to + first, value, count * sizeof *value);
}

/* Stores these numbers in the file, behind `place`. */
static int store_in_file(size_t first, size_t count, const double *value, bool single, int file, size_t place)
{
  float floats[PIECE];
  const size_t size = single ? sizeof *floats : sizeof *value;
  if (single) to_floats(count, value, floats);
  return dg_file_write_at(file, single ? (const void *)floats : value, count * size, place + first * size);
}

/* Rounding keeps order, so the ends of the range are rounded like all others. */
static void finish_range(struct dg_silo_range range, bool single, double result[2])
{
  result[0] = (single ? (float)range.least : range.least) + 0.0;
  result[1] = (single ? (float)range.largest : range.largest) + 0.0;
}

/* Converts to memory, or to a file where the pointer to memory is NULL. */
static int convert(const struct dg_snapshot_field *field, size_t component, size_t K, size_t each, bool single,
                   void *to, int file, size_t place, double result[2])
{
  const size_t most = each > 0 ? PIECE / each : 1; /* elements */
  struct dg_silo_range range = empty;
  int failed = 0;
  DG_ASSERT(most > 0);
#pragma omp parallel
  {
    struct dg_silo_range own = empty;
    double piece[PIECE];
    int reason = 0;
#pragma omp for schedule(static) nowait
    for (size_t first = 0; first < K; first += most) {
      const size_t count = first + most < K ? most : K - first;
      gather(field, component, first, count, each, piece);
      find_range(count * each, piece, &own);
      if (to != NULL) store(first * each, count * each, piece, single, to);
      else if (reason == 0) reason = store_in_file(first * each, count * each, piece, single, file, place);
    }
#pragma omp critical(silo_range)
    {
      dg_silo_join(&range, own);
      if (reason != 0) failed = reason;
    }
  }
  finish_range(range, single, result);
  return failed;
}

void dg_silo_convert(const struct dg_snapshot_field *field, size_t component, size_t K, size_t each, bool single,
                     void *to, double range[2])
{
  (void)convert(field, component, K, each, single, to, -1, 0, range);
}

int dg_silo_convert_to_file(const struct dg_snapshot_field *field, size_t component, size_t K, size_t each, bool single,
                            int file, size_t place, double range[2])
{
  return convert(field, component, K, each, single, NULL, file, place, range);
}

void dg_silo_convert_numbers(size_t count, const double *number, bool single, void *to, double result[2])
{
  struct dg_silo_range range = empty;
#pragma omp parallel
  {
    struct dg_silo_range own = empty;
#pragma omp for schedule(static) nowait
    for (size_t first = 0; first < count; first += PIECE) {
      const size_t some = first + PIECE < count ? PIECE : count - first;
      find_range(some, number + first, &own);
      store(first, some, number + first, single, to);
    }
#pragma omp critical(silo_range)
    dg_silo_join(&range, own);
  }
  finish_range(range, single, result);
}
