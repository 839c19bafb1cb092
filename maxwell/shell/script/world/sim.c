/* Shows results to a hook; see sim.h. script_hook.c pushes what a hook gets as its argument. */
#include "maxwell/shell/script/world/sim.h"

#include <stdbool.h>
#include <string.h>

#include <lauxlib.h>

#include "libdg/base/text.h"
#include "maxwell/shell/script/world/column.h"

#define HOLDER "curlew.sim"      /* registry key of the holder */
#define STORES "curlew.results"  /* registry key: what was read of tables, by the number of the result */
#define VIEW   "curlew.sim.view" /* registry key of the metatable */

/* The call under way, if there is one; views of earlier calls have another serial. */
struct mx_sim_holder {
  struct mx_sim *sim;
  unsigned long serial;
};

enum kind { SIM, LIST, RECORD };

struct view {
  enum kind kind;
  unsigned long serial;
  size_t index; /* RECORD: number of the result; LIST: number of its first result */
};

/* What was read of a table. Its user values: names by place and places by name; the storage of columns; lists of words
 * of columns that are no numbers. */
struct store {
  size_t columns, rows, room;
  long end;             /* bytes of the file */
  unsigned long serial; /* of the call that has read it last */
  bool live;            /* what there was so far, which the next call does not add to */
};
enum { NAMES = 1, BUFFERS, WORDS };

static int leave(lua_State *L, struct mx_sim *sim)
{
  lua_pushlightuserdata(L, sim);
  return lua_error(L);
}

/* ---- tables that grow ---- */

/* Makes an empty store on top of the stack. */
static struct store *new_store(lua_State *L)
{
  struct store *store = lua_newuserdatauv(L, sizeof *store, 3);
  *store = (struct store){0};
  for (int i = NAMES; i <= WORDS; i++) {
    lua_newtable(L);
    lua_setiuservalue(L, -2, i);
  }
  return store;
}

/* Makes room for rows in every column of the store at the index. The old storage stays as it is: columns that the
 * script has may lie in it. */
static void make_room(lua_State *L, int index, struct store *store, size_t rows)
{
  enum { LEAST = 64 };
  if (store->rows + rows <= store->room) return;
  size_t room = 2 * store->room > LEAST ? 2 * store->room : LEAST;
  if (room < store->rows + rows) room = store->rows + rows;
  lua_getiuservalue(L, index, BUFFERS);
  for (size_t c = 1; c <= store->columns; c++) {
    double *to = lua_newuserdatauv(L, room * sizeof *to, 0);
    lua_rawgeti(L, -2, (lua_Integer)c);
    if (store->rows > 0) memcpy(to, lua_touserdata(L, -1), store->rows * sizeof *to);
    lua_pop(L, 1);
    lua_rawseti(L, -2, (lua_Integer)c);
  }
  lua_pop(L, 1);
  store->room = room;
}

static void take_names(lua_State *L, int index, struct store *store, const struct mx_table *table)
{
  store->columns = table->columns;
  lua_getiuservalue(L, index, NAMES);
  for (size_t c = 0; c < table->columns; c++) {
    lua_pushstring(L, table->name[c]);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, (lua_Integer)c + 1);
    lua_pushinteger(L, (lua_Integer)c + 1);
    lua_rawset(L, -3);
  }
  lua_pop(L, 1);
}

/* A column with words becomes a list. Such tables are written at once. */
static void take_words(lua_State *L, int index, const struct mx_table *table, size_t c)
{
  lua_getiuservalue(L, index, WORDS);
  lua_createtable(L, (int)table->rows, 0);
  for (size_t row = 0; row < table->rows; row++) {
    lua_pushstring(L, table->cell[row * table->columns + c]);
    lua_rawseti(L, -2, (lua_Integer)row + 1);
  }
  lua_rawseti(L, -2, (lua_Integer)c + 1);
  lua_pop(L, 1);
}

static void take_rows(lua_State *L, int index, struct store *store, const struct mx_table *table)
{
  make_room(L, index, store, table->rows);
  lua_getiuservalue(L, index, BUFFERS);
  for (size_t c = 0; c < store->columns; c++) {
    if (lua_rawgeti(L, -1, (lua_Integer)c + 1) == LUA_TUSERDATA) {
      double *const to = (double *)lua_touserdata(L, -1) + store->rows;
      for (size_t row = 0; row < table->rows; row++) to[row] = table->value[row * store->columns + c];
    }
    lua_pop(L, 1);
    if (table->words[c] && store->rows == 0) take_words(L, index, table, c);
  }
  lua_pop(L, 1);
  store->rows += table->rows;
}

/* Pushes the store of a result as the last call has left it; an empty one the first time, and where it was live. */
static struct store *push_last_store(lua_State *L, const struct mx_sim *sim, size_t result)
{
  luaL_getsubtable(L, LUA_REGISTRYINDEX, STORES);
  const bool found = lua_rawgeti(L, -1, (lua_Integer)result + 1) == LUA_TUSERDATA;
  struct store *store = lua_touserdata(L, -1);
  if (!found || (store->live && store->serial != sim->holder->serial)) {
    lua_pop(L, 1);
    store = new_store(L);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, (lua_Integer)result + 1);
  }
  lua_remove(L, -2);
  return store;
}

/* Pushes the store of a result with all that there is now. */
static struct store *push_store(lua_State *L, struct mx_sim *sim, size_t result)
{
  const struct mx_results *results = sim->results;
  struct store *store = push_last_store(L, sim, result);
  const int index = lua_gettop(L);
  if (store->serial == sim->holder->serial) return store;
  store->live = results->result[result].live && !results->ended;
  mx_table_release(&sim->table);
  sim->table = (struct mx_table){.end = store->end, .columns = store->columns};
  if ((store->live ? results->fetch(results->self, result, &sim->table, sim->err)
                   : mx_table_read(&sim->table, results->result[result].path, sim->err)) != 0)
    leave(L, sim);
  if (store->columns == 0) take_names(L, index, store, &sim->table);
  take_rows(L, index, store, &sim->table);
  store->end = sim->table.end;
  store->serial = sim->holder->serial;
  mx_table_release(&sim->table);
  return store;
}

/* Pushes column c of the store at the index. */
static void push_column(lua_State *L, int index, const struct store *store, lua_Integer c)
{
  const int top = lua_gettop(L);
  lua_getiuservalue(L, index, WORDS);
  if (lua_rawgeti(L, -1, c) == LUA_TTABLE) { /* a list of its own for the script, which may change it */
    lua_newtable(L);
    for (size_t row = 1; row <= store->rows; row++) {
      lua_rawgeti(L, -2, (lua_Integer)row);
      lua_rawseti(L, -2, (lua_Integer)row);
    }
  } else {
    lua_getiuservalue(L, index, BUFFERS);
    if (lua_rawgeti(L, -1, c) != LUA_TUSERDATA) { /* no row has come yet */
      lua_pop(L, 1);
      (void)lua_newuserdatauv(L, 0, 0);
    }
    mx_column_push(L, -1, lua_touserdata(L, -1), store->rows);
  }
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
}

/* Pushes the last row of the store at the index as a table of names and values, or nil. */
static void push_last(lua_State *L, int index, const struct store *store)
{
  const int top = lua_gettop(L);
  lua_pushnil(L);
  if (store->rows == 0) return;
  lua_newtable(L);
  lua_replace(L, top + 1);
  lua_getiuservalue(L, index, NAMES);
  lua_getiuservalue(L, index, BUFFERS);
  lua_getiuservalue(L, index, WORDS);
  for (lua_Integer c = 1; c <= (lua_Integer)store->columns; c++) {
    lua_rawgeti(L, top + 2, c);
    if (lua_rawgeti(L, top + 4, c) == LUA_TTABLE) {
      lua_rawgeti(L, -1, (lua_Integer)store->rows);
    } else {
      lua_rawgeti(L, top + 3, c);
      lua_pushnumber(L, ((const double *)lua_touserdata(L, -1))[store->rows - 1]);
    }
    lua_replace(L, top + 6);
    lua_settop(L, top + 6);
    lua_rawset(L, top + 1);
  }
  lua_settop(L, top + 1);
}

/* ---- names ---- */

static bool same(const char *one, const char *other)
{
  return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/* Says whether the results have this one now. */
static bool is_known(const struct mx_results *results, size_t i)
{
  return results->ended || !results->result[i].at_end || results->result[i].live;
}

/* Says whether result k is a child of the view, and what it is called there; is_list: it stands for a list. */
static const char *child_of(const struct mx_results *results, const struct view *view, size_t k, bool *is_list)
{
  const struct mx_result *result = &results->result[k], *own = &results->result[view->index];
  *is_list = view->kind == SIM && result->list != NULL;
  switch (view->kind) {
  case SIM:
    return result->list != NULL ? result->list : result->part == NULL ? result->name : NULL;
  case LIST:
    return same(result->list, own->list) && result->part == NULL ? result->name : NULL;
  default:
    return own->part == NULL && same(result->list, own->list) && same(result->name, own->name) ? result->part : NULL;
  }
}

static const char *const scalars[] = {"time", "step", "steps", "ended", "stop_reason", "stop"};
enum { SCALARS = sizeof scalars / sizeof *scalars };

/* Pushes a list of the names that a view has, each once, in order. A record's own columns come first. */
static void push_names(lua_State *L, struct mx_sim *sim, const struct view *view)
{
  const struct mx_results *results = sim->results;
  lua_Integer count = 0;
  const char *before = NULL;
  lua_newtable(L);
  const int names = lua_gettop(L);
  for (size_t i = 0; view->kind == SIM && i + 1 < SCALARS; i++) {
    lua_pushstring(L, scalars[i]);
    lua_rawseti(L, names, ++count);
  }
  if (view->kind == RECORD) {
    const struct store *store = push_store(L, sim, view->index);
    lua_getiuservalue(L, -1, NAMES);
    for (lua_Integer c = 1; c <= (lua_Integer)store->columns; c++) {
      lua_rawgeti(L, -1, c);
      lua_rawseti(L, names, ++count);
    }
    lua_settop(L, names);
  }
  for (size_t k = 0; k < results->count; k++) {
    bool is_list;
    const char *name = child_of(results, view, k, &is_list);
    if (name == NULL || same(name, before) || !is_known(results, k)) continue;
    lua_pushstring(L, name);
    lua_rawseti(L, names, ++count);
    before = name;
  }
}

/* Writes the name of the view: "sim.probes.centre". */
static void describe(const struct mx_sim *sim, const struct view *view, char *text, size_t size)
{
  const struct mx_result *result = &sim->results->result[view->index];
  const bool record = view->kind == RECORD, list = view->kind != SIM && result->list != NULL;
  const bool part = record && result->part != NULL;
  (void)snprintf(text, size, "sim%s%.60s%s%.100s%s%.60s", list ? "." : "", list ? result->list : "", record ? "." : "",
                 record ? result->name : "", part ? "." : "", part ? result->part : "");
}

/* Fails about a name that the view lacks. */
static int fail_name(lua_State *L, struct mx_sim *sim, const struct view *view, const char *key)
{
  char own[300];
  describe(sim, view, own, sizeof own);
  push_names(L, sim, view);
  const size_t count = (size_t)lua_rawlen(L, -1);
  const char **names = lua_newuserdatauv(L, (count + 1) * sizeof *names, 0);
  luaL_Buffer all;
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, -2, (lua_Integer)i + 1);
    names[i] = lua_tostring(L, -1);
    lua_pop(L, 1); /* the list holds it */
  }
  const int nearest = dg_nearest(key, names, count);
  if (nearest >= 0) return luaL_error(L, "%s has no '%s' (nearest: '%s')", own, key, names[nearest]);
  luaL_buffinit(L, &all);
  for (size_t i = 0; i < count && i < 20; i++) {
    luaL_addstring(&all, i > 0 ? ", " : "");
    luaL_addstring(&all, names[i]);
  }
  luaL_pushresult(&all);
  return luaL_error(L, "%s has no '%s'; it has %s", own, key, lua_tostring(L, -1));
}

/* ---- views ---- */

static struct mx_sim_holder *holder_of(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

static struct mx_sim *sim_of(lua_State *L, const struct view *view)
{
  const struct mx_sim_holder *holder = holder_of(L);
  if (holder->sim == NULL || holder->serial != view->serial)
    luaL_error(L, "sim is used after the call that it was given to");
  return holder->sim;
}

static void push_view(lua_State *L, const struct mx_sim *sim, enum kind kind, size_t index)
{
  struct view *view = lua_newuserdatauv(L, sizeof *view, 0);
  *view = (struct view){kind, sim->holder->serial, index};
  luaL_setmetatable(L, VIEW);
}

/* sim.stop(why), or sim:stop(why). */
static int stop(lua_State *L)
{
  struct mx_sim *sim = holder_of(L)->sim;
  if (sim == NULL) return luaL_error(L, "sim is used after the call that it was given to");
  const int argument = luaL_testudata(L, 1, VIEW) != NULL ? 2 : 1;
  if (lua_type(L, argument) != LUA_TSTRING)
    return luaL_error(L, "sim.stop takes the reason, as in sim.stop(\"the probe has gone quiet\")");
  size_t length;
  const char *why = lua_tolstring(L, argument, &length);
  if (length == 0 || length >= MX_WHY || strlen(why) != length || strpbrk(why, "\n\r\t") != NULL)
    return luaL_error(L, "sim.stop takes the reason in one line of 1 to %d characters", MX_WHY - 1);
  if (sim->results->ended) return luaL_error(L, "sim.stop: the run is over");
  sim->verdict->stop = true;
  memcpy(sim->verdict->why, why, length + 1);
  return 0;
}

/* Pushes one of the scalars. */
static bool push_scalar(lua_State *L, const struct mx_sim *sim, const char *key)
{
  const struct mx_results *results = sim->results;
  if (strcmp(key, "time") == 0) lua_pushnumber(L, results->time);
  else if (strcmp(key, "step") == 0) lua_pushinteger(L, results->step);
  else if (strcmp(key, "steps") == 0) lua_pushinteger(L, results->steps);
  else if (strcmp(key, "ended") == 0) lua_pushboolean(L, results->ended);
  else if (strcmp(key, "stop_reason") == 0) lua_pushstring(L, results->stop_reason); /* nil for NULL */
  else return false;
  return true;
}

/* Pushes the child of a view that results make. False: there is none. */
static bool push_child(lua_State *L, struct mx_sim *sim, const struct view *view, const char *key)
{
  const struct mx_results *results = sim->results;
  for (size_t k = 0; k < results->count; k++) {
    bool is_list;
    const char *name = child_of(results, view, k, &is_list);
    if (name == NULL || strcmp(name, key) != 0) continue;
    if (!is_known(results, k)) {
      char own[300];
      describe(sim, view, own, sizeof own);
      luaL_error(L, "%s.%s is known at the end of the run only: look at it in on.done", own, key);
    }
    if (results->result[k].may_lack && !results->result[k].there) lua_pushnil(L);
    else push_view(L, sim, is_list ? LIST : RECORD, k);
    return true;
  }
  return false;
}

/* __index of views: (view, key). */
static int read_view(lua_State *L)
{
  const struct view *view = luaL_checkudata(L, 1, VIEW);
  struct mx_sim *sim = sim_of(L, view);
  if (lua_type(L, 2) != LUA_TSTRING) {
    char own[300];
    describe(sim, view, own, sizeof own);
    return luaL_error(L, "%s has names, as in %s.%s", own, own, view->kind == RECORD ? "time" : "probes");
  }
  const char *key = lua_tostring(L, 2);
  if (view->kind == SIM && strcmp(key, "stop") == 0) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, stop, 1);
    return 1;
  }
  if (view->kind == SIM && push_scalar(L, sim, key)) return 1;
  if (view->kind == RECORD) {
    const struct store *store = push_store(L, sim, view->index);
    const int index = lua_gettop(L);
    lua_getiuservalue(L, index, NAMES);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, -2) == LUA_TNUMBER) {
      push_column(L, index, store, lua_tointeger(L, -1));
      return 1;
    }
    if (strcmp(key, "last") == 0) {
      push_last(L, index, store);
      return 1;
    }
  }
  return push_child(L, sim, view, key) ? 1 : fail_name(L, sim, view, key);
}

/* The iterator of pairs. Upvalues: names, how many were given, the view. */
static int next_name(lua_State *L)
{
  const lua_Integer next = lua_tointeger(L, lua_upvalueindex(2)) + 1;
  if (lua_rawgeti(L, lua_upvalueindex(1), next) == LUA_TNIL) return 1;
  lua_pushinteger(L, next);
  lua_replace(L, lua_upvalueindex(2));
  lua_pushvalue(L, -1);
  lua_gettable(L, lua_upvalueindex(3));
  return 2;
}

static int all_names(lua_State *L)
{
  const struct view *view = luaL_checkudata(L, 1, VIEW);
  push_names(L, sim_of(L, view), view);
  lua_pushinteger(L, 0);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, next_name, 3);
  return 1;
}

static int refuse(lua_State *L) { return luaL_error(L, "results cannot be changed"); }

/* ---- a call ---- */

static struct mx_sim_holder *find_holder(lua_State *L)
{
  static const luaL_Reg methods[] = {
      {"__index", read_view}, {"__pairs", all_names}, {"__newindex", refuse}, {NULL, NULL}};
  if (lua_getfield(L, LUA_REGISTRYINDEX, HOLDER) == LUA_TUSERDATA) {
    struct mx_sim_holder *found = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return found;
  }
  lua_pop(L, 1);
  luaL_newmetatable(L, VIEW);
  struct mx_sim_holder *holder = lua_newuserdatauv(L, sizeof *holder, 0);
  *holder = (struct mx_sim_holder){0};
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, HOLDER);
  luaL_setfuncs(L, methods, 1);
  lua_pushliteral(L, "sim");
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
  return holder;
}

void mx_sim_push(lua_State *L, struct mx_sim *sim)
{
  sim->holder = find_holder(L);
  sim->holder->sim = sim;
  sim->holder->serial++;
  push_view(L, sim, SIM, 0);
}

void mx_sim_end(struct mx_sim *sim)
{
  if (sim->holder != NULL) sim->holder->sim = NULL;
  mx_table_release(&sim->table);
}
