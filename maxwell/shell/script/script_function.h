/* A function of the script as the solver sees it (maxwell/shell/function.h). Private to the script reader. */
#pragma once

#include "maxwell/shell/script/script_state.h"

/* Of the function on top of the stack, which stays there. It lives as long as the script. Leaves with errors. */
void mx_script_function_make(lua_State *L, struct mx_load *load, const struct mx_function **function);
