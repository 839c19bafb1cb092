/* A user's input as a plain tree of values: a table of a script, with the place that each value comes from. The script
 * reader makes it, and rules (maxwell/shell/rules) read it; neither knows the other. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct mx_function;

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
  const struct mx_function *function; /* maxwell/shell/function.h; lives as long as the tree */
  size_t count; /* entries of a table: the array part in order, then the other keys sorted by name */
  struct mx_entry *entry;
  bool is_waveform; /* a table that waveform.* made; its lists of samples share one path */
  int line;         /* best known line of the script, 0 when the value is the command line's */
  char *where;      /* "cavity.lua:12" or "--set time.steps=100", the head of a message about it */
  char *path;       /* "materials.air.epsilon_r", "output.probes.1.at", as --set takes it; "" for the root */
};

struct mx_entry {
  struct mx_key key;
  struct mx_value value;
};

struct mx_definition {      /* -D name=value and --set key=value from the command line */
  const char *name, *value; /* value is NULL when the '=' was missing: an error with a clear message */
};
