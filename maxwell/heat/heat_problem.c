/* Makes the operators of heat, and their loads. heat_step.c calls it. */
#include "maxwell/heat/heat_problem.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"

static const struct mx_thermal_config *thermal(const struct mx_heat_problem *problem, size_t e)
{
  return &problem->config->material[problem->body->material[e]].thermal;
}

/* The operator of k, rho c and h, and that of the blood. */
static int make_operators(struct mx_heat_problem *problem, struct dg_error *err)
{
  const size_t K = problem->body->mesh.K;
  double *k = NULL, *c = NULL, *W = NULL;
  struct dg_face_term *term = NULL;
  size_t terms = 0;
  bool perfused = false;
  if (DG_NEW(k, K, err) != 0 || DG_NEW(c, K, err) != 0 || DG_NEW(W, K, err) != 0 ||
      DG_NEW(term, problem->faces.count, err) != 0)
    goto fail;
  for (size_t e = 0; e < K; e++) {
    const struct mx_thermal_config *of = thermal(problem, e);
    const double density = problem->config->material[problem->body->material[e]].mass_density;
    k[e] = of->conductivity;
    c[e] = of->capacity > 0 && density > 0 ? density * of->capacity : 1; /* only a steady state may lack it */
    W[e] = of->perfusion;
    perfused = perfused || W[e] > 0;
  }
  for (size_t n = 0; n < problem->faces.count; n++) {
    const int32_t face = problem->faces.face[n];
    const struct mx_heat_wall *wall = &problem->heat->wall[problem->body->wall[face / 4][face % 4]];
    if (wall->kind == MX_HEAT_CONVECTION) term[terms++] = (struct dg_face_term){.face = face, .h = wall->coefficient};
  }
  const struct dg_elliptic_medium medium = {.k = k, .c = c, .faces = terms, .face = term}, blood = {.k = W, .c = W};
  if (dg_elliptic_new(&problem->op, &problem->space, &medium, err) == 0 && perfused)
    (void)!dg_elliptic_new(&problem->blood, &problem->space, &blood, err);
fail:
  dg_free(k);
  dg_free(c);
  dg_free(W);
  dg_free(term);
  return err->code;
}

/* The unknowns on held walls; of two walls that meet, the first of the script has the edge. */
static void find_held(struct mx_heat_problem *problem)
{
  const struct dg_space *space = &problem->space;
  const int Nf = space->ref.Nf;
  for (size_t i = 0; i < space->count; i++) problem->holder[i] = -1;
  for (size_t e = 0; e < problem->body->mesh.K; e++)
    for (int f = 0; f < 4; f++) {
      const int wall = problem->body->wall[e][f];
      if (wall < 0 || problem->heat->wall[wall].kind != MX_HEAT_HELD) continue;
      for (int m = 0; m < Nf; m++) {
        const int32_t n = space->number[e * (size_t)space->ref.Np + (size_t)space->ref.face_node[f * Nf + m]];
        if (problem->holder[n] < 0 || wall < problem->holder[n]) problem->holder[n] = wall;
        problem->held[n] = true;
      }
    }
}

/* Every part that hangs together by faces must be held by a wall or by blood, or the steady state is not one. Several
 * parts without are refused; one alone is found up to a constant. */
static int find_parts(struct mx_heat_problem *problem, struct dg_error *err)
{
  const struct mx_heat_body *body = problem->body;
  const size_t K = body->mesh.K;
  size_t *stack = NULL, parts = 0, loose = 0, where = 0;
  bool *seen = NULL;
  if (DG_NEW(stack, K, err) != 0 || DG_NEW(seen, K, err) != 0) goto fail;
  for (size_t first = 0; first < K; first++) {
    size_t count = 0;
    bool holds = false;
    if (seen[first]) continue;
    seen[stack[count++] = first] = true;
    while (count > 0) {
      const size_t e = stack[--count];
      holds = holds || thermal(problem, e)->perfusion > 0;
      for (int f = 0; f < 4; f++) {
        const int32_t beyond = body->mesh.neighbour[e][f], wall = body->wall[e][f];
        holds = holds || (wall >= 0 && problem->heat->wall[wall].kind != MX_HEAT_FLUX);
        if (beyond == DG_BOUNDARY || seen[beyond / 4]) continue;
        seen[stack[count++] = (size_t)beyond / 4] = true;
      }
    }
    parts++;
    if (!holds) loose++, where = first;
  }
  problem->determined = loose == 0;
  if (problem->heat->steady && loose > 0 && parts > 1)
    (void)dg_fail(err, DG_INPUT,
                  MX_PLACE "heat: nothing holds the temperature of volume %d (a fixed temperature, convection or "
                           "perfusion does), so that it has no steady state",
                  MX_AT(problem->heat->where), body->mesh.entity[body->mesh.volume[where]].tag);
fail:
  dg_free(stack);
  dg_free(seen);
  return err->code;
}

static void find_places(struct mx_heat_problem *problem)
{
  const struct dg_space *space = &problem->space;
  const size_t Np = (size_t)space->ref.Np;
  for (size_t n = 0; n < problem->body->mesh.K * Np; n++) {
    dg_space_point(space, n / Np, (int)(n % Np), problem->node_x[n]);
    memcpy(problem->x[space->number[n]], problem->node_x[n], sizeof problem->x[0]);
  }
}

static int make_arrays(struct mx_heat_problem *problem, struct dg_error *err)
{
  const size_t n = problem->space.count, all = problem->body->mesh.K * (size_t)problem->space.ref.Np;
  if (DG_NEW(problem->holder, n, err) != 0 || DG_NEW(problem->held, n, err) != 0 ||
      DG_NEW(problem->diagonal_mass, n, err) != 0 || DG_NEW(problem->diagonal_rest, n, err) != 0 ||
      DG_NEW(problem->fixed, n, err) != 0 || DG_NEW(problem->x, n, err) != 0 || DG_NEW(problem->values, n, err) != 0 ||
      DG_NEW(problem->nodal, all, err) != 0 || DG_NEW(problem->node_x, all, err) != 0)
    return err->code;
  return 0;
}

static void make_diagonals(struct mx_heat_problem *problem)
{
  dg_elliptic_diagonal(problem->op, (struct dg_elliptic_weights){.mass = 1}, problem->diagonal_mass);
  dg_elliptic_diagonal(problem->op, (struct dg_elliptic_weights){.stiffness = 1, .face = 1}, problem->diagonal_rest);
  if (problem->blood == NULL) return;
  dg_elliptic_diagonal(problem->blood, (struct dg_elliptic_weights){.mass = 1}, problem->values);
  for (size_t i = 0; i < problem->space.count; i++) problem->diagonal_rest[i] += problem->values[i];
}

int mx_heat_problem_init(struct mx_heat_problem *problem, const struct mx_config *config,
                         const struct mx_heat_body *body, struct dg_error *err)
{
  *problem = (struct mx_heat_problem){.config = config, .heat = config->heat, .body = body};
  if (find_parts(problem, err) != 0 ||
      dg_space_init(&problem->space, &body->mesh, NULL, config->heat->order, 0, NULL, err) != 0 ||
      make_arrays(problem, err) != 0 ||
      mx_heat_faces_init(&problem->faces, &problem->space, config->heat, body, err) != 0 ||
      make_operators(problem, err) != 0)
    return err->code;
  find_held(problem);
  find_places(problem);
  make_diagonals(problem);
  return 0;
}

void mx_heat_problem_release(struct mx_heat_problem *problem)
{
  dg_elliptic_free(problem->op);
  dg_elliptic_free(problem->blood);
  dg_space_release(&problem->space);
  dg_free(problem->holder);
  dg_free(problem->held);
  mx_heat_faces_release(&problem->faces);
  dg_free(problem->diagonal_mass);
  dg_free(problem->diagonal_rest);
  dg_free(problem->fixed);
  dg_free(problem->x);
  dg_free(problem->values);
  dg_free(problem->nodal);
  dg_free(problem->node_x);
  *problem = (struct mx_heat_problem){0};
}

void mx_heat_apply(const struct mx_heat_problem *problem, double mass, double rest, const double *x, double *y)
{
  dg_elliptic_apply(problem->op, (struct dg_elliptic_weights){.stiffness = rest, .mass = mass, .face = rest}, x, y);
  if (problem->blood == NULL || rest == 0) return;
  dg_elliptic_apply(problem->blood, (struct dg_elliptic_weights){.mass = rest}, x, problem->values);
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < problem->space.count; i++) y[i] += problem->values[i];
}

double mx_heat_content(const struct mx_heat_problem *problem, const double *T)
{
  double sum = 0;
  dg_elliptic_apply(problem->op, (struct dg_elliptic_weights){.mass = 1}, T, problem->values);
  for (size_t i = 0; i < problem->space.count; i++) sum += problem->values[i];
  return sum;
}
