/* The semi-discrete operator, written to be read: the right-hand side of Maxwell's equations on one element,
 *
 *   eps dE/dt =  curl H + lift( h_jump n x [H] + e_penalty [E]_t )
 *   mu  dH/dt = -curl E + lift( -e_jump n x [E] + h_penalty [H]_t ),
 *
 * strong form, nodal basis (Hesthaven and Warburton 2008, section 10.5, with the fluxes of flux.h). Conductivity is not
 * in it: the integrators add it. The same text serves both precisions and every order (operator_body.h). Curved
 * elements have a text of their own (operator_curved.h; the method is in maxwell/problem/curved.h).
 */
#pragma once

#include "maxwell/backend/backend.h"
#include "maxwell/problem/curve_tables.h"

/* How strongly the penalty acts; 1 and 1 is the scheme itself, other values serve the analysis of stability. */
struct mx_penalty {
  double inner; /* faces between elements and closed walls */
  double open;  /* impedance and absorbing faces, and what a sheet takes */
};

/* The reference matrices in a kernel's precision and order of access, and the tables of the problem's curved elements,
 * which the caller may use. NULL is safe to free. */
struct mx_matrices_double;
struct mx_matrices_single;
int mx_matrices_new_double(struct mx_matrices_double **matrices, const struct mx_problem *problem,
                           struct dg_error *err) DG_MUST_USE;
int mx_matrices_new_single(struct mx_matrices_single **matrices, const struct mx_problem *problem,
                           struct dg_error *err) DG_MUST_USE;
void mx_matrices_free_double(struct mx_matrices_double *matrices);
void mx_matrices_free_single(struct mx_matrices_single *matrices);
const struct mx_curve_tables *mx_matrices_curves_double(const struct mx_matrices_double *matrices);
const struct mx_curve_tables *mx_matrices_curves_single(const struct mx_matrices_single *matrices);

/* rate[K][3][Np] = d(own)/dt. own_before may be NULL; else it is what mx_kept_trace gave one step ago,
 * [mx_kept_faces][3][Nf], and the penalty on open faces and of sheets acts on 1.5 own - 0.5 own_before. */
void mx_rate_double(const struct mx_problem *problem, const struct mx_matrices_double *matrices,
                    enum mx_equation equation, struct mx_penalty penalty, const double *own, const double *other,
                    const double *own_before, double *rate);
void mx_rate_single(const struct mx_problem *problem, const struct mx_matrices_single *matrices,
                    enum mx_equation equation, struct mx_penalty penalty, const float *own, const float *other,
                    const float *own_before, float *rate);

/* The same, and of the curved elements density[curves.count][3][Np], from which the rate comes by mx_curve_weigh and
 * mx_curve_cartesian (maxwell/problem/curve_tables.h): the inner product of the energy needs it. */
void mx_rate_and_density_double(const struct mx_problem *problem, const struct mx_matrices_double *matrices,
                                enum mx_equation equation, struct mx_penalty penalty, const double *own,
                                const double *other, const double *own_before, double *rate, double *density);
void mx_rate_and_density_single(const struct mx_problem *problem, const struct mx_matrices_single *matrices,
                                enum mx_equation equation, struct mx_penalty penalty, const float *own,
                                const float *other, const float *own_before, float *rate, float *density);

/* trace[mx_kept_faces][3][Nf] = the field that an equation changes on the open faces; on sheets E of the own side, or
 * the jump of H, for which the ghosts must be there. */
void mx_kept_trace_double(const struct mx_problem *problem, enum mx_equation equation, const double *field,
                          double *trace);
void mx_kept_trace_single(const struct mx_problem *problem, enum mx_equation equation, const float *field,
                          float *trace);

/* The ghosts of E and H, [K + ghosts][3][Np], from the ranks that own them: values on the shared face alone. The
 * exchange has items of 6 Nf numbers, a face each. Collective. */
int mx_fill_ghosts_double(const struct mx_problem *problem, struct dg_exchange *exchange, double *E, double *H,
                          struct dg_error *err) DG_MUST_USE;
int mx_fill_ghosts_single(const struct mx_problem *problem, struct dg_exchange *exchange, float *E, float *H,
                          struct dg_error *err) DG_MUST_USE;

/* rate += what the problem's source terms add to it. */
void mx_add_sources_double(const struct mx_problem *problem, const struct mx_matrices_double *matrices,
                           enum mx_equation equation, const struct mx_stage_sources *sources, double *rate);
void mx_add_sources_single(const struct mx_problem *problem, const struct mx_matrices_single *matrices,
                           enum mx_equation equation, const struct mx_stage_sources *sources, float *rate);

/* rate += the flux of given jumps [3][Nf] on face f of element e, of the field under the curl and of the own one. */
void mx_lift_jump_double(const struct mx_problem *problem, const struct mx_matrices_double *matrices,
                         enum mx_equation equation, size_t e, size_t f, const double *other, const double *own,
                         double *rate);
void mx_lift_jump_single(const struct mx_problem *problem, const struct mx_matrices_single *matrices,
                         enum mx_equation equation, size_t e, size_t f, const float *other, const float *own,
                         float *rate);

/* A response's entries at work: coefficient[count][coefficients of the kind], state[count][states][3][places]
 * (mx_response_places), fields of E and H as above: rate_state = d(state)/dt, and rate[0] and rate[1] += what it adds
 * to the rates of E and H. rule: that of the order, which layers want. */
void mx_response_rate_double(const struct mx_problem *problem, const struct mx_response *response,
                             const struct dg_quadrature *rule, const double *coefficient, const double *state,
                             const double *const field[2], double *rate_state, double *const rate[2]);
void mx_response_rate_single(const struct mx_problem *problem, const struct mx_response *response,
                             const struct dg_quadrature *rule, const float *coefficient, const float *state,
                             const float *const field[2], float *rate_state, float *const rate[2]);
