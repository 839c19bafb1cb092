/* Running transforms on their way to a checkpoint and back: all parts of all ranks, by name, with what a rank has of
 * each. A run on another number of ranks finds its own among them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/comm/comm.h"
#include "maxwell/transform/running.h"

enum { NAME = 80 };

/* Copies the sums of part k to value[2 frequencies][numbers], or adds them from there. */
static void copy_part(const struct mx_running *running, size_t numbers, size_t k, double *value, bool adds)
{
  for (size_t f = 0; f < 2 * running->frequencies; f++) {
    double *sum = running->sum + f * running->width + k * numbers, *here = value + f * numbers;
    for (size_t i = 0; i < numbers && adds; i++) sum[i] += here[i];
    if (!adds) memcpy(here, sum, numbers * sizeof *here);
  }
}

void mx_gathered_release(struct mx_gathered *gathered)
{
  dg_free(gathered->name);
  dg_free(gathered->sum);
  *gathered = (struct mx_gathered){0};
}

int mx_running_gather(struct mx_running *running, const struct mx_running_parts *parts, struct dg_comm *comm,
                      struct mx_gathered *gathered, struct dg_error *err)
{
  const size_t count = parts->count, numbers = parts->numbers, each = 2 * running->frequencies * numbers;
  const int ranks = dg_comm_size(comm);
  double *value = NULL;
  size_t *bytes = NULL;
  mx_gathered_release(gathered);
  if (mx_running_settle(running, err) != 0 || DG_NEW(value, count * each, err) != 0 || DG_NEW(bytes, ranks, err) != 0)
    goto fail;
  for (size_t k = 0; k < count; k++) copy_part(running, numbers, k, value + k * each, false);
  if (dg_comm_gather(comm, count * sizeof *parts->name, parts->name, &gathered->name, bytes, err) != 0) goto fail;
  for (int r = 0; r < ranks && dg_comm_rank(comm) == 0; r++) gathered->count += bytes[r] / sizeof *gathered->name;
  (void)!dg_comm_gather(comm, count * each * sizeof *value, value, &gathered->sum, NULL, err);
fail:
  dg_free(value);
  dg_free(bytes);
  return err->code;
}

static int by_name(const void *a, const void *b)
{
  const struct dg_keyed *x = a, *y = b;
  return (x->key > y->key) - (x->key < y->key);
}

/* Takes those of the loaded sums that this rank has parts of. */
static int spread(struct mx_running *running, const struct mx_running_parts *parts, size_t saved, const long *name,
                  double *value, struct dg_error *err)
{
  const size_t count = parts->count, numbers = parts->numbers;
  struct dg_keyed *own;
  if (DG_NEW(own, count, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) own[k] = (struct dg_keyed){(uint64_t)(parts->name[k] / 2), k};
  if (count > 0) qsort(own, count, sizeof *own, by_name);
  memset(running->sum, 0, 2 * running->frequencies * running->width * sizeof *running->sum);
  for (size_t i = 0; i < saved; i++) {
    const struct dg_keyed wanted = {(uint64_t)(name[i] / 2), 0};
    const struct dg_keyed *found = count > 0 ? bsearch(&wanted, own, count, sizeof *own, by_name) : NULL;
    if (found == NULL) continue;
    const bool whole = parts->whole == NULL || parts->whole[found->item];
    if (whole || parts->name[found->item] % 2 == name[i] % 2)
      copy_part(running, numbers, found->item, value + i * 2 * running->frequencies * numbers, true);
  }
  dg_free(own);
  return 0;
}

int mx_running_archive(struct mx_running *running, const struct mx_running_parts *parts,
                       const struct mx_gathered *gathered, const char *name, size_t most, struct mx_archive *archive,
                       struct dg_error *err)
{
  static const char *const what[] = {"faces", "names", "sums"};
  const bool loads = archive->does == MX_ARCHIVE_LOADS;
  const size_t each = 2 * running->frequencies * parts->numbers;
  long count = (long)gathered->count;
  char array[3][NAME];
  for (int i = 0; i < 3; i++) (void)snprintf(array[i], sizeof array[i], "%.60s/%s", name, what[i]);
  if (mx_archive_longs(archive, array[0], 1, &count, err) != 0) return err->code;
  if (loads && (count < 0 || count > (long)most))
    return dg_fail(err, DG_ENVIRONMENT, "the checkpoint has %ld parts of '%s'", count, name);
  long *own_name = gathered->name;
  double *value = gathered->sum;
  if (loads) own_name = NULL, value = NULL;
  if (loads && (dg_alloc(&own_name, (size_t)count, sizeof *own_name, err) != 0 ||
                dg_alloc(&value, (size_t)count * each, sizeof *value, err) != 0))
    goto fail;
  if (mx_archive_longs(archive, array[1], (size_t)count, own_name, err) != 0 ||
      mx_archive_doubles(archive, array[2], (size_t)count * each, value, err) != 0)
    goto fail;
  if (loads && spread(running, parts, (size_t)count, own_name, value, err) == 0) (void)!mx_running_loaded(running, err);
fail:
  if (loads) {
    dg_free(own_name);
    dg_free(value);
  }
  return err->code;
}
