/* The protected call into a script's state, how it ends, and the errors of its ends. */
#include "maxwell/shell/script/script_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>

#include "maxwell/shell/script/world/input.h"

void mx_state_check(lua_State *L, struct mx_load *load, int code)
{
  if (code == 0) return;
  lua_pushlightuserdata(L, load);
  lua_error(L);
}

int mx_state_push_plain(lua_State *L, const char *text)
{
  if (lua_stringtonumber(L, text) != 0) return 1;
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) lua_pushboolean(L, *text == 't');
  else if (strcmp(text, "nil") == 0) lua_pushnil(L);
  else return 0;
  return 1;
}

/* status: of lua_pcall */
int mx_state_fail(struct mx_script *script, int status, struct dg_error *err)
{
  if (err->code != DG_OK) return err->code;
  if (script->stop == MX_WATCH_INTERRUPTED) return dg_fail(err, DG_INTERRUPTED, "%s: interrupted", script->stop_place);
  if (script->stop != MX_WATCH_NONE)
    return dg_fail(err, DG_INPUT, "%s: still running after %g s, and stopped (--lua-seconds allows more)",
                   script->stop_place, script->seconds);
  if (script->memory_error.code != DG_OK) {
    dg_fail(err, script->memory_error.code, "%s", script->memory_error.message);
    return dg_context(err, "while running %s", script->path);
  }
  if (status == LUA_ERRMEM)
    return dg_fail(err, DG_INPUT,
                   "%s: the script takes more than %.6g MB of memory; start curlew with --trust if it needs them",
                   script->path, 1e-6 * (double)script->bytes_max);
  const char *message = lua_type(script->L, -1) == LUA_TSTRING ? lua_tostring(script->L, -1) : "unknown error";
  /* Lua cuts long file names from the left; ours are whole. */
  size_t length = strlen(script->path), kept = LUA_IDSIZE - 1 - 3;
  const char *prefix = "";
  if (length >= LUA_IDSIZE && strncmp(message, "...", 3) == 0 &&
      strncmp(message + 3, script->path + length - kept, kept) == 0) {
    prefix = script->path;
    message += 3 + kept;
  }
  return dg_fail(err, DG_INPUT, "%s%s", prefix, message);
}

/* The innermost function from that level on that has lines. */
static int find_lines(lua_State *L, int level, lua_Debug *caller)
{
  for (; lua_getstack(L, level, caller); level++) {
    lua_getinfo(L, "Sl", caller);
    if (caller->currentline > 0) return 1;
  }
  return 0;
}

int mx_state_caller(lua_State *L, lua_Debug *caller) { return find_lines(L, 1, caller); }

/* The hook that ends a call: an error at the next instruction, and again if the script catches that one. */
static void end_call(lua_State *L, lua_Debug *here)
{
  void *user;
  (void)lua_getallocf(L, &user);
  struct mx_script *script = user;
  if (script->stop_place[0] == '\0' && find_lines(L, 0, here))
    snprintf(script->stop_place, sizeof script->stop_place, "%s:%d", here->short_src, here->currentline);
  lua_pushliteral(L, "stopped");
  lua_error(L);
}

/* Ends a call. A signal handler calls it, as lua.c does. Hooks do not reach the inside of Lua's own library, where a
 * pattern may take for ever: after ten seconds the program ends here, as if it had been killed. */
void mx_state_end_call(void *context, enum mx_watch_reason why)
{
  enum { PATIENCE = 100, A_SECOND = 10 };
  struct mx_script *script = context;
  /* A trial may be slow where the real call would be. */
  const double patience = PATIENCE + (script->trial ? A_SECOND * script->seconds : 0);
  script->stop = why;
  script->asked = script->asked + 1;
  if (script->asked > patience) {
    (void)!write(STDERR_FILENO, script->last_words, strlen(script->last_words));
    _exit(why == MX_WATCH_INTERRUPTED ? DG_INTERRUPTED : DG_INPUT);
  }
  lua_sethook(script->L, end_call, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

/* lua_pcall under the watch; the function and its arguments are on the stack. */
int mx_state_call(struct mx_script *script, int arguments, int results)
{
  script->stop = MX_WATCH_NONE;
  script->asked = 0;
  script->stop_place[0] = '\0';
  mx_watch_enter(script->watch);
  int status = lua_pcall(script->L, arguments, results, MX_STATE_HANDLER);
  mx_watch_leave(script->watch);
  if (script->stop == MX_WATCH_NONE) return status;
  lua_sethook(script->L, NULL, 0, 0);
  if (script->stop_place[0] == '\0')
    snprintf(script->stop_place, sizeof script->stop_place, "%s", script->chunk_name + 1);
  return status != LUA_OK ? status : LUA_ERRRUN; /* the script caught the error and was at its end */
}

/* No traceback: one line with a position, whatever was thrown. */
int mx_state_message(lua_State *L)
{
  lua_Debug caller;
  if (lua_islightuserdata(L, 1)) return 1; /* ours */
  if (!lua_isstring(L, 1) && !luaL_callmeta(L, 1, "__tostring"))
    lua_pushfstring(L, "the error is a %s value, not a message", luaL_typename(L, 1));
  const char *message = lua_tostring(L, -1);
  if (message == NULL) message = "unknown error";
  if (!mx_input_has_position(message) && mx_state_caller(L, &caller))
    lua_pushfstring(L, "%s:%d: %s", caller.short_src, caller.currentline, message);
  return 1;
}

void mx_state_trial(struct mx_script *script, bool trial)
{
  script->quiet = script->trial = trial;
  mx_watch_limit(script->watch, trial ? fmin(script->seconds, 1) : script->seconds);
}
