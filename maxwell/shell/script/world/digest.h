/* Digests of Lua functions. Private to the script reader. */
#pragma once

#include <lua.h>
#include <stdint.h>

/* Digests the value on top of the stack, and pops it: a function's code (without names and lines) and the values of the
 * variables outside that it uses, tables by their entries in any order. Globals are not looked at. May raise Lua's
 * error of memory. */
uint64_t mx_script_digest_top(lua_State *L);
