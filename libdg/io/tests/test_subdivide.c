/* The subdivision fills the element exactly, meets across faces, and is positively oriented in every element. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libdg/io/subdivide.h"
#include "libdg/io/tests/cube.h"
#include "libdg/mesh/curve.h"
#include "libdg/geometry/geometry.h"

static double volume(const double a[3], const double b[3], const double c[3], const double d[3])
{
  double m[3][3];
  for (int i = 0; i < 3; i++) {
    m[0][i] = b[i] - a[i];
    m[1][i] = c[i] - a[i];
    m[2][i] = d[i] - a[i];
  }
  return (m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
          m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])) /
         6;
}

static void test_fills_reference_element(void **state)
{
  (void)state;
  for (int p = DG_ORDER_MIN; p <= DG_ORDER_MAX; p++) {
    struct dg_error err = {0};
    struct dg_reference ref;
    struct dg_subdivision sub;
    assert_int_equal(dg_reference_init(&ref, p, &err), 0);
    assert_int_equal(dg_subdivision_init(&sub, &ref, &err), 0);
    assert_int_equal(sub.count, p * p * p);
    double sum = 0;
    for (int m = 0; m < sub.count; m++) {
      double x[4][3];
      for (int i = 0; i < 4; i++) {
        const int n = sub.tet[m][i];
        assert_in_range(n, 0, ref.Np - 1);
        x[i][0] = ref.r[n];
        x[i][1] = ref.s[n];
        x[i][2] = ref.t[n];
      }
      const double part = volume(x[0], x[1], x[2], x[3]);
      assert_true(part > 1e-4 / (p * p * p));
      sum += part;
    }
    assert_float_equal(sum, 4.0 / 3.0, 1e-13);
    dg_subdivision_release(&sub);
    dg_reference_release(&ref);
  }
}

/* The place of node n on face f, or -1. */
static int place_on_face(const struct dg_reference *ref, int f, int n)
{
  for (int m = 0; m < ref->Nf; m++)
    if (ref->face_node[f * ref->Nf + m] == n) return m;
  return -1;
}

static int compare_int(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* triangles[] as sorted keys of the nodes' places on face f; returns how many. */
static int face_triangles(const struct dg_reference *ref, const struct dg_subdivision *sub, int f, int *key)
{
  int count = 0;
  for (int m = 0; m < sub->count; m++) {
    int place[4], on = 0;
    for (int i = 0; i < 4; i++) {
      const int here = place_on_face(ref, f, sub->tet[m][i]);
      if (here >= 0) place[on++] = here;
    }
    if (on != 3) continue;
    qsort(place, 3, sizeof *place, compare_int);
    key[count++] = (place[0] * DG_NF_MAX + place[1]) * DG_NF_MAX + place[2];
  }
  qsort(key, (size_t)count, sizeof *key, compare_int);
  return count;
}

static void test_faces_agree(void **state)
{
  (void)state;
  for (int p = DG_ORDER_MIN; p <= DG_ORDER_MAX; p++) {
    struct dg_error err = {0};
    struct dg_reference ref;
    struct dg_subdivision sub;
    assert_int_equal(dg_reference_init(&ref, p, &err), 0);
    assert_int_equal(dg_subdivision_init(&sub, &ref, &err), 0);
    int first[DG_ORDER_MAX * DG_ORDER_MAX * DG_ORDER_MAX], other[DG_ORDER_MAX * DG_ORDER_MAX * DG_ORDER_MAX];
    assert_int_equal(face_triangles(&ref, &sub, 0, first), p * p);
    for (int f = 1; f < 4; f++) {
      assert_int_equal(face_triangles(&ref, &sub, f, other), p * p);
      assert_memory_equal(first, other, (size_t)(p * p) * sizeof *first);
    }
    dg_subdivision_release(&sub);
    dg_reference_release(&ref);
  }
}

static void test_mirrored_elements(void **state)
{
  (void)state;
  struct dg_error err = {0};
  struct dg_mesh mesh;
  assert_int_equal(cube_mesh(&mesh, 2, &err), 0);
  int mirrored = 0;
  for (size_t e = 0; e < mesh.K; e++) {
    const int32_t *const v = mesh.element[e];
    mirrored += volume(mesh.vertex[v[0]], mesh.vertex[v[1]], mesh.vertex[v[2]], mesh.vertex[v[3]]) < 0;
  }
  assert_in_range(mirrored, 1, (int)mesh.K - 1);
  for (int p = 1; p <= 4; p++) {
    struct dg_reference ref;
    struct dg_subdivision sub;
    assert_int_equal(dg_reference_init(&ref, p, &err), 0);
    assert_int_equal(dg_subdivision_init(&sub, &ref, &err), 0);
    int(*const zone)[4] = calloc(mesh.K * (size_t)sub.count, sizeof *zone);
    assert_non_null(zone);
    dg_subdivide_mesh(&sub, &mesh, ref.Np, NULL, zone);
    double sum = 0;
    for (size_t z = 0; z < mesh.K * (size_t)sub.count; z++) {
      double x[4][3];
      for (int i = 0; i < 4; i++) {
        const size_t e = (size_t)(zone[z][i] / ref.Np);
        const int n = zone[z][i] % ref.Np;
        assert_int_equal(e, z / (size_t)sub.count);
        dg_geometry_point(&mesh, e, ref.r[n], ref.s[n], ref.t[n], x[i]);
      }
      const double part = volume(x[0], x[1], x[2], x[3]);
      assert_true(part > 0);
      sum += part;
    }
    assert_float_equal(sum, 1.0, 1e-12);
    free(zone);
    dg_subdivision_release(&sub);
    dg_reference_release(&ref);
  }
  dg_mesh_release(&mesh);
}

/* The cube within a ball: the corner planes x, y, z = 1 become parts of the unit sphere. */
static void to_ball(void *context, double x[3])
{
  const double most = fmax(x[0], fmax(x[1], x[2])), length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  (void)context;
  for (int d = 0; d < 3 && length > 0; d++) x[d] *= most / length;
}

/* Zones follow the curved map: all are positive, and together they lack 0.5 % of an eighth of a ball, where those of
 * straight elements with the same vertices lack 7 %. */
static void test_curved_elements(void **state)
{
  (void)state;
  double missing[2];
  for (int curved = 0; curved < 2; curved++) {
    struct dg_error err = {0};
    struct dg_mesh mesh;
    struct dg_reference ref;
    struct dg_subdivision sub;
    assert_int_equal(cube_mesh(&mesh, 2, &err), 0);
    if (curved) assert_int_equal(dg_mesh_bend(&mesh, 4, to_ball, NULL, &err), 0);
    for (size_t v = 0; v < mesh.vertices && !curved; v++) to_ball(NULL, mesh.vertex[v]);
    assert_int_equal(dg_reference_init(&ref, 4, &err), 0);
    assert_int_equal(dg_subdivision_init(&sub, &ref, &err), 0);
    int(*const zone)[4] = calloc(mesh.K * (size_t)sub.count, sizeof *zone);
    assert_non_null(zone);
    dg_subdivide_mesh(&sub, &mesh, ref.Np, NULL, zone);
    double sum = 0;
    for (size_t z = 0; z < mesh.K * (size_t)sub.count; z++) {
      double x[4][3];
      for (int i = 0; i < 4; i++) {
        const int n = zone[z][i] % ref.Np;
        dg_geometry_point(&mesh, (size_t)(zone[z][i] / ref.Np), ref.r[n], ref.s[n], ref.t[n], x[i]);
      }
      const double part = volume(x[0], x[1], x[2], x[3]);
      assert_true(part > 0);
      sum += part;
    }
    missing[curved] = 1 - sum / (4 * acos(-1.0) / 24);
    print_message("%s: %.3g of the volume is missing\n", curved ? "curved" : "straight", missing[curved]);
    free(zone);
    dg_subdivision_release(&sub);
    dg_reference_release(&ref);
    dg_mesh_release(&mesh);
  }
  assert_true(missing[0] > 0.05 && missing[1] > 0 && missing[1] < 0.01);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fills_reference_element),
      cmocka_unit_test(test_faces_agree),
      cmocka_unit_test(test_mirrored_elements),
      cmocka_unit_test(test_curved_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
