/* The state for checkpoints: fields here, and the states of terms by their kinds. */
#include "gpu/host/checkpoint.h"

#include "gpu/core/core.h"
#include "gpu/core/halo.h"
#include "gpu/core/staging.h"
#include "gpu/terms/list.h"

static int copy(struct mx_backend *backend, int number, size_t first, size_t count, double *to, const double *from,
                struct dg_error *err)
{
  const struct mx_state_array array = mx_state_array(backend->problem, backend->options.integrator, (size_t)number);
  if (count == 0) return 0;
  if (array.list == MX_STATE_OF_ELEMENTS)
    return gpu_copy_rows(backend, backend->field[array.field], first, count, to, from, err);
  return gpu_terms_copy(backend, &array, first, count, to, from, err);
}

int gpu_save(struct mx_backend *backend, int array, size_t first, size_t count, double *value, struct dg_error *err)
{
  return copy(backend, array, first, count, value, NULL, err);
}

int gpu_load(struct mx_backend *backend, int array, size_t first, size_t count, const double *value,
             struct dg_error *err)
{
  return copy(backend, array, first, count, NULL, value, err);
}

int gpu_loaded(struct mx_backend *backend, struct dg_error *err)
{
  backend->observed = false;
  /* The first stage of leapfrog wants the neighbours' H as the last one left it; all other traces travel when they are
   * wanted. */
  if (mx_scheme_of(&backend->options)->staggered && gpu_halo_exchange(backend, &backend->field[1], err) != 0)
    return err->code;
  if (gpu_terms_loaded(backend, err) != 0) return err->code;
  return gpu_wait(backend, err);
}
