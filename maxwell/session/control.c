/* Signals and clocks of a rank, and the votes by which all ranks do the same at the same step. The time loop asks it
 * before every step. */
#define _POSIX_C_SOURCE 200809L
#include "maxwell/session/control.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>

#include "libdg/base/clock.h"
#include "libdg/base/emergency.h"
#include "libdg/base/memory.h"

/* The only globals of the program: a signal handler can reach nothing else. */
static volatile sig_atomic_t interrupted; /* enum mx_stop */
static volatile sig_atomic_t wanted;      /* a checkpoint is wanted */

static void on_signal(int number)
{
  if (number == SIGUSR1) wanted = 1;
  else interrupted = number == SIGINT ? MX_STOP_INTERRUPT : MX_STOP_TERMINATE;
}

/* The signals that the program listens to, and how. The terminal may go (SIGHUP, unless nohup ignores it), the reader
 * of the output may go (SIGPIPE, which the program ignores but for the loop), and the processor's time may end
 * (SIGXCPU). None of these signals is impatience, and they may come several times. */
static const struct {
  int number, flags;
  bool may_be_ignored; /* the signal stays ignored if it was when the run began */
} signals[] = {
    {SIGINT, (int)SA_RESETHAND, false}, {SIGTERM, (int)SA_RESETHAND, false}, {SIGUSR1, SA_RESTART, false},
    {SIGHUP, SA_RESTART, true},         {SIGPIPE, SA_RESTART, false},        {SIGXCPU, SA_RESTART, false},
};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* A library's runs may listen in several threads: the first one takes the signals, and the last one gives them back. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int listeners;
static struct sigaction before_all[SIGNALS];

/* With the lock. */
static void take_signals(void)
{
  for (int i = 0; i < SIGNALS; i++) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = signals[i].flags};
    struct sigaction *const before = &before_all[i];
    sigemptyset(&action.sa_mask);
    sigaction(signals[i].number, &action, before);
    if (signals[i].may_be_ignored && before->sa_handler == SIG_IGN) sigaction(signals[i].number, before, NULL);
  }
}

static void listen(bool first_clears)
{
  pthread_mutex_lock(&lock);
  if (listeners++ == 0) {
    if (first_clears) {
      interrupted = MX_GO_ON;
      wanted = 0;
    }
    take_signals();
  }
  pthread_mutex_unlock(&lock);
}

void mx_control_resume(void) { listen(false); }

void mx_control_pause(void)
{
  pthread_mutex_lock(&lock);
  for (int i = 0; listeners == 1 && i < SIGNALS; i++) sigaction(signals[i].number, &before_all[i], NULL);
  listeners--;
  pthread_mutex_unlock(&lock);
}

void mx_control_begin(struct mx_control *control, const struct mx_scene *scene, size_t bytes, bool within)
{
  static const double slow_disk = 1e8; /* bytes a second, until a checkpoint has been measured */
  *control = (struct mx_control){.scene = scene,
                                 .checkpointed = mx_clock(),
                                 .estimate = 0.5 + (double)bytes / slow_disk,
                                 .vote_steps = 1,
                                 .listens = true,
                                 .within = within};
  listen(!within);
  mx_origin_interrupt(scene->origin, &interrupted);
}

void mx_control_end(struct mx_control *control)
{
  if (!control->listens) return;
  if (!control->within) mx_origin_interrupt(control->scene->origin, NULL);
  mx_control_pause();
  control->listens = false;
}

enum { VOTES = 4 }; /* stop, checkpoint, seconds a step, minus the fewest snapshots that a rank has written */

void mx_control_restart(struct mx_control *control) { control->next_vote = 0; }

/* Says whether the time that is left is just enough for a checkpoint and the end. */
static bool out_of_time(const struct mx_control *control)
{
  const double limit = control->scene->config->time.walltime;
  if (limit <= 0) return false;
  /* The margin is twice the longest checkpoint so far, since disks are slow when all jobs end, and the steps between
   * two votes, and what is written at the end. It is at most half of a short limit. */
  double margin = 2 * (control->longest > 0 ? control->longest : control->estimate) + control->behind +
                  20 * control->step_seconds + 2;
  return mx_clock() - control->scene->started > limit - fmin(margin, 0.5 * limit);
}

/* The orders that this rank wants. */
static struct mx_orders own_orders(struct mx_control *control)
{
  const double minutes = control->scene->config->checkpoint.minutes;
  struct mx_orders own = {.stop = (enum mx_stop)interrupted, .checkpoint = wanted != 0};
  wanted = 0;
  if (own.stop == MX_STOP_INTERRUPT && control->keeps) own.stop = MX_STOP_TERMINATE;
  if (minutes > 0 && mx_clock() - control->checkpointed >= 60 * minutes) own.checkpoint = true;
  if (own.stop == MX_GO_ON && out_of_time(control)) own.stop = MX_STOP_WALLTIME;
  return own;
}

/* Is step n one with a checkpoint (checkpoint.every)? */
static bool is_due(const struct mx_control *control, long n)
{
  const long every = control->scene->config->checkpoint.every;
  return every > 0 && n > 0 && n % every == 0;
}

int mx_control_ask(struct mx_control *control, long n, double step_seconds, struct mx_orders *orders,
                   struct dg_error *err)
{
  enum { MANY = 100000 };
  static const double interval = 0.1; /* seconds between the beginning and the end, and again to the next */
  struct dg_comm *comm = control->scene->comm;
  *orders = (struct mx_orders){.stop = MX_GO_ON, .checkpoint = is_due(control, n)};
  control->step_seconds = step_seconds;
  if (dg_emergency_check(err) != 0) return err->code;
  if (comm == NULL) {
    const struct mx_orders own = own_orders(control);
    *orders = (struct mx_orders){.stop = own.stop, .checkpoint = own.checkpoint || orders->checkpoint};
    return 0;
  }
  if (dg_comm_poll(comm, err) != 0 || n < control->next_vote) return err->code;
  double vote[VOTES] = {0, 0, step_seconds, -(double)control->snapshots};
  if (control->vote == NULL) {
    const struct mx_orders own = own_orders(control);
    vote[0] = own.stop;
    vote[1] = own.checkpoint;
    control->next_vote = n + control->vote_steps;
    return dg_reduction_start(&control->vote, comm, DG_MAX, VOTES, vote, err);
  }
  struct dg_reduction *ends = control->vote;
  control->vote = NULL;
  if (dg_reduction_end(ends, vote, err) != 0) return err->code;
  orders->stop = (enum mx_stop)vote[0];
  orders->checkpoint = orders->checkpoint || vote[1] > 0;
  orders->snapshots = (long)-vote[3];
  control->vote_steps = (long)fmin(fmax(interval / vote[2], 1), MANY);
  control->next_vote = n + control->vote_steps;
  return 0;
}

int mx_control_ask_now(struct mx_control *control, long n, double step_seconds, struct mx_orders *orders,
                       struct dg_error *err)
{
  *orders = (struct mx_orders){.stop = MX_GO_ON};
  control->step_seconds = step_seconds;
  if (dg_emergency_check(err) != 0) return err->code;
  const struct mx_orders own = own_orders(control);
  int64_t vote[] = {own.stop, own.checkpoint};
  if (dg_comm_reduce_int(control->scene->comm, DG_MAX, sizeof vote / sizeof *vote, vote, err) != 0) return err->code;
  *orders = (struct mx_orders){.stop = (enum mx_stop)vote[0], .checkpoint = vote[1] > 0 || is_due(control, n)};
  return 0;
}

bool mx_control_presses(const struct mx_control *control) { return interrupted != MX_GO_ON || out_of_time(control); }

void mx_control_checkpointed(struct mx_control *control, double seconds)
{
  control->longest = fmax(control->longest, seconds);
  control->checkpointed = mx_clock();
}

int mx_control_settle(struct mx_control *control, struct dg_error *err)
{
  double vote[VOTES];
  struct dg_reduction *ends = control->vote;
  control->vote = NULL;
  if (ends != NULL) (void)!dg_reduction_end(ends, vote, err);
  return err->code;
}

struct dg_pace mx_progress_pace(const struct mx_config *config, const struct dg_log *log)
{
  const double every = config->output.progress_every, now = mx_clock();
  const bool terminal = dg_log_on_terminal(log);
  struct dg_pace pace = {.least = every, .most = every, .begun = now, .last = now};
  if (every < 0) pace.least = terminal ? 0.2 : 2, pace.most = terminal ? pace.least : 600;
  return pace;
}
