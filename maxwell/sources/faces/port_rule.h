/* A quadrature rule on the triangles of a port, with the basis of a face at its points. Private to port*.c. */
#pragma once

#include <stddef.h>

#include "libdg/ref/quadrature.h"
#include "libdg/ref/reference.h"

enum { MX_PORT_GAUSS_MAX = DG_ORDER_MAX + 4 };

struct mx_port_rule {
  size_t count, Nf;
  double bary[MX_PORT_GAUSS_MAX * MX_PORT_GAUSS_MAX][3];
  double weight[MX_PORT_GAUSS_MAX * MX_PORT_GAUSS_MAX]; /* their sum is 1 */
  double *basis;                                        /* [count][Nf] */
  double *factor;                                       /* [Nf][Nf] lower Cholesky factor of the mass matrix per area */
};

/* Gauss points of the collapsed square, order + 4 each way. Release it in any case. */
int mx_port_rule_init(struct mx_port_rule *rule, const struct dg_reference *ref, struct dg_error *err) DG_MUST_USE;
void mx_port_rule_release(struct mx_port_rule *rule);
/* x[Nf] = inverse of the mass matrix per area times x */
void mx_port_solve_mass(const struct mx_port_rule *rule, double *x);
