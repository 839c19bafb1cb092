/* What the element kernels of elliptic.h share (private). */
#pragma once

enum { DG_LANES = 8, DG_MODES_MAX = 120, DG_NODES_MAX = 165 }; /* of degrees 7 and 8 */

struct dg_elliptic_form {
  int Np, modes;      /* modes: of polynomials of degree p - 1 */
  const double *B;    /* [modes][Np][3] integral of mode times d l_j / d (r, s, t) */
  const double *mass; /* [Np][Np] */
};

/* result[Np][DG_LANES] = (stiffness + mass) values[Np][DG_LANES]; metric[6][DG_LANES] xx yy zz xy xz yz, mass[DG_LANES]
 * or NULL. */
typedef void dg_elliptic_block(const struct dg_elliptic_form *form, const double *metric, const double *mass,
                               const double *values, double *result);
dg_elliptic_block dg_elliptic_block_portable, dg_elliptic_block_avx2, dg_elliptic_block_avx512;
