/* The command line of `curlew sweep`: lists and ranges of arguments. options.c calls it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/text.h"
#include "maxwell/app/sweep/sweep_options.h"

enum { MOST = 10000 }; /* runs of a sweep */

/* ---- values of an argument */

static int add_value(struct mx_axis *axis, const char *text, size_t length, struct dg_error *err)
{
  char *copy;
  if (axis->values >= MOST) return dg_fail(err, DG_INPUT, "-D %s=...: more than %d values", axis->name, MOST);
  if (dg_grow(&axis->value, axis->values + 1, sizeof *axis->value, err) != 0 ||
      dg_alloc(&copy, length + 1, 1, err) != 0)
    return err->code;
  memcpy(copy, text, length);
  axis->value[axis->values++] = copy;
  return 0;
}

/* Reads a number that ends at `end`. */
static bool read_number(const char *text, const char *end, double *number)
{
  char *stop;
  *number = strtod(text, &stop);
  return stop == end && text < end && strchr(" \t", *text) == NULL && isfinite(*number);
}

/* Is the item FROM..TO or FROM..TO:STEP? The dots of "1..5" are none of a number's. */
static bool read_range(const char *text, const char *end, double *from, double *to, double *step)
{
  const char *dots = strstr(text, ".."), *colon = memchr(text, ':', (size_t)(end - text));
  char number[64];
  if (dots == NULL || dots >= end || (colon != NULL && colon < dots)) return false;
  const size_t length = (size_t)(dots - text); /* strtod would take the first dot */
  if (length >= sizeof number) return false;
  memcpy(number, text, length);
  number[length] = '\0';
  *step = NAN;
  return read_number(number, number + length, from) && read_number(dots + 2, colon != NULL ? colon : end, to) &&
         (colon == NULL || read_number(colon + 1, end, step));
}

/* Adds the values of a range; the end is one of them where steps lead to it. */
static int add_range(struct mx_axis *axis, const char *item, double from, double to, double step, struct dg_error *err)
{
  static const double rounding = 1e-9;
  if (isnan(step)) step = to >= from ? 1 : -1;
  const double steps = (to - from) / step;
  if (!(steps >= 0) || step == 0)
    return dg_fail(err, DG_INPUT, "-D %s=%s: no steps of %g lead from %g to %g", axis->name, item, step, from, to);
  if (steps >= MOST) return dg_fail(err, DG_INPUT, "-D %s=%s: more than %d values", axis->name, item, MOST);
  for (long i = 0; i <= (long)floor(steps + rounding); i++) {
    char text[40];
    const double value = from + (double)i * step;
    /* Twelve digits: 0.3, and not what 0.1 + 2 * 0.1 is. A step that is lost in them would give a value twice. */
    snprintf(text, sizeof text, "%.12g", fabs(value) < rounding * fabs(step) ? 0 : value);
    if (add_value(axis, text, strlen(text), err) != 0) return err->code;
  }
  return 0;
}

static int add_items(struct mx_axis *axis, const char *text, struct dg_error *err)
{
  for (const char *item = text;; item++) {
    const char *const end = item + strcspn(item, ",");
    double from, to, step;
    if (item == end)
      return dg_fail(err, DG_INPUT,
                     "-D %s=%s: a value is empty; write a list as in %s=1,2,5 or a range as in %s=1..5:0.5", axis->name,
                     text, axis->name, axis->name);
    if ((read_range(item, end, &from, &to, &step) ? add_range(axis, text, from, to, step, err)
                                                  : add_value(axis, item, (size_t)(end - item), err)) != 0)
      return err->code;
    if (*end == '\0') break;
    item = end;
  }
  for (size_t i = 0; i < axis->values; i++)
    for (size_t k = 0; k < i; k++)
      if (strcmp(axis->value[i], axis->value[k]) == 0)
        return dg_fail(err, DG_INPUT, "-D %s=%s: the value %s is given twice", axis->name, text, axis->value[i]);
  return 0;
}

static int add_axis(struct mx_sweep_options *options, const char *text, struct dg_error *err)
{
  static const char *const taken[] = {"folder", "status", "error"}; /* others give way: sweep_table.c */
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text)
    return dg_fail(err, DG_INPUT, "-D needs NAME=VALUES, as in -D a=1..5, not '%s'", text);
  if (dg_grow(&options->axis, options->axes + 1, sizeof *options->axis, err) != 0) return err->code;
  struct mx_axis *axis = &options->axis[options->axes];
  *axis = (struct mx_axis){0};
  if (dg_alloc(&axis->name, (size_t)(equals - text) + 1, 1, err) != 0) return err->code;
  memcpy(axis->name, text, (size_t)(equals - text));
  options->axes++;
  if (strspn(axis->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(axis->name))
    return dg_fail(err, DG_INPUT, "-D %s: '%s' is not a name (letters, digits and _)", text, axis->name);
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (strcmp(axis->name, taken[i]) == 0)
      return dg_fail(err, DG_INPUT, "-D %s: the table of a sweep has a column '%s' of its own; choose another name",
                     text, axis->name);
  for (size_t i = 0; i + 1 < options->axes; i++)
    if (strcmp(options->axis[i].name, axis->name) == 0)
      return dg_fail(err, DG_INPUT, "-D %s is given twice; write the values as a list: -D %s=1,2,5", axis->name,
                     axis->name);
  return add_items(axis, equals + 1, err);
}

/* ---- options */

static int add_word(struct mx_sweep_options *options, const char *word, struct dg_error *err)
{
  if (dg_grow(&options->word, options->words + 1, sizeof *options->word, err) != 0) return err->code;
  options->word[options->words++] = word;
  return 0;
}

static int read_jobs(const char *text, long *jobs, struct dg_error *err)
{
  enum { MOST_JOBS = 1024 };
  char *end;
  *jobs = strtol(text, &end, 10);
  if (*text != '\0' && *end == '\0' && *jobs >= 1 && *jobs <= MOST_JOBS) return 0;
  return dg_fail(err, DG_INPUT, "--jobs needs an integer from 1 to %d, not '%s'", MOST_JOBS, text);
}

/* What an option is: it takes a value, or goes to every run. */
static const struct option {
  const char *name;
  char letter; /* '\0': none */
  bool value, passed;
} known[] = {{"--set", '\0', true, true},    {"--lua-seconds", '\0', true, true}, {"--lua-threads", '\0', true, true},
             {"--trust", '\0', false, true}, {"--profile", '\0', false, true},    {"", 'D', true, false},
             {"--output", 'o', true, false}, {"--jobs", 'j', true, false},        {"--again", '\0', false, false},
             {"--list", '\0', false, false}, {"--quiet", 'q', false, false}};
enum { KNOWN = sizeof known / sizeof *known };

/* Finds the option that the word is or begins with; *glued is a value in the same word, or NULL. */
static const struct option *find_option(const char *word, const char **glued)
{
  for (size_t i = 0; i < KNOWN; i++) {
    const size_t length = strlen(known[i].name);
    *glued = NULL;
    if (length > 0 && strcmp(word, known[i].name) == 0) return &known[i];
    if (known[i].value && length > 0 && strncmp(word, known[i].name, length) == 0 && word[length] == '=') {
      *glued = word + length + 1;
      return &known[i];
    }
    if (known[i].letter == '\0' || word[1] != known[i].letter) continue;
    if (word[2] != '\0' && known[i].value) *glued = word + 2;
    if (word[2] == '\0' || known[i].value) return &known[i];
  }
  return NULL;
}

static int unknown(const char *word, struct dg_error *err)
{
  const char *names[KNOWN];
  for (size_t i = 0; i < KNOWN; i++) names[i] = known[i].name;
  const int nearest = dg_nearest(word, names, KNOWN);
  if (strcmp(word, "--restart") == 0)
    return dg_fail(err, DG_INPUT, "--restart: a sweep goes on by itself with runs that have a checkpoint");
  return nearest >= 0 && names[nearest][0] != '\0'
             ? dg_fail(err, DG_INPUT, "unknown option '%s' (nearest: '%s'); see curlew --help", word, names[nearest])
             : dg_fail(err, DG_INPUT, "unknown option '%s'; see curlew --help", word);
}

static int take_option(struct mx_sweep_options *options, const struct option *option, const char *value,
                       struct dg_error *err)
{
  if (option->passed) {
    if (add_word(options, option->name, err) != 0) return err->code;
    return value != NULL ? add_word(options, value, err) : 0;
  }
  if (value == NULL) {
    if (option->letter == 'q') options->quiet = true;
    else if (strcmp(option->name, "--again") == 0) options->again = true;
    else options->list = true;
    return 0;
  }
  if (option->letter == 'D') return add_axis(options, value, err);
  if (option->letter == 'j') return read_jobs(value, &options->jobs, err);
  options->output = value;
  return value[0] == '\0' ? dg_fail(err, DG_INPUT, "--output needs the name of a folder") : 0;
}

static int check(const struct mx_sweep_options *options, struct dg_error *err)
{
  double runs = 1;
  if (options->script == NULL) return dg_fail(err, DG_INPUT, "curlew sweep needs a script; see curlew --help");
  if (options->axes == 0)
    return dg_fail(err, DG_INPUT, "curlew sweep needs an argument to sweep over, as in -D a=1..5; see curlew --help");
  for (size_t i = 0; i < options->axes; i++) runs *= (double)options->axis[i].values;
  if (runs > MOST) return dg_fail(err, DG_INPUT, "the sweep has %.0f runs; %d are the most", runs, MOST);
  return 0;
}

int mx_sweep_options_read(struct mx_sweep_options *options, int argc, char **argv, struct dg_error *err)
{
  *options = (struct mx_sweep_options){.jobs = 1};
  for (int i = 0; i < argc; i++) {
    const char *glued = NULL, *const word = argv[i];
    if (word[0] != '-' || word[1] == '\0') {
      if (options->script != NULL) return dg_fail(err, DG_INPUT, "unexpected argument '%s'; see curlew --help", word);
      options->script = word;
      continue;
    }
    const struct option *option = find_option(word, &glued);
    if (option == NULL) return unknown(word, err);
    if (option->value && glued == NULL) {
      if (i + 1 == argc) return dg_fail(err, DG_INPUT, "%s needs a value; see curlew --help", word);
      glued = argv[++i];
    }
    if (take_option(options, option, glued, err) != 0) return err->code;
  }
  return check(options, err);
}

void mx_sweep_options_release(struct mx_sweep_options *options)
{
  for (size_t i = 0; i < options->axes; i++) {
    for (size_t k = 0; k < options->axis[i].values; k++) dg_free(options->axis[i].value[k]);
    dg_free(options->axis[i].value);
    dg_free(options->axis[i].name);
  }
  dg_free(options->axis);
  dg_free(options->word);
  *options = (struct mx_sweep_options){0};
}
