/* The options of `curlew bench`: lists of orders, integrators, precisions and backends. main calls it when the first
 * word is bench. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/text.h"
#include "maxwell/app/bench.h"
#include "maxwell/backend/backend.h"

static const char *const option_names[] = {"--order",     "--integrator", "--precision", "--backend", "--flux",
                                           "--unknowns",  "--size",       "--seconds",   "--threads", "--mesh",
                                           "--transport", "--curved",     "--json",      "--levels",  "--share-gpus",
                                           "--quiet",     "--help",       "--version"};
enum { OPTIONS = sizeof option_names / sizeof *option_names, WORDS_MAX = 16, WORD_MAX = 64 };

static int unknown_option(const char *word, struct dg_error *err)
{
  int nearest = dg_nearest(word, option_names, OPTIONS);
  if (nearest >= 0)
    return dg_fail(err, DG_INPUT, "unknown option '%s' of bench (nearest: '%s'); see curlew --help", word,
                   option_names[nearest]);
  return dg_fail(err, DG_INPUT, "unknown option '%s' of bench; see curlew --help", word);
}

/* The index of `word` among names[count], or -1 with an error that lists them. */
static int find_word(const char *option, const char *word, const char *const *names, int count, struct dg_error *err)
{
  for (int i = 0; i < count; i++)
    if (strcmp(word, names[i]) == 0) return i;
  char known[256] = "", hint[80] = "";
  size_t used = 0;
  for (int i = 0; i < count && used < sizeof known; i++)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", names[i]);
  int nearest = dg_nearest(word, names, (size_t)count);
  if (nearest >= 0) snprintf(hint, sizeof hint, " (nearest: '%s')", names[nearest]);
  (void)dg_fail(err, DG_INPUT, "%s: unknown '%s'%s; there is %s", option, word, hint, known);
  return -1;
}

/* Copies the next word of a list "a,b,c" and moves on; false at its end. An empty word is kept: it is unknown. */
static bool next_word(const char **list, char word[WORD_MAX])
{
  if (*list == NULL) return false;
  size_t length = strcspn(*list, ",");
  snprintf(word, WORD_MAX, "%.*s", (int)(length < WORD_MAX ? length : WORD_MAX - 1), *list);
  *list = (*list)[length] == ',' ? *list + length + 1 : NULL;
  return true;
}

/* chosen[i] = true for every word names[i] of the list. */
static int read_words(const char *option, const char *list, const char *const *names, int count, bool *chosen,
                      struct dg_error *err)
{
  char word[WORD_MAX];
  for (int i = 0; i < count; i++) chosen[i] = false;
  while (next_word(&list, word)) {
    int i = find_word(option, word, names, count, err);
    if (i < 0) return err->code;
    chosen[i] = true;
  }
  return 0;
}

/* "3", "1,4", "1..6", "1..3,6" */
static int read_orders(const char *list, bool *chosen, struct dg_error *err)
{
  char word[WORD_MAX];
  for (int p = 0; p <= DG_ORDER_MAX; p++) chosen[p] = false;
  while (next_word(&list, word)) {
    int used = 0;
    long from = 0, to = 0;
    char *end;
    from = to = strtol(word, &end, 10);
    if (end != word && end[0] == '.' && end[1] == '.' && end[2] != '\0') to = strtol(end + 2, &end, 10);
    used = end != word && *end == '\0';
    if (!used || from < DG_ORDER_MIN || to > DG_ORDER_MAX || from > to)
      return dg_fail(err, DG_INPUT, "--order: '%s' is no order from %d to %d and no range such as 1..6", word,
                     DG_ORDER_MIN, DG_ORDER_MAX);
    for (long p = from; p <= to; p++) chosen[p] = true;
  }
  return 0;
}

static int read_number(const char *option, const char *text, double low, double high, bool whole, double *value,
                       struct dg_error *err)
{
  char *end;
  errno = 0;
  *value = strtod(text, &end);
  if (end == text || *end != '\0' || !(*value >= low && *value <= high) || (whole && *value != floor(*value)))
    return dg_fail(err, DG_INPUT, "%s must be %s from %g to %g, not '%s'", option,
                   whole ? "a whole number" : "a number", low, high, text);
  return 0;
}

/* Those with a limit of the step. */
static int read_integrators(const char *list, bool *chosen, struct dg_error *err)
{
  const char *names[MX_INTEGRATORS];
  int number[MX_INTEGRATORS], count = 0;
  bool word[MX_INTEGRATORS];
  for (int i = 0; i < MX_INTEGRATORS; i++)
    if (mx_schemes[i].unstable == NULL) names[count] = mx_integrator_names[i], number[count++] = i;
  if (read_words("--integrator", list, names, count, word, err) != 0) return err->code;
  for (int i = 0; i < MX_INTEGRATORS; i++) chosen[i] = false;
  for (int i = 0; i < count; i++) chosen[number[i]] = word[i];
  return 0;
}

static int read_value(struct mx_bench_options *options, const char *option, const char *value, struct dg_error *err)
{
  static const char *const precisions[] = {"double", "single"};
  static const char *const meshes[] = {"gmsh", "grid"};
  const char *backends[MX_BENCH_BACKENDS];
  double number = 0;
  int count = 0, flux;
  for (; mx_backends[count] != NULL && count < MX_BENCH_BACKENDS; count++) backends[count] = mx_backends[count]->name;

  if (strcmp(option, "--order") == 0) return read_orders(value, options->order, err);
  if (strcmp(option, "--precision") == 0) return read_words(option, value, precisions, 2, options->precision, err);
  if (strcmp(option, "--backend") == 0) return read_words(option, value, backends, count, options->backend, err);
  if (strcmp(option, "--integrator") == 0) return read_integrators(value, options->integrator, err);
  if (strcmp(option, "--flux") == 0) {
    flux = find_word(option, value, mx_flux_names, 4, err);
    if (flux >= 0) options->alpha = mx_flux_alpha[flux];
    options->flux_given = true;
  } else if (strcmp(option, "--mesh") == 0) {
    options->grid = find_word(option, value, meshes, 2, err) == 1;
    options->gmsh = !options->grid;
  } else if (strcmp(option, "--transport") == 0) {
    const int transport = find_word(option, value, mx_transport_names, 3, err);
    if (transport >= 0) options->transport = (enum mx_transport)transport;
  } else if (strcmp(option, "--unknowns") == 0) {
    if (read_number(option, value, 1, 1e10, true, &number, err) == 0) options->unknowns = (size_t)number;
  } else if (strcmp(option, "--size") == 0) {
    if (read_number(option, value, 0.001, 1, false, &number, err) == 0) options->size = number;
  } else if (strcmp(option, "--levels") == 0) {
    if (read_number(option, value, 1, 500, false, &number, err) == 0) options->levels = number;
  } else if (strcmp(option, "--curved") == 0) {
    if (read_number(option, value, 0, 1, false, &number, err) == 0) options->curved = number;
  } else if (strcmp(option, "--seconds") == 0) {
    if (read_number(option, value, 0, 3600, false, &number, err) == 0) options->seconds = number;
  } else if (strcmp(option, "--threads") == 0) {
    if (read_number(option, value, 1, 1024, true, &number, err) == 0) options->threads = (int)number;
  } else {
    options->json = value;
    if (value[0] == '\0') return dg_fail(err, DG_INPUT, "--json needs the name of a file");
  }
  return err->code;
}

/* The bench measures everything that there is unless the options say otherwise. */
static struct mx_bench_options defaults(void)
{
  struct mx_bench_options options = {.alpha = 1, .unknowns = 3000000, .seconds = 2};
  struct dg_error unused = {0};
  for (int p = 1; p <= 6; p++) options.order[p] = true;
  options.integrator[MX_LEAPFROG] = options.integrator[MX_LSRK] = true;
  options.precision[MX_DOUBLE] = options.precision[MX_SINGLE] = true;
  for (int i = 0; mx_backends[i] != NULL && i < MX_BENCH_BACKENDS; i++)
    options.backend[i] = !mx_backends[i]->card->present || mx_backends[i]->available(&unused) == 0;
  return options;
}

/* What --levels does not go with. */
static int check_levels(const struct mx_bench_options *options, struct dg_error *err)
{
  if (options->levels == 0) return 0;
  if (!options->integrator[MX_LEAPFROG])
    return dg_fail(err, DG_INPUT, "--levels: leapfrog alone has local time steps; leave --integrator out");
  if (options->gmsh) return dg_fail(err, DG_INPUT, "--levels has a graded grid of its own; leave --mesh gmsh out");
  if (options->curved > 0) return dg_fail(err, DG_INPUT, "--levels has straight elements; leave --curved out");
  return 0;
}

/* What --size does not go with. */
static int check_size(const struct mx_bench_options *options, struct dg_error *err)
{
  if (options->size > 0 && (options->grid || options->levels > 0))
    return dg_fail(err, DG_INPUT, "--size is of Gmsh's mesh: a grid has --unknowns");
  return 0;
}

int mx_bench_options_read(struct mx_bench_options *options, int argc, char **argv, struct dg_error *err)
{
  *options = defaults();
  for (int i = 0; i < argc; i++) {
    const char *word = argv[i], *equals = strchr(word, '='), *option = NULL, *value;
    size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    if (word[0] != '-' || word[1] == '\0')
      return dg_fail(err, DG_INPUT, "unexpected argument '%s'; see curlew --help", word);
    if (strcmp(word, "--quiet") == 0 || strcmp(word, "-q") == 0) {
      options->quiet = true;
      continue;
    }
    if (strcmp(word, "--share-gpus") == 0) {
      options->share_gpus = true;
      continue;
    }
    for (int k = 0; k < OPTIONS; k++) /* the last four take none; --help and --version never get here */
      if (k < OPTIONS - 4 && strlen(option_names[k]) == length && strncmp(word, option_names[k], length) == 0)
        option = option_names[k];
    if (option == NULL) return unknown_option(word, err);
    if (strcmp(option, "--levels") == 0 && equals == NULL && (i + 1 == argc || argv[i + 1][0] == '-')) {
      options->levels = 16;
      continue;
    }
    if (equals == NULL && i + 1 == argc) return dg_fail(err, DG_INPUT, "%s needs a value; see curlew --help", word);
    value = equals != NULL ? equals + 1 : argv[++i];
    if (read_value(options, option, value, err) != 0) return err->code;
  }
  if (check_size(options, err) != 0) return err->code;
  return check_levels(options, err);
}
