/* The poles of a medium as linear systems, a block a pole: what poles.c and poles_magnetic.c share. poles.c has the
 * derivation. */
#pragma once

#include "maxwell/response/response.h"

struct mx_pole_block {
  int n;     /* states: 1 or 2 */
  bool free; /* Drude: the state is a current */
  double A[2][2], B[2], C[2], D;
  double V[2][2]; /* rows whose squares make V */
  double l[3];    /* the loss is the square of l[0] x[0] + l[1] x[1] + l[2] E */
};

/* The matrices of a block for a step h. */
struct mx_pole_means {
  double T[2][2], K[2], G[2], back[2][2]; /* back: T^-1 */
};

/* The blocks of a medium: those of pairs first, so that a pair's two states stand in one place of the list of
 * coefficients. */
struct mx_pole_blocks {
  int count, states;
  int first[MX_POLE_STATES]; /* states */
  struct mx_pole_block block[MX_POLE_STATES];
  struct mx_pole_means means[MX_POLE_STATES];
};

/* Turns the squares of an entry, which are those of states x and field at one time, into those of leapfrog's H, of a
 * step `step`, and gives its start. */
void mx_poles_put_magnetic(const struct mx_pole_blocks *all, double step, struct mx_response_entry *entry);
