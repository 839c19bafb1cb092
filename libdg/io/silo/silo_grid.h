/* Values on a grid of n0 x n1 points of a surface, as a Silo file: quadrilaterals in space, values at the nodes. */
#pragma once

#include <stddef.h>

#include "libdg/files/ledger.h"

struct dg_silo_grid_field {
  const char *name, *suffix; /* "E", "_re": written as Ex_re, Ey_re, Ez_re and the vector E_re; a scalar is E_re */
  const char *unit;          /* "V/m" */
  int components;            /* 1 or 3 */
  const double *value;       /* component c of point i at [i * stride + c] */
  size_t stride;
};

struct dg_silo_grid {
  size_t n[2];              /* points along the two edges, 2 or more each */
  const double (*point)[3]; /* [n1][n0] metres */
  double time;
  int cycle;
  size_t fields;
  const struct dg_silo_grid_field *field;
  struct dg_ledger *ledger; /* is told of the file before it is created; NULL: nobody is */
};

/* Writes `path`: an unstructured mesh "mesh" of quadrilaterals, of topological dimension 2, the variables and the
 * expressions that join them to vectors. As dg_silo_write, whole or absent. Errors: DG_ENVIRONMENT with the path and
 * the system's reason; DG_INPUT for more points than Silo counts (int). */
int dg_silo_write_grid(const char *path, const struct dg_silo_grid *grid, struct dg_error *err) DG_MUST_USE;
