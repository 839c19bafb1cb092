/* The names of all files that a run may write into its folder, made before it writes one. Files with other names are of
 * no concern to the run. A file with one of these names must be the run's own (libdg/files/ledger.h). The modules that
 * write add their names; the folder (folder.h) compares the files that it finds with them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

struct mx_plan { /* {0} is empty */
  size_t files, patterns, folders;
  char **file; /* [files] each once; sorted by mx_plan_sort */
  /* [patterns] Names whose numbers are not known: '#' stands for digits, '@' for hexadecimal ones, '$' for digits that
   * are the step of what is in the file. */
  char **pattern;
  const char *folder[16]; /* [folders] inside the output folder, "." among them; borrowed */
  bool later[16];         /* the folder is there, or is made with its first file */
};

/* Adds a name relative to the folder; the arguments are those of printf. */
int mx_plan_file(struct mx_plan *plan, struct dg_error *err, const char *format, ...) DG_PRINTF(3, 4) DG_MUST_USE;
int mx_plan_pattern(struct mx_plan *plan, struct dg_error *err, const char *format, ...) DG_PRINTF(3, 4) DG_MUST_USE;
/* Adds a folder; it may be added more than once. `later`: the writer of the first file makes the folder. */
void mx_plan_folder(struct mx_plan *plan, const char *folder, bool later);
/* Sorts the files once all are added; mx_plan_has needs it. */
void mx_plan_sort(struct mx_plan *plan);
/* Says whether NAME, relative to the folder, is one of the files, or the name of one that is not whole yet. */
bool mx_plan_has(const struct mx_plan *plan, const char *name);
/* The step in NAME by its pattern; -1: none. */
long mx_plan_step(const struct mx_plan *plan, const char *name);
void mx_plan_release(struct mx_plan *plan);
