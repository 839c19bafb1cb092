/* The ledger of a folder: which of its files are ours. Others keep files in the same folder, and these are never
 * removed, replaced, or written to, whatever they are called.
 *
 * A file is claimed before it is created. The claim is a line in the folder's hidden part, in a file of the process
 * that makes it (".curlew/files_0000"), on the disk when dg_ledger_claim returns: whenever the process is killed or the
 * power fails, no file of ours is there that the ledger does not have. A claim of NAME is one of NAME.part and
 * NAME.room as well, the names under which files are written until they are whole. Claims may outlive their files.
 *
 *   curlew files 1
 *   output 0a2b4c6d8e0f1a2b probes/inside.csv
 *   kept   71d2...          mesh/0123456789abcdef.h5
 *
 * The digits are a digest of the rest of the line: what was cut by a power failure is no claim of another name. Bytes
 * below 32, '%' and 127 in names are written as %XX.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

/* The fate of a file when the folder is used anew: output is removed, what is kept stays ours. */
enum dg_ledger_kind { DG_LEDGER_OUTPUT, DG_LEDGER_KEPT };

struct dg_ledger; /* opaque */

/* Opens the ledger of process `rank` in a folder that exists; `part`, the hidden folder, is made with the first
 * claim. */
int dg_ledger_open(struct dg_ledger **ledger, const char *folder, const char *part, int rank,
                   struct dg_error *err) DG_MUST_USE;
void dg_ledger_free(struct dg_ledger *ledger); /* NULL is safe */

/* Claims a file; call it before the file is created or written anew. `path` is FOLDER/NAME. Removes the unfinished
 * remains of the file. DG_INPUT when something is there that is not ours: it is not in the ledger, or a link, a FIFO, a
 * folder. Claiming twice does no harm. Any thread. A NULL ledger allows everything and keeps nothing. */
int dg_ledger_claim(struct dg_ledger *ledger, enum dg_ledger_kind kind, const char *path,
                    struct dg_error *err) DG_MUST_USE;
/* Claims up to eight files with one wait for the disk. */
int dg_ledger_claim_all(struct dg_ledger *ledger, enum dg_ledger_kind kind, size_t count, const char *const *path,
                        struct dg_error *err) DG_MUST_USE;
/* Claims the files name[], relative to the folder. */
int dg_ledger_claim_names(struct dg_ledger *ledger, enum dg_ledger_kind kind, size_t count, const char *const *name,
                          struct dg_error *err) DG_MUST_USE;
/* Waits until all files that this process has claimed since the last sync are on the disk, under their names. */
int dg_ledger_sync(struct dg_ledger *ledger, struct dg_error *err) DG_MUST_USE;

/* ---- of all processes; for process 0, while the others wait */

struct dg_ledger_entry {
  enum dg_ledger_kind kind;
  char *name; /* relative to the folder, never outside of it */
};
/* Files sorted by name, each once; free with dg_ledger_list_free. *found: there is a ledger. */
struct dg_ledger_list {
  bool found;
  size_t count;
  struct dg_ledger_entry *entry;
};
int dg_ledger_read(const struct dg_ledger *ledger, struct dg_ledger_list *list, struct dg_error *err) DG_MUST_USE;
const struct dg_ledger_entry *dg_ledger_find(const struct dg_ledger_list *list, const char *name);
void dg_ledger_list_free(struct dg_ledger_list *list);
/* Removes NAME, if `whole`, and its unfinished remains, as far as these are regular files in folders that do not lie
 * behind a link. DG_ENVIRONMENT when the system does not allow it. */
int dg_ledger_remove(const struct dg_ledger *ledger, const char *name, bool whole, struct dg_error *err) DG_MUST_USE;
/* Removes all output of the list, and begins the ledger anew with what is kept and these names of output. */
int dg_ledger_renew(struct dg_ledger *ledger, const struct dg_ledger_list *list, size_t count, const char *const *name,
                    struct dg_error *err) DG_MUST_USE;
