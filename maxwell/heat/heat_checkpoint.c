/* Writes, finds and loads checkpoints of heat. heat.c calls it. */
#include "maxwell/heat/heat_checkpoint.h"

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"

enum { CHUNK = 4096 }; /* elements that are sent at once */

static bool is_first(const struct mx_heat_place *place) { return dg_comm_rank(place->comm) == 0; }

/* The number of an element of the body in the whole mesh, the same for any number of ranks. */
static int64_t global_of(const struct mx_heat_state *state, size_t k)
{
  return dg_mesh_global(state->place->mesh, (size_t)state->march->problem->body->from[k]);
}

/* All but the values of unknowns. */
static int archive_state(void *self, struct mx_archive *archive, struct dg_error *err)
{
  struct mx_heat_state *state = self;
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
  enum { SLACK = 4096 };
  const size_t values = file->elements * file->nodes;
  const int64_t about[2] = {(int64_t)file->nodes, state->restarts};
  const struct mx_archive more = {.arrays = 1 + (size_t)kinds(state),
                                  .bytes = 8 * (values * (size_t)kinds(state) + file->elements) + SLACK};
  if (mx_checkpoint_create(&file->store, &state->order, folder, about, more, err) != 0 ||
      dg_store_add(file->store, "elements", DG_STORE_INTEGERS, file->elements, err) != 0)
    return err->code;
  for (int kind = 0; kind < kinds(state); kind++)
    if (dg_store_add(file->store, name_of(state, kind), DG_STORE_DOUBLES, values, err) != 0) return err->code;
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
static int save(void *self, const char *folder, struct dg_error *failure, struct dg_error *err)
{
  const struct mx_heat_state *state = self;
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

const struct mx_checkpoint_kind mx_heat_checkpoints = {
    .folder = "heat/checkpoint", .of = " of heat", .format = 2, .archive = archive_state, .save = save};

/* ---- loading */

/* This rank's elements by their numbers in the whole mesh; free it. */
static int list_elements(struct dg_keyed **keyed, const struct mx_heat_state *state, struct dg_error *err)
{
  const size_t count = state->march->problem->body->mesh.K;
  if (DG_NEW(*keyed, count, err) != 0) return err->code;
  for (size_t k = 0; k < count; k++) (*keyed)[k] = (struct dg_keyed){.key = (uint64_t)global_of(state, k), .item = k};
  return dg_sort_keyed(*keyed, count, err);
}

/* Rank 0 reads some elements at a time, and everybody takes its own. */
static int load_values(const struct mx_checkpoint *checkpoint, const struct mx_heat_state *state, int kind,
                       const struct dg_keyed *own, struct dg_error *err)
{
  const struct mx_heat_problem *problem = state->march->problem;
  const size_t all = problem->body->elements, here = problem->body->mesh.K, nodes = (size_t)problem->space.ref.Np;
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
      const size_t k = number[i] < 0 ? SIZE_MAX : dg_find_keyed(own, here, (uint64_t)number[i]);
      if (k == SIZE_MAX) continue;
      taken++;
      for (size_t n = 0; n < nodes; n++) to[problem->space.number[k * nodes + n]] = value[i * nodes + n];
    }
  }
  if (taken != here)
    (void)dg_fail(err, DG_ENVIRONMENT, "the checkpoint of heat has %zu of the %zu elements of rank %d", taken, here,
                  dg_comm_rank(comm));
  (void)!dg_comm_agree(comm, err);
fail:
  dg_free(number);
  dg_free(value);
  return err->code;
}

/* Rank 0: are the lengths those of this body? */
static int check_lengths(const struct mx_checkpoint *checkpoint, const struct mx_heat_state *state,
                         struct dg_error *err)
{
  const struct mx_heat_problem *problem = state->march->problem;
  size_t elements, values;
  if (dg_store_count(checkpoint->store, "elements", &elements, err) != 0 ||
      dg_store_count(checkpoint->store, "T", &values, err) != 0)
    return err->code;
  if (elements == problem->body->elements && values == elements * (size_t)problem->space.ref.Np) return 0;
  return dg_fail(err, DG_ENVIRONMENT, "the checkpoint of heat has %zu elements, and this run %zu", elements,
                 problem->body->elements);
}

int mx_heat_checkpoint_load(const struct mx_checkpoint *checkpoint, struct mx_heat_state *state, struct dg_error *err)
{
  struct dg_keyed *own = NULL;
  state->restarts = (long)checkpoint->about[1] + 1;
  if ((is_first(state->place) && check_lengths(checkpoint, state, err) != 0) ||
      mx_checkpoint_load_once(checkpoint, state, err) != 0)
    return err->code;
  if (list_elements(&own, state, err) == 0)
    for (int kind = 0; kind < kinds(state) && err->code == DG_OK; kind++)
      (void)!load_values(checkpoint, state, kind, own, err);
  if (err->code == DG_OK) (void)!mx_checkpoint_tidy(checkpoint, err);
  dg_free(own);
  return err->code;
}
