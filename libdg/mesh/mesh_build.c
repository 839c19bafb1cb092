/* Elements and triangles -> a struct dg_mesh: order, numbers, entities, neighbours, surfaces. All of it is linear in
 * the number of elements, and does not depend on the number of threads. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/mesh/curve_build.h"
#include "libdg/mesh/hilbert.h"
#include "libdg/mesh/mesh.h"
#include "libdg/mesh/mesh_check.h"

/* ---- order of the elements ---- */

static void barycentre(const struct dg_mesh_input *input, size_t e, double x[3])
{
  const int32_t *n = input->tet[e];
  for (int b = 0; b < 3; b++)
    x[b] = 0.25 * (input->point[n[0]][b] + input->point[n[1]][b] + input->point[n[2]][b] + input->point[n[3]][b]);
}

/* Orders the elements; place[i].item is the element of the input that becomes element i. */
static int order_elements(const struct dg_mesh_input *input, struct dg_keyed *place, struct dg_error *err)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
#pragma omp parallel for schedule(static) reduction(min : low[:3]) reduction(max : high[:3])
  for (size_t e = 0; e < input->K; e++) {
    double x[3];
    barycentre(input, e, x);
    for (int b = 0; b < 3; b++) low[b] = fmin(low[b], x[b]), high[b] = fmax(high[b], x[b]);
  }
  for (int b = 0; b < 3; b++) size = fmax(size, high[b] - low[b]);
  /* one scale for all directions, so that the cells of the curve are cubes */
  double scale = size > 0 ? ((UINT32_C(1) << DG_HILBERT_BITS) - 1) / size : 0;
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < input->K; e++) {
    uint32_t cell[3];
    double x[3];
    barycentre(input, e, x);
    for (int b = 0; b < 3; b++) cell[b] = (uint32_t)((x[b] - low[b]) * scale);
    place[e] = (struct dg_keyed){dg_hilbert_key(cell), e};
  }
  return dg_sort_keyed(place, input->K, err);
}

/* ---- vertices and elements ---- */

static void sort4(int32_t v[4])
{
  for (int i = 1; i < 4; i++)
    for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
      int32_t swap = v[j];
      v[j] = v[j - 1];
      v[j - 1] = swap;
    }
}

/* Makes vertices of the points that the elements use, in the order of the points. */
static void keep_order(struct dg_mesh *mesh, const struct dg_mesh_input *input, int32_t *number)
{
  for (size_t i = 0; i < 4 * mesh->K; i++) number[input->tet[i / 4][i % 4]] = 0;
  for (size_t i = 0; i < input->points; i++)
    if (number[i] >= 0) number[i] = (int32_t)mesh->vertices++;
}

/* Numbers the vertices in the order in which the elements meet them, unless the points have numbers, and leaves out
 * points without an element. number[points]: vertex of a point, or -1. */
static int number_vertices(struct dg_mesh *mesh, const struct dg_mesh_input *input, const struct dg_keyed *place,
                           int32_t *number, struct dg_error *err)
{
  for (size_t i = 0; i < input->points; i++) number[i] = -1;
  if (input->number != NULL) keep_order(mesh, input, number);
  for (size_t e = 0; e < mesh->K; e++) {
    size_t from = place[e].item;
    for (int i = 0; i < 4; i++) {
      int32_t point = input->tet[from][i];
      if (number[point] < 0) number[point] = (int32_t)mesh->vertices++;
      mesh->element[e][i] = number[point];
    }
    sort4(mesh->element[e]);
    mesh->tag[e] = input->tag != NULL ? input->tag[from] : from + 1;
    if (input->partition != NULL) mesh->partition[e] = input->partition[from];
  }
  if (DG_NEW(mesh->vertex, mesh->vertices, err) != 0) return err->code;
  for (size_t i = 0; i < input->points; i++)
    if (number[i] >= 0) memcpy(mesh->vertex[number[i]], input->point[i], sizeof mesh->vertex[0]);
  if (input->number == NULL) return 0;
  if (DG_NEW(mesh->global_vertex, mesh->vertices, err) != 0) return err->code;
  for (size_t i = 0; i < input->points; i++)
    if (number[i] >= 0) mesh->global_vertex[number[i]] = input->number[i];
  return 0;
}

/* ---- entities ---- */

/* Appends the entities of one dimension whose tags occur in tag[count], ascending. */
static int add_entities(struct dg_mesh *mesh, int dim, const int32_t *tag, size_t count, struct dg_error *err)
{
  int32_t *sorted;
  if (DG_NEW(sorted, count, err) != 0) return err->code;
  size_t kept = 0, unique = 0;
  for (size_t i = 0; i < count; i++) /* tags come in runs: what is left to sort is short */
    if (i == 0 || tag[i] != tag[i - 1]) sorted[kept++] = tag[i];
  qsort(sorted, kept, sizeof *sorted, dg_compare_int32);
  for (size_t i = 0; i < kept; i++)
    if (i == 0 || sorted[i] != sorted[i - 1]) sorted[unique++] = sorted[i];
  if (dg_grow(&mesh->entity, mesh->entities + unique, sizeof *mesh->entity, err) == 0)
    for (size_t i = 0; i < unique; i++)
      mesh->entity[mesh->entities++] = (struct dg_entity){.dim = dim, .tag = sorted[i]};
  dg_free(sorted);
  return err->code;
}

static int build_entities(struct dg_mesh *mesh, const struct dg_mesh_input *input, const struct dg_keyed *place,
                          struct dg_error *err)
{
  if (add_entities(mesh, 2, input->surface_tag, input->triangles, err) != 0) return err->code;
  if (add_entities(mesh, 3, input->volume_tag, input->K, err) != 0) return err->code;
  for (size_t e = 0; e < mesh->K; e++) {
    int32_t tag = input->volume_tag[place[e].item];
    mesh->volume[e] =
        e > 0 && mesh->entity[mesh->volume[e - 1]].tag == tag ? mesh->volume[e - 1] : dg_mesh_find_entity(mesh, 3, tag);
    mesh->entity[mesh->volume[e]].count++;
  }
  return 0;
}

/* ---- faces ---- */

/* The faces of all elements, gathered by their lowest vertex and sorted by the other two. */
struct face {
  int32_t b, c; /* second and third vertex, ascending */
  int32_t code; /* 4 * element + face */
};

struct faces {
  int32_t *first; /* [vertices + 1] of a vertex, in face */
  struct face *face;
};

static int compare_faces(const void *left, const void *right)
{
  const struct face *x = left, *y = right;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  if (x->c != y->c) return x->c < y->c ? -1 : 1;
  return (x->code > y->code) - (x->code < y->code);
}

static void sort_faces(struct face *face, size_t count)
{
  if (count > 64) {
    qsort(face, count, sizeof *face, compare_faces);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    struct face moved = face[i];
    size_t j = i;
    for (; j > 0 && compare_faces(&moved, &face[j - 1]) < 0; j--) face[j] = face[j - 1];
    face[j] = moved;
  }
}

/* The lowest vertex of face f is vertex 0 of the element, or vertex 1 of the face opposite vertex 0. */
static int lowest(int f) { return f == 0 ? 1 : 0; }

static int faces_init(struct faces *faces, const struct dg_mesh *mesh, struct dg_error *err)
{
  *faces = (struct faces){0};
  if (DG_NEW(faces->first, mesh->vertices + 2, err) != 0 || DG_NEW(faces->face, 4 * mesh->K, err) != 0)
    return err->code;
  int32_t *next = faces->first + 1; /* shifted by one: filling moves the starts to where they belong */
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) next[mesh->element[e][lowest(f)] + 1]++;
  for (size_t v = 0; v < mesh->vertices; v++) next[v + 1] += next[v];
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      const int32_t *v = mesh->element[e];
      int b = f <= 1 ? 2 : 1, c = f == 3 ? 2 : 3;
      faces->face[next[v[lowest(f)]]++] = (struct face){v[b], v[c], 4 * (int32_t)e + f};
    }
#pragma omp parallel for schedule(static)
  for (size_t v = 0; v < mesh->vertices; v++)
    sort_faces(faces->face + faces->first[v], (size_t)(faces->first[v + 1] - faces->first[v]));
  return 0;
}

static void faces_release(struct faces *faces)
{
  dg_free(faces->first);
  dg_free(faces->face);
}

static int connect(struct dg_mesh *mesh, const struct faces *faces, struct dg_error *err)
{
  const struct face *face = faces->face;
  for (size_t v = 0; v < mesh->vertices; v++) {
    size_t end = (size_t)faces->first[v + 1], count;
    for (size_t i = (size_t)faces->first[v]; i < end; i += count) {
      int32_t code[4] = {face[i].code};
      for (count = 1; i + count < end && face[i + count].b == face[i].b && face[i + count].c == face[i].c; count++)
        if (count < 4) code[count] = face[i + count].code;
      if (dg_mesh_check_shared(mesh, code, count < 4 ? count : 4, err) != 0) return err->code;
      if (count == 1) {
        mesh->neighbour[code[0] >> 2][code[0] & 3] = DG_BOUNDARY;
        mesh->boundary_faces++;
      } else {
        mesh->neighbour[code[0] >> 2][code[0] & 3] = code[1];
        mesh->neighbour[code[1] >> 2][code[1] & 3] = code[0];
        mesh->interior_faces++;
      }
    }
  }
  return 0;
}

/* ---- surfaces ---- */

/* Finds the code of one element that has the face a < b < c, or -1. */
static int32_t find_face(const struct faces *faces, int32_t a, int32_t b, int32_t c)
{
  int32_t low = faces->first[a], high = faces->first[a + 1];
  const struct face key = {b, c, -1}; /* sorts before the face that is looked for */
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (compare_faces(&faces->face[middle], &key) < 0) low = middle + 1;
    else high = middle;
  }
  if (low == faces->first[a + 1] || faces->face[low].b != b || faces->face[low].c != c) return -1;
  return faces->face[low].code;
}

static int two_surfaces(const struct dg_mesh *mesh, int32_t code, int other, struct dg_error *err)
{
  double x[3] = {0};
  for (int i = 0; i < 4; i++)
    for (int b = 0; b < 3 && i != (code & 3); b++) x[b] += mesh->vertex[mesh->element[code >> 2][i]][b] / 3;
  return dg_fail(err, DG_INPUT, "the face at " DG_AT " of element %" PRIu64 " lies on two surfaces, %d and %d",
                 DG_XYZ(x), mesh->tag[code >> 2], mesh->entity[mesh->surface[code >> 2][code & 3]].tag,
                 mesh->entity[other].tag);
}

/* Marks the surfaces. Triangles without a tetrahedron (a surface left over in the model) are no error here: whoever
 * uses the surface is told of them. */
static int mark_surfaces(struct dg_mesh *mesh, const struct dg_mesh_input *input, const int32_t *number,
                         const struct faces *faces, struct dg_error *err)
{
  for (size_t i = 0; i < 4 * mesh->K; i++) mesh->surface[i / 4][i % 4] = -1;
  for (size_t i = 0; i < input->triangles; i++) {
    const int32_t *p = input->triangle[i];
    int32_t v[4] = {-1, number[p[0]], number[p[1]], number[p[2]]};
    sort4(v);
    int32_t code = v[1] < 0 ? -1 : find_face(faces, v[1], v[2], v[3]);
    int entity = dg_mesh_find_entity(mesh, 2, input->surface_tag[i]);
    if (code < 0) {
      mesh->entity[entity].loose++;
      continue;
    }
    int32_t *mark = &mesh->surface[code >> 2][code & 3];
    if (*mark == entity) continue; /* the file lists it twice, as old formats do for two physical groups */
    if (*mark >= 0) return two_surfaces(mesh, code, entity, err);
    *mark = entity;
    mesh->entity[entity].count++;
    int32_t beyond = mesh->neighbour[code >> 2][code & 3];
    if (beyond != DG_BOUNDARY) mesh->surface[beyond >> 2][beyond & 3] = entity;
  }
  return 0;
}

/* ---- all of it ---- */

static int build_into(struct dg_mesh *mesh, const struct dg_mesh_input *input, struct dg_keyed *place, int32_t *number,
                      struct dg_error *err)
{
  if (order_elements(input, place, err) != 0) return err->code;
  if (number_vertices(mesh, input, place, number, err) != 0) return err->code;
  if (build_entities(mesh, input, place, err) != 0) return err->code;
  struct faces faces;
  if (faces_init(&faces, mesh, err) == 0 && connect(mesh, &faces, err) == 0 &&
      mark_surfaces(mesh, input, number, &faces, err) == 0 && dg_mesh_take_shapes(mesh, input, place, number, err) == 0)
    (void)!dg_mesh_check_outside(mesh, err);
  faces_release(&faces);
  return err->code;
}

int dg_mesh_build(struct dg_mesh *mesh, const struct dg_mesh_input *input, struct dg_error *err)
{
  *mesh = (struct dg_mesh){0};
  if (dg_mesh_check_input(input, err) != 0) return err->code;
  struct dg_keyed *place = NULL;
  int32_t *number = NULL;
  mesh->K = input->K;
  mesh->partitions = input->partitions;
  if (DG_NEW(mesh->element, mesh->K, err) == 0 && DG_NEW(mesh->neighbour, mesh->K, err) == 0 &&
      DG_NEW(mesh->volume, mesh->K, err) == 0 && DG_NEW(mesh->surface, mesh->K, err) == 0 &&
      DG_NEW(mesh->tag, mesh->K, err) == 0 &&
      (input->partition == NULL || DG_NEW(mesh->partition, mesh->K, err) == 0) && DG_NEW(place, mesh->K, err) == 0 &&
      DG_NEW(number, input->points, err) == 0)
    (void)!build_into(mesh, input, place, number, err);
  dg_free(place);
  dg_free(number);
  if (err->code != DG_OK) dg_mesh_release(mesh);
  mesh->interior = mesh->K;
  mesh->whole = (struct dg_mesh_size){mesh->K, mesh->vertices, mesh->boundary_faces, mesh->interior_faces};
  return err->code;
}

void dg_mesh_release(struct dg_mesh *mesh)
{
  if (mesh == NULL) return;
  dg_free(mesh->vertex);
  dg_free(mesh->element);
  dg_free(mesh->neighbour);
  dg_free(mesh->volume);
  dg_free(mesh->surface);
  dg_free(mesh->tag);
  dg_free(mesh->partition);
  dg_free(mesh->origin);
  dg_free(mesh->curve);
  dg_free(mesh->shape);
  dg_free(mesh->owner);
  dg_free(mesh->global);
  dg_free(mesh->global_vertex);
  for (size_t i = 0; i < mesh->entities; i++) dg_free(mesh->entity[i].group);
  dg_free(mesh->entity);
  for (size_t i = 0; i < mesh->groups; i++) dg_free(mesh->group[i].name);
  dg_free(mesh->group);
  *mesh = (struct dg_mesh){0};
}
