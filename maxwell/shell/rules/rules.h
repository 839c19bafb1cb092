/* Reading what a user has written (maxwell/shell/value.h) into structs: one list of rules a table, one reader a kind of
 * value. An unknown key, a wrong type or a value out of range is a DG_INPUT error with its place and the nearest known
 * name.
 */
#pragma once

#include <float.h>
#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"
#include "maxwell/shell/arena.h"
#include "maxwell/shell/value.h"

struct mx_reader {
  struct mx_note *notes; /* of the tables that have been read, the last one first */
  void *target;          /* the struct that is being filled, for readers that fill more than the one field */
  struct mx_arena arena; /* memory that the struct points to */
  struct dg_error *err;
  /* Somebody who wants to know the rules and not to read a table; NULL: nobody. Then mx_read_table reads no values: see
   * mx_tell_rules. */
  struct mx_rule_listener *listener;
  const char *kind; /* of the table whose rules are told next: only tables of this kind have them. NULL: all */
};

/* What a key is that a table lacks. A run writes it beside its results (resolved.h), so that they can be understood,
 * and repeated, when defaults have changed. */
enum mx_absent_kind {
  MX_KEY_GIVEN,
  MX_KEY_NOT_GIVEN,
  MX_NUMBER_DEFAULT,
  MX_BOOLEAN_DEFAULT,
  MX_STRING_DEFAULT,
  MX_JSON_DEFAULT,
  MX_SECTION_DEFAULT
};

struct mx_absent {
  const char *name;
  enum mx_absent_kind kind; /* MX_KEY_GIVEN: the tree has it; MX_KEY_NOT_GIVEN: no value, or one that the run chooses */
  double number;
  const char *text;               /* of a string, or JSON */
  const struct mx_value *section; /* an empty table that was read in its place */
};

/* A table that was read; in the reader's arena. */
struct mx_note {
  const struct mx_value *table;
  size_t keys;
  struct mx_absent *key; /* [keys] */
  struct mx_note *next;  /* NULL: the end */
};

/* One key of a table. */
struct mx_rule {
  const char *name;
  int (*read)(struct mx_reader *, const struct mx_rule *, const struct mx_value *, void *to);
  size_t offset;            /* of the target in the struct being filled */
  const char *expected;     /* "a number > 0", for messages */
  double least, most;       /* range of numbers; no range when both are 0 */
  const char *const *names; /* of a choice; NULL-terminated */
  const char *example;      /* how to write the key; it is required when this is not NULL */
  const char *standard;     /* JSON of the default, where it is none of a number, choice, boolean or string at `offset`;
                               or mx_standard_* */
  int open;                 /* least itself is outside the range */
  bool section;             /* leaving the table out is the same as an empty one: its keys have defaults */
};

/* Where a reader is not one of those below: there is all the same a double or a const char * at `offset`. */
extern const char mx_standard_real[], mx_standard_string[];

/* Hears the rules of a table: `path` as in "boundaries.*.waveform", `kind` as in struct mx_reader. `base` is the struct
 * that the rules fill, with its defaults. All of it lasts as long as the call. */
struct mx_rule_listener {
  void (*hear)(struct mx_rule_listener *listener, const char *path, const char *kind, const struct mx_rule *rules,
               size_t count, const void *base);
  size_t tables; /* that were told */
};

/* Ranges of rules: x and more, more than x. */
#define MX_FROM(x)      .least = (x), .most = DBL_MAX
#define MX_ABOVE(x)     .least = (x), .most = DBL_MAX, .open = 1
#define MX_COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Fails with "cavity.lua:12: " (or "--set ...: ") before the message. */
#define mx_fail_at(r, value, ...) mx_fail_where((r)->err, (value)->where, __FILE__, __LINE__, __VA_ARGS__)
int mx_fail_where(struct dg_error *err, const char *where, const char *file, int line, const char *format, ...)
    DG_PRINTF(5, 6);

/* Reads a table with named keys into the struct at base, which has the defaults: each key must have a rule, and
 * required ones must be there. */
int mx_read_table(struct mx_reader *r, const struct mx_value *table, const char *expected, const struct mx_rule *rules,
                  size_t count, void *base) DG_MUST_USE;
/* Tells the listener the rules of a table, and those of the tables in it: every reader is called with samples of the
 * forms that a table may have until one of them is read, and what it thinks of them is forgotten. Always fails, so that
 * no reader goes on. */
int mx_tell_rules(struct mx_reader *r, const struct mx_value *table, const struct mx_rule *rules, size_t count,
                  void *base) DG_MUST_USE;
/* Says whether the rule's range has the number. Defaults outside of it stand for "not given". */
bool mx_rule_allows(const struct mx_rule *rule, double x);
/* Finds the value of a key; NULL: there is none. */
const struct mx_value *mx_find_value(const struct mx_value *table, const char *name);
/* Fails with "path must be <expected>, not <what it is>". */
int mx_fail_expected(struct mx_reader *r, const struct mx_value *value, const char *expected);
/* Fails unless the value is a table; expected names what it should be. */
int mx_expect_table(struct mx_reader *r, const struct mx_value *value, const char *expected) DG_MUST_USE;
/* Says whether a string of the script may become part of the name of a file or folder that is written: not empty, at
 * most 200 bytes, no '/' or control character, neither "." nor "..". No other check keeps output in its folder. */
bool mx_is_file_name(const char *text);
/* Fails unless the value is a table whose keys are 1..n. */
int mx_expect_list(struct mx_reader *r, const struct mx_value *value, const char *expected) DG_MUST_USE;

/* Readers for rules; `to` is a double, long, int, int (a choice's place in names), bool, const char *,
 * const struct mx_function *, double[3] (a list of three numbers). */
int mx_read_real(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_long(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_int(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_choice(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_boolean(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_string(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_function(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_triple(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
