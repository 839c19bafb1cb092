/* Parameters of .geo scripts, read by our own scanner. */
#include "libdg/fuzz/fuzz.h"

#include "libdg/base/memory.h"
#include "libdg/mesh/geo_parameters.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  fuzz_enter();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct dg_geo_parameters list;
  struct dg_error err = {0};
  size_t before = dg_memory_current();
  fuzz_write("a.geo", data, size);
  FUZZ_EXPECT(dg_geo_parameters_init(&list, "a.geo", &err) == 0);
  for (size_t i = 0; i < list.count; i++) {
    const struct dg_geo_parameter *found = dg_geo_parameters_find(&list, list.parameter[i].name);
    FUZZ_EXPECT(found == &list.parameter[i]); /* each name once */
  }
  dg_geo_parameters_release(&list);
  FUZZ_EXPECT(dg_memory_current() == before);
  return 0;
}
