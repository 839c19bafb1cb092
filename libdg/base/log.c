/* The log of a run: lines to the terminal and to log.txt, warnings, and a line of progress that is overwritten where
 * the terminal can do that. Set-up, time loop and output call it on all ranks; ranks other than 0 have a log that says
 * nothing. */
#include "libdg/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "libdg/base/machine/launch.h"
#include "libdg/base/file.h"
#include "libdg/base/memory.h"

struct dg_log {
  bool echo, terminal, progress_shown;
  enum dg_hush hush;
  FILE *file;
  int status;
  struct dg_pace pace; /* of progress in the file */
  char *early;         /* the lines from before the file was opened */
  size_t early_used, early_size;
};

#define EARLY_BYTES 65536
#define LINE_BYTES  4096
#define PIECES      16
#define CLEAR       "\r\033[K"

/* The seconds of a clock that nobody sets. */
static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_dumb(void)
{
  const char *terminal = getenv("TERM");
  return terminal != NULL && strcmp(terminal, "dumb") == 0;
}

/* Is stdout a terminal whose lines can be replaced? See dg_log_on_terminal. */
static bool is_terminal(void) { return isatty(STDOUT_FILENO) && !dg_launched() && !is_dumb(); }

/* The columns of the terminal now: the user may have changed its size. */
static size_t columns(void)
{
  enum { USUAL = 80 };
  struct winsize size;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL;
}

bool dg_pace_due(struct dg_pace *pace, double now)
{
  const double doubled = fmax(pace->least, pace->last - pace->begun);
  if (now - pace->last < fmin(doubled, pace->most)) return false;
  pace->last = now;
  return true;
}

int dg_log_new(struct dg_log **log, int echo, struct dg_error *err)
{
  if (DG_NEW(*log, 1, err) != 0) return err->code;
  if (DG_NEW((*log)->early, EARLY_BYTES, err) != 0) {
    dg_free(*log);
    *log = NULL;
    return err->code;
  }
  (*log)->early_size = EARLY_BYTES;
  (*log)->echo = echo != 0;
  (*log)->terminal = echo && is_terminal();
  const double now = seconds();
  (*log)->pace = (struct dg_pace){.least = 60, .most = 600, .begun = now, .last = now};
  return 0;
}

static void note_failure(struct dg_log *log)
{
  if (log->status == 0) log->status = errno != 0 ? errno : EIO;
}

static void end_progress(struct dg_log *log)
{
  if (log->progress_shown) fputs(CLEAR, stdout);
  log->progress_shown = false;
}

void dg_log_clear_line(void)
{
  if (is_terminal()) fputs(CLEAR, stdout);
}

void dg_log_free(struct dg_log *log)
{
  if (log == NULL) return;
  end_progress(log);
  fflush(stdout); /* before what the caller prints to stderr */
  if (log->file != NULL) (void)fclose(log->file);
  dg_free(log->early);
  dg_free(log);
}

int dg_log_open(struct dg_log *log, const char *path, bool append, struct dg_error *err)
{
  int file;
  if (append && dg_file_kind(path) != DG_FILE_NONE) {
    if (dg_file_open(&file, path, O_WRONLY | O_APPEND, err) != 0) return err->code;
  } else {
    file = dg_file_create(path);
  }
  log->file = file >= 0 ? fdopen(file, append ? "a" : "w") : NULL;
  if (log->file == NULL) {
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
    if (file >= 0) close(file);
    return err->code;
  }
  setvbuf(log->file, NULL, _IOLBF, 0);
  if (fwrite(log->early, 1, log->early_used, log->file) != log->early_used || fflush(log->file) != 0) {
    int reason = errno;
    return dg_fail(err, DG_ENVIRONMENT, "cannot write '%s': %s", path, strerror(reason));
  }
  return 0;
}

static void to_file(struct dg_log *log, const char *line)
{
  if (log->file != NULL) {
    errno = 0;
    if (fprintf(log->file, "%s\n", line) < 0 || fflush(log->file) != 0) note_failure(log);
    return;
  }
  size_t length = strlen(line);
  if (log->early_used + length + 1 > log->early_size) return;
  memcpy(log->early + log->early_used, line, length);
  log->early[log->early_used + length] = '\n';
  log->early_used += length + 1;
}

void dg_log_hush(struct dg_log *log, enum dg_hush hush)
{
  if (log != NULL) log->hush = hush;
}

void dg_log_line(struct dg_log *log, const char *format, ...)
{
  if (log == NULL || log->hush >= DG_HUSH_LINES) return;
  char line[LINE_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (log->echo) {
    end_progress(log);
    printf("%s\n", line);
    fflush(stdout);
  }
  to_file(log, line);
}

void dg_log_warning(struct dg_log *log, const char *format, ...)
{
  if (log == NULL || log->hush == DG_HUSH_WARNINGS) return;
  char line[LINE_BYTES] = "warning: ";
  size_t prefix = strlen(line);
  va_list args;
  va_start(args, format);
  vsnprintf(line + prefix, sizeof line - prefix, format, args);
  va_end(args);
  end_progress(log);
  fflush(stdout);
  fprintf(stderr, "curlew: %s\n", line);
  to_file(log, line);
}

/* Joins the pieces that fit into `most` columns. */
static void join(char *line, size_t most, size_t count, const struct dg_piece *piece)
{
  bool left_out[PIECES] = {false};
  size_t length = 0, used = 0;
  if (count > PIECES) count = PIECES;
  for (size_t i = 0; i < count; i++) length += strlen(piece[i].text) + (i > 0 ? 2 : 0);
  while (length > most) {
    size_t least = count; /* the piece that is worth least */
    for (size_t i = 0; i < count; i++)
      if (!left_out[i] && piece[i].rank > 0 && (least == count || piece[i].rank > piece[least].rank)) least = i;
    if (least == count) break;
    left_out[least] = true;
    length -= strlen(piece[least].text) + 2;
  }
  line[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    if (left_out[i] || used >= most) continue;
    snprintf(line + used, most + 1 - used, "%s%s", used > 0 ? "  " : "", piece[i].text);
    used += strlen(line + used);
  }
}

void dg_log_progress(struct dg_log *log, size_t count, const struct dg_piece *piece)
{
  if (log == NULL) return;
  char line[LINE_BYTES];
  if (log->terminal) {
    const size_t wide = columns() - 1; /* a character in the last column may begin a new line */
    join(line, wide < LINE_BYTES ? wide : LINE_BYTES - 1, count, piece);
    printf(CLEAR "%s", line);
    log->progress_shown = true;
  }
  join(line, LINE_BYTES - 1, count, piece);
  if (log->echo && !log->terminal) printf("%s\n", line);
  fflush(stdout);
  if (dg_pace_due(&log->pace, seconds())) to_file(log, line);
}

bool dg_log_on_terminal(const struct dg_log *log) { return log != NULL && log->terminal; }

int dg_log_status(const struct dg_log *log) { return log == NULL ? 0 : log->status; }
