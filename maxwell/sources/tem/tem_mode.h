/* The quasi-static mode of a line between conductors, from the potential on a port's face.
 *
 * With phi of div(epsilon_r grad phi) = 0, and A of div(grad A / mu_r) = 0, both with the potentials v of the
 * conductors (for 1 V of the port),
 *
 *   C = integral of epsilon_r |grad phi|^2,   K = integral of |grad A|^2 / mu_r,
 *
 * the capacitance of the line is C' = epsilon0 C, its inductance L' = mu0 / K. So its impedance is sqrt(L'/C') =
 * eta0/sqrt(C K), and its waves are slower than light by n = sqrt(C/K); epsilon_eff = n^2. The fields are
 *
 *   E = -grad phi,   eta0 H = n u x (-grad A / mu_r),   u along the line, where the power goes:
 *
 * transverse E has no curl, transverse B neither, up to terms of the square of the frequency. Where the medium is one,
 * phi = A and the mode is exact at all frequencies (TEM). Elsewhere it is that of low frequencies (R. Collin, Field
 * Theory of Guided Waves, IEEE 1991, section 4.3).
 *
 * The power is that of V^2/Z, since the integral of grad phi . grad A / mu_r is K: phi - A vanishes on the conductors.
 * Behind the face stands the impedance W (by eta0) for which G = -W n grad A / mu_r is as near as can be to E: W = K/(n
 * times the integral of |grad A / mu_r|^2); then E - G is orthogonal to G, and what W reflects of the mode is of the
 * second order in E - G.
 *
 * On the mesh phi and A are those of the face's own triangles, which hold edges of conductors badly: K is too large.
 * The current that the wall W carries for a voltage is another: H of the run is no grad A but a field without curl, and
 * for such fields K comes out a little too small. What is measured is therefore normalised with K of the divided cells.
 * With K of the triangles S21 of a microstrip whose K is 1.5 % off on them would be 1.6 % too small at all frequencies,
 * and S11 -36 dB instead of -57. */
#pragma once

#include "maxwell/sources/tem/tem_conductors.h"
#include "maxwell/sources/tem/tem_line.h"

/* The conductors are those of the face. order: of the run. Every rank that calls it gets the same numbers. DG_INPUT: a
 * name that no conductor has, more than one signal conductor without `mode` or `voltages`, potentials that are all
 * alike, a solver that stops short. Release in any case. */
int mx_tem_mode_init(struct mx_tem_mode *mode, const struct mx_port_face *face, const struct mx_port_place *place,
                     const struct mx_tem_conductors *conductors, const struct mx_config *all,
                     const struct mx_port_config *config, int order, struct dg_error *err) DG_MUST_USE;
/* Writes what it is, for the log. */
void mx_tem_mode_describe(const struct mx_tem_mode *mode, const struct mx_tem_conductors *conductors,
                          const struct dg_mesh *mesh, char *text, size_t size);
void mx_tem_mode_release(struct mx_tem_mode *mode);
/* E and G (1/m, for 1 V) at barycentric coordinates of a triangle of the face. */
void mx_tem_mode_at(const struct mx_tem_mode *mode, size_t triangle, const double bary[3], double E[3], double G[3]);
