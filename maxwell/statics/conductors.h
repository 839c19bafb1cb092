/* Which faces are conductors, and what is known of them (statics.h). */
#pragma once

#include "libdg/base/log.h"
#include "libdg/comm/comm.h"
#include "libdg/mesh/mesh.h"
#include "maxwell/model/config.h"
#include "maxwell/problem/assignment.h"
#include "maxwell/problem/problem.h"
#include "maxwell/problem/layer_shape.h"

struct dg_device_ops;

struct mx_statics {
  size_t conductors; /* in the order of config->initial.statics */
  struct mx_conductor {
    char name[64];
    double potential, charge; /* V, C */
    double force[3];          /* N */
    size_t faces;
  } * conductor;
  double *capacitance; /* [conductors][conductors] F: charge of the row's for 1 V on the column's, others at 0 V. NULL:
                          not asked for */
  double *conductance; /* [conductors][conductors] S: current out of the row's for 1 V on the column's; NULL: not asked
                          for */
  double cloud;        /* charge in space, C */
  double energy;       /* of the field, J */
  double balance;      /* sum of all charges, those in space too, over that of their sizes */
  size_t unknowns;
  int iterations;
};

struct mx_statics_place {
  const struct mx_config *config;
  const struct mx_problem *problem;
  const struct mx_assignment *assignment;
  const struct mx_layers *layers;
  const struct dg_mesh *mesh;
  const struct dg_device_ops *device; /* solves for the potential (libdg/solve/device.h); NULL: the host does */
  enum dg_answer direct;              /* of its setup */
  struct dg_log *log;                 /* may be NULL */
};

/* body[K][4]: the conductor that each face belongs to, or DG_NO_BODY; counts the faces of each conductor and gives it
 * its name. Errors as in mx_statics_solve. */
int mx_find_conductors(struct mx_statics *statics, const struct mx_statics_place *place, int32_t (*body)[4],
                       struct dg_error *err) DG_MUST_USE;
