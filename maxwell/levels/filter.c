/* The filter of a level as a sequence of passes; levels.h has the formulas. */
#include <math.h>

#include "maxwell/levels/filter.h"

/* t[0..m] and alpha. */
static double recurrence(int m, double eta, double t[MX_SUBSTEPS_MAX + 1])
{
  const double nu = 1 + eta / ((double)m * m);
  double u[2] = {1, 2 * nu}; /* U_0, U_1 */
  t[0] = 1, t[1] = nu;
  for (int k = 1; k < m; k++) t[k + 1] = 2 * nu * t[k] - t[k - 1];
  for (int k = 2; k <= m - 1; k++) {
    const double next = 2 * nu * u[1] - u[0];
    u[0] = u[1], u[1] = next;
  }
  return 2 * m * (m == 1 ? 1 : u[1]) / t[m];
}

struct mx_filter mx_filter_of(int m, double eta)
{
  struct mx_filter filter = {.m = m};
  double t[MX_SUBSTEPS_MAX + 1], c = 1;
  const double alpha = recurrence(m, eta, t);
  double s = filter.first = 1 / (alpha * t[1]);
  for (int k = 1; k < m; k++) {
    const double B = t[k - 1] / t[k + 1], D = 2 * t[k] / (t[k + 1] * alpha);
    c *= B, s = B * s + D;
    filter.of_E[k] = D / c;
    filter.of_H[k] = c;
    filter.share[k] = s;
  }
  return filter;
}

double mx_filter_bound(int m, double eta)
{
  double t[MX_SUBSTEPS_MAX + 1];
  return 2 * (1 + eta / ((double)m * m)) * recurrence(m, eta, t);
}

int mx_filter_steps(double times, double eta)
{
  static const double room = 0.98;
  int m = 1;
  while (m <= MX_SUBSTEPS_MAX && 4 * times * times > room * mx_filter_bound(m, eta)) m++;
  return m;
}

double mx_filter_ratio(int m, double eta) { return sqrt(mx_filter_bound(m, eta) / 4); }

struct mx_filter mx_filter_at(const struct mx_levels *levels, int i)
{
  struct mx_filter filter = mx_filter_of(levels->level[i].m, levels->level[i].eta);
  double scale = 1; /* of dt^2 */
  for (int l = 0; l < i; l++) scale *= 4 / mx_filter_bound(levels->level[l].m, levels->level[l].eta);
  for (int k = 1; k < filter.m; k++) filter.of_E[k] *= scale;
  return filter;
}

/* A part keeps H itself where the next level filters it. */
static struct mx_backend_options options_of_part(const struct mx_backend_options *options)
{
  struct mx_backend_options plain = *options;
  plain.filtered = false;
  return plain;
}

size_t mx_levels_run_bytes(const struct mx_levels *levels, const struct mx_backend_ops *ops,
                           const struct mx_backend_options *options)
{
  /* What the filter keeps of H; a card that records steps has the next H besides. */
  const size_t fields = ops->fine->repeat != NULL ? 3 : 2;
  const struct mx_backend_options plain = options_of_part(options);
  const size_t number = options->precision == MX_DOUBLE ? sizeof(double) : sizeof(float);
  size_t bytes = 0;
  for (int i = 0; i < levels->count; i++) {
    const struct mx_problem *part = &levels->level[i].problem;
    bytes += ops->memory(part, &plain) + fields * 3 * (size_t)part->ref->Np * part->K * number;
  }
  return bytes;
}

int mx_levels_begin(struct mx_levels_run *run, const struct mx_levels *levels, const struct mx_backend_ops *ops,
                    struct mx_backend *whole, const struct mx_backend_options *options, struct dg_error *err)
{
  const struct mx_backend_options plain = options_of_part(options);
  *run = (struct mx_levels_run){.ops = ops, .backend = {whole}, .profile = run->profile};
  for (int i = 0; i < levels->count; i++) {
    const struct mx_level *level = &levels->level[i];
    if (ops->create(&run->backend[i + 1], &level->problem, &plain, err) != 0 ||
        ops->fine->attach(run->backend[i + 1], run->backend[i], level->element, err) != 0)
      return err->code;
    run->filter[i] = mx_filter_at(levels, i);
    run->count = i + 1;
  }
  return 0;
}

void mx_levels_end(struct mx_levels_run *run)
{
  for (int i = MX_LEVELS_MAX; i > 0 && run->ops != NULL; i--) run->ops->destroy(run->backend[i]);
  *run = (struct mx_levels_run){0};
}

/* One step in one changes nothing. */
static bool rests(const struct mx_levels_run *run, int i)
{
  return i >= run->count || (run->filter[i].m == 1 && i + 1 == run->count);
}

/* Phases of level i. A card times that of the outermost level by its own clock, with the levels inside it. */
static struct mx_mark begin_phase(struct mx_levels_run *run, int i)
{
  if (i == 0) run->ops->card->phase(run->backend[0], "shorter steps");
  return mx_phase_begin(run->profile);
}

static void end_phase(struct mx_levels_run *run, int i, struct mx_mark mark)
{
  static const char *const name[MX_LEVELS_MAX] = {
      "level 1, shorter steps", "level 2, shorter steps", "level 3, shorter steps", "level 4, shorter steps",
      "level 5, shorter steps", "level 6, shorter steps", "level 7, shorter steps", "level 8, shorter steps"};
  mx_phase_end(run->profile, mark, name[i], (struct mx_cost){0, 0});
  if (i == 0) run->ops->card->phase(run->backend[0], NULL);
}

static int keep(struct mx_levels_run *run, int i, struct dg_error *err)
{
  if (rests(run, i)) return 0;
  const struct mx_mark mark = begin_phase(run, i);
  if (run->ops->fine->keep(run->backend[i + 1], run->backend[i], err) != 0) return err->code;
  end_phase(run, i, mark);
  return 0;
}

static int filter(struct mx_levels_run *run, int i, struct dg_error *err);

static int make_steps(struct mx_levels_run *run, int i, struct dg_error *err)
{
  const struct mx_fine_ops *fine = run->ops->fine;
  struct mx_backend *part = run->backend[i + 1];
  const struct mx_filter *of = &run->filter[i];
  const bool inner = i + 1 < run->count; /* filters H = w, too, but not what each step adds of w */
  if ((inner && fine->keep(run->backend[i + 2], NULL, err) != 0) ||
      fine->take(part, run->backend[i], inner ? 1 : of->first, err) != 0 ||
      (inner && (filter(run, i + 1, err) != 0 || fine->scale(part, of->first, err) != 0)))
    return err->code;
  for (int k = 1; k < of->m; k++)
    if (fine->pass(part, MX_AMPERE, of->of_E[k], of->share[k], err) != 0 || keep(run, i + 1, err) != 0 ||
        fine->pass(part, MX_FARADAY, of->of_H[k], of->share[k], err) != 0 || filter(run, i + 1, err) != 0)
      return err->code;
  return fine->give(part, run->backend[i], 2, err);
}

/* Filters what was added to H of the level around level i since `keep`. */
static int filter(struct mx_levels_run *run, int i, struct dg_error *err)
{
  if (rests(run, i)) return 0;
  const struct mx_mark mark = begin_phase(run, i);
  if (make_steps(run, i, err) != 0) return err->code;
  end_phase(run, i, mark);
  return 0;
}

static int make_or_repeat(struct mx_levels_run *run, struct dg_error *err)
{
  const struct mx_fine_ops *fine = run->ops->fine;
  bool done = false;
  if (fine->repeat == NULL) return make_steps(run, 0, err);
  if (fine->repeat(run->backend, run->count, &done, err) != 0 || done) return err->code;
  if (make_steps(run, 0, err) != 0) return err->code;
  return fine->recorded(run->backend, run->count, err);
}

/* Filters what a pass of the whole added. The phase of all levels lies around what is recorded: a repeated step has no
 * phases inside. */
static int filter_all(struct mx_levels_run *run, struct dg_error *err)
{
  if (rests(run, 0)) return 0;
  const struct mx_mark mark = begin_phase(run, 0);
  if (make_or_repeat(run, err) != 0) return err->code;
  end_phase(run, 0, mark);
  return 0;
}

int mx_levels_before(struct mx_levels_run *run, struct dg_error *err) { return keep(run, 0, err); }

int mx_levels_after(struct mx_levels_run *run, struct dg_error *err) { return filter_all(run, err); }
