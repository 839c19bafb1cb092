/* Rules of integration from their tables, and the operators of an order's rules. The set-up calls them once. */
#include "libdg/ref/rule.h"

#include <stddef.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/ref/dense.h"

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

/* project[n][points] = mass^-1 at^T weights, whose sum is `measure` */
static int projection(int n, const double *mass, const struct dg_rule *rule, double measure, const double *at,
                      double *project, struct dg_error *err)
{
  double *inverse = NULL, *right = NULL;
  int status = -1;
  if (DG_NEW(inverse, n * n, err) == 0 && DG_NEW(right, n * rule->points, err) == 0) {
    memcpy(inverse, mass, (size_t)n * (size_t)n * sizeof *inverse);
    for (int i = 0; i < n; i++)
      for (int q = 0; q < rule->points; q++) right[i * rule->points + q] = at[q * n + i] * rule->weight[q] * measure;
    if (dg_dense_invert(n, inverse, err) == 0 &&
        dg_dense_multiply(n, rule->points, n, inverse, false, right, project, err) == 0)
      status = 0;
  }
  dg_free(inverse);
  dg_free(right);
  return status;
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
  if (projection(Np, ref->mass, volume, 4.0 / 3, quadrature->at, quadrature->project, err) != 0) return err->code;
  return projection(Nf, ref->face_mass, face, 2, quadrature->face_at, quadrature->face_project, err);
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
