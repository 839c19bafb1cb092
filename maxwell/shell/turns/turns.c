/* Samples functions of time, and finds where they turn. maxwell/heat calls it. */
#include "maxwell/shell/turns/turns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"

enum { GRID = 1 << 14, MOST_GRID = 1 << 18, MOST_CALLS = 1 << 21, DECADE = 20, DECADES = 9, TURNS = 1 << 17 };
/* Of the range of a function: how far it may be from a line between two turns. Of the time: the distance to which jumps
 * are found. Of the run: that below which turns are one. */
static const double straight = 0.003, sharp = 1e-10, same = 1e-9;

/* A function of time at some places, and what has been seen of it. */
struct signal {
  const struct mx_function *function;
  const char *key;
  size_t places;
  double x[MX_TURNS_PLACES][3];
  double low[MX_TURNS_PLACES], high[MX_TURNS_PLACES];
  size_t count, room, calls;
  double *t, *v; /* [count] by rising t, [count][places] */
};

/* ---- samples */

static int ask(struct signal *s, double t, double *v, struct dg_error *err)
{
  const struct mx_places at = {
      .what = s->key, .count = s->places, .x = (const double(*)[3])s->x, .t = &t, .components = 1};
  s->calls += s->places;
  return mx_function_values(s->function, &at, v, err);
}

/* The values of the k-th sample. */
static double *value(const struct signal *s, size_t k) { return s->v + k * s->places; }

static bool are_same(const struct signal *s, size_t k, const double *v)
{
  return memcmp(value(s, k), v, sizeof *v * s->places) == 0;
}

/* Adds a sample. Of those that have the same values only the first and the last stay. */
static int add(struct signal *s, double t, const double *v, struct dg_error *err)
{
  if (s->count > 1 && are_same(s, s->count - 1, v) && are_same(s, s->count - 2, v)) s->count--;
  if (s->count == s->room) {
    const size_t room = 2 * s->room + GRID;
    if (dg_grow(&s->t, room, sizeof *s->t, err) != 0 || dg_grow(&s->v, room * s->places, sizeof *s->v, err) != 0)
      return err->code;
    s->room = room;
  }
  s->t[s->count] = t;
  for (size_t p = 0; p < s->places; p++) {
    value(s, s->count)[p] = v[p];
    s->low[p] = fmin(s->low[p], v[p]);
    s->high[p] = fmax(s->high[p], v[p]);
  }
  s->count++;
  return 0;
}

/* Samples at `grid` times spread over (0, stop) so that no period fits them, and behind 0 at all scales. */
static int sample(struct signal *s, size_t grid, double stop, struct dg_error *err)
{
  const size_t all = grid + DECADE * DECADES + 2;
  double *t, v[MX_TURNS_PLACES];
  if (dg_alloc(&t, all, sizeof *t, err) != 0) return err->code;
  size_t n = 0;
  for (size_t k = 0; k < grid; k++)
    t[n++] = stop * ((double)k + fmod((double)k * 0.6180339887498949, 1)) / (double)grid;
  for (int k = 1; k <= DECADE * DECADES; k++) t[n++] = stop * pow(10, -(double)k / DECADE);
  t[n++] = 0;
  t[n++] = stop;
  qsort(t, n, sizeof *t, dg_compare_doubles);
  s->count = 0;
  for (size_t p = 0; p < s->places; p++) s->low[p] = INFINITY, s->high[p] = -INFINITY;
  for (size_t k = 0; k < n; k++)
    if ((k == 0 || t[k] > t[k - 1]) && (ask(s, t[k], v, err) != 0 || add(s, t[k], v, err) != 0)) break;
  dg_free(t);
  return err->code;
}

/* Only the place whose values range most is asked from here on. */
static void keep_one(struct signal *s)
{
  size_t most = 0;
  for (size_t p = 1; p < s->places; p++)
    if (s->high[p] - s->low[p] > s->high[most] - s->low[most]) most = p;
  memmove(s->x[0], s->x[most], sizeof s->x[0]);
  s->low[0] = s->low[most];
  s->high[0] = s->high[most];
  for (size_t k = 0; k < s->count; k++) s->v[k] = value(s, k)[most];
  s->places = 1;
}

/* How far a value may be from a line. Places at which the function hardly acts do not count. */
static void find_widths(const struct signal *s, double width[MX_TURNS_PLACES])
{
  double most = 0;
  for (size_t p = 0; p < s->places; p++) most = fmax(most, s->high[p] - s->low[p]);
  for (size_t p = 0; p < s->places; p++) {
    const double range = s->high[p] - s->low[p];
    width[p] =
        range > 1e-3 * most && range > 1e-12 * fmax(fabs(s->high[p]), fabs(s->low[p])) ? straight * range : INFINITY;
  }
}

/* The function cannot be followed: it `changes too often`, for example. */
static int refuse(const struct signal *s, const char *what, double stop, struct dg_error *err)
{
  const char *place = s->function->place != NULL ? s->function->place : "";
  return dg_fail(err, DG_INPUT,
                 "%s%s%s %s to be followed for %g s: give its mean over time, or a shorter heat.time.stop", place,
                 *place != '\0' ? ": " : "", s->key, what, stop);
}

/* Adds samples to the interval from `a` until the function is straight in its parts; the end is the caller's. */
static int halve(struct signal *s, const double *width, double a, const double *va, double b, const double *vb,
                 double stop, struct dg_error *err)
{
  const double middle = 0.5 * (a + b);
  double v[MX_TURNS_PLACES];
  bool bent = false;
  if (b - a <= sharp * b + 1e-5 * sharp * stop) return add(s, a, va, err);
  if (s->calls > MOST_CALLS) return refuse(s, "changes too often", stop, err);
  if (ask(s, middle, v, err) != 0) return err->code;
  for (size_t p = 0; p < s->places; p++) bent = bent || fabs(v[p] - 0.5 * (va[p] + vb[p])) > width[p];
  if (!bent) return add(s, a, va, err) != 0 || add(s, middle, v, err) != 0 ? (int)err->code : 0;
  if (halve(s, width, a, va, middle, v, stop, err) != 0) return err->code;
  return halve(s, width, middle, v, b, vb, stop, err);
}

static int refine(struct signal *s, double stop, struct dg_error *err)
{
  struct signal coarse = *s;
  double width[MX_TURNS_PLACES] = {0};
  s->t = NULL;
  s->v = NULL;
  s->count = s->room = 0;
  find_widths(s, width);
  for (size_t k = 0; k + 1 < coarse.count; k++)
    if (halve(s, width, coarse.t[k], value(&coarse, k), coarse.t[k + 1], value(&coarse, k + 1), stop, err) != 0) break;
  if (err->code == DG_OK) (void)!add(s, coarse.t[coarse.count - 1], value(&coarse, coarse.count - 1), err);
  dg_free(coarse.t);
  dg_free(coarse.v);
  return err->code;
}

/* The shortest time between two crossings of some levels, but for those behind t = 0, where samples are dense. */
static double shortest(const struct signal *s, size_t p, double from)
{
  static const double level[] = {0.1, 0.5, 0.9};
  double least = INFINITY;
  for (int l = 0; l < 3; l++) {
    const double at = s->low[p] + level[l] * (s->high[p] - s->low[p]);
    double last = -INFINITY;
    for (size_t k = 1; k < s->count; k++) {
      if ((value(s, k - 1)[p] > at) == (value(s, k)[p] > at)) continue;
      if (s->t[k] > from) least = fmin(least, s->t[k] - last);
      last = s->t[k];
    }
  }
  return least;
}

/* Samples more densely as long as the shortest pulse that was found is so short that another one may have been missed.
 */
static int find(struct signal *s, double stop, struct dg_error *err)
{
  for (size_t grid = GRID;; grid *= 4) {
    double width[MX_TURNS_PLACES] = {0}, least = INFINITY;
    size_t bends = 0;
    if (sample(s, grid, stop, err) != 0) return err->code;
    find_widths(s, width);
    for (size_t k = 1; k + 1 < s->count; k++)
      for (size_t p = 0; p < s->places; p++)
        bends += fabs(value(s, k)[p] - 0.5 * (value(s, k - 1)[p] + value(s, k + 1)[p])) > width[p];
    if (bends > grid / 4 && 4 * grid > MOST_GRID) return refuse(s, "changes too often", stop, err);
    if (bends > grid / 8 && s->places > 1) keep_one(s);
    if (bends > grid / 4) continue; /* the grid is too coarse to find all turns between its times */
    if (refine(s, stop, err) != 0) return err->code;
    for (size_t p = 0; p < s->places; p++)
      if (s->high[p] > s->low[p] && isfinite(width[p])) least = fmin(least, shortest(s, p, 16 * stop / (double)grid));
    if (least > 2 * stop / (double)grid) return 0;
    if (4 * grid > MOST_GRID) return refuse(s, "has pulses that are too short", stop, err);
    keep_one(s);
  }
}

/* ---- turns */

static int add_turn(struct mx_turns *turns, double t, struct dg_error *err)
{
  if (turns->count == turns->room) {
    const size_t room = 2 * turns->room + 64;
    if (dg_grow(&turns->t, room, sizeof *turns->t, err) != 0) return err->code;
    turns->room = room;
  }
  turns->t[turns->count++] = t;
  return 0;
}

/* Joins samples as long as a line from the first to each has those between within the width: all slopes that do lie in
 * a cone that each sample narrows. */
static int join(const struct signal *s, struct mx_turns *turns, struct dg_error *err)
{
  double width[MX_TURNS_PLACES] = {0}, least[MX_TURNS_PLACES], most[MX_TURNS_PLACES];
  size_t first = 0;
  find_widths(s, width);
  for (size_t k = 1; k < s->count; k++) {
    const double dt = s->t[k] - s->t[first];
    bool bends = false;
    for (size_t p = 0; p < s->places && k > first + 1; p++) {
      const double slope = (value(s, k)[p] - value(s, first)[p]) / dt;
      bends = bends || slope < least[p] || slope > most[p];
    }
    if (bends) {
      if (add_turn(turns, s->t[k - 1], err) != 0) return err->code;
      first = --k;
      continue;
    }
    for (size_t p = 0; p < s->places; p++) {
      const double slope = (value(s, k)[p] - value(s, first)[p]) / dt, off = width[p] / dt;
      const bool begins = k == first + 1;
      least[p] = begins ? slope - off : fmax(least[p], slope - off);
      most[p] = begins ? slope + off : fmin(most[p], slope + off);
    }
  }
  return 0;
}

/* Does a fixed step pass over a pulse: a value beyond those at its ends? */
static void find_passed(const struct signal *s, double step, struct mx_turns *turns)
{
  for (size_t p = 0; p < s->places && turns->passes == NULL; p++) {
    const double much = 0.1 * (s->high[p] - s->low[p]);
    for (size_t first = 0, k = 0; k < s->count && much > 0; first = k) {
      const double begin = step * floor(s->t[first] / step), end = begin + step;
      double low = INFINITY, high = -INFINITY;
      for (k = first; k < s->count && (k == first || s->t[k] < end); k++) {
        low = fmin(low, value(s, k)[p]);
        high = fmax(high, value(s, k)[p]);
      }
      const size_t last = k < s->count ? k : k - 1, before = first > 0 ? first - 1 : 0;
      const double a = value(s, before)[p], b = value(s, last)[p];
      if (high <= fmax(a, b) + much && low >= fmin(a, b) - much) continue;
      turns->passed = begin;
      turns->passes = s->key;
      return;
    }
  }
}

static struct signal begin(const struct mx_turning *of)
{
  struct signal s = {.function = of->function, .key = of->key, .places = of->places};
  memcpy(s.x, of->x, sizeof s.x);
  return s;
}

int mx_turns_add(struct mx_turns *turns, const struct mx_turning *of, double stop, double step, struct dg_error *err)
{
  struct signal s = begin(of);
  if (find(&s, stop, err) == 0 && join(&s, turns, err) == 0) {
    if (turns->count > TURNS) (void)refuse(&s, "changes too often", stop, err);
    else if (step > 0) find_passed(&s, step, turns);
  }
  dg_free(s.t);
  dg_free(s.v);
  return err->code;
}

int mx_turns_add_late(struct mx_turns *turns, const struct mx_turning *of, struct dg_error *err)
{
  struct signal s = begin(of);
  double v[MX_TURNS_PLACES];
  if (ask(&s, 0, v, err) == 0 && sample(&s, 64, 1e4, err) == 0) {
    for (size_t p = 0; p < s.places; p++)
      if (s.high[p] - s.low[p] > 0.01 * fabs(v[p]) && turns->late == NULL) turns->late = s.key;
  } else if (err->code == DG_INPUT) {
    *err = (struct dg_error){0}; /* no computation asks for such times */
  }
  dg_free(s.t);
  dg_free(s.v);
  return err->code;
}

/* Of two that lie close together the first stays, which is before the jump. */
void mx_turns_sort(struct mx_turns *turns, double stop)
{
  size_t kept = 0;
  if (turns->count > 0) qsort(turns->t, turns->count, sizeof *turns->t, dg_compare_doubles);
  for (size_t k = 0; k < turns->count; k++) {
    const double t = turns->t[k];
    if (t > sharp * stop && t < stop * (1 - same) && (kept == 0 || t - turns->t[kept - 1] > same * stop))
      turns->t[kept++] = t;
  }
  turns->count = kept;
}

double mx_turns_next(const struct mx_turns *turns, double t)
{
  size_t low = 0, high = turns->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (turns->t[middle] > t) high = middle;
    else low = middle + 1;
  }
  return low < turns->count ? turns->t[low] : INFINITY;
}

void mx_turns_release(struct mx_turns *turns)
{
  dg_free(turns->t);
  *turns = (struct mx_turns){0};
}
