/* Chooses where the fields at t = 0 come from. A run, `curlew check` and the C interface call it when they make a
 * backend.
 */
#include "maxwell/statics/start.h"

#include "libdg/base/memory.h"
#include "maxwell/problem/initial.h"

static int start_statics(const struct mx_statics_place *place, struct mx_statics *statics, double **E,
                         struct dg_error *err)
{
  struct mx_statics own;
  if (mx_statics_solve(&own, place, E, err) != 0) return err->code;
  mx_statics_report(&own, place->log);
  bool sheets = false;
  for (size_t i = 0; i < place->config->interfaces; i++)
    sheets = sheets || place->config->interface[i].kind == MX_RESISTIVE_SHEET ||
             place->config->interface[i].kind == MX_GRAPHENE;
  if (mx_any_loss(place->problem, MX_AMPERE) || sheets)
    dg_log_warning(place->log,
                   "initial.statics: the field is that of dielectrics; where sigma > 0, and on sheets that conduct, "
                   "currents flow from the first step on, and it decays");
  if (statics != NULL) *statics = own;
  else mx_statics_release(&own);
  return 0;
}

int mx_start_fields(const struct mx_statics_place *place, struct mx_statics *statics, double **E, double **H,
                    struct dg_error *err)
{
  if (statics != NULL) *statics = (struct mx_statics){0};
  if (mx_initial_fields(place->config, place->mesh, place->problem->ref, E, H, err) != 0) return err->code;
  if (place->config->initial.statics.conductors == 0 || start_statics(place, statics, E, err) == 0) return 0;
  dg_free(*H);
  *H = NULL;
  return err->code;
}
