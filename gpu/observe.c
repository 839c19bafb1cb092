/* What is observed: computed on the card, a few numbers come back. Whole fields come in pieces through two pinned
 * buffers, one of which the host converts while the other is filled. */
#include <math.h>
#include <string.h>

#include "gpu/state.h"
#include "libdg/base/memory.h"
#include "maxwell/cpu/fused_tables.h"

int gpu_grow_staging(struct mx_backend *backend, size_t bytes, struct dg_error *err)
{
  if (bytes < gpu_stride(backend->tables.order) * backend->real)
    bytes = gpu_stride(backend->tables.order) * backend->real;
  if (bytes <= backend->staging_bytes) return 0;
  /* The old ones stay until the end: growing by half more at a time, they are together less than three times as much.
   */
  if (backend->staging_bytes > 0) bytes += bytes / 2;
  if (gpu_wait(backend, err) != 0) return err->code;
  for (int i = 0; i < 2; i++)
    if (gpu_new_pinned(backend, &backend->staging[i], bytes, err) != 0 ||
        gpu_new(backend, &backend->card_staging[i], bytes, "observation", err) != 0)
      return err->code;
  backend->staging_bytes = bytes;
  return 0;
}

const void *gpu_other_H(const struct mx_backend *backend)
{
  if (backend->options.integrator != MX_LEAPFROG) return backend->field[1];
  DG_BUG_IF(!backend->observed, "values of a leapfrog step were asked for that was not observed");
  return backend->in_place ? backend->before_H : backend->spare[1];
}

/* The first `in` bytes of staging[0] to the card, then `launch` of the caller's, then `out` bytes of the card's
 * staging[1] back to the host's. These are the two ends. */
static int send(struct mx_backend *backend, size_t bytes, struct dg_error *err)
{
  return gpu_check(
      gpuMemcpyAsync(backend->card_staging[0], backend->staging[0], bytes, gpuMemcpyHostToDevice, backend->work),
      "copying what to observe", err);
}

static int receive(struct mx_backend *backend, size_t bytes, struct dg_error *err)
{
  if (gpu_check(
          gpuMemcpyAsync(backend->staging[1], backend->card_staging[1], bytes, gpuMemcpyDeviceToHost, backend->work),
          "observing", err) != 0)
    return err->code;
  return gpu_wait(backend, err);
}

static double sum_of_parts(const struct mx_backend *backend, size_t parts)
{
  double sum = 0;
  for (size_t i = 0; i < parts; i++) {
    double part;
    memcpy(&part, backend->staging[1] + i * sizeof part, sizeof part);
    sum += part;
  }
  return sum;
}

static int product(struct mx_backend *backend, struct gpu_product wanted, double *sum, struct dg_error *err)
{
  wanted.part = (double *)(void *)backend->card_staging[1];
  if (gpu_check(gpu_products(&backend->tables, &wanted, backend->work), "observing", err) != 0 ||
      receive(backend, GPU_SUM_PARTS * sizeof(double), err) != 0)
    return err->code;
  *sum = sum_of_parts(backend, GPU_SUM_PARTS);
  return 0;
}

int gpu_energy(struct mx_backend *backend, double *electric, double *magnetic, struct dg_error *err)
{
  if (gpu_grow_staging(backend, GPU_SUM_PARTS * sizeof(double), err) != 0 ||
      product(backend, (struct gpu_product){.u = backend->field[0], .v = backend->field[0], .weight = 0}, electric,
              err) != 0 ||
      product(backend, (struct gpu_product){.u = gpu_other_H(backend), .v = backend->field[1], .weight = 1}, magnetic,
              err) != 0)
    return err->code;
  *electric *= 0.5;
  *magnetic *= 0.5;
  return 0;
}

int gpu_loss(struct mx_backend *backend, size_t count, const int32_t *element, double *loss, struct dg_error *err)
{
  const size_t bytes = count * (sizeof(double) + sizeof(int32_t));
  *loss = 0;
  if (count == 0) return 0;
  if (gpu_grow_staging(backend, bytes + GPU_SUM_PARTS * sizeof(double), err) != 0) return err->code;
  double *factor = (double *)(void *)backend->staging[0];
  for (size_t k = 0; k < count; k++) factor[k] = backend->problem->sigma[element[k]];
  memcpy(backend->staging[0] + count * sizeof(double), element, count * sizeof *element);
  if (send(backend, bytes, err) != 0) return err->code;
  return product(
      backend,
      (struct gpu_product){.u = backend->field[0],
                           .v = backend->field[0],
                           .count = count,
                           .factor = (const double *)(void *)backend->card_staging[0],
                           .element = (const int32_t *)(void *)(backend->card_staging[0] + count * sizeof(double))},
      loss, err);
}

/* Points of a call at most, so that their buffers stay small. */
static int sample_part(struct mx_backend *backend, size_t count, const struct mx_point *point, double (*value)[6],
                       struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  const size_t Np = (size_t)problem->ref->Np, weights = count * Np * sizeof(double), numbers = count * sizeof(int32_t);
  if (gpu_grow_staging(backend, weights + 2 * numbers + count * 6 * sizeof(double), err) != 0) return err->code;
  double *weight = (double *)(void *)backend->staging[0];
  int32_t *element = (int32_t *)(void *)(backend->staging[0] + weights), *node = element + count;
  for (size_t k = 0; k < count; k++) {
    element[k] = (int32_t)point[k].element;
    node[k] = point[k].weight != NULL ? -1 : backend->place[point[k].node];
    for (size_t n = 0; n < Np; n++)
      weight[k * Np + n] = point[k].weight != NULL ? point[k].weight[backend->node[n]] : 0;
  }
  const int32_t *on_card = (const int32_t *)(void *)(backend->card_staging[0] + weights);
  const struct gpu_points points = {.count = count,
                                    .element = on_card,
                                    .node = on_card + count,
                                    .weight = (const double *)(void *)backend->card_staging[0],
                                    .E = backend->field[0],
                                    .H = backend->field[1],
                                    .H_other = gpu_other_H(backend),
                                    .value = (double *)(void *)backend->card_staging[1]};
  if (send(backend, weights + 2 * numbers, err) != 0 ||
      gpu_check(gpu_sample(&backend->tables, &points, backend->work), "observing points", err) != 0 ||
      receive(backend, count * 6 * sizeof(double), err) != 0)
    return err->code;
  for (size_t k = 0; k < count; k++) {
    double u[6], g[3][3];
    memcpy(u, backend->staging[1] + k * sizeof u, sizeof u);
    mx_fused_gradients(problem->metric[point[k].element], g);
    for (size_t f = 0; f < 6; f += 3)
      for (size_t d = 0; d < 3; d++) value[k][f + d] = u[f] * g[0][d] + u[f + 1] * g[1][d] + u[f + 2] * g[2][d];
  }
  return 0;
}

int gpu_sample_points(struct mx_backend *backend, size_t count, const struct mx_point *point, double (*value)[6],
                      struct dg_error *err)
{
  enum { MOST = 16384 };
  for (size_t first = 0; first < count; first += MOST)
    if (sample_part(backend, count - first < MOST ? count - first : MOST, point + first, value + first, err) != 0)
      return err->code;
  return 0;
}

/* ---- functionals */

int gpu_pack_functionals(struct mx_backend *backend, struct dg_error *err)
{
  enum { PIECE = 3 * 2048 }; /* summands */
  const struct mx_problem *problem = backend->problem;
  const size_t Np = (size_t)problem->ref->Np, F = problem->functionals;
  size_t pieces = 0, summands = 0;
  uint64_t *first = NULL, *index = NULL;
  double *weight = NULL;
  if (DG_NEW(backend->functional_piece, F + 1, err) != 0) return err->code;
  for (size_t f = 0; f < F; f++) {
    summands += 3 * problem->functional[f].count;
    pieces += (3 * problem->functional[f].count + PIECE - 1) / PIECE;
    backend->functional_piece[f + 1] = pieces;
  }
  if (pieces == 0) return 0;
  if (DG_NEW(first, pieces + 1, err) != 0 || DG_NEW(index, summands, err) != 0 || DG_NEW(weight, summands, err) != 0)
    goto fail;
  size_t at = 0, piece = 0;
  for (size_t f = 0; f < F; f++) {
    const struct mx_functional *from = &problem->functional[f];
    const size_t end = at + 3 * from->count;
    for (size_t i = at; i < end; i += PIECE) first[piece++] = i;
    for (size_t k = 0; k < from->count; k++) {
      const size_t e = from->index[k] / (3 * Np), c = from->index[k] / Np % 3, i = from->index[k] % Np;
      double gradient[3][3];
      mx_fused_gradients(problem->metric[e], gradient);
      for (size_t a = 0; a < 3; a++, at++) {
        index[at] = gpu_at(problem->ref->order, e, a, (size_t)backend->place[i]);
        weight[at] = from->weight[k] * gradient[a][c];
      }
    }
  }
  first[pieces] = summands;
  if (gpu_new_copy(backend, &backend->piece_first, first, (pieces + 1) * sizeof *first, "functionals", err) != 0 ||
      gpu_new_copy(backend, &backend->functional_index, index, summands * sizeof *index, "functionals", err) != 0 ||
      gpu_new_copy(backend, &backend->functional_weight, weight, summands * sizeof *weight, "functionals", err) != 0)
    goto fail;
fail:
  dg_free(first);
  dg_free(index);
  dg_free(weight);
  return err->code;
}

int gpu_functionals(struct mx_backend *backend, size_t first, size_t count, bool centred, double *value,
                    struct dg_error *err)
{
  const size_t *piece = backend->functional_piece + first;
  const size_t pieces = count > 0 ? piece[count] - piece[0] : 0;
  for (size_t f = 0; f < count; f++) value[f] = 0;
  if (pieces == 0) return 0;
  if (gpu_grow_staging(backend, pieces * sizeof(double), err) != 0) return err->code;
  double *part = (double *)(void *)backend->card_staging[1];
  for (size_t f = 0; f < count; f++) {
    const bool magnetic = backend->problem->functional[first + f].magnetic;
    const void *u = backend->field[magnetic];
    const struct gpu_sum sum = {.count = piece[f + 1] - piece[f],
                                .first = backend->piece_first + piece[f],
                                .index = backend->functional_index,
                                .weight = backend->functional_weight,
                                .u = u,
                                .v = magnetic && centred ? gpu_other_H(backend) : u,
                                .part = part + (piece[f] - piece[0])};
    if (gpu_check(gpu_weighted_sums(backend->tables.single, &sum, backend->work), "observing", err) != 0)
      return err->code;
  }
  if (receive(backend, pieces * sizeof(double), err) != 0) return err->code;
  for (size_t f = 0; f < count; f++)
    for (size_t i = piece[f] - piece[0]; i < piece[f + 1] - piece[0]; i++) {
      double some;
      memcpy(&some, backend->staging[1] + i * sizeof some, sizeof some);
      value[f] += some;
    }
  return 0;
}

/* ---- whole fields */

void gpu_to_cartesian(const struct mx_backend *backend, const void *from, size_t first, size_t count, double *to)
{
  const struct mx_problem *problem = backend->problem;
  const int order = problem->ref->order;
  const size_t Np = (size_t)problem->ref->Np;
#pragma omp parallel for schedule(static)
  for (size_t k = 0; k < count; k++) {
    double g[3][3];
    mx_fused_gradients(problem->metric[first + k], g);
    for (size_t c = 0; c < 3; c++)
      for (size_t n = 0; n < Np; n++) {
        double value = 0;
        for (size_t a = 0; a < 3; a++) value += g[a][c] * gpu_get(backend, from, gpu_at(order, k, a, n));
        to[(3 * (first + k) + c) * Np + (size_t)backend->node[n]] = value;
      }
  }
}

/* Starts the way of a piece of (u + v)/2 to the host. */
static int fetch(struct mx_backend *backend, const void *u, const void *v, size_t first, size_t count, int turn,
                 struct dg_error *err)
{
  const size_t numbers = gpu_stride(backend->tables.order) * count, bytes = numbers * backend->real;
  const size_t at = gpu_stride(backend->tables.order) * first * backend->real;
  const unsigned char *from = (const unsigned char *)u + at;
  if (u != v) {
    if (gpu_check(gpu_mean(backend->tables.single, numbers, from, (const unsigned char *)v + at,
                           backend->card_staging[turn], backend->work),
                  "observing fields", err) != 0)
      return err->code;
    from = backend->card_staging[turn];
  }
  if (gpu_check(gpuMemcpyAsync(backend->staging[turn], from, bytes, gpuMemcpyDeviceToHost, backend->work),
                "copying fields", err) != 0)
    return err->code;
  return gpu_check(gpuEventRecord(backend->staged[turn], backend->work), "copying fields", err);
}

static int download_field(struct mx_backend *backend, const void *u, const void *v, double *to, struct dg_error *err)
{
  const size_t K = backend->problem->K;
  if (gpu_grow_staging(backend, GPU_STAGING, err) != 0) return err->code;
  const size_t most = backend->staging_bytes / (gpu_stride(backend->tables.order) * backend->real);
  int turn = 0;
  if (fetch(backend, u, v, 0, K < most ? K : most, turn, err) != 0) return err->code;
  for (size_t first = 0; first < K; first += most, turn = 1 - turn) {
    const size_t next = first + most, rest = next < K ? K - next : 0;
    if (rest > 0 && fetch(backend, u, v, next, rest < most ? rest : most, 1 - turn, err) != 0) return err->code;
    if (gpu_check(gpuEventSynchronize(backend->staged[turn]), "copying fields", err) != 0) return err->code;
    gpu_to_cartesian(backend, backend->staging[turn], first, K - first < most ? K - first : most, to);
  }
  return 0;
}

int gpu_download(struct mx_backend *backend, double *E, double *H, struct dg_error *err)
{
  const void *before = gpu_other_H(backend);
  if (E != NULL && download_field(backend, backend->field[0], backend->field[0], E, err) != 0) return err->code;
  if (H != NULL && download_field(backend, backend->field[1], before, H, err) != 0) return err->code;
  return 0;
}

int gpu_check_fields(struct mx_backend *backend, struct mx_field_check *check, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  *check = (struct mx_field_check){.finite = true};
  if (gpu_grow_staging(backend, GPU_STAGING, err) != 0) return err->code;
  const size_t most = backend->staging_bytes / (9 * sizeof(double));
  for (size_t first = 0; first < problem->K; first += most) {
    const size_t count = problem->K - first < most ? problem->K - first : most;
    for (size_t k = 0; k < count; k++) {
      double g[3][3];
      mx_fused_gradients(problem->metric[first + k], g);
      memcpy(backend->staging[0] + k * sizeof g, g, sizeof g);
    }
    const struct gpu_largest wanted = {.first = first,
                                       .count = count,
                                       .gradient = (const double *)(void *)backend->card_staging[0],
                                       .E = backend->field[0],
                                       .H = backend->field[1],
                                       .largest = (double *)(void *)backend->card_staging[1]};
    if (send(backend, count * 9 * sizeof(double), err) != 0 ||
        gpu_check(gpu_largest_component(&backend->tables, &wanted, backend->work), "checking fields", err) != 0 ||
        receive(backend, count * sizeof(double), err) != 0)
      return err->code;
    for (size_t k = 0; k < count; k++) {
      double largest;
      memcpy(&largest, backend->staging[1] + k * sizeof largest, sizeof largest);
      *check = mx_fused_worse(
          *check, (struct mx_field_check){.finite = isfinite(largest), .element = first + k, .largest = largest});
    }
  }
  return 0;
}
