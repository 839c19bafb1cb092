/* Enters the sandbox in the process curlew-mesh: limits, Landlock, the filter of system calls (sandbox_filter.c), and
 * the handler that carries out or refuses each opening of a file. mesher_main.c calls it before Gmsh sees a file. */
#define _GNU_SOURCE /* realpath, syscall, O_PATH, the registers of a signal's context */
#include "libdg/mesh/gmsh/sandbox.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdg/base/bug.h"
#include "libdg/mesh/gmsh/sandbox_filter.h"

/* The sandbox of the process. The kernel has one a process, and the handler of a signal finds it here. */
static struct {
  size_t places;
  struct {
    char path[PATH_MAX]; /* resolved */
    size_t length;
    bool folder, libraries;
  } place[DG_SANDBOX_PLACES_MAX];
  uint64_t secret;
  volatile sig_atomic_t armed;
  void (*denied)(const char *what);
  char refused[PATH_MAX], sidecar[PATH_MAX];
} sandbox;

const char *dg_sandbox_refused(void) { return sandbox.refused; }
const char *dg_sandbox_sidecar(void) { return sandbox.sidecar; }

void dg_sandbox_arm(void)
{
  sandbox.refused[0] = '\0';
  sandbox.armed = 1;
}

#if defined __linux__ && (defined __x86_64__ || defined __aarch64__)

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <ucontext.h>

/* ---- Landlock ---- */

/* Numbers as linux/landlock.h has them; older headers do not know the later ones. */
enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446, LANDLOCK_VERSION = 1, LANDLOCK_BENEATH = 1 };
enum { MAY_READ_FILE = 1 << 2, MAY_READ_DIR = 1 << 3 };

struct landlock_rules {
  uint64_t files, network, scoped;
};

struct __attribute__((packed)) landlock_place {
  uint64_t allowed;
  int32_t folder;
};

/* The rules for everything that this version of Landlock can forbid. */
static struct landlock_rules all_rules(long version)
{
  return (struct landlock_rules){
      .files = (1U << (version >= 5   ? 16
                       : version >= 3 ? 15
                       : version >= 2 ? 14
                                      : 13)) -
               1,
      .network = version >= 4 ? 3 : 0,
      .scoped = version >= 6 ? 3 : 0,
  };
}

static bool allow_place(int rules, size_t i)
{
  struct landlock_place place = {.allowed = MAY_READ_FILE, .folder = open(sandbox.place[i].path, O_PATH | O_CLOEXEC)};
  if (place.folder < 0) return false;
  if (sandbox.place[i].folder) place.allowed |= MAY_READ_DIR;
  const bool done = syscall(LANDLOCK_ADD, rules, LANDLOCK_BENEATH, &place, 0) == 0;
  (void)close(place.folder);
  return done;
}

static int enter_landlock(bool *entered, struct dg_error *err)
{
  const long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);
  if (version < 1) return 0;
  const struct landlock_rules all = all_rules(version);
  const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const int rules = (int)syscall(LANDLOCK_CREATE, &all, size, 0);
  bool done = rules >= 0;
  for (size_t i = 0; i < sandbox.places && done; i++) done = allow_place(rules, i);
  done = done && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(LANDLOCK_RESTRICT, rules, 0) == 0;
  if (!done) (void)dg_fail(err, DG_ENVIRONMENT, "Landlock does not take its rules: %s", strerror(errno));
  if (rules >= 0) (void)close(rules);
  *entered = done;
  return err->code;
}

/* ---- seccomp: the answers to trapped calls; in the handler of a signal */

static size_t append(char *text, size_t used, const char *more)
{
  while (*more != '\0' && used + 1 < PATH_MAX + 64) {
    text[used++] = (unsigned char)*more < ' ' || *more == 0x7f ? '?' : *more;
    more++;
  }
  text[used] = '\0';
  return used;
}

static void end(const char *what, const char *name) __attribute__((noreturn));
static void end(const char *what, const char *name)
{
  char text[PATH_MAX + 64];
  size_t used = append(text, 0, what);
  if (name != NULL) {
    used = append(text, used, " '");
    used = append(text, used, name);
    used = append(text, used, "'");
  }
  if (sandbox.denied != NULL) {
    sandbox.denied(text);
  } else {
    static const char head[] = "denied: it tried ";
    (void)!write(STDERR_FILENO, head, sizeof head - 1);
    (void)!write(STDERR_FILENO, text, used);
    (void)!write(STDERR_FILENO, "\n", 1);
  }
  _exit(2);
}

/* Copies a name. A wild pointer ends the process here; the call itself would fail with EFAULT. */
static bool copy_name(char *to, const char *from)
{
  if (from == NULL) return false;
  size_t length = 0;
  for (; length + 1 < PATH_MAX && from[length] != '\0'; length++) to[length] = from[length];
  to[length] = '\0';
  return true;
}

static long try_open(int folder, const char *name, int flags)
{
  const long file = syscall(SYS_openat, folder, name, flags, 0, 0, sandbox.secret);
  return file >= 0 ? file : -(long)errno;
}

static bool is_allowed(const char *path)
{
  for (size_t i = 0; i < sandbox.places; i++) {
    const size_t length = sandbox.place[i].length;
    if (strncmp(path, sandbox.place[i].path, length) != 0) continue;
    if (sandbox.place[i].libraries && strstr(path + length, ".so") == NULL) continue;
    if (path[length] == '\0' || (sandbox.place[i].folder && (path[length] == '/' || length == 1))) return true;
  }
  return false;
}

static bool ends_with(const char *path, const char *end)
{
  const size_t length = strlen(path), own = strlen(end);
  return length > own && strcmp(path + length - own, end) == 0;
}

/* Is it a sidecar? NAME.opt beside NAME; or a file that Open CASCADE looks for in the current folder, XSTEP.us and the
 * like. */
static bool is_sidecar(const char *path)
{
  char beside[PATH_MAX];
  if (ends_with(path, ".us")) return true;
  if (!ends_with(path, ".opt")) return false;
  const size_t length = strlen(path) - strlen(".opt"); /* the path is shorter than PATH_MAX */
  memcpy(beside, path, length);
  beside[length] = '\0';
  return faccessat(AT_FDCWD, beside, F_OK, 0) == 0;
}

/* Is it a file of zones, languages or processors, which libraries look up and do without? */
static bool is_of_libraries(const char *path)
{
  static const char *const places[] = {"/usr/share/zoneinfo/", "/usr/share/locale/", "/usr/lib/locale/", "/etc/locale",
                                       "/etc/fltk/",           "/sys/devices/",      "/proc/stat"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (strncmp(path, places[i], strlen(places[i])) == 0) return true;
  return false;
}

/* Opens a file to read it. The file is looked at before that: to open a device or a pipe can already do something. */
static long open_to_read(int folder, const char *name, int flags)
{
  char link[40], path[PATH_MAX];
  const long file = try_open(folder, name, O_PATH | O_CLOEXEC | (flags & (O_NOFOLLOW | O_DIRECTORY)));
  if (file < 0) return file;
  size_t used = append(link, 0, "/proc/self/fd/");
  char digits[12];
  size_t at = sizeof digits - 1;
  digits[at] = '\0';
  for (long rest = file; at == sizeof digits - 1 || rest > 0; rest /= 10) digits[--at] = (char)('0' + rest % 10);
  (void)append(link, used, digits + at);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length >= 0) path[length] = '\0';
  long result = -EACCES;
  if (length < 0) {
    result = -EACCES; /* without /proc nobody can say which file it is */
  } else if (!is_allowed(path)) {
    if (!is_of_libraries(path)) (void)append(sandbox.refused, 0, path);
  } else if (is_sidecar(path)) {
    (void)append(sandbox.sidecar, 0, path);
    result = -ENOENT;
  } else {
    result = (flags & O_PATH) != 0 ? try_open(folder, name, flags) : try_open(AT_FDCWD, link, flags & ~O_NOFOLLOW);
  }
  (void)close((int)file);
  return result;
}

static long answer(const siginfo_t *info, const uint64_t argument[3])
{
  union { /* a register that holds a pointer */
    uint64_t number;
    const char *name;
  } first = {.number = argument[0]}, second = {.number = argument[1]};
#ifdef __x86_64__
  const bool at = info->si_syscall == SYS_openat || info->si_syscall == SYS_unlinkat;
#else
  const bool at = true;
#endif
  char name[PATH_MAX];
  const int folder = at ? (int)argument[0] : AT_FDCWD;
  if (info->si_errno > DG_TRAP_REMOVE) return -EACCES; /* not armed */
  if (!copy_name(name, at ? second.name : first.name)) return -EFAULT;
  switch (info->si_errno) {
  case DG_TRAP_READ:
    return open_to_read(folder, name, (int)argument[at ? 2 : 1]);
  case DG_TRAP_WRITE:
    if (!sandbox.armed) return -EACCES;
    end("to write the file", name);
  case DG_TRAP_REMOVE:
    if (faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0) return -errno;
    if (!sandbox.armed) return -EACCES;
    end("to remove the file", name);
  default:
    return -EACCES;
  }
}

/* Ends the process for calls whose arguments need no look. */
static void end_for(int trap)
{
  if (trap == DG_TRAP_CHANGE) end("to change or make files", NULL);
  if (trap == DG_TRAP_NETWORK) end("to reach a network", NULL);
  if (trap == DG_TRAP_PROCESS) end("to reach other programs", NULL);
  if (trap == DG_TRAP_SYSTEM) end("to change the system", NULL);
}

enum { FROM_FILTER = 1 }; /* SYS_SECCOMP of the kernel, which this C library does not name */

static void handle(int signal, siginfo_t *info, void *context)
{
  (void)signal;
  const int before = errno;
  ucontext_t *state = context;
  if (info->si_code != FROM_FILTER) end("something that is not allowed", NULL);
  if (sandbox.armed) end_for(info->si_errno);
#ifdef __x86_64__
  const uint64_t argument[3] = {(uint64_t)state->uc_mcontext.gregs[REG_RDI],
                                (uint64_t)state->uc_mcontext.gregs[REG_RSI],
                                (uint64_t)state->uc_mcontext.gregs[REG_RDX]};
  state->uc_mcontext.gregs[REG_RAX] = answer(info, argument);
#else
  const uint64_t argument[3] = {state->uc_mcontext.regs[0], state->uc_mcontext.regs[1], state->uc_mcontext.regs[2]};
  state->uc_mcontext.regs[0] = (uint64_t)answer(info, argument);
#endif
  errno = before;
}

static int enter_seccomp(bool *entered, struct dg_error *err)
{
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER}, before;
  if (getrandom(&sandbox.secret, sizeof sandbox.secret, 0) != (ssize_t)sizeof sandbox.secret)
    return dg_fail(err, DG_ENVIRONMENT, "the kernel gives no random numbers: %s", strerror(errno));
  (void)sigemptyset(&action.sa_mask);
  if (sigaction(SIGSYS, &action, &before) != 0)
    return dg_fail(err, DG_ENVIRONMENT, "the signal SIGSYS cannot be handled: %s", strerror(errno));
  *entered = dg_sandbox_filter(sandbox.secret);
  if (*entered) return 0;
  (void)sigaction(SIGSYS, &before, NULL);
  if (errno == ENOSYS || errno == EINVAL) return 0; /* a kernel without it */
  return dg_fail(err, DG_ENVIRONMENT, "seccomp does not take its filter: %s", strerror(errno));
}

#else

static int enter_landlock(bool *entered, struct dg_error *err)
{
  *entered = false;
  return err->code;
}
static int enter_seccomp(bool *entered, struct dg_error *err)
{
  *entered = false;
  return err->code;
}

#endif

static void add_place(const char *path, bool libraries)
{
  const size_t i = sandbox.places;
  struct stat about;
  if (realpath(path, sandbox.place[i].path) == NULL || stat(sandbox.place[i].path, &about) != 0) return;
  sandbox.place[i].length = strlen(sandbox.place[i].path);
  sandbox.place[i].folder = S_ISDIR(about.st_mode);
  sandbox.place[i].libraries = libraries;
  sandbox.places++;
}

int dg_sandbox_enter(const struct dg_sandbox *wanted, struct dg_sandbox_walls *walls, struct dg_error *err)
{
  DG_BUG_IF(wanted->places > DG_SANDBOX_PLACES_MAX, "%zu places", wanted->places);
  *walls = (struct dg_sandbox_walls){0};
  sandbox.places = 0;
  sandbox.denied = wanted->denied;
  for (size_t i = 0; i < wanted->places; i++) add_place(wanted->place[i], i + wanted->libraries >= wanted->places);
  if (enter_landlock(&walls->landlock, err) != 0) return err->code;
  return enter_seccomp(&walls->seccomp, err);
}
