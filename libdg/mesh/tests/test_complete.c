/* dg_mesh_file_complete: of every format the whole file is complete, and no beginning of it is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdg/mesh/load/complete.h"

static char folder[64] = "/tmp/curlew-test-XXXXXX";

static const struct {
  const char *name, *text;
} file[] = {
    {"a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
              "$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n"},
    {"a.mesh", " MeshVersionFormatted 2\n Dimension\n 3\n Vertices\n 4\n 0 0 0 1\n 1 0 0 1\n 0 1 0 1\n 0 0 1 1\n"
               " Tetrahedra\n 1\n 1 2 3 4 1\n End\n"},
    {"a.MESH", "MeshVersionFormatted 2\nDimension 3\nEnd"},
    {"a.bdf", "$ Created by Gmsh\nGRID,1,0,0,0,0\nCTETRA,1,1,1,2,3,4\nENDDATA\n"},
    {"a.nas", "GRID    1               0.      0.      0.\r\nENDDATA\r\n"},
    {"a.unv", "    -1\n  2411\n         1         1         1        11\n   0.0 0.0 0.0\n    -1\n"},
    {"a.step", "ISO-10303-21;\nDATA;\n#1=X();\nENDSEC;\nEND-ISO-10303-21;\n"},
    {"a.brep", "DBRep_DrawableShape\nCASCADE Topology V1\nTShapes 1\nSo\n0100000\n+3 0 *\n\n+1 0 \n"},
    {"a.stl", "solid one\nfacet normal 0 0 1\nendfacet\nendsolid\n"},
    {"a.vtk", "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 2 double\n0 0 0\n1 nan 0\n\n"
              "CELLS 1 3\n2 0 1\n\nCELL_TYPES 1\n3\n\nCELL_DATA 1\nSCALARS c int 1\nLOOKUP_TABLE default\n7"},
};

static bool complete(const char *name, const char *text, size_t length, struct dg_error *err)
{
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *stream = fopen(path, "wb");
  assert_non_null(stream);
  assert_int_equal(fwrite(text, 1, length, stream), length);
  assert_int_equal(fclose(stream), 0);
  *err = (struct dg_error){0};
  const int code = dg_mesh_file_complete(path, err);
  assert_int_equal(unlink(path), 0);
  assert_true(code == 0 || code == DG_INPUT);
  return code == 0;
}

/* Places where a file may end, as far as anybody can tell: behind a whole section of Gmsh's, and where a VTK file has
 * all its cells and says nothing of them. What is missing then is said elsewhere. */
static bool may_end(const char *text, size_t length)
{
  static const char *const behind[] = {"$EndMeshFormat", "$EndNodes", "CELL_TYPES 1\n3"};
  const char *values = strstr(text, "LOOKUP_TABLE default");
  for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
    const char *found = strstr(text, behind[i]);
    if (found != NULL && (size_t)(found - text) + strlen(behind[i]) == length) return true;
    if (found != NULL && i == 2 && values != NULL && length > (size_t)(found - text) + strlen(behind[i]))
      return length < (size_t)(values - text) + strlen("LOOKUP_TABLE default");
  }
  return false;
}

static void test_beginnings(void **state)
{
  (void)state;
  struct dg_error err;
  for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
    const char *text = file[i].text;
    size_t end = strlen(text);
    if (!complete(file[i].name, text, end, &err)) fail_msg("%s", err.message);
    while (isspace((unsigned char)text[end - 1])) end--;
    if (!complete(file[i].name, text, end, &err)) fail_msg("%s", err.message);
    for (size_t length = 6; length < end; length++) { /* shorter: of no format */
      size_t last = length;
      while (last > 0 && isspace((unsigned char)text[last - 1])) last--;
      if (last == 0 || may_end(text, last)) continue;
      if (complete(file[i].name, text, length, &err))
        fail_msg("%s passes with %zu of %zu bytes: ...%s", file[i].name, length, end, text + length);
      assert_non_null(strstr(err.message, "is cut off"));
    }
  }
}

static int make_folder(void **state)
{
  (void)state;
  return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
  (void)state;
  return rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_beginnings)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
