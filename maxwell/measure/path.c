/* Integrals of E and H along paths, as functionals of the problem: voltages and currents. current.c and voltage.c call
 * it. Fields are polynomials in every straight element, so that a Gauss rule on each piece of a path is exact. In a
 * curved element they are smooth, and the rule has more points. */
#include "maxwell/measure/path.h"

#include <stdlib.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/find/invert.h"
#include "libdg/mesh/find/segment.h"
#include "libdg/mesh/mesh_check.h"
#include "libdg/ref/quadrature.h"
#include "maxwell/problem/curved.h"

#define UNCOVERED_SAID 1e-6 /* part of the path: less than this outside the mesh is rounding of the geometry */

static int by_element(const void *a, const void *b)
{
  const struct dg_path_piece *p = a, *q = b;
  if (p->element != q->element) return p->element < q->element ? -1 : 1;
  if (p->segment != q->segment) return p->segment < q->segment ? -1 : 1;
  return p->begin < q->begin ? -1 : p->begin > q->begin;
}

static int check_outside(const struct mx_measure *measure, const struct mx_measure_scene *scene, const char *what,
                         const struct dg_path *path, struct dg_error *err)
{
  const struct mx_measure_config *config = measure->config;
  if (path->outside > 0.5 * path->length) {
    char span[300];
    if (mx_measure_span(scene->mesh, scene->problem->comm, config->points, (const double(*)[3])config->point, span,
                        sizeof span, err) != 0)
      return err->code;
    return dg_fail(err, DG_INPUT, MX_PLACE "%s '%s': %.4g m of its path of %.4g m are outside the mesh, %s",
                   MX_AT(config->where), what, config->name, path->outside, path->length, span);
  }
  if (path->outside > UNCOVERED_SAID * path->length)
    dg_log_line(scene->log, "%s   '%s': %.4g m of its path of %.4g m are outside the mesh and count as conductor", what,
                config->name, path->outside, path->length);
  return 0;
}

/* Adds the integral over a piece to the functional's weights of its element, weight[3][Np]. */
static void add_piece(const struct mx_measure_config *config, const struct dg_path_piece *piece,
                      const struct dg_mesh *mesh, const struct dg_reference *ref, double *weight)
{
  enum { RULE_MAX = DG_ORDER_MAX / 2 + 1 };
  size_t Np = (size_t)ref->Np;
  const double *from = config->point[piece->segment], *to = config->point[(piece->segment + 1) % config->points];
  int n = ref->order / 2 + 1; /* exact up to degree 2 n - 1 >= order */
  double t[RULE_MAX], rule[RULE_MAX], value[DG_NP_MAX];
  dg_gauss_legendre(n, t, rule);
  for (int q = 0; q < n; q++) {
    double at = piece->begin + t[q] * (piece->end - piece->begin), x[3], bary[4];
    for (int d = 0; d < 3; d++) x[d] = from[d] + at * (to[d] - from[d]);
    dg_mesh_barycentric(mesh, piece->element, x, bary);
    dg_reference_interpolate(ref, 2 * bary[1] - 1, 2 * bary[2] - 1, 2 * bary[3] - 1, value);
    double part = rule[q] * (piece->end - piece->begin);
    for (size_t d = 0; d < 3; d++)
      for (size_t i = 0; i < Np; i++) weight[d * Np + i] += part * (to[d] - from[d]) * value[i];
  }
}

/* The same in curved element k. Along a piece dx the integrand is the sum of covariant components u_a times dr_a; the
 * components at the nodes are tangent_a . E. */
static void add_curved_piece(const struct mx_measure_config *config, const struct dg_path_piece *piece,
                             const struct dg_inverse *inverse, const struct mx_problem *problem, size_t k,
                             double *weight)
{
  enum { POINTS = 16 };
  const struct dg_reference *ref = problem->ref;
  const size_t Np = (size_t)ref->Np;
  const double *from = config->point[piece->segment], *to = config->point[(piece->segment + 1) % config->points];
  double t[POINTS], rule[POINTS], along[3][DG_NP_MAX] = {{0}};
  dg_gauss_legendre(POINTS, t, rule);
  for (int q = 0; q < POINTS; q++) {
    const double at = piece->begin + t[q] * (piece->end - piece->begin), part = rule[q] * (piece->end - piece->begin);
    double x[3], bary[4], metric[9], value[DG_NP_MAX];
    for (int d = 0; d < 3; d++) x[d] = from[d] + at * (to[d] - from[d]);
    dg_mesh_place(inverse, piece->element, x, bary);
    const double place[3] = {2 * bary[1] - 1, 2 * bary[2] - 1, 2 * bary[3] - 1};
    dg_reference_interpolate(ref, place[0], place[1], place[2], value);
    (void)mx_curve_metric(problem, k, place, metric);
    for (size_t a = 0; a < 3; a++) {
      double step = 0;
      for (size_t d = 0; d < 3; d++) step += part * metric[3 * a + d] * (to[d] - from[d]);
      for (size_t i = 0; i < Np; i++) along[a][i] += step * value[i];
    }
  }
  for (size_t i = 0; i < Np; i++) {
    const double place[3] = {ref->r[i], ref->s[i], ref->t[i]};
    double tangent[3][3];
    (void)mx_curve_tangent(problem, k, place, tangent);
    for (size_t a = 0; a < 3; a++)
      for (size_t d = 0; d < 3; d++) weight[d * Np + i] += along[a][i] * tangent[a][d];
  }
}

int mx_path_init(struct mx_measure *measure, const struct mx_measure_scene *scene, bool magnetic, const char *what,
                 struct dg_error *err)
{
  const struct mx_measure_config *config = measure->config;
  struct mx_problem *problem = scene->problem;
  struct mx_measured_path *own;
  struct mx_functional *functional;
  struct dg_path path;
  struct dg_inverse inverse;
  size_t Np = (size_t)problem->ref->Np, elements = 0;
  if (DG_NEW(own, 1, err) != 0) return err->code;
  measure->own = own;
  if (dg_path_cut(&path, scene->mesh, problem->comm, config->points, (const double(*)[3])config->point, magnetic,
                  err) != 0 ||
      check_outside(measure, scene, what, &path, err) != 0)
    goto fail;
  own->length = path.length;
  own->uncovered = path.outside;
  if (path.pieces > 0) qsort(path.piece, path.pieces, sizeof *path.piece, by_element);
  for (size_t i = 0; i < path.pieces; i++) elements += i == 0 || path.piece[i].element != path.piece[i - 1].element;
  own->functional = problem->functionals;
  if (mx_problem_add_functional(problem, magnetic, elements * 3 * Np, &functional, err) != 0) goto fail;
  size_t first = 0; /* the summand at hand */
  dg_inverse_init(&inverse, scene->mesh);
  for (size_t i = 0; i < path.pieces; i++) {
    const struct dg_path_piece *piece = &path.piece[i];
    if (i > 0 && piece->element != path.piece[i - 1].element) first += 3 * Np;
    const ptrdiff_t curve = problem->curves.count > 0 ? mx_curve_find(problem, piece->element) : -1;
    if (curve >= 0) add_curved_piece(config, piece, &inverse, problem, (size_t)curve, functional->weight + first);
    else add_piece(config, piece, scene->mesh, problem->ref, functional->weight + first);
    for (size_t k = 0; k < 3 * Np; k++) functional->index[first + k] = 3 * Np * piece->element + k;
  }
fail:
  dg_path_release(&path);
  return err->code;
}

void mx_path_release(struct mx_measure *measure) { (void)measure; }

int mx_path_take(const struct mx_measure *measure, const struct mx_problem *problem, const struct mx_backend_ops *ops,
                 struct mx_backend *backend, double *part, double *scratch, struct dg_error *err)
{
  const struct mx_measured_path *own = measure->own;
  (void)problem, (void)scratch;
  if (ops->functionals(backend, own->functional, 1, true, part, err) != 0) return err->code;
  measure->kind->to_si(measure, part);
  return 0;
}

struct mx_monitor mx_path_watch(const struct mx_measure *measure)
{
  const struct mx_measured_path *own = measure->own;
  return (struct mx_monitor){.functionals = 1, .functional = &own->functional};
}

size_t mx_path_memory(const struct mx_measure *measure, const struct mx_problem *problem)
{
  const struct mx_measured_path *own = measure->own;
  return problem->functional[own->functional].count * (sizeof(size_t) + sizeof(double));
}
