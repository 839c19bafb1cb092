/* Cuts out of a problem the elements that may decide the step: the fastest ones with their neighbours, and clusters of
 * slivers that touch each other. stability.c iterates on these parts, and slow_elements.c times one. */
#include "maxwell/limit/local_part.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/base/vec3.h"
#include "maxwell/problem/beyond.h"
#include "maxwell/problem/curved.h"
#include "maxwell/time/responses.h"

/* ---- which elements: the same ones for any number of ranks */

struct selection {
  const struct mx_problem *whole;
  const double *rate;   /* [K] */
  size_t wanted, count; /* elements, counted over all ranks */
  char *taken;          /* [K] */
};

static int64_t number_of(const struct mx_problem *problem, size_t e)
{
  return problem->global != NULL ? problem->global[e] : (int64_t)e;
}

/* The larger contribution, 1/m: that of the derivatives or that of the faces. */
static double geometric_rate(const struct mx_problem *problem, size_t e)
{
  double metric = 0, faces = 0;
  for (int i = 0; i < 9; i++) metric += problem->metric[e][i] * problem->metric[e][i];
  for (int f = 0; f < 4; f++) faces += problem->face_scale[e][f];
  return fmax(sqrt(metric), faces);
}

/* The same of a curved element: the largest at any node of its map. A face scale is twice the slope of the barycentric
 * coordinate that is zero on the face. */
static double curved_rate(const struct mx_problem *problem, size_t k)
{
  const int g = problem->curves.geometry;
  double largest = 0;
  for (int t = 0; t <= g; t++)
    for (int s = 0; s + t <= g; s++)
      for (int r = 0; r + s + t <= g; r++) {
        const double place[3] = {2.0 * r / g - 1, 2.0 * s / g - 1, 2.0 * t / g - 1};
        double slope[9], sum[3] = {0}, metric = 0, faces = 0;
        (void)mx_curve_metric(problem, k, place, slope);
        for (int a = 0; a < 3; a++) {
          metric += dg_dot(slope + 3 * a, slope + 3 * a);
          faces += sqrt(dg_dot(slope + 3 * a, slope + 3 * a));
          for (int b = 0; b < 3; b++) sum[b] += slope[3 * a + b];
        }
        largest = fmax(largest, fmax(sqrt(metric), faces + sqrt(dg_dot(sum, sum))));
      }
  return largest;
}

/* How much faster than in the medium of the scalars a wave in one of tensors may be. */
static double fastest(const struct mx_tensor *tensor)
{
  double least, most[2];
  for (int i = 0; i < 2; i++) mx_tensor_extremes(tensor->inverse[i], &least, &most[i]);
  return sqrt(most[0] * most[1]);
}

void mx_local_rates(const struct mx_problem *whole, bool losses, double *rate)
{
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < whole->K; e++) {
    const ptrdiff_t k = whole->curves.count > 0 ? mx_curve_find(whole, e) : -1;
    const double here = k >= 0 ? curved_rate(whole, (size_t)k) : geometric_rate(whole, e);
    rate[e] = here / sqrt(whole->epsilon[e] * whole->mu[e]);
    if (whole->tensor[e] > 0) rate[e] *= fastest(&whole->shape[whole->tensor[e] - 1]);
    if (losses) rate[e] += mx_relaxation(whole, e);
  }
}

int mx_neighbourhood_rates(const struct mx_problem *whole, double *rate, struct dg_error *err)
{
  double *beyond = NULL, *sum = NULL;
  if (DG_NEW(beyond, whole->ghosts, err) != 0 || DG_NEW(sum, whole->K, err) != 0 ||
      mx_values_beyond(whole, sizeof *rate, rate, beyond, err) != 0)
    goto fail;
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < whole->K; e++) {
    sum[e] = rate[e] * rate[e];
    for (int f = 0; f < 4; f++) {
      const int32_t code = whole->neighbour[e][f];
      const size_t other = (size_t)(code / 4);
      const double there = code < 0 ? 0 : other < whole->K ? rate[other] : beyond[other - whole->K];
      sum[e] += there * there;
    }
  }
  for (size_t e = 0; e < whole->K; e++) rate[e] = sqrt(sum[e]);
fail:
  dg_free(beyond);
  dg_free(sum);
  return err->code;
}

/* A sort key that descends as the rate grows. Rates are not negative, and the bits of such numbers are ordered as the
 * numbers are. */
static uint64_t fastest_first(double rate)
{
  uint64_t bits;
  memcpy(&bits, &rate, sizeof bits);
  return ~bits;
}

static int compare(const void *a, const void *b)
{
  const struct dg_keyed *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->item > y->item) - (x->item < y->item);
}

/* Finds the n-th item (1 is the first) of all ranks' lists, by key and item; *last is the same on all ranks. */
static int find_nth(struct dg_comm *comm, size_t count, const struct dg_keyed *list, size_t n, struct dg_keyed *last,
                    struct dg_error *err)
{
  struct dg_keyed *all;
  size_t *bytes, total = 0;
  if (DG_NEW(bytes, dg_comm_size(comm), err) != 0) return err->code;
  if (dg_comm_gather(comm, count * sizeof *list, list, &all, bytes, err) != 0) goto fail;
  for (int rank = 0; rank < dg_comm_size(comm); rank++) total += bytes[rank] / sizeof *list;
  if (dg_comm_rank(comm) == 0) {
    qsort(all, total, sizeof *all, compare);
    *last = all[n - 1];
  }
  dg_free(all);
  if (dg_comm_broadcast(comm, sizeof *last, last, err) != 0) goto fail;
fail:
  dg_free(bytes);
  return err->code;
}

static int sum_over_ranks(struct dg_comm *comm, size_t own, size_t *sum, struct dg_error *err)
{
  int64_t value = (int64_t)own;
  if (dg_comm_reduce_int(comm, DG_SUM, 1, &value, err) != 0) return err->code;
  *sum = (size_t)value;
  return 0;
}

/* Takes exactly the `most` fastest elements. */
static int take_fastest(struct selection *s, size_t most, struct dg_error *err)
{
  const struct mx_problem *whole = s->whole;
  size_t K = whole->K, first = K < most ? K : most;
  struct dg_keyed *rank = NULL, last = {0, 0};
  if (DG_NEW(rank, K, err) != 0) return err->code;
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < K; e++) rank[e] = (struct dg_keyed){fastest_first(s->rate[e]), e};
  if (dg_sort_keyed(rank, K, err) != 0) goto fail;
  while (first < K && rank[first].key == rank[first - 1].key) first++; /* among equal rates the numbers decide */
  for (size_t i = 0; i < K; i++) rank[i].item = (size_t)number_of(whole, rank[i].item);
  if (find_nth(whole->comm, first, rank, most, &last, err) != 0) goto fail;
  for (size_t e = 0; e < K; e++) {
    const struct dg_keyed here = {fastest_first(s->rate[e]), (size_t)number_of(whole, e)};
    s->taken[e] = compare(&here, &last) <= 0;
  }
  s->count = most;
fail:
  dg_free(rank);
  return err->code;
}

/* Lists the elements that are not taken and touch one that is: layer[*count]. */
static int find_layer(const struct selection *s, struct dg_keyed *layer, size_t *count, struct dg_error *err)
{
  const struct mx_problem *whole = s->whole;
  char *beyond;
  *count = 0;
  if (DG_NEW(beyond, whole->ghosts, err) != 0) return err->code;
  if (mx_values_beyond(whole, sizeof *beyond, s->taken, beyond, err) != 0) goto fail;
  for (size_t e = 0; e < whole->K; e++) {
    bool touches = false;
    for (int f = 0; f < 4 && !s->taken[e]; f++) {
      int32_t code = whole->neighbour[e][f];
      size_t other = (size_t)(code / 4);
      touches = touches || (code >= 0 && (other < whole->K ? s->taken[other] : beyond[other - whole->K]));
    }
    if (touches) layer[(*count)++] = (struct dg_keyed){(uint64_t)number_of(whole, e), e};
  }
fail:
  dg_free(beyond);
  return err->code;
}

/* Takes layers around the taken elements. The last layer is taken only as far as wanted, by number. *layers is the
 * number of whole layers; a part that has no neighbours left has as many as one likes. */
static int take_layers(struct selection *s, int *layers, struct dg_error *err)
{
  struct dg_comm *comm = s->whole->comm;
  struct dg_keyed *layer, last = {UINT64_MAX, SIZE_MAX};
  *layers = 0;
  if (DG_NEW(layer, s->whole->K, err) != 0) return err->code;
  while (s->count < s->wanted) {
    size_t here = 0, all = 0;
    if (find_layer(s, layer, &here, err) != 0 || sum_over_ranks(comm, here, &all, err) != 0) goto fail;
    if (all == 0) {
      *layers = INT_MAX;
      break;
    }
    size_t left = s->wanted - s->count;
    if (all > left && find_nth(comm, here, layer, left, &last, err) != 0) goto fail;
    for (size_t i = 0; i < here; i++) s->taken[layer[i].item] = layer[i].key <= last.key;
    s->count += all > left ? left : all;
    *layers += all <= left;
  }
fail:
  dg_free(layer);
  return err->code;
}

static int take_region(struct selection *s, struct dg_error *err)
{
  int layers;
  if (take_fastest(s, s->wanted / 2, err) != 0) return err->code;
  return take_layers(s, &layers, err);
}

static int take_clusters(struct selection *s, struct dg_error *err)
{
  enum { LAYERS = 2, CLUSTER = 8 }; /* whole layers; least size of a cluster that shares some with others */
  int layers = 0;
  for (size_t most = s->wanted / CLUSTER + 1; layers < LAYERS; most /= 2) {
    if (take_fastest(s, most, err) != 0 || take_layers(s, &layers, err) != 0) return err->code;
    if (most == 1) break;
  }
  return 0;
}

/* ---- bringing them together */

/* The record of an element on its way to rank 0. */
struct record {
  int64_t number, neighbour[4]; /* number in the whole mesh; codes below zero stay as they are */
  int64_t beyond[4];            /* the same of the other face of a sheet of metal; -1: there is none */
  double turn[4][2];            /* cosine and sine by which what comes through a face is turned; 1 and 0: nothing */
#define MEMBER(type, name, numbers) type name numbers;
  MX_ELEMENT_ARRAYS(MEMBER)
#undef MEMBER
  int64_t
      response[2]; /* the responses in which the element has an entry: a layer or poles of E, and poles of H; or -1 */
  double parameter[2][MX_RESPONSE_PARAMETERS];
};

/* 4 * number + face in the whole mesh; codes below zero stay as they are. */
static int64_t number_of_face(const struct mx_problem *whole, int32_t code)
{
  size_t other = (size_t)(code / 4);
  if (code < 0) return code;
  if (other >= whole->K) other = (size_t)whole->halo->receive[other - whole->K] / 4; /* a ghost */
  return 4 * number_of(whole, other) + code % 4;
}

static void fill_record(struct record *record, const struct mx_problem *whole, size_t e)
{
#define FILL(type, name, numbers) memcpy(&record->name, &whole->name[e], sizeof record->name);
  MX_ELEMENT_ARRAYS(FILL)
#undef FILL
  record->number = number_of(whole, e);
  record->response[0] = record->response[1] = -1;
  for (size_t r = 0; r < whole->responses; r++) {
    const struct mx_response *response = &whole->response[r];
    const ptrdiff_t entry = mx_response_find(response, e);
    if (entry < 0) continue;
    record->response[response->of] = (int64_t)r;
    memcpy(record->parameter[response->of], mx_response_parameter(response, (size_t)entry),
           (size_t)mx_responses[response->kind]->parameters * sizeof(double));
  }
  for (int f = 0; f < 4; f++) {
    record->neighbour[f] = number_of_face(whole, whole->neighbour[e][f]);
    record->beyond[f] = number_of_face(whole, whole->far[e][f] - 1);
    record->turn[f][0] = 1;
  }
}

/* Fills the turns of records: index[K] is the record of an element, or -1. What comes through a face turns the other
 * way than what goes. */
static void fill_turns(struct record *record, const struct mx_problem *whole, const int32_t *index)
{
  for (size_t i = 0; whole->halo != NULL && i < whole->halo->turns; i++) {
    const struct dg_halo_turn *turn = &whole->halo->turn[i];
    const int32_t face[2] = {whole->halo->send[turn->re], whole->halo->send[turn->im]};
    for (int set = 0; set < 2; set++) {
      if (index[face[set] / 4] < 0) continue;
      double *to = record[index[face[set] / 4]].turn[face[set] % 4];
      to[0] = turn->cos;
      to[1] = -turn->sin;
    }
  }
}

static int compare_numbers(const void *a, const void *b)
{
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static int compare_records(const void *a, const void *b)
{
  const struct record *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

/* The face in the part, or MX_GHOST. */
static int32_t part_face(size_t count, const struct record *record, int64_t code)
{
  const struct record key = {.number = code / 4};
  const struct record *found = code < 0 ? NULL : bsearch(&key, record, count, sizeof key, compare_records);
  return found == NULL ? MX_GHOST : 4 * (int32_t)(found - record) + (int32_t)(code % 4);
}

/* The neighbour code in the part. */
static int32_t part_code(struct mx_problem *part, size_t count, const struct record *record, int64_t code)
{
  const bool open = code < 0 && mx_open_slot((int32_t)code) >= 0;
  return open ? MX_GHOST - 1 - (int32_t)part->open_faces++ : part_face(count, record, code);
}

/* Does what comes through face i % 4 of record i / 4 turn? */
static bool turns_at(const struct record *record, size_t i)
{
  const double *turn = record[i / 4].turn[i % 4];
  return turn[0] != 1 || turn[1] != 0;
}

/* Gives the part a halo for the faces through which fields turn; record[count] ascends, and has both sets of every
 * element. */
static int add_turns(struct mx_problem *part, size_t count, const struct record *record, struct dg_error *err)
{
  int32_t *own = NULL, *far = NULL, *place = NULL;
  size_t faces = 0, turns = 0;
  if (DG_NEW(own, 4 * count, err) != 0 || DG_NEW(far, 4 * count, err) != 0 || DG_NEW(place, 4 * count, err) != 0)
    goto fail;
  for (size_t i = 0; i < 4 * count; i++) {
    if (!turns_at(record, i) || part->neighbour[i / 4][i % 4] < 0) continue;
    own[faces] = (int32_t)i;
    far[faces++] = part->neighbour[i / 4][i % 4];
  }
  if (faces == 0 || DG_NEW(part->own, 1, err) != 0 || dg_halo_init_self(part->own, faces, own, far, err) != 0 ||
      DG_NEW(part->own->turn, faces / 2, err) != 0)
    goto fail;
  part->halo = part->own;
  part->ghosts = faces;
  mx_problem_set_inner(part, 0);
  for (size_t k = 0; k < faces; k++) place[part->own->send[k]] = (int32_t)k;
  for (size_t k = 0; k < faces; k++) {
    const int32_t face = part->own->send[k];
    const double *turn = record[face / 4].turn[face % 4];
    part->neighbour[face / 4][face % 4] = 4 * (int32_t)(part->K + k) + part->own->receive[k] % 4;
    if (face / 4 % 2 == 0)
      part->own->turn[turns++] =
          (struct dg_halo_turn){.re = (int32_t)k, .im = place[face + 4], .cos = turn[0], .sin = -turn[1]};
  }
  part->own->turns = turns;
fail:
  dg_free(own);
  dg_free(far);
  dg_free(place);
  return err->code;
}

/* Adds the responses of the part; record[count] ascends. */
static int add_responses(struct mx_problem *part, const struct mx_problem *whole, size_t count,
                         const struct record *record, struct dg_error *err)
{
  for (size_t r = 0; r < whole->responses; r++) {
    struct mx_response *response = NULL;
    const int of = whole->response[r].of;
    size_t entries = 0, k = 0;
    for (size_t i = 0; i < count; i++) entries += record[i].response[of] == (int64_t)r;
    if (mx_problem_add_response(part, whole->response[r].kind, of, entries, &response, err) != 0) return err->code;
    for (size_t i = 0; i < count; i++) {
      if (record[i].response[of] != (int64_t)r) continue;
      response->where[k] = (int32_t)i;
      memcpy(mx_response_parameter(response, k++), record[i].parameter[of],
             (size_t)mx_responses[response->kind]->parameters * sizeof(double));
    }
  }
  return 0;
}

static int from_records(struct mx_problem *part, const struct mx_problem *whole, size_t count, struct record *record,
                        struct dg_error *err)
{
  qsort(record, count, sizeof *record, compare_records);
  if (mx_problem_alloc(part, whole->ref, count, err) != 0) return err->code;
  if (whole->shapes > 0) {
    if (mx_problem_add_tensors(part, whole->shapes, err) != 0) return err->code;
    memcpy(part->shape, whole->shape, whole->shapes * sizeof *part->shape);
  }
  if (whole->metals > 0) {
    if (mx_problem_add_metals(part, whole->metals, err) != 0) return err->code;
    memcpy(part->metal, whole->metal, whole->metals * sizeof *part->metal);
  }
  for (size_t i = 0; i < count; i++) {
#define TAKE(type, name, numbers) memcpy(&part->name[i], &record[i].name, sizeof part->name[i]);
    MX_ELEMENT_ARRAYS(TAKE)
#undef TAKE
    for (int f = 0; f < 4; f++) {
      part->neighbour[i][f] = part_code(part, count, record, record[i].neighbour[f]);
      part->far[i][f] = 1 + part_face(count, record, record[i].beyond[f]);
    }
  }
  part->paired = whole->paired;
  if (whole->paired && add_turns(part, count, record, err) != 0) return err->code;
  if (mx_problem_list_faces(part, err) != 0) return err->code;
  return add_responses(part, whole, count, record, err);
}

/* Maps of taken curved elements, on rank 0: of each the number of its element and then its nodes. */
struct maps {
  int geometry; /* 0: no rank has any */
  size_t count, width;
  double *map; /* [count][width] */
};

static int gather_maps(struct maps *maps, const struct selection *s, struct dg_error *err)
{
  const struct mx_curves *from = &s->whole->curves;
  struct dg_comm *comm = s->whole->comm;
  double geometry = from->count > 0 ? from->geometry : 0, *own = NULL;
  size_t here = 0, *bytes = NULL;
  for (size_t k = 0; k < from->count; k++) here += s->taken[from->where[k]] != 0;
  if (dg_comm_reduce(comm, DG_MAX, 1, &geometry, err) != 0 || geometry == 0) return err->code;
  maps->geometry = (int)geometry;
  maps->width = 1 + 3 * mx_curve_nodes(maps->geometry);
  if (DG_NEW(own, here * maps->width, err) != 0 || DG_NEW(bytes, dg_comm_size(comm), err) != 0) goto fail;
  double *to = own;
  for (size_t k = 0; k < from->count; k++) {
    if (!s->taken[from->where[k]]) continue;
    *to = (double)number_of(s->whole, (size_t)from->where[k]);
    memcpy(to + 1, from->shape + k * mx_curve_nodes(maps->geometry), (maps->width - 1) * sizeof *to);
    to += maps->width;
  }
  if (dg_comm_gather(comm, here * maps->width * sizeof *own, own, &maps->map, bytes, err) != 0) goto fail;
  for (int rank = 0; rank < dg_comm_size(comm); rank++) maps->count += bytes[rank] / (maps->width * sizeof *own);
fail:
  dg_free(own);
  dg_free(bytes);
  return err->code;
}

/* Gives the part its curved elements; record[count] ascends. */
static int add_maps(struct mx_problem *part, const struct maps *maps, size_t count, const struct record *record,
                    struct dg_error *err)
{
  if (maps->count == 0) return 0;
  if (mx_problem_add_curves(part, maps->geometry, maps->count, err) != 0) return err->code;
  qsort(maps->map, maps->count, maps->width * sizeof *maps->map, compare_numbers);
  for (size_t k = 0; k < maps->count; k++) {
    const double *map = maps->map + k * maps->width;
    const struct record key = {.number = (int64_t)*map};
    const struct record *found = bsearch(&key, record, count, sizeof key, compare_records);
    part->curves.where[k] = (int32_t)(found - record);
    memcpy(part->curves.shape + k * mx_curve_nodes(maps->geometry), map + 1, (maps->width - 1) * sizeof *map);
  }
  return 0;
}

static int gather(struct mx_problem *part, const struct selection *s, size_t here, struct dg_error *err)
{
  const struct mx_problem *whole = s->whole;
  struct record *record = NULL, *all = NULL;
  struct maps maps = {0};
  int32_t *index = NULL;
  size_t k = 0;
  if (DG_NEW(record, here, err) != 0 || DG_NEW(index, whole->K, err) != 0) goto fail;
  for (size_t e = 0; e < whole->K; e++) {
    index[e] = s->taken[e] ? (int32_t)k : -1;
    if (s->taken[e]) fill_record(&record[k++], whole, e);
  }
  fill_turns(record, whole, index);
  if (gather_maps(&maps, s, err) == 0 &&
      dg_comm_gather(whole->comm, here * sizeof *record, record, &all, NULL, err) == 0 &&
      dg_comm_rank(whole->comm) == 0 && from_records(part, whole, s->count, all, err) == 0)
    (void)!add_maps(part, &maps, s->count, all, err);
fail:
  dg_free(maps.map);
  dg_free(index);
  dg_free(record);
  dg_free(all);
  return err->code;
}

static int restrict_to(struct mx_problem *part, const struct selection *s, size_t here, struct dg_error *err)
{
  size_t *list, k = 0;
  if (DG_NEW(list, here, err) != 0) return err->code;
  for (size_t e = 0; e < s->whole->K; e++)
    if (s->taken[e]) list[k++] = e;
  (void)!mx_problem_restrict(part, s->whole, here, list, err);
  dg_free(list);
  return err->code;
}

int mx_local_part(struct mx_problem *part, const struct mx_problem *whole, size_t elements, enum mx_part kind,
                  const double *rate, struct dg_error *err)
{
  struct selection s = {.whole = whole, .rate = rate};
  size_t all = 0, here = 0;
  *part = (struct mx_problem){0};
  if (sum_over_ranks(whole->comm, whole->K, &all, err) != 0 || DG_NEW(s.taken, whole->K, err) != 0) return err->code;
  s.wanted = elements < 2 ? 2 : elements;
  if (s.wanted >= all) {
    s.count = all;
    memset(s.taken, 1, whole->K);
  } else if ((kind == MX_PART_REGION ? take_region(&s, err) : take_clusters(&s, err)) != 0) {
    goto fail;
  }
  for (size_t e = 0; e < whole->K && whole->paired; e++) s.taken[e] |= s.taken[e ^ 1];
  for (size_t e = 0; e < whole->K; e++) here += s.taken[e] != 0;
  if (whole->paired && sum_over_ranks(whole->comm, here, &s.count, err) != 0) goto fail;
  if (whole->comm == NULL && whole->halo == NULL) {
    if (restrict_to(part, &s, here, err) != 0) goto fail;
  } else if (gather(part, &s, here, err) != 0) {
    goto fail;
  }
fail:
  dg_free(s.taken);
  return err->code;
}
