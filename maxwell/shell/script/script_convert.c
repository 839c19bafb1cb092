/* Converts a table of Lua's to a tree of values. script.c calls it for the simulation table and for --set. */
#include "maxwell/shell/script/script_convert.h"

#include <math.h>
#include <string.h>

#include <lauxlib.h>

#include "maxwell/shell/script/script_args.h"
#include "maxwell/shell/script/script_function.h"
#include "maxwell/shell/script/script_tree.h"

/* The most nested tables (the deepest key there is has 5), and the most values of a simulation table: tables that hold
 * each other many times are small in Lua. */
#define DEPTH_MAX  32
#define VALUES_MAX 1000000

/* The tables around the one being converted, to find cycles. */
struct ancestor {
  const struct ancestor *parent;
  const void *table;
  int depth;
  bool is_waveform;
};

static void convert_below(lua_State *L, struct mx_load *load, struct mx_value *value, const struct ancestor *parent);

static void read_key(lua_State *L, struct mx_load *load, int index, const struct mx_value *table, struct mx_key *key)
{
  const char *owner = *table->path == '\0' ? "simulation" : table->path;
  if (lua_isinteger(L, index)) {
    key->integer = lua_tointeger(L, index);
    return;
  }
  if (lua_type(L, index) != LUA_TSTRING) {
    dg_fail(load->err, DG_INPUT, "%s: a key of %s is a %s; keys are names or integers", table->where, owner,
            lua_type(L, index) == LUA_TNUMBER ? "fractional number" : luaL_typename(L, index));
    mx_state_check(L, load, load->err->code);
  }
  size_t length;
  const char *name = lua_tolstring(L, index, &length);
  if (strlen(name) != length)
    mx_state_check(L, load, dg_fail(load->err, DG_INPUT, "%s: a key of %s has a zero byte", table->where, owner));
  mx_state_check(L, load, mx_arena_format(&load->script->arena, &key->name, load->err, "%s", name));
}

static void check_nesting(lua_State *L, struct mx_load *load, const struct mx_value *value, const struct ancestor *self)
{
  const char *name = *value->path == '\0' ? "simulation" : value->path;
  for (const struct ancestor *a = self->parent; a != NULL; a = a->parent)
    if (a->table == self->table)
      mx_state_check(L, load, dg_fail(load->err, DG_INPUT, "%s: the table %s contains itself", value->where, name));
  if (self->depth > DEPTH_MAX || !lua_checkstack(L, 8))
    mx_state_check(L, load,
                   dg_fail(load->err, DG_INPUT, "%s: tables are nested more than %d deep", value->where, DEPTH_MAX));
  if (!self->is_waveform && lua_getmetatable(L, -1))
    mx_state_check(
        L, load,
        dg_fail(load->err, DG_INPUT, "%s: %s has a metatable; only plain tables can be read", value->where, name));
}

/* Says whether the table on top of the stack was made by waveform.*: no other table has its metatable. */
static bool is_waveform(lua_State *L)
{
  if (!lua_getmetatable(L, -1)) return false;
  luaL_getmetatable(L, MX_STATE_WAVEFORM);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

/* The times or values of a waveform: there may be many, so they share the origin and path of their list. */
static void convert_samples(lua_State *L, struct mx_load *load, struct mx_value *value)
{
  size_t count = (size_t)lua_rawlen(L, -1);
  value->type = MX_TABLE;
  mx_state_check(L, load, mx_arena_alloc(&load->script->arena, &value->entry, count, sizeof *value->entry, load->err));
  for (; value->count < count; value->count++) {
    struct mx_entry *entry = &value->entry[value->count];
    entry->key.integer = (long long)value->count + 1;
    lua_rawgeti(L, -1, (lua_Integer)value->count + 1);
    double number = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : NAN;
    entry->value = (struct mx_value){
        .type = MX_NUMBER, .number = number, .line = value->line, .where = value->where, .path = value->path};
    lua_pop(L, 1);
  }
}

/* Replaces the waveform on top by its numbers (share/lua/waveform.lua), which are all that it may hold. */
static void open_waveform(lua_State *L, struct mx_load *load, const struct mx_value *value)
{
  lua_pushnil(L);
  for (int count = 0; lua_next(L, -2) != 0; lua_pop(L, 1), count++)
    if (lua_type(L, -2) != LUA_TBOOLEAN || count > 0)
      mx_state_check(L, load,
                     dg_fail(load->err, DG_INPUT, "%s: the waveform %s was changed with rawset; make another one",
                             value->where, value->path));
  lua_pushboolean(L, 0);
  if (lua_rawget(L, -2) != LUA_TTABLE)
    mx_state_check(L, load, dg_fail(load->err, DG_INPUT, "%s: %s is no waveform", value->where, value->path));
  lua_replace(L, -2);
}

/* Converts the table on top of the stack. */
static void convert_table(lua_State *L, struct mx_load *load, struct mx_value *value, const struct ancestor *parent)
{
  struct mx_arena *arena = &load->script->arena;
  struct ancestor self = {parent, NULL, parent == NULL ? 1 : parent->depth + 1, is_waveform(L)};
  size_t count = 0;
  if (self.is_waveform) open_waveform(L, load, value);
  else mx_args_unwrap(L);
  self.table = lua_topointer(L, -1);
  value->type = MX_TABLE;
  value->is_waveform = self.is_waveform;
  check_nesting(L, load, value, &self);
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) count++;
  mx_state_check(L, load, mx_arena_alloc(arena, &value->entry, count, sizeof *value->entry, load->err));
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1))
    read_key(L, load, lua_absindex(L, -2), value, &value->entry[value->count++].key);
  mx_tree_sort(value);
  for (size_t i = 0; i < count; i++) {
    struct mx_entry *entry = &value->entry[i];
    mx_state_check(L, load, mx_tree_path(arena, value->path, &entry->key, &entry->value.path, load->err));
    if (entry->key.name != NULL) lua_pushstring(L, entry->key.name);
    else lua_pushinteger(L, entry->key.integer);
    lua_rawget(L, -2);
    convert_below(L, load, &entry->value, &self);
    lua_pop(L, 1);
  }
}

static void set_origin(lua_State *L, struct mx_load *load, struct mx_value *value)
{
  struct mx_script *script = load->script;
  if (load->set_where != NULL) {
    value->where = load->set_where;
    return;
  }
  value->line = mx_lines_find(&script->lines, value->path);
  mx_state_check(L, load,
                 mx_arena_format(&script->arena, &value->where, load->err, "%s:%d",
                                 load->other_file != NULL ? load->other_file : script->path, value->line));
}

/* Converts the value on top of the stack, which stays there; value->path is set. */
static void convert_below(lua_State *L, struct mx_load *load, struct mx_value *value, const struct ancestor *parent)
{
  set_origin(L, load, value);
  if (++load->values > VALUES_MAX)
    mx_state_check(L, load,
                   dg_fail(load->err, DG_INPUT, "%s: the table holds more than %d values", value->where, VALUES_MAX));
  size_t length;
  switch (lua_type(L, -1)) {
  case LUA_TNIL:
    value->type = MX_NIL;
    break;
  case LUA_TBOOLEAN:
    value->type = MX_BOOLEAN;
    value->boolean = lua_toboolean(L, -1);
    break;
  case LUA_TNUMBER:
    value->type = MX_NUMBER;
    value->number = lua_tonumber(L, -1);
    value->is_integer = isfinite(value->number) && value->number == trunc(value->number);
    break;
  case LUA_TSTRING:
    value->type = MX_STRING;
    mx_state_check(
        L, load, mx_arena_format(&load->script->arena, &value->string, load->err, "%s", lua_tolstring(L, -1, &length)));
    if (strlen(value->string) != length)
      mx_state_check(L, load,
                     dg_fail(load->err, DG_INPUT, "%s: the string %s has a zero byte", value->where, value->path));
    break;
  case LUA_TFUNCTION:
    value->type = MX_FUNCTION;
    mx_script_function_make(L, load, &value->function);
    break;
  case LUA_TTABLE:
    if (parent != NULL && parent->is_waveform) convert_samples(L, load, value);
    else convert_table(L, load, value, parent);
    break;
  default:
    mx_state_check(L, load,
                   dg_fail(load->err, DG_INPUT, "%s: %s is a %s; no key takes that", value->where, value->path,
                           luaL_typename(L, -1)));
  }
}

void mx_state_convert(lua_State *L, struct mx_load *load, struct mx_value *value)
{
  convert_below(L, load, value, NULL);
}
