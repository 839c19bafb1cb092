/* The rules of the configuration as a listener hears them: each key once for each kind, with its default, and one clean
 * error whichever allocation fails. That the manual has the same keys is checked by share/tools/keys.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maxwell/model/tests/config_fixture.h"
#include "maxwell/shell/rules/rules.h"

enum { MOST = 1000 };

struct heard {
  struct mx_rule_listener listener;
  size_t count;
  char key[MOST][120]; /* "path kind", kind "-" for all */
  double cfl;          /* the default of time.cfl */
};

static void hear(struct mx_rule_listener *listener, const char *path, const char *kind, const struct mx_rule *rules,
                 size_t count, const void *base)
{
  struct heard *heard = (struct heard *)listener;
  for (size_t k = 0; k < count; k++) {
    assert_true(heard->count < MOST);
    snprintf(heard->key[heard->count++], sizeof heard->key[0], "%s%s%s %s", path, *path == '\0' ? "" : ".",
             rules[k].name, kind == NULL ? "-" : kind);
    if (strcmp(path, "time") == 0 && strcmp(rules[k].name, "cfl") == 0)
      memcpy(&heard->cfl, (const char *)base + rules[k].offset, sizeof heard->cfl);
  }
}

static int count_of(const struct heard *heard, const char *key)
{
  int found = 0;
  for (size_t k = 0; k < heard->count; k++) found += strcmp(heard->key[k], key) == 0;
  return found;
}

static void tells_each_key_once(void **state)
{
  struct dg_error err = {0};
  struct heard *heard = calloc(1, sizeof *heard);
  const size_t before = dg_memory_current();
  (void)state;
  assert_non_null(heard);
  heard->listener.hear = hear;
  assert_int_equal(mx_config_tell(mx_measure_kinds, &heard->listener, &err), 0);
  assert_int_equal(err.code, 0);
  assert_int_equal(dg_memory_current(), before);
  for (size_t k = 0; k < heard->count; k++) assert_int_equal(count_of(heard, heard->key[k]), 1);
  /* Of the root, of a table, of a table by names, of a list, and of tables in these. */
  static const char *const some[] = {"order -",
                                     "time.cfl -",
                                     "time.levels -",
                                     "materials.*.epsilon_r -",
                                     "materials.*.debye.*.tau -",
                                     "sources.*.moment dipole",
                                     "sources.*.amperes wire",
                                     "sources.*.region region",
                                     "output.probes.*.at -",
                                     "output.s_parameters.points -",
                                     "output.currents.*.circle.radius -",
                                     "output.far_field.*.images.*.wall -"};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) assert_int_equal(count_of(heard, some[i]), 1);
  /* Of kinds: those that have the key, and no others. */
  for (int kind = 0; kind < MX_BOUNDARY_KINDS; kind++) {
    char key[120];
    snprintf(key, sizeof key, "boundaries.*.kind %s", mx_boundary_kind_names[kind]);
    assert_int_equal(count_of(heard, key), 1);
    snprintf(key, sizeof key, "boundaries.*.impedance %s", mx_boundary_kind_names[kind]);
    assert_int_equal(count_of(heard, key), kind == MX_IMPEDANCE);
  }
  assert_true(heard->cfl == mx_config_defaults().time.cfl);
  free(heard);
}

static void survives_every_failing_allocation(void **state)
{
  struct heard *heard = calloc(1, sizeof *heard);
  const size_t before = dg_memory_current();
  long n = 0;
  (void)state;
  assert_non_null(heard);
  heard->listener.hear = hear;
  for (int failed = 1; failed; n++) {
    struct dg_error err = {0};
    heard->count = 0;
    dg_memory_fail_at(n + 1);
    failed = mx_config_tell(mx_measure_kinds, &heard->listener, &err) != 0;
    dg_memory_fail_at(0);
    assert_int_equal(err.code, failed ? DG_ENVIRONMENT : DG_OK);
    assert_int_equal(dg_memory_current(), before);
  }
  assert_true(n > 1);
  free(heard);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tells_each_key_once),
      cmocka_unit_test(survives_every_failing_allocation),
  };
  return cmocka_run_group_tests_name("rules of the configuration", tests, enter_folder, leave_folder);
}
