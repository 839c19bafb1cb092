/* The names of all files that a run may write into its folder, before it writes one: what else is there is of no
 * concern to it, and what is there under one of these names must be its own (libdg/files/ledger.h). */
#pragma once

#include <stdbool.h>

#include "maxwell/setup/setup.h"

struct mx_plan {
  size_t files, patterns, folders;
  char **file;    /* [files] each once, sorted */
  char **pattern; /* [patterns] of those whose number is not known: '#' stands for digits, '@' for hexadecimal ones */
  const char *folder[16]; /* [folders] inside the output folder, "." among them */
};

/* Release in any case. */
int mx_plan_init(struct mx_plan *plan, const struct mx_setup *setup, struct dg_error *err) DG_MUST_USE;
/* Is NAME, relative to the folder, one of them, or what one is called until it is whole? */
bool mx_plan_has(const struct mx_plan *plan, const char *name);
void mx_plan_release(struct mx_plan *plan);
