/* The walks over faces and elements that find which things meet. touch.c calls mx_touch_find. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/vec3.h"
#include "libdg/comm/comm.h"
#include "libdg/geometry/geometry.h"
#include "maxwell/measure/kinds.h"
#include "maxwell/model/selectors.h"
#include "maxwell/sources/faces/edges.h"
#include "maxwell/sources/sources_check.h"
#include "maxwell/touch/touch_work.h"

/* ---- edges of a surface, of all ranks ---- */

struct edges {
  struct mx_edge *edge; /* [count] sorted */
  size_t count;
};

/* Collects the edges of the faces for which `is` says yes. */
static int find_edges(const struct mx_touch_work *work, bool (*is)(const struct mx_touch_scene *, size_t, int, int),
                      int index, struct edges *edges)
{
  const struct dg_mesh *mesh = work->scene->mesh;
  struct dg_comm *comm = work->scene->problem->comm;
  struct mx_edge *own = NULL;
  int64_t faces = 0, all;
  *edges = (struct edges){0};
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) faces += is(work->scene, e, f, index);
  if (DG_NEW(own, 3 * faces, work->err) != 0) return work->err->code;
  size_t n = 0;
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++)
      if (is(work->scene, e, f, index)) mx_edges_of_face(mesh, e, f, own + 3 * n++);
  all = faces;
  if (dg_comm_reduce_int(comm, DG_SUM, 1, &all, work->err) == 0 &&
      dg_comm_share(comm, 3 * (size_t)faces * sizeof *own, own, &edges->edge, NULL, work->err) == 0) {
    edges->count = 3 * (size_t)all;
    if (all > 0) qsort(edges->edge, edges->count, sizeof *edges->edge, mx_compare_edges);
  }
  dg_free(own);
  return work->err->code;
}

static bool touches(const struct mx_touch_work *work, const struct edges *edges, size_t e, int f)
{
  struct mx_edge own[3];
  if (edges->count == 0) return false;
  mx_edges_of_face(work->scene->mesh, e, f, own);
  for (int i = 0; i < 3; i++)
    if (bsearch(&own[i], edges->edge, edges->count, sizeof *own, mx_compare_edges) != NULL) return true;
  return false;
}

/* ---- what is where ---- */

/* The interface of a face inside the mesh, or -1. */
static int interface_of(const struct mx_touch_scene *scene, size_t e, int f)
{
  const int32_t surface = scene->mesh->surface[e][f];
  return surface < 0 || scene->mesh->neighbour[e][f] == DG_BOUNDARY ? -1 : scene->assignment->interface[surface];
}

/* The layer or absorber of an element or ghost, or -1. */
static int layer_of(const struct mx_touch_scene *scene, size_t e)
{
  return scene->layers->count > 0 ? scene->layers->of_volume[scene->mesh->volume[e]] : -1;
}

static enum mx_thing layer_thing(const struct mx_touch_scene *scene, int layer)
{
  return layer < 0 ? MX_NO_THING : scene->layers->shape[layer].absorber ? MX_AN_ABSORBER : MX_A_LAYER;
}

static enum mx_layer_lie lie_of(const struct mx_touch_scene *scene, size_t e, int f)
{
  const struct dg_mesh *mesh = scene->mesh;
  double middle[3], corner[3][3];
  dg_geometry_barycentre(mesh, e, middle);
  for (int v = 0, n = 0; v < 4; v++)
    if (v != f) memcpy(corner[n++], mesh->vertex[mesh->element[e][v]], sizeof corner[0]);
  return mx_layer_lie(&scene->layers->shape[layer_of(scene, e)], middle, (const double(*)[3])corner,
                      scene->problem->normal[e][f]);
}

/* ---- layers ---- */

/* A face of a layer that was drawn, on its inner wall. */
static bool is_inner_wall(const struct mx_touch_scene *scene, size_t e, int f, int layer)
{
  const int32_t beyond = scene->mesh->neighbour[e][f];
  return layer_of(scene, e) == layer && beyond != DG_BOUNDARY && layer_of(scene, (size_t)beyond / 4) < 0 &&
         !dg_mesh_in_layer(scene->mesh, e);
}

static int look_at_layer_face(struct mx_touch_work *work, size_t e, int f)
{
  const struct mx_touch_scene *scene = work->scene;
  const int layer = layer_of(scene, e), boundary = scene->assignment->boundary[e][f],
            interface = interface_of(scene, e, f);
  const enum mx_thing of = layer_thing(scene, layer), wall = mx_touch_wall(scene->config, boundary),
                      sheet = mx_touch_interface(scene->config, interface);
  const struct mx_touch_place place = {.e = e, .f = f};
  if (wall == MX_A_PORT || wall == MX_AN_ELEMENT) return mx_touch_note(work, wall, boundary, MX_IN, of, layer, &place);
  if (dg_mesh_in_layer(scene->mesh, e) || (wall == MX_NO_THING && sheet == MX_NO_THING))
    return 0; /* an open wall has grown it, and has looked at what goes on in it */
  const enum mx_layer_lie lie = lie_of(scene, e, f);
  if (lie == MX_LAYER_INNER || lie == MX_LAYER_END) return 0;
  const enum mx_meeting meeting = lie == MX_LAYER_ALONG ? MX_IN : MX_SLANTS;
  if (mx_touch_note(work, wall, boundary, meeting, of, layer, &place) != 0) return work->err->code;
  return mx_touch_note(work, sheet, interface, meeting, of, layer, &place);
}

/* What ends where a drawn layer begins, or goes on in it. */
static int look_at_ends(struct mx_touch_work *work, int layer)
{
  const struct mx_touch_scene *scene = work->scene;
  const struct dg_mesh *mesh = scene->mesh;
  struct edges edges;
  if (find_edges(work, is_inner_wall, layer, &edges) != 0) goto fail;
  for (size_t e = 0; e < mesh->K && edges.count > 0; e++)
    for (int f = 0; f < 4; f++) {
      const int interface = interface_of(scene, e, f), boundary = scene->assignment->boundary[e][f];
      const enum mx_thing sheet = mx_touch_interface(scene->config, interface),
                          wall = mx_touch_wall(scene->config, boundary);
      const struct mx_touch_place place = {.e = e, .f = f, .side = layer_of(scene, e) < 0 ? MX_HERE : MX_THERE};
      if ((sheet == MX_NO_THING && wall == MX_NO_THING) || !touches(work, &edges, e, f)) continue;
      if (mx_touch_note(work, sheet, interface, MX_ENDS_ON, layer_thing(scene, layer), layer, &place) != 0 ||
          mx_touch_note(work, wall, boundary, MX_ENDS_ON, layer_thing(scene, layer), layer, &place) != 0)
        goto fail;
    }
fail:
  dg_free(edges.edge);
  return work->err->code;
}

static int look_in_layers(struct mx_touch_work *work)
{
  const struct mx_touch_scene *scene = work->scene;
  const struct mx_problem *problem = scene->problem;
  for (size_t e = 0; e < problem->K && scene->layers->count > 0; e++)
    for (int f = 0; f < 4 && layer_of(scene, e) >= 0; f++)
      if (look_at_layer_face(work, e, f) != 0) return work->err->code;
  for (size_t t = 0; t < problem->terms && scene->layers->count > 0; t++) {
    const struct mx_term *term = &problem->term[t];
    for (size_t k = 0; k < term->count; k++) {
      const bool current = term->kind == MX_CURRENT;
      const struct mx_touch_place place = {.e = (size_t)(current ? term->where[k] : term->where[k] / 4),
                                           .f = current ? -1 : term->where[k] % 4};
      const int layer = layer_of(scene, place.e);
      if (mx_touch_note(work, current ? MX_A_CURRENT : MX_A_JUMP, (int)t, MX_IN, layer_thing(scene, layer), layer,
                        &place) != 0)
        return work->err->code;
    }
  }
  for (size_t l = 0; l < scene->layers->count; l++)
    if (look_at_ends(work, (int)l) != 0) return work->err->code;
  return 0;
}

/* ---- surfaces of total field ---- */

static bool is_interface(const struct mx_touch_scene *scene, size_t e, int f, int index)
{
  return interface_of(scene, e, f) == index;
}

static bool in_total_field(const struct mx_touch_scene *scene, int interface, size_t e)
{
  return mx_selector_fit(&scene->config->interface[interface].inside, scene->mesh, (size_t)scene->mesh->volume[e]) > 0;
}

/* Finds walls that would have to let the wave in. */
static int look_for_entries(struct mx_touch_work *work, int index, size_t e, int f)
{
  const struct mx_touch_scene *scene = work->scene;
  const double along = 0.01; /* cosine; below it the wave runs along the wall */
  const int32_t beyond = scene->mesh->neighbour[e][f];
  const double *direction = scene->config->interface[index].wave.direction;
  const struct mx_touch_place place = {.e = e, .f = f};
  if (layer_of(scene, e) >= 0 || dg_dot(direction, scene->problem->normal[e][f]) > -along ||
      !in_total_field(scene, index, e))
    return 0;
  const int boundary = scene->assignment->boundary[e][f];
  if (beyond == DG_BOUNDARY)
    return mx_touch_note(work, mx_touch_wall(scene->config, boundary), boundary, MX_BESIDE, MX_A_TOTAL_FIELD, index,
                         &place);
  const int layer = layer_of(scene, (size_t)beyond / 4);
  return mx_touch_note(work, layer_thing(scene, layer), layer, MX_BESIDE, MX_A_TOTAL_FIELD, index, &place);
}

static int look_at_total_field(struct mx_touch_work *work, int index)
{
  const struct mx_touch_scene *scene = work->scene;
  const struct dg_mesh *mesh = scene->mesh;
  const struct mx_plane_wave *wave = &scene->config->interface[index].wave;
  const double close = 1e-3; /* as sources_check.c has it for walls at the rim */
  struct edges edges;
  if (find_edges(work, is_interface, index, &edges) != 0) goto fail;
  for (size_t e = 0; e < mesh->K && edges.count > 0; e++)
    for (int f = 0; f < 4; f++) {
      const int interface = interface_of(scene, e, f);
      const enum mx_thing sheet = mx_touch_interface(scene->config, interface);
      const double off = mx_wave_misfit(wave, scene->problem->normal[e][f], 0);
      const struct mx_touch_place place = {
          .e = e, .f = f, .side = in_total_field(scene, index, e) ? MX_HERE : MX_THERE, .off = off};
      if (look_for_entries(work, index, e, f) != 0) goto fail;
      if (sheet == MX_NO_THING || sheet == MX_A_TOTAL_FIELD || off <= close || !touches(work, &edges, e, f)) continue;
      if (mx_touch_note(work, sheet, interface, MX_CROSSES, MX_A_TOTAL_FIELD, index, &place) != 0) goto fail;
    }
fail:
  dg_free(edges.edge);
  return work->err->code;
}

/* ---- fluxes ---- */

static int look_at_flux_face(struct mx_touch_work *work, int index, size_t e, int f)
{
  const struct mx_touch_scene *scene = work->scene;
  const struct mx_measure_config *measure = &scene->config->output.measure[index];
  const int interface = interface_of(scene, e, f), layer = layer_of(scene, e);
  const int32_t beyond = scene->mesh->neighbour[e][f];
  struct mx_touch_place place = {.e = e, .f = f};
  if (dg_mesh_in_layer(scene->mesh, e)) return 0;
  if (mx_touch_note(work, MX_A_FLUX, index, MX_LIES_ON, mx_touch_interface(scene->config, interface), interface,
                    &place) != 0)
    return work->err->code;
  if (layer >= 0 && (beyond == DG_BOUNDARY || layer_of(scene, (size_t)beyond / 4) >= 0) &&
      mx_touch_note(work, MX_A_FLUX, index, MX_IN, layer_thing(scene, layer), layer, &place) != 0)
    return work->err->code;
  for (size_t i = 0; i < scene->config->interfaces; i++) {
    if (scene->config->interface[i].kind != MX_TOTAL_FIELD || interface == (int)i) continue;
    place.side = in_total_field(scene, (int)i, e) ? MX_HERE : MX_THERE;
    if (mx_touch_note(work, MX_A_FLUX, index, MX_CROSSES, MX_A_TOTAL_FIELD, (int)i, &place) != 0)
      return work->err->code;
  }
  if (beyond == DG_BOUNDARY || !measure->has_direction) return 0;
  const int32_t own = scene->mesh->volume[e], other = scene->mesh->volume[beyond / 4];
  if (own == other) return 0;
  const bool leaves = dg_dot(measure->direction, scene->problem->normal[e][f]) > 0;
  place.side = leaves == (own < other) ? MX_HERE : MX_THERE;
  place.detail = (int64_t)scene->mesh->entities * (own < other ? own : other) + (own < other ? other : own);
  return mx_touch_note(work, MX_A_FLUX, index, MX_CROSSES, MX_A_FLUX, index, &place);
}

static int look_at_fluxes(struct mx_touch_work *work)
{
  const struct mx_touch_scene *scene = work->scene;
  for (size_t i = 0; i < scene->config->output.measures; i++) {
    const struct mx_measure_config *measure = &scene->config->output.measure[i];
    if (measure->kind != &mx_fluxes.reads) continue;
    for (size_t e = 0; e < scene->mesh->K; e++)
      for (int f = 0; f < 4; f++) {
        const int32_t surface = scene->mesh->surface[e][f];
        if (surface < 0 || mx_selector_fit(&measure->on, scene->mesh, (size_t)surface) == 0) continue;
        if (look_at_flux_face(work, (int)i, e, f) != 0) return work->err->code;
      }
  }
  return 0;
}

/* ---- plane waves through walls ---- */

static bool is_boundary(const struct mx_touch_scene *scene, size_t e, int f, int index)
{
  return scene->assignment->boundary[e][f] == index;
}

/* Where a wave has the time of its waveform: along its way, at its origin or at the first point of its surface, m. */
static int find_begin(const struct mx_touch_work *work, int index, double *begin)
{
  const struct mx_touch_scene *scene = work->scene;
  const struct mx_plane_wave *wave = &scene->config->boundary[index].wave;
  *begin = wave->has_origin ? dg_dot(wave->origin, wave->direction) : INFINITY;
  if (wave->has_origin) return 0;
  for (size_t e = 0; e < scene->mesh->K; e++)
    for (int f = 0; f < 4; f++)
      for (int v = 0; v < 4 && scene->assignment->boundary[e][f] == index; v++)
        if (v != f) *begin = fmin(*begin, dg_dot(scene->mesh->vertex[scene->mesh->element[e][v]], wave->direction));
  return dg_comm_reduce(scene->problem->comm, DG_MIN, 1, begin, work->err);
}

/* Says whether the waves of two walls are one. */
static bool are_one(const struct mx_config *config, int a, int b, const double *begin)
{
  struct mx_plane_wave one = config->boundary[a].wave, other = config->boundary[b].wave;
  const double close = 1e-9; /* of the larger one, which may be 0 */
  if (fabs(begin[a] - begin[b]) > close * fmax(fabs(begin[a]), fabs(begin[b])) + 1e-15) return false;
  one.has_origin = other.has_origin = true;
  memcpy(other.origin, one.origin, sizeof other.origin);
  return mx_same_wave(&one, &other);
}

static int look_beside_wave(struct mx_touch_work *work, int index, const double *begin)
{
  const struct mx_touch_scene *scene = work->scene;
  const struct mx_config *config = scene->config;
  const struct mx_plane_wave *wave = &config->boundary[index].wave;
  const struct mx_source_check check = {
      .problem = scene->problem, .assignment = scene->assignment, .config = config, .mesh = scene->mesh};
  const double close = 0.01; /* share of the wave */
  struct edges edges;
  if (find_edges(work, is_boundary, index, &edges) != 0) goto fail;
  for (size_t e = 0; e < scene->mesh->K && edges.count > 0; e++)
    for (int f = 0; f < 4; f++) {
      const int boundary = scene->assignment->boundary[e][f], interface = interface_of(scene, e, f);
      const enum mx_thing sheet = mx_touch_interface(config, interface),
                          thing = sheet != MX_NO_THING ? sheet : mx_touch_wall(config, boundary);
      const int number = sheet != MX_NO_THING ? interface : boundary;
      struct mx_touch_place place = {.e = e, .f = f};
      const char *kind;
      if (thing == MX_NO_THING || (sheet == MX_NO_THING && boundary == index) || !touches(work, &edges, e, f)) continue;
      if (thing == MX_A_WAVE_WALL) {
        if (boundary < index || are_one(config, index, boundary, begin)) continue;
      } else {
        const double impedance = sheet != MX_NO_THING ? 0 : mx_wave_wall(&check, e, f, &kind);
        place.off = mx_wave_misfit(wave, scene->problem->normal[e][f], impedance);
        if (place.off <= close) continue;
      }
      if (mx_touch_note(work, thing, number, MX_BESIDE, MX_A_WAVE_WALL, index, &place) != 0) goto fail;
    }
fail:
  dg_free(edges.edge);
  return work->err->code;
}

/* ---- far fields ---- */

static bool on_image(const struct mx_far_field *far, const struct dg_mesh *mesh, size_t e, int f)
{
  for (size_t i = 0; i < far->config->images; i++) {
    const struct mx_image_config *image = &far->config->image[i];
    bool on = true;
    for (int v = 0; v < 4; v++)
      on = on &&
           (v == f || fabs(mesh->vertex[mesh->element[e][v]][image->axis] - image->at) < 1e-6 * far->surface.radius);
    if (on) return true;
  }
  return false;
}

/* Says whether an element inside has something that scatters. */
static bool scatters(const struct mx_touch_scene *scene, const struct mx_far_field *far, size_t e)
{
  const struct mx_problem *problem = scene->problem;
  size_t entry;
  for (int f = 0; f < 4; f++)
    if (mx_face_has_term(problem, e, f) || (problem->neighbour[e][f] < 0 && !on_image(far, scene->mesh, e, f)))
      return true;
  return fabs(problem->epsilon[e] / far->surface.epsilon - 1) > 1e-9 ||
         fabs(problem->mu[e] / far->surface.mu - 1) > 1e-9 || mx_relaxation_rate(problem, e) > 0 ||
         problem->tensor[e] != 0 || mx_problem_response(problem, e, &entry) != NULL;
}

/* A wave has a value for each node; what its far field is, is that of what scatters it. */
static bool sends(const struct mx_touch_scene *scene, size_t t)
{
  const struct mx_source *source = &scene->sources->list.source[t];
  return source->lag == NULL && (!source->port || source->driven);
}

static int look_outside(struct mx_touch_work *work, int index)
{
  const struct mx_touch_scene *scene = work->scene;
  const struct mx_problem *problem = scene->problem;
  const struct mx_far_field *far = &scene->far->field[index];
  const bool *inside = far->surface.inside;
  int64_t within = 0;
  for (size_t e = 0; e < problem->K; e++) within += inside[scene->mesh->volume[e]] && scatters(scene, far, e);
  for (size_t t = 0; t < problem->terms; t++)
    for (size_t k = 0; k < problem->term[t].count; k++) {
      const struct mx_term *term = &problem->term[t];
      const size_t e = (size_t)(term->kind == MX_CURRENT ? term->where[k] : term->where[k] / 4);
      within += inside[scene->mesh->volume[e]] || !sends(scene, t);
    }
  if (dg_comm_reduce_int(problem->comm, DG_SUM, 1, &within, work->err) != 0) return work->err->code;
  for (size_t t = 0; t < problem->terms; t++)
    for (size_t k = 0; k < problem->term[t].count && sends(scene, t); k++) {
      const struct mx_term *term = &problem->term[t];
      const bool current = term->kind == MX_CURRENT;
      const struct mx_touch_place place = {.e = (size_t)(current ? term->where[k] : term->where[k] / 4),
                                           .f = current ? -1 : term->where[k] % 4};
      if (inside[scene->mesh->volume[place.e]]) continue;
      if (mx_touch_note(work, current ? MX_A_CURRENT : MX_A_JUMP, (int)t, within > 0 ? MX_OUTSIDE : MX_ALONE,
                        MX_A_FAR_FIELD, index, &place) != 0)
        return work->err->code;
    }
  for (size_t e = 0; e < problem->K; e++)
    for (int f = 0; f < 4; f++) {
      const int boundary = scene->assignment->boundary[e][f];
      const struct mx_touch_place place = {.e = e, .f = f};
      if (inside[scene->mesh->volume[e]] || layer_of(scene, e) >= 0 || on_image(far, scene->mesh, e, f)) continue;
      if (mx_touch_note(work, mx_touch_wall(scene->config, boundary), boundary, MX_OUTSIDE, MX_A_FAR_FIELD, index,
                        &place) != 0)
        return work->err->code;
    }
  return 0;
}

static int look_beside_waves(struct mx_touch_work *work)
{
  const struct mx_config *config = work->scene->config;
  double *begin;
  if (DG_NEW(begin, config->boundaries, work->err) != 0) return work->err->code;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < config->boundaries; i++) {
      if (mx_walls[config->boundary[i].kind].entering != MX_WAVE) continue;
      if ((pass == 0 ? find_begin(work, (int)i, &begin[i]) : look_beside_wave(work, (int)i, begin)) != 0) goto fail;
    }
fail:
  dg_free(begin);
  return work->err->code;
}

int mx_touch_find(struct mx_touch_work *work)
{
  const struct mx_touch_scene *scene = work->scene;
  if (look_in_layers(work) != 0) return work->err->code;
  for (size_t i = 0; i < scene->config->interfaces; i++)
    if (scene->config->interface[i].kind == MX_TOTAL_FIELD && look_at_total_field(work, (int)i) != 0)
      return work->err->code;
  if (look_at_fluxes(work) != 0) return work->err->code;
  if (look_beside_waves(work) != 0) return work->err->code;
  for (size_t i = 0; i < scene->far->count; i++)
    if (look_outside(work, (int)i) != 0) return work->err->code;
  return 0;
}
