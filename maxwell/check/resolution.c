/* Reports how well the mesh resolves waves: points per wavelength in each material. check.c calls it. */
#include "maxwell/check/resolution.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "maxwell/model/selectors.h"
#include "maxwell/setup/source_warnings.h"
#include "maxwell/time/responses.h"

/* Where the energy of all driven waveforms lies, Hz: all but a half per cent is above `low`, all but a half per cent
 * below `high`, and half of it below `middle`; of several waveforms the lowest, the highest, and the mean. high is 0
 * where none is known before the run. */
struct band {
  double low, middle, high;
};

/* The frequency above which a part of the energy lies. */
static double frequency_of(const struct mx_waveform_energy *spectrum, double part)
{
  enum { HALVINGS = 40 };
  double low = 0, high = spectrum->width * (double)spectrum->bins;
  for (int i = 0; i < HALVINGS; i++) {
    const double middle = 0.5 * (low + high);
    if (mx_waveform_energy_above(spectrum, middle) > part) low = middle;
    else high = middle;
  }
  return high;
}

static int find_band(const struct mx_scene *scene, struct band *band, struct dg_error *err)
{
  const double edge = 0.005;
  size_t count = 0;
  *band = (struct band){.low = INFINITY};
  for (size_t i = 0; i < scene->sources->list.count; i++) {
    const struct mx_source *source = &scene->sources->list.source[i];
    struct mx_waveform_energy spectrum = {0};
    struct mx_waveform_use use;
    if (source->function != NULL || (source->port && !source->driven)) continue;
    if (mx_source_use(scene, source, &use, err) != 0) return err->code;
    if (mx_waveform_energy_init(&spectrum, &source->waveform, &use, err) == 0 && spectrum.total > 0) {
      band->low = fmin(band->low, frequency_of(&spectrum, 1 - edge));
      band->high = fmax(band->high, frequency_of(&spectrum, edge));
      band->middle += frequency_of(&spectrum, 0.5);
      count++;
    }
    mx_waveform_energy_release(&spectrum);
    if (err->code != DG_OK) return err->code;
  }
  if (count > 0) band->middle /= (double)count;
  return 0;
}

static void report_band(const struct mx_scene *scene, const struct band *band)
{
  if (band->high > 0)
    dg_log_line(scene->log,
                "band      99 %% of the waveforms' energy lies between %.4g and %.4g Hz, its middle at %.4g Hz",
                band->low, band->high, band->middle);
}

/* The longest edge of an element, metres. */
static double longest_edge(const struct dg_mesh *mesh, size_t e)
{
  double longest = 0;
  for (int a = 0; a < 4; a++)
    for (int b = a + 1; b < 4; b++) {
      const double *x = mesh->vertex[mesh->element[e][a]], *y = mesh->vertex[mesh->element[e][b]];
      double d = sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
      if (d > longest) longest = d;
    }
  return longest;
}

/* By which factors the index of a medium with tensors may differ from that of its scalars. */
static void spread_of(const struct mx_tensor *tensor, double spread[2])
{
  double least[2], most[2];
  for (int i = 0; i < 2; i++) mx_tensor_extremes(tensor->shape[i], &least[i], &most[i]);
  spread[0] = sqrt(least[0] * least[1]);
  spread[1] = sqrt(most[0] * most[1]);
}

/* An element of order p has p intervals between nodes along an edge, so a wave of length lambda has p lambda / h points
 * on the coarsest edge h. */
int mx_report_resolution(const struct mx_scene *scene, struct dg_error *err)
{
  struct band band;
  if (find_band(scene, &band, err) != 0) return err->code;
  report_band(scene, &band);
  const struct mx_problem *problem = scene->problem;
  for (size_t m = 0; m < scene->config->materials; m++) {
    int64_t count = 0;
    double range[3] = {0, 0, -INFINITY}; /* coarsest edge, largest and minus smallest index, over all ranks */
    for (size_t e = 0; e < problem->K; e += scene->mesh->paired ? 2 : 1) {
      if (scene->assignment->material[e] != (int)m || dg_mesh_in_layer(scene->mesh, e)) continue;
      /* with a response: from the medium of a fast field to that of a slow one */
      double spread[2] = {1, 1};
      if (problem->tensor[e] > 0) spread_of(mx_tensor_of(problem, e), spread);
      const double least = spread[0] * sqrt(problem->epsilon[e] * problem->mu[e]);
      const double index = spread[1] * sqrt(fmax(mx_storage_at(problem, MX_AMPERE, e, 0), problem->epsilon[e]) *
                                            fmax(mx_storage_at(problem, MX_FARADAY, e, 0), problem->mu[e]));
      const double h = longest_edge(scene->mesh, e) * index;
      count++;
      range[0] = fmax(range[0], h);
      range[1] = fmax(range[1], index);
      range[2] = fmax(range[2], -least);
    }
    if (dg_comm_reduce_int(scene->comm, DG_SUM, 1, &count, err) != 0 ||
        dg_comm_reduce(scene->comm, DG_MAX, 3, range, err) != 0)
      return err->code;
    char name[128];
    mx_selector_name(&scene->config->material[m].where, name, sizeof name);
    if (count == 0) {
      dg_log_line(scene->log, "material  %s: no element", name);
      continue;
    }
    double frequency = MX_C0 * problem->ref->order / (10 * range[0]);
    char points[120];
    if (band.high > 0)
      (void)snprintf(points, sizeof points, "%.3g in the middle of the waveforms' band, %.3g at its upper end",
                     10 * frequency / band.middle, 10 * frequency / band.high);
    else (void)snprintf(points, sizeof points, "%.3g at 1 GHz", 10 * frequency / 1e9);
    dg_log_line(scene->log,
                "material  %s: %" PRId64 " elements, refractive index %.4g to %.4g; 10 points per wavelength at %.4g "
                "Hz, %s",
                name, count, -range[2], range[1], frequency, points);
  }
  return 0;
}
