/* The filter of a level: its numbers, and its passes in a backend. levels.h has the formulas; a step of the whole
 * (maxwell/step) calls the passes. */
#pragma once

#include "maxwell/backend/backend.h"
#include "maxwell/levels/levels.h"
#include "maxwell/shell/profile.h"

/* The numbers of the steps of a filter, by k = 1..m - 1: E += of_E[k] (pass of E), then
 * H += of_H[k] (pass of H) + share[k] w, from H = first w; the result is 2 H. */
struct mx_filter {
  int m;
  double first, of_E[MX_SUBSTEPS_MAX], of_H[MX_SUBSTEPS_MAX], share[MX_SUBSTEPS_MAX];
};
struct mx_filter mx_filter_of(int m, double eta);
/* The bound on dt^2 times the eigenvalues of L below which the filter is positive. */
double mx_filter_bound(int m, double eta);
/* The fewest steps for a step of the whole that is so many times the limit of the part alone. */
int mx_filter_steps(double times, double eta);
/* The ratio of the step around a level to the one in it, which is the step of the next level: 2/sqrt(bound) of it, at
 * which the plain pass would reach the bound. It is a little less than m. */
double mx_filter_ratio(int m, double eta);
/* The filter of level i in a run: that of its m and eta, for the step of level i - 1. */
struct mx_filter mx_filter_at(const struct mx_levels *levels, int i);

/* The levels at work in a backend. */
struct mx_levels_run {
  const struct mx_backend_ops *ops;
  int count;
  struct mx_backend *backend[MX_LEVELS_MAX + 1]; /* [0]: the whole, borrowed; then those of the levels */
  struct mx_filter filter[MX_LEVELS_MAX];
  struct mx_profile *profile; /* borrowed; NULL: off */
};
/* Makes a backend for each level, on tables and a backend without a watch. The levels must stay. Release in any case.
 */
int mx_levels_begin(struct mx_levels_run *run, const struct mx_levels *levels, const struct mx_backend_ops *ops,
                    struct mx_backend *whole, const struct mx_backend_options *options,
                    struct dg_error *err) DG_MUST_USE;
void mx_levels_end(struct mx_levels_run *run);
/* Bytes that mx_levels_begin will allocate; on a card they are bytes of the card. */
size_t mx_levels_run_bytes(const struct mx_levels *levels, const struct mx_backend_ops *ops,
                           const struct mx_backend_options *options);
/* Before and after a pass of the whole that changes H. Collective. */
int mx_levels_before(struct mx_levels_run *run, struct dg_error *err) DG_MUST_USE;
int mx_levels_after(struct mx_levels_run *run, struct dg_error *err) DG_MUST_USE;
