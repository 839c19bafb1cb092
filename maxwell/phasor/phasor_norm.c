/* What phasors are divided by: the transform of the waveform, or the wave that brings 1 W. phasors.h has the rules. */
#include <math.h>

#include "libdg/base/memory.h"
#include "maxwell/phasor/phasors.h"

static const double pi = 3.14159265358979323846;

/* Finds the source whose waveform is that of all. */
static int find_source(const struct mx_phasor_place *place, const struct mx_phasor_config *config,
                       const struct mx_source **found, struct dg_error *err)
{
  const struct mx_source_list *list = &place->sources->list;
  *found = NULL;
  for (size_t i = 0; i < list->count; i++) {
    const struct mx_source *source = &list->source[i];
    if (source->port && !source->driven) continue;
    if (source->function != NULL)
      return dg_fail(err, DG_INPUT,
                     MX_PLACE "output.spectra: '%s' cannot be normalised by its source, since %s is a function of "
                              "place and time, and has no waveform",
                     MX_AT(config->where), config->name, source->what);
    if (*found != NULL &&
        ((*found)->delay != source->delay || !mx_waveform_same(&(*found)->waveform, &source->waveform)))
      return dg_fail(err, DG_INPUT,
                     MX_PLACE "output.spectra: '%s' cannot be normalised by its source, since %s and %s have different "
                              "waveforms or delays; use normalise = \"power\" with ports, or \"none\"",
                     MX_AT(config->where), config->name, (*found)->what, source->what);
    *found = source;
  }
  if (*found != NULL && !mx_has_initial_fields(place->config)) return 0;
  return dg_fail(err, DG_INPUT, MX_PLACE "output.spectra: '%s' cannot be normalised by its source: %s",
                 MX_AT(config->where), config->name,
                 *found == NULL ? "the run has none" : "the fields begin with values of their own");
}

/* The transform of the waveform takes four times as many values as the fields': what aliases is then far below theirs.
 */
static int find_transform(struct mx_phasor *phasor, const struct mx_phasor_place *place, struct dg_error *err)
{
  const struct mx_frequencies *frequencies = &phasor->config->frequencies;
  const struct mx_source *source;
  const long every = phasor->every >= 4 ? phasor->every / 4 : 1;
  if (find_source(place, phasor->config, &source, err) != 0 || source == NULL ||
      DG_NEW(phasor->source, frequencies->count, err) != 0)
    return err->code;
  for (long n = 0; n <= place->steps; n += every) {
    const double t = place->step * (double)n, w = mx_waveform_at(&source->waveform, t - source->delay);
    if (w == 0) continue;
    for (size_t k = 0; k < frequencies->count; k++) {
      const double cycles = frequencies->hertz[k] * t;
      phasor->source[k] += (double)every * place->step * w * cexp(-2 * pi * I * (cycles - floor(cycles)));
    }
  }
  return 0;
}

int mx_phasor_norm_init(struct mx_phasor *phasor, const struct mx_phasor_place *place, struct dg_error *err)
{
  const struct mx_phasor_config *config = phasor->config;
  const struct mx_ports *ports = &place->sources->ports;
  bool driven = false;
  if (config->norm == MX_NORM_NONE) return 0;
  if (config->norm == MX_NORM_SOURCE) return find_transform(phasor, place, err);
  for (size_t p = 0; p < ports->count; p++) driven = driven || mx_ports_driven(ports, p);
  if (!driven)
    return dg_fail(err, DG_INPUT, MX_PLACE "output.spectra: '%s' is to be normalised to 1 W, but no port is driven",
                   MX_AT(config->where), config->name);
  return mx_port_powers_new(&phasor->ports, config->frequencies.count, err);
}

void mx_phasor_factors(const struct mx_phasor *phasor, const struct mx_phasor_place *place, size_t frequency,
                       double complex factor[2])
{
  const double hertz = phasor->config->frequencies.hertz[frequency];
  const double lag = mx_staggered(place->config->time.integrator) ? cos(pi * hertz * place->step) : 1;
  factor[0] = 1;
  if (phasor->source != NULL) factor[0] = 1 / phasor->source[frequency];
  if (phasor->ports != NULL) {
    const struct mx_port_powers *ports = &phasor->ports[frequency];
    factor[0] = isnan(ports->incident) ? NAN : 1 / (ports->wave_re + I * ports->wave_im);
  }
  factor[1] = factor[0] / (lag * MX_ETA0);
}
