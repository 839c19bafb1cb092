/* Checks and logs perfectly matched layers and absorbers: layer_report.h. setup_build.c calls it. */
#include "maxwell/setup/reports/layer_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/base/vec3.h"
#include "libdg/geometry/geometry.h"
#include "maxwell/model/selectors.h"

static bool matched(const struct mx_scene *scene)
{
  for (size_t i = 0; i < scene->layers->count; i++)
    if (!scene->layers->shape[i].absorber) return true;
  return false;
}

int mx_check_layers(const struct mx_scene *scene, struct dg_error *err)
{
  if (scene->config->output.balance.every > 0 && matched(scene))
    return dg_fail(err, DG_INPUT,
                   "output.balance does not know what a perfectly matched layer takes up; leave it out of a script "
                   "with layers");
  return 0;
}

static const char *const kind[] = {"box", "sphere", "cylinder"};

/* What is summed over the ranks for a layer: its elements, the bytes of their states, their volume, the area of its
 * inner wall, the faces at its end, and those of them that absorb. */
enum { ELEMENTS, BYTES, VOLUME, WALL, ENDS, ABSORBING, VALUES };

static void corners_of(const struct dg_mesh *mesh, size_t e, int f, double corner[3][3])
{
  for (int v = 0, n = 0; v < 4; v++)
    if (v != f) memcpy(corner[n++], mesh->vertex[mesh->element[e][v]], sizeof corner[0]);
}

static double area_of(const struct mx_problem *problem, size_t e, int f)
{
  return 2 * problem->face_scale[e][f] * problem->jacobian[e];
}

/* Adds what an element of the layer has to the sums. */
static void add_element(const struct mx_scene *scene, size_t layer, size_t e, double sum[VALUES])
{
  const struct dg_mesh *mesh = scene->mesh;
  double middle[3], corner[3][3];
  sum[VOLUME] += 4.0 / 3 * scene->problem->jacobian[e];
  dg_geometry_barycentre(mesh, e, middle);
  for (int f = 0; f < 4; f++) {
    const int32_t beyond = mesh->neighbour[e][f];
    const int boundary = scene->assignment->boundary[e][f];
    if (beyond != DG_BOUNDARY) {
      if (scene->layers->of_volume[mesh->volume[beyond / 4]] < 0) sum[WALL] += area_of(scene->problem, e, f);
      continue;
    }
    corners_of(mesh, e, f, corner);
    if (mx_layer_lie(&scene->layers->shape[layer], middle, (const double(*)[3])corner, scene->problem->normal[e][f]) !=
        MX_LAYER_END)
      continue;
    sum[ENDS] += 1;
    sum[ABSORBING] += boundary >= 0 && mx_walls[scene->config->boundary[boundary].kind].behind == MX_BEHIND_MEDIUM;
  }
}

/* ---- by angle, and at the ends of guides ---- */

/* What ends a guide. */
struct guide_end {
  const char *what; /* "the layer" */
  struct mx_layer_return back;
  double area, normal[3], index; /* of its face; index of the medium: 0, that of the guide */
  double asked;                  /* dB */
};

/* The lowest frequency above the cut-off that the script asks for, or that the port's waveform has; 0: none is known.
 */
static double lowest_above(const struct mx_scene *scene, size_t port, double cutoff)
{
  const struct mx_frequencies *asked = &scene->config->output.s_parameters;
  const struct mx_ports *ports = &scene->sources->ports;
  double lowest = INFINITY;
  for (size_t f = 0; f < asked->count; f++)
    if (asked->hertz[f] > cutoff * (1 + 1e-9)) lowest = fmin(lowest, asked->hertz[f]);
  for (size_t i = 0; i < scene->config->boundaries && !isfinite(lowest); i++) {
    const struct mx_boundary_config *boundary = &scene->config->boundary[i];
    const struct mx_waveform *w = &boundary->port.waveform;
    if (!mx_is_port(boundary->kind) || !boundary->port.driven || boundary->where.where != mx_ports_place(ports, port))
      continue;
    if (w->kind == MX_SINE) lowest = mx_waveform_band(w);
    if (w->kind == MX_MODULATED_GAUSSIAN) lowest = 2 * w->f0 - mx_waveform_band(w);
  }
  return isfinite(lowest) && lowest > cutoff ? lowest : 0;
}

/* The cosine of the angle at which the two waves of a mode run to its guide's axis. */
static double cosine_at(double hertz, double cutoff) { return sqrt(fmax(0, 1 - cutoff / hertz * (cutoff / hertz))); }

/* The frequency from which on no more than `most` dB come back; 0: never. */
static double good_from(const struct mx_layer_return *back, double cutoff, double most)
{
  double low = 0, high = 1; /* cosines */
  if (mx_layer_returns(back, 1) > most) return 0;
  for (int i = 0; i < 60; i++) {
    const double cosine = (low + high) / 2;
    if (mx_layer_returns(back, cosine) > most) low = cosine;
    else high = cosine;
  }
  return cutoff / sqrt(fmax(1 - high * high, 1e-12));
}

/* Says what comes back from the end of a guide, for each port whose face is like the end's. */
static void report_guide_end(const struct mx_scene *scene, const struct guide_end *end)
{
  const struct mx_ports *ports = &scene->sources->ports;
  const double alike = 0.1, degrees = 180 / acos(-1), much = -40;
  for (size_t i = 0; i < ports->count; i++) {
    const struct mx_port_line line = mx_ports_line(ports, i);
    const double across = fabs(dg_dot(line.normal, end->normal));
    if (line.cutoff == 0 || fabs(end->area / line.area - 1) > alike || across < 0.99) continue;
    const double cutoff = end->index > 0 ? line.cutoff * MX_C0 / line.speed / end->index : line.cutoff;
    const double hertz = lowest_above(scene, i, cutoff), most = fmax(end->asked, much),
                 cosine = hertz > 0 ? cosine_at(hertz, cutoff) : 0, returned = mx_layer_returns(&end->back, cosine),
                 from = good_from(&end->back, cutoff, most);
    char good[80] = "at no frequency less";
    if (from > 0) snprintf(good, sizeof good, "less than %.0f dB from %.4g Hz on", most, from);
    if (hertz == 0) {
      dg_log_line(scene->log, "guide     port '%s', cut-off %.4g Hz, meets %s: %s", mx_ports_name(ports, i), cutoff,
                  end->what, good);
      continue;
    }
    dg_log_line(scene->log,
                "guide     port '%s', cut-off %.4g Hz, meets %s: at %.4g Hz, %.0f degrees off its normal, "
                "%.0f dB come back; %s",
                mx_ports_name(ports, i), cutoff, end->what, hertz, degrees * acos(cosine), returned, good);
    if (returned > most)
      dg_log_warning(
          scene->log,
          "the guide of port '%s' ends in %s, which returns %.2g of its mode at %.4g Hz, the lowest frequency "
          "above the cut-off that is asked for: near its cut-off (%.4g Hz) the mode runs %.0f degrees off the "
          "guide's axis; %s. Begin the band higher, or end the guide in a waveguide_port",
          mx_ports_name(ports, i), end->what, pow(10, returned / 20), hertz, cutoff, degrees * acos(cosine), good);
  }
}

/* A slab has one wall: then sides of the domain run into it. */
static int only_wall(const struct mx_layer_shape *shape)
{
  int walls = 0, way = -1;
  for (int i = 0; i < 3 && shape->kind == MX_LAYER_BOX; i++)
    if (isfinite(shape->low[i]) || isfinite(shape->high[i])) {
      walls += isfinite(shape->low[i]) + isfinite(shape->high[i]);
      way = i;
    }
  return walls == 1 ? way : -1;
}

static void report_angles(const struct mx_scene *scene, const struct mx_layer_shape *shape, const double sum[VALUES],
                          double normal, double index)
{
  static const int angle[] = {0, 45, 60, 75, 85};
  const double edge = cbrt(6 * sqrt(2) * sum[VOLUME] / fmax(sum[ELEMENTS], 1)), radian = acos(-1) / 180;
  const struct mx_layer_return back = {.normal = normal,
                                       .floor = mx_layer_floor(scene->config->order * shape->thickness / edge),
                                       .absorbed = sum[ENDS] > 0 && sum[ABSORBING] == sum[ENDS]};
  char text[120] = "";
  size_t used = 0;
  for (int i = 0; i < 5; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.0f", i > 0 ? ", " : "",
                             mx_layer_returns(&back, cos(radian * angle[i])));
  dg_log_line(scene->log, "layer     at 0, 45, 60, 75 and 85 degrees off its normal %s dB come back", text);
  const int way = only_wall(shape);
  if (way < 0) return;
  struct guide_end end = {
      .what = "the layer", .back = back, .area = sum[WALL], .index = index, .asked = shape->reflection};
  memcpy(end.normal, shape->axis[way], sizeof end.normal);
  report_guide_end(scene, &end);
}

/* Absorbing walls at the end of guides: what they return at an angle is not small. */
static int report_absorbing_walls(const struct mx_scene *scene, struct dg_error *err)
{
  const struct mx_problem *problem = scene->problem;
  for (size_t i = 0; i < scene->config->boundaries && scene->sources->ports.count > 0; i++) {
    double sum[4] = {0}; /* vector area, area */
    char name[128], what[160];
    if (scene->config->boundary[i].kind != MX_ABSORBING) continue;
    for (size_t e = 0; e < problem->K; e++)
      for (int f = 0; f < 4; f++) {
        if (scene->assignment->boundary[e][f] != (int)i) continue;
        const double area = area_of(problem, e, f);
        for (int c = 0; c < 3; c++) sum[c] += area * problem->normal[e][f][c];
        sum[3] += area;
      }
    if (dg_comm_reduce(scene->comm, DG_SUM, 4, sum, err) != 0) return err->code;
    if (sum[3] == 0 || sqrt(dg_dot(sum, sum)) < 0.999 * sum[3]) continue; /* it is no plane */
    mx_selector_name(&scene->config->boundary[i].where, name, sizeof name);
    snprintf(what, sizeof what, "the absorbing wall boundaries.%s", name);
    struct guide_end end = {
        .what = what, .back = {.floor = -INFINITY, .absorbed = true}, .area = sum[3], .asked = -INFINITY};
    for (int c = 0; c < 3; c++) end.normal[c] = sum[c] / sum[3];
    report_guide_end(scene, &end);
  }
  return 0;
}

static int report(const struct mx_scene *scene, size_t layer, struct dg_error *err)
{
  const struct mx_problem *problem = scene->problem;
  const struct mx_layer_shape *shape = &scene->layers->shape[layer];
  const struct mx_scheme *scheme = &mx_schemes[scene->config->time.integrator];
  const double real = scene->config->precision == MX_DOUBLE ? sizeof(double) : sizeof(float);
  const double arrays = scheme->staggered ? 1 : scheme->sums ? 3 : 2;
  double sum[VALUES] = {0}, index = -INFINITY, sigma = 0, followed = 0;
  for (size_t r = 0; r < problem->responses; r++) {
    const struct mx_response *response = &problem->response[r];
    for (size_t k = 0; k < response->count && !mx_response_has_energy(response); k++) {
      const size_t e = (size_t)response->where[k];
      double own[MX_RESPONSE_PARAMETERS];
      if (scene->assignment->layer[e] != (int)layer) continue;
      sum[ELEMENTS] += 1;
      add_element(scene, layer, e, sum);
      sum[BYTES] += real * arrays * 3 * (double)mx_response_places(problem, response->kind) *
                    mx_responses[response->kind]->states;
      index = fmax(index, -sqrt(problem->epsilon[e] * problem->mu[e]));
      (void)mx_response_follow(problem, response, k, scene->config->time.integrator, scene->step * MX_C0, own);
      sigma = fmax(sigma, mx_response_parameter(response, k)[0]);
      followed = fmax(followed, own[0]);
    }
  }
  double most[] = {index, sigma, followed};
  if (dg_comm_reduce(scene->comm, DG_SUM, VALUES, sum, err) != 0 ||
      dg_comm_reduce(scene->comm, DG_MAX, 3, most, err) != 0)
    return err->code;
  const double wanted = mx_layer_sigma_max(shape, -most[0]);
  dg_log_line(scene->log,
              "layer     %s, %.4g m thick, %.0f elements, states of %.3f MB; predicted reflection %.0f dB at normal "
              "incidence%s",
              kind[shape->kind], shape->thickness, sum[ELEMENTS], 1e-6 * sum[BYTES],
              shape->reflection * most[2] / wanted, most[1] < 0.999 * wanted ? ": so few elements carry no more" : "");
  report_angles(scene, shape, sum, shape->reflection * most[2] / wanted, -most[0]);
  return 0;
}

/* An absorber has no states: its losses are those of its elements. */
static int report_absorber(const struct mx_scene *scene, size_t layer, struct dg_error *err)
{
  const struct mx_problem *problem = scene->problem;
  const struct mx_layer_shape *shape = &scene->layers->shape[layer];
  double elements = 0, rate = 0;
  for (size_t e = 0; e < problem->K; e++) {
    if (scene->assignment->absorber[e] != (int)layer) continue;
    elements += 1;
    rate = fmax(rate, problem->sigma_m[e] / problem->mu[e]);
  }
  if (dg_comm_reduce(scene->comm, DG_SUM, 1, &elements, err) != 0 ||
      dg_comm_reduce(scene->comm, DG_MAX, 1, &rate, err) != 0)
    return err->code;
  dg_log_line(scene->log,
              "absorber  %s, %.4g m thick, %.0f elements, fields relax in %.3g s at its end; predicted reflection "
              "%.0f dB at normal incidence, more at an angle",
              kind[shape->kind], shape->thickness, elements, 1 / (rate * MX_C0), shape->reflection);
  return 0;
}

int mx_report_layers(const struct mx_scene *scene, struct dg_error *err)
{
  for (size_t i = 0; i < scene->layers->count; i++)
    if ((scene->layers->shape[i].absorber ? report_absorber : report)(scene, i, err) != 0) return err->code;
  return report_absorbing_walls(scene, err);
}
