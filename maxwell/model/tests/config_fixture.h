/* For the tests of the configuration: a script that is right but for one line, and what each of them asks of the
 * reader: messages of scripts that are wrong, of overrides, and one clean error whichever allocation fails. */
#pragma once

#include "maxwell/tests/script_fixture.h"

#include "libdg/base/memory.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/model/config.h"

/* A script that is right but for what stands on line 2. */
#define WITH(line2)                                                                                                    \
  "simulation { mesh = { file = 'a.geo' }, order = 3, time = { steps = 1 }, materials = { default = {} },\n" line2     \
  "\n}\n"

struct bad_table {
  const char *text, *message;
};

struct override {
  const char *name, *value, *message; /* NULL: no error */
};

/* Reads a script with --set definitions; on success config and script are the caller's to release. */
static inline int read_with(const char *text, size_t sets, const struct mx_definition *set, struct mx_script **script,
                            struct mx_config *config, struct dg_error *err)
{
  *script = load_text(text, 0, NULL, sets, set, err);
  if (*script == NULL) return err->code;
  if (mx_config_read(config, mx_measure_kinds, mx_script_origin(*script), err) == 0) return 0;
  assert_null(config->storage);
  mx_script_free(*script);
  return err->code;
}

/* The same of a script that is right. */
static inline struct mx_script *read_right(const char *text, size_t sets, const struct mx_definition *set,
                                           struct mx_config *config)
{
  struct dg_error err = {0};
  struct mx_script *script;
  (void)!read_with(text, sets, set, &script, config, &err);
  assert_string_equal(err.message, "");
  assert_int_equal(err.code, DG_OK);
  return script;
}

/* Each table is an error of the user's with its message, and leaves nothing behind. */
static inline void refuse_tables(size_t count, const struct bad_table bad[])
{
  for (size_t i = 0; i < count; i++) {
    const size_t before = dg_memory_current();
    struct dg_error err = {0};
    struct mx_script *script;
    struct mx_config config;
    const int code = read_with(bad[i].text, 0, NULL, &script, &config, &err);
    assert_string_equal(err.message, bad[i].message);
    assert_int_equal(code, DG_INPUT);
    assert_int_equal(err.code, DG_INPUT);
    assert_int_equal(dg_memory_current(), before);
  }
}

/* Each override of the text has its message, or none and `check`. */
static inline void judge_overrides(const char *text, size_t count, const struct override sets[],
                                   void (*check)(size_t i, const struct mx_config *))
{
  for (size_t i = 0; i < count; i++) {
    const struct mx_definition set = {sets[i].name, sets[i].value};
    struct dg_error err = {0};
    struct mx_script *script;
    struct mx_config config;
    const int code = read_with(text, 1, &set, &script, &config, &err);
    assert_string_equal(err.message, sets[i].message == NULL ? "" : sets[i].message);
    assert_int_equal(code, sets[i].message == NULL ? DG_OK : DG_INPUT);
    if (code != 0) continue;
    if (check != NULL) check(i, &config);
    mx_config_release(&config);
    mx_script_free(script);
  }
}

/* Whichever allocation of the reader fails: one clean error, nothing left behind. There are more than `least` of them.
 */
static inline void fail_every_allocation(const char *text, long least, void (*check)(const struct mx_config *))
{
  struct dg_error err = {0};
  struct mx_script *script = load_text(text, 0, NULL, 0, NULL, &err);
  struct mx_config config;
  const size_t before = dg_memory_current();
  long n = 0;
  assert_non_null(script);
  for (int failed = 1; failed; n++) {
    err = (struct dg_error){0};
    dg_memory_fail_at(n + 1);
    failed = mx_config_read(&config, mx_measure_kinds, mx_script_origin(script), &err) != 0;
    dg_memory_fail_at(0);
    assert_int_equal(err.code, failed ? DG_ENVIRONMENT : DG_OK);
    if (!failed) check(&config);
    mx_config_release(&config);
    assert_int_equal(dg_memory_current(), before);
  }
  assert_true(n > least);
  mx_script_free(script);
}
