/* A part that takes shorter steps of H (maxwell/backend/fine.h). It works in the stream of the whole, so that the two
 * need not wait for each other. */
#include "gpu/host/fine.h"

#include "gpu/core/core.h"
#include "gpu/host/step.h"
#include "gpu/kernels/levels/fine.h"

static int attach(struct mx_backend *part, struct mx_backend *whole, const int32_t *element, struct dg_error *err)
{
  struct gpu_fine_part *fine = &part->fine;
  const size_t bytes = part->problem->K * sizeof *element;
  if (gpu_check(gpuStreamSynchronize(part->work), "setting up", err) != 0) return err->code;
  (void)gpuStreamDestroy(part->work);
  part->work = whole->work;
  fine->within = true;
  if (gpu_new(&part->card, &fine->kept, part->field_bytes, "a field", err) != 0 ||
      gpu_new(&part->card, &fine->change, part->field_bytes, "a field", err) != 0 ||
      gpu_new(&part->card, (void **)&fine->element, bytes, "tables", err) != 0)
    return err->code;
  if (gpu_check(gpuMemsetAsync(fine->change, 0, part->field_bytes, part->work), "clearing fields", err) != 0 ||
      gpu_check(gpuMemcpyAsync(fine->element, element, bytes, gpuMemcpyHostToDevice, part->work), "copying tables",
                err) != 0)
    return err->code;
  return gpu_check(gpuStreamSynchronize(part->work), "setting up", err);
}

static int rows(struct mx_backend *part, enum gpu_fine what, double by, struct mx_backend *whole, struct dg_error *err)
{
  const struct gpu_fine_rows all = {.what = what,
                                    .by = by,
                                    .order = part->tables.order,
                                    .single = part->tables.single,
                                    .count = part->problem->K,
                                    .element = part->fine.element,
                                    .E = part->field[0],
                                    .H = part->field[1],
                                    .kept = part->fine.kept,
                                    .change = part->fine.change,
                                    .whole = whole != NULL ? whole->field[1] : NULL};
  return gpu_check(gpu_change_rows(&all, part->work), "starting the filter of a part", err);
}

static int keep(struct mx_backend *part, struct mx_backend *whole, struct dg_error *err)
{
  return rows(part, GPU_KEEP, 0, whole, err);
}

static int take(struct mx_backend *part, struct mx_backend *whole, struct dg_error *err)
{
  return rows(part, GPU_TAKE, 0, whole, err);
}

static int scale(struct mx_backend *part, double by, struct dg_error *err)
{
  return rows(part, GPU_SCALE, by, NULL, err);
}

static int pass(struct mx_backend *part, int equation, double factor, double share, struct dg_error *err)
{
  if (equation == 1 && rows(part, GPU_ADD, share, NULL, err) != 0) return err->code;
  return gpu_fine_pass(part, equation, factor, err);
}

static int give(struct mx_backend *part, struct mx_backend *whole, double by, struct dg_error *err)
{
  return rows(part, GPU_GIVE, by, whole, err);
}

const struct mx_fine_ops gpu_fine_ops = {
    .attach = attach, .keep = keep, .take = take, .scale = scale, .pass = pass, .give = give};
