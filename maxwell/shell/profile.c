/* Begins and ends phases by name, each with its own time. Backends, the watch around them (profiled.c) and the time
 * loop call it through profile.h. */
#include "maxwell/shell/profile.h"

#include <string.h>

#include "libdg/base/bug.h"
#include "libdg/base/clock.h"

struct mx_mark mx_profile_begin(struct mx_profile *profile)
{
  const struct mx_mark mark = {.start = mx_clock(), .inner = profile->inner};
  profile->inner = 0;
  return mark;
}

struct mx_phase *mx_phase_named(struct mx_phase phase[MX_PHASES_MAX], size_t *count, const char *name)
{
  size_t i = 0;
  while (i < *count && strcmp(phase[i].name, name) != 0) i++;
  DG_BUG_IF(i == MX_PHASES_MAX, "more than %d phases", MX_PHASES_MAX);
  if (i == *count) phase[(*count)++] = (struct mx_phase){.name = name};
  return &phase[i];
}

void mx_profile_end(struct mx_profile *profile, struct mx_mark mark, const char *name, struct mx_cost cost)
{
  double whole = mx_clock() - mark.start;
  struct mx_phase *phase = mx_phase_named(profile->phase, &profile->count, name);
  phase->calls++;
  phase->seconds += whole - profile->inner;
  phase->cost.bytes += cost.bytes;
  phase->cost.flops += cost.flops;
  profile->inner = mark.inner + whole;
}
