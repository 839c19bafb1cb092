/* Rules of integration from their tables, and the operators of an order's rules. The set-up calls them once. */
#include "libdg/ref/rule.h"

#include <stddef.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/ref/modal.h"
#include "libdg/ref/nodes.h"

struct point_class {
  double place[4], weight;
};

#include "libdg/ref/rule_tables.h"

/* Goes to the next of the different orders of n numbers, which begin in ascending order; false behind the last. */
static bool next_order(int n, double *x)
{
  int i = n - 2, j = n - 1;
  while (i >= 0 && x[i] >= x[i + 1]) i--;
  if (i < 0) return false;
  while (x[j] <= x[i]) j--;
  const double swap = x[i];
  x[i] = x[j];
  x[j] = swap;
  for (int a = i + 1, b = n - 1; a < b; a++, b--) {
    const double end = x[a];
    x[a] = x[b];
    x[b] = end;
  }
  return true;
}

static void ascending(int n, const double *from, double *to)
{
  for (int i = 0; i < n; i++) {
    int at = i;
    for (; at > 0 && to[at - 1] > from[i]; at--) to[at] = to[at - 1];
    to[at] = from[i];
  }
}

/* vertices: 3 or 4 */
static int expand(struct dg_rule *rule, int vertices, const struct point_class *class, int classes, int points,
                  struct dg_error *err)
{
  *rule = (struct dg_rule){0};
  if (DG_NEW(rule->place, points, err) != 0 || DG_NEW(rule->weight, points, err) != 0) {
    dg_rule_release(rule);
    return err->code;
  }
  for (int c = 0; c < classes; c++) {
    double x[4] = {0};
    ascending(vertices, class[c].place, x);
    do {
      memcpy(rule->place[rule->points], x, sizeof x);
      rule->weight[rule->points++] = class[c].weight;
    } while (next_order(vertices, x));
  }
  return 0;
}

int dg_rule_tetrahedron(struct dg_rule *rule, int order, struct dg_error *err)
{
  const int i = order - 1;
  return expand(rule, 4, tetrahedron_class + tetrahedron_rule[i].first, tetrahedron_rule[i].classes,
                tetrahedron_rule[i].points, err);
}

int dg_rule_triangle(struct dg_rule *rule, int order, struct dg_error *err)
{
  const int i = order - 1;
  return expand(rule, 3, triangle_class + triangle_rule[i].first, triangle_rule[i].classes, triangle_rule[i].points,
                err);
}

int dg_rule_points(int dim, int order)
{
  return dim == 3 ? tetrahedron_rule[order - 1].points : triangle_rule[order - 1].points;
}

void dg_rule_release(struct dg_rule *rule)
{
  dg_free(rule->place);
  dg_free(rule->weight);
  *rule = (struct dg_rule){0};
}

void dg_face_place(int f, const double towards[3], double place[3])
{
  double L[4] = {0}; /* by vertex */
  for (int i = 0; i < 3; i++) L[i < f ? i : i + 1] = towards[i];
  for (int a = 0; a < 3; a++) place[a] = 2 * L[a + 1] - 1;
}

/* project[n][points] = mass^-1 at^T weights, whose sum is `measure`. In the orthonormal basis, nodes[n][n] at the nodes
 * and points[points][n] at the points, mass^-1 is nodes nodes^T, and the product is nodes points^T weights: nothing is
 * inverted. With an inverse, projection of interpolation was off from 1 by 6e-12 at order 8, and so were the two
 * backends from each other; now it is 1e-13. */
static void projection(int n, const double *nodes, const double *points, const struct dg_rule *rule, double measure,
                       double *project)
{
  for (int i = 0; i < n; i++)
    for (int q = 0; q < rule->points; q++) {
      double sum = 0;
      for (int m = 0; m < n; m++) sum += nodes[i * n + m] * points[q * n + m];
      project[i * rule->points + q] = measure * rule->weight[q] * sum;
    }
}

static void at_triangle(int order, const double towards[3], double *value)
{
  dg_modal_triangle(order, -towards[0] + towards[1] - towards[2], -towards[0] - towards[1] + towards[2], value);
}

static int fill_projections(struct dg_quadrature *quadrature, const struct dg_reference *ref, struct dg_error *err)
{
  const int p = ref->order, Np = ref->Np, Nf = ref->Nf;
  const struct dg_rule *volume = &quadrature->volume, *face = &quadrature->face;
  double *nodes = NULL, *points = NULL;
  if (DG_NEW(nodes, Np * Np, err) == 0 && DG_NEW(points, volume->points * Np, err) == 0) {
    for (int i = 0; i < Np; i++) dg_modal_basis(p, ref->r[i], ref->s[i], ref->t[i], nodes + i * Np);
    for (int q = 0; q < volume->points; q++) {
      const double *place = quadrature->place[q];
      dg_modal_basis(p, place[0], place[1], place[2], points + q * Np);
    }
    projection(Np, nodes, points, volume, 4.0 / 3, quadrature->project);
    for (int k = 0, m = 0; k <= p; k++)
      for (int j = 0; j + k <= p; j++, m++) {
        const int index[3] = {p - j - k, j, k};
        double towards[3];
        dg_recursive_node(2, p, index, towards);
        at_triangle(p, towards, nodes + m * Nf);
      }
    for (int q = 0; q < face->points; q++) at_triangle(p, face->place[q], points + q * Nf);
    projection(Nf, nodes, points, face, 2, quadrature->face_project);
  }
  dg_free(nodes);
  dg_free(points);
  return err->code;
}

static int fill(struct dg_quadrature *quadrature, const struct dg_reference *ref, struct dg_error *err)
{
  const int Np = ref->Np, Nf = ref->Nf;
  const struct dg_rule *volume = &quadrature->volume, *face = &quadrature->face;
  double weight[DG_NP_MAX], place[3];
  for (int q = 0; q < volume->points; q++) {
    for (int a = 0; a < 3; a++) quadrature->place[q][a] = 2 * volume->place[q][a + 1] - 1;
    dg_reference_interpolate(ref, quadrature->place[q][0], quadrature->place[q][1], quadrature->place[q][2],
                             quadrature->at + q * Np);
  }
  /* The basis of the volume, on a face, is that of the face. */
  for (int q = 0; q < face->points; q++) {
    dg_face_place(0, face->place[q], place);
    dg_reference_interpolate(ref, place[0], place[1], place[2], weight);
    for (int m = 0; m < Nf; m++) quadrature->face_at[q * Nf + m] = weight[ref->face_node[m]];
  }
  return fill_projections(quadrature, ref, err);
}

int dg_quadrature_init(struct dg_quadrature *quadrature, const struct dg_reference *ref, struct dg_error *err)
{
  struct dg_rule *volume = &quadrature->volume, *face = &quadrature->face;
  *quadrature = (struct dg_quadrature){0};
  if (dg_rule_tetrahedron(volume, ref->order, err) != 0 || dg_rule_triangle(face, ref->order, err) != 0 ||
      DG_NEW(quadrature->place, volume->points, err) != 0 ||
      DG_NEW(quadrature->at, volume->points * ref->Np, err) != 0 ||
      DG_NEW(quadrature->project, volume->points * ref->Np, err) != 0 ||
      DG_NEW(quadrature->face_at, face->points * ref->Nf, err) != 0 ||
      DG_NEW(quadrature->face_project, face->points * ref->Nf, err) != 0 || fill(quadrature, ref, err) != 0)
    dg_quadrature_release(quadrature);
  return err->code;
}

void dg_quadrature_release(struct dg_quadrature *quadrature)
{
  dg_rule_release(&quadrature->volume);
  dg_rule_release(&quadrature->face);
  dg_free(quadrature->place);
  dg_free(quadrature->at);
  dg_free(quadrature->project);
  dg_free(quadrature->face_at);
  dg_free(quadrature->face_project);
  *quadrature = (struct dg_quadrature){0};
}
