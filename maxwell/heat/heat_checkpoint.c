/* Writes, finds and loads checkpoints of heat. heat.c calls it. */
#include "maxwell/heat/heat_checkpoint.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "maxwell/session/identity.h"
#include "maxwell/shell/checkpoint_files.h"

/* FORMAT: one more whenever an older checkpoint would be read wrongly. CHUNK: elements that are sent at once. */
enum { FORMAT = 2, KEPT = 2, CHUNK = 4096 };

static const char *const part_of_heat = "heat/checkpoint";

static bool is_first(const struct mx_heat_place *place) { return dg_comm_rank(place->comm) == 0; }

/* The number of an element of the body in the whole mesh, the same for any number of ranks. */
static int64_t global_of(const struct mx_heat_state *state, size_t k)
{
  return dg_mesh_global(state->place->mesh, (size_t)state->march->problem->body->from[k]);
}

/* All but the values of unknowns. */
static int archive_state(const struct mx_heat_state *state, struct mx_archive *archive, struct dg_error *err)
{
  const struct mx_heat_more *more = state->more;
  if (mx_heat_march_archive(state->march, archive, err) != 0 ||
      mx_heat_record_archive(state->record, archive, err) != 0)
    return err->code;
  return more != NULL ? more->archive(more->self, archive, err) : 0;
}

/* The kinds of values that unknowns have: temperatures, and more. */
static int kinds(const struct mx_heat_state *state) { return 1 + (state->more != NULL ? MX_HEAT_MORE : 0); }

static const char *name_of(const struct mx_heat_state *state, int kind)
{
  return kind == 0 ? "T" : state->more->name[kind - 1];
}

static double *values_of(const struct mx_heat_state *state, int kind)
{
  return kind == 0 ? state->march->T : state->more->value[kind - 1];
}

/* ---- writing */

/* A file on its way, rank 0's. */
struct file {
  struct dg_store *store;
  size_t elements, nodes, done; /* of all ranks; of each; written so far, of this kind */
  const char *name;             /* of the kind */
  bool first;                   /* it is the first kind, which comes with the elements' numbers */
  struct dg_error *failure;
};

static int begin_file(struct file *file, const struct mx_heat_state *state, const char *folder, struct dg_error *err)
{
  enum { OTHERS = 3, SLACK = 4096 };
  struct mx_archive archive = {.does = MX_ARCHIVE_MEASURES};
  const int64_t about[] = {FORMAT, (int64_t)file->nodes, state->restarts};
  char *path;
  if (archive_state(state, &archive, err) != 0 || mx_checkpoint_path(&path, folder, state->march->n, MX_ROOT, err) != 0)
    return err->code;
  const size_t length = strlen(state->identity);
  const size_t bytes =
      archive.bytes + length + sizeof about + 8 * file->elements * (file->nodes * (size_t)kinds(state) + 1) + SLACK;
  int status = dg_ledger_claim(state->folder->ledger, DG_LEDGER_OUTPUT, path, err);
  if (status == 0)
    status = dg_store_create(&file->store, path, bytes, archive.arrays + OTHERS + (size_t)kinds(state), err);
  dg_free(path);
  if (status != 0) return status;
  archive = (struct mx_archive){.does = MX_ARCHIVE_SAVES, .store = file->store};
  if (dg_store_put(file->store, "format", DG_STORE_INTEGERS, sizeof about / sizeof *about, about, err) != 0 ||
      dg_store_put(file->store, "identity", DG_STORE_BYTES, length, state->identity, err) != 0 ||
      archive_state(state, &archive, err) != 0 ||
      dg_store_add(file->store, "elements", DG_STORE_INTEGERS, file->elements, err) != 0)
    return err->code;
  for (int kind = 0; kind < kinds(state); kind++)
    if (dg_store_add(file->store, name_of(state, kind), DG_STORE_DOUBLES, file->elements * file->nodes, err) != 0)
      return err->code;
  return 0;
}

/* Writes a rank's elements, unless something failed before. */
static void write_part(struct file *file, size_t count, const int64_t *number, const double *value)
{
  const size_t first = file->done, nodes = file->nodes;
  file->done += count;
  if (count == 0 || file->failure->code != DG_OK) return;
  if (!file->first || dg_store_write(file->store, "elements", first, count, number, file->failure) == 0)
    (void)!dg_store_write(file->store, file->name, first * nodes, count * nodes, value, file->failure);
}

/* The ranks hand their elements to rank 0 one after the other, so that it has room for one of them only. */
static int write_parts(struct file *file, const struct mx_heat_state *state, const size_t *count, int64_t *number,
                       double *value, struct dg_error *err)
{
  struct dg_comm *comm = state->place->comm;
  const size_t own = state->march->problem->body->mesh.K, nodes = file->nodes;
  file->done = 0;
  if (!is_first(state->place)) {
    if (file->first && dg_comm_send(comm, 0, own * sizeof *number, number, err) != 0) return err->code;
    return dg_comm_send(comm, 0, own * nodes * sizeof *value, value, err);
  }
  write_part(file, own, number, value);
  for (int rank = 1; rank < dg_comm_size(comm); rank++) {
    if ((file->first && dg_comm_receive(comm, rank, count[rank] * sizeof *number, number, err) != 0) ||
        dg_comm_receive(comm, rank, count[rank] * nodes * sizeof *value, value, err) != 0)
      return err->code;
    write_part(file, count[rank], number, value);
  }
  return 0;
}

/* Writes all into a file; rank 0 keeps what fails in *failure. */
static int write_file(const struct mx_heat_state *state, const char *folder, struct dg_error *failure,
                      struct dg_error *err)
{
  const struct mx_heat_problem *problem = state->march->problem;
  const size_t own = problem->body->mesh.K, nodes = (size_t)problem->space.ref.Np;
  struct file file = {.elements = problem->body->elements, .nodes = nodes, .failure = failure};
  size_t *count = NULL, most = own;
  int64_t *number = NULL;
  double *value = NULL;
  if (dg_comm_gather(state->place->comm, sizeof own, &own, &count, NULL, err) != 0) return err->code;
  for (int rank = 0; is_first(state->place) && rank < dg_comm_size(state->place->comm); rank++)
    most = count[rank] > most ? count[rank] : most;
  if (DG_NEW(number, most, err) != 0 || DG_NEW(value, most * nodes, err) != 0) goto fail;
  for (size_t k = 0; k < own; k++) number[k] = global_of(state, k);
  if (is_first(state->place) && failure->code == DG_OK) (void)!begin_file(&file, state, folder, failure);
  for (int kind = 0; kind < kinds(state); kind++) {
    const double *of = values_of(state, kind);
    file.name = name_of(state, kind);
    file.first = kind == 0;
    for (size_t n = 0; n < own * nodes; n++) value[n] = of[problem->space.number[n]];
    if (write_parts(&file, state, count, number, value, err) != 0) goto fail;
  }
  if (is_first(state->place) && failure->code == DG_OK) (void)!dg_store_finish(file.store, NULL, failure);
fail:
  dg_store_free(file.store);
  dg_free(count);
  dg_free(number);
  dg_free(value);
  return err->code;
}

int mx_heat_checkpoint_write(const struct mx_heat_state *state, bool *written, struct dg_error *failure,
                             struct dg_error *err)
{
  struct dg_comm *comm = state->place->comm;
  char *folder = NULL;
  *written = false;
  *failure = (struct dg_error){0};
  if (mx_folder_path(&folder, state->folder, part_of_heat, err) != 0) return err->code;
  if (is_first(state->place)) (void)!mx_folder_part(state->folder, part_of_heat, failure);
  /* Snapshots that were written before are not written again. */
  if (failure->code == DG_OK) (void)!dg_ledger_sync(state->folder->ledger, failure);
  int64_t failed = failure->code != DG_OK;
  if (dg_comm_reduce_int(comm, DG_MAX, 1, &failed, err) != 0) goto fail;
  if (failed && failure->code == DG_OK) (void)dg_fail(failure, DG_ENVIRONMENT, "another rank cannot write its files");
  if (!failed && write_file(state, folder, failure, err) != 0) goto fail;
  *written = failure->code == DG_OK;
  if (dg_comm_broadcast(comm, sizeof *written, written, err) != 0) goto fail;
  if (*written && is_first(state->place)) (void)!mx_checkpoint_prune(folder, KEPT, LONG_MAX, err);
fail:
  dg_free(folder);
  return err->code;
}

/* ---- finding */

/* Is the checkpoint of this computation? */
static int compare(struct dg_store *store, const char *identity, struct dg_error *err)
{
  size_t length;
  char *text;
  if (dg_store_count(store, "identity", &length, err) != 0 || dg_alloc(&text, length + 1, 1, err) != 0)
    return err->code;
  if (dg_store_read(store, "identity", DG_STORE_BYTES, 0, length, text, err) == 0)
    (void)!mx_identity_compare(text, identity, err);
  dg_free(text);
  return err->code;
}

/* Opens a file that is whole and of this format. */
static int open_file(struct dg_store **store, const char *folder, long number, struct dg_error *err)
{
  int64_t format = 0;
  char *path;
  if (mx_checkpoint_path(&path, folder, number, MX_ROOT, err) != 0) return err->code;
  if (dg_store_open(store, path, false, err) == 0 &&
      dg_store_read(*store, "format", DG_STORE_INTEGERS, 0, 1, &format, err) == 0 && format != FORMAT)
    (void)dg_fail(err, DG_INPUT, "it has format %" PRId64 " of another version of curlew; this one reads %d", format,
                  FORMAT);
  dg_free(path);
  if (err->code == DG_OK) return 0;
  dg_store_free(*store);
  *store = NULL;
  return err->code;
}

/* Rank 0's part. */
static int find(struct mx_heat_checkpoint *checkpoint, const struct mx_heat_place *place, const char *folder,
                const char *identity, struct dg_error *err)
{
  long *list;
  size_t count;
  if (mx_checkpoint_list(folder, &list, &count, err) != 0) return err->code;
  for (size_t i = 0; i < count && checkpoint->store == NULL; i++) {
    struct dg_error why = {0};
    if (open_file(&checkpoint->store, folder, list[i], &why) == 0) break;
    checkpoint->newer++;
    dg_log_warning(place->log, "the checkpoint of heat at step %ld is of no use: %s", list[i], why.message);
  }
  dg_free(list);
  return checkpoint->store != NULL ? compare(checkpoint->store, identity, err) : 0;
}

int mx_heat_checkpoint_find(struct mx_heat_checkpoint *checkpoint, const struct mx_heat_place *place,
                            const struct mx_folder *folder, const char *identity, struct dg_error *err)
{
  char *path = NULL;
  *checkpoint = (struct mx_heat_checkpoint){0};
  if (mx_folder_path(&path, folder, part_of_heat, err) != 0) return err->code;
  if (is_first(place) && find(checkpoint, place, path, identity, err) == 0)
    checkpoint->found = checkpoint->store != NULL;
  dg_free(path);
  return dg_comm_broadcast(place->comm, sizeof checkpoint->found, &checkpoint->found, err);
}

void mx_heat_checkpoint_release(struct mx_heat_checkpoint *checkpoint)
{
  dg_store_free(checkpoint->store);
  *checkpoint = (struct mx_heat_checkpoint){0};
}

/* ---- loading */

/* This rank's elements by their numbers in the whole mesh. */
struct finder {
  size_t count;
  struct dg_keyed *keyed; /* [count] */
};

static int make_finder(struct finder *finder, const struct mx_heat_state *state, struct dg_error *err)
{
  finder->count = state->march->problem->body->mesh.K;
  if (DG_NEW(finder->keyed, finder->count, err) != 0) return err->code;
  for (size_t k = 0; k < finder->count; k++)
    finder->keyed[k] = (struct dg_keyed){.key = (uint64_t)global_of(state, k), .item = k};
  return dg_sort_keyed(finder->keyed, finder->count, err);
}

/* The element with this number, or SIZE_MAX: it is another rank's. */
static size_t find_element(const struct finder *finder, int64_t number)
{
  size_t low = 0, high = finder->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (finder->keyed[middle].key < (uint64_t)number) low = middle + 1;
    else high = middle;
  }
  return low < finder->count && finder->keyed[low].key == (uint64_t)number ? finder->keyed[low].item : SIZE_MAX;
}

/* Rank 0 reads some elements at a time, and everybody takes its own. */
static int load_values(const struct mx_heat_checkpoint *checkpoint, const struct mx_heat_state *state, int kind,
                       const struct finder *finder, struct dg_error *err)
{
  const struct mx_heat_problem *problem = state->march->problem;
  const size_t all = problem->body->elements, nodes = (size_t)problem->space.ref.Np;
  struct dg_comm *comm = state->place->comm;
  int64_t *number = NULL;
  double *value = NULL, *to = values_of(state, kind);
  size_t taken = 0;
  if (DG_NEW(number, CHUNK, err) != 0 || DG_NEW(value, CHUNK * nodes, err) != 0) goto fail;
  for (size_t first = 0; first < all; first += CHUNK) {
    const size_t count = all - first < CHUNK ? all - first : CHUNK;
    if (is_first(state->place) &&
        (dg_store_read(checkpoint->store, "elements", DG_STORE_INTEGERS, first, count, number, err) != 0 ||
         dg_store_read(checkpoint->store, name_of(state, kind), DG_STORE_DOUBLES, first * nodes, count * nodes, value,
                       err) != 0))
      goto fail;
    if (dg_comm_broadcast(comm, count * sizeof *number, number, err) != 0 ||
        dg_comm_broadcast(comm, count * nodes * sizeof *value, value, err) != 0)
      goto fail;
    for (size_t i = 0; i < count; i++) {
      const size_t k = find_element(finder, number[i]);
      if (k == SIZE_MAX) continue;
      taken++;
      for (size_t n = 0; n < nodes; n++) to[problem->space.number[k * nodes + n]] = value[i * nodes + n];
    }
  }
  if (taken != finder->count)
    (void)dg_fail(err, DG_ENVIRONMENT, "the checkpoint of heat has %zu of the %zu elements of rank %d", taken,
                  finder->count, dg_comm_rank(comm));
  (void)!dg_comm_agree(comm, err);
fail:
  dg_free(number);
  dg_free(value);
  return err->code;
}

/* Rank 0: are the lengths those of this body? *restarts: those before. */
static int check_lengths(const struct mx_heat_checkpoint *checkpoint, const struct mx_heat_state *state, long *restarts,
                         struct dg_error *err)
{
  const struct mx_heat_problem *problem = state->march->problem;
  int64_t about[3] = {0};
  size_t elements, values;
  if (dg_store_read(checkpoint->store, "format", DG_STORE_INTEGERS, 0, 3, about, err) != 0 ||
      dg_store_count(checkpoint->store, "elements", &elements, err) != 0 ||
      dg_store_count(checkpoint->store, "T", &values, err) != 0)
    return err->code;
  *restarts = (long)about[2];
  if (elements == problem->body->elements && values == elements * (size_t)problem->space.ref.Np) return 0;
  return dg_fail(err, DG_ENVIRONMENT, "the checkpoint of heat has %zu elements, and this run %zu", elements,
                 problem->body->elements);
}

int mx_heat_checkpoint_load(const struct mx_heat_checkpoint *checkpoint, struct mx_heat_state *state,
                            struct dg_error *err)
{
  struct mx_archive archive = {.does = MX_ARCHIVE_LOADS, .store = checkpoint->store, .comm = state->place->comm};
  struct finder finder = {0};
  char *folder = NULL;
  if ((is_first(state->place) && check_lengths(checkpoint, state, &state->restarts, err) != 0) ||
      dg_comm_broadcast(state->place->comm, sizeof state->restarts, &state->restarts, err) != 0 ||
      archive_state(state, &archive, err) != 0)
    return err->code;
  if (make_finder(&finder, state, err) == 0)
    for (int kind = 0; kind < kinds(state) && err->code == DG_OK; kind++)
      (void)!load_values(checkpoint, state, kind, &finder, err);
  if (err->code == DG_OK && is_first(state->place) && mx_folder_path(&folder, state->folder, part_of_heat, err) == 0)
    (void)!mx_checkpoint_prune(folder, checkpoint->newer + KEPT, LONG_MAX, err);
  state->restarts++;
  dg_free(folder);
  dg_free(finder.keyed);
  return err->code;
}
