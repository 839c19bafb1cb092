/* A conforming mesh of tetrahedra with its neighbours, entities and names: the part of a Gmsh model that the solver
 * needs.
 *
 * Vertices of every element are sorted by ascending vertex number. Two elements that share a face therefore list its
 * three vertices in the same order, and node m of the face is the same point on both sides: the orientation of a
 * neighbour is always the identity, and a neighbour is one integer. The price is that half the elements have a negative
 * Jacobian, which only the geometry factors see. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libdg/base/error.h"

enum { DG_BOUNDARY = -1, DG_PERIODS = 3 };

/* One Gmsh entity that carries elements (dim 3) or faces (dim 2), or that a physical group names. */
struct dg_entity {
  int dim, tag;
  size_t count;  /* tetrahedra or triangles of this entity that the mesh uses; 0: the model has it, the mesh does not */
  size_t loose;  /* triangles of it that are faces of no tetrahedron, and are not used */
  size_t joined; /* triangles that were part of `count` before another side became the neighbour there (period.h) */
  int groups;    /* physical groups that hold it */
  int *group;    /* [groups] indices into dg_mesh.group */
  /* Of layers (grow/extrude.h): */
  int grown_from; /* tag of the volume or surface that this one continues outwards; 0: it was drawn */
  int layer;      /* the layer that holds it, 1 and up; 0: none */
};

struct dg_group {
  int dim, tag;
  char *name; /* "" when Gmsh has no name for it */
};

struct dg_mesh {
  size_t K; /* tetrahedra, ordered along a Hilbert curve through their barycentres */
  size_t vertices;
  double (*vertex)[3];     /* [vertices] metres */
  int32_t (*element)[4];   /* [K] vertex numbers, ascending */
  int32_t (*neighbour)[4]; /* [K] face f (opposite vertex f): 4 * neighbouring element + its face, or DG_BOUNDARY */
  int32_t *volume;         /* [K] index into entity: the volume that holds the element */
  int32_t (*surface)[4];   /* [K] index into entity: the surface on which the face lies, or -1. A boundary face that
                              no surface of the model holds has -1 as well. */
  uint64_t *tag;           /* [K] Gmsh's element tag, for messages */
  int partitions;          /* into which Gmsh split the mesh; 0: it did not. Of a mesh that is loaded whole */
  int32_t *partition;      /* [K] 0..partitions-1; NULL without */
  double (*origin)[3];     /* [K] the place whose medium an element has, m: its barycentre, or in a layer that of the
                              element from which it grew (grow/extrude.h). NULL: there are no layers */
  /* Curved elements (curve.h): those whose map is not affine. */
  int geometry;                 /* order of the maps, 1 to 4; 0 or 1: there are no curved elements */
  size_t curved;                /* of the K elements */
  int32_t *curve;               /* [curved] which, ascending */
  double (*shape)[3];           /* [curved][dg_shape_nodes(geometry)] places of the nodes of their maps, m */
  size_t periods;               /* pairs of sides that are neighbours of each other (period.h) */
  double period[DG_PERIODS][3]; /* [periods] their translations, m */
  bool paired; /* elements 2 i and 2 i + 1 are the real and the imaginary part at the same place (sets.h) */
  size_t boundary_faces, interior_faces; /* a face counts once; one shared with another rank: see partition.h */
  size_t entities;
  struct dg_entity *entity; /* [entities] ordered by (dim, tag) */
  size_t groups;
  struct dg_group *group; /* [groups] ordered by (dim, tag) */

  /* A mesh that several ranks share has a part on each (partition.h): the rank's own elements, those without a
   * neighbour on another rank first, each of the two kinds along the curve; and behind them ghosts, the elements of
   * other ranks on the far side of a shared face. `element`, `volume` and `tag` have K + ghosts entries, `neighbour`
   * and `surface` K; entity and group are those of the whole mesh, with its counts. A mesh that is not shared is all
   * interior. */
  size_t interior; /* elements 0..interior-1 have no ghost as neighbour */
  size_t ghosts;
  int32_t *owner;         /* [ghosts] rank of each, DG_SELF (comm.h) for the rank's own; NULL without ghosts */
  int64_t *global;        /* [K + ghosts] number in the whole mesh; NULL: the same */
  int64_t *global_vertex; /* [vertices] ascending; NULL: the same */
  struct dg_mesh_size {
    size_t K, vertices, boundary_faces, interior_faces;
  } whole; /* of all ranks' elements */
};

/* The number of an element, or ghost, and of a vertex in the whole mesh: the same whatever the number of ranks. */
static inline int64_t dg_mesh_global(const struct dg_mesh *mesh, size_t e)
{
  return mesh->global != NULL ? mesh->global[e] : (int64_t)e;
}
static inline int64_t dg_mesh_global_vertex(const struct dg_mesh *mesh, size_t v)
{
  return mesh->global_vertex != NULL ? mesh->global_vertex[v] : (int64_t)v;
}

/* The options for making the mesh: the table `mesh = { }` of a script. */
struct dg_mesh_options {
  const char *file; /* .msh, or a geometry that Gmsh reads (.geo, .step, .brep, ...) and meshes */
  double size;      /* element size in drawing units, everywhere: it replaces the sizes of the geometry's points,
                       fields and curvatures (graded geometries leave it 0); 0: what the geometry says */
  double unit;      /* metres per drawing unit */
  int geometry; /* order of the elements' maps, 1 to 4; 0: 1. A geometry that Gmsh meshes gets nodes of that order on
                   its curves and surfaces; a file that holds a mesh must have it */
  bool own_geometry; /* the order is no wish: a file that holds a mesh may have another, which the maps then have, and
                        curved elements of a geometry must not make steps much shorter (draft/bend.h) */
  size_t parameters; /* numbers that replace constants of DefineConstant, or ONELAB parameters, of a .geo script */
  const char *const *parameter_name;
  const double *parameter_value;
  bool trust;       /* a .geo script may start programs and write files, as far as its text shows that it does */
  int threads;      /* for Gmsh; 0: one, so that the same geometry gives the same mesh. A mesh of more that is refused
                       here, or at which Gmsh crashes, is made again with one */
  double seconds;   /* that the mesher may take; 0: as many as it likes */
  double memory;    /* bytes that it may have; 0: all that the machine has */
  FILE *messages;   /* Gmsh's own messages go here; NULL: dropped */
  const char *kept; /* a file of dg_mesh_keep, which is used if it holds what would be made; NULL: none */
  bool remake;      /* it is not used */
  bool same_run;    /* it is used if the files are those that it was made of, whatever else it may depend on: Gmsh, the
                       environment, programs */
  struct dg_mesh_report *report; /* filled, also behind an error; NULL: not wanted */
};

/* The mesher's words beside the mesh. Release it; {0} is empty. */
struct dg_mesh_report {
  size_t notes;
  struct dg_mesh_note {
    bool warning;
    int32_t surface;       /* that the note is about: it does not matter where nothing happens there; 0: of all */
    char *text;            /* one line for the log of the run */
  } * note;                /* [notes] in the order in which they were said */
  bool reused;             /* the kept mesh was used */
  char why[256];           /* one that is there was not, because; "": there is none, or it was used */
  struct dg_parcel *fresh; /* a mesh that was made, to be kept; NULL: none */
};
void dg_mesh_report_release(struct dg_mesh_report *report);
/* Writes the mesh of the report, if it was made, to the file, for dg_mesh_options.kept. It is written under another
 * name first, and is on the disk when this returns. The report gives up its memory. DG_ENVIRONMENT: the message says
 * what could not be written. */
int dg_mesh_keep(struct dg_mesh_report *report, const char *path, struct dg_error *err) DG_MUST_USE;

/* Loads or generates the mesh with Gmsh, in a process of its own, `curlew-mesh` (mesher.h): whatever Gmsh does, this
 * process goes on. Never writes a file, unless a trusted script does. Not collective: one rank calls it. Errors
 * (DG_INPUT) name the file, and the element and where it lies: a file that is missing or that Gmsh cannot read, an
 * unknown parameter, a size or parameters for a file that holds a mesh (they would do nothing), no tetrahedra, elements
 * that are not tetrahedra of one order, inverted or degenerate elements (volume below 1e-12 of the longest edge cubed,
 * or the determinant of a curved map not positive somewhere),
 * a face shared by three elements or lying on two surfaces, elements that touch or overlap without sharing nodes, a
 * script that ends Gmsh, a file on which Gmsh crashes or takes more than the seconds given. DG_ENVIRONMENT: no
 * curlew-mesh, no memory. A partitioned mesh is loaded whole. Triangles of surfaces that no tetrahedron touches are
 * left out. */
int dg_mesh_load(struct dg_mesh *mesh, const struct dg_mesh_options *options, struct dg_error *err) DG_MUST_USE;
void dg_mesh_release(struct dg_mesh *mesh);

/* The part of dg_mesh_load behind Gmsh, for tests and other sources of meshes: sorts, orders, finds neighbours and
 * boundary faces, checks. All arrays are copied.
 * point[points][3] metres; tet[K][4] indices into point, positively oriented; volume_tag[K]; tag[K] may be NULL;
 * triangle[triangles][3] with surface_tag: faces on surfaces of the model. groups of entities are added by the caller,
 * with dg_mesh_set_groups of mesh_groups.h.
 */
struct dg_mesh_input {
  size_t points, K, triangles;
  const double (*point)[3];
  const int32_t (*tet)[4];
  const int32_t *volume_tag;
  const uint64_t *tag;
  const int32_t (*triangle)[3];
  const int32_t *surface_tag;
  const int32_t *partition; /* [K] 0 and up; NULL: the mesh has none */
  int partitions;
  int geometry; /* order of the curved maps, 1 to 4; with curved == 0 it does not matter */
  size_t curved;
  const int32_t *curve;     /* [curved] elements of the input, ascending */
  const double (*shape)[3]; /* [curved][dg_shape_nodes(geometry)] their maps (curve.h), by the vertices as tet has them.
                               The first nodes of edges are the vertices themselves */
  const int64_t *number; /* [points] ascending: the input is a part of a mesh that numbers its points so. Vertices keep
                            this order, and become global_vertex. NULL: the input is all */
};
int dg_mesh_build(struct dg_mesh *mesh, const struct dg_mesh_input *input, struct dg_error *err) DG_MUST_USE;

/* The index of an entity, or -1. */
int dg_mesh_find_entity(const struct dg_mesh *mesh, int dim, int tag);
/* True when the element, or ghost, belongs to a layer that has grown (grow/extrude.h). */
static inline bool dg_mesh_in_layer(const struct dg_mesh *mesh, size_t e)
{
  return mesh->entity[mesh->volume[e]].layer > 0;
}
/* True when the mesh as it was drawn ends at this face of an element of this rank: there is nothing beyond, or a layer
 * has grown from it. */
static inline bool dg_mesh_is_wall(const struct dg_mesh *mesh, size_t e, int f)
{
  const int32_t beyond = mesh->neighbour[e][f];
  if (dg_mesh_in_layer(mesh, e)) return false;
  return beyond == DG_BOUNDARY || dg_mesh_in_layer(mesh, (size_t)beyond / 4);
}
/* True when the neighbour behind a face lies at another side of the mesh (period.h): its face is an image of this one.
 */
static inline bool dg_mesh_is_image(const struct dg_mesh *mesh, size_t e, int f)
{
  const int32_t beyond = mesh->neighbour[e][f];
  if (beyond == DG_BOUNDARY) return false;
  return mesh->element[e][f == 0] != mesh->element[beyond >> 2][(beyond & 3) == 0];
}
/* True when the entity belongs to a physical group of that name. */
int dg_mesh_entity_in_group(const struct dg_mesh *mesh, int entity, const char *group_name);

/* The element of this rank that holds the point (metres), or -1. bary[4] gets its barycentric coordinates towards the
 * element's sorted vertices. A point on a face belongs to the element with the lowest global number, of those of this
 * rank (dg_mesh_locate_shared of partition.h asks all ranks). A point outside by less than 1e-9 of an element still
 * belongs to it. In a curved element they are the coordinates of the place on its map (find/invert.h). What has grown
 * (grow/extrude.h) was not drawn: a point in a layer is outside. O(K). */
int64_t dg_mesh_locate(const struct dg_mesh *mesh, const double point[3], double bary[4]);
/* Locates count points (metres, finite) at once, O(K + count) for points that are spread evenly. */
int dg_mesh_locate_many(const struct dg_mesh *mesh, size_t count, const double (*point)[3], int64_t *element,
                        double (*bary)[4], struct dg_error *err) DG_MUST_USE;

/* The version string of the Gmsh library in use, e.g. "4.8.4"; the first call asks curlew-mesh, unless a mesh was
 * loaded before. "unknown" if there is none. */
const char *dg_gmsh_version(void);
