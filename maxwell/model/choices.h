/* The choices that both the configuration and the solver know: their enums, and the words that a script has for them.
 * A backend, the integrators and a caller in C see these and no configuration.
 */
#pragma once

/* X(integrator, its word). Each has a row in maxwell/time/schedule.c, which says all that it is. */
#define MX_INTEGRATOR_LIST(X)                                                                                          \
  X(MX_LEAPFROG, "leapfrog")                                                                                           \
  X(MX_RK4, "rk4")                                                                                                     \
  X(MX_LSRK, "lsrk")                                                                                                   \
  X(MX_EULER, "euler")

#define MX_INTEGRATOR_NAME(integrator, word) integrator,
enum mx_integrator { MX_INTEGRATOR_LIST(MX_INTEGRATOR_NAME) };
#undef MX_INTEGRATOR_NAME
#define MX_INTEGRATOR_ONE(integrator, word) +1
enum { MX_INTEGRATORS = 0 MX_INTEGRATOR_LIST(MX_INTEGRATOR_ONE) };
#undef MX_INTEGRATOR_ONE

/* X(word, weight of the penalty): the fluxes with a name. "damped" takes 0.77 to 0.97 of the step of the
 * centred flux and damps what that leaves ringing (share/doc/design/method.md). */
#define MX_FLUX_LIST(X)                                                                                                \
  X("upwind", 1)                                                                                                       \
  X("damped", 0.3)                                                                                                     \
  X("centered", 0)                                                                                                     \
  X("centred", 0)
/* Below this weight what the mesh cannot hold rings through a run as if nothing damped it. */
#define MX_FLUX_DAMPS 0.1

enum mx_precision { MX_DOUBLE, MX_SINGLE };
/* How traces go from one card to another: by MPI from the card's memory, through the host's, or as MPI can. */
enum mx_transport { MX_TRANSPORT_AUTO, MX_TRANSPORT_DIRECT, MX_TRANSPORT_STAGED };

/* What conjugate gradients for static fields and heat are preconditioned with. */
enum mx_solver { MX_SOLVER_AUTOMATIC, MX_SOLVER_DIAGONAL, MX_SOLVER_AIP, MX_SOLVER_MULTIGRID };

extern const char *const mx_integrator_names[]; /* NULL-terminated, by enum */
extern const char *const mx_flux_names[];       /* NULL-terminated, "upwind" first */
extern const double mx_flux_alpha[];            /* their weights */
extern const char *const mx_precision_names[];  /* "double", "single" */
extern const char *const mx_transport_names[];  /* "auto", "direct", "staged" */
extern const char *const mx_solver_names[];     /* "automatic", "diagonal", "aip", "multigrid" */
