/* Losses of a line from its potentials: see tem_losses.h. */
#include "maxwell/sources/tem/tem_losses.h"

#include <math.h>
#include <stdlib.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/ref/quadrature.h"
#include "maxwell/model/media/metal.h"
#include "maxwell/problem/problem.h"

static const double pi = 3.14159265358979323846;
static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
enum { POINTS = 12 }; /* along a side */

/* The integral of k |grad u|^2, k one number a triangle. */
static int integrate(const struct dg_plane_space *space, const double *k, const double *u, double *integral,
                     struct dg_error *err)
{
  double *value = NULL, *product = NULL;
  *integral = 0;
  if (DG_NEW(value, space->row[space->count], err) == 0 && DG_NEW(product, space->count, err) == 0 &&
      dg_plane_matrix(space, k, value, err) == 0) {
    dg_plane_apply(space, value, u, product);
    for (size_t i = 0; i < space->count; i++) *integral += u[i] * product[i];
  }
  dg_free(value);
  dg_free(product);
  return err->code;
}

static int integrate_media(struct mx_line_losses *losses, const struct mx_tem_losses_input *in, struct dg_error *err)
{
  const struct mx_port_face *face = in->face;
  bool any[2] = {false, false};
  double *k[2] = {NULL, NULL};
  if (DG_NEW(k[0], face->count, err) != 0 || DG_NEW(k[1], face->count, err) != 0) goto fail;
  for (size_t i = 0; i < face->count; i++) {
    const struct mx_port_triangle *triangle = &face->triangle[i];
    k[0][i] = triangle->sigma / MX_ETA0;
    k[1][i] = triangle->sigma_m * MX_ETA0 / (triangle->mu * triangle->mu);
    for (int which = 0; which < 2; which++) any[which] = any[which] || k[which][i] != 0;
  }
  if ((any[0] && integrate(in->space, k[0], in->electric, &losses->conductance, err) != 0) ||
      (any[1] && integrate(in->space, k[1], in->magnetic, &losses->resistance, err) != 0))
    goto fail;
  losses->resistance /= in->K * in->K;
fail:
  dg_free(k[0]);
  dg_free(k[1]);
  return err->code;
}

/* The wall of a cell's side, by the edge of its triangle that it is a part of. */
static int wall_of(const struct mx_tem_losses_input *in, const struct dg_plane_cell *cell, int side)
{
  for (int opposite = 0; opposite < 3; opposite++) {
    int64_t vertex[2];
    if (cell->at[pair[side][0]][opposite] != 0 || cell->at[pair[side][1]][opposite] != 0) continue;
    for (int i = 0, n = 0; i < 3; i++)
      if (i != opposite) vertex[n++] = in->face->triangle[cell->triangle].vertex[i];
    return mx_tem_conductor_wall(in->conductors, vertex);
  }
  return MX_DEFAULT_PEC;
}

/* The integral of |grad A / mu_r|^2 along a side of a cell. */
static double integrate_side(const struct mx_tem_losses_input *in, size_t c, int side)
{
  const struct dg_plane_cell *cell = &in->space->plane->cell[c];
  const int a = pair[side][0], b = pair[side][1];
  const double mu = in->face->triangle[cell->triangle].mu;
  double place[POINTS], weight[POINTS], sum = 0;
  dg_gauss_legendre(POINTS, place, weight);
  for (int q = 0; q < POINTS; q++) {
    double bary[3] = {0, 0, 0}, x[3], t[2][3], along[3], slope[3];
    bary[a] = 1 - place[q];
    bary[b] = place[q];
    dg_plane_at(in->space->plane, cell, bary, x, t); /* t is by 2 bary[1] - 1 and 2 bary[2] - 1 */
    for (int i = 0; i < 3; i++) along[i] = t[0][i] * ((b == 1) - (a == 1)) + t[1][i] * ((b == 2) - (a == 2));
    dg_plane_gradient(in->space, c, bary, in->magnetic, slope);
    sum += 2 * weight[q] * sqrt(dg_dot(along, along)) * dg_dot(slope, slope) / (mu * mu);
  }
  return sum;
}

static bool is_lossy(const struct mx_boundary_config *wall)
{
  return wall->kind == MX_METAL_WALL || wall->kind == MX_IMPEDANCE;
}

static int integrate_walls(struct mx_line_losses *losses, const struct mx_tem_losses_input *in, struct dg_error *err)
{
  const struct dg_plane *plane = in->space->plane;
  const struct mx_config *config = in->config;
  double *shape = NULL; /* [boundaries] */
  if (DG_NEW(shape, config->boundaries, err) != 0 || DG_NEW(losses->wall, config->boundaries, err) != 0) goto fail;
  for (size_t c = 0; c < plane->cells; c++)
    for (int side = 0; side < 3; side++) {
      const struct dg_plane_cell *cell = &plane->cell[c];
      const int64_t vertex[2] = {cell->vertex[pair[side][0]], cell->vertex[pair[side][1]]};
      if (dg_plane_body(plane, vertex) < 0) continue;
      const int wall = wall_of(in, cell, side);
      losses->sheets = losses->sheets || wall == MX_TEM_METAL_SHEET;
      if (wall >= 0 && is_lossy(&config->boundary[wall])) shape[wall] += integrate_side(in, c, side);
    }
  for (size_t i = 0; i < config->boundaries; i++) {
    const struct mx_boundary_config *wall = &config->boundary[i];
    if (shape[i] == 0) continue;
    struct mx_line_wall *own = &losses->wall[losses->walls++];
    own->shape = shape[i] / (in->K * in->K);
    if (wall->kind == MX_METAL_WALL) own->metal = wall->metal;
    else own->impedance = wall->impedance;
  }
fail:
  dg_free(shape);
  return err->code;
}

int mx_tem_losses_init(struct mx_line_losses *losses, const struct mx_tem_losses_input *input, struct dg_error *err)
{
  *losses = (struct mx_line_losses){0};
  if (integrate_media(losses, input, err) != 0) return err->code;
  return integrate_walls(losses, input, err);
}

void mx_line_losses_release(struct mx_line_losses *losses)
{
  dg_free(losses->wall);
  *losses = (struct mx_line_losses){0};
}

bool mx_line_loses(const struct mx_line_losses *losses)
{
  return losses->conductance != 0 || losses->resistance != 0 || losses->walls > 0;
}

double complex mx_line_walls(const struct mx_line_losses *losses, double hertz)
{
  double complex sum = 0;
  for (size_t i = 0; i < losses->walls; i++) {
    const struct mx_line_wall *wall = &losses->wall[i];
    const struct mx_metal_config *metal = &wall->metal;
    double Z[2] = {wall->impedance, 0};
    if (metal->sigma > 0) mx_metal_impedance(MX_MU0 * metal->mu_r, metal->sigma, metal->roughness, 2 * pi * hertz, Z);
    sum += wall->shape * (Z[0] + I * Z[1]);
  }
  return sum;
}

void mx_line_at(const struct mx_line_losses *losses, double impedance, double speed, double hertz,
                double complex *gamma, double complex *Z)
{
  const double w = 2 * pi * hertz;
  const double complex series = losses->resistance + mx_line_walls(losses, hertz) + I * w * impedance / speed,
                       shunt = losses->conductance + I * w / (impedance * speed);
  *gamma = csqrt(series) * csqrt(shunt); /* both lie in the first quadrant */
  *Z = csqrt(series) / csqrt(shunt);
}
