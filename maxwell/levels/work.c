/* Counts the work of a step. The set-up reports it. */
#include "maxwell/levels/work.h"

static int64_t core_of(const struct mx_problem *part)
{
  int64_t core = 0;
  for (size_t e = 0; e < part->K; e++) core += !mx_rests(part, e);
  return core;
}

double mx_filter_cost(int m, double core, double part, double beside)
{
  static const double copies = 0.5, launches = 3, launches_of_copies = 4;
  return (m - 1) * (core + part + launches * beside) + copies * part + launches_of_copies * beside;
}

int mx_levels_work(const struct mx_levels *levels, const struct mx_problem *whole,
                   struct mx_level_work work[MX_LEVELS_MAX + 1], struct dg_error *err)
{
  const int count = levels != NULL ? levels->count : 0;
  int64_t sums[2 * MX_LEVELS_MAX + 1] = {(int64_t)whole->K};
  double times = 1; /* that a level's filter is applied in a step of the whole */
  for (int i = 0; i < count; i++) {
    sums[2 * i + 1] = (int64_t)levels->level[i].problem.K;
    sums[2 * i + 2] = core_of(&levels->level[i].problem);
  }
  if (dg_comm_reduce_int(whole->comm, DG_SUM, 2 * (size_t)count + 1, sums, err) != 0) return err->code;
  work[0] = (struct mx_level_work){sums[0], sums[0], 2 * (double)sums[0]};
  for (int i = 0; i < count; i++) {
    const int m = levels->level[i].m;
    const double part = (double)sums[2 * i + 1], core = (double)sums[2 * i + 2];
    const bool rests = m == 1 && i + 1 == count;
    work[i + 1] =
        (struct mx_level_work){sums[2 * i + 1], sums[2 * i + 2], rests ? 0 : times * mx_filter_cost(m, core, part, 0)};
    times *= m;
  }
  return 0;
}

int mx_levels_uneven(const struct mx_levels *levels, struct dg_comm *comm, double passes,
                     double uneven[MX_LEVELS_MAX + 1], struct dg_error *err)
{
  double sum[MX_LEVELS_MAX + 1] = {passes}, times = 1;
  const size_t count = (size_t)levels->count + 1;
  for (int i = 0; i < levels->count; i++) {
    const struct mx_problem *part = &levels->level[i].problem;
    const int m = levels->level[i].m;
    const bool rests = m == 1 && i + 1 == levels->count;
    sum[i + 1] = rests ? 0 : mx_filter_cost(m, (double)core_of(part), (double)part->K, 0);
    sum[0] += times * sum[i + 1];
    times *= m;
  }
  for (size_t i = 0; i < count; i++) uneven[i] = sum[i];
  if (dg_comm_reduce(comm, DG_MAX, count, uneven, err) != 0 || dg_comm_reduce(comm, DG_SUM, count, sum, err) != 0)
    return err->code;
  for (size_t i = 0; i < count; i++) uneven[i] = sum[i] > 0 ? uneven[i] * dg_comm_size(comm) / sum[i] : 1;
  return 0;
}

double mx_work_passes(const struct mx_level_work *work, int levels)
{
  double passes = 0;
  for (int i = 0; i <= levels; i++) passes += work[i].passes;
  return passes;
}

double mx_work_gain(const struct mx_level_work *work, int levels, double single_step, double step)
{
  return work[0].passes / single_step / (mx_work_passes(work, levels) / step);
}
