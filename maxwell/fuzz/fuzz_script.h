/* The body that the fuzzing programs around the script reader share. */
#pragma once

#include "libdg/fuzz/fuzz.h"
#include "libdg/base/memory.h"
#include "maxwell/model/config.h"
#include "maxwell/shell/script/script.h"
#include "maxwell/measure/kinds.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  FUZZ_EXPECT(setenv("CURLEW_SHARE", FUZZ_SHARE, 1) == 0);
  fuzz_enter();
  return 0;
}

/* Loads a script. The result must be a configuration or one line that tells what is wrong, and nothing may be left. */
static inline void fuzz_load(const char *path, size_t sets, const struct mx_definition *set)
{
  static const struct mx_limits limits = {.seconds = 0.5, .memory = 32 << 20};
  struct mx_script *script;
  struct mx_config config = {0};
  struct dg_error err = {0};
  const size_t before = dg_memory_current();
  if (mx_script_load(&script, path, 0, NULL, sets, set, &limits, &err) == 0) {
    FUZZ_EXPECT(script != NULL && err.code == DG_OK);
    if (mx_config_read(&config, mx_measure_kinds, mx_script_origin(script), &err) == 0) {
      FUZZ_EXPECT(config.order >= 1 && config.order <= 8 && strchr(config.name, '/') == NULL);
      for (size_t i = 0; i < config.output.measures; i++)
        FUZZ_EXPECT(strchr(config.output.measure[i].name, '/') == NULL);
      if (config.initial.E != NULL) { /* functions of the script are called at points */
        const double x[1][3] = {{0.5, 0.25, -1}};
        const struct mx_places at = {.what = "initial.E", .count = 1, .x = x, .components = 3};
        double E[3];
        (void)!mx_function_values(config.initial.E, &at, E, &err);
      }
    }
  }
  FUZZ_EXPECT(err.code == DG_OK || err.code == DG_INPUT);
  FUZZ_EXPECT((err.code == DG_OK) == (err.message[0] == '\0') && strpbrk(err.message, "\n\r") == NULL);
  mx_config_release(&config);
  mx_script_free(script);
  FUZZ_EXPECT(dg_memory_current() == before);
}
