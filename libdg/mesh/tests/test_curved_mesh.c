/* Meshes whose elements follow a curved geometry: volumes and areas by quadrature converge with the order of the maps,
 * faces have the same nodes on both sides, files of higher order are used as they are, and what is wrong is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/curve.h"
#include "libdg/mesh/face_map.h"
#include "libdg/mesh/grow/straighten.h"
#include "libdg/ref/rule.h"

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
  const char *const name[] = {"a.geo", "a.msh"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, name[i]);
    (void)unlink(path);
  }
  return rmdir(folder);
}

static struct dg_mesh load(const char *file, int geometry, double size)
{
  struct dg_mesh mesh;
  struct dg_error err = {0};
  const struct dg_mesh_options options = {.file = file, .unit = 1, .size = size, .geometry = geometry};
  if (dg_mesh_load(&mesh, &options, &err) != 0) fail_msg("%s", err.message);
  return mesh;
}

static void refuse(struct dg_mesh_options options, ...)
{
  struct dg_mesh mesh;
  struct dg_error err = {0};
  va_list parts;
  const size_t before = dg_memory_current();
  assert_int_equal(dg_mesh_load(&mesh, &options, &err), DG_INPUT);
  va_start(parts, options);
  for (const char *part = va_arg(parts, const char *); part != NULL; part = va_arg(parts, const char *))
    if (strstr(err.message, part) == NULL) fail_msg("'%s' is not in: %s", part, err.message);
  va_end(parts);
  assert_int_equal(dg_memory_current(), before);
}

/* ---- integrals */

static double element_volume(const struct dg_mesh *mesh, size_t e)
{
  struct dg_rule rule = {0};
  struct dg_error err = {0};
  double volume = 0;
  assert_int_equal(dg_rule_tetrahedron(&rule, 6, &err), 0);
  for (int q = 0; q < rule.points; q++) {
    double place[3], tangent[3][3], n[3];
    for (int a = 0; a < 3; a++) place[a] = 2 * rule.place[q][a + 1] - 1;
    dg_mesh_map(mesh, e, place, NULL, tangent);
    dg_cross(tangent[0], tangent[1], n);
    volume += 4.0 / 3 * rule.weight[q] * fabs(dg_dot(n, tangent[2]));
  }
  dg_rule_release(&rule);
  return volume;
}

static double volume_of(const struct dg_mesh *mesh)
{
  double volume = 0;
  for (size_t e = 0; e < mesh->K; e++) volume += element_volume(mesh, e);
  return volume;
}

/* The area of the boundary faces on surfaces of a group, or of all. */
static double area_of(const struct dg_mesh *mesh, const char *group)
{
  struct dg_rule rule = {0};
  struct dg_error err = {0};
  double area = 0;
  assert_int_equal(dg_rule_triangle(&rule, 8, &err), 0);
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    const size_t e = i / 4;
    const int f = (int)(i % 4);
    if (mesh->neighbour[e][f] != DG_BOUNDARY) continue;
    if (group != NULL && !dg_mesh_entity_in_group(mesh, mesh->surface[e][f], group)) continue;
    for (int q = 0; q < rule.points; q++) {
      double place[3], tangent[3][3], along[2][3] = {{0}}, n[3];
      dg_face_place(f, rule.place[q], place);
      dg_mesh_map(mesh, e, place, NULL, tangent);
      /* towards vertex v: (r, s, t)_{v - 1} grows by 2, towards vertex 0 all fall */
      const int v[3] = {f == 0, f <= 1 ? 2 : 1, f <= 2 ? 3 : 2};
      for (int k = 0; k < 2; k++)
        for (int b = 0; b < 3; b++)
          along[k][b] = 2 * tangent[v[k + 1] - 1][b] - (v[0] > 0 ? 2 * tangent[v[0] - 1][b] : 0);
      dg_cross(along[0], along[1], n);
      area += 0.5 * rule.weight[q] * sqrt(dg_dot(n, n));
    }
  }
  dg_rule_release(&rule);
  return area;
}

/* ---- geometries */

#define BALL "SetFactory(\"OpenCASCADE\");\nSphere(1) = {0, 0, 0, 1};\n"
/* the same of arcs and Gmsh's own surfaces, an eighth of it */
#define EIGHTH                                                                                                         \
  "Point(1) = {0, 0, 0};\nPoint(2) = {1, 0, 0};\nPoint(3) = {0, 1, 0};\nPoint(4) = {0, 0, 1};\n"                       \
  "Line(1) = {1, 2};\nLine(2) = {1, 3};\nLine(3) = {1, 4};\n"                                                          \
  "Circle(4) = {2, 1, 3};\nCircle(5) = {3, 1, 4};\nCircle(6) = {4, 1, 2};\n"                                           \
  "Curve Loop(1) = {1, 4, -2};\nCurve Loop(2) = {2, 5, -3};\nCurve Loop(3) = {3, 6, -1};\nCurve Loop(4) = {4, 5, "     \
  "6};\n"                                                                                                              \
  "Plane Surface(1) = {1};\nPlane Surface(2) = {2};\nPlane Surface(3) = {3};\nSurface(4) = {4};\n"                     \
  "Surface Loop(1) = {1, 2, 3, 4};\nVolume(1) = {1};\nPhysical Surface(\"round\") = {4};\n"                            \
  "Physical Volume(\"all\") = {1};\n"

/* Both sides of every face must see it at the same places, and determinants must not vanish. */
static void look_at_maps(const struct dg_mesh *mesh)
{
  static const double towards[4][3] = {{1.0 / 3, 1.0 / 3, 1.0 / 3}, {0.7, 0.2, 0.1}, {0, 0.35, 0.65}, {1, 0, 0}};
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    const size_t e = i / 4;
    const int32_t beyond = mesh->neighbour[e][i % 4];
    for (int q = 0; q < 4; q++) {
      double place[3], own[3], far[3], tangent[3][3], straight[3][3], n[3], m[3];
      dg_face_place((int)(i % 4), towards[q], place);
      dg_mesh_map(mesh, e, place, own, tangent);
      const double(*vertex)[3] = (const double(*)[3])mesh->vertex;
      for (int a = 0; a < 3; a++)
        dg_subtract(vertex[mesh->element[e][a + 1]], vertex[mesh->element[e][0]], straight[a]);
      dg_cross(tangent[0], tangent[1], n);
      dg_cross(straight[0], straight[1], m);
      assert_true(8 * dg_dot(n, tangent[2]) / dg_dot(m, straight[2]) > 0.1);
      if (beyond == DG_BOUNDARY) continue;
      dg_face_place(beyond & 3, towards[q], place);
      dg_mesh_map(mesh, (size_t)beyond >> 2, place, far, NULL);
      assert_true(dg_distance(own, far) < 1e-14);
    }
  }
}

/* Volumes and areas of a ball's mesh, over the exact ones less 1. */
static void measure(const char *file, int geometry, double size, double share, const char *round, double error[2])
{
  const double pi = acos(-1);
  struct dg_mesh mesh = load(file, geometry, size);
  assert_int_equal(mesh.geometry, geometry);
  if (geometry > 1) assert_true(mesh.curved > 0 && mesh.curved < mesh.K);
  look_at_maps(&mesh);
  error[0] = fabs(volume_of(&mesh) / (share * 4 / 3 * pi) - 1);
  error[1] = fabs(area_of(&mesh, round) / (share * 4 * pi) - 1);
  dg_mesh_release(&mesh);
}

/* order[g - 1] of the volume; the area has parts of both signs, linear and quadratic in the displacement, and falls as
 * it likes. */
static void converge(const char *text, double share, const char *round, const double order[4], const double most[4])
{
  static const double of_area[] = {1.8, 3.5, 3.5, 5};
  const char *file = write_file("a.geo", text);
  for (int g = 1; g <= 4; g++) {
    double coarse[2], fine[2];
    measure(file, g, 0.6, share, round, coarse);
    measure(file, g, 0.3, share, round, fine);
    for (int i = 0; i < 2; i++)
      if (!(fine[i] < most[g - 1] &&
            log(coarse[i] / fine[i]) > log(2) * (i == 0 ? order[g - 1] : of_area[g - 1]) * 0.85))
        fail_msg("%s at order %d: %.3g, then %.3g", i == 0 ? "volume" : "area", g, coarse[i], fine[i]);
  }
}

static void test_volumes_converge(void **state)
{
  (void)state;
  converge(BALL, 1, NULL, (const double[]){1.8, 3.5, 5.5, 7.5}, (const double[]){3e-2, 2e-4, 1e-6, 1e-8});
  /* Gmsh's own kernel gives points of the sphere that are near the closest one: order 4 stays at 1e-7 */
  converge(EIGHTH, 1.0 / 8, "round", (const double[]){1.8, 3.5, 5.5, 5}, (const double[]){3e-2, 2e-4, 1e-6, 2e-7});
}

/* A drawing in millimetres, and by a scaling factor of Gmsh's. */
static void test_units(void **state)
{
  (void)state;
  struct dg_mesh mesh;
  struct dg_error err = {0};
  const struct dg_mesh_options options = {
      .file = write_file("a.geo", "SetFactory(\"OpenCASCADE\");\nSphere(1) = {0, 0, 0, 10};\n"),
      .unit = 1e-3,
      .size = 4,
      .geometry = 3};
  if (dg_mesh_load(&mesh, &options, &err) != 0) fail_msg("%s", err.message);
  assert_true(fabs(volume_of(&mesh) / (4.0 / 3 * acos(-1) * 1e-6) - 1) < 3e-4);
  dg_mesh_release(&mesh);
}

/* Meshes of higher order that Gmsh itself has made are used as they are. */
static void test_given_orders(void **state)
{
  (void)state;
  static const double most[] = {0, 0, 2e-3, 6e-4, 3e-5};
  const double pi = acos(-1);
  for (int g = 2; g <= 4; g++) {
    char text[200];
    struct dg_error err = {0};
    struct dg_mesh mesh;
    (void)snprintf(text, sizeof text, "%sMesh.MeshSizeMax = 0.5;\nMesh 3;\nSetOrder %d;\n", BALL, g);
    struct dg_mesh_options options = {.file = write_file("a.geo", text), .unit = 1, .own_geometry = true};
    if (dg_mesh_load(&mesh, &options, &err) != 0) fail_msg("%s", err.message);
    assert_int_equal(mesh.geometry, g);
    assert_true(mesh.curved > 0 && mesh.curved < mesh.K);
    look_at_maps(&mesh);
    const double error = fabs(volume_of(&mesh) / (4 * pi / 3) - 1);
    if (error > most[g]) fail_msg("order %d: %.3g", g, error);
    dg_mesh_release(&mesh);
    options.own_geometry = false;
    refuse(options, "the file holds a mesh of order", "but mesh.geometry is 1", NULL);
  }
}

/* A box has no curved elements at any order. */
static void test_flat(void **state)
{
  (void)state;
  const char *file = write_file("a.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 2, 3};\n");
  for (int g = 1; g <= 4; g++) {
    struct dg_mesh mesh = load(file, g, 1);
    assert_int_equal(mesh.curved, 0);
    assert_int_equal(mesh.geometry, 1);
    dg_mesh_release(&mesh);
  }
}

/* Boundary faces on surfaces of a group. */
static size_t faces_of(const struct dg_mesh *mesh, const char *group, int32_t *code)
{
  size_t count = 0;
  for (size_t i = 0; i < 4 * mesh->K; i++)
    if (mesh->neighbour[i / 4][i % 4] == DG_BOUNDARY &&
        dg_mesh_entity_in_group(mesh, mesh->surface[i / 4][i % 4], group))
      code[count++] = (int32_t)i;
  return count;
}

/* Walls are made straight: all of a ball, or one end of a can, whose rim then is a polygon. */
static void test_straighten(void **state)
{
  (void)state;
  static const char can[] = "SetFactory(\"OpenCASCADE\");\nCylinder(1) = {0, 0, 0, 0, 0, 2, 1};\ne = 1e-3;\n"
                            "top() = Surface In BoundingBox{-1 - e, -1 - e, 2 - e, 1 + e, 1 + e, 2 + e};\n"
                            "Physical Surface(\"round\") = top();\nPhysical Volume(\"all\") = {1};\n";
  for (int g = 2; g <= 4; g++) {
    int32_t code[4000];
    size_t changed;
    struct dg_error err = {0};
    struct dg_mesh mesh = load(write_file("a.geo", EIGHTH), g, 0.4);
    assert_int_equal(dg_mesh_straighten(&mesh, faces_of(&mesh, "round", code), code, &changed, &err), 0);
    assert_true(changed > 0);
    struct dg_mesh flat = load(path, 1, 0.4);
    assert_int_equal(flat.K, mesh.K);
    /* where the ball meets its plane sides, edges are on both and straight now: nothing is left */
    assert_int_equal(mesh.curved, 0);
    assert_true(fabs(volume_of(&mesh) / volume_of(&flat) - 1) < 1e-14);
    dg_mesh_release(&flat);
    dg_mesh_release(&mesh);
    mesh = load(write_file("a.geo", can), g, 0.6);
    const size_t before = mesh.curved;
    assert_int_equal(dg_mesh_straighten(&mesh, faces_of(&mesh, "round", code), code, &changed, &err), 0);
    assert_true(changed > 0 && mesh.curved > 0 && mesh.curved <= before);
    look_at_maps(&mesh);
    const size_t faces = faces_of(&mesh, "round", code);
    for (size_t n = 0; n < faces; n++) {
      double place[3], x[3], flat_x[3] = {0};
      const double towards[3] = {0.2, 0.2, 0.6};
      dg_face_place(code[n] & 3, towards, place);
      dg_mesh_map(&mesh, (size_t)code[n] >> 2, place, x, NULL);
      for (int i = 0; i < 3; i++)
        for (int b = 0; b < 3; b++)
          flat_x[b] += towards[i] * mesh.vertex[mesh.element[code[n] >> 2][i + (i >= (code[n] & 3))]][b];
      assert_true(dg_distance(x, flat_x) < 1e-14);
    }
    dg_mesh_release(&mesh);
  }
}

/* A shell around a ball is made straight: its elements are, and what is inside keeps all else of its maps. */
static void test_straighten_elements(void **state)
{
  (void)state;
  static const char shell[] = "SetFactory(\"OpenCASCADE\");\nSphere(1) = {0, 0, 0, 1.5, 0, Pi/2, Pi/2};\n"
                              "Sphere(2) = {0, 0, 0, 1, 0, Pi/2, Pi/2};\nSphere(3) = {0, 0, 0, 0.5, 0, Pi/2, Pi/2};\n"
                              "BooleanFragments{ Volume{1, 2, 3}; Delete; }{}\ne = 1e-3;\n"
                              "all() = Volume{:};\n"
                              "all() -= Volume In BoundingBox{-e, -e, -e, 1 + e, 1 + e, 1 + e};\n"
                              "Physical Volume(\"shell\") = all();\n";
  for (int g = 2; g <= 4; g++) {
    bool chosen[4000] = {false};
    size_t changed = 0, in_shell = 0, curved_shell = 0;
    struct dg_error err = {0};
    struct dg_mesh mesh = load(write_file("a.geo", shell), g, 0.5);
    assert_true(mesh.K < 4000);
    for (size_t e = 0; e < mesh.K; e++) {
      chosen[e] = dg_mesh_entity_in_group(&mesh, mesh.volume[e], "shell");
      in_shell += chosen[e];
      curved_shell += chosen[e] && dg_mesh_curve(&mesh, e) >= 0;
    }
    assert_true(curved_shell > 0 && in_shell < mesh.K);
    assert_int_equal(dg_mesh_straighten_elements(&mesh, chosen, &changed, &err), 0);
    assert_true(changed > curved_shell); /* and neighbours */
    assert_true(mesh.curved > 0);        /* at the inner ball */
    for (size_t k = 0; k < mesh.curved; k++) assert_false(chosen[mesh.curve[k]]);
    look_at_maps(&mesh);
    for (size_t i = 0; i < 4 * mesh.K; i++) {
      const int32_t other = mesh.neighbour[i / 4][i % 4];
      double place[3], x[3], there[3] = {0};
      if (other < 0 || !chosen[other / 4] || chosen[i / 4]) continue;
      for (int v = 0; v < 4; v++)
        for (int b = 0; b < 3 && v != (int)(i % 4); b++) there[b] += mesh.vertex[mesh.element[i / 4][v]][b] / 3;
      dg_face_place((int)(i % 4), (const double[3]){1.0 / 3, 1.0 / 3, 1.0 / 3}, place);
      dg_mesh_map(&mesh, i / 4, place, x, NULL);
      assert_true(dg_distance(x, there) < 1e-14);
    }
    dg_mesh_release(&mesh);
  }
}

static double radius_of(const struct dg_mesh *mesh, size_t e, int f, int v)
{
  const double *x = mesh->vertex[mesh->element[e][v + (v >= f)]];
  return sqrt(dg_dot(x, x));
}

/* The ball in the middle of three is not seen: it becomes a polyhedron, and the others stay round. The round side of a
 * can is seen, so that the rim of its lid stays round. */
static void test_straighten_unseen(void **state)
{
  (void)state;
  static const char balls[] = "SetFactory(\"OpenCASCADE\");\nSphere(1) = {0, 0, 0, 1.5, 0, Pi/2, Pi/2};\n"
                              "Sphere(2) = {0, 0, 0, 1, 0, Pi/2, Pi/2};\nSphere(3) = {0, 0, 0, 0.5, 0, Pi/2, Pi/2};\n"
                              "BooleanFragments{ Volume{1, 2, 3}; Delete; }{}\n";
  static const char can[] = "SetFactory(\"OpenCASCADE\");\nCylinder(1) = {0, 0, 0, 0, 0, 2, 1};\n";
  for (int g = 2; g <= 4; g++)
    for (int lid = 0; lid < 2; lid++) {
      bool unseen[100] = {false};
      size_t changed = 0, faces[2] = {0};
      struct dg_error err = {0};
      struct dg_mesh mesh = load(write_file("a.geo", lid ? can : balls), g, 0.5);
      const size_t before = mesh.curved;
      assert_true(mesh.entities < 100);
      for (size_t i = 0; i < 4 * mesh.K; i++) {
        const int32_t s = mesh.surface[i / 4][i % 4];
        if (s < 0) continue;
        bool on = true;
        for (int v = 0; v < 3; v++)
          on = on && (lid ? mesh.vertex[mesh.element[i / 4][v + (v >= (int)(i % 4))]][2] > 2 - 1e-9
                          : fabs(radius_of(&mesh, i / 4, (int)(i % 4), v) - 1) < 1e-9);
        unseen[s] = unseen[s] || on;
      }
      assert_int_equal(dg_mesh_straighten_unseen(&mesh, unseen, &changed, &err), 0);
      assert_true(lid ? changed == 0 && mesh.curved == before : changed > 0 && mesh.curved < before && mesh.curved > 0);
      look_at_maps(&mesh);
      for (size_t i = 0; i < 4 * mesh.K && !lid; i++) {
        struct dg_face_map map;
        const double first = radius_of(&mesh, i / 4, (int)(i % 4), 0);
        const bool one = fabs(first - radius_of(&mesh, i / 4, (int)(i % 4), 1)) < 1e-9 &&
                         fabs(first - radius_of(&mesh, i / 4, (int)(i % 4), 2)) < 1e-9;
        if (mesh.surface[i / 4][i % 4] < 0 || !one) continue;
        assert_int_equal(dg_face_map_of(&mesh, i / 4, (int)(i % 4), &map), fabs(first - 1) > 1e-9);
        faces[fabs(first - 1) > 1e-9]++;
      }
      assert_true(lid || (faces[0] > 10 && faces[1] > 10));
      dg_mesh_release(&mesh);
    }
}

/* The highest rate of an element (curve.h), 1/m^2: at the points of its slopes. */
static double highest_rate(const struct dg_mesh *mesh)
{
  struct dg_shape_slopes slopes;
  struct dg_error err = {0};
  double highest = 0;
  assert_int_equal(dg_shape_slopes_init(&slopes, 2, &err), 0);
  for (size_t e = 0; e < mesh->K; e++)
    for (size_t p = 0; p < slopes.points; p++) {
      double tangent[3][3];
      dg_mesh_map(mesh, e, slopes.place[p], NULL, tangent);
      highest = fmax(highest, dg_shape_rate((const double(*)[3])tangent));
    }
  dg_shape_slopes_release(&slopes);
  return highest;
}

static bool said(const struct dg_mesh_report *report, bool warning, const char *text)
{
  for (size_t i = 0; i < report->notes; i++)
    if (report->note[i].warning == warning && strstr(report->note[i].text, text) != NULL) return true;
  return false;
}

/* Elements that are large for a thin rod would fold, or shorten the steps. The mesh around it is mended: the rod is
 * round, and steps are at most 1.5 times shorter than those of straight elements. */
static void test_coarse_rod(void **state)
{
  (void)state;
  static const char rod[] = "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 4, 4, 4};\n"
                            "Cylinder(2) = {0, 0, 0, 0, 0, 4, 0.6, Pi/2};\n"
                            "BooleanDifference{ Volume{1}; Delete; }{ Volume{2}; Delete; }\n";
  const double exact = 64 - 3.14159265358979 * 0.36;
  struct dg_error err = {0};
  struct dg_mesh mesh = load(write_file("a.geo", rod), 1, 1);
  const double straight = highest_rate(&mesh);
  dg_mesh_release(&mesh);
  for (int own = 0; own < 2; own++) {
    struct dg_mesh_report report = {0};
    const struct dg_mesh_options options = {
        .file = path, .unit = 1, .size = 1, .geometry = 2, .own_geometry = own == 1, .report = &report};
    if (dg_mesh_load(&mesh, &options, &err) != 0) fail_msg("%s", err.message);
    assert_true(mesh.curved > 0);
    if (!(highest_rate(&mesh) <= 1.5 * 1.5 * straight)) fail_msg("%.4g of %.4g", highest_rate(&mesh), straight);
    if (!(fabs(volume_of(&mesh) - exact) < 2e-3 * (64 - exact))) fail_msg("%.8g for %.8g", volume_of(&mesh), exact);
    assert_true(said(&report, false, "could not follow their curves without folding, or shortening the steps, now 0"));
    assert_false(said(&report, false, "follow their curves less closely"));
    dg_mesh_report_release(&report);
    dg_mesh_release(&mesh);
  }
}

/* Balls in a box, coarser and coarser: the ball's volume is that of the geometry within 0.2 %, or a warning says what
 * it is, and what it should be. Radii of 20 mm, as in a report: size 18 mm took 6.5 % of the volume in silence. */
static void test_balls(void **state)
{
  (void)state;
  static const char ball[] =
      "SetFactory(\"OpenCASCADE\");\nMesh.RandomSeed = %d;\nBox(1) = {-36, -36, -36, 72, 72, 72};\n"
      "Sphere(2) = {0, 0, 0, 20};\nBooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }\n"
      "Physical Volume(\"ball\") = {2};\nPhysical Volume(\"air\") = {3};\n";
  static const double size[] = {15, 18};
  const double exact = 4.0 / 3 * 3.14159265358979 * 8e-6;
  struct dg_error err = {0};
  for (int i = 0; i < 4; i++) {
    char text[500];
    double volume = 0, followed = 0, wanted = 0;
    struct dg_mesh mesh;
    struct dg_mesh_report report = {0};
    (void)snprintf(text, sizeof text, ball, 1 + i / 2);
    const struct dg_mesh_options options = {.file = write_file("a.geo", text),
                                            .unit = 1e-3,
                                            .size = size[i % 2],
                                            .geometry = 2,
                                            .own_geometry = true,
                                            .report = &report};
    if (dg_mesh_load(&mesh, &options, &err) != 0) fail_msg("%s", err.message);
    for (size_t e = 0; e < mesh.K; e++)
      if (dg_mesh_entity_in_group(&mesh, mesh.volume[e], "ball")) volume += element_volume(&mesh, e);
    for (size_t n = 0; n < report.notes; n++) {
      const char *found = strstr(report.note[n].text, "'ball' is ");
      if (found != NULL && report.note[n].warning) (void)sscanf(strchr(found, '('), "(%lf for %lf", &followed, &wanted);
    }
    if (fabs(volume / exact - 1) > 2e-3) {
      if (wanted == 0) fail_msg("size %g: %.6g for %.6g in silence", size[i % 2], volume, exact);
      if (!(fabs(followed / volume - 1) < 1e-3 && fabs(wanted / exact - 1) < 1e-3))
        fail_msg("size %g: %.6g for %.6g, said %.6g for %.6g", size[i % 2], volume, exact, followed, wanted);
    }
    dg_mesh_report_release(&report);
    dg_mesh_release(&mesh);
  }
}

#define V2(nodes, elements)                                                                                            \
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" nodes "$EndNodes\n$Elements\n" elements "$EndElements\n"
#define TETRAHEDRON "10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 .5 0 0\n6 .5 .5 0\n7 0 .5 0\n"
#define ELEMENT     "1\n24 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n"

static struct dg_mesh_options second(const char *text)
{
  return (struct dg_mesh_options){.file = write_file("a.msh", text), .unit = 1, .geometry = 2};
}

static void test_files(void **state)
{
  (void)state;
  struct dg_mesh mesh;
  struct dg_error err = {0};
  double x[3];
  const double middle[3] = {0, -1, 0}; /* half way from vertex 1 to vertex 3, in the order of the file (0.5, 0, 0.5) */
  struct dg_mesh_options options = second(V2(TETRAHEDRON "8 0 0 .5\n9 0 .5 .5\n10 .6 0 .6\n", ELEMENT));
  if (dg_mesh_load(&mesh, &options, &err) != 0) fail_msg("%s", err.message);
  assert_int_equal(mesh.curved, 1);
  dg_mesh_map(&mesh, 0, middle, x, NULL);
  assert_true(fabs(x[0] - 0.6) < 1e-15 && fabs(x[1]) < 1e-15 && fabs(x[2] - 0.6) < 1e-15);
  dg_mesh_release(&mesh);
  refuse(second(V2(TETRAHEDRON "8 0 0 .5\n9 0 .5 .5\n10 0 .9 0\n", ELEMENT)), "curved element 24 folds at",
         "Mesh.ElementOrder = 1", "a.msh", NULL);
  refuse(second(V2(TETRAHEDRON "8 0 0 .5\n9 0 .5 .5\n10 nan 0 .5\n", ELEMENT)), "a.msh", NULL);
  refuse(second(V2("4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", "1\n24 4 2 1 1 1 2 3 4\n")),
         "the file holds a mesh of order 1, but mesh.geometry is 2", NULL);
  refuse(second(V2(TETRAHEDRON "8 0 0 .5\n9 0 .5 .5\n10 .5 0 .5\n",
                   "2\n24 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n25 4 2 1 2 1 3 2 4\n")),
         "the elements of a mesh have one order", NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_volumes_converge),
      cmocka_unit_test(test_units),
      cmocka_unit_test(test_given_orders),
      cmocka_unit_test(test_flat),
      cmocka_unit_test(test_straighten),
      cmocka_unit_test(test_straighten_elements),
      cmocka_unit_test(test_straighten_unseen),
      cmocka_unit_test(test_coarse_rod),
      cmocka_unit_test(test_balls),
      cmocka_unit_test(test_files),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
