/* Source terms on the card. The parts that do not change lie there from the start, along the faces or in covariant
 * components. A term with one number sends it with the launch; numbers and vectors by node go through pinned memory. */
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/core/curves.h"
#include "gpu/terms/entries.h"
#include "gpu/terms/list.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/cost.h"
#include "maxwell/backend/frame/frame.h"

enum { SLOTS = 2 }; /* buffers of source values: one is filled while the card reads the other */

/* A source term. The part that changes in time is a number, given to the kernel with its launch; or it is `staged`:
 * numbers that are converted into pinned memory when the stage begins, and copied from there. */
struct own_term {
  const struct mx_term *term;
  struct gpu_entries entries, curved; /* in straight elements, and in curved ones */
  void *part[2];    /* what the number multiplies, E and H: along t1 and t2, of currents covariant; NULL: nothing */
  size_t N, parts;  /* of an entry */
  size_t staged;    /* numbers of one array */
  size_t at[2];     /* where `curl` and `penalty` begin in a slot, bytes */
  bool has_penalty; /* some face of it has one */
};

struct slot {
  unsigned char *host, *card;
  gpuEvent_t copied, used; /* the copy has arrived; the kernels that read it are done */
};

struct own_sources {
  size_t terms;
  struct own_term *term;
  size_t slot_bytes;
  struct slot slot[SLOTS];
};

static struct own_sources *own(const struct mx_backend *backend) { return backend->own[GPU_SOURCES_TERM]; }

/* ---- set-up */

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
static void project(const struct mx_backend *backend, const struct own_term *term, const double *from, void *to)
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

static int pack_part(struct mx_backend *backend, const struct own_term *term, const double *from, void **part,
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

static int new_events(struct own_sources *sources, struct dg_error *err)
{
  for (int i = 0; i < SLOTS; i++)
    if (gpu_check(gpuEventCreateWithFlags(&sources->slot[i].copied, gpuEventDisableTiming), "making an event", err) !=
            0 ||
        gpu_check(gpuEventCreateWithFlags(&sources->slot[i].used, gpuEventDisableTiming), "making an event", err) != 0)
      return err->code;
  return 0;
}

static int create(struct mx_backend *backend, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  struct own_sources *sources = own(backend);
  if (new_events(sources, err) != 0 || DG_NEW(sources->term, problem->terms, err) != 0) return err->code;
  sources->terms = problem->terms;
  for (size_t t = 0; t < problem->terms; t++) {
    const struct mx_term *from = &problem->term[t];
    struct own_term *to = &sources->term[t];
    const bool faces = from->kind == MX_JUMP;
    to->term = from;
    to->N = (size_t)(faces ? problem->ref->Nf : problem->ref->Np);
    to->parts = faces ? 2 : 3;
    to->has_penalty = faces && has_penalty(problem, from);
    if (from->values == MX_NUMBER_A_NODE) to->staged = from->count * to->N;
    if (from->values == MX_VECTOR_A_NODE) to->staged = from->count * to->N * to->parts;
    to->at[0] = sources->slot_bytes;
    to->at[1] = to->at[0] + aligned(to->staged * backend->real);
    sources->slot_bytes = to->at[1] + (to->has_penalty ? aligned(to->staged * backend->real) : 0);
    if (gpu_pack_entries(backend, &to->entries, &to->curved, faces, from->count, from->where, err) != 0 ||
        pack_part(backend, to, from->E, &to->part[0], err) != 0 ||
        pack_part(backend, to, from->H, &to->part[1], err) != 0)
      return err->code;
  }
  for (size_t s = 0; s < SLOTS && sources->slot_bytes > 0; s++)
    if (gpu_new_pinned(&backend->pinned, &sources->slot[s].host, sources->slot_bytes, err) != 0 ||
        gpu_new(&backend->card, &sources->slot[s].card, sources->slot_bytes, "sources", err) != 0)
      return err->code;
  return 0;
}

static void release(struct mx_backend *backend)
{
  struct own_sources *sources = own(backend);
  for (int i = 0; i < SLOTS; i++) {
    if (sources->slot[i].copied != NULL) (void)gpuEventDestroy(sources->slot[i].copied);
    if (sources->slot[i].used != NULL) (void)gpuEventDestroy(sources->slot[i].used);
  }
  dg_free(sources->term);
}

static size_t bytes(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real)
{
  size_t sum = 0;
  (void)options;
  for (size_t t = 0; t < problem->terms; t++) {
    const struct mx_term *term = &problem->term[t];
    const bool faces = term->kind == MX_JUMP;
    const size_t N = (size_t)(faces ? problem->ref->Nf : problem->ref->Np), parts = faces ? 2 : 3;
    const size_t profiles = term->values == MX_VECTOR_A_NODE ? 0 : (term->E != NULL) + (size_t)(term->H != NULL);
    const size_t staged = term->values == MX_ONE_NUMBER ? 0 : term->values == MX_NUMBER_A_NODE ? 1 : parts;
    sum += term->count * (3 * sizeof(int32_t) + real * N * (profiles * parts + staged * SLOTS * parts));
  }
  return sum;
}

/* Jumps, which also add to H. */
static void H_elements(const struct mx_problem *problem, void (*tell)(void *context, size_t e), void *context)
{
  for (size_t t = 0; t < problem->terms; t++) {
    const struct mx_term *term = &problem->term[t];
    for (size_t k = 0; k < term->count && term->kind == MX_JUMP; k++) tell(context, (size_t)term->where[k] / 4);
  }
}

/* ---- in the loop */

static struct slot *slot_of(struct mx_backend *backend) { return &own(backend)->slot[backend->stages % SLOTS]; }

static void stage_values(const struct mx_backend *backend, const struct own_term *term, const double *from, void *to)
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

static bool separate_penalty(const struct own_term *term, const struct mx_stage_sources *sources, size_t t)
{
  return term->has_penalty && sources->penalty[t] != sources->curl[t];
}

/* Does the stage take the term? The stage of leapfrog that changes H takes no currents. */
static bool takes(const struct mx_backend *backend, int stage, const struct own_term *term)
{
  return term->term->kind == MX_JUMP || mx_scheme_of(&backend->options)->pass[stage].changes[MX_AMPERE];
}

/* From here on, all that has to be copied is on its way. */
static int values(struct mx_backend *backend, int stage, const struct mx_stage_sources *sources, struct dg_error *err)
{
  struct slot *slot = slot_of(backend);
  if (sources == NULL || own(backend)->slot_bytes == 0) return 0;
  /* Both waits are for the work that used this slot SLOTS stages ago. */
  if (gpu_check(gpuEventSynchronize(slot->copied), "waiting for sources", err) != 0 ||
      gpu_check(gpuStreamWaitEvent(backend->copies, slot->used, 0), "waiting for sources", err) != 0)
    return err->code;
  for (size_t t = 0; t < own(backend)->terms; t++) {
    const struct own_term *term = &own(backend)->term[t];
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
  const struct own_term *term = &own(backend)->term[t];
  const struct slot *slot = slot_of(backend);
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
static bool is_silent(const struct own_term *term, const struct mx_stage_sources *sources, size_t t)
{
  return term->term->values == MX_ONE_NUMBER && sources->curl[t][0] == 0 &&
         (!term->has_penalty || sources->penalty[t][0] == 0);
}

/* What a source term adds to an equation; false: nothing. */
static bool addition_of(struct mx_backend *backend, int equation, size_t t, struct gpu_addition *addition)
{
  const struct mx_stage_sources *sources = backend->sources;
  const struct own_term *term = &own(backend)->term[t];
  const bool jump = term->term->kind == MX_JUMP, ampere = equation == 0;
  if ((!jump && !ampere) || is_silent(term, sources, t)) return false;
  addition->equation = equation;
  addition->entries = term->entries;
  if (jump) {
    addition->other = values_of(backend, sources, t, 0, ampere);
    if (term->has_penalty) addition->own = values_of(backend, sources, t, 1, !ampere);
  } else addition->own = values_of(backend, sources, t, 0, false);
  return addition->other.part != NULL || addition->own.part != NULL;
}

/* Adds the sources of the stage to an equation, in the way of `to`. */
static int add(struct mx_backend *backend, int equation, struct gpu_addition to, struct dg_error *err)
{
  if (backend->sources == NULL) return 0;
  if (own(backend)->slot_bytes > 0 &&
      gpu_check(gpuStreamWaitEvent(backend->work, slot_of(backend)->copied, 0), "waiting for sources", err) != 0)
    return err->code;
  for (size_t t = 0; t < own(backend)->terms; t++) {
    const struct own_term *term = &own(backend)->term[t];
    struct gpu_addition addition = to;
    if (addition_of(backend, equation, t, &addition) &&
        gpu_add_everywhere(backend, addition, &term->curved, term->term->kind == MX_JUMP, "adding sources", err) != 0)
      return err->code;
  }
  return 0;
}

static int after(struct mx_backend *backend, int equation, void *to, struct dg_error *err)
{
  return add(backend, equation, (struct gpu_addition){.to = to}, err);
}

static int stage(struct mx_backend *backend, const struct gpu_stage_end *end, struct dg_error *err)
{
  for (int i = 0; i < 2; i++)
    if (add(backend, i,
            (struct gpu_addition){.to = end->to[i], .also = end->also[i], .to_register = 1, .b = end->pass->b},
            err) != 0)
      return err->code;
  return 0;
}

static int done(struct mx_backend *backend, int stage, struct dg_error *err)
{
  (void)stage;
  if (backend->sources == NULL || own(backend)->slot_bytes == 0) return 0;
  return gpu_check(gpuEventRecord(slot_of(backend)->used, backend->work), "adding sources", err);
}

static bool launches(const struct mx_backend *backend) { return own(backend)->terms > 0 && backend->sources != NULL; }

static struct mx_cost cost(const struct mx_backend *backend, int equation)
{
  return mx_cost_sources(backend->problem, equation, backend->real);
}

const struct gpu_term_kind gpu_sources_kind = {
    .name = "sources",
    .launches = launches,
    .cost = cost,
    .size = sizeof(struct own_sources),
    .create = create,
    .release = release,
    .bytes = bytes,
    .after = after,
    .stage = stage,
    .values = values,
    .done = done,
    .H_elements = H_elements,
};
