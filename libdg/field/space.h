/* Continuous polynomials of order p on the tetrahedra of a mesh: which unknown each node of each element is.
 *
 * Vertices of an element are sorted (mesh.h), so that the nodes of an edge or a face stand in the same order in all
 * elements that share it. Unknowns are numbered as the elements meet them, which follow a Hilbert curve: elements near
 * each other in memory have unknowns near each other.
 *
 * A body is a set of faces on which the function has one value, such as a conductor: all its nodes are one unknown. The
 * residual of that unknown is the flux through the whole body, its charge.
 *
 * Ranks that share a mesh have the unknowns of their own elements; what lies between them is an unknown of each. Bodies
 * are unknowns of all ranks. Sides that are images of each other (period.h) are not joined. */
#pragma once

#include <stdint.h>

#include "libdg/field/shared.h"
#include "libdg/mesh/mesh.h"
#include "libdg/ref/reference.h"

enum { DG_NO_BODY = -1 };

struct dg_space {
  const struct dg_mesh *mesh; /* the caller's */
  struct dg_reference ref;
  size_t count;             /* unknowns, those of bodies last */
  size_t bodies;            /* of them */
  int32_t *number;          /* [K][Np] the unknown of each node of each element */
  size_t *row;              /* [count + 1] where the places of an unknown begin in `place` */
  int32_t *place;           /* [K * Np] places e * Np + i of each unknown, ascending */
  struct dg_shared *shared; /* what other ranks have too; NULL: one rank */
};

/* comm: of the ranks that share the mesh; NULL: one. Collective. order 1 to 8. body[K][4]: the body that a face belongs
 * to, 0 to bodies - 1, or DG_NO_BODY; a face of two elements may have its body on either side. NULL: there are none. A
 * node on the faces of two bodies is DG_INPUT, whose message has the numbers of both; so is a mesh that has periods, or
 * more than 2^31 nodes on a rank. DG_ENVIRONMENT: no memory. Release with dg_space_release; a zeroed struct is safe to
 * release. */
int dg_space_init(struct dg_space *space, const struct dg_mesh *mesh, struct dg_comm *comm, int order, size_t bodies,
                  const int32_t (*body)[4], struct dg_error *err) DG_MUST_USE;
void dg_space_release(struct dg_space *space);

/* The unknown of a body. */
static inline size_t dg_space_body(const struct dg_space *space, size_t body)
{
  return space->count - space->bodies + body;
}
/* Unknowns that a lower rank has too, and counts; NULL: there are none. */
static inline const bool *dg_space_foreign(const struct dg_space *space)
{
  return space->shared != NULL ? space->shared->foreign : NULL;
}
/* Adds y[count] of all ranks where they are the same unknown. Collective; dg_space_error has what went wrong. */
static inline void dg_space_sum(const struct dg_space *space, double *y)
{
  if (space->shared != NULL) dg_shared_sum(space->shared, space->count, space->bodies, y);
}
/* The error of a sum or of an operator before this, which then did nothing. */
int dg_space_error(const struct dg_space *space, struct dg_error *err) DG_MUST_USE;
/* value[count] becomes its sum over all ranks; first of all an error of a sum before it. Collective. */
int dg_space_reduce(const struct dg_space *space, size_t count, double *value, struct dg_error *err) DG_MUST_USE;
/* global[count]: numbers of the unknowns among all ranks; those that a rank counts itself follow each other from *first
 * on, *own of them. Collective. */
int dg_space_global(const struct dg_space *space, int64_t *global, int64_t *first, int64_t *own,
                    struct dg_error *err) DG_MUST_USE;
/* seat[Np] for each node of an element: where it lies. */
struct dg_seat {
  int dim, entity, at; /* the entity of that dimension with that local number; its node `at` */
};
void dg_space_seats(const struct dg_reference *ref, struct dg_seat *seat);
/* The unknowns of all ranks. Collective. */
int dg_space_total(const struct dg_space *space, size_t *total, struct dg_error *err) DG_MUST_USE;
/* The place of node i of element e, m. */
void dg_space_point(const struct dg_space *space, size_t e, int i, double x[3]);
