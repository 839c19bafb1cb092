/* A Lua script and the one table that it hands to `simulation { }`. Nothing outside this folder knows Lua: values are a
 * plain tree (maxwell/shell/value.h) that holds functions as the solver calls them (maxwell/shell/function.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"
#include "maxwell/shell/function.h"
#include "maxwell/shell/origin.h"

/* Limits of a script. */
struct mx_limits {
  bool trust;     /* all of Lua's libraries, and no limit to its memory */
  double seconds; /* seconds of one call of a function, or of the script itself; 0: 60, infinity: no limit */
  size_t memory;  /* bytes of Lua's, unless it is trusted; 0: 1 GiB */
  int threads;    /* threads that may call its functions; 0: as many as a run asks for */
};

struct mx_script; /* opaque */

/* Runs the script at `path`. `args` fills the Lua table `args` (numbers and booleans where the text is one, else
 * strings); `set` overrides keys of the simulation table by path ("time.steps=100", "output.probes.1.every=2"; the
 * value is a number, true, false, nil (removes the key), a quoted string, a table such as {0,0,1}, or an expression in
 * parentheses; anything else is a string as it stands). The prelude (const, waveform) is lua/prelude.lua and
 * lua/waveform.lua under $CURLEW_SHARE if that is set, else in the source tree or the installed share folder; without
 * it: DG_ENVIRONMENT. Errors (DG_INPUT):
 * no such file, Lua's own errors with file:line, an undefined global, no call of `simulation`, or two, a script that
 * takes more than its limits (NULL: the defaults). Which of Lua's libraries it sees: world/library.h.
 * Free with mx_script_free; NULL is safe. */
int mx_script_load(struct mx_script **script, const char *path, size_t args, const struct mx_definition *arg,
                   size_t sets, const struct mx_definition *set, const struct mx_limits *limits,
                   struct dg_error *err) DG_MUST_USE;
/* The same for a script that is given as text. `path` is its name in messages, and its folder is where it looks for
 * files. The text is copied. */
int mx_script_load_text(struct mx_script **script, const char *path, const char *text, size_t args,
                        const struct mx_definition *arg, size_t sets, const struct mx_definition *set,
                        const struct mx_limits *limits, struct dg_error *err) DG_MUST_USE;
void mx_script_free(struct mx_script *script);

/* Puts a function of the caller's into the table that the run sees, at a path as --set takes it; tables on the way are
 * made. Call it before the configuration is read. The function is borrowed until mx_script_free and must have a digest.
 * DG_INPUT: the path leads through something that is no table. */
int mx_script_put(struct mx_script *script, const char *path, const struct mx_function *function,
                  struct dg_error *err) DG_MUST_USE;

/* The side of the script that a run knows, among it its table and its functions; owned by the script. Each of its
 * threads has a Lua state of its own, in which the script is run again and must come to the same. */
const struct mx_origin *mx_script_origin(const struct mx_script *script);

/* Lua's release, e.g. "Lua 5.4.4". */
const char *mx_lua_version(void);
