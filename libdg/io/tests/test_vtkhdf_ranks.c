/* VTKHDF snapshots of several ranks: rank 0 reads the virtual arrays of the root back; and what a rank that cannot
 * write does to the others.
 *
 *   test_vtkhdf_ranks          in one go, in halves, two at a time, with averages
 *   test_vtkhdf_ranks limit R  the disk of rank R is full */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>
#include <hdf5.h>

#include "libdg/io/tests/fields.h"
#include "libdg/io/vtkhdf/vtkhdf_writer.h"
#include "libdg/mesh/parts/partition.h"

static struct dg_comm *comm;
static int rank, size;
static char folder[32];
static const char *sufferer; /* the rank whose disk is full; NULL: none */

static void set_up_part(struct setup *s, int p)
{
  struct dg_error err = {0};
  int32_t *owner = NULL;
  *s = (struct setup){0};
  if (rank == 0) {
    assert_int_equal(cube_mesh(&s->mesh, 3, &err), 0);
    assert_int_equal(DG_NEW(owner, s->mesh.K, &err), 0);
    assert_int_equal(dg_mesh_partition(&s->mesh, size, 0, NULL, owner, &err), 0);
  }
  assert_int_equal(dg_mesh_distribute(&s->mesh, owner, comm, &err), 0);
  dg_free(owner);
  set_up_fields(s, p);
}

static void *read_array(hid_t file, const char *name, hid_t type, size_t bytes, size_t *rows)
{
  hsize_t length[2] = {0, 1};
  const hid_t array = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(array >= 0);
  const hid_t space = H5Dget_space(array);
  assert_true(H5Sget_simple_extent_dims(space, length, NULL) >= 1);
  void *const data = calloc(length[0] * length[1] + 1, bytes);
  assert_true(H5Dread(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (rows != NULL) *rows = length[0];
  H5Sclose(space);
  H5Dclose(array);
  return data;
}

/* Every piece counts from zero, as VTK wants it; values are those of the points; all elements are there. */
static void check(const char *path, int p, bool average)
{
  size_t points, cells, parts, ends, nodes, first = 0, cell = 0, connection = 0;
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  double(*const x)[3] = read_array(file, "VTKHDF/Points", H5T_NATIVE_DOUBLE, sizeof(double), &points);
  double(*const E)[3] = read_array(file, "VTKHDF/PointData/E", H5T_NATIVE_DOUBLE, sizeof(double), NULL);
  double *const owner = read_array(file, "VTKHDF/CellData/rank", H5T_NATIVE_DOUBLE, sizeof(double), &cells);
  int64_t *const node = read_array(file, "VTKHDF/Connectivity", H5T_NATIVE_INT64, sizeof(int64_t), &nodes);
  int64_t *const end = read_array(file, "VTKHDF/Offsets", H5T_NATIVE_INT64, sizeof(int64_t), &ends);
  int64_t *const point_count = read_array(file, "VTKHDF/NumberOfPoints", H5T_NATIVE_INT64, sizeof(int64_t), &parts);
  int64_t *const cell_count = read_array(file, "VTKHDF/NumberOfCells", H5T_NATIVE_INT64, sizeof(int64_t), NULL);
  assert_int_equal(parts, size);
  assert_int_equal(cells, 6 * 27);
  assert_int_equal(ends, cells + parts);
  for (size_t part = 0; part < parts; part++) {
    const int64_t *const own = end + cell + part;
    for (int64_t e = 0; e < cell_count[part]; e++) {
      assert_true(owner[cell + (size_t)e] == (double)part);
      for (int64_t n = own[e]; n < own[e + 1]; n++) {
        const int64_t at = node[connection + (size_t)n];
        assert_true(at >= 0 && at < point_count[part]);
      }
    }
    first += (size_t)point_count[part];
    connection += (size_t)own[cell_count[part]];
    cell += (size_t)cell_count[part];
  }
  assert_int_equal(first, points);
  assert_int_equal(connection, nodes);
  if (!average) assert_int_equal(points, nodes);
  for (size_t i = 0; i < points; i++) {
    double v[3], rho;
    analytic(p, x[i], v, &rho);
    for (int d = 0; d < 3; d++) assert_true(fabs(E[i][d] - v[d]) < 1e-12 * pow(3.5, p));
  }
  free(x);
  free(E);
  free(owner);
  free(node);
  free(end);
  free(point_count);
  free(cell_count);
  H5Fclose(file);
}

static void name_path(char path[64], const char *name) { snprintf(path, 64, "%s/%s.hdf", folder, name); }

static int count_files(const char *pattern)
{
  char command[128];
  int lines = 0;
  snprintf(command, sizeof command, "find %s -name '%s'", folder, pattern);
  FILE *const list = popen(command, "r");
  for (int c = fgetc(list); c != EOF; c = fgetc(list)) lines += c == '\n';
  pclose(list);
  return lines;
}

static void write_all(int p, bool average, bool once)
{
  struct dg_error err = {0};
  struct dg_vtkhdf_series *series;
  struct setup s;
  char path[64], second[64];
  set_up_part(&s, p);
  if (average) set_average(&s, comm);
  s.snapshot.mesh_once = once;
  assert_int_equal(dg_vtkhdf_series_new(&series, &err), 0);
  name_path(path, "first");
  name_path(second, "second");
  assert_true(dg_vtkhdf_in_halves(0, false, comm));
  if (average) {
    if (dg_vtkhdf_write(series, path, &s.snapshot, comm, &err) != 0 ||
        dg_vtkhdf_write(series, second, &s.snapshot, comm, &err) != 0)
      fail_msg("%s", err.message);
  } else { /* the second is written before the first has its names */
    struct dg_vtkhdf_job *job, *other;
    assert_int_equal(dg_vtkhdf_write_part(series, &job, path, &s.snapshot, comm, &err), 0);
    assert_int_equal(dg_vtkhdf_write_part(series, &other, second, &s.snapshot, comm, &err), 0);
    assert_int_equal(dg_vtkhdf_finish(job, &err), 0);
    assert_int_equal(dg_vtkhdf_finish(other, &err), 0);
  }
  if (rank == 0) {
    check(path, p, average);
    check(second, p, average);
    assert_int_equal(count_files("*.part"), 0);
  }
  assert_int_equal(dg_comm_agree(comm, &err), 0);
  dg_vtkhdf_series_free(series);
  tear_down(&s);
}

static void writes(void **state)
{
  (void)state;
  for (int p = 1; p <= 4; p++)
    for (int once = 0; once <= 1; once++) {
      write_all(p, false, once);
      write_all(p, true, once);
    }
}

static void abandons(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_vtkhdf_series *series;
  struct dg_vtkhdf_job *job;
  struct setup s;
  char path[64];
  set_up_part(&s, 2);
  assert_int_equal(dg_vtkhdf_series_new(&series, &err), 0);
  name_path(path, "abandoned");
  assert_int_equal(dg_vtkhdf_write_part(series, &job, path, &s.snapshot, comm, &err), 0);
  assert_true(count_files("abandoned*.part") > 0);
  assert_int_equal(dg_comm_agree(comm, &err), 0);
  dg_vtkhdf_abandon(job);
  assert_int_equal(dg_comm_agree(comm, &err), 0);
  assert_int_equal(count_files("*abandoned*"), 0);
  dg_vtkhdf_abandon(NULL);
  dg_vtkhdf_series_free(series);
  tear_down(&s);
}

/* Every rank returns with the error of the one where it happened; nothing is left. */
static void fails_together(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_vtkhdf_series *series;
  struct setup s;
  char path[64];
  const struct rlimit limit = {.rlim_cur = 30000, .rlim_max = RLIM_INFINITY};
  set_up_part(&s, 4);
  signal(SIGXFSZ, SIG_IGN);
  if (atoi(sufferer) == rank) assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  assert_int_equal(dg_vtkhdf_series_new(&series, &err), 0);
  name_path(path, "fields");
  (void)!dg_comm_agree(comm, &err); /* a rank that is still in here learns of the failure of one that is not */
  const int status = dg_vtkhdf_write(series, path, &s.snapshot, comm, &err);
  dg_comm_stop(comm, &err);
  assert_int_equal(status, DG_ENVIRONMENT);
  assert_int_equal(dg_comm_settle(comm, &err), DG_ENVIRONMENT);
  if (strstr(err.message, "File too large") == NULL) fail_msg("'%s' gives another reason", err.message);
  assert_int_equal(count_files("*fields*"), 0);
  dg_vtkhdf_series_free(series);
  tear_down(&s);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest writing[] = {cmocka_unit_test(writes), cmocka_unit_test(abandons)};
  const struct CMUnitTest failing[] = {cmocka_unit_test(fails_together)};
  struct dg_error err = {0};
  char command[100];
  if (dg_comm_start(&comm, &err) != 0) return 1;
  rank = dg_comm_rank(comm);
  size = dg_comm_size(comm);
  if (argc > 2) sufferer = argv[2];
  snprintf(folder, sizeof folder, "vtkhdf_ranks_%d%s%s", size, argc > 2 ? "_" : "", argc > 2 ? argv[2] : "");
  snprintf(command, sizeof command, "rm -rf %s && mkdir %s", folder, folder);
  if (rank == 0 && system(command) != 0) return 1;
  if (dg_comm_agree(comm, &err) != 0) return 1;
  const int failed =
      argc > 2 ? cmocka_run_group_tests(failing, NULL, NULL) : cmocka_run_group_tests(writing, NULL, NULL);
  dg_comm_finish(comm, failed);
  return failed;
}
