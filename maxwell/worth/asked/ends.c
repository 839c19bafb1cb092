/* Doubts transforms of records that still ring. maxwell/worth/tail.h has the estimate. */
#include "maxwell/worth/asked/asked.h"

#include <math.h>
#include <stdio.h>

/* Does a source go on for ever? */
static bool goes_on(const struct mx_asked_place *place)
{
  for (size_t i = 0; i < place->sources->list.count; i++) {
    const struct mx_source *source = &place->sources->list.source[i];
    if (source->function != NULL || (source->port && !source->driven)) continue;
    if (!isfinite(mx_waveform_end(&source->waveform, 1e-3))) return true;
  }
  return false;
}

static int judge(const struct mx_asked_place *place, const char *key, const char *name, const struct mx_tail *tail,
                 struct dg_comm *comm, struct dg_error *err)
{
  struct mx_tail_worth worth;
  if (mx_tail_judge(tail, comm, &worth, err) != 0) return err->code;
  if (!worth.known || worth.error < MX_TAIL_DOUBT || mx_doubt_find(place->doubts, MX_DOUBT_RECORD, key, name) != NULL)
    return 0;
  mx_doubt(place->doubts, place->log, MX_DOUBT_RECORD, key, name,
           "%s: the run ends while what '%s' has still rings: at %.6g Hz its transform is wrong by about %.2g %%, and "
           "powers and losses by twice that; give time.stop (or time.decay) more",
           key, name, tail->hertz[worth.at], 100 * fmin(worth.error, 10));
  return 0;
}

int mx_doubt_ends(const struct mx_asked_place *place, const struct mx_far_fields *far, const struct mx_phasors *phasors,
                  const struct mx_records *records, struct dg_error *err)
{
  if (goes_on(place)) return 0;
  for (size_t i = 0; dg_comm_rank(place->problem->comm) == 0 && i < place->measures->count; i++) {
    const struct mx_measure_config *config = place->measures->measure[i].config;
    char key[64];
    snprintf(key, sizeof key, "output.%s", config->kind->key);
    if (config->frequencies.count > 0 && judge(place, key, config->name, &records->record[i].tail, NULL, err) != 0)
      return err->code;
  }
  for (size_t i = 0; i < far->count; i++)
    if (judge(place, "output.far_field", far->field[i].config->name, &far->field[i].sums.tail, place->problem->comm,
              err) != 0)
      return err->code;
  for (size_t i = 0; i < phasors->count; i++)
    if (judge(place, "output.spectra", phasors->phasor[i].config->name, &phasors->phasor[i].tail, place->problem->comm,
              err) != 0)
      return err->code;
  return 0;
}
