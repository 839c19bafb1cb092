/* The mode of a line of conductors as data: tem_mode.h finds it, tem_higher.h says how far up it holds. */
#pragma once

#include "libdg/plane/plane_space.h"
#include "maxwell/sources/tem/tem_losses.h"

/* How far up it holds (tem_higher.h). */
struct mx_tem_range {
  double cutoff;     /* Hz, of the first mode beside the TEM ones; 0: not known */
  double dispersion; /* s^2: n grows by this times f^2, relatively, at low frequencies */
};

struct mx_tem_mode {
  size_t conductors;
  double *potential;           /* [conductors] V, for 1 V of the port */
  double impedance;            /* ohm */
  double coarse;               /* the same on the triangles of the face alone */
  double index;                /* n */
  double own_index;            /* n on the triangles of the face alone, which the fields belong to */
  double wall;                 /* W */
  struct dg_plane plane;       /* the triangles of the face, undivided */
  struct dg_plane_space space; /* of the order of the run and 1 */
  double *electric, *magnetic; /* [space.count] phi, A */
  double *mu;                  /* [triangles] */
  double K;                    /* on divided cells */
  double overlap;              /* what the integral of E . G would be with that K */
  struct mx_line_losses losses;
  struct mx_tem_range range; /* zero where no S-parameters are asked for */
  double mixed; /* `voltages`: how much of the charges (or of the losses) does not fit one mode; 0: they are a mode */
};
