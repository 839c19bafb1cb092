/* Writes and finds checkpoints: their first files, and the order in which files get their names. The parts of a run
 * call it. */
#include "maxwell/session/checkpoints.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "maxwell/session/identity.h"
#include "maxwell/shell/checkpoint_files.h"

enum { KEPT = 2, ABOUT = 2 };

/* ---- writing */

int mx_gather_failure(struct dg_comm *comm, struct dg_error *own, bool *failed, struct dg_error *err)
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

int mx_checkpoint_create(struct dg_store **store, const struct mx_checkpoint_order *order, const char *folder,
                         const int64_t about[2], struct mx_archive more, struct dg_error *err)
{
  const struct mx_checkpoint_kind *kind = order->kind;
  const int64_t format[1 + ABOUT] = {kind->format, about[0], about[1]};
  const size_t length = strlen(order->identity);
  struct mx_archive archive = {.does = MX_ARCHIVE_MEASURES};
  char *path;
  *store = NULL;
  if (kind->archive(order->self, &archive, err) != 0 ||
      mx_checkpoint_path(&path, folder, order->number, MX_ROOT, err) != 0)
    return err->code;
  int status = dg_ledger_claim(order->folder->ledger, DG_LEDGER_OUTPUT, path, err);
  if (status == 0)
    status = dg_store_create(store, path, archive.bytes + more.bytes + length + sizeof format,
                             archive.arrays + more.arrays + 2, err);
  dg_free(path);
  if (status != 0) return status;
  archive = (struct mx_archive){.does = MX_ARCHIVE_SAVES, .store = *store};
  if (dg_store_put(*store, "format", DG_STORE_INTEGERS, sizeof format / sizeof *format, format, err) != 0 ||
      dg_store_put(*store, "identity", DG_STORE_BYTES, length, order->identity, err) != 0)
    return err->code;
  return kind->archive(order->self, &archive, err);
}

int mx_checkpoint_keep(const struct mx_checkpoint_order *order, bool *written, struct dg_error *failure,
                       struct dg_error *err)
{
  struct dg_comm *comm = order->comm;
  const bool first = dg_comm_rank(comm) == 0;
  bool failed = false;
  char *folder = NULL;
  *written = false;
  *failure = (struct dg_error){0};
  if (mx_folder_path(&folder, order->folder, order->kind->folder, err) != 0) return err->code;
  if (first) (void)!mx_folder_part(order->folder, order->kind->folder, failure);
  /* Snapshots of earlier steps are not written again. */
  if (failure->code == DG_OK) (void)!dg_ledger_sync(order->folder->ledger, failure);
  if (mx_gather_failure(comm, failure, &failed, err) != 0 ||
      (!failed && order->kind->save(order->self, folder, failure, err) != 0))
    goto fail;
  *written = failure->code == DG_OK;
  if (dg_comm_broadcast(comm, sizeof *written, written, err) != 0) goto fail;
  if (*written && first) (void)!mx_checkpoint_prune(folder, KEPT, dg_comm_size(comm), err);
fail:
  dg_free(folder);
  return err->code;
}

/* ---- finding */

/* Rank 0: opens the first file. */
static int open_root(struct mx_checkpoint *checkpoint, struct dg_error *err)
{
  const int known = checkpoint->kind->format;
  int64_t format[1 + ABOUT] = {0};
  char *path;
  if (mx_checkpoint_path(&path, checkpoint->folder, checkpoint->number, MX_ROOT, err) != 0) return err->code;
  int status = dg_store_open(&checkpoint->store, path, false, err);
  dg_free(path);
  if (status != 0 || dg_store_read(checkpoint->store, "format", DG_STORE_INTEGERS, 0, 1, format, err) != 0)
    return err->code;
  if (format[0] != known)
    return dg_fail(err, DG_INPUT,
                   "the checkpoint has format %" PRId64 " of another version of curlew; this one reads %d", format[0],
                   known);
  if (dg_store_read(checkpoint->store, "format", DG_STORE_INTEGERS, 0, 1 + ABOUT, format, err) != 0) return err->code;
  memcpy(checkpoint->about, format + 1, sizeof checkpoint->about);
  return 0;
}

/* Says whether the checkpoint with this number is whole. */
static int look_at(struct mx_checkpoint *checkpoint, struct dg_error *why, struct dg_error *err)
{
  struct dg_comm *comm = checkpoint->comm;
  bool failed = false;
  if (dg_comm_rank(comm) == 0) (void)!open_root(checkpoint, why);
  int64_t facts[1 + ABOUT] = {why->code, checkpoint->about[0], checkpoint->about[1]};
  if (dg_comm_broadcast(comm, sizeof facts, facts, err) != 0) return err->code;
  memcpy(checkpoint->about, facts + 1, sizeof checkpoint->about);
  if (facts[0] == DG_OK && checkpoint->kind->look != NULL &&
      (checkpoint->kind->look(checkpoint, why, err) != 0 || mx_gather_failure(comm, why, &failed, err) != 0))
    return err->code;
  checkpoint->found = facts[0] == DG_OK && !failed;
  return 0;
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

int mx_checkpoint_find(struct mx_checkpoint *checkpoint, const struct mx_checkpoint_kind *kind, struct dg_comm *comm,
                       struct dg_log *log, const struct mx_folder *folder, const char *identity, struct dg_error *err)
{
  const bool first = dg_comm_rank(comm) == 0;
  long *list = NULL;
  size_t count = 0;
  *checkpoint = (struct mx_checkpoint){.kind = kind, .comm = comm};
  if (mx_folder_path(&checkpoint->folder, folder, kind->folder, err) != 0 ||
      (first && mx_checkpoint_list(checkpoint->folder, &list, &count, err) != 0) ||
      dg_comm_broadcast(comm, sizeof count, &count, err) != 0)
    goto fail;
  for (size_t i = 0; i < count; i++) {
    struct dg_error why = {0};
    checkpoint->number = list != NULL ? list[i] : 0;
    if (dg_comm_broadcast(comm, sizeof checkpoint->number, &checkpoint->number, err) != 0 ||
        look_at(checkpoint, &why, err) != 0)
      goto fail;
    if (checkpoint->found) break;
    checkpoint->newer++;
    dg_store_free(checkpoint->store);
    checkpoint->store = NULL;
    dg_log_warning(log, "the checkpoint%s of step %ld is of no use: %s%s", kind->of, checkpoint->number, why.message,
                   i + 1 < count ? "; taking the one before" : "");
  }
  if (checkpoint->found && first && compare(checkpoint, identity, err) != 0) goto fail;
fail:
  dg_free(list);
  return err->code;
}

int mx_checkpoint_missing(const struct mx_checkpoint *checkpoint, struct dg_error *err)
{
  return dg_fail(err, DG_INPUT, "--restart: there is no checkpoint in '%s'%s", checkpoint->folder,
                 checkpoint->newer > 0 ? " that is whole" : "");
}

int mx_checkpoint_load_once(const struct mx_checkpoint *checkpoint, void *self, struct dg_error *err)
{
  struct mx_archive archive = {.does = MX_ARCHIVE_LOADS, .store = checkpoint->store, .comm = checkpoint->comm};
  return checkpoint->kind->archive(self, &archive, err);
}

int mx_checkpoint_tidy(const struct mx_checkpoint *checkpoint, struct dg_error *err)
{
  if (dg_comm_rank(checkpoint->comm) != 0) return 0;
  return mx_checkpoint_prune(checkpoint->folder, checkpoint->newer + KEPT, LONG_MAX, err);
}

void mx_checkpoint_release(struct mx_checkpoint *checkpoint)
{
  dg_store_free(checkpoint->store);
  dg_free(checkpoint->folder);
  *checkpoint = (struct mx_checkpoint){0};
}
