/* What a reading by rules has made of a tree: for each table that was read, the keys that it lacks and what they are
 * then. A run writes it beside its results, so that they can be understood, and repeated, when defaults have changed.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "maxwell/shell/rules/rules.h"

/* The notes of a whole reading; {0}: there are none. In the reader's arena. */
struct mx_resolved {
  size_t count;
  const struct mx_note **note; /* [count] by the addresses of their tables */
};

/* Ends a reading. */
int mx_resolved_collect(struct mx_resolved *resolved, struct mx_reader *r) DG_MUST_USE;
/* Writes a tree as JSON, with what its tables lack filled in: null is a key without a value, {"function": "x.lua:12"} a
 * function. Tables without names are lists. Errors of the stream are its own. */
void mx_resolved_write(FILE *file, const struct mx_value *root, const struct mx_resolved *resolved, int indent);
