/* The command line of `curlew`: commands, options, usage. main calls it first; a word that it does not know is an error
 * that names the nearest one. */
#include "maxwell/app/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdg/base/memory.h"
#include "libdg/base/text.h"

const char mx_help_text[] =
    "usage: curlew run SCRIPT [options]    run a simulation\n"
    "       curlew check SCRIPT [options]  parse and mesh it, say what a run would take, leave nothing\n"
    "       curlew info [--keys]           versions and backends; every key of simulation { }, as JSON\n"
    "       curlew sweep SCRIPT -D a=1..5  run it for every value of args.a, and make a table of what comes out\n"
    "       curlew bench [options]         speed of the backends beside what this machine could do\n"
    "       curlew new NAME [--kind KIND]  write a first script NAME.lua and its geometry NAME.geo\n"
    "       curlew fit TABLE [options]     poles of a table of n, k or eps', eps'', as a material to paste into a "
    "script\n"
    "       curlew plot DIR [--report]     pictures of what a run has left in DIR, and a page with all of them\n"
    "       curlew s DIR [options]         its S-parameters: dB, phase, delay, VSWR, Z, Y, Q, other planes and "
    "impedances\n"
    "\n"
    "  -o, --output DIR     the output folder (default: the simulation's name)\n"
    "      --set KEY=VALUE  override a key of simulation { }: --set time.steps=100\n"
    "  -D NAME=VALUE        set args.NAME for the script\n"
    "      --restart        run: go on from the last checkpoint in the output folder\n"
    "      --remesh         make the mesh anew, whatever an earlier run kept in the output folder\n"
    "      --trust          let script and geometry do anything: files, programs, any memory\n"
    "      --lua-seconds S  that one Lua function, or the script, may take (default: 60)\n"
    "      --lua-threads N  that call functions of x, y, z, t (default: one for each core)\n"
    "      --picture FILE   check: draw volumes and surfaces, coloured by what they were given (PNG or SVG)\n"
    "      --profile        run: time the phases; a table at the end, and in summary.json\n"
    "  -q, --quiet          say nothing but errors and warnings\n"
    "  -h, --help           this text\n"
    "  -V, --version        the version\n"
    "\n"
    "Options of sweep, besides those of run; several -D are swept over in all combinations:\n"
    "  -D NAME=VALUES       a list, 1,2,5, or a range, 1..5 or 0.1..0.5:0.1, or both\n"
    "  -j, --jobs N         so many runs at a time (default: 1)\n"
    "      --again          run again what an earlier sweep has done\n"
    "      --list           say which runs there are, and run none\n"
    "\n"
    "Options of fit:\n"
    "      --from X, --to X   the band, in the unit of the table (default: all of it)\n"
    "      --unit NAME        of the first column, where its name does not say it: Hz to PHz, rad/s, m to nm, eV, "
    "1/cm\n"
    "      --columns NAME     what stands behind it: nk, eps or tan (default: what their names say)\n"
    "      --poles N          at most so many (default: 8); a pair of conjugates is one\n"
    "      --tolerance T      the largest error that is asked for (default: 0.01)\n"
    "      --weight NAME      errors are relative (default) or absolute\n"
    "      --no-sigma         no conductivity\n"
    "      --csv FILE         table and fit; --json FILE: the same with the poles; --plot FILE: a picture of them\n"
    "\n"
    "Kinds of new: antenna, cavity (default), coax, scatterer, slab, waveguide\n"
    "\n"
    "Options of bench; lists are separated by commas:\n"
    "      --order LIST       polynomial orders: 3, or 1..6 (default)\n"
    "      --integrator LIST  leapfrog, lsrk (default: both)\n"
    "      --precision LIST   double, single (default: both)\n"
    "      --backend LIST     default: all of this build, reference among them, which takes longest\n"
    "      --flux NAME        upwind (default), damped or centered\n"
    "      --unknowns N       at least so many for every order (default: 3e6)\n"
    "      --seconds S        that every case is measured for at least (default: 2)\n"
    "      --threads N        default: that of the processors, or OMP_NUM_THREADS\n"
    "      --mesh NAME        gmsh (default), or grid: cells cut up, quick to make; ranks of mpirun always share a "
    "grid\n"
    "      --curved PART      this part of the elements is curved, 0 (default) to 1\n"
    "      --transport NAME   auto (default), direct, staged: between the GPUs of ranks\n"
    "      --share-gpus       several ranks may have the same GPU\n"
    "      --json FILE        write the results there as well\n"
    "\n"
    "A first script, cavity.lua, with a geometry in cavity.geo:\n"
    "\n"
    "  simulation {\n"
    "    mesh      = { file = \"cavity.geo\", size = 0.2 },\n"
    "    order     = 3,\n"
    "    time      = { stop = 20e-9 },\n"
    "    materials = { default = { epsilon_r = 1 } },\n"
    "    initial   = { E = function(x, y, z) return 0, 0, math.sin(math.pi*x) * math.sin(math.pi*y) end },\n"
    "    output    = { probes = { { name = \"centre\", at = { 0.4, 0.5, 0.3 } } } },\n"
    "  }\n"
    "\n"
    "Exit codes: 0 done, 2 the input is wrong, 3 the environment (disk, memory), 4 the solution blew up, 70 a bug,\n"
    "130 interrupted. The manual says more: man curlew, share/doc/manual.md.\n";

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
  const char *value, *word = argv[*i];
  if ((value = option_value(argc, argv, i, "--set", '\0', err)) != NULL)
    return add_definition("--set", value, &options->set, &options->sets, err);
  if (err->code == 0 && (value = option_value(argc, argv, i, "", 'D', err)) != NULL)
    return add_definition("-D", value, &options->arg, &options->args, err);
  if (err->code == 0 && (value = option_value(argc, argv, i, "--output", 'o', err)) != NULL) {
    options->output = value;
    return value[0] == '\0' ? dg_fail(err, DG_INPUT, "--output needs the name of a folder") : 0;
  }
  if (err->code == 0 && (value = option_value(argc, argv, i, "--picture", '\0', err)) != NULL) {
    options->picture = value;
    return value[0] == '\0' ? dg_fail(err, DG_INPUT, "--picture needs the name of a file") : 0;
  }
  if (err->code == 0 && (value = option_value(argc, argv, i, "--lua-seconds", '\0', err)) != NULL)
    return read_seconds(value, &options->limits.seconds, err);
  if (err->code == 0 && (value = option_value(argc, argv, i, "--lua-threads", '\0', err)) != NULL)
    return read_threads(value, &options->limits.threads, err);
  if (err->code != 0) return err->code;
  if (strcmp(word, "--trust") == 0) {
    options->limits.trust = true;
    return 0;
  }
  if (is_flag(word, "--quiet", "-q")) {
    options->quiet = true;
    return 0;
  }
  if (strcmp(word, "--profile") == 0) {
    options->profile = true;
    return 0;
  }
  if (strcmp(word, "--remesh") == 0) {
    options->remesh = true;
    return 0;
  }
  if (strcmp(word, "--restart") == 0) {
    options->restart = true;
    return 0;
  }
  if (strcmp(word, "--keys") == 0) {
    options->keys = true;
    return 0;
  }
  return unknown_option(word, err);
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
