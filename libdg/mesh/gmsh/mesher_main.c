/* curlew-mesh: the program in which Gmsh works. mesher.c alone starts it; request.h says which descriptors it gets. No
 * other program links Gmsh, so that a crash of Gmsh ends this process only. */
#define _GNU_SOURCE /* prctl, clearenv, dl_iterate_phdr */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libdg/base/memory.h"
#include "libdg/mesh/gmsh/gmsh_session.h"
#include "libdg/mesh/gmsh/mesher_files.h"
#include "libdg/mesh/load/request.h"
#include "libdg/mesh/gmsh/sandbox.h"

#ifndef CURLEW_INSTALL_SHARE_DIR
#define CURLEW_INSTALL_SHARE_DIR "/usr/local/share/curlew"
#endif

#ifdef CURLEW_KEEP_MALLOC
/* Turns the leak sanitizer off. A script's Exit is exit, where the address sanitizer would look for leaks and start a
 * process for that, which the sandbox would take for the script's doing. This program itself leaves by _exit, where the
 * sanitizer does not look. */
int __lsan_is_turned_off(void); /* NOLINT: the sanitizer's name */
int __lsan_is_turned_off(void) /* NOLINT */ { return 1; }
#endif

/* Closes the descriptors of the program that started this one: files that it writes, sockets of MPI. */
static void close_others(void)
{
  DIR *dir = opendir("/proc/self/fd");
  if (dir == NULL) {
    for (int i = DG_MESHER_DESCRIPTORS; i < 1024; i++) (void)close(i);
    return;
  }
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    int number = (int)strtol(entry->d_name, NULL, 10);
    if (number >= DG_MESHER_DESCRIPTORS && number != dirfd(dir)) (void)close(number);
  }
  (void)closedir(dir);
}

static void limit_memory(double bytes)
{
#if defined(__SANITIZE_ADDRESS__) || defined(CURLEW_KEEP_MALLOC) /* builds with sanitizers, of any compiler */
  (void)bytes;                                                   /* shadow memory is many times that of the machine */
#else
  const struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
  if (bytes > 0) (void)setrlimit(RLIMIT_AS, &limit);
#endif
}

/* Offers this process to the kernel. When the machine's memory is used up, the kernel ends this process, not the run
 * that waits for it. */
static void offer_to_kernel(void)
{
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)!write(file, "1000", 4);
  (void)close(file);
}

/* Ends this process together with the program that asked. */
static int stay_with(long parent)
{
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  return getppid() == (pid_t)parent;
}

/* Makes the answer: the question, Gmsh's messages, the code of an error and its message or 0, and the model. */
static int make_answer(struct dg_parcel *answer, const struct dg_parcel *key, const struct dg_model *model,
                       const char *messages, const struct dg_error *problem, struct dg_error *err)
{
  if (dg_parcel_put_array(answer, key->used, 1, key->start, err) != 0 ||
      dg_parcel_put_text(answer, messages != NULL ? messages : "", err) != 0 ||
      dg_parcel_put_number(answer, problem->code, err) != 0 ||
      dg_parcel_put_text(answer, problem->code != DG_OK ? problem->message : "", err) != 0)
    return err->code;
  return dg_model_put(model, answer, err);
}

/* Keeps only the notes of a model that was not made. */
static void keep_notes(struct dg_model *model)
{
  struct dg_model bare = {.notes = model->notes, .note = model->note};
  memcpy(bare.gmsh, model->gmsh, sizeof bare.gmsh);
  model->notes = 0;
  model->note = NULL;
  dg_model_release(model);
  *model = bare;
}

/* ---- limits of a geometry */

static void say_denied(const char *what)
{
  (void)!write(STDERR_FILENO, what, strlen(what));
  (void)!write(STDERR_FILENO, "\n", 1);
  _exit(DG_MESHER_DENIED);
}

/* Decides whether to go on with the walls that there are. Where the kernel cannot hold a script, its sidecar is the one
 * danger that can still be found beforehand. */
static int without_walls(struct dg_model *model, const char *file, const struct dg_sandbox_walls *walls,
                         struct dg_error *err)
{
  char sidecar[PATH_MAX];
  if (!walls->seccomp && snprintf(sidecar, sizeof sidecar, "%s.opt", file) < (int)sizeof sidecar &&
      access(sidecar, F_OK) == 0)
    return dg_fail(err, DG_INPUT,
                   "Gmsh would read options from '%s': write them into the geometry, or start curlew with --trust",
                   sidecar);
  if (walls->seccomp || walls->landlock) return 0;
  return dg_model_note(model, true, err,
                       "this kernel has neither Landlock nor seccomp: what '%s' must not do is only looked for in its "
                       "text",
                       file);
}

/* The folders of the libraries that are loaded: some libraries load further ones when they need them. */
struct folders {
  size_t count;
  char name[DG_SANDBOX_PLACES_MAX - 5][PATH_MAX];
};

static int add_folder(struct dl_phdr_info *library, size_t size, void *all)
{
  struct folders *folders = all;
  const char *slash = strrchr(library->dlpi_name, '/');
  const size_t length = slash != NULL ? (size_t)(slash - library->dlpi_name) : 0;
  (void)size;
  if (length == 0 || length >= PATH_MAX) return 0;
  for (size_t i = 0; i < folders->count; i++)
    if (strncmp(folders->name[i], library->dlpi_name, length) == 0 && folders->name[i][length] == '\0') return 0;
  if (folders->count == sizeof folders->name / sizeof *folders->name) return 0;
  memcpy(folders->name[folders->count], library->dlpi_name, length);
  folders->name[folders->count++][length] = '\0';
  return 0;
}

/* Finds the folder of the geometry that comes with the program: $CURLEW_GEO, or geo in the share folder, which is where
 * maxwell/shell/script/world/share.h has it: $CURLEW_SHARE, that of the sources, or that of the installation. */
static const char *find_library(char path[PATH_MAX])
{
  static const char *const places[] = {
#ifdef CURLEW_SHARE_DIR /* of the source tree; packages know none */
      CURLEW_SHARE_DIR,
#endif
      CURLEW_INSTALL_SHARE_DIR};
  const char *given = getenv("CURLEW_GEO"), *share = getenv("CURLEW_SHARE");
  if (given != NULL) return snprintf(path, PATH_MAX, "%s", given) < PATH_MAX ? path : "";
  if (share != NULL) return snprintf(path, PATH_MAX, "%s/geo", share) < PATH_MAX ? path : "";
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (snprintf(path, PATH_MAX, "%s/geo", places[i]) < PATH_MAX && access(path, R_OK) == 0) return path;
  return "";
}

/* Enters the sandbox. From here on the geometry's folder and the library can be read, and nothing else be done. */
static int enter_sandbox(struct dg_model *model, const char *file, const char *library, struct dg_error *err)
{
  char folder[PATH_MAX];
  const char *slash = strrchr(file, '/');
  const int length = slash == NULL || slash == file ? 1 : (int)(slash - file);
  struct dg_sandbox_walls walls;
  static struct folders folders;
  struct dg_sandbox sandbox = {
      .places = 5, .place = {folder, "/dev/null", "/dev/urandom", "/etc/ld.so.cache", library}, .denied = say_denied};
  if (snprintf(folder, sizeof folder, "%.*s", length, slash == NULL ? "." : file) >= (int)sizeof folder)
    return dg_fail(err, DG_INPUT, "the name of mesh file '%s' is too long", file);
  /* Scripts can read the environment, and libraries find files by it; GMSH_HOME is where Gmsh would keep a temporary
   * file and options. */
  if (clearenv() != 0 || setenv("GMSH_HOME", "/nonexistent/", 1) != 0)
    return dg_fail(err, DG_ENVIRONMENT, "out of memory");
  (void)dl_iterate_phdr(add_folder, &folders);
  for (size_t i = 0; i < folders.count; i++) sandbox.place[sandbox.places++] = folders.name[i];
  sandbox.libraries = folders.count;
  if (dg_sandbox_enter(&sandbox, &walls, err) != 0) return err->code;
  return without_walls(model, file, &walls, err);
}

/* Tells what the sandbox kept the process from without ending it. */
static int tell_of_sandbox(struct dg_model *model, struct dg_error *problem, struct dg_error *err)
{
  if (problem->code == DG_INPUT && dg_sandbox_refused()[0] != '\0')
    dg_context(problem, "and may not read '%s', which lies outside of its folder (--trust lifts this)",
               dg_sandbox_refused());
  else if (dg_sandbox_refused()[0] != '\0' && /* Gmsh goes on without a file of sizes, for example */
           dg_model_note(model, true, err,
                         "'%s' was not read: it lies outside of the geometry's folder (--trust lifts this)",
                         dg_sandbox_refused()) != 0)
    return err->code;
  if (dg_sandbox_sidecar()[0] == '\0') return 0;
  return dg_model_note(
      model, true, err,
      "options of Gmsh in '%s' are not read: write them into the geometry, or start curlew with --trust",
      dg_sandbox_sidecar());
}

static void load(struct dg_model *model, const struct dg_request *request, struct dg_error *problem)
{
  const struct dg_mesh_options *options = &request->options;
  struct dg_error err = {0};
  char library[PATH_MAX];
  const char *found = find_library(library);
  dg_mesher_files_library(found);
  if (found[0] == '\0') found = "/dev/null";
  if (!options->trust && enter_sandbox(model, options->file, found, problem) != 0) return;
  (void)!dg_gmsh_load(model, options, request->part, problem);
  if (tell_of_sandbox(model, problem, &err) != 0 && problem->code == DG_OK) *problem = err;
}

static int serve(struct dg_request *request, struct dg_error *err)
{
  struct dg_model model = {.life = DG_MESHER_LIFE};
  struct dg_parcel answer = {0}, key = {0};
  struct dg_error problem = {0};
  char *messages = NULL;
  size_t size = 0;
  if (dg_request_key(request, &key, err) != 0 || dg_mesher_files_watch(&model, err) != 0) return err->code;
  request->options.messages = open_memstream(&messages, &size);
  if (request->options.file[0] != '\0') load(&model, request, &problem);
  else dg_gmsh_get_version(&model);
  if (request->options.messages != NULL) (void)fclose(request->options.messages);
  if (problem.code == DG_OK && request->options.file[0] != '\0') (void)!dg_mesher_files_report(&model, &problem);
  if (problem.code != DG_OK) keep_notes(&model);
  for (char *c = problem.message; *c != '\0'; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
  if (make_answer(&answer, &key, &model, messages, &problem, err) == 0)
    (void)!dg_parcel_send(&answer, DG_MESHER_ANSWER, DG_ANSWER_MAGIC, err);
  return err->code;
}

int main(void)
{
  const struct rlimit no_core = {0, 0};
  struct dg_parcel parcel = {0};
  struct dg_request request = {0};
  struct dg_error err = {0};
  close_others();
  (void)fcntl(DG_MESHER_ANSWER, F_SETFD, FD_CLOEXEC); /* a trusted script's programs have no part in this */
  (void)fcntl(DG_MESHER_LIFE, F_SETFD, FD_CLOEXEC);
  (void)setrlimit(RLIMIT_CORE, &no_core);
  (void)signal(SIGXFSZ, SIG_IGN); /* an answer larger than files may be is an error of the write (ulimit -f) */
  offer_to_kernel();
  if (dg_parcel_receive(&parcel, DG_MESHER_REQUEST, DG_REQUEST_MAGIC, &err) != 0 ||
      dg_request_take(&request, &parcel, &err) != 0) {
    fprintf(stderr, "curlew-mesh: the request %s; curlew starts this program\n", err.message);
    return DG_ENVIRONMENT;
  }
  if (!stay_with(request.parent)) return DG_ENVIRONMENT;
  limit_memory(request.options.memory);
  if (serve(&request, &err) != 0) fprintf(stderr, "curlew-mesh: the answer %s\n", err.message);
  /* _exit leaves out the work of Gmsh and its libraries at the end, which can fail as well. */
  _exit(err.code != DG_OK && strstr(err.message, "out of memory") != NULL ? DG_MESHER_NO_MEMORY : (int)err.code);
}
