/* The checks of dg_mesh_build; every message names Gmsh's element tags and where they are. */
#pragma once

#include "libdg/comm/comm.h"
#include "libdg/mesh/mesh.h"
#include "libdg/mesh/mesh_limits.h"

/* Sizes, indices, finite coordinates, positive volumes. */
int dg_mesh_check_input(const struct dg_mesh_input *input, struct dg_error *err) DG_MUST_USE;

/* Elements given by the codes 4*e + f share a face: not more than two, not the same one twice, on different sides. */
int dg_mesh_check_shared(const struct dg_mesh *mesh, const int32_t *code, size_t count,
                         struct dg_error *err) DG_MUST_USE;

/* Behind every boundary face there must be nothing. What is there are elements that touch or overlap without sharing
 * nodes, as volumes do that were not fragmented; fields would see a wall between them. O(K + B log K). */
int dg_mesh_check_outside(const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;

/* The same between the parts of a mesh, each of which has been checked by itself. Collective; the rank that has the
 * second element fails. */
int dg_mesh_check_between(const struct dg_mesh *mesh, struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;

/* Barycentric coordinates of x in element e. */
void dg_mesh_barycentric(const struct dg_mesh *mesh, size_t e, const double x[3], double bary[4]);
