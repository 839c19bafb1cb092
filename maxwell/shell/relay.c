/* Slots that go through stages of threads, in order. Snapshots leave the time loop through it. */
#include "maxwell/shell/relay.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "libdg/base/bug.h"
#include "libdg/base/emergency.h"
#include "libdg/base/plain_locale.h"
#include "libdg/base/memory.h"
#include "libdg/base/clock.h"

struct stage {
  struct mx_relay *relay;
  struct mx_relay_stage is;
  pthread_t *thread; /* [is.threads] */
  size_t started;    /* threads */
  size_t begun;      /* jobs that a thread has taken */
  size_t passed;     /* jobs that are over, with all before them */
  bool *over;        /* [slots] for jobs begun and not passed: the job in the slot is over */
  double seconds;
};

struct mx_relay {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  void *context;
  size_t slots, stages;
  size_t handed; /* jobs; number n is in slot n % slots */
  size_t failed; /* the first job that failed */
  size_t done;   /* jobs through the last stage without an error, with all before them */
  bool stopping;
  struct dg_error err; /* the first error */
  struct stage stage[MX_RELAY_STAGES];
};

/* Counts the jobs that have come as far as this stage. */
static size_t arrived(const struct stage *stage)
{
  const struct mx_relay *relay = stage->relay;
  return stage == relay->stage ? relay->handed : stage[-1].passed;
}

/* Lets jobs leave a stage in their order, whichever is over first. The mutex is held. */
static void let_pass(struct stage *stage, size_t job)
{
  struct mx_relay *relay = stage->relay;
  const bool last = stage == &relay->stage[relay->stages - 1];
  stage->over[job % relay->slots] = true;
  while (stage->passed < stage->begun && stage->over[stage->passed % relay->slots]) {
    stage->over[stage->passed % relay->slots] = false;
    relay->done += last && stage->passed < relay->failed;
    stage->passed++;
  }
  pthread_cond_broadcast(&relay->changed);
}

/* Works on a job. The mutex is held, but not while the stage works. */
static void work_on(struct stage *stage, size_t job)
{
  struct mx_relay *relay = stage->relay;
  struct dg_error err = {0};
  pthread_mutex_unlock(&relay->mutex);
  const double start = mx_clock();
  const int status = stage->is.work(relay->context, job % relay->slots, &err);
  const double seconds = mx_clock() - start;
  pthread_mutex_lock(&relay->mutex);
  stage->seconds += seconds;
  if (status != 0 && job < relay->failed) {
    relay->failed = job;
    relay->err = err;
  }
}

static void *run(void *argument)
{
  struct stage *stage = argument;
  struct mx_relay *relay = stage->relay;
  (void)dg_locale_plain();
  pthread_mutex_lock(&relay->mutex);
  for (;;) {
    while (arrived(stage) == stage->begun && !relay->stopping) pthread_cond_wait(&relay->changed, &relay->mutex);
    if (arrived(stage) == stage->begun) break; /* stopping waits for all jobs first */
    const size_t job = stage->begun++;
    if (job < relay->failed) work_on(stage, job);
    let_pass(stage, job);
  }
  pthread_mutex_unlock(&relay->mutex);
  return NULL;
}

/* Starts as many of the stage's threads as the system gives. They take no signals, which are for the threads that look
 * at them. */
static void start_threads(struct stage *stage)
{
  sigset_t all, before;
  dg_emergency_mask(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (stage->started < stage->is.threads && pthread_create(&stage->thread[stage->started], NULL, run, stage) == 0)
    stage->started++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int new_stage(struct stage *stage, size_t slots, struct dg_error *err)
{
  DG_ASSERT(stage->is.threads > 0);
  if (DG_NEW(stage->thread, stage->is.threads, err) != 0) return err->code;
  return DG_NEW(stage->over, slots, err);
}

int mx_relay_start(struct mx_relay **result, size_t slots, size_t stages, const struct mx_relay_stage *stage,
                   void *context, struct dg_error *err)
{
  struct mx_relay *relay;
  *result = NULL;
  DG_ASSERT(slots > 0 && stages > 0 && stages <= MX_RELAY_STAGES && stage[stages - 1].most <= slots);
  if (DG_NEW(relay, 1, err) != 0) return err->code;
  relay->context = context;
  relay->slots = slots;
  relay->stages = stages;
  relay->failed = SIZE_MAX;
  pthread_mutex_init(&relay->mutex, NULL);
  pthread_cond_init(&relay->changed, NULL);
  bool whole = true;
  for (size_t s = 0; s < stages; s++) relay->stage[s] = (struct stage){.relay = relay, .is = stage[s]};
  for (size_t s = 0; s < stages && whole; s++) {
    whole = new_stage(&relay->stage[s], slots, err) == 0;
    if (whole) start_threads(&relay->stage[s]);
    whole = whole && relay->stage[s].started > 0;
  }
  if (whole) *result = relay;
  else mx_relay_stop(relay);
  return err->code;
}

static int error_of(const struct mx_relay *relay, struct dg_error *err)
{
  if (err->code == DG_OK) *err = relay->err;
  return err->code;
}

/* Says whether some stage has no room for so many more jobs. */
static bool is_full(const struct mx_relay *relay, size_t more)
{
  for (size_t s = 0; s < relay->stages; s++)
    if (relay->handed + more - relay->stage[s].passed > relay->stage[s].is.most) return true;
  return false;
}

static bool is_busy(const struct mx_relay *relay, size_t left)
{
  return relay->handed - relay->stage[relay->stages - 1].passed > left;
}

/* Waits while the condition holds. The mutex is held. */
static void wait_while(struct mx_relay *relay, bool (*condition)(const struct mx_relay *, size_t), size_t count,
                       double *waited)
{
  if (!condition(relay, count)) return;
  const double start = mx_clock();
  while (condition(relay, count)) pthread_cond_wait(&relay->changed, &relay->mutex);
  *waited += mx_clock() - start;
}

int mx_relay_take(struct mx_relay *relay, size_t *slot, double *waited, struct dg_error *err)
{
  pthread_mutex_lock(&relay->mutex);
  wait_while(relay, is_full, 1, waited);
  *slot = relay->handed % relay->slots;
  const int status = error_of(relay, err);
  pthread_mutex_unlock(&relay->mutex);
  return status;
}

void mx_relay_hand_over(struct mx_relay *relay)
{
  pthread_mutex_lock(&relay->mutex);
  relay->handed++;
  pthread_cond_broadcast(&relay->changed);
  pthread_mutex_unlock(&relay->mutex);
}

int mx_relay_poll(struct mx_relay *relay, struct dg_error *err)
{
  pthread_mutex_lock(&relay->mutex);
  const int status = error_of(relay, err);
  pthread_mutex_unlock(&relay->mutex);
  return status;
}

int mx_relay_finish(struct mx_relay *relay, size_t left, double *waited, struct dg_error *err)
{
  pthread_mutex_lock(&relay->mutex);
  wait_while(relay, is_busy, left, waited);
  const int status = error_of(relay, err);
  pthread_mutex_unlock(&relay->mutex);
  return status;
}

size_t mx_relay_done(struct mx_relay *relay)
{
  pthread_mutex_lock(&relay->mutex);
  const size_t done = relay->done;
  pthread_mutex_unlock(&relay->mutex);
  return done;
}

double mx_relay_seconds(struct mx_relay *relay)
{
  double seconds = 0;
  pthread_mutex_lock(&relay->mutex);
  for (size_t s = 0; s < relay->stages; s++) seconds += relay->stage[s].seconds;
  pthread_mutex_unlock(&relay->mutex);
  return seconds;
}

void mx_relay_stop(struct mx_relay *relay)
{
  double waited = 0;
  if (relay == NULL) return;
  pthread_mutex_lock(&relay->mutex);
  wait_while(relay, is_busy, 0, &waited);
  relay->stopping = true;
  pthread_cond_broadcast(&relay->changed);
  pthread_mutex_unlock(&relay->mutex);
  for (size_t s = 0; s < relay->stages; s++) {
    for (size_t t = 0; t < relay->stage[s].started; t++) pthread_join(relay->stage[s].thread[t], NULL);
    dg_free(relay->stage[s].thread);
    dg_free(relay->stage[s].over);
  }
  pthread_mutex_destroy(&relay->mutex);
  pthread_cond_destroy(&relay->changed);
  dg_free(relay);
}
