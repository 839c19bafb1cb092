/* math.random for scripts: Lua's own generator while the script runs, and a digest of key and arguments in functions
 * that the solver calls. */
#include "maxwell/shell/script/world/random.h"

#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "libdg/base/digest.h"

/* Upvalues of both functions: struct mx_random, Lua's own random, Lua's own randomseed. */
static struct mx_random *random_of(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

static lua_Integer signed_of(uint64_t bits)
{
  lua_Integer number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* Two numbers are all that Lua's generator can be told. */
static void begin_numbers(lua_State *L, const struct mx_random *random)
{
  uint64_t digest = dg_digest(random->seed, random->what, strlen(random->what));
  for (int i = 0; i < random->inputs; i++) {
    const double value = random->in[i] + 0.0; /* there are two zeros */
    digest = dg_digest(digest, &value, sizeof value);
  }
  lua_pushvalue(L, lua_upvalueindex(3));
  lua_pushinteger(L, signed_of(digest));
  lua_pushinteger(L, signed_of(random->seed));
  lua_call(L, 2, 0);
}

/* Checks an interval with the errors of Lua's own function, which does not know its name when it is called from here.
 */
static void check_interval(lua_State *L)
{
  const int arguments = lua_gettop(L);
  if (arguments > 2) luaL_error(L, "wrong number of arguments");
  const lua_Integer first = arguments > 0 ? luaL_checkinteger(L, 1) : 1;
  const lua_Integer low = arguments == 2 ? first : 1, high = arguments == 2 ? luaL_checkinteger(L, 2) : first;
  luaL_argcheck(L, low <= high || (arguments == 1 && high == 0), arguments, "interval is empty");
}

static int draw(lua_State *L)
{
  struct mx_random *random = random_of(L);
  check_interval(L);
  if (random->in_call && !random->drawn) begin_numbers(L, random);
  random->drawn = true;
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

static int give_seed(lua_State *L)
{
  struct mx_random *random = random_of(L);
  if (lua_isnoneornil(L, 1))
    return luaL_error(L, "math.randomseed takes a number here: without one no run could be repeated");
  const double number[] = {luaL_checknumber(L, 1), luaL_optnumber(L, 2, 0)};
  if (!random->in_call) random->seed = dg_digest(1, number, sizeof number);
  random->drawn = true;
  lua_pushvalue(L, lua_upvalueindex(3));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

void mx_random_open(lua_State *L, struct mx_random *random)
{
  static const luaL_Reg functions[] = {{"random", draw}, {"randomseed", give_seed}};
  lua_getglobal(L, LUA_MATHLIBNAME);
  lua_getfield(L, -1, "random");
  lua_getfield(L, -2, "randomseed");
  lua_pushvalue(L, -1);
  lua_pushinteger(L, 0);
  lua_call(L, 1, 0);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    lua_pushlightuserdata(L, random);
    lua_pushvalue(L, -3);
    lua_pushvalue(L, -3);
    lua_pushcclosure(L, functions[i].func, 3);
    lua_setfield(L, -4, functions[i].name);
  }
  lua_pop(L, 3);
}

void mx_random_enter(struct mx_random *random, const char *what, int inputs, const double *in)
{
  random->in_call = true;
  random->drawn = false;
  random->what = what;
  random->inputs = inputs;
  random->in = in;
}

void mx_random_leave(struct mx_random *random) { random->in_call = false; }
