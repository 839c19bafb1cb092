/* The number of partitions that a .msh file says, read before Gmsh sees it. */
#include "libdg/fuzz/fuzz.h"

#include "libdg/mesh/parts/msh_parts.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  fuzz_enter();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_write("a.msh", data, size);
  FUZZ_EXPECT(dg_msh_partitions("a.msh") >= 0);
  return 0;
}
