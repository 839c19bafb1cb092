/* `pairs` and `next` of scripts. Each rank, each thread and each restart runs the script anew: a list that it builds
 * with pairs() must be the same list. library.c puts these in the place of Lua's own. */
#include "maxwell/shell/script/world/pairs.h"

#include <lauxlib.h>
#include <stdint.h>
#include <stdlib.h>

#include "maxwell/shell/script/world/keys.h"
#include "maxwell/shell/script/world/walk.h"

/* ---- lists of keys */

struct object {
  uint64_t digest; /* of key and value */
  lua_Integer at;  /* in the list of objects */
};

static int compare_objects(const void *one, const void *other)
{
  const struct object *a = one, *b = other;
  if (a->digest != b->digest) return a->digest < b->digest ? -1 : 1;
  return a->at < b->at ? -1 : 1;
}

/* Appends the keys that have no order of their own to the list on top of the stack, sorted by what they and their
 * values hold. Two that hold the same are the same to whoever looks at them. */
static void append_objects(lua_State *L, int table, size_t count, size_t others)
{
  const int list = lua_gettop(L);
  struct mx_lua_key key;
  lua_Integer found = 0;
  lua_newtable(L);
  struct object *object = lua_newuserdatauv(L, others * sizeof *object, 0);
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    if (mx_lua_key_read(L, -2, &key)) continue;
    lua_pushvalue(L, -2);
    lua_rawseti(L, list + 1, found + 1);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    object[found].digest = mx_walk_digest_pair(L);
    object[found].at = found + 1;
    found++;
  }
  qsort(object, (size_t)found, sizeof *object, compare_objects);
  for (lua_Integer i = 0; i < found; i++) {
    lua_rawgeti(L, list + 1, object[i].at);
    lua_rawseti(L, list, (lua_Integer)count + i + 1);
  }
  lua_settop(L, list);
}

/* Pushes a list of the table's keys in order. */
static void push_list(lua_State *L, int table)
{
  struct mx_lua_key *key;
  size_t others;
  const size_t count = mx_lua_keys(L, table, &key, &others);
  lua_createtable(L, (int)(count + others), 0);
  for (size_t i = 0; i < count; i++) {
    mx_lua_key_push(L, &key[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  if (others > 0) append_objects(L, table, count, others);
  lua_replace(L, -2); /* the block of keys */
}

/* ---- pairs */

/* Lua's own next. */
static int plain_next(lua_State *L)
{
  lua_settop(L, 2);
  if (lua_next(L, 1) != 0) return 2;
  lua_pushnil(L);
  return 1;
}

/* One turn of a loop: (table); upvalues: the list of keys, how many are done. */
static int next_of_list(lua_State *L)
{
  lua_Integer i = lua_tointeger(L, lua_upvalueindex(2));
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  for (;;) {
    if (lua_rawgeti(L, lua_upvalueindex(1), ++i) == LUA_TNIL) return 1;
    lua_pushvalue(L, -1);
    if (lua_rawget(L, 1) != LUA_TNIL) break; /* nil: removed meanwhile */
    lua_pop(L, 2);
  }
  lua_pushinteger(L, i);
  lua_replace(L, lua_upvalueindex(2));
  return 2;
}

void mx_pairs_push(lua_State *L)
{
  const int table = lua_gettop(L);
  luaL_checkstack(L, 12, "while a table is gone through");
  size_t count;
  if (mx_lua_keys_in_order(L, table, &count)) {
    lua_pushcfunction(L, plain_next);
  } else {
    push_list(L, table);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_of_list, 2);
  }
  lua_insert(L, table);
  lua_pushnil(L);
}

static int ordered_pairs(lua_State *L)
{
  luaL_checkany(L, 1);
  if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
    lua_pushvalue(L, 1);
    lua_call(L, 1, 3);
    return 3;
  }
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  mx_pairs_push(L);
  return 3;
}

/* ---- next */

/* Finds the least key with an order above `bound` (NULL: the least of all). */
static bool find_above(lua_State *L, const struct mx_lua_key *bound, struct mx_lua_key *least)
{
  struct mx_lua_key key;
  bool found = false;
  for (lua_pushnil(L); lua_next(L, 1) != 0; lua_pop(L, 1)) {
    if (!mx_lua_key_read(L, -2, &key) || (bound != NULL && mx_lua_key_compare(&key, bound) <= 0) ||
        (found && mx_lua_key_compare(&key, least) >= 0))
      continue;
    *least = key;
    found = true;
  }
  return found;
}

/* The next key without an order, as Lua itself goes on from the key on top of the stack: sorting all of them at each
 * call would take too long. */
static int next_object(lua_State *L)
{
  struct mx_lua_key key;
  for (; lua_next(L, 1) != 0; lua_pop(L, 1))
    if (!mx_lua_key_read(L, -2, &key)) return 2;
  lua_pushnil(L);
  return 1;
}

static int ordered_next(lua_State *L)
{
  struct mx_lua_key key, least;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  const bool begins = lua_isnil(L, 2);
  if (lua_isinteger(L, 2) && lua_tointeger(L, 2) < LUA_MAXINTEGER) { /* in a list */
    lua_pushinteger(L, lua_tointeger(L, 2) + 1);
    lua_pushvalue(L, -1);
    if (lua_rawget(L, 1) != LUA_TNIL) return 2;
    lua_settop(L, 2);
  }
  if (!begins && !mx_lua_key_read(L, 2, &key)) return next_object(L);
  if (!find_above(L, begins ? NULL : &key, &least)) {
    lua_pushnil(L);
    return next_object(L);
  }
  mx_lua_key_push(L, &least);
  lua_pushvalue(L, -1);
  lua_rawget(L, 1);
  return 2;
}

void mx_pairs_open(lua_State *L)
{
  lua_pushcfunction(L, ordered_pairs);
  lua_setglobal(L, "pairs");
  lua_pushcfunction(L, ordered_next);
  lua_setglobal(L, "next");
}
