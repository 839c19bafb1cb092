/* The limits of the card for `curlew bench`: copies and multiply-adds, timed by the card's own clock. */
#include <math.h>
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/host/bench.h"
#include "gpu/runtime/ceilings.h"

enum { TRIES = 10 };

struct clock {
  gpuEvent_t start, end;
};

/* Seconds of what `work` launches, the shortest of several tries. */
static int shortest(const struct clock *clock, gpuError_t (*work)(void *context), void *context, double *seconds,
                    struct dg_error *err)
{
  *seconds = INFINITY;
  for (int i = 0; i < TRIES; i++) {
    float milliseconds = 0;
    if (gpu_check(gpuEventRecord(clock->start, NULL), "measuring the card", err) != 0 ||
        gpu_check(work(context), "measuring the card", err) != 0 ||
        gpu_check(gpuEventRecord(clock->end, NULL), "measuring the card", err) != 0 ||
        gpu_check(gpuEventSynchronize(clock->end), "measuring the card", err) != 0 ||
        gpu_check(gpuEventElapsedTime(&milliseconds, clock->start, clock->end), "measuring the card", err) != 0)
      return err->code;
    *seconds = fmin(*seconds, 1e-3 * (double)milliseconds);
  }
  return 0;
}

struct copies {
  void *to, *from;
  size_t bytes;
  int times;
};

static gpuError_t copy(void *context)
{
  const struct copies *copies = context;
  gpuError_t status = gpuSuccess;
  for (int i = 0; i < copies->times && status == gpuSuccess; i++)
    status = gpu_copy(copies->to, copies->from, copies->bytes, NULL);
  return status;
}

static int copy_speed(const struct clock *clock, const struct copies *copies, double *speed, struct dg_error *err)
{
  struct copies wanted = *copies;
  double seconds;
  if (shortest(clock, copy, &wanted, &seconds, err) != 0) return err->code;
  *speed = 2.0 * (double)copies->bytes * copies->times / seconds;
  return 0;
}

static int measure_copies(const struct clock *clock, size_t field_bytes, struct mx_ceilings *ceilings,
                          struct dg_error *err)
{
  enum { MIB = 1 << 20, MOST = 1024 };
  size_t left = 0, all = 0;
  struct copies copies = {.times = 4};
  if (gpu_check(gpuMemGetInfo(&left, &all), "measuring the card", err) != 0) return err->code;
  copies.bytes = (left / 4 < (size_t)MOST * MIB ? left / 4 : (size_t)MOST * MIB) / 256 * 256;
  if (copies.bytes == 0) return gpu_out_of_memory(0, "measuring the card", err);
  if (gpu_check(gpuMalloc(&copies.from, copies.bytes), "measuring the card", err) != 0 ||
      gpu_check(gpuMalloc(&copies.to, copies.bytes), "measuring the card", err) != 0 ||
      gpu_check(gpuMemset(copies.from, 0, copies.bytes), "measuring the card", err) != 0 ||
      copy_speed(clock, &copies, &ceilings->copy, err) != 0)
    goto fail;
  ceilings->array = copies.bytes;
  copies.bytes = field_bytes < copies.bytes ? (field_bytes + 255) / 256 * 256 : copies.bytes;
  copies.times = (int)(4 * ceilings->array / copies.bytes < 1000 ? 4 * ceilings->array / copies.bytes : 1000);
  if (copy_speed(clock, &copies, &ceilings->copy_fields, err) != 0) goto fail;
  ceilings->fields_array = copies.bytes;
fail:
  (void)gpuFree(copies.from);
  (void)gpuFree(copies.to);
  return err->code;
}

struct peak {
  int single, blocks, rounds;
  void *sink;
};

static gpuError_t multiply_adds(void *context)
{
  const struct peak *peak = context;
  return gpu_multiply_adds(peak->single, peak->blocks, peak->rounds, peak->sink, NULL);
}

static int measure_peaks(const struct clock *clock, int processors, struct mx_ceilings *ceilings, struct dg_error *err)
{
  void *sink = NULL;
  if (gpu_check(gpuMalloc(&sink, sizeof(double)), "measuring the card", err) != 0) return err->code;
  for (int single = 0; single < 2; single++) {
    struct peak peak = {.single = single, .blocks = 8 * processors, .rounds = 20000, .sink = sink};
    double seconds, flops = 2.0 * GPU_PEAK_CHAINS * peak.rounds * peak.blocks * GPU_PEAK_THREADS;
    if (shortest(clock, multiply_adds, &peak, &seconds, err) != 0) break;
    ceilings->peak[single ? MX_SINGLE : MX_DOUBLE] = flops / seconds;
  }
  (void)gpuFree(sink);
  return err->code;
}

int gpu_ceilings(size_t field_bytes, struct mx_ceilings *ceilings, struct dg_error *err)
{
  struct clock clock = {0};
  gpuDeviceProp card;
  int device;
  *ceilings = (struct mx_ceilings){0};
  if (gpu_check(gpuGetDevice(&device), "measuring the card", err) != 0 ||
      gpu_check(gpuGetDeviceProperties(&card, device), "measuring the card", err) != 0 ||
      gpu_check(gpuEventCreate(&clock.start), "measuring the card", err) != 0 ||
      gpu_check(gpuEventCreate(&clock.end), "measuring the card", err) != 0)
    goto fail;
  memcpy(ceilings->name, card.name, sizeof ceilings->name - 1);
  ceilings->memory = card.totalGlobalMem;
  if (measure_copies(&clock, field_bytes, ceilings, err) != 0 ||
      measure_peaks(&clock, card.multiProcessorCount, ceilings, err) != 0)
    goto fail;
fail:
  if (clock.start != NULL) (void)gpuEventDestroy(clock.start);
  if (clock.end != NULL) (void)gpuEventDestroy(clock.end);
  return err->code;
}
