/* Power through surfaces, and power lost in regions. */
#include <math.h>
#include <stdio.h>

#include "libdg/base/memory.h"
#include "maxwell/run/measure.h"
#include "maxwell/select.h"

#define ALONG_LIMIT 1e-6 /* a direction whose part across the face is less than this lies along the face */

static const char *key_of(const struct mx_measure *measure)
{
  return measure->config->kind == MX_POYNTING ? "output.fluxes" : "output.losses";
}

/* A face inside counts once, from its element with the lower index. */
static bool on_surface(const struct mx_measure *measure, const struct dg_mesh *mesh, size_t e, int f)
{
  int32_t surface = mesh->surface[e][f], beyond = mesh->neighbour[e][f];
  return surface >= 0 && mx_selector_fit(&measure->config->on, mesh, (size_t)surface) > 0 &&
         (beyond == DG_BOUNDARY || (size_t)(beyond / 4) > e);
}

/* The face's normal, turned to the side of the given direction. */
static int orient(const struct mx_measure *measure, struct mx_measure_face *face, const double normal[3],
                  const double at[3], struct dg_error *err)
{
  const struct mx_measure_config *config = measure->config;
  const double *d = config->direction;
  double across = normal[0] * d[0] + normal[1] * d[1] + normal[2] * d[2];
  if (!config->has_direction && face->sides == 2)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "output.fluxes: 'direction' is missing in '%s', whose surface lies inside the domain (for "
                            "example: direction = { %g, %g, %g })",
                   MX_AT(config->where), config->name, round(1e3 * normal[0]) / 1e3 + 0.0,
                   round(1e3 * normal[1]) / 1e3 + 0.0, round(1e3 * normal[2]) / 1e3 + 0.0);
  if (config->has_direction && fabs(across) < ALONG_LIMIT)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "output.fluxes: 'direction' of '%s' lies along its surface at (%g, %g, %g) m; it must say "
                            "which side is positive",
                   MX_AT(config->where), config->name, at[0], at[1], at[2]);
  for (int c = 0; c < 3; c++) face->normal[c] = config->has_direction && across < 0 ? -normal[c] : normal[c];
  return 0;
}

static int add_face(struct mx_measure *measure, const struct mx_problem *problem, const struct dg_mesh *mesh, size_t e,
                    int f, struct dg_error *err)
{
  const struct dg_reference *ref = problem->ref;
  struct mx_measure_face *face = &measure->face[measure->faces++];
  int32_t beyond = mesh->neighbour[e][f];
  double at[3] = {0};
  for (int i = 0; i < 4; i++)
    for (int d = 0; d < 3; d++) at[d] += i == f ? 0 : mesh->vertex[mesh->element[e][i]][d] / 3;
  face->jacobian = problem->face_scale[e][f] * problem->jacobian[e];
  face->sides = beyond == DG_BOUNDARY ? 1 : 2;
  if (orient(measure, face, problem->normal[e][f], at, err) != 0) return err->code;
  for (int side = 0; side < face->sides; side++) {
    size_t element = side == 0 ? e : (size_t)(beyond / 4);
    const int *node = ref->face_node + (side == 0 ? f : beyond % 4) * ref->Nf;
    for (int m = 0; m < ref->Nf; m++)
      measure->point[measure->nodes++] = (struct mx_point){.element = element, .node = (size_t)node[m]};
  }
  return 0;
}

int mx_measure_surface(struct mx_measure *measure, const struct mx_problem *problem, const struct dg_mesh *mesh,
                       struct dg_error *err)
{
  size_t faces = 0;
  if (mx_check_selector(mesh, key_of(measure), &measure->config->on, 2, err) != 0) return err->code;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) faces += on_surface(measure, mesh, e, f);
  if (DG_NEW(measure->face, faces, err) != 0 || DG_NEW(measure->point, 2 * (size_t)problem->ref->Nf * faces, err) != 0)
    return err->code;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++)
      if (on_surface(measure, mesh, e, f) && add_face(measure, problem, mesh, e, f, err) != 0) return err->code;
  return 0;
}

double mx_measure_power(const struct mx_measure *measure, const struct dg_reference *ref, const double (*sample)[6])
{
  size_t Nf = (size_t)ref->Nf;
  double power = 0;
  for (size_t k = 0; k < measure->faces; k++) {
    const struct mx_measure_face *face = &measure->face[k];
    const double *n = face->normal;
    double field[DG_NF_MAX][6], sum = 0;
    for (size_t m = 0; m < Nf; m++)
      for (int c = 0; c < 6; c++)
        field[m][c] = face->sides == 1 ? sample[m][c] : (sample[m][c] + sample[Nf + m][c]) / 2;
    for (size_t i = 0; i < Nf; i++) {
      double H[3] = {0}; /* row i of the mass matrix times H */
      for (size_t j = 0; j < Nf; j++)
        for (int c = 0; c < 3; c++) H[c] += ref->face_mass[i * Nf + j] * field[j][3 + c];
      const double *E = field[i];
      sum +=
          n[0] * (E[1] * H[2] - E[2] * H[1]) + n[1] * (E[2] * H[0] - E[0] * H[2]) + n[2] * (E[0] * H[1] - E[1] * H[0]);
    }
    power += face->jacobian * sum;
    sample += (size_t)face->sides * Nf;
  }
  return power;
}

int mx_measure_region(struct mx_measure *measure, const struct mx_problem *problem, const struct dg_mesh *mesh,
                      struct dg_log *log, struct dg_error *err)
{
  const struct mx_selector *on = &measure->config->on;
  bool conducts = false;
  if (mx_check_selector(mesh, key_of(measure), on, 3, err) != 0) return err->code;
  for (size_t e = 0; e < mesh->K; e++) measure->elements += mx_selector_fit(on, mesh, (size_t)mesh->volume[e]) > 0;
  if (DG_NEW(measure->element, measure->elements, err) != 0) return err->code;
  for (size_t e = 0, k = 0; e < mesh->K; e++) {
    if (mx_selector_fit(on, mesh, (size_t)mesh->volume[e]) == 0) continue;
    measure->element[k++] = (int32_t)e;
    conducts = conducts || problem->sigma[e] > 0;
  }
  if (!conducts)
    dg_log_warning(log, "output.losses: nothing in the region of '%s' conducts; its power stays zero",
                   measure->config->name);
  return 0;
}
