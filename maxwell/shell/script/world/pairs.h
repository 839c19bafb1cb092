/* `pairs` and `next` in one order, the same in every process. Private to the script reader. */
#pragma once

#include <lua.h>

/* Replaces the globals `pairs` and `next`. Both go through integer keys in ascending order, then fractions, strings by
 * their bytes, false and true, and last through tables and functions: `pairs` by their contents (walk.h), `next` in
 * Lua's own order. `pairs` sorts once; `next` looks through the whole table at each call, but for the next one of a
 * list. As in Lua, fields may be changed and removed meanwhile, but not added. */
void mx_pairs_open(lua_State *L);
/* Pushes the three values with which a loop goes through the table on top of the stack, which is taken off. */
void mx_pairs_push(lua_State *L);
