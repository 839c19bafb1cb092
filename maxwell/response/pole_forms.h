/* The poles of a medium: its relative permittivity is eps_inf and a sum of terms, s = j w, and its permeability
 * likewise,
 *
 *     real pole   c/(s - a)                                  Debye: c = delta/tau, a = -1/tau
 *     Drude       wp^2/(s (s + gamma))
 *     pair        (b1 s + b0)/(s^2 + g s + w0^2)             Lorentz: b1 = 0, b0 = delta w0^2; a critical point;
 *                                                            c/(s - a) and its conjugate
 *
 * poles.c has the form in time. The number of states tells kinds apart: a real pole and Drude have one, a pair has two.
 * A kind serves every medium that has no more states than it. */
#pragma once

#include <stdbool.h>

enum mx_pole_form { MX_POLE_REAL, MX_POLE_DRUDE, MX_POLE_PAIR };

enum { MX_POLE_NUMBERS = 4 }; /* of a pole, in powers of 1/m: (c, a), (wp^2, gamma), (b1, b0, g, w0^2) */

/* Parameters of an entry. A medium with n states has n poles at most. Behind the poles, whose place is for `states` of
 * them, stand the numbers of a joint energy (storage.h): rows 0..n-1 of Q from its diagonal on, and l[n + 1]. */
enum {
  MX_POLES_COUNT, /* of poles */
  MX_POLES_JOINT, /* not 0: some poles are passive only with the others, and the states have one energy together; how
                     much slower the scheme has made them, 1: not at all */
  MX_POLES_FIRST, /* [count][1 + MX_POLE_NUMBERS] form and numbers */
  MX_POLES_EACH = 1 + MX_POLE_NUMBERS
};
#define MX_POLES_PARAMETERS(states)                                                                                    \
  (MX_POLES_FIRST + MX_POLES_EACH * (states) + (states) * ((states) + 1) / 2 + (states) + 1)

/* Finds the joint energy of an entry's poles, for a kind with this many states, if they need one. Before,
 * MX_POLES_JOINT is the medium's sigma or sigma_m, 1/m, which may make up for a pole. Returns false if the medium is
 * not passive.
 */
bool mx_poles_join(double *parameter, int states);

/* The states that a pole takes. */
static inline int mx_pole_states(enum mx_pole_form form) { return form == MX_POLE_PAIR ? 2 : 1; }
