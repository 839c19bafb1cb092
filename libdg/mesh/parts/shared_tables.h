/* Entities and groups on several ranks: the same tables, with the counts of the whole mesh. Both are collective. */
#pragma once

#include "libdg/comm/comm.h"
#include "libdg/mesh/mesh.h"

/* Gives all other ranks, which have none, the tables of rank 0, and `whole`. */
int dg_mesh_share_tables(struct dg_mesh *mesh, struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;
/* Joins tables. Every rank has the tables of its part, with its own counts, and all have the same entities
 * (mesh_groups.h: dg_mesh_add_empty) and groups. In the end all have the tables of rank 0 with counts of all parts, to
 * which `volume` and `surface` of the own elements refer. Errors (DG_INPUT): an entity that rank 0 does not have: the
 * parts are not of one mesh. */
int dg_mesh_join_tables(struct dg_mesh *mesh, struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;
