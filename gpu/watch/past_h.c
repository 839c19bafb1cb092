/* H half a step ago, where leapfrog works in place and has only the new H. The change of a half step depends on E
 * alone, and E is still the same while a step is observed. The same half step with the factor -1 therefore makes the
 * old H of the new one, and with -1/2 the mean of both, to rounding. No field is copied, and the caller need not ask
 * for values before the half step.
 *
 * On some elements the half step adds more: boundaries may have a penalty, which looks at H itself; open faces
 * extrapolate; sources add jumps; and the pass over all elements knows nothing of curved ones. The rows of these
 * elements are copied before the half step of a step that is observed. */
#include "gpu/core/core.h"
#include "gpu/core/places.h"
#include "gpu/terms/list.h"
#include "gpu/watch/past_h.h"
#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "maxwell/problem/curved.h"

/* Does the half step add more to H than the curl of E? In curved elements a launch of its own computes it. */
static bool has_more(const struct mx_problem *problem, size_t e)
{
  if (problem->curves.count > 0 && mx_curve_find(problem, e) >= 0) return true;
  for (size_t f = 0; f < 4; f++)
    if (problem->flux[e][f].h_penalty != 0) return true;
  return false;
}

/* The number of elements of the functional of H that has most. */
static size_t rows_of_functionals(const struct mx_problem *problem)
{
  size_t most = 0;
  for (size_t f = 0; f < problem->functionals; f++) {
    const size_t rows = problem->functional[f].magnetic ? gpu_rows_of_functional(problem, f, NULL) : 0;
    if (rows > most) most = rows;
  }
  return most;
}

/* The number of rows that are worked out at a time: so many that all blocks have work, but so few that the rows are
 * still in the card's cache when they are looked at. Of small meshes a part. */
static size_t rows_at_a_time(const struct mx_problem *problem, size_t real)
{
  enum { PARTS = 4 };
  const size_t most = GPU_RECALLED / (gpu_stride(problem->ref->order) * real), part = (problem->K + PARTS - 1) / PARTS;
  return part < most ? part : most;
}

struct counted {
  const struct mx_problem *problem;
  size_t kept;
};

static void count(void *context, size_t e)
{
  struct counted *counted = context;
  counted->kept += !has_more(counted->problem, e);
}

static void mark(void *context, size_t e) { ((bool *)context)[e] = true; }

size_t gpu_recall_bytes(const struct mx_problem *problem, size_t real)
{
  const size_t row = gpu_stride(problem->ref->order) * real, functionals = rows_of_functionals(problem);
  size_t rows = rows_at_a_time(problem, real);
  struct counted counted = {problem, 0};
  if (rows < functionals) rows = functionals;
  for (size_t e = 0; e < problem->K; e++) counted.kept += has_more(problem, e);
  gpu_terms_H_elements(problem, count, &counted);
  return rows * row + counted.kept * (row + sizeof(int32_t));
}

int gpu_new_recall(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  struct gpu_recall *recall = backend->recall;
  bool *more = NULL;
  if (!backend->in_place) return 0;
  recall->rows = rows_at_a_time(problem, backend->real);
  if (DG_NEW(more, problem->K, err) != 0) return err->code;
  for (size_t e = 0; e < problem->K; e++) more[e] = has_more(problem, e);
  gpu_terms_H_elements(problem, mark, more);
  for (size_t e = 0; e < problem->K; e++) recall->kept.count += more[e];
  if (DG_NEW(recall->element, recall->kept.count, err) != 0) goto fail;
  for (size_t e = 0, i = 0; e < problem->K; e++)
    if (more[e]) recall->element[i++] = (int32_t)e;
  (void)!gpu_new_copy(&backend->card, &recall->kept.element, recall->element,
                      recall->kept.count * sizeof *recall->element, "observation", err);
fail:
  dg_free(more);
  return err->code;
}

void gpu_release_recall(struct mx_backend *backend) { dg_free(backend->recall->element); }

/* The element at which tile i begins; for i = the number of tiles, the end of the last one, without padding. */
static size_t start_of_tile(const struct mx_backend *backend, int i)
{
  const size_t K = backend->problem->K;
  const size_t start = i < backend->tables.tiling.count ? (size_t)backend->tile_begin[i] : K;
  return start < K ? start : K;
}

/* Allocates the rows, once something is observed. */
static int new_rows(struct mx_backend *backend, struct dg_error *err)
{
  struct gpu_recall *recall = backend->recall;
  const size_t row = gpu_stride(backend->tables.order) * backend->real;
  const size_t functionals = rows_of_functionals(backend->problem);
  size_t least = functionals > 0 ? functionals : 1;
  for (int i = 0; i < backend->tables.tiling.count; i++) {
    const size_t tile = start_of_tile(backend, i + 1) - start_of_tile(backend, i);
    if (tile > least) least = tile;
  }
  if (recall->rows < least) recall->rows = least;
  recall->rows = (recall->rows + 7) / 8 * 8; /* with padding */
  if (gpu_new(&backend->card, &recall->kept.row, recall->kept.count * row, "rows of half a step before", err) != 0 ||
      gpu_new(&backend->card, &recall->row, recall->rows * row, "rows of half a step before", err) != 0)
    return err->code;
  return 0;
}

int gpu_keep_H(struct mx_backend *backend, struct dg_error *err)
{
  struct gpu_recall *recall = backend->recall;
  if (!backend->in_place || !backend->observed) return 0;
  if (recall->row == NULL && new_rows(backend, err) != 0) return err->code;
  return gpu_check(gpu_keep_rows(&backend->tables, &recall->kept, backend->field[1], backend->work), "copying rows",
                   err);
}

/* ---- requests */

bool gpu_next_rows(const struct mx_backend *backend, struct gpu_some *some)
{
  const struct gpu_tiling *tiling = &backend->tables.tiling;
  const size_t K = backend->problem->K, most = backend->recall->rows;
  some->first += some->count;
  some->tile += some->tiles;
  if (some->first >= K) return false;
  some->count = K - some->first < most ? K - some->first : most;
  some->tiles = 0;
  if (tiling->count == 0) return true;
  while (some->tile + some->tiles < tiling->count &&
         start_of_tile(backend, some->tile + some->tiles + 1) <= some->first + most)
    some->tiles++;
  if (some->tile + some->tiles < tiling->count && some->tiles > tiling->blocks) /* all blocks have equally many */
    some->tiles -= some->tiles % tiling->blocks;
  some->count = start_of_tile(backend, some->tile + some->tiles) - some->first;
  return true;
}

int gpu_recall_H(struct mx_backend *backend, const struct gpu_some *some, double weight, void *to, struct dg_error *err)
{
  struct gpu_recall *recall = backend->recall;
  const struct gpu_half half = {.part = GPU_SOME,
                                .some = *some,
                                .equation = 1,
                                .scale = -weight,
                                .own = backend->field[1],
                                .other = backend->field[0],
                                .result = to};
  struct gpu_put_back back = {.kept = recall->kept,
                              .first = some->first,
                              .rows = some->count,
                              .element = some->element,
                              .weight = weight,
                              .field = backend->field[1],
                              .to = to};
  DG_BUG_IF(!backend->observed, "values of a leapfrog step were asked for that was not observed");
  if (some->element == NULL) {
    const struct gpu_kept here = {.count = recall->kept.count, .element = recall->element};
    const size_t first = gpu_first_kept(&here, some->first);
    back.kept.count = gpu_first_kept(&here, some->first + some->count) - first;
    back.kept.element += first;
    back.kept.row = (unsigned char *)back.kept.row + first * gpu_stride(backend->tables.order) * backend->real;
  }
  if (gpu_check(
          backend->kernels->half[backend->tables.single](&backend->tables, &backend->applied, &half, backend->work),
          "observing", err) != 0)
    return err->code;
  return gpu_check(gpu_put_rows_back(&backend->tables, &back, backend->work), "observing", err);
}

int gpu_recall_all(struct mx_backend *backend, double weight, void *to, struct dg_error *err)
{
  const struct gpu_some all = {.count = backend->problem->K, .tiles = backend->tables.tiling.count};
  return gpu_recall_H(backend, &all, weight, to, err);
}
