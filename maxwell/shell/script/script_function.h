/* A function of the script as the solver sees it (maxwell/shell/function.h). Private to the script reader. */
#pragma once

#include "maxwell/shell/script/script_state.h"

/* Makes the function for the one on top of the stack, which stays there. The result lives as long as the script. Leaves
 * with errors. */
void mx_script_function_make(lua_State *L, struct mx_load *load, const struct mx_function **function);
