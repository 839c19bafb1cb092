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
#include "maxwell/shell/turns/turns.h"

enum { MX_HEAT_MOMENTS = 4 }; /* of a step that is taken whole and as two halves, and one more */

/* What is brought in the time from t to t + dt, on the average; with dt = 0, at t. F is the load, and the rest says
 * where it comes from. */
struct mx_heat_moment {
  double t, dt; /* t is NAN: nothing is known */
  long used;
  double *load;   /* [count] W */
  double sources; /* W, of this rank's part */
  double *wall;   /* [walls] of this rank's part: the integral of f, or of h T_ambient */
};

struct mx_heat_problem {
  const struct mx_config *config;
  const struct mx_heat_config *heat;
  const struct mx_heat_body *body;
  struct dg_space space;     /* shared by the ranks */
  struct dg_elliptic *op;    /* k, rho c, h */
  struct dg_elliptic *blood; /* W as its mass; NULL: there is none */
  int32_t *holder;           /* [count] the wall that holds an unknown, or -1 */
  bool *held;                /* [count] */
  struct mx_heat_faces faces;
  double *diagonal_mass, *diagonal_rest; /* [count] of M and A */
  double *of_one, *blood_of_one; /* [count] of M on 1, and of the blood's operator: what sums of products need */
  bool holds;                    /* some wall of the script holds its temperature */
  double *fixed;                 /* [count] load of losses, W; zero without */
  double *slope, since;          /* [count] W/s: losses are fixed + slope (t - since); NULL: they stay */
  double (*x)[3];                /* [count] places of the unknowns, m: the same on all ranks */
  double *values, *nodal;        /* room: [count], [K * Np] */
  double (*node_x)[3];           /* [K * Np] places of all nodes, m */
  struct mx_turns turns;         /* of loads and walls that are functions of time (heat_loads.c) */
  double offset;   /* temperatures here are those of the script less this, so that constants leave no rounding behind */
  bool determined; /* walls or blood hold the temperature of every part */
  size_t unknowns; /* of all ranks */
  /* Of loads (heat_loads.c): */
  struct mx_heat_moment constant, moment[MX_HEAT_MOMENTS]; /* what is the same at all times, and what was found last */
  bool varies;                                             /* some load is a function, which may depend on time */
  long asked;                                              /* how often a moment was wanted */
};

/* Makes the operators. The body must outlive it. Collective. DG_INPUT: a steady state of several parts of which one is
 * held by nothing. Release in any case. */
int mx_heat_problem_init(struct mx_heat_problem *problem, const struct mx_config *config,
                         const struct mx_heat_body *body, struct dg_error *err) DG_MUST_USE;
void mx_heat_problem_release(struct mx_heat_problem *problem);

/* What the operator is made of, with `blood` times W added to rho c; INFINITY: W alone. Release in any case. */
struct mx_heat_medium {
  struct dg_elliptic_medium medium;
  double *k, *c;
  struct dg_face_term *term;
};
int mx_heat_medium_init(struct mx_heat_medium *medium, const struct mx_heat_problem *problem, double blood,
                        struct dg_error *err) DG_MUST_USE;
void mx_heat_medium_release(struct mx_heat_medium *medium);

/* Does this rank count an unknown? Another may have it, too. */
static inline bool mx_heat_counts(const struct mx_heat_problem *problem, size_t i)
{
  const bool *foreign = dg_space_foreign(&problem->space);
  return foreign == NULL || !foreign[i];
}
/* y = (mass M + rest A) x. Collective, as what follows is; dg_space_error has what went wrong. */
void mx_heat_apply(const struct mx_heat_problem *problem, double mass, double rest, const double *x, double *y);
/* The heat in the body less that of `offset`, J: the integral of rho c T. */
int mx_heat_content(const struct mx_heat_problem *problem, const double *T, double *content,
                    struct dg_error *err) DG_MUST_USE;
