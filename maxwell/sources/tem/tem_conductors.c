/* Finds the conductors on a port's face: see tem_conductors.h. */
#include "maxwell/sources/tem/tem_conductors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/base/vec3.h"
#include "maxwell/sources/faces/edges.h"
#include "maxwell/sources/tem/tem_bodies.h"

/* An edge of the face that a metal face has. It is sent between ranks. */
struct contact {
  struct mx_edge edge;
  int64_t entity; /* of the metal; -1: none */
  int64_t wall;   /* as in mx_tem_conductors */
};

static int compare_contacts(const void *a, const void *b)
{
  const struct contact *x = a, *y = b;
  const int order = mx_compare_edges(&x->edge, &y->edge);
  if (order != 0) return order;
  if (x->entity != y->entity) return x->entity < y->entity ? -1 : 1;
  return x->wall < y->wall ? -1 : x->wall > y->wall;
}

/* Returns the edges of all triangles of the face, sorted, each once; edge[3 * face->count]. */
static size_t list_edges(const struct mx_port_face *face, struct mx_edge *edge)
{
  const size_t edges = 3 * face->count;
  size_t count = 0;
  for (size_t k = 0; k < face->count; k++) mx_edges_of(face->triangle[k].vertex, edge + 3 * k);
  qsort(edge, edges, sizeof *edge, mx_compare_edges);
  for (size_t i = 0; i < edges; i++)
    if (i == 0 || mx_compare_edges(&edge[i], &edge[i - 1]) != 0) edge[count++] = edge[i];
  return count;
}

/* Collects this rank's contacts; contact NULL only counts. */
static size_t collect(const struct mx_port_place *place, const struct mx_assignment *assignment,
                      const struct mx_config *config, const struct mx_edge *edge, size_t edges, struct contact *contact)
{
  const struct dg_mesh *mesh = place->mesh;
  size_t count = 0;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      const int boundary = assignment->boundary[e][f];
      struct mx_edge own[3];
      int64_t vertex[3];
      if (!mx_tem_conducts(place, assignment, config, e, f)) continue;
      for (int i = 0, n = 0; i < 4; i++)
        if (i != f) vertex[n++] = dg_mesh_global_vertex(mesh, (size_t)mesh->element[e][i]);
      mx_edges_of(vertex, own);
      const int wall = mx_metal_between(assignment, config, mesh, e, f) >= 0 ? MX_TEM_METAL_SHEET : boundary;
      for (int i = 0; i < 3; i++) {
        if (bsearch(&own[i], edge, edges, sizeof *edge, mx_compare_edges) == NULL) continue;
        if (contact != NULL) contact[count] = (struct contact){own[i], mesh->surface[e][f], wall};
        count++;
      }
    }
  return count;
}

/* The contacts of all ranks, sorted. */
static int share(const struct mx_port_face *face, const struct mx_port_place *place,
                 const struct mx_assignment *assignment, const struct mx_config *config, struct contact **all,
                 size_t *count, struct dg_error *err)
{
  struct mx_edge *edge = NULL;
  struct contact *own = NULL;
  *all = NULL;
  *count = 0;
  if (DG_NEW(edge, 3 * face->count, err) != 0) return err->code;
  const size_t edges = list_edges(face, edge), here = collect(place, assignment, config, edge, edges, NULL);
  int64_t sum = (int64_t)here;
  if (DG_NEW(own, here, err) != 0) goto fail;
  (void)collect(place, assignment, config, edge, edges, own);
  if (dg_comm_reduce_int(place->problem->comm, DG_SUM, 1, &sum, err) != 0 || sum == 0 ||
      dg_comm_share(place->problem->comm, here * sizeof *own, own, all, NULL, err) != 0)
    goto fail;
  *count = (size_t)sum;
  qsort(*all, *count, sizeof **all, compare_contacts);
fail:
  dg_free(edge);
  dg_free(own);
  return err->code;
}

static size_t place_of(const int64_t *vertex, size_t count, int64_t number)
{
  const int64_t *at = bsearch(&number, vertex, count, sizeof *vertex, dg_compare_int64);
  return (size_t)(at - vertex);
}

static size_t root_of(size_t *parent, size_t i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Joins edges that share a vertex: body of each edge, and their count. */
static int connect(struct mx_tem_conductors *conductors, struct dg_error *err)
{
  const size_t ends = 2 * conductors->edges;
  int64_t *vertex = NULL;
  size_t *parent = NULL, count = 0;
  int *body = NULL;
  if (DG_NEW(vertex, ends, err) != 0 || DG_NEW(parent, ends, err) != 0 || DG_NEW(body, ends, err) != 0) goto fail;
  for (size_t i = 0; i < ends; i++) vertex[i] = conductors->edge[i / 2].vertex[i % 2];
  qsort(vertex, ends, sizeof *vertex, dg_compare_int64);
  for (size_t i = 0; i < ends; i++)
    if (i == 0 || vertex[i] != vertex[i - 1]) vertex[count++] = vertex[i];
  for (size_t i = 0; i < count; i++) parent[i] = i;
  for (size_t i = 0; i < conductors->edges; i++) {
    const size_t a = root_of(parent, place_of(vertex, count, conductors->edge[i].vertex[0])),
                 b = root_of(parent, place_of(vertex, count, conductors->edge[i].vertex[1]));
    parent[a > b ? a : b] = a > b ? b : a; /* the root is the lowest vertex */
  }
  for (size_t i = 0; i < count; i++)
    if (root_of(parent, i) == i) body[i] = (int)conductors->count++;
  for (size_t i = 0; i < conductors->edges; i++)
    conductors->edge[i].body = body[root_of(parent, place_of(vertex, count, conductors->edge[i].vertex[0]))];
fail:
  dg_free(vertex);
  dg_free(parent);
  dg_free(body);
  return err->code;
}

/* Adds the lengths of the edges and their places up, from the corners of the triangles that have them. */
static void measure(struct mx_tem_conductors *conductors, const struct mx_port_face *face)
{
  static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (size_t i = 0; i < conductors->edges; i++) {
    const struct dg_plane_edge *edge = &conductors->edge[i];
    double length = 0;
    for (size_t k = 0; k < face->count && length == 0; k++)
      for (int s = 0; s < 3; s++) {
        const struct mx_port_triangle *t = &face->triangle[k];
        if (length != 0 || t->vertex[pair[s][0]] != edge->vertex[0] || t->vertex[pair[s][1]] != edge->vertex[1])
          continue;
        const double *a = t->corner[pair[s][0]], *b = t->corner[pair[s][1]];
        length = dg_distance(a, b);
        for (int c = 0; c < 3; c++) conductors->middle[edge->body][c] += 0.5 * length * (a[c] + b[c]);
      }
    conductors->length[edge->body] += length;
  }
  for (size_t i = 0; i < conductors->count; i++)
    for (int c = 0; c < 3; c++) conductors->middle[i][c] /= conductors->length[i];
}

/* Does conductor a come before conductor b? The one whose body does; of ends of one body the lower one. */
static bool comes_first(const struct mx_tem_conductors *conductors, double extent, size_t a, size_t b)
{
  const double alike = 1e-6;
  if (conductors->body[a] != conductors->body[b]) return conductors->body[a] < conductors->body[b];
  return mx_tem_is_lower(conductors->middle[a], conductors->middle[b], alike * extent);
}

/* Numbers the conductors by the bodies that they belong to, so that both ends of a line number them alike. */
static int number_by_bodies(struct mx_tem_conductors *conductors, const struct mx_port_place *place,
                            const struct mx_assignment *assignment, const struct mx_config *config, double extent,
                            struct dg_error *err)
{
  struct end {
    size_t body;
    double length, middle[3];
  } *old = NULL;
  const size_t count = conductors->count;
  struct mx_tem_bodies bodies;
  size_t *order = NULL;
  int *number = NULL;
  if (mx_tem_bodies_init(&bodies, place, assignment, config, err) != 0 || DG_NEW(order, count, err) != 0 ||
      DG_NEW(number, count, err) != 0 || DG_NEW(old, count, err) != 0)
    goto fail;
  for (size_t i = 0; i < conductors->edges; i++)
    conductors->body[conductors->edge[i].body] = mx_tem_body_of(&bodies, conductors->edge[i].vertex[0]);
  for (size_t i = 0; i < count; i++) {
    size_t at = i;
    for (; at > 0 && comes_first(conductors, extent, i, order[at - 1]); at--) order[at] = order[at - 1];
    order[at] = i;
    old[i] = (struct end){conductors->body[i], conductors->length[i], {0}};
    memcpy(old[i].middle, conductors->middle[i], sizeof old[i].middle);
  }
  for (size_t i = 0; i < count; i++) {
    number[order[i]] = (int)i;
    conductors->body[i] = old[order[i]].body;
    conductors->length[i] = old[order[i]].length;
    memcpy(conductors->middle[i], old[order[i]].middle, sizeof old[i].middle);
  }
  for (size_t i = 0; i < conductors->edges; i++) conductors->edge[i].body = number[conductors->edge[i].body];
fail:
  dg_free(order);
  dg_free(number);
  dg_free(old);
  mx_tem_bodies_release(&bodies);
  return err->code;
}

static void note_groups(struct mx_tem_conductors *conductors, const struct dg_mesh *mesh, const struct contact *contact,
                        size_t count)
{
  for (size_t i = 0, n = 0; i < count; i++) {
    if (i > 0 && mx_compare_edges(&contact[i].edge, &contact[i - 1].edge) != 0) n++;
    if (contact[i].entity < 0) continue;
    const struct dg_entity *entity = &mesh->entity[contact[i].entity];
    for (int g = 0; g < entity->groups; g++)
      conductors->member[(size_t)conductors->edge[n].body * conductors->groups + (size_t)entity->group[g]] = true;
  }
}

int mx_tem_conductors_init(struct mx_tem_conductors *conductors, const struct mx_port_face *face,
                           const struct mx_port_place *place, const struct mx_assignment *assignment,
                           const struct mx_config *config, struct dg_error *err)
{
  struct contact *contact;
  size_t count;
  *conductors = (struct mx_tem_conductors){.groups = place->mesh->groups};
  if (share(face, place, assignment, config, &contact, &count, err) != 0 || DG_NEW(conductors->edge, count, err) != 0 ||
      DG_NEW(conductors->wall, count, err) != 0)
    goto fail;
  for (size_t i = 0; i < count; i++)
    if (i == 0 || mx_compare_edges(&contact[i].edge, &contact[i - 1].edge) != 0) {
      conductors->wall[conductors->edges] = (int)contact[i].wall;
      conductors->edge[conductors->edges++] =
          (struct dg_plane_edge){.vertex = {contact[i].edge.vertex[0], contact[i].edge.vertex[1]}};
    }
  if (connect(conductors, err) != 0 || DG_NEW(conductors->length, conductors->count, err) != 0 ||
      DG_NEW(conductors->middle, conductors->count, err) != 0 ||
      DG_NEW(conductors->body, conductors->count, err) != 0 ||
      DG_NEW(conductors->member, conductors->count * conductors->groups, err) != 0)
    goto fail;
  conductors->ground = conductors->count;
  measure(conductors, face);
  if (number_by_bodies(conductors, place, assignment, config, face->extent, err) != 0) goto fail;
  note_groups(conductors, place->mesh, contact, count);
  if (conductors->count < 2) {
    char names[200];
    mx_tem_conductor_names(conductors, place->mesh, names, sizeof names);
    (void)dg_fail(err, DG_INPUT,
                  MX_PLACE "%s: the field of this port is that between conductors, and its face touches %s%s. "
                           "Conductors that touch each other are one",
                  MX_AT(place->where), place->what, conductors->count == 0 ? "none" : "one only, ", names);
  }
fail:
  dg_free(contact);
  return err->code;
}

/* The place of a body among the conductors; their count: none or several are its ends. */
static size_t find_body(const struct mx_tem_conductors *conductors, size_t body)
{
  size_t at = conductors->count;
  for (size_t i = 0; i < conductors->count; i++) {
    if (conductors->body[i] != body) continue;
    if (at < conductors->count) return conductors->count;
    at = i;
  }
  return at;
}

void mx_tem_share_ground(struct mx_tem_conductors *conductors, size_t bodies, const size_t *body, size_t ground)
{
  size_t shared = 0;
  for (size_t i = 0; i < bodies; i++) shared += find_body(conductors, body[i]) < conductors->count;
  if (shared >= 2 && conductors->ground == conductors->count) conductors->ground = find_body(conductors, ground);
}

void mx_tem_conductors_release(struct mx_tem_conductors *conductors)
{
  dg_free(conductors->edge);
  dg_free(conductors->wall);
  dg_free(conductors->length);
  dg_free(conductors->middle);
  dg_free(conductors->body);
  dg_free(conductors->member);
  *conductors = (struct mx_tem_conductors){0};
}

static int compare_plane_edges(const void *a, const void *b)
{
  const struct dg_plane_edge *x = a, *y = b;
  for (int i = 0; i < 2; i++)
    if (x->vertex[i] != y->vertex[i]) return x->vertex[i] < y->vertex[i] ? -1 : 1;
  return 0;
}

int mx_tem_conductor_wall(const struct mx_tem_conductors *conductors, const int64_t vertex[2])
{
  const struct dg_plane_edge key = {.vertex = {vertex[0], vertex[1]}},
                             *at = bsearch(&key, conductors->edge, conductors->edges, sizeof key, compare_plane_edges);
  return at != NULL ? conductors->wall[at - conductors->edge] : MX_DEFAULT_PEC;
}

bool mx_tem_conductor_in(const struct mx_tem_conductors *conductors, const struct dg_mesh *mesh, size_t i,
                         const char *group)
{
  for (size_t g = 0; g < conductors->groups; g++)
    if (conductors->member[i * conductors->groups + g] && mesh->group[g].dim == 2 &&
        strcmp(mesh->group[g].name, group) == 0)
      return true;
  return false;
}

void mx_tem_conductor_name(const struct mx_tem_conductors *conductors, const struct dg_mesh *mesh, size_t i, char *text,
                           size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (size_t g = 0; g < conductors->groups && used < size; g++)
    if (conductors->member[i * conductors->groups + g] && mesh->group[g].name[0] != '\0')
      used += (size_t)snprintf(text + used, size - used, "%s'%s'", used > 0 ? " + " : "", mesh->group[g].name);
  if (used == 0) snprintf(text, size, "%zu", i + 1);
}

void mx_tem_conductor_names(const struct mx_tem_conductors *conductors, const struct dg_mesh *mesh, char *text,
                            size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < conductors->count && used < size; i++) {
    char name[128];
    mx_tem_conductor_name(conductors, mesh, i, name, sizeof name);
    used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
  }
}
