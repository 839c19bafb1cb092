/* Converts a value of Lua's to a tree of values (maxwell/shell/value.h). Private to the script reader. */
#pragma once

#include "maxwell/shell/script/script_state.h"

/* Converts the value on top of the stack, which stays there; value->path is set. Leaves with errors. */
void mx_state_convert(lua_State *L, struct mx_load *load, struct mx_value *value);
