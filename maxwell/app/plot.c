/* Finds a Python with what a command needs and hands `curlew plot`, `curlew s` or `curlew sweep` to it. main calls
 * it. */
#include "maxwell/app/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libdg/base/machine/launch.h"
#include "libdg/base/memory.h"
#include "maxwell/shell/script/world/share.h"

extern char **environ;

enum { ALL = 0, NO_SILO = 10, NONE = 11 }; /* what a Python has, as its exit code */

/* What the modules are is asked without loading them, which takes a tenth of the time. Pythons before 3.11 do not know
 * PYTHONSAFEPATH: the working directory is taken off the path before anything is imported. */
#define ASK(must, may)                                                                                                 \
  "import sys\n"                                                                                                       \
  "sys.path[:] = [folder for folder in sys.path if folder]\n"                                                          \
  "import importlib.util as u\n"                                                                                       \
  "has = lambda *names: all(u.find_spec(name) is not None for name in names)\n"                                        \
  "sys.exit(11 if not has(" must ") else 0 if has(" may ") else 10)\n"

/* A command that is a Python program of share/. */
struct tool {
  const char *what, *script;  /* "pictures need"; in the folder of mx_share_folder */
  const char *ask;            /* exits with what the Python has */
  const char *modules, *cure; /* for messages */
};
#define DRAWS                                                                                                          \
  .what = "pictures need", .ask = ASK("'numpy', 'matplotlib'", "'Silo'"), .modules = "numpy and matplotlib",           \
  .cure = "install python3-numpy, python3-matplotlib and, for fields, python3-silo (or pip install numpy matplotlib)"
static const struct tool plot = {.script = "plot/plot_run.py", DRAWS};
static const struct tool model_plot = {.script = "plot/plot_model.py", DRAWS};
static const struct tool fit_plot = {.script = "plot/plot_fit.py", DRAWS};
static const struct tool s_parameters = {.what = "curlew s needs",
                                         .script = "python/curlew_s.py",
                                         .ask = ASK("'numpy'", "'matplotlib'"),
                                         .modules = "numpy",
                                         .cure = "install python3-numpy (or pip install numpy)"};
static const struct tool sweep = {.what = "curlew sweep needs",
                                  .script = "python/curlew_sweep.py",
                                  .ask = ASK("'ctypes', 'fcntl', 'json'", "'dataclasses'"),
                                  .modules = "its standard library",
                                  .cure = "install python3"};

/* Leaves only absolute folders in a list of folders; an empty one is the working directory. NULL: none is left. */
static char *absolute_only(char *list)
{
  char *end = list;
  for (char *folder = list, *next; folder != NULL; folder = next) {
    next = strchr(folder, ':');
    const size_t length = next != NULL ? (size_t)(next++ - folder) : strlen(folder);
    if (folder[0] != '/') continue;
    if (end != list) *end++ = ':';
    memmove(end, folder, length);
    end += length;
  }
  *end = '\0';
  return end != list ? list : NULL;
}

/* The folder in which somebody works holds data, perhaps of others: no Python that is started looks for modules there.
 * `-I` would forbid more: modules of `pip install --user`, and PYTHONPATH, by which clusters offer theirs. */
static void keep_out_of_here(void)
{
  const char *given = getenv("PYTHONPATH");
  char *list = given != NULL ? strdup(given) : NULL;
  (void)setenv("PYTHONSAFEPATH", "1", 1);
  const char *left = list != NULL ? absolute_only(list) : NULL;
  if (left != NULL) (void)setenv("PYTHONPATH", left, 1);
  else (void)unsetenv("PYTHONPATH");
  free(list);
}

/* Asks a Python which modules it has. NONE also where there is no such program, or something else has its name. The
 * program's own name must be the one that it is started by: a Python finds its virtual environment by that. */
static int modules_of(const char *python, const struct tool *tool)
{
  char option[] = "-c", code[512];
  char *arguments[] = {NULL, option, code, NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status;
  snprintf(code, sizeof code, "%s", tool->ask);
  memcpy(&arguments[0], &python, sizeof python); /* not changed: posix_spawn only takes no const */
  if (posix_spawn_file_actions_init(&actions) != 0) return NONE;
  bool failed = false;
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
    failed |= posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0) != 0;
  failed = failed || posix_spawnp(&child, python, &actions, NULL, arguments, environ) != 0;
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return NONE;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return NONE;
  if (!WIFEXITED(status)) return NONE;
  const int code_of_exit = WEXITSTATUS(status);
  return code_of_exit == ALL || code_of_exit == NO_SILO ? code_of_exit : NONE;
}

/* The first Python that has all modules, else the first that has those without which nothing is drawn. */
static const char *find_python(const struct tool *tool)
{
  const char *given = getenv("CURLEW_PYTHON");
  keep_out_of_here();
  if (given != NULL) return modules_of(given, tool) != NONE ? given : NULL;
  static const char *const candidates[] = {"python3", "/usr/bin/python3"};
  const char *fair = NULL;
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    const int modules = modules_of(candidates[i], tool);
    if (modules == ALL) return candidates[i];
    if (modules == NO_SILO && fair == NULL) fair = candidates[i];
  }
  return fair;
}

static int no_python(const struct tool *tool, struct dg_error *err)
{
  const char *given = getenv("CURLEW_PYTHON");
  if (given == NULL)
    return dg_fail(err, DG_ENVIRONMENT, "%s a python3 with %s: %s", tool->what, tool->modules, tool->cure);
  return dg_fail(err, DG_ENVIRONMENT, "'%s' (from CURLEW_PYTHON) is no python3 with %s: %s", given, tool->modules,
                 tool->cure);
}

/* Becomes a Python with the script of a tool and these words. */
static int become(const struct tool *tool, int words, char **word, struct dg_error *err)
{
  char no_cache[] = "-B", *path = NULL, **arguments = NULL;
  const char *share = mx_share_folder();
  const size_t length = strlen(share) + strlen(tool->script) + 2;
  if (DG_NEW(path, length, err) != 0 || DG_NEW(arguments, (size_t)words + 4, err) != 0) goto fail;
  snprintf(path, length, "%s/%s", share, tool->script);
  if (access(path, R_OK) != 0) {
    (void)dg_fail(err, DG_ENVIRONMENT, "%s was not found in '%s'%s", tool->script, share, mx_share_hint());
    goto fail;
  }
  const char *python = find_python(tool);
  if (python == NULL) {
    (void)no_python(tool, err);
    goto fail;
  }
  memcpy(&arguments[0], &python, sizeof python);
  arguments[1] = no_cache;
  arguments[2] = path;
  for (int i = 0; i < words; i++) arguments[3 + i] = word[i];
  (void)signal(SIGPIPE, SIG_DFL); /* what main ignores would be ignored by the other program, too */
  (void)signal(SIGXFSZ, SIG_DFL);
  fflush(NULL);
  execvp(python, arguments);
  (void)dg_fail(err, DG_ENVIRONMENT, "cannot start '%s': %s", python, strerror(errno));
fail:
  dg_free(arguments);
  dg_free(path);
  return err->code;
}

int mx_plot(int words, char **word, struct dg_error *err) { return become(&plot, words, word, err); }

/* The file is JSON that the other program removes. */
static int draw_file(const struct tool *tool, const char *file, const char *picture, struct dg_error *err)
{
  char *word[2] = {NULL, NULL};
  if (dg_copy_string(&word[0], file, err) == 0 && dg_copy_string(&word[1], picture, err) == 0)
    (void)!become(tool, 2, word, err);
  dg_free(word[0]);
  dg_free(word[1]);
  return err->code;
}

int mx_plot_model(const char *model, const char *picture, struct dg_error *err)
{
  return draw_file(&model_plot, model, picture, err);
}

int mx_plot_fit(const char *fit, const char *picture, struct dg_error *err)
{
  return draw_file(&fit_plot, fit, picture, err);
}

int mx_plot_prepare(char model[MX_PLOT_MODEL], struct dg_error *err)
{
  if (find_python(&plot) == NULL) return no_python(&plot, err);
  snprintf(model, MX_PLOT_MODEL, "/tmp/curlew-model-XXXXXX");
  const int file = mkstemp(model);
  if (file < 0) return dg_fail(err, DG_ENVIRONMENT, "cannot make a file in /tmp: %s", strerror(errno));
  close(file);
  return 0;
}

int mx_s(int words, char **word, struct dg_error *err) { return become(&s_parameters, words, word, err); }

int mx_sweep(int words, char **word, struct dg_error *err)
{
  static char program[30];
  if (dg_launched())
    return dg_fail(err, DG_INPUT, "curlew sweep starts its runs itself, as single processes; start it without mpirun");
  /* It stays open: runs are of this program, also where another build has taken its name meanwhile. */
  const int self = open("/proc/self/exe", O_RDONLY);
  if (self < 0) return dg_fail(err, DG_ENVIRONMENT, "cannot read '/proc/self/exe': %s", strerror(errno));
  snprintf(program, sizeof program, "/proc/self/fd/%d", self);
  word[0] = program;
  return become(&sweep, words, word, err);
}
