/* Responses: terms with state on lists of elements, carried out behind the pass.
 *
 * A response is how a medium answers a field with a delay: a pole of its permittivity or permeability, or a perfectly
 * matched layer.
 * The pass over all elements (curl, flux, lift, losses) knows nothing of it. Behind the pass, and behind open faces and
 * sources, the backend goes through the list of the response and calls the kind's point function at every place: from
 * the state s and the new value u of the field it gives the new u and the new s. The field of before the pass is not
 * needed, so that a backend may work in place; what the response takes of it is in the pass's own loss
 * (mx_response_share).
 *
 * There are three sorts of kinds. A pole acts on E or on H, on each component at a node alone. A gyrotropic medium acts
 * on the vector of E at a node, a ferrite on that of H. A layer acts on E and H,
 * on the three components together, at the points of the rule of integration (libdg/ref/rule.h), and depends on where
 * in the element a point is: the field is interpolated to the points, and what the layer makes of it is projected back.
 *
 * To add a kind:
 *   1. a file <kind>_points.h with its two point functions, and a line in points.h; all backends compile them;
 *   2. a file <kind>.c with its row of the table below, and a line in MX_POLE_LIST or MX_LAYER_LIST;
 *   3. where a problem is built: mx_problem_add_response with what the script says.
 * Fields, states, steps, energy, losses, the limit of the step, checkpoints, memory and profile follow from the row.
 *
 * Rules of the game: a response is linear and passive. A field in an element has at most one: a second one would have
 * to see the field with the first one's addition. A medium with several poles is one response with several states, and
 * one with poles of both its permittivity and its permeability is two. Numbers are in the natural units of
 * problem/flux.h: times are c0 t in metres.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdg/base/error.h"
#include "maxwell/response/pole_forms.h"

/* X(kind, prefix of its functions and its row, states): kinds that act on each component of a field alone, the poles of
 * media with up to that many states (pole_forms.h), */
#define MX_POLE_LIST(X)                                                                                                \
  X(MX_POLES_1, mx_poles_1, 1)                                                                                         \
  X(MX_POLES_2, mx_poles_2, 2)                                                                                         \
  X(MX_POLES_3, mx_poles_3, 3)                                                                                         \
  X(MX_POLES_4, mx_poles_4, 4)                                                                                         \
  X(MX_POLES_5, mx_poles_5, 5)                                                                                         \
  X(MX_POLES_6, mx_poles_6, 6)                                                                                         \
  X(MX_POLES_8, mx_poles_8, 8) X(MX_POLES_12, mx_poles_12, 12) X(MX_POLES_16, mx_poles_16, 16)
/* and X(kind, prefix, directions): kinds that act on the vectors of E and H (layer.h), in one, two or three directions
 * of a box, and in those of a sphere or a cylinder. */
#define MX_LAYER_LIST(X)                                                                                               \
  X(MX_LAYER_1, mx_layer_1, 1)                                                                                         \
  X(MX_LAYER_2, mx_layer_2, 2) X(MX_LAYER_3, mx_layer_3, 3) X(MX_LAYER_ROUND, mx_layer_round, 3)
/* and X(kind, prefix, states, moving): kinds that act on the vector of a field at a node, of E (gyrotropic.h) or H
 * (ferrite.h). Only the first states move in schemes of Runge-Kutta, which leave the others alone. */
#define MX_VECTOR_LIST(X)   X(MX_GYROTROPIC, mx_gyrotropic, 3, 2) X(MX_FERRITE, mx_ferrite, 3, 1)
#define MX_RESPONSE_LIST(X) MX_POLE_LIST(X) MX_LAYER_LIST(X) MX_VECTOR_LIST(X)

#define MX_RESPONSE_NAME(kind, ...) kind,
enum mx_response_kind { MX_RESPONSE_LIST(MX_RESPONSE_NAME) };
#undef MX_RESPONSE_NAME
#define MX_RESPONSE_ONE(kind, ...) +1
enum { MX_RESPONSE_KINDS = 0 MX_RESPONSE_LIST(MX_RESPONSE_ONE) };
#undef MX_RESPONSE_ONE

enum {
  MX_POLE_STATES = 16,                                      /* the most vectors a place of poles, */
  MX_POLE_PARAMETERS = MX_POLES_PARAMETERS(MX_POLE_STATES), /* and of parameters of an entry */
  MX_RESPONSE_PARAMETERS = MX_POLE_PARAMETERS,              /* the most parameters of any kind */
  MX_RESPONSE_STATES = MX_POLE_STATES,                      /* the most vectors a place, of E and H together */
  MX_POLE_SQUARES = 2 * MX_POLE_STATES + 2,                 /* the most squares of an entry's energy */
  MX_RESPONSE_COEFFICIENTS = 4 * MX_POLE_STATES + 1,        /* the most coefficients of a point function */
  MX_RESPONSE_WAVES = 3,                                    /* the most kinds of waves that a medium has */
};

/* A response of a problem: its kind, and its entries. */
struct mx_response {
  enum mx_response_kind kind;
  int of;            /* poles and vectors: the field that they answer, 0: E, 1: H */
  size_t count;      /* entries */
  int32_t *where;    /* [count] elements, ascending */
  double *parameter; /* [count][parameters of the kind]; the kind's file gives their meaning */
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

/* The square weight |field u + before v + sum of state[i] s[i]|^2, v being leapfrog's H half a step before t_n, where u
 * is that half a step behind it; else `before` is 0. */
struct mx_square {
  double weight, field, before, state[MX_POLE_STATES];
};

/* An entry prepared for a scheme. A layer's states are zero at t = 0, and what it stores is no energy of a field: it
 * has none of what follows. Sums of squares; mx_response_squares says how many they are of the energy. Those of the
 * loss are as many as the kind has states: */
struct mx_response_entry {
  double start[MX_POLE_STATES];             /* factors of the field at t = 0 that give the first states */
  struct mx_square energy[MX_POLE_SQUARES]; /* density of what is stored, V^2/m^2 */
  struct mx_square loss[MX_POLE_STATES];    /* density of what is lost, V^2/m^3 */
};

/* The medium under an entry: the update of its element by the pass alone. */
struct mx_response_medium {
  int of;         /* poles: the field, 0: E, 1: H */
  double mass;    /* that of the field's whole update, shares included */
  double loss[2]; /* what E and H lose in a step of leapfrog, as a share of the field; else a rate, 1/m */
};

struct mx_response_ops {
  const char *name; /* name in the script and in messages */
  int states;       /* vectors a place: those of E, then those of H */
  int of_E;         /* how many of them are of E */
  int coefficients; /* of the point function */
  int parameters;
  bool layer;   /* the kind acts on the vectors of E and H */
  bool vector;  /* the kind acts on the vector of a field at a node */
  double flops; /* of the point function, a component of a field */
  /* Gives the parameters that the scheme follows. A relaxation that is faster than the scheme can take is slowed down;
   * static values stay. inertia: the medium's eps or mu as the update has it. */
  void (*follow)(const struct mx_response_scheme *scheme, double inertia, const double *parameter, double *followed);
  /* Gives the share in the update of a staggered scheme, from parameters that the scheme follows. NULL: none. */
  struct mx_response_share (*share)(const struct mx_response_scheme *scheme, const double *parameter);
  /* Prepares an entry, which is zeroed, and gives coefficient[coefficients]. It costs some microseconds and an entry is
   * large, so that backends keep the coefficients and make the entry again where they observe. */
  void (*prepare)(const struct mx_response_scheme *scheme, const struct mx_response_medium *medium,
                  const double *parameter, struct mx_response_entry *entry, double *coefficient);
  /* Turns the coefficients from Cartesian components to covariant ones: gradient[a] of the coordinates, tangent[a] of
   * the place (maxwell/backend/frame/frame.h). NULL: they are the same in any. */
  void (*turn)(const double gradient[3][3], const double tangent[3][3], double *coefficient);
  /* The fastest relaxation, 1/m, in a medium of this eps or mu. */
  double (*rate)(double inertia, const double *parameter);
  /* The addition to eps or mu that a field of this wave number 2 pi f/c0, 1/m, sees: its real part. NULL: none. */
  double (*addition)(const double *parameter, double wave_number);
  /* The additions that waves of this wave number > 0 see: real and minus imaginary part of each. One; of vector kinds
   * those of the two circular waves along the static field, and of a field along it. Returns how many. NULL: none. */
  int (*additions)(const double *parameter, double wave_number, double addition[MX_RESPONSE_WAVES][2]);
  /* Describes parameters, the entry's own or those that the scheme follows: "a Debye pole of 79.2 with 9.4e-12 s". */
  void (*describe)(const double *parameter, char *text, size_t size);
};

extern const struct mx_response_ops *const mx_responses[MX_RESPONSE_KINDS];

int mx_response_init(struct mx_response *response, enum mx_response_kind kind, int of, size_t count,
                     struct dg_error *err) DG_MUST_USE;
void mx_response_release(struct mx_response *response);

/* The parameters of an entry. */
static inline double *mx_response_parameter(const struct mx_response *response, size_t k)
{
  return response->parameter + k * (size_t)mx_responses[response->kind]->parameters;
}

/* The squares of an entry's energy. Leapfrog's H is known half a step before and behind t_n (poles.c). */
static inline int mx_response_squares(const struct mx_response *response)
{
  const int states = mx_responses[response->kind]->states;
  return response->of == 1 ? 2 * states + 2 : states;
}

/* Finds the entry of an element; -1: there is none. */
ptrdiff_t mx_response_find(const struct mx_response *response, size_t element);
