/* First every entity of the mesh (vertex, edge, face, element) gets a number of its own for each of its nodes; then
 * bodies are merged, and what is left is numbered as the elements meet it. */
#include "libdg/field/space.h"

#include <limits.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/mesh/curve.h"

enum { EDGES = 6 };
static const int ends[EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* Where node i of an element lies: on the entity of `dim` with that local number, as its node `at`. */
struct seat {
  int dim, entity, at;
};

static int edge_between(int a, int b)
{
  for (int q = 0; q < EDGES; q++)
    if (ends[q][0] == a && ends[q][1] == b) return q;
  return -1;
}

/* seat[Np]; inside[4] counts the nodes inside an entity of each dimension. */
static void find_seats(const struct dg_reference *ref, struct seat *seat, int inside[4])
{
  int face_nodes[4] = {0}, inner = 0;
  for (int i = 0; i < ref->Np; i++) {
    const int *l = ref->lattice[i];
    const int towards[4] = {ref->order - l[0] - l[1] - l[2], l[0], l[1], l[2]};
    int corner[4], corners = 0;
    for (int v = 0; v < 4; v++)
      if (towards[v] > 0) corner[corners++] = v;
    seat[i] = (struct seat){.dim = corners - 1};
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
      struct seat *s = &seat[ref->face_node[f * ref->Nf + m]];
      if (s->dim == 2) *s = (struct seat){.dim = 2, .entity = f, .at = face_nodes[f]++};
    }
  }
  inside[0] = 1;
  inside[1] = ref->order - 1;
  inside[2] = face_nodes[0];
  inside[3] = inner;
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

/* The numbers of nodes by entity, in space->number; *nodes of them. */
static int number_nodes(struct dg_space *space, size_t *nodes, struct dg_error *err)
{
  const struct dg_mesh *mesh = space->mesh;
  const int Np = space->ref.Np;
  int32_t(*edge)[EDGES] = NULL, (*face)[4] = NULL;
  struct seat *seat = NULL;
  size_t edges = 0, faces = 0, first[4] = {0};
  int inside[4];
  if (DG_NEW(edge, mesh->K, err) == 0 && DG_NEW(face, mesh->K, err) == 0 && DG_NEW(seat, Np, err) == 0 &&
      number_edges(mesh, edge, &edges, err) == 0) {
    number_faces(mesh, face, &faces);
    find_seats(&space->ref, seat, inside);
    first[1] = mesh->vertices;
    first[2] = first[1] + edges * (size_t)inside[1];
    first[3] = first[2] + faces * (size_t)inside[2];
    *nodes = first[3] + mesh->K * (size_t)inside[3];
    for (size_t e = 0; e < mesh->K; e++) {
      for (int i = 0; i < Np; i++) {
        const struct seat s = seat[i];
        const size_t entity[4] = {s.dim == 0 ? (size_t)mesh->element[e][s.entity] : 0,
                                  s.dim == 1 ? (size_t)edge[e][s.entity] : 0,
                                  s.dim == 2 ? (size_t)face[e][s.entity] : 0, e};
        space->number[e * (size_t)Np + (size_t)i] =
            (int32_t)(first[s.dim] + entity[s.dim] * (size_t)inside[s.dim] + (size_t)s.at);
      }
    }
  }
  dg_free(seat);
  dg_free(face);
  dg_free(edge);
  return err->code;
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
static void renumber(struct dg_space *space, int32_t *became)
{
  const size_t all = space->mesh->K * (size_t)space->ref.Np;
  int32_t n = 0;
  for (size_t i = 0; i < all; i++)
    if (became[space->number[i]] == UNSEEN) became[space->number[i]] = n++;
  for (size_t i = 0; i < all; i++) {
    const int32_t b = became[space->number[i]];
    space->number[i] = b >= 0 ? b : n + (IN_BODY - b);
  }
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

static int build(struct dg_space *space, const int32_t (*body)[4], struct dg_error *err)
{
  int32_t *became = NULL;
  size_t nodes = 0;
  if (DG_NEW(space->number, space->mesh->K * (size_t)space->ref.Np, err) != 0) return err->code;
  if (number_nodes(space, &nodes, err) == 0 && DG_NEW(became, nodes, err) == 0) {
    for (size_t i = 0; i < nodes; i++) became[i] = UNSEEN;
    if (merge_bodies(space, body, became, err) == 0) {
      renumber(space, became);
      (void)make_rows(space, err);
    }
  }
  dg_free(became);
  return err->code;
}

int dg_space_init(struct dg_space *space, const struct dg_mesh *mesh, int order, size_t bodies,
                  const int32_t (*body)[4], struct dg_error *err)
{
  *space = (struct dg_space){.mesh = mesh, .bodies = bodies};
  if (mesh->global != NULL || mesh->ghosts > 0)
    return dg_fail(err, DG_INPUT, "continuous elements are not there yet on several ranks: run this on one");
  if (mesh->periods > 0) return dg_fail(err, DG_INPUT, "continuous elements do not join periodic sides yet");
  if (dg_reference_init(&space->ref, order, err) != 0) return err->code;
  if (mesh->K * (size_t)space->ref.Np > INT32_MAX)
    (void)dg_fail(err, DG_INPUT, "%zu elements of order %d have more than 2^31 nodes", mesh->K, order);
  if (err->code != 0 || build(space, body, err) != 0) dg_space_release(space);
  return err->code;
}

void dg_space_release(struct dg_space *space)
{
  dg_reference_release(&space->ref);
  dg_free(space->number);
  dg_free(space->row);
  dg_free(space->place);
  *space = (struct dg_space){0};
}

void dg_space_point(const struct dg_space *space, size_t e, int i, double x[3])
{
  const double place[3] = {space->ref.r[i], space->ref.s[i], space->ref.t[i]};
  dg_mesh_map(space->mesh, e, place, x, NULL);
}
