/* How far up a line's quasi-static mode (tem_mode.h) is what the line carries: two estimates, for warnings.
 *
 * At a cut-off nothing varies along a line, and fields with E_z and fields with H_z do not know each other:
 *
 *   div(grad E_z / mu_r) + k^2 epsilon_r E_z = 0,  E_z = 0 on conductors,
 *   div(grad H_z / epsilon_r) + k^2 mu_r H_z = 0,  no slope across conductors,
 *
 * and the other way round on a rim that is no conductor. The lowest k is the cut-off of the first mode beside the TEM
 * ones, also where media differ.
 *
 * Below it the mode of several media is not the static one. To the first order in k it has (u along the line)
 *
 *   E_z = j k n (phi - A),   u x grad H_z = j k (epsilon_r grad phi - n^2 grad A / mu_r),
 *
 * from the transverse parts of Maxwell's equations, which these fields fulfil; those along the line leave j k epsilon_r
 * E_z and j k mu_r H_z over, and the variational principle for the wavenumber (A. Berk, IRE Trans. AP-4 (1956) 104)
 * gives, from fields that are right to the first order,
 *
 *   n(k)/n(0) - 1 = (integral of epsilon_r |E_z|^2 + mu_r |H_z|^2) / (2 C),
 *
 * the beginning of the line's dispersion. In one medium it vanishes.
 *
 * Both are solved with unknowns in the middles of the edges of the face's triangles (M. Crouzeix, P.-A. Raviart, RAIRO
 * R-3 (1973) 33), each cut in four where they are few: per cent of the cut-off, from below. */
#pragma once

#include "maxwell/sources/tem/tem_line.h"

/* The mode and its plane are ready; epsilon[triangles]. open: what is no conductor on the rim may be an open wall; the
 * face then bounds no modes of the line's, and the cut-off is not known. All ranks that call it get the same.
 * DG_ENVIRONMENT: no memory. */
int mx_tem_range_init(struct mx_tem_range *range, const struct mx_tem_mode *mode, const double *epsilon, bool open,
                      struct dg_error *err) DG_MUST_USE;
