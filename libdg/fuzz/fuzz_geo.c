/* Parameters of .geo scripts, read by our own scanner; and the table of formats: the same bytes under each of its
 * names, and under names that are not in it. */
#include "libdg/fuzz/fuzz.h"

#include "libdg/base/memory.h"
#include "libdg/mesh/load/format.h"
#include "libdg/mesh/load/geo_parameters.h"

static const char *const names[] = {"a.geo", "a.msh", "a.step", "a.brep", "a.igs", "a.xao",  "a.stl",  "a.wrl",
                                    "a.unv", "a.vtk", "a.mesh", "a.bdf",  "a.med", "a.cgns", "a.Step", "a"};
enum { NAMES = sizeof names / sizeof *names, KNOWN = NAMES - 2 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  fuzz_enter();
  return 0;
}

/* Would Gmsh take the input for a script by its first line? */
static bool begins_as_script(const uint8_t *data, size_t size)
{
  static const char *const other[] = {"$MeshFormat", "$NO",       "$PTS",        "$ELM",
                                      "$PARA",       "$Comments", "$PostFormat", "$View"};
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (size >= strlen(other[i]) && memcmp(data, other[i], strlen(other[i])) == 0) return false;
  return true;
}

static void check_format(const char *name, bool known, const uint8_t *data, size_t size)
{
  enum dg_format_kind kind;
  struct dg_error err = {0};
  fuzz_write(name, data, size);
  const int status = dg_format_check(name, false, &kind, &err);
  FUZZ_EXPECT(status == 0 || (status == DG_INPUT && err.code == DG_INPUT));
  if (status == 0) {
    FUZZ_EXPECT(known && kind == dg_format_by_name(name));
    /* By the names .geo and .msh Gmsh knows nothing: the first line decides. */
    if (kind == DG_FORMAT_SCRIPT || strcmp(name, "a.msh") == 0)
      FUZZ_EXPECT(begins_as_script(data, size) == (kind == DG_FORMAT_SCRIPT));
    if (kind == DG_FORMAT_SCRIPT) FUZZ_EXPECT(memchr(data, 0, size) == NULL);
  }
  (void)unlink(name);
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
  const size_t name = size % NAMES; /* one a time: files are slow */
  check_format(names[name], name < KNOWN, data, size);
  FUZZ_EXPECT(dg_memory_current() == before);
  return 0;
}
