/* A profile as a table for people and as JSON for programs. run.c and summary.c call it. */
#include "maxwell/shell/phases.h"

#include <math.h>

#include "libdg/base/text.h"

/* Sorts phases by descending time into order[count]; returns the sum of their seconds. */
static double sort(const struct mx_phase *phase, size_t count, size_t order[MX_PHASES_MAX])
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    size_t at = i;
    for (; at > 0 && phase[order[at - 1]].seconds < phase[i].seconds; at--) order[at] = order[at - 1];
    order[at] = i;
    sum += phase[i].seconds;
  }
  return sum;
}

/* What a second of a phase does, e.g. in GB: "-" where it is not counted. */
static void write_rate(double amount, double seconds, size_t size, char *text)
{
  if (amount > 0 && seconds > 0) snprintf(text, size, "%.2f", 1e-9 * amount / seconds);
  else snprintf(text, size, "-");
}

/* The part of its time that a phase of a card could not do without: for its bytes at the speed of copies, or for its
 * flops at the peak, whichever is longer. NAN: not counted, or not measured. */
static double bound_of(const struct mx_card_phases *card, const struct mx_phase *phase, const char **limit)
{
  if (!(card->copy > 0 && card->peak > 0 && phase->seconds > 0 && phase->cost.bytes > 0)) return NAN;
  const double copy = phase->cost.bytes / card->copy, flops = phase->cost.flops / card->peak;
  *limit = copy > flops ? "bytes" : "flops";
  return fmax(copy, flops) / phase->seconds;
}

static double on_card(const struct mx_card_phases *card)
{
  double seconds = card->idle;
  for (size_t i = 0; i < card->count; i++) seconds += card->phase[i].beside ? 0 : card->phase[i].seconds;
  return seconds;
}

static void log_card(const struct mx_card_phases *card, struct dg_log *log)
{
  size_t order[MX_PHASES_MAX];
  bool beside = false;
  const double all = on_card(card);
  (void)sort(card->phase, card->count, order);
  dg_log_line(log, "profile   %-24s %10s %10s %6s %8s %8s  %s", "phase of the card", "calls", "seconds", "share",
              "GB/s", "GFLOP/s", "bound");
  for (size_t i = 0; i < card->count; i++) {
    const struct mx_phase *phase = &card->phase[order[i]];
    const char *limit = NULL;
    const double part = bound_of(card, phase, &limit);
    char bytes[24], flops[24], bound[40] = "-", name[40];
    write_rate(phase->cost.bytes, phase->seconds, sizeof bytes, bytes);
    write_rate(phase->cost.flops, phase->seconds, sizeof flops, flops);
    if (limit != NULL) snprintf(bound, sizeof bound, "%.0f%% %s", 100 * part, limit);
    snprintf(name, sizeof name, "%s%s", phase->beside ? "+ " : "", phase->name);
    dg_log_line(log, "profile   %-24s %10ld %10.4f %5.1f%% %8s %8s  %s", name, phase->calls, phase->seconds,
                all > 0 ? 100 * phase->seconds / all : 0, bytes, flops, bound);
    beside = beside || phase->beside;
  }
  dg_log_line(log, "profile   %-24s %10s %10.4f %5.1f%%", "idle", "-", card->idle,
              all > 0 ? 100 * card->idle / all : 0);
  if (beside)
    dg_log_line(log, "profile   + runs beside the others: with these the sum is more than the time of the loop");
}

void mx_phases_log(const struct mx_profile *profile, struct dg_log *log)
{
  size_t order[MX_PHASES_MAX];
  double sum = sort(profile->phase, profile->count, order);
  dg_log_line(log, "profile   %-24s %10s %10s %6s %8s %8s", "phase", "calls", "seconds", "share", "GB/s", "GFLOP/s");
  for (size_t i = 0; i < profile->count; i++) {
    const struct mx_phase *phase = &profile->phase[order[i]];
    char bytes[24], flops[24];
    write_rate(phase->cost.bytes, phase->seconds, sizeof bytes, bytes);
    write_rate(phase->cost.flops, phase->seconds, sizeof flops, flops);
    dg_log_line(log, "profile   %-24s %10ld %10.4f %5.1f%% %8s %8s", phase->name, phase->calls, phase->seconds,
                sum > 0 ? 100 * phase->seconds / sum : 0, bytes, flops);
  }
  if (profile->card.is_lost) dg_log_line(log, "profile   the phases of the card could not be timed");
  else if (profile->card.count > 0) log_card(&profile->card, log);
}

static void write_number(const char *key, double value, FILE *file)
{
  fprintf(file, ", \"%s\": ", key);
  dg_json_number(file, value);
}

/* Writes the phases in descending order; the card's with more entries. */
static void write_phases(const struct mx_phase *phases, size_t count, const struct mx_card_phases *card, FILE *file)
{
  size_t order[MX_PHASES_MAX];
  (void)sort(phases, count, order);
  for (size_t i = 0; i < count; i++) {
    const struct mx_phase *phase = &phases[order[i]];
    const char *limit = NULL;
    fputs(i > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ", file);
    dg_json_string(file, phase->name);
    write_number("calls", (double)phase->calls, file);
    write_number("seconds", phase->seconds, file);
    write_number("bytes", phase->cost.bytes, file);
    write_number("flops", phase->cost.flops, file);
    if (card != NULL) {
      const double bound = bound_of(card, phase, &limit);
      if (limit != NULL) {
        write_number("bound", bound, file);
        fprintf(file, ", \"limit\": \"%s\"", limit);
      }
      fprintf(file, ", \"beside\": %s", phase->beside ? "true" : "false");
    }
    fputc('}', file);
  }
}

void mx_phases_write(const struct mx_profile *profile, FILE *file)
{
  const struct mx_card_phases *card = &profile->card;
  size_t order[MX_PHASES_MAX];
  fputs("{\"seconds\": ", file);
  dg_json_number(file, sort(profile->phase, profile->count, order));
  fputs(", \"phases\": [", file);
  write_phases(profile->phase, profile->count, NULL, file);
  fputs("\n  ]", file);
  if (card->count > 0 && !card->is_lost) {
    fputs(",\n  \"card\": {\"seconds\": ", file);
    dg_json_number(file, on_card(card));
    write_number("idle", card->idle, file);
    write_number("copy", card->copy, file);
    write_number("peak", card->peak, file);
    fputs(", \"phases\": [", file);
    write_phases(card->phase, card->count, card, file);
    fputs("\n  ]}", file);
  }
  fputc('}', file);
}
