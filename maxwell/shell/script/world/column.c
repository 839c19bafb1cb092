/* Columns of numbers that a script can read and not change. Hooks get results as columns (script_hook.c). */
#include "maxwell/shell/script/world/column.h"

#include <math.h>

#include <lauxlib.h>

#define COLUMN "curlew.column" /* registry key of the metatable */

struct column {
  const double *value;
  size_t count;
};

const double *mx_column_at(lua_State *L, int index, size_t *count)
{
  const struct column *column = luaL_testudata(L, index, COLUMN);
  if (column == NULL) return NULL;
  *count = column->count;
  return column->value;
}

/* The range (first, last) of the arguments behind the column, as far as there are numbers; all without them. The last
 * hundred numbers, c:peak(#c - 99), are all of them as long as there are fewer. */
static void read_range(lua_State *L, const struct column *column, size_t *first, size_t *last)
{
  const lua_Integer count = (lua_Integer)column->count;
  const lua_Integer from = luaL_optinteger(L, 2, 1), to = luaL_optinteger(L, 3, count);
  *first = from > 1 ? (size_t)from - 1 : 0;
  *last = to > count ? (size_t)count : to > 0 ? (size_t)to : 0;
}

enum extreme { MAX, MIN, PEAK };

/* Pushes the extreme and its place; nil where there is no number. */
static int find_extreme(lua_State *L, enum extreme extreme)
{
  const struct column *column = luaL_checkudata(L, 1, COLUMN);
  size_t first, last, at = 0;
  double best = NAN;
  read_range(L, column, &first, &last);
  for (size_t i = first; i < last; i++) {
    const double value = extreme == PEAK ? fabs(column->value[i]) : column->value[i];
    if (isnan(value) || (extreme == MIN ? value >= best : value <= best)) continue;
    best = value;
    at = i + 1;
  }
  if (at == 0) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushnumber(L, best);
  lua_pushinteger(L, (lua_Integer)at);
  return 2;
}

static int find_max(lua_State *L) { return find_extreme(L, MAX); }
static int find_min(lua_State *L) { return find_extreme(L, MIN); }
static int find_peak(lua_State *L) { return find_extreme(L, PEAK); }

static int length(lua_State *L)
{
  const struct column *column = luaL_checkudata(L, 1, COLUMN);
  lua_pushinteger(L, (lua_Integer)column->count);
  return 1;
}

/* A number by its place; else a method. Upvalue: the methods. */
static int read(lua_State *L)
{
  const struct column *column = luaL_checkudata(L, 1, COLUMN);
  int whole;
  const lua_Integer i = lua_tointegerx(L, 2, &whole);
  if (lua_type(L, 2) == LUA_TSTRING) {
    if (lua_getfield(L, lua_upvalueindex(1), lua_tostring(L, 2)) == LUA_TNIL)
      return luaL_error(L, "a column has no '%s'; it has max, min and peak, and numbers 1 to %d", lua_tostring(L, 2),
                        (int)column->count);
    return 1;
  }
  if (whole && i >= 1 && (size_t)i <= column->count) lua_pushnumber(L, column->value[i - 1]);
  else lua_pushnil(L);
  return 1;
}

static int refuse(lua_State *L) { return luaL_error(L, "results cannot be changed"); }

static void push_metatable(lua_State *L)
{
  static const luaL_Reg methods[] = {{"max", find_max}, {"min", find_min}, {"peak", find_peak}, {NULL, NULL}};
  if (luaL_newmetatable(L, COLUMN) == 0) return;
  luaL_newlib(L, methods);
  lua_pushcclosure(L, read, 1);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, length);
  lua_setfield(L, -2, "__len");
  lua_pushcfunction(L, refuse);
  lua_setfield(L, -2, "__newindex");
  lua_pushliteral(L, "column");
  lua_setfield(L, -2, "__metatable");
}

void mx_column_push(lua_State *L, int storage, const double *value, size_t count)
{
  storage = lua_absindex(L, storage);
  struct column *column = lua_newuserdatauv(L, sizeof *column, 1);
  *column = (struct column){value, count};
  push_metatable(L);
  lua_setmetatable(L, -2);
  lua_pushvalue(L, storage);
  lua_setiuservalue(L, -2, 1);
}
