/* Writes a profile as text, for people and for programs. run.c and summary.c call it. */
#pragma once

#include <stdio.h>

#include "libdg/base/log.h"
#include "maxwell/shell/profile.h"

/* Logs a table, longest phase first: seconds, share, calls, GB/s, GFLOP/s (where these are counted). Phases of a card
 * have a table of their own, with the part of their time that the card's speed of copies or its peak asks for. */
void mx_phases_log(const struct mx_profile *profile, struct dg_log *log);
/* Writes { "seconds": sum, "phases": [ { "name", "calls", "seconds", "bytes", "flops" }, ... ] }, in the same order; of
 * a card also "card": { "seconds": sum without those beside, "idle", "copy", "peak", "phases": [ the same and "bound",
 * "limit", "beside" ] }. */
void mx_phases_write(const struct mx_profile *profile, FILE *file);
