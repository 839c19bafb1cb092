/* VTKHDF snapshots, read back through HDF5: the order of VTK's nodes, places and values at every order, curved
 * elements, averages, the shared mesh, the list of a series, and what a full disk leaves.
 * validation/vtkhdf/check.py reads files with VTK itself. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <hdf5.h>

#include "libdg/io/tests/fields.h"
#include "libdg/io/vtkhdf/vtkhdf_cell.h"
#include "libdg/io/vtkhdf/vtkhdf_index.h"
#include "libdg/io/vtkhdf/vtkhdf_writer.h"
#include "libdg/mesh/curve.h"

/* Barycentric numbers towards VTK's vertices 1, 2, 3 of all nodes of orders 1 to 8, a digit each, as
 * vtkHigherOrderTetra::BarycentricIndex of VTK 9.2.6 and 9.7.2 has them. */
static const char *const lattice_of_vtk[8] = {
    "000100010001",
    "000200020002100110010001101011",
    "000300030003100200210120020010001002201102021012101111011110",
    "000400040004100200300310220130030020010001002003301202103031022013101201102121112211011012021110120210"
    "111",
    "000500050005100200300400410320230140040030020010001002003004401302203104041032023014101301103201202102"
    "131113311122212221011013031012022021110130310120220210111211121112",
    "000600060006100200300400500510420330240150050040030020010001002003004005501402303204105051042033024015"
    "101401104201301302203103102202141114411132123213312321231222011014041012013023032031021022110140410120"
    "130230320310210220111311131113211221121112212122",
    "000700070007100200300400500600610520430340250160060050040030020010001002003004005006601502403304205106"
    "061052043034025016101501105201301401402303204104103102202302203151115511142133124214313412421331241232"
    "223322011015051012013014024033042041031021022023032110150510120130140240330420410310210220230320111411"
    "141114211311321231131121112113312213132123212222122221",
    "000800080008100200300400500600700710620530440350260170070060050040030020010001002003004005006007701602"
    "503404305206107071062053044035026017101601106201301401501502403304205105104103102202402204302303203161"
    "116611152143134125215314413512521431341251242224422233323332011016061012013014015025034043052051041031"
    "021022024042023033032110160610120130140150250340430520510410310210220240420230330320111511151115211311"
    "411421331241141131121112113114412313214142133124212312213232223322122123132221231321222",
};

static void test_lattice(void **state)
{
  (void)state;
  for (int p = 1; p <= 8; p++) {
    const int Np = (p + 1) * (p + 2) * (p + 3) / 6;
    assert_int_equal(strlen(lattice_of_vtk[p - 1]), 3 * Np);
    for (int n = 0; n < Np; n++) {
      int bary[4];
      dg_vtkhdf_lattice(p, n, bary);
      for (int i = 0; i < 3; i++) assert_int_equal(bary[i], lattice_of_vtk[p - 1][3 * n + i] - '0');
      assert_int_equal(bary[0] + bary[1] + bary[2] + bary[3], p);
    }
  }
}

/* ---- a file ---------------------------------------------------------------------------------------------------- */

struct content {
  hsize_t points, cells, connections;
  double (*point)[3], (*E)[3], *rho, *material;
  int64_t *node, *end;
  unsigned char *type;
};

static void *read_array(hid_t file, const char *name, hid_t type, size_t size, hsize_t *rows)
{
  hsize_t length[2] = {0, 1};
  const hid_t array = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(array >= 0);
  const hid_t space = H5Dget_space(array);
  assert_true(H5Sget_simple_extent_dims(space, length, NULL) >= 1);
  void *const data = calloc(length[0] * length[1] + 1, size);
  assert_true(H5Dread(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (rows != NULL) *rows = length[0];
  H5Sclose(space);
  H5Dclose(array);
  return data;
}

static void read_content(struct content *c, const char *path)
{
  hsize_t ends, parts;
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  c->point = read_array(file, "VTKHDF/Points", H5T_NATIVE_DOUBLE, sizeof(double), &c->points);
  c->node = read_array(file, "VTKHDF/Connectivity", H5T_NATIVE_INT64, sizeof(int64_t), &c->connections);
  c->end = read_array(file, "VTKHDF/Offsets", H5T_NATIVE_INT64, sizeof(int64_t), &ends);
  c->type = read_array(file, "VTKHDF/Types", H5T_NATIVE_UCHAR, 1, &c->cells);
  c->E = read_array(file, "VTKHDF/PointData/E", H5T_NATIVE_DOUBLE, sizeof(double), NULL);
  c->rho = read_array(file, "VTKHDF/PointData/rho", H5T_NATIVE_DOUBLE, sizeof(double), NULL);
  c->material = read_array(file, "VTKHDF/CellData/epsilon_r", H5T_NATIVE_DOUBLE, sizeof(double), NULL);
  int64_t *const counted = read_array(file, "VTKHDF/NumberOfPoints", H5T_NATIVE_INT64, sizeof(int64_t), &parts);
  assert_int_equal(parts, 1);
  assert_int_equal(counted[0], c->points);
  assert_int_equal(ends, c->cells + 1);
  free(counted);
  double *const time = read_array(file, "VTKHDF/FieldData/TimeValue", H5T_NATIVE_DOUBLE, sizeof(double), NULL);
  assert_true(*time > 0);
  free(time);
  H5Fclose(file);
}

static void release_content(struct content *c)
{
  free(c->point);
  free(c->node);
  free(c->end);
  free(c->type);
  free(c->E);
  free(c->rho);
  free(c->material);
}

static void write_one(struct setup *s, const char *path, bool once)
{
  struct dg_error err = {0};
  struct dg_vtkhdf_series *series;
  s->snapshot.mesh_once = once;
  s->snapshot.time = 1e-9;
  assert_int_equal(dg_vtkhdf_series_new(&series, &err), 0);
  assert_int_equal(dg_vtkhdf_write(series, path, &s->snapshot, NULL, &err), 0);
  dg_vtkhdf_series_free(series);
}

/* ---- what is in it --------------------------------------------------------------------------------------------- */

static double determinant(const double (*x)[3], const int64_t *v)
{
  double u[3][3];
  for (int i = 0; i < 3; i++)
    for (int d = 0; d < 3; d++) u[i][d] = x[v[i + 1]][d] - x[v[0]][d];
  return u[0][0] * (u[1][1] * u[2][2] - u[1][2] * u[2][1]) - u[0][1] * (u[1][0] * u[2][2] - u[1][2] * u[2][0]) +
         u[0][2] * (u[1][0] * u[2][1] - u[1][1] * u[2][0]);
}

/* Straight cells: nodes are where VTK's numbers say, values those of the polynomials, volumes add up to 1. */
static void check_straight(const struct setup *s, const struct content *c, int p)
{
  const size_t Np = (size_t)s->ref.Np;
  double volume = 0;
  assert_int_equal(c->cells, s->mesh.K);
  assert_int_equal(c->connections, s->mesh.K * Np);
  assert_int_equal(c->end[0], 0);
  for (size_t e = 0; e < c->cells; e++) {
    const int64_t *const node = c->node + e * Np;
    assert_int_equal(c->type[e], 71);
    assert_int_equal(c->end[e + 1], (e + 1) * Np);
    const double det = determinant((const double(*)[3])c->point, node);
    assert_true(det > 0);
    volume += det / 6;
    for (size_t n = 0; n < Np; n++) {
      const double *const x = c->point[node[n]];
      double v[3], rho, weight[4];
      for (int i = 0; i < 3; i++) weight[i + 1] = (double)(lattice_of_vtk[p - 1][3 * n + (size_t)i] - '0') / p;
      weight[0] = 1 - weight[1] - weight[2] - weight[3];
      for (int d = 0; d < 3; d++) {
        double wanted = 0;
        for (int i = 0; i < 4; i++) wanted += weight[i] * c->point[node[i]][d];
        assert_true(fabs(x[d] - wanted) < 1e-14);
      }
      analytic(p, x, v, &rho);
      for (int d = 0; d < 3; d++) assert_true(fabs(c->E[node[n]][d] - v[d]) < 1e-12 * pow(3.5, p));
      assert_true(fabs(c->rho[node[n]] - rho) < 1e-12 * pow(3, p));
    }
    assert_true(fabs(c->material[e] - s->material[e]) < 1e-15);
  }
  assert_true(fabs(volume - 1) < 1e-13);
}

static void test_straight(void **state)
{
  (void)state;
  for (int p = 1; p <= 8; p++)
    for (int average = 0; average <= 1; average++)
      for (int once = 0; once <= 1; once++) {
        struct setup s;
        struct content c;
        set_up(&s, 2, p);
        if (average) set_average(&s, NULL);
        write_one(&s, "vtkhdf/straight.hdf", once);
        read_content(&c, "vtkhdf/straight.hdf");
        assert_int_equal(c.points, average ? s.merge.points : s.mesh.K * (size_t)s.ref.Np);
        check_straight(&s, &c, p);
        release_content(&c);
        tear_down(&s);
      }
}

static void bend(void *context, double x[3])
{
  (void)context;
  x[0] += 0.1 * sin(2 * x[1]);
  x[1] += 0.1 * x[0] * x[2];
}

/* Curved cells: nodes are on the element's map at equispaced places; the polynomial through the values there has the
 * snapshot's values at the solver's nodes. Both are summed here with Lagrange polynomials of the lattice. */
static double lagrange(int p, const int bary[4], const double L[4])
{
  double product = 1;
  for (int i = 0; i < 4; i++)
    for (int m = 0; m < bary[i]; m++) product *= (p * L[i] - m) / (m + 1);
  return product;
}

static void check_curved(const struct setup *s, const struct content *c, int p)
{
  const size_t Np = (size_t)s->ref.Np;
  for (size_t e = 0; e < s->mesh.K; e++) {
    const int64_t *const node = c->node + e * Np;
    int vertex[4] = {0}; /* the solver's vertex at VTK's */
    for (int i = 0; i < 4; i++) {
      double L[4];
      dg_reference_barycentric(&s->ref, (int)((size_t)node[i] - e * Np), L);
      for (int v = 0; v < 4; v++)
        if (L[v] > 0.5) vertex[i] = v;
    }
    for (size_t m = 0; m < Np; m++) {
      double own[4], L[4], x[3] = {0}, v[3] = {0}, wanted[3];
      dg_reference_barycentric(&s->ref, (int)m, own);
      for (int i = 0; i < 4; i++) L[i] = own[vertex[i]];
      for (size_t n = 0; n < Np; n++) {
        int bary[4], towards[4];
        dg_vtkhdf_lattice(p, (int)n, bary);
        towards[0] = bary[3];
        for (int i = 0; i < 3; i++) towards[i + 1] = bary[i];
        const double weight = lagrange(p, towards, L);
        for (int d = 0; d < 3; d++) {
          x[d] += weight * c->point[node[n]][d];
          v[d] += weight * c->E[node[n]][d];
        }
      }
      dg_geometry_point(&s->mesh, e, s->ref.r[m], s->ref.s[m], s->ref.t[m], wanted);
      for (int d = 0; d < 3; d++) {
        if (p >= s->mesh.geometry) assert_true(fabs(x[d] - wanted[d]) < 1e-13);
        assert_true(fabs(v[d] - s->vector[(3 * e + (size_t)d) * Np + m]) < 1e-12 * pow(3.5, p));
      }
    }
  }
}

static void test_curved(void **state)
{
  (void)state;
  for (int p = 1; p <= 8; p++) {
    struct dg_error err = {0};
    struct setup s = {0};
    struct content c;
    assert_int_equal(cube_mesh(&s.mesh, 1, &err), 0);
    assert_int_equal(dg_mesh_bend(&s.mesh, p < 4 ? p : 4, bend, NULL, &err), 0);
    set_up_fields(&s, p);
    assert_true(p == 1 || s.mesh.curved > 0);
    write_one(&s, "vtkhdf/curved.hdf", true);
    read_content(&c, "vtkhdf/curved.hdf");
    check_curved(&s, &c, p);
    release_content(&c);
    tear_down(&s);
  }
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

static int names_in(const char *command)
{
  FILE *const list = popen(command, "r");
  int lines = 0;
  for (int c = fgetc(list); c != EOF; c = fgetc(list)) lines += c == '\n';
  pclose(list);
  return lines;
}

/* Two snapshots share the mesh; a mesh that somebody took away comes back; floats are rounded values. */
static void test_series(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_vtkhdf_series *series;
  struct setup s;
  struct content c;
  assert_int_equal(system("rm -rf vtkhdf && mkdir vtkhdf"), 0);
  set_up(&s, 1, 3);
  s.snapshot.mesh_once = s.snapshot.single = true;
  assert_int_equal(dg_vtkhdf_series_new(&series, &err), 0);
  for (int i = 0; i < 3; i++) {
    char path[64];
    if (i == 2) assert_int_equal(system("rm vtkhdf/blocks/mesh_*"), 0);
    snprintf(path, sizeof path, "vtkhdf/fields_%06d.hdf", i);
    assert_int_equal(dg_vtkhdf_write(series, path, &s.snapshot, NULL, &err), 0);
    assert_int_equal(names_in("ls vtkhdf/blocks"), 1);
  }
  assert_int_equal(names_in("ls vtkhdf/*.hdf"), 3);
  read_content(&c, "vtkhdf/fields_000002.hdf");
  for (size_t i = 0; i < c.points; i++) assert_true(c.rho[i] == (double)(float)c.rho[i]);
  release_content(&c);
  dg_vtkhdf_series_free(series);
  tear_down(&s);
}

static void test_list(void **state)
{
  (void)state;
  struct dg_error err = {0};
  const struct dg_snapshot_entry entry[2] = {{"fields_000000.hdf", 0}, {"fields_000100.hdf", 1.5e-9}};
  char text[512] = "";
  assert_int_equal(dg_vtkhdf_write_list("vtkhdf/fields.hdf.series", 2, entry, NULL, &err), 0);
  FILE *const file = fopen("vtkhdf/fields.hdf.series", "r");
  assert_true(fread(text, 1, sizeof text - 1, file) > 0);
  fclose(file);
  assert_string_equal(text, "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n"
                            "    {\"name\": \"fields_000000.hdf\", \"time\": 0},\n"
                            "    {\"name\": \"fields_000100.hdf\", \"time\": 1.5e-09}\n  ]\n}\n");
  assert_int_not_equal(dg_vtkhdf_write_list("vtkhdf/nowhere/a.series", 2, entry, NULL, &err), 0);
  assert_string_equal(err.message, "cannot write 'vtkhdf/nowhere/a.series': No such file or directory");
}

/* A limit on the size of files at any place: one line, and nothing is left. */
static void test_full(void **state)
{
  (void)state;
  struct rlimit before, limit;
  struct setup s;
  int failures = 0;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before);
  set_up(&s, 3, 4);
  s.snapshot.mesh_once = true;
  for (rlim_t most = 20000; most < 600000; most *= 2) {
    struct dg_error err = {0};
    struct dg_vtkhdf_series *series;
    assert_int_equal(system("rm -rf vtkhdf && mkdir vtkhdf"), 0);
    assert_int_equal(dg_vtkhdf_series_new(&series, &err), 0);
    limit = before;
    limit.rlim_cur = most;
    setrlimit(RLIMIT_FSIZE, &limit);
    const int status = dg_vtkhdf_write(series, "vtkhdf/full.hdf", &s.snapshot, NULL, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    if (status != 0) {
      failures++;
      assert_int_equal(err.code, DG_ENVIRONMENT);
      assert_non_null(strstr(err.message, "cannot write 'vtkhdf/full.hdf': File too large"));
      assert_int_equal(names_in("find vtkhdf -name '*full*'"), 0);
      assert_int_equal(names_in("find vtkhdf -name '*.part'"), 0);
    }
    dg_vtkhdf_series_free(series);
  }
  assert_true(failures > 2);
  tear_down(&s);
}

/* Every allocation may fail. */
static void test_memory(void **state)
{
  (void)state;
  struct setup s;
  int n = 0;
  set_up(&s, 1, 3);
  set_average(&s, NULL);
  s.snapshot.mesh_once = true;
  const size_t before = dg_memory_current();
  for (int done = 0; !done; n++) {
    struct dg_error err = {0};
    struct dg_vtkhdf_series *series = NULL;
    dg_memory_fail_at(n + 1);
    if (dg_vtkhdf_series_new(&series, &err) == 0)
      done = dg_vtkhdf_write(series, "vtkhdf/memory.hdf", &s.snapshot, NULL, &err) == 0;
    dg_memory_fail_at(0);
    if (!done) assert_int_equal(err.code, DG_ENVIRONMENT);
    dg_vtkhdf_series_free(series);
    assert_int_equal(dg_memory_current(), before);
  }
  assert_true(n > 10);
  tear_down(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lattice),  cmocka_unit_test(test_series), cmocka_unit_test(test_list),
      cmocka_unit_test(test_straight), cmocka_unit_test(test_curved), cmocka_unit_test(test_full),
      cmocka_unit_test(test_memory),
  };
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
