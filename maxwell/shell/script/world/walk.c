/* Walks through all that values can reach. script_compare.c compares the states of threads with it; identities of runs
 * have the lasting digests of functions; pairs.c sorts keys that are objects. */
#include "maxwell/shell/script/world/walk.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdg/base/digest.h"
#include "maxwell/shell/script/world/digest.h"
#include "maxwell/shell/script/world/keys.h"
#include "maxwell/shell/script/world/names.h"

static void add(struct mx_walk *walk, const void *data, size_t bytes)
{
  walk->digest = dg_digest(walk->digest, data, bytes);
}

static void add_number(struct mx_walk *walk, lua_Integer number) { add(walk, &number, sizeof number); }

/* The number of the object on top of the stack, which is taken off. */
static void add_object(struct mx_walk *walk, bool listed)
{
  lua_State *L = walk->L;
  lua_pushvalue(L, -1);
  if (lua_rawget(L, walk->seen) == LUA_TNIL) {
    lua_pushvalue(L, -2);
    lua_pushinteger(L, ++walk->objects);
    lua_rawset(L, walk->seen);
    if (listed) lua_pushvalue(L, -2);
    else lua_pushboolean(L, 0);
    lua_rawseti(L, walk->list, walk->objects);
    add_number(walk, walk->objects);
  } else {
    add_number(walk, lua_tointeger(L, -1));
  }
  lua_pop(L, 2);
}

void mx_walk_add(struct mx_walk *walk)
{
  lua_State *L = walk->L;
  const int type = lua_type(L, -1);
  add_number(walk, type);
  switch (type) {
  case LUA_TBOOLEAN:
    add_number(walk, lua_toboolean(L, -1));
    break;
  case LUA_TNUMBER:
    add_number(walk, lua_isinteger(L, -1));
    if (lua_isinteger(L, -1)) {
      add_number(walk, lua_tointeger(L, -1));
    } else {
      const lua_Number number = lua_tonumber(L, -1);
      add(walk, &number, sizeof number);
    }
    break;
  case LUA_TSTRING: {
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    add_number(walk, (lua_Integer)length);
    add(walk, text, length);
    break;
  }
  case LUA_TTABLE:
  case LUA_TFUNCTION:
    add_object(walk, true);
    return;
  case LUA_TUSERDATA: /* Lua's own, which scripts do not see: random numbers, the standard files */
    if (walk->random) add(walk, lua_touserdata(L, -1), (size_t)lua_rawlen(L, -1));
    break;
  case LUA_TTHREAD:
    walk->certain = false;
    break;
  default: /* nil; and light userdata, which are the reader's own, another one's in every state */
    break;
  }
  lua_pop(L, 1);
}

/* ---- tables */

static int compare_digests(const void *one, const void *other)
{
  const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
  return (a > b) - (a < b);
}

/* The entries of a table whose keys have no order: by what they hold. */
static void add_others(struct mx_walk *walk, int table, size_t others)
{
  lua_State *L = walk->L;
  struct mx_lua_key key;
  size_t found = 0;
  add_number(walk, (lua_Integer)others);
  if (!walk->lasting || walk->inside > 0) { /* they may be in circles */
    walk->certain = false;
    return;
  }
  uint64_t *digest = lua_newuserdatauv(L, others * sizeof *digest, 0);
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    if (mx_lua_key_read(L, -2, &key)) continue;
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    digest[found++] = mx_walk_digest_pair(L);
  }
  qsort(digest, found, sizeof *digest, compare_digests);
  add(walk, digest, found * sizeof *digest);
}

/* Says whether the value at the index is the table `args`, which holds nothing itself. */
static bool is_args(lua_State *L, int index)
{
  if (!lua_istable(L, index) || !lua_getmetatable(L, index)) return false;
  luaL_getmetatable(L, MX_ARGS_PROXY);
  const bool same = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return same;
}

/* The table on top of the stack. */
static void visit_table(struct mx_walk *walk)
{
  lua_State *L = walk->L;
  if (walk->lasting && is_args(L, -1)) luaL_getsubtable(L, LUA_REGISTRYINDEX, MX_ARGS_VALUES);
  const int table = lua_gettop(L);
  struct mx_lua_key *key;
  size_t count, others = 0;
  if (!lua_getmetatable(L, table)) lua_pushnil(L);
  mx_walk_add(walk);
  const bool in_order = mx_lua_keys_in_order(L, table, &count); /* a block of keys would take more than a list */
  if (!in_order) count = mx_lua_keys(L, table, &key, &others);
  add_number(walk, (lua_Integer)count);
  for (size_t i = 0; i < count && !in_order; i++) {
    mx_lua_key_push(L, &key[i]);
    lua_pushvalue(L, -1);
    mx_walk_add(walk);
    lua_rawget(L, table);
    mx_walk_add(walk);
  }
  for (lua_pushnil(L); in_order && lua_next(L, table) != 0;) {
    lua_pushvalue(L, -2);
    mx_walk_add(walk);
    mx_walk_add(walk);
  }
  if (others > 0) add_others(walk, table, others);
}

/* ---- functions */

static int add_code(lua_State *L, const void *piece, size_t size, void *walk)
{
  (void)L;
  add(walk, piece, size);
  return 0;
}

/* Pushes the name of Lua's own function at the index, or nil. */
static void push_own_name(lua_State *L, int function)
{
  function = lua_absindex(L, function);
  mx_names_push(L);
  lua_pushvalue(L, function);
  lua_rawget(L, -2);
  lua_replace(L, -2);
}

/* A function in C. */
static void visit_own(struct mx_walk *walk, int function)
{
  lua_State *L = walk->L;
  const lua_CFunction address = lua_tocfunction(L, function);
  if (walk->lasting) {
    push_own_name(L, function);
    const bool known = !lua_isnil(L, -1);
    mx_walk_add(walk);
    if (known) return;
  } else {
    add(walk, &address, sizeof address);
  }
  for (int i = 1; lua_getupvalue(L, function, i) != NULL; i++) mx_walk_add(walk);
}

static int add_piece(lua_State *L, const void *piece, size_t size, void *buffer)
{
  (void)L;
  luaL_addlstring(buffer, piece, size);
  return 0;
}

/* Pushes the function's code without lines and names. */
static void push_code(lua_State *L, int function)
{
  luaL_Buffer buffer;
  const int top = lua_gettop(L);
  lua_State *writer = lua_newthread(L); /* a buffer may put something on the stack, above which lua_dump looks */
  luaL_buffinit(writer, &buffer);
  lua_pushvalue(L, function);
  (void)lua_dump(L, add_piece, &buffer, 1);
  luaL_pushresult(&buffer);
  lua_xmove(writer, L, 1);
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
}

/* The names in a function's code, as far as they are something in the tables where it may look them up. */
struct names {
  struct mx_walk *walk;
  int tables[4]; /* on the stack */
  int count;
  bool all, args, modules; /* goes through tables; reads `args`; asks for modules */
  bool files, writes;      /* opens files; says that it writes */
  bool environment;        /* reads variables of the environment */
};

/* Pushes what a table, or the tables behind it, have under the name; nil: nothing. */
static void push_named(lua_State *L, int table, const char *name, size_t length)
{
  enum { BEHIND = 8 };
  lua_pushvalue(L, table);
  for (int i = 0; i < BEHIND && lua_istable(L, -1); i++) {
    (void)lua_pushlstring(L, name, length);
    if (lua_rawget(L, -2) != LUA_TNIL) {
      lua_replace(L, -2);
      return;
    }
    lua_pop(L, 1);
    if (luaL_getmetafield(L, -1, "__index") == LUA_TNIL) break;
    lua_replace(L, -2);
  }
  lua_pop(L, 1);
  lua_pushnil(L);
}

/* Adds the contents of a regular file. False: there is none. */
static bool add_contents(struct mx_walk *walk, const char *path)
{
  char block[4096];
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
  FILE *file = fopen(path, "rbe");
  if (file == NULL) return false;
  for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;) add(walk, block, got);
  (void)fclose(file);
  return true;
}

/* Adds the file that a function may read by this name: as it stands, or from the script's folder. */
static void add_file(struct mx_walk *walk, const char *name, bool module)
{
  lua_State *L = walk->L;
  if (*name == '\0' || (!module && add_contents(walk, name)) || walk->folder == NULL) return;
  const char *path = module ? luaL_gsub(L, name, ".", "/") : name;
  (void)add_contents(walk, lua_pushfstring(L, "%s/%s%s", walk->folder, path, module ? ".lua" : ""));
  lua_pop(L, module ? 2 : 1);
}

static void look_at_name(void *context, const char *name, size_t length)
{
  struct names *names = context;
  static const char *const files[] = {"io", "dofile", "loadfile"}, *const modes[] = {"w", "wb", "w+", "ab", "a+"};
  if (strcmp(name, "pairs") == 0 || strcmp(name, "next") == 0) names->all = true;
  if (strcmp(name, "args") == 0) names->args = true;
  if (strcmp(name, "require") == 0) names->modules = true;
  if (strcmp(name, "getenv") == 0) names->environment = true;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) names->files = names->files || strcmp(name, files[i]) == 0;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    names->writes = names->writes || strcmp(name, modes[i]) == 0;
  (void)length;
}

static void add_name(void *context, const char *name, size_t length)
{
  const struct names *names = context;
  lua_State *L = names->walk->L;
  if (names->files && !names->writes) add_file(names->walk, name, false);
  const char *variable = names->environment ? getenv(name) : NULL;
  if (variable != NULL) add(names->walk, variable, strlen(variable));
  if (names->modules) add_file(names->walk, name, true); /* it may not have been loaded yet */
  for (int i = 0; i < names->count; i++) {
    push_named(L, names->tables[i], name, length);
    const bool none = lua_isnil(L, -1), whole = lua_rawequal(L, -1, names->tables[0]) && !names->all;
    if (none || whole || (is_args(L, -1) && !names->all)) { /* of _G and of args what is named counts */
      lua_pop(L, 1);
      continue;
    }
    add(names->walk, name, length);
    mx_walk_add(names->walk);
  }
}

/* The function's variables from outside; the table of its globals goes to the names. */
static void add_variables(struct mx_walk *walk, int function, struct names *names)
{
  lua_State *L = walk->L;
  const char *name;
  for (int i = 1; (name = lua_getupvalue(L, function, i)) != NULL; i++) {
    if (walk->lasting && names->count == 0 && strcmp(name, "_ENV") == 0 && lua_istable(L, -1)) {
      names->tables[names->count++] = lua_gettop(L); /* it stays there */
      continue;
    }
    if (walk->lasting && is_args(L, -1)) {
      names->args = true;
      lua_pop(L, 1);
    } else {
      mx_walk_add(walk);
    }
    lua_pushlightuserdata(L, lua_upvalueid(L, function, i)); /* functions may share it */
    add_object(walk, false);
  }
}

/* The tables, beside that of globals, in which the function's names may be something. */
static void add_other_tables(struct names *names)
{
  lua_State *L = names->walk->L;
  if (names->args) {
    luaL_getsubtable(L, LUA_REGISTRYINDEX, MX_ARGS_VALUES);
    names->tables[names->count++] = lua_gettop(L);
  }
  if (names->modules) {
    mx_names_push_modules(L);
    names->tables[names->count++] = lua_gettop(L);
  }
  lua_pushglobaltable(L);
  lua_pushliteral(L, LUA_STRLIBNAME);
  if (lua_rawget(L, -2) == LUA_TTABLE) names->tables[names->count++] = lua_gettop(L); /* its methods */
}

/* The function on top of the stack. */
static void visit_function(struct mx_walk *walk)
{
  lua_State *L = walk->L;
  const int function = lua_gettop(L);
  struct names names = {.walk = walk};
  size_t size;
  if (lua_iscfunction(L, function)) {
    visit_own(walk, function);
    return;
  }
  if (!walk->lasting) {
    (void)lua_dump(L, add_code, walk, 0);
    add_variables(walk, function, &names);
    return;
  }
  push_code(L, function);
  const char *code = lua_tolstring(L, -1, &size);
  const uint64_t digest = mx_code_digest(code, size, look_at_name, &names);
  add(walk, &digest, sizeof digest);
  add_variables(walk, function, &names);
  add_other_tables(&names);
  (void)mx_code_digest(code, size, add_name, &names);
}

/* ---- walks */

void mx_walk_begin(struct mx_walk *walk)
{
  walk->digest = 0;
  walk->objects = 0;
  walk->certain = true;
  luaL_checkstack(walk->L, 32, NULL);
  lua_newtable(walk->L);
  walk->seen = lua_gettop(walk->L);
  lua_newtable(walk->L);
  walk->list = walk->seen + 1;
}

void mx_walk_end(struct mx_walk *walk)
{
  lua_State *L = walk->L;
  for (lua_Integer i = 1; i <= walk->objects; i++) {
    lua_rawgeti(L, walk->list, i);
    if (lua_istable(L, -1)) visit_table(walk);
    else if (lua_isfunction(L, -1)) visit_function(walk);
    lua_settop(L, walk->list);
  }
  lua_settop(L, walk->seen - 1);
}

static uint64_t digest_values(lua_State *L, const char *folder, int values, int inside)
{
  struct mx_walk walk = {.L = L, .lasting = true, .folder = folder, .inside = inside};
  const int first = lua_gettop(L) - values + 1;
  mx_walk_begin(&walk);
  for (int i = 0; i < values; i++) {
    lua_pushvalue(L, first + i);
    mx_walk_add(&walk);
  }
  mx_walk_end(&walk);
  lua_pop(L, values);
  return walk.digest;
}

uint64_t mx_walk_digest(lua_State *L, const char *folder) { return digest_values(L, folder, 1, 0); }

uint64_t mx_walk_digest_pair(lua_State *L) { return digest_values(L, NULL, 2, 1); }
