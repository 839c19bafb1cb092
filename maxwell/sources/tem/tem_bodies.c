/* Finds the conductors of the whole mesh: see tem_bodies.h. */
#include "maxwell/sources/tem/tem_bodies.h"

#include <math.h>
#include <stdlib.h>

#include "libdg/base/memory.h"
#include "maxwell/sources/faces/port_shape.h"

/* A piece of a body on one rank. It is sent between ranks. */
struct piece {
  double low[3], high[3]; /* the box around it, m */
};

struct pieces {
  size_t count, vertices;
  struct piece *piece;
  struct mx_tem_vertex *vertex; /* `body` is the piece */
};

bool mx_tem_conducts(const struct mx_port_place *place, const struct mx_assignment *assignment,
                     const struct mx_config *config, size_t e, int f)
{
  const int boundary = assignment->boundary[e][f];
  return boundary == MX_SHEET ||
         (boundary != MX_NOT_BOUNDARY && mx_port_wall_conducts(place->problem, config, boundary, e));
}

bool mx_tem_is_lower(const double a[3], const double b[3], double alike)
{
  for (int c = 2; c >= 0; c--)
    if (fabs(a[c] - b[c]) > alike) return a[c] < b[c];
  return false;
}

static size_t root_of(size_t *parent, size_t i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static void join(size_t *parent, size_t i, size_t j)
{
  const size_t a = root_of(parent, i), b = root_of(parent, j);
  parent[a > b ? a : b] = a > b ? b : a;
}

static void widen(struct piece *piece, const double low[3], const double high[3])
{
  for (int c = 0; c < 3; c++) {
    piece->low[c] = fmin(piece->low[c], low[c]);
    piece->high[c] = fmax(piece->high[c], high[c]);
  }
}

static const struct piece nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

/* The pieces of this rank: vertices of faces that conduct, joined by the faces. */
static int find_pieces(struct pieces *own, const struct mx_port_place *place, const struct mx_assignment *assignment,
                       const struct mx_config *config, struct dg_error *err)
{
  const struct dg_mesh *mesh = place->mesh;
  size_t *parent = NULL, *number = NULL;
  bool *used = NULL;
  if (DG_NEW(parent, mesh->vertices, err) != 0 || DG_NEW(number, mesh->vertices, err) != 0 ||
      DG_NEW(used, mesh->vertices, err) != 0)
    goto fail;
  for (size_t v = 0; v < mesh->vertices; v++) parent[v] = v;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      if (!mx_tem_conducts(place, assignment, config, e, f)) continue;
      const size_t first = (size_t)mesh->element[e][f == 0 ? 1 : 0];
      for (int i = 0; i < 4; i++) {
        if (i == f) continue;
        used[mesh->element[e][i]] = true;
        join(parent, first, (size_t)mesh->element[e][i]);
      }
    }
  for (size_t v = 0; v < mesh->vertices; v++) {
    own->vertices += used[v];
    if (used[v] && root_of(parent, v) == v) number[v] = own->count++;
  }
  if (DG_NEW(own->piece, own->count, err) != 0 || DG_NEW(own->vertex, own->vertices, err) != 0) goto fail;
  for (size_t i = 0; i < own->count; i++) own->piece[i] = nothing;
  for (size_t v = 0, n = 0; v < mesh->vertices; v++) {
    if (!used[v]) continue;
    const size_t piece = number[root_of(parent, v)];
    widen(&own->piece[piece], mesh->vertex[v], mesh->vertex[v]);
    own->vertex[n++] = (struct mx_tem_vertex){dg_mesh_global_vertex(mesh, v), piece};
  }
fail:
  dg_free(parent);
  dg_free(number);
  dg_free(used);
  return err->code;
}

static int by_vertex(const void *a, const void *b)
{
  const struct mx_tem_vertex *x = a, *y = b;
  return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

/* Collects the pieces of all ranks; the vertices are sorted. */
static int share(const struct pieces *own, struct pieces *all, struct dg_comm *comm, struct dg_error *err)
{
  const int ranks = dg_comm_size(comm);
  size_t *pieces = NULL, *vertices = NULL, n = 0, first = 0;
  if (DG_NEW(pieces, ranks, err) != 0 || DG_NEW(vertices, ranks, err) != 0 ||
      dg_comm_share(comm, own->count * sizeof *own->piece, own->piece, &all->piece, pieces, err) != 0 ||
      dg_comm_share(comm, own->vertices * sizeof *own->vertex, own->vertex, &all->vertex, vertices, err) != 0)
    goto fail;
  for (int r = 0; r < ranks; r++) {
    for (size_t i = 0; i < vertices[r] / sizeof *own->vertex; i++) all->vertex[n++].body += first;
    first += pieces[r] / sizeof *own->piece;
  }
  all->count = first;
  all->vertices = n;
  if (n > 0) qsort(all->vertex, n, sizeof *all->vertex, by_vertex);
fail:
  dg_free(pieces);
  dg_free(vertices);
  return err->code;
}

/* Puts bodies in their order: order[i] is the body with place i, box[body] the box around it. Of bodies with one middle
 * the one with the lowest vertex comes first, as they come. */
static void sort_bodies(const struct piece *box, size_t count, size_t *order)
{
  const double alike = 1e-6; /* of the size of the whole */
  struct piece whole = nothing;
  double extent = 0;
  for (size_t i = 0; i < count; i++) widen(&whole, box[i].low, box[i].high);
  for (int c = 0; c < 3 && count > 0; c++) extent = fmax(extent, whole.high[c] - whole.low[c]);
  for (size_t i = 0; i < count; i++) {
    size_t place = i;
    for (; place > 0; place--) {
      double middle[2][3];
      for (int c = 0; c < 3; c++) {
        middle[0][c] = 0.5 * (box[i].low[c] + box[i].high[c]);
        middle[1][c] = 0.5 * (box[order[place - 1]].low[c] + box[order[place - 1]].high[c]);
      }
      if (!mx_tem_is_lower(middle[0], middle[1], alike * extent)) break;
      order[place] = order[place - 1];
    }
    order[place] = i;
  }
}

/* Joins pieces that share a vertex, each body's root being the piece with its lowest vertex, and numbers the bodies. */
static int join_pieces(struct mx_tem_bodies *bodies, struct pieces *all, struct dg_error *err)
{
  size_t *parent = NULL, *body = NULL, *order = NULL, *place = NULL;
  struct piece *box = NULL;
  if (DG_NEW(parent, all->count, err) != 0 || DG_NEW(body, all->count, err) != 0 ||
      DG_NEW(order, all->count, err) != 0 || DG_NEW(place, all->count, err) != 0 || DG_NEW(box, all->count, err) != 0)
    goto fail;
  for (size_t i = 0; i < all->count; i++) parent[i] = i, body[i] = all->count;
  for (size_t i = 1; i < all->vertices; i++)
    if (all->vertex[i].vertex == all->vertex[i - 1].vertex) join(parent, all->vertex[i].body, all->vertex[i - 1].body);
  for (size_t i = 0; i < all->vertices; i++) { /* bodies by their lowest vertex */
    const size_t root = root_of(parent, all->vertex[i].body);
    if (body[root] == all->count) {
      box[bodies->count] = nothing;
      body[root] = bodies->count++;
    }
  }
  for (size_t i = 0; i < all->count; i++) {
    const size_t root = root_of(parent, i);
    widen(&box[body[root]], all->piece[i].low, all->piece[i].high);
  }
  sort_bodies(box, bodies->count, order);
  for (size_t i = 0; i < bodies->count; i++) place[order[i]] = i;
  for (size_t i = 0; i < all->vertices; i++) {
    const struct mx_tem_vertex at = {all->vertex[i].vertex, place[body[root_of(parent, all->vertex[i].body)]]};
    if (bodies->vertices == 0 || at.vertex != all->vertex[bodies->vertices - 1].vertex)
      all->vertex[bodies->vertices++] = at;
  }
  bodies->vertex = all->vertex;
  all->vertex = NULL;
fail:
  dg_free(parent);
  dg_free(body);
  dg_free(order);
  dg_free(place);
  dg_free(box);
  return err->code;
}

int mx_tem_bodies_init(struct mx_tem_bodies *bodies, const struct mx_port_place *place,
                       const struct mx_assignment *assignment, const struct mx_config *config, struct dg_error *err)
{
  struct pieces own = {0}, all = {0};
  *bodies = (struct mx_tem_bodies){0};
  if (find_pieces(&own, place, assignment, config, err) == 0 && share(&own, &all, place->problem->comm, err) == 0)
    (void)!join_pieces(bodies, &all, err);
  dg_free(own.piece);
  dg_free(own.vertex);
  dg_free(all.piece);
  dg_free(all.vertex);
  return err->code;
}

void mx_tem_bodies_release(struct mx_tem_bodies *bodies)
{
  dg_free(bodies->vertex);
  *bodies = (struct mx_tem_bodies){0};
}

size_t mx_tem_body_of(const struct mx_tem_bodies *bodies, int64_t vertex)
{
  const struct mx_tem_vertex key = {.vertex = vertex}, *at = NULL;
  if (bodies->vertices > 0) at = bsearch(&key, bodies->vertex, bodies->vertices, sizeof key, by_vertex);
  return at != NULL ? at->body : bodies->count;
}
