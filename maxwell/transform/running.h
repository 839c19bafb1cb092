/* Running Fourier transforms of many numbers at once: far fields (maxwell/far) and phasors in regions (maxwell/phasor).
 *
 *   sum[k] = sum over samples of interval x(t_n) exp(-2 pi i f_k t_n)
 *
 * Rows of samples are kept and taken to the sums many at a time, since the sums are far larger than a row. Every sum
 * takes its samples in the order of time, so that it has the same bits however many went at a time.
 *
 * The numbers belong to parts: faces, elements or points, which have a name that is the same whatever the number of
 * ranks. A checkpoint has the sums of all ranks by these names. */
#pragma once

#include "maxwell/backend/backend.h"
#include "maxwell/model/config.h"
#include "maxwell/shell/archive.h"

enum { MX_RUNNING_ROWS = 32 }; /* samples that are kept at most: enough to read and write the sums seldom */

struct mx_running {
  size_t width; /* numbers of a sample */
  size_t frequencies;
  const double *hertz;              /* [frequencies] borrowed */
  double interval;                  /* s between samples */
  size_t rows, most;                /* samples that are kept */
  double *row;                      /* [most][width] NULL on a card */
  double *turn;                     /* [most][frequencies][2] cos and -sin, times the interval */
  double *sum;                      /* [frequencies][2][width] real and imaginary parts */
  const struct mx_backend_ops *ops; /* on a card: `row` and the sums that grow are there, and `sum` is a copy */
  struct mx_backend *backend;       /* NULL: not on a card */
  size_t number;
};

/* Makes sums of zero; `most` is at most MX_RUNNING_ROWS. Not collective. Release in any case. */
int mx_running_init(struct mx_running *running, size_t width, const struct mx_frequencies *frequencies, double interval,
                    size_t most, struct dg_error *err) DG_MUST_USE;
/* From here on the sums are the backend's sums with that number (mx_card_ops.sums_take and what follows there). */
void mx_running_on_card(struct mx_running *running, const struct mx_backend_ops *ops, struct mx_backend *backend,
                        size_t number);
/* The room for the next sample, [width]; not on a card. */
double *mx_running_room(const struct mx_running *running);
/* Lets the card take the next sample. */
int mx_running_sample(struct mx_running *running, struct dg_error *err) DG_MUST_USE;
/* Says that the sample is that of time t (s), and what it weighs: 1, or a half at the end of a trapezoidal rule. */
int mx_running_keep(struct mx_running *running, double t, double weight, struct dg_error *err) DG_MUST_USE;
/* Takes what is kept to the sums, and the sums from the card. */
int mx_running_settle(struct mx_running *running, struct dg_error *err) DG_MUST_USE;
/* Hands sums that were loaded to the card. */
int mx_running_loaded(struct mx_running *running, struct dg_error *err) DG_MUST_USE;
size_t mx_running_memory(const struct mx_running *running);
void mx_running_release(struct mx_running *running);

/* ---- checkpoints: running_archive.c */

/* The parts of a rank's sums, equally many numbers each. A face between two ranks is a part on both, with what each of
 * them adds: name = 2 * own name, + 1 where the rank has only the far side. */
struct mx_running_parts {
  size_t count, numbers; /* numbers: of a part, the same on all ranks; count * numbers is the width of a sample */
  const long *name;      /* [count] */
  const bool *whole;     /* [count] the rank has what both sides add; NULL: there is nothing but whole parts */
};

/* The sums of all ranks, for a checkpoint; rank 0's. {0} is empty. */
struct mx_gathered {
  size_t count;
  long *name;  /* [count] */
  double *sum; /* [count][2 frequencies][numbers] */
};

/* Settles the sums and gathers them on rank 0; what was gathered before is let go. Collective. */
int mx_running_gather(struct mx_running *running, const struct mx_running_parts *parts, struct dg_comm *comm,
                      struct mx_gathered *gathered, struct dg_error *err) DG_MUST_USE;
/* Passes the sums to the archive as NAME/faces (their count), NAME/names, NAME/sums; `most` is the largest count that a
 * checkpoint may have. Loaded sums replace those that are there. */
int mx_running_archive(struct mx_running *running, const struct mx_running_parts *parts,
                       const struct mx_gathered *gathered, const char *name, size_t most, struct mx_archive *archive,
                       struct dg_error *err) DG_MUST_USE;
void mx_gathered_release(struct mx_gathered *gathered);
