/* Sums volumes and areas of two sets of maps by tag, and picks the ones that differ most. bend.c calls it. */
#include "libdg/mesh/draft/misfit.h"

#include <math.h>
#include <stdlib.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"

/* Maps of one order with their rules. */
struct maps {
  const struct dg_curves *curves;
  struct dg_rule inside, face;
};

static int maps_init(struct maps *maps, const struct dg_curves *curves, struct dg_error *err)
{
  *maps = (struct maps){.curves = curves};
  /* a determinant has degree 3 (g - 1); the rule of order p is exact up to 2 p */
  if (dg_rule_tetrahedron(&maps->inside, (3 * (curves->g - 1) + 1) / 2, err) != 0) return err->code;
  return dg_rule_triangle(&maps->face, 2 * curves->g, err);
}

static void maps_release(struct maps *maps)
{
  dg_rule_release(&maps->inside);
  dg_rule_release(&maps->face);
}

static double volume_of(const struct maps *maps, const double (*shape)[3])
{
  double sum = 0;
  for (int q = 0; q < maps->inside.points; q++) {
    const double *L = maps->inside.place[q], place[3] = {2 * L[1] - 1, 2 * L[2] - 1, 2 * L[3] - 1};
    double t[3][3], n[3];
    dg_shape_at(maps->curves->g, shape, place, NULL, t);
    dg_cross(t[0], t[1], n);
    sum += maps->inside.weight[q] * dg_dot(n, t[2]);
  }
  return 8.0 / 6 * sum;
}

/* The area of the face opposite vertex f in the tetrahedron's own order. */
static double area_of(const struct maps *maps, int f, const double (*shape)[3])
{
  double sum = 0;
  for (int q = 0; q < maps->face.points; q++) {
    double L[4] = {0}, t[3][3], e[4][3] = {{0}}, u[3], v[3], n[3];
    const int a = f == 0, b = f <= 1 ? 2 : 1, c = f == 3 ? 2 : 3;
    L[a] = maps->face.place[q][0], L[b] = maps->face.place[q][1], L[c] = maps->face.place[q][2];
    const double place[3] = {2 * L[1] - 1, 2 * L[2] - 1, 2 * L[3] - 1};
    dg_shape_at(maps->curves->g, shape, place, NULL, t);
    for (int i = 1; i < 4; i++)
      for (int k = 0; k < 3; k++) e[i][k] = 2 * t[i - 1][k];
    dg_subtract(e[b], e[a], u);
    dg_subtract(e[c], e[a], v);
    dg_cross(u, v, n);
    sum += maps->face.weight[q] * sqrt(dg_dot(n, n));
  }
  return 0.5 * sum;
}

static int by_tag(const void *left, const void *right)
{
  const struct dg_misfit *a = left, *b = right;
  if (a->tag != b->tag) return a->tag < b->tag ? -1 : 1;
  return (a->surface > b->surface) - (a->surface < b->surface);
}

double dg_misfit_error(const struct dg_misfit *of)
{
  return of->wanted > 0 ? fabs(of->followed - of->wanted) / of->wanted : 0;
}

/* Puts a sum into the list of the worst. */
static void enlist(const struct dg_misfit *sum, int *count, struct dg_misfit worst[DG_MISFITS])
{
  int at = *count;
  if (!(dg_misfit_error(sum) > 0)) return;
  while (at > 0 && dg_misfit_error(sum) > dg_misfit_error(&worst[at - 1])) at--;
  if (at == DG_MISFITS) return;
  if (*count < DG_MISFITS) ++*count;
  for (int i = *count - 1; i > at; i--) worst[i] = worst[i - 1];
  worst[at] = *sum;
}

/* Adds up what has one tag, with the surface that has most to do with the difference. */
static void sum_up(struct dg_misfit *part, size_t count, int *found, struct dg_misfit worst[DG_MISFITS])
{
  if (count > 0) qsort(part, count, sizeof *part, by_tag);
  for (size_t i = 0; i < count;) {
    struct dg_misfit sum = {.tag = part[i].tag};
    double most = 0;
    while (i < count && part[i].tag == sum.tag) {
      const int32_t surface = part[i].surface;
      double off = 0;
      for (; i < count && part[i].tag == sum.tag && part[i].surface == surface; i++) {
        sum.followed += part[i].followed, sum.wanted += part[i].wanted;
        off += part[i].followed - part[i].wanted;
      }
      if (fabs(off) > most && surface != 0) most = fabs(off), sum.surface = surface;
    }
    enlist(&sum, found, worst);
  }
}

/* The area of a straight triangle. */
static double flat_area(const struct dg_draft *draft, const int32_t v[3])
{
  double u[3], w[3], n[3];
  dg_subtract(draft->point[v[1]], draft->point[v[0]], u);
  dg_subtract(draft->point[v[2]], draft->point[v[0]], w);
  dg_cross(u, w, n);
  return 0.5 * sqrt(dg_dot(n, n));
}

/* The surface at which an element is curved. */
static int32_t surface_of(const struct dg_curved_tet *tet)
{
  for (int f = 0; f < 4; f++)
    if (tet->face[f] != NULL) return tet->face[f]->tag;
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++)
      if (tet->edge[i][j] != NULL && tet->edge[i][j]->dim == 2) return tet->edge[i][j]->tag;
  return 0;
}

/* Puts the figures of a curved element into those of its volume and of its faces on surfaces. */
static void measure(const struct maps maps[2], const struct dg_bent *bent, size_t k, struct dg_misfit *volume,
                    struct dg_misfit *area)
{
  double *figure[2] = {&volume->followed, &volume->wanted};
  for (int m = 0; m < 2; m++) {
    double shape[DG_SHAPE_MAX][3];
    const double(*map)[3] = (const double(*)[3])shape;
    struct dg_curved_tet tet;
    (void)dg_curves_gather(maps[m].curves, maps[m].curves->draft->tet[bent->curve[k]], &tet);
    dg_curves_place(maps[m].curves, &tet, shape);
    *figure[m] = volume_of(&maps[m], map);
    volume->surface = surface_of(&tet);
    for (int f = 0; f < 4; f++) {
      if (tet.face[f] == NULL) continue;
      struct dg_misfit *face = &area[tet.face[f] - maps[m].curves->face];
      *(m == 0 ? &face->followed : &face->wanted) = area_of(&maps[m], tet.own[f], map);
    }
  }
}

int dg_misfit_find(const struct dg_curves *curves, struct dg_bent *bent, struct dg_error *err)
{
  const struct dg_draft *draft = curves->draft;
  struct dg_curves fine = {0};
  struct maps maps[2] = {{0}};
  struct dg_misfit *volume = NULL, *area = NULL;
  bool same = true;
  if (bent->curved == 0 || dg_curves_refine(&fine, curves, &same, err) != 0 || same) goto fail;
  if (DG_NEW(volume, draft->K, err) != 0 || DG_NEW(area, curves->faces + 1, err) != 0) goto fail;
  if (maps_init(&maps[0], curves, err) != 0 || maps_init(&maps[1], &fine, err) != 0) goto fail;
  for (size_t e = 0; e < draft->K; e++) {
    const double straight = dg_draft_volume(draft, (int32_t)e) / 6;
    volume[e] = (struct dg_misfit){draft->volume_tag[e], 0, straight, straight};
  }
  for (size_t i = 0; i < curves->faces; i++) {
    const double flat = flat_area(draft, curves->face[i].v);
    area[i] = (struct dg_misfit){curves->face[i].tag, curves->face[i].tag, flat, flat};
  }
  for (size_t k = 0; k < bent->curved; k++) measure(maps, bent, k, &volume[bent->curve[k]], area);
  sum_up(area, curves->faces, &bent->misfits[0], bent->misfit[0]);
  sum_up(volume, draft->K, &bent->misfits[1], bent->misfit[1]);
fail:
  maps_release(&maps[0]);
  maps_release(&maps[1]);
  dg_curves_release(&fine);
  dg_free(volume);
  dg_free(area);
  return err->code;
}
