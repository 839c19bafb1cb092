/* dg_mesh_load with real files: the fixtures in data/ and small texts written to a folder of their own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/load/geo_parameters.h"
#include "libdg/geometry/geometry.h"

#define DATA TEST_SOURCE_DIR "/tests/data/"

static char folder[64] = "/tmp/curlew-test-XXXXXX";
static char path[128];

static const char *write_file(const char *name, const char *text)
{
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
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
  const char *const name[] = {"a.geo", "b.geo", "a.msh", "empty.geo"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, name[i]);
    (void)unlink(path);
  }
  return rmdir(folder); /* fails when a test, or Gmsh, left anything else behind */
}

static struct dg_mesh_options plain(const char *file) { return (struct dg_mesh_options){.file = file, .unit = 1}; }

static struct dg_mesh load(struct dg_mesh_options options)
{
  struct dg_mesh mesh;
  struct dg_error err = {0};
  if (dg_mesh_load(&mesh, &options, &err) != 0) fail_msg("%s", err.message);
  return mesh;
}

/* Loading must fail with a message that holds all the given parts (up to NULL), and leave nothing allocated. */
static void refuse(struct dg_mesh_options options, ...)
{
  struct dg_mesh mesh;
  struct dg_error err = {0};
  va_list parts;
  size_t before = dg_memory_current();
  assert_int_equal(dg_mesh_load(&mesh, &options, &err), DG_INPUT);
  va_start(parts, options);
  for (const char *part = va_arg(parts, const char *); part != NULL; part = va_arg(parts, const char *))
    if (strstr(err.message, part) == NULL) fail_msg("'%s' is not in: %s", part, err.message);
  va_end(parts);
  assert_null(mesh.element);
  assert_int_equal(dg_memory_current(), before);
}

static double volume_of(const struct dg_mesh *mesh)
{
  struct dg_geometry geometry;
  struct dg_error err = {0};
  double volume = 0;
  assert_int_equal(dg_geometry_init(&geometry, mesh, &err), 0);
  for (size_t e = 0; e < mesh->K; e++) volume += 4.0 / 3 * geometry.jacobian[e];
  dg_geometry_release(&geometry);
  return volume;
}

static double mean_edge(const struct dg_mesh *mesh)
{
  double sum = 0;
  for (size_t e = 0; e < mesh->K; e++)
    for (int i = 0; i < 4; i++)
      for (int j = i + 1; j < 4; j++) {
        const double *a = mesh->vertex[mesh->element[e][i]], *b = mesh->vertex[mesh->element[e][j]];
        sum += sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
      }
  return sum / (6.0 * (double)mesh->K);
}

/* ---- geometries ---- */

static void test_cube(void **state)
{
  (void)state;
  struct dg_mesh mesh = load(plain(DATA "cube.geo"));
  assert_true(fabs(volume_of(&mesh) - 1) < 1e-12);
  assert_int_equal(mesh.entities, 7); /* six surfaces, one volume */
  assert_int_equal(mesh.groups, 4);
  size_t on_surfaces = 0, marked = 0;
  for (size_t i = 0; i < 6; i++) {
    assert_int_equal(mesh.entity[i].dim, 2);
    assert_int_equal(mesh.entity[i].groups, 2);
    assert_true(dg_mesh_entity_in_group(&mesh, (int)i, "everything"));
    assert_int_equal(dg_mesh_entity_in_group(&mesh, (int)i, "bottom"), mesh.entity[i].tag == 5);
    assert_int_equal(dg_mesh_entity_in_group(&mesh, (int)i, "walls"), mesh.entity[i].tag != 5);
    on_surfaces += mesh.entity[i].count;
  }
  assert_int_equal(mesh.entity[6].count, mesh.K);
  assert_true(dg_mesh_entity_in_group(&mesh, 6, "air"));
  assert_int_equal(on_surfaces, mesh.boundary_faces);
  int bottom = dg_mesh_find_entity(&mesh, 2, 5);
  for (size_t e = 0; e < mesh.K; e++)
    for (int f = 0; f < 4; f++) {
      assert_int_equal(mesh.surface[e][f] >= 0, mesh.neighbour[e][f] == DG_BOUNDARY);
      if (mesh.surface[e][f] != bottom) continue;
      marked++;
      for (int i = 0; i < 4; i++) /* surface 5 is z = 0 */
        if (i != f) assert_true(fabs(mesh.vertex[mesh.element[e][i]][2]) < 1e-15);
    }
  assert_int_equal(marked, mesh.entity[bottom].count);
  dg_mesh_release(&mesh);
}

static void test_unit(void **state)
{
  (void)state;
  struct dg_mesh_options options = plain(DATA "cube.geo");
  options.unit = 1e-3;
  struct dg_mesh mesh = load(options);
  assert_true(fabs(volume_of(&mesh) - 1e-9) < 1e-21);
  dg_mesh_release(&mesh);
  options.unit = -1;
  refuse(options, "mesh unit -1 is not a positive number", NULL);
}

static void test_size(void **state)
{
  (void)state;
  struct dg_mesh_options options = plain(DATA "cube.geo"); /* its points ask for 0.5 */
  options.size = 0.2;
  struct dg_mesh mesh = load(options);
  double fine = mean_edge(&mesh);
  assert_true(fine > 0.15 && fine < 0.25);
  dg_mesh_release(&mesh);
  options.size = 2; /* larger than what the points ask for: theirs stays */
  mesh = load(options);
  double own = mean_edge(&mesh);
  assert_true(own > 0.35 && own < 0.65);
  dg_mesh_release(&mesh);
  options.size = NAN;
  refuse(options, "mesh size nan", NULL);
}

/* mesh.size bounds from above: what asks for less, anywhere, gets it, and the log names who asked. */
static void test_local_sizes(void **state)
{
  (void)state;
#define BOX "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\n"
  static const struct {
    const char *text, *said;
    bool finer;
  } row[] = {
      {BOX, "at most 0.5 (mesh.size); edges", false},
      {BOX "MeshSize{1} = 0.02; // of one point\n", "points of the geometry ask for theirs", true},
      {BOX "Field[1] = MathEval; Field[1].F = \"0.05 + 0.5 * x\"; Background Field = 1;\n", "background field 1", true},
      {BOX "Cylinder(2) = {0.5, 0.5, 0, 0, 0, 1, 0.1}; BooleanDifference{ Volume{1}; Delete; }{ Volume{2}; Delete; }\n"
           "Mesh.MeshSizeFromCurvature = 30;\n",
       "curvature, 30 elements per 2 pi", true},
      {BOX "MeshSize{:} = 3; /* more than the bound */\n", "at most 0.5 (mesh.size); points", false},
      {BOX "Mesh.MeshSizeMax = 0.1;\n", "at most 0.1 (the geometry's Mesh.MeshSizeMax)", true},
      {BOX "Mesh.MeshSizeMin = 3;\n", "at most 0.5 (mesh.size); at least 0.5", false},
      {BOX "Mesh.MeshSizeFactor = 0.5; MeshSize{1} = 0.02;\n", "all others times 0.5", true},
  };
  size_t plain_box = 0;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct dg_mesh_report report = {0};
    struct dg_mesh_options options = plain(write_file("a.geo", row[i].text));
    options.size = 0.5;
    options.report = &report;
    struct dg_mesh mesh = load(options);
    if (i == 0) plain_box = mesh.K;
    if (row[i].finer && 2 * mesh.K <= 3 * plain_box) fail_msg("%s: %zu of %zu", row[i].said, mesh.K, plain_box);
    if (!row[i].finer) assert_true(2 * mesh.K < 3 * plain_box && 3 * mesh.K > 2 * plain_box);
    assert_true(report.notes > 0);
    if (strstr(report.note[0].text, row[i].said) == NULL) fail_msg("'%s': %s", row[i].said, report.note[0].text);
    dg_mesh_report_release(&report);
    dg_mesh_release(&mesh);
  }
}

/* A geometry's options for the mesh act as they would by way of a file that Gmsh saves, or are refused. */
static void test_same_drawing_same_answer(void **state)
{
  (void)state;
  struct dg_mesh mesh = load(plain(write_file("a.geo", BOX "Mesh.ScalingFactor = 0.01;\n")));
  assert_true(fabs(volume_of(&mesh) / 1e-6 - 1) < 1e-9);
  dg_mesh_release(&mesh);
  refuse(plain(write_file("a.geo", BOX "Mesh.ElementOrder = 2;\n")), "sets Mesh.ElementOrder = 2", NULL);
  refuse(plain(write_file("a.geo", BOX "Mesh.SubdivisionAlgorithm = 2;\n")), "Hexahedron", NULL);
  refuse(plain(write_file("a.geo", BOX "Mesh.ScalingFactor = -1;\n")), "must be positive", NULL);
}

/* One sliver of 221 elements would take 300 times as many steps. */
static void test_sliver_is_repaired(void **state)
{
  (void)state;
  struct dg_mesh_options options =
      plain(write_file("a.geo", "SetFactory(\"OpenCASCADE\"); Box(1) = {0, 0, 0, 72.136, 34.036, 150};\n"));
  struct dg_geometry geometry;
  struct dg_error err = {0};
  double worst = 0, sum = 0;
  options.size = 25;
  options.unit = 1e-3;
  struct dg_mesh mesh = load(options);
  assert_true(fabs(volume_of(&mesh) / (72.136e-3 * 34.036e-3 * 150e-3) - 1) < 1e-9);
  assert_int_equal(dg_geometry_init(&geometry, &mesh, &err), 0);
  for (size_t e = 0; e < mesh.K; e++)
    for (int f = 0; f < 4; f++) { /* face_scale goes with 1 / height */
      worst = fmax(worst, geometry.face_scale[e][f]);
      sum += geometry.face_scale[e][f] / (4 * (double)mesh.K);
    }
  assert_true(worst < 4 * sum);
  dg_geometry_release(&geometry);
  dg_mesh_release(&mesh);
}

static void test_parameters(void **state)
{
  (void)state;
  const char *const constant[] = {"L", "h"}, *const onelab[] = {"Parameters/Shift"};
  double value[] = {2, 1};
  struct dg_mesh_options options = plain(DATA "cube.geo");
  options.parameters = 2;
  options.parameter_name = constant;
  options.parameter_value = value;
  struct dg_mesh mesh = load(options);
  assert_true(fabs(volume_of(&mesh) - 8) < 1e-11);
  assert_true(mean_edge(&mesh) > 0.9);
  dg_mesh_release(&mesh);
  value[0] = 1;
  value[1] = 0.5;
  mesh = load(options);
  assert_true(fabs(volume_of(&mesh) - 1) < 1e-12);
  dg_mesh_release(&mesh);

  options.parameters = 1;
  options.parameter_name = onelab;
  value[0] = 5;
  mesh = load(options);
  for (size_t i = 0; i < mesh.vertices; i++) assert_true(mesh.vertex[i][0] > 5 - 1e-12);
  dg_mesh_release(&mesh);
  mesh = load(plain(DATA "cube.geo")); /* and is forgotten */
  for (size_t i = 0; i < mesh.vertices; i++) assert_true(mesh.vertex[i][0] < 1 + 1e-12);
  dg_mesh_release(&mesh);
}

static void refuse_parameter(const char *file, const char *name, double value, const char *message)
{
  struct dg_mesh_options options = plain(file);
  options.parameters = 1;
  options.parameter_name = &name;
  options.parameter_value = &value;
  refuse(options, message, NULL);
}

static void test_bad_parameters(void **state)
{
  (void)state;
  refuse_parameter(DATA "cube.geo", "l", 1, "has no parameter 'l' (did you mean 'L'?)");
  refuse_parameter(DATA "cube.geo", "Parameters/Sied", 1, "(did you mean 'Parameters/Side'?)");
  refuse_parameter(DATA "cube.geo", "plain", 1, "has no parameter 'plain'");
  refuse_parameter(DATA "cube.geo", "label", 1, "has no parameter 'label'");
  refuse_parameter(DATA "cube.geo", "L", INFINITY, "mesh parameter 'L' is not finite");
  refuse_parameter(DATA "partitioned.msh", "L", 1, "takes no parameters ('L' is given)");
  refuse_parameter(write_file("a.geo", "DefineConstant[ a = {1, Name \"P/a\", ReadOnly 1} ];\n"), "P/a", 2,
                   "changes parameter 'P/a' from 2 to 1");
  refuse_parameter(write_file("a.geo", "x = 1; // DefineConstant[ L = 1 ];\n"), "L", 1, "it has no DefineConstant");
}

static void test_parameter_in_included_file(void **state)
{
  (void)state;
  write_file("b.geo", "DefineConstant[ side = 1 ];\n");
  const char *const name[] = {"side"};
  const double value[] = {3};
  struct dg_mesh_options options =
      plain(write_file("a.geo", "Include \"b.geo\";\nSetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, side, 1, 1};\n"));
  options.parameters = 1;
  options.parameter_name = name;
  options.parameter_value = value;
  struct dg_mesh mesh = load(options);
  assert_true(fabs(volume_of(&mesh) - 3) < 1e-11);
  dg_mesh_release(&mesh);
}

static void test_interface(void **state)
{
  (void)state;
  struct dg_mesh mesh = load(plain(DATA "boxes.geo"));
  assert_true(fabs(volume_of(&mesh) - 2) < 1e-11);
  size_t crossing = 0, in_middle = 0;
  for (size_t e = 0; e < mesh.K; e++)
    for (int f = 0; f < 4; f++) {
      int32_t n = mesh.neighbour[e][f];
      int crosses = n != DG_BOUNDARY && mesh.volume[e] != mesh.volume[n >> 2];
      int middle = dg_mesh_entity_in_group(&mesh, mesh.surface[e][f], "middle");
      assert_int_equal(crosses, middle);
      crossing += (size_t)crosses;
    }
  for (size_t i = 0; i < mesh.entities; i++)
    if (dg_mesh_entity_in_group(&mesh, (int)i, "middle")) in_middle += mesh.entity[i].count;
  assert_true(in_middle > 0);
  assert_int_equal(crossing, 2 * in_middle);
  dg_mesh_release(&mesh);
}

static void test_boxes_that_only_touch(void **state)
{
  (void)state;
  const char *const name[] = {"joined", "offset"};
  double value[] = {0, 0};
  struct dg_mesh_options options = plain(DATA "boxes.geo");
  options.parameters = 2;
  options.parameter_name = name;
  options.parameter_value = value;
  refuse(options, "of volume 1 and element", "touch or overlap at (1", "BooleanFragments", "boxes.geo", NULL);
  value[1] = 0.25; /* no two faces coincide */
  refuse(options, "touch or overlap", NULL);
  value[1] = 3; /* far away from each other: two bodies are no error */
  struct dg_mesh mesh = load(options);
  dg_mesh_release(&mesh);
  mesh = load(plain(DATA "boxes.geo")); /* what a load was given is forgotten by the next */
  dg_mesh_release(&mesh);
}

static void test_same_mesh_twice(void **state)
{
  (void)state;
  struct dg_mesh a = load(plain(DATA "cube.geo")), b = load(plain(DATA "cube.geo"));
  assert_int_equal(a.K, b.K);
  assert_int_equal(a.vertices, b.vertices);
  assert_memory_equal(a.vertex, b.vertex, a.vertices * sizeof *a.vertex);
  assert_memory_equal(a.element, b.element, a.K * sizeof *a.element);
  dg_mesh_release(&a);
  dg_mesh_release(&b);
}

static void test_bad_geometries(void **state)
{
  (void)state;
  refuse(plain("/nowhere/cube.geo"), "cannot read mesh file '/nowhere/cube.geo': No such file or directory", NULL);
  refuse(plain(folder), "it is a folder", NULL);
  refuse(plain(write_file("empty.geo", "")), "is empty", NULL);
  refuse(plain(write_file("a.geo", "Box(1 = 3;\n")), "Gmsh could not read", "line 1", "syntax error", NULL);
  refuse(plain(write_file("a.geo", "x = y + 1;\n")), "Unknown variable 'y'", NULL);
  refuse(plain(write_file("a.geo", "x = 1;\n")), "neither tetrahedra nor triangles", "a.geo", NULL);
  struct dg_mesh_options options = plain(write_file("a.geo", "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, "
                                                             "1, 1};\nMesh 2;\n"));
  refuse(options, " triangles but no tetrahedra", NULL);
}

static void test_only_messages_of_gmsh_go_to_the_stream(void **state)
{
  (void)state;
  struct dg_mesh_options options = plain(DATA "cube.geo");
  options.messages = tmpfile();
  struct dg_mesh mesh = load(options);
  assert_true(ftell(options.messages) > 0);
  char text[4096] = "";
  rewind(options.messages);
  assert_true(fread(text, 1, sizeof text - 1, options.messages) > 0);
  assert_non_null(strstr(text, "cube.geo"));
  assert_int_equal(fclose(options.messages), 0);
  dg_mesh_release(&mesh);
}

/* ---- mesh files ---- */

#define V2(nodes, elements)                                                                                            \
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" nodes "$EndNodes\n$Elements\n" elements "$EndElements\n"
#define CORNER "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"

static struct dg_mesh_options msh(const char *text) { return plain(write_file("a.msh", text)); }

static void test_old_format(void **state)
{
  (void)state;
  /* two tetrahedra with node tags that leave gaps, one triangle on the boundary, one between them */
  struct dg_mesh mesh = load(msh(V2("5\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n7 1 1 1\n",
                                    "4\n5 2 2 8 3 10 20 30\n6 2 2 9 4 20 30 40\n"
                                    "11 4 2 7 1 10 20 30 40\n12 4 2 7 2 7 40 30 20\n")));
  assert_int_equal(mesh.K, 2);
  assert_int_equal(mesh.boundary_faces, 6);
  assert_int_equal(mesh.interior_faces, 1);
  int between = dg_mesh_find_entity(&mesh, 2, 4), outside = dg_mesh_find_entity(&mesh, 2, 3);
  assert_true(between >= 0 && outside >= 0);
  int bare = 0;
  for (size_t e = 0; e < 2; e++)
    for (int f = 0; f < 4; f++) {
      int32_t n = mesh.neighbour[e][f];
      if (n != DG_BOUNDARY) assert_int_equal(mesh.surface[e][f], between);
      else if (mesh.surface[e][f] == -1) bare++;
      else assert_int_equal(mesh.surface[e][f], outside);
    }
  assert_int_equal(bare, 5);
  for (size_t e = 0; e < 2; e++) {
    assert_true(mesh.tag[e] == 11 || mesh.tag[e] == 12);
    assert_int_equal(mesh.entity[mesh.volume[e]].tag, mesh.tag[e] == 11 ? 1 : 2);
  }
  dg_mesh_release(&mesh);
}

static void test_partitioned(void **state)
{
  (void)state;
  struct dg_mesh mesh = load(plain(DATA "partitioned.msh"));
  assert_true(fabs(volume_of(&mesh) - 1) < 1e-12);
  assert_int_equal(mesh.entities, 7);
  assert_int_equal(mesh.groups, 4);
  for (size_t i = 0; i < 6; i++) assert_true(dg_mesh_entity_in_group(&mesh, (int)i, "everything"));
  assert_int_equal(mesh.entity[6].tag, 1);
  assert_true(dg_mesh_entity_in_group(&mesh, 6, "air"));
  for (size_t e = 0; e < mesh.K; e++)
    for (int f = 0; f < 4; f++) assert_int_equal(mesh.surface[e][f] >= 0, mesh.neighbour[e][f] == DG_BOUNDARY);
  dg_mesh_release(&mesh);
}

/* A script cannot act behind the back of the user. */
static void test_script_that_does_harm(void **state)
{
  static const struct {
    const char *text, *command;
  } harmful[] = {
      {"SystemCall \"touch %s/a.msh\";\n", "SystemCall"},
      {"NonBlockingSystemCall(\"touch %s/a.msh\");\n", "NonBlockingSystemCall"},
      {"DefineConstant[ L = 1\n; OnelabRun(\"a\", \"touch %s/a.msh\");\n", "OnelabRun"},
      {"/* x */ Mesh 2; Save \"%s/a.msh\";\n", "Save"},
      {"Print \"%s/a.msh\";\n", "Print"},
      {"Printf(\"%%g\", Sqrt(4)) > \"%s/a.msh\";\n", "Printf to a file"},
  };
  static const char good[] = "// Save SystemCall\nSetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\n"
                             "Physical Volume(\"Print\") = {1}; Printf(\"%g > 1\", 2);\n";
  char text[300], found[200];
  (void)state;
  struct dg_mesh mesh = load(plain(write_file("a.geo", good)));
  dg_mesh_release(&mesh);
  snprintf(path, sizeof path, "%s/a.msh", folder);
  (void)unlink(path); /* of another test */
  for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++) {
    snprintf(text, sizeof text, harmful[i].text, folder);
    snprintf(found, sizeof found, "has %s, which starts programs or writes files", harmful[i].command);
    refuse(plain(write_file("a.geo", text)), found, "--trust", NULL);
    (void)write_file("b.geo", text);
    refuse(plain(write_file("a.geo", "Include \"b.geo\";\n")), found, NULL);
    snprintf(path, sizeof path, "%s/a.msh", folder);
    assert_int_not_equal(access(path, F_OK), 0);
  }
  snprintf(text, sizeof text, harmful[0].text, folder);
  struct dg_mesh_options options = plain(write_file("a.geo", text));
  options.trust = true;
  struct dg_error err = {0};
  assert_int_equal(dg_mesh_load(&mesh, &options, &err), DG_INPUT); /* there is no volume in it */
  assert_non_null(strstr(err.message, "neither tetrahedra nor triangles"));
  snprintf(path, sizeof path, "%s/a.msh", folder);
  assert_int_equal(access(path, F_OK), 0);
}

/* Found by fuzzing: each of the ten would include ten again, to a depth of 16. */
static void test_script_that_includes_itself(void **state)
{
  struct dg_geo_parameters list;
  struct dg_error err = {0};
  char text[1000] = "DefineConstant[ L = 1 ];\n";
  (void)state;
  for (int i = 0; i < 10; i++) strcat(text, i % 2 ? "Merge 'a.geo';\n" : "Include \"a.geo\";\n");
  strcat(text, "DefineConstant[ last = 1 ];\n");
  assert_int_equal(dg_geo_parameters_init(&list, write_file("a.geo", text), &err), 0);
  assert_int_equal(list.count, 2);
  assert_non_null(dg_geo_parameters_find(&list, "last"));
  dg_geo_parameters_release(&list);
}

/* Saved without its second volume: the group is known, its entity is empty. */
static void test_group_without_elements(void **state)
{
  (void)state;
  struct dg_mesh mesh = load(msh("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
                                 "$PhysicalNames\n2\n3 1 \"full\"\n3 2 \"hollow\"\n$EndPhysicalNames\n"
                                 "$Entities\n0 0 0 2\n1 0 0 0 1 1 1 1 1 0\n2 0 0 0 1 1 1 1 2 0\n$EndEntities\n"
                                 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
                                 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n"));
  int full = dg_mesh_find_entity(&mesh, 3, 1), hollow = dg_mesh_find_entity(&mesh, 3, 2);
  assert_int_equal(mesh.entities, 2);
  assert_int_equal(mesh.entity[full].count, 1);
  assert_int_equal(mesh.entity[hollow].count, 0);
  assert_true(dg_mesh_entity_in_group(&mesh, full, "full"));
  assert_true(dg_mesh_entity_in_group(&mesh, hollow, "hollow"));
  dg_mesh_release(&mesh);
}

static void test_bad_mesh_files(void **state)
{
  (void)state;
  refuse(msh(V2("4\n" CORNER, "1\n17 2 2 1 1 1 2 3\n")), "the mesh has 1 triangles but no tetrahedra", "a.msh", NULL);
  refuse(msh(V2("4\n" CORNER, "1\n17 4 2 1 1 1 3 2 4\n")), "element 17 at (0.25, 0.25, 0.25) m is inverted",
         "(1 of 1 elements are)", "a.msh", NULL);
  refuse(msh(V2("4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0.5 0.5 0\n", "1\n17 4 2 1 1 1 2 3 4\n")), "element 17",
         "is degenerate", NULL);
  refuse(msh(V2("4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 nan\n", "1\n17 4 2 1 1 1 2 3 4\n")), "a.msh", NULL);
  refuse(msh(V2("8\n" CORNER "5 1 1 0\n6 1 0 1\n7 0 1 1\n8 1 1 1\n", "1\n23 5 2 1 1 1 2 5 3 4 6 8 7\n")),
         "element 23 at (0.5, 0.5, 0.5) m is a 'Hexahedron 8'", "only tetrahedra with all nodes of their order", NULL);
  refuse(msh(V2("10\n" CORNER "5 .5 0 0\n6 .5 .5 0\n7 0 .5 0\n8 0 0 .5\n9 0 .5 .5\n10 .5 0 .5\n",
                "1\n24 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n")),
         "element 24", "'Tetrahedron 10'", "mesh of order 2, but mesh.geometry is 1", NULL);
  refuse(msh(V2("4\n" CORNER, "1\n17 4 2 1 1 1 2 3 9\n")), "9", "a.msh", NULL);
  refuse(
      msh(V2("6\n" CORNER "5 0 0 -1\n6 0.3 0.3 -1\n", "3\n1 4 2 1 1 1 2 3 4\n2 4 2 1 1 1 3 2 5\n3 4 2 1 1 1 3 2 6\n")),
      "is shared by three elements: 1, 2 and 3", "(0.333333, 0.333333, 0) m", NULL);
  refuse(msh(V2("4\n" CORNER, "2\n1 4 2 1 1 1 2 3 4\n2 4 2 1 1 1 2 3 4\n")), "elements 1 and 2",
         "have the same four vertices", NULL);
  refuse(msh("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\nrubbish"), "is cut off", NULL);
  refuse(msh("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\nrubbish\n$EndNodes\n"), "Gmsh could not read", NULL);
  struct dg_mesh_options options = msh(V2("4\n" CORNER, "1\n17 4 2 1 1 1 2 3 4\n"));
  options.size = 0.1;
  refuse(options, "mesh size 0.1 has no effect", "holds a mesh, not a geometry", NULL);
}

static void test_version(void **state)
{
  (void)state;
  int major = 0, minor = 0;
  assert_int_equal(sscanf(dg_gmsh_version(), "%d.%d", &major, &minor), 2);
  assert_true(major > 4 || (major == 4 && minor >= 8));
}

/* Every allocation of a load fails once: a clean error each time, and Gmsh can be used again. */
static void test_out_of_memory(void **state)
{
  (void)state;
  struct dg_mesh_options options = msh(V2("4\n" CORNER, "2\n5 2 2 8 3 1 2 3\n17 4 2 1 1 1 2 3 4\n"));
  size_t before = dg_memory_current();
  for (int n = 1;; n++) {
    struct dg_mesh mesh;
    struct dg_error err = {0};
    dg_memory_fail_at(n);
    int code = dg_mesh_load(&mesh, &options, &err);
    dg_memory_fail_at(0);
    if (code == 0) {
      assert_true(n > 20);
      dg_mesh_release(&mesh);
      break;
    }
    assert_int_equal(code, DG_ENVIRONMENT);
    assert_non_null(strstr(err.message, "out of memory"));
    assert_int_equal(dg_memory_current(), before);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_version),
      cmocka_unit_test(test_cube),
      cmocka_unit_test(test_unit),
      cmocka_unit_test(test_size),
      cmocka_unit_test(test_local_sizes),
      cmocka_unit_test(test_same_drawing_same_answer),
      cmocka_unit_test(test_sliver_is_repaired),
      cmocka_unit_test(test_same_mesh_twice),
      cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_bad_parameters),
      cmocka_unit_test(test_parameter_in_included_file),
      cmocka_unit_test(test_interface),
      cmocka_unit_test(test_boxes_that_only_touch),
      cmocka_unit_test(test_bad_geometries),
      cmocka_unit_test(test_only_messages_of_gmsh_go_to_the_stream),
      cmocka_unit_test(test_old_format),
      cmocka_unit_test(test_partitioned),
      cmocka_unit_test(test_script_that_does_harm),
      cmocka_unit_test(test_script_that_includes_itself),
      cmocka_unit_test(test_group_without_elements),
      cmocka_unit_test(test_bad_mesh_files),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
