/* Calls a hook of the script with the results of the run, and takes what it has worked out. script_function.c calls it
 * for the run. */
#include "maxwell/shell/script/script_hook.h"

#include <string.h>

#include <lauxlib.h>

#include "libdg/base/memory.h"
#include "maxwell/shell/script/script_compare.h"
#include "maxwell/shell/script/world/column.h"
#include "maxwell/shell/script/world/sim.h"

struct look {
  const struct mx_script_function *function;
  struct mx_sim sim;
};

/* Leaves the protected call with an error at the hook's place. */
static int fail(lua_State *L, const struct look *look, const char *format, const char *name, const char *type)
{
  (void)lua_pushfstring(L, format, name, type);
  (void)dg_fail(look->sim.err, DG_INPUT, "%s: %s %s", look->function->base.place, look->sim.what, lua_tostring(L, -1));
  lua_pushlightuserdata(L, (void *)look->sim.err);
  return lua_error(L);
}

/* Leaves the protected call if a function of ours has failed. */
static void check(lua_State *L, const struct look *look, int code)
{
  if (code == 0) return;
  lua_pushlightuserdata(L, (void *)look->sim.err);
  lua_error(L);
}

static const char *name_of_key(lua_State *L, const struct look *look, int index)
{
  if (lua_type(L, index) != LUA_TSTRING)
    fail(L, look, "must return values with names, as in { peak = 0.3 }, but a key is a %s%s", luaL_typename(L, index),
         "");
  const char *name = lua_tostring(L, index);
  if (!mx_derived_is_name(name) || strlen(name) != (size_t)lua_rawlen(L, index))
    fail(L, look,
         "returned a value '%s', whose name must be one for a file (letters, digits, '_', '-' and '.'; not starting "
         "with '.'; at most 100 characters)%s",
         name, "");
  return name;
}

/* Copies the column on top of the stack: a list of numbers, or a column of results. */
static void take_column(lua_State *L, const struct look *look, struct mx_derived *table, const char *name)
{
  size_t count = 0;
  const double *value = mx_column_at(L, -1, &count);
  if (value == NULL && !lua_istable(L, -1))
    fail(L, look, "returned a table '%s' whose column '%s' is neither a list of numbers nor a column of results",
         table->name, name);
  if (value == NULL) count = (size_t)lua_rawlen(L, -1);
  if (table->columns > 0 && count != table->rows)
    fail(L, look, "returned a table '%s' whose column '%s' has another length than the one before", table->name, name);
  check(L, look, mx_derived_column(table, name, count, look->sim.err));
  double *to = table->value[table->columns - 1];
  if (value != NULL && count > 0) memcpy(to, value, count * sizeof *to);
  for (size_t i = 0; value == NULL && i < count; i++) {
    if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TNUMBER)
      fail(L, look, "returned a table '%s' whose column '%s' holds something that is no number", table->name, name);
    to[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
}

/* Takes the table on top of the stack. */
static void take_table(lua_State *L, const struct look *look, struct mx_derived *item)
{
  item->type = MX_DERIVED_TABLE;
  const int table = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      fail(L, look, "returned a table '%s' without names of columns, as in %s = { time = {..}, value = {..} }",
           item->name, item->name);
    take_column(L, look, item, name_of_key(L, look, -2));
  }
  if (item->columns == 0) fail(L, look, "returned a table '%s' that has no columns%s", item->name, "");
}

/* Takes the value on top of the stack. */
static void take_value(lua_State *L, const struct look *look, const char *name)
{
  const int type = lua_type(L, -1);
  struct mx_derived *item;
  if (!look->sim.results->ended && type != LUA_TNUMBER)
    fail(L, look, "returned '%s', a %s; before the end of the run derived values are numbers", name,
         luaL_typename(L, -1));
  check(L, look, mx_derived_add(&look->sim.verdict->derived, name, &item, look->sim.err));
  switch (type) {
  case LUA_TNUMBER:
    item->number = lua_tonumber(L, -1);
    break;
  case LUA_TBOOLEAN:
    item->type = MX_DERIVED_BOOLEAN;
    item->boolean = lua_toboolean(L, -1) != 0;
    break;
  case LUA_TSTRING:
    item->type = MX_DERIVED_WORD;
    if (strlen(lua_tostring(L, -1)) != (size_t)lua_rawlen(L, -1))
      fail(L, look, "returned '%s', a string with a zero byte%s", name, "");
    check(L, look, dg_copy_string(&item->word, lua_tostring(L, -1), look->sim.err));
    break;
  case LUA_TTABLE:
    take_table(L, look, item);
    break;
  default:
    fail(L, look, "returned '%s', a %s; derived values are numbers, strings, true or false, and tables of columns",
         name, luaL_typename(L, -1));
  }
}

/* Makes the call. On the stack: the look. */
static int protected_look(lua_State *L)
{
  struct look *look = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, look->function->handle);
  mx_sim_push(L, &look->sim);
  lua_call(L, 1, LUA_MULTRET);
  const int returned = lua_gettop(L) - 1;
  if (returned == 0 || (returned == 1 && lua_isnil(L, -1))) return 0;
  if (returned > 1) return fail(L, look, "must return one table of derived values, or nothing%s%s", "", "");
  if (!lua_istable(L, -1))
    return fail(L, look, "must return a table of derived values, as in { peak = 0.3 }, not a %s%s",
                luaL_typename(L, -1), "");
  for (lua_pushnil(L); lua_next(L, 2) != 0; lua_pop(L, 1)) take_value(L, look, name_of_key(L, look, -2));
  return 0;
}

int mx_hook_look(const struct mx_script_function *function, const char *what, const struct mx_results *results,
                 struct mx_verdict *verdict, struct dg_error *err)
{
  struct mx_script *script = function->script;
  struct look look = {.function = function, .sim = {.what = what, .results = results, .verdict = verdict, .err = err}};
  const double in[] = {results->time, (double)results->step};
  uint64_t before, after;
  (void)mx_same_digest(script, false, &before);
  lua_pushcfunction(script->L, protected_look);
  lua_pushlightuserdata(script->L, &look);
  mx_random_enter(&script->random, what, 2, in);
  const int status = mx_state_call(script, 1, 0);
  mx_random_leave(&script->random);
  mx_sim_end(&look.sim);
  if (err->code != DG_OK || status != LUA_OK || script->memory_error.code != DG_OK) {
    const bool said = err->code != DG_OK; /* about what was returned, with its place */
    mx_state_fail(script, status, err);
    if (!said) dg_context(err, "in %s at step %ld", what, results->step);
  }
  lua_settop(script->L, MX_STATE_HANDLER);
  if (err->code != DG_OK) return err->code;
  (void)mx_same_digest(script, false, &after);
  mx_derived_sort(&verdict->derived);
  if (before == after) return 0;
  return dg_fail(err, DG_INPUT,
                 "%s: %s changes a variable or a table outside of it, which a run that goes on from a checkpoint would "
                 "not know of; return a derived value and read it back from sim.derived",
                 function->base.place, what);
}
