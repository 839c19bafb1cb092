/* Orders and joins the sides of periodic meshes. maxwell/periods/periods.c calls it. */
#include "libdg/mesh/period.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/curve.h"
#include "libdg/mesh/mesh_limits.h"

#define CLOSE 1e-6 /* of the shortest edge of a side: how far a vertex may be from the image of its partner */

/* ---- a side ---- */

struct side {
  size_t faces, vertices;
  int32_t *code, *vertex; /* [faces] 4 * element + face; [vertices] ascending */
  double area, centre[3], shortest;
};

static void side_release(struct side *side)
{
  dg_free(side->code);
  dg_free(side->vertex);
}

static const int32_t *face_vertices(const struct dg_mesh *mesh, int32_t code, int32_t v[3])
{
  for (int i = 0; i < 3; i++) v[i] = mesh->element[code >> 2][i + (i >= (code & 3))];
  return v;
}

/* Adds a face to the side's area, its centre (times the area) and its shortest edge. */
static void measure_face(struct side *side, const struct dg_mesh *mesh, int32_t code)
{
  int32_t v[3];
  double a[3], b[3], n[3];
  face_vertices(mesh, code, v);
  const double *x[3] = {mesh->vertex[v[0]], mesh->vertex[v[1]], mesh->vertex[v[2]]};
  dg_subtract(x[1], x[0], a);
  dg_subtract(x[2], x[0], b);
  dg_cross(a, b, n);
  const double area = sqrt(dg_dot(n, n)) / 2;
  side->area += area;
  for (int d = 0; d < 3; d++) side->centre[d] += area * (x[0][d] + x[1][d] + x[2][d]) / 3;
  for (int i = 0; i < 3; i++) side->shortest = fmin(side->shortest, dg_distance(x[i], x[(i + 1) % 3]));
}

static int side_init(struct side *side, const struct dg_mesh *mesh, const bool *chosen, struct dg_error *err)
{
  bool *used = NULL;
  *side = (struct side){.shortest = INFINITY};
  if (DG_NEW(side->code, mesh->boundary_faces, err) != 0 || DG_NEW(side->vertex, mesh->vertices, err) != 0 ||
      DG_NEW(used, mesh->vertices, err) != 0)
    goto fail;
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    const int32_t surface = mesh->surface[i / 4][i % 4];
    int32_t v[3];
    if (mesh->neighbour[i / 4][i % 4] != DG_BOUNDARY || surface < 0 || !chosen[surface]) continue;
    side->code[side->faces++] = (int32_t)i;
    measure_face(side, mesh, (int32_t)i);
    face_vertices(mesh, (int32_t)i, v);
    for (int j = 0; j < 3; j++) used[v[j]] = true;
  }
  for (size_t v = 0; v < mesh->vertices; v++)
    if (used[v]) side->vertex[side->vertices++] = (int32_t)v;
  for (int d = 0; d < 3; d++) side->centre[d] /= side->area;
fail:
  dg_free(used);
  return err->code;
}

/* ---- partners ---- */

/* A vertex by its place along a direction in which no mesh is regular. */
struct along {
  double place;
  int32_t vertex;
};

static double place_along(const double x[3]) { return 0.5477371 * x[0] + 0.6309573 * x[1] + 0.5494617 * x[2]; }

static int compare_places(const void *left, const void *right)
{
  const struct along *a = left, *b = right;
  if (a->place != b->place) return a->place < b->place ? -1 : 1;
  return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

/* The vertex of the list nearest to x of those at most `most` away along the direction; *distance is its distance. */
static int32_t find_nearest(const struct dg_mesh *mesh, const struct along *list, size_t count, const double x[3],
                            double most, double *distance)
{
  const double place = place_along(x);
  size_t low = 0, high = count;
  int32_t found = -1;
  *distance = INFINITY;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (list[middle].place < place - most) low = middle + 1;
    else high = middle;
  }
  for (size_t i = low; i < count && list[i].place <= place + most; i++) {
    const double away = dg_distance(mesh->vertex[list[i].vertex], x);
    if (away < *distance) *distance = away, found = list[i].vertex;
  }
  return found;
}

static int no_partner(const struct dg_mesh *mesh, const struct dg_mesh_sides *sides, const struct along *list,
                      size_t count, const double x[3], struct dg_error *err)
{
  double distance;
  (void)find_nearest(mesh, list, count, x, INFINITY, &distance);
  return dg_fail(err, DG_INPUT,
                 "%s and %s do not have the same triangles: no vertex of %s is at " DG_AT
                 ", the image of one of %s; the "
                 "nearest is %.3g m away (in a .geo file, Periodic Surface makes them alike)",
                 sides->name[0], sides->name[1], sides->name[1], DG_XYZ(x), sides->name[0], distance);
}

static int32_t find_root(int32_t *parent, int32_t v)
{
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

/* Finds partner[from->vertices], the vertices of `to` at the images of those of `from`. */
static int match(const struct dg_mesh *mesh, const struct dg_mesh_sides *sides, const struct side *from,
                 const struct side *to, const double period[3], int32_t *partner, struct dg_error *err)
{
  const double close = CLOSE * fmin(from->shortest, to->shortest);
  struct along *list;
  if (DG_NEW(list, to->vertices, err) != 0) return err->code;
  for (size_t i = 0; i < to->vertices; i++)
    list[i] = (struct along){place_along(mesh->vertex[to->vertex[i]]), to->vertex[i]};
  qsort(list, to->vertices, sizeof *list, compare_places);
  for (size_t i = 0; i < from->vertices; i++) {
    double x[3], distance;
    for (int d = 0; d < 3; d++) x[d] = mesh->vertex[from->vertex[i]][d] + period[d];
    partner[i] = find_nearest(mesh, list, to->vertices, x, close, &distance);
    if (partner[i] >= 0 && distance <= close) continue;
    (void)no_partner(mesh, sides, list, to->vertices, x, err);
    break;
  }
  dg_free(list);
  return err->code;
}

/* Finds the translation of a pair, and joins the classes of its vertices in parent[vertices]; the root of a class is
 * its lowest vertex. */
static int match_sides(const struct dg_mesh *mesh, const struct dg_mesh_sides *sides, double period[3], int32_t *parent,
                       struct dg_error *err)
{
  struct side from = {0}, to = {0};
  int32_t *partner = NULL;
  if (side_init(&from, mesh, sides->from, err) != 0 || side_init(&to, mesh, sides->to, err) != 0 ||
      DG_NEW(partner, from.vertices, err) != 0)
    goto fail;
  for (int i = 0; i < 2; i++)
    if ((i == 0 ? &from : &to)->faces == 0) {
      (void)dg_fail(err, DG_INPUT, "%s has no faces on the outside of the mesh", sides->name[i]);
      goto fail;
    }
  if (from.faces != to.faces || from.vertices != to.vertices) {
    (void)dg_fail(
        err, DG_INPUT,
        "%s has %zu triangles and %s has %zu: the sides of a periodic mesh have the same ones (in a .geo file, "
        "Periodic Surface makes them alike)",
        sides->name[0], from.faces, sides->name[1], to.faces);
    goto fail;
  }
  dg_subtract(to.centre, from.centre, period);
  for (int d = 0; d < 3; d++) /* rounding is no part of it */
    if (fabs(period[d]) < 1e-12 * sqrt(dg_dot(period, period))) period[d] = 0;
  if (match(mesh, sides, &from, &to, period, partner, err) != 0) goto fail;
  for (size_t i = 0; i < from.vertices; i++) {
    const int32_t a = find_root(parent, from.vertex[i]), b = find_root(parent, partner[i]);
    parent[a > b ? a : b] = a > b ? b : a;
  }
fail:
  dg_free(partner);
  side_release(&from);
  side_release(&to);
  return err->code;
}

/* Flattens the classes, and refuses an element that has a vertex and its image. */
static int check_classes(const struct dg_mesh *mesh, int32_t *parent, struct dg_error *err)
{
  for (size_t v = 0; v < mesh->vertices; v++) parent[v] = find_root(parent, (int32_t)v);
  for (size_t e = 0; e < mesh->K; e++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < i; j++) {
        const int32_t a = mesh->element[e][i], b = mesh->element[e][j];
        if (parent[a] != parent[b]) continue;
        return dg_fail(err, DG_INPUT,
                       "element %" PRIu64 " reaches from " DG_AT " to its image at " DG_AT
                       ": a period takes two elements at least",
                       mesh->tag[e], DG_XYZ(mesh->vertex[b]), DG_XYZ(mesh->vertex[a]));
      }
  return 0;
}

/* ---- other numbers ---- */

/* Turns element e to ascending vertices: own[q] is the old place of vertex q. */
static void turn_element(struct dg_mesh *mesh, size_t e, const int32_t *number, int own[4])
{
  const int32_t *old = mesh->element[e];
  int32_t now[4];
  for (int i = 0; i < 4; i++) {
    int q = i;
    for (; q > 0 && number[old[own[q - 1]]] > number[old[i]]; q--) own[q] = own[q - 1];
    own[q] = i;
  }
  for (int q = 0; q < 4; q++) now[q] = number[old[own[q]]];
  memcpy(mesh->element[e], now, sizeof now);
}

static void turn_faces(struct dg_mesh *mesh, const int (*own)[4])
{
  for (size_t e = 0; e < mesh->K; e++) {
    int32_t neighbour[4], surface[4];
    for (int q = 0; q < 4; q++) {
      const int32_t code = mesh->neighbour[e][own[e][q]];
      neighbour[q] = code;
      surface[q] = mesh->surface[e][own[e][q]];
      for (int face = 0; face < 4 && code != DG_BOUNDARY; face++)
        if (own[code >> 2][face] == (code & 3)) neighbour[q] = (code & ~3) + face;
    }
    memcpy(mesh->neighbour[e], neighbour, sizeof neighbour);
    memcpy(mesh->surface[e], surface, sizeof surface);
  }
}

static void turn_shapes(struct dg_mesh *mesh, const int (*own)[4])
{
  for (size_t k = 0; k < mesh->curved; k++) {
    const size_t nodes = dg_shape_nodes(mesh->geometry);
    double old[DG_SHAPE_MAX][3];
    memcpy(old, mesh->shape + k * nodes, nodes * sizeof *old);
    dg_shape_turn(mesh->geometry, own[mesh->curve[k]], (const double(*)[3])old, mesh->shape + k * nodes);
  }
}

/* Numbers the vertices by their classes. */
static int renumber(struct dg_mesh *mesh, const int32_t *parent, struct dg_error *err)
{
  struct dg_keyed *order = NULL;
  double(*vertex)[3] = NULL;
  int32_t *number = NULL;
  int(*own)[4] = NULL;
  if (DG_NEW(order, mesh->vertices, err) != 0 || DG_NEW(vertex, mesh->vertices, err) != 0 ||
      DG_NEW(number, mesh->vertices, err) != 0 || DG_NEW(own, mesh->K, err) != 0)
    goto fail;
  for (size_t v = 0; v < mesh->vertices; v++) order[v] = (struct dg_keyed){(uint64_t)parent[v] << 32 | v, v};
  if (dg_sort_keyed(order, mesh->vertices, err) != 0) goto fail;
  for (size_t i = 0; i < mesh->vertices; i++) {
    const size_t old = order[i].item;
    number[old] = (int32_t)i;
    memcpy(vertex[i], mesh->vertex[old], sizeof vertex[i]);
  }
  memcpy(mesh->vertex, vertex, mesh->vertices * sizeof *vertex);
  for (size_t e = 0; e < mesh->K; e++) turn_element(mesh, e, number, own[e]);
  turn_faces(mesh, (const int(*)[4])own);
  turn_shapes(mesh, (const int(*)[4])own);
fail:
  dg_free(order);
  dg_free(vertex);
  dg_free(number);
  dg_free(own);
  return err->code;
}

/* ---- neighbours ---- */

/* A face of `to`, or that on which a face of `from` comes to lie: its vertices, ascending. Classes would not do: with
 * two elements a period, two faces may have the same. */
struct face {
  int32_t vertex[3], code;
};

static int compare_faces(const void *left, const void *right)
{
  const struct face *a = left, *b = right;
  for (int i = 0; i < 3; i++)
    if (a->vertex[i] != b->vertex[i]) return a->vertex[i] < b->vertex[i] ? -1 : 1;
  return 0;
}

/* Makes the sorted list of a side's faces. image[vertices]: the vertices by which they go; NULL: their own. */
static int list_faces(const struct dg_mesh *mesh, const struct side *side, const int32_t *image, struct face **list,
                      struct dg_error *err)
{
  if (DG_NEW(*list, side->faces, err) != 0) return err->code;
  for (size_t i = 0; i < side->faces; i++) {
    struct face *face = &(*list)[i];
    face->code = side->code[i];
    face_vertices(mesh, face->code, face->vertex);
    for (int j = 0; j < 3 && image != NULL; j++) face->vertex[j] = image[face->vertex[j]];
    DG_BUG_IF(face->vertex[0] > face->vertex[1] || face->vertex[1] > face->vertex[2],
              "two sides list their vertices in another order");
  }
  qsort(*list, side->faces, sizeof **list, compare_faces);
  return 0;
}

static void take_from_surface(struct dg_mesh *mesh, int32_t code, int32_t neighbour)
{
  int32_t *surface = &mesh->surface[code >> 2][code & 3];
  mesh->neighbour[code >> 2][code & 3] = neighbour;
  mesh->entity[*surface].count--;
  mesh->entity[*surface].joined++;
  *surface = -1;
}

static int connect_sides(struct dg_mesh *mesh, const struct dg_mesh_sides *sides, const double period[3],
                         struct dg_error *err)
{
  struct side from = {0}, to = {0};
  struct face *one = NULL, *other = NULL;
  int32_t *partner = NULL, *image = NULL;
  if (side_init(&from, mesh, sides->from, err) != 0 || side_init(&to, mesh, sides->to, err) != 0 ||
      DG_NEW(partner, from.vertices, err) != 0 || DG_NEW(image, mesh->vertices, err) != 0 ||
      match(mesh, sides, &from, &to, period, partner, err) != 0)
    goto fail;
  for (size_t i = 0; i < from.vertices; i++) image[from.vertex[i]] = partner[i];
  if (list_faces(mesh, &from, image, &one, err) != 0 || list_faces(mesh, &to, NULL, &other, err) != 0) goto fail;
  for (size_t i = 0; i < from.faces; i++) {
    double x[3];
    if (compare_faces(&one[i], &other[i]) != 0) {
      for (int d = 0; d < 3; d++) x[d] = mesh->vertex[one[i].vertex[0]][d];
      (void)dg_fail(err, DG_INPUT,
                    "%s and %s have the same vertices, but not the same triangles, near " DG_AT " (in a .geo file, "
                    "Periodic Surface makes them alike)",
                    sides->name[0], sides->name[1], DG_XYZ(x));
      goto fail;
    }
  }
  for (size_t i = 0; i < from.faces; i++) {
    take_from_surface(mesh, one[i].code, other[i].code);
    take_from_surface(mesh, other[i].code, one[i].code);
  }
  mesh->boundary_faces -= 2 * from.faces;
  mesh->interior_faces += from.faces;
fail:
  side_release(&from);
  side_release(&to);
  dg_free(one);
  dg_free(other);
  dg_free(partner);
  dg_free(image);
  return err->code;
}

/* ---- all of it ---- */

int dg_mesh_order_sides(struct dg_mesh *mesh, size_t pairs, const struct dg_mesh_sides *sides, double (*period)[3],
                        struct dg_error *err)
{
  int32_t *parent;
  DG_BUG_IF(mesh->global != NULL, "a mesh that is in parts has no periods");
  if (DG_NEW(parent, mesh->vertices, err) != 0) return err->code;
  for (size_t v = 0; v < mesh->vertices; v++) parent[v] = (int32_t)v;
  for (size_t i = 0; i < pairs; i++)
    if (match_sides(mesh, &sides[i], period[i], parent, err) != 0) goto fail;
  if (check_classes(mesh, parent, err) != 0) goto fail;
  (void)!renumber(mesh, parent, err);
fail:
  dg_free(parent);
  return err->code;
}

int dg_mesh_join_sides(struct dg_mesh *mesh, size_t pairs, const struct dg_mesh_sides *sides, struct dg_error *err)
{
  DG_BUG_IF(pairs > DG_PERIODS, "%zu periods", pairs);
  if (dg_mesh_order_sides(mesh, pairs, sides, mesh->period, err) == 0)
    for (size_t i = 0; i < pairs && connect_sides(mesh, &sides[i], mesh->period[i], err) == 0; i++) mesh->periods++;
  mesh->whole = (struct dg_mesh_size){mesh->K, mesh->vertices, mesh->boundary_faces, mesh->interior_faces};
  return err->code;
}
