/* Powers of fields on the host, integrated over this rank's elements: V^2 (divided by eta0: watts). The powers follow
 * from the equations and the flux (maxwell/problem/flux.h), not from what a backend does. Fields are [K +
 * ghosts][3][Np]. */
#pragma once

#include "maxwell/backend/backend.h"
#include "maxwell/operator/operator.h"

struct mx_powers {
  const struct mx_problem *problem; /* borrowed */
  struct mx_backend_options options;
  struct mx_matrices_double *matrices;
  struct dg_exchange *exchange; /* NULL: one rank */
  size_t own, all;              /* numbers of a field: without ghosts, and with them */
  /* Adds what states on faces give to a rate; NULL: nothing. */
  void (*add_terms)(const void *terms, enum mx_equation equation, double *rate);
  const void *terms; /* borrowed */
};

int mx_powers_init(struct mx_powers *powers, const struct mx_problem *problem, const struct mx_backend_options *options,
                   struct dg_error *err) DG_MUST_USE;
void mx_powers_release(struct mx_powers *powers);
/* Fills the ghosts of E and H. Collective. */
int mx_powers_ghosts(const struct mx_powers *powers, double *E, double *H, struct dg_error *err) DG_MUST_USE;

/* The power that the penalty of an equation takes from its own field: on closed faces, on open ones, where it leaves,
 * and on resistive sheets, which it heats. That on walls with a state is that of maxwell/terms/rates/face_powers.h. */
struct mx_penalty_powers {
  double closed, open, sheets;
};
struct mx_penalty_powers mx_powers_penalty(const struct mx_powers *powers, enum mx_equation equation,
                                           const double *field);
/* Computes rate[K][3][Np] of an equation without losses and sources. */
void mx_powers_rate(const struct mx_powers *powers, enum mx_equation equation, const double *own, const double *other,
                    double *rate);
/* The integral of u.v over element e, as the scheme's energy takes it; u and v are [3][Np]. */
double mx_powers_product(const struct mx_powers *powers, size_t e, const double *u, const double *v);
/* The power that an equation's own field loses: the integral of sigma E.E, or the like of H. */
double mx_powers_loss(const struct mx_powers *powers, enum mx_equation equation, const double *field);
/* Computes rate[K][3][Np] = what sources add to an equation's right-hand side over eps or mu, and the work that this
 * does. */
void mx_powers_sources(const struct mx_powers *powers, enum mx_equation equation,
                       const struct mx_stage_sources *sources, double *rate);
double mx_powers_work(const struct mx_powers *powers, enum mx_equation equation, const double *field,
                      const double *rate);
/* Finds the element in which the change of energy over a step is furthest from what the equations say. The change is
 * that of the fields at the step's end, the equations take those at its middle. sources may be NULL. */
int mx_powers_unexplained(const struct mx_powers *powers, const double *E, const double *H, const double *E_middle,
                          const double *H_middle, const double *driven_E, const double *driven_H,
                          const double *of_responses, size_t *element, double *power, struct dg_error *err) DG_MUST_USE;

/* ---- responses (maxwell/response/response.h): at every look the states come from the backend and become Cartesian */

/* The vectors of one look, by response: their squares are the energy and the loss of an entry, [count][states][3]
 * [Np]. */
struct mx_response_look {
  double **stored, **lost; /* [responses] */
};

struct mx_response_powers {
  const struct mx_powers *powers; /* borrowed */
  const struct mx_backend_ops *ops;
  double *piece; /* room for the states of one response */
  struct mx_response_look now, before;
};

/* Makes the powers of responses. Without responses it allocates nothing. Release in any case. */
int mx_response_powers_init(struct mx_response_powers *of, const struct mx_powers *powers,
                            const struct mx_backend_ops *ops, struct dg_error *err) DG_MUST_USE;
void mx_response_powers_release(struct mx_response_powers *of);
size_t mx_response_powers_bytes(const struct mx_problem *problem);

/* Makes `now` into `before`, and takes the states that belong to the backend's E and H, which were downloaded, as
 * `now`. Poles of H are not for leapfrog. */
int mx_response_powers_look(struct mx_response_powers *of, struct mx_backend *backend, const double *E, const double *H,
                            struct dg_error *err) DG_MUST_USE;

/* The power that is lost now. With `mean` it is that of the mean of both looks, which a step of leapfrog loses. */
double mx_response_powers_loss(const struct mx_response_powers *of, bool mean);

/* In element e, V^2 m/m: the energy that the response stored a metre of c0 t since the look before, and what it lost
 * meanwhile. */
double mx_response_powers_unexplained(const struct mx_response_powers *of, size_t e);
