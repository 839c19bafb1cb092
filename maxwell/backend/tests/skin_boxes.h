/* Boxes of the tests of metal walls, sheets and films. Include after growth.h and sanitized.h. */
#pragma once

#include "maxwell/terms/skin_frame.h"

/* The node that is nearest to x on the axis. */
static inline struct mx_point skin_near(const struct box *box, double x)
{
  struct mx_point best = {.weight = NULL};
  double least = INFINITY;
  for (size_t e = 0; e < box->mesh.K; e++)
    for (size_t i = 0; i < (size_t)box->ref.Np; i++) {
      double at[3];
      dg_geometry_point(&box->mesh, e, box->ref.r[i], box->ref.s[i], box->ref.t[i], at);
      if (fabs(at[0] - x) < least) least = fabs(at[0] - x), best.element = e, best.node = i;
    }
  return best;
}

/* A box of 1 m with two random media. */
static inline void skin_box(struct box *box, bool bent)
{
  *box = (struct box){0};
  box_mesh(box, (const int[]){2, 2, 2}, (const double[]){1, 0.8, 0.7}, 0.2, NULL);
  if (bent) box_bend(box, 2, 0.5, 0.5);
  box_material(box, 1, 1 + 3 * box_random(), 1 + box_random(), 0);
  box_material(box, 2, 1 + 3 * box_random(), 1 + box_random(), 0.01);
}

/* along[2][Nf], the components along the edges of face f of element e at its nodes, of v[3][Nf]. */
static inline void skin_along(const struct box *box, size_t e, size_t f, const double *v, double *along)
{
  const struct dg_reference *ref = &box->ref;
  const size_t Nf = (size_t)ref->Nf;
  for (size_t m = 0; m < Nf; m++) {
    const int32_t node = ref->face_node[f * Nf + m];
    const double at[3] = {ref->r[node], ref->s[node], ref->t[node]};
    double metric[9], x[3][3], pair[2];
    (void)mx_element_metric(&box->problem, e, at, metric);
    (void)mx_frame_tangents(metric, x);
    along[m] = along[Nf + m] = 0;
    for (size_t c = 0; c < 3; c++) {
      MX_ALONG((int)f, x[0][c], x[1][c], x[2][c], pair);
      for (size_t i = 0; i < 2; i++) along[i * Nf + m] += pair[i] * v[c * Nf + m];
    }
  }
}

/* Noise never grows below the limit of the step: looks rise by less than `most`. It does at `beyond` times the limit.
 */
static inline void skin_limit(const struct box *box, enum mx_integrator integrator, double beyond, double most,
                              const char *what)
{
  double rise, other;
  const double limit = box_limit(box, integrator), within = integrator == MX_LEAPFROG ? 0.995 : 0.98,
               below = drive_grown(&mx_backend_cpu, box, integrator, within * limit, SANITIZED ? 5 : 1000, &rise),
               above = drive_grown(&mx_backend_cpu, box, integrator, beyond * limit, SANITIZED ? 5 : 600, &other);
  print_message("%s, %s, limit %.4g: energy %.3g below (rises by %.2g), %.3g above the limit\n",
                mx_integrator_names[integrator], what, limit, below, rise, above);
  assert_true(SANITIZED || (below < 0.5 && rise < most));
  assert_true(SANITIZED || !(above < 1e3));
}

/* cpu against reference after 300 steps, from this E. */
static inline void skin_backends_agree(const struct box *box, enum mx_integrator integrator, const char *what,
                                       void (*start)(const double x[3], double t, double value[3]))
{
  static const struct mx_backend_ops *const ops[2] = {&mx_backend_reference, &mx_backend_cpu};
  const double step = 0.9 * box_limit(box, integrator);
  double *E[2], *H[2], norm = 0;
  for (int k = 0; k < 2; k++) {
    E[k] = box_field(box), H[k] = box_field(box);
    box_evaluate(box, start, 0, E[k]);
    norm = sqrt(box_product(box, NULL, E[k], E[k]));
    drive_run(ops[k], box, integrator, MX_DOUBLE, step, SANITIZED ? 5 : 300, E[k], H[k]);
  }
  const double off = box_distance(box, E[0], E[1]) / norm;
  print_message("%s%s: differ by %.2g\n", mx_integrator_names[integrator], what, off);
  assert_true(off < 1e-12);
  for (int k = 0; k < 2; k++) free(E[k]), free(H[k]);
}
