/* The one place where a function that the solver calls becomes a call of Lua's: by one thread, or shared among those
 * that there are. */
#include "maxwell/shell/script/script_function.h"

#include <string.h>

#include <lauxlib.h>

#include "maxwell/shell/script/script_call.h"
#include "maxwell/shell/script/script_hook.h"
#include "maxwell/shell/script/script_threads.h"
#include "maxwell/shell/script/world/walk.h"

static int values(void *self, const struct mx_places *at, double *value, struct dg_error *err)
{
  const struct mx_script_function *function = self;
  struct mx_script *script = function->script;
  const struct mx_calls calls = {.function = function, .at = *at, .out = value};
  if (at->trial) mx_state_trial(script, true);
  if (script->crew == NULL) (void)!mx_call_part(script, &calls, 0, at->count, err);
  else (void)!mx_crew_call(script->crew, &calls, err);
  if (at->trial) mx_state_trial(script, false);
  return err->code;
}

static int answer(void *self, const char *what, int inputs, const double *in, bool *result, struct dg_error *err)
{
  return mx_call_answer(self, what, inputs, in, result, err);
}

static int look(void *self, const char *what, const struct mx_results *results, struct mx_verdict *verdict,
                struct dg_error *err)
{
  return mx_hook_look(self, what, results, verdict, err);
}

static void rehearse(void *self, const struct mx_places *at)
{
  const struct mx_script_function *function = self;
  const struct mx_calls calls = {.function = function, .at = *at};
  if (function->script->crew != NULL) mx_crew_try(function->script->crew, &calls);
}

static int digest(void *self, uint64_t *result, struct dg_error *err)
{
  const struct mx_script_function *function = self;
  (void)err;
  *result = function->digest;
  return 0;
}

/* "cavity.lua:22" of the function on top of the stack. */
static void find_place(lua_State *L, struct mx_load *load, char **place)
{
  const struct mx_script *script = load->script;
  struct mx_arena *arena = &load->script->arena;
  lua_Debug info;
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">S", &info);
  if (info.linedefined <= 0) mx_state_check(L, load, mx_arena_format(arena, place, load->err, "%s", script->path));
  else
    mx_state_check(L, load,
                   mx_arena_format(arena, place, load->err, "%s:%d",
                                   strcmp(info.source, script->chunk_name) == 0 ? script->path : info.short_src,
                                   info.linedefined));
}

/* The digest of the function on top of the stack, before anybody calls it: what it changes then does not count. */
static uint64_t digest_top(lua_State *L, const struct mx_load *load)
{
  if (load->script->library.copy) return 0; /* of a copy nobody asks */
  lua_pushvalue(L, -1);
  return mx_walk_digest(L, load->script->library.folder);
}

void mx_script_function_make(lua_State *L, struct mx_load *load, const struct mx_function **function)
{
  struct mx_script_function *made;
  char *place;
  mx_state_check(L, load, mx_arena_alloc(&load->script->arena, &made, 1, sizeof *made, load->err));
  find_place(L, load, &place);
  const uint64_t own_digest = digest_top(L, load);
  lua_pushvalue(L, -1);
  *made = (struct mx_script_function){.base = {.values = values,
                                               .answer = answer,
                                               .look = look,
                                               .rehearse = rehearse,
                                               .digest = digest,
                                               .place = place,
                                               .self = made},
                                      .script = load->script,
                                      .digest = own_digest,
                                      .handle = luaL_ref(L, LUA_REGISTRYINDEX)};
  *function = &made->base;
}
