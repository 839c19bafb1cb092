/* The part of the mesh in which heat flows, as a mesh of its own, with the material of each element and the wall behind
 * each face. */
#pragma once

#include "libdg/base/log.h"
#include "libdg/comm/comm.h"
#include "libdg/mesh/mesh.h"
#include "maxwell/model/heat/heat_config.h"

enum { MX_HEAT_INSIDE = -2, MX_HEAT_INSULATED = -1 };

struct dg_device_ops;

struct mx_heat_place {
  const struct mx_config *config;     /* with `heat` */
  const struct dg_mesh *mesh;         /* the whole */
  struct dg_comm *comm;               /* NULL: one rank */
  struct dg_log *log;                 /* may be NULL */
  const struct dg_device_ops *device; /* solves (libdg/solve/device.h); NULL: the host does */
  enum dg_answer direct;              /* of its setup */
};

struct mx_heat_body {
  struct dg_comm *comm; /* the caller's */
  struct dg_mesh mesh;  /* vertices, entities and groups are those of the whole; of several ranks a part on each, which
                           may be empty */
  size_t elements;      /* of all ranks */
  int32_t *from;        /* [K] the element of the whole */
  int32_t *part;        /* [K + ghosts of the whole] the element here, or -1 */
  int *material;        /* [K] index into config.material */
  int (*wall)[4];       /* [K] index into config.heat->wall, MX_HEAT_INSULATED, or MX_HEAT_INSIDE */
};

/* Makes the body. Collective. DG_INPUT: periodic sides, a region that the mesh lacks, a source whose region is not in
 * the body, a region whose material lacks a thermal conductivity or (unless the state is steady) mass_density and
 * heat_capacity, a boundary that does not bound the body. Release in any case; the whole mesh must outlive it. */
int mx_heat_body_init(struct mx_heat_body *body, const struct mx_heat_place *place, struct dg_error *err) DG_MUST_USE;
void mx_heat_body_release(struct mx_heat_body *body);
