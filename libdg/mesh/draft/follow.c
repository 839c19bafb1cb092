/* Tries changes of the inside of a mesh around elements that cannot follow their curves, and keeps those that help. A
 * change is carried out, judged by the maps that it makes, and taken back where they are not better. bend.c calls it.
 */
#include "libdg/mesh/draft/follow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/vec3.h"
#include "libdg/mesh/draft/flip.h"

enum {
  ROUNDS = 6,
  STEPS = 48,         /* of a vertex towards a better place */
  MARKS_MOST = 600000 /* maps that are judged: a minute at most */
};
#define BEST 1.6  /* marks above it are equal */
#define EASY 0.4  /* of the straight element's determinant: maps with less take shorter steps than their rate tells */
#define GAIN 0.02 /* of a mark: less is no change */

struct work {
  struct dg_draft *draft;
  const struct dg_curves *curves;
  const struct dg_follow *follow;
  struct dg_shape_slopes slopes;
  double highest, least; /* rate, and least determinant, of an element with the mark 1 */
  double limit, fold;    /* an element with a higher rate, or less, is bad */
  bool polish;           /* only speed is at stake: no new vertices */
  size_t marks;
  struct dg_followed *done;
};

/* ---- marks ---- */

static double rate_of_straight(const struct dg_draft *draft, const int32_t v[4])
{
  double t[3][3];
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) t[a][b] = 0.5 * (draft->point[v[a + 1]][b] - draft->point[v[0]][b]);
  return dg_shape_rate((const double(*)[3])t);
}

/* How well an element follows: 1 and more is good, 0 and less folded. */
static double mark_of(struct work *work, const int32_t v[4], double highest, double least)
{
  const struct dg_draft *draft = work->draft;
  const double volume = dg_volume6(draft->point[v[0]], draft->point[v[1]], draft->point[v[2]], draft->point[v[3]]);
  struct dg_curved_tet tet;
  double shape[DG_SHAPE_MAX][3], mark = BEST, rate;
  size_t where = 0;
  work->marks++;
  if (!(volume > 0)) return -INFINITY;
  if (dg_curves_gather(work->curves, v, &tet)) {
    dg_curves_place(work->curves, &tet, shape);
    mark = dg_shape_least(&work->slopes, (const double(*)[3])shape, volume / 8, &where) / least;
    rate = dg_shape_highest_rate(&work->slopes, (const double(*)[3])shape, &where);
  } else {
    rate = rate_of_straight(draft, v);
  }
  if (!(mark > 0)) return mark;
  return fmin(BEST, fmin(mark, highest / rate));
}

static double mark_tet(struct work *work, int32_t tet)
{
  return mark_of(work, work->draft->tet[tet], work->highest, work->least);
}

/* Must the element change? */
static bool is_bad(struct work *work, int32_t tet)
{
  struct dg_curved_tet curved;
  if (work->draft->tet[tet][0] < 0) return false;
  if (!work->polish && !dg_curves_gather(work->curves, work->draft->tet[tet], &curved)) return false;
  return mark_of(work, work->draft->tet[tet], work->limit, work->fold) < 1;
}

/* ---- changes that can be taken back ---- */

/* The elements around one that is changed, as they were. */
struct trial {
  size_t K, points;
  int count;
  int32_t tet[4 * DG_STAR_MAX], first[4 * DG_STAR_MAX]; /* its first vertex: -1 of a dead one */
};

static bool begin(const struct work *work, const int32_t v[4], struct trial *trial)
{
  *trial = (struct trial){.K = work->draft->K, .points = work->draft->points};
  for (int i = 0; i < 4; i++) {
    int32_t star[DG_STAR_MAX];
    const int count = dg_draft_tets_at(work->draft, v[i], star);
    if (count > DG_STAR_MAX) return false;
    for (int k = 0; k < count; k++) {
      if (dg_draft_has(trial->tet, trial->count, star[k])) continue;
      trial->first[trial->count] = work->draft->tet[star[k]][0];
      trial->tet[trial->count++] = star[k];
    }
  }
  return true;
}

/* Undoes everything since `begin`. New elements stand first in the lists of their vertices. */
static void take_back(struct work *work, const struct trial *trial)
{
  struct dg_draft *draft = work->draft;
  for (; draft->K > trial->K; draft->K--, draft->last_tag--)
    for (size_t i = 4; i-- > 0;) draft->tets.head[draft->tet[draft->K - 1][i]] = draft->tets.next[4 * draft->K - 4 + i];
  for (int i = 0; i < trial->count; i++) draft->tet[trial->tet[i]][0] = trial->first[i];
  draft->points = trial->points;
}

/* The least mark of the elements that a change has made; not below `enough` needs to be exact. */
static double mark_new(struct work *work, const struct trial *trial, double enough)
{
  double least = INFINITY;
  for (size_t e = trial->K; e < work->draft->K && least > enough; e++)
    if (work->draft->tet[e][0] >= 0) least = fmin(least, mark_tet(work, (int32_t)e));
  return least;
}

/* The least mark of those that it has taken away. */
static double mark_old(struct work *work, const struct trial *trial)
{
  double least = INFINITY;
  for (int i = 0; i < trial->count; i++) {
    const int32_t *now = work->draft->tet[trial->tet[i]];
    const int32_t v[4] = {trial->first[i], now[1], now[2], now[3]};
    if (now[0] < 0) least = fmin(least, mark_of(work, v, work->highest, work->least));
  }
  return least;
}

/* ---- a vertex moves ---- */

static void direction(uint32_t *state, double u[3])
{
  for (int b = 0; b < 3; b++) {
    *state = *state * 1664525u + 1013904223u; /* Numerical Recipes' generator */
    u[b] = (double)(*state >> 8) / 8388608.0 - 1;
  }
  dg_normalise(u);
}

static double mark_all(struct work *work, const int32_t *tet, int count, double enough)
{
  double least = INFINITY;
  for (int i = 0; i < count && least > enough; i++) least = fmin(least, mark_tet(work, tet[i]));
  return least;
}

/* Moves a vertex to where the least mark of its elements is largest; that mark. */
static double settle(struct work *work, int32_t vertex)
{
  double(*x)[3] = &work->draft->point[vertex];
  int32_t star[DG_STAR_MAX];
  const int count = dg_draft_tets_at(work->draft, vertex, star);
  double step = 0, u[3];
  uint32_t state = 1;
  if (count > DG_STAR_MAX || count == 0) return -INFINITY;
  for (int k = 0; k < 4; k++)
    step = fmax(step, 0.4 * dg_distance(*x, work->draft->point[work->draft->tet[star[0]][k]]));
  double mark = mark_all(work, star, count, -INFINITY);
  for (int n = 0; n < STEPS && mark < BEST; n++) {
    double here[3];
    memcpy(here, *x, sizeof here);
    direction(&state, u);
    for (int b = 0; b < 3; b++) (*x)[b] = here[b] + step * u[b];
    const double there = mark_all(work, star, count, mark);
    if (there > mark) {
      mark = there;
    } else {
      memcpy(*x, here, sizeof here);
      step *= 0.92;
    }
  }
  return mark;
}

static void try_move(struct work *work, int32_t vertex, bool *done)
{
  int32_t star[DG_STAR_MAX];
  double here[3];
  if (dg_draft_way(work->draft, vertex).freedom != DG_FREE) return;
  const int count = dg_draft_tets_at(work->draft, vertex, star);
  if (count > DG_STAR_MAX) return;
  const double before = mark_all(work, star, count, -INFINITY);
  memcpy(here, work->draft->point[vertex], sizeof here);
  if (settle(work, vertex) > before + GAIN) {
    *done = true;
    work->done->moves++;
  } else {
    memcpy(work->draft->point[vertex], here, sizeof here);
  }
}

/* ---- edges and faces inside change ---- */

/* Does the edge lie inside, on no curve and no surface? */
static bool is_inside(const struct dg_draft *draft, int32_t a, int32_t b)
{
  int32_t all[DG_STAR_MAX];
  const int n = dg_draft_triangles_at(draft, a, all);
  if (n > DG_STAR_MAX || dg_draft_curve(draft, a, b) != 0) return false;
  for (int i = 0; i < n; i++)
    if (dg_draft_has(draft->triangle[all[i]], 3, b)) return false;
  return true;
}

/* Keeps the change that was made if it is good, or helps; else takes it back. */
static void keep_or_not(struct work *work, const struct trial *trial, int done, size_t *counter, bool *kept)
{
  const double before = done ? mark_old(work, trial) : 0;
  if (done && mark_new(work, trial, before) > fmin(1, before + GAIN)) {
    ++*counter;
    *kept = true;
  } else {
    take_back(work, trial);
  }
}

static int try_flips(struct work *work, int32_t tet, bool *kept, struct dg_error *err)
{
  const int32_t *own = work->draft->tet[tet], v[4] = {own[0], own[1], own[2], own[3]};
  struct trial trial;
  for (int i = 0; i < 4 && !*kept; i++)
    for (int j = i + 1; j < 4 && !*kept; j++) {
      int done = 0;
      if (!is_inside(work->draft, v[i], v[j]) || !begin(work, v, &trial)) continue;
      if (dg_flip_edge(work->draft, v[i], v[j], 0, &done, err) != 0) return err->code;
      keep_or_not(work, &trial, done, &work->done->flips, kept);
    }
  for (int f = 0; f < 4 && !*kept; f++) {
    int done = 0;
    if (!begin(work, v, &trial)) continue;
    if (dg_flip_face(work->draft, tet, f, 0, &done, err) != 0) return err->code;
    keep_or_not(work, &trial, done, &work->done->flips, kept);
  }
  return 0;
}

/* ---- a new vertex ---- */

/* The places of a tetrahedron that a new vertex divides: a pair is an edge, three of them a face, four the inside. */
static const struct {
  int count, of[4];
} places[] = {{2, {0, 1}},    {2, {0, 2}},    {2, {0, 3}},    {2, {1, 2}},    {2, {1, 3}},      {2, {2, 3}},
              {3, {1, 2, 3}}, {3, {0, 2, 3}}, {3, {0, 1, 3}}, {3, {0, 1, 2}}, {4, {0, 1, 2, 3}}};
enum { PLACES = sizeof places / sizeof *places };

/* Divides the elements that have all of these vertices by a new one in their middle. */
static int divide(struct work *work, const struct trial *trial, const int32_t *with, int count, struct dg_error *err)
{
  struct dg_draft *draft = work->draft;
  double x[3] = {0};
  int32_t vertex;
  for (int i = 0; i < count; i++)
    for (int b = 0; b < 3; b++) x[b] += draft->point[with[i]][b] / count;
  if (dg_draft_add_point(draft, x, &vertex, err) != 0) return err->code;
  for (int i = 0; i < trial->count; i++) {
    const int32_t tet = trial->tet[i], volume = draft->volume_tag[tet];
    int32_t old[4];
    int has = 0;
    memcpy(old, draft->tet[tet], sizeof old);
    for (int k = 0; k < count; k++) has += dg_draft_has(old, 4, with[k]);
    if (has < count) continue;
    for (int k = 0; k < count; k++) {
      int32_t new[4];
      for (int m = 0; m < 4; m++) new[m] = old[m] == with[k] ? vertex : old[m];
      if (dg_draft_add_tet(draft, new, volume, err) != 0) return err->code;
    }
    draft->tet[tet][0] = -1;
  }
  return 0;
}

static bool may_divide(const struct dg_draft *draft, const int32_t *with, int count)
{
  if (count == 2) return is_inside(draft, with[0], with[1]);
  return count == 4 || dg_draft_face(draft, with[0], with[1], with[2]) < 0;
}

static int try_vertex(struct work *work, int32_t tet, bool *kept, struct dg_error *err)
{
  const int32_t *own = work->draft->tet[tet], v[4] = {own[0], own[1], own[2], own[3]};
  struct trial trial;
  double best = -INFINITY, place[3] = {0};
  int chosen = -1;
  for (int p = 0; p <= PLACES; p++) {
    const bool again = p == PLACES; /* none was good: the best of them */
    const int which = again ? chosen : p;
    int32_t with[4];
    if (which < 0) break;
    for (int i = 0; i < places[which].count; i++) with[i] = v[places[which].of[i]];
    if (!may_divide(work->draft, with, places[which].count) || !begin(work, v, &trial)) continue;
    if (divide(work, &trial, with, places[which].count, err) != 0) return err->code;
    const int32_t vertex = (int32_t)work->draft->points - 1;
    if (again) memcpy(work->draft->point[vertex], place, sizeof place);
    const double before = mark_old(work, &trial), mark = again ? best : settle(work, vertex);
    if (mark >= 1 || (again && mark > before + GAIN)) {
      work->done->vertices++;
      *kept = true;
      return 0;
    }
    if (mark > best) best = mark, chosen = which, memcpy(place, work->draft->point[vertex], sizeof place);
    take_back(work, &trial);
  }
  return 0;
}

/* ---- all of it ---- */

static int treat(struct work *work, int32_t tet, bool *changed, struct dg_error *err)
{
  int32_t v[4];
  bool kept = false;
  memcpy(v, work->draft->tet[tet], sizeof v);
  for (int i = 0; i < 4 && is_bad(work, tet); i++) try_move(work, v[i], changed);
  if (!is_bad(work, tet)) return 0;
  if (try_flips(work, tet, &kept, err) != 0) return err->code;
  if (!kept && !work->polish && try_vertex(work, tet, &kept, err) != 0) return err->code;
  *changed = *changed || kept;
  return 0;
}

static size_t count_bad(struct work *work)
{
  size_t count = 0;
  for (size_t e = 0; e < work->draft->K; e++) count += is_bad(work, (int32_t)e);
  return count;
}

/* Treats every element that is bad, and those that become so, until nothing changes. What is made shall have no higher
 * rate than `highest`. */
static int treat_all(struct work *work, double highest, struct dg_error *err)
{
  bool changed = true;
  work->highest = highest;
  for (int round = 0; round < ROUNDS && changed; round++) {
    const size_t K = work->draft->K;
    changed = false;
    for (size_t e = 0; e < K && work->marks < MARKS_MOST; e++)
      if (is_bad(work, (int32_t)e) && treat(work, (int32_t)e, &changed, err) != 0) return err->code;
  }
  return 0;
}

/* First without loss of time, then with a little, ... At last what has become slow is moved once more. */
static int mend(struct work *work, struct dg_error *err)
{
  enum { TIERS = 3 };
  const struct dg_follow *follow = work->follow;
  const size_t most = MARKS_MOST;
  for (int tier = 0; tier < TIERS && work->done->left > 0 && work->marks < most; tier++) {
    const double slower = 1 + (follow->slower - 1) * tier / (TIERS - 1);
    work->least = tier == 0 ? EASY : follow->least;
    if (treat_all(work, slower * slower * follow->straight, err) != 0) return err->code;
    work->done->left = count_bad(work);
  }
  work->polish = true;
  work->limit = follow->straight;
  work->least = work->fold = EASY;
  return treat_all(work, follow->straight, err);
}

int dg_draft_follow(struct dg_draft *draft, const struct dg_curves *curves, const struct dg_follow *follow,
                    struct dg_followed *done, struct dg_error *err)
{
  struct work work = {.draft = draft, .curves = curves, .follow = follow, .done = done};
  work.fold = follow->least;
  work.limit = follow->fast ? follow->slower * follow->slower * follow->straight : INFINITY;
  *done = (struct dg_followed){0};
  if (dg_shape_slopes_init(&work.slopes, curves->g, err) != 0) goto fail;
  done->bad = done->left = count_bad(&work);
  if (done->bad == 0) goto fail;
  if (dg_draft_init(draft, err) == 0 && mend(&work, err) == 0) dg_draft_finish(draft);
  else dg_draft_release(draft);
fail:
  dg_shape_slopes_release(&work.slopes);
  return err->code;
}
