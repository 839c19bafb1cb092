/* The conductors on a port's face: connected sets of edges at which metal ends, such as walls beside the face and
 * conducting sheets that meet it. All ranks find the same ones, in the same order, which is that of the bodies that
 * they are ends of (tem_bodies.h), and so the same at both ends of a line. */
#pragma once

#include "libdg/plane/plane.h"
#include "maxwell/model/config.h"
#include "maxwell/problem/assignment.h"
#include "maxwell/sources/faces/port_face.h"

enum { MX_TEM_METAL_SHEET = -4 }; /* beside those of mx_assignment: a conducting sheet that is a metal */

struct mx_tem_conductors {
  size_t count;
  size_t edges;
  struct dg_plane_edge *edge; /* [edges] by ascending vertices, numbered in the whole mesh */
  int *wall;                  /* [edges] the boundary, as in mx_assignment, or MX_TEM_METAL_SHEET */
  double *length;             /* [count] of their edges, m */
  double (*middle)[3];        /* [count] the mean place of their edges, m */
  size_t *body;               /* [count] the number of its body; of ends of one body the lower one comes first */
  size_t ground;              /* that of another port of the same line; count: none is known */
  size_t groups;              /* of the mesh */
  bool *member;               /* [count][groups] does a surface of the group touch it? */
};

/* Collective. DG_INPUT: fewer than two conductors. Release in any case. */
int mx_tem_conductors_init(struct mx_tem_conductors *conductors, const struct mx_port_face *face,
                           const struct mx_port_place *place, const struct mx_assignment *assignment,
                           const struct mx_config *config, struct dg_error *err) DG_MUST_USE;
/* Makes the body that is the ground of another port that of this one, if it and another of its body[bodies] end here: a
 * line may change its shape on the way, so that another conductor is the longer one here. */
void mx_tem_share_ground(struct mx_tem_conductors *conductors, size_t bodies, const size_t *body, size_t ground);
void mx_tem_conductors_release(struct mx_tem_conductors *conductors);
/* The wall of an edge by its vertices, ascending; MX_DEFAULT_PEC also where no conductor has it. */
int mx_tem_conductor_wall(const struct mx_tem_conductors *conductors, const int64_t vertex[2]);
/* Writes "'strip'", "'left' + 'right'" or, of a conductor without a group, "2". */
void mx_tem_conductor_name(const struct mx_tem_conductors *conductors, const struct dg_mesh *mesh, size_t i, char *text,
                           size_t size);
/* Writes the names of all: "'ground', 'strip'". */
void mx_tem_conductor_names(const struct mx_tem_conductors *conductors, const struct dg_mesh *mesh, char *text,
                            size_t size);
/* Is the conductor in the group of surfaces of that name? */
bool mx_tem_conductor_in(const struct mx_tem_conductors *conductors, const struct dg_mesh *mesh, size_t i,
                         const char *group);
