/* Names of what a script finds: Lua's own functions, modules that it has loaded, files that it has read. Private to the
 * script reader.
 */
#pragma once

#include <lua.h>

#define MX_NAMES_OWN    "curlew.own"    /* registry key: Lua's globals and libraries as they were before the script */
#define MX_NAMES_LOADED "curlew.loaded" /* registry key: what the modules of require returned, by name */

/* Notes that the script has opened a file to read. */
void mx_names_note_file(lua_State *L, const char *path);
/* Pushes the table of those files: true by path. */
void mx_names_push_files(lua_State *L);
/* Pushes the table of what `require` has loaded. */
void mx_names_push_modules(lua_State *L);
/* Pushes the table of Lua's own functions: their names ("math.sin") by function, as they were before the script. */
void mx_names_push(lua_State *L);
