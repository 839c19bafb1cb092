/* The names of all files that a run may write into its folder, before it writes one: what else is there is of no
 * concern to it, and what is there under one of these names must be its own (libdg/files/ledger.h). Who writes adds
 * them; the folder (folder.h) compares what it finds with them.
 */
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
  bool later[16];         /* it is there, or made with its first file */
};

/* A name relative to the folder, as printf would make it. */
int mx_plan_file(struct mx_plan *plan, struct dg_error *err, const char *format, ...) DG_PRINTF(3, 4) DG_MUST_USE;
int mx_plan_pattern(struct mx_plan *plan, struct dg_error *err, const char *format, ...) DG_PRINTF(3, 4) DG_MUST_USE;
/* Once or more often. `later`: whoever writes the first file makes the folder. */
void mx_plan_folder(struct mx_plan *plan, const char *folder, bool later);
/* Once all files are there; mx_plan_has needs it. */
void mx_plan_sort(struct mx_plan *plan);
/* Is NAME, relative to the folder, one of them, or what one is called until it is whole? */
bool mx_plan_has(const struct mx_plan *plan, const char *name);
/* The step that NAME says by its pattern, -1: none. */
long mx_plan_step(const struct mx_plan *plan, const char *name);
void mx_plan_release(struct mx_plan *plan);
