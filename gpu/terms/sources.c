/* Source terms on the card. The parts that do not change lie there from the start, along the faces or in covariant
 * components. A term with one number sends it with the launch; numbers and vectors by node go through pinned memory. */
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/terms/sources.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/frame/frame.h"

/* ---- set-up */

static int32_t element_of(bool faces, int32_t where) { return faces ? where / 4 : where; }

/* Fills order[count]: the numbers of the entries, sorted by element, those of an element in their order. A merge sort
 * keeps this order. Wires have many entries and few elements. */
static void sort_entries(bool faces, const int32_t *where, int32_t *order, int32_t *scratch, size_t count)
{
  if (count < 2) return;
  size_t half = count / 2, i = 0, j = half;
  sort_entries(faces, where, order, scratch, half);
  sort_entries(faces, where, order + half, scratch, count - half);
  for (size_t k = 0; k < count; k++) {
    bool left = j == count || (i < half && element_of(faces, where[order[i]]) <= element_of(faces, where[order[j]]));
    scratch[k] = order[left ? i++ : j++];
  }
  memcpy(order, scratch, count * sizeof *order);
}

/* The entries entry[count] of those at where[all]. */
static int pack_some(struct mx_backend *backend, struct gpu_entries *entries, bool faces, size_t count, int32_t *entry,
                     size_t all, const int32_t *where, struct dg_error *err)
{
  int32_t *start = NULL, *scratch = NULL;
  if (DG_NEW(start, count + 1, err) != 0 || DG_NEW(scratch, count, err) != 0) goto fail;
  sort_entries(faces, where, entry, scratch, count);
  for (size_t k = 0; k < count; k++)
    if (k == 0 || element_of(faces, where[entry[k]]) != element_of(faces, where[entry[k - 1]]))
      start[entries->groups++] = (int32_t)k;
  start[entries->groups] = (int32_t)count;
  if (gpu_new_copy(&backend->card, &entries->start, start, ((size_t)entries->groups + 1) * sizeof *start, "sources",
                   err) != 0 ||
      gpu_new_copy(&backend->card, &entries->entry, entry, count * sizeof *entry, "sources", err) != 0 ||
      gpu_new_copy(&backend->card, &entries->where, where, all * sizeof *where, "sources", err) != 0)
    goto fail;
fail:
  dg_free(start);
  dg_free(scratch);
  return err->code;
}

int gpu_pack_entries(struct mx_backend *backend, struct gpu_entries *straight, struct gpu_entries *curved, bool faces,
                     size_t count, const int32_t *where, struct dg_error *err)
{
  int32_t *entry;
  size_t few = 0, many = count; /* straight ones from the front, curved ones from the end */
  if (DG_NEW(entry, count, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) {
    const bool bent = gpu_is_curved(backend, (size_t)element_of(faces, where[k]));
    entry[bent ? --many : few++] = (int32_t)k;
  }
  for (size_t i = many, j = count; i + 1 < j; i++) { /* in their order again */
    const int32_t last = entry[--j];
    entry[j] = entry[i];
    entry[i] = last;
  }
  (void)!(pack_some(backend, straight, faces, few, entry, count, where, err) != 0 ||
          (many < count && pack_some(backend, curved, faces, count - many, entry + many, count, where, err) != 0));
  dg_free(entry);
  return err->code;
}

/* Components of a vector: covariant ones along x; of currents in curved elements contravariant ones times the Jacobian,
 * which become covariant on the card. */
static void turn(const double metric[9], bool density, const double vector[3], double u[3])
{
  double x[3][3], gradient[3][3];
  const double jacobian = mx_frame_tangents(metric, x);
  mx_frame_gradients(metric, gradient);
  for (size_t a = 0; a < 3; a++) {
    u[a] = 0;
    for (size_t c = 0; c < 3; c++) u[a] += (density ? jacobian * gradient[a][c] : x[a][c]) * vector[c];
  }
}

/* Projects vectors from[entry][3][N] in Cartesian components to to[entry][parts][N]: vectors on faces along t1 and t2,
 * vectors in elements to components in them, with nodes in the card's order. */
static void project(const struct mx_backend *backend, const struct gpu_term *term, const double *from, void *to)
{
  const struct mx_problem *problem = backend->problem;
  const bool faces = term->term->kind == MX_JUMP;
  const size_t N = term->N;
#pragma omp parallel for schedule(static) if (term->staged > 10000)
  for (size_t k = 0; k < term->term->count; k++) {
    const size_t where = (size_t)term->term->where[k], e = faces ? where / 4 : where;
    const bool curved = gpu_is_curved(backend, e);
    const struct mx_tensor *tensor = mx_tensor_of(problem, e); /* what a current changes is turned by it */
    double x[3][3];
    (void)mx_frame_tangents(problem->metric[e], x);
    for (size_t i = 0; i < N; i++) {
      double u[3] = {0, 0, 0};
      double vector[3] = {from[3 * k * N + i], from[(3 * k + 1) * N + i], from[(3 * k + 2) * N + i]};
      if (!faces && tensor != NULL) {
        const double given[3] = {vector[0], vector[1], vector[2]};
        mx_tensor_apply(tensor->inverse[MX_AMPERE], given, vector);
      }
      const size_t node = faces ? (size_t)problem->ref->face_node[where % 4 * N + i] : i;
      if (curved) turn(gpu_metric_at(backend, e, node), !faces, vector, u);
      for (size_t a = 0; a < 3 && !curved; a++)
        for (size_t c = 0; c < 3; c++) u[a] += x[a][c] * vector[c];
      if (faces) { /* two parts take the place of three */
        const double v[3] = {u[0], u[1], u[2]};
        MX_ALONG(where % 4, v[0], v[1], v[2], u);
      }
      const size_t place = faces ? i : (size_t)backend->place[i];
      for (size_t a = 0; a < term->parts; a++) gpu_put(backend, to, (term->parts * k + a) * N + place, u[a]);
    }
  }
}

static int pack_part(struct mx_backend *backend, const struct gpu_term *term, const double *from, void **part,
                     struct dg_error *err)
{
  const size_t count = term->term->count * term->parts * term->N;
  void *projected;
  if (from == NULL || term->term->values == MX_VECTOR_A_NODE) return 0;
  if (dg_alloc(&projected, count, backend->real, err) != 0) return err->code;
  project(backend, term, from, projected);
  (void)!gpu_new_copy(&backend->card, part, projected, count * backend->real, "sources", err);
  dg_free(projected);
  return err->code;
}

static bool has_penalty(const struct mx_problem *problem, const struct mx_term *term)
{
  for (size_t k = 0; k < term->count; k++) {
    const struct mx_face_flux *flux = &problem->flux[term->where[k] / 4][term->where[k] % 4];
    if (flux->e_penalty != 0 || flux->h_penalty != 0) return true;
  }
  return false;
}

static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

int gpu_pack_terms(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  if (DG_NEW(backend->term, problem->terms, err) != 0) return err->code;
  backend->terms = problem->terms;
  for (size_t t = 0; t < problem->terms; t++) {
    const struct mx_term *from = &problem->term[t];
    struct gpu_term *to = &backend->term[t];
    const bool faces = from->kind == MX_JUMP;
    to->term = from;
    to->N = (size_t)(faces ? problem->ref->Nf : problem->ref->Np);
    to->parts = faces ? 2 : 3;
    to->has_penalty = faces && has_penalty(problem, from);
    if (from->values == MX_NUMBER_A_NODE) to->staged = from->count * to->N;
    if (from->values == MX_VECTOR_A_NODE) to->staged = from->count * to->N * to->parts;
    to->at[0] = backend->slot_bytes;
    to->at[1] = to->at[0] + aligned(to->staged * backend->real);
    backend->slot_bytes = to->at[1] + (to->has_penalty ? aligned(to->staged * backend->real) : 0);
    if (gpu_pack_entries(backend, &to->entries, &to->curved, faces, from->count, from->where, err) != 0 ||
        pack_part(backend, to, from->E, &to->part[0], err) != 0 ||
        pack_part(backend, to, from->H, &to->part[1], err) != 0)
      return err->code;
  }
  for (size_t s = 0; s < GPU_SLOTS && backend->slot_bytes > 0; s++)
    if (gpu_new_pinned(&backend->pinned, &backend->slot[s].host, backend->slot_bytes, err) != 0 ||
        gpu_new(&backend->card, &backend->slot[s].card, backend->slot_bytes, "sources", err) != 0)
      return err->code;
  return 0;
}

/* ---- in the loop */

static struct gpu_slot *slot_of(struct mx_backend *backend) { return &backend->slot[backend->stages % GPU_SLOTS]; }

static void stage_values(const struct mx_backend *backend, const struct gpu_term *term, const double *from, void *to)
{
  if (term->term->values == MX_VECTOR_A_NODE) {
    project(backend, term, from, to);
    return;
  }
  const bool faces = term->term->kind == MX_JUMP;
#pragma omp parallel for schedule(static) if (term->staged > 10000)
  for (size_t k = 0; k < term->term->count; k++)
    for (size_t i = 0; i < term->N; i++)
      gpu_put(backend, to, k * term->N + (faces ? i : (size_t)backend->place[i]), from[k * term->N + i]);
}

static bool separate_penalty(const struct gpu_term *term, const struct mx_stage_sources *sources, size_t t)
{
  return term->has_penalty && sources->penalty[t] != sources->curl[t];
}

/* Does the stage take the term? The stage of leapfrog that changes H takes no currents. */
static bool takes(const struct mx_backend *backend, int stage, const struct gpu_term *term)
{
  return term->term->kind == MX_JUMP || mx_scheme_of(&backend->options)->pass[stage].changes[MX_AMPERE];
}

int gpu_send_sources(struct mx_backend *backend, int stage, const struct mx_stage_sources *sources,
                     struct dg_error *err)
{
  struct gpu_slot *slot = slot_of(backend);
  if (sources == NULL || backend->slot_bytes == 0) return 0;
  /* Both waits are for the work that used this slot GPU_SLOTS stages ago. */
  if (gpu_check(gpuEventSynchronize(slot->copied), "waiting for sources", err) != 0 ||
      gpu_check(gpuStreamWaitEvent(backend->copies, slot->used, 0), "waiting for sources", err) != 0)
    return err->code;
  for (size_t t = 0; t < backend->terms; t++) {
    const struct gpu_term *term = &backend->term[t];
    const double *const from[2] = {sources->curl[t], sources->penalty[t]};
    if (term->staged == 0 || !takes(backend, stage, term)) continue;
    for (int i = 0; i < (separate_penalty(term, sources, t) ? 2 : 1); i++) {
      stage_values(backend, term, from[i], slot->host + term->at[i]);
      if (gpu_check(gpuMemcpyAsync(slot->card + term->at[i], slot->host + term->at[i], term->staged * backend->real,
                                   gpuMemcpyHostToDevice, backend->copies),
                    "copying sources", err) != 0)
        return err->code;
    }
  }
  return gpu_check(gpuEventRecord(slot->copied, backend->copies), "copying sources", err);
}

/* The values that the kernels take as `curl` (0) or `penalty` (1), for the field `magnetic`. */
static struct gpu_values values_of(struct mx_backend *backend, const struct mx_stage_sources *sources, size_t t,
                                   int which, bool magnetic)
{
  const struct gpu_term *term = &backend->term[t];
  const struct gpu_slot *slot = slot_of(backend);
  const int staged = separate_penalty(term, sources, t) ? which : 0;
  const void *at = term->staged > 0 ? slot->card + term->at[staged] : NULL;
  const bool jump = term->term->kind == MX_JUMP;
  switch (term->term->values) {
  case MX_ONE_NUMBER:
    return (struct gpu_values){.part = term->part[magnetic],
                               .number = which == 0 ? sources->curl[t][0] : sources->penalty[t][0]};
  case MX_NUMBER_A_NODE:
    return (struct gpu_values){.part = term->part[magnetic], .node_number = at, .number = 1};
  case MX_VECTOR_A_NODE:
    return (struct gpu_values){.part = !jump || term->term->into_H == magnetic ? at : NULL, .number = 1};
  }
  return (struct gpu_values){0};
}

/* Does the term add nothing, since its number is zero? */
static bool is_silent(const struct gpu_term *term, const struct mx_stage_sources *sources, size_t t)
{
  return term->term->values == MX_ONE_NUMBER && sources->curl[t][0] == 0 &&
         (!term->has_penalty || sources->penalty[t][0] == 0);
}

int gpu_add_sources(struct mx_backend *backend, int equation, const struct mx_stage_sources *sources, void *to,
                    void *also, double b, struct dg_error *err)
{
  if (sources == NULL) return 0;
  if (backend->slot_bytes > 0 &&
      gpu_check(gpuStreamWaitEvent(backend->work, slot_of(backend)->copied, 0), "waiting for sources", err) != 0)
    return err->code;
  for (size_t t = 0; t < backend->terms; t++) {
    const struct gpu_term *term = &backend->term[t];
    const bool jump = term->term->kind == MX_JUMP, ampere = equation == 0;
    if ((!jump && !ampere) || is_silent(term, sources, t)) continue;
    struct gpu_addition addition = {.equation = equation,
                                    .applied = backend->applied.of[equation],
                                    .entries = term->entries,
                                    .to = to,
                                    .also = also,
                                    .to_register = !mx_scheme_of(&backend->options)->staggered,
                                    .b = b};
    if (jump) {
      addition.other = values_of(backend, sources, t, 0, ampere);
      if (term->has_penalty) addition.own = values_of(backend, sources, t, 1, !ampere);
    } else addition.own = values_of(backend, sources, t, 0, false);
    if (addition.other.part == NULL && addition.own.part == NULL) continue;
    gpuError_t status = jump ? gpu_add_jumps(&backend->tables, &addition, backend->work)
                             : gpu_add_currents(&backend->tables, &addition, backend->work);
    if (gpu_check(status, "adding sources", err) != 0) return err->code;
    addition.entries = term->curved;
    if (gpu_check(gpu_add_in_curved(&backend->tables, &backend->curves, &addition, jump, backend->work),
                  "adding sources", err) != 0)
      return err->code;
  }
  return 0;
}

int gpu_end_sources(struct mx_backend *backend, const struct mx_stage_sources *sources, struct dg_error *err)
{
  if (sources == NULL || backend->slot_bytes == 0) return 0;
  return gpu_check(gpuEventRecord(slot_of(backend)->used, backend->work), "adding sources", err);
}
