/* Models as curlew-mesh hands them over, and as they are kept in files: the bytes are what stands in the parcel behind
 * its header. They are refused, or become a mesh that is consistent. */
#include "libdg/fuzz/fuzz.h"

#include "libdg/base/memory.h"
#include "libdg/fuzz/fuzz_check_mesh.h"
#include "libdg/mesh/load/gmsh_model.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  fuzz_enter();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct dg_parcel parcel = {0};
  struct dg_model model = {.borrowed = true};
  struct dg_mesh mesh = {0};
  struct dg_error err = {0};
  size_t before = dg_memory_current();
  FUZZ_EXPECT(dg_parcel_put_bytes(&parcel, data, size, &err) == 0);
  dg_parcel_reread(&parcel);
  if (dg_model_take(&model, &parcel, &err) == 0) {
    if (dg_model_build(&mesh, &model, &err) == 0) {
      fuzz_check_mesh(&mesh);
      fuzz_use_mesh(&mesh);
    }
    FUZZ_EXPECT(err.code == DG_OK || err.code == DG_INPUT);
  }
  dg_mesh_release(&mesh);
  dg_model_release(&model);
  dg_parcel_release(&parcel);
  FUZZ_EXPECT(dg_memory_current() == before);
  return 0;
}
