/* The conductors of the whole mesh: bodies, connected sets of walls and sheets that conduct. A conductor on a port's
 * face is the end of a body, and the other end of the line is an end of the same one. Bodies are in an order that
 * depends on nothing but where they are: by the middle of the box around them, the lowest in z first, then in y, then
 * in x. So both ends of a line know their conductors in one order, whatever the mesh numbers first and however the line
 * turns. */
#pragma once

#include "maxwell/model/config.h"
#include "maxwell/problem/assignment.h"
#include "maxwell/sources/faces/port_face.h"

struct mx_tem_vertex {
  int64_t vertex; /* numbered in the whole mesh */
  size_t body;
};

struct mx_tem_bodies {
  size_t count, vertices;
  struct mx_tem_vertex *vertex; /* [vertices] of all ranks, ascending */
};

/* Does face f of element e conduct, as a wall or as a sheet between elements? */
bool mx_tem_conducts(const struct mx_port_place *place, const struct mx_assignment *assignment,
                     const struct mx_config *config, size_t e, int f);
/* Collective; all ranks get the same. Release in any case. DG_ENVIRONMENT: no memory. */
int mx_tem_bodies_init(struct mx_tem_bodies *bodies, const struct mx_port_place *place,
                       const struct mx_assignment *assignment, const struct mx_config *config,
                       struct dg_error *err) DG_MUST_USE;
void mx_tem_bodies_release(struct mx_tem_bodies *bodies);
/* The body that a vertex belongs to; the count of bodies: to none. */
size_t mx_tem_body_of(const struct mx_tem_bodies *bodies, int64_t vertex);
/* Says whether place a comes before b: lower in z, then y, then x, by more than `alike`. */
bool mx_tem_is_lower(const double a[3], const double b[3], double alike);
