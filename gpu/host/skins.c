/* Metal walls and films (maxwell/problem/skins.h) on the card. The pass knows only the weights of their faces. Behind
 * it their currents, which have components along the edges of their faces, go on, and what they add to the fluxes is
 * lifted. In leapfrog walls go on behind the pass of H, from the traces of H that open faces have; films do so behind
 * the pass of H as well, from E, and the pass of E finds their currents. */
#include <string.h>

#include "gpu/host/state.h"
#include "libdg/base/memory.h"
#include "maxwell/backend/frame/skin_frame.h"

enum { WALLS, FILMS }; /* of mx_backend.skins */

static bool is_film(const struct mx_problem *problem, size_t k) { return mx_skin_of(problem, k)->film; }

/* The poles of the walls or films of a list, at most. */
static size_t poles_of(const struct mx_problem *problem, bool film)
{
  size_t most = 1;
  for (size_t i = 0; i < problem->metals; i++)
    if (problem->metal[i].film == film && problem->metal[i].poles > most) most = problem->metal[i].poles;
  return most;
}

/* Arrays of currents, beside the value of a pass. */
static size_t arrays_of(const struct mx_scheme *scheme) { return scheme->sums ? 3 : 2; }

size_t gpu_skin_bytes(const struct mx_problem *problem, const struct mx_backend_options *options, size_t real)
{
  const size_t Nf = (size_t)problem->ref->Nf, matrix = 4 * Nf * Nf;
  size_t bytes = problem->metals * (2 * poles_of(problem, false) * (real + sizeof(double)) + 2 * sizeof(double));
  for (size_t k = 0; k < problem->skin_faces; k++) {
    const bool film = is_film(problem, k);
    const bool curved = problem->curves.count > 0 && mx_curve_find(problem, (size_t)problem->skin_face[k] / 4) >= 0;
    bytes += 2 * Nf * real * (1 + arrays_of(mx_scheme_of(options)) * poles_of(problem, film)) + 3 * real +
             3 * sizeof(double) + 6 * sizeof(int32_t) + (curved ? matrix * (sizeof(double) + (film ? 0 : real)) : 0);
  }
  return bytes;
}

/* ---- tables */

/* Sends the numbers of metals and films. */
static int pack_metals(struct mx_backend *backend, struct gpu_skins *to, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  const size_t metals = problem->metals, poles = (size_t)to->poles;
  const double step = mx_scheme_of(&backend->options)->staggered ? backend->options.step : 0;
  int32_t *count = NULL;
  double *storage = NULL, *lag = NULL;
  void *number = NULL;
  if (DG_NEW(count, metals, err) != 0 || DG_NEW(storage, metals * poles, err) != 0 || DG_NEW(lag, metals, err) != 0 ||
      dg_alloc(&number, 2 * metals * poles, backend->real, err) != 0)
    goto fail;
  for (size_t i = 0; i < metals; i++) {
    const struct mx_skin *skin = &problem->metal[i];
    if (skin->film != (to->film != 0)) continue;
    count[i] = (int32_t)skin->poles;
    lag[i] = 0.25 * step * skin->damping;
    for (size_t q = 0; q < skin->poles; q++) {
      double n[2];
      mx_skin_numbers(skin, q, step, n);
      for (size_t j = 0; j < 2; j++) gpu_put(backend, number, 2 * (i * poles + q) + j, n[j]);
      storage[i * poles + q] = 2 * mx_skin_storage(skin, q); /* because the sum is halved */
    }
  }
  (void)!(
      gpu_new_copy(&backend->card, &to->poles_of, count, metals * sizeof *count, "metal walls", err) != 0 ||
      gpu_new_copy(&backend->card, &to->storage, storage, metals * poles * sizeof *storage, "metal walls", err) != 0 ||
      gpu_new_copy(&backend->card, &to->lag, lag, metals * sizeof *lag, "metal walls", err) != 0 ||
      gpu_new_copy(&backend->card, &to->number, number, 2 * metals * poles * backend->real, "metal walls", err) != 0);
fail:
  dg_free(count);
  dg_free(storage);
  dg_free(lag);
  dg_free(number);
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
    if (to->film) turn[0] = problem->flux[e][f].e_jump, turn[1] = -mx_film_factor(problem, of[k]);
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
    for (size_t i = 0; i < n * n && !to->film; i++)
      gpu_put(backend, matrix, c * n * n + i % n * n + i / n, tables->curved[of[k]][i]);
    c++;
  }
  (void)!(gpu_new_copy(&backend->card, &to->weigh, weigh, count * n * n * sizeof *weigh, "metal walls", err) != 0 ||
          (!to->film &&
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
  return (size_t)skins->poles * 2 * skins->count * (size_t)backend->problem->ref->Nf * backend->real;
}

static int new_currents(struct mx_backend *backend, struct gpu_skins *to, struct dg_error *err)
{
  const struct mx_scheme *scheme = mx_scheme_of(&backend->options);
  const size_t bytes = state_bytes(backend, to);
  void **const wanted[] = {&to->now, scheme->staggered ? &to->before : NULL,
                           !scheme->staggered && !scheme->sums ? &to->registers : NULL,
                           scheme->sums ? &to->stage : NULL, scheme->sums ? &to->sum : NULL};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (wanted[i] != NULL && gpu_new(&backend->card, wanted[i], bytes, "metal walls", err) != 0) return err->code;
  return gpu_new(&backend->card, &to->value, bytes / (size_t)to->poles, "metal walls", err);
}

static int new_list(struct mx_backend *backend, int list, const struct mx_skin_tables *tables, struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  const size_t Nf = (size_t)problem->ref->Nf;
  struct gpu_own_skins *own = &backend->skins[list];
  struct gpu_skins *to = &own->at;
  int32_t *where = NULL;
  if (DG_NEW(own->of, problem->skin_faces, err) != 0 || DG_NEW(where, problem->skin_faces, err) != 0) goto fail;
  for (size_t k = 0; k < problem->skin_faces; k++) {
    if (is_film(problem, k) != (list == FILMS)) continue;
    where[to->count] = problem->skin_face[k];
    own->of[to->count++] = k;
  }
  to->film = list == FILMS;
  to->poles = (int)poles_of(problem, list == FILMS);
  if (to->count == 0) goto fail;
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

int gpu_new_skins(struct mx_backend *backend, struct dg_error *err)
{
  struct mx_skin_tables tables;
  if (backend->problem->skin_faces == 0) return 0;
  if (mx_skin_tables_init(&tables, backend->problem, err) == 0)
    (void)!(new_list(backend, WALLS, &tables, err) != 0 || new_list(backend, FILMS, &tables, err) != 0 ||
            gpu_start_skins(backend, err) != 0);
  mx_skin_tables_release(&tables);
  return err->code;
}

void gpu_release_skins(struct mx_backend *backend)
{
  for (int list = WALLS; list <= FILMS; list++) dg_free(backend->skins[list].of);
}

int gpu_start_skins(struct mx_backend *backend, struct dg_error *err)
{
  for (int list = WALLS; list <= FILMS; list++) {
    const struct gpu_skins *skins = &backend->skins[list].at;
    void *const arrays[] = {skins->now, skins->before, skins->registers, skins->stage, skins->sum};
    const size_t bytes = skins->count > 0 ? state_bytes(backend, skins) : 0;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays && bytes > 0; i++)
      if (arrays[i] != NULL &&
          gpu_check(gpuMemsetAsync(arrays[i], 0, bytes, backend->work), "clearing metal walls", err) != 0)
        return err->code;
    if (bytes > 0 && gpu_check(gpuMemsetAsync(skins->value, 0, bytes / (size_t)skins->poles, backend->work),
                               "clearing metal walls", err) != 0)
      return err->code;
  }
  return 0;
}

/* ---- steps */

static int take_along(struct mx_backend *backend, int list, const struct gpu_skin_pass *pass, struct dg_error *err)
{
  return gpu_check(gpu_step_skins(&backend->tables, &backend->skins[list].at, pass, backend->work), "metal walls", err);
}

/* Lifts the values of walls, -V beyond the face, or what films take from the jump of E. */
static int lift(struct mx_backend *backend, int list, struct gpu_addition addition, struct dg_error *err)
{
  const struct gpu_own_skins *own = &backend->skins[list];
  addition.equation = list == WALLS;
  addition.applied = backend->applied.of[addition.equation];
  if (list == WALLS) addition.other = (struct gpu_values){.part = own->at.value, .number = -1};
  else addition.own = (struct gpu_values){.part = own->at.value, .number = 1};
  addition.entries = own->straight;
  if (gpu_check(gpu_add_jumps(&backend->tables, &addition, backend->work), "metal walls", err) != 0) return err->code;
  addition.entries = own->curved;
  return gpu_check(gpu_add_in_curved(&backend->tables, &backend->curves, &addition, true, backend->work), "metal walls",
                   err);
}

int gpu_end_half_skins(struct mx_backend *backend, int equation, void *to, struct dg_error *err)
{
  const struct gpu_skin_pass pass = {.staggered = 1,
                                     .keep = backend->observed,
                                     .open_now = backend->open_now,
                                     .open_before = backend->open_before[1],
                                     .changes = backend->tables.open_slot == NULL,
                                     .field = {backend->field[0], NULL}};
  if (equation == 0)
    return backend->skins[FILMS].at.count > 0 ? lift(backend, FILMS, (struct gpu_addition){.to = to}, err) : 0;
  if (backend->skins[WALLS].at.count > 0 &&
      (take_along(backend, WALLS, &pass, err) != 0 || lift(backend, WALLS, (struct gpu_addition){.to = to}, err) != 0))
    return err->code;
  return take_along(backend, FILMS, &pass, err);
}

int gpu_stage_skins(struct mx_backend *backend, int s, void *const field[2], void *const also[2], struct dg_error *err)
{
  const struct mx_scheme *scheme = mx_scheme_of(&backend->options);
  const struct mx_pass *of = &scheme->pass[s];
  const double step = backend->options.step;
  const struct gpu_skin_pass pass = {.field = {field[0], field[1]},
                                     .step = step,
                                     .a = of->a,
                                     .b = of->b,
                                     .weight = of->weight * step,
                                     .next = of->next * step,
                                     .sums = scheme->sums,
                                     .first = s == 0,
                                     .last = s == scheme->stages - 1};
  for (int list = WALLS; list <= FILMS; list++) {
    const int equation = list == WALLS;
    const struct gpu_addition addition = {
        .to = backend->registers[equation], .also = also[equation], .to_register = 1, .b = of->b};
    if (backend->skins[list].at.count > 0 &&
        (take_along(backend, list, &pass, err) != 0 || lift(backend, list, addition, err) != 0))
      return err->code;
  }
  return 0;
}

int gpu_add_skin_energies(struct mx_backend *backend, double *part, struct dg_error *err)
{
  const bool staggered = mx_scheme_of(&backend->options)->staggered;
  for (int list = WALLS; list <= FILMS; list++)
    if (gpu_check(gpu_skin_energies(&backend->tables, &backend->skins[list].at, staggered, part, backend->work),
                  "observing", err) != 0)
      return err->code;
  return 0;
}

/* ---- checkpoints */

/* The first of a list's faces that is not below face `wanted` of the problem's. */
static size_t first_of(const struct gpu_own_skins *own, size_t wanted)
{
  size_t k = 0, end = own->at.count;
  while (k < end) {
    const size_t middle = k + (end - k) / 2;
    if (own->of[middle] < wanted) k = middle + 1;
    else end = middle;
  }
  return k;
}

/* Faces first .. end - 1 of a list, in staging[0] [poles][faces][2][Nf], to or from the values of faces from `start`
 * on, of so many poles each. */
static void turn_list(const struct mx_backend *backend, int list, size_t first, size_t end, size_t start, size_t poles,
                      double *to, const double *from)
{
  const struct gpu_own_skins *own = &backend->skins[list];
  const size_t Nf = (size_t)backend->problem->ref->Nf;
  for (size_t k = first; k < end; k++)
    for (size_t i = 0; i < (size_t)own->at.poles * Nf; i++) {
      const size_t q = i / Nf, m = i % Nf, f = (size_t)backend->problem->skin_face[own->of[k]] % 4;
      const size_t here = 2 * (q * (end - first) + k - first) * Nf + m,
                   there = ((own->of[k] - start) * poles + q) * 3 * Nf + m;
      double u[3], along[2];
      if (to != NULL) {
        for (size_t a = 0; a < 2; a++) along[a] = gpu_get(backend, backend->staging[0], here + a * Nf);
        MX_WITH_ALONG(f, along[0], along[1], u);
        for (size_t c = 0; c < 3; c++) to[there + c * Nf] = u[c];
      } else {
        MX_ALONG(f, from[there], from[there + Nf], from[there + 2 * Nf], along);
        for (size_t a = 0; a < 2; a++) gpu_put(backend, backend->staging[0], here + a * Nf, along[a]);
      }
    }
}

/* Copies these faces' currents to staging[0], or with `load` from there. */
static int copy_list(struct mx_backend *backend, int list, size_t first, size_t end, bool load, struct dg_error *err)
{
  const struct gpu_skins *skins = &backend->skins[list].at;
  const size_t face = 2 * (size_t)backend->problem->ref->Nf * backend->real, bytes = (end - first) * face;
  for (size_t q = 0; q < (size_t)skins->poles; q++) {
    unsigned char *const card = (unsigned char *)skins->now + (q * skins->count + first) * face,
                         *const host = backend->staging[0] + q * bytes;
    if (gpu_check(gpuMemcpyAsync(load ? card : host, load ? host : card, bytes,
                                 load ? gpuMemcpyHostToDevice : gpuMemcpyDeviceToHost, backend->work),
                  "copying the state", err) != 0)
      return err->code;
  }
  return gpu_wait(backend, err);
}

int gpu_copy_skins(struct mx_backend *backend, size_t first, size_t count, double *to, const double *from,
                   struct dg_error *err)
{
  const struct mx_problem *problem = backend->problem;
  const size_t poles = mx_skin_poles(problem), Nf = (size_t)problem->ref->Nf;
  if (count == 0) return 0;
  if (to != NULL) memset(to, 0, count * poles * 3 * Nf * sizeof *to);
  if (gpu_grow_staging(backend, count * poles * 2 * Nf * backend->real, err) != 0) return err->code;
  for (int list = WALLS; list <= FILMS; list++) {
    const struct gpu_own_skins *own = &backend->skins[list];
    const size_t begin = first_of(own, first), end = first_of(own, first + count);
    if (begin == end) continue;
    if (from != NULL) turn_list(backend, list, begin, end, first, poles, NULL, from);
    if (copy_list(backend, list, begin, end, from != NULL, err) != 0) return err->code;
    if (to != NULL) turn_list(backend, list, begin, end, first, poles, to, NULL);
  }
  return 0;
}
