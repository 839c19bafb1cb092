/* The tree of a script as a text of lines "key = value", and what is done with such texts: identities of runs
 * (maxwell/session/identity.h), and the comparison of what the ranks have. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"
#include "libdg/comm/comm.h"
#include "maxwell/shell/origin.h"

struct mx_text {
  char *start; /* free it with dg_free */
  size_t used, size;
  struct dg_error *err; /* the caller's */
};

int mx_text_add(struct mx_text *text, const char *format, ...) DG_PRINTF(2, 3) DG_MUST_USE;
/* Adds a line for each key below the value, functions and long lists by digests; a key that does not matter is left out
 * with all below it. matters NULL: every key does. */
int mx_text_tree(struct mx_text *text, const struct mx_value *value, bool (*matters)(const char *path)) DG_MUST_USE;
/* The length of the text's first line. */
size_t mx_text_line(const char *text);
/* Says whether the text has a line with the key of the line. */
bool mx_text_has_key(const char *text, const char *line);

/* Fails with DG_INPUT, and the first key that differs, if the scripts of the ranks have not come to the same tree.
 * Collective. */
int mx_origin_agree(const struct mx_origin *origin, struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;
