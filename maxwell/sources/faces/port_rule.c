/* The rule of integration on the faces of ports, and the inverse of their mass matrix. port_build.c calls it. */
#include "maxwell/sources/faces/port_rule.h"

#include <math.h>

#include "libdg/base/memory.h"

void mx_port_rule_release(struct mx_port_rule *rule)
{
  dg_free(rule->basis);
  dg_free(rule->factor);
}

int mx_port_rule_init(struct mx_port_rule *rule, const struct dg_reference *ref, struct dg_error *err)
{
  size_t n = (size_t)ref->order + 4, Nf = (size_t)ref->Nf;
  double x[MX_PORT_GAUSS_MAX], w[MX_PORT_GAUSS_MAX], all[DG_NP_MAX];
  rule->count = n * n;
  rule->Nf = Nf;
  if (DG_NEW(rule->basis, rule->count * Nf, err) != 0 || DG_NEW(rule->factor, Nf * Nf, err) != 0) return err->code;
  dg_gauss_legendre((int)n, x, w);
  for (size_t q = 0; q < rule->count; q++) {
    const size_t i = n - 1 - q / n, j = n - 1 - q % n;
    double b = x[i], c = x[j] * (1 - b); /* the square collapsed to a triangle */
    rule->weight[q] = 2 * (1 - b) * w[i] * w[j];
    rule->bary[q][0] = 1 - b - c;
    rule->bary[q][1] = b;
    rule->bary[q][2] = c;
    /* Face 3 has the vertices 0, 1, 2. The nodes of every face have the same order. */
    dg_reference_interpolate(ref, 2 * b - 1, 2 * c - 1, -1, all);
    for (size_t m = 0; m < Nf; m++) rule->basis[q * Nf + m] = all[ref->face_node[3 * Nf + m]];
  }
  double *L = rule->factor;
  for (size_t i = 0; i < Nf; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = 0.5 * ref->face_mass[i * Nf + j]; /* the reference triangle has area 2 */
      for (size_t k = 0; k < j; k++) sum -= L[i * Nf + k] * L[j * Nf + k];
      L[i * Nf + j] = i == j ? sqrt(sum) : sum / L[j * Nf + j];
    }
  return 0;
}

void mx_port_solve_mass(const struct mx_port_rule *rule, double *x)
{
  size_t Nf = rule->Nf;
  const double *L = rule->factor;
  for (size_t i = 0; i < Nf; i++) {
    for (size_t k = 0; k < i; k++) x[i] -= L[i * Nf + k] * x[k];
    x[i] /= L[i * Nf + i];
  }
  for (size_t i = Nf; i-- > 0;) {
    for (size_t k = i + 1; k < Nf; k++) x[i] -= L[k * Nf + i] * x[k];
    x[i] /= L[i * Nf + i];
  }
}
