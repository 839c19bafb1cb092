/* The table `args`: values of -D, and which of them the script has read. script.c calls it before and behind the
 * script. */
#include "maxwell/shell/script/script_args.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "libdg/base/memory.h"
#include "libdg/base/text.h"
#include "maxwell/shell/script/world/input.h"
#include "maxwell/shell/script/world/pairs.h"
#include "maxwell/shell/script/world/walk.h"

#define VALUES MX_ARGS_VALUES     /* registry key: what -D set, and what the script adds */
#define READ   "curlew.args.read" /* registry key: true for every name that was read */
#define PROXY  MX_ARGS_PROXY      /* registry key: the metatable of `args` */

/* Notes the name at that index of the stack. */
static void note(lua_State *L, int index)
{
  luaL_getsubtable(L, LUA_REGISTRYINDEX, READ);
  lua_pushvalue(L, index);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

static int read_name(lua_State *L) /* (args, name) */
{
  lua_settop(L, 2);
  if (lua_type(L, 2) == LUA_TSTRING) note(L, 2);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, VALUES);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  return 1;
}

static int write_name(lua_State *L) /* (args, name, value) */
{
  lua_settop(L, 3);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, VALUES);
  lua_insert(L, 2);
  lua_rawset(L, 2);
  return 0;
}

/* All values, and all of their names noted. */
static void push_all(lua_State *L)
{
  luaL_getsubtable(L, LUA_REGISTRYINDEX, VALUES);
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) note(L, lua_absindex(L, -2));
}

static int all_pairs(lua_State *L)
{
  push_all(L);
  mx_pairs_push(L);
  return 3;
}

void mx_args_set(lua_State *L, struct mx_load *load)
{
  static const luaL_Reg methods[] = {
      {"__index", read_name}, {"__newindex", write_name}, {"__pairs", all_pairs}, {NULL, NULL}};
  const struct mx_script *script = load->script;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, VALUES);
  for (size_t i = 0; i < script->args; i++) {
    mx_state_check(L, load, mx_input_check("-D", script->arg, i, "-D length=0.1", load->err));
    const char *name = script->arg[i].name, *value = script->arg[i].value;
    if (!mx_input_is_identifier(name))
      mx_state_check(
          L, load,
          dg_fail(load->err, DG_INPUT, "-D %s=%s: '%s' is not a name (letters, digits and _)", name, value, name));
    if (strcmp(value, "nil") == 0 || !mx_state_push_plain(L, value)) lua_pushstring(L, value);
    lua_setfield(L, -2, name);
  }
  lua_pop(L, 1);
  lua_newtable(L);
  luaL_newmetatable(L, PROXY);
  luaL_setfuncs(L, methods, 0);
  lua_pushliteral(L, "args");
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_setglobal(L, "args");
}

void mx_args_unwrap(lua_State *L)
{
  if (!lua_getmetatable(L, -1)) return;
  luaL_getmetatable(L, PROXY);
  const bool is_args = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  if (!is_args) return;
  push_all(L);
  lua_replace(L, -2);
}

/* Says whether the text has args.NAME, args["NAME"] or args['NAME']. A function may read it when it is called. */
static bool stands_in(const char *text, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = strstr(text, "args"); at != NULL; at = strstr(at, "args")) {
    at += strlen("args");
    at += strspn(at, " \t\n");
    if (*at != '.' && *at != '[') continue;
    at++;
    at += strspn(at, " \t\n\"'");
    if (strncmp(at, name, length) == 0 && !isalnum((unsigned char)at[length]) && at[length] != '_') return true;
  }
  return false;
}

/* ` (nearest: args.length)`, or the names that there are; "" where none is read. */
static void suggest(lua_State *L, const char *name, char *text, size_t size)
{
  size_t count = 0, room = 0, used = 0;
  *text = '\0';
  luaL_getsubtable(L, LUA_REGISTRYINDEX, READ);
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) room++;
  const char **names = lua_newuserdatauv(L, (room + 1) * sizeof *names, 0);
  for (lua_pushnil(L); lua_next(L, -3) != 0; lua_pop(L, 1)) names[count++] = lua_tostring(L, -2);
  const int nearest = dg_nearest(name, names, count);
  if (nearest >= 0) {
    snprintf(text, size, " (nearest: args.%s)", names[nearest]);
    return;
  }
  for (size_t i = 0; i < count && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%sargs.%s", i == 0 ? "; it reads " : ", ", names[i]);
}

void mx_args_check(lua_State *L, struct mx_load *load)
{
  const struct mx_script *script = load->script;
  const int top = lua_gettop(L);
  for (size_t i = 0; i < script->args; i++) {
    const char *name = script->arg[i].name;
    char hint[300];
    luaL_getsubtable(L, LUA_REGISTRYINDEX, READ);
    const bool known = lua_getfield(L, -1, name) != LUA_TNIL || stands_in(script->text, name);
    lua_settop(L, top);
    if (known) continue;
    suggest(L, name, hint, sizeof hint);
    mx_state_check(L, load,
                   dg_fail(load->err, DG_INPUT, "-D %s=%s: the script does not read args.%s%s", name,
                           script->arg[i].value, name, hint));
  }
}
