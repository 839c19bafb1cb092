/* The terms of media that turn the fields: gyrotropic ones and ferrites. problem_build.c adds them. */
#include "maxwell/terms/element_terms.h"

#include "maxwell/response/ferrite.h"
#include "maxwell/response/gyrotropic.h"

static bool has_kind(const struct mx_material_config *material, enum mx_response_kind kind)
{
  return kind == MX_FERRITE ? material->ferrite.given : material->gyrotropic.given;
}

/* The parameters of an entry: rad/s become 1/m. */
static void put_parameters(const struct mx_material_config *material, enum mx_response_kind kind, double *to)
{
  const struct mx_gyrotropic_config *charges = &material->gyrotropic;
  const struct mx_ferrite_config *ferrite = &material->ferrite;
  if (kind == MX_FERRITE) {
    to[MX_FERRITE_W0] = ferrite->omega_0 / MX_C0;
    to[MX_FERRITE_WM] = ferrite->omega_m / MX_C0;
    to[MX_FERRITE_ALPHA] = ferrite->damping;
    for (int i = 0; i < 3; i++) to[MX_FERRITE_B + i] = ferrite->direction[i];
    return;
  }
  to[MX_GYRO_WP2] = charges->omega_p * charges->omega_p / (MX_C0 * MX_C0);
  to[MX_GYRO_W02] = charges->omega_0 * charges->omega_0 / (MX_C0 * MX_C0);
  to[MX_GYRO_GAMMA] = charges->gamma / MX_C0;
  for (int i = 0; i < 3; i++) to[MX_GYRO_WC + i] = charges->omega_c[i] / MX_C0;
}

static int assign_kind(struct mx_problem *problem, const struct mx_assignment *assignment,
                       const struct mx_config *config, enum mx_response_kind kind, struct dg_error *err)
{
  struct mx_response *response = NULL;
  size_t count = 0, k = 0;
  bool any = false; /* of all ranks, which add the same responses */
  for (size_t m = 0; m < config->materials; m++) any = any || has_kind(&config->material[m], kind);
  if (!any) return 0;
  for (size_t e = 0; e < problem->K; e++) count += has_kind(&config->material[assignment->material[e]], kind);
  if (mx_problem_add_response(problem, kind, kind == MX_FERRITE, count, &response, err) != 0) return err->code;
  for (size_t e = 0; e < problem->K; e++) {
    const struct mx_material_config *material = &config->material[assignment->material[e]];
    if (!has_kind(material, kind)) continue;
    put_parameters(material, kind, mx_response_parameter(response, k));
    response->where[k++] = (int32_t)e;
  }
  return 0;
}

int mx_assign_turning(struct mx_problem *problem, const struct mx_assignment *assignment,
                      const struct mx_config *config, struct dg_error *err)
{
  if (assign_kind(problem, assignment, config, MX_GYROTROPIC, err) != 0) return err->code;
  return assign_kind(problem, assignment, config, MX_FERRITE, err);
}
