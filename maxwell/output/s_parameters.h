/* S-parameters, and how far they can be trusted.
 *
 * S_ij = (b_i / sqrt(Z_i)) / (a_j / sqrt(Z_j)) with a_j the incident voltage of the one driven port, b_i the voltage
 * that leaves through port i, each transformed over the run, and Z the impedance of the port's mode at the frequency
 * (the resistance of a lumped port): power waves at ports whose Z is real.
 *
 * A run that ends while fields are left cuts b_i. The error of a column is estimated as the larger of two numbers:
 *
 *   sqrt(W/W_in)              W is the energy that is left in the domain. Spread over frequencies as the incident
 *                             energy W_in is, it would change |S_ij| by so much if all of it left through one port.
 *                             W_in is that of the incident pulse, or the largest energy in the domain if that is more.
 *   |B_i(f)| r/(1 - r)/|a_j|  B_i is the transform of the last part of b_i, r the factor by which its size has
 *                             decreased from the part before: what a decaying oscillation would still add.
 *
 * Neither is a bound. Fields that stay for ever (charges on isolated conductors) count as left.
 *
 * Where the waveform carries next to nothing, S is NaN.
 */
#pragma once

#include <complex.h>
#include <stdio.h>

#include "maxwell/setup/setup.h"

/* In summary.json. */
struct mx_s_quality {
  bool known;         /* some column is */
  size_t frequencies; /* that were asked for */
  size_t left_out;    /* of them, with a column that is NaN */
  double left;        /* of the energy at the end, over W_in: the worst of the runs */
  double error;       /* the largest estimate */
  double gain;        /* sqrt of the largest power that leaves for unit power that comes in; passive: at most 1.
                         NaN: nowhere are all modes above their cut-off */
  double gain_at;     /* Hz */
  double asymmetry;   /* largest |S_ij - S_ji|; NaN: not known */
  double asymmetry_at;
};

struct mx_s_parameters {
  const struct mx_setup *setup; /* borrowed */
  size_t ports;                 /* 0 but on rank 0 */
  bool *known;                  /* [ports] columns that there are */
  double complex *matrix;       /* [frequencies][ports][ports]: S_ij at [f][i][j] */
  double *error;                /* [frequencies][ports] estimate for column j at [f][j] */
  double *left;                 /* [ports] W/W_in */
};

int mx_s_init(struct mx_s_parameters *s, const struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
void mx_s_release(struct mx_s_parameters *s);
int mx_s_archive(struct mx_s_parameters *s, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* Behind the last step of a run in which port `driven` alone was: its column. `last` and `peak`: energy in the domain
 * at the end and the largest of the run, J. Says in the log what is left, and warns. */
int mx_s_column(struct mx_s_parameters *s, size_t driven, double last, double peak, struct dg_error *err) DG_MUST_USE;
/* The quality of the columns that are known. Warns of more power than comes in, and of S_ij that differ from S_ji. */
void mx_s_judge(const struct mx_s_parameters *s, struct mx_s_quality *quality);
/* The table of the known columns, and a Touchstone 1.1 file, which takes all of them. */
void mx_s_write_table(const struct mx_s_parameters *s, FILE *file);
void mx_s_write_touchstone(const struct mx_s_parameters *s, FILE *file);
