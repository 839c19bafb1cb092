/* The choices that both the configuration and the solver know: their enums, and the words that a script has for them.
 * A backend, the integrators and a caller in C see these and no configuration.
 */
#pragma once

enum mx_integrator { MX_LEAPFROG, MX_RK4, MX_LSRK, MX_EULER };
enum mx_precision { MX_DOUBLE, MX_SINGLE };
/* How traces go from one card to another: by MPI from the card's memory, through the host's, or as MPI can. */
enum mx_transport { MX_TRANSPORT_AUTO, MX_TRANSPORT_DIRECT, MX_TRANSPORT_STAGED };

extern const char *const mx_integrator_names[]; /* NULL-terminated, by enum: "leapfrog", "rk4", "lsrk", "euler" */
extern const char *const mx_precision_names[];  /* "double", "single" */
extern const char *const mx_transport_names[];  /* "auto", "direct", "staged" */
