/* The levels of multigrid on the card, and their cycle. solver.c calls it. */
#include "gpu/elliptic/levels.h"

#include <math.h>

#include "gpu/elliptic/pack.h"
#include "gpu/elliptic/spectrum.h"
#include "gpu/runtime/errors.h"
#include "libdg/base/memory.h"
#include "libdg/base/orders.h"

/* The smoother has this degree and works on this part of the spectrum, from above. POWERS iterations find its largest
 * eigenvalue. The polynomial of the coarsest level has at most the degree DEEPEST. */
enum { SWEEPS = 4, POWERS = 12, DEEPEST = 400 };
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

/* Without the rows that another rank counts. */
static int transpose(const struct entries *m, const bool *foreign, struct entries *t, struct dg_error *err)
{
  int32_t *next = NULL;
  if (new_entries(t, m->columns, m->rows, m->count, err) != 0 || DG_NEW(next, m->columns + 1, err) != 0 ||
      t->row == NULL)
    return err->code;
  for (size_t r = 0; r < m->rows; r++)
    for (int32_t k = m->row[r]; k < m->row[r + 1] && (foreign == NULL || !foreign[r]); k++) t->row[m->column[k] + 1]++;
  for (size_t r = 0; r < t->rows; r++) t->row[r + 1] += t->row[r];
  for (size_t r = 0; r < t->rows; r++) next[r] = t->row[r];
  for (size_t r = 0; r < m->rows; r++)
    for (int32_t k = m->row[r]; k < m->row[r + 1] && (foreign == NULL || !foreign[r]); k++) {
      const int32_t at = next[m->column[k]]++;
      t->column[at] = (int32_t)r;
      t->value[at] = m->value[k];
    }
  t->count = (size_t)t->row[t->rows];
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

static int connect(struct gpu_levels *levels, int n, struct dg_error *err)
{
  struct gpu_memory *card = &levels->card;
  const struct dg_multigrid_level fine = dg_multigrid_level(levels->of, n),
                                  coarse = dg_multigrid_level(levels->of, n + 1);
  struct entries up = {0}, down = {0};
  if (interpolate(&fine, &coarse, &up, err) == 0 && transpose(&up, dg_space_foreign(fine.space), &down, err) == 0 &&
      send_rows(&levels->level[n].up, card, &up, err) == 0)
    (void)!send_rows(&levels->level[n].down, card, &down, err);
  release_entries(&up);
  release_entries(&down);
  return err->code;
}

/* ---- levels */

static int new_level(struct gpu_levels *levels, int n, const struct gpu_levels_setup *setup, struct dg_error *err)
{
  struct gpu_memory *card = &levels->card;
  struct gpu_level *level = &levels->level[n];
  const struct dg_multigrid_level of = dg_multigrid_level(setup->of, n);
  size_t places = 0;
  if (gpu_elliptic_pack(&level->op, card, of.op, of.more, &places, err) != 0) return err->code;
  const size_t bytes = level->op.count * sizeof(double);
  if (gpu_new(card, &level->op.result, places * sizeof(double), making, err) != 0 ||
      gpu_new(card, &level->r, bytes, making, err) != 0 || gpu_new(card, &level->s.q, bytes, making, err) != 0 ||
      gpu_new(card, &level->inverse, bytes, making, err) != 0 ||
      gpu_ranks_new(&level->ranks, card, of.space, setup->direct, err) != 0)
    return err->code;
  return gpu_check(gpu_elliptic_prepare(level->op.order), making, err);
}

int gpu_levels_init(struct gpu_levels *levels, const struct gpu_levels_setup *setup, struct dg_error *err)
{
  struct gpu_memory *card = &levels->card;
  levels->of = setup->of;
  levels->more = setup->more;
  levels->part = setup->finest->part_q;
  levels->count = dg_multigrid_levels(setup->of);
  for (int n = 0; n < levels->count; n++) {
    struct gpu_level *level = &levels->level[n];
    if (n == 0) {
      level->op = *setup->op;
      level->ranks = setup->ranks;
      level->r = setup->finest->r;
      level->inverse = setup->finest->inverse;
      level->s.q = setup->finest->q;
    } else if (new_level(levels, n, setup, err) != 0) {
      return err->code;
    }
    const size_t bytes = level->op.count * sizeof(double);
    if (gpu_new(card, &level->s.z, bytes, making, err) != 0 || gpu_new(card, &level->s.e, bytes, making, err) != 0 ||
        gpu_new(card, &level->rest, bytes, making, err) != 0 || (n + 1 < levels->count && connect(levels, n, err) != 0))
      return err->code;
    level->s.count = level->op.count;
    level->s.r = level->r;
    level->s.inverse = level->inverse;
  }
  return 0;
}

int gpu_levels_join(struct gpu_levels *levels, struct dg_error *err)
{
  for (int n = 1; n < levels->count; n++)
    if (gpu_ranks_join(levels->level[n].ranks, err) != 0) break;
  return err->code;
}

void gpu_levels_release(struct gpu_levels *levels)
{
  for (int n = 1; n < levels->count; n++) gpu_ranks_free(levels->level[n].ranks);
  gpu_release_card(&levels->card);
  *levels = (struct gpu_levels){0};
}

/* ---- preparing */

/* The diagonal on the host, 0 where it is held; room[count]. Collective. */
static void find_diagonal(const struct gpu_levels *levels, int n, struct gpu_elliptic_weights w, double *room,
                          double *diagonal)
{
  const struct dg_multigrid_level of = dg_multigrid_level(levels->of, n);
  const struct dg_elliptic_weights weights = {.stiffness = w.stiffness, .mass = w.mass, .face = w.face};
  struct dg_elliptic *more = n == 0 ? levels->more : of.more;
  const bool adds = more != NULL && w.more != 0;
  dg_elliptic_diagonal(of.op, weights, diagonal);
  if (adds) dg_elliptic_diagonal(more, (struct dg_elliptic_weights){.mass = w.more}, room);
  for (size_t i = 0; i < of.space->count; i++) {
    if (adds) diagonal[i] += room[i];
    if (of.held[i] || !(diagonal[i] > 0)) diagonal[i] = 0;
  }
}

static int send(double *to, const double *from, size_t count, gpuStream_t stream, struct dg_error *err)
{
  if (gpu_check(gpuMemcpyAsync(to, from, count * sizeof *to, gpuMemcpyHostToDevice, stream), making, err) != 0)
    return err->code;
  return gpu_check(gpuStreamSynchronize(stream), making, err);
}

/* Unknowns of all ranks that the level works on, and the range of rest over mass there. */
static int look_at(struct gpu_level *level, const struct dg_space *space, const double *rest, const double *mass,
                   double *ones, struct dg_error *err)
{
  const bool *foreign = dg_space_foreign(space);
  double range[2] = {-INFINITY, -INFINITY};
  *ones = 0;
  for (size_t i = 0; i < space->count; i++) {
    if ((foreign == NULL || !foreign[i]) && rest[i] > 0) *ones += 1;
    if (mass == NULL || !(mass[i] > 0)) continue;
    range[0] = fmax(range[0], -rest[i] / mass[i]);
    range[1] = fmax(range[1], rest[i] / mass[i]);
  }
  if (space->shared != NULL && (dg_comm_reduce(space->shared->comm, DG_SUM, 1, ones, err) != 0 ||
                                dg_comm_reduce(space->shared->comm, DG_MAX, 2, range, err) != 0))
    return err->code;
  level->least = fmax(0, -range[0]);
  level->most = fmax(0, range[1]);
  return 0;
}

/* The diagonals of a level. */
static int set_diagonals(struct gpu_levels *levels, int n, gpuStream_t stream, double *ones, struct dg_error *err)
{
  struct gpu_level *level = &levels->level[n];
  const struct dg_space *space = dg_multigrid_level(levels->of, n).space;
  const size_t count = level->op.count;
  double *rest = NULL, *mass = NULL, *room = NULL;
  if (DG_NEW(rest, count, err) != 0 || DG_NEW(room, count, err) != 0 ||
      (levels->massive && DG_NEW(mass, count, err) != 0) ||
      (levels->massive && level->mass == NULL &&
       gpu_new(&levels->card, &level->mass, count * sizeof(double), making, err) != 0))
    goto fail;
  find_diagonal(levels, n, levels->rest, room, rest);
  if (levels->massive) find_diagonal(levels, n, (struct gpu_elliptic_weights){.mass = 1}, room, mass);
  if (dg_space_error(space, err) != 0 || look_at(level, space, rest, mass, ones, err) != 0 ||
      send(level->rest, rest, count, stream, err) != 0)
    goto fail;
  if (levels->massive) (void)!send(level->mass, mass, count, stream, err);
fail:
  dg_free(rest);
  dg_free(mass);
  dg_free(room);
  return err->code;
}

/* `inverse` for these weights of the mass and of all else. */
static int invert(const struct gpu_level *level, double mass, double rest, gpuStream_t stream, struct dg_error *err)
{
  return gpu_check(gpu_smooth_invert(level->op.count, mass, mass != 0 ? level->mass : NULL, rest, level->rest,
                                     level->inverse, stream),
                   making, err);
}

/* The ends of the spectrum for these weights of the mass and of all else. */
static int find(struct gpu_levels *levels, int n, double mass, double rest, double ones, int most,
                const struct gpu_search *search, struct gpu_ends *ends, struct dg_error *err)
{
  const struct gpu_elliptic_weights w = levels->rest;
  const struct gpu_elliptic_weights weights = {
      .stiffness = rest * w.stiffness, .mass = mass, .more = rest * w.more, .face = rest * w.face};
  if (invert(&levels->level[n], mass, rest, search->stream, err) != 0) return err->code;
  return gpu_find_spectrum(&levels->level[n], weights, levels->floating && mass == 0, ones, most, search, ends, err);
}

static int prepare(struct gpu_levels *levels, const bool *held, const struct gpu_search *search, struct dg_error *err)
{
  if (dg_multigrid_hold(levels->of, held, err) != 0) return err->code;
  levels->founds = 0;
  for (int n = 0; n < levels->count; n++) {
    struct gpu_level *level = &levels->level[n];
    const int most = n == levels->count - 1 && !levels->massive ? GPU_SEARCH : POWERS;
    double ones = 0;
    if (set_diagonals(levels, n, search->stream, &ones, err) != 0 ||
        find(levels, n, 0, 1, ones, most, search, &level->of_rest, err) != 0 ||
        (levels->massive && find(levels, n, 1, 0, ones, POWERS, search, &level->of_mass, err) != 0))
      return err->code;
  }
  levels->prepared = true;
  return 0;
}

/* Is anything but the share of the mass other than it was, on any rank? */
static int look_for_changes(const struct gpu_levels *levels, struct gpu_elliptic_weights rest, const bool *held,
                            bool massive, bool floating, bool *changed, struct dg_error *err)
{
  const struct dg_multigrid_level of = dg_multigrid_level(levels->of, 0);
  double changes = !levels->prepared || levels->floating != floating || levels->massive != massive ||
                   levels->rest.more != rest.more || levels->rest.face != rest.face;
  for (size_t i = 0; i < of.space->count && changes == 0; i++) changes = of.held[i] != (held != NULL && held[i]);
  if (dg_space_reduce(of.space, 1, &changes, err) != 0) return err->code;
  *changed = changes > 0;
  return 0;
}

/* The smallest eigenvalue of the coarsest level at rest over mass = ratio, from below. */
static int find_smallest(struct gpu_levels *levels, double ratio, const struct gpu_search *search, double *smallest,
                         struct dg_error *err)
{
  const int last = levels->count - 1;
  struct gpu_ends ends = {1, 1};
  int exponent;
  (void)frexp(ratio, &exponent); /* ratio < 2^exponent */
  exponent += exponent & 1;
  for (int i = 0; i < levels->founds && i < GPU_FOUND; i++)
    if (levels->found[i].exponent == exponent) {
      *smallest = levels->found[i].smallest;
      return 0;
    }
  if (find(levels, last, 1, ldexp(1, exponent), 0, GPU_SEARCH, search, &ends, err) != 0) return err->code;
  *smallest = fmin(ends.smallest, levels->level[last].of_mass.smallest);
  levels->found[levels->founds++ % GPU_FOUND] = (struct gpu_found){exponent, *smallest};
  return 0;
}

/* A bound of the largest eigenvalue. */
static double bound_largest(const struct gpu_level *level, double mass, double rest)
{
  const double most = rest * level->most, least = rest * level->least;
  if (mass == 0) return level->of_rest.largest;
  return fmax((mass * level->of_mass.largest + most * level->of_rest.largest) / (mass + most),
              (mass * level->of_mass.largest + least * level->of_rest.largest) / (mass + least));
}

int gpu_levels_set(struct gpu_levels *levels, struct gpu_elliptic_weights weights, const bool *held, bool floating,
                   const struct gpu_search *search, struct dg_error *err)
{
  const double mass = weights.mass, scale = weights.stiffness;
  bool changed = false;
  if (!(scale > 0)) return dg_fail(err, DG_INPUT, "multigrid wants a stiffness above 0");
  const struct gpu_elliptic_weights rest = {.stiffness = 1, .more = weights.more / scale, .face = weights.face / scale};
  if (look_for_changes(levels, rest, held, mass != 0, floating, &changed, err) != 0) return err->code;
  if (changed) {
    levels->prepared = false;
    levels->massive = mass != 0;
    levels->floating = floating;
    levels->rest = rest;
    if (prepare(levels, held, search, err) != 0) return err->code;
  }
  double smallest = levels->level[levels->count - 1].of_rest.smallest;
  if (mass != 0 && find_smallest(levels, scale / mass, search, &smallest, err) != 0) return err->code;
  for (int n = 0; n < levels->count; n++) {
    struct gpu_level *level = &levels->level[n];
    const bool last = n == levels->count - 1;
    const double largest = bound_largest(level, mass, scale);
    level->largest = margin * largest;
    level->smallest = last ? smallest : largest / reach;
    const double condition = level->largest / level->smallest;
    level->degree = last ? (int)fmin(ceil(0.9 * sqrt(condition)) + 1, DEEPEST) : SWEEPS;
    if (invert(level, mass, scale, search->stream, err) != 0) return err->code;
  }
  return 0;
}

/* ---- the cycle */

/* What a cycle needs to know everywhere. */
struct cycle {
  const struct gpu_levels *levels;
  struct gpu_elliptic_weights weights;
  const struct gpu_march *march;
  int n;
  gpuStream_t stream;
};

/* A z, which is in op.result or, where ranks share it, in q. */
static int multiply(const struct cycle *c, const struct gpu_level *level, struct dg_error *err)
{
  const struct gpu_smooth *s = &level->s;
  gpuError_t status = gpu_elliptic_elements(&level->op, c->weights, s->z, c->march, c->n, c->stream);
  if (status == gpuSuccess && level->ranks != NULL)
    status = gpu_elliptic_gather(&level->op, s->z, s->q, c->levels->part, c->march, c->n, c->stream);
  if (gpu_check(status, making, err) != 0) return err->code;
  return gpu_ranks_sum(level->ranks, s->q, NULL, c->stream, err);
}

/* z = (started) z, with better frequencies from `smallest` to `largest`. */
static int smooth(const struct cycle *c, const struct gpu_level *level, bool started, struct dg_error *err)
{
  const double middle = 0.5 * (level->largest + level->smallest), half = 0.5 * (level->largest - level->smallest);
  double rho = half / middle;
  for (int k = 0; k < level->degree; k++) {
    if (k == 0 && !started) {
      if (gpu_check(gpu_smooth_first(&level->s, 1 / middle, c->march, c->n, c->stream), making, err) != 0)
        return err->code;
      continue;
    }
    const double next = k > 0 ? 1 / (2 * middle / half - rho) : rho;
    const double keep = k > 0 ? next * rho : 0, take = k > 0 ? 2 * next / half : 1 / middle;
    if (multiply(c, level, err) != 0 ||
        gpu_check(gpu_smooth_next(&level->op, &level->s, level->ranks != NULL, keep, take, c->march, c->n, c->stream),
                  making, err) != 0)
      return err->code;
    rho = next;
  }
  return 0;
}

/* What the level lacks becomes r of the coarser one. */
static int go_down(const struct cycle *c, const struct gpu_level *level, struct dg_error *err)
{
  const struct gpu_level *below = level + 1;
  if (multiply(c, level, err) != 0) return err->code;
  gpuError_t status = gpu_smooth_lack(&level->op, &level->s, level->ranks != NULL, c->march, c->n, c->stream);
  if (status == gpuSuccess)
    status = gpu_rows_times(&level->down, level->s.q, below->inverse, below->r, 0, c->march, c->n, c->stream);
  if (gpu_check(status, making, err) != 0) return err->code;
  return gpu_ranks_sum(below->ranks, below->r, NULL, c->stream, err);
}

int gpu_levels_cycle(const struct gpu_levels *levels, struct gpu_elliptic_weights weights,
                     const struct gpu_march *march, int n, gpuStream_t stream, struct dg_error *err)
{
  const struct cycle c = {.levels = levels, .weights = weights, .march = march, .n = n, .stream = stream};
  const int last = levels->count - 1;
  for (int k = 0; k < last; k++)
    if (smooth(&c, &levels->level[k], false, err) != 0 || go_down(&c, &levels->level[k], err) != 0) return err->code;
  if (smooth(&c, &levels->level[last], false, err) != 0) return err->code;
  for (int k = last - 1; k >= 0; k--) {
    const struct gpu_level *level = &levels->level[k];
    if (gpu_check(gpu_rows_times(&level->up, level[1].s.z, level->inverse, level->s.z, 1, march, n, stream), making,
                  err) != 0 ||
        smooth(&c, level, true, err) != 0)
      return err->code;
  }
  return 0;
}
