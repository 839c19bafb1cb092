/* Where a script's files are: the mesh beside the script, results in the output folder. */
#include "maxwell/model/tests/config_fixture.h"

static void looks_for_the_mesh_beside_the_script(void **state)
{
  static const struct {
    const char *script, *file, *found, *directory, *name;
  } cases[] = {{"cavity.lua", "m.geo", "m.geo", ".", "cavity"},
               {"a/b/box.v2.lua", "m.geo", "a/b/m.geo", "a/b", "box.v2"},
               {"a/b/box.v2.lua", "../m.geo", "a/b/../m.geo", "a/b", "box.v2"},
               {"a/b/box.v2.lua", "/m.geo", "/m.geo", "a/b", "box.v2"},
               {"./script", "m.geo", "m.geo", ".", "script"}};
  char folder[512], path[1024];
  assert_int_equal(system("mkdir -p a/b"), 0);
  for (size_t i = 0; i <= sizeof cases / sizeof cases[0]; i++) {
    size_t k = i % (sizeof cases / sizeof cases[0]);
    bool absolute = i > k; /* the first once more, by its whole path */
    char text[512];
    struct dg_error err = {0};
    struct mx_script *script;
    struct mx_config config;
    snprintf(text, sizeof text,
             "simulation { mesh = { file = '%s' }, order = 3, time = { steps = 1 }, materials = { default = {} } }",
             cases[k].file);
    write_text(cases[k].script, text);
    snprintf(folder, sizeof folder, "%s", absolute ? (const char *)*state : cases[k].directory);
    snprintf(path, sizeof path, "%s%s%s", absolute ? folder : "", absolute ? "/" : "", cases[k].script);
    assert_int_equal(mx_script_load(&script, path, 0, NULL, 0, NULL, NULL, &err), 0);
    assert_int_equal(mx_config_read(&config, mx_measure_kinds, mx_script_origin(script), &err), 0);
    assert_string_equal(config.script_path, path);
    assert_string_equal(config.directory, folder);
    assert_string_equal(config.name, cases[k].name);
    if (absolute) snprintf(path, sizeof path, "%s/%s", folder, cases[k].file);
    assert_string_equal(config.mesh.file, absolute ? path : cases[k].found);
    mx_config_release(&config);
    mx_script_free(script);
    remove(cases[k].script);
  }
  assert_int_equal(system("rmdir -p a/b"), 0);
}

/* All that the script may call a file or folder that is written. */
static void keeps_names_in_the_output_folder(void **state)
{
  static const char *const values[] = {"../../x", "../x", "/tmp/x", "/", "a/b", "a/../../b", "..", ".", "./x", "x/"},
                           *const keys[] = {"name",
                                            "output.probes.1.name",
                                            "output.lines.1.name",
                                            "output.planes.1.name",
                                            "output.fluxes.1.name",
                                            "output.voltages.1.name",
                                            "output.currents.1.name",
                                            "output.losses.1.name"};
  static const char text[] =
      WITH("name = 'a', output = { probes = { { name = 'a', at = { 0, 0, 0 } } },\n"
           "lines = { { name = 'a', from = { 0, 0, 0 }, to = { 0, 0, 1 } } },\n"
           "planes = { { name = 'a', origin = { 0, 0, 0 }, u = { 1, 0, 0 }, v = { 0, 1, 0 } } },\n"
           "fluxes = { { name = 'a', surface = 1 } },\n"
           "voltages = { { name = 'a', from = { 0, 0, 0 }, to = { 0, 0, 1 } } },\n"
           "currents = { { name = 'a', circle = { centre = { 0, 0, 0 }, normal = { 0, 0, 1 }, radius = 1 } } },\n"
           "losses = { { name = 'a', region = 1 } } }");
  (void)state;
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
      char own[1000], begin[100];
      const struct mx_definition set = {keys[k], values[v]};
      for (int from_script = 0; from_script < 2; from_script++) {
        struct dg_error err = {0};
        struct mx_config config;
        if (from_script) { /* the k-th name of the text */
          const char *at = text;
          for (size_t i = 0; i <= k; i++) at = strstr(at, "name = 'a'") + 1;
          snprintf(own, sizeof own, "%.*s'%s'%s", (int)(at - 1 - text + 7), text, values[v], at + 9);
        }
        struct mx_script *script =
            load_text(from_script ? own : text, 0, NULL, from_script ? 0 : 1, from_script ? NULL : &set, &err);
        assert_string_equal(err.message, "");
        assert_int_equal(mx_config_read(&config, mx_measure_kinds, mx_script_origin(script), &err), DG_INPUT);
        if (from_script)
          snprintf(begin, sizeof begin, "cavity.lua:%zu: %s must be a name ", k < 2 ? 2 : k + 1, keys[k]);
        else snprintf(begin, sizeof begin, "--set %s=%s: %s must be a name ", keys[k], values[v], keys[k]);
        if (strncmp(err.message, begin, strlen(begin)) != 0) assert_string_equal(err.message, begin);
        mx_script_free(script);
      }
    }
  /* Without a name it is the script's, and that is none. */
  static const char *const scripts[] = {"..lua", "...lua"};
  for (size_t i = 0; i < 2; i++) {
    struct dg_error err = {0};
    struct mx_config config;
    struct mx_script *script;
    char message[200];
    write_text(scripts[i], WITH(""));
    assert_int_equal(mx_script_load(&script, scripts[i], 0, NULL, 0, NULL, NULL, &err), 0);
    assert_int_equal(mx_config_read(&config, mx_measure_kinds, mx_script_origin(script), &err), DG_INPUT);
    snprintf(message, sizeof message,
             "%s:1: 'name' is missing, and the script's own name is none for an output folder: '%s'", scripts[i],
             i == 0 ? "." : "..");
    assert_string_equal(err.message, message);
    mx_script_free(script);
    assert_int_equal(remove(scripts[i]), 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(looks_for_the_mesh_beside_the_script),
      cmocka_unit_test(keeps_names_in_the_output_folder),
  };
  return cmocka_run_group_tests_name("paths", tests, enter_folder, leave_folder);
}
