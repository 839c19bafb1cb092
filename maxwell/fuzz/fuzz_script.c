/* Fuzzes whole scripts: Lua, the tree of values with its lines, and the configuration that is read of it. The fuzzing
 * library calls the function below; fuzz_script.h has the check. */
#include "maxwell/fuzz/fuzz_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_write("case.lua", data, size);
  fuzz_load("case.lua", 0, NULL);
  return 0;
}
