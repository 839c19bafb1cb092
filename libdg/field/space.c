/* First every entity of the mesh (vertex, edge, face, element) gets a number of its own for each of its nodes; then
 * ranks find what they share, bodies are merged, and what is left is numbered as the elements meet it. */
#include "libdg/field/space.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/mesh/curve.h"

enum { EDGES = 6 };
static const int ends[EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static int edge_between(int a, int b)
{
  for (int q = 0; q < EDGES; q++)
    if (ends[q][0] == a && ends[q][1] == b) return q;
  return -1;
}

void dg_space_seats(const struct dg_reference *ref, struct dg_seat *seat)
{
  int face_nodes[4] = {0}, inner = 0;
  for (int i = 0; i < ref->Np; i++) {
    const int *l = ref->lattice[i];
    const int towards[4] = {ref->order - l[0] - l[1] - l[2], l[0], l[1], l[2]};
    int corner[4], corners = 0;
    for (int v = 0; v < 4; v++)
      if (towards[v] > 0) corner[corners++] = v;
    seat[i] = (struct dg_seat){.dim = corners - 1};
    if (corners == 1) seat[i].entity = corner[0];
    if (corners == 2) {
      seat[i].entity = edge_between(corner[0], corner[1]);
      seat[i].at = towards[corner[1]] - 1;
    }
    if (corners == 4) seat[i].at = inner++;
  }
  /* Nodes inside a face take its own order, which is the same for both elements. */
  for (int f = 0; f < 4; f++) {
    for (int m = 0; m < ref->Nf; m++) {
      struct dg_seat *s = &seat[ref->face_node[f * ref->Nf + m]];
      if (s->dim == 2) *s = (struct dg_seat){.dim = 2, .entity = f, .at = face_nodes[f]++};
    }
  }
}

/* edge[K][6]: the number of each edge of each element, *edges of them. */
static int number_edges(const struct dg_mesh *mesh, int32_t (*edge)[EDGES], size_t *edges, struct dg_error *err)
{
  struct dg_keyed *keyed = NULL;
  if (DG_NEW(keyed, mesh->K * EDGES, err) != 0) return err->code;
  for (size_t e = 0; e < mesh->K; e++) {
    for (int q = 0; q < EDGES; q++) {
      const uint64_t a = (uint64_t)mesh->element[e][ends[q][0]], b = (uint64_t)mesh->element[e][ends[q][1]];
      keyed[e * EDGES + (size_t)q] = (struct dg_keyed){.key = a << 32 | b, .item = e * EDGES + (size_t)q};
    }
  }
  if (dg_sort_keyed(keyed, mesh->K * EDGES, err) == 0) {
    size_t n = 0;
    for (size_t i = 0; i < mesh->K * EDGES; i++) {
      if (i > 0 && keyed[i].key != keyed[i - 1].key) n++;
      edge[keyed[i].item / EDGES][keyed[i].item % EDGES] = (int32_t)n;
    }
    *edges = mesh->K > 0 ? n + 1 : 0;
  }
  dg_free(keyed);
  return err->code;
}

/* face[K][4]: the number of each face of each element, *faces of them. */
static void number_faces(const struct dg_mesh *mesh, int32_t (*face)[4], size_t *faces)
{
  size_t n = 0;
  for (size_t e = 0; e < mesh->K; e++) {
    for (int f = 0; f < 4; f++) {
      const int32_t beyond = mesh->neighbour[e][f];
      const int32_t here = (int32_t)(4 * e) + f;
      face[e][f] = beyond == DG_BOUNDARY || beyond > here ? (int32_t)n++ : face[beyond / 4][beyond % 4];
    }
  }
  *faces = n;
}

/* The numbers of nodes by entity: those inside entity n of a dimension begin at first + n * inside. */
struct numbering {
  int32_t (*edge)[EDGES], (*face)[4];
  size_t first[4], nodes;
  int inside[4];
};

/* Fills space->number. */
static int number_nodes(struct dg_space *space, struct numbering *given, struct dg_error *err)
{
  const struct dg_mesh *mesh = space->mesh;
  const int Np = space->ref.Np;
  struct dg_seat *seat = NULL;
  size_t edges = 0, faces = 0, *first = given->first;
  int *inside = given->inside;
  if (DG_NEW(given->edge, mesh->K, err) == 0 && DG_NEW(given->face, mesh->K, err) == 0 && DG_NEW(seat, Np, err) == 0 &&
      number_edges(mesh, given->edge, &edges, err) == 0) {
    number_faces(mesh, given->face, &faces);
    dg_space_seats(&space->ref, seat);
    for (int i = 0; i < Np; i++)
      if (seat[i].entity == 0) inside[seat[i].dim]++;
    first[1] = mesh->vertices;
    first[2] = first[1] + edges * (size_t)inside[1];
    first[3] = first[2] + faces * (size_t)inside[2];
    given->nodes = first[3] + mesh->K * (size_t)inside[3];
    for (size_t e = 0; e < mesh->K; e++) {
      for (int i = 0; i < Np; i++) {
        const struct dg_seat s = seat[i];
        const size_t entity[4] = {s.dim == 0 ? (size_t)mesh->element[e][s.entity] : 0,
                                  s.dim == 1 ? (size_t)given->edge[e][s.entity] : 0,
                                  s.dim == 2 ? (size_t)given->face[e][s.entity] : 0, e};
        space->number[e * (size_t)Np + (size_t)i] =
            (int32_t)(first[s.dim] + entity[s.dim] * (size_t)inside[s.dim] + (size_t)s.at);
      }
    }
  }
  dg_free(seat);
  return err->code;
}

/* Adds an entity with `vertices` of the mesh. */
static void add_entity(const struct dg_mesh *mesh, const struct numbering *given, const int32_t *vertex, int vertices,
                       size_t number, struct dg_shared_entity *entity, size_t *count)
{
  const int dim = vertices - 1;
  struct dg_shared_entity *one = &entity[*count];
  if (given->inside[dim] == 0) return;
  *one = (struct dg_shared_entity){.key = {-1, -1, -1}, .nodes = given->inside[dim]};
  one->node = (int32_t)(given->first[dim] + number * (size_t)given->inside[dim]);
  for (int v = 0; v < vertices; v++) one->key[v] = dg_mesh_global_vertex(mesh, (size_t)vertex[v]);
  ++*count;
}

static int by_node(const void *a, const void *b)
{
  const struct dg_shared_entity *x = a, *y = b;
  return x->node < y->node ? -1 : x->node > y->node;
}

/* The entities on faces without a neighbour in this part, each once. */
static int list_entities(const struct dg_mesh *mesh, const struct numbering *given, struct dg_shared_entity **entity,
                         size_t *count, struct dg_error *err)
{
  size_t faces = 0, n = 0;
  const int32_t end = (int32_t)(4 * mesh->K);
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    const int32_t beyond = mesh->neighbour[i / 4][i % 4];
    faces += beyond == DG_BOUNDARY || beyond >= end;
  }
  if (DG_NEW(*entity, 7 * faces, err) != 0) return err->code;
  for (size_t i = 0; i < 4 * mesh->K; i++) {
    const size_t e = i / 4, f = i % 4;
    const int32_t beyond = mesh->neighbour[e][f], *v = mesh->element[e];
    if (beyond != DG_BOUNDARY && beyond < end) continue;
    int32_t corner[3], corners = 0;
    for (size_t q = 0; q < 4; q++)
      if (q != f) corner[corners++] = v[q];
    add_entity(mesh, given, corner, 3, (size_t)given->face[e][f], *entity, &n);
    for (int q = 0; q < EDGES; q++)
      if (ends[q][0] != (int)f && ends[q][1] != (int)f)
        add_entity(mesh, given, (const int32_t[]){v[ends[q][0]], v[ends[q][1]]}, 2, (size_t)given->edge[e][q], *entity,
                   &n);
    for (int q = 0; q < 3; q++) add_entity(mesh, given, &corner[q], 1, (size_t)corner[q], *entity, &n);
  }
  if (n > 0) qsort(*entity, n, sizeof **entity, by_node);
  *count = 0;
  for (size_t i = 0; i < n; i++)
    if (i == 0 || (*entity)[i].node != (*entity)[i - 1].node) (*entity)[(*count)++] = (*entity)[i];
  return 0;
}

enum { UNSEEN = -1 };
/* What a node became: a number, UNSEEN, or IN_BODY - b. */
enum { IN_BODY = -2 };

static int merge_bodies(const struct dg_space *space, const int32_t (*body)[4], int32_t *became, struct dg_error *err)
{
  const struct dg_reference *ref = &space->ref;
  for (size_t e = 0; body != NULL && e < space->mesh->K; e++) {
    for (int f = 0; f < 4; f++) {
      if (body[e][f] == DG_NO_BODY) continue;
      for (int m = 0; m < ref->Nf; m++) {
        int32_t *b = &became[space->number[e * (size_t)ref->Np + (size_t)ref->face_node[f * ref->Nf + m]]];
        if (*b != UNSEEN && *b != IN_BODY - body[e][f])
          return dg_fail(err, DG_INPUT, "bodies %d and %d touch", IN_BODY - *b, body[e][f]);
        *b = IN_BODY - body[e][f];
      }
    }
  }
  return 0;
}

/* Numbers the nodes anew as the elements meet them, those of bodies behind the others. */
static void renumber(struct dg_space *space, size_t nodes, int32_t *became)
{
  const size_t all = space->mesh->K * (size_t)space->ref.Np;
  int32_t n = 0;
  for (size_t i = 0; i < all; i++)
    if (became[space->number[i]] == UNSEEN) became[space->number[i]] = n++;
  for (size_t i = 0; i < nodes; i++)
    if (became[i] <= IN_BODY) became[i] = n + (IN_BODY - became[i]);
  for (size_t i = 0; i < all; i++) space->number[i] = became[space->number[i]];
  space->count = (size_t)n + space->bodies;
}

static int make_rows(struct dg_space *space, struct dg_error *err)
{
  const size_t all = space->mesh->K * (size_t)space->ref.Np;
  if (DG_NEW(space->row, space->count + 2, err) != 0 || DG_NEW(space->place, all, err) != 0) return err->code;
  size_t *next = space->row + 1; /* counts, then where the next place of a row goes, and at the end where rows end */
  for (size_t i = 0; i < all; i++) next[space->number[i] + 1]++;
  for (size_t r = 1; r <= space->count; r++) next[r] += next[r - 1];
  for (size_t i = 0; i < all; i++) space->place[next[space->number[i]]++] = (int32_t)i;
  return 0;
}

/* A node of another rank is in a body, of which this rank may have no face there. */
static int join_body(void *context, int32_t node, int32_t value, struct dg_error *err)
{
  int32_t *became = context;
  if (value == UNSEEN) return 0;
  if (became[node] != UNSEEN && became[node] != value)
    return dg_fail(err, DG_INPUT, "bodies %d and %d touch", IN_BODY - became[node], IN_BODY - value);
  became[node] = value;
  return 0;
}

static int share(struct dg_space *space, const struct numbering *given, struct dg_comm *comm, struct dg_error *err)
{
  struct dg_shared_entity *entity = NULL;
  size_t count = 0;
  if (dg_comm_size(comm) <= 1) return 0;
  if (DG_NEW(space->shared, 1, err) == 0) (void)list_entities(space->mesh, given, &entity, &count, err);
  (void)!dg_shared_init(space->shared, comm, count, entity, err);
  dg_free(entity);
  return err->code;
}

static int settle(struct dg_space *space, size_t nodes, int32_t *became, struct dg_error *err)
{
  if (space->shared != NULL && dg_shared_swap(space->shared, became, join_body, became, err) != 0) return err->code;
  renumber(space, nodes, became);
  if (make_rows(space, err) != 0 || space->shared == NULL) return err->code;
  return dg_shared_settle(space->shared, became, space->count, space->bodies, err);
}

static int build(struct dg_space *space, struct dg_comm *comm, const int32_t (*body)[4], struct dg_error *err)
{
  struct numbering given = {0};
  int32_t *became = NULL;
  if (DG_NEW(space->number, space->mesh->K * (size_t)space->ref.Np, err) == 0 &&
      number_nodes(space, &given, err) == 0 && share(space, &given, comm, err) == 0 &&
      DG_NEW(became, given.nodes, err) == 0) {
    for (size_t i = 0; i < given.nodes; i++) became[i] = UNSEEN;
    if (merge_bodies(space, body, became, err) == 0) (void)settle(space, given.nodes, became, err);
  }
  dg_free(became);
  dg_free(given.edge);
  dg_free(given.face);
  return err->code;
}

int dg_space_init(struct dg_space *space, const struct dg_mesh *mesh, struct dg_comm *comm, int order, size_t bodies,
                  const int32_t (*body)[4], struct dg_error *err)
{
  *space = (struct dg_space){.mesh = mesh, .bodies = bodies};
  if (mesh->periods > 0) return dg_fail(err, DG_INPUT, "continuous elements do not join periodic sides yet");
  if (dg_reference_init(&space->ref, order, err) != 0) return err->code;
  if (mesh->K * (size_t)space->ref.Np > INT32_MAX)
    (void)dg_fail(err, DG_INPUT, "%zu elements of order %d have more than 2^31 nodes", mesh->K, order);
  if (err->code != 0 || build(space, comm, body, err) != 0) dg_space_release(space);
  return err->code;
}

void dg_space_release(struct dg_space *space)
{
  dg_reference_release(&space->ref);
  dg_free(space->number);
  dg_free(space->row);
  dg_free(space->place);
  if (space->shared != NULL) dg_shared_release(space->shared);
  dg_free(space->shared);
  *space = (struct dg_space){0};
}

void dg_space_point(const struct dg_space *space, size_t e, int i, double x[3])
{
  const double place[3] = {space->ref.r[i], space->ref.s[i], space->ref.t[i]};
  dg_mesh_map(space->mesh, e, place, x, NULL);
}

int dg_space_error(const struct dg_space *space, struct dg_error *err)
{
  if (space->shared != NULL && space->shared->err.code != 0 && err->code == 0) *err = space->shared->err;
  return err->code;
}

int dg_space_reduce(const struct dg_space *space, size_t count, double *value, struct dg_error *err)
{
  if (space->shared == NULL || dg_space_error(space, err) != 0) return err->code;
  return dg_comm_reduce(space->shared->comm, DG_SUM, count, value, err);
}

int dg_space_total(const struct dg_space *space, size_t *total, struct dg_error *err)
{
  const bool *foreign = dg_space_foreign(space);
  int64_t own = 0, before, all;
  for (size_t i = 0; i < space->count; i++) own += foreign == NULL || !foreign[i];
  *total = (size_t)own;
  if (space->shared == NULL || dg_comm_offset(space->shared->comm, own, &before, &all, err) != 0) return err->code;
  *total = (size_t)all;
  return 0;
}

/* Foreign unknowns get the numbers of those who count them: the sum of one number and zeros. */
int dg_space_global(const struct dg_space *space, int64_t *global, int64_t *first, int64_t *own, struct dg_error *err)
{
  const bool *foreign = dg_space_foreign(space);
  double *number = NULL;
  int64_t all, n = 0;
  for (size_t i = 0; i < space->count; i++) n += foreign == NULL || !foreign[i];
  *own = n;
  *first = 0;
  if (DG_NEW(number, space->count, err) == 0 &&
      (space->shared == NULL || dg_comm_offset(space->shared->comm, n, first, &all, err) == 0)) {
    n = *first;
    for (size_t i = 0; i < space->count; i++) number[i] = foreign == NULL || !foreign[i] ? (double)n++ : 0;
    dg_space_sum(space, number);
    for (size_t i = 0; i < space->count; i++) global[i] = (int64_t)number[i];
    (void)!dg_space_error(space, err);
  }
  dg_free(number);
  return err->code;
}
