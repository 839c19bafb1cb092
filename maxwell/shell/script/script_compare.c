/* Digests of all that functions of a script can reach, in an order that depends neither on addresses nor on the order
 * of keys. The threads that call functions compare their copies with it. */
#include "maxwell/shell/script/script_compare.h"

#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "libdg/base/digest.h"

/* Objects are numbered as they are met, from roots in a fixed order; each is then looked at once, in that order. Equal
 * digests mean that the same walk is possible in both states. */
struct walk {
  lua_State *L;
  const struct mx_script *script;
  uint64_t digest;
  lua_Integer objects; /* objects met so far */
  bool random, certain;
};

enum { WALK = 1, SEEN, LIST }; /* on the stack: the walk, numbers by object, objects by number */

static void add(struct walk *walk, const void *data, size_t bytes)
{
  walk->digest = dg_digest(walk->digest, data, bytes);
}

static void add_number(struct walk *walk, lua_Integer number) { add(walk, &number, sizeof number); }

/* The number of the object on top of the stack, which is taken off. */
static void add_object(struct walk *walk, bool listed)
{
  lua_State *L = walk->L;
  lua_pushvalue(L, -1);
  if (lua_rawget(L, SEEN) == LUA_TNIL) {
    lua_pushvalue(L, -2);
    lua_pushinteger(L, ++walk->objects);
    lua_rawset(L, SEEN);
    if (listed) lua_pushvalue(L, -2);
    else lua_pushboolean(L, 0);
    lua_rawseti(L, LIST, walk->objects);
    add_number(walk, walk->objects);
  } else {
    add_number(walk, lua_tointeger(L, -1));
  }
  lua_pop(L, 2);
}

/* The value on top of the stack, which is taken off. */
static void add_value(struct walk *walk)
{
  lua_State *L = walk->L;
  const int type = lua_type(L, -1);
  add_number(walk, type);
  switch (type) {
  case LUA_TBOOLEAN:
    add_number(walk, lua_toboolean(L, -1));
    break;
  case LUA_TNUMBER:
    add_number(walk, lua_isinteger(L, -1));
    if (lua_isinteger(L, -1)) {
      add_number(walk, lua_tointeger(L, -1));
    } else {
      const lua_Number number = lua_tonumber(L, -1);
      add(walk, &number, sizeof number);
    }
    break;
  case LUA_TSTRING: {
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    add_number(walk, (lua_Integer)length);
    add(walk, text, length);
    break;
  }
  case LUA_TTABLE:
  case LUA_TFUNCTION:
    add_object(walk, true);
    return;
  case LUA_TUSERDATA: /* Lua's own, which scripts do not see: random numbers, the standard files */
    if (walk->random) add(walk, lua_touserdata(L, -1), (size_t)lua_rawlen(L, -1));
    break;
  case LUA_TTHREAD:
    walk->certain = false;
    break;
  default: /* nil; and light userdata, which are the reader's own, another one's in every state */
    break;
  }
  lua_pop(L, 1);
}

struct key {
  int type;
  lua_Number number;
  lua_Integer integer;
  const char *text; /* the table holds it */
  size_t length;
};

static int compare_keys(const void *one, const void *other)
{
  const struct key *a = one, *b = other;
  if (a->type != b->type) return a->type - b->type;
  if (a->number != b->number) return a->number < b->number ? -1 : 1;
  if (a->integer != b->integer) return a->integer < b->integer ? -1 : 1;
  if (a->text == NULL) return 0;
  const int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
  return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* False: it has no order. */
static bool read_key(lua_State *L, int index, struct key *key)
{
  enum { INTEGER = LUA_NUMTYPES };
  *key = (struct key){.type = lua_type(L, index)};
  switch (key->type) {
  case LUA_TBOOLEAN:
    key->integer = lua_toboolean(L, index);
    return true;
  case LUA_TNUMBER:
    if (!lua_isinteger(L, index)) {
      key->number = lua_tonumber(L, index);
      return true;
    }
    key->type = INTEGER;
    key->integer = lua_tointeger(L, index);
    return true;
  case LUA_TSTRING:
    key->text = lua_tolstring(L, index, &key->length);
    return true;
  default:
    return false;
  }
}

/* The table on top of the stack, which stays. */
static void visit_table(struct walk *walk)
{
  lua_State *L = walk->L;
  const int table = lua_gettop(L);
  size_t count = 0, filled = 0;
  if (!lua_getmetatable(L, table)) lua_pushnil(L);
  add_value(walk);
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) count++;
  struct key *key = lua_newuserdatauv(L, count * sizeof *key, 0);
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    if (!read_key(L, -2, &key[filled])) walk->certain = false;
    else filled++;
  }
  qsort(key, filled, sizeof *key, compare_keys);
  add_number(walk, (lua_Integer)filled);
  for (size_t i = 0; i < filled; i++) {
    if (key[i].type == LUA_TBOOLEAN) lua_pushboolean(L, key[i].integer != 0);
    else if (key[i].type == LUA_TNUMBER) lua_pushnumber(L, key[i].number);
    else if (key[i].type == LUA_TSTRING) lua_pushlstring(L, key[i].text, key[i].length);
    else lua_pushinteger(L, key[i].integer);
    lua_pushvalue(L, -1);
    add_value(walk);
    lua_rawget(L, table);
    add_value(walk);
  }
  lua_settop(L, table);
}

static int add_code(lua_State *L, const void *piece, size_t size, void *walk)
{
  (void)L;
  add(walk, piece, size);
  return 0;
}

/* The function on top of the stack, which stays. */
static void visit_function(struct walk *walk)
{
  lua_State *L = walk->L;
  const int function = lua_gettop(L);
  const lua_CFunction of_c = lua_tocfunction(L, function);
  if (of_c != NULL) add(walk, &of_c, sizeof of_c);
  else (void)lua_dump(L, add_code, walk, 0);
  for (int i = 1; lua_getupvalue(L, function, i) != NULL; i++) {
    add_value(walk);
    if (of_c != NULL) continue;
    lua_pushlightuserdata(L, lua_upvalueid(L, function, i)); /* functions may share it */
    add_object(walk, false);
  }
}

/* The script's functions, in the order of the tree. */
static void add_functions(struct walk *walk, const struct mx_value *value)
{
  if (value->type == MX_FUNCTION) {
    lua_rawgeti(walk->L, LUA_REGISTRYINDEX, mx_state_function(value->function)->handle);
    add_value(walk);
  }
  for (size_t i = 0; value->type == MX_TABLE && i < value->count; i++) add_functions(walk, &value->entry[i].value);
}

static int protected_walk(lua_State *L)
{
  struct walk *walk = lua_touserdata(L, WALK);
  luaL_checkstack(L, 16, NULL);
  lua_newtable(L);
  lua_newtable(L);
  add_functions(walk, &walk->script->root);
  lua_pushglobaltable(L);
  add_value(walk);
  lua_pushliteral(L, "");
  if (!lua_getmetatable(L, -1)) lua_pushnil(L); /* the metatable of all strings */
  add_value(walk);
  lua_pop(L, 1);
  mx_library_push_modules(L);
  add_value(walk);
  for (lua_Integer i = 1; i <= walk->objects; i++) {
    lua_rawgeti(L, LIST, i);
    if (lua_istable(L, -1)) visit_table(walk);
    else if (lua_isfunction(L, -1)) visit_function(walk);
    lua_settop(L, LIST);
  }
  return 0;
}

bool mx_same_digest(struct mx_script *script, bool random, uint64_t *digest)
{
  struct walk walk = {.L = script->L, .script = script, .random = random, .certain = true};
  lua_pushcfunction(script->L, protected_walk);
  lua_pushlightuserdata(script->L, &walk);
  const int status = mx_state_call(script, 1, 0);
  lua_settop(script->L, MX_STATE_HANDLER);
  *digest = walk.digest;
  return status == LUA_OK && script->memory_error.code == DG_OK && walk.certain;
}

bool mx_same_numbers(size_t count, const double *one, const double *other)
{
  const void *a = one, *b = other;
  return memcmp(a, b, count * sizeof *one) == 0;
}

static bool same_key(const struct mx_key *one, const struct mx_key *other)
{
  if (one->name == NULL || other->name == NULL) return one->name == other->name && one->integer == other->integer;
  return strcmp(one->name, other->name) == 0;
}

bool mx_same_tree(const struct mx_value *one, const struct mx_value *other)
{
  if (one->type != other->type) return false;
  switch (one->type) {
  case MX_NIL:
    return true;
  case MX_BOOLEAN:
    return one->boolean == other->boolean;
  case MX_NUMBER:
    return mx_same_numbers(1, &one->number, &other->number);
  case MX_STRING:
    return strcmp(one->string, other->string) == 0;
  case MX_FUNCTION:
    return mx_state_function(one->function)->handle == mx_state_function(other->function)->handle;
  case MX_TABLE:
    if (one->count != other->count || one->is_waveform != other->is_waveform) return false;
    for (size_t i = 0; i < one->count; i++)
      if (!same_key(&one->entry[i].key, &other->entry[i].key) ||
          !mx_same_tree(&one->entry[i].value, &other->entry[i].value))
        return false;
    return true;
  }
  return false;
}
