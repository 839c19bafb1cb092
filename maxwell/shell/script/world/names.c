/* Names of Lua's own functions, for digests that last longer than a process, in which addresses say nothing. */
#include "maxwell/shell/script/world/names.h"

#include <lauxlib.h>
#include <string.h>

#include "maxwell/shell/script/world/keys.h"

#define NAMES "curlew.names" /* registry key: names of the functions in MX_NAMES_OWN */
#define FILES "curlew.files" /* registry key: true by the path of a file */

void mx_names_push_files(lua_State *L) { luaL_getsubtable(L, LUA_REGISTRYINDEX, FILES); }

void mx_names_note_file(lua_State *L, const char *path)
{
  mx_names_push_files(L);
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, path);
  lua_pop(L, 1);
}

void mx_names_push_modules(lua_State *L) { luaL_getsubtable(L, LUA_REGISTRYINDEX, MX_NAMES_LOADED); }

/* Names the functions of the table on top of the stack, which stays, and of its tables. */
static void name_functions(lua_State *L, int names, const char *prefix)
{
  const int table = lua_gettop(L);
  struct mx_lua_key *key;
  size_t others;
  const size_t count = mx_lua_keys(L, table, &key, &others);
  for (size_t i = 0; i < count; i++) {
    if (key[i].text == NULL) continue;
    const char *name = lua_pushfstring(L, "%s%s", prefix, key[i].text);
    mx_lua_key_push(L, &key[i]);
    const int type = lua_rawget(L, table);
    if (type == LUA_TFUNCTION) {
      lua_pushvalue(L, -2);
      lua_rawset(L, names);
    } else if (type == LUA_TTABLE && *prefix == '\0' && strcmp(name, LUA_GNAME) != 0) {
      const char *inner = lua_pushfstring(L, "%s.", name);
      lua_insert(L, -2);
      name_functions(L, names, inner);
    }
    lua_settop(L, table + 1);
  }
  lua_settop(L, table);
}

void mx_names_push(lua_State *L)
{
  if (luaL_getsubtable(L, LUA_REGISTRYINDEX, NAMES)) return;
  const int names = lua_gettop(L);
  lua_getfield(L, LUA_REGISTRYINDEX, MX_NAMES_OWN);
  name_functions(L, names, "");
  lua_settop(L, names);
}
