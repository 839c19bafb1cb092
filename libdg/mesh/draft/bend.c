/* Places the nodes of curved maps: edges, then faces, then what lies between. gmsh_curve.c calls it. */
#include "libdg/mesh/draft/bend.h"

#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/curve.h"
#include "libdg/ref/rule.h"

enum {
  BETWEEN = DG_GEOMETRY_MAX - 1, /* nodes within an edge, or a face, at most */
  RULE = 4                       /* of faces: exact up to degree 8 */
};
#define LEAST   0.15 /* of the straight element's determinant: maps that have less somewhere are relaxed */
#define FAR_OFF 0.5  /* of an edge: nodes that projection moves further have gone elsewhere on the geometry */

/* An edge on a curve or surface: shift[n] is what is added to node n + 1 of the straight edge from a to b. */
struct edge {
  int32_t a, b, dim, tag; /* a < b */
  double shift[BETWEEN][3];
  bool folds; /* an element at it does, or is too fast */
};

/* A face on a surface. Its nodes stand in the order of face_node: shift[n] is added to where the edges put them. */
struct face {
  int32_t v[3], tag; /* ascending */
  double shift[BETWEEN][3];
  bool folds;
};

struct bend {
  const struct dg_draft *draft;
  int g, face_nodes;
  int face_node[BETWEEN][3]; /* lattice numbers towards the three vertices; their sum is g */
  double highest;            /* rate that elements may have, 1/m^2; 0: any */
  struct dg_rule rule;       /* of faces; order 2 has none */
  size_t edges, faces;
  struct edge *edge; /* [edges] ascending */
  struct face *face; /* [faces] ascending */
  struct dg_bent *bent;
};

/* ---- lists ---- */

static int compare_edges(const void *left, const void *right)
{
  const struct edge *x = left, *y = right;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  if (x->dim != y->dim) return x->dim < y->dim ? -1 : 1;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

static int compare_ends(const void *left, const void *right)
{
  const struct edge *x = left, *y = right;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  return (x->b > y->b) - (x->b < y->b);
}

static int compare_faces(const void *left, const void *right)
{
  const struct face *x = left, *y = right;
  for (int i = 0; i < 3; i++)
    if (x->v[i] != y->v[i]) return x->v[i] < y->v[i] ? -1 : 1;
  return 0;
}

static void ascending(int32_t *v, int count)
{
  for (int i = 1; i < count; i++)
    for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
      const int32_t swap = v[j];
      v[j] = v[j - 1];
      v[j - 1] = swap;
    }
}

static struct edge edge_of(int32_t a, int32_t b, int32_t dim, int32_t tag)
{
  return (struct edge){.a = a < b ? a : b, .b = a < b ? b : a, .dim = dim, .tag = tag};
}

/* Lists each edge on the geometry once; one that lies on a curve belongs to the curve. */
static int list_edges(struct bend *bend, struct dg_error *err)
{
  const struct dg_draft *draft = bend->draft;
  size_t count = 0;
  if (DG_NEW(bend->edge, draft->segments + 3 * draft->triangles, err) != 0) return err->code;
  for (size_t i = 0; i < draft->segments; i++)
    bend->edge[count++] = edge_of(draft->segment[i][0], draft->segment[i][1], 1, draft->curve_tag[i]);
  for (size_t t = 0; t < draft->triangles; t++)
    for (int k = 0; k < 3; k++)
      bend->edge[count++] = edge_of(draft->triangle[t][k], draft->triangle[t][(k + 1) % 3], 2, draft->surface_tag[t]);
  if (count > 0) qsort(bend->edge, count, sizeof *bend->edge, compare_edges);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || compare_ends(&bend->edge[i], &bend->edge[bend->edges - 1]) != 0)
      bend->edge[bend->edges++] = bend->edge[i];
  return 0;
}

static int list_faces(struct bend *bend, struct dg_error *err)
{
  const struct dg_draft *draft = bend->draft;
  if (DG_NEW(bend->face, draft->triangles, err) != 0) return err->code;
  for (size_t t = 0; t < draft->triangles; t++) {
    struct face *face = &bend->face[t];
    *face = (struct face){.tag = draft->surface_tag[t]};
    memcpy(face->v, draft->triangle[t], sizeof face->v);
    ascending(face->v, 3);
  }
  bend->faces = draft->triangles;
  if (bend->faces > 0) qsort(bend->face, bend->faces, sizeof *bend->face, compare_faces);
  return 0;
}

static struct edge *find_edge(const struct bend *bend, int32_t a, int32_t b)
{
  const struct edge key = {.a = a, .b = b};
  return bend->edges == 0 ? NULL : bsearch(&key, bend->edge, bend->edges, sizeof key, compare_ends);
}

static struct face *find_face(const struct bend *bend, const int32_t v[3])
{
  struct face key;
  memcpy(key.v, v, sizeof key.v);
  return bend->faces == 0 ? NULL : bsearch(&key, bend->face, bend->faces, sizeof key, compare_faces);
}

/* ---- modes ---- */

/* Adds the displacement that an edge on the geometry causes at a place with coordinates la and lb towards its ends. */
static void add_edge(int g, const struct edge *edge, double la, double lb, double x[3])
{
  if (edge != NULL) dg_shape_edge_mode(g, edge->shift, la, lb, x);
}

/* The straight place of coordinates L[count] towards vertices v. */
static void straight(const struct bend *bend, const int32_t *v, const double *L, int count, double x[3])
{
  for (int b = 0; b < 3; b++) {
    x[b] = 0;
    for (int i = 0; i < count; i++) x[b] += L[i] * bend->draft->point[v[i]][b];
  }
}

static bool project(const struct bend *bend, int dim, int tag, double size, const double from[3], double x[3])
{
  memcpy(x, from, 3 * sizeof *x);
  return bend->draft->project(bend->draft->geometry, dim, tag, x) && dg_distance(x, from) < FAR_OFF * size;
}

static void lose(struct bend *bend, const double x[3])
{
  bend->bent->lost++;
  memcpy(bend->bent->place, x, sizeof bend->bent->place);
}

/* Where the map of an edge meets the geometry: Gauss-Lobatto points, so that the area between them vanishes to a higher
 * order than with equal spacing. Node n of 1..g-1. */
static double meeting_point(int g, int n)
{
  const double off = g == 3 ? sqrt(1.0 / 5) : sqrt(3.0 / 7);
  if (2 * n == g) return 0.5;
  return 2 * n < g ? 0.5 * (1 - off) : 0.5 * (1 + off);
}

/* From displacements at the points where an edge meets the geometry to those at the equispaced nodes of its map. */
static void respace_edge(int g, double (*shift)[3])
{
  double at[BETWEEN][3];
  if (g == 2) return;
  memcpy(at, shift, sizeof at);
  for (int n = 1; n < g; n++) {
    const double s = (double)n / g;
    memset(shift[n - 1], 0, sizeof *shift);
    for (int m = 1; m < g; m++) {
      const double point = meeting_point(g, m);
      double weight = s * (1 - s) / (point * (1 - point));
      for (int k = 1; k < g; k++)
        if (k != m) weight *= (s - meeting_point(g, k)) / (point - meeting_point(g, k));
      for (int b = 0; b < 3; b++) shift[n - 1][b] += weight * at[m - 1][b];
    }
  }
}

static void place_edge(struct bend *bend, struct edge *edge)
{
  const int32_t v[2] = {edge->a, edge->b};
  const double size = dg_distance(bend->draft->point[edge->a], bend->draft->point[edge->b]);
  for (int n = 1; n < bend->g; n++) {
    const double s = meeting_point(bend->g, n), L[2] = {1 - s, s};
    double from[3], x[3];
    straight(bend, v, L, 2, from);
    if (!project(bend, edge->dim, edge->tag, size, from, x)) {
      memset(edge->shift, 0, sizeof edge->shift);
      lose(bend, from);
      return;
    }
    dg_subtract(x, from, edge->shift[n - 1]);
  }
  respace_edge(bend->g, edge->shift);
}

/* The displacement at L[3] of a face by its edges alone. */
static void between_edges(const struct bend *bend, const int32_t v[3], const double L[3], double shift[3])
{
  memset(shift, 0, 3 * sizeof *shift);
  for (int i = 0; i < 3; i++)
    for (int j = i + 1; j < 3; j++) add_edge(bend->g, find_edge(bend, v[i], v[j]), L[i], L[j], shift);
}

/* From moments, the means over the face of L_i (i < 3; order 3: of 1) times a displacement, to the nodes of the
 * displacement that vanishes at the edges and has these moments: 27 L_0 L_1 L_2, and 32 L_0 L_1 L_2 (4 L_n - 1). The
 * mean of L_0^a L_1^b L_2^c is 2 a! b! c! / (a + b + c + 2)!. */
static void from_moments(int g, double (*moment)[3])
{
  const double own = 32 * (4.0 / 420 - 1.0 / 180), other = 32 * (4.0 / 630 - 1.0 / 180);
  for (int b = 0; b < 3; b++) {
    const double sum = moment[0][b] + moment[1][b] + moment[2][b], common = other / (own + 2 * other) * sum;
    if (g == 3) moment[0][b] /= 27.0 * 2 / 120;
    for (int n = 0; n < 3 && g == 4; n++) moment[n][b] = (moment[n][b] - common) / (own - other);
  }
}

/* A resonance feels a wall's displacement by its integral over the wall, with a weight that is smooth. The nodes within
 * a face are therefore where the displacement's moments up to degree g - 3 vanish, and not on the geometry: together
 * with the edges' points the error is h^2g instead of h^4 and h^6 at orders 3 and 4. */
static void place_face(struct bend *bend, struct face *face)
{
  const double(*point)[3] = (const double(*)[3])bend->draft->point;
  const double size =
      fmax(dg_distance(point[face->v[0]], point[face->v[1]]),
           fmax(dg_distance(point[face->v[1]], point[face->v[2]]), dg_distance(point[face->v[2]], point[face->v[0]])));
  double moment[3][3] = {{0}};
  for (int q = 0; q < bend->rule.points; q++) {
    const double *L = bend->rule.place[q];
    double flat[3], from[3], x[3], shift[3];
    straight(bend, face->v, L, 3, flat);
    between_edges(bend, face->v, L, shift);
    for (int b = 0; b < 3; b++) from[b] = flat[b] + shift[b];
    if (!project(bend, 2, face->tag, size, from, x)) {
      lose(bend, from);
      return;
    }
    for (int i = 0; i < bend->face_nodes; i++)
      for (int b = 0; b < 3; b++) moment[i][b] += bend->rule.weight[q] * (bend->g == 3 ? 1 : L[i]) * (x[b] - from[b]);
  }
  from_moments(bend->g, moment);
  for (int n = 0; n < bend->face_nodes; n++)
    for (int i = 0; i < 3; i++) /* the vertex that the node is next to has the largest number */
      if (bend->g == 3 ? i == 0 : bend->face_node[n][i] == 2) memcpy(face->shift[n], moment[i], sizeof moment[i]);
}

/* ---- tetrahedra ---- */

/* A tetrahedron by its vertices in ascending order, with what is bent of it. */
struct tet {
  int32_t v[4];
  int own[4]; /* the number in the tetrahedron's own order */
  struct edge *edge[4][4];
  struct face *face[4]; /* opposite vertex f */
};

static bool is_bent(const double (*shift)[3], int count)
{
  for (int n = 0; n < count; n++)
    for (int b = 0; b < 3; b++)
      if (shift[n][b] != 0) return true;
  return false;
}

/* Looks up the edges and faces; false: none is bent. */
static bool gather(const struct bend *bend, const int32_t vertex[4], struct tet *tet)
{
  bool bent = false;
  memcpy(tet->v, vertex, sizeof tet->v);
  ascending(tet->v, 4);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      if (vertex[j] == tet->v[i]) tet->own[i] = j;
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) {
      const struct edge *edge = tet->edge[i][j] = find_edge(bend, tet->v[i], tet->v[j]);
      bent = bent || (edge != NULL && is_bent(edge->shift, bend->g - 1));
    }
  for (int f = 0; f < 4; f++) {
    int32_t v[3];
    for (int i = 0; i < 3; i++) v[i] = tet->v[i + (i >= f)];
    tet->face[f] = find_face(bend, v);
    bent = bent || (tet->face[f] != NULL && is_bent(tet->face[f]->shift, bend->face_nodes));
  }
  return bent;
}

/* The displacement within face f at lattice numbers k[4], of which that of vertex f is 0. */
static void shift_in_face(const struct bend *bend, const struct tet *tet, int f, const int k[4], double shift[3])
{
  int32_t v[3];
  int n = 0, own[3];
  double L[3];
  for (int i = 0; i < 3; i++) v[i] = tet->v[i + (i >= f)], own[i] = k[i + (i >= f)];
  while (n + 1 < bend->face_nodes && memcmp(own, bend->face_node[n], sizeof own) != 0) n++;
  for (int i = 0; i < 3; i++) L[i] = (double)own[i] / bend->g;
  between_edges(bend, v, L, shift);
  for (int b = 0; b < 3 && tet->face[f] != NULL; b++) shift[b] += tet->face[f]->shift[n][b];
}

/* The displacement of the node in the middle of a tetrahedron of order 4: of edges, and of what faces add to theirs. */
static void shift_inside(const struct bend *bend, const struct tet *tet, double shift[3])
{
  memset(shift, 0, 3 * sizeof *shift);
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) add_edge(bend->g, tet->edge[i][j], 0.25, 0.25, shift);
  for (int f = 0; f < 4; f++)
    for (int n = 0; n < bend->face_nodes && tet->face[f] != NULL; n++)
      /* L_a L_b L_c is 1/32 at the nodes and 1/64 here */
      for (int b = 0; b < 3; b++) shift[b] += tet->face[f]->shift[n][b] / (2 * bend->face_nodes);
}

/* Node k[4] (ascending vertices) of a tetrahedron. */
static void place_node(const struct bend *bend, const struct tet *tet, const int k[4], double x[3])
{
  int32_t v[4];
  double L[4], shift[3] = {0};
  int with[4] = {0}, count = 0, absent = 0;
  for (int i = 0; i < 4; i++) {
    if (k[i] == 0) absent = i;
    if (k[i] == 0) continue;
    v[count] = tet->v[i];
    L[count] = (double)k[i] / bend->g;
    with[count++] = i;
  }
  straight(bend, v, L, count, x);
  if (count == 2 && tet->edge[with[0]][with[1]] != NULL)
    memcpy(shift, tet->edge[with[0]][with[1]]->shift[k[with[1]] - 1], sizeof shift);
  if (count == 3) shift_in_face(bend, tet, absent, k, shift);
  if (count == 4) shift_inside(bend, tet, shift);
  for (int b = 0; b < 3; b++) x[b] += shift[b];
}

static void place_tet(const struct bend *bend, const struct tet *tet, double (*shape)[3])
{
  size_t node = 0;
  for (int c = 0; c <= bend->g; c++)
    for (int b = 0; b + c <= bend->g; b++)
      for (int a = 0; a + b + c <= bend->g; a++) {
        const int own[4] = {bend->g - a - b - c, a, b, c};
        int k[4];
        for (int i = 0; i < 4; i++) k[i] = own[tet->own[i]];
        place_node(bend, tet, k, shape[node++]);
      }
}

static int place_tets(const struct bend *bend, struct dg_bent *bent, struct dg_error *err)
{
  const size_t nodes = dg_shape_nodes(bend->g);
  size_t room = 0;
  for (size_t e = 0; e < bend->draft->K; e++) {
    struct tet tet;
    if (!gather(bend, bend->draft->tet[e], &tet)) continue;
    if (bent->curved == room) {
      room = 2 * room + 256;
      if (dg_grow(&bent->curve, room, sizeof *bent->curve, err) != 0 ||
          dg_grow(&bent->shape, room * nodes, sizeof *bent->shape, err) != 0)
        return err->code;
    }
    bent->curve[bent->curved] = (int32_t)e;
    place_tet(bend, &tet, bent->shape + nodes * bent->curved++);
  }
  return 0;
}

/* ---- maps that fold ---- */

/* Marks what is bent at a tetrahedron. */
static void mark(struct bend *bend, const struct tet *tet)
{
  for (int i = 0; i < 4; i++) {
    for (int j = i + 1; j < 4; j++)
      if (tet->edge[i][j] != NULL && is_bent(tet->edge[i][j]->shift, bend->g - 1)) tet->edge[i][j]->folds = true;
    if (tet->face[i] != NULL && is_bent(tet->face[i]->shift, bend->face_nodes)) tet->face[i]->folds = true;
  }
}

/* Multiplies the displacements of what is marked. Edges and faces that are marked again count once. */
static void shrink(struct bend *bend, double factor)
{
  for (size_t i = 0; i < bend->edges; i++)
    for (int k = 0; k < 3 * BETWEEN && bend->edge[i].folds; k++) bend->edge[i].shift[k / 3][k % 3] *= factor;
  for (size_t i = 0; i < bend->faces; i++)
    for (int k = 0; k < 3 * BETWEEN && bend->face[i].folds; k++) bend->face[i].shift[k / 3][k % 3] *= factor;
}

static void unmark(struct bend *bend)
{
  for (size_t i = 0; i < bend->edges; i++) bend->edge[i].folds = false;
  for (size_t i = 0; i < bend->faces; i++) bend->face[i].folds = false;
}

/* Elements that were found, and a place in the first. */
struct found {
  size_t count;
  double place[3];
};

static void add_found(const struct bend *bend, const double (*shape)[3], const double place[3], struct found *found)
{
  if (found->count++ == 0) dg_shape_at(bend->g, shape, place, found->place, NULL);
}

/* Marks the edges and faces of elements whose maps fold, or nearly so, and of those that are too fast. */
static void mark_bad(struct bend *bend, const struct dg_shape_slopes *slopes, struct found *folds, struct found *fast)
{
  const struct dg_draft *draft = bend->draft;
  const struct dg_bent *bent = bend->bent;
  const size_t nodes = dg_shape_nodes(bend->g);
  *folds = *fast = (struct found){0};
  for (size_t k = 0; k < bent->curved; k++) {
    double(*shape)[3] = bent->shape + k * nodes;
    const double(*map)[3] = (const double(*)[3])shape;
    size_t where = 0;
    struct tet tet;
    (void)gather(bend, draft->tet[bent->curve[k]], &tet);
    place_tet(bend, &tet, shape);
    if (!(dg_shape_least(slopes, map, dg_draft_volume(draft, bent->curve[k]) / 8, &where) >= LEAST))
      add_found(bend, map, slopes->place[where], folds);
    else if (bend->highest > 0 && dg_shape_highest_rate(slopes, map, &where) > bend->highest)
      add_found(bend, map, slopes->place[where], fast);
    else continue;
    mark(bend, &tet);
  }
}

/* The highest rate of the straight elements, 1/m^2. */
static double highest_of_straight(const struct dg_draft *draft)
{
  double highest = 0;
  for (size_t e = 0; e < draft->K; e++) {
    double t[3][3];
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        t[a][b] = 0.5 * (draft->point[draft->tet[e][a + 1]][b] - draft->point[draft->tet[e][0]][b]);
    const double rate = dg_shape_rate((const double(*)[3])t);
    if (rate > highest) highest = rate;
  }
  return highest;
}

/* Lets edges and faces follow the geometry less closely where elements would fold or be too fast: by halves, then not
 * at all. Two edges of an element on one smooth curve, whose angle there is flat, are the common case. */
static int relax(struct bend *bend, struct dg_error *err)
{
  enum { HALVES = 4, ROUNDS = 12 };
  struct dg_bent *bent = bend->bent;
  struct dg_shape_slopes slopes;
  if (bent->curved == 0) return 0;
  if (dg_shape_slopes_init(&slopes, bend->g, err) != 0) goto fail;
  for (int round = 0; round < ROUNDS; round++) {
    struct found folds, fast;
    mark_bad(bend, &slopes, &folds, &fast);
    if (round == 0) {
      bent->relaxed = folds.count;
      bent->slowed = fast.count;
      memcpy(bent->relaxed_place, folds.place, sizeof folds.place);
      memcpy(bent->slowed_place, fast.place, sizeof fast.place);
    }
    if (folds.count + fast.count == 0) break;
    shrink(bend, round < HALVES ? 0.5 : 0);
    unmark(bend);
  }
fail:
  dg_shape_slopes_release(&slopes);
  return err->code;
}

int dg_draft_bend(const struct dg_draft *draft, int geometry, double slower, struct dg_bent *bent, struct dg_error *err)
{
  struct bend bend = {.draft = draft, .g = geometry, .bent = bent};
  if (slower > 0) bend.highest = slower * slower * highest_of_straight(draft);
  *bent = (struct dg_bent){.geometry = geometry};
  if (draft->project == NULL) return 0;
  for (int a = 1; a < geometry; a++)
    for (int b = 1; a + b < geometry; b++) {
      const int node[3] = {geometry - a - b, a, b};
      memcpy(bend.face_node[bend.face_nodes++], node, sizeof node);
    }
  if ((geometry < 3 || dg_rule_triangle(&bend.rule, RULE, err) == 0) && list_edges(&bend, err) == 0 &&
      list_faces(&bend, err) == 0) {
    for (size_t i = 0; i < bend.edges; i++) place_edge(&bend, &bend.edge[i]);
    for (size_t i = 0; i < bend.faces; i++) place_face(&bend, &bend.face[i]);
    if (place_tets(&bend, bent, err) == 0) (void)!relax(&bend, err);
  }
  dg_rule_release(&bend.rule);
  dg_free(bend.edge);
  dg_free(bend.face);
  return err->code;
}

void dg_bent_release(struct dg_bent *bent)
{
  dg_free(bent->curve);
  dg_free(bent->shape);
  *bent = (struct dg_bent){0};
}
