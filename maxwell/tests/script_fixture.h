/* For the tests of scripts: a folder of their own, where scripts are written and run under short names. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "maxwell/shell/function.h"
#include "maxwell/shell/script/script.h"

static inline void write_text(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

/* cmocka group set-up: makes the folder and works in it; the prelude is the source tree's. */
static inline int enter_folder(void **state)
{
  static char folder[] = "/tmp/curlew-script-XXXXXX";
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) return -1;
  *state = folder;
  return setenv("CURLEW_SHARE", TEST_SOURCE_DIR "/../../share", 1);
}

static inline int leave_folder(void **state)
{
  remove("cavity.lua");
  return chdir("/") != 0 || rmdir(*state) != 0;
}

static inline const struct mx_value *root_of(const struct mx_script *script) { return mx_script_origin(script)->root; }

/* One call, with nothing, t, (x, y, z) or (x, y, z, t). */
static inline int call_function(const struct mx_function *function, const char *what, int inputs, const double *in,
                                int outputs, double *out, struct dg_error *err)
{
  struct mx_places at = {.what = what, .count = 1, .components = outputs};
  double x[1][3];
  assert_true(inputs <= 4 && inputs != 2);
  if (inputs >= 3) {
    memcpy(x, in, sizeof x);
    at.x = (const double(*)[3])x;
  }
  if (inputs == 1 || inputs == 4) at.t = in + (inputs - 1);
  return mx_function_values(function, &at, out, err);
}

static inline int start_threads(const struct mx_script *script, int threads)
{
  return mx_origin_start_threads(mx_script_origin(script), threads);
}

static inline const char *alone(const struct mx_script *script) { return mx_origin_alone(mx_script_origin(script)); }

static inline struct mx_script *load_text(const char *text, size_t args, const struct mx_definition *arg, size_t sets,
                                          const struct mx_definition *set, struct dg_error *err)
{
  struct mx_script *script;
  write_text("cavity.lua", text);
  if (mx_script_load(&script, "cavity.lua", args, arg, sets, set, NULL, err) != 0) assert_null(script);
  else assert_non_null(script);
  return script;
}
