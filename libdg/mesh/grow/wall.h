/* Walls: connected parts of the outer surface of a mesh, chosen face by face, with what other surfaces end on them.
 * Layers grow from them (extrude.h). The mesh is whole: it has not been shared out among ranks. */
#pragma once

#include "libdg/mesh/mesh.h"

/* An edge of a wall at which another surface of the mesh ends. */
struct dg_wall_side {
  int32_t end[2]; /* indices into dg_wall.vertex, ascending */
  int32_t face;   /* index into dg_wall.face: the face of the wall at this edge, or one of two */
  int32_t beside; /* 4 * element + face of the other surface */
  bool inside;    /* it comes from inside, a face with a surface's tag; else it is the outer face beside the wall */
};

struct dg_wall {
  size_t faces, vertices, sides;
  int32_t *face;             /* [faces] 4 * element + face, in the order given */
  int32_t (*corner)[3];      /* [faces] indices into vertex, ascending */
  int32_t *vertex;           /* [vertices] vertices of the mesh, ascending */
  struct dg_wall_side *side; /* [sides] by their ends */
};

struct dg_walls {
  size_t count;
  struct dg_wall *wall; /* [count] in the order of their first faces */
};

/* Sorts boundary faces, face[faces] = 4 * element + face, into walls. Faces that share a vertex are of one wall.
 * DG_INPUT: more than two outer faces meet at an edge; the message says where. Release it in any case. */
int dg_walls_find(struct dg_walls *walls, const struct dg_mesh *mesh, size_t faces, const int32_t *face,
                  struct dg_error *err) DG_MUST_USE;
void dg_walls_release(struct dg_walls *walls);

/* The outward unit normal of a face 4 * element + face, and its area. */
double dg_face_normal(const struct dg_mesh *mesh, int32_t code, double normal[3]);
/* The barycentre of a face. */
void dg_face_centre(const struct dg_mesh *mesh, int32_t code, double x[3]);
