/* Derivatives, lifts and masses in the sectors of the half turns are those of the whole matrices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "libdg/base/memory.h"
#include "maxwell/backend/frame/symmetry.h"

static const int character[4][4] = {{1, 1, 1, 1}, {1, 1, -1, -1}, {1, -1, 1, -1}, {1, -1, -1, 1}}; /* [turn][sector] */

/* Sums over orbits of sector s; with `back` coefficients of sector s are added to the nodes instead. */
static void sector(const struct mx_symmetry *symmetry, int order, int s, double *node, double *unknown, bool back)
{
  size_t j = 0;
  const int32_t *i = symmetry->node;
  for (int k = 0; k < MX_QUADS(order); k++, i += 4, j++)
    for (int g = 0; g < 4; g++)
      if (back) node[i[g]] += character[g][s] * unknown[j];
      else unknown[j] += character[g][s] * node[i[g]];
  for (int by = 1; by < 4; by++)
    for (int k = 0; k < MX_PAIRS(order); k++, i += 2) {
      if (s != 0 && s != by) continue;
      for (int end = 0; end < 2; end++)
        if (back) node[i[end]] += (s != 0 && end == 1 ? -1 : 1) * unknown[j];
        else unknown[j] += (s != 0 && end == 1 ? -1 : 1) * node[i[end]];
      j++;
    }
  if (MX_FIXED(order) && s == 0) {
    if (back) node[i[0]] += unknown[j];
    else unknown[j] += node[i[0]];
    j++;
  }
  assert_int_equal(j, mx_sector_size(order, s));
}

static void fill(double *x, size_t n)
{
  for (size_t i = 0; i < n; i++) x[i] = cos(1.7 * (double)i + 0.3 * (double)(i * i));
}

static void begin(int order, struct dg_reference *ref, struct mx_symmetry *symmetry)
{
  struct dg_error err = {0};
  assert_int_equal(dg_reference_init(ref, order, &err), 0);
  assert_int_equal(mx_symmetry_init(symmetry, ref, &err), 0);
}

static void end(struct dg_reference *ref, struct mx_symmetry *symmetry)
{
  mx_symmetry_release(symmetry);
  dg_reference_release(ref);
}

static void test_derivatives(void **state)
{
  (void)state;
  for (int order = 1; order <= DG_ORDER_MAX; order++) {
    struct dg_reference ref;
    struct mx_symmetry symmetry;
    begin(order, &ref, &symmetry);
    size_t Np = (size_t)ref.Np;
    double u[DG_NP_MAX];
    fill(u, Np);
    for (int c = 1; c <= 3; c++) {
      double expected[DG_NP_MAX] = {0}, found[DG_NP_MAX] = {0}, largest = 0;
      for (size_t i = 0; i < Np; i++)
        for (size_t j = 0; j < Np; j++)
          for (int a = 0; a < 3; a++) expected[i] += (a == c - 1 ? 0.5 : -0.5) * ref.D[a][i * Np + j] * u[j];
      for (int s = 0; s < 4; s++) {
        double in[DG_NP_MAX] = {0}, out[DG_NP_MAX] = {0};
        sector(&symmetry, order, s, u, in, false);
        for (size_t i = 0; i < mx_sector_size(order, s ^ c); i++)
          for (size_t j = 0; j < mx_sector_size(order, s); j++)
            out[i] += mx_symmetry_derivative(&symmetry, &ref, c, s, i, j) * in[j];
        sector(&symmetry, order, s ^ c, found, out, true);
      }
      for (size_t i = 0; i < Np; i++) largest = fmax(largest, fabs(expected[i]));
      for (size_t i = 0; i < Np; i++) assert_true(fabs(found[i] - expected[i]) < 1e-12 * largest);
    }
    end(&ref, &symmetry);
  }
}

static void test_lifts(void **state)
{
  (void)state;
  for (int order = 1; order <= DG_ORDER_MAX; order++) {
    struct dg_reference ref;
    struct mx_symmetry symmetry;
    begin(order, &ref, &symmetry);
    size_t Np = (size_t)ref.Np, Nf = (size_t)ref.Nf;
    double flux[4 * DG_NF_MAX] = {0}, expected[DG_NP_MAX] = {0}, found[DG_NP_MAX] = {0}, largest = 0;
    fill(flux, 4 * Nf);
    for (size_t i = 0; i < Np; i++)
      for (size_t m = 0; m < 4 * Nf; m++) expected[i] += ref.lift[i * 4 * Nf + m] * flux[m];
    for (int s = 0; s < 4; s++) {
      double in[DG_NF_MAX] = {0}, out[DG_NP_MAX] = {0};
      for (size_t f = 0; f < 4; f++)
        for (size_t m = 0; m < Nf; m++) in[symmetry.place[f * Nf + m]] += character[f][s] * flux[f * Nf + m];
      for (size_t i = 0; i < mx_sector_size(order, s); i++)
        for (size_t m = 0; m < Nf; m++) out[i] += mx_symmetry_lift(&symmetry, &ref, s, i, m) * in[m];
      sector(&symmetry, order, s, found, out, true);
    }
    for (size_t i = 0; i < Np; i++) largest = fmax(largest, fabs(expected[i]));
    for (size_t i = 0; i < Np; i++) assert_true(fabs(found[i] - expected[i]) < 1e-12 * largest);
    end(&ref, &symmetry);
  }
}

static void test_mass(void **state)
{
  (void)state;
  for (int order = 1; order <= DG_ORDER_MAX; order++) {
    struct dg_reference ref;
    struct mx_symmetry symmetry;
    begin(order, &ref, &symmetry);
    const size_t Np = (size_t)ref.Np;
    double u[DG_NP_MAX], v[DG_NP_MAX], expected = 0, found = 0, size = 0;
    fill(u, Np);
    fill(v, Np);
    for (size_t i = 0; i < Np; i++) v[i] *= u[(i + 1) % Np];
    for (size_t i = 0; i < Np; i++)
      for (size_t j = 0; j < Np; j++) {
        expected += u[i] * ref.mass[i * Np + j] * v[j];
        size += fabs(u[i] * ref.mass[i * Np + j] * v[j]);
      }
    for (int s = 0; s < 4; s++) {
      double left[DG_NP_MAX] = {0}, right[DG_NP_MAX] = {0};
      sector(&symmetry, order, s, u, left, false);
      sector(&symmetry, order, s, v, right, false);
      for (size_t i = 0; i < mx_sector_size(order, s); i++)
        for (size_t j = 0; j < mx_sector_size(order, s); j++)
          found += left[i] * mx_symmetry_mass(&symmetry, &ref, s, i, j) * right[j];
    }
    assert_true(fabs(found - expected) < 1e-13 * size);
    end(&ref, &symmetry);
  }
}

static bool on_face(const struct dg_reference *ref, size_t f, int32_t node)
{
  for (size_t m = 0; m < (size_t)ref->Nf; m++)
    if (ref->face_node[f * (size_t)ref->Nf + m] == node) return true;
  return false;
}

/* Where the members of orbits of four on a face are: see symmetry.h. */
static void test_order(void **state)
{
  (void)state;
  for (int order = 1; order <= DG_ORDER_MAX; order++) {
    struct dg_reference ref;
    struct mx_symmetry symmetry;
    begin(order, &ref, &symmetry);
    const size_t quads = (size_t)MX_QUADS(order), faces = (size_t)(order - 1) * (size_t)(order - 2) / 2;
    const size_t edge = (size_t)(order - 1) / 2; /* orbits of each of the three pairs of edges, middles left out */
    const size_t vertex = faces + 3 * edge;
    int seen[DG_NP_MAX] = {0};
    for (int i = 0; i < ref.Np; i++) seen[symmetry.node[i]]++;
    for (int i = 0; i < ref.Np; i++) assert_int_equal(seen[i], 1);
    for (size_t f = 0; f < 4; f++)
      for (size_t g = 0; g < 4; g++)
        for (size_t o = 0; o < quads; o++) {
          const size_t start = faces + ((f ^ g) - 1) * edge; /* of the edge that face f ^ g has with face 0 */
          const bool expected = f == g ? o < vertex : (o >= start && o < start + edge) || o == vertex;
          assert_int_equal(on_face(&ref, f, symmetry.node[4 * o + g]), expected);
        }
    end(&ref, &symmetry);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_derivatives), cmocka_unit_test(test_lifts),
                                     cmocka_unit_test(test_mass), cmocka_unit_test(test_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
