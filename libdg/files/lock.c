/* Record locks of open files; see lock.h. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "libdg/files/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libdg/base/file.h"

/* Sets a lock on a range; 0, or errno. length 0: up to the end, wherever that will be. */
static int set(int file, short type, off_t first, off_t length)
{
  struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = length};
  int status;
  do status = fcntl(file, F_OFD_SETLK, &range);
  while (status != 0 && errno == EINTR);
  return status == 0 ? 0 : errno;
}

static bool is_busy(int reason) { return reason == EAGAIN || reason == EACCES || reason == EWOULDBLOCK; }

/* Reads the holder's signature, "HOST PID DATE TIME"; false: nothing yet. */
static bool read_holder(int file, char host[80], long *process, char since[40])
{
  char text[DG_LOCK_HOLDER] = "", date[16], hour[16];
  if (pread(file, text, sizeof text - 1, 0) <= 0) return false;
  if (sscanf(text, "%79s %ld %15s %15s", host, process, date, hour) != 4) return false;
  snprintf(since, 40, "%s %s", date, hour);
  return true;
}

static bool is_here(const char *host)
{
  char here[80] = "";
  (void)gethostname(here, sizeof here - 1);
  return strcmp(host, here) == 0;
}

static bool lives(long process) { return kill((pid_t)process, 0) == 0 || errno == EPERM; }

/* Names the holder. A moment passes between taking the lock and signing; meanwhile the file names nobody, or somebody
 * who is gone. */
static void name_holder(int file, char holder[DG_LOCK_HOLDER])
{
  enum { TRIES = 20 };
  const struct timespec moment = {.tv_nsec = 10000000};
  char host[80], since[40];
  long process = 0;
  bool known = false;
  holder[0] = '\0';
  for (int i = 0; i < TRIES && !known; i++) {
    if (i > 0) nanosleep(&moment, NULL);
    if (!read_holder(file, host, &process, since)) continue;
    known = !is_here(host) || lives(process);
    snprintf(holder, DG_LOCK_HOLDER, "%s, process %ld, since %s", host, process, since);
  }
}

/* Signs the file for those that do not get the lock. A signature that cannot be written is left out. */
static void sign(int file)
{
  char host[80] = "", text[DG_LOCK_HOLDER], when[40];
  time_t now = time(NULL);
  struct tm local;
  (void)gethostname(host, sizeof host - 1);
  if (localtime_r(&now, &local) == NULL || strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &local) == 0) return;
  snprintf(text, sizeof text, "%s %ld %s\n", host, (long)getpid(), when);
  if (ftruncate(file, 0) == 0 && pwrite(file, text, strlen(text), 0) == (ssize_t)strlen(text)) (void)fdatasync(file);
}

/* For file systems without locks: is the process that has signed still there, on this machine? More cannot be known. */
static enum dg_lock_state without_locks(int file)
{
  char host[80], since[40];
  long process = 0;
  if (read_holder(file, host, &process, since) && is_here(host) && process != (long)getpid() && lives(process))
    return DG_LOCK_BUSY;
  sign(file);
  return DG_LOCK_MISSING;
}

int dg_lock_take(struct dg_lock *lock, const char *path, bool create, enum dg_lock_state *state,
                 char holder[DG_LOCK_HOLDER], struct dg_error *err)
{
  int file = -1;
  lock->held = 0;
  holder[0] = '\0';
  *state = DG_LOCK_TAKEN;
  if (dg_file_kind(path) == DG_FILE_NONE && create) {
    file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST)
      return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
  }
  if (file < 0 && !create && (dg_file_kind(path) == DG_FILE_NONE || access(path, W_OK) != 0)) return 0;
  if (file < 0 && dg_file_open(&file, path, O_RDWR, err) != 0) return err->code;
  const int reason = set(file, F_WRLCK, 0, 0);
  if (is_busy(reason)) *state = DG_LOCK_BUSY;
  else if (reason != 0) *state = without_locks(file);
  if (*state == DG_LOCK_BUSY) {
    name_holder(file, holder);
    close(file);
    return 0;
  }
  if (*state == DG_LOCK_TAKEN) {
    (void)set(file, F_UNLCK, 1, 0);
    sign(file);
  }
  lock->held = file + 1;
  return 0;
}

int dg_lock_join(struct dg_lock *lock, const char *path, int rank, struct dg_error *err)
{
  int file;
  lock->held = 0;
  if (dg_file_open(&file, path, O_RDWR, err) != 0) return err->code;
  if (is_busy(set(file, F_WRLCK, rank, 1))) {
    close(file);
    return dg_fail(err, DG_ENVIRONMENT, "'%s' belongs to another run", path);
  }
  lock->held = file + 1;
  return 0;
}

void dg_lock_release(struct dg_lock *lock, bool sign_off)
{
  const int file = lock->held - 1;
  if (file >= 0) {
    if (sign_off && ftruncate(file, 0) != 0) errno = 0; /* it would name who is gone: no harm */
    (void)set(file, F_UNLCK, 0, 0);                     /* also where a child still has it open */
  }
  dg_lock_forget(lock);
}

void dg_lock_forget(struct dg_lock *lock)
{
  if (lock->held > 0) close(lock->held - 1);
  lock->held = 0;
}
