/* Bends the tetrahedra of a draft: maps from its curves (curves.h), less bent ones where they would fold, and how far
 * that is from the geometry. gmsh_curve.c calls it. */
#include "libdg/mesh/draft/bend.h"

#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/draft/curves.h"
#include "libdg/mesh/draft/misfit.h"

#define LEAST  0.15 /* of the straight element's determinant: maps that have less somewhere are relaxed */
#define SLOWER 1.5  /* where any step will do: elements that are made to mend others are no slower than that */

struct bend {
  const struct dg_draft *draft;
  struct dg_curves curves;
  double highest; /* rate that elements may have, 1/m^2; 0: any */
  struct dg_bent *bent;
};

static int place_tets(const struct bend *bend, struct dg_bent *bent, struct dg_error *err)
{
  const size_t nodes = dg_shape_nodes(bend->curves.g);
  size_t room = 0;
  for (size_t e = 0; e < bend->draft->K; e++) {
    struct dg_curved_tet tet;
    if (!dg_curves_gather(&bend->curves, bend->draft->tet[e], &tet)) continue;
    if (bent->curved == room) {
      room = 2 * room + 256;
      if (dg_grow(&bent->curve, room, sizeof *bent->curve, err) != 0 ||
          dg_grow(&bent->shape, room * nodes, sizeof *bent->shape, err) != 0)
        return err->code;
    }
    bent->curve[bent->curved] = (int32_t)e;
    dg_curves_place(&bend->curves, &tet, bent->shape + nodes * bent->curved++);
  }
  return 0;
}

/* ---- maps that fold ---- */

/* Marks what is bent at a tetrahedron. */
static void mark(struct bend *bend, const struct dg_curved_tet *tet)
{
  for (int i = 0; i < 4; i++) {
    for (int j = i + 1; j < 4; j++)
      if (tet->edge[i][j] != NULL && dg_is_bent(tet->edge[i][j]->shift, bend->curves.g - 1))
        tet->edge[i][j]->folds = true;
    if (tet->face[i] != NULL && dg_is_bent(tet->face[i]->shift, bend->curves.face_nodes)) tet->face[i]->folds = true;
  }
}

static void follow_less(bool folds, double factor, double (*shift)[3], bool *relaxed)
{
  for (int k = 0; k < 3 * DG_BETWEEN_MAX && folds; k++) shift[k / 3][k % 3] *= factor;
  *relaxed = *relaxed || folds;
}

/* Multiplies the displacements of what is marked. Edges and faces that are marked again count once. */
static void shrink(struct bend *bend, double factor)
{
  for (size_t i = 0; i < bend->curves.edges; i++)
    follow_less(bend->curves.edge[i].folds, factor, bend->curves.edge[i].shift, &bend->curves.edge[i].relaxed);
  for (size_t i = 0; i < bend->curves.faces; i++)
    follow_less(bend->curves.face[i].folds, factor, bend->curves.face[i].shift, &bend->curves.face[i].relaxed);
}

static void unmark(struct bend *bend)
{
  for (size_t i = 0; i < bend->curves.edges; i++) bend->curves.edge[i].folds = false;
  for (size_t i = 0; i < bend->curves.faces; i++) bend->curves.face[i].folds = false;
}

/* Elements that were found, and a place in the first. */
struct found {
  size_t count;
  double place[3];
};

static void add_found(const struct bend *bend, const double (*shape)[3], const double place[3], struct found *found)
{
  if (found->count++ == 0) dg_shape_at(bend->curves.g, shape, place, found->place, NULL);
}

/* Marks the edges and faces of elements whose maps fold, or nearly so, and of those that are too fast. */
static void mark_bad(struct bend *bend, const struct dg_shape_slopes *slopes, struct found *folds, struct found *fast)
{
  const struct dg_draft *draft = bend->draft;
  const struct dg_bent *bent = bend->bent;
  const size_t nodes = dg_shape_nodes(bend->curves.g);
  *folds = *fast = (struct found){0};
  for (size_t k = 0; k < bent->curved; k++) {
    double(*shape)[3] = bent->shape + k * nodes;
    const double(*map)[3] = (const double(*)[3])shape;
    size_t where = 0;
    struct dg_curved_tet tet;
    (void)dg_curves_gather(&bend->curves, draft->tet[bent->curve[k]], &tet);
    dg_curves_place(&bend->curves, &tet, shape);
    if (!(dg_shape_least(slopes, map, dg_draft_volume(draft, bent->curve[k]) / 8, &where) >= LEAST))
      add_found(bend, map, slopes->place[where], folds);
    else if (bend->highest > 0 && dg_shape_highest_rate(slopes, map, &where) > bend->highest)
      add_found(bend, map, slopes->place[where], fast);
    else continue;
    mark(bend, &tet);
  }
}

/* The highest rate of the straight elements, 1/m^2. */
static double highest_of_straight(const struct dg_draft *draft)
{
  double highest = 0;
  for (size_t e = 0; e < draft->K; e++) {
    double t[3][3];
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        t[a][b] = 0.5 * (draft->point[draft->tet[e][a + 1]][b] - draft->point[draft->tet[e][0]][b]);
    const double rate = dg_shape_rate((const double(*)[3])t);
    if (rate > highest) highest = rate;
  }
  return highest;
}

/* Lets edges and faces follow the geometry less closely where elements would fold or be too fast: by halves, then not
 * at all. Two edges of an element on one smooth curve, whose angle there is flat, are the common case. */
static int relax(struct bend *bend, struct dg_error *err)
{
  enum { HALVES = 4, ROUNDS = 12 };
  struct dg_bent *bent = bend->bent;
  struct dg_shape_slopes slopes;
  if (bent->curved == 0) return 0;
  if (dg_shape_slopes_init(&slopes, bend->curves.g, err) != 0) goto fail;
  for (int round = 0; round < ROUNDS; round++) {
    struct found folds, fast;
    mark_bad(bend, &slopes, &folds, &fast);
    if (round == 0) {
      bent->relaxed = folds.count;
      bent->slowed = fast.count;
      memcpy(bent->relaxed_place, folds.place, sizeof folds.place);
      memcpy(bent->slowed_place, fast.place, sizeof fast.place);
    }
    if (folds.count + fast.count == 0) break;
    shrink(bend, round < HALVES ? 0.5 : 0);
    unmark(bend);
  }
fail:
  dg_shape_slopes_release(&slopes);
  return err->code;
}

int dg_draft_bend(struct dg_draft *draft, int geometry, double slower, struct dg_bent *bent, struct dg_error *err)
{
  struct bend bend = {.draft = draft, .bent = bent};
  const struct dg_follow follow = {.least = LEAST,
                                   .straight = highest_of_straight(draft),
                                   .slower = slower > 0 ? slower : SLOWER,
                                   .fast = slower > 0};
  if (slower > 0) bend.highest = slower * slower * follow.straight;
  *bent = (struct dg_bent){.geometry = geometry};
  if (draft->project == NULL) return 0;
  if (dg_curves_init(&bend.curves, draft, geometry, err) == 0 &&
      dg_draft_follow(draft, &bend.curves, &follow, &bent->followed, err) == 0 && place_tets(&bend, bent, err) == 0 &&
      relax(&bend, err) == 0)
    (void)!dg_misfit_find(&bend.curves, bent, err);
  bent->lost = bend.curves.lost;
  memcpy(bent->place, bend.curves.lost_place, sizeof bent->place);
  dg_curves_release(&bend.curves);
  return err->code;
}

void dg_bent_release(struct dg_bent *bent)
{
  dg_free(bent->curve);
  dg_free(bent->shape);
  *bent = (struct dg_bent){0};
}
