/* Merged nodes against the coordinates, which the code under test never looks at. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "libdg/io/node_merge.h"
#include "libdg/io/tests/cube.h"
#include "libdg/geometry/geometry.h"

struct setup {
  struct dg_mesh mesh;
  struct dg_reference ref;
  struct dg_node_merge merge;
  double (*x)[3]; /* [nodes] */
};

static void set_up(struct setup *s, int cells, int p)
{
  struct dg_error err = {0};
  assert_int_equal(cube_mesh(&s->mesh, cells, &err), 0);
  assert_int_equal(dg_reference_init(&s->ref, p, &err), 0);
  assert_int_equal(dg_node_merge_init(&s->merge, &s->mesh, &s->ref, NULL, &err), 0);
  assert_int_equal(DG_NEW(s->x, s->merge.nodes, &err), 0);
  for (size_t n = 0; n < s->merge.nodes; n++) {
    const size_t e = n / (size_t)s->ref.Np, i = n % (size_t)s->ref.Np;
    dg_geometry_point(&s->mesh, e, s->ref.r[i], s->ref.s[i], s->ref.t[i], s->x[n]);
  }
}

static void tear_down(struct setup *s)
{
  dg_free(s->x);
  dg_node_merge_release(&s->merge);
  dg_reference_release(&s->ref);
  dg_mesh_release(&s->mesh);
}

static int same_place(const double a[3], const double b[3])
{
  return fabs(a[0] - b[0]) < 1e-9 && fabs(a[1] - b[1]) < 1e-9 && fabs(a[2] - b[2]) < 1e-9;
}

/* Two nodes have the same number exactly when they are in the same place; and on Kuhn's cube of n cells a side the
 * number of places is (n p + 1)^3. */
static void test_same_point_same_number(void **state)
{
  (void)state;
  for (int p = 1; p <= 4; p++) {
    struct setup s;
    set_up(&s, 2, p);
    const size_t side = 2 * (size_t)p + 1;
    assert_int_equal(s.merge.points, side * side * side);
    for (size_t a = 0; a < s.merge.nodes; a++) {
      assert_in_range(s.merge.point[a], 0, s.merge.points - 1);
      for (size_t b = 0; b < a; b++)
        if ((s.merge.point[a] == s.merge.point[b]) != same_place(s.x[a], s.x[b]))
          fail_msg("nodes %zu and %zu at order %d", a, b, p);
    }
    tear_down(&s);
  }
}

static void test_average(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct setup s;
  double *value, *average;
  set_up(&s, 2, 3);
  assert_int_equal(DG_NEW(value, s.merge.nodes, &err), 0);
  assert_int_equal(DG_NEW(average, s.merge.points, &err), 0);
  for (size_t n = 0; n < s.merge.nodes; n++) value[n] = (double)(n / (size_t)s.ref.Np) + s.x[n][0];
  dg_node_merge_average(&s.merge, value, NULL, 0, average);
  for (size_t a = 0; a < s.merge.nodes; a += 7) {
    double sum = 0;
    int count = 0;
    for (size_t b = 0; b < s.merge.nodes; b++)
      if (same_place(s.x[a], s.x[b])) {
        sum += value[b];
        count++;
      }
    assert_int_equal(s.merge.count[s.merge.point[a]], count);
    assert_float_equal(average[s.merge.point[a]], sum / count, 1e-12);
  }
  dg_free(value);
  dg_free(average);
  tear_down(&s);
}

static void test_no_memory(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct setup s;
  set_up(&s, 1, 1);
  const size_t before = dg_memory_current();
  for (long n = 1; n <= 2; n++) {
    struct dg_node_merge merge;
    err = (struct dg_error){0};
    dg_memory_fail_at(n);
    assert_int_equal(dg_node_merge_init(&merge, &s.mesh, &s.ref, NULL, &err), DG_ENVIRONMENT);
    dg_node_merge_release(&merge);
    assert_int_equal(dg_memory_current(), before);
  }
  dg_memory_fail_at(0);
  tear_down(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_point_same_number),
      cmocka_unit_test(test_average),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
