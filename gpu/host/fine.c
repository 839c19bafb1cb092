/* A part that takes shorter steps of H (maxwell/backend/fine.h). It works in the stream of the whole, so that the two
 * need not wait for each other. */
#include "gpu/host/fine.h"

#include <string.h>

#include "gpu/core/core.h"
#include "gpu/core/halo.h"
#include "gpu/host/step.h"
#include "gpu/kernels/levels/fine.h"
#include "libdg/base/memory.h"

static int attach(struct mx_backend *part, struct mx_backend *whole, const int32_t *element, struct dg_error *err)
{
  struct gpu_fine_part *fine = &part->fine;
  const size_t bytes = part->problem->K * sizeof *element;
  if (gpu_check(gpuStreamSynchronize(part->work), "setting up", err) != 0) return err->code;
  (void)gpuStreamDestroy(part->work);
  part->work = whole->work;
  fine->within = true;
  fine->outermost = whole->fine.within ? whole->fine.outermost : part;
  if (gpu_new(&part->card, &fine->kept, part->field_bytes, "a field", err) != 0 ||
      gpu_new(&part->card, &fine->change, part->field_bytes, "a field", err) != 0 ||
      gpu_new(&part->card, &fine->next, part->field_bytes, "a field", err) != 0 ||
      gpu_new(&part->card, (void **)&fine->element, bytes, "tables", err) != 0)
    return err->code;
  if (gpu_check(gpuStreamCreateWithFlags(&fine->beside, gpuStreamNonBlocking), "making a stream", err) != 0 ||
      gpu_check(gpuEventCreateWithFlags(&fine->begun, gpuEventDisableTiming), "making an event", err) != 0 ||
      gpu_check(gpuEventCreateWithFlags(&fine->done, gpuEventDisableTiming), "making an event", err) != 0 ||
      gpu_check(gpuMemsetAsync(fine->change, 0, part->field_bytes, part->work), "clearing fields", err) != 0 ||
      gpu_check(gpuMemsetAsync(fine->next, 0, part->field_bytes, part->work), "clearing fields", err) != 0 ||
      gpu_check(gpuMemcpyAsync(fine->element, element, bytes, gpuMemcpyHostToDevice, part->work), "copying tables",
                err) != 0)
    return err->code;
  return gpu_check(gpuStreamSynchronize(part->work), "setting up", err);
}

static int rows_in(struct mx_backend *part, gpuStream_t stream, enum gpu_fine what, double by, struct mx_backend *whole,
                   struct dg_error *err)
{
  const struct gpu_fine_rows all = {.what = what,
                                    .by = by,
                                    .count = part->problem->K,
                                    .element = part->fine.element,
                                    .E = part->field[0],
                                    .H = part->field[1],
                                    .kept = part->fine.kept,
                                    .change = part->fine.change,
                                    .next = part->fine.next,
                                    .whole = whole != NULL ? whole->field[1] : NULL};
  return gpu_check(gpu_change_rows(&part->tables, &all, stream), "starting the filter of a part", err);
}

static int rows(struct mx_backend *part, enum gpu_fine what, double by, struct mx_backend *whole, struct dg_error *err)
{
  return rows_in(part, part->work, what, by, whole, err);
}

static int keep(struct mx_backend *part, struct mx_backend *whole, struct dg_error *err)
{
  return rows(part, GPU_KEEP, 0, whole, err);
}

static int take(struct mx_backend *part, struct mx_backend *whole, double by, struct dg_error *err)
{
  return rows(part, GPU_TAKE, by, whole, err);
}

static int scale(struct mx_backend *part, double by, struct dg_error *err)
{
  return rows(part, GPU_SCALE, by, NULL, err);
}

static int give(struct mx_backend *part, struct mx_backend *whole, double by, struct dg_error *err)
{
  return rows(part, GPU_GIVE, by, whole, err);
}

/* ---- passes */

/* Fields change places from step to step, and have them again two steps later. */
enum { PARTS = 8, FIELDS = 5, GRAPHS = 2 };
struct places {
  void *at[PARTS + 1][FIELDS];
};

struct gpu_recorded {
  bool now; /* the calls go into graph number count */
  int count;
  struct places before[GRAPHS], after[GRAPHS];
  gpuGraphExec_t graph[GRAPHS];
};

static bool is_recorded(const struct mx_backend *part)
{
  const struct gpu_recorded *recorded = part->fine.outermost->fine.recorded;
  return recorded != NULL && recorded->now;
}

/* Begins beside the pass of E, which reads H, what the pass of H will start from. */
static int begin_next(struct mx_backend *part, double share, struct dg_error *err)
{
  struct gpu_fine_part *fine = &part->fine;
  if (gpu_check(gpuEventRecord(fine->begun, part->work), "recording steps", err) != 0 ||
      gpu_check(gpuStreamWaitEvent(fine->beside, fine->begun, 0), "recording steps", err) != 0 ||
      rows_in(part, fine->beside, GPU_NEXT, share, NULL, err) != 0)
    return err->code;
  return gpu_check(gpuEventRecord(fine->done, fine->beside), "recording steps", err);
}

static int take_next(struct mx_backend *part, struct dg_error *err)
{
  void *const H = part->field[1];
  part->field[1] = part->fine.next, part->fine.next = H;
  return gpu_check(gpuStreamWaitEvent(part->work, part->fine.done, 0), "recording steps", err);
}

static int pass(struct mx_backend *part, int equation, double factor, double share, struct dg_error *err)
{
  int status = 0;
  if (equation == 0) status = is_recorded(part) ? begin_next(part, share, err) : 0;
  else status = is_recorded(part) ? take_next(part, err) : rows(part, GPU_ADD, share, NULL, err);
  return status != 0 ? status : gpu_fine_pass(part, equation, factor, err);
}

/* ---- steps that are repeated */

static void **place_of(struct mx_backend *backend, int i)
{
  void **const place[FIELDS] = {&backend->field[0], &backend->field[1], &backend->spare[0], &backend->spare[1],
                                &backend->fine.next};
  return place[i];
}

static struct places places_of(struct mx_backend *const *whole, int parts)
{
  struct places places = {0};
  for (int i = 0; i <= parts; i++)
    for (int k = 0; k < FIELDS; k++) places.at[i][k] = *place_of(whole[i], k);
  return places;
}

/* Messages cannot be recorded. */
static bool can_record(struct mx_backend *const *whole, int parts)
{
  for (int i = 1; i <= parts; i++)
    if (whole[i]->halo->exchange != NULL) return false;
  return parts <= PARTS;
}

static int repeat(struct mx_backend *const *whole, int parts, bool *done, struct dg_error *err)
{
  *done = false;
  struct gpu_recorded **const own = &whole[1]->fine.recorded;
  if (!can_record(whole, parts)) return 0;
  if (*own == NULL && DG_NEW(*own, 1, err) != 0) return err->code;
  struct gpu_recorded *recorded = *own;
  const struct places now = places_of(whole, parts);
  for (int g = 0; g < recorded->count; g++) {
    if (memcmp(&recorded->before[g], &now, sizeof now) != 0) continue;
    for (int i = 1; i <= parts; i++)
      for (int k = 0; k < FIELDS; k++) *place_of(whole[i], k) = recorded->after[g].at[i][k];
    *done = true;
    return gpu_check(gpuGraphLaunch(recorded->graph[g], whole[1]->work), "repeating steps", err);
  }
  if (recorded->count == GRAPHS) return 0;
  recorded->before[recorded->count] = now;
  recorded->now = true;
  return gpu_check(gpuStreamBeginCapture(whole[1]->work, gpuStreamCaptureThreadLocal), "recording steps", err);
}

static int recorded(struct mx_backend *const *whole, int parts, struct dg_error *err)
{
  struct gpu_recorded *own = whole[1]->fine.recorded;
  if (own == NULL || !own->now) return 0;
  gpuGraph_t graph = NULL;
  own->now = false;
  if (gpu_check(gpuStreamEndCapture(whole[1]->work, &graph), "recording steps", err) != 0) return err->code;
  const gpuError_t status = gpuGraphInstantiate(&own->graph[own->count], graph, 0);
  (void)gpuGraphDestroy(graph);
  if (gpu_check(status, "recording steps", err) != 0) return err->code;
  own->after[own->count] = places_of(whole, parts);
  return gpu_check(gpuGraphLaunch(own->graph[own->count++], whole[1]->work), "repeating steps", err);
}

void gpu_release_fine(struct mx_backend *part)
{
  struct gpu_fine_part *fine = &part->fine;
  if (fine->recorded != NULL && fine->recorded->now) {
    gpuGraph_t graph = NULL;
    (void)gpuStreamEndCapture(part->work, &graph);
    if (graph != NULL) (void)gpuGraphDestroy(graph);
  }
  for (int g = 0; fine->recorded != NULL && g < fine->recorded->count; g++)
    (void)gpuGraphExecDestroy(fine->recorded->graph[g]);
  dg_free(fine->recorded);
  if (fine->begun != NULL) (void)gpuEventDestroy(fine->begun);
  if (fine->done != NULL) (void)gpuEventDestroy(fine->done);
  if (fine->beside != NULL) (void)gpuStreamDestroy(fine->beside);
}

const struct mx_fine_ops gpu_fine_ops = {.attach = attach,
                                         .keep = keep,
                                         .take = take,
                                         .scale = scale,
                                         .pass = pass,
                                         .give = give,
                                         .repeat = repeat,
                                         .recorded = recorded};
