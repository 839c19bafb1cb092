/* Open faces in leapfrog: the penalty of a pass looks at the field extrapolated by half a step from the last two. The
 * kernels with tiles do so themselves, from traces that are kept from pass to pass. Where the kernels of the half step
 * know no open faces, kernels before and after it do. */
#include "gpu/core/core.h"
#include "gpu/terms/entries.h"
#include "gpu/terms/list.h"
#include "gpu/terms/open_faces.h"
#include "gpu/tables/kernel_tables.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/cost.h"

struct own_open {
  size_t count;
  struct gpu_entries straight, curved;
  /* [count][2][Nf] of the card: traces of one step ago; those of now, or, where the kernels of the half step do not
   * know open faces, what the extrapolation adds */
  void *before[2], *now;
};

static struct own_open *own(const struct mx_backend *backend) { return backend->own[GPU_OPEN_FACES_TERM]; }

/* Do kernels of their own treat open faces, before and after the half step? */
static bool adds(const struct mx_backend *backend)
{
  return own(backend)->count > 0 && backend->tables.open_slot == NULL;
}

static bool are_in_pass(const struct mx_backend *backend) { return backend->tables.open_slot != NULL; }

static size_t bytes(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real)
{
  if (!mx_scheme_of(options)->staggered || problem->open_faces == 0) return 0;
  return problem->open_faces * (6 * (size_t)problem->ref->Nf * real + 3 * sizeof(int32_t)) +
         (problem->ref->order <= GPU_TILE_ORDERS ? problem->K * 4 * sizeof(int32_t) : 0);
}

/* The table in which kernels with tiles find the slots of open faces. */
static int new_slots(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  int32_t(*slot)[4];
  if (backend->tables.tiling.count == 0) return 0;
  if (DG_NEW(slot, backend->padded, err) != 0) return err->code;
  for (size_t e = 0; e < backend->padded; e++)
    for (size_t f = 0; f < 4; f++) slot[e][f] = e < problem->K ? mx_open_slot(problem->neighbour[e][f]) : -1;
  (void)!gpu_new_copy(&backend->card, &backend->tables.open_slot, slot, backend->padded * sizeof *slot, "open faces",
                      err);
  dg_free(slot);
  return err->code;
}

/* The open faces by their slots. */
static int create(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  const size_t count = problem->open_faces, size = count * 2 * (size_t)problem->ref->Nf * backend->real;
  struct own_open *open = own(backend);
  int32_t *where;
  if (!mx_scheme_of(&backend->options)->staggered || count == 0) return 0;
  if (DG_NEW(where, count, err) != 0) return err->code;
  for (size_t e = 0; e < problem->K; e++)
    for (size_t f = 0; f < 4; f++) {
      const int slot = mx_open_slot(problem->neighbour[e][f]);
      if (slot >= 0) where[slot] = (int32_t)(4 * e + f);
    }
  open->count = count;
  (void)!(gpu_pack_entries(backend, &open->straight, &open->curved, true, count, where, err) != 0 ||
          gpu_new(&backend->card, &open->before[0], size, "open faces", err) != 0 ||
          gpu_new(&backend->card, &open->before[1], size, "open faces", err) != 0 ||
          gpu_new(&backend->card, &open->now, size, "open faces", err) != 0 || new_slots(backend, err) != 0);
  dg_free(where);
  return err->code;
}

static int before(struct mx_backend *backend, int equation, bool start, struct dg_error *err)
{
  const struct own_open *of = own(backend);
  const struct gpu_open open = {.count = of->count,
                                .where = of->straight.where,
                                .before = of->before[equation],
                                .change = of->now,
                                .start = start};
  if (start ? of->count == 0 : !adds(backend)) return 0;
  return gpu_check(gpu_remember_open(&backend->tables, &open, backend->field[equation], backend->work), "open faces",
                   err);
}

static void into_pass(struct mx_backend *backend, struct gpu_half *half)
{
  if (!are_in_pass(backend)) return;
  half->open_before = own(backend)->before[half->equation];
  half->open_now = own(backend)->now;
}

static int after(struct mx_backend *backend, int equation, void *to, struct dg_error *err)
{
  const struct own_open *of = own(backend);
  if (!adds(backend)) return 0;
  return gpu_add_everywhere(
      backend,
      (struct gpu_addition){
          .equation = equation, .entries = of->straight, .own = {.part = of->now, .number = 1}, .to = to},
      &of->curved, true, "open faces", err);
}

/* The traces of now are the next pass's of before. */
static int done(struct mx_backend *backend, int stage, struct dg_error *err)
{
  const struct mx_scheme *scheme = mx_scheme_of(&backend->options);
  (void)err;
  if (!scheme->staggered || adds(backend)) return 0;
  struct own_open *of = own(backend);
  const int equation = mx_pass_equation(&scheme->pass[stage]);
  void *const now = of->now;
  of->now = of->before[equation];
  of->before[equation] = now;
  return 0;
}

struct gpu_open_traces gpu_open_traces_of_H(const struct mx_backend *backend)
{
  return (struct gpu_open_traces){
      .now = own(backend)->now, .before = own(backend)->before[1], .changes = !are_in_pass(backend)};
}

/* The host has no table of the faces of open slots, which lies on the card: it looks for the face. Slots ascend with
 * the elements. */
static size_t face_of_slot(const struct mx_problem *problem, size_t slot, size_t *e)
{
  for (;; ++*e)
    for (size_t f = 0; f < 4; f++)
      if (mx_open_slot(problem->neighbour[*e][f]) == (int)slot) return f;
}

static int copy(struct mx_backend *backend, const struct mx_state_array *array, size_t first, size_t count, double *to,
                const double *from, struct dg_error *err)
{
  const size_t all = backend->problem->open_faces;
  if (array->list != MX_STATE_OF_FACES || first >= all) return 0;
  return gpu_copy_traces(backend, own(backend)->before[array->field], first, count < all - first ? count : all - first,
                         face_of_slot, to, from, err);
}

static struct mx_cost cost(const struct mx_backend *backend, int equation)
{
  (void)equation;
  return mx_cost_open(backend->problem, backend->real);
}

const struct gpu_term_kind gpu_open_faces_kind = {
    .name = "open faces",
    .launches = adds,
    .cost = cost,
    .size = sizeof(struct own_open),
    .create = create,
    .bytes = bytes,
    .before = before,
    .into_pass = into_pass,
    .after = after,
    .done = done,
    .copy = copy,
};
