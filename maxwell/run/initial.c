#include "maxwell/run/initial.h"

#include "libdg/base/memory.h"

static int evaluate(const struct mx_setup *setup, int function, const char *what, double factor, double **field,
                    struct dg_error *err)
{
  const struct dg_reference *ref = &setup->ref;
  size_t Np = (size_t)ref->Np;
  if (dg_alloc_untouched(field, 3 * Np * setup->mesh.K, sizeof **field, err) != 0) return err->code;
  for (size_t e = 0; e < setup->mesh.K; e++)
    for (size_t i = 0; i < Np; i++) {
      double x[3], value[3];
      dg_geometry_point(&setup->mesh, e, ref->r[i], ref->s[i], ref->t[i], x);
      if (mx_script_call(setup->script, function, what, 3, x, 3, value, err) != 0) return err->code;
      for (size_t c = 0; c < 3; c++) (*field)[(3 * e + c) * Np + i] = factor * value[c];
    }
  return 0;
}

int mx_initial_fields(const struct mx_setup *setup, double **E, double **H, struct dg_error *err)
{
  *E = *H = NULL;
  if (setup->config->initial.E >= 0 && evaluate(setup, setup->config->initial.E, "initial.E", 1, E, err) != 0)
    goto fail;
  if (setup->config->initial.H >= 0 && evaluate(setup, setup->config->initial.H, "initial.H", MX_ETA0, H, err) != 0)
    goto fail;
  return 0;
fail:
  dg_free(*E);
  dg_free(*H);
  *E = *H = NULL;
  return err->code;
}
