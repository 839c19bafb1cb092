/* What all rooms of the backend ask of its state. */
#include "gpu/core/core.h"

#include "libdg/base/bug.h"
#include "maxwell/problem/curved.h"

const void *gpu_other_H(const struct mx_backend *backend)
{
  if (!mx_scheme_of(&backend->options)->staggered) return backend->field[1];
  DG_BUG_IF(!backend->observed, "values of a leapfrog step were asked for that was not observed");
  DG_BUG_IF(backend->in_place, "the H of half a step ago is not there");
  return backend->spare[1];
}

bool gpu_is_curved(const struct mx_backend *backend, size_t e)
{
  return backend->curves.count > 0 && mx_curve_find(backend->problem, e) >= 0;
}

const double *gpu_metric_at(const struct mx_backend *backend, size_t e, size_t n)
{
  const ptrdiff_t k = backend->curves.count > 0 ? mx_curve_find(backend->problem, e) : -1;
  return k < 0 ? backend->problem->metric[e] : backend->node_metric[(size_t)k * (size_t)backend->problem->ref->Np + n];
}

size_t gpu_first_kept(const struct gpu_kept *kept, size_t e)
{
  size_t first = 0, end = kept->count;
  while (first < end) {
    const size_t middle = (first + end) / 2;
    if ((size_t)kept->element[middle] < e) first = middle + 1;
    else end = middle;
  }
  return first;
}
