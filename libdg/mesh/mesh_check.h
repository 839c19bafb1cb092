/* The checks of dg_mesh_build; every message names Gmsh's element tags and where they are. */
#pragma once

#include "libdg/comm/comm.h"
#include "libdg/mesh/mesh.h"
#include "libdg/mesh/mesh_limits.h"

/* Checks sizes, indices, finite coordinates, positive volumes. */
int dg_mesh_check_input(const struct dg_mesh_input *input, struct dg_error *err) DG_MUST_USE;

/* Checks that the elements given by the codes 4*e + f can share a face: not more than two, not the same one twice, on
 * different sides. */
int dg_mesh_check_shared(const struct dg_mesh *mesh, const int32_t *code, size_t count,
                         struct dg_error *err) DG_MUST_USE;

/* Checks that there is nothing behind any boundary face. Elements there touch or overlap without sharing nodes, as
 * volumes do that were not fragmented; fields would see a wall between them. O(K + B log K). */
int dg_mesh_check_outside(const struct dg_mesh *mesh, struct dg_error *err) DG_MUST_USE;

/* Checks the same between the parts of a mesh, each of which has been checked by itself. Collective; the rank that has
 * the second element fails. */
int dg_mesh_check_between(const struct dg_mesh *mesh, struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;

/* The barycentric coordinates of x in element e. */
void dg_mesh_barycentric(const struct dg_mesh *mesh, size_t e, const double x[3], double bary[4]);
