/* The thread that evaluates functions of position and time for the stage to come. sources.c asks it and takes the
 * values. */
#include "maxwell/sources/sources_ahead.h"

#include <pthread.h>
#include <unistd.h>

#include "libdg/base/clock.h"
#include "libdg/base/plain_locale.h"
#include "libdg/base/memory.h"

enum state { IDLE, ASKED, READY, QUIT };

struct mx_ahead {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  enum state state;
  int stage;
  double t, seconds;
  struct dg_error err;
  int (*evaluate)(void *context, int s, double t, struct dg_error *err);
  void *context;
};

static void *work(void *argument)
{
  struct mx_ahead *ahead = argument;
  (void)dg_locale_plain();
  pthread_mutex_lock(&ahead->mutex);
  for (;;) {
    while (ahead->state != ASKED && ahead->state != QUIT) pthread_cond_wait(&ahead->changed, &ahead->mutex);
    if (ahead->state == QUIT) break;
    pthread_mutex_unlock(&ahead->mutex);
    double start = mx_clock();
    (void)!ahead->evaluate(ahead->context, ahead->stage, ahead->t, &ahead->err); /* mx_ahead_take hands the error on */
    ahead->seconds += mx_clock() - start;
    pthread_mutex_lock(&ahead->mutex);
    ahead->state = READY;
    pthread_cond_broadcast(&ahead->changed);
  }
  pthread_mutex_unlock(&ahead->mutex);
  return NULL;
}

int mx_ahead_start(struct mx_ahead **ahead, int (*evaluate)(void *context, int s, double t, struct dg_error *err),
                   void *context, struct dg_error *err)
{
  *ahead = NULL;
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return 0;
  if (DG_NEW(*ahead, 1, err) != 0) return err->code;
  (*ahead)->evaluate = evaluate;
  (*ahead)->context = context;
  pthread_mutex_init(&(*ahead)->mutex, NULL);
  pthread_cond_init(&(*ahead)->changed, NULL);
  if (pthread_create(&(*ahead)->thread, NULL, work, *ahead) == 0) return 0;
  /* Without a thread the sources are evaluated in line, as on a machine with one processor. */
  pthread_mutex_destroy(&(*ahead)->mutex);
  pthread_cond_destroy(&(*ahead)->changed);
  dg_free(*ahead);
  *ahead = NULL;
  return 0;
}

static void set_state(struct mx_ahead *ahead, enum state state)
{
  pthread_mutex_lock(&ahead->mutex);
  while (ahead->state == ASKED) pthread_cond_wait(&ahead->changed, &ahead->mutex);
  ahead->state = state;
  pthread_cond_broadcast(&ahead->changed);
  pthread_mutex_unlock(&ahead->mutex);
}

void mx_ahead_ask(struct mx_ahead *ahead, int s, double t)
{
  ahead->stage = s;
  ahead->t = t;
  ahead->err = (struct dg_error){0};
  set_state(ahead, ASKED);
}

bool mx_ahead_take(struct mx_ahead *ahead, int s, double t, struct dg_error *err)
{
  pthread_mutex_lock(&ahead->mutex);
  while (ahead->state == ASKED) pthread_cond_wait(&ahead->changed, &ahead->mutex);
  bool ready = ahead->state == READY && ahead->stage == s && ahead->t == t;
  ahead->state = IDLE;
  pthread_mutex_unlock(&ahead->mutex);
  if (ready && ahead->err.code != DG_OK) *err = ahead->err;
  return ready;
}

void mx_ahead_wait(struct mx_ahead *ahead)
{
  pthread_mutex_lock(&ahead->mutex);
  while (ahead->state == ASKED) pthread_cond_wait(&ahead->changed, &ahead->mutex);
  pthread_mutex_unlock(&ahead->mutex);
}

double mx_ahead_seconds(struct mx_ahead *ahead)
{
  pthread_mutex_lock(&ahead->mutex);
  double seconds = ahead->seconds;
  pthread_mutex_unlock(&ahead->mutex);
  return seconds;
}

void mx_ahead_stop(struct mx_ahead *ahead)
{
  if (ahead == NULL) return;
  set_state(ahead, QUIT);
  pthread_join(ahead->thread, NULL);
  pthread_mutex_destroy(&ahead->mutex);
  pthread_cond_destroy(&ahead->changed);
  dg_free(ahead);
}
