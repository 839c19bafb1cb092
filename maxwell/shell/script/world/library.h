/* The libraries of Lua that a script sees. A script is a program that a user may have from somebody else: unless it is
 * trusted, it can compute, print, and read Lua from its own folder, and nothing else. Private to the script reader. */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include <lua.h>

#include "maxwell/shell/script/world/random.h"

struct mx_library {
  bool trust;               /* all of Lua's libraries, and Lua from anywhere */
  const char *folder;       /* of the script, "." or ending without a slash; must outlive the state */
  const char *share;        /* Curlew's own Lua: modules are share/lua/NAME.lua; must outlive the state */
  struct mx_random *random; /* must outlive the state */
  /* Not zero once the script must end. The error is then one that the script's own handlers do not get. */
  const volatile sig_atomic_t *stopped;
  bool *reads_clock; /* set when the script asks for the time; without trust */
  const bool *quiet; /* the script is not to print now */
  bool copy;         /* the script runs again, for another thread */
};

/* Fills the globals and leaves the stack as it was; raises Lua errors. Random numbers are those of random.h.
 *
 * Without trust: base, table, string, math, utf8; of os only clock, date, difftime and time; of debug only traceback;
 * no io, no package. Methods of strings cannot be replaced. load takes text only; dofile, loadfile and require take
 * files of the script's folder and below, require also Curlew's modules. setmetatable takes no __gc: finalizers run
 * where nothing can stop them. What is missing is an error that names it and --trust.
 *
 * In either case relative names of dofile and loadfile start at the script's folder, and so does require. */
void mx_library_open(lua_State *L, const struct mx_library *library);
/* Pushes open(path), which gives a file of Lua's to read, or nil and a message: for the prelude, whose waveforms are
 * read from files. Without trust only files of the script's folder and below; that of a copy takes only files that can
 * be read twice. */
void mx_library_push_open(lua_State *L, const struct mx_library *library);
/* The chunk on top of the stack is Curlew's own: its globals become those that there were before the script, so that
 * a script that replaces string.gsub changes nothing in it. The script's globals are _G there. */
void mx_library_set_own(lua_State *L);
