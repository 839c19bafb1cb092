/* Calls of hooks, functions of a script that look at results of the run. Private to the script reader. */
#pragma once

#include "maxwell/shell/hooks/results.h"
#include "maxwell/shell/script/script_state.h"

/* Calls function(sim) and takes what it returns: nothing, or a table of derived values. Before the end of the run these
 * are numbers. DG_INPUT with the place of the hook: an error of the script, a value that is none of these, a hook that
 * changes anything that functions of the script can reach, since a run that goes on from a checkpoint would not know of
 * that. verdict->derived is the caller's to release, whatever is returned. */
int mx_hook_look(const struct mx_script_function *function, const char *what, const struct mx_results *results,
                 struct mx_verdict *verdict, struct dg_error *err) DG_MUST_USE;
