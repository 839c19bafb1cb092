/* The filter on a vector, by the plain operator; the same steps as in filter.c. */
#include "maxwell/levels/apply.h"

#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/levels/filter.h"

static size_t numbers_of(const struct mx_problem *problem) { return 3 * (size_t)problem->ref->Np; }

int mx_levels_apply_init(struct mx_levels_apply *apply, const struct mx_levels *levels, double step,
                         struct dg_error *err)
{
  *apply = (struct mx_levels_apply){.levels = levels, .step = step};
  for (int i = 0; i < levels->count; i++) {
    const struct mx_problem *part = &levels->level[i].problem;
    const size_t n = numbers_of(part) * part->K;
    if (mx_matrices_new_double(&apply->matrices[i], part, err) != 0 || DG_NEW(apply->E[i], n, err) != 0 ||
        DG_NEW(apply->H[i], n, err) != 0 || DG_NEW(apply->change[i], n, err) != 0 ||
        DG_NEW(apply->rate[i], n, err) != 0)
      return err->code;
  }
  return 0;
}

void mx_levels_apply_release(struct mx_levels_apply *apply)
{
  for (int i = 0; i < MX_LEVELS_MAX; i++) {
    mx_matrices_free_double(apply->matrices[i]);
    dg_free(apply->E[i]);
    dg_free(apply->H[i]);
    dg_free(apply->change[i]);
    dg_free(apply->rate[i]);
  }
}

/* Filters u, a vector of the level around level i. */
static void filter(struct mx_levels_apply *apply, int i, double *u)
{
  const struct mx_penalty none = {0, 0};
  if (i >= apply->levels->count) return;
  const struct mx_level *level = &apply->levels->level[i];
  const struct mx_problem *part = &level->problem;
  const struct mx_filter of = mx_filter_at(apply->levels, i);
  const size_t numbers = numbers_of(part), n = numbers * part->K;
  double *E = apply->E[i], *H = apply->H[i], *change = apply->change[i], *rate = apply->rate[i];
  for (size_t e = 0; e < part->K; e++)
    memcpy(change + numbers * e, u + numbers * (size_t)level->element[e], numbers * sizeof *u);
  memcpy(H, change, n * sizeof *H);
  filter(apply, i + 1, H);
  for (size_t k = 0; k < n; k++) H[k] *= of.first;
  memset(E, 0, n * sizeof *E);
  for (int s = 1; s < of.m; s++) {
    mx_rate_double(part, apply->matrices[i], MX_AMPERE, none, E, H, NULL, rate);
    for (size_t e = 0; e < part->K; e++)
      for (size_t k = numbers * e; k < numbers * (e + 1) && !mx_rests(part, e); k++)
        E[k] += of.of_E[s] * apply->step * rate[k];
    mx_rate_double(part, apply->matrices[i], MX_FARADAY, none, H, E, NULL, rate);
    for (size_t k = 0; k < n; k++) rate[k] = of.of_H[s] * apply->step * rate[k] + of.share[s] * change[k];
    filter(apply, i + 1, rate);
    for (size_t k = 0; k < n; k++) H[k] += rate[k];
  }
  for (size_t e = 0; e < part->K; e++)
    for (size_t k = 0; k < numbers; k++) u[numbers * (size_t)level->element[e] + k] = 2 * H[numbers * e + k];
}

void mx_levels_apply(struct mx_levels_apply *apply, double *u) { filter(apply, 0, u); }
