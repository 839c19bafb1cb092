/* Memory, and calls that may not fail, for tests. Behind cmocka.h. */
#pragma once

#include "libdg/base/memory.h"

static void *array(size_t count, size_t size)
{
  struct dg_error err = {0};
  void *block = NULL;
  if (dg_alloc((void *)&block, count, size, &err) != 0) fail_msg("%s", err.message);
  return block;
}

static void ok(int code, const struct dg_error *err)
{
  if (code != 0) fail_msg("%s", err->message);
}
