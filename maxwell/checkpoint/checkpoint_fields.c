/* The fields of a rank in a checkpoint: saved as the backend holds them, and loaded from the files of any number of
 * ranks, turned to other components where the backends differ. checkpoint.c calls it. */
#include "maxwell/checkpoint/checkpoint_fields.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/io/store.h"
#include "maxwell/backend/frame/frame.h"
#include "maxwell/terms/skin_frame.h"
#include "maxwell/problem/curved.h"
#include "maxwell/shell/checkpoint_files.h"

/* The lists whose items the arrays of the state (maxwell/terms/state_arrays.h) have. An item has a name in the whole
 * mesh: elements and entries of responses `element`, faces 4 * element + face. */
enum { ELEMENTS = MX_STATE_OF_ELEMENTS, ENTRIES = MX_STATE_OF_ENTRIES }; /* ENTRIES + r: of response r */

static struct mx_state_array describe(const struct mx_scene *scene, int array)
{
  return mx_state_array(scene->problem, scene->config->time.integrator, (size_t)array);
}

static int list_of(const struct mx_state_array *of)
{
  return of->list == MX_STATE_OF_ENTRIES ? ENTRIES + (int)of->response : (int)of->list;
}

static int arrays_of(const struct mx_problem *problem) { return (int)mx_state_arrays(problem); }
static int lists_of(const struct mx_problem *problem) { return ENTRIES + (int)problem->responses; }

struct name {
  char text[24];
};

/* The first array with the items of a list. */
static struct mx_state_array array_of(const struct mx_scene *scene, int list)
{
  for (int array = 0; array < arrays_of(scene->problem); array++) {
    const struct mx_state_array of = describe(scene, array);
    if (list_of(&of) == list) return of;
  }
  return (struct mx_state_array){.list = MX_STATE_OF_ELEMENTS};
}

static struct name list_name(const struct mx_scene *scene, int list)
{
  const struct mx_state_array of = array_of(scene, list);
  struct name name;
  if (of.of_items != NULL) (void)snprintf(name.text, sizeof name.text, "%s", of.of_items);
  else (void)snprintf(name.text, sizeof name.text, "entries_%d", list - ENTRIES + 1);
  return name;
}

/* Counts the items of a list on this rank. */
static size_t items_of(const struct mx_scene *scene, int list) { return array_of(scene, list).items; }

static size_t open_faces(const struct mx_scene *scene) { return items_of(scene, MX_STATE_OF_FACES); }

/* The number of items that go through memory at a time. */
static size_t piece_of(const struct mx_state_array *of)
{
  enum { NUMBERS = 1 << 15 }; /* the numbers stay in the cache while they are looked at and written */
  size_t items = NUMBERS / mx_state_width(of);
  return items > 0 ? items : 1;
}

/* The numbers of an array on the disk. */
static enum dg_store_type type_of(const struct mx_scene *scene, const struct mx_state_array *of)
{
  const bool doubles = scene->config->precision == MX_DOUBLE || of->doubles;
  return doubles ? DG_STORE_DOUBLES : DG_STORE_FLOATS;
}

size_t mx_fields_bytes(const struct mx_scene *scene)
{
  size_t bytes = 0;
  for (int list = 0; list < lists_of(scene->problem); list++) bytes += items_of(scene, list) * sizeof(int64_t);
  for (int array = 0; array < arrays_of(scene->problem); array++) {
    const struct mx_state_array of = describe(scene, array);
    bytes +=
        of.items * mx_state_width(&of) * (type_of(scene, &of) == DG_STORE_DOUBLES ? sizeof(double) : sizeof(float));
  }
  return bytes;
}

/* ---- saving */

/* Saves the names of a list's items, in the order of their numbers here. */
static int save_names(struct dg_store *store, const struct mx_scene *scene, int list, struct dg_error *err)
{
  const struct dg_mesh *mesh = scene->mesh;
  const struct mx_state_array of = array_of(scene, list);
  const size_t count = of.items;
  int64_t *name;
  if (DG_NEW(name, count, err) != 0) return err->code;
  for (size_t i = 0; i < count && of.slot == NULL; i++)
    name[i] = dg_mesh_global(mesh, list == ELEMENTS ? i : (size_t)scene->problem->response[list - ENTRIES].where[i]);
  for (size_t e = 0; e < mesh->K && count > 0 && of.slot != NULL; e++)
    for (int f = 0; f < 4; f++) {
      const ptrdiff_t slot = of.slot(scene->problem, e, f);
      if (slot >= 0) name[slot] = 4 * dg_mesh_global(mesh, e) + f;
    }
  (void)!dg_store_put(store, list_name(scene, list).text, DG_STORE_INTEGERS, count, name, err);
  dg_free(name);
  return err->code;
}

static bool all_finite(size_t count, const double *value)
{
  size_t others = 0;
  for (size_t i = 0; i < count; i++) others += !(fabs(value[i]) <= DBL_MAX);
  return others == 0;
}

static int save_array(struct dg_store *store, int array, const struct mx_scene *scene, struct mx_backend *backend,
                      double *piece, bool *finite, struct dg_error *err)
{
  const struct mx_state_array of = describe(scene, array);
  const size_t count = of.items, width = mx_state_width(&of), most = piece_of(&of);
  if (dg_store_add(store, of.name, type_of(scene, &of), count * width, err) != 0) return err->code;
  for (size_t first = 0; first < count; first += most) {
    const size_t here = count - first < most ? count - first : most;
    if (scene->ops->save(backend, array, first, here, piece, err) != 0) return err->code;
    *finite = all_finite(here * width, piece);
    if (!*finite) return 0;
    if (dg_store_write(store, of.name, first * width, here * width, piece, err) != 0) return err->code;
  }
  return 0;
}

/* Allocates room for a piece of any array. */
static int new_piece(double **piece, const struct mx_scene *scene, struct dg_error *err)
{
  size_t numbers = 0;
  for (int array = 0; array < arrays_of(scene->problem); array++) {
    const struct mx_state_array of = describe(scene, array);
    const size_t here = piece_of(&of) * mx_state_width(&of);
    if (here > numbers) numbers = here;
  }
  return dg_alloc_untouched(piece, numbers, sizeof **piece, err);
}

int mx_fields_save(const char *folder, struct dg_ledger *ledger, long number, const struct mx_scene *scene,
                   struct mx_backend *backend, bool *finite, uint64_t *digest, struct dg_error *err)
{
  struct dg_store *store = NULL;
  double *piece = NULL;
  const int lists = lists_of(scene->problem), arrays = arrays_of(scene->problem);
  char *path;
  *finite = true;
  if (mx_checkpoint_path(&path, folder, number, dg_comm_rank(scene->comm), err) != 0) return err->code;
  if (new_piece(&piece, scene, err) != 0 || dg_ledger_claim(ledger, DG_LEDGER_OUTPUT, path, err) != 0 ||
      dg_store_create(&store, path, mx_fields_bytes(scene), (size_t)lists + (size_t)arrays, err) != 0)
    goto fail;
  for (int list = 0; list < lists; list++)
    if (save_names(store, scene, list, err) != 0) goto fail;
  for (int array = 0; array < arrays && *finite; array++) {
    const struct mx_state_array of = describe(scene, array);
    if ((of.list == MX_STATE_OF_ELEMENTS || of.items > 0) &&
        save_array(store, array, scene, backend, piece, finite, err) != 0)
      goto fail;
  }
  if (*finite && dg_store_finish(store, digest, err) != 0) goto fail;
fail:
  dg_store_free(store);
  dg_free(piece);
  dg_free(path);
  return err->code;
}

void mx_fields_remove(const char *folder, long number, long rank)
{
  struct dg_error ignored = {0};
  char *path;
  if (mx_checkpoint_path(&path, folder, number, rank, &ignored) != 0) return;
  (void)unlink(path);
  dg_free(path);
}

/* ---- loading */

struct reader {
  const struct mx_scene *scene;
  struct mx_backend *backend;
  enum mx_components components; /* of the files */
  struct dg_keyed *own;          /* [K] this rank's elements by their names */
  double *piece;
  double *trace[2]; /* [open_faces][3][Nf] that have to be completed; else NULL */
  bool **seen;      /* [lists][items]: those that a file had */
  size_t *found;    /* [arrays] items that were loaded */
};

enum { NOT_HERE = -1 };

/* Returns this rank's number of an item: of an element, of an open face's slot, of an entry. */
static int64_t own_number(const struct reader *reader, int list, int64_t name)
{
  if (name < 0) return NOT_HERE;
  const bool of_faces = list != ELEMENTS && list < ENTRIES;
  const size_t e = dg_find_keyed(reader->own, reader->scene->problem->K, (uint64_t)(of_faces ? name / 4 : name));
  if (e == SIZE_MAX) return NOT_HERE;
  if (list == ELEMENTS) return (int64_t)e;
  if (list >= ENTRIES) return mx_response_find(&reader->scene->problem->response[list - ENTRIES], e);
  const ptrdiff_t slot = array_of(reader->scene, list).slot(reader->scene->problem, e, (int)(name % 4));
  return slot >= 0 ? slot : NOT_HERE;
}

/* Converts value[3][N] of element e, of its nodes or of those of face f (-1: none), to the components of the backend. A
 * curved element has a frame at every node. */
static void convert(const struct reader *reader, size_t e, int f, size_t N, double *value)
{
  const bool from = reader->components == MX_CARTESIAN, to = reader->scene->ops->components == MX_CARTESIAN;
  const struct mx_problem *problem = reader->scene->problem;
  const struct dg_reference *ref = problem->ref;
  const bool curved = problem->curves.count > 0 && mx_curve_find(problem, e) >= 0;
  double g[3][3], metric[9];
  if (from == to) return;
  for (size_t i = 0; i < N; i++) {
    if (i == 0 || curved) { /* layers, which have points in place of nodes, are never curved */
      const int node = f >= 0 ? ref->face_node[(size_t)f * N + i] : (int)i;
      const double place[3] = {ref->r[node], ref->s[node], ref->t[node]};
      (void)mx_element_metric(problem, e, place, metric);
      if (from) (void)mx_frame_tangents(metric, g);
      else mx_frame_gradients(metric, g);
    }
    double old[3] = {value[i], value[N + i], value[2 * N + i]};
    for (size_t c = 0; c < 3; c++)
      value[c * N + i] = from ? g[c][0] * old[0] + g[c][1] * old[1] + g[c][2] * old[2]
                              : g[0][c] * old[0] + g[1][c] * old[1] + g[2][c] * old[2];
  }
}

/* The same of currents value[vectors][3][Nf] on face f of element e, which are Cartesian but where a backend's traces
 * are tangential. */
static void convert_currents(const struct reader *reader, size_t e, int f, size_t vectors, double *value)
{
  const bool from = reader->components != MX_COVARIANT_TANGENTIAL,
             to = reader->scene->ops->components != MX_COVARIANT_TANGENTIAL;
  if (from != to) mx_turn_currents(reader->scene->problem, e, (size_t)f, vectors, to, value);
}

static int load_piece(struct reader *reader, int array, struct dg_store *store, size_t first, size_t count,
                      const int64_t *number, const int64_t *name, struct dg_error *err)
{
  const struct mx_state_array of = describe(reader->scene, array);
  const size_t N = of.nodes, width = mx_state_width(&of);
  size_t here = 0;
  for (size_t i = 0; i < count; i++) here += number[i] != NOT_HERE;
  if (here == 0) return 0;
  if (dg_store_read(store, of.name, DG_STORE_DOUBLES, first * width, count * width, reader->piece, err) != 0)
    return err->code;
  for (size_t i = 0; i < count; i++) {
    if (number[i] == NOT_HERE) continue;
    const size_t e = (size_t)own_number(reader, ELEMENTS, of.slot != NULL ? name[i] / 4 : name[i]);
    const int f = of.slot != NULL ? (int)(name[i] % 4) : -1;
    if (of.tangential) convert_currents(reader, e, f, of.vectors, reader->piece + i * width);
    else
      for (size_t at = 0; at < width; at += 3 * N) convert(reader, e, f, N, reader->piece + i * width + at);
  }
  if (of.list == MX_STATE_OF_FACES && reader->trace[0] != NULL) {
    for (size_t i = 0; i < count; i++)
      if (number[i] != NOT_HERE)
        memcpy(reader->trace[of.field] + (size_t)number[i] * width, reader->piece + i * width, width * sizeof(double));
    reader->found[array] += here;
    return 0;
  }
  for (size_t i = 0, run; i < count; i += run) { /* consecutive numbers go together */
    for (run = 1; i + run < count && number[i] != NOT_HERE && number[i + run] == number[i] + (int64_t)run;) run++;
    if (number[i] != NOT_HERE &&
        reader->scene->ops->load(reader->backend, array, (size_t)number[i], run, reader->piece + i * width, err) != 0)
      return err->code;
  }
  reader->found[array] += here;
  return 0;
}

/* Finds number[count] of the names in a file. No name may come twice: it would take the place of one that is missing.
 */
static int find_numbers(struct reader *reader, int list, size_t count, const int64_t *name, int64_t *number,
                        struct dg_error *err)
{
  for (size_t i = 0; i < count; i++) {
    number[i] = own_number(reader, list, name[i]);
    if (number[i] == NOT_HERE) continue;
    bool *seen = &reader->seen[list][number[i]];
    if (*seen)
      return dg_fail(err, DG_ENVIRONMENT, "the checkpoint has %s %" PRId64 " twice",
                     array_of(reader->scene, list).slot != NULL ? "face" : "element", name[i]);
    *seen = true;
  }
  return 0;
}

/* Loads the arrays of a list from one file. */
static int load_arrays(struct reader *reader, int list, struct dg_store *store, struct dg_error *err)
{
  const struct name names = list_name(reader->scene, list);
  const int arrays = arrays_of(reader->scene->problem);
  int64_t *name = NULL, *number = NULL;
  size_t count;
  if (dg_store_count(store, names.text, &count, err) != 0 || DG_NEW(name, count, err) != 0 ||
      DG_NEW(number, count, err) != 0 ||
      dg_store_read(store, names.text, DG_STORE_INTEGERS, 0, count, name, err) != 0 ||
      find_numbers(reader, list, count, name, number, err) != 0)
    goto fail;
  for (int array = 0; array < arrays; array++) {
    const struct mx_state_array of = describe(reader->scene, array);
    const size_t most = piece_of(&of);
    for (size_t first = 0; first < count && list_of(&of) == list; first += most) {
      const size_t here = count - first < most ? count - first : most;
      if (load_piece(reader, array, store, first, here, number + first, name + first, err) != 0) goto fail;
    }
  }
fail:
  dg_free(name);
  dg_free(number);
  return err->code;
}

/* ---- traces whose normal component means nothing, for a backend that keeps one vector a node */

/* Solves M u = b by Cramer's rule. */
static void solve(const double M[3][3], const double b[3], double u[3])
{
  double minor[3][3], determinant = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
      minor[i][j] = M[p][r] * M[q][s] - M[p][s] * M[q][r];
    }
  for (int j = 0; j < 3; j++) determinant += M[0][j] * minor[0][j];
  for (int j = 0; j < 3; j++) u[j] = (minor[0][j] * b[0] + minor[1][j] * b[1] + minor[2][j] * b[2]) / determinant;
}

/* Completes node i of element e: the parts along two or three open faces give the whole vector by least squares. The
 * residual is zero, as all parts are traces of one vector. */
static void complete_node(const struct reader *reader, double *trace, size_t e, int32_t i)
{
  const struct mx_problem *problem = reader->scene->problem;
  const size_t Nf = (size_t)problem->ref->Nf;
  double M[3][3] = {{0}}, b[3] = {0}, u[3];
  double *at[4];
  size_t faces = 0;
  for (size_t f = 0; f < 4; f++) {
    const int slot = mx_open_slot(problem->neighbour[e][f]);
    for (size_t m = 0; slot >= 0 && m < Nf; m++) {
      if (problem->ref->face_node[f * Nf + m] != i) continue;
      double along[2], row[3][2];
      at[faces] = trace + 3 * (size_t)slot * Nf + m;
      MX_ALONG(f, at[faces][0], at[faces][Nf], at[faces][2 * Nf], along);
      for (int c = 0; c < 3; c++) MX_ALONG(f, (double)(c == 0), (double)(c == 1), (double)(c == 2), row[c]);
      for (int c = 0; c < 3; c++) {
        b[c] += row[c][0] * along[0] + row[c][1] * along[1];
        for (int d = 0; d < 3; d++) M[c][d] += row[c][0] * row[d][0] + row[c][1] * row[d][1];
      }
      faces++;
    }
  }
  if (faces < 2) return;
  solve((const double(*)[3])M, b, u);
  for (size_t k = 0; k < faces; k++)
    for (size_t c = 0; c < 3; c++) at[k][c * Nf] = u[c];
}

static int load_completed(struct reader *reader, struct dg_error *err)
{
  const struct mx_problem *problem = reader->scene->problem;
  for (int array = 0; array < arrays_of(problem); array++) {
    const struct mx_state_array of = describe(reader->scene, array);
    if (of.list != MX_STATE_OF_FACES) continue;
    for (size_t e = 0; e < problem->K; e++) {
      bool open = false;
      for (int f = 0; f < 4; f++) open = open || mx_open_slot(problem->neighbour[e][f]) >= 0;
      for (int32_t i = 0; open && i < problem->ref->Np; i++) complete_node(reader, reader->trace[of.field], e, i);
    }
    if (reader->scene->ops->load(reader->backend, array, 0, of.items, reader->trace[of.field], err) != 0)
      return err->code;
  }
  return 0;
}

static int load_part(struct reader *reader, const char *folder, long number, long part, struct dg_error *err)
{
  struct dg_store *store;
  char *path;
  if (mx_checkpoint_path(&path, folder, number, part, err) != 0) return err->code;
  int status = dg_store_open(&store, path, true, err);
  dg_free(path);
  if (status != 0) return status;
  for (int list = 0; list < lists_of(reader->scene->problem); list++)
    if (load_arrays(reader, list, store, err) != 0) break;
  dg_store_free(store);
  return err->code;
}

/* Returns the first array that is incomplete; -1: none. */
static int incomplete_array(const struct reader *reader)
{
  for (int array = 0; array < arrays_of(reader->scene->problem); array++)
    if (reader->found[array] < describe(reader->scene, array).items) return array;
  return -1;
}

int mx_fields_load(const char *folder, long number, long parts, enum mx_components components,
                   const struct mx_scene *scene, struct mx_backend *backend, struct dg_error *err)
{
  const size_t K = scene->problem->K;
  struct reader reader = {.scene = scene, .backend = backend, .components = components};
  const bool incomplete = components == MX_COVARIANT_TANGENTIAL && scene->ops->components == MX_COVARIANT;
  const int lists = lists_of(scene->problem), arrays = arrays_of(scene->problem);
  if (new_piece(&reader.piece, scene, err) != 0 || DG_NEW(reader.own, K, err) != 0 ||
      DG_NEW(reader.found, (size_t)arrays, err) != 0 || DG_NEW(reader.seen, (size_t)lists, err) != 0)
    goto fail;
  for (int list = 0; list < lists; list++)
    if (DG_NEW(reader.seen[list], items_of(scene, list), err) != 0) goto fail;
  for (int i = 0; i < 2 && incomplete; i++)
    if (DG_NEW(reader.trace[i], open_faces(scene) * 3 * (size_t)scene->ref->Nf, err) != 0) goto fail;
  for (size_t e = 0; e < K; e++) reader.own[e] = (struct dg_keyed){(uint64_t)dg_mesh_global(scene->mesh, e), e};
  if (dg_sort_keyed(reader.own, K, err) != 0) goto fail;
  /* A rank that wrote a part reads it first: with the same number of ranks it has then all that it needs. */
  for (long i = 0; i < parts && incomplete_array(&reader) >= 0; i++)
    if (load_part(&reader, folder, number, (dg_comm_rank(scene->comm) + i) % parts, err) != 0) goto fail;
  const int missing = incomplete_array(&reader);
  if (missing >= 0) {
    const struct mx_state_array of = describe(scene, missing);
    (void)dg_fail(err, DG_ENVIRONMENT, "the checkpoint of step %ld in '%s' has %zu of %zu numbers of %s", number,
                  folder, reader.found[missing], of.items, of.name);
    goto fail;
  }
  if ((incomplete && open_faces(scene) > 0 && load_completed(&reader, err) != 0) ||
      scene->ops->loaded(backend, err) != 0)
    goto fail;
fail:
  dg_free(reader.trace[0]);
  dg_free(reader.trace[1]);
  for (int list = 0; reader.seen != NULL && list < lists; list++) dg_free(reader.seen[list]);
  dg_free(reader.seen);
  dg_free(reader.found);
  dg_free(reader.piece);
  dg_free(reader.own);
  return err->code;
}
