/* Lists the curved edges and faces of a draft, places their nodes, and makes maps of tetrahedra from them. bend.c and
 * follow.c call it. */
#include "libdg/mesh/draft/curves.h"

#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/mesh/curve.h"

enum { RULE = 4 /* of faces: exact up to degree 8 */ };
#define COARSE                                                                                                         \
  0.06 /* rise of an edge over its length: an arc of 27 degrees; a ball of such edges lacks 5e-4 at order 2 */
#define FAR_OFF 0.5 /* of an edge: nodes that projection moves further have gone elsewhere on the geometry */

/* ---- lists ---- */

static int compare_edges(const void *left, const void *right)
{
  const struct dg_curved_edge *x = left, *y = right;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  if (x->dim != y->dim) return x->dim < y->dim ? -1 : 1;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

static int compare_ends(const void *left, const void *right)
{
  const struct dg_curved_edge *x = left, *y = right;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  return (x->b > y->b) - (x->b < y->b);
}

static int compare_faces(const void *left, const void *right)
{
  const struct dg_curved_face *x = left, *y = right;
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

static struct dg_curved_edge edge_of(int32_t a, int32_t b, int32_t dim, int32_t tag)
{
  return (struct dg_curved_edge){.a = a < b ? a : b, .b = a < b ? b : a, .dim = dim, .tag = tag};
}

/* Lists each edge on the geometry once; one that lies on a curve belongs to the curve. */
static int list_edges(struct dg_curves *curves, struct dg_error *err)
{
  const struct dg_draft *draft = curves->draft;
  size_t count = 0;
  if (DG_NEW(curves->edge, draft->segments + 3 * draft->triangles, err) != 0) return err->code;
  for (size_t i = 0; i < draft->segments; i++)
    curves->edge[count++] = edge_of(draft->segment[i][0], draft->segment[i][1], 1, draft->curve_tag[i]);
  for (size_t t = 0; t < draft->triangles; t++)
    for (int k = 0; k < 3; k++)
      curves->edge[count++] = edge_of(draft->triangle[t][k], draft->triangle[t][(k + 1) % 3], 2, draft->surface_tag[t]);
  if (count > 0) qsort(curves->edge, count, sizeof *curves->edge, compare_edges);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || compare_ends(&curves->edge[i], &curves->edge[curves->edges - 1]) != 0)
      curves->edge[curves->edges++] = curves->edge[i];
  return 0;
}

static int list_faces(struct dg_curves *curves, struct dg_error *err)
{
  const struct dg_draft *draft = curves->draft;
  if (DG_NEW(curves->face, draft->triangles, err) != 0) return err->code;
  for (size_t t = 0; t < draft->triangles; t++) {
    struct dg_curved_face *face = &curves->face[t];
    *face = (struct dg_curved_face){.tag = draft->surface_tag[t]};
    memcpy(face->v, draft->triangle[t], sizeof face->v);
    ascending(face->v, 3);
  }
  curves->faces = draft->triangles;
  if (curves->faces > 0) qsort(curves->face, curves->faces, sizeof *curves->face, compare_faces);
  return 0;
}

static struct dg_curved_edge *find_edge(const struct dg_curves *curves, int32_t a, int32_t b)
{
  const struct dg_curved_edge key = {.a = a, .b = b};
  return curves->edges == 0 ? NULL : bsearch(&key, curves->edge, curves->edges, sizeof key, compare_ends);
}

static struct dg_curved_face *find_face(const struct dg_curves *curves, const int32_t v[3])
{
  struct dg_curved_face key;
  memcpy(key.v, v, sizeof key.v);
  return curves->faces == 0 ? NULL : bsearch(&key, curves->face, curves->faces, sizeof key, compare_faces);
}

/* ---- modes ---- */

/* Adds the displacement that an edge on the geometry causes at a place with coordinates la and lb towards its ends. */
static void add_edge(int g, const struct dg_curved_edge *edge, double la, double lb, double x[3])
{
  if (edge != NULL) dg_shape_edge_mode(g, edge->shift, la, lb, x);
}

/* The straight place of coordinates L[count] towards vertices v. */
static void straight(const struct dg_curves *curves, const int32_t *v, const double *L, int count, double x[3])
{
  for (int b = 0; b < 3; b++) {
    x[b] = 0;
    for (int i = 0; i < count; i++) x[b] += L[i] * curves->draft->point[v[i]][b];
  }
}

static bool project(const struct dg_curves *curves, int dim, int tag, double size, const double from[3], double x[3])
{
  memcpy(x, from, 3 * sizeof *x);
  return curves->draft->project(curves->draft->geometry, dim, tag, x) && dg_distance(x, from) < FAR_OFF * size;
}

static void lose(struct dg_curves *curves, const double x[3])
{
  curves->lost++;
  memcpy(curves->lost_place, x, sizeof curves->lost_place);
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
  double at[DG_BETWEEN_MAX][3];
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

static void place_edge(struct dg_curves *curves, struct dg_curved_edge *edge)
{
  const int32_t v[2] = {edge->a, edge->b};
  const double size = dg_distance(curves->draft->point[edge->a], curves->draft->point[edge->b]);
  for (int n = 1; n < curves->g; n++) {
    const double s = meeting_point(curves->g, n), L[2] = {1 - s, s};
    double from[3], x[3];
    straight(curves, v, L, 2, from);
    if (!project(curves, edge->dim, edge->tag, size, from, x)) {
      memset(edge->shift, 0, sizeof edge->shift);
      lose(curves, from);
      return;
    }
    dg_subtract(x, from, edge->shift[n - 1]);
  }
  respace_edge(curves->g, edge->shift);
}

/* The displacement at L[3] of a face by its edges alone. */
static void between_edges(const struct dg_curves *curves, const int32_t v[3], const double L[3], double shift[3])
{
  memset(shift, 0, 3 * sizeof *shift);
  for (int i = 0; i < 3; i++)
    for (int j = i + 1; j < 3; j++) add_edge(curves->g, find_edge(curves, v[i], v[j]), L[i], L[j], shift);
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
static void place_face(struct dg_curves *curves, struct dg_curved_face *face)
{
  const double(*point)[3] = (const double(*)[3])curves->draft->point;
  const double size =
      fmax(dg_distance(point[face->v[0]], point[face->v[1]]),
           fmax(dg_distance(point[face->v[1]], point[face->v[2]]), dg_distance(point[face->v[2]], point[face->v[0]])));
  double moment[3][3] = {{0}};
  for (int q = 0; q < curves->rule.points; q++) {
    const double *L = curves->rule.place[q];
    double flat[3], from[3], x[3], shift[3];
    straight(curves, face->v, L, 3, flat);
    between_edges(curves, face->v, L, shift);
    for (int b = 0; b < 3; b++) from[b] = flat[b] + shift[b];
    if (!project(curves, 2, face->tag, size, from, x)) {
      lose(curves, from);
      return;
    }
    for (int i = 0; i < curves->face_nodes; i++)
      for (int b = 0; b < 3; b++)
        moment[i][b] += curves->rule.weight[q] * (curves->g == 3 ? 1 : L[i]) * (x[b] - from[b]);
  }
  from_moments(curves->g, moment);
  for (int n = 0; n < curves->face_nodes; n++)
    for (int i = 0; i < 3; i++) /* the vertex that the node is next to has the largest number */
      if (curves->g == 3 ? i == 0 : curves->face_node[n][i] == 2) memcpy(face->shift[n], moment[i], sizeof moment[i]);
}

/* ---- tetrahedra ---- */

bool dg_is_bent(const double (*shift)[3], int count)
{
  for (int n = 0; n < count; n++)
    for (int b = 0; b < 3; b++)
      if (shift[n][b] != 0) return true;
  return false;
}

bool dg_curves_gather(const struct dg_curves *curves, const int32_t vertex[4], struct dg_curved_tet *tet)
{
  bool bent = false;
  memcpy(tet->v, vertex, sizeof tet->v);
  ascending(tet->v, 4);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      if (vertex[j] == tet->v[i]) tet->own[i] = j;
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) {
      const struct dg_curved_edge *edge = tet->edge[i][j] = find_edge(curves, tet->v[i], tet->v[j]);
      bent = bent || (edge != NULL && dg_is_bent(edge->shift, curves->g - 1));
    }
  for (int f = 0; f < 4; f++) {
    int32_t v[3];
    for (int i = 0; i < 3; i++) v[i] = tet->v[i + (i >= f)];
    tet->face[f] = find_face(curves, v);
    bent = bent || (tet->face[f] != NULL && dg_is_bent(tet->face[f]->shift, curves->face_nodes));
  }
  return bent;
}

/* The displacement within face f at lattice numbers k[4], of which that of vertex f is 0. */
static void shift_in_face(const struct dg_curves *curves, const struct dg_curved_tet *tet, int f, const int k[4],
                          double shift[3])
{
  int32_t v[3];
  int n = 0, own[3];
  double L[3];
  for (int i = 0; i < 3; i++) v[i] = tet->v[i + (i >= f)], own[i] = k[i + (i >= f)];
  while (n + 1 < curves->face_nodes && memcmp(own, curves->face_node[n], sizeof own) != 0) n++;
  for (int i = 0; i < 3; i++) L[i] = (double)own[i] / curves->g;
  between_edges(curves, v, L, shift);
  for (int b = 0; b < 3 && tet->face[f] != NULL; b++) shift[b] += tet->face[f]->shift[n][b];
}

/* The displacement of the node in the middle of a tetrahedron of order 4: of edges, and of what faces add to theirs. */
static void shift_inside(const struct dg_curves *curves, const struct dg_curved_tet *tet, double shift[3])
{
  memset(shift, 0, 3 * sizeof *shift);
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) add_edge(curves->g, tet->edge[i][j], 0.25, 0.25, shift);
  for (int f = 0; f < 4; f++)
    for (int n = 0; n < curves->face_nodes && tet->face[f] != NULL; n++)
      /* L_a L_b L_c is 1/32 at the nodes and 1/64 here */
      for (int b = 0; b < 3; b++) shift[b] += tet->face[f]->shift[n][b] / (2 * curves->face_nodes);
}

/* Node k[4] (ascending vertices) of a tetrahedron. */
static void place_node(const struct dg_curves *curves, const struct dg_curved_tet *tet, const int k[4], double x[3])
{
  int32_t v[4];
  double L[4], shift[3] = {0};
  int with[4] = {0}, count = 0, absent = 0;
  for (int i = 0; i < 4; i++) {
    if (k[i] == 0) absent = i;
    if (k[i] == 0) continue;
    v[count] = tet->v[i];
    L[count] = (double)k[i] / curves->g;
    with[count++] = i;
  }
  straight(curves, v, L, count, x);
  if (count == 2 && tet->edge[with[0]][with[1]] != NULL)
    memcpy(shift, tet->edge[with[0]][with[1]]->shift[k[with[1]] - 1], sizeof shift);
  if (count == 3) shift_in_face(curves, tet, absent, k, shift);
  if (count == 4) shift_inside(curves, tet, shift);
  for (int b = 0; b < 3; b++) x[b] += shift[b];
}

void dg_curves_place(const struct dg_curves *curves, const struct dg_curved_tet *tet, double (*shape)[3])
{
  size_t node = 0;
  for (int c = 0; c <= curves->g; c++)
    for (int b = 0; b + c <= curves->g; b++)
      for (int a = 0; a + b + c <= curves->g; a++) {
        const int own[4] = {curves->g - a - b - c, a, b, c};
        int k[4];
        for (int i = 0; i < 4; i++) k[i] = own[tet->own[i]];
        place_node(curves, tet, k, shape[node++]);
      }
}

/* ---- all of it ---- */

/* Lists everything, and places nothing. */
static int list_all(struct dg_curves *curves, const struct dg_draft *draft, int g, struct dg_error *err)
{
  *curves = (struct dg_curves){.draft = draft, .g = g};
  for (int a = 1; a < g; a++)
    for (int b = 1; a + b < g; b++) {
      const int node[3] = {g - a - b, a, b};
      memcpy(curves->face_node[curves->face_nodes++], node, sizeof node);
    }
  if (g > 2 && dg_rule_triangle(&curves->rule, RULE, err) != 0) return err->code;
  if (list_edges(curves, err) != 0) return err->code;
  return list_faces(curves, err);
}

int dg_curves_init(struct dg_curves *curves, const struct dg_draft *draft, int g, struct dg_error *err)
{
  if (list_all(curves, draft, g, err) != 0) return err->code;
  for (size_t i = 0; i < curves->edges; i++) place_edge(curves, &curves->edge[i]);
  for (size_t i = 0; i < curves->faces; i++) place_face(curves, &curves->face[i]);
  return 0;
}

void dg_curves_release(struct dg_curves *curves)
{
  dg_rule_release(&curves->rule);
  dg_free(curves->edge);
  dg_free(curves->face);
  *curves = (struct dg_curves){0};
}

/* Does the edge turn so far, or follow so badly, that its map may be off? */
static bool is_coarse(const struct dg_curves *curves, const struct dg_curved_edge *edge)
{
  const double size = dg_distance(curves->draft->point[edge->a], curves->draft->point[edge->b]);
  if (edge->relaxed) return true;
  for (int n = 0; n + 1 < curves->g; n++)
    if (sqrt(dg_dot(edge->shift[n], edge->shift[n])) > COARSE * size) return true;
  return false;
}

/* The map of an edge or face as one of order 4. */
static void raise_edge(int g, const struct dg_curved_edge *edge, struct dg_curved_edge *fine)
{
  for (int n = 1; n < DG_GEOMETRY_MAX; n++) {
    memset(fine->shift[n - 1], 0, sizeof *fine->shift);
    dg_shape_edge_mode(g, edge->shift, 1 - n / 4.0, n / 4.0, fine->shift[n - 1]);
  }
}

static void raise_face(int g, const struct dg_curved_face *face, struct dg_curved_face *fine)
{
  memcpy(fine->shift, face->shift, sizeof fine->shift);
  for (int n = 0; g == 3 && n < 3; n++) /* 27 L_a L_b L_c, which is 27 / 32 at these nodes */
    for (int b = 0; b < 3; b++) fine->shift[n][b] = 27.0 / 32 * face->shift[0][b];
}

int dg_curves_refine(struct dg_curves *fine, const struct dg_curves *curves, bool *same, struct dg_error *err)
{
  bool *coarse = NULL;
  *same = true;
  *fine = (struct dg_curves){0};
  if (DG_NEW(coarse, curves->edges + 1, err) != 0) return err->code;
  for (size_t i = 0; i < curves->edges; i++)
    if ((coarse[i] = is_coarse(curves, &curves->edge[i]))) *same = false;
  for (size_t i = 0; i < curves->faces; i++) *same = *same && !curves->face[i].relaxed;
  if (*same || list_all(fine, curves->draft, DG_GEOMETRY_MAX, err) != 0) goto fail;
  for (size_t i = 0; i < fine->edges; i++)
    if (coarse[i]) place_edge(fine, &fine->edge[i]);
    else raise_edge(curves->g, &curves->edge[i], &fine->edge[i]);
  for (size_t i = 0; i < fine->faces; i++) {
    const int32_t *v = curves->face[i].v;
    bool anew = curves->face[i].relaxed;
    for (int k = 0; k < 3; k++) {
      const struct dg_curved_edge *edge = find_edge(curves, v[k == 2], v[k == 0 ? 1 : 2]);
      anew = anew || (edge != NULL && coarse[edge - curves->edge]);
    }
    if (anew) place_face(fine, &fine->face[i]);
    else raise_face(curves->g, &curves->face[i], &fine->face[i]);
  }
fail:
  dg_free(coarse);
  return err->code;
}
