/* Makes the mode of a line: potentials of its conductors, fields, impedance. See tem_mode.h. */
#include "maxwell/sources/tem/tem_mode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "maxwell/problem/problem.h"
#include "maxwell/sources/tem/tem_higher.h"
#include "maxwell/sources/tem/tem_pick.h"
#include "maxwell/sources/tem/tem_solve.h"

/* The fine solution: cells of the face halved once, and LAYERS of cells around places where the field is singular,
 * each RATIO times as large as the one before. What is left of |grad phi|^2 ~ 1/r, the worst case, in the last layer
 * is RATIO^LAYERS of the energy around the place. */
enum { LAYERS = 9, FINE_ORDER = 5 };
static const double RATIO = 0.25;

/* Everything for one mode. */
struct build {
  struct mx_tem_mode *mode;
  const struct mx_port_face *face;
  const struct mx_port_place *place;
  const struct mx_tem_conductors *conductors;
  const struct mx_config *all;
  const struct mx_port_config *config;
  double *epsilon, *inverse_mu; /* [triangles] */
  struct dg_error *err;
};

static int make_plane(const struct build *b, struct dg_plane *plane)
{
  const size_t n = b->face->count;
  int64_t(*vertex)[3] = NULL;
  double(*corner)[3][3] = NULL;
  struct dg_face_map *map = NULL;
  if (DG_NEW(vertex, n, b->err) != 0 || DG_NEW(corner, n, b->err) != 0 || DG_NEW(map, n, b->err) != 0) goto fail;
  for (size_t k = 0; k < n; k++) {
    memcpy(vertex[k], b->face->triangle[k].vertex, sizeof vertex[k]);
    memcpy(corner[k], b->face->triangle[k].corner, sizeof corner[k]);
    map[k] = b->face->triangle[k].map;
  }
  const struct dg_plane_input input = {.triangles = n,
                                       .vertex = (const int64_t(*)[3])vertex,
                                       .corner = (const double(*)[3][3])corner,
                                       .map = map,
                                       .k = b->epsilon,
                                       .edges = b->conductors->edges,
                                       .edge = b->conductors->edge};
  (void)!dg_plane_init(plane, &input, b->err);
fail:
  dg_free(vertex);
  dg_free(corner);
  dg_free(map);
  return b->err->code;
}

static int refine(struct dg_plane *plane, struct dg_error *err)
{
  bool *singular = NULL;
  const int64_t count = plane->vertices;
  if (DG_NEW(singular, count, err) == 0 && dg_plane_singular(plane, singular, err) == 0 &&
      dg_plane_halve(plane, err) == 0)
    (void)!dg_plane_grade(plane, singular, count, LAYERS, RATIO, err);
  dg_free(singular);
  return err->code;
}

/* ---- potentials of the conductors ---- */

static int fail_names(const struct build *b, const char *where, const char *what, const char *name)
{
  char names[240];
  mx_tem_conductor_names(b->conductors, b->place->mesh, names, sizeof names);
  return dg_fail(b->err, DG_INPUT,
                 MX_PLACE "%s.%s: no conductor on the face of this port has a surface in the group '%s'; "
                          "its conductors are %s",
                 MX_AT(where), b->place->what, what, name, names);
}

/* Potentials by name; the other conductors have 0. */
static int take_voltages(const struct build *b)
{
  double *v = b->mode->potential;
  const size_t count = b->conductors->count;
  bool differ = false;
  int status = 0;
  const struct mx_port_voltage **from = NULL; /* [conductors] */
  if (DG_NEW(from, count, b->err) != 0) return b->err->code;
  for (size_t i = 0; i < b->config->voltages && status == 0; i++) {
    const struct mx_port_voltage *voltage = &b->config->voltage[i];
    bool any = false;
    for (size_t c = 0; c < count && status == 0; c++) {
      if (!mx_tem_conductor_in(b->conductors, b->place->mesh, c, voltage->name)) continue;
      if (from[c] != NULL && from[c]->value != voltage->value)
        status = dg_fail(b->err, DG_INPUT, MX_PLACE "%s.voltages: '%s' and '%s' are one conductor, with two potentials",
                         MX_AT(voltage->where), b->place->what, from[c]->name, voltage->name);
      from[c] = voltage;
      v[c] = voltage->value;
      any = true;
    }
    if (status == 0 && !any) status = fail_names(b, voltage->where, "voltages", voltage->name);
  }
  dg_free(from);
  if (status != 0) return status;
  for (size_t c = 1; c < count; c++) differ = differ || v[c] != v[0];
  if (differ) return 0;
  return dg_fail(b->err, DG_INPUT,
                 MX_PLACE "%s.voltages: all conductors have the same potential, %g V: there is no field",
                 MX_AT(b->place->where), b->place->what, v[0]);
}

/* Is conductor a the ground rather than b, which comes before it? The longer one is; of two alike the first, as both
 * ends of a line have one order. */
static bool is_longer(const struct build *b, size_t a, size_t other)
{
  const double alike = 1e-6;
  return b->conductors->length[a] - b->conductors->length[other] > alike * b->conductors->length[a];
}

/* The conductor at potential 0: the one that the script names, that of a port at another end of the line, or the
 * longest. */
static int find_ground(const struct build *b, size_t *ground)
{
  const struct mx_tem_conductors *all = b->conductors;
  *ground = 0;
  if (b->config->ground != NULL) {
    while (*ground < all->count && !mx_tem_conductor_in(all, b->place->mesh, *ground, b->config->ground)) ++*ground;
    return *ground < all->count ? 0 : fail_names(b, b->place->where, "ground", b->config->ground);
  }
  if (all->ground < all->count) {
    *ground = all->ground;
    return 0;
  }
  for (size_t i = 1; i < all->count; i++)
    if (is_longer(b, i, *ground)) *ground = i;
  return 0;
}

/* Refuses modes that the line does not have. */
static int check_mode(const struct build *b)
{
  const int count = (int)b->conductors->count - 1, mode = b->config->tem;
  if (mode > count)
    return dg_fail(b->err, DG_INPUT,
                   MX_PLACE "%s: there is no mode %d of this line: a mode for each conductor beside the "
                            "ground makes %d",
                   MX_AT(b->place->where), b->place->what, mode, count);
  if (mode < 0 && count != 2)
    return dg_fail(b->err, DG_INPUT,
                   MX_PLACE "%s: even and odd modes are those of two conductors beside the ground; "
                            "here there %s %d: say mode = 1 or voltages",
                   MX_AT(b->place->where), b->place->what, count == 1 ? "is" : "are", count);
  return 0;
}

static int choose_potentials(const struct build *b)
{
  size_t ground;
  char names[240];
  if (b->config->voltages > 0) return take_voltages(b);
  if (find_ground(b, &ground) != 0) return b->err->code;
  for (size_t i = 0; i < b->conductors->count; i++) b->mode->potential[i] = i == ground ? 0 : 1;
  if (b->conductors->count == 2 || b->config->tem != 0) return check_mode(b);
  mx_tem_conductor_names(b->conductors, b->place->mesh, names, sizeof names);
  return dg_fail(b->err, DG_INPUT,
                 MX_PLACE "%s: %zu conductors, %s, have several modes: say which (for example: mode = 1, or "
                          "voltages = { strip = 1 }; the others have 0)",
                 MX_AT(b->place->where), b->place->what, b->conductors->count, names);
}

/* ---- solutions ---- */

struct solution {
  double *electric, *magnetic; /* [space.count] */
  double C, K;
};

static int solve(struct mx_tem_solver *solver, const double *potential, struct solution *solution, struct dg_error *err)
{
  const size_t n = solver->space.count;
  if (DG_NEW(solution->electric, n, err) != 0 || DG_NEW(solution->magnetic, n, err) != 0 ||
      mx_tem_solve(solver, 0, potential, solution->electric, err) != 0)
    return err->code;
  if (solver->same) memcpy(solution->magnetic, solution->electric, n * sizeof(double));
  else if (mx_tem_solve(solver, 1, potential, solution->magnetic, err) != 0) return err->code;
  solution->C = mx_tem_product(solver, 0, solution->electric, solution->electric);
  solution->K = mx_tem_product(solver, 1, solution->magnetic, solution->magnetic);
  return 0;
}

/* Potentials of the mode that is wanted among those with matrices C and K of the `count` conductors of signal. */
static int pick(const struct build *b, size_t count, const double *C, const double *K, double *potential)
{
  const double alike = 1e-4; /* of epsilon_eff: modes that close are one to this solver */
  const int wanted = b->config->tem;
  double *v = NULL, *index = NULL;
  size_t i = wanted > 0 ? (size_t)wanted - 1 : 0;
  if (DG_NEW(v, count * count, b->err) != 0 || DG_NEW(index, count, b->err) != 0) goto fail;
  if (mx_tem_modes(count, C, K, v, index, b->err) != 0) goto fail;
  const bool same = index[count - 1] - index[0] < alike * index[0];
  if (same && wanted > 0 && count > 1) {
    (void)dg_fail(b->err, DG_INPUT,
                  MX_PLACE "%s: the modes of this line have one speed, so that numbers do not tell them "
                           "apart: say voltages, or mode = \"even\" or \"odd\"",
                  MX_AT(b->place->where), b->place->what);
    goto fail;
  }
  if (same && wanted < 0) {
    v[0] = v[1] = v[2] = 1;
    v[3] = -1;
  }
  if (wanted < 0) i = (v[0] * v[1] > 0) == (wanted == MX_TEM_EVEN) ? 0 : 1;
  mx_tem_scale(count, v + i * count);
  memcpy(potential, v + i * count, count * sizeof *potential);
fail:
  dg_free(v);
  dg_free(index);
  return b->err->code;
}

/* Makes the matrices of the conductors of signal from 1 V on each in turn, and the potentials of the mode. */
static int find_mode(const struct build *b, struct mx_tem_solver *solver)
{
  const size_t all = b->conductors->count, count = all - 1, n = solver->space.count;
  double *unit = NULL, *phi[2] = {NULL, NULL}, *matrix[2] = {NULL, NULL}, *potential = NULL;
  size_t ground = 0;
  if (DG_NEW(unit, all, b->err) != 0 || DG_NEW(potential, count, b->err) != 0) goto fail;
  while (b->mode->potential[ground] != 0) ground++;
  for (int which = 0; which < 2; which++) {
    if (DG_NEW(phi[which], count * n, b->err) != 0 || DG_NEW(matrix[which], count * count, b->err) != 0) goto fail;
    for (size_t i = 0; i < count; i++) {
      memset(unit, 0, all * sizeof *unit);
      unit[i + (i >= ground)] = 1;
      if (which == 1 && solver->same) memcpy(phi[1] + i * n, phi[0] + i * n, n * sizeof(double));
      else if (mx_tem_solve(solver, which, unit, phi[which] + i * n, b->err) != 0) goto fail;
    }
    for (size_t i = 0; i < count; i++)
      for (size_t j = 0; j < count; j++)
        matrix[which][i * count + j] = mx_tem_product(solver, which, phi[which] + i * n, phi[which] + j * n);
  }
  if (pick(b, count, matrix[0], matrix[1], potential) != 0) goto fail;
  for (size_t i = 0; i < count; i++) b->mode->potential[i + (i >= ground)] = potential[i];
fail:
  dg_free(unit);
  dg_free(potential);
  for (int which = 0; which < 2; which++) {
    dg_free(phi[which]);
    dg_free(matrix[which]);
  }
  return b->err->code;
}

/* Charges q and r of the bodies that a mode has in one proportion: the share of q that is not in it. */
static double unlike(const struct dg_plane_space *space, const double *q_matrix, const double *q_field,
                     const double *r_matrix, const double *r_field, const double *potential, double *scratch)
{
  const size_t n = space->bodies;
  double power[2] = {0, 0}, square = 0, rest = 0;
  double *q = scratch, *r = scratch + space->count;
  dg_plane_apply(space, q_matrix, q_field, q);
  dg_plane_apply(space, r_matrix, r_field, r);
  for (size_t i = 0; i < n; i++) {
    power[0] += potential[i] * q[i];
    power[1] += potential[i] * r[i];
  }
  for (size_t i = 0; i < n; i++) {
    const double off = q[i] - power[0] / power[1] * r[i];
    square += q[i] * q[i];
    rest += off * off;
  }
  return square > 0 ? sqrt(rest / square) : 0;
}

/* Of a mode the charges C v are in proportion to the fluxes K v. In one medium any potentials are, and the currents G v
 * of its losses must be. */
static int compare(const struct build *b, const struct mx_tem_solver *solver, const struct solution *fine)
{
  const struct dg_plane_space *space = &solver->space;
  double *scratch = NULL, *sigma = NULL, *loss = NULL;
  if (b->conductors->count == 2 || (b->config->tem > 0 && !solver->same)) return 0;
  if (DG_NEW(scratch, 2 * space->count, b->err) != 0 || DG_NEW(sigma, b->face->count, b->err) != 0 ||
      DG_NEW(loss, space->row[space->count], b->err) != 0)
    goto fail;
  if (!solver->same) {
    b->mode->mixed =
        unlike(space, solver->value[0], fine->electric, solver->value[1], fine->magnetic, b->mode->potential, scratch);
    goto fail;
  }
  for (size_t k = 0; k < b->face->count; k++) sigma[k] = b->face->triangle[k].sigma;
  if (dg_plane_matrix(space, sigma, loss, b->err) != 0) goto fail;
  b->mode->mixed = unlike(space, loss, fine->electric, solver->value[1], fine->magnetic, b->mode->potential, scratch);
fail:
  dg_free(scratch);
  dg_free(sigma);
  dg_free(loss);
  return b->err->code;
}

/* Impedance and index, on divided cells. */
static int solve_fine(const struct build *b)
{
  struct dg_plane plane = {0};
  struct mx_tem_solver solver = {0};
  struct solution fine = {0};
  if (make_plane(b, &plane) == 0 && refine(&plane, b->err) == 0 &&
      mx_tem_solver_init(&solver, &plane, FINE_ORDER, b->conductors->count, b->epsilon, b->inverse_mu, b->err) == 0 &&
      (b->config->tem == 0 || find_mode(b, &solver) == 0) && solve(&solver, b->mode->potential, &fine, b->err) == 0) {
    b->mode->impedance = MX_ETA0 / sqrt(fine.C * fine.K);
    b->mode->index = sqrt(fine.C / fine.K);
    b->mode->K = fine.K;
    const struct mx_tem_losses_input losses = {.face = b->face,
                                               .conductors = b->conductors,
                                               .config = b->all,
                                               .space = &solver.space,
                                               .electric = fine.electric,
                                               .magnetic = fine.magnetic,
                                               .K = fine.K};
    if (compare(b, &solver, &fine) == 0) (void)!mx_tem_losses_init(&b->mode->losses, &losses, b->err);
  }
  dg_free(fine.electric);
  dg_free(fine.magnetic);
  mx_tem_solver_release(&solver);
  dg_plane_release(&plane);
  return b->err->code;
}

/* The integral of |grad A / mu_r|^2. */
static double square_of_H(const struct mx_tem_mode *mode)
{
  const struct dg_rule *rule = &mode->space.rule;
  double sum = 0;
  for (size_t k = 0; k < mode->plane.cells; k++)
    for (size_t q = 0; q < (size_t)rule->points; q++) {
      double x[3], t[2][3], n[3], slope[3];
      dg_plane_at(&mode->plane, &mode->plane.cell[k], rule->place[q], x, t);
      dg_plane_gradient(&mode->space, k, rule->place[q], mode->magnetic, slope);
      dg_cross(t[0], t[1], n);
      sum += 2 * rule->weight[q] * sqrt(dg_dot(n, n)) * dg_dot(slope, slope) / (mode->mu[k] * mode->mu[k]);
    }
  return sum;
}

/* The fields that polynomials on the face's triangles hold, as the mesh knows the line. */
static int solve_shape(const struct build *b, int order)
{
  struct mx_tem_mode *mode = b->mode;
  struct mx_tem_solver solver = {0};
  struct solution shape = {0};
  if (make_plane(b, &mode->plane) == 0 &&
      mx_tem_solver_init(&solver, &mode->plane, order, b->conductors->count, b->epsilon, b->inverse_mu, b->err) == 0 &&
      solve(&solver, mode->potential, &shape, b->err) == 0) {
    mode->coarse = MX_ETA0 / sqrt(shape.C * shape.K);
    mode->own_index = sqrt(shape.C / shape.K);
    mode->electric = shape.electric;
    mode->magnetic = shape.magnetic;
    mode->space = solver.space;
    mode->wall = shape.K / (mode->own_index * square_of_H(mode));
    mode->overlap = mode->wall * mode->own_index * mode->K;
    solver.space = (struct dg_plane_space){0};
    shape = (struct solution){0};
  }
  dg_free(shape.electric);
  dg_free(shape.magnetic);
  mx_tem_solver_release(&solver);
  return b->err->code;
}

static bool has_open_walls(const struct mx_config *config)
{
  for (size_t i = 0; i < config->boundaries; i++) {
    const enum mx_boundary_kind kind = config->boundary[i].kind;
    if (mx_is_open(kind) && !mx_is_port(kind)) return true;
  }
  return config->layers > 0;
}

int mx_tem_mode_init(struct mx_tem_mode *mode, const struct mx_port_face *face, const struct mx_port_place *place,
                     const struct mx_tem_conductors *conductors, const struct mx_config *all,
                     const struct mx_port_config *config, int order, struct dg_error *err)
{
  struct build b = {
      .mode = mode, .face = face, .place = place, .conductors = conductors, .all = all, .config = config, .err = err};
  *mode = (struct mx_tem_mode){.conductors = conductors->count};
  if (DG_NEW(b.epsilon, face->count, err) != 0 || DG_NEW(b.inverse_mu, face->count, err) != 0 ||
      DG_NEW(mode->mu, face->count, err) != 0 || DG_NEW(mode->potential, conductors->count, err) != 0)
    goto fail;
  for (size_t k = 0; k < face->count; k++) {
    b.epsilon[k] = face->triangle[k].epsilon;
    mode->mu[k] = face->triangle[k].mu;
    b.inverse_mu[k] = 1 / mode->mu[k];
  }
  if (choose_potentials(&b) == 0 && solve_fine(&b) == 0 &&
      solve_shape(&b, order < DG_ORDER_MAX ? order + 1 : order) == 0 && all->output.s_parameters.count > 0)
    (void)!mx_tem_range_init(&mode->range, mode, b.epsilon, has_open_walls(all), err);
  if (err->code != 0) (void)dg_context(err, "for %s", place->what);
fail:
  dg_free(b.epsilon);
  dg_free(b.inverse_mu);
  return err->code;
}

void mx_tem_mode_release(struct mx_tem_mode *mode)
{
  dg_free(mode->potential);
  dg_free(mode->electric);
  dg_free(mode->magnetic);
  dg_free(mode->mu);
  mx_line_losses_release(&mode->losses);
  dg_plane_space_release(&mode->space);
  dg_plane_release(&mode->plane);
  *mode = (struct mx_tem_mode){0};
}

void mx_tem_mode_at(const struct mx_tem_mode *mode, size_t triangle, const double bary[3], double E[3], double G[3])
{
  double phi[3], A[3];
  dg_plane_gradient(&mode->space, triangle, bary, mode->electric, phi);
  dg_plane_gradient(&mode->space, triangle, bary, mode->magnetic, A);
  for (int c = 0; c < 3; c++) {
    E[c] = -phi[c];
    G[c] = -mode->wall * mode->own_index / mode->mu[triangle] * A[c];
  }
}

void mx_tem_mode_describe(const struct mx_tem_mode *mode, const struct mx_tem_conductors *conductors,
                          const struct dg_mesh *mesh, char *text, size_t size)
{
  size_t used = 0;
  for (size_t i = 0; i < conductors->count && used < size; i++) {
    char name[128];
    mx_tem_conductor_name(conductors, mesh, i, name, sizeof name);
    used += (size_t)snprintf(text + used, size - used, "%s%s at %.4g V", i == 0 ? "" : ", ", name, mode->potential[i]);
  }
  if (used < size)
    snprintf(text + used, size - used, ": %.6g ohm, epsilon_eff %.6g (on this mesh %.6g ohm, %.6g)", mode->impedance,
             mode->index * mode->index, mode->coarse, mode->own_index * mode->own_index);
}
