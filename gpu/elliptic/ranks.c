/* Exchanges and sums of ranks whose unknowns lie on cards. solver.c and levels.c call it. */
#include "gpu/elliptic/ranks.h"

#include <string.h>

#include "gpu/runtime/errors.h"
#include "libdg/base/memory.h"

struct gpu_ranks {
  const struct dg_space *space;
  struct gpu_memory *card; /* the caller's */
  struct gpu_memory pinned;
  struct gpu_shared shared;
  const uint8_t *foreign;
  const int64_t *global;
  double *out, *in; /* pinned, as those of the card */
  struct dg_exchange *exchange;
  bool direct; /* MPI has the card's pointers */
};

static const char what[] = "what ranks share", moving[] = "copying what ranks share";

/* The numbers behind the items. */
static double *behind(const struct gpu_ranks *ranks, double *buffer) { return buffer + ranks->shared.items; }

static int choose_transport(struct gpu_ranks *ranks, enum dg_answer direct, struct dg_error *err)
{
  const enum dg_answer takes = dg_comm_takes_device_memory();
  ranks->direct = direct == DG_YES || (direct == DG_UNKNOWN && takes == DG_YES);
  if (direct != DG_YES || takes != DG_NO) return 0;
  return dg_fail(err, DG_ENVIRONMENT, "gpu.transport = \"direct\" needs an MPI that takes the GPU's memory");
}

static int send_lists(struct gpu_ranks *ranks, struct dg_error *err)
{
  const struct dg_shared *of = ranks->space->shared;
  struct gpu_shared *s = &ranks->shared;
  const size_t entries = of->row[of->places];
  int32_t *row = NULL;
  uint8_t *foreign = NULL;
  if (DG_NEW(row, of->places + 1, err) != 0 || DG_NEW(foreign, s->count, err) != 0) goto fail;
  for (size_t i = 0; i <= of->places; i++) row[i] = (int32_t)of->row[i];
  for (size_t i = 0; i < s->count; i++) foreign[i] = of->foreign[i];
  if (gpu_new_copy(ranks->card, &s->node, of->node, of->items * sizeof *of->node, what, err) == 0 &&
      gpu_new_copy(ranks->card, &s->place, of->place, of->places * sizeof *of->place, what, err) == 0 &&
      gpu_new_copy(ranks->card, &s->row, row, (of->places + 1) * sizeof *row, what, err) == 0 &&
      gpu_new_copy(ranks->card, &s->from, of->from, entries * sizeof *of->from, what, err) == 0)
    (void)!gpu_new_copy(ranks->card, &ranks->foreign, foreign, s->count, what, err);
fail:
  dg_free(row);
  dg_free(foreign);
  return err->code;
}

static int fill(struct gpu_ranks *ranks, enum dg_answer direct, struct dg_error *err)
{
  const size_t bytes = (ranks->shared.items + ranks->shared.bodies + GPU_SHARED_SUMS) * sizeof(double);
  if (choose_transport(ranks, direct, err) != 0 || send_lists(ranks, err) != 0 ||
      gpu_new(ranks->card, &ranks->shared.out, bytes, what, err) != 0 ||
      gpu_new(ranks->card, &ranks->shared.in, bytes, what, err) != 0 ||
      gpu_new_pinned(&ranks->pinned, &ranks->out, bytes, err) != 0)
    return err->code;
  return gpu_new_pinned(&ranks->pinned, &ranks->in, bytes, err);
}

int gpu_ranks_new(struct gpu_ranks **result, struct gpu_memory *card, const struct dg_space *space,
                  enum dg_answer direct, struct dg_error *err)
{
  struct gpu_ranks *ranks = NULL;
  *result = NULL;
  if (space->shared == NULL) return 0;
  if (DG_NEW(ranks, 1, err) != 0) return err->code;
  ranks->space = space;
  ranks->card = card;
  ranks->shared = (struct gpu_shared){
      .count = space->count, .items = space->shared->items, .places = space->shared->places, .bodies = space->bodies};
  if (fill(ranks, direct, err) != 0) {
    gpu_ranks_free(ranks);
    return err->code;
  }
  *result = ranks;
  return 0;
}

void gpu_ranks_free(struct gpu_ranks *ranks)
{
  if (ranks == NULL) return;
  dg_exchange_free(ranks->exchange);
  gpu_release_pinned(&ranks->pinned);
  dg_free(ranks);
}

int gpu_ranks_join(struct gpu_ranks *ranks, struct dg_error *err)
{
  int64_t *global = NULL, first, own;
  if (ranks == NULL) return 0;
  const struct dg_shared *of = ranks->space->shared;
  double *out = ranks->direct ? ranks->shared.out : ranks->out, *in = ranks->direct ? ranks->shared.in : ranks->in;
  (void)!dg_exchange_new_between(&ranks->exchange, of->comm, of->peers, of->peer, sizeof(double), out, in, err);
  if (DG_NEW(global, ranks->shared.count, err) == 0 && dg_space_global(ranks->space, global, &first, &own, err) == 0)
    (void)!gpu_new_copy(ranks->card, &ranks->global, global, ranks->shared.count * sizeof *global, what, err);
  dg_free(global);
  return err->code;
}

void gpu_ranks_attach(const struct gpu_ranks *ranks, struct gpu_march_vectors *v)
{
  v->parts = GPU_ELLIPTIC_BLOCKS;
  v->sum_q = v->part_q;
  v->sum_r = v->part_r;
  if (ranks == NULL) return;
  const double *sums = ranks->shared.in + ranks->shared.items + ranks->shared.bodies;
  v->foreign = ranks->foreign;
  v->global = ranks->global;
  v->parts = 1;
  v->sum_q = sums + GPU_SUMS_OF_Q;
  v->sum_r = sums + GPU_SUMS_OF_R;
}

static int copy(double *to, const double *from, size_t count, bool up, gpuStream_t stream, struct dg_error *err)
{
  if (count == 0) return 0;
  return gpu_check(
      gpuMemcpyAsync(to, from, count * sizeof *to, up ? gpuMemcpyHostToDevice : gpuMemcpyDeviceToHost, stream), moving,
      err);
}

int gpu_ranks_sum(struct gpu_ranks *ranks, double *y, const double *part, gpuStream_t stream, struct dg_error *err)
{
  if (ranks == NULL) return 0;
  const struct gpu_shared *s = &ranks->shared;
  const size_t few = s->bodies + (part != NULL ? 2 : 0), through = ranks->direct ? 0 : s->items;
  const size_t from = s->items - through; /* what goes through the host begins here */
  gpuError_t status = gpu_shared_pack(s, y, stream);
  if (status == gpuSuccess && part != NULL) status = gpu_shared_fold(part, 2, s->out + s->items + s->bodies, stream);
  if (gpu_check(status, what, err) != 0 || copy(ranks->out + from, s->out + from, through + few, false, stream, err) ||
      gpu_check(gpuStreamSynchronize(stream), moving, err) != 0 || dg_exchange_start(ranks->exchange, err) != 0)
    return err->code;
  memcpy(behind(ranks, ranks->in), behind(ranks, ranks->out), few * sizeof(double));
  if ((few > 0 && dg_comm_reduce(ranks->space->shared->comm, DG_SUM, few, behind(ranks, ranks->in), err) != 0) ||
      dg_exchange_finish(ranks->exchange, err) != 0 ||
      copy(s->in + from, ranks->in + from, through + few, true, stream, err) != 0)
    return err->code;
  return gpu_check(gpu_shared_unpack(s, y, stream), what, err);
}

int gpu_ranks_reduce(struct gpu_ranks *ranks, const struct gpu_march_vectors *v, int first, gpuStream_t stream,
                     struct dg_error *err)
{
  if (ranks == NULL) return 0;
  const struct gpu_shared *s = &ranks->shared;
  const size_t at = s->items + s->bodies + (size_t)first;
  const int count = first == GPU_SUMS_OF_Q ? 2 : 4;
  if (gpu_check(gpu_shared_fold(first == GPU_SUMS_OF_Q ? v->part_q : v->part_r, count, s->out + at, stream), what,
                err) != 0 ||
      copy(ranks->in + at, s->out + at, (size_t)count, false, stream, err) != 0 ||
      gpu_check(gpuStreamSynchronize(stream), moving, err) != 0 ||
      dg_comm_reduce(ranks->space->shared->comm, DG_SUM, (size_t)count, ranks->in + at, err) != 0)
    return err->code;
  return copy(s->in + at, ranks->in + at, (size_t)count, true, stream, err);
}

int gpu_ranks_agree(const struct dg_space *space, struct dg_error *err)
{
  struct dg_error between = {0};
  int64_t code = err->code;
  if (space->shared == NULL) return err->code;
  if (dg_comm_reduce_int(space->shared->comm, DG_MAX, 1, &code, &between) != 0) {
    *err = between;
    return err->code;
  }
  if (code != 0 && err->code == 0) return dg_fail(err, DG_ENVIRONMENT, "the card of another rank cannot");
  return err->code;
}
