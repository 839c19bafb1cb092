/* Reconciles the modes of several records, and judges them. resonances.c calls it. */
#include "maxwell/resonance/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"

static const double two_pi = 6.283185307179586477;

/* A mode of a record. */
struct candidate {
  size_t record;
  const struct mx_ringing *mode;
  bool used;
};

static int surest_first(const void *a, const void *b)
{
  const struct candidate *one = a, *other = b;
  return (one->mode->error > other->mode->error) - (one->mode->error < other->mode->error);
}

static int by_frequency(const void *a, const void *b)
{
  const struct mx_resonance *one = a, *other = b;
  return (one->mode.frequency > other->mode.frequency) - (one->mode.frequency < other->mode.frequency);
}

/* How far apart two records may have one resonance (Hz). What the errors do not know of, a wave that is still on its
 * way or a mode that is too weak to be fitted, moves a line by some hundredths of what the record resolves. */
static double tolerance(const struct mx_heard *heard, const struct candidate *a, const struct candidate *b)
{
  const double errors = 6, share = 0.02;
  const double length = fmin(heard[a->record].length, heard[b->record].length);
  return errors * hypot(a->mode->error * a->mode->frequency, b->mode->error * b->mode->frequency) + share / length;
}

/* The unused mode of a record that is nearest to the leader, within the tolerance; NULL: none. */
static struct candidate *nearest(const struct mx_heard *heard, const struct candidate *leader,
                                 struct candidate *candidate, size_t candidates, size_t record)
{
  struct candidate *best = NULL;
  double least = INFINITY;
  for (size_t i = 0; i < candidates; i++) {
    struct candidate *one = &candidate[i];
    const double apart =
        hypot(one->mode->frequency - leader->mode->frequency, (one->mode->decay - leader->mode->decay) / two_pi);
    if (one->used || one->record != record || apart > tolerance(heard, leader, one) || apart >= least) continue;
    least = apart;
    best = one;
  }
  return best;
}

/* Gathers the resonance of a leader from all records. */
static void gather(const struct mx_heard *heard, size_t records, struct candidate *leader, struct candidate *candidate,
                   size_t candidates, struct mx_resonance *resonance)
{
  const double rounding = 1e-13;
  double weights = 0, frequency = 0, decay = 0, square = 0, low = INFINITY, high = 0;
  *resonance = (struct mx_resonance){.mode = *leader->mode, .label = heard[leader->record].label, .of = records};
  leader->used = true;
  for (size_t r = 0; r < records; r++) {
    struct candidate *one = r == leader->record ? leader : nearest(heard, leader, candidate, candidates, r);
    if (one == NULL) continue;
    const double weight = 1 / pow(one->mode->error + rounding, 2);
    one->used = true;
    resonance->seen++;
    weights += weight;
    frequency += weight * one->mode->frequency;
    decay += weight * one->mode->decay;
    square += weight * pow(one->mode->frequency / leader->mode->frequency - 1, 2);
    low = fmin(low, one->mode->frequency);
    high = fmax(high, one->mode->frequency);
  }
  resonance->mode.frequency = frequency / weights;
  resonance->mode.decay = decay / weights;
  resonance->spread = (high - low) / resonance->mode.frequency;
  /* records that differ by more than their errors have errors that are too small (R. T. Birge, Phys. Rev. 40 (1932)
   * 207) */
  const double mean = resonance->mode.frequency / leader->mode->frequency - 1;
  const double scatter = fmax(square - weights * mean * mean, 0) / fmax((double)resonance->seen - 1, 1);
  resonance->mode.error = sqrt(fmax(scatter, 1) / weights);
}

static void add_doubt(struct mx_resonance *resonance, const char *format, ...) DG_PRINTF(2, 3);

static void add_doubt(struct mx_resonance *resonance, const char *format, ...)
{
  const size_t used = strlen(resonance->doubt), size = sizeof resonance->doubt;
  const int separator = snprintf(resonance->doubt + used, size - used, "%s", used > 0 ? "; " : "");
  va_list values;
  if (separator < 0 || used + (size_t)separator >= size) return;
  va_start(values, format);
  (void)vsnprintf(resonance->doubt + used + separator, size - used - (size_t)separator, format, values);
  va_end(values);
}

/* Notes what speaks against a resonance in the records: a mode that none but one of many records has is what is left of
 * others. */
static void judge_records(const struct mx_resonance_config *config, double length, double strongest,
                          struct mx_resonance *resonance)
{
  const double weak = 1e-4, few = 10, low = 50;
  const size_t many = 6;
  const struct mx_ringing *mode = &resonance->mode;
  if (mode->error > config->error) add_doubt(resonance, "the error %.2g is above %.2g", mode->error, config->error);
  if (mode->amplitude < weak * strongest)
    add_doubt(resonance, "it has %.2g of the strongest amplitude in its record", mode->amplitude / strongest);
  if (mode->frequency * length < few)
    add_doubt(resonance, "the record has only %.3g periods of it", mode->frequency * length);
  if (resonance->seen < 2 && resonance->of >= many)
    add_doubt(resonance, "only one of %zu records has it", resonance->of);
  else if (resonance->seen < 2 && mode->decay > 0 && mx_ringing_q(mode) < low)
    add_doubt(resonance, "Q is below %g and only one record has it", low);
}

/* Notes what speaks against its Q. `share` of the losses may be the flux's, whose Q is known to a factor of three. */
static void judge_decay(const struct mx_grid_loss *loss, struct mx_resonance *resonance)
{
  const double sure = 3, share = 0.1, vague = 3;
  const struct mx_ringing *mode = &resonance->mode;
  const double unsure = mode->error * two_pi * mode->frequency; /* of the decay, 1/s */
  const double of_flux = mx_grid_q(loss, mode->frequency);
  if (mode->decay < -sure * unsure) add_doubt(resonance, "it grows");
  else if (mode->decay < sure * unsure)
    add_doubt(resonance, "it hardly decays within the record: Q is above %.2g",
              0.5 * two_pi * mode->frequency / (fmax(mode->decay, 0) + 2 * unsure));
  else if (loss->alpha > 0 && mx_ringing_q(mode) > share / vague * of_flux)
    add_doubt(resonance, "the flux takes part of its energy: alone it leaves a Q of about %.2g on this mesh", of_flux);
}

/* Notes what mesh and flux cannot tell. A flux that does not damp leaves what the mesh cannot hold ringing, at
 * frequencies of its own, differently at every place: only what most records have, without anything beside it, is more
 * than that. */
static void judge_mesh(const struct mx_grid_loss *loss, struct mx_resonance *resonance)
{
  const double clear = 1e-5;
  const struct mx_ringing *mode = &resonance->mode;
  if (mx_grid_q(loss, mode->frequency) < MX_GRID_Q_HELD)
    add_doubt(resonance, "the mesh is too coarse for waves of this frequency");
  if (loss->alpha < MX_FLUX_DAMPS && (mode->error > clear || 2 * resonance->seen < resonance->of))
    add_doubt(resonance, "flux = %g lets what the mesh cannot hold ring on and this may be a part of it", loss->alpha);
}

int mx_reconcile(const struct mx_resonance_config *config, const struct mx_grid_loss *loss,
                 const struct mx_heard *heard, size_t records, struct mx_resonance **resonance, size_t *count,
                 struct dg_error *err)
{
  size_t candidates = 0, ringing = 0;
  struct candidate *candidate = NULL;
  *resonance = NULL;
  *count = 0;
  for (size_t r = 0; r < records; r++) {
    candidates += heard[r].count;
    ringing += heard[r].count > 0;
  }
  if (candidates == 0) return 0;
  if (DG_NEW(candidate, candidates, err) != 0 || DG_NEW(*resonance, candidates, err) != 0) goto fail;
  for (size_t r = 0, i = 0; r < records; r++)
    for (size_t k = 0; k < heard[r].count; k++)
      candidate[i++] = (struct candidate){.record = r, .mode = &heard[r].mode[k]};
  qsort(candidate, candidates, sizeof *candidate, surest_first);
  for (size_t i = 0; i < candidates; i++) {
    if (candidate[i].used) continue;
    const struct mx_heard *record = &heard[candidate[i].record];
    struct mx_resonance *one = &(*resonance)[(*count)++];
    double strongest = 0;
    for (size_t k = 0; k < record->count; k++) strongest = fmax(strongest, record->mode[k].amplitude);
    gather(heard, records, &candidate[i], candidate, candidates, one);
    one->of = ringing;
    judge_records(config, record->length, strongest, one);
    judge_decay(loss, one);
    judge_mesh(loss, one);
  }
  qsort(*resonance, *count, sizeof **resonance, by_frequency);
fail:
  dg_free(candidate);
  return err->code;
}
