/* Resistive sheets (maxwell/problem/flux.h) on the card. The kernels know only the weights of their faces. What a sheet
 * adds to the jumps is worked out before half a step of leapfrog, or behind a stage, and lifted behind it. */
#include "gpu/core/core.h"
#include "gpu/terms/entries.h"
#include "gpu/terms/list.h"
#include "libdg/base/memory.h"

/* Faces on resistive sheets, in the order of mx_problem.sheet_face; all of the card. */
struct own_sheets {
  size_t count;
  struct gpu_entries straight, curved;
  double *factor;                /* [count] of E */
  void *taken, *before[2], *own; /* gpu_sheets has them; the last two for leapfrog only */
};

static struct own_sheets *own(const struct mx_backend *backend) { return backend->own[GPU_SHEETS_TERM]; }

/* Numbers of an array by faces. */
static size_t numbers(const struct mx_problem *problem) { return problem->sheet_faces * 2 * (size_t)problem->ref->Nf; }

static size_t bytes(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real)
{
  const size_t arrays = mx_scheme_of(options)->staggered ? 4 : 1;
  return arrays * numbers(problem) * real + problem->sheet_faces * (sizeof(double) + 3 * sizeof(int32_t));
}

static int create(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  const size_t count = problem->sheet_faces, size = numbers(problem) * backend->real;
  const bool staggered = mx_scheme_of(&backend->options)->staggered;
  struct own_sheets *sheets = own(backend);
  double *factor;
  if (count == 0) return 0;
  if (DG_NEW(factor, count, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) factor[k] = problem->sheet[problem->sheet_face[k] / 4][problem->sheet_face[k] % 4];
  sheets->count = count;
  (void)!(gpu_pack_entries(backend, &sheets->straight, &sheets->curved, true, count, problem->sheet_face, err) != 0 ||
          gpu_new_copy(&backend->card, &sheets->factor, factor, count * sizeof *factor, "sheets", err) != 0 ||
          gpu_new(&backend->card, &sheets->taken, size, "sheets", err) != 0 ||
          (staggered && (gpu_new(&backend->card, &sheets->before[0], size, "sheets", err) != 0 ||
                         gpu_new(&backend->card, &sheets->before[1], size, "sheets", err) != 0 ||
                         gpu_new(&backend->card, &sheets->own, size, "sheets", err) != 0)));
  dg_free(factor);
  return err->code;
}

static int find(struct mx_backend *backend, struct gpu_sheets wanted, struct dg_error *err)
{
  wanted.count = own(backend)->count;
  wanted.where = own(backend)->straight.where;
  wanted.sheet = own(backend)->factor;
  return gpu_check(gpu_sheet_jumps(&backend->tables, &wanted, backend->work), "sheets", err);
}

static int before(struct mx_backend *backend, int equation, bool start, struct dg_error *err)
{
  struct own_sheets *sheets = own(backend);
  if (sheets->count == 0) return 0;
  return find(backend,
              (struct gpu_sheets){.equation = equation,
                                  .start = start,
                                  .field = {backend->field[0], backend->field[1]},
                                  .taken = equation == 1 ? sheets->taken : NULL,
                                  .before = sheets->before[equation],
                                  .own = sheets->own},
              err);
}

/* Lifts the jumps of an addition from all faces. */
static int lift(struct mx_backend *backend, struct gpu_addition addition, struct dg_error *err)
{
  addition.entries = own(backend)->straight;
  return gpu_add_everywhere(backend, addition, &own(backend)->curved, true, "sheets", err);
}

static int after(struct mx_backend *backend, int equation, void *to, struct dg_error *err)
{
  const struct own_sheets *sheets = own(backend);
  if (sheets->count == 0) return 0;
  return lift(backend,
              (struct gpu_addition){.equation = equation,
                                    .other = {.part = equation == 1 ? sheets->taken : NULL, .number = 1},
                                    .own = {.part = sheets->own, .number = 1},
                                    .to = to},
              err);
}

static int start_back(struct mx_backend *backend, void *to, struct dg_error *err)
{
  const struct own_sheets *sheets = own(backend);
  if (sheets->count == 0) return 0;
  if (find(backend,
           (struct gpu_sheets){.equation = 1, .field = {backend->field[0], backend->field[1]}, .taken = sheets->taken},
           err) != 0)
    return err->code;
  return lift(backend, (struct gpu_addition){.equation = 1, .other = {.part = sheets->taken, .number = -1}, .to = to},
              err);
}

static int stage(struct mx_backend *backend, const struct gpu_stage_end *end, struct dg_error *err)
{
  const struct own_sheets *sheets = own(backend);
  const struct gpu_values taken = {.part = sheets->taken, .number = 1}, none = {0};
  if (sheets->count == 0) return 0;
  if (find(backend, (struct gpu_sheets){.field = {end->field[0], NULL}, .taken = sheets->taken}, err) != 0)
    return err->code;
  for (int i = 0; i < 2; i++)
    if (lift(backend,
             (struct gpu_addition){.equation = i,
                                   .other = i == 1 ? taken : none,
                                   .own = i == 0 ? taken : none,
                                   .to = end->to[i],
                                   .also = end->also[i],
                                   .to_register = 1,
                                   .b = end->pass->b},
             err) != 0)
      return err->code;
  return 0;
}

static size_t face_of(const struct mx_problem *problem, size_t i, size_t *e)
{
  (void)e;
  return (size_t)problem->sheet_face[i] % 4;
}

/* The kept traces of sheets follow those of open faces. */
static int copy(struct mx_backend *backend, const struct mx_state_array *array, size_t first, size_t count, double *to,
                const double *from, struct dg_error *err)
{
  const size_t open = backend->problem->open_faces, skipped = first < open ? open - first : 0,
               numbers_before = skipped * 3 * array->nodes;
  if (array->list != MX_STATE_OF_FACES || count <= skipped) return 0;
  return gpu_copy_traces(backend, own(backend)->before[array->field], first + skipped - open, count - skipped, face_of,
                         to == NULL ? NULL : to + numbers_before, from == NULL ? NULL : from + numbers_before, err);
}

static bool launches(const struct mx_backend *backend) { return own(backend)->count > 0; }

const struct gpu_term_kind gpu_sheets_kind = {
    .name = "resistive sheets",
    .launches = launches,
    .size = sizeof(struct own_sheets),
    .create = create,
    .bytes = bytes,
    .start_back = start_back,
    .before = before,
    .after = after,
    .stage = stage,
    .copy = copy,
};
