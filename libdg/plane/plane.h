/* Triangles of a plane, flat or curved, that are divided near the places where a potential is singular.
 *
 * A cell is a part of a triangle: its corners are barycentric coordinates in the triangle, so that cells of curved
 * triangles follow the curves. Vertices of a cell are ascending, as those of elements are (mesh.h).
 *
 * A body is a set of edges on which the potential has one value. A wedge is what lies around a vertex between edges of
 * bodies, or the rim. Where a wedge is wider than a half turn, or a quarter turn between a body and a rim that is free,
 * or where media meet at a body, the potential is like r^a with a < 1 (W. Wasow, Duke Math. J. 24 (1957) 47), and
 * dividing all cells alike would be slow. Cells around such a vertex are divided in layers whose sizes fall in
 * proportion: then elements of fixed order converge almost as they do elsewhere (C. Schwab, p- and hp-Finite Element
 * Methods, Oxford 1998, section 4.5). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libdg/base/error.h"
#include "libdg/mesh/face_map.h"

struct dg_plane_edge {
  int64_t vertex[2]; /* ascending */
  int body;          /* 0 and up */
};

struct dg_plane_cell {
  size_t triangle;
  int64_t vertex[3]; /* ascending */
  double at[3][3];   /* barycentric coordinates of these in the triangle */
};

struct dg_plane {
  size_t triangles;
  struct dg_face_map *map; /* [triangles] flat ones have a map of order 1 */
  double *k;               /* [triangles] the medium, for wedges */
  size_t cells;
  struct dg_plane_cell *cell; /* [cells] */
  int64_t vertices;           /* they are 0 to vertices - 1 */
  size_t edges;
  struct dg_plane_edge *edge; /* [edges] of bodies, by ascending vertices */
};

struct dg_plane_input {
  size_t triangles;
  const int64_t (*vertex)[3];    /* [triangles] any numbers, ascending in a triangle */
  const double (*corner)[3][3];  /* [triangles] m */
  const struct dg_face_map *map; /* [triangles] of order 0 where a triangle is flat */
  const double *k;               /* [triangles] */
  size_t edges;
  const struct dg_plane_edge *edge; /* [edges] in any order, each once */
};

/* DG_ENVIRONMENT: no memory. Release with dg_plane_release in any case; a zeroed struct is safe to release. */
int dg_plane_init(struct dg_plane *plane, const struct dg_plane_input *input, struct dg_error *err) DG_MUST_USE;
void dg_plane_release(struct dg_plane *plane);
/* Divides every cell into four. */
int dg_plane_halve(struct dg_plane *plane, struct dg_error *err) DG_MUST_USE;
/* singular[vertices]: does a wedge make the potential singular there? */
int dg_plane_singular(const struct dg_plane *plane, bool *singular, struct dg_error *err) DG_MUST_USE;
/* Cuts a cell that is `ratio` times as large off every corner at a vertex with singular[] (its first `count` vertices),
 * `layers` times. No cell may have two such vertices: dg_plane_halve sees to that. */
int dg_plane_grade(struct dg_plane *plane, const bool *singular, int64_t count, int layers, double ratio,
                   struct dg_error *err) DG_MUST_USE;

/* A side of a cell, for all who go over sides: in the order (0, 1), (0, 2), (1, 2). */
struct dg_plane_side {
  int64_t vertex[2];
  size_t cell;
  int side;
};
/* All sides of all cells, by ascending vertices, those of one edge behind each other by cells: *sides[3 cells] is new;
 * free it with dg_free. */
int dg_plane_sides(const struct dg_plane *plane, struct dg_plane_side **sides, struct dg_error *err) DG_MUST_USE;
/* The body of an edge; -1: none. */
int dg_plane_body(const struct dg_plane *plane, const int64_t vertex[2]);
/* The place x (m) in a cell at barycentric coordinates of the cell, and t = dx by its reference coordinates, -1 to 1.
 */
void dg_plane_at(const struct dg_plane *plane, const struct dg_plane_cell *cell, const double bary[3], double x[3],
                 double t[2][3]);
