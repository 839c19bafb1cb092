/* Responses: terms with state on lists of elements, carried out behind the pass.
 *
 * A response is how a medium answers a field with a delay: a pole of its permittivity today, a layer or a wall of the
 * same kind tomorrow. The pass over all elements (curl, flux, lift, losses) knows nothing of it. Behind the pass, and
 * behind open faces and sources, the backend goes through the list of the response and calls the kind's point function
 * at every node: from the state s and the new value u of the field it gives what is added to u, and the new s. The
 * field of before the pass is not needed, so that a backend may work in place; what the response takes of it is in
 * the pass's own loss (mx_response_share).
 *
 * To add a kind:
 *   1. a file <kind>_points.h with its two point functions, and a line in points.h; all backends compile them;
 *   2. a file <kind>.c with its row of the table below, and a line in MX_RESPONSE_LIST;
 *   3. where a problem is built: mx_problem_add_response with what the script says.
 * Fields, states, steps, energy, losses, the limit of the step, checkpoints, memory and profile follow from the row.
 *
 * Rules of the game: a response is linear, passive and changes E. An element has at most one: a second one would have
 * to see the field with the first one's addition. A medium with several poles is one response with several states.
 * Numbers are in the natural units of problem/flux.h: times are c0 t in metres.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"

/* X(kind, prefix of its functions and its row). */
#define MX_RESPONSE_LIST(X) X(MX_DEBYE, mx_debye)

#define MX_RESPONSE_NAME(kind, prefix) kind,
enum mx_response_kind { MX_RESPONSE_LIST(MX_RESPONSE_NAME) };
#undef MX_RESPONSE_NAME
#define MX_RESPONSE_ONE(kind, prefix) +1
enum { MX_RESPONSE_KINDS = 0 MX_RESPONSE_LIST(MX_RESPONSE_ONE) };
#undef MX_RESPONSE_ONE

enum {
  MX_RESPONSE_PARAMETERS = 2,  /* of an entry, at most */
  MX_RESPONSE_STATES = 1,      /* vectors a node */
  MX_RESPONSE_COEFFICIENTS = 3 /* of a point function */
};

/* What a problem has. */
struct mx_response {
  enum mx_response_kind kind;
  size_t count;                                /* entries */
  int32_t *where;                              /* [count] elements, ascending */
  double (*parameter)[MX_RESPONSE_PARAMETERS]; /* [count]; the kind's file says which */
};

/* How time goes on. */
struct mx_response_scheme {
  bool staggered; /* leapfrog: the state is taken along behind the whole step; else it has a rate and registers */
  double step;    /* metres */
  double bound;   /* not staggered: rate * step up to which a scheme takes a relaxation as it is */
};

/* What a staggered response adds to the update of its field,
 *     (mass0 + mass) u' = (mass0 - loss0 - loss + mass) u + step R + what the point function adds * (mass0 + mass),
 * mass0 and loss0 those of the medium alone. */
struct mx_response_share {
  double mass, loss;
};

/* weight |field u + sum of state[i] s[i]|^2. */
struct mx_square {
  double weight, field, state[MX_RESPONSE_STATES];
};

/* An entry at work. */
struct mx_response_entry {
  double coefficient[MX_RESPONSE_COEFFICIENTS]; /* of the point function */
  double start[MX_RESPONSE_STATES];             /* times the field the state at t = 0 */
  struct mx_square energy, loss;                /* densities: stored, V^2/m^2, and lost, V^2/m^3 */
};

struct mx_response_ops {
  const char *name; /* what the script and messages call it */
  int states;
  double flops; /* of the point function */
  /* The parameters that the scheme follows: a relaxation that is faster than it can take is slowed down, static values
   * stay. inertia: the medium's eps or mu as the update has it. */
  void (*follow)(const struct mx_response_scheme *scheme, double inertia, const double *parameter, double *followed);
  /* Of a staggered scheme, from parameters that it follows. */
  struct mx_response_share (*share)(const struct mx_response_scheme *scheme, const double *parameter);
  /* mass: that of the whole update, shares included; *entry is zeroed. */
  void (*prepare)(const struct mx_response_scheme *scheme, double mass, const double *parameter,
                  struct mx_response_entry *entry);
  /* The fastest relaxation, 1/m, in a medium of this eps or mu. */
  double (*rate)(double inertia, const double *parameter);
  /* What a static field sees besides eps or mu. */
  double (*at_rest)(const double *parameter);
  /* "a Debye pole of 79.2, 9.4e-12 s"; seconds of the followed parameters where they differ. */
  void (*describe)(const double *parameter, char *text, size_t size);
};

extern const struct mx_response_ops *const mx_responses[MX_RESPONSE_KINDS];

int mx_response_init(struct mx_response *response, enum mx_response_kind kind, size_t count,
                     struct dg_error *err) DG_MUST_USE;
void mx_response_release(struct mx_response *response);

/* The entry of an element, or -1. */
ptrdiff_t mx_response_find(const struct mx_response *response, size_t element);
