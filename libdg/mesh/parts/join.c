/* Makes one mesh in parts, of parts that every rank read by itself: numbers in the whole mesh, ghosts, and the other
 * side of each face, which is found at the rank to which the face's three vertices hash. msh_parts.c calls it for files
 * that Gmsh split, the bench for its own grid. */
#include "libdg/mesh/parts/join.h"

#include <inttypes.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/mesh/mesh_check.h"
#include "libdg/mesh/parts/shared_tables.h"

/* ---- numbers in the whole mesh ---- */

/* Ranks keys: number[count] is the place of every key[count] among the different keys of all ranks, of which this one
 * has a range. */
static int rank_keys(const int64_t *key, size_t count, int64_t *number, struct dg_comm *comm, int64_t *total,
                     struct dg_error *err)
{
  int64_t before;
  size_t unique = 0;
  struct dg_keyed *keyed;
  if (DG_NEW(keyed, count, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) keyed[i] = (struct dg_keyed){(uint64_t)key[i], i};
  if (dg_sort_keyed(keyed, count, err) != 0) goto fail;
  for (size_t i = 0; i < count; i++) {
    unique += i == 0 || keyed[i].key != keyed[i - 1].key;
    number[keyed[i].item] = (int64_t)unique - 1;
  }
  if (dg_comm_offset(comm, (int64_t)unique, &before, total, err) != 0) goto fail;
  for (size_t i = 0; i < count; i++) number[i] += before;
fail:
  dg_free(keyed);
  return err->code;
}

/* Numbers the vertices: rank r numbers the r-th range of keys. The keys ascend, and so are in the order of the ranks
 * already. */
static int number_vertices(struct dg_mesh *mesh, struct dg_comm *comm, struct dg_error *err)
{
  const size_t ranks = (size_t)dg_comm_size(comm);
  size_t *to = NULL, *from = NULL, received = 0;
  int64_t *key = NULL, *number = NULL, *result = NULL, total = 0;
  int64_t highest = mesh->vertices > 0 ? mesh->global_vertex[mesh->vertices - 1] : 0;
  if (dg_comm_reduce_int(comm, DG_MAX, 1, &highest, err) != 0) goto fail;
  if (DG_NEW(to, ranks, err) != 0 || DG_NEW(from, ranks, err) != 0) goto fail;
  const int64_t range = highest / (int64_t)ranks + 1;
  for (size_t v = 0; v < mesh->vertices; v++) to[mesh->global_vertex[v] / range] += sizeof *key;
  if (dg_comm_all_to_all(comm, to, mesh->global_vertex, &key, from, err) != 0) goto fail;
  for (size_t r = 0; r < ranks; r++) received += from[r] / sizeof *key;
  if (DG_NEW(number, received, err) != 0 || rank_keys(key, received, number, comm, &total, err) != 0) goto fail;
  if (dg_comm_all_to_all(comm, from, number, &result, to, err) != 0) goto fail;
  memcpy(mesh->global_vertex, result, mesh->vertices * sizeof *result);
  mesh->whole.vertices = (size_t)total;
fail:
  dg_free(to);
  dg_free(from);
  dg_free(key);
  dg_free(number);
  dg_free(result);
  return err->code;
}

static int number_elements(struct dg_mesh *mesh, struct dg_comm *comm, struct dg_error *err)
{
  int64_t first, total;
  if (dg_comm_offset(comm, (int64_t)mesh->K, &first, &total, err) != 0) return err->code;
  mesh->whole.K = (size_t)total;
  if (DG_NEW(mesh->global, mesh->K, err) != 0) return err->code;
  for (size_t e = 0; e < mesh->K; e++) mesh->global[e] = first + (int64_t)e;
  return 0;
}

/* ---- faces that two ranks have ---- */

struct side { /* a face without a neighbour, as its rank describes it to others; numbers are those of the whole mesh */
  int64_t vertex[3], apex, element;
  double x[3]; /* of the apex */
  uint64_t tag;
  int32_t rank, code, volume, surface;
};

struct match {
  int32_t code; /* of this rank */
  struct side far;
};

static uint64_t hash(const int64_t vertex[3])
{
  uint64_t h = 0;
  for (int i = 0; i < 3; i++) { /* the finaliser of SplitMix64 */
    h += (uint64_t)vertex[i] + UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    h ^= h >> 31;
  }
  return h;
}

static struct side describe(const struct dg_mesh *mesh, size_t e, int f, int rank)
{
  struct side side = {.element = mesh->global[e],
                      .apex = mesh->global_vertex[mesh->element[e][f]],
                      .tag = mesh->tag[e],
                      .rank = rank,
                      .code = 4 * (int32_t)e + f,
                      .volume = mesh->volume[e],
                      .surface = mesh->surface[e][f]};
  for (int i = 0, k = 0; i < 4; i++)
    if (i != f) side.vertex[k++] = mesh->global_vertex[mesh->element[e][i]];
  memcpy(side.x, mesh->vertex[mesh->element[e][f]], sizeof side.x);
  return side;
}

/* Sends every face without a neighbour to the rank that its vertices name. received[*count] are those that name this
 * one, in the order of the ranks. */
static int scatter_faces(const struct dg_mesh *mesh, struct dg_comm *comm, struct side **received, size_t *from,
                         size_t *count, struct dg_error *err)
{
  const size_t ranks = (size_t)dg_comm_size(comm);
  struct side *out = NULL;
  size_t *bytes = NULL, *next = NULL;
  if (DG_NEW(out, mesh->boundary_faces, err) != 0 || DG_NEW(bytes, ranks, err) != 0 || DG_NEW(next, ranks, err) != 0)
    goto fail;
  for (int fill = 0; fill < 2; fill++) {
    for (size_t i = 0; i < 4 * mesh->K; i++) {
      if (mesh->neighbour[i / 4][i % 4] != DG_BOUNDARY) continue;
      struct side side = describe(mesh, i / 4, (int)(i % 4), dg_comm_rank(comm));
      size_t to = hash(side.vertex) % ranks;
      if (fill) out[next[to]++] = side;
      else bytes[to] += sizeof side;
    }
    for (size_t r = 1; r < ranks && !fill; r++) next[r] = next[r - 1] + bytes[r - 1] / sizeof *out;
  }
  if (dg_comm_all_to_all(comm, bytes, out, received, from, err) != 0) goto fail;
  *count = 0;
  for (size_t r = 0; r < ranks; r++) *count += from[r] / sizeof *out;
fail:
  dg_free(out);
  dg_free(bytes);
  dg_free(next);
  return err->code;
}

static int same_face(const struct side *a, const struct side *b)
{
  return memcmp(a->vertex, b->vertex, sizeof a->vertex) == 0;
}

/* Finds partner[count]: the other side of a face, or -1. */
static int find_partners(const struct side *side, size_t count, int64_t *partner, struct dg_error *err)
{
  struct dg_keyed *keyed;
  if (DG_NEW(keyed, count, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) {
    keyed[i] = (struct dg_keyed){hash(side[i].vertex), i};
    partner[i] = -1;
  }
  if (dg_sort_keyed(keyed, count, err) != 0) goto fail;
  for (size_t i = 0; i < count && err->code == DG_OK; i++)
    for (size_t j = i + 1; j < count && keyed[j].key == keyed[i].key; j++) {
      size_t a = keyed[i].item, b = keyed[j].item;
      if (!same_face(&side[a], &side[b])) continue;
      if (partner[a] < 0 && partner[b] < 0) {
        partner[a] = (int64_t)b;
        partner[b] = (int64_t)a;
        continue;
      }
      (void)dg_fail(err, DG_INPUT,
                    "elements %" PRIu64 ", %" PRIu64 " and %" PRIu64 " of parts %d, %d and %d share a face",
                    side[a].tag, side[b].tag, side[partner[a] < 0 ? partner[b] : partner[a]].tag, side[a].rank + 1,
                    side[b].rank + 1, side[partner[a] < 0 ? partner[b] : partner[a]].rank + 1);
      break;
    }
fail:
  dg_free(keyed);
  return err->code;
}

/* Finds match[*count]: the faces of this rank that another one has as well. */
static int match_faces(const struct dg_mesh *mesh, struct dg_comm *comm, struct match **match, size_t *count,
                       struct dg_error *err)
{
  const size_t ranks = (size_t)dg_comm_size(comm);
  struct side *side = NULL;
  struct match *reply = NULL;
  int64_t *partner = NULL;
  size_t *from = NULL, *back = NULL, sides = 0, replies = 0;
  if (DG_NEW(from, ranks, err) != 0 || DG_NEW(back, ranks, err) != 0) goto fail;
  if (scatter_faces(mesh, comm, &side, from, &sides, err) != 0) goto fail;
  if (DG_NEW(partner, sides, err) != 0 || DG_NEW(reply, sides, err) != 0) goto fail;
  if (find_partners(side, sides, partner, err) != 0) goto fail;
  for (size_t i = 0; i < sides; i++) {
    if (partner[i] < 0) continue;
    back[side[i].rank] += sizeof *reply;
    reply[replies++] = (struct match){side[i].code, side[partner[i]]};
  }
  if (dg_comm_all_to_all(comm, back, reply, match, from, err) != 0) goto fail;
  *count = 0;
  for (size_t r = 0; r < ranks; r++) *count += from[r] / sizeof *reply;
fail:
  dg_free(side);
  dg_free(reply);
  dg_free(partner);
  dg_free(from);
  dg_free(back);
  return err->code;
}

/* ---- the part with its ghosts ---- */

struct joiner {
  struct dg_mesh *mesh; /* as it was read; a face that another rank has, too, gets neighbour -2 - (its match) */
  struct dg_mesh part;  /* what it becomes */
  size_t matches;
  struct match *match;
  int32_t *ghost;            /* [matches] number of the far side's element in the part */
  const struct match **lead; /* [ghosts] a match of each */
  int32_t *place;            /* [K] number of an element in the part */
  int32_t *vertex;           /* [mesh->vertices + ghosts] number in the part: of a vertex, and of a ghost's apex */
};

static void joiner_release(struct joiner *j)
{
  dg_mesh_release(&j->part);
  dg_free(j->match);
  dg_free(j->ghost);
  dg_free(j->lead);
  dg_free(j->place);
  dg_free(j->vertex);
}

/* Global numbers go rank by rank, so that ghosts sorted by them are sorted by rank. */
static int find_ghosts(struct joiner *j, struct dg_error *err)
{
  struct dg_keyed *keyed;
  size_t ghosts = 0;
  if (DG_NEW(keyed, j->matches, err) != 0) return err->code;
  if (DG_NEW(j->ghost, j->matches, err) != 0 || DG_NEW(j->lead, j->matches, err) != 0) goto fail;
  for (size_t m = 0; m < j->matches; m++) {
    int32_t code = j->match[m].code;
    j->mesh->neighbour[code >> 2][code & 3] = -2 - (int32_t)m;
    keyed[m] = (struct dg_keyed){(uint64_t)j->match[m].far.element, m};
  }
  if (dg_sort_keyed(keyed, j->matches, err) != 0) goto fail;
  for (size_t i = 0; i < j->matches; i++) {
    if (i == 0 || keyed[i].key != keyed[i - 1].key) j->lead[ghosts++] = &j->match[keyed[i].item];
    j->ghost[keyed[i].item] = (int32_t)(j->mesh->K + ghosts - 1);
  }
  j->part.ghosts = ghosts;
fail:
  dg_free(keyed);
  return err->code;
}

/* Merges the vertices of the part and the apexes of ghosts, each once, by ascending number. */
static int merge_vertices(struct joiner *j, struct dg_error *err)
{
  const struct dg_mesh *mesh = j->mesh;
  const size_t count = mesh->vertices + j->part.ghosts;
  struct dg_keyed *keyed;
  if (DG_NEW(keyed, count, err) != 0) return err->code;
  if (DG_NEW(j->vertex, count, err) != 0) goto fail;
  for (size_t i = 0; i < count; i++) {
    int64_t number = i < mesh->vertices ? mesh->global_vertex[i] : j->lead[i - mesh->vertices]->far.apex;
    keyed[i] = (struct dg_keyed){(uint64_t)number, i};
  }
  if (dg_sort_keyed(keyed, count, err) != 0) goto fail;
  for (size_t i = 0; i < count; i++) {
    j->part.vertices += i == 0 || keyed[i].key != keyed[i - 1].key;
    j->vertex[keyed[i].item] = (int32_t)j->part.vertices - 1;
  }
  if (DG_NEW(j->part.vertex, j->part.vertices, err) != 0 || DG_NEW(j->part.global_vertex, j->part.vertices, err) != 0)
    goto fail;
  for (size_t i = 0; i < count; i++) {
    size_t from = keyed[i].item, to = (size_t)j->vertex[from];
    const double *x = from < mesh->vertices ? mesh->vertex[from] : j->lead[from - mesh->vertices]->far.x;
    j->part.global_vertex[to] = (int64_t)keyed[i].key;
    memcpy(j->part.vertex[to], x, sizeof j->part.vertex[to]);
  }
fail:
  dg_free(keyed);
  return err->code;
}

static int has_ghost(const struct dg_mesh *mesh, size_t e)
{
  const int32_t *n = mesh->neighbour[e];
  return n[0] < DG_BOUNDARY || n[1] < DG_BOUNDARY || n[2] < DG_BOUNDARY || n[3] < DG_BOUNDARY;
}

static int place_elements(struct joiner *j, struct dg_error *err)
{
  int32_t placed = 0;
  if (DG_NEW(j->place, j->mesh->K, err) != 0) return err->code;
  for (int with_ghosts = 0; with_ghosts < 2; with_ghosts++) {
    for (size_t e = 0; e < j->mesh->K; e++)
      if (has_ghost(j->mesh, e) == with_ghosts) j->place[e] = placed++;
    if (!with_ghosts) j->part.interior = (size_t)placed;
  }
  return 0;
}

static void add_ghost(struct joiner *j, size_t g)
{
  const struct match *match = j->lead[g];
  struct dg_mesh *part = &j->part;
  const size_t to = part->K + g;
  const int32_t *own = j->mesh->element[match->code >> 2]; /* it has the other three vertices */
  int32_t *vertex = part->element[to];
  for (int i = 0, k = 0; i < 4; i++) {
    k += k == (match->code & 3);
    vertex[i] = i == (match->far.code & 3) ? j->vertex[j->mesh->vertices + g] : j->vertex[own[k++]];
  }
  part->volume[to] = match->far.volume;
  part->tag[to] = match->far.tag;
  part->global[to] = match->far.element;
  part->owner[g] = match->far.rank;
}

/* Joins the surface of a face: it may be known to one side only. */
static int join_surface(struct joiner *j, size_t m, int64_t *twice, struct dg_error *err)
{
  const struct match *match = &j->match[m];
  const struct dg_mesh *mesh = j->mesh;
  int32_t *own = &mesh->surface[match->code >> 2][match->code & 3], other = match->far.surface;
  if (other < 0) return 0;
  if (*own >= 0 && *own != other)
    return dg_fail(err, DG_INPUT, "the face of elements %" PRIu64 " and %" PRIu64 " lies on two surfaces, %d and %d",
                   mesh->tag[match->code >> 2], match->far.tag, mesh->entity[*own].tag, mesh->entity[other].tag);
  twice[other] += *own >= 0 && mesh->global[match->code >> 2] < match->far.element;
  *own = other;
  return 0;
}

static int join_surfaces(struct joiner *j, struct dg_comm *comm, struct dg_error *err)
{
  int64_t *twice; /* triangles that both sides have counted */
  if (DG_NEW(twice, j->mesh->entities, err) != 0) return err->code;
  for (size_t m = 0; m < j->matches; m++)
    if (join_surface(j, m, twice, err) != 0) goto fail;
  if (dg_comm_reduce_int(comm, DG_SUM, j->mesh->entities, twice, err) != 0) goto fail;
  for (size_t i = 0; i < j->mesh->entities; i++) j->mesh->entity[i].count -= (size_t)twice[i];
fail:
  dg_free(twice);
  return err->code;
}

static int fill_part(struct joiner *j, struct dg_error *err)
{
  struct dg_mesh *part = &j->part;
  const struct dg_mesh *mesh = j->mesh;
  const size_t elements = part->K + part->ghosts;
  if (DG_NEW(part->element, elements, err) != 0 || DG_NEW(part->volume, elements, err) != 0 ||
      DG_NEW(part->tag, elements, err) != 0 || DG_NEW(part->global, elements, err) != 0 ||
      DG_NEW(part->neighbour, part->K, err) != 0 || DG_NEW(part->surface, part->K, err) != 0)
    return err->code;
  if (part->ghosts > 0 && DG_NEW(part->owner, part->ghosts, err) != 0) return err->code;
  for (size_t e = 0; e < part->K; e++) {
    size_t to = (size_t)j->place[e];
    part->volume[to] = mesh->volume[e];
    part->tag[to] = mesh->tag[e];
    part->global[to] = mesh->global[e];
    memcpy(part->surface[to], mesh->surface[e], sizeof part->surface[to]);
    for (int f = 0; f < 4; f++) {
      int32_t code = mesh->neighbour[e][f], m = -2 - code;
      part->element[to][f] = j->vertex[mesh->element[e][f]];
      part->neighbour[to][f] = code >= 0 ? 4 * j->place[code >> 2] + (code & 3)
                               : m >= 0  ? 4 * j->ghost[m] + (j->match[m].far.code & 3)
                                         : DG_BOUNDARY;
      part->interior_faces += m >= 0 && mesh->global[e] < j->match[m].far.element;
    }
  }
  for (size_t g = 0; g < part->ghosts; g++) add_ghost(j, g);
  part->boundary_faces = mesh->boundary_faces - j->matches;
  part->interior_faces += mesh->interior_faces;
  for (size_t e = part->interior; e < part->K; e++) /* what one rank checks as it joins two elements */
    for (int f = 0; f < 4; f++) {
      const int32_t both[2] = {4 * (int32_t)e + f, part->neighbour[e][f]};
      if (both[1] >= 4 * (int32_t)part->K && dg_mesh_check_shared(part, both, 2, err) != 0) return err->code;
    }
  return 0;
}

static int add_sizes(struct dg_mesh *mesh, struct dg_comm *comm, struct dg_error *err)
{
  int64_t sum[2] = {(int64_t)mesh->boundary_faces, (int64_t)mesh->interior_faces};
  if (dg_comm_reduce_int(comm, DG_SUM, 2, sum, err) != 0) return err->code;
  mesh->whole.boundary_faces = (size_t)sum[0];
  mesh->whole.interior_faces = (size_t)sum[1];
  return 0;
}

int dg_mesh_join(struct dg_mesh *mesh, struct dg_comm *comm, struct dg_error *err)
{
  struct joiner j = {.mesh = mesh, .part = {.K = mesh->K}};
  if (dg_mesh_join_tables(mesh, comm, err) != 0 || number_vertices(mesh, comm, err) != 0 ||
      number_elements(mesh, comm, err) != 0)
    goto fail;
  if (match_faces(mesh, comm, &j.match, &j.matches, err) != 0 || join_surfaces(&j, comm, err) != 0) goto fail;
  if (find_ghosts(&j, err) != 0 || merge_vertices(&j, err) != 0 || place_elements(&j, err) != 0) goto fail;
  if (fill_part(&j, err) != 0) goto fail;
  j.part.entities = mesh->entities, j.part.entity = mesh->entity;
  j.part.groups = mesh->groups, j.part.group = mesh->group;
  j.part.whole = mesh->whole;
  mesh->entities = mesh->groups = 0, mesh->entity = NULL, mesh->group = NULL;
  dg_mesh_release(mesh);
  *mesh = j.part;
  j.part = (struct dg_mesh){0};
  if (add_sizes(mesh, comm, err) == 0) (void)!dg_mesh_check_between(mesh, comm, err);
fail:
  joiner_release(&j);
  if (err->code != DG_OK) dg_mesh_release(mesh);
  return err->code;
}
