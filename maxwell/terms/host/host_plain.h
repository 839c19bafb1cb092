/* Faces in the `reference` backend, whose operator has open faces and resistive sheets in it: what is left of them is
 * the array of kept traces, and the lift of walls with a state. Part of its body, once for every precision. It has
 * `matrices` and defines NAME(kept)(state, equation). */

#include "maxwell/terms/host/host_open.h"

static const struct NAME(term) NAME(open_term) = {.list = MX_STATE_OF_FACES, .copy = NAME(copy_open)};

/* Adds -V beyond a wall, or takes J of a film. */
static void NAME(lift_skin)(struct NAME(state) * state, size_t k, const REAL *value, const struct NAME(lift) * lift)
{
  const struct mx_problem *problem = state->problem;
  const bool wall = mx_skin_is_wall(mx_skin_of(problem, k));
  const size_t n = 3 * (size_t)problem->ref->Nf, e = (size_t)problem->skin_face[k] / 4,
               f = (size_t)problem->skin_face[k] % 4;
  const REAL none[3 * DG_NF_MAX] = {0}, factor = wall ? 1 : (REAL)mx_film_factor(problem, k);
  REAL jump[3 * DG_NF_MAX];
  for (size_t i = 0; i < n; i++) jump[i] = -factor * value[i];
  NAME(mx_lift_jump)
  (problem, state->matrices, wall ? MX_FARADAY : MX_AMPERE, e, f, wall ? jump : none, wall ? none : jump, lift->to);
}
