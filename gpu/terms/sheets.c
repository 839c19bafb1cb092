/* Resistive sheets (maxwell/problem/flux.h) on the card. The kernels know only the weights of their faces. What a sheet
 * adds to the jumps is worked out before half a step of leapfrog, or behind a stage, and lifted behind it. */
#include "gpu/core/core.h"
#include "gpu/terms/sheets.h"
#include "gpu/terms/sources.h"
#include "libdg/base/memory.h"

/* Numbers of an array by faces. */
static size_t numbers(const struct mx_problem *problem) { return problem->sheet_faces * 2 * (size_t)problem->ref->Nf; }

size_t gpu_sheet_bytes(const struct mx_problem *problem, bool staggered, size_t real)
{
  const size_t arrays = staggered ? 4 : 1;
  return arrays * numbers(problem) * real + problem->sheet_faces * (sizeof(double) + 3 * sizeof(int32_t));
}

int gpu_new_sheets(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  const size_t count = problem->sheet_faces, bytes = numbers(problem) * backend->real;
  const bool staggered = mx_scheme_of(&backend->options)->staggered;
  struct gpu_own_sheets *sheets = backend->sheets;
  double *factor;
  if (count == 0) return 0;
  if (DG_NEW(factor, count, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) factor[k] = problem->sheet[problem->sheet_face[k] / 4][problem->sheet_face[k] % 4];
  sheets->count = count;
  (void)!(gpu_pack_entries(backend, &sheets->straight, &sheets->curved, true, count, problem->sheet_face, err) != 0 ||
          gpu_new_copy(&backend->card, &sheets->factor, factor, count * sizeof *factor, "sheets", err) != 0 ||
          gpu_new(&backend->card, &sheets->taken, bytes, "sheets", err) != 0 ||
          (staggered && (gpu_new(&backend->card, &sheets->before[0], bytes, "sheets", err) != 0 ||
                         gpu_new(&backend->card, &sheets->before[1], bytes, "sheets", err) != 0 ||
                         gpu_new(&backend->card, &sheets->own, bytes, "sheets", err) != 0)));
  dg_free(factor);
  return err->code;
}

static int find(struct mx_backend *backend, struct gpu_sheets wanted, struct dg_error *err)
{
  wanted.count = backend->sheets->count;
  wanted.where = backend->sheets->straight.where;
  wanted.sheet = backend->sheets->factor;
  return gpu_check(gpu_sheet_jumps(&backend->tables, &wanted, backend->work), "sheets", err);
}

int gpu_sheets_before(struct mx_backend *backend, int equation, bool start, struct dg_error *err)
{
  struct gpu_own_sheets *sheets = backend->sheets;
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
  addition.applied = backend->applied.of[addition.equation];
  addition.entries = backend->sheets->straight;
  if (gpu_check(gpu_add_jumps(&backend->tables, &addition, backend->work), "sheets", err) != 0) return err->code;
  addition.entries = backend->sheets->curved;
  return gpu_check(gpu_add_in_curved(&backend->tables, &backend->curves, &addition, true, backend->work), "sheets",
                   err);
}

int gpu_add_sheets(struct mx_backend *backend, int equation, void *to, struct dg_error *err)
{
  const struct gpu_own_sheets *sheets = backend->sheets;
  if (sheets->count == 0) return 0;
  return lift(backend,
              (struct gpu_addition){.equation = equation,
                                    .other = {.part = equation == 1 ? sheets->taken : NULL, .number = 1},
                                    .own = {.part = sheets->own, .number = 1},
                                    .to = to},
              err);
}

int gpu_start_sheets(struct mx_backend *backend, void *to, struct dg_error *err)
{
  const struct gpu_own_sheets *sheets = backend->sheets;
  if (sheets->count == 0) return 0;
  if (find(backend,
           (struct gpu_sheets){.equation = 1, .field = {backend->field[0], backend->field[1]}, .taken = sheets->taken},
           err) != 0)
    return err->code;
  return lift(backend, (struct gpu_addition){.equation = 1, .other = {.part = sheets->taken, .number = -1}, .to = to},
              err);
}

int gpu_stage_sheets(struct mx_backend *backend, const void *E, void *const also[2], double b, struct dg_error *err)
{
  const struct gpu_own_sheets *sheets = backend->sheets;
  const struct gpu_values taken = {.part = sheets->taken, .number = 1}, none = {0};
  if (sheets->count == 0) return 0;
  if (find(backend, (struct gpu_sheets){.field = {E, NULL}, .taken = sheets->taken}, err) != 0) return err->code;
  for (int i = 0; i < 2; i++)
    if (lift(backend,
             (struct gpu_addition){.equation = i,
                                   .other = i == 1 ? taken : none,
                                   .own = i == 0 ? taken : none,
                                   .to = backend->registers[i],
                                   .also = also[i],
                                   .to_register = 1,
                                   .b = b},
             err) != 0)
      return err->code;
  return 0;
}
