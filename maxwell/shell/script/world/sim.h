/* The argument `sim` of hooks: results of the run as tables that a script can read and not change.
 *
 *   sim.time, sim.step, sim.steps, sim.ended, sim.stop_reason
 *   sim.stop(why)
 *   sim.energy.total, sim.probes.centre.Ez         columns (column.h)
 *   sim.probes.centre.last.Ez                      the last row
 *   pairs(sim.probes), pairs(sim.probes.centre)    in the order of the results
 *
 * A table is read from its file when it is first looked at, and later only what has come since. Private to the script
 * reader. */
#pragma once

#include <lua.h>

#include "maxwell/shell/hooks/results.h"

struct mx_sim_holder; /* opaque */

struct mx_sim {
  const char *what; /* "on.output" */
  const struct mx_results *results;
  struct mx_verdict *verdict;
  struct dg_error *err;         /* an error that is not Lua's; the error value is then a light userdata */
  struct mx_table table;        /* what is being read */
  struct mx_sim_holder *holder; /* private */
};

/* Pushes `sim` for one call. The caller fills the members but table and holder; raises Lua errors. */
void mx_sim_push(lua_State *L, struct mx_sim *sim);
/* Ends the call: what the script may have kept of it is an error to use. Safe if nothing was pushed. */
void mx_sim_end(struct mx_sim *sim);
