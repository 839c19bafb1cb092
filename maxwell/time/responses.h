/* Responses (maxwell/response/response.h) in time: what a scheme and a step make of their parameters. Backends, the
 * limit of the step and the log use it. */
#pragma once

#include "maxwell/problem/problem.h"
#include "maxwell/time/medium.h"

struct mx_response_scheme mx_response_scheme(enum mx_integrator integrator, double step);

/* The update of the field of an equation in an element behind the pass: that of its medium (medium.h), with the share
 * of its response, which changes it. */
struct mx_medium_update mx_element_update(const struct mx_problem *problem, enum mx_integrator integrator,
                                          enum mx_equation equation, double step, size_t e);

/* Prepares entry k of a response of the problem for a scheme and a step: coefficient[coefficients of the kind], for
 * Cartesian components (mx_response_ops.turn). */
struct mx_response_entry mx_response_prepare(const struct mx_problem *problem, const struct mx_response *response,
                                             size_t k, enum mx_integrator integrator, double step, double *coefficient);

/* The same as rates in time, for no scheme and no step. */
struct mx_response_entry mx_response_rates(const struct mx_problem *problem, const struct mx_response *response,
                                           size_t k, double *coefficient);

/* Gives the parameters that the scheme follows. Returns whether they are the entry's own. */
bool mx_response_follow(const struct mx_problem *problem, const struct mx_response *response, size_t k,
                        enum mx_integrator integrator, double step, double followed[MX_RESPONSE_PARAMETERS]);

/* The fastest relaxation rate of an element, of its losses or of its response, 1/m. */
double mx_relaxation(const struct mx_problem *problem, size_t e);

/* The real part of the permittivity (MX_AMPERE) or the permeability of an element for a field of this wave number
 * 2 pi f/c0, 1/m; 0: a field at rest. */
double mx_storage_at(const struct mx_problem *problem, enum mx_equation equation, size_t e, double wave_number);
