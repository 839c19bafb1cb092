/* Metal walls, films and sheets (maxwell/terms/skins.h) on the card. The pass knows only the weights of their faces.
 * Behind it their currents, which have components along the edges of their faces, go on, and what they add to the
 * fluxes is lifted. In leapfrog walls go on behind the pass of H, from the traces of H that open faces have; films do
 * so behind the pass of H as well, from E, and the pass of E finds their currents. Sheets are walls, but that one
 * kernel takes the currents along, and another one gives V from those of both faces. Between them ranks exchange what
 * they share: there the host waits for the card once a pass. */
#include <string.h>

#include "gpu/core/core.h"
#include "gpu/core/halo.h"
#include "gpu/core/staging.h"
#include "gpu/kernels/skins/skins.h"
#include "gpu/terms/entries.h"
#include "gpu/terms/list.h"
#include "gpu/terms/open_faces.h"
#include "libdg/base/memory.h"
#include "maxwell/terms/sheet_links.h"
#include "maxwell/terms/skin_frame.h"

/* The faces on metal walls, on films, or on sheets. */
struct skin_list {
  struct gpu_skins at;
  struct gpu_entries straight, curved;
  size_t *of; /* of the host: [at.count] numbers in mx_problem.skin_face, ascending */
};

/* The currents of sheets that ranks share, through the host's memory. */
struct shared_sheets {
  struct mx_sheet_links at;
  int32_t *send; /* of the card: [at.sent] places in the list of sheets */
  double *item;  /* of the card: [at.sent][at.width] */
};

struct own_skins {
  struct skin_list list[GPU_SKIN_KINDS];
  struct shared_sheets links;
};

static struct own_skins *own_of(const struct mx_backend *backend) { return backend->own[GPU_SKINS_TERM]; }

static struct skin_list *list_of(const struct mx_backend *backend, enum gpu_skin_kind kind)
{
  return &own_of(backend)->list[kind];
}

static enum gpu_skin_kind kind_of(const struct mx_skin *skin)
{
  return !mx_skin_is_wall(skin) ? GPU_FILMS : skin->kind == MX_SKIN_SHEET ? GPU_SHEETS : GPU_WALLS;
}

static enum gpu_skin_kind kind_at(const struct mx_problem *problem, size_t k)
{
  return kind_of(mx_skin_of(problem, k));
}

/* The poles of the metals of a kind, at most. */
static size_t poles_of(const struct mx_problem *problem, enum gpu_skin_kind kind)
{
  size_t most = 1;
  for (size_t i = 0; i < problem->metals; i++)
    if (kind_of(&problem->metal[i]) == kind && problem->metal[i].poles > most) most = problem->metal[i].poles;
  return most;
}

/* Arrays of currents, beside the value of a pass. */
static size_t arrays_of(const struct mx_scheme *scheme) { return scheme->sums ? 3 : 2; }

/* The bytes of a current. */
static size_t current_bytes(enum gpu_skin_kind kind, size_t real) { return kind == GPU_SHEETS ? sizeof(double) : real; }

static size_t metal_bytes(const struct mx_problem *problem, enum gpu_skin_kind kind, size_t real)
{
  const size_t sheets = kind == GPU_SHEETS ? 2 * sizeof(double) : 0,
               pole = 2 * current_bytes(kind, real) + sizeof(double) + sheets;
  return problem->metals * (poles_of(problem, kind) * pole + sizeof(double) + sizeof(int32_t));
}

static size_t bytes_of(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real)
{
  const size_t Nf = (size_t)problem->ref->Nf, matrix = 4 * Nf * Nf, arrays = arrays_of(mx_scheme_of(options));
  bool any[GPU_SKIN_KINDS] = {false};
  size_t bytes = 0;
  for (size_t k = 0; k < problem->skin_faces; k++) {
    const enum gpu_skin_kind kind = kind_at(problem, k);
    const int32_t face = problem->skin_face[k], far = kind == GPU_SHEETS ? problem->far[face / 4][face % 4] - 1 : -1;
    const bool curved = problem->curves.count > 0 && mx_curve_find(problem, (size_t)face / 4) >= 0,
               shared = far >= 0 && (size_t)far / 4 >= problem->K;
    const size_t state = 2 * Nf * current_bytes(kind, real) * poles_of(problem, kind);
    bytes += 2 * Nf * real + arrays * state + 3 * real + 3 * sizeof(double) + 6 * sizeof(int32_t) +
             (curved ? matrix * (sizeof(double) + (kind == GPU_FILMS ? 0 : real)) : 0) +
             (kind == GPU_SHEETS ? sizeof(int32_t) : 0) + (shared ? (arrays + 1) * state + sizeof(int32_t) : 0);
    any[kind] = true;
  }
  for (int kind = 0; kind < GPU_SKIN_KINDS; kind++)
    if (any[kind]) bytes += metal_bytes(problem, (enum gpu_skin_kind)kind, real);
  return bytes;
}

/* ---- tables */

/* array[i] = value in the type of currents of this kind, and back. */
static void put_current(const struct mx_backend *backend, enum gpu_skin_kind kind, void *array, size_t i, double value)
{
  if (kind == GPU_SHEETS) ((double *)array)[i] = value;
  else gpu_put(backend, array, i, value);
}

static double get_current(const struct mx_backend *backend, enum gpu_skin_kind kind, const void *array, size_t i)
{
  return kind == GPU_SHEETS ? ((const double *)array)[i] : gpu_get(backend, array, i);
}

/* The same numbers of metals on the host. */
struct metals {
  int32_t *poles;
  double *storage, *lag, *transfer;
  void *number;
};

static int send_metals(struct mx_backend *backend, struct gpu_skins *to, const struct metals *from,
                       struct dg_error *err)
{
  const size_t metals = backend->problem->metals, all = metals * (size_t)to->poles;
  const struct {
    const void *from;
    size_t bytes;
    void *to;
  } array[] = {{from->poles, metals * sizeof *from->poles, &to->poles_of},
               {from->storage, all * sizeof *from->storage, &to->storage},
               {from->lag, metals * sizeof *from->lag, &to->lag},
               {from->number, 2 * all * current_bytes(to->kind, backend->real), &to->number},
               {from->transfer, to->kind == GPU_SHEETS ? 2 * all * sizeof *from->transfer : 0, &to->transfer}};
  for (size_t i = 0; i < sizeof array / sizeof *array; i++)
    if (array[i].bytes > 0 &&
        gpu_new_copy(&backend->card, array[i].to, array[i].from, array[i].bytes, "metal walls", err) != 0)
      return err->code;
  return 0;
}

/* Sends the numbers of the metals of a kind. */
static int pack_metals(struct mx_backend *backend, struct gpu_skins *to, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  const size_t metals = problem->metals, poles = (size_t)to->poles;
  const double step = mx_scheme_of(&backend->options)->staggered ? backend->options.step : 0;
  struct metals of = {NULL};
  if (DG_NEW(of.poles, metals, err) != 0 || DG_NEW(of.storage, metals * poles, err) != 0 ||
      DG_NEW(of.lag, metals, err) != 0 || DG_NEW(of.transfer, 2 * metals * poles, err) != 0 ||
      dg_alloc(&of.number, 2 * metals * poles, sizeof(double), err) != 0)
    goto fail;
  for (size_t i = 0; i < metals; i++) {
    const struct mx_skin *skin = &problem->metal[i];
    if (kind_of(skin) != to->kind) continue;
    of.poles[i] = (int32_t)skin->poles;
    of.lag[i] = 0.25 * step * skin->damping;
    for (size_t q = 0; q < skin->poles; q++) {
      const size_t at = i * poles + q;
      double n[2];
      mx_skin_numbers(skin, q, step, n);
      for (size_t j = 0; j < 2; j++) put_current(backend, to->kind, of.number, 2 * at + j, n[j]);
      of.storage[at] = 2 * mx_skin_row(skin)->weight(skin, q, true); /* because the sum is halved */
      if (skin->kind != MX_SKIN_SHEET) continue;
      mx_sheet_numbers(skin, q, of.transfer + 2 * at);
      of.transfer[2 * at + 1] *= 2;
    }
  }
  (void)!send_metals(backend, to, &of, err);
fail:
  dg_free(of.poles);
  dg_free(of.storage);
  dg_free(of.lag);
  dg_free(of.transfer);
  dg_free(of.number);
  return err->code;
}

/* Sends what faces have of their own: face k of the list is number of[k] of the problem's. */
static int pack_faces(struct mx_backend *backend, struct gpu_skins *to, const size_t *of, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  int32_t *metal = NULL;
  void *face = NULL;
  double *product = NULL;
  if (DG_NEW(metal, to->count, err) != 0 || DG_NEW(product, 3 * to->count, err) != 0 ||
      dg_alloc(&face, 3 * to->count, backend->real, err) != 0)
    goto fail;
  for (size_t k = 0; k < to->count; k++) {
    const size_t e = (size_t)problem->skin_face[of[k]] / 4, f = (size_t)problem->skin_face[of[k]] % 4;
    double turn[3];
    metal[k] = problem->skin[e][f] - 1;
    mx_skin_face(problem, e, f, turn, product + 3 * k);
    if (to->kind == GPU_FILMS) turn[0] = problem->flux[e][f].e_jump, turn[1] = -mx_film_factor(problem, of[k]);
    for (size_t i = 0; i < 3; i++) gpu_put(backend, face, 3 * k + i, turn[i]);
  }
  (void)!(gpu_new_copy(&backend->card, &to->metal, metal, to->count * sizeof *metal, "metal walls", err) != 0 ||
          gpu_new_copy(&backend->card, &to->product, product, 3 * to->count * sizeof *product, "metal walls", err) !=
              0 ||
          gpu_new_copy(&backend->card, &to->face, face, 3 * to->count * backend->real, "metal walls", err) != 0);
fail:
  dg_free(metal);
  dg_free(product);
  dg_free(face);
  return err->code;
}

/* Sends the matrices of faces of curved elements; columns behind each other. */
static int pack_matrices(struct mx_backend *backend, struct gpu_skins *to, const struct mx_skin_tables *tables,
                         const size_t *of, size_t count, struct dg_error *err)
{
  const size_t n = 2 * (size_t)backend->problem->ref->Nf;
  double *weigh = NULL;
  void *matrix = NULL;
  if (DG_NEW(weigh, count * n * n, err) != 0 || dg_alloc(&matrix, count * n * n, backend->real, err) != 0) goto fail;
  for (size_t k = 0, c = 0; k < to->count; k++) {
    if (tables->curve[of[k]] == 0) continue;
    mx_skin_weigh(tables, of[k], weigh + c * n * n); /* it is symmetric */
    for (size_t i = 0; i < n * n && to->kind != GPU_FILMS; i++)
      gpu_put(backend, matrix, c * n * n + i % n * n + i / n, tables->curved[of[k]][i]);
    c++;
  }
  (void)!(gpu_new_copy(&backend->card, &to->weigh, weigh, count * n * n * sizeof *weigh, "metal walls", err) != 0 ||
          (to->kind != GPU_FILMS &&
           gpu_new_copy(&backend->card, &to->matrix, matrix, count * n * n * backend->real, "metal walls", err) != 0));
fail:
  dg_free(weigh);
  dg_free(matrix);
  return err->code;
}

static int pack_curved(struct mx_backend *backend, struct gpu_skins *to, const struct mx_skin_tables *tables,
                       const size_t *of, struct dg_error *err)
{
  int32_t *number;
  size_t count = 0;
  if (DG_NEW(number, to->count, err) != 0) return err->code;
  for (size_t k = 0; k < to->count; k++) number[k] = tables->curve[of[k]] > 0 ? (int32_t)count++ : -1;
  (void)!(count > 0 &&
          (gpu_new_copy(&backend->card, &to->curved, number, to->count * sizeof *number, "metal walls", err) != 0 ||
           pack_matrices(backend, to, tables, of, count, err) != 0));
  dg_free(number);
  return err->code;
}

static size_t state_bytes(const struct mx_backend *backend, const struct gpu_skins *skins)
{
  return (size_t)skins->poles * 2 * skins->rows * (size_t)backend->problem->ref->Nf *
         current_bytes(skins->kind, backend->real);
}

static size_t value_bytes(const struct mx_backend *backend, const struct gpu_skins *skins)
{
  return 2 * skins->count * (size_t)backend->problem->ref->Nf * backend->real;
}

static int new_currents(struct mx_backend *backend, struct gpu_skins *to, struct dg_error *err)
{
  const struct mx_scheme *scheme = mx_scheme_of(&backend->options);
  void *const wanted[] = {&to->now,
                          !scheme->staggered       ? NULL
                          : to->kind == GPU_SHEETS ? (void *)&to->mean
                                                   : &to->before,
                          !scheme->staggered && !scheme->sums ? &to->registers : NULL, scheme->sums ? &to->stage : NULL,
                          scheme->sums ? &to->sum : NULL};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (wanted[i] != NULL && gpu_new(&backend->card, wanted[i], state_bytes(backend, to), "metal walls", err) != 0)
      return err->code;
  return gpu_new(&backend->card, &to->value, value_bytes(backend, to), "metal walls", err);
}

/* The first of a list's faces that is not below face `wanted` of the problem's. */
static size_t first_of(const struct skin_list *own, size_t wanted)
{
  size_t k = 0, end = own->at.count;
  while (k < end) {
    const size_t middle = k + (end - k) / 2;
    if (own->of[middle] < wanted) k = middle + 1;
    else end = middle;
  }
  return k;
}

/* Links the faces of sheets with each other, also across ranks. */
static int link_sheets(struct mx_backend *backend, struct dg_error *err)
{
  struct shared_sheets *links = &own_of(backend)->links;
  const struct mx_sheet_links *at = &links->at;
  struct skin_list *own = list_of(backend, GPU_SHEETS);
  int32_t *far = NULL, *send = NULL;
  const size_t width = 2 * (size_t)backend->problem->ref->Nf * (size_t)own->at.poles;
  if (mx_sheet_links_init(&links->at, backend->problem, width, err) != 0 || DG_NEW(far, own->at.count, err) != 0 ||
      DG_NEW(send, at->sent, err) != 0)
    goto fail;
  own->at.rows = own->at.count + at->sent;
  for (size_t k = 0; k < own->at.count; k++) {
    const ptrdiff_t beyond = at->far[own->of[k]];
    far[k] = (int32_t)(beyond >= 0 ? (ptrdiff_t)first_of(own, (size_t)beyond)
                                   : mx_sheet_links_row(at, own->of[k], own->at.count));
  }
  for (size_t i = 0; i < at->sent; i++) send[i] = (int32_t)first_of(own, at->send[i]);
  if (own->at.count == 0) goto fail;
  (void)!(gpu_new_copy(&backend->card, &own->at.far, far, own->at.count * sizeof *far, "metal walls", err) != 0 ||
          (at->sent > 0 &&
           (gpu_new_copy(&backend->card, &links->send, send, at->sent * sizeof *send, "metal walls", err) != 0 ||
            gpu_new(&backend->card, &links->item, at->sent * width * sizeof(double), "metal walls", err) != 0)));
fail:
  dg_free(far);
  dg_free(send);
  return err->code;
}

static int new_list(struct mx_backend *backend, enum gpu_skin_kind kind, const struct mx_skin_tables *tables,
                    struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  const size_t Nf = (size_t)problem->ref->Nf;
  struct skin_list *own = list_of(backend, kind);
  struct gpu_skins *to = &own->at;
  int32_t *where = NULL;
  if (DG_NEW(own->of, problem->skin_faces, err) != 0 || DG_NEW(where, problem->skin_faces, err) != 0) goto fail;
  for (size_t k = 0; k < problem->skin_faces; k++) {
    if (kind_at(problem, k) != kind) continue;
    where[to->count] = problem->skin_face[k];
    own->of[to->count++] = k;
  }
  to->kind = kind;
  to->rows = to->count;
  to->poles = (int)poles_of(problem, kind);
  if ((kind == GPU_SHEETS && link_sheets(backend, err) != 0) || to->count == 0) goto fail;
  if (gpu_pack_entries(backend, &own->straight, &own->curved, true, to->count, where, err) != 0 ||
      gpu_new_copy(&backend->card, &to->mass, problem->ref->face_mass, Nf * Nf * sizeof(double), "metal walls", err) !=
          0 ||
      pack_metals(backend, to, err) != 0 || pack_faces(backend, to, own->of, err) != 0 ||
      pack_curved(backend, to, tables, own->of, err) != 0 || new_currents(backend, to, err) != 0)
    goto fail;
  to->where = own->straight.where;
fail:
  dg_free(where);
  return err->code;
}

/* At t = 0 no current flows. */
static int start(struct mx_backend *backend, struct dg_error *err)
{
  for (int kind = 0; kind < GPU_SKIN_KINDS; kind++) {
    const struct gpu_skins *skins = &list_of(backend, kind)->at;
    void *const arrays[] = {skins->now, skins->before, skins->mean, skins->registers, skins->stage, skins->sum};
    if (skins->count == 0) continue;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
      if (arrays[i] != NULL && gpu_check(gpuMemsetAsync(arrays[i], 0, state_bytes(backend, skins), backend->work),
                                         "clearing metal walls", err) != 0)
        return err->code;
    if (gpu_check(gpuMemsetAsync(skins->value, 0, value_bytes(backend, skins), backend->work), "clearing metal walls",
                  err) != 0)
      return err->code;
  }
  return 0;
}

/* Collective. */
static int create(struct mx_backend *backend, struct dg_error *err)
{
  struct mx_skin_tables tables;
  if (backend->problem->skin_faces == 0 && !mx_any_sheet(backend->problem)) return 0; /* other ranks may have sheets */
  if (mx_skin_tables_init(&tables, backend->problem, err) == 0)
    for (int kind = 0; kind < GPU_SKIN_KINDS; kind++)
      if (new_list(backend, (enum gpu_skin_kind)kind, &tables, err) != 0) break;
  mx_skin_tables_release(&tables);
  if (err->code != 0) return err->code;
  return start(backend, err);
}

static void release(struct mx_backend *backend)
{
  for (int kind = 0; kind < GPU_SKIN_KINDS; kind++) dg_free(list_of(backend, kind)->of);
  mx_sheet_links_release(&own_of(backend)->links.at);
}

/* ---- steps */

static int take_along(struct mx_backend *backend, enum gpu_skin_kind kind, const struct gpu_skin_pass *pass,
                      struct dg_error *err)
{
  return gpu_check(gpu_step_skins(&backend->tables, &list_of(backend, kind)->at, pass, backend->work), "metal walls",
                   err);
}

/* Gives the other faces of sheets, which are other ranks', these currents. */
static int exchange(struct mx_backend *backend, double *currents, struct dg_error *err)
{
  struct shared_sheets *links = &own_of(backend)->links;
  const struct gpu_skins *skins = &list_of(backend, GPU_SHEETS)->at;
  const struct dg_exchange *through = links->at.exchange;
  const size_t count = links->at.sent, bytes = count * links->at.width * sizeof(double);
  if (through == NULL) return 0;
  if (count > 0 &&
      (gpu_check(gpu_move_sheets(&backend->tables, skins, links->send, count, currents, links->item, backend->work),
                 "packing sheets", err) != 0 ||
       gpu_check(
           gpuMemcpyAsync(dg_exchange_send_buffer(through), links->item, bytes, gpuMemcpyDeviceToHost, backend->work),
           "copying sheets", err) != 0 ||
       gpu_check(gpuStreamSynchronize(backend->work), "copying sheets", err) != 0))
    return err->code;
  if (mx_sheet_links_exchange(&links->at, err) != 0 || count == 0) return err->code;
  if (gpu_check(
          gpuMemcpyAsync(links->item, dg_exchange_receive_buffer(through), bytes, gpuMemcpyHostToDevice, backend->work),
          "copying sheets", err) != 0)
    return err->code;
  return gpu_check(gpu_move_sheets(&backend->tables, skins, NULL, count, currents, links->item, backend->work),
                   "unpacking sheets", err);
}

static int find_values(struct mx_backend *backend, const double *currents, struct dg_error *err)
{
  return gpu_check(gpu_sheet_values(&backend->tables, &list_of(backend, GPU_SHEETS)->at, currents, backend->work),
                   "metal walls", err);
}

/* Lifts the values of walls and sheets, -V beyond the face, or what films take from the jump of E. */
static int lift(struct mx_backend *backend, enum gpu_skin_kind kind, struct gpu_addition addition, struct dg_error *err)
{
  const struct skin_list *own = list_of(backend, kind);
  if (own->at.count == 0) return 0;
  addition.equation = kind != GPU_FILMS;
  if (kind != GPU_FILMS) addition.other = (struct gpu_values){.part = own->at.value, .number = -1};
  else addition.own = (struct gpu_values){.part = own->at.value, .number = 1};
  addition.entries = own->straight;
  return gpu_add_everywhere(backend, addition, &own->curved, true, "metal walls", err);
}

/* After half a step of leapfrog, while the traces on open faces are those that it had. After that of H the currents go
 * on. */
static int after(struct mx_backend *backend, int equation, void *to, struct dg_error *err)
{
  const struct gpu_addition addition = {.to = to};
  const struct gpu_open_traces open = gpu_open_traces_of_H(backend);
  const struct gpu_skin_pass pass = {.staggered = 1,
                                     .keep = backend->observed,
                                     .open_now = open.now,
                                     .open_before = open.before,
                                     .changes = open.changes,
                                     .field = {backend->field[0], NULL}};
  if (equation == 0) return lift(backend, GPU_FILMS, addition, err);
  double *const mean = list_of(backend, GPU_SHEETS)->at.mean;
  if (take_along(backend, GPU_WALLS, &pass, err) != 0 || lift(backend, GPU_WALLS, addition, err) != 0 ||
      take_along(backend, GPU_FILMS, &pass, err) != 0 || take_along(backend, GPU_SHEETS, &pass, err) != 0 ||
      exchange(backend, mean, err) != 0 || find_values(backend, mean, err) != 0)
    return err->code;
  return lift(backend, GPU_SHEETS, addition, err);
}

/* The currents of sheets of which stage s takes V. */
static double *stage_currents(const struct mx_backend *backend, int s)
{
  const struct mx_scheme *scheme = mx_scheme_of(&backend->options);
  const struct gpu_skins *skins = &list_of(backend, GPU_SHEETS)->at;
  return scheme->sums && s > 0 && s < scheme->stages ? skins->stage : skins->now;
}

static int stage(struct mx_backend *backend, const struct gpu_stage_end *end, struct dg_error *err)
{
  const struct mx_scheme *scheme = mx_scheme_of(&backend->options);
  const struct mx_pass *of = end->pass;
  const int s = end->s;
  const double step = backend->options.step;
  const struct gpu_skin_pass pass = {.field = {end->field[0], end->field[1]},
                                     .step = step,
                                     .a = of->a,
                                     .b = of->b,
                                     .weight = of->weight * step,
                                     .next = of->next * step,
                                     .sums = scheme->sums,
                                     .first = s == 0,
                                     .last = s == scheme->stages - 1};
  if (find_values(backend, stage_currents(backend, s), err) != 0) return err->code;
  for (int kind = 0; kind < GPU_SKIN_KINDS; kind++) {
    const int equation = kind != GPU_FILMS;
    const struct gpu_addition addition = {
        .to = end->to[equation], .also = end->also[equation], .to_register = 1, .b = of->b};
    if (take_along(backend, (enum gpu_skin_kind)kind, &pass, err) != 0 ||
        lift(backend, (enum gpu_skin_kind)kind, addition, err) != 0)
      return err->code;
  }
  return exchange(backend, stage_currents(backend, s + 1), err);
}

static int energy(struct mx_backend *backend, int of, double *part, struct dg_error *err)
{
  const bool staggered = mx_scheme_of(&backend->options)->staggered;
  if (of != MX_FARADAY) return 0;
  for (int kind = 0; kind < GPU_SKIN_KINDS; kind++)
    if (gpu_check(gpu_skin_energies(&backend->tables, &list_of(backend, kind)->at, staggered, part, backend->work),
                  "observing", err) != 0)
      return err->code;
  return 0;
}

/* ---- checkpoints */

static int loaded(struct mx_backend *backend, struct dg_error *err)
{
  if (mx_scheme_of(&backend->options)->staggered) return 0; /* leapfrog sends before it uses them */
  return exchange(backend, list_of(backend, GPU_SHEETS)->at.now, err);
}

/* Faces first .. end - 1 of a list, in staging[0] [poles][faces][2][Nf], to or from the values of faces from `start`
 * on, of so many poles each. */
static void turn_list(const struct mx_backend *backend, enum gpu_skin_kind kind, size_t first, size_t end, size_t start,
                      size_t poles, double *to, const double *from)
{
  const struct skin_list *own = list_of(backend, kind);
  const size_t Nf = (size_t)backend->problem->ref->Nf;
  for (size_t k = first; k < end; k++)
    for (size_t i = 0; i < (size_t)own->at.poles * Nf; i++) {
      const size_t q = i / Nf, m = i % Nf, f = (size_t)backend->problem->skin_face[own->of[k]] % 4;
      const size_t here = 2 * (q * (end - first) + k - first) * Nf + m,
                   there = ((own->of[k] - start) * poles + q) * 3 * Nf + m;
      double u[3], along[2];
      if (to != NULL) {
        for (size_t a = 0; a < 2; a++) along[a] = get_current(backend, kind, backend->staging[0], here + a * Nf);
        MX_WITH_ALONG(f, along[0], along[1], u);
        for (size_t c = 0; c < 3; c++) to[there + c * Nf] = u[c];
      } else {
        MX_ALONG(f, from[there], from[there + Nf], from[there + 2 * Nf], along);
        for (size_t a = 0; a < 2; a++) put_current(backend, kind, backend->staging[0], here + a * Nf, along[a]);
      }
    }
}

/* Copies these faces' currents to staging[0], or with `load` from there. */
static int copy_list(struct mx_backend *backend, enum gpu_skin_kind kind, size_t first, size_t end, bool load,
                     struct dg_error *err)
{
  const struct gpu_skins *skins = &list_of(backend, kind)->at;
  const size_t face = 2 * (size_t)backend->problem->ref->Nf * current_bytes(kind, backend->real),
               bytes = (end - first) * face;
  for (size_t q = 0; q < (size_t)skins->poles; q++) {
    unsigned char *const card = (unsigned char *)skins->now + (q * skins->rows + first) * face,
                         *const host = backend->staging[0] + q * bytes;
    if (gpu_check(gpuMemcpyAsync(load ? card : host, load ? host : card, bytes,
                                 load ? gpuMemcpyHostToDevice : gpuMemcpyDeviceToHost, backend->work),
                  "copying the state", err) != 0)
      return err->code;
  }
  return gpu_wait(backend, err);
}

/* Values are [count][poles][3][Nf], of which only the components along the face mean anything. */
static int copy(struct mx_backend *backend, const struct mx_state_array *array, size_t first, size_t count, double *to,
                const double *from, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  const size_t poles = mx_skin_poles(problem), Nf = (size_t)problem->ref->Nf;
  if (array->list != MX_STATE_OF_SKINS || count == 0) return 0;
  if (to != NULL) memset(to, 0, count * poles * 3 * Nf * sizeof *to);
  if (gpu_grow_staging(backend, count * poles * 2 * Nf * sizeof(double), err) != 0) return err->code;
  for (int i = 0; i < GPU_SKIN_KINDS; i++) {
    const enum gpu_skin_kind kind = (enum gpu_skin_kind)i;
    const struct skin_list *own = list_of(backend, kind);
    const size_t begin = first_of(own, first), end = first_of(own, first + count);
    if (begin == end) continue;
    if (from != NULL) turn_list(backend, kind, begin, end, first, poles, NULL, from);
    if (copy_list(backend, kind, begin, end, from != NULL, err) != 0) return err->code;
    if (to != NULL) turn_list(backend, kind, begin, end, first, poles, to, NULL);
  }
  return 0;
}

static bool launches(const struct mx_backend *backend)
{
  for (int kind = 0; kind < GPU_SKIN_KINDS; kind++)
    if (list_of(backend, (enum gpu_skin_kind)kind)->at.count > 0) return true;
  return false;
}

const struct gpu_term_kind gpu_skins_kind = {
    .name = "walls, films, sheets", /* those with a state */
    .launches = launches,
    .size = sizeof(struct own_skins),
    .create = create,
    .release = release,
    .bytes = bytes_of,
    .start = start,
    .after = after,
    .stage = stage,
    .energy = energy,
    .copy = copy,
    .loaded = loaded,
};
