/* The levels of multigrid on the card, and their cycle. solver.c calls it. */
#include "gpu/elliptic/levels.h"

#include <math.h>

#include "gpu/elliptic/pack.h"
#include "gpu/elliptic/spectrum.h"
#include "gpu/runtime/errors.h"
#include "libdg/base/memory.h"
#include "libdg/base/orders.h"

/* The smoother has this degree and works on this part of the spectrum, from above. The search for the smallest
 * eigenvalue of the coarsest level takes at most SEARCH iterations, and its polynomial has at most DEEPEST. */
enum { SWEEPS = 4, POWERS = 12, SEARCH = 200, DEEPEST = 400 };
static const double reach = 16, margin = 1.1;

static const char making[] = "multigrid";

/* ---- between levels */

/* A matrix on the host. */
struct entries {
  size_t rows, columns, count;
  int32_t *row, *column; /* row[rows + 1] */
  double *value;
};

static void release_entries(struct entries *m)
{
  dg_free(m->row);
  dg_free(m->column);
  dg_free(m->value);
}

static int new_entries(struct entries *m, size_t rows, size_t columns, size_t room, struct dg_error *err)
{
  *m = (struct entries){.rows = rows, .columns = columns};
  if (room > INT32_MAX) return dg_fail(err, DG_INPUT, "there are more than 2^31 numbers between two levels");
  if (DG_NEW(m->row, rows + 1, err) != 0 || DG_NEW(m->column, room, err) != 0) return err->code;
  return DG_NEW(m->value, room, err);
}

/* The coarser level's functions at an unknown of the finer one that is not a body's: columns and values with room for
 * all nodes of an element; returns how many are not zero. */
static size_t interpolate_one(const struct dg_multigrid_level *fine, const struct dg_space *under, size_t u,
                              int32_t *column, double *value)
{
  const size_t Np = (size_t)fine->space->ref.Np, Nc = (size_t)under->ref.Np;
  size_t count = 0;
  if (fine->source[u] < 0) return 0;
  const size_t e = (size_t)fine->source[u] / Np, i = (size_t)fine->source[u] % Np;
  for (size_t j = 0; j < Nc; j++) {
    if (fabs(fine->from[i * Nc + j]) < 1e-13) continue;
    column[count] = under->number[e * Nc + j];
    value[count++] = fine->from[i * Nc + j];
  }
  return count;
}

/* The values of the coarser level's functions at the unknowns of the finer one; a body is that of the coarser level. */
static int interpolate(const struct dg_multigrid_level *fine, const struct dg_multigrid_level *coarse,
                       struct entries *m, struct dg_error *err)
{
  const struct dg_space *space = fine->space, *under = coarse->space;
  const size_t single = space->count - space->bodies;
  int32_t column[DG_NP_MAX];
  double value[DG_NP_MAX];
  size_t room = space->bodies;
  for (size_t u = 0; u < single; u++) room += interpolate_one(fine, under, u, column, value);
  if (new_entries(m, space->count, under->count, room, err) != 0 || m->row == NULL) return err->code;
  for (size_t u = 0; u < single; u++) {
    m->row[u] = (int32_t)m->count;
    m->count += interpolate_one(fine, under, u, m->column + m->count, m->value + m->count);
  }
  for (size_t b = 0; b < space->bodies; b++) {
    m->row[single + b] = (int32_t)m->count;
    m->column[m->count] = (int32_t)dg_space_body(under, b);
    m->value[m->count++] = 1;
  }
  m->row[space->count] = (int32_t)m->count;
  return 0;
}

static int transpose(const struct entries *m, struct entries *t, struct dg_error *err)
{
  int32_t *next = NULL;
  if (new_entries(t, m->columns, m->rows, m->count, err) != 0 || DG_NEW(next, m->columns + 1, err) != 0 ||
      t->row == NULL)
    return err->code;
  for (size_t k = 0; k < m->count; k++) t->row[m->column[k] + 1]++;
  for (size_t r = 0; r < t->rows; r++) t->row[r + 1] += t->row[r];
  for (size_t r = 0; r < t->rows; r++) next[r] = t->row[r];
  for (size_t r = 0; r < m->rows; r++)
    for (int32_t k = m->row[r]; k < m->row[r + 1]; k++) {
      const int32_t at = next[m->column[k]]++;
      t->column[at] = (int32_t)r;
      t->value[at] = m->value[k];
    }
  t->count = m->count;
  dg_free(next);
  return 0;
}

static int send_rows(struct gpu_rows *rows, struct gpu_memory *card, const struct entries *m, struct dg_error *err)
{
  int32_t *longs = NULL;
  rows->count = m->rows;
  if (DG_NEW(longs, m->rows, err) != 0) return err->code;
  for (size_t r = 0; r < m->rows; r++)
    if (m->row[r + 1] - m->row[r] > GPU_ELLIPTIC_LONG) longs[rows->longs++] = (int32_t)r;
  if (gpu_new_copy(card, &rows->row, m->row, (m->rows + 1) * sizeof *m->row, making, err) == 0 &&
      gpu_new_copy(card, &rows->column, m->column, m->count * sizeof *m->column, making, err) == 0 &&
      gpu_new_copy(card, &rows->value, m->value, m->count * sizeof *m->value, making, err) == 0)
    (void)!gpu_new_copy(card, &rows->long_row, longs, rows->longs * sizeof *longs, making, err);
  dg_free(longs);
  return err->code;
}

static int join(struct gpu_levels *levels, struct gpu_memory *card, int n, struct dg_error *err)
{
  const struct dg_multigrid_level fine = dg_multigrid_level(levels->of, n),
                                  coarse = dg_multigrid_level(levels->of, n + 1);
  struct entries up = {0}, down = {0};
  if (interpolate(&fine, &coarse, &up, err) == 0 && transpose(&up, &down, err) == 0 &&
      send_rows(&levels->level[n].up, card, &up, err) == 0)
    (void)!send_rows(&levels->level[n].down, card, &down, err);
  release_entries(&up);
  release_entries(&down);
  return err->code;
}

/* ---- levels */

static int new_level(struct gpu_level *level, struct gpu_memory *card, const struct dg_elliptic *op,
                     struct dg_error *err)
{
  size_t places = 0;
  if (gpu_elliptic_pack(&level->op, card, op, NULL, &places, err) != 0) return err->code;
  const size_t bytes = level->op.count * sizeof(double);
  if (gpu_new(card, &level->op.result, places * sizeof(double), making, err) != 0 ||
      gpu_new(card, &level->r, bytes, making, err) != 0 || gpu_new(card, &level->s.q, bytes, making, err) != 0 ||
      gpu_new(card, &level->inverse, bytes, making, err) != 0)
    return err->code;
  return gpu_check(gpu_elliptic_prepare(level->op.order), making, err);
}

int gpu_levels_init(struct gpu_levels *levels, struct gpu_memory *card, struct dg_multigrid *of,
                    const struct gpu_elliptic *op, const struct gpu_march_vectors *finest, struct dg_error *err)
{
  const int count = dg_multigrid_levels(of);
  levels->of = of;
  for (int n = 0; n < count; n++) {
    struct gpu_level *level = &levels->level[n];
    if (n == 0) {
      level->op = *op;
      level->r = finest->r;
      level->inverse = finest->inverse;
      level->s.q = finest->q;
    } else if (new_level(level, card, dg_multigrid_level(of, n).op, err) != 0) {
      return err->code;
    }
    const size_t bytes = level->op.count * sizeof(double);
    if (gpu_new(card, &level->s.z, bytes, making, err) != 0 || gpu_new(card, &level->s.e, bytes, making, err) != 0 ||
        (n + 1 < count && join(levels, card, n, err) != 0))
      return err->code;
    level->s.count = level->op.count;
    level->s.r = level->r;
    level->s.inverse = level->inverse;
  }
  levels->count = count;
  return 0;
}

/* The inverse of the diagonal of a coarser level; *ones: unknowns that are not held. */
static int set_inverse(struct gpu_levels *levels, int n, struct gpu_elliptic_weights weights, gpuStream_t stream,
                       double *ones, struct dg_error *err)
{
  const struct dg_multigrid_level from = dg_multigrid_level(levels->of, n);
  const size_t count = from.space->count;
  double *inverse = NULL;
  *ones = 0;
  if (DG_NEW(inverse, count, err) != 0) return err->code;
  if (n > 0)
    dg_elliptic_diagonal(
        from.op,
        (struct dg_elliptic_weights){.stiffness = weights.stiffness, .mass = weights.mass, .face = weights.face},
        inverse);
  for (size_t i = 0; i < count; i++) {
    const bool works = !from.held[i] && (n == 0 || inverse[i] > 0);
    inverse[i] = works && n > 0 ? 1 / inverse[i] : 0;
    *ones += works;
  }
  if (n > 0 && gpu_check(gpuMemcpyAsync(levels->level[n].inverse, inverse, count * sizeof *inverse,
                                        gpuMemcpyHostToDevice, stream),
                         making, err) == 0)
    (void)!gpu_check(gpuStreamSynchronize(stream), making, err);
  dg_free(inverse);
  return err->code;
}

int gpu_levels_set(struct gpu_levels *levels, struct gpu_elliptic_weights weights, const bool *held, bool floating,
                   const struct gpu_search *search, struct dg_error *err)
{
  if (dg_multigrid_hold(levels->of, held, err) != 0) return err->code;
  for (int n = 0; n < levels->count; n++) {
    struct gpu_level *level = &levels->level[n];
    const bool last = n == levels->count - 1;
    double smallest, largest, ones;
    if (set_inverse(levels, n, weights, search->stream, &ones, err) != 0 ||
        gpu_find_spectrum(level, weights, floating, ones, last ? SEARCH : POWERS, search, &smallest, &largest, err) !=
            0)
      return err->code;
    level->largest = margin * largest;
    level->smallest = last ? smallest : largest / reach;
    const double condition = level->largest / level->smallest;
    level->degree = last ? (int)fmin(ceil(0.9 * sqrt(condition)) + 1, DEEPEST) : SWEEPS;
  }
  return 0;
}

/* ---- the cycle */

/* z = (started) z, with better frequencies from `smallest` to `largest`. */
static gpuError_t smooth(const struct gpu_level *level, struct gpu_elliptic_weights weights, bool started,
                         const struct gpu_march *march, int n, gpuStream_t stream)
{
  const double middle = 0.5 * (level->largest + level->smallest), half = 0.5 * (level->largest - level->smallest);
  gpuError_t status = gpuSuccess;
  double rho = half / middle;
  for (int k = 0; k < level->degree && status == gpuSuccess; k++) {
    if (k == 0 && !started) {
      status = gpu_smooth_first(&level->s, 1 / middle, march, n, stream);
      continue;
    }
    const double next = k > 0 ? 1 / (2 * middle / half - rho) : rho;
    const double keep = k > 0 ? next * rho : 0, take = k > 0 ? 2 * next / half : 1 / middle;
    status = gpu_elliptic_elements(&level->op, weights, level->s.z, march, n, stream);
    if (status == gpuSuccess) status = gpu_smooth_next(&level->op, &level->s, keep, take, march, n, stream);
    rho = next;
  }
  return status;
}

gpuError_t gpu_levels_cycle(const struct gpu_levels *levels, struct gpu_elliptic_weights weights,
                            const struct gpu_march *march, int n, gpuStream_t stream)
{
  gpuError_t status = gpuSuccess;
  const int last = levels->count - 1;
  for (int k = 0; k < last && status == gpuSuccess; k++) {
    const struct gpu_level *level = &levels->level[k], *below = level + 1;
    status = smooth(level, weights, false, march, n, stream);
    if (status == gpuSuccess) status = gpu_elliptic_elements(&level->op, weights, level->s.z, march, n, stream);
    if (status == gpuSuccess) status = gpu_smooth_lack(&level->op, &level->s, march, n, stream);
    if (status == gpuSuccess)
      status = gpu_rows_times(&level->down, level->s.q, below->inverse, below->r, 0, march, n, stream);
  }
  if (status == gpuSuccess) status = smooth(&levels->level[last], weights, false, march, n, stream);
  for (int k = last - 1; k >= 0 && status == gpuSuccess; k--) {
    const struct gpu_level *level = &levels->level[k];
    status = gpu_rows_times(&level->up, level[1].s.z, level->inverse, level->s.z, 1, march, n, stream);
    if (status == gpuSuccess) status = smooth(level, weights, true, march, n, stream);
  }
  return status;
}
