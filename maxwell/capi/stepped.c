/* A run that the caller steps; stepped.h has the idea. The loop asks before every step (struct mx_watcher), and the
 * run's thread waits there, or where the fields of a step can be looked at, until the caller wants something. */
#define _POSIX_C_SOURCE 200809L
#include "maxwell/capi/stepped.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>

#include "libdg/base/plain_locale.h"
#include "libdg/base/memory.h"
#include "maxwell/run/loop.h"
#include "maxwell/run/run.h"

enum wish { NOTHING, ADVANCE, LOOK, CHECKPOINT, STOP, LEAVE };

struct mx_stepped {
  struct curlew_simulation *simulation;
  struct curlew_run_options options;
  char *path;
  struct mx_folder folder;
  bool opened, started; /* the folder; the thread */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t turns;
  bool runs;        /* whose turn it is: the thread's */
  atomic_bool over; /* the run has ended, and `result` says how */
  struct dg_error result;
  /* What the caller wants. */
  enum wish wish;
  long left;   /* steps to make */
  bool to_end; /* finish: does not stand at the last step */
  bool tried;  /* the checkpoint that was wanted */
  mx_capi_work work;
  void *what;
  struct dg_error answer; /* of the wish */
  /* Where the run is; other threads may ask. */
  atomic_long n, total;
  atomic_int excitation; /* the port that is driven, from 0; -1: none in turn */
};

/* ---- turns */

/* The thread waits for its turn. The signals are the caller's meanwhile. */
static void rest(struct mx_stepped *s, struct mx_loop *loop)
{
  mx_sources_pause(loop->scene->sources);
  mx_control_pause();
  pthread_mutex_lock(&s->lock);
  s->runs = false;
  pthread_cond_broadcast(&s->turns);
  while (!s->runs) pthread_cond_wait(&s->turns, &s->lock);
  pthread_mutex_unlock(&s->lock);
  mx_control_resume();
}

/* The caller lets the thread work until it rests, or the run is over. */
static void let_run(struct mx_stepped *s)
{
  pthread_mutex_lock(&s->lock);
  s->runs = true;
  pthread_cond_broadcast(&s->turns);
  while (s->runs) pthread_cond_wait(&s->turns, &s->lock);
  pthread_mutex_unlock(&s->lock);
}

/* ---- the thread's side */

static void note(struct mx_stepped *s, const struct mx_loop *loop, long n)
{
  s->n = n;
  s->total = loop->total;
  s->excitation = loop->scene->config->output.s_parameters.count > 0 ? loop->scene->sources->ports.active : -1;
}

static bool at_the_end(const struct mx_loop *loop, long n) { return n == loop->scene->steps && loop->later == 0; }

static enum mx_order stand(void *self, struct mx_loop *loop, long n)
{
  struct mx_stepped *const s = self;
  note(s, loop, n);
  if (s->tried) {
    if (loop->checkpointed != loop->total)
      dg_fail(&s->answer, DG_ENVIRONMENT, "no checkpoint at step %ld: %s", n, loop->no_checkpoint);
    s->wish = NOTHING;
    s->tried = false;
  }
  for (;;) {
    switch (s->wish) {
    case ADVANCE:
      if (s->left > 0 && (s->to_end || !at_the_end(loop, n))) {
        if (n < loop->scene->steps) s->left--;
        return MX_ORDER_STEP;
      }
      s->wish = NOTHING;
      break;
    case LOOK:
      return MX_ORDER_LOOK;
    case CHECKPOINT:
      s->tried = true;
      return MX_ORDER_CHECKPOINT;
    case STOP:
      return MX_ORDER_STOP;
    case LEAVE:
      return MX_ORDER_LEAVE;
    case NOTHING:
      break;
    }
    rest(s, loop);
  }
}

static int at(void *self, struct mx_loop *loop, long n, struct dg_error *err)
{
  struct mx_stepped *const s = self;
  (void)err;
  for (;;) {
    if (s->wish == LOOK) (void)!s->work(s->simulation, loop, s->what, &s->answer);
    else if (s->wish != ADVANCE || s->to_end || !at_the_end(loop, n)) break;
    s->wish = NOTHING;
    rest(s, loop);
  }
  if (s->wish == ADVANCE && n < loop->scene->steps) s->left--; /* the step that is ended now */
  return 0;
}

static bool look(void *self, long n, long steps, double t)
{
  struct mx_stepped *const s = self;
  s->n = n;
  return mx_capi_ask(s->simulation, &s->options, n, steps, t);
}

static void *run(void *self)
{
  struct mx_stepped *const s = self;
  const struct mx_watcher watcher = {.look = look, .stand = stand, .at = at, .self = s};
  const struct mx_run_options how = {.resume = s->options.restart != 0, .keeps = true, .watcher = &watcher};
  (void)dg_locale_plain();
  (void)!mx_run(&s->simulation->setup, &s->folder, &how, &s->result);
  mx_folder_close(&s->folder); /* others may have it */
  s->opened = false;
  pthread_mutex_lock(&s->lock);
  s->over = true;
  s->runs = false;
  pthread_cond_broadcast(&s->turns);
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

/* ---- the caller's side */

/* How the run has ended, for whoever wanted something of it: its error once, and then that it is over. */
static int ended(struct mx_stepped *s, struct dg_error *err)
{
  if (s->result.code != DG_OK) *err = s->result;
  return err->code;
}

/* Wants something of the run until it rests again. */
static int want(struct mx_stepped *s, enum wish wish, struct dg_error *err)
{
  if (s->over)
    return dg_fail(err, DG_INPUT, "the run in '%s' is over%s%s", s->path, s->result.code != DG_OK ? ": " : "",
                   s->result.code != DG_OK ? s->result.message : "");
  s->wish = wish;
  s->answer = (struct dg_error){0};
  let_run(s);
  if (s->over) return ended(s, err);
  if (s->answer.code != DG_OK) *err = s->answer;
  return err->code;
}

/* Ends the run now, without a checkpoint, if it has not ended. NULL is safe. */
static void end(struct mx_stepped *s)
{
  struct dg_error ignored = {0};
  if (s == NULL) return;
  if (s->started && !s->over) (void)!want(s, LEAVE, &ignored);
  if (s->started) pthread_join(s->thread, NULL);
  if (s->opened) mx_folder_close(&s->folder);
  pthread_mutex_destroy(&s->lock);
  pthread_cond_destroy(&s->turns);
  dg_free(s->path);
  dg_free(s);
}

int mx_stepped_begin(struct curlew_simulation *simulation, const struct curlew_run_options *options,
                     struct dg_error *err)
{
  struct mx_stepped *s;
  if (DG_NEW(s, 1, err) != 0) return err->code;
  s->simulation = simulation;
  s->options = *options;
  s->excitation = -1;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->turns, NULL);
  const char *path = options->folder != NULL ? options->folder : simulation->config.name;
  if (dg_copy_string(&s->path, path, err) != 0 || mx_folder_open(&s->folder, s->path, NULL, simulation->log, err) != 0)
    goto fail;
  s->opened = true;
  s->runs = true;
  if (pthread_create(&s->thread, NULL, run, s) != 0) {
    (void)dg_fail(err, DG_ENVIRONMENT, "cannot start a thread for the run");
    goto fail;
  }
  s->started = true;
  pthread_mutex_lock(&s->lock);
  while (s->runs) pthread_cond_wait(&s->turns, &s->lock);
  pthread_mutex_unlock(&s->lock);
  if (s->over) (void)!ended(s, err);
fail:
  if (err->code != DG_OK) end(s);
  else simulation->stepped = s; /* from now on others may ask where it is */
  return err->code;
}

int mx_stepped_advance(struct curlew_simulation *simulation, long steps, struct dg_error *err)
{
  struct mx_stepped *const s = simulation->stepped;
  s->left = steps;
  s->to_end = false;
  return steps == 0 && !s->over ? 0 : want(s, ADVANCE, err);
}

int mx_stepped_look(struct curlew_simulation *simulation, mx_capi_work work, void *what, struct dg_error *err)
{
  struct mx_stepped *const s = simulation->stepped;
  s->work = work;
  s->what = what;
  if (want(s, LOOK, err) == 0 && s->over)
    return dg_fail(err, DG_INPUT, "the run in '%s' ended before its fields could be looked at", s->path);
  return err->code;
}

int mx_stepped_checkpoint(struct curlew_simulation *simulation, struct dg_error *err)
{
  struct mx_stepped *const s = simulation->stepped;
  if (want(s, CHECKPOINT, err) == 0 && s->over)
    return dg_fail(err, DG_INPUT, "the run in '%s' ended before a checkpoint could be written", s->path);
  return err->code;
}

int mx_stepped_finish(struct curlew_simulation *simulation, struct dg_error *err)
{
  struct mx_stepped *const s = simulation->stepped;
  if (s->over) return ended(s, err);
  s->left = LONG_MAX;
  s->to_end = true;
  return want(s, ADVANCE, err);
}

int mx_stepped_stop(struct curlew_simulation *simulation, struct dg_error *err)
{
  struct mx_stepped *const s = simulation->stepped;
  if (s->over) return 0;
  if (want(s, STOP, err) == DG_INTERRUPTED) *err = (struct dg_error){0};
  return err->code;
}

void mx_stepped_describe(const struct curlew_simulation *simulation, struct curlew_position *position)
{
  const struct mx_stepped *const s = simulation->stepped;
  *position = (struct curlew_position){.step = simulation->n, .total = simulation->n};
  if (s == NULL) return;
  *position = (struct curlew_position){.step = s->n, .total = s->total, .over = s->over};
  if (s->excitation >= 0) position->port = mx_ports_name(&simulation->setup.sources.ports, (size_t)s->excitation);
}

void mx_stepped_free(struct curlew_simulation *simulation)
{
  end(simulation->stepped);
  simulation->stepped = NULL;
}
