/* The lower triangle of the matrix of an elliptic operator, as a rank sees it (private, of aip.c).
 *
 * Rows and columns are all unknowns that the rank has, in the order of their numbers among all ranks: those that lower
 * ranks count come first. Entries are the sums over the elements of all ranks. Held unknowns, and those of bodies, have
 * their diagonal alone. */
#pragma once

#include "libdg/field/elliptic.h"

struct dg_lower {
  size_t rows, first; /* first: of those that this rank counts */
  int32_t *unknown;   /* [rows] */
  size_t *start;      /* [rows + 1] */
  int32_t *column;    /* ascending in each row, the row itself last */
  double *value;
};

/* Collective. DG_ENVIRONMENT: no memory. Release in any case. */
int dg_lower_init(struct dg_lower *lower, const struct dg_space *space, size_t terms,
                  const struct dg_elliptic_term *term, const bool *held, struct dg_error *err) DG_MUST_USE;
void dg_lower_release(struct dg_lower *lower);
