#include "maxwell/problem/problem.h"

#include <string.h>

#include "libdg/base/memory.h"

int mx_problem_alloc(struct mx_problem *problem, const struct dg_reference *ref, size_t K, struct dg_error *err)
{
  *problem = (struct mx_problem){.ref = ref, .K = K, .interior = K};
  if (DG_NEW(problem->metric, K, err) != 0 || DG_NEW(problem->jacobian, K, err) != 0 ||
      DG_NEW(problem->normal, K, err) != 0 || DG_NEW(problem->face_scale, K, err) != 0 ||
      DG_NEW(problem->neighbour, K, err) != 0 || DG_NEW(problem->epsilon, K, err) != 0 ||
      DG_NEW(problem->mu, K, err) != 0 || DG_NEW(problem->sigma, K, err) != 0 || DG_NEW(problem->flux, K, err) != 0) {
    mx_problem_release(problem);
    return err->code;
  }
  return 0;
}

void mx_problem_release(struct mx_problem *problem)
{
  dg_free(problem->metric);
  dg_free(problem->jacobian);
  dg_free(problem->normal);
  dg_free(problem->face_scale);
  dg_free(problem->neighbour);
  dg_free(problem->epsilon);
  dg_free(problem->mu);
  dg_free(problem->sigma);
  dg_free(problem->flux);
  for (size_t i = 0; i < problem->terms; i++) {
    dg_free(problem->term[i].where);
    dg_free(problem->term[i].E);
    dg_free(problem->term[i].H);
  }
  dg_free(problem->term);
  for (size_t i = 0; i < problem->functionals; i++) {
    dg_free(problem->functional[i].index);
    dg_free(problem->functional[i].weight);
  }
  dg_free(problem->functional);
  *problem = (struct mx_problem){0};
}

int mx_problem_add_functional(struct mx_problem *problem, bool magnetic, size_t count,
                              struct mx_functional **functional, struct dg_error *err)
{
  if (dg_grow(&problem->functional, problem->functionals + 1, sizeof *problem->functional, err) != 0) return err->code;
  *functional = &problem->functional[problem->functionals++];
  (*functional)->magnetic = magnetic;
  (*functional)->count = count;
  if (DG_NEW((*functional)->index, count, err) != 0 || DG_NEW((*functional)->weight, count, err) != 0) return err->code;
  return 0;
}

int mx_problem_restrict(struct mx_problem *part, const struct mx_problem *whole, size_t count, const size_t *element,
                        struct dg_error *err)
{
  int32_t *local;
  if (mx_problem_alloc(part, whole->ref, count, err) != 0) return err->code;
  if (DG_NEW(local, whole->K, err) != 0) {
    mx_problem_release(part);
    return err->code;
  }
  memset(local, -1, whole->K * sizeof *local);
  for (size_t i = 0; i < count; i++) local[element[i]] = (int32_t)i;
  for (size_t i = 0; i < count; i++) {
    size_t e = element[i];
    memcpy(part->metric[i], whole->metric[e], sizeof part->metric[i]);
    memcpy(part->normal[i], whole->normal[e], sizeof part->normal[i]);
    memcpy(part->face_scale[i], whole->face_scale[e], sizeof part->face_scale[i]);
    memcpy(part->flux[i], whole->flux[e], sizeof part->flux[i]);
    part->jacobian[i] = whole->jacobian[e];
    part->epsilon[i] = whole->epsilon[e];
    part->mu[i] = whole->mu[e];
    part->sigma[i] = whole->sigma[e];
    for (int f = 0; f < 4; f++) {
      int32_t code = whole->neighbour[e][f];
      if (mx_open_slot(code) >= 0) code = MX_GHOST - 1 - (int32_t)part->open_faces++;
      else if (code >= 0 && (size_t)code / 4 >= whole->K) code = MX_GHOST;
      else if (code >= 0) code = local[code / 4] < 0 ? MX_GHOST : 4 * local[code / 4] + code % 4;
      part->neighbour[i][f] = code;
    }
  }
  dg_free(local);
  return 0;
}
