/* The release of an assignment, which mx_problem_init makes, its sheets of metal, and media that change with the
 * temperature: problem_build.c asks for them. */
#include "maxwell/problem/assignment.h"

#include "libdg/base/memory.h"
#include "libdg/geometry/geometry.h"
#include "maxwell/model/media/warm.h"
#include "maxwell/model/selectors.h"

void mx_assignment_release(struct mx_assignment *assignment)
{
  dg_free(assignment->material);
  dg_free(assignment->boundary);
  dg_free(assignment->interface);
  dg_free(assignment->layer);
  dg_free(assignment->absorber);
  *assignment = (struct mx_assignment){0};
}

/* The values of a material's key at its elements, in natural units. */
static int assign_key(struct mx_problem *problem, const struct mx_assignment *assignment,
                      const struct mx_config *config, int m, enum mx_warm_key key, const double *temperature,
                      struct dg_error *err)
{
  const struct mx_material_config *material = &config->material[m];
  double *array = key == MX_WARM_EPSILON ? problem->epsilon : problem->sigma, *T = NULL, *value = NULL;
  size_t count = 0, n = 0;
  if (DG_NEW(T, problem->K, err) != 0 || DG_NEW(value, problem->K, err) != 0) goto fail;
  for (size_t e = 0; e < problem->K; e++)
    if (assignment->material[e] == m) T[count++] = temperature[e];
  if (mx_warm_values(material, key, count, T, value, err) != 0 ||
      mx_warm_repeat(material, key, count, T, value, err) != 0)
    goto fail;
  for (size_t e = 0; e < problem->K; e++)
    if (assignment->material[e] == m) array[e] = value[n++] * (key == MX_WARM_SIGMA ? MX_ETA0 : 1);
fail:
  dg_free(T);
  dg_free(value);
  return err->code;
}

int mx_assign_warm(struct mx_problem *problem, const struct mx_assignment *assignment, const struct mx_config *config,
                   const double *temperature, struct dg_error *err)
{
  for (size_t e = 0; e < problem->K; e++) problem->warm[e] = mx_is_warm(&config->material[assignment->material[e]]);
  for (size_t m = 0; m < config->materials; m++) {
    const struct mx_material_config *material = &config->material[m];
    if (!mx_is_warm(material)) continue;
    if (temperature == NULL)
      return dg_fail(err, DG_INPUT, MX_PLACE "with_temperature: nobody knows the temperature here",
                     MX_AT(material->warm.where));
    for (int key = 0; key < MX_WARM_KEYS; key++)
      if (material->warm.key[key].given &&
          assign_key(problem, assignment, config, (int)m, (enum mx_warm_key)key, temperature, err) != 0)
        return err->code;
  }
  return 0;
}

int mx_refuse_media(const struct mx_problem *problem, const struct mx_assignment *assignment,
                    const struct mx_config *config, const struct dg_mesh *mesh, struct dg_error *err)
{
  for (size_t e = 0, k = 0; e < problem->K; e++) {
    const struct mx_material_config *material = &config->material[assignment->material[e]];
    const bool curved = k < problem->curves.count && (size_t)problem->curves.where[k] == e, warm = problem->warm[e];
    const char *what =
        curved && !warm ? "curved elements are not there yet (mesh.geometry = 1 makes them straight)" : NULL;
    k += curved;
    if (!warm && problem->tensor[e] == 0 && !(curved && (material->gyrotropic.given || material->ferrite.given)))
      continue;
    if (assignment->layer[e] >= 0 || assignment->absorber[e] >= 0)
      what = "perfectly matched layers and absorbers are not there yet: end the medium before the layer";
    for (int f = 0; f < 4 && !warm; f++) {
      const int wall = assignment->boundary[e][f];
      if (wall < 0) continue;
      const enum mx_behind behind = mx_walls[config->boundary[wall].kind].behind;
      if (behind == MX_BEHIND_MEDIUM || behind == MX_BEHIND_GAP)
        what = "absorbing walls, waves through walls and ports are not there yet, since the medium has no single "
               "impedance: end the medium before the wall";
    }
    if (what == NULL) continue;
    char name[128];
    double x[3];
    mx_selector_name(&material->where, name, sizeof name);
    dg_geometry_barycentre(mesh, e, x);
    return dg_fail(err, DG_INPUT, MX_PLACE "materials.%s %s near (%g, %g, %g) m, where %s",
                   MX_AT(material->where.where), name,
                   warm                      ? "changes with the temperature"
                   : problem->tensor[e] > 0  ? "is a tensor"
                   : material->ferrite.given ? "is a ferrite"
                                             : "is gyrotropic",
                   x[0], x[1], x[2], what);
  }
  return 0;
}

ptrdiff_t mx_metal_between(const struct mx_assignment *assignment, const struct mx_config *config,
                           const struct dg_mesh *mesh, size_t e, int f)
{
  const int surface = mesh->surface[e][f], key = surface >= 0 ? assignment->interface[surface] : -1;
  if (assignment->boundary[e][f] != MX_SHEET || key < 0 || config->interface[key].kind != MX_METAL_SHEET) return -1;
  return (ptrdiff_t)config->boundaries + key;
}
