/* Charges in space, and the forces on conductors: clouds.h. */
#include "maxwell/statics/clouds.h"

#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/ref/rule.h"
#include "maxwell/model/selectors.h"
#include "maxwell/shell/function.h"

/* ---- charges */

static const struct mx_selector *cloud_of(const struct mx_config *config, size_t i)
{
  return &config->initial.statics.cloud[i].where;
}

static int fill(double *density, const struct mx_statics_place *place, const struct dg_space *space, const int *choice,
                double (*x)[3], struct dg_error *err)
{
  const size_t Np = (size_t)space->ref.Np;
  for (size_t e = 0; e < place->mesh->K; e++) {
    const int chosen = choice[place->mesh->volume[e]];
    if (chosen < 0) continue;
    const struct mx_cloud_config *cloud = &place->config->initial.statics.cloud[chosen];
    for (size_t i = 0; i < Np; i++) {
      density[e * Np + i] = cloud->value;
      dg_space_point(space, e, (int)i, x[i]);
    }
    const struct mx_places at = {
        .what = "initial.statics.density", .count = Np, .x = (const double(*)[3])x, .components = 1};
    if (cloud->function != NULL && mx_function_values(cloud->function, &at, density + e * Np, err) != 0)
      return err->code;
  }
  return 0;
}

int mx_clouds_find(double **density, const struct mx_statics_place *place, const struct dg_space *space,
                   struct dg_error *err)
{
  const size_t clouds = place->config->initial.statics.clouds, Np = (size_t)space->ref.Np;
  int *choice = NULL;
  double(*x)[3] = NULL;
  *density = NULL;
  if (clouds == 0) return 0;
  if (DG_NEW(*density, place->mesh->K * Np, err) == 0 && DG_NEW(choice, place->mesh->entities, err) == 0 &&
      DG_NEW(x, Np, err) == 0 &&
      mx_choose(choice, place->config, place->mesh, "initial.statics.density", 3, clouds, cloud_of, err) == 0)
    (void)fill(*density, place, space, choice, x, err);
  dg_free(choice);
  dg_free(x);
  return err->code;
}

/* ---- forces */

/* What the integrals of all elements share. */
struct stress {
  const struct mx_statics_place *place;
  const struct dg_space *space;
  const double *phi, *density;
  struct dg_quadrature rule;
  double *slope; /* [Nq][3][Np] derivatives along r, s and t at the points from values at the nodes */
};

/* grad phi in reference coordinates at each point. */
static int make_slope(struct stress *stress, struct dg_error *err)
{
  const struct dg_reference *ref = &stress->space->ref;
  const size_t Np = (size_t)ref->Np, Nq = (size_t)stress->rule.volume.points;
  if (DG_NEW(stress->slope, Nq * 3 * Np, err) != 0) return err->code;
  for (size_t k = 0; k < Nq; k++)
    for (size_t a = 0; a < 3; a++)
      for (size_t i = 0; i < Np; i++)
        for (size_t j = 0; j < Np; j++)
          stress->slope[(k * 3 + a) * Np + j] += stress->rule.at[k * Np + i] * ref->D[a][i * Np + j];
  return 0;
}

/* D over epsilon0 at a place of an element. */
static void displace(const struct mx_problem *problem, size_t e, const double E[3], double D[3])
{
  static const int order[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}; /* in a tensor: xx xy xz yy yz zz */
  const struct mx_tensor *tensor = mx_tensor_of(problem, e);
  for (int a = 0; a < 3; a++) {
    D[a] = problem->epsilon[e] * E[a];
    if (tensor == NULL) continue;
    D[a] = 0;
    for (int b = 0; b < 3; b++) D[a] += problem->epsilon[e] * tensor->shape[MX_AMPERE][order[a][b]] * E[b];
  }
}

/* Adds - (T grad g + g rho E) times `volume` at the k-th point of an element. */
static void add_point(const struct stress *stress, size_t e, size_t k, const double held[4], double volume,
                      const double R[3][3], double force[3])
{
  const size_t Np = (size_t)stress->space->ref.Np;
  const int32_t *number = stress->space->number + e * Np;
  const double *towards = stress->rule.volume.place[k];
  const double fall[3] = {(held[1] - held[0]) / 2, (held[2] - held[0]) / 2, (held[3] - held[0]) / 2};
  double along[3] = {0}, E[3], D[3], down[3], g = 0, rho = 0;
  for (size_t a = 0; a < 3; a++)
    for (size_t j = 0; j < Np; j++) along[a] += stress->slope[(k * 3 + a) * Np + j] * stress->phi[number[j]];
  for (int c = 0; c < 3; c++) {
    E[c] = -(along[0] * R[0][c] + along[1] * R[1][c] + along[2] * R[2][c]);
    down[c] = fall[0] * R[0][c] + fall[1] * R[1][c] + fall[2] * R[2][c];
  }
  for (int v = 0; v < 4; v++) g += held[v] * towards[v];
  for (size_t j = 0; stress->density != NULL && j < Np; j++)
    rho += stress->rule.at[k * Np + j] * stress->density[e * Np + j];
  displace(stress->place->problem, e, E, D);
  const double E_down = E[0] * down[0] + E[1] * down[1] + E[2] * down[2];
  const double half = 0.5 * (D[0] * E[0] + D[1] * E[1] + D[2] * E[2]);
  for (int c = 0; c < 3; c++) force[c] -= volume * (MX_EPSILON0 * (D[c] * E_down - half * down[c]) + g * rho * E[c]);
}

static double determinant(const double m[3][3])
{
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* held: 1 at the vertices that are the conductor's. */
static void add_element(const struct stress *stress, size_t e, const double held[4], double force[3])
{
  for (size_t k = 0; k < (size_t)stress->rule.volume.points; k++) {
    double R[3][3];
    dg_elliptic_metric_at(stress->space->mesh, e, stress->rule.place[k], R);
    const double inverse = determinant((const double(*)[3])R), size = inverse < 0 ? -inverse : inverse;
    /* the reference element has a volume of 4/3 */
    add_point(stress, e, k, held, 4.0 / 3 * stress->rule.volume.weight[k] / size, (const double(*)[3])R, force);
  }
}

/* The unknowns of the vertices of an element. */
static void corners(const struct dg_seat *seat, int Np, const int32_t *number, size_t corner[4])
{
  for (int i = 0; i < Np; i++)
    if (seat[i].dim == 0) corner[seat[i].entity] = (size_t)number[i];
}

static void add_all(const struct stress *stress, size_t bodies, const struct dg_seat *seat, double *force)
{
  const int Np = stress->space->ref.Np;
  for (size_t e = 0; e < stress->space->mesh->K; e++) {
    size_t corner[4] = {0};
    corners(seat, Np, stress->space->number + e * (size_t)Np, corner);
    for (size_t b = 0; b < bodies; b++) {
      const size_t n = dg_space_body(stress->space, b);
      const double held[4] = {corner[0] == n, corner[1] == n, corner[2] == n, corner[3] == n};
      if (held[0] + held[1] + held[2] + held[3] > 0) add_element(stress, e, held, force + 3 * b);
    }
  }
}

int mx_statics_forces(struct mx_statics *statics, const struct mx_statics_place *place, const struct dg_space *space,
                      const double *phi, const double *density, struct dg_error *err)
{
  struct stress stress = {.place = place, .space = space, .phi = phi, .density = density};
  struct dg_seat seat[DG_NP_MAX];
  double *force = NULL;
  if (DG_NEW(force, 3 * statics->conductors, err) == 0 && dg_quadrature_init(&stress.rule, &space->ref, err) == 0 &&
      make_slope(&stress, err) == 0) {
    dg_space_seats(&space->ref, seat);
    add_all(&stress, statics->conductors, seat, force);
  }
  if (err->code == 0 && dg_space_reduce(space, 3 * statics->conductors, force, err) == 0)
    for (size_t i = 0; i < statics->conductors; i++)
      memcpy(statics->conductor[i].force, force + 3 * i, 3 * sizeof *force);
  dg_quadrature_release(&stress.rule);
  dg_free(stress.slope);
  dg_free(force);
  return err->code;
}
