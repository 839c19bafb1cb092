/* Fluxes: the power through surfaces, the integral of (E x H).n. The mass matrix of each face makes the integral exact:
 * on a curved face (E x H).n dA is E_1 H_2 - E_2 H_1, components along the edges of the face, by its coordinates.
 * The table at the end of this file is the kind; kinds.c lists it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/model/selectors.h"
#include "maxwell/problem/curve_face.h"
#include "maxwell/problem/curved.h"

#define ALONG_LIMIT 1e-6 /* a direction whose part across the face is less than this lies along the face */

struct face {
  double normal[3]; /* unit, in the direction that counts as positive */
  double jacobian;  /* half of the area, m^2 */
  int sides;        /* 1 on the outside, 2 inside */
  int32_t where;    /* 4 * element + face */
  int32_t received; /* index in the exchange of the far side, or -1 when the far side is this rank's too */
  int32_t bent;     /* of a curved element: index in surface.edge, or -1 */
};

/* `point` first holds the nodes of each face's sides that are in this rank's elements. The nodes of the sides that
 * other ranks want stand behind them. */
struct surface {
  size_t faces, nodes, sent; /* sent: how many of the nodes are for other ranks */
  struct face *face;
  size_t bent;                  /* faces of curved elements */
  double (*edge)[2][3];         /* [bent][Nf] edges at the nodes, m; the second has the sign of the power's direction */
  struct mx_point *point;       /* [nodes] */
  struct dg_exchange *exchange; /* NULL: one rank */
};

static bool on_surface(const struct mx_measure *measure, const struct dg_mesh *mesh, size_t e, int f)
{
  int32_t surface = mesh->surface[e][f];
  return surface >= 0 && mx_selector_fit(&measure->config->on, mesh, (size_t)surface) > 0;
}

/* Does the face lie inside of what was drawn? */
static bool inside(const struct dg_mesh *mesh, size_t e, int f)
{
  return mesh->neighbour[e][f] != DG_BOUNDARY && !dg_mesh_in_layer(mesh, e) &&
         !dg_mesh_in_layer(mesh, (size_t)mesh->neighbour[e][f] / 4);
}

/* A face inside counts once, from its element with the lower number in the whole mesh. An open wall is an outer face:
 * its layer is no part of what was drawn. */
static bool counts(const struct mx_measure *measure, const struct dg_mesh *mesh, size_t e, int f)
{
  int32_t beyond = mesh->neighbour[e][f];
  if (!on_surface(measure, mesh, e, f)) return false;
  return dg_mesh_is_wall(mesh, e, f) ||
         (inside(mesh, e, f) && dg_mesh_global(mesh, (size_t)beyond / 4) > dg_mesh_global(mesh, e));
}

/* Turns the face's normal to the side of the given direction. */
static int orient(const struct mx_measure *measure, struct face *face, const double normal[3], const double at[3],
                  struct dg_error *err)
{
  const struct mx_measure_config *config = measure->config;
  const double *d = config->direction;
  double across = normal[0] * d[0] + normal[1] * d[1] + normal[2] * d[2];
  if (!config->has_direction && face->sides == 2)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "output.fluxes: 'direction' is missing in '%s', whose surface lies inside the domain (for "
                            "example: direction = { %g, %g, %g })",
                   MX_AT(config->where), config->name, round(1e3 * normal[0]) / 1e3 + 0.0,
                   round(1e3 * normal[1]) / 1e3 + 0.0, round(1e3 * normal[2]) / 1e3 + 0.0);
  if (config->has_direction && fabs(across) < ALONG_LIMIT)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "output.fluxes: 'direction' of '%s' lies along its surface at (%g, %g, %g) m; it must say "
                            "which side is positive",
                   MX_AT(config->where), config->name, at[0], at[1], at[2]);
  for (int c = 0; c < 3; c++) face->normal[c] = config->has_direction && across < 0 ? -normal[c] : normal[c];
  return 0;
}

static void add_nodes(struct surface *own, const struct dg_reference *ref, int32_t where)
{
  const int *node = ref->face_node + where % 4 * ref->Nf;
  for (int m = 0; m < ref->Nf; m++)
    own->point[own->nodes++] = (struct mx_point){.element = (size_t)where / 4, .node = (size_t)node[m]};
}

/* Sets the edges of a face of a curved element at its nodes. */
static void add_edges(struct surface *own, struct face *face, const struct mx_problem *problem, size_t e, int f)
{
  const struct dg_reference *ref = problem->ref;
  const ptrdiff_t k = own->edge != NULL ? mx_curve_find(problem, e) : -1;
  const double *n = problem->normal[e][f];
  const bool turned = face->normal[0] * n[0] + face->normal[1] * n[1] + face->normal[2] * n[2] < 0;
  face->bent = -1;
  if (k < 0) return;
  face->bent = (int32_t)own->bent++;
  for (int m = 0; m < ref->Nf; m++) {
    const int node = ref->face_node[f * ref->Nf + m];
    const double place[3] = {ref->r[node], ref->s[node], ref->t[node]};
    double(*t)[3] = own->edge[face->bent * ref->Nf + m], normal[3];
    const double area = mx_curve_face_at(problem, (size_t)k, f, place, t, normal);
    for (int c = 0; c < 3; c++) t[1][c] = (area < 0) != turned ? -t[1][c] : t[1][c];
  }
}

static int add_face(struct mx_measure *measure, const struct mx_problem *problem, const struct dg_mesh *mesh, size_t e,
                    int f, struct dg_error *err)
{
  struct surface *own = measure->own;
  struct face *face = &own->face[own->faces++];
  int32_t beyond = mesh->neighbour[e][f];
  double at[3] = {0};
  for (int i = 0; i < 4; i++)
    for (int d = 0; d < 3; d++) at[d] += i == f ? 0 : mesh->vertex[mesh->element[e][i]][d] / 3;
  face->jacobian = problem->face_scale[e][f] * problem->jacobian[e];
  face->sides = inside(mesh, e, f) ? 2 : 1;
  if (orient(measure, face, problem->normal[e][f], at, err) != 0) return err->code;
  add_edges(own, face, problem, e, f);
  face->where = 4 * (int32_t)e + f;
  face->received = -1;
  add_nodes(own, problem->ref, face->where);
  if (face->sides == 2 && (size_t)beyond / 4 < problem->K) add_nodes(own, problem->ref, beyond);
  return 0;
}

static int by_place(const void *key, const void *face)
{
  int32_t where = *(const int32_t *)key, other = ((const struct face *)face)->where;
  return where < other ? -1 : where > other;
}

/* Prepares the exchange of the faces between ranks, whose far side's fields come from its rank: what to send and what
 * to receive, in the halo's order. */

static int exchange_sides(struct mx_measure *measure, const struct mx_problem *problem, const struct dg_mesh *mesh,
                          struct dg_error *err)
{
  struct surface *own = measure->own;
  const struct dg_halo *halo = problem->halo;
  struct dg_peer *peer;
  size_t Nf = (size_t)problem->ref->Nf, sent = 0, received = 0;
  if (DG_NEW(peer, halo->peers, err) != 0) return err->code;
  for (size_t p = 0; p < halo->peers; p++) {
    const struct dg_peer *all = &halo->peer[p];
    peer[p] = (struct dg_peer){.rank = all->rank, .send_first = sent, .receive_first = received};
    for (size_t i = all->send_first; i < all->send_first + all->send_count; i++) {
      size_t e = (size_t)halo->send[i] / 4;
      int f = halo->send[i] % 4;
      if (!inside(mesh, e, f)) continue;
      if (counts(measure, mesh, e, f)) {
        struct face *face = bsearch(&halo->send[i], own->face, own->faces, sizeof *own->face, by_place);
        face->received = (int32_t)received++;
      } else if (on_surface(measure, mesh, e, f)) {
        add_nodes(own, problem->ref, halo->send[i]);
        sent++;
      }
    }
    peer[p].send_count = sent - peer[p].send_first;
    peer[p].receive_count = received - peer[p].receive_first;
  }
  own->sent = sent * Nf;
  (void)!dg_exchange_new(&own->exchange, problem->comm, halo->peers, peer, Nf * sizeof(double[6]), err);
  dg_free(peer);
  return err->code;
}

static int init(struct mx_measure *measure, const struct mx_measure_scene *scene, struct dg_error *err)
{
  const struct mx_problem *problem = scene->problem;
  const struct dg_mesh *mesh = scene->mesh;
  struct surface *own;
  size_t faces = 0, sides = 0, bent = 0;
  if (DG_NEW(own, 1, err) != 0) return err->code;
  measure->own = own;
  if (mx_check_selector(mesh, "output.fluxes", &measure->config->on, 2, err) != 0) return err->code;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      faces += counts(measure, mesh, e, f);
      sides += on_surface(measure, mesh, e, f);
      bent += problem->curves.count > 0 && counts(measure, mesh, e, f) && mx_curve_find(problem, e) >= 0;
    }
  if (DG_NEW(own->face, faces, err) != 0 || DG_NEW(own->point, sides * (size_t)problem->ref->Nf, err) != 0 ||
      (bent > 0 && DG_NEW(own->edge, bent * (size_t)problem->ref->Nf, err) != 0))
    return err->code;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++)
      if (counts(measure, mesh, e, f) && add_face(measure, problem, mesh, e, f, err) != 0) return err->code;
  if (problem->halo != NULL && exchange_sides(measure, problem, mesh, err) != 0) return err->code;
  measure->scratch = 6 * own->nodes;
  return 0;
}

static int send_sides(const struct surface *own, const double (*sample)[6], struct dg_error *err)
{
  if (own->exchange == NULL) return 0;
  if (own->sent > 0)
    memcpy(dg_exchange_send_buffer(own->exchange), sample + (own->nodes - own->sent), own->sent * sizeof *sample);
  if (dg_exchange_start(own->exchange, err) != 0) return err->code;
  return dg_exchange_finish(own->exchange, err);
}

/* Integral over a flat face, by the area of the reference triangle, from the field at the nodes. */
static double flat_power(const struct dg_reference *ref, const double n[3], const double (*field)[6])
{
  const size_t Nf = (size_t)ref->Nf;
  double sum = 0;
  for (size_t i = 0; i < Nf; i++) {
    double H[3] = {0}; /* row i of the mass matrix times H */
    for (size_t j = 0; j < Nf; j++)
      for (int c = 0; c < 3; c++) H[c] += ref->face_mass[i * Nf + j] * field[j][3 + c];
    const double *E = field[i];
    sum += n[0] * (E[1] * H[2] - E[2] * H[1]) + n[1] * (E[2] * H[0] - E[0] * H[2]) + n[2] * (E[0] * H[1] - E[1] * H[0]);
  }
  return sum;
}

/* Integral over a face of a curved element with these edges at the nodes. */
static double bent_power(const struct dg_reference *ref, const double (*edge)[2][3], const double (*field)[6])
{
  const size_t Nf = (size_t)ref->Nf;
  double along[DG_NF_MAX][4], sum = 0;
  for (size_t i = 0; i < Nf; i++)
    for (int k = 0; k < 4; k++) along[i][k] = dg_dot(edge[i][k % 2], field[i] + 3 * (k / 2));
  for (size_t i = 0; i < Nf; i++)
    for (size_t j = 0; j < Nf; j++)
      sum += ref->face_mass[i * Nf + j] * (along[i][0] * along[j][3] - along[i][1] * along[j][2]);
  return sum;
}

/* Integral of (E x H).n over this rank's faces, from sample[nodes][6] in the problem's units. V^2. */
static int integrate(const struct surface *own, const struct dg_reference *ref, const double (*sample)[6],
                     double *power, struct dg_error *err)
{
  size_t Nf = (size_t)ref->Nf;
  if (send_sides(own, sample, err) != 0) return err->code;
  const double(*received)[6] = own->exchange != NULL ? dg_exchange_receive_buffer(own->exchange) : NULL;
  *power = 0;
  for (size_t k = 0; k < own->faces; k++) {
    const struct face *face = &own->face[k];
    bool cut = received != NULL && face->received >= 0;
    const double(*far)[6] = cut ? received + (size_t)face->received * Nf : sample + Nf;
    double field[DG_NF_MAX][6];
    for (size_t m = 0; m < Nf; m++)
      for (int c = 0; c < 6; c++) field[m][c] = face->sides == 1 ? sample[m][c] : (sample[m][c] + far[m][c]) / 2;
    if (face->bent >= 0)
      *power += bent_power(ref, (const double(*)[2][3])own->edge + (size_t)face->bent * Nf, (const double(*)[6])field);
    else *power += face->jacobian * flat_power(ref, face->normal, (const double(*)[6])field);
    sample += (cut ? 1 : (size_t)face->sides) * Nf;
  }
  return 0;
}

static int take(const struct mx_measure *measure, const struct mx_problem *problem, const struct mx_backend_ops *ops,
                struct mx_backend *backend, double *part, double *scratch, struct dg_error *err)
{
  const struct surface *own = measure->own;
  double(*sample)[6] = (double(*)[6])scratch;
  if (ops->sample(backend, own->nodes, own->point, sample, err) != 0 ||
      integrate(own, problem->ref, (const double(*)[6])sample, part, err) != 0)
    return err->code;
  *part /= MX_ETA0;
  return 0;
}

static size_t memory(const struct mx_measure *measure, const struct mx_problem *problem)
{
  const struct surface *own = measure->own;
  return own->nodes * sizeof *own->point + own->faces * sizeof *own->face +
         own->bent * (size_t)problem->ref->Nf * sizeof *own->edge;
}

static void release(struct mx_measure *measure)
{
  struct surface *own = measure->own;
  dg_free(own->face);
  dg_free(own->edge);
  dg_free(own->point);
  dg_exchange_free(own->exchange);
}

/* ---- the kind ---- */

static int finish_flux(struct mx_reader *r, const struct mx_value *item, struct mx_measure_draft *draft)
{
  (void)r;
  draft->measure.has_direction = mx_find_value(item, "direction") != NULL;
  return 0;
}

static const struct mx_rule rules[] = {
    MX_MEASURE_RULES("name = \"outwards\""),
    {"surface", mx_read_region, MX_MEASURE(on), .expected = "the name of a surface group, or the tag of a surface",
     .example = "surface = \"aperture\""},
    {"direction", mx_read_unit_vector, MX_MEASURE(direction), .expected = "three numbers, as in { 0, 0, 1 }"},
};
const struct mx_measure_kind mx_fluxes = {
    .reads = {.key = "fluxes",
              .title = "Power through",
              .list = "a list, as in fluxes = { { name = \"outwards\", surface = \"aperture\" } }",
              .item = "a table, as in { name = \"outwards\", surface = \"aperture\" }",
              .rules = MX_COUNT(rules),
              .rule = rules,
              .finish = finish_flux},
    .columns = "power",
    .init = init,
    .release = release,
    .take = take,
    .memory = memory,
};
