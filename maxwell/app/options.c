/* The command line of `curlew`: commands, options, usage. main calls it first; a word that it does not know is an error
 * that names the nearest one. */
#include "maxwell/app/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/text.h"

static const struct {
  const char *word;
  enum mx_command command;
} commands[] = {{"run", MX_RUN},     {"check", MX_CHECK}, {"info", MX_INFO}, {"bench", MX_BENCH}, {"plot", MX_PLOT},
                {"sweep", MX_SWEEP}, {"new", MX_NEW},     {"s", MX_S},       {"fit", MX_FIT},     {"help", MX_HELP}};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char *const option_names[] = {"--output",  "--set",     "--quiet",       "--profile",     "--restart",
                                           "--remesh",  "--trust",   "--lua-seconds", "--lua-threads", "--help",
                                           "--version", "--picture", "--keys"};

static int read_command(struct mx_options *options, const char *word, struct dg_error *err)
{
  const char *names[COMMANDS];
  for (size_t i = 0; i < COMMANDS; i++) {
    names[i] = commands[i].word;
    if (strcmp(word, names[i]) == 0) {
      options->command = commands[i].command;
      return 0;
    }
  }
  int nearest = dg_nearest(word, names, COMMANDS);
  if (nearest >= 0)
    return dg_fail(err, DG_INPUT, "unknown command '%s' (nearest: '%s'); see curlew --help", word, names[nearest]);
  return dg_fail(err, DG_INPUT, "unknown command '%s'; see curlew --help", word);
}

static int unknown_option(const char *word, struct dg_error *err)
{
  int nearest = dg_nearest(word, option_names, sizeof option_names / sizeof *option_names);
  if (nearest >= 0)
    return dg_fail(err, DG_INPUT, "unknown option '%s' (nearest: '%s'); see curlew --help", word,
                   option_names[nearest]);
  return dg_fail(err, DG_INPUT, "unknown option '%s'; see curlew --help", word);
}

/* Adds "name=value". */
static int add_definition(const char *option, const char *text, struct mx_definition **list, size_t *count,
                          struct dg_error *err)
{
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text) return dg_fail(err, DG_INPUT, "%s needs NAME=VALUE, not '%s'", option, text);
  char *copy;
  if (dg_grow(list, *count + 1, sizeof **list, err) != 0 || dg_copy_string(&copy, text, err) != 0) return err->code;
  copy[equals - text] = '\0';
  (*list)[*count] = (struct mx_definition){.name = copy, .value = copy + (equals - text) + 1};
  (*count)++;
  return 0;
}

/* If argv[*i] is the option `name` (or -x), its value: the rest after "=", or for short ones what is glued to it, or
 * the next word. NULL with no error: it is another option. */
static const char *option_value(int argc, char **argv, int *i, const char *name, char letter, struct dg_error *err)
{
  const char *word = argv[*i];
  size_t length = strlen(name);
  if (name[0] != '\0' && strncmp(word, name, length) == 0 && word[length] == '=') return word + length + 1;
  bool is_short = letter != '\0' && word[0] == '-' && word[1] == letter;
  if (is_short && word[2] != '\0') return word + 2;
  if (!is_short && (name[0] == '\0' || strcmp(word, name) != 0)) return NULL;
  if (*i + 1 < argc) return argv[++*i];
  (void)dg_fail(err, DG_INPUT, "%s needs a value; see curlew --help", word);
  return NULL;
}

static bool is_flag(const char *word, const char *name, const char *letter)
{
  return strcmp(word, name) == 0 || strcmp(word, letter) == 0;
}

static int read_seconds(const char *text, double *seconds, struct dg_error *err)
{
  char *end;
  *seconds = strtod(text, &end);
  if (*text != '\0' && *end == '\0' && *seconds > 0) return 0; /* infinity is a limit, too */
  return dg_fail(err, DG_INPUT, "--lua-seconds needs a number > 0, not '%s'", text);
}

static int read_threads(const char *text, int *threads, struct dg_error *err)
{
  enum { MOST = 1024 };
  char *end;
  const long number = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || number < 1 || number > MOST)
    return dg_fail(err, DG_INPUT, "--lua-threads needs an integer from 1 to %d, not '%s'", MOST, text);
  *threads = (int)number;
  return 0;
}

static int read_option(struct mx_options *options, int argc, char **argv, int *i, struct dg_error *err)
{
  const struct {
    const char *name;
    char letter;
    const char **value, *what;
  } names[] = {{"--output", 'o', &options->output, "folder"}, {"--picture", '\0', &options->picture, "file"}};
  const struct {
    const char *name, *letter;
    bool *flag;
  } flags[] = {{"--trust", "--trust", &options->limits.trust}, {"--quiet", "-q", &options->quiet},
               {"--profile", "--profile", &options->profile},  {"--remesh", "--remesh", &options->remesh},
               {"--restart", "--restart", &options->restart},  {"--keys", "--keys", &options->keys}};
  const char *value, *word = argv[*i];
  if ((value = option_value(argc, argv, i, "--set", '\0', err)) != NULL)
    return add_definition("--set", value, &options->set, &options->sets, err);
  if (err->code == 0 && (value = option_value(argc, argv, i, "", 'D', err)) != NULL)
    return add_definition("-D", value, &options->arg, &options->args, err);
  for (size_t k = 0; k < sizeof names / sizeof *names && err->code == 0; k++) {
    value = option_value(argc, argv, i, names[k].name, names[k].letter, err);
    if (value == NULL) continue;
    *names[k].value = value;
    return value[0] == '\0' ? dg_fail(err, DG_INPUT, "%s needs the name of a %s", names[k].name, names[k].what) : 0;
  }
  if (err->code == 0 && (value = option_value(argc, argv, i, "--lua-seconds", '\0', err)) != NULL)
    return read_seconds(value, &options->limits.seconds, err);
  if (err->code == 0 && (value = option_value(argc, argv, i, "--lua-threads", '\0', err)) != NULL)
    return read_threads(value, &options->limits.threads, err);
  for (size_t k = 0; k < sizeof flags / sizeof *flags && err->code == 0; k++)
    if (is_flag(word, flags[k].name, flags[k].letter)) {
      *flags[k].flag = true;
      return 0;
    }
  return err->code != 0 ? (int)err->code : unknown_option(word, err);
}

int mx_options_read(struct mx_options *options, int argc, char **argv, struct dg_error *err)
{
  *options = (struct mx_options){.command = MX_HELP};
  bool have_command = false;
  /* The words of these are those of programs of their own, --help among them. */
  if (argc > 1 && (strcmp(argv[1], "plot") == 0 || strcmp(argv[1], "s") == 0)) {
    options->command = argv[1][0] == 'p' ? MX_PLOT : MX_S;
    return 0;
  }
  for (int i = 1; i < argc; i++)
    if (is_flag(argv[i], "--help", "-h") || is_flag(argv[i], "--version", "-V")) {
      options->command = is_flag(argv[i], "--help", "-h") ? MX_HELP : MX_VERSION;
      return 0;
    }
  if (argc < 2) return dg_fail(err, DG_INPUT, "no command given; see curlew --help");
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-' && argv[i][1] != '\0') {
      if (read_option(options, argc, argv, &i, err) != 0) return err->code;
    } else if (!have_command) {
      have_command = true;
      if (read_command(options, argv[i], err) != 0) return err->code;
      const bool own = options->command == MX_BENCH || options->command == MX_PLOT || options->command == MX_S ||
                       options->command == MX_SWEEP || options->command == MX_NEW || options->command == MX_FIT;
      if (own && i > 1) return dg_fail(err, DG_INPUT, "the options of %s follow it; see curlew --help", argv[i]);
      if (options->command == MX_SWEEP || options->command == MX_NEW || options->command == MX_FIT)
        return 0; /* they read their words themselves */
      if (options->command == MX_BENCH) return mx_bench_options_read(&options->bench, argc - 2, argv + 2, err);
    } else if (options->script == NULL && (options->command == MX_RUN || options->command == MX_CHECK)) {
      options->script = argv[i];
    } else {
      return dg_fail(err, DG_INPUT, "unexpected argument '%s'; see curlew --help", argv[i]);
    }
  }
  if (!have_command) return dg_fail(err, DG_INPUT, "no command given; see curlew --help");
  if (options->script == NULL && (options->command == MX_RUN || options->command == MX_CHECK))
    return dg_fail(err, DG_INPUT, "curlew %s needs a script; see curlew --help",
                   options->command == MX_RUN ? "run" : "check");
  if (options->restart && options->command != MX_RUN)
    return dg_fail(err, DG_INPUT, "--restart is for curlew run; see curlew --help");
  if (options->picture != NULL && options->command != MX_CHECK)
    return dg_fail(err, DG_INPUT, "--picture is for curlew check; curlew plot draws what a run has left");
  if (options->keys && options->command != MX_INFO)
    return dg_fail(err, DG_INPUT, "--keys is for curlew info; see curlew --help");
  if (options->restart && options->remesh)
    return dg_fail(err, DG_INPUT, "--remesh with --restart: a run goes on only with the mesh that it had");
  return 0;
}

static void free_definitions(struct mx_definition *list, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    char *copy;
    memcpy(&copy, &list[i].name, sizeof copy); /* the struct shows it const; it is ours */
    dg_free(copy);
  }
  dg_free(list);
}

void mx_options_release(struct mx_options *options)
{
  free_definitions(options->arg, options->args);
  free_definitions(options->set, options->sets);
  *options = (struct mx_options){0};
}
