/* The equations of heat on continuous elements:
 *
 *   rho c dT/dt = div(k grad T) + q - W (T - T_blood),
 *   T held, k dT/dn = f, or k dT/dn = h (T_ambient - T) on walls (n points outwards),
 *
 * in the weak form M dT/dt + A T = F(t), where M has rho c, A has k, W and h, and F has q, W T_blood, f and h
 * T_ambient. Source: H. Pennes, J. Appl. Physiol. 1 (1948) 93, for the term of the blood. */
#pragma once

#include "libdg/field/elliptic.h"
#include "maxwell/heat/heat_faces.h"

struct mx_heat_problem {
  const struct mx_config *config;
  const struct mx_heat_config *heat;
  const struct mx_heat_body *body;
  struct dg_space space;
  struct dg_elliptic *op;    /* k, rho c, h */
  struct dg_elliptic *blood; /* W as its mass; NULL: there is none */
  int32_t *holder;           /* [count] the wall that holds an unknown, or -1 */
  bool *held;                /* [count] */
  struct mx_heat_faces faces;
  double *diagonal_mass, *diagonal_rest; /* [count] of M and A */
  double *fixed;                         /* [count] load of losses, W; zero without */
  double (*x)[3];                        /* [count] places of the unknowns, m */
  double *values, *nodal;                /* room: [count], [K * Np] */
  double (*node_x)[3];                   /* [K * Np] places of all nodes, m */
  double offset;   /* temperatures here are those of the script less this, so that constants leave no rounding behind */
  bool determined; /* walls or blood hold the temperature of every part */
};

/* Makes the operators. The body must outlive it. DG_INPUT: a steady state of several parts of which one is held by
 * nothing. Release in any case. */
int mx_heat_problem_init(struct mx_heat_problem *problem, const struct mx_config *config,
                         const struct mx_heat_body *body, struct dg_error *err) DG_MUST_USE;
void mx_heat_problem_release(struct mx_heat_problem *problem);

/* y = (mass M + rest A) x */
void mx_heat_apply(const struct mx_heat_problem *problem, double mass, double rest, const double *x, double *y);
/* The heat in the body less that of `offset`, J: the integral of rho c T. */
double mx_heat_content(const struct mx_heat_problem *problem, const double *T);
