/* Finds the faces of a closed surface, turns their normals outwards, and looks whether the surface is closed.
 *
 * The inside of a region is the region. The inside of a surface follows from the volumes of the mesh: those that touch
 * each other elsewhere than on the surface hang together, and the surface bounds what hangs together. The integral of
 * x.n over the part of the surface that bounds it, n outwards, is three times its volume where the surface is all of
 * its boundary, and negative where the surface is the boundary of a hole in it. */
#include "maxwell/far/far_surface.h"

#include <math.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/sort.h"
#include "libdg/comm/comm.h"
#include "maxwell/model/selectors.h"
#include "maxwell/sources/common_medium.h"

struct work {
  const struct mx_far_scene *scene;
  struct mx_far_surface *surface;
  bool *inside;   /* [entities] volumes that lie inside */
  double *bound;  /* [entities] three times the volume that the surface bounds, by label */
  int64_t *label; /* [entities] what hangs together has the same number */
  struct dg_error *err;
};

static bool on_surface(const struct work *work, size_t e, int f)
{
  const int32_t surface = work->scene->mesh->surface[e][f];
  return surface >= 0 && mx_selector_fit(&work->scene->config->on, work->scene->mesh, (size_t)surface) > 0;
}

static void face_centre(const struct dg_mesh *mesh, size_t e, int f, double x[3])
{
  x[0] = x[1] = x[2] = 0;
  for (int i = 0; i < 4; i++)
    for (int d = 0; d < 3; d++) x[d] += i == f ? 0 : mesh->vertex[mesh->element[e][i]][d] / 3;
}

static double face_area(const struct mx_problem *problem, size_t e, int f)
{
  return 2 * problem->face_scale[e][f] * problem->jacobian[e];
}

/* The origin of x.n: on all planes of images, whose parts of the boundary are then left out rightly. */
static void origin_of(const struct mx_far_config *config, double origin[3])
{
  origin[0] = origin[1] = origin[2] = 0;
  for (size_t i = 0; i < config->images; i++) origin[config->image[i].axis] = config->image[i].at;
}

/* ---- inside and outside */

/* Gives volumes that touch beside the surface one label, over all ranks. */
static int join_volumes(const struct work *work)
{
  const struct dg_mesh *mesh = work->scene->mesh;
  int64_t *label = work->label;
  for (size_t i = 0; i < mesh->entities; i++) label[i] = (int64_t)i;
  for (int64_t changed = 1; changed > 0;) {
    changed = 0;
    for (size_t e = 0; e < mesh->K; e++)
      for (int f = 0; f < 4; f++) {
        const int32_t beyond = mesh->neighbour[e][f];
        if (beyond == DG_BOUNDARY || on_surface(work, e, f)) continue;
        int64_t *a = &label[mesh->volume[e]], *b = &label[mesh->volume[beyond / 4]];
        if (*a == *b) continue;
        *a = *b = *a < *b ? *a : *b;
        changed = 1;
      }
    if (dg_comm_reduce_int(work->scene->problem->comm, DG_MIN, mesh->entities, label, work->err) != 0 ||
        dg_comm_reduce_int(work->scene->problem->comm, DG_MAX, 1, &changed, work->err) != 0)
      return work->err->code;
  }
  return 0;
}

static int find_inside_of_surface(const struct work *work)
{
  const struct dg_mesh *mesh = work->scene->mesh;
  const struct mx_problem *problem = work->scene->problem;
  double origin[3];
  origin_of(work->scene->config, origin);
  if (mx_check_selector(mesh, "output.far_field", &work->scene->config->on, 2, work->err) != 0 ||
      join_volumes(work) != 0)
    return work->err->code;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      double x[3], height = 0;
      if (!on_surface(work, e, f)) continue;
      face_centre(mesh, e, f, x);
      for (int d = 0; d < 3; d++) height += (x[d] - origin[d]) * problem->normal[e][f][d];
      work->bound[work->label[mesh->volume[e]]] += height * face_area(problem, e, f);
    }
  if (dg_comm_reduce(problem->comm, DG_SUM, mesh->entities, work->bound, work->err) != 0) return work->err->code;
  for (size_t i = 0; i < mesh->entities; i++)
    work->inside[i] = mesh->entity[i].dim == 3 && work->bound[work->label[i]] > 0;
  return 0;
}

static int find_inside_of_region(const struct work *work)
{
  const struct dg_mesh *mesh = work->scene->mesh;
  if (mx_check_selector(mesh, "output.far_field", &work->scene->config->on, 3, work->err) != 0) return work->err->code;
  for (size_t i = 0; i < mesh->entities; i++)
    work->inside[i] = mesh->entity[i].dim == 3 && mx_selector_fit(&work->scene->config->on, mesh, i) > 0;
  return 0;
}

static bool is_inside(const struct work *work, size_t e) { return work->inside[work->scene->mesh->volume[e]]; }

/* ---- faces */

/* Says whether a face of an own element is on the surface; fails where it cannot be. */
static int belongs(const struct work *work, size_t e, int f, bool *does)
{
  const struct mx_far_scene *scene = work->scene;
  const struct dg_mesh *mesh = scene->mesh;
  const int32_t beyond = mesh->neighbour[e][f];
  double x[3];
  *does = false;
  if (scene->config->by_region) {
    if (beyond == DG_BOUNDARY || is_inside(work, e) == is_inside(work, (size_t)beyond / 4)) return 0;
  } else if (!on_surface(work, e, f)) return 0;
  *does = true;
  face_centre(mesh, e, f, x);
  const bool sheet = mx_face_has_term(scene->problem, e, f);
  if (beyond == DG_BOUNDARY || scene->problem->neighbour[e][f] < 0 || sheet)
    return dg_fail(work->err, DG_INPUT,
                   MX_PLACE "output.far_field: the surface of '%s' touches a %s near (%g, %g, %g) m; it must run "
                            "through the medium around the device",
                   MX_AT(scene->config->where), scene->config->name, sheet ? "resistive sheet" : "wall", x[0], x[1],
                   x[2]);
  if (is_inside(work, e) == is_inside(work, (size_t)beyond / 4))
    return dg_fail(work->err, DG_INPUT,
                   MX_PLACE
                   "output.far_field: the surface of '%s' is not closed: near (%g, %g, %g) m its two sides hang "
                   "together around it",
                   MX_AT(scene->config->where), scene->config->name, x[0], x[1], x[2]);
  return 0;
}

static void set_tangents(struct mx_far_face *face)
{
  const double *n = face->normal;
  int least = 0;
  for (int c = 1; c < 3; c++)
    if (fabs(n[c]) < fabs(n[least])) least = c;
  double *t = face->tangent[0], *b = face->tangent[1], length = 0;
  for (int c = 0; c < 3; c++) t[c] = (double)(c == least) - n[least] * n[c];
  for (int c = 0; c < 3; c++) length += t[c] * t[c];
  for (int c = 0; c < 3; c++) t[c] /= sqrt(length);
  for (int c = 0; c < 3; c++) b[c] = n[(c + 1) % 3] * t[(c + 2) % 3] - n[(c + 2) % 3] * t[(c + 1) % 3];
}

/* Fills a face from one of its sides that is this rank's. */
static void fill_face(const struct work *work, size_t e, int f, struct mx_far_face *face)
{
  const struct dg_mesh *mesh = work->scene->mesh;
  const struct mx_problem *problem = work->scene->problem;
  const int32_t beyond = mesh->neighbour[e][f], own = 4 * (int32_t)e + f;
  const bool inside = is_inside(work, e), both = (size_t)beyond / 4 < mesh->K;
  face->side[inside ? 0 : 1] = own;
  face->side[inside ? 1 : 0] = both ? beyond : -1;
  face->name = inside ? 4 * dg_mesh_global(mesh, e) + f : 4 * dg_mesh_global(mesh, (size_t)beyond / 4) + beyond % 4;
  face->area = face_area(problem, e, f);
  for (int c = 0; c < 3; c++) face->normal[c] = inside ? problem->normal[e][f][c] : -problem->normal[e][f][c];
  set_tangents(face);
  for (int i = 0, k = 0; i < 4; i++)
    if (i != f) memcpy(face->corner[k++], mesh->vertex[mesh->element[e][i]], sizeof face->corner[0]);
  if (dg_face_map_of(mesh, e, f, &face->map)) face->area = mx_curved_face_area(&face->map);
}

static int list_faces(const struct work *work)
{
  const struct dg_mesh *mesh = work->scene->mesh;
  struct mx_far_surface *surface = work->surface;
  for (int fills = 0; fills < 2; fills++) {
    size_t count = 0;
    for (size_t e = 0; e < mesh->K; e++)
      for (int f = 0; f < 4; f++) {
        const int32_t beyond = mesh->neighbour[e][f];
        bool does;
        if (belongs(work, e, f, &does) != 0) return work->err->code;
        /* a face with two own sides is listed by its inside */
        if (!does || (!is_inside(work, e) && (size_t)beyond / 4 < mesh->K)) continue;
        if (fills) fill_face(work, e, f, &surface->face[count]);
        count++;
      }
    if (!fills && DG_NEW(surface->face, count, work->err) != 0) return work->err->code;
    surface->count = count;
  }
  return 0;
}

/* ---- closed? */

/* An edge as a face has it: +1 from the lower to the higher vertex where the face runs counter-clockwise around its
 * normal, else -1. All faces of a closed surface together have every edge as often in one direction as in the other. */
struct edge {
  uint64_t key;
  int64_t sign;
  double x[2][3];
};

static int list_edges(const struct work *work, struct edge *edge, size_t *count)
{
  const struct dg_mesh *mesh = work->scene->mesh;
  const struct mx_far_surface *surface = work->surface;
  static const int ends[3][2] = {{0, 1}, {1, 2}, {0, 2}};
  *count = 0;
  for (size_t k = 0; k < surface->count; k++) {
    const struct mx_far_face *face = &surface->face[k];
    const int32_t side = face->side[0];
    double a[3], b[3], turn = 0;
    int64_t vertex[3];
    if (side < 0) continue;
    for (int i = 0, m = 0; i < 4; i++)
      if (i != side % 4) vertex[m++] = dg_mesh_global_vertex(mesh, (size_t)mesh->element[side / 4][i]);
    for (int c = 0; c < 3; c++)
      a[c] = face->corner[1][c] - face->corner[0][c], b[c] = face->corner[2][c] - face->corner[0][c];
    for (int c = 0; c < 3; c++)
      turn += face->normal[c] * (a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3]);
    for (int i = 0; i < 3; i++) {
      struct edge *e = &edge[(*count)++];
      e->key = ((uint64_t)vertex[ends[i][0]] << 32) | (uint64_t)vertex[ends[i][1]];
      e->sign = (turn > 0) == (i < 2) ? 1 : -1;
      for (int s = 0; s < 2; s++) memcpy(e->x[s], face->corner[ends[i][s]], sizeof e->x[s]);
    }
  }
  return 0;
}

/* Adds up the signs of equal edges; those that do not cancel stay. */
static int cancel(struct edge *edge, size_t *count, struct dg_error *err)
{
  struct dg_keyed *order = NULL;
  struct edge *left = NULL;
  size_t kept = 0;
  if (DG_NEW(order, *count, err) != 0 || DG_NEW(left, *count, err) != 0) goto fail;
  for (size_t i = 0; i < *count; i++) order[i] = (struct dg_keyed){edge[i].key, i};
  if (dg_sort_keyed(order, *count, err) != 0) goto fail;
  for (size_t i = 0, run; i < *count; i += run) {
    struct edge sum = edge[order[i].item];
    for (run = 1; i + run < *count && order[i + run].key == order[i].key; run++)
      sum.sign += edge[order[i + run].item].sign;
    if (sum.sign != 0) left[kept++] = sum;
  }
  if (kept > 0) memcpy(edge, left, kept * sizeof *edge);
  *count = kept;
fail:
  dg_free(order);
  dg_free(left);
  return err->code;
}

/* Says whether an edge lies on a plane of images. */
static bool on_image(const struct mx_far_config *config, const struct edge *edge, double size)
{
  for (size_t i = 0; i < config->images; i++) {
    const struct mx_image_config *image = &config->image[i];
    if (fabs(edge->x[0][image->axis] - image->at) < 1e-6 * size &&
        fabs(edge->x[1][image->axis] - image->at) < 1e-6 * size)
      return true;
  }
  return false;
}

static int check_closed(const struct work *work)
{
  const struct mx_far_config *config = work->scene->config;
  struct edge *edge = NULL, *all = NULL;
  size_t count = 0, *bytes = NULL;
  const int ranks = dg_comm_size(work->scene->problem->comm);
  if (DG_NEW(edge, 3 * work->surface->count, work->err) != 0 || DG_NEW(bytes, ranks, work->err) != 0 ||
      list_edges(work, edge, &count) != 0 || cancel(edge, &count, work->err) != 0 ||
      dg_comm_share(work->scene->problem->comm, count * sizeof *edge, edge, &all, bytes, work->err) != 0)
    goto fail;
  for (int r = count = 0; r < ranks; r++) count += bytes[r] / sizeof *edge;
  if (count > 0 && cancel(all, &count, work->err) != 0) goto fail;
  for (size_t i = 0; i < count; i++) {
    const double(*x)[3] = (const double(*)[3])all[i].x;
    if (on_image(config, &all[i], work->surface->radius)) continue;
    (void)dg_fail(work->err, DG_INPUT,
                  MX_PLACE
                  "output.far_field: the surface of '%s' is not closed: it ends at the edge from (%g, %g, %g) to "
                  "(%g, %g, %g) m%s",
                  MX_AT(config->where), config->name, x[0][0], x[0][1], x[0][2], x[1][0], x[1][1], x[1][2],
                  config->images > 0 ? ", which lies on none of its images' planes"
                                     : "; where it ends on a wall that stands for the other half, give 'images'");
    break;
  }
fail:
  dg_free(edge);
  dg_free(all);
  dg_free(bytes);
  return work->err->code;
}

/* ---- the whole */

static void widen(double most[6], const double x[3])
{
  for (int d = 0; d < 3; d++) {
    most[d] = fmax(most[d], x[d]);
    most[3 + d] = fmax(most[3 + d], -x[d]);
  }
}

static int measure(const struct work *work)
{
  struct mx_far_surface *surface = work->surface;
  const struct mx_far_config *config = work->scene->config;
  struct dg_comm *comm = work->scene->problem->comm;
  double most[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}, square = 0;
  for (size_t k = 0; k < surface->count; k++) {
    const struct mx_far_face *face = &surface->face[k];
    surface->faces += face->side[0] >= 0;
    surface->area += face->side[0] >= 0 ? face->area : 0;
    surface->curved += face->map.geometry > 0;
    for (int i = 0; i < 3; i++) widen(most, face->corner[i]);
    for (int i = 0; i < DG_FACE_SHAPE_MAX && i < (face->map.geometry + 1) * (face->map.geometry + 2) / 2; i++)
      if (face->map.geometry > 0) widen(most, face->map.node[i]);
  }
  if (dg_comm_reduce(comm, DG_MAX, 6, most, work->err) != 0 ||
      dg_comm_reduce(comm, DG_SUM, 1, &surface->area, work->err) != 0 ||
      dg_comm_reduce_int(comm, DG_SUM, 1, &surface->faces, work->err) != 0)
    return work->err->code;
  if (surface->faces == 0)
    return dg_fail(work->err, DG_INPUT, MX_PLACE "output.far_field: the surface of '%s' has no face inside the mesh",
                   MX_AT(config->where), config->name);
  for (int d = 0; d < 3; d++) {
    surface->centre[d] = (most[d] - most[3 + d]) / 2;
    for (size_t i = 0; i < config->images; i++) {
      if (config->image[i].axis != d) continue;
      surface->above[d] = surface->centre[d] > config->image[i].at;
      surface->centre[d] = config->image[i].at;
    }
    const double half = fmax(most[d] - surface->centre[d], surface->centre[d] + most[3 + d]);
    square += half * half;
  }
  surface->radius = sqrt(square);
  return 0;
}

static int find_medium(const struct work *work)
{
  struct mx_far_surface *surface = work->surface;
  const struct mx_far_scene *scene = work->scene;
  int32_t *where;
  size_t count = 0;
  char what[260];
  snprintf(what, sizeof what, "output.far_field '%.200s'", scene->config->name);
  if (DG_NEW(where, 2 * surface->count, work->err) != 0) return work->err->code;
  for (size_t k = 0; k < surface->count; k++)
    for (int s = 0; s < 2; s++)
      if (surface->face[k].side[s] >= 0) where[count++] = surface->face[k].side[s];
  const struct mx_surface_faces faces = {
      .count = count, .where = where, .place = scene->config->where, .what = what, .who = "a far field"};
  (void)!mx_common_medium(scene->problem, scene->mesh, &faces, &surface->epsilon, &surface->mu, work->err);
  dg_free(where);
  return work->err->code;
}

static bool has_other_medium(const struct work *work, size_t e)
{
  const struct mx_problem *problem = work->scene->problem;
  size_t entry;
  if (work->scene->assignment->absorber[e] >= 0) return false; /* it stands for the medium without end */
  const bool same = fabs(problem->epsilon[e] - work->surface->epsilon) <= 1e-12 * work->surface->epsilon &&
                    fabs(problem->mu[e] - work->surface->mu) <= 1e-12 * work->surface->mu &&
                    mx_relaxation_rate(problem, e) == 0 && problem->tensor[e] == 0;
  return !same && mx_problem_response(problem, e, &entry) == NULL; /* a layer is no other medium */
}

/* The sheet may begin inside and cross the surface: what its outer part radiates is missing. */
static bool has_sheet(const struct work *work, size_t e)
{
  for (int f = 0; f < 4; f++)
    if (work->scene->mesh->neighbour[e][f] != DG_BOUNDARY && work->scene->problem->neighbour[e][f] < 0) return true;
  return false;
}

/* Beyond its surface a far field sees one medium without end: warns of elements outside that are something else. */
static int look_outside(const struct work *work, bool (*is_odd)(const struct work *, size_t), const char *what)
{
  const struct mx_far_scene *scene = work->scene;
  const struct mx_problem *problem = scene->problem;
  int64_t others = 0, first = INT64_MAX, lowest;
  double x[3] = {0, 0, 0};
  for (size_t e = 0; e < problem->K; e++) {
    if (is_inside(work, e) || !is_odd(work, e)) continue;
    others++;
    if (dg_mesh_global(scene->mesh, e) >= first) continue;
    first = dg_mesh_global(scene->mesh, e);
    dg_geometry_barycentre(scene->mesh, e, x);
  }
  lowest = first;
  if (dg_comm_reduce_int(problem->comm, DG_SUM, 1, &others, work->err) != 0 ||
      dg_comm_reduce_int(problem->comm, DG_MIN, 1, &lowest, work->err) != 0)
    return work->err->code;
  if (first != lowest) x[0] = x[1] = x[2] = 0;
  if (dg_comm_reduce(problem->comm, DG_SUM, 3, x, work->err) != 0) return work->err->code;
  if (others > 0)
    dg_log_warning(scene->log,
                   "output.far_field: outside of the surface of '%s' %lld elements %s, as near (%g, %g, %g) m; the far "
                   "field is that "
                   "of one medium without end there (epsilon_r = %g, mu_r = %g)",
                   scene->config->name, (long long)others, what, x[0], x[1], x[2], work->surface->epsilon,
                   work->surface->mu);
  return 0;
}

int mx_far_surface_init(struct mx_far_surface *surface, const struct mx_far_scene *scene, struct dg_error *err)
{
  const size_t entities = scene->mesh->entities;
  struct work work = {.scene = scene, .surface = surface, .err = err};
  *surface = (struct mx_far_surface){0};
  if (DG_NEW(surface->inside, entities, err) != 0 || DG_NEW(work.bound, entities, err) != 0 ||
      DG_NEW(work.label, entities, err) != 0)
    goto fail;
  work.inside = surface->inside;
  if (scene->mesh->periods > 0) {
    (void)dg_fail(err, DG_INPUT,
                  MX_PLACE
                  "output.far_field: '%s' would be the field of one cell in open space, and a mesh with periodic "
                  "boundaries is an endless array",
                  MX_AT(scene->config->where), scene->config->name);
    goto fail;
  }
  if ((scene->config->by_region ? find_inside_of_region(&work) : find_inside_of_surface(&work)) != 0 ||
      list_faces(&work) != 0 || dg_comm_agree(scene->problem->comm, err) != 0 || measure(&work) != 0 ||
      check_closed(&work) != 0 || find_medium(&work) != 0 || dg_comm_agree(scene->problem->comm, err) != 0 ||
      look_outside(&work, has_other_medium, "have another medium") != 0 ||
      look_outside(&work, has_sheet, "touch a conducting sheet") != 0)
    goto fail;
fail:
  dg_free(work.bound);
  dg_free(work.label);
  return err->code;
}

void mx_far_surface_release(struct mx_far_surface *surface)
{
  dg_free(surface->face);
  dg_free(surface->inside);
  *surface = (struct mx_far_surface){0};
}
