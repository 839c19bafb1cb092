/* Finds the incident plane wave and evaluates it at a frequency. far_field.c and far_result.c call it. */
#include "maxwell/far/far_incident.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libdg/mesh/mesh.h"
#include "maxwell/model/selectors.h"

static const double pi = 3.14159265358979323846;

static double along(const struct mx_far_incident *incident, const double x[3])
{
  double sum = 0;
  for (int c = 0; c < 3; c++) sum += incident->direction[c] * x[c];
  return incident->index / MX_C0 * sum;
}

/* Without an origin the wave comes in where its surface meets it first: at a vertex. */
static int find_begin(struct mx_far_incident *incident, const struct mx_plane_wave *wave, int interface,
                      const struct mx_assignment *assignment, const struct mx_source_list *list,
                      const struct dg_mesh *mesh, struct dg_error *err)
{
  incident->begin = INFINITY;
  if (wave->has_origin) {
    incident->begin = along(incident, wave->origin);
    return 0;
  }
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      const int surface = mesh->surface[e][f];
      if (surface < 0 || assignment->interface[surface] != interface) continue;
      for (int i = 0; i < 4; i++)
        if (i != f) incident->begin = fmin(incident->begin, along(incident, mesh->vertex[mesh->element[e][i]]));
    }
  return dg_comm_reduce(list->problem->comm, DG_MIN, 1, &incident->begin, err);
}

/* The medium along the surface, of any of its elements. */
static int find_medium(struct mx_far_incident *incident, int interface, const struct mx_assignment *assignment,
                       const struct mx_source_list *list, const struct dg_mesh *mesh, struct dg_error *err)
{
  const struct mx_problem *problem = list->problem;
  double most[2] = {0, 0};
  for (size_t e = 0; e < mesh->K; e++)
    for (int f = 0; f < 4; f++) {
      const int surface = mesh->surface[e][f];
      if (surface < 0 || assignment->interface[surface] != interface) continue;
      most[0] = problem->epsilon[e];
      most[1] = problem->mu[e];
    }
  if (dg_comm_reduce(problem->comm, DG_MAX, 2, most, err) != 0) return err->code;
  incident->index = sqrt(most[0] * most[1]);
  incident->admittance = sqrt(most[0] / most[1]);
  return 0;
}

int mx_far_incident_find(struct mx_far_incident *incident, const struct mx_config *config,
                         const struct mx_source_list *list, const struct mx_assignment *assignment,
                         const struct dg_mesh *mesh, struct dg_log *log, struct dg_error *err)
{
  size_t count = 0, which = 0;
  char name[128], what[160];
  *incident = (struct mx_far_incident){0};
  for (size_t i = 0; i < config->interfaces; i++)
    if (config->interface[i].kind == MX_TOTAL_FIELD) count++, which = i;
  if (count > 1)
    dg_log_warning(log,
                   "output.far_field: there are %zu surfaces of total field; far fields are given without a wave that "
                   "comes in, and not as cross-sections",
                   count);
  if (count != 1) return 0;
  const struct mx_interface_config *interface = &config->interface[which];
  const struct mx_plane_wave *wave = &interface->wave;
  mx_selector_name(&interface->where, name, sizeof name);
  snprintf(what, sizeof what, "interfaces.%s", name);
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->source[i].what, what) == 0) incident->source = &list->source[i];
  if (incident->source == NULL) return 0;
  incident->present = true;
  incident->inside = &interface->inside;
  incident->amplitude = wave->amplitude;
  memcpy(incident->direction, wave->direction, sizeof incident->direction);
  memcpy(incident->polarisation, wave->polarisation, sizeof incident->polarisation);
  if (find_medium(incident, (int)which, assignment, list, mesh, err) != 0) return err->code;
  return find_begin(incident, wave, (int)which, assignment, list, mesh, err);
}

double complex mx_far_incident_spectrum(const struct mx_far_incident *incident, double hertz, double step, double end)
{
  const struct mx_source *source = incident->source;
  const long steps = (long)ceil(end / step);
  double complex sum = 0;
  for (long n = 0; n <= steps; n++) {
    const double t = step * (double)n, cycles = hertz * t;
    sum += step * mx_waveform_at(&source->waveform, t - source->delay) * cexp(-2 * I * pi * (cycles - floor(cycles)));
  }
  return incident->amplitude * sum * cexp(2 * I * pi * hertz * incident->begin);
}

void mx_far_incident_at(const struct mx_far_incident *incident, double hertz, const double x[3],
                        double complex field[6])
{
  const double complex phase = cexp(-2 * I * pi * hertz * along(incident, x));
  const double *d = incident->direction, *p = incident->polarisation;
  for (int c = 0; c < 3; c++) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    field[c] = p[c] * phase;
    field[3 + c] = incident->admittance * (d[a] * p[b] - d[b] * p[a]) * phase;
  }
}
