/* A profile as a table for people and as JSON for programs. run.c and summary.c call it. */
#include "maxwell/shell/phases.h"

#include "libdg/base/text.h"

/* Sorts the phases by descending time into order[count]; returns the sum of their seconds. */
static double sort(const struct mx_profile *profile, size_t order[MX_PHASES_MAX])
{
  double sum = 0;
  for (size_t i = 0; i < profile->count; i++) {
    size_t at = i;
    for (; at > 0 && profile->phase[order[at - 1]].seconds < profile->phase[i].seconds; at--) order[at] = order[at - 1];
    order[at] = i;
    sum += profile->phase[i].seconds;
  }
  return sum;
}

void mx_phases_log(const struct mx_profile *profile, struct dg_log *log)
{
  size_t order[MX_PHASES_MAX];
  double sum = sort(profile, order);
  dg_log_line(log, "profile   %-20s %10s %10s %6s %8s %8s", "phase", "calls", "seconds", "share", "GB/s", "GFLOP/s");
  for (size_t i = 0; i < profile->count; i++) {
    const struct mx_phase *phase = &profile->phase[order[i]];
    char bytes[24] = "-", flops[24] = "-";
    if (phase->cost.bytes > 0) snprintf(bytes, sizeof bytes, "%.2f", 1e-9 * phase->cost.bytes / phase->seconds);
    if (phase->cost.flops > 0) snprintf(flops, sizeof flops, "%.2f", 1e-9 * phase->cost.flops / phase->seconds);
    dg_log_line(log, "profile   %-20s %10ld %10.4f %5.1f%% %8s %8s", phase->name, phase->calls, phase->seconds,
                sum > 0 ? 100 * phase->seconds / sum : 0, bytes, flops);
  }
}

void mx_phases_write(const struct mx_profile *profile, FILE *file)
{
  size_t order[MX_PHASES_MAX];
  double sum = sort(profile, order);
  fputs("{\"seconds\": ", file);
  dg_json_number(file, sum);
  fputs(", \"phases\": [", file);
  for (size_t i = 0; i < profile->count; i++) {
    const struct mx_phase *phase = &profile->phase[order[i]];
    fputs(i > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ", file);
    dg_json_string(file, phase->name);
    fputs(", \"calls\": ", file);
    dg_json_number(file, (double)phase->calls);
    fputs(", \"seconds\": ", file);
    dg_json_number(file, phase->seconds);
    fputs(", \"bytes\": ", file);
    dg_json_number(file, phase->cost.bytes);
    fputs(", \"flops\": ", file);
    dg_json_number(file, phase->cost.flops);
    fputc('}', file);
  }
  fputs("\n  ]}", file);
}
