#include "maxwell/script.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "libdg/base/memory.h"
#include "libdg/base/text.h"
#include "maxwell/script_digest.h"
#include "maxwell/script_input.h"
#include "maxwell/script_library.h"
#include "maxwell/script_lines.h"
#include "maxwell/script_tree.h"
#include "maxwell/script_watch.h"

#ifndef CURLEW_SHARE_DIR
#define CURLEW_SHARE_DIR "share"
#endif
#ifndef CURLEW_INSTALL_SHARE_DIR
#define CURLEW_INSTALL_SHARE_DIR "/usr/local/share/curlew"
#endif

#define HANDLER    1          /* stack index where the message handler always lies */
#define DEPTH_MAX  32         /* of nested tables; the deepest key there is has 5 */
#define VALUES_MAX 1000000    /* of the simulation table: tables that hold each other many times are small in Lua */
#define WAVEFORM   "waveform" /* registry key of the metatable of what waveform.* make */

struct mx_script {
  lua_State *L;
  struct dg_error memory_error; /* of the first allocation of Lua's that failed */
  size_t bytes, bytes_max;      /* that Lua has, and may have */
  double seconds;               /* that a call may take */
  struct mx_watch *watch;
  volatile sig_atomic_t stop;  /* enum mx_watch_reason: why the call must end */
  volatile sig_atomic_t asked; /* how often it was told */
  char *last_words;            /* when it does not listen */
  char stop_place[LUA_IDSIZE + 16];
  struct mx_library library;
  struct mx_random random;
  struct mx_arena arena;
  struct mx_lines lines;
  char *path, *chunk_name; /* "cavity.lua", "@cavity.lua" */
  struct mx_value root;
  struct load *load; /* while mx_script_load runs */
};

/* What runs inside the protected call of mx_script_load. Lua's errors jump out of it: whatever it allocates hangs on
 * the script before anything of Lua's is called. */
struct load {
  struct mx_script *script;
  size_t args, sets;
  const struct mx_definition *arg, *set;
  struct dg_error *err;
  int table;         /* registry reference of the simulation table, LUA_NOREF before the call */
  int line;          /* of the call */
  char *other_file;  /* that called simulation instead of the script itself (dofile), or NULL */
  char *set_where;   /* "--set a=b" while its value is converted, else NULL */
  const char *input; /* text of the script */
  size_t values;     /* that were converted */
};

/* Once the system is out of memory, always: Lua would otherwise collect garbage and ask again, and whether a run
 * survives would depend on what else the machine does. The script's own limit it meets in the same place every time.
 * Shrinking must not fail, so it is done in place; what counts is the block and not what Lua uses of it. */
static void *allocate(void *user, void *block, size_t old_size, size_t new_size)
{
  struct mx_script *script = user;
  size_t had = dg_block_size(block);
  (void)old_size;
  if (new_size == 0) {
    script->bytes -= had;
    dg_free(block);
    return NULL;
  }
  if (block != NULL && new_size <= had) return block;
  if (script->memory_error.code != DG_OK || new_size - had > script->bytes_max - script->bytes) return NULL;
  if (dg_grow(&block, new_size, 1, &script->memory_error) != 0) return NULL;
  script->bytes += new_size - had;
  return block;
}

/* Leaves the protected call with the error that is in load->err. */
static void leave(lua_State *L, struct load *load)
{
  lua_pushlightuserdata(L, load);
  lua_error(L);
}

static void check(lua_State *L, struct load *load, int code)
{
  if (code != 0) leave(L, load);
}

/* status: of lua_pcall */
static int fail_script(struct mx_script *script, int status, struct dg_error *err)
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

static int find_caller(lua_State *L, lua_Debug *caller) { return find_lines(L, 1, caller); }

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
static void ask_to_end(void *context, enum mx_watch_reason why)
{
  enum { PATIENCE = 100 };
  struct mx_script *script = context;
  script->stop = why;
  script->asked = script->asked + 1;
  if (script->asked > PATIENCE) {
    (void)!write(STDERR_FILENO, script->last_words, strlen(script->last_words));
    _exit(why == MX_WATCH_INTERRUPTED ? DG_INTERRUPTED : DG_INPUT);
  }
  lua_sethook(script->L, end_call, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

/* lua_pcall under the watch; the function and its arguments are on the stack. */
static int call_watched(struct mx_script *script, int arguments, int results)
{
  script->stop = MX_WATCH_NONE;
  script->asked = 0;
  script->stop_place[0] = '\0';
  mx_watch_enter(script->watch);
  int status = lua_pcall(script->L, arguments, results, HANDLER);
  mx_watch_leave(script->watch);
  if (script->stop == MX_WATCH_NONE) return status;
  lua_sethook(script->L, NULL, 0, 0);
  if (script->stop_place[0] == '\0')
    snprintf(script->stop_place, sizeof script->stop_place, "%s", script->chunk_name + 1);
  return status != LUA_OK ? status : LUA_ERRRUN; /* the script caught the error and was at its end */
}

/* No traceback: one line with a position, whatever was thrown. */
static int message_handler(lua_State *L)
{
  lua_Debug caller;
  if (lua_islightuserdata(L, 1)) return 1; /* ours */
  if (!lua_isstring(L, 1) && !luaL_callmeta(L, 1, "__tostring"))
    lua_pushfstring(L, "the error is a %s value, not a message", luaL_typename(L, 1));
  const char *message = lua_tostring(L, -1);
  if (message == NULL) message = "unknown error";
  if (!mx_input_has_position(message) && find_caller(L, &caller))
    lua_pushfstring(L, "%s:%d: %s", caller.short_src, caller.currentline, message);
  return 1;
}

/* The key of a table that is nearest to the name, or NULL. The names stay on the stack. */
static const char *find_nearest(lua_State *L, int table, const char *name)
{
  size_t count = 0, room = 0;
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) room++;
  const char **names = lua_newuserdatauv(L, (room + 1) * sizeof *names, 0);
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING && count < room) names[count++] = lua_tostring(L, -2);
  int nearest = dg_nearest(name, names, count);
  return nearest < 0 ? NULL : names[nearest];
}

/* __index of the tables of global names: (table, key). */
static int undefined_name(lua_State *L)
{
  if (lua_type(L, 2) != LUA_TSTRING) return luaL_error(L, "undefined name '%s'", luaL_tolstring(L, 2, NULL));
  const char *name = lua_tostring(L, 2), *nearest = find_nearest(L, 1, name);
  if (nearest == NULL) return luaL_error(L, "undefined name '%s'", name);
  return luaL_error(L, "undefined name '%s' (nearest: %s)", name, nearest);
}

/* nearest(name, table) of the prelude. */
static int nearest_name(lua_State *L)
{
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_pushstring(L, find_nearest(L, 2, luaL_checkstring(L, 1))); /* nil for NULL */
  return 1;
}

static void make_strict(lua_State *L) /* the table on top */
{
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, undefined_name);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

/* The global function `simulation`: remembers its table and where it was called. */
static int simulation(lua_State *L)
{
  struct mx_script *script = lua_touserdata(L, lua_upvalueindex(1));
  struct load *load = script->load;
  if (load == NULL) return luaL_error(L, "simulation { } is called after the script has ended");
  if (load->table != LUA_NOREF)
    return luaL_error(L, "simulation { } is called a second time; the first call is in line %d", load->line);
  if (lua_gettop(L) != 1 || !lua_istable(L, 1))
    return luaL_error(L, "simulation takes one table, as in simulation { order = 3 }");
  lua_Debug caller;
  if (find_caller(L, &caller)) {
    load->line = caller.currentline;
    if (strcmp(caller.source, script->chunk_name) != 0)
      check(L, load, mx_arena_format(&script->arena, &load->other_file, load->err, "%s", caller.short_src));
  }
  load->table = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

/* Pushes the text as a number, true, false or nil. */
static int push_plain(lua_State *L, const char *text)
{
  if (lua_stringtonumber(L, text) != 0) return 1;
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) lua_pushboolean(L, *text == 't');
  else if (strcmp(text, "nil") == 0) lua_pushnil(L);
  else return 0;
  return 1;
}

/* The table `args` from the command line. */
static void set_args(lua_State *L, struct load *load)
{
  lua_newtable(L);
  for (size_t i = 0; i < load->args; i++) {
    check(L, load, mx_input_check("-D", load->arg, i, "-D length=0.1", load->err));
    const char *name = load->arg[i].name, *value = load->arg[i].value;
    if (!mx_input_is_identifier(name))
      check(L, load,
            dg_fail(load->err, DG_INPUT, "-D %s=%s: '%s' is not a name (letters, digits and _)", name, value, name));
    if (strcmp(value, "nil") == 0 || !push_plain(L, value)) lua_pushstring(L, value);
    lua_setfield(L, -2, name);
  }
  lua_setglobal(L, "args");
}

static void load_text(lua_State *L, const char *text, const char *chunk_name)
{
  if (luaL_loadbufferx(L, text, strlen(text), chunk_name, "t") != LUA_OK) lua_error(L);
}

/* Curlew's share folder: the first that has the prelude, else the first. */
static int find_share(struct mx_script *script, struct dg_error *err)
{
  const char *given = getenv("CURLEW_SHARE"), *const folders[] = {CURLEW_SHARE_DIR, CURLEW_INSTALL_SHARE_DIR};
  char *path, *found;
  if (mx_arena_format(&script->arena, &path, err, "%s/lua/prelude.lua", folders[0]) != 0) return err->code;
  if (given == NULL) given = folders[access(path, F_OK) != 0];
  if (mx_arena_format(&script->arena, &found, err, "%s", given) != 0) return err->code;
  script->library.share = found;
  return 0;
}

/* Runs the share folder's lua/NAME. It is given nearest(), the metatable of waveforms, the folder of the script, and
 * io.open, which the script itself may not have. */
static void run_shared(lua_State *L, struct load *load, const char *name)
{
  struct mx_script *script = load->script;
  char *path, *chunk_name, *text;
  check(L, load, mx_arena_format(&script->arena, &path, load->err, "%s/lua/%s", script->library.share, name));
  if (access(path, F_OK) != 0) {
    dg_fail(load->err, DG_ENVIRONMENT, "lua/%s was not found in '%s'%s", name, script->library.share,
            getenv("CURLEW_SHARE") != NULL ? " (from CURLEW_SHARE)"
                                           : " or '" CURLEW_SHARE_DIR "'; set CURLEW_SHARE to Curlew's share folder");
    leave(L, load);
  }
  check(L, load, mx_input_file(&script->arena, path, &text, load->err));
  check(L, load, mx_arena_format(&script->arena, &chunk_name, load->err, "@%s", path));
  load_text(L, text, chunk_name);
  const char *slash = strrchr(script->path, '/');
  lua_pushcfunction(L, nearest_name);
  luaL_newmetatable(L, WAVEFORM);
  lua_pushlstring(L, script->path, slash == NULL ? 0 : (size_t)(slash + 1 - script->path));
  mx_library_push_open(L);
  lua_call(L, 4, 0);
}

/* The tables around the one being converted, to find cycles. */
struct ancestor {
  const struct ancestor *parent;
  const void *table;
  int depth;
  bool is_waveform;
};

static void convert(lua_State *L, struct load *load, struct mx_value *value, const struct ancestor *parent);

static void read_key(lua_State *L, struct load *load, int index, const struct mx_value *table, struct mx_key *key)
{
  const char *owner = *table->path == '\0' ? "simulation" : table->path;
  if (lua_isinteger(L, index)) {
    key->integer = lua_tointeger(L, index);
    return;
  }
  if (lua_type(L, index) != LUA_TSTRING) {
    dg_fail(load->err, DG_INPUT, "%s: a key of %s is a %s; keys are names or integers", table->where, owner,
            lua_type(L, index) == LUA_TNUMBER ? "fractional number" : luaL_typename(L, index));
    leave(L, load);
  }
  size_t length;
  const char *name = lua_tolstring(L, index, &length);
  if (strlen(name) != length)
    check(L, load, dg_fail(load->err, DG_INPUT, "%s: a key of %s has a zero byte", table->where, owner));
  check(L, load, mx_arena_format(&load->script->arena, &key->name, load->err, "%s", name));
}

static void check_nesting(lua_State *L, struct load *load, const struct mx_value *value, const struct ancestor *self)
{
  const char *name = *value->path == '\0' ? "simulation" : value->path;
  for (const struct ancestor *a = self->parent; a != NULL; a = a->parent)
    if (a->table == self->table)
      check(L, load, dg_fail(load->err, DG_INPUT, "%s: the table %s contains itself", value->where, name));
  if (self->depth > DEPTH_MAX || !lua_checkstack(L, 8))
    check(L, load, dg_fail(load->err, DG_INPUT, "%s: tables are nested more than %d deep", value->where, DEPTH_MAX));
  if (!self->is_waveform && lua_getmetatable(L, -1))
    check(L, load,
          dg_fail(load->err, DG_INPUT, "%s: %s has a metatable; only plain tables can be read", value->where, name));
}

/* Whether the table on top of the stack was made by waveform.*: nobody else has its metatable. */
static bool is_waveform(lua_State *L)
{
  if (!lua_getmetatable(L, -1)) return false;
  luaL_getmetatable(L, WAVEFORM);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

/* The times or values of a waveform: there may be many, so they share the origin and path of their list. */
static void convert_samples(lua_State *L, struct load *load, struct mx_value *value)
{
  size_t count = (size_t)lua_rawlen(L, -1);
  value->type = MX_TABLE;
  check(L, load, mx_arena_alloc(&load->script->arena, &value->entry, count, sizeof *value->entry, load->err));
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

/* The table on top of the stack. */
static void convert_table(lua_State *L, struct load *load, struct mx_value *value, const struct ancestor *parent)
{
  struct mx_arena *arena = &load->script->arena;
  struct ancestor self = {parent, lua_topointer(L, -1), parent == NULL ? 1 : parent->depth + 1, is_waveform(L)};
  size_t count = 0;
  value->type = MX_TABLE;
  value->is_waveform = self.is_waveform;
  check_nesting(L, load, value, &self);
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) count++;
  check(L, load, mx_arena_alloc(arena, &value->entry, count, sizeof *value->entry, load->err));
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1))
    read_key(L, load, lua_absindex(L, -2), value, &value->entry[value->count++].key);
  mx_tree_sort(value);
  for (size_t i = 0; i < count; i++) {
    struct mx_entry *entry = &value->entry[i];
    check(L, load, mx_tree_path(arena, value->path, &entry->key, &entry->value.path, load->err));
    if (entry->key.name != NULL) lua_pushstring(L, entry->key.name);
    else lua_pushinteger(L, entry->key.integer);
    lua_rawget(L, -2);
    convert(L, load, &entry->value, &self);
    lua_pop(L, 1);
  }
}

static void set_origin(lua_State *L, struct load *load, struct mx_value *value)
{
  struct mx_script *script = load->script;
  if (load->set_where != NULL) {
    value->where = load->set_where;
    return;
  }
  value->line = mx_lines_find(&script->lines, value->path);
  check(L, load,
        mx_arena_format(&script->arena, &value->where, load->err, "%s:%d",
                        load->other_file != NULL ? load->other_file : script->path, value->line));
}

/* The value on top of the stack, which stays there; value->path is set. */
static void convert(lua_State *L, struct load *load, struct mx_value *value, const struct ancestor *parent)
{
  set_origin(L, load, value);
  if (++load->values > VALUES_MAX)
    check(L, load, dg_fail(load->err, DG_INPUT, "%s: the table holds more than %d values", value->where, VALUES_MAX));
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
    check(L, load,
          mx_arena_format(&load->script->arena, &value->string, load->err, "%s", lua_tolstring(L, -1, &length)));
    if (strlen(value->string) != length)
      check(L, load, dg_fail(load->err, DG_INPUT, "%s: the string %s has a zero byte", value->where, value->path));
    break;
  case LUA_TFUNCTION:
    value->type = MX_FUNCTION;
    lua_pushvalue(L, -1);
    value->function = luaL_ref(L, LUA_REGISTRYINDEX);
    break;
  case LUA_TTABLE:
    if (parent != NULL && parent->is_waveform) convert_samples(L, load, value);
    else convert_table(L, load, value, parent);
    break;
  default:
    check(L, load,
          dg_fail(load->err, DG_INPUT, "%s: %s is a %s; no key takes that", value->where, value->path,
                  luaL_typename(L, -1)));
  }
}

/* Pushes the value of `--set path=text`. */
static void push_constant(lua_State *L, struct load *load, const char *text)
{
  if (push_plain(L, text)) return;
  if (strchr("\"'{(", *text) == NULL && strncmp(text, "[[", 2) != 0 && strncmp(text, "[=", 2) != 0) {
    lua_pushstring(L, text);
    return;
  }
  int top = lua_gettop(L);
  lua_pushfstring(L, "return %s", text);
  int status = luaL_loadbufferx(L, lua_tostring(L, -1), (size_t)lua_rawlen(L, -1), "=", "t");
  if (status == LUA_OK) {
    lua_newtable(L); /* its world: constants, waveforms and mathematics, no access to the script */
    lua_getglobal(L, LUA_MATHLIBNAME);
    lua_setfield(L, -2, LUA_MATHLIBNAME);
    lua_getglobal(L, "const");
    lua_setfield(L, -2, "const");
    lua_getglobal(L, "waveform");
    lua_setfield(L, -2, "waveform");
    make_strict(L);
    lua_setupvalue(L, -2, 1);
    status = lua_pcall(L, 0, LUA_MULTRET, 0);
  }
  if (status == LUA_OK && lua_gettop(L) == top + 2) return;
  if (status == LUA_ERRMEM) lua_error(L);
  const char *message = status == LUA_OK ? "it is not one value" : lua_tostring(L, -1);
  if (message != NULL && strncmp(message, ":1: ", 4) == 0) message += 4;
  dg_fail(load->err, DG_INPUT, "%s: the value cannot be read: %s", load->set_where,
          message != NULL ? message : "unknown error");
  leave(L, load);
}

static void apply_sets(lua_State *L, struct load *load)
{
  struct mx_script *script = load->script;
  for (size_t i = 0; i < load->sets; i++) {
    const struct mx_definition *set = &load->set[i];
    struct mx_value value = {0};
    check(L, load, mx_input_check("--set", load->set, i, "--set time.steps=100", load->err));
    check(L, load, mx_arena_format(&script->arena, &load->set_where, load->err, "--set %s=%s", set->name, set->value));
    check(L, load, mx_arena_format(&script->arena, &value.path, load->err, "%s", set->name));
    push_constant(L, load, set->value);
    convert(L, load, &value, NULL);
    lua_pop(L, 1);
    check(L, load, mx_tree_put(&script->arena, &script->root, &value, load->err));
  }
}

static void read_root(lua_State *L, struct load *load)
{
  struct mx_script *script = load->script;
  if (load->table == LUA_NOREF) {
    dg_fail(load->err, DG_INPUT, "%s: the script never calls simulation { }", script->path);
    leave(L, load);
  }
  script->lines.call = load->line;
  if (load->other_file == NULL)
    check(L, load, mx_lines_scan(&script->lines, &script->arena, load->input, load->line, load->err));
  int first;
  const struct mx_line *again = mx_lines_repeated(&script->lines, &first);
  if (again != NULL) {
    dg_fail(load->err, DG_INPUT, "%s:%d: '%s' is given twice, first in line %d", script->path, again->line, again->path,
            first);
    leave(L, load);
  }
  check(L, load, mx_arena_format(&script->arena, &script->root.path, load->err, "%s", ""));
  lua_rawgeti(L, LUA_REGISTRYINDEX, load->table);
  convert(L, load, &script->root, NULL);
  lua_pop(L, 1);
}

/* Everything of mx_script_load that may raise a Lua error. */
static int protected_load(lua_State *L)
{
  struct load *load = lua_touserdata(L, 1);
  mx_library_open(L, &load->script->library);
  set_args(L, load);
  lua_pushlightuserdata(L, load->script);
  lua_pushcclosure(L, simulation, 1);
  lua_setglobal(L, "simulation");
  lua_pushglobaltable(L);
  make_strict(L);
  lua_pop(L, 1);
  run_shared(L, load, "prelude.lua");
  run_shared(L, load, "waveform.lua");
  load_text(L, load->input, load->script->chunk_name);
  lua_call(L, 0, 0);
  read_root(L, load);
  apply_sets(L, load);
  return 0;
}

/* The script's name, folder and limits. */
static int describe(struct mx_script *script, const char *path, const struct mx_limits *limits, struct dg_error *err)
{
  static const struct mx_limits none = {0};
  const char *slash = strrchr(path, '/');
  char *folder;
  if (limits == NULL) limits = &none;
  script->seconds = limits->seconds > 0 ? limits->seconds : 60;
  script->bytes_max = limits->trust ? SIZE_MAX : limits->memory > 0 ? limits->memory : (size_t)1 << 30;
  if (mx_arena_format(&script->arena, &script->path, err, "%s", path) != 0 ||
      mx_arena_format(&script->arena, &script->chunk_name, err, "@%s", path) != 0 ||
      mx_arena_format(&script->arena, &folder, err, "%.*s",
                      slash == NULL   ? 1
                      : slash == path ? 1
                                      : (int)(slash - path),
                      slash == NULL ? "." : path) != 0 ||
      mx_arena_format(&script->arena, &script->last_words, err,
                      "curlew: %s: a call of Lua's own library does not end, such as a pattern; the run was ended\n",
                      path) != 0)
    return err->code;
  script->library = (struct mx_library){
      .trust = limits->trust, .folder = folder, .random = &script->random, .stopped = &script->stop};
  return find_share(script, err);
}

int mx_script_load(struct mx_script **script, const char *path, size_t args, const struct mx_definition *arg,
                   size_t sets, const struct mx_definition *set, const struct mx_limits *limits, struct dg_error *err)
{
  struct mx_script *s;
  char *text;
  struct load load = {.args = args, .arg = arg, .sets = sets, .set = set, .err = err, .table = LUA_NOREF};
  *script = NULL;
  if (DG_NEW(s, 1, err) != 0) return err->code;
  load.script = s;
  s->load = &load;
  if (describe(s, path, limits, err) != 0 || mx_input_file(&s->arena, path, &text, err) != 0) goto fail;
  load.input = mx_input_skip_marks(text);
  if (strncmp(load.input, LUA_SIGNATURE, strlen(LUA_SIGNATURE)) == 0) {
    dg_fail(err, DG_INPUT, "the script '%s' is compiled Lua, not text", path);
    goto fail;
  }
  s->L = lua_newstate(allocate, s);
  if (s->L == NULL) {
    fail_script(s, LUA_ERRMEM, err);
    goto fail;
  }
  if (mx_watch_new(&s->watch, s->seconds, ask_to_end, s, err) != 0) goto fail;
  lua_pushcfunction(s->L, message_handler);
  lua_pushcfunction(s->L, protected_load);
  lua_pushlightuserdata(s->L, &load);
  int status = call_watched(s, 1, 0);
  if (status != LUA_OK || s->memory_error.code != DG_OK) {
    fail_script(s, status, err);
    goto fail;
  }
  lua_settop(s->L, HANDLER);
  s->load = NULL; /* it lives on this stack */
  *script = s;
  return 0;

fail:
  mx_script_free(s);
  return err->code;
}

void mx_script_free(struct mx_script *script)
{
  if (script == NULL) return;
  mx_watch_free(script->watch);
  if (script->L != NULL) lua_close(script->L);
  mx_lines_release(&script->lines);
  mx_arena_release(&script->arena);
  dg_free(script);
}

const struct mx_value *mx_script_root(const struct mx_script *script) { return &script->root; }

uint64_t mx_script_seed(const struct mx_script *script) { return script->random.seed; }

const char *mx_script_path(const struct mx_script *script) { return script->path; }

bool mx_script_trusted(const struct mx_script *script) { return script->library.trust; }

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

/* The results lie above the handler. Called at every node of a mesh: no text is made unless something is wrong. */
static int take_results(struct mx_script *script, int function, const char *what, int inputs, const double *in,
                        int outputs, double *out, struct dg_error *err)
{
  lua_State *L = script->L;
  int returned = lua_gettop(L) - HANDLER;
  char text[32];
  if (returned != outputs)
    return fail_result(script, function, what, inputs, in, err, "must return %s, returned %d", wanted(outputs, text),
                       returned);
  for (int i = 0; i < outputs; i++) {
    int index = HANDLER + 1 + i;
    if (lua_type(L, index) != LUA_TNUMBER)
      return fail_result(script, function, what, inputs, in, err, "must return %s, but result %d is a %s",
                         wanted(outputs, text), i + 1, luaL_typename(L, index));
    out[i] = lua_tonumber(L, index);
    if (!isfinite(out[i]))
      return fail_result(script, function, what, inputs, in, err, "returned %s", isnan(out[i]) ? "nan" : "infinity");
  }
  return 0;
}

/* The results, any number of them, are left on the stack. */
static int call(struct mx_script *script, int function, const char *what, int inputs, const double *in,
                struct dg_error *err)
{
  lua_State *L = script->L;
  lua_rawgeti(L, LUA_REGISTRYINDEX, function);
  for (int i = 0; i < inputs; i++) lua_pushnumber(L, in[i]);
  mx_random_enter(&script->random, what, inputs, in);
  int status = call_watched(script, inputs, LUA_MULTRET);
  mx_random_leave(&script->random);
  if (status == LUA_OK && script->memory_error.code == DG_OK) return 0;
  fail_script(script, status, err);
  char at[256] = "";
  if (inputs > 0) mx_input_describe(inputs, in, at, sizeof at);
  return dg_context(err, "in %s%s%s", what, inputs > 0 ? " at " : "", at);
}

int mx_script_call(struct mx_script *script, int function, const char *what, int inputs, const double *in, int outputs,
                   double *out, struct dg_error *err)
{
  if (call(script, function, what, inputs, in, err) == 0)
    take_results(script, function, what, inputs, in, outputs, out, err);
  lua_settop(script->L, HANDLER);
  return err->code;
}

int mx_script_ask(struct mx_script *script, int function, const char *what, int inputs, const double *in, bool *answer,
                  struct dg_error *err)
{
  lua_State *L = script->L;
  if (call(script, function, what, inputs, in, err) == 0) {
    if (lua_gettop(L) == HANDLER + 1 && lua_isboolean(L, -1)) *answer = lua_toboolean(L, -1) != 0;
    else fail_result(script, function, what, inputs, in, err, "must return true or false");
  }
  lua_settop(L, HANDLER);
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
  int status = call_watched(script, 2, 0);
  if (status != LUA_OK || script->memory_error.code != DG_OK) fail_script(script, status, err);
  lua_settop(L, HANDLER);
  return err->code;
}

void mx_script_interrupt(struct mx_script *script, const volatile sig_atomic_t *flag)
{
  mx_watch_interrupt(script->watch, flag);
}

const char *mx_lua_version(void) { return LUA_RELEASE; }
