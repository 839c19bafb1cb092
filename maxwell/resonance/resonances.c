/* Records of resonances while a run goes on, and what they have at its end. The set-up checks with it, output.c keeps
 * and finishes it. */
#include "maxwell/resonance/resonances.h"

#include <math.h>
#include <string.h>

#include "libdg/base/file.h"
#include "libdg/base/memory.h"
#include "libdg/base/text.h"
#include "maxwell/resonance/inversion.h"

enum { LEAST_VALUES = 32 };

/* ---- which records */

/* Finds the measure with a name as the script gives it: "centre", or "probes/centre". */
static int find_measure(const struct mx_resonance_scene *scene, const struct mx_resonance_config *config,
                        const char *name, size_t *found, struct dg_error *err)
{
  const struct mx_measures *measures = scene->measures;
  const char *slash = strchr(name, '/'), *names[64];
  size_t count = 0, hits = 0;
  for (size_t i = 0; i < measures->count; i++) {
    const struct mx_measure_config *measure = measures->measure[i].config;
    const char *key = measure->kind->key, *own = slash != NULL ? slash + 1 : name;
    if (slash != NULL && (strlen(key) != (size_t)(slash - name) || strncmp(key, name, strlen(key)) != 0)) continue;
    if (count < sizeof names / sizeof *names) names[count++] = measure->name;
    if (strcmp(measure->name, own) != 0) continue;
    *found = i;
    hits++;
  }
  if (hits == 1) return 0;
  if (hits > 1)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "output.resonances: '%s': several measures have the name '%s'; write the list, too, as in "
                            "\"probes/%s\"",
                   MX_AT(config->where), config->name, name, name);
  const int near = dg_nearest(slash != NULL ? slash + 1 : name, names, count);
  return dg_fail(err, DG_INPUT,
                 MX_PLACE "output.resonances: '%s': no probe, voltage or current has the name '%s'%s%s%s",
                 MX_AT(config->where), config->name, name, near >= 0 ? " (nearest: '" : "",
                 near >= 0 ? names[near] : "", near >= 0 ? "')" : "");
}

static int check_measure(const struct mx_resonance_config *config, const struct mx_measure *measure,
                         struct dg_error *err)
{
  static const char *const fine[] = {"probes", "voltages", "currents"};
  const char *key = measure->config->kind->key;
  for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
    if (strcmp(fine[i], key) == 0) return 0;
  return dg_fail(err, DG_INPUT,
                 MX_PLACE "output.resonances: '%s': '%s' is one of output.%s, %s; take a probe, a voltage or a current",
                 MX_AT(config->where), config->name, measure->config->name, key,
                 measure->rows > 1 ? "which has many points" : "whose values are squares of fields");
}

/* Is a column the component of that name, or a part of a complex one: "Ez" is "Ez", "Ez_re" and "Ez_im"? */
static bool is_component(const char *name, const char *column, size_t length)
{
  const size_t own = strlen(name);
  if (own > length || strncmp(name, column, own) != 0) return false;
  return own == length ||
         (own + 3 == length && (strncmp(column + own, "_re", 3) == 0 || strncmp(column + own, "_im", 3) == 0));
}

/* Adds the columns of a measure that are wanted. A measure with one column has no components to choose from. */
static int add_columns(struct mx_resonance_set *set, const struct mx_measure *measure, size_t index, bool *wanted,
                       struct dg_error *err)
{
  const struct mx_names *components = &set->config->component;
  const char *column = measure->columns;
  for (size_t c = 0; c < measure->values; c++) {
    const size_t length = strcspn(column, ",");
    bool add = components->count == 0 || measure->values == 1;
    for (size_t k = 0; k < components->count; k++) {
      if (!is_component(components->name[k], column, length)) continue;
      add = wanted[k] = true;
    }
    if (add) {
      if (dg_grow(&set->trace, set->traces + 1, sizeof *set->trace, err) != 0) return err->code;
      struct mx_resonance_trace *trace = &set->trace[set->traces++];
      *trace = (struct mx_resonance_trace){.measure = index, .column = c, .every = measure->config->every};
      snprintf(trace->label, sizeof trace->label, "%.200s.%.*s", measure->config->name, (int)length, column);
    }
    column += length + (column[length] == ',');
  }
  return 0;
}

static int find_traces(struct mx_resonance_set *set, const struct mx_resonance_scene *scene, struct dg_error *err)
{
  const struct mx_resonance_config *config = set->config;
  bool *wanted = NULL;
  if (DG_NEW(wanted, config->component.count + 1, err) != 0) return err->code;
  for (size_t i = 0; i < config->probe.count; i++) {
    size_t index = 0;
    if (find_measure(scene, config, config->probe.name[i], &index, err) != 0 ||
        check_measure(config, &scene->measures->measure[index], err) != 0 ||
        add_columns(set, &scene->measures->measure[index], index, wanted, err) != 0)
      goto fail;
  }
  for (size_t k = 0; k < config->component.count; k++)
    if (!wanted[k]) {
      (void)dg_fail(err, DG_INPUT,
                    MX_PLACE "output.resonances: '%s': no record has a component \"%s\" (probes have Ex, Ey, Ez, Hx, "
                             "Hy and Hz)",
                    MX_AT(config->where), config->name, config->component.name[k]);
      goto fail;
    }
fail:
  dg_free(wanted);
  return err->code;
}

/* ---- when they begin, and how long they are */

static int choose_begin(struct mx_resonance_set *set, const struct mx_resonance_scene *scene, struct dg_error *err)
{
  const struct mx_resonance_config *config = set->config;
  const struct mx_quiet *quiet = scene->quiet;
  const double end = scene->step * (double)scene->steps;
  set->begin = config->after >= 0 ? config->after : quiet->silent;
  if (!isfinite(set->begin))
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "output.resonances: '%s': it is not known that %s ever ends, and records begin behind the "
                            "sources; give 'after' (seconds)",
                   MX_AT(config->where), config->name, quiet->what);
  if (set->begin >= end)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "output.resonances: '%s': records begin at %.4g s%s%s, and the run ends at %.4g s; give "
                            "time.stop more",
                   MX_AT(config->where), config->name, set->begin,
                   config->after < 0 && quiet->what != NULL ? ", behind " : "",
                   config->after < 0 && quiet->what != NULL ? quiet->what : "", end);
  if (config->after >= 0 && config->after < quiet->ended)
    dg_log_warning(
        scene->log,
        "output.resonances: '%s': records begin at %.4g s, and %s lasts until %.4g s: what it drives is taken "
        "for resonances",
        config->name, config->after, quiet->what, isfinite(quiet->ended) ? quiet->ended : end);
  return 0;
}

/* The samples that a trace takes until the run ends. */
static size_t samples_of(const struct mx_resonance_trace *trace, long steps)
{
  return trace->first > steps ? 0 : (size_t)((steps - trace->first) / trace->every + 1);
}

static int start_trace(struct mx_resonance_set *set, struct mx_resonance_trace *trace,
                       const struct mx_resonance_scene *scene, struct dg_error *err)
{
  const struct mx_resonance_config *config = set->config;
  const double interval = scene->step * (double)trace->every;
  if (2 * config->to * interval > 1)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "output.resonances: '%s' cannot tell %.6g Hz: a sample of %s every %.4g s reaches to %.4g "
                            "Hz; lower 'every' or 'to'",
                   MX_AT(config->where), config->name, config->to, trace->label, interval, 0.5 / interval);
  trace->first = (long)ceil(set->begin / interval * (1 - 1e-12)) * trace->every;
  const size_t samples = samples_of(trace, scene->steps);
  if (mx_thinning_init(&trace->thinning, interval, config->to, samples, err) != 0) return err->code;
  const double few = 5, periods = 3;
  const size_t count = mx_thinning_count(&trace->thinning, samples);
  const double length = interval * (double)trace->thinning.factor * (double)count;
  if (count < LEAST_VALUES || length * config->to < few)
    return dg_fail(err, DG_INPUT,
                   MX_PLACE "output.resonances: '%s': the record from %.4g s to %.4g s is too short: %.3g periods of "
                            "'to', and %zu values of %s in them, where %g and %d are the least; give time.stop more",
                   MX_AT(config->where), config->name, set->begin, scene->step * (double)scene->steps,
                   length * config->to, count, trace->label, few, (int)LEAST_VALUES);
  if (length * config->from < periods && trace == set->trace)
    dg_log_warning(scene->log,
                   "output.resonances: '%s': the record of %.4g s has only %.3g periods of 'from' = %.4g Hz: what is "
                   "near it is not found well",
                   config->name, length, length * config->from, config->from);
  return 0;
}

int mx_resonances_init(struct mx_resonances *resonances, const struct mx_resonance_scene *scene, struct dg_error *err)
{
  const struct mx_config *config = scene->config;
  *resonances = (struct mx_resonances){.step = scene->step, .steps = scene->steps, .grid_loss = scene->grid_loss};
  if (config->output.resonances == 0) return 0;
  if (mx_inversion_prepare(err) != 0) return dg_context(err, "needed by output.resonances");
  if (DG_NEW(resonances->set, config->output.resonances, err) != 0) return err->code;
  for (size_t i = 0; i < config->output.resonances; i++) {
    struct mx_resonance_set *set = &resonances->set[resonances->sets++];
    set->config = &config->output.resonance[i];
    if (find_traces(set, scene, err) != 0 || choose_begin(set, scene, err) != 0) return err->code;
    for (size_t k = 0; k < set->traces; k++)
      if (start_trace(set, &set->trace[k], scene, err) != 0) return err->code;
  }
  return 0;
}

void mx_resonances_release(struct mx_resonances *resonances)
{
  for (size_t i = 0; i < resonances->sets; i++) {
    struct mx_resonance_set *set = &resonances->set[i];
    for (size_t k = 0; k < set->traces; k++) mx_thinning_release(&set->trace[k].thinning);
    dg_free(set->trace);
    dg_free(set->resonance);
  }
  dg_free(resonances->set);
  *resonances = (struct mx_resonances){0};
}

double mx_resonances_begin(const struct mx_resonances *resonances)
{
  double latest = 0;
  for (size_t i = 0; i < resonances->sets; i++) latest = fmax(latest, resonances->set[i].begin);
  return latest;
}

double mx_resonances_enough(const struct mx_resonances *resonances)
{
  const double periods = 10;
  double latest = 0;
  for (size_t i = 0; i < resonances->sets; i++)
    latest = fmax(latest, resonances->set[i].begin + periods / resonances->set[i].config->from);
  return latest;
}

/* ---- the run */

void mx_resonances_take(struct mx_resonances *resonances, size_t measure, long step, const double *value)
{
  for (size_t i = 0; i < resonances->sets; i++) {
    struct mx_resonance_set *set = &resonances->set[i];
    for (size_t k = 0; k < set->traces; k++) {
      struct mx_resonance_trace *trace = &set->trace[k];
      if (trace->measure == measure && step >= trace->first) mx_thinning_take(&trace->thinning, value[trace->column]);
    }
  }
}

int mx_resonances_archive(struct mx_resonances *resonances, struct mx_archive *archive, struct dg_error *err)
{
  for (size_t i = 0; i < resonances->sets; i++) {
    struct mx_resonance_set *set = &resonances->set[i];
    char name[60], first[70];
    /* where the record began: the end of a source that is a function is that of its table, hence of the run */
    snprintf(name, sizeof name, "resonances/%zu/begin", i);
    if (mx_archive_doubles(archive, name, 1, &set->begin, err) != 0) return err->code;
    for (size_t k = 0; k < set->traces; k++) {
      snprintf(name, sizeof name, "resonances/%zu/%zu", i, k);
      snprintf(first, sizeof first, "%s/first", name);
      if (mx_archive_longs(archive, first, 1, &set->trace[k].first, err) != 0 ||
          (set->trace[k].first >= 0 &&
           mx_thinning_extend(&set->trace[k].thinning, samples_of(&set->trace[k], resonances->steps), err) != 0) ||
          mx_thinning_archive(&set->trace[k].thinning, name, archive, err) != 0)
        return err->code;
    }
  }
  return 0;
}

/* ---- the end */

static double largest_of(const struct mx_resonance_trace *trace, size_t count)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(trace->thinning.sum[i]));
  return largest;
}

/* Records of one unit: their labels end with .E?, .H? or the name of a measure's only column. */
static char unit_of(const struct mx_resonance_trace *trace) { return strrchr(trace->label, '.')[1]; }

/* Says whether a record is nothing beside others of its unit: a component that symmetry makes zero has only rounding
 * and the mesh's asymmetry. */
static bool is_nothing(const struct mx_resonance_set *set, size_t k, size_t count)
{
  const double nothing = 1e-6;
  double largest = 0;
  for (size_t j = 0; j < set->traces; j++)
    if (unit_of(&set->trace[j]) == unit_of(&set->trace[k])) largest = fmax(largest, largest_of(&set->trace[j], count));
  return largest_of(&set->trace[k], count) <= nothing * largest;
}

/* Inverts one record. Amplitudes and phases are then those before the filter. */
static int hear(const struct mx_resonance_set *set, size_t k, struct mx_heard *heard, struct dg_error *err)
{
  const struct mx_resonance_trace *trace = &set->trace[k];
  const struct mx_thinning *thinning = &trace->thinning;
  const struct mx_signal signal = {.count = mx_thinning_count(thinning, (size_t)thinning->taken),
                                   .value = thinning->sum,
                                   .interval = thinning->interval * (double)thinning->factor};
  *heard = (struct mx_heard){.label = trace->label, .length = signal.interval * (double)signal.count};
  if (signal.count < LEAST_VALUES || is_nothing(set, k, signal.count)) return 0;
  if (mx_invert(&signal, set->config->from, set->config->to, &heard->mode, &heard->count, err) != 0) return err->code;
  for (size_t i = 0; i < heard->count; i++) {
    struct mx_ringing *mode = &heard->mode[i];
    const double complex gain = mx_thinning_gain(thinning, mode->frequency, mode->decay);
    const double complex before = mode->amplitude * cexp(mode->phase * I) / gain;
    mode->amplitude = cabs(before);
    mode->phase = carg(before);
  }
  return 0;
}

static void report(const struct mx_resonance_set *set, struct dg_log *log)
{
  const struct mx_resonance_config *config = set->config;
  if (set->found == 0)
    dg_log_warning(log, "output.resonances: '%s' found nothing that rings between %.6g Hz and %.6g Hz", config->name,
                   config->from, config->to);
  for (size_t i = 0; i < set->found; i++) {
    const struct mx_resonance *one = &set->resonance[i];
    dg_log_line(log, "resonance %s: %.9g Hz, Q %.6g, amplitude %.4g (%s), error %.1e, in %zu of %zu records%s%s",
                config->name, one->mode.frequency, mx_ringing_q(&one->mode), one->mode.amplitude, one->label,
                one->mode.error, one->seen, one->of, one->doubt[0] != '\0' ? "; doubtful: " : "", one->doubt);
  }
}

static void write_table(FILE *file, const void *what)
{
  const struct mx_resonances *resonances = what;
  fputs("name,frequency,decay,Q,amplitude,phase,error,record,seen,records,doubt\n", file);
  for (size_t i = 0; i < resonances->sets; i++)
    for (size_t k = 0; k < resonances->set[i].found; k++) {
      const struct mx_resonance *one = &resonances->set[i].resonance[k];
      const struct mx_ringing *mode = &one->mode;
      fprintf(file, "%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.3g,%s,%zu,%zu,%s\n", resonances->set[i].config->name,
              mode->frequency, mode->decay, mx_ringing_q(mode), mode->amplitude, mode->phase, mode->error, one->label,
              one->seen, one->of, one->doubt);
    }
}

int mx_resonances_finish(struct mx_resonances *resonances, const struct mx_folder *folder, struct dg_log *log,
                         struct dg_error *err)
{
  if (resonances->sets == 0) return 0;
  for (size_t i = 0; i < resonances->sets; i++) {
    struct mx_resonance_set *set = &resonances->set[i];
    struct mx_heard *heard = NULL;
    if (DG_NEW(heard, set->traces, err) != 0) return err->code;
    for (size_t k = 0; k < set->traces && err->code == DG_OK; k++) (void)!hear(set, k, &heard[k], err);
    if (err->code == DG_OK)
      (void)!mx_reconcile(set->config, &resonances->grid_loss, heard, set->traces, &set->resonance, &set->found, err);
    for (size_t k = 0; k < set->traces; k++) dg_free(heard[k].mode);
    dg_free(heard);
    if (err->code != DG_OK) return err->code;
    report(set, log);
  }
  char *path;
  if (mx_folder_path(&path, folder, "resonances.csv", err) != 0) return err->code;
  (void)!dg_file_write(path, write_table, resonances, err);
  dg_free(path);
  return err->code;
}

static void write_number(FILE *file, const char *key, double value)
{
  fprintf(file, "\"%s\": ", key);
  dg_json_number(file, value);
  fputs(", ", file);
}

void mx_resonances_write_json(const struct mx_resonances *resonances, FILE *file)
{
  const char *between = "";
  fputc('[', file);
  for (size_t i = 0; i < resonances->sets; i++)
    for (size_t k = 0; k < resonances->set[i].found; k++) {
      const struct mx_resonance *one = &resonances->set[i].resonance[k];
      fprintf(file, "%s{\"name\": ", between);
      dg_json_string(file, resonances->set[i].config->name);
      fputs(", ", file);
      write_number(file, "frequency", one->mode.frequency);
      write_number(file, "decay", one->mode.decay);
      write_number(file, "Q", mx_ringing_q(&one->mode));
      write_number(file, "amplitude", one->mode.amplitude);
      write_number(file, "phase", one->mode.phase);
      write_number(file, "error", one->mode.error);
      fputs("\"record\": ", file);
      dg_json_string(file, one->label);
      fprintf(file, ", \"seen\": %zu, \"records\": %zu, \"doubt\": ", one->seen, one->of);
      if (one->doubt[0] != '\0') dg_json_string(file, one->doubt);
      else fputs("null", file);
      fputc('}', file);
      between = ", ";
    }
  fputc(']', file);
}
