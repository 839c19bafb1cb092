/* A mesh in parts: the rank that gets each element, the way of elements to their ranks, and the rank that has a
 * point. */
#pragma once

#include <stdbool.h>

#include "libdg/comm/comm.h"
#include "libdg/mesh/mesh.h"

enum { DG_MAX_CONSTRAINTS = 16 };

/* Splits the mesh into `parts` of equal weight, owner[K], with as few faces between them as METIS (k-way; G. Karypis,
 * V. Kumar, SIAM J. Sci. Comput. 20 (1998) 359) finds. Every one of `constraints` is balanced for itself:
 * weight[K][constraints] >= 0, all in one unit. The heaviest part may be above the mean by 5 per mille of the first
 * constraint and by 20 of each other, or by one element. METIS is asked for that and does not promise it. A constraint
 * of fewer than 20 elements a part is added to the first one. So are others, the one of fewest elements first, as long
 * as they spoil the first by more than 3 %. With one constraint parts are of one piece if the mesh is. With 0
 * constraints (NULL) all elements weigh the same. The same mesh gives the same parts. Not collective. Errors
 * (DG_INPUT): more parts than elements; a part that ends up empty (the message names the largest number that makes
 * sense). */
int dg_mesh_partition(const struct dg_mesh *mesh, int parts, int constraints, const int32_t *weight, int32_t *owner,
                      struct dg_error *err) DG_MUST_USE;

/* Collective. Rank 0 has the whole mesh and owner[K] (NULL on the others, and with one rank), the others a mesh of
 * zeros; in the end every rank has its part, and rank 0 has let go of the rest. Rank 0 holds no more than the whole
 * mesh and one part at a time. boundary_faces and interior_faces are those of the part's own elements, where a face
 * shared with another rank counts on the side of the element with the lower global number: over all ranks they add up
 * to those of `whole`. With one rank the mesh stays as it is. After an error the mesh is
 * released. */
int dg_mesh_distribute(struct dg_mesh *mesh, const int32_t *owner, struct dg_comm *comm,
                       struct dg_error *err) DG_MUST_USE;

/* Has Gmsh split the mesh of this name into one file a part (Mesh.PartitionSplitMeshFiles)? There is no NAME.msh then,
 * but a NAME_1.msh. Not collective: rank 0 looks and tells. */
bool dg_mesh_in_parts(const char *file);
/* Collective. Loads a mesh in parts: rank r reads NAME_<r+1>.msh. The faces and vertices that the parts share are found
 * by Gmsh's numbers of nodes, which must be those of the whole mesh, as Gmsh writes them. Elements have other numbers
 * than when one rank loads the whole. Errors are those of dg_mesh_load, and (DG_INPUT) a number of parts that is not
 * the number of ranks, and files that are not of one mesh. After an error the mesh is released. */
int dg_mesh_load_parts(struct dg_mesh *mesh, const struct dg_mesh_options *options, struct dg_comm *comm,
                       struct dg_error *err) DG_MUST_USE;

/* The answer of dg_mesh_locate_shared where it finds no element of this rank. */
enum { DG_ELSEWHERE = -1, DG_NOWHERE = -2 };

/* Collective. Locates count points (metres, finite), the same on all ranks. element[count]: this rank's element that
 * holds the point, DG_ELSEWHERE when another rank has it, DG_NOWHERE (on all ranks) when it is outside the mesh.
 * Exactly one rank has a point inside the mesh: the one whose element has the lowest global number of all that hold it.
 * bary[count] as dg_mesh_locate gives it, set where element >= 0. */
int dg_mesh_locate_shared(const struct dg_mesh *mesh, struct dg_comm *comm, size_t count, const double (*point)[3],
                          int64_t *element, double (*bary)[4], struct dg_error *err) DG_MUST_USE;
