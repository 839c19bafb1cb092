/* The table `args` of a script: what -D set. It remembers which names the script reads, so that one that nobody reads
 * is an error and not ignored.
 *
 * `args` is an empty table in front of two others, the values and the names that were read: pairs(args) reads all, and
 * so does a simulation table that contains args. Private to script*.c.
 */
#pragma once

#include "maxwell/shell/script/script_state.h"

/* Sets the global. Leaves with errors. */
void mx_args_set(lua_State *L, struct mx_load *load);
/* Leaves with DG_INPUT if a name was neither read nor stands as `args.NAME` in the script's text, where a function may
 * read it later. */
void mx_args_check(lua_State *L, struct mx_load *load);
/* If the table on top of the stack is `args`, it is replaced by that of its values, all of which count as read. */
void mx_args_unwrap(lua_State *L);
