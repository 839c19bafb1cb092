/* Names and contents that agree, and those that do not: a script under every name that Gmsh may take it by. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/mesh/load/format.h"

static char folder[64] = "/tmp/curlew-test-XXXXXX", path[128];

static const char *put(const char *end, const char *text, size_t length)
{
  (void)snprintf(path, sizeof path, "%s/a%s", folder, end);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
  return path;
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

static void take(const char *end, const char *text, size_t length, enum dg_format_kind expected)
{
  struct dg_error err = {0};
  enum dg_format_kind kind;
  if (dg_format_check(put(end, text, length), false, &kind, &err) != 0) fail_msg("%s", err.message);
  assert_int_equal(kind, expected);
  assert_int_equal(unlink(path), 0);
}

static void refuse(const char *end, const char *text, size_t length, bool trust, const char *part)
{
  struct dg_error err = {0};
  enum dg_format_kind kind;
  assert_int_equal(dg_format_check(put(end, text, length), trust, &kind, &err), DG_INPUT);
  if (strstr(err.message, part) == NULL) fail_msg("'%s' is not in: %s", part, err.message);
  assert_int_equal(unlink(path), 0);
}

#define TEXT(literal) literal, sizeof(literal) - 1
#define SCRIPT        TEXT("SystemCall \"touch /tmp/x\";\n")
#define IGES          "                                                                        S      1\n"

static void test_that_agree(void **state)
{
  char stl[84 + 50] = "exported";
  (void)state;
  stl[80] = 1;
  take(".geo", SCRIPT, DG_FORMAT_SCRIPT);
  take(".GEO", TEXT("\n\n// a box\nBox(1) = {0, 0, 0, 1, 1, 1};"), DG_FORMAT_SCRIPT);
  take(".geo_unrolled", TEXT("x"), DG_FORMAT_SCRIPT);
  take(".msh", TEXT("$MeshFormat\n4.1 0 8\n"), DG_FORMAT_MESH);
  take(".MSH", TEXT("$NOD\n1\n"), DG_FORMAT_MESH);
  take(".step", TEXT("ISO-10303-21;\nHEADER;\n"), DG_FORMAT_GEOMETRY);
  take(".STP", TEXT("\r\n ISO-10303-21;\n"), DG_FORMAT_GEOMETRY);
  take(".brep", TEXT("\nCASCADE Topology V1, (c) Matra-Datavision\n"), DG_FORMAT_GEOMETRY);
  take(".brep", TEXT("DBRep_DrawableShape\n\nCASCADE Topology V1\n"), DG_FORMAT_GEOMETRY);
  take(".igs", TEXT(IGES), DG_FORMAT_GEOMETRY);
  take(".xao", TEXT("<?xml version=\"1.0\"?>"), DG_FORMAT_GEOMETRY);
  take(".stl", TEXT("solid cube\n"), DG_FORMAT_GEOMETRY);
  take(".stl", stl, sizeof stl, DG_FORMAT_GEOMETRY);
  take(".wrl", TEXT("#VRML V2.0 utf8\n"), DG_FORMAT_GEOMETRY);
  take(".unv", TEXT("    -1\n  2411\n"), DG_FORMAT_MESH);
  take(".vtk", TEXT("# vtk DataFile Version 2.0\n"), DG_FORMAT_MESH);
  take(".mesh", TEXT(" MeshVersionFormatted 2\n"), DG_FORMAT_MESH);
  take(".mesh", TEXT("# by hand\n# twice\nMeshVersionFormatted 2\n"), DG_FORMAT_MESH);
  take(".bdf", TEXT("$ Created by Gmsh\nGRID,1,0,0.,0.,0.\n"), DG_FORMAT_MESH);
  take(".med", TEXT("\x89HDF\r\n\x1a\n1234"), DG_FORMAT_MESH);
  take(".cgns", TEXT("\x89HDF\r\n\x1a\n1234"), DG_FORMAT_MESH);
}

static const char *const ends[] = {".msh",  ".MSH",  ".step", ".STEP", ".stp",  ".STP",  ".brep", ".brp",  ".BRP",
                                   ".iges", ".IGES", ".igs",  ".IGS",  ".xao",  ".XAO",  ".stl",  ".STL",  ".wrl",
                                   ".vrml", ".iv",   ".unv",  ".UNV",  ".vtk",  ".VTK",  ".mesh", ".MESH", ".bdf",
                                   ".BDF",  ".nas",  ".NAS",  ".med",  ".mmed", ".rmed", ".MED",  ".cgns", ".CGNS"};

/* A file is refused if its content is not what its extension promises. */
static void test_that_do_not_agree(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    refuse(ends[i], SCRIPT, false, "does not begin as ");
    refuse(ends[i], SCRIPT, true, "does not begin as ");
    refuse(ends[i], TEXT("\n"), false, "does not begin as ");
  }
  refuse(".geo", TEXT("$MeshFormat\n4.1 0 8\n"), false, "not as a script: name it '.msh'");
  refuse(".geo", TEXT("$View\n"), false, "not as a script");
  refuse(".msh", TEXT("\n$MeshFormat\n4.1 0 8\n"), false, "does not begin as a mesh of Gmsh does ($MeshFormat)");
  refuse(".stl", TEXT("a binary file that is too short"), false, "does not begin as an STL file does");
  refuse(".bdf", TEXT("GRID\0"), false, "does not begin as a bulk data file does");
}

/* Names by which Gmsh knows nothing, and which it would take for scripts. */
static void test_unknown_names(void **state)
{
  static const char *const unknown[] = {"",     ".",  ".txt", ".opt",     ".gz",   ".py",
                                        ".exe", ".m", ".pro", ".geo.opt", ".mshx", ".pos"};
  static const struct {
    const char *end, *part;
  } spelled[] = {{".Step", "'.step'"}, {".sTP", "'.stp'"}, {".BREP", "'.brep'"}, {".Cgns", "'.cgns'"},
                 {".Geo", "'.geo'"},   {".Msh", "'.msh'"}, {".mEd", "'.med'"}};
  enum dg_format_kind kind;
  struct dg_error err = {0};
  (void)state;
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    refuse(unknown[i], SCRIPT, false, "has no name from which its format can be told");
  for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++) refuse(spelled[i].end, SCRIPT, false, spelled[i].part);
  assert_int_equal(dg_format_check(put(".sat", SCRIPT), true, &kind, &err), 0);
  assert_int_equal(kind, DG_FORMAT_OTHER);
  assert_int_equal(unlink(path), 0);
}

static void test_zero_bytes(void **state)
{
  static char text[10000];
  (void)state;
  memset(text, ' ', sizeof text);
  text[9000] = '\0';
  refuse(".geo", text, sizeof text, false, "is no text: byte 9001 is zero");
  refuse(".geo", TEXT("x = 1;\0SystemCall \"touch /tmp/x\";"), true, "is no text: byte 7 is zero");
  take(".geo", text, 9000, DG_FORMAT_SCRIPT);
}

static void test_that_are_no_files(void **state)
{
  struct dg_error err = {0};
  enum dg_format_kind kind;
  (void)state;
  refuse(".geo", "", 0, false, "is empty");
  (void)snprintf(path, sizeof path, "%s/a.geo", folder);
  assert_int_equal(dg_format_check(path, false, &kind, &err), DG_INPUT);
  assert_non_null(strstr(err.message, "No such file"));
  assert_int_equal(mkfifo(path, 0600), 0);
  err = (struct dg_error){0};
  assert_int_equal(dg_format_check(path, false, &kind, &err), DG_INPUT); /* does not wait for somebody to write */
  assert_non_null(strstr(err.message, "it is no regular file"));
  assert_int_equal(unlink(path), 0);
  err = (struct dg_error){0};
  assert_int_equal(dg_format_check(folder, false, &kind, &err), DG_INPUT);
  assert_non_null(strstr(err.message, "it is a folder"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_that_agree), cmocka_unit_test(test_that_do_not_agree), cmocka_unit_test(test_unknown_names),
      cmocka_unit_test(test_zero_bytes), cmocka_unit_test(test_that_are_no_files),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
