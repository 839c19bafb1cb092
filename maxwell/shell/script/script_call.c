/* Calls the script's functions: arguments in, results out, and messages about wrong results. script_function.c and
 * script_threads.c call it. */
#include "maxwell/shell/script/script_call.h"

#include <math.h>
#include <stdio.h>

#include <lauxlib.h>

/* The error that the call with these numbers ended with. */
static int fail_call(struct mx_script *script, int status, const char *what, int inputs, const double *in,
                     struct dg_error *err)
{
  mx_state_fail(script, status, err);
  char at[256] = "";
  if (inputs > 0) mx_describe_inputs(inputs, in, at, sizeof at);
  return dg_context(err, "in %s%s%s", what, inputs > 0 ? " at " : "", at);
}

static const char *wanted(int outputs, char text[32])
{
  static const char *const counts[] = {"nothing", "one number", "two numbers", "three numbers"};
  if (outputs <= 3) return counts[outputs];
  snprintf(text, 32, "%d numbers", outputs);
  return text;
}

/* A part of calls, which one protected call makes: setting that up takes as long as a short function. */
struct part {
  struct mx_script *script;
  const struct mx_calls *calls;
  size_t at, last; /* the next one, and the one behind the last */
  int inputs;
  double in[4]; /* arguments of the next call */
  struct dg_error *err;
};

enum { PART = 1, FUNCTION = 2 }; /* on the stack of call_each; results lie above */

/* Called at every node of a mesh: no text is made unless something is wrong. */
static int take_results(const struct part *part, double *out)
{
  lua_State *L = part->script->L;
  const struct mx_places *at = &part->calls->at;
  const struct mx_function *function = &part->calls->function->base;
  const int returned = lua_gettop(L) - FUNCTION;
  char text[32];
  if (returned != at->components)
    return mx_function_fail(function, at, part->at, part->err, "must return %s, returned %d",
                            wanted(at->components, text), returned);
  for (int i = 0; i < at->components; i++) {
    int index = FUNCTION + 1 + i;
    if (lua_type(L, index) != LUA_TNUMBER)
      return mx_function_fail(function, at, part->at, part->err, "must return %s, but result %d is a %s",
                              wanted(at->components, text), i + 1, luaL_typename(L, index));
    out[i] = lua_tonumber(L, index);
    if (!isfinite(out[i])) /* the calls behind it are not made */
      return mx_function_fail(function, at, part->at, part->err, "returned %s", isnan(out[i]) ? "nan" : "infinity");
  }
  return 0;
}

/* Makes the calls of a part. On the stack: the part and the function. Returns early, or raises an error, at the call
 * that failed. */
static int call_each(lua_State *L)
{
  struct part *part = lua_touserdata(L, PART);
  const struct mx_calls *calls = part->calls;
  struct mx_script *script = part->script;
  for (; part->at < part->last; part->at++) {
    const int inputs = part->inputs = mx_places_inputs(&calls->at, part->at, part->in);
    lua_pushvalue(L, FUNCTION);
    for (int i = 0; i < inputs; i++) lua_pushnumber(L, part->in[i]);
    mx_random_enter(&script->random, calls->at.what, inputs, part->in);
    lua_call(L, inputs, LUA_MULTRET);
    mx_watch_next(script->watch);
    if (script->stop != MX_WATCH_NONE || script->memory_error.code != DG_OK) return 0;
    if (take_results(part, calls->out + part->at * (size_t)calls->at.components) != 0) return 0;
    lua_settop(L, FUNCTION);
  }
  return 0;
}

int mx_call_part(struct mx_script *script, const struct mx_calls *calls, size_t first, size_t last,
                 struct dg_error *err)
{
  lua_State *L = script->L;
  struct part part = {.script = script, .calls = calls, .at = first, .last = last, .err = err};
  lua_pushcfunction(L, call_each);
  lua_pushlightuserdata(L, &part);
  lua_rawgeti(L, LUA_REGISTRYINDEX, calls->function->handle);
  int status = mx_state_call(script, 2, 0);
  mx_random_leave(&script->random);
  if (err->code == DG_OK && (status != LUA_OK || script->memory_error.code != DG_OK))
    fail_call(script, status, calls->at.what, part.inputs, part.in, err);
  lua_settop(L, MX_STATE_HANDLER);
  return err->code;
}

int mx_call_answer(const struct mx_script_function *function, const char *what, int inputs, const double *in,
                   bool *answer, struct dg_error *err)
{
  struct mx_script *script = function->script;
  lua_State *L = script->L;
  lua_rawgeti(L, LUA_REGISTRYINDEX, function->handle);
  for (int i = 0; i < inputs; i++) lua_pushnumber(L, in[i]);
  mx_random_enter(&script->random, what, inputs, in);
  const int status = mx_state_call(script, inputs, LUA_MULTRET);
  mx_random_leave(&script->random);
  if (status != LUA_OK || script->memory_error.code != DG_OK) {
    fail_call(script, status, what, inputs, in, err);
  } else if (lua_gettop(L) == MX_STATE_HANDLER + 1 && lua_isboolean(L, -1)) {
    *answer = lua_toboolean(L, -1) != 0;
  } else {
    char at[256];
    mx_describe_inputs(inputs, in, at, sizeof at);
    dg_fail(err, DG_INPUT, "%s: %s must return true or false at %s", function->base.place, what, at);
  }
  lua_settop(L, MX_STATE_HANDLER);
  return err->code;
}
