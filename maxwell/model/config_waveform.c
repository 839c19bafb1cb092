/* Reads waveforms: the tables that waveform.* of a script make become plain numbers. The rules of sources and ports
 * name the reader. share/lua/waveform.lua has checked the tables with better words; errors remain in what --set or the
 * script changed afterwards. */
#include <math.h>

#include "maxwell/model/config_read.h"

#define START_MIN 4.6 /* t0 / tau: exp(-4.6^2) < 1e-9, as in waveform.lua */

#define KIND(kind) (1u << (kind))
#define GAUSSIANS  (KIND(MX_GAUSSIAN) | KIND(MX_MODULATED_GAUSSIAN) | KIND(MX_DIFFERENTIATED_GAUSSIAN) | KIND(MX_RICKER))

static int read_later(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  (void)r;
  (void)rule;
  (void)value;
  (void)to;
  return 0;
}

#define WAVEFORM(field) offsetof(struct mx_waveform, field)
static const char positive[] = "a number > 0";
static const struct mx_rule kind_rule = {"kind", mx_read_choice, WAVEFORM(kind), .names = mx_waveform_kind_names};
static const struct {
  unsigned kinds;
  struct mx_rule rule;
} fields[] = {
    {~0u, {"amplitude", mx_read_real, WAVEFORM(amplitude), .expected = "a number", .example = "amplitude = 1"}},
    {GAUSSIANS, {"t0", mx_read_real, WAVEFORM(t0), .expected = positive, MX_ABOVE(0), .example = "t0 = 5e-9"}},
    {GAUSSIANS, {"tau", mx_read_real, WAVEFORM(tau), .expected = positive, MX_ABOVE(0), .example = "tau = 1e-9"}},
    {KIND(MX_MODULATED_GAUSSIAN) | KIND(MX_SINE),
     {"f0", mx_read_real, WAVEFORM(f0), .expected = positive, MX_ABOVE(0), .example = "f0 = 1e9"}},
    {KIND(MX_SINE) | KIND(MX_SMOOTH_STEP) | KIND(MX_DOUBLE_EXPONENTIAL),
     {"rise", mx_read_real, WAVEFORM(rise), .expected = positive, MX_ABOVE(0), .example = "rise = 1e-9"}},
    {KIND(MX_DOUBLE_EXPONENTIAL),
     {"fall", mx_read_real, WAVEFORM(fall), .expected = positive, MX_ABOVE(0), .example = "fall = 1e-8"}},
    {KIND(MX_TABULATED), {"times", read_later, 0, .example = "times = { 0, 1e-9 }"}},
    {KIND(MX_TABULATED), {"values", read_later, 0, .example = "values = { 0, 1 }"}},
};

static int read_samples(struct mx_reader *r, const struct mx_value *value, const double **samples)
{
  static const struct mx_rule number = {.expected = "a list of numbers"};
  double *list;
  if (mx_expect_list(r, value, number.expected) != 0) return r->err->code;
  if (mx_arena_alloc(&r->arena, &list, value->count, sizeof *list, r->err) != 0) return r->err->code;
  for (size_t i = 0; i < value->count; i++)
    if (mx_read_real(r, &number, &value->entry[i].value, &list[i]) != 0) return r->err->code;
  *samples = list;
  return 0;
}

static int read_points(struct mx_reader *r, const struct mx_value *value, struct mx_waveform *waveform)
{
  const struct mx_value *times = mx_find_value(value, "times"), *values = mx_find_value(value, "values");
  if (read_samples(r, times, &waveform->time) != 0 || read_samples(r, values, &waveform->value) != 0)
    return r->err->code;
  size_t points = waveform->points = times->count;
  if (points < 2 || values->count != points)
    return mx_fail_at(r, value, "%s must have at least 2 times and as many values, not %zu and %zu", value->path,
                      points, values->count);
  const struct mx_entry *time = times->entry, *sample = values->entry;
  double largest = 0;
  for (size_t i = 0; i < points; i++) largest = fmax(largest, fabs(sample[i].value.number));
  for (size_t i = 1; i < points; i++)
    if (time[i].value.number <= time[i - 1].value.number) return mx_fail_at(r, times, "%s must increase", times->path);
  if (time[0].value.number < 0 || fabs(sample[0].value.number) > 1e-9 * largest)
    return mx_fail_at(r, value, "%s must start with the value 0 at a time >= 0", value->path);
  return 0;
}

int mx_read_waveform(struct mx_reader *r, const struct mx_rule *rule, const struct mx_value *value, void *to)
{
  struct mx_rule rules[MX_COUNT(fields) + 1] = {kind_rule};
  struct mx_waveform *waveform = to;
  size_t count = 1;
  *waveform = (struct mx_waveform){.kind = MX_FUNCTION_WAVEFORM, .amplitude = 1};
  if (value->type == MX_FUNCTION) return mx_read_function(r, rule, value, &waveform->function);
  if (!value->is_waveform) return mx_fail_expected(r, value, rule->expected);
  const struct mx_value *kind = mx_find_value(value, "kind");
  if (kind == NULL) return mx_fail_at(r, value, "%s has lost its kind", value->path);
  if (mx_read_choice(r, &kind_rule, kind, &waveform->kind) != 0) return r->err->code;
  for (size_t i = 0; i < MX_COUNT(fields); i++)
    if (fields[i].kinds & KIND(waveform->kind)) rules[count++] = fields[i].rule;
  if (mx_read_table(r, value, "a waveform", rules, count, waveform) != 0) return r->err->code;
  if (waveform->kind == MX_TABULATED) return read_points(r, value, waveform);
  if ((KIND(waveform->kind) & GAUSSIANS) && waveform->t0 < START_MIN * waveform->tau * (1 - 1e-9))
    return mx_fail_at(r, value, "%s: t0 must be at least %g tau, so that the waveform starts from zero", value->path,
                      START_MIN);
  if (waveform->kind == MX_DOUBLE_EXPONENTIAL && waveform->rise >= waveform->fall)
    return mx_fail_at(r, value, "%s: rise must be less than fall", value->path);
  return 0;
}

double mx_highest_frequency(const struct mx_config *config)
{
  double most = 0;
  for (size_t i = 0; i < config->sources; i++) {
    const struct mx_drive *drive = &config->source[i].drive;
    if (drive->general == NULL) most = fmax(most, mx_waveform_band(&drive->waveform));
  }
  for (size_t i = 0; i < config->boundaries; i++) {
    const struct mx_boundary_config *boundary = &config->boundary[i];
    const enum mx_entering entering = mx_walls[boundary->kind].entering;
    if (entering == MX_WAVE) most = fmax(most, mx_waveform_band(&boundary->wave.waveform));
    else if (entering == MX_MODES && boundary->port.driven)
      most = fmax(most, mx_waveform_band(&boundary->port.waveform));
    else if (entering != MX_NOTHING && entering != MX_MODES && entering != MX_CIRCUIT &&
             boundary->drive.general == NULL)
      most = fmax(most, mx_waveform_band(&boundary->drive.waveform));
  }
  for (size_t i = 0; i < config->interfaces; i++) {
    const struct mx_interface_config *interface = &config->interface[i];
    if (interface->kind == MX_TOTAL_FIELD) most = fmax(most, mx_waveform_band(&interface->wave.waveform));
    else if (interface->kind == MX_SURFACE_CURRENT && interface->drive.general == NULL)
      most = fmax(most, mx_waveform_band(&interface->drive.waveform));
  }
  return most;
}
