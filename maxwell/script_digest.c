#include "maxwell/script_digest.h"

#include <lauxlib.h>
#include <string.h>

#include "libdg/base/digest.h"

enum { DEPTH = 12 }; /* of functions and tables in each other, which may be in circles */

static uint64_t digest_value(lua_State *L, int index, int depth);

static int add_code(lua_State *L, const void *piece, size_t size, void *digest)
{
  uint64_t *sum = digest;
  (void)L;
  *sum = dg_digest(*sum, piece, size);
  return 0;
}

static uint64_t digest_function(lua_State *L, int index, int depth)
{
  uint64_t digest = 1;
  const char *name;
  if (lua_iscfunction(L, index)) return digest; /* of Lua's own libraries */
  lua_pushvalue(L, index);
  (void)lua_dump(L, add_code, &digest, 1);
  for (int i = 1; (name = lua_getupvalue(L, -1, i)) != NULL; i++) {
    if (strcmp(name, "_ENV") != 0) {
      uint64_t part = digest_value(L, -1, depth + 1);
      digest = dg_digest(digest, &part, sizeof part);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return digest;
}

static uint64_t digest_table(lua_State *L, int index, int depth)
{
  uint64_t sum = 2; /* entries come in any order */
  index = lua_absindex(L, index);
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    uint64_t entry[2] = {digest_value(L, -2, depth + 1), digest_value(L, -1, depth + 1)};
    sum += dg_digest(0, entry, sizeof entry);
    lua_pop(L, 1);
  }
  return sum;
}

static uint64_t digest_value(lua_State *L, int index, int depth)
{
  int type = lua_type(L, index);
  if (depth > DEPTH) return (uint64_t)type;
  luaL_checkstack(L, 6, "while a function is looked at");
  switch (type) {
  case LUA_TNUMBER: {
    double number = lua_tonumber(L, index);
    return dg_digest(3, &number, sizeof number);
  }
  case LUA_TSTRING: {
    size_t length;
    const char *text = lua_tolstring(L, index, &length);
    return dg_digest(4, text, length);
  }
  case LUA_TBOOLEAN:
    return lua_toboolean(L, index) ? 5 : 6;
  case LUA_TFUNCTION:
    return digest_function(L, index, depth);
  case LUA_TTABLE:
    return digest_table(L, index, depth);
  default:
    return (uint64_t)type;
  }
}

uint64_t mx_script_digest_top(lua_State *L)
{
  uint64_t digest = digest_value(L, -1, 0);
  lua_pop(L, 1);
  return digest;
}
