/* Loads a script: its state, its world, its table. It also answers what a run may ask of the script (mx_origin). main
 * calls mx_script_load. */
#include "maxwell/shell/script/script.h"

#include <string.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "libdg/base/memory.h"
#include "libdg/base/text.h"
#include "maxwell/shell/script/script_args.h"
#include "maxwell/shell/script/script_threads.h"
#include "maxwell/shell/script/world/files.h"
#include "maxwell/shell/script/world/input.h"
#include "maxwell/shell/script/world/keys.h"
#include "maxwell/shell/script/world/names.h"
#include "maxwell/shell/script/world/share.h"
#include "maxwell/shell/script/script_convert.h"
#include "maxwell/shell/script/script_tree.h"

/* Lua's allocator. Once the system is out of memory, it always fails: Lua would otherwise collect garbage and ask
 * again, and whether a run survives would depend on what else the machine does. The script's own limit is met in the
 * same place every time. Shrinking must not fail, so it is done in place; the block counts, and not Lua's use of it. */
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
  struct mx_load *load = script->load;
  if (load == NULL) return luaL_error(L, "simulation { } is called after the script has ended");
  if (load->table != LUA_NOREF)
    return luaL_error(L, "simulation { } is called a second time; the first call is in line %d", load->line);
  if (lua_gettop(L) != 1 || !lua_istable(L, 1))
    return luaL_error(L, "simulation takes one table, as in simulation { order = 3 }");
  lua_Debug caller;
  if (mx_state_caller(L, &caller)) {
    load->line = caller.currentline;
    if (strcmp(caller.source, script->chunk_name) != 0)
      mx_state_check(L, load, mx_arena_format(&script->arena, &load->other_file, load->err, "%s", caller.short_src));
  }
  load->table = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static void load_text(lua_State *L, const char *text, const char *chunk_name)
{
  if (luaL_loadbufferx(L, text, strlen(text), chunk_name, "t") != LUA_OK) lua_error(L);
}

/* Runs the share folder's lua/NAME in a world of its own. It is given nearest(), the metatable of waveforms, the folder
 * of the script, and a function that opens files, which the script itself may not have. */
static void run_shared(lua_State *L, struct mx_load *load, const char *name)
{
  struct mx_script *script = load->script;
  char *path, *chunk_name, *text;
  mx_state_check(L, load, mx_arena_format(&script->arena, &path, load->err, "%s/lua/%s", script->library.share, name));
  if (access(path, F_OK) != 0) {
    dg_fail(load->err, DG_ENVIRONMENT, "lua/%s was not found in '%s'%s", name, script->library.share, mx_share_hint());
    mx_state_check(L, load, load->err->code);
  }
  mx_state_check(L, load, mx_input_file(&script->arena, path, &text, load->err));
  mx_state_check(L, load, mx_arena_format(&script->arena, &chunk_name, load->err, "@%s", path));
  load_text(L, text, chunk_name);
  mx_library_set_own(L);
  const char *slash = strrchr(script->path, '/');
  lua_pushcfunction(L, nearest_name);
  luaL_newmetatable(L, MX_STATE_WAVEFORM);
  lua_pushlstring(L, script->path, slash == NULL ? 0 : (size_t)(slash + 1 - script->path));
  mx_library_push_open(L, &script->library);
  lua_call(L, 4, 0);
}

/* Pushes the value of `--set path=text`. */
static void push_constant(lua_State *L, struct mx_load *load, const char *text)
{
  if (mx_state_push_plain(L, text)) return;
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
  mx_state_check(L, load, load->err->code);
}

static void apply_sets(lua_State *L, struct mx_load *load)
{
  struct mx_script *script = load->script;
  for (size_t i = 0; i < load->script->sets; i++) {
    const struct mx_definition *set = &load->script->set[i];
    struct mx_value value = {0};
    mx_state_check(L, load, mx_input_check("--set", load->script->set, i, "--set time.steps=100", load->err));
    mx_state_check(L, load,
                   mx_arena_format(&script->arena, &load->set_where, load->err, "--set %s=%s", set->name, set->value));
    mx_state_check(L, load, mx_arena_format(&script->arena, &value.path, load->err, "%s", set->name));
    push_constant(L, load, set->value);
    mx_state_convert(L, load, &value);
    lua_pop(L, 1);
    mx_state_check(L, load, mx_tree_put(&script->arena, &script->root, &value, load->err));
  }
}

static void read_root(lua_State *L, struct mx_load *load)
{
  struct mx_script *script = load->script;
  if (load->table == LUA_NOREF) {
    dg_fail(load->err, DG_INPUT, "%s: the script never calls simulation { }", script->path);
    mx_state_check(L, load, load->err->code);
  }
  script->lines.call = load->line;
  if (load->other_file == NULL)
    mx_state_check(L, load, mx_lines_scan(&script->lines, &script->arena, load->script->text, load->line, load->err));
  int first;
  const struct mx_line *again = mx_lines_repeated(&script->lines, &first);
  if (again != NULL) {
    dg_fail(load->err, DG_INPUT, "%s:%d: '%s' is given twice, first in line %d", script->path, again->line, again->path,
            first);
    mx_state_check(L, load, load->err->code);
  }
  mx_state_check(L, load, mx_arena_format(&script->arena, &script->root.path, load->err, "%s", ""));
  lua_rawgeti(L, LUA_REGISTRYINDEX, load->table);
  mx_state_convert(L, load, &script->root);
  lua_pop(L, 1);
}

/* The files that the script has read, for the run's origin. */
static void list_files(lua_State *L, struct mx_load *load)
{
  struct mx_script *script = load->script;
  struct mx_lua_key *key;
  size_t others;
  const char **file;
  mx_names_push_files(L);
  const size_t count = mx_lua_keys(L, -1, &key, &others);
  mx_state_check(L, load, mx_arena_alloc(&script->arena, &file, count, sizeof *file, load->err));
  for (size_t i = 0; i < count; i++) {
    char *path;
    mx_state_check(L, load, mx_arena_format(&script->arena, &path, load->err, "%s", key[i].text));
    file[i] = path;
  }
  script->file = file;
  script->files = count;
  lua_pop(L, 2);
}

/* Everything of mx_script_load that may raise a Lua error. */
static int protected_load(lua_State *L)
{
  struct mx_load *load = lua_touserdata(L, 1);
  mx_library_open(L, &load->script->library);
  mx_args_set(L, load);
  lua_pushlightuserdata(L, load->script);
  lua_pushcclosure(L, simulation, 1);
  lua_setglobal(L, "simulation");
  lua_pushglobaltable(L);
  make_strict(L);
  lua_pop(L, 1);
  run_shared(L, load, "prelude.lua");
  run_shared(L, load, "waveform.lua");
  load_text(L, load->script->text, load->script->chunk_name);
  lua_call(L, 0, 0);
  read_root(L, load);
  apply_sets(L, load);
  mx_args_check(L, load);
  list_files(L, load);
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
  script->threads = limits->threads;
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
  script->library = (struct mx_library){.trust = limits->trust,
                                        .folder = folder,
                                        .random = &script->random,
                                        .stopped = &script->stop,
                                        .reads_clock = &script->reads_clock,
                                        .quiet = &script->quiet};
  char *share; /* the environment's string may change */
  if (mx_arena_format(&script->arena, &share, err, "%s", mx_share_folder()) != 0) return err->code;
  script->library.share = share;
  return 0;
}

/* Definitions for copies of the script, which may come late. */
static int keep(struct mx_script *script, size_t count, const struct mx_definition *definition,
                const struct mx_definition **kept, struct dg_error *err)
{
  struct mx_definition *list;
  if (mx_arena_alloc(&script->arena, &list, count, sizeof *list, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) {
    char *name, *value = NULL;
    if (mx_arena_format(&script->arena, &name, err, "%s", definition[i].name) != 0 ||
        (definition[i].value != NULL && mx_arena_format(&script->arena, &value, err, "%s", definition[i].value) != 0))
      return err->code;
    list[i] = (struct mx_definition){.name = name, .value = value};
  }
  *kept = list;
  return 0;
}

/* All that needs Lua. */
static int run(struct mx_script *script, struct dg_error *err)
{
  struct mx_load load = {.script = script, .err = err, .table = LUA_NOREF};
  script->load = &load; /* the load lives on this stack */
  script->L = lua_newstate(allocate, script);
  if (script->L == NULL) return mx_state_fail(script, LUA_ERRMEM, err);
  if (mx_watch_new(&script->watch, script->seconds, mx_state_end_call, script, err) != 0) return err->code;
  lua_pushcfunction(script->L, mx_state_message);
  lua_pushcfunction(script->L, protected_load);
  lua_pushlightuserdata(script->L, &load);
  int status = mx_state_call(script, 1, 0);
  if (status != LUA_OK || script->memory_error.code != DG_OK) return mx_state_fail(script, status, err);
  lua_settop(script->L, MX_STATE_HANDLER);
  script->load = NULL;
  return 0;
}

/* ---- what a run has to know */

static int make_copy(struct mx_script **copy, const struct mx_script *script, struct dg_error *err)
{
  struct mx_script *s;
  *copy = NULL;
  if (DG_NEW(s, 1, err) != 0) return err->code;
  *s = (struct mx_script){.seconds = script->seconds,
                          .bytes_max = script->bytes_max,
                          .last_words = script->last_words,
                          .library = script->library,
                          .path = script->path,
                          .chunk_name = script->chunk_name,
                          .text = script->text,
                          .args = script->args,
                          .sets = script->sets,
                          .arg = script->arg,
                          .set = script->set,
                          .quiet = true};
  s->library.random = &s->random;
  s->library.stopped = &s->stop;
  s->library.reads_clock = &s->reads_clock;
  s->library.quiet = &s->quiet;
  s->library.copy = true;
  if (run(s, err) != 0) {
    mx_script_free(s);
    return err->code;
  }
  mx_watch_interrupt(s->watch, script->interrupt);
  s->quiet = false;
  *copy = s;
  return 0;
}

static bool may_name(void *self, const char *path)
{
  const struct mx_script *script = self;
  return script->library.trust || mx_file_is_within(path, script->library.folder);
}

static uint64_t seed(void *self)
{
  const struct mx_script *script = self;
  return script->random.seed;
}

static int threads_of(void *self)
{
  const struct mx_script *script = self;
  return mx_crew_threads(script->crew);
}

static int start_threads(void *self, int threads)
{
  static const struct mx_copying copying = {make_copy, mx_script_free};
  struct mx_script *script = self;
  mx_crew_start(script, threads, &copying);
  return threads_of(script);
}

static const char *alone(void *self)
{
  const struct mx_script *script = self;
  return script->alone[0] != '\0' ? script->alone : NULL;
}

static void interrupt(void *self, const volatile sig_atomic_t *flag)
{
  struct mx_script *script = self;
  script->interrupt = flag;
  mx_watch_interrupt(script->watch, flag);
  mx_crew_interrupt(script->crew, flag);
}

const struct mx_origin *mx_script_origin(const struct mx_script *script) { return &script->origin; }

/* ---- beginning and end */

/* The text of the script: what was given, or what the file has. */
static int find_text(struct mx_script *script, const char *path, const char *given, struct dg_error *err)
{
  char *text;
  if (given == NULL ? mx_input_file(&script->arena, path, &text, err)
                    : mx_arena_format(&script->arena, &text, err, "%s", given))
    return err->code;
  script->text = mx_input_skip_marks(text);
  if (strncmp(script->text, LUA_SIGNATURE, strlen(LUA_SIGNATURE)) == 0)
    return dg_fail(err, DG_INPUT, "the script '%s' is compiled Lua, not text", path);
  return 0;
}

int mx_script_load(struct mx_script **script, const char *path, size_t args, const struct mx_definition *arg,
                   size_t sets, const struct mx_definition *set, const struct mx_limits *limits, struct dg_error *err)
{
  return mx_script_load_text(script, path, NULL, args, arg, sets, set, limits, err);
}

int mx_script_load_text(struct mx_script **script, const char *path, const char *text, size_t args,
                        const struct mx_definition *arg, size_t sets, const struct mx_definition *set,
                        const struct mx_limits *limits, struct dg_error *err)
{
  struct mx_script *s;
  *script = NULL;
  if (DG_NEW(s, 1, err) != 0) return err->code;
  s->args = args;
  s->sets = sets;
  if (describe(s, path, limits, err) != 0 || keep(s, args, arg, &s->arg, err) != 0 ||
      keep(s, sets, set, &s->set, err) != 0 || find_text(s, path, text, err) != 0 || run(s, err) != 0)
    goto fail;
  s->origin = (struct mx_origin){.path = s->path,
                                 .language = LUA_RELEASE,
                                 .root = &s->root,
                                 .trust = s->library.trust,
                                 .args = args,
                                 .sets = sets,
                                 .arg = s->arg,
                                 .set = s->set,
                                 .files = s->files,
                                 .file = s->file,
                                 .may_name = may_name,
                                 .seed = seed,
                                 .start_threads = start_threads,
                                 .threads = threads_of,
                                 .alone = alone,
                                 .interrupt = interrupt,
                                 .self = s};
  *script = s;
  return 0;

fail:
  mx_script_free(s);
  return err->code;
}

int mx_script_put(struct mx_script *script, const char *path, const struct mx_function *function, struct dg_error *err)
{
  struct mx_arena *arena = &script->arena;
  struct mx_value value = {.type = MX_FUNCTION, .function = function};
  if (script->shown == NULL) { /* threads compare their copies of the script with the root as the script made it */
    struct mx_value *shown;
    if (mx_arena_alloc(arena, &shown, 1, sizeof *shown, err) != 0 ||
        mx_tree_copy(arena, shown, &script->root, err) != 0)
      return err->code;
    script->origin.root = script->shown = shown;
  }
  if (mx_arena_format(arena, &value.path, err, "%s", path) != 0 ||
      mx_arena_format(arena, &value.where, err, "the function '%s'", path) != 0)
    return err->code;
  return mx_tree_put(arena, script->shown, &value, err);
}

void mx_script_free(struct mx_script *script)
{
  if (script == NULL) return;
  mx_crew_free(script->crew);
  mx_watch_free(script->watch);
  if (script->L != NULL) lua_close(script->L);
  mx_lines_release(&script->lines);
  mx_arena_release(&script->arena);
  dg_free(script);
}

const char *mx_lua_version(void) { return LUA_RELEASE; }
