/* Makes one list of resonances from what several records have, and says which to doubt.
 *
 * All records of a run ring at the same frequencies, with different amplitudes. Modes of different records that agree
 * within their errors are one resonance; frequency and decay are means, weighted by the errors. Not collective. */
#pragma once

#include "libdg/base/error.h"
#include "maxwell/model/config.h"
#include "maxwell/resonance/ringing.h"
#include "maxwell/time/grid_loss.h"

/* What one record has. */
struct mx_heard {
  const char *label; /* "centre.Ez" */
  double length;     /* s */
  size_t count;
  struct mx_ringing *mode; /* [count] */
};

struct mx_resonance {
  struct mx_ringing mode; /* amplitude and phase are those of the record `label`, where it begins */
  const char *label;      /* the record that has it best; borrowed */
  size_t seen, of;        /* records that have it, and all that ring at all */
  double spread;          /* largest relative difference of the records' frequencies; 0 for one */
  char doubt[600];        /* why not to trust it; empty: nothing is known against it */
};

/* *resonance[*count], ascending, is the caller's (dg_free); NULL if there is none. */
int mx_reconcile(const struct mx_resonance_config *config, const struct mx_grid_loss *loss,
                 const struct mx_heard *heard, size_t records, struct mx_resonance **resonance, size_t *count,
                 struct dg_error *err) DG_MUST_USE;
