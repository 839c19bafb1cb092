/* A digest of a Lua function: its stripped bytecode and upvalues. Identities of runs and the comparison of threads are
 * made of such digests. */
#include "maxwell/shell/script/world/digest.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

#include "libdg/base/digest.h"

enum { DEPTH = 12 }; /* depth of functions and tables in each other, which may be in circles */

static uint64_t digest_value(lua_State *L, int index, int depth);

/* ---- code: as lua_dump writes it, without the two lines on which a function stands in the script */

struct code {
  const unsigned char *at, *end; /* NULL: it is not as Lua 5.4 writes it */
  uint64_t digest;
};

static void take(struct code *code, size_t bytes, bool counts)
{
  if (code->at == NULL) return;
  if (bytes > (size_t)(code->end - code->at)) {
    code->at = NULL;
    return;
  }
  if (counts) code->digest = dg_digest(code->digest, code->at, bytes);
  code->at += bytes;
}

/* Seven bits a byte, the highest first; the last byte has its eighth bit set. */
static size_t take_size(struct code *code, bool counts)
{
  size_t size = 0;
  while (code->at != NULL) {
    unsigned char byte = code->at < code->end ? *code->at : 0;
    take(code, 1, counts);
    size = size << 7 | (byte & 0x7f);
    if ((byte & 0x80) != 0) break;
  }
  return size;
}

static void take_constant(struct code *code)
{
  enum { NUMBER = 3, STRING = 4 }; /* without their variants, which are in the higher bits */
  int type = code->at != NULL && code->at < code->end ? *code->at & 0x0f : 0;
  take(code, 1, true);
  if (type == NUMBER) take(code, sizeof(lua_Number), true);
  if (type != STRING) return;
  size_t size = take_size(code, true);
  if (size > 0) take(code, size - 1, true);
}

static void take_function(struct code *code, int depth)
{
  if (depth > 200) code->at = NULL;
  size_t name = take_size(code, false);
  if (name > 0) take(code, name - 1, false);
  for (int line = 0; line < 2; line++) (void)take_size(code, false);
  take(code, 3, true); /* parameters, whether there may be more, registers */
  take(code, take_size(code, true) * sizeof(uint32_t), true);
  for (size_t constants = take_size(code, true); constants > 0 && code->at != NULL; constants--) take_constant(code);
  take(code, take_size(code, true) * 3, true); /* variables from outside */
  for (size_t inner = take_size(code, true); inner > 0 && code->at != NULL; inner--) take_function(code, depth + 1);
  for (int debug = 0; debug < 4; debug++)
    if (take_size(code, true) != 0) code->at = NULL; /* stripped: there is none */
}

static uint64_t digest_code(const void *dump, size_t size)
{
  enum { HEADER = 4 + 1 + 1 + 6 + 3 + 8 + 8 + 1 }; /* up to the number of variables from outside */
  struct code code = {.at = dump, .end = (const unsigned char *)dump + size};
  take(&code, HEADER, true);
  take_function(&code, 0);
  return code.at == code.end ? code.digest : dg_digest(0, dump, size); /* another Lua: then lines count as well */
}

static int add_piece(lua_State *L, const void *piece, size_t size, void *buffer)
{
  (void)L;
  luaL_addlstring(buffer, piece, size);
  return 0;
}

static uint64_t digest_function(lua_State *L, int index, int depth)
{
  const char *name;
  if (lua_iscfunction(L, index)) return 1; /* of Lua's own libraries */
  luaL_Buffer buffer;
  lua_pushvalue(L, index);
  /* The buffer may put something on the stack, above which lua_dump looks for the function. */
  int function = lua_gettop(L);
  size_t size;
  lua_State *writer = lua_newthread(L);
  luaL_buffinit(writer, &buffer);
  lua_pushvalue(L, function);
  (void)lua_dump(L, add_piece, &buffer, 1);
  luaL_pushresult(&buffer);
  const char *dump = lua_tolstring(writer, -1, &size);
  uint64_t digest = digest_code(dump, size);
  lua_settop(L, function);
  for (int i = 1; (name = lua_getupvalue(L, function, i)) != NULL; i++) {
    if (strcmp(name, "_ENV") != 0) {
      uint64_t part = digest_value(L, -1, depth + 1);
      digest = dg_digest(digest, &part, sizeof part);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return digest;
}

/* ---- values */

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
  luaL_checkstack(L, 8, "while a function is looked at");
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
