/* Chooses between a device and the host. Statics and heat call it. */
#include "libdg/solve/device.h"

int dg_device_make(struct dg_device_solver **solver, const struct dg_device_ops *ops,
                   const struct dg_device_setup *setup, struct dg_log *log, const char *who, struct dg_error *err)
{
  struct dg_error why = {0};
  *solver = NULL;
  if (ops == NULL) return 0;
  if (ops->create(solver, setup, &why) == 0) {
    dg_log_line(log, "%-9s solved on %s%s, %.1f MB there", who, ops->name,
                setup->multigrid != NULL ? " with multigrid" : "", 1e-6 * (double)ops->bytes(*solver));
    return 0;
  }
  *solver = NULL;
  if (why.code != DG_INPUT && why.code != DG_ENVIRONMENT) {
    *err = why;
    return err->code;
  }
  dg_log_line(log, "%-9s solved on the host, not on %s: %s", who, ops->name, why.message);
  return 0;
}
