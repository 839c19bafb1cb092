/* Finds the one medium along a surface that may lie on several ranks. port_build.c and sources_build.c call it;
 * common_medium.h says what they get. */
#include "maxwell/sources/common_medium.h"

#include <math.h>
#include <stdio.h>

#include "maxwell/model/config.h"

/* Finds the medium of the element with the lowest number in the whole mesh, among the faces of all ranks. */
static int first_medium(const struct mx_problem *problem, const struct dg_mesh *mesh,
                        const struct mx_surface_faces *faces, double *epsilon, double *mu, struct dg_error *err)
{
  int64_t own = INT64_MAX, lowest;
  double medium[2] = {0, 0};
  for (size_t k = 0; k < faces->count; k++) {
    size_t e = (size_t)faces->where[k] / 4;
    if (dg_mesh_global(mesh, e) >= own) continue;
    own = dg_mesh_global(mesh, e);
    medium[0] = problem->epsilon[e];
    medium[1] = problem->mu[e];
  }
  lowest = own;
  if (dg_comm_reduce_int(problem->comm, DG_MIN, 1, &lowest, err) != 0) return err->code;
  if (own != lowest) medium[0] = medium[1] = 0; /* only one rank gives a summand to the sum below */
  if (dg_comm_reduce(problem->comm, DG_SUM, 2, medium, err) != 0) return err->code;
  *epsilon = medium[0];
  *mu = medium[1];
  return 0;
}

/* The error of a surface that needs one `what` and meets element e, of which `found` tells. */
static int refuse(const struct dg_mesh *mesh, const struct mx_surface_faces *faces, size_t e, const char *what,
                  const char *found, struct dg_error *err)
{
  double x[3];
  dg_geometry_barycentre(mesh, e, x);
  return dg_fail(err, DG_INPUT, MX_PLACE "%s: %s needs one %s along its surface; near (%g, %g, %g) m %s",
                 MX_AT(faces->place), faces->what, faces->who, what, x[0], x[1], x[2], found);
}

static int refuse_warm(const struct mx_problem *problem, const struct dg_mesh *mesh,
                       const struct mx_surface_faces *faces, struct dg_error *err)
{
  for (size_t k = 0; k < faces->count; k++) {
    const size_t e = (size_t)faces->where[k] / 4;
    if (problem->warm[e])
      return refuse(mesh, faces, e, "medium all", "it changes with the temperature. Put it where it does not", err);
  }
  return 0;
}

/* Refuses a medium with a response: its impedance depends on the frequency. */
static int refuse_responses(const struct mx_problem *problem, const struct dg_mesh *mesh,
                            const struct mx_surface_faces *faces, struct dg_error *err)
{
  for (size_t k = 0; k < faces->count; k++) {
    size_t e = (size_t)faces->where[k] / 4, entry;
    const struct mx_response *response = mx_problem_response(problem, e, &entry);
    char text[96], found[192];
    if (response == NULL) continue;
    mx_responses[response->kind]->describe(mx_response_parameter(response, entry), text, sizeof text);
    (void)snprintf(found, sizeof found, "the medium has %s. Put it where the medium has none", text);
    return refuse(mesh, faces, e, "impedance for all frequencies", found, err);
  }
  return 0;
}

static int refuse_tensors(const struct mx_problem *problem, const struct dg_mesh *mesh,
                          const struct mx_surface_faces *faces, struct dg_error *err)
{
  for (size_t k = 0; k < faces->count; k++) {
    const size_t e = (size_t)faces->where[k] / 4;
    if (problem->tensor[e] != 0)
      return refuse(mesh, faces, e, "impedance for all directions",
                    "epsilon_r or mu_r is a tensor. Put it where the medium has none", err);
  }
  return 0;
}

int mx_common_medium(const struct mx_problem *problem, const struct dg_mesh *mesh, const struct mx_surface_faces *faces,
                     double *epsilon, double *mu, struct dg_error *err)
{
  if (refuse_warm(problem, mesh, faces, err) != 0 || first_medium(problem, mesh, faces, epsilon, mu, err) != 0)
    return err->code;
  for (size_t k = 0; k < faces->count; k++) {
    size_t e = (size_t)faces->where[k] / 4;
    if (fabs(problem->epsilon[e] - *epsilon) > 1e-12 * *epsilon || fabs(problem->mu[e] - *mu) > 1e-12 * *mu ||
        mx_relaxation_rate(problem, e) != 0) {
      double x[3];
      dg_geometry_barycentre(mesh, e, x);
      return dg_fail(err, DG_INPUT,
                     MX_PLACE "%s: %s needs one medium without losses all along its surface; near (%g, %g, %g) m there "
                              "is another (epsilon_r = %g, mu_r = %g, sigma = %g S/m, sigma_m = %g ohm/m)",
                     MX_AT(faces->place), faces->what, faces->who, x[0], x[1], x[2], problem->epsilon[e],
                     problem->mu[e], problem->sigma[e] / MX_ETA0, problem->sigma_m[e] * MX_ETA0);
    }
  }
  return mx_plain_media(problem, mesh, faces, err);
}

int mx_plain_media(const struct mx_problem *problem, const struct dg_mesh *mesh, const struct mx_surface_faces *faces,
                   struct dg_error *err)
{
  if (refuse_warm(problem, mesh, faces, err) != 0) return err->code;
  if (refuse_tensors(problem, mesh, faces, err) != 0) return err->code;
  return refuse_responses(problem, mesh, faces, err);
}
