/* The libraries of Lua that a script sees: what is harmless, with files and clocks of our own; all of Lua with --trust.
 * script.c opens every state with it. */
#include "maxwell/shell/script/world/library.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lualib.h>

#include "libdg/base/log.h"
#include "maxwell/shell/script/world/files.h"
#include "maxwell/shell/script/world/names.h"
#include "maxwell/shell/script/world/pairs.h"

#define OWN    MX_NAMES_OWN    /* registry key: the world of Curlew's own Lua, which scripts cannot reach */
#define LOADED MX_NAMES_LOADED /* registry key: what the modules of require returned, by name */
#define TRUST  "start curlew with --trust if you trust this script"

static const struct mx_library *library_of(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

/* ---- what is missing ---- */

/* __index of what is left of a library: (table, key); upvalues: the library, its functions that are missing. */
static int missing_function(lua_State *L)
{
  const char *library = lua_tostring(L, lua_upvalueindex(1));
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(2));
  if (lua_isnil(L, -1)) return 1; /* not Lua's either */
  return luaL_error(L, "%s.%s is not available to scripts: they could do harm with it; " TRUST, library,
                    lua_tostring(L, 2));
}

/* The global `name` becomes a table with those functions of the library that `kept` names. */
static void restrict_library(lua_State *L, const char *name, lua_CFunction open, const char *const kept[])
{
  luaL_requiref(L, name, open, 0);
  lua_newtable(L);
  for (; *kept != NULL; kept++) {
    lua_getfield(L, -2, *kept);
    lua_setfield(L, -2, *kept);
  }
  lua_newtable(L);
  lua_pushstring(L, name);
  lua_pushvalue(L, -4);
  lua_pushcclosure(L, missing_function, 2);
  lua_setfield(L, -2, "__index");
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__metatable"); /* or the function could be taken apart by its upvalues */
  lua_setmetatable(L, -2);
  lua_setglobal(L, name);
  lua_pop(L, 1);
  /* luaL_requiref keeps the whole library where nothing but `require` of Lua's own looks. */
}

/* ---- files ---- */

/* The folder that files must lie in, or NULL. */
static const char *bounds(const struct mx_library *library) { return library->trust ? NULL : library->folder; }

/* Pushes the path of the file, which the script names. */
static const char *push_path(lua_State *L, const struct mx_library *library)
{
  const char *name = luaL_checkstring(L, 1);
  if (name[0] == '/' || strcmp(library->folder, ".") == 0) return lua_pushstring(L, name);
  return lua_pushfstring(L, "%s/%s", library->folder, name);
}

static bool close_file(lua_State *L, int index)
{
  luaL_Stream *stream = lua_touserdata(L, index);
  stream->closef = NULL;
  return fclose(stream->f) == 0;
}

static int close_stream(lua_State *L) { return luaL_fileresult(L, close_file(L, 1), NULL); }

/* Pushes a file of Lua's, which is closed with it; or nothing, and errno says why. */
static FILE *push_file(lua_State *L, const char *path, const char *folder)
{
  luaL_Stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
  stream->closef = NULL; /* as long as there is none */
  luaL_setmetatable(L, LUA_FILEHANDLE);
  stream->f = mx_file_open(path, folder);
  if (stream->f != NULL) {
    mx_names_note_file(L, path);
    stream->closef = close_stream;
    return stream->f;
  }
  const int why = errno;
  lua_pop(L, 1);
  errno = why;
  return NULL;
}

/* Pushes what is in the file. */
static bool push_content(lua_State *L, FILE *file)
{
  luaL_Buffer content;
  size_t got;
  luaL_buffinit(L, &content);
  do {
    got = fread(luaL_prepbuffer(&content), 1, LUAL_BUFFERSIZE, file);
    luaL_addsize(&content, got);
  } while (got > 0);
  const bool complete = ferror(file) == 0;
  luaL_pushresult(&content);
  return complete;
}

/* The value on top becomes the one at the index, and the last. */
static void keep_top(lua_State *L, int index)
{
  if (lua_gettop(L) > index) lua_replace(L, index);
  lua_settop(L, index);
}

/* Loads a file in the folder like luaL_loadfilex. Pushes the function, or a message. */
static int load_chunk(lua_State *L, const char *function, const char *path, const char *mode, const char *folder)
{
  const int top = lua_gettop(L);
  size_t length;
  FILE *file = push_file(L, path, folder);
  if (file == NULL && errno == EXDEV)
    luaL_error(L, "%s is not available to scripts for files outside of their own folder, such as '%s'; " TRUST,
               function, path);
  const bool complete = file != NULL && push_content(L, file);
  if (!complete) lua_pushfstring(L, "cannot %s %s: %s", file == NULL ? "open" : "read", path, strerror(errno));
  if (file != NULL) (void)close_file(L, top + 1);
  if (!complete) {
    keep_top(L, top + 1);
    return LUA_ERRFILE;
  }
  const char *text = lua_tolstring(L, -1, &length), *start = text;
  if (strncmp(start, "\xef\xbb\xbf", 3) == 0) start += 3;
  if (*start == '#') start += strcspn(start, "\n"); /* its end counts as a line */
  const int status = luaL_loadbufferx(L, start, length - (size_t)(start - text), lua_pushfstring(L, "@%s", path), mode);
  keep_top(L, top + 1);
  return status;
}

/* loadfile(name, mode, environment): the function, or nil and a message. */
static int load_file(lua_State *L)
{
  const struct mx_library *library = library_of(L);
  bool has_environment = lua_gettop(L) >= 3;
  const char *mode = library->trust ? luaL_optstring(L, 2, NULL) : "t";
  lua_settop(L, 3);
  if (load_chunk(L, "loadfile", push_path(L, library), mode, bounds(library)) != LUA_OK) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  if (!has_environment) return 1;
  lua_pushvalue(L, 3);
  if (lua_setupvalue(L, -2, 1) == NULL) lua_pop(L, 1);
  return 1;
}

static int do_file(lua_State *L)
{
  const struct mx_library *library = library_of(L);
  lua_settop(L, 1);
  if (load_chunk(L, "dofile", push_path(L, library), library->trust ? NULL : "t", bounds(library)) != LUA_OK)
    return lua_error(L);
  lua_call(L, 0, LUA_MULTRET);
  return lua_gettop(L) - 2;
}

/* require(name): NAME.lua of the script's folder, else of Curlew's; a dot is a slash. */
static int require(lua_State *L)
{
  const struct mx_library *library = library_of(L);
  const char *name = luaL_checkstring(L, 1);
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-.";
  lua_settop(L, 1);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LOADED);
  if (lua_getfield(L, 2, name) != LUA_TNIL) return 1;
  if (name[0] == '.' || strstr(name, "..") != NULL || strspn(name, letters) != strlen(name))
    return luaL_error(L, "require takes the name of a module, as in \"curlew.spectrum\", not '%s'", name);
  const char *file = luaL_gsub(L, name, ".", "/");
  const char *path = lua_pushfstring(L, "%s/%s.lua", library->folder, file);
  const bool own = access(path, F_OK) == 0;
  if (!own) path = lua_pushfstring(L, "%s/lua/%s.lua", library->share, file);
  if (access(path, F_OK) != 0)
    return luaL_error(L, "there is no module '%s': neither %s/%s.lua nor one of Curlew's; for others " TRUST, name,
                      library->folder, file);
  if (load_chunk(L, "require", path, "t", own ? library->folder : NULL) != LUA_OK) return lua_error(L);
  if (!own) mx_library_set_own(L);
  lua_pushvalue(L, 1);
  lua_pushstring(L, path);
  lua_call(L, 2, 1);
  if (lua_isnil(L, -1)) {
    lua_pushboolean(L, 1);
    lua_replace(L, -2);
  }
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, name);
  return 1;
}

/* ---- base functions ---- */

/* load as Lua has it, with mode "t": compiled Lua is not checked and can do anything. Upvalue 2: Lua's own. */
static int load_text_only(lua_State *L)
{
  bool has_environment = lua_gettop(L) >= 4;
  if (lua_type(L, 1) != LUA_TSTRING) luaL_checktype(L, 1, LUA_TFUNCTION);
  if (lua_type(L, 1) == LUA_TSTRING && lua_tostring(L, 1)[0] == LUA_SIGNATURE[0])
    return luaL_error(L, "load is not available to scripts for compiled Lua; " TRUST);
  lua_settop(L, 4);
  lua_pushliteral(L, "t");
  lua_replace(L, 3);
  if (!has_environment) lua_settop(L, 3); /* one that is nil is one, too */
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* setmetatable without finalizers. Upvalue 2: Lua's own. */
static int set_metatable(lua_State *L)
{
  int type = lua_type(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
  if (type == LUA_TTABLE) {
    lua_pushliteral(L, "__gc");
    if (lua_rawget(L, 2) != LUA_TNIL) return luaL_error(L, "__gc is not available to scripts; " TRUST);
    lua_pop(L, 1);
  }
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

/* Message handler of try(); upvalues: library, the script's own handler. Once the script must end its handler is not
 * called: nothing could stop it there. */
static int handle(lua_State *L)
{
  if (*library_of(L)->stopped != 0) return 1;
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

/* xpcall(f, handler, ...) */
static int try(lua_State *L)
{
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, handle, 2);
  lua_replace(L, 2);
  lua_pushvalue(L, 1);
  lua_insert(L, 3); /* f, handler, f, arguments */
  int status = lua_pcall(L, lua_gettop(L) - 3, LUA_MULTRET, 2);
  lua_pushboolean(L, status == LUA_OK);
  lua_replace(L, 2);
  return lua_gettop(L) - 1;
}

/* ---- time, and what a copy does otherwise ---- */

/* Upvalue 2 of these: Lua's own, a plain C function, which runs in their place so that its messages are what they were.
 */
static int go_on(lua_State *L) { return lua_tocfunction(L, lua_upvalueindex(2))(L); }

static int read_clock(lua_State *L)
{
  *library_of(L)->reads_clock = true;
  return go_on(L);
}

/* print, in one piece: several threads may. */
static int print_line(lua_State *L)
{
  luaL_Buffer line;
  const int count = lua_gettop(L);
  if (*library_of(L)->quiet) return 0;
  luaL_buffinit(L, &line);
  for (int i = 1; i <= count; i++) {
    if (i > 1) luaL_addchar(&line, '\t');
    (void)luaL_tolstring(L, i, NULL);
    luaL_addvalue(&line);
  }
  luaL_addchar(&line, '\n');
  luaL_pushresult(&line);
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  dg_log_clear_line();
  (void)fwrite(text, 1, length, stdout);
  (void)fflush(stdout);
  return 0;
}

/* open(path): a file to read, or nil and a message. */
static int open_to_read(lua_State *L)
{
  struct stat about;
  const struct mx_library *library = library_of(L);
  const char *path = luaL_checkstring(L, 1);
  if (library->copy && stat(path, &about) == 0 && !S_ISREG(about.st_mode))
    return luaL_error(L, "'%s' cannot be read twice", path);
  if (push_file(L, path, bounds(library)) != NULL) return 1;
  lua_pushnil(L);
  if (errno == EXDEV)
    lua_pushfstring(L, "%s, which lies outside of the script's folder: copy it there, or " TRUST, path);
  else lua_pushfstring(L, "%s: %s", path, strerror(errno));
  return 2;
}

/* ---- all of it ---- */

/* Replaces the function on top by one that has the library and that function as upvalues. */
static void put_before(lua_State *L, const struct mx_library *library, lua_CFunction function)
{
  union {
    const struct mx_library *read;
    void *pointer;
  } shown = {.read = library};
  lua_pushlightuserdata(L, shown.pointer);
  lua_insert(L, -2);
  lua_pushcclosure(L, function, 2);
}

/* Replaces a global function; the new one has the library, and the old function if there is one, as upvalues. */
static void replace(lua_State *L, const struct mx_library *library, const char *name, lua_CFunction function)
{
  lua_getglobal(L, name);
  put_before(L, library, function);
  lua_setglobal(L, name);
}

static void open_all(lua_State *L, const struct mx_library *library)
{
  luaL_openlibs(L);
  lua_getglobal(L, LUA_LOADLIBNAME);
  lua_getfield(L, -1, "path");
  lua_pushfstring(L, "%s/?.lua;%s/lua/?.lua;%s", library->folder, library->share, lua_tostring(L, -1));
  lua_setfield(L, -3, "path");
  lua_pop(L, 2);
}

static void open_limited(lua_State *L, const struct mx_library *library)
{
  static const luaL_Reg libraries[] = {{LUA_GNAME, luaopen_base},        {LUA_TABLIBNAME, luaopen_table},
                                       {LUA_STRLIBNAME, luaopen_string}, {LUA_MATHLIBNAME, luaopen_math},
                                       {LUA_UTF8LIBNAME, luaopen_utf8},  {NULL, NULL}};
  static const char *const harmless[] = {"clock", "date", "difftime", "time", NULL}, *const none[] = {NULL},
                           *const clocks[] = {"clock", "date", "time", NULL}, *const traceback[] = {"traceback", NULL};
  for (const luaL_Reg *each = libraries; each->name != NULL; each++) {
    luaL_requiref(L, each->name, each->func, 1);
    lua_pop(L, 1);
  }
  restrict_library(L, LUA_OSLIBNAME, luaopen_os, harmless);
  restrict_library(L, LUA_IOLIBNAME, luaopen_io, none);
  restrict_library(L, LUA_LOADLIBNAME, luaopen_package, none);
  restrict_library(L, LUA_DBLIBNAME, luaopen_debug, traceback);
  lua_getglobal(L, LUA_OSLIBNAME);
  for (const char *const *name = clocks; *name != NULL; name++) {
    lua_getfield(L, -1, *name);
    put_before(L, library, read_clock);
    lua_setfield(L, -2, *name);
  }
  lua_pop(L, 1);
  replace(L, library, "print", print_line);
  replace(L, library, "load", load_text_only);
  replace(L, library, "setmetatable", set_metatable);
  replace(L, library, "xpcall", try);
  replace(L, library, "require", require);
}

/* Pushes a copy of the table on top, with its metatable. */
static void push_copy(lua_State *L)
{
  const int from = lua_gettop(L);
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, from) != 0;) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, from + 1);
  }
  if (lua_getmetatable(L, from)) lua_setmetatable(L, from + 1);
}

/* The world of Curlew's own Lua: the globals and libraries as they are now, before a script can change them. */
static void keep_own(lua_State *L)
{
  lua_pushglobaltable(L);
  push_copy(L);
  const int own = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, own) != 0; lua_pop(L, 1)) {
    if (!lua_istable(L, -1) || lua_rawequal(L, -1, own - 1)) continue;
    push_copy(L);
    lua_pushvalue(L, -3);
    lua_insert(L, -2);
    lua_rawset(L, own); /* the key is there already: the walk goes on */
  }
  lua_setfield(L, LUA_REGISTRYINDEX, OWN); /* its _G is the script's world, where globals are made */
  lua_pop(L, 1);
}

/* Methods of strings, as in s:gsub(...), stay Lua's own whatever a script does to the library; what it adds to the
 * library is a method, too. */
static void keep_methods(lua_State *L)
{
  lua_pushliteral(L, "");
  (void)lua_getmetatable(L, -1);
  lua_getglobal(L, LUA_STRLIBNAME);
  push_copy(L);
  lua_newtable(L);
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_setfield(L, -3, "__index");
  lua_pushstring(L, LUA_STRLIBNAME);
  lua_setfield(L, -3, "__metatable");
  lua_pop(L, 3);
}

void mx_library_open(lua_State *L, const struct mx_library *library)
{
  if (library->trust) open_all(L, library);
  else open_limited(L, library);
  replace(L, library, "loadfile", load_file);
  replace(L, library, "dofile", do_file);
  mx_random_open(L, library->random);
  mx_pairs_open(L);
  if (!library->trust) keep_methods(L);
  keep_own(L);
}

void mx_library_push_open(lua_State *L, const struct mx_library *library)
{
  lua_pushnil(L); /* there is nothing that it comes before */
  put_before(L, library, open_to_read);
}

void mx_library_set_own(lua_State *L)
{
  lua_getfield(L, LUA_REGISTRYINDEX, OWN);
  if (lua_setupvalue(L, -2, 1) == NULL) lua_pop(L, 1);
}
