/* A Lua script and the one table that it hands to `simulation { }`. Nothing outside this folder knows Lua: values are a
 * plain tree (maxwell/shell/value.h), functions are numbers to call.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"
#include "maxwell/shell/value.h"

/* What a script may do. */
struct mx_limits {
  bool trust;     /* all of Lua's libraries, and no limit to its memory */
  double seconds; /* that one call of a function, or the script itself, may take; 0: 60, infinity: no limit */
  size_t memory;  /* bytes of Lua's, unless it is trusted; 0: 1 GiB */
  int threads;    /* that may call its functions; 0: as many as mx_script_start_threads is asked for */
};

struct mx_script; /* opaque */

/* Runs the script at `path`. `args` fills the Lua table `args` (numbers and booleans where the text is one, else
 * strings); `set` overrides keys of the simulation table by path ("time.steps=100", "output.probes.1.every=2"; the
 * value is a number, true, false, nil (removes the key), a quoted string, a table such as {0,0,1}, or an expression in
 * parentheses; anything else is a string as it stands). The prelude (const, waveform) is lua/prelude.lua and
 * lua/waveform.lua under $CURLEW_SHARE if that is set, else in the source tree or the installed share folder; without
 * it: DG_ENVIRONMENT. Errors (DG_INPUT):
 * no such file, Lua's own errors with file:line, an undefined global, no call of `simulation`, or two, a script that
 * takes more than its limits (NULL: the defaults). Which of Lua's libraries it sees: script_library.h.
 * Free with mx_script_free; NULL is safe. */
int mx_script_load(struct mx_script **script, const char *path, size_t args, const struct mx_definition *arg,
                   size_t sets, const struct mx_definition *set, const struct mx_limits *limits,
                   struct dg_error *err) DG_MUST_USE;
void mx_script_free(struct mx_script *script);

/* The table given to simulation { }; owned by the script. */
const struct mx_value *mx_script_root(const struct mx_script *script);
/* Tells one math.randomseed of the script from another (script_random.h); 0: it has none. */
uint64_t mx_script_seed(const struct mx_script *script);
const char *mx_script_path(const struct mx_script *script);
bool mx_script_trusted(const struct mx_script *script);
/* Whether a file that the script names is one that it may name: of its folder and below, where links lead, unless it is
 * trusted. */
bool mx_script_may_name(const struct mx_script *script, const char *path);

/* Calls a function with `inputs` numbers and expects exactly `outputs` numbers. `what` names it in messages
 * ("initial.E"). A Lua error, a missing or non-numeric result, NaN, or a call that takes too long is DG_INPUT with
 * file:line. One call at a time, from any thread. */
int mx_script_call(struct mx_script *script, int function, const char *what, int inputs, const double *in, int outputs,
                   double *out, struct dg_error *err) DG_MUST_USE;

/* A function of x, y, z, or of x, y, z, t, at many places. */
struct mx_calls {
  int function;
  const char *what; /* "initial.E" */
  size_t count;
  const double (*x)[3]; /* [count] */
  const double *t;      /* one time for all of them, or NULL */
  int outputs;          /* numbers that each call gives, at most 3 */
  double *out;          /* [count][outputs] */
};

/* mx_script_call for all of them, by several threads where there are some and the function may be shared. An error is
 * that of the first place, in order, that has one; then what is in `out` is not defined. DG_INPUT also when threads
 * disagree about a place, one of which is looked at each time. */
int mx_script_call_all(struct mx_script *script, const struct mx_calls *calls, struct dg_error *err) DG_MUST_USE;

/* Lets mx_script_call_all use so many threads (or as many as its limits say), the caller among them, each with a Lua
 * state of its own in which the script is run again. It must come to the same there, in all that functions can reach; a
 * trusted script, which may do anything, is not run again. Before functions are called. Every state has the limits of
 * the script, and all of them together, as they are then, not more memory than one may have. Returns how many there
 * are; mx_script_alone says why not more. */
int mx_script_start_threads(struct mx_script *script, int threads);
int mx_script_threads(const struct mx_script *script);
/* Tries a function at some of these places and their time, in other threads' states: several times and in another
 * order. If it does not give the same, fails or reads a clock, it is from now on called by one thread. Functions that
 * nobody has tried are when they are first called many times. */
void mx_script_try(struct mx_script *script, const struct mx_calls *calls);
/* Why there are no threads, or why they do not call every function; NULL: there is no reason. */
const char *mx_script_alone(const struct mx_script *script);

/* For calls that only try a function: nothing that the script prints is heard, and a call takes a second at most. */
void mx_script_trial(struct mx_script *script, bool trial);

/* Calls the function once more at x[count] (at most some thousand of them), last first. DG_INPUT, with the place, if it
 * does not give out[count][outputs] again: what it gives must depend on its arguments alone, or a run could not be
 * repeated, continued or shared among ranks. */
int mx_script_repeat(struct mx_script *script, int function, const char *what, size_t count, const double (*x)[3],
                     int outputs, const double *out, struct dg_error *err) DG_MUST_USE;

/* mx_script_call with a function that returns true or false. */
int mx_script_ask(struct mx_script *script, int function, const char *what, int inputs, const double *in, bool *answer,
                  struct dg_error *err) DG_MUST_USE;
/* A digest of what a function does: its code, and the variables outside that it uses, but for globals. */
int mx_script_digest(struct mx_script *script, int function, uint64_t *digest, struct dg_error *err) DG_MUST_USE;
/* From now on a call that has lasted 2 s ends with DG_INTERRUPTED when a signal handler has set the flag; NULL: none.
 */
void mx_script_interrupt(struct mx_script *script, const volatile sig_atomic_t *flag);

/* Lua's release, e.g. "Lua 5.4.4". */
const char *mx_lua_version(void);
