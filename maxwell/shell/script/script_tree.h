/* Building the tree of mx_values: sorting, inserting and removing entries by path. Private to the script reader; knows
 * no Lua.
 */
#pragma once

#include <stddef.h>

#include "libdg/base/error.h"
#include "maxwell/shell/arena.h"
#include "maxwell/shell/value.h"

/* Integer keys ascending, then names. */
void mx_tree_sort(struct mx_value *table);
/* The path of a key of the table at `parent`: "materials.air", "probes.1". */
int mx_tree_path(struct mx_arena *arena, const char *parent, const struct mx_key *key, char **path,
                 struct dg_error *err) DG_MUST_USE;
/* Puts value at its own path (value->path) below root, replacing what is there; tables that are missing on the way are
 * created with value's origin. A nil removes the key, which must exist. Errors (DG_INPUT) start with value->where. */
int mx_tree_put(struct mx_arena *arena, struct mx_value *root, const struct mx_value *value,
                struct dg_error *err) DG_MUST_USE;
/* Copies a tree; strings and functions are shared. */
int mx_tree_copy(struct mx_arena *arena, struct mx_value *to, const struct mx_value *from,
                 struct dg_error *err) DG_MUST_USE;
