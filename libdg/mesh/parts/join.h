/* Joins parts of a mesh that every rank read by itself to a mesh in parts. */
#pragma once

#include "libdg/comm/comm.h"
#include "libdg/mesh/mesh.h"

/* Collective. Every rank has its own elements as dg_mesh_build leaves them, with numbers of vertices (global_vertex)
 * that all parts agree on, and tables with the same entities on all. Elements and vertices get their numbers in the
 * whole mesh, elements rank by rank, and faces that two ranks have find each other; no rank sees more than a share of
 * them. Errors (DG_INPUT) are those of dg_mesh_build: a face of three elements, or on two surfaces, elements that
 * overlap. After an error the mesh is released. */
int dg_mesh_join(struct dg_mesh *mesh, struct dg_comm *comm, struct dg_error *err) DG_MUST_USE;
