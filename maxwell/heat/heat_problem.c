/* Makes the operators of heat, and their loads. heat_step.c calls it. */
#include "maxwell/heat/heat_problem.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/halo/halo.h"

static const struct mx_thermal_config *thermal(const struct mx_heat_problem *problem, size_t e)
{
  return &problem->config->material[problem->body->material[e]].thermal;
}

int mx_heat_medium_init(struct mx_heat_medium *medium, const struct mx_heat_problem *problem, double blood,
                        struct dg_error *err)
{
  const size_t K = problem->body->mesh.K;
  size_t terms = 0;
  *medium = (struct mx_heat_medium){0};
  if (DG_NEW(medium->k, K, err) != 0 || DG_NEW(medium->c, K, err) != 0 ||
      DG_NEW(medium->term, problem->faces.count, err) != 0)
    return err->code;
  for (size_t e = 0; e < K; e++) {
    const struct mx_thermal_config *of = thermal(problem, e);
    const double density = problem->config->material[problem->body->material[e]].mass_density;
    const double own = of->capacity > 0 && density > 0 ? density * of->capacity : 1; /* a steady state may lack it */
    medium->k[e] = of->conductivity;
    medium->c[e] = isinf(blood) ? of->perfusion : own + blood * of->perfusion;
  }
  for (size_t n = 0; n < problem->faces.count; n++) {
    const int32_t face = problem->faces.face[n];
    const struct mx_heat_wall *wall = &problem->heat->wall[problem->body->wall[face / 4][face % 4]];
    if (wall->kind == MX_HEAT_CONVECTION)
      medium->term[terms++] = (struct dg_face_term){.face = face, .h = wall->coefficient};
  }
  medium->medium = (struct dg_elliptic_medium){.k = medium->k, .c = medium->c, .faces = terms, .face = medium->term};
  return 0;
}

void mx_heat_medium_release(struct mx_heat_medium *medium)
{
  dg_free(medium->k);
  dg_free(medium->c);
  dg_free(medium->term);
  *medium = (struct mx_heat_medium){0};
}

/* The operator of k, rho c and h, and that of the blood. */
static int make_operators(struct mx_heat_problem *problem, struct dg_error *err)
{
  struct mx_heat_medium medium = {0}, blood = {0};
  int64_t perfused = 0;
  for (size_t e = 0; e < problem->body->mesh.K; e++) perfused |= thermal(problem, e)->perfusion > 0;
  if (dg_comm_reduce_int(problem->body->comm, DG_MAX, 1, &perfused, err) == 0 &&
      mx_heat_medium_init(&medium, problem, 0, err) == 0 && mx_heat_medium_init(&blood, problem, INFINITY, err) == 0 &&
      dg_elliptic_new(&problem->op, &problem->space, &medium.medium, err) == 0 && perfused) {
    blood.medium.faces = 0;
    (void)!dg_elliptic_new(&problem->blood, &problem->space, &blood.medium, err);
  }
  mx_heat_medium_release(&medium);
  mx_heat_medium_release(&blood);
  return err->code;
}

/* Another rank has a face of wall `value` at an unknown, or -1. */
static int take_holder(void *context, int32_t unknown, int32_t value, struct dg_error *err)
{
  struct mx_heat_problem *problem = context;
  int32_t *holder = &problem->holder[unknown];
  (void)err;
  if (value >= 0 && (*holder < 0 || value < *holder)) *holder = value;
  return 0;
}

/* The unknowns on held walls; of two walls that meet, the first of the script has the edge. */
static int find_held(struct mx_heat_problem *problem, struct dg_error *err)
{
  const struct dg_space *space = &problem->space;
  const int Nf = space->ref.Nf;
  for (size_t i = 0; i < space->count; i++) problem->holder[i] = -1;
  for (size_t w = 0; w < problem->heat->walls; w++)
    problem->holds = problem->holds || problem->heat->wall[w].kind == MX_HEAT_HELD;
  for (size_t e = 0; e < problem->body->mesh.K; e++)
    for (int f = 0; f < 4; f++) {
      const int wall = problem->body->wall[e][f];
      if (wall < 0 || problem->heat->wall[wall].kind != MX_HEAT_HELD) continue;
      for (int m = 0; m < Nf; m++) {
        const int32_t n = space->number[e * (size_t)space->ref.Np + (size_t)space->ref.face_node[f * Nf + m]];
        if (problem->holder[n] < 0 || wall < problem->holder[n]) problem->holder[n] = wall;
      }
    }
  if (space->shared != NULL && dg_shared_swap(space->shared, problem->holder, take_holder, problem, err) != 0)
    return err->code;
  for (size_t i = 0; i < space->count; i++) problem->held[i] = problem->holder[i] >= 0;
  return 0;
}

/* A part of the body that hangs together by faces, as far as this rank sees it. */
struct piece {
  int64_t name; /* the lowest of all ranks' pieces that hang together */
  int64_t holds;
};

/* of[K] gets the piece of each element; *pieces of them, named first and up. */
static int find_pieces(const struct mx_heat_problem *problem, size_t *of, struct piece *piece, size_t *pieces,
                       struct dg_error *err)
{
  const struct mx_heat_body *body = problem->body;
  const size_t K = body->mesh.K;
  size_t *stack = NULL;
  int64_t first;
  if (DG_NEW(stack, K, err) != 0) return err->code;
  *pieces = 0;
  for (size_t e = 0; e < K; e++) of[e] = SIZE_MAX;
  for (size_t start = 0; start < K; start++) {
    size_t count = 0;
    if (of[start] != SIZE_MAX) continue;
    struct piece *own = &piece[*pieces];
    of[stack[count++] = start] = *pieces;
    while (count > 0) {
      const size_t e = stack[--count];
      own->holds |= thermal(problem, e)->perfusion > 0;
      for (int f = 0; f < 4; f++) {
        const int32_t beyond = body->mesh.neighbour[e][f], wall = body->wall[e][f];
        own->holds |= wall >= 0 && problem->heat->wall[wall].kind != MX_HEAT_FLUX;
        if (beyond == DG_BOUNDARY || (size_t)beyond / 4 >= K || of[beyond / 4] != SIZE_MAX) continue;
        of[stack[count++] = (size_t)beyond / 4] = *pieces;
      }
    }
    ++*pieces;
  }
  dg_free(stack);
  if (dg_comm_offset(body->comm, (int64_t)*pieces, &first, NULL, err) != 0) return err->code;
  for (size_t p = 0; p < *pieces; p++) piece[p].name = first + (int64_t)p;
  return 0;
}

/* Pieces that hang together across ranks get the lowest name of all, and hold if one of them does. */
static int join_pieces(const struct mx_heat_body *body, const size_t *of, struct piece *piece, struct dg_error *err)
{
  struct dg_halo halo = {0};
  struct piece *send = NULL, *receive = NULL;
  int64_t changed = 1;
  if (dg_comm_size(body->comm) == 1) return 0;
  if (dg_halo_init(&halo, &body->mesh, err) != 0 || DG_NEW(send, halo.faces, err) != 0 ||
      DG_NEW(receive, halo.faces, err) != 0)
    goto fail;
  while (changed) {
    changed = 0;
    for (size_t i = 0; i < halo.faces; i++) send[i] = piece[of[halo.send[i] / 4]];
    if (dg_halo_swap(&halo, body->comm, sizeof *send, send, receive, err) != 0) break;
    for (size_t i = 0; i < halo.faces; i++) {
      struct piece *own = &piece[of[halo.send[i] / 4]];
      changed |= receive[i].name < own->name || receive[i].holds > own->holds;
      if (receive[i].name < own->name) own->name = receive[i].name;
      own->holds |= receive[i].holds;
    }
    if (dg_comm_reduce_int(body->comm, DG_MAX, 1, &changed, err) != 0) break;
  }
fail:
  dg_halo_release(&halo);
  dg_free(send);
  dg_free(receive);
  return err->code;
}

/* Every part that hangs together by faces must be held by a wall or by blood, or the steady state is not one. Several
 * parts without are refused; one alone is found up to a constant. */
static int find_parts(struct mx_heat_problem *problem, struct dg_error *err)
{
  const struct mx_heat_body *body = problem->body;
  const size_t K = body->mesh.K;
  size_t *of = NULL, pieces = 0, where = 0;
  struct piece *piece = NULL;
  int64_t first, loose = 0, parts[2] = {0}; /* parts[1]: those that nothing holds */
  if (DG_NEW(of, K, err) != 0 || DG_NEW(piece, K, err) != 0 || find_pieces(problem, of, piece, &pieces, err) != 0 ||
      join_pieces(body, of, piece, err) != 0 || dg_comm_offset(body->comm, (int64_t)pieces, &first, NULL, err) != 0)
    goto fail;
  for (size_t e = 0; e < K; e++)
    if (loose == 0 && !piece[of[e]].holds) loose = 1, where = e;
  for (size_t p = 0; p < pieces; p++) {
    if (piece[p].name != first + (int64_t)p) continue;
    parts[0]++;
    parts[1] += !piece[p].holds;
  }
  if (dg_comm_reduce_int(body->comm, DG_SUM, 2, parts, err) != 0) goto fail;
  problem->determined = parts[1] == 0;
  if (problem->heat->steady && loose && parts[0] > 1)
    (void)dg_fail(err, DG_INPUT,
                  MX_PLACE "heat: nothing holds the temperature of volume %d (a fixed temperature, convection or "
                           "perfusion does), so that it has no steady state",
                  MX_AT(problem->heat->where), body->mesh.entity[body->mesh.volume[where]].tag);
  (void)!dg_comm_agree(body->comm, err);
fail:
  dg_free(of);
  dg_free(piece);
  return err->code;
}

/* Places, in which the ranks that share an unknown must not differ by rounding: a function may jump there. */
static int find_places(struct mx_heat_problem *problem, struct dg_error *err)
{
  const struct dg_space *space = &problem->space;
  const size_t Np = (size_t)space->ref.Np;
  for (size_t n = 0; n < problem->body->mesh.K * Np; n++) {
    dg_space_point(space, n / Np, (int)(n % Np), problem->node_x[n]);
    memcpy(problem->x[space->number[n]], problem->node_x[n], sizeof problem->x[0]);
  }
  for (int d = 0; d < 3 && space->shared != NULL; d++) {
    for (size_t i = 0; i < space->count; i++) problem->values[i] = mx_heat_counts(problem, i) ? problem->x[i][d] : 0;
    dg_space_sum(space, problem->values);
    for (size_t i = 0; i < space->count; i++) problem->x[i][d] = problem->values[i];
  }
  return dg_space_error(space, err);
}

static int make_moment(struct mx_heat_moment *moment, const struct mx_heat_problem *problem, struct dg_error *err)
{
  moment->t = NAN;
  if (DG_NEW(moment->load, problem->space.count, err) != 0) return err->code;
  return DG_NEW(moment->wall, problem->heat->walls, err);
}

static int make_moments(struct mx_heat_problem *problem, struct dg_error *err)
{
  const struct mx_heat_config *heat = problem->heat;
  for (size_t i = 0; i < heat->sources; i++)
    problem->varies = problem->varies || heat->source[i].density.function != NULL;
  for (size_t w = 0; w < heat->walls; w++)
    problem->varies = problem->varies || (heat->wall[w].kind != MX_HEAT_HELD && heat->wall[w].value.function != NULL);
  if (make_moment(&problem->constant, problem, err) != 0) return err->code;
  for (int m = 0; m < MX_HEAT_MOMENTS && problem->varies; m++)
    if (make_moment(&problem->moment[m], problem, err) != 0) return err->code;
  return 0;
}

static int make_arrays(struct mx_heat_problem *problem, struct dg_error *err)
{
  const size_t n = problem->space.count, all = problem->body->mesh.K * (size_t)problem->space.ref.Np;
  if (DG_NEW(problem->holder, n, err) != 0 || DG_NEW(problem->held, n, err) != 0 ||
      DG_NEW(problem->diagonal_mass, n, err) != 0 || DG_NEW(problem->diagonal_rest, n, err) != 0 ||
      DG_NEW(problem->of_one, n, err) != 0 || DG_NEW(problem->blood_of_one, n, err) != 0 ||
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

static void make_sums(struct mx_heat_problem *problem)
{
  double *one = problem->nodal; /* as a function of unknowns, of which there are fewer */
  for (size_t i = 0; i < problem->space.count; i++) one[i] = 1;
  dg_elliptic_apply(problem->op, (struct dg_elliptic_weights){.mass = 1}, one, problem->of_one);
  if (problem->blood == NULL) return;
  dg_elliptic_apply(problem->blood, (struct dg_elliptic_weights){.mass = 1}, one, problem->blood_of_one);
}

int mx_heat_problem_init(struct mx_heat_problem *problem, const struct mx_config *config,
                         const struct mx_heat_body *body, struct dg_error *err)
{
  *problem = (struct mx_heat_problem){.config = config, .heat = config->heat, .body = body};
  if (find_parts(problem, err) != 0 ||
      dg_space_init(&problem->space, &body->mesh, body->comm, config->heat->order, 0, NULL, err) != 0 ||
      dg_space_total(&problem->space, &problem->unknowns, err) != 0 || make_arrays(problem, err) != 0 ||
      make_moments(problem, err) != 0 ||
      mx_heat_faces_init(&problem->faces, &problem->space, config->heat, body, err) != 0 ||
      make_operators(problem, err) != 0 || find_held(problem, err) != 0 || find_places(problem, err) != 0)
    return err->code;
  make_diagonals(problem);
  make_sums(problem);
  return dg_space_error(&problem->space, err);
}

static void release_moment(struct mx_heat_moment *moment)
{
  dg_free(moment->load);
  dg_free(moment->wall);
}

void mx_heat_problem_release(struct mx_heat_problem *problem)
{
  mx_turns_release(&problem->turns);
  release_moment(&problem->constant);
  for (int m = 0; m < MX_HEAT_MOMENTS; m++) release_moment(&problem->moment[m]);
  dg_elliptic_free(problem->op);
  dg_elliptic_free(problem->blood);
  dg_space_release(&problem->space);
  dg_free(problem->holder);
  dg_free(problem->held);
  mx_heat_faces_release(&problem->faces);
  dg_free(problem->diagonal_mass);
  dg_free(problem->diagonal_rest);
  dg_free(problem->of_one);
  dg_free(problem->blood_of_one);
  dg_free(problem->fixed);
  dg_free(problem->slope);
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

int mx_heat_content(const struct mx_heat_problem *problem, const double *T, double *content, struct dg_error *err)
{
  *content = 0;
  for (size_t i = 0; i < problem->space.count; i++)
    if (mx_heat_counts(problem, i)) *content += problem->of_one[i] * T[i];
  return dg_space_reduce(&problem->space, 1, content, err);
}
