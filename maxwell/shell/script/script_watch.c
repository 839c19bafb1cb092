/* A thread with a clock that ends calls of Lua which take too long, by a signal to the thread that is in Lua. Every
 * call of a function of the script is announced here. */
#include "maxwell/shell/script/script_watch.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "libdg/base/clock.h"
#include "libdg/base/emergency.h"
#include "libdg/base/plain_locale.h"
#include "libdg/base/memory.h"

static const double patience = 2; /* seconds that a call may last when the run is interrupted: it may be at its end */

struct mx_watch {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool quit;
  _Atomic(double) seconds;
  void (*stop)(void *context, enum mx_watch_reason why);
  void *context;
  _Atomic(const volatile sig_atomic_t *) interrupt;
  atomic_ulong calls;   /* begun and ended, together: odd in a call */
  atomic_ulong overdue; /* value of `calls` in the call that must end */
  unsigned long first;  /* value of `calls` in the call that was entered last; its thread's own */
  atomic_int why;
  _Atomic(pthread_t) caller;
};

/* The watch whose call this thread is in: all that the signal handler can see. */
static _Thread_local struct mx_watch *volatile inside;

static void on_signal(int number)
{
  struct mx_watch *watch = inside;
  (void)number;
  if (watch == NULL || atomic_load(&watch->overdue) != atomic_load(&watch->calls)) return;
  watch->stop(watch->context, (enum mx_watch_reason)atomic_load(&watch->why));
}

/* The mutex is held: the call that is ended waits for it, so that its thread is there. */
static void end_call(struct mx_watch *watch, unsigned long call, enum mx_watch_reason why)
{
  atomic_store(&watch->why, why);
  atomic_store(&watch->overdue, call);
  if (atomic_load(&watch->calls) == call) (void)pthread_kill(atomic_load(&watch->caller), SIGURG);
}

static void look(struct mx_watch *watch, unsigned long *seen, double *since)
{
  unsigned long call = atomic_load(&watch->calls);
  const volatile sig_atomic_t *interrupt = atomic_load(&watch->interrupt);
  const double lasted = mx_clock() - *since;
  if (call % 2 == 0 || call != *seen) {
    *seen = call;
    *since = mx_clock();
  } else if (interrupt != NULL && *interrupt && lasted >= patience) {
    end_call(watch, call, MX_WATCH_INTERRUPTED);
  } else if (lasted >= atomic_load(&watch->seconds)) {
    end_call(watch, call, MX_WATCH_TOO_LONG);
  }
}

static void *work(void *argument)
{
  struct mx_watch *watch = argument;
  const double tick = fmin(0.1, atomic_load(&watch->seconds) / 4);
  unsigned long seen = 0;
  double since = 0;
  (void)dg_locale_plain();
  pthread_mutex_lock(&watch->mutex);
  while (!watch->quit) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(tick * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&watch->changed, &watch->mutex, &until);
    look(watch, &seen, &since);
  }
  pthread_mutex_unlock(&watch->mutex);
  return NULL;
}

static int start(struct mx_watch *watch)
{
  sigset_t all, before;
  pthread_condattr_t attributes;
  pthread_mutex_init(&watch->mutex, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&watch->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  dg_emergency_mask(&all); /* signals are for the threads that work */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(&watch->thread, NULL, work, watch);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
}

static void release(struct mx_watch *watch)
{
  pthread_mutex_destroy(&watch->mutex);
  pthread_cond_destroy(&watch->changed);
  dg_free(watch);
}

int mx_watch_new(struct mx_watch **watch, double seconds, void (*stop)(void *context, enum mx_watch_reason why),
                 void *context, struct dg_error *err)
{
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  struct mx_watch *w;
  *watch = NULL;
  if (DG_NEW(w, 1, err) != 0) return err->code;
  atomic_init(&w->seconds, seconds);
  w->stop = stop;
  w->context = context;
  sigemptyset(&action.sa_mask);
  sigaction(SIGURG, &action, NULL); /* stays: it does nothing outside calls */
  int failed = start(w);
  if (failed != 0) {
    release(w);
    return dg_fail(err, DG_ENVIRONMENT, "cannot start the thread that watches over the script: %s", strerror(failed));
  }
  *watch = w;
  return 0;
}

void mx_watch_free(struct mx_watch *watch)
{
  if (watch == NULL) return;
  pthread_mutex_lock(&watch->mutex);
  watch->quit = true;
  pthread_cond_signal(&watch->changed);
  pthread_mutex_unlock(&watch->mutex);
  pthread_join(watch->thread, NULL);
  release(watch);
}

void mx_watch_interrupt(struct mx_watch *watch, const volatile sig_atomic_t *flag)
{
  atomic_store(&watch->interrupt, flag);
}

void mx_watch_limit(struct mx_watch *watch, double seconds) { atomic_store(&watch->seconds, seconds); }

void mx_watch_enter(struct mx_watch *watch)
{
  atomic_store_explicit(&watch->caller, pthread_self(), memory_order_relaxed);
  inside = watch;
  unsigned long calls = atomic_load_explicit(&watch->calls, memory_order_relaxed); /* nobody else counts */
  atomic_store_explicit(&watch->calls, calls + 1, memory_order_release);
  watch->first = calls + 1;
}

void mx_watch_next(struct mx_watch *watch)
{
  unsigned long call = atomic_load_explicit(&watch->calls, memory_order_relaxed);
  atomic_store_explicit(&watch->calls, call + 2, memory_order_release);
  atomic_signal_fence(memory_order_seq_cst); /* the handler's writes in the call before are seen behind here */
}

void mx_watch_leave(struct mx_watch *watch)
{
  unsigned long call = atomic_load_explicit(&watch->calls, memory_order_relaxed);
  atomic_store(&watch->calls, call + 1); /* before `overdue` is looked at, as end_call looks after it has set it */
  inside = NULL;
  if (atomic_load(&watch->overdue) < watch->first) return;
  pthread_mutex_lock(&watch->mutex); /* the signal is on its way as long as the other thread has it */
  pthread_mutex_unlock(&watch->mutex);
}
