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
 *
 * For each port it is also said how far the voltage that leaves through it has fallen: the largest of the last tenth of
 * the run over the largest of all of the run. Its S_ij is wrong by the second number, or by the first times this ratio,
 * if that is more: where the voltage is as large as ever, all that is left in the domain may still come there.
 */
#pragma once

#include <complex.h>
#include <stdio.h>

#include "maxwell/scene/scene.h"

/* What was left at a port when the run with another one driven, or with the same, was over. */
struct mx_s_rest {
  double left;  /* of the voltage's largest value; 0: nothing has left through the port */
  double error; /* of S_ij; NAN where no frequency is known */
};

/* The quality of S-parameters, for summary.json. */
struct mx_s_quality {
  bool known;             /* at least one column is known */
  size_t frequencies;     /* frequencies that the script asks for */
  size_t left_out;        /* how many of them have a column that is NaN */
  size_t ports;           /* 0 on other ranks than rank 0 */
  bool *driven;           /* [ports] which columns are known; the S-parameters', as `rest`, until they are taken */
  struct mx_s_rest *rest; /* [ports][ports] rest at port i after the run of column j, at [j][i] */
  double left;            /* energy at the end over W_in, of the worst run */
  double error;           /* the largest estimate */
  /* The square root of the largest power that leaves for unit power that comes in; passive: at most 1. NaN: at no
   * frequency are all modes above their cut-off. */
  double gain;
  double gain_at;   /* Hz */
  double asymmetry; /* largest |S_ij - S_ji|; NaN: not known */
  double asymmetry_at;
  /* Where nothing but ports takes power: 1 - the sum of |S_ij|^2 over i, the one that is furthest from 0; NaN:
   * something takes power, or as for `gain`. */
  double missing;
  double missing_at;
  size_t missing_of; /* the driven port, j */
};

struct mx_s_parameters {
  const struct mx_scene *scene; /* borrowed */
  size_t ports;                 /* 0 on other ranks than rank 0 */
  bool *known;                  /* [ports] which columns are known */
  double complex *matrix;       /* [frequencies][ports][ports]: S_ij at [f][i][j] */
  double *error;                /* [frequencies][ports] estimate for column j at [f][j] */
  double *left;                 /* [ports] W/W_in */
  const char *taker;            /* what takes power beside the ports (takers.h); NULL: nothing does */
  struct mx_s_rest *rest;       /* [ports][ports] at port i in column j, at [j][i] */
};

int mx_s_init(struct mx_s_parameters *s, const struct mx_scene *scene, struct dg_error *err) DG_MUST_USE;
void mx_s_release(struct mx_s_parameters *s);
int mx_s_archive(struct mx_s_parameters *s, struct mx_archive *archive, struct dg_error *err) DG_MUST_USE;
/* Computes the column of port `driven` behind the last step of a run in which only that port was driven. `last` and
 * `peak` are the energy in the domain at the end and the largest of the run, J. The function logs what is left, and
 * warns. */
int mx_s_column(struct mx_s_parameters *s, size_t driven, double last, double peak, struct dg_error *err) DG_MUST_USE;
/* Judges the known columns. Warns of more power than comes in, and of S_ij that differ from S_ji. */
void mx_s_judge(const struct mx_s_parameters *s, struct mx_s_quality *quality);
/* Takes the quality's arrays away from the S-parameters, which are over. Release it with mx_s_quality_release. */
void mx_s_take_quality(struct mx_s_parameters *s);
void mx_s_quality_release(struct mx_s_quality *quality);
/* Writes the table of the known columns. */
void mx_s_write_table(const struct mx_s_parameters *s, FILE *file);
/* Writes comments of a Touchstone file: the ports, what is left out, how far the rest is right. */
void mx_s_comment(const struct mx_s_parameters *s, const struct mx_s_quality *quality, FILE *file);
