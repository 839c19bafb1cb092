/* Closed ports: lumped ports and TEM ports in elements that take shorter steps (maxwell/levels).
 *
 * The wall of such a port is magnetic, so that it has no penalty that bounds the step, and carries a current of the
 * port's mode, one number j a step, in the equation of E alone:
 *
 *   (eps M) dE/dt = C H - v j,   j = (mean of V before and after the step - V_0)/r,   V = v.E,
 *
 * v being the weights of the mode's voltage, r the wall's impedance and V_0 the voltage of the source. With V' what V
 * becomes if j = 0, and K j what j takes from it, j = ((V + V')/2 - V_0)/(r + K/2), K > 0. V' is linear in the fields
 * before the pass, so that two functionals give it, and no backend knows of any of this.
 * share/doc/design/ports-and-sources.md has the proof of stability. */
#pragma once

#include "maxwell/sources/port.h"

/* The faces of a port, or behind the ports of a lumped element, on this rank: 4 * element + face. */
size_t mx_port_faces(const struct mx_ports *ports, size_t port, const struct mx_problem *problem,
                     const int32_t **where);
/* Can the port be closed? Not if it has more than one mode or a mode with a cut-off, and not if one of its elements has
 * poles, magnetic losses, a changing medium, or faces that are more than metal, neighbours and this port. */
bool mx_port_can_close(const struct mx_ports *ports, size_t port, const struct mx_problem *problem);
/* Gives the problem magnetic walls for ports with close[ports->count], and all other ports the walls that they had.
 * For one rank. */
int mx_ports_close(struct mx_ports *ports, struct mx_problem *problem, const bool *close,
                   struct dg_error *err) DG_MUST_USE;
bool mx_port_is_closed(const struct mx_ports *ports, size_t port);

/* The voltage of a closed port's mode as weights: voltage[K][3][Np] += v, the functional of E that the port had. */
void mx_port_add_voltage(const struct mx_ports *ports, size_t port, const struct mx_problem *problem, double *voltage);
/* H on the wall for j = 1, [faces][3][Nf]. */
const double *mx_port_current(const struct mx_ports *ports, size_t port);
/* Tells a closed port how to find its current: weight[0] of E and weight[1] of H, [K][3][Np] each, give the mean of V
 * and V'; own is K. Replaces the port's functionals and its term. */
int mx_port_use_current(struct mx_ports *ports, size_t port, struct mx_problem *problem, const double *const weight[2],
                        double own, struct dg_error *err) DG_MUST_USE;
