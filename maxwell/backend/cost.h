/* What the parts of a backend read, write and compute, for profiles: bytes and flops of a call, counted from the sizes
 * of the problem, in numbers of `real` bytes.
 */
#pragma once

#include "maxwell/problem/problem.h"
#include "maxwell/shell/profile.h"

/* Curl, jumps, fluxes and lift of one or both equations on all elements, with 12 Np^2 + 16 Np Nf flops an equation and
 * element; `arrays` vector fields are read or written, and of the tables six numbers an equation and four neighbours.
 * What is pointwise is not counted. */
struct mx_cost mx_cost_pass(const struct mx_problem *problem, size_t real, int equations, double arrays);
/* The same for one equation in Cartesian components, which need 18 Np^2 + 24 Np Nf flops, from two fields to their
 * rate. */
struct mx_cost mx_cost_plain_pass(const struct mx_problem *problem, size_t real);
/* Pointwise work on whole vector fields. */
struct mx_cost mx_cost_update(const struct mx_problem *problem, size_t real, double arrays, double flops_a_number);
/* Of all open faces in a half step, both visits: two looks at every neighbour; the difference of two traces, written
 * and read; two components lifted into the element's field. */
struct mx_cost mx_cost_open(const struct mx_problem *problem, size_t real);
/* Of a response in a stage: its states and registers, each read and written, and the field likewise. */
struct mx_cost mx_cost_response(const struct mx_problem *problem, const struct mx_response *response, size_t real,
                                double registers);
/* Of the source terms of one equation. */
struct mx_cost mx_cost_sources(const struct mx_problem *problem, int equation, size_t real);
