/* A profile as text, for people and for programs. */
#pragma once

#include <stdio.h>

#include "libdg/base/log.h"
#include "maxwell/shell/profile.h"

/* A table, longest phase first: seconds, share, calls, GB/s, GFLOP/s (where they are counted). */
void mx_phases_log(const struct mx_profile *profile, struct dg_log *log);
/* { "seconds": sum, "phases": [ { "name", "calls", "seconds", "bytes", "flops" }, ... ] }, in the same order. */
void mx_phases_write(const struct mx_profile *profile, FILE *file);
