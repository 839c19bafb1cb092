/* The state for checkpoints: fields as they lie on the card, in the order of the problem's nodes, and traces on open
 * faces as vectors of which only the two components along the face mean anything. */
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/core/halo.h"
#include "gpu/core/staging.h"
#include "gpu/host/checkpoint.h"
#include "gpu/terms/responses.h"
#include "gpu/terms/sheets.h"
#include "gpu/terms/skins.h"
#include "maxwell/backend/frame/frame.h"

/* The host has no table of the faces of open slots, which lies on the card: it looks for the face. Sheets follow. */
static size_t face_of_slot(const struct mx_problem *problem, size_t slot, size_t *e)
{
  if (slot >= problem->open_faces) return (size_t)problem->sheet_face[slot - problem->open_faces] % 4;
  for (;; ++*e)
    for (size_t f = 0; f < 4; f++)
      if (mx_open_slot(problem->neighbour[*e][f]) == (int)slot) return f;
}

/* Slots first..first+count-1 between value[count][3][Nf] and host[count][2][Nf]. */
static void turn_open(const struct mx_backend *backend, size_t first, size_t count, void *host, double *to,
                      const double *from)
{
  const size_t Nf = (size_t)backend->problem->ref->Nf;
  size_t e = 0; /* slots ascend with the elements */
  for (size_t k = 0; k < count; k++) {
    const size_t f = face_of_slot(backend->problem, first + k, &e);
    for (size_t m = 0; m < Nf; m++) {
      double u[3], along[2];
      if (to != NULL) {
        for (size_t a = 0; a < 2; a++) along[a] = gpu_get(backend, host, (2 * k + a) * Nf + m);
        MX_WITH_ALONG(f, along[0], along[1], u);
        for (size_t c = 0; c < 3; c++) to[(3 * k + c) * Nf + m] = u[c];
      } else {
        for (size_t c = 0; c < 3; c++) u[c] = from[(3 * k + c) * Nf + m];
        MX_ALONG(f, u[0], u[1], u[2], along);
        for (size_t a = 0; a < 2; a++) gpu_put(backend, host, (2 * k + a) * Nf + m, along[a]);
      }
    }
  }
}

/* Elements first.. between value[count][3][Np] and the card's order. */
static void turn_elements(const struct mx_backend *backend, size_t count, void *host, double *to, const double *from)
{
  const int order = backend->problem->ref->order;
  const size_t Np = (size_t)backend->problem->ref->Np;
  for (size_t k = 0; k < count; k++)
    for (size_t c = 0; c < 3; c++)
      for (size_t n = 0; n < Np; n++) {
        const size_t there = gpu_at(order, k, c, n), here = (3 * k + c) * Np + (size_t)backend->node[n];
        if (to != NULL) to[here] = gpu_get(backend, host, there);
        else gpu_put(backend, host, there, from[here]);
      }
}

/* Numbers of an array at the points of a rule, which lie on the card as they do here. */
static void turn_points(const struct mx_backend *backend, size_t numbers, void *host, double *to, const double *from)
{
  for (size_t i = 0; i < numbers; i++)
    if (to != NULL) to[i] = gpu_get(backend, host, i);
    else gpu_put(backend, host, i, from[i]);
}

static struct mx_state_array describe(const struct mx_backend *backend, int array)
{
  return mx_state_array(backend->problem, backend->options.integrator, (size_t)array);
}

/* The place on the card of the items of an array from `first` on. *bytes is the size of one item: rows of fields, but
 * for traces on open faces. */
static unsigned char *place(const struct mx_backend *backend, const struct mx_state_array *of, size_t first,
                            size_t *bytes)
{
  const bool open = of->list == MX_STATE_OF_FACES;
  *bytes = backend->real * (open         ? 2 * of->nodes
                            : of->points ? mx_state_width(of)
                                         : of->vectors * gpu_stride(backend->tables.order));
  const size_t open_faces = backend->problem->open_faces; /* sheets follow, in an array of their own */
  const bool sheet = open && first >= open_faces;
  if (sheet) first -= open_faces;
  void *start = sheet                             ? backend->sheets->before[of->field]
                : open                            ? backend->open_before[of->field]
                : of->list == MX_STATE_OF_ENTRIES ? backend->response[of->response].at.now
                                                  : backend->field[of->field];
  return (unsigned char *)start + first * *bytes;
}

/* Copies items of an array from the card to staging[0], or with `load` from there to the card. */
static int copy(struct mx_backend *backend, const struct mx_state_array *of, size_t first, size_t count, bool load,
                struct dg_error *err)
{
  const size_t open_faces = backend->problem->open_faces;
  for (size_t done = 0, part; done < count; done += part) {
    size_t bytes;
    unsigned char *const card = place(backend, of, first + done, &bytes), *host = backend->staging[0] + done * bytes;
    part = count - done;
    if (of->list == MX_STATE_OF_FACES && first + done < open_faces && open_faces - first - done < part)
      part = open_faces - first - done;
    if (gpu_check(gpuMemcpyAsync(load ? card : host, load ? host : card, part * bytes,
                                 load ? gpuMemcpyHostToDevice : gpuMemcpyDeviceToHost, backend->work),
                  "copying the state", err) != 0)
      return err->code;
  }
  return gpu_wait(backend, err);
}

int gpu_save(struct mx_backend *backend, int array, size_t first, size_t count, double *value, struct dg_error *err)
{
  size_t bytes;
  const struct mx_state_array of = describe(backend, array);
  if (of.list == MX_STATE_OF_SKINS) return gpu_copy_skins(backend, first, count, value, NULL, err);
  (void)place(backend, &of, first, &bytes);
  if (gpu_grow_staging(backend, count * bytes, err) != 0 || copy(backend, &of, first, count, false, err) != 0)
    return err->code;
  if (of.list == MX_STATE_OF_FACES) turn_open(backend, first, count, backend->staging[0], value, NULL);
  else if (of.points) turn_points(backend, count * mx_state_width(&of), backend->staging[0], value, NULL);
  else turn_elements(backend, count * of.vectors, backend->staging[0], value, NULL);
  return 0;
}

int gpu_load(struct mx_backend *backend, int array, size_t first, size_t count, const double *value,
             struct dg_error *err)
{
  size_t bytes;
  const struct mx_state_array of = describe(backend, array);
  if (of.list == MX_STATE_OF_SKINS) return gpu_copy_skins(backend, first, count, NULL, value, err);
  (void)place(backend, &of, first, &bytes);
  if (gpu_grow_staging(backend, count * bytes, err) != 0) return err->code;
  if (of.list == MX_STATE_OF_FACES) turn_open(backend, first, count, backend->staging[0], NULL, value);
  else if (of.points) turn_points(backend, count * mx_state_width(&of), backend->staging[0], NULL, value);
  else turn_elements(backend, count * of.vectors, backend->staging[0], NULL, value);
  return copy(backend, &of, first, count, true, err);
}

int gpu_loaded(struct mx_backend *backend, struct dg_error *err)
{
  backend->observed = false;
  /* The first stage of leapfrog wants the neighbours' H as the last one left it; all other traces travel when they are
   * wanted. */
  if (mx_scheme_of(&backend->options)->staggered && gpu_halo_exchange(backend, &backend->field[1], err) != 0)
    return err->code;
  if (gpu_loaded_skins(backend, err) != 0) return err->code;
  return gpu_wait(backend, err);
}
