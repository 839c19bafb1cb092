/* A Lua script and the one table that it hands to `simulation { }`. Nothing outside script.c knows Lua: values are a
 * plain tree, functions are numbers to call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"

enum mx_value_type { MX_NIL, MX_BOOLEAN, MX_NUMBER, MX_STRING, MX_FUNCTION, MX_TABLE };

/* A key of a table: a string, or an integer. */
struct mx_key {
  char *name;        /* NULL when the key is an integer */
  long long integer; /* valid when name is NULL */
};

struct mx_value {
  enum mx_value_type type;
  bool boolean;
  bool is_integer; /* a number written without fraction or exponent, or with an integral value */
  double number;
  char *string;
  int function; /* handle for mx_script_call */
  size_t count; /* entries of a table: the array part in order, then the other keys sorted by name */
  struct mx_entry *entry;
  int line;   /* best known line of the script, 0 if unknown */
  char *path; /* "materials.air.epsilon_r", for messages */
};

struct mx_entry {
  struct mx_key key;
  struct mx_value value;
};

struct mx_definition { /* -D name=value and --set key=value from the command line */
  const char *name, *value;
};

struct mx_script; /* opaque */

/* Runs the script at `path`. `args` fills the Lua table `args` (numbers where the text is a number); `set` overrides
 * keys of the simulation table by path ("time.steps=100"; the value is read as a Lua constant, a bare word is a
 * string). The prelude (const, waveform) is found through mx_prelude_path. Errors (DG_INPUT): no such file, Lua's own
 * errors with file:line, no call of `simulation`, or two. Free with mx_script_free; NULL is safe. */
int mx_script_load(struct mx_script **script, const char *path, size_t args, const struct mx_definition *arg,
                   size_t sets, const struct mx_definition *set, struct dg_error *err) DG_MUST_USE;
void mx_script_free(struct mx_script *script);

/* The table given to simulation { }; owned by the script. */
const struct mx_value *mx_script_root(const struct mx_script *script);
const char *mx_script_path(const struct mx_script *script);

/* Calls a function with `inputs` numbers and expects exactly `outputs` numbers. `what` names it in messages
 * ("initial.E"). A Lua error, a missing or non-numeric result, or NaN is DG_INPUT with file:line. */
int mx_script_call(struct mx_script *script, int function, const char *what, int inputs, const double *in, int outputs,
                   double *out, struct dg_error *err) DG_MUST_USE;

/* Lua's release, e.g. "Lua 5.4.4". */
const char *mx_lua_version(void);
