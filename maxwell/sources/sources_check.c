/* Errors of sources that cannot be meant: surfaces of total field that are not closed, waves that go out of the domain,
 * profiles without a tangential part. sources_build.c calls it. */
#include "maxwell/sources/sources_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "maxwell/sources/faces/edges.h"
#include "maxwell/model/selectors.h"

static void centre_of_face(const struct dg_mesh *mesh, size_t e, int f, double x[3])
{
  for (int c = 0; c < 3; c++) x[c] = 0;
  for (int i = 0; i < 4; i++)
    for (int c = 0; c < 3 && i != f; c++) x[c] += mesh->vertex[mesh->element[e][i]][c] / 3;
}

static void name_interface(const struct mx_interface_config *config, char what[160])
{
  char name[128];
  mx_selector_name(&config->where, name, sizeof name);
  snprintf(what, 160, "interfaces.%s", name);
}

static bool same_numbers(const double *a, const double *b, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (fabs(a[i] - b[i]) > 1e-12 * fmax(fabs(a[i]), fabs(b[i]))) return false;
  return true;
}

bool mx_same_wave(const struct mx_plane_wave *a, const struct mx_plane_wave *b)
{
  const double one[] = {a->amplitude, a->delay}, other[] = {b->amplitude, b->delay};
  return a->has_origin && b->has_origin && same_numbers(a->origin, b->origin, 3) &&
         same_numbers(a->direction, b->direction, 3) && same_numbers(a->polarisation, b->polarisation, 3) &&
         same_numbers(one, other, 2) && mx_waveform_same(&a->waveform, &b->waveform);
}

/* Refuses a surface with gaps: every face between the region and the rest must carry the jump. */
static int check_border(const struct mx_source_check *check, size_t index, const int *choice, struct dg_error *err)
{
  const struct dg_mesh *mesh = check->mesh;
  const struct mx_interface_config *config = &check->config->interface[index];
  char what[160], inside[128];
  name_interface(config, what);
  mx_selector_name(&config->inside, inside, sizeof inside);
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      const int32_t code = mesh->neighbour[e][f];
      if (code < 0 || dg_mesh_in_layer(mesh, e) || dg_mesh_is_wall(mesh, e, f) ||
          mx_selector_fit(&config->inside, mesh, (size_t)mesh->volume[e]) == 0 ||
          mx_selector_fit(&config->inside, mesh, (size_t)mesh->volume[code / 4]) > 0)
        continue;
      const int surface = mesh->surface[e][f], chosen = surface < 0 ? -1 : choice[surface];
      if (chosen == (int)index) continue;
      double x[3];
      centre_of_face(mesh, e, f, x);
      if (chosen < 0 || check->config->interface[chosen].kind != MX_TOTAL_FIELD)
        return dg_fail(err, DG_INPUT,
                       MX_PLACE "%s is not closed: near (%g, %g, %g) m the region '%s' of total field ends, and the "
                                "surface is not there; it must be on all of the region's border inside the domain",
                       MX_AT(config->where.where), what, x[0], x[1], x[2], inside);
      if (!mx_same_wave(&config->wave, &check->config->interface[chosen].wave))
        return dg_fail(err, DG_INPUT,
                       MX_PLACE "%s: near (%g, %g, %g) m another wave comes into its region '%s'; the parts of a "
                                "surface need the same wave with the same origin",
                       MX_AT(config->where.where), what, x[0], x[1], x[2], inside);
    }
  return 0;
}

/* Makes *edge: the sorted edges of all ranks' faces on the interface. */
static int find_edges(const struct mx_source_check *check, size_t index, const int *choice, struct mx_edge **edge,
                      size_t *count, struct dg_error *err)
{
  const struct dg_mesh *mesh = check->mesh;
  struct mx_edge *own = NULL;
  int64_t faces[2] = {0, 0};
  *edge = NULL;
  for (int pass = 0; pass < 2; pass++) {
    size_t n = 0;
    for (size_t e = 0; e < mesh->K; e++)
      for (int f = 0; f < 4; f++) {
        if (mesh->surface[e][f] < 0 || choice[mesh->surface[e][f]] != (int)index) continue;
        if (pass == 1) mx_edges_of_face(mesh, e, f, own + 3 * n);
        n++;
      }
    faces[0] = (int64_t)n;
    if (pass == 0 && DG_NEW(own, 3 * n, err) != 0) return err->code;
  }
  faces[1] = faces[0];
  if (dg_comm_reduce_int(check->problem->comm, DG_SUM, 1, &faces[1], err) != 0 ||
      dg_comm_share(check->problem->comm, 3 * (size_t)faces[0] * sizeof *own, own, edge, NULL, err) != 0)
    goto fail;
  *count = 3 * (size_t)faces[1];
  if (*count > 0) qsort(*edge, *count, sizeof **edge, mx_compare_edges);
fail:
  dg_free(own);
  return err->code;
}

double mx_wave_misfit(const struct mx_plane_wave *wave, const double n[3], double impedance)
{
  double h[3], e_t[3], h_n[3], square = 0;
  const double normal = dg_dot(wave->polarisation, n);
  dg_cross(wave->direction, wave->polarisation, h);
  dg_cross(h, n, h_n);
  if (isinf(impedance)) return sqrt(dg_dot(h_n, h_n));
  for (int c = 0; c < 3; c++) {
    e_t[c] = wave->polarisation[c] - normal * n[c] - impedance * h_n[c];
    square += e_t[c] * e_t[c];
  }
  return sqrt(square) / (1 + impedance);
}

double mx_wave_wall(const struct mx_source_check *check, size_t e, int f, const char **name)
{
  const int index = check->assignment->boundary[e][f];
  const double own = sqrt(check->problem->mu[e] / check->problem->epsilon[e]);
  const enum mx_boundary_kind kind = index < 0 ? MX_PEC : check->config->boundary[index].kind;
  const double given = index < 0 ? 0 : check->config->boundary[index].impedance / MX_ETA0;
  *name = mx_boundary_kind_names[kind];
  return mx_wall_impedance(kind, given, own) / own;
}

/* Refuses walls at the rim of the surface that are not planes of symmetry of the wave. */
static int check_rim(const struct mx_source_check *check, size_t index, const int *choice, struct dg_error *err)
{
  const struct dg_mesh *mesh = check->mesh;
  const struct mx_interface_config *config = &check->config->interface[index];
  const double close = 1e-3; /* share of the wave; curved walls are made of flat faces */
  struct mx_edge *edge = NULL;
  size_t count = 0;
  if (find_edges(check, index, choice, &edge, &count, err) != 0) goto fail;
  for (size_t e = 0; e < mesh->K && count > 0; e++)
    for (int f = 0; f < 4; f++) {
      struct mx_edge own[3];
      const char *kind;
      bool touches = false;
      if (mesh->neighbour[e][f] >= 0) continue;
      mx_edges_of_face(mesh, e, f, own);
      for (int i = 0; i < 3; i++)
        touches = touches || bsearch(&own[i], edge, count, sizeof *edge, mx_compare_edges) != NULL;
      if (!touches) continue;
      const double off = mx_wave_misfit(&config->wave, check->problem->normal[e][f], mx_wave_wall(check, e, f, &kind));
      if (off <= close) continue;
      double x[3];
      char what[160];
      centre_of_face(mesh, e, f, x);
      name_interface(config, what);
      (void)dg_fail(err, DG_INPUT,
                    MX_PLACE "%s ends on the outer boundary near (%g, %g, %g) m, where the wall (%s) is no plane of "
                             "symmetry of the wave: alone it misses the wall's condition by %.3g of its field. Close "
                             "the surface, or end it on walls that the wave runs along",
                    MX_AT(config->where.where), what, x[0], x[1], x[2], kind, off);
      goto fail;
    }
fail:
  dg_free(edge);
  return err->code;
}

/* Refuses a wave that is another one at the image of a place: it runs along a period, in part. */
static int check_periods(const struct mx_source_check *check, const struct mx_plane_wave *wave, const char *where,
                         const char *what, struct dg_error *err)
{
  const double along = 1e-6; /* share of a period */
  for (size_t i = 0; i < check->mesh->periods; i++) {
    const double *p = check->mesh->period[i];
    if (fabs(dg_dot(wave->direction, p)) <= along * sqrt(dg_dot(p, p))) continue;
    return dg_fail(err, DG_INPUT,
                   MX_PLACE
                   "%s: the wave reaches the sides that are (%.4g, %.4g, %.4g) m apart one after the other, and "
                   "is not periodic; its direction must be orthogonal to the period",
                   MX_AT(where), what, p[0], p[1], p[2]);
  }
  return 0;
}

int mx_check_total_field(const struct mx_source_check *check, size_t index, const int *choice, struct dg_error *err)
{
  char what[160];
  const struct mx_interface_config *config = &check->config->interface[index];
  name_interface(config, what);
  if (check_periods(check, &config->wave, config->where.where, what, err) != 0) return err->code;
  if (check_border(check, index, choice, err) != 0) return err->code;
  return check_rim(check, index, choice, err);
}

int mx_check_plane_waves(const struct mx_source_check *check, struct dg_error *err)
{
  const struct mx_config *config = check->config;
  const double along = 1e-6; /* below this the wave runs along the face */
  double *entering;
  if (DG_NEW(entering, config->boundaries, err) != 0) return err->code;
  for (size_t i = 0; i < config->boundaries; i++) entering[i] = -INFINITY;
  for (size_t e = 0; e < check->mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      const int index = check->assignment->boundary[e][f];
      if (index < 0 || mx_walls[config->boundary[index].kind].entering != MX_WAVE) continue;
      entering[index] =
          fmax(entering[index], -dg_dot(config->boundary[index].wave.direction, check->problem->normal[e][f]));
    }
  if (dg_comm_reduce(check->problem->comm, DG_MAX, config->boundaries, entering, err) != 0) goto fail;
  for (size_t i = 0; i < config->boundaries; i++) {
    const struct mx_boundary_config *boundary = &config->boundary[i];
    double most = entering[i];
    char name[128], what[160];
    if (mx_walls[boundary->kind].entering != MX_WAVE || isinf(most))
      continue; /* a `default` that nothing is left for */
    mx_selector_name(&boundary->where, name, sizeof name);
    snprintf(what, sizeof what, "boundaries.%s", name);
    if (check_periods(check, &boundary->wave, boundary->where.where, what, err) != 0) break;
    for (size_t j = 0; j < config->boundaries; j++)
      if (mx_walls[config->boundary[j].kind].entering == MX_WAVE &&
          same_numbers(config->boundary[j].wave.direction, boundary->wave.direction, 3))
        most = fmax(most, entering[j]);
    if (most > along) continue;
    const double *d = boundary->wave.direction;
    (void)dg_fail(err, DG_INPUT,
                  MX_PLACE
                  "boundaries.%s: the wave goes along (%.4g, %.4g, %.4g), which leads out of the domain or "
                  "along the surface everywhere on it: nothing comes in. Turn its direction round, or take the "
                  "surface on the other side",
                  MX_AT(boundary->where.where), name, d[0], d[1], d[2]);
    break;
  }
fail:
  dg_free(entering);
  return err->code;
}
