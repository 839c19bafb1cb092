/* Writes, finds, checks and loads checkpoints: the file with the data that exists once, and the order in which files
 * get their names. The time loop calls it; checkpoint_fields.c has the fields. */
#include "maxwell/checkpoint/checkpoint.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "maxwell/shell/checkpoint_files.h"
#include "maxwell/checkpoint/checkpoint_fields.h"
#include "maxwell/session/identity.h"

/* One more whenever an older checkpoint would be read wrongly. 4: the watchdog and the S-parameters keep more. 5:
 * fields that have ended, before heat. 6: functions by all that they read; the step before the end shortened it, the
 * samples of running transforms. */
enum { FORMAT = 6, KEPT = 2 };

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
static int archive_state(const struct mx_run_state *state, struct mx_archive *archive, struct dg_error *err)
{
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

static int write_root(const struct mx_run_state *state, const char *folder, size_t parts, const uint64_t *digest,
                      struct dg_error *err)
{
  struct mx_archive archive = {.does = MX_ARCHIVE_MEASURES};
  int64_t format[] = {FORMAT, (int64_t)parts, state->scene->ops->components};
  char *path;
  if (archive_state(state, &archive, err) != 0 ||
      mx_checkpoint_path(&path, folder, number_of(state), MX_ROOT, err) != 0)
    return err->code;
  const double plan[] = {state->scene->plan->step, state->scene->plan->widest};
  size_t bytes = archive.bytes + strlen(state->identity) + sizeof format + sizeof plan + parts * sizeof *digest;
  int status = dg_ledger_claim(state->folder->ledger, DG_LEDGER_OUTPUT, path, err);
  if (status == 0) status = dg_store_create(&archive.store, path, bytes, archive.arrays + 4, err);
  dg_free(path);
  if (status != 0) return status;
  archive.does = MX_ARCHIVE_SAVES;
  (void)!(dg_store_put(archive.store, "format", DG_STORE_INTEGERS, sizeof format / sizeof *format, format, err) != 0 ||
          dg_store_put(archive.store, "identity", DG_STORE_BYTES, strlen(state->identity), state->identity, err) != 0 ||
          dg_store_put(archive.store, MX_STEP_PLAN, DG_STORE_DOUBLES, 2, plan, err) != 0 ||
          dg_store_put(archive.store, "parts", DG_STORE_INTEGERS, parts, digest, err) != 0 ||
          archive_state(state, &archive, err) != 0 || dg_store_finish(archive.store, NULL, err) != 0);
  dg_store_free(archive.store);
  return err->code;
}

/* Gathers the first failure of all ranks, on rank 0; *failed on all. */
static int gather_failure(struct dg_comm *comm, struct dg_error *own, bool *failed, struct dg_error *err)
{
  int64_t code = own->code;
  char *all;
  size_t *bytes;
  if (dg_comm_reduce_int(comm, DG_MAX, 1, &code, err) != 0) return err->code;
  *failed = code != 0;
  if (code == 0 || comm == NULL) return 0;
  if (DG_NEW(bytes, dg_comm_size(comm), err) != 0) return err->code;
  size_t length = own->code != DG_OK ? strlen(own->message) + 1 : 0;
  if (dg_comm_gather(comm, length, own->message, &all, bytes, err) == 0 && all != NULL) {
    *own = (struct dg_error){0};
    (void)dg_fail(own, (enum dg_code)code, "%s", all); /* messages one behind the other: it ends with the first */
  }
  if (err->code == DG_OK) dg_free(all);
  dg_free(bytes);
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

/* Makes rank 0's folder, which all ranks write into. */
static int make_folder(const struct mx_run_state *state, struct dg_error *failure, struct dg_error *err)
{
  if (is_first(state->scene)) (void)!mx_folder_part(state->folder, "checkpoint", failure);
  bool failed = failure->code != DG_OK;
  if (dg_comm_broadcast(state->scene->comm, sizeof failed, &failed, err) != 0) return err->code;
  if (failed && failure->code == DG_OK) (void)dg_fail(failure, DG_ENVIRONMENT, "rank 0 has no folder");
  return 0;
}

static int write_all(const struct mx_run_state *state, const char *folder, bool *written, struct dg_error *failure,
                     struct dg_error *err)
{
  const struct mx_scene *scene = state->scene;
  const long number = number_of(state);
  uint64_t digest = 0, *digests = NULL;
  bool failed, finite = true, no_folder = failure->code != DG_OK;
  /* Snapshots of earlier steps are not written again. */
  if (!no_folder && dg_ledger_sync(state->folder->ledger, failure) == 0)
    (void)!mx_fields_save(folder, state->folder->ledger, number, scene, state->backend, &finite, &digest, failure);
  bool wrote = failure->code == DG_OK && finite;
  if (stop_if_not_finite(state, finite, err) != 0) {
    if (wrote) mx_fields_remove(folder, number, dg_comm_rank(scene->comm));
    return err->code;
  }
  if (gather_failure(scene->comm, failure, &failed, err) != 0 ||
      dg_comm_gather(scene->comm, sizeof digest, &digest, &digests, NULL, err) != 0)
    return err->code;
  if (!failed && is_first(scene) && write_root(state, folder, (size_t)dg_comm_size(scene->comm), digests, failure) != 0)
    failed = true;
  dg_free(digests);
  if (dg_comm_broadcast(scene->comm, sizeof failed, &failed, err) != 0) return err->code;
  *written = !failed;
  if (failed && wrote) mx_fields_remove(folder, number, dg_comm_rank(scene->comm));
  if (!failed && is_first(scene)) return mx_checkpoint_prune(folder, KEPT, dg_comm_size(scene->comm), err);
  return 0;
}

int mx_checkpoint_write(const struct mx_run_state *state, bool *written, struct dg_error *failure, struct dg_error *err)
{
  char *folder = NULL;
  *written = false;
  *failure = (struct dg_error){0};
  if (mx_output_drain(state->output, err) != 0 || mx_output_gather(state->output, err) != 0 ||
      mx_folder_path(&folder, state->folder, "checkpoint", err) != 0 || make_folder(state, failure, err) != 0)
    goto fail;
  (void)!write_all(state, folder, written, failure, err);
fail:
  dg_free(folder);
  return err->code;
}

size_t mx_checkpoint_bytes(const struct mx_scene *scene) { return mx_fields_bytes(scene); }

/* ---- finding */

/* Rank 0: opens the checkpoint's first file and learns how many others there are. */
static int open_root(struct mx_checkpoint *checkpoint, uint64_t **digest, struct dg_error *err)
{
  int64_t format[3] = {0};
  size_t parts = 0;
  char *path;
  *digest = NULL;
  if (mx_checkpoint_path(&path, checkpoint->folder, checkpoint->number, MX_ROOT, err) != 0) return err->code;
  int status = dg_store_open(&checkpoint->store, path, false, err);
  dg_free(path);
  if (status != 0) return status;
  if (dg_store_read(checkpoint->store, "format", DG_STORE_INTEGERS, 0, 1, format, err) != 0) return err->code;
  if (format[0] != FORMAT)
    return dg_fail(err, DG_INPUT,
                   "the checkpoint has format %" PRId64 " of another version of curlew; this one reads %d", format[0],
                   FORMAT);
  if (dg_store_read(checkpoint->store, "format", DG_STORE_INTEGERS, 0, 3, format, err) != 0 ||
      dg_store_count(checkpoint->store, "parts", &parts, err) != 0)
    return err->code;
  if (parts == 0 || (int64_t)parts != format[1] || format[2] < MX_CARTESIAN || format[2] > MX_COVARIANT_TANGENTIAL)
    return dg_fail(err, DG_ENVIRONMENT, "its first file does not say how many others there are, or what is in them");
  if (DG_NEW(*digest, parts, err) != 0 ||
      dg_store_read(checkpoint->store, "parts", DG_STORE_INTEGERS, 0, parts, *digest, err) != 0)
    return err->code;
  checkpoint->parts = (long)parts;
  checkpoint->components = (long)format[2];
  return 0;
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

/* Says whether the checkpoint with this number is whole. Ranks share the parts to look at. */
static int look_at(struct mx_checkpoint *checkpoint, bool *whole, struct dg_error *why, struct dg_error *err)
{
  struct dg_comm *comm = checkpoint->scene->comm;
  uint64_t *digest = NULL;
  bool failed = true;
  if (is_first(checkpoint->scene)) (void)!open_root(checkpoint, &digest, why);
  long facts[3] = {why->code, checkpoint->parts, checkpoint->components};
  if (dg_comm_broadcast(comm, sizeof facts, facts, err) != 0) goto fail;
  *whole = facts[0] == DG_OK;
  if (!*whole) goto fail;
  checkpoint->parts = facts[1];
  checkpoint->components = facts[2];
  if (digest == NULL && DG_NEW(digest, checkpoint->parts, err) != 0) goto fail;
  if (dg_comm_broadcast(comm, (size_t)checkpoint->parts * sizeof *digest, digest, err) != 0) goto fail;
  for (long part = dg_comm_rank(comm); part < checkpoint->parts && why->code == DG_OK; part += dg_comm_size(comm))
    (void)!check_part(checkpoint, part, digest[part], why);
  if (gather_failure(comm, why, &failed, err) != 0) goto fail;
  *whole = !failed;
fail:
  dg_free(digest);
  return err->code;
}

/* Rank 0: checks that the checkpoint is of this run. */
static int compare(const struct mx_checkpoint *checkpoint, const char *identity, struct dg_error *err)
{
  size_t length;
  char *text;
  if (dg_store_count(checkpoint->store, "identity", &length, err) != 0 || dg_alloc(&text, length + 1, 1, err) != 0)
    return err->code;
  if (dg_store_read(checkpoint->store, "identity", DG_STORE_BYTES, 0, length, text, err) == 0)
    (void)!mx_identity_compare(text, identity, err);
  dg_free(text);
  return err->code;
}

int mx_checkpoint_find(struct mx_checkpoint *checkpoint, const struct mx_scene *scene, const struct mx_folder *folder,
                       const char *identity, struct dg_error *err)
{
  long *list = NULL;
  size_t count = 0;
  bool whole = false;
  *checkpoint = (struct mx_checkpoint){.scene = scene};
  if (mx_folder_path(&checkpoint->folder, folder, "checkpoint", err) != 0 ||
      (is_first(scene) && mx_checkpoint_list(checkpoint->folder, &list, &count, err) != 0) ||
      dg_comm_broadcast(scene->comm, sizeof count, &count, err) != 0)
    goto fail;
  for (size_t i = 0; i < count && !whole; i++) {
    struct dg_error why = {0};
    checkpoint->number = list != NULL ? list[i] : 0;
    if (dg_comm_broadcast(scene->comm, sizeof checkpoint->number, &checkpoint->number, err) != 0 ||
        look_at(checkpoint, &whole, &why, err) != 0)
      goto fail;
    if (whole) break;
    checkpoint->newer++;
    dg_store_free(checkpoint->store);
    checkpoint->store = NULL;
    dg_log_warning(scene->log, "the checkpoint of step %ld is of no use: %s%s", checkpoint->number, why.message,
                   i + 1 < count ? "; taking the one before" : "");
  }
  if (!whole) {
    (void)dg_fail(err, DG_INPUT, "--restart: there is no checkpoint in '%s'%s", checkpoint->folder,
                  count > 0 ? " that is whole" : "");
    goto fail;
  }
  if (is_first(scene) && compare(checkpoint, identity, err) != 0) goto fail;
fail:
  dg_free(list);
  return err->code;
}

void mx_checkpoint_release(struct mx_checkpoint *checkpoint)
{
  dg_store_free(checkpoint->store);
  dg_free(checkpoint->folder);
  *checkpoint = (struct mx_checkpoint){0};
}

/* ---- loading */

int mx_checkpoint_load_fields(const struct mx_checkpoint *checkpoint, struct mx_backend *backend, struct dg_error *err)
{
  return mx_fields_load(checkpoint->folder, checkpoint->number, checkpoint->parts,
                        (enum mx_components)checkpoint->components, checkpoint->scene, backend, err);
}

static struct mx_archive loading(const struct mx_checkpoint *checkpoint)
{
  return (struct mx_archive){.does = MX_ARCHIVE_LOADS, .store = checkpoint->store, .comm = checkpoint->scene->comm};
}

int mx_checkpoint_counters(const struct mx_checkpoint *checkpoint, struct mx_counters *counters, struct dg_error *err)
{
  struct mx_archive archive = loading(checkpoint);
  return archive_counters(counters, checkpoint->scene, &archive, err);
}

int mx_checkpoint_load(const struct mx_checkpoint *checkpoint, const struct mx_run_state *state, struct dg_error *err)
{
  struct mx_archive archive = loading(checkpoint);
  if (archive_state(state, &archive, err) != 0 || !is_first(checkpoint->scene)) return err->code;
  /* prune now, since a run that was at its end writes no other checkpoint */
  return mx_checkpoint_prune(checkpoint->folder, checkpoint->newer + KEPT, LONG_MAX, err);
}
