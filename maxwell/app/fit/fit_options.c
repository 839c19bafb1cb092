/* Reads the command line of `curlew fit`. options.c calls it. */
#include "maxwell/app/fit/fit_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/text.h"

enum word { FROM, TO, UNIT, SHAPE, POLES, TOLERANCE, WEIGHT, NO_SIGMA, CSV, JSON, PLOT, QUIET, WORDS };
static const char *const names[WORDS] = {"--from",   "--to",       "--unit", "--columns", "--poles", "--tolerance",
                                         "--weight", "--no-sigma", "--csv",  "--json",    "--plot",  "--quiet"};

static int read_number(const char *name, const char *text, double *number, struct dg_error *err)
{
  char *end;
  *number = strtod(text, &end);
  if (*text != '\0' && *end == '\0' && *number > 0 && isfinite(*number)) return 0;
  return dg_fail(err, DG_INPUT, "%s needs a number > 0, not '%s'", name, text);
}

static int read_poles(const char *text, int *poles, struct dg_error *err)
{
  char *end;
  const long number = strtol(text, &end, 10);
  *poles = (int)number;
  if (*text != '\0' && *end == '\0' && number >= 1 && number <= MX_FIT_POLES) return 0;
  return dg_fail(err, DG_INPUT, "--poles needs an integer from 1 to %d, not '%s'", MX_FIT_POLES, text);
}

/* Finds the text among the choices. */
static int choose(const char *name, const char *text, const char *const *choices, size_t count, const char *list,
                  struct dg_error *err)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(text, choices[i]) == 0) return 0;
  return dg_fail(err, DG_INPUT, "%s is %s, not '%s'", name, list, text);
}

static int set(struct mx_fit_command *command, enum word word, const char *value, struct dg_error *err)
{
  static const char *const columns[] = {"nk", "eps", "tan"}, *const weights[] = {"relative", "absolute"};
  switch (word) {
  case FROM:
    return read_number(names[word], value, &command->form.from, err);
  case TO:
    return read_number(names[word], value, &command->form.to, err);
  case UNIT:
    command->form.unit = value;
    if (mx_fit_is_unit(value)) return 0;
    return dg_fail(err, DG_INPUT,
                   "%s is Hz, kHz, MHz, GHz, THz, PHz, rad/s, m, cm, mm, um, nm, angstrom, meV, eV, keV, 1/cm or 1/m, "
                   "not '%s'",
                   names[word], value);
  case SHAPE:
    command->form.columns = value;
    return choose(names[word], value, columns, 3, "nk, eps or tan", err);
  case POLES:
    return read_poles(value, &command->fit.poles, err);
  case TOLERANCE:
    return read_number(names[word], value, &command->fit.tolerance, err);
  case WEIGHT:
    command->fit.absolute = strcmp(value, weights[1]) == 0;
    return choose(names[word], value, weights, 2, "relative or absolute", err);
  case CSV:
    command->csv = value;
    break;
  case JSON:
    command->json = value;
    break;
  case PLOT:
    command->plot = value;
    break;
  case NO_SIGMA:
  case QUIET:
  case WORDS:
    break;
  }
  return *value != '\0' ? 0 : dg_fail(err, DG_INPUT, "%s needs the name of a file", names[word]);
}

static int unknown(const char *word, struct dg_error *err)
{
  const int nearest = dg_nearest(word, names, WORDS);
  if (nearest >= 0)
    return dg_fail(err, DG_INPUT, "unknown option '%s' of fit (nearest: '%s'); see curlew --help", word,
                   names[nearest]);
  return dg_fail(err, DG_INPUT, "unknown option '%s' of fit; see curlew --help", word);
}

static int read_option(struct mx_fit_command *command, int argc, char **argv, int *i, struct dg_error *err)
{
  const char *word = argv[*i];
  if (strcmp(word, "-q") == 0) word = names[QUIET];
  for (int w = 0; w < WORDS; w++) {
    const size_t length = strlen(names[w]);
    if (strncmp(word, names[w], length) != 0 || (word[length] != '\0' && word[length] != '=')) continue;
    if (w == NO_SIGMA || w == QUIET) {
      if (word[length] == '=') return dg_fail(err, DG_INPUT, "%s takes no value", names[w]);
      *(w == QUIET ? &command->quiet : &command->fit.no_sigma) = true;
      return 0;
    }
    if (word[length] == '=') return set(command, (enum word)w, word + length + 1, err);
    if (*i + 1 == argc) return dg_fail(err, DG_INPUT, "%s needs a value; see curlew --help", names[w]);
    return set(command, (enum word)w, argv[++*i], err);
  }
  return unknown(word, err);
}

int mx_fit_command_read(struct mx_fit_command *command, int argc, char **argv, struct dg_error *err)
{
  *command = (struct mx_fit_command){.form = {.from = NAN, .to = NAN},
                                     .fit = {.poles = 8, .tolerance = 0.01, .least_epsilon = 1}};
  for (int i = 0; i < argc; i++) {
    if (argv[i][0] == '-' && argv[i][1] != '\0') {
      if (read_option(command, argc, argv, &i, err) != 0) return err->code;
    } else if (command->table != NULL) {
      return dg_fail(err, DG_INPUT, "unexpected argument '%s'; see curlew --help", argv[i]);
    } else {
      command->table = argv[i];
    }
  }
  if (command->table == NULL) return dg_fail(err, DG_INPUT, "curlew fit needs a table; see curlew --help");
  if (command->form.from >= command->form.to)
    return dg_fail(err, DG_INPUT, "--from %g is not below --to %g", command->form.from, command->form.to);
  return 0;
}
