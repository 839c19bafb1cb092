/* Chooses the elements that are repaired, their order, and the changes that are tried. */
#include "libdg/mesh/draft/repair.h"

#include <math.h>
#include <stdlib.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/draft/flip.h"
#include "libdg/base/vec3.h"

enum { ROUNDS = 4, PASSES = 30, EXPLAINED = 200 /* slow elements whose reason is looked for, the slowest first */ };
#define AIM         1.08 /* of the goal: a repaired element shall not lie just on it */
#define GAIN        1.02 /* less is not worth a change */
#define GRADED      0.6  /* of the mesh's median: where the neighbourhood's is below, elements are meant to be small */
#define GRADED_GOAL 0.25 /* of the median of its neighbours, where the geometry asks for sizes */
#define LONGER      1.25 /* of the longest edge there was: the longest that merged vertices may make */

/* ---- how fast is the mesh ---- */

/* The middle one of value[count], which is reordered (C. A. R. Hoare, Algorithm 65). */
static double middle(double *value, size_t count)
{
  size_t low = 0, high = count - 1, wanted = count / 2;
  while (low < high) {
    const double pivot = value[low + (high - low) / 2];
    size_t i = low, j = high;
    while (i <= j) {
      while (value[i] < pivot) i++;
      while (value[j] > pivot) j--;
      if (i > j) break;
      const double swap = value[i];
      value[i++] = value[j];
      value[j] = swap;
      if (j-- == 0) break;
    }
    if (j != SIZE_MAX && wanted <= j) high = j;
    else if (wanted >= i) low = i;
    else break;
  }
  return value[wanted];
}

/* The pace of a draft, over all elements that are not dead. */
static int measure_pace(const struct dg_draft *draft, struct dg_pace *pace, struct dg_error *err)
{
  double *altitude = NULL;
  size_t count = 0;
  *pace = (struct dg_pace){.worst = INFINITY};
  if (DG_NEW(altitude, draft->K + 1, err) != 0) return err->code;
  for (size_t e = 0; e < draft->K; e++)
    if (draft->tet[e][0] >= 0) altitude[count++] = dg_draft_altitude(draft, (int32_t)e);
  if (count > 0) pace->median = middle(altitude, count);
  for (size_t i = 0; i < count; i++) {
    pace->worst = fmin(pace->worst, altitude[i]);
    pace->slow += altitude[i] < DG_PACE_GOAL * pace->median;
  }
  dg_free(altitude);
  return 0;
}

/* ---- the elements */

struct patient {
  double altitude, goal;
  int32_t tet;
};

static int worst_first(const void *left, const void *right)
{
  const struct patient *a = left, *b = right;
  if (a->altitude != b->altitude) return a->altitude < b->altitude ? -1 : 1;
  return (a->tet > b->tet) - (a->tet < b->tet);
}

/* The median altitude of the elements that share a vertex with this one. */
static double median_near(const struct dg_draft *draft, int32_t tet)
{
  double altitude[4 * DG_STAR_MAX];
  size_t count = 0;
  for (int i = 0; i < 4; i++) {
    int32_t star[DG_STAR_MAX];
    const int n = dg_draft_tets_at(draft, draft->tet[tet][i], star);
    for (int k = 0; k < n && n <= DG_STAR_MAX; k++) altitude[count++] = dg_draft_altitude(draft, star[k]);
  }
  return count > 0 ? middle(altitude, count) : 0;
}

/* The height that the element should reach at least. Where all elements are small, they are small on purpose. In a mesh
 * whose sizes were asked for, only slivers among their neighbours are changed. */
static double goal_of(const struct dg_draft *draft, int32_t tet, double median)
{
  const double near = median_near(draft, tet);
  if (draft->graded) return GRADED_GOAL * fmin(near, median);
  return DG_PACE_GOAL * (near > GRADED * median ? median : near);
}

static int find_patients(const struct dg_draft *draft, double median, struct patient **patient, size_t *count,
                         struct dg_error *err)
{
  size_t room = 0;
  *count = 0;
  for (size_t e = 0; e < draft->K; e++) {
    if (draft->tet[e][0] < 0) continue;
    struct patient here = {.altitude = dg_draft_altitude(draft, (int32_t)e), .tet = (int32_t)e};
    if (here.altitude >= DG_PACE_GOAL * median) continue;
    here.goal = goal_of(draft, here.tet, median);
    if (here.altitude >= here.goal) continue;
    if (*count == room && dg_grow(patient, room = 2 * room + 64, sizeof **patient, err) != 0) return err->code;
    (*patient)[(*count)++] = here;
  }
  if (*count > 0) qsort(*patient, *count, sizeof **patient, worst_first);
  return 0;
}

/* ---- the changes that are tried */

static double longest_edge(const struct dg_draft *draft, int32_t vertex)
{
  int32_t star[DG_STAR_MAX];
  const int n = dg_draft_tets_at(draft, vertex, star);
  double longest = 0;
  for (int i = 0; i < n && n <= DG_STAR_MAX; i++)
    for (int k = 0; k < 4; k++)
      longest = fmax(longest, dg_distance(draft->point[vertex], draft->point[draft->tet[star[i]][k]]));
  return longest;
}

static int try_flips(struct dg_draft *draft, const int32_t v[4], int32_t tet, double least, int *done,
                     struct dg_error *err)
{
  for (int i = 0; i < 4 && !*done; i++)
    for (int j = i + 1; j < 4 && !*done; j++)
      if (dg_flip_edge(draft, v[i], v[j], least, done, err) != 0) return err->code;
  for (int f = 0; f < 4 && !*done; f++)
    if (dg_flip_face(draft, tet, f, least, done, err) != 0) return err->code;
  return 0;
}

/* Tries all changes by which all elements concerned get better than `least`. */
static int try_all(struct dg_draft *draft, int32_t tet, double least, double enough, struct dg_repair *repair,
                   int *done, struct dg_error *err)
{
  const int32_t v[4] = {draft->tet[tet][0], draft->tet[tet][1], draft->tet[tet][2], draft->tet[tet][3]};
  *done = 0;
  for (int i = 0; i < 4 && !*done; i++) dg_flip_move(draft, v[i], least, enough, done);
  repair->moves += (size_t)*done;
  if (*done) return 0;
  if (try_flips(draft, v, tet, least, done, err) != 0) return err->code;
  repair->flips += (size_t)*done;
  if (*done) return 0;
  for (int i = 0; i < 4 && !*done; i++)
    for (int j = 0; j < 4 && !*done; j++)
      if (i != j && dg_flip_merge(draft, v[i], v[j], least, LONGER * longest_edge(draft, v[i]), done, err) != 0)
        return err->code;
  repair->merges += (size_t)*done;
  return 0;
}

static int treat(struct dg_draft *draft, const struct patient *patient, struct dg_repair *repair, int *done,
                 struct dg_error *err)
{
  const double aim = AIM * patient->goal;
  *done = 0;
  if (draft->tet[patient->tet][0] < 0) return 0; /* gone with a neighbour */
  const double altitude = dg_draft_altitude(draft, patient->tet);
  if (altitude >= patient->goal) return 0;
  if (try_all(draft, patient->tet, aim, 1.2 * aim, repair, done, err) != 0 || *done) return err->code;
  return try_all(draft, patient->tet, fmin(GAIN * altitude, patient->goal), aim, repair, done, err);
}

static int treat_all(struct dg_draft *draft, double median, struct dg_repair *repair, struct dg_error *err)
{
  struct patient *patient = NULL;
  size_t count = 0, treated = 1;
  for (int pass = 0; pass < PASSES && treated > 0; pass++) {
    treated = 0;
    if (find_patients(draft, median, &patient, &count, err) != 0) break;
    for (size_t i = 0; i < count; i++) {
      int done = 0;
      if (treat(draft, &patient[i], repair, &done, err) != 0) goto fail;
      treated += (size_t)done;
    }
  }
fail:
  dg_free(patient);
  return err->code;
}

/* ---- the slow elements that are left */

static bool known(const struct dg_repair *repair, const struct dg_demand *demand)
{
  for (int i = 0; i < repair->slowest; i++) {
    const struct dg_demand *other = &repair->slow[i].demand;
    if (other->kind == demand->kind && other->tag[0] == demand->tag[0] && other->tag[1] == demand->tag[1]) return true;
  }
  return false;
}

/* Explains the slow elements that are left. */
static int explain(const struct dg_draft *draft, struct dg_repair *repair, struct dg_error *err)
{
  struct patient *patient = NULL;
  size_t count = 0, room = 0;
  const double median = repair->after.median;
  repair->avoidable = INFINITY;
  for (size_t e = 0; e < draft->K; e++) {
    if (draft->tet[e][0] < 0 || dg_draft_altitude(draft, (int32_t)e) >= DG_PACE_GOAL * median) continue;
    if (count == room && dg_grow(&patient, room = 2 * room + 64, sizeof *patient, err) != 0) goto fail;
    patient[count++] = (struct patient){.altitude = dg_draft_altitude(draft, (int32_t)e), .tet = (int32_t)e};
  }
  if (count > 0) qsort(patient, count, sizeof *patient, worst_first);
  for (size_t i = 0; i < count && i < EXPLAINED; i++) {
    struct dg_slow slow = {.altitude = patient[i].altitude};
    slow.demand = dg_demand_find(draft, patient[i].tet, median, median_near(draft, patient[i].tet));
    if (slow.demand.kind == DG_DEMAND_NOTHING) repair->avoidable = fmin(repair->avoidable, slow.altitude);
    if (repair->slowest == DG_SLOWEST || known(repair, &slow.demand)) continue;
    for (int k = 0; k < 4; k++)
      for (int b = 0; b < 3; b++) slow.place[b] += 0.25 * draft->point[draft->tet[patient[i].tet][k]][b];
    repair->slow[repair->slowest++] = slow;
  }
fail:
  dg_free(patient);
  return err->code;
}

static int treat_and_explain(struct dg_draft *draft, struct dg_repair *repair, struct dg_error *err)
{
  size_t slow = SIZE_MAX;
  repair->slowest = 0;
  /* repaired elements raise the median a little, and with it what is slow */
  for (int round = 0; round < ROUNDS && repair->after.slow > 0 && repair->after.slow < slow; round++) {
    slow = repair->after.slow;
    if (treat_all(draft, repair->after.median, repair, err) != 0 || measure_pace(draft, &repair->after, err) != 0)
      return err->code;
  }
  return explain(draft, repair, err);
}

/* Might the slowest element be the mesher's fault? With `round`: or the fault of a curved surface whose vertices have
 * not moved. */
static bool doubtful(const struct dg_draft *draft, const struct dg_repair *repair, bool round)
{
  if (repair->after.worst >= DG_PACE_GOAL * repair->after.median) return false;
  switch (repair->slowest > 0 ? repair->slow[0].demand.kind : DG_DEMAND_NOTHING) {
  case DG_DEMAND_NOTHING:
    return true;
  case DG_DEMAND_EDGES:
  case DG_DEMAND_SIZES:
    return !draft->graded;
  case DG_DEMAND_ROUND:
    return round;
  default:
    return false;
  }
}

int dg_repair(struct dg_draft *draft, struct dg_repair *repair, struct dg_error *err)
{
  bool (*const project)(void *, int, int, double *) = draft->project;
  *repair = (struct dg_repair){0};
  if (measure_pace(draft, &repair->before, err) != 0) return err->code;
  repair->after = repair->before;
  repair->avoidable = INFINITY;
  if (repair->before.slow == 0) return 0;
  draft->project = NULL; /* vertices on curved surfaces move only where nothing else helps */
  if (dg_draft_init(draft, err) != 0 || treat_and_explain(draft, repair, err) != 0) goto fail;
  draft->project = project;
  if (project != NULL && doubtful(draft, repair, true) && treat_and_explain(draft, repair, err) != 0) goto fail;
  repair->unlucky = doubtful(draft, repair, false);
  dg_draft_finish(draft);
  return 0;
fail:
  draft->project = project;
  dg_draft_release(draft);
  return err->code;
}
