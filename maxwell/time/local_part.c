#include "maxwell/time/local_part.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"

/* Speed times the larger of what the derivatives and what the faces contribute. */
static double local_rate(const struct mx_problem *problem, size_t e, bool losses)
{
  double metric = 0, faces = 0;
  for (int i = 0; i < 9; i++) metric += problem->metric[e][i] * problem->metric[e][i];
  for (int f = 0; f < 4; f++) faces += problem->face_scale[e][f];
  double rate = fmax(sqrt(metric), faces) / sqrt(problem->epsilon[e] * problem->mu[e]);
  return losses ? rate + problem->sigma[e] / problem->epsilon[e] : rate;
}

/* Descends as the rate, which is not negative, grows: the bits of such numbers are ordered as they are. */
static uint64_t fastest_first(double rate)
{
  uint64_t bits;
  memcpy(&bits, &rate, sizeof bits);
  return ~bits;
}

int mx_local_part(struct mx_problem *part, const struct mx_problem *whole, size_t elements, bool losses,
                  struct dg_error *err)
{
  struct dg_keyed *rank = NULL;
  size_t *list = NULL, count = 0;
  char *taken = NULL;
  if (elements < 2) elements = 2;
  if (elements > whole->K) elements = whole->K;
  if (DG_NEW(rank, whole->K, err) != 0 || DG_NEW(list, elements, err) != 0 || DG_NEW(taken, whole->K, err) != 0)
    goto fail;
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < whole->K; e++) rank[e] = (struct dg_keyed){fastest_first(local_rate(whole, e, losses)), e};
  if (dg_sort_keyed(rank, whole->K, err) != 0) goto fail;
  for (; count < elements / 2; count++) {
    list[count] = rank[count].item;
    taken[list[count]] = 1;
  }
  for (size_t i = 0; i < count && count < elements; i++) /* the list grows while it is read: layer by layer */
    for (int f = 0; f < 4 && count < elements; f++) {
      int32_t code = whole->neighbour[list[i]][f];
      if (code < 0 || taken[code / 4]) continue;
      taken[code / 4] = 1;
      list[count++] = (size_t)(code / 4);
    }
  count = 0;
  for (size_t e = 0; e < whole->K; e++)
    if (taken[e]) list[count++] = e;
  if (mx_problem_restrict(part, whole, count, list, err) != 0) goto fail;
fail:
  dg_free(rank);
  dg_free(list);
  dg_free(taken);
  return err->code;
}
