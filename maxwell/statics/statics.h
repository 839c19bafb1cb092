/* The static field of conductors at given potentials or with given charges, and of charges in space:
 * - div epsilon grad phi = rho.
 *
 * phi is continuous and of order p + 1 (libdg/field), with one value on each conductor. E = -grad phi then has order p,
 * no curl in any element, and a tangential part that is continuous and vanishes on conductors: the right-hand side of
 * Faraday's law is zero to rounding, and so is that of Ampere's law, since H is. The field stays as it is until
 * something changes. The charge of a conductor is the residual of its unknown. */
#pragma once

#include "maxwell/statics/conductors.h"

/* Solves for the field. *E is new, [K][3][Np] in V/m; free it with dg_free. DG_INPUT: a wall of metal that is no
 * conductor of the list, a wall through which the field would leave, a conductor without faces, two that touch, media
 * with poles, layers, periodic sides, charges that do not add to zero where no potential is given, conductances of
 * media that do not conduct. */
int mx_statics_solve(struct mx_statics *statics, const struct mx_statics_place *place, double **E,
                     struct dg_error *err) DG_MUST_USE;
void mx_statics_release(struct mx_statics *statics);

/* Says in the log what was found. */
void mx_statics_report(const struct mx_statics *statics, struct dg_log *log);

struct mx_folder;
/* Writes statics.csv and, if they were asked for, capacitance.csv and conductance.csv. */
int mx_statics_write(const struct mx_statics *statics, const struct mx_folder *folder,
                     struct dg_error *err) DG_MUST_USE;
