/* A perfectly matched layer: an absorber that a wave enters without reflection, at any angle and frequency.
 *
 * Derivatives along a direction i are stretched by s_i = 1 + sigma_i/(alpha + s), s the time derivative. In the frame
 * of the layer's directions that is the same as a medium in which eps and mu are multiplied by (uniaxial layer)
 *
 *     Lambda = diag(s_y s_z/s_x, s_z s_x/s_y, s_x s_y/s_z),
 *
 * for E and H alike, so that the impedance stays. alpha > 0 leaves slow fields alone, which then do not grow. A real
 * stretch (kappa) would do what thicker elements do, and the mesh has those.
 *
 * Lambda is a chain of filters of first order. With a component E along x, R what drives it (curl and flux over eps):
 *
 *     E = s_x y,   w = s_y s_z y,   dw/dt = R,
 *
 * and the states are X = y/(s + alpha), Y = y/(s + alpha), Z = v/(s + alpha) with v = s_y y. A direction that is not
 * stretched has no filter. One vector of states for each stretched direction therefore does for the three components:
 * the components of state vector i are X, Y or Z of direction i.
 *
 * Leapfrog replaces 1/(s + alpha) by h/(1 - a/z), a = 1/(1 + alpha h), in all places: the layer is then perfectly
 * matched for the system that is discrete in time. Each filter is implicit and takes the new value, so that none needs
 * the old field: layer_points.h has the formulas. At z = -1, leapfrog's limit, s_i = 1 + sigma h/(1 + a) is real and
 * greater than 1, a stretch, which makes the step no smaller. Runge-Kutta has the rates.
 *
 * sigma rises as the third power of the depth within the elements: a jump of sigma is what reflects. The filters are
 * worked at the points of a rule of integration and their result is projected, so that sigma is a symmetric and
 * positive operator of each element. Multiplied at the nodes it is not, and fields in coarse layers grow at any step.
 * Sphere and cylinder: the radius becomes the integral of the stretch, r + (integral of sigma)/(alpha + s), so that
 * what goes around is stretched by that over r, which is again a pole at alpha since alpha is the same everywhere.
 *
 * Sources: S. D. Gedney, IEEE Trans. Antennas Propag. 44 (1996) 1630 (uniaxial layer); M. Kuzuoglu, R. Mittra, IEEE
 * Microw. Guided Wave Lett. 6 (1996) 447 (alpha); F. L. Teixeira, W. C. Chew, IEEE Microw. Guided Wave Lett. 7 (1997)
 * 371 (curved layers). The filters without the old field are ours; share/doc/design/layers.md derives them. */
#pragma once

enum { MX_LAYER_GRADE = 3 }; /* sigma rises as this power of the depth */

/* Parameters of an entry. A box: its stretched directions come first in `axis`, and `place` has the depths of the four
 * vertices along them, over the thickness. Sphere and cylinder: `place` has the vertices along the axes from the
 * centre, over the thickness, `radius`, `low` and `high` the walls, over the thickness. */
enum {
  MX_LAYER_SIGMA,                      /* at the depth of the thickness, 1/m */
  MX_LAYER_POLE,                       /* alpha, 1/m */
  MX_LAYER_PLACE,                      /* [4][3] */
  MX_LAYER_AXIS = MX_LAYER_PLACE + 12, /* [3][3] rows: unit vectors */
  MX_LAYER_RADIUS = MX_LAYER_AXIS + 9,
  MX_LAYER_LOW,
  MX_LAYER_HIGH,
  MX_LAYER_CYLINDER_OR_SPHERE, /* 1: cylinder, 0: sphere */
  MX_LAYER_PARAMETERS
};

/* Coefficients of the point functions. sigma: times the step where the scheme is staggered. pole: a of leapfrog, or
 * alpha. up: rows that give a vector's component along an axis from its own components; down: the way back. */
enum {
  MX_LAYER_C_LOSS, /* [2] of E and H: struct mx_response_medium */
  MX_LAYER_C_SIGMA = MX_LAYER_C_LOSS + 2,
  MX_LAYER_C_POLE,
  MX_LAYER_C_PLACE,                       /* [4][3] */
  MX_LAYER_C_UP = MX_LAYER_C_PLACE + 12,  /* [3][3] */
  MX_LAYER_C_DOWN = MX_LAYER_C_UP + 9,    /* [3][3] */
  MX_LAYER_C_ROUND = MX_LAYER_C_DOWN + 9, /* radius, low, high, cylinder or sphere */
  MX_LAYER_COEFFICIENTS = MX_LAYER_C_ROUND + 4
};
