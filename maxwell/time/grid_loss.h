/* How much of a wave the flux takes, as far as mesh and order tell before a run.
 *
 * A flux with a penalty damps waves that the mesh holds, too, a little. In one dimension the upwind flux multiplies the
 * amplitude by exp(-d x), d h = (p!/(2p + 1)!)^2 (k h)^(2p + 2)/2 (M. Ainsworth, J. Comput. Phys. 198 (2004) 106), so
 * that a resonance without losses has
 *
 *   Q = k/(2 d) = ((2p + 1)!/p!)^2 / (k h)^(2p + 1).
 *
 * In meshes of tetrahedra h is the edge of the regular tetrahedron with the element's volume: of nine modes of a box at
 * orders 1 to 3 the measured Q is 0.5 to 6 times this one for modes that vary in three directions, and larger for the
 * others. Weaker penalties meet larger jumps: with a tenth of upwind's Q is 1 to 1.5 times as large. */
#pragma once

#include <math.h>

#include "maxwell/problem/problem.h"

struct mx_grid_loss {
  double alpha; /* of the flux; 0: it damps nothing, not even what the mesh cannot hold */
  double power; /* 2p + 1 */
  double one;   /* Hz: Q of a penalty is (one/f)^power */
};

/* The size of element e for waves of this wave number (2 pi f/c0, 1/m): edge times index of refraction, m. */
double mx_grid_size(const struct mx_problem *problem, size_t e, double wave_number);
/* The part of element e in the mean over volumes, and its volume: loss[0]/loss[1] of all elements is the mean. */
void mx_grid_loss_add(const struct mx_problem *problem, size_t e, double wave_number, double loss[2]);
/* From the sums over all elements of the run. */
struct mx_grid_loss mx_grid_loss_of(int order, double alpha, const double loss[2]);

/* Below this Q the mesh does not hold a wave, whatever the flux is. */
#define MX_GRID_Q_HELD 100.0

/* The Q that the penalty alone leaves a resonance, about. */
static inline double mx_grid_q(const struct mx_grid_loss *loss, double frequency)
{
  return pow(loss->one / frequency, loss->power);
}
