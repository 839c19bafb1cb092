/* The cost of the parts of a backend, for profiles: bytes that a call reads and writes, and flops, counted from the
 * sizes of the problem, in numbers of `real` bytes. */
#pragma once

#include "maxwell/problem/problem.h"
#include "maxwell/shell/profile.h"

/* Curl, jumps, fluxes and lift of one or both equations on all elements. An equation takes 12 Np^2 + 16 Np Nf flops an
 * element. `arrays` vector fields are read or written; the tables give six numbers an equation and four neighbours.
 * Pointwise work is not counted. */
struct mx_cost mx_cost_pass(const struct mx_problem *problem, size_t real, int equations, double arrays);
/* What curved elements need besides: six numbers a point of the rule, with a penalty two a point of a face (without:
 * face_points = 0), and the matrices to the points and back, 12 Np flops a point and equation, 32 Nf a face's point. */
struct mx_cost mx_cost_curves(const struct mx_problem *problem, size_t real, int equations, double points,
                              double face_points);
/* The same parts for one equation in Cartesian components, from two fields to their rate. They need 18 Np^2 + 24 Np Nf
 * flops. */
struct mx_cost mx_cost_plain_pass(const struct mx_problem *problem, size_t real);
/* Pointwise work on whole vector fields. */
struct mx_cost mx_cost_update(const struct mx_problem *problem, size_t real, double arrays, double flops_a_number);
/* Work on all open faces in a half step, both visits: two looks at every neighbour; the difference of two traces,
 * written and read; two components lifted into the element's field. */
struct mx_cost mx_cost_open(const struct mx_problem *problem, size_t real);
/* A response in a stage: its states and registers are each read and written, and so is the field. */
struct mx_cost mx_cost_response(const struct mx_problem *problem, const struct mx_response *response, size_t real,
                                double registers);
/* The source terms of one equation. */
struct mx_cost mx_cost_sources(const struct mx_problem *problem, int equation, size_t real);
