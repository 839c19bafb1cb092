/* Finds the parts of a segment in a curved element by looking, following and halving. segment.c calls it. */
#include "libdg/mesh/find/span.h"

#include <math.h>

enum {
  LOOKS = 32,           /* steps between the ends */
  ROOM = 2 * LOOKS + 1, /* places, with one more for each place where the segment grazes */
  HALVES = 52,
  GOLDEN = 40
};
#define NEAR 0.25 /* least coordinate above which it may reach zero between two looks */

struct look {
  struct dg_bent *bent;
  const struct dg_inverse *inverse;
  const double *from, *to;
  double slack;
};

struct seen {
  double t, least; /* the least coordinate there; outside it may be a guess; -INFINITY: unknown, and outside */
};

static double least_of(const double bary[4]) { return fmin(fmin(bary[0], bary[1]), fmin(bary[2], bary[3])); }

/* Where the map is not shown to be one to one, Newton's method may have found another place than one inside. If none is
 * inside, what it has found still leads the way along the segment to the element. */
static double least_at(const struct look *look, double t)
{
  double x[3], bary[4], inside[4];
  for (int d = 0; d < 3; d++) x[d] = look->from[d] + t * (look->to[d] - look->from[d]);
  const bool found = dg_bent_newton(look->bent, look->inverse, x, bary);
  const double least = found ? least_of(bary) : -INFINITY;
  if (least >= -look->slack || (found && dg_bent_unique(look->bent, look->inverse))) return least;
  return dg_bent_find(look->bent, look->inverse, x, look->slack, inside) ? least_of(inside) : least;
}

/* Clips the segment against the element's box. */
static bool clip(const struct look *look, double *begin, double *end)
{
  *begin = 0, *end = 1;
  for (int d = 0; d < 3; d++) {
    const double by = look->to[d] - look->from[d];
    const double room = 4 * look->slack * (look->bent->high[d] - look->bent->low[d]);
    double first = look->bent->low[d] - room - look->from[d], last = look->bent->high[d] + room - look->from[d];
    if (by == 0) {
      if (first > 0 || last < 0) return false;
      continue;
    }
    if (by < 0) {
      const double keep = first;
      first = last, last = keep;
    }
    *begin = fmax(*begin, first / by);
    *end = fmin(*end, last / by);
  }
  return *begin <= *end;
}

/* Follows sign times the coordinate to its largest value between two places (golden section), until it is above the
 * threshold. */
static struct seen follow(const struct look *look, double a, double b, double sign, double threshold)
{
  const double share = (sqrt(5) - 1) / 2;
  struct seen low = {.t = b - share * (b - a)}, high = {.t = a + share * (b - a)};
  low.least = least_at(look, low.t), high.least = least_at(look, high.t);
  for (int n = 0; n < GOLDEN && sign * low.least < threshold && sign * high.least < threshold; n++) {
    if (sign * low.least > sign * high.least) {
      b = high.t, high = low;
      low.t = b - share * (b - a);
      low.least = least_at(look, low.t);
    } else {
      a = low.t, low = high;
      high.t = a + share * (b - a);
      high.least = least_at(look, high.t);
    }
  }
  return sign * low.least > sign * high.least ? low : high;
}

/* Looks along the segment. A place where it grazes the element, or a face from inside, is added to the list. */
static size_t look_along(const struct look *look, double begin, double end, struct seen seen[ROOM])
{
  struct seen at[LOOKS + 1];
  size_t count = 0;
  for (int n = 0; n <= LOOKS; n++) {
    at[n].t = n < LOOKS ? begin + (end - begin) * n / LOOKS : end;
    at[n].least = least_at(look, at[n].t);
  }
  for (int n = 0; n <= LOOKS; n++) {
    struct seen between = {.t = NAN};
    const struct seen *before = n > 0 ? &at[n - 1] : &at[0], *behind = n < LOOKS ? &at[n + 1] : &at[LOOKS];
    const bool inside = at[n].least >= -look->slack;
    if (inside && at[n].least < NEAR && at[n].least <= before->least && at[n].least <= behind->least) {
      between = follow(look, before->t, behind->t, -1, look->slack * 1.5);
      if (between.least >= -look->slack) between.t = NAN;
    }
    if (!inside && at[n].least > -NEAR && at[n].least >= before->least && at[n].least >= behind->least) {
      between = follow(look, before->t, behind->t, 1, 0);
      if (between.least < -look->slack) between.t = NAN;
    }
    if (between.t < at[n].t) seen[count++] = between;
    seen[count++] = at[n];
    if (between.t > at[n].t) seen[count++] = between;
  }
  return count;
}

/* Halves the way between a place below the threshold and one at least there; returns the latter. */
static double reach(const struct look *look, double below, double above, double threshold)
{
  for (int n = 0; n < HALVES; n++) {
    const double middle = 0.5 * (below + above);
    if (least_at(look, middle) >= threshold) above = middle;
    else below = middle;
  }
  return above;
}

/* Finds one end of a span: behind seen[last] in direction `step`, where the span holds count places. */
static void find_end(const struct look *look, const struct seen *last, ptrdiff_t step, size_t count, bool clipped,
                     double *end, double *cut)
{
  *end = clipped ? last->t : reach(look, last[step].t, last->t, -look->slack);
  *cut = *end;
  for (size_t n = 0; n < count && !clipped; n++) {
    const struct seen *inner = last - (ptrdiff_t)n * step;
    if (inner->least <= 0) continue;
    *cut = reach(look, n > 0 ? inner[step].t : *end, inner->t, 0);
    return;
  }
}

size_t dg_bent_spans(struct dg_bent *bent, const struct dg_inverse *inverse, const double from[3], const double to[3],
                     double slack, struct dg_span span[DG_SPANS])
{
  const struct look look = {.bent = bent, .inverse = inverse, .from = from, .to = to, .slack = slack};
  struct seen seen[ROOM + LOOKS];
  double begin, end;
  size_t spans = 0;
  if (!clip(&look, &begin, &end)) return 0;
  const size_t count = look_along(&look, begin, end, seen);
  for (size_t i = 0, next; i < count && spans < DG_SPANS; i = next) {
    next = i + 1;
    if (seen[i].least < -slack) continue;
    while (next < count && seen[next].least >= -slack) next++;
    struct dg_span *found = &span[spans++];
    find_end(&look, &seen[i], -1, next - i, i == 0, &found->low, &found->cut[0]);
    find_end(&look, &seen[next - 1], 1, next - i, next == count, &found->high, &found->cut[1]);
  }
  return spans;
}
