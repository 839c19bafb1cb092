/* A level of multigrid on the card, and what a search on it needs (private to gpu/elliptic). */
#pragma once

#include "gpu/elliptic/cycle.h"
#include "gpu/elliptic/ranks.h"

struct gpu_level {
  struct gpu_elliptic op;
  struct gpu_smooth s;
  double *r, *inverse;      /* those of s */
  struct gpu_rows up, down; /* from the coarser level to this one, and back */
  struct gpu_ranks *ranks;  /* NULL: one rank */
  double *mass, *rest;      /* diagonals with weight 1: of the mass (NULL: none), and of all else; 0 where it is held */
  double least, most;       /* of rest / mass */
  struct gpu_ends {         /* eigenvalues over these diagonals */
    double smallest, largest;
  } of_mass, of_rest;
  double smallest, largest; /* eigenvalues of the operator over its diagonal, as they are smoothed */
  int degree;
};

/* The card's side of iterations that find eigenvalues: sums, and where they are read. */
struct gpu_search {
  double *part_q, *part_r;
  struct gpu_march *march, *there;
  gpuStream_t stream;
};
