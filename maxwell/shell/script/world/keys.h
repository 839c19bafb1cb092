/* The keys of a Lua table in one order, which is the same in every process. Lua's own order follows from a seed that it
 * makes of addresses and the time. Private to the script reader. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

/* A key that has an order by itself: integers come first, then fractions, strings by their bytes, false and true. */
struct mx_lua_key {
  int kind;
  lua_Integer integer; /* also of booleans */
  lua_Number number;
  const char *text; /* the table holds it */
  size_t length;
};

/* Reads the key at that index of the stack. False: a table, a function or another object, which has no order. */
bool mx_lua_key_read(lua_State *L, int index, struct mx_lua_key *key);
void mx_lua_key_push(lua_State *L, const struct mx_lua_key *key);
/* Negative, 0 or positive, as for qsort. */
int mx_lua_key_compare(const void *one, const void *other);
/* Pushes a block that holds the table's keys in order, and points at them. Returns how many there are; *others counts
 * the keys without an order, which are left out. */
size_t mx_lua_keys(lua_State *L, int table, struct mx_lua_key **key, size_t *others);
/* Says whether Lua itself goes through the table in this order, as through most lists; *count is then that of its keys.
 */
bool mx_lua_keys_in_order(lua_State *L, int table, size_t *count);
