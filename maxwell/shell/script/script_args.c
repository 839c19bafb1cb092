/* The table `args`: values of -D, and which of them the script has read. script.c calls it before and behind the
 * script. */
#include "maxwell/shell/script/script_args.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

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

/* tonumber of scripts: nil for `5GHz`, where a script would go on with its default, is an error. Upvalue: Lua's own. */
static int to_number(lua_State *L)
{
  const int arguments = lua_gettop(L);
  void *user;
  (void)lua_getallocf(L, &user);
  const struct mx_script *script = user;
  lua_pushvalue(L, 1);
  lua_insert(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 2);
  lua_call(L, arguments, 1);
  const char *text = lua_type(L, 1) == LUA_TSTRING && lua_isnil(L, -1) && arguments == 1 ? lua_tostring(L, 1) : NULL;
  for (size_t i = 0; text != NULL && i < script->args; i++)
    if (strcmp(text, script->arg[i].value) == 0 && isdigit((unsigned char)text[strspn(text, "+-.")]))
      return luaL_error(
          L,
          "-D %s=%s: this is text, of which tonumber makes nil; write a number, as in 5e9: without a unit, "
          "and with a point before decimals",
          script->arg[i].name, text);
  return 1;
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
  lua_getglobal(L, "tonumber");
  lua_pushcclosure(L, to_number, 1);
  lua_setglobal(L, "tonumber");
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

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Does the word end before `at`, with blanks between? */
static bool follows(const char *text, const char *at, const char *word)
{
  const size_t length = strlen(word);
  while (at > text && strchr(" \t(", at[-1]) != NULL) at--;
  return (size_t)(at - text) >= length && strncmp(at - length, word, length) == 0 &&
         ((size_t)(at - text) == length || !is_word(at[-(ptrdiff_t)length - 1]));
}

static bool is_in_remark(const char *text, const char *at)
{
  for (; at > text && at[-1] != '\n'; at--)
    if (strncmp(at, "--", 2) == 0) return true;
  return strncmp(at, "--", 2) == 0;
}

/* Says whether all that the text does with args.NAME is to ask whether it is true: `if args.NAME then`, `not
 * args.NAME`, or `args.NAME and` in a line that does not name it again. */
static bool is_flag(const char *text, const char *name)
{
  char words[200];
  bool asks = false;
  const int length = snprintf(words, sizeof words, "args.%s", name);
  if (length < 0 || (size_t)length >= sizeof words) return false;
  for (const char *at = strstr(text, words); at != NULL; at = strstr(at + 1, words)) {
    const char *behind = at + length;
    if (is_word(*behind) || (at > text && is_word(at[-1])) || is_in_remark(text, at)) continue;
    behind += strspn(behind, " \t)");
    const char *again = strstr(behind, words), *end = behind + strcspn(behind, "\n");
    const bool condition = follows(text, at, "if") || follows(text, at, "elseif");
    if (strchr("=~<>", *behind) != NULL && *behind != '\0') return false;
    if (!follows(text, at, "not") && !(condition && strncmp(behind, "then", 4) == 0) &&
        !(strncmp(behind, "and ", 4) == 0 && (again == NULL || again > end)))
      return false; /* it is a number there */
    asks = true;
  }
  return asks;
}

/* Refuses a 0 for what the script takes for true or false. */
static void check_flag(lua_State *L, struct mx_load *load, const struct mx_definition *arg)
{
  if (lua_stringtonumber(L, arg->value) == 0) return;
  const bool zero = lua_tonumber(L, -1) == 0;
  lua_pop(L, 1);
  if (!zero || !is_flag(load->script->text, arg->name)) return;
  mx_state_check(L, load,
                 dg_fail(load->err, DG_INPUT,
                         "-D %s=%s: the script asks whether args.%s is true, and to Lua 0 is: write -D %s=false",
                         arg->name, arg->value, arg->name, arg->name));
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
    check_flag(L, load, &script->arg[i]);
    if (known) continue;
    suggest(L, name, hint, sizeof hint);
    mx_state_check(L, load,
                   dg_fail(load->err, DG_INPUT, "-D %s=%s: the script does not read args.%s%s", name,
                           script->arg[i].value, name, hint));
  }
}
