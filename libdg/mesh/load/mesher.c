/* The process of Gmsh, seen from outside: start, watch, end. */
#define _GNU_SOURCE /* memfd_create */
#include "libdg/mesh/load/mesher.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libdg/base/bug.h"
#include "libdg/base/memory.h"
#include "libdg/mesh/load/gmsh_model.h"

extern char **environ;

/* ---- the place of curlew-mesh */

static int join(char **path, const char *folder, size_t length, const char *name, struct dg_error *err)
{
  size_t size = length + strlen(name) + 2;
  if (dg_alloc(path, size, 1, err) != 0) return err->code;
  snprintf(*path, size, "%.*s/%s", (int)length, folder, name);
  return 0;
}

int dg_mesher_find(char **path, struct dg_error *err)
{
  static const char name[] = "curlew-mesh";
#ifdef CURLEW_MESHER_BUILD_DIR
  static const char *const folders[] = {CURLEW_LIBEXEC_DIR, CURLEW_MESHER_BUILD_DIR};
#else /* a package, which knows nothing of the machine that it was made on */
  static const char *const folders[] = {CURLEW_LIBEXEC_DIR};
#endif
  const char *given = getenv("CURLEW_MESHER");
  char self[4096];
  *path = NULL;
  if (given != NULL && given[0] != '\0') {
    if (access(given, X_OK) != 0)
      return dg_fail(err, DG_ENVIRONMENT, "cannot start '%s', which CURLEW_MESHER names: %s", given, strerror(errno));
    return dg_copy_string(path, given, err);
  }
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  while (length > 0 && self[length - 1] != '/') length--;
  static const char *const beside[] = {".", "../libexec/curlew"};
  for (size_t i = 0; i < 2 + sizeof folders / sizeof *folders; i++) {
    char *folder = NULL;
    if (i < 2 && length <= 0) continue;
    if (i < 2 && join(&folder, self, (size_t)length, beside[i], err) != 0) return err->code;
    const char *where = i < 2 ? folder : folders[i - 2];
    int failed = join(path, where, strlen(where), name, err);
    dg_free(folder);
    if (failed != 0) return err->code;
    if (access(*path, X_OK) == 0) return 0;
    dg_free(*path);
    *path = NULL;
  }
  return dg_fail(
      err, DG_ENVIRONMENT,
      "there is no program 'curlew-mesh', which makes meshes with Gmsh: it belongs beside curlew, in '%s', or "
      "where the environment variable CURLEW_MESHER says",
      CURLEW_LIBEXEC_DIR);
}

/* ---- start ---- */

/* Moves a descriptor to one that does not stand in the way of those of the process; the one given is closed. */
static int out_of_the_way(int descriptor)
{
  if (descriptor < 0) return descriptor;
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, DG_MESHER_DESCRIPTORS);
  (void)close(descriptor);
  return moved;
}

/* Makes the environment without the variables that tell a process that it is a rank of an MPI program. */
static int own_environment(char ***list, struct dg_error *err)
{
  static const char *const left_out[] = {"OMPI_", "PMIX_", "PMI_", "PRTE_", "HYDRA_", "MPIEXEC_"};
  size_t count = 0, kept = 0;
  while (environ[count] != NULL) count++;
  if (DG_NEW(*list, count + 1, err) != 0) return err->code;
  for (size_t i = 0; i < count; i++) {
    int leave = 0;
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
      leave = leave || strncmp(environ[i], left_out[k], strlen(left_out[k])) == 0;
    if (!leave) (*list)[kept++] = environ[i];
  }
  return 0;
}

/* The process of Gmsh: its descriptors, and what it leaves. */
struct mesher {
  pid_t id;
  int request, answer, words, life, his_life; /* descriptors; -1: none */
  char phase;
  int meshed, overdue, ended, status;
};

static void close_all(struct mesher *mesher)
{
  int *const all[] = {&mesher->request, &mesher->answer, &mesher->words, &mesher->life, &mesher->his_life};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (*all[i] >= 0) (void)close(*all[i]);
    *all[i] = -1;
  }
}

static int open_all(struct mesher *mesher, struct dg_error *err)
{
  int life[2] = {-1, -1};
  *mesher = (struct mesher){.request = -1, .answer = -1, .words = -1, .life = -1, .his_life = -1, .phase = 's'};
  mesher->request = out_of_the_way(memfd_create("curlew-mesh-request", MFD_CLOEXEC));
  mesher->answer = out_of_the_way(memfd_create("curlew-mesh-answer", MFD_CLOEXEC));
  mesher->words = out_of_the_way(memfd_create("curlew-mesh-words", MFD_CLOEXEC));
  if (pipe(life) == 0) {
    mesher->life = out_of_the_way(life[0]);
    mesher->his_life = out_of_the_way(life[1]);
  }
  if (mesher->request >= 0 && mesher->answer >= 0 && mesher->words >= 0 && mesher->life >= 0 && mesher->his_life >= 0)
    return 0;
  (void)dg_fail(err, DG_ENVIRONMENT, "cannot start curlew-mesh: %s", strerror(errno));
  close_all(mesher);
  return err->code;
}

/* Starts the process. There is no work between fork and exec, because threads of OpenMP and MPI are alive here. The
 * process has a group of its own, so that it can be ended together with what it has started. */
static int start(struct mesher *mesher, const char *path, int trust, char *const *environment)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t all, none;
  char name[] = "curlew-mesh";
  char *const arguments[] = {name, NULL};
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  if (posix_spawnattr_init(&attributes) != 0) {
    (void)posix_spawn_file_actions_destroy(&actions);
    return ENOMEM;
  }
  int status = posix_spawn_file_actions_adddup2(&actions, mesher->request, DG_MESHER_REQUEST);
  if (status == 0 && !trust) status = posix_spawn_file_actions_adddup2(&actions, mesher->words, STDOUT_FILENO);
  if (status == 0) status = posix_spawn_file_actions_adddup2(&actions, mesher->words, STDERR_FILENO);
  if (status == 0) status = posix_spawn_file_actions_adddup2(&actions, mesher->answer, DG_MESHER_ANSWER);
  if (status == 0) status = posix_spawn_file_actions_adddup2(&actions, mesher->his_life, DG_MESHER_LIFE);
  (void)sigfillset(&all);
  (void)sigemptyset(&none);
  (void)posix_spawnattr_setsigdefault(&attributes, &all);
  (void)posix_spawnattr_setsigmask(&attributes, &none);
  (void)posix_spawnattr_setpgroup(&attributes, 0);
  (void)posix_spawnattr_setflags(&attributes,
                                 (short)(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP));
  if (status == 0) status = posix_spawn(&mesher->id, path, &actions, &attributes, arguments, environment);
  (void)posix_spawnattr_destroy(&attributes);
  (void)posix_spawn_file_actions_destroy(&actions);
  (void)close(mesher->his_life);
  mesher->his_life = -1;
  return status;
}

/* ---- watch ---- */

static double now(void)
{
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Has the process ended? Somebody who ignores SIGCHLD takes the status away; the answer then says how it went. */
static void look(struct mesher *mesher, int options)
{
  pid_t who;
  do who = waitpid(mesher->id, &mesher->status, options);
  while (who < 0 && errno == EINTR);
  mesher->ended = who != 0;
  if (who < 0) mesher->status = 0;
}

/* Waits until the process has ended, or ends it because it takes too long. Its end closes the pipe. */
static void watch(struct mesher *mesher, double seconds)
{
  enum { AGAIN = 1000 };
  const double end = seconds > 0 ? now() + seconds : INFINITY;
  int open = 1;
  while (!mesher->ended) {
    char heard[16];
    struct pollfd pipe = {.fd = mesher->life, .events = POLLIN};
    double left = 1e3 * (end - now());
    mesher->overdue = left <= 0;
    if (mesher->overdue) break;
    int wait = left < AGAIN ? (int)left + 1 : AGAIN;
    if (!open && wait > 10) wait = 10;
    if (poll(&pipe, open ? 1 : 0, wait) > 0) {
      ssize_t got = read(mesher->life, heard, sizeof heard);
      if (got > 0) {
        mesher->meshed = mesher->meshed || memchr(heard, 'm', (size_t)got) != NULL;
        mesher->phase = heard[got - 1];
        continue;
      }
      if (got == 0) open = 0;
    }
    look(mesher, WNOHANG);
  }
  if (mesher->ended) return;
  (void)kill(-mesher->id, SIGKILL);
  (void)kill(mesher->id, SIGKILL);
  look(mesher, 0);
}

/* ---- the end of the process */

static const char *doing(char phase)
{
  switch (phase) {
#define X(letter, words)                                                                                               \
  case letter:                                                                                                         \
    return words;
    DG_MODEL_PHASES(X)
#undef X
  default:
    return "work on";
  }
}

/* Reads the last line that the process wrote, for people: C++ says there why it gave up. */
static void last_words(const struct mesher *mesher, char *words, size_t size)
{
  off_t length = lseek(mesher->words, 0, SEEK_END), from = length > (off_t)size - 1 ? length - (off_t)size + 1 : 0;
  ssize_t got = length > 0 ? pread(mesher->words, words, size - 1, from) : 0;
  if (got < 0) got = 0;
  while (got > 0 && (words[got - 1] == '\n' || words[got - 1] == ' ')) got--;
  words[got] = '\0';
  char *line = strrchr(words, '\n');
  if (line != NULL) memmove(words, line + 1, strlen(line + 1) + 1);
  for (char *c = words; *c != '\0'; c++)
    if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
}

static int no_memory(const struct mesher *mesher, const struct dg_mesh_options *options, struct dg_error *err)
{
  struct rlimit addresses;
  if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY &&
      (double)addresses.rlim_cur < options->memory)
    return dg_fail(err, DG_ENVIRONMENT, "out of memory: Gmsh wanted more than the %.3g GB of ulimit -v to %s '%s'",
                   1e-9 * (double)addresses.rlim_cur, doing(mesher->phase), options->file);
  return dg_fail(err, DG_ENVIRONMENT,
                 "out of memory: Gmsh wanted more than %.3g GB to %s '%s' (mesh.memory sets how much it may have)",
                 1e-9 * options->memory, doing(mesher->phase), options->file);
}

static int tried(const char *what, const struct dg_mesh_options *options, struct dg_error *err)
{
  return dg_fail(
      err, DG_INPUT,
      "'%s' tried %s, and was ended: a geometry may read its own folder, and nothing else; start curlew with "
      "--trust if you trust it",
      options->file, what);
}

static int explain_signal(const struct mesher *mesher, const struct dg_mesh_options *options, struct dg_error *err)
{
  char words[256];
  const int number = WTERMSIG(mesher->status);
  last_words(mesher, words, sizeof words);
  if (strstr(words, "bad_alloc") != NULL) return no_memory(mesher, options, err);
  if (number == SIGSYS && !options->trust) return tried("to start a program", options, err);
  if (number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP)
    return dg_fail(err, DG_ENVIRONMENT, "Gmsh was ended from outside (%s) before it could %s '%s'%s", strsignal(number),
                   doing(mesher->phase), options->file,
                   number == SIGKILL ? ": the machine's memory may be used up" : "");
  return dg_fail(err, DG_INPUT, "Gmsh crashed (%s) when it was to %s '%s'%s%s", strsignal(number), doing(mesher->phase),
                 options->file, words[0] != '\0' ? ": " : "", words);
}

static int explain(const struct mesher *mesher, const struct dg_mesh_options *options, struct dg_error *err)
{
  char words[512];
  if (mesher->overdue)
    return dg_fail(err, DG_INPUT, "Gmsh took longer than %g s to %s '%s' (mesh.seconds sets how long it may take)",
                   options->seconds, doing(mesher->phase), options->file);
  if (WIFSIGNALED(mesher->status)) return explain_signal(mesher, options, err);
  if (WEXITSTATUS(mesher->status) == DG_MESHER_NO_MEMORY) return no_memory(mesher, options, err);
  if (WEXITSTATUS(mesher->status) == DG_MESHER_DENIED && !options->trust) {
    last_words(mesher, words, sizeof words);
    return tried(words, options, err);
  }
  return 0;
}

/* Fails for a process that gave no complete answer and ended of its own will: a script told it to, if it came so
 * far. */
static int unanswered(const struct mesher *mesher, const struct dg_mesh_options *options, const char *path,
                      struct dg_error *err)
{
  char words[256];
  last_words(mesher, words, sizeof words);
  if (mesher->phase != 's' && WEXITSTATUS(mesher->status) == 0)
    return dg_fail(err, DG_INPUT, "the geometry '%s' ended Gmsh before there was a mesh: take Exit out of it",
                   options->file);
  if (mesher->phase != 's')
    return dg_fail(err, DG_INPUT, "Gmsh gave up (code %d) when it was to %s '%s'%s%s", WEXITSTATUS(mesher->status),
                   doing(mesher->phase), options->file, words[0] != '\0' ? ": " : "", words);
  return dg_fail(err, DG_ENVIRONMENT, "'%s' ended with code %d and without an answer%s%s", path,
                 WEXITSTATUS(mesher->status), words[0] != '\0' ? ": " : "", words);
}

static double memory_of_machine(void) { return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE); }

int dg_mesher_ask(int *answer, const struct dg_request *request, bool *meshed, struct dg_error *err)
{
  struct dg_request asked = *request;
  struct mesher mesher;
  struct dg_parcel parcel = {0};
  char *path = NULL, **environment = NULL;
  *answer = -1;
  *meshed = false;
  asked.parent = (long)getpid();
  if (asked.options.memory == 0) asked.options.memory = memory_of_machine();
  if (open_all(&mesher, err) != 0 || dg_mesher_find(&path, err) != 0 || own_environment(&environment, err) != 0 ||
      dg_request_put(&asked, &parcel, err) != 0)
    goto fail;
  if (dg_parcel_send(&parcel, mesher.request, DG_REQUEST_MAGIC, err) != 0) {
    dg_context(err, "in the request to curlew-mesh");
    goto fail;
  }
  DG_BUG_IF(path == NULL, "a program without a name");
  int status = start(&mesher, path, asked.options.trust, environment);
  if (status != 0) {
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot start '%s': %s", path, strerror(status));
    goto fail;
  }
  watch(&mesher, asked.options.seconds);
  *meshed = mesher.meshed && !mesher.overdue;
  if (explain(&mesher, &asked.options, err) != 0) goto fail;
  if (lseek(mesher.answer, 0, SEEK_END) <= 0) {
    (void)unanswered(&mesher, &asked.options, path, err);
    goto fail;
  }
  *answer = mesher.answer;
  mesher.answer = -1;
fail:
  close_all(&mesher);
  dg_parcel_release(&parcel);
  dg_free(environment);
  dg_free(path);
  return err->code;
}
