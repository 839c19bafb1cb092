/* What a line loses, in the first order: by the fields of the line without losses (tem_mode.h). For 1 V of the port,
 *
 *   G' = integral of sigma |grad phi|^2,
 *   R' = integral of sigma_m |grad A / mu_r|^2 / K^2 + sum over walls of Rs times their shape,
 *   shape = integral along the wall of |grad A / mu_r|^2 / K^2,
 *
 * since the current is I = n K/eta0 times 1 V and |eta0 H| = n |grad A / mu_r|. Rs is the resistance of a wall
 * (R. Collin, Foundations for Microwave Engineering, 2nd ed., section 3.7; H. Wheeler, Proc. IRE 30 (1942) 412). With
 * C' and L' of the line waves go as exp(-gamma x) with the impedance Z,
 *
 *   gamma = sqrt((R' + s L')(G' + s C')),   Z = sqrt((R' + s L')/(G' + s C')).
 *
 * In one medium between perfect conductors that is exact at all frequencies. Elsewhere it is the first order of losses:
 * where a corner of a wall is sharp its skin must be thin beside it. */
#pragma once

#include <complex.h>

#include "libdg/plane/plane_space.h"
#include "maxwell/sources/tem/tem_conductors.h"

struct mx_line_wall {
  struct mx_metal_config metal; /* sigma 0: the wall is `impedance`, ohm */
  double impedance;
  double shape; /* 1/m */
};

struct mx_line_losses {
  double conductance; /* G', S/m */
  double resistance;  /* R' of media alone, ohm/m */
  size_t walls;
  struct mx_line_wall *wall; /* [walls] those that lose something, in the order of the script's boundaries */
  bool sheets;               /* sheets of metal end at the face: at their edges H has no finite square */
};

struct mx_tem_losses_input {
  const struct mx_port_face *face;
  const struct mx_tem_conductors *conductors;
  const struct mx_config *config;
  const struct dg_plane_space *space;
  const double *electric, *magnetic; /* [space->count] phi, A */
  double K;
};
/* Every rank that calls it gets the same numbers. DG_ENVIRONMENT: no memory. Release in any case. */
int mx_tem_losses_init(struct mx_line_losses *losses, const struct mx_tem_losses_input *input,
                       struct dg_error *err) DG_MUST_USE;
void mx_line_losses_release(struct mx_line_losses *losses);
/* Does the line lose anything that is known? */
bool mx_line_loses(const struct mx_line_losses *losses);
/* R' of the walls at a frequency (Hz), ohm/m; the imaginary part is their own inductance. */
double complex mx_line_walls(const struct mx_line_losses *losses, double hertz);
/* gamma (1/m) and Z (ohm) of a line that without losses has `impedance` (ohm) and `speed` (m/s). hertz > 0 */
void mx_line_at(const struct mx_line_losses *losses, double impedance, double speed, double hertz,
                double complex *gamma, double complex *Z);
