/* Chooses how often running transforms take samples, from what the sources' waveforms hold. sampling.h says how. */
#include "maxwell/transform/sampling.h"

#include <math.h>
#include <stdio.h>

#include "libdg/base/memory.h"
#include "maxwell/model/waveform_energy.h"

/* What the waveforms of a run hold. */
struct contents {
  bool known;     /* all sources have waveforms */
  double highest; /* Hz: the energy above is a 1e-10th part */
  double *weak;   /* [frequencies] largest share of a source's greatest spectral density, by amplitude */
};

static double highest_of(const struct mx_waveform_energy *energy)
{
  const double left_out = 1e-10;
  double above = 0;
  for (size_t b = energy->bins; b > 0; b--) {
    above += energy->power[b - 1];
    if (above > left_out * energy->total) return (double)b * energy->width;
  }
  return 0;
}

/* The share of the greatest density that the spectrum has at a frequency, by amplitude. */
static double share_at(const struct mx_waveform_energy *energy, double hertz)
{
  const size_t bin = (size_t)fmax(0, round(hertz / energy->width));
  double most = 0, here = 0;
  for (size_t b = 0; b < energy->bins; b++) {
    most = fmax(most, energy->power[b]);
    if (b + 1 >= bin && b <= bin + 1) here = fmax(here, energy->power[b]);
  }
  return most > 0 ? sqrt(here / most) : 0;
}

static int look_at_sources(const struct mx_sampling_place *place, const struct mx_frequencies *frequencies,
                           struct contents *contents, struct dg_error *err)
{
  const struct mx_source_list *list = place->list;
  *contents = (struct contents){.known = !mx_has_initial_fields(place->config)};
  if (DG_NEW(contents->weak, frequencies->count, err) != 0) return err->code;
  for (size_t i = 0; i < list->count; i++) {
    const struct mx_source *source = &list->source[i];
    /* A waveform that is a function is known until the run ends, where its table does. */
    const double end = source->table_time != NULL ? place->step * (double)place->steps : INFINITY;
    const struct mx_waveform_use use = {.shift = source->delay, .end = end, .step = place->step};
    struct mx_waveform_energy energy = {0};
    if (source->function != NULL) contents->known = false;
    if (source->function != NULL || (source->port && !source->driven)) continue;
    if (mx_waveform_energy_init(&energy, &source->waveform, &use, err) == 0 && energy.total > 0) {
      contents->highest = fmax(contents->highest, highest_of(&energy));
      for (size_t k = 0; k < frequencies->count; k++)
        contents->weak[k] = fmax(contents->weak[k], share_at(&energy, frequencies->hertz[k]));
    }
    mx_waveform_energy_release(&energy);
    if (err->code != DG_OK) return err->code;
  }
  return 0;
}

static double highest_frequency(const struct mx_frequencies *frequencies)
{
  double most = 0;
  for (size_t k = 0; k < frequencies->count; k++) most = fmax(most, frequencies->hertz[k]);
  return most;
}

/* A sample every `every` steps has a rate R, and what the fields have at R - f is taken for f. With R above the highest
 * frequency of the sources plus the highest wanted one there is nothing at R - f; a tenth is added, and R is at least
 * four times what is wanted. */
static long choose_every(const struct mx_sampling_place *place, const struct mx_sampling_wish *wish,
                         const struct contents *contents)
{
  const double wanted = highest_frequency(wish->frequencies);
  const double rate = fmax(4 * wanted, 1.1 * (contents->highest + wanted));
  if (wish->every > 0) return wish->every;
  if (!contents->known) return 1;
  return (long)fmax(1, floor(1 / (rate * place->step)));
}

static void warn_of_contents(const struct mx_sampling_place *place, const struct mx_sampling_wish *wish,
                             const struct contents *contents)
{
  const double least = place->config->precision == MX_DOUBLE ? 1e-4 : 1e-3;
  size_t weak = 0, worst = 0;
  for (size_t k = 0; contents->known && k < wish->frequencies->count; k++) {
    weak += contents->weak[k] < least;
    if (contents->weak[k] < contents->weak[worst]) worst = k;
  }
  if (weak > 0)
    mx_doubt(place->doubts, place->log, MX_DOUBT_SOURCES, wish->key, wish->name,
             "%s: the sources carry next to nothing at %zu of the %zu frequencies of '%s': at %.6g Hz "
             "%.2g of the largest of their spectra; what is given there is noise",
             wish->key, weak, wish->frequencies->count, wish->name, wish->frequencies->hertz[worst],
             contents->weak[worst]);
}

int mx_sampling_choose(long *every, const struct mx_sampling_place *place, const struct mx_sampling_wish *wish,
                       struct dg_error *err)
{
  struct contents contents;
  if (look_at_sources(place, wish->frequencies, &contents, err) != 0) goto fail;
  *every = choose_every(place, wish, &contents);
  warn_of_contents(place, wish, &contents);
  const double rate = 1 / ((double)*every * place->step), wanted = highest_frequency(wish->frequencies);
  if (2 * wanted > rate) {
    (void)dg_fail(err, DG_INPUT,
                  MX_PLACE "%s: '%s' cannot tell %g Hz, a sample every %g s reaches to %.4g Hz; lower 'every' or the "
                           "frequency",
                  MX_AT(wish->where), wish->key, wish->name, wanted, 1 / rate, rate / 2);
    goto fail;
  }
  if (contents.known && rate < contents.highest + wanted)
    mx_doubt(
        place->doubts, place->log, MX_DOUBT_SAMPLES, wish->key, wish->name,
        "%s: '%s' takes a sample every %ld steps; what the sources have between %.4g and %.4g Hz is then taken for "
        "frequencies that are asked for",
        wish->key, wish->name, *every, rate - wanted, contents.highest);
fail:
  dg_free(contents.weak);
  return err->code;
}

int mx_sampling_archive(long *every, struct mx_running *running, double step, const char *name,
                        struct mx_archive *archive, struct dg_error *err)
{
  char array[80];
  long kept = *every;
  (void)snprintf(array, sizeof array, "%.60s/every", name);
  if (mx_archive_longs(archive, array, 1, &kept, err) != 0) return err->code;
  if (kept < 1) return dg_fail(err, DG_ENVIRONMENT, "the checkpoint has a sample of '%s' every %ld steps", name, kept);
  *every = kept;
  running->interval = (double)kept * step;
  return 0;
}

/* ---- samples that the script has chosen */

/* The largest energy of the bins about a frequency. */
static double energy_at(const struct mx_waveform_energy *energy, double hertz)
{
  const long bin = lround(fabs(hertz) / energy->width);
  double most = 0;
  for (long b = bin > 0 ? bin - 1 : 0; b <= bin + 1 && b < (long)energy->bins; b++) most = fmax(most, energy->power[b]);
  return most;
}

/* What a pulse has at the frequencies that samples at this rate take for `hertz`, over what it has there: by amplitude.
 */
static double folded(const struct mx_waveform_energy *energy, double hertz, double rate)
{
  const double top = energy->width * (double)energy->bins, here = energy_at(energy, hertz);
  double sum = 0;
  for (double at = rate; at - hertz < top; at += rate)
    sum += sqrt(energy_at(energy, at - hertz)) + sqrt(energy_at(energy, at + hertz));
  return sum > 0 ? sum / sqrt(fmax(here, 1e-24 * energy->total)) : 0;
}

static void judge_waveform(const struct mx_sampling_place *place, const struct mx_sampling_wish *wish,
                           const char *source, const struct mx_waveform_energy *energy)
{
  const double much = 0.01, most = 0.1, rate = 1 / ((double)wish->every * place->step);
  const struct mx_frequencies *frequencies = wish->frequencies;
  double worst = 0, at = 0;
  for (size_t k = 0; k < frequencies->count; k++) {
    const double here = folded(energy, frequencies->hertz[k], rate);
    if (here > worst) worst = here, at = frequencies->hertz[k];
  }
  if (worst > much)
    mx_doubt(place->doubts, place->log, MX_DOUBT_SAMPLES, wish->key, wish->name,
             "%s: '%s' takes a sample every %ld steps, %.4g a second: at %.4g Hz it takes in %.2g times as much of "
             "other frequencies of %s, which such samples cannot tell from it; lower 'every'",
             wish->key, wish->name, wish->every, rate, at, worst, source);
  const double above = mx_waveform_energy_above(energy, rate / 2);
  if (frequencies->count == 0 && above > most)
    mx_doubt(
        place->doubts, place->log, MX_DOUBT_SAMPLES, wish->key, wish->name,
        "%s: '%s' has a row every %ld steps, which tell frequencies up to %.4g Hz, and %.3g %% of the energy of %s "
        "lies above: the rows do not show the pulse, nor does a transform of them; lower 'every'",
        wish->key, wish->name, wish->every, rate / 2, 100 * above, source);
}

int mx_sampling_judge(const struct mx_sampling_place *place, const struct mx_sampling_wish *wish, struct dg_error *err)
{
  for (size_t i = 0; i < place->list->count; i++) {
    const struct mx_source *source = &place->list->source[i];
    const struct mx_waveform_use use = {
        .shift = source->delay, .end = place->step * (double)place->steps, .step = place->step};
    struct mx_waveform_energy energy = {0};
    if (source->function != NULL || (source->port && !source->driven)) continue;
    if (mx_waveform_energy_init(&energy, &source->waveform, &use, err) == 0 && energy.total > 0)
      judge_waveform(place, wish, source->what, &energy);
    mx_waveform_energy_release(&energy);
    if (err->code != DG_OK) return err->code;
  }
  return 0;
}
