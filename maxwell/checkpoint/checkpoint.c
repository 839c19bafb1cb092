/* Checkpoints of the fields: what exists once, the files of the ranks, and whether they belong together. The time loop
 * calls it; checkpoint_fields.c has the fields. */
#include "maxwell/checkpoint/checkpoint.h"

#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/shell/checkpoint_files.h"
#include "maxwell/checkpoint/checkpoint_fields.h"

/* The number of a checkpoint. That at the end of the fields is not the one of the last step, which may be there. */
static long number_of(const struct mx_run_state *state)
{
  return state->counters->total + (state->counters->ended > 0);
}

static bool is_first(const struct mx_scene *scene) { return dg_comm_rank(scene->comm) == 0; }

/* ---- what there is once */

/* Checks the counters. A digest keeps accidents out, but not forgeries, whose counters would be used as sizes and
 * places in arrays. */
static int check_counters(const struct mx_counters *counters, const struct mx_scene *scene, struct dg_error *err)
{
  const struct mx_ports *ports = &scene->sources->ports;
  static const double age = 1e10; /* s */
  const long most = 1L << 52, port = counters->excitation;
  bool driven = port == 0;
  if (scene->config->output.s_parameters.count > 0)
    driven = port >= 0 && port < (long)ports->count && mx_ports_driven(ports, (size_t)port);
  bool real = counters->step >= 0 && counters->step <= counters->total && counters->total <= most && driven &&
              counters->restarts >= 0 && counters->restarts <= most && counters->ended >= 0 &&
              counters->ended <= most && counters->cut >= 0 && counters->cut <= most && counters->elapsed >= 0 &&
              counters->elapsed <= age && counters->output >= 0 && counters->output <= age;
  if (real) return 0;
  return dg_fail(err, DG_ENVIRONMENT, "the checkpoint's counters are not those of a run");
}

static int archive_counters(struct mx_counters *counters, const struct mx_scene *scene, struct mx_archive *archive,
                            struct dg_error *err)
{
  long whole[] = {counters->step,     counters->total, counters->excitation,
                  counters->restarts, counters->ended, counters->cut};
  double seconds[] = {counters->elapsed, counters->output};
  if (mx_archive_longs(archive, "counters", sizeof whole / sizeof *whole, whole, err) != 0 ||
      mx_archive_doubles(archive, "seconds", sizeof seconds / sizeof *seconds, seconds, err) != 0)
    return err->code;
  *counters = (struct mx_counters){.step = whole[0],
                                   .total = whole[1],
                                   .excitation = whole[2],
                                   .restarts = whole[3],
                                   .ended = whole[4],
                                   .cut = whole[5],
                                   .elapsed = seconds[0],
                                   .output = seconds[1]};
  return archive->does == MX_ARCHIVE_LOADS ? check_counters(counters, scene, err) : 0;
}

/* Archives all of the state but identity and parts. */
static int archive_state(void *self, struct mx_archive *archive, struct dg_error *err)
{
  struct mx_run_state *state = self;
  if (archive_counters(state->counters, state->scene, archive, err) != 0 ||
      mx_watchdog_archive(&state->watchdog[0], "watchdog", archive, err) != 0 ||
      mx_watchdog_archive(&state->watchdog[1], "further_watchdog", archive, err) != 0 ||
      mx_output_archive(state->output, archive, err) != 0 ||
      mx_port_output_archive(state->port_output, archive, err) != 0 ||
      mx_hooks_archive(state->hooks, archive, err) != 0)
    return err->code;
  return mx_ports_archive(&state->scene->sources->ports, state->counters->step, archive, err);
}

/* ---- writing */

static struct mx_checkpoint_order order_of(struct mx_run_state *state)
{
  return (struct mx_checkpoint_order){.kind = &mx_fields_checkpoints,
                                      .self = state,
                                      .comm = state->scene->comm,
                                      .folder = state->folder,
                                      .identity = state->identity,
                                      .number = number_of(state)};
}

static int write_root(struct mx_run_state *state, const char *folder, size_t parts, const uint64_t *digest,
                      struct dg_error *err)
{
  const struct mx_checkpoint_order order = order_of(state);
  const int64_t about[2] = {(int64_t)parts, state->scene->ops->components};
  const double plan[] = {state->scene->plan->step, state->scene->plan->widest};
  struct dg_store *store;
  (void)!(mx_checkpoint_create(&store, &order, folder, about,
                               (struct mx_archive){.arrays = 2, .bytes = sizeof plan + parts * sizeof *digest},
                               err) != 0 ||
          dg_store_put(store, MX_STEP_PLAN, DG_STORE_DOUBLES, 2, plan, err) != 0 ||
          dg_store_put(store, "parts", DG_STORE_INTEGERS, parts, digest, err) != 0 ||
          dg_store_finish(store, NULL, err) != 0);
  dg_store_free(store);
  return err->code;
}

/* Stops a run whose fields are no numbers, on any rank: it must not go on from them. */
static int stop_if_not_finite(const struct mx_run_state *state, bool finite, struct dg_error *err)
{
  int64_t bad = !finite;
  if (dg_comm_reduce_int(state->scene->comm, DG_MAX, 1, &bad, err) != 0) return err->code;
  if (bad == 0) return 0;
  snprintf(state->watchdog->alarm, sizeof state->watchdog->alarm, "NaN or infinity in the fields");
  return mx_watchdog_stop(state->watchdog, state->backend, state->counters->step, err);
}

/* Writes a rank's file each, and then the first one. */
static int save(void *self, const char *folder, struct dg_error *failure, struct dg_error *err)
{
  struct mx_run_state *state = self;
  const struct mx_scene *scene = state->scene;
  const long number = number_of(state);
  uint64_t digest = 0, *digests = NULL;
  bool failed, finite = true;
  (void)!mx_fields_save(folder, state->folder->ledger, number, scene, state->backend, &finite, &digest, failure);
  bool wrote = failure->code == DG_OK && finite;
  if (stop_if_not_finite(state, finite, err) != 0) {
    if (wrote) mx_fields_remove(folder, number, dg_comm_rank(scene->comm));
    return err->code;
  }
  if (mx_gather_failure(scene->comm, failure, &failed, err) != 0 ||
      dg_comm_gather(scene->comm, sizeof digest, &digest, &digests, NULL, err) != 0)
    return err->code;
  if (!failed && is_first(scene) && write_root(state, folder, (size_t)dg_comm_size(scene->comm), digests, failure) != 0)
    failed = true;
  dg_free(digests);
  if (dg_comm_broadcast(scene->comm, sizeof failed, &failed, err) != 0) return err->code;
  if (failed && wrote) mx_fields_remove(folder, number, dg_comm_rank(scene->comm));
  return 0;
}

int mx_checkpoint_write(struct mx_run_state *state, bool *written, struct dg_error *failure, struct dg_error *err)
{
  const struct mx_checkpoint_order order = order_of(state);
  *written = false;
  if (mx_output_drain(state->output, err) != 0 || mx_output_gather(state->output, err) != 0) return err->code;
  return mx_checkpoint_keep(&order, written, failure, err);
}

size_t mx_checkpoint_bytes(const struct mx_scene *scene) { return mx_fields_bytes(scene); }

/* ---- finding */

/* Rank 0: reads the digests of the other files. */
static int read_digests(const struct mx_checkpoint *checkpoint, uint64_t **digest, struct dg_error *err)
{
  const int64_t components = checkpoint->about[1];
  size_t parts = 0;
  if (dg_store_count(checkpoint->store, "parts", &parts, err) != 0) return err->code;
  if (parts == 0 || (int64_t)parts != checkpoint->about[0] || components < MX_CARTESIAN ||
      components > MX_COVARIANT_TANGENTIAL)
    return dg_fail(err, DG_ENVIRONMENT, "its first file does not say how many others there are, or what is in them");
  if (DG_NEW(*digest, parts, err) != 0) return err->code;
  return dg_store_read(checkpoint->store, "parts", DG_STORE_INTEGERS, 0, parts, *digest, err);
}

static int check_part(const struct mx_checkpoint *checkpoint, long part, uint64_t wanted, struct dg_error *err)
{
  uint64_t digest = 0;
  char *path;
  if (mx_checkpoint_path(&path, checkpoint->folder, checkpoint->number, part, err) != 0) return err->code;
  if (dg_store_check(path, &digest, err) == 0 && digest != wanted)
    (void)dg_fail(err, DG_ENVIRONMENT, "'%s' belongs to another checkpoint", path);
  dg_free(path);
  return err->code;
}

/* Ranks share the parts to look at. */
static int look(struct mx_checkpoint *checkpoint, struct dg_error *why, struct dg_error *err)
{
  struct dg_comm *comm = checkpoint->comm;
  const long parts = (long)checkpoint->about[0];
  uint64_t *digest = NULL;
  if (dg_comm_rank(comm) == 0) (void)!read_digests(checkpoint, &digest, why);
  bool known = why->code == DG_OK;
  if (dg_comm_broadcast(comm, sizeof known, &known, err) != 0 || !known) goto fail;
  if ((digest == NULL && DG_NEW(digest, parts, err) != 0) ||
      dg_comm_broadcast(comm, (size_t)parts * sizeof *digest, digest, err) != 0)
    goto fail;
  for (long part = dg_comm_rank(comm); part < parts && why->code == DG_OK; part += dg_comm_size(comm))
    (void)!check_part(checkpoint, part, digest[part], why);
fail:
  dg_free(digest);
  return err->code;
}

/* Formats: 4: the watchdog and the S-parameters keep more. 5: fields that have ended, before heat. 6: functions by all
 * that they read; the step before the end shortened it, the samples of running transforms. */
const struct mx_checkpoint_kind mx_fields_checkpoints = {
    .folder = "checkpoint", .of = "", .format = 6, .archive = archive_state, .save = save, .look = look};

/* ---- loading */

int mx_checkpoint_load_fields(const struct mx_checkpoint *checkpoint, const struct mx_scene *scene,
                              struct mx_backend *backend, struct dg_error *err)
{
  return mx_fields_load(checkpoint->folder, checkpoint->number, (long)checkpoint->about[0],
                        (enum mx_components)checkpoint->about[1], scene, backend, err);
}

int mx_checkpoint_counters(const struct mx_checkpoint *checkpoint, const struct mx_scene *scene,
                           struct mx_counters *counters, struct dg_error *err)
{
  struct mx_archive archive = {.does = MX_ARCHIVE_LOADS, .store = checkpoint->store, .comm = scene->comm};
  return archive_counters(counters, scene, &archive, err);
}

int mx_checkpoint_load(const struct mx_checkpoint *checkpoint, struct mx_run_state *state, struct dg_error *err)
{
  if (mx_checkpoint_load_once(checkpoint, state, err) != 0) return err->code;
  return mx_checkpoint_tidy(checkpoint, err); /* now, since a run that was at its end writes no other checkpoint */
}
