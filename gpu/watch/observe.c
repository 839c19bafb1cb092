/* Observation of the fields: the card computes, and a few numbers come back, or whole fields in pieces. */
#include <math.h>
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/core/curves.h"
#include "gpu/core/halo.h"
#include "gpu/core/places.h"
#include "gpu/core/staging.h"
#include "gpu/terms/list.h"
#include "gpu/watch/observe.h"
#include "gpu/watch/past_h.h"
#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/frame/frame.h"

/* The two ends of a computation on the card: the first `in` bytes of staging[0] go to the card; then the caller
 * launches its kernel; then `out` bytes of the card's staging[1] come back to the host's staging[1]. */
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

/* Starts the i-th of several products that are asked for together. */
static int begin_product(struct mx_backend *backend, int i, struct gpu_product wanted, struct dg_error *err)
{
  wanted.part = (double *)(void *)backend->card_staging[1] + i * GPU_SUM_PARTS;
  if (wanted.element == NULL) wanted.metric = backend->applied.of[wanted.weight % 2];
  return gpu_all_products(backend, wanted, err);
}

static int end_products(struct mx_backend *backend, size_t count, double *sum, struct dg_error *err)
{
  const size_t bytes = GPU_SUM_PARTS * sizeof(double);
  if (receive(backend, count * bytes, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) sum[i] = gpu_sum_of_parts(backend->staging[1] + i * bytes, GPU_SUM_PARTS);
  return 0;
}

/* Starts the product of H with H of half a step ago, which is worked out part by part. */
static int begin_recalled_product(struct mx_backend *backend, int i, struct dg_error *err)
{
  for (struct gpu_some some = {0}; gpu_next_rows(backend, &some);)
    if (gpu_recall_H(backend, &some, 1, backend->recall->row, err) != 0 ||
        begin_product(backend, i,
                      (struct gpu_product){.u = backend->recall->row,
                                           .v = backend->field[1],
                                           .weight = 1,
                                           .more = some.first > 0,
                                           .first = some.first,
                                           .count = some.count},
                      err) != 0)
      return err->code;
  return 0;
}

int gpu_energy(struct mx_backend *backend, double *electric, double *magnetic, struct dg_error *err)
{
  const size_t K = backend->problem->K;
  const struct gpu_product E = {.u = backend->field[0], .v = backend->field[0], .weight = 0, .count = K};
  struct gpu_product H = {.v = backend->field[1], .weight = 1, .count = K};
  double sum[4] = {0};
  if (!backend->in_place) H.u = gpu_other_H(backend);
  const bool lags = mx_any_loss(backend->problem, MX_FARADAY) && H.u != H.v; /* time/medium.h */
  const struct gpu_product after = {.u = H.v, .v = H.v, .weight = 3, .count = K},
                           before = {.u = H.u, .v = H.u, .weight = 3, .count = K};
  if (gpu_grow_staging(backend, 4 * GPU_SUM_PARTS * sizeof(double), err) != 0 ||
      begin_product(backend, 0, E, err) != 0 ||
      gpu_terms_energy(backend, 0, (double *)(void *)backend->card_staging[1], err) != 0 ||
      (backend->in_place ? begin_recalled_product(backend, 1, err) : begin_product(backend, 1, H, err)) != 0 ||
      gpu_terms_energy(backend, 1, (double *)(void *)backend->card_staging[1] + GPU_SUM_PARTS, err) != 0 ||
      (lags && (begin_product(backend, 2, after, err) != 0 || begin_product(backend, 3, before, err) != 0)) ||
      end_products(backend, lags ? 4 : 2, sum, err) != 0)
    return err->code;
  *electric = 0.5 * sum[0];
  *magnetic = 0.5 * (sum[1] - (sum[2] - sum[3]));
  return 0;
}

/* Adds the losses of an equation to *loss. For H they are the losses of the mean field: a quarter of H.H, a quarter of
 * H_other.H_other, and half of H.H_other. Where H has losses, leapfrog does not work in place. */
static int loss_of(struct mx_backend *backend, enum mx_equation equation, size_t count, const int32_t *element,
                   double *loss, struct dg_error *err)
{
  const size_t bytes = count * (sizeof(double) + sizeof(int32_t));
  const void *const u = backend->field[equation], *const v = equation == MX_AMPERE ? u : gpu_other_H(backend);
  const size_t products = u == v ? 1 : 3;
  double sum[3] = {0};
  if (gpu_grow_staging(backend, bytes + 3 * GPU_SUM_PARTS * sizeof(double), err) != 0) return err->code;
  double *factor = (double *)(void *)backend->staging[0];
  for (size_t k = 0; k < count; k++) factor[k] = mx_medium_of(backend->problem, equation, (size_t)element[k]).loss;
  memcpy(backend->staging[0] + count * sizeof(double), element, count * sizeof *element);
  if (send(backend, bytes, err) != 0) return err->code;
  for (size_t i = 0; i < products; i++) {
    const struct gpu_product wanted = {
        .u = i == 0 ? u : v,
        .v = i == 1 ? v : u,
        .count = count,
        .metric = backend->applied.of[equation],
        .factor = (const double *)(void *)backend->card_staging[0],
        .element = (const int32_t *)(void *)(backend->card_staging[0] + count * sizeof(double))};
    if (begin_product(backend, (int)i, wanted, err) != 0) return err->code;
  }
  if (end_products(backend, products, sum, err) != 0) return err->code;
  *loss += products == 1 ? sum[0] : 0.25 * (sum[0] + sum[1]) + 0.5 * sum[2];
  return 0;
}

int gpu_loss(struct mx_backend *backend, size_t count, const int32_t *element, double *loss, struct dg_error *err)
{
  *loss = 0;
  if (count == 0) return 0;
  if (loss_of(backend, MX_AMPERE, count, element, loss, err) != 0 ||
      (mx_any_loss(backend->problem, MX_FARADAY) && loss_of(backend, MX_FARADAY, count, element, loss, err) != 0))
    return err->code;
  return gpu_terms_loss(backend, count, element, loss, err);
}

/* Points of a call at most, so that their buffers stay small. Points of one element follow each other. */
enum { MOST_POINTS = 16384 };

static bool enters(const struct mx_point *point, size_t k)
{
  return k == 0 || point[k].element != point[k - 1].element;
}

/* The number of points of a call: so many that there is room for them, and for the rows of H at them. */
static size_t points_at_a_time(const struct mx_backend *backend, size_t count, const struct mx_point *point)
{
  size_t k = 0;
  if (count > MOST_POINTS) count = MOST_POINTS;
  for (size_t rows = 0; k < count && backend->in_place; k++) {
    rows += enters(point, k);
    if (rows > backend->recall->rows) return k;
  }
  return count;
}

static int sample_part(struct mx_backend *backend, size_t count, const struct mx_point *point, double (*value)[6],
                       struct dg_error *err)
{
  const size_t Np = (size_t)backend->problem->ref->Np;
  const size_t weights = count * Np * sizeof(double), numbers = count * sizeof(int32_t);
  if (gpu_grow_staging(backend, weights + 4 * numbers + count * 6 * sizeof(double), err) != 0) return err->code;
  int32_t *number = (int32_t *)(void *)(backend->staging[0] + weights), *row = number + 2 * count;
  int32_t *recalled = number + 3 * count; /* elements of the rows */
  size_t rows = 0;
  gpu_list_points(backend, count, point, (double *)(void *)backend->staging[0], number, number + count);
  for (size_t k = 0; k < count; k++) {
    if (enters(point, k)) recalled[rows++] = number[k];
    row[k] = backend->in_place ? (int32_t)(rows - 1) : number[k];
  }
  const int32_t *on_card = (const int32_t *)(void *)(backend->card_staging[0] + weights);
  const struct gpu_points points = {.count = count,
                                    .element = on_card,
                                    .node = on_card + count,
                                    .row = on_card + 2 * count,
                                    .other_row = on_card + 2 * count,
                                    .H = backend->in_place ? backend->recall->row : backend->field[1],
                                    .H_other = backend->in_place ? backend->recall->row : gpu_other_H(backend),
                                    .weight = (const double *)(void *)backend->card_staging[0],
                                    .E = backend->field[0],
                                    .value = (double *)(void *)backend->card_staging[1]};
  const struct gpu_some some = {.count = rows, .element = on_card + 3 * count};
  if (send(backend, weights + 4 * numbers, err) != 0 ||
      (backend->in_place && gpu_recall_H(backend, &some, 0.5, backend->recall->row, err) != 0) ||
      gpu_check(gpu_sample(&backend->tables, &points, backend->work), "observing points", err) != 0 ||
      receive(backend, count * 6 * sizeof(double), err) != 0)
    return err->code;
  for (size_t k = 0; k < count; k++)
    gpu_point_to_cartesian(gpu_metric_of_point(backend, &point[k]), backend->staging[1] + k * sizeof *value, value[k]);
  return 0;
}

int gpu_sample_points(struct mx_backend *backend, size_t count, const struct mx_point *point, double (*value)[6],
                      struct dg_error *err)
{
  for (size_t first = 0, some; first < count; first += some) {
    some = points_at_a_time(backend, count - first, point + first);
    if (sample_part(backend, some, point + first, value + first, err) != 0) return err->code;
  }
  return 0;
}

/* ---- functionals */

/* The summands of a functional, whose first element is `row` of the list: a component of the problem is three numbers
 * of the card. */
static void pack_functional(const struct mx_backend *backend, const struct mx_functional *from, size_t row,
                            struct gpu_place *place, double *weight)
{
  const struct mx_problem *problem = backend->problem;
  const size_t Np = (size_t)problem->ref->Np;
  for (size_t k = 0; k < from->count; k++) {
    const size_t e = from->index[k] / (3 * Np), c = from->index[k] / Np % 3, i = from->index[k] % Np;
    double gradient[3][3];
    if (k > 0 && e != from->index[k - 1] / (3 * Np)) row++;
    mx_frame_gradients(gpu_metric_at(backend, e, i), gradient);
    for (size_t a = 0; a < 3; a++) {
      const size_t at = gpu_at(problem->ref->order, 0, a, (size_t)backend->place[i]);
      place[3 * k + a] = (struct gpu_place){.row = (uint32_t)row, .at = (uint32_t)at};
      weight[3 * k + a] = from->weight[k] * gradient[a][c];
    }
  }
}

int gpu_pack_functionals(struct mx_backend *backend, struct dg_error *err)
{
  enum {
    PIECE = 768
  }; /* summands: a few for every thread of a block, since each waits for three loads one behind the other */
  const struct mx_problem *problem = backend->problem;
  const size_t F = problem->functionals;
  size_t pieces = 0, summands = 0, rows = 0;
  uint64_t *first = NULL;
  struct gpu_place *place = NULL;
  int32_t *element = NULL;
  double *weight = NULL;
  uint8_t *magnetic = NULL;
  if (DG_NEW(backend->functional_piece, F + 1, err) != 0 || DG_NEW(backend->functional_row, F + 1, err) != 0)
    return err->code;
  for (size_t f = 0; f < F; f++) {
    summands += 3 * problem->functional[f].count;
    pieces += (3 * problem->functional[f].count + PIECE - 1) / PIECE;
    rows += gpu_rows_of_functional(problem, f, NULL);
    backend->functional_piece[f + 1] = pieces;
    backend->functional_row[f + 1] = rows;
  }
  if (pieces == 0) return 0;
  if (DG_NEW(first, pieces + 1, err) != 0 || DG_NEW(place, summands, err) != 0 || DG_NEW(weight, summands, err) != 0 ||
      DG_NEW(element, rows, err) != 0 || DG_NEW(magnetic, pieces, err) != 0)
    goto fail;
  size_t at = 0, piece = 0;
  for (size_t f = 0; f < F; f++) {
    const struct mx_functional *from = &problem->functional[f];
    const size_t end = at + 3 * from->count;
    for (size_t i = at; i < end; i += PIECE) first[piece++] = i;
    (void)gpu_rows_of_functional(problem, f, element + backend->functional_row[f]);
    pack_functional(backend, from, backend->functional_row[f], place + at, weight + at);
    for (size_t i = backend->functional_piece[f]; i < backend->functional_piece[f + 1]; i++)
      magnetic[i] = from->magnetic;
    at = end;
  }
  first[pieces] = summands;
  if (gpu_new_copy(&backend->card, &backend->piece_first, first, (pieces + 1) * sizeof *first, "functionals", err) !=
          0 ||
      gpu_new_copy(&backend->card, &backend->functional_place, place, summands * sizeof *place, "functionals", err) !=
          0 ||
      gpu_new_copy(&backend->card, &backend->functional_element, element, rows * sizeof *element, "functionals", err) !=
          0 ||
      gpu_new_copy(&backend->card, &backend->functional_weight, weight, summands * sizeof *weight, "functionals",
                   err) != 0 ||
      gpu_new_copy(&backend->card, &backend->piece_magnetic, magnetic, pieces, "functionals", err) != 0)
    goto fail;
fail:
  dg_free(magnetic);
  dg_free(first);
  dg_free(place);
  dg_free(element);
  dg_free(weight);
  return err->code;
}

/* Starts the sums of the pieces of functionals first..first+count-1, of the fields as they are. */
static int begin_functionals(const struct mx_backend *backend, size_t first, size_t count, double *part,
                             struct dg_error *err)
{
  const size_t *piece = backend->functional_piece + first;
  void *const *field = backend->within ? backend->spare : backend->field;
  const struct gpu_sum sum = {.order = backend->tables.order,
                              .count = piece[count] - piece[0],
                              .first = backend->piece_first + piece[0],
                              .place = backend->functional_place,
                              .row = backend->functional_element,
                              .other_row = backend->functional_element,
                              .weight = backend->functional_weight,
                              .u = field[0],
                              .v = field[1],
                              .takes_v = backend->piece_magnetic + piece[0],
                              .part = part};
  return gpu_check(gpu_weighted_sums(&backend->tables, &sum, backend->work), "observing", err);
}

/* Starts the sums of functional f, for the fields at the time of a step. */
static int begin_centred(struct mx_backend *backend, size_t f, double *part, struct dg_error *err)
{
  const size_t *row = backend->functional_row + f;
  const struct gpu_some some = {.count = row[1] - row[0], .element = backend->functional_element + row[0]};
  struct gpu_sum sum = gpu_sum_of_functional(backend, f, part);
  if (some.count == 0) return 0;
  if (backend->problem->functional[f].magnetic && backend->in_place) {
    if (gpu_recall_H(backend, &some, 0.5, backend->recall->row, err) != 0) return err->code;
    sum.u = sum.v = backend->recall->row;
    sum.row = sum.other_row = NULL;
  } else if (backend->problem->functional[f].magnetic) sum.v = gpu_other_H(backend);
  return gpu_check(gpu_weighted_sums(&backend->tables, &sum, backend->work), "observing", err);
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
  if (!centred && begin_functionals(backend, first, count, part, err) != 0) return err->code;
  for (size_t f = 0; f < count && centred; f++)
    if (begin_centred(backend, first + f, part + (piece[f] - piece[0]), err) != 0) return err->code;
  if (receive(backend, pieces * sizeof(double), err) != 0) return err->code;
  for (size_t f = 0; f < count; f++)
    value[f] = gpu_sum_of_parts(backend->staging[1] + (piece[f] - piece[0]) * sizeof *value, piece[f + 1] - piece[f]);
  return 0;
}

/* The kernels write to the host's memory, since a copy would stand between them and the stage. */
int gpu_functionals_begin(struct mx_backend *backend, size_t first, size_t count, struct dg_error *err)
{
  const size_t *piece = backend->functional_piece + first,
               all = backend->functional_piece[backend->problem->functionals];
  if (piece[count] == piece[0]) return 0;
  if (backend->functional_part == NULL &&
      gpu_new_pinned(&backend->pinned, &backend->functional_part, all * sizeof *backend->functional_part, err) != 0)
    return err->code;
  if (begin_functionals(backend, first, count, backend->functional_part, err) != 0) return err->code;
  return gpu_check(gpuEventRecord(backend->functional_there, backend->work), "observing", err);
}

int gpu_functionals_end(struct mx_backend *backend, size_t first, size_t count, double *value, struct dg_error *err)
{
  const size_t *piece = backend->functional_piece + first;
  if (gpu_check(gpuEventSynchronize(backend->functional_there), "observing", err) != 0) return err->code;
  for (size_t f = 0; f < count; f++) {
    value[f] = 0;
    for (size_t i = piece[f] - piece[0]; i < piece[f + 1] - piece[0]; i++) value[f] += backend->functional_part[i];
  }
  return 0;
}

/* ---- whole fields */

/* The row of an element as it comes from the card, in doubles. */
static void read_row(const struct mx_backend *backend, const void *from, size_t k, double *row)
{
  const size_t begin = gpu_at(backend->tables.order, k, 0, 0), numbers = 3 * (size_t)DG_NP(backend->tables.order);
  if (backend->tables.single)
    for (size_t i = 0; i < numbers; i++) row[i] = (double)((const float *)from)[begin + i];
  else memcpy(row, (const double *)from + begin, numbers * sizeof *row);
}

/* Cartesian components of elements first..first+count-1, to[K][3][Np]. */
static void to_cartesian(const struct mx_backend *backend, const void *from, size_t first, size_t count, double *to)
{
  const struct mx_problem *problem = backend->problem;
  const size_t Np = (size_t)problem->ref->Np;
  const int32_t *const node = backend->node;
#pragma omp parallel for schedule(static)
  for (size_t k = 0; k < count; k++) {
    double g[3][3], row[3 * DG_NP_MAX];
    const bool curved = gpu_is_curved(backend, first + k);
    read_row(backend, from, k, row);
    mx_frame_gradients(problem->metric[first + k], g);
    for (size_t c = 0; c < 3; c++) {
      double *const value = to + (3 * (first + k) + c) * Np;
      for (size_t n = 0; n < Np; n++) {
        if (curved) mx_frame_gradients(gpu_metric_at(backend, first + k, (size_t)node[n]), g);
        value[node[n]] = g[0][c] * row[n] + g[1][c] * row[Np + n] + g[2][c] * row[2 * Np + n];
      }
    }
  }
}

/* Starts the way of rows at..at+count-1 of (u + v)/2 to the host. */
static int start_rows(const struct mx_backend *backend, const struct gpu_way *way, const void *u, const void *v,
                      size_t at, size_t count, int buffer, struct dg_error *err)
{
  const size_t numbers = gpu_stride(backend->tables.order) * count, bytes = numbers * backend->real;
  const size_t before = gpu_stride(backend->tables.order) * at * backend->real;
  const unsigned char *from = (const unsigned char *)u + before;
  if (u != v) {
    if (gpu_check(gpu_mean(backend->tables.single, numbers, from, (const unsigned char *)v + before, way->card[buffer],
                           way->stream),
                  "observing fields", err) != 0)
      return err->code;
    from = way->card[buffer];
  }
  if (gpu_check(gpuMemcpyAsync(way->pinned[buffer], from, bytes, gpuMemcpyDeviceToHost, way->stream), "copying fields",
                err) != 0)
    return err->code;
  return gpu_check(gpuEventRecord(way->arrived[buffer], way->stream), "copying fields", err);
}

int gpu_bring_rows(const struct mx_backend *backend, const struct gpu_way *way, const void *u, const void *v,
                   size_t first, size_t count, double *to, struct dg_error *err)
{
  const size_t most = way->bytes / (gpu_stride(backend->tables.order) * backend->real);
  int buffer = 0;
  if (start_rows(backend, way, u, v, 0, count < most ? count : most, buffer, err) != 0) return err->code;
  for (size_t at = 0; at < count; at += most, buffer = 1 - buffer) {
    const size_t next = at + most, rest = next < count ? count - next : 0;
    if (rest > 0 && start_rows(backend, way, u, v, next, rest < most ? rest : most, 1 - buffer, err) != 0)
      return err->code;
    if (gpu_check(gpuEventSynchronize(way->arrived[buffer]), "copying fields", err) != 0) return err->code;
    to_cartesian(backend, way->pinned[buffer], first + at, count - at < most ? count - at : most, to);
  }
  return 0;
}

/* The mean of H of now and half a step ago, which is worked out part by part. */
static int bring_recalled(struct mx_backend *backend, const struct gpu_way *way, double *to, struct dg_error *err)
{
  const void *const row = backend->recall->row;
  for (struct gpu_some some = {0}; gpu_next_rows(backend, &some);)
    if (gpu_recall_H(backend, &some, 0.5, backend->recall->row, err) != 0 ||
        gpu_bring_rows(backend, way, row, row, some.first, some.count, to, err) != 0)
      return err->code;
  return 0;
}

int gpu_download(struct mx_backend *backend, double *E, double *H, struct dg_error *err)
{
  const size_t K = backend->problem->K;
  const void *const *field = (const void *const *)backend->field;
  if (gpu_grow_staging(backend, GPU_STAGING, err) != 0) return err->code;
  const struct gpu_way way = {.stream = backend->work,
                              .bytes = backend->staging_bytes,
                              .pinned = {backend->staging[0], backend->staging[1]},
                              .card = {backend->card_staging[0], backend->card_staging[1]},
                              .arrived = {backend->staged[0], backend->staged[1]}};
  if (E != NULL && gpu_bring_rows(backend, &way, field[0], field[0], 0, K, E, err) != 0) return err->code;
  if (H == NULL) return 0;
  return backend->in_place ? bring_recalled(backend, &way, H, err)
                           : gpu_bring_rows(backend, &way, field[1], gpu_other_H(backend), 0, K, H, err);
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
      mx_frame_gradients(problem->metric[first + k], g);
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
      if (gpu_is_curved(backend, first + k)) continue;
      memcpy(&largest, backend->staging[1] + k * sizeof largest, sizeof largest);
      *check = mx_worse_check(
          *check, (struct mx_field_check){.finite = isfinite(largest), .element = first + k, .largest = largest});
    }
  }
  return gpu_check_curved(backend, check, err);
}
