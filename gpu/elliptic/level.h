/* A level of multigrid on the card, and what a search on it needs (private to gpu/elliptic). */
#pragma once

#include "gpu/elliptic/cycle.h"

struct gpu_level {
  struct gpu_elliptic op;
  struct gpu_smooth s;
  double *r, *inverse;      /* those of s */
  struct gpu_rows up, down; /* from the coarser level to this one, and back */
  double smallest, largest; /* eigenvalues of the operator over its diagonal, as they are smoothed */
  int degree;
};

/* The card's side of iterations that find eigenvalues: sums, and where they are read. */
struct gpu_search {
  double *part_q, *part_r;
  struct gpu_march *march, *there;
  gpuStream_t stream;
};
