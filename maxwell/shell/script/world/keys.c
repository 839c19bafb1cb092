/* Reads, compares and sorts the keys of tables. walk.c and pairs.c go through tables with it. */
#include "maxwell/shell/script/world/keys.h"

#include <stdlib.h>
#include <string.h>

enum { INTEGER, FRACTION, STRING, BOOLEAN };

bool mx_lua_key_read(lua_State *L, int index, struct mx_lua_key *key)
{
  *key = (struct mx_lua_key){0};
  switch (lua_type(L, index)) {
  case LUA_TNUMBER:
    key->kind = lua_isinteger(L, index) ? INTEGER : FRACTION;
    if (key->kind == INTEGER) key->integer = lua_tointeger(L, index);
    else key->number = lua_tonumber(L, index);
    return true;
  case LUA_TSTRING:
    key->kind = STRING;
    key->text = lua_tolstring(L, index, &key->length);
    return true;
  case LUA_TBOOLEAN:
    key->kind = BOOLEAN;
    key->integer = lua_toboolean(L, index);
    return true;
  default:
    return false;
  }
}

void mx_lua_key_push(lua_State *L, const struct mx_lua_key *key)
{
  switch (key->kind) {
  case INTEGER:
    lua_pushinteger(L, key->integer);
    return;
  case FRACTION:
    lua_pushnumber(L, key->number);
    return;
  case STRING:
    (void)lua_pushlstring(L, key->text, key->length);
    return;
  default:
    lua_pushboolean(L, key->integer != 0);
  }
}

int mx_lua_key_compare(const void *one, const void *other)
{
  const struct mx_lua_key *a = one, *b = other;
  if (a->kind != b->kind) return a->kind - b->kind;
  if (a->integer != b->integer) return a->integer < b->integer ? -1 : 1;
  if (a->number != b->number) return a->number < b->number ? -1 : 1;
  if (a->text == NULL || b->text == NULL) return 0;
  const int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
  return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

size_t mx_lua_keys(lua_State *L, int table, struct mx_lua_key **key, size_t *others)
{
  size_t count = 0, filled = 0;
  bool sorted = true;
  table = lua_absindex(L, table);
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) count++;
  struct mx_lua_key *all = lua_newuserdatauv(L, (count + 1) * sizeof *all, 0);
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    if (!mx_lua_key_read(L, -2, &all[filled])) continue;
    sorted = sorted && (filled == 0 || mx_lua_key_compare(&all[filled - 1], &all[filled]) < 0);
    filled++;
  }
  if (!sorted) qsort(all, filled, sizeof *all, mx_lua_key_compare);
  *key = all;
  *others = count - filled;
  return filled;
}

bool mx_lua_keys_in_order(lua_State *L, int table, size_t *count)
{
  struct mx_lua_key last = {0}, key;
  table = lua_absindex(L, table);
  *count = 0;
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    if (!mx_lua_key_read(L, -2, &key) || (*count > 0 && mx_lua_key_compare(&last, &key) >= 0)) {
      lua_pop(L, 2);
      return false;
    }
    last = key;
    ++*count;
  }
  return true;
}
