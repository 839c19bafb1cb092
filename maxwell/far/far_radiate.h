/* The field far away from equivalent currents on a surface: C. A. Balanis, Antenna Theory, 4th ed., section 12.3, with
 * exp(+j w t). With J = n x H and M = -n x E on the surface, k and eta of the medium,
 *
 *   N = int J exp(jk r.x) dS,  L = int M exp(jk r.x) dS,
 *   r E_theta = -(jk/4 pi) (L_phi + eta N_theta),  r E_phi = (jk/4 pi) (L_theta - eta N_phi),   times exp(-jkr)
 *
 * Integrals are sums over quadrature points: fields are interpolated there from the nodes, and the phase is taken where
 * it is. */
#pragma once

#include <complex.h>
#include <stddef.h>

#include "libdg/base/error.h"
#include "libdg/ref/reference.h"

/* Currents at points, times the weights of the points (m^2). J is times eta0, so that both are of E. */
struct mx_far_currents {
  size_t count;
  double (*x)[3];     /* [count] m */
  double *part[6][2]; /* [count] real and imaginary part of J and M in x, y, z */
};

int mx_far_currents_init(struct mx_far_currents *currents, size_t count, struct dg_error *err) DG_MUST_USE;
void mx_far_currents_release(struct mx_far_currents *currents);
/* N and L (N times eta0) of the unit vector r, for the wave number k (1/m). */
void mx_far_integrate(const struct mx_far_currents *currents, double k, const double r[3], double complex sum[6]);

/* A rule of integration on a face: bary[count][3] towards its corners, weight[count] of sum 1, and interpolation from
 * the nodes [count][Nf]. */
struct mx_far_rule {
  int count;
  double (*bary)[3], *weight, *from_nodes;
};

/* `more` points a direction beyond those that integrate the square of the nodal polynomials. */
int mx_far_rule_init(struct mx_far_rule *rule, const struct dg_reference *ref, int more,
                     struct dg_error *err) DG_MUST_USE;
void mx_far_rule_release(struct mx_far_rule *rule);

struct mx_image_config;
/* The integrals with the images of the currents in `images` planes. */
void mx_far_integrate_images(const struct mx_far_currents *currents, double k, const double r[3], size_t images,
                             const struct mx_image_config *image, double complex sum[6]);
/* The unit vectors of a direction (degrees): r, theta, phi. */
void mx_far_direction(double theta, double phi, double r[3], double to_theta[3], double to_phi[3]);
/* r E_theta and r E_phi from the integrals; `impedance` is the medium's over eta0. */
void mx_far_field_of(const double complex sum[6], double k, double impedance, const double to_theta[3],
                     const double to_phi[3], double complex field[2]);
