/* The frame of an element and the table of face directions against the element itself: edges are differences of its
 * vertices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "maxwell/backend/frame/frame.h"

static const double vertex[4][3] = {{0.1, -0.2, 0.3}, {1.3, 0.2, 0.1}, {0.2, 1.1, -0.4}, {-0.3, 0.4, 0.9}};
static const double u[3] = {0.7, -1.9, 0.4}; /* some vector */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void assert_near(double value, double wanted)
{
  if (!(fabs(value - wanted) <= 1e-14)) fail_msg("%.17g instead of %.17g", value, wanted);
}

/* d(r,s,t)/d(x,y,z) of the element: r, s, t run over [-1, 1] along the edges from vertex 0. */
static void metric_of(double metric[9])
{
  double edge[3][3], volume = 0;
  for (int a = 0; a < 3; a++)
    for (int d = 0; d < 3; d++) edge[a][d] = (vertex[a + 1][d] - vertex[0][d]) / 2;
  for (int a = 0; a < 3; a++)
    for (int d = 0; d < 3; d++) {
      const double *b = edge[(a + 1) % 3], *c = edge[(a + 2) % 3];
      metric[3 * a + d] = b[(d + 1) % 3] * c[(d + 2) % 3] - b[(d + 2) % 3] * c[(d + 1) % 3];
    }
  volume = dot(edge[0], metric);
  for (int i = 0; i < 9; i++) metric[i] /= volume;
}

/* The edges that span face f, which is opposite vertex f: half of those from its first vertex to the two others. */
static void edges_of(int f, double t[2][3])
{
  const int first = f == 0 ? 1 : 0, second = f <= 1 ? 2 : 1, third = f == 3 ? 2 : 3;
  for (int d = 0; d < 3; d++) {
    t[0][d] = (vertex[second][d] - vertex[first][d]) / 2;
    t[1][d] = (vertex[third][d] - vertex[first][d]) / 2;
  }
}

static void gradients_and_tangents(void **state)
{
  (void)state;
  double metric[9], g[3][3], x[3][3];
  metric_of(metric);
  mx_frame_gradients(metric, g);
  const double jacobian = mx_frame_tangents(metric, x);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) assert_near(dot(x[a], g[b]), a == b);
  for (int d = 0; d < 3; d++) /* the first bimedian joins the middles of two edges */
    assert_near(x[0][d], (vertex[0][d] + vertex[1][d] - vertex[2][d] - vertex[3][d]) / 4);
  double cross[3];
  for (int d = 0; d < 3; d++) cross[d] = x[1][(d + 1) % 3] * x[2][(d + 2) % 3] - x[1][(d + 2) % 3] * x[2][(d + 1) % 3];
  assert_near(jacobian, dot(x[0], cross));
}

static void directions(void **state)
{
  (void)state;
  double metric[9], x[3][3], own[3];
  metric_of(metric);
  (void)mx_frame_tangents(metric, x);
  for (int a = 0; a < 3; a++) own[a] = dot(x[a], u);
  for (int f = 0; f < 4; f++) {
    double t[2][3], along[2], against[2], again[2], with[3], part[3];
    edges_of(f, t);
    MX_ALONG(f, own[0], own[1], own[2], along);
    MX_AGAINST(f, own[0], own[1], own[2], against);
    MX_WITH_ALONG(f, along[0], along[1], with);
    MX_ALONG(f, with[0], with[1], with[2], again);
    for (int i = 0; i < 2; i++) {
      assert_near(along[i], dot(t[i], u));
      assert_true(against[i] == -along[i]);
      assert_true(again[i] == along[i]);
    }
    MX_FROM_ALONG(f, 0.3, -1.1, part[0], part[1], part[2]);
    for (int d = 0; d < 3; d++)
      assert_near(part[0] * x[0][d] + part[1] * x[1][d] + part[2] * x[2][d], -(0.3 * t[0][d] - 1.1 * t[1][d]));
  }
}

static void products_and_inverse(void **state)
{
  (void)state;
  double metric[9], x[3][3], g[3][3];
  metric_of(metric);
  (void)mx_frame_tangents(metric, x);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) g[a][b] = dot(x[a], x[b]);
  for (int f = 0; f < 4; f++) {
    double t[2][3], g11, g12, g22, inverse[3];
    const double aa = g[0][0], ab = g[0][1], ac = g[0][2], bb = g[1][1], bc = g[1][2], cc = g[2][2];
    edges_of(f, t);
    MX_FACE_PRODUCTS(f, aa, ab, ac, bb, bc, cc, g11, g12, g22);
    assert_near(g11, dot(t[0], t[0]));
    assert_near(g12, dot(t[0], t[1]));
    assert_near(g22, dot(t[1], t[1]));
    mx_frame_face_metric(f, (const double(*)[3])g, 2.5, inverse);
    const double area = sqrt(g11 * g22 - g12 * g12);
    assert_near(inverse[0] * g11 + inverse[1] * g12, -2.5 * area);
    assert_near(inverse[0] * g12 + inverse[1] * g22, 0);
    assert_near(inverse[1] * g12 + inverse[2] * g22, -2.5 * area);
  }
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_and_tangents),
      cmocka_unit_test(directions),
      cmocka_unit_test(products_and_inverse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
