/* Calls of the script's functions, and how they end. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>

#include "maxwell/shell/script/script_threads.h"
#include "maxwell/shell/script/world/digest.h"
#include "maxwell/shell/script/world/input.h"
#include "maxwell/shell/script/script_state.h"

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

/* From a signal handler, as lua.c does it. Hooks do not reach the inside of Lua's own library, where a pattern may take
 * for ever: after ten seconds the program ends here, as if it had been killed. */
void mx_state_end_call(void *context, enum mx_watch_reason why)
{
  enum { PATIENCE = 100, A_SECOND = 10 };
  struct mx_script *script = context;
  /* What is only tried may be slow where it is meant to be called. */
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

/* "cavity.lua:22" of the function's definition, pushed as a string; only on the way to an error. */
static void define_place(struct mx_script *script, int function, char *place, size_t size)
{
  lua_Debug info;
  lua_rawgeti(script->L, LUA_REGISTRYINDEX, function);
  lua_getinfo(script->L, ">S", &info);
  if (info.linedefined <= 0) snprintf(place, size, "%s", script->path);
  else
    snprintf(place, size, "%s:%d", strcmp(info.source, script->chunk_name) == 0 ? script->path : info.short_src,
             info.linedefined);
}

static int fail_result(struct mx_script *script, int function, const char *what, int inputs, const double *in,
                       struct dg_error *err, const char *format, ...) DG_PRINTF(7, 8);

static int fail_result(struct mx_script *script, int function, const char *what, int inputs, const double *in,
                       struct dg_error *err, const char *format, ...)
{
  char place[1024], at[256], fault[256];
  va_list list;
  va_start(list, format);
  vsnprintf(fault, sizeof fault, format, list);
  va_end(list);
  define_place(script, function, place, sizeof place);
  mx_input_describe(inputs, in, at, sizeof at);
  return dg_fail(err, DG_INPUT, "%s: %s %s at %s", place, what, fault, at);
}

static const char *wanted(int outputs, char text[32])
{
  static const char *const counts[] = {"nothing", "one number", "two numbers", "three numbers"};
  if (outputs <= 3) return counts[outputs];
  snprintf(text, 32, "%d numbers", outputs);
  return text;
}

/* The results lie above that index. Called at every node of a mesh: no text is made unless something is wrong. */
static int take_results(struct mx_script *script, int below, int function, const char *what, int inputs,
                        const double *in, int outputs, double *out, struct dg_error *err)
{
  lua_State *L = script->L;
  int returned = lua_gettop(L) - below;
  char text[32];
  if (returned != outputs)
    return fail_result(script, function, what, inputs, in, err, "must return %s, returned %d", wanted(outputs, text),
                       returned);
  for (int i = 0; i < outputs; i++) {
    int index = below + 1 + i;
    if (lua_type(L, index) != LUA_TNUMBER)
      return fail_result(script, function, what, inputs, in, err, "must return %s, but result %d is a %s",
                         wanted(outputs, text), i + 1, luaL_typename(L, index));
    out[i] = lua_tonumber(L, index);
    if (!isfinite(out[i]))
      return fail_result(script, function, what, inputs, in, err, "returned %s", isnan(out[i]) ? "nan" : "infinity");
  }
  return 0;
}

/* What the call with these numbers ended with. */
static int fail_call(struct mx_script *script, int status, const char *what, int inputs, const double *in,
                     struct dg_error *err)
{
  mx_state_fail(script, status, err);
  char at[256] = "";
  if (inputs > 0) mx_input_describe(inputs, in, at, sizeof at);
  return dg_context(err, "in %s%s%s", what, inputs > 0 ? " at " : "", at);
}

/* The results, any number of them, are left on the stack. */
static int call(struct mx_script *script, int function, const char *what, int inputs, const double *in,
                struct dg_error *err)
{
  lua_State *L = script->L;
  lua_rawgeti(L, LUA_REGISTRYINDEX, function);
  for (int i = 0; i < inputs; i++) lua_pushnumber(L, in[i]);
  mx_random_enter(&script->random, what, inputs, in);
  int status = mx_state_call(script, inputs, LUA_MULTRET);
  mx_random_leave(&script->random);
  if (status == LUA_OK && script->memory_error.code == DG_OK) return 0;
  return fail_call(script, status, what, inputs, in, err);
}

int mx_script_call(struct mx_script *script, int function, const char *what, int inputs, const double *in, int outputs,
                   double *out, struct dg_error *err)
{
  if (call(script, function, what, inputs, in, err) == 0)
    take_results(script, MX_STATE_HANDLER, function, what, inputs, in, outputs, out, err);
  lua_settop(script->L, MX_STATE_HANDLER);
  return err->code;
}

/* A part of calls, which one protected call makes: setting that up takes as long as a short function. */
struct part {
  struct mx_script *script;
  const struct mx_calls *calls;
  size_t at, last; /* the next one, and the one behind the last */
  int inputs;
  double in[4]; /* of the next one */
  struct dg_error *err;
};

/* On the stack: the part and the function. Returns early, or raises an error, at the call that failed. */
static int call_each(lua_State *L)
{
  enum { FUNCTION = 2 };
  struct part *part = lua_touserdata(L, 1);
  const struct mx_calls *calls = part->calls;
  struct mx_script *script = part->script;
  const int inputs = part->inputs, outputs = calls->outputs;
  if (calls->t != NULL) part->in[3] = *calls->t;
  for (; part->at < part->last; part->at++) {
    double *out = calls->out + part->at * (size_t)outputs;
    memcpy(part->in, calls->x[part->at], sizeof calls->x[0]);
    lua_pushvalue(L, FUNCTION);
    for (int i = 0; i < inputs; i++) lua_pushnumber(L, part->in[i]);
    mx_random_enter(&script->random, calls->what, inputs, part->in);
    lua_call(L, inputs, LUA_MULTRET);
    mx_watch_next(script->watch);
    if (script->stop != MX_WATCH_NONE || script->memory_error.code != DG_OK) return 0;
    if (take_results(script, FUNCTION, calls->function, calls->what, inputs, part->in, outputs, out, part->err) != 0)
      return 0;
    lua_settop(L, FUNCTION);
  }
  return 0;
}

int mx_state_call_part(struct mx_script *script, const struct mx_calls *calls, size_t first, size_t last,
                       struct dg_error *err)
{
  lua_State *L = script->L;
  struct part part = {
      .script = script, .calls = calls, .at = first, .last = last, .inputs = calls->t != NULL ? 4 : 3, .err = err};
  lua_pushcfunction(L, call_each);
  lua_pushlightuserdata(L, &part);
  lua_rawgeti(L, LUA_REGISTRYINDEX, calls->function);
  int status = mx_state_call(script, 2, 0);
  mx_random_leave(&script->random);
  if (err->code == DG_OK && (status != LUA_OK || script->memory_error.code != DG_OK))
    fail_call(script, status, calls->what, part.inputs, part.in, err);
  lua_settop(L, MX_STATE_HANDLER);
  return err->code;
}

void mx_script_trial(struct mx_script *script, bool trial)
{
  script->quiet = script->trial = trial;
  mx_watch_limit(script->watch, trial ? fmin(script->seconds, 1) : script->seconds);
}

int mx_script_repeat(struct mx_script *script, int function, const char *what, size_t count, const double (*x)[3],
                     int outputs, const double *out, struct dg_error *err)
{
  enum { MOST = 4000 };
  const size_t stride = 1 + count / MOST;
  for (size_t left = count; left > 0; left = left > stride ? left - stride : 0) {
    const size_t k = left - 1;
    double again[3] = {0};
    if (mx_script_call(script, function, what, 3, x[k], outputs, again, err) != 0) return err->code;
    for (int i = 0; i < outputs; i++)
      if (again[i] != out[k * (size_t)outputs + (size_t)i])
        return fail_result(
            script, function, what, 3, x[k], err,
            "does not give the same whenever it is called with the same numbers (%.10g, then %.10g), but "
            "must depend on its arguments alone,",
            out[k * (size_t)outputs + (size_t)i], again[i]);
  }
  return 0;
}

int mx_script_ask(struct mx_script *script, int function, const char *what, int inputs, const double *in, bool *answer,
                  struct dg_error *err)
{
  lua_State *L = script->L;
  if (call(script, function, what, inputs, in, err) == 0) {
    if (lua_gettop(L) == MX_STATE_HANDLER + 1 && lua_isboolean(L, -1)) *answer = lua_toboolean(L, -1) != 0;
    else fail_result(script, function, what, inputs, in, err, "must return true or false");
  }
  lua_settop(L, MX_STATE_HANDLER);
  return err->code;
}

/* On the stack: the digest's place and the function. */
static int protected_digest(lua_State *L)
{
  uint64_t *digest = lua_touserdata(L, 1);
  *digest = mx_script_digest_top(L);
  return 0;
}

int mx_script_digest(struct mx_script *script, int function, uint64_t *digest, struct dg_error *err)
{
  lua_State *L = script->L;
  lua_pushcfunction(L, protected_digest);
  lua_pushlightuserdata(L, digest);
  lua_rawgeti(L, LUA_REGISTRYINDEX, function);
  int status = mx_state_call(script, 2, 0);
  if (status != LUA_OK || script->memory_error.code != DG_OK) mx_state_fail(script, status, err);
  lua_settop(L, MX_STATE_HANDLER);
  return err->code;
}

void mx_script_interrupt(struct mx_script *script, const volatile sig_atomic_t *flag)
{
  script->interrupt = flag;
  mx_watch_interrupt(script->watch, flag);
  mx_crew_interrupt(script->crew, flag);
}
