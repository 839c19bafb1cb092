/* The last way out: a reserve of addresses for libraries that cannot bear a null pointer, and handlers for crashes and
 * for a library that calls exit. The program's malloc (maxwell/app/malloc.c), main and the writer of the summary call
 * these functions. Code that runs without memory uses neither stdio nor malloc: it builds text in a buffer and writes
 * it with write(). */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "libdg/base/emergency.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libdg/base/memory.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED /* sanitizers have handlers and a malloc of their own, which say more */
#endif

enum { LINE = 400, LEAST_RESERVE = 1 << 20 };

static atomic_bool started, low;
static atomic_flag ending = ATOMIC_FLAG_INIT;
static _Atomic(void *) reserve;
static size_t reserve_bytes;

static atomic_int watched = -1; /* a descriptor */
static off_t error_place, status_place;
static size_t error_room;

/* ---- without memory, without locks */

struct text {
  char line[LINE];
  size_t used;
};

static void add(struct text *text, const char *string)
{
  for (; *string != '\0' && text->used < sizeof text->line - 1; string++) text->line[text->used++] = *string;
  text->line[text->used] = '\0';
}

static void add_number(struct text *text, size_t number)
{
  char digits[24];
  size_t at = sizeof digits - 1;
  digits[at] = '\0';
  do digits[--at] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  add(text, digits + at);
}

static void write_whole(int file, const char *text, size_t bytes)
{
  while (bytes > 0) {
    const ssize_t written = write(file, text, bytes);
    if (written <= 0) return;
    text += written;
    bytes -= (size_t)written;
  }
}

void dg_emergency_note(const char *line)
{
  static const char before[] = "  \"error\": \"", after[] = "\",", failed[] = "\"failed\" ";
  const int file = atomic_load(&watched);
  char entry[sizeof before + LINE + sizeof after];
  size_t used = sizeof before - 1;
  if (file < 0) return;
  memcpy(entry, before, used);
  for (; *line != '\0' && used < sizeof entry - sizeof after; line++)
    entry[used++] = *line == '"' || *line == '\\' || (unsigned char)*line < 0x20 ? '\'' : *line;
  memcpy(entry + used, after, sizeof after - 1);
  used += sizeof after - 1;
  if (used <= error_room && pwrite(file, entry, used, error_place) < 0) return;
  (void)!pwrite(file, failed, sizeof failed - 1, status_place);
}

_Noreturn void dg_emergency_end(enum dg_code code, const char *line)
{
  if (atomic_flag_test_and_set(&ending))
    for (;;) pause(); /* another thread ends the program, with what it has to say */
  struct text text = {.used = 0};
  add(&text, "curlew: ");
  add(&text, line);
  add(&text, "\n");
  write_whole(STDERR_FILENO, text.line, text.used);
  dg_emergency_note(line);
  _exit((int)code);
}

/* ---- memory */

bool dg_emergency_memory(size_t bytes)
{
  if (!atomic_load(&started) || dg_memory_asked() || bytes > PTRDIFF_MAX) return false;
  atomic_store(&low, true);
  void *const room = atomic_exchange(&reserve, NULL);
  if (room != NULL) {
    (void)munmap(room, reserve_bytes);
    return true;
  }
  struct text text = {.used = 0};
  add(&text, "out of memory: a library asked for ");
  add_number(&text, bytes);
  add(&text, " bytes while ");
  add_number(&text, dg_memory_current() / 1000000);
  add(&text, " MB were in use by the program itself");
  dg_emergency_end(DG_ENVIRONMENT, text.line);
}

int dg_emergency_check(struct dg_error *err)
{
  if (err->code != DG_OK || !atomic_load(&low)) return err->code;
  return dg_fail(err, DG_ENVIRONMENT,
                 "out of memory: a library has used up the reserve while %.3f MB were in use by the program itself",
                 1e-6 * (double)dg_memory_current());
}

/* ---- the other ways out */

static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
enum { CRASHES = sizeof crashes / sizeof *crashes };

void dg_emergency_mask(sigset_t *signals)
{
  sigfillset(signals);
  for (int i = 0; i < CRASHES; i++) sigdelset(signals, crashes[i]);
}

#ifndef SANITIZED
static void on_crash(int number)
{
  struct text text = {.used = 0};
  if (atomic_load(&low)) {
    add(&text, "out of memory: signal ");
  } else {
    add(&text, "bug: signal ");
  }
  add_number(&text, (size_t)number);
  add(&text, number == SIGSEGV   ? " (invalid memory access)"
             : number == SIGBUS  ? " (bus error: memory, or a disk behind it, is missing)"
             : number == SIGABRT ? " (a library or the program gave up)"
                                 : "");
  dg_emergency_end(atomic_load(&low) ? DG_ENVIRONMENT : DG_BUG, text.line);
}

/* Installs handlers for crashes, with a stack of their own, because the program's stack may be what is full. */
static void catch_crashes(void)
{
  static char stack[65536];
  const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  (void)sigaltstack(&own, NULL);
  for (int i = 0; i < CRASHES; i++) {
    struct sigaction before, action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
    sigfillset(&action.sa_mask);
    if (sigaction(crashes[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      (void)sigaction(crashes[i], &action, NULL);
  }
}
#endif

static void on_exit_of_library(void)
{
  if (atomic_load(&started)) dg_emergency_end(DG_ENVIRONMENT, "a library ended the program, see above");
}

void dg_emergency_start(size_t bytes)
{
  for (; bytes >= LEAST_RESERVE; bytes /= 2) {
    void *const room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) continue;
    reserve_bytes = bytes;
    atomic_store(&reserve, room);
    break;
  }
#ifndef SANITIZED
  catch_crashes();
#endif
  atomic_store(&started, true);
  (void)atexit(on_exit_of_library);
}

void dg_emergency_over(enum dg_code code)
{
  atomic_store(&started, false);
#ifndef SANITIZED
  if (code == DG_OK) return;
  fflush(NULL);
  _exit((int)code);
#else
  (void)code;
#endif
}

void dg_emergency_watch(int file, off_t error_at, size_t room, off_t status_at)
{
  error_place = error_at;
  error_room = room;
  status_place = status_at;
  atomic_store(&watched, file);
}

int dg_emergency_forget(void) { return atomic_exchange(&watched, -1); }
