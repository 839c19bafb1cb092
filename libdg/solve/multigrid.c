/* The levels and the cycle. Statics call it as preconditioner. */
#include "libdg/solve/multigrid.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/solve/amg.h"

/* The degree of the smoother, and how far below the largest eigenvalue it works. */
enum { LEVELS = 6, SWEEPS = 3, POWERS = 15 };
static const double reach = 12, margin = 1.1;

struct level {
  const struct dg_space *space;
  struct dg_elliptic *op;
  struct dg_space own_space; /* of coarser levels */
  struct dg_elliptic *own_op, *more;
  bool *held;
  double *inverse; /* [count] of the diagonal, 0 where it is held */
  double largest;  /* eigenvalue of the operator over its diagonal */
  double *r, *z, *q, *d;
  /* To this level from the coarser one below. */
  double *from;    /* [Np][Np of the coarser] values of its basis at the nodes */
  bool *first;     /* [K * Np] is this the place that stands for its unknown, and does this rank count it? */
  int32_t *source; /* [count] the first place of each unknown */
  double *result;  /* [K * Np of the coarser] */
};

struct dg_multigrid {
  int levels;
  struct level level[LEVELS]; /* the finest first */
  struct dg_elliptic_weights weights;
  struct dg_amg *amg;
};

/* ---- between levels ---- */

static int join_levels(struct level *fine, const struct level *coarse, struct dg_error *err)
{
  const struct dg_space *space = fine->space;
  const struct dg_reference *ref = &space->ref, *below = &coarse->space->ref;
  const bool *foreign = dg_space_foreign(space);
  const size_t places = space->mesh->K * (size_t)ref->Np;
  if (DG_NEW(fine->from, ref->Np * below->Np, err) != 0 || DG_NEW(fine->first, places, err) != 0 ||
      DG_NEW(fine->source, space->count, err) != 0 ||
      DG_NEW(fine->result, space->mesh->K * (size_t)below->Np, err) != 0)
    return err->code;
  for (int i = 0; i < ref->Np; i++)
    dg_reference_interpolate(below, ref->r[i], ref->s[i], ref->t[i], fine->from + (size_t)i * (size_t)below->Np);
  for (size_t u = 0; u < space->count; u++) {
    fine->source[u] = space->row[u] < space->row[u + 1] ? space->place[space->row[u]] : -1;
    if (fine->source[u] >= 0 && (foreign == NULL || !foreign[u])) fine->first[fine->source[u]] = true;
  }
  /* The unknown of a body is that of the coarser level, which restrict() and prolong() see to. */
  for (size_t b = 0; b < space->bodies; b++) {
    const int32_t source = fine->source[dg_space_body(space, b)];
    if (source >= 0) fine->first[source] = false;
  }
  return 0;
}

/* coarse = P^T r: each unknown gives to the nodes of one element. */
static void restrict_to(const struct level *fine, const struct level *coarse, const double *r, double *below)
{
  const struct dg_space *space = fine->space, *under = coarse->space;
  const size_t Np = (size_t)space->ref.Np, Nc = (size_t)under->ref.Np, bodies = space->bodies;
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < space->mesh->K; e++) {
    double *sum = fine->result + e * Nc;
    memset(sum, 0, sizeof *sum * Nc);
    for (size_t i = 0; i < Np; i++) {
      if (!fine->first[e * Np + i]) continue;
      const double value = r[space->number[e * Np + i]];
      for (size_t j = 0; j < Nc; j++) sum[j] += fine->from[i * Nc + j] * value;
    }
  }
#pragma omp parallel for schedule(static)
  for (size_t u = 0; u < under->count; u++) {
    double sum = 0;
    for (size_t n = under->row[u]; n < under->row[u + 1]; n++) sum += fine->result[under->place[n]];
    below[u] = sum;
  }
  dg_space_sum(under, below);
  for (size_t b = 0; b < bodies; b++) below[dg_space_body(under, b)] += r[dg_space_body(space, b)];
}

/* z += P coarse */
static void prolong(const struct level *fine, const struct level *coarse, const double *below, double *z)
{
  const struct dg_space *space = fine->space, *under = coarse->space;
  const size_t Np = (size_t)space->ref.Np, Nc = (size_t)under->ref.Np, single = space->count - space->bodies;
#pragma omp parallel for schedule(static)
  for (size_t u = 0; u < single; u++) {
    if (fine->inverse[u] == 0) continue;
    const size_t e = (size_t)fine->source[u] / Np, i = (size_t)fine->source[u] % Np;
    const int32_t *number = under->number + e * Nc;
    double sum = 0;
    for (size_t j = 0; j < Nc; j++) sum += fine->from[i * Nc + j] * below[number[j]];
    z[u] += sum;
  }
  for (size_t b = 0; b < space->bodies; b++)
    if (fine->inverse[single + b] != 0) z[single + b] += below[dg_space_body(under, b)];
}

/* An unknown of the coarser level is held where those of the finer one on the same vertex, edge, face or element are.
 */
static int hold_below(const struct level *fine, struct level *coarse, struct dg_error *err)
{
  const struct dg_space *space = fine->space, *under = coarse->space;
  const int Np = space->ref.Np, Nc = under->ref.Np;
  struct dg_seat *above = NULL, *seat = NULL;
  if (DG_NEW(above, Np, err) == 0 && DG_NEW(seat, Nc, err) == 0) {
    dg_space_seats(&space->ref, above);
    dg_space_seats(&under->ref, seat);
    memset(coarse->held, 0, sizeof *coarse->held * under->count);
    for (int j = 0; j < Nc; j++) {
      int i = 0;
      while (above[i].dim != seat[j].dim || above[i].entity != seat[j].entity) i++;
      for (size_t e = 0; e < space->mesh->K; e++)
        if (fine->held[space->number[e * (size_t)Np + (size_t)i]])
          coarse->held[under->number[e * (size_t)Nc + (size_t)j]] = true;
    }
    for (size_t b = 0; b < space->bodies; b++)
      coarse->held[dg_space_body(under, b)] = fine->held[dg_space_body(space, b)];
  }
  dg_free(above);
  dg_free(seat);
  return err->code;
}

/* ---- the smoother ---- */

/* The largest eigenvalue by powers, from a start that depends on nothing but the numbers of the unknowns. */
static int find_largest(struct dg_multigrid *mg, struct level *level, struct dg_error *err)
{
  const size_t count = level->space->count;
  const bool *foreign = dg_space_foreign(level->space);
  double *x = level->z, *y = level->q;
  int64_t *global = NULL, first, own;
  if (DG_NEW(global, count, err) != 0) return err->code;
  if (dg_space_global(level->space, global, &first, &own, err) == 0)
    for (size_t i = 0; i < count; i++) {
      const uint64_t mixed = (uint64_t)(global[i] + 1) * 0x9e3779b97f4a7c15U;
      x[i] = level->inverse[i] != 0 ? (double)(mixed >> 40) / (double)(1 << 24) - 0.5 : 0;
    }
  dg_free(global);
  level->largest = 0;
  for (int n = 0; err->code == 0 && n < POWERS; n++) {
    double sums[2] = {0};
    dg_elliptic_apply(level->op, mg->weights, x, y);
    for (size_t i = 0; i < count; i++) {
      const double before = x[i];
      x[i] = level->inverse[i] * y[i];
      if (foreign != NULL && foreign[i]) continue;
      sums[0] += before * before;
      sums[1] += x[i] * x[i];
    }
    if (dg_space_reduce(level->space, 2, sums, err) != 0) return err->code;
    if (!(sums[0] > 0 && sums[1] > 0)) break;
    level->largest = sqrt(sums[1] / sums[0]);
    const double scale = 1 / sqrt(sums[1]);
    for (size_t i = 0; i < count; i++) x[i] *= scale;
  }
  return dg_space_error(level->space, err);
}

/* z = (started) z, with better high frequencies. Chebyshev's polynomial on [largest / reach, margin largest]. */
static void smooth(struct dg_multigrid *mg, struct level *level, const double *r, bool started, double *z)
{
  const size_t count = level->space->count;
  const double high = margin * level->largest, low = level->largest / reach;
  const double middle = 0.5 * (high + low), half = 0.5 * (high - low);
  const double *inverse = level->inverse;
  double *d = level->d, *q = level->q, rho = half / middle;
  if (started) dg_elliptic_apply(level->op, mg->weights, z, q);
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++) {
    d[i] = inverse[i] / middle * (started ? r[i] - q[i] : r[i]);
    z[i] = started ? z[i] + d[i] : d[i];
  }
  for (int n = 1; n < SWEEPS; n++) {
    const double next = 1 / (2 * middle / half - rho), keep = next * rho, take = 2 * next / half;
    dg_elliptic_apply(level->op, mg->weights, z, q);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++) {
      d[i] = keep * d[i] + take * inverse[i] * (r[i] - q[i]);
      z[i] += d[i];
    }
    rho = next;
  }
}

/* ---- the cycle ---- */

static void cycle(struct dg_multigrid *mg, int n, const double *r, double *z)
{
  struct level *level = &mg->level[n];
  if (n == mg->levels - 1) {
    dg_amg_apply(mg->amg, r, z);
    return;
  }
  struct level *below = level + 1;
  smooth(mg, level, r, false, z);
  dg_elliptic_apply(level->op, mg->weights, z, level->q);
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < level->space->count; i++) level->q[i] = level->inverse[i] != 0 ? r[i] - level->q[i] : 0;
  restrict_to(level, below, level->q, below->r);
  for (size_t i = 0; i < below->space->count; i++)
    if (below->held[i]) below->r[i] = 0;
  cycle(mg, n + 1, below->r, below->z);
  prolong(level, below, below->z, z);
  smooth(mg, level, r, true, z);
}

void dg_multigrid_apply(struct dg_multigrid *mg, const double *r, double *z) { cycle(mg, 0, r, z); }

/* ---- making it ---- */

int dg_multigrid_levels(const struct dg_multigrid *mg) { return mg->levels; }

struct dg_multigrid_level dg_multigrid_level(const struct dg_multigrid *mg, int n)
{
  const struct level *level = &mg->level[n];
  return (struct dg_multigrid_level){.space = level->space,
                                     .op = level->op,
                                     .more = level->more,
                                     .held = level->held,
                                     .from = level->from,
                                     .source = level->source};
}

int dg_multigrid_hold(struct dg_multigrid *mg, const bool *held, struct dg_error *err)
{
  for (size_t i = 0; i < mg->level[0].space->count; i++) mg->level[0].held[i] = held != NULL && held[i];
  for (int n = 1; n < mg->levels; n++)
    if (hold_below(&mg->level[n - 1], &mg->level[n], err) != 0) return err->code;
  return 0;
}

int dg_multigrid_set(struct dg_multigrid *mg, struct dg_elliptic_weights weights, const bool *held, bool floating,
                     struct dg_error *err)
{
  struct level *last = mg->level + mg->levels - 1;
  mg->weights = weights;
  if (dg_multigrid_hold(mg, held, err) != 0) return err->code;
  for (int n = 0; n < mg->levels; n++) {
    struct level *level = &mg->level[n];
    dg_elliptic_diagonal(level->op, weights, level->inverse);
    for (size_t i = 0; i < level->space->count; i++)
      level->inverse[i] = !level->held[i] && level->inverse[i] > 0 ? 1 / level->inverse[i] : 0;
    if (dg_space_error(level->space, err) != 0 || (level != last && find_largest(mg, level, err) != 0))
      return err->code;
  }
  dg_amg_free(mg->amg);
  mg->amg = NULL;
  return dg_amg_new(&mg->amg, last->space, last->op, weights, last->held, floating, err);
}

static int make_level(struct dg_multigrid *mg, const struct dg_multigrid_setup *setup, int order, struct dg_error *err)
{
  struct level *level = &mg->level[mg->levels++];
  struct dg_comm *comm = setup->space->shared != NULL ? setup->space->shared->comm : NULL;
  if (mg->levels == 1) {
    level->space = setup->space;
    level->op = setup->op;
  } else {
    level->space = &level->own_space;
    if (dg_space_init(&level->own_space, setup->space->mesh, comm, order, setup->space->bodies, setup->body, err) !=
            0 ||
        dg_elliptic_new(&level->own_op, level->space, setup->medium, err) != 0 ||
        (setup->more != NULL && dg_elliptic_new(&level->more, level->space, setup->more, err) != 0))
      return err->code;
    level->op = level->own_op;
    if (join_levels(level - 1, level, err) != 0) return err->code;
  }
  const size_t count = level->space->count;
  if (DG_NEW(level->held, count, err) != 0 || DG_NEW(level->inverse, count, err) != 0 ||
      DG_NEW(level->r, count, err) != 0 || DG_NEW(level->z, count, err) != 0 || DG_NEW(level->q, count, err) != 0 ||
      DG_NEW(level->d, count, err) != 0)
    return err->code;
  return 0;
}

int dg_multigrid_new(struct dg_multigrid **result, const struct dg_multigrid_setup *setup, struct dg_error *err)
{
  struct dg_multigrid *mg = NULL;
  *result = NULL;
  if (DG_NEW(mg, 1, err) != 0) return err->code;
  for (int order = setup->space->ref.order; err->code == 0;
       order = setup->halves ? (order + 1) / 2 : order - (order > 5 ? 2 : 1))
    if (make_level(mg, setup, order, err) != 0 || order == 1) break;
  if (err->code != 0) {
    dg_multigrid_free(mg);
    return err->code;
  }
  *result = mg;
  return 0;
}

void dg_multigrid_free(struct dg_multigrid *mg)
{
  if (mg == NULL) return;
  dg_amg_free(mg->amg);
  for (int n = 0; n < mg->levels; n++) {
    struct level *level = &mg->level[n];
    dg_elliptic_free(level->own_op);
    dg_elliptic_free(level->more);
    dg_space_release(&level->own_space);
    dg_free(level->held);
    dg_free(level->inverse);
    dg_free(level->r);
    dg_free(level->z);
    dg_free(level->q);
    dg_free(level->d);
    dg_free(level->from);
    dg_free(level->first);
    dg_free(level->source);
    dg_free(level->result);
  }
  dg_free(mg);
}
