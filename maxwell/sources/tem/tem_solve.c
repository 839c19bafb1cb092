/* Solves for potentials on a plane: see tem_solve.h. */
#include "maxwell/sources/tem/tem_solve.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/solve/pcg.h"

static const double tolerance = 1e-11;
enum { ITERATIONS = 20000 };

static bool is_one(const double *x, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (fabs(x[i] - x[0]) > 1e-12 * fabs(x[0])) return false;
  return true;
}

int mx_tem_solver_init(struct mx_tem_solver *solver, const struct dg_plane *plane, int order, size_t bodies,
                       const double *epsilon, const double *inverse_mu, struct dg_error *err)
{
  struct dg_plane_space *space = &solver->space;
  *solver = (struct mx_tem_solver){.same = is_one(epsilon, plane->triangles) && is_one(inverse_mu, plane->triangles)};
  if (dg_plane_space_init(space, plane, order, bodies, err) != 0 || DG_NEW(solver->product, space->count, err) != 0 ||
      DG_NEW(solver->zero, space->count, err) != 0 || DG_NEW(solver->held, space->count, err) != 0)
    return err->code;
  for (size_t b = 0; b < bodies; b++) solver->held[b] = true;
  for (int which = 0; which < 2; which++) {
    if (DG_NEW(solver->value[which], space->row[space->count], err) != 0 ||
        DG_NEW(solver->diagonal[which], space->count, err) != 0 ||
        dg_plane_matrix(space, which == 0 ? epsilon : inverse_mu, solver->value[which], err) != 0)
      return err->code;
    for (size_t n = 0; n < space->count; n++)
      for (size_t i = space->row[n]; i < space->row[n + 1]; i++)
        if ((size_t)space->column[i] == n) solver->diagonal[which][n] = solver->value[which][i];
  }
  return 0;
}

void mx_tem_solver_release(struct mx_tem_solver *solver)
{
  for (int which = 0; which < 2; which++) {
    dg_free(solver->value[which]);
    dg_free(solver->diagonal[which]);
  }
  dg_free(solver->product);
  dg_free(solver->zero);
  dg_free(solver->held);
  dg_plane_space_release(&solver->space);
  *solver = (struct mx_tem_solver){0};
}

/* One of the two matrices, for the iteration. */
struct system {
  const struct mx_tem_solver *solver;
  int which;
};

static void apply(void *context, const double *x, double *y)
{
  const struct system *system = context;
  dg_plane_apply(&system->solver->space, system->solver->value[system->which], x, y);
}

static void improve(void *context, const double *r, double *z)
{
  const struct system *system = context;
  const double *diagonal = system->solver->diagonal[system->which];
  for (size_t i = 0; i < system->solver->space.count; i++) z[i] = r[i] / diagonal[i];
}

int mx_tem_solve(struct mx_tem_solver *solver, int which, const double *potential, double *phi, struct dg_error *err)
{
  struct system system = {solver, which};
  struct dg_pcg_report report;
  const struct dg_pcg pcg = {.count = solver->space.count,
                             .apply = apply,
                             .improve = improve,
                             .context = &system,
                             .held = solver->held,
                             .tolerance = tolerance,
                             .most = ITERATIONS};
  memset(phi, 0, solver->space.count * sizeof *phi);
  memcpy(phi, potential, solver->space.bodies * sizeof *phi);
  return dg_pcg_solve(&pcg, solver->zero, phi, &report, err);
}

double mx_tem_product(struct mx_tem_solver *solver, int which, const double *psi, const double *phi)
{
  double sum = 0;
  dg_plane_apply(&solver->space, solver->value[which], phi, solver->product);
  for (size_t i = 0; i < solver->space.count; i++) sum += psi[i] * solver->product[i];
  return sum;
}
