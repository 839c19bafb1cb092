/* Runs commands that are written in Lua, and the functions that they call. maxwell/app calls it. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "maxwell/shell/script/command/script_command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/base/text.h"
#include "maxwell/shell/script/world/share.h"

struct command {
  const char *name, *lack;
  int words;
  char *const *word;
  const struct mx_command_function *functions;
  void *self;
  struct dg_error *err;
};

static const struct command *command_of(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

/* Leaves the command where there is an error. */
static void check(lua_State *L, const struct command *command)
{
  if (command->err->code != DG_OK) (void)luaL_error(L, "failed");
}

static int fail(lua_State *L)
{
  const struct command *command = command_of(L);
  const char *kind = luaL_checkstring(L, 1), *message = luaL_checkstring(L, 2);
  (void)dg_fail(command->err, strcmp(kind, "input") == 0 ? DG_INPUT : DG_ENVIRONMENT, "%s", message);
  check(L, command);
  return 0;
}

static int nearest(lua_State *L)
{
  const lua_Unsigned count = lua_rawlen(L, 2);
  const char **names = lua_newuserdatauv(L, (size_t)(count + 1) * sizeof *names, 0);
  for (lua_Unsigned i = 0; i < count; i++) {
    (void)lua_rawgeti(L, 2, (lua_Integer)i + 1);
    names[i] = luaL_checkstring(L, -1); /* the list keeps it */
    lua_pop(L, 1);
  }
  const int found = dg_nearest(luaL_checkstring(L, 1), names, (size_t)count);
  if (found >= 0) lua_pushstring(L, names[found]);
  else lua_pushnil(L);
  return 1;
}

static int json(lua_State *L)
{
  char *text = NULL;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  if (file == NULL) return luaL_error(L, "out of memory");
  if (lua_type(L, 1) == LUA_TSTRING) dg_json_string(file, lua_tostring(L, 1));
  else dg_json_number(file, lua_tonumber(L, 1));
  if (fclose(file) == 0) lua_pushlstring(L, text, length);
  else lua_pushnil(L);
  free(text);
  return 1;
}

static void write_text(FILE *file, const void *text) { fputs(text, file); }

static int write_file(lua_State *L)
{
  const struct command *command = command_of(L);
  (void)!dg_file_write(luaL_checkstring(L, 1), write_text, luaL_checkstring(L, 2), command->err);
  check(L, command);
  return 0;
}

/* Two of this program that run at the same time cannot both make the file. */
static int create(lua_State *L)
{
  size_t length;
  const char *path = luaL_checkstring(L, 1), *text = luaL_checklstring(L, 2, &length);
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST) {
    lua_pushliteral(L, "input");
    lua_pushfstring(L, "'%s' is there already; another name, or take it away", path);
    return 2;
  }
  int reason = file < 0 ? errno : dg_file_write_at(file, text, length, 0);
  if (file >= 0 && close(file) != 0 && reason == 0) reason = errno;
  if (reason == 0) return 0;
  if (file >= 0) (void)unlink(path);
  lua_pushliteral(L, "environment");
  lua_pushfstring(L, "cannot write '%s': %s", path, strerror(reason));
  return 2;
}

static int list(lua_State *L)
{
  struct dirent **entry;
  const int count = scandir(luaL_checkstring(L, 1), &entry, NULL, alphasort);
  if (count < 0) return 0;
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_pushstring(L, entry[i]->d_name);
    lua_rawseti(L, -2, i + 1);
    free(entry[i]);
  }
  free(entry);
  return 1;
}

/* Calls a function of the caller's. */
static int call_function(lua_State *L)
{
  const struct command *command = command_of(L);
  const struct mx_command_function *function = lua_touserdata(L, lua_upvalueindex(2));
  struct mx_command_call call = {0};
  for (int i = 1; i <= 4 && lua_isstring(L, i) != 0; i++) call.text[call.texts++] = lua_tostring(L, i);
  const int at = (int)call.texts + 1;
  if (lua_istable(L, at)) {
    call.numbers = (size_t)lua_rawlen(L, at);
    double *number = lua_newuserdatauv(L, (call.numbers + 1) * sizeof *number, 0);
    for (size_t i = 0; i < call.numbers; i++) {
      (void)lua_rawgeti(L, at, (lua_Integer)i + 1);
      number[i] = lua_tonumber(L, -1);
      lua_pop(L, 1);
    }
    call.number = number;
  }
  (void)!function->call(command->self, &call, command->err);
  check(L, command);
  if (call.answer != NULL) {
    lua_pushstring(L, call.answer);
    return 1;
  }
  lua_createtable(L, (int)call.answers, 0);
  for (size_t i = 0; i < call.answers; i++) {
    lua_pushnumber(L, call.answered[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  dg_free(call.answered);
  return 1;
}

static int load_command(lua_State *L, const struct command *command)
{
  lua_pushfstring(L, "%s/lua/commands/%s.lua", mx_share_folder(), command->name);
  const char *path = lua_tostring(L, -1);
  if (access(path, R_OK) != 0)
    (void)dg_fail(command->err, DG_ENVIRONMENT, "%s not found in '%s'%s", command->lack, mx_share_folder(),
                  mx_share_hint());
  check(L, command);
  if (luaL_loadfile(L, path) != LUA_OK) (void)lua_error(L);
  return 0;
}

/* The protected part: all of it. */
static int run(lua_State *L)
{
  static const luaL_Reg own[] = {{"fail", fail},     {"nearest", nearest}, {"json", json}, {"write", write_file},
                                 {"create", create}, {"list", list},       {NULL, NULL}};
  struct command *command = lua_touserdata(L, 1);
  luaL_openlibs(L);
  (void)load_command(L, command);
  lua_newtable(L);
  lua_pushlightuserdata(L, command);
  luaL_setfuncs(L, own, 1);
  for (const struct mx_command_function *function = command->functions; function->name != NULL; function++) {
    void *place;
    memcpy(&place, &function, sizeof place); /* it comes back const */
    lua_pushlightuserdata(L, command);
    lua_pushlightuserdata(L, place);
    lua_pushcclosure(L, call_function, 2);
    lua_setfield(L, -2, function->name);
  }
  lua_pushstring(L, mx_share_folder());
  lua_setfield(L, -2, "share");
  lua_pushstring(L, mx_share_hint());
  lua_setfield(L, -2, "share_hint");
  lua_createtable(L, command->words, 0);
  for (int i = 0; i < command->words; i++) {
    lua_pushstring(L, command->word[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_call(L, 2, 0);
  return 0;
}

int mx_command_run(const char *name, const char *lack, int words, char *const *word,
                   const struct mx_command_function *functions, void *self, struct dg_error *err)
{
  struct command command = {name, lack, words, word, functions, self, err};
  lua_State *L = luaL_newstate();
  if (L == NULL) return dg_fail(err, DG_ENVIRONMENT, "out of memory");
  lua_pushcfunction(L, run);
  lua_pushlightuserdata(L, &command);
  const int status = lua_pcall(L, 1, 0, 0);
  if (status == LUA_ERRMEM) (void)dg_fail(err, DG_ENVIRONMENT, "out of memory");
  else if (status != LUA_OK && err->code == DG_OK) (void)dg_fail(err, DG_BUG, "%s", lua_tostring(L, -1));
  lua_close(L);
  return err->code;
}
