/* Reading the simulation table: one list of rules a table, one reader a kind of value. Private to config*.c. */
#pragma once

#include <float.h>
#include <stdbool.h>
#include <stddef.h>

#include "libdg/base/error.h"
#include "maxwell/shell/arena.h"
#include "maxwell/model/config.h"

struct mx_reader {
  struct mx_config *config;
  struct mx_arena arena; /* what config points to */
  struct dg_error *err;
};

/* One key of a table. */
struct mx_rule {
  const char *name;
  int (*read)(struct mx_reader *, const struct mx_rule *, const struct mx_value *, void *to);
  size_t offset;            /* of the target in the struct being filled */
  const char *expected;     /* "a number > 0", for messages */
  double least, most;       /* range of numbers; no range when both are 0 */
  int open;                 /* least itself is outside the range */
  const char *const *names; /* of a choice; NULL-terminated */
  const char *example;      /* how to write the key; it is required when this is not NULL */
};

/* Ranges of rules: x and more, more than x. */
#define MX_FROM(x)      .least = (x), .most = DBL_MAX
#define MX_ABOVE(x)     .least = (x), .most = DBL_MAX, .open = 1
#define MX_COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Fails with "cavity.lua:12: " (or "--set ...: ") before the message. */
#define mx_fail_at(r, value, ...) mx_fail_where((r)->err, (value)->where, __FILE__, __LINE__, __VA_ARGS__)
int mx_fail_where(struct dg_error *err, const char *where, const char *file, int line, const char *format, ...)
    DG_PRINTF(5, 6);

/* Reads a table with named keys into the struct at base: each must have a rule, and required ones must be there. */
int mx_read_table(struct mx_reader *r, const struct mx_value *table, const char *expected, const struct mx_rule *rules,
                  size_t count, void *base) DG_MUST_USE;
/* The value of a key, or NULL. */
const struct mx_value *mx_find_value(const struct mx_value *table, const char *name);
/* "path must be <expected>, not <what it is>" */
int mx_fail_expected(struct mx_reader *r, const struct mx_value *value, const char *expected);
/* The value is a table (else expected names what it should be). */
int mx_expect_table(struct mx_reader *r, const struct mx_value *value, const char *expected) DG_MUST_USE;
/* Whether a string of the script may become part of the name of a file or folder that is written: not empty, at most
 * 200 bytes, no '/' or control character, neither "." nor "..". Nothing else keeps output in its folder. */
bool mx_is_file_name(const char *text);
/* A table whose keys are 1..n. */
int mx_expect_list(struct mx_reader *r, const struct mx_value *value, const char *expected) DG_MUST_USE;

/* Readers for rules; `to` is a double, long, int, int (a choice's place in names), bool, const char *, int (handle),
 * double[3] (a list of three numbers). */
int mx_read_real(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_long(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_int(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_choice(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_boolean(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_string(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_function(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_triple(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);

/* The key of a material, boundary or interface. */
int mx_read_selector(struct mx_reader *r, const struct mx_entry *entry, struct mx_selector *where) DG_MUST_USE;
/* A waveform of waveform.*, or a Lua function of t; to a struct mx_waveform. */
int mx_read_waveform(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);

/* A direction: three numbers, not all zero; normalised. */
int mx_read_unit_vector(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);

/* A key that only some kinds of a thing take (a bit a kind); the first rule of a list is that of `kind` itself. */
struct mx_kind_rule {
  unsigned kinds;
  struct mx_rule rule;
};

/* config_ports.c: the keys of ports in a struct mx_boundary_config, its port before they are read, what is to be
 * checked behind one port and behind all boundaries. */
extern const struct mx_kind_rule mx_port_rules[];
extern const size_t mx_port_rules_count;
extern const struct mx_port_config mx_no_port;
int mx_check_port(struct mx_reader *r, const struct mx_value *value, struct mx_boundary_config *boundary) DG_MUST_USE;
int mx_check_port_numbers(struct mx_reader *r, const struct mx_value *boundaries) DG_MUST_USE;

/* A region or surface as a value: the name of a group or the tag of an entity; to a struct mx_selector. */
int mx_read_region(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
/* A list of frequencies or { from =, to =, points = }; to a struct mx_frequencies. */
int mx_read_frequencies(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);

/* Sections: `to` is not used, they fill r->config. */
int mx_read_materials(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_boundaries(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_interfaces(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_sources(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
int mx_read_output(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to);
