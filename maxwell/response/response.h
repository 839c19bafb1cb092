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
  MX_RESPONSE_PARAMETERS = 2,  /* of an entry: the most parameters of any kind */
  MX_RESPONSE_STATES = 1,      /* the most vectors a node */
  MX_RESPONSE_COEFFICIENTS = 3 /* the most coefficients of a point function */
};

/* A response of a problem: its kind, and its entries. */
struct mx_response {
  enum mx_response_kind kind;
  size_t count;                                /* entries */
  int32_t *where;                              /* [count] elements, ascending */
  double (*parameter)[MX_RESPONSE_PARAMETERS]; /* [count]; the kind's file gives their meaning */
};

/* The part of the time scheme that responses depend on. */
struct mx_response_scheme {
  bool staggered; /* leapfrog: the state steps behind the whole step of the field; else it has a rate and registers */
  double step;    /* metres */
  double bound;   /* not staggered: the largest rate * step of a relaxation that a scheme takes as it is */
};

/* The share of a staggered response in the update of its field,
 *     (mass0 + mass) u' = (mass0 - loss0 - loss + mass) u + step R + addition of the point function * (mass0 + mass),
 * where mass0 and loss0 are those of the medium alone. */
struct mx_response_share {
  double mass, loss;
};

/* The square weight |field u + sum of state[i] s[i]|^2. */
struct mx_square {
  double weight, field, state[MX_RESPONSE_STATES];
};

/* An entry prepared for a scheme. */
struct mx_response_entry {
  double coefficient[MX_RESPONSE_COEFFICIENTS]; /* of the point function */
  double start[MX_RESPONSE_STATES];             /* factors of the field that give the state at t = 0 */
  struct mx_square energy, loss;                /* densities: stored, V^2/m^2, and lost, V^2/m^3 */
};

struct mx_response_ops {
  const char *name; /* name in the script and in messages */
  int states;
  double flops; /* of the point function */
  /* Gives the parameters that the scheme follows. A relaxation that is faster than the scheme can take is slowed down;
   * static values stay. inertia: the medium's eps or mu as the update has it. */
  void (*follow)(const struct mx_response_scheme *scheme, double inertia, const double *parameter, double *followed);
  /* Gives the share in the update of a staggered scheme, from parameters that the scheme follows. */
  struct mx_response_share (*share)(const struct mx_response_scheme *scheme, const double *parameter);
  /* Prepares an entry, which is zeroed. mass: that of the whole update, shares included. */
  void (*prepare)(const struct mx_response_scheme *scheme, double mass, const double *parameter,
                  struct mx_response_entry *entry);
  /* The fastest relaxation, 1/m, in a medium of this eps or mu. */
  double (*rate)(double inertia, const double *parameter);
  /* The addition to eps or mu that a static field sees. */
  double (*at_rest)(const double *parameter);
  /* Describes parameters, the entry's own or those that the scheme follows: "a Debye pole of 79.2, 9.4e-12 s". */
  void (*describe)(const double *parameter, char *text, size_t size);
};

extern const struct mx_response_ops *const mx_responses[MX_RESPONSE_KINDS];

int mx_response_init(struct mx_response *response, enum mx_response_kind kind, size_t count,
                     struct dg_error *err) DG_MUST_USE;
void mx_response_release(struct mx_response *response);

/* Finds the entry of an element; -1: there is none. */
ptrdiff_t mx_response_find(const struct mx_response *response, size_t element);
