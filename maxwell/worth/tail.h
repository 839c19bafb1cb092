/* What the end of a record still lacks in a running Fourier transform: the record may end while it still rings.
 *
 * Of some numbers of the record, the witnesses, the transform is kept here too, and what it was at equal distances L
 * while the run went on: S(n), n samples. When these are too many, every second one is dropped and L doubles. At the
 * end the last two blocks of equal length,
 *
 *   B1 = S(n - j L) - S(n - 2 j L),   B2 = S(n) - S(n - j L),
 *
 * tell what is to come: of one decaying oscillation B2 = q B1 at every frequency, with one complex q, and all that is
 * missing after n is B2 q/(1 - q) (A. C. Aitken's extrapolation). q is that which fits all witnesses best. Where the
 * last samples are far below the largest in B2, their ratio bounds |q|: a pulse that has passed leaves nothing to come.
 * Two j are tried, and the larger estimate counts.
 *
 * The estimate is no bound: it knows nothing of what begins later, such as an echo from far away. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/comm/comm.h"
#include "maxwell/shell/archive.h"

enum { MX_TAIL_WITNESSES = 24, MX_TAIL_SNAPSHOTS = 16 };

#define MX_TAIL_FLOOR 0.01 /* a transform counts as no smaller than this share of its largest at any frequency */
#define MX_TAIL_DOUBT 0.02 /* the error from which a transform is doubted */

struct mx_tail {
  size_t frequencies, witnesses;
  const double *hertz;                   /* [frequencies] borrowed */
  long samples, block, snapshots;        /* samples so far; those between two snapshots; snapshots that are kept */
  double last[2];                        /* largest squares of this and of the chunk before, an eighth of a block */
  double largest[MX_TAIL_SNAPSHOTS + 1]; /* squares since the snapshot before, the last one since the last snapshot */
  double *sum;                           /* [MX_TAIL_SNAPSHOTS + 1][frequencies][witnesses][2], the last grows */
  bool lost;                             /* the record has a part of which nothing is known here */
  double *all;                           /* rank 0: last, largest and sum of all ranks, gathered for a checkpoint */
  long *size;                            /* [ranks] numbers of each rank therein */
};

/* `witnesses` of this rank, of which MX_TAIL_WITNESSES are taken at most. Release in any case. */
int mx_tail_init(struct mx_tail *tail, size_t frequencies, const double *hertz, size_t witnesses,
                 struct dg_error *err) DG_MUST_USE;
void mx_tail_release(struct mx_tail *tail);
/* Which of `count` numbers witness i is: they are spread. */
size_t mx_tail_witness(const struct mx_tail *tail, size_t i, size_t count);
/* Adds the sample of time t (s): from value[count] it takes its witnesses. All samples have one distance in time. */
void mx_tail_add(struct mx_tail *tail, double t, const double *value, size_t count);

/* For a checkpoint; the record goes on with all that it has. For witnesses that one rank has. */
int mx_tail_archive(struct mx_tail *tail, const char *name, struct mx_archive *archive,
                    struct dg_error *err) DG_MUST_USE;

/* The same of witnesses on all ranks. Gather first, which is collective; a record that goes on on other ranks than it
 * began is not judged. */
int mx_tail_gather(struct mx_tail *tail, struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;
int mx_tail_archive_all(struct mx_tail *tail, const char *name, struct mx_archive *archive, struct dg_comm *comm,
                        struct dg_error *err) DG_MUST_USE;

struct mx_tail_worth {
  bool known;   /* the record is long enough to tell */
  double error; /* of the transform at the worst frequency, over its own size there */
  size_t at;    /* that frequency's number */
};

/* Judges the end. Collective over comm. */
int mx_tail_judge(const struct mx_tail *tail, struct dg_comm *comm, struct mx_tail_worth *worth,
                  struct dg_error *err) DG_MUST_USE;
