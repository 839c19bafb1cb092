/* Keeps transforms of some numbers of a record at some times, and extrapolates them at the end. tail.h has the
 * formulas. */
#include "maxwell/worth/tail.h"

#include <complex.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"

enum { FIRST_BLOCK = 8, CHUNKS = 8, WINDOWS = 2, OF_WINDOW = 4, NUMBERS = 2 + OF_WINDOW * WINDOWS };

static size_t width_of(const struct mx_tail *tail) { return tail->frequencies * tail->witnesses * 2; }

int mx_tail_init(struct mx_tail *tail, size_t frequencies, const double *hertz, size_t witnesses, struct dg_error *err)
{
  *tail = (struct mx_tail){.frequencies = frequencies,
                           .hertz = hertz,
                           .witnesses = witnesses < MX_TAIL_WITNESSES ? witnesses : MX_TAIL_WITNESSES,
                           .block = FIRST_BLOCK};
  return DG_NEW(tail->sum, (MX_TAIL_SNAPSHOTS + 1) * width_of(tail), err);
}

void mx_tail_release(struct mx_tail *tail)
{
  dg_free(tail->sum);
  dg_free(tail->all);
  dg_free(tail->size);
  *tail = (struct mx_tail){0};
}

size_t mx_tail_witness(const struct mx_tail *tail, size_t i, size_t count)
{
  return tail->witnesses > 0 ? i * count / tail->witnesses : 0;
}

/* Drops every second snapshot: those at odd multiples of the block. */
static void thin(struct mx_tail *tail)
{
  const size_t width = width_of(tail);
  for (size_t i = 0; i < MX_TAIL_SNAPSHOTS / 2; i++) {
    memmove(tail->sum + i * width, tail->sum + (2 * i + 1) * width, width * sizeof *tail->sum);
    tail->largest[i] = fmax(tail->largest[2 * i], tail->largest[2 * i + 1]);
  }
  tail->snapshots = MX_TAIL_SNAPSHOTS / 2;
  tail->block *= 2;
}

static void keep(struct mx_tail *tail)
{
  const size_t width = width_of(tail);
  memcpy(tail->sum + (size_t)tail->snapshots * width, tail->sum + MX_TAIL_SNAPSHOTS * width, width * sizeof *tail->sum);
  tail->largest[tail->snapshots++] = tail->largest[MX_TAIL_SNAPSHOTS];
  tail->largest[MX_TAIL_SNAPSHOTS] = 0;
  if (tail->snapshots == MX_TAIL_SNAPSHOTS) thin(tail);
}

void mx_tail_add(struct mx_tail *tail, double t, const double *value, size_t count)
{
  const double two_pi = 6.283185307179586477;
  double *sum = tail->sum + MX_TAIL_SNAPSHOTS * width_of(tail), x[MX_TAIL_WITNESSES], square = 0;
  for (size_t w = 0; w < tail->witnesses; w++) {
    x[w] = value[mx_tail_witness(tail, w, count)];
    if (isnan(x[w])) x[w] = 0; /* a point outside the mesh */
    square += x[w] * x[w];
  }
  for (size_t f = 0; f < tail->frequencies; f++) {
    const double cycles = tail->hertz[f] * t, angle = two_pi * (cycles - floor(cycles)), re = cos(angle),
                 im = -sin(angle);
    for (size_t w = 0; w < tail->witnesses; w++, sum += 2) {
      sum[0] += re * x[w];
      sum[1] += im * x[w];
    }
  }
  if (tail->samples % (tail->block / CHUNKS) == 0) {
    tail->last[1] = tail->last[0];
    tail->last[0] = 0;
  }
  tail->last[0] = fmax(tail->last[0], square);
  tail->largest[MX_TAIL_SNAPSHOTS] = fmax(tail->largest[MX_TAIL_SNAPSHOTS], square);
  if (++tail->samples % tail->block == 0) keep(tail);
}

static int archive_counts(struct mx_tail *tail, const char *name, struct mx_archive *archive, struct dg_error *err)
{
  long counts[3] = {tail->samples, tail->block, tail->snapshots};
  char array[120];
  (void)snprintf(array, sizeof array, "%s/counts", name);
  if (mx_archive_longs(archive, array, 3, counts, err) != 0) return err->code;
  if (counts[0] < 0 || counts[1] < FIRST_BLOCK || counts[2] < 0 || counts[2] >= MX_TAIL_SNAPSHOTS)
    return dg_fail(err, DG_ENVIRONMENT, "the checkpoint has %ld snapshots of a transform", counts[2]);
  tail->samples = counts[0], tail->block = counts[1], tail->snapshots = counts[2];
  return 0;
}

int mx_tail_archive(struct mx_tail *tail, const char *name, struct mx_archive *archive, struct dg_error *err)
{
  char array[120];
  if (archive_counts(tail, name, archive, err) != 0) return err->code;
  (void)snprintf(array, sizeof array, "%s/last", name);
  if (mx_archive_doubles(archive, array, 2, tail->last, err) != 0) return err->code;
  (void)snprintf(array, sizeof array, "%s/largest", name);
  if (mx_archive_doubles(archive, array, MX_TAIL_SNAPSHOTS + 1, tail->largest, err) != 0) return err->code;
  (void)snprintf(array, sizeof array, "%s/sum", name);
  return mx_archive_doubles(archive, array, (MX_TAIL_SNAPSHOTS + 1) * width_of(tail), tail->sum, err);
}

enum { LARGEST = 2, SUMS = LARGEST + MX_TAIL_SNAPSHOTS + 1 }; /* where they begin in a rank's numbers */

/* How many numbers a rank has for a checkpoint. */
static size_t numbers_of(const struct mx_tail *tail) { return SUMS + (MX_TAIL_SNAPSHOTS + 1) * width_of(tail); }

int mx_tail_gather(struct mx_tail *tail, struct dg_comm *comm, struct dg_error *err)
{
  const size_t count = numbers_of(tail);
  const long size = (long)count;
  double *own;
  dg_free(tail->all);
  dg_free(tail->size);
  tail->all = NULL, tail->size = NULL;
  if (DG_NEW(own, count, err) != 0) return err->code;
  memcpy(own, tail->last, sizeof tail->last);
  memcpy(own + LARGEST, tail->largest, sizeof tail->largest);
  memcpy(own + SUMS, tail->sum, (count - SUMS) * sizeof *own);
  if (dg_comm_gather(comm, sizeof size, &size, &tail->size, NULL, err) == 0)
    (void)!dg_comm_gather(comm, count * sizeof *own, own, &tail->all, NULL, err);
  dg_free(own);
  return err->code;
}

/* Takes this rank's numbers from those of all, if the ranks have the witnesses that they had. */
static int take_own(struct mx_tail *tail, long ranks, const long *size, const double *all, struct dg_comm *comm,
                    struct dg_error *err)
{
  const int rank = dg_comm_rank(comm);
  double other = ranks != dg_comm_size(comm) || size[rank] != (long)numbers_of(tail);
  if (dg_comm_reduce(comm, DG_MAX, 1, &other, err) != 0) return err->code;
  tail->lost = other > 0;
  if (tail->lost) return 0;
  for (int r = 0; r < rank; r++) all += size[r];
  memcpy(tail->last, all, sizeof tail->last);
  memcpy(tail->largest, all + LARGEST, sizeof tail->largest);
  memcpy(tail->sum, all + SUMS, (numbers_of(tail) - SUMS) * sizeof *all);
  return 0;
}

int mx_tail_archive_all(struct mx_tail *tail, const char *name, struct mx_archive *archive, struct dg_comm *comm,
                        struct dg_error *err)
{
  const bool loads = archive->does == MX_ARCHIVE_LOADS;
  long ranks = dg_comm_size(comm), lost = tail->lost, *size = loads ? NULL : tail->size;
  double *all = loads ? NULL : tail->all;
  size_t count = 0;
  char array[120];
  if (archive_counts(tail, name, archive, err) != 0) return err->code;
  (void)snprintf(array, sizeof array, "%s/lost", name);
  if (mx_archive_longs(archive, array, 1, &lost, err) != 0) return err->code;
  (void)snprintf(array, sizeof array, "%s/ranks", name);
  if (mx_archive_longs(archive, array, 1, &ranks, err) != 0) return err->code;
  if (ranks < 1 || ranks > INT_MAX)
    return dg_fail(err, DG_ENVIRONMENT, "the checkpoint has a transform of %ld ranks", ranks);
  if (loads && DG_NEW(size, ranks, err) != 0) return err->code;
  (void)snprintf(array, sizeof array, "%s/sizes", name);
  if (mx_archive_longs(archive, array, (size_t)ranks, size, err) != 0) goto fail;
  for (long r = 0; r < ranks; r++) {
    if (size[r] < SUMS) {
      (void)!dg_fail(err, DG_ENVIRONMENT, "the checkpoint has a transform of %ld numbers", size[r]);
      goto fail;
    }
    count += (size_t)size[r];
  }
  if (loads && DG_NEW(all, count, err) != 0) goto fail;
  (void)snprintf(array, sizeof array, "%s/all", name);
  if (mx_archive_doubles(archive, array, count, all, err) != 0) goto fail;
  if (loads && take_own(tail, ranks, size, all, comm, err) == 0) tail->lost = tail->lost || lost != 0;
fail:
  if (loads) {
    dg_free(size);
    dg_free(all);
  }
  return err->code;
}

/* ---- the end */

static double complex number(const struct mx_tail *tail, long snapshot, size_t f, size_t w)
{
  const double *at = tail->sum + (size_t)snapshot * width_of(tail) + (f * tail->witnesses + w) * 2;
  return snapshot < 0 ? 0 : at[0] + at[1] * I;
}

/* Adds up |S|^2, |R|^2 of what came after the last block, and of each window |B1|^2, |B2|^2 and B2 B1*. */
static void add_up(const struct mx_tail *tail, size_t f, double sum[NUMBERS])
{
  const long last = tail->snapshots - 1;
  for (size_t w = 0; w < tail->witnesses; w++) {
    const double complex end = number(tail, MX_TAIL_SNAPSHOTS, f, w), now = number(tail, last, f, w);
    sum[0] += creal(end * conj(end));
    sum[1] += creal((end - now) * conj(end - now));
    for (int j = 1; j <= WINDOWS; j++) {
      const double complex middle = number(tail, last - j, f, w), begin = number(tail, last - 2 * j, f, w);
      const double complex B1 = middle - begin, B2 = now - middle, both = B2 * conj(B1);
      double *to = sum + 2 + OF_WINDOW * (j - 1);
      to[0] += creal(B1 * conj(B1));
      to[1] += creal(B2 * conj(B2));
      to[2] += creal(both);
      to[3] += cimag(both);
    }
  }
}

/* What is missing at the end of the record, from the sums of a window of j blocks; left: the size of the last samples
 * over the largest since the last block began. */
static double missing(const struct mx_tail *tail, const double sum[OF_WINDOW], int j, double left)
{
  const double most = 0.98; /* a record that does not decay has no end: a cap */
  const double late = (double)(tail->samples % tail->block) / (double)(j * tail->block);
  if (!(sum[0] > 0) || !(sum[1] > 0)) return 0;
  double complex q = (sum[2] + sum[3] * I) / sum[0];
  /* blocks that are not alike are no single oscillation: their sizes tell */
  const double size = fmin(fmin(most, left), fmax(cabs(q), sqrt(sum[1] / sum[0])));
  q = cabs(q) > 0 ? q / cabs(q) * size : size;
  return sqrt(sum[1]) / cabs(1 - q) * fmin(left, pow(size, 1 + late));
}

int mx_tail_judge(const struct mx_tail *tail, struct dg_comm *comm, struct mx_tail_worth *worth, struct dg_error *err)
{
  const double passed = 0.1; /* a wave may be near zero where the record ends: a ratio above says nothing */
  double(*sum)[NUMBERS], size[2 + WINDOWS] = {fmax(tail->last[0], tail->last[1])}, largest = 0;
  *worth = (struct mx_tail_worth){.known = !tail->lost && tail->snapshots > 2 * WINDOWS};
  if (!worth->known) return 0;
  if (DG_NEW(sum, tail->frequencies, err) != 0) return err->code;
  for (size_t f = 0; f < tail->frequencies; f++) add_up(tail, f, sum[f]);
  for (int j = 1; j <= WINDOWS; j++)
    for (long i = tail->snapshots - j; i <= tail->snapshots; i++)
      size[j] = fmax(size[j], tail->largest[i < tail->snapshots ? i : MX_TAIL_SNAPSHOTS]);
  size[1 + WINDOWS] = tail->largest[MX_TAIL_SNAPSHOTS];
  if (dg_comm_reduce(comm, DG_SUM, tail->frequencies * NUMBERS, sum[0], err) != 0 ||
      dg_comm_reduce(comm, DG_SUM, 2 + WINDOWS, size, err) != 0)
    goto fail;
  for (size_t f = 0; f < tail->frequencies; f++) largest = fmax(largest, sqrt(sum[f][0]));
  const bool passes = !(sqrt(size[0] / size[1 + WINDOWS]) < passed);
  for (size_t f = 0; f < tail->frequencies && largest > 0; f++) {
    /* what has begun since the last block, and is not over, lacks about as much again */
    double lacks = passes && sum[f][1] > sum[f][3] ? sqrt(sum[f][1]) : 0;
    for (int j = 1; j <= WINDOWS; j++) {
      const double ratio = size[j] > 0 ? sqrt(size[0] / size[j]) : 0, left = ratio < passed ? ratio : 1;
      lacks = fmax(lacks, missing(tail, sum[f] + 2 + OF_WINDOW * (j - 1), j, left));
    }
    const double error = lacks / fmax(sqrt(sum[f][0]), MX_TAIL_FLOOR * largest);
    if (error > worth->error) worth->error = error, worth->at = f;
  }
fail:
  dg_free(sum);
  return err->code;
}
