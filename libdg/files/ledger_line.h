/* Lines of ledgers, and reading them back. Private to ledger*.c. */
#pragma once

#include "libdg/files/ledger.h"

#define DG_LEDGER_HEAD  "curlew files 1\n"
#define DG_LEDGER_FILES "files_"

/* Makes a line with its end; free with dg_free. */
int dg_ledger_line(char **line, enum dg_ledger_kind kind, const char *name, struct dg_error *err) DG_MUST_USE;
/* Reads all files of the ledger in its folder `part`; where that is missing there is none. Lines that are not whole are
 * no claims. */
int dg_ledger_read_files(const char *part, struct dg_ledger_list *list, struct dg_error *err) DG_MUST_USE;
/* Removes the ledger's own files of processes that there are no more. */
void dg_ledger_drop_others(const char *part, const char *own);
