/* Finds the coarsest element of each material on all ranks, and what waves it holds. mesh_worth.h has the measure. */
#include "maxwell/worth/mesh_worth.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/time/responses.h"
#include "maxwell/worth/medium_index.h"

static const double pi = 3.14159265358979323846;

/* Elements of a material need not have one medium. Its coarsest one is by the edge alone, by the edge in wavelengths of
 * a fast field, or by that of a field at rest. */
enum { BY_EDGE, BY_FAST, BY_SLOW, WAYS };

struct mx_mesh_cell {
  double material; /* all members are doubles, so that ranks can add them up; -1: no element */
  double edge;     /* the longest, m */
  struct mx_medium_numbers medium;
};

static double longest_edge(const struct dg_mesh *mesh, size_t e)
{
  double longest = 0;
  for (int a = 0; a < 4; a++)
    for (int b = a + 1; b < 4; b++) {
      const double *x = mesh->vertex[mesh->element[e][a]], *y = mesh->vertex[mesh->element[e][b]];
      longest = fmax(longest, hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
    }
  return longest;
}

/* Finds this rank's coarsest elements: size[materials][WAYS] and where[materials][WAYS]. */
static void find_own(const struct mx_problem *problem, const struct mx_assignment *assignment,
                     const struct dg_mesh *mesh, double *size, size_t *where)
{
  for (size_t e = 0; e < problem->K; e++) {
    if (dg_mesh_in_layer(mesh, e)) continue;
    const double edge = longest_edge(mesh, e);
    const double of[WAYS] = {
        edge, edge * sqrt(problem->epsilon[e] * problem->mu[e]),
        edge * sqrt(fabs(mx_storage_at(problem, MX_AMPERE, e, 0) * mx_storage_at(problem, MX_FARADAY, e, 0)))};
    for (int way = 0; way < WAYS; way++) {
      const size_t at = (size_t)assignment->material[e] * WAYS + (size_t)way;
      if (!(of[way] > size[at])) continue;
      size[at] = of[way];
      where[at] = e;
    }
  }
}

/* Finds what of the error (mesh_worth.h) that its coarsest element has a material has in the mean over its volume. */
static int find_shares(struct mx_mesh_worth *worth, const struct mx_problem *problem,
                       const struct mx_assignment *assignment, const struct dg_mesh *mesh, const double *size,
                       struct dg_error *err)
{
  double(*sum)[2];
  if (DG_NEW(sum, worth->materials, err) != 0) return err->code;
  for (size_t e = 0; e < problem->K; e++) {
    const size_t m = (size_t)assignment->material[e];
    if (dg_mesh_in_layer(mesh, e)) continue;
    sum[m][0] += problem->jacobian[e] * pow(longest_edge(mesh, e) / size[m * WAYS + BY_EDGE], 2 * worth->order + 2);
    sum[m][1] += problem->jacobian[e];
  }
  (void)!dg_comm_reduce(problem->comm, DG_SUM, 2 * worth->materials, sum[0], err);
  for (size_t m = 0; m < worth->materials; m++) worth->share[m] = sum[m][1] > 0 ? sum[m][0] / sum[m][1] : 0;
  dg_free(sum);
  return err->code;
}

int mx_mesh_worth_init(struct mx_mesh_worth *worth, const struct mx_problem *problem,
                       const struct mx_assignment *assignment, const struct dg_mesh *mesh, size_t materials,
                       struct dg_error *err)
{
  const size_t cells = materials * WAYS, numbers = sizeof *worth->cell / sizeof(double);
  double *size = NULL, *own = NULL, *rank = NULL;
  size_t *where = NULL;
  *worth = (struct mx_mesh_worth){.order = problem->ref->order, .cells = cells, .materials = materials};
  if (DG_NEW(worth->cell, cells, err) != 0 || DG_NEW(worth->share, materials, err) != 0 ||
      DG_NEW(size, cells, err) != 0 || DG_NEW(own, cells, err) != 0 || DG_NEW(rank, cells, err) != 0 ||
      DG_NEW(where, cells, err) != 0)
    goto fail;
  find_own(problem, assignment, mesh, size, where);
  memcpy(own, size, cells * sizeof *own);
  if (dg_comm_reduce(problem->comm, DG_MAX, cells, size, err) != 0) goto fail;
  for (size_t i = 0; i < cells; i++)
    rank[i] = size[i] > 0 && own[i] == size[i] ? dg_comm_rank(problem->comm) : dg_comm_size(problem->comm);
  if (dg_comm_reduce(problem->comm, DG_MIN, cells, rank, err) != 0) goto fail;
  for (size_t i = 0; i < cells; i++) {
    struct mx_mesh_cell *cell = &worth->cell[i];
    if (size[i] > 0 && rank[i] != dg_comm_rank(problem->comm)) continue; /* another rank's: zeros to be added to */
    if (!(size[i] > 0)) continue;
    const size_t material = i / WAYS;
    cell->material = (double)material;
    cell->edge = longest_edge(mesh, where[i]);
    mx_medium_numbers_of(problem, where[i], &cell->medium);
  }
  if (dg_comm_reduce(problem->comm, DG_SUM, cells * numbers, (double *)worth->cell, err) != 0 ||
      find_shares(worth, problem, assignment, mesh, size, err) != 0)
    goto fail;
  for (size_t i = 0; i < cells; i++)
    if (!(size[i] > 0)) worth->cell[i].material = -1;
fail:
  dg_free(size);
  dg_free(own);
  dg_free(rank);
  dg_free(where);
  return err->code;
}

void mx_mesh_worth_release(struct mx_mesh_worth *worth)
{
  dg_free(worth->cell);
  dg_free(worth->share);
  *worth = (struct mx_mesh_worth){0};
}

/* ---- asking */

/* The largest |k| times edge; only of one material, or of all in which waves travel (material < 0). */
static double largest(const struct mx_mesh_worth *worth, double hertz, int only, int *material)
{
  const double k = 2 * pi * hertz / MX_C0;
  double most = 0;
  if (material != NULL) *material = -1;
  for (size_t i = 0; i < worth->cells; i++) {
    const struct mx_mesh_cell *cell = &worth->cell[i];
    if (cell->material < 0 || (only >= 0 && (int)cell->material != only)) continue;
    const double index = mx_medium_index(&cell->medium, k, only >= 0), size = k * index * cell->edge;
    if (!(size > most)) continue;
    most = size;
    if (material != NULL) *material = (int)cell->material;
  }
  return most;
}

double mx_mesh_load(const struct mx_mesh_worth *worth, double hertz, int *material)
{
  return largest(worth, hertz, -1, material) / sqrt(3);
}

double mx_mesh_load_in(const struct mx_mesh_worth *worth, double hertz, int material)
{
  return largest(worth, hertz, material, NULL) / sqrt(3);
}

double mx_mesh_points(const struct mx_mesh_worth *worth, double hertz, int *material)
{
  return 2 * pi * worth->order / largest(worth, hertz, -1, material);
}

double mx_load_held(int order, double error)
{
  double factor = 1; /* p!/(2p)! */
  for (int i = order + 1; i <= 2 * order; i++) factor /= i;
  return pow(error * 2 * (2 * order + 1) / (factor * factor), 1.0 / (2 * order + 2));
}

double mx_mesh_mean_error(const struct mx_mesh_worth *worth, double hertz)
{
  int material;
  const double load = mx_mesh_load(worth, hertz, &material), one = mx_load_held(worth->order, 1);
  if (material < 0) return 0;
  return fmin(1, worth->share[material] * pow(load / one, 2 * worth->order + 2));
}

double mx_load_carried(int order) { return 2 * order + 1; }

double mx_mesh_highest(const struct mx_mesh_worth *worth, double load, double most)
{
  const double decades = 6, ratio = pow(10, 1e-3);
  double low = most * pow(10, -decades), high = low;
  if (mx_mesh_load(worth, most, NULL) <= load) { /* the usual case: below there may be a resonance all the same */
    while (high < most && mx_mesh_load(worth, high, NULL) <= load) high *= 1.2;
    if (high >= most) return most;
  }
  for (high = low; high < most && mx_mesh_load(worth, high, NULL) <= load; high *= ratio) low = high;
  return high < most ? low : most;
}
